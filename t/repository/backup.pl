# The command of doc/repository.md reports whether a backup is complete.
#
# It verifies the file with the key in the account's log, and exits with status 0. For a file that is cut off, has a
# changed byte, or is signed by another key, it exits with status 1.
#
# Tags: medium node crypto

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Indexer;
use AtidTest::Oracles;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('backup');
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my ($oracles, $why) = AtidTest::Oracles->new;
plan skip_all => $why unless defined $oracles;
$node->safe_psql('postgres', 'CREATE DATABASE backup');
$node->safe_psql('backup',   'CREATE EXTENSION atid; CREATE EXTENSION atid_crypto');
(my $indexer, $why) = AtidTest::Indexer->new($node, 'backup', $oracles);
plan skip_all => $why unless defined $indexer;

my $root = "$FindBin::Bin/../..";
my ($file) = slurp_file("$root/doc/repository.md") =~ /^atid-indexer verify (\S+)$/m or die 'the chapter has no command';
my ($did) = $file =~ /(did_\w+)\.car$/;
$did =~ tr/_/:/;
my @log = grep { /"$did"/ } split /\n/, slurp_file("$root/demo/plc.jsonl");
my ($key) = $log[-1] =~ /"atproto":"(did:key:\w+)"/ or die "no key of $did";
my $car = slurp_file("$root/$file");

# A changed copy of the file.
my $copies = 0;
sub copy_of
{
	my ($bytes) = @_;
	my $name = "$oracles->{folder}/" . ++$copies . '.car';
	open my $out, '>:raw', $name or die "could not open $name: $!";
	print $out $bytes;
	close $out or die "could not write $name: $!";
	return $name;
}

my ($status, $said) = $indexer->command('verify', "$root/$file", '--key', $key);
is($status, 0, 'the file is whole and signed') or diag($said);
like($said, qr/^account   \Q$did\E$/m, 'it says whose it is');
like($said, qr/^revision  3llinbnoydygm, 2025-03-29/m, 'and of when');
like($said, qr/^blobs     3$/m, 'and how many blobs it names');

my $changed = $car;
substr($changed, -1, 1) ^= "\1";
foreach my $bad ([ 'cut off', substr($car, 0, -1) ], [ 'a changed byte', $changed ])
{
	($status, $said) = $indexer->command('verify', copy_of($bad->[1]), '--key', $key);
	is($status, 1, "$bad->[0]: refused") or diag($said);
	like($said, qr/^It is not a whole repository: /m, "$bad->[0]: it says why");
}
my ($other) = $log[0] =~ /"rotationKeys":\["(did:key:\w+)"/;
($status, $said) = $indexer->command('verify', "$root/$file", '--key', $other);
is($status, 1, 'another key: refused') or diag($said);
like($said, qr/^signed    NOT by a present or former key of the account$/m, 'another key: it says so');

$node->stop;
done_testing();
