# Fields of blocks compared with jsonb's operators, and the recipes of doc/network.md under load and attack.
#
# Shows that
# - for random records and paths, dag_cbor_get, _get_text, _get_block and _typeof return the same as #> and #>> on
#   the record, and dag_cbor_ref_uris the same as record_ref_uris;
# - a truncated block gives the same field or is refused, and one with a bit flipped gives a different answer only
#   if it is still DAG-CBOR, and never an error of another kind;
# - in databases of other encodings the keys of a path are converted, and a text that the encoding lacks is NULL;
# - no value that strangers write keeps a row out of the tables of doc/network.md and examples/references.sql,
#   where a cast would;
# - the narrow table matches the records after eight sessions have inserted, upserted, updated and deleted the same
#   few records at once; after TRUNCATE; and where partitions are written to directly;
# - the tables are dumped and restored with their indexes and statistics;
# - parallel workers run the functions, and a cancel stops a long call at once.
#
# 6,000 records and paths; with script/test --full 200,000.
#
# Tags: long differs

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $full  = $ENV{ATID_FULL};
my $count = $full ? 200_000 : 6_000;
my $seed  = seeded();

my $node = new_node('network', ready => 1);
my $db   = new_database($node, 'network');
my $session = AtidTest::Session->new($node, $db);

#
# Random records and paths.
#
my @keys = ('a', 'b', 'c', 'aa', 'ab', 'uri', 'text', '$type', 'subject', '', '0', '-1', 'é', '漢字', '$link', '$links', 'x' x 23,
	'x' x 24, 'y' x 260);
my @texts = ('', 'a', 'did:web:a.example', 'at://did:web:b.example/app.bsky.feed.post/x', 'é', '漢字' x 12, 'z' x 23, 'z' x 24,
	'z' x 300, '\\u0001\\"\\\\', "\xF0\x9F\x98\x80");

sub value
{
	my ($depth) = @_;
	my $kind = $depth == 0 ? 6 + int rand 3 : int rand($depth > 4 ? 6 : 9);
	return '"' . $texts[ rand @texts ] . '"' if $kind < 2;
	return (0, -1, 23, 24, -25, 65536, '9223372036854775807', '-9223372036854775808', '4294967296')[ rand 9 ] if $kind == 2;
	return (qw(true false null))[ rand 3 ] if $kind == 3;
	return '{"$link": "bafkqaaa"}' if $kind == 4;
	return '{"$bytes": "AQI"}' if $kind == 5;
	return '[' . join(', ', map { value($depth + 1) } 1 .. rand 6) . ']' if $kind == 6;
	my %pairs = map { $keys[ rand @keys ] => 1 } 1 .. rand 8;
	delete $pairs{'$link'};
	return '{' . join(', ', map { "\"$_\": " . value($depth + 1) } sort keys %pairs) . '}';
}

# Steps that may exist, and some that no value has.
sub step
{
	my $kind = int rand 10;
	return $keys[ rand @keys ] if $kind < 6;
	return int(rand 8) - 3 if $kind < 9;
	return (' 1', '+1', '1 ', '01', '2147483648', '-2147483648', '1.0', 'nope', '$bytes', '$link')[ rand 10 ];
}

sub quoted { return '"' . $_[0] =~ s/([\\"])/\\$1/gr . '"'; }

my $file = PostgreSQL::Test::Utils::tempdir('records') . '/records';
open my $out, '>', $file or die "$file: $!";
foreach my $i (1 .. $count)
{
	my $record = value($i % 20 ? 0 : 9) =~ s/\\/\\\\/gr;
	my $path   = '{' . join(',', map { quoted(step()) } 1 .. int(rand 5)) . '}';
	print $out "$record\t", $path =~ s/\\/\\\\/gr, "\n";
}
close $out;

$session->ok(<<"SQL");
SET client_encoding = 'UTF8';
CREATE TABLE given (record jsonb, path text[], n int GENERATED ALWAYS AS IDENTITY);
\\copy given (record, path) FROM '$file'
-- and every step that leads somewhere
INSERT INTO given SELECT record, path || step FROM given, LATERAL (
  SELECT jsonb_object_keys(record #> path) WHERE jsonb_typeof(record #> path) = 'object'
  UNION ALL SELECT (-1 - n % 3)::text WHERE jsonb_typeof(record #> path) = 'array') AS s (step);
CREATE TABLE tried AS
SELECT n, path, record #> path AS wanted, atid.record_to_dag_cbor(record) AS block FROM given;
SQL
my $tried = $session->ok('SELECT count(*) FROM tried');
my $found = $session->ok('SELECT count(*) FROM tried WHERE wanted IS NOT NULL');
cmp_ok($found, '>', $count / 2, "$tried paths, $found lead to something");

sub none_differs
{
	my ($what, $got, $wanted) = @_;
	is($session->ok("SELECT n, path FROM tried WHERE $got IS DISTINCT FROM $wanted LIMIT 3"), '', $what);
	return;
}
none_differs('dag_cbor_get is #>', 'atid.dag_cbor_get(block, path)', 'wanted');
none_differs('dag_cbor_get_block is its block', 'atid.dag_cbor_get_block(block, path)', 'atid.record_to_dag_cbor(wanted)');
none_differs('dag_cbor_get_text is #>>, but for links and bytes',
	'atid.dag_cbor_get_text(block, path)',
	q{CASE WHEN wanted ?| '{$link,$bytes}' AND jsonb_typeof(wanted) = 'object' THEN coalesce(wanted ->> '$link', wanted ->> '$bytes')
	       ELSE wanted #>> '{}' END});
none_differs('dag_cbor_typeof is jsonb_typeof, but for links and bytes',
	'atid.dag_cbor_typeof(block, path)',
	q{CASE WHEN jsonb_typeof(wanted) = 'object' AND wanted ? '$link' THEN 'link'
	       WHEN jsonb_typeof(wanted) = 'object' AND wanted ? '$bytes' THEN 'bytes' ELSE jsonb_typeof(wanted) END});
none_differs('dag_cbor_ref_uris is record_ref_uris', 'atid.dag_cbor_ref_uris(block, path)', 'atid.record_ref_uris(wanted)');
none_differs('dag_cbor_ref_uri is the reference of a text, or of the uri of an object',
	'atid.dag_cbor_ref_uri(block, path)',
	q{CASE WHEN jsonb_typeof(wanted) = 'string' THEN (atid.record_ref_uris(wanted))[1]
	       WHEN jsonb_typeof(wanted) = 'object' AND jsonb_typeof(wanted -> 'uri') = 'string' THEN (atid.record_ref_uris(wanted -> 'uri'))[1] END});
cmp_ok($session->ok('SELECT count(atid.dag_cbor_ref_uri(block, path)) FROM tried'), '>', $count / 100, 'there are some');

#
# Damaged blocks.
#
$session->ok(<<'SQL');
CREATE FUNCTION tried_get(block bytea, path text[], OUT value jsonb, OUT state text) LANGUAGE plpgsql AS $$
BEGIN
  value := atid.dag_cbor_get(block, path);
  state := '00000';
EXCEPTION WHEN others THEN
  state := SQLSTATE;
END $$;
CREATE FUNCTION tried_record(block bytea, OUT record jsonb, OUT state text) LANGUAGE plpgsql AS $$
BEGIN
  record := atid.dag_cbor_to_record(block);
  state := '00000';
EXCEPTION WHEN others THEN
  state := SQLSTATE;
END $$;
CREATE TABLE chosen AS SELECT * FROM tried WHERE length(block) BETWEEN 3 AND 400 AND cardinality(path) > 0 AND wanted IS NOT NULL
  ORDER BY n LIMIT 300;
SQL
is($session->ok(<<'SQL'), 't|t', 'a block that was cut has the same field, or is refused');
SELECT count(*) > 10000, bool_and(state = '22P03' OR state = '00000' AND value = wanted)
FROM chosen, generate_series(0, length(block) - 1) AS len, tried_get(substr(block, 1, len), path);
SQL
is($session->ok(<<'SQL'), 't|t|t|t', 'a block with a bit flipped');
SELECT count(*) > 10000, bool_or(whole.state = '00000') AND bool_or(whole.state = '22P03'),
       bool_and(field.state = '00000' AND field.value IS NOT DISTINCT FROM whole.record #> path) FILTER (WHERE whole.state = '00000'),
       bool_and(field.state IN ('00000', '22P03', '22P05', '22023', '54000'))
FROM chosen, generate_series(0, length(block) - 1) AS at,
     LATERAL (SELECT set_byte(block, at, get_byte(block, at) # (1 << (n + at) % 8)) AS block) AS flipped,
     tried_get(flipped.block, path) AS field, tried_record(flipped.block) AS whole;
SQL

#
# Encodings.
#
my %of = (UTF8 => [ 'ü', '漢' ], LATIN1 => ['ü'], WIN1252 => ['ü'], EUC_JP => ['漢'], SQL_ASCII => [ 'ü', '漢' ]);
foreach my $encoding (sort keys %of)
{
	my $name = lc "db_$encoding";
	$node->safe_psql('postgres',
		"CREATE DATABASE $name TEMPLATE template0 ENCODING '$encoding' LC_COLLATE 'C' LC_CTYPE 'C'");
	$node->safe_psql($name, 'CREATE EXTENSION atid');
	my $there = AtidTest::Session->new($node, $name);
	$there->ok(q{SET client_encoding = 'UTF8'});
	foreach my $char (@{ $of{$encoding} })
	{
		my $block = $session->ok(
			qq(SELECT atid.record_to_dag_cbor('{"$char": {"zz": 1, "$char$char": "t$char"}, "zzz": ["did:web:a.example", "$char"]}')));
		is( $there->ok(
				qq(SELECT atid.dag_cbor_get_text('$block', '{$char,$char$char}'), atid.dag_cbor_get('$block', '{$char}'),
				   atid.dag_cbor_get_text('$block', '{${char}x}'), atid.dag_cbor_ref_uris('$block'))),
			# jsonb sorts its keys by their length in the encoding
			$encoding =~ /1/
			? qq(t$char|{"zz": 1, "$char$char": "t$char"}||{at://did:web:a.example})
			: qq(t$char|{"zz": 1, "$char$char": "t$char"}||{at://did:web:a.example}),
			"$encoding: keys and texts of $char");
	}
	next if $encoding =~ /UTF8|ASCII/;
	my $block = $session->ok(qq(SELECT atid.record_to_dag_cbor('{"t": "\xF0\x9F\x98\x80", "u": "did:web:a.example"}')));
	is($there->ok("SELECT atid.dag_cbor_get_text('$block', '{t}') IS NULL, atid.dag_cbor_get_text('$block') IS NULL, "
			  . "atid.dag_cbor_typeof('$block', '{t}'), atid.dag_cbor_get_block('$block', '{t}')"),
		't|t|string|\x64f09f9880', "$encoding: a text that it lacks is NULL, and its bytes are there");
	is($there->ok("SELECT atid.dag_cbor_get_text('$block', '{u}'), atid.dag_cbor_ref_uris('$block'), atid.dag_cbor_ref_uri('$block', '{u}')"),
		'did:web:a.example|{at://did:web:a.example}|at://did:web:a.example', "$encoding: and the field beside it is read");
	$there->quit;
}

#
# The recipe of the chapter, and the one of examples/.
#
my $page    = slurp_file("$FindBin::Bin/../../doc/network.md");
my ($first) = $page =~ /^(CREATE TABLE record \(.*?)^INSERT INTO record/ms or die 'the first recipe is not there';
my $second  = slurp_file("$FindBin::Bin/../../examples/references.sql");
$session->ok("$first $second");

my $differs = <<'SQL';
WITH wanted AS (
  SELECT r.subject, k.kind, atid.at_uri_tid(n.uri) AS tid, atid.at_uri_did(n.uri) AS did
  FROM record AS n JOIN kind AS k ON k.collection = atid.at_uri_collection(n.uri),
       unnest(atid.record_ref_uris(n.record #> k.path)) AS r (subject)
  WHERE atid.at_uri_tid(n.uri) IS NOT NULL AND atid.at_uri_did(n.uri) IS NOT NULL)
SELECT (SELECT count(*) FROM (TABLE wanted EXCEPT ALL TABLE points_at) AS missing),
       (SELECT count(*) FROM (TABLE points_at EXCEPT ALL TABLE wanted) AS stale)
SQL

# Values that strangers write.
$session->ok(<<'SQL');
CREATE FUNCTION chance(n int) RETURNS text LANGUAGE sql AS
  $$ SELECT string_agg(md5(random()::text), '') FROM generate_series(1, n / 32) $$;
INSERT INTO record
SELECT format('at://did:web:x.example/app.bsky.feed.%s/3lzfcijpj2z%s', collection, rpad(n::text, 2, 'a'))::atid.at_uri, r
FROM unnest('{like,post,repost}'::text[]) AS collection, (VALUES
  (2, jsonb_build_object('subject', jsonb_build_object('uri', 'at://did:web:' || chance(1920) || '/app.bsky.feed.post/' || chance(480)))),
  (3, jsonb_build_object('subject', 'did:web:' || chance(2016))),
  (4, jsonb_build_object('subject', (SELECT jsonb_agg('did:web:a' || n) FROM generate_series(1, 30000) AS n))),
  (5, jsonb_build_object('facets', (SELECT jsonb_agg('did:web:' || chance(1024)) FROM generate_series(1, 300) AS n))),
  (6, '{"subject": null, "facets": {"a": 1}, "reply": "at://did:web:a.example"}'), (7, '{}')) AS v (n, r);
SQL
is($session->ok($differs), '0|0', 'hostile records are in the tables of both recipes');
is($session->ok('SELECT max(octet_length(subject::text)) <= 1200, count(*) > 30000 FROM points_at'), 't|t', 'and what they point at');
my ($uri) = $session->ok(q{SELECT 'at://did:web:' || chance(2016) || '/com.a' || concat_ws('.a', chance(32), chance(32), chance(32),
  chance(32), chance(32), chance(32), chance(32)) || '/' || chance(512)});
$session->ok(q{CREATE TABLE naive (record jsonb); CREATE INDEX naive_uri ON naive (atid.at_uri_or_null(record ->> 'uri'))});
my (undef, $state) = $session->try("INSERT INTO naive VALUES (jsonb_build_object('uri', '$uri'))");
is($state, '54000', 'at_uri_or_null alone would keep a row out');
$session->ok(q{CREATE TABLE naive2 (record jsonb); CREATE INDEX ON naive2 (((record ->> 'uri')::atid.at_uri))});
(undef, $state) = $session->try(q{INSERT INTO naive2 VALUES ('{"uri": "at://"}')});
is($state, '22P02', 'and a cast, too');

$session->ok('TRUNCATE record');
is($session->ok('SELECT count(*) FROM points_at'), '0', 'TRUNCATE empties the narrow table');

# Eight sessions and twenty records.
sub script
{
	my $sql = '';
	foreach (1 .. ($full ? 1000 : 120))
	{
		my @uris = map { sprintf 'at://did:web:u%d.example/app.bsky.feed.like/3lzfcijpj2z2a', rand 20 } 1 .. 1 + rand 3;
		my $subject = sprintf '{"subject": {"uri": "at://did:web:a.example/app.bsky.feed.post/%d"}}', rand 5;
		my %once = map { $_ => 1 } @uris;
		@uris = sort keys %once;    # in one order, to avoid deadlocks
		my $values = join ', ', map { "('$_', '$subject')" } @uris;
		my $in = join ', ', map { "'$_'" } @uris;
		my $kind = int rand 10;
		$sql .=
		  $kind < 3 ? "INSERT INTO record VALUES $values ON CONFLICT DO NOTHING;\n"
		  : $kind < 7 ? "INSERT INTO record VALUES $values ON CONFLICT (uri) DO UPDATE SET record = excluded.record;\n"
		  : $kind < 8 ? "UPDATE record SET record = '$subject' WHERE uri = '$uris[0]';\n"
		  : $kind < 9 ? "DELETE FROM record WHERE uri = '$uris[0]';\n"
		  : "BEGIN; DELETE FROM record WHERE uri = '$uris[0]'; INSERT INTO record VALUES ('$uris[0]', '$subject') ON CONFLICT DO NOTHING; "
		  . (rand() < 0.5 ? 'COMMIT' : 'ROLLBACK') . ";\n";
	}
	return $sql;
}
run_together($node, $db, map { script() } 1 .. 8);
is($session->ok($differs), '0|0', 'eight sessions at once leave nothing missing and nothing stale');
cmp_ok($session->ok('SELECT count(*) FROM points_at'), '>', 0, 'and there are some');

# Changes of the key, and of many at once.
$session->ok(<<'SQL');
INSERT INTO record SELECT format('at://did:web:v%s.example/app.bsky.feed.like/3lzfcijpj2z2a', n)::atid.at_uri,
  jsonb_build_object('subject', 'did:web:a' || n % 100 || '.example') FROM generate_series(1, 3000) AS n;
UPDATE record SET uri = atid.at_uri_make(atid.at_uri_authority(uri), 'app.bsky.feed.repost', '3lzfcijpj2z2b')
WHERE uri <@ 'at://did:web:v7.example'::atid.at_uri;
UPDATE record SET record = '{"subject": "did:web:b.example"}' WHERE atid.at_uri_authority(uri) LIKE 'did:web:v1%';
DELETE FROM record WHERE atid.at_uri_authority(uri) LIKE 'did:web:v2%';
SQL
is($session->ok($differs), '0|0', 'bulk changes, and a change of the key');

#
# A dump.
#
my $dump = "$file.dump";
$node->safe_psql('postgres', 'CREATE DATABASE copy');
$node->command_ok([ 'pg_dump', '-s', '-f', $dump, '-d', $node->connstr($db) ], 'pg_dump');
$node->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-f', $dump, '-d', $node->connstr('copy') ], 'restored');
is( $node->safe_psql('copy', "SELECT count(*) FROM pg_statistic_ext; SELECT count(*) FROM pg_indexes WHERE tablename = 'record'"),
	"2\n3", 'with statistics and indexes');

#
# Partitions.
#
$node->safe_psql('postgres', 'CREATE DATABASE parts');
$node->safe_psql('parts', 'CREATE EXTENSION atid');
my $parts = AtidTest::Session->new($node, 'parts');
(my $partitioned = $first) =~ s/^\);/) PARTITION BY HASH (uri);/m;
$parts->ok($partitioned
	  . 'CREATE TABLE record_0 PARTITION OF record FOR VALUES WITH (MODULUS 2, REMAINDER 0);'
	  . 'CREATE TABLE record_1 PARTITION OF record FOR VALUES WITH (MODULUS 2, REMAINDER 1);'
	  . $second);
my $some = q{SELECT format('at://did:web:u%s.example/app.bsky.feed.like/3lzfcijpj2z2a', n)::atid.at_uri, jsonb '{"subject": "did:web:a.example"}' FROM generate_series(1, 20) AS n};
$parts->ok("INSERT INTO record $some");
is($parts->ok($differs), '0|0', 'an INSERT into the partitioned table');
$parts->ok('TRUNCATE record');
$parts->ok("INSERT INTO record_0 SELECT * FROM ($some) AS s (uri, record) WHERE satisfies_hash_partition('record'::regclass, 2, 0, uri)");
is($parts->ok($differs), $parts->ok('SELECT count(*) FROM record') . '|0', 'one into a partition does not fire the triggers of the table');
$parts->ok(<<'SQL');
TRUNCATE record;
CREATE TRIGGER points_at_insert AFTER INSERT ON record_0
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION keep_points_at();
SQL
$parts->ok("INSERT INTO record_0 SELECT * FROM ($some) AS s (uri, record) WHERE satisfies_hash_partition('record'::regclass, 2, 0, uri)");
is($parts->ok($differs), '0|0', 'but its own');
$parts->ok("INSERT INTO record SELECT * FROM ($some) AS s (uri, record) ON CONFLICT DO NOTHING");
is($parts->ok($differs), '0|0', 'which an INSERT into the table does not fire, too');

#
# Parallel workers, and long calls.
#
my $parallel = 'SELECT count(atid.dag_cbor_get_text(block, path)), sum(cardinality(atid.dag_cbor_ref_uris(block))) FROM tried';
my $alone = $session->ok("SET max_parallel_workers_per_gather = 0; $parallel");
$session->ok('SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0');
like($session->ok("EXPLAIN (COSTS OFF) $parallel"), qr/Gather/, 'a parallel plan');
is($session->ok($parallel), $alone, 'gives the same');

$session->ok(<<'SQL');
CREATE TEMP TABLE large (block bytea);
INSERT INTO large SELECT '\x9a05f5e100'::bytea || decode(repeat('00', 100000000), 'hex');
SQL
foreach my $call ("atid.dag_cbor_get(block, '{-1}')", 'atid.dag_cbor_ref_uris(block)', "atid.dag_cbor_get_text(block, '{1}')")
{
	my ($value, $code) = $session->try("SET statement_timeout = 0; SELECT $call FROM large");
	is($code, '00000', "$call of 100 million items") or next;
	next if $call =~ /{1}/;
	($value, $code) = $session->try("SET statement_timeout = '100ms'; SELECT sum(length(($call)::text)) FROM large, generate_series(1, 50)");
	is($code, '57014', "$call: cancelled");
	swift($session->used, 3, "$call: at once");
}

# The text of a large container can be cancelled at each of its steps.
$session->ok(<<'SQL');
SET statement_timeout = 0;
TRUNCATE large;
INSERT INTO large SELECT '\x9a00989680'::bytea || decode(repeat('0161780263797a7a1a00010000', 2000000), 'hex');
SQL
my $text_of = 'SELECT octet_length(atid.dag_cbor_get_text(block)) FROM large';
foreach my $part (0.2, 0.5, 0.8)
{
	my ($limit, $code, $over);

	# the machine may have been busier with one of them than with the other
	foreach my $attempt (1 .. 3)
	{
		$session->ok("SET statement_timeout = 0; $text_of");
		$limit = $part * $session->took;
		(undef, $code) = $session->try(sprintf "SET statement_timeout = '%d ms'; %s", 1000 * $limit, $text_of);
		$over = $session->took - $limit;
		last if $over < 0.1 + 0.2 * $limit / $part;
	}
	cmp_ok($over, '<', 0.1 + 0.2 * $limit / $part, "the text of a container, cancelled after $part of its time");
}

$session->quit;
$parts->quit;
$node->stop;
done_testing();
