# AtidTest::Files: the files of tests, by the comments at their heads.
#
#   files                     the paths of all TAP files in Perl, from the root of the project
#   head PATH                 the comment at the head of a file, without the marks
#   summary PATH              its first sentence
#   tags PATH                 its tags: the words of its line "Tags:"
#   ordered TAG, PATH...      the paths that have the tag, or all if it is '', in the order in which to run them,
#                             by their times; files that need Citus only if $ATID_CITUS is set, or by their tag
#   table                     t/README.md
#   FOLDERS                   the folders, with their subjects
#   TAGS                      the vocabulary, with what each tag means
#
# A file has one of the first four tags, which state how long it takes on an otherwise idle machine; or `quick` and a
# longer time, which it takes with --full, or takes although it is among the tests that run after each change. It also
# has those of the other tags that apply. It `differs` if it depends on plans, dumps, upgrades, other extensions, or the
# server's hooks and settings. The program and the API of the indexer do not: their queries are the same on each
# version. Limits do not either: they are the code's own.
#
# The current folder must be the root of the project.

package AtidTest::Files;

use strict;
use warnings FATAL => 'all';

use constant FOLDERS => [
	't/generator'  => 'The generator: order, clocks, crashes, shared memory',
	't/types'      => 'TIDs, UUIDs, DIDs, AT URIs, datetimes: their forms, operators and estimates',
	't/record'     => 'Records, their fields, and blocks',
	't/lexicon'    => 'Lexicons',
	't/repository' => 'Trees, CARs, commits and events',
	't/operation'  => 'Dumps, upgrades, replication, other extensions, clients',
	't/project'    => 'Documentation, the files as they stand, releases',
	'crypto/t'     => 'The extension `atid_crypto`',
	'indexer/t'    => 'The indexer',
];

use constant TAGS => [
	quick    => 'takes seconds without `--full`, and needs one server at most: `script/test --quick` runs it',
	medium   => 'takes up to half a minute',
	long     => 'takes more than half a minute, at least with `--full`',
	minutes  => 'takes minutes, at least with `--full`',
	differs  => 'can have another result on another version of PostgreSQL: `.ci/run` runs it on each',
	full     => 'is skipped without `script/test --full`, or what that installs',
	assert   => 'is skipped without `script/test --assert`',
	node     => 'needs Node and packages from npm, for all of it or a part',
	crypto   => 'needs the extension `atid_crypto`',
	faketime => 'needs libfaketime',
	citus    => 'needs servers with Citus of your own, which `$ATID_CITUS` names: `script/test` leaves it out otherwise',
];

sub files
{
	my %folders = @{ FOLDERS() };
	return map { sort glob "$_/*.pl" } sort keys %folders;
}

sub head
{
	my ($path) = @_;
	open my $in, '<', $path or die "could not open $path: $!";
	my $head = '';
	while (my $line = <$in>)
	{
		next if $line =~ /^#!/;
		last unless $line =~ s/^# ?//;
		$head .= $line;
	}
	return $head;
}

sub summary
{
	my ($path) = @_;
	my ($sentence) = head($path) =~ /\A(.*?[.?])(?:\s|\z)/s or die "the head of $path has no sentence";
	return $sentence =~ s/\s+/ /gr;
}

sub tags
{
	my ($path) = @_;

	# programs that are compiled have no head; those of another machine are emulated
	return 'long' if $path =~ m{^t/unit/bin/\w+/};
	return 'quick' if $path =~ m{^(?:t|crypto)/unit/bin/};
	return unless -f $path && $path =~ m{\.pl$|^t/\w+$|^fuzz/run$};
	return map { split } head($path) =~ /^Tags: (.*)$/m;
}

# The last of them fill the time that the first leave on two processors.
my @longest_first = qw(minutes long medium quick);

sub ordered
{
	my ($tag, @paths) = @_;
	my %by_time;
	foreach my $path (@paths)
	{
		my %has = map { $_ => 1 } tags($path);
		next if $tag eq '' ? $has{citus} && !$ENV{ATID_CITUS} : !$has{$tag};
		my ($time) = grep { $has{$_} } @longest_first;
		push @{ $by_time{ $time // 'quick' } }, $path;
	}
	return map { @{ $by_time{$_} // [] } } @longest_first;
}

sub table
{
	my @tags    = @{ TAGS() };
	my @folders = @{ FOLDERS() };
	my $page    = <<'END';
# Tests

`make index` makes this page of the comments at the heads of the files, and `t/project/style.pl` compares.

Tag | The file
---|---
END
	$page .= sprintf "`%s` | %s\n", splice @tags, 0, 2 while @tags;
	while (my ($folder, $subject) = splice @folders, 0, 2)
	{
		my $link = $folder =~ m{^t/(.*)} ? $1 : "../$folder";
		$page .= "\n## $subject\n\nIn `$folder/` | | Tags\n---|---|---\n";
		foreach my $path (sort glob "$folder/*.pl")
		{
			my ($name) = $path =~ m{([^/]+)$};
			$page .= sprintf "[%s](%s) | %s | %s\n", $name, "$link/$name", summary($path) =~ s/\|/\\|/gr, join ' ', tags($path);
		}
	}
	return $page;
}

1;
