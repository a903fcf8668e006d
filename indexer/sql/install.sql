-- All of the indexer's SQL, in order: for atid-indexer, which reads this list, and for psql:
--
--   psql -v ON_ERROR_STOP=1 --single-transaction -f indexer/sql/install.sql
--
-- Each migration creates tables, once; the other files have functions and views, which each upgrade
-- creates again.
\set QUIET on
CREATE SCHEMA IF NOT EXISTS indexer;
CREATE SCHEMA IF NOT EXISTS xrpc;
CREATE SCHEMA IF NOT EXISTS feed;
SET search_path = indexer, pg_temp;
SET client_min_messages = warning;
\ir migrations/0001.sql
\ir migrations/0002.sql
\ir migrations/0003.sql
\ir migrations/0004.sql
\ir codes.sql
\ir accounts/states.sql
\ir labels.sql
\ir common.sql
\ir tables/tally.sql
\ir tables/sample.sql
\ir tables/unsettled.sql
\ir tables/unproven.sql
\ir tables/record.sql
\ir tables/change.sql
\ir tables/candidate.sql
\ir tables/labels_refused.sql
\ir tables/notice.sql
\ir tables/bad.sql
\ir tables/waiting.sql
\ir tables/day.sql
\ir tables/host.sql
\ir tables/asker.sql
\ir tables/identity.sql
\ir tables/want.sql
\ir tables/account.sql
\ir wants/listings.sql
\ir wants/reconcile_wants.sql
\ir wants/recheck_after_gap.sql
\ir accounts/lock_account.sql
\ir accounts/account_rows.sql
\ir accounts/add_account.sql
\ir accounts/activation.sql
\ir accounts/delete_account.sql
\ir accounts/status.sql
\ir accounts/process_notices.sql
\ir identities/did_methods.sql
\ir identities/read_document.sql
\ir identities/apply_identity.sql
\ir identities/store_identity.sql
\ir records/temp_tables.sql
\ir records/references.sql
\ir records/lexicons.sql
\ir records/writers.sql
\ir records/write_records.sql
\ir records/write_live_records.sql
\ir records/delete_records.sql
\ir stream/start_stream.sql
\ir stream/connection.sql
\ir stream/verify_frames.sql
\ir stream/missing_prev.sql
\ir stream/apply_frames.sql
\ir stream/record_follow_ups.sql
\ir stream/move_cursor.sql
\ir stream/process_frames.sql
\ir loads/claim_loads.sql
\ir loads/store_repository.sql
\ir loads/fail_load.sql
\ir readers.sql
\ir activities/activities.sql
\ir activities/is_due.sql
\ir activities/report_activity.sql
\ir activities/observe_activity.sql
\ir activities/note_labels.sql
\ir watch/account_counts.sql
\ir watch/stream.sql
\ir watch/watch.sql
\ir watch/trouble.sql
\ir watch/explain.sql
\ir operate/exclude_account.sql
\ir operate/reload_account.sql
\ir operate/run_maintenance.sql
\ir xrpc/xrpc.sql
\ir xrpc/feeds.sql
\ir xrpc/feed_index.sql
\ir xrpc/query_labels.sql
\ir views.sql
\ir operate/pack_blocks.sql
\ir compatibility.sql
RESET client_min_messages;
RESET search_path;
