-- All of the indexer's SQL, in its order: for atid-indexer, which reads this list, and for psql:
--
--   psql -v ON_ERROR_STOP=1 --single-transaction -f indexer/sql/install.sql
--
-- The migrations make the tables, each once; the other files are functions and views, made anew by each upgrade.
\set QUIET on
CREATE SCHEMA IF NOT EXISTS indexer;
SET search_path = indexer, pg_temp;
SET client_min_messages = warning;
\ir migrations/0001.sql
\ir migrations/0002.sql
\ir migrations/0003.sql
\ir migrations/0004.sql
\ir codes.sql
\ir labels.sql
\ir settings.sql
\ir candidate.sql
\ir labels_refused.sql
\ir notice.sql
\ir bad.sql
\ir waiting.sql
\ir host.sql
\ir wants.sql
\ir accounts.sql
\ir identities.sql
\ir write.sql
\ir stream.sql
\ir loads.sql
\ir readers.sql
\ir signs.sql
\ir watch.sql
\ir operate.sql
\ir views.sql
RESET client_min_messages;
RESET search_path;
