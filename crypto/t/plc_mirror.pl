# The mirror of the PLC directory in examples/plc-mirror.sql works.
#
# The logs are random ones of t/oracles/plc.js, 150 with script/test --full and 70 otherwise; some of them are invalid.
# Shows that
# - when they arrive in pages, with repeated lines, and are verified account by account in random order, some later than
#   others, each account has the operations, the state and the keys that its whole log gives at once;
# - of an invalid log, the operations before the one that breaks a rule are stored, the others are kept aside with their
#   reason, and the stored ones are valid;
# - a line that jsonb cannot hold, or that lacks the fields of an entry, stays where it was, and the rest is processed;
# - a valid operation may have texts that are longer than an index accepts;
# - an account that is verified again is unchanged;
# - a damaged line with the did and the cid of a true one does no harm once the true one has arrived, and none to the
#   operations that follow it;
# - it also does no harm before it is verified, in whichever order the two arrive, and if only its time is damaged: both
#   are tried; few lines wait, whatever is sent, and none are left in the end;
# - one statement can verify more accounts than the server has room for in its lock table;
# - the indexes are used to find an account by its handle or its server, and to find a key.
#
# Skipped where atid_crypto, node or npm are not available.
#
# Tags: long node crypto

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Oracles;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $count = $ENV{ATID_FULL} ? 150 : 70;
my $pages = 6;

my $node = new_node('plc_mirror', ready => 1, lasting => 1);
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my ($oracles, $why) = AtidTest::Oracles->new;
plan skip_all => $why unless defined $oracles;

my $db = new_database($node, 'mirror');
$node->safe_psql($db, 'CREATE EXTENSION atid_crypto');
my $dir = PostgreSQL::Test::Utils::tempdir('mirror');

my $mirror = "$FindBin::Bin/../../examples/plc-mirror.sql";
$node->safe_psql($db, slurp_file($mirror));
my ($copy) = slurp_file($mirror) =~ /^--   \\copy plc_import FROM 'page.jsonl' (.*)$/m or die 'no COPY';

my $seed = AtidTest::Oracles::seed();
PostgreSQL::Test::Utils::append_to_file("$dir/logs", join("\n", $oracles->ask('plc.js', [ 'logs', $seed, $count ])) . "\n");

# SQL in which random() depends on the seed, and differs from page to page
sub seeded_sql { return sprintf("SELECT setseed(%.6f);\n", ($seed * 31 + $_[0]) % 1_000_000 / 1_000_000); }

$node->safe_psql($db, seeded_sql($pages + 1) . <<"SQL");
CREATE TABLE answer (what text, log text, rule text, at int, strict text, history text, states text, lib bool, may_differ bool);
\\copy answer FROM '$dir/logs'
CREATE TABLE log AS
SELECT log -> 0 ->> 'did' AS did, log, rule, at, jsonb_array_length(log) AS length
FROM (SELECT convert_from(decode(log, 'hex'), 'UTF8')::jsonb AS log, rule, at FROM answer WHERE what = 'random') AS l;
CREATE UNIQUE INDEX ON log (did);
-- on which page an entry comes: not before those in front of it, and one in five on the next page too
CREATE TABLE line AS
SELECT did, i, entry::text AS line, max(page) OVER (PARTITION BY did ORDER BY i) AS page
FROM (SELECT did, i, entry, floor($pages * (i - 1 + random()) / (length + 1)) AS page
      FROM log, jsonb_array_elements(log) WITH ORDINALITY AS e (entry, i)) AS l;
INSERT INTO line SELECT did, i, line, page + 1 FROM line WHERE random() < 0.2;
SQL

for my $page (0 .. $pages)
{
	# the last time all are verified
	my $some = $page < $pages ? 'random() < 0.7' : 'true';
	$node->safe_psql($db, seeded_sql($page) . <<"SQL");
\\copy (SELECT line FROM line WHERE page = $page ORDER BY random()) TO '$dir/page$page' $copy
\\copy plc_import FROM '$dir/page$page' $copy
INSERT INTO plc_import VALUES ('{"did": "a", "cid": "b", "createdAt": "2024-01-01T00:00:00Z", "operation": {"x": "\\u0000"}}'),
  ('{"did": "a", "cid": "b", "createdAt": "2024-01-01T00:00:00Z", "operation": {"x": "\\ud800"}}'), ('{"did": '),
  ('[]'), ('{"did": "a", "cid": "b", "createdAt": "today", "operation": {}}'),
  ('{"did": "year 0", "cid": "b", "createdAt": "0000-01-01T00:00:00Z", "operation": {}}');
INSERT INTO plc_import SELECT json_build_object('did', did, 'cid', 'b', 'createdAt', '2024-01-01T00:00:00Z', 'operation', '{}'::json)
FROM (SELECT string_agg(md5(i::text), '') AS did FROM generate_series(1, 200) AS i) AS long;
CALL plc_take_in();
SELECT plc_verify(did) FROM (SELECT DISTINCT did FROM plc_operation WHERE n IS NULL AND problem IS NULL) AS d
WHERE $some ORDER BY random();
SQL
}
is($node->safe_psql($db, 'SELECT count(*) FROM plc_import'), 6 * ($pages + 1), 'what cannot be read stays');
like($node->safe_psql($db, q{DELETE FROM plc_operation WHERE did = 'year 0' RETURNING problem}),
	qr/^\$\[0\]\.createdAt: The value must be a datetime/, 'a time of the year 0');
is( $node->safe_psql($db, 'SELECT count(*) FROM plc_operation'),
	$node->safe_psql($db, 'SELECT sum(length) FROM log'),
	'all operations are there');

# The answer of the directory for a log.
sub state_of { return "(SELECT h.data FROM atid.plc_log_history($_[0]) AS h WHERE h.valid_to IS NULL)"; }

sub compare
{
	my ($name) = @_;
	is_none($node, $db, 'SELECT did, length, verified FROM log LEFT JOIN plc_account AS a USING (did) WHERE rule IS NULL AND verified IS DISTINCT FROM length',
		"$name: all of a valid log");
	is_none($node, $db,
		"SELECT did FROM log JOIN plc_account AS a USING (did) WHERE rule IS NULL AND state IS DISTINCT FROM ${\ state_of('log') }",
		"$name: the state");
	is_none($node, $db,
		'SELECT did FROM log WHERE rule IS NULL AND (SELECT jsonb_agg(to_jsonb(a) ORDER BY a) FROM '
		  . '(SELECT id, key, nullified, range_agg(valid) AS valid FROM plc_key AS k WHERE k.did = log.did GROUP BY 1, 2, 3) AS a) '
		  . 'IS DISTINCT FROM (SELECT jsonb_agg(to_jsonb(a) ORDER BY a) FROM (SELECT id, key, nullified, '
		  . 'range_agg(tstzrange(valid_from, valid_to)) AS valid FROM atid.plc_log_keys(log) GROUP BY 1, 2, 3) AS a)', "$name: the keys");
	is_none($node, $db,
		'SELECT did, rule, at, verified FROM log LEFT JOIN plc_account AS a USING (did) WHERE rule IS NOT NULL '
		  . 'AND NOT (coalesce(verified, 0) >= at AND coalesce(verified, 0) < length)', "$name: what comes before the problem");
	is_none($node, $db,
		'SELECT did, rule, problem FROM log JOIN plc_operation AS o USING (did) WHERE rule IS NOT NULL AND cid = log -> at ->> \'cid\' '
		  . 'AND problem IS DISTINCT FROM atid.plc_log_problem(log)', "$name: the reason");
	is_none($node, $db,
		'SELECT did, verified, state FROM plc_account WHERE NOT atid.plc_log_is_valid(plc_log(did)) OR verified <> jsonb_array_length(plc_log(did)) '
		  . "OR state IS DISTINCT FROM ${\ state_of('plc_log(did)') }", "$name: what is there is valid");
	return;
}

compare('page by page');
$node->safe_psql($db, <<'SQL');
UPDATE plc_operation SET n = NULL, problem = NULL;
DELETE FROM plc_account;
SELECT plc_verify(did) FROM (SELECT DISTINCT did FROM plc_operation) AS d;
SQL
compare('anew');

#
# The first line of every second valid log is damaged, and the true ones arrive later.
#
$node->safe_psql($db, <<"SQL");
CREATE TABLE damaged AS SELECT did, length FROM log WHERE rule IS NULL AND hashtext(did) % 2 = 0;
DELETE FROM plc_operation WHERE did IN (SELECT did FROM damaged);
DELETE FROM plc_account WHERE did IN (SELECT did FROM damaged);
INSERT INTO plc_import SELECT jsonb_set(log -> 0, '{operation,sig}', '"AAAA"') FROM log WHERE did IN (SELECT did FROM damaged);
CALL plc_take_in();
INSERT INTO plc_import SELECT e FROM log, jsonb_array_elements(log - 0) AS e WHERE did IN (SELECT did FROM damaged);
CALL plc_take_in();
SELECT plc_verify(did) FROM damaged;
SQL
is_none($node, $db, 'SELECT did FROM damaged JOIN plc_account USING (did)', 'damaged: nothing is taken');
cmp_ok($node->safe_psql($db, 'SELECT count(*) FROM plc_operation JOIN damaged USING (did) WHERE problem IS NOT NULL AND length > 1'),
	'>', $count / 8, 'damaged: refused, and what follows too');
$node->safe_psql($db, <<"SQL");
INSERT INTO plc_import SELECT log -> 0 FROM log WHERE did IN (SELECT did FROM damaged);
CALL plc_take_in();
SELECT plc_verify(did) FROM plc_operation WHERE n IS NULL AND problem IS NULL GROUP BY did;
SQL
compare('mended');

#
# Damaged lines before and after the true ones, with none verified yet.
#
sub forget
{
	$node->safe_psql($db, 'DELETE FROM plc_import; DELETE FROM plc_operation WHERE did IN (SELECT did FROM damaged);
		DELETE FROM plc_account WHERE did IN (SELECT did FROM damaged); DELETE FROM plc_key WHERE did IN (SELECT did FROM damaged)');
	return;
}
my $all    = 'log, jsonb_array_elements(log) WITH ORDINALITY AS e (e, i) WHERE did IN (SELECT did FROM damaged)';
my $verify = 'SELECT plc_verify(did) FROM plc_operation WHERE n IS NULL AND problem IS NULL GROUP BY did;';
my %damage = (
	signature => q(jsonb_set(e, '{operation,sig}', '"AAAA"')),
	operation => q(jsonb_set(e, '{operation}', '7')),
	# not of the first operation: nothing disproves its time
	time => q(CASE WHEN i = 1 THEN e ELSE jsonb_set(e, '{createdAt}', to_jsonb('2019-01-01T00:00:00Z'::timestamptz)) END));
foreach my $what (sort keys %damage)
{
	my $bad  = "INSERT INTO plc_import SELECT $damage{$what} FROM $all;";
	my $good = "INSERT INTO plc_import SELECT e FROM $all;";
	my $take = 'CALL plc_take_in();';
	foreach my $case ([ 'before', "$bad $take $good $take" ], [ 'after', "$good $take $bad $take" ], [ 'beside', "$bad $good $take" ],
		[ 'after a part was refused', "INSERT INTO plc_import SELECT e FROM $all AND i > 1; $take $verify $bad $take $verify $good $take" ])
	{
		forget();
		$node->safe_psql($db, $case->[1]);
		$node->safe_psql($db, "$verify CALL plc_take_in();\n" x 12);
		compare("damaged $what, $case->[0]");
		is($node->safe_psql($db, 'SELECT count(*) FROM plc_import'), 0, "damaged $what, $case->[0]: none waits");
	}
}
forget();
$node->safe_psql($db, "INSERT INTO plc_import SELECT jsonb_set(e, '{createdAt}', to_jsonb('2019-01-01T00:00:00Z'::timestamptz - n * interval '1 s'))
	FROM (SELECT e, n FROM log, jsonb_array_elements(log) AS e, generate_series(1, 100) AS n WHERE did = (SELECT min(did) FROM damaged WHERE length > 1)) AS l;
	CALL plc_take_in(); CALL plc_take_in()");
is($node->safe_psql($db, 'SELECT max(count) FROM (SELECT count(*) FROM plc_import GROUP BY line::jsonb->>\'cid\') AS c'), 9, 'few wait');
forget();
$node->safe_psql($db, "INSERT INTO plc_import SELECT e FROM $all; CALL plc_take_in(); $verify");
compare('in the end');

#
# Many accounts
#
my ($room) = $node->safe_psql($db, q{SELECT 4 * current_setting('max_locks_per_transaction')::int * current_setting('max_connections')::int});
$node->safe_psql($db, <<"SQL");
INSERT INTO plc_operation SELECT 'did:plc:' || i, 'a', now(), NULL, '{}' FROM generate_series(1, $room) AS i;
SELECT plc_verify(did) FROM plc_operation WHERE n IS NULL AND problem IS NULL GROUP BY did;
SQL
is($node->safe_psql($db, q{DELETE FROM plc_operation WHERE cid = 'a' AND problem LIKE '$[0].operation.type: %'; SELECT count(*) FROM plc_operation WHERE cid = 'a'}), 0,
	'many accounts in one statement');
cmp_ok($node->safe_psql($db, "SELECT count(*) FROM log WHERE rule IS $_->[0]"), '>=', $_->[1], "often enough: rule is $_->[0]")
  foreach [ 'NULL', 0.6 * $count ], [ 'NOT NULL', 0.05 * $count ];

like($node->safe_psql($db, "SET enable_seqscan = off; EXPLAIN $_->[0]"), qr/Index.* $_->[1]/, "an index: $_->[1]")
  foreach [ "SELECT FROM plc_account WHERE state->'alsoKnownAs' ? 'at://a.test'", 'plc_account_expr_idx' ],
  [ "SELECT FROM plc_account WHERE state #>> '{services,atproto_pds,endpoint}' = 'a'", 'plc_account_expr_idx1' ],
  [ "SELECT FROM plc_key WHERE did = 'a' AND id = 'atproto' AND valid @> now()", 'plc_key_did_idx' ];

$node->stop;
done_testing();
