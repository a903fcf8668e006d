# The documentation is correct and complete.
#
# Shows that
# - every SQL example of README.md and doc/*.md runs, in the order of its page, and prints the output on the
#   page;
# - every function, type, sequence, rule, operator, operator class, cast and setting of the extension is in a
#   chapter, functions and casts as in the catalogue; and no page names one that does not exist;
# - doc/README.md, the index, is the output of script/index for the chapters;
# - every file and heading that a page names or links to exists;
# - no page fetches atid from an archive or a registry, as long as nothing has been uploaded there.
#
# How an example is written: a fence ```sql, and right after it a plain fence with the output. One without
# output prints nothing. A page runs in one session, as the owner of a fresh database (not a superuser),
# quietly (psql -q): the output shown is that of the queries, errors and notices. The database is called docs,
# has the extension unless the page creates it, and a time zone that no page would rely on. Anything else that
# a block needs is in a comment before it, which readers do not see:
#
#   <!-- from 17 -->       runs on PostgreSQL 17 and later only
#   <!-- superuser -->     runs as superuser, in a session of its own
#   <!-- brief -->         shows the first line of an error only, as the server's additions to it differ
#                          between versions
#   <!-- varies -->        (before the output) it has generated TIDs, version 7 UUIDs, times or
#                          intervals: they count as equal, and everything else is compared
#
# Tags: quick differs

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $root  = "$FindBin::Bin/../..";
my @pages = ('README.md', map { s{^\Q$root\E/}{}r } sort glob("$root/doc/*.md"));

# Where atid_crypto is not installed, its chapter is left out, and the examples of pages that create it are not
# run.
my $node        = new_node('docs');
my $have_crypto = has_extension($node, 'atid_crypto');
@pages = grep { $have_crypto || !m{^doc/(crypto|plc)\.md$} } @pages;

sub page_text
{
	return slurp_file("$root/$_[0]");
}

$node->safe_psql('postgres', 'CREATE ROLE app LOGIN');
my $version = $node->safe_psql('postgres', 'SHOW server_version_num');

#
# The examples.
#

# A page's SQL blocks: { line, sql, output, from, superuser, varies }. Fences within a page that are
# neither SQL nor output (shell, drawings) must not follow an SQL block directly.
sub blocks
{
	my ($page) = @_;
	my (@blocks, %mark, $fence, $after_sql);
	my $number = 0;

	foreach my $line (split /\n/, page_text($page))
	{
		$number++;
		if (defined $fence)
		{
			if ($line eq '```')
			{
				if ($fence->{kind} eq 'sql')
				{
					push @blocks,
					  { %mark, line => $fence->{line}, sql => $fence->{text}, output => '' };
				}
				elsif ($fence->{kind} eq 'output')
				{
					$blocks[-1]->{output} = $fence->{text};
					$blocks[-1]->{$_} = $mark{$_} foreach keys %mark;
				}
				$after_sql = $fence->{kind} eq 'sql';
				%mark      = ();
				undef $fence;
			}
			else
			{
				$fence->{text} .= "$line\n";
			}
		}
		elsif ($line =~ /^```(\w*)$/)
		{
			my $kind = $1 eq 'sql' ? 'sql' : $1 eq '' && $after_sql ? 'output' : 'other';
			$fence = { kind => $kind, line => $number, text => '' };
		}
		elsif ($line =~ /^<!--\s*(superuser|brief|varies|from (\d+))\s*-->$/)
		{
			defined $2 ? ($mark{from} = $2) : ($mark{$1} = 1);
		}
		elsif ($line =~ /\S/)
		{
			die "$page:$number: no such mark" if $line =~ /^<!--/;
			die "$page:$number: a mark, and no block after it" if %mark;
			$after_sql = 0;
		}
	}
	die "$page: a fence is not closed" if defined $fence;
	return @blocks;
}

# Blanks at line ends and surrounding empty lines do not count.
sub trimmed
{
	my ($text) = @_;
	$text =~ s/[ \t]+$//mg;
	$text =~ s/\A\n+//;
	$text =~ s/\n*\z/\n/;
	return $text eq "\n" ? '' : $text;
}

# Normalizes the parts that vary from run to run, by their shape. A TID that the page's SQL names does not
# vary. The width of a column may follow its values.
sub normalised
{
	my ($text, $sql) = @_;
	$text =~ s/\b(3[2-7a-z]{12})\b/index($sql, $1) < 0 ? '<TID>' : $1/eg;
	$text =~ s/\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b/<UUID>/g;
	$text =~ s/\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?\+00\b/<TIME>/g;
	$text =~ s/(?<![\d:])\d\d:\d\d:\d\d(\.\d{1,6})?(?![\d:+])/<INTERVAL>/g;
	$text =~ s/ +/ /g;
	$text =~ s/-{2,}/--/g;
	return $text;
}

$node->safe_psql('postgres', 'CREATE DATABASE created OWNER app');
$node->safe_psql('created', 'CREATE EXTENSION atid', extra_params => [ '-U', 'app' ]);

# Runs the blocks of a page and returns the output of each.
sub run_page
{
	my ($page, @blocks) = @_;
	my $dir    = PostgreSQL::Test::Utils::tempdir('page');
	my $script = '';

	# its examples create the extension, or it already exists
	my $like = (grep { $_->{sql} =~ /^CREATE EXTENSION atid;/m } @blocks) ? 'template1' : 'created';
	$node->safe_psql('postgres', "CREATE DATABASE docs OWNER app TEMPLATE $like");

	foreach my $i (0 .. $#blocks)
	{
		my $sql = $blocks[$i]->{sql};
		$script .= "\\echo '~~ $i'\n";
		if ($blocks[$i]->{superuser})
		{
			append_to_file("$dir/$i.sql", $sql);
			$script .= "\\! psql -Xq -d '"
			  . $node->connstr('docs')
			  . "' <$dir/$i.sql >$dir/$i.out 2>&1\n";
		}
		else
		{
			$script .= $sql;
		}
	}
	$script .= "\\echo '~~ end'\n";

	my $printed = '';
	local %ENV = %ENV;
	delete @ENV{qw(PAGER PSQL_PAGER PGOPTIONS)};
	$ENV{PGTZ} = 'Asia/Kolkata';
	IPC::Run::run(
		[ 'psql', '-Xq', '-U', 'app', '-d', $node->connstr('docs') ],
		'<', \$script, '>&', \$printed,
		IPC::Run::timeout($AtidTest::work_limit));

	my %part = $printed =~ /^~~ (\d+)\n(.*?)(?=^~~ )/msg;
	foreach my $i (grep { $blocks[$_]->{superuser} } 0 .. $#blocks)
	{
		$part{$i} .= slurp_file("$dir/$i.out") if -e "$dir/$i.out";
	}
	$node->safe_psql('postgres', 'DROP DATABASE docs');
	return map { defined $part{$_} ? $part{$_} : "(not run)\n" } 0 .. $#blocks;
}

foreach my $page (@pages)
{
	my @blocks = blocks($page);
	next if !$have_crypto && grep { $_->{sql} =~ /^CREATE EXTENSION atid_crypto/m } @blocks;
	my @missing = grep { $_->{from} && $version < $_->{from} * 10000 } @blocks;
	@blocks = grep { !$_->{from} || $version >= $_->{from} * 10000 } @blocks;
	my @printed = run_page($page, @blocks);
	my $sql     = join "\n", map { $_->{sql} } @blocks;

	foreach my $i (0 .. $#blocks)
	{
		my $block = $blocks[$i];
		my $name  = "$page:$block->{line}";
		my ($said, $got) = map { trimmed($_) } $block->{output}, $printed[$i];

		$got =~ s/^(?:LINE \d+: .*\n +\^|DETAIL: .*|HINT: .*)\n//mg if $block->{brief};

		if ($block->{sql} !~ /(;|^\\.*)\s*\z/m)
		{
			fail("$name: the last statement has an end");
		}
		elsif ($block->{varies})
		{
			# A mark where nothing varies would only weaken the comparison.
			isnt($got, $said, "$name: something varies");
			is( normalised($got, $sql),
				normalised($said, $sql),
				"$name: prints what the page shows, but for what varies");
		}
		else
		{
			is($got, $said,
				"$name: " . ($said eq '' ? 'runs, and prints nothing' : 'prints what the page shows'));
		}
	}
  SKIP:
	{
		skip "needs PostgreSQL $_->{from}", 1 foreach @missing;
	}
}

#
# The names in the chapters. The catalogue is read as members of the extensions, so that a new object that the
# chapters lack is reported.
#
my $index    = 'doc/README.md';
my @chapters = grep { m{^doc/} && $_ ne $index } @pages;
my $chapters = join "\n", map { page_text($_) } @chapters;
my $all = join "\n", map { page_text($_) } @pages, 'CHANGELOG.md', 'CONTRIBUTING.md', 'indexer/CHANGELOG.md';

$node->safe_psql('postgres', 'CREATE DATABASE docs');
$node->safe_psql('docs',     'CREATE EXTENSION atid');
$node->safe_psql('docs',     'CREATE EXTENSION atid_crypto') if $have_crypto;

# Rows of a query over the extensions' members, each as a list of columns.
sub catalogue
{
	my ($query) = @_;
	my $answer = $node->safe_psql('docs', <<"SQL");
SELECT FROM atid.tid_generate();
CREATE TEMP VIEW member AS
SELECT classid, objid FROM pg_depend
WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
  AND refobjid IN (SELECT oid FROM pg_extension WHERE extname IN ('atid', 'atid_crypto'));
$query
SQL
	my @rows = map { [ split /\|/, $_, -1 ] } grep { /./ } split /\n/, $answer;
	return @rows;
}

# Type names as people write them.
sub short
{
	my ($text) = @_;
	my %short = (
		'timestamp with time zone' => 'timestamptz',
		'timestamp without time zone' => 'timestamp',
		'character varying'        => 'varchar',
		'integer'                  => 'int',
		'boolean'                  => 'bool');
	$text =~ s/\b($_)\b/$short{$1}/g foreach keys %short;
	return $text;
}

# Functions that implement another object are covered by that object: input and output of a type, the function
# of an operator, its estimators, a cast, one rule of a domain, support functions of functions, operator
# classes and aggregates, and the functions that the planner calls in place of another.
my @functions = catalogue(<<'SQL');
SELECT CASE n.nspname WHEN 'pg_catalog' THEN '' ELSE n.nspname || '.' END || p.proname,
       (SELECT string_agg(concat_ws(' ', CASE p.proargmodes[i] WHEN 'v' THEN 'VARIADIC' END, p.proargnames[i],
                                    format_type(type, NULL)), ', ' ORDER BY i)
        FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY a (type, i)),
       format_type(p.prorettype, NULL)
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
     JOIN member ON classid = 'pg_proc'::regclass AND objid = p.oid
WHERE p.oid NOT IN (SELECT unnest(ARRAY[typinput, typoutput, typreceive, typsend]::oid[]) FROM pg_type
                    WHERE oid IN (SELECT objid FROM member WHERE classid = 'pg_type'::regclass))
  AND p.oid NOT IN (SELECT unnest(ARRAY[oprcode, oprrest, oprjoin]::oid[]) FROM pg_operator)
  AND p.oid NOT IN (SELECT prosupport FROM pg_proc)
  AND p.oid NOT IN (SELECT castfunc FROM pg_cast)
  AND p.oid NOT IN (SELECT amproc FROM pg_amproc)
  AND p.oid NOT IN (SELECT unnest(ARRAY[aggtransfn, aggcombinefn, aggfinalfn]::oid[]) FROM pg_aggregate)
  AND p.proname !~ '_check_'
  AND obj_description(p.oid, 'pg_proc') !~ '^implementation of '
ORDER BY 1, 2;
SQL
cmp_ok(scalar @functions, '>', 10, 'the catalogue has functions');

foreach my $function (@functions)
{
	my ($name, $arguments, $result) = map { short($_) } @$function;
	my $row = "`$name($arguments)` | `$result`";
	my @there = grep { index(page_text($_), "\n$row") >= 0 } @chapters;
	is(scalar @there, 1, "in a chapter: $row");
}

is(scalar `"$^X" "$root/script/index"`, page_text($index), 'the index is up to date: make index');

# The columns that a function returns: in a table, or with the type in one pair of backquotes.
foreach my $column (
	catalogue(<<'SQL'))
SELECT DISTINCT a.name, format_type(a.type, NULL)
FROM pg_proc p JOIN member ON classid = 'pg_proc'::regclass AND objid = p.oid,
     unnest(p.proargnames, p.proallargtypes, p.proargmodes) a (name, type, mode)
WHERE a.mode IN ('o', 't')
ORDER BY 1, 2;
SQL
{
	my ($name, $type) = map { short($_) } @$column;
	like($chapters, qr/^`\Q$name` | `$type` |\E|`\Q$name $type\E`/m, "in a chapter: the column $name $type");
}

# Types have a section.
foreach my $type (
	catalogue(<<'SQL'))
SELECT format_type(oid, NULL) FROM pg_type
WHERE oid IN (SELECT objid FROM member WHERE classid = 'pg_type'::regclass)
  AND oid NOT IN (SELECT typarray FROM pg_type)
ORDER BY 1;
SQL
{
	like($chapters, qr/^#+ .*`\Q$type->[0]\E`/m, "in a heading: $type->[0]");
}

foreach my $sequence (
	catalogue(<<'SQL'))
SELECT oid::regclass FROM pg_class
WHERE oid IN (SELECT objid FROM member WHERE classid = 'pg_class'::regclass) AND relkind = 'S'
ORDER BY 1;
SQL
{
	like($chapters, qr/`\Q$sequence->[0]\E`/, "in a chapter: the sequence $sequence->[0]");
}

foreach my $rule (
	catalogue(<<'SQL'))
SELECT conname FROM pg_constraint
WHERE contypid IN (SELECT objid FROM member WHERE classid = 'pg_type'::regclass) AND contype = 'c'
ORDER BY 1;
SQL
{
	like($chapters, qr/`\Q$rule->[0]\E`/, "in a chapter: the rule $rule->[0]");
}

foreach my $operator (
	catalogue(<<'SQL'))
SELECT DISTINCT oprname FROM pg_operator
WHERE oid IN (SELECT objid FROM member WHERE classid = 'pg_operator'::regclass)
ORDER BY 1;
SQL
{
	like($chapters, qr/`\Q$operator->[0]\E`/, "in a chapter: the operator $operator->[0]");
}

foreach my $opclass (
	catalogue(<<'SQL'))
SELECT amname, opcnamespace::regnamespace || '.' || opcname
FROM pg_opclass c JOIN pg_am a ON a.oid = opcmethod
WHERE c.oid IN (SELECT objid FROM member WHERE classid = 'pg_opclass'::regclass)
ORDER BY 1;
SQL
{
	my $row = "`$opclass->[0]` | `$opclass->[1]`";
	ok(index($chapters, "\n$row") >= 0, "in a chapter: $row");
}

foreach my $cast (
	catalogue(<<'SQL'))
SELECT format_type(castsource, NULL), format_type(casttarget, NULL),
       CASE castcontext WHEN 'e' THEN 'explicit' WHEN 'a' THEN 'assignment' ELSE 'implicit' END
FROM pg_cast WHERE oid IN (SELECT objid FROM member WHERE classid = 'pg_cast'::regclass)
ORDER BY 1, 2;
SQL
{
	my ($source, $target, $context) = map { short($_) } @$cast;
	like($chapters, qr/^[^|\n]*`\Q$source\E`[^|\n]* \| [^|\n]*`\Q$target\E`[^|\n]* \| $context\b/m,
		"in a chapter: the cast from $source to $target, $context");
}

# Settings, with their defaults as SHOW prints them.
my @settings = catalogue(
	"SELECT name, current_setting(name) FROM pg_settings WHERE name LIKE 'atid.%' ORDER BY 1;");
cmp_ok(scalar @settings, '>=', 2, 'the catalogue has settings');
foreach my $setting (@settings)
{
	my $row = "`$setting->[0]` | `$setting->[1]`";
	ok(index($chapters, "\n$row") >= 0, "in a chapter: $row");
}

# And the other way round: no page names an object that does not exist.
my %known = map { $_->[0] => 1 } @settings, catalogue(<<'SQL');
SELECT 'atid.' || proname FROM pg_proc WHERE pronamespace = 'atid'::regnamespace
UNION SELECT 'atid.' || typname FROM pg_type WHERE typnamespace = 'atid'::regnamespace
UNION SELECT 'atid.' || opcname FROM pg_opclass WHERE opcnamespace = 'atid'::regnamespace
UNION SELECT 'atid.' || relname FROM pg_class WHERE relnamespace = 'atid'::regnamespace;
SQL
foreach my $script (glob "$root/crypto/*--*.sql")
{
	$known{"atid.$_"} = 1 foreach slurp_file($script) =~ /^CREATE FUNCTION \@extschema\@\.(\w+)/mg;
}
my @unknown = grep { !$known{$_} && !-e "$root/$_" } $all =~ m{(?<!/)\b(atid\.\w+)}g;
is("@unknown", '', 'no page names an object that is not there');

#
# Files and links.
#
my $nowhere = '';
foreach my $page (@pages, 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'indexer/CHANGELOG.md')
{
	my $text = page_text($page);
	my ($folder) = $page =~ m{^(.*/)?[^/]*$};
	$folder = '' unless defined $folder;

	foreach my $path ($text =~ m{`((?:bench|crypto|demo|doc|expected|indexer|script|sql|src|t)/[\w./-]*)[ `]}g)
	{
		$nowhere .= "$page names $path\n" unless -e "$root/$path";
	}
	foreach my $link ($text =~ /\]\(([^)\s]+)\)/g)
	{
		next if $link =~ /^https?:/;
		my ($file, $heading) = split /#/, $link, 2;
		my $target = $file eq '' ? $page : "$folder$file";
		if (!-e "$root/$target")
		{
			$nowhere .= "$page links to $link\n";
			next;
		}
		next unless defined $heading;
		# As common renderers derive them from the text of a heading.
		my %headings =
		  map { lc(s/[^\w\s-]//gr) =~ s/\s/-/gr => 1 } page_text($target) =~ /^#+ (.*)$/mg;
		$nowhere .= "$page links to $link\n" unless $headings{$heading};
	}
}
is($nowhere, '', 'every file and heading that a page points to is there');

# CONTRIBUTING.md, "Making a release", lists the artifacts that are ready to be uploaded.
my @fetched = map { page_text($_) =~ m{(
	pgxn\.org/dist/ | \bpgxn[ ](?:install|download)[ ]atid\b |
	\bnpm[ ](?:install|i)[ ](?:-\S+[ ])*atid\b | \bnpx[ ]atid-indexer\b |
	\bapt(?:-get)?[ ]install[ ]\S*-atid\b | \b(?:docker|podman)[ ]pull\b
)}gx } @pages, 'CONTRIBUTING.md', 'SECURITY.md', 'indexer/README.md', 'packaging/npm/README.md';
is("@fetched", '', 'no page fetches atid from where nothing has been uploaded');

$node->stop;
done_testing();
