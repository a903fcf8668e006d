# npm's @atproto/syntax gives the same answers about DIDs, handles, NSIDs, at-identifiers, AT URIs, language
# tags and URIs.
#
# t/oracles/addresses.js generates the strings and queries the package. Shows that each of 100,000 mutated
# strings of each format is accepted or refused as in the package, except for the kinds that the program
# lists, with the sentence of the specification that decides, and only in the direction that it lists. The
# predicate, the type or domain of the format, and the parts of accepted strings agree.
#
# Skipped without node and npm; AtidTest::Oracles documents how they are found.
#
# Tags: long node

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Oracles;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $count   = whole() ? 100_000 : 30_000;
my @formats = qw(did handle nsid at_identifier at_uri language uri);

my ($oracles, $why) = AtidTest::Oracles->new;
plan skip_all => $why unless defined $oracles;
plan skip_all => 'node is too old: 20 or later is needed'
  unless IPC::Run::run([ $oracles->{node}, '-e', 'process.exit("".toWellFormed ? 0 : 1)' ]);

my $seed = AtidTest::Oracles::seed();

my $node = new_node('addresses', ready => 1);
my $db   = new_database($node, 'addresses');

my $file = PostgreSQL::Test::Utils::tempdir('addresses') . '/answers';
PostgreSQL::Test::Utils::append_to_file($file,
	join("\n", $oracles->ask('addresses.js', [ $seed, $count ])) . "\n");
$node->safe_psql($db, <<"SQL");
CREATE TABLE answer (format text, hex text, valid bool, kinds text);
\\copy answer FROM '$file'
CREATE TABLE compared (format text, value text, valid bool, kinds text, our_valid bool);
SQL
foreach my $format (@formats)
{
	$node->safe_psql($db, <<"SQL");
INSERT INTO compared SELECT format, value, valid, kinds, atid.${format}_is_valid(value)
FROM answer, convert_from(decode(hex, 'hex'), 'UTF8') value WHERE format = '$format';
SQL
	is($node->safe_psql($db, "SELECT count(*) FROM compared WHERE format = '$format'"),
		$count, "$format: strings");
	is( $node->safe_psql($db, <<"SQL"),
SELECT left(value, 200), valid, kinds FROM compared
WHERE format = '$format' AND valid <> our_valid
  AND position(CASE WHEN valid THEN 'takes ' ELSE 'refuses ' END IN kinds) = 0
LIMIT 10
SQL
		'', "$format: the same verdict, but for the listed kinds");
	cmp_ok(
		$node->safe_psql($db,
			"SELECT least(count(*) FILTER (WHERE our_valid), count(*) FILTER (WHERE NOT our_valid)) "
			  . "FROM compared WHERE format = '$format'"),
		'>', $count / 20, "$format: enough of both");
	note($node->safe_psql($db,
			"SELECT kinds, count(*) FROM compared WHERE format = '$format' AND valid <> our_valid GROUP BY 1"));
}

# The kinds that the package accepts violate the specification, so none of them is valid here either.
is( $node->safe_psql($db, "SELECT format, left(value, 200), kinds FROM compared WHERE our_valid AND kinds ~ 'takes ' LIMIT 10"),
	'', 'what the package should not take is not valid');

# Every kind in the list occurs.
is($node->safe_psql($db, <<'SQL'),
SELECT kind FROM unnest('{nsid takes a long authority,at_uri takes a long authority,at_uri takes a fragment,
  language refuses another case,uri takes other characters,uri takes % without two digits,
  uri takes brackets outside the authority,uri takes a second #,uri takes more than 8192 bytes,
  uri takes a scheme that does not begin with a letter,uri takes _ in a scheme,uri refuses + - . in a scheme,
  uri refuses a slash or nothing after the scheme and //}'::text[]) kind
WHERE NOT EXISTS (SELECT FROM compared, btrim(kind, E' \n') k WHERE valid <> our_valid
                  AND starts_with(k, format || ' ') AND position(substr(k, length(format) + 2) || ';' IN kinds) > 0)
SQL
	'', 'each kind was met');

# Strings that the predicate accepts, the type accepts and returns; strings that it refuses, the type
# refuses.
$node->safe_psql($db, <<'SQL');
CREATE FUNCTION put(value text, type text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT ($1::atid.%I)::text', type) INTO result USING value;
	RETURN result;
EXCEPTION WHEN invalid_text_representation OR check_violation THEN
	RETURN NULL;
END $$;
SQL
is( $node->safe_psql($db, <<'SQL'),
SELECT format, left(value, 200) FROM compared WHERE put(value, format) IS DISTINCT FROM CASE WHEN our_valid THEN value END LIMIT 10
SQL
	'', 'types and domains take what their predicates take, and give it back');
is( $node->safe_psql($db, <<'SQL'),
SELECT value
FROM (SELECT value, value::atid.at_uri AS uri FROM compared WHERE format = 'at_uri' AND our_valid OFFSET 0) v
WHERE atid.at_uri_authority(uri) <> split_part(value, '/', 3)
   OR coalesce(atid.at_uri_collection(uri), '') <> split_part(value, '/', 4)
   OR coalesce(atid.at_uri_rkey(uri), '') <> split_part(value, '/', 5)
   OR (atid.at_uri_did(uri) IS NULL) <> (atid.at_uri_handle(uri) IS NOT NULL)
   OR (atid.at_uri_did(uri) IS NOT NULL) <> starts_with(value, 'at://did:')
LIMIT 10
SQL
	'', 'the parts of an AT URI are those of its text');

$node->stop;
done_testing();
