# The tests of indexer/test: the parts of the indexer's program that need no database, each for itself.
#
# Skipped where node, or npm, or Node 22 are not there.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/lib";

use AtidTest::Oracles;
use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

my ($oracles, $why) = AtidTest::Oracles->new;
plan skip_all => $why unless defined $oracles;
(my $node, $why) = AtidTest::Oracles::node22();
plan skip_all => $why unless defined $node;
my $folder = "$oracles->{folder}/indexer";
system('cp', '-R', "$FindBin::Bin/../indexer", $folder) == 0 or die 'could not copy indexer/';

foreach my $file (sort glob "$folder/test/*.test.js")
{
	my ($name) = $file =~ m{([^/]+)$};
	my $said = '';
	IPC::Run::run([ $node, '--test', '--test-reporter=tap', $file ], '<', \undef, '>&', \$said, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	my ($passed, $failed) = map { $said =~ /^# $_ (\d+)/m ? $1 : 0 } qw(pass fail);
	ok($passed > 0 && $failed == 0 && $? == 0, "$name: $passed pass") or diag($said);
}
done_testing();
