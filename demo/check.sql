-- Stops the demo unless :ok is true; :what is the expected result.
\if :ok
\else
    \warn 'Not the expected result:' :what
    \set VERBOSITY terse
    do $$ begin raise exception 'the demo has failed'; end $$;
\endif
