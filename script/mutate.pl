# The part of script/mutate that runs inside its copy of the tree: "cover" prints which test runs which lines (test,
# seconds, file, numbers); "try" plants the faults. A test is called unit/NAME, regress/NAME, crypto/regress/NAME or by
# its path.

use strict;
use warnings FATAL => 'all';

use Cwd qw(abs_path);
use File::Basename;
use File::Find;
use File::Path qw(make_path remove_tree);
use POSIX ();
use Time::HiRes qw(time);

$| = 1;
my $src  = abs_path(dirname(dirname(__FILE__)));
my $work = $ENV{MUTATE_WORK};
my $log  = "$work/tmp/mutate.log";
my ($bin, $library, $pgxs) = map { chomp; $_ } map { scalar `$ENV{ATID_PG_CONFIG} --$_` } qw(bindir pkglibdir pgxs);
my $support = dirname(dirname($pgxs)) . '/test';
my $make    = "make -s PG_CONFIG=$ENV{ATID_PG_CONFIG} with_llvm=no COPT='-g0 -Werror'";
chdir $src or die "could not enter $src: $!";
$ENV{PATH} = "$bin:$ENV{PATH}";

# Runs a shell command; returns true if it succeeded in time.
sub run
{
	my ($command, $seconds) = @_;
	return !system 'timeout', '-k', 10, $seconds, 'sh', '-c', "exec </dev/null >>$log 2>&1; $command";
}

# Restarts the server of the regression tests. A fault that allocates memory without end must not exhaust the
# machine's.
sub restart
{
	my ($mode, $environment) = @_;
	run("ulimit -v 6000000; $environment pg_ctl -D $work/data -l $log -m $mode -w -s restart", 60)
	  or die "could not start the server; see $log";
	return;
}

sub run_test
{
	my ($test, $seconds, $environment) = @_;
	my $folder = "$work/tmp/" . ($test =~ s{/}{-}gr);
	my $name   = basename($test);
	my ($input, $more) = $test =~ /^crypto/ ? ('crypto', '--load-extension=atid_crypto') : ('.', '');
	my $command =
		$test =~ /^unit/ ? "ASAN_OPTIONS=hard_rss_limit_mb=4000 exec t/unit/bin/$name"
	  : $test =~ /regress/ ? "exec $support/regress/pg_regress --inputdir=$input --outputdir=$folder --bindir=$bin --host=$work "
	  . "--port=5432 --user=postgres --dbname=contrib_regression --load-extension=atid $more --encoding=UTF8 --no-locale $name"
	  : "TESTDIR=$folder TESTDATADIR=$folder/data TESTLOGDIR=$folder/log PGPORT=65432 top_builddir=. "
	  . "PG_REGRESS=$support/regress/pg_regress PERL5LIB=$support/perl:$src/t/lib exec prove $test";
	make_path($folder);
	my $okay = run("export $environment; $command", $seconds);
	my @left;    # by a test that was cut off
	find(sub { push @left, $File::Find::dir if $_ eq 'postmaster.pid' }, $folder);
	run("pg_ctl -D '$_' -m immediate -w -s stop", 30) foreach @left;
	remove_tree($folder);
	return $okay;
}

# Reports the lines that a test has run; its counts are below $folder.
sub tell_lines
{
	my ($test, $took, $folder) = @_;
	my (%counts, %lines, $path);
	find(
		sub {
			return unless /\.gcda$/;
			my $there = $File::Find::dir =~ s/^\Q$folder\E//r;
			my $notes = s/gcda$/gcno/r;
			symlink "$there/$notes", $notes;
			push @{ $counts{ $there =~ m{^\Q$src\E/crypto} ? 'crypto/' : '' } }, $File::Find::name;
		},
		$folder) if -d $folder;
	foreach my $in (keys %counts)
	{
		open my $gcov, '-|', "cd ./$in && gcov -t @{$counts{$in}} 2>/dev/null" or die;
		while (<$gcov>)
		{
			$path = "$in$1" =~ s{/(?:\./)+}{/}r =~ s{^\./|^crypto/\.\./}{}gr if /^ *-: +0:Source:(.*)/;
			$lines{$path}{$2} = 1 if /^ *(\d+)\*?: *(\d+):/ && $1;
		}
		close $gcov;
	}
	my @paths = grep { m{^(?!/|.*unit/).*\.c$} } keys %lines;
	syswrite STDOUT, join '',
	  map { sprintf "%s\t%.1f\t%s\t%s\n", $test, $took, $_, join ',', sort { $a <=> $b } keys %{ $lines{$_} } } @paths;
	remove_tree($folder);
	return;
}

sub cover_test
{
	my ($test) = @_;
	my $folder = "$work/tmp/counts-" . ($test =~ s{/}{-}gr);
	restart('fast', "GCOV_PREFIX=$folder") if $test =~ /regress/;
	my $began = time;
	my $okay  = run_test($test, 300, "GCOV_PREFIX=$folder");
	my $took  = time - $began;
	restart('fast', '') if $test =~ /regress/;
	$okay ? tell_lines($test, $took, $folder) : warn "$test fails without a fault, and is left out\n";
	return;
}

sub cover
{
	my ($no_tap) = @_;
	my $list    = q(--eval='list:;@echo $(REGRESS)' list);
	my $running = 0;
	cover_test($_) foreach map { s{^t/unit/bin/}{unit/}r } grep { -f && -x } glob 't/unit/bin/*';
	cover_test($_) foreach map { "regress/$_" } split ' ', `$make $list`;
	cover_test($_) foreach map { "crypto/regress/$_" } split ' ', `$make -C crypto $list`;
	foreach my $test ($no_tap ? () : split ' ', `script/test-files`)
	{
		$running-- if $running >= 2 && wait > 0;
		$running++;
		next if fork;
		cover_test($test);
		POSIX::_exit(0);
	}
	1 while wait > 0;
	return;
}

my %instead = qw(< <= <= < > >= >= > == != != == && || || && + - - + * + / * % / << >> >> << & | | & ++ -- -- ++
  += -= -= += |= &= &= |= true false false true);
$instead{'!'} = '';

my $balanced = qr/(?<b>(?:[^()]|\((?&b)\))*)/;

# All faults of a line of code in which strings and comments are blank: the position, the length removed, and the
# replacement.
sub faults
{
	my ($code) = @_;
	my @faults;
	return if $code =~ /\b(?:elog|Assert|StaticAssert\w*|pfree)\b|^\s*(?:#|\*|case\b|default\b)/;
	while ($code =~ m{(->|<<=|>>=|[<>=!+|&-]=|&&|\|\||<<|>>|\+\+|--|!)|(?<= )([-+*/%&|<>])(?= )|\b(true|false)\b}g)
	{
		my $old = $1 // $2 // $3;
		push @faults, [ pos($code) - length $old, length $old, $instead{$old} ] if exists $instead{$old};
	}
	while ($code =~ /(?<![\w.])(\d+)(?![\w.])/g)
	{
		push @faults, map { [ pos($code) - length $1, length $1, $1 + $_ ] } -1, 1;
	}
	push @faults, map { [ length $1, length $2, $_ ] } "!($2)", 'false'
	  if $code =~ /^(\s*(?:else )?(?:if|while) \()($balanced)\)\s*$/;
	push @faults, map { [ length $1, length $2, $_ ] } "!($2)", '0'
	  if $code =~ /^(\s*return )(?!(?:true|false|NULL|!.*|\d+);)([^;]+);\s*$/;
	push @faults, [ length $1, length $2, ';' ]
	  if $code =~ /^(\s+)(?!(?:return|goto|do|else)\b|(?:const |static |struct |enum )?\w+ \**\w+(?: =|;|\[))([\w(*]$balanced;)\s*$/;
	return @faults;
}

sub slurp
{
	open my $in, '<', $_[0] or die "could not read $_[0]: $!";
	local $/;
	return scalar <$in>;
}

sub spew
{
	open my $out, '>', $_[0] or die "could not write $_[0]: $!";
	print $out $_[1];
	close $out or die;
	return;
}

# Builds and installs the libraries; returns false if they do not compile, or compile to the same code.
my %base;

sub build
{
	my $differ = 0;
	run("$make atid.so && $make -C crypto atid_crypto.so", 300) or return;
	foreach my $file ('atid.so', 'crypto/atid_crypto.so')
	{
		my $code = slurp($file);
		my $to   = "$library/" . basename($file);
		$differ = 1 if $code ne ($base{$file} //= $code);
		run("cp $file $to.new && mv $to.new $to", 60) or die;    # a running server has the old one mapped
	}
	return $differ;
}

# The first test that detects the fault.
sub seen_by
{
	my ($path, @tests) = @_;
	my $stem = basename($path, '.c');
	my $rank = sub { $_[0] =~ /^unit/ ? 0 : $_[0] =~ m{/\Q$stem\E$} ? 1 : $_[0] =~ /regress/ ? 2 : 3 };
	foreach my $test (sort { $rank->($a->{name}) <=> $rank->($b->{name}) || $a->{took} <=> $b->{took} } @tests)
	{
		my ($name, $limit, $began) = ($test->{name}, 20 + 8 * $test->{took}, time);
		return "the compiler, for $name" if $name =~ /^unit\/(.*)/ && !run("$make t/unit/bin/$1", 300);
		my $okay = run_test($name, $limit, '');
		my $cut  = time - $began >= $limit ? ' (cut)' : '';
		$okay = run_test($name, $limit, '') if !$okay && $name =~ /^t\//;
		# leftovers of a fault in the server, also in the generator's shared memory
		restart('immediate', '') if $name =~ /regress/ && (!$okay || $path =~ /generator/);
		return "$name$cut" unless $okay;
	}
	return;
}

sub try
{
	my ($count, $seed, $only, $no_tap, @wanted) = @_;
	my %only = map { $_ => 1 } split /,/, $only;
	my $in   = join '|', map { $_ eq '.' ? '' : quotemeta(s{/*$}{}r) . '(?:/|$)' } @wanted;
	my (%runs, @lines, %done, %sum, @survived);
	foreach (split /\n/, slurp("$work/runs"))
	{
		my ($name, $took, $path, $numbers) = split /\t/;
		next if $no_tap && $name =~ /^t\//;
		push @{ $runs{$path}{$_} }, { name => $name, took => $took } foreach split /,/, $numbers;
	}
	foreach my $path (grep { -e && m{^(?:$in)} } sort keys %runs)
	{
		my $code = slurp($path) =~ s{("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|/\*.*?\*/)}{$1 =~ s/[^\n]/ /gr}gesr;
		my @code = ('', split /\n/, $code);
		my $last;
		foreach my $n (1 .. $#code)
		{
			undef $last if $code[$n] =~ /^\S/;
			next        if $code[$n] !~ /^\s+\S/;
			$last = $n  if $runs{$path}{$n};
			# the further lines of a statement have no counts of their own
			next unless $runs{$path}{$n} || $last && $code[ $n - 1 ] =~ /[^;{}:\s]\s*$/;
			my @faults = faults($code[$n]) or next;
			push @lines, { path => $path, n => $n, tests => $runs{$path}{$last}, faults => \@faults };
		}
	}
	die "no test runs any of the selected lines\n" unless @lines;
	print "seed $seed, ", scalar(@lines), " lines\n";
	srand $seed;
	build();
	%base or die "could not build the libraries; see $log\n";
	restart('fast', '');

	my ($drawn, $valid) = (0, 0);
	while ($valid < $count && $drawn < 20 * $count)
	{
		my $line = $lines[ int rand @lines ];
		my ($path, $n, $faults) = @$line{qw(path n faults)};
		my ($at, $length, $new) = @{ $faults->[ int rand @$faults ] };
		$drawn++;
		next if $done{"$path $n $at $new"}++ || %only && !$only{$drawn};
		my $whole = slurp($path);
		my @text  = split /\n/, $whole, -1;
		my $old   = $text[ $n - 1 ];
		substr($text[ $n - 1 ], $at, $length) = $new;
		spew($path, join "\n", @text);
		if (build())
		{
			my $by     = seen_by($path, @{ $line->{tests} });
			my $change = "$old -> $text[$n - 1]" =~ s/\s+/ /gr;
			$valid++;
			$sum{ !defined $by ? 'survived' : $by =~ /^t\// ? 'TAP' : $by =~ /regress/ ? 'regression' : 'unit' }++;
			push @survived, "$drawn: $path:$n:$change\n" unless defined $by;
			printf "%d: %s:%d: %s:%s\n", $drawn, $path, $n, $by // 'SURVIVED', $change;
		}
		spew($path, $whole);
	}
	print "\nsurvivors:\n", @survived, "$drawn drawn, $valid changed the machine code", (map { ", $_ $sum{$_}" } sort keys %sum), "\n";
	return;
}

my $what = shift @ARGV;
$what eq 'cover' ? cover(@ARGV) : try(@ARGV);
