# ALTER EXTENSION atid UPDATE, from each release to this one, with the atid_crypto of that time.
#
# Shows that, in a database of that release with its types in tables, constraints, generated columns, defaults,
# domains, indexes, partitions and views,
# - the update gives the catalogue that CREATE EXTENSION gives, down to comments and grants, and leaves every
#   row as it was; the database owner, who is not a superuser, can do it;
# - everything made before still works: constraints, defaults, generated columns, indexes, prepared plans;
# - a dump from before and one from after restore into a database without the extension and into one that
#   has the old release already, with the same contents and the same schema;
# - a session that drew before the library was replaced continues alongside one that loaded the new file, and
#   their identifiers rise and do not repeat; from 1.3, each function finds what it needs in the old file.
#
# Tags: long differs

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use File::Basename;
use File::Copy;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $root = "$FindBin::Bin/../..";
my ($current) = slurp_file("$root/atid.control") =~ /^default_version = '(.*)'$/m;

my $node = new_node('upgrade');
$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN');

# A session of the owner's, in a new database of theirs.
sub owned_database
{
	my ($name, $sql) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $name OWNER owner");
	my $session = AtidTest::Session->new($node, $name, user => 'owner');
	$session->ok($sql) if defined $sql;
	return $session;
}

# The objects of each release, with data of each of its types.
my %made = (
	'1.0' => <<'SQL',
CREATE SCHEMA app;
CREATE TABLE app.record (
	collection text COLLATE "C" NOT NULL,
	rkey atid.rkey NOT NULL DEFAULT atid.rkey_generate(),
	rev atid.tid NOT NULL DEFAULT atid.tid_generate(),
	foreign_key atid.record_key,
	record jsonb NOT NULL CONSTRAINT record_is_valid CHECK (atid.record_is_valid(record)),
	cid atid.cid_link GENERATED ALWAYS AS (atid.record_cid(record)) STORED,
	block bytea GENERATED ALWAYS AS (atid.record_to_dag_cbor(record)) STORED,
	made timestamptz GENERATED ALWAYS AS (atid.tid_timestamp(rev)) STORED,
	id uuid NOT NULL DEFAULT atid.uuid_generate_v7(),
	earlier atid.tid[] NOT NULL DEFAULT '{2222222222222}',
	PRIMARY KEY (collection, rkey),
	UNIQUE (rev),
	CONSTRAINT block_is_valid CHECK (atid.dag_cbor_is_valid(block)),
	CONSTRAINT profile_is_self CHECK (collection <> 'app.bsky.actor.profile' OR atid.rkey_conforms(rkey, 'literal:self')));
CREATE INDEX ON app.record (cid);
CREATE INDEX ON app.record USING hash (cid);
CREATE INDEX ON app.record USING hash (rev);
CREATE INDEX ON app.record USING brin (rev);
CREATE INDEX ON app.record (atid.record_problem(record, true));
CREATE INDEX ON app.record (atid.uuid_extract_timestamp(id)) WHERE rev > '3jzfcijpj2z2a'::atid.tid;

CREATE TABLE app.by_time (rev atid.tid PRIMARY KEY, n int) PARTITION BY RANGE (rev);
CREATE TABLE app.by_time_1 PARTITION OF app.by_time
	FOR VALUES FROM (MINVALUE) TO (atid.tid_floor('2024-01-01 00:00+00'));
CREATE TABLE app.by_time_2 PARTITION OF app.by_time DEFAULT;
CREATE TABLE app.by_hash (cid atid.cid_link NOT NULL, n int) PARTITION BY HASH (cid);
CREATE TABLE app.by_hash_0 PARTITION OF app.by_hash FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE app.by_hash_1 PARTITION OF app.by_hash FOR VALUES WITH (MODULUS 2, REMAINDER 1);

CREATE VIEW app.newest AS
	SELECT max(rev) AS rev, max(cid) AS cid, count(*) FROM app.record WHERE rev >= atid.tid_floor('2020-01-01 00:00+00');
CREATE FUNCTION app.before(atid.tid) RETURNS bigint LANGUAGE sql STABLE
	BEGIN ATOMIC SELECT count(*) FROM app.record r WHERE r.rev < $1; END;

INSERT INTO app.record (collection, record, foreign_key)
	SELECT 'app.bsky.feed.post', jsonb_build_object('text', 'post ' || g, 'n', g), 'x:' || g
	FROM generate_series(1, 500) g;
INSERT INTO app.record (collection, rkey, record) VALUES ('app.bsky.actor.profile', 'self', '{"displayName": "Ada"}');
INSERT INTO app.by_time SELECT atid.tid_make(timestamptz '2023-06-01 00:00+00' + g * interval '1 day', 0), g
	FROM generate_series(1, 500) g;
INSERT INTO app.by_hash SELECT cid, 0 FROM app.record;
SQL
	'1.1' => <<'SQL',
CREATE DOMAIN app.checked AS jsonb CHECK (atid.record_is_valid(VALUE, strict => true));
CREATE DOMAIN app.post_uri AS atid.at_uri CHECK (atid.at_uri_collection(VALUE) = 'app.bsky.feed.post');
CREATE TABLE app.post (
	uri app.post_uri PRIMARY KEY,
	author atid.did GENERATED ALWAYS AS (atid.at_uri_did(uri)) STORED,
	post app.checked NOT NULL,
	made atid.datetime NOT NULL CHECK (atid.sort_at(made, now()) IS NOT NULL),
	handle atid.handle, kind atid.nsid, who atid.at_identifier, language atid.language, link atid.uri,
	refs atid.at_uri[]);
CREATE INDEX ON app.post (author, uri DESC);
CREATE INDEX ON app.post USING hash (author);
CREATE INDEX ON app.post USING brin ((uri::atid.at_uri));
CREATE INDEX ON app.post USING gin (refs);
CREATE INDEX ON app.post (atid.record_problem(post, true));
CREATE INDEX ON app.post (atid.datetime_to_timestamptz(made));
CREATE TABLE app.by_uri (uri atid.at_uri PRIMARY KEY, n int) PARTITION BY RANGE (uri);
CREATE TABLE app.by_uri_1 PARTITION OF app.by_uri FOR VALUES FROM (MINVALUE) TO ('at://did:web:a');
CREATE TABLE app.by_uri_2 PARTITION OF app.by_uri DEFAULT;
CREATE TABLE app.by_did (did atid.did, n int) PARTITION BY HASH (did);
CREATE TABLE app.by_did_0 PARTITION OF app.by_did FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE app.by_did_1 PARTITION OF app.by_did FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE VIEW app.of_one AS
	SELECT max(uri) AS uri, count(*) FROM app.post WHERE uri <@ 'at://did:web:host' OR author < 'did:plc:d';
INSERT INTO app.post (uri, post, made, handle, kind, who, language, link, refs)
	SELECT atid.at_uri_make(did, 'app.bsky.feed.post', atid.tid_make('2024-01-01Z', g)::text),
		jsonb_build_object('$type', 'app.bsky.feed.post', 'n', g), '2024-01-01T00:00:00.' || g || 'Z',
		'h' || g || '.test', 'app.bsky.feed.n' || g, did, 'de', 'https://a.test/' || g, ARRAY[atid.at_uri_make(did)]
	FROM generate_series(1, 500) g,
		LATERAL (SELECT CASE WHEN g % 2 = 0 THEN 'did:plc:' || translate(substr(md5(g::text), 1, 24), '0189', 'wxyz')
		                ELSE 'did:web:host' END::atid.did AS did) d;
INSERT INTO app.by_uri SELECT uri, 1 FROM app.post;
INSERT INTO app.by_did SELECT DISTINCT author, 1 FROM app.post;
SQL
	'1.2' => <<'SQL', '1.3' => <<'SQL');
CREATE TABLE app.lexicons (lexicons atid.lexicon NOT NULL);
CREATE INDEX ON app.lexicons USING hash (lexicons);
INSERT INTO app.lexicons VALUES ('{"lexicon": 1, "id": "com.example.a", "defs": {"main": {"type": "token"}}}');
CREATE TABLE app.block (
	n int PRIMARY KEY,
	block bytea NOT NULL,
	text text GENERATED ALWAYS AS (atid.dag_cbor_get_text(block, '{text}')) STORED,
	subject atid.at_uri GENERATED ALWAYS AS (atid.dag_cbor_ref_uri(block, '{subject}')) STORED,
	CONSTRAINT kind CHECK (atid.dag_cbor_typeof(block, '{n}') IS NOT DISTINCT FROM 'number' OR n < 0));
CREATE INDEX ON app.block (atid.dag_cbor_get_text(block, '{n}'));
INSERT INTO app.block SELECT g, atid.record_to_dag_cbor(jsonb_build_object('text', 'post ' || g, 'n', g,
	'subject', 'did:web:' || g || '.example')) FROM generate_series(1, 500) g;
SQL
CREATE VIEW app.fields AS SELECT n, atid.dag_cbor_get(block) AS record, atid.dag_cbor_ref_uri(block, '{subject}') AS subject FROM app.block;
SQL

# ... and with the second extension next to it.
use constant MADE_WITH_CRYPTO => <<'SQL';
CREATE TABLE app.key (key text PRIMARY KEY CHECK (atid.did_key_is_valid(key)), curve text GENERATED ALWAYS AS (atid.did_key_curve(key)) STORED);
CREATE INDEX ON app.key (atid.did_key_public_key(key));
INSERT INTO app.key VALUES ('did:key:zQ3shokFTS3brHcDQrn82RUDfCZESWL1ZdCEJwekUDPQiYBme');
SQL

# ... and with its additions since 1.1.
use constant MADE_WITH_CRYPTO_1_1 => <<'SQL';
CREATE TABLE app.log (log jsonb NOT NULL CHECK (atid.plc_log_is_valid(log)), CONSTRAINT strict CHECK (atid.plc_log_is_valid(log, NULL)));
SQL

# Each table's rows, counted and digested.
sub contents
{
	my ($session) = @_;
	return join "\n", map {
		"$_ " . $session->ok(qq{SELECT count(*), md5(string_agg(t::text, '/' ORDER BY t::text COLLATE "C")) FROM $_ t})
	} split /\n/, $session->ok(q{SELECT oid::regclass FROM pg_class
		WHERE relnamespace = 'app'::regnamespace AND relkind IN ('r', 'p', 'v') ORDER BY relname COLLATE "C"});
}

# Every member of the extension as pg_upgrade creates it again: its definition, comment, owner and grants, in
# any order. Numbers of objects and the state of the generator are removed.
sub members
{
	my ($db) = @_;
	my $text = dump_text($node, $db, '--binary-upgrade', '--schema-only', '--exclude-schema=app');
	$text =~ s/^SELECT pg_catalog\.(binary_upgrade_set_next_\w+|setval)\(.*\n//mg;
	$text =~ s/^(SELECT pg_catalog\.binary_upgrade_create_empty_extension\(.*)'\{\d+\}'/$1/m;
	return { map { $_ => 1 } split /^(?=--\n-- Name: )/m, $text };
}

# The output of the regression test of the surface.
sub surface
{
	my ($db) = @_;
	my ($out, $err) = run_command([ 'psql', '-Xq', '-d', $node->connstr($db), '-f', "$root/sql/surface.sql" ]);
	is($err, '', "surface of $db: no message");
	return $out;
}

my $dir = PostgreSQL::Test::Utils::tempdir('dumps');

sub drawn
{
	return map { split /\n/, $_->ok('SELECT atid.tid_generate() FROM generate_series(1, 100)') } (@_) x 3;
}

foreach my $from (sort keys %made)
{
	my $db     = "old_$from" =~ tr/./_/r;
	my $crypto = $from ne '1.0' && has_extension($node, 'atid_crypto');
	my $with   = { '1.1' => '1.0', '1.2' => '1.1', '1.3' => '1.2' }->{$from} // '';
	my $create = "CREATE EXTENSION atid VERSION '$from'" . ($crypto ? "; CREATE EXTENSION atid_crypto VERSION '$with'" : '');
	my $update = ($crypto ? 'ALTER EXTENSION atid_crypto UPDATE; ' : '') . 'ALTER EXTENSION atid UPDATE';
	my $old    = owned_database($db, $create);
	$old->ok($made{$_}) foreach grep { $_ le $from } sort keys %made;
	$old->ok(MADE_WITH_CRYPTO) if $crypto;
	$old->ok(MADE_WITH_CRYPTO_1_1) if $crypto && $with ge '1.1';

	my $before = contents($old);
	like($before, qr/^app.by_hash_1 2\d\d\|.*^app.by_time_1 2\d\d\|.*^app.record 501\|/ms, "$from: the tables are full");
	like($before, qr/^app.by_uri_1 250\|.*^app.of_one 1\|.*^app.post 500\|/ms, '... those of 1.1 too') if $from ne '1.0';
	my $schema = dump_text($node, $db, '--schema-only', '-n', 'app');
	$node->command_ok([ 'pg_dump', '-U', 'owner', '-f', "$dir/${from}_before", '-d', $node->connstr($db) ], 'dump before');

	#
	# The library is replaced under a session that has drawn.
	#
	my ($library) = run_command([ 'pg_config', '--pkglibdir' ]);
	$library .= '/atid.so';
	my @rising = drawn($old);
	$old->ok('PREPARE newest AS SELECT rev > $1 FROM app.newest');
  SKIP:
	{
		skip "$library is not ours to replace", 1 unless -w $library && -w dirname($library);
		copy($library, "$library.new") or die "could not copy $library: $!";
		chmod 0755, "$library.new" or die "could not make $library.new executable: $!";
		rename "$library.new", $library or die "could not replace $library: $!";
		like(slurp_file('/proc/' . $old->pid . '/maps'), qr{/atid\.so \(deleted\)$}m, 'a session has the old file');
	}
	my $newer = AtidTest::Session->new($node, $db, user => 'owner');
	push @rising, drawn($old, $newer);

	#
	# The update.
	#
	is($newer->ok(q{SELECT extversion FROM pg_extension WHERE extname = 'atid'}), $from, "before: $from");
	my $damaged = q{INSERT INTO app.block VALUES (-1, '\xff') RETURNING text IS NULL, atid.dag_cbor_get(block) IS NULL, atid.dag_cbor_get_block(block, '{a}') IS NULL};
	my $forget  = 'DELETE FROM app.block WHERE n < 0';
	is($newer->ok("$damaged; $forget"), 't|t|t', 'before, with the new library: fields of a damaged block are NULL') if $from eq '1.2';
	is($newer->ok(q{SELECT atid.plc_log_is_valid('[]', NULL) IS NULL}), 't', '... and a NULL option is NULL') if $crypto && $from eq '1.2';
	# (from here on, a plan must not need more of the library than before: other sessions have the old file)
	my $needed = q{SELECT p.oid, s.prosrc FROM pg_proc p JOIN pg_proc s ON s.oid IN (p.oid, p.prosupport) WHERE p.probin LIKE '$libdir/atid%'};
	$newer->ok("CREATE TEMP TABLE needed AS $needed");
	$newer->ok($update);
	is($newer->ok("SELECT string_agg(oid::regprocedure || ' needs ' || prosrc, ', ') FROM ($needed) AS now
		WHERE oid IN (SELECT oid FROM needed) AND prosrc NOT IN (SELECT prosrc FROM needed)"),
		'', 'no function of 1.3 needs a newer library') if $from eq '1.3';
	is($newer->ok(q{SELECT extversion FROM pg_extension WHERE extname = 'atid'}), $current, "after: $current");
	push @rising, drawn($old, $newer);
	is(falls(\@rising), 0, 'what the sessions drew rises: ' . @rising);
	is($old->ok(q{EXECUTE newest ('3jzfcijpj2z2a')}), 't', 'a statement prepared before runs');
	is($old->ok("$damaged; $forget"), 't|t|t', 'fields of a damaged block are NULL') if $from eq '1.2';
	is(($newer->try(q{INSERT INTO app.log VALUES ('[]')}))[1], '23514', 'a log that is not valid: refused') if $crypto && $from eq '1.2';
	is(contents($old), $before, 'the rows are as they were');
	is(dump_text($node, $db, '--schema-only', '-n', 'app'), $schema, 'the schema is as it was');

	foreach my $bad (
		[ '22023', q{INSERT INTO app.record (collection, record) VALUES ('a.b.c', '1.5')} ],
		[ '23514', q{INSERT INTO app.record (collection, rkey, record) VALUES ('a.b.c', 'a/b', '{}')} ],
		[ '23514', q{INSERT INTO app.record (collection, foreign_key, record) VALUES ('a.b.c', '', '{}')} ],
		[ '23514', q{INSERT INTO app.record (collection, record) VALUES ('app.bsky.actor.profile', '{}')} ],
		$from eq '1.0' ? () : (
			[ '23514', q{INSERT INTO app.post (uri, post, made) VALUES ('at://a.test/a.b.c/d', '{"$type": "a.b.c"}', '2024-01-01T00:00:00Z')} ],
			[ '23514', q{INSERT INTO app.post (uri, post, made) VALUES ('at://a.test/app.bsky.feed.post/d', '{}', '2024-01-01T00:00:00Z')} ],
			[ '23514', q{INSERT INTO app.post (uri, post, made) VALUES ('at://a.test/app.bsky.feed.post/d', '{"$type": "a.b.c"}', 'now')} ]))
	{
		is(($old->try($bad->[1]))[1], $bad->[0], "refused: $bad->[1]");
	}
	is( $old->ok(q{INSERT INTO app.record (collection, record) VALUES ('a.b.c', '{}') RETURNING rev > (SELECT rev FROM app.newest), cid = atid.record_cid('{}')}),
		't|t', 'a new row has its defaults and what is generated');
	$old->ok(q{DELETE FROM app.record WHERE collection = 'a.b.c'});
	foreach my $used (
		[ record => q{cid = atid.record_cid('{}')} ],
		$from eq '1.0' ? () : ([ post => q{uri <@ 'at://did:web:host'} ], [ post => q{author = 'did:web:host'} ]),
		$from lt '1.2' ? () : [ block => q{atid.dag_cbor_get_text(block, '{n}') = '17'} ])
	{
		like($old->ok("SET enable_seqscan = off; EXPLAIN (COSTS OFF) SELECT FROM app.$used->[0] WHERE $used->[1]; RESET enable_seqscan"),
			qr/Index Scan/, "an index of $from is used: $used->[1]");
	}

	#
	# Its catalogue equals that of a new one.
	#
	my $fresh = "new_$from" =~ tr/./_/r;
	owned_database($fresh, $crypto ? 'CREATE EXTENSION atid; CREATE EXTENSION atid_crypto' : 'CREATE EXTENSION atid')->quit;
	my ($updated, $new) = (members($db), members($fresh));
	cmp_ok(scalar(grep { /^CREATE FUNCTION /m } keys %$new), '>', 100, 'pg_dump shows the members');
	cmp_ok(scalar(grep { /^COMMENT ON FUNCTION /m } keys %$new), '>', 100, 'and their comments');
	is(join('', grep { !$new->{$_} } sort keys %$updated), '', 'updated: no member that a new extension has not got');
	is(join('', grep { !$updated->{$_} } sort keys %$new), '', 'updated: every member that a new extension has');
	is(surface($db), surface($fresh), 'updated: the surface of a new extension');

	#
	# Dumps from before and after, into databases without the extension and with the old release.
	#
	$node->command_ok([ 'pg_dump', '-U', 'owner', '-f', "$dir/${from}_after", '-d', $node->connstr($db) ], 'dump after');
	foreach my $file ("${from}_before", "${from}_after")
	{
		my $name = $file =~ tr/./_/r;
		my %target = (
			"to_none_$name" => [ undef, '' ],
			# pg_dump treats the schema as the user's own
			"to_old_$name" => [ $create, qq{ERROR:  schema "atid" already exists\n} ]);
		foreach my $to (sort keys %target)
		{
			my ($beforehand, $message) = @{ $target{$to} };
			my $session = owned_database($to, $beforehand);
			my ($out, $err) = run_command([ 'psql', '-U', 'owner', '-Xq', '-f', "$dir/$file", '-d', $node->connstr($to) ]);
			is($err =~ s/^psql:.*?: //mgr, $message =~ s/\n$//r, "$to: restored, with no other message");
			is(contents($session), $before, "$to: the same contents");
			is(dump_text($node, $to, '--schema-only', '-n', 'app'), $schema, "$to: the same schema");
			is($session->ok(q{SELECT atid.tid_generate() > (SELECT rev FROM app.newest)}), 't', "$to: the next TID is above");
			$session->ok(join '; ', reverse split /; /, $update);
			is(contents($session), $before, "$to: the same contents, at $current");
			$session->quit;
		}
	}
	$_->quit foreach $old, $newer;
}

$node->stop;
done_testing();
