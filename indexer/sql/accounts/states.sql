-- The states of an account, as in README.md. set_account_state() in tables/account.sql changes a
-- state. Functions read the properties of a state here, and so does the constraint
-- account_state_check.
--
--   words           for explain()
--   has_status      the column status has the reason, and the records are deleted
--   is_behind       the account is still to be loaded
--   follows_key     it is loaded, or identified, again when it has another key
--   follows_server  the server's reports on the account can change the state
--   commit_brings   what a sound commit brings forward, and its revision is noted:
--                   load       the load
--                   check      the query for the status
--                   nothing    (its revision is not noted)
--   reload_brings   what reload_account() causes at once:
--                   load       the account is loaded
--                   check      the server is queried for its status
--                   identity   its identity is requested
--                   nothing
CREATE TABLE IF NOT EXISTS account_state (
  place int NOT NULL,
  state text PRIMARY KEY CHECK (state ~ '^[a-z]+$'),
  words text NOT NULL,
  has_status bool NOT NULL,
  is_behind bool NOT NULL,
  follows_key bool NOT NULL,
  follows_server bool NOT NULL,
  commit_brings text NOT NULL CHECK (commit_brings IN ('load', 'check', 'nothing')),
  reload_brings text NOT NULL CHECK (reload_brings IN ('load', 'check', 'identity', 'nothing'))
);
DELETE FROM account_state;
INSERT INTO account_state
SELECT place, state, words, coalesce(has_status, false), coalesce(is_behind, false),
       coalesce(follows_key, false), coalesce(follows_server, false),
       coalesce(commit_brings, 'nothing'), coalesce(reload_brings, 'nothing')
FROM ROWS FROM (jsonb_to_recordset($states$
[
  {"state": "unidentified", "words": "its key is not known",
   "is_behind": true, "follows_key": true, "follows_server": true, "reload_brings": "identity"},
  {"state": "desynchronized", "words": "it is waiting to be loaded",
   "is_behind": true, "follows_key": true, "follows_server": true, "commit_brings": "load",
   "reload_brings": "load"},
  {"state": "loading", "words": "its repository is being loaded",
   "is_behind": true, "follows_key": true, "follows_server": true},
  {"state": "synchronized", "words": "it is here, up to the last commit that the stream had",
   "follows_key": true, "follows_server": true, "reload_brings": "load"},
  {"state": "live", "words": "it is live: its commits are stored as they come, for some days",
   "follows_key": true, "follows_server": true},
  {"state": "inactive", "words": "the server reports that it is not active",
   "has_status": true, "follows_server": true, "commit_brings": "check", "reload_brings": "check"},
  {"state": "barred", "words": "its identity has ended",
   "has_status": true, "reload_brings": "identity"}
]
$states$::jsonb) AS (state text, words text, has_status bool, is_behind bool, follows_key bool,
                     follows_server bool, commit_brings text, reload_brings text))
     WITH ORDINALITY AS x (state, words, has_status, is_behind, follows_key, follows_server,
                           commit_brings, reload_brings, place);

-- The row of a state.
CREATE OR REPLACE FUNCTION find_account_state(name text) RETURNS account_state
LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE s account_state;
BEGIN
  SELECT * INTO s FROM account_state AS x WHERE x.state = name;
  RETURN s;
END $$;

-- The names of the states with a status, or of those without one, as an array.
CREATE OR REPLACE FUNCTION list_account_states(with_status bool) RETURNS text[]
LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN ARRAY(SELECT s.state FROM account_state AS s WHERE s.has_status = with_status
               ORDER BY s.place);
END $$;

-- Makes the constraint of the table account allow the listed states, and require a status where one
-- belongs. That reads all accounts, so it is done only if the constraint has other states.
CREATE OR REPLACE FUNCTION restrict_account_states() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  states CONSTANT text[] := ARRAY[list_account_states(false)::text,
                                  list_account_states(true)::text];
  allowed text[];
BEGIN
  SELECT array_agg(m.names[1]) INTO allowed
  FROM pg_constraint AS c
       CROSS JOIN regexp_matches(pg_get_constraintdef(c.oid), '''(\{[a-z,]+\})''', 'g') AS m (names)
  WHERE (c.conrelid, c.conname) = ('account'::regclass, 'account_state_check');
  IF allowed IS DISTINCT FROM states THEN
    ALTER TABLE account DROP CONSTRAINT IF EXISTS account_state_check;
    EXECUTE format('ALTER TABLE account ADD CONSTRAINT account_state_check CHECK (CASE '
                   'WHEN status IS NULL THEN state = ANY (%L) ELSE state = ANY (%L) END)',
                   states[1], states[2]);
  END IF;
END $$;
DO $$ BEGIN PERFORM restrict_account_states(); END $$;
