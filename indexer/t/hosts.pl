# Identities and hosts: the repairs that an upgrade makes, and for how long a host may delay the accounts of others.
#
# Shows that
# - indexer.url_origin() and originOf() of the program return the same origin of a URL, or the database returns none;
#   and clip_text() and clean() remove the same characters;
# - `upgrade` of a database of 1.3.1 repairs handles that are not valid or not in lower case, servers of another type,
#   and origins with a dot at the end, from the logs that are stored; or has the account's identity requested again
#   within an hour; and touches no other row;
# - where repositories of many hosts trickle into all load slots, a new account is loaded long before ATID_REPO_TIMEOUT
#   is over, and posts of honest accounts keep arriving; from then on the trickling accounts get only a part of the
#   slots.
#
# indexer/t/oracles/hostile.js is the network. Skipped where atid_crypto, node or npm are not available.
#
# Tags: long node crypto

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Indexer;
use AtidTest::Network;
use AtidTest::Oracles;
use IPC::Run;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $root  = "$FindBin::Bin/../..";
my $limit = $PostgreSQL::Test::Utils::timeout_default;
my $node  = new_node('hosts', ready => 1);
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my ($oracles, $why) = AtidTest::Oracles->new;
plan skip_all => $why unless defined $oracles;
my $folder = $oracles->{folder};
my $db     = new_database($node, 'indexer');
(my $indexer, $why) = AtidTest::Indexer->new($node, $db, $oracles);
plan skip_all => $why unless defined $indexer;
my ($status, $said) = $indexer->command('init');
is($status, 0, 'init') or die $said;
sub sql { return $indexer->ask($_[0]); }

# The value of an expression over a module m of the program.
sub computed
{
	my ($module, $expression) = @_;
	my $result = '';
	IPC::Run::run([ $indexer->{program}, '--input-type=module', '-e', "import * as m from '$folder/indexer/src/$module';\nconsole.log(JSON.stringify($expression))" ], '<', \undef, '>', \$result)
	  or die "$module: $expression";
	return $result;
}

#
# Equal results in SQL and in JavaScript.
#
my @urls = (
	'https://PDS.example:443/', 'http://a.example:80', 'https://a.example:4430?x', 'http://a.example:443#x', 'HTTPS://a.example/x', 'https://a.example.', 'https://a.example.:8443/',
	'https://127.0.0.1.', 'https://u:p@a.example/x', 'https://u@v@a.example', 'https://pds.example@b.example', 'https://@a.example', 'https://a.example#b@c.example', 'https://a.example/@b.example',
	'https://a.example:00443', 'https://a.example:0', 'https://a.example:', 'https://a.example:65535', 'https://1.2.3.4:99', 'http://[::1]:5', 'https://a_b.example', 'https://.a.example');
my @none = (
	'', 'a.example', 'ftp://a.example', 'https:a.example', 'https://', 'https://:443', 'https://a.example:65536', 'https://999.1.1.1', 'https://0x7f.1', 'https://127.1', 'https://127.0.0.01', 'https://1.2.3.4.5',
	'https://a b.example', "https://a.example\n", 'https://a%2eexample', 'https://a.example:x', "https://a\x{202e}.example", 'https://a\\b@c.example', 'javascript:https://a.example');
my $list  = JSON::PP->new->ascii->encode(\@urls);
my $array = sub { join ', ', map { "convert_from('\\x" . unpack('H*', do { my $u = $_; utf8::encode($u); $u }) . "', 'UTF8')" } @_ };
is(sql('SELECT jsonb_agg(url_origin(u) ORDER BY n) = ' . "'" . (computed('net/addresses.js', "$list.map((u) => m.originOf(u))") =~ s/\n//r) . "'::jsonb FROM unnest(ARRAY[" . $array->(@urls) . ']) WITH ORDINALITY AS x (u, n)'), 't',
	'SQL and JavaScript have the same origins') or diag(sql('SELECT string_agg(url_origin(u), E\'\n\' ORDER BY n) FROM unnest(ARRAY[' . $array->(@urls) . ']) WITH ORDINALITY AS x (u, n)'), computed('net/addresses.js', "$list.map((u) => m.originOf(u))"));
is(sql('SELECT count(url_origin(u)) FROM unnest(ARRAY[' . $array->(@none) . ']) AS u'), 0, 'the database has no origin for anything else, or for another spelling');

my $tried = 'CASE WHEN c < 55296 THEN c WHEN c < 190000 THEN c + 2048 ELSE c + 727504 END'; # no surrogates; planes 0 to 2, and 14
my $unclean = sql("SELECT string_agg(k::text, ',' ORDER BY k) FROM generate_series(1, 198000) AS c CROSS JOIN LATERAL (SELECT $tried AS k) AS x WHERE clip_text(chr(k), 16) <> chr(k)");
ok($unclean eq decode_json(computed('protocol/text.js', '[Array.from({ length: 198000 }, (_, i) => i + 1).map((c) => (c < 55296 ? c : c < 190000 ? c + 2048 : c + 727504)).filter((k) => m.clean(String.fromCodePoint(k)) !== String.fromCodePoint(k)).join()]'))->[0],
	'SQL and JavaScript keep out the same characters');
ok(",$unclean," =~ /,8238,.*,917505,/, '... among them those that change the direction of writing, and tags');

#
# The upgrade.
#
my $old = new_database($node, 'released');
{
	local $ENV{PGOPTIONS} = '';
	$node->safe_psql($old, 'CREATE EXTENSION atid_crypto');
	$node->command_ok([ 'psql', '-qX', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr($old), '-f', "$root/indexer/t/vectors/1.3.1.sql" ], 'the schema of 1.3.1');
}
my $operation = sub {
	my ($names, $type) = (@_, 'AtprotoPersonalDataServer');
	return qq![{"operation": {"type": "plc_operation", "alsoKnownAs": [$names], "services": {"atproto_pds": {"type": "$type", "endpoint": "https://pds.example"}}}}]!;
};
# handle, method and log; handle, server and origin afterwards, and whether it is requested again within an hour
my @rows = (
	[ 'fine.example',             'plc', $operation->('"at://fine.example"'),                                  'fine.example|https://pds.example|https://pds.example|f' ],
	[ 'Ada.Example',              'plc', $operation->('"at://Ada.Example"'),                                   'ada.example|https://pds.example|https://pds.example|f' ],
	[ 'Web.Example',              'web', undef,                                                                'web.example|https://pds.example|https://pds.example|f' ],
	[ 'did:plc:x',                'plc', $operation->('"at://did:plc:x", "https://x.example", 7, "at://Second.example"'), 'second.example|https://pds.example|https://pds.example|f' ],
	[ 'a.example/extra',          'plc', $operation->('"at://a.example/extra"'),                               '|https://pds.example|https://pds.example|f' ],
	[ 'a.example/',               'web', undef,                                                                '|https://pds.example|https://pds.example|t' ],
	[ "EVIL\x{202e}.example",     'plc', $operation->(qq("at://EVIL\x{202e}.example", "at://good.example")),  'good.example|https://pds.example|https://pds.example|f' ],
	[ 'not a handle',             'plc', '[{"operation": {"type": "create", "handle": "old.example"}}]',       '|https://pds.example|https://pds.example|t' ],
	[ 'type.example',             'plc', $operation->('"at://type.example"', 'Other'),                         'type.example|||t' ],
	[ 'dot.example',              'plc', $operation->('"at://dot.example"'),                                   'dot.example|https://pds.example.|https://pds.example|f', 'https://pds.example.' ],
	[ 'port.example',             'web', undef,                                                                'port.example|https://pds.example.:8443|https://pds.example:8443|f', 'https://pds.example.:8443' ]);
my $n = 0;
foreach (@rows)
{
	my ($handle, $method, $log, undef, $pds) = @$_;
	my ($h, $l) = map { defined $_ ? $array->($_) : 'NULL' } $handle, $log;
	$pds //= 'https://pds.example';
	$node->safe_psql($old, "INSERT INTO identity (did, handle, log, web, pds, host, answered, ask) VALUES ('did:$method:x${\($n++)}', $h, ($l)::jsonb, '$method' = 'web', '$pds', '$pds', now(), now() + interval '20 h')");
}
$node->safe_psql($old, q{INSERT INTO identity (did, handle, pds, host, answered, ask) SELECT 'did:plc:y' || i, 'y' || i || '.example', 'https://pds.example', 'https://pds.example', now(), now() + interval '20 h' FROM generate_series(1, 2000) AS i});
my $upgrade = (AtidTest::Indexer->new($node, $old, $oracles))[0];
my $before  = $node->safe_psql($old, q{SELECT string_agg(ctid::text, ' ' ORDER BY did) FROM identity WHERE did::text LIKE 'did:plc:y%' OR handle = 'fine.example'});
($status, $said) = $upgrade->command('upgrade');
is($status, 0, 'upgrade') or diag($said);
my @after = split /\n/, $node->safe_psql($old, q{SELECT concat_ws('|', coalesce(handle, ''), coalesce(pds, ''), coalesce(host, ''), CASE WHEN ask < now() + interval '61 min' THEN 't' ELSE 'f' END)
	FROM identity WHERE did::text ~ ':x' ORDER BY substr(did::text, 10)::int});
is($after[$_], $rows[$_][3], "a handle that was $_: " . ($rows[$_][0] =~ s/[^ -~]/?/gr)) foreach 0 .. $#rows;
is($node->safe_psql($old, q{SELECT string_agg(ctid::text, ' ' ORDER BY did) FROM identity WHERE did::text LIKE 'did:plc:y%' OR handle = 'fine.example'}), $before, 'correct rows are not written');

#
# Slow hosts.
#
my $network = AtidTest::Network->new($indexer->{program}, "$folder/hostile.js", 1);
sub network { return $network->ask($_[0]); }

sub newcomer
{
	my ($name, $seconds) = @_;
	my $did = network('newcomer')->{did};
	return ok($indexer->wait_for($name, "SELECT count(*) > 0 FROM record WHERE did = '$did'", $seconds), $name);
}

my $PATIENCE = 3 * $limit;
my $run = $indexer->start(
	ATID_SERVICE_URL             => $network->url,
	ATID_PLC_URL                 => $network->url(1),
	ATID_ALLOW_PRIVATE_ADDRESSES => 1,
	ATID_MAX_DOWNLOADS           => 16,
	ATID_REPO_TIMEOUT            => $PATIENCE);
ok($indexer->wait_for('accounts are loaded', "SELECT count(*) = 12 FROM account WHERE state = 'synchronized'"), 'accounts are loaded') or diag(`tail -n 20 $run->{log}`);
network('scene?name=dripping%20repositories&n=24');
ok($indexer->wait_for('they drip', "SELECT count(*) >= 6 FROM account WHERE state = 'loading'"), 'all places for new accounts are held');
newcomer('a new account does not wait until ATID_REPO_TIMEOUT is over') or diag(`tail -n 20 $run->{log}`);
is(sql("SELECT count(*) FROM account WHERE problem = 'timeout'"), 0, '... and none of them had reached ATID_REPO_TIMEOUT');
ok(sql("SELECT count(*) FROM account WHERE problem = 'crowded_out'") > 0, '... but they gave up their places');
my $post = network('post');
ok($indexer->wait_for('a post', "SELECT count(*) = 1 FROM record WHERE uri = '$post->{uri}'"), 'an honest post is there');
ok($indexer->wait_for('they come again', "SELECT count(*) > 0 FROM account WHERE state = 'loading' AND failures > 0"), 'the failed ones are tried again');
newcomer('another new account is loaded, too');
is(sql('SELECT count(*) FROM account WHERE failures > 0 AND state = \'loading\'') <= 4, 1, '... since the failed ones have only a quarter of the places');
ok($indexer->runs($run), 'the program still runs');
$indexer->stop($run);

done_testing();
