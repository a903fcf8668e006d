-- Stops the demo unless the previous statement failed with the message in :want. Leaves ECHO at queries.
\set failed :ERROR
\set got :LAST_ERROR_MESSAGE
\set ECHO none
select :'failed' = 'true' and :'got' = :'want' as ok \gset
\set what 'an error with the message: ' :want
\ir check.sql
\echo
\set ECHO queries
