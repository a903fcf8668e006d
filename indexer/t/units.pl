# The unit tests of indexer/test, for the parts of the program that need no database.
#
# Also shows that the settings that doc/indexer.md names are those of the program, that its packages have the same
# versions as in t/oracles, and which message an older Node gets, where the system has one.
#
# Skipped where node, npm or Node 22 is not available.
#
# Tags: long node

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest::Oracles;
use IPC::Run;
use JSON::PP;
use PostgreSQL::Test::Utils;
use Test::More;

my ($oracles, $why) = AtidTest::Oracles->new;
plan skip_all => $why unless defined $oracles;
(my $node, $why) = AtidTest::Oracles::node22();
plan skip_all => $why unless defined $node;
my $folder = "$oracles->{folder}/indexer";
system('cp', '-R', "$FindBin::Bin/../../indexer", $folder) == 0 or die 'could not copy indexer/';

foreach my $file (sort glob "$folder/test/*/*.test.js")
{
	my ($name) = $file =~ m{([^/]+/[^/]+)$};
	my $said = '';
	IPC::Run::run([ $node, '--test-reporter=tap', $file ], '<', \undef, '>&', \$said, IPC::Run::timeout($AtidTest::work_limit));
	my ($passed, $failed) = map { $said =~ /^# $_ (\d+)/m ? $1 : 0 } qw(pass fail);
	ok($passed > 0 && $failed == 0 && $? == 0, "$name: $passed pass") or diag($said);
}

my %named = map { $_ => 1 } grep { !/^PG/ } slurp_file("$FindBin::Bin/../../doc/indexer.md") =~ /\b([A-Z_]{3,})=/g;
my $help  = '';
IPC::Run::run([ $node, "$folder/bin/atid-indexer.js", 'run', '--help' ], '<', \undef, '>&', \$help);
is(join(' ', grep { $help !~ /\($_\b/ } sort keys %named), '', 'the settings of the chapter are those of the program');
my ($ours, $tested) = map { decode_json(slurp_file("$FindBin::Bin/../../$_/package.json"))->{dependencies} } 'indexer', 't/oracles';
is($ours->{$_}, $tested->{$_}, "the version of $_") foreach sort keys %$ours;

SKIP: {
	my $system = AtidTest::Oracles::find_program('node');
	my ($old) = `"$system" --version` =~ /^v(\d+)/ or die 'no version of node';
	skip "the system's Node is $old", 1 if $old >= 22;
	my $said = '';
	IPC::Run::run([ $system, "$folder/bin/atid-indexer.js", 'nonsense' ], '<', \undef, '>&', \$said);
	like($said, qr/\Aatid-indexer needs Node 22\.12 or later, and this is $old\S*\n\z/, 'an older Node is refused with one line');
}
done_testing();
