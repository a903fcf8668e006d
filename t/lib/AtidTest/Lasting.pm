# AtidTest::Lasting: a server whose psql() and safe_psql() ask by a psql that lasts, for tests that ask often.
#
# A program and a session for each question cost more than most answers. new_node makes such a server by its option
# `lasting`. A psql stays for each database and environment (PGOPTIONS, PGUSER); after each script its session is as a
# new one, by DISCARD ALL. It ends where a new one would do otherwise: with an error, with its session, and before a
# script that is about databases, whose work an open session would prevent.
#
# A script runs by a psql of its own if it has a transaction or a command of psql, asks for statistics, which a session
# reports at its end, or is called with other options than these functions have by default. What DISCARD ALL leaves is
# what a library keeps in a session: a test of the generator does not use this.

package AtidTest::Lasting;

use strict;
use warnings FATAL => 'all';

use IPC::Run;
use PostgreSQL::Test::Cluster ();
use PostgreSQL::Test::Utils ();    # its functions are methods of servers, too

our @ISA = ('PostgreSQL::Test::Cluster');

my $alone = qr/\\|^\s*BEGIN\b|;\s*BEGIN\b|\b(?:START\s+TRANSACTION|PREPARE\s+TRANSACTION|LOAD|SYSTEM|DATABASE|TABLESPACE|pg_stat\w*)\b/i;

sub psql
{
	my ($self, $db, $sql, %params) = @_;
	if ($sql =~ $alone || !($params{on_error_stop} // 1) || grep { !/^(?:stdout|stderr|on_error_(?:stop|die))$/ } keys %params)
	{
		$self->end_sessions if $sql =~ /DATABASE|TABLESPACE/i;
		return $self->SUPER::psql($db, $sql, %params);
	}
	local %ENV = $self->_get_env;
	my ($status, @said) = $self->answer_of($db, $sql) or return $self->SUPER::psql($db, $sql, %params);
	die +($status == 2 ? 'connection error' : 'error running SQL') . ": '$said[1]'\nwhile running psql for $db with sql '$sql'"
	  if $status && $params{on_error_die};
	foreach my $name (qw(stdout stderr))
	{
		my $text = shift @said;
		${ $params{$name} } = $text if defined $params{$name};
		push @said, defined $params{$name} ? ${ $params{$name} } : $text;
	}
	return wantarray ? ($status, @said) : $status;
}

# The status of psql, its output and its messages; nothing where no session can be had.
sub answer_of
{
	my ($self, $db, $sql) = @_;
	my $key = join "\0", $db, map { "$_=$ENV{$_}" } grep { /^PG/ } sort keys %ENV;
	my $one = $self->{atid_sessions}{$key};
	$one = $self->{atid_sessions}{$key} = $self->session($db) // return unless defined $one && kill 0, $one->{pid};

	# from a file, whose end also ends a statement, or a quotation
	open my $out, '>', $one->{script} or die "could not open $one->{script}: $!";
	print $out $sql;
	close $out or die "could not write $one->{script}: $!";
	my ($goes_on, @said) = exchange($one, "\\i '$one->{script}'");
	if ($goes_on)
	{
		$one->{in} .= "DISCARD ALL;\n";
		$one->{run}->pump_nb;    # nothing waits for a lock that it has left
	}
	$said[1] =~ s/psql:\Q$one->{script}\E:/psql:<stdin>:/g;
	return (0, @said) if $goes_on;
	delete $self->{atid_sessions}{$key};
	eval { $one->{run}->finish };
	return ($one->{run}->full_result(0) >> 8, @said);
}

sub session
{
	my ($self, $db) = @_;
	my $one = { in => '', out => '', err => '', script => PostgreSQL::Test::Utils::tempdir('asks') . '/script.sql' };
	$one->{timeout} = IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default);
	$one->{run} = IPC::Run::start(
		[ $self->installed_command('psql'), '-XAtq', '-d', $self->connstr($db), '-f', '-', '-v', 'ON_ERROR_STOP=1' ],
		'<', \$one->{in}, '>', \$one->{out}, '2>', \$one->{err}, $one->{timeout});
	(my $goes_on, $one->{pid}) = exchange($one, 'SELECT pg_backend_pid();');
	return $goes_on ? $one : undef;
}

# Whether psql goes on, its output and its messages.
sub exchange
{
	my ($one, $line) = @_;
	my $mark = "~~ answered ~~\n";
	$one->{in} .= "$line\n" . join '', map { "\\$_ ~~ answered ~~\n" } qw(echo warn);
	$one->{timeout}->start($PostgreSQL::Test::Utils::timeout_default);
	my $ends = sub { substr($_[0], -length $mark) eq $mark };
	$one->{run}->pump until $ends->($one->{out}) && $ends->($one->{err}) || !$one->{run}->pumpable;
	my $goes_on = $ends->($one->{out}) && $ends->($one->{err});
	my @said    = map { $goes_on ? substr $_, 0, -length $mark : $_ } @$one{qw(out err)};
	@$one{qw(out err)} = ('', '');
	chomp @said;
	return ($goes_on, @said);
}

sub end_sessions
{
	my ($self) = @_;
	foreach my $one (values %{ delete $self->{atid_sessions} // {} })
	{
		$one->{in} .= "\\q\n";
		eval { $one->{run}->finish };
	}
	return;
}

sub stop
{
	my ($self, @how) = @_;
	$self->end_sessions;
	return $self->SUPER::stop(@how);
}

1;
