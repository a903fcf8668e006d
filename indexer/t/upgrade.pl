# The indexer is upgraded in place, dumped and moved.
#
# Shows that
# - `upgrade` of what 1.3.1 and 1.3.3 made (indexer/t/vectors) keeps rows and what the operator had added, takes no right
#   from anybody, and with `pack` the tables are those of a new one; the tables of the example of 1.2 are refused;
# - `run` and `upgrade` refuse a schema that is newer, and `run` one that is older, or none, and say what to do;
# - a database with all of it goes through pg_upgrade, and through pg_dump and pg_restore.
#
# The accounts are those of demo/. Skipped where atid_crypto, node or npm are not there.
#
# Tags: minutes node crypto

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Indexer;
use AtidTest::Oracles;
use AtidTest::States;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $root = "$FindBin::Bin/../..";
my $node = new_node('indexer_life', lasting => 1);
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my ($oracles, $why) = AtidTest::Oracles->new;
plan skip_all => $why unless defined $oracles;
my ($did) = AtidTest::Indexer::accounts();

sub program
{
	my ($db) = @_;
	my ($indexer, $why) = AtidTest::Indexer->new($node, $db, $oracles);
	plan skip_all => $why unless defined $indexer;
	return $indexer;
}

sub one { my ($db, $sql) = @_; return $node->safe_psql($db, $sql); }

# Rows that must be the same before and after, and the tables and columns as sets.
my $rows = q{SELECT count(*), md5(string_agg(concat(uri, cid, encode(block, 'hex')), ' ' ORDER BY uri)) FROM record};
my $parts = q{SELECT md5(string_agg(concat(subject, collection, uri), ' ' ORDER BY uri, subject)) FROM (SELECT DISTINCT subject, collection, uri FROM reference) AS r};
my $shape = q{SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid)
	FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped LEFT JOIN pg_attrdef AS d ON d.adrelid = c.oid AND d.adnum = a.attnum
	WHERE c.relnamespace = 'indexer'::regnamespace AND c.relkind IN ('r', 'v') AND a.attname <> 'mine' ORDER BY 1, 2};
my $indexes = q{SELECT indexdef FROM pg_indexes WHERE schemaname = 'indexer' AND indexname <> 'mine' ORDER BY 1};
my $checks = q{SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'indexer'::regnamespace AND conrelid <> 0 ORDER BY 1, 2};
my $functions = q{SELECT oid::regprocedure::text, md5(prosrc), proconfig FROM pg_proc WHERE pronamespace = 'indexer'::regnamespace AND proname <> 'mine' ORDER BY 1};

#
# A new schema.
#
my $db = new_database($node, 'fresh');
my $indexer = program($db);
my ($status, $said) = $indexer->command('init', '--role', 'consumer');
is($status, 0, 'init') or diag($said);
AtidTest::Indexer::demo($node, $db);
my $states = AtidTest::States->new($node, $db);
AtidTest::Indexer::fill($node, $db);
my $truth = one($db, $rows);
my $truth_of_parts = one($db, $parts);
is(one($db, q{SELECT string_agg(state || n, ' ') FROM status_accounts WHERE n > 0}), 'synchronized3', 'three accounts');

#
# The example of 1.2.
#
{
	my $old = new_database($node, 'example');
	one($old, 'CREATE EXTENSION atid_crypto CASCADE; CREATE SCHEMA kept');
	one($old, "CREATE TABLE kept.$_ ()") foreach qw(account identity record reference stream want bad waiting);
	foreach my $command ('init', 'upgrade')
	{
		($status, $said) = program($old)->command($command);
		ok($status == 1 && $said =~ /The schema kept has the tables of the example in 1\.2, .*atid-indexer 1\.3\.3 first\./,
			"$command refuses the tables of the example of 1.2") or diag("$status $said");
	}
	is(one($old, "SELECT to_regnamespace('indexer') IS NULL"), 't', '... and creates nothing');
	one('postgres', 'DROP DATABASE example');
}

#
# Earlier releases.
#
my $n = $ENV{ATID_FULL} ? 100_000 : 3000;
foreach my $version ('1.3.1', '1.3.3')
{
	my $old = new_database($node, 'released');
	one($old, 'CREATE EXTENSION atid_crypto');
	$node->command_ok([ 'psql', '-qX', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr($old), '-f', "$root/indexer/t/vectors/$version.sql" ], "$version: the schema");
	AtidTest::Indexer::demo($node, $old);
	AtidTest::Indexer::fill($node, $old, $version);
	my $reader = "reader of $version";
	one($old, <<"SQL");
INSERT INTO record (uri, did, cid, block) SELECT ('at://did:web:many.example/a.b.c/' || i)::atid.at_uri, 'did:web:many.example', atid.record_cid('{}'), '\\xa0' FROM generate_series(1, $n) AS i;
INSERT INTO labels_refused (label) VALUES ('{"val": "x"}');
INSERT INTO identity (did, ask, problem) VALUES ('did:example:a', 'infinity', 'not implemented');
UPDATE identity SET problem = 'cut short' WHERE did = '$did';
-- what the operator has added
CREATE INDEX mine ON record (atid.at_uri_collection(uri), cid);
CREATE VIEW public.mine_too AS SELECT r.uri, a.rev FROM record AS r JOIN account AS a ON a.did = r.did;
CREATE TABLE public.seen (uri text);
CREATE FUNCTION public.mine() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO public.seen VALUES (NEW.uri); RETURN NULL; END';
CREATE TRIGGER mine AFTER INSERT ON record FOR EACH ROW EXECUTE FUNCTION public.mine();
ALTER TABLE identity ADD mine text DEFAULT 'x';
CREATE ROLE "$reader";
GRANT SELECT ON record TO "$reader";
UPDATE settings SET most_bad = 12345;
SQL
	my $before = one($old, $rows) . one($old, $parts);
	my $upgrade = program($old);
	($status, $said) = $upgrade->command({ ATID_SERVICE_URL => 'http://127.0.0.1:1' }, 'run');
	ok($status != 0 && $said =~ /has version \Q$version\E, .*upgrade/, "$version: run refuses it, and says what to do") or diag("$status $said");
	($status, $said) = $upgrade->command('init');
	isnt($status, 0, "$version: init does not touch it");
	($status, $said) = $upgrade->command('upgrade');
	is($status, 0, "$version: upgrade") or diag($said);
	is(one($old, $rows) . one($old, $parts), $before, "$version: not a record is lost");
	($status, $said) = $upgrade->command('pack');
	ok($status != 0 && $said =~ /need the table record as it is: index mine, trigger mine$/m, "$version: pack names what the operator has added") or diag($said);
	one($old, 'DROP INDEX mine; DROP TRIGGER mine ON record');
	($status, $said) = $upgrade->command('pack');
	is($status, 0, "$version: pack") or diag($said);
	one($old, q{CREATE INDEX mine ON packed_record (atid.at_uri_collection(uri), atid.cid_of(block, 'dag-cbor'));
		CREATE TRIGGER mine AFTER INSERT ON packed_record FOR EACH ROW EXECUTE FUNCTION public.mine()});
	is(one($old, $rows) . one($old, $parts), $before, "$version: ... nor then");
	is(one($old, $_->[1]), one($db, $_->[1]), "$version: $_->[0] as in a new one")
	  foreach [ 'tables and views', $shape ], [ 'indexes', $indexes ], [ 'constraints', $checks ], [ 'functions', $functions ];
	is(one($old, 'SELECT most_bad FROM settings'), 12345, "$version: a setting that was changed");
	is(one($old, q{SELECT count(*) FROM pg_indexes WHERE indexname = 'mine'}) . one($old, q{SELECT count(*) FROM pg_trigger WHERE tgname = 'mine'})
		. one($old, 'SELECT count(*) > 0 FROM public.mine_too') . one($old, qq{SELECT has_table_privilege('$reader', 'record', 'SELECT')}) . one($old, 'SELECT min(mine) FROM identity'),
		'11ttx', "$version: the operator's additions stay");
	is(one($old, q{SELECT string_agg(problem, ' ' ORDER BY problem) FROM identity}), 'cut_short unsupported_method', "$version: problems are codes");
	# Events after the upgrade.
	one($old, "SELECT reload_account('$did'); SELECT fail_load(c.did, c.claim, 'timeout', NULL, true) FROM claim_loads(9, true, NULL, NULL, '{}') AS c WHERE c.claim > 0");
	is(one($old, "SELECT state, problem FROM account WHERE did = '$did'"), 'desynchronized|timeout', "$version: ... and they work");
	one($old, qq{DELETE FROM record WHERE did = '$did'; TRUNCATE public.seen; SELECT start_stream('relay', 'repos', NULL, 1); SELECT process_frames('relay', 0, 1, ARRAY[demo.sync(11, '$did')]); SELECT reconcile_wants(99); SELECT reload_account('$did');
		SELECT (store_repository(c.did, c.claim, demo.car(c.did))).outcome FROM claim_loads(9, true, NULL, NULL, '{}') AS c WHERE c.claim > 0});
	is(one($old, "SELECT cursor FROM shard; SELECT state, count(uri) = (SELECT count(*) FROM public.seen), count(uri) > 0 FROM account AS a JOIN record USING (did) WHERE a.did = '$did' GROUP BY 1"),
		"11\nsynchronized|t|t", "$version: the next events");
	one($old, qq{CREATE ROLE "admin of $version"; GRANT ALL ON ALL TABLES IN SCHEMA indexer TO "admin of $version"});
	($status, $said) = $upgrade->command('upgrade');
	is($status, 0, "$version: once more") or diag($said);
	is(one($old, qq{SELECT has_table_privilege('admin of $version', 'settings', 'UPDATE')}), 't', "$version: nobody loses a right");
	one($old, qq{DROP OWNED BY "admin of $version", "$reader"});
	one('postgres', qq{DROP DATABASE released; DROP ROLE "admin of $version", "$reader"});
}

#
# The user that runs it.
#
($status, $said) = $indexer->command({ PGUSER => '', USER => '' }, 'want', 'list');
is($status, 0, "without PGUSER it connects as the operating system's user") or diag($said);

#
# Schemas that run refuses.
#
my %version = (
	'a schema that is newer'                  => [ "UPDATE program SET version = '99.0.0'", qr/newer/ ],
	'a schema with migrations that it has not' => [ "INSERT INTO migration VALUES (999, '99.0.0')", qr/newer/ ],
	'functions of another version'            => [ "UPDATE program SET digest = 'x'", qr/upgrade/ ]);
foreach my $name (sort keys %version)
{
	my $kept = one($db, 'SELECT version || $$ $$ || digest FROM program');
	one($db, $version{$name}[0]);
	($status, $said) = $indexer->command({ ATID_SERVICE_URL => 'http://127.0.0.1:1' }, 'run');
	ok($status != 0 && $said =~ $version{$name}[1] && $said !~ /^\s+at /m, "run refuses $name, and reports what to do") or diag("$status $said");
	($status) = $indexer->command('upgrade');
	($version{$name}[1] eq qr/newer/ ? \&isnt : \&is)->($status, 0, "... upgrade: $name");
	my ($v, $d) = split / /, $kept;
	one($db, "UPDATE program SET version = '$v', digest = '$d'; DELETE FROM migration WHERE n = 999");
}

#
# A dump that moves to another server.
#
my $file = "$oracles->{folder}/dump";
{
	local $ENV{PGOPTIONS} = '';
	$node->command_ok([ 'pg_dump', '-Fc', '-f', $file, $node->connstr($db) ], 'pg_dump');
	one('postgres', 'CREATE DATABASE restored');
	$node->command_ok([ 'pg_restore', '--exit-on-error', '-d', $node->connstr('restored'), $file ], 'pg_restore');
}
is(one('restored', $rows), $truth, '... has the same records');
is(one('restored', $functions), one($db, $functions), '... and functions');
is(one('restored', "SELECT start_stream('relay', 'repos', NULL, 1)"), 10, '... and continues');
one('postgres', "DROP DATABASE $_") foreach 'restored';

# On another server, which has none of the roles: these, and then their rights on the database.
my $elsewhere = new_node('indexer_elsewhere');
{
	local $ENV{PGOPTIONS} = '';
	$node->command_ok([ 'pg_dumpall', '--roles-only', '-f', "$file.roles", '-d', $node->connstr('postgres') ], 'pg_dumpall --roles-only');
	$elsewhere->command_ok([ 'psql', '-qX', '-d', $elsewhere->connstr('postgres'), '-f', "$file.roles" ], '... restored');
	$elsewhere->safe_psql('postgres', "CREATE DATABASE $db");
	$elsewhere->command_ok([ 'pg_restore', '--exit-on-error', '-d', $elsewhere->connstr($db), $file ], '... with a dump');
}
($status, $said) = $indexer->command({ PGHOST => $elsewhere->host, PGPORT => $elsewhere->port }, 'upgrade', '--role', 'consumer');
is($status, 0, '... and upgrade --role') or diag($said);
my $rights = q{SELECT string_agg(concat(c.relname, ' ', a.privilege_type), ', ' ORDER BY concat(c.relname, ' ', a.privilege_type)) FROM pg_class AS c CROSS JOIN aclexplode(c.relacl) AS a
	WHERE c.relnamespace = 'indexer'::regnamespace AND a.grantee = 'consumer'::regrole};
is($elsewhere->safe_psql($db, $rights), one($db, $rights), '... give the role its rights on tables');
is($elsewhere->safe_psql($db, "SELECT has_database_privilege('consumer', '$db', 'TEMPORARY'), count(*) > 0 FROM record"), 't|t', '... and on the database');
is($elsewhere->safe_psql($db, "SET ROLE consumer; SELECT start_stream('relay', 'repos', NULL, 1)"), 10, '... and it continues there');
$elsewhere->stop;

#
# pg_upgrade.
#
$states->finish;
my $logged = one($db, $rows);
$node->stop;
my $next = new_node('indexer_next', stopped => 1);
{
	local $ENV{PGOPTIONS} = '';
	pg_upgrade($node, $next);
}
$next->start;
is($next->safe_psql($db, $rows), $logged, 'after pg_upgrade the records are the same');
is($next->safe_psql($db, "SELECT start_stream('relay', 'repos', NULL, 1) > 0; SELECT state FROM account WHERE did = '$did'; SELECT reload_account('$did'); SELECT (store_repository(c.did, c.claim, demo.car(c.did))).outcome FROM claim_loads(9, true, NULL, NULL, '{}') AS c WHERE c.claim > 0"),
	"t\nsynchronized\n\nloaded", '... and the indexer continues');
$next->stop;
done_testing();
