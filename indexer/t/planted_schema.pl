# Nothing that the owner of a schema has planted runs with the privileges of the role that runs init, upgrade
# or verify.
#
# Shows that
# - a role that may not create a schema, but owns one, can create the tables there;
# - init and upgrade neither use nor read another role's schema, and upgrade takes over nobody else's tables;
# - verify reads no view, table or index that another role has put in the place of ours.
#
# Skipped where atid_crypto, node or npm are not available.
#
# Tags: medium node crypto

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

my $node = new_node('planted_schema', ready => 1);
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my ($oracles, $why) = AtidTest::Oracles->new;
plan skip_all => $why unless defined $oracles;

sub program
{
	my ($db) = @_;
	my ($indexer, $why) = AtidTest::Indexer->new($node, $db, $oracles);
	plan skip_all => $why unless defined $indexer;
	return $indexer;
}

sub one { my ($db, $sql) = @_; return $node->safe_psql($db, $sql); }

#
# A role that may not create a schema, but has been given one.
#
one('postgres', 'CREATE ROLE given LOGIN; CREATE DATABASE given');
{
	local $ENV{PGOPTIONS} = '';
	one('given', 'CREATE EXTENSION atid_crypto CASCADE; CREATE SCHEMA indexer AUTHORIZATION given');
}
my ($status, $said) = program('given')->command({ PGUSER => 'given' }, 'init');
like($said, qr/cannot create the schema xrpc\. .*"CREATE SCHEMA xrpc AUTHORIZATION given"/, 'without the schemas of users, the message says who can create them');
one('given', 'CREATE SCHEMA xrpc AUTHORIZATION given; CREATE SCHEMA feed AUTHORIZATION given');
($status, $said) = program('given')->command({ PGUSER => 'given' }, 'init');
is($status, 0, 'init needs no right on the database if the extensions and the schema exist') or diag($said);
one('given', 'DROP SCHEMA indexer CASCADE; CREATE SCHEMA indexer AUTHORIZATION given');
($status, $said) = program('given')->command('init');
ok($status == 1 && $said =~ /The schema indexer belongs to given/, "init uses nobody else's schema") or diag("$status $said");
# Planted functions do not run with the privileges of the program's user.
{
	local $ENV{PGOPTIONS} = '';
	one('given', q{CREATE TABLE public.ran (by text); GRANT ALL ON public.ran TO PUBLIC; GRANT CREATE ON SCHEMA public TO given;
		CREATE SCHEMA planted AUTHORIZATION given; SET ROLE given;
		CREATE FUNCTION planted.run() RETURNS bigint LANGUAGE sql AS 'INSERT INTO public.ran SELECT current_user; SELECT 1::bigint';
		CREATE VIEW indexer.migration AS SELECT planted.run()::int AS n; CREATE VIEW indexer.program AS SELECT 'x' AS version, 'y' AS digest;
		CREATE FUNCTION public.hashtext(varchar) RETURNS int LANGUAGE sql AS 'SELECT planted.run()::int';
		CREATE FUNCTION public.pg_advisory_xact_lock(int) RETURNS void LANGUAGE sql AS 'SELECT planted.run()'});
	one('given', "SET ROLE given; CREATE TABLE planted.$_ ()") foreach qw(account identity record reference stream want bad waiting);
	one('given', "SET ROLE given; CREATE FUNCTION planted.$_() RETURNS bigint LANGUAGE sql RETURN planted.run()") foreach qw(most_bad most_waiting labels_take);
}
foreach my $command (qw(init upgrade))
{
	($status, $said) = program('given')->command($command);
	ok($status == 1 && $said =~ /The schema indexer belongs to given/, "$command reads nobody else's schema") or diag("$status $said");
}
my $car = "$FindBin::Bin/../../demo/repositories/did_plc_4rgzlncjk4ufakb63scmyptw.car";
one('given', 'GRANT SELECT ON ALL TABLES IN SCHEMA indexer TO PUBLIC; SET ROLE given; CREATE VIEW indexer.identity AS SELECT planted.run()::text AS did, NULL AS key, NULL::jsonb AS log');
($status, $said) = program('given')->command({ ATID_PLC_URL => 'http://127.0.0.1:1', ATID_REPO_TIMEOUT => 1 }, 'verify', $car);
like($said, qr/no key of the account is known/, 'verify reads no view that somebody has put there') or diag("$status $said");
one('given', q{SET ROLE given; DROP VIEW indexer.identity; CREATE TYPE planted.log AS ENUM ('[]'); CREATE FUNCTION planted.cast(planted.log) RETURNS text LANGUAGE sql AS 'SELECT planted.run()::text';
	CREATE CAST (planted.log AS text) WITH FUNCTION planted.cast(planted.log); CREATE TABLE indexer.identity AS SELECT i.did::atid.did, NULL::text AS key, '[]'::planted.log AS log
	FROM (VALUES ('did:plc:4rgzlncjk4ufakb63scmyptw')) AS i (did); GRANT SELECT ON indexer.identity TO PUBLIC; GRANT USAGE ON SCHEMA indexer TO PUBLIC});
($status, $said) = program('given')->command({ ATID_PLC_URL => 'http://127.0.0.1:1', ATID_REPO_TIMEOUT => 1 }, 'verify', $car);
like($said, qr/no key of the account is known/, '... or a table') or diag("$status $said");
# An index with a function of no arguments is computed when a query of the table is planned.
one('given', q{SET ROLE given; ALTER TABLE indexer.identity ALTER log TYPE jsonb USING NULL; CREATE FUNCTION planted.known() RETURNS int LANGUAGE plpgsql IMMUTABLE AS
	'BEGIN IF session_user <> current_user THEN RETURN 1; END IF; PERFORM planted.run(); RETURN 1; END'; CREATE INDEX ON indexer.identity ((planted.known() + 1))});
($status, $said) = program('given')->command({ ATID_PLC_URL => 'http://127.0.0.1:1', ATID_REPO_TIMEOUT => 1 }, 'verify', $car);
like($said, qr/no key of the account is known/, '... or one with an index') or diag("$status $said");
one('given', 'DROP SCHEMA indexer CASCADE');
($status, $said) = program('given')->command('upgrade');
ok($status == 1 && $said =~ /nothing to upgrade/, "upgrade takes over nobody else's tables") or diag("$status $said");
is(one('given', 'SELECT count(*) FROM public.ran'), 0, '... and nothing that was planted ran');
one('given', 'DROP OWNED BY given CASCADE');
one('postgres', 'DROP DATABASE given; DROP ROLE given');

$node->stop;
done_testing();
