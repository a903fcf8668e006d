# The records of a database that an earlier release has made are packed, by `atid-indexer pack`.
#
# Shows, in a database of 1.3.3 that was upgraded, with views, their indexes, a search, a feed and its index, that
# - a new database packs from the beginning, and an upgraded one does not before the command;
# - it refuses an extension that is too old, and days of live mode, and says what to do;
# - what needs the table as it is, is named before anything is done, or, if it comes later, before anything is lost;
# - while it runs, and after it was broken off, records are read as before, and written, by a program that follows a
#   stream all the time, and loses nothing;
# - between its parts everything goes on, too;
# - then each record is as it was, as are views, indexes, comments and rights; the table takes less; and make_views()
#   finds nothing to change;
# - a second run has nothing to do.
#
# Skipped where atid_crypto, node or npm are not there.
#
# Tags: medium node crypto

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Indexer;
use AtidTest::Network;
use AtidTest::Oracles;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $root = "$FindBin::Bin/../..";
my $node = new_node('pack');
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my ($oracles, $why) = AtidTest::Oracles->new;
plan skip_all => $why unless defined $oracles;
my $db = 'released';
(my $indexer, $why) = AtidTest::Indexer->new($node, $db, $oracles);
plan skip_all => $why unless defined $indexer;

sub one { my (@sql) = @_; return $node->safe_psql($db, join '; ', @_); }
my $type = q{SELECT format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = 'indexer.record'::regclass AND attname = 'block'};

#
# A database of 1.3.3 with atid 1.3
#
my $n = $ENV{ATID_ROWS} || ($ENV{ATID_FULL} ? 200_000 : 5000);
$node->safe_psql('postgres', "CREATE DATABASE $db");
$node->safe_psql($db, q{CREATE EXTENSION atid VERSION '1.3'; CREATE EXTENSION atid_crypto});
$node->command_ok([ 'psql', '-qX', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr($db), '-f', "$root/indexer/t/vectors/1.3.3.sql" ], 'the schema of 1.3.3');
one(<<"SQL");
INSERT INTO identity (did) VALUES ('did:web:many.example');
INSERT INTO record (uri, did, cid, block)
VALUES ('at://did:web:many.example/com.example.note/raw', 'did:web:many.example', atid.cid_of('\\x01', 'raw'), '\\x01'),
       ('at://did:web:many.example/com.example.note/sha512', 'did:web:many.example', ('\\x01711340' || repeat('00', 64))::bytea::atid.cid_link, '\\xa0');
INSERT INTO record (uri, did, cid, block)
SELECT atid.at_uri_make('did:web:many.example', 'com.example.note', 'k' || i), 'did:web:many.example', atid.cid_of(b, 'dag-cbor'), b
FROM generate_series(1, $n) AS i
CROSS JOIN atid.record_to_dag_cbor(jsonb_build_object('\$type', 'com.example.note', 'text', 'number ' || i, 'createdAt', '2026-01-01T00:00:00Z',
  'subject', jsonb_build_object('uri', 'at://did:plc:ejgtitwhvdkyn6p2rjeksof2/app.bsky.feed.post/3kiwuygzb2c2a', 'cid', 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a'))) AS b;
INSERT INTO reference (subject, collection, path, tid, uri)
SELECT 'at://did:plc:ejgtitwhvdkyn6p2rjeksof2/app.bsky.feed.post/3kiwuygzb2c2a', (ARRAY['com.example.note', 'app.bsky.feed.like', 'app.bsky.feed.post'])[1 + i % 3],
  (ARRAY['subject', 'reply.parent', 'of', ''])[1 + i % 4], atid.tid_make('2026-01-01'::timestamptz + i * interval '1 s', 0), atid.at_uri_make('did:web:many.example', 'com.example.note', 'k' || i)
FROM generate_series(1, $n) AS i;
SQL
my ($status, $said) = $indexer->command('upgrade');
is($status, 0, 'upgrade') or diag($said);
is(one($type), 'bytea', 'its blocks are as they were');
($status, $said) = $indexer->command('pack');
ok($status != 0 && $said =~ /^atid-indexer: The extension is too old\. Run "ALTER EXTENSION atid UPDATE" first\.$/m, 'the extension is too old') or diag($said);
one('ALTER EXTENSION atid UPDATE');

my $lexicon = "$oracles->{folder}/note.json";
append_to_file($lexicon, <<'JSON');
{"lexicon": 1, "id": "com.example.note", "defs": {"main": {"type": "record", "key": "any", "description": "A note.", "record": {"type": "object",
"required": ["text", "createdAt"], "properties": {"text": {"type": "string", "maxLength": 100}, "createdAt": {"type": "string", "format": "datetime"},
"subject": {"type": "ref", "ref": "com.atproto.repo.strongRef"}}}}}}
JSON
($status, $said) = $indexer->command('lexicon', 'add', $lexicon);
is($status, 0, 'a Lexicon is added') or diag($said);
one(<<'SQL');
CREATE SCHEMA api;
SELECT make_views('api');
SELECT make_view_index('api.com_example_note', 'text'), make_view_index('api.com_example_note', 'did', 'text'), make_view_index('api.com_example_note', 'cid'),
  make_search('api.com_example_note', 'text');
CREATE ROLE reader;
GRANT SELECT ON api.com_example_note, record TO reader;
GRANT DELETE ON record TO reader WITH GRANT OPTION;
CREATE VIEW feed.notes AS SELECT uri AS post, sort_at AS at FROM api.com_example_note;
CREATE VIEW public.mine AS SELECT uri, block FROM record WHERE uri <@ 'at://did:web:many.example/com.example.note';
CREATE VIEW public.likes AS SELECT uri, tid, path || '' AS path FROM reference WHERE collection = 'app.bsky.feed.like' AND path = 'subject';
GRANT SELECT ON public.likes TO reader;
CREATE FUNCTION public.refs() RETURNS SETOF reference LANGUAGE sql STABLE AS 'SELECT * FROM indexer.reference';
CREATE VIEW public.paths AS SELECT r.uri, r.tid, r.collection || '' AS collection, r.path || '' AS path FROM public.refs() AS r;
CREATE FUNCTION public.count_notes() RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT count(*) FROM public.mine; END;
CREATE FUNCTION public.secret() RETURNS bigint LANGUAGE sql SECURITY DEFINER BEGIN ATOMIC SELECT count(*) FROM indexer.record; END;
REVOKE ALL ON FUNCTION public.secret() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION public.secret() TO reader WITH GRANT OPTION;
SQL
($status, $said) = $indexer->command('feed', 'index', 'notes');
is($status, 0, 'a feed has an index') or diag($said);
one(q{INSERT INTO want (what, value) VALUES ('live', '*')}, 'SELECT make_days()');
($status, $said) = $indexer->command('pack');
ok($status != 0 && $said =~ /^atid-indexer: The table has days of live mode, or will have them\. /m, 'a table with days is not packed') or diag($said);
one(q{DELETE FROM want WHERE what = 'live'}, q{DO $$ DECLARE d date; BEGIN FOR d IN SELECT day FROM day LOOP
	EXECUTE format('DROP TABLE %s, %s', day_table('record', d), day_table('reference', d)); END LOOP; DELETE FROM day; END $$});

# what has to be the same before and after
my %same = (
	'records'  => q{SELECT count(*), sum(hashtextextended(concat(uri, did, cid, md5(block), conforms, indexed), 0)::numeric) FROM record WHERE uri <@ 'at://did:web:many.example/com.example.note'},
	'a view'   => q{SELECT count(*), sum(hashtextextended(concat(uri, text, created_at, sort_at), 0)::numeric) FROM api.com_example_note},
	'a search' => q{SELECT uri FROM api.search_com_example_note('"number 17"')},
	'a feed'   => q{SELECT count(*), min(post), max(at) FROM feed.notes},
	'references' => q{SELECT count(*), sum(hashtextextended(concat(subject, collection, path, tid, uri), 0)::numeric), min(collection), max(path) FROM reference WHERE uri <@ 'at://did:web:many.example'},
	'a view of references' => q{SELECT count(*), min(path), max(uri) FROM public.likes WHERE uri <@ 'at://did:web:many.example'},
	'a view of a function' => q{SELECT count(*), min(path), max(collection), sum(hashtextextended(concat(uri, tid, collection, path), 0)::numeric) FROM public.paths WHERE uri <@ 'at://did:web:many.example'},
	'a function'  => q{SELECT public.count_notes()},
	'columns'     => q{SELECT attrelid::regclass::text, attname, CASE WHEN attname = 'block' THEN '' ELSE format_type(atttypid, NULL) END, col_description(attrelid, attnum) FROM pg_attribute
		WHERE attrelid IN ('api.com_example_note'::regclass, 'feed.notes'::regclass, 'public.mine'::regclass, 'record'::regclass) AND attnum > 0 AND NOT attisdropped AND attname <> 'unusual_cid' ORDER BY 1, 2},
	'indexes'     => q{SELECT replace(indexrelid::regclass::text, 'packed_', '') FROM pg_index WHERE indrelid = record_table() ORDER BY 1},
	'rights'      => q{SELECT relname, relowner::regrole, relacl FROM pg_class WHERE oid IN ('record'::regclass, 'api.com_example_note'::regclass, 'public.likes'::regclass)
		UNION ALL SELECT proname, proowner::regrole, coalesce(proacl, acldefault('f', proowner)) FROM pg_proc WHERE proname IN ('count_notes', 'secret') ORDER BY 1},
	'what make_views() knows' => q{SELECT view::text, nsid, accounts::text FROM view_type ORDER BY 1});
my %before = map { $_ => one($same{$_}) } keys %same;
my $words  = q{SELECT index, columns FROM view_index ORDER BY 1};
my $known  = one($words);
one('VACUUM FULL record');
my $bytes = one(q{SELECT pg_table_size('record')});

#
# What stands in the way is said before anything is done
#
my $left = q{SELECT (SELECT count(*) FROM pg_attribute WHERE attrelid IN ('record'::regclass, 'reference'::regclass) AND attname ~ '_new$'),
	(SELECT count(*) FROM pg_trigger WHERE tgname ~ '^~moving'), to_regnamespace('moving') IS NULL};
foreach (
	[ 'CREATE MATERIALIZED VIEW public.kept AS SELECT block FROM record', 'DROP MATERIALIZED VIEW public.kept', qr/materialized view public\.kept/ ],
	[ 'CREATE VIEW public.renamed AS SELECT d FROM record AS r (a, b, c, d)', 'DROP VIEW public.renamed', qr/VIEW public\.renamed/ ],
	[ 'GRANT SELECT (uri) ON public.mine TO reader', 'REVOKE ALL (uri) ON public.mine FROM reader', qr/view public\.mine/ ],
	[ 'CREATE POLICY small ON record USING (octet_length(block) < 1000)', 'DROP POLICY small ON record', qr/policy small on table record/ ],
	[ q{CREATE POLICY one ON record USING (did = 'did:web:many.example')}, 'DROP POLICY one ON record', qr/policy one on table record/ ],
	[ 'CREATE TABLE public.more (uri atid.at_uri, did atid.did, FOREIGN KEY (uri, did) REFERENCES record)', 'DROP TABLE public.more', qr/constraint more_uri_did_fkey on table (?:public\.)?more/ ],
	[ q{CREATE FUNCTION public.see() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; CREATE TRIGGER mine AFTER INSERT ON record FOR EACH ROW EXECUTE FUNCTION public.see()},
		'DROP FUNCTION public.see() CASCADE', qr/trigger mine/ ],
	[ 'CREATE PUBLICATION changes FOR TABLE record', 'DROP PUBLICATION changes', qr/publication changes/ ],
	[ 'GRANT SELECT (uri) ON record TO reader', 'REVOKE ALL (uri) ON record FROM reader', qr/privileges of column uri/ ],
	[ 'CREATE INDEX mine ON record (did, indexed)', 'DROP INDEX mine', qr/index mine/ ],
	[ 'ALTER TABLE record ADD CONSTRAINT mine FOREIGN KEY (did) REFERENCES identity', 'ALTER TABLE record DROP CONSTRAINT mine', qr/constraint mine/ ],
	[ 'ALTER TABLE record ADD CONSTRAINT mine CHECK (did IS NOT NULL AND cid IS NOT NULL)', 'ALTER TABLE record DROP CONSTRAINT mine', qr/constraint mine/ ],
	[ 'CREATE STATISTICS mine ON conforms, did FROM record', 'DROP STATISTICS mine', qr/statistics mine/ ],
	[ 'CREATE VIEW public.named AS SELECT d FROM public.refs() AS r (a, b, c, d, e)', 'DROP VIEW public.named', qr/VIEW public\.named/, 'reference' ],
	[ 'CREATE VIEW public.joined AS SELECT d FROM (reference AS r CROSS JOIN identity AS i) AS j (a, b, c, d)', 'DROP VIEW public.joined', qr/VIEW public\.joined/, 'reference' ],
	[ 'ALTER TABLE record ADD CONSTRAINT mine CHECK (atid.dag_cbor_is_valid(block)) NOT VALID', 'ALTER TABLE record DROP CONSTRAINT mine', qr/constraint mine/ ],
	[ 'CREATE STATISTICS mine ON (octet_length(block)) FROM record', 'DROP STATISTICS mine', qr/statistics mine/ ],
	[ 'ALTER TABLE record ADD size int GENERATED ALWAYS AS (octet_length(block)) STORED', 'ALTER TABLE record DROP size', qr/column size of table record/ ],
	[ 'CREATE INDEX mine ON record USING brin (block)', 'DROP INDEX mine', qr/index mine \(/ ],
	[ 'ALTER TABLE record ALTER uri SET NOT NULL, REPLICA IDENTITY USING INDEX record_pkey', 'ALTER TABLE record REPLICA IDENTITY DEFAULT', qr/the replica identity/ ],
	[ 'CREATE MATERIALIZED VIEW public.kept AS SELECT path FROM reference', 'DROP MATERIALIZED VIEW public.kept', qr/materialized view public\.kept/, 'reference' ],
	[ q{ALTER TABLE reference ADD CONSTRAINT mine CHECK (path <> 'x')}, 'ALTER TABLE reference DROP CONSTRAINT mine', qr/constraint mine/, 'reference' ],
	[ 'CREATE STATISTICS mine ON collection, path FROM reference', 'DROP STATISTICS mine', qr/statistics mine/, 'reference' ],
	[ q{ALTER TABLE reference ADD CONSTRAINT mine EXCLUDE (path WITH =) WHERE (uri = 'at://did:web:x.example')}, 'ALTER TABLE reference DROP CONSTRAINT mine', qr/constraint mine/, 'reference' ],
	[ q{ALTER TABLE reference ADD CONSTRAINT mine EXCLUDE ((path || '') WITH =) WHERE (uri = 'at://did:web:x.example')}, 'ALTER TABLE reference DROP CONSTRAINT mine', qr/constraint mine/, 'reference' ],
	[ 'CREATE TABLE public.known (name text COLLATE "C" PRIMARY KEY); ALTER TABLE reference ADD CONSTRAINT mine FOREIGN KEY (collection) REFERENCES public.known NOT VALID',
		'DROP TABLE public.known CASCADE', qr/constraint mine/, 'reference' ],
	[ 'CREATE INDEX mine ON reference (path text_pattern_ops)', 'DROP INDEX mine', qr/index mine \(/, 'reference' ],
	[ q{CREATE POLICY small ON reference USING (path <> '')}, 'DROP POLICY small ON reference', qr/policy small on table reference/, 'reference' ],
	[ q{CREATE FUNCTION public.see() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; CREATE TRIGGER mine AFTER UPDATE OF path ON reference FOR EACH ROW EXECUTE FUNCTION public.see()},
		'DROP FUNCTION public.see() CASCADE', qr/trigger mine on table reference/, 'reference' ])
{
	my ($made, $dropped, $words, $table) = (@$_, 'record');
	one($made);
	($status, $said) = $indexer->command('pack');
	ok($status != 0 && $said =~ /^atid-indexer: .*need the table $table as it is.*$words/ms && one($left) eq '0|0|t', "first: $made") or diag($said);
	one($dropped);
}
my $session = $node->background_psql($db);
$session->query_safe('CREATE TEMP VIEW passing AS SELECT block FROM indexer.record');
($status, $said) = $indexer->command('pack');
ok($status != 0 && $said =~ /need the table record as it is/, '... a temporary view') or diag($said);
$session->quit;
is(one($left), '0|0|t', '... and nothing is left of it');
is(one($same{$_}), $before{$_}, "... nor changed of $_") foreach 'a view', 'a feed', 'a function', 'rights';

#
# A stream
#
one(q{UPDATE settings SET pause_first = '0.05 s', pause_most = '0.8 s', spread = '0.1 s'});
my $network = AtidTest::Network->new($oracles->{node}, "$oracles->{folder}/network.js", AtidTest::Oracles::seed(), 6);
$network->ask('calm');
my $run = $indexer->start(ATID_SERVICE_URL => $network->url, ATID_PLC_URL => $network->url, ATID_STREAM_SHARDS => 2);
my $others = q{uri < 'at://did:web:many.example' OR uri > 'at://did:web:many.example0'};
my $stored = qq{SELECT string_agg(uri || ' ' || cid, E'\n' ORDER BY (uri || ' ' || cid) COLLATE "C") FROM record WHERE $others};
sub is_followed
{
	my ($what) = @_;
	$network->ask('plain?n=30');
	my $expected = join "\n", $network->records;
	$indexer->wait_for($what, "SELECT ($stored) = '$expected'");
	is(one($stored), $expected, "$what: the records of the stream");
	is(one("SELECT count(*) FROM record WHERE cid <> atid.cid_of(block::bytea, 'dag-cbor') AND ($others)"), 0, '... each with the block of its CID');
	return;
}
is_followed('before');

#
# It is broken off
#
one(q{CREATE FUNCTION public.wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock(17); RETURN NEW; END'});
one(q{INSERT INTO record (uri, did, cid, block) SELECT 'at://did:web:many.example/com.example.other/new', did, cid, block FROM record WHERE uri = 'at://did:web:many.example/com.example.note/k1'});
sub start_and_halt
{
	my ($place) = @_;
	my $uri = 'at://did:web:many.example/com.example.note/k' . int(1 + $n * $place / 5);
	one(qq{CREATE TRIGGER "~moving wait" BEFORE UPDATE ON record FOR EACH ROW WHEN (OLD.uri = '$uri') EXECUTE FUNCTION public.wait()});
	my $holder = $node->background_psql($db);
	$holder->query_safe('SELECT pg_advisory_lock(17)');
	my $pack = $indexer->start(words => ['pack']);
	ok($node->poll_query_until($db, q{SELECT count(*) > 0 FROM pg_stat_activity WHERE query LIKE 'CALL moving.fill%' AND wait_event = 'advisory'}), "it is in the midst of the table, at $uri")
	  or diag(slurp_file($pack->{log}));
	return ($pack, $holder);
}
foreach my $place (0 .. 4)
{
	my ($pack, $holder) = start_and_halt($place);
	one(qq{UPDATE record SET conforms = true WHERE uri = 'at://did:web:many.example/com.example.other/new'});
	is(one($same{$_}), $before{$_}, "meanwhile: $_") foreach 'records', 'a view', 'a search', 'a feed';
	is_followed('meanwhile');
	$indexer->stop($pack, $place % 2 ? 'KILL' : 'INT');
	# the server would go on until it notices
	one(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'CALL moving.fill%'});
	$holder->quit;
	one('DROP TRIGGER "~moving wait" ON record');
}
is(one($type), 'bytea', 'it was broken off');
is(one(q{SELECT count(*) FROM record WHERE block IS DISTINCT FROM block_new::bytea AND uri = 'at://did:web:many.example/com.example.other/new'}), 0, '... and what is written since then is packed, too');

#
# What has come to stand in the way meanwhile is named
#
my %late = (
	'constraint few'           => [ q{ALTER TABLE record ADD CONSTRAINT few CHECK (did <> 'did:web:few.example')}, 'ALTER TABLE record DROP CONSTRAINT few' ],
	'index mine'               => [ 'CREATE INDEX mine ON record (did, indexed)', 'DROP INDEX mine' ],
	'privileges of column did' => [ 'GRANT SELECT (uri, did) ON record TO reader', 'REVOKE ALL (uri, did) ON record FROM reader' ],
	'publication changes'      => [ 'CREATE PUBLICATION changes FOR TABLE record', 'DROP PUBLICATION changes' ],
	'statistics mine'          => [ 'CREATE STATISTICS mine ON did, conforms FROM record', 'DROP STATISTICS mine' ],
	'trigger mine'             => [ 'CREATE TRIGGER mine BEFORE INSERT ON record FOR EACH ROW WHEN (NEW.did IS NULL) EXECUTE FUNCTION public.wait()', 'DROP TRIGGER mine ON record' ]);
my ($filling, $halt) = start_and_halt(4);
my $maker = $node->background_psql($db);    # it waits until some pages are filled
$maker->query_until(qr/begun/, join '; ', "\\echo begun\nBEGIN", (map { $late{$_}[0] } sort keys %late), "COMMIT;\n");
ok($node->poll_query_until($db, q{SELECT count(*) > 0 FROM pg_stat_activity WHERE query LIKE 'ALTER TABLE record ADD%' AND wait_event_type = 'Lock'}), 'more is created meanwhile');
$halt->quit;
isnt($indexer->ended($filling), 0, '... and the records are not packed');
$maker->quit;
$said = slurp_file($filling->{log});
like($said, qr/^atid-indexer: .*need the table record as it is.*\b$_\b/ms, "... as there is: $_") or diag($said) foreach sort keys %late;
is(one($type), 'bytea', '... in its first part');
one('DROP TRIGGER "~moving wait" ON record', map { $_->[1] } values %late);

#
# It is run again
#
# live mode waits for it; a schema of others is left alone; default privileges give nobody more
isnt($node->psql($db, q{INSERT INTO indexer.want (what, value) VALUES ('live', '*')}, stderr => \$said), 0, 'live mode is not added meanwhile');
like($said, qr/the records are being packed/, '... and it says why');
# a part of it, as another stands in the way
my $stranger = q{uri = 'at://did:web:stranger.example/com.example.note/k1'};
one(q{INSERT INTO record (uri, did, cid, block) SELECT 'at://did:web:stranger.example/com.example.note/k1', did, cid, block FROM record WHERE uri = 'at://did:web:many.example/com.example.note/k1'});
($status, $said) = $indexer->command('pack');
ok($status != 0 && $said =~ m{^atid-indexer: The did of the record at://did:web:stranger\.example/com\.example\.note/k1 is not that in its uri\.$}m, 'a record of two accounts') or diag($said);
is(one($type), 'atid.block', 'the blocks are packed');
one("DELETE FROM record WHERE $stranger");
is(one($same{$_}), $before{$_}, "between the parts: $_") foreach sort keys %same;
is_followed('between the parts');
is(one(q{SELECT relkind FROM pg_class WHERE oid = 'record'::regclass}), 'r', '... in the table of before');
isnt($node->psql($db, q{INSERT INTO indexer.want (what, value) VALUES ('live', '*')}, stderr => \$said), 0, '... and live mode is not added then, either');
like($said, qr/the records are being packed/, '... and it says why');
isnt($node->psql($db, q{INSERT INTO indexer.record (uri, did, cid, block) SELECT 'at://did:web:stranger.example/com.example.note/k1', did, cid, block FROM indexer.record LIMIT 1}, stderr => \$said), 0,
	'... nor such a record');
like($said, qr/the did of a record must be that in its uri/, '... and it says why');
# an older snapshot
sub start_and_wait
{
	my $old = $node->background_psql($db);
	$old->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM indexer.account');
	my $pack = $indexer->start(words => ['pack']);
	ok($node->poll_query_until($db, q{SELECT count(*) > 0 FROM pg_stat_activity WHERE query LIKE 'CREATE % CONCURRENTLY %' AND wait_event_type = 'Lock'}), 'it waits for an older snapshot')
	  or diag(slurp_file($pack->{log}));
	return ($pack, $old);
}
my ($waits, $old) = start_and_wait();
is($old->query_safe('SELECT count(block) = count(*), count(cid) = count(*), count(*) > 0 FROM indexer.record'), 't|t|t', '... which still reads all');
$indexer->stop($waits, 'KILL');
one(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'CREATE % CONCURRENTLY %'});
$old->quit;
($waits, $old) = start_and_wait();
one($late{'privileges of column did'}[0]);
$old->quit;
isnt($indexer->ended($waits), 0, 'privileges of columns are granted meanwhile: it does nothing');
like(slurp_file($waits->{log}), qr/^atid-indexer: .*need the table record as it is.*privileges of column did/ms, '... and names them');
one($late{'privileges of column did'}[1]);
is(one('SELECT count(*) FROM packed_index_commands()'), 0, '... when all indexes are built');
isnt($node->psql($db, q{SET search_path = indexer; BEGIN; SELECT make_view_index('api.com_example_note', 'did', 'created_at'); SELECT swap_record_table()}, stderr => \$said), 0,
	'an index of a view is created after the others are built: it does nothing');
like($said, qr/ERROR:  an index of a view was created while the last ones were built$/m, '... and says so');
# what is packed can be a replica identity, and nobody needs the name of statistics
one('CREATE UNIQUE INDEX whole ON reference (subject, collection, path, tid, uri)', 'ALTER TABLE reference REPLICA IDENTITY USING INDEX whole');
is($node->psql($db, q{SET search_path = indexer; BEGIN; ALTER STATISTICS record_collection_stats RENAME TO mine; SELECT rehearse_packed_swap('record', '{}'); ROLLBACK}, stderr => \$said), 0,
	'statistics with another name are no obstacle') or diag($said);
one('CREATE TABLE moving.customers ()', 'CREATE ROLE nosy', 'ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO nosy',
	'ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO nosy', 'ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC');
($status, $said) = $indexer->command('pack');
is($status, 0, 'it goes on') or diag($said);
one('ALTER TABLE reference REPLICA IDENTITY DEFAULT', 'DROP INDEX whole');
like($said, qr/^The records are packed\. VACUUM FULL, or pg_repack, returns the space to the disk\.$/m, '... and says that it has ended');
is(one(q{SELECT string_agg(concat_ws(' ', attname, format_type(atttypid, NULL), CASE WHEN attnotnull THEN 'NOT NULL' END), ', ' ORDER BY attname) FROM pg_attribute
	WHERE attrelid = 'packed_record'::regclass AND attnum > 0 AND NOT attisdropped}),
	'block atid.block NOT NULL, conforms boolean, indexed timestamp with time zone NOT NULL, unusual_cid atid.cid_link, uri atid.at_uri NOT NULL', 'the table is packed');
is(one(q{SELECT string_agg(concat_ws(' ', conname, pg_get_constraintdef(oid)), ', ' ORDER BY 1) FROM pg_constraint WHERE conrelid = 'packed_record'::regclass AND contype <> 'n'}), 'packed_record_pkey PRIMARY KEY (uri)', '... with its key');
is(one(q{SELECT string_agg(substring(uri::text FROM '[^/]*$') || ' ' || (cid = unusual_cid), ', ' ORDER BY uri) FROM packed_record JOIN record USING (uri) WHERE unusual_cid IS NOT NULL}), 'raw true, sha512 true',
	'... and the CIDs that are not of DAG-CBOR');
is(one(q{SELECT count(*) FROM pg_trigger WHERE tgrelid = 'packed_record'::regclass}) . one(q{SELECT string_agg(stxname, ' ' ORDER BY stxname) FROM pg_statistic_ext WHERE stxrelid = 'packed_record'::regclass}),
	'0packed_record_collection_stats packed_record_did_stats', '... without triggers, with its statistics');
is(one($same{$_}), $before{$_}, "afterwards: $_") foreach sort keys %same;
is(one(q{SELECT string_agg(concat_ws(' ', attname, format_type(atttypid, NULL), CASE WHEN attnotnull THEN 'NOT NULL' END), ', ' ORDER BY attname) FROM pg_attribute
	WHERE attrelid = 'reference'::regclass AND attnum > 0 AND NOT attisdropped}),
	'collection atid.symbol NOT NULL, path atid.symbol NOT NULL, subject atid.at_uri NOT NULL, tid atid.tid NOT NULL, uri atid.at_uri NOT NULL', 'references are packed');
is_followed('afterwards');
ok($indexer->runs($run), '... by the same program') or diag(slurp_file($run->{log}));
is(one('SELECT count(*) FROM bad'), 0, '... which has refused nothing');
is($indexer->stop($run), 0, '... and ends');
is(one(q{SELECT md5(block) = (SELECT md5(block) FROM record WHERE uri = 'at://did:web:many.example/com.example.note/k1') FROM record WHERE uri = 'at://did:web:many.example/com.example.other/new'}), 't', '... and the record that was written meanwhile');
is(one(q{SELECT to_regclass('moving.customers') IS NOT NULL}), 't', 'a table of others in the schema of the steps is still there');
is(one(q{SELECT count(*) FROM pg_class WHERE has_table_privilege('nosy', oid, 'SELECT') AND relnamespace IN ('api'::regnamespace, 'feed'::regnamespace) AND relkind = 'v'}), 0, 'nobody may read more than before');
cmp_ok(one(q{SELECT count(*) FROM pg_stats WHERE schemaname = 'indexer' AND tablename = 'com_example_note_text'}), '>', 0, 'an index has statistics');
one('VACUUM FULL packed_record', 'ANALYZE packed_record');
cmp_ok(one(q{SELECT pg_table_size('packed_record')}), '<', 0.7 * $bytes, 'the table takes less');
like(one(q{SET enable_seqscan = off; EXPLAIN (COSTS OFF) SELECT uri FROM api.com_example_note WHERE text = 'number 17'}), qr/Index Scan.* (?:on|using) com_example_note_text\b/, 'an index of a view is used');
like(one(q{SET enable_seqscan = off; EXPLAIN (COSTS OFF) SELECT uri FROM api.com_example_note WHERE cid = 'bafkreiccldh766hwcnuxnf2wh6jgzepf2nlu2lvcllt63eww5p6chi4ity'}), qr/Index Scan.* (?:on|using) com_example_note_cid\b/, '... by a column that is no longer stored');
like(one(q{SET enable_seqscan = off; SET enable_sort = off; SET enable_bitmapscan = off; SET plan_cache_mode = force_generic_plan;
	PREPARE likers (text) AS SELECT uri FROM reference WHERE subject = 'at://did:plc:ejgtitwhvdkyn6p2rjeksof2/app.bsky.feed.post/3kiwuygzb2c2a' AND collection = $1 AND path = 'subject' ORDER BY tid DESC LIMIT 50;
	EXPLAIN (COSTS OFF) EXECUTE likers ('app.bsky.feed.like')}), qr/^Limit\n  ->  Index Scan Backward using reference_subject on reference\n +Index Cond: \(\(subject = [^)]*\) AND \(collection = \$1\) AND \(path = [^)]*\)\)$/m, 'who liked a post: by the index alone, in its order');
like(one(q{SET enable_sort = off; EXPLAIN (COSTS OFF) SELECT post FROM feed.notes ORDER BY at DESC, post DESC LIMIT 9}), qr/Index Scan.* using feed_notes/, '... and that of the feed');
my $files = q{SELECT string_agg(concat(c.oid::regclass, ' ', c.relfilenode), ', ' ORDER BY c.oid::regclass::text) FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid WHERE i.indrelid = record_table()};
my $kept = one($files);
is(one(q{SELECT make_views('api')}), 1, 'make_views() makes them again');
is(one($words), $known, '... with their indexes');
is(one($files), $kept, '... which it does not build again');
is(one($same{$_}), $before{$_}, "after it: $_") foreach 'a view', 'a search', 'a feed', 'what make_views() knows';
my $list = one(q{SELECT string_agg(attname, ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'reference'::regclass AND attnum > 0 AND NOT attisdropped});
my $values = join ', ', map { "${_}::text || ' ($list)'" } split /, /, $list;
one('CREATE TABLE public.copies (path text, collection text, subject text, tid text, uri text)',
	"CREATE FUNCTION public.copy() RETURNS void LANGUAGE sql BEGIN ATOMIC INSERT INTO public.copies ($list) SELECT $values FROM indexer.reference; END");
my $copy = q{SELECT pg_get_functiondef('public.copy'::regproc)};
my $written = one($copy);
like($written, qr/ copies \(\Q$list\E\)/, 'a function with all columns in their order');
one(q{SELECT restore_dependents(take_dependents('reference'))});
is(one($copy), $written, '... is the same when it is created again');
is(($indexer->command('pack'))[1], "The records are packed.\n", 'a second run has nothing to do');

#
# A new database
#
my $new = new_database($node, 'new');
$node->safe_psql($new, 'CREATE EXTENSION atid_crypto');
(my $other) = AtidTest::Indexer->new($node, $new, $oracles);
($status, $said) = $other->command('init');
is($status, 0, 'init') or diag($said);
is($node->safe_psql($new, $type), 'atid.block', 'a new database packs blocks');
is($node->safe_psql($new, q{SELECT indexer.is_packed()}), 't', '... in the table packed_record');

done_testing();
