# A test that asks other people's packages is skipped where those cannot be had.
#
# Shows that AtidTest::Oracles says why instead of dying, where the registry of npm refuses, has not got
# the packages, is down, hangs up, or is not there. Needs node and npm, and no server.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/lib";

use AtidTest::Oracles;
use IO::Socket::INET;
use Test::More;

foreach my $program (qw(node npm))
{
	plan skip_all => "$program is not in the PATH"
	  unless defined AtidTest::Oracles::find_program($program);
}

delete $ENV{ATID_ORACLES};
$ENV{npm_config_fetch_retries} = 0;

# Why the packages cannot be had from a registry that gives every request this answer; without one it
# hangs up.
sub why_not
{
	my ($answer) = @_;
	my $socket = IO::Socket::INET->new(Listen => 20, LocalAddr => '127.0.0.1')
	  or die "could not listen: $!";
	local $ENV{npm_config_registry} = 'http://127.0.0.1:' . $socket->sockport . '/';

	my $pid = fork;
	die "could not fork: $!" unless defined $pid;
	if ($pid == 0)
	{
		while (my $client = $socket->accept)
		{
			while (my $line = <$client>) { last if $line =~ /^\r?$/; }
			print $client "HTTP/1.1 $answer\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"
			  if defined $answer;
			close $client;
		}
	}
	close $socket;
	my ($oracles, $why) = eval { AtidTest::Oracles->new };
	my $died = $@;
	kill 'KILL', $pid;
	waitpid $pid, 0;
	return $died ? "died: $died" : defined $oracles ? 'had them' : $why;
}

like(why_not("$_ No"), qr/registry: E$_$/, "a registry that answers $_") foreach 401, 403, 404, 503;
like(why_not('200 OK'), qr/registry: ETARGET$/, 'a registry without these versions');
like(why_not(undef), qr/registry: ECONNRESET$/, 'a registry that hangs up');

$ENV{npm_config_registry} = 'http://127.0.0.1:9/';
like((AtidTest::Oracles->new)[1], qr/registry: ECONNREFUSED$/, 'a registry that is not there');

done_testing();
