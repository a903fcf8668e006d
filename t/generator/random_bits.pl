# How long random bits are kept.
#
# If a virtual machine is resumed twice from one snapshot, both copies have the same memory. Shows that a
# backend draws no identifier from bits that are older than a second: an identifier drawn later was not in
# the memory of the library before. The backend itself reads that memory from /proc.
#
# Tags: quick differs

use strict;
use warnings FATAL => 'all';
no warnings 'portable';    # of addresses

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

plan skip_all => 'there is no /proc/self/mem' unless -e '/proc/self/mem';

my $node = new_node('random');
new_database($node, 'random');
my $session = AtidTest::Session->new($node, 'random');

sub draw { return $session->ok('SELECT atid.uuid_generate_v4()'); }

# The variables of the library: its writable pages, and those without a file that follow.
sub memory
{
	my ($bytes, $end) = ('', '');
	foreach (split /\n/, $session->ok(q{SELECT pg_read_file('/proc/self/maps')}))
	{
		my ($from, $to, $rights, $file) = /^(\w+)-(\w+) (\S+) \S+ \S+ \S+\s*(.*)$/ or die "not a mapping: $_";
		next unless $rights =~ /^rw/ && ($file =~ m{/atid\.so$} || $file eq '' && $from eq $end);
		my ($at, $length) = (hex $from, hex($to) - hex($from));
		$bytes .= pack 'H*', $session->ok("SELECT encode(pg_read_binary_file('/proc/self/mem', $at, $length), 'hex')");
		$end = $to;
	}
	return $bytes;
}

# Are the last 56 bits of a UUID there, in either order of bytes?
sub is_in
{
	my ($uuid, $memory) = @_;
	my $bits = substr pack('H*', $uuid =~ tr/-//dr), 9;
	return index($memory, $bits) >= 0 || index($memory, scalar reverse $bits) >= 0;
}

# Both in the same second, sooner or later.
my $kept;
foreach (1 .. 20)
{
	draw();
	my $before = memory();
	last if $kept = is_in(draw(), $before);
}
ok($kept, 'what is drawn next is in the memory of the library');

draw();
my $before = memory();
sleep 1.1;
ok(!is_in(draw(), $before), 'what is drawn a second later was not there');

$session->quit;
$node->stop;
done_testing();
