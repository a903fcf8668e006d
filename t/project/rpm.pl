# The spec file for RPM: rpmbuild makes packages of both extensions from the bundle of `make dist`.
#
# Shows that the spec's list of files is complete, that each package has its library, control file and scripts, and that
# atid's has the chapters. Debian's rpm does not know dependencies by Fedora's names, so they are not resolved here.
#
# Skipped where rpmbuild or zip is not installed; script/test --full installs them.
#
# Tags: medium full

use strict;
use warnings FATAL => 'all';

use Cwd qw(abs_path);
use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Oracles;
use JSON::PP;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'the packages are built with script/test --full' unless $ENV{ATID_FULL};
foreach my $program (qw(rpmbuild rpm zip))
{
	plan skip_all => "$program is not installed" unless AtidTest::Oracles::find_program($program);
}

# The options of the make that runs this test must not reach those that the test runs.
delete @ENV{qw(MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL)};

my $source    = abs_path("$FindBin::Bin/../..");
my $work      = abs_path(PostgreSQL::Test::Utils::tempdir('rpm'));
my $version   = decode_json(slurp_file("$source/META.json"))->{version};
my $pg_config = AtidTest::Oracles::find_program('pg_config');

sub said
{
	my (@command) = @_;
	my $said = '';
	my $well = IPC::Run::run(\@command, '<', \undef, '>&', \$said, init => sub { chdir "$work/atid" or die $! },
		IPC::Run::timeout($AtidTest::work_limit));
	return ($well, $said);
}

system_or_bail("mkdir $work/atid && tar -C $source --exclude=./.git --exclude=./tmp_check -cf - . | tar -C $work/atid -xf -");
my ($well, $said) = said('make', "PG_CONFIG=$pg_config", 'clean', 'dist');
ok($well, 'make dist makes a bundle') or diag($said);
($well, $said) = said('rpmbuild', '-bb', '--nodeps', '--define', "_sourcedir $work/atid", '--define', "_topdir $work/top",
	'--define', "_tmppath $work", '--define', "pg_config $pg_config", 'packaging/rpm/atid.spec');
ok($well, 'rpmbuild') or diag($said);

my %package = map { (m{/postgresql-(.*)-\Q$version\E-} ? $1 : $_) => $_ } glob "$work/top/RPMS/*/*.rpm";
is_deeply([ sort keys %package ], [ 'atid', 'atid-crypto' ], 'a package for each extension');
my %control = ('atid' => "$source/atid.control", 'atid-crypto' => "$source/crypto/atid_crypto.control");
foreach my $name (sort keys %control)
{
	my @files = split /\n/, (said('rpm', '--dbpath', "$work/db", '-qlp', $package{$name}))[1];
	my ($extension) = $control{$name} =~ m{(\w+)\.control$};
	my @scripts = map { s{.*/}{}r } glob $control{$name} =~ s/\.control$/--*.sql/r;
	my @chapters = $name eq 'atid' ? map { s{.*/}{}r } glob "$source/doc/*.md" : ();
	foreach my $file ("$extension.so", "$extension.control", @scripts, @chapters)
	{
		is(scalar(grep { m{/\Q$file\E$} } @files), 1, "$name has $file") unless $file eq 'README.md';
	}
}

done_testing();
