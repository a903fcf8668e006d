# AtidTest::Network: a program of indexer/t/oracles that is a network of accounts and servers, next to a test.
#
#   AtidTest::Network->new(NODE, FILE, ARGUMENT...)    runs it with this Node until stop() or the end of the test
#   url [N]        the address of its first port, or of another one
#   http           an HTTP::Tiny for it, which keeps no connection: Node closes those that are idle
#   answer PATH    its answer to the test; dies without one
#   ask PATH       likewise, decoded from JSON
#   records        the records of its accounts now, as sorted lines of URI and CID (of network.js)
#   stop

package AtidTest::Network;

use strict;
use warnings FATAL => 'all';

use HTTP::Tiny;
use IPC::Run;
use JSON::PP;
use PostgreSQL::Test::Utils;

my @running;

END
{
	local $?;
	$_->stop foreach @running;
}

sub new
{
	my ($class, $node, $file, @arguments) = @_;
	my $limit = $PostgreSQL::Test::Utils::timeout_default;
	my ($told, $stdin) = ('', '');
	my $self = bless { file => $file, log => $file =~ s/\.js$/.log/r, http => HTTP::Tiny->new(timeout => $limit, keep_alive => 0) }, $class;
	my $run = $self->{run} = IPC::Run::start([ $node, $file, @arguments ], '<', \$stdin, '>', \$told, '2>', $self->{log}, IPC::Run::timer(60 * $limit));
	push @running, $self;
	$run->pump until $told =~ /^port [\d ]+$/m || !$run->pumpable;
	$self->{ports} = [ split ' ', $told =~ /^port ([\d ]+)$/m ? $1 : die "$file: " . slurp_file($self->{log}) ];
	return $self;
}

sub url { return 'http://127.0.0.1:' . $_[0]{ports}[ $_[1] // 0 ]; }
sub http { return $_[0]{http}; }

sub answer
{
	my ($self, $path) = @_;
	my $answer = $self->http->get($self->url . "/$path");
	die "$self->{file}: $path: $answer->{content} " . slurp_file($self->{log}) unless $answer->{success};
	return $answer->{content};
}

sub ask { return decode_json($_[0]->answer($_[1])); }

sub records
{
	my ($self) = @_;
	return sort map { join ' ', (split /\t/)[ 1, 2 ] } grep { /^record/ } split /\n/, $self->answer('expected');
}

sub stop
{
	my ($self) = @_;
	$self->{run}->kill_kill(grace => 0) if $self->{run}->pumpable;
	return;
}

1;
