# Frames of the event stream made by another implementation are accepted, and mutated ones only if they are true.
#
# t/oracles/events.js makes accounts, commits and frames with npm's package @atproto/repo, and mutates the frames. Shows
# that
# - each frame is split into the fields and operations that were put into it, its signature is verified, and
#   event_problem finds nothing; mst_get finds each operation in the slice, and makes no false claim;
# - of the mutated frames (bytes, fields, operations, blocks, commits that have done more than they report) none is
#   accepted that is not true. The oracle decides by itself which ones are true: it applies the operations to the
#   entries before and builds the tree;
# - a frame whose operations and blocks come in another order, or together with useless ones, is accepted.
#
# $ATID_COMMITS and $ATID_MUTATIONS set the numbers. Skipped where node or npm is not available; AtidTest::Oracles
# documents how they are found.
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

my $commits   = $ENV{ATID_COMMITS}   || ($ENV{ATID_FULL} ? 5000 : 200);
my $mutations = $ENV{ATID_MUTATIONS} || ($ENV{ATID_FULL} ? 20000 : 1500);

my ($oracles, $why) = AtidTest::Oracles->new;
plan skip_all => $why unless defined $oracles;

my $seed = AtidTest::Oracles::seed();

my $node = new_node('event_oracles', ready => 1);
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my $db = new_database($node, 'events');
$node->safe_psql($db, 'CREATE EXTENSION atid_crypto');

# The minimum number of comparisons of each kind.
my %at_least = (
	'event_problem: none, or a block that was not sent'                    => $commits,
	'event_is_signed_by'                                                   => $commits,
	'commit_event_ops: the operations'                                            => $commits,
	'mst_get: what the slice shows is true, and of each operation it shows it'    => $commits,
	'a mutated frame that is taken is true'                                       => $mutations,
	'a frame that stays true is taken'                                            => $mutations / 10,
	'a signed commit that has done more than it tells is refused'                 => $mutations / 50);
$oracles->judge('events.js', $node, [ $seed, $commits, $mutations, $db ], \%at_least);

$node->stop;
done_testing();
