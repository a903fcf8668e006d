# Nobody can stop the indexer, and nobody can make it accept false data.
#
# indexer/t/oracles/hostile.js is a network of honest accounts and strangers. Each field of each answer that the indexer
# requests, and of each frame, is in turn absent, null, a number, a text with U+0000, line breaks or half a surrogate, a
# text of 6 kB or 1 MB, 10,000 arrays, or a value of another type: the cases are generated from the honest answers and
# the list of values in indexer/t/oracles/strange.js. Shows that after each group of cases
# - the program runs, and the records that an honest account writes arrive within five seconds;
# - the table record holds the records of the honest accounts, and those that hostile accounts have signed themselves;
# - its memory, that of its server processes, and the sizes of its tables stay within bounds;
# - no stranger can end a line of its log.
# Then the same checks in scenes: slow and endless answers, lists that loop, repeated frames, forks, keys that were once
# valid, commits in another account's name, logs with a fork, accounts that do not exist, a directory that is down or
# throttles. Finally a random walk over all of this, which ends with tables that match the honest accounts.
#
# By default runs a part of the cases, chosen by the seed, several scenes at a time, and a short walk; with script/test
# --full all cases, each scene alone, and a long walk. ATID_CASES and ATID_STEPS set other numbers. Skipped where
# atid_crypto, node or npm are not available.
#
# Tags: minutes node crypto

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Indexer;
use AtidTest::Network;
use AtidTest::Oracles;
use AtidTest::States;
use List::Util qw(max sum0);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $began = time;
my $limit = $PostgreSQL::Test::Utils::timeout_default;
my $node  = new_node('hostile', ready => 1);
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my ($oracles, $why) = AtidTest::Oracles->new;
plan skip_all => $why unless defined $oracles;
my $folder = $oracles->{folder};
my $seed   = AtidTest::Oracles::seed();
my $db     = new_database($node, 'indexer');
(my $indexer, $why) = AtidTest::Indexer->new($node, $db, $oracles);
plan skip_all => $why unless defined $indexer;

#
# The network.
#
my $network = AtidTest::Network->new($indexer->{program}, "$folder/hostile.js", $seed);
sub network { return $network->ask($_[0]); }
sub scene { return network("scene?name=" . $_[0] =~ s/([^\w])/sprintf '%%%02X', ord $1/ger . ($_[1] // '')); }

sub sql { return $indexer->ask($_[0]); }

#
# The indexer. It waits for less time than by default, so that more happens.
#
my ($status, $said) = $indexer->command('init');
is($status, 0, 'init') or die $said;
sql(q{UPDATE settings SET pause_first = '0.2 s', pause_most = '2 s', not_sooner = '0.5 s', spread = '1 s', most_bad = 100e6, most_waiting = 5e6});
my $states = AtidTest::States->new($node, $db);
sql('CREATE SCHEMA truth; CREATE TABLE truth.line (what text, a text, b text, c text, d text)');
my $MEMORY   = 64e6;
my $PATIENCE = 2 * AtidTest::Indexer::patience(); # after that, a slow answer is cut off
my %settings = (
	collect                      => 1,
	ATID_SERVICE_URL             => $network->url,
	ATID_PLC_URL                 => $network->url(1),
	ATID_ALLOW_PRIVATE_ADDRESSES => 1,
	ATID_REPO_TIMEOUT            => $PATIENCE,
	ATID_MAX_REPO_SIZE           => '20MB',
	ATID_MAX_DOWNLOAD_MEMORY     => $MEMORY);
my $run    = $indexer->start(%settings);
my $labels = $indexer->start(%settings, ATID_STREAM_KIND => 'labels');
$indexer->wait_for('accounts are loaded', "SELECT (SELECT count(*) FROM account WHERE state = 'synchronized') = 12") || diag(`tail -n 20 $run->{log}`);

# Waits until an honest account's post has arrived. Returns the seconds that it took.
my @took;
sub prompt
{
	my ($after, $most) = @_;
	$most //= 5 * AtidTest::Indexer::patience();
	my $asked = time;
	my $post  = network('post');
	my $until = $asked + 6 * $most;
	my $here;
	sleep 0.03 until $here = sql("SELECT count(*) FROM record WHERE uri = '$post->{uri}' AND did = '$post->{did}' AND cid = '$post->{cid}'") || time > $until;
	push @took, time - $asked;
	return 1 if $here && $took[-1] <= $most && $indexer->runs($run);
	fail(sprintf '%s: an honest post is there after %.1f s', $after, $took[-1]);
	diag($indexer->runs($run) ? 'the program runs' : 'the program has ended');
	diag(`tail -n 15 $run->{log} | cut -c 1-300`);
	return 0;
}

# Compares the tables with the truth: false rows, and missing ones.
sub judge
{
	my $file = "$folder/truth";
	unlink $file;
	append_to_file($file, join '', map { "$_\n" } @{ network('truth')->{lines} });
	sql("TRUNCATE truth.line; COPY truth.line FROM '$file'");
	my $mine = q{(SELECT uri::text, cid::text FROM record)};
	return (sql(qq{SELECT * FROM ($mine EXCEPT SELECT a, b FROM truth.line WHERE what IN ('record', 'own')) AS x LIMIT 5}),
		sql(qq{SELECT * FROM (SELECT a, b FROM truth.line WHERE what = 'record' EXCEPT $mine) AS x LIMIT 5}),
		sql(q{SELECT uri FROM record WHERE cid <> atid.cid_of(block, 'dag-cbor') OR did <> atid.at_uri_did(uri) LIMIT 5}));
}

# The peak of memory, in MB.
my $most_memory = 0;
my $most_server = 0;
sub measure
{
	$most_memory = max($most_memory, map { AtidTest::Indexer::memory($_->{pid}) } $run, $labels);
	$most_server = max($most_server, map { AtidTest::Indexer::memory($_) } split /\n/, sql("SELECT pid FROM pg_stat_activity WHERE datname = '$db' AND pid <> pg_backend_pid()"));
	return;
}

#
# The matrix.
#
my $kinds = network('kinds');
my $all   = sum0(values %$kinds);
my $most  = $ENV{ATID_CASES} // ($ENV{ATID_FULL} ? $all : 60);
sql("INSERT INTO want (what, value) VALUES ('signal', 'com.example.signal')");
my $anew = "UPDATE want SET listed = '' WHERE listed IS NULL";
# A Retry-After of an hour is not obeyed for that long here.
my $soon = q{BEGIN; SELECT lock_batch_work(); DELETE FROM host WHERE until > now() + interval '5 s';
	SELECT FROM account WHERE state = 'desynchronized' ORDER BY did FOR UPDATE;
	UPDATE account SET load_at = now() WHERE state = 'desynchronized' AND load_at > now() + interval '5 s'; COMMIT};
my @many = grep { !/^(page|signal|server|error frame)$/ } sort keys %$kinds;
my ($tried, $groups, @left, @names, @lied, @late) = (0, 0);
my $matrix = time;
while ($tried < $most)
{
	my $some = $most - $tried < 60 ? $most - $tried : 60;
	@names = @{ network("arm?n=$some&of=" . join ',', map { s/ /%20/gr } @many)->{names} };
	# these cases run one after another; each needs a new connection, a list that begins again, or a restart
	push @names, map { @{ network("arm?n=1&of=$_")->{names} } } 'page', 'signal', 'server', 'error%20frame';
	last if !@names;
	$tried += @names;
	$groups++;
	sql($anew);
	push @late, @names if !prompt('a group of cases');
	my $until = time + 10 * AtidTest::Indexer::patience();
	while (time < $until)
	{
		sql($soon);
		@left = @{ network('pending')->{names} };
		last if @left < 10;
		sleep 0.2;
	}
	sql($anew);
	my ($lies) = judge();
	push @lied, "$lies after: @names" if $lies ne '';
	measure();
	last if !$indexer->runs($run);
	# The program is killed or ended in the middle of everything.
	is($indexer->stop($run, $groups % 2 ? 'TERM' : 'KILL'), $groups % 2 ? 0 : 9, $groups % 2 ? 'it ends by SIGTERM' : 'the program is killed');
	$run = $indexer->start(%settings);
	$indexer->wait_for_log($run, qr/Z info stream connected /);
}
my $until = time + 30 * AtidTest::Indexer::patience();
while (time < $until && (@left = @{ network('pending')->{names} }))
{
	# requests that a killed program had begun are repeated later, but not that late here
	sql($anew);
	sql($soon);
	sql("BEGIN; SELECT lock_batch_work(); UPDATE identity SET ask = least(ask, now()) WHERE answered IS NULL AND ask < 'infinity'; COMMIT");
	push @late, @left if !prompt('the last cases');
	sleep 0.5;
}
network('forget');
is(scalar @late, 0, 'after each group of cases an honest post is there within five seconds') or diag(join "\n", splice @late, 0, 70);
is(join("\n", @lied), '', '... and nothing is there that nobody has signed');
is(join("\n", splice @left, 0, 20), '', '... and each case has been requested');
note(sprintf '%d of %d cases (%s) in %.1f s; the slowest post after %.1f s', $tried, $all, join(', ', map { "$_ $kinds->{$_}" } sort keys %$kinds), time - $matrix, max(0, @took));

#
# Scenes.
#
network('label?val=before');
ok(prompt('labels'), 'labels arrive, too');
ok($indexer->wait_for('a label', q{SELECT count(*) = 1 FROM labels_in_force WHERE val = 'before'}), '... and are in force');

# A new honest account, whatever else happens.
sub newcomer
{
	my ($name, $seconds) = @_;
	my $asked = time;
	my $did   = network('newcomer')->{did};
	ok($indexer->wait_for("$name: a new honest account", "SELECT count(*) = 1 FROM account WHERE did = '$did' AND state = 'synchronized'", $seconds * AtidTest::Indexer::patience()),
		sprintf '%s: an honest account that is new is there after %.1f s', $name, time - $asked);
	return $did;
}

# Lists of scenes that run together.
sub together
{
	my (@names) = @_;
	return $ENV{ATID_FULL} ? map { [$_] } @names : \@names;
}

my $scenes = time;
foreach my $group (
	together('an error with U+0000', 'an endpoint of 5,400 characters', 'an endpoint that is no URL', 'an error of several lines', 'a document of 12 MB', 'endless repositories', 'endless documents', 'endless logs'),
	together('a frame of 17 MB', 'frames again', 'frames again, with new numbers', 'withheld, then later ones', 'a fork', 'a former key', q{a commit in another's name}, 'a DID in a map'))
{
	my $name = join '; ', @$group;
	scene($_) foreach @$group;
	ok(prompt($name), "$name: an honest post is there");
}
newcomer('endpoints and answers', 5 + $PATIENCE);
ok($indexer->wait_for('an endpoint that is no URL', q{SELECT count(*) = 4 FROM account JOIN identity USING (did) WHERE log::text LIKE '%https://999.1.1.1%' AND host IS NULL AND state = 'synchronized'}, 5 + $PATIENCE),
	'an account whose endpoint is no URL is loaded from the relay');
measure();

# Finding 5: a slow host takes no worker and no slot that others need.
foreach my $group (together('slow documents', 'slow repositories', 'slow logs'))
{
	my $name = join '; ', @$group;
	scene($_) foreach @$group;
	ok(prompt($name), "$name: an honest post is there");
	newcomer($name, 5 + $PATIENCE);
}

# Waits until this many more requests of a kind have arrived.
sub asked
{
	my ($kind, $before, $more) = @_;
	my $until = time + 3 * AtidTest::Indexer::patience();
	sleep 0.03 until (network('state')->{requests}{$kind} // 0) >= $before + $more || time > $until;
	return;
}

foreach my $name ('a cyclic cursor', 'invented in a list', 'a page of 100,000')
{
	my $before = network('state')->{requests}{listRepos} // 0;
	scene($name, $name =~ /^invented/ && !$ENV{ATID_FULL} ? '&n=150' : ''); # each is queried again and again
	sql("UPDATE want SET listed = '' WHERE (what, value) = ('account', '*')");
	asked('listRepos', $before, 2);
	ok(prompt($name), "$name: an honest post is there");
	network('calm');
}

# The directory.
foreach my $name ('the directory is away', 'the directory throttles', 'the directory fails', 'the directory is slow', 'the directory knows nobody')
{
	my $gone = time;
	scene($name);
	my $did    = network('newcomer')->{did};
	my $before = network('state')->{requests}{directory} // 0;
	asked('directory', $before, 1);
	ok(prompt($name), "$name: an honest post is there");
	my $asked = (network('state')->{requests}{directory} // 0) - $before;
	cmp_ok($asked, '<', 100, "$name: the directory is not queried over and over") if $name =~ /throttles/;
	network('calm');
	# It is left alone for a while that doubles: for as long again as it was down. Then all accounts without an answer
	# take turns; some of them are invented by the lists.
	my $most = time - $gone + 5 * AtidTest::Indexer::patience() + 2 * $PATIENCE
		+ sql("SELECT count(*) FROM identity WHERE answered IS NULL AND ask < 'infinity'") / 25 * AtidTest::Indexer::patience();
	ok($indexer->wait_for("$name: an account", "SELECT count(*) = 1 FROM account WHERE did = '$did' AND state = 'synchronized'", $most), '... and queried again when it is back')
		or diag(`tail -n 15 $run->{log} | cut -c 1-300`);
}

# Logs that fork: the owner takes the account back from a thief, in time or not; a thief tries to do so too.
my %fork = (
	'taken back within 72 hours' => [ '&hours=24', 'back.example' ],
	'taken back after 72 hours'  => [ '&hours=100', '' ],
	'by a key of less authority' => [ '&thief=1', '' ]);
my %forked = map { $_ => scene('a log that forks', $fork{$_}[0])->{did} } sort keys %fork;
foreach my $name (sort keys %fork)
{
	my $did = $forked{$name};
	ok($indexer->wait_for("a log that forks, $name", "SELECT count(*) = 1 FROM identity WHERE did = '$did' AND (answered IS NOT NULL OR problem IS NOT NULL)"), "a log that forks, $name: there is an answer");
	is(sql("SELECT handle FROM identity WHERE did = '$did'"), $fork{$name}[1], "a log that forks, $name");
}
scene('badly signed copies', $ENV{ATID_FULL} ? '&n=2000' : '&n=500');
ok(prompt('badly signed copies'), 'badly signed copies: an honest post is there');
my $invented = $ENV{ATID_FULL} ? 3000 : 300;
scene('invented', "&n=$invented");
ok(prompt('invented accounts'), 'invented accounts: an honest post is there');
my $rotated = network('rotate')->{uri};
ok($indexer->wait_for('a new key', "SELECT count(*) = 1 FROM record WHERE uri = '$rotated'", 5 * AtidTest::Indexer::patience()), '... and a new key of an account that is known');
newcomer('invented accounts', 5 + $invented / 25);
scene('a number far ahead');
ok(prompt('a number far ahead'), 'a number far ahead: an honest post is there');
measure();
note(sprintf 'scenes: %.1f s', time - $scenes);

#
# The walk.
#
my $walk   = time;
my $steps  = $ENV{ATID_STEPS} // ($ENV{ATID_FULL} ? 5000 : 100);
my $played = {};
foreach (1 .. $steps / 100)
{
	my $now = network('walk?n=100');
	$played->{$_} += $now->{$_} foreach keys %$now;
	network('calm');
	prompt('the walk');
	measure();
}
network('calm');
my $mark = network('mark')->{seq};
sql("UPDATE want SET listed = '' WHERE (what, value) = ('account', '*')");
my ($lies, $lost, $wrong, $other);
# Thousands of strangers have hosts that never answer, and are tried again and again here. The first attempt of each may
# come before that of an honest account.
my $untried;
do
{
	sleep 0.5;
	my $now = sql("SELECT count(*) FROM account WHERE state = 'desynchronized' AND failures = 0");
	($untried, $until) = ($now, time + $limit) if !defined $untried || $now < $untried;
	($lies, $lost, $wrong) = judge();
	$other = sql(q{SELECT a, state, rev, b, key, c, d FROM truth.line LEFT JOIN account ON did::text = a LEFT JOIN identity USING (did)
		WHERE what = 'account' AND (key IS DISTINCT FROM c OR (state = 'synchronized') IS DISTINCT FROM d::bool OR d::bool AND rev::text IS DISTINCT FROM b)});
} while ("$lies$lost$wrong$other" ne '' && time < $until);
is($lies, '', 'after a random walk nothing is in the tables that nobody has signed');
is($lost, '', '... and each record of an honest account is there');
is($wrong, '', '... and has the block of its CID');
is($other, '', '... and honest accounts have their state, revision and key');
is(sql(q{SELECT a.did FROM account AS a LEFT JOIN record AS r ON r.did = a.did WHERE a.state = 'synchronized' GROUP BY a.did, a.data
	HAVING a.data <> atid.mst_root(atid.at_uri_path(uri), cid ORDER BY atid.at_uri_path(uri) COLLATE "C") FILTER (WHERE uri IS NOT NULL)}), '',
	'the root of the records of each account is the one that it has signed');
note(sprintf '%d steps (%s) in %.1f s', $steps, join(', ', map { "$_ $played->{$_}" } sort keys %$played), time - $walk);

#
# Bounds.
#
measure();
cmp_ok($most_memory, '<', 250 + $MEMORY / 1e6, sprintf 'the memory of the program: %d MB', $most_memory);
cmp_ok($most_server, '<', 500, sprintf 'the memory of its processes of the server: %d MB', $most_server);
my $state = network('state');
my $size  = sql(q{SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relnamespace = 'indexer'::regnamespace AND relkind = 'r'});
note(join ', ', map { s/\|/ /r } split /\n/, sql(q{SELECT relname, pg_size_pretty(pg_total_relation_size(oid)) FROM pg_class
	WHERE relnamespace = 'indexer'::regnamespace AND relkind = 'r' ORDER BY pg_total_relation_size(oid) DESC LIMIT 8}));
cmp_ok(sql(q{SELECT pg_total_relation_size('bad')}), '<', 120e6, 'bad frames are limited');
is(sql(q{SELECT count(*) FROM (SELECT did FROM bad WHERE early GROUP BY did HAVING count(*) > 100) AS x}), 0, '... and early ones one for each account');
is(sql(q{SELECT count(*) FROM identity WHERE octet_length(pds) > 512 OR octet_length(handle) > 253 OR octet_length(did::text) > 512}), 0, 'no name is longer than allowed');
is(sql(q{SELECT DISTINCT code FROM (SELECT problem FROM account UNION SELECT problem FROM identity UNION SELECT problem FROM host
	UNION SELECT problem FROM want UNION SELECT code FROM bad) AS x (code) WHERE code IS NOT NULL AND code NOT IN (SELECT code FROM code)}),
	'', 'all problems are codes from the list');
is(sql(q{SELECT count(*) FROM account WHERE octet_length(status) > 64 OR octet_length(problem) > 64 OR octet_length(detail) > 1000}), 0, '... and no reason');
is($state->{compressed}, 0, 'the stream is not compressed');
my $log = join '', map { slurp_file($_) } glob "$folder/indexer*.log";
unlike($log, qr/[\x00-\x09\x0b-\x1f\x7f]/, 'no line of the log moves a cursor');
is(scalar(grep { !/^\d{4}-\d\d-\d\dT[\d:.]+Z (?:error|warn|info|debug) / } split /\n/, $log), 0, '... or begins with a text of a stranger');
unlike($log, qr/^\d{4}-\d\d-\d\dT\S+ (?:\w+ )?(?:forged|progress frames=0 forged)/m, '... however well it imitates the log');
unlike($log, qr/^\s+at \S+ \(/m, '... and none belongs to a stack trace');

is($indexer->stop($_), 0, 'SIGTERM ends it, with status 0') foreach $labels, $run;
AtidTest::Indexer::waiting_is_counted($node, $db);
$states->finish;
$node->stop;
no_deadlocks($node);
note(sprintf '%.1f s', time - $began);
done_testing();
