# The upgrade of the indexer on Citus, as indexer/t/upgrade.pl shows it on one server: from 1.3.3 with 100,000 records.
# The rows, the operator's additions, and the next events are right. A schema of 1.3.1 must be upgraded to 1.3.3 first.
#
#   ATID_CITUS=5432,5433,5434 prove -I "$(dirname "$(pg_config --pgxs)")/../test/perl" indexer/t/citus_upgrade.pl
#
# The servers are those of t/operation/citus.pl. Needs Node. Skipped where ATID_CITUS is not set.
#
# Tags: minutes node crypto citus

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Indexer;
use AtidTest::Oracles;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'ATID_CITUS names no servers' if !$ENV{ATID_CITUS};
# PostgreSQL::Test::Utils takes PGUSER out of the environment
$ENV{ATID_CITUS_USER} //= getpwuid($>);
require AtidTest::Citus;

my $root = "$FindBin::Bin/../..";
my $node = AtidTest::Citus->new;
my ($oracles, $why) = AtidTest::Oracles->new;
plan skip_all => $why unless defined $oracles;
my ($did) = AtidTest::Indexer::accounts();

sub one { my ($db, $sql) = @_; return $node->safe_psql($db, $sql); }

my $rows = q{SELECT count(*), md5(string_agg(concat(uri, cid, encode(block, 'hex')), ' ' ORDER BY uri)) FROM record};
my $parts = q{SELECT count(*), md5(string_agg(concat(subject, collection, uri), ' ' ORDER BY uri, subject)) FROM (SELECT DISTINCT subject, collection, uri FROM reference) AS r};
my $shards = q{SELECT string_agg(logicalrelid::text || ' ' || partmethod::text, ', ' ORDER BY logicalrelid::text) FROM pg_dist_partition};
my $functions = q{SELECT oid::regprocedure::text, md5(prosrc), proconfig FROM pg_proc WHERE pronamespace = 'indexer'::regnamespace ORDER BY 1};
my $columns = q{SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull
	FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
	WHERE c.relnamespace = 'indexer'::regnamespace AND c.relkind IN ('r', 'v') AND a.attname <> 'mine' ORDER BY 1, 2};

my $new = $node->new_database('indexer_new');
my ($status, $said) = (AtidTest::Indexer->new($node, $new, $oracles))[0]->command('init', '--citus');
is($status, 0, 'init --citus') or die $said;

sub released
{
	my ($version, $db) = @_;
	$node->command_ok([ 'psql', '-qX', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr($db), '-f', "$root/indexer/t/vectors/$version.sql", '-c', 'SET search_path = indexer', '-f', "$root/indexer/t/vectors/1.3.3-citus.sql" ],
		"$version: the schema");
	AtidTest::Indexer::demo($node, $db);
	AtidTest::Indexer::fill($node, $db, $version);
	return (AtidTest::Indexer->new($node, $db, $oracles))[0];
}

{
	my ($status, $said) = released('1.3.1', $node->new_database('indexer_1_3_1'))->command('upgrade');
	ok($status == 1 && $said =~ /On Citus, .* version 1\.3\.1 .*atid-indexer 1\.3\.3 first/, 'a schema of 1.3.1 must be upgraded to 1.3.3 first') or diag("$status $said");
}

foreach my $version ('1.3.3')
{
	my $db = $node->new_database('indexer_released');
	my $indexer = released($version, $db);
	one($db, <<"SQL");
INSERT INTO record (uri, did, cid, block) SELECT (a || '/a.b.c/' || i)::atid.at_uri, substr(a, 6)::atid.did, atid.record_cid('{}'), '\\xa0'
FROM generate_series(1, 100000) AS i CROSS JOIN LATERAL (SELECT 'at://did:web:many' || i % 100 || '.example') AS x (a);
-- what the operator has added
CREATE INDEX mine ON record (atid.at_uri_collection(uri), cid);
CREATE VIEW public.mine_too AS SELECT r.uri, a.rev FROM record AS r JOIN account AS a ON a.did = r.did;
ALTER TABLE identity ADD mine text;
UPDATE identity SET mine = 'x';
DROP ROLE IF EXISTS "reader of $version";
CREATE ROLE "reader of $version";
GRANT SELECT ON record TO "reader of $version";
UPDATE settings SET most_bad = 12345;
SQL
	my $before = one($db, $rows) . one($db, $parts) . one($db, $shards);
	like($before, qr/^100\d\d\d\|.*account h, identity h, record h, reference h$/s, "$version: 100,000 records, distributed");
	($status, $said) = $indexer->command('upgrade');
	is($status, 0, "$version: upgrade") or diag($said);
	is(one($db, $rows) . one($db, $parts) . one($db, $shards), $before, "$version: no record is lost");
	is(one($db, 'SELECT most_bad FROM settings'), 12345, "$version: a setting that was changed");
	is(one($db, q{SELECT count(*) FROM pg_indexes WHERE indexname = 'mine'}) . one($db, 'SELECT count(*) > 0 FROM public.mine_too')
		. one($db, qq{SELECT has_table_privilege('reader of $version', 'record', 'SELECT')}) . one($db, 'SELECT min(mine) FROM identity'),
		'1ttx', "$version: the operator's additions stay");
	($status, $said) = $indexer->command('pack');
	my @statements = $said =~ /"(ALTER TABLE [^"]*)"/g;
	ok($status == 1 && @statements == 2, "$version: pack names the statements to run") or diag($said);
	one($db, $_) foreach @statements;
	is(one($db, $rows) . one($db, $parts) . one($db, $shards), $before, "$version: ... which packs, and loses nothing");
	is(one($db, $_->[1]), one($new, $_->[1]), "$version: $_->[0] as in a new schema") foreach [ 'columns', $columns ], [ 'functions', $functions ];
	one($db, $_) foreach "SELECT reload_account('$did')", q{SELECT fail_load(c.did, c.claim, 'throttled', NULL, true, 60) FROM claim_loads(9, true, NULL, NULL, '{}') AS c WHERE c.claim > 0};
	is(one($db, "SELECT why, detail FROM trouble WHERE did = '$did'"), 'throttled|its host has asked for a pause', "$version: ... and they work");
	# Events after the upgrade.
	one($db, qq{DELETE FROM record WHERE did = '$did'; SELECT start_stream('relay', 'repos', NULL, 1); TRUNCATE host});
	one($db, $_) foreach "SELECT process_frames('relay', 0, 1, ARRAY[demo.sync(11, '$did')])", 'SELECT reconcile_wants(99)', "SELECT reload_account('$did')",
		q{SELECT (store_repository(c.did, c.claim, demo.car(c.did))).outcome FROM claim_loads(9, true, NULL, NULL, '{}') AS c WHERE c.claim > 0};
	is(one($db, "SELECT cursor FROM shard") . one($db, "SELECT state FROM account WHERE did = '$did'") . one($db, $rows) . one($db, $parts), "11synchronized$before" =~ s/account h.*//sr, "$version: the next events");
	($status, $said) = $indexer->command('upgrade');
	is($status, 0, "$version: once more") or diag($said);
	one($db, qq{DROP OWNED BY "reader of $version"; DROP ROLE "reader of $version"});
}

done_testing();
