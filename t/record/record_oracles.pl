# Other implementations of DAG-CBOR, CIDs and the protocol's JSON give the same answers.
#
# t/oracles/records.js queries the server through the Node driver pg and compares with npm's packages
# @atcute/cbor, @atcute/cid, @ipld/dag-cbor and multiformats, and with a reader and a writer of its own
# that follow the specification. It lists the differences between the packages and the specification, and
# fails at any other. Shows that
# - tens of thousands of random records (nested, all of Unicode, keys whose order depends on how they are
#   compared, integers at the edges of their forms, bytes, links, blobs of both forms) give the same bytes
#   and the same CID, come back from them as jsonb and as JSON, and record_is_valid and the lists of links,
#   blobs and references agree with a walk in JavaScript;
# - mutated blocks are accepted and refused alike, and accepted ones are read alike;
# - texts of CIDs and base64, some of them damaged, are accepted and refused alike.
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

# twenty times as much with script/test --full
my $times   = $ENV{ATID_TIMES} // ($ENV{ATID_FULL} ? 5 : 0.25);
my $records = 5_000 * $times;
my $blocks  = 5_000 * $times;

my ($oracles, $why) = AtidTest::Oracles->new;
plan skip_all => $why unless defined $oracles;

# The packages of @atcute need hash() of node:crypto.
plan skip_all => 'node is too old: 20.12 or later is needed'
  unless IPC::Run::run([ $oracles->{node}, '-e', 'process.exit(require("crypto").hash ? 0 : 1)' ]);

my $seed = AtidTest::Oracles::seed();

my $node = new_node('oracles', ready => 1);
my $db   = new_database($node, 'records');

# The minimum number of comparisons of each kind.
my %at_least = (
	'record_to_dag_cbor: the bytes that the specification gives'                           => $records,
	'record_to_dag_cbor: the bytes of @atcute/cbor'                                        => 3_600 * $times,
	'record_to_dag_cbor: the bytes of @ipld/dag-cbor'                                      => $records,
	'record_cid and cid_of: the CID of @atcute/cid'                                        => $records,
	'dag_cbor_to_record: the record'                                                       => $records,
	'record_refs: as an independent walk'                                                  => $records,
	'mutated blocks: accepted where they keep to the specification, and only there'        => $blocks,
	'mutated blocks: as @atcute/cbor, but for the listed kinds'                            => $blocks,
	'mutated blocks: as @ipld/dag-cbor, but for the listed kinds'                          => $blocks,
	'mutated blocks: what is accepted comes back from a record'                            => 400 * $times);
$oracles->judge('records.js', $node, [ $seed, $records, $blocks, $db ], \%at_least);

$node->stop;
done_testing();
