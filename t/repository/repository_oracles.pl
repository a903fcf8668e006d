# Other implementations of repositories give the same answers.
#
# t/oracles/repositories.js makes repositories with npm's packages @atproto/repo and @atcute/mst, and queries the
# server about their CARs. Shows for repositories of 0 to 3,000 records that
# - paths, CIDs, blocks, the commit and the root are the same, and the nodes byte for byte;
# - after random edits mst_diff is the difference of the entries, and mst_invert gives the root before, from the
#   full export and from the slice that goes over the firehose;
# - a CAR with a byte changed, dropped or doubled is refused, or gives the same records.
#
# $ATID_REPOSITORIES and $ATID_MUTATIONS set the numbers; the defaults take less than a minute. Skipped without node
# and npm; AtidTest::Oracles documents how they are found.
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

my $repositories = $ENV{ATID_REPOSITORIES} || ($ENV{ATID_FULL} ? 100 : 20);
my $mutations    = $ENV{ATID_MUTATIONS}    || ($ENV{ATID_FULL} ? 2000 : 400);

my ($oracles, $why) = AtidTest::Oracles->new;
plan skip_all => $why unless defined $oracles;

my $seed = AtidTest::Oracles::seed();

my $node = new_node('oracles', ready => 1);
my $db   = new_database($node, 'repositories');

# The minimum number of comparisons of each kind.
my %at_least = (
	'mst_entries: the entries of @atproto/repo'                               => $repositories,
	'mst_root: the root of @atproto/repo'                                     => $repositories,
	'mst_root: the root of @atcute/mst'                                       => $repositories / 2,
	'mst_diff: the difference of the entries, both ways'                      => $repositories,
	'mst_invert: the root before, from the slice of the firehose'             => $repositories,
	'a commit without operations: its block alone, no entries, and its root is the one before' => $repositories,
	'mst_entries, partial: entries of the tree after, those that were put among them' => $repositories,
	'a byte changed, dropped or doubled: refused, or the same records'        => $mutations);
$oracles->judge('repositories.js', $node, [ $seed, $repositories, $mutations, $db ], \%at_least);

$node->stop;
done_testing();
