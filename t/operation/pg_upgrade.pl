# pg_upgrade with what users make of the extension's types.
#
# pg_dump --binary-upgrade writes functions with a parsed body before the operator classes of an extension's members,
# and with them the views that a function reads or has as a type. Shows that
# - everything else is upgraded and works: functions with a text as body, views, materialized views, partition keys,
#   generated columns, checks, domains, ranges, exclusion constraints, statistics, policies, rules, triggers, indexes;
# - so do functions with a parsed body that only compare, and the files in examples/ and indexer/;
# - a parsed body that sorts or groups by one of the types fails, and so does a domain whose check has a cast to bytea,
#   or a function that has it; examples/before-upgrade.sql finds them and the other objects that would fail, and none of
#   the above.
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

my $root = "$FindBin::Bin/../..";
my $node = new_node('old');
my ($find) = slurp_file("$root/examples/before-upgrade.sql") =~ /^(WITH RECURSIVE .*)/ms or die 'no query';

my $table = 'CREATE TABLE t (u atid.at_uri, d atid.did, r atid.tid, c atid.cid_link, x text);
	INSERT INTO t VALUES (\'at://b.example\', \'did:web:b\', \'3jzfcijpj2z2a\', NULL, \'b\'), (\'at://a.example\', \'did:web:a\', \'3jzfcijpj2z2b\', NULL, \'a\');';
my $good = new_database($node, 'good');
$node->safe_psql($good, "$table\n" . <<'SQL');
CREATE FUNCTION text_body() RETURNS SETOF atid.at_uri LANGUAGE sql AS 'SELECT DISTINCT u FROM t ORDER BY u';
CREATE FUNCTION plpgsql_body() RETURNS SETOF atid.at_uri LANGUAGE plpgsql AS 'BEGIN RETURN QUERY SELECT DISTINCT u FROM t ORDER BY u; END';
CREATE FUNCTION compares(a atid.at_uri) RETURNS SETOF text LANGUAGE sql BEGIN ATOMIC
  SELECT x FROM t
  WHERE u = a AND u <= a AND u <@ 'at://b.example' AND u IN (a, 'at://b.c') AND x <> u AND (u, d) = (a, d);
END;
CREATE FUNCTION joins() RETURNS atid.at_uri LANGUAGE sql RETURN (SELECT max(greatest(a.u, b.u)) FROM t a JOIN t b USING (u));
CREATE FUNCTION sorts_text() RETURNS SETOF text LANGUAGE sql BEGIN ATOMIC SELECT x FROM t ORDER BY u::text; END;
CREATE VIEW v AS SELECT DISTINCT u, count(*) FROM t GROUP BY u, d ORDER BY u;
CREATE MATERIALIZED VIEW m AS SELECT DISTINCT u, d, c, r FROM t ORDER BY u;
CREATE VIEW by_text AS SELECT u FROM t ORDER BY u::text;
CREATE FUNCTION of_view(by_text) RETURNS text LANGUAGE sql RETURN $1.u::text;
CREATE TABLE by_range (u atid.at_uri) PARTITION BY RANGE (u);
CREATE TABLE by_range_1 PARTITION OF by_range FOR VALUES FROM ('at://a.a') TO ('at://c.c');
CREATE TABLE by_hash (d atid.did) PARTITION BY HASH (d);
CREATE TABLE by_hash_1 PARTITION OF by_hash FOR VALUES WITH (MODULUS 1, REMAINDER 0);
CREATE FUNCTION of_partitions() RETURNS bigint LANGUAGE sql RETURN (SELECT count(*) FROM by_range);
CREATE FUNCTION of_partition(by_hash) RETURNS text LANGUAGE plpgsql AS 'BEGIN RETURN 1; END';
CREATE DOMAIN below AS atid.at_uri CHECK (VALUE < 'at://z.z' AND VALUE <@ 'at://a.b');
CREATE TYPE span AS RANGE (subtype = atid.tid);
CREATE TYPE pair AS (u atid.at_uri, d atid.did);
CREATE TABLE g (u atid.at_uri CHECK (u > 'at://a.b'), d atid.did GENERATED ALWAYS AS (atid.at_uri_did(u)) STORED,
  n bool GENERATED ALWAYS AS ((u, u) < (u, u)) STORED, b below, s span, p pair[],
  r atid.tid DEFAULT atid.tid_generate(),
  CHECK ((u, r) > ('at://a.b'::atid.at_uri, r)), EXCLUDE USING btree (u WITH =), EXCLUDE USING gist (s WITH &&));
CREATE STATISTICS st ON u, d FROM t;
CREATE STATISTICS st2 ON (atid.at_uri_did(u)), x FROM t;
ALTER TABLE t ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON t USING (u IN (SELECT DISTINCT u FROM t AS t2 ORDER BY u));
CREATE TABLE l (u atid.at_uri PRIMARY KEY, FOREIGN KEY (u) REFERENCES l);
CREATE RULE r AS ON DELETE TO t DO ALSO INSERT INTO l SELECT DISTINCT u FROM t ORDER BY u;
CREATE FUNCTION tf() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE TRIGGER tr BEFORE UPDATE ON t FOR EACH ROW WHEN ((OLD.u, OLD.d) < (NEW.u, NEW.d)) EXECUTE FUNCTION tf();
CREATE UNIQUE INDEX ON t (u, d DESC) WHERE u > 'at://a.b';
CREATE INDEX ON t USING brin (r);
CREATE TABLE record (uri atid.at_uri PRIMARY KEY, record jsonb);
CREATE DOMAIN packed AS atid.block CHECK (atid.dag_cbor_get_text(atid.block_to_bytea(VALUE), '{a}') IS NOT NULL);
CREATE TABLE blocks (b atid.block CHECK (atid.dag_cbor_is_valid(b)), c text GENERATED ALWAYS AS (atid.dag_cbor_get_text(b, '{a}')) STORED, p packed);
CREATE INDEX ON blocks (atid.dag_cbor_get_text(b, '{b}'));
INSERT INTO blocks (b, p) VALUES ('\xa16161626363', '\xa16161626363');
CREATE FUNCTION field_of(b atid.block) RETURNS text LANGUAGE sql RETURN atid.dag_cbor_get_text(b, '{a}');
CREATE VIEW fields AS SELECT field_of(b), b::jsonb FROM blocks;
CREATE DOMAIN known AS atid.symbol CHECK (VALUE IN ('subject', 'via'::text::atid.symbol) AND length(VALUE) > 2);
CREATE TABLE symbols (s known PRIMARY KEY DEFAULT 'subject', t text GENERATED ALWAYS AS (s || '!') STORED);
INSERT INTO symbols DEFAULT VALUES;
SQL

my @files = map { "examples/$_" } qw(migrate lexicons references export partitions);
push @files, qw(examples/plc-mirror indexer/sql/install) if has_extension($node, 'atid_crypto');
foreach my $file (@files)
{
	my $name = 'file_' . $file =~ s/\W/_/gr;
	new_database($node, $name);
	$node->safe_psql($name, 'CREATE EXTENSION atid_crypto') if $file =~ /plc|indexer/;
	$node->safe_psql($name, 'CREATE TABLE record (uri atid.at_uri PRIMARY KEY, record jsonb)') if $file =~ /references/;
	$node->psql($name, "\\i $root/$file.sql", on_error_stop => 1, on_error_die => 1);
	is($node->safe_psql($name, $find), '', "$file: the query finds nothing");
}
is($node->safe_psql($good, $find), '', 'the query finds nothing that goes through');

# The objects that pg_upgrade transfers from the old cluster to a new one.
sub upgraded
{
	my $new = new_node("new_$_[0]", stopped => 1);
	$node->stop;
	return $new;
}
my $new = upgraded('good');
pg_upgrade($node, $new);
$new->start;
is($new->safe_psql($good, 'SELECT string_agg(u::text, \' \') FROM text_body() u; SELECT string_agg(u::text, \' \') FROM plpgsql_body() u;
	SELECT compares(\'at://b.example\'), joins(); SELECT string_agg(u::text, \' \') FROM v; SELECT count(*) FROM m; SET enable_seqscan = off;
	SELECT x FROM t WHERE u = \'at://a.example\'; SELECT c, p FROM blocks; SELECT * FROM fields;
	SELECT * FROM symbols WHERE s = \'subject\'::text'),
	"at://a.example at://b.example\nat://a.example at://b.example\nb|at://b.example\nat://a.example at://b.example\n2\na\ncc|\\xa16161626363\ncc|{\"a\": \"cc\"}\nsubject|subject!", 'what was upgraded works');
$new->stop;

# The failing objects: one after another in the same cluster, without the databases from above.
$node->start;
$node->safe_psql('postgres', "DROP DATABASE $_") foreach $good, map { 'file_' . s/\W/_/gr } @files;
my $bad = new_database($node, 'bad');
$node->safe_psql($bad, "$table\n" . <<'SQL');
CREATE FUNCTION sorts() RETURNS SETOF atid.at_uri LANGUAGE sql BEGIN ATOMIC SELECT u FROM t ORDER BY u; END;
CREATE FUNCTION groups() RETURNS SETOF bigint LANGUAGE sql BEGIN ATOMIC SELECT count(*) FROM t GROUP BY d; END;
CREATE FUNCTION aggregates() RETURNS text LANGUAGE sql RETURN (SELECT string_agg(x, '' ORDER BY c) FROM t);
CREATE FUNCTION unites() RETURNS SETOF atid.at_uri LANGUAGE sql BEGIN ATOMIC SELECT u FROM t UNION SELECT u FROM t; END;
CREATE FUNCTION windows() RETURNS SETOF bigint LANGUAGE sql BEGIN ATOMIC SELECT row_number() OVER (PARTITION BY d) FROM t; END;
CREATE FUNCTION rows_compared(a atid.tid) RETURNS SETOF text LANGUAGE sql BEGIN ATOMIC SELECT x FROM t WHERE (x, r) < ('a', a); END;
CREATE PROCEDURE writes() LANGUAGE sql BEGIN ATOMIC INSERT INTO t (u) SELECT DISTINCT u FROM t; END;
CREATE VIEW read AS SELECT DISTINCT u FROM t;
CREATE FUNCTION reads() RETURNS bigint LANGUAGE sql RETURN (SELECT count(*) FROM read);
CREATE MATERIALIZED VIEW typed AS SELECT DISTINCT u FROM t;
CREATE FUNCTION of_type(typed) RETURNS text LANGUAGE plpgsql AS 'BEGIN RETURN 1; END';
CREATE DOMAIN packed AS atid.block CHECK (atid.dag_cbor_get_text(VALUE, '{a}') IS NOT NULL);
CREATE DOMAIN digest AS atid.cid_link CHECK (octet_length(VALUE::bytea) = 36);
CREATE FUNCTION field_of(b atid.block) RETURNS text LANGUAGE sql IMMUTABLE RETURN atid.dag_cbor_get_text(b, '{a}');
CREATE DOMAIN by_function AS atid.block CHECK (field_of(VALUE) IS NOT NULL);
CREATE DOMAIN padded AS char(40) CHECK (VALUE::atid.did IS NOT NULL);
CREATE DOMAIN rows_in_order AS atid.tid CHECK ((VALUE, VALUE) > ('3jzfcijpj2z2a'::atid.tid, VALUE));
SQL
is($node->safe_psql($bad, $find), <<'END' =~ s/\n\z//r, 'the query finds what fails');
constraint digest_check
constraint packed_check
constraint padded_check
constraint rows_in_order_check
function aggregates()
function field_of(atid.block)
function groups()
function rows_compared(atid.tid)
function sorts()
function unites()
function windows()
function writes()
rule _RETURN on materialized view typed
rule _RETURN on view read
END
$new = upgraded('bad');
my $bin = $node->config_data('--bindir');
chomp $bin;
my $folder = PostgreSQL::Test::Utils::tempdir('bad');
chdir $folder or die "could not enter $folder: $!";
my ($out, $err) = run_command([ 'pg_upgrade', '--no-sync', '-d', $node->data_dir, '-D', $new->data_dir, '-b', $bin, '-B', $bin,
	'-s', $node->host, '-p', $node->port, '-P', $new->port ]);
chdir $FindBin::Bin or die "could not leave $folder: $!";
like($out, qr/Restoring database schemas.*Failure, exiting/s, 'pg_upgrade fails');
$node->start;
is($node->safe_psql($bad, 'SELECT count(*) FROM sorts()'), 2, 'the old cluster is as it was');

$node->stop;
done_testing();
