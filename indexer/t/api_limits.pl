# atid-indexer api facing unrelated strangers: its log, its refusals, and what one address can hold.
#
# Shows, as listed in indexer/t/api/guard.mjs:
# - the log: a client that disconnects is no error, an error is one line without a stack, and it is counted, not
#   repeated;
# - refusals have status 400, 403 or 503, and give the reason;
# - a login that owns a large object or the schema is refused, and a port that is in use is named;
# - /health is 503 within seconds when the server hangs or vanishes, or when its changes are not received, and 200
#   again afterwards;
# - a reader that somebody has deleted is created again;
# - one address cannot keep out others, by not reading answers, by slow headers, or by WebSockets.
#
# indexer/t/api.pl has the limits that hold for all addresses together. Skipped where atid_crypto, Node 22 or the
# packages are not installed.
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
my $node = new_node('api_limits', ready => 1);
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my ($modules, $why) = AtidTest::Oracles::packages('indexer', "$root/indexer");
plan skip_all => $why unless defined $modules;

my $folder = PostgreSQL::Test::Utils::tempdir('api');
my $db     = new_database($node, 'app');
(my $indexer, $why) = AtidTest::Indexer->new($node, $db, { folder => $folder });
plan skip_all => $why unless defined $indexer;
my ($program) = $indexer->bin;
my $limit = $PostgreSQL::Test::Utils::timeout_default;
symlink $modules, "$folder/node_modules" or die "$!";
mkdir "$folder/api" or die "$!";
copy("$FindBin::Bin/api/$_", "$folder/api") or die "$!" foreach qw(guard.mjs wire.mjs);
$why = $indexer->build_api;
plan skip_all => $why if defined $why;

my @running;
END
{
	local $?;
	$_->kill_kill(grace => 5) foreach grep { $_->pumpable } @running;
}

sub sql { return $node->safe_psql($db, $_[0]); }

# Starts the API, and waits for a line in its log.
sub start
{
	my ($line, %settings) = @_;
	my $log = "$folder/log" . @running;
	local %ENV = $indexer->environment(PGUSER => 'consumer', ATID_API_PORT => 0, %settings);
	push @running, IPC::Run::start([ $indexer->bin, 'api' ], '<', \undef, '>', $log, '2>&1');
	my $until = time + 2 * $limit;
	sleep 0.1 until slurp_file($log) =~ $line || !$running[-1]->pumpable || time > $until;
	slurp_file($log) =~ $line or die slurp_file($log);
	return { run => $running[-1], log => $log, pid => $running[-1]->{KIDS}[0]{PID}, port => $1 };
}

# The verdicts of guard.mjs.
sub judge
{
	my (@arguments) = @_;
	my ($out, $err) = ('', '');
	local %ENV = $indexer->environment;
	IPC::Run::run([ $program, "$folder/api/guard.mjs", @arguments ], '<', \undef, '>', \$out, '2>', \$err, IPC::Run::timeout($AtidTest::work_limit))
	  or fail("guard.mjs: $err");
	foreach (split /\n/, $out)
	{
		my ($verdict, $text) = split /\t/, $_, 2;
		$verdict eq 'note' ? diag($text) : ok($verdict eq 'ok', $text);
	}
	return;
}

#
# A few long records, and functions that fail.
#
my ($status, $said) = $indexer->command('init', '--role', 'consumer');
is($status, 0, 'init') or die $said;
($status, $said) = $indexer->command('lexicon', 'add', glob "$root/examples/statusphere/lexicons/*.json");
is($status, 0, 'the Lexicons') or die $said;
sql(<<'SQL');
INSERT INTO indexer.record (uri, did, cid, block, conforms)
SELECT atid.at_uri_make(d::text, 'app.bsky.actor.profile', 'self'), d, atid.cid_of(b, 'dag-cbor'), b, true
FROM generate_series(1, 4) AS i CROSS JOIN LATERAL CAST(format('did:web:large%s.example', i) AS atid.did) AS d
     CROSS JOIN LATERAL atid.record_to_dag_cbor(jsonb_build_object('avatar', jsonb_build_object('x', repeat('x', 950000)))) AS b;
CREATE SCHEMA api;
CREATE FUNCTION api.broken(n int) RETURNS int LANGUAGE plpgsql STABLE AS
  $$ BEGIN RAISE 'broken, for %', n USING DETAIL = E'two\nlines'; END $$;
SELECT indexer.make_views('api');
CREATE ROLE reader LOGIN;
GRANT USAGE ON SCHEMA api TO reader;
GRANT SELECT ON ALL TABLES IN SCHEMA api TO reader;
REVOKE TEMPORARY ON DATABASE app FROM PUBLIC;
SQL

my $api = start(qr{api listening url=http://127\.0\.0\.1:(\d+)/}, ATID_API_MAX_SOCKETS => 200, ATID_API_ALLOWED_ORIGINS => 'https://app.example');
judge($api->{port}, $api->{pid}, AtidTest::Indexer::patience(), $api->{log});
$api->{run}->signal('TERM');
eval { $api->{run}->finish };
is($api->{run}->full_result(0), 0, 'SIGTERM ends it');
like(slurp_file($api->{log}), qr/error field failed field=a error="broken, for 1: two lines" hash=[\w-]+ more=29 seconds=60$/m, '... and the log counts the errors that it has not repeated');

#
# A login that owns a large object, or the schema.
#
sql('SET ROLE reader; SELECT lo_create(4711)');
my %asks = (PGUSER => 'consumer', ATID_API_PORT => 0);
($status, $said) = $indexer->command(\%asks, 'api');
like($said, qr/owns the large object 4711: SELECT lo_unlink\(4711\)/, 'a login that owns a large object is refused');
sql('SELECT lo_unlink(4711); ALTER SCHEMA api OWNER TO reader');
($status, $said) = $indexer->command(\%asks, 'api');
like($said, qr/ATID_API_DB_USER is reader, but it owns the schema api\. /, '... and so is the owner of the schema, before any other check');
sql('ALTER SCHEMA api OWNER TO CURRENT_USER; REVOKE ALL ON SCHEMA api FROM reader; GRANT USAGE ON SCHEMA api TO reader');
like(slurp_file($api->{log}), qr/large objects allowed role=reader remedy="REVOKE EXECUTE ON FUNCTION lo_create/, 'the log names the right that every role has');

#
# /health, while the server hangs, after it has vanished, and after its reader was deleted.
#
my ($wire_in, $wire_out) = ('', '');
mkdir "$folder/wire" or die "$!";
push @running, IPC::Run::start([ $program, "$folder/api/wire.mjs", map { "$_/.s.PGSQL." . $node->port } "$folder/wire", $node->host ],
	'<', \$wire_in, '>', \$wire_out);
my $wire = $running[-1];
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
my $http = HTTP::Tiny->new(timeout => $limit);
my $health = sub { my $answer = $http->get("http://127.0.0.1:$api->{port}/health"); return "$answer->{status} $answer->{content}"; };
my $becomes = sub {
	my ($state, $name) = @_;
	my $until = time + 60 + $limit;
	sleep 0.1 until $health->() =~ $state || time > $until;
	return like($health->(), $state, $name);
};
$api = start(qr{api listening url=http://127\.0\.0\.1:(\d+)/}, PGHOST => "$folder/wire");
$becomes->(qr/^200 ok/, '/health is 200');
my ($status_busy, $said_busy) = $indexer->command({ PGUSER => 'consumer', ATID_API_PORT => $api->{port} }, 'api');
like($said_busy, qr/Another program uses port $api->{port} of 127\.0\.0\.1\. Set ATID_API_PORT or ATID_API_HOST to another one/, 'a port that another program uses is named');
wire('hold');
$becomes->(qr/^503 the (?:database does not answer|changes of the indexer do not arrive)/, '... 503 while the server hangs');
my $asked = time;
$health->();
cmp_ok(time - $asked, '<', 10 * AtidTest::Indexer::patience(), '... without waiting for it');
wire('pass');
$becomes->(qr/^200 ok/, '... and 200 when it answers again');
wire('lose');
$becomes->(qr/^503/, '... 503 after its host has vanished');
$becomes->(qr/^200 ok/, '... and 200 by new connections');
sql(q{DELETE FROM indexer.reader WHERE name LIKE 'api %'});
my $reads = q{SELECT count(*) = 1 FROM indexer.reader WHERE name LIKE 'api %'};
ok($indexer->wait_for('the reader', $reads), 'a reader that somebody has deleted is created again');
like(slurp_file($api->{log}), qr/changes failed error="its row in the table indexer\.reader was deleted/, '... and the log reports it');
$api->{run}->signal('TERM');
eval { $api->{run}->finish };
$wire->kill_kill;

$node->stop;
done_testing();
