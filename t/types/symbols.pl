# The type atid.symbol: plans, row security, other encodings, COPY, dumps.
#
# Shows that
# - a literal, parameters of type text and text[] in a generic plan, and joins use the index on a column of symbols;
# - they do so under row security, too, because the comparisons are leakproof;
# - random texts have the same order, groups and hashes as text in "C", in memory, on disk and in parallel;
# - in databases of LATIN1, EUC_JP and SQL_ASCII texts are compared by bytes, and the binary form is in the encoding of
#   the client;
# - COPY moves a column of text into one of symbols and back, as text and binary;
# - a dump of a database with old forms, partitions and constraints restores its texts, and packs them again;
# - a page that was written by a newer version, or is damaged, is an error and harms nothing.
#
# Tags: medium differs

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use Cwd qw(abs_path);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('symbols', ready => 1);
my $db   = new_database($node, 'symbols');
my $s    = AtidTest::Session->new($node, $db);
seeded();

#
# Plans
#
$s->ok(<<'SQL');
CREATE ROLE reader;
CREATE TABLE reference (n int, subject int, collection atid.symbol NOT NULL, path atid.symbol NOT NULL, owner name NOT NULL DEFAULT 'reader');
INSERT INTO reference
SELECT n, n % 5000, (ARRAY['app.bsky.feed.like', 'app.bsky.graph.follow', 'com.example.t' || n % 500])[1 + n % 3],
  (ARRAY['subject', 'subject', 'a' || n % 50])[1 + n % 3]
FROM generate_series(1, 50000) n;
CREATE INDEX reference_subject ON reference (subject, collection, path);
CREATE INDEX reference_collection ON reference (collection, path);
CREATE TABLE wanted (t text, v varchar, nsid atid.nsid);
INSERT INTO wanted SELECT x, x, x FROM (SELECT 'com.example.t' || n AS x FROM generate_series(1, 3) n) AS v;
VACUUM ANALYZE;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader;
SQL

# Each query, and the condition that the index must have
my @queries = (
	[ q{SELECT count(*) FROM reference WHERE subject = 5 AND collection = 'app.bsky.feed.like' AND path = 'subject'},
		qr/subject = 5\) AND \(collection = 'app.bsky.feed.like'::atid.symbol\) AND \(path = 'subject'::atid.symbol/ ],
	[ q{SELECT count(*) FROM reference WHERE collection IN ('com.example.t1', 'com.example.t2')}, qr/collection = ANY/ ],
	[ q{SELECT count(*) FROM reference WHERE collection = ANY ('{com.example.t1,com.example.t2}'::text[])}, qr/collection = ANY/ ],
	[ q{SELECT count(*) FROM reference WHERE collection >= 'com.example.t1' AND collection < 'com.example.t2'::text}, qr/collection >= .*collection < / ],
	[ 'SELECT count(*) FROM reference WHERE collection = $1', qr/collection = \$1/, 'text', "'com.example.t1'" ],
	[ 'SELECT count(*) FROM reference WHERE $1 = collection AND path = $2', qr/collection = \(?\$1\)?(?:::text)?\) AND \(path = \$2/, 'varchar, text', "'com.example.t1', 'a1'" ],
	[ 'SELECT count(*) FROM reference WHERE collection = ANY ($1)', qr/collection = ANY \(\$1/, 'text[]', q('{com.example.t1,x,NULL}') ],
	[ 'SELECT count(*) FROM reference WHERE collection > $1 AND collection <= $2', qr/collection > \$1.*collection <= \$2/, 'text, text', "'com.example.t1', 'com.example.t2'" ],
	[ 'SELECT path FROM reference WHERE collection = $1 ORDER BY path LIMIT 2', qr/collection = \$1/, 'text', "'com.example.t2'" ],
	[ 'SELECT count(*) FROM wanted JOIN reference ON collection = t', qr/collection\)?(?:::atid\.symbol)? = wanted\.t/ ],
	[ 'SELECT count(*) FROM wanted JOIN reference ON collection = nsid', qr/collection\)?(?:::atid\.symbol)? = \(?wanted\.nsid/ ],
	[ 'SELECT count(*) FROM wanted LEFT JOIN reference ON v = collection', qr/collection\)?(?:::atid\.symbol)? = \(?wanted\.v/ ]);
sub check_plans
{
	my ($session, $who) = @_;
	$session->ok('SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off');
	foreach (@queries)
	{
		my ($query, $condition, $types, $values) = @$_;
		my ($explained, $run) = ($query, $query);
		if (defined $types)
		{
			$session->ok("PREPARE q ($types) AS $query");
			$explained = $run = "EXECUTE q ($values)";
		}
		like($session->ok("EXPLAIN (COSTS OFF) $explained"), qr/Index Cond: [^\n]*$condition/, "$who: index: $query");
		# the same query on texts
		my $as_text = $query =~ s/\breference\b/(SELECT subject, collection::text COLLATE "C" AS collection, path::text COLLATE "C" AS path FROM reference OFFSET 0) AS reference/r;
		my $got = $session->ok($run);
		if (defined $types)
		{
			$session->ok("DEALLOCATE q; PREPARE q ($types) AS $as_text");
			$as_text = "EXECUTE q ($values)";
		}
		is($got, $session->ok($as_text), "$who: the same rows as on texts");
		$session->ok('DEALLOCATE ALL');
	}
}
check_plans($s, 'owner');

# Row security: what is not leakproof would be a filter.
$s->ok(q{ALTER TABLE reference ENABLE ROW LEVEL SECURITY; CREATE POLICY own ON reference USING (owner = current_user)});
$s->ok('INSERT INTO reference SELECT n, subject, collection, path, $$other$$ FROM reference LIMIT 1000');
my $reader = AtidTest::Session->new($node, $db);
$reader->ok('SET SESSION AUTHORIZATION reader');
is($reader->ok('SELECT count(*) FROM reference'), '50000', 'row security hides rows');
check_plans($reader, 'row security');
$reader->quit;

#
# Random texts: short ones of few letters, near to the words of the dictionary.
#
my @words =
  qw(app.bsky.feed.like app.bsky.feed.post subject reply.parent text a did embed.record com.atproto.repo.strongRef);
my @texts = map {
	my $word = $words[ rand @words ];
	my $kind = int rand 5;
	$kind == 0 ? substr($word, 0, rand(1 + length $word)) : $kind == 1 ? $word . chr(33 + rand 90) : $kind == 2
	  ? chr(97 + rand 26) . substr($word, 1)
	  : $word
} 1 .. ($ENV{ATID_FULL} ? 20000 : 4000); # a hash index has long chains of equal texts
$s->ok('CREATE TABLE random (s atid.symbol, t text COLLATE "C"); INSERT INTO random (t) VALUES ' . join ',', map { "('" . s/'/''/gr . "')" } @texts);
# one in four as an older version would have stored it
$s->ok(<<'SQL');
CREATE FUNCTION of_packed(bytea) RETURNS atid.symbol LANGUAGE internal IMMUTABLE STRICT AS 'byteasend';
CREATE FUNCTION packed_of(atid.symbol) RETURNS bytea LANGUAGE internal IMMUTABLE STRICT AS 'byteasend';
UPDATE random SET s = CASE WHEN random() < 0.25 THEN of_packed('\x00'::bytea || convert_to(t, 'UTF8')) ELSE t::atid.symbol END;
ANALYZE random;
SQL
cmp_ok($s->ok(q{SELECT count(*) FROM random AS a JOIN random AS b USING (s) WHERE packed_of(a.s) <> packed_of(b.s)}), '>', 1000, 'there are texts in two forms');
foreach my $settings (q{SET work_mem = '64kB'}, q{SET work_mem = '64MB'}, q{SET enable_hashagg = off},
	q{SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2})
{
	$s->ok($settings);
	is($s->ok('SELECT md5(string_agg(s, $$,$$ ORDER BY s)) = md5(string_agg(t, $$,$$ ORDER BY t)) FROM random'), 't', "$settings: sorted");
	is($s->ok('SELECT (SELECT md5(string_agg(s || n, $$,$$ ORDER BY s)) FROM (SELECT s, count(*) AS n FROM random GROUP BY s) AS v)
		= (SELECT md5(string_agg(t || n, $$,$$ ORDER BY t)) FROM (SELECT t, count(*) AS n FROM random GROUP BY t) AS v)'), 't', "$settings: grouped");
	is($s->ok('SELECT (SELECT sum(a.n * b.n) FROM (SELECT s, count(*) AS n FROM random GROUP BY s) AS a JOIN (SELECT t, count(*) AS n FROM random GROUP BY t) AS b ON a.s = b.t)
		= (SELECT sum(n * n) FROM (SELECT count(*) AS n FROM random GROUP BY t) AS v)'), 't', "$settings: joined");
}
$s->ok('RESET ALL; CREATE INDEX random_s ON random (s); CREATE INDEX random_h ON random USING hash (s); ANALYZE random');
foreach my $index (qw(random_h random_s))
{
	my $wrong = q{SELECT count(*) FROM (SELECT t, count(*) AS n FROM random GROUP BY t) AS v
		WHERE n <> (SELECT count(*) FROM random AS r WHERE r.s = v.t)};
	$s->ok('SET enable_seqscan = off; SET enable_bitmapscan = off');
	$s->ok('DROP INDEX random_s') if $index eq 'random_h';
	$s->ok('CREATE INDEX random_s ON random (s); DROP INDEX random_h') if $index eq 'random_s';
	like($s->ok("EXPLAIN $wrong"), qr/$index/, "$index is used");
	is($s->ok($wrong), '0', "$index finds all forms");
	$s->ok('RESET ALL');
}
# There is no deduplication: it pays only for an index without a column that differs in each row.
my ($few, $many) = map { $s->ok("CREATE INDEX sized_s ON reference ($_); CREATE INDEX sized_t ON reference (" . s/collection, path/(collection::text), (path::text)/r . ');
	SELECT pg_relation_size($$sized_s$$)::numeric / pg_relation_size($$sized_t$$); DROP INDEX sized_s, sized_t') } 'collection, path', 'collection, path, n';
cmp_ok($few, '>', 1.5, "an index on few values is larger than that on their texts: $few");
cmp_ok($many, '<', 0.7, "one with a unique column is smaller: $many");
SKIP: {
	skip 'no amcheck', 1 unless has_extension($node, 'amcheck');
	$s->ok('CREATE EXTENSION amcheck');
	is($s->ok(q{SELECT bt_index_parent_check('random_s', true)}), '', 'the b-tree is in order');
}

#
# COPY
#
my $folder = abs_path(PostgreSQL::Test::Utils::tempdir('symbols'));
foreach my $format ('text', 'csv', 'binary')
{
	$s->ok(<<"SQL");
CREATE TABLE a (t text); INSERT INTO a SELECT t FROM random UNION ALL VALUES (''), (NULL), ('smörgås'), (E'a\\tb\\\\\\n');
CREATE TABLE b (s atid.symbol); CREATE TABLE c (t text);
COPY (SELECT t FROM a ORDER BY t COLLATE "C") TO '$folder/a' (FORMAT $format); COPY b FROM '$folder/a' (FORMAT $format);
COPY (SELECT s FROM b ORDER BY s) TO '$folder/b' (FORMAT $format); COPY c FROM '$folder/b' (FORMAT $format);
SQL
	is($s->ok('SELECT count(*) FROM (SELECT t, count(*) FROM a GROUP BY t EXCEPT SELECT t, count(*) FROM c GROUP BY t) AS v'), '0', "COPY $format");
	is(slurp_file("$folder/a") eq slurp_file("$folder/b") ? 'same' : 'other', 'same', "COPY $format: the same file as of text");
	$s->ok('DROP TABLE a, b, c');
}

#
# Other encodings
#
foreach my $encoding ('LATIN1', 'EUC_JP', 'SQL_ASCII', 'UTF8')
{
	my $name = lc "e_$encoding";
	$node->safe_psql('postgres', "CREATE DATABASE $name TEMPLATE template0 ENCODING '$encoding' LOCALE 'C'");
	$node->safe_psql($name,      'CREATE EXTENSION atid');
	my $e    = AtidTest::Session->new($node, $name);
	my $text = { LATIN1 => "sm\xC3\xB6rg\xC3\xA5s", EUC_JP => "\xE6\xBC\xA2\xE5\xAD\x97" }->{$encoding} // "sm\xC3\xB6rg\xC3\xA5s";
	$e->ok("SET client_encoding = 'UTF8'; CREATE TABLE x (s atid.symbol, t text COLLATE \"C\");
		INSERT INTO x SELECT v, v FROM unnest(ARRAY['$text', 'subject', 'subjecu', 'app.bsky.feed.like', 'app.bsky.feed.like\x7f', '']) AS v");
	is($e->ok('SELECT string_agg(s, $$,$$ ORDER BY s) = string_agg(t, $$,$$ ORDER BY t), bool_and(s = t), bool_and(atid.symbol_hash(s) = hashtext(t)) FROM x'),
		't|t|t', "$encoding: by bytes");
	is($e->ok("SELECT s FROM x WHERE s = '$text'"), $text, "$encoding: out");
	is($e->ok(q{SELECT encode(atid.symbol_send(s), 'hex') FROM x WHERE length(s) BETWEEN 2 AND 9 AND s NOT LIKE 'sub%'}), unpack('H*', $text),
		"$encoding: the binary form is in the encoding of the client");
	$e->ok("COPY x TO '$folder/x' (FORMAT binary); TRUNCATE x; COPY x FROM '$folder/x' (FORMAT binary)");
	is($e->ok("SELECT count(*) FROM x WHERE s = t"), '6', "$encoding: COPY binary");
	$e->quit;
}
my $other = AtidTest::Session->new($node, 'e_latin1');
$other->ok("SET client_encoding = 'UTF8'; CREATE TABLE y (s atid.symbol)");
$s->ok(q{COPY (SELECT '漢'::atid.symbol) TO '} . "$folder/y' (FORMAT binary)");
my (undef, $state) = $other->try("COPY y FROM '$folder/y' (FORMAT binary)");
is($state, '22P05', 'a character that the encoding lacks is an error');
$other->quit;

#
# Dump and restore
#
$s->ok(<<'SQL');
CREATE TABLE listed (collection atid.symbol, path atid.symbol DEFAULT 'reply.parent' CHECK (path <> 'x')) PARTITION BY LIST (collection);
CREATE TABLE listed_a PARTITION OF listed FOR VALUES IN ('app.bsky.feed.like', 'com.example.a');
CREATE TABLE listed_rest PARTITION OF listed DEFAULT;
CREATE INDEX ON listed (path, collection) WHERE collection > 'app';
CREATE STATISTICS listed_stats ON collection, path FROM listed_a;
CREATE VIEW liked AS SELECT collection || '/' || path AS p, min(path) OVER () FROM listed WHERE collection IN ('app.bsky.feed.like', 'com.example.b');
INSERT INTO listed (collection) VALUES ('app.bsky.feed.like'), ('com.example.b'), (of_packed('\x006170702e62736b792e666565642e6c696b65'));
INSERT INTO listed VALUES ('com.example.b', of_packed('\x007375626a656374'));
SQL
my $before = $s->ok('SELECT tableoid::regclass, * FROM listed ORDER BY 1, 2, 3; SELECT * FROM liked ORDER BY 1');
is($s->ok(q{SELECT count(*) FROM listed_a WHERE collection = 'app.bsky.feed.like'}), '2', 'both forms are in one partition');
command_ok([ 'pg_dump', '-d', $node->connstr($db), '-f', "$folder/dump" ], 'dumped');
$node->safe_psql('postgres', 'CREATE DATABASE restored TEMPLATE template0');
command_ok([ 'psql', '-XqAt', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('restored'), '-f', "$folder/dump", '-o', '/dev/null' ], 'restored');
my $restored = AtidTest::Session->new($node, 'restored');
is($restored->ok('SELECT tableoid::regclass, * FROM listed ORDER BY 1, 2, 3; SELECT * FROM liked ORDER BY 1'), $before, 'the same texts');
is($restored->ok(q{SELECT string_agg(DISTINCT encode(packed_of(path), 'hex'), ',' ORDER BY encode(packed_of(path), 'hex')) FROM listed}), '15,16',
	'packed again');
is($restored->ok(q{SELECT count(*) FROM random WHERE s <> t}), '0', 'also 20,000 random ones');
$restored->quit;

#
# What this version cannot read
#
$s->ok(q{CREATE TABLE newer (n int, s atid.symbol); INSERT INTO newer VALUES (1, 'subject'), (2, of_packed('\x7f')), (3, of_packed('\xffff')), (4, of_packed('\x0101'))});
foreach (
	[ 'SELECT * FROM newer WHERE n = 2', '0A000' ], [ 'SELECT * FROM newer WHERE n = 3', '0A000' ],
	[ 'SELECT * FROM newer WHERE n = 4', 'XX001' ], [ q{SELECT count(*) FROM newer WHERE s = 'subjects'}, '0A000' ],
	[ 'SELECT s FROM newer ORDER BY s', '0A000' ], [ 'SELECT s, count(*) FROM newer GROUP BY s', '0A000' ],
	[ 'CREATE INDEX ON newer (s)', '0A000' ], [ 'CREATE INDEX ON newer USING hash (s)', '0A000' ],
	[ 'SELECT s || $$x$$ FROM newer', '0A000' ], [ 'SELECT count(*) FROM newer JOIN wanted ON s = t', '0A000' ])
{
	my ($query, $wanted) = @$_;
	my (undef, $got) = $s->try($query);
	is($got, $wanted, $query);
}
is($s->ok('SELECT s FROM newer WHERE n = 1'), 'subject', 'the other rows can be read');
$s->quit;
$node->stop;
done_testing();
