-- Stops the demo unless :ok is true; :what says what was expected.
\if :ok
\else
    \warn 'NOT SO:' :what
    \set VERBOSITY terse
    do $$ begin raise exception 'the demo stops here'; end $$;
\endif
