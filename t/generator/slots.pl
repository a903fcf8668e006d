# The slots that databases' generators have in shared memory.
#
# Shows that
# - databases that are created, draw and are dropped, again and again, do not use up memory: their slots are
#   reused, and no more segments of the server are in use after many rounds than after few;
# - many databases draw at the same time, each from its own streams, which continue while other databases are
#   created and dropped, and at most a few segments are in use for all of them;
# - a database with the OID of a dropped one can draw, also if it is a copy of that one, and so can a database
#   made from it; no identifier in its rows is drawn again;
# - before PostgreSQL 17, the first slots are in the spare room of the main segment: if the lock table has
#   taken all of it, an error reports this; with the library preloaded there is room.
#
# ATID_SLOT_ROUNDS and ATID_SLOT_DATABASES set the numbers of rounds (24) and databases (20).
#
# Tags: medium differs

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Horizon;
use PostgreSQL::Test::Cluster;
use POSIX qw(ceil);
use PostgreSQL::Test::Utils;
use Test::More;

use constant ROUNDS    => $ENV{ATID_SLOT_ROUNDS}    || 24;
use constant DATABASES => $ENV{ATID_SLOT_DATABASES} || 20;

# The first segment has 16 slots, each one after it twice as many as the one before.
sub segments_for
{
	my ($databases) = @_;
	my $segments = 1;
	$segments++ while 16 * (2**$segments - 1) < $databases;
	return $segments;
}

my $node = new_node('slots', conf => <<'CONF');
max_connections = 10
fsync = off
CONF
my $major = int($node->safe_psql('postgres', 'SHOW server_version_num') / 10000);
my $admin = AtidTest::Session->new($node, 'postgres');

sub create
{
	my ($name, $template, $more) = @_;
	$admin->ok("CREATE DATABASE $name TEMPLATE $template STRATEGY wal_log " . ($more || ''));
	return;
}

# The identifiers that a separate session draws in a database.
sub draw_in
{
	my ($name, $count) = @_;
	my $session = AtidTest::Session->new($node, $name);
	my @drawn   = draw($session, $count || 1);
	my $since   = $session->ok('SELECT since FROM atid.generator_state()');
	$session->quit;
	return (@drawn, $since);
}

# How many of the generators' segments a session maps that has drawn in a database. They are distinguished
# from the server's other dynamic shared memory by their size: 1 kB and an OID for each slot.
sub segments_of
{
	my ($name) = @_;
	my $session = AtidTest::Session->new($node, $name);
	my (%ours, %file);
	draw($session, 1);
	foreach my $slots (map { 16 * 2**$_ } 1 .. 10)
	{
		my $size = 1024 * $slots + 4 * $slots;
		$ours{ 4096 * ceil($size / 4096) } = 1;
	}
	open my $maps, '<', '/proc/' . $session->pid . '/maps' or die "no maps: $!";
	while (<$maps>)
	{
		next unless m{^(\w+)-(\w+) .*(/dev/shm/PostgreSQL\.\S+|pg_dynshmem/\S+)};
		no warnings 'portable';    # of 64 bits
		$file{$3} = 1 if $ours{ hex($2) - hex($1) };
	}
	close $maps;
	$session->quit;
	return 1 + keys %file;    # the first has its own place
}

$admin->ok('CREATE DATABASE mould');
$node->safe_psql('mould', 'CREATE EXTENSION atid; CREATE TABLE t (id atid.tid DEFAULT atid.tid_generate())');

#
# OIDs that are reused.
#
my $oid = 777_777;
create('first', 'mould', "OID = $oid");
my $first   = AtidTest::Kept->new;
my $session = AtidTest::Session->new($node, 'first');
set_horizon($session, 3600);
$session->quit;
$first->new_ones('OID: the first', draw($session = AtidTest::Session->new($node, 'first'), 10));
$session->ok('INSERT INTO t SELECT FROM generate_series(1, 10)');
my $ids = 'SELECT string_agg(id::text, E\'\\n\' ORDER BY id) FROM t';
$first->late([ split /\n/, $session->ok($ids) ], []);
$session->quit;

# A copy of it has its life on the page, and a slot of its own.
create('copy', 'first');
$admin->ok('DROP DATABASE first');
create('second', 'copy', "OID = $oid");
my $second = AtidTest::Kept->new;
$second->late([ split /\n/, $node->safe_psql('second', $ids) ], []);
$session = AtidTest::Session->new($node, 'second');
$second->goes_on('OID: a copy of the first has its OID', $session, within => 5);
$session->quit;
$admin->ok('DROP DATABASE second');

#
# Databases that are created and dropped.
#
my ($bad, $early, $late) = ('');
foreach my $round (1 .. ROUNDS)
{
	create('passing', 'mould');
	my ($tids) = eval { draw_in('passing') };
	$bad ||= "round $round: $@" unless $tids;
	$early = segments_of('passing') if $round == 10;
	$late = segments_of('passing') if $round == ROUNDS;
	$admin->ok('DROP DATABASE passing');
	last if $bad;
}
is($bad, '', 'come and go: ' . ROUNDS . ' databases draw, one after the other');
is("$early $late", '1 1', 'come and go: they use one segment, as the first ten do');

# Other users of dynamic shared memory can get it.
my $workers = $admin->ok(<<'SQL');
CREATE TABLE many AS SELECT g FROM generate_series(1, 10000) g;
ANALYZE many;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) SELECT count(*) FROM many;
SQL
like($workers, qr/Workers Launched: [1-9]/, 'come and go: parallel query has its workers');

#
# The OID is reused once more, its slot having been given to others: the page of the copy still has the life
# that the slot had once.
#
create('third', 'copy', "OID = $oid");
my $third = AtidTest::Kept->new;
$third->late([ split /\n/, $node->safe_psql('third', $ids) ], []);
$session = AtidTest::Session->new($node, 'third');
$third->goes_on('OID: and again, its slot having been given to others', $session, within => 5);
cmp_ok((horizon_page($session))[0], '>', $third->highest_us, 'OID: the horizon covers it');
$session->quit;
$session = AtidTest::Session->new($node, 'copy');
$first->goes_on('OID: the copy goes on above the first', $session, within => 5);
$session->quit;

#
# Many at the same time.
#
my (%kept, %since);
foreach my $n (1 .. DATABASES)
{
	create("side$n", 'mould');
	$kept{$n} = AtidTest::Kept->new;
	(my $tids, my $uuids, $since{$n}) = draw_in("side$n", 5);
	$bad ||= $kept{$n}->check($tids, $uuids);
	next if $n % 10;
	create('passing', 'mould');
	draw_in('passing');
	$admin->ok('DROP DATABASE passing');
}
foreach my $n (1 .. DATABASES)
{
	my ($tids, $uuids, $since) = draw_in("side$n", 5);
	$bad ||= $kept{$n}->check($tids, $uuids);
	$bad ||= "side$n has another life" if $since ne $since{$n};
}
is($bad, '', 'side by side: ' . DATABASES . ' databases draw, each has its streams');
my %lives = map { $_ => 1 } values %since;
is(scalar keys %lives, DATABASES, 'side by side: no two have one life');

cmp_ok(segments_of('side' . DATABASES), '<=', segments_for(DATABASES + 3),
	'side by side: a few segments for all of them');

# Half of them are dropped, as many are created: the rest keep their slots.
foreach my $n (grep { $_ % 2 } 1 .. DATABASES)
{
	$admin->ok("DROP DATABASE side$n");
	create("new$n", 'mould');
	draw_in("new$n");
}
foreach my $n (grep { !($_ % 2) } 1 .. DATABASES)
{
	my ($tids, $uuids, $since) = draw_in("side$n", 5);
	$bad ||= $kept{$n}->check($tids, $uuids);
	$bad ||= "side$n has another life" if $since ne $since{$n};
}
is($bad, '', 'half replaced: the others keep their streams');

# A session that stays connected throughout is not disturbed.
my $staying = AtidTest::Session->new($node, 'side2');
$kept{2}->goes_on('replaced under a live session: before', $staying);
foreach my $n (grep { $_ % 2 } 1 .. DATABASES)
{
	$admin->ok("DROP DATABASE new$n");
}
foreach my $n (1 .. 6)
{
	create("again$n", 'mould');
	draw_in("again$n");
	$bad ||= $kept{2}->check(draw($staying, 1));
}
is($bad, '', 'replaced under a live session: it goes on');
$staying->quit;

$admin->quit;
$node->stop;

#
# No room for the first slots.
#
SKIP:
{
	skip 'from 17 on, the server has a registry for shared memory', 2 if $major >= 17;
	$node->append_conf('postgresql.conf', "max_locks_per_transaction = 10");
	foreach my $preload ('', 'atid')
	{
		$node->append_conf('postgresql.conf', "shared_preload_libraries = '$preload'");
		$node->start;
		my $locker = AtidTest::Session->new($node, 'postgres');
		my (undef, $state) = $locker->try('SELECT count(pg_advisory_lock(g)) FROM generate_series(1, 1000000) g');
		die "the lock table is not full: $state" if $state ne '53200';
		# its backend can outlive psql by a moment
		$locker->ok('SELECT pg_advisory_unlock_all()');
		$locker->quit;
		$session = AtidTest::Session->new($node, 'mould');
		my ($out, $draws, $err) = $session->try('SELECT atid.tid_generate()');
		is($draws, $preload ? '00000' : '53200',
			$preload ? 'no room left: the preloaded library has its own' : 'no room left: the draw says so');
		note($err);
		$session->quit;
		$node->stop;
	}
}

done_testing();
