# Checks of the files that need no build.
#
# Shows that
# - includes go down the layers of src/layers.txt only, and in no circle; pure code includes no header of the server; no
#   two files of src/ have the same name, except a .c and its .h; the map in CONTRIBUTING.md shows these layers;
# - only src/compat.h tests the server's version;
# - each C file opens with a comment; indentation is tabs, no line ends in white space, and C and SQL keep within 100
#   columns, tests and scripts within 120 except for quoted text;
# - META.json, the control files, the install scripts, the RPM's spec and the package of packaging/npm have one version;
#   the indexer's package, its lock file and its changelog have another, and its chapter names the extensions that it
#   needs; released scripts are unchanged, and so are the library and the indexer while they have the version of a
#   release;
# - the scripts that CREATE EXTENSION runs are in the order of the sections, with each object's comment below it;
# - the later install scripts bind to no planted object (t/operation/planted.pl has the attacks);
# - each of the indexer's tables that strangers fill is written in one file;
# - the indexer's functions and program compare reasons, outcomes and failures with codes of its list only;
# - errors, in C and as the regression tests print them, keep to the server's style guide; the manual avoids some words;
# - each test file has tags, which script/test reads: one for how long it takes, and no unknown one; and a unique name,
#   after which the server's modules name its log and the folders of its servers; and t/README.md is the output of
#   script/test-files for the heads;
# - systemd accepts indexer/indexer.service, where systemd-analyze is installed.
#
# With --versions, shows only that the versions agree, and that released files are unchanged.
#
# Tags: quick

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest::Files;
use AtidTest::Layers;
use Digest::SHA qw(sha256_hex);
use File::Basename;
use File::Find;
use JSON::PP;
use Test::More;

chdir "$FindBin::Bin/../.." or die "$!";

sub slurp
{
	open my $file, '<', $_[0] or die "$_[0]: $!";
	local $/;
	return scalar <$file>;
}

# The project's own text files, by path.
my %text;
find(
	{
		no_chdir => 1,
		wanted   => sub {
			$File::Find::prune = 1 if m{/(?:\.git|bin|results|tmp_check|node_modules)$};
			my $path = s{^\./}{}r;
			$text{$path} = slurp($_) if -f && m{\.(?:[ch]|sql|p[lm]|js|mjs|control)$|/expected/.*\.out$|^\./(?:script|\.ci)/|Makefile$};
		}
	},
	'.');
my @c = sort grep { m{^(?:src|crypto/src)/.*\.[ch]$|^atid\.c$} } keys %text;
my @problems;

# A check passes if it has found nothing.
sub done
{
	my ($name) = @_;
	is(join("\n", splice @problems), '', $name);
	return;
}

my $meta = decode_json(slurp('META.json'));
my @whole;
foreach my $path ('atid.control', 'crypto/atid_crypto.control')
{
	my ($name)    = $path =~ m{(\w+)\.control$};
	my ($version) = $text{$path} =~ /^default_version = '(.*)'/m;
	my ($whole, $steps) = map { $path =~ s/\.control$/--$_$version.sql/r } '', '*--';
	push @problems, "$path says $version, and there is no $whole" unless exists $text{$whole};
	push @problems, "$path says $version, and no upgrade script leads there" unless () = glob $steps;
	push @problems, "META.json must name $whole as the file of $name" unless $meta->{provides}{$name}{file} eq $whole;
	push @whole, $whole;
	foreach ($meta->{provides}{$name}{version}, $name eq 'atid' ? $meta->{version} : ())
	{
		push @problems, "META.json says $_, $path $version" unless /^\Q$version\E\.\d+$/;
	}
}
push @problems, 'packaging/rpm/atid.spec has another version than META.json'
  unless slurp('packaging/rpm/atid.spec') =~ /^Version: *\Q$meta->{version}\E$/m;
push @problems, 'packaging/npm/package.json has another version than META.json'
  unless decode_json(slurp('packaging/npm/package.json'))->{version} eq $meta->{version};
done('one version');

# The indexer has its own.
my ($indexer, $lock) = map { decode_json(slurp($_)) } 'indexer/package.json', 'indexer/package-lock.json';
push @problems, 'indexer/package-lock.json has another version than indexer/package.json'
  if grep { $_->{version} ne $indexer->{version} } $lock, $lock->{packages}{''};
my ($section) = slurp('indexer/CHANGELOG.md') =~ /^## \[(.*?)\]/m;
push @problems, "indexer/CHANGELOG.md begins with $section, indexer/package.json has $indexer->{version}"
  unless $section eq 'Unreleased' || $section eq $indexer->{version};
my $needed = join ' and ', map { "`$_` " . $indexer->{extensions}{$_} =~ s/^>=//r } sort keys %{ $indexer->{extensions} };
push @problems, "doc/indexer.md must name what indexer/package.json needs: $needed"
  unless slurp('doc/indexer.md') =~ s/\s+/ /gr =~ /\Q$needed\E or later/;
done('one version of the indexer');

# npm packs a folder, with the license that is in it.
foreach my $folder (qw(indexer packaging/npm))
{
	push @problems, "$folder/LICENSE is another one than LICENSE" unless slurp("$folder/LICENSE") eq slurp('LICENSE');
}
done('one license');

# A name of a bundle, also in a chapter, has the version in META.json.
foreach my $path (glob('*.md doc/*.md packaging/*/*.md'))
{
	next if $path eq 'CHANGELOG.md';
	push @problems, "$path names atid-$_" foreach grep { $_ ne $meta->{version} } slurp($path) =~ /\batid-(\d+\.\d+\.\d+)/g;
}
done('one version in the documentation');

# Words of the manual in a sense that English does not give them. (Headings and quotes are not looked at.)
my $unidiomatic = qr/\banew\b|\bbeside\b|\bbut for\b|\bno more(?=[.,;:)]|$)|\bthe same of\b|\bfor itself\b|\bof yours\b|(?:^|[.:;] )Nor\b/;
foreach my $path (glob('*.md doc/*.md bench/README.md demo/README.md indexer/README.md'))
{
	next if $path eq 'CHANGELOG.md';    # what was released stays
	my ($line, $in_code) = (0, 0);
	foreach (split /\n/, slurp($path))
	{
		$line++;
		$in_code = !$in_code if /^```/;
		next if $in_code || /^#/;
		push @problems, "$path:$line: $1" if s/`[^`]*`//gr =~ /($unidiomatic)/;
	}
}
done('words of the manual');

# The released files, by checksum: a script never changes; the library, with its scripts, only under another version.
my %released = reverse map { split } grep { !/^#/ } split /\n/, slurp('t/released');
cmp_ok(scalar(grep { /\.sql$/ } keys %released), '>', 4, 'there are released scripts');
is(sha256_hex($text{$_} // ''), $released{$_}, "$_ is as it was released") foreach sort grep { /\.sql$/ } keys %released;

# is_unchanged VARIABLE, NAME, REMEDY: the files that match this variable of script/lib.sh, if the name was released
sub is_unchanged
{
	my ($variable, $name, $remedy) = @_;
	my ($ours) = $text{'script/lib.sh'} =~ /^$variable='(.*)'$/m;
	my $sum = sha256_hex(join '', map { sha256_hex($text{$_}) . "  $_\n" } sort grep { /$ours/ } keys %text);
	is($sum, $released{$name} // $sum, "what was released as $name is unchanged: $remedy");
	return;
}
is_unchanged('ATID_LIBRARY', $meta->{version}, 'a change of C or of an install script needs a later version in META.json');
is_unchanged('ATID_INDEXER', "indexer-$indexer->{version}", 'a change of the program or of its SQL needs a later version in indexer/package.json');

if ("@ARGV" eq '--versions')
{
	done_testing();
	exit;
}

cmp_ok(scalar @c, '>', 60, 'there are C files');
my (%includes, %used);
my $files = AtidTest::Layers::files();
foreach my $name (sort keys %$files)
{
	my ($layer, $row) = AtidTest::Layers::row($name);
	push @problems, "src/layers.txt has no row for $name" and next unless $row;
	foreach my $path (@{ $files->{$name} })
	{
		foreach my $header ($text{$path} =~ /^\s*#\s*include\s*"([^"]+)\.h"/mg)
		{
			my ($own) = grep { $files->{$_} } $header, "crypto/$header";
			push @problems, "$path must not include $header.h, which is not pure" if !defined $own && $row->{pure};
			next if !defined $own || $own eq $name;
			my ($may) = grep { $own =~ $_->{re} } @{ $row->{may} };
			push @problems, "$path must not include $header.h" unless $may;
			$used{$may} = $includes{$name}{$own} = 1 if $may;
		}
	}
}
done('includes go down the layers');

my %passed;
foreach my $layer (AtidTest::Layers::layers())
{
	foreach my $row (@{ $layer->{rows} })
	{
		push @problems, "$row->{files}{text} includes no $_->{text}" foreach grep { !$used{$_} } @{ $row->{may} };
	}
	$passed{ $layer->{place} } = 1;
	push @problems, "$layer->{place} includes $_, which is above it"
	  foreach grep { $passed{$_} && $_ ne $layer->{place} } sort keys %{ AtidTest::Layers::below($layer) };
}
done('layers need what they may include, and stand above it');
is(`script/layers`, slurp('CONTRIBUTING.md'), 'the map of the layers in CONTRIBUTING.md is up to date: make index');

# A file is its .c and its .h. Those that include none of the rest are removed repeatedly; the remaining ones are in a
# circle, or above one.
my %rest = map { $_ => 1 } keys %includes;
while (my @bottom = grep { !grep { $rest{$_} } keys %{ $includes{$_} } } keys %rest)
{
	delete @rest{@bottom};
}
push @problems, map { "$_ includes @{[ sort grep { $rest{$_} } keys %{ $includes{$_} } ]}" } sort keys %rest;
done('no includes go in a circle');

my %folders;
foreach my $path (grep { m{^src/} } @c)
{
	my ($folder, $name) = $path =~ m{^(.*)/(.*)\.[ch]$};
	$folders{$name}{$folder} = 1;
}
push @problems, map { "$_ is in @{[ sort keys %{ $folders{$_} } ]}" } grep { keys %{ $folders{$_} } > 1 } sort keys %folders;
done('no two files of src/ have one name');

push @problems, grep { $_ ne 'src/compat.h' && $text{$_} =~ /\bPG_VERSION_NUM\b/ } @c;
done('PG_VERSION_NUM in compat.h only');

push @problems, grep { $text{$_} !~ m{^/\*} } @c;
done('each C file opens with a comment');

foreach my $path (sort grep { !m{^(?:crypto/)?(?:expected/|atid\w*--)|^(?:demo|bench)/.*sql$|^demo/|\.m?js$} } keys %text)
{
	my $line = 0;
	foreach (split /\n/, $text{$path})
	{
		$line++;
		push @problems, "$path:$line ends in white space" if /\s$/;
		push @problems, "$path:$line is indented by spaces" if $path =~ /\.[ch]$/ && /^(?:\t* {4}| {1,3}[^ *])/;
		next if length() + 3 * tr/\t// <= 100; # however wide its tabs are
		my $width = length s/\G([^\t]*)\t/$1 . ' ' x (4 - length($1) % 4)/ger;

		# the words of an error stay on one line, so that a search finds them; so do the quotations and the SQL of a
		# test
		next if $width <= 100 || /^(?:\s+err(?:msg|detail|hint)\("|ATID_FAULT\()/;
		next if $path eq 'indexer/sql/codes.sql' && /^\s+"/;
		next if $path !~ m{\.[ch]$|^(?:crypto/)?sql/|^indexer/sql/(?!migrations/000[123])} && ($width <= 120 || m!["'`/|{]|^\s*[A-Z]{2}!);
		push @problems, "$path:$line has $width columns";
	}
}
done('layout');

push @problems, grep { m{^indexer/sql/} && $text{$_} =~ /\(SELECT FROM (?!pg_)/ } sort keys %text;
done('a subquery of the indexer has a column, which Citus needs');

# A function of the indexer fits on a screen.
my $functions = 0;
foreach my $path (grep { m{^indexer/sql/(?!migrations/)} } keys %text)
{
	foreach (split /^(?=CREATE )/m, $text{$path})
	{
		my ($name) = /^CREATE OR REPLACE FUNCTION (\S+?)\(/ or next;
		$functions++;
		my $lines = /^(.*;)[^;]*\z/s ? 1 + ($1 =~ tr/\n//) : 0;
		push @problems, "$path: $name has $lines lines" if $lines > 60;
	}
}
cmp_ok($functions, '>', 200, 'there are functions');
done('a function of the indexer has at most 60 lines');

# The indexer decides by the codes in its list: never by wording or by a part of a name.
my %code = map { $_ => 1 } $text{'indexer/sql/codes.sql'} =~ /"code": "(\w+)"/g;
cmp_ok(scalar keys %code, '>', 40, 'there are codes');
my ($what, $is, $compared) = (qr/\b(?:why|reason|problem|outcome|code)/, qr/={1,3}|!==?|<>|\bIS (?:NOT )?DISTINCT FROM/, 0);
foreach my $path (sort grep { m{^indexer/(?:sql|src)/} && !m{/migrations/} } keys %text)
{
	my $line = 0;
	foreach (split /\n/, $text{$path})
	{
		$line++;
		next if m{^\s*(?:--|//)};
		my @literals = /$what\s*(?:$is)\s*'([^']*)'/g;
		push @literals, map { /'([^']*)'/g } /$what\s+(?:NOT\s+)?IN\s*\(([^)]*)\)/gi, /\[([^\]]*)\]\.includes\(\w+\.(?:why|outcome)\)/g;
		push @literals, map { /\bWHEN\s+'([^']*)'/g } /\bCASE (?:outcome|why|problem)\s+(WHEN .*)/g;
		# codes of the server, of Node and of its packages have capitals and digits
		push @problems, map { "$path:$line: '$_' is no code" } grep { length && !$code{$_} && !/^[A-Z0-9_]{5,}$/ } @literals;
		$compared += @literals;
		push @problems, "$path:$line: a name or a text is compared with a pattern"
		  if /(?:name|activity|did(?:::text)?|\bof|$what)\s+(?:NOT\s+)?I?LIKE\s+(?!ANY)/i || /$what\s*(?:=|<>)\s*\w+\(\)/;
		# errors.js of a folder has the texts of packages that return no code
		push @problems, "$path:$line: a message decides" if $path !~ m{/errors\.js$}
		  && /\b(?:message|detail|stack)\)?\.(?:startsWith|endsWith|includes|match|search)\(|\.(?:test|exec)\(\w+\.message\)/;
	}
}
cmp_ok($compared, '>', 20, 'codes are compared');
done('the indexer decides by codes');

# A table that strangers fill is written only in the file of its name, which also has its bound. (labels.sql can be used
# alone.) The operator also writes the table want, by commands. citus.sql has a claim_status_checks() of its own.
foreach my $table (qw(account asker bad candidate change host identity labels_refused notice sample tally unproven),
	qw(unsettled waiting want))
{
	my $writes = qr/\b(?:INSERT INTO|UPDATE|DELETE FROM|TRUNCATE)\s+(?:indexer\.)?$table\b/;
	my %in = map { $_ => scalar(() = $text{$_} =~ /$writes/g) } grep { m{^indexer/(?:sql|src)/} && !m{/migrations/} } keys %text;
	push @problems, "$table.sql does not write its table" unless delete $in{"indexer/sql/tables/$table.sql"};
	delete $in{'indexer/sql/labels.sql'} if $table eq 'labels_refused';
	delete $in{'indexer/sql/citus.sql'}  if $table eq 'account';
	delete @in{qw(indexer/src/cli/wants.js indexer/src/cli/up-wants.js)} if $table eq 'want';
	push @problems, map { "$_ writes $table" } sort grep { $in{$_} } keys %in;
}
done('a table that strangers fill has one file that writes it');

# The script that CREATE EXTENSION runs has each object once, in its current form (t/operation/whole_script.pl compares
# the rest).
my ($sections) = slurp('CONTRIBUTING.md') =~ /one list: (.*?)\./s;
foreach my $path (grep { exists $text{$_} } @whole)
{
	my $script = $text{$path};
	is(join(', ', $script =~ /^-{70,}\n-- (.*)\n-{70,}$/mg), $sections =~ s/\s+/ /gr . ', privileges, check', "$path has the sections")
	  if $path =~ /^atid--/;
	$script =~ s/^DO LANGUAGE plpgsql \$\$.*?^\$\$;$//msg;
	push @problems, map { "$path: a line has " . length . " columns: $_" } grep { length > 100 } split /\n/, $script;
	push @problems, map { "$path: changes what it has created: $_" } $script =~ /^((?:CREATE OR REPLACE|ALTER (?!OPERATOR FAMILY)).*)/mg;
	push @problems, map { "$path: must have a comment below it: " . s/\n.*//sr }
	  grep { /^CREATE / && !/^CREATE TYPE \S+;$|\.generator_cover\(|;\nCOMMENT ON / } split /\n{2,}|^--.*\n/m, $script;
}
done('scripts that CREATE EXTENSION runs');

# A later script runs with a superuser's rights in a schema that is not a superuser's. It finds the server's objects in
# pg_catalog and ours by @extschema@, runs no function of ours (names in a string body would be resolved only then), and
# ends with the check, which is the same in all. The only privileges that it changes are those of PUBLIC: one block
# grants PUBLIC the privileges withheld by default privileges. That block is the same in all, too. Only a script that
# creates all of atid has, as the first one, the horizon, which it sets, and the privileges that go with it.
my %only_whole = map { $_ => 1 } split /\n/, <<'END';
SELECT pg_extension_config_dump(STRING, STRING)
SELECT @extschema@.generator_cover()
DROP FUNCTION @extschema@.generator_cover()
GRANT USAGE ON SCHEMA @extschema@ TO PUBLIC
DELETE FROM pg_init_privs WHERE objoid = STRING::regnamespace AND classoid = STRING::regclass AND current_setting(STRING)::int < 170000
GRANT SELECT ON SEQUENCE @extschema@.generator_horizon TO PUBLIC
GRANT UPDATE ON SEQUENCE @extschema@.generator_horizon TO pg_database_owner
REVOKE ALL ON FUNCTION @extschema@.generator_state() FROM PUBLIC
GRANT EXECUTE ON FUNCTION @extschema@.generator_state() TO pg_monitor
REVOKE ALL ON FUNCTION @extschema@.generator_reset() FROM PUBLIC
END
my $owners = join "\n", <<'END' =~ /(.+)/g;
EXECUTE format('ALTER SEQUENCE @extschema@.generator_horizon OWNER TO %s', bootstrap);
EXECUTE format('ALTER FUNCTION @extschema@.generator_state() OWNER TO %s', bootstrap);
EXECUTE format('ALTER FUNCTION @extschema@.generator_reset() OWNER TO %s', bootstrap);
EXECUTE format('GRANT UPDATE ON SEQUENCE @extschema@.generator_horizon TO %s', owner);
END
my ($end, $rights);
foreach my $path (sort grep { m{^(?:crypto/)?atid\w*--.*\.sql$} && $_ ne 'atid--1.0.sql' } keys %text)
{
	my $script   = $text{$path};
	my $is_whole = $path =~ /^atid--[\d.]+\.sql$/;
	$script =~ s/^\\echo.*//m;
	$script =~ s/^SET LOCAL search_path TO pg_catalog, pg_temp;$//m or push @problems, "$path does not set search_path";
	push @problems, "$path has a statement before it sets search_path" if $` =~ /;/;
	while ($script =~ s/^DO LANGUAGE plpgsql \$\$(?:(?!^\$\$;).)*^\$\$;\n(?=.*^DO LANGUAGE)//ms)
	{
		my $block = $&;
		my $does  = join "\n", $block =~ /EXECUTE format.*/g;
		next if $is_whole && $does eq $owners;
		$block =~ s/(?<=e\.extname = )'atid(?:_crypto)?'/NAME/; # its own extension
		$rights = $block unless defined $rights;
		push @problems, "$path grants otherwise" if $block ne $rights || $does ne q{EXECUTE format('GRANT %s TO PUBLIC', object.privilege);};
	}
	$script =~ s/^DO LANGUAGE plpgsql \$\$.*^\$\$;\s*\z//ms or push @problems, "$path does not end with the check";
	$end = $& unless defined $end;
	push @problems, "$path has another check" if $& ne $end;
	$script =~ s/'[^']*'|--.*|\/\*.*?\*\//STRING/g;
	foreach (split /;\s*/, $script)
	{
		s/^(?:STRING\s*)+//;
		next if $is_whole && $only_whole{ s/\s+/ /gr };
		push @problems, "$path: a name without \@extschema\@: $_" if /(?<!\@)\batid\w*\./;
		push @problems, "$path: may not be in a script: $_"
		  if !/^(?:CREATE|COMMENT|ALTER OPERATOR FAMILY)\b/ && /\S/ || /LANGUAGE (?!C\b)/i && /\bAS\s+(?:STRING|\$)/;
	}
}
done('later scripts take nothing that others have planted');

# The violations of the style guide in the words of an error.
sub faults
{
	my ($kind, $words) = @_;
	my @faults = ('a tab') x ($words =~ /\t/);
	if ($kind =~ /ERROR|msg/)
	{
		push @faults, 'a full stop at the end' if $words =~ /\.$/;
		push @faults, 'a capital at the beginning' if $words =~ /^[A-Z](?:[a-z]|\s)/;
		push @faults, 'too long' if length $words > 500;
		return @faults;
	}
	$words =~ s/^(?:At (?:byte|character) (?:\d+|%z?u)|\$.*?): (?=["A-Z%])//;
	push @faults, 'no full stop at the end' if $words !~ /\.$/ && $words ne '%s';
	push @faults, 'no capital or quote at the beginning' if $words !~ /^["A-Z%]/;
	push @faults, 'a place in another form' if $words =~ /\b(?:byte|character|offset|position|line) (?:\d|%)/i;
	push @faults, 'too long' if length $words > 1000;
	return @faults;
}

my $errors = 0;
foreach my $path (sort grep { m{^(?:crypto/)?expected/} } keys %text)
{
	while ($text{$path} =~ /^(ERROR|DETAIL|HINT):  (.*)$/mg)
	{
		my ($kind, $words) = ($1, $2);

		# except a bare SQLSTATE, and two messages of the server that quote arbitrary text
		next if $words =~ /^[0-9A-Z]{5}$|^extension \w+ depends on |^Failing row /;
		$errors++;
		push @problems, map { "$path: $_: $words" } faults($kind, $words);
	}
}
foreach my $path (@c)
{
	while ($text{$path} =~ /\berr(msg|detail|hint)\(\s*"((?:[^"\\]|\\.)*)"/g)
	{
		my ($kind, $words) = ($1, $2);
		$words =~ s/\\"/"/g;
		$errors++;
		push @problems, map { "$path: $_: $words" } faults($kind, $words);
	}
}
cmp_ok($errors, '>', 500, 'there are errors');
done('errors keep to the style guide');

my %tags = @{ AtidTest::Files::TAGS() };
my @tap  = AtidTest::Files::files();
foreach my $path ('fuzz/run', 't/demo', 't/regress', @tap)
{
	my @tags = AtidTest::Files::tags($path);
	my $time = join ' ', grep { /^(?:quick|medium|long|minutes)$/ } @tags;
	push @problems, "$path must have one of the tags quick, medium, long and minutes at its head, and not '$time'"
	  unless $time =~ /^(?:quick|medium|long|minutes|quick long|quick minutes)$/;
	push @problems, map { "$path has the tag $_: t/lib/AtidTest/Files.pm must have it" } grep { !exists $tags{$_} } @tags;
}
done('each file of tests has tags that are known');

my %named;
push @{ $named{ basename($_) } }, $_ foreach @tap;
push @problems, map { "one name: @$_" } grep { @$_ > 1 } values %named;
done('each file of tests has a name of its own');

my %listed = map { $_ => 1 } @tap;
push @problems, map { "$_ is in a folder that t/lib/AtidTest/Files.pm lacks" } grep { !$listed{$_} } glob 't/*.pl t/*/*.pl {crypto,indexer}/t/*/*.pl';
done('each file of tests is in a folder of a subject');
is(AtidTest::Files::table(), slurp('t/README.md'), 't/README.md is up to date: make index');

SKIP:
{
	skip 'systemd-analyze is not installed', 1 unless grep { -x "$_/systemd-analyze" } split /:/, $ENV{PATH};
	is(`systemd-analyze verify --man=no ./indexer/indexer.service 2>&1`, '', 'systemd accepts indexer/indexer.service');
}

done_testing();
