# The indexer finds the wanted accounts, and reports a list of accounts that it cannot read.
#
# Shows that
# - each notice of the stream about an account is followed, and an account that writes its first record of a wanted
#   signal after the start has its record stored: with `want add signal`, and with `up`, whether the relay lists
#   accounts by collection or has to be queried for each;
# - a list that cannot be read is reported, with a remedy, and retried at growing intervals, while other lists proceed;
# - a list that never ends, or loops, is reported and read ever more slowly;
# - an operator's action affects only the named account: a DID is not treated as a pattern;
# - the position of a reader is never moved back;
# - refused labels are not repeatedly read again once they have reached their bound;
# - an account whose change is refused by an operator's constraint does not delay others, and is retried;
# - `want list` names the collections that have no Lexicon;
# - `up` changes nothing until the server has reported whether it lists accounts by collection, and withdraws the want
#   for all accounts once it does;
# - no name in a subquery of a function or view of the indexer can be captured by an inner table.
#
# indexer/t/oracles/network.js is the network. Skipped where atid_crypto, Node 22 or npm are not available.
#
# Tags: long node crypto

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Indexer;
use AtidTest::Network;
use AtidTest::Names;
use AtidTest::Oracles;
use IPC::Run;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $root  = "$FindBin::Bin/../..";
my $node  = new_node('indexer_signals', ready => 1, lasting => 1);
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my ($oracles, $why) = AtidTest::Oracles->new;
plan skip_all => $why unless defined $oracles;
my $folder = $oracles->{folder};
my $sql = new_database($node, 'sql');
(my $program, $why) = AtidTest::Indexer->new($node, $sql, $oracles);
plan skip_all => $why unless defined $program;
$why = $program->build_api;
plan skip_all => $why if defined $why;

AtidTest::Indexer::install($node, $sql);

sub ask { return $program->ask($_[0]); }

# The result of the last of some statements, in a transaction that is rolled back.
sub last_of { return AtidTest::Indexer::last_of($node, $sql, 'SET search_path = indexer, public', @_); }

#
# Notices of the stream about an account are followed.
#
my $wants = "DELETE FROM want WHERE what = 'account'; INSERT INTO want (what, value) VALUES ('signal', 'a.b.c')";
my $new = 'did:web:new.example';
is(last_of($wants, "INSERT INTO notice (did, what, because) VALUES ('$new', 'signal', 'a.b.c')", 'SELECT process_notices(10)',
		"SELECT what, value, because FROM want WHERE value = '$new'"),
	"account|$new|a.b.c", 'heed: an account with a wanted signal is wanted');
is(last_of($wants, "INSERT INTO notice (did, what, because) VALUES ('$new', 'signal', 'a.b.c')", 'SELECT reconcile_wants(10)',
		"SELECT state FROM account WHERE did = '$new'"), 'unidentified', '... and is loaded');
is(last_of($wants, "INSERT INTO notice (did, what, because) VALUES ('$new', 'signal', 'a.b.d'), ('$new', 'signal', 'a.b.c')",
		'SELECT process_notices(10)', "SELECT because FROM want WHERE value = '$new'"), 'a.b.c', '... though another signal is no longer wanted');
is(last_of($wants, "INSERT INTO notice (did, what, because) VALUES ('$new', 'signal', 'a.b.d')", 'SELECT process_notices(10)',
		"SELECT count(*) FROM want WHERE value = '$new'"), 0, '... and an account with only that signal is not');
is(last_of("INSERT INTO notice (did, what) VALUES ('$new', 'met')", 'SELECT process_notices(10)', "SELECT count(*) FROM account WHERE did = '$new'"), 1,
	'heed: a new account is added where all are wanted');
my $known = "SELECT add_account('$new'); UPDATE identity SET ask = now() + interval '9 h', answered = now() - interval '1 h', asked = 3 WHERE did = '$new'";
my $asked = "SELECT ask <= now(), asked, wanted IS NOT NULL, nudged, doubted FROM identity WHERE did = '$new'";
my %heeded = (identity => 't|0|t|1|0', signature => 't|0|t|0|1');
is(last_of($known, "INSERT INTO notice (did, what) VALUES ('$new', '$_')", 'SELECT process_notices(10)', $asked), $heeded{$_},
	"heed: $_ has it identified again")
  foreach sort keys %heeded;

#
# A list that cannot be read.
#
my $fail = "SELECT fail_listing('*', '', 'server_error', '500 InternalServerError', 0)";
my $next = q{SELECT string_agg(DISTINCT (next_listing()).of, ' ') FROM generate_series(1, 40)};
is(last_of("INSERT INTO want (what, value) VALUES ('signal', 'a.b.c')", $next), '* a.b.c', 'two lists are read in turn');
is(last_of("INSERT INTO want (what, value) VALUES ('signal', 'a.b.c')", $fail, $next), 'a.b.c', '... until one fails, while the other goes on');
is(last_of(($fail) x 3, q{SELECT what, value, failures, why, detail, next - now() = '8 s', since = now(), remedy FROM list_problems}),
	'account|*|3|server error|500 InternalServerError|t|t|report it to the server\'s operator; accounts after this page are not found',
	'list_problems: why it fails, and what to do; the pauses grow');
is(last_of(($fail) x 30, q{SELECT next - now() FROM list_problems}), '00:05:00', '... to five minutes');
is(last_of(q{SELECT fail_listing('*', '', 'throttled', '429', 1000)}, q{SELECT next - now(), remedy FROM list_problems}),
	'00:16:40|nothing: the server has asked for a pause', '... or for as long as the server asks');
is(last_of(q{SELECT fail_listing('*', 'other', 'timeout', '', 0)}, 'SELECT count(*) FROM list_problems'), 0, 'the failure of a page that is no longer the next one does not count');
is(last_of($fail, q{SELECT store_listing_page('*', '', '[]', 'next', now())}, "SELECT (SELECT count(*) FROM list_problems), failures, again, listed FROM want WHERE value = '*' AND what = 'account'"),
	'0|0||next', 'reading a page ends the failure');
is(last_of("INSERT INTO want (what, value) VALUES ('signal', 'a.b.c')", "SELECT fail_listing('a.b.c', '', 'not_found', '404', 0), mark_listing_unsupported('a.b.c', '404')", 'SELECT count(*) FROM list_problems'),
	0, '... and so does replacing the list');
my $stream = "SELECT start_stream('s', 'repos', NULL, 1); SELECT process_frames('s', 0, 1, '{}', 0)";
is(last_of($stream, $fail, q{SELECT coalesce(stream_health('s'), 'ok'), (SELECT value FROM watch WHERE what = 'lists_failing')}), 'ok|1', 'the metric shows it at once');
like(last_of($stream, $fail, q{UPDATE want SET failing = now() - interval '61 min'}, q{SELECT stream_health('s')}),
	qr/^the list of all accounts could not be read since .*: server error, 500 InternalServerError; see "atid-indexer status"$/, '... and /healthz after an hour');
is(last_of("SELECT start_stream('s', 'labels', NULL, 1); SELECT process_frames('s', 0, 1, '{}', 0)", $fail, q{UPDATE want SET failing = now() - interval '61 min'}, q{SELECT coalesce(stream_health('s'), 'ok')}), 'ok',
	'... but not for a labeler');

#
# A list that does not end. Its pages have accounts from .. to, so many each, which repeat after a number of them.
#
ask(q{CREATE SCHEMA try; CREATE FUNCTION try.pages(of text, n int, each int, all_accounts int) RETURNS int LANGUAGE plpgsql AS $$
	DECLARE at text := '';
	BEGIN
		FOR i IN 1 .. n LOOP
			PERFORM store_listing_page(of, at, (SELECT jsonb_agg(jsonb_build_object('did', format('did:web:a%s.example', (i * each + k) % all_accounts)))
			                      FROM generate_series(1, each) AS k), 'page' || i, now());
			at := 'page' || i;
			IF EXISTS (SELECT FROM list_problems) THEN RETURN i; END IF;
		END LOOP;
		RETURN NULL;
	END $$});
my $signal = "DELETE FROM want; INSERT INTO want (what, value) VALUES ('signal', 'a.b.c')";
is(last_of($signal, q{SELECT try.pages('a.b.c', 40, 1000, 1000000)}), '', 'a list whose pages have new accounts is healthy');
is(last_of($signal, q{SELECT try.pages('a.b.c', 40, 1000, 2000) BETWEEN 15 AND 25}), 't', 'one that goes in a circle of two pages is endless after some twenty');
is(last_of($signal, q{UPDATE want SET refused = true}, q{SELECT try.pages('*a.b.c', 40, 1000, 1) BETWEEN 2 AND 40}), '', '... later if a page has one account');
is(last_of($signal, q{UPDATE want SET entries = 10000, listed = 'page9'}, q{SELECT store_listing_page('a.b.c', 'page9', '[]', 'next', now())}, q{SELECT why, detail FROM list_problems}),
	'endless|10001 entries of about 0 accounts', '... and so is one of empty pages');
my @endless = ($signal, q{SELECT try.pages('a.b.c', 40, 1000, 2000)});
is(last_of(@endless, $next), '', '... its next page waits');
is(last_of(@endless, (q{SELECT store_listing_page('a.b.c', listed, '[]', listed || 'x', now()) FROM want WHERE what = 'signal'}) x 4, q{SELECT next - now(), failures FROM list_problems}), '00:00:32|5',
	'... longer each time');
like(last_of(@endless, 'SELECT remedy FROM list_problems'), qr/report it to the server's operator/, '... with advice');
is(last_of(@endless, q{SELECT store_listing_page('a.b.c', listed, '[]', NULL, now()) FROM want WHERE what = 'signal'}, 'SELECT (SELECT count(*) FROM list_problems), listed FROM want WHERE what = $$signal$$'), '0|',
	'... until the list ends');
is(last_of(@endless, q{UPDATE want SET listed = '', again = NULL}, q{SELECT store_listing_page('a.b.c', '', '[{"did": "did:web:a.example"}]', 'x', now())}, 'SELECT (SELECT count(*) FROM list_problems), entries FROM want WHERE what = $$signal$$'), '0|1',
	'... or is read from its beginning');
is(last_of($signal, 'UPDATE settings SET most_listed = 5000', q{SELECT try.pages('a.b.c', 40, 1000, 1000000)}), 6, 'most_listed: a list with more entries is endless, too');

#
# A DID with a character that is a wildcard of LIKE.
#
is(last_of(q{INSERT INTO labels_refused (label) SELECT jsonb_build_object('src', 'did:web:labeler.example', 'uri', u)
		FROM unnest('{at://did:web:a_b.example/a.b.c/1,at://did:web:a_b.example,did:web:a_b.example,at://did:web:axb.example/a.b.c/1}'::text[]) AS u},
		q{SELECT forget_account('did:web:a_b.example')}, q{SELECT string_agg(label->>'uri', ' ') FROM labels_refused}),
	'at://did:web:axb.example/a.b.c/1', 'forget: labels about another account stay');

#
# A reader.
#
foreach ([ 6, 1, '6|1' ], [ 5, 8, '5|8' ], [ 5, 6, '5|7' ], [ 4, 9, '5|7' ])
{
	my ($tx, $n, $then) = @$_;
	is(last_of("INSERT INTO reader (name, tx, n) VALUES ('app', '5', 7)", "SELECT read_to('app', '$tx', $n)", 'SELECT tx, n FROM reader'), $then,
		"read_to: from 5, 7 to $tx, $n");
}

#
# Refused labels beyond their bound: the older half is deleted, and the rest is read again only when the file grows.
#
my $refused = q{INSERT INTO labels_refused SELECT jsonb_build_object('uri', repeat(n::text, 100)), now() + n * interval '1 s' FROM generate_series(1, 2000) AS n};
my $reads   = q{CREATE TEMP TABLE reads AS SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) AS n FROM pg_stat_xact_user_tables WHERE relid = 'labels_refused'::regclass};
my $more    = q{SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) - n FROM reads, pg_stat_xact_user_tables WHERE relid = 'labels_refused'::regclass};
my @full    = ('TRUNCATE labels_refused', $refused, q{UPDATE settings SET most_labels_refused = pg_total_relation_size('labels_refused') - 1});
is(last_of(@full, 'SELECT run_maintenance()', 'SELECT count(*), min(received) > now() FROM labels_refused'), '1000|t', 'most_labels_refused: the older half is deleted');
is(last_of(@full, 'SELECT run_maintenance()', $reads, ('SELECT run_maintenance()') x 3, $more), 0, '... and the rest is not read again');
is(last_of(@full, 'SELECT run_maintenance()', $reads, $refused, 'SELECT run_maintenance()', "SELECT ($more) >= 3000"), 't', '... until there are more');
is(last_of(@full, 'SELECT run_maintenance()', 'UPDATE settings SET most_labels_refused = 1', 'SELECT run_maintenance()', 'SELECT count(*) FROM labels_refused'), 500, 'a lowered bound takes effect at once');

#
# An account whose change an operator's constraint refuses does not stop reconcile_wants().
#
my @three = ((map { "SELECT add_account('did:web:$_.example')" } qw(a b c)),
	q{ALTER TABLE account ADD CONSTRAINT mine CHECK (did <> 'did:web:a.example' OR wants = 0), ADD CONSTRAINT mine_too CHECK (did <> 'did:web:new.example')},
	q{INSERT INTO want (what, value) VALUES ('collection', 'a.b.c'), ('account', 'did:web:new.example')}, 'SET client_min_messages = error',
	'SELECT reconcile_wants(1) FROM generate_series(1, 6)');
my $settled = q{SELECT string_agg(did || ' ' || (a.wants = w.n), ' ' ORDER BY did) FROM account AS a, wants AS w};
is(last_of(@three, $settled), 'did:web:a.example false did:web:b.example true did:web:c.example true', 'settle: the other accounts are changed');
is(last_of(@three, 'SELECT did, why, next > now(), remedy FROM trouble ORDER BY did'), join("\n", map { "did:web:$_.example|not changed|t|an index, a constraint or a trigger refuses a change that the table want requires: correct it; the change is tried again" } qw(a new)),
	'... the ones that are refused are in trouble');
is(last_of(@three, 'SELECT reconcile_wants(100)'), 0, '... and no work while they wait');
is(last_of(@three, 'UPDATE unsettled SET again = now()', 'SELECT reconcile_wants(100)', 'SELECT failures, count(*), min(again) = now() + interval $$64 s$$ FROM unsettled GROUP BY 1'), '2|2|t', '... are tried again, later each time');
is(last_of(@three, 'ALTER TABLE account DROP CONSTRAINT mine, DROP CONSTRAINT mine_too', 'UPDATE unsettled SET again = now()', 'SELECT reconcile_wants(100)', 'SELECT reconcile_wants(100)',
	"SELECT (SELECT count(*) FROM unsettled), (SELECT count(*) FROM trouble), ($settled)"),
	'0|0|did:web:a.example true did:web:b.example true did:web:c.example true did:web:new.example true', '... and changed once they can be');

#
# Names in subqueries.
#
my %columns = map { my ($of, $has) = split /\|/; $of => [ split /,/, $has ] } grep { /\|/ } split /\n/, last_of('SELECT create_temp_tables()', q{
	SELECT relname, string_agg(attname, ',') FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
	WHERE c.relnamespace IN ('indexer'::regnamespace, pg_my_temp_schema()) AND c.relkind IN ('r', 'v') GROUP BY relname
	UNION ALL
	SELECT proname, string_agg(DISTINCT n, ',') FROM pg_proc AS p CROSS JOIN LATERAL unnest(proargnames, proargmodes) AS a (n, m)
	WHERE pronamespace IN ('indexer'::regnamespace, 'atid'::regnamespace) AND m IN ('o', 't', 'b')
	  AND NOT EXISTS (SELECT FROM pg_class AS c WHERE c.relname = p.proname AND c.relnamespace IN ('indexer'::regnamespace, pg_my_temp_schema())) GROUP BY proname});
cmp_ok(scalar keys %columns, '>', 50, 'tables and functions have columns to check');

# The captured names that are found in a function whose argument is "value".
sub captured { return join ' ', map { /: (\w+), in/ } AtidTest::Names::captured("CREATE FUNCTION f(value text) RETURNS int LANGUAGE plpgsql AS \$\$ BEGIN $_[0]; END \$\$;", \%columns); }
is(captured(q{RETURN QUERY WITH taken AS (DELETE FROM notice AS x WHERE x.n = 1 RETURNING *)
	SELECT min(because) FILTER (WHERE EXISTS (SELECT 1 FROM want AS w WHERE (w.what, w.value) = ('signal', because))) FROM taken}), 'because',
	'a name of a common table expression is captured by an inner table');
is(captured('UPDATE account AS a SET state = (SELECT problem FROM identity AS i WHERE i.did = a.did)'), 'problem', '... and so is one of the table of an UPDATE');
is(captured(q{PERFORM FROM exclusion AS x WHERE EXISTS (SELECT 1 FROM want WHERE value = 'x')}), 'value', '... and an argument');
is(captured(q{IF EXISTS (SELECT 1 FROM want AS w WHERE w.value = f.value) THEN DELETE FROM want AS w WHERE w.what = 'x'; END IF}), '', 'a qualified name is not');
is(captured('INSERT INTO want (what, value) SELECT x.what, x.value FROM (SELECT what, because AS value FROM want) AS x ON CONFLICT (what, value) DO NOTHING'), '',
	'... and neither are written columns, or names in a subquery that sees no other table');
is(join("\n", map { AtidTest::Names::captured(slurp_file("$root/indexer/sql/$_"), \%columns) }
	(grep { !m{^migrations/} } sql_files('install.sql')), 'citus.sql'), '', 'no function or view has such a name');

#
# A network, and programs that follow it.
#
my $network = AtidTest::Network->new($oracles->{node}, "$folder/network.js", AtidTest::Oracles::seed(), 9);
my $url     = $network->url;
sub network { return $network->ask($_[0]); }
network('calm');
$network->http->get("$url/xrpc/com.atproto.sync.listRepos");    # the first list is empty

my @running;
END
{
	local $?;
	$_->kill_kill(grace => 5) foreach grep { $_->pumpable } @running;
}

# A database of its own for a program, and the program with it.
sub indexer
{
	my ($name) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $name");
	$node->safe_psql($name, 'CREATE EXTENSION atid_crypto CASCADE');
	my ($indexer) = AtidTest::Indexer->new($node, $name, $oracles);
	return $indexer;
}
my %settings = (ATID_SERVICE_URL => $url, ATID_PLC_URL => $url, ATID_ALLOW_PRIVATE_ADDRESSES => 1);

# Starts a command. It ends with the test, or by stop().
sub start
{
	my ($indexer, $settings, @words) = @_;
	my $log = "$folder/log" . @running;
	local %ENV = $indexer->environment(%settings, ATID_API_PORT => 0, ATID_API_DB_USER => "reader_$indexer->{db}", %$settings);
	push @running, IPC::Run::start([ $indexer->bin, @words ], '<', \undef, '>', $log, '2>&1');
	return { run => $running[-1], log => $log };
}

# Waits until a record of an account is in the table.
sub has_record
{
	my ($indexer, $did, $collection, $name) = @_;
	return ok($indexer->wait_for($name, "SELECT EXISTS (SELECT FROM record WHERE did = '$did' AND uri <@ atid.at_uri_make('$did', '$collection'))"), $name)
	  || diag(`tail -n 20 $folder/*log*`);
}
my $quick = q{UPDATE settings SET pause_first = '0.1 s', pause_most = '1 s', spread = '0.1 s'};

# want add signal
my $mine = 'com.example.mine';
my $live = indexer('live');
is(($live->command('init'))[0], 0, 'init');
$live->ask($quick);
$live->command('want', @$_) foreach [ 'remove', 'account', '*' ], [ 'add', 'signal', $mine ];
network('lists?mode=collections');
is(join(' | ', (map { $live->call('want', 'add', 'collection', $_) } $mine, 'com.example.*')[-1] =~ /^(collection .*)$/mg),
	"collection * | collection com.example.*  no Lexicon: no view | collection $mine  no Lexicon: no view", 'want list: no Lexicon, no view');
append_to_file("$folder/mine.json", encode_json({ lexicon => 1, id => $mine, defs => { main => { type => 'record', key => 'tid',
	record => { type => 'object', properties => { serial => { type => 'integer' } } } } } }));
$live->command('lexicon', 'add', "$folder/mine.json");
unlike(($live->call('want', 'list'))[1], qr/no Lexicon/, '... unless there is one');
my $runs = $live->start(%settings);
ok($live->wait_for('the list of the signal', "SELECT listed IS NULL FROM want WHERE what = 'signal'"), 'run: the list of the signal is read');
my $found = network("join?collection=$mine")->{did};
has_record($live, $found, $mine, 'run: an account that has the signal in the stream is found');

# An account that was excluded, and is found again without a commit.
sub is_included
{
	my ($indexer, $did, $name) = @_;
	is(($indexer->command($_, $did))[0], 0, $_) foreach 'exclude', 'include';
	return has_record($indexer, $did, $mine, $name);
}
is_included($live, $found, '... and again after exclude and include, by the list of the signal');

# A list whose second page always fails, while that of a signal proceeds.
network('lists?mode=broken');
$live->call('want', 'add', 'account', '*');
ok($live->wait_for('the list fails', "SELECT failures > 2 FROM list_problems WHERE what = 'account'"), 'run: a list that fails is tried again');
my $since = $live->ask(q{SELECT to_char(since, 'YYYY-MM-DD HH24:MI') FROM list_problems});
like(($live->command(@$_))[1], qr/^ *account +\*:? .*server error: 500, since \Q$since\E, again at \d.*; report it to the server's operator/m, "... which @$_ shows") foreach [ 'want', 'list' ], ['status'];
$live->ask("UPDATE want SET listed = '' WHERE what = 'signal'");
ok($live->wait_for('the list of the signal', "SELECT listed IS NULL FROM want WHERE what = 'signal'"), '... while another list is being read');
network('lists?mode=collections');
ok($live->wait_for('the list', "SELECT listed IS NULL AND failing IS NULL FROM want WHERE (what, value) = ('account', '*')"), '... and is read to its end once it can be');
unlike(($live->call('status'))[1], qr/Lists of accounts/, '... and no longer reported');
$live->call('want', 'remove', 'account', '*');

# up
mkdir "$folder/lexicons" or die "$!";
rename "$folder/mine.json", "$folder/lexicons/mine.json" or die "$!";
my $with = indexer('with_lists');
network('lists?mode=failing');
my $ups = start($with, {}, 'up', "$folder/lexicons", $url);
ok($with->wait_for_log($ups, qr/warn up retries error="\Q$url\E: server error: 503/), 'up: a server that fails is asked again');
is($with->ask("SELECT to_regnamespace('indexer') IS NULL"), 't', '... and nothing is changed until it answers');
network('lists?mode=collections');
ok($with->wait_for_log($ups, qr/^wanted +accounts that have \Q$mine\E$/m), '... then "up" starts') or diag(slurp_file($ups->{log}));
# (it reports the wants before it commits)
ok($with->wait_for('up', "SELECT count(*) > 0 FROM want WHERE what = 'signal'"), '... with a schema');
is($with->ask("SELECT string_agg(what || ' ' || value, ', ' ORDER BY what) FROM want WHERE because IS NULL"), "collection $mine, signal $mine", '... that wants these collections');
ok($with->wait_for('the list', "SELECT bool_and(listed IS NULL) FROM want WHERE what = 'signal' HAVING count(*) = 1"), '... with the signal of its Lexicon')
  or diag(slurp_file($ups->{log}));
has_record($with, network("join?collection=$mine")->{did}, $mine, '... and finds an account that has it in the stream');
$live->stop($runs);

# The relay no longer lists by collection: the program checks each account.
network('lists?mode=');
$with->ask($quick);
$with->ask("UPDATE want SET listed = '' WHERE what = 'signal'");
ok($with->wait_for('each is asked about', "SELECT bool_and(refused AND listed IS NULL) FROM want WHERE what = 'signal'"), 'the list is refused, and each account is checked');
$found = network("join?collection=$mine")->{did};
has_record($with, $found, $mine, '... and a new account is found after that');
is_included($with, $found, '... and again after exclude and include');
$ups->{run}->signal('TERM');
eval { $ups->{run}->finish };

# A relay that does not list by collection at first.
my $without = indexer('without_lists');
my $there   = "SELECT count(DISTINCT did) FROM record";
$ups = start($without, {}, 'up', "$folder/lexicons", $url);
ok($without->wait_for_log($ups, qr/^wanted +all accounts of the server$/m), 'up: on a server without such lists, all accounts are wanted');
my $joined = network("join?collection=$mine")->{did};
has_record($without, $joined, $mine, '... and loaded');
# (an account that was still to be loaded when the program ends would be counted later)
$without->wait_for('all are loaded', q{SELECT (SELECT listed IS NULL FROM want WHERE (what, value) = ('account', '*'))
	AND NOT EXISTS (SELECT 1 FROM account AS a JOIN identity AS i USING (did)
	WHERE a.state = 'loading' OR a.state = 'desynchronized' AND a.failures = 0 OR a.state = 'unidentified' AND i.problem IS NULL)})
  or diag($without->ask('SELECT string_agg(state, $$ $$) FROM account'));
# (accounts that are being loaded when the program ends are loaded again after a pause)
$without->ask($quick);
$ups->{run}->signal('TERM');
eval { $ups->{run}->finish };
my $dids = $without->ask($there);
network('lists?mode=failing');
$ups = start($without, {}, 'up', "$folder/lexicons", $url);
ok($without->wait_for_log($ups, qr/^wanted +the accounts that were$/m), '... if it fails later, the wants stay');
$ups->{run}->signal('TERM');
eval { $ups->{run}->finish };
network('lists?mode=collections');
my $claim = "SELECT claim FROM account WHERE did = '$joined'";
my $claims = $without->ask($claim);
$ups = start($without, {}, 'up', "$folder/lexicons", $url);
ok($without->wait_for_log($ups, qr/^wanted +accounts that have \Q$mine\E$/m), '... and once it has such lists, only these accounts are wanted');
ok($without->wait_for('others have gone', "SELECT count(*) = $dids AND bool_and(state = 'synchronized') FROM account"), '... and all others are deleted');
is($without->ask("SELECT string_agg(DISTINCT what || ' ' || coalesce(because, value), ', ') FROM want") . ' ' . $without->ask($there) . ' ' . $without->ask($claim),
	"account $mine, collection $mine, signal $mine $dids $claims", '... while those with such records stay, and are not loaded again');
$ups->{run}->signal('TERM');
eval { $ups->{run}->finish };
$without->command('want', 'add', 'account', '*');
$ups = start($without, {}, 'up', "$folder/lexicons", $url);
ok($without->wait_for_log($ups, qr/^wanted +accounts that have \Q$mine\E, and all others: "atid-indexer want remove account '\*'" ends that$/m), 'wants that somebody else has added stay, and "up" says so');
$ups->{run}->signal('TERM');
eval { $ups->{run}->finish };

$network->stop;
$node->stop;
done_testing();
