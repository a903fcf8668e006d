# The indexer loses no record and stores none twice, whatever happens to it.
#
# indexer/t/oracles/network.js is the network: accounts of @atproto/repo and @did-plc/lib, a relay, a PLC directory.
# While it announces the accounts' activity, connections are cut; frames come twice, are left out, are malformed, have a
# wrong signature or are false; keys change; accounts are taken down and come back; answers over HTTP are errors, cut in
# half, or outdated. Meanwhile PostgreSQL is stopped immediately and started, and the consumer is killed and started,
# and paused for so long that the relay no longer has the frames it missed. Shows that afterwards
# - the tables have the records, revisions and keys that the accounts have, each once, and the root of the tree of
#   each account's records is the one that it has signed;
# - every bad frame is kept, once, with its reason;
# - a second consumer waits while the first one is at work;
# - it needs no privilege except to use the tables and to create temporary ones;
# - a reader of the changes, as in doc/indexer.md, that is killed now and then has processed each of them once;
# - an account that is deleted while no consumer is connected has no records;
# - a did:web account gets its key from its domain, but not from a private address;
# - Prometheus can scrape everything there is to watch: with $ATID_FULL Debian's Prometheus does, and answers each query
#   of the dashboard;
# - where a user's index raises an error for a record, its frame is kept aside, and the rest proceeds;
# - the settings of its role do not disturb it, and neither does a list that is older than the state of the stream;
# - SIGTERM ends it, with status 0; soon, with status 1, if the database does not respond; a second signal ends it at
#   once;
# - while the disk is full, simulated by errors of that name, no frame is taken and no account is blamed; then
#   everything continues;
# - an upgrade of the schema ends it, and a relay that does not answer makes it unhealthy;
# - labels of a labeler's stream are stored, and labels not signed by its key are refused;
# - each change of an account's state is one that the table of indexer/README.md has;
# - all of this holds for one, two and three shards, whose number changes at each start;
# - a new relay is followed from where the previous one ended.
#
# There are 400 events, 6,000 with $ATID_FULL, or the number in $ATID_EVENTS; the consumer is killed 3 times, 37 with
# $ATID_FULL. With $ATID_RATE, a number, it measures how many events per second are processed, and how much of them is
# stored, compared with those that are only received. Skipped where atid_crypto, Node 22 or npm are not available.
# indexer/t/citus_chaos.pl runs it on Citus, without triggers on record, which Citus does not support, and without
# settings of the role, which would also apply to its connections to the shards.
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
use HTTP::Tiny;
use IPC::Run;
use JSON::PP;
use List::Util qw(sum);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $events  = $ENV{ATID_EVENTS} || ($ENV{ATID_FULL} ? 6000 : 400);
my $limit   = $PostgreSQL::Test::Utils::timeout_default;

my $citus = $ENV{ATID_CITUS_USER};
my $records = $citus ? 'record' : 'packed_record';    # the table
my @on_citus = (conf => "shared_preload_libraries = 'citus'\nmax_connections = 200\nmax_prepared_transactions = 50\ncitus.recover_2pc_interval = 1s");
my $node = new_node('indexer', lasting => 1, $citus ? @on_citus : ());
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my ($oracles, $why) = AtidTest::Oracles->new;
plan skip_all => $why unless defined $oracles;
my $folder = $oracles->{folder};
my $seed = AtidTest::Oracles::seed();
my $db = 'indexer';
(my $indexer, $why) = AtidTest::Indexer->new($node, $db, $oracles);
plan skip_all => $why unless defined $indexer;

#
# The database, and a role that may only use its tables.
#
local @ENV{qw(PGHOST PGPORT PGUSER)} = ($node->host, $node->port, scalar getpwuid($>));
$node->safe_psql('postgres', "CREATE DATABASE $db");
if ($citus)
{
	$node->safe_psql($db, "CREATE EXTENSION citus; SELECT citus_set_coordinator_host('$ENV{PGHOST}', $ENV{PGPORT})");
	foreach my $n (1, 2)
	{
		my $worker = new_node("indexer_worker$n", @on_citus);
		$worker->safe_psql('postgres', "CREATE DATABASE $db");
		$worker->safe_psql($db, 'CREATE EXTENSION citus; CREATE ROLE consumer LOGIN');
		$node->safe_psql($db, sprintf "SELECT citus_add_node('%s', %d)", $worker->host, $worker->port);
	}
}
my ($status, $said) = $indexer->command('init', '--role', 'consumer', $citus ? '--citus' : ());
is($status, 0, 'init') or die $said;
my $states = $citus ? undef : AtidTest::States->new($node, $db);
$node->safe_psql($db, 'REVOKE TEMPORARY ON DATABASE indexer FROM PUBLIC');

# The indexer waits less, and keeps less.
$node->safe_psql($db, q{UPDATE settings SET pause_first = '0.05 s', pause_most = '0.8 s', spread = '0.1 s', most_waiting = 3000});

# The settings of the role do not disturb it.
$citus || $node->safe_psql($db, "ALTER ROLE consumer SET $_") foreach 'statement_timeout = 1', 'lock_timeout = 1', 'idle_session_timeout = 1',
	"default_transaction_isolation = 'serializable'";

#
# The network and the consumer.
#
my $network = AtidTest::Network->new($oracles->{node}, "$folder/network.js", $seed, 12);
my $url     = $network->url;
my $http    = $network->http;
sub network { return $_[0] eq 'expected' ? $network->answer($_[0]) : $network->ask($_[0]); }

# Sends a request whose answer is read later.
sub network_later
{
	my ($path) = @_;
	my $pid = fork // die "could not fork: $!";
	return $pid if $pid;
	my $well = HTTP::Tiny->new(timeout => $limit)->get("$url/$path")->{success};
	require POSIX;
	POSIX::_exit($well ? 0 : 1);
}

# A time of day, in seconds.
sub clock
{
	my ($h, $m, $s) = split /:/, $_[0];
	return ($h * 60 + $m) * 60 + $s;
}

my @consumers;

sub start_consumer
{
	my (%more) = @_;
	push @consumers,
	  $indexer->start(
		PGUSER             => 'consumer',
		ATID_SERVICE_URL   => $url,
		ATID_PLC_URL       => $url,
		ATID_MAX_REPO_SIZE => '20MB',
		ATID_REPO_TIMEOUT  => '1s',
		ATID_STREAM_SHARDS => 1 + @consumers % 3,
		%more);
	return $consumers[-1];
}

# Waits until a query is true.
sub wait_for
{
	my ($what, $query) = @_;
	my $until = time + $limit;
	while (time < $until)
	{
		my ($code, $out) = $node->psql($db, $query);
		return 1 if $code == 0 && $out eq 't';
		sleep 0.1;
	}
	diag(`tail -n 20 $folder/indexer*.log`);
	diag($node->safe_psql($db, q{TABLE shard; TABLE stream; TABLE notice; SELECT stream, did, seq FROM waiting; SELECT * FROM want WHERE seek IS NOT NULL;
		SELECT did, state, status, problem, detail, load_at, check_at, doubted FROM account WHERE state NOT IN ('synchronized', 'inactive', 'barred') OR check_at < 'infinity';
		SELECT did, ask, problem, detail FROM identity WHERE ask < now() + '1 h'}));
	return fail("waiting: $what");
}

# The key of one account is known before the account is.
my $did = network('hold')->{did};
network('release');
$node->safe_psql($db, "INSERT INTO identity (did) VALUES ('$did')");
foreach (1 .. 24)
{
	my $log = $http->get("$url/$did/log/audit");
	$node->safe_psql($db, "SELECT store_plc_log('$did', \$log\$$log->{content}\$log\$, now())") if $log->{success};
}
is($node->safe_psql($db, "SELECT count(key) FROM identity"), 1, 'the key of an account is known');

my $all_there = q{(SELECT count(*) FROM account WHERE state NOT IN ('synchronized', 'inactive', 'barred') OR check_at < now() + '30 min') = 0
  AND (SELECT count(*) FROM waiting) = 0 AND (SELECT count(*) FROM notice) = 0
  AND (SELECT count(*) FROM identity WHERE ask < now() + '1 h') = 0
  AND (SELECT count(*) FROM stream WHERE look IS NOT NULL) = 0 AND (SELECT of IS NULL FROM next_listing())
  AND (SELECT count(*) FROM want WHERE seek IS NOT NULL) = 0};
my $port     = PostgreSQL::Test::Cluster::get_free_port();
my $consumer = start_consumer(ATID_METRICS_PORT => $port);
wait_for('the accounts are loaded', "SELECT (SELECT count(*) FROM account) = 12 AND $all_there");
# (a query that takes longer than a scrape may wait is repeated by the next)
my $page = '';
for (my $until = time + $limit; time < $until && $page !~ /^atid_accounts/m; sleep 0.5)
{
	$page = $http->get("http://127.0.0.1:$port/metrics")->{content};
}
like($page, qr/^atid_accounts\{of="synchronized"\} 12$/m, 'Prometheus can ask');
# Before the first frame, no sequence number reveals the missed commits; the lists do.
network('cut');
network('start');
wait_for('the missed records are found', "SELECT $all_there AND " . join ' AND ', map { "EXISTS (SELECT 1 FROM account WHERE did = '$_->[0]' AND rev = '$_->[1]')" }
	  map { [ (split /\t/)[ 1, 2 ] ] } grep { /^account/ } split /\n/, network('expected'));
network('plain?n=1');
wait_for('a cursor is there', 'SELECT cursor > 0 FROM status_stream');

# A reader, in a database of the same server.
my ($program) = slurp_file("$FindBin::Bin/../../doc/indexer.md") =~ /^```js\n(.*?)^```$/ms or die 'no reader';
PostgreSQL::Test::Utils::append_to_file("$folder/reader.mjs", $program);
$node->safe_psql($db, q{CREATE TABLE app (uri text PRIMARY KEY, cid text); CREATE TABLE done (tx xid8, n bigint); SELECT read_from_now('app');
	INSERT INTO app SELECT uri, cid FROM record;
	CREATE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN INSERT INTO done SELECT tx, n FROM change AS c WHERE (c.tx, c.n) > (OLD.tx, OLD.n) AND (c.tx, c.n) <= (NEW.tx, NEW.n); RETURN NULL; END $$;
	CREATE TRIGGER noted AFTER UPDATE ON reader FOR EACH ROW EXECUTE FUNCTION noted()});
my $reader;

sub start_reader
{
	local %ENV = (%ENV, PGDATABASE => $db, PGOPTIONS => '-c search_path=indexer,public');
	return $reader = IPC::Run::start([ $oracles->{node}, "$folder/reader.mjs" ], '<', \undef, '>&', "$folder/reader.log");
}

sub kill_reader
{
	$reader->signal('KILL');
	eval { $reader->finish };
	return;
}
start_reader();

# Each query of the dashboard has an answer.
sub watched_by_prometheus
{
	my $program = AtidTest::Oracles::find_program('prometheus');
	return note('prometheus is asked with script/test --full, where it is in the PATH') unless $ENV{ATID_FULL} && defined $program;
	my $at = '127.0.0.1:' . PostgreSQL::Test::Cluster::get_free_port();
	PostgreSQL::Test::Utils::append_to_file("$folder/prometheus.yml",
		"global: {scrape_interval: 1s}\nscrape_configs: [{job_name: atid, static_configs: [{targets: ['127.0.0.1:$port']}]}]\n");
	my $run = IPC::Run::start([ $program, "--config.file=$folder/prometheus.yml", "--storage.tsdb.path=$folder/prometheus", "--web.listen-address=$at" ],
		'<', \undef, '>&', "$folder/prometheus.log");
	my %query = map { $_->{expr} => 1 } map { @{ $_->{targets} // [] } } @{ decode_json(slurp_file("$FindBin::Bin/../../indexer/grafana.json"))->{panels} };
	my @missing = sort keys %query;
	my $until   = time + $limit;
	while (@missing && time < $until && $run->pumpable)
	{
		sleep 1;
		@missing = grep {
			my $answer = $http->get("http://$at/api/v1/query?" . $http->www_form_urlencode({ query => $_ }));
			!$answer->{success} || !@{ decode_json($answer->{content})->{data}{result} };
		} @missing;
	}
	cmp_ok(scalar keys %query, '>', 5, 'the dashboard has queries');
	is("@missing", '', 'Prometheus answers each query of the dashboard') or diag(`tail -n 5 $folder/prometheus.log`);
	$run->kill_kill;
	return;
}

my $second = start_consumer();
ok($indexer->wait_for_log($second, qr/another consumer is running on \Q$url\E com\.atproto\.sync\.subscribeRepos \(role consumer, atid-indexer lock, process \d+\)/),
	'a second consumer waits for the first');
my $other = start_consumer(ATID_SERVICE_URL => $url =~ s/127\.0\.0\.1/localhost/r, ATID_METRICS_PORT => $port);
ok($indexer->wait_for_log($other, qr/another consumer is running on \Q$url\E /), '... and so does one for another server, which has other accounts');
is($indexer->stop($other), 0, '... which ends by SIGTERM');

#
# The faults.
#
my %done;
my $part = int($events / 5);
network("emit?n=$part");
watched_by_prometheus();

# A slow database, so that a transaction is under way when it stops.
$citus || $node->safe_psql($db, q{CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.2); RETURN NULL; END';
	CREATE TRIGGER slow BEFORE INSERT ON packed_record FOR EACH STATEMENT EXECUTE FUNCTION slow()});
my $later = network_later("emit?n=$part&pace=6");
sleep 0.5;
$node->stop('immediate');
$done{'PostgreSQL stopped at once'}++;
sleep 0.3;
$node->start;
$citus || $node->safe_psql($db, 'DROP TRIGGER slow ON packed_record');
waitpid $later, 0;

is($indexer->stop($second), 0, '... and ends by SIGTERM');

my $kills = $ENV{ATID_FULL} ? 36 : 2;
foreach (1 .. $kills)
{
	$later = network_later('emit?n=' . int($part / $kills) . '&pace=6');
	sleep 0.4;
	$indexer->stop($consumer, 'KILL');
	kill_reader();
	$done{'consumer killed'}++;
	$consumer = start_consumer();
	start_reader();
	waitpid $later, 0;
}

# The consumer stands still for so long that the relay no longer has the missed frames.
my $mark = network('mark')->{seq};
wait_for('all is taken', "SELECT cursor >= $mark FROM status_stream");
$indexer->stop($consumer, 'KILL');
$done{'consumer killed'}++;
my $gone = network('vanish?of=' . $node->safe_psql($db, q{SELECT string_agg(DISTINCT did::text, '+') FROM record JOIN account USING (did)
	WHERE state = 'synchronized'}))->{did};
# A PDS reports that; some relays do not.
my $relay = $seed % 2;
$mark = network("lapse?n=$part" . ($relay ? '&silent=1' : ''))->{seq};
$node->safe_psql($db, q{WITH l AS (SELECT FROM shard ORDER BY lo FOR UPDATE) UPDATE shard SET heard = heard - interval '1 day' WHERE (SELECT count(*) FROM l) > 0}) if $relay;
# The first number shows the gap, but not at once: a trigger refuses the report twice.
$relay && !$citus && $node->safe_psql($db, q{CREATE SEQUENCE expected; CREATE FUNCTION not_yet() RETURNS trigger LANGUAGE plpgsql AS
	'BEGIN IF nextval(''expected'') <= 2 THEN RAISE ''not yet''; END IF; RETURN NEW; END';
	GRANT ALL ON SEQUENCE expected TO PUBLIC;
	CREATE TRIGGER not_yet BEFORE UPDATE ON stream FOR EACH ROW WHEN (NEW.look IS NOT NULL AND OLD.look IS NULL) EXECUTE FUNCTION not_yet()});
$consumer = start_consumer();
# (a number that skips so many is believed once ten others have arrived)
network('mark') foreach 1 .. 10;
$mark = network('mark')->{seq};
wait_for('the stream goes on', "SELECT cursor >= $mark FROM status_stream");
network("emit?n=$part");

network('calm');
my $last = network('settle')->{seq};
wait_for('the end', "SELECT (SELECT max(cursor) FROM status_stream) >= $last AND $all_there");
if ($relay && !$citus)
{
	is($node->safe_psql($db, 'SELECT last_value > 2 FROM expected'), 't', 'the gap that the first number shows is reported until the database has it');
	$node->safe_psql($db, 'DROP TRIGGER not_yet ON stream; DROP FUNCTION not_yet(); DROP SEQUENCE expected');
}

# While an account is loaded, so many of its frames wait that only the newest are kept, and the loaded repository is
# older than these.
$did = network('hold')->{did};
$node->safe_psql($db, "SELECT reload_account('$did')");
wait_for('it is loaded', "SELECT state = 'loading' FROM account WHERE did = '$did'");
foreach (1 .. 5)
{
	$last = network("plain?n=8&did=$did")->{seq};
	wait_for('the stream goes on', "SELECT cursor >= $last FROM status_stream");
}
# (a batch has at most the 8 frames that were sent together)
my ($waiting, $older) = split /\|/, $node->safe_psql($db, q{
	SELECT count(*), coalesce(sum(octet_length(frame)) FILTER (WHERE n > 8), 0)
	FROM (SELECT frame, row_number() OVER (ORDER BY seq DESC) AS n FROM waiting) AS w});
note("$waiting frames wait");
cmp_ok($older, '<=', 3000, 'only most_waiting bytes are kept waiting before the newest batch');
# (the load that they wait for is cut off soon, but not while another session locks its row)
is($node->safe_psql($db, qq{BEGIN; CREATE TEMP TABLE locked AS SELECT state FROM account WHERE did = '$did' FOR UPDATE; CREATE TEMP TABLE before AS SELECT * FROM waiting;
	CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS \$\$BEGIN RAISE 'no'; END\$\$;
	CREATE TRIGGER no BEFORE INSERT ON labels_refused FOR EACH ROW EXECUTE FUNCTION no();
	SELECT start_stream('other Labels', 'labels', NULL, 1);
	SELECT refused FROM process_frames('other Labels', 0, 1, ARRAY[atid.record_to_dag_cbor('{"op": 1, "t": "#labels"}')
		|| atid.record_to_dag_cbor('{"seq": 1, "labels": ["none"]}')]);
	DROP TRIGGER no ON labels_refused;
	DROP FUNCTION no();
	SELECT count(*) FROM (SELECT * FROM before EXCEPT SELECT * FROM waiting) AS gone;
	DELETE FROM stream WHERE name LIKE 'other%'; DELETE FROM bad WHERE stream LIKE 'other%'; COMMIT}), "0\n1\n0",
	'they are not discarded because of a frame of another account');
network('release');
wait_for('it is loaded', "SELECT $all_there");
network('hold');
$node->safe_psql($db, "SELECT reload_account('$did')");
wait_for('a slow answer is given up', "SELECT problem IN ('timeout', 'slow') FROM account WHERE did = '$did'");
network('release');
$last = network('mark')->{seq};
wait_for('the end', "SELECT (SELECT max(cursor) FROM status_stream) >= $last AND $all_there");

# The disk is full, according to planted errors, while a repository and frames arrive.
if (!$citus)
{
	$did = network('hold')->{did};
	$node->safe_psql($db, "SELECT reload_account('$did')");
	wait_for('it is loaded', "SELECT state = 'loading' FROM account WHERE did = '$did'");
	$node->safe_psql($db, join ';', q{CREATE FUNCTION is_full() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE 'no space left' USING ERRCODE = 'disk_full'; END$$},
		map { "CREATE TRIGGER is_full BEFORE INSERT OR UPDATE ON $_ FOR EACH ROW EXECUTE FUNCTION is_full()" } 'shard', 'account', $records);
	my $before = $node->safe_psql($db, 'SELECT min(cursor) FROM status_stream');
	network('plain?n=5');
	network('release');
	$indexer->wait_for_log($consumer, qr/^(?=.*work="shard \d+" error="no space left)(?=.*(?:did=$did code=no_room error="no space left.*did=$did|work="loads of known accounts") (?:code=no_room )?error="no space left)/s);
	is($node->safe_psql($db, q{SELECT min(cursor) FROM status_stream; SELECT count(*) FROM account WHERE problem = 'not_written'; SELECT count(*) FROM bad WHERE reason = 'no space left'}), "$before\n0\n0",
		'while the disk is full, no frame is processed, and no account blamed');
	$node->safe_psql($db, "DROP TRIGGER is_full ON $_") foreach $records, 'account', 'shard';
	$last = network('mark')->{seq};
	wait_for('it goes on', "SELECT (SELECT max(cursor) FROM status_stream) >= $last AND $all_there");
}

# An account has no key for a while. Only its signed commits show that it has one again.
$did = network('keyless')->{did};
wait_for('no key', "SELECT key IS NULL AND state = 'unidentified' FROM identity JOIN account USING (did) WHERE did = '$did'");
network("keyed?did=$did");
wait_for('a key', "SELECT (SELECT key FROM identity WHERE did = '$did') IS NOT NULL AND $all_there");

# An account whose DID leads to an address of this machine, which a setting must allow.
$did = network('web')->{did};
wait_for('it was tried', "SELECT count(*) = 1 FROM identity WHERE did = '$did' AND problem IS NOT NULL");
is($node->safe_psql($db, "SELECT problem, answered IS NULL FROM identity WHERE did = '$did'"), 'private_address|t', 'a stranger cannot lead it to private addresses');

# The schema is upgraded while it runs.
my $digest = $node->safe_psql($db, q{UPDATE program SET digest = 'another' RETURNING (SELECT digest FROM program)});
my $has_ended = $indexer->ended($consumer, 30 * AtidTest::Indexer::patience());
is($has_ended, 1 << 8, 'functions of another version end it');
$indexer->stop($consumer) unless defined $has_ended;
like(slurp_file($consumer->{log}), qr/error run failed .*Run \\"atid-indexer upgrade\\"/, '... and the log says what to do');
$node->safe_psql($db, "UPDATE program SET digest = '$digest'");

# Following a PDS that does not have the accounts would block them.
my $localhost = $url =~ s/127\.0\.0\.1/localhost/r;
network('of?did=did:web:other.example');
$consumer  = start_consumer(ATID_SERVICE_URL => $localhost);
$has_ended = $indexer->ended($consumer, 30 * AtidTest::Indexer::patience());
is($has_ended, 1 << 8, 'a PDS that does not have the accounts is not followed');
$indexer->stop($consumer) unless defined $has_ended;
like(slurp_file($consumer->{log}), qr/This database follows \Q$url\E com\.atproto\.sync\.subscribeRepos\. .* set ATID_REPLACED_SERVICE_URL /, '... and the message says what to do');
$consumer  = start_consumer();
$has_ended = $indexer->ended($consumer, 30 * AtidTest::Indexer::patience());
is($has_ended, 1 << 8, '... and neither is a relay that describes itself as a PDS');
$indexer->stop($consumer) unless defined $has_ended;
like(slurp_file($consumer->{log}), qr/follows \Q$url\E com\.atproto\.sync\.subscribeRepos under more names, or as a relay\. .* with the names \Q$url\E, https:..other\.example, .* set ATID_REPLACED_SERVICE_URL /, '... and the message says so');
network('of');

# Then another relay is followed: the same one under a different name. The missed records are found by its list.
network('plain?n=30');
my $looker = AtidTest::Session->new($node, $db);
$looker->ok('BEGIN; LOCK TABLE lock_of_many IN EXCLUSIVE MODE');
$consumer = start_consumer(ATID_ALLOW_PRIVATE_ADDRESSES => 1, ATID_SERVICE_URL => $localhost);
$indexer->wait_for_log($consumer, qr/Z info stream connected /);
wait_for('what came before the first connection is sought', "SELECT look > started FROM stream WHERE name LIKE '$localhost%'");
$looker->quit;
$last = network('settle')->{seq};
wait_for('the stream goes on', "SELECT (SELECT max(cursor) FROM status_stream) >= $last AND $all_there");
wait_for('the account is there', "SELECT (SELECT count(*) FROM account WHERE did = '$did') = 1 AND $all_there");

#
# The stored records, and the expected ones.
#
PostgreSQL::Test::Utils::append_to_file("$folder/expected", network('expected'));
$node->safe_psql($db, <<"SQL");
CREATE SCHEMA expected;
CREATE TABLE expected.line (what text, a text, b text, c text, d text);
\\copy expected.line FROM '$folder/expected'
CREATE VIEW expected.lost AS
SELECT a, b FROM expected.line WHERE what = 'record' EXCEPT ALL SELECT uri::text, cid::text FROM record;
CREATE VIEW expected.twice AS
SELECT uri::text, cid::text FROM record EXCEPT ALL SELECT a, b FROM expected.line WHERE what = 'record';
SQL

is_none($node, $db, 'SELECT * FROM expected.lost', 'no record is lost');
is_none($node, $db, 'SELECT * FROM expected.twice', 'no record is there twice, or should have been deleted');
is($node->safe_psql($db, "SELECT state, status, count(uri) FROM account AS a LEFT JOIN record USING (did) WHERE a.did = '$gone' GROUP BY 1, 2"),
	'inactive|deleted|0', 'an account that was deleted meanwhile has no records');
wait_for('all is read', 'SELECT count(*) = 0 FROM change');
kill_reader();
is_none($node, $db, '(SELECT uri::text, cid::text FROM record EXCEPT ALL TABLE app) UNION ALL (TABLE app EXCEPT ALL SELECT uri::text, cid::text FROM record)',
	'a reader of the changes has the same records');
is_none($node, $db, 'SELECT tx, n FROM done GROUP BY 1, 2 HAVING count(*) > 1', '... and has read each change once');
$node->safe_psql($db, 'DELETE FROM reader');
is_none($node, $db, 'SELECT uri FROM record WHERE cid <> atid.cid_of(block, $$dag-cbor$$)', 'each block has its CID');
is_none($node, $db, q{SELECT a, b, rev, c, key FROM expected.line LEFT JOIN account ON did::text = a LEFT JOIN identity USING (did)
	WHERE what = 'account' AND (key IS DISTINCT FROM c OR (state = 'synchronized') IS DISTINCT FROM d::bool OR d::bool AND rev::text IS DISTINCT FROM b)},
	'each account has its revision, key and state');
is_none($node, $db, q{SELECT a.did FROM account AS a LEFT JOIN record AS r ON r.did = a.did WHERE state = 'synchronized' GROUP BY a.did, a.data
	HAVING a.data <> atid.mst_root(atid.at_uri_path(uri), cid ORDER BY atid.at_uri_path(uri) COLLATE "C") FILTER (WHERE uri IS NOT NULL)},
	'the root of its records is the one that it has signed');
is_none($node, $db, q{SELECT a, b, reason FROM expected.line LEFT JOIN bad ON encode(digest, 'hex') = a
	WHERE what = 'bad' AND (reason IS NULL OR strpos(reason, b) = 0)}, 'each bad frame is kept, with its reason');
is_none($node, $db, q{SELECT encode(digest, 'hex'), did, reason FROM bad WHERE encode(digest, 'hex') NOT IN (SELECT a FROM expected.line WHERE what = 'bad')
	AND (reason NOT LIKE 'The commit must be signed by%'
	  OR digest NOT IN (SELECT b.digest FROM bad AS b JOIN identity AS i ON i.did = b.did, atid.plc_log_keys(i.log) AS k
	                    WHERE atid.event_is_signed_by(b.frame, k.key)))},
	'... and no other, except frames that came before a key was known or after it was replaced');
is_none($node, $db, 'SELECT code, reason FROM bad WHERE code IS NULL OR code NOT IN (SELECT code FROM code)', 'each has a code from the list');
is_none($node, $db, 'SELECT digest FROM bad WHERE digest <> sha256(frame) OR frame IS NULL AND reason NOT LIKE $$The frame must not be longer%$$', '... as it came');
cmp_ok($node->safe_psql($db, q{SELECT count(*) FROM bad WHERE reason = 'The records must not be larger than four times the frame.'}),
	'>', 0, 'a record that is there many times is not taken from a frame');

my $state = network('state');
is($state->{early}, 0, 'no list is requested before the stream is heard');
my %fault = (%{ $state->{faults} }, %done);
note(sprintf '%d events of %d accounts; %d faults; %s records, %s bad frames; lost %s, twice %s',
	$state->{events}, $state->{accounts}, sum(values %fault),
	$node->safe_psql($db, 'SELECT count(*) FROM record'), $node->safe_psql($db, 'SELECT count(*) FROM bad'),
	$node->safe_psql($db, 'SELECT count(*) FROM expected.lost'), $node->safe_psql($db, 'SELECT count(*) FROM expected.twice'));
cmp_ok($fault{$_}, '>', 0, "it has happened: $_") foreach sort keys %fault;
note("$_: $fault{$_}") foreach sort keys %fault;

is($node->safe_psql($db, q{SELECT count(atid.dag_cbor_get_text(block, '{text}')) > 0 FROM record WHERE atid.dag_cbor_is_valid(block)}),
	't', 'fields of the records can be read');
my $no_cbor = $node->safe_psql($db, q{SELECT array_agg(uri) FROM record WHERE NOT atid.dag_cbor_is_valid(block)});
is($node->safe_psql($db, "SELECT '$no_cbor' LIKE '{at:%', count(*) FROM reference WHERE uri = ANY ('$no_cbor')"),
	't|0', 'records that are not DAG-CBOR are kept, and do no harm');

# Another PDS takes the place of the followed server, whose accounts would be deleted with the next answers.
is($indexer->stop($consumer), 0, 'the consumer ends');
network('of?did=did:web:other.example');
$consumer = start_consumer(ATID_REPLACED_SERVICE_URL => $localhost);
ok($indexer->wait_for_log($consumer, qr/Z info stream connected /), 'a PDS is followed in place of the server in ATID_REPLACED_SERVICE_URL');
is($indexer->stop($consumer), 0, '... until it ends');
network('of');
$consumer = start_consumer(ATID_ALLOW_PRIVATE_ADDRESSES => 1, ATID_SERVICE_URL => $localhost);
$indexer->wait_for_log($consumer, qr/Z info stream connected /);

#
# Labels.
#
my $labels = start_consumer(ATID_STREAM_KIND => 'labels');
wait_for('the labels', q{SELECT cursor = 4 FROM shard WHERE stream LIKE '%Labels'});
# Another session holds a lock that the program waits for; then it gets SIGTERM.
my $locker = AtidTest::Session->new($node, $db);
$locker->ok(q{BEGIN; SELECT FROM shard WHERE stream LIKE '%Labels' FOR UPDATE});
wait_for('it waits', sprintf q{SELECT count(*) = 1 FROM pg_stat_activity WHERE query LIKE '%%indexer.process_frames(%%' AND %d = ANY (pg_blocking_pids(pid))}, $locker->pid);
$labels->{run}->signal('TERM');
my $told_to_end = time; # other tests run before the result is checked below
is($node->safe_psql($db, q{SELECT count(*) FROM account JOIN expected.line ON a = did::text AND d::bool <> (state = 'synchronized') WHERE what = 'account'}), 0,
	'a labeler does not decide which account is active');
is($node->safe_psql($db, q{SELECT string_agg(val, ' ') FROM labels_in_force}), 'rude', 'labels in force');
is($node->safe_psql($db, q{SELECT string_agg(label->>'val', ' ') FROM labels_refused}), 'forged', 'one was signed by nobody');
is($node->safe_psql($db, q{SELECT reason FROM bad WHERE stream LIKE '%Labels'}), '1 of its labels cannot be expressed as jsonb.',
	'a label with a U+0000 is counted, and the cursor passes its frame');

#
# The speed.
#
if ($ENV{ATID_RATE})
{
	$indexer->stop($consumer);
	my $from = network('mark')->{seq};
	network('plain?n=' . ($ENV{ATID_RATE} - 1));
	$node->safe_psql($db, "CREATE TABLE expected.$_ AS TABLE $_") foreach 'account', $records;
	# all collections of the commits, and one collection with 1 % of the records
	foreach my $wanted ('*', 'com.example.rare')
	{
		$node->safe_psql($db, "SET session_replication_role = replica; UPDATE want SET value = '$wanted' WHERE what = 'collection'");
		foreach my $round (1 .. 3)
		{
			$node->safe_psql($db, "TRUNCATE account, $records, reference; INSERT INTO account TABLE expected.account; INSERT INTO $records TABLE expected.$records");
			$node->safe_psql($db, "TRUNCATE $records") if $wanted ne '*';
			$node->safe_psql($db, "VACUUM ANALYZE account, $records");
			my $size = $node->safe_psql($db, "UPDATE shard SET cursor = $from WHERE stream NOT LIKE '%Labels';
				SELECT pg_total_relation_size('$records') + pg_total_relation_size('reference')");
			foreach my $dry ('', $from)
			{
				my $c = start_consumer(
					ATID_PROGRESS_INTERVAL => 0.1,
					ATID_STREAM_SHARDS     => 1,
					words => $dry ? [ 'stream', 'count', '--cursor', $dry ] : ['run']);
				my ($seconds, $until) = (undef, time + $limit);
				until (defined $seconds || time > $until)
				{
					sleep 0.1;
					my ($began, $lines) = slurp_file($c->{log}) =~ /T([\d:.]+)Z info stream connected(.*)/s or next;
					while ($lines =~ /T([\d:.]+)Z info progress frames=(\d+) /g)
					{
						$seconds //= clock($1) - clock($began) if $2 >= $ENV{ATID_RATE};
					}
				}
				$indexer->stop($c);
				note(sprintf '%d events a second, %s', $ENV{ATID_RATE} / $seconds, $dry ? 'received' : "taken, $wanted wanted: " . $node->safe_psql($db,
					"SELECT pg_total_relation_size('$records') + pg_total_relation_size('reference') - $size || ' bytes'"));
			}
		}
	}
	$node->safe_psql($db, "SET session_replication_role = replica; UPDATE want SET value = '*' WHERE what = 'collection'; TRUNCATE $records, reference;
		INSERT INTO $records TABLE expected.$records; SELECT count(reload_account(did::text)) FROM account WHERE state = 'synchronized'");
	$consumer = start_consumer();
	wait_for('all is there again', "SELECT $all_there");
}

#
# A user's index that raises an error.
#
$node->safe_psql($db, sprintf(q{CREATE INDEX raises ON %s ((atid.dag_cbor_get_text(block, '{number}')::int))
	WHERE atid.at_uri_collection(uri) = 'com.example.zero'}, $records));
network('zero');
$last = network('settle')->{seq};
wait_for('the stream goes on', "SELECT max(cursor) >= $last FROM status_stream");
is($node->safe_psql($db, q{SELECT count(*) FROM bad WHERE reason LIKE 'invalid input syntax for type integer%'}), 1,
	'a frame whose record an index refuses is kept aside');
wait_for('the account shows why',
	q{SELECT count(*) = 1 FROM account WHERE state = 'desynchronized' AND problem = 'not_written' AND detail LIKE 'invalid input syntax%'});

# A user's trigger that raises one. Among many frames the faulty one is found. Only a set size is kept.
if (!$citus)
{
	$node->safe_psql($db, q{CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE 'not that one'; END$$;
		CREATE TRIGGER refuse BEFORE INSERT ON packed_record FOR EACH ROW WHEN (NEW.uri::text LIKE '%/com.example.zero/%')
		EXECUTE FUNCTION refuse();
		DROP INDEX raises});
	wait_for('the account shows why', q{SELECT count(*) = 1 FROM account WHERE state = 'desynchronized' AND problem = 'not_written' AND detail = 'not that one'});
	$node->safe_psql($db, q{DROP TRIGGER refuse ON packed_record});
	wait_for('the account is there', "SELECT $all_there");
	$node->safe_psql($db, q{CREATE TRIGGER refuse BEFORE INSERT ON packed_record FOR EACH ROW WHEN (NEW.uri::text LIKE '%/com.example.zero/%')
		EXECUTE FUNCTION refuse()});
	$consumer->{run}->signal('STOP');
	network('zero');
	network('plain?n=30');
	$last = network('settle')->{seq};
	$consumer->{run}->signal('CONT');
	wait_for('the stream goes on', "SELECT max(cursor) >= $last FROM status_stream");
	is($node->safe_psql($db, q{SELECT count(*) FROM bad WHERE reason = 'not that one'}), 1, '... and so is one for which a trigger raises an error');
	wait_for('the others go on', q{SELECT count(*) = 1 FROM account WHERE state NOT IN ('synchronized', 'inactive', 'barred')});
}
else
{
	$node->safe_psql($db, 'DROP INDEX raises');
}
my $kept = $node->safe_psql($db, 'SELECT count(*) FROM bad');
$node->safe_psql($db, 'UPDATE settings SET most_bad = 0');
network('untaken');
$last = network('settle')->{seq};
wait_for('the stream goes on', "SELECT max(cursor) >= $last FROM status_stream");
is($node->safe_psql($db, 'SELECT count(*) FROM bad'), $kept, 'only as many bad frames are kept as the settings allow');

# The program that got SIGTERM above, and another one that gets it twice.
is($indexer->ended($labels, 60), 1 << 8, 'a program that waits for the database ends all the same');
cmp_ok((stat $labels->{log})[9] - $told_to_end, '<', 15 + 5 * AtidTest::Indexer::patience(), '... within 15 seconds');
like(slurp_file($labels->{log}), qr/Z error run failed error="not ended after 10 s: the database does not answer/, '... and the log says so');
$labels = start_consumer(ATID_STREAM_KIND => 'labels');
wait_for('it waits', q{SELECT count(*) = 1 FROM pg_stat_activity WHERE query LIKE '%indexer.start_stream(%' AND wait_event_type = 'Lock'});
$labels->{run}->signal('TERM');
sleep 1.2;
$labels->{run}->signal('INT');
is($indexer->ended($labels, 5 * AtidTest::Indexer::patience()), 1 << 8, 'a second signal ends a program at once');
$locker->quit;

# The relay has stopped.
$network->stop;
$node->safe_psql($db, 'UPDATE stream SET error = NULL');
wait_for('it is unwell', q{WITH l AS (SELECT FROM shard ORDER BY lo FOR UPDATE),
	o AS (UPDATE shard SET taken = now() - interval '3 min' WHERE (SELECT count(*) FROM l) > 0 AND stream NOT LIKE '%Labels' AND taken > now() - interval '2 min')
	SELECT problem LIKE 'nothing was heard%' FROM status_stream WHERE name = (SELECT name FROM stream WHERE kind = 'repos' ORDER BY started DESC LIMIT 1)});
sleep 2.5; # time for an idle shard to run transactions
like($node->safe_psql($db, q{SELECT problem FROM status_stream WHERE name = (SELECT name FROM stream WHERE kind = 'repos' ORDER BY started DESC LIMIT 1)}), qr/^nothing was heard/,
	'after the relay has stopped, the stream is unhealthy');

is($indexer->stop($consumer), 0, 'SIGTERM ends it, with status 0');
my $actives = q{SELECT count(*) FROM account WHERE state <> 'inactive' AND said IS NOT NULL};
is($node->safe_psql($db, "$actives; UPDATE want SET listed = '';
	SELECT count(store_listing_page('*', '', (SELECT jsonb_agg(jsonb_build_object('did', did, 'active', false)) FROM account WHERE said IS NOT NULL), NULL,
		'-infinity')); $actives") =~ /^([1-9]\d*)\n1\n\1$/, 1, 'statements of the stream are newer than a list');
like(slurp_file($consumer->{log}), qr/Z info progress frames=\d+ rate=\d+ lag=[\d.-]+ commits=\d+ refused=\d+ loaded=\d+\n\z/, 'the program logs its progress');

AtidTest::Indexer::waiting_is_counted($node, $db);
$states->finish if $states;
$node->stop;
no_deadlocks($node);
done_testing();
