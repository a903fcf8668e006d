# What the indexer refuses, and what an unsigned claim may do.
#
# The accounts are those of demo/, as in t/079_indexer_schema.pl. Shows that
# - a revision that nobody has signed brings one load, and one more, and refuses no repository.
#
# Each statement is rolled back. Skipped where atid_crypto is not there.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/lib";

use AtidTest;
use AtidTest::Indexer;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('refusals');
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my $root = "$FindBin::Bin/..";
my $db   = new_database($node, 'indexer');
$node->safe_psql($db, 'CREATE EXTENSION IF NOT EXISTS atid_crypto');
$node->command_ok([ 'psql', '-qX', '-v', 'ON_ERROR_STOP=1', '--single-transaction',
	'-d', $node->connstr($db), '-f', "$root/indexer/sql/install.sql" ], 'the file install.sql');
$ENV{PGOPTIONS} = '-c search_path=indexer,public';
AtidTest::Indexer::demo($node, $db);
AtidTest::Indexer::fill($node, $db);
my ($did, $second, $third) = AtidTest::Indexer::accounts();
$node->safe_psql($db, <<"SQL");
UPDATE stream SET look = NULL;
CREATE FUNCTION demo.load(who text) RETURNS text LANGUAGE plpgsql AS \$\$
BEGIN
  PERFORM become(grasp(who::atid.did), 'desynchronized', now());
  RETURN (SELECT (load(c.did, c.claim, demo.car(c.did))).outcome
          FROM claim(9, true, NULL, NULL, '{}') AS c WHERE c.did = who AND c.claim > 0);
END \$\$;
CREATE FUNCTION demo.take(VARIADIC frames bytea[]) RETURNS void LANGUAGE plpgsql AS \$\$
BEGIN
  PERFORM take('relay', 0, 1, frames), settle(99);
END \$\$;
SQL

# The result of the last of some statements, in a transaction of its own.
sub last_of
{
	my (@statements) = @_;
	my $last = pop @statements;
	my $text = join(";\n", 'BEGIN', @statements) . ";\n\\echo :::\n$last;\nROLLBACK";
	my ($code, $result, $said) = $node->psql($db, $text);
	return $said if $code != 0;
	return $result =~ s/.*^:::\n?//msr;
}

# A revision that nobody has signed: of a list, and of an answer about one account.
my $claimed = 'atid.tid_ceil(clock_timestamp() + interval \'290 s\')';
my $state   = "SELECT state FROM account WHERE did = '$did'";
my $list    = "UPDATE want SET listed = '' WHERE value = '*'; SELECT list('*', '',
	jsonb_build_array(jsonb_build_object('did', '$did', 'rev', $claimed)), NULL, now())";
my $load    = "SELECT demo.load('$did')";
my $answer  = "SELECT told('$did', true, NULL, ($claimed)::text, now())";
my $due     = "UPDATE account SET check_at = now() WHERE check_at < 'infinity'";
is(last_of($list, $state), 'desynchronized', 'a newer revision in a list has the account loaded');
is(last_of($list, $load), 'loaded', '... and refuses no repository');
is(last_of("SELECT become(grasp('$did'), 'desynchronized', now())", $answer, $load), 'loaded',
	'... nor does one of an answer about the account');
is(last_of($list, $load, $state), 'synchronized', 'an account whose repository is older follows the stream');
is(last_of($list, $load, $due, 'SELECT did FROM doubtful(9)'), $did, '... and the server is queried once more');
is(last_of($list, $load, $due, $answer, $state), 'desynchronized', '... whose answer brings one more load');
is(last_of($list, $load, $due, $answer, $load, 'SELECT count(*) FROM account WHERE check_at < $$infinity$$'), 0,
	'... after which the server is not queried again');
is(last_of($list, $load, $due, $answer, $load, "SELECT told('$did', true, NULL, unsigned_rev::text, now())
	FROM account WHERE did = '$did'", $state), 'synchronized', '... and the same revision brings no third load');
is(last_of("UPDATE account SET said = now() + interval '1 s'", $answer, $state), 'desynchronized',
	'a newer revision counts even where the stream has reported on the account since');

$node->stop;
done_testing();
