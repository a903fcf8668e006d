# The pictures of doc/performance.md show what was measured.
#
# Shows that
# - the numbers of each picture are those of its file in bench/results, which says when, where and by
#   which command it was measured, and so does the picture;
# - each picture is what bench/plot draws, where there is the gnuplot that drew it;
# - bench/plot --check notices a number that was changed, in a file or in a picture;
# - a picture is small, and has colours for light and dark;
# - the chapter shows every picture.
#
# Needs no server.

use strict;
use warnings FATAL => 'all';

use Cwd qw(realpath);
use File::Temp qw(tempdir);
use FindBin;
use Test::More;

my $root     = realpath("$FindBin::Bin/..");
my @pictures = map { m{performance-(\w+)\.svg$} } glob("$root/doc/performance-*.svg");
my @results  = map { m{(\w+)\.txt$} } glob("$root/bench/results/*.txt");

sub slurp
{
	my ($file) = @_;
	open my $fh, '<', $file or die "could not open $file: $!";
	local $/;
	return scalar <$fh>;
}

sub spew
{
	my ($file, $text) = @_;
	open my $fh, '>', $file or die "could not open $file: $!";
	print $fh $text;
	close $fh or die "could not write $file: $!";
	return;
}

# What bench/plot --check says of a picture in a tree, and its status.
sub check
{
	my ($tree, $picture) = @_;
	my $said = `'$tree/bench/plot' --check $picture 2>/dev/null`;
	return ($?, $said);
}

cmp_ok(scalar @pictures, '>=', 4, 'there are pictures');
is("@pictures", "@results", 'each picture has its file, and each file its picture');

# A tree of our own, to change things in.
my $copy = tempdir('pictures-XXXXXX', TMPDIR => 1, CLEANUP => 1);
mkdir "$copy/$_" or die "could not make $copy/$_: $!" foreach qw(bench bench/results doc script);
foreach my $file (
	'bench/plot', 'script/lib.sh',
	(map { "bench/results/$_.txt" } @results),
	(map { "doc/performance-$_.svg" } @pictures))
{
	spew("$copy/$file", slurp("$root/$file"));
}
chmod 0755, "$copy/bench/plot" or die "could not chmod: $!";

my $chapter = slurp("$root/doc/performance.md");
foreach my $picture (@pictures)
{
	my $result = slurp("$root/bench/results/$picture.txt");
	my $svg    = slurp("$root/doc/performance-$picture.svg");

	my ($status, $said) = check($root, $picture);
	is($status, 0, "$picture: the numbers are those of the file") or diag($said);
  SKIP:
	{
		skip 'the gnuplot that drew the pictures is not here', 1 if $said =~ /not drawn again/;
		like($said, qr/the numbers and the drawing agree/, "$picture: is what bench/plot draws");
	}

	# Read by other code than that which drew it: each number of the picture is a cell of a table.
	my %cell = map { $_ => 1 } $result =~ /\|\s*(-?[0-9.]+)(?=\s*\|)/g;
	my ($numbers) = $svg =~ m{<metadata>\n(.*?)</metadata>}s;
	my @shown = map { (split /\t/)[ 1 .. (tr/\t//) ] } grep { /\t[0-9.\t-]+$/ } split /\n/, $numbers;
	@shown = grep { $_ !~ /^(?:1|2|4|8|16|32|64)$/ } @shown if $picture eq 'sessions';
	cmp_ok(scalar @shown, '>=', 3, "$picture: has numbers");
	is(join(' ', grep { !$cell{$_} } @shown), '', "$picture: each is in a table of the file");
	unless ($picture eq 'sessions')
	{
		# Lines have an axis, bars have their numbers beside them.
		my %written = map { $_ => 1 } $svg =~ /<text>([0-9.]+)\b/g;
		is(join(' ', grep { !$written{$_} } @shown), '', "$picture: each is written in the picture");
	}

	foreach my $key (qw(date machine command))
	{
		my ($value) = $result =~ /\A(?:.+\n)*?$key: (.+)\n/;
		ok(defined $value && index($svg, $value) >= 0, "$picture: the picture has the $key");
	}

	like($svg, qr/prefers-color-scheme: dark/, "$picture: light and dark");
	cmp_ok(length $svg, '<', 24 * 1024, "$picture: is small");
	like($chapter, qr/!\[[^]]{20,}\]\(performance-$picture\.svg\)/, "$picture: is in the chapter");

	# Change one number; and the date.
	my $last = $shown[-1];
	foreach my $change (
		[ 'a number of the file', 'bench/results', 'txt', qr/(\|\s*)\Q$last\E(?=\s*\|)/, "${last}9" ],
		[ 'a number of the picture', 'doc', 'svg', qr/(\t)\Q$last\E(?=\n|\t)/, "${last}9" ],
		[ 'the date of the file', 'bench/results', 'txt', qr/^(date: )\S+/m, '1999-12-31' ])
	{
		my ($what, $folder, $type, $from, $to) = @$change;
		my $file = "$copy/$folder/" . ($type eq 'svg' ? 'performance-' : '') . "$picture.$type";
		my $text = slurp($file);
		my $changed = $text =~ s{$from}{$1$to}gr;
		isnt($changed, $text, "$picture: $what changes");
		spew($file, $changed);
		isnt((check($copy, $picture))[0], 0, "$picture: it is noticed that $what has changed");
		spew($file, $text);
	}
}

my ($shown) = slurp("$root/README.md") =~ m{!\[[^]]{20,}\]\(doc/performance-(\w+)\.svg\)};
ok(defined $shown, 'README.md shows a picture');

done_testing();
