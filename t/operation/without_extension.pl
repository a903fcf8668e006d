# A server that cannot have the extension, next to one that has it.
#
# Shows that
# - the domains of examples/without-extension.sql accept the same texts as the types of atid: the vectors of t/vectors,
#   the public ones where they are available, texts at each limit of length, and random changes of all these; a
#   plain.cid accepts the CIDs that the protocol makes;
# - plain.tid_make and plain.tid_timestamp return the same as atid's functions;
# - plain.did and plain.at_uri sort as the types do;
# - logical replication copies columns of the types into columns of these domains, and an atid.block into bytea;
# - postgres_fdw on the server with the extension reads such columns as the types, and writes them;
# - a dump of the data alone can be restored into tables with the types, and ALTER TABLE changes the domains to them.
#
# Tags: medium differs

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Interop;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $own     = new_node('own', ready => 1, init => [ allows_streaming => 'logical' ]);
my $managed = new_node('managed');
my $file    = "$FindBin::Bin/../../examples/without-extension.sql";
new_database($own, 'app');
$managed->safe_psql('postgres', 'CREATE DATABASE app');
foreach my $node ($own, $managed) { $node->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('app'), '-f', $file ], 'the script runs'); }
is($managed->safe_psql('app', "SELECT count(*) FROM pg_extension WHERE extname <> 'plpgsql'"), 0, 'without any extension');

#
# The domains and the types.
#
my %type = (tid => 'tid', rkey => 'recordkey', record_key => 'recordkey', cid => 'cid', did => 'did', handle => 'handle', nsid => 'nsid', at_uri => 'aturi');
my $label = 'a' x 63;
my $middle = substr 'ifzvsbt6kiyg57lrrt3jbyqcf3lm7b6apz3rn7mjiyj32ornkf3xq', 0, 50;
my $domain = join '.', ($label) x 4;
my @edges = (
	map({ ('x' x $_, 'did:web:' . 'x' x ($_ * 4 - 8), 'at://a.test/a.b.c/' . 'x' x $_) } 511 .. 513),
	map({ ('a' x $_ . '.test', 'a.b' . 'b' x $_ . '.c', 'a.b.c' . 'c' x $_, 'at://a.test/a.b.c' . 'c' x $_) } 61 .. 64),
	map({ my $first = $_; map { ("bafyrei$first${middle}$_", "bafkrei$first${middle}$_") } split //, 'aeimquy4bz27' } 'a' .. 'j', '2'),
	map({ (substr($domain, 0, $_), substr($domain, 0, $_) . ".$label", 'at://' . substr $domain, 0, $_) } 250 .. 255),
	'', '.', '..', '...', 'at://', 'at:///', 'at://a.test', 'at://a.test/', 'at://a.test/a.b.c', 'at://a.test/a.b.c/', 'at://a.test/a.b.c/x/', 'at://a.test/a.b.c/..',
	'at://did:x/a.b.c', 'at://did:web:a', 'at://did:web:', 'at://did.test', "self\n", "at://a.test\n");
my %files = reverse %type;
my @texts = @edges;
foreach my $name (sort keys %files) { push @texts, map { syntax_vectors("${name}_syntax_$_.txt") } 'valid', 'invalid'; }
utf8::decode($_) foreach @texts;
seeded();
my @alphabet = split //, 'aAzZ09.-_~:%/ 2378cdhijkqy4';
foreach my $text (@texts[ 0 .. $#texts ])
{
	foreach (1 .. 5)
	{
		my $other = $text;
		substr $other, int rand(1 + length $other), int rand 2, $alphabet[ rand @alphabet ];
		push @texts, $other;
	}
}
cmp_ok(scalar @texts, '>', 1000, 'texts');
utf8::encode($_) foreach @texts;
$own->safe_psql('app', <<'SQL');
CREATE TABLE sample (text text COLLATE "C");
CREATE FUNCTION is_plain(type text, text text) RETURNS bool LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SELECT $1::plain.%I', type) USING text;
	RETURN true;
EXCEPTION WHEN check_violation THEN
	RETURN false;
END $$;
SQL
$own->safe_psql('app', 'INSERT INTO sample SELECT DISTINCT t FROM unnest(ARRAY[' . join(',', map { literal($_) } @texts) . ']) AS t');
foreach my $type (sort keys %type)
{
	my $is_valid = $type eq 'cid' ? 'CASE WHEN atid.cid_is_valid(text) THEN atid.cid_is_blessed(text::atid.cid_link) ELSE false END' : "atid.${type}_is_valid(text)";
	is($own->safe_psql('app', "SELECT text FROM sample WHERE is_plain('$type', text) <> ($is_valid)"), '', "$type: the domain accepts what the type accepts");
	cmp_ok($own->safe_psql('app', "SELECT count(*) FROM sample WHERE is_plain('$type', text)"), '>', 3, '... and texts of it were among them');
}

is( $own->safe_psql('app', <<'SQL'), 't|t', 'TIDs of times, and their times');
SELECT bool_and(plain.tid_make(t, c)::text = atid.tid_make(t, c)::text),
       bool_and(plain.tid_timestamp(tid) IS NOT DISTINCT FROM atid.tid_timestamp(tid::atid.tid))
FROM generate_series(0, 2000) AS i,
     CAST(timestamptz '1970-01-01 00:00 UTC' + i * interval '51 days 7 hours 1.234567 s' AS timestamptz) AS t, CAST(i % 1024 AS int) AS c,
     CAST(substr('234567abcdefghij', 1 + i % 16, 1) || substr(atid.tid_make(t, c)::text, 2) AS plain.tid) AS tid
SQL
foreach my $type ('did', 'at_uri')
{
	is($own->safe_psql('app', <<"SQL"), 't', "$type: the same order");
SELECT array_agg(text ORDER BY text::plain.$type) = array_agg(text ORDER BY text::atid.$type) FROM sample WHERE atid.${type}_is_valid(text)
SQL
}

#
# Logical replication, postgres_fdw, and the way back.
#
my $columns = 'uri %1$s.at_uri PRIMARY KEY, did %1$s.did NOT NULL, rkey %1$s.record_key NOT NULL, rev %1$s.tid NOT NULL, cid %1$s NOT NULL';
my $plain   = sprintf($columns, 'plain') =~ s/cid plain/cid plain.cid/r;
my $typed   = sprintf($columns, 'atid') =~ s/cid atid/cid atid.cid_link/r;
$own->safe_psql('app', "CREATE TABLE post ($typed, block atid.block, record jsonb); CREATE PUBLICATION posts FOR TABLE post");
$managed->safe_psql('app', "CREATE TABLE post ($plain, block bytea, record jsonb)");
$managed->safe_psql('app', "CREATE SUBSCRIPTION posts CONNECTION '" . $own->connstr('app') =~ s/'/''/gr . "' PUBLICATION posts");
$own->safe_psql('app', <<'SQL');
INSERT INTO post
SELECT atid.at_uri_make(did, 'com.example.post', rev::text), did, rev, rev, atid.record_cid(record), atid.record_to_dag_cbor(record), record
FROM (SELECT 'did:web:a' || n || '.example' AS did, atid.tid_generate() AS rev, jsonb_build_object('$type', 'com.example.post', 'text', n::text) AS record
      FROM generate_series(1, 100) AS n) AS r
SQL
$managed->wait_for_subscription_sync($own, 'posts', 'app') if $managed->can('wait_for_subscription_sync');
$own->wait_for_catchup('posts');
my $digest = q{SELECT count(*), md5(string_agg(concat_ws(' ', uri::text, did::text, rkey, rev::text, cid::text, block::bytea, record), ',' ORDER BY uri::text COLLATE "C")) FROM post};
my $before = $own->safe_psql('app', $digest);
like($before, qr/^100\|/, 'rows');
is($managed->safe_psql('app', $digest), $before, 'logical replication: the rows have arrived');
$managed->safe_psql('app', 'DROP SUBSCRIPTION posts');

SKIP:
{
	skip 'postgres_fdw is not installed', 3 unless has_extension($own, 'postgres_fdw');
	my ($user) = getpwuid($>);
	$own->safe_psql('app', <<"SQL");
CREATE EXTENSION postgres_fdw;
CREATE SERVER managed FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '@{[ $managed->host ]}', port '@{[ $managed->port ]}', dbname 'app');
CREATE USER MAPPING FOR CURRENT_USER SERVER managed OPTIONS (user '$user');
CREATE FOREIGN TABLE there (@{[ $typed =~ s/ PRIMARY KEY//r ]}, block atid.block, record jsonb) SERVER managed OPTIONS (table_name 'post');
SQL
	is($own->safe_psql('app', $digest =~ s/FROM post/FROM there/r), $before, 'postgres_fdw: the same rows');
	is($own->safe_psql('app', "SELECT count(*) FROM there WHERE uri <@ 'did:web:a7.example'::atid.did"), 1, '... by an operator of the types');
	$own->safe_psql('app', "UPDATE there SET rev = '2222222222222' WHERE did = 'did:web:a7.example'; DELETE FROM there WHERE did = 'did:web:a8.example'; INSERT INTO there SELECT * FROM post WHERE did = 'did:web:a8.example'");
	is($managed->safe_psql('app', "SELECT count(*), min(rev) FROM post"), '100|2222222222222', '... which it also writes');
	$own->safe_psql('app', "UPDATE there SET rev = (SELECT rev FROM post WHERE post.uri = there.uri) WHERE did = 'did:web:a7.example'");
}

my $dump = PostgreSQL::Test::Utils::tempdir('without') . '/post.sql';
$managed->command_ok([ 'pg_dump', '--data-only', '-t', 'post', '-f', $dump, '-d', $managed->connstr('app') ], 'a dump of the data');
$own->safe_psql('app', 'TRUNCATE post');
$own->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $own->connstr('app'), '-f', $dump ], '... is restored into the types');
is($own->safe_psql('app', $digest), $before, '... with the same values');
$own->safe_psql('app', "CREATE TABLE plainly ($plain)");
$own->safe_psql('app', 'INSERT INTO plainly SELECT uri, did, rkey, rev::text, cid::text FROM post');
$own->safe_psql('app', 'ALTER TABLE plainly ALTER uri TYPE atid.at_uri, ALTER did TYPE atid.did, ALTER rkey TYPE atid.record_key, ALTER rev TYPE atid.tid, ALTER cid TYPE atid.cid_link');
is($own->safe_psql('app', 'SELECT count(*) FROM plainly JOIN post USING (uri, did, rkey, rev, cid)'), 100, 'ALTER TABLE makes the types of the domains');

$_->stop foreach $managed, $own;
done_testing();
