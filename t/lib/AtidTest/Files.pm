# AtidTest::Files: the files of tests, by the comments at their heads.
#
#   files                     the paths of all TAP files in Perl, from the root of the project
#   head PATH                 the comment at the head of a file, without the marks
#   summary PATH              its first sentence
#   tags PATH                 its tags: the words of its line "Tags:"
#   ordered TAG, PATH...      those of the paths that have the tag, or all if it is '', in the order in which to run them;
#                             those that need Citus only if $ATID_CITUS is set, or by their tag
#   TAGS                      the vocabulary, with what each tag means
#
# A file has one of the first four tags, which say how long it takes on a machine that does little else, and those of
# the others that apply. It `differs` if it depends on plans, dumps, upgrades, other extensions, or the server's hooks
# and settings. The program and the API of the indexer do not: what they send is the same on each version. Neither do
# limits, which are the code's own.
#
# The current folder must be the root of the project.

package AtidTest::Files;

use strict;
use warnings FATAL => 'all';

use constant TAGS => [
	quick    => 'takes seconds and needs one server at most: `script/test --quick` runs it',
	medium   => 'takes up to half a minute',
	long     => 'takes more than half a minute: starts before those',
	minutes  => 'takes minutes, at least with `--full`: starts first',
	differs  => 'can have another result on another version of PostgreSQL: `.ci/run` runs it on each',
	full     => 'is skipped without `script/test --full`, or what that installs',
	assert   => 'is skipped without `script/test --assert`',
	node     => 'needs Node and packages from npm, for all of it or a part',
	crypto   => 'needs the extension `atid_crypto`',
	faketime => 'needs libfaketime',
	citus    => 'needs servers with Citus of your own, which `$ATID_CITUS` names: `script/test` leaves it out otherwise',
];

sub files { return sort glob 't/*/*.pl crypto/t/*.pl indexer/t/*.pl'; }

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

sub ordered
{
	my ($tag, @paths) = @_;
	my (@first, @second, @rest);
	foreach my $path (@paths)
	{
		my %has = map { $_ => 1 } tags($path);
		next if $tag eq '' ? $has{citus} && !$ENV{ATID_CITUS} : !$has{$tag};
		push @{ $has{minutes} ? \@first : $has{long} ? \@second : \@rest }, $path;
	}
	return (@first, @second, @rest);
}

1;
