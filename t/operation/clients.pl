# Clients: one program for each in t/operation/drivers; their output is the table of doc/clients.md.
#
# Every program has the same steps (t/operation/drivers/README.md). Shows that
# - in each client, all steps succeed except for those that the chapter's table lists as failures;
# - the table's rows are what the programs printed;
# - each recipe of the chapter works verbatim: the programs include its text, and no recipe is left out;
# - each recipe is needed: the step fails, or gives a string, without it;
# - alembic finds what a table of atid's types needs with the recipes, and not without them;
# - PostGraphile serves the typed views of indexer/sql/views.sql to a role that can read only them: in one statement
#   that uses the indexes, with the contents of the records;
# - the chapter's keys work in migrations of ActiveRecord, whose schema.rb keeps those of version 7 and not atid's
#   types, of Django, of Drizzle and of Prisma's schema engine, which find no difference afterwards;
# - the package of packaging/npm reads and writes all types, and its declarations document them.
#
# A client that is not installed is skipped, with the reason. `script/test --full` installs all of them and sets
# ATID_FULL; without it nothing is run, because the packages of npm take 400 MB.
#
# Tags: minutes full node

use strict;
use warnings FATAL => 'all';

use File::Copy;
use File::Path qw(make_path);
use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Oracles;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'the clients run with script/test --full' unless $ENV{ATID_FULL};

my $here = "$FindBin::Bin/drivers";
my $work = PostgreSQL::Test::Utils::tempdir('drivers');
my $GO    = '/usr/share/gocode';
my $CRATES = '/usr/share/cargo/registry';

system_or_bail('cp', '-r', "$here/.", $work);

# Runs a command in a folder: returns whether it succeeded, and its output.
sub try_command
{
	my ($folder, @command) = @_;
	my $said = '';
	my $well = eval {
		IPC::Run::run(\@command, '<', \undef, '>&', \$said,
			init => sub { chdir $folder or die "$folder: $!" }, IPC::Run::timeout($AtidTest::work_limit));
	};
	return ($well, $said . ($@ || ''));
}

# The chapter's recipes, by section and client.
my %recipe;

# Whether the packages of a language are available: undef, or the reason. Determined once.
my %missing;

sub missing
{
	my ($name, @command) = @_;
	$missing{$name} //= (try_command($work, @command))[0] ? '' : "$name is not installed";
	return $missing{$name} || undef;
}

sub no_npm
{
	my $folder = "$work/node";
	foreach my $program (qw(node npm))
	{
		return "$program is not in the PATH" unless AtidTest::Oracles::find_program($program);
	}
	return $missing{npm} || undef if defined $missing{npm};
	local $ENV{npm_config_cache} = "$work/cache";
	my ($well, $said) = try_command($folder, 'npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund');
	$missing{npm} = $well ? '' : 'npm ci failed: ' . (($said =~ /^npm error (.*)/m)[0] // substr($said, -200));
	install_package($folder) if $well;
	return $missing{npm} || undef;
}

# The package of packaging/npm, by the chapter's command.
sub install_package
{
	my ($folder) = @_;
	my ($command) = $recipe{'A package for TypeScript'} =~ /^(npm install .*)/ or die 'no npm install';
	$command =~ s{\.\./atid\b}{$FindBin::Bin/../..};
	$command .= ' --no-save --ignore-scripts --no-audit --no-fund --prefer-offline';
	my ($well, $said) = try_command($folder, split / /, $command);
	die "$command failed: $said" unless $well;
	return;
}

sub no_python
{
	my ($module) = @_;
	return missing("Python's $module", '/usr/bin/python3', '-c', "import $module");
}

sub no_alembic
{
	return (grep { defined } map { no_python($_) } qw(sqlalchemy psycopg2 alembic))[0];
}

# Debian's Go packages are found through GOPATH.
sub no_go
{
	my ($program, $import) = @_;
	return "Go's $import is not installed" unless -d "$GO/src/$import";
	return 'go is not in the PATH' unless -x '/usr/bin/go';
	make_path("$work/gopath/src/atid");
	symlink "$work/go", "$work/gopath/src/atid/scenario";
	local @ENV{qw(GO111MODULE GOPATH GOCACHE)} = ('off', "$work/gopath:$GO", "$work/gocache");
	my ($well, $said) =
	  try_command($work, '/usr/bin/go', 'build', '-o', "$work/go-$program", "atid/scenario/$program");
	die "go build failed: $said" unless $well;
	return;
}

sub no_java
{
	return 'the JDBC driver is not installed' unless -e '/usr/share/java/postgresql.jar';
	return 'javac is not in the PATH' unless AtidTest::Oracles::find_program('javac');
	my ($well, $said) = try_command("$work/java", 'javac', '-cp', '/usr/share/java/postgresql.jar', 'Jdbc.java');
	die "javac failed: $said" unless $well;
	return;
}

sub no_rust
{
	return "Debian's crates of tokio-postgres are not installed"
	  unless glob "$CRATES/tokio-postgres-*";
	return 'cargo is not installed' unless -x '/usr/bin/cargo';
	local @ENV{qw(CARGO_HOME CARGO_PROFILE_DEV_DEBUG)} = ("$work/cargo", 0);
	my ($well, $said) = try_command("$work/rust", '/usr/bin/cargo', 'build', '--offline', '--quiet');
	return 'the crates do not build here: ' . substr($said, 0, 200) unless $well;
	return;
}

sub npm
{
	my ($program) = @_;
	return { folder => 'node', unless => \&no_npm, run => [ 'node', "$program.js" ] };
}

sub python
{
	my ($module) = @_;
	return {
		folder => 'python',
		unless => sub { no_python($module) },
		run    => [ '/usr/bin/python3', "${module}_client.py" ]
	};
}

sub go_program
{
	my ($program, $import) = @_;
	return { folder => 'go', unless => sub { no_go($program, $import) }, run => ["$work/go-$program"] };
}

sub java
{
	return {
		folder => 'java',
		unless => \&no_java,
		run    => [ 'java', '-cp', '/usr/share/java/postgresql.jar:.', 'Jdbc' ]
	};
}

# In the order of the chapter's table.
my @clients = (
	[ 'node-postgres'         => npm('pg') ],
	[ 'Postgres.js'           => npm('postgres') ],
	[ 'Drizzle'               => npm('drizzle') ],
	[ 'Kysely'                => npm('kysely') ],
	[ 'Knex'                  => npm('knex') ],
	[ 'Sequelize'             => npm('sequelize') ],
	[ 'TypeORM'               => npm('typeorm') ],
	[ 'Prisma'                => npm('prisma') ],
	[ 'MikroORM'              => npm('mikroorm') ],
	[ 'psycopg2'              => python('psycopg2') ],
	[ 'psycopg 3'             => python('psycopg') ],
	[ 'asyncpg'               => python('asyncpg') ],
	[ 'SQLAlchemy'            => python('sqlalchemy') ],
	[ 'Django'                => python('django') ],
	[ 'lib/pq (Go)'           => go_program('libpq', 'github.com/lib/pq') ],
	[ 'pgx (Go)'              => go_program('pgx', 'github.com/jackc/pgx/v4') ],
	[ 'JDBC'                  => java() ],
	[ 'DBD::Pg (Perl)'        => {
		folder => 'perl',
		unless => sub { missing('DBD::Pg', 'perl', '-MDBD::Pg', '-e1') },
		run    => [ 'perl', 'dbd_pg.pl' ] } ],
	[ 'pg (Ruby)'             => {
		folder => 'ruby',
		unless => sub { missing("Ruby's pg", 'ruby', '-rpg', '-e1') },
		run    => [ 'ruby', 'pg.rb' ] } ],
	[ 'PDO (PHP)'             => {
		folder => 'php',
		unless => sub { missing("PHP's pdo_pgsql", 'php', '-r', 'exit(extension_loaded("pdo_pgsql") ? 0 : 1);') },
		run    => [ 'php', 'pdo.php' ] } ],
	[ 'tokio-postgres (Rust)' => {
		folder => 'rust',
		unless => \&no_rust,
		run    => ["$work/rust/target/debug/tokio_postgres_client"] } ]);

# The columns of the table, each with the step that fills it; the other steps must be ok.
my @columns = ('tid', 'tid[]', 'parameter', 'any', 'copy');
my @rest = ('any, cast', 'tid[] as text[]', 'values', 'check');

sub cell
{
	my ($result) = @_;
	return '-' unless defined $result;
	return $result =~ /^error (\w{5})$/ ? "refused ($1)" : $result =~ /^error/ ? 'refused by the client' : $result;
}

sub row_of
{
	my ($steps) = @_;
	return join(' | ', map { cell($steps->{$_}) } @columns);
}

# The contents of the chapter: its table, and its recipes by section and client.
my $chapter = slurp_file("$FindBin::Bin/../../doc/clients.md");
my %told;
while ($chapter =~ /^(.*?) \| (.*)$/mg)
{
	$told{$_} = $2 foreach split /, /, $1;
}
my ($section, $client);
foreach my $part (split /^(```\w*\n.*?^```\n)/ms, $chapter)
{
	if ($part =~ /^```(\w*)\n(.*)^```/ms)
	{
		$recipe{ join ': ', grep { length } $section, $client } .= $2 if $1 !~ /^(sql)?$/;
		next;
	}
	foreach my $paragraph (split /\n\n+/, $part)
	{
		($section, $client) = ($1, '') if $paragraph =~ /^\n*#+ (.*)/;
		$client = $1 // $2 if $paragraph =~ /^\n*(?:\*\*(.*?)\.?\*\*|(\w[\w ]*)(?:, .*)?:$)/;
	}
}

# The files that programs include: the text before the recipes, and the recipes.
my ($arrays, $column, $keys) = ('Arrays', "ORMs: the column's type", 'Keys in an ORM');
my %include = (
	'python/recipe_psycopg2.py'        => [ '', "$arrays: psycopg2" ],
	'python/recipe_psycopg.py'         => [ '', "$arrays: psycopg 3" ],
	'ruby/recipe_pg.rb'                => [ '', "$arrays: Ruby" ],
	'node/recipe_sequelize.js'         => [
		"import { DataTypes } from 'sequelize'\nexport ", "$column: Sequelize" ],
	'node/recipe_mikroorm.js'          => [
		"import { EntitySchema } from '\@mikro-orm/postgresql'\n", "$column: Any other ORM" ],
	'python/recipe_sqlalchemy.py'      => [ '', "$column: SQLAlchemy" ],
	'python/recipe_django.py'          => [ '', "$column: Django" ],
	'ruby/migration.rb'                => [ '', "$keys: Rails" ],
	'python/recipe.py'                 => [
		"from django.db import models\nfrom django.db.models import Func\n\n\n",
		"$column: Django", "$keys: Django" ],
	'python/recipe_sqlalchemy_keys.py' => [ '', "$keys: SQLAlchemy" ],
	'node/recipe_drizzle.js'           => [ '', "$keys: Drizzle" ],
	'node/recipe.prisma'               => [ '', "$keys: Prisma" ]);
my $by_hand = 'Elixir and .NET: Elixir';
my %included = map { $_ => 1 } $by_hand, 'A package for TypeScript', map { @$_[ 1 .. $#$_ ] } values %include;
is_deeply([ sort keys %included ], [ sort keys %recipe ], 'programs include all recipes of the chapter but Elixir\'s');
foreach my $file (keys %include)
{
	my ($head, @names) = @{ $include{$file} };
	die "$file lacks a recipe" if grep { !defined $recipe{$_} } @names;
	append_to_file("$work/$file", $head . join "\n\n", @recipe{@names});
}

my $node = new_node('drivers', ready => 1, conf => "listen_addresses = '127.0.0.1'");
my $scenario = slurp_file("$here/scenario.sql");
local @ENV{qw(PGHOST PGPORT PGUSER)} = ($node->host, $node->port, scalar getpwuid($>));
my $ran = 0;

foreach my $client (@clients)
{
	my ($name, $how) = @$client;
  SKIP:
	{
		my $why = $how->{unless}->();
		skip "$name: $why", 1 if defined $why;

		my $db = new_database($node, 'client' . ++$ran);
		$node->safe_psql($db, $scenario);
		local $ENV{PGDATABASE} = $db;
		my ($well, $said) = try_command("$work/$how->{folder}", @{ $how->{run} });
		my %steps = map { split /\t/, $_, 2 } grep { /\t/ } split /\n/, $said;

		ok($well, "$name: the program ran to its end") or diag($said);
		foreach my $step (grep { $_ ne 'check' } @rest)
		{
			next unless exists $steps{$step} || $step ne 'any, cast';
			is($steps{$step}, 'ok', "$name: $step") or diag($said);
		}
		is($steps{check}, '23514 rkey_characters', "$name: the check is named");
		foreach my $step (sort keys %steps)
		{
			next if grep { $_ eq $step } @columns, @rest;
			next if $step eq 'paging' && $steps{parameter} ne 'ok';
			like($steps{$step}, qr/^(ok$|list|Array)/, "$name: $step");
		}
		is($told{$name}, row_of(\%steps), "$name: the row of the chapter's table");
		note(row_of(\%steps));
	}
}

# The package: its steps, and its declarations.
SKIP:
{
	my $why = no_npm();
	skip "the package: $why", 1 if defined $why;

	local $ENV{PGDATABASE} = new_database($node, 'package');
	my ($well, $said) = try_command("$work/node", 'node', 'package_atid.js');
	ok($well, 'the package: the program ran to its end') or diag($said);
	my @steps = ('names', 'pg', 'postgres', 'kysely', 'drizzle', 'drizzle-kit pull', 'drizzle-kit generate',
		'drizzle-kit push');
	is(join("\n", grep { /\t/ } split /\n/, $said), join("\n", map { "$_\tok" } @steps), 'the package: its steps');
	($well, $said) = try_command("$work/node", 'node', 'node_modules/typescript/bin/tsc', '--noEmit', '--strict', '--skipLibCheck',
		'--module', 'nodenext', '--moduleResolution', 'nodenext', '--target', 'es2022', 'package_atid.ts');
	ok($well, 'the package: its declarations') or diag($said);
}

# PostGraphile, over the demo's records
SKIP:
{
	my $why = no_npm();
	skip "PostGraphile: $why", 1 if defined $why;

	$node->safe_psql('postgres', 'CREATE DATABASE graphql');
	local $ENV{PGDATABASE} = 'graphql';
	my ($well, $said) = try_command("$FindBin::Bin/../..", 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', 't/operation/drivers/views.sql');
	ok($well, 'PostGraphile: views are made') or diag($said);
	($well, $said) = try_command("$work/node", 'node', 'postgraphile.js', "$FindBin::Bin/../../demo/records.jsonl");
	ok($well, 'PostGraphile: the program ran to its end') or diag($said);
	my @steps = ('a timeline', 'in one statement', 'by the indexes', 'pages', 'likes', 'follows and profiles',
		"a Lexicon of one's own", 'the source');
	is(join("\n", grep { /\t/ } split /\n/, $said), join("\n", map { "$_\tok" } @steps), 'PostGraphile: its steps');
}

# alembic: for each step the operations that it finds, and the types of the table afterwards.
SKIP:
{
	my $why = no_alembic();
	skip "alembic: $why", 1 if defined $why;

	local $ENV{PGDATABASE} = new_database($node, 'alembic');
	my ($well, $said) = try_command("$work/python", '/usr/bin/python3', 'alembic_client.py');
	ok($well, 'alembic: the program ran to its end') or diag($said);
	my @steps = (
		"create\tcreate\tuuid atid.rkey atid.tid text atid.at_uri",
		"nothing to do, without compare_type\trkey",
		"nothing to do\t",
		"text to tid\tprev\tuuid atid.rkey atid.tid atid.tid atid.at_uri",
		"tid to text, not registered\t",
		"tid to text\tprev\tuuid atid.rkey atid.tid text atid.at_uri",
		"nothing to do, registered\t");
	is(join("\n", grep { /\t/ } split /\n/, $said), join("\n", @steps), 'alembic: what it finds to do');
}

# ActiveRecord: the chapter's migration and column, and the part of them that schema.rb keeps.
SKIP:
{
	my $why = missing('ActiveRecord', 'ruby', '-ractive_record', '-rpg', '-e1');
	skip "Rails: $why", 1 if defined $why;

	my ($tid) = $chapter =~ /`(t\.column .*?)`/ or die 'no column for Rails';
	append_to_file("$work/ruby/column.rb", $tid);
	local $ENV{PGDATABASE} = new_database($node, 'rails');
	my ($well, $said) = try_command("$work/ruby", 'ruby', 'activerecord.rb');
	ok($well, 'Rails: the program ran to its end') or diag($said);
}

# Keys: each program includes the chapter's recipe, and prints ok. All except SQLAlchemy's create the extension by a
# migration.
foreach my $orm (
	[ 'Django', 'python', sub { no_python('django') }, '/usr/bin/python3', 'django_keys.py' ],
	[ 'SQLAlchemy', 'python', \&no_alembic, '/usr/bin/python3', 'sqlalchemy_keys.py' ],
	[ 'Drizzle', 'node', \&no_npm, 'node', 'keys_drizzle.js' ],
	[ 'Prisma', 'node', \&no_npm, 'node', 'keys_prisma.js' ])
{
	my ($name, $folder, $unless, @command) = @$orm;
  SKIP:
	{
		my $why = $unless->();
		skip "keys in $name: $why", 1 if defined $why;

		local $ENV{PGDATABASE} = lc "keys_$name";
		$node->safe_psql('postgres', "CREATE DATABASE $ENV{PGDATABASE}");
		$node->safe_psql($ENV{PGDATABASE}, 'CREATE EXTENSION atid') if $name eq 'SQLAlchemy';
		my ($well, $said) = try_command("$work/$folder", @command);
		ok($well && $said =~ /^ok$/m, "keys in $name") or diag($said);
	}
}

# The query of the chapter finds a column that got the server's own type.
my $db = new_database($node, 'wrong_type');
my ($query) = $chapter =~ /^-- columns of the server's own types\n(.*?;)/ms;
$node->safe_psql($db, 'CREATE TABLE t (a tid, b cid, c atid.tid, d atid.cid_link)');
is($node->safe_psql($db, $query), "t|a|tid\nt|b|cid", "the chapter's query finds the server's own types");

$node->stop;
done_testing();
