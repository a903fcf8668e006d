# The statements of doc/operate.md about the indexer, each tried.
#
# Shows that
# - a dump without the readers and their changes is restored with its records, and the restored schema continues to
#   work;
# - an index, a trigger and a view of the operator's survive a dump and the re-creation of the functions;
# - each bound of the table settings has the effect that the chapter describes when it is reached;
# - exclude and forget leave what they document, and the account does not come back;
# - nothing waits for a long load except an operator's action on its account;
# - an account has no more references than its records may have, and labelers that nobody has named do not take
#   precedence over those that were named;
# - two shards, neither of which reports how far the other has read, lose no frame;
# - the health of a stream shows whether frames are received, and otherwise the server's reply.
#
# indexer/t/functions.pl tests the other functions. Skipped where atid_crypto is not available.
#
# Tags: medium differs crypto

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Indexer;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $root = "$FindBin::Bin/../..";
my $node = new_node('indexer_operate', ready => 1);
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my $db = new_database($node, 'operate');

sub ask
{
	my ($where, $query) = @_;
	return $node->safe_psql($where, "SET search_path = indexer, public; $query");
}

AtidTest::Indexer::install($node, $db);
$node->safe_psql($db, <<'SQL');
CREATE SCHEMA try;
CREATE FUNCTION try.frame(t text, body jsonb) RETURNS bytea LANGUAGE sql
RETURN atid.record_to_dag_cbor(jsonb_build_object('op', 1, 't', t)) || atid.record_to_dag_cbor(body);
CREATE FUNCTION try.closed(seq bigint, did text) RETURNS bytea LANGUAGE sql
RETURN try.frame('#account', jsonb_build_object('seq', seq, 'did', did, 'time', '2026-01-01T00:00:00Z', 'active', false, 'status', 'suspended'));
SQL
ask($db, "SELECT FROM start_stream('relay', 'repos', NULL, 1); SELECT FROM read_from_now('app')");
$node->command_ok([ 'psql', '-qX', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr($db), '-f', "$root/indexer/sql/sample.sql" ], 'sample.sql');

# The operator's additions.
ask($db, q{CREATE INDEX mine ON packed_record (indexed);
	CREATE VIEW public.likes AS SELECT * FROM indexer.record WHERE atid.at_uri_collection(uri) = 'app.bsky.feed.like';
	CREATE TABLE public.seen (uri text);
	CREATE FUNCTION public.see() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO public.seen VALUES (NEW.uri); RETURN NULL; END';
	CREATE TRIGGER mine AFTER INSERT ON packed_record FOR EACH ROW EXECUTE FUNCTION public.see()});
my $all = 'SELECT count(*), md5(string_agg(uri || cid::text || encode(block, $$hex$$), $$,$$ ORDER BY uri)) FROM record';
my $there = ask($db, $all);
cmp_ok(ask($db, 'SELECT count(*) FROM change'), '>', 0, 'a reader has changes to read');

#
# A dump. Transaction numbers of another server are meaningless, so readers are not included.
#
my $dump = "$PostgreSQL::Test::Utils::tmp_check/operate.dump";
$node->command_ok([ 'pg_dump', '-Fc', '-f', $dump, '--exclude-table-data=indexer.reader', '--exclude-table-data=indexer.change', '-d', $node->connstr($db) ],
	'pg_dump');
my $copy = 'copy';
$node->safe_psql('postgres', 'CREATE DATABASE copy');
$node->command_ok([ 'pg_restore', '--exit-on-error', '-d', $node->connstr($copy), $dump ], 'pg_restore');
is(ask($copy, $all), $there, 'the records are in it');
is(ask($copy, 'SELECT (SELECT count(*) FROM reader), (SELECT count(*) FROM change), (SELECT cursor FROM shard)'), '0|0|0', 'readers are not in it, cursors are');

# The functions again: the files of install.sql without the migrations, as an upgrade runs them.
my @functions = map { ('-f', "$root/indexer/sql/$_") } grep { !m{^migrations/} } sql_files('install.sql');
cmp_ok(scalar @functions, '>', 20, 'install.sql lists the files of functions');
$node->command_ok([ 'psql', '-qX', '-v', 'ON_ERROR_STOP=1', '-1', '-d', $node->connstr($copy), '-c', 'SET search_path = indexer, pg_temp', @functions ],
	'the functions can be installed again');
is(ask($copy, q{SELECT (SELECT count(*) FROM public.likes), to_regclass('mine') IS NOT NULL,
	(SELECT count(*) FROM pg_trigger WHERE tgname = 'mine' AND tgrelid = 'packed_record'::regclass)}), '2|t|1', 'the additions of the operator are there');

# Their settings are in their own definitions.
my $functions = q{FROM pg_proc AS p JOIN pg_language AS l ON l.oid = p.prolang
	CROSS JOIN LATERAL (SELECT p.prosrc ~ '\m(FROM|INTO|JOIN|UPDATE|TABLE)\s+(op|parsed_frame|known_account|verified_frame|new_commit|locked_account)\M' AS temp) AS t
	WHERE p.pronamespace = 'indexer'::regnamespace AND (l.lanname = 'plpgsql' OR p.provolatile = 'v')
	-- these of feeds have nothing but catalogues in their path, and plan as a user's query is planned
	AND proconfig[1] IS DISTINCT FROM 'search_path=pg_catalog, pg_temp'};
is(ask($db, "SELECT string_agg(proname, ', ' ORDER BY proname) $functions AND (proconfig[1] = CASE WHEN t.temp
	THEN 'search_path=pg_temp, indexer' ELSE 'search_path=indexer, pg_temp' END) IS NOT TRUE"), '',
	'each function has a search_path, with the temporary tables first where it uses them');
is(ask($db, "SELECT string_agg(proname, ', ' ORDER BY proname) $functions AND NOT proconfig @> '{enable_seqscan=off,enable_mergejoin=off,jit=off}'"),
	'fill_unusual_cid, insert_record, on_lexicons_change, on_want_change', '... and all except triggers never read a whole table');
cmp_ok(ask($db, "SELECT count(*) $functions"), '>', 120, '... and there are many functions');

#
# Two shards. The second has read nothing while the first is far ahead.
#
my ($low, $high) = split /\n/, ask($db, q{SELECT did FROM (SELECT DISTINCT ON (shard_slot(d) >= 128) d AS did, shard_slot(d) AS s
	FROM generate_series(1, 50) AS n CROSS JOIN LATERAL CAST(format('did:web:n%s.example', n) AS atid.did) AS d ORDER BY shard_slot(d) >= 128, n) AS x ORDER BY s});
ask($db, "SELECT FROM start_stream('relay', 'repos', NULL, 2);
	SELECT FROM add_account('$low');
	SELECT FROM add_account('$high');
	SELECT process_frames('relay', 0, 2, ARRAY[try.closed(1, '$low'), try.closed(9, '$low')]);
	SELECT process_frames('relay', 1, 2, ARRAY[try.closed(2, '$high')]);
	SELECT process_frames('relay', 1, 2, ARRAY[try.closed(3, '$high')])");
is(ask($db, 'SELECT lo, cursor, frames FROM shard ORDER BY lo'), "0|9|2\n128|3|2", 'two shards: no frame is mistaken for an old one');
is(ask($db, "SELECT process_frames('relay', 1, 2, '{}', 7); SELECT cursor FROM shard WHERE lo = 128") =~ /\n(\d+)$/ && $1, 7, '... and `seen` moves the cursor of an idle one');

#
# The bounds.
#
my $operate = slurp_file("$root/doc/operate.md");
is(join(' ', grep { $operate !~ /^`$_` [^|]*\|/m } split /\n/, ask($db, q{SELECT attname FROM pg_attribute WHERE attrelid = 'settings'::regclass AND attnum > 0
	AND atttypid IN ('int'::regtype, 'bigint'::regtype)})), '', 'the chapter has all bounds');
my $broken = "try.frame('#account', jsonb_build_object('seq', 20 + n, 'did', '$low', 'time', 'x'))";
ask($db, "SELECT process_frames('relay', 0, 2, ARRAY(SELECT $broken FROM generate_series(1, 3) AS n))");
is(ask($db, 'SELECT count(*) FROM bad'), 3, 'bad frames are kept');
ask($db, "UPDATE settings SET most_bad = 1; SELECT process_frames('relay', 0, 2, ARRAY(SELECT $broken FROM generate_series(4, 6) AS n))");
is(ask($db, 'SELECT (SELECT count(*) FROM bad), refused FROM shard WHERE lo = 0'), '3|6', 'most_bad: more of them are only counted');
ask($db, q{SELECT quarantine_oversized_frame('relay', sha256('x'), 6000000)});
is(ask($db, 'SELECT (SELECT count(*) FROM bad), refused FROM shard WHERE lo = 0'), '3|7', '... and those that are too large');

# New accounts, all of the second shard.
my @new = split /\n/, ask($db, q{SELECT d FROM generate_series(1, 50) AS n CROSS JOIN LATERAL CAST(format('did:web:new%s.example', n) AS atid.did) AS d
	WHERE shard_slot(d) >= 128 ORDER BY n LIMIT 2});
ask($db, "TRUNCATE notice; UPDATE settings SET most_notices = 1; SELECT process_frames('relay', 1, 2, ARRAY[try.closed(11, '$new[0]')])");
is(ask($db, 'SELECT did FROM notice'), $new[0], 'a new account is noted');
ask($db, "SELECT process_frames('relay', 1, 2, ARRAY[try.closed(12, '$new[1]')])");
is(ask($db, 'SELECT did FROM notice'), $new[0], 'most_notices: beyond it, no further ones are');
ask($db, 'UPDATE settings SET most_notices = 100000, most_hosts = 2; TRUNCATE notice');

ask($db, q{INSERT INTO identity (did, host, ask) SELECT format('did:web:h%s.example', n)::atid.did, format('https://h%s.example', n), 'infinity' FROM generate_series(1, 3) AS n;
	INSERT INTO account (did, state, claim, claimed) SELECT format('did:web:h%s.example', n)::atid.did, 'loading', 1, now() FROM generate_series(1, 3) AS n;
	INSERT INTO tally (what, n) VALUES ('loading', 3);
	SELECT fail_load(format('did:web:h%s.example', n), 1, 'timeout', NULL, true) FROM generate_series(1, 3) AS n});
is(ask($db, q{SELECT (SELECT string_agg(name, ' ' ORDER BY name) FROM host), (SELECT count(*) FROM account WHERE problem = 'timeout')}),
	'https://h1.example https://h2.example|3', 'most_hosts: a host beyond it is not noted, but its account waits all the same');
foreach my $bound (1, 2)
{
	is(ask($db, qq{BEGIN; UPDATE settings SET most_notices = $bound; INSERT INTO notice (did, what) VALUES ('did:web:h2.example', 'met');
		UPDATE account SET state = 'loading', load_at = 'infinity' WHERE did = 'did:web:h1.example'; SELECT defer_load('did:web:h1.example', 1, 'unsigned', NULL);
		SELECT string_agg(what, ' ' ORDER BY n) FROM notice; ROLLBACK}) =~ s/^\n+//r, $bound == 1 ? 'met' : 'met signature', "most_notices of $bound: a load that another key has signed keeps its notice");
}

# A host that requests a pause. Two more accounts of the first one are under way, and three are due.
ask($db, q{TRUNCATE host; INSERT INTO identity (did, host, ask) SELECT format('did:web:p%s.example', n)::atid.did, 'https://h1.example', 'infinity' FROM generate_series(1, 4) AS n;
	INSERT INTO account (did, state, claim, claimed) SELECT format('did:web:p%s.example', n)::atid.did, 'loading', 1, now() FROM generate_series(1, 4) AS n;
	INSERT INTO tally (what, n) VALUES ('loading', 4);
	SELECT release_load(format('did:web:p%s.example', n), 1) FROM generate_series(3, 4) AS n;
	UPDATE account SET load_at = now() WHERE state = 'desynchronized'});
my $claims = q{SELECT count(*) FROM claim_loads(99, false, NULL, NULL, '{}') AS c WHERE c.claim IS NOT NULL AND c.host = 'https://h1.example'};
my $pause = q{SELECT problem, failures, round(extract(epoch FROM until - now()) / 60) FROM host};
ask($db, q{SELECT fail_load('did:web:p1.example', 1, 'throttled', '429', true, 1800)});
is(ask($db, $pause), 'throttled|1|30', 'Retry-After of a host is noted');
is(ask($db, $claims), 0, '... and none of its accounts is loaded until then');
is(ask($db, q{SELECT count(*), min(detail) FROM trouble WHERE host = 'https://h1.example' AND why = 'throttled' AND next > now() + interval '29 min'}),
	'2|its host has asked for a pause', '... and the view trouble shows why');
ask($db, q{SELECT fail_load('did:web:p2.example', 1, 'timeout', NULL, true)});
is(ask($db, $pause), 'throttled|1|30', '... whatever the result of others that were under way');
ask($db, q{UPDATE host SET until = now(); UPDATE account SET load_at = now() WHERE did = 'did:web:p2.example'});
is(ask($db, $claims) > 0, 1, '... and then they are');
ask($db, q{SELECT fail_load(did::text, claim, 'throttled', NULL, true, 60) FROM account WHERE state = 'loading' AND did::text LIKE 'did:web:p%'});
is(ask($db, q{SELECT failures, until > now() + interval '30 s' FROM host}), '2|t', '... and several failures at one time count as one');
ask($db, q{UPDATE host SET until = now(); UPDATE account SET problem = 'too_large' WHERE did = 'did:web:p2.example'});
is(ask($db, q{SELECT why FROM trouble WHERE did = 'did:web:p2.example'}), 'too large', 'after a pause trouble has the account\'s own reason');
ask($db, q{UPDATE account SET load_at = now() WHERE did::text LIKE 'did:web:p%'; SELECT claim_loads(99, false, NULL, NULL, '{}');
	SELECT fail_load('did:web:p2.example', claim, 'server_error', '503', true, 1800), fail_load('did:web:p3.example', claim, 'throttled', '429', false, 1800) FROM account WHERE did = 'did:web:p2.example'});
is(ask($db, q{SELECT problem, until > now() + interval '29 min' FROM host}), 'throttled|t', 'any status can have Retry-After');
is(ask($db, q{SELECT string_agg(problem, ' ' ORDER BY did) FROM account WHERE did::text LIKE 'did:web:p%' AND load_at BETWEEN now() + interval '29 min' AND now() + interval '31 min'}),
	'server_error throttled', '... and the account waits, whoever wanted it');
ask($db, q{SELECT reload_account('did:web:p2.example')});
is(ask($db, 'SELECT count(*) FROM host'), 0, 'reload ends the pause');
ask($db, q{UPDATE account SET load_at = now() + interval '1 day' WHERE state = 'desynchronized' AND did::text ~ '^did:web:[hp]'});

ask($db, q{INSERT INTO labels_refused (label, received) SELECT '{}', now() - interval '1 s' * n FROM generate_series(1, 100) AS n;
	UPDATE settings SET most_labels_refused = 6000; SELECT run_maintenance()});
is(ask($db, q{SELECT count(*) BETWEEN 49 AND 51, min(now() - received) < interval '1 min' FROM labels_refused}), 't|t', 'most_labels_refused: the older half is deleted');
ask($db, 'SELECT run_maintenance(); SELECT run_maintenance()');
is(ask($db, 'SELECT pg_total_relation_size($$labels_refused$$) > 6000, count(*) BETWEEN 49 AND 51 FROM labels_refused'), 't|t', '... once, though the file is not smaller');

ask($db, q{INSERT INTO candidate (did, asked) VALUES ('did:web:candidate.example', 8); SELECT finish_candidate('did:web:candidate.example', NULL)});
is(ask($db, q{SELECT asked, ask > now() + interval '50 min' FROM candidate}), '0|t', 'a candidate about which the server says nothing is kept');
ask($db, q{SELECT finish_candidate('did:web:candidate.example', '{}')});
my $page = q{(SELECT jsonb_agg(jsonb_build_object('did', format('did:web:c%s.example', n))) FROM generate_series(%s, %s) AS n)};
my $pages = 'SELECT store_listing_page($$*com.example.signal$$, $$$$, ' . sprintf($page, '%s', 1, 3) . ', $$a$$, now()); SELECT store_listing_page($$*com.example.signal$$, $$a$$, '
	. sprintf($page, '%s', 4, 6) . ', NULL, now());';
my $candidates = sub {
	my ($bound) = @_;
	return ask($db, "BEGIN; UPDATE settings SET most_candidates = $bound; UPDATE want SET listed = NULL; INSERT INTO want (what, value, listed, refused) VALUES ('signal', 'com.example.signal', '', true);
		$pages SELECT (SELECT count(*) FROM candidate), listed, (SELECT count(*) FROM next_listing() WHERE of LIKE '%signal'),
			is_due('lists', now()), (SELECT value FROM watch WHERE what = 'waiting' AND of = 'candidates') FROM want WHERE what = 'signal'; ROLLBACK") =~ s/^\n+//r;
};
is($candidates->(100), '6||0|f|6', 'all accounts of a list are candidates for a signal');
is($candidates->(3), '3|a|0|f|3', '... but at most most_candidates: then the list waits, which is no sign of trouble');
is($candidates->(4), '6||0|f|6', '... and goes on when there is room');
is(ask($db, 'SELECT count(*) FROM candidate'), 0, '... and an account without a signal is not kept');

# Accounts that are found by signals: by a list, one by one, and in the stream. (ANALYZE is not rolled back.)
my ($room, $none) = map { "UPDATE settings SET most_wants = $_;" } 1000, 2;
my $found = sub {
	my ($listed, @steps) = @_;
	my $state = q{SELECT (SELECT count(*) FROM want WHERE because = 'com.example.signal'), listed, (SELECT string_agg(code, ' ') FROM list_problems),
		(SELECT count(*) FROM candidate), (SELECT string_agg(of, ' ') FROM next_listing() WHERE of LIKE '%signal') FROM want WHERE what = 'signal';};
	return ask($db, "BEGIN; UPDATE want SET listed = NULL; INSERT INTO want (what, value, listed) VALUES ('signal', 'com.example.signal', $listed); ANALYZE want;"
		. join(' ', map { "$_; $state" } @steps) . 'ROLLBACK') =~ s/\n+/\n/gr =~ s/^\n//r;
};
my $list = "SELECT store_listing_page('com.example.signal', '', " . sprintf($page, '%s', 1, 3) . ", 'a', now())";
is($found->("''", "$room $list"), "3|a||0|com.example.signal", 'the accounts of a list are wanted for their signal');
is($found->("''", "$none $list", "$room $list"), "0||wants_full|0|\n3|a||0|com.example.signal", 'most_wants: a list waits, which is reported, until there is room');
my $finish = q{SELECT finish_candidate('did:web:c1.example', '{com.example.signal}')};
is($found->('NULL', "$none INSERT INTO candidate (did) VALUES ('did:web:c1.example'); $finish", "$room $finish"), "0||wants_full|1|\n1|||0|",
	'... and a candidate stays one');
my $notice = q{SELECT FROM add_notices('{did:web:c1.example}', '{signal}', '{com.example.signal}'); SELECT FROM process_notices(9)};
is($found->('NULL', "$none $notice", "$room $list"), "0||wants_full|0|\n3|a||0|com.example.signal", '... and if the stream shows an account, the list is read again');
is($found->('NULL', "$room $notice"), '1|||0|', '... unless there is room');
is($found->("''", "$none INSERT INTO want (what, value, because) VALUES ('account', 'did:web:c1.example', 'com.example.signal')"), '1|||0|com.example.signal', '... but wants of the operator are always accepted');
ask($db, 'ANALYZE want');

#
# The health of a stream.
#
my $problem = "SELECT coalesce((SELECT problem FROM status_stream WHERE name = 'relay'), 'none')";
ask($db, "UPDATE shard SET frame_rate = 0; SELECT process_frames('relay', n, 2, '{}', 0) FROM generate_series(0, 1) AS n");
is(ask($db, $problem), 'none', 'a stream that is heard is healthy, though nothing comes');
ask($db, "UPDATE shard SET taken = now() - interval '3 min'; SELECT process_frames('relay', n, 2, '{}') FROM generate_series(0, 1) AS n");
like(ask($db, $problem), qr/^nothing was heard from the stream for two minutes/, '... and one that is not heard is not');
ask($db, "SELECT process_frames('relay', n, 2, '{}', 0) FROM generate_series(0, 1) AS n; SELECT process_frames('relay', 0, 2, ARRAY[atid.record_to_dag_cbor('{\"op\": -1}') || atid.record_to_dag_cbor('{\"error\": \"FutureCursor\"}')])");
like(ask($db, $problem), qr/^the server reports FutureCursor: /, '... nor one of whose server nothing comes but an error');
ask($db, "SELECT process_frames('relay', 0, 2, ARRAY[try.closed(40, '$low')])");
is(ask($db, $problem), 'none', '... until a frame comes');

# A frame that a trigger of the operator's refuses is kept with its account, so that it can be forgotten.
my $aside = q{SELECT 'kept ' || did || ' ' || reason FROM bad WHERE reason = 'not that one'};
is(join(', ', grep { /^(?:kept|left)/ } split /\n/, ask($db, qq{BEGIN; CREATE FUNCTION try.refuse() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN RAISE 'not that one'; END \$\$;
	CREATE TRIGGER refuse BEFORE INSERT ON notice FOR EACH ROW WHEN (NEW.did = 'did:web:refused.example') EXECUTE FUNCTION try.refuse(); UPDATE settings SET most_bad = 1000000000;
	SELECT process_frames('relay', shard_slot('did:web:refused.example') / 128, 2, ARRAY[try.closed(45, 'did:web:refused.example')]); $aside; SELECT forget_account('did:web:refused.example'); $aside;
	SELECT 'left ' || count(*) FROM bad WHERE reason = 'not that one'; ROLLBACK})), 'kept did:web:refused.example not that one, left 0', 'a frame that a trigger refuses is kept with its account, and deleted when that is forgotten');

# A server of the API holds a lock while it runs.
my $server = AtidTest::Session->new($node, $db);
$server->ok(q{SELECT pg_advisory_lock(hashtextextended('api runs', 0))});
ask($db, q{INSERT INTO reader (name, api) VALUES ('api runs', true), ('api was killed', true), ('api of mine', false); SELECT run_maintenance()});
is(ask($db, q{SELECT string_agg(name, ' ' ORDER BY name) FROM reader}), 'api of mine api runs app',
	'the reader of an API that was killed is deleted, but no reader of that name that an application has');
$server->quit;
ask($db, q{DELETE FROM reader WHERE name LIKE 'api %'});

#
# While an account is being loaded, which may take long.
#
my $slow = 'did:web:slow.example';
ask($db, qq{INSERT INTO identity (did, host, ask, answered) VALUES ('$slow', 'https://slow.example', 'infinity', now() - interval '1 day');
	INSERT INTO account (did, state, claim, claimed) VALUES ('$slow', 'loading', 1, now() - interval '3 hours'); INSERT INTO tally (what, n) VALUES ('loading', 1);
	INSERT INTO exclusion (did) VALUES ('$slow')});
my $loads = AtidTest::Session->new($node, $db);
$loads->ok("BEGIN; SELECT FROM indexer.account WHERE did = '$slow' FOR UPDATE");
foreach my $what (
	"store_account_status('$slow', false, 'deactivated', NULL, now())",
	"store_did_document('$slow', '{\"id\": \"$slow\"}', now())",
	"apply_listing_page('[{\"did\": \"$slow\", \"active\": false}]', now(), now())",
	'check_unlisted_accounts(10000)', 'recheck_after_gap(10000)', 'run_maintenance()', "start_stream('relay', 'repos', NULL, 2)", 'reconcile_wants(10000)')
{
	ask($db, q{UPDATE want SET seek = 'did:a:a', began = now() WHERE (what, value) = ('account', '*')}) if $what =~ /unlisted/;
	ask($db, q{UPDATE stream SET look = now(), looked = NULL; DELETE FROM want WHERE (what, value) = ('account', '*')}) if $what =~ /recheck/;
	ask($db, "INSERT INTO unsettled VALUES ('$slow')") if $what =~ /reconcile/;
	is($node->psql($db, "SET search_path = indexer, public; SET lock_timeout = '10 s'; BEGIN; SELECT $what; COMMIT"), 0, "$what does not wait for a load");
	ask($db, q{INSERT INTO want (what, value) VALUES ('account', '*')}) if $what =~ /recheck/;
}
my $reloads = AtidTest::Session->new($node, $db);
$reloads->send("SELECT indexer.reload_account('$slow')");
$node->poll_query_until($db, 'SELECT wait_event_type = $$Lock$$ FROM pg_stat_activity WHERE pid = ' . $reloads->pid);
is($node->psql($db, "SET lock_timeout = '10 s'; UPDATE indexer.identity SET ask = ask WHERE did = '$slow'"), 0, '... and nothing else waits for a reload that does');
$node->safe_psql($db, 'SELECT pg_cancel_backend(' . $reloads->pid . ')');
is(($reloads->result)[1], '57014', '... which is cancelled');
$reloads->quit;
is(ask($db, "SELECT a.state, a.claim, i.ask < now() + interval '1 h', i.problem IS NULL FROM account AS a JOIN identity AS i USING (did) WHERE did = '$slow'"), 'loading|1|t|t',
	'... and does not change its account, which is checked again');
$loads->ok('ROLLBACK');
$loads->quit;
ask($db, 'SELECT reconcile_wants(10000)');
is(ask($db, "SELECT count(*) FROM account WHERE did = '$slow'"), 0, '... and the work is done later');
ask($db, "DELETE FROM exclusion WHERE did = '$slow'");
is((split /\n/, ask($db, q{BEGIN; SELECT add_account('did:web:again.example'); UPDATE identity SET ask = now() + interval '1 h', asked = 9, problem = 'timeout' WHERE did = 'did:web:again.example';
	SELECT reload_account('did:web:again.example'); SELECT ask <= now(), asked FROM identity WHERE did = 'did:web:again.example'; ROLLBACK}))[-1], 't|0', 'reload has a failed identity requested at once');

#
# Accounts that were wanted when the stream reported them.
#
is((split /\n/, ask($db, q{BEGIN; DELETE FROM want WHERE what = 'account'; INSERT INTO notice (did, what, because) VALUES ('did:web:late.example', 'met', NULL), ('did:web:later.example', 'signal', 'a.b.c');
	SELECT process_notices(10); SELECT count(*) FROM account WHERE did::text LIKE 'did:web:late%'; ROLLBACK}))[-1], 0, 'an account that is no longer wanted is not added');
is(ask($db, q{SELECT mark_listing_unsupported('*', 'x')}), 'f', 'a server that lists no account has no other list');
is(join(' ', (split /\n/, ask($db, q{BEGIN; DELETE FROM want WHERE what = 'account'; INSERT INTO want (what, value) VALUES ('signal', 'a.b.c'); SELECT mark_listing_unsupported('a.b.c', 'x'); SELECT of FROM next_listing();
	UPDATE stream SET look = now(), looked = NULL WHERE kind = 'repos'; SELECT recheck_after_gap(1); SELECT of FROM next_listing(); ROLLBACK}))[ 0, 1, -1 ]), 't *a.b.c a.b.c', 'after a gap a refused list is requested again');

#
# References.
#
my $points = q{INSERT INTO op (uri, did, collection, fresh, cid, block)
	SELECT atid.at_uri_make(d, 'a.b.c', 'r' || n), d, 'a.b.c', true, atid.record_cid(r), atid.record_to_dag_cbor(r)
	FROM generate_series(1, 40) AS n CROSS JOIN LATERAL (VALUES ('did:web:many.example'::atid.did, 900, n), ('did:web:same.example', 900, 0), ('did:web:some.example', 3, n)) AS x (d, most, part)
	     CROSS JOIN LATERAL (SELECT jsonb_build_object('to', jsonb_agg('did:plc:' || translate(lpad(to_hex(1000 * part + m), 24, 'a'), '0189', 'wxyz'))) AS r
	                         FROM generate_series(1, most) AS m) AS y};
my @points = split /\n/, ask($db, "BEGIN; SELECT create_temp_tables(); $points; CREATE TEMP TABLE bytes AS SELECT max(octet_length(block)) AS n FROM op WHERE did = 'did:web:same.example'; SELECT write_records();
	SELECT atid.at_uri_did(uri), CASE atid.at_uri_did(uri)::text WHEN 'did:web:same.example' THEN count(*) - (SELECT n / 30 FROM bytes) ELSE count(*) END FROM reference WHERE collection = 'a.b.c' GROUP BY 1 ORDER BY 1; ROLLBACK");
is("@points[-3 .. -1]", 'did:web:many.example|36000 did:web:same.example|1800 did:web:some.example|120', 'references are those of the records; for a block of many records, those of its bytes, once');

#
# Labelers: a hundred are added by themselves, and those that were named.
#
my $labels = q{process_frames('labels', 0, 1, ARRAY[try.frame('#labels', jsonb_build_object('seq', %d, 'labels', (SELECT jsonb_agg(jsonb_build_object('src', %s, 'uri', 'did:web:x.example', 'val', 'spam', 'cts', '2026-01-01T00:00:00Z')) FROM generate_series(1, %d) AS n)))])};
ask($db, q{SELECT FROM start_stream('labels', 'labels', NULL, 1); INSERT INTO labeler (did) VALUES ('did:web:named.example')});
ask($db, 'SELECT ' . sprintf $labels, 1, q{format('did:web:l%s.example', n)}, 150);
is(ask($db, 'SELECT count(*) FROM identity WHERE labeler'), 100, 'a hundred labelers are added by themselves');
ask($db, 'SELECT ' . sprintf $labels, 2, q{'did:web:named.example'}, 1);
is(ask($db, 'SELECT count(*) FROM identity WHERE labeler'), 101, '... and one that was named is added, too');
ask($db, q{UPDATE identity SET met = now() - interval '10 days' WHERE labeler; SELECT run_maintenance()});
is(ask($db, 'SELECT string_agg(did::text, $$ $$) FROM identity WHERE labeler'), 'did:web:named.example', '... until the others turn out to have no key');

#
# Legal requests.
#
ask($db, q{SELECT add_account('did:web:ada.example'); SELECT exclude_account('did:web:ada.example', 'a request')});
is(ask($db, q{SELECT (SELECT count(*) FROM record WHERE did = 'did:web:ada.example'), (SELECT count(*) > 0 FROM reference WHERE subject <@ 'at://did:web:ada.example'),
	(SELECT count(*) FROM account WHERE did = 'did:web:ada.example')}), '0|t|0', 'exclude: its records are deleted, references to it stay');
ask($db, q{SELECT forget_account('did:web:ada.example'); SELECT add_account('did:web:ada.example')});
is(ask($db, q{SELECT (SELECT count(*) FROM reference WHERE subject <@ 'at://did:web:ada.example'), (SELECT count(*) FROM identity WHERE did = 'did:web:ada.example'),
	(SELECT count(*) FROM account WHERE did = 'did:web:ada.example'), (SELECT why FROM exclusion)}), '0|0|0|forgotten', 'forget: no data is left, and the account does not come back');
ask($db, "UPDATE settings SET most_bad = 1000000000; SELECT process_frames('relay', shard_slot('did:web:ada.example') / 128, 2, ARRAY[try.frame('#account', '{\"seq\": 50, \"did\": \"did:web:ada.example\", \"time\": \"x\"}')])");
is(ask($db, "SELECT count(*) FROM bad WHERE did = 'did:web:ada.example'"), 0, '... and neither does a frame of it');
ask($db, 'SELECT ' . sprintf $labels, 3, q{'did:web:ada.example'}, 1);
is(ask($db, q{SELECT (SELECT count(*) FROM identity WHERE did = 'did:web:ada.example'), (SELECT count(*) FROM labels_refused WHERE label->>'src' = 'did:web:ada.example')}), '0|0', '... or a label');

# While another session writes references to it.
my $writer = AtidTest::Session->new($node, $db);
$writer->ok(q{SET search_path = indexer, public; BEGIN; SELECT create_temp_tables();
	INSERT INTO op (uri, did, collection, fresh, cid, block)
	SELECT 'at://did:web:cy.example/app.bsky.graph.follow/3kiwuygzb2c3a', 'did:web:cy.example', 'app.bsky.graph.follow', true, atid.record_cid(r), atid.record_to_dag_cbor(r)
	FROM (SELECT '{"subject": "did:web:bob.example"}'::jsonb AS r) AS x;
	SELECT write_records()});
my $forgets = AtidTest::Session->new($node, $db);
$forgets->send(q{SET search_path = indexer, public; SELECT forget_account('did:web:bob.example')});
$node->poll_query_until($db, 'SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = ' . $forgets->pid
	. q{ AND wait_event_type = 'Lock') OR EXISTS (SELECT FROM indexer.exclusion WHERE did = 'did:web:bob.example')});
$writer->ok(q{DELETE FROM reference WHERE subject <@ 'at://did:web:bob.example'});
$writer->ok('COMMIT');
my (undef, $state) = $forgets->result;
is($state, '00000', 'forget does not delete rows that a writer deletes at that moment');
is(ask($db, q{SELECT (SELECT count(*) FROM exclusion WHERE did = 'did:web:bob.example'), (SELECT count(*) FROM reference WHERE subject <@ 'at://did:web:bob.example')}), '1|0',
	'... and leaves none that is written while it runs');

# While a shard stores frames of it: bad ones, and one that waits for a load.
my $slot = ask($db, q{SELECT shard_slot('did:web:dan.example') / 128});
ask($db, q{SELECT add_account('did:web:dan.example'); UPDATE account SET state = 'loading' WHERE did = 'did:web:dan.example'; INSERT INTO tally (what, n) VALUES ('unidentified', -1), ('loading', 1)});
$writer->ok(q{BEGIN; SELECT FROM account WHERE did = 'did:web:dan.example' FOR UPDATE});
my $takes = AtidTest::Session->new($node, $db);
$takes->ok("SET search_path = indexer, public; BEGIN; SELECT process_frames('relay', $slot, 2, ARRAY[try.closed(60, 'did:web:dan.example'), try.frame('#account', '{\"seq\": 61, \"did\": \"did:web:dan.example\", \"time\": \"x\"}'),
	try.frame('#identity', '{\"seq\": 62, \"did\": \"did:web:dan.example\", \"time\": \"2026-01-01T00:00:00Z\"}')])");
$writer->ok('COMMIT');
my $kept = q{SELECT (SELECT count(*) FROM bad WHERE did = 'did:web:dan.example'), (SELECT count(*) FROM waiting WHERE did = 'did:web:dan.example'),
	(SELECT count(*) FROM notice WHERE did = 'did:web:dan.example'), (SELECT count(*) FROM unsettled WHERE did = 'did:web:dan.example')};
$takes->ok($kept) eq '1|1|1|0' or diag($takes->ok($kept));
$forgets->send(q{SELECT forget_account('did:web:dan.example')});
$node->poll_query_until($db, 'SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = ' . $forgets->pid
	. q{ AND wait_event_type = 'Lock') OR EXISTS (SELECT FROM indexer.exclusion WHERE did = 'did:web:dan.example')});
$takes->ok('COMMIT');
is(($forgets->result)[1], '00000', 'forget waits for a shard');
is(ask($db, $kept), '0|0|0|0', '... of which no frame and no notice is left');
$_->quit foreach $writer, $forgets, $takes;

# A forgotten account that is found by a signal, and named in notices about others.
my $who = 'did:web:dan.example';
is((split /\n/, ask($db, qq{BEGIN; DELETE FROM want WHERE what = 'account'; INSERT INTO want (what, value) VALUES ('signal', 'a.b.c');
	SELECT store_listing_page('a.b.c', '', '[{"did": "$who"}, {"did": "did:web:eve.example"}]', NULL, now()); SELECT finish_candidate('$who', '{a.b.c}');
	UPDATE want SET refused = true, listed = '' WHERE what = 'signal'; SELECT store_listing_page('*a.b.c', '', '[{"did": "$who"}, {"did": "did:web:finn.example"}]', NULL, now());
	SELECT (SELECT string_agg(value, ' ') FROM want WHERE what = 'account'), (SELECT string_agg(did::text, ' ') FROM candidate); ROLLBACK}))[-1],
	'did:web:eve.example|did:web:finn.example', 'a forgotten account is not wanted for a signal');
is((split /\n/, ask($db, qq{BEGIN; INSERT INTO waiting (stream, slot, seq, did, frame) VALUES ('relay', shard_slot('$who'), 1, '$who', 'x'), ('relay', shard_slot('$low'), 1, '$low', 'x');
	SELECT release_waiting('$who');
	UPDATE account SET state = 'loading', status = NULL WHERE did = '$low';
	SELECT process_frames('relay', 0, 1, '{}'); SELECT string_agg(did::text, ' ') FROM waiting; ROLLBACK}))[-1], $low, 'no frame waits for an account that does not exist');

$node->stop;
done_testing();
