# Settings that were made before the library is loaded.
#
# The library is loaded by the first call of one of its functions, which can be in a parallel query, in a
# worker or in the leader. Shows that ALTER DATABASE, ALTER ROLE and SET then take effect, without a warning,
# in the query and after it, with every function as the first; that servers which would ignore the settings there draw
# nothing; and which commands accept a setting of a library that is not loaded, and what happens with a value that is
# not allowed.
#
# Tags: medium differs

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('settings', conf => <<'CONF');
max_parallel_workers_per_gather = 2
parallel_setup_cost = 0
parallel_tuple_cost = 0
min_parallel_table_scan_size = 0
CONF
my $crypto = has_extension($node, 'atid_crypto');
new_database($node, 'settings');
$node->safe_psql('settings', 'CREATE EXTENSION atid_crypto') if $crypto;
$node->safe_psql('settings', <<'SQL');
CREATE ROLE reader LOGIN;
CREATE TABLE big AS SELECT g FROM generate_series(1, 5000) g;
ANALYZE big;
GRANT SELECT ON big TO reader;
CREATE FUNCTION drawn(int) RETURNS int LANGUAGE plpgsql PARALLEL SAFE COST 10000 AS
	'BEGIN RETURN atid.tid_clock_id(atid.tid_generate()); END';
CREATE FUNCTION first_of_atid(int) RETURNS int LANGUAGE plpgsql PARALLEL SAFE COST 10000 AS
	$$BEGIN PERFORM atid.rkey_is_valid('x'); RETURN atid.tid_clock_id(atid.tid_generate()); END$$;
CREATE FUNCTION first_of_crypto(int) RETURNS int LANGUAGE plpgsql PARALLEL SAFE COST 10000 AS
	$$BEGIN PERFORM atid.label_is_signed_by('{}', '', 'did:key:zQ3shqwJEJyMBsBXCWyCBpUBMqxcon9oHB7mCvx4sSpMdLJwc'); RETURN atid.tid_clock_id(atid.tid_generate()); END$$;
SQL

# Each answers 17 in every row, where 17 was set.
my %first = (
	'a function' => 'atid.tid_clock_id(atid.tid_generate())',
	'PL/pgSQL that draws' => 'drawn(g)',
	'PL/pgSQL' => 'first_of_atid(g)',
	$crypto ? (
		'PL/pgSQL and atid_crypto' => 'first_of_crypto(g)',
		'atid_crypto' => q{CASE WHEN atid.label_is_signed_by(jsonb_build_object('ver', g), '', 'did:key:zQ3shqwJEJyMBsBXCWyCBpUBMqxcon9oHB7mCvx4sSpMdLJwc') THEN 0 ELSE drawn(g) END})
	: ());

# Before these, the server ignores the settings of a library that is loaded in a parallel query.
my ($major, $minor) = $node->safe_psql('postgres', 'SHOW server_version') =~ /^(\d+)\.(\d+)/;
my %first_good = (15 => 9, 16 => 5, 17 => 1);
my $ignores = defined $minor && $minor < ($first_good{$major} // 0);

# Runs a query that calls a function first, in a new session, and reads the settings after it.
sub heeded
{
	my ($what, $user, $set) = @_;
	foreach my $first (sort keys %first)
	{
		foreach my $leader (qw(on off))
		{
			my $session = AtidTest::Session->new($node, 'settings', user => $user);
			my $query = "SELECT min($first{$first}), max($first{$first}) FROM big";
			$session->ok("SET parallel_leader_participation = $leader; $set");
			my ($out, $state, $err) = $session->try("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) $query");
			if ($ignores && $state ne '00000')
			{
				is($state, '55000', "$what, $first, leader $leader: refused");
				like($err, qr/settings of the generator were lost.*session_preload_libraries/s, "$what, $first, leader $leader: says what helps");
				$session->quit;
				next;
			}
			like($out, qr/Workers Launched: [12]/, "$what, $first, leader $leader: parallel");
			is($err, '', "$what, $first, leader $leader: no warning");
			is($session->ok("$query; SELECT drawn(1)"), "17|17\n17", "$what, $first, leader $leader: heeded");
			is($session->ok('SHOW atid.clock_id'), '17', "$what, $first, leader $leader: stays");
			$session->quit;
		}
	}
	return;
}

my $superuser = $node->safe_psql('postgres', 'SELECT current_user');
heeded('SET', $superuser, 'SET atid.clock_id = 17');
$node->safe_psql('settings', 'ALTER DATABASE settings SET atid.clock_id = 17');
heeded('ALTER DATABASE', 'reader', '');
$node->safe_psql('settings', 'ALTER DATABASE settings RESET ALL; ALTER ROLE reader SET atid.clock_id = 17');
heeded('ALTER ROLE', 'reader', '');
if ($ignores)
{
	$node->safe_psql('settings', q(ALTER DATABASE settings SET session_preload_libraries = 'atid'));
	($ignores, my $was) = (0, $ignores);
	heeded('preloaded', 'reader', '');
	$ignores = $was;
	$node->safe_psql('settings', 'ALTER DATABASE settings RESET ALL');
}

# Where a server cannot apply the settings in a parallel query, the library is usually loaded before one: when the
# planner first looks up a function of either extension.
is($node->safe_psql('settings', q{LOAD 'atid_crypto'; SHOW atid.reserve}), '1s', 'atid_crypto loads the library of atid')
  if $crypto;

# Commands in a session that has not loaded the library.
my $set = AtidTest::Session->new($node, 'settings');
is( ($set->try('ALTER SYSTEM SET atid.clock_id = 17'))[1],
	$set->ok('SHOW server_version_num') < 170000 ? '42704' : '00000',
	'ALTER SYSTEM refuses a setting of a library that is not loaded, before 17');
foreach my $command ('ALTER DATABASE settings SET', 'ALTER ROLE reader SET', 'SET')
{
	is(($set->try("$command atid.clock_id = 1717"))[1], '00000', "$command takes it, and any value");
}
my $reader = AtidTest::Session->new($node, 'settings', user => 'reader');
my ($out, $state, $err) = $reader->try('SET atid.reserve = 5; SELECT drawn(1) <> 1717; SHOW atid.reserve');
is($out, "t\n1s", 'the library has the defaults');
like($err, qr/WARNING:  1717 is outside the valid range for parameter "atid.clock_id"/, 'a warning: out of range');
like($err, qr/WARNING:  permission denied to set parameter "atid.reserve"/, 'a warning: no right');
$_->quit foreach $set, $reader;

$node->stop;
done_testing();
