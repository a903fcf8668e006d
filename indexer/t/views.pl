# The typed views of indexer/sql/views.sql show the contents of the records.
#
# Shows that
# - the views of all record types of the published Lexicons are made in one transaction, over blocks and over jsonb, and
#   each property of random valid records in them is that of jsonb, cast; no comment is lost;
# - no record with broken values makes a query of a view fail, and both sources give the same result;
# - no value that a stranger writes to any property makes an INSERT, the creation of an index, a search or a query by
#   any column fail, and each index finds the honest record next to it; packed blocks give the same results;
# - names that are equal, too long or invalid are replaced by unique names, and keep these when others are added;
# - an index can be made by commands that do not block writers;
# - a view stays, with its dependents, where a Lexicon only gains a property; it is made again where the Lexicon loses
#   one, with its search and with views and functions that depend on it, as they were; nothing changes where one of
#   these needs the dropped column; and a view is dropped with its indexes where its Lexicon was deleted;
# - an index of make_view_index serves a column and the expression behind it with one plan, for a role that may read
#   only the views, too; it is made again if its expression or the source has changed;
# - descriptions in Lexicons give GraphQL engines no instructions; keys and joins do; and a second record of a type that
#   allows only one duplicates no row;
# - over the tables of the indexer: the accounts, addresses of blobs, records hidden by labels, joins found from the
#   references.
#
# t/operation/clients.pl tests PostGraphile, which serves the views.
#
# The first two are skipped without node and npm; AtidTest::Oracles documents how they are found. The last is skipped
# without atid_crypto.
#
# Tags: long node crypto

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

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

$session->ok(<<'SQL' . sql_text('views.sql'));
CREATE TABLE blocks (uri atid.at_uri, cid atid.cid_link, block bytea, indexed timestamptz NOT NULL DEFAULT now());
CREATE TABLE jsons (uri atid.at_uri, did atid.did, record jsonb);
CREATE SCHEMA b;
CREATE SCHEMA j;
SQL
is($session->ok(q{SELECT string_agg(proname, ', ') FROM pg_proc WHERE pronamespace = 'public'::regnamespace
	AND prosqlbody IS NULL AND (proconfig[1] = 'search_path=' || current_setting('search_path')) IS NOT TRUE}), '', 'each function keeps its search_path');

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
    WHERE c.view = differ.view AND c.kind = 'property') INTO n;
  RETURN n;
END $$;
-- How many rows of two views are not the same.
CREATE FUNCTION differ(one regclass, other regclass) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
  EXECUTE (SELECT format('SELECT count(*) FROM %s AS v JOIN %s AS w USING (uri) WHERE %s', one, other,
      string_agg(format('v.%1$I IS DISTINCT FROM w.%1$I', name), ' OR ')) FROM view_column
    WHERE view = one AND (kind = 'property' OR name = 'conforms')) INTO n;
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
		is($equal, '', '... and are the same over blocks and over jsonb');
		is( $session->ok(q{SELECT view FROM (SELECT DISTINCT view FROM view_column) AS v WHERE differ(view) <> 0}),
			'', 'each property is that of jsonb, cast')
		  if $kind eq 'valid';
	}
	is( $session->ok(<<'SQL'), '', 'each description is a comment');
SELECT c.view, c.name FROM view_column AS c JOIN view_type AS t USING (view) JOIN pg_attribute ON attrelid = view AND attname = c.name, lexicons AS l
WHERE cardinality(path) = 1 AND atid.lexicon_document(l.lexicons, nsid) #>> (ARRAY['defs', 'main', 'record', 'properties'] || path || ARRAY['description'])
      <> coalesce(col_description(attrelid, attnum), '')
SQL
	my $shared = literal('[' . join(',', map { slurp_file($_) } glob "$FindBin::Bin/../../indexer/lexicons/{app,com}.*.json") . ']');
	is( $session->ok("SELECT string_agg(n, ' ') FROM lexicons AS l, CAST($shared AS atid.lexicon) AS s, unnest(atid.lexicon_nsids(s)) AS n
		WHERE (atid.lexicon_document(l.lexicons, n) \@> atid.lexicon_document(s, n)) IS NOT TRUE"),
		'', 'the Lexicons of the package are the published ones without their descriptions');
	$session->ok("DROP SCHEMA b, j CASCADE; TRUNCATE blocks, jsons; CREATE SCHEMA b; CREATE SCHEMA j");
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
like(columns('a_b_foo_bar'), qr/^uri did rkey cid sort_at conforms field field_2 s a_b a_b_2 a_b_3 uri_2 x{48}_1198000c x{48}_b8224b3e$/, 'names of columns');
is($session->ok(q{SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class WHERE relnamespace = 'b'::regnamespace}),
	'a_b_c_foobar a_b_c_foobar_2 a_b_foo_bar', 'names of views');
make('a.b.fooBar' => { aB => \%string, 'a-a' => \%string, 'a_A' => \%string }, 'a.b.foo.bar' => { here => \%string });
like(columns('a_b_foo_bar'), qr/ a_b_2 a_a a_a_2$/, 'a property that stays keeps its name');
like(columns('a_b_foo_bar_2'), qr/ here$/, '... and so does a type');

make('a.b.c' => { two => \%string });
is(columns('a_b_foo_bar'), '', 'views of types that were deleted are dropped');
$session->ok('CREATE VIEW upon AS SELECT two FROM b.a_b_c');
make('a.b.c' => { two => \%string, one => \%string });
is(columns('a_b_c'), 'uri did rkey cid sort_at conforms two one', 'a new column comes last, and the view stays');
$session->ok('CREATE FUNCTION b.over(b.a_b_c) RETURNS text LANGUAGE sql AS $$SELECT $1.one$$');
my $refused = (make('a.b.c' => { one => \%string }))[2];
like($refused, qr/VIEW public\.upon cannot be created again as it was.*(?:column a_b_c\.two|column "two") does not exist/s, 'a column that is used stays');
like($refused, qr/HINT:  Drop it, repeat the command, and create it again/, '... and the HINT says what to do');
is(columns('a_b_c'), 'uri did rkey cid sort_at conforms two one', 'with all others');
$session->ok('DROP VIEW upon; CREATE VIEW renamed AS SELECT o FROM b.a_b_c AS v (a, b, c, d, e, f, t, o)');
$refused = (make('a.b.c' => { one => \%string, three => \%string }))[2];
like($refused, qr/VIEW public\.renamed cannot be created again as it was\nDETAIL:  it names columns of b\.a_b_c by their positions: /, 'a view that names columns by their positions stays');
is(columns('a_b_c'), 'uri did rkey cid sort_at conforms two one', '... with all others');
# the list of columns that the server writes after a search is left out; what looks like it is not
$session->ok(<<'SQL');
DROP VIEW renamed;
CREATE TABLE copies (one text, two text, conforms text, sort_at text, cid text, rkey text, did text, uri text);
CREATE FUNCTION fourth() RETURNS void LANGUAGE sql BEGIN ATOMIC
  INSERT INTO copies (uri, did, rkey, cid, sort_at, conforms, two, one)
  SELECT uri::text, did::text, '', '', '', '(uri, did, rkey, cid, sort_at, conforms, two, one)', 'it''s b.search_a_b_c(x) s(uri, did, rkey, cid, sort_at, conforms, two, one)', one FROM b.a_b_c;
END;
CREATE FUNCTION fifth(b.a_b_c) RETURNS text LANGUAGE sql AS $$SELECT 'b.search_a_b_c(x) s(uri, did, rkey, cid, sort_at, conforms, two, one)'::text$$;
CREATE VIEW sixth AS SELECT w.two FROM (SELECT a.one FROM b.a_b_c AS a) AS v, (VALUES ('1', '2', '3', '4', '5', '6', '7', '8')) AS w (uri, did, rkey, cid, sort_at, conforms, two, one);
SELECT make_search('b.a_b_c', 'one');
CREATE ROLE other;
CREATE ROLE writer;
CREATE VIEW first WITH (security_barrier = true) AS SELECT uri, one, b.over(v) AS over FROM b.a_b_c AS v;
CREATE VIEW second AS SELECT f.one, s.uri FROM first AS f, b.search_a_b_c(') s(') AS s;
CREATE FUNCTION third(first) RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT count(*) FROM second; END;
COMMENT ON VIEW first IS 'it''s "first"';
COMMENT ON COLUMN first.one IS 'its column';
COMMENT ON FUNCTION third(first) IS 'it is third';
GRANT SELECT ON first TO other, PUBLIC;
GRANT INSERT ON second TO writer;
REVOKE ALL ON FUNCTION third(first) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION third(first) TO other WITH GRANT OPTION;
SET ROLE other;
GRANT EXECUTE ON FUNCTION third(first) TO writer;
RESET ROLE;
ALTER VIEW second OWNER TO other;
CREATE ROLE chief SUPERUSER;
GRANT SELECT ON b.a_b_c TO writer WITH GRANT OPTION;
ALTER VIEW b.a_b_c OWNER TO chief;
REVOKE ALL ON FUNCTION b.search_a_b_c(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION b.search_a_b_c(text) TO other;
CREATE FUNCTION upon_views() RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(what, E'\n' ORDER BY what) FROM (
    SELECT concat_ws(' ', c.oid::regclass, regexp_replace(pg_get_viewdef(c.oid), ' s\(uri.*?\)', ' s'), coalesce(c.relacl, acldefault('r', c.relowner)), c.relowner::regrole, c.reloptions, obj_description(c.oid, 'pg_class'), col_description(c.oid, 2)) AS what
    FROM pg_class AS c WHERE c.relname IN ('first', 'second', 'sixth')
    UNION ALL
    SELECT concat_ws(' ', p.oid::regprocedure, pg_get_functiondef(p.oid), coalesce(p.proacl, acldefault('f', p.proowner)), p.proowner::regrole, obj_description(p.oid, 'pg_proc')) FROM pg_proc AS p WHERE p.proname IN ('third', 'over', 'fourth', 'fifth')) AS w
$$;
SQL
my $upon = $session->ok('SELECT upon_views()');
my $oid  = $session->ok(q{SELECT 'b.a_b_c'::regclass::oid});
# of the view itself and its search, too
my $rights = q{SELECT concat_ws(' ', c.relname, c.relowner::regrole, coalesce(c.relacl, acldefault('r', c.relowner))) FROM pg_class AS c WHERE c.oid = 'b.a_b_c'::regclass
	UNION ALL SELECT concat_ws(' ', p.proname, p.proowner::regrole, coalesce(p.proacl, acldefault('f', p.proowner))) FROM pg_proc AS p WHERE p.pronamespace = 'b'::regnamespace ORDER BY 1};
my $held = $session->ok($rights);
$session->ok(<<'SQL');
CREATE ROLE nosy;
ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO nosy;
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO nosy;
SQL
make('a.b.c' => { one => \%string });
isnt($session->ok(q{SELECT 'b.a_b_c'::regclass::oid}), $oid, 'a view that loses a property is made again');
is($session->ok('SELECT upon_views()'), $upon, '... with the views and functions that depend on it, as they were');
is($session->ok($rights), $held, '... and with its rights and those of its search, whatever default privileges grant');
$session->ok(<<'SQL');
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM nosy;
ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO PUBLIC;
ALTER DEFAULT PRIVILEGES REVOKE SELECT ON TABLES FROM nosy;
SQL
$session->ok('CREATE MATERIALIZED VIEW kept AS SELECT uri FROM b.a_b_c');
$refused = (make('a.b.c' => { one => { type => 'integer' } }))[2];
like($refused, qr/cannot drop view b\.a_b_c|cannot be created again/, 'a column that cannot be removed stays');
is($session->ok('SELECT upon_views()'), $upon, '... with all others');
$session->ok('DROP MATERIALIZED VIEW kept; DROP FUNCTION b.over(b.a_b_c), fifth(b.a_b_c) CASCADE; DROP FUNCTION fourth(); DROP VIEW sixth; DROP FUNCTION upon_views()');
make('a.b.c' => { one => { type => 'integer' } });
is(columns('a_b_c'), 'uri did rkey cid sort_at conforms one', 'a view on which nothing depends is created again');
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
is($plan, plan_of(<<'SQL'), '... and the expression');
SELECT uri FROM blocks AS s WHERE atid.at_uri_collection(uri) = 'a.b.c' AND
jsonb_path_query_first(atid.dag_cbor_get(block, '{one}'), 'strict $ ? (@ >= -9223372036854775808 && @ <= 9223372036854775807 && @.floor() == @)')::bigint = 5000
SQL
$session->ok('SET ROLE reader');
like(plan_of("SELECT uri FROM b.a_b_c WHERE at = 'at://did:web:x5000.b' AND did = 'did:web:a0.b'"), qr/Index.*a_b_c_at_did/, 'for a role that may read the view only');
is($session->ok("SELECT one FROM b.a_b_c WHERE at = 'at://did:web:x5000.b'"), '5000', '... which finds the record');
is(($session->try('SELECT FROM blocks'))[1], '42501', 'it may not read the source');
$session->ok('RESET ROLE');

# Indexes that are created by commands, as on a table that others write
my ($before, @commands) = split /\n/, $session->ok(q{SELECT view_index_commands('b.a_b_c', 'rkey')});
my $after = pop @commands;
is("$before; $after", 'SET search_path = pg_catalog, pg_temp; RESET search_path', 'the commands find only functions of the server');
is(scalar @commands, 1, 'an index is one command');
like($commands[0], qr/^CREATE INDEX CONCURRENTLY a_b_c_rkey_[0-9a-f]{8} ON public\.blocks USING btree /, '... that keeps nobody from writing');
$session->ok('SET search_path = pg_catalog');
$session->ok($_) foreach @commands;
$session->ok('RESET search_path');
is($session->ok(q{SELECT count(*) FROM view_index_commands('b.a_b_c', 'rkey')}), '0', '... and only once');
$session->ok(q{SELECT make_view_index('b.a_b_c', 'rkey')});
is($session->ok(q{SELECT string_agg(indexname, ' ') FROM pg_indexes WHERE indexname LIKE 'a\_b\_c\_rkey%'}), substr($commands[0], 26, 19), 'make_view_index takes it');
like(plan_of(q{SELECT uri FROM b.a_b_c WHERE rkey = '5000'}), qr/Index.*a_b_c_rkey_/, '... as queries do');
# A failed one is dropped first.
$session->ok(q{DELETE FROM view_index WHERE columns = '{rkey}'; UPDATE pg_index SET indisvalid = false WHERE indexrelid = (SELECT oid FROM pg_class WHERE relname LIKE 'a\_b\_c\_rkey\_%')});
like($session->ok(q{SELECT string_agg(c, '; ') FROM view_index_commands('b.a_b_c', 'rkey') AS c}), qr/^SET [^;]*; DROP INDEX CONCURRENTLY IF EXISTS public\.a_b_c_rkey_\w{8}; CREATE INDEX CONCURRENTLY .*; RESET/, 'after a failed one, there are both commands');
$session->ok(q{SELECT make_view_index('b.a_b_c', 'rkey')});
is($session->ok(q{SELECT indisvalid FROM view_index JOIN pg_index ON indexrelid = to_regclass(index) WHERE columns = '{rkey}'}), 't', '... and make_view_index does not use it');
$session->ok(q{DO $$ DECLARE i regclass; BEGIN DELETE FROM view_index WHERE columns = '{rkey}';
	FOR i IN SELECT oid FROM pg_class WHERE relname LIKE 'a\_b\_c\_rkey%' AND relkind = 'i' LOOP EXECUTE 'DROP INDEX ' || i; END LOOP; END $$});

# Joins by the indexes
$session->ok('TRUNCATE view_reference');
is($session->ok('SELECT find_new_references()'), '0', 'references to accounts are no joins');
$session->ok(q{INSERT INTO blocks SELECT format('at://did:web:z%s.b/a.b.c/1', n)::atid.at_uri, NULL,
	atid.record_to_dag_cbor(jsonb_build_object('at', format('at://did:web:0/a.b.%s/%s', CASE n WHEN 1 THEN 'd' ELSE 'c' END, n))) FROM generate_series(1, 20) AS n});
is($session->ok('SELECT find_new_references()'), '1', 'a column with an index has its join soon');
is($session->ok(q{SELECT string_agg(nsid || path::text || target, ' ') FROM view_reference}), 'a.b.c{at}a.b.c', '... to the type that it points at, and to none at which hardly any points');
is($session->ok('SELECT find_new_references()'), '0', '... once');
$session->ok(q{SELECT write_view_comments('b')});
like($session->ok(q{SELECT obj_description('b.a_b_c'::regclass)}), qr/^\@foreignKey \(at\) references b\.a_b_c \(uri\)$/m, '... and in the comments');
$session->ok(q{DELETE FROM blocks WHERE uri <@ 'at://did:web:z1.b' OR atid.at_uri_did(uri)::text LIKE 'did:web:z%'; TRUNCATE view_reference});

# Definitions that records need and a set lacks
my $needs = sub { return { lexicon => 1, id => $_[0], defs => { main => { type => 'record', key => 'any', record => { type => 'object', properties => { x => { type => 'ref', ref => 'x.y.z#w' } } } } } }; };
is($session->ok('SELECT missing, needed_by FROM lexicon_gaps(' . literal($json->encode([ map { $needs->("n.n.n$_") } 1 .. 5 ])) . ')'), 'x.y.z#w|n.n.n1, n.n.n2, n.n.n3 and 2 others', 'missing definitions are listed');

# Another expression, another source
my $index_of = q{SELECT string_agg(regexp_replace(pg_get_indexdef(to_regclass(index)), '.* ON (\S+) USING (\w+).*', '\1 \2'), ' ') || count(*) FROM view_index};
make('a.b.c' => { one => \%string, at => { type => 'string', format => 'at-uri' } });
unlike(plan_of("SELECT uri FROM b.a_b_c WHERE one = '5000'"), qr/Index Cond/, 'an index of another type does not serve');
$session->ok("SELECT make_view_index('b.a_b_c', 'one')");
like(plan_of("SELECT uri FROM b.a_b_c WHERE one = '5000'"), qr/Index Scan (using|on) a_b_c_one\n/, '... until it is created again');
is($session->ok($index_of), 'public.blocks btree public.blocks hash2', '... in place of the old index');
make('a.b.c' => { at => { type => 'string', format => 'at-uri' } });
is($session->ok($index_of), 'public.blocks btree1', 'an index of a dropped column is deleted');
is($session->ok(q{SELECT has_table_privilege('reader', 'b.a_b_c', 'SELECT')}), 't', 'roles that could read the view can read the one that replaces it');
$session->ok(q{SELECT make_views(t.lexicons, 'jsons', 'b') FROM view_type AS t WHERE view = 'b.a_b_c'::regclass; SELECT make_view_index('b.a_b_c', 'at', 'did')});
is($session->ok($index_of), 'public.jsons btree1', 'an index for another source is created there');
make();
is($session->ok('SELECT count(*) FROM view_index') . $session->ok(q{SELECT count(*) FROM pg_indexes WHERE indexname LIKE 'a\_b\_c%'}), '00', '... and is deleted with its view');

# Names that engines confuse
make('p.p.post' => { map { $_ => \%string } qw(aB a_b aB2 nodeId id rowId) }, 'p.p.posts' => {}, 'p.p.entry' => {}, 'p.p.entries' => {}, 'p.p.status' => {}, 'p.p.statuses' => {});
is($session->ok(q{SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class WHERE relnamespace = 'b'::regnamespace}),
	'p_p_entries p_p_entry_2 p_p_post p_p_posts_2 p_p_status p_p_statuses_2', 'of names that differ only in their number, one is used');
is(columns('p_p_post'), 'uri did rkey cid sort_at conforms a_b a_b2 a_b_3 id node_id_2 row_id_2', '... and likewise of those that differ in underscores');
make();

# Objects that refer to themselves, more properties than columns, and texts longer than their Lexicon allows
my %circle = map { ("p$_" => { type => 'ref', ref => 'c.c.c#main2' }) } 1 .. 300;
my $circles = literal($json->encode([ { lexicon => 1, id => 'c.c.c', defs => { main => { type => 'record', key => 'any', record => { type => 'object', properties => { top => \%string, %circle } } },
	main2 => { type => 'object', properties => { leaf => \%string, %circle } } } } ]));
is(($session->try("SELECT make_views($circles, 'blocks', 'b')"))[2], '', 'a recursive Lexicon has a view');
like(columns('c_c_c'), qr/ p300 .* top .*p1_leaf/, '... with the properties of the shortest paths');
make('l.l.l' => { long => { type => 'string', maxLength => 3000 }, free => \%string });
$session->ok(q{SELECT make_view_index('b.l_l_l', 'long');
	INSERT INTO blocks SELECT format('at://did:web:a.b/l.l.l/%s', n)::atid.at_uri, NULL, atid.record_to_dag_cbor(jsonb_build_object('long', repeat('x', n), 'free', repeat('x', n))) FROM unnest('{3000,3001}'::int[]) AS n});
is($session->ok('SELECT octet_length(long), octet_length(free) FROM b.l_l_l ORDER BY rkey'), "3000|3000\n|3001", 'a text that is longer than its Lexicon allows is NULL');
like($session->ok(q{SELECT definition FROM view_index WHERE view = 'b.l_l_l'::regclass}), qr/USING hash/, '... and has an index on its hash');
is($session->ok(q{SELECT string_agg(DISTINCT t.view::text, ' ') FROM view_type AS t WHERE
	(SELECT jsonb_agg(to_jsonb(c) - 'view' ORDER BY c.name) FROM plan_columns(t) AS c) IS DISTINCT FROM
	(SELECT jsonb_agg(to_jsonb(c) - 'view' ORDER BY c.name) FROM view_column AS c WHERE c.view = t.view)}),
	'', 'the columns of a view can be planned separately, from its row');

# Names of strangers and operators that look like SQL decide nothing.
make('m.m.m' => { 'x USING btree y' => \%string, text => \%string, langs => { type => 'array', items => \%string } });
$session->ok(q{CREATE TEXT SEARCH CONFIGURATION "CASE" (COPY = simple);
	SELECT make_view_index('b.m_m_m', 'x_using_btree_y'), make_search('b.m_m_m', '"CASE"'::regconfig, 'text')});
is($session->ok(q{SELECT col_description(attrelid, attnum) FROM pg_attribute WHERE attrelid = 'b.m_m_m'::regclass AND attname = 'x_using_btree_y'}),
	'@behavior +attribute:filterBy +attribute:filter', 'a hash index gives no order, whatever the name of the property is');
unlike($session->ok(q{SELECT prosrc FROM pg_proc WHERE oid = 'b.search_m_m_m'::regproc}), qr/turkish/, 'one configuration means one language, whatever its name is');
$session->ok(q{SELECT make_search('b.m_m_m', 'text')});
like($session->ok(q{SELECT prosrc FROM pg_proc WHERE oid = 'b.search_m_m_m'::regproc}), qr/turkish/, '... and without one each record has its own language');
make();
$session->ok('DROP TEXT SEARCH CONFIGURATION "CASE"');

# Names in a locale in which the lower case of I is another letter
SKIP:
{
	skip 'the server has no ICU', 1 unless $session->ok(q{SELECT count(*) FROM pg_collation WHERE collprovider = 'i'});
	$node->safe_psql('postgres', q{CREATE DATABASE turkish TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'tr'});
	$node->safe_psql('turkish', 'CREATE EXTENSION atid');
	$node->safe_psql('turkish', sql_text('views.sql'));
	is($node->safe_psql('turkish', q{SELECT view_name('{displayID}')}), 'display_id', 'a name is the same in every locale');
}

# Every kind of value in every property
my %types = (
	text => { type => 'string' }, short => { type => 'string', maxLength => 20 }, n => { type => 'integer' }, ok => { type => 'boolean' },
	at => { type => 'string', format => 'datetime' }, to => { type => 'string', format => 'at-uri' }, who => { type => 'string', format => 'did' },
	tid => { type => 'string', format => 'tid' }, cid => { type => 'string', format => 'cid' }, link => { type => 'cid-link' },
	createdAt => { type => 'string', format => 'datetime' }, langs => { type => 'array', items => { type => 'string' } });
my $types = literal($json->encode([ { lexicon => 1, id => 'h.h.h', defs => { main => { type => 'record', key => 'any',
	record => { type => 'object', properties => \%types } } } } ]));
my $honest = $json->encode({ '$type' => 'h.h.h', text => 'honest cats', short => 'honest', n => 7, ok => JSON::PP::true, at => '2026-01-01T00:00:00Z',
	to => 'at://did:web:a.b/h.h.h/x', who => 'did:web:who.b', tid => '3jzfcijpj2z2a', cid => 'bafkreiccldh766hwcnuxnf2wh6jgzepf2nlu2lvcllt63eww5p6chi4ity',
	link => { '$link' => 'bafkreiccldh766hwcnuxnf2wh6jgzepf2nlu2lvcllt63eww5p6chi4ity' }, createdAt => '2026-01-01T00:00:00Z', langs => ['en'] });
my $keys = literal('{' . join(',', sort keys %types) . '}') . '::text[]';
$session->ok(<<"SQL");
TRUNCATE blocks, jsons;
SELECT make_views($types, 'blocks', 'b'), make_views($types, 'jsons', 'j');
CREATE FUNCTION index_all() RETURNS void LANGUAGE sql AS \$\$
  SELECT make_view_index(c.view, c.name) FROM view_column AS c WHERE c.kind IN ('own', 'property');
  SELECT make_search(t.view, 'text', 'short') FROM view_type AS t;
  SELECT make_view_index(t.view, 'short', 'to', 'rkey') FROM view_type AS t;
\$\$;
SELECT index_all();
CREATE TABLE hostile (n serial, value json);
INSERT INTO hostile (value) SELECT v::json FROM unnest(ARRAY['4.5', '-1', '1e400', '-0.0', '9223372036854775807', '9223372036854775808', '7', '[7,8]', '[]', '{}', 'null', 'true', '"x"', '""',
  '"a\\u0000b"', '"\\u0000"', '"[7,8]"', '{"uri": "at://did:web:a.b"}', '{"\$link": "bafkreiccldh766hwcnuxnf2wh6jgzepf2nlu2lvcllt63eww5p6chi4ity"}',
  '{"\$link": 5}', '{"\$link": ["bafkreiccldh766hwcnuxnf2wh6jgzepf2nlu2lvcllt63eww5p6chi4ity"]}', '{"\$bytes": "AQI"}', '{"\$bytes": 1}',
  '"bafkreiccldh766hwcnuxnf2wh6jgzepf2nlu2lvcllt63eww5p6chi4ity"', '"2999-01-01T00:00:00Z"', '"0000-01-01T00:00:00Z"', '"2026-02-30T00:00:00Z"', '"infinity"', '"-infinity"',
  '"at://"', '"did:web:"', '["en", 5]', '[["en"]]', '[{"x": 1}]', '"- -x \\"y"', repeat('[', 400) || repeat(']', 400)]) AS v;
INSERT INTO hostile (value) SELECT to_json(v) FROM (SELECT string_agg(md5(n::text), '') AS h FROM generate_series(1, 1300) AS n) AS h,
  unnest(ARRAY[h, repeat('a', 300000), repeat('a b ', 60000), repeat('ä', 20), 'at://did:web:' || left(h, 2040) || '/a.b.c/' || right(h, 512), 'at://did:web:' || left(h, 1150),
    'did:web:' || left(h, 2000), 'did:web:' || left(h, 503), regexp_replace(h, '(..)', '\\1-', 'g'), regexp_replace(h, '(.)', E'\\\\1\\u4e00 ', 'g')]) AS v;
SQL
my $insert = <<"SQL";
SET client_min_messages = warning;
SET enable_seqscan = off;
TRUNCATE blocks, jsons;
CREATE TEMP TABLE given AS SELECT format('at://did:web:e%s.b/h.h.h/x', n)::atid.at_uri AS uri, (SELECT json_object_agg(k, value) FROM unnest($keys) AS k) AS record FROM hostile;
INSERT INTO given VALUES ('at://did:web:honest.b/h.h.h/x', @{[literal($honest)]});
INSERT INTO given SELECT format('at://did:web:o%s.b/h.h.h/x', n)::atid.at_uri, json_build_object('\$type', 'h.h.h', 'text', 'other ' || n, 'short', n, 'n', 1000 + n, 'ok', n % 2 = 0,
  'at', format('2025-01-01T00:00:%sZ', n % 50 + 10), 'to', 'at://did:web:o' || n, 'who', 'did:web:o' || n, 'tid', atid.tid_make(now(), n % 1000)::text, 'langs', '["fr"]'::json) FROM generate_series(1, 2000) AS n;
INSERT INTO blocks (uri, block) SELECT uri, atid.json_to_dag_cbor(record) FROM given WHERE atid.json_is_valid(record, false);
-- floats, damage in the middle, at the end and everywhere, no block at all
INSERT INTO blocks (uri, block) SELECT format('at://did:web:d%s.b/h.h.h/%s', n, k)::atid.at_uri, block FROM unnest($keys) AS k, LATERAL (
  SELECT '\\xa1'::bytea || set_byte('\\x60', 0, 96 + length(k)) || k::bytea) AS b (key), unnest(ARRAY[key || '\\xfb4012000000000000', key || '\\xf97e00', key || '\\x62ffff',
  key, key || '\\x7b7fffffffffffffff41', key || '\\x1bffffffffffffffff', key || '\\x3bffffffffffffffff', key || '\\xd82a4500', key || '\\xd82a42ff', '\\xff', '\\x', '\\x80', key || '\\x6161ff']) WITH ORDINALITY AS u (block, n);
INSERT INTO jsons SELECT uri, atid.at_uri_did(uri), record::text::jsonb FROM given WHERE record::text NOT LIKE '%\\u0000%';
DROP TABLE given;
SQL
is(($session->try($insert))[2], '', 'no record keeps an INSERT from indexes of all columns');
my $times = $session->ok("SELECT bool_and(sort_at <= now()), count(*) = count(sort_at), count(*) > 150 FROM b.h_h_h");
is($times, 't|t|t', 'no record sorts after the present time');
foreach my $made ('filled', 'made')
{
	$session->ok("TRUNCATE hostile; SELECT make_views('[]', 'blocks', 'b'), make_views('[]', 'jsons', 'j'); SELECT make_views($types, 'blocks', 'b'), make_views($types, 'jsons', 'j'); SELECT index_all()")
	  if $made eq 'made';
	# Statistics of the expressions of all indexes take as long as the indexes: once is enough.
	$session->ok($made eq 'made' ? 'ANALYZE blocks (uri); ANALYZE jsons (uri)' : 'ANALYZE blocks; ANALYZE jsons');
	foreach my $schema ('b', 'j')
	{
		is(($session->try("SELECT rows_of('$schema.h_h_h')"))[2], '', "$schema, indexes $made: all can be read");
		foreach my $name ($session->ok("SELECT string_agg(name, ' ') FROM view_column WHERE view = '$schema.h_h_h'::regclass AND kind = 'property'") =~ /\S+/g)
		{
			my $value = $session->ok("SELECT quote_literal(\"$name\") FROM $schema.h_h_h WHERE did = 'did:web:honest.b'");
			my $query = "SELECT uri FROM $schema.h_h_h WHERE \"$name\" " . ($name eq 'langs' ? '@>' : '=') . " $value";
			my $found = $session->ok("$query AND uri = 'at://did:web:honest.b/h.h.h/x'");
			my $plan  = plan_of($query);
			ok($found eq 'at://did:web:honest.b/h.h.h/x' && $plan =~ /Index.*h_h_h_$name/ && $session->ok($query) =~ /honest/, "$schema, indexes $made: $name") or diag("$found $plan");
		}
		is(($session->try("SELECT count(*) FROM $schema.h_h_h WHERE NOT conforms AND $_"))[2], '', "$schema, indexes $made: $_")
		  foreach 'n > 5 AND ok', "at < now() AND text <> ''", "who::text LIKE 'd%' AND short > ''", "sort_at::text > '' OR true" =~ s/sort_at/rkey/r;
		is($session->ok("SELECT s.uri FROM $schema.search_h_h_h('cat -dog') AS s"), 'at://did:web:honest.b/h.h.h/x', "$schema, indexes $made: a search");
	}
}

# The same blocks, packed
$session->ok(<<"SQL");
CREATE SCHEMA p;
CREATE TABLE packs (uri atid.at_uri, cid atid.cid_link, block atid.block, indexed timestamptz NOT NULL DEFAULT now());
SELECT make_views($types, 'packs', 'p');
SELECT make_view_index('p.h_h_h', c.name) FROM view_column AS c WHERE view = 'p.h_h_h'::regclass AND kind IN ('own', 'property');
SELECT make_search('p.h_h_h', 'text', 'short');
INSERT INTO packs (uri, cid, block, indexed) SELECT uri, cid, block, indexed FROM blocks;
ANALYZE packs (uri);
SQL
is($session->ok(q{SELECT differ('p.h_h_h', 'b.h_h_h'), rows_of('p.h_h_h') = rows_of('b.h_h_h')}), '0|t', 'packed blocks have the same rows');
like(plan_of('SELECT uri FROM p.h_h_h WHERE n = 7'), qr/Index.*h_h_h_n/, '... and the indexes serve them');
is($session->ok("SELECT s.uri FROM p.search_h_h_h('cat -dog') AS s"), 'at://did:web:honest.b/h.h.h/x', '... and a search');
$session->ok(q{SELECT make_views('[]', 'packs', 'p'); DROP TABLE packs; DROP SCHEMA p});

# Search
my $rank = 'SELECT text, round(b.h_h_h_rank(s, $$cats$$)::numeric, 2) FROM b.search_h_h_h($$cats$$) AS s ORDER BY b.h_h_h_rank(s, $$cats$$) DESC';
$session->ok(<<'SQL');
INSERT INTO blocks (uri, block) SELECT format('at://did:web:s.b/h.h.h/%s', n)::atid.at_uri, atid.record_to_dag_cbor(r) FROM unnest(ARRAY[
  '{"text": "die Katzen laufen", "langs": ["de-AT"]}', '{"text": "cats and cats", "short": "cats", "langs": ["en-US", "de"]}', '{"text": "Katzen", "langs": [5]}']::jsonb[]) WITH ORDINALITY AS u (r, n);
SQL
is($session->ok($rank), "cats and cats|0.79\nhonest cats|0.61", 'a search, by rank');
is($session->ok(q{SELECT text FROM b.search_h_h_h('Katze')}), 'die Katzen laufen', '... in the language of each record');
is($session->ok(q{SELECT text FROM b.search_h_h_h('katzen -laufen') ORDER BY text}), 'Katzen', '... without some words');
is(($session->try(qq{SELECT count(*) FROM unnest(ARRAY['', '-', '"', 'a:*&|!', repeat('x', 100000), repeat('ä', 1000), repeat('"a" or ', 20000)]) AS q, b.search_h_h_h(q)}))[2], '', '... and no query fails');
my $searched = plan_of(q{SELECT uri FROM b.search_h_h_h('cats') ORDER BY sort_at DESC LIMIT 10});
like($searched, qr/Bitmap Index Scan on h_h_h_search/, '... by its index');
unlike($searched, qr/Function Scan/, '... since the planner inlines the function');
$session->ok('GRANT SELECT ON b.h_h_h TO reader; SET ROLE reader');
is($session->ok(q{SELECT count(*) FROM b.search_h_h_h('cats')}), '2', '... for a role that may read the view only');
$session->ok('RESET ROLE');
my $fewer = $types =~ s/"n":\{"type":"integer"\},//r;
$session->ok("SELECT make_views($fewer, 'blocks', 'b')");
is($session->ok($rank), "cats and cats|0.79\nhonest cats|0.61", 'a view that is created again keeps its search');
$session->ok(q{SELECT make_search('b.h_h_h', 'english'::regconfig, 'text')});
is($session->ok(q{SELECT text FROM b.search_h_h_h('katzens')}), "die Katzen laufen\nKatzen", 'a search by one configuration');
# The longest records have been in each kind of index by now.
$session->ok('WITH long AS (DELETE FROM blocks WHERE octet_length(block) > 100000 RETURNING uri) DELETE FROM jsons USING long WHERE jsons.uri = long.uri');
$session->ok(q{CREATE TEXT SEARCH CONFIGURATION mine (COPY = english)});
$session->ok(q{CREATE FUNCTION public.setweight(tsvector, text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RAISE EXCEPTION 'planted'; END$$});
my @search = split /\n/, $session->ok(q{SELECT search_index_commands('b.h_h_h', 'mine', 'text')});
$session->ok($_) foreach @search;
$session->ok(q{SELECT make_search('b.h_h_h', 'mine'::regconfig, 'text')});
is($session->ok(q{SELECT index FROM view_index WHERE search AND view = 'b.h_h_h'::regclass}), $search[1] =~ /CONCURRENTLY (\w+)/ ? "public.$1" : '', 'an index of a search that was created by a command is used');
$session->ok('SET search_path = pg_catalog');
is($session->ok(q{SELECT text FROM b.search_h_h_h('katzens')}), "die Katzen laufen\nKatzen", '... and with our own configuration, from any search_path');
$session->ok('RESET search_path');
is($session->ok(q{SELECT text FROM b.search_h_h_h('katzens')}), "die Katzen laufen\nKatzen", '... even one in which somebody has planted a function');
$session->ok('DROP FUNCTION public.setweight(tsvector, text)');

# Texts that the server's text search parser would read again and again
foreach my $text ('<!--', 'a1.', '<a ', 'a/', 'a@', 'http://a.b/')
{
	my $insert = sprintf q{INSERT INTO blocks (uri, block) SELECT 'at://did:web:long.b/h.h.h/%s', atid.record_to_dag_cbor(jsonb_build_object('$type', 'h.h.h', 'text', left(repeat('%s', 50000), 50000)))},
		unpack('H*', $text), $text;
	$session->ok("BEGIN; SET LOCAL statement_timeout = '@{[ 1000 * AtidTest::slowness() ]}ms'");
	my @said = $session->try($insert);
	$session->ok('ROLLBACK');
	is($said[1], '00000', "a record of '$text' keeps nobody waiting") or diag($said[2]);
}

# The table from 1.3.0
my $names = q{SELECT pg_typeof(index)::text || string_agg(index::text, ' ' ORDER BY definition) FROM view_index GROUP BY pg_typeof(index)};
my $of_now = $session->ok($names);
$session->ok('ALTER TABLE view_index ALTER index TYPE regclass USING index::regclass');
$session->ok(sql_text('views.sql'));
is($session->ok($names), $of_now, 'the table from 1.3.0 is brought up to date');

# A dump restores rows before indexes.
my $dump = $node->basedir . '/views.sql';
$node->command_ok([ 'pg_dump', '-p', $node->port, '-h', $node->host, '-f', $dump, $db ], 'a dump');
$node->safe_psql('postgres', 'CREATE DATABASE restored');
$node->command_ok([ 'psql', '-Xq', '-p', $node->port, '-h', $node->host, '-v', 'ON_ERROR_STOP=1', '-f', $dump, 'restored' ], '... is restored');
is($node->safe_psql('restored', 'SELECT count(*) > 0, bool_and(to_regclass(index) IS NOT NULL) FROM view_index'), 't|t', '... with the indexes');
$node->safe_psql('postgres', 'DROP DATABASE restored');

like(($session->try(q{SELECT make_search('b.h_h_h', 'ok')}))[2], qr/has no text column ok that can be searched/, 'only texts are searched');
like(($session->try(q{SELECT make_view_index('b.h_h_h', 'text', 'ok')}))[2], qr/column text .* index of its own/, 'a text without a bound has an index of its own');
like(($session->try(q{SELECT make_view_index('b.h_h_h', 'to', 'uri', 'who')}))[2], qr/entries of 3\d\d\d bytes/, 'an index whose entries may be too long is refused');
like(($session->try(q{SELECT make_view_index('b.h_h_h', 'conforms')}))[2], qr/no column conforms that can be indexed/, 'one of what is not of the record, too');

# The table from 1.3.0 had OIDs of indexes, which may since have been created again or dropped.
make('v.v.v' => { avatarUrl => \%string, n => { type => 'integer' } });
$session->ok(q{SELECT make_search('b.v_v_v', 'avatar_url'), make_view_index('b.v_v_v', 'n'), make_view_index('b.v_v_v', 'sort_at');
	ALTER TABLE view_index ALTER index TYPE regclass USING index::regclass; DROP INDEX v_v_v_n; INSERT INTO view_index VALUES (1, '{n}', false, 1, 'x'), (2, '{n}', false, 1, 'x');
	INSERT INTO view_type (view, nsid, source, condition) VALUES (2, 'g.g.g', 3, 'true')});
$session->ok('REINDEX INDEX CONCURRENTLY v_v_v_search');
$session->ok(sql_text('views.sql'));
is($session->ok(q{SELECT count(*) FROM view_index WHERE index = ''}), 0, '... and none lacks a name, even where its table was dropped');
$session->ok(q{SELECT make_views(lexicons, 'blocks', 'b') FROM view_type WHERE view = 'b.v_v_v'::regclass; SELECT make_view_index('b.v_v_v', 'n'), make_view_index('b.v_v_v', 'sort_at')});
is($session->ok(q{SELECT string_agg(index, ' ' ORDER BY index) FROM view_index WHERE definition LIKE '%v.v.v%'; SELECT string_agg(indexname, ' ' ORDER BY indexname) FROM pg_indexes WHERE indexname LIKE 'v\_v\_v%'}),
	"public.v_v_v_n public.v_v_v_search public.v_v_v_sort_at\nv_v_v_n v_v_v_search v_v_v_sort_at", '... and are found, or created, once');

# The address of a blob gets the name of a text with a search.
$session->ok(q{CREATE TABLE b.account (did atid.did PRIMARY KEY, handle text, pds text); CREATE TABLE blob AS SELECT '{"lexicon": 1, "id": "v.v.v", "defs": {"main": {"type": "record", "key": "any",
	"record": {"type": "object", "properties": {"avatar": {"type": "blob"}}}}}}'::atid.lexicon AS lexicons});
is(($session->try(q{SELECT make_views(lexicons, 'blocks', 'b', 'b.account') FROM blob}))[2], '', 'a text with a search is replaced by the address of a blob');
is($session->ok(q{SELECT kind FROM view_column WHERE view = 'b.v_v_v'::regclass AND name = 'avatar_url'; SELECT count(*) FROM view_index WHERE search AND view = 'b.v_v_v'::regclass}), "url\n0", '... which has no search');
$session->ok('DROP TABLE blob');
make();
$session->ok('DROP TABLE b.account');

# Conforming records, types with one record per account, and texts in descriptions
$session->ok(<<'SQL');
TRUNCATE blocks;
INSERT INTO blocks (uri, block) SELECT u::atid.at_uri, atid.record_to_dag_cbor(r) FROM (VALUES
  ('at://did:web:a.b/k.k.post/1', '{"$type": "k.k.post", "n": 1, "createdAt": "2020-01-01T00:00:00Z"}'::jsonb), ('at://did:web:a.b/k.k.post/2', '{"$type": "k.k.other", "n": 1}'),
  ('at://did:web:a.b/k.k.post/3', '{"$type": "k.k.post", "n": "1"}'), ('at://did:web:a.b/k.k.profile/self', '{"$type": "k.k.profile"}'),
  ('at://did:web:a.b/k.k.profile/more', '{"$type": "k.k.profile"}')) AS v (u, r);
CREATE TABLE two AS SELECT $$[{"lexicon": 1, "id": "k.k.post", "defs": {"main": {"type": "record", "key": "tid", "description": "@omit\n@name x\r\n @behavior -*\n@graphql({\"name\": \"x\"})",
  "record": {"type": "object", "properties": {"n": {"type": "integer", "description": "@omit\n\nx @GraphQL({})\u2028@deprecated"}, "createdAt": {"type": "string", "format": "datetime"},
    "to": {"type": "string", "format": "did"}, "of": {"type": "string", "format": "at-uri"}}}}}},
  {"lexicon": 1, "id": "k.k.profile", "defs": {"main": {"type": "record", "key": "literal:self", "record": {"type": "object", "properties": {}}}}}]$$::atid.lexicon AS lexicons;
INSERT INTO view_reference VALUES ('k.k.post', '{of}', 'k.k.post');
SELECT make_views(lexicons, 'blocks', 'b', conforming => true) FROM two;
SELECT make_view_index('b.k_k_post', 'sort_at', 'uri');
SQL
is($session->ok('SELECT rkey, conforms FROM b.k_k_post ORDER BY rkey'), '1|t', 'conforming leaves out records that do not conform, or are of another type');
$session->ok(q{SELECT make_views(lexicons, 'blocks', 'b') FROM two});
is($session->ok('SELECT count(*) FROM b.k_k_post'), '1', '... until it is turned off');
is($session->ok('SELECT count(*) FROM b.k_k_post AS p JOIN b.k_k_profile AS q USING (did)'), '1', 'a second record of a type that should have one doubles no row');
$session->ok(q{SELECT make_views(lexicons, 'blocks', 'b', conforming => false) FROM two});
is($session->ok('SELECT rkey, conforms FROM b.k_k_post ORDER BY rkey'), "1|t\n2|f\n3|f", 'otherwise the column conforms shows it');
is($session->ok(q{SELECT string_agg(line, ' ' ORDER BY line) FROM regexp_split_to_table((SELECT string_agg(description, E'\n') FROM pg_description
	WHERE objoid IN ('b.k_k_post'::regclass, 'b.k_k_profile'::regclass)), E'[\n\r\u2028]\\\\s*') AS line WHERE line ~ '^@' AND line NOT LIKE '@pgGraphql%'}),
	'@behavior +attribute:filterBy +attribute:filter @behavior +attribute:filterBy +attribute:filter @behavior +attribute:orderBy +attribute:filterBy +attribute:filter '
	. '@foreignKey (did) references b.k_k_profile (did) @foreignKey (of) references b.k_k_post (uri) @foreignKey (to) references b.k_k_profile (did) '
	. '@notNull @notNull @primaryKey uri @primaryKey uri @unique did', 'only our comments instruct engines');
is($session->ok(q{SELECT (substring(obj_description('b.k_k_post'::regclass, 'pg_class') FROM '@graphql\((.*?)\)\n')::jsonb #>> '{primary_key_columns,0}')
	|| regexp_count(obj_description('b.k_k_post'::regclass, 'pg_class'), '@graphql')}) , 'uri1', '... pg_graphql, too') if $session->ok('SHOW server_version_num') >= 150000;

# Names that comments give PostGraphile
my $told = q{SELECT string_agg(coalesce(substring(obj_description(oid, 'pg_class') FROM '@name ([^[:space:]]+)'), relname), ' ' ORDER BY relname) FROM pg_class WHERE relnamespace = 'named'::regnamespace AND relkind = 'v'};
$session->ok(<<'SQL');
CREATE TABLE three AS SELECT nsid, format('{"lexicon": 1, "id": "%s", "defs": {"main": {"type": "record", "key": "tid", "record": {"type": "object", "properties": {}}}}}', nsid)::atid.lexicon AS lexicons
FROM unnest('{k.k.edges,k.k.edgesRecord}'::text[]) AS nsid;
CREATE SCHEMA named;
SELECT make_views((SELECT atid.lexicon_agg(lexicons) FROM three), 'blocks', 'named');
SQL
is($session->ok($told), 'k_k_edges_record k_k_edges_record_2', 'no type has a name that another one is given');
$session->ok(q{ALTER VIEW named.k_k_edges_record_2 RENAME TO k_k_edges_record; SELECT make_views((SELECT atid.lexicon_agg(lexicons) FROM three), 'blocks', 'named')});
is($session->ok($told), 'k_k_edges_record_2 k_k_edges_record', '... even if 1.3.0 has created both views');
$session->ok(q{SELECT make_views(lexicons, 'blocks', 'named') FROM three WHERE nsid = 'k.k.edgesRecord'; SELECT make_views((SELECT atid.lexicon_agg(lexicons) FROM three), 'blocks', 'named')});
is($session->ok($told), 'k_k_edges_2 k_k_edges_record', '... or if that one was there first');
$session->quit;

# Over the tables of the indexer
SKIP:
{
	skip 'atid_crypto is not installed', 1 unless has_extension($node, 'atid_crypto');
	my $its = new_database($node, 'indexed');
	$node->safe_psql($its, 'CREATE EXTENSION atid_crypto');
	$node->command_ok([ 'psql', '-qX', '-v', 'ON_ERROR_STOP=1', '--single-transaction', '-d', $node->connstr($its), '-f', "$FindBin::Bin/../../indexer/sql/install.sql" ], 'the schema of the indexer');
	my $i = AtidTest::Session->new($node, $its);
	$i->ok(<<'SQL');
INSERT INTO indexer.lexicons VALUES ('[{"lexicon": 1, "id": "k.k.post", "defs": {"main": {"type": "record", "key": "any", "record": {"type": "object", "properties": {
  "re": {"type": "ref", "ref": "#re"}, "pic": {"type": "blob"}}}}, "re": {"type": "object", "properties": {"uri": {"type": "string", "format": "at-uri"}, "cid": {"type": "string", "format": "cid"}}}}}]');
INSERT INTO indexer.identity (did, handle, pds, host) VALUES ('did:web:a%3a1.b', 'a.b', 'https://pds.example/', 'https://pds.example'), ('did:web:c.b', 'c.b', 'javascript:x', NULL);
CREATE SCHEMA api;
SELECT indexer.make_views('api');
SELECT indexer.create_temp_tables();
BEGIN;
INSERT INTO op SELECT u::atid.at_uri, atid.at_uri_did(u::atid.at_uri), 'k.k.post', true, atid.record_cid(r), atid.record_to_dag_cbor(r) FROM (VALUES
  ('at://did:web:a%3a1.b/k.k.post/1', '{"$type": "k.k.post", "pic": {"$type": "blob", "mimeType": "a/b", "size": 1, "ref": {"$link": "bafkreiccldh766hwcnuxnf2wh6jgzepf2nlu2lvcllt63eww5p6chi4ity"}}}'::jsonb),
  ('at://did:web:a%3a1.b/k.k.post/2', '{"$type": "k.k.posx", "re": {"uri": "at://did:web:a%3a1.b/k.k.post/1"}, "pic": {"cid": "x\"><", "mimeType": "a/b"}}'),
  ('at://did:web:c.b/k.k.post/3', '{"$type": "k.k.post", "pic": {"cid": "bafkreiccldh766hwcnuxnf2wh6jgzepf2nlu2lvcllt63eww5p6chi4ity", "mimeType": "a/b"}}')) AS v (u, r);
SELECT indexer.write_records();
COMMIT;
INSERT INTO indexer.labeler (did) VALUES ('did:web:l.b');
INSERT INTO indexer.labels (subject, src, val, cts, neg, exp, label) SELECT s::atid.at_uri, src::atid.did, v, now(), neg, exp::timestamptz, '{}' FROM (VALUES
  ('at://did:web:a%3a1.b/k.k.post/1', 'did:web:l.b', '!hide', false, 'infinity'), ('at://did:web:a%3a1.b/k.k.post/2', 'did:web:l.b', 'spam', false, 'infinity'),
  ('at://did:web:a%3a1.b/k.k.post/2', 'did:web:l.b', '!hide', false, '-infinity'), ('at://did:web:a%3a1.b', 'did:web:l.b', '!hide', true, 'infinity'),
  ('at://did:web:a%3a1.b', 'did:web:other.b', '!hide', false, 'infinity'), ('at://did:web:c.b', 'did:web:l.b', '!takedown', false, 'infinity')) AS l (s, src, v, neg, exp);
SQL
	is($i->ok('SELECT rkey, author_handle, hidden, conforms, pic_url FROM api.k_k_post ORDER BY rkey'),
		"1|a.b|t|t|https://pds.example/xrpc/com.atproto.sync.getBlob?did=did%3Aweb%3Aa%253a1.b&cid=bafkreiccldh766hwcnuxnf2wh6jgzepf2nlu2lvcllt63eww5p6chi4ity\n2|a.b|f|f|\n3|c.b|t|f|",
		'handles, what labels hide, what conforms, addresses of blobs');
	is($i->ok('SELECT handle, pds, hidden FROM api.account ORDER BY did'), "a.b|https://pds.example|f\nc.b||t", 'the accounts');
	like($i->ok(q{SET enable_seqscan = off; EXPLAIN SELECT did FROM api.account WHERE handle = 'a.b'}), qr/identity_handle/, '... by the handle');
	like($i->ok('SET enable_seqscan = off; EXPLAIN SELECT uri FROM api.k_k_post WHERE NOT hidden'), qr/labels_pkey.*subject = ANY/s, 'labels are found by their index');
	is($i->ok('SELECT indexer.find_references()'), '1', 'joins are found in the references');
	$i->ok(q{INSERT INTO indexer.reference (subject, collection, path, tid, uri) SELECT 'at://did:web:a%3a1.b/k.k.other/1', 'k.k.post', 're', '2222222222222', 'at://did:web:c.b/k.k.post/3' FROM generate_series(1, 1);
		INSERT INTO indexer.reference (subject, collection, path, tid, uri) SELECT 'at://did:web:a%3a1.b/k.k.post/1', 'k.k.post', 're', '2222222222222', 'at://did:web:c.b/k.k.post/3' FROM generate_series(1, 200)});
	is($i->ok('SELECT indexer.find_references()'), '0', '... except one that hardly any record has');
	$i->ok(q{SELECT indexer.make_views('api')});
	like($i->ok(q{SELECT obj_description('api.k_k_post'::regclass, 'pg_class')}), qr/^\@foreignKey \(re_uri\) references api\.k_k_post \(uri\)$/m, '... and in the comments');
	is($i->ok('SELECT q.rkey FROM api.k_k_post AS p JOIN api.k_k_post AS q ON q.uri = p.re_uri'), '1', '... with which records join');
	is($i->ok(q{DROP VIEW api.k_k_post, api.account; CREATE TABLE api.account (did atid.did PRIMARY KEY, handle text); SELECT indexer.make_views('api', true); SELECT relkind FROM pg_class WHERE oid = 'api.account'::regclass}),
		"1\nr", 'an account view of your own stays');
	is($i->ok(q{SELECT count(*) FROM api.k_k_post}), '1', '... and conforming leaves out the other records');
	$i->quit;
}

$node->stop;
done_testing();
