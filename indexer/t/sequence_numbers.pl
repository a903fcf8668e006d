# The sequence numbers of a stream, which no signature covers, move its cursors only as far as they are plausible.
#
# The accounts and their commits are made by indexer/t/oracles/numbers.js; the SQL here gives them numbers. Shows that
# - the cursor passes frames that are refused, so no frame comes twice after a restart;
# - a number that jumps, signed or not, moves no cursor until other numbers follow above it, also where a PDS has a
#   single account;
# - numbers that restart are recognised by the first one, or by new commits: then the stream is followed from there,
#   and all accounts are checked; the program reports it;
# - each shard is judged alone, and a quiet stream by its last frames; a restored database, and a first number that the
#   rate of the stream does not explain, are gaps; sequences that were set back do no harm;
# - commits without "prevData" are verified against the stored state, and applied; the servers that send them are
#   shown.
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
use HTTP::Tiny;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($accounts, $commits) = (6, 16);
my ($node, $db, $oracles, $indexer) = AtidTest::Indexer::set_up('indexer_numbers', ready => 1);
my ($status, $said) = $indexer->command('init');
is($status, 0, 'init') or die $said;

# Account I has the DID did:web:nI.example; its commit K, from 0, has revision and root after those of K - 1.
AtidTest::Indexer::make_commits($node, $db, $oracles, $accounts, $commits);
$node->safe_psql($db, <<"SQL");
CREATE FUNCTION demo.frame(t text, body jsonb) RETURNS bytea LANGUAGE sql STABLE
RETURN atid.record_to_dag_cbor(jsonb_build_object('op', 1, 't', t))
       || atid.record_to_dag_cbor(jsonb_build_object('time', '2026-01-01T00:00:00Z') || body);
-- a commit without some of its fields
CREATE FUNCTION demo.commit(seq bigint, i int, k int, VARIADIC without text[] DEFAULT '{}')
RETURNS bytea LANGUAGE sql STABLE
RETURN demo.frame('#commit', (demo.of(i)->'commits'->k) - without || jsonb_build_object('seq', seq));
-- one as small PDSes send it: without "prevData", and its operations without "prev"
CREATE FUNCTION demo.bare(seq bigint, i int, k int) RETURNS bytea LANGUAGE sql STABLE
RETURN (SELECT demo.frame('#commit', c - 'prevData' || jsonb_build_object('seq', seq, 'ops',
                 (SELECT jsonb_agg(o - 'prev' ORDER BY n)
                  FROM jsonb_array_elements(c->'ops') WITH ORDINALITY AS x (o, n))))
        FROM (SELECT demo.of(i)->'commits'->k AS c) AS x);
CREATE FUNCTION demo.identity(seq bigint, i int) RETURNS bytea LANGUAGE sql STABLE
RETURN demo.frame('#identity', jsonb_build_object('seq', seq, 'did', demo.of(i)->>'did'));
-- a frame that is refused whoever has signed it
CREATE FUNCTION demo.wrong(seq bigint, i int) RETURNS bytea LANGUAGE sql STABLE
RETURN demo.frame('#account', jsonb_build_object('seq', seq, 'did', demo.of(i)->>'did'));
CREATE FUNCTION demo.take(VARIADIC frames bytea[]) RETURNS void LANGUAGE plpgsql AS \$\$
BEGIN
  PERFORM process_frames('relay', 0, 1, frames), reconcile_wants(99);
END \$\$;
CREATE FUNCTION demo.load(i int) RETURNS text LANGUAGE plpgsql AS \$\$
DECLARE c int;
BEGIN
  UPDATE account SET state = 'loading', load_at = 'infinity', claim = account.claim + 1
  WHERE did = (demo.of(i)->>'did')::atid.did RETURNING claim INTO c;
  INSERT INTO tally (what, n) VALUES ('desynchronized', -1), ('loading', 1);
  RETURN (SELECT outcome FROM store_repository(demo.of(i)->>'did', c, decode(demo.of(i)->>'car', 'hex')));
END \$\$;
-- how many commits of each account are here
CREATE FUNCTION demo.here() RETURNS text LANGUAGE sql STABLE
RETURN (SELECT string_agg((SELECT count(*) FROM jsonb_array_elements(demo.of(i)->'commits') AS c
                           WHERE c->>'rev' <= a.rev::text)::text, ' ' ORDER BY i)
        FROM generate_series(0, $accounts - 1) AS i
             JOIN account AS a ON a.did = (demo.of(i)->>'did')::atid.did);
SELECT start_stream('relay', 'repos', NULL, 1);
UPDATE shard SET cursor = 10;
UPDATE stream SET look = NULL;
UPDATE want SET listed = NULL;
SELECT add_account((line->>'did')::atid.did) FROM demo.line;
SELECT apply_identity((line->>'did')::atid.did, line->>'key', ARRAY[line->>'key'], NULL,
            'https://pds.example', false, now()) FROM demo.line;
SELECT demo.load(i) FROM generate_series(0, $accounts - 1) AS i;
SQL
is($node->safe_psql($db, 'SELECT count(*), min(state), demo.here() FROM account'),
	"$accounts|synchronized|" . join(' ', (0) x $accounts), 'the accounts are here, without their commits');

# The result of the last of some statements, in a transaction that is rolled back.
sub last_of { return AtidTest::Indexer::last_of($node, $db, @_); }
sub take { return 'SELECT demo.take(' . join(', ', @_) . ')'; }
my $cursor  = 'SELECT cursor FROM shard';
my $at      = 'SELECT cursor, demo.here() FROM shard';
my $restart = "SELECT start_stream('relay', 'repos', NULL, 1)";

#
# Frames that are refused.
#
my @wrong = map { "demo.wrong($_, 0)" } 11 .. 13;
is(last_of(take(@wrong), $cursor), 13, 'the cursor passes frames that are refused');
is(last_of(take(@wrong), $restart, take(@wrong), 'SELECT sum(refused) FROM shard'), 3, '... and count once');
is(last_of('UPDATE shard SET cursor = 0', take(@wrong), $restart, 'SELECT count(look) FROM stream'), 0,
	'... so a new database does not list all accounts again');
is(last_of(take("demo.frame('#future', '{\"seq\": 11}')"), $cursor), 11, 'it passes unknown kinds of frames');

#
# Numbers that jump.
#
my $far = 2_000_000_000;
is(last_of(take("demo.commit($far, 0, 0)"), $at), '10|1 0 0 0 0 0', 'a signed commit far ahead is applied, and moves no cursor');
is(last_of(take("demo.commit($far, 0, 0)"), take('demo.commit(11, 1, 0)', 'demo.commit(12, 0, 1)'), $at), '12|2 1 0 0 0 0',
	'... and the frames that follow are applied');
is(last_of(take("demo.commit($far, 0, 0)", 'demo.commit(11, 1, 0)', "demo.commit($far + 1, 2, 0)", 'demo.commit(12, 3, 0)'), $at),
	'12|1 1 1 1 0 0', '... however often that happens');
is(last_of(take("demo.identity($far, 0)"), 'SELECT cursor, (SELECT reason LIKE $$%far ahead%$$ FROM bad) FROM shard'), '10|t',
	'a commit far ahead without a signature is bad');
is(last_of(take('demo.identity(1010, 0)'), $cursor), 1010, 'a frame skips 1,000 numbers');
is(last_of(take('demo.identity(1011, 0)'), $cursor), 10, '... and not more');
is(last_of(take('demo.identity(9000010, 0)'), take('demo.commit(11, 0, 0)'), $at), '11|1 0 0 0 0 0', '... even if less than far_ahead');
my @on = map { "demo.commit($far + $_, $_, 0)" } 0 .. 3;
is(last_of(take(@on[ 0 .. 2 ]), $cursor), 10, 'two other accounts above it do not move it');
is(last_of(take(@on), $at), $far + 3 . '|1 1 1 1 0 0', '... but three of them do');
is(last_of((map { take($_) } @on), $cursor), $far + 3, '... one at a time, too');
is(last_of((map { take($_) } @on[ 0 .. 2 ]), $restart, (map { take($_) } @on), $cursor), $far + 3, '... also after a restart');
is(last_of((map { take($_) } @on[ 0 .. 2 ]), take('demo.identity(11, 0)'), take($on[3]), $cursor), 11,
	'... but not where a number below has come between them');
my @quiet = map { "demo.commit($far + $_, 0, $_)" } 0 .. 10;
is(last_of((map { take($_) } @quiet[ 0 .. 9 ]), $at), '10|10 0 0 0 0 0', 'if there is only one account, nine frames do not');
is(last_of((map { take($_) } @quiet), $at), $far + 10 . '|11 0 0 0 0 0', '... but ten do');
is(last_of((map { take("demo.commit($far * ($_ + 1)::bigint, 0, $_)") } 0 .. 12), $cursor), $far,
	'... even if all numbers are far from each other');
is(last_of(take($on[0]), take("demo.identity($far + 1, 1)"), 'SELECT count(*) FROM bad'), 0,
	'frames that go on from such a number need no signature');
is(last_of($restart =~ s/1\)$/2)/r, "UPDATE shard SET cursor = 10", (map { "SELECT process_frames('relay', $_, 2, ARRAY[demo.commit($far, 0, 0)])" } 0, 1),
	"SELECT process_frames('relay', n, 2, '{}', $far) FROM generate_series(0, 1) AS n", 'SELECT max(cursor) FROM shard'), 10,
	'a number that only the program has seen moves no idle shard');
is(last_of('UPDATE shard SET cursor = 0', take("demo.identity($far, 0)"), $cursor), $far, 'the first number of all is believed');

#
# Commits without "prevData".
#
my $is  = 'SELECT demo.here(), (SELECT count(*) FROM bad), (SELECT state FROM account WHERE did = $$did:web:n0.example$$)';
my @all = map { "demo.bare(11 + $_, 0, $_)" } 0 .. 15;
is(last_of((map { take($_) } @all), $is), '16 0 0 0 0 0|0|synchronized', 'commits without prevData are applied');
is(last_of(take(@all), $is), '16 0 0 0 0 0|0|synchronized', '... many in one batch, too');
is(last_of(take(map { $_ % 2 ? $all[$_] : "demo.commit(11 + $_, 0, $_)" } 0 .. 15), $is), '16 0 0 0 0 0|0|synchronized',
	'... among others that have it');
is(last_of(take(@all), q{SELECT a.data = atid.mst_root(atid.at_uri_path(r.uri), r.cid ORDER BY atid.at_uri_path(r.uri) COLLATE "C")
	FROM record AS r JOIN account AS a USING (did) WHERE r.did = 'did:web:n0.example' GROUP BY a.data}), 't', '... with the signed root');
my $hidden = q{SELECT demo.take(demo.frame('#commit', c - 'prevData' || '{"seq": 20}' || jsonb_build_object('ops', (c->'ops') - 1)))
	FROM (SELECT demo.of(0)->'commits'->2 AS c) AS x};
is(last_of(take(@all[ 0, 1 ]), $hidden, $is), '2 0 0 0 0 0|1|desynchronized', 'a commit that hides a change is bad, and its account is loaded');
is(last_of(take(@all[ 0, 2 ]), $is), '1 0 0 0 0 0|1|desynchronized', '... and so is one that follows a gap');
is(last_of(take(@all[ 0, 1 ]), q{DELETE FROM record WHERE uri::text LIKE 'at://did:web:n0.example/%/r1'}, take($all[2]), $is),
	'2 0 0 0 0 0|1|desynchronized', '... and one whose older record is not here');
is(last_of("UPDATE settings SET most_hosts = 2", take(@all[ 0, 1 ]), 'SELECT run_maintenance()', take('demo.bare(30, 1, 0)', 'demo.commit(31, 2, 0)'),
	q{SELECT of, value FROM watch WHERE what = 'commits_without_prev_data'}), 'https://pds.example|3', 'watch has the servers that send them');
is(last_of("UPDATE settings SET most_hosts = 3", q{UPDATE identity SET host = 'https://h' || substr(did::text, 10, 1)},
	(map { take("demo.bare(20 + $_, $_, 0)"), 'SELECT run_maintenance()' } 0 .. 5), 'SELECT count(*) FROM unproven'), 3, '... and a limited number of them');

#
# Numbers that restart.
#
my $begun = "SELECT cursor, demo.here(), (SELECT count(look) FROM stream), (SELECT begun_at FROM stream) FROM shard";
my $ahead = 'UPDATE shard SET cursor = 1000';
my @again = map { "demo.commit($_ + 1, $_, 0)" } 0 .. 3;
is(last_of($ahead, take(@again[ 0, 1 ]), $begun), '1000|1 1 0 0 0 0|0|', 'a new commit is applied, though its number is not above the cursor');
is(last_of($ahead, take(@again), $begun), '4|1 1 1 1 0 0|1|4', 'three of them show that the numbers have begun again');
is(last_of($ahead, (map { take($_) } @again), $begun), '4|1 1 1 1 0 0|1|3', '... one at a time, too');
is(last_of($ahead, take(@again[ 0, 1 ]), take('demo.identity(1001, 0)'), take($again[2]), $begun), '1001|1 1 1 0 0 0|0|',
	'... but not if a number above the cursor has come between them');
is(last_of(take('demo.commit(11, 0, 0)', 'demo.commit(12, 0, 1)', 'demo.commit(13, 1, 0)'), 'UPDATE stream SET look = NULL',
	(map { take('demo.commit(11, 0, 0)', 'demo.commit(12, 0, 1)', 'demo.commit(13, 1, 0)') } 1 .. 2), $begun), '13|2 1 0 0 0 0|0|', '... or if a server repeats what it has sent');
my $others = q{UPDATE identity SET key = (SELECT x.key FROM identity AS x WHERE x.did = 'did:web:n5.example')};
is(last_of($ahead, $others, take(@again), $begun), '1000|0 0 0 0 0 0|0|', '... or if the accounts have not signed them');
my $first   = "SELECT report_connection('relay', 1000, 1)";
my $problem = "SELECT coalesce(problem, 'none') FROM status_stream WHERE name = 'relay'";
my $heard   = 'UPDATE shard SET taken = now()';
like(last_of($ahead, $heard, $first, $problem), qr/^the first number of the server, 1, is not above the cursor, 1000: .* indexer\.shard\.cursor to 0/, 'the first number shows it at once');
is(last_of($ahead, $first, take($again[0]), $begun), '1|1 0 0 0 0 0|1|1', '... and then one commit is enough');
like(last_of($ahead, $heard, $first, take(map { "demo.identity($_, 0)" } 1 .. 20), $problem), qr/^the first number/, '... it is reported while nothing shows which');
is(last_of($ahead, $heard, $first, take('demo.identity(999, 0)', 'demo.identity(1000, 0)'), $problem), 'none', '... until a number reaches the cursor');
is(last_of($ahead, $heard, $first, "SELECT report_connection('relay', 1000, 1001)", $problem), 'none', '... or the next connection continues from it');

#
# The health of each shard alone, and of a quiet server.
#
my $busy = "UPDATE shard SET frame_rate = 100, taken = now(), heard = now()";
my $two  = $restart =~ s/1\)$/2)/r;
is(last_of($two, "$busy, old_rate = CASE WHEN lo = 0 THEN 100 ELSE 0 END, old_run = CASE WHEN lo = 0 THEN 9 ELSE 0 END", $problem) =~ /^all frames have numbers/, 1,
	'one shard of two whose frames are all old is a problem');
is(last_of($two, "$busy, unsigned_rate = CASE WHEN lo = 0 THEN 100 ELSE 0 END", "INSERT INTO tally VALUES ('loads', 1)", $problem) =~ /^no frame is signed/, 1,
	'... and so is one whose frames nobody has signed');
is(last_of($two, "$busy, old_rate = 40, old_run = 0", $problem), 'none', '... but one that has some old ones is not');
my $quiet_for = 'UPDATE shard SET frame_rate = 0, counted = now(), taken = now()';
is(last_of($heard, take('demo.identity(1, 0)'), take('demo.identity(2, 0)'), $quiet_for, $problem), 'none', 'two old frames of a quiet server are no problem');
like(last_of($heard, (map { take("demo.identity($_, 0)") } 1 .. 3), $quiet_for, $problem), qr/^all frames have numbers/, '... but three are one');
like(last_of($others, (map { take("demo.commit(11 + $_, $_, 0)") } 0 .. 2), $quiet_for, $problem), qr/^no frame is signed/, '... and so are three that nobody has signed');
is(last_of($others, (map { take("demo.commit(11 + $_, $_, 0)") } 0 .. 2), take('demo.commit(14, 5, 0)'), $quiet_for, $problem), 'none', '... until one is signed');
is(last_of($others, (map { take("demo.commit(11 + $_, $_, 0)") } 0 .. 2), 'DELETE FROM bad', $quiet_for, $problem), 'none', '... or the key is found');
my @refuses = ("CREATE FUNCTION demo.refuse() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN RAISE 'not that one'; END \$\$",
	'CREATE TRIGGER refuse BEFORE INSERT ON packed_record FOR EACH ROW EXECUTE FUNCTION demo.refuse()');
like(last_of(@refuses, take('demo.commit(11, 0, 0)'), "DELETE FROM record WHERE did = 'did:web:n0.example'", 'SELECT demo.load(0)', $quiet_for, $problem),
	qr/^an index, a constraint or a trigger refuses/, 'a trigger that refuses one frame and its account is a problem');
is(last_of(@refuses, take('demo.commit(11, 0, 0)'), 'DROP TRIGGER refuse ON packed_record', 'SELECT demo.load(0)', $quiet_for, $problem), 'none', '... but not once that is mended');

#
# Gaps that the server does not report.
#
my $look = 'SELECT count(look) FROM stream';
foreach ([ 1010, 100, 10, 0 ], [ 1012, 100, 10, 1 ], [ 500, 0.01, 10, 1 ], [ 60, 0.01, 10, 0 ], [ 500, 5, 10, 0 ],
	[ 5000, 500, 60, 1 ])
{
	my ($number, $rate, $away, $is) = @$_;
	is(last_of("UPDATE shard SET heard = now() - interval '$away s', lag = '0', frame_rate = $rate", "SELECT report_connection('relay', 10, $number)", $look), $is,
		"a first number $number after 10, $away s later, at $rate/s: " . ($is ? 'a gap' : 'no gap'));
}
is(last_of($restart, $look), 0, 'a start is no gap');
foreach ([ 'another server', "'1' || substr(place, 2)" ], [ 'another timeline', "regexp_replace(place, ' 1 ', ' 2 ')" ],
	[ 'another table', "place || '0'" ])
{
	is(last_of($restart, "UPDATE stream SET place = $_->[1]", $restart, $look), 1, "... but one after $_->[0] is: the database was restored");
}
$node->safe_psql($db, $restart);
my $dump = PostgreSQL::Test::Utils::tempdir() . '/dump';
my $copy = 'restored';
$node->safe_psql('postgres', "CREATE DATABASE $copy");
$node->command_ok([ 'pg_dump', '-Fc', '-f', $dump, $node->connstr($db) ], 'a dump');
$node->command_ok([ 'pg_restore', '--exit-on-error', '-d', $node->connstr($copy), $dump ], '... that is restored');
is($node->safe_psql($copy, "$restart; $look"), "10\n1", '... is a gap');
is($node->safe_psql($copy, "UPDATE stream SET look = NULL; $restart; $look"), "10\n0", '... once');

# Sequences that were set back while notices were not processed yet.
my $met = q{SELECT process_frames('relay', 0, 1, ARRAY(SELECT demo.frame('#account', jsonb_build_object('seq', 10 + n,
	'did', format('did:web:new%%s.example', n), 'active', true)) FROM generate_series(%d, %d) AS n))};
my $set_back = 'SELECT setval(pg_get_serial_sequence($$notice$$, $$n$$), 1, false)';
is(last_of($set_back, sprintf($met, 1, 3), $set_back, sprintf($met, 4, 6), 'SELECT process_notices(99)',
	"SELECT count(*), (SELECT count(*) FROM bad) FROM account WHERE did::text LIKE 'did:web:new%'"), '6|0',
	'a sequence that was set back keeps no account out');

# The program, with a server whose numbers restart.
my ($stdin, $told) = ('', '');
my $server = IPC::Run::start([ $indexer->{program}, "$oracles->{folder}/numbers.js", 'serve' ], '<', \$stdin, '>', \$told,
	IPC::Run::timer(10 * $PostgreSQL::Test::Utils::timeout_default));
$server->pump until $told =~ /^port (\d+)$/m;
my $service = "http://127.0.0.1:$1";
my $post = sub { my ($path, @frames) = @_; HTTP::Tiny->new->post("$service/$path", { content => $node->safe_psql($db, 'SELECT encode(f, $$hex$$) FROM unnest(ARRAY[' . join(', ', @frames) . ']) AS f') }); };
my %settings = (ATID_SERVICE_URL => $service, ATID_PLC_URL => $service, ATID_ALLOW_PRIVATE_ADDRESSES => 1);
$node->safe_psql($db, "SELECT start_stream('$service com.atproto.sync.subscribeRepos', 'repos', NULL, 1), start_stream('$service com.atproto.label.subscribeLabels', 'labels', NULL, 1); $ahead");

$post->('first', $again[0]);
my $run = $indexer->start(%settings);
ok($indexer->wait_for_log($run, qr/error stream restarted seq=1$/m),
	'the program reports that the numbers have begun again');
is($node->safe_psql($db, "SELECT cursor, demo.here() FROM shard WHERE stream LIKE '%Repos'"), '1|1 0 0 0 0 0', '... and continues from there');
($status, $said) = $indexer->command('status');
like($said, qr/followed from 1 on/, '... and status reports it');
unlike($said, qr/no program/, '... and nothing about the program, which runs');
$indexer->stop($run);
($status, $said) = $indexer->command('status');
is($status, 1, 'the program has ended: status fails');
like($said, qr/^  PROBLEM: no program follows the repositories: start "atid-indexer run"$/m, '... at once, and says why');

$post->('first', q{demo.frame('#labels', '{"seq": 1, "labels": []}')});
$run = $indexer->start(%settings, ATID_STREAM_KIND => 'labels');
ok($indexer->wait_for_log($run, qr/error stream unhealthy problem="the first number of the server, 1, is not above the cursor, 1000: .* set indexer\.shard\.cursor to 0/),
	'if the numbers of a labeler begin again, the program reports what to do');
like($node->safe_psql($db, "SELECT stream_health('$service com.atproto.label.subscribeLabels')"), qr/^the first number/, '... and so does /healthz');
$post->('send', q{demo.frame('#labels', '{"seq": 1001, "labels": []}')});
ok($indexer->wait_for_log($run, qr/info stream healthy$/m), '... until a number is above the cursor');
$indexer->stop($run);
$stdin = undef;
$server->kill_kill(grace => 0);

$node->stop;
done_testing();
