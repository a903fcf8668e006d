# Other implementations of the protocol's cryptography give the same answers.
#
# t/oracles/crypto.js signs with npm's @noble/curves, over the blocks of @ipld/dag-cbor, and queries @atproto/crypto
# and @noble/curves. Shows that
# - random signatures of both curves, and copies with a bit flipped in the data, r, s or the key, get the verdict that
#   both packages give; and a key with a bit flipped is valid or not as in the packages;
# - likewise for signatures whose verification meets cases that never occur by chance (the point at infinity, a point
#   added to itself, r beyond n, extreme scalars and keys); none of them raises an error;
# - random labels (in the signed form and that of the API), commits of versions 3 and 2, and operations of PLC are
#   signed by their key, and no longer verify after a change; a jsonb without the form of an operation has no signer;
#   and genesis operations have the DID that the specification's arithmetic gives.
#
# $ATID_SIGNATURES is the number of signatures of each curve, 30 by default, and 500 with script/test --full: at 10,000
# npm's packages take some minutes. Skipped without node, npm or atid_crypto.
#
# Tags: long node crypto

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Oracles;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $signatures = $ENV{ATID_SIGNATURES} || ($ENV{ATID_FULL} ? 500 : 30);
my $crafted    = $ENV{ATID_FULL} ? 25 : 10;
my $objects    = $ENV{ATID_FULL} ? 500 : 40;

my $node = new_node('crypto_oracles', ready => 1);
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my ($oracles, $why) = AtidTest::Oracles->new;
plan skip_all => $why unless defined $oracles;

my $seed = AtidTest::Oracles::seed();

my $db = new_database($node, 'oracles');
$node->safe_psql($db, 'CREATE EXTENSION atid_crypto');
my $dir = PostgreSQL::Test::Utils::tempdir('crypto');
foreach my $asked ([ 'signatures', $signatures, $crafted ], [ 'objects', $objects ])
{
	my ($mode, @counts) = @$asked;
	PostgreSQL::Test::Utils::append_to_file("$dir/$mode",
		join("\n", $oracles->ask('crypto.js', [ $mode, $seed, @counts ])) . "\n");
}

$node->safe_psql($db, <<"SQL");
CREATE TABLE signature (what text, data text, sig text, key text, is_key bool, atproto bool, noble bool);
\\copy signature FROM '$dir/signatures'
CREATE TABLE object (kind text, hex text, key text, signed bool, did text);
\\copy object FROM '$dir/objects'
CREATE VIEW verdict AS
SELECT *, atid.did_key_is_valid(key) AS our_key,
       CASE WHEN atid.did_key_is_valid(key)
         THEN atid.signature_is_valid(decode(data, 'hex'), decode(sig, 'hex'), key) ELSE false END AS ours
FROM signature;
CREATE FUNCTION did_of(commit bytea) RETURNS text RETURN
  CASE WHEN atid.dag_cbor_is_valid(commit) THEN coalesce(atid.dag_cbor_to_record(commit)->>'did', '') ELSE '' END;
CREATE VIEW object_verdict AS
SELECT *, CASE kind
    WHEN 'label' THEN atid.label_is_signed_by(label, coalesce(label->>'src', ''), key)
    WHEN 'commit' THEN atid.commit_is_signed_by(decode(hex, 'hex'), did_of(decode(hex, 'hex')), key)
    WHEN 'spoilt' THEN atid.plc_operation_is_signed_by(convert_from(decode(hex, 'hex'), 'UTF8')::jsonb, key)
      OR atid.plc_operation_problem(convert_from(decode(hex, 'hex'), 'UTF8')::jsonb) IS NULL
    WHEN 'operation' THEN atid.plc_operation_is_signed_by(convert_from(decode(hex, 'hex'), 'UTF8')::jsonb, key)
  END AS ours
FROM object, LATERAL (SELECT CASE kind WHEN 'label' THEN convert_from(decode(hex, 'hex'), 'UTF8')::jsonb END) AS l (label);
SQL

is_none($node, $db, 'SELECT * FROM verdict WHERE ours <> atproto', "the verdict of \@atproto/crypto");
is_none($node, $db, 'SELECT * FROM verdict WHERE ours <> noble',   "the verdict of \@noble/curves");
is_none($node, $db, 'SELECT * FROM verdict WHERE our_key <> is_key', 'a key is one, or none');
is_none($node, $db, 'SELECT * FROM object_verdict WHERE ours IS DISTINCT FROM signed',
	'labels, commits and operations');
is_none($node, $db,
	"SELECT * FROM object WHERE did IS NOT NULL AND atid.plc_did(convert_from(decode(hex, 'hex'), 'UTF8')::jsonb) <> did",
	'the DIDs of genesis operations');

# Each often enough, and not all of one kind.
sub is_at_least
{
	my ($query, $least, $name) = @_;
	cmp_ok($node->safe_psql($db, "SELECT count(*) $query"), '>=', $least, "often enough: $name");
	return;
}

is_at_least("FROM verdict WHERE what = 'signed' AND ours", 2 * $signatures, 'signatures that are valid');
foreach my $what (qw(data r s key parity))
{
	is_at_least("FROM verdict WHERE what = '$what' AND NOT ours", $signatures / 4, "a bit turned in $what");
}
is_at_least("FROM verdict WHERE what = 'key' AND $_ our_key", $signatures / 20, "keys that are $_ one")
  foreach '', 'NOT';
is_at_least("FROM verdict WHERE what = '$_->[0]' AND $_->[1] ours", $_->[2] * $crafted, "$_->[0], $_->[1] valid")
  foreach [ 'infinity', 'NOT', 24 ], [ 'beside infinity', 'NOT', 8 ], [ 'twice', '', 2 ], [ 'near G', '', 12 ],
  [ 'r by x', '', 0.5 ], [ 'r + 1', 'NOT', 0.25 ], [ 'u1 or u2', '', 4 ];
is_at_least("FROM verdict WHERE what = 'edge' AND $_ our_key", $crafted / 10, "keys at an edge that are $_ one")
  foreach '', 'NOT';
foreach my $kind (qw(label commit operation))
{
	is_at_least("FROM object WHERE kind = '$kind' AND $_ signed", $objects, "$kind, $_ signed") foreach '', 'NOT';
}
is_at_least("FROM object WHERE kind = 'spoilt' AND NOT signed", $objects, 'what is no operation');
is_at_least('FROM object WHERE did IS NOT NULL', $objects / 4, 'genesis operations');

$node->stop;
done_testing();
