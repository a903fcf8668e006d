# The typed views of indexer/sql/views.sql say what the records say.
#
# Shows that
# - the views of all record types of the published Lexicons are made in one transaction, over blocks and over jsonb,
#   and each property of random valid records in them is that of jsonb, cast; none has lost its comment;
# - no record with broken values makes a query of a view fail, and both sources give the same;
# - names that are the same, too long or no names get names of their own;
# - a view stays, with its dependents, where a Lexicon only gains a property; is made anew where it loses one, unless
#   something depends on it; and goes where its Lexicon has gone;
# - an index of make_view_index serves a column and the expression behind it with one plan, for a role that may read
#   only the views, too.
#
# t/090_drivers.pl has PostGraphile, which serves the views.
#
# The first two are skipped without node and npm; AtidTest::Oracles says how they are found.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/lib";

use AtidTest;
use AtidTest::Oracles;
use JSON::PP ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $records = $ENV{ATID_FULL} ? 10_000 : 1_000;
my $json    = JSON::PP->new->utf8->canonical;
my $node    = new_node('views');
my $db      = new_database($node, 'views');
my $session = AtidTest::Session->new($node, $db);

$session->ok(<<'SQL' . slurp_file("$FindBin::Bin/../indexer/sql/views.sql"));
CREATE TABLE blocks (uri atid.at_uri, cid atid.cid_link, block bytea);
CREATE TABLE jsons (uri atid.at_uri, did atid.did, record jsonb);
CREATE SCHEMA b;
CREATE SCHEMA j;
SQL

$session->ok(<<'SQL');
-- How many rows of a view differ from what its records, as jsonb, say of its columns.
CREATE FUNCTION differ(view regclass) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
  EXECUTE (SELECT format('SELECT count(*) FROM %s AS v JOIN jsons AS s USING (uri) WHERE %s', differ.view,
      string_agg(format(CASE format_type(a.atttypid, NULL)
          WHEN 'jsonb' THEN 'v.%1$I IS DISTINCT FROM s.record #> %2$L'
          WHEN 'bigint' THEN 'v.%1$I IS DISTINCT FROM nullif(s.record #> %2$L, ''null'')::bigint'
          WHEN 'boolean' THEN 'v.%1$I IS DISTINCT FROM nullif(s.record #> %2$L, ''null'')::boolean'
          WHEN 'atid.cid_link' THEN 'v.%1$I IS DISTINCT FROM coalesce(s.record #>> %3$L, s.record #>> %2$L)::atid.cid_link'
          ELSE 'v.%1$I IS DISTINCT FROM (s.record #>> %2$L)::' || format_type(a.atttypid, NULL) END,
        c.name, c.path, c.path || '{$link}'), ' OR '))
    FROM view_column AS c JOIN pg_attribute AS a ON a.attrelid = c.view AND a.attname = c.name
    WHERE c.view = differ.view AND c.path IS NOT NULL) INTO n;
  RETURN n;
END $$;
-- How many rows of two views are not the same.
CREATE FUNCTION differ(one regclass, other regclass) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
  EXECUTE (SELECT format('SELECT count(*) FROM %s AS v JOIN %s AS w USING (uri) WHERE %s', one, other,
      string_agg(format('v.%1$I IS DISTINCT FROM w.%1$I', name), ' OR ')) FROM view_column WHERE view = one) INTO n;
  RETURN n;
END $$;
-- Reads all of a view.
CREATE FUNCTION rows_of(view regclass) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
  EXECUTE format('SELECT count(v::text) FROM %s AS v', view) INTO n;
  RETURN n;
END $$;
SQL

# All types
SKIP:
{
	my ($oracles, $why) = AtidTest::Oracles->new;
	skip $why, 1 unless defined $oracles;
	my $folder = PostgreSQL::Test::Utils::tempdir('views');
	$oracles->ask('views.js', [ AtidTest::Oracles::seed(), $records, $folder ]);

	my $documents = literal(slurp_file("$folder/lexicons.json"));
	$session->ok("CREATE TABLE lexicons AS SELECT CAST($documents AS jsonb)::atid.lexicon AS lexicons");
	$session->ok("BEGIN; SELECT make_views(lexicons, 'blocks', 'b'), make_views(lexicons, 'jsons', 'j') FROM lexicons; COMMIT");
	my $types = $session->ok(q{SELECT count(*) FROM pg_class WHERE relnamespace = 'b'::regnamespace});
	cmp_ok($types, '>=', 20, "a view of each record type: $types");

	foreach my $kind ('valid', 'broken')
	{
		my ($read, $equal) = split /\|/, $session->ok(<<"SQL");
TRUNCATE blocks, jsons;
CREATE TEMP TABLE given (uri text, record json);
COPY given FROM '$folder/$kind.csv' CSV;
INSERT INTO blocks SELECT uri::atid.at_uri, NULL, atid.json_to_dag_cbor(record) FROM given WHERE atid.json_is_valid(record, false);
INSERT INTO jsons SELECT uri::atid.at_uri, atid.at_uri_did(uri::atid.at_uri), record::text::jsonb FROM given WHERE record::text NOT LIKE '%\\u0000%';
DROP TABLE given;
SELECT sum(rows_of(b.oid)) >= (SELECT count(*) FROM blocks) AND sum(rows_of(j.oid)) >= (SELECT count(*) FROM jsons),
       string_agg(b.relname, ' ') FILTER (WHERE differ(b.oid, j.oid) <> 0)
FROM pg_class AS b JOIN pg_class AS j USING (relname)
WHERE b.relnamespace = 'b'::regnamespace AND j.relnamespace = 'j'::regnamespace;
SQL
		is($read, 't', "$kind records: all rows can be read");
		is($equal, '', 'and are the same over blocks and over jsonb');
		is( $session->ok(q{SELECT view FROM (SELECT DISTINCT view FROM view_column) AS v WHERE differ(view) <> 0}),
			'', 'each property is that of jsonb, cast')
		  if $kind eq 'valid';
	}
	is( $session->ok(<<'SQL'), '', 'each description is a comment');
SELECT c.view, c.name FROM view_column AS c JOIN pg_attribute ON attrelid = view AND attname = c.name, lexicons
WHERE cardinality(path) = 1 AND atid.lexicon_document(lexicons, nsid) #>> (ARRAY['defs', 'main', 'record', 'properties'] || path || ARRAY['description'])
      <> coalesce(col_description(attrelid, attnum), '')
SQL
	$session->ok("DROP SCHEMA b, j CASCADE; TRUNCATE view_column, blocks, jsons; CREATE SCHEMA b");
}

# Lexicons of our own

# The views of such record types: their properties by NSID.
sub make
{
	my (%types) = @_;
	my $documents = $json->encode([ map { {
		lexicon => 1, id => $_,
		defs => { main => { type => 'record', key => 'any', record => { type => 'object', properties => $types{$_} } } }
	} } sort keys %types ]);
	return $session->try("SELECT make_views(" . literal($documents) . "::atid.lexicon, 'blocks', 'b')");
}

sub columns
{
	my ($view) = @_;
	return $session->ok("SELECT string_agg(attname, ' ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = to_regclass('b.$view')");
}

my %string = (type => 'string');
my $long = 'x' x 60;
make('a.b.fooBar' => { map { $_ => \%string } 'uri', 'aB', 'a_b', 'a-b', '', '%s', '"', $long, "${long}y" }, 'a.b-c.foobar' => {}, 'a.b.c.foobar' => {});
like(columns('a_b_foo_bar'), qr/^uri did rkey cid field field_2 s a_b a_b_2 a_b_3 uri_2 x{48}_1198000c x{48}_b8224b3e$/, 'names of columns');
is($session->ok(q{SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class WHERE relnamespace = 'b'::regnamespace}),
	'a_b_c_foobar a_b_c_foobar_2 a_b_foo_bar', 'names of views');

make('a.b.c' => { two => \%string });
is(columns('a_b_foo_bar'), '', 'views of types that are gone are gone');
$session->ok('CREATE VIEW upon AS SELECT two FROM b.a_b_c');
make('a.b.c' => { two => \%string, one => \%string });
is(columns('a_b_c'), 'uri did rkey cid two one', 'a new column comes last, and the view stays');
like((make('a.b.c' => { one => \%string }))[2], qr/cannot drop view b.a_b_c because other objects depend on it/, 'a column that is used stays');
is(columns('a_b_c'), 'uri did rkey cid two one', 'with all others');
$session->ok('DROP VIEW upon');
make('a.b.c' => { one => { type => 'integer' } });
is(columns('a_b_c'), 'uri did rkey cid one', 'what nothing depends on is made again');
make('a.b.c' => { one => { type => 'integer' }, at => { type => 'string', format => 'at-uri' } });

# Indexes
$session->ok(<<'SQL');
INSERT INTO blocks SELECT format('at://did:web:a%s.b/a.b.%s/%s', n % 100, CASE WHEN n % 2 = 0 THEN 'c' ELSE 'd' END, n)::atid.at_uri, NULL,
  atid.record_to_dag_cbor(jsonb_build_object('$type', 'a.b.c', 'one', n, 'at', 'at://did:web:x' || n || '.b'))
FROM generate_series(1, 10000) AS n;
SELECT make_view_index('b.a_b_c', 'one'), make_view_index('b.a_b_c', 'at', 'did');
ANALYZE blocks;
CREATE ROLE reader;
GRANT USAGE ON SCHEMA b TO reader;
GRANT SELECT ON b.a_b_c TO reader;
SQL
sub plan_of { return $session->ok("EXPLAIN (COSTS OFF) $_[0]"); }

my $plan = plan_of("SELECT uri FROM b.a_b_c WHERE one = 5000");
like($plan, qr/Index.*a_b_c_one/, 'an index serves a column');
is($plan, plan_of(<<'SQL'), 'as it serves the expression');
SELECT uri FROM blocks AS s WHERE atid.at_uri_collection(uri) = 'a.b.c' AND
jsonb_path_query_first(atid.dag_cbor_get(block, '{one}'), 'strict $ ? (@ >= -9223372036854775808 && @ <= 9223372036854775807 && @.floor() == @)')::bigint = 5000
SQL
$session->ok('SET ROLE reader');
like(plan_of("SELECT uri FROM b.a_b_c WHERE at = 'at://did:web:x5000.b' AND did = 'did:web:a0.b'"), qr/Index.*a_b_c_at_did/, 'for a role that may read the view only');
is($session->ok("SELECT one FROM b.a_b_c WHERE at = 'at://did:web:x5000.b'"), '5000', 'it finds the record');
is(($session->try('SELECT FROM blocks'))[1], '42501', 'it may not read the source');
$session->ok('RESET ROLE');

# Values of other types, and a URI that no b-tree can hold
make('a.b.e' => { one => { type => 'integer' }, at => { type => 'string', format => 'at-uri' }, to => { type => 'cid-link' } });
$session->ok("SELECT make_view_index('b.a_b_e', 'at')");
is($session->ok(<<'SQL'), '0|0|0', 'a value of another type is NULL, and a long URI does not stop an INSERT');
INSERT INTO blocks SELECT 'at://did:web:a.b/a.b.e/x', NULL, atid.record_to_dag_cbor(jsonb_build_object('one', '[7, 8]'::jsonb,
  'to', 'bafkreiccldh766hwcnuxnf2wh6jgzepf2nlu2lvcllt63eww5p6chi4ity',
  'at', 'at://did:web:' || left(h, 2040) || '/a.b.c/' || right(h, 512)))
FROM (SELECT string_agg(md5(n::text), '') AS h FROM generate_series(1, 100) AS n) AS h;
SELECT count(one), count(at), count("to") FROM b.a_b_e;
SQL

$session->quit;
$node->stop;
done_testing();
