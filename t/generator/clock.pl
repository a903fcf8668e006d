# Clocks that step, stand still, or are far off.
#
# Debian's libfaketime, preloaded into the server, moves the wall clock while the server runs and
# leaves the monotonic clock alone. Shows that
# - when the clock goes back an hour or a day, also in the middle of a statement, no TID and no version 7
#   UUID repeats or falls, in any session, and no draw waits: the stream continues just above its last
#   value, however far that is ahead of the clock;
# - when the clock goes forward, the stream follows at once; after it was ahead, it follows again as soon
#   as the clock has caught up;
# - a clock that stands still, one before 1970 and one after 2112 give correct identifiers;
# - a clock beyond the TID's 53 bits is refused, and the stream does not change.
#
# Each part has a database, and so a stream, of its own.
#
# Tags: long differs faketime

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Clock;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $clock = AtidTest::Clock->new
  or plan skip_all => 'libfaketime.so.1 not found: install the package faketime (or libfaketime)';

use constant HOUR => 3600;
use constant DAY  => 86400;
use constant YEAR => 31557600;

# Far more than a draw can take, far less than an hour: a draw that reaches it has stalled.
use constant PATIENCE => '20s';

my $node = new_node('clock', stopped => 1);
$clock->start($node);

# Draws in one statement and returns the TIDs and UUIDs, each as [text, ...].
sub draw
{
	my ($session, $count) = @_;
	my ($out, $state, $err) = $session->try(
		"COPY (SELECT atid.tid_generate(), atid.uuid_generate_v7() FROM generate_series(1, $count)) TO STDOUT"
	);
	if ($state ne '00000')
	{
		fail("a draw of $count comes to its end");
		AtidTest::Session::give_up("$state after " . $session->took . " s: $err");
	}
	my (@tids, @uuids);
	foreach my $line (split /\n/, $out)
	{
		my ($tid, $uuid) = split /\t/, $line;
		push @tids,  $tid;
		push @uuids, $uuid;
	}
	return (\@tids, \@uuids);
}

sub sessions
{
	my ($db) = @_;
	new_database($node, $db);
	my @sessions = map { AtidTest::Session->new($node, $db) } 1 .. 2;
	$_->ok("SET statement_timeout = '" . PATIENCE . "'") foreach @sessions;
	return @sessions;
}

# Every value over the whole part, in the order drawn.
my (@tids, @orders);

sub keep
{
	my ($tids, $uuids) = @_;
	push @tids,   @$tids;
	push @orders, map { v7_order($_) } @$uuids;
	return;
}

sub check_kept
{
	my ($what, $count) = @_;
	cmp_ok(scalar @tids, '>=', $count, "$what: the draws came");
	is(falls(\@tids), 0, "$what: no TID repeats or falls");
	is(falls(\@orders), 0, "$what: no UUID repeats or falls");
	@tids = @orders = ();
	return;
}

# Draws 20,000 in a session and checks that they came without stalling.
sub draw_swiftly
{
	my ($what, $session) = @_;
	my ($tids, $uuids) = draw($session, 20_000);

	# as long as statement_timeout: the draw dies of a stall
	note(sprintf '%s: %.2f s', $what, $session->took);
	keep($tids, $uuids);
	return ($tids, $uuids);
}

# Seconds between the server's clock and this process's.
sub offset { return $clock->offset($_[0]); }

#
# Does the clock step at all? Without this the test could not fail.
#
my ($one, $two) = sessions('steps');
cmp_ok(abs(offset($one)), '<', 60, 'the clock starts true');
$clock->set(HOUR);
cmp_ok(abs(offset($one) - HOUR), '<', 60, 'the clock steps in a live session');
cmp_ok(abs(offset($two) - HOUR), '<', 60, 'the clock steps in another live session');
$clock->set(0);
cmp_ok(abs(offset($one)), '<', 60, 'the clock steps back');
my $monotonic = time;
$one->ok('SELECT pg_sleep(0.2)');
cmp_ok(time - $monotonic, '<', 60, 'the monotonic clock goes on');
$_->quit foreach $one, $two;

#
# Back by an hour and by a day, and forward again.
#
foreach my $step (HOUR, DAY)
{
	my $what = $step == HOUR ? 'back an hour' : 'back a day';
	($one, $two) = sessions($step == HOUR ? 'back_hour' : 'back_day');

	my ($tids, $uuids) = draw($one, 1000);
	keep($tids, $uuids);
	keep(draw($two, 1000));
	($tids, $uuids) = draw($one, 1000);
	keep($tids, $uuids);
	my ($last_tid, $last_uuid) = ($tids->[-1], $uuids->[-1]);

	$clock->set(-$step);
	cmp_ok(offset($one), '<', -$step + 60, "$what: the clock stepped");

	($tids, $uuids) = draw($one, 1);
	keep($tids, $uuids);
	is(tid_us($tids->[0]) - tid_us($last_tid),
		1, "$what: the next TID holds the line one microsecond above the last");
	is(uuid_tick($uuids->[0]) - uuid_tick($last_uuid),
		1, "$what: the next UUID holds the line one tick above the last");

	draw_swiftly("$what, the same session", $one);
	($tids, $uuids) = draw_swiftly("$what, another session", $two);
	is(tid_us($tids->[-1]) - tid_us($last_tid),
		40_001, "$what: the TIDs went one microsecond each");
	is(uuid_tick($uuids->[-1]) - uuid_tick($last_uuid),
		40_001, "$what: the UUIDs went one tick each");

	my $three = AtidTest::Session->new($node, $step == HOUR ? 'back_hour' : 'back_day');
	$three->ok("SET statement_timeout = '" . PATIENCE . "'");
	draw_swiftly("$what, a new session", $three);
	$three->quit;

	# The held line is a few hundredths of a second above the true time: the clock passes it soon.
	$clock->set(0);
	sleep 0.5;
	($tids, $uuids) = draw($two, 1000);
	keep($tids, $uuids);
	cmp_ok(abs(tid_us($tids->[-1]) / 1e6 - time),
		'<', 60, "$what, then true again: the TIDs follow the clock");
	cmp_ok(abs(uuid_us($uuids->[-1]) / 1e6 - time),
		'<', 60, "$what, then true again: the UUIDs follow the clock");
	cmp_ok(abs(ahead_of($two, $_)), '<', 60, "$what, then true again: $_ is with the clock")
	  foreach qw(tid v7);
	check_kept($what, 64_001);
	$_->quit foreach $one, $two;
}

#
# Forward by a day: the stream is there at once. And back to the true time: the line holds a day ahead of
# the clock, far more than atid.max_drift, and still no draw stalls.
#
($one, $two) = sessions('forward_day');
keep(draw($one, 1000));
$clock->set(DAY);
my ($tids, $uuids) = draw($two, 1000);
keep($tids, $uuids);
cmp_ok(abs(tid_us($tids->[0]) / 1e6 - time - DAY),
	'<', 60, 'forward a day: the TIDs are there at once');
cmp_ok(abs(uuid_us($uuids->[0]) / 1e6 - time - DAY),
	'<', 60, 'forward a day: the UUIDs are there at once');
$clock->set(0);
draw_swiftly('a day ahead of the clock', $one);
draw_swiftly('a day ahead of the clock, another session', $two);
cmp_ok(abs(ahead_of($one, $_) - DAY), '<', 60, "a day ahead of the clock: $_ holds its line")
  foreach qw(tid v7);

# Each step counts from the true time: several, not a single one after which the clock runs normally.
foreach my $step (-HOUR, 2 * HOUR, -2 * DAY, 2 * DAY, 0)
{
	$clock->set($step);
	draw_swiftly("a step to $step s", $one);
	keep(draw($two, 100));
}
check_kept('forward a day and back and forth', 142_500);
$_->quit foreach $one, $two;

#
# Steps in the middle of a statement, two sessions drawing. Each step forward goes further than the one
# before and makes the stream jump; the steps back between them make it hold.
#
($one, $two) = sessions('mid_statement');
my @drawing = ($one, $two);
$_->send(
	'CREATE TEMP TABLE drawn AS SELECT g, atid.tid_generate() AS t, atid.uuid_generate_v7() AS u FROM generate_series(1, 60000) g'
) foreach @drawing;
my $steps = 0;
while (grep { !$_->answered } @drawing)
{
	$clock->set(++$steps % 2 ? -HOUR : 30 * $steps);
	sleep 0.03;
}
is_deeply(
	[ map { ($_->result)[1] } @drawing ],
	[ '00000', '00000' ],
	'mid-statement: both sessions came to their end');
note("mid-statement: $steps steps");
my (@both_tids, @both_orders, $jumps);
foreach my $session (@drawing)
{
	my (@t, @o);
	foreach
	  my $line (split /\n/, $session->ok('COPY (SELECT t, u FROM drawn ORDER BY g) TO STDOUT'))
	{
		my ($t, $u) = split /\t/, $line;
		push @t, $t;
		push @o, v7_order($u);
	}
	is(scalar @t, 60_000, 'mid-statement: all were drawn');
	is(falls(\@t), 0, 'mid-statement: no TID falls');
	is(falls(\@o), 0, 'mid-statement: no UUID falls');
	$jumps += grep { tid_us($t[$_]) - tid_us($t[ $_ - 1 ]) > 20_000_000 } 1 .. $#t;
	push @both_tids,   \@t;
	push @both_orders, \@o;
}
is(duplicates(@both_tids), 0, 'mid-statement: no TID twice between the sessions');
is(duplicates(@both_orders), 0, 'mid-statement: no UUID twice between the sessions');
cmp_ok($jumps, '>=', 2, 'mid-statement: the clock did step while they drew');
$_->quit foreach @drawing;
$clock->set(0);

#
# A clock that stands still.
#
($one, $two) = sessions('still');
$clock->freeze('2026-01-02 03:04:05');
my $frozen = $one->ok('SELECT clock_timestamp()');
sleep 0.01;
is($one->ok('SELECT clock_timestamp()'), $frozen, 'standing still: the clock does');
foreach my $session ($one, $two, $one)
{
	($tids, $uuids) = draw($session, 2000);
	keep($tids, $uuids);
}
is(tid_us($tids[-1]) - tid_us($tids[0]), 5999, 'standing still: one microsecond per TID');
is( order_tick($orders[-1]) - order_tick($orders[0]),
	5999, 'standing still: one tick per UUID');
check_kept('standing still', 6000);
$_->quit foreach $one, $two;
$clock->set(0);

#
# Before 1970. Such a clock gives the first TIDs and UUIDs there are.
#
($one, $two) = sessions('before_1970');
$clock->set(-time - YEAR);
like($one->ok('SELECT clock_timestamp()'), qr/^1968|^1969/, 'before 1970: the clock is');
draw_swiftly('before 1970', $one);
draw_swiftly('before 1970, another session', $two);
cmp_ok(tid_us($tids[0]), '<=', 1_000_000, 'before 1970: the TIDs begin at 1970');
cmp_ok(order_tick($orders[0]), '<=', 4_096_000, 'before 1970: the UUIDs begin at 1970');
$clock->set(0);
($tids, $uuids) = draw($one, 100);
keep($tids, $uuids);
cmp_ok(abs(tid_us($tids->[-1]) / 1e6 - time),
	'<', 60, 'before 1970, then true again: the TIDs follow the clock');
cmp_ok(abs(uuid_us($uuids->[-1]) / 1e6 - time),
	'<', 60, 'before 1970, then true again: the UUIDs follow the clock');
check_kept('before 1970', 40_100);
$_->quit foreach $one, $two;

#
# Far ahead: after 2112, where microseconds times 4096 no longer fit into 64 bits, and after 2255, where
# they no longer fit into a TID.
#
($one, $two) = sessions('far_ahead');
keep(draw($one, 10));
$clock->set(100 * YEAR);
($tids, $uuids) = draw($one, 1000);
keep($tids, $uuids);
cmp_ok(abs(tid_us($tids->[-1]) / 1e6 - time - 100 * YEAR),
	'<', 60, 'a hundred years ahead: the TIDs are right');
cmp_ok(abs(uuid_us($uuids->[-1]) / 1e6 - time - 100 * YEAR),
	'<', 60, 'a hundred years ahead: the UUIDs are right');
is( $one->ok(
		'SELECT abs(extract(epoch FROM atid.tid_timestamp(atid.tid_generate()) - clock_timestamp())) < 5'
	),
	't',
	'a hundred years ahead: tid_timestamp agrees');

my $last_before = $one->ok('SELECT atid.tid_generate()');
$clock->set(300 * YEAR);
my (undef, $state, $err) = $one->try('SELECT atid.tid_generate()');
isnt($state, '00000', 'past the 53 bits of a TID: refused');
unlike($state, qr/^XX|^gone/, 'past the 53 bits of a TID: refused as an error of its own');
note("past the 53 bits of a TID: $err");
$clock->set(100 * YEAR);
($tids) = draw($two, 100);
is(falls([ $last_before, @$tids ]), 0, 'past the 53 bits of a TID: the stream goes on after it');
cmp_ok(abs(tid_us($tids->[-1]) / 1e6 - time - 100 * YEAR),
	'<', 60, 'past the 53 bits of a TID: the refusal moved nothing');
$clock->set(0);
check_kept('far ahead', 1010);
$_->quit foreach $one, $two;

$node->stop;

#
# A server whose clock is wrong from its first moment.
#
SKIP:
{
	$clock->set(-time - YEAR);
	skip 'this server does not start with a clock before 1970', 6
	  unless $clock->start($node, fail_ok => 1);
	$one = AtidTest::Session->new($node, 'before_1970');
	like($one->ok('SELECT clock_timestamp()'), qr/^1968|^1969/, 'start before 1970: the clock is');
	draw_swiftly('start before 1970', $one);
	# the horizon is no more than the drift and atid.reserve ahead of the last draw before
	cmp_ok(tid_us($tids[0]), '<=', (time + 61) * 1_000_000,
		'start before 1970: the TIDs are in range');
	check_kept('start before 1970', 20_000);
	$one->quit;
	$node->stop;
}

done_testing();
