# Dump, restore and a streaming standby.
#
# Shows that
# - a database that uses everything of the extension (keys, partitions, domains, generated columns, checks,
#   indexes, views, functions) is dumped and restored without an error, with the same schema and
#   contents: by the superuser and by a plain database owner, as a script and as an archive;
# - the restored database works: constraints refuse, defaults generate, partitions are pruned;
# - a streaming standby reads identifiers through their indexes.
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

my $node = new_node('dump', init => [ allows_streaming => 1 ]);
$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN');

my $schema = <<'SQL';
CREATE EXTENSION atid;
CREATE SCHEMA app;

CREATE TABLE app.post (
	id atid.tid PRIMARY KEY DEFAULT atid.tid_generate(),
	made timestamptz GENERATED ALWAYS AS (atid.tid_timestamp(id)) STORED,
	worker int GENERATED ALWAYS AS (atid.tid_clock_id(id)) STORED,
	body text NOT NULL,
	CHECK (id >= '3222222222222' AND id < atid.tid_ceil('2200-01-01 00:00+00')));
CREATE TABLE app.reply (
	id atid.tid PRIMARY KEY,
	post atid.tid NOT NULL REFERENCES app.post ON DELETE CASCADE,
	others atid.tid[] NOT NULL DEFAULT '{2222222222222,jzzzzzzzzzzzz}');
CREATE INDEX ON app.reply (post DESC, id);
CREATE INDEX ON app.reply USING brin (post);
CREATE INDEX ON app.reply USING hash (post);
CREATE INDEX ON app.post (atid.tid_timestamp(id)) WHERE id > '3zzzzzzzzzzzz'::atid.tid;

CREATE TABLE app.by_hash (id atid.tid NOT NULL, n int) PARTITION BY HASH (id);
CREATE TABLE app.by_hash_0 PARTITION OF app.by_hash FOR VALUES WITH (MODULUS 3, REMAINDER 0);
CREATE TABLE app.by_hash_1 PARTITION OF app.by_hash FOR VALUES WITH (MODULUS 3, REMAINDER 1);
CREATE TABLE app.by_hash_2 PARTITION OF app.by_hash FOR VALUES WITH (MODULUS 3, REMAINDER 2);

CREATE TABLE app.by_year (id atid.tid PRIMARY KEY, n int) PARTITION BY RANGE (id);
CREATE TABLE app.by_year_2024 PARTITION OF app.by_year
	FOR VALUES FROM (atid.tid_floor('2024-01-01 00:00+00')) TO (atid.tid_floor('2025-01-01 00:00+00'));
CREATE TABLE app.by_year_2025 PARTITION OF app.by_year
	FOR VALUES FROM (atid.tid_floor('2025-01-01 00:00+00')) TO (atid.tid_floor('2026-01-01 00:00+00'));
CREATE TABLE app.by_year_rest PARTITION OF app.by_year DEFAULT;

CREATE DOMAIN app.collection AS text CHECK (atid.rkey_conforms(VALUE, 'nsid'));
CREATE TABLE app.record (
	did text COLLATE "C" NOT NULL,
	collection app.collection NOT NULL,
	rkey atid.rkey NOT NULL DEFAULT atid.rkey_generate(),
	key atid.record_key NOT NULL DEFAULT atid.tid_generate(),
	loose text CONSTRAINT loose_is_key CHECK (atid.record_key_is_valid(loose)),
	u uuid NOT NULL DEFAULT atid.uuid_generate_v7(),
	PRIMARY KEY (did, collection, rkey),
	CONSTRAINT profile_is_self CHECK (collection <> 'app.bsky.actor.profile' OR atid.rkey_conforms(rkey, 'literal:self')));
CREATE INDEX ON app.record (key text_pattern_ops);

CREATE TABLE app.lexicon (
	document atid.lexicon NOT NULL,
	nsids text[] GENERATED ALWAYS AS (atid.lexicon_nsids(document)) STORED);
CREATE DOMAIN app.note AS jsonb CONSTRAINT note_1 CHECK (atid.record_must_conform(VALUE,
	'{"lexicon": 1, "id": "com.example.note", "description": "It''s \"Ä\\😀\".", "defs": {"main": {"type": "record", "key": "any",
	  "record": {"type": "object", "properties": {"text": {"type": "string", "maxGraphemes": 9}}}}}}'));
CREATE FUNCTION app.verdict(r jsonb) RETURNS bool LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$BEGIN
	RETURN atid.record_conforms(r, '{"lexicon": 1, "id": "com.example.note", "defs": {"main": {"type": "record", "key": "any",
	  "record": {"type": "object", "properties": {"text": {"type": "string", "maxLength": 4}}}}}}'); END$$;
CREATE TABLE app.note_checked (
	note app.note,
	same jsonb CHECK (jsonb_typeof(same::app.note) = 'object'),
	verdict bool GENERATED ALWAYS AS (app.verdict(same)) STORED);

CREATE FUNCTION app.newest(before atid.tid) RETURNS atid.tid LANGUAGE sql STABLE
	BEGIN ATOMIC SELECT max(p.id) FROM app.post p WHERE p.id < before AND p.id <> '2222222222222'; END;
CREATE VIEW app.recent AS
	SELECT p.id, p.id::text AS key, p.id::bigint AS number, r.id AS reply
	FROM app.post p LEFT JOIN app.reply r ON r.post = p.id
	WHERE p.id >= atid.tid_floor('2020-01-01 00:00+00') ORDER BY p.id DESC;
CREATE MATERIALIZED VIEW app.extent AS
	SELECT min(id) AS first, max(id) AS last, count(*) AS posts, app.newest('jzzzzzzzzzzzz') AS newest FROM app.post;
CREATE UNIQUE INDEX ON app.extent (first);
CREATE STATISTICS app.post_statistics ON id, made FROM app.post;
SQL

# Rows at fixed times, so that every partition has some, and rows by the generator.
my $rows = <<'SQL';
INSERT INTO app.post (id, body)
	SELECT atid.tid_make(timestamptz '2023-06-01 00:00+00' + g * interval '7 h', g % 1024), 'post ' || g
	FROM generate_series(1, 4000) g;
INSERT INTO app.post (body) SELECT 'drawn ' || g FROM generate_series(1, 500) g;
INSERT INTO app.reply (id, post) SELECT atid.tid_generate(), id FROM app.post;
INSERT INTO app.by_hash SELECT id, worker FROM app.post;
INSERT INTO app.by_year SELECT id, worker FROM app.post;
INSERT INTO app.by_year VALUES ('2222222222222', 0), ('jzzzzzzzzzzzz', 1);
INSERT INTO app.record (did, collection, loose) SELECT 'did:web:a.example', 'app.bsky.feed.post', 'x:' || g
	FROM generate_series(1, 200) g;
INSERT INTO app.record (did, collection, rkey, key) VALUES
	('did:web:a.example', 'app.bsky.actor.profile', 'self', 'pre:fix'),
	('did:web:b.example', 'app.bsky.actor.profile', 'self', '~1.2-3_');
INSERT INTO app.lexicon VALUES ('[]'),
	('{"lexicon": 1, "id": "com.example.a", "description": "\u00e4\ud83d\ude00\\\"''\n", "defs": {"main": {"type": "token"}}}'),
	('[{"lexicon": 1, "id": "com.example.b", "defs": {"main": {"type": "token"}}},
	   {"lexicon": 1, "id": "com.example.a", "defs": {"main": {"type": "token"}}}]');
INSERT INTO app.note_checked (note, same) VALUES (NULL, NULL),
	('{"$type": "com.example.note", "text": "1234"}', '{"$type": "com.example.note", "text": "12345"}');
ALTER DOMAIN app.note ADD CONSTRAINT note_2 CHECK (atid.record_must_conform(VALUE,
	'{"lexicon": 1, "id": "com.example.note", "defs": {"main": {"type": "record", "key": "any",
	  "record": {"type": "object", "properties": {"text": {"type": "string", "maxLength": 8}}}}}}')) NOT VALID;
REFRESH MATERIALIZED VIEW app.extent;
ANALYZE app.post, app.reply, app.by_hash, app.by_year, app.record;
SQL

my @tables = qw(post reply by_hash by_hash_0 by_hash_1 by_hash_2 by_year by_year_2024 by_year_2025
  by_year_rest record recent extent lexicon note_checked);

# One line per relation: rows and a digest over them as text, in an order that does not depend on
# the extension.
sub contents
{
	my ($server, $db) = @_;
	return $server->safe_psql($db, join '',
		map { qq{SELECT format('$_ %s|%s', count(*), md5(string_agg(t::text, '/' ORDER BY t::text COLLATE "C"))) FROM app.$_ t;\n} } @tables);
}

my $expected;

foreach my $user ($node->safe_psql('postgres', 'SELECT current_user'), 'owner')
{
	my $who  = $user eq 'owner' ? 'the owner'    : 'the superuser';
	my $from = $user eq 'owner' ? 'from_owner'   : 'from_super';
	my @as   = ('-U', $user);

	$node->safe_psql('postgres', "CREATE DATABASE $from OWNER $user");
	$node->safe_psql($from, "$schema\n$rows", extra_params => \@as);
	my $before = contents($node, $from);
	$expected = $before;
	like($before, qr/^post 4500\|.*^by_year_2024 \d{4}\|.*^extent 1\|.*^lexicon 3\|.*^note_checked 2\|/ms, "$who: the tables are full");

	my $dir    = PostgreSQL::Test::Utils::tempdir("dump_$from");
	my $source = $node->connstr($from);
	my %dump   = (
		script    => [ 'pg_dump', @as, '-f', "$dir/script", '-d', $source ],
		archive   => [ 'pg_dump', @as, '-Fc', '-f', "$dir/archive", '-d', $source ],
		directory => [ 'pg_dump', @as, '-Fd', '-j2', '-f', "$dir/directory", '-d', $source ],
		inserts   => [ 'pg_dump', @as, '--inserts', '-f', "$dir/inserts", '-d', $source ]);
	my %restore = (
		script  => [ 'psql', @as, '-Xq', '-v', 'ON_ERROR_STOP=1', '-1', '-f', "$dir/script" ],
		inserts => [ 'psql', @as, '-Xq', '-v', 'ON_ERROR_STOP=1', '-f', "$dir/inserts" ],
		archive =>
		  [ 'pg_restore', @as, '--exit-on-error', '--single-transaction', "$dir/archive" ],
		directory => [ 'pg_restore', @as, '--exit-on-error', '-j2', "$dir/directory" ]);

	foreach my $format (sort keys %dump)
	{
		my $to = "to_${format}_$user";
		$node->safe_psql('postgres', qq{CREATE DATABASE "$to" OWNER "$user"});
		$node->command_ok($dump{$format}, "$who dumps: $format");
		my ($out, $err) = run_command([ @{ $restore{$format} }, '-d', $node->connstr($to) ]);
		is($err, '', "$who restores: $format, without a message");
		is(contents($node, $to), $before, "$who: the same contents from the $format");
		is( dump_text($node, $to,   '--schema-only', @as),
			dump_text($node, $from, '--schema-only', @as),
			"$who: the same schema from the $format");
	}
}

#
# The restored database works.
#
{
	my $session = AtidTest::Session->new($node, 'to_archive_owner', user => 'owner');
	foreach my $bad (
		[ '23503', q{INSERT INTO app.reply (id, post) VALUES ('3jzfcijpj2z2a', '3jzfcijpj2z2a')} ],
		[ '23514', q{INSERT INTO app.post (id, body) VALUES ('2222222222222', '')} ],
		[ '23514', q{INSERT INTO app.record (did, collection, rkey) VALUES ('d', 'a.b.c', '..')} ],
		[ '23514', q{INSERT INTO app.record (did, collection, key) VALUES ('d', 'a.b.c', 'a/b')} ],
		[ '23514', q{INSERT INTO app.record (did, collection) VALUES ('d', 'b.c')} ],
		[ '23514', q{INSERT INTO app.record (did, collection) VALUES ('d', 'app.bsky.actor.profile')} ],
		[ '23514', q{INSERT INTO app.record (did, collection, loose) VALUES ('d', 'a.b.c', 'a b')} ],
		[ '23514', q{INSERT INTO app.note_checked (note) VALUES ('{"$type": "com.example.other"}')} ],
		[ '23514', q{INSERT INTO app.note_checked (note) VALUES ('{"$type": "com.example.note", "text": "123456789"}')} ],
		[ '23514', q{INSERT INTO app.note_checked (same) VALUES ('{"$type": "com.example.note", "text": "1234567890"}')} ])
	{
		is(($session->try($bad->[1]))[1], $bad->[0], "restored, refused: $bad->[1]");
	}
	is( $session->ok(
			q{SELECT nsids FROM app.lexicon WHERE document = '[{"lexicon": 1, "id": "com.example.a", "defs": {"main": {"type": "token"}}},
			  {"lexicon": 1, "id": "com.example.b", "defs": {"main": {"type": "token"}}}]'}),
		'{com.example.a,com.example.b}', 'restored: a set of Lexicons');
	is( $session->ok('SELECT count(*) FILTER (WHERE verdict), count(*) FILTER (WHERE NOT verdict) FROM app.note_checked'),
		'0|1', 'restored: the verdict');
	is( $session->ok(
			q{INSERT INTO app.post (body) VALUES ('new') RETURNING id > (SELECT last FROM app.extent), id = app.newest('jzzzzzzzzzzzz')}
		),
		't|f',
		'restored: the default draws above all that was dumped');
	$session->ok('SET enable_partition_pruning = on');
	my $plan = $session->ok(
		q{EXPLAIN (COSTS OFF) SELECT * FROM app.by_year WHERE id >= atid.tid_floor('2024-03-01 00:00+00') AND id < atid.tid_floor('2024-04-01 00:00+00')}
	);
	like($plan, qr/by_year_2024/, 'restored: a range of time finds its partition');
	unlike($plan, qr/by_year_2025|by_year_rest/, 'restored: and only that one');
	is( $session->ok(
			'SELECT count(*) FROM app.by_hash h JOIN app.post p USING (id) WHERE h.n = p.worker'),
		'4500',
		'restored: rows lie in the hash partitions where they are looked for');
	$session->quit;
}

#
# A streaming standby.
#
{
	$node->backup('base');
	my $standby = PostgreSQL::Test::Cluster->new('standby');
	$standby->init_from_backup($node, 'base', has_streaming => 1);
	$standby->start;
	$node->safe_psql('from_owner', q{INSERT INTO app.post (body) VALUES ('after the backup')});
	my $last = $node->safe_psql('from_owner', 'SELECT max(id) FROM app.post');
	$node->wait_for_catchup($standby);

	my $session = AtidTest::Session->new($standby, 'from_owner');
	is($session->ok('SELECT pg_is_in_recovery()'), 't', 'standby: it is one');
	$session->ok('SET enable_seqscan = off; SET enable_bitmapscan = off');
	my $query = "SELECT body FROM app.post WHERE id = '$last'";
	like($session->ok("EXPLAIN (COSTS OFF) $query"), qr/Index Scan using post_pkey/,
		'standby: by the index');
	is($session->ok($query), 'after the backup', 'standby: the row is found');
	is($session->ok('SELECT max(id) FROM app.post'), $last, 'standby: max from the index');
	is( $session->ok(
			q{SELECT count(*) FROM app.by_year WHERE id >= atid.tid_floor('2024-01-01 00:00+00') AND id < atid.tid_floor('2025-01-01 00:00+00')}
		),
		$node->safe_psql('from_owner', 'SELECT count(*) FROM app.by_year_2024'),
		'standby: a range of time');
	$node->safe_psql('from_owner', q{DELETE FROM app.post WHERE body = 'after the backup'});
	$node->wait_for_catchup($standby);
	is(contents($standby, 'from_owner'), $expected, 'standby: the same contents');
	is( $session->ok(
			'SELECT count(DISTINCT t) FROM (SELECT atid.tid_generate() AS t FROM generate_series(1, 100)) d'
		),
		'100',
		'standby: identifiers are drawn there too');
	$session->quit;
	$standby->stop;
}

$node->stop;
done_testing();
