# AtidTest::Interop: test vectors of the AT Protocol.
#
#   vector_folders PART     the folders that have a folder PART: ours, t/vectors; and that of the protocol's own
#                           vectors, $ATID_INTEROP_DIR or ../shared/fixtures/atproto-interop next to the project,
#                           if it exists
#   own_vectors FOLDER      is it ours?
#   syntax_vectors FILE     the strings of a file of the folder syntax, as bytes, ours first; ours are in
#                           t/vectors/syntax.txt, a line for each with the file's name, a tab and the string
#   with_public             are the protocol's own vectors available?
#
# In a file of the protocol, a comment is a "#" followed by a blank ("#extra" is a record key that must be refused), or
# alone. Blanks in a line are part of the value.

package AtidTest::Interop;

use strict;
use warnings FATAL => 'all';

use AtidTest ();
use Exporter 'import';
use Test::More;

our @EXPORT = qw(
  own_vectors
  syntax_vectors
  vector_folders
  with_public
);

my $own    = "$AtidTest::root/t/vectors";
my $public = $ENV{ATID_INTEROP_DIR} || "$AtidTest::root/../shared/fixtures/atproto-interop";

sub with_public { return -d $public; }

sub own_vectors { return $_[0] eq $own; }

sub vector_folders
{
	my ($part) = @_;
	note("the protocol's own vectors are not in $public: set ATID_INTEROP_DIR to the folder that has them")
	  unless with_public();
	return grep { -d "$_/$part" } $own, $public;
}

sub lines
{
	my ($path) = @_;
	open my $in, '<:raw', $path or die "could not open $path: $!";
	return map { s/\n\z//r } <$in>;
}

sub syntax_vectors
{
	my ($file) = @_;
	my $name   = $file =~ s/\.txt\z//r;
	my @values = map { /^$name\t(.*)\z/s ? $1 : () } lines("$own/syntax.txt");
	push @values, grep { $_ ne '' && !/^#( |\z)/ } lines("$public/syntax/$file") if with_public();
	return @values;
}

1;
