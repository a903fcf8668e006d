# The WAL that the horizon costs, measured by pg_waldump.
#
# Shows that
# - a server on which nobody draws writes no WAL for it, however many sessions read it;
# - drawing writes one record for each atid.reserve of stream time at most: steadily, from several
#   sessions, and in a burst that runs ahead of the clock;
# - a record has at most as many bytes as documented in the chapter;
# - reading the horizon costs nothing.
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
use POSIX qw(ceil);
use Test::More;
use Time::HiRes qw(sleep time);

my $node    = new_node('wal');
my $db      = new_database($node, 'atid_wal');
my $watcher = AtidTest::Session->new($node, $db);
my @sessions = map { AtidTest::Session->new($node, $db) } 1 .. 3;

sub writes { return horizon_writes($node, $watcher, @_); }

# The first draw of a database writes; this shows that the test would notice a write.
my $from = log_position($watcher);
draw($sessions[0], 1);
my $to = log_position($watcher);
is(writes($from, $to), 1, 'the first draw writes the horizon');

#
# Steady draws from three sessions; and none.
#
foreach my $reserve (1000, 100)
{
	my $what = "atid.reserve = $reserve ms";

	# Steady drawing: one pair each millisecond or two, by each of three.
	$_->ok("SET atid.reserve = '${reserve}ms'") foreach @sessions;
	$from = log_position($watcher);
	my ($tids) = draw($sessions[0], 1);
	my $first = tid_us($tids->[0]);
	$_->send(<<"SQL") foreach @sessions;
DO \$\$
DECLARE
	until timestamptz := clock_timestamp() + '3 s';
BEGIN
	WHILE clock_timestamp() < until LOOP
		PERFORM @{[DRAW]};
		PERFORM pg_sleep(0.001);
	END LOOP;
END \$\$
SQL
	is(join(' ', map { ($_->result)[1] } @sessions), '00000 00000 00000', "$what: three sessions drew");
	($tids) = draw($sessions[0], 1);
	$to = log_position($watcher);
	my $passed = (tid_us($tids->[0]) - $first) / 1000;
	my $writes = writes($from, $to);
	cmp_ok($writes, '<=', ceil($passed / $reserve) + 1,
		"$what: one record for each in $passed ms of stream time");
	cmp_ok($writes, '>=', 0.25 * $passed / $reserve, "$what: it is written as time goes by");

	# A burst ahead of the clock is counted in stream time.
	$from = log_position($watcher);
	($tids) = draw($sessions[0], 1);
	$first = tid_us($tids->[0]);
	$sessions[0]->ok(burst('tid', 2_000_000));
	($tids) = draw($sessions[0], 1);
	$to = log_position($watcher);
	$passed = (tid_us($tids->[0]) - $first) / 1000;
	$writes = writes($from, $to);
	cmp_ok($passed, '>=', 2000, "$what: a burst");
	cmp_ok($writes, '<=', ceil($passed / $reserve) + 1,
		"$what: one record for each in $passed ms of a burst");
	cmp_ok($writes, '>=', 0.25 * $passed / $reserve, "$what: it is written in a burst, too");

	# Without draws no session writes, neither one that has drawn before nor a new one.
	$from = log_position($watcher);
	sleep 1.5;
	my $other = AtidTest::Session->new($node, $db);
	$other->ok('SELECT * FROM atid.generator_state()');
	$other->ok('SELECT * FROM atid.generator_horizon');
	$watcher->ok('SELECT * FROM atid.generator_state()');
	$other->quit;
	$to = log_position($watcher);
	is(writes($from, $to), 0, "$what: an idle server writes nothing");
}

# The bytes of a record: the same for the first after a checkpoint as for others.
my ($most) =
  slurp_file("$FindBin::Bin/../../doc/generator.md") =~ /of\s+no\s+more\s+than\s+(\d+)\s+bytes/
  or die 'the chapter says nothing of bytes';
$watcher->ok('CHECKPOINT');
$from = log_position($watcher);
$sessions[0]->ok("SET atid.reserve = '1ms'");
$sessions[0]->ok(burst('tid', 200_000));
$to = log_position($watcher);
my @bytes = horizon_records($node, $watcher, $from, $to);
cmp_ok(scalar @bytes, '>=', 2, 'several records, the first after a checkpoint');
is(join(' ', grep { $_ > $most } @bytes), '', 'they are as short as the chapter says');

# Sessions that find a horizon far enough ahead need not write: a long reserve, and new sessions.
$_->ok("SET atid.reserve = '1h'") foreach @sessions;
set_horizon($watcher, 5);
sleep 1.1;
draw($sessions[0], 1);
$from = log_position($watcher);
foreach my $round (1 .. 2)
{
	draw($_, 10) foreach @sessions;
	my $new = AtidTest::Session->new($node, $db);
	draw($new, 10);
	$new->quit;
	sleep 1.1;
}
$to = log_position($watcher);
is(writes($from, $to), 0, 'while the horizon is good, no session writes it');

$_->quit foreach @sessions, $watcher;
$node->stop;
done_testing();
