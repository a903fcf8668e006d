# The binary form of values, byte by byte, as clients send it with COPY and as parameters. Shows that
# - any 8 bytes are a tid, and come back unchanged;
# - the 13 characters of a TID's text are accepted too, for clients that do not know the type;
# - anything else is refused with SQLSTATE 22P03 and a message that states the problem.
#
# Tags: quick differs

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('binary', ready => 1);
my $db   = new_database($node, 'forms');
my $dir  = PostgreSQL::Test::Utils::tempdir('binary');

$node->safe_psql($db, 'CREATE TABLE tids (n serial, v atid.tid)');

# A file of one column for COPY ... (FORMAT binary).
my $files = 0;

sub binary_file
{
	my $file = "$dir/" . $files++;
	open my $out, '>:raw', $file or die "could not open $file: $!";
	print $out "PGCOPY\n\377\r\n\0", pack('N2', 0, 0);
	print $out pack('n N/a', 1, $_) foreach @_;
	print $out pack('n', 0xffff);
	close $out or die "could not write $file: $!";
	return $file;
}

sub copy_in
{
	my ($table, @values) = @_;
	my $file = binary_file(@values);
	return $node->psql($db, "\\set VERBOSITY verbose\n\\copy $table (v) FROM '$file' WITH (FORMAT binary)");
}

my @texts = qw(2222222222222 3jzfcijpj2z2a jzzzzzzzzzzzz);
is((copy_in('tids', @texts))[0], 0, 'texts of TIDs are taken in binary COPY');
is( $node->safe_psql($db, 'SELECT v FROM tids ORDER BY n'),
	join("\n", @texts),
	'and are the values that they spell');
my @sent = split /\n/,
  $node->safe_psql($db, "SELECT encode(atid.tid_send(v), 'hex') FROM tids ORDER BY n");
$node->safe_psql($db, 'TRUNCATE tids');
is((copy_in('tids', map { pack 'H*', $_ } @sent))[0], 0, 'so are the 8 bytes that come out');
is($node->safe_psql($db, 'SELECT v FROM tids ORDER BY n'), join("\n", @texts), 'as the same values');

my @refused = ('', "\0" x 7, "\0" x 9, '3jzfcijpj2z2', '3jzfcijpj2z2A', 'zzzzzzzzzzzzz', "3jzfcijpj2z2\0");
foreach my $value (@refused)
{
	my ($status, undef, $said) = copy_in('tids', $value);
	like($said, qr/ERROR:  22P03: .*\nDETAIL:  The binary form of a TID must be 8 bytes/,
		'refused: ' . unpack('H*', $value));
}

$node->stop;
done_testing();
