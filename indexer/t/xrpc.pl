# XRPC from SQL: who asks, and what is served at /xrpc/.
#
# Shows that
# - several hundred service tokens, of both curves, get the verdicts of @atproto/xrpc-server, or stricter ones where that
#   takes what it should not; refusals have the names of its errors; a rotated key, a newer answer of the directory, and
#   an excluded account count (indexer/t/api/tokens.mjs).
#
# Skipped where atid_crypto, Node 22 or the packages are not there.
#
# Tags: medium node crypto

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Indexer;
use AtidTest::Oracles;
use File::Copy;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $root = "$FindBin::Bin/../..";
my $node = new_node('xrpc');
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my ($modules, $why) = AtidTest::Oracles::packages('indexer', "$root/indexer");
plan skip_all => $why unless defined $modules;
my $folder = PostgreSQL::Test::Utils::tempdir('xrpc');
my $db     = new_database($node, 'app');
(my $indexer, $why) = AtidTest::Indexer->new($node, $db, { folder => $folder });
plan skip_all => $why unless defined $indexer;
my ($program) = $indexer->bin;
my $limit = $PostgreSQL::Test::Utils::timeout_default;
symlink $modules, "$folder/node_modules" or die "$!";
$why = $indexer->build_api;
plan skip_all => $why if defined $why;
mkdir "$folder/api" or die "$!";
copy($_, "$folder/api") foreach glob "$FindBin::Bin/api/*.mjs";

# The verdicts of a program of indexer/t/api.
sub judge
{
	my ($name, @arguments) = @_;
	my ($out, $err) = ('', '');
	local %ENV = $indexer->environment;
	IPC::Run::run([ $program, "$folder/api/$name", @arguments ], '<', \undef, '>', \$out, '2>', \$err, IPC::Run::timeout(4 * $limit)) or fail("$name: $err");
	foreach (split /\n/, $out)
	{
		my ($verdict, $text) = split /\t/, $_, 2;
		$verdict eq 'note' ? diag($text) : ok($verdict eq 'ok', $text);
	}
	return $out;
}

my ($status, $said) = $indexer->command('init', '--role', 'consumer');
is($status, 0, 'init') or die $said;

judge('tokens.mjs');

done_testing();
