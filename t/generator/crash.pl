# Identifiers before and after a crash.
#
# Shows that no TID and no version 7 UUID is handed out twice, and each is greater than all before it,
# whether committed or only received by a client,
# - when the server is stopped immediately under four working clients, again and again;
# - when a backend is killed and the server restarts itself;
# - when it crashes while the only session that drew is still in a read-only transaction, so that only the
#   draw itself can have put the horizon on disk;
# - when it crashes at the very tick of the horizon;
# - when nextval() was called on the horizon's sequence before the horizon was raised.
#
# A clock that simply goes on hides a lost horizon: when the server is back, it is above every value that
# was handed out. So the stream has to be ahead of the clock, and the first test counts how often it was.
# Each life begins at the last one's horizon, which is seconds above the values drawn (atid.reserve); that
# and bursts keep the stream ahead.
#
# ATID_CRASH_CYCLES sets how often the server is stopped; 100 times takes about a minute.
#
# Tags: long differs

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

use constant CYCLES => $ENV{ATID_CRASH_CYCLES} || ($ENV{ATID_FULL} ? 200 : 25);

# Only processes die here, and the system keeps the data that they have written: fsync would show nothing
# more, and would make the test depend on how busy the disk is. No walwriter flushes in between.
my $node = new_node('crash', conf => <<'CONF');
shared_buffers = 8MB
wal_writer_delay = 10s
restart_after_crash = on
CONF
my $db   = new_database($node, 'atid_crash');
my $kept = AtidTest::Kept->new;
$node->safe_psql($db, 'CREATE TABLE committed (t atid.tid, u uuid)');

#
# The server is stopped immediately under four clients.
#
$node->stop;
my %sum     = (telling => 0, committed => 0, drawn => 0);
my @reserve = ('3s', '20ms', '1s', '5ms');
my $slowest = 0;
my $done    = 0;
my $bad     = '';
while ($done < CYCLES && !$bad)
{
	my $life = crash_cycle(
		$node, $db, $kept,
		start   => sub { $node->start },
		clients => 4,
		reserve => $reserve[ $done % @reserve ],
		busy    => 0.02 + rand 0.1);
	$done++;
	$bad = "life $done: $life->{bad}" if $life->{bad};
	$sum{$_} += $life->{$_} || 0 foreach keys %sum;
	$slowest = $life->{took} if $life->{took} > $slowest;
}
is($bad, '', 'immediate stops: nothing repeats or falls');
is($done, CYCLES, 'immediate stops: ' . CYCLES . ' of them');
cmp_ok($sum{drawn}, '>=', 10 * $done, 'immediate stops: clients have drawn in read-only transactions');
cmp_ok($sum{committed}, '>=', 10 * ($done - 1), 'immediate stops: and have committed to a table');
cmp_ok($sum{telling}, '>=', $done / 2,
	'immediate stops: mostly the stream was ahead of the clock, so that a lost horizon would show');
cmp_ok($slowest, '<', 5, 'immediate stops: no first draw has to wait');
note("$sum{drawn} drawn, $sum{committed} committed, $sum{telling} lives ahead of the clock, slowest first draw $slowest s");

#
# A backend is killed; or the server is stopped while nothing has been committed since the draw.
#
$node->start;
foreach my $round (1 .. 6)
{
	my $by_kill = $round % 2;
	my $what =
	  $by_kill ? "backend killed, round $round" : "stopped in a read-only transaction, round $round";
	my $session = AtidTest::Session->new($node, $db);
	my $other   = AtidTest::Session->new($node, $db);

	# Seconds ahead: the restart takes less.
	set_horizon($session, 10);
	$_->ok("SET atid.reserve = '20ms'") foreach $session, $other;
	$kept->goes_on("$what: before", $session);
	$kept->goes_on("$what: before, another session", $other);

	# From here on only the draws flush WAL.
	$session->ok('BEGIN READ ONLY');
	my $before = $session->ok('SELECT last_value FROM atid.generator_horizon');
	$session->ok(burst('tid', 100_000));
	$kept->goes_on("$what: in the transaction", $session, count => 100);
	my $raised = $session->ok("SELECT last_value - $before FROM atid.generator_horizon");

	if ($by_kill)
	{
		kill 'KILL', $session->pid;

		# The server takes the other session down, too, and then comes back.
		my $until = time + $PostgreSQL::Test::Utils::timeout_default;
		while (kill 0, $other->pid)
		{
			die 'the server did not notice' if time > $until;
			sleep 0.02;
		}
		comes_back($node, $db)
		  or die 'the server did not come back';
	}
	else
	{
		$node->stop('immediate');
		$node->start;
	}
	cmp_ok($raised, '>=', 90_000, "$what: the horizon was raised in it");
	$_->quit foreach $session, $other;

	my @later = map { AtidTest::Session->new($node, $db) } 1 .. 2;
	$kept->goes_on("$what: after it", $_, within => 5) foreach @later;
	$_->quit foreach @later;
}

#
# Up to the last tick below the horizon and one further: the first after a crash is the horizon itself, so
# a draw that hands it out without raising it repeats it.
#
foreach my $kind (qw(tid v7))
{
	my $what    = "crash at the horizon, $kind";
	my $session = AtidTest::Session->new($node, $db);
	set_horizon($session, 10);
	$session->ok("SET atid.reserve = '20ms'");
	$kept->goes_on("$what: before", $session);

	my ($us) = horizon_page($session);
	my ($tids, $uuids) = draw($session, 1);
	$kept->late($tids, $uuids);
	my $left =
	  $kind eq 'tid'
	  ? $us - tid_us($tids->[0])
	  : (int($us / 1000) << 12 | int($us % 1000 * 4096 / 1000)) - uuid_tick($uuids->[0]);
	my $draw = (split /, /, DRAW)[ $kind eq 'v7' ];
	my $last = $session->ok(
		"SELECT max(d::text) FROM (SELECT $draw FROM generate_series(1, $left)) AS drawn (d)");
	my $at = $kind eq 'tid' ? tid_us($last) : uuid_us($last);
	cmp_ok(abs($at - $us), '<=', 1, "$what: this is where it was");
	cmp_ok((horizon_page($session))[0], '>', $at, "$what: it has been raised");
	$kept->late($kind eq 'tid' ? ([$last], []) : ([], [$last]));

	$node->stop('immediate');
	$session->quit;
	$node->start;
	$session = AtidTest::Session->new($node, $db);
	$kept->goes_on("$what: after it", $session);
	$session->quit;
}

#
# nextval() was called, and the horizon raised after it, to a value that ends in the same byte.
#
{
	my $what    = 'crash after nextval';
	my $session = AtidTest::Session->new($node, $db);
	$session->ok("SET atid.reserve = '1ms'");
	set_horizon($session, 60);
	$kept->goes_on("$what: before", $session);
	my $us = nextval_before_raise($kept, $session);
	$session->quit;

	$session = AtidTest::Session->new($node, $db);
	$session->ok("SET atid.reserve = '1ms'");
	my ($tids, $uuids) = draw($session, 1);
	is((horizon_page($session))[0], $us, "$what: the raise ends in the same byte");
	my ($more) = draw($session, $us - 1 - tid_us($tids->[0]));
	is((horizon_page($session))[0], $us, "$what: all below it is drawn with no further raise");
	is(tid_us($more->[-1]), $us - 1, "$what: up to the last tick");
	$kept->late($more, []);

	$node->stop('immediate');
	$session->quit;
	$node->start;
	$session = AtidTest::Session->new($node, $db);
	is((horizon_page($session))[0], $us, "$what: it is as it was");
	$kept->goes_on("$what: after it", $session);
	$session->quit;
}

$node->stop;
done_testing();
