# AtidTest::Clock: a server's wall clock under the control of a test.
#
# libfaketime is preloaded into the server only. It reads the time from a file whenever the clock is
# read, so a rewritten file is a step of the clock in all sessions at once. The monotonic clock stays
# the system's.

package AtidTest::Clock;

use strict;
use warnings FATAL => 'all';

use AtidTest;
use PostgreSQL::Test::Utils;
use Time::HiRes qw(time);

# Undefined where the library is not installed.
sub new
{
	my ($class) = @_;
	my ($library) =
	  grep { -e }
	  map { glob } '/usr/lib/*/faketime/libfaketime.so.1', '/usr/lib/faketime/libfaketime.so.1',
	  '/usr/lib64/faketime/libfaketime.so.1';
	return unless defined $library;
	my $self = bless {
		library => $library,
		file    => PostgreSQL::Test::Utils::tempdir('clock') . '/now'
	}, $class;
	$self->set(0);
	return $self;
}

# Replaced atomically: a reader never sees half a line.
sub write_file
{
	my ($self, $line) = @_;
	open my $out, '>', "$self->{file}.new" or die "could not write $self->{file}.new: $!";
	print $out "$line\n";
	close $out or die "could not write $self->{file}.new: $!";
	rename "$self->{file}.new", $self->{file} or die "could not rename $self->{file}.new: $!";
	return;
}

# Seconds between the server's clock and the true time.
sub set
{
	my ($self, $seconds) = @_;
	$self->write_file(sprintf '%+d', $seconds);
	return;
}

# Stops the clock at a local time.
sub freeze
{
	my ($self, $when) = @_;
	$self->write_file($when);
	return;
}

# Starts a server under this clock; with fail_ok, false when it does not start.
sub start
{
	my ($self, $node, %opt) = @_;
	local %ENV = (
		%ENV,
		LD_PRELOAD                   => $self->{library},
		FAKETIME_TIMESTAMP_FILE      => $self->{file},
		FAKETIME_NO_CACHE            => 1,
		FAKETIME_DONT_FAKE_MONOTONIC => 1,
		DONT_FAKE_MONOTONIC          => 1);
	return $node->start(fail_ok => $opt{fail_ok});
}

# How far the clock of a session's server is from this process's, in seconds.
sub offset
{
	my ($self, $session) = @_;
	return $session->ok('SELECT extract(epoch FROM clock_timestamp())') - time;
}

1;
