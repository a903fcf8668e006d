# Crashes and restarts with the clock set back meanwhile.
#
# A generator that trusts the clock alone repeats itself here: after the restart the clock shows times that
# were used before. Shows that no TID and no version 7 UUID repeats or falls, that the first draw after the
# start takes no longer than any other, and that a stream that is ahead of the clock by more than
# atid.max_drift for this reason does not wait,
# - when the clock is an hour further back after each crash under working clients;
# - when it is set back an hour between a clean stop and the start;
# - when it was a day ahead, and is right again after the restart;
# - when it steps in the life before and in the one after.
#
# Also shows that a life which begins more than a day ahead of the clock warns once, and that
# generator_reset(), which the warning names, brings the streams back to the clock in all sessions.
#
# Tags: long differs faketime

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Clock;
use AtidTest::Horizon;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $clock = AtidTest::Clock->new
  or plan skip_all => 'libfaketime.so.1 not found: install the package faketime (or libfaketime)';

use constant HOUR => 3600;
use constant DAY  => 86400;

# No draw takes longer: neither the first draw of a life nor thousands. A draw that waited for the clock
# would wait for an hour.
use constant WITHIN => 60;

my $node = new_node('crash_clock', stopped => 1, conf => <<'CONF');
wal_writer_delay = 10s
CONF
my $db = 'atid_crash_clock';

sub session
{
	my $session = AtidTest::Session->new($node, $db);
	$session->ok("SET statement_timeout = '20s'");
	return $session;
}

sub start_at
{
	my ($seconds) = @_;
	$clock->set($seconds);
	$clock->start($node);
	return;
}

# Draws in two sessions, before and after one another.
sub draw_in_two
{
	my ($kept, $what) = @_;
	my @sessions = (session(), session());
	$kept->goes_on("$what, first draw", $sessions[0], count => 1, within => WITHIN);
	$kept->goes_on("$what, another session", $sessions[1], count => 1, within => WITHIN);
	$kept->goes_on("$what, thousands", $_, count => 5000, within => 10) foreach @sessions;
	return @sessions;
}

start_at(0);
new_database($node, $db);
my $kept = AtidTest::Kept->new;
my ($session) = draw_in_two($kept, 'at first');
cmp_ok(abs($clock->offset($session)), '<', 5, 'at first: the clock is right');
$session->ok('CREATE TABLE committed (t atid.tid, u uuid)');
$node->stop('immediate');
$session->quit;

#
# Crashes under four clients, the clock an hour further back each time.
#
my $lives   = 6;
my $slowest = 0;
my ($bad, $telling) = ('', 0);
foreach my $n (1 .. $lives)
{
	my $life = crash_cycle(
		$node, $db, $kept,
		start   => sub { start_at(-$n * HOUR) },
		clients => 4,
		reserve => $n % 2 ? '20ms' : '1s',
		busy    => 0.1);
	$bad ||= "life $n: $life->{bad}" if $life->{bad};
	$telling++ if $life->{telling};
	$slowest = $life->{took} if $life->{took} > $slowest;
}
is($bad, '', 'an hour back at each crash: nothing repeats or falls');
is($telling, $lives, 'an hour back at each crash: the clock showed times long used up');
cmp_ok($slowest, '<', WITHIN, 'an hour back at each crash: no first draw has to wait');

start_at(-$lives * HOUR);
my @sessions = draw_in_two($kept, 'an hour back at each crash, then none');
cmp_ok(ahead_of($sessions[0], $_),
	'>', HOUR * ($lives - 1), "an hour back at each crash: $_ has held its line")
  foreach qw(tid v7);

# A burst is bounded by the state at the start, not by the clock.
$sessions[0]->ok(burst('tid', 500_000));
cmp_ok($sessions[0]->took, '<', WITHIN, 'hours ahead: a burst does not wait for the clock');
$kept->goes_on('hours ahead, after a burst', $sessions[0]);

# The streams are raised once: later sessions do not raise them again.
my $ahead = ahead_of($sessions[0], 'tid');
foreach (1 .. 5)
{
	my $later = session();
	$kept->goes_on('hours ahead, a later session', $later, count => 1);
	$later->quit;
}
cmp_ok(ahead_of($sessions[0], 'tid'), '<', $ahead + 1, 'hours ahead: no session adds to it');
$_->quit foreach @sessions;

#
# A clean stop, an hour back.
#
start_at_after('fast', -($lives + 1) * HOUR);

sub start_at_after
{
	my ($mode, $seconds) = @_;
	$node->stop($mode);
	start_at($seconds);
	return;
}
$_->quit foreach draw_in_two($kept, 'an hour back at a clean stop');

#
# A day ahead, and right again. In a database of its own: the other is hours ahead.
#
foreach my $mode (qw(fast immediate))
{
	my $what = "a day ahead, $mode stop, and right again";
	$db = "forward_$mode";
	$kept = AtidTest::Kept->new;

	start_at_after('fast', 0);
	new_database($node, $db);
	$_->quit foreach draw_in_two($kept, "$what: before");

	start_at_after($mode, DAY);
	@sessions = draw_in_two($kept, "$what: a day ahead");
	cmp_ok(abs(ahead_of($sessions[0], 'tid')), '<', 5, "$what: the stream went along with the clock");
	$_->quit foreach @sessions;

	start_at_after($mode, 0);
	@sessions = draw_in_two($kept, "$what: after");
	cmp_ok(abs(ahead_of($sessions[0], $_) - DAY), '<', 10, "$what: $_ holds its line")
	  foreach qw(tid v7);
	$_->quit foreach @sessions;
}

#
# Steps while the server runs, and crashes between them.
#
$db   = 'atid_crash_clock';
$kept = AtidTest::Kept->new;
foreach my $steps ([ 0, -HOUR ], [ 2 * HOUR, 0 ], [ -HOUR, HOUR ], [ 0, -DAY ])
{
	my ($first, $second) = @$steps;
	my $what = "steps to $first s and $second s";
	start_at_after('immediate', $first);
	@sessions = draw_in_two($kept, $what);
	$clock->set($second);
	$kept->goes_on("$what, after the second", $_, count => 5000, within => 10) foreach @sessions;
	$_->quit foreach @sessions;
}

#
# The warning, and the reset.
#
$db = 'reset';
start_at_after('fast', 3 * DAY);
new_database($node, $db);
$kept = AtidTest::Kept->new;
$_->quit foreach draw_in_two($kept, 'days ahead');
start_at_after('immediate', 0);
my @warnings;
@sessions = map { session() } 1 .. 3;
foreach my $drawing (@sessions)
{
	my ($out, $state, $err) = $drawing->try('SELECT ' . DRAW);
	$kept->new_ones('days ahead, and right again', parse_drawn("$out\n"));
	push @warnings, $err =~ /^(?:psql:.*)?(WARNING: .*?)^(?!DETAIL|HINT)/msg if $err =~ /WARNING/;
	push @warnings, $err if $err =~ /WARNING/ && !@warnings;
}
is(scalar @warnings, 1, 'days ahead: one session is warned, once');
like($warnings[0] || '', qr/more than a day ahead.*atid\.generator_reset\(\)/s,
	'days ahead: the warning names the function');

my $state_before = $sessions[2]->ok('SELECT since FROM atid.generator_state()');
my ($us, $life) = horizon_page($sessions[2]);
my ($before) = draw($sessions[1], 1);
$sessions[0]->ok("SET atid.reserve = '10ms'; SELECT atid.generator_reset()");
$sessions[0]->ok("SET atid.reserve = '1s'");
my @ids = map { (draw($_, 1))[0]->[0] } @sessions;
is(falls(\@ids), 0, 'reset: the streams rise again');
cmp_ok(tid_us($before->[0]) / 1e6 - time, '>', 2 * DAY, 'reset: they were days ahead');
cmp_ok(abs(tid_us($_) / 1e6 - time), '<', 5, 'reset: each session is back at the clock')
  foreach @ids;
cmp_ok(abs(ahead_of($sessions[2], $_)), '<', 2, "reset: $_ is, too") foreach qw(tid v7);
isnt($sessions[2]->ok('SELECT since FROM atid.generator_state()'), $state_before, 'reset: a new life');
my ($later_us, $later_life) = horizon_page($sessions[2]);
isnt($later_life, $life, 'reset: as the page says');
cmp_ok($later_us / 1e6 - time, '<', 60, 'reset: which is near the clock, too');
cmp_ok($later_us, '>', tid_us($ids[-1]), 'reset: and covers what was drawn');
$_->quit foreach @sessions;

# It is as durable as the rest: the horizon now follows it, not the values before it.
$kept = AtidTest::Kept->new;
$kept->late(\@ids, []);
start_at_after('immediate', -10);
@sessions = draw_in_two($kept, 'reset, and then a crash');
cmp_ok(abs(ahead_of($sessions[0], 'tid')), '<', 30, 'reset, and then a crash: it stays reset');
$_->quit foreach @sessions;

$node->stop;
done_testing();
