# A table whose text columns are changed to the types of the extension while it is in use, by examples/migrate.sql.
#
# Shows that
# - a writing and a reading session continue through all steps, and no row that was written is missing;
# - the swap reads the table once, to compare: the server reports that the check proves NOT NULL;
# - the swap refuses a row whose new value differs from its old one, because fill() was interrupted or the trigger
#   did not fire; it also refuses row security, an old snapshot, an index made since, and a table that is not
#   prepared; then nothing is changed;
# - rows that an apply worker writes are carried over;
# - with session_replication_role = replica fill() fires no trigger, and prepare() reports those that it would fire
#   otherwise;
# - the commands name tables, indexes, types and functions so that the search_path does not matter;
# - a column of the user's own is not overwritten;
# - indexes of all kinds, their names, the constraints and the defaults are there as before;
# - prepare, fill and the commands for indexes can be repeated after an error; an index whose build was interrupted
#   is made again;
# - a value that the type does not accept stops the fill, and the table is unchanged;
# - the swap is refused while a view, a foreign key, a check or a missing index is in its way;
# - partitioned tables, generated columns and columns that do not exist are refused;
# - the table keeps the dead values of the old columns until VACUUM FULL, which makes it smaller than it was as text.
#
# Tags: quick differs

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('moving', ready => 1);
my $db   = new_database($node, 'moving');
my $s    = AtidTest::Session->new($node, $db);
$node->psql($db, slurp_file("$FindBin::Bin/../../examples/migrate.sql"), on_error_stop => 1, on_error_die => 1);

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

# The definition of the table, except for the order of its columns, and its contents.
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
# One session writes and one reads, all the time.
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

# An invalid value stops the fill.
$s->ok("BEGIN; ALTER TABLE busy DISABLE TRIGGER \"~moving\"; INSERT INTO busy (uri, n) VALUES ('no URI', 0);
	ALTER TABLE busy ENABLE TRIGGER \"~moving\"; COMMIT");
refused('a value that is no AT URI', "CALL moving.fill('busy', 16)", qr/invalid input syntax for type atid.at_uri: "no URI"/);
$s->ok('DELETE FROM busy WHERE n = 0');

$s->ok("CALL moving.fill('busy', 16)");
is($s->ok('SELECT count(*) FROM busy WHERE uri_new IS NULL OR rev_new IS NULL'), '0', 'all rows are filled');
like($s->ok('SELECT application_name FROM pg_stat_activity WHERE pid = pg_backend_pid()'), qr{^moving\.fill (\d+)/\1$}, '... and pg_stat_activity shows it');
$s->ok("CALL moving.prepare('busy', $types); CALL moving.fill('busy', 16)");

refused('a swap without the indexes', "DROP VIEW seen; CALL moving.swap('busy')", qr/without its indexes/);
$s->ok('CREATE OR REPLACE VIEW seen AS SELECT uri FROM busy');

# An index whose build was interrupted.
refused('an index on values that are twice',
	"INSERT INTO busy (uri, n, note) VALUES ('at://did:web:c.example', 1, 'new');
	 BEGIN; ALTER TABLE busy DISABLE TRIGGER \"~moving\"; UPDATE busy SET uri_new = 'at://did:web:a.example/com.example.note/1'
	 WHERE uri = 'at://did:web:c.example'; ALTER TABLE busy ENABLE TRIGGER \"~moving\"; COMMIT;
	 SELECT moving.index_commands('busy') \\gexec\n SELECT 1/(count(*) - count(*)) FROM pg_class", qr/could not create unique index/);
$s->ok("DELETE FROM busy WHERE uri = 'at://did:web:c.example'");
like($s->ok("SELECT string_agg(c, ' ') FROM moving.index_commands('busy') AS c"),
	qr/^DROP INDEX CONCURRENTLY public.busy_pkey_new CREATE UNIQUE INDEX CONCURRENTLY busy_pkey_new ON public.busy /, 'an invalid index is made again');
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
unlike($err, qr/verifying table|rewriting table/, 'the server reads no row for its own checks');
my @scans = split /\n/, $out;
is($scans[1] - $scans[0], 1, 'the swap reads the table once');

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
# Cases that it refuses.
#
$s->ok('CREATE TABLE parts (uri text) PARTITION BY HASH (uri);
	CREATE TABLE made (a text, uri text GENERATED ALWAYS AS (a) STORED)');
refused('a partitioned table', q(CALL moving.prepare('parts', '{"uri": "atid.at_uri"}')), qr/must be an ordinary table/);
refused('a generated column', q(CALL moving.prepare('made', '{"uri": "atid.at_uri"}')), qr/neither generated nor an identity/);
refused('a column that is not there', q(CALL moving.prepare('made', '{"b": "atid.at_uri"}')), qr/must exist/);

#
# Nothing is lost, whatever failed before.
#
my $subject = q('{"subject": "atid.at_uri"}');

sub fresh_table
{
	$s->ok(<<'SQL');
DROP TABLE IF EXISTS likes;
CREATE TABLE likes (id int PRIMARY KEY, subject text);
INSERT INTO likes SELECT i, 'at://did:web:b.example/com.example.note/' || i FROM generate_series(1, 1000) i;
SQL
	return;
}

sub contents { return $s->ok('SELECT md5(string_agg(concat_ws(\'|\', id, subject), \',\' ORDER BY id)) FROM likes'); }

# A swap after other steps is refused, and the values are unchanged.
sub keeps_all
{
	my ($what, $swap, $pattern) = @_;
	my $there = contents();
	refused($what, "BEGIN; $swap", $pattern);
	$s->ok('ROLLBACK');
	is(contents(), $there, "$what: nothing is lost");
	return;
}
my $swap = "CALL moving.swap('likes')";

fresh_table();
keeps_all('without prepare', $swap, qr/table "likes" is not prepared/);
refused('fill without prepare', "CALL moving.fill('likes', 10)", qr/table "likes" is not prepared/);
$s->ok("UPDATE likes SET subject = 'no URI' WHERE id = 500; CALL moving.prepare('likes', $subject)");
refused('a fill by no pages', "CALL moving.fill('likes', $_)", qr/must be at least 1/) foreach 0, -1, 'NULL';
keeps_all('without fill', $swap, qr/as 1000 of its rows have other values.*subject = 'at:.*', subject_new = NULL/s);
refused('a fill that meets no URI', "CALL moving.fill('likes', 1)", qr/"no URI"/);
keeps_all('after a fill that broke off', $swap, qr/of its rows have other values.*Call moving.fill/s);

$s->ok("UPDATE likes SET subject = NULL WHERE id = 500; CALL moving.fill('likes', 1)");
keeps_all("isolation $_", "SET TRANSACTION ISOLATION LEVEL $_; $swap", qr/isolation level $_/i) foreach 'REPEATABLE READ', 'SERIALIZABLE';
$s->ok("CREATE UNIQUE INDEX since ON likes (subject) WHERE id > 0");
keeps_all('an index made since', $swap, qr/has indexes that prepare\(\) did not see.*since/s);
$s->ok('DROP INDEX since');

foreach my $case (
	[ 'a new row',        "INSERT INTO likes VALUES (0, 'at://did:web:c.example')" ],
	[ 'another value',    "UPDATE likes SET subject = 'at://did:web:c.example' WHERE id = 1" ],
	[ 'NULL',             'UPDATE likes SET subject = NULL WHERE id = 1' ],
	[ 'a value for NULL', "UPDATE likes SET subject = 'at://did:web:c.example' WHERE id = 500" ],
	[ 'what is no URI',   "UPDATE likes SET subject = 'no URI' WHERE id = 2", 'no mending' ])
{
	my ($what, $write, $bad) = @$case;
	$s->ok("BEGIN; ALTER TABLE likes DISABLE TRIGGER \"~moving\"; $write; ALTER TABLE likes ENABLE ALWAYS TRIGGER \"~moving\"; COMMIT");
	keeps_all("$what, unseen", $swap, $bad ? qr/values that are not of the new type/ : qr/as 1 of its rows have other values/);
	next if $bad;
	$s->ok("CALL moving.fill('likes', 1); BEGIN; $swap; ROLLBACK");
	pass("$what: filled again, it can be swapped");
}
$s->ok('UPDATE likes SET subject = NULL WHERE id = 2');

# as an apply worker
$s->ok("SET session_replication_role = replica; INSERT INTO likes VALUES (-1, 'at://did:web:c.example');
	UPDATE likes SET subject = 'at://did:web:d.example' WHERE id < 10; RESET session_replication_role");
my $there = contents();
$s->ok($swap);
is(contents(), $there, 'what an apply worker writes is carried over');

# Row security that hides rows from the owner
fresh_table();
$s->ok("CREATE ROLE own; GRANT CREATE ON DATABASE $db TO own; GRANT USAGE ON SCHEMA atid TO own; GRANT ALL ON SCHEMA moving TO own;
	GRANT ALL ON ALL TABLES IN SCHEMA moving TO own; GRANT CREATE ON SCHEMA public TO own; ALTER TABLE likes OWNER TO own;
	ALTER TABLE likes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY; CREATE POLICY p ON likes USING (id % 2 = 0); SET ROLE own");
refused('row security: prepare', "CALL moving.prepare('likes', $subject)", qr/row security applies to role "own"/);
$s->ok("ALTER TABLE likes NO FORCE ROW LEVEL SECURITY; CALL moving.prepare('likes', $subject); CALL moving.fill('likes', 10);
	ALTER TABLE likes FORCE ROW LEVEL SECURITY");
refused('row security: fill', "CALL moving.fill('likes', 10)", qr/row security applies to role "own"/);
refused('row security: swap', $swap, qr/row security applies to role "own"/);
$s->ok("ALTER TABLE likes NO FORCE ROW LEVEL SECURITY; $swap; RESET ROLE");
is($s->ok('SELECT count(subject) FROM likes'), 1000, 'row security that does not apply to the owner is no hindrance');

# Triggers
fresh_table();
$s->ok(<<'SQL');
CREATE TABLE fired (n int);
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO fired VALUES (1); RETURN NEW; END $$;
CREATE TRIGGER touch BEFORE UPDATE ON likes FOR EACH ROW EXECUTE FUNCTION note();
CREATE TRIGGER touch_id BEFORE UPDATE OF id ON likes FOR EACH ROW EXECUTE FUNCTION note();
SQL
(undef, undef, $said) = $s->try("CALL moving.prepare('likes', $subject)");
like($said, qr/fill\(\) fires trigger "touch", unless session_replication_role is replica/, 'prepare tells which triggers fill fires');
unlike($said, qr/touch_id/, 'but no trigger of another column');
$s->ok("SET session_replication_role = replica; CALL moving.fill('likes', 10); RESET session_replication_role");
is($s->ok('SELECT count(*) FROM fired'), 0, 'fill as replica fires none');
$s->ok($swap);
is($s->ok("SELECT count(*) FROM likes WHERE subject <@ 'at://did:web:b.example'"), 1000, 'and fills all');

# Another search_path in the session that makes the indexes, and names that are taken
fresh_table();
$s->ok(<<"SQL");
CREATE SCHEMA other; CREATE TABLE other.likes (id int, subject text, subject_new text);
CREATE INDEX by_author ON likes (atid.at_uri_authority(subject::atid.at_uri)); SET search_path = public, atid;
CALL moving.prepare('likes', '{"subject": "at_uri"}'); CALL moving.fill('likes', 10); SET search_path = other, public;
SELECT moving.index_commands('public.likes') \\gexec\n RESET search_path;
SQL
is($s->ok("SELECT count(*) FROM pg_indexes WHERE schemaname = 'other'"), 0, 'the other table has no index');
$s->ok("SET search_path = other, public; CALL moving.swap('public.likes'); RESET search_path");
like($s->ok("SELECT indexdef FROM pg_indexes WHERE indexname = 'by_author'"), qr/ON public.likes USING btree/, 'the index is that of the table');
refused('a column of the user that has the new name', "CALL moving.prepare('other.likes', $subject)", qr/column "subject_new" of "other.likes" exists already/);
refused('a type that would cut', q(CALL moving.prepare('busy', '{"note": "varchar(2)"}')), qr/a length or precision/);
refused('no column', q(CALL moving.prepare('busy', '{}')), qr/no column/);

# Blocks, and records as jsonb, become packed blocks.
$s->ok(<<'SQL');
CREATE TABLE blocks (n int PRIMARY KEY, block bytea NOT NULL, record jsonb DEFAULT '{"a": 1}');
CREATE INDEX blocks_type ON blocks (atid.dag_cbor_get_text(block, '{$type}'));
INSERT INTO blocks SELECT n, atid.record_to_dag_cbor(r), r
FROM generate_series(1, 1000) AS n, jsonb_build_object('$type', 'app.bsky.feed.post', 'n', n) AS r;
CALL moving.prepare('blocks', '{"block": "atid.block", "record": "atid.block"}');
UPDATE blocks SET record = '{"n": [true]}', block = '\xff' WHERE n % 10 = 0;
INSERT INTO blocks VALUES (1001, '\xa0');
CALL moving.fill('blocks', 10);
SELECT moving.index_commands('blocks') \gexec
CREATE TABLE blocks_before AS TABLE blocks;
CALL moving.swap('blocks');
INSERT INTO blocks VALUES (1002, '\xa0');
SQL
is($s->ok(q{SELECT string_agg(format_type(atttypid, NULL), ' ' ORDER BY attname) FROM pg_attribute
	WHERE attrelid = 'blocks'::regclass AND attname IN ('block', 'record')}), 'atid.block atid.block', 'columns of bytea and jsonb are packed');
is($s->ok('SELECT count(*) FROM blocks AS b JOIN blocks_before AS o USING (n) WHERE b.block::bytea = o.block AND b.record::jsonb = o.record'),
	1001, 'each row has what it had');
is($s->ok('SELECT record::jsonb FROM blocks WHERE n = 1002'), '{"a": 1}', 'and the default');
like($s->ok(q{SET enable_seqscan = off; EXPLAIN SELECT FROM blocks WHERE atid.dag_cbor_get_text(block, '{$type}') = 'a'; RESET enable_seqscan}),
	qr/blocks_type/, 'and the index');

# Texts become symbols.
$s->ok(<<'SQL');
CREATE TABLE paths (n int PRIMARY KEY, path text COLLATE "C" NOT NULL DEFAULT 'via', other varchar(20));
CREATE INDEX paths_path ON paths (path, n);
INSERT INTO paths SELECT n, CASE n % 3 WHEN 0 THEN 'subject' WHEN 1 THEN '' ELSE 'x' || n END, 'subject' FROM generate_series(1, 1000) AS n;
CALL moving.prepare('paths', '{"path": "atid.symbol", "other": "atid.symbol"}');
INSERT INTO paths VALUES (1001, 'reply.parent', NULL);
CALL moving.fill('paths', 10);
SELECT moving.index_commands('paths') \gexec
CALL moving.swap('paths');
INSERT INTO paths (n) VALUES (1002);
SQL
is($s->ok(q{SELECT pg_typeof(path), pg_typeof(other), count(*), sum((path = CASE WHEN n > 1001 THEN 'via' WHEN n > 1000 THEN 'reply.parent'
	WHEN n % 3 = 0 THEN 'subject' WHEN n % 3 = 1 THEN '' ELSE 'x' || n END)::int), max(pg_column_size(other)) FROM paths GROUP BY 1, 2}),
	'atid.symbol|atid.symbol|1002|1002|2', 'columns of texts become symbols');
like($s->ok(q{SET enable_seqscan = off; EXPLAIN SELECT FROM paths WHERE path = 'subject'::text; RESET enable_seqscan}), qr/paths_path/, 'and the index');

# A record may be of a domain, or json; a pair without a cast is refused at once.
$s->ok(<<'SQL');
CREATE DOMAIN visit AS jsonb CHECK (VALUE IS NULL OR VALUE ? 'n');
CREATE DOMAIN late_visit AS visit;
CREATE TABLE visits (n int PRIMARY KEY, v late_visit, j json);
INSERT INTO visits SELECT n, jsonb_build_object('n', n), json_build_object('n', n) FROM generate_series(1, 10) AS n;
CALL moving.prepare('visits', '{"v": "atid.block", "j": "atid.block"}');
INSERT INTO visits VALUES (11, '{"n": 11}', '{"n": 11}'), (12, NULL, NULL);
CALL moving.fill('visits', 10);
CALL moving.swap('visits');
SQL
is($s->ok(q{SELECT count(*) FROM visits WHERE v::jsonb = jsonb_build_object('n', n) AND j::text = v::text}), 11, 'records of domains and json are packed');
$s->ok('CREATE TABLE uncast (m int)');
refused('a pair without a cast', q(CALL moving.prepare('uncast', '{"m": "atid.block"}')), qr/cannot cast type integer to atid.block/);

# An index of the user, or of an earlier prepare().
$s->ok(<<'SQL');
CREATE TABLE named (uri text, creator text);
CREATE INDEX pair ON named (uri, creator);
CREATE UNIQUE INDEX pair_new ON named (creator) WHERE creator = 'a';
SQL
refused('an index of the user that has the new name', q(CALL moving.prepare('named', '{"uri": "atid.at_uri"}')), qr/index "pair_new" of "named" exists already/);
$s->ok(<<'SQL');
DROP INDEX pair_new;
CALL moving.prepare('named', '{"uri": "atid.at_uri"}');
SELECT moving.index_commands('named') \gexec
CALL moving.prepare('named', '{"uri": "atid.at_uri", "creator": "atid.did"}');
CALL moving.fill('named', 10);
SELECT moving.index_commands('named') \gexec
CALL moving.swap('named');
SQL
is($s->ok(q{SELECT string_agg(indexdef, '; ') FROM pg_indexes WHERE tablename = 'named'}), 'CREATE INDEX pair ON public.named USING btree (uri, creator)',
	'prepared once more with another column: the index has both');

# character(n): the padding is not part of a value, in existing and in new rows.
$s->ok(<<'SQL');
CREATE TABLE padded (id int PRIMARY KEY, uri char(60) NOT NULL UNIQUE, did char(40) DEFAULT 'did:web:a.example', rev char(14),
  cid char(60), dids char(40)[]);
INSERT INTO padded SELECT i, 'at://did:web:b.example/com.example.note/' || i, 'did:web:b.example', '3jzfcijpj2z2a',
  'bafyreigbtj4x7ip5legnfznufuopl4sg4knzc2cof6duas4b3q2fy6swua', '{did:web:a.example,NULL}' FROM generate_series(1, 100) i;
CALL moving.prepare('padded', '{"uri": "atid.at_uri", "did": "atid.did", "rev": "atid.tid", "cid": "atid.cid_link",
  "dids": "atid.did[]"}');
INSERT INTO padded (id, uri) VALUES (0, 'at://did:web:b.example');
UPDATE padded SET did = 'did:web:c.example' WHERE id = 1;
SQL
refused('a blank within', q(INSERT INTO padded (id, uri) VALUES (-1, 'at://a.example /x')), qr/invalid input syntax for type atid.at_uri/);
$s->ok("CALL moving.fill('padded', 10); SELECT moving.index_commands('padded') \\gexec\n CALL moving.swap('padded')");
is( $s->ok(q(SELECT count(*), count(DISTINCT uri), count(*) FILTER (WHERE uri <@ 'at://did:web:b.example'), min(rev), max(did), min(did),
             count(cid), max(dids) FROM padded)),
	'101|101|101|3jzfcijpj2z2a|did:web:c.example|did:web:a.example|100|{did:web:a.example,NULL}', 'columns of character(n) are moved');
is($s->ok("INSERT INTO padded (id, uri) VALUES (-1, 'at://did:web:d.example') RETURNING did"), 'did:web:a.example', 'and their default');

# An integer is cast as fill() does it.
$s->ok(<<'SQL');
CREATE TABLE numbers (id int PRIMARY KEY, rev bigint);
INSERT INTO numbers VALUES (1, atid.tid_make('2026-01-01 00:00 UTC', 1)::bigint);
CALL moving.prepare('numbers', '{"rev": "atid.tid"}');
INSERT INTO numbers VALUES (2, atid.tid_make('2026-01-01 00:00 UTC', 2)::bigint);
CALL moving.fill('numbers', 10);
SQL
is($s->ok('SELECT count(*) FROM numbers WHERE rev = rev_new::bigint'), 2, 'a bigint becomes a TID in old rows and in new ones');

# Loaded over the existing version, it replaces that one.
$s->ok("CREATE OR REPLACE PROCEDURE moving.swap(relation regclass) LANGUAGE sql AS ''");
$node->psql($db, slurp_file("$FindBin::Bin/../../examples/migrate.sql"), on_error_stop => 1, on_error_die => 1);
refused('the new swap', $swap, qr/is not prepared/);

$s->quit;
$writer->quit;
$reader->quit;
$node->stop;
done_testing();
