-- Stops the demo unless the statement before failed with the message in :want. Leaves ECHO at queries.
\set failed :ERROR
\set got :LAST_ERROR_MESSAGE
\set ECHO none
select :'failed' = 'true' and :'got' = :'want' as ok \gset
\set what 'an error that says ' :want
\ir check.sql
\echo
\set ECHO queries
