# The program of the indexer as a process: what it logs, when it ends, and what prevents it from working.
#
# Shows that
# - it ends with status 1 after an unforeseen error, also between two runs, and logs it once, in one line;
# - an error names the setting of the server concerned, and an unchanged line of progress is not repeated;
# - a role or a database whose transactions are read-only by default does not stop it;
# - a role without its privileges that takes its lock is named in the log and by status;
# - on a standby it waits until the promotion, and /healthz reports it; commands that write report it, too;
# - /metrics fails at once while the database hangs, sends no further queries meanwhile, and has counters.
#
# Skipped where atid_crypto, Node 22 or the packages are not installed.
#
# Tags: long node crypto

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Indexer;
use AtidTest::Oracles;
use File::Copy;
use HTTP::Tiny;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $root = "$FindBin::Bin/../..";
my $node = new_node('indexer_program', ready => 1, init => [ allows_streaming => 1 ], conf => "max_wal_senders = 5\n");
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my ($modules, $why) = AtidTest::Oracles::packages('indexer', "$root/indexer");
plan skip_all => $why unless defined $modules;
my $folder = PostgreSQL::Test::Utils::tempdir('program');
my $db     = new_database($node, 'program');
(my $indexer, $why) = AtidTest::Indexer->new($node, $db, { folder => $folder });
plan skip_all => $why unless defined $indexer;
symlink $modules, "$folder/node_modules" or die "$!";
my ($program, $bin) = $indexer->bin;
my $limit = $PostgreSQL::Test::Utils::timeout_default;
my $http  = HTTP::Tiny->new(timeout => $limit);

my @running;
END
{
	local $?;
	$_->kill_kill(grace => 5) foreach grep { $_->pumpable } @running;
}

sub sql { return $node->safe_psql($db, $_[0]); }

# The text of a page, once it matches.
sub page
{
	my ($port, $path, $until) = @_;
	my $end = time + $limit;
	for (;;)
	{
		my $answer = $http->get("http://127.0.0.1:$port/$path");
		my $said   = "$answer->{status} $answer->{content}";
		return $said if !defined $until || $said =~ $until || time > $end;
		sleep 0.1;
	}
}

# A server that does not listen, so that no run gets further than is possible without a network.
my $nobody = 'http://127.0.0.1:1';
my %labels = (ATID_SERVICE_URL => $nobody, ATID_STREAM_KIND => 'labels');

my ($status, $said) = $indexer->command('init', '--role', 'consumer');
is($status, 0, 'init') or die $said;

#
# Unforeseen errors: between two runs, and in one.
#
foreach (
	[ 'between two runs', { PGPORT => 1 }, 'run' ],
	[ 'in a run', {%labels}, 'run' ],
	[ 'without a database', { ATID_SERVICE_URL => $nobody }, 'stream', 'count', '--cursor', 1 ])
{
	my ($when, $settings, @words) = @$_;
	my $log = '';
	local %ENV = $indexer->environment(%$settings);
	my $fault = q{data:text/javascript,setTimeout(() => { for (const n of [1, 2]) setImmediate(() => { throw new TypeError("planned " + n) }) }, 3000)};
	my $run = IPC::Run::start([ $program, '--import', $fault, $bin, @words ], '<', \undef, '>&', \$log, IPC::Run::timeout($limit));
	push @running, $run;
	ok(eval { $run->finish; 1 }, "$when: an unforeseen error ends the program") or $run->kill_kill;
	is($run->full_result(0) >> 8, 1, '... with status 1');
	is_deeply([ $log =~ /(error program failed .*)/g ], [ $log =~ /(error program failed error="TypeError: planned 1" at=.*)$/m ], '... and is logged once, in one line')
	  or diag($log);
}

#
# Errors with their settings, and progress.
#
my $run = $indexer->start(ATID_SERVICE_URL => $nobody);
ok($indexer->wait_for_log($run, qr{Z error run failed setting=ATID_SERVICE_URL error="\Q$nobody\E: unreachable: ECONNREFUSED"$}m), 'an error names the setting of the server');
is($indexer->stop($run), 0, '... and SIGTERM ends the program');

#
# Transactions that are read-only by default.
#
$run = $indexer->start(%labels, ATID_PROGRESS_INTERVAL => 0.1);
ok($indexer->wait_for_log($run, qr/(?:warn stream closed error=.*?){4}/s), 'the stream is tried again and again');
my @progress = slurp_file($run->{log}) =~ /info progress frames=0 /g;
is(scalar @progress, 1, '... and an unchanged progress line is not repeated');
$indexer->stop($run);
sql('DELETE FROM indexer.stream');
foreach my $what ('ROLE consumer', "DATABASE $db")
{
	sql("ALTER $what SET default_transaction_read_only = on");
	$run = $indexer->start(%labels, PGUSER => 'consumer');
	ok($indexer->wait_for("it writes: $what", 'SELECT count(*) = 1 FROM indexer.stream'), "transactions of the $what are read-only, and the program writes");
	$indexer->stop($run);
	sql("BEGIN READ WRITE; ALTER $what RESET default_transaction_read_only; DELETE FROM indexer.stream; COMMIT");
}

#
# The lock is held by a role that cannot do the work.
#
sql('CREATE ROLE reader LOGIN');
{
	my ($in, $out) = ('', '');
	my $psql = IPC::Run::start([ 'psql', '-qXAt', '-d', $node->connstr($db), '-U', 'reader' ], '<', \$in, '>', \$out);
	push @running, $psql;
	$in = "SELECT 'pid ' || pg_backend_pid() FROM pg_advisory_lock(hashtext('atid-indexer repositories'));\n";
	my $until = time + $limit;
	$psql->pump_nb, sleep 0.02 until $out =~ /^pid (\d+)$/m || time > $until;
	my ($pid) = $out =~ /^pid (\d+)$/m or die $out;
	$run = $indexer->start(ATID_SERVICE_URL => $nobody);
	ok($indexer->wait_for_log($run, qr/warn waiting for lock holder=".*held by the role reader, process $pid, .*pg_terminate_backend\($pid\)/), 'a role that holds the lock without the rights of the program is named');
	($status, $said) = $indexer->command('status');
	like($said, qr/PROBLEM: the lock of this program is held by the role reader, process $pid/, '... by status, too');
	is($status, 1, '... with status 1');
	sql("SELECT pg_terminate_backend($pid)");
	ok($indexer->wait_for_log($run, qr/error run failed setting=ATID_SERVICE_URL/), '... and it goes on when that role has ended');
	$indexer->stop($run);
	eval { $psql->finish };
}

#
# /metrics and /healthz over a connection that is interrupted.
#
copy("$FindBin::Bin/api/wire.mjs", $folder) or die "$!";
mkdir "$folder/wire" or die "$!";
my ($wire_in, $wire_out) = ('', '');
my $wire = IPC::Run::start([ $program, "$folder/wire.mjs", map { "$_/.s.PGSQL." . $node->port } "$folder/wire", $node->host ], '<', \$wire_in, '>', \$wire_out);
push @running, $wire;
sub wire
{
	my ($command) = @_;
	$wire_out = '';
	$wire_in  = "$command\n" if $command;
	my $until = time + $limit;
	$wire->pump_nb, sleep 0.02 until $wire_out =~ /^(?:ready|\Q$command\E (\d+))$/m || time > $until;
	return $1;
}
wire('');
my $port = PostgreSQL::Test::Cluster::get_free_port();
$run = $indexer->start(%labels, PGHOST => "$folder/wire", ATID_METRICS_PORT => $port);
my $metrics = page($port, 'metrics', qr/^200 .*atid_stream_frames/s);
like($metrics, qr/^# HELP atid_stream_frames_total \S.*\n# TYPE atid_stream_frames_total counter\natid_stream_frames_total\{of="[^"]+"\} 0$/m, 'counters end with _total');
like($metrics, qr/^# TYPE atid_stream_frames gauge\natid_stream_frames\{of="[^"]+"\} 0$/m, '... and also have their old names');
like($metrics, qr/^atid_process_memory_bytes\{of="rss"\} [1-9]\d+$/m, 'there are figures of the process');
my @names = $metrics =~ /^(atid_\w+)\{/mg;
my %has   = map { $_ => 1 } $metrics =~ /# HELP (\w+) /g;
is(join(' ', grep { !$has{$_} } @names), '', '... and each metric has a help line');
wire('hold');
my $before = time;
like(page($port, 'metrics'), qr/^503 the database does not answer/, '503 when the database hangs');
my $first = time - $before;
my $connections = wire('count');
$before = time;
is(join(' ', map { page($port, $_) =~ /^(\d+)/ } ('metrics', 'healthz') x 5), join(' ', (503) x 10), '... and for further requests');
cmp_ok((time - $before) / 10, '<', $first / 2, '... at once');
cmp_ok(wire('count') - $connections, '<=', 1, '... without a connection for each of them');
wire('pass');
like(page($port, 'metrics', qr/^200/), qr/^200/, '... and 200 when it answers again');
wire('lose');
like(page($port, 'healthz', qr/^503 the database does not answer/), qr/^503/, '503 after the host of the server has vanished');
like(page($port, 'metrics', qr/^200/), qr/^200/, '... and 200 by a new connection');
$indexer->stop($run);
$wire->kill_kill;

#
# A standby.
#
sql('DELETE FROM indexer.stream');
$node->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->start;
$run = $indexer->start(%labels, PGHOST => $standby->host, PGPORT => $standby->port, ATID_METRICS_PORT => $port);
ok($indexer->wait_for_log($run, qr/warn waiting for primary advice="promote this standby/), 'a standby is recognized');
like(page($port, 'healthz', qr/standby/), qr/^503 this server is a standby/, '... by /healthz, too');
unlike(slurp_file($run->{log}), qr/Z error/, '... and is no error');
my %there = (PGHOST => $standby->host, PGPORT => $standby->port);
is(($indexer->command(\%there, 'status'))[0], 0, 'status reads it');
sql(q{SELECT indexer.start_stream('relay', 'repos', NULL, 1)});
$node->wait_for_catchup($standby);
like(($indexer->command('status'))[1], qr/^  PROBLEM: no program follows the repositories/m, '... and reports on the primary that no program runs');
unlike(($indexer->command(\%there, 'status'))[1], qr/no program/, '... but not on the standby, which shows no locks of the primary');
sql('DELETE FROM indexer.stream');
$node->wait_for_catchup($standby);
($status, $said) = $indexer->command(\%there, qw(want add account did:web:b.example));
is($status, 1, 'a command that writes fails on it');
like($said, qr/the server is a standby.*Promote the standby, or set PGHOST and PGPORT to the primary\.$/m, '... and reports what to do');
$standby->promote;
ok($standby->poll_query_until($db, 'SELECT count(*) = 1 FROM indexer.stream'), '... and after its promotion the program begins to work');
is($indexer->stop($run), 0, 'SIGTERM ends it');

$standby->stop;
$node->stop;
done_testing();
