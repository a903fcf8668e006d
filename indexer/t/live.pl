# Live mode: the commits of all accounts from now on, each verified, kept for some days.
#
# The accounts and their commits are made by indexer/t/oracles/numbers.js; the SQL here gives them numbers. Shows that
# - the first commit of a stranger waits until its key is known, and is then stored, in a table of the day;
# - each create, update and delete of a commit is stored once, even if frames come twice, late, or out of date; a gap
#   is counted;
# - no commit is lost, or stored in another order, when its key comes while it is processed;
# - a commit without a wanted operation is skipped, and its account gets no row; other frames do not add accounts
#   either;
# - an account that is deactivated, has ended or has another key is treated like a mirror, and never loaded;
# - an account becomes a mirror and live again as the wants require, also while it is loaded, and is deleted when it
#   is no longer wanted;
# - a stranger whose notice was lost is found; an idle account is deleted, and discovered again;
# - a day is dropped when it is older than settings.keep, without waiting for a reader, unless it has waited for
#   hours; a day on which something depends is emptied and detached, and only detached if a foreign key refers to it;
#   tomorrow's has indexes and privileges;
# - strangers take no more than half of the room for waiting frames, and wait no longer than records are kept; frames
#   that cannot be written are bad;
# - `feed index` creates the indexes of a feed on all of these tables;
# - a role with the rights of the program does all of this; a database of mirrors has no such tables;
# - each transition of the state live is one that the table of indexer/README.md has, and each of these happens.
#
# Skipped where node or npm is not available, or atid_crypto is not installed.
#
# Tags: medium node crypto

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Indexer;
use AtidTest::States;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($accounts, $commits) = (8, 12);
my ($node, $db, $oracles, $indexer) = AtidTest::Indexer::set_up('live', ready => 1);
my ($status, $said) = $indexer->command('init', '--role', 'consumer');
is($status, 0, 'init') or die $said;

AtidTest::Indexer::make_commits($node, $db, $oracles, $accounts, $commits);
$node->safe_psql($db, <<"SQL");
CREATE SEQUENCE demo.seq START 100;
GRANT USAGE ON SCHEMA demo TO consumer;
GRANT ALL ON ALL TABLES IN SCHEMA demo TO consumer;
GRANT ALL ON ALL SEQUENCES IN SCHEMA demo TO consumer;
CREATE FUNCTION demo.did(i int) RETURNS atid.did LANGUAGE sql STABLE RETURN (demo.of(i)->>'did')::atid.did;
CREATE FUNCTION demo.frame(t text, body jsonb) RETURNS bytea LANGUAGE sql
RETURN atid.record_to_dag_cbor(jsonb_build_object('op', 1, 't', t))
       || atid.record_to_dag_cbor(jsonb_build_object('time', '2026-01-01T00:00:00Z', 'seq', nextval('demo.seq')) || body);
-- commit K of account I
CREATE FUNCTION demo.commit(i int, k int) RETURNS bytea LANGUAGE sql RETURN demo.frame('#commit', demo.of(i)->'commits'->k);
CREATE FUNCTION demo.account(i int, more jsonb) RETURNS bytea LANGUAGE sql
RETURN demo.frame('#account', jsonb_build_object('did', demo.did(i)) || more);
-- as the program does it
CREATE FUNCTION demo.take(VARIADIC frames bytea[]) RETURNS void LANGUAGE plpgsql AS \$\$
BEGIN
  PERFORM indexer.process_frames('relay', 0, 1, frames);
  WHILE indexer.reconcile_wants(99) > 0 LOOP END LOOP;
  PERFORM indexer.process_frames('relay', 0, 1, '{}');
END \$\$;
CREATE FUNCTION demo.know(i int, key text DEFAULT NULL, gone bool DEFAULT false) RETURNS void LANGUAGE plpgsql AS \$\$
BEGIN
  key := CASE WHEN NOT gone THEN coalesce(key, demo.of(i)->>'key') END;
  PERFORM indexer.apply_identity(demo.did(i), key, ARRAY[key], NULL, 'https://pds.example', gone, clock_timestamp());
  PERFORM indexer.process_frames('relay', 0, 1, '{}');
END \$\$;
-- what commits FIRST to LAST of account I leave, as "path cid"
CREATE FUNCTION demo.left_by(i int, VARIADIC those int[]) RETURNS text LANGUAGE sql AS \$\$
  SELECT string_agg(concat(path, ' ', cid), E'\\n' ORDER BY path)
  FROM (SELECT DISTINCT ON (o->>'path') o->>'path' AS path, o->'cid'->>'\$link' AS cid
        FROM unnest(those) WITH ORDINALITY AS k (k, n) CROSS JOIN jsonb_array_elements(demo.of(i)->'commits'->k.k->'ops') AS o
        ORDER BY o->>'path', k.n DESC) AS x WHERE cid IS NOT NULL
\$\$;
CREATE FUNCTION demo.here(i int) RETURNS text LANGUAGE sql AS \$\$
  SELECT string_agg(concat(atid.at_uri_path(uri), ' ', cid), E'\\n' ORDER BY atid.at_uri_path(uri) COLLATE "C")
  FROM indexer.record WHERE did = demo.did(i)
\$\$;
SET search_path = indexer, public;
SELECT start_stream('relay', 'repos', NULL, 1);
UPDATE stream SET look = NULL;
DELETE FROM want WHERE what = 'account';
SQL
my $states = AtidTest::States->new($node, $db);

# The result of a statement, as the role of the program.
sub as_program
{
	local $ENV{PGUSER} = 'consumer';
	local $ENV{PGOPTIONS} = '-c search_path=indexer,public';
	return $node->safe_psql($db, join '; ', @_);
}
sub take { return as_program('SELECT demo.take(' . join(', ', @_) . ') IS NULL'); }
sub commit { my ($i, @k) = @_; return map { "demo.commit($i, $_)" } @k; }
sub state_of { return as_program("SELECT coalesce((SELECT state FROM account WHERE did = demo.did($_[0])), 'none')"); }
sub here { return as_program("SELECT demo.here($_[0])"); }
sub left_by { my ($i, @k) = @_; return as_program("SELECT demo.left_by($i, " . join(', ', @k) . ')'); }
sub count_of { return as_program("SELECT count(*) FROM $_[0]"); }

is(as_program(q{SELECT count(*) FROM pg_inherits}), 0, 'a database of mirrors has no tables of days');
($status, $said) = $indexer->command('want', 'add', 'live', '*');
is($status, 0, 'want add live') or diag($said);
like($said, qr/^live +\*$/m, '... is in the list');
is(as_program('SELECT of FROM next_listing()'), '', 'nothing is listed for it');

#
# A stranger
#
take(commit(0, 0));
is(state_of(0), 'unidentified', 'an account that writes is noted');
is(as_program('SELECT count(*), count(frame) FROM waiting; SELECT count(*) FROM record; SELECT count(*) FROM bad'), "1|1\n0\n0", '... and its commit waits');
as_program('SELECT demo.know(0)');
is(state_of(0), 'live', 'with its key it is live');
is(here(0), left_by(0, 0), '... and the commit is stored');
is(count_of('waiting'), 0, '... and none waits any longer');
is(as_program('SELECT DISTINCT $$indexer.$$ || tableoid::regclass FROM packed_record'), as_program('SELECT day_table($$record$$, utc_day())'), '... in a table of the day');
is(as_program('SELECT count(*) FROM ONLY packed_record'), 0, '... and not in that of mirrors');
is($node->safe_psql($db, 'GRANT USAGE ON SCHEMA indexer TO PUBLIC; CREATE ROLE reader; GRANT SELECT ON indexer.record TO reader; SELECT has_table_privilege($$consumer$$, t, $$INSERT$$), has_table_privilege($$consumer$$, t, $$SELECT$$), has_table_privilege($$reader$$, t, $$SELECT$$) FROM indexer.day_table($$record$$, indexer.utc_day()) AS t'), 't|f|f', '... to which the program can add rows, and which nobody reads but by record');
is($node->safe_psql($db, 'SELECT string_agg(has_function_privilege(r, f, $$EXECUTE$$)::text, $$ $$ ORDER BY r, f) FROM unnest(ARRAY[$$consumer$$, $$reader$$]) AS r CROSS JOIN unnest(ARRAY[$$indexer.make_days()$$, $$indexer.drop_old_day()$$]) AS f'), 'true true false false', '... by functions that it alone may call');

#
# Commits
#
take(commit(0, 1, 2), commit(0, 3 .. 5));
is(here(0), left_by(0, 0 .. 5), 'creations, updates and deletions are stored');
cmp_ok(as_program('SELECT count(*) FROM demo.line, jsonb_array_elements(line->$$commits$$) AS c, jsonb_array_elements(c->$$ops$$) AS o WHERE o->>$$action$$ = $$update$$'), '>', 5, '... and there are some');
my $seen = here(0);
take(commit(0, 2), commit(0, 5));
take(commit(0, 4, 3));
is(here(0) . as_program('SELECT count(*) FROM bad'), "${seen}0", 'a commit that comes twice or late changes nothing, and is not bad');
is(as_program('SELECT sum(gaps) FROM shard'), 0, 'there was no gap');
take(commit(0, 7));
is(here(0), left_by(0, 0 .. 5, 7), 'a commit after a gap is stored');
is(as_program(q{SELECT value, type FROM watch WHERE what = 'stream_gaps'}), '1|counter', '... and the gap is counted');
is(state_of(0), 'live', '... and nothing is loaded');
take(commit(1, 5));
take(commit(1, 4));
is(count_of('waiting'), 2, 'further commits of a stranger wait, too');
as_program(q{DELETE FROM want WHERE what = 'collection'}, q{INSERT INTO want (what, value) VALUES ('collection', 'com.example.*')});
take(commit(1, 6));
is(count_of('waiting'), 2, '... but none without a wanted record');
as_program(q{DELETE FROM want WHERE what = 'collection'}, q{INSERT INTO want (what, value) VALUES ('collection', '*')}, q{SELECT release_all_waiting('relay')});
is(count_of('ready_account') . count_of('waiting'), '02', 'a start of the stream leaves them alone');
as_program('SELECT demo.know(1)');
is(here(1), left_by(1, 5), 'updates and deletions of records that are not here');
take(commit(1, 9, 8));
is(here(1), left_by(1, 5, 9), 'of two commits out of order in a batch, the newer one is stored');
$node->safe_psql($db, q{ALTER TABLE indexer.settings DROP CONSTRAINT settings_keep_check; UPDATE indexer.settings SET keep = '-1 day'});
take(commit(1, 10));
is(here(1), left_by(1, 5, 9), 'a commit that is older than settings.keep is not stored');
$node->safe_psql($db, q{UPDATE indexer.settings SET keep = '3 days'; ALTER TABLE indexer.settings ADD CHECK (keep BETWEEN '1 h' AND '7 days')});
is(as_program(q{SELECT string_agg(n || what, ' ') FROM account_counts WHERE what = 'live'}), '2live', 'live accounts are counted');
is(as_program(q{SELECT i.ask, i.log IS NULL FROM identity AS i WHERE did = demo.did(0)}), 'infinity|t', 'their identities are not requested daily');
is(as_program(q{UPDATE stream SET look = now()}, 'SELECT recheck_after_gap(99)', 'SELECT recheck_after_gap(99)', q{SELECT count(*) FROM account WHERE check_at < 'infinity'}) =~ s/.*\n//sr, 0,
	'... and their status is not queried after a gap');

#
# Records that are not wanted
#
as_program(q{DELETE FROM want WHERE what = 'collection'}, q{INSERT INTO want (what, value) VALUES ('collection', 'com.example.*')});
take(commit(2, 0), 'demo.account(2, $${"active": true}$$)', 'demo.frame($$#identity$$, jsonb_build_object($$did$$, demo.did(2)))');
is(state_of(2) . count_of('waiting') . count_of('notice') . as_program('SELECT count(*) FROM identity WHERE did = demo.did(2)'), 'none000', 'a commit without a wanted record is passed over');
take(commit(0, 8));
is(here(0), '', 'records of collections that are no longer wanted are deleted, and none is stored');
as_program(q{DELETE FROM want WHERE what = 'collection'}, q{INSERT INTO want (what, value) VALUES ('collection', '*')});
take(commit(0, 9));
is(here(0), left_by(0, 9), '... until they are wanted again');

#
# Changes of accounts
#
take('demo.account(0, $${"active": false, "status": "takendown"}$$)');
is(state_of(0) . here(0), 'inactive', 'an account that is not active has no records');
take(commit(0, 10));
is(here(0), '', '... and none is stored');
take('demo.account(0, $${"active": true}$$)', commit(0, 11));
is(state_of(0) . ' ' . here(0), 'live ' . left_by(0, 11), '... until it is active again');
as_program('SELECT demo.know(0, gone => true)');
is(state_of(0) . here(0), 'barred', 'an account with a tombstone has none');
as_program('SELECT demo.know(0)');
is(state_of(0), 'live', '... unless it comes back');
take(commit(3, 0));
as_program(q{SELECT demo.know(3, demo.of(4)->>'key')});
is(here(3), '', 'a commit by another key is not stored');
take(commit(3, 1, 2));
is(as_program('SELECT count(*) FROM bad WHERE early'), 3, '... but kept');
as_program('SELECT demo.know(3)');
is(here(3), left_by(3, 0 .. 2), 'with the new key all of them are stored');
is(state_of(3) . count_of('bad'), 'live0', '... and nothing is loaded');
as_program(q{SELECT apply_identity(demo.did(3), NULL, '{}', NULL, NULL, false, clock_timestamp())});
is(state_of(3), 'unidentified', 'an account whose key is no longer known is unidentified');
take(commit(3, 3));
is(count_of('waiting'), 1, '... and its commits wait');
take('demo.account(3, $${"active": false, "status": "deactivated"}$$)');
is(state_of(3), 'inactive', 'an account without a key is deactivated');
take('demo.account(3, $${"active": true}$$)');
as_program('SELECT demo.know(3)');

#
# Bounds
#
as_program("INSERT INTO exclusion (did) VALUES (demo.did(5))");
take(commit(5, 0));
is(state_of(5) . count_of('waiting'), 'none0', 'of an excluded account nothing waits');
sub set_room { $node->safe_psql($db, "UPDATE indexer.settings SET most_waiting_all = $_[0]"); return; }
my $refused = q{SELECT count(*) FROM bad WHERE code = 'strangers_full' AND did = demo.did(6)};
take(commit(7, 0));
set_room(q{(SELECT 1.5 * sum(octet_length(frame)) FROM indexer.waiting)});
take(commit(6, 0), commit(6, 1));
is(state_of(6) . count_of('waiting'), 'none1', 'strangers take no more than half of what may wait');
is(as_program($refused =~ s/count\(\*\)/count(*) || min(reason)/r), '2There is no room for more waiting frames of live accounts.', '... and more of their frames are bad');
# what an operator deletes is counted when the stream starts again
$node->safe_psql($db, 'TRUNCATE indexer.waiting');
as_program(q{SELECT release_all_waiting('relay')}, 'SELECT delete_account(demo.did(7))');
set_room(q{pg_total_relation_size('indexer.waiting')});
take(commit(6, 1));
is(state_of(6) . count_of('waiting'), 'unidentified1', '... until there is room, however large the table has been');
$node->safe_psql($db, 'UPDATE indexer.settings SET most_waiting = 1');
take(commit(6, 2));
is(as_program($refused) . count_of('waiting'), '31', 'an account that has used its own room keeps what waits, and more is bad');
$node->safe_psql($db, 'UPDATE indexer.settings SET most_waiting = DEFAULT');
as_program(q{UPDATE waiting SET added = now() - interval '71 h'}, 'SELECT run_maintenance()');
is(count_of('waiting'), 1, 'a frame waits as long as records are kept');
as_program(q{UPDATE waiting SET added = now() - interval '73 h'}, 'SELECT run_maintenance()');
is(count_of('waiting'), 0, '... and no longer');
as_program(q{UPDATE account SET seen = seen - 31 WHERE did = demo.did(6)}, 'SELECT run_maintenance()');
is(state_of(6), 'none', '... nor does its account, if no key comes for a month');
set_room(2000000000);
take(commit(6, 1));
as_program('SELECT demo.know(6)');
take(commit(6, 2));
is(state_of(6) . ' ' . here(6), 'live ' . left_by(6, 1, 2), '... and it is met again');
take(commit(4, 5));
$node->safe_psql($db, q{ALTER TABLE indexer.packed_record ADD CONSTRAINT mine CHECK (atid.at_uri_did(uri) <> demo.did(4))});
as_program('SELECT demo.know(4)');
is(as_program(q{SELECT count(*) || max(code) FROM bad WHERE did = demo.did(4) AND frame = (SELECT frame FROM bad WHERE did = demo.did(4))}) . count_of('waiting'), '1unwritten0', 'a frame that has waited and cannot be written is bad');
$node->safe_psql($db, q{ALTER TABLE indexer.packed_record DROP CONSTRAINT mine});
as_program('SELECT delete_account(demo.did(4))');

#
# Mirror and live
#
as_program("INSERT INTO want (what, value) VALUES ('account', demo.did(3)::text)", 'SELECT reconcile_wants(99)');
is(state_of(3), 'desynchronized', 'an account that is wanted as a mirror');
my $claim = q{SELECT claim FROM claim_loads(99, %s, NULL, NULL, '{}') AS c WHERE c.did = demo.did(3)::text AND c.claim IS NOT NULL};
my $attempt = as_program(sprintf $claim, 'true') || as_program(sprintf $claim, 'false');
is(as_program("SELECT outcome FROM store_repository(demo.did(3)::text, $attempt, decode(demo.of(3)->>'car', 'hex'))"), 'older', '... whose server has an older repository than the stream');
as_program("UPDATE account SET rev = NULL, data = NULL, heard = NULL, failures = 0, older = 0, load_at = now() WHERE did = demo.did(3)");
$attempt = as_program(sprintf $claim, 'false');
is(as_program("SELECT outcome FROM store_repository(demo.did(3)::text, $attempt, decode(demo.of(3)->>'car', 'hex'))"), 'loaded', '... is loaded');
is(as_program('SELECT count(*) FROM ONLY record WHERE did = demo.did(3)'), 2, '... into the table of mirrors');
take(commit(3, 0));
is(as_program('SELECT count(*) FROM ONLY record WHERE did = demo.did(3)'), 3, '... and followed there');
isnt($node->psql($db, "SET search_path = indexer, public; SELECT reload_account(demo.did(6)::text)", stderr => \$said), 0, 'a live account cannot be loaded again');
like($said, qr/is live\nDETAIL:  No repository is loaded in live mode\.\nHINT:/, '... and the error has advice');
as_program("DELETE FROM want WHERE what = 'account'", 'SELECT reconcile_wants(99)');
is(state_of(3) . here(3), 'live', 'and it is live again, and keeps none of them');
as_program("INSERT INTO want (what, value) VALUES ('account', demo.did(3)::text)", 'SELECT reconcile_wants(99)', "DELETE FROM want WHERE what = 'account'", 'SELECT reconcile_wants(99)');
is(state_of(3), 'live', '... also if it was not loaded yet');
as_program("INSERT INTO want (what, value) VALUES ('account', demo.did(6)::text)", 'SELECT reconcile_wants(99)');
is(as_program(q{SELECT ask < 'infinity' FROM identity WHERE did = demo.did(6)}), 't', 'the identity of an account that becomes a mirror is requested');
$attempt = as_program(sprintf $claim =~ s/demo\.did\(3\)/demo.did(6)/r, 'true') || as_program(sprintf $claim =~ s/demo\.did\(3\)/demo.did(6)/r, 'false');
as_program("DELETE FROM want WHERE what = 'account'", 'SELECT reconcile_wants(99)');
is(state_of(6), 'loading', 'an account that is no longer wanted as a mirror while it is being loaded');
as_program("UPDATE account SET rev = NULL, data = NULL, heard = NULL WHERE did = demo.did(6)");
is(as_program("SELECT outcome FROM store_repository(demo.did(6)::text, $attempt, decode(demo.of(6)->>'car', 'hex'))"), 'loaded', '... whose load ends');
as_program('SELECT reconcile_wants(99)');
is(state_of(6) . here(6), 'live', '... is live then, and keeps no records');

#
# An account that changes its mode while its key is not known
#
sub lose_key { as_program("SELECT apply_identity(demo.did($_[0]), NULL, '{}', NULL, NULL, false, clock_timestamp())"); return; }
take(commit(4, 0));
as_program('SELECT demo.know(4)');
lose_key(4);
isnt($node->psql($db, "SET search_path = indexer, public; SELECT reload_account(demo.did(4)::text)", stderr => \$said), 0, '... and neither can one whose key is not known');
as_program("INSERT INTO want (what, value) VALUES ('account', demo.did(4)::text)", 'SELECT reconcile_wants(99)', 'SELECT demo.know(4)');
is(state_of(4) . here(4), 'desynchronized', 'a mirror has no records in tables of days');
as_program('UPDATE account SET rev = NULL, data = NULL, heard = NULL WHERE did = demo.did(4)');
$attempt = as_program(sprintf $claim =~ s/demo\.did\(3\)/demo.did(4)/r, 'false');
is(as_program("SELECT outcome FROM store_repository(demo.did(4)::text, $attempt, decode(demo.of(4)->>'car', 'hex'))"), 'loaded', '... and is loaded');
lose_key(4);
as_program("DELETE FROM want WHERE what = 'account'", 'SELECT reconcile_wants(99)', 'SELECT demo.know(4)');
is(state_of(4) . here(4), 'live', 'a live account has no records in the table of mirrors');
take(commit(4, 1));
$node->safe_psql($db, q{UPDATE indexer.account SET wants = -1, state = 'inactive', status = 'deactivated' WHERE did = demo.did(4)});
take('demo.account(4, $${"active": true}$$)', commit(4, 2));
is(here(4), left_by(4, 2), 'the records that were still to be deleted are deleted, but not those that come when it is active again');

#
# References
#
is($node->safe_psql($db, <<'SQL') =~ s/\A\n+//r, 't|t', 'a commit has no more references than a repository may have');
SET search_path = indexer, public;
BEGIN;
SELECT FROM create_temp_tables();
INSERT INTO op (uri, did, collection, fresh, cid, block)
SELECT atid.at_uri_make(demo.did(0), 'a.b.c', 'k' || i), demo.did(0), 'a.b.c', true, atid.cid_of(b, 'dag-cbor'), b
FROM generate_series(1, 200) AS i
CROSS JOIN (SELECT atid.record_to_dag_cbor(jsonb_build_object('$type', 'a.b.c', 'd',
  (SELECT jsonb_agg('did:a:' || n) FROM generate_series(1, 900) AS n))) AS b) AS x;
SELECT FROM write_live_records();
SELECT count(*) > 900, count(*) <= 1000 + 20 * 200 + 12000 / 30 FROM reference WHERE uri <@ atid.at_uri_make(demo.did(0), 'a.b.c');
ROLLBACK;
SQL

#
# A feed
#
$node->safe_psql($db, q{CREATE VIEW feed.posts AS SELECT uri AS post, indexed AS at FROM indexer.record WHERE atid.at_uri_collection(uri) = 'app.bsky.feed.post'});
($status, $said) = $indexer->command('feed', 'index', 'posts');
is($status, 0, 'a feed over tables of days has an index') or diag($said);
is($node->safe_psql($db, q{SELECT count(*) FROM pg_indexes WHERE indexdef LIKE '%(indexed, uri)%'}), 3, '... on each table');
my $page = 'EXPLAIN (COSTS OFF) SELECT post FROM feed.posts ORDER BY at DESC, post DESC LIMIT 50';
like($node->safe_psql($db, "SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_sort = off; $page"), qr/Merge Append/, '... by which a page is read');
($status, $said) = $indexer->command('feed', 'index', 'posts');
is($status, 0, '... which is made once') or diag($said);
is($node->safe_psql($db, q{SELECT count(*) FROM pg_indexes WHERE indexdef LIKE '%(indexed, uri)%'}), 3, '... and no second time');

#
# Days
#
take(commit(7, 0));
as_program('SELECT demo.know(7)', 'SELECT run_maintenance()');
is(as_program('SELECT count(*), count(*) FILTER (WHERE day = (now() AT TIME ZONE $$UTC$$)::date + 1) FROM day'), '2|1', 'the tables of tomorrow are created ahead');
$node->safe_psql($db, q{CREATE INDEX mine ON indexer.packed_record (indexed)});
as_program('SELECT run_maintenance()');
is($node->safe_psql($db, q{SELECT count(*) FROM pg_indexes WHERE schemaname || '.' || tablename = indexer.day_table('record', indexer.utc_day() + 1) AND indexdef LIKE '% (indexed)'}), 1, '... and get the new indexes of record');
my $a_week_later = q{DO $$ DECLARE d date; parent text; BEGIN FOR d IN SELECT day FROM indexer.day LOOP
	FOREACH parent IN ARRAY '{record,reference}'::text[] LOOP
		EXECUTE format('ALTER TABLE %s RENAME TO %I', indexer.day_table(parent, d), substr(indexer.day_table(parent, d - 7), 9));
	END LOOP;
	UPDATE indexer.day AS x SET day = d - 7 WHERE x.day = d;
	END LOOP; END $$};
$node->safe_psql($db, $a_week_later);
my $reader = $node->background_psql($db);
$reader->query_safe('BEGIN; SELECT count(*) FROM indexer.record');
as_program('SELECT run_maintenance()');
is(count_of('day'), 4, 'a day that is being read is not dropped');
$reader->query_safe('COMMIT');
$reader->quit;
cmp_ok(as_program('SELECT count(*) FROM record'), '>', 0, '... and keeps its records');
$node->safe_psql($db, q{DO $$ BEGIN EXECUTE format('CREATE VIEW public.mine AS SELECT FROM %s', indexer.day_table('record', (SELECT min(day) FROM indexer.day))); END $$});
my $abandoned = as_program('SELECT day_table($$record$$, min(day)) FROM day');
is($node->psql($db, 'SET search_path = indexer, public; SELECT run_maintenance()', stderr => \$said), 0, 'a day of which there is a view does not stop the maintenance');
like($said, qr/WARNING:  the tables of \S+ cannot be dropped, and are no longer part of record\nDETAIL:  view \S*mine depends/, '... which says so');
is(count_of('day') . $node->safe_psql($db, "SELECT count(*) FROM $abandoned") . as_program("SELECT count(*) FROM pg_inherits WHERE inhrelid = '$abandoned'::regclass"), '300', '... empties its tables, and cuts them off');
$node->safe_psql($db, "DROP TABLE $abandoned, " . $abandoned =~ s/record/reference/r . ' CASCADE');
$reader = $node->background_psql($db);
$reader->{stdin} .= "DO \$\$ BEGIN PERFORM count(*) FROM indexer.record; PERFORM pg_sleep(2); END \$\$;\n";
$reader->{run}->pump_nb;
$node->poll_query_until($db, q{SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'});
as_program('SELECT run_maintenance()');
is(count_of('day'), 2, 'a day that is long due is dropped when a reader of some seconds has ended');
$reader->quit;
is(count_of('day') . count_of('record') . count_of('reference'), '200', '... with its records');
is(as_program('SELECT count(*) FROM pg_inherits'), 4, '... and its tables');
take(commit(7, 1));
is(here(7), left_by(7, 1), 'and the next commit is stored');
$abandoned = as_program('SELECT day_table($$record$$, utc_day() - 7)');
$node->safe_psql($db, $a_week_later);
my $kept = "SELECT count(*) FROM $abandoned";
my $rows = $node->safe_psql($db, $kept);
$node->safe_psql($db, "CREATE TABLE public.mine AS SELECT uri FROM $abandoned; ALTER TABLE public.mine ADD FOREIGN KEY (uri) REFERENCES $abandoned (uri)");
is($node->psql($db, 'SET search_path = indexer, public; SELECT run_maintenance(), run_maintenance()', stderr => \$said), 0, 'a day to which a foreign key refers does not stop it either');
like($said, qr/WARNING:  the tables of \S+ cannot be dropped, and are no longer part of record\nDETAIL:  constraint \S+ on table \S*mine depends/, '... which says so, too');
cmp_ok($rows, '>', 0, '... there are rows');
is($node->safe_psql($db, $kept), $rows, '... and keeps them for the one who refers to them');
is(count_of('record') . as_program("SELECT count(*) FROM pg_inherits WHERE inhrelid = '$abandoned'::regclass"), '00', '... but they are no longer part of record');
$node->safe_psql($db, "DROP TABLE public.mine, $abandoned, " . $abandoned =~ s/record/reference/r);
take(commit(7, 2));
is(here(7), left_by(7, 2), '... and the next commit is stored');

#
# Strangers whose notice was lost, and idle accounts
#
take(commit(2, 0));
as_program('DELETE FROM account WHERE did = demo.did(2)', 'SELECT run_maintenance()', 'SELECT reconcile_wants(99)');
is(state_of(2), 'unidentified', 'a stranger whose notice was lost is found later');
as_program('SELECT demo.know(2)');
is(here(2), left_by(2, 0), '... and its commit is stored');
as_program(q{UPDATE account SET seen = seen - 31 WHERE did = demo.did(7)}, 'SELECT run_maintenance()');
is(state_of(7) . state_of(2), 'nonelive', 'an account that is idle for a month is deleted');
take(commit(7, 3));
as_program('SELECT demo.know(7)');
is(state_of(7) . ' ' . here(7), 'live ' . left_by(7, 3), '... until it writes again');

#
# A key that comes while a frame is processed
#
as_program("DELETE FROM want WHERE what = 'live'", 'SELECT reconcile_wants(99)', q{INSERT INTO want (what, value) VALUES ('live', '*')});
my $know = q{SELECT apply_identity(demo.did(%1$s), demo.of(%1$s)->>'key', ARRAY[demo.of(%1$s)->>'key'], NULL, 'https://pds.example', false, clock_timestamp())};

# A session, as the role of the program.
sub session
{
	local $ENV{PGUSER} = 'consumer';
	local $ENV{PGOPTIONS} = '-c search_path=indexer,public';
	return $node->background_psql($db);
}

# Begins to process commit K of account I in a session, until it waits for a lock.
sub begin_commit
{
	my ($i, $k) = @_;
	my $session = session();
	$session->query_until(qr/^begun/m, "\\echo begun\nSELECT process_frames('relay', 0, 1, ARRAY[demo.commit($i, $k)]);\n\\echo ended\n");
	$node->poll_query_until($db, q{SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%process_frames%' AND pid <> pg_backend_pid())}) or die 'the session does not wait';
	return $session;
}

sub end_commit
{
	my ($session) = @_;
	$session->query_until(qr/^ended/m, '');
	$session->quit;
	as_program(q{SELECT process_frames('relay', 0, 1, '{}')});
	return;
}

take(commit(0, 0));
my $other = session();
$other->query_safe(join '; ', 'BEGIN', sprintf $know, 0);
my $taker = begin_commit(0, 1);
$other->query_safe('COMMIT');
$other->quit;
end_commit($taker);
is(here(0), left_by(0, 0, 1), 'a key comes after a frame was verified without it: the frame is stored');

take(commit(1, 0));
$node->safe_psql($db, q{ALTER FUNCTION indexer.create_temp_tables() RENAME TO create_tables;
	CREATE FUNCTION indexer.create_temp_tables() RETURNS void LANGUAGE plpgsql AS $$ BEGIN
	  PERFORM pg_advisory_xact_lock_shared(1), indexer.create_tables(); END $$});
$other = session();
$other->query_safe('SELECT pg_advisory_lock(1)');
$taker = begin_commit(1, 1);
as_program(sprintf $know, 1);
$other->query_safe('SELECT pg_advisory_unlock(1)');
$other->quit;
end_commit($taker);
$node->safe_psql($db, 'DROP FUNCTION indexer.create_temp_tables(); ALTER FUNCTION indexer.create_tables() RENAME TO create_temp_tables');
is(here(1), left_by(1, 0, 1), 'a key comes after the frames that wait were looked for: they are stored before a newer one');
is(count_of('waiting') . count_of('ready_account'), '00', '... and none waits any longer');

#
# The end
#
as_program("DELETE FROM want WHERE what = 'live'", 'SELECT reconcile_wants(99)');
take(commit(7, 2));
is(count_of('account') . count_of('record') . count_of('waiting'), '000', 'without the want, nothing is left and nothing is stored');
AtidTest::Indexer::waiting_is_counted($node, $db);
$states->finish(qr/live/);
$node->stop;
done_testing();
