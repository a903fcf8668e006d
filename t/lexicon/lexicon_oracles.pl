# Other implementations of lexicons give the same answers.
#
# t/oracles/lexicons.js queries the server about the lexicons of app.bsky, chat.bsky, com.atproto and
# tools.ozone that npm's package @atproto/api carries, and compares with @atproto/lex-document,
# @atproto/lex-schema and @atproto/lexicon. It lists the differences, each for one kind of fault, and fails at
# any other. Shows that
# - all documents are accepted, and come back as they were; so does the set of them;
# - values generated from a schema conform, and values broken in one place get the verdict of the packages, as
#   jsonb, as a block, strict and lenient; each kind of constraint is broken a given number of times;
# - documents that are broken in one place are refused or accepted as in the packages.
#
# Skipped without node and npm; AtidTest::Oracles documents how they are found.
#
# Tags: minutes node

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Oracles;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# three times 40,000 with script/test --full
my $runs      = whole() ? 3      : 1;
my $values    = whole() ? 40_000 : 4_000;
my $documents = whole() ? 4_000  : 1_000;

my ($oracles, $why) = AtidTest::Oracles->new;
plan skip_all => $why unless defined $oracles;

my $seed = AtidTest::Oracles::seed();

my $node = new_node('oracles', ready => 1);
my $db   = new_database($node, 'lexicons');

# The minimum number of comparisons of each kind.
my %at_least = (
	'documents: read back as they are output'               => 390,
	'the set: read back as it is output'                    => 1,
	'lexicon_only: the closure by definition'               => 20,
	'made by the schema: valid'                             => $values * 0.49,
	'record_conforms: as @atproto/lex-schema'               => $values * 0.4,
	'value_conforms: as @atproto/lex-schema'                => $values * 0.2,
	'record_conforms: as @atproto/lexicon'                  => $values * 0.4,
	'dag_cbor_conforms: as record_conforms'                 => $values * 0.4,
	'each kind of break was met, and refused where it must be' => 100,
	'broken documents: accepted where a later language may have it' => $documents,
	'broken documents: what the language lacks'             => 10,
	'broken documents: as @atproto/lex-document'            => $documents,
	'broken documents: as @atproto/lexicon'                 => $documents);
$oracles->judge('lexicons.js', $node, [ $seed + $_, $values, $documents, $db ], \%at_least) foreach 0 .. $runs - 1;

$node->stop;
done_testing();
