# No activity of the indexer stops silently.
#
# Each activity of the program gives a sign of life within a bound, which the table activity_bound shortens here. Shows
# that `status` with exit status 1, /healthz with 503 and /metrics with 0 report each activity
# - when a function that it calls does not return (a lock), and when that function raises an error;
# - when the server, the directory, all hosts or all domains fail; when frames or labels are refused; when a reader does
#   not read; and when the whole program is stopped; and that the report ends afterwards. Also that a program with
#   nothing to do has no problem, that trouble with one account does not count as trouble with all, and that a former
#   stream is not reported. And that doc/operate.md lists the activities with their bounds.
#
# Skipped where atid_crypto, node or npm are not available.
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
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $limit = $PostgreSQL::Test::Utils::timeout_default;
my $node  = new_node('signs', ready => 1);
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my ($oracles, $why) = AtidTest::Oracles->new;
plan skip_all => $why unless defined $oracles;
my $folder = $oracles->{folder};
my $db     = new_database($node, 'indexer');
(my $indexer, $why) = AtidTest::Indexer->new($node, $db, $oracles);
plan skip_all => $why unless defined $indexer;
sub sql { return $indexer->ask($_[0]); }

my ($status, $said) = $indexer->command('init');
is($status, 0, 'init') or die $said;

#
# The manual.
#
my $manual = slurp_file("$FindBin::Bin/../../doc/operate.md");
my $table = sql(q{SELECT format('`%s` | %s | %s', name, coalesce(activity_in_words(turn), '-'), coalesce(activity_in_words(success), '-')) FROM activities() ORDER BY place, name});
my @documented = $manual =~ /^(`[a-z ]+`) \|[^|\n]*\| ([^|\n]+?) \| ([^|\n]+?) \|[^|\n]*$/mg;
my @lines;
push @lines, join ' | ', splice @documented, 0, 3 while @documented;
is(join("\n", grep { !/^`stream`/ } @lines), $table, 'doc/operate.md has each activity with its bounds');

#
# The network, and the program.
#
my $network = AtidTest::Network->new($indexer->{program}, "$folder/hostile.js", AtidTest::Oracles::seed());
my $http    = $network->http;
sub network { return $network->ask($_[0]); }

my %metrics  = map { $_ => PostgreSQL::Test::Cluster::get_free_port() } qw(Repos Labels);
my %settings = (ATID_SERVICE_URL => $network->url, ATID_PLC_URL => $network->url(1), ATID_ALLOW_PRIVATE_ADDRESSES => 1);

# Bounds in seconds: of turns, and of success. The report comes within a tenth of the shortest.
sub bound
{
	my ($name, $turn, $success) = map { $_ // 'NULL' } @_[ 0 .. 2 ];
	return sql("INSERT INTO activity_bound VALUES ('$name', $turn * interval '1 s', $success * interval '1 s')
		ON CONFLICT (name) DO UPDATE SET turn = excluded.turn, success = excluded.success");
}
my $patience = AtidTest::Indexer::patience();
my $turn     = 2 + $patience;
sub standard { sql('TRUNCATE activity_bound'); return bound('program', 60); }

sub late { my ($of) = @_; return "(SELECT coalesce(string_agg(activity, ', ' ORDER BY activity), 'none') FROM status_activity WHERE problem IS NOT NULL AND stream LIKE '%subscribe$of')"; }

# A page of the program once it matches: on a busy machine it may be wrong for a while.
sub page
{
	my ($of, $path, $as) = @_;
	my ($until, $answer) = (time + $limit);
	sleep 0.1 until ($answer = $http->get("http://127.0.0.1:$metrics{$of}/$path"))->{content} =~ $as || time > $until;
	return $answer;
}

# Checks that these activities are late, and no others: in the view, and with it in /healthz, /metrics and status.
sub is_late
{
	my ($what, $names, $words, $of) = @_;
	$of //= 'Repos';
	my $is = $indexer->wait_for("$what: $names", 'SELECT ' . late($of) . " = '$names' AND (SELECT bool_and(problem ~ '$words') FROM status_activity WHERE problem IS NOT NULL)");
	ok($is, "$what: $names") or diag(sql('SELECT ' . late($of)), "\n", sql("SELECT activity, idle, failing, problem FROM status_activity"));
	my ($first) = split /\n/, sql("SELECT activity FROM status_activity WHERE problem IS NOT NULL AND stream LIKE '%subscribe$of' ORDER BY place LIMIT 1");
	my $answer = page($of, 'healthz', qr/^\Q$first\E: .*$words/);
	is($answer->{status}, 503, '... /healthz');
	like($answer->{content}, qr/^\Q$first\E: .*$words/, '... names the first');
	my %value = map { /^atid_activity_healthy\{of="(.*?) of \S+ \S+subscribe$of"\} (\d)/ ? ($1 => $2) : () } split /\n/, page($of, 'metrics', qr/activity_healthy/)->{content};
	is(join(', ', grep { !$value{$_} } sort keys %value), $names, '... /metrics');
	($status, $said) = $indexer->call('status');
	is($status, 1, '... status fails');
	my @problems = $said =~ /^  PROBLEM: (.*?): .*$words.*; \w/mg;
	is(join(', ', sort @problems), $names, '... and reports each, with what to do') or diag($said);
	return;
}

sub is_well
{
	my ($what, $of) = @_;
	$of //= 'Repos';
	ok($indexer->wait_for("$what: it is well", 'SELECT ' . late($of) . " = 'none'"), "$what: afterwards all is well") or diag(sql('SELECT activity, problem FROM status_activity'));
	return;
}

#
# Without work, and with bounds of a few seconds, there is no problem.
#
standard();
sql("INSERT INTO stream (name, kind, started) VALUES ('former com.atproto.sync.subscribeRepos', 'repos', now() - interval '1 day')");
sql("INSERT INTO activity (stream, name, at) VALUES ('former com.atproto.sync.subscribeRepos', 'lists', now() - interval '1 day')");
my $run = $indexer->start(%settings, ATID_METRICS_PORT => $metrics{Repos});
$indexer->wait_for('accounts are loaded', "SELECT (SELECT count(*) FROM account WHERE state = 'synchronized') = 12") or diag(`tail -n 20 $run->{log}`);
my $name = sql("SELECT name FROM stream WHERE kind = 'repos' ORDER BY started DESC LIMIT 1");
is(sql(q{SELECT (SELECT string_agg(DISTINCT what, ', ') FROM watch WHERE type IS NULL OR help IS NULL),
	(SELECT string_agg(what, ', ') FROM metrics() AS m WHERE NOT EXISTS (SELECT 1 FROM watch AS w WHERE w.what = m.what))}),
	'|commits_without_prev_data', 'the view watch has each metric with its type and meaning');
sql("INSERT INTO activity (stream, name, at) VALUES ('$name', 'shard 7', now() - interval '1 day')");
bound($_, $turn, 2 * $turn) foreach split /\n/, sql(q{SELECT name FROM activities() WHERE kind IS DISTINCT FROM 'labels' AND name <> 'housekeeping'});
bound('housekeeping', 12 + $turn, 12 + $turn);
$indexer->wait_for('it reports more often', "SELECT NOT EXISTS (SELECT FROM activity WHERE name = 'shard 7')");
is(sql("SELECT string_agg(name, ', ' ORDER BY name) FROM activity WHERE stream = '$name'"),
	'cursor, gaps, housekeeping, identities of plc, identities of web, lists, loads of known accounts, loads of new accounts, program, shard 0, signals, statuses, wants',
	'each activity gives a sign');
my ($until, @seen) = (time + 2 * $turn);
while (time < $until)
{
	push @seen, sql('SELECT ' . late('Repos'));
	sleep 0.2;
}
is(join(' ', grep { $_ ne 'none' } @seen), '', 'a quiet server: no problem, with bounds of seconds');
is(page('Repos', 'healthz', qr/^ok/)->{content}, "ok\n", '... /healthz');
is(sql("SELECT count(*) FROM status_activity WHERE stream LIKE 'former%'"), 0, '... and a stream that is no longer followed gives no sign');

#
# A function that does not return, and then one that raises an error.
#
sql(<<'SQL');
CREATE SCHEMA try;
CREATE FUNCTION try.replace(f text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE p record;
BEGIN
  SELECT oid, pg_get_function_arguments(oid) AS arguments, pg_get_function_result(oid) AS result INTO STRICT p FROM pg_proc
  WHERE pronamespace = 'indexer'::regnamespace AND proname = f;
  EXECUTE format('ALTER FUNCTION %s RENAME TO %I', p.oid::regprocedure, f || '_away');
  EXECUTE format('CREATE FUNCTION indexer.%I(%s) RETURNS %s LANGUAGE plpgsql AS
    $f$ BEGIN PERFORM pg_advisory_xact_lock_shared(77); RAISE ''on purpose''; END $f$', f, p.arguments, p.result);
END $$;
CREATE FUNCTION try.restore(f text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE (SELECT 'DROP FUNCTION ' || oid::regprocedure FROM pg_proc WHERE pronamespace = 'indexer'::regnamespace AND proname = f);
  EXECUTE (SELECT format('ALTER FUNCTION %s RENAME TO %I', oid::regprocedure, f) FROM pg_proc
           WHERE pronamespace = 'indexer'::regnamespace AND proname = f || '_away');
END $$;
SQL
my %calls = (
	process_frames => 'shard 0', next_listing => 'lists', claim_identities => 'identities of plc, identities of web',
	run_maintenance => 'housekeeping', claim_status_checks => 'statuses', claim_candidates => 'signals',
	claim_loads => 'loads of known accounts, loads of new accounts', reconcile_wants => 'wants', recheck_after_gap => 'gaps');
sub names_of { return join ', ', sort map { split /, /, $calls{$_} } @_; }
# (The loops of claim_identities(), and those of claim_loads(), share three connections with lists, statuses and
# signals: these wait.)
foreach my $some ('process_frames reconcile_wants next_listing', 'run_maintenance claim_status_checks claim_candidates',
	'recheck_after_gap', 'claim_loads', 'claim_identities')
{
	my $functions = [ split / /, $some ];
	sql('SELECT pg_advisory_lock(77)');
	sql("SELECT try.replace('$_')") foreach @$functions;
	my @stand = $some =~ /^(?:claim_identities|claim_loads)$/
	  ? qw(claim_identities next_listing claim_loads claim_status_checks claim_candidates) : @$functions;
	is_late('a function that does not return', names_of(@stand),
		'no sign of life for \\d+ s');
	sql("SELECT try.restore('$_')") foreach @$functions;
	sql('SELECT pg_advisory_unlock(77)');
	is_well(join ' ', @$functions);
}
standard();
bound($_, undef, 2) foreach split /\n/, sql(q{SELECT name FROM activities() WHERE name NOT IN ('program', 'labels')});
sql("SELECT try.replace('$_')") foreach sort keys %calls;
is_late('a function that raises an error', names_of(keys %calls), 'failing for \\d+ s: on purpose');
sql("SELECT try.restore('$_')") foreach sort keys %calls;
is_well('functions');

#
# Other parties fail. (The program retries at growing intervals, so recovery may take a while.)
#
sql(q{UPDATE settings SET pause_first = '0.2 s', pause_most = '1 s'});
standard();

my $spread = network('spread?n=6')->{dids};
my $webs   = network('spread?n=6&web=1')->{dids};
my $all    = sub { return join ', ', map { "'$_'" } @{ $_[0] } };
ok($indexer->wait_for('accounts of many hosts', "SELECT count(*) = 12 FROM account WHERE did IN (" . $all->([@$spread, @$webs]) . ") AND state = 'synchronized'"), 'accounts of many hosts');

# Trouble with one account is not reported as trouble with others.
bound('loads of known accounts', undef, 2);
network('away?of=getRepo');
sql("SELECT reload_account('$spread->[0]')");
$indexer->wait_for('it fails', "SELECT failures > 3 FROM account WHERE did = '$spread->[0]'");
sleep 3;
is(sql('SELECT ' . late('Repos')), 'none', 'one account that fails is no sign that all do');
sql("SELECT reload_account('$_')") foreach @$spread;
is_late('all hosts fail', 'loads of known accounts', 'failing for \\d+ s: server error');
network('calm');
is_well('hosts');
standard();

bound('loads of new accounts', undef, 2);
network('away?of=getRepo');
network('spread?n=6');
is_late('all hosts fail', 'loads of new accounts', 'failing for \\d+ s: server error');
network('calm');
is_well('hosts');
standard();

bound('identities of web', undef, 2);
network('away?of=document');
sql("UPDATE identity SET ask = now() WHERE did IN (" . $all->($webs) . ')');
is_late('all domains fail', 'identities of web', 'failing for \\d+ s: server error');
network('calm');
is_well('domains');
standard();

bound('identities of plc', undef, 2);
network('away?of=directory');
sql("UPDATE identity SET ask = now() WHERE did_method(did) = 'plc'");
is_late('the directory is away', 'identities of plc', 'failing for \\d+ s: http://\\S+ does not answer');
network('calm');
is_well('the directory');
standard();

bound('lists', undef, 2);
network('away?of=listRepos');
sql("UPDATE want SET listed = '' WHERE (what, value) = ('account', '*')");
is_late('a list fails', 'lists', 'failing for \\d+ s: server error'); # (before that, it is due and not begun)
network('calm');
is_well('lists');
standard();

bound('statuses', undef, 2);
network('away?of=getRepoStatus');
sql("UPDATE account SET check_at = now() WHERE state = 'synchronized'");
is_late('the server has no status of any account', 'statuses', 'failing for \\d+ s: .*server error');
network('calm');
sql("UPDATE account SET check_at = now() WHERE check_at < 'infinity'");
is_well('statuses');
standard();

bound('signals', undef, 2);
network('away?of=describeRepo');
sql("INSERT INTO candidate (did) SELECT format('did:web:c%s.example', n)::atid.did FROM generate_series(1, 40) AS n");
is_late('the server describes no repository', 'signals', 'failing for \\d+ s: the server describes no repository');
sql('DELETE FROM candidate');
is_well('signals');
network('calm');
standard();

# Work that is due, but is not begun.
bound('wants', undef, 2);
sql("CREATE FUNCTION try.keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'");
sql("CREATE TRIGGER keep BEFORE DELETE ON notice FOR EACH ROW EXECUTE FUNCTION try.keep()");
network('newcomer');
is_late('notices that nobody follows', 'wants', 'failing for \\d+ s: work is due, but has not begun');
my ($since, @reports) = ("SELECT failing FROM activity WHERE stream = '$name' AND name = 'wants'");
push @reports, sql("SELECT at FROM activity WHERE stream = '$name' AND name = 'wants'"), sql($since);
$indexer->wait_for('another report', "SELECT at > '$reports[0]' FROM activity WHERE stream = '$name' AND name = 'wants'");
is(sql($since), $reports[1], '... since the same time, in each report');
sql('DROP TRIGGER keep ON notice');
is_well('notices');
standard();

bound('cursor', undef, 2);
network('noise?n=3');
is_late('frames are refused', 'cursor', 'failing for \\d+ s: frames are refused, and the cursor does not move');
network('post');
is_well('the cursor');
standard();

# Readers: of an application, and of the API, whose reader holds a lock while it runs.
bound('reader', undef, 2);
bound('api', undef, 2);
sql("SELECT pg_advisory_lock(hashtextextended('api x', 0)); SELECT read_from_now(r) FROM unnest('{app,api x}'::text[]) AS r;
	UPDATE reader SET api = true WHERE name = 'api x'");
$indexer->wait_for('they are observed', q{SELECT count(*) = 2 FROM activity WHERE name IN ('reader app', 'api x')});
sleep 3;
is(sql('SELECT ' . late('Repos')), 'none', 'readers with nothing to read are well');
network('post');
is_late('readers do not read', 'api x, reader app', 'failing for \\d+ s: it does not read the changes that wait');
sql("SELECT read_to(r, '9223372036854775807', 0) FROM unnest('{app,api x}'::text[]) AS r");
is_well('readers');
sql("DELETE FROM reader; SELECT pg_advisory_unlock(hashtextextended('api x', 0))");
$indexer->wait_for('they have ended', q{SELECT count(*) = 0 FROM activity WHERE name IN ('reader app', 'api x')});
standard();

#
# Labels, by a program of their own.
#
my $labels = $indexer->start(%settings, ATID_STREAM_KIND => 'labels', ATID_METRICS_PORT => $metrics{Labels});
$indexer->wait_for('it listens', q{SELECT count(*) > 0 FROM shard WHERE stream LIKE '%Labels' AND taken IS NOT NULL});
sleep 0.05 until $indexer->wait_for_log($labels, qr/stream connected/);
network('label?val=first');
$indexer->wait_for('a label', 'SELECT count(*) > 0 FROM labels');
is(sql("SELECT string_agg(name, ', ' ORDER BY name) FROM activity WHERE stream LIKE '%Labels'"),
	'cursor, housekeeping, identities of plc, identities of web, labels, program, shard 0', 'the program for labels gives its own signs');
bound('labels', undef, 2);
network('forge?n=3');
is_late('labels are refused', 'labels', 'failing for \\d+ s: no label is signed', 'Labels');
is(sql('SELECT ' . late('Repos')), 'none', 'the other stream is healthy');
network('label?val=second');
is_well('labels', 'Labels');
standard();

#
# The program is stopped: then this is the problem, and its earlier reports are outdated.
#
bound('program', 3);
bound('lists', 3);
kill 'STOP', $run->{pid};
ok($indexer->wait_for('no sign', 'SELECT ' . late('Repos') . " = 'program'"), 'a program that stands still');
like(sql("SELECT stream_health('$name')"), qr/^the program has given no sign of life for \d+ s$/, '... as health() reports');
is(sql(q{SELECT string_agg(value::text, ' ') FROM watch WHERE what = 'activity_healthy' AND of LIKE 'program of %Repos'}), '0', '... and the view watch');
($status, $said) = $indexer->command('status');
is($status, 1, '... and status');
like($said, qr/^  PROBLEM: the program has given no sign of life for \d+ s; start /m, '... with what to do');
kill 'CONT', $run->{pid};
is_well('the program');

# A failure to write signs is noticed.
sql(q{CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON activity FOR EACH ROW EXECUTE FUNCTION try.keep()});
my $post = network('post');
ok($indexer->wait_for('no sign', 'SELECT ' . late('Repos') . " = 'program'"), 'signs that are not written are noticed as missing');
ok($indexer->wait_for('the post', "SELECT count(*) = 1 FROM record WHERE uri = '$post->{uri}' AND did = '$post->{did}'"), '... and everything else goes on');
sql('DROP TRIGGER refuse ON activity');
is_well('the program');

is($indexer->stop($run), 0, 'it ends');
is($indexer->stop($labels), 0, 'the other ends');
bound('program', 1);
ok($indexer->wait_for('no sign', 'SELECT ' . late('Repos') . " = 'program' AND " . late('Labels') . " = 'program'"), 'programs that have ended are noticed as missing');
done_testing();
