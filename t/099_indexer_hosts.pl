# Identities and hosts: how the program and the database read what strangers say of themselves.
#
# Shows that
# - indexer.origin() and originOf() of the program have the same origin of a URL, or the database has none; and
#   clipped() and clean() leave out the same characters.
#
# Skipped where atid_crypto, node or npm are not there.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/lib";

use AtidTest;
use AtidTest::Indexer;
use AtidTest::Oracles;
use IPC::Run;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node  = new_node('hosts');
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

# What a module of the program computes.
sub computed
{
	my ($module, $expression) = @_;
	my $result = '';
	IPC::Run::run([ $indexer->{program}, '--input-type=module', '-e', "import * as m from '$folder/indexer/src/$module';\nconsole.log(JSON.stringify($expression))" ], '<', \undef, '>', \$result)
	  or die "$module: $expression";
	return $result;
}

#
# The same in SQL and in JavaScript.
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
is(sql('SELECT jsonb_agg(origin(u) ORDER BY n) = ' . "'" . (computed('http.js', "$list.map((u) => m.originOf(u))") =~ s/\n//r) . "'::jsonb FROM unnest(ARRAY[" . $array->(@urls) . ']) WITH ORDINALITY AS x (u, n)'), 't',
	'SQL and JavaScript have the same origins') or diag(sql('SELECT string_agg(origin(u), E\'\n\' ORDER BY n) FROM unnest(ARRAY[' . $array->(@urls) . ']) WITH ORDINALITY AS x (u, n)'), computed('http.js', "$list.map((u) => m.originOf(u))"));
is(sql('SELECT count(origin(u)) FROM unnest(ARRAY[' . $array->(@none) . ']) AS u'), 0, 'what is none, or has another spelling, has none in the database');

my $tried = 'CASE WHEN c < 55296 THEN c WHEN c < 190000 THEN c + 2048 ELSE c + 727504 END'; # no surrogates; planes 0 to 2, and 14
my $unclean = sql("SELECT string_agg(k::text, ',' ORDER BY k) FROM generate_series(1, 198000) AS c CROSS JOIN LATERAL (SELECT $tried AS k) AS x WHERE clipped(chr(k), 16) <> chr(k)");
ok($unclean eq decode_json(computed('border.js', '[Array.from({ length: 198000 }, (_, i) => i + 1).map((c) => (c < 55296 ? c : c < 190000 ? c + 2048 : c + 727504)).filter((k) => m.clean(String.fromCodePoint(k)) !== String.fromCodePoint(k)).join()]'))->[0],
	'SQL and JavaScript keep out the same characters');
ok(",$unclean," =~ /,8238,.*,917505,/, '... among them those that turn the direction of writing, and tags');

done_testing();
