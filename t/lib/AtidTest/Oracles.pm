# AtidTest::Oracles: the programs of t/oracles, and those of indexer/t/oracles, which answer using other people's
# packages from npm. They run together in a folder of the test's own.
#
# The versions and hashes of the packages are in t/oracles/package-lock.json; `npm ci` installs them into the folder
# $ATID_PACKAGES, once for each lock file, or else into tmp_check, once for all tests of a run. Where $ATID_ORACLES
# names a folder that has them already, nothing is fetched. The same holds for indexer/t/pds and $ATID_PDS, and for
# t/node and $ATID_NODE, and the others.
#
# Their inputs are generated from a seed, so that a run can be repeated. It is the same each time; $ATID_SEED sets
# another one, or is the word random.

package AtidTest::Oracles;

use strict;
use warnings FATAL => 'all';

use AtidTest ();
use Digest::SHA;
use Fcntl qw(:flock);
use File::Copy;
use File::Spec;
use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

# npm's codes for a registry that cannot be reached, fails authentication, refuses the request, or lacks the package.
my $no_answer = qr/E(?:NOTFOUND|AI_AGAIN|TIMEDOUT|CONNREFUSED|CONNRESET|HOSTUNREACH|NETUNREACH|PROTO|TARGET)
	|ERR_SOCKET_TIMEOUT|\w*(?:CERT|SIGNATURE)\w*|E[45]\d\d/x;

sub find_program
{
	my ($name) = @_;
	my ($path) = grep { -x } map { "$_/$name" } File::Spec->path;
	return $path;
}

sub seed
{
	my $seed = defined $ENV{ATID_SEED} ? $ENV{ATID_SEED} : 1;
	$seed = int rand 2**31 if $seed eq 'random';
	die "ATID_SEED is a number or random, not $seed" unless $seed =~ /^\d+$/;
	note("ATID_SEED=$seed");
	return $seed;
}

# The oracles; or undef, and why they are not available here. A fault in a package is an error.
sub new
{
	my ($class) = @_;
	my $folder  = PostgreSQL::Test::Utils::tempdir('oracles');
	my $self    = bless { node => (node22())[0] // find_program('node'), folder => $folder }, $class;

	return (undef, 'node is not in the PATH') unless defined $self->{node};
	my ($modules, $why) = packages('oracles');
	return (undef, $why) unless defined $modules;
	foreach my $file (glob "$AtidTest::root/{t,indexer/t}/oracles/*.js*")
	{
		copy($file, $folder) or die "could not copy $file: $!";
	}
	symlink $modules, "$folder/node_modules" or die "could not make a link: $!";
	return ($self, undef);
}

# Node 22 or later, which the indexer needs, and which the oracles take if they can have it, because it is quicker: the
# one in the PATH, or that of t/node.
sub node22
{
	my $node = find_program('node');
	return (undef, 'node is not in the PATH') unless defined $node;
	my ($major) = `$node --version` =~ /^v(\d+)/;
	return ($node, undef) if defined $major && $major >= 22;
	my ($modules, $why) = packages('node');
	return (undef, $why) unless defined $modules;
	($node) = glob "$modules/node-linux-*/bin/node";
	return defined $node ? ($node, undef) : (undef, 'there is no Node 22 for this processor');
}

# The folder with the packages of a folder of t, or of the named one; or undef, and why they are not available here.
sub packages
{
	my ($name, $from) = @_;
	$from //= "$AtidTest::root/t/$name";
	my $given = $ENV{ 'ATID_' . uc $name };

	if (defined $given)
	{
		# A folder that was named must exist.
		die "ATID_\U$name\E is $given, but there is no folder node_modules in it" unless -d "$given/node_modules";
		return ("$given/node_modules", undef);
	}

	my $npm = find_program('npm');
	return (undef, 'npm is not in the PATH') unless defined $npm;

	# The first test installs them, and others wait for it.
	my $shared = File::Spec->rel2abs("$PostgreSQL::Test::Utils::tmp_check/$name"); # it is relative without TESTDIR
	my $kept   = $ENV{ATID_PACKAGES} // '';
	$shared = "$kept/$name-" . Digest::SHA->new(256)->addfile("$from/package-lock.json")->hexdigest if -w $kept;
	mkdir $shared;
	copy("$from/$_", $shared) or die "could not copy $_: $!"
	  foreach 'package.json', 'package-lock.json';
	open my $lock, '>', "$shared/lock" or die "could not open $shared/lock: $!";
	flock $lock, LOCK_EX or die "could not lock $shared/lock: $!";
	local $ENV{npm_config_cache} = "$shared/cache";
	my $said = '';
	my $done = -e "$shared/done" || eval {
		IPC::Run::run(
			[ $npm, 'ci', '--prefix', $shared, '--ignore-scripts', '--no-audit', '--no-fund' ],
			'<', \undef, '>&', \$said,
			IPC::Run::timeout(2 * $PostgreSQL::Test::Utils::timeout_default))
		  && system('rm', '-rf', "$shared/cache") == 0 && open my $out, '>', "$shared/done";
	};
	return ("$shared/node_modules", undef) if $done;
	return (undef, 'npm waited too long for its registry') if $@ =~ /timeout/;
	return (undef, "npm cannot have the packages from its registry: $1")
	  if $said =~ /\bcode ($no_answer)\b/;
	die "npm ci failed: $said$@";
}

# Runs a program of t/oracles and returns the lines that it printed.
sub ask
{
	my ($self, $program, $arguments, $input) = @_;
	my ($out, $err) = ('', '');
	$input = '' unless defined $input;

	IPC::Run::run(
		[ $self->{node}, "$self->{folder}/$program", @$arguments ],
		'<', \$input, '>', \$out, '2>', \$err,
		IPC::Run::timeout($AtidTest::work_limit))
	  or die "$program failed: $err";
	return split /\n/, $out;
}

# Runs a program of t/oracles that queries a server itself and prints its findings: lines of a word (ok, not ok or
# note), a tab and a text. Each verdict is a test. $at_least gives the minimum number of comparisons, by the texts
# without their counts.
sub judge
{
	my ($self, $program, $node, $arguments, $at_least) = @_;
	local $ENV{PGHOST} = $node->host;
	local $ENV{PGPORT} = $node->port;
	local $ENV{PGUSER} = getpwuid($>);
	my %compared;

	foreach my $line ($self->ask($program, $arguments))
	{
		my ($verdict, $text) = split /\t/, $line, 2;
		if (defined $text && $verdict =~ /^(not )?ok$/)
		{
			ok($verdict eq 'ok', $text);
			$compared{$1} = $2 if $text =~ /^(.*) \(\d+ of (\d+)\)$/;
		}
		else
		{
			note(defined $text && $verdict eq 'note' ? $text : $line);
		}
	}
	foreach my $what (sort keys %$at_least)
	{
		cmp_ok($compared{$what} || 0, '>=', $at_least->{$what}, "often enough: $what");
	}
	return;
}

1;
