# script/release, in a copy of the project that is a repository of its own.
#
# Shows, for a release of the extensions and for one of the indexer, that before it changes anything it refuses
# - a working tree with changes, and a log of .ci/run that is not of this commit, or in which something failed;
# - a file that has changed while the version is that of the last release, and a changed script;
# - a version that is not the same everywhere, or not later than the last release's;
# - a section of the changelog that is missing, has no date or is empty;
# - an unexpected file at the top;
# and that otherwise it commits, tags, and begins the next version, under which the files may change again. Also that
# one run of .ci/run is enough for a release of each, if nothing else was committed in between, and that a release of one
# leaves the version, the changelog and the tags of the other unchanged.
#
# For the refusals, script/release runs t/project/style.pl on versions only (--versions), which saves much of its time;
# for a successful check, and in the releases, everything is checked.
#
# Skipped without git.
#
# Tags: long

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Oracles;
use Cwd qw(abs_path);
use JSON::PP;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'git is not installed' unless AtidTest::Oracles::find_program('git');

# A tree in which nothing was built, if there is one.
my $source = -d "$FindBin::Bin/../../../checkout" ? "$FindBin::Bin/../../../checkout" : "$FindBin::Bin/../..";
my $work   = abs_path(PostgreSQL::Test::Utils::tempdir('release')) . "/atid";
delete @ENV{ grep { /^GIT_/ } keys %ENV };
local @ENV{qw(GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL)} = ('-') x 4;
local @ENV{qw(GIT_CONFIG_GLOBAL GIT_CONFIG_NOSYSTEM)} = ('/dev/null', 1);

# Runs a command of Bash in the copy; returns its exit status and its output.
sub sh
{
	my ($command) = @_;
	my $said = '';
	IPC::Run::run([ 'bash', '-c', $command ], '<', \undef, '>&', \$said, init => sub { chdir $work or die $! },
		IPC::Run::timeout($AtidTest::work_limit));
	return ($? >> 8, $said);
}

sub must
{
	my ($command) = @_;
	my ($status, $said) = sh($command);
	die "$command: $said" if $status;
	chomp $said;
	return $said;
}

mkdir $work or die $!;
system_or_bail("tar -C $source --exclude=./.git --exclude=./tmp_check --exclude=./bin -cf - . | tar -C $work -xf -");
must('git init -q . && git add -A . && git commit -qm begin');

my $meta    = decode_json(slurp_file("$work/META.json"));
my $version = $meta->{version};
my @parts   = split /\./, $version;
my $next    = "$parts[0].$parts[1]." . ($parts[2] + 1);
my $last    = (map { /  ([0-9.]+)$/ ? $1 : () } split /\n/, slurp_file("$work/t/released"))[-1];

# The project itself may be released, or about to be; the copy is about to be released.
my $packages   = 'packaging/npm/package.json';
my $everywhere = "META.json $packages packaging/rpm/atid.spec";
if ($version eq $last)
{
	must("sed -i 's/\\b\Q$version\E\\b/$next/' $everywhere");
	($version, $next) = ($next, $next =~ s/(\d+)$/$1 + 1/er);
}
must("sed -i 's/\"stable\"/\"testing\"/' META.json");

# The indexer, whose release comes after that of the extensions, has something to freeze.
my $own       = decode_json(slurp_file("$work/indexer/package.json"))->{version};
my $own_last  = (map { /  indexer-([0-9.]+)$/ ? $1 : () } split /\n/, slurp_file("$work/t/released"))[-1] // '1.3.3';
my $own_next  = $own =~ s/(\d+)$/$1 + 1/er;
my $migration = 'indexer/sql/migrations/9999.sql';
sub set_own
{
	my ($to, @files) = @_;
	@files = qw(indexer/package.json indexer/package-lock.json) unless @files;
	return "sed -i '1,/\"dependencies\"/s/\"version\": \"\Q$own\E\"/\"version\": \"$to\"/' @files";
}
if ($own eq $own_last)
{
	must(set_own($own_next));
	($own, $own_next) = ($own_next, $own_next =~ s/(\d+)$/$1 + 1/er);
}
append_to_file("$work/$migration", "-- x\n");
must("sed -i '0,/^## /s/^## /## [$version] - 2026-01-01\\n\\n- A change.\\n\\n&/' CHANGELOG.md")
  unless slurp_file("$work/CHANGELOG.md") =~ /\A.*?^## \[\Q$version\E\] - \d/ms;
must("sed -i '0,/^## /s/^## /## [$own] - 2026-01-01\\n\\n- A change.\\n\\n&/' indexer/CHANGELOG.md");
must('git add -A . && git commit -qm ready');
my $ready = must('git rev-parse HEAD');
is((sh('script/release --check'))[1], "==> $version can be released if .ci/run passes\n", 'it is fit');

# Commits a change that makes script/release check versions only; the release itself begins with the check of
# everything.
my $whole;
sub look_at_versions
{
	$whole = $ready;
	must(q{sed -i 's|perl t/project/style.pl|& --versions|' script/release && git commit -qam versions});
	$ready = must('git rev-parse HEAD');
	return;
}

sub look_at_all
{
	$ready = $whole;
	must("git reset -q --hard $ready");
	return;
}
look_at_versions();

# A change is refused for this reason, committed or not as requested.
sub refused
{
	my ($what, $reason, $change, %how) = @_;
	my $commit = $how{uncommitted} ? '' : '&& git add -A . && git commit -qm x --allow-empty';
	my $state  = 'git rev-parse HEAD && git status --porcelain';
	my $before = must("tags=\$(git tag) && $change $commit && $state && printf %s \"\$tags\"");
	my ($status, $said) = sh($how{command} // 'script/release --check');
	is($status, 1, "$what: refused");
	like($said, $reason, "$what: the reason");
	is(must("$state && git tag && git reset -q --hard $ready && git clean -qfd"), $before, "$what: nothing has changed");
	return;
}

# Does t/project/style.pl --versions pass with one more line in this file?
sub passes_with
{
	my ($path) = @_;
	append_to_file("$work/$path", $path =~ /\.sql$/ ? "-- x\n" : "/* x */\n");
	my ($status) = sh('perl t/project/style.pl --versions');
	must('git checkout -qf .');
	return $status == 0 ? 1 : 0;
}

# The last release as it is now: the library's checksum under its number is that of these files.
my $sum = q{$(. script/lib.sh && git ls-files | grep -E "$ATID_LIBRARY" | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -c 1-64)};
my ($minor, $last_minor) = map { s/\.\d+$//r } $version, $last;
my $old = "{ [ -e atid--$last_minor.sql ] || git mv atid--$minor.sql atid--$last_minor.sql; }"
  . " && sed -i 's/\"version\": \"\Q$version\E\"/\"version\": \"$last\"/' META.json $packages"
  . " && sed -i 's/\"atid--\Q$minor\E\.sql\"/\"atid--$last_minor.sql\"/' META.json"
  . " && sed -i 's/^Version: .*/Version:        $last/' packaging/rpm/atid.spec"
  . " && sed -i 's/^default_version.*/default_version = '\"'$last_minor'\"/ atid.control"
  . " && sed -i \"s/.*  \Q$last\E\\\$/$sum  $last/\" t/released";
must($old);
is((sh('perl t/project/style.pl'))[0], 0, 'the library of the last release, under its version: t/project/style.pl passes');
must("git reset -q --hard $ready");

my $unchanged = qr/what was released as \Q$last\E is unchanged/;
refused('a changed C file under the version of the last release', $unchanged, "$old && echo '/* x */' >>src/uuid.c");
refused('one of atid_crypto', $unchanged, "$old && echo '/* x */' >>crypto/src/plc.c");
refused('a new C file', $unchanged, "$old && cp src/array_sort.c src/sorted.c");
refused('a new install script', $unchanged, "$old && echo 'CREATE x;' >atid--9.0--9.1.sql");
refused('the version of the last release', qr/must be later than that of the last release, \Q$last\E/, $old);
refused('an earlier version', qr/must be later/, "sed -i 's/\\b\Q$version\E\\b/0.9.1/' $everywhere");
refused('a changed script', qr/atid--1\.0\.sql is as it was released/, "echo '-- x' >>atid--1.0.sql");
refused('a removed script', qr/crypto\/atid_crypto--1\.0\.sql is as it was released/, 'git rm -q crypto/atid_crypto--1.0.sql');
foreach my $path (split(/ /, $packages), 'packaging/rpm/atid.spec')
{
	refused("another version in $path", qr/\Q$path\E has another version than META\.json/, "sed -i 's/\\b\Q$version\E\\b/9.9.9/' $path");
}
refused('another version in the control file', qr/atid\.control/, "sed -i 's/^default_version.*/default_version = '\"'9.9'\"'/' atid.control");
refused('another version in a chapter', qr/doc\/install\.md names atid-9\.9\.9/, 'echo atid-9.9.9.zip >>doc/install.md');
refused('no section', qr/must begin with the section/, "sed -i '0,/^## /s/^## .*/## [Unreleased]/' CHANGELOG.md");
refused('a section without a date', qr/must begin with the section/, "sed -i '0,/^## /s/^## .*/## [$version]/' CHANGELOG.md");
refused('an empty section', qr/must list what has changed/, "sed -i '0,/^## /s/^## .*/&\\n\\n## [0.1.0] - 2026-01-01/' CHANGELOG.md");
refused('a file too many', qr/not allowed at the top .*: all$/m, 'touch all');
refused('a hidden one', qr/not allowed at the top .*: \.x$/m, 'touch .x');
refused('a tag that is there', qr/tag v\S+ already exists/, "git tag v$version", command => "script/release --check; s=\$?; git tag -d v$version; exit \$s");
refused('a change that is not committed', qr/the working tree must be clean/, 'echo >>README.md', uncommitted => 1);
refused('a file that git does not know', qr/the working tree must be clean/, 'touch doc/new.md', uncommitted => 1);

# .ci/run is not run here: its log names the commit.
my $log = "$work/../ci.log";
foreach my $case (
	[ 'of another commit', qr/must name commit/, "==> commit 0123\n1 passed, 0 failed\n" ],
	[ 'of changed files', qr/must name commit/, "==> commit $ready, with changes\n" x 2 . "1 passed, 0 failed\n" ],
	[ 'of a commit that was replaced meanwhile', qr/must name commit/, "==> commit $ready\n==> commit 0123\n1 passed, 0 failed\n" ],
	[ 'with a failure', qr/must end with/, "==> commit $ready\n" x 2 . "10 passed, 1 failed\n" ],
	[ 'that was broken off', qr/must end with/, "==> commit $ready\n" x 2 ],
	[ 'of nothing', qr/must end with/, "==> commit $ready\n" x 2 . "0 passed, 0 failed\n" ])
{
	my ($what, $reason, $text) = @$case;
	append_to_file($log, $text);
	refused("a log $what", $reason, 'true', command => "script/release --ci $log", uncommitted => 1);
	unlink $log or die $!;
}

# Without --ci, where .ci/run keeps it.
look_at_all();
mkdir $_ or die $! foreach "$work/../state", "$work/../state/atid";
append_to_file("$work/../state/atid/ci-$ready.log",
	"==> commit $ready\nok 1\n==> commit $ready\n10 passed, 0 failed, 2 skipped\n");
my ($status, $said) = sh("XDG_STATE_HOME=$work/../state script/release");
is($status, 0, 'a release') or diag($said);
is(must('git log --format=%s -2'), "Begin $next\nRelease $version", 'two commits');
is(must("git cat-file -t v$version && git rev-parse v$version^{commit}"), "tag\n" . must('git rev-parse HEAD~'), 'an annotated tag of the first');
is(must('git status --porcelain'), '', 'and no other change');
my $changed = must('git diff --name-only HEAD~2 HEAD~');
like($changed, qr{^META\.json\n(?:.*\n)*t/released$}m, 'the release changes META.json and the checksums');
unlike($changed, qr{^(?!CHANGELOG\.md$|META\.json$|t/released$)}m, 'and at most the date in CHANGELOG.md besides');
must('git checkout -q HEAD~');
is(decode_json(slurp_file("$work/META.json"))->{release_status}, 'stable', 'it is stable');
like(slurp_file("$work/CHANGELOG.md"), qr/^## \[\Q$version\E\] - @{[ must('date +%F') ]}$/m, 'it has a date');
is((sh('perl t/project/style.pl'))[0], 0, 't/project/style.pl passes in it');
is(passes_with('src/uuid.c'), 0, 'but with no other C');
is(passes_with('indexer/src/cli/main.js'), 1, 'with another indexer it does');
unlike(slurp_file("$work/t/released"), qr/\Q$migration\E/, 'no migration is frozen');
must('git checkout -qf -');
is(decode_json(slurp_file("$work/META.json"))->{release_status}, 'testing', 'the next version is for testing');
is(passes_with('src/uuid.c'), 1, 'and may have other C');
unlike(must('git diff --name-only HEAD~2'), qr{^indexer/}m, 'the indexer is as it was');
is(must('git tag'), "v$version", 'and has no tag');

#
# The indexer.
#
my $check = 'script/release --check indexer';
my $tested = must('git rev-parse HEAD~2');
$ready = must('git rev-parse HEAD');
is((sh($check))[1], "==> indexer $own can be released if .ci/run passes\n", 'the indexer is fit');
look_at_versions();
foreach (
	[ 'the version of the last release', qr/must be later than that of the last release, \Q$own_last\E/, set_own($own_last) ],
	[ 'a version of two numbers', qr/must have a version of three numbers/, set_own('9.9') ],
	[ 'another version in the lock file', qr/package-lock\.json has another version/, set_own('9.9.9', 'indexer/package-lock.json') ],
	[ 'another version in the changelog', qr/CHANGELOG\.md begins with 9\.9\.9/, "sed -i '0,/^## /s/^## .*/## [9.9.9] - 2026-01-01/' indexer/CHANGELOG.md" ],
	[ 'a changed migration', qr/0001\.sql is as it was released/, 'echo "-- x" >>indexer/sql/migrations/0001.sql' ],
	[ 'no section', qr/must begin with the section/, "sed -i '0,/^## /s/^## .*/## [Unreleased]/' indexer/CHANGELOG.md" ],
	[ 'a section without a date', qr/must begin with the section/, "sed -i '0,/^## /s/^## .*/## [$own]/' indexer/CHANGELOG.md" ],
	[ 'an empty section', qr/must list what has changed/, "sed -i '0,/^## /s/^## .*/&\\n\\n## [0.1.0] - 2026-01-01/' indexer/CHANGELOG.md" ],
	[ 'a tag that is there', qr/tag indexer-v\Q$own\E already exists/, "git tag indexer-v$own", command => "$check; s=\$?; git tag -d indexer-v$own; exit \$s" ],
	[ 'a change that is not committed', qr/the working tree must be clean/, 'echo >>indexer/README.md', uncommitted => 1 ])
{
	my ($what, $reason, $change, %how) = @$_;
	refused("the indexer: $what", $reason, $change, command => $check, %how);
}
refused('a release of something else', qr/unrecognized argument: indexers/, 'true', command => 'script/release --check indexers', uncommitted => 1);
append_to_file($log, "==> commit $tested\n" x 2 . "10 passed, 1 failed\n");
refused('the indexer: a log with a failure', qr/must end with/, 'true', command => "script/release --ci $log indexer", uncommitted => 1);
unlink $log or die $!;

# One run of .ci/run is enough for both releases, but not for what was changed between them.
look_at_all();
append_to_file($log, "==> commit $tested\n" x 2 . "10 passed, 0 failed\n");
refused('the indexer: another commit since the release', qr/must name commit/, 'git commit -q --allow-empty -m x', command => "script/release --ci $log indexer", uncommitted => 1);
refused('the indexer: another file in the release', qr/must name commit/, 'echo >>README.md && git commit -q --amend --no-edit README.md',
	command => "script/release --ci $log indexer", uncommitted => 1);
($status, $said) = sh("script/release --ci $log indexer");
is($status, 0, 'a release of the indexer') or diag($said);
is(must('git log --format=%s -2'), "Begin indexer $own_next\nRelease indexer $own", 'two commits');
is(must("git cat-file -t indexer-v$own && git rev-parse indexer-v$own^{commit}"), "tag\n" . must('git rev-parse HEAD~'), 'an annotated tag of the first');
is(must('git tag'), "indexer-v$own\nv$version", 'and no other');
is(must('git status --porcelain'), '', 'and no other change');
is(must('git diff --name-only HEAD~2 HEAD~'), "indexer/CHANGELOG.md\nt/released", 'the release sets the date and adds the checksums');
is(must('git diff --name-only HEAD~'), join("\n", map { "indexer/$_" } qw(CHANGELOG.md package-lock.json package.json)), 'the next one has another version');
must('git checkout -q HEAD~');
like(slurp_file("$work/indexer/CHANGELOG.md"), qr/^## \[\Q$own\E\] - @{[ must('date +%F') ]}$/m, 'it has a date');
is((sh('perl t/project/style.pl'))[0], 0, 't/project/style.pl passes in it');
is(passes_with($_), 0, "but with no other $_") foreach 'indexer/src/cli/main.js', 'indexer/sql/views.sql', $migration;
is(passes_with('src/uuid.c'), 1, 'with other C it does');
must('git checkout -qf -');
is(passes_with('indexer/src/cli/main.js'), 1, 'the next version may have another program');
is(passes_with($migration), 0, 'but not other migrations');
is((sh($check))[0], 1, 'it is not released again without a section');

done_testing();
