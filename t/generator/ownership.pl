# The owner of the horizon's sequence, and the privileges of everybody.
#
# The extension is trusted: a database's owner may create it, and owns its schema. The generator writes
# to the horizon's page without asking for privileges. Shows that
# - a database owner who renames the schema and plants a sequence or a table of that name elsewhere changes nothing:
#   the extension's own is found, and no other object is touched;
# - if the sequence in the extension's schema is missing, not the extension's, unlogged or no sequence, there is an
#   error with a hint, and nothing is written to it;
# - a session that has drawn before notices that within a second;
# - when it is repaired, the streams continue above all earlier values;
# - where default privileges keep functions and types from PUBLIC, everybody can use the extension after CREATE and
#   after UPDATE, but neither reset the generator nor read its state; explicit grants and revocations are kept.
#
# Tags: medium differs

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Horizon;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $node = new_node('ownership');
$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN; CREATE ROLE plain LOGIN');

my ($super, $owner, $db);

sub new_owned
{
	$_->quit foreach grep { defined } $super, $owner;
	($db) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $db OWNER owner");
	$owner = AtidTest::Session->new($node, $db, user => 'owner');
	$super = AtidTest::Session->new($node, $db);
	$owner->ok('CREATE EXTENSION atid');
	return AtidTest::Kept->new;
}

# Draws in a new session of a plain role; the schema may have another name.
sub draw_anew
{
	my ($schema) = @_;
	my $session = AtidTest::Session->new($node, $db, user => 'plain');
	my @result = $session->try("SELECT $schema.tid_generate(), $schema.uuid_generate_v7()");
	$session->quit;
	return @result;
}

sub goes_on
{
	my ($kept, $what, $schema) = @_;
	my ($out, $state, $err) = draw_anew($schema);
	is($state, '00000', "$what: a new session draws") or diag($err);
	$kept->new_ones($what, parse_drawn("$out\n"));
	return;
}

# All visible contents of a relation, and whether anything has touched its file.
sub contents
{
	my ($relation) = @_;
	return $super->ok("SELECT t.ctid, t.xmin, t.* FROM $relation t");
}

# An error with a hint, for a new session and for one that has drawn before; and nothing is written.
sub refused
{
	my ($what, %opt) = @_;
	my $before = defined $opt{relation} ? contents($opt{relation}) : '';
	my $from   = log_position($super);
	sleep 1.1 if $opt{live};
	my @results = ([ draw_anew('atid') ]);
	push @results, [ $opt{live}->try('SELECT ' . DRAW) ] if $opt{live};
	push @results, [ $super->try('SELECT * FROM atid.generator_state()') ],
	  [ $super->try('SELECT atid.generator_reset()') ];
	my @who = ('a new session', $opt{live} ? 'a live session' : (), 'generator_state', 'generator_reset');
	foreach my $n (0 .. $#results)
	{
		my ($out, $state, $err) = @{ $results[$n] };
		is("$out $state", " $opt{state}", "$what: $who[$n] is refused");
		like($err, $opt{error}, "$what: $who[$n] is told why");
		like($err, qr/^HINT: .*$opt{hint}/m, "$what: $who[$n] is told what to do");
	}
	my $to = log_position($super);
	return unless defined $opt{relation};
	is(contents($opt{relation}), $before, "$what: it is as it was");
	my ($out, $err) = run_command(
		[ 'pg_waldump', '-p', $node->data_dir . '/pg_wal', '-r', 'Generic', '-s', $from, '-e', $to ]);
	$out =~ s/^first record is after \S+, at \S+, skipping over \d+ bytes?\n?//;    # the position is the end of a page
	is($out, '', "$what: nothing was written");
	return;
}

#
# The owner renames the schema, and plants their own objects in another one with the old name.
#
my $kept = new_owned('renamed');
goes_on($kept, 'before', 'atid');
my $live = AtidTest::Session->new($node, $db, user => 'plain');
$kept->goes_on('before, a live session', $live);

$owner->ok('ALTER SCHEMA atid RENAME TO elsewhere; CREATE SCHEMA atid');
foreach my $plant (
	'CREATE SEQUENCE atid.generator_horizon MINVALUE 0 START 0',
	'CREATE TABLE atid.generator_horizon (last_value bigint, log_cnt bigint, is_called bool); INSERT INTO atid.generator_horizon VALUES (1, 0, true)',
	'CREATE UNLOGGED TABLE atid.generator_horizon AS SELECT 1::bigint AS last_value, 0::bigint AS log_cnt, true AS is_called')
{
	my ($what) = $plant =~ /^CREATE ([A-Z ]+) /;
	$what = "renamed, and planted: $what";
	$owner->ok($plant);
	my $before = contents('atid.generator_horizon');
	sleep 1.1;
	my ($last) = $super->ok('SELECT last_value FROM elsewhere.generator_horizon');
	goes_on($kept, $what, 'elsewhere');
	$kept->new_ones(
		"$what, a live session",
		parse_drawn(
			$live->ok('SELECT elsewhere.tid_generate(), elsewhere.uuid_generate_v7()') . "\n"));
	is(contents('atid.generator_horizon'), $before, "$what: it is as it was");
	cmp_ok($super->ok('SELECT last_value FROM elsewhere.generator_horizon'),
		'>', $last, "$what: the extension's own is written");
	$owner->ok('DROP ' . ($plant =~ /TABLE/ ? 'TABLE' : 'SEQUENCE') . ' atid.generator_horizon');
}

# Actions that the owner may not perform.
foreach my $sql (
	'ALTER EXTENSION atid DROP SEQUENCE elsewhere.generator_horizon',
	'ALTER SEQUENCE elsewhere.generator_horizon RENAME TO other',
	'ALTER SEQUENCE elsewhere.generator_horizon SET SCHEMA public',
	'ALTER SEQUENCE elsewhere.generator_horizon RESTART',
	'ALTER SEQUENCE elsewhere.generator_horizon OWNER TO owner')
{
	is(($owner->try($sql))[1], '42501', "the owner may not: $sql");
}
is(($owner->try('DROP SEQUENCE elsewhere.generator_horizon CASCADE'))[1],
	'2BP01', 'the owner may not drop it');
my $plain = AtidTest::Session->new($node, $db, user => 'plain');
foreach my $sql (
	"SELECT setval('elsewhere.generator_horizon', 1)",
	"SELECT nextval('elsewhere.generator_horizon')")
{
	is(($plain->try($sql))[1], '42501', "a plain role may not: $sql");
}

# They cannot keep others from the page either.
$plain->ok('BEGIN');
is(($plain->try('LOCK TABLE elsewhere.generator_horizon'))[1], '42809', 'no role may lock it by name');
$plain->ok('ROLLBACK; BEGIN; SELECT last_value FROM elsewhere.generator_horizon');
my $reset = $super->ok("SELECT setval('elsewhere.generator_horizon', last_value + 1) FROM elsewhere.generator_horizon");
draw_anew('elsewhere');
isnt($super->ok('SELECT last_value FROM elsewhere.generator_horizon'),
	$reset, 'a plain role that reads it in an open transaction does not keep a new session from writing it');
$plain->quit;
$live->quit;

#
# A superuser's accident: it is no longer the extension's.
#
$kept = new_owned('not_a_member');
goes_on($kept, 'before', 'atid');
$live = AtidTest::Session->new($node, $db, user => 'plain');
$kept->goes_on('before, a live session', $live);
$super->ok('ALTER EXTENSION atid DROP SEQUENCE atid.generator_horizon');
my %not_a_member = (
	state => '55000',
	error => qr/sequence "generator_horizon" does not belong to extension atid/,
	hint  => qr/ALTER EXTENSION atid ADD SEQUENCE/);
refused('not the extension\'s', %not_a_member, live => $live, relation => 'atid.generator_horizon');

# The owner of the schema drops it, and plants others in its place.
$owner->ok('DROP SEQUENCE atid.generator_horizon');
refused('missing',
	state => '55000',
	error => qr/sequence "generator_horizon" of extension atid does not exist/,
	hint  => qr/CREATE EXTENSION|create the extension/,
	live  => $live);

$owner->ok('CREATE SEQUENCE atid.generator_horizon MINVALUE 0 START 0');
refused('the owner\'s sequence', %not_a_member, live => $live, relation => 'atid.generator_horizon');
$super->ok('ALTER SEQUENCE atid.generator_horizon OWNER TO CURRENT_USER');
refused('a superuser\'s sequence', %not_a_member, relation => 'atid.generator_horizon');
$super->ok('DROP SEQUENCE atid.generator_horizon');

my %no_sequence = (
	state => '42809',
	error => qr/"generator_horizon" is not a sequence/,
	hint  => qr/Drop it/);
foreach my $kind (
	[ 'TABLE', 'AS SELECT 1::bigint AS last_value, 0::bigint AS log_cnt, true AS is_called' ],
	[ 'TABLE', '()' ],
	[ 'VIEW', 'AS SELECT 1::bigint AS last_value' ],
	[ 'MATERIALIZED VIEW', 'AS SELECT 1::bigint AS last_value' ],
	[ 'TYPE', 'AS (last_value bigint)' ])
{
	my ($word, $rest) = @$kind;
	$owner->ok("CREATE $word atid.generator_horizon $rest");
	refused("a $word $rest", %no_sequence,
		$word eq 'TABLE' ? (relation => 'atid.generator_horizon') : ());
	if ($word eq 'TABLE')
	{
		# Not even when the owner makes it a part of the extension, which they may do with their own objects.
		$owner->ok("ALTER EXTENSION atid ADD TABLE atid.generator_horizon");
		refused("a $word $rest of the extension", %no_sequence, relation => 'atid.generator_horizon');
		$owner->ok("ALTER EXTENSION atid DROP TABLE atid.generator_horizon");
	}
	$owner->ok("DROP $word atid.generator_horizon");
}

# With a new one, which is made the extension's, draws work again, and are above all earlier ones, as the shared state
# is kept.
$owner->ok('CREATE SEQUENCE atid.generator_horizon MINVALUE 0 START 0; ALTER EXTENSION atid ADD SEQUENCE atid.generator_horizon');
goes_on($kept, 'put right', 'atid');
$kept->goes_on('put right, a live session', $live);

#
# Unlogged.
#
SKIP:
{
	my %unlogged = (
		state => '55000',
		error => qr/sequence "generator_horizon" of extension atid is not permanent/,
		hint  => qr/SET LOGGED/);
	$owner->ok('ALTER SEQUENCE atid.generator_horizon SET UNLOGGED');
	refused('unlogged', %unlogged, live => $live, relation => 'atid.generator_horizon');
	$owner->ok('ALTER SEQUENCE atid.generator_horizon SET LOGGED');
	goes_on($kept, 'logged again', 'atid');
	$kept->goes_on('logged again, a live session', $live);
}

#
# And it is durable again.
#
$super->ok("SELECT setval('atid.generator_horizon', last_value + 60000000) FROM atid.generator_horizon");
goes_on($kept, 'put right, a minute ahead', 'atid');
$_->quit foreach $live, $super, $owner;
$node->stop('immediate');
$node->start;
goes_on($kept, 'put right, and after a crash', 'atid');

#
# Default privileges that keep functions and types from PUBLIC.
#
my $harden = 'ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
	ALTER DEFAULT PRIVILEGES REVOKE USAGE ON TYPES FROM PUBLIC';
my $denied = <<'SQL';
SELECT string_agg(name, ' ' ORDER BY name) FROM (
  SELECT 'pg_proc'::regclass AS classid, oid, oid::regprocedure::text, has_function_privilege('plain', oid, 'EXECUTE') FROM pg_proc
  UNION ALL SELECT 'pg_type'::regclass, oid, oid::regtype::text, has_type_privilege('plain', oid, 'USAGE') FROM pg_type) AS o (classid, oid, name, may)
WHERE NOT may AND name NOT LIKE '%[]' AND (classid, oid) IN (SELECT classid, objid FROM pg_depend WHERE deptype = 'e')
SQL
my $closed = 'atid.generator_reset() atid.generator_state()';

# A database of the owner's, after some statements of a superuser; and the superuser's session.
sub new_hardened
{
	my ($name, @sql) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $name OWNER owner");
	my $session = AtidTest::Session->new($node, $name);
	$session->ok($_) foreach @sql;
	return $session;
}

my $hard = new_hardened('hard', $harden, 'CREATE ROLE app; ALTER DEFAULT PRIVILEGES GRANT USAGE ON TYPES TO app', 'SET ROLE owner; CREATE EXTENSION atid; RESET ROLE');
is($hard->ok($denied), $closed, 'hardened: after CREATE EXTENSION a role has all but two functions');
$hard->ok('GRANT CREATE ON SCHEMA public TO plain; SET ROLE plain');
is( $hard->ok(q(CREATE TABLE t (did atid.did, rev atid.tid DEFAULT atid.tid_generate(), key atid.rkey DEFAULT 'self');
		INSERT INTO t VALUES ('did:web:a.example'); SELECT max(did), count(rev) FROM t WHERE did = 'did:web:a.example'::text)),
	'did:web:a.example|1', 'hardened: types, operators and aggregates work');
$hard->ok('RESET ROLE');

# Privileges revoked afterwards stay revoked, also in a restored dump; nothing in that dump names a dropped role.
$hard->ok('DROP OWNED BY app; DROP ROLE app');
$hard->ok('REVOKE EXECUTE ON FUNCTION atid.uuid_nil(), pg_catalog.max(atid.tid) FROM PUBLIC; REVOKE USAGE ON TYPE atid.cid_link FROM PUBLIC');
my $fewer = "atid.cid_link $closed atid.uuid_nil() max(atid.tid)";
is($hard->ok($denied), $fewer, 'hardened: some are revoked');
my $dump = $node->basedir . '/hard.sql';
command_ok([ 'pg_dump', '-f', $dump, '-d', $node->connstr('hard') ], 'hardened: dumped');
$_->quit foreach $hard;
$hard = new_hardened('restored');
$node->psql('restored', slurp_file($dump), on_error_stop => 1, on_error_die => 1);
is($hard->ok($denied), $fewer, 'hardened: restored with what was revoked');
$hard->quit;

# An update: objects closed by the defaults are opened; explicit grants and revocations are unchanged. But a function
# that was only revoked, as atid.uuid_max() here, cannot be distinguished from one that the defaults have closed.
$hard = new_hardened('updated', "SET ROLE owner; CREATE EXTENSION atid VERSION '1.0'; RESET ROLE", 'REVOKE EXECUTE ON FUNCTION atid.uuid_max() FROM PUBLIC',
	$harden, "ALTER EXTENSION atid UPDATE TO '1.3'");
like($hard->ok($denied), qr/atid\.did_eq\(.*max\(atid\.did\)/, 'hardened: half an extension before the update');
$hard->ok('GRANT EXECUTE ON FUNCTION atid.uuid_to_urn(uuid), atid.did_hash(atid.did) TO owner;
	REVOKE EXECUTE ON FUNCTION atid.uuid_to_urn(uuid) FROM PUBLIC');
$hard->ok(q(SET ROLE owner; CREATE FUNCTION atid.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'; REVOKE EXECUTE ON FUNCTION atid.mine() FROM PUBLIC;
	ALTER EXTENSION atid ADD FUNCTION atid.mine(); RESET ROLE));
$hard->ok('ALTER EXTENSION atid UPDATE');
is($hard->ok($denied), "atid.did_hash(atid.did) $closed atid.mine() atid.uuid_to_urn(uuid)",
	'hardened: after the update all is open that nobody has changed');
$hard->quit;

# Without such defaults an update grants nothing.
$hard = new_hardened('soft', "CREATE EXTENSION atid VERSION '1.3'",
	'REVOKE EXECUTE ON FUNCTION atid.uuid_max(), pg_catalog.max(atid.tid) FROM PUBLIC; REVOKE ALL ON FUNCTION atid.uuid_nil() FROM PUBLIC, CURRENT_USER',
	'ALTER EXTENSION atid UPDATE');
is($hard->ok($denied), "$closed atid.uuid_max() atid.uuid_nil() max(atid.tid)", 'not hardened: what was revoked stays revoked');
is($hard->ok("SELECT count(*) FROM pg_init_privs WHERE classoid = 'pg_proc'::regclass AND privtype = 'e' AND objoid NOT IN (
	'atid.generator_reset'::regproc, 'atid.generator_state'::regproc)"), 0, 'not hardened: nothing is granted');
$hard->quit;

# Defaults that come later, and another extension: each grants privileges only on its own objects.
SKIP:
{
	skip 'atid_crypto is not installed', 1 unless has_extension($node, 'atid_crypto');
	$hard = new_hardened('later', 'CREATE EXTENSION atid', $harden, 'REVOKE EXECUTE ON FUNCTION atid.tid_generate() FROM PUBLIC', 'CREATE EXTENSION atid_crypto');
	is($hard->ok($denied), "$closed atid.tid_generate()", 'hardened later: atid_crypto is open, what was revoked of atid is not');
	$hard->quit;
}

$node->stop;
done_testing();
