# AtidTest::Processor: the cost of a TAP file in Perl; script/test --times loads it into each.
#
# At its end it writes one line to the file $ATID_COSTS: seconds of the processor in all, of those in Perl, in programs
# that it ran (psql, Node, compilers) and in servers; seconds that passed; and the file. A server that ends by itself is
# not counted.

package AtidTest::Processor;

use strict;
use warnings FATAL => 'all';

use POSIX ();
use Time::HiRes qw(time);

my $began = time;
my $servers = 0;

# A TAP file. One that is run by another counts among the programs of that one.
my $counts = $0 =~ m{^(?:t|crypto/t|indexer/t)/.*\.pl$} && !$ENV{ATID_COSTS_WITHIN};
$ENV{ATID_COSTS_WITHIN} = 1 if $counts;

# The processor time of a process and of all its children that have ended, in seconds.
sub of_process
{
	my ($pid) = @_;
	open my $in, '<', "/proc/$pid/stat" or return 0;
	my ($rest) = (<$in> // '') =~ /\) (.*)/ or return 0;    # it may have ended meanwhile
	my $ticks = 0;
	$ticks += $_ foreach (split ' ', $rest)[ 11 .. 14 ];
	return $ticks / POSIX::sysconf(POSIX::_SC_CLK_TCK());
}

# A server with those of its processes that still run, as it is about to stop.
sub of_server
{
	my ($pid) = @_;
	my $seconds = of_process($pid);
	foreach my $path (glob '/proc/[0-9]*/stat')
	{
		open my $in, '<', $path or next;
		my ($parent) = (<$in> // '') =~ /\) \S (\d+)/;
		$seconds += of_process($path =~ /(\d+)/) if ($parent // 0) == $pid;
	}
	return $seconds;
}

INIT
{
	foreach my $method (qw(stop kill9))
	{
		my $name = "PostgreSQL::Test::Cluster::$method";
		no strict 'refs';    ## no critic
		no warnings 'redefine';
		my $original = defined &$name ? \&$name : next;
		*$name = sub {
			my ($node) = @_;
			$servers += of_server($node->{_pid}) if defined $node->{_pid};
			goto &$original;
		};
	}
}

# This module comes first, so its END is the last one.
END
{
	local ($?, $!);
	report() if $counts;
}

sub report
{
	my ($user, $system, $child_user, $child_system) = times;
	my @parts = ($user + $system, $child_user + $child_system, $servers);
	my $all = 0;
	$all += $_ foreach @parts;
	open my $out, '>>', $ENV{ATID_COSTS} or die "could not write $ENV{ATID_COSTS}: $!";
	printf $out "%7.1f %7.1f %7.1f %7.1f %7.1f %s\n", $all, @parts, time - $began, $0;
	close $out or die "could not write $ENV{ATID_COSTS}: $!";
	return;
}

1;
