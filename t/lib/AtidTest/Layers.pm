# The layers of the C code: src/layers.txt, read. The current folder must be the root of the project.
#
#   layers()       [{ place, about, rows => [{ files, pure, may => [pattern...] }...] }...], from the top to the bottom;
#                  files and patterns have their text and their regular expression, { text, re }
#   files()        the C files, by their names in layers.txt: { name => [path...] }
#   row($name)     the layer and the row of a file, or nothing
#   map_of()       the layers that each layer may include, as text
#   pure()         the paths of the pure files

package AtidTest::Layers;

use strict;
use warnings FATAL => 'all';

sub pattern
{
	my ($text) = @_;
	my $re = $text =~ s{\*}{[^/]*}gr;
	return { text => $text, re => qr{^$re$} };
}

my @layers;

sub layers
{
	return @layers if @layers;
	open my $in, '<', 'src/layers.txt' or die "could not open src/layers.txt: $!";
	while (<$in>)
	{
		next if /^#|^\s*$/;
		if (/^(\w[^:]*): (.*)$/) { push @layers, { place => $1, about => $2, rows => [] } }
		elsif (/^\t(\S+)\s*(pure\b)?(.*)$/)
		{
			push @{ $layers[-1]{rows} }, { files => pattern($1), pure => defined $2, may => [ map { pattern($_) } split ' ', $3 ] };
		}
		elsif (/^\t {4,}(\S.*)$/) { push @{ $layers[-1]{rows}[-1]{may} }, map { pattern($_) } split ' ', $1 }
		else                      { die "src/layers.txt, line $.: no layer and no row: $_" }
	}
	return @layers;
}

my %files;

sub files
{
	return \%files if %files;
	foreach my $path (sort glob 'atid.c {,crypto/}src/{,*/,*/*/}*.[ch]')
	{
		push @{ $files{ $path =~ s{^(crypto/)?src/}{$1 // ''}er =~ s/\.[ch]$//r } }, $path;
	}
	return \%files;
}

my %rows;

sub row
{
	my ($name) = @_;
	$rows{$name} //= find_row($name);
	return @{ $rows{$name} };
}

sub find_row
{
	my ($name) = @_;
	foreach my $layer (layers())
	{
		foreach my $row (@{ $layer->{rows} }) { return [ $layer, $row ] if $name =~ $row->{files}{re} }
	}
	return [];
}

sub pure
{
	my $files = files();
	return map { @{ $files->{$_} } } grep { my (undef, $row) = row($_); $row && $row->{pure} } sort keys %$files;
}

# The layers that a layer may include, by their positions.
sub below
{
	my ($layer) = @_;
	my %below;
	foreach my $may (map { @{ $_->{may} } } @{ $layer->{rows} })
	{
		$below{ (row($_))[0]{place} } = 1 foreach grep { $_ =~ $may->{re} && row($_) } keys %{ files() };
	}
	return \%below;
}

sub map_of
{
	my @all = layers();
	my $key = 'a';
	my @keys = map { $key++ } @all;
	my $map  = ' ' x 25 . join('', @keys) . "\n";
	foreach my $i (0 .. $#all)
	{
		my $below = below($all[$i]);
		my $marks = join '', map { $_ == $i ? '\\' : $below->{ $all[$_]{place} } ? 'x' : $_ > $i ? '.' : ' ' } 0 .. $#all;
		$map .= sprintf "%s  %-21s %s  %s\n", $keys[$i], $all[$i]{place}, $marks, $all[$i]{about};
	}
	return $map;
}

1;
