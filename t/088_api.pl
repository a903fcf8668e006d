# atid-indexer api: GraphQL of the views, as strangers ask for it.
#
# Shows that
# - a login that may do more than read the schema of the views is refused, with what to take away, and says so;
# - pages of a timeline have each record once, with handles, names and the addresses of avatars; filters, orders and
#   grouped counts work, and only on columns with an index;
# - each limit holds (t/api/limits.mjs tries to get around it): of pages, depth, cost, length, sockets, subscriptions,
#   origins and memory;
# - a change is told at its COMMIT, with its joins, also while an older transaction still writes, once to each who asked
#   for it, and none after the connection of the server was lost;
# - the schema is made anew after make_views;
# - "atid-indexer up" does the whole from Lexicons and a server, can be run again, and takes nothing back; with the page,
#   the SQL and the Lexicons of examples/statusphere;
# - with ATID_FULL, Chromium sees a status arrive on the page at 1280 and 400 pixels.
#
# Skipped where atid_crypto, Node 22 or the packages are not there.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/lib";

use AtidTest;
use AtidTest::Indexer;
use AtidTest::Oracles;
use File::Copy;
use HTTP::Tiny;
use IPC::Run;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $root = "$FindBin::Bin/..";
my $node = new_node('api');
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my ($modules, $why) = AtidTest::Oracles::packages('indexer', "$root/indexer");
plan skip_all => $why unless defined $modules;
(my $api_modules, $why) = AtidTest::Oracles::packages('api', "$root/indexer/src/api");
plan skip_all => $why unless defined $api_modules;

# The program with its packages, as an operator has it.
my $folder = PostgreSQL::Test::Utils::tempdir('api');
my $db     = new_database($node, 'app');
(my $indexer, $why) = AtidTest::Indexer->new($node, $db, { folder => $folder });
plan skip_all => $why unless defined $indexer;
my ($program) = $indexer->bin;
my $limit = $PostgreSQL::Test::Utils::timeout_default;
symlink $modules, "$folder/node_modules" or die "$!";
my ($status, $said) = $indexer->command('api');
like($said, qr/Get them by: npm ci --ignore-scripts --prefix \S+api/, 'without its packages it says how to get them');
mkdir "$folder/api" or die "$!";
copy($_, "$folder/api") foreach glob "$FindBin::Bin/api/*.mjs";
symlink $api_modules, "$_/node_modules" or die "$!" foreach "$folder/indexer/src/api", "$folder/api";

my @running;
END
{
	local $?;
	$_->kill_kill(grace => 5) foreach grep { $_->pumpable } @running;
}

sub sql { return $node->safe_psql($db, $_[0]); }

# Starts a command, and waits for a line of its log.
sub start
{
	my ($line, $settings, @words) = @_;
	my $log = "$folder/log" . @running;
	local %ENV = $indexer->environment(%$settings);
	push @running, IPC::Run::start([ $indexer->bin, @words ], '<', \undef, '>', $log, '2>&1');
	my $until = time + 2 * $limit;
	sleep 0.1 until slurp_file($log) =~ $line || !$running[-1]->pumpable || time > $until;
	slurp_file($log) =~ $line or die "@words: " . slurp_file($log);
	return { run => $running[-1], log => $log, pid => $running[-1]->{KIDS}[0]{PID}, match => $1 };
}

# The verdicts of a program of t/api.
sub judge
{
	my ($name, @arguments) = @_;
	my ($out, $err) = ('', '');
	local %ENV = $indexer->environment;
	IPC::Run::run([ $program, "$folder/api/$name", @arguments ], '<', \undef, '>', \$out, '2>', \$err, IPC::Run::timeout(10 * $limit)) or fail("$name: $err");
	foreach (split /\n/, $out)
	{
		my ($verdict, $text) = split /\t/, $_, 2;
		$verdict eq 'note' ? diag($text) : ok($verdict eq 'ok', $text);
	}
	return $out;
}

#
# Records of 20 accounts, without a network.
#
($status, $said) = $indexer->command('init', '--role', 'consumer');
is($status, 0, 'init') or die $said;
my $lexicons = "$root/examples/statusphere/lexicons";
($status, $said) = $indexer->command('lexicon', 'add', glob "$lexicons/*.json");
is($status, 0, 'the Lexicons') or die $said;
sql(<<'SQL');
CREATE FUNCTION put(whose text, collection text, key text, r jsonb) RETURNS void LANGUAGE sql AS $$
  INSERT INTO indexer.record (uri, did, cid, block, conforms)
  SELECT atid.at_uri_make(whose, collection, key), whose::atid.did, atid.cid_of(b, 'dag-cbor'), b, true FROM atid.record_to_dag_cbor(r) AS b
$$;
INSERT INTO indexer.identity (did, handle, host) SELECT format('did:web:user%s.example', i), format('user%s.example', i), 'https://pds.example' FROM generate_series(1, 20) AS i;
SELECT put(did::text, 'app.bsky.actor.profile', 'self', jsonb_build_object('$type', 'app.bsky.actor.profile', 'displayName', handle, 'avatar',
  '{"$type": "blob", "ref": {"$link": "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"}, "mimeType": "image/png", "size": 100}'::jsonb)) FROM indexer.identity;
SELECT put(format('did:web:user%s.example', 1 + i % 20), 'xyz.statusphere.status', atid.tid_generate()::text, jsonb_build_object('$type', 'xyz.statusphere.status',
  'status', (ARRAY['👍', '🦋', '🚀', '🍋'])[1 + i % 4], 'createdAt', to_char(now() - i / 3 * interval '1 minute', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))) FROM generate_series(1, 300) AS i;
SET search_path = indexer, public;
CREATE SCHEMA api;
SELECT make_views('api');
SELECT make_view_index('api.xyz_statusphere_status', 'sort_at'), make_view_index('api.xyz_statusphere_status', 'did', 'sort_at');
CREATE ROLE reader LOGIN;
GRANT USAGE ON SCHEMA api TO reader;
GRANT SELECT ON ALL TABLES IN SCHEMA api TO reader;
ALTER DEFAULT PRIVILEGES IN SCHEMA api GRANT SELECT ON TABLES TO reader;
SQL

#
# A login that may do more.
#
my %asks = (PGUSER => 'consumer', API_PORT => 0, API_SOCKETS => 50, API_ORIGINS => 'https://app.example, https://other.example');
foreach (
	[ '', 'REVOKE TEMPORARY ON DATABASE app FROM PUBLIC', qr/TEMPORARY/ ],
	[ 'ALTER ROLE reader CREATEDB', 'ALTER ROLE reader NOCREATEDB', qr/CREATEDB/ ],
	[ 'GRANT consumer TO reader', 'REVOKE consumer FROM reader', qr/a member of consumer/ ],
	[ 'GRANT USAGE ON SCHEMA indexer TO reader; GRANT SELECT (did) ON indexer.account TO reader',
		'REVOKE ALL ON SCHEMA indexer FROM reader; REVOKE SELECT (did) ON indexer.account FROM reader', qr/read indexer\.account/ ],
	[ 'GRANT DELETE ON api.account TO reader', 'REVOKE DELETE ON api.account FROM reader', qr/write api\.account/ ],
	[ 'GRANT CREATE ON SCHEMA api TO reader', 'REVOKE CREATE ON SCHEMA api FROM reader', qr/create in the schema api/ ])
{
	my ($more, $less, $says) = @$_;
	sql($more) if $more;
	($status, $said) = $indexer->command(\%asks, 'api');
	is($status, 1, "refused: " . ($more || 'temporary tables'));
	like($said, $says, '... and it says why');
	sql($less);
}
($status, $said) = $indexer->command({ %asks, API_USER => scalar getpwuid($>) }, 'api');
like($said, qr/superuser/, 'a superuser is refused');

#
# The limits, and the changes.
#
my $api = start(qr{api: http://127\.0\.0\.1:(\d+)/}, { %asks, PRIVATE => 1 }, 'api');
my $patience = AtidTest::Indexer::patience();
local $ENV{QUERIES} = $ENV{ATID_FULL} ? 5500 : 600;
judge('limits.mjs', $api->{match}, $api->{pid}, $patience);
judge('changes.mjs', $api->{match}, $patience);
unlike(slurp_file($api->{log}), qr/^\s+at /m, 'what strangers ask leaves no stack in the log');
is(sql("SELECT count(*) FROM indexer.reader WHERE name LIKE 'api %'"), 1, 'it is one reader');
$api->{run}->signal('TERM');
eval { $api->{run}->finish };
is($api->{run}->full_result(0), 0, 'SIGTERM ends it');
is(sql('SELECT count(*) FROM indexer.reader'), 0, '... and it is no reader any more');

#
# From Lexicons and a server to the application.
#
my ($told, $in) = ('', '');
my $network = IPC::Run::start([ $program, "$folder/pds.js", "$root/examples/statusphere/index.html", 0 ], '<', \$in, '>', \$told, '2>&1')
  if copy("$root/demo/app/pds.js", $folder);
push @running, $network;
$network->pump until $told =~ /^port (\d+)$/m || !$network->pumpable;
my $url = $told =~ /^port (\d+)$/m ? "http://127.0.0.1:$1" : die $told;
my $http = HTTP::Tiny->new(timeout => $limit);

$db = new_database($node, 'statusphere');
$indexer->{db} = $db;
my %up = (API_PORT => 0, DIRECTORY => $url, PRIVATE => 1, API_ORIGINS => $url, API_USER => 'statusreader');
foreach my $time ('', ' again')
{
	my $up = start(qr{api: (http://127\.0\.0\.1:\d+/)}, \%up, 'up', $lexicons, $url);
	ok(1, "up$time");
	$indexer->wait_for("the records are there$time", 'SELECT count(*) >= 12 FROM api.xyz_statusphere_status') and ok(1, "... and the records$time");
	if (!$time)
	{
		$node->command_ok([ 'psql', '-qX', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr($db), '-f', "$root/examples/statusphere/statusphere.sql" ], 'statusphere.sql');
		sql("INSERT INTO indexer.want (what, value) VALUES ('collection', 'com.example.mine')");
		my $ask = { headers => { 'content-type' => 'application/json' }, content => '{"query": "{ topStatuses(first: 20) { nodes { status count } } allAccounts(first: 1) { nodes { history(first: 2) { nodes { status } } } } }"}' };
		my ($answer, $until) = (undef, time + $limit);
		do { sleep 0.2; $answer = $http->post("$up->{match}graphql", $ask) } until $answer->{content} =~ /"count"/ || time > $until;
		like($answer->{content}, qr/"status":"[^"]+","count":"\d+"/, 'its functions are in the API soon');
		my $asked = time;
		is($http->post("$url/write?n=0&status=%F0%9F%90%99")->{status}, 200, 'somebody writes');
		$indexer->wait_for('it arrives', q{SELECT EXISTS (SELECT FROM api.xyz_statusphere_status AS s JOIN api.account USING (did) WHERE handle = 'ada.test' AND status = '🐙')});
		note(sprintf 'a status is there after %.2f s', time - $asked);
		chromium($up->{match}) if $ENV{ATID_FULL};
	}
	else
	{
		is(sql("SELECT string_agg(what || ' ' || value, ', ' ORDER BY what, value) FROM indexer.want WHERE because IS NULL"),
			'collection app.bsky.actor.profile, collection com.example.mine, collection xyz.statusphere.status, signal xyz.statusphere.status',
			'what is wanted is what it was');
		is(sql('SELECT count(*) FROM indexer.lexicons'), 1, '... and so are the Lexicons');
	}
	$up->{run}->signal('TERM');
	eval { $up->{run}->finish };
	is($up->{run}->full_result(0), 0, 'SIGTERM ends it');
}

# The page in Chromium, as people see it: at the beginning, and after somebody has written.
sub chromium
{
	my ($at) = @_;
	my $chromium = AtidTest::Oracles::find_program('chromium');
	return diag('chromium is not installed') unless defined $chromium;
	my ($browser, $no) = AtidTest::Oracles::packages('browser', "$FindBin::Bin/browser");
	return diag($no) unless defined $browser;
	mkdir "$folder/browser" or die "$!";
	copy("$FindBin::Bin/browser/page.mjs", "$folder/browser") && symlink($browser, "$folder/browser/node_modules") or die "$!";
	my ($out, $err) = ('', '');
	IPC::Run::run([ $program, "$folder/browser/page.mjs", $chromium, $url, $at, $folder ], '<', \undef, '>', \$out, '2>', \$err, IPC::Run::timeout(4 * $limit)) or fail("page.mjs: $err");
	foreach (split /\n/, $out)
	{
		my ($verdict, $text) = split /\t/, $_, 2;
		$verdict eq 'note' ? diag($text) : ok($verdict eq 'ok', $text);
	}
	return;
}

$network->kill_kill;
$node->stop;
done_testing();
