# A table whose text columns get the types of the extension while it is in use, by examples/migrate.sql.
#
# Shows that
# - one session that writes and one that reads go on through all steps, and nothing that they wrote is missing;
# - the swap reads no row: the server says that the check proves NOT NULL, and begins no scan;
# - indexes of all kinds, their names, the constraints and the defaults are there as before;
# - prepare, fill and the commands for indexes can be repeated after an error, an index that broke off is made again;
# - a value that the type does not take stops the fill, and the table is as it was;
# - the swap is refused while a view, a foreign key, a check or an index that is missing is in its way;
# - partitioned tables, generated columns and columns that do not exist are refused;
# - the table has the dead values of the old columns until VACUUM FULL, which makes it smaller than it was as text.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/lib";

use AtidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('moving');
my $db   = new_database($node, 'moving');
my $s    = AtidTest::Session->new($node, $db);
$node->psql($db, slurp_file("$FindBin::Bin/../examples/migrate.sql"), on_error_stop => 1, on_error_die => 1);

my $types = q('{"uri": "atid.at_uri", "Subject": "atid.at_uri", "rev": "atid.tid"}');
my $rows  = 20_000;
$s->ok(<<"SQL");
CREATE TABLE busy (
  uri text PRIMARY KEY, n int NOT NULL, "Subject" text, rev text NOT NULL DEFAULT atid.tid_generate(), note text,
  UNIQUE (rev, n) DEFERRABLE INITIALLY DEFERRED);
CREATE INDEX by_subject ON busy ("Subject", n DESC) WHERE "Subject" IS NOT NULL;
CREATE INDEX by_account ON busy (split_part(uri, '/', 3));
CREATE INDEX by_n ON busy (n);
INSERT INTO busy (uri, n, "Subject")
SELECT 'at://did:web:a.example/com.example.note/' || n, n,
       CASE WHEN n % 3 > 0 THEN 'at://did:web:b.example/com.example.note/' || n % 7 END
FROM generate_series(1, $rows) AS n;
CREATE VIEW seen AS SELECT uri FROM busy;
SQL

# What the table is, but for the order of its columns, and what is in it.
sub described
{
	return $s->ok(<<'SQL');
SELECT attname, attnotnull FROM pg_attribute WHERE attrelid = 'busy'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY 1;
SELECT replace(pg_get_indexdef(indexrelid), '(uri)::text', 'uri') FROM pg_index WHERE indrelid = 'busy'::regclass ORDER BY 1;
SELECT conname, contype, condeferrable, condeferred FROM pg_constraint WHERE conrelid = 'busy'::regclass AND contype IN ('p', 'u', 'c') ORDER BY 1;
SELECT count(*), md5(string_agg(concat_ws('|', uri, n, "Subject", rev), ',' ORDER BY n)) FROM busy WHERE note IS NULL;
SQL
}

sub refused
{
	my ($what, $sql, $pattern) = @_;
	my (undef, $state, $err) = $s->try($sql);
	isnt($state, '00000', "$what: refused");
	like($err, $pattern, "$what: says why");
	return;
}

my $before = described();
my $bytes  = $s->ok("VACUUM FULL busy; SELECT pg_table_size('busy')");

#
# One writes and one reads, all the time.
#
my $writer = AtidTest::Session->new($node, $db);
my $reader = AtidTest::Session->new($node, $db);
$s->ok(<<'SQL');
CREATE TABLE stop (stop int);
CREATE TABLE written (n int);
CREATE PROCEDURE write() LANGUAGE plpgsql AS $$
DECLARE i int := 0;
BEGIN
  WHILE NOT EXISTS (SELECT FROM stop) LOOP
    i := i + 1;
    INSERT INTO busy (uri, n, note) VALUES ('at://did:web:w.example/com.example.note/' || i, -i, 'new');
    UPDATE busy SET note = note WHERE n = i * 7 % 20000 + 1;
    INSERT INTO written VALUES (i);
    COMMIT;
  END LOOP;
END $$;
CREATE PROCEDURE read() LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
  WHILE NOT EXISTS (SELECT FROM stop) LOOP
    SELECT count(*) INTO n FROM busy WHERE uri::text LIKE '%/5';
    COMMIT;
  END LOOP;
END $$;
SQL
$writer->send('CALL write()');
$reader->send('CALL read()');

my (undef, undef, $said) = $s->try("CALL moving.prepare('busy', $types)");
like($said, qr/to be dropped before the swap: rule _RETURN on view seen/, 'prepare tells what is in the way');

# A value that is none stops the fill.
$s->ok("BEGIN; ALTER TABLE busy DISABLE TRIGGER \"~moving\"; INSERT INTO busy (uri, n) VALUES ('no URI', 0);
	ALTER TABLE busy ENABLE TRIGGER \"~moving\"; COMMIT");
refused('a value that is no AT URI', "CALL moving.fill('busy', 16)", qr/invalid input syntax for type atid.at_uri: "no URI"/);
$s->ok('DELETE FROM busy WHERE n = 0');

$s->ok("CALL moving.fill('busy', 16)");
is($s->ok('SELECT count(*) FROM busy WHERE uri_new IS NULL OR rev_new IS NULL'), '0', 'all rows are filled');
$s->ok("CALL moving.prepare('busy', $types); CALL moving.fill('busy', 16)");

refused('a swap without the indexes', "DROP VIEW seen; CALL moving.swap('busy')", qr/without its indexes/);
$s->ok('CREATE OR REPLACE VIEW seen AS SELECT uri FROM busy');

# An index that broke off.
refused('an index on values that are twice',
	"INSERT INTO busy (uri, n, note) VALUES ('at://did:web:c.example', 1, 'new');
	 BEGIN; ALTER TABLE busy DISABLE TRIGGER \"~moving\"; UPDATE busy SET uri_new = 'at://did:web:a.example/com.example.note/1'
	 WHERE uri = 'at://did:web:c.example'; ALTER TABLE busy ENABLE TRIGGER \"~moving\"; COMMIT;
	 SELECT moving.index_commands('busy') \\gexec\n SELECT 1/(count(*) - count(*)) FROM pg_class", qr/could not create unique index/);
$s->ok("DELETE FROM busy WHERE uri = 'at://did:web:c.example'");
like($s->ok("SELECT string_agg(c, ' ') FROM moving.index_commands('busy') AS c"),
	qr/^DROP INDEX CONCURRENTLY busy_pkey_new CREATE UNIQUE INDEX CONCURRENTLY busy_pkey_new/, 'an invalid index is made again');
$s->ok("SELECT moving.index_commands('busy') \\gexec\n SELECT 1");
is($s->ok("SELECT count(*) FROM moving.index_commands('busy')"), '0', 'nothing is left to be made');

refused('a view in the way', "CALL moving.swap('busy')", qr/rule _RETURN on view seen/);
foreach my $case (
	[ 'a check', 'ALTER TABLE busy ADD CONSTRAINT c CHECK (rev > \'2\')', 'ALTER TABLE busy DROP CONSTRAINT c', qr/constraint c on table busy/ ],
	[ 'a foreign key', 'CREATE TABLE f (u text REFERENCES busy)', 'DROP TABLE f', qr/constraint f_u_fkey on table f/ ])
{
	my ($what, $make, $drop, $pattern) = @$case;
	refused($what, "BEGIN; DROP VIEW seen; $make; CALL moving.swap('busy')", $pattern);
	$s->ok('ROLLBACK');
}

#
# The swap.
#
my $scans = "SELECT pg_stat_get_xact_numscans('busy'::regclass)";
my ($out, $state, $err) = $s->try(
	"SET client_min_messages = debug1; BEGIN; LOCK TABLE busy; DROP VIEW seen; $scans; CALL moving.swap('busy'); $scans;
	 CREATE VIEW seen AS SELECT uri FROM busy; COMMIT; RESET client_min_messages");
is($state, '00000', 'the swap') or diag($err);
foreach my $column ('uri_new', 'rev_new')
{
	like($err, qr/existing constraints on column "busy\.$column" are sufficient to prove/, "$column: NOT NULL by the check");
}
unlike($err, qr/verifying table|rewriting table/, 'the swap reads no row');
like($out, qr/^(\d+)\n\1$/, 'nor does it begin a scan');

$s->ok('INSERT INTO stop VALUES (1)');
$writer->ok('SELECT 1');
$reader->ok('SELECT 1');
is($s->ok(q(SELECT (SELECT count(*) FROM busy WHERE note = 'new') = (SELECT count(*) FROM written), count(*) > 0 FROM written)),
	't|t', 'nothing that was written meanwhile is missing');
is(described(), $before, 'rows, indexes, constraints: as before');
is($s->ok(q(SELECT string_agg(attname || ' ' || atttypid::regtype, ', ' ORDER BY attnum) FROM pg_attribute
            WHERE attrelid = 'busy'::regclass AND attnum > 0 AND NOT attisdropped)),
	'n integer, note text, uri atid.at_uri, Subject atid.at_uri, rev atid.tid', 'the new columns come last');
is($s->ok(q(INSERT INTO busy (uri, n) VALUES ('at://did:web:d.example', 0) RETURNING rev IS NOT NULL, "Subject" IS NULL)), 't|t', 'the default works');
is($s->ok(q(SELECT count(*) FROM pg_proc WHERE pronamespace = 'moving'::regnamespace AND prorettype = 'trigger'::regtype)), '0', 'the trigger is gone');

$s->ok('DELETE FROM busy WHERE note IS NOT NULL; VACUUM busy');
my $live = $s->ok("SELECT pg_table_size('busy')");
my $full = $s->ok("VACUUM FULL busy; SELECT pg_table_size('busy')");
cmp_ok($live, '>', $bytes, 'VACUUM leaves the table larger than it was');
cmp_ok($full, '<', 0.9 * $bytes, 'VACUUM FULL makes it smaller');

#
# What it refuses.
#
$s->ok('CREATE TABLE parts (uri text) PARTITION BY HASH (uri);
	CREATE TABLE made (a text, uri text GENERATED ALWAYS AS (a) STORED)');
refused('a partitioned table', q(CALL moving.prepare('parts', '{"uri": "atid.at_uri"}')), qr/must be an ordinary table/);
refused('a generated column', q(CALL moving.prepare('made', '{"uri": "atid.at_uri"}')), qr/neither generated nor an identity/);
refused('a column that is not there', q(CALL moving.prepare('made', '{"b": "atid.at_uri"}')), qr/must exist/);

$s->quit;
$writer->quit;
$reader->quit;
$node->stop;
done_testing();
