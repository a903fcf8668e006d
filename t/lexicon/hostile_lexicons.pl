# Lexicons: hostile ones, the cache of their programs, other encodings, and ways in and out.
#
# Shows that
# - a lexicon of a million definitions, properties, documents or references, of 100 MB in 1,000 documents, or
#   nested deep, is read, compiled, pruned and put together, or refused softly, in ten times the memory of its text;
# - a cancel ends such a call long before it would finish;
# - a block with a fault takes no longer for being nested deep;
# - a value that reuses the ID of a vacuumed value has its own program;
# - programs are kept within a bound; one that a call site uses outlives its place in the cache, also in a cursor;
#   one that is larger than the cache is freed with its statement;
# - calls give their memory back;
# - in a database of another encoding a lexicon has the same value and an ASCII text, and a value that jsonb cannot
#   express there causes an error;
# - binary COPY, parallel workers, and a dump and its restore take lexicons.
#
# With script/test --full each kind of hostile lexicon is tried; otherwise three kinds, a quarter as large.
#
# Tags: minutes

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Memory;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('lexicons', ready => 1, conf => "shared_buffers = 16MB\nwork_mem = 4MB\n");
$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN');
my $db = new_database($node, 'lexicons');
my $s  = AtidTest::Session->new($node, $db);

my $small = q{CREATE FUNCTION small(id text, more text DEFAULT '') RETURNS text LANGUAGE sql IMMUTABLE AS
$$SELECT format('{"lexicon":1,"id":"%s","defs":{"main":{"type":"token"}%s}}', id, more)$$};

#
# Hostile lexicons: each is measured in a session of its own, as input, compiled, pruned, doubled, and as text.
#
my ($million, $half, $hundred) = whole() ? (1000000, 500000, 2500) : (250000, 125000, 600);
$s->ok("$small;\n" . <<"SQL");
CREATE TABLE hostile (what text, t text, l atid.lexicon);
ALTER TABLE hostile ALTER t SET STORAGE external, ALTER l SET STORAGE external;
CREATE FUNCTION listed(form text, many int) RETURNS text LANGUAGE sql AS
\$\$ SELECT string_agg(format(form, n, n % many + 1), ',') FROM generate_series(1, many) n \$\$;
INSERT INTO hostile (what, t) VALUES
  ('definitions', small('a.b.c', ',' || listed('"d%s":{"type":"token"}', $million))),
  ('ring', small('a.b.c', ',' || listed('"d%s":{"type":"array","items":{"type":"ref","ref":"#d%s"}}', $half))),
  ('properties', small('a.b.c', ',"d1":{"type":"object","properties":{' || listed('"p%s":{"type":"boolean"}', $million) || '}}')),
  ('members', small('a.b.c', ',"d1":{"type":"array","items":{"type":"union","refs":[' || listed('"x.y.z#d%s"', $half) || ']}}')),
  ('enum', small('a.b.c', ',"d1":{"type":"string","enum":[' || listed('"e%s"', $million) || ']}')),
  ('documents', '[' || small('a.b.c', ',"d1":{"type":"token"}') || ',' || listed('{"lexicon":1,"id":"a.b.c%s","defs":{"main":{"type":"token"}}}', $half) || ']'),
  ('the same document', '[' || listed('{"lexicon":1,"id":"a.b.c","defs":{"d1":{"type":"token"}}}', $half) || ']'),
  ('1,000 documents', '[' || small('a.b.c', ',"d1":{"type":"array","items":{"type":"ref","ref":"a.b.c1"}}') || ',' || (SELECT string_agg(format('{"lexicon":1,"id":"a.b.c%s","defs":{"main":{"type":"object","properties":{%s}}}}', n,
     (SELECT string_agg(format('"p%s":{"type":"ref","ref":"a.b.c%s"}', i, n * i % 1000 + 1), ',') FROM generate_series(1, $hundred) i)), ',') FROM generate_series(1, 1000) n) || ']');
SQL
$s->quit;

foreach my $what ('definitions', 'members', '1,000 documents', whole() ? ('ring', 'properties', 'enum', 'documents', 'the same document') : ())
{
	my $where = "FROM hostile WHERE what = '$what'";
	$s = AtidTest::Session->new($node, $db);
	my $mb = $s->ok("SELECT ceil(length(t) / 1048576.0) $where");
	$s->ok('SELECT atid.lexicon_missing(small(\'a.b.c\')::atid.lexicon)');
	my @steps = (
		[ input   => "UPDATE hostile SET l = t::atid.lexicon WHERE what = '$what'", qr/^$/ ],
		[ compile => "SELECT cardinality(atid.lexicon_missing(l)) $where", $what eq 'members' ? qr/^$half$/ : qr/^0$/ ],
		[ only    => "SELECT atid.lexicon_only(l, '{a.b.c#d1}') IS NOT NULL $where", qr/^t$/ ],
		[ double  => "SELECT l || l = l $where",                qr/^t$/ ],
		[ text    => "SELECT length(l::text) BETWEEN 50 AND length(t) $where", qr/^t$/ ]);
	foreach my $step (@steps)
	{
		my ($name, $sql, $answer) = @$step;
		my ($out, $state, $err, $grown) = measured($s, $sql);
		is($state, '00000', "$what, $name: done") or diag($err);
		like($out, $answer, "$what, $name: the answer");
		cmp_ok($grown || 0, '<', 10 * $mb + 16, sprintf '%s, %s: %.0f MB for %d MB', $what, $name, $grown || 0, $mb);
	}
	$s->quit;
}

$s = AtidTest::Session->new($node, $db);
foreach my $deep ([ 'arrays', '[', ']' ], [ 'objects', '{"a":', '}' ])
{
	my ($kind, $open, $close) = @$deep;
	outcome($s, "a million $kind", "SELECT (repeat('$open', 1000000))::atid.lexicon", '54000', qr/nested at most 512 deep/, 64);
	outcome($s, "a schema of 600 $kind of arrays",
		q{SELECT small('a.b.c', ',"d":' || repeat('{"type":"array","items":', 600) || '1' || repeat('}', 600))::atid.lexicon},
		'54000', qr/nested at most 512 deep/, 16);
}
outcome($s, 'a schema of 500 arrays',
	q{SELECT length(small('a.b.c', ',"d":' || repeat('{"type":"array","items":', 500) || '{"type":"integer"}' || repeat('}', 500))::atid.lexicon::text) > 12000},
	'00000', qr/^t$/, 16);

#
# A cancel at a quarter of the time that a statement takes ends it before half of that time.
#
foreach my $case (
	[ 'input',   q{SELECT t::atid.lexicon IS NULL FROM hostile WHERE what = 'documents'} ],
	[ 'compile', q{SELECT atid.lexicon_missing(l) FROM hostile WHERE what = '1,000 documents'} ],
	[ 'only',    q{SELECT atid.lexicon_only(l, '{a.b.c#d1}') IS NULL FROM hostile WHERE what = '1,000 documents'} ],
	[ 'double',  q{SELECT l || l = l FROM hostile WHERE what = 'definitions'} ],
	[ 'text',    q{SELECT length(l::text) FROM hostile WHERE what = 'definitions'} ])
{
	my ($name, $sql) = @$case;
	my ($whole, $state, $took);

	# the machine may have been busier with one of them than with the other
	foreach my $attempt (1 .. 3)
	{
		$s->ok($sql);
		$whole = $s->took;
		$s->ok(sprintf 'SET statement_timeout = %d', 1 + $whole * 250);
		(undef, $state) = $s->try($sql);
		$took = $s->took;
		$s->ok('SET statement_timeout = 0');
		last if $state eq '57014' && $took < $whole / 2;
	}
	is($state, '57014', "$name: cancelled");
	cmp_ok($took, '<', $whole / 2, sprintf '%s: ends after %.2f s of %.2f s', $name, $took, $whole);
}
$s->quit;

#
# A block with a fault, which the search for the "$type" of each of 500 maps around it comes to.
#
$s = AtidTest::Session->new($node, $db);
$s->ok(<<'SQL');
CREATE TABLE cut AS
SELECT '{"lexicon":1,"id":"a.b.c","defs":{"main":{"type":"record","key":"any","record":{"type":"object","properties":{"inner":{"type":"ref","ref":"#o"}}}},
  "o":{"type":"object","properties":{"o":{"type":"ref","ref":"#o"}}}}}'::atid.lexicon AS l,
  atid.record_to_dag_cbor(('{"$type":"a.b.c","inner-":0,"inner":' || repeat('{"o":', 500) || '{"a":[' ||
    (SELECT string_agg('1', ',') FROM generate_series(1, 3000000)) || ',"this text is cut"]}' || repeat('}', 501))::jsonb) AS block;
SQL
is($s->ok('SELECT atid.dag_cbor_conforms(block, l) FROM cut'), 't', 'a deep block: its verdict');
my $whole = $s->used;
is($s->ok('SELECT atid.dag_cbor_conforms(substr(block, 1, length(block) - 9), l) FROM cut'), 'f', 'and where it was cut');
swift($s->used, 0.2 + 10 * $whole, sprintf 'takes not %.2f s', 100 * $whole);
$s->quit;

#
# The cache: 400 lexicons whose programs do not all fit into it at the same time.
#
$s = AtidTest::Session->new($node, $db);
$s->ok(<<'SQL');
CREATE TABLE many AS
SELECT n, small('a.b.c' || n, ',"d":{"type":"object","properties":{' ||
  (SELECT string_agg(format('"p%s":{"type":"ref","ref":"x.y.z%s"}', i, n), ',') FROM generate_series(1, 1000) i) || '}}')::atid.lexicon AS l
FROM generate_series(1, 400) n;
CREATE FUNCTION right_for(n int, l atid.lexicon) RETURNS bool LANGUAGE plpgsql AS
$$BEGIN RETURN atid.lexicon_missing(l) = ARRAY['x.y.z' || n]; END$$;
SELECT atid.lexicon_missing(small('a.b.c')::atid.lexicon);
SQL
my $all = 'SELECT count(*) FROM many WHERE right_for(n, l)';
outcome($s, 'programs in turn', $all, '00000', qr/^400$/, 28);
my (undef, undef, undef, $again) = measured($s, join ';', ($all) x 5);
cmp_ok($again || 0, '<', 8, sprintf 'five times more: the cache is bounded (%.1f MB)', $again || 0);
is($s->ok('SELECT count(*) FROM many a, many b WHERE a.n <= 20 AND b.n <= 50 AND atid.lexicon_missing(a.l) <> atid.lexicon_missing(b.l)'),
	'980', 'two call sites that take turns');

# A call site that gets values in turn: two that are stored out of line and one that is not.
$s->ok(q{CREATE TABLE stored AS SELECT n, l FROM many WHERE n <= 2 UNION ALL SELECT 3, small('a.b.c', ',"d":{"type":"array","items":{"type":"ref","ref":"x.y.z3"}}')::atid.lexicon});
is($s->ok(q{SELECT string_agg((atid.lexicon_missing((SELECT l FROM stored s WHERE s.n = u.n)))[1], ' ' ORDER BY i)
	FROM unnest('{1,1,3,1,2,3,2,2,1}'::int[]) WITH ORDINALITY u (n, i)}),
	'x.y.z1 x.y.z1 x.y.z3 x.y.z1 x.y.z2 x.y.z3 x.y.z2 x.y.z2 x.y.z1', 'stored values and others in turn');
like($s->ok(q{EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF) SELECT atid.record_conforms('{}', l) FROM stored, generate_series(1, 1000) WHERE n = 1}),
	qr/\A.*\n *Buffers: shared hit=\d{1,3}\b/, 'a stored value is fetched once');

# A value that was vacuumed away between two statements of a transaction, and another one with its ID. A call site of
# PL/pgSQL lives as long as the transaction. The session has no snapshot in between, but its next one has the same
# xmin, because of a transaction in another database. A library sets the counter of IDs, which otherwise comes round
# after 4 billion.
SKIP:
{
	my $folder = PostgreSQL::Test::Utils::tempdir('counter');
	append_to_file("$folder/counter.c", <<'C');
#include "postgres.h"
#include "access/transam.h"
#include "fmgr.h"
#include "storage/lwlock.h"
#if PG_VERSION_NUM < 170000
#define TransamVariables ShmemVariableCache
#endif
PG_MODULE_MAGIC;
PG_FUNCTION_INFO_V1(set_next_id);
Datum
set_next_id(PG_FUNCTION_ARGS)
{
	LWLockAcquire(OidGenLock, LW_EXCLUSIVE);
	TransamVariables->nextOid = PG_GETARG_OID(0);
	TransamVariables->oidCount = 0;
	LWLockRelease(OidGenLock);
	PG_RETURN_VOID();
}
C
	my ($headers) = run_command([ 'pg_config', '--includedir-server' ]);
	system($ENV{CC} || 'cc', qw(-O1 -shared -fPIC -I), $headers, '-o', "$folder/counter.so", "$folder/counter.c");
	skip 'no compiler or headers for the library that sets the counter', 2 unless -e "$folder/counter.so";
	my $elsewhere = AtidTest::Session->new($node, 'postgres');
	my $writer    = AtidTest::Session->new($node, $db);
	$writer->ok("CREATE FUNCTION set_next_id(oid) RETURNS void LANGUAGE c STRICT AS '$folder/counter'");
	$writer->ok(<<'SQL');
CREATE FUNCTION limited(n int) RETURNS atid.lexicon LANGUAGE sql AS
$$ SELECT jsonb_build_object('lexicon', 1, 'id', 'a.b.c', 'description', repeat('x', 5000), 'defs', jsonb_build_object('main', jsonb_build_object(
  'type', 'record', 'key', 'any', 'record', jsonb_build_object('type', 'object', 'properties', jsonb_build_object(
    't', jsonb_build_object('type', 'string', 'maxLength', n))))))::atid.lexicon $$;
CREATE FUNCTION conforms(r jsonb, l atid.lexicon) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN RETURN atid.record_conforms(r, l); END $$;
CREATE TABLE reused (l atid.lexicon);
ALTER TABLE reused ALTER l SET STORAGE external;
INSERT INTO reused SELECT limited(10);
SQL
	my $chunks = 'pg_toast.pg_toast_' . $writer->ok(q{SELECT 'reused'::regclass::oid});
	my $asked  = q{SELECT conforms(r, l), atid.record_conforms(r, l) FROM reused, CAST('{"$type": "a.b.c", "t": "fifteen letters"}' AS jsonb) r};
	$elsewhere->ok('BEGIN; SELECT txid_current()');
	is($s->ok("BEGIN; $asked"), 'f|f', 'a value that is vacuumed away later');
	my $id = $writer->ok("SELECT min(chunk_id) FROM $chunks");
	$writer->ok('DELETE FROM reused');
	$writer->ok('VACUUM reused');
	$writer->ok("SELECT set_next_id($id)");
	$writer->ok('INSERT INTO reused SELECT limited(20)');
	is($s->ok($asked) . $writer->ok(" SELECT min(chunk_id) = $id FROM $chunks"), 't|tt', 'another one with its ID has its own verdict');
	$s->ok('COMMIT');
	$_->quit foreach $writer, $elsewhere;
}

# A cursor's call site has its program, while all others are loaded and evicted.
my $programs = q{SELECT count(*) FROM pg_backend_memory_contexts WHERE name = 'atid lexicon'};
my $kept = q{SELECT sum(total_bytes) <= 16 * 1048576 FROM pg_backend_memory_contexts WHERE name = 'atid lexicon'};
$s->ok('BEGIN; DECLARE pinned CURSOR FOR SELECT atid.lexicon_missing(l) FROM many, generate_series(1, 3) WHERE n = 7; FETCH pinned');
is($s->ok($all), '400', 'all others, below a cursor');
is($s->ok('FETCH pinned'), '{x.y.z7}', 'a program that the cache has dropped');
my $with = $s->ok($programs);
$s->ok('SAVEPOINT a; CLOSE pinned; ROLLBACK TO a; COMMIT');
my $without = $s->ok($programs);
is($with - $without, 1, 'it goes with the cursor');
is($s->ok($kept), 't', 'all others are within the bound');

# Beyond the cache: for the statement only. Memory left by an error in the middle is freed, too.
$s->ok(q{CREATE TABLE beyond AS SELECT small('a.b.c', ',' || listed('"d%s":{"type":"token"}', 200000))::atid.lexicon AS l});
$s->ok('SELECT atid.lexicon_missing(l) FROM beyond') foreach 1 .. 2;
is($s->ok($programs), $without, 'a program beyond the cache goes with its statement');
$s->ok('CREATE CAST (bytea AS atid.lexicon) WITHOUT FUNCTION');
foreach my $fails (
	q{atid.lexicon_only(l, '{a.b.c#nothing}')}, q{atid.lexicon_missing(l), 1 / length(left(l::text, 0))},
	q{atid.lexicon_missing(('\x01000000' || sha256('') || atid.lexicon_send(l))::atid.lexicon)})
{
	my (undef, $state) = $s->try("SELECT $fails FROM beyond");
	isnt($state, '00000', "$fails: fails");
	is($s->ok($programs), $without, 'and so it does then');
}
is($s->ok('SELECT l = (SELECT l FROM beyond) FROM (SELECT atid.lexicon_only(l, ARRAY(SELECT \'a.b.c#d\' || n FROM generate_series(1, 200000) n) || \'{a.b.c}\') FROM beyond) b (l)'),
	't', 'and comes again');
$s->quit;

#
# Memory is given back.
#
$s = AtidTest::Session->new($node, $db);
$s->ok('CREATE TABLE set AS SELECT l, l::jsonb AS j, l::text AS t FROM many WHERE n = 1');
foreach my $call ('length(t::atid.lexicon::text)', 'length(atid.lexicon_problem(j || \'{"id": "x"}\'))', 'atid.lexicon_is_valid(j)::int',
	'pg_column_size(j::atid.lexicon::jsonb)', 'cardinality(atid.lexicon_nsids(l || l))', 'cardinality(atid.lexicon_missing(l))',
	'pg_column_size(atid.lexicon_only(l, \'{a.b.c1#d}\'))', 'pg_column_size(atid.lexicon_document(l, \'a.b.c1\'))',
	'(l = l)::int + atid.lexicon_hash(l)', 'length(atid.lexicon_send(l))')
{
	foreach my $sql (
		"SELECT sum(($call)::bigint) FROM set, generate_series(1, %d)",
		"DO \$\$DECLARE l atid.lexicon; j jsonb; t text; n bigint := 0; BEGIN SELECT s.l, s.j, s.t INTO l, j, t FROM set s; FOR i IN 1..%d LOOP n := n + $call; END LOOP; END\$\$")
	{
		$s->ok(sprintf $sql, 30);
		my (undef, $state, $err, $grown) = measured($s, sprintf $sql, 100);
		is($state, '00000', $call) or diag($err);
		cmp_ok($grown || 0, '<', 3, sprintf '%s, 100 times: memory comes back (%.1f MB)', $call, $grown || 0);
	}
}

#
# Parallel workers: a lexicon in a table, and as a constant. Binary COPY.
#
$s->ok('SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2; ANALYZE many');
my $constant = literal($s->ok('SELECT t FROM set'));
foreach my $query ("SELECT count(*) FROM many WHERE atid.lexicon_missing(l) <> atid.lexicon_missing($constant)",
	"SELECT sum(cardinality(atid.lexicon_nsids(l || $constant))) - 400 FROM many")
{
	like($s->ok("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) $query"), qr/Workers Launched: [12]/, 'workers run the functions');
	is($s->ok($query), '399', 'and the answer is right');
}
my $copied = PostgreSQL::Test::Utils::tempdir('copy') . '/lexicons';
$s->ok("COPY many TO '$copied' WITH (FORMAT binary); CREATE TABLE copied (LIKE many); COPY copied FROM '$copied' WITH (FORMAT binary)");
is($s->ok('SELECT count(*) FROM (TABLE many EXCEPT TABLE copied) d'), '0', 'binary COPY: out and in again');
foreach my $bad ([ '{', 'A JSON text must follow the grammar of JSON.' ], [ "\xff", 'A text must be valid UTF-8.' ], [ '{"id": "a.b.c"}', 'In a.b.c, $: ' ], [ "[]\0", 'A text must be valid UTF-8.' ])
{
	my ($bytes, $why) = @$bad;
	my $hex = unpack 'H*', $bytes;
	$s->ok("COPY (SELECT 1, decode('$hex', 'hex')) TO '$copied' WITH (FORMAT binary)");
	my (undef, $state, $err) = $s->try("COPY copied FROM '$copied' WITH (FORMAT binary)");
	is($state, '22P03', "binary COPY: $hex is refused");
	like($err, qr/invalid binary representation for type atid\.lexicon\nDETAIL:  .*\Q$why\E/, "binary COPY: $hex, with the reason");
}
$s->quit;

#
# Other encodings: the value is the same, and its text is ASCII.
#
my %in;
foreach my $encoding (qw(UTF8 LATIN1 EUC_JP SQL_ASCII))
{
	my $name = lc "in_$encoding";
	$node->safe_psql('postgres', "CREATE DATABASE $name TEMPLATE template0 ENCODING '$encoding' LC_COLLATE 'C' LC_CTYPE 'C'");
	$node->safe_psql($name, 'CREATE EXTENSION atid');
	$in{$encoding} = AtidTest::Session->new($node, $name);
	$in{$encoding}->ok(q{SET client_encoding = 'UTF8'});
}
# by escapes: characters that only UTF-8 has, and an order of keys that conversion changes
my $escaped = '{"lexicon":1,"id":"a.b.c","defs":{"main":{"type":"string","const":"\u00e9\u6f22\ud83d\ude00"}},"\u00e9\u00e9":1,"zzz":2,"zzzz":3}';
my $latin   = '{"lexicon":1,"id":"a.b.c","defs":{"main":{"type":"string","const":"é"}},"éé":1,"zzz":2,"zzzz":3}';
my $kanji   = '{"lexicon":1,"id":"a.b.c","defs":{"main":{"type":"string","const":"漢字"}}}';
my $sent    = sub { $in{ $_[0] }->ok("SELECT sha256(atid.lexicon_send(" . literal($_[1]) . '::atid.lexicon))') };
foreach my $case ([ 'escapes', $escaped, qw(LATIN1 EUC_JP SQL_ASCII) ], [ 'Latin', $latin, qw(LATIN1 SQL_ASCII) ], [ 'kanji', $kanji, qw(EUC_JP SQL_ASCII) ])
{
	my ($name, $text, @encodings) = @$case;
	foreach my $encoding (@encodings)
	{
		my $value = literal($text) . '::atid.lexicon';
		is($sent->($encoding, $text), $sent->('UTF8', $text), "$encoding, $name: the same value");
		is($in{$encoding}->ok("SELECT $value\::text::atid.lexicon = $value"), 't', "$encoding, $name: the text is read back");
		is($in{$encoding}->ok("SELECT octet_length($value\::text) = length($value\::text)"), 't', "$encoding, $name: the text is ASCII")
		  unless $encoding eq 'SQL_ASCII';
	}
}
is($in{LATIN1}->ok('SELECT ' . literal($latin) . '::jsonb::atid.lexicon = ' . literal($latin) . '::atid.lexicon'), 't', 'LATIN1: the same from jsonb');
is($in{LATIN1}->ok('SELECT ' . literal($latin) . '::atid.lexicon::jsonb = ' . literal($latin) . '::jsonb'), 't', 'LATIN1: and as jsonb');
my (undef, $state, $err) = $in{LATIN1}->try('SELECT ' . literal($escaped) . '::atid.lexicon::jsonb');
is($state, '22P05', 'LATIN1: no jsonb of what the encoding does not have');
like($err, qr/has no equivalent in encoding "LATIN1"/, 'LATIN1: and it says so');
$in{SQL_ASCII}->ok('RESET client_encoding');
(undef, $state, $err) = $in{SQL_ASCII}->try(q{SELECT E'{"\xe9": 1}'::atid.lexicon});
is($state, '22P02', 'SQL_ASCII: bytes that are not UTF-8 are refused');
like($err, qr/DETAIL:  \$: A text must be valid UTF-8\./, 'SQL_ASCII: and it says so');
like(
	$in{LATIN1}->ok(q{SELECT atid.lexicon_problem('{"lexicon": 1, "id": "a.b.c", "defs": {"é": {"type": "x"}}}')}),
	qr/^In a\.b\.c, \$\.defs\["é"\]\.type: /,
	'LATIN1: the path of a problem');
my $named = q{E'{"lexicon":1,"id":"a.b.c","defs":{"n\\u00e9":{"type":"array","items":{"type":"ref","ref":"x.y.z#\\u00e9"}}}}'::atid.lexicon};
is($in{$_}->ok("SELECT atid.lexicon_missing($named)"), '{x.y.z#é}', "$_: names in the encoding of the database") foreach qw(UTF8 LATIN1 EUC_JP);
is($in{$_}->ok("SELECT atid.lexicon_only($named, '{a.b.c#né}') = $named"), 't', "$_: they are found") foreach qw(UTF8 LATIN1 EUC_JP);
$_->quit foreach values %in;

#
# Dump and restore, by the owner.
#
$node->safe_psql('postgres', 'CREATE DATABASE source OWNER owner; CREATE DATABASE target OWNER owner');
my @as = ('-U', 'owner');
$node->safe_psql('source', "CREATE EXTENSION atid; $small;\n" . <<'SQL', extra_params => \@as);
CREATE TABLE lexicon (nsid text PRIMARY KEY, l atid.lexicon NOT NULL, "all" atid.lexicon[], CHECK (nsid = ANY (atid.lexicon_nsids(l))));
CREATE INDEX ON lexicon USING hash (l);
INSERT INTO lexicon SELECT 'a.b.c' || n, small('a.b.c' || n)::atid.lexicon, ARRAY[small('x.y.z', ',"d":{"type":"string","const":"é\u0000\""}')::atid.lexicon, '[]'] FROM generate_series(1, 100) n;
CREATE VIEW one AS SELECT atid.lexicon_agg(l) AS l FROM lexicon;
CREATE MATERIALIZED VIEW known AS SELECT l || '{"lexicon": 1, "id": "o.p.q", "defs": {"main": {"type": "token"}}}' AS l FROM one;
CREATE DOMAIN kind AS text CHECK (VALUE = ANY (atid.lexicon_nsids('{"lexicon": 1, "id": "a.b.c", "defs": {"main": {"type": "string", "const": "it''s \\é"}}}')));
CREATE TABLE kinds (kind kind, l atid.lexicon DEFAULT '[]', n int GENERATED ALWAYS AS (cardinality(atid.lexicon_nsids(l))) STORED);
INSERT INTO kinds VALUES ('a.b.c');
SQL
my $file     = PostgreSQL::Test::Utils::tempdir('dump') . '/archive';
my $contents = q{SELECT md5(string_agg(r::text, '' ORDER BY nsid)), (SELECT md5(l::text) FROM known), (SELECT md5(l::text) FROM one), (SELECT string_agg(k::text, ',') FROM kinds k), pg_get_constraintdef((SELECT oid FROM pg_constraint WHERE contypid = 'kind'::regtype)) FROM lexicon r};
foreach my $command (
	[ 'pg_dump', @as, '-Fc', '-f', $file, '-d', $node->connstr('source') ],
	[ 'pg_restore', @as, '--exit-on-error', '--single-transaction', '-d', $node->connstr('target'), $file ])
{
	my ($out, $messages) = run_command($command);
	is($messages, '', "$command->[0] by the owner, without a message");
}
is($node->safe_psql('target', $contents), $node->safe_psql('source', $contents), 'restored: the same contents');
is($node->safe_psql('target', q{SET enable_seqscan = off; SELECT nsid FROM lexicon WHERE l = small('a.b.c7')::atid.lexicon}), 'a.b.c7', 'restored: found by the index');

$node->stop;
done_testing();
