# The contexts in which a draw may have to write the horizon.
#
# Shows that a draw can write and flush it, and raise the streams to it,
# - in a read-only transaction, a serializable one, a subtransaction and a transaction that roll back;
# - in a SECURITY DEFINER function, in one with an empty search_path, by a role with no privilege;
# - in a parallel worker;
# - with wal_level = minimal, also in the transaction that has created the extension;
# - in a database made from a template that has it;
# - in a live session, after the extension was dropped and created again by another one;
# - during ALTER SEQUENCE, after its rollback, and after a timeout that ended a wait for it; a transaction
#   that has altered the sequence cannot draw, not even in a parallel worker;
# - when DROP EXTENSION and CREATE EXTENSION were the last commands before a crash: the new horizon covers
#   what the streams had handed out.
#
# In each case the horizon is first set ahead of all values, so that a session must rewrite the page. In the
# end the server crashes: nothing repeats or falls.
#
# Tags: medium differs

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Horizon;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $node = new_node('contexts', conf => <<'CONF');
wal_level = minimal
max_wal_senders = 0
wal_writer_delay = 10s
CONF
$node->safe_psql('postgres', 'CREATE ROLE plain LOGIN');
my $db    = new_database($node, 'atid_contexts');
my $super = AtidTest::Session->new($node, $db);
my $kept  = AtidTest::Kept->new;

is($super->ok('SHOW wal_level'), 'minimal', 'wal_level is minimal');
$super->ok(<<"SQL");
GRANT CREATE ON SCHEMA public TO PUBLIC;
CREATE FUNCTION definer(OUT t atid.tid, OUT u uuid) LANGUAGE sql SECURITY DEFINER
	AS 'SELECT @{[DRAW]}';
CREATE FUNCTION empty_path(OUT t atid.tid, OUT u uuid) LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
	AS 'BEGIN SELECT @{[DRAW]} INTO t, u; END';
CREATE FUNCTION caught(OUT t atid.tid, OUT u uuid) LANGUAGE plpgsql AS \$\$
BEGIN
	BEGIN
		SELECT @{[DRAW]} INTO t, u;
		RAISE EXCEPTION 'back';
	EXCEPTION WHEN raise_exception THEN
		NULL;
	END;
END \$\$;
CREATE TABLE kept (t atid.tid DEFAULT atid.tid_generate(), u uuid DEFAULT atid.uuid_generate_v7());
GRANT ALL ON kept TO PUBLIC;
CREATE TABLE many AS SELECT g FROM generate_series(1, 10000) g;
ANALYZE many;
GRANT SELECT ON many TO PUBLIC;
SQL

# A step of a minute each, so that each needs its own write.
my $minutes = 0;

# Runs statements in a new session of a plain role. The first line of their output was drawn by the process
# that had to write the page.
sub writes
{
	my ($what, @statements) = @_;
	$minutes++;
	set_horizon($super, 60 * $minutes);
	my ($set, $life) = horizon_page($super);
	is($life, 0, "$what: the page is nobody's");

	my $session = AtidTest::Session->new($node, $db, user => 'plain');
	$session->ok("SET statement_timeout = '20s'");
	my $out = '';
	foreach my $statement (@statements)
	{
		my ($more, $state, $err) = $session->try($statement);
		is($state, '00000', "$what: done") or diag($err);
		$out .= "$more\n" if $more ne '';
	}
	my ($tids, $uuids) = parse_drawn($out);
	$kept->new_ones($what, $tids, $uuids);
	cmp_ok(tid_us($tids->[0]), '>=', $set, "$what: TIDs are raised to the horizon") if @$tids;
	cmp_ok(uuid_us($uuids->[0]) + 1, '>=', $set, "$what: and to UUIDs") if @$uuids;
	(my $us, $life) = horizon_page($super);
	cmp_ok($life, '<', 0, "$what: the page is a generator's");
	cmp_ok($us, '>', $kept->highest_us, "$what: and covers what was drawn");
	$kept->goes_on("$what, then on", $session);
	$session->quit;
	return;
}

writes('read-only transaction', 'BEGIN READ ONLY', 'SELECT ' . DRAW, 'COMMIT');
writes('serializable read-only deferrable transaction',
	'BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE', 'SELECT ' . DRAW, 'COMMIT');
writes('default_transaction_read_only', 'SET default_transaction_read_only = on', 'SELECT ' . DRAW);
writes('transaction that rolls back', 'BEGIN', 'SELECT ' . DRAW, 'ROLLBACK');
writes('subtransaction that rolls back',
	'BEGIN', 'SAVEPOINT s', 'SELECT ' . DRAW, 'ROLLBACK TO s', 'SELECT ' . DRAW, 'COMMIT');
writes('exception block', 'SELECT t, u FROM caught()', 'SELECT ' . DRAW);
writes('SECURITY DEFINER', 'SELECT t, u FROM definer()');
writes('empty search_path', 'SELECT t, u FROM empty_path()');
writes('defaults of a table', 'INSERT INTO kept DEFAULT VALUES RETURNING t, u');
writes('COPY FROM', "COPY kept (t) FROM STDIN;\n3jzfcijpj2z2a\n\\.\nSELECT " . DRAW);
writes('cursor', 'BEGIN', 'DECLARE c CURSOR WITH HOLD FOR SELECT ' . DRAW, 'COMMIT', 'FETCH c');
writes('prepared transaction-free function', 'PREPARE p AS SELECT ' . DRAW, 'EXECUTE p');
writes('new table', 'CREATE TABLE drawn_into AS SELECT atid.tid_generate() AS t, atid.uuid_generate_v7() AS u',
	'SELECT t, u FROM drawn_into');

#
# In a parallel worker, and by no other process: the leader does not take part.
#
writes(
	'parallel worker',
	"SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET parallel_leader_participation = off; SET max_parallel_workers_per_gather = 2",
	"SELECT min(t::text), min(u::text) FROM (SELECT @{[DRAW]} FROM many OFFSET 0) d (t, u)");
{
	my $session = AtidTest::Session->new($node, $db);
	like(
		$session->ok(
			"SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET parallel_leader_participation = off; SET max_parallel_workers_per_gather = 2; EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF) SELECT min(t::text), min(u::text) FROM (SELECT @{[DRAW]} FROM many OFFSET 0) d (t, u)"
		),
		qr/Workers Launched: [1-9].*Parallel Seq Scan[^\n]*\n\s+Output: [^\n]*tid_generate/s,
		'parallel worker: the plan has the draw in a worker');
	$session->quit;
}

#
# ALTER SEQUENCE under way, and rolled back.
#
{
	my $session = AtidTest::Session->new($node, $db, user => 'plain');
	my $altering = AtidTest::Session->new($node, $db);
	$kept->goes_on('ALTER SEQUENCE: before', $session);
	$altering->ok('BEGIN; ALTER SEQUENCE atid.generator_horizon RESTART WITH 5 CACHE 1');
	sleep 1.1;
	$session->ok("SET statement_timeout = '300ms'");
	my (undef, $state) = $session->try('SELECT ' . DRAW);
	is($state, '57014', 'ALTER SEQUENCE: a timeout ends the wait for it');
	cmp_ok($session->took, '<', 20, 'ALTER SEQUENCE: at once');
	$session->ok("SET statement_timeout = '20s'");
	$session->send('SELECT ' . DRAW);
	$altering->ok('ROLLBACK');
	my ($out) = $session->result;
	$kept->new_ones('ALTER SEQUENCE: rolled back', parse_drawn("$out\n"));
	$altering->ok('ALTER SEQUENCE atid.generator_horizon CACHE 1 NO CYCLE');
	$kept->goes_on('ALTER SEQUENCE: done', $_) foreach $session, $altering;
	$_->quit foreach $session, $altering;
	my $new = AtidTest::Session->new($node, $db);
	$kept->goes_on('ALTER SEQUENCE: done, a new session', $new);

	# The identifiers of a worker would be covered by a file that is deleted by the rollback.
	my $workers =
	  "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET parallel_leader_participation = off; SET max_parallel_workers_per_gather = 2";
	my $in_workers = "SELECT min(t::text), min(u::text) FROM (SELECT @{[DRAW]} FROM many OFFSET 0) d (t, u)";
	$new->ok($workers);
	$new->ok('BEGIN; ALTER SEQUENCE atid.generator_horizon CACHE 1');
	(undef, $state, my $err) = $new->try($in_workers);
	is($state, '55000', 'ALTER SEQUENCE: no worker of the same transaction draws');
	like($err, qr/was altered in this transaction/, 'ALTER SEQUENCE: and says why');
	$new->ok('ROLLBACK');
	$kept->new_ones('ALTER SEQUENCE: rolled back, then in workers',
		parse_drawn($new->ok($in_workers) . "\n"));
	$new->quit;
}

#
# All of these were durable, with wal_level = minimal.
#
$super->quit;
$node->stop('immediate');
$node->start;
$super = AtidTest::Session->new($node, $db);
$kept->goes_on('after a crash', $super, within => 5);
$super->quit;

#
# The extension created and used in one transaction.
#
$db = 'in_one';
$node->safe_psql('postgres', "CREATE DATABASE $db");
$kept = AtidTest::Kept->new;
{
	my $session = AtidTest::Session->new($node, $db);
	my ($tids, $uuids) = parse_drawn($session->ok(<<"SQL") . "\n");
BEGIN;
CREATE EXTENSION atid;
CREATE TABLE kept AS SELECT atid.tid_generate() AS t, atid.uuid_generate_v7() AS u;
SAVEPOINT s;
INSERT INTO kept VALUES (@{[DRAW]});
ROLLBACK TO s;
INSERT INTO kept VALUES (@{[DRAW]}) RETURNING t, u;
SELECT setval('atid.generator_horizon', ((extract(epoch FROM now()) + 3600) * 1000000)::bigint) \\g /dev/null
COMMIT;
SQL
	$kept->new_ones('created in the transaction', $tids, $uuids);
	sleep 1.1;
	$kept->goes_on('created in the transaction, then on', $session);
	cmp_ok(ahead_of($session, 'tid'), '>', 3500, 'created in the transaction: an hour ahead');
	$node->stop('immediate');
	$session->quit;
	$node->start;
	$session = AtidTest::Session->new($node, $db);
	$kept->goes_on('created in the transaction, after a crash', $session, within => 5);
	$session->quit;
}

#
# A template.
#
{
	$node->safe_psql('postgres', "CREATE DATABASE of_template TEMPLATE $db");
	my $session = AtidTest::Session->new($node, 'of_template');
	my $again   = AtidTest::Kept->new;
	$again->{$_}{max} = $kept->{$_}{max} foreach qw(tid order);
	$again->goes_on('of a template', $session, within => 5);
	my $template = AtidTest::Session->new($node, $db);
	$kept->goes_on('the template itself', $template, within => 5);
	isnt(
		$session->ok('SELECT since FROM atid.generator_state()'),
		$template->ok('SELECT since FROM atid.generator_state()'),
		'of a template: a life of its own');
	$_->quit foreach $session, $template;
	$node->stop('immediate');
	$node->start;
	$session = AtidTest::Session->new($node, 'of_template');
	$again->goes_on('of a template, after a crash', $session, within => 5);
	$session->quit;
}

#
# Dropped and created again by another session. The horizon of the dropped one is lost, but in a server that
# has not been restarted the streams continue.
#
{
	$db = new_database($node, 'again');
	$kept = AtidTest::Kept->new;
	my ($one, $two) = map { AtidTest::Session->new($node, $db) } 1 .. 2;
	$kept->goes_on('created again, before', $_) foreach $one, $two;
	foreach my $round (1 .. 3)
	{
		my ($by, $other) = $round % 2 ? ($one, $two) : ($two, $one);
		$by->ok('DROP EXTENSION atid');
		is(($other->try('SELECT ' . DRAW))[1], '42883', "dropped, round $round: nothing to draw from");
		$by->ok('CREATE EXTENSION atid');
		$kept->goes_on("created again, round $round", $_) foreach $other, $by;
		my ($us, $life) = horizon_page($by);
		cmp_ok($us, '>', $kept->highest_us, "created again, round $round: the new page covers it");
		cmp_ok($life, '<', 0, "created again, round $round: and is the generator's");
	}
	set_horizon($one, 600);
	sleep 1.1;
	$kept->goes_on('created again, minutes ahead', $_) foreach $one, $two;
	$_->quit foreach $one, $two;
	$node->stop('immediate');
	$node->start;
	$one = AtidTest::Session->new($node, $db);
	$kept->goes_on('created again, after a crash', $one, within => 5);

	# With no draw after CREATE EXTENSION. Another session knows the dropped sequence's horizon.
	$two = AtidTest::Session->new($node, $db);
	foreach my $end ('DROP and CREATE', 'in one transaction')
	{
		set_horizon($one, $end eq 'DROP and CREATE' ? 1200 : 1800);
		sleep 1.1;
		$kept->goes_on("created again, $end: ahead", $_) foreach $one, $two;
		my $id = $one->ok('SELECT clock_id FROM atid.generator_state()');
		my @statements = ('DROP EXTENSION atid', 'CREATE EXTENSION atid');
		@statements = ('BEGIN', @statements, 'COMMIT') if $end eq 'in one transaction';
		$one->ok($_) foreach @statements;
		is($one->ok('SELECT clock_id FROM atid.generator_state()'), $id, "created again, $end: one clock id");
		cmp_ok((horizon_page($one))[0], '>', $kept->highest_us, "created again, $end: the new page covers it");
		$_->quit foreach $one, $two;
		$node->stop('immediate');
		$node->start;
		($one, $two) = map { AtidTest::Session->new($node, $db) } 1 .. 2;
		$kept->goes_on("created again, $end, no draw, a crash", $_, within => 5) foreach $one, $two;
	}

	# Rolled back: the old sequence continues, and the values that the new one covered are not lost.
	$one->ok('BEGIN; DROP EXTENSION atid; CREATE EXTENSION atid');
	$one->ok('ROLLBACK');
	$kept->goes_on('created again, rolled back', $_) foreach $two, $one;
	$_->quit foreach $one, $two;
	$node->stop('immediate');
	$node->start;
	$one = AtidTest::Session->new($node, $db);
	$kept->goes_on('created again, rolled back, a crash', $one, within => 5);
	$one->quit;

	# Where nothing was drawn there is nothing to cover.
	$one = AtidTest::Session->new($node, new_database($node, 'never_drawn'));
	is($one->ok('SELECT last_value FROM atid.generator_horizon'), '0', 'created: a new horizon is 0');
	$one->quit;
}

$node->stop;
done_testing();
