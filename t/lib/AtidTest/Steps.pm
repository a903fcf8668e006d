# AtidTest::Steps: a program of Node that does a step for each line of its input, and prints "done STEP JSON".
#
#   packages NAME, FOLDER   (modules, Node 22, undef), with an SQLite compiled for it;
#                           (undef, undef, reason) if they are not available
#   AtidTest::Steps->start(NODE, MODULES, FOLDER, SCRIPT, WORDS...)   starts a copy of the script in a folder
#   ask STEP                its answer
#   stop                    ends it

package AtidTest::Steps;

use strict;
use warnings FATAL => 'all';

use AtidTest::Oracles;
use Cwd qw(realpath);
use File::Basename qw(basename);
use File::Copy;
use IPC::Run;
use JSON::PP;
use PostgreSQL::Test::Utils;

my $limit = $PostgreSQL::Test::Utils::timeout_default;

sub packages
{
	my ($name, $from) = @_;
	foreach my $program (qw(python3 make g++))
	{
		return (undef, undef, "$program is not in the PATH") unless defined AtidTest::Oracles::find_program($program);
	}
	my ($modules, $why) = AtidTest::Oracles::packages($name, $from);
	return (undef, undef, $why) unless defined $modules;
	my ($node) = glob "$modules/node-linux-*/bin/node";
	return (undef, undef, 'there is no Node 22 for this processor') unless defined $node;
	my $said   = '';
	my $sqlite = realpath("$modules/better-sqlite3");
	my @build  = ($node, "$modules/node-gyp/bin/node-gyp.js", 'rebuild', '--debug', '--nodedir=' . realpath("$node/../.."));
	-e "$sqlite/build/Debug/better_sqlite3.node"
	  || IPC::Run::run(\@build, '<', \undef, '>&', \$said, init => sub { chdir $sqlite or die $! }, IPC::Run::timeout($AtidTest::work_limit))
	  || die "node-gyp failed: $said";
	return ($modules, $node, undef);
}

sub start
{
	my ($class, $node, $modules, $folder, $script, @words) = @_;
	copy($script, $folder) or die "could not copy $script: $!";
	symlink $modules, "$folder/node_modules" or die "could not make a link: $!" unless -e "$folder/node_modules";
	my $self = bless { in => '', out => '', err => '' }, $class;
	$self->{program} = IPC::Run::start(
		[ $node, basename($script), @words ], '<', \$self->{in}, '>', \$self->{out}, '2>', \$self->{err},
		init => sub { chdir $folder or die $! }, IPC::Run::timer(20 * $limit));
	return $self;
}

sub ask
{
	my ($self, $step) = @_;
	$self->{out} = '';
	$self->{in} .= "$step\n";
	$self->{program}->pump until $self->{out} =~ /\n\z/ || !$self->{program}->pumpable;
	$self->{out} =~ /^done \w+ (.*)\n/m or die "$step: $self->{out}$self->{err}";
	return JSON::PP->new->utf8->allow_nonref->decode($1);
}

sub stop
{
	my ($self) = @_;
	$self->{in} = '';
	$self->{program}->kill_kill(grace => 0);
	return;
}

1;
