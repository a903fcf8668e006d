# AtidTest::Memory: how much memory a statement takes.
#
#   measured SESSION, SQL         runs it and sees by how much the backend grew
#   outcome SESSION, WHAT, SQL, STATE, PATTERN, MOST
#                                 tests that it ends this way, in no more MB
#
# Where the kernel does not report it, the growth is undef and its test is skipped.

package AtidTest::Memory;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use Test::More;

our @EXPORT = qw(
  measured
  outcome
);

# A field of a backend's /proc/PID/status in MB.
sub memory
{
	my ($pid, $field) = @_;
	open my $in, '<', "/proc/$pid/status" or return;
	while (my $line = <$in>)
	{
		return $1 / 1024 if $line =~ /^$field:\s*(\d+) kB/;
	}
	return;
}

# Runs statements and returns (output, SQLSTATE, messages, the MB by which the backend grew at its peak).
# Memory that it had before counts again only if it was given back.
sub measured
{
	my ($session, $sql) = @_;
	my $pid    = $session->pid;
	my $before = memory($pid, 'VmRSS');
	my $anew;
	if (open my $out, '>', "/proc/$pid/clear_refs")
	{
		# resets VmHWM; otherwise it is the peak of the whole session. A refused write is reported at close.
		$anew = print($out "5\n") && close $out;
	}
	my @result = $session->try($sql);
	my $peak   = $anew ? memory($pid, 'VmHWM') : undef;
	return (@result, defined $peak ? $peak - $before : undef);
}

# A statement with its outcome: SQLSTATE, the output or the message, and the most MB that it may take.
sub outcome
{
	my ($session, $what, $sql, $state, $pattern, $most) = @_;
	my ($out, $got, $err, $grown) = measured($session, $sql);
	is($got, $state, "$what: $state") or diag($err);
	like($state eq '00000' ? $out : $err, $pattern, "$what: " . ($state eq '00000' ? 'the answer' : 'says why'));
  SKIP:
	{
		skip 'memory cannot be seen here', 1 unless defined $grown;
		cmp_ok($grown, '<', $most, sprintf '%s: in bounded memory (%.0f MB)', $what, $grown);
	}
	return;
}

1;
