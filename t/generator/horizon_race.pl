# Sessions that need the horizon at the same time.
#
# Shows that
# - eight sessions that need a new horizon at the same moment write it once, and no session waits forever:
#   when it has been used up, when it was set by hand, and at the first draw after a start;
# - no session draws before the streams are raised to the horizon of an earlier life, though the shared
#   state exists already: the first session is held up on its way to the page, and the second waits for the
#   page too;
# - no session uses a horizon that another has raised and not flushed yet: a session is held up before it
#   writes WAL, another one waits until that is done, and after a crash at that point no value that was
#   handed out is lost;
# - if flushing a raise takes longer than its reserve lasts, a draw still ends;
# - identifiers drawn right after CREATE EXTENSION are not drawn again after a crash, however its
#   transaction was committed.
#
# A session on its way to the page is held up by a conflicting lock on the sequence. One that writes WAL is
# held up by a library that is compiled here and preloaded into the server: a process named in its folder
# waits before it writes to a file of pg_wal. A crash then loses that write, as on a disk that had not
# written it yet. The same library makes a disk slow.
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

use constant {
	SESSIONS => 8,
	HOUR     => 3600
};

my $node = new_node('race', stopped => 1, conf => <<'CONF');
wal_level = replica
wal_writer_delay = 10s
restart_after_crash = on
CONF
my $hold = PostgreSQL::Test::Utils::tempdir('hold');

# The library that holds up writers of WAL, if there is a compiler.
sub make_library
{
	my $source = "$hold/hold.c";
	append_to_file($source, <<'C');
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
hold(int fd)
{
	char		link[64], path[1024], file[1024];
	ssize_t		length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path) - 1);
	if (length <= 0)
		return;
	path[length] = 0;
	if (strstr(path, "/pg_wal/") == NULL)
		return;
	snprintf(file, sizeof(file), "%s/%d", getenv("ATID_HOLD"), (int) getpid());
	while (access(file, F_OK) == 0)
		usleep(1000);
	snprintf(file, sizeof(file), "%s/slow", getenv("ATID_HOLD"));
	if (access(file, F_OK) == 0)
		usleep(20000);
}

ssize_t
pwrite(int fd, const void *data, size_t size, off_t at)
{
	static ssize_t (*real) (int, const void *, size_t, off_t);

	if (real == NULL)
		*(void **) &real = dlsym(RTLD_NEXT, "pwrite");
	hold(fd);
	return real(fd, data, size, at);
}

ssize_t
pwrite64(int fd, const void *data, size_t size, off_t at)
{
	return pwrite(fd, data, size, at);
}
C
	my $library = "$hold/hold.so";
	my @cc = ($ENV{CC} || 'cc', qw(-O1 -shared -fPIC -o), $library, $source, '-ldl');
	my ($out, $err) = eval { run_command(\@cc) };
	diag($err) if !-e $library && $err;
	return -e $library ? $library : undef;
}

my $library = make_library();

sub start
{
	local %ENV = %ENV;
	if (defined $library)
	{
		$ENV{LD_PRELOAD} = $library;
		$ENV{ATID_HOLD}  = $hold;
	}
	$node->start;
	return;
}

sub hold_up { append_to_file("$hold/" . $_[0]->pid, ''); return; }
sub let_go  { unlink "$hold/" . $_[0]->pid; return; }

# A lock that keeps all sessions from the page and changes nothing.
sub lock_sequence
{
	$_[0]->ok('BEGIN; ALTER SEQUENCE atid.generator_horizon OWNED BY NONE');
	return;
}

sub wait_for
{
	my ($session, $what, $query) = @_;
	my $until = time + $PostgreSQL::Test::Utils::timeout_default / 6;
	until ($session->ok($query) eq 't')
	{
		return fail($what) if time > $until;
		sleep 0.02;
	}
	return pass($what);
}

sub wait_for_waiters
{
	my ($session, $what, $count) = @_;
	return wait_for($session, "$what: $count wait for the page",
		"SELECT count(*) = $count FROM pg_locks WHERE relation = 'atid.generator_horizon'::regclass AND NOT granted"
	);
}

sub lines { return join "\n", map { ($_->result)[0] } @_; }

start();
my $db   = new_database($node, 'atid_race');
my $kept = AtidTest::Kept->new;

sub sessions
{
	my @sessions = map { AtidTest::Session->new($node, $db) } 1 .. $_[0];
	$_->ok("SET statement_timeout = '30s'") foreach @sessions;
	return @sessions;
}

#
# Eight at once.
#
my ($locker, $watcher) = sessions(2);
my @eight = sessions(SESSIONS);
$_->ok("SET atid.reserve = '30s'") foreach @eight;

foreach my $case ('the first draw of all', 'set by hand', 'used up', 'the first draw after a start')
{
	my $what = "eight at once, $case";
	if ($case eq 'set by hand')
	{
		set_horizon($watcher, HOUR);
		sleep 1.1;
	}
	elsif ($case eq 'used up')
	{
		# The stream moves up to the horizon by hand; sessions know only the horizon that they have read.
		$_->ok("SET atid.reserve = '300ms'") foreach @eight;
		set_horizon($watcher, HOUR + 60);
		sleep 1.1;
		$kept->goes_on("$what: before", $eight[0]);
		$eight[0]->ok(burst('tid', 200_000));
		my ($us) = horizon_page($watcher);
		foreach (1 .. 400)
		{
			my ($tids, $uuids) = draw($eight[0], 1000);
			$kept->late($tids, $uuids);
			last if $us - tid_us($tids->[-1]) < 1000;
		}
		cmp_ok(((horizon_page($watcher))[0] - $kept->highest_us) / 1000, '<', 300, "$what: nearly");
		sleep 1.1;
	}
	elsif ($case eq 'the first draw after a start')
	{
		$_->quit foreach @eight, $locker, $watcher;
		$node->stop;
		start();
		($locker, $watcher) = sessions(2);
		@eight = sessions(SESSIONS);
		$_->ok("SET atid.reserve = '30s'") foreach @eight;
	}
	my $from = log_position($watcher);
	lock_sequence($locker);
	my $query = $case eq 'used up' ? burst('tid', 1000) . '; ' : '';
	$_->send("${query}SELECT @{[DRAW]}") foreach @eight;
	wait_for_waiters($watcher, $what, SESSIONS);
	$locker->ok('ROLLBACK');
	my $lines = lines(@eight);
	$lines =~ s/^1000\n//mg;
	my @drawn = parse_drawn("$lines\n");
	my $to = log_position($watcher);
	is(scalar @{ $drawn[0] }, SESSIONS, "$what: all draw, none is stuck");
	$kept->new_ones($what, @drawn);
	is(horizon_writes($node, $watcher, $from, $to), 1, "$what: the horizon is written once");
}
$_->quit foreach @eight;

#
# No session draws before the streams are raised to the horizon.
#
$_->quit foreach $locker, $watcher;
$node->stop('immediate');
start();
($locker, $watcher, my $one, my $two) = sessions(4);
my $what = 'after a restart, the first held up';

# The horizon is an hour ahead of the clock: a session that draws without it is noticed.
cmp_ok($kept->highest_us / 1e6 - time, '>', HOUR - 120, "$what: used up an hour ahead of the clock");
lock_sequence($locker);
$one->send('SELECT ' . DRAW);
wait_for_waiters($watcher, $what, 1);
$two->send('SELECT ' . DRAW);
wait_for_waiters($watcher, "$what, and the second", 2);
$locker->ok('ROLLBACK');
$kept->new_ones($what, parse_drawn(lines($one, $two) . "\n"));
$_->quit foreach $one, $two, $locker;

#
# No session uses a horizon that is not on disk.
#
SKIP:
{
	skip 'no compiler for the library that holds up writers', 1 unless defined $library;

	foreach my $end ('goes on', 'crashes')
	{
		$what = "raised and not flushed, then it $end";
		($one, $two) = sessions(2);
		my $ended = $end eq 'crashes';
		$_->ok("SET atid.reserve = '30s'") foreach $one, $two;

		# The page is found to be foreign, so the next draw raises it. That is committed and flushed.
		set_horizon($watcher, $ended ? 3 * HOUR : 2 * HOUR);
		my ($set) = horizon_page($watcher);
		log_position($watcher);
		sleep 1.1;

		hold_up($one);
		$one->send('SELECT ' . DRAW);
		wait_for($watcher, "$what: it has raised the page",
			'SELECT log_cnt < 0 FROM atid.generator_horizon');
		my ($raised) = horizon_page($watcher);
		cmp_ok($raised, '>', $set, "$what: by its reserve");
		cmp_ok(
			$watcher->ok(
				"SELECT pg_current_wal_insert_lsn() - pg_current_wal_flush_lsn()"),
			'>', 0, "$what: it is not flushed");

		# The second session waits, in the flush and nowhere else.
		$two->send('SELECT ' . DRAW);
		wait_for($watcher, "$what: the second waits for that",
			"SELECT wait_event = 'WALWrite' FROM pg_stat_activity WHERE pid = " . $two->pid);
		sleep 0.3;
		$two->{run}->pump_nb;
		is($two->{out}, '', "$what: and gets nothing meanwhile");

		# A session that only reads the state is not held up.
		$watcher->ok('SELECT last_value FROM atid.generator_horizon');
		cmp_ok($watcher->took, '<', 1, "$what: the page is not locked");

		if (!$ended)
		{
			let_go($one);
			$kept->new_ones($what, parse_drawn(lines($one, $two) . "\n"));
			$_->quit foreach $one, $two;
			next;
		}
		$node->stop('immediate');
		my @answers = map { $_->{run}->pump_nb if $_->{run}->pumpable; $_->{out} } $one, $two;
		$kept->new_ones("$what, handed out", parse_drawn(join '', @answers))
		  if grep { /^\w{13}\|/m } @answers;
		let_go($one);
		$_->quit foreach $one, $two, $watcher;
		start();
		($watcher, $one) = sessions(2);
		is((horizon_page($watcher))[0], $set, "$what: what was not flushed is lost");
		$kept->goes_on($what, $_, within => 5) foreach $one, $watcher;
		$one->quit;
	}
}

#
# A disk on which a raise takes twenty times as long as its reserve lasts.
#
SKIP:
{
	skip 'no compiler for the library that slows down writers', 1 unless defined $library;

	$what = 'a slow disk';
	$db   = new_database($node, 'slow');
	$kept = AtidTest::Kept->new;
	($one, $two) = sessions(2);
	$_->ok("SET atid.reserve = '1ms'") foreach $one, $two;
	append_to_file("$hold/slow", '');
	$_->send('SELECT ' . DRAW) foreach $one, $two;
	$kept->new_ones($what, parse_drawn(lines($one, $two) . "\n"));
	cmp_ok($_->took, '<', 5, "$what: not for ever") foreach $one, $two;
	unlink "$hold/slow";
	$kept->goes_on("$what, quick again", $_) foreach $one, $two;
	$_->quit foreach $one, $two;
}

#
# A crash before the commit of CREATE EXTENSION is on disk. The commit is asynchronous, and the WAL writer,
# which would flush it, is stopped until it is killed: that is the crash.
#
$what = 'created with an asynchronous commit';
$db   = new_database($node, 'created');
$kept = AtidTest::Kept->new;
($one, $two) = sessions(2);
$kept->goes_on("$what, before", $two);
$one->ok('DROP EXTENSION atid');
my $writer = $one->ok("SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'");
$one->ok("SET synchronous_commit = off; SET atid.reserve = '1min'");
kill 'STOP', $writer;
$one->ok('CREATE EXTENSION atid');
$kept->goes_on("$what, another session", $two);
kill 'KILL', $writer;
$_->quit foreach $one, $two, $watcher;
comes_back($node, 'postgres') or die 'the server did not come back';
($watcher) = sessions(1);
is($watcher->ok("SELECT count(*) FROM pg_extension WHERE extname = 'atid'"),
	1, "$what: the extension is there after the crash");
$kept->goes_on("$what, after the crash", $watcher);

$watcher->quit;
$node->stop;
done_testing();
