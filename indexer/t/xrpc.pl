# XRPC from SQL: the requester's identity, and the feeds and methods served at /xrpc/.
#
# Shows that
# - several hundred service tokens, of both curves, get the verdicts of @atproto/xrpc-server, or stricter ones where
#   that package accepts too much; refusals have the names of its errors; a rotated key, a newer answer of the
#   directory, and an excluded account take effect (indexer/t/api/tokens.mjs);
# - feeds, methods and _health are served, with the headers that browsers and caches need; parameters and outputs are
#   checked by Lexicons; errors have names, and those of the database are masked (indexer/t/api/xrpc.mjs, with all that
#   follows);
# - names, cursors, parameters, headers and functions of unexpected kinds do no harm;
# - GraphQL also knows the requester: xrpc.did() in the views;
# - 150 invented requesters a second do not cause an honest one to be refused; a key is requested once a minute;
# - a slow function gets half of the connections; other functions do not wait for it, and requests that do wait get
#   their turn;
# - functions and views that are created, replaced or dropped meanwhile are noticed;
# - the commands "feed list", "feed index" and "feed publish" work as documented, with a simulated PDS, and send no
#   password to anybody but that PDS.
#
# Skipped where atid_crypto, Node 22 or the packages are not available.
#
# Tags: medium node crypto

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Indexer;
use AtidTest::Oracles;
use File::Copy;
use HTTP::Tiny;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $root = "$FindBin::Bin/../..";
my $node = new_node('xrpc', ready => 1);
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my ($modules, $why) = AtidTest::Oracles::packages('indexer', "$root/indexer");
plan skip_all => $why unless defined $modules;
my $folder = PostgreSQL::Test::Utils::tempdir('xrpc');
my $db     = new_database($node, 'app');
(my $indexer, $why) = AtidTest::Indexer->new($node, $db, { folder => $folder });
plan skip_all => $why unless defined $indexer;
my ($program) = $indexer->bin;
my $limit = $PostgreSQL::Test::Utils::timeout_default;
symlink $modules, "$folder/node_modules" or die "$!";
$why = $indexer->build_api;
plan skip_all => $why if defined $why;
mkdir "$folder/api" or die "$!";
copy($_, "$folder/api") foreach glob "$FindBin::Bin/api/*.mjs";

# Runs a program of indexer/t/api, and reports its verdicts.
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

my ($status, $said) = $indexer->command('init', '--role', 'consumer');
is($status, 0, 'init') or die $said;

judge('tokens.mjs');

#
# Feeds and methods
#
AtidTest::Indexer::demo($node, $db);
my $string = { type => 'string' };
sub query
{
	my ($name, $parameters, $required, $output) = @_;
	return {
		lexicon => 1, id => "com.example.$name",
		defs => { main => { type => 'query',
			parameters => { type => 'params', required => $required // [], properties => $parameters // {} },
			output => { encoding => 'application/json', schema => $output // { type => 'object', properties => {} } } } } };
}
my @lexicons = (
	query('echo', {
		n => { type => 'integer', minimum => 1, maximum => 10 }, tags => { type => 'array', items => $string }, who => { type => 'string', format => 'did' },
		yes => { type => 'boolean' }, more => $string }, ['n']),
	query('wrong', {}, [], { type => 'object', required => ['sum'], properties => { sum => { type => 'integer' } } }),
	query('xr', { code => $string }),
	(map { query($_) } qw(volatile unknownArgument null long zero writes named badName slow endless)),
	{ lexicon => 1, id => 'com.example.create', defs => { main => { type => 'procedure' } } });
my ($first, $others) = map { literal(encode_json($_)) } $lexicons[0], [ @lexicons[ 1 .. $#lexicons ] ];
$node->safe_psql($db, <<"SQL");
SELECT indexer.add_lexicons($first\::jsonb::atid.lexicon);
CREATE TABLE public.item (post atid.at_uri, at timestamptz, note text DEFAULT 'a stored text');
INSERT INTO public.item SELECT atid.at_uri_make('did:web:a.example', 'app.bsky.feed.post', 'k' || i), now() - i * interval '1 s' FROM generate_series(1, 20) AS i;
CREATE VIEW feed.casts AS SELECT post, at FROM public.item WHERE note::int > 0;
CREATE VIEW feed.items AS SELECT post, at FROM public.item;
CREATE VIEW feed.raises AS SELECT post, at FROM public.item WHERE 1 / (length(post::text) - length(post::text)) > 0;
CREATE VIEW feed.timeless AS SELECT post FROM public.item;
CREATE FUNCTION feed.writes("limit" int, cursor text) RETURNS jsonb LANGUAGE sql AS \$\$ SELECT '{"feed": []}'::jsonb \$\$;
CREATE FUNCTION feed.who("limit" int, cursor text) RETURNS jsonb STABLE LANGUAGE sql RETURN CASE WHEN xrpc.did() IS NULL
  THEN xrpc.fail('AuthMissing', 'sign in', 401)
  ELSE jsonb_build_object('feed', jsonb_build_array(jsonb_build_object('post', 'at://' || xrpc.did() || '/app.bsky.feed.post/1'))) END;
CREATE FUNCTION xrpc."com.example.echo"(n int, tags text[] DEFAULT NULL, who atid.did DEFAULT NULL, yes bool DEFAULT NULL, more text DEFAULT 'standard')
  RETURNS jsonb STABLE LANGUAGE sql RETURN jsonb_build_object('n', n, 'tags', tags, 'who', who, 'yes', yes, 'more', more, 'asks', xrpc.did());
CREATE FUNCTION xrpc."com.example.volatile"() RETURNS jsonb LANGUAGE sql AS \$\$ SELECT '{}'::jsonb \$\$;
CREATE FUNCTION xrpc."com.example.create"() RETURNS jsonb STABLE LANGUAGE sql AS \$\$ SELECT '{}'::jsonb \$\$;
CREATE FUNCTION xrpc."com.example.unknownArgument"(x int) RETURNS jsonb STABLE LANGUAGE sql AS \$\$ SELECT '{}'::jsonb \$\$;
CREATE FUNCTION xrpc."com.example.withoutLexicon"() RETURNS jsonb STABLE LANGUAGE sql AS \$\$ SELECT '{}'::jsonb \$\$;
CREATE FUNCTION xrpc."com.example.null"() RETURNS jsonb STABLE LANGUAGE sql AS \$\$ SELECT NULL::jsonb \$\$;
CREATE FUNCTION xrpc."com.example.long"() RETURNS jsonb STABLE LANGUAGE sql AS \$\$ SELECT jsonb_build_object('x', repeat('x', 6000000)) \$\$;
CREATE FUNCTION xrpc."com.example.zero"() RETURNS jsonb STABLE LANGUAGE sql AS \$\$ SELECT jsonb_build_object('x', 1 / (random() * 0)::int) \$\$;
CREATE FUNCTION xrpc."com.example.writes"() RETURNS jsonb STABLE LANGUAGE plpgsql AS \$\$ BEGIN EXECUTE 'DELETE FROM public.item'; RETURN '{}'; END \$\$;
CREATE FUNCTION xrpc."com.example.xr"(code text) RETURNS jsonb STABLE LANGUAGE plpgsql AS \$\$ BEGIN RAISE EXCEPTION USING ERRCODE = code, MESSAGE = 'x'; END \$\$;
CREATE FUNCTION xrpc."com.example.named"() RETURNS jsonb STABLE LANGUAGE sql AS \$\$ SELECT xrpc.fail('NotHere', 'it is not here', 404) \$\$;
CREATE FUNCTION xrpc."com.example.badName"() RETURNS jsonb STABLE LANGUAGE sql AS \$\$ SELECT xrpc.fail(E'Not\\nHere', 'x', 200) \$\$;
CREATE FUNCTION xrpc."com.example.wrong"() RETURNS jsonb STABLE LANGUAGE sql AS \$\$ SELECT '{"sum": "x"}'::jsonb \$\$;
CREATE FUNCTION xrpc."com.example.slow"() RETURNS jsonb STABLE LANGUAGE sql AS \$\$ SELECT '{}'::jsonb FROM pg_sleep(3) \$\$;
CREATE FUNCTION xrpc."com.example.endless"() RETURNS jsonb STABLE LANGUAGE plpgsql AS \$\$ BEGIN LOOP PERFORM pg_sleep(0.01); END LOOP; END \$\$;
CREATE SCHEMA api;
CREATE FUNCTION api.me() RETURNS text STABLE LANGUAGE sql AS 'SELECT xrpc.did()::text';
SELECT indexer.make_views('api');
REVOKE TEMPORARY ON DATABASE app FROM PUBLIC;
CREATE ROLE reader LOGIN;
GRANT USAGE ON SCHEMA api, feed, xrpc TO reader;
GRANT SELECT ON ALL TABLES IN SCHEMA api, feed TO reader;
GRANT EXECUTE ON FUNCTION xrpc.verify(text, text, text), xrpc.enter(text, text, text), xrpc.feed_named(text, text), xrpc.feed_uris(text) TO reader;
SQL
my $directory = PostgreSQL::Test::Cluster::get_free_port();
my $api       = $indexer->start(
	words             => ['api'],
	PGUSER            => 'consumer',
	ATID_API_PORT     => 0,
	ATID_API_DID      => 'did:web:feeds.example',
	ATID_PLC_URL      => "http://127.0.0.1:$directory",
	ATID_API_CHECK_OUTPUT => 'true');
ok($indexer->wait_for_log($api, qr{api listening url=http://127\.0\.0\.1:(\d+)/}), 'the API') or die slurp_file($api->{log});
my ($port) = slurp_file($api->{log}) =~ m{api listening url=http://127\.0\.0\.1:(\d+)/};

# With one Lexicon, then with all.
my $http = HTTP::Tiny->new(timeout => $limit);
my $ask  = sub { my $got = $http->get("http://127.0.0.1:$port/xrpc/com.example.$_[0]"); return "$got->{status} $got->{content}" };
my $got = $ask->("echo?n=1");
like($got, qr/^200 \{.*"n": ?1\b/, "a database with one Lexicon") or diag($got . slurp_file($api->{log}));
$node->safe_psql($db, "SELECT indexer.add_lexicons($others\::jsonb::atid.lexicon)");
my $until = time + $limit;
sleep 0.1 while $ask->('named') !~ /^404/ && time < $until;
judge('xrpc.mjs', $port, $directory, AtidTest::Indexer::patience());
my $log = slurp_file($api->{log});
like($log, qr/error method failed method="feed raises" error="division by zero"/, 'the log has the errors that are masked');
like($log, qr/error method failed method="feed casts" error="invalid input syntax for type integer: \\"a stored text/, '... also of a cast') or diag($log);
like($log, qr/warn method refused method=com\.example\.unknownArgument reason="its Lexicon has no parameter x"/, '... and the reason why a function is not served');
unlike($log, qr/^\s+at /m, '... without a stack trace');
is($node->safe_psql($db, 'SELECT count(*) FROM public.item'), 20, 'nothing was written');
is($indexer->stop($api), 0, 'SIGTERM ends it');

#
# The commands
#
($status, $said) = $indexer->command('feed', 'list');
is($status, 1, 'feed list: some cannot be served');
like($said, qr/^items\n  page       [\d.]+ ms, \d+ blocks\n  index      none: "atid-indexer feed index items"\n  published  did:plc:c/m, '... and the cost of the others') or diag($said);
like($said, qr/^raises\n  page       fails: division by zero/m, '... or why they fail');
like($said, qr/^timeless\n  problem    it must have the columns post and at/m, '... or why they are no feeds');
$node->safe_psql($db, <<'SQL');
DROP VIEW feed.raises, feed.timeless, feed.casts;
DROP FUNCTION feed.writes, feed.who;
CREATE ROLE dev;
GRANT CREATE, USAGE ON SCHEMA feed TO dev;
GRANT SELECT ON public.item TO dev;
SET ROLE dev;
CREATE FUNCTION feed.mine() RETURNS bool IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RAISE 'it ran as %', current_user; END $$;
CREATE VIEW feed.foreign AS SELECT post, at FROM public.item WHERE feed.mine();
SQL
($status, $said) = $indexer->command('feed', 'index', 'items');
is($status, 0, 'feed index') or diag($said);
like($said, qr/^The index \S*feed_items_\w+ is created\.$/, '... says its name');
($status, $said) = $indexer->call('feed', 'list');
is($status, 0, 'feed list: all can be served') or diag($said);
like($said, qr/^items\n.*\n  index      \d+ kB$/m, '... with the index');
like($said, qr/^foreign\n  page       not measured: it belongs to dev\n  index      none: It belongs to the role dev/m, "... and runs no other role's functions") or diag($said);
like(($indexer->call('feed', 'index', 'foreign'))[1], qr/It belongs to the role dev, which must run this command/, '... and neither does feed index');
$node->safe_psql($db, 'DROP VIEW feed.foreign');
$node->safe_psql($db, 'CREATE OR REPLACE VIEW feed.items AS SELECT post, at FROM public.item WHERE post IS NOT NULL');
like(($indexer->call('feed', 'list'))[1], qr/^  index      \d+ kB, for an earlier form of the view/m, '... and whether it is of another form of the view');
like(($indexer->call('feed', 'index', 'none'))[1], qr/has no index: There is no such feed/, 'an index of no feed');

my $seen = "$folder/seen";
append_to_file("$folder/pds.mjs", <<'END');
import { createServer } from 'node:http';
import { appendFileSync } from 'node:fs';
const server = createServer((request, response) => {
  const parts = [];
  request.on('data', (part) => parts.push(part)).on('end', () => {
    const body = Buffer.concat(parts);
    const method = request.url.split('/').at(-1);
    appendFileSync(process.argv[2], `${method} ${request.headers.authorization ?? '-'} ${request.headers['content-type']} ${body}\n`);
    const say = (status, value) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (method.endsWith('createSession'))
      return JSON.parse(body).password === 'good' ? say(200, { did: 'did:plc:dddddddddddddddddddddddd', accessJwt: 'access', refreshJwt: 'refresh' }) : say(401, { error: 'AuthenticationRequired', message: 'Invalid\u0007 password' });
    if (method.endsWith('putRecord')) return say(200, { uri: `at://did:plc:dddddddddddddddddddddddd/app.bsky.feed.generator/${JSON.parse(body).rkey}` });
    if (method.endsWith('uploadBlob')) return say(200, { blob: { $type: 'blob', size: body.length } });
    return say(200, {});
  });
}).listen(0, '127.0.0.1', () => console.log(`port ${server.address().port}`));
process.stdin.on('end', () => process.exit()).resume();
END
append_to_file($seen, '');
append_to_file("$folder/cat.png", 'a picture');
my ($in, $out) = ('', '');
my $pds = IPC::Run::start([ $program, "$folder/pds.mjs", $seen ], '<', \$in, '>', \$out, IPC::Run::timeout($AtidTest::work_limit));
$pds->pump until $out =~ /^port (\d+)\n/;
my %publish = (ATID_PDS_URL => "http://127.0.0.1:$1", ATID_HANDLE => 'alice.test', ATID_APP_PASSWORD => 'good', ATID_API_DID => 'did:web:feeds.example');
foreach (
	[ { %publish, ATID_API_DID => '' }, 'items', qr/ATID_API_DID must be/, 'without the DID of the service' ],
	[ { %publish, ATID_APP_PASSWORD => '' }, 'items', qr/Set ATID_HANDLE and ATID_APP_PASSWORD/, 'without a password or a terminal' ],
	[ { %publish, ATID_PDS_URL => 'http://pds.example' }, 'items', qr/is sent over https only/, 'over plain HTTP' ],
	[ { %publish, ATID_PDS_URL => 'http://127.0.0.1.example' }, 'items', qr/is sent over https only/, 'over plain HTTP, to a name like an address' ],
	[ \%publish, 'none', qr/There is no feed none/, 'no feed' ])
{
	my ($settings, $feed, $why, $what) = @$_;
	($status, $said) = $indexer->call($settings, 'feed', 'publish', $feed);
	is($status, 1, "$what nothing is published");
	like($said, $why, '... and it says why');
}
is(slurp_file($seen), '', '... and nobody was asked');
($status, $said) = $indexer->call({ %publish, ATID_APP_PASSWORD => 'bad' }, 'feed', 'publish', 'items');
like($said, qr/refuses com\.atproto\.server\.createSession: Invalid\W+ password$/, 'a wrong password');
unlike($said, qr/\a|bad/, '... with a clean message');
($status, $said) = $indexer->command(\%publish, 'feed', 'publish', 'items', '--title', 'Items', '--description', 'All', '--avatar', "$folder/cat.png");
is($status, 0, 'feed publish') or diag($said);
like($said, qr{^at://did:plc:d{24}/app\.bsky\.feed\.generator/items is published\.\n}, '... reports where its record is');
my $asked = slurp_file($seen);
like($asked, qr/^com\.atproto\.repo\.putRecord Bearer access application\/json \{"repo":"did:plc:d{24}","collection":"app\.bsky\.feed\.generator","rkey":"items",/m, '... which belongs to that account');
like($asked, qr/"did":"did:web:feeds\.example","displayName":"Items","description":"All","avatar":\{"\$type":"blob","size":9\},"createdAt":"20/, '... and names this service');
like($asked, qr/^com\.atproto\.server\.deleteSession Bearer refresh/m, '... and ends its session');
is($node->safe_psql($db, q{SELECT count(*) FROM indexer.published WHERE (feed, did) = ('items', 'did:plc:dddddddddddddddddddddddd')}), 1, '... and the API finds the feed by it');
$pds->kill_kill;

done_testing();
