# A reset in the middle of a draw.
#
# A draw can check only after the swap of its tick whether the life has changed. Shows that
# - a draw that swaps during a reset hands out no value of the old life: it waits for the end of the reset,
#   and draws at the clock;
# - likewise for a draw that began before a reset and swaps after it, when the stream has been lowered and
#   raised again to the value that the draw had read: its tick is discarded.
#
# To hit these moments, a library that is compiled here and preloaded into the server stops a process named
# in its folder at the point where the extension reads the monotonic clock: in a draw that is far ahead of
# the wall clock, between reading the stream and the swap; in a reset, between the page and the stream. The
# same library lets the wall clock stand still for the extension, so that sessions do not forget the horizon
# during the test.
#
# Tags: quick differs

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

use constant HOUR => 3600;

my $hold   = PostgreSQL::Test::Utils::tempdir('hold');
my $source = "$hold/hold.c";
append_to_file($source, <<'C');
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int
clock_gettime(clockid_t clock, struct timespec *now)
{
	Dl_info		caller;
	char		file[1024], held[1100];

	if (dladdr(__builtin_return_address(0), &caller) == 0 ||
		strstr(caller.dli_fname, "/atid.so") == NULL)
		return syscall(SYS_clock_gettime, clock, now);
	if (clock == CLOCK_REALTIME)
	{
		now->tv_sec = atol(getenv("ATID_NOW"));
		now->tv_nsec = 0;
		return 0;
	}
	snprintf(file, sizeof(file), "%s/%d", getenv("ATID_HOLD"), (int) getpid());
	snprintf(held, sizeof(held), "%s.held", file);
	while (access(file, F_OK) == 0)
	{
		fclose(fopen(held, "a"));
		usleep(1000);
	}
	return syscall(SYS_clock_gettime, clock, now);
}
C
my $library = "$hold/hold.so";
eval { run_command([ $ENV{CC} || 'cc', qw(-O1 -shared -fPIC -o), $library, $source, '-ldl' ]) };
plan skip_all => 'no compiler for the library that holds a draw' unless -e $library;

my $now  = int time;
my $node = new_node('reset_race', stopped => 1);
{
	local %ENV = (%ENV, LD_PRELOAD => $library, ATID_HOLD => $hold, ATID_NOW => $now);
	$node->start;
}
my $db = new_database($node, 'atid_reset_race');
my ($drawing, $other, $watcher) = map { AtidTest::Session->new($node, $db) } 1 .. 3;
$_->ok("SET statement_timeout = '30s'") foreach $drawing, $other;

sub wait_until
{
	my ($what, $condition) = @_;
	my $until = time + $PostgreSQL::Test::Utils::timeout_default / 6;
	until ($condition->())
	{
		return fail($what) if time > $until;
		sleep 0.02;
	}
	return pass($what);
}

# Sends a statement that is held when it next reads the monotonic clock.
sub hold
{
	my ($session, $what, $statement) = @_;
	append_to_file("$hold/" . $session->pid, '');
	$session->send($statement);
	return wait_until($what, sub { -e "$hold/" . $session->pid . '.held' });
}

sub let_go
{
	my ($session) = @_;
	unlink "$hold/" . $session->pid;
	return ($session->result)[0];
}

sub draw_us { return tid_us($_[0]->ok('SELECT atid.tid_generate()')); }

# The stream is where the horizon was set to, and the session knows a horizon above that.
sub ahead
{
	my ($what, $seconds) = @_;
	set_horizon($watcher, $seconds);
	$drawing->quit;
	$drawing = AtidTest::Session->new($node, $db);
	my $us = draw_us($drawing);
	cmp_ok($us / 1e6 - $now, '>', $seconds - 1, "$what: the stream is ahead of the clock");
	return $us;
}

#
# While a reset is under way.
#
my $what = 'a reset under way';
ahead($what, HOUR);
hold($other, "$what: the page is written, the stream is not", 'SELECT atid.generator_reset()');
$drawing->send('SELECT atid.tid_generate()');
wait_until("$what: a draw waits for its end",
	sub {
		$drawing->answered || $watcher->ok(
			"SELECT wait_event LIKE 'Buffer%' FROM pg_stat_activity WHERE pid = " . $drawing->pid) eq 't';
	});
ok(!$drawing->answered, "$what: it hands out nothing meanwhile");
let_go($other);
my ($tid) = $drawing->result;
cmp_ok(abs(tid_us($tid) / 1e6 - $now), '<', 1, "$what: it draws at the clock");
cmp_ok((horizon_page($watcher))[0], '>', tid_us($tid), "$what: below the horizon");

#
# The stream lowered, and raised again to the same value.
#
$what = 'a stream lowered and raised';
my $us = ahead($what, 2 * HOUR);
hold($drawing, "$what: a draw has read it and not swapped", 'SELECT atid.tid_generate()');
$other->ok('SELECT atid.generator_reset()');
is($watcher->ok('SELECT last_tid IS NULL FROM atid.generator_state()'), 't', "$what: lowered");

# Another stream's draw raises this one too, and leaves it there.
$watcher->ok("SELECT setval('atid.generator_horizon', $us + 1)");
my $new = AtidTest::Session->new($node, $db);
$new->ok('SELECT atid.uuid_generate_v7()');
is(tid_us($watcher->ok('SELECT last_tid FROM atid.generator_state()')), $us, "$what: the same value again");
is(tid_us(let_go($drawing)), $us + 2, "$what: the tick after it is nobody's");
is(draw_us($new), $us + 3, "$what: the draws go on above");

$_->quit foreach $drawing, $other, $watcher, $new;
$node->stop;
done_testing();
