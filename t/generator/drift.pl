# Bursts that are faster than the stream's ticks, and the settings that limit them.
#
# Shows that
# - a burst never runs further ahead of the clock than atid.max_drift: it waits, and continues;
# - the wait ends at once for a statement timeout, a cancel, a termination and a server stop; it shows
#   in pg_stat_activity and in the view of doc/generator.md, and an interrupted draw does not change the
#   stream;
# - an ordinary session cannot set atid.clock_id and atid.max_drift; ALTER DATABASE can; they take effect
#   at once and refuse values outside their ranges; before a session has used the extension, ALTER SYSTEM
#   takes any value for one that is set already, and LOAD prevents that;
# - after the streams were raised to a horizon far ahead, a session waits only if it has a lower
#   atid.max_drift than the session that raised them.
#
# Tags: long differs

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $node = new_node('drift');
$node->safe_psql('postgres', 'CREATE ROLE plain LOGIN');

# The view that the chapter recommends.
my ($view) =
  slurp_file("$FindBin::Bin/../../doc/generator.md") =~ /^(CREATE VIEW public\.generator_health .*?;)$/ms;

my %draw = (tid => 'atid.tid_generate()', v7 => 'atid.uuid_generate_v7()');
my %per_second = (tid => 1_000_000, v7 => 4_096_000);

#
# A burst waits.
#
use constant {
	DRIFT => 0.05,
	# The time that an adjusted clock can add.
	SLACK => 0.02
};

foreach my $kind (qw(tid v7))
{
	my $db = new_database($node, "burst_$kind");
	$node->safe_psql('postgres', "ALTER DATABASE $db SET atid.max_drift = '50ms'");

	my $session  = AtidTest::Session->new($node, $db, user => 'plain');
	my $observer = AtidTest::Session->new($node, $db);
	is($session->ok('SHOW atid.max_drift') . $session->ok("SELECT $draw{$kind} IS NULL"),
		'50msf', "$kind: ALTER DATABASE sets the cap before the first draw");

	# One second and a half of stream.
	my $count = 1.5 * $per_second{$kind};
	my ($highest, $least, $looks) = (0, 0, 0);
	$session->send(burst($kind, $count));
	until ($session->answered)
	{
		my $ahead = $observer->ok(
			'SELECT extract(epoch FROM ahead) FROM atid.generator_state()');
		$highest = $ahead if $ahead > $highest;
		# the stream may advance between reading it and reading the clock
		$least = $ahead - $observer->took if $ahead - $observer->took > $least;
		$looks++;
	}
	my ($out, $state) = $session->result;
	is("$state $out", "00000 $count", "$kind: the burst came to its end");
	cmp_ok($session->took, '>', 1.5 - DRIFT - SLACK, "$kind: and took the stream's own time");
	cmp_ok($session->took, '<', 60, "$kind: and hardly more");
	cmp_ok($looks, '>', 0, "$kind: it was looked at meanwhile");
	cmp_ok($least, '<=', DRIFT + SLACK, "$kind: it never was further ahead than the cap");

  SKIP:
	{
		# A slow machine draws no faster than the stream's ticks pass.
		skip 'this machine is too slow to run ahead of the clock', 1 if $session->took > 1.7;
		cmp_ok($highest, '>', DRIFT / 2, "$kind: and it was ahead");
	}

	# Two sessions share one stream and one cap.
	my @files = run_together($node, $db,
		("COPY (SELECT $draw{$kind} FROM generate_series(1, 100000)) TO STDOUT;\n") x 4);
	my @lists = map {
		my ($list) = read_stream($_, 1);
		$kind eq 'tid' ? $list : [ map { v7_order($_) } @$list ]
	} @files;
	is(join(' ', map { falls($_) } @lists),
		'0 0 0 0', "$kind: four sessions at the cap: each one's stream rises");
	is(duplicates(@lists), 0, "$kind: four sessions at the cap: nothing twice");

	$session->quit;
	$observer->quit;
}

#
# The wait can be interrupted. With the cap taken away a session runs seconds ahead; with the cap
# back, the next draw has seconds to wait.
#
foreach my $kind (qw(tid v7))
{
	my $db      = new_database($node, "wait_$kind");
	my $session = AtidTest::Session->new($node, $db);
	my $other   = AtidTest::Session->new($node, $db);
	my $draw    = $draw{$kind};
	$node->safe_psql($db, $view);
	my (@drawn, $state, $err, $out);

  SKIP:
	{
		my $seconds = $kind eq 'tid' ? 8 : 4;
		skip 'this machine is too slow to run ahead of the clock', 17
		  unless run_ahead($session, $kind, $seconds);
		push @drawn, $session->ok("SELECT $draw");
		$session->ok("SET atid.max_drift = '1ms'");
		$session->ok("SET statement_timeout = '200ms'");
		($out, $state) = $session->try("SELECT $draw");
		is($state, '57014', "$kind: statement_timeout ends the wait");
		cmp_ok($session->took, '>', 0.15, "$kind: which was one");
		cmp_ok($session->took, '<', $seconds - 1, "$kind: and ended before it was over");
		$session->ok("RESET statement_timeout");

		# Likewise in the middle of a burst, in a subtransaction.
		($out, $state, $err) = $session->try(<<"SQL");
SET statement_timeout = '200ms';
DO \$\$
BEGIN
	BEGIN
		PERFORM $draw FROM generate_series(1, 1000);
	EXCEPTION WHEN query_canceled THEN
		RAISE NOTICE 'caught';
	END;
END \$\$;
RESET statement_timeout;
SQL
		like($err, qr/NOTICE:  caught/, "$kind: also where the timeout is caught");

		# A cancel, and the output of pg_stat_activity before it.
		$session->send("SELECT $draw");
		my $activity = 'SELECT wait_event_type, wait_event FROM pg_stat_activity WHERE pid = '
		  . $session->pid;
		ok( $node->poll_query_until(
				$db,
				"SELECT wait_event_type = 'Extension' FROM pg_stat_activity WHERE pid = "
				  . $session->pid),
			"$kind: the wait shows in pg_stat_activity");
		like($node->safe_psql($db, $activity),
			qr/^Extension\|(Extension|Atid\w+)$/, "$kind: under an extension's name");
		is($node->safe_psql($db, 'SELECT drift_waits, oldest_wait IS NOT NULL FROM generator_health'),
			'1|t', "$kind: the view of the chapter counts it");
		my $asked = time;
		$other->ok('SELECT pg_cancel_backend(' . $session->pid . ')');
		(undef, $state) = $session->result;
		is($state, '57014', "$kind: pg_cancel_backend ends the wait");
		cmp_ok(time - $asked, '<', $seconds - 1, "$kind: before it was over");
		is($node->safe_psql($db, 'SELECT drift_waits, oldest_wait IS NOT NULL FROM generator_health'),
			'0|f', "$kind: and then no more");

		# None of these consumed a value: the next value is the one that they would have had.
		push @drawn, $other->ok("SELECT $draw");
		is( $kind eq 'tid'
			? tid_us($drawn[1]) - tid_us($drawn[0])
			: uuid_tick($drawn[1]) - uuid_tick($drawn[0]),
			1,
			"$kind: what was interrupted took nothing from the stream");

		# A termination.
		$session->send("SELECT $draw");
		$node->poll_query_until($db,
			"SELECT wait_event_type = 'Extension' FROM pg_stat_activity WHERE pid = "
			  . $session->pid);
		$asked = time;
		$other->ok('SELECT pg_terminate_backend(' . $session->pid . ')');
		($out, $state, $err) = $session->result;
		is($state, 'gone', "$kind: pg_terminate_backend ends the wait");
		like($err, qr/terminating connection due to administrator command/, "$kind: and says so");
		cmp_ok(time - $asked, '<', $seconds - 1, "$kind: before it was over");

		# The others continue, above all values drawn, and the wait itself ends.
		$session = AtidTest::Session->new($node, $db);
		push @drawn, $other->ok("SELECT $draw");
		$session->ok("SET atid.max_drift = '1s'");
		my $ahead = ahead_of($other, $kind);
		push @drawn, $session->ok("SELECT $draw");
		cmp_ok($session->took, '>', $ahead - 1.1, "$kind: a wait lasts until the clock is near");
		cmp_ok($session->took, '<', $ahead - 1 + 10, "$kind: and no longer");
		push @drawn, $other->ok("SELECT $draw");
		is(falls([ $kind eq 'tid' ? @drawn : map { v7_order($_) } @drawn ]),
			0, "$kind: all that was drawn rises");

		# Even the lowest cap permits draws.
		$session->ok("SET atid.max_drift = '1ms'");
		is($session->ok(burst($kind, 100_000)),
			'100000', "$kind: with the lowest cap a session draws in step with the clock");
	}
	$_->quit foreach $session, $other;
}

#
# A fast stop does not wait for a waiting draw.
#
{
	my $session = AtidTest::Session->new($node, 'wait_tid');
	run_ahead($session, 'tid', 20);
	$session->ok("SET atid.max_drift = '1ms'");
	$session->send('SELECT atid.tid_generate()');
	$node->poll_query_until('postgres',
		"SELECT wait_event_type = 'Extension' FROM pg_stat_activity WHERE pid = "
		  . $session->pid);
	my $asked = time;
	$node->stop('fast');
	my (undef, $state) = $session->result;
	is($state, 'gone', 'a fast stop ends the wait');
	cmp_ok(time - $asked, '<', 15, 'before it would have ended by itself');
	$session->quit;
	$node->start;
}

#
# The settings.
#
my $db    = new_database($node, 'settings');
my $super = AtidTest::Session->new($node, $db);
my $plain = AtidTest::Session->new($node, $db, user => 'plain');

# A first draw loads the library; before, the names are only placeholders.
$_->ok('SELECT atid.tid_generate()') foreach $super, $plain;

is($plain->ok('SHOW atid.clock_id'), '-1', 'atid.clock_id: -1 is the default');
is($plain->ok('SHOW atid.max_drift'), '1min', 'atid.max_drift: one minute is the default');

foreach my $setting ('atid.clock_id = 1', 'atid.clock_id = -1', 'atid.max_drift = 1',
	"atid.max_drift = '1h'")
{
	my (undef, $state) = $plain->try("SET $setting");
	is($state, '42501', "an ordinary role cannot SET $setting");
	(undef, $state) = $plain->try("ALTER ROLE plain SET $setting");
	is($state, '42501', "an ordinary role cannot keep $setting for itself");
}
{
	# The names are not known to a session that has not loaded the library: it may set anything, and
	# loses it when it first draws.
	my $fresh = AtidTest::Session->new($node, $db, user => 'plain');
	$fresh->try('SET atid.clock_id = 3');
	my $before = $super->ok('SELECT atid.tid_clock_id(atid.tid_generate())');
	my ($id) = $fresh->try('SELECT atid.tid_clock_id(atid.tid_generate())');
	is($id, $before, 'an ordinary role cannot SET atid.clock_id before the library is there');
	$fresh->quit;
}
foreach my $setting (
	'atid.clock_id = 1024',
	'atid.clock_id = -2',
	"atid.clock_id = 'seven'",
	'atid.max_drift = -1',
	'atid.max_drift = 0',
	"atid.max_drift = '10 apples'")
{
	my (undef, $state) = $super->try("SET $setting");
	is($state, '22023', "SET $setting is refused");
}
foreach my $clock_id (0, 7, 1023)
{
	$super->ok("SET atid.clock_id = $clock_id");
	is($super->ok('SELECT atid.tid_clock_id(atid.tid_generate())'),
		$clock_id, "atid.clock_id = $clock_id takes effect at once");
	is($super->ok('SELECT atid.tid_clock_id(atid.tid_generate()) FROM generate_series(1, 2)'),
		"$clock_id\n$clock_id", "atid.clock_id = $clock_id stays");
}
my $random = $plain->ok('SELECT atid.tid_clock_id(atid.tid_generate())');
$super->ok('SET atid.clock_id = -1');
is($super->ok('SELECT atid.tid_clock_id(atid.tid_generate())'),
	$random, 'atid.clock_id = -1: back to the random one that all sessions share');

# The clock id is the last part of a TID and must not decide the order.
my @tids;
foreach my $clock_id (1023, 0, 512, 0, 1023, 1)
{
	$super->ok("SET atid.clock_id = $clock_id");
	push @tids, $super->ok('SELECT atid.tid_generate()');
	push @tids, $plain->ok('SELECT atid.tid_generate()');
}
is(falls(\@tids), 0, 'with clock ids changing, the TIDs rise');

is( $super->ok(
		'RESET atid.clock_id; SELECT s.clock_id = atid.tid_clock_id(s.last_tid) FROM atid.generator_state() s'
	),
	't',
	'generator_state: one clock id');

$node->safe_psql('postgres', "ALTER DATABASE $db SET atid.clock_id = 7");
my $later = AtidTest::Session->new($node, $db, user => 'plain');
is($later->ok('SELECT atid.tid_clock_id(atid.tid_generate())'),
	'7', 'ALTER DATABASE ... SET atid.clock_id reaches a new session of an ordinary role');
is($plain->ok('SELECT atid.tid_clock_id(atid.tid_generate())'),
	$random, 'and leaves a session that was there');
$later->quit;

my %random;
foreach my $n (1 .. 4)
{
	my $one = new_database($node, "random$n");
	my @ids = map {
		$node->safe_psql($one, 'SELECT atid.tid_clock_id(atid.tid_generate())')
	} 1 .. 2;
	is($ids[0], $ids[1], "database $n: one random clock id for all sessions");
	cmp_ok($ids[0], '<=', 1023, "database $n: in 0..1023");
	$random{ $ids[0] } = 1;
}
# All four equal: probability 2^-30.
cmp_ok(scalar keys %random, '>', 1, 'databases have random clock ids of their own');

# generator_state() is for monitoring a server.
$node->safe_psql('postgres', 'CREATE ROLE monitor LOGIN IN ROLE pg_monitor');
my $monitor = AtidTest::Session->new($node, $db, user => 'monitor');
is($monitor->ok('SELECT count(*) FROM atid.generator_state()'),
	'1', 'generator_state: open to pg_monitor');
my (undef, $state) = $plain->try('SELECT * FROM atid.generator_state()');
is($state, '42501', 'generator_state: closed to others');

# The session that draws first raises the streams.
{
	my @sessions = map { AtidTest::Session->new($node, new_database($node, "raised_by_$_")) } qw(more less);
	foreach my $first ('1d', '1min')
	{
		my $session = shift @sessions;
		$session->ok("SELECT setval('atid.generator_horizon', ((extract(epoch FROM clock_timestamp()) + 3600) * 1000000)::bigint)");
		$session->ok("SET statement_timeout = '1s'; SET atid.max_drift = '$first'; SELECT atid.tid_generate()");
		my (undef, $state) = $session->try('RESET atid.max_drift; SELECT atid.tid_generate()');
		is($state, $first eq '1d' ? '57014' : '00000', "raised by a session with $first, then one with 1min");
		is(($session->try("SET atid.max_drift = '$first'; SELECT atid.tid_generate()"))[1],
			'00000', "raised by a session with $first, then one with $first");
		$session->quit;
	}
}

$_->quit foreach $super, $plain, $monitor;

# The value that a fresh session has of a setting from the server's file.
$node->append_conf('postgresql.conf', "atid.reserve = '2s'");
$node->restart;
{
	my $fresh = AtidTest::Session->new($node, 'postgres');
	is($fresh->ok('SHOW atid.reserve'), '2s', 'a fresh session shows what postgresql.conf has');
	my $wrong = "ALTER SYSTEM SET atid.reserve = 'wrong'";
	is(($fresh->try($wrong))[1], '00000', 'and takes any value for it');
	$fresh->ok('ALTER SYSTEM RESET atid.reserve');
	is(($fresh->try("LOAD 'atid'; $wrong"))[1], '22023', 'but not after LOAD');
	$fresh->quit;
}

$node->stop;
done_testing();
