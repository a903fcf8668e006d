# ALTER EXTENSION atid UPDATE, from the first release to this one.
#
# Shows that, in a database of 1.0 with its types in tables, constraints, generated columns, defaults,
# indexes, partitions and views,
# - the update gives the catalogue that CREATE EXTENSION gives, down to comments and grants, and leaves
#   every row as it was; its owner, who is no superuser, can do it;
# - everything made with 1.0 still works: constraints, defaults, generated columns, indexes, prepared plans;
# - a dump from before and one from after restore into a database without the extension and into one that
#   has 1.0 already, with the same contents and the same schema;
# - a session that drew before the library was replaced goes on beside one that loaded the new file, and
#   their identifiers rise and do not repeat.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/lib";

use AtidTest;
use File::Basename;
use File::Copy;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $root = "$FindBin::Bin/..";
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

my $old = owned_database('old', q{CREATE EXTENSION atid VERSION '1.0'});

$old->ok(<<'SQL');
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

my @tables = qw(record by_time by_time_1 by_time_2 by_hash by_hash_0 by_hash_1 newest);

# Each table's rows, counted and digested.
sub contents
{
	my ($session) = @_;
	return join "\n", map {
		"$_ " . $session->ok(qq{SELECT count(*), md5(string_agg(t::text, '/' ORDER BY t::text COLLATE "C")) FROM app.$_ t})
	} @tables;
}

# What pg_dump says, less what differs from run to run.
sub dump_text
{
	my ($db, @options) = @_;
	my ($out, $err) = run_command([ 'pg_dump', @options, '-d', $node->connstr($db) ]);
	is($err, '', "pg_dump @options $db: no message");
	$out =~ s/^\\(un)?restrict .*\n//mg;
	return $out;
}

my $before = contents($old);
like($before, qr/^record 501\|.*^by_time_1 2\d\d\|.*^by_hash_1 2\d\d\|/ms, '1.0: the tables are full');
my $schema = dump_text('old', '--schema-only', '-n', 'app');

my $dir = PostgreSQL::Test::Utils::tempdir('dumps');
sub dump_to
{
	my ($file) = @_;
	$node->command_ok([ 'pg_dump', '-U', 'owner', '-f', "$dir/$file", '-d', $node->connstr('old') ], "dump: $file");
	return;
}
dump_to('before');

#
# The library is replaced under a session that has drawn.
#
my ($library) = run_command([ 'pg_config', '--pkglibdir' ]);
$library .= '/atid.so';
my (@rising, $newer);

sub draw_by_turns
{
	foreach my $session ((grep { defined } $old, $newer) x 3)
	{
		push @rising, split /\n/, $session->ok('SELECT atid.tid_generate() FROM generate_series(1, 100)');
	}
	return;
}

draw_by_turns();
$old->ok('PREPARE newest AS SELECT rev > $1 FROM app.newest');
SKIP:
{
	skip "$library is not ours to replace", 1 unless -w $library && -w dirname($library);
	copy($library, "$library.new") or die "could not copy $library: $!";
	chmod 0755, "$library.new" or die "could not make $library.new executable: $!";
	rename "$library.new", $library or die "could not replace $library: $!";
	like(slurp_file('/proc/' . $old->pid . '/maps'), qr{/atid\.so \(deleted\)$}m, 'a session has the old file');
}
$newer = AtidTest::Session->new($node, 'old', user => 'owner');
draw_by_turns();

#
# The update.
#
is($newer->ok(q{SELECT extversion FROM pg_extension WHERE extname = 'atid'}), '1.0', 'before: 1.0');
$newer->ok('ALTER EXTENSION atid UPDATE');
is($newer->ok(q{SELECT extversion FROM pg_extension WHERE extname = 'atid'}), $current, "after: $current");
draw_by_turns();
is(falls(\@rising), 0, 'what the sessions drew rises: ' . @rising);
is($old->ok(q{EXECUTE newest ('3jzfcijpj2z2a')}), 't', 'a statement prepared before runs');
is(contents($old), $before, 'the rows are as they were');
is(dump_text('old', '--schema-only', '-n', 'app'), $schema, 'the schema is as it was');

foreach my $bad (
	[ '22023', q{INSERT INTO app.record (collection, record) VALUES ('a.b.c', '1.5')} ],
	[ '23514', q{INSERT INTO app.record (collection, rkey, record) VALUES ('a.b.c', 'a/b', '{}')} ],
	[ '23514', q{INSERT INTO app.record (collection, foreign_key, record) VALUES ('a.b.c', '', '{}')} ],
	[ '23514', q{INSERT INTO app.record (collection, record) VALUES ('app.bsky.actor.profile', '{}')} ])
{
	is(($old->try($bad->[1]))[1], $bad->[0], "refused: $bad->[1]");
}
is( $old->ok(q{INSERT INTO app.record (collection, record) VALUES ('a.b.c', '{}') RETURNING rev > (SELECT rev FROM app.newest), cid = atid.record_cid('{}')}),
	't|t', 'a new row has its defaults and what is generated');
$old->ok(q{DELETE FROM app.record WHERE collection = 'a.b.c'});
like($old->ok(q{SET enable_seqscan = off; EXPLAIN (COSTS OFF) SELECT FROM app.record WHERE cid = atid.record_cid('{}'); RESET enable_seqscan}),
	qr/Index.*record_cid/, 'an index of 1.0 is used');

#
# Its catalogue is that of a new one.
#
owned_database('new', 'CREATE EXTENSION atid')->quit;

# Every member of the extension as pg_upgrade makes it anew: its definition, comment, owner and grants,
# in any order. What is taken out are numbers of objects and the state of the generator.
sub members
{
	my ($db) = @_;
	my $text = dump_text($db, '--binary-upgrade', '--schema-only', '--exclude-schema=app');
	$text =~ s/^SELECT pg_catalog\.(binary_upgrade_set_next_\w+|setval)\(.*\n//mg;
	$text =~ s/^(SELECT pg_catalog\.binary_upgrade_create_empty_extension\(.*)'\{\d+\}'/$1/m;
	return { map { $_ => 1 } split /^(?=--\n-- Name: )/m, $text };
}

# What the regression test of the surface shows.
sub surface
{
	my ($db) = @_;
	my ($out, $err) = run_command([ 'psql', '-Xq', '-d', $node->connstr($db), '-f', "$root/sql/surface.sql" ]);
	is($err, '', "surface of $db: no message");
	return $out;
}

my ($updated, $new) = (members('old'), members('new'));
cmp_ok(scalar(grep { /^CREATE FUNCTION /m } keys %$new), '>', 100, 'pg_dump shows the members');
cmp_ok(scalar(grep { /^COMMENT ON FUNCTION /m } keys %$new), '>', 100, 'and their comments');
is(join('', grep { !$new->{$_} } sort keys %$updated), '', 'updated: no member that a new extension has not got');
is(join('', grep { !$updated->{$_} } sort keys %$new), '', 'updated: every member that a new extension has');
is(surface('old'), surface('new'), 'updated: the surface of a new extension');

#
# Dumps from before and after, into databases without the extension and with 1.0.
#
dump_to('after');
foreach my $file (qw(before after))
{
	my %target = (
		"${file}_to_none" => [ undef, '' ],
		# pg_dump takes the schema for the user's own
		"${file}_to_1_0" => [ q{CREATE EXTENSION atid VERSION '1.0'}, qq{ERROR:  schema "atid" already exists\n} ]);
	foreach my $db (sort keys %target)
	{
		my ($beforehand, $message) = @{ $target{$db} };
		my $session = owned_database($db, $beforehand);
		my ($out, $err) =
		  run_command([ 'psql', '-U', 'owner', '-Xq', '-f', "$dir/$file", '-d', $node->connstr($db) ]);
		is($err =~ s/^psql:.*?: //mgr, $message =~ s/\n$//r, "$db: restored, with no other message");
		is(contents($session), $before, "$db: the same contents");
		is(dump_text($db, '--schema-only', '-n', 'app'), $schema, "$db: the same schema");
		is($session->ok(q{SELECT atid.tid_generate() > (SELECT rev FROM app.newest)}), 't', "$db: the next TID is above");
		$session->ok('ALTER EXTENSION atid UPDATE');
		is(contents($session), $before, "$db: the same contents, at $current");
		$session->quit;
	}
}

$_->quit foreach $old, $newer;
$node->stop;
done_testing();
