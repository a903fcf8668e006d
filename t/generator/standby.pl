# A primary and its streaming standbys.
#
# Shows that
# - a standby hands out identifiers above all those of the primary whose WAL has arrived, however far those
#   are ahead of the clock; it reports that they are not durable; and it does not use the configured clock
#   id, which is the primary's;
# - after a promotion both an existing session and a new one draw above all of the primary's identifiers
#   and all of the standby's own;
# - from the first draw on they are durable again, and the configured clock id is used;
# - with wal_consistency_checking, which compares each replayed page with the primary's, a standby replays
#   draws between nextval, setval, ALTER SEQUENCE and resets, and has the same horizon.
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

use constant HOUR => 3600;

my $node = new_node('primary', init => [ allows_streaming => 1 ], conf => <<'CONF');
atid.clock_id = 77
max_wal_senders = 5
CONF
my $db = new_database($node, 'atid_standby');
$node->safe_psql($db, 'CREATE TABLE committed (t atid.tid, u uuid)');
$node->backup('base');

my %standby;
foreach my $name (qw(old new))
{
	$standby{$name} = PostgreSQL::Test::Cluster->new("standby_$name");
	$standby{$name}->init_from_backup($node, 'base', has_streaming => 1);
	$standby{$name}->start;
}

sub catch_up { $node->wait_for_catchup($_, 'replay', $node->lsn('insert')) foreach values %standby; return; }

# The state of the streams in a session's database.
sub state_of
{
	my ($session) = @_;
	return $session->ok('SELECT durable, clock_id FROM atid.generator_state()');
}

# The primary's identifiers, and each standby's own on top of them.
my $kept = AtidTest::Kept->new;
my %kept = map { $_ => AtidTest::Kept->new } keys %standby;

sub primary_draws
{
	my ($what, $session) = @_;
	my ($tids, $uuids) = draw($session, 100);
	$kept->new_ones("primary, $what", $tids, $uuids);
	$session->ok("INSERT INTO committed SELECT @{[DRAW]} FROM generate_series(1, 10)");
	$kept->late(parse_drawn($session->ok('COPY committed TO STDOUT') . "\n"));
	catch_up();
	$_->late([ $kept->{tid}{max} ], [])                     foreach values %kept;
	$_->{order}{max} = $kept->{order}{max}
	  foreach grep { $_->{order}{max} lt $kept->{order}{max} } values %kept;
	return;
}

my $primary = AtidTest::Session->new($node, $db);
primary_draws('first', $primary);
is(state_of($primary), 't|77', 'primary: durable, with the configured clock id');

my %session = map { $_ => AtidTest::Session->new($standby{$_}, $db) } keys %standby;

#
# On the standbys, while the primary continues.
#
foreach my $name (sort keys %standby)
{
	my $session = $session{$name};
	is($session->ok('SELECT pg_is_in_recovery()'), 't', "standby $name: in recovery");
	$kept{$name}->goes_on("standby $name, first", $session, count => 100, within => 5);
	like(state_of($session), qr/^f\|/, "standby $name: not durable");

	# Whatever is configured, it is the random one. The random one may by chance equal the configured one.
	my %ids;
	foreach my $id (77, 78)
	{
		$session->ok("SET atid.clock_id = $id");
		$ids{ $session->ok('SELECT atid.tid_clock_id(atid.tid_generate())') } = 1;
		$ids{ (split /\|/, state_of($session))[1] } = 1;
	}
	$session->ok('RESET atid.clock_id');
	is(scalar keys %ids, 1, "standby $name: its clock id does not go by what is configured");

	my ($tid) = draw($session, 1);
	$kept{$name}->late($tid, []);
	my (undef, $state, $err) = $session->try('SELECT atid.generator_reset()');
	is($state, '55000', "standby $name: no reset");
	like($err, qr/HINT:.*primary/, "standby $name: and a hint");
}

# The primary's stream moves ahead of the clock: by a burst, by its reserve, and by an hour.
SKIP:
{
	skip 'this machine is too slow to run ahead of the clock', 10
	  unless run_ahead($primary, 'tid', 3);
	primary_draws('ahead', $primary);
	$kept{$_}->goes_on("standby $_, the primary being ahead", $session{$_}) foreach keys %standby;
}
$primary->ok("SET atid.reserve = '20s'");
$primary->ok(burst('tid', 2_000_000));
primary_draws('with a longer reserve', $primary);
foreach my $name (sort keys %standby)
{
	my $us = $session{$name}->ok('SELECT last_value FROM atid.generator_horizon');
	is($us, (horizon_page($primary))[0], "standby $name: the horizon has arrived");
	my ($tids, $uuids) = draw($session{$name}, 10);
	$kept{$name}->new_ones("standby $name, a longer reserve", $tids, $uuids);
	cmp_ok(tid_us($tids->[0]), '>=', $us, "standby $name: its TIDs are above the horizon");
	cmp_ok(uuid_us($uuids->[0]) + 1, '>=', $us, "standby $name: its UUIDs are above the horizon");
}
$primary->ok("SET atid.reserve = '1s'");
set_horizon($primary, HOUR);
sleep 1.1;
primary_draws('an hour ahead', $primary);
foreach my $name (sort keys %standby)
{
	my $session = $session{$name};
	my $new     = AtidTest::Session->new($standby{$name}, $db);
	$_->ok("SET statement_timeout = '20s'") foreach $session, $new;
	$kept{$name}->goes_on("standby $name, an hour ahead, old session", $session, within => 5);
	$kept{$name}->goes_on("standby $name, an hour ahead, new session", $new,     within => 5);
	cmp_ok(ahead_of($session, 'tid'), '<', HOUR + 60, "standby $name: and no further than that");
	like(state_of($new), qr/^f\|/, "standby $name: still not durable");
	$new->quit;
}

# Nothing of it has been written there.
is($session{old}->ok('SELECT last_value, log_cnt FROM atid.generator_horizon'),
	$primary->ok('SELECT last_value, log_cnt FROM atid.generator_horizon'),
	'standby: the page is as the primary wrote it');

#
# The primary is stopped immediately, the standbys are promoted. On one the old session draws first, on the
# other a new one.
#
primary_draws('at last', $primary);
$node->stop('immediate');
$primary->quit;

foreach my $name (sort keys %standby)
{
	my $what = "promoted, $name session first";
	$kept{$name}->goes_on("standby $name, the primary gone", $session{$name});
	ahead_of($session{$name}, 'v7');
	my @last = draw($session{$name}, 1);
	$kept{$name}->late(@last);

	$standby{$name}->promote;
	my $new = AtidTest::Session->new($standby{$name}, $db);
	$new->ok("SET statement_timeout = '20s'");
	my @sessions = ($session{$name}, $new);
	@sessions = reverse @sessions if $name eq 'new';
	$kept{$name}->goes_on("$what, 1", $_, within => 5) foreach @sessions;
	$kept{$name}->goes_on("$what, 2", $_, within => 5) foreach @sessions;
	is(state_of($_), 't|77', "$what: durable, with the configured clock id") foreach @sessions;
	is($_->ok('SELECT DISTINCT atid.tid_clock_id(atid.tid_generate()) FROM generate_series(1, 10)'),
		'77', "$what: which its TIDs have")
	  foreach @sessions;
	cmp_ok((horizon_page($new))[1], '<', 0, "$what: the page is a generator's");

	# It is durable.
	$kept{$name}->goes_on("$what, 3", $_) foreach @sessions;
	$standby{$name}->stop('immediate');
	$_->quit foreach @sessions;
	$standby{$name}->start;
	$new = AtidTest::Session->new($standby{$name}, $db);
	$kept{$name}->goes_on("$what, and after a crash", $new, within => 5);
	$new->quit;
	$standby{$name}->stop;
}

#
# The page after replay has the same contents as the primary's, whatever was done to the sequence.
#
$node = new_node('consistency', init => [ allows_streaming => 1 ], conf => <<'CONF');
wal_consistency_checking = 'all'
atid.reserve = '1ms'
CONF
$db   = new_database($node, 'atid_consistency');
$kept = AtidTest::Kept->new;
$node->backup('base');
my $replica = PostgreSQL::Test::Cluster->new('replica');
$replica->init_from_backup($node, 'base', has_streaming => 1);
$replica->start;

my %mixed = (
	'nextval'        => sub { nextval_before_raise($kept, $_[0]); },
	'nextval twice'  => sub { nextval_before_raise($kept, $_[0]); $_[0]->ok("SELECT nextval('atid.generator_horizon')"); },
	'setval'         => sub { set_horizon($_[0], 120); },
	'setval, lower'  => sub { $_[0]->ok("SELECT setval('atid.generator_horizon', 5, false)"); },
	'ALTER SEQUENCE' => sub {
		$_[0]->ok('ALTER SEQUENCE atid.generator_horizon INCREMENT 1 RESTART WITH 7');
	},
	'reset' => sub {
		$_[0]->ok('SELECT atid.generator_reset()');
		$kept = AtidTest::Kept->new;
		set_horizon($_[0], 60);
	},
	'checkpoint' => sub { $_[0]->ok('CHECKPOINT'); },
	'nothing'    => sub { });

$primary = AtidTest::Session->new($node, $db);
set_horizon($primary, 60);
$primary->quit;
my $differ = '';
my $round  = 0;
foreach my $what ('nextval', (sort keys %mixed) x 3)
{
	$primary = AtidTest::Session->new($node, $db);
	draw($primary, 1);
	$mixed{$what}->($primary);
	$primary->quit;

	$primary = AtidTest::Session->new($node, $db);
	my $new = $kept->check(draw($primary, 1));
	my $page = join ' ', horizon_page($primary);
	$primary->quit;
	$round++;
	$node->wait_for_catchup($replica, 'replay', $node->lsn('flush'));
	my $replayed = $replica->safe_psql($db, q{SELECT last_value || ' ' || log_cnt FROM atid.generator_horizon});
	$differ .= " round $round, $what: $new $page and $replayed;" if $new || $page ne $replayed;
}
is($differ, '', "replay: after $round changes of the sequence the standby has the primary's page");
unlike(slurp_file($replica->logfile), qr/inconsistent page/, 'replay: no page differs in any other byte');
$replica->stop;
$node->stop;

done_testing();
