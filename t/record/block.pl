# The type atid.block, in the place of bytea.
#
# Shows that
# - in databases of five encodings, each reader over a block returns the same as over the bytes of the block, for random
#   records of known and unknown types with texts that an encoding lacks, for damaged blocks, and for paths into them;
# - no reader raises an error for packed bytes that are damaged, except that a newer version has written them; only the
#   casts raise errors, and no other one;
# - blocks come back from COPY in each format, from dumps as script and as archive, from logical replication to and from
#   a table with bytea, and through postgres_fdw;
# - a generated column, a check, a domain, a partition key, a policy, generic and parallel plans read packed bytes;
# - large blocks are stored out of line, compressed and not, and read from there.
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

my $times = $ENV{ATID_FULL} ? 20 : 1;
my $seed  = seeded();
my $node  = new_node('block', ready => 1, init => [ allows_streaming => 'logical' ]);

#
# Random records, as JSON in UTF-8.
#
sub pick { return $_[ rand @_ ]; }
sub digits { my ($n, $from) = @_; return join '', map { substr $from, rand(length $from), 1 } 1 .. $n; }
sub plc { return 'did:plc:' . digits(24, '234567abcdefghijklmnopqrstuvwxyz'); }
sub tid { return '3' . digits(12, '234567abcdefghijklmnopqrstuvwxyz'); }
my @links = qw(bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a
  bafkreiccldh766hwcnuxnf2wh6jgzepf2nlu2lvcllt63eww5p6chi4ity bafkqaaa);

sub word
{
	return pick('', 'a', 'hello', 'a text with blanks', "\xC3\xA9t\xC3\xA9", "\xE6\x97\xA5\xE6\x9C\xAC", "\xE2\x82\xAC", "\xF0\x9F\x99\x82",
		"\xD1\x8F", '\\\\', '\\"', '\\u0000', 'x' x int rand 400, 'en', 'pt-BR', 'app.bsky.feed.like', 'https://example.com/a',
		'https://www.example.com', 'self');
}

sub datetime
{
	my $time = sprintf '%04d-%02d-%02dT%02d:%02d:%02d', pick(1969, 1970, 2024, 2025, 9999), 1 + rand 12, 1 + rand 31, rand 24, rand 60, rand 60;
	return $time . pick('', '.1', '.123', '.123', '.123456', '.123456789', '.1234567890') . pick('Z', 'Z', 'Z', '+00:00', '-05:30', '-00:00', 'z', '');
}

sub uri
{
	return 'at://' . pick(plc(), plc(), plc(), 'did:web:example.com', 'example.com')
	  . pick('', '/', map { "/$_" } 'app.bsky.feed.post/' . tid(), 'app.bsky.feed.like/' . tid(), 'com.example.thing/' . tid(), 'app.bsky.actor.profile/self', 'a/b/c');
}
sub ref_of { return sprintf '{"uri": "%s", "cid": "%s"}', uri(), pick(@links); }
sub blob { return sprintf '{"$type": "blob", "ref": {"$link": "%s"}, "mimeType": "%s", "size": %d}', pick(@links), pick('image/jpeg', 'a/b'), rand 1_000_000; }

sub value
{
	my ($depth) = @_;
	my $kind = int rand($depth > 3 ? 9 : 12);
	return '"' . pick(\&word, \&datetime, \&uri, \&plc, \&tid, sub { pick(@links) })->() . '"' if $kind < 4;
	return pick(0, 7, 8, 255, 256, 65536, -1, -256, -257, 9007199254740991, -9007199254740991, int rand 4_294_967_296)
	  if $kind < 6;
	return pick('true', 'false', 'null') if $kind == 6;
	return sprintf '{"$link": "%s"}', pick(@links) if $kind == 7;
	return '{"$bytes": "' . pick('', 'AQI', 'AAAA' x int rand 100) . '"}' if $kind == 8;
	return '[' . join(', ', map { value($depth + 1) } 1 .. rand 12) . ']' if $kind == 9;
	my %map = map { pick('a', 'b', 'text', 'uri', 'createdAt', "\xC3\xA9", "\xC3\xBC", 'x' x int rand 40, '0') => value($depth + 1) } 1 .. rand 6;
	$map{'$type'} = '"' . pick('com.example.thing', 'app.bsky.feed.post', 'com.atproto.repo.strongRef', 'app.bsky.embed.images') . '"' if rand() < 0.5;
	return '{' . join(', ', map { qq("$_": $map{$_}) } sort keys %map) . '}';
}

sub record
{
	my $made = datetime();
	return pick(
		sub { sprintf '{"$type": "app.bsky.feed.like", "subject": %s, "createdAt": "%s"%s}', ref_of(), $made, pick('', ', "via": ' . ref_of(), ', "x": 1') },
		sub { sprintf '{"$type": "app.bsky.graph.follow", "subject": "%s", "createdAt": "%s"}', plc(), $made },
		sub { sprintf '{"$type": "app.bsky.feed.post", "text": "%s", "createdAt": "%s", "langs": ["en", "%s"], "reply": {"root": %s, "parent": %s}}',
			word(), $made, word(), ref_of(), ref_of() },
		sub { sprintf '{"$type": "app.bsky.feed.post", "text": "%s", "createdAt": "%s", "embed": {"$type": "app.bsky.embed.images", "images": '
			  . '[{"alt": "%s", "image": %s}]}}', word(), $made, word(), blob() },
		sub { value(0) })->();
}

my @paths = ('{}', split ' ', '{$type} {subject} {subject,uri} {subject,cid} {subject,$link} {createdAt} {text} {langs} {langs,1} {langs,-1} {reply,root} '
	  . '{reply,parent,uri} {embed,images,0,image} {embed,images,0,image,ref} {embed,images,0,image,ref,$link} {via,uri} {a} {a,0} {b} {0} {-1} {UE} {a,UE} {NULL}');
my @readers = qw(dag_cbor_get dag_cbor_get_text dag_cbor_get_block dag_cbor_typeof dag_cbor_ref_uri);

# Blocks in hexadecimal; some of them damaged.
my $utf8 = new_database($node, 'utf8');
my $session = AtidTest::Session->new($node, $utf8);
$session->ok(q{SET client_encoding = 'UTF8'});
my @records = map { record() } 1 .. 600 * $times;
my @blocks = grep { length } split /\n/,
  $session->ok('SELECT encode(atid.json_to_dag_cbor(r::json), \'hex\') FROM (VALUES ' . join(', ', map { '(' . literal($_) . ')' } @records) . ') AS v (r)');
is(scalar @blocks, scalar @records, 'each record has a block');
my @damaged = map {
	my $block = pack 'H*', pick(@blocks);
	substr($block, rand length $block, 1) = chr int rand 256 foreach 0 .. rand 2;
	unpack 'H*', rand() < 0.3 ? substr $block, 0, rand length $block : $block
} 1 .. 200 * $times;

my %ue = (UTF8 => "\xC3\xBC", SQL_ASCII => "\xC3\xBC", LATIN1 => "\xFC", EUC_JP => "\x8F\xAB\xE4", WIN1252 => "\xFC");
foreach my $encoding (sort keys %ue)
{
	my $db = lc "db_$encoding";
	$node->safe_psql('postgres', "CREATE DATABASE $db TEMPLATE template0 ENCODING '$encoding' LC_COLLATE 'C' LC_CTYPE 'C'");
	my $s = AtidTest::Session->new($node, $db);
	$s->ok("CREATE EXTENSION atid; SET client_encoding = 'SQL_ASCII'");
	$s->ok('CREATE TABLE example (block bytea); INSERT INTO example VALUES ' . join ',', map { "('\\x$_')" } @blocks, @damaged);
	$s->ok('CREATE TABLE packed AS SELECT block::atid.block AS block, block AS bytes FROM example');
	$s->ok('CREATE TABLE path AS SELECT p::text[] AS path FROM (VALUES ' . join(',', map { "('" . s/UE/$ue{$encoding}/r . "')" } @paths) . ') AS v (p)');
	is($s->ok('SELECT count(*) FROM packed WHERE block::bytea <> bytes OR block::text <> bytes::text'), 0, "$encoding: each block comes back");
	cmp_ok($s->ok('SELECT 100 * sum(pg_column_size(block)) / sum(pg_column_size(bytes)) FROM packed'), '<', 70, "$encoding: they are packed");
	foreach my $reader (@readers)
	{
		my ($count, $found, $wrong) = split /\|/, $s->ok(<<"SQL");
SELECT count(*), count(packed), count(*) FILTER (WHERE packed::text IS DISTINCT FROM plain::text)
FROM packed, path, LATERAL (SELECT atid.$reader(block, path) AS packed, atid.$reader(bytes, path) AS plain OFFSET 0) AS a
SQL
		is($wrong, 0, "$encoding: $reader answers as over bytea");
		cmp_ok($found, '>', $count / 100, "$encoding: it has answers");
		like($s->ok("EXPLAIN (VERBOSE) SELECT atid.$reader(block, path) FROM packed, path"), qr/\Q${\ ($reader =~ s{dag_cbor}{block}r)}\E\(/,
			"$encoding: it reads the packed bytes");
	}
	is($s->ok('SELECT count(*) FROM packed WHERE atid.dag_cbor_is_valid(block) <> atid.dag_cbor_is_valid(bytes)'), 0, "$encoding: dag_cbor_is_valid");
	is($s->ok('SELECT count(*) FROM packed WHERE atid.dag_cbor_ref_uris(block) IS DISTINCT FROM atid.dag_cbor_ref_uris(bytes)'),
		0, "$encoding: a function without a second form");

	# Packed bytes that are damaged. byteasend returns its argument as it is.
	$s->ok(q{CREATE FUNCTION packed_of(atid.block) RETURNS bytea LANGUAGE internal IMMUTABLE STRICT AS 'byteasend';
		CREATE FUNCTION of_packed(bytea) RETURNS atid.block LANGUAGE internal IMMUTABLE STRICT AS 'byteasend'});
	my @packed = split /\n/, $s->ok(q{SELECT encode(packed_of(block), 'hex') FROM packed});
	my @bad = map {
		my $bytes = pack 'H*', pick(@packed);
		substr($bytes, rand length $bytes, 1) = chr int rand 256 foreach 0 .. rand 3;
		unpack 'H*', rand() < 0.2 ? substr $bytes, 0, rand length $bytes : $bytes
	} 1 .. 500 * $times;
	$s->ok('CREATE TABLE bad AS SELECT of_packed(b) AS block FROM (VALUES ' . join(',', map { "('\\x$_'::bytea)" } @bad) . ') AS v (b)');
	$s->ok(<<'SQL');
CREATE FUNCTION state_of(call text, block atid.block, path text[]) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE 'SELECT ' || call USING block, path;
  RETURN 'none';
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE;
END $$;
SQL
	my $states = sub {
		my ($call) = @_;
		return $s->ok("SELECT string_agg(state, ' ' ORDER BY state) FROM (SELECT DISTINCT state_of('$call', block, path) AS state FROM bad, "
			  . "(SELECT path FROM path LIMIT 8) AS p) AS s");
	};
	# (where the value is a constant of the plan, its cast is, too, and raises the error of the cast)
	like($states->("atid.$_(\$1, \$2)"), qr/^(?:0A000 )?(?:XX001 )?none$/, "$encoding: $_ of damaged values") foreach @readers;
	like($states->($_), qr/^(?:0A000 )?XX001 none$/, "$encoding: $_ of damaged values") foreach '$1::bytea', '$1::text';
	$s->quit;
}

#
# Data that leave the server.
#
$session->ok('CREATE TABLE packed (n int PRIMARY KEY, block atid.block); CREATE TABLE plain (n int PRIMARY KEY, block bytea)');
my $n = 0;
$session->ok('INSERT INTO plain VALUES ' . join ',', map { '(' . ++$n . ", '\\x$_')" } @blocks, @damaged);
$session->ok('INSERT INTO packed TABLE plain');
my $contents = sub { my ($node, $db, $table) = @_; return $node->safe_psql($db, "SELECT count(*), md5(string_agg(block::text, ',' ORDER BY n)) FROM $table"); };
my $expected = $contents->($node, $utf8, 'plain');
is($contents->($node, $utf8, 'packed'), $expected, 'an INSERT of bytea');

my $folder = PostgreSQL::Test::Utils::tempdir('copy');
foreach my $format ('text', 'csv', 'binary')
{
	$session->ok("CREATE TABLE packed_$format (LIKE packed); CREATE TABLE plain_$format (LIKE plain)");
	# (sorted: larger rows leave different free space in the pages, so the order in the tables may differ)
	$session->ok("COPY (SELECT * FROM $_ ORDER BY n) TO '$folder/$_' (FORMAT $format)") foreach 'packed', 'plain';
	is(slurp_file("$folder/packed"), slurp_file("$folder/plain"), "COPY TO in $format: the bytes that bytea has");
	$session->ok("COPY packed_$format FROM '$folder/plain' (FORMAT $format); COPY plain_$format FROM '$folder/packed' (FORMAT $format)");
	is($contents->($node, $utf8, "${_}_$format"), $expected, "COPY FROM in $format: into $_") foreach 'packed', 'plain';
}

foreach my $format ('plain', 'custom')
{
	my $db = "restored_$format";
	$node->command_ok([ 'pg_dump', "--format=$format", '-t', 'packed', '-f', "$folder/$format", $node->connstr($utf8) ], "pg_dump, $format");
	new_database($node, $db);
	$node->command_ok($format eq 'plain' ? [ 'psql', '-XqAt', '-v', 'ON_ERROR_STOP=1', '-f', "$folder/$format", $node->connstr($db) ]
		: [ 'pg_restore', '-d', $node->connstr($db), "$folder/$format" ], 'restored');
	is($contents->($node, $db, 'packed'), $expected, "a dump: $format");
}

# Each kind of table to the other one, with and without the binary form.
my $subscriber = new_node('subscriber', ready => 1);
new_database($subscriber, 'app');
my $link = $node->connstr($utf8) =~ s/'/''/gr;
$session->ok("CREATE PUBLICATION $_ FOR TABLE $_") foreach 'packed', 'plain';
$subscriber->safe_psql('app', 'CREATE TABLE packed (n int PRIMARY KEY, block bytea); CREATE TABLE plain (n int PRIMARY KEY, block atid.block)');
foreach my $table ('packed', 'plain')
{
	$subscriber->safe_psql('app', "CREATE SUBSCRIPTION s_$table CONNECTION '$link' PUBLICATION $table WITH (binary = false)");
	$subscriber->poll_query_until('app', "SELECT count(*) = 1 FROM pg_subscription_rel WHERE srsubstate IN ('r', 's') AND srrelid = '$table'::regclass")
	  or die 'no synchronization';
	is($contents->($subscriber, 'app', $table), $expected, "replication of $table into the other type: the first copy");
	$session->ok("UPDATE $table SET block = '\\xa1616101' WHERE n % 10 = 0; DELETE FROM $table WHERE n % 10 = 1");
	$node->wait_for_catchup("s_$table");
	is($contents->($subscriber, 'app', $table), $contents->($node, $utf8, $table), '... and what changes');
	$subscriber->safe_psql('app', "DROP SUBSCRIPTION s_$table");
}

SKIP:
{
	skip 'postgres_fdw is not installed', 5 unless has_extension($node, 'postgres_fdw');
	my ($user) = getpwuid($>);
	$subscriber->safe_psql('app', <<"SQL");
CREATE EXTENSION postgres_fdw;
CREATE SERVER other FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '@{[ $node->host ]}', port '@{[ $node->port ]}', dbname '$utf8', extensions 'atid');
CREATE USER MAPPING FOR CURRENT_USER SERVER other OPTIONS (user '$user');
CREATE FOREIGN TABLE far (n int, block atid.block) SERVER other OPTIONS (table_name 'packed');
CREATE FOREIGN TABLE far_bytes (n int, block bytea) SERVER other OPTIONS (table_name 'packed');
CREATE FOREIGN TABLE far_plain (n int, block atid.block) SERVER other OPTIONS (table_name 'plain');
SQL
	is($contents->($subscriber, 'app', 'far'), $contents->($node, $utf8, 'packed'), 'postgres_fdw: the blocks');
	is($contents->($subscriber, 'app', 'far_bytes'), $contents->($node, $utf8, 'packed'), '... as bytea');
	is($subscriber->safe_psql('app', q{SELECT count(*) FROM far WHERE atid.dag_cbor_get_text(block, '{$type}') = 'app.bsky.feed.like'}),
		$session->ok(q{SELECT count(*) FROM packed WHERE atid.dag_cbor_get_text(block::bytea, '{$type}') = 'app.bsky.feed.like'}), '... and a condition on a field');
	# (a call with a path is not sent to the other server, as the collation of the path is not that of a column there)
	my $far_plain = 'SELECT count(*) FROM far_plain WHERE atid.dag_cbor_is_valid(block)';
	is($subscriber->safe_psql('app', $far_plain), $session->ok($far_plain =~ s/far_plain/plain/r), '... also where the other column is a bytea');
	like($subscriber->safe_psql('app', "EXPLAIN (VERBOSE) $far_plain"), qr/Remote SQL: .*atid\.dag_cbor_is_valid\(block/, '... which the other server judges');
}
$subscriber->stop;

#
# Stored calls.
#
my $explained = sub { my ($sql, $pattern, $name) = @_; like($session->ok("EXPLAIN (VERBOSE, COSTS OFF) $sql"), $pattern, $name); };
$session->ok(<<'SQL');
CREATE DOMAIN like_block AS atid.block CHECK (atid.dag_cbor_get_text(VALUE, '{$type}') = 'app.bsky.feed.like');
CREATE TABLE likes (block like_block, made text GENERATED ALWAYS AS (atid.dag_cbor_get_text(block, '{createdAt}')) STORED,
  CHECK (atid.dag_cbor_is_valid(block)));
CREATE TABLE parts (n int, block atid.block) PARTITION BY LIST (atid.dag_cbor_get_text(block, '{$type}'));
CREATE TABLE parts_like PARTITION OF parts FOR VALUES IN ('app.bsky.feed.like');
CREATE TABLE parts_rest PARTITION OF parts DEFAULT;
INSERT INTO parts SELECT n, block FROM plain;
INSERT INTO likes SELECT block::atid.block FROM plain WHERE atid.dag_cbor_get_text(block, '{$type}') = 'app.bsky.feed.like' AND atid.dag_cbor_is_valid(block);
SQL
cmp_ok($session->ok('SELECT count(*) FROM likes'), '>', 10, 'a domain, a check, a generated column');
is($session->ok(q{SELECT count(*) FROM likes WHERE made IS DISTINCT FROM atid.dag_cbor_get_text(block::bytea, '{createdAt}')}), 0, 'the column has the field');
is(($session->try(q{INSERT INTO likes VALUES (atid.record_to_dag_cbor('{"$type": "a.b.c"}'))}))[1], '23514', 'the domain refuses another record');
is($session->ok(q{SELECT count(*) FROM parts_like WHERE atid.dag_cbor_get_text(block::bytea, '{$type}') IS DISTINCT FROM 'app.bsky.feed.like'}), 0, 'a partition key');
$explained->(q{SELECT FROM parts WHERE atid.dag_cbor_get_text(block, '{$type}') = 'app.bsky.feed.like'}, qr/Seq Scan on public\.parts_like(?!.*parts_rest)/s, 'partitions are pruned');

$session->ok(<<'SQL');
CREATE ROLE reader;
GRANT SELECT ON packed TO reader;
CREATE INDEX packed_type ON packed (atid.dag_cbor_get_text(block, '{$type}'));
ALTER TABLE packed ENABLE ROW LEVEL SECURITY;
CREATE POLICY public ON packed USING (atid.dag_cbor_typeof(block, '{via}') IS NULL);
ANALYZE packed;
SET ROLE reader;
SET enable_seqscan = off;
SQL
$explained->(q{SELECT n FROM packed WHERE atid.dag_cbor_get_text(block, '{$type}') = 'app.bsky.feed.like'},
	qr/^(?=.*Index Cond: \(atid\.block_get_text)(?=.*Filter: .*block_typeof)/s, 'a policy, and an index under it');
$session->ok('RESET ROLE; RESET enable_seqscan; DROP POLICY public ON packed; ALTER TABLE packed DISABLE ROW LEVEL SECURITY');
$session->ok(q{SET plan_cache_mode = force_generic_plan; PREPARE of (atid.block, text[]) AS SELECT atid.dag_cbor_get_text($1, $2)});
$explained->(q{EXECUTE of ('\xa1616101', '{a}')}, qr/atid\.block_get_text\(\$1, \$2\)/, 'a generic plan');
is($session->ok(q{EXECUTE of ('\xa1616101', '{a}'); EXECUTE of ('\xa1616202', '{b}')}), "1\n2", '... answers');
$session->ok('SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0');
my $parallel = q{SELECT count(atid.dag_cbor_get_text(block, '{createdAt}')), count(atid.dag_cbor_ref_uri(block, '{subject}')) FROM packed};
$explained->($parallel, qr/Partial Aggregate/, 'a parallel plan');
is($session->ok($parallel), $session->ok($parallel =~ s/\(block/(block::bytea || ''/gr), '... counts as over bytea');

#
# Large blocks: texts that compress and that do not, and one that cannot be packed.
#
$session->ok(<<'SQL');
CREATE TABLE large (kind text, bytes bytea, block atid.block);
INSERT INTO large
SELECT kind, bytes, bytes::atid.block
FROM (SELECT kind, atid.record_to_dag_cbor(jsonb_build_object('$type', 'app.bsky.feed.post', 'text', text, 'createdAt', '2026-01-01T00:00:00Z',
        'tags', (SELECT jsonb_agg('tag' || n) FROM generate_series(1, 5000) AS n))) AS bytes
      FROM (VALUES ('compresses', repeat('text ', 100000)),
        ('does not', (SELECT string_agg(md5(n::text), '') FROM generate_series(1, 20000) AS n))) AS v (kind, text)
      UNION ALL SELECT 'raw', decode(repeat('81', 300000), 'hex')) AS r (kind, bytes);
SQL
is($session->ok(q{SELECT count(*) FROM large WHERE block::bytea <> bytes OR block::text <> bytes::text}), 0, 'large blocks come back');
cmp_ok($session->ok(q{SELECT pg_column_size(block) FROM large WHERE kind = 'compresses'}), '<', 100_000, 'they are compressed');
cmp_ok($session->ok(q{SELECT pg_relation_size(reltoastrelid) FROM pg_class WHERE oid = 'large'::regclass}), '>', 1_000_000, 'and out of line');
is($session->ok(q{SELECT count(*) FROM large, unnest('{$type,text,createdAt,tags}'::text[]) AS k
	WHERE atid.dag_cbor_get_text(block, ARRAY[k]) IS DISTINCT FROM atid.dag_cbor_get_text(bytes, ARRAY[k])}), 0, 'their fields are read');
is($session->ok(q{SELECT string_agg(atid.dag_cbor_is_valid(block)::text, ' ' ORDER BY kind) FROM large}), 'true true false', 'and whether they are valid');

$session->quit;
$node->stop;
done_testing();
