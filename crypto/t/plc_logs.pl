# Logs of PLC are verified as the specification requires.
#
# Shows that
# - the public vectors (audit_log/ of $ATID_PLC_DIR, or of ../shared/fixtures/plc next to the project) are accepted and
#   refused as their names state, each refused by the rule in its name; each of their operations has the form of one,
#   its CID, the log's DID if it is the first, and the signature of a key that may sign, except the listed ones;
# - random logs, and logs in which something was changed, get the verdict of t/oracles/plc.js, a verifier that was
#   written from the specification over npm's @noble/curves: the broken rule and the entry that breaks it, the verdict
#   under strict, who signed each operation, which operations are nullified, and the state and the keys at some times;
# - a text that has no equivalent in UTF-8 is reported as a problem and does not raise an error;
# - a log in which many keys are tried without success can be cancelled, and where forks try the same keys, each key is
#   tried only once;
# - npm's @did-plc/lib gives the same verdict, except for the kinds of logs that plc.js lists (may_differ).
#
# $ATID_PLC_LOGS is the number of random logs, and also of changed ones: 120 by default, 2,000 with script/test --full.
# In the largest run, of 20,000, npm's packages take about ten minutes. The logs are jsonb rather than bytes, so
# changing parts of real ones finds more than a byte fuzzer would: there is no harness in fuzz/ for them.
#
# Each part is skipped where the vectors, atid_crypto, node or npm that it needs are missing.
#
# Tags: minutes node crypto

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Oracles;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $count  = $ENV{ATID_PLC_LOGS} || ($ENV{ATID_FULL} ? 2000 : 120);
my $folder = $ENV{ATID_PLC_DIR} || "$FindBin::Bin/../../../shared/fixtures/plc";

my $node = new_node('plc_logs', ready => 1);
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my $db = new_database($node, 'logs');
$node->safe_psql($db, 'CREATE EXTENSION atid_crypto');
my $dir = PostgreSQL::Test::Utils::tempdir('logs');

# The rule and the entry named by a problem.
$node->safe_psql($db, <<'SQL');
CREATE FUNCTION rule_of(problem text) RETURNS text IMMUTABLE LANGUAGE sql RETURN CASE
  WHEN problem LIKE '$: The value must be an array.' THEN 'array'
  WHEN problem LIKE '$: A log must have%' THEN 'empty'
  WHEN problem LIKE '$[%]: An entry must be one%' THEN 'bare'
  WHEN problem LIKE '%.operation.sig: The signature must be by%stands before%' THEN 'authority'
  WHEN problem LIKE '%.operation.sig: The signature must be by%malformed%' THEN 'signature'
  WHEN problem LIKE '%.operation.sig: The signature must be by%' THEN 'signature'
  WHEN problem LIKE '%.operation.sig: A signature must be r and s in 32 bytes each, and not in DER.' THEN 'der'
  WHEN problem LIKE '%.operation.sig: The number s of a signature%' THEN 'high_s'
  WHEN problem LIKE '%.operation.sig: The numbers r and s of a signature%' THEN 'range'
  WHEN problem LIKE '%.operation.prev: The operation must not follow %, which is a tombstone.' THEN 'tombstoned'
  WHEN problem LIKE '%.operation.prev: The operation must not follow one that %nullified.' THEN 'nullified prev'
  WHEN problem LIKE '%.operation.prev: The value must be the CID of an earlier operation.' THEN 'prev'
  WHEN problem LIKE '%.operation.prev: The value must % the first operation.' THEN 'prev'
  WHEN problem LIKE '%.cid: The value must be the CID of the operation.' THEN 'cid'
  WHEN problem LIKE '%].did: The value must be the %' THEN 'did'
  WHEN problem LIKE '%.createdAt: The time must be later %' THEN 'time'
  WHEN problem LIKE '%.createdAt: The time must be at most 72 hours %' THEN 'window'
  WHEN problem LIKE '%].nullified: The value must be %, as %' THEN 'nullified'
  WHEN problem ~ '^\$\[\d+\]\.operation.*: ' THEN 'form'
  WHEN problem ~ '^\$\[\d+\](\.\w+)?: ' THEN 'entry' END;
CREATE FUNCTION place_of(problem text) RETURNS int IMMUTABLE LANGUAGE sql
  RETURN coalesce(substring(problem FROM '^\$\[(\d+)\]')::int, -1);
SQL

#
# A text that is not in UTF-8 gets an answer, not an error.
#

$node->safe_psql('postgres', "CREATE DATABASE euc ENCODING 'EUC_JP' LOCALE 'C' TEMPLATE template0");
$node->safe_psql('euc',      'CREATE EXTENSION atid_crypto CASCADE');
is($node->safe_psql('euc', <<'SQL'), '$[0].operation.alsoKnownAs[0]: A text must have an equivalent in UTF-8.', 'EUC_JP');
SELECT atid.plc_log_problem(jsonb_build_array(jsonb_build_object('did', '', 'cid', '', 'createdAt', '2024-01-01T00:00:00Z',
  'operation', jsonb_build_object('type', 'plc_operation', 'prev', NULL, 'rotationKeys', '[]'::jsonb, 'services', '{}'::jsonb,
    'verificationMethods', '{}'::jsonb, 'alsoKnownAs', jsonb_build_array(convert_from('\xa9a1', 'EUC_JP')),
    'sig', rpad('', 86, 'A')))));
SQL
is($node->safe_psql('euc', <<'SQL'), 'f', 'EUC_JP: a label');
SELECT atid.label_is_signed_by(label, src, key)
FROM (VALUES ('did:plc:ewvi7nxzyoun6zhxrhs64oiz', 'did:key:zQ3shqwJEJyMBsBXCWyCBpUBMqxcon9oHB7mCvx4sSpMdLJwc')) AS k (src, key),
     LATERAL (SELECT jsonb_build_object('src', src, 'uri', src, 'val', convert_from('\xa9a1', 'EUC_JP'),
                                        'cts', '2024-01-01T00:00:00Z')) AS l (label)
SQL

#
# The vectors.
#

SKIP:
{
	skip "no vectors of PLC in $folder: set ATID_PLC_DIR to the folder that has them", 1 unless -d "$folder/audit_log";

	my $json = JSON::PP->new->canonical;
	foreach my $file (sort glob "$folder/audit_log/*/*.json")
	{
		my ($verdict, $name) = $file =~ m{/(\w+)/log_(\w+)\.json\z};
		PostgreSQL::Test::Utils::append_to_file("$dir/vectors",
			join("\t", $verdict, $name, $json->encode(decode_json(slurp_file($file))) =~ s/\\/\\\\/gr) . "\n");
	}
	$node->safe_psql($db, <<"SQL");
CREATE TABLE vector (verdict text, name text, log jsonb);
\\copy vector FROM '$dir/vectors'
SQL
	is($node->safe_psql($db, 'SELECT verdict, atid.plc_log_is_valid(log), count(*) FROM vector GROUP BY 1, 2 ORDER BY 1'),
		"invalid|f|10\nvalid|t|10", 'vectors: valid and invalid');
	is( $node->safe_psql($db,
			"SELECT name, rule_of(atid.plc_log_problem(log)) FROM vector WHERE verdict = 'invalid' ORDER BY 1"),
		join("\n",
			'invalid_nullification_reused_key|authority', 'invalid_nullification_too_slow|window',
			'invalid_sig_b64_newline|form',               'invalid_sig_b64_padding_bits|form',
			'invalid_sig_b64_padding_chars|form',         'invalid_sig_der|der',
			'invalid_sig_k256_high_s|high_s',             'invalid_sig_p256_high_s|high_s',
			'invalid_update_nullified|nullified prev',    'invalid_update_tombstoned|tombstoned'),
		'vectors: refused by the rule in the name');
	is_none($node, $db,
		'SELECT name, n FROM vector, atid.plc_log_history(log) h '
		  . "WHERE (log -> n ->> 'cid', log -> n -> 'nullified', (log -> n ->> 'createdAt')::timestamptz, log -> n -> 'operation' ->> 'type') "
		  . 'IS DISTINCT FROM (cid::text, to_jsonb(nullified), created_at, type)',
		'vectors: their marks, CIDs and times');

	$node->safe_psql($db, <<'SQL');
CREATE VIEW operation AS
SELECT name, n - 1 AS n, entry ->> 'did' AS did, entry ->> 'cid' AS cid, entry -> 'operation' AS operation,
       atid.plc_operation_problem(entry -> 'operation') AS problem
FROM vector, jsonb_array_elements(log) WITH ORDINALITY AS e (entry, n);
CREATE VIEW allowed AS
SELECT o.name, o.n, o.operation, k.key
FROM operation o
JOIN operation p ON p.name = o.name AND (p.cid = o.operation ->> 'prev' OR (o.operation -> 'prev' = 'null' AND p.n = o.n)),
     LATERAL (SELECT jsonb_array_elements_text(p.operation -> 'rotationKeys')
              UNION ALL SELECT p.operation ->> field FROM unnest('{recoveryKey,signingKey}'::text[]) AS field
              WHERE p.operation ->> 'type' = 'create') AS k (key);
SQL
	is( $node->safe_psql($db, 'SELECT name, problem FROM operation WHERE problem IS NOT NULL ORDER BY 1'),
		join("\n",
			map { "invalid_sig_b64_$_|\$.sig: The value must be 64 bytes in base64url without padding, its spare bits zero." }
			  qw(newline padding_bits padding_chars)),
		'operations of the vectors: their form');
	is_none($node, $db, 'SELECT name, n FROM operation WHERE atid.record_cid(operation)::text <> cid', 'operations: their CIDs');
	is_none($node, $db,
		"SELECT name FROM operation WHERE operation -> 'prev' = 'null' AND problem IS NULL AND atid.plc_did(operation) <> did",
		'operations: the DIDs');
	is( $node->safe_psql($db,
			'SELECT name, n FROM operation AS o WHERE problem IS NULL AND NOT EXISTS (SELECT FROM allowed AS a '
			  . 'WHERE (a.name, a.n) = (o.name, o.n) AND atid.plc_operation_is_signed_by(a.operation, key)) ORDER BY 1'),
		"invalid_sig_der|0\ninvalid_sig_k256_high_s|0\ninvalid_sig_p256_high_s|0\ninvalid_update_tombstoned|2",
		'operations: signed by no key that may sign');
}

#
# The oracles.
#

SKIP:
{
	my ($oracles, $why) = AtidTest::Oracles->new;
	skip $why, 1 unless defined $oracles;

	my $seed = AtidTest::Oracles::seed();

	# several programs, so that none reaches its time limit
	for (my $done = 0; $done < $count; $done += 500)
	{
		my $part = $count - $done < 500 ? $count - $done : 500;
		PostgreSQL::Test::Utils::append_to_file("$dir/logs",
			join("\n", $oracles->ask('plc.js', [ 'logs', $seed + $done, $part ])) . "\n");
	}
	$node->safe_psql($db, <<"SQL");
CREATE TABLE answer (what text, log text, rule text, at int, strict text, history text, states text, lib bool, may_differ bool);
\\copy answer FROM '$dir/logs'
CREATE TABLE log AS
SELECT row_number() OVER () AS id, what, convert_from(decode(log, 'hex'), 'UTF8')::jsonb AS log, rule, at, strict,
       nullif(convert_from(decode(history, 'hex'), 'UTF8'), '\\N')::jsonb AS history,
       nullif(convert_from(decode(states, 'hex'), 'UTF8'), '\\N')::jsonb AS states, lib, may_differ
FROM answer;
CREATE TABLE verdict AS
SELECT *, atid.plc_log_problem(log) AS problem, atid.plc_log_problem(log, true) AS strict_problem,
       CASE jsonb_typeof(log) WHEN 'array' THEN jsonb_array_length(log) ELSE 0 END AS length
FROM log;
SQL

	is_none($node, $db, 'SELECT id, what, rule, at, problem FROM verdict WHERE (rule IS NULL) <> (problem IS NULL)', 'the verdict');
	is_none($node, $db, 'SELECT id, what, rule, at, problem FROM verdict WHERE problem IS NOT NULL AND at <> place_of(problem)',
		'the entry that breaks a rule');
	is_none($node, $db,
		"SELECT id, what, rule, problem FROM verdict WHERE problem IS NOT NULL AND rule IS DISTINCT FROM CASE "
		  . "WHEN rule_of(problem) IN ('der', 'high_s', 'range') THEN 'signature' WHEN rule_of(problem) IN ('tombstoned', 'nullified prev') "
		  . "THEN 'prev' ELSE rule_of(problem) END",
		'the rule that is broken');
	is_none($node, $db, 'SELECT id, what, strict, strict_problem FROM verdict WHERE (strict IS NULL) <> (strict_problem IS NULL)',
		'the verdict under strict');
	is_none($node, $db,
		'SELECT id, what FROM verdict WHERE history IS DISTINCT FROM (SELECT jsonb_agg(jsonb_build_array(nullified, signed_by) ORDER BY n) '
		  . 'FROM atid.plc_log_history(log))', 'history: what is nullified, who signed');
	is_none($node, $db,
		"SELECT id, what FROM verdict, jsonb_array_elements(states) AS s WHERE nullif(s -> 1, 'null') IS DISTINCT FROM "
		  . "(SELECT jsonb_build_object('did', did) || data FROM atid.plc_log_history(log) "
		  . 'WHERE tstzrange(valid_from, valid_to) @> (s ->> 0)::timestamptz)', 'the state at a time');
	is_none($node, $db,
		"SELECT id, what FROM verdict, LATERAL (SELECT did FROM atid.plc_log_history(log) UNION ALL SELECT did FROM atid.plc_log_keys(log)) AS r "
		  . "WHERE did IS DISTINCT FROM log -> 0 ->> 'did'", 'whose log it is');
	is_none($node, $db,
		"SELECT id, what FROM verdict, jsonb_array_elements(states) AS s WHERE coalesce(s -> 1 -> 'verificationMethods', '{}') <> "
		  . "(SELECT coalesce(jsonb_object_agg(k.id, k.key), '{}') FROM atid.plc_log_keys(log) AS k "
		  . 'WHERE tstzrange(valid_from, valid_to) @> (s ->> 0)::timestamptz)', 'the keys at a time');
	is_none($node, $db,
		'SELECT id FROM verdict WHERE problem IS NOT NULL '
		  . 'AND (EXISTS (SELECT FROM atid.plc_log_history(log)) OR EXISTS (SELECT FROM atid.plc_log_keys(log)))',
		'nothing of an invalid log');
	is_none($node, $db, 'SELECT id, what, rule, lib FROM verdict WHERE lib <> (rule IS NULL) AND NOT may_differ', "\@did-plc/lib");

	my $rules = "('signature', 'authority', 'window', 'time', 'prev', 'nullified', 'cid', 'did', 'form', 'entry', 'bare')";
	# with so few logs, some rule may happen not to be broken
	cmp_ok($node->safe_psql($db, "SELECT count(DISTINCT rule) FROM verdict WHERE rule IN $rules"), '>=', 10, 'the rules are broken');
	cmp_ok($node->safe_psql($db, "SELECT count(*) FROM verdict WHERE $_->[0]"), '>=', $_->[1] * $count, "often enough: $_->[0]")
	  foreach [ "what = 'random' AND rule IS NULL", 0.6 ], [ "what = 'random' AND rule IS NOT NULL", 0.05 ],
	  [ "what <> 'random' AND rule IS NULL", 0.1 ], [ "what <> 'random' AND rule IS NOT NULL", 0.4 ],
	  [ "rule IS NULL AND history @> '[[true]]'", 0.05 ], [ 'lib IS NOT NULL', 0.3 ];
	note($node->safe_psql($db, 'SELECT rule, count(*) FROM verdict GROUP BY 1 ORDER BY 1'));

	# 100,000 verifications, which take 3 seconds or more
	my ($slow, $forks) = $oracles->ask('plc.js', [ 'slow', 1000, 100, 500 ]);
	PostgreSQL::Test::Utils::append_to_file("$dir/slow", "$slow\n");
	$node->safe_psql($db, "CREATE TABLE slow (log jsonb);\n\\copy slow FROM '$dir/slow'");
	my $session = AtidTest::Session->new($node, $db);
	my (undef, $state) = $session->try("SET statement_timeout = '100ms'; SELECT atid.plc_log_is_valid(log) FROM slow");
	is($state, '57014', 'a long log can be cancelled');
	swift($session->used, 1, 'at once');

	# 501 verifications and no eighth of a million, which take 4 seconds
	PostgreSQL::Test::Utils::append_to_file("$dir/forks", "$forks\n");
	$node->safe_psql($db, "CREATE TABLE forks (log jsonb);\n\\copy forks FROM '$dir/forks'");
	is($session->ok('SET statement_timeout = 0; SELECT atid.plc_log_is_valid(log) FROM forks'),
		't', 'many forks by the keys of one operation');
	swift($session->used, 1, 'in time that grows with their number');
	$session->quit;
	is($node->safe_psql($db, <<'SQL'), 't|499', 'each by its key');
SELECT bool_and(signed_by = log -> 0 -> 'operation' -> 'rotationKeys' ->> (500 - greatest(n, 1))), count(*) FILTER (WHERE nullified)
FROM forks, atid.plc_log_history(log)
SQL
}

$node->stop;
done_testing();
