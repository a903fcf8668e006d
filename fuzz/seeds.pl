# The seeds of a harness, as files and as lines: hexadecimal, with blanks anywhere and a comment after #.
#
#   perl fuzz/seeds.pl unpack FILE FOLDER      writes the seed of each line into a file of its own
#   perl fuzz/seeds.pl pack FILE...            prints the line of each file, the shortest first

use strict;
use warnings FATAL => 'all';

my ($task, @files) = @ARGV;

sub slurp
{
	open my $file, '<:raw', $_[0] or die "$_[0]: $!\n";
	local $/;
	return scalar <$file>;
}

if ($task eq 'unpack')
{
	my ($path, $folder) = @files;
	my $line = 0;
	foreach (split /\n/, slurp($path))
	{
		$line++;
		s/#.*//;
		s/\s//g;
		next if /^$/;
		/^([0-9a-f]{2})+$/i or die "$path, line $line: not hexadecimal\n";
		open my $file, '>:raw', "$folder/seed$line" or die "$folder/seed$line: $!\n";
		print $file pack 'H*', $_;
		close $file or die "$folder/seed$line: $!\n";
	}
}
elsif ($task eq 'pack')
{
	my @lines = sort { length $a <=> length $b || $a cmp $b } map { unpack 'H*', slurp($_) } @files;
	print map { "$_\n" } grep { length } @lines;
}
else
{
	die "unpack or pack?\n";
}
