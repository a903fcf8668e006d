# pgbouncer in transaction mode: many clients share a few sessions of the server. Shows that
# - no identifier is handed out twice and each is greater than the client's last, though a client's
#   next transaction may run in any session;
# - settings of the database or the role take effect for all of them.
#
# Skipped where pgbouncer is not installed; script/test --full installs it.
#
# Tags: medium full

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Oracles;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

local $ENV{PATH} = "$ENV{PATH}:/usr/sbin";
plan skip_all => 'pgbouncer is not installed' unless AtidTest::Oracles::find_program('pgbouncer');
plan skip_all => 'pgbouncer refuses to run as root' if $> == 0;

my $node = new_node('pooled', ready => 1);
my $db   = new_database($node, 'app');
$node->safe_psql($db, "ALTER DATABASE $db SET atid.clock_id = 77");

my $dir  = PostgreSQL::Test::Utils::tempdir_short();
my $port = PostgreSQL::Test::Cluster::get_free_port();
my $user = getpwuid($>);
my $pool = 4;

append_to_file("$dir/users", qq("$user" ""\n));
append_to_file("$dir/ini", <<"INI");
[databases]
$db = host=@{[ $node->host ]} port=@{[ $node->port ]} user=$user
[pgbouncer]
listen_addr =
listen_port = $port
unix_socket_dir = $dir
auth_type = trust
auth_file = $dir/users
pool_mode = transaction
default_pool_size = $pool
max_client_conn = 50
INI
my $said    = '';
my $bouncer = IPC::Run::start([ 'pgbouncer', "$dir/ini" ], '<', \undef, '>&', \$said);
foreach (1 .. 100)
{
	last if -S "$dir/.s.PGSQL.$port";
	$bouncer->pump_nb;
	sleep 0.1;
}

# Each client has one transaction per line, so that each may run in another session.
my $clients = 16;
my $draws   = 1000;
my $script  = "$dir/script.sql";
append_to_file($script, "SELECT pg_backend_pid(), atid.tid_generate();\n" x $draws);
my (@runs, @out);
foreach my $i (0 .. $clients - 1)
{
	$out[$i] = "$dir/out$i";
	push @runs,
	  IPC::Run::start(
		[
			'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-f', $script,
			'-d', "host=$dir port=$port dbname=$db user=$user"
		],
		'<', \undef, '>', $out[$i], IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
}
my $ended = grep { $_->finish } @runs;
is($ended, $clients, 'all clients came to their end') or diag($said);

my (%seen, %sessions);
my ($falls, $moved) = (0, 0);
foreach my $out (@out)
{
	my ($last, $before) = ('', 0);
	foreach my $line (split /\n/, slurp_file($out))
	{
		my ($session, $tid) = split /\|/, $line;
		$seen{$tid}++;
		$sessions{$session}++;
		$falls++ if $tid le $last;
		$moved++ if $before && $before != $session;
		($last, $before) = ($tid, $session);
	}
}
is(scalar keys %seen, $clients * $draws, 'no identifier was handed out twice');
is($falls,            0,                 'each is above the client\'s last');
cmp_ok(scalar keys %sessions, '<=', $pool, 'the server had no more sessions than the pool');
cmp_ok($moved, '>', 0, "clients went from one session to another ($moved times)");
is(join(' ', sort { $a <=> $b } keys %{ { map { clock_id($_) => 1 } keys %seen } }),
	77, 'all of them have the clock id that is set for the database');

# The last ten bits of a TID.
sub clock_id
{
	my ($tid) = @_;
	my $value = 0;
	$value = $value << 5 | index('234567abcdefghijklmnopqrstuvwxyz', $_) foreach split //, substr($tid, -2);
	return $value;
}

$bouncer->signal('INT');
eval { $bouncer->finish };
$node->stop;
done_testing();
