# The code of the program: prettier has formatted it, eslint finds nothing in it, and tsc accepts the types in its
# comments. (Each of them finds a planted fault.)
#
# The packages are those of indexer/t/style, which only this test installs, and those of indexer/ for the types.
# `npm run check` in indexer/ does the same.
#
# Tags: medium node

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest::Oracles;
use Encode qw(decode);
use File::Copy;
use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

my ($oracles, $why) = AtidTest::Oracles->new;
plan skip_all => $why unless defined $oracles;
(my $node, $why) = AtidTest::Oracles::node22();
plan skip_all => $why unless defined $node;
(my $packages, $why) = AtidTest::Oracles::packages('style', "$FindBin::Bin/style");
plan skip_all => $why unless defined $packages;
(my $own, $why) = AtidTest::Oracles::packages('indexer', "$FindBin::Bin/..");
plan skip_all => $why unless defined $own;

my $root   = "$FindBin::Bin/..";
my $folder = "$oracles->{folder}/indexer";
mkdir $_ or die "$_: $!" foreach $folder, "$folder/t", "$folder/t/style";
system('cp', '-R', (map { "$root/$_" } qw(bin src test bundle.js package.json tsconfig.json .prettierrc.json .prettierignore)), $folder) == 0
  or die 'could not copy the program';
copy("$root/t/style/eslint.config.js", "$folder/t/style") or die "eslint.config.js: $!";
symlink $packages, "$folder/t/style/node_modules" or die "node_modules: $!";
symlink $own, "$folder/node_modules" or die "node_modules: $!";

my %check = (
	prettier => [ 'prettier/bin/prettier.cjs', '--no-color', '--check', '{bin,src,test}/**/*.js', 'bundle.js' ],
	eslint   => [ 'eslint/bin/eslint.js', '-c', 't/style/eslint.config.js', '--no-color', 'bundle.js', 'bin', 'src', 'test' ],
	tsc      => [ 'typescript/bin/tsc', '--pretty', 'false' ]);

# prettier leaves comments and texts as they are.
my @wide;
foreach my $path (glob "$folder/{bin,src/*}/*.js")
{
	my $line = 0;
	push @wide, map { $line++; length > 100 ? "$path:$line" : () } split /\n/, decode('UTF-8', slurp_file($path));
}
is(join("\n", @wide), '', 'no line has more than 100 columns');

# One run of each shows both: it must find the planted fault, and nothing else.
append_to_file("$folder/src/ops/fault.js", "const unused   = /** \@type {number} */ (1);\n/** \@type {string} */\nexport const text = 1;\n");
my %finds = (
	prettier => qr/\A(?:Checking formatting\.\.\.\n)?\[warn\] src\/ops\/fault\.js\n\[warn\] Code style issues found in the above file\..*\n\z/,
	eslint   => qr/\A\n\S+\/src\/ops\/fault\.js\n\s+1:7\s+error\s+'unused' is assigned a value but never used.*\n\n\S+ 1 problem .*\n+\z/,
	tsc      => qr/\Asrc\/ops\/fault\.js\(3,14\): error TS2322: .*\n\z/);

foreach my $name (sort keys %check)
{
	my ($program, @arguments) = @{ $check{$name} };
	my $said = '';
	IPC::Run::run([ $node, "$packages/$program", @arguments ], '<', \undef, '>&', \$said, init => sub { chdir $folder or die "$folder: $!" },
		IPC::Run::timeout($AtidTest::work_limit));
	isnt($?, 0, "$name ends with an error");
	like($said, $finds{$name}, "$name finds the fault that is planted, and no other");
}
done_testing();
