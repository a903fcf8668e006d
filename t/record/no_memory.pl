# Memory runs out in atid's functions.
#
# In a library of script/test --assert the allocations that atid requests from the server fail when a test
# demands it (t/failing/failing.c). Shows that
# - a statement in which any one of them fails ends with that error or with its true result, and so does the next
#   statement of the same session: the cache of Lexicons, states of aggregates and the data kept by call sites
#   are intact;
# - the sessions of the regression tests, in which allocations fail at random, crash nothing and trip no
#   assertion;
# - only the cache of Lexicons stays allocated.
#
# Tags: long assert

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('no_memory', ready => 1);
my $db   = new_database($node, 'no_memory');
my $functions = <<'SQL';
CREATE FUNCTION fail_after(n int) RETURNS void AS '$libdir/atid', 'atid_test_fail_after' LANGUAGE C STRICT;
CREATE FUNCTION fail_by_chance(seed int, n int) RETURNS void AS '$libdir/atid', 'atid_test_fail_by_chance' LANGUAGE C STRICT;
CREATE FUNCTION failed() RETURNS int AS '$libdir/atid', 'atid_test_failed' LANGUAGE C;
SQL
my ($status) = $node->psql($db, $functions);
if ($status)
{
	$node->stop;
	plan skip_all => 'the library has no allocations that fail on request: script/test --assert';
}

my $seed = seeded();

# The helpers of sql/event.sql, which make frames.
my ($helpers) = slurp_file("$FindBin::Bin/../../sql/event.sql") =~ /\A(.*?)^SELECT/ms;
$helpers =~ s/^\\.*\n//mg;
$node->safe_psql($db, $helpers);
$node->safe_psql($db, <<'SQL');
CREATE TABLE given AS
SELECT jsonb_build_object('$type', 'com.example.note', 'text', repeat('a', 300), 'createdAt', '2024-01-01T00:00:00Z',
         'likes', jsonb_build_array('at://did:web:a.example/com.example.note/1', 'at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/a.b.c/2'),
         'file', '{"$type": "blob", "mimeType": "image/png", "size": 9,
           "ref": {"$link": "bafkreibnoelefnzgwbcacyt4vh52ymxvzbjq7mmqhtcnwarfq4lzegsiqe"}}'::jsonb) AS record,
       '[{"lexicon": 1, "id": "com.example.note", "defs": {"main": {"type": "record", "key": "tid", "record": {"type": "object",
           "required": ["text"], "properties": {"text": {"type": "string", "maxGraphemes": 300},
             "createdAt": {"type": "string", "format": "datetime"}, "likes": {"type": "array",
             "items": {"type": "union", "refs": ["com.example.none"]}}}}}}},
         {"lexicon": 1, "id": "com.example.other", "defs": {"main": {"type": "object", "properties": {}}}}]'::jsonb AS documents,
       event_of('{"com.example.note/a": "1", "com.example.note/b": "2"}', '{"com.example.note/a": "3", "com.example.other/c": "4"}')
         AS event,
       tree_of((SELECT jsonb_object_agg('com.example.note/' || g, g) FROM generate_series(1, 200) g)) AS tree;
ALTER TABLE given ADD frame bytea, ADD lexicons atid.lexicon, ADD block bytea, ADD car bytea;
UPDATE given SET frame = commit_frame(event), lexicons = documents, block = atid.record_to_dag_cbor(record),
  car = (SELECT e.blocks FROM atid.commit_event(commit_frame(event)) e);
CREATE TABLE many AS SELECT 'com.example.' || chr(97 + g % 26) || g AS nsid, g FROM generate_series(1, 300) g;

-- A statement, of one text, in which each allocation fails in turn, and then none. It comes to its end only with
-- the result that it has then. Before that nothing has been kept for it, such as a compiled Lexicon.
CREATE FUNCTION fails_cleanly(statement text, OUT failures int, OUT differs text) LANGUAGE plpgsql AS $$
DECLARE
  result text;
  early text[] = '{}';
  before int;
BEGIN
  failures := 0;
  LOOP
    before := failed();
    PERFORM fail_after(failures + 1);
    BEGIN
      EXECUTE statement INTO result;
      early := early || result;
    EXCEPTION WHEN out_of_memory THEN
    END;
    EXIT WHEN failed() = before;
    failures := failures + 1;
  END LOOP;
  PERFORM fail_after(0);
  EXECUTE statement INTO result;
  SELECT coalesce(r, 'NULL') INTO differs FROM unnest(early || coalesce(result, 'NULL')) r WHERE r IS DISTINCT FROM result LIMIT 1;
END $$;
SQL

my @statements = (
	'SELECT atid.record_to_dag_cbor(record)::text FROM given',
	'SELECT atid.record_cid(record)::text FROM given',
	'SELECT atid.record_is_valid(record, true) FROM given',
	q{SELECT atid.record_problem(record || '{"x": 1.5}') FROM given},
	'SELECT atid.dag_cbor_to_record(block)::text FROM given',
	'SELECT atid.dag_cbor_to_json(block) FROM given',
	'SELECT atid.json_to_dag_cbor(record::text::json)::text FROM given',
	'SELECT atid.json_is_valid(record::text::json) FROM given',
	q{SELECT atid.json_problem('{"a": {"$link": 1}}')},
	q{SELECT atid.dag_cbor_problem(block || '\x00', true) FROM given},
	q{SELECT atid.dag_cbor_get(block, '{file}')::text FROM given},
	q{SELECT atid.dag_cbor_get_text(block, '{text}') FROM given},
	q{SELECT atid.dag_cbor_get_block(block, '{likes,1}') FROM given},
	q{SELECT atid.dag_cbor_typeof(block, '{file,ref}') FROM given},
	q{SELECT atid.dag_cbor_ref_uris(block, '{likes}')::text FROM given},
	'SELECT string_agg(r::text, chr(10)) FROM given, atid.record_refs(record) r',
	'SELECT string_agg(r::text, chr(10)) FROM given, atid.record_blobs(record) r',
	'SELECT string_agg(r::text, chr(10)) FROM given, atid.dag_cbor_links(block) r',
	q{SELECT ((record #>> '{likes,1}')::atid.at_uri)::text FROM given},
	q{SELECT count(*) FROM many WHERE ('at://did:web:a.example/' || nsid || '/x')::atid.at_uri <@ 'at://did:web:a.example'},
	'SELECT documents::atid.lexicon::text FROM given',
	'SELECT lexicons::jsonb::text FROM given',
	'SELECT atid.lexicon_nsids(lexicons)::text FROM given',
	'SELECT atid.lexicon_missing(lexicons)::text FROM given',
	q{SELECT atid.lexicon_document(lexicons, 'com.example.note')::text FROM given},
	q{SELECT atid.lexicon_only(lexicons, '{com.example.other}')::text FROM given},
	q{SELECT atid.lexicon_problem(documents -> 0 || '{"defs": {"main": {"type": 1}}}') FROM given},
	q{SELECT length(atid.lexicon_agg(l)::text) FROM (SELECT replace(documents::text, 'com.example.', nsid || '.')::jsonb::atid.lexicon
	    FROM given, many LIMIT 40) AS s (l)},
	'SELECT atid.record_conforms(record, lexicons) IS NOT TRUE FROM given',
	q{SELECT atid.record_conforms_problem(record || '{"text": 1}', lexicons) FROM given},
	q{SELECT coalesce(atid.dag_cbor_conforms_problem(block, lexicons), 'none') FROM given},
	q{SELECT string_agg(coalesce(atid.record_conforms_problem(record - 'text', replace(documents::text, '300', g::text)::jsonb::atid.lexicon), ''), ' ')
	    FROM given, many WHERE g < 4},
	q{SELECT atid.mst_root(nsid || '/x', atid.cid_of(nsid::bytea, 'raw') ORDER BY nsid COLLATE "C")::text FROM many},
	q{SELECT md5(atid.mst_car(nsid || '/x', atid.cid_of(nsid::bytea, 'raw') ORDER BY nsid COLLATE "C")) FROM many},
	q{SELECT md5(atid.car_agg(NULL, atid.cid_of(nsid::bytea, 'raw'), nsid::bytea ORDER BY g)) FROM many},
	'SELECT count(*) FROM given, atid.mst_entries(tree)',
	'SELECT count(*) FROM given, atid.car_blocks(tree)',
	'SELECT atid.car_is_valid(tree) FROM given',
	'SELECT count(*) FROM given, atid.repo_records(car, true)',
	q{SELECT coalesce(atid.repo_problem(car), 'none') FROM given},
	q{SELECT string_agg(h::text, ' ') FROM given, atid.frame_parts(frame) h},
	'SELECT e::text FROM given, atid.commit_event(frame) e',
	q{SELECT string_agg(o::text, ' ') FROM given, atid.commit_event_ops(frame) o},
	q{SELECT coalesce(atid.event_problem(frame), 'none') FROM given},
	q{SELECT atid.event_problem(set_byte(frame, length(frame) - 40, 1)) FROM given},
	q{SELECT atid.datetime_to_timestamptz('2024-01-01T00:00:00.123456Z')::text},
	q{SELECT atid.datetime_or_null('2024-01-01 00:00')::text IS NULL},
	q{SELECT (atid.tid_generate() < atid.tid_generate())::text},
	q{SELECT (atid.uuid_generate_v7() < atid.uuid_generate_v7())::text},
	q{SELECT atid.uuid_generate_v5('6ba7b810-9dad-11d1-80b4-00c04fd430c8', repeat('x', 10000))::text},
	q{SELECT ('x' || atid.cid_of(repeat('x', 10000)::bytea, 'raw'))});
my $list = join ', ', map { "(\$_\$$_\$_\$)" } @statements;

# All in one session, which keeps the Lexicons that it has compiled, and nothing else.
my ($kept, @answers) = split /\n/, $node->safe_psql($db, <<"SQL");
CREATE TEMP TABLE answer (n serial, statement text, failures int, differs text);
INSERT INTO answer (statement) VALUES $list;
UPDATE answer a SET (failures, differs) = (SELECT f.failures, f.differs FROM fails_cleanly(a.statement) f);
SELECT string_agg(name, ', ' ORDER BY name) FROM pg_backend_memory_contexts WHERE name LIKE 'atid%';
SELECT failures || ' ' || coalesce(differs, '') FROM answer ORDER BY n;
SQL
is($kept, 'atid lexicon, atid lexicon, atid lexicon, atid lexicon, atid lexicons', 'four sets are kept, and the cache');
my $total = 0;
foreach my $i (0 .. $#statements)
{
	my ($failures, $differs) = split / /, $answers[$i], 2;
	is($differs, '', $statements[$i] =~ s/\s+/ /gr);
	$total += $failures;
}
note("$total allocations have failed");
cmp_ok($total, '>', 1000, 'many allocations have failed');

# The regression tests' files, each in a database of its own. Their output does not matter.
foreach my $file (glob "$FindBin::Bin/../../sql/*.sql")
{
	my ($name) = $file =~ /(\w+)\.sql$/;
	my $mine = new_database($node, "no_memory_$name");
	$node->safe_psql($mine, $functions);
	my ($ignored, $said) = ('', '');
	IPC::Run::run(
		[ 'psql', '-XAtq', '-d', $node->connstr($mine), '-c', "SELECT public.fail_by_chance($seed, 30)", '-f', $file, '-c', 'SELECT public.fail_after(0)',
			'-c', '\pset format unaligned', '-c', "SELECT 'failed: ' || public.failed()", '-c', "SELECT atid.record_is_valid('{}')" ],
		'<', \undef, '>', \$said, '2>', \$ignored, init => sub { chdir "$FindBin::Bin/../.." or die $! });
	my ($failed) = $said =~ /^failed: (\d+)\nt\n\z/m;
	ok(defined $failed, "$name.sql: the session goes on") ? note("$failed allocations have failed") : diag($ignored);
}
my $log = slurp_file($node->logfile);
unlike($log, qr/TRAP:|terminated by signal|PANIC/, 'nothing has crashed');
$node->stop;
done_testing();
