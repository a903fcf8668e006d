# atid-indexer api: GraphQL of the views, as strangers query it.
#
# Shows that
# - a login that may do more than read the schema of the views is refused with a message that names the privileges to
#   revoke;
# - pages of a timeline contain each record once, with handles, names and the addresses of avatars; filters, orders and
#   grouped counts work, and only on columns with an index;
# - each limit holds (indexer/t/api/limits.mjs tries to circumvent it): those of pages, depth, cost, length, sockets,
#   subscriptions, origins and memory;
# - a change is reported at its COMMIT, with its joins, even while an older transaction still writes, once to each
#   subscriber, and none after the connection to the server was lost;
# - the queries of subscriptions leave connections for other queries, and sockets take turns;
# - the schema is made again after make_views, with types whose names PostGraphile would confuse;
# - the commands and queries of doc/views.md work verbatim as it describes;
# - "atid-indexer up" sets up everything from Lexicons and a server, can be run again, also with other versions of some
#   Lexicons, and reverts nothing; this covers the page, the SQL and the Lexicons of examples/statusphere;
# - with ATID_FULL, Chromium sees a status arrive on the page at 1280 and 400 pixels; and npm installs the packages as
#   the chapter describes.
#
# Skipped where atid_crypto, Node 22 or the packages are not available.
#
# Tags: minutes node crypto

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
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $root = "$FindBin::Bin/../..";
my $node = new_node('api', ready => 1);
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my ($modules, $why) = AtidTest::Oracles::packages('indexer', "$root/indexer");
plan skip_all => $why unless defined $modules;

# The program with its packages, as an operator has it.
my $folder = PostgreSQL::Test::Utils::tempdir('api');
my $db     = new_database($node, 'app');
(my $indexer, $why) = AtidTest::Indexer->new($node, $db, { folder => $folder });
plan skip_all => $why unless defined $indexer;
my ($program) = $indexer->bin;
my $limit = $PostgreSQL::Test::Utils::timeout_default;
symlink $modules, "$folder/node_modules" or die "$!";
my ($status, $said) = $indexer->command('api');
like($said, qr/has no API.*"npm ci" and "npm run build"/, 'without the API, the message says how to build it');
$why = $indexer->build_api;
plan skip_all => $why if defined $why;
mkdir "$folder/api" or die "$!";
copy($_, "$folder/api") foreach glob "$FindBin::Bin/api/*.mjs";

my @running;
END
{
	local $?;
	$_->kill_kill(grace => 5) foreach grep { $_->pumpable } @running;
}

sub sql { return $node->safe_psql($db, $_[0]); }

# Starts a command and waits for a line in its log.
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

# Sets the clients that the server accepts: by these lines, then as before.
my $hba = $node->data_dir . '/pg_hba.conf';
my $was = slurp_file($hba);
sub lets_in
{
	my ($lines) = @_;
	unlink $hba;
	append_to_file($hba, $lines . $was);
	$node->reload;
	return;
}

# The verdicts of a program of indexer/t/api.
sub judge
{
	my ($name, @arguments) = @_;
	my ($out, $err) = ('', '');
	local %ENV = $indexer->environment;
	IPC::Run::run([ $program, "$folder/api/$name", @arguments ], '<', \undef, '>', \$out, '2>', \$err, IPC::Run::timeout($AtidTest::work_limit)) or fail("$name: $err");
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
CREATE FUNCTION api.slow(n int) RETURNS int LANGUAGE sql STABLE AS 'SELECT n FROM pg_sleep(1)';
SELECT make_views('api');
SELECT make_view_index('api.xyz_statusphere_status', 'sort_at'), make_view_index('api.xyz_statusphere_status', 'did', 'sort_at'), make_view_index('api.app_bsky_actor_profile', 'did'),
  make_view_index('api.xyz_statusphere_status', 'status'), make_view_index('api.app_bsky_actor_profile', 'description'), make_view_index('api.app_bsky_actor_profile', 'avatar');
-- of somebody who writes as much as he can
SELECT put(format('did:web:large%s.example', i), 'app.bsky.actor.profile', 'self', jsonb_build_object('avatar', jsonb_build_object('x', repeat('x', 950000)))) FROM generate_series(1, 60) AS i;
ANALYZE indexer.packed_record;
CREATE ROLE reader LOGIN;
GRANT USAGE ON SCHEMA api TO reader;
GRANT SELECT ON ALL TABLES IN SCHEMA api TO reader;
ALTER DEFAULT PRIVILEGES IN SCHEMA api GRANT SELECT ON TABLES TO reader;
SQL

#
# Logins with too many privileges.
#
my %asks = (PGUSER => 'consumer', ATID_API_PORT => 0, ATID_API_MAX_SOCKETS => 50, ATID_API_ALLOWED_ORIGINS => 'https://app.example, https://other.example');
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
	($status, $said) = $more ? $indexer->call(\%asks, 'api') : $indexer->command(\%asks, 'api');
	is($status, 1, "refused: " . ($more || 'temporary tables'));
	like($said, $says, '... with the reason');
	sql($less);
}
($status, $said) = $indexer->command({ %asks, ATID_API_DB_USER => scalar getpwuid($>) }, 'api');
like($said, qr/superuser/, 'a superuser is refused');

#
# The limits, and the changes.
#
my $api = start(qr{api listening url=http://127\.0\.0\.1:(\d+)/}, { %asks, ATID_ALLOW_PRIVATE_ADDRESSES => 1 }, 'api');
my $patience = AtidTest::Indexer::patience();
local $ENV{QUERIES} = $ENV{ATID_QUERIES} // ($ENV{ATID_FULL} ? 5500 : 600);
judge('limits.mjs', $api->{match}, $api->{pid}, $patience);
sql("DELETE FROM indexer.record WHERE did::text LIKE 'did:web:large%'");
judge('changes.mjs', $api->{match}, $patience, $api->{pid});
unlike(slurp_file($api->{log}), qr/^\s+at /m, 'queries of strangers leave no stack trace in the log');
is(sql("SELECT count(*) FROM indexer.reader WHERE name LIKE 'api %'"), 1, 'the API is one reader');
$api->{run}->signal('TERM');
eval { $api->{run}->finish };
is($api->{run}->full_result(0), 0, 'SIGTERM ends it');
is(sql('SELECT count(*) FROM indexer.reader'), 0, '... and it is no longer a reader');

#
# As in Debian: over the socket only users of the operating system.
#
lets_in("local all reader peer\n");
($status, $said) = $indexer->command(\%asks, 'api');
ok($status == 1 && $said =~ /Peer authentication failed.*set PGHOST=localhost, and a password/, 'if the socket accepts only users of the operating system, the message says what to do') or diag($said);

lets_in('');

#
# The chapter: its blocks that t/project/docs.pl does not run, each by its kind.
#
my (@blocks, $fence, $after_sql);
my $chapter = slurp_file("$root/doc/views.md");
foreach my $line (split /\n/, $chapter)
{
	if    (!defined $fence && $line =~ /^```(\w*)$/) { $fence = { kind => $1 || ($after_sql ? 'output' : 'block'), text => '' }; }
	elsif (!defined $fence) { $after_sql = 0 if $line =~ /\S/; }
	elsif ($line eq '```')
	{
		push @blocks, $fence->{text} if $fence->{kind} eq 'block';
		$after_sql = $fence->{kind} eq 'sql';
		undef $fence;
	}
	else { $fence->{text} .= "$line\n"; }
}
my %block = (sql => [], query => [], shell => [], api => []);
foreach (@blocks)
{
	push @{
		$block{
			  /^(?:CREATE|GRANT|INSERT|SELECT|ALTER|REVOKE) / ? 'sql'
			: /^(?:\{|subscription \{)/                       ? 'query'
			: /atid-indexer api$/m                            ? 'api'
			: /^(?:npm|createdb|psql|script\/demo) /          ? 'shell'
			: 'unknown' } }, $_;
}
is(join('', @{ $block{unknown} // [] }), '', 'the blocks of the chapter are known');

# A tree with the commands. npm installs the packages only with ATID_FULL; otherwise they are already installed, and it
# does nothing.
my $tree = "$folder/tree";
mkdir $tree or die "$!";
system('cp', '-R', "$root/indexer", "$root/examples", $tree) == 0 or die 'could not copy the tree';
my $path = join ':', $program =~ s{/[^/]*$}{}r, $ENV{PATH};
if ($ENV{ATID_FULL})
{
	PostgreSQL::Test::Utils::system_or_bail('rm', '-rf', "$tree/indexer/node_modules", "$tree/indexer/dist");
	$path = "$folder/global/bin:$path";
}
else
{
	symlink $modules, "$tree/indexer/node_modules";
	system('cp', '-R', "$folder/indexer/dist", "$tree/indexer") == 0 or die 'could not copy the API';
	mkdir "$folder/bin";
	append_to_file("$folder/bin/npm", "#!/bin/sh\nexit 0\n");
	append_to_file("$folder/bin/atid-indexer", "#!/bin/sh\nexec node '$tree/indexer/bin/atid-indexer.js' \"\$@\"\n");
	chmod 0755, glob "$folder/bin/*";
	$path = "$folder/bin:$path";
}

# Runs a block in the tree until a line appears in its log, or to its end.
sub shell
{
	my ($text, $line, $settings) = @_;
	my $log = "$folder/log" . @running;
	local %ENV = $indexer->environment(%$settings, PATH => $path, npm_config_prefix => "$folder/global", npm_config_cache => "$folder/npm");
	delete $ENV{PGDATABASE};
	push @running, IPC::Run::start([ 'bash', '-ec', "cd '$tree'\n" . $text =~ s/^(?=(?:\w+=\S* )*atid-indexer (?:api|up)\b)/exec env /mr ], '<', \undef, '>', $log, '2>&1');
	my $until = time + 4 * $limit;
	sleep 0.1 until !defined $line || slurp_file($log) =~ $line || !$running[-1]->pumpable || time > $until;
	my $match = defined $line && slurp_file($log) =~ $line ? $1 : undef;
	eval { $running[-1]->finish } unless defined $line;
	return { run => $running[-1], log => $log, match => $match };
}

# The chapter begins where the indexer is installed.
if ($ENV{ATID_FULL})
{
	my ($install) = slurp_file("$root/doc/indexer.md") =~ /^(npm install --global .*)$/m or die 'indexer.md installs nothing';
	my $installed = shell($install, undef, {});
	is($installed->{run}->full_result(0), 0, 'the indexer is installed') or diag(slurp_file($installed->{log}));
}

# The database of its examples, with their Lexicons and records.
sql('DROP OWNED BY reader');
$node->safe_psql('postgres', 'DROP ROLE reader; CREATE ROLE reader; CREATE DATABASE indexer');
$db = $indexer->{db} = 'indexer';
($status, $said) = $indexer->command('init', '--role', 'consumer');
is($status, 0, 'the database of the chapter') or die $said;
append_to_file("$folder/chapter.json", $chapter =~ /CREATE TABLE rules AS SELECT '(.*?)'::atid\.lexicon/s ? $1 : die 'no Lexicons');
($status, $said) = $indexer->command('lexicon', 'add', "$folder/chapter.json", glob "$lexicons/app.*.json");
is($status, 0, 'its Lexicons') or die $said;
sql(shift @{ $block{sql} });
my ($references) = $chapter =~ /^(INSERT INTO view_reference .*?;)$/ms or die 'no references';
sql(<<"SQL");
SET search_path = indexer, public;
$references
SELECT make_views('api');
SELECT make_view_index('api.com_example_post', 'sort_at', 'uri'), make_view_index('api.com_example_like', 'subject');
SELECT create_temp_tables();
BEGIN;
INSERT INTO identity (did, handle) VALUES ('did:web:ada.example', 'ada.example');
INSERT INTO op (uri, did, collection, fresh, cid, block)
SELECT atid.at_uri_make('did:web:ada.example', c, k), 'did:web:ada.example', c, true, atid.record_cid(r), atid.record_to_dag_cbor(r) FROM (VALUES
  ('com.example.post', '3jzfcijpj2z2a', '{"\$type": "com.example.post", "text": "One of the cats", "createdAt": "2026-03-17T10:20:00Z"}'::jsonb),
  ('com.example.like', '3jzfcijpj2z2b', '{"\$type": "com.example.like", "subject": "at://did:web:ada.example/com.example.post/3jzfcijpj2z2a"}'),
  ('app.bsky.actor.profile', 'self', '{"\$type": "app.bsky.actor.profile", "displayName": "Ada"}')) AS v (c, k, r);
SELECT write_records();
COMMIT;
SQL
foreach (@{ $block{sql} })
{
	sql('DROP OWNED BY reader; DROP ROLE reader') if /CREATE ROLE reader/;
	$node->command_ok([ 'psql', '-qX', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr($db), '-c', $_ ], 'a block of SQL: ' . /^(.*)/);
}
is(scalar @{ $block{api} }, 1, 'a block that starts the API');
my $served = shell($block{api}[0], qr{api listening url=http://127\.0\.0\.1:(\d+)/}, { ATID_API_PORT => 0 });
ok(defined $served->{match}, '... which it does') or diag(slurp_file($served->{log}));
my $client = HTTP::Tiny->new(timeout => $limit);
my $said_of = sub {
	my ($query) = @_;
	my $answer = $client->post("http://127.0.0.1:$served->{match}/graphql", { headers => { 'content-type' => 'application/json' }, content => encode_json({ query => $query }) });
	return $answer->{content};
};
my ($list) = grep { /^\{/ } @{ $block{query} };
like($said_of->($list), qr/"nodes":\[\{"uri":"at:[^]]*"text":"One of the cats"[^]]*"handle":"ada\.example"[^]]*"displayName":"Ada"[^]]*"totalCount":"?1/, 'its timeline') or diag($said_of->($list));
like($said_of->('{ allAccounts(first: 2, filter: { handle: { equalTo: "ada.example" } }) { nodes { did } } }'), qr/"nodes":\[\{"did":"did:web:ada\.example"\}\]/, '... an account by its handle');
my ($counted) = $chapter =~ /`(counts\w+\(.*?\))`/ or die 'no counts';
$counted =~ s/since: "[^"]*"/since: "2020-01-01T00:00:00Z"/;
like($said_of->("{ $counted { value count } }"), qr/"value":"did:web:ada\.example","count":1/, 'its counts');
my ($subscription) = grep { /^subscription/ } @{ $block{query} };
my ($heard, $nothing) = ('', '');
push @running, IPC::Run::start([ $program, "$folder/api/subscribe.mjs", $served->{match}, $subscription ], '<', \$nothing, '>', \$heard, '2>&1');
my $hears = $running[-1];
my $deadline = time + $limit;
sleep 0.1 until $client->get("http://127.0.0.1:$served->{match}/health")->{content} =~ / 1 subscriptions/ || time > $deadline;
sql(q{SET search_path = indexer, public; SELECT create_temp_tables(); BEGIN; INSERT INTO op (uri, did, collection, fresh, cid, block)
	SELECT atid.at_uri_make('did:web:ada.example', 'com.example.post', '3jzfcijpj2z2c'), 'did:web:ada.example', 'com.example.post', true, atid.record_cid(r), atid.record_to_dag_cbor(r)
	FROM CAST('{"$type": "com.example.post", "text": "Another"}' AS jsonb) AS r; SELECT write_records(); COMMIT});
$hears->pump_nb, sleep 0.1 until $heard =~ /"next"/ || time > $deadline;
like($heard, qr/"gone":false,"comExamplePost":\{"text":"Another","accountByDid":\{"handle":"ada\.example"/, 'its subscription');
$hears->kill_kill;
$served->{run}->signal('TERM');
eval { $served->{run}->finish };

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

# The chapter's commands, except the address of the network. Then again, with a newer version of a Lexicon. The login
# that up makes needs its password.
lets_in("local all statusreader scram-sha-256\n");
my %up = (ATID_API_PORT => 0, ATID_PLC_URL => $url, ATID_ALLOW_PRIVATE_ADDRESSES => 1, ATID_API_ALLOWED_ORIGINS => $url, ATID_API_DB_USER => 'statusreader');
my ($commands) = grep { /atid-indexer up / } @{ $block{shell} } or die 'no block with up';
$commands =~ s{https://relay1\.us-east\.bsky\.network}{$url} or die 'up follows no relay';
$db = $indexer->{db} = $commands =~ /^createdb (\w+)$/m ? $1 : die 'no createdb';
mkdir "$folder/newer" or die "$!";
append_to_file("$folder/newer/profile.json", slurp_file("$lexicons/app.bsky.actor.profile.json") =~ s/"key": "literal:self",/"key": "literal:self", "description": "Newer.",/r);
foreach my $time ('', ' again')
{
	my $up = $time ? start(qr{api listening url=(http://127\.0\.0\.1:\d+/)}, \%up, 'up', "$folder/newer", $url) : shell($commands, qr{api listening url=(http://127\.0\.0\.1:\d+/)}, \%up);
	ok(defined $up->{match}, "up$time") or die slurp_file($up->{log});
	$indexer->wait_for("the records are there$time", 'SELECT count(*) >= 12 FROM api.xyz_statusphere_status') and ok(1, "... and the records$time");
	if (!$time)
	{
		my $second = start(qr{^(.*another "atid-indexer up" .*)$}mi, \%up, 'up', "$folder/newer", $url);
		ok(defined $second->{match}, 'a second "up" is refused') or diag(slurp_file($second->{log}));
		eval { $second->{run}->finish };
		my ($psql) = grep { /^psql / } @{ $block{shell} };
		my $did = shell($psql, undef, {});
		is($did->{run}->full_result(0) . slurp_file($did->{log}) =~ s/^(?:CREATE|NOTIFY|psql:.* already exists, skipping).*\n//mgr, '0', 'statusphere.sql') or diag(slurp_file($did->{log}));
		sql("INSERT INTO indexer.want (what, value) VALUES ('collection', 'com.example.mine')");
		my $ask = { headers => { 'content-type' => 'application/json' }, content => '{"query": "{ topStatuses(first: 20) { nodes { status count } } allAccounts(first: 1) { nodes { history(first: 2) { nodes { status } } } } }"}' };
		my ($answer, $until) = (undef, time + $limit);
		do { sleep 0.2; $answer = $http->post("$up->{match}graphql", $ask) } until $answer->{content} =~ /"count"/ || time > $until;
		like($answer->{content}, qr/"status":"[^"]+","count":"\d+"/, 'functions of the application are soon in the API');
		my $asked = time;
		is($http->post("$url/write?n=0&status=%F0%9F%90%99")->{status}, 200, 'somebody writes');
		$indexer->wait_for('it arrives', q{SELECT EXISTS (SELECT FROM api.xyz_statusphere_status AS s JOIN api.account USING (did) WHERE handle = 'ada.test' AND status = '🐙')});
		note(sprintf 'a status has arrived after %.2f s', time - $asked);
		chromium($up->{match}) if $ENV{ATID_FULL};
	}
	else
	{
		is(sql("SELECT string_agg(what || ' ' || value, ', ' ORDER BY what, value) FROM indexer.want WHERE because IS NULL"),
			'collection app.bsky.actor.profile, collection com.example.mine, collection xyz.statusphere.status, signal xyz.statusphere.status',
			'the wants have not changed');
		is(sql(q{SELECT string_agg(nsid || coalesce(' ' || (atid.lexicon_document(l.lexicons, nsid) #>> '{defs,main,description}'), ''), ', ' ORDER BY nsid COLLATE "C")
			FROM indexer.lexicons AS l, unnest(atid.lexicon_nsids(l.lexicons)) AS nsid WHERE nsid <> 'com.atproto.repo.strongRef'}),
			'app.bsky.actor.profile Newer., xyz.statusphere.status', '... and so are the Lexicons, except the newer one');
	}
	$up->{run}->signal('TERM');
	eval { $up->{run}->finish };
	is($up->{run}->full_result(0), 0, 'SIGTERM ends it');
}

# The page in Chromium, as users see it: at first, and after a status was written.
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
	IPC::Run::run([ $program, "$folder/browser/page.mjs", $chromium, $url, $at, $folder ], '<', \undef, '>', \$out, '2>', \$err, IPC::Run::timeout($AtidTest::work_limit)) or fail("page.mjs: $err");
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
