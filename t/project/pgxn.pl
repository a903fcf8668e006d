# The PGXN bundle: `make dist` creates it from the work tree, and PGXN's own client builds, installs
# and checks it.
#
# Skipped where pgxnclient is not installed; script/test --full installs it.
#
# Tags: medium full

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Oracles;
use File::Path qw(make_path);
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'the bundle is tried with script/test --full' unless $ENV{ATID_FULL};
foreach my $program (qw(pgxn zip unzip))
{
	plan skip_all => "$program is not installed" unless AtidTest::Oracles::find_program($program);
}

# The options of the make that runs this test must not reach those that the test runs.
delete @ENV{qw(MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL)};

my $source = "$FindBin::Bin/../..";
my $work   = PostgreSQL::Test::Utils::tempdir('pgxn');
my $meta   = decode_json(slurp_file("$source/META.json"));
my $bundle = "$work/atid-$meta->{version}.zip";

sub run_in
{
	my ($folder, @command) = @_;
	my $said = '';
	my $well = IPC::Run::run(\@command, '<', \undef, '>&', \$said, init => sub { chdir $folder or die $! },
		IPC::Run::timeout($AtidTest::work_limit));
	return ($well, $said);
}

# The fields that PGXN requires, and the metadata of each provided extension.
foreach my $field (qw(name abstract version maintainer license provides meta-spec description tags prereqs))
{
	ok($meta->{$field}, "META.json has $field");
}
foreach my $extension (sort keys %{ $meta->{provides} })
{
	my $provided = $meta->{provides}{$extension};
	ok(-e "$source/$provided->{$_}", "$extension: $provided->{$_} is there") foreach qw(file docfile);
}

system_or_bail("mkdir $work/source && tar -C $source --exclude=./tmp_check -cf - . | tar -C $work/source -xf -");
my ($well, $said) = run_in("$work/source", 'make', 'clean', 'dist');
ok($well, 'make dist makes a bundle') or diag($said);
system_or_bail('mv', "$work/source/atid-$meta->{version}.zip", $bundle);

# The client demands a writable library folder, but does not write to it.
my $pg_config = AtidTest::Oracles::find_program('pg_config');
my $folder    = qx($pg_config --libdir);
chomp $folder;
make_path($folder);
($well, $said) = run_in($work, 'pgxn', 'install', '--yes', '--nosudo', "--pg_config=$pg_config", $bundle);
ok($well, 'pgxn install') or diag($said);

# The whole suite is the one running now; two of its files represent the rest.
my $node = new_node('pgxn');
new_database($node, 'contrib_regression');
local @ENV{qw(PGHOST PGPORT PGUSER PGDATABASE)} =
  ($node->host, $node->port, scalar getpwuid($>), 'postgres');
local $ENV{ATID_FULL};
local $ENV{PROVE_TESTS} = 't/types/tid_binary.pl t/project/docs.pl';
($well, $said) = run_in($work, 'pgxn', 'check', '--yes', "--pg_config=$pg_config", '-d', 'contrib_regression', $bundle);
ok($well, 'pgxn check') or diag($said, -e "$work/regression.diffs" ? slurp_file("$work/regression.diffs") : '');

$node->stop;
done_testing();
