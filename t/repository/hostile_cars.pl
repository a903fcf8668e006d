# Hostile CARs, and other tests of repositories that need more than one session.
#
# Shows that
# - a million blocks of one byte, a million blocks of one CID, a section of 100 MB, CIDs with the same first bytes,
#   and a record that many paths refer to end in success or in an error with the reason, with memory bounded by
#   their size; reading a repository of 300 MB takes far less memory than that;
# - a cancel stops a long call at once;
# - calls give their memory back; many aggregates can run at the same time;
# - parallel workers run the functions;
# - a database in another encoding gives the same results.
#
# Tags: long

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Memory;
use AtidTest::Order;
use AtidTest::Repository;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node    = new_node('limits', ready => 1, conf => "shared_buffers = 16MB\nwork_mem = 4MB\n");
my $db      = new_database($node, 'limits');
my $session = AtidTest::Session->new($node, $db);
my $folder  = PostgreSQL::Test::Utils::tempdir('cars');

# Everything is used once, so that its code is loaded.
my $empty = node(undef, []);
my $car = car([ cid_of($empty) ], [ cid_of($empty), $empty ]);
my $hex = "'\\x" . unpack('H*', $car) . "'::bytea";
$session->ok("SELECT count(*) FROM atid.car_blocks($hex), atid.mst_entries($hex), atid.mst_diff($hex, NULL, $hex, NULL)");
$session->ok("SELECT atid.repo_problem($hex), atid.car_problem($hex), atid.mst_root('a/b', 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku')");

# --- many blocks -----------------------------------------------------------------------------------

my $ones = join '', map { section(cid_of(chr $_, RAW), chr $_) } 0 .. 99;
my $million = file_of($folder, 'million', car([]) . $ones x 10_000);
outcome($session, 'a million blocks of one byte', "SELECT count(*) FROM atid.car_blocks($million)", '00000', qr/^1000000$/, 130);
outcome($session, 'a million blocks of one byte, repo_problem', "SELECT atid.repo_problem($million)", '00000', qr/must have a root/, 130);

# CIDs that were chosen: none of them is a hash, all agree except in two bytes.
my $chosen = file_of($folder, 'chosen',
	car([ cid_of('root') ]) . join '', map { section("\x01\x71\x12\x20" . ("\0" x 28) . pack('N', $_), 'x') } 0 .. 299_999);
outcome($session, '300,000 CIDs that begin alike', "SELECT atid.repo_problem($chosen)", '00000', qr/must have the block of its first root/, 60);
swift($session->used, 10, 'and in time that is no square of their number');

# Sections of 5 bytes, which are not indexed.
my $tiny = file_of($folder, 'tiny', car([ cid_of('root') ]) . "\x04\x01\x55\x00\x00" x 2_000_000);
outcome($session, 'two million sections of no hash', "SELECT atid.repo_problem($tiny)", '00000', qr/must have the block/, 40);

my $large = file_of($folder, 'large', car([ cid_of('root') ]) . section(cid_of('x' x 100_000_000, RAW), 'x' x 100_000_000));
outcome($session, 'a block of 100 MB', "SELECT atid.car_is_valid($large)", '00000', qr/^t$/, 210);
outcome($session, 'a block of 100 MB, as a row', "SELECT length(block) FROM atid.car_blocks($large)", '00000', qr/^100000000$/, 620);

# A commit may have an unknown field, but not megabytes of it.
foreach my $more (1_048_576, 1_048_577)
{
	my $plain = commit(cid_of($empty));
	substr $plain, 0, 1, "\xa7";
	my $commit = $plain . cbor_text('versions') . "\x5a";
	$commit .= pack('N', $more - 4 - length $commit) . 'x' x ($more - 4 - length $commit);
	is(length $commit, $more, "a commit of $more bytes");
	my $car = file_of($folder, "commit$more", car([ cid_of($commit) ], [ cid_of($commit), $commit ], [ cid_of($empty), $empty ]));
	outcome($session, 'the same', "SELECT count(*) FROM atid.repo_records($car)", ['00000', '54000']->[ $more - 1_048_576 ],
		$more > 1_048_576 ? qr/At byte \d+: A commit must have at most 1048576 bytes/ : qr/^0$/, 30);
}

# --- a record under many paths ----------------------------------------------------------------------

# 20 MB, 120 times; all the keys are of depth 0, except one in between.
{
	my $record = "\x5a" . pack('N', 20_000_000) . 'x' x 20_000_000;
	my $cid    = cid_of($record);
	my (%values, @nodes);
	for (my $i = 0; keys %values < 120; $i++)
	{
		$values{"app.bsky.feed.post/$i"} = $cid;
	}
	my $commit = commit(tree(\%values, \@nodes));
	my $many = file_of($folder, 'many', car([ cid_of($commit) ], [ cid_of($commit), $commit ], @nodes, [ $cid, $record ]));
	outcome($session, 'a record of 20 MB under 120 paths', "SELECT count(*) FROM atid.repo_records($many)", '54000',
		qr/Blocks that several paths refer to must not be too large.*The path is "app\.bsky\.feed\.post\/\d+"/, 200);
	outcome($session, 'the same, under its own size', "SELECT count(*) FROM atid.mst_entries($many, (atid.repo_commit($many)).data)", '00000', qr/^120$/, 130);
}

# --- operations in an order that is made for it -------------------------------------------------------

$session->ok(sprintf q{CREATE TEMP TABLE killer AS SELECT array_agg('a/' || lpad(k::text, 6, '0') ORDER BY n) AS keys FROM unnest('{%s}'::int[]) WITH ORDINALITY AS u (k, n)},
	join ',', killer_order(100_000));
$session->ok('ALTER TABLE killer ADD olds atid.cid_link[], ADD news atid.cid_link[]');
$session->ok("UPDATE killer SET olds = array_fill('bafkqaaa'::atid.cid_link, ARRAY[100000]), news = array_fill(NULL::atid.cid_link, ARRAY[100000])");
outcome($session, '100,000 operations, all of them deletes', 'SELECT atid.mst_invert((SELECT atid.mst_car(NULL, NULL) FILTER (WHERE false)), NULL, keys, olds, news) FROM killer',
	'00000', qr/^bafyrei/, 130);
swift($session->used, 2, 'in n log n');

# --- a large repository -----------------------------------------------------------------------------

$session->ok(<<'SQL');
CREATE TABLE large AS
  WITH record AS MATERIALIZED (
    SELECT 'com.example.record/' || lpad(i::text, 9, '0') AS path, convert_to(repeat(i::text, 2000), 'UTF8') AS block
      FROM generate_series(1, 25000) i),
  tree AS (SELECT atid.mst_car(path, atid.cid_of(block, 'raw') ORDER BY path COLLATE "C") AS car FROM record),
  signed AS (
    SELECT atid.record_to_dag_cbor(jsonb_build_object('did', 'did:web:a.example', 'version', 3, 'rev', '3jzfcijpj2z2a', 'prev', NULL,
             'data', jsonb_build_object('$link', r.cid), 'sig', jsonb_build_object('$bytes', 'AAAA'))) AS block
      FROM tree, atid.car_roots(car) r)
  SELECT atid.car_agg((SELECT atid.cid_of(block, 'dag-cbor') FROM signed), cid, block) AS car
    FROM (SELECT atid.cid_of(block, 'dag-cbor') AS cid, block FROM signed
          UNION ALL SELECT b.cid, b.block FROM tree, atid.car_blocks(car) b
          UNION ALL SELECT atid.cid_of(block, 'raw'), block FROM record) x;
SQL
my $size = $session->ok('SELECT length(car) FROM large') / 1024 / 1024;
cmp_ok($size, '>', 200, sprintf 'a repository of %.0f MB', $size);

# A separate value takes its own memory: once as stored in the table, once complete.
my (undef, undef, undef, $alone) = measured($session, 'SELECT length(car || \'\') FROM large');
SKIP:
{
	skip 'memory cannot be seen here', 2 unless defined $alone;
	foreach my $call ('count(*) FROM large, atid.repo_records(car)', 'atid.repo_problem(car) FROM large')
	{
		my ($out, $state, $err, $grown) = measured($session, "SELECT $call");
		is($state, '00000', "SELECT $call") or diag($err);
		cmp_ok($grown - $size, '<', 150, sprintf 'in %.0f MB above the CAR\'s own size', $grown - $size);
	}
}

# --- cancelling --------------------------------------------------------------------------------------

my $other = AtidTest::Session->new($node, $db);
# so many operations that sorting them takes seconds
$session->ok('CREATE TABLE many (keys text[], olds atid.cid_link[], news atid.cid_link[])');
$session->ok('ALTER TABLE many ALTER keys SET STORAGE EXTERNAL, ALTER olds SET STORAGE EXTERNAL, ALTER news SET STORAGE EXTERNAL');
$session->ok("INSERT INTO many SELECT array_agg('a/' || lpad((i::bigint * 2654435761 % 4294967296)::text, 10, '0')), array_agg('bafkqaaa'::atid.cid_link), array_agg(NULL::atid.cid_link) FROM generate_series(1, 2000000) i");
foreach my $call ('sum((SELECT count(*) FROM atid.repo_records(car) WHERE i > 0)) FROM large, generate_series(1, 100) i',
	'count(atid.repo_is_valid(car)) FROM large, generate_series(1, 100)',
	'count(atid.car_is_valid(car)) FROM large, generate_series(1, 100)',
	"count(*) FROM generate_series(1, 100), atid.car_blocks($million)",
	'atid.mst_invert((SELECT atid.mst_car(NULL, NULL) FILTER (WHERE false)), NULL, keys, olds, news) FROM many')
{
	cancelled($session, $other, $call, "SELECT $call", 1);
}
$other->quit;
$session->ok('DROP TABLE many');

# --- memory that is given back -----------------------------------------------------------------------

# in a session that has none to reuse from before
$session->quit;
$session = AtidTest::Session->new($node, $db);

$session->ok('CREATE TABLE small AS SELECT i AS n, atid.cid_of(convert_to(i::text, \'UTF8\'), \'raw\') AS cid FROM generate_series(1, 200) i');
$session->ok("CREATE TABLE trees AS SELECT atid.mst_car('a/' || n, cid ORDER BY ('a/' || n) COLLATE \"C\") AS car FROM small");
foreach my $call ("count(atid.car_problem(car)) FROM trees, generate_series(1, 5000)",
	"count(atid.repo_problem(car)) FROM trees, generate_series(1, 5000)",
	"count(atid.mst_invert(car, NULL, '{}', '{}', '{}')) FROM trees, generate_series(1, 2000)",
	"sum((SELECT count(*) FROM atid.mst_entries(car) WHERE i > 0)) FROM trees, generate_series(1, 1000) i")
{
	my ($out, $state, $err, $grown) = measured($session, "SELECT $call");
	is($state, '00000', $call) or diag($err);
  SKIP:
	{
		skip 'memory cannot be seen here', 1 unless defined $grown;
		cmp_ok($grown, '<', 15, sprintf 'gives its memory back (%.0f MB)', $grown);
	}
}

# Twenty thousand accounts at the same time, in whatever order their rows arrive.
outcome($session, '20,000 trees at a time',
	"SET enable_sort = off; SELECT count(*), count(DISTINCT root) FROM (SELECT atid.mst_root('a/' || lpad(n::text, 3, '0'), cid) AS root FROM (SELECT * FROM small WHERE n <= 10 ORDER BY n OFFSET 0) s, generate_series(1, 20000) account GROUP BY account) x",
	'00000', qr/^20000\|1$/, 120);
$session->ok('RESET enable_sort');

# --- parallel workers ---------------------------------------------------------------------------------

my $plan = $session->ok(<<'SQL');
CREATE TABLE repos AS SELECT car FROM trees, generate_series(1, 2000);
ALTER TABLE repos SET (parallel_workers = 2);
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
ANALYZE repos;
EXPLAIN SELECT count(atid.car_is_valid(car)) FROM repos;
SQL
like($plan, qr/Parallel Seq Scan/, 'a plan with parallel workers');
is($session->ok('SELECT count(*) FILTER (WHERE atid.car_is_valid(car)) FROM repos'), 2000, 'and its answer');

# --- another encoding ---------------------------------------------------------------------------------

$node->safe_psql('postgres', "CREATE DATABASE latin1 ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0");
$node->safe_psql('latin1', 'CREATE EXTENSION atid');
foreach my $query ("SELECT atid.mst_root('a/' || n, atid.cid_of(convert_to(n::text, 'UTF8'), 'raw') ORDER BY ('a/' || n) COLLATE \"C\") FROM generate_series(1, 500) n",
	"SELECT string_agg(key, ' ') FROM atid.mst_entries((SELECT atid.mst_car('a/' || n, atid.cid_of(convert_to(n::text, 'UTF8'), 'raw') ORDER BY ('a/' || n) COLLATE \"C\") FROM generate_series(1, 500) n))",
	"SELECT string_agg(atid.mst_key_depth(E'caf\\u00e9' || n)::text, '' ORDER BY n) FROM generate_series(1, 200) n")
{
	is($node->safe_psql('latin1', $query), $session->ok($query), 'the same in LATIN1');
}
my ($status, undef, $stderr) = $node->psql('latin1', "SELECT atid.mst_root('caf' || chr(233), 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku')");
like($stderr, qr/printable ASCII/, 'a key that is no ASCII is refused there too');

$session->quit;
$node->stop;
done_testing();
