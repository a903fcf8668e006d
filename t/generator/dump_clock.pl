# Dump, restore and pg_upgrade into a server whose clock is behind.
#
# The horizon is dumped with the extension. Shows that the next identifier is above all those that the
# source has handed out, where the target's clock is an hour behind,
# - after pg_dump and a restore, by the superuser and by a plain database owner, as a script and as an
#   archive, in one transaction and not;
# - after a restore into a database that is in use, within a second;
# - after pg_upgrade.
#
# Tags: medium differs faketime

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

use constant HOUR => 3600;

my $clock = AtidTest::Clock->new
  or plan skip_all => 'libfaketime.so.1 not found: install the package faketime (or libfaketime)';

my $source = new_node('source');
my $target = new_node('target', stopped => 1);
$clock->set(-HOUR);
$clock->start($target);

my $super = $source->safe_psql('postgres', 'SELECT current_user');
$_->safe_psql('postgres', 'CREATE ROLE owner LOGIN') foreach $source, $target;

# The identifiers that a separate source hands out before the dump; a part of them goes into a table.
sub source_draws
{
	my ($db) = @_;
	my $kept    = AtidTest::Kept->new;
	my $session = AtidTest::Session->new($source, $db);
	$session->ok("INSERT INTO committed SELECT @{[DRAW]} FROM generate_series(1, 10)");
	$kept->late(parse_drawn($session->ok('COPY committed TO STDOUT') . "\n"));
	$kept->goes_on("$db: the source", $session);
	$session->quit;
	return $kept;
}

# Both clocks are as they should be; otherwise this test could not fail.
sub check_clock
{
	my ($session, $what) = @_;
	cmp_ok($clock->offset($session), '<', -HOUR + 60, "$what: the clock is an hour behind");
	return;
}

foreach my $user ($super, 'owner')
{
	my $who  = $user eq 'owner' ? 'owner' : 'super';
	my $from = "from_$who";
	my $dir  = PostgreSQL::Test::Utils::tempdir("dump_$who");
	my @as   = ('-U', $user);

	$source->safe_psql('postgres', "CREATE DATABASE $from OWNER $user");
	$source->safe_psql(
		$from,
		'CREATE EXTENSION atid; CREATE TABLE committed (t atid.tid DEFAULT atid.tid_generate(), u uuid DEFAULT atid.uuid_generate_v7())',
		extra_params => \@as);
	my $kept = source_draws($from);

	command_ok([ 'pg_dump', @as, '-f', "$dir/script", '-d', $source->connstr($from) ],
		"$who: pg_dump, a script");
	command_ok([ 'pg_dump', @as, '-Fc', '-f', "$dir/archive", '-d', $source->connstr($from) ],
		"$who: pg_dump, an archive");

	my %restore = (
		script        => [ 'psql', @as, '-Xq', '-v', 'ON_ERROR_STOP=1', '-f', "$dir/script" ],
		script_single => [ 'psql', @as, '-Xq', '-v', 'ON_ERROR_STOP=1', '-1', '-f', "$dir/script" ],
		archive        => [ 'pg_restore', @as, '--exit-on-error', "$dir/archive" ],
		archive_single => [ 'pg_restore', @as, '--single-transaction', "$dir/archive" ],
		archive_jobs   => [ 'pg_restore', @as, '--exit-on-error', '-j2', "$dir/archive" ]);
	foreach my $way (sort keys %restore)
	{
		my $to = "${who}_$way";
		$target->safe_psql('postgres', "CREATE DATABASE $to OWNER $user");
		command_ok([ @{ $restore{$way} }, '-d', $target->connstr($to) ], "$to: restored");

		# Each continues from where the source was.
		my $again   = AtidTest::Kept->new;
		my $session = AtidTest::Session->new($target, $to, user => $user);
		check_clock($session, $to);
		$again->{$_}{max} = $kept->{$_}{max} foreach qw(tid order);
		$session->ok("SET statement_timeout = '20s'");
		$again->goes_on($to, $session, within => 5);
		cmp_ok(ahead_of($session, $_), '<', HOUR + 60, "$to: $_ is above it and no further")
		  foreach qw(tid v7);

		# The restored database is dumped again.
		my $second = "$dir/again_$way";
		command_ok([ 'pg_dump', @as, '-f', $second, '-d', $target->connstr($to) ], "$to: dumped again");
		like(slurp_file($second), qr/setval\('atid\.generator_horizon', \d{16}, true\)/,
			"$to: with the horizon");
		$session->quit;
	}

	# The privileges are only those that the owner's restore needs.
	is( $source->safe_psql($from,
			q{SELECT string_agg(CASE grantee WHEN 0 THEN 'public' WHEN relowner THEN 'super' ELSE grantee::regrole::text END || '=' || privilege_type, ' ' ORDER BY grantee = 0, privilege_type)
FROM pg_class, aclexplode(relacl) WHERE oid = 'atid.generator_horizon'::regclass AND grantee IS DISTINCT FROM relowner}
		),
		'pg_database_owner=UPDATE public=SELECT',
		"$who: privileges on the horizon");
}

#
# Into a database that is in use.
#
{
	my $db = new_database($target, 'in_use');
	$target->safe_psql($db, 'CREATE TABLE committed (t atid.tid, u uuid)');
	$source->safe_psql('from_super', 'SELECT atid.tid_generate()');
	my $kept = source_draws('from_super');
	my $file = PostgreSQL::Test::Utils::tempdir('data') . '/archive';
	my @live = map { AtidTest::Session->new($target, $db) } 1 .. 2;
	check_clock($live[0], 'in use');

	# The horizon that they know would last for half an hour, if no session reread it.
	$_->ok("SET atid.reserve = '30min'") foreach @live;
	my @before = map { draw($_, 10) } @live;
	cmp_ok(abs(ahead_of($live[0], 'tid')), '<', 5, 'in use: it has drawn by its clock before');

	command_ok([ 'pg_dump', '-Fc', '-f', $file, '-d', $source->connstr('from_super') ],
		'in use: pg_dump');
	command_ok(
		[ 'pg_restore', '--exit-on-error', '--data-only', '-d', $target->connstr($db), $file ],
		'in use: restored');
	$_->ok("SET atid.reserve = '1s'") foreach @live;
	sleep 1.1;
	$kept->goes_on('in use, a session that was there', $_, within => 5) foreach @live;
	my $new = AtidTest::Session->new($target, $db);
	$kept->goes_on('in use, a new session', $new);
	$_->quit foreach @live, $new;
}
$target->stop;

#
# pg_upgrade, within one version.
#
{
	my $to   = new_node('upgraded', stopped => 1);
	my $last = source_draws('from_owner');
	$source->stop;
	pg_upgrade($source, $to);
	$clock->start($to);

	my $session = AtidTest::Session->new($to, 'from_owner', user => 'owner');
	$session->ok("SET statement_timeout = '20s'");
	check_clock($session, 'pg_upgrade');
	$last->goes_on('pg_upgrade', $session, within => 5);
	cmp_ok(ahead_of($session, $_), '<', HOUR + 60, "pg_upgrade: $_ is above it and no further")
	  foreach qw(tid v7);
	$session->quit;
	my $super_session = AtidTest::Session->new($to, 'from_super');
	cmp_ok(ahead_of($super_session, $_), '>', HOUR - 60, "pg_upgrade: $_ is above it in another database")
	  foreach qw(tid v7);
	$super_session->quit;
	$to->stop;
}

done_testing();
