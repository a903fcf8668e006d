# Clean restarts, and sessions that come and go.
#
# Shows that
# - after a restart both streams are at most atid.reserve further ahead of the clock than at the stop, and
#   the clock catches up with them; also after a burst;
# - twenty restarts with a burst up to atid.max_drift after each do not add up: the streams are ahead by
#   at most that and what atid.reserve adds per restart, also if the clock is set back each time; and no
#   first draw waits;
# - a thousand short connections do not raise the streams, and write no horizon of their own;
# - from a damaged page of the horizon nothing is drawn, and once it is repaired the draws continue.
#
# Tags: long differs

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Clock;
use AtidTest::Horizon;
use List::Util qw(max min);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

# The time that two readings of the clock may add.
use constant SLACK => 0.05;

my $node = new_node('restart');
my $db   = new_database($node, 'atid_restart');
my $kept = AtidTest::Kept->new;

my %reserve = ('1s' => 1, '100ms' => 0.1, '5s' => 5);

foreach my $reserve ('1s', '100ms', '5s')
{
	my $what = "atid.reserve = $reserve";
	$node->append_conf('postgresql.conf', "atid.reserve = '$reserve'");
	$node->restart;

	# The previous restart has moved a stream that it does not test: let the clock catch up.
	my $session = AtidTest::Session->new($node, $db);
	my $ahead = ahead_of($session, 'tid');
	sleep $ahead + SLACK if $ahead > 0;
	$kept->goes_on("$what: before", $session);
	cmp_ok(ahead_of($session, $_), '<', SLACK, "$what: before, $_ is with the clock") foreach qw(tid v7);
	$session->quit;

	$node->restart;
	$session = AtidTest::Session->new($node, $db);
	$kept->goes_on("$what: after", $session, count => 1, within => 4);
	foreach my $kind (qw(tid v7))
	{
		$ahead = ahead_of($session, $kind);
		cmp_ok($ahead, '<', $reserve{$reserve} + SLACK, "$what: after, $kind is ahead by no more than it");
	}
	next if $reserve eq '5s';
	sleep $ahead + SLACK if $ahead > 0;
	cmp_ok(ahead_of($session, $_), '<', SLACK, "$what: $_ comes back to the clock") foreach qw(tid v7);
	$session->quit;
}

#
# After a burst.
#
$node->append_conf('postgresql.conf', "atid.reserve = '1s'");
$node->reload;
$db = new_database($node, 'burst');
my $session = AtidTest::Session->new($node, $db);
SKIP:
{
	skip 'this machine is too slow to run ahead of the clock', 4
	  unless run_ahead($session, 'tid', 2);
	my $drift = ahead_of($session, 'tid');
	my $stop  = time;
	$session->quit;
	$node->restart;
	$session = AtidTest::Session->new($node, $db);
	my $passed = time - $stop;
	my $ahead  = ahead_of($session, 'tid');
	cmp_ok($ahead, '>', 0, 'after a burst: still ahead');
	cmp_ok($ahead, '<', $drift - $passed + 1 + SLACK,
		'after a burst: by what it was at the stop and atid.reserve at most');
	sleep $ahead + SLACK;
	cmp_ok(ahead_of($session, $_), '<', SLACK, "after a burst: $_ comes back to the clock")
	  foreach qw(tid v7);
}
$session->quit;

#
# Bursts after restarts. A burst first leaps to where it is refused, so that how fast the machine draws
# has no influence, and then draws on until the drift makes it wait.
#
use constant {
	RESTARTS => $ENV{ATID_FULL} ? 20 : 10,
	DRIFT    => 2,
	RESERVE  => 0.01
};

sub burst_to_the_limit
{
	my ($session) = @_;
	$session->ok(<<'SQL');
DO $$
BEGIN
	LOOP
		PERFORM atid.tid_generate(atid.tid_floor(atid.tid_timestamp(atid.tid_generate()) + '20 ms'));
	END LOOP;
EXCEPTION WHEN invalid_parameter_value THEN
	NULL;
END $$
SQL
	my $leapt = time;
	$session->ok(burst('tid', 50_000));
	return $leapt;
}

my $clock = AtidTest::Clock->new;
foreach my $step (0, -5)
{
	my $what = $step ? "restarts and bursts, the clock set back by @{[-$step]} s each time" : 'restarts and bursts';
  SKIP:
	{
		skip 'libfaketime.so.1 not found: install the package faketime (or libfaketime)', 3
		  if $step && !$clock;

		my $own = new_database($node, 'bursts' . abs $step);
		$node->safe_psql('postgres', "ALTER DATABASE $own SET atid.max_drift = '@{[DRIFT * 1000]}ms'");
		$node->safe_psql('postgres', "ALTER DATABASE $own SET atid.reserve = '@{[RESERVE * 1000]}ms'");
		$kept = AtidTest::Kept->new;
		my ($furthest, $nearest, $slowest, $bad) = (0, DRIFT, 0, '');
		foreach my $restart (0 .. RESTARTS)
		{
			if ($restart)
			{
				$node->stop($restart % 2 ? 'fast' : 'immediate');
				$clock->set($restart * $step) if $step;
				$step ? $clock->start($node) : $node->start;
			}
			$session = AtidTest::Session->new($node, $own);
			my @first = draw($session, 1);
			$slowest = max($slowest, $session->took);
			my $begun = burst_to_the_limit($session);
			my @last = draw($session, 1);

			# ahead of the true time, which is the first clock, and of its value when the burst had leapt
			my $ahead = tid_us($last[0][0]) / 1e6;
			$furthest = max($furthest, $ahead - time);
			$nearest  = min($nearest, $ahead - $begun);
			$bad ||= $kept->check(@first) || $kept->check(@last);
			$session->quit;
		}
		is($bad, '', "$what: nothing repeats or falls");

		# with a clock set back, the server's downtime is not made up for
		cmp_ok($nearest, '>', DRIFT - 0.2, "$what: each burst came up to the drift") unless $step;
		cmp_ok($furthest, '<', DRIFT + RESTARTS * RESERVE + SLACK,
			"$what: none beyond it and what the reserve adds");
		# a draw that waited because of the clock's step would take 5 s
		cmp_ok($slowest, '<', 4, "$what: no first draw waits");
		note("$what: furthest $furthest s, nearest $nearest s, slowest first draw $slowest s");
	}
}
$node->restart;

#
# A thousand short connections, right after a start.
#
my $script = PostgreSQL::Test::Utils::tempdir('script') . '/draw.sql';
append_to_file($script, "SELECT atid.tid_generate(), atid.uuid_generate_v7();\n");
$node->restart;
$session = AtidTest::Session->new($node, $db);
$kept = AtidTest::Kept->new;
$kept->goes_on('short connections: before', $session);
my $first = ahead_of($session, 'tid');
my $from  = log_position($session);
my $begun = time;
my ($out, $err) = run_command(
	[
		'pgbench', '-n', '-C', '-c', 4, '-t', 250, '-f', $script, $node->connstr($db)
	]);
my $took = time - $begun;
like($out, qr{^number of transactions actually processed: 1000/1000}m, 'short connections: a thousand')
  or diag($err);
my $to = log_position($session);
cmp_ok(ahead_of($session, $_), '<', max($first - $took, 0) + SLACK,
	"short connections: $_ has not been pushed ahead")
  foreach qw(tid v7);
cmp_ok(horizon_writes($node, $session, $from, $to), '<=', $took + 1,
	'short connections: the horizon is not written for each');
$kept->goes_on('short connections: after', $session);
$session->quit;

#
# A damaged page: empty, or with a second row.
#
my $file = $node->data_dir . '/' . $node->safe_psql($db, q{SELECT pg_relation_filepath('atid.generator_horizon')});
$node->append_conf('postgresql.conf', 'ignore_checksum_failure = on');
$node->stop;
my $page = slurp_file($file);
my $two  = $page;
substr($two, 28, 4) = substr($page, 24, 4);
substr($two, 12, 2) = pack 'S', 32;           # pd_lower
foreach my $damaged ("\0" x length $page, $two, $page)
{
	open my $out, '>', $file or die "$file: $!";
	binmode $out;
	print $out $damaged or die "$file: $!";
	close $out or die "$file: $!";
	$node->start;
	$session = AtidTest::Session->new($node, $db);
	if ($damaged eq $page)
	{
		$kept->goes_on('damaged: mended', $session, within => 5);
	}
	else
	{
		my (undef, $state, $err) = $session->try('SELECT atid.tid_generate()');
		is($state, 'XX001', 'damaged: nothing is drawn');
		like($err, qr/the page of sequence "generator_horizon" is damaged/, 'damaged: and says why');
	}
	$session->quit;
	$node->stop;
}
done_testing();
