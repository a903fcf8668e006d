-- Migration 4: 2.0.0. Statements that change tables which Citus distributes are separated by lines
-- "--> next".

-- Problems become codes, which codes.sql lists; until now they were words, with blanks.
UPDATE account SET problem = replace(problem, ' ', '_') WHERE problem LIKE '% %';
--> next
UPDATE identity SET problem = 'unsupported_method'
WHERE problem = 'not implemented' AND ask = 'infinity';
--> next
UPDATE identity SET problem = replace(problem, ' ', '_') WHERE problem LIKE '% %';
--> next
UPDATE host SET problem = replace(problem, ' ', '_') WHERE problem LIKE '% %';
UPDATE want SET problem = replace(problem, ' ', '_') WHERE problem LIKE '% %';

-- Has a host asked for its pause?
ALTER TABLE host ADD paused bool NOT NULL DEFAULT false;
UPDATE host SET paused = true WHERE problem = 'throttled';

-- Is a reader one of "atid-indexer api"?
ALTER TABLE reader ADD api bool NOT NULL DEFAULT false;
UPDATE reader SET api = true WHERE name LIKE 'api %';

-- The fault of a frame: a code; the reason has its words, or the error. NULL: an earlier version
-- has kept the frame.
ALTER TABLE bad ADD code text;
DROP FUNCTION IF EXISTS unsigned();

-- Bounds of tables that had none.
ALTER TABLE settings
  ADD most_candidates int NOT NULL DEFAULT 100000,   -- rows; then a list that adds more waits
  ADD most_wants bigint NOT NULL DEFAULT 100000000;  -- rows, about; then signals add no accounts

-- The keys of accounts that sign service tokens and are not in the table identity.
CREATE TABLE asker (
  did      atid.did PRIMARY KEY,
  key      text NOT NULL CHECK (atid.did_key_is_valid(key)),
  answered timestamptz NOT NULL,                     -- when the directory or domain was queried
  seen     timestamptz NOT NULL DEFAULT now()        -- the day of the last token
);
CREATE INDEX asker_seen ON asker (seen);
ALTER TABLE settings
  ADD most_askers int NOT NULL DEFAULT 100000,       -- rows of asker; of did:web a tenth
  ADD asker_kept interval NOT NULL DEFAULT '30 days',  -- after the last token
  ADD asker_age interval NOT NULL DEFAULT '24 h';    -- then the key is requested again

-- Accounts that may have waiting frames that can be processed now: each time, only these are read.
CREATE TABLE ready_account (
  slot int NOT NULL,
  did  atid.did NOT NULL
);
CREATE INDEX ready_account_slot ON ready_account (slot);

--> next

-- When a frame began to wait.
ALTER TABLE waiting ADD added timestamptz NOT NULL DEFAULT now();
CREATE INDEX waiting_added ON waiting (added);

-- Live mode: for accounts that only the row ('live', '*') wants, the records of commits from now on
-- are stored, for settings.keep, in two tables for each day.
ALTER TABLE settings
  ADD keep interval NOT NULL DEFAULT '3 days' CHECK (keep BETWEEN interval '1 hour' AND '7 days'),
  ADD idle_after interval NOT NULL DEFAULT '30 days';  -- without a commit; then it is deleted
ALTER TABLE want DROP CONSTRAINT want_check;         -- tables/want.sql adds it
CREATE TABLE day (
  day date PRIMARY KEY                               -- on which its records were stored, in UTC
);
--> next
-- The day of the last commit of a live account; without a key, that on which this was found.
ALTER TABLE account ADD seen date;
--> next
CREATE INDEX account_idle ON account (seen) WHERE state IN ('live', 'unidentified');
--> next
ALTER TABLE identity ADD log_size int;               -- operations; live accounts keep no log
--> next

-- The accounts whose records name the views and functions of the schema feed: "feed publish".
CREATE TABLE published (
  feed text,
  did  atid.did,
  at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (feed, did)
);
-- Functions get names that say what they do. What depends on one, such as a view, follows.
DO $$
DECLARE r record;
BEGIN
  FOR r IN
    SELECT p.oid::regprocedure AS function, n.new
    FROM (VALUES
      ('later', 'add_interval'), ('most_ahead', 'max_clock_skew'), ('pause', 'backoff_delay'),
      ('roughly', 'interval_in_words'), ('turn', 'spread_delay'), ('slot', 'shard_slot'),
      ('origin', 'url_origin'), ('clipped', 'clip_text'), ('of_server', 'is_server_error'),
      ('of_program', 'is_program_error'), ('signal_doubtful', 'claim_candidates'),
      ('has_signal', 'finish_candidate'), ('become', 'set_account_state'), ('meet', 'add_account'),
      ('passed_over', 'report_skipped_account'), ('silence', 'deactivate_account'),
      ('revive', 'reactivate_account'), ('count_gap', 'count_account_gap'),
      ('tell', 'apply_account_status'), ('told', 'store_account_status'),
      ('grasp', 'try_lock_account'), ('is_being_loaded', 'is_account_loading'),
      ('doubtful', 'claim_status_checks'), ('doubt', 'request_status_check'),
      ('remove', 'delete_account'), ('heed', 'process_notices'),
      ('heed_refused', 'process_refusals'), ('want_changed', 'on_want_change'),
      ('patterns', 'wanted_patterns'), ('everybody', 'wants_all_accounts'),
      ('one_of_many', 'lock_batch_work'), ('settle', 'reconcile_wants'),
      ('leave_unsettled', 'postpone_account'), ('next_list', 'next_listing'),
      ('about_how_many', 'estimate_accounts'), ('list', 'store_listing_page'),
      ('list_failed', 'fail_listing'), ('list_works', 'reset_listing'),
      ('tell_page', 'apply_listing_page'), ('listed', 'listing_entries'),
      ('list_refused', 'mark_listing_unsupported'), ('seek_unlisted', 'check_unlisted_accounts'),
      ('look_again', 'recheck_after_gap'), ('ask', 'claim_identities'),
      ('unask', 'release_identities'), ('not_identified', 'fail_identity'),
      ('identity_of', 'read_did_document'), ('know', 'apply_identity'),
      ('identify', 'store_plc_log'), ('identify_web', 'store_did_document'),
      ('scratch', 'create_temp_tables'), ('path_of', 'reference_path'),
      ('lexicons_changed', 'on_lexicons_change'), ('points_at', 'block_references'),
      ('writes', 'enter_writers'), ('nobody_writes', 'exclude_writers'), ('write', 'write_records'),
      ('clear', 'delete_records'), ('place', 'database_place'),
      ('would_bar', 'find_replaced_stream'), ('compared', 'store_clock_offset'),
      ('connected', 'report_connection'), ('too_large', 'quarantine_oversized_frame'),
      ('hold', 'lock_accounts'), ('judge', 'verify_frames'), ('is_newer', 'claims_newer_revision'),
      ('complete', 'add_missing_prev'), ('with_prev', 'commit_with_prev'),
      ('sum_unproven', 'compact_unproven'), ('announce', 'record_follow_ups'),
      ('apply', 'apply_frames'), ('latest_states', 'latest_account_states'),
      ('begin_again', 'restart_numbering'),
      ('count_taken', 'add_shard_counters'), ('pass_refused', 'pass_refused_frame'),
      ('load_again', 'resync_account'), ('reload_missed', 'resync_overflowed_accounts'),
      ('claim', 'claim_loads'), ('load_waits', 'is_load_waiting'), ('load', 'store_repository'),
      ('unload', 'defer_load'), ('fail', 'fail_load'), ('release', 'release_load'),
      ('health', 'stream_health'), ('due_loads', 'count_due_loads'),
      ('due_identities', 'count_due_identities'), ('troubles', 'list_troubles'),
      ('lists_health', 'listing_health'), ('exclude', 'exclude_account'),
      ('include', 'include_account'), ('forget', 'forget_account'), ('reload', 'reload_account'),
      ('tidy', 'run_maintenance'), ('keep_view_index', 'store_view_index'),
      ('view_index_of', 'plan_view_index'), ('search_index_of', 'plan_search_index'),
      ('view_type_of', 'resolve_view_type'), ('view_config', 'search_config'),
      ('forget_views', 'delete_dropped_views'), ('comment_view', 'write_view_comment'),
      ('comment_views', 'write_view_comments'), ('view_engine_name', 'reserved_view_name'),
      ('in_words', 'activity_in_words'), ('labels_taken', 'note_labels')
    ) AS n (old, new)
    JOIN pg_proc AS p ON p.proname = n.old AND p.pronamespace = 'indexer'::regnamespace
  LOOP
    EXECUTE format('ALTER FUNCTION %s RENAME TO %I', r.function, r.new);
  END LOOP;
END $$;
DROP FUNCTION IF EXISTS take(text, int, int, bytea[], bigint);
DROP FUNCTION IF EXISTS take_parts(text, int, int, bytea[], atid.did[], bigint);
DROP FUNCTION IF EXISTS take_batch(text, int, int, bytea[], atid.did[], bigint);
DROP FUNCTION IF EXISTS start(text, text, text[], int);
DROP FUNCTION IF EXISTS add_shard_counters(text, int, int, int, int, int, int, int, int, int);
DROP FUNCTION IF EXISTS await(text, bytea[], atid.did[], atid.did[]);
DROP TRIGGER IF EXISTS want_changed ON want;
DROP TRIGGER IF EXISTS lexicons_changed ON lexicons;

-- A taker becomes a shard, with its row in the table shard. An operator's commands find it by
-- either name.
ALTER TABLE taker RENAME TO shard;
ALTER TABLE shard ADD gaps bigint NOT NULL DEFAULT 0;  -- commits that live mode has missed
CREATE VIEW taker AS TABLE shard;
ALTER VIEW IF EXISTS status_stream RENAME COLUMN takers TO shards;
ALTER VIEW IF EXISTS counted RENAME TO account_counts;
UPDATE activity SET name = replace(name, 'taker', 'shard') WHERE name LIKE 'taker%';
UPDATE activity_bound SET name = 'shard' WHERE name = 'taker';

-- The condition of this index must be that of the view listing.
DROP INDEX want_listed;
CREATE INDEX want_listing ON want (value, what)
WHERE what NOT IN ('collection', 'live') AND (what <> 'account' OR value = '*');
DROP FUNCTION IF EXISTS next_listing();

-- Identities are requested by DID method, which is a part of the DID.
DROP FUNCTION IF EXISTS claim_identities(int, text, bool, text[], timestamptz, text);
DROP FUNCTION IF EXISTS is_identity_due(text, bool, timestamptz);
--> next
DROP INDEX identity_ask;
--> next
CREATE INDEX identity_ask ON identity
  ((CASE WHEN answered IS NOT NULL THEN 'known' WHEN asked = 0 THEN 'new' ELSE 'again' END),
   split_part(did::text, ':', 2), ask, did)
  WHERE ask < 'infinity';
--> next
ALTER TABLE identity DROP COLUMN web;
--> next

-- accounts/states.sql creates the constraint account_state_check, which includes this one: an
-- account that is inactive or barred has a status.
--> next
ALTER TABLE account DROP CONSTRAINT IF EXISTS account_check1;
--> next
DROP INDEX IF EXISTS account_kept;
--> next
CREATE INDEX account_kept ON account (did) WHERE problem IS NOT NULL AND status IS NOT NULL;
--> next
INSERT INTO migration (n, program) VALUES (4, '2.0.0');
