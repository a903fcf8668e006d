# DIDs and AT URIs on disk, in large tables, through an update, and from clients that send bytes.
#
# Shows that
# - stored values have the frozen bytes, read from the table's file; equal texts have equal bytes, whether
#   they came as text, in binary form or by at_uri_make;
# - an ORDER BY over 200,000 values of all shapes, with abbreviated keys, matches that of the texts in "C", also
#   if few accounts make it give up abbreviating, and with little memory; a hash join gives the same rows as one
#   of texts;
# - uri <@ scope gives the same rows as starts_with and a slash, over 100,000 URIs, with an index and without;
# - the planner's estimates of its rows are right within a factor: for constants, parameters, joins, EXISTS and
#   NOT EXISTS;
# - a database of 1.0 accepts DIDs and AT URIs after ALTER EXTENSION UPDATE, and a dump of it restores;
# - binary input with a zero byte, with invalid UTF-8, or too long is refused, and so is a megabyte of text;
#   nothing of that is stored.
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

my $node = new_node('storage', ready => 1);
my $db   = new_database($node, 'storage');
my $s    = AtidTest::Session->new($node, $db);

#
# The bytes of the last value that was put into a column, from the file: an item of the page is found by its
# line pointer, and a short varlena ends where the item does.
#
sub stored
{
	my ($type, $expression) = @_;
	my $path = $s->ok("DROP TABLE IF EXISTS one; CREATE TABLE one (v atid.$type); "
		  . "INSERT INTO one SELECT $expression; CHECKPOINT; SELECT pg_relation_filepath('one')");
	my $page = slurp_file($node->data_dir . "/$path");
	my ($item)   = unpack 'L', substr($page, 24, 4);
	my $tuple    = substr($page, $item & 0x7fff, $item >> 17);
	my $value    = substr($tuple, unpack('C', substr($tuple, 22, 1)));
	my ($header) = unpack 'C', $value;
	die "not a short varlena: $header" unless $header & 1 && $header >> 1 == length $value;
	return unpack 'H*', substr($value, 1);
}

my $plc = 'at://did:plc:ewvi7nxzyoun6zhxrhs64oiz';
my @vectors = (
	[ 'did', 'did:plc:222222222222222222222222',
		'000000000000000000000000000000' ],
	[ 'did', 'did:plc:zzzzzzzzzzzzzzzzzzzzzzzz',
		'ffffffffffffffffffffffffffffff' ],
	[ 'did', 'did:plc:ewvi7nxzyoun6zhxrhs64oiz',
		'5736e2cfbff535327dbdbb704151df' ],
	[ 'did', 'did:plc:ewvi7nxzyoun6zhxrhs64oi',
		'6469643a706c633a65777669376e787a796f756e367a687872687336346f69' ],
	[ 'did', 'did:plc:ewvi7nxzyoun6zhxrhs64oizz',
		'6469643a706c633a65777669376e787a796f756e367a687872687336346f697a7a' ],
	[ 'did', 'did:plc:EWVI7NXZYOUN6ZHXRHS64OIZ',
		'6469643a706c633a45575649374e585a594f554e365a485852485336344f495a' ],
	[ 'did', 'did:plc:ewvi7nxzyoun6zhxrhs64oi1',
		'6469643a706c633a65777669376e787a796f756e367a687872687336346f6931' ],
	[ 'did', 'did:web:a.bc.de',
		'6469643a7765623a612e62632e646500' ],
	[ 'did', 'did:web:a.bc.def',
		'6469643a7765623a612e62632e646566' ],
	[ 'did', 'did:m:v',
		'6469643a6d3a76' ],
	[ 'at_uri', 'at://did:plc:ewvi7nxzyoun6zhxrhs64oiz',
		'015736e2cfbff535327dbdbb704151df' ],
	[ 'at_uri', 'at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/app.bsky.feed.like',
		'015736e2cfbff535327dbdbb704151df6170702e62736b792e666565642e6c696b65' ],
	[ 'at_uri', 'at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/app.bsky.feed.like/3jzfcijpj2z2a',
		'035736e2cfbff535327dbdbb704151df6170702e62736b792e666565642e6c696b652f17fd6873eaf07c06' ],
	[ 'at_uri', 'at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/app.bsky.feed.like/jzzzzzzzzzzzz',
		'035736e2cfbff535327dbdbb704151df6170702e62736b792e666565642e6c696b652fffffffffffffffff' ],
	[ 'at_uri', 'at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/app.bsky.feed.like/kzzzzzzzzzzzz',
		'015736e2cfbff535327dbdbb704151df6170702e62736b792e666565642e6c696b652f6b7a7a7a7a7a7a7a7a7a7a7a7a' ],
	[ 'at_uri', 'at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/app.bsky.actor.profile/self',
		'015736e2cfbff535327dbdbb704151df6170702e62736b792e6163746f722e70726f66696c652f73656c66' ],
	[ 'at_uri', 'at://jay.bsky.social',
		'006a61792e62736b792e736f6369616c' ],
	[ 'at_uri', 'at://Jay.bsky.social/app.bsky.feed.like/3jzfcijpj2z2a',
		'024a61792e62736b792e736f6369616c2f6170702e62736b792e666565642e6c696b652f17fd6873eaf07c06' ],
	[ 'at_uri', 'at://did:web:example.com/app.bsky.actor.profile/self',
		'006469643a7765623a6578616d706c652e636f6d2f6170702e62736b792e6163746f722e70726f66696c652f73656c66' ],
	[ 'at_uri', 'at://did:plc:x/a.b.c/2222222222222',
		'026469643a706c633a782f612e622e632f0000000000000000' ]);
foreach my $vector (@vectors)
{
	my ($type, $text, $bytes) = @$vector;
	is(stored($type, "'$text'"), $bytes, "$type: $text");
}
is( stored('at_uri', "atid.at_uri_make('did:plc:ewvi7nxzyoun6zhxrhs64oiz'::atid.did, 'a.b.c', '3jzfcijpj2z2a')"),
	stored('at_uri', "'$plc/a.b.c/3jzfcijpj2z2a'"),
	'the same bytes by at_uri_make');
is( stored('did', "atid.at_uri_did('at://did:web:a.bc.de/a.b.c')"),
	stored('did', "'did:web:a.bc.de'"),
	'the same bytes by at_uri_did');

#
# Large tables. Shapes are mixed: packed and not, near one another, in and out of upper case.
#
my $seed = seeded();
$s->ok(sprintf 'SELECT setseed(%.6f)', $seed % 1_000_000 / 1_000_000);
$s->ok(<<'SQL');
CREATE TABLE uris AS
SELECT ('at://' || authority || path)::atid.at_uri AS uri
FROM generate_series(1, 200000) g,
     LATERAL (SELECT translate(substr(md5((random() * random() * 3000)::int::text), 1, 24), '0189', 'wxyz') AS digits WHERE g > 0) d,
     LATERAL (SELECT CASE WHEN random() < 0.8 THEN 'did:plc:' || digits
                          WHEN random() < 0.3 THEN 'did:plc:' || left(digits, (random() * 24)::int) || 'Z'
                          WHEN random() < 0.5 THEN 'did:web:' || left(digits, 1 + (random() * 3)::int) || '.test'
                          ELSE left(digits, 1 + (random() * 2)::int) || '.test' END AS authority WHERE g > 0) a,
     LATERAL (SELECT CASE WHEN random() < 0.05 THEN ''
                          WHEN random() < 0.05 THEN '/app.bsky.feed.like'
                          ELSE '/app.bsky.feed.' || (ARRAY['like', 'like-x.y', 'post', 'Like'])[1 + (random() * 3)::int] || '/' ||
                               CASE WHEN random() < 0.8 THEN atid.tid_make('2024-01-01Z'::timestamptz + random() * interval '9 days', 0)::text
                                    ELSE upper(left(digits, 1 + (random() * 14)::int)) END END AS path WHERE g > 0) p;
CREATE TABLE dids AS SELECT atid.at_uri_did(uri) AS did FROM uris WHERE atid.at_uri_did(uri) IS NOT NULL;
CREATE TABLE few AS
SELECT atid.at_uri_make('did:plc:' || repeat((ARRAY['a', 'b', 'c'])[1 + (random() * 2)::int], 24), 'a.b.c', atid.tid_make(now(), 0)::text || g) AS uri
FROM generate_series(1, 50000) g;
ANALYZE;
SQL
foreach my $memory ('256MB', '1MB')
{
	$s->ok("SET work_mem = '$memory'");
	foreach my $column ('uris.uri', 'dids.did', 'few.uri')
	{
		my ($table, $name) = split /\./, $column;
		is( $s->ok(qq{SELECT count(*) FROM (SELECT ${name}::text AS v, lag(${name}::text) OVER (ROWS UNBOUNDED PRECEDING) AS before
			FROM (SELECT $name FROM $table ORDER BY $name OFFSET 0) o) w WHERE before COLLATE "C" > v}),
			0, "$column sorts as its text does, in $memory");
	}
}
$s->ok('RESET work_mem');
is( $s->ok('SELECT count(*), count(DISTINCT uri) = count(DISTINCT uri::text COLLATE "C") FROM uris'),
	'200000|t', 'as many values as texts');
is( $s->ok(q{SET enable_mergejoin = off; SET enable_nestloop = off;
	SELECT (SELECT count(*) FROM uris a JOIN uris b USING (uri)) = (SELECT count(*) FROM uris a JOIN uris b ON a.uri::text = b.uri::text);
	RESET enable_mergejoin; RESET enable_nestloop}),
	't', 'a hash join finds what one of texts finds');

$s->ok(<<'SQL');
DELETE FROM uris WHERE ctid IN (SELECT ctid FROM uris ORDER BY uri DESC LIMIT 100000);
CREATE TABLE scopes AS
SELECT DISTINCT s FROM (SELECT * FROM uris TABLESAMPLE SYSTEM (1)) u,
	LATERAL (VALUES (uri), (atid.at_uri_make(atid.at_uri_authority(uri))),
		(atid.at_uri_make(atid.at_uri_authority(uri), 'app.bsky.feed.like'))) v(s) WHERE s IS NOT NULL LIMIT 60;
CREATE TABLE none AS SELECT s, count(uri) AS n FROM scopes LEFT JOIN uris ON uri <@ s GROUP BY s;
CREATE TABLE text AS
WITH part AS (SELECT uri, string_to_array(uri::text, '/') AS parts FROM uris)
SELECT s, count(uri) AS n
FROM scopes LEFT JOIN (SELECT uri, array_to_string(parts[:k], '/') AS scope FROM part, generate_series(3, cardinality(parts)) AS k) AS u ON s::text = scope
GROUP BY s;
CREATE INDEX ON uris (uri);
VACUUM ANALYZE uris;
SET enable_seqscan = off;
SQL
like($s->ok('EXPLAIN SELECT s, count(uri) AS n FROM scopes LEFT JOIN uris ON uri <@ s GROUP BY s'),
	qr/Index Cond: .*at_uri_scope_upper/, '<@ by the index');
$s->ok('CREATE TABLE index AS SELECT s, count(uri) AS n FROM scopes LEFT JOIN uris ON uri <@ s GROUP BY s; RESET enable_seqscan');
is( $s->ok('SELECT count(*), sum(n) > 500 FROM text'),
	'60|t', 'scopes, and enough that is within them');
is($s->ok('SELECT * FROM none FULL JOIN text USING (s, n) FULL JOIN index USING (s, n) WHERE none IS NULL OR text IS NULL OR index IS NULL'),
	'', '<@ finds what the texts say, by the index and without');

#
# The rows that are expected: 4,000 accounts of 48 URIs in three collections, one of 20,000, one of 6,000, which
# is more than two bins of the histogram, wherever these begin.
#
$s->ok(<<'SQL');
CREATE FUNCTION estimate(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  plan json;
BEGIN
  EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
  RETURN plan #>> '{0,Plan,Plan Rows}';
END $$;
CREATE FUNCTION did_of(n int) RETURNS text IMMUTABLE LANGUAGE sql
RETURN 'did:plc:' || translate(substr(md5(n::text), 1, 24), '0189', 'wxyz');
CREATE TABLE known AS
SELECT atid.at_uri_make(did_of(a), 'app.bsky.feed.' || (ARRAY['like', 'post', 'repost'])[1 + g % 3],
	atid.tid_make('2024-01-01Z'::timestamptz + g * interval '1 s', 0)::text) AS uri
FROM generate_series(1, 218000) g,
	LATERAL (SELECT CASE WHEN g <= 192000 THEN g / 48 WHEN g <= 212000 THEN 5000 ELSE 5001 END) v(a);
CREATE TABLE followed AS SELECT atid.at_uri_make(did_of(n * 10)) AS scope FROM generate_series(0, 199) n;
-- likes of ten posts, which are their most common values
CREATE TABLE popular AS
SELECT atid.at_uri_make(did_of(g % 5), 'app.bsky.feed.post', (g % 10)::text) AS uri FROM generate_series(1, 10000) g;
CREATE UNIQUE INDEX ON known (uri);
ANALYZE known, followed, popular;
SQL
my $within  = sub {
	my ($scope) = @_;
	return "SELECT FROM known WHERE uri <@ $scope";
};
# The subject, its true number of rows, the factor allowed, and the query.
my @estimates = (
	[ 'an account',                  48,    3, $within->('atid.at_uri_make(did_of(77))') ],
	[ 'a collection of it',          16,    3, $within->(q{atid.at_uri_make(did_of(77), 'app.bsky.feed.post')}) ],
	[ 'a large account',             20000, 2, $within->('atid.at_uri_make(did_of(5000))') ],
	[ 'a collection of it',          6667,  2, $within->(q{atid.at_uri_make(did_of(5000), 'app.bsky.feed.post')}) ],
	[ 'an account of three bins',     6000,  4, $within->('atid.at_uri_make(did_of(5001))') ],
	[ 'an account, from the left',   48,    3, 'SELECT FROM known WHERE atid.at_uri_make(did_of(77)) @> uri' ],
	[ 'the same, large',             20000, 2, 'SELECT FROM known WHERE atid.at_uri_make(did_of(5000)) @> uri' ],
	[ 'a record',                    1,     1, $within->(q{atid.at_uri_make(did_of(77), 'app.bsky.feed.post', 'self')}) ],
	[ 'an account of common values', 2000,  2, 'SELECT FROM popular WHERE uri <@ atid.at_uri_make(did_of(3))' ],
	[ 'a common value',              1000,  2, q{SELECT FROM popular WHERE uri <@ atid.at_uri_make(did_of(3), 'app.bsky.feed.post', '3')} ],
	[ 'a scope that is not known',   48,    3, $within->(q{(SELECT scope FROM followed LIMIT 1)}) ],
	[ 'accounts of which a URI is',  1,     3, q{SELECT FROM followed WHERE scope @> atid.at_uri_make(did_of(70), 'app.bsky.feed.post', 'self')} ],
	[ 'a join',                      9600,  3, 'SELECT FROM followed JOIN known ON uri <@ scope' ],
	[ 'the same, from the left',     9600,  3, 'SELECT FROM followed JOIN known ON scope @> uri' ],
	[ 'a join by expressions',       9600,  3,
		'SELECT FROM generate_series(0, 199) n JOIN known ON uri <@ atid.at_uri_make(did_of(n * 10))' ],
	[ 'EXISTS',                      200,   1, 'SELECT FROM followed WHERE EXISTS (SELECT FROM known WHERE uri <@ scope)' ],
	[ 'NOT EXISTS',                  1,     1, 'SELECT FROM followed WHERE NOT EXISTS (SELECT FROM known WHERE uri <@ scope)' ],
	[ 'EXISTS, of a join',           200,   1,
		'SELECT FROM followed WHERE EXISTS (SELECT FROM known JOIN popular USING (uri) RIGHT JOIN known k ON true WHERE k.uri <@ scope)' ],
	[ 'EXISTS, the URIs outside',    9600,  3, 'SELECT FROM known WHERE EXISTS (SELECT FROM followed WHERE uri <@ scope)' ]);
foreach my $estimate (@estimates)
{
	my ($name, $actual, $factor, $query) = @$estimate;
	my $rows = $s->ok("SELECT estimate(\$\$$query\$\$)");
	ok($rows >= $actual / $factor && $rows <= $actual * $factor, "rows: $name")
	  or diag("$rows for $actual");
}

#
# The update of a database of 1.0.
#
$node->safe_psql('postgres', 'CREATE DATABASE old');
$node->safe_psql('old', <<'SQL');
CREATE EXTENSION atid VERSION '1.0';
CREATE TABLE record (uri text PRIMARY KEY, rev atid.tid, key atid.record_key);
INSERT INTO record SELECT 'at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/app.bsky.feed.post/' || t, t, t FROM atid.tid_make('2024-01-01Z', 7) t;
ALTER EXTENSION atid UPDATE TO '1.1';
ALTER TABLE record ALTER uri TYPE atid.at_uri USING uri::atid.at_uri,
	ADD author atid.did GENERATED ALWAYS AS (atid.at_uri_did(uri)) STORED, ADD handle atid.handle;
CREATE INDEX ON record (author, rev DESC);
CREATE INDEX ON record USING hash (author);
CREATE INDEX ON record USING brin (uri);
INSERT INTO record VALUES ('at://jay.test/a.b.c/self', NULL, 'self', DEFAULT, 'jay.test');
SQL
is( $node->safe_psql('old', 'SELECT uri = atid.at_uri_make(author, $$app.bsky.feed.post$$, key), atid.at_uri_tid(uri) = rev FROM record ORDER BY uri LIMIT 1'),
	't|t', 'a table of 1.0, moved over');
my $dump = PostgreSQL::Test::Utils::tempdir('dump') . '/dump';
$node->command_ok([ 'pg_dump', '-f', $dump, '-d', $node->connstr('old') ], 'dump');
$node->safe_psql('postgres', 'CREATE DATABASE restored');
$node->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-f', $dump, '-d', $node->connstr('restored') ], 'restore');
is($node->safe_psql('restored', 'TABLE record ORDER BY uri'), $node->safe_psql('old', 'TABLE record ORDER BY uri'),
	'the restored table');

#
# Bytes from a client, by COPY in its binary format.
#
my $dir = PostgreSQL::Test::Utils::tempdir('copy');
$s->ok('CREATE TABLE received (did atid.did, uri atid.at_uri)');

sub receive
{
	my (@values) = @_;
	my $file = "$dir/binary";
	unlink $file;
	append_to_file($file,
		"PGCOPY\n\xff\r\n\0" . pack('NN', 0, 0) . pack('n', scalar @values)
		  . join('', map { defined $_ ? pack('N/a*', $_) : pack('N', 0xffffffff) } @values) . pack('n', 0xffff));
	my (undef, $state, $message) = $s->try("\\copy received FROM '$file' (FORMAT binary)");
	return $message =~ /DETAIL:  (.*)/ ? $1 : $message;
}

is(receive('did:web:x', "$plc/a.b.c/3jzfcijpj2z2a"), '', 'binary: taken');
is(receive("did:web:x\0", undef), 'At character 10: A DID must have only letters, digits and "._:%-".', 'binary: a zero byte');
is(receive("did:web:\xc3\x28", undef), 'At character 9: A DID must have only letters, digits and "._:%-".', 'binary: no UTF-8');
is(receive(undef, "at://a.b/\0"), 'At character 10: An NSID must have only letters, digits, hyphens and periods.', 'binary: a zero byte in a URI');
is(receive(undef, "at://a.b/c.d.e/\xff"), 'At character 16: A record key must have only letters, digits and ".-_:~".', 'binary: no UTF-8 in a URI');
is(receive(undef, ''), 'At character 1: An AT URI must begin with "at://".', 'binary: nothing');
is(receive('did:web:' . 'x' x 2_000_000, undef), 'At character 2049: A DID must have at most 2048 characters.', 'binary: megabytes');
is(receive(undef, 'at://a.b/c.d.e/' . 'x' x 2_000_000), 'At character 528: A record key must have 1 to 512 characters.', 'binary: megabytes of URI');
my ($out, $state, $message) = $s->try(q{INSERT INTO received (uri) SELECT ('at://' || repeat('a.', 100000000))::atid.at_uri});
is($state, '22P02', '200 MB of text: refused');
cmp_ok(length $message, '<', 1000, '200 MB of text: a short message');
is($s->ok('TABLE received'), "did:web:x|$plc/a.b.c/3jzfcijpj2z2a", 'nothing of that is stored');
is($s->ok('SELECT atid.did_send(did), atid.at_uri_send(uri) FROM received'),
	'\x' . unpack('H*', 'did:web:x') . '|\x' . unpack('H*', "$plc/a.b.c/3jzfcijpj2z2a"), 'the binary form is the text');

$s->quit;
$node->stop;
done_testing();
