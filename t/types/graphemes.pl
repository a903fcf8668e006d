# npm's unicode-segmenter finds as many grapheme clusters in a text, and the table is the Unicode Character Database's.
#
# Shows that
# - src/codec/text/grapheme_table.h is the output of t/oracles/unicode.js for npm's package of the database, whose
#   version is the one that grapheme.h, the comment on the type and its chapter name;
# - each character of planes 0 and 1 and of U+E0000 to U+E0FFF, among others, and 200,000 random texts of characters
#   that the rules concern have as many clusters as unicode-segmenter counts (t/oracles/graphemes.js). The unit test
#   does our counting.
#
# Skipped without node and npm; AtidTest::Oracles documents how they are found. The part that counts is skipped where
# the unit tests are not built.
#
# Tags: medium node

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Oracles;
use PostgreSQL::Test::Utils;
use Test::More;

my $texts   = $ENV{ATID_FULL} ? 200_000 : 50_000;
my $each    = 0x20000 - 0x800 + 0x1000;
my $codec   = "$FindBin::Bin/../../src/codec";
my $program = "$FindBin::Bin/../unit/bin/grapheme";

my ($oracles, $why) = AtidTest::Oracles->new;
plan skip_all => $why unless defined $oracles;

my $table = slurp_file("$codec/text/grapheme_table.h");
ok($table eq join("\n", $oracles->ask('unicode.js', []), ''), 'grapheme_table.h is what script/unicode makes');
my ($version) = slurp_file("$codec/text/grapheme.h") =~ /ATID_UNICODE_VERSION "(.*)"/;
like($table, qr{\@unicode/unicode-\Q$version\E }, 'of the version that grapheme.h names');
my ($comment) = join('', map { slurp_file($_) } sort glob "$FindBin::Bin/../../atid--*.sql") =~ /.*Unicode (\d[\d.]*\d)/s;
my ($chapter) = slurp_file("$FindBin::Bin/../../doc/lexicon.md") =~ /Unicode (\d[\d.]*\d)/;
is("$comment $chapter", "$version $version", 'and that the comment on the type, and its chapter, name');

SKIP:
{
	skip 'the unit tests are not built', 1 unless -x $program;
	my $file = PostgreSQL::Test::Utils::tempdir('graphemes') . '/counts';
	$oracles->ask('graphemes.js', [ AtidTest::Oracles::seed(), $texts, $file ]);
	my ($out, $err) = run_command([ $program, $file ]);
	is("$out$err", "0 of @{[ $each + $texts ]} differ", 'unicode-segmenter counts the same');
}

done_testing();
