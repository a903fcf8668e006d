# The refusals of the indexer, and the effects of unsigned claims.
#
# The accounts are those of demo/, as in indexer/t/functions.pl. Shows that
# - an unsigned revision causes one load, and one more, and does not cause a repository to be refused;
# - a frame that is refused without a look at its signature, or is too large, has the server queried
#   about its account;
# - a label that jsonb cannot hold is lost alone;
# - many frames of the kind #account cost as much as one, and leave the same result as when processed one
#   by one;
# - an error of the indexer's own functions ends the run, and no frame is refused for it; an error of an
#   operator's trigger does not, and a frame is refused;
# - tables that have the names of temporary ones do no harm;
# - a clock that is behind or ahead is a problem of the stream, which names it.
#
# Each statement is rolled back. Then the program does the same in the network of
# indexer/t/oracles/hostile.js. Skipped where atid_crypto is not available; the part with the program
# also where Node 22 or npm is not.
#
# Tags: medium node crypto

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Indexer;
use AtidTest::Oracles;
use HTTP::Tiny;
use IPC::Run;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('refusals', ready => 1);
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my $db   = new_database($node, 'indexer');
AtidTest::Indexer::install($node, $db);
$ENV{PGOPTIONS} = '-c search_path=indexer,public';
AtidTest::Indexer::demo($node, $db);
AtidTest::Indexer::fill($node, $db);
my ($did, $second, $third) = AtidTest::Indexer::accounts();
$node->safe_psql($db, <<"SQL");
UPDATE stream SET look = NULL;
CREATE FUNCTION demo.load(who text) RETURNS text LANGUAGE plpgsql AS \$\$
BEGIN
  PERFORM set_account_state(try_lock_account(who::atid.did), 'desynchronized', now());
  RETURN (SELECT (store_repository(c.did, c.claim, demo.car(c.did))).outcome
          FROM claim_loads(9, true, NULL, NULL, '{}') AS c WHERE c.did = who AND c.claim > 0);
END \$\$;
CREATE FUNCTION demo.take(VARIADIC frames bytea[]) RETURNS void LANGUAGE plpgsql AS \$\$
BEGIN
  PERFORM process_frames('relay', 0, 1, frames), reconcile_wants(99);
END \$\$;
SQL

# The result of the last of some statements, in a transaction of its own.
sub last_of { return AtidTest::Indexer::last_of($node, $db, @_); }

# An unsigned revision: in a list, and in an answer about one account.
my $claimed = 'atid.tid_ceil(clock_timestamp() + interval \'290 s\')';
my $state   = "SELECT state FROM account WHERE did = '$did'";
my $list    = "UPDATE want SET listed = '' WHERE value = '*'; SELECT store_listing_page('*', '',
	jsonb_build_array(jsonb_build_object('did', '$did', 'rev', $claimed)), NULL, now())";
my $load    = "SELECT demo.load('$did')";
my $answer  = "SELECT store_account_status('$did', true, NULL, ($claimed)::text, now())";
my $due     = "UPDATE account SET check_at = now() WHERE check_at < 'infinity'";
is(last_of($list, $state), 'desynchronized', 'a newer revision in a list has the account loaded');
is(last_of($list, $load), 'loaded', '... and refuses no repository');
is(last_of("SELECT set_account_state(try_lock_account('$did'), 'desynchronized', now())", $answer, $load), 'loaded',
	'... and neither does one in an answer about the account');
my @older = ($list, $load, $due);
my $to_do = q{SELECT count(*) FROM account WHERE check_at < 'infinity'};
is(last_of($list, $load, $state), 'synchronized',
	'an account whose repository is older follows the stream');
is(last_of(@older, 'SELECT did FROM claim_status_checks(9)'), $did, '... and the server is queried once more');
is(last_of(@older, $answer, $state), 'desynchronized', '... whose answer causes one more load');
is(last_of(@older, $answer, $load, $to_do), 0, '... after which the server is not queried again');
is(last_of(@older, $answer, $load, "SELECT store_account_status('$did', true, NULL, unsigned_rev::text, now())
	FROM account WHERE did = '$did'", $state), 'synchronized',
	'... and the same revision causes no third load');
is(last_of("UPDATE account SET said = now() + interval '1 s'", $answer, $state), 'desynchronized',
	'a newer revision counts even where the stream has reported on the account since');

# A frame that is refused for its form, or too large, may have been a commit.
sub commit
{
	my ($seq) = @_;
	return qq{demo.frame('#commit', '{"seq": $seq, "repo": "$did", "tooBig": true}')};
}
my $refused = 'SELECT demo.take(' . commit(11) . ')';
my $again   = 'SELECT demo.take(' . commit(12) . ')';
my $sync    = $refused =~ s/#commit/#sync/r =~ s/repo/did/r;
my $large   = "SELECT quarantine_oversized_frame('relay', sha256('x'), 6000000, '$did'); SELECT reconcile_wants(99)";
my $doubted = 'SELECT did FROM claim_status_checks(9)';
my $explain = "SELECT value FROM explain('$did') WHERE what";
is(last_of($refused, $doubted), $did,
	'a commit that is refused for its form has the server queried about its account');
is(last_of($sync, $doubted), $did, '... and a #sync');
is(last_of($large, $doubted), $did, '... and a frame that is too large');
is(last_of($large =~ s/\Q$did\E/did:web:nobody.example/r, "SELECT count(*), ($to_do) FROM bad"),
	'1|0',
	'... unless its account does not exist here');
is(last_of($refused, $doubted, $answer, $state), 'desynchronized',
	'... which has the account loaded if it is behind');
my $same = "SELECT store_account_status('$did', true, NULL, rev::text, now()) FROM account WHERE did = '$did'";
is(last_of($refused, $doubted, $same, $state),
	'synchronized', '... but not if it is not behind');
is(last_of($refused, $doubted, $same, $again, $doubted), '',
	'the server is queried once an hour');
is(last_of($refused, $doubted, $same, $again, "SELECT check_at BETWEEN now() + interval '59 min'
	AND now() + interval '61 min' FROM account WHERE did = '$did'"), 't', '... and then again');
is(last_of($refused, "$explain = 'answer'"),
	'it is here, but a frame of it was refused: the server will be queried for its revision',
	'explain() shows it');
like(last_of($refused, "UPDATE bad SET received = now() - interval '1 s'", $large,
	"$explain = 'frames refused'"),
	qr/^2, the newest at .*: The frame must not be longer than 5 MB; it has 6000000 bytes\.$/,
	'... with the number of frames, and the newest reason');
is(last_of($refused, $large, q{SELECT string_agg(concat(code, reason = words), ' ' ORDER BY code)
	FROM bad LEFT JOIN code USING (code)}), 'invalid_eventf oversizedf', '... each with its code');
is(last_of("SELECT exclude_account('$did')", $large, 'SELECT count(*) FROM bad'), 0,
	'nothing is kept for an excluded account');

# While the account is being loaded, the notice waits for the end of that.
$node->safe_psql($db, "SELECT set_account_state(try_lock_account('$did'), 'desynchronized', now())");
my $claim = $node->safe_psql($db,
	"SELECT claim FROM claim_loads(9, true, NULL, NULL, '{}') WHERE did = '$did'");
my $loader = $node->background_psql($db);
$loader->query_safe("BEGIN; SELECT store_repository('$did', $claim, demo.car('$did'))");
is($node->safe_psql($db, "SET lock_timeout = '5 s'; $refused;
	SELECT count(*) FROM notice WHERE what = 'refused'") =~ s/^\n//r, 1,
	'the stream does not wait for an account that is being loaded');
$loader->query_safe('COMMIT');
$loader->quit;
is($node->safe_psql($db, 'SELECT reconcile_wants(99)'), 1, '... and its notice is processed afterwards');
is($node->safe_psql($db, "SELECT check_at <= now() FROM account WHERE did = '$did'"), 't',
	'... with a query to the server');

# The third of four labels cannot be expressed as jsonb; the last frame has other labels.
my $labels = join ', ',
  map { qq({"src": "$second", "uri": "$did", "val": "$_", "cts": "2026-01-01T00:00:00Z"}) }
  qw(one two zero three);
my $zero = sub { return "decode(replace(encode($_[0], 'hex'), '7a65726f', '00000000'), 'hex')" };
my @two  = map { $zero->("demo.frame('#labels', '$_')") }
  (qq({"seq": 1, "labels": [$labels]}),
	'{"seq": 2, "labels": [{"val": "four", "x": "zero"}, {"val": "five"}]}');
my @taken = ("SELECT start_stream('labels', 'labels', NULL, 1)",
	"SELECT process_frames('labels', 0, 1, ARRAY[$two[0], $two[1]])");
is(last_of(@taken, q{SELECT string_agg(label->>'val', ' ' ORDER BY label->>'val')
	FROM labels_refused}), 'five one three two',
	'from a frame with labels that jsonb cannot hold, the others are stored');
is(last_of(@taken, q{SELECT count(*), count(frame), min(reason),
	(SELECT cursor FROM shard WHERE stream = 'labels') FROM bad WHERE stream = 'labels'}),
	'2|2|1 of its labels cannot be expressed as jsonb.|2', '... and the frame is kept');
my $body = sub { return $zero->("atid.record_to_dag_cbor(jsonb_build_object('labels', $_[0]))") };
my $short = $body->("(SELECT jsonb_agg(CASE n WHEN 1 THEN 'zero' ELSE '' END)
	FROM generate_series(1, 2000) AS n)");
my $long = $body->("jsonb_build_array('zero', repeat('x', 4000000))
	|| (SELECT jsonb_agg(n) FROM generate_series(1, 2000) AS n)");
is(last_of("SELECT format('%s of %s', lost, jsonb_array_length(labels)) FROM labels_of($short)"),
	'2 or more of 999', '... and at most a thousand of its labels are read');
cmp_ok(last_of("SELECT jsonb_array_length(labels) FROM labels_of($long)"), '<', 20,
	'... and few of a long frame');

# Frames of the kind #account: a is active, d and s are not, t is a reason that concerns the server.
$node->safe_psql($db, <<"SQL");
CREATE FUNCTION demo.closing(seq bigint, letter text) RETURNS bytea LANGUAGE sql
RETURN demo.frame('#account', jsonb_strip_nulls(jsonb_build_object('seq', seq, 'did', '$second',
  'time', '2026-01-01T00:00:00Z', 'active', letter = 'a', 'status',
  CASE letter WHEN 'd' THEN 'deleted' WHEN 's' THEN 'suspended' WHEN 't' THEN 'throttled' END)));
CREATE FUNCTION demo.outcome(letters text, together bool) RETURNS text LANGUAGE plpgsql AS \$\$
DECLARE
  seq CONSTANT bigint := (SELECT max(cursor) FROM shard WHERE stream = 'relay');
  all_frames CONSTANT bytea[] := ARRAY(SELECT demo.closing(seq + n, substr(letters, n, 1))
                                       FROM generate_series(1, length(letters)) AS n);
  one bytea;
BEGIN
  IF together THEN
    PERFORM process_frames('relay', 0, 1, all_frames);
  ELSE
    FOREACH one IN ARRAY all_frames LOOP PERFORM process_frames('relay', 0, 1, ARRAY[one]); END LOOP;
  END IF;
  RAISE EXCEPTION USING MESSAGE = (
    SELECT concat_ws(' ', a.state, a.status, a.said = now(), a.check_at, a.load_at = now(),
                     (SELECT count(*) FROM record AS r WHERE r.did = a.did))
    FROM account AS a WHERE a.did = '$second');
EXCEPTION WHEN raise_exception THEN
  RETURN SQLERRM;
END \$\$;
SQL
my @letters = qw(a d s t);
my @pairs   = map { my $x = $_; map { $x . $_ } @letters } @letters;
my @orders  = (@letters, @pairs, qw(dat tda atd ada dad ddd dta tat sda dst));
my $orders  = join ', ', map { "('$_')" } @orders;
my @outcome = split /\n/, last_of('SELECT create_temp_tables()',
	"SELECT l, demo.outcome(l, true), demo.outcome(l, false) FROM (VALUES $orders) AS v (l)");
is(scalar(@outcome), scalar(@orders), 'there are all orders of #account frames');
is(join('; ', grep { my (undef, $one, $other) = split /\|/; $one ne $other } @outcome), '',
	'... and together they have the same effect as one by one');
like(join("\n", @outcome), qr/^da\|desynchronized t infinity t 0\|/m,
	'... so an account that was deleted in between has no records');
is(last_of(q{SELECT process_frames('relay', 0, 1, ARRAY(SELECT demo.closing(100 + n,
	CASE n % 2 WHEN 0 THEN 'a' ELSE 'd' END) FROM generate_series(1, 300) AS n))},
	q{SELECT n_tup_upd < 30 FROM pg_stat_xact_user_tables WHERE relid = 'account'::regclass}), 't',
	'three hundred #account frames write their account only a few times');

# An error of the functions, and one of the same class that an operator's trigger raises.
my $other  = qq({"seq": 101, "did": "$third", "active": true, "time": "2026-01-01T00:00:00Z"});
my $frames = "ARRAY[demo.closing(100, 'd'), demo.frame('#account', '$other')]";
my $caught = sub {
	return "DO \$\$ BEGIN PERFORM process_frames('relay', 0, 1, $_[0]);
		EXCEPTION WHEN undefined_function OR undefined_table THEN NULL; END \$\$";
};
my $left = q{SELECT (SELECT count(*) FROM bad WHERE reason LIKE '%does not exist'),
	(SELECT max(cursor) FROM shard WHERE stream = 'relay'),
	(SELECT string_agg(state, ' ') FROM account)};
my $broken = 'ALTER FUNCTION apply_account_status RENAME TO told_of';
my $before = last_of($left);
is(last_of($broken, $caught->($frames), $left), $before,
	'if a function is missing, no frame is refused, and the cursor stays');
is(last_of($broken, $caught->("($frames)[2:2]"), $left), $before, '... with one frame, too');
like(last_of($broken, "SELECT process_frames('relay', 0, 1, $frames)"),
	qr/function apply_account_status\(.*\) does not exist/, '... but the error is raised');
foreach my $schema (qw(public indexer))
{
	my @trigger = ("CREATE FUNCTION $schema.audit() RETURNS trigger LANGUAGE plpgsql
		AS \$\$ BEGIN INSERT INTO nowhere VALUES (1); RETURN NULL; END \$\$",
		"CREATE TRIGGER audit AFTER UPDATE ON account FOR EACH ROW WHEN (OLD.did = '$second')
		EXECUTE FUNCTION $schema.audit()");
	is(last_of(@trigger, $caught->("($frames)[1:1]"), $left) =~ s/ .*//r, '1|100|synchronized',
		"a trigger in $schema that raises an error of that kind refuses its frame");
	is(last_of(@trigger, $caught->($frames), $left) =~ s/ .*//r, '1|101|synchronized',
		'... and no other');
}

# An operator's tables that have the names of temporary ones.
my @tables = map { "CREATE TABLE indexer.$_ ()" } qw(op said known batch fit held);
is(last_of(@tables, "SELECT process_frames('relay', 0, 1, $frames)", $load,
	"SELECT load_at, (SELECT max(cursor) FROM shard WHERE stream = 'relay')
	FROM account WHERE did = '$did'"), 'infinity|101',
	"tables with the names of temporary ones do no harm");
is(last_of(@tables, "SELECT reload_account('$did')", "SELECT exclude_account('$third')",
	'SELECT count(*) FROM account'), 2, '... also to other commands');

# Clocks. First one frame in a second, then many.
my $problem = "SELECT problem FROM status_stream WHERE name = 'relay'";
my $calm    = "UPDATE shard SET counted = clock_timestamp() - interval '1 s', frame_rate = 1,
	taken = now()";
my $wrong = "the database server's clock is %s the program's: correct the wrong one";
my %differ = (-3 * 86400, '3 days behind', 7300, '2 hours ahead of', -61, '61 seconds behind',
	130, '2 minutes ahead of');
foreach my $seconds (sort keys %differ)
{
	is(last_of($calm, "SELECT store_clock_offset('relay', $seconds)", $problem),
		sprintf($wrong, $differ{$seconds}), "a clock that is $differ{$seconds} the other");
}
is(last_of($calm, "SELECT store_clock_offset('relay', 59)", $problem), '',
	'... and one that is nearly right is not reported');
my $metric = "SELECT value FROM watch WHERE of = 'relay' AND what =";
is(last_of($calm, "SELECT store_clock_offset('relay', -3600)", "$metric 'stream_clock_ahead_seconds'"), -3600,
	'... as a metric');
# two of three frames, or every second one, have a time in the future
my $of_times = sub {
	my ($part) = @_;
	return "SELECT process_frames('relay', 0, 1, ARRAY(
		SELECT demo.frame('#account', jsonb_build_object('seq', 200 + n, 'did', '$second',
			'active', true,
			'time', to_char(t AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')))
		FROM generate_series(1, 600) AS n CROSS JOIN LATERAL (
			SELECT now() + CASE n % $part WHEN 0 THEN interval '-1 s' ELSE interval '1 h' END
		) AS x (t)))";
};
my $future = "most frames have times in the future: is the database server's clock behind?";
is(last_of($calm, $of_times->(3), $problem), $future, 'frames of a time that has not come');
is(last_of($calm, $of_times->(2), $problem), '', '... are no problem where they are not the most');
cmp_ok(last_of($calm, $of_times->(3), "$metric 'stream_future_per_second'"), '>', 1,
	'... as a metric');
# as if that clock were years behind: the revisions of demo/ are in the future then
is(last_of($calm =~ s/= 1,/= 0.1,/r, "CREATE OR REPLACE FUNCTION max_clock_skew() RETURNS interval
	LANGUAGE sql IMMUTABLE RETURN interval '-20 years'", "UPDATE account SET rev = '2222222222222' WHERE did = '$did'",
	"SELECT process_frames('relay', 0, 1,
	ARRAY(SELECT demo.sync(200 + n, '$did') FROM generate_series(1, 9) AS n))", $problem),
	$future, '... and with signed revisions');
like(last_of("SELECT set_account_state(try_lock_account('$did'), 'desynchronized', now())",
	"SELECT defer_load(did::atid.did, claim, 'future', NULL)
	FROM claim_loads(9, true, NULL, NULL, '{}') WHERE did = '$did'",
	"SELECT remedy FROM trouble WHERE did = '$did'"), qr/clock/,
	'an account whose revision is of the future names the clock');

#
# The program, in the network of indexer/t/oracles/hostile.js.
#
SKIP:
{
	my ($oracles, $why) = AtidTest::Oracles->new;
	skip $why, 1 unless defined $oracles;
	my $live = new_database($node, 'live');
	(my $indexer, $why) = AtidTest::Indexer->new($node, $live, $oracles);
	skip $why, 1 unless defined $indexer;
	program($indexer, $oracles->{folder});
}

sub program
{
	my ($indexer, $folder) = @_;
	my ($told, $stdin) = ('', '');
	my $limit   = 60 * $PostgreSQL::Test::Utils::timeout_default;
	my $network = IPC::Run::start(
		[ $indexer->{program}, "$folder/hostile.js", AtidTest::Oracles::seed() ],
		'<', \$stdin, '>', \$told, '2>', "$folder/hostile.log", IPC::Run::timer($limit));
	$network->pump until $told =~ /^port (\d+) (\d+)$/m || !$network->pumpable;
	my ($port, $directory) = $told =~ /^port (\d+) (\d+)$/m
	  or die 'hostile.js: ' . slurp_file("$folder/hostile.log");
	my $http = HTTP::Tiny->new(timeout => $limit, keep_alive => 0);
	my $play = sub {
		my $answer = $http->get("http://127.0.0.1:$port/$_[0]");
		die "hostile.js: $_[0]: $answer->{content}" unless $answer->{success};
		return decode_json($answer->{content});
	};
	my ($status, $said) = $indexer->command('init');
	is($status, 0, 'init') or die $said;
	my %settings = (ATID_SERVICE_URL => "http://127.0.0.1:$port",
		ATID_PLC_URL => "http://127.0.0.1:$directory", ATID_ALLOW_PRIVATE_ADDRESSES => 1);
	my $run  = $indexer->start(%settings);
	my $here = sub {
		my ($what, $of) = @_;
		return $indexer->wait_for($what,
			"SELECT count(*) = $of->{records} FROM record WHERE did = '$of->{did}'");
	};
	ok($indexer->wait_for('accounts are loaded',
		q{SELECT count(*) = 12 FROM account WHERE state = 'synchronized'}), 'accounts are loaded')
	  or diag(slurp_file($run->{log}));

	# Refused commits, with no other one after them.
	my $many = $play->('scene?name=many&n=201');
	ok($here->('201 operations', $many), 'the records of a commit of 201 operations are there');
	my $large = $play->('scene?name=many&of=2&n=200&length=30000');
	ok($here->('6 MB', $large), '... and those of a frame of 6 MB');
	is($indexer->ask("SELECT count(*) FROM bad WHERE did = '$large->{did}' AND frame IS NULL"), 1,
		'... which names its account');

	# A function is missing, as after a failed upgrade.
	my $bad = $indexer->ask('SELECT count(*) FROM bad');
	$indexer->ask('ALTER FUNCTION latest_account_states RENAME TO other_states');
	my $post = $play->('post');
	is($indexer->ended($run), 1 << 8, 'if a function is missing, the run ends');
	like(slurp_file($run->{log}),
		qr/error run failed error="The functions of the schema indexer do not work.*latest_account_states.*42883.*upgrade/,
		'... and its log names it');
	is($indexer->ask('SELECT count(*) FROM bad'), $bad, '... and no frame is refused');
	$indexer->ask('ALTER FUNCTION other_states RENAME TO latest_account_states');
	$run = $indexer->start(%settings);
	ok($indexer->wait_for('the post', "SELECT count(*) = 1 FROM record WHERE uri = '$post->{uri}'"),
		'once it is back, no frame is lost');

	# The program's clock is three days ahead of the database server's.
	$indexer->stop($run);
	my $later = 'data:text/javascript,globalThis.old=Date.now;Date.now=()=>old()+2592e5';
	$run = $indexer->start(%settings, NODE_OPTIONS => "--import $later");
	ok($indexer->wait_for('the clock', q{SELECT problem LIKE '%clock is 3 days behind%'
		FROM status_stream}), 'a clock that is behind is a problem of the stream');
	ok($indexer->wait_for_log($run, qr/error clock differs database_ahead_s=-259\d{3}$/m),
		'... and in the log');
	is(($indexer->command('status'))[0], 1, '... and status shows it');

	$indexer->stop($run);
	$network->kill_kill(grace => 0);
	return;
}

$node->stop;
done_testing();
