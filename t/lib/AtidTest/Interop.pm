# AtidTest::Interop: the AT Protocol's public interoperability vectors.
#
#   interop_or_skip PART    the folder where they are: $ATID_INTEROP_DIR, or ../shared/fixtures/atproto-interop
#                           beside the project; the whole test is skipped where it has no folder PART
#   syntax_vectors FILE     the strings of a file of its folder syntax, as bytes
#
# In such a file a comment is a "#" followed by a blank ("#extra" is a record key that must be refused), or
# alone. Blanks in a line are part of the value.

package AtidTest::Interop;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use FindBin;
use Test::More;

our @EXPORT = qw(
  interop_or_skip
  syntax_vectors
);

my $folder = $ENV{ATID_INTEROP_DIR} || "$FindBin::Bin/../../shared/fixtures/atproto-interop";

sub interop_or_skip
{
	my ($part) = @_;
	plan skip_all =>
	  "no interoperability vectors in $folder: set ATID_INTEROP_DIR to the folder that has them"
	  unless -d "$folder/$part";
	return $folder;
}

sub syntax_vectors
{
	my ($file) = @_;
	open my $in, '<:raw', "$folder/syntax/$file" or die "could not open $folder/syntax/$file: $!";
	my @values = grep { $_ ne '' && !/^#( |\z)/ } map { s/\n\z//r } <$in>;
	close $in;
	return @values;
}

1;
