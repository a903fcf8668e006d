# The generator's protocol, checked by Spin: t/generator/generator.pml has the model and the claims.
#
# Shows that
# - within the bounds below no value is handed out twice or below an earlier value, in any interleaving of sessions,
#   crashes, CREATE EXTENSION, resets, setval(), a standby and weak memory;
# - each step of the protocol is needed: without it, or with a wrong one, a claim fails;
# - the steps of the model and those that src/generator/ marks with "model: ..." are the same.
#
# With ATID_FULL the bounds are larger (minutes, and some GB of memory).
#
# Tags: minutes

use strict;
use warnings FATAL => 'all';

use Cwd qw(abs_path);
use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest::Oracles;
use PostgreSQL::Test::Utils;
use Test::More;

my $model  = abs_path("$FindBin::Bin/generator.pml");
my $source = abs_path("$FindBin::Bin/../../src/generator");

# The claims that hold: a name, and the options of the run.
my @holds = (
	[ 'crashes',            '-DSESSIONS=2 -DDRAWS=1 -DTIME=1' ],
	[ 'a clock set back',   '-DSESSIONS=1 -DDRAWS=2 -DTIME=2 -DBACK' ],
	[ 'created anew',       '-DSESSIONS=1 -DDRAWS=2 -DRECREATE=1' ],
	[ 'a reset',            '-DSESSIONS=1 -DDRAWS=2 -DRESETS=1' ],
	[ 'setval()',           '-DSESSIONS=2 -DDRAWS=1 -DSETVALS=1' ],
	[ 'a standby',          '-DSESSIONS=2 -DDRAWS=1 -DSTANDBY' ],
	[ 'weak memory',        '-DSESSIONS=1 -DDRAWS=2 -DRECREATE=1 -DWEAK' ],
	[ 'weak memory, reset', '-DSESSIONS=1 -DDRAWS=2 -DRESETS=1 -DWEAK' ],
	[ 'weak memory, standby', '-DSESSIONS=2 -DDRAWS=1 -DSTANDBY -DWEAK' ]);
@holds = (
	[ 'crashes',            '-DSESSIONS=2 -DDRAWS=2 -DTIME=3 -DRESERVE=1' ],
	[ 'three sessions',     '-DSESSIONS=3 -DDRAWS=1' ],
	[ 'two crashes',        '-DSESSIONS=2 -DDRAWS=1 -DTIME=1 -DCRASHES=2' ],
	[ 'a clock set back',   '-DSESSIONS=2 -DDRAWS=1 -DTIME=2 -DBACK' ],
	[ 'created anew',       '-DSESSIONS=2 -DDRAWS=1 -DRECREATE=1' ],
	[ 'a reset',            '-DSESSIONS=2 -DDRAWS=1 -DRESETS=1' ],
	[ 'setval()',           '-DSESSIONS=2 -DDRAWS=1 -DSETVALS=1 -DTIME=1 -DBACK' ],
	[ 'a standby',          '-DSESSIONS=3 -DDRAWS=1 -DSTANDBY' ],
	[ 'weak memory',        '-DSESSIONS=2 -DDRAWS=1 -DRECREATE=1 -DWEAK' ],
	[ 'weak memory, reset', '-DSESSIONS=2 -DDRAWS=1 -DRESETS=1 -DWEAK' ],
	[ 'weak memory, standby', '-DSESSIONS=3 -DDRAWS=1 -DSTANDBY -DWEAK' ]) if $ENV{ATID_FULL};

# The mutations: the name in the model, and a run that it breaks.
my @breaks = (
	[ 'NO_FLUSH',       '-DSESSIONS=2 -DDRAWS=1' ],
	[ 'FLUSH_OWN',      '-DSESSIONS=2 -DDRAWS=1' ],
	[ 'NO_LIFE',        '-DSESSIONS=1 -DDRAWS=2 -DRECREATE=1' ],
	[ 'NO_RAISE',      '-DSESSIONS=1 -DDRAWS=2' ],
	[ 'NO_SWAP',        '-DSESSIONS=2 -DDRAWS=1' ],
	[ 'NOT_COVERED',    '-DSESSIONS=1 -DDRAWS=2' ],
	[ 'COVER_NO_LIFE',  '-DSESSIONS=1 -DDRAWS=2 -DRECREATE=1' ],
	[ 'COVER_NO_WRITE', '-DSESSIONS=1 -DDRAWS=2 -DRECREATE=1' ],
	[ 'COVER_ASYNC',    '-DSESSIONS=1 -DDRAWS=2 -DRECREATE=1' ],
	[ 'COVER_PLAIN',    '-DSESSIONS=1 -DDRAWS=2 -DRECREATE=1 -DWEAK' ],
	[ 'RESET_EARLY',    '-DSESSIONS=1 -DDRAWS=2 -DRESETS=1' ],
	[ 'PROMOTED',       '-DSESSIONS=2 -DDRAWS=1 -DSTANDBY' ],
	[ 'LOWER',          '-DSESSIONS=2 -DDRAWS=1 -DSETVALS=1 -DTIME=1 -DBACK' ]);

plan skip_all => 'spin is not installed'
  if !eval { run_log([ 'spin', '-V' ], '>', \my $version) };

my $text = slurp_file($model);

# The labels, and the marks.
my @steps = grep { !/^end_|^again$/ } $text =~ /^(\w+):$/mg;
my @marks = map { slurp_file($_) =~ /model: (\w+)/g } glob "$source/*.c";
is(join(' ', sort @marks), join(' ', sort @steps), 'the steps of the model and of the code are the same');

# The mutations, each tried.
my ($list) = $text =~ /^#define NONE(.*?)^#ifndef MUTATION$/ms;
my @mutations = $list =~ /^#define (\w+)/mg;
is(join(' ', sort map { $_->[0] } @breaks), join(' ', sort @mutations), 'each mutation is tried');

my $quicker = (grep { defined AtidTest::Oracles::find_program($_) } qw(clang cc))[0];

# Makes a checker and runs it; returns the result as a hash.
sub check
{
	my ($options) = @_;
	my $folder = PostgreSQL::Test::Utils::tempdir('model');

	# Small models take longer to compile than to run, so they are compiled by clang, which is quicker; and they
	# need few slots for states.
	my ($compiler, $options_c, $options_run) = $ENV{ATID_FULL} ? ('cc', '-O2 -DCOLLAPSE -DMEMLIM=8000', '')
	  : ($quicker, '-O0 -DMEMLIM=1000', '-w20');
	my @spin   = ('spin', '-a', split(/ /, $options), $model);
	my $script = <<"SH";
cd '$folder' && @spin >log 2>&1 &&
\${CC:-$compiler} $options_c -w -DSAFETY -o pan pan.c >>log 2>&1 &&
./pan -m1000000 $options_run >>log 2>&1
cat log
SH
	my $out = qx{$script};
	my ($states) = $out =~ /([\d.e+]+) states, stored/;
	my ($errors) = $out =~ /errors: (\d+)/;
	return {
		out    => $out,
		states => $states // 'no',
		holds  => defined $errors && $errors == 0 && $out !~ /search depth too small|out of memory|not completed/ || 0,
		broken => $out =~ /assertion violated/ || 0
	};
}

# Two at a time: a child runs its half, and reports its results in a file.
sub in_parallel
{
	my @runs  = @_;
	my $files = PostgreSQL::Test::Utils::tempdir('results');
	my @children;
	foreach my $half (0, 1)
	{
		my $pid = fork;
		die "fork: $!" unless defined $pid;
		push @children, $pid;
		next if $pid;
		foreach my $i (grep { $_ % 2 == $half } 0 .. $#runs)
		{
			my $result = check($runs[$i]);
			append_to_file("$files/$i", join "\n", @$result{qw(states holds broken out)});
		}
		require POSIX;
		POSIX::_exit(0);
	}
	waitpid $_, 0 foreach @children;
	return map {
		my %result;
		@result{qw(states holds broken out)} = split /\n/, slurp_file("$files/$_"), 4;
		\%result
	} 0 .. $#runs;
}

my @results = in_parallel((map { $_->[1] } @holds), map { "$_->[1] -DMUTATION=$_->[0]" } @breaks);

foreach my $case (@holds)
{
	my ($name, $options) = @$case;
	my $result = shift @results;
	ok($result->{holds}, "$name: holds, in $result->{states} states")
	  or diag("$options\n$result->{out}");
}
foreach my $case (@breaks)
{
	my ($name, $options) = @$case;
	my $result = shift @results;
	ok($result->{broken}, "$name: is found") or diag("$options\n$result->{out}");
}

done_testing();
