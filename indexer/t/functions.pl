# Each function of indexer/sql decides what the chapter says.
#
# The accounts are those of demo/: their logs, their repositories, and #sync frames made of these. indexer/t/chaos.pl
# has the whole indexer. Each change of an account's state is one that the table of indexer/README.md has, and each of
# that table happens here. Skipped where atid_crypto is not there. indexer/t/citus_functions.pl runs it on Citus.
#
# Tags: long differs node crypto

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Indexer;
use AtidTest::Oracles;
use AtidTest::States;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $citus = defined $ENV{ATID_CITUS_USER} && eval { require AtidTest::Citus; AtidTest::Citus->new };
my $node = $citus || new_node('indexer_schema', ready => 1, lasting => 1);
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my $db = $citus ? $node->new_database('indexer') : new_database($node, 'indexer');
if ($citus)
{
	my ($oracles) = AtidTest::Oracles->new;
	my ($indexer) = AtidTest::Indexer->new($node, $db, $oracles);
	my ($status, $said) = $indexer->command('init', '--citus');
	is($status, 0, 'init --citus') or die $said;
}
else
{
	AtidTest::Indexer::install($node, $db);
	# the order of columns in a database that began as the example of 1.2, and a column of the operator's
	$node->safe_psql($db, 'ALTER TABLE indexer.waiting DROP slot; ALTER TABLE indexer.waiting ADD slot int NOT NULL, ADD mine text; '
		  . 'CREATE INDEX waiting_slot ON indexer.waiting (stream, slot)');
}
my $states = $citus ? undef : AtidTest::States->new($node, $db);
$ENV{PGOPTIONS} = '-c search_path=indexer,public';

# An account with a small repository, and two others.
my ($did, $second, $third) =
  qw(did:plc:ejgtitwhvdkyn6p2rjeksof2 did:plc:hy3rgwryyzanhx4aewuhq6yu did:plc:4rgzlncjk4ufakb63scmyptw);
my $labeler = 'labeler com.atproto.label.subscribeLabels';

# The state from which the tests begin. Each of them is rolled back.
AtidTest::Indexer::demo($node, $db);
$node->safe_psql($db, <<"SQL");
CREATE FUNCTION demo.sync(seq bigint) RETURNS bytea LANGUAGE sql RETURN demo.sync(seq, '$did');
CREATE FUNCTION demo.loading(who text) RETURNS int LANGUAGE plpgsql AS \$\$
DECLARE
  a account;
BEGIN
  SELECT * INTO a FROM account WHERE did = who FOR UPDATE;
  IF a.state = 'synchronized' THEN
    PERFORM set_account_state(a, 'desynchronized', now());
  END IF;
  UPDATE account SET state = 'loading', load_at = 'infinity', claim = account.claim + 1, claimed = now() WHERE did = who RETURNING claim INTO a.claim;
  INSERT INTO tally (what, n) VALUES ('desynchronized', -1), ('loading', 1);
  RETURN a.claim;
END \$\$;
CREATE FUNCTION demo.load(who text) RETURNS int LANGUAGE plpgsql AS \$\$
BEGIN
  RETURN (SELECT changed FROM store_repository(who, demo.loading(who), demo.car(who)));
END \$\$;
CREATE FUNCTION demo.take(of text, VARIADIC frames bytea[]) RETURNS void LANGUAGE plpgsql AS \$\$
BEGIN
  PERFORM process_frames(of, 0, 1, frames), reconcile_wants(99);
END \$\$;
-- what a record points at
CREATE FUNCTION demo.points(block bytea) RETURNS TABLE (path text, subject atid.at_uri) LANGUAGE sql AS \$\$
  SELECT DISTINCT rtrim(ltrim(replace(field || '|', '.uri|', '|'), '\$.'), '|'), coalesce(uri, ('at://' || did)::atid.at_uri) FROM atid.dag_cbor_refs(block)
\$\$;
-- asks for some, as the program does
CREATE FUNCTION demo.ask() RETURNS SETOF text LANGUAGE sql
BEGIN ATOMIC SELECT did FROM unnest('{known,new,again}'::text[]) AS kind CROSS JOIN indexer.did_methods() AS m CROSS JOIN indexer.claim_identities(99, kind, m.name) AS a WHERE asked IS NOT NULL; END;
-- a stream, and three accounts that are there
SELECT start_stream('relay', 'repos', NULL, 1), start_stream('$labeler', 'labels', NULL, 1);
UPDATE shard SET cursor = 10;
UPDATE stream SET look = NULL;
SELECT store_listing_page('*', '', '[{"did": "$did"}, {"did": "$second"}, {"did": "$third"}]', NULL, now());
SELECT demo.ask();
SELECT store_plc_log(did::text, l.log, now()) FROM demo.log AS l WHERE did IN ('$did', '$second', '$third');
SELECT demo.load('$did'), demo.load('$second'), demo.load('$third');
SQL

# The result of the last of some statements, in a transaction of its own.
sub last_of { return AtidTest::Indexer::last_of($node, $db, @_); }

my $key     = $node->safe_psql($db, "SELECT key FROM identity WHERE did = '$did'");
my $not_its = $node->safe_psql($db, "SELECT min(key) FROM identity WHERE did <> '$did'");
my $state = "SELECT state, status, count(uri) FROM account AS a LEFT JOIN record USING (did) WHERE a.did = '$did' GROUP BY a.did";
my $all   = $node->safe_psql($db, "SELECT count(*) FROM atid.repo_records(demo.car('$did'))");
is(last_of($state), "synchronized||$all", 'an account is there');
is(last_of("SELECT count(*) FROM (SELECT uri, p.path, p.subject FROM record, demo.points(block) AS p
	EXCEPT ALL SELECT uri, path, subject FROM reference) AS x"), 0, '... with its references');
cmp_ok(last_of("SELECT count(*) FROM reference WHERE path = 'reply.parent'"), '>', 0, '... of replies, too');
is(last_of("SELECT string_agg(reference_path(field), ' ') FROM unnest(ARRAY['\$.uri', '\$.a.uri', '\$.a[].b', '\$[\"x y\"].uri', '\$.' || repeat('a', 600)]) AS field"),
	'uri a a[].b ["x y"] ', '... whose fields have names of a bounded length');
is(last_of("SELECT count(p) FROM unnest('{\\\\xff,\\\\xa16161fb4012000000000000}'::bytea[]) AS b LEFT JOIN LATERAL block_references(b, 9) AS p ON true"), 0, '... and a damaged block yields none');

#
# An account loaded again.
#
is(last_of("SELECT demo.load('$did'), sum(n_tup_ins + n_tup_upd + n_tup_del) FROM pg_stat_xact_user_tables
	WHERE relname IN ('record', 'packed_record', 'reference')"), '0|0', 'loading again writes only the records that differ');
is(last_of("DELETE FROM record WHERE uri = ANY (ARRAY(SELECT uri FROM record WHERE did = '$did' ORDER BY uri LIMIT 3))",
	sprintf("UPDATE %s = atid.record_cid('{}') WHERE uri = (SELECT max(uri) FROM record WHERE did = '$did')", $citus ? 'record SET cid' : 'packed_record SET unusual_cid'),
	"INSERT INTO record (uri, did, cid, block) SELECT 'at://$did/a.b.c/d', did, cid, block FROM record WHERE did = '$did' LIMIT 1",
	"SELECT demo.load('$did')", $state), "synchronized||$all", '... which is put right');
is(last_of("SELECT reload_account('$did')", "SELECT did FROM claim_loads(9, true, NULL, NULL, '{}')"), $did, 'reload() has it loaded again');
my $most = 'SELECT max(n) FROM (SELECT count(*) AS n FROM reference GROUP BY uri) AS x';
cmp_ok(last_of($most), '>', 1, 'a record has several references');
is(last_of('UPDATE settings SET most_references = 1', "DELETE FROM record WHERE did = '$did'", "DELETE FROM reference WHERE uri <@ 'at://$did'", "SELECT demo.load('$did')",
	$most =~ s/FROM reference/$& WHERE uri <@ 'at:\/\/$did'/r), 1, '... but no more than settings.most_references');
my $older = "SELECT outcome FROM store_repository('$did', demo.loading('$did'), demo.car('$did'))";
my @announced = ('UPDATE settings SET most_older = 3', "UPDATE account SET heard = atid.tid_ceil(now()) WHERE did = '$did'");
is(last_of(@announced, ($older) x 3), 'older', 'a repository that is older than a revision that was announced is not stored');
is(last_of(@announced, ($older) x 4), 'loaded', '... until there was no newer one settings.most_older times');

#
# States: a state is a row of account_state and a way to enter it.
#
my @held = (($citus ? () : 'ALTER TABLE account DISABLE TRIGGER note_state'),
	"INSERT INTO account_state VALUES (7, 'held', 'the operator holds it', true, true, false, false, 'check', 'check')",
	'SELECT restrict_account_states()', "SELECT deactivate_account(try_lock_account('$did'), 'held', 'suspicion')");
my $checked = "SELECT check_at <= now() FROM account WHERE did = '$did'";
is(last_of(@held, $state), 'held|suspicion|0', 'a state is a row of account_state: an account can be in it');
is(last_of(@held, "SELECT string_agg(state, ' '), min(n) FILTER (WHERE state = 'held') FROM status_accounts"),
	'unidentified desynchronized loading synchronized live inactive barred held|1', '... is counted in that state');
is(last_of(@held, 'DELETE FROM sample', 'SELECT add_sample()', 'SELECT behind FROM sample'), 1, '... also as one that is still to be loaded');
is(last_of(@held, "SELECT value FROM explain('$did') WHERE what = 'answer'"), 'the operator holds it: suspicion', '... is explained');
is(last_of(@held, "SELECT demo.take('relay', demo.sync(11))", $checked), 't', '... its commits are applied');
is(last_of(@held, "UPDATE account_state SET commit_brings = 'nothing'", "SELECT demo.take('relay', demo.sync(11))", $checked), 'f', '... or not');
is(last_of(@held, "SELECT reload_account('$did')", $checked), 't', '... reload() does what the state defines');
is(last_of(@held, (map { "SELECT apply_account_status(try_lock_account('$did'), $_, 'deactivated', NULL, NULL)" } qw(false true)), $state), 'held|suspicion|0', '... the server does not end it');
is(last_of(@held, "SELECT apply_identity('$did', '$not_its', NULL, NULL, NULL, false, now())", $state), 'held|suspicion|0', '... and neither does another key');
is(last_of(@held, "UPDATE account_state SET follows_key = true", "SELECT apply_identity('$did', '$not_its', NULL, NULL, NULL, false, now())", $state), 'desynchronized||0', '... unless the state says so');
is(last_of(@held, "SELECT fail_account_wants('$did', -1, 0, 'x')", 'SELECT state, code FROM trouble'), 'held|not_written', '... and trouble is seen');
is(last_of(map({ "DO \$\$ BEGIN UPDATE account SET $_ WHERE did = '$did'; RAISE 'set'; EXCEPTION WHEN check_violation THEN END \$\$" } "(state, status) = ('held', 'x')", "state = 'held'", "state = 'inactive'", "status = 'x'"), $state),
	"synchronized||$all", 'a state that is not in the list is refused, and so is one without its status');
my $constraint = "SELECT max(oid) FROM pg_constraint WHERE conname = 'account_state_check'";
is(last_of('SELECT restrict_account_states()', $constraint), last_of($constraint), 'the constraint stays while the list is unchanged');
is(last_of('CREATE TEMP TABLE left_over (name text, n bigint) ON COMMIT DROP', "SELECT delete_account('$did')",
	"DO \$\$ DECLARE t text; BEGIN FOREACH t IN ARRAY account_tables() LOOP EXECUTE format('INSERT INTO left_over SELECT %L, count(*) FROM %I WHERE did = %L', t, t, '$did'); END LOOP; END \$\$",
	'SELECT count(*) > 2, sum(n) FROM left_over'), 't|0', 'no table of account_tables() has a row of an account that was deleted');

#
# Accounts without news.
#
my $list = "SELECT store_listing_page('*', '', '[{\"did\": \"$second\"}, {\"did\": \"$third\", \"active\": false}]', NULL, clock_timestamp()); SELECT recheck_after_gap(9)";
my $gap  = "UPDATE want SET listed = ''";
is(last_of($gap, $list, 'SELECT did FROM claim_status_checks(9)'), $did, 'an account that is missing in a finished list is checked');
is(last_of($gap, $list, "SELECT store_account_status('$did', false, 'deleted', NULL, now())", $state), 'inactive|deleted|0',
	'... and its records are deleted if it is deleted');
is(last_of($gap, $list, "SELECT store_account_status('$did', true, NULL, NULL, now())", $state), "synchronized||$all", '... and stay if it is not');
is(last_of($gap, $list, "SELECT state, count(uri) FROM account AS a LEFT JOIN record USING (did) WHERE a.did = '$third' GROUP BY 1"), 'inactive|0',
	'an account that the list reports as inactive has no records');
is(last_of($gap, $list =~ s/; .*//r, 'SELECT count(*) FROM claim_status_checks(9)'), 0, '... not in the transaction of the last page');
is(last_of($gap, $list =~ s/; .*//r, 'SELECT recheck_after_gap(2)', 'SELECT recheck_after_gap(2)', 'SELECT recheck_after_gap(2)', 'SELECT recheck_after_gap(2), (SELECT did FROM claim_status_checks(9))'), "0|$did",
	'... but a few accounts at a time');
is(last_of($gap, "SELECT store_listing_page('*', '', jsonb_build_array(jsonb_build_object('did', '$did', 'active', false, 'status', repeat(chr(233), 60))), 'next', clock_timestamp())", $state),
	'inactive|' . "\xc3\xa9" x 16 . '|0', 'a long status of letters of two bytes is cut, and does not end the list');

# A trigger of the operator's that refuses one account does not hold up the others.
my @refuses = (
	"CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS \$\$BEGIN IF atid.at_uri_did(OLD.uri) = '$third' THEN RAISE 'not that one'; END IF; RETURN OLD; END\$\$",
	'CREATE TRIGGER refuse BEFORE DELETE ON packed_record FOR EACH ROW EXECUTE FUNCTION refuse()');
my $left = "SELECT string_agg(right(did::text, 4) || state, ' ' ORDER BY did = '$third', did = '$second') FROM account";
my ($first_is, $second_is, $third_is) = map { substr $_, -4 } $did, $second, $third;
if (!$citus)
{
	is(last_of(@refuses, $gap, $list =~ s/"$second\\?"\}/"$second", "active": false}/r, $left), "${first_is}synchronized ${second_is}inactive ${third_is}synchronized", 'if a trigger refuses an account, the others on its page are processed');
	is(last_of(@refuses, "DELETE FROM want WHERE what = 'account'", "INSERT INTO want VALUES ('account', '$did')", 'SELECT reconcile_wants(99)', $left), "${first_is}synchronized ${third_is}synchronized",
		'... and so are those that are no longer wanted');
	is(last_of(@refuses, "DELETE FROM want WHERE what = 'collection'", "INSERT INTO want VALUES ('collection', 'app.bsky.feed.*')", 'SELECT reconcile_wants(99)', 'SELECT reconcile_wants(99)',
		"SELECT reconcile_wants(99), count(DISTINCT did), min(did::text) FROM record WHERE atid.at_uri_collection(uri) = 'app.bsky.actor.profile'"), "0|1|$third", '... and all if other collections are wanted');
	is(last_of("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS \$\$BEGIN IF NEW.did = 'did:web:bad.example' THEN RAISE 'not that one'; END IF; RETURN NEW; END\$\$",
		'CREATE TRIGGER refuse BEFORE INSERT ON identity FOR EACH ROW EXECUTE FUNCTION refuse()',
		"SELECT demo.take('relay', VARIADIC ARRAY(SELECT demo.frame('#account', jsonb_build_object('seq', 10 + n, 'did', did, 'active', true)) FROM unnest('{did:web:bad.example,did:web:good.example}'::text[]) WITH ORDINALITY AS x (did, n)))",
		"SELECT did FROM account WHERE did::text LIKE 'did:web:%'"), 'did:web:good.example', '... and new ones');
}

# An account that nobody knows ends, though a stranger has made it wanted; but not if the operator wants it.
is(last_of("INSERT INTO want (what, value, because) VALUES ('signal', 'a.b.c', NULL), ('account', 'did:web:signal.example', 'a.b.c'), ('account', 'did:web:mine.example', NULL)",
	"SELECT reconcile_wants(99)", "UPDATE identity SET met = now() - interval '4 days' WHERE did::text LIKE 'did:web:%'", 'SELECT run_maintenance()', 'SELECT reconcile_wants(99)',
	"SELECT (SELECT string_agg(did::text, ' ') FROM account WHERE did::text LIKE 'did:web:%'), (SELECT string_agg(value, ' ') FROM want WHERE value LIKE 'did:web:%')"),
	'did:web:mine.example|did:web:mine.example', 'an account that nobody knows ends, though it is wanted for a signal');
is(last_of("SELECT string_agg(url_origin(u), ' ') FROM unnest('{https://PDS.example:443/,http://a.example:80,https://a.example:4430,http://a.example:443/x}'::text[]) AS u"),
	'https://pds.example http://a.example https://a.example:4430 http://a.example:443', 'an origin has no default port');

my $claim = "SELECT demo.loading('$did')";
my $fail  = "SELECT fail_load('$did', 2, 'RepoNotFound', NULL, false)";
is(last_of($claim, $fail, 'SELECT did FROM claim_status_checks(9)'), $did, 'if a load is answered with RepoNotFound, the server is queried');
is(last_of($claim, $fail, 'SELECT did FROM claim_status_checks(9)', "SELECT store_account_status('$did', true, NULL, NULL, now())", "$state, load_at, check_at HAVING load_at < 'infinity' AND check_at = 'infinity'"),
	"desynchronized||$all", '... and the account is loaded again if it is active');
foreach my $status (qw(deleted deactivated takendown suspended-for-review))
{
	is(last_of($claim, $fail, 'SELECT did FROM claim_status_checks(9)', "SELECT store_account_status('$did', false, '$status', NULL, now())", $state), "inactive|$status|0", "... and has no records if it is $status");
}
is(last_of($claim, $fail, "UPDATE account SET said = now() + interval '1 s'", "SELECT store_account_status('$did', false, 'deleted', NULL, now())", $state),
	"desynchronized||$all", '... but not if the stream has reported otherwise since');

#
# Identities.
#
is(last_of("SELECT bool_and(ask BETWEEN answered + 0.89 * identity_age AND answered + 1.11 * identity_age), count(DISTINCT ask) > 1 FROM identity, settings"),
	't|t', 'an identity is requested again after about a day');
is(last_of("UPDATE identity SET answered = now() - interval '2 h'", $gap, $list,
	"SELECT count(*) FROM identity, settings WHERE ask <= now() + spread"), 2, 'after a gap all are requested soon');
is(last_of("UPDATE stream SET pds = '{https://elsewhere.example}' WHERE name = 'relay'", "SELECT store_plc_log('$did', log, now()) FROM demo.log WHERE did = '$did'", $state),
	'barred|moved|0', 'an account that has left the PDS no longer belongs to it');
is(last_of("UPDATE stream SET pds = '{https://elsewhere.example}' WHERE name = 'relay'",
	"SELECT demo.take('relay', demo.frame('#account', '{\"seq\": 11, \"did\": \"$did\", \"active\": false}'), demo.sync(12))",
	"SELECT cursor FROM shard WHERE stream = 'relay'", $state), "synchronized||$all", '... and statements of the PDS about it are not believed');
is(last_of("SELECT apply_identity('$did', NULL, NULL, NULL, NULL, true, now())", $state), 'barred|tombstoned|0', 'a tombstone deletes');
is(last_of("SELECT apply_identity('$did', NULL, NULL, NULL, NULL, true, now())", "SELECT store_account_status('$did', true, NULL, NULL, now() + interval '1 h')", $state),
	'barred|tombstoned|0', '... whatever a server reports');
is(last_of("SELECT apply_identity('$did', NULL, NULL, NULL, NULL, true, now())", "SELECT store_plc_log('$did', log, now()) FROM demo.log WHERE did = '$did'", $state),
	'desynchronized||0', '... until the log says otherwise');
my $web = q{'{"id": "did:web:a.example", "alsoKnownAs": ["at://a.example"], "verificationMethod": [{"id": "did:web:a.example#atproto", "type": "Multikey",
	"controller": "did:web:a.example", "publicKeyMultibase": "zQ3shY6V6fWJmJLpSaLE8picEqnuKDW8PKKbshq7W743N1eKz"}],
	"service": [{"id": "#atproto_pds", "type": "AtprotoPersonalDataServer", "serviceEndpoint": "https://pds.example/"}]}'};
is(last_of("SELECT add_account('did:foo:bar')", "SELECT demo.take('relay', demo.frame('#identity', '{\"seq\": 11, \"did\": \"did:foo:bar\"}'))",
	q{SELECT add_label_sources('[{"src": "did:foo:baz"}]')}, 'SELECT process_notices(99)', 'SELECT demo.ask()',
	q{SELECT string_agg(concat_ws(' ', did, asked, problem), ', ' ORDER BY did) FROM identity WHERE did_method(did) = 'foo'}),
	'did:foo:bar 0 unsupported_method, did:foo:baz 0 unsupported_method', 'no identity of an unsupported method is requested');
is(last_of("SELECT add_account('did:web:a.example')", "SELECT demo.ask()", "SELECT store_did_document('did:web:a.example', $web, now())",
	"SELECT handle, pds, right(key, 4), load_at <= now() FROM identity JOIN account USING (did) WHERE did = 'did:web:a.example'"),
	'a.example|https://pds.example|1eKz|t', 'a DID document has key, host and handle');
is(last_of("SELECT add_account('did:web:b.example')", "SELECT store_did_document('did:web:b.example', $web, now())",
	"SELECT key IS NULL, problem, detail FROM identity WHERE did = 'did:web:b.example'"), 't|invalid|The document must be that of the account.', '... its own ones');
is(last_of("SELECT add_account('did:web:a.example')", 'SELECT demo.ask()', "SELECT store_did_document('did:web:a.example', replace($web, 'Multikey', 'JsonWebKey2020')::jsonb, now())",
	"SELECT why, detail FROM trouble WHERE did = 'did:web:a.example'"),
	'no key|unrecognized type of a verification method', '... and a reason, if it has no key');


# The first valid key, handle and endpoint of a document count, whatever stands before them.
my ($good, $better) = map { s/^did:key://r } $key, $not_its;
my $method  = qq("type": "Multikey", "controller": "did:web:a.example", "publicKeyMultibase": "$good");
my $service = '"type": "AtprotoPersonalDataServer", "serviceEndpoint": "https://pds.example"';
my %first   = (
	handle => [
		[ 'the first one',        '"at://ada.example", "at://b.example"',                                    'ada.example' ],
		[ 'not a DID',            '"at://did:plc:ewvi7nxzyoun6zhxrhs64oiz", "at://ada.example"',              'ada.example' ],
		[ 'not other words',      '"at://not a handle", "at://ada.example"',                                 'ada.example' ],
		[ 'nothing behind it',    '"at://b.example/extra", "at://b.example?", "at://b.example#", "at://b.example.", "at://b.example:1", "at://ada.example"', 'ada.example' ],
		[ 'no markup',            '"at://<img src=x onerror=x>", "at://a\u202e.example"',                    '' ],
		[ 'lower case',           '"at://Ada.Example"',                                                      'ada.example' ],
		[ 'another scheme',       '"https://b.example", "AT://b.example", "ada.example"',                    '' ],
		[ 'no text',              'null, 7, ["at://b.example"], {"at://b.example": 1}, "at://ada.example"',  'ada.example' ],
		[ 'not too long',         '"at://' . join('.', ('a' x 60) x 5) . '.example", "at://ada.example"',    'ada.example' ] ],
	key => [
		[ 'a full id',            qq!{"id": "did:web:a.example#atproto", $method}!, $key ],
		[ 'a relative id',        qq!{"id": "#atproto", $method}!, $key ],
		[ 'the first of two',     qq!{"id": "#atproto", $method}, {"id": "#atproto", ${\($method =~ s/$good/$better/r)}}!, $key ],
		[ "not another's id",     qq!{"id": "did:web:b.example#atproto", $method}, {"id": "atproto", $method}!, '' ],
		[ "not another's key",    qq!{"id": "#atproto", ${\($method =~ s/a\.example/b.example/r)}}, {"id": "#atproto", $method}!, $key ],
		[ 'not an unknown type',  qq!{"id": "#atproto", ${\($method =~ s/Multikey/JsonWebKey2020/r)}}, {"id": "#atproto", $method}!, $key ],
		[ 'not of Ed25519',       qq!{"id": "#atproto", ${\($method =~ s/$good/z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp/r)}}, {"id": "#atproto", $method}!, $key ],
		[ 'not a broken one',     qq!{"id": "#atproto", ${\($method =~ s/$good/zQ3sh/r)}}, {"id": "#atproto", "type": 7}, 7, {"id": "#atproto", $method}!, $key ] ],
	pds => [
		[ 'a full id',            qq!{"id": "did:web:a.example#atproto_pds", $service}!, 'https://pds.example' ],
		[ 'a relative id',        qq!{"id": "#atproto_pds", $service}, {"id": "#atproto_pds", ${\($service =~ s/pds\./b./r)}}!, 'https://pds.example' ],
		[ 'not another type',     qq!{"id": "#atproto_pds", ${\($service =~ s/Personal//r)}}, {"id": "#atproto_pds", $service}!, 'https://pds.example' ],
		[ 'not another service',  qq!{"id": "#atproto_labeler", $service}!, '' ],
		[ 'not a broken address', qq!{"id": "#atproto_pds", ${\($service =~ s/https/ftp/r)}}, {"id": "#atproto_pds", $service}!, 'https://pds.example' ] ]);
my %list = (handle => 'alsoKnownAs', key => 'verificationMethod', pds => 'service');
foreach my $what (sort keys %first)
{
	my $documents = join ', ', map { qq(\$d\${"$list{$what}": [$_->[1]]}\$d\$) } @{ $first{$what} };
	my @got = split /\n/, $node->safe_psql($db, "SELECT x.n || ' ' || coalesce(i.$what, '') FROM unnest(ARRAY[$documents]::jsonb[]) WITH ORDINALITY AS x (d, n) CROSS JOIN read_did_document('did:web:a.example', x.d) AS i ORDER BY x.n");
	is($got[$_], ($_ + 1) . " $first{$what}[$_][2]", "$what: $first{$what}[$_][0]") foreach 0 .. $#{ $first{$what} };
}
is($node->safe_psql($db, q{SELECT count(i), count(*) FROM unnest(ARRAY['null', '7', '[]', '{}', '{"service": 7}', '{"service": {}, "alsoKnownAs": {}, "verificationMethod": {}}', '{"verificationMethod": [[]], "service": [null]}']::jsonb[]) AS x
	CROSS JOIN read_did_document('did:web:a.example', x) AS d CROSS JOIN LATERAL concat(d.key, d.handle, d.pds, d.detail) AS c LEFT JOIN LATERAL (SELECT 1 WHERE c <> '') AS i ON true}), '0|7', 'a document of another shape has none of them');
my $operation = qq({"alsoKnownAs": ["at://A.example"], "verificationMethods": {"atproto_label": "$not_its", "atproto": "$key"},
	"services": {"atproto_labeler": {"type": "AtprotoLabeler", "endpoint": "https://l.example"}, "atproto_pds": {"type": "AtprotoPersonalDataServer", "endpoint": "https://pds.example"}}});
is($node->safe_psql($db, "SELECT concat_ws(' ', key, handle, pds) FROM unnest(ARRAY['$operation', replace('$operation', 'PersonalDataServer', 'X'), NULL]::jsonb[]) AS o CROSS JOIN read_did_document('$did', plc_document('$did', o))"),
	"$key a.example https://pds.example\n$key a.example\n", 'an operation of a log is read likewise');
is(last_of("UPDATE identity SET (key, handle, pds, host) = (NULL, 'x', 'x', 'x')", "SELECT store_plc_log(did::text, log, now()) FROM demo.log WHERE did IN ('$did', '$second', '$third')",
	"SELECT bool_and(i.key = d.data #>> '{verificationMethods,atproto}' AND 'at://' || i.handle = d.data #>> '{alsoKnownAs,0}' AND i.pds = d.data #>> '{services,atproto_pds,endpoint}' AND i.host = i.pds)
	FROM identity AS i JOIN demo.log AS l USING (did) CROSS JOIN atid.plc_log_history(l.log) AS d WHERE d.valid_to IS NULL"), 't', '... and so are real ones');

#
# Frames.
#
my $off = "SELECT set_account_state(try_lock_account('$did'), 'desynchronized', now() + interval '1 h')";
my $due = "SELECT load_at <= now() FROM account WHERE did = '$did'";
is(last_of($off, "SELECT demo.take('relay', demo.sync(11))", $due), 't', 'a frame that an account has signed has it loaded');
is(last_of($off, "SELECT demo.take('relay', demo.sync(11))", $off, "SELECT demo.take('relay', demo.sync(12))", $due), 'f', '... once a minute');
is(last_of("SELECT apply_identity('$second', '$key', NULL, NULL, NULL, false, now())", "UPDATE identity SET key = '$not_its' WHERE did = '$did'", $off,
	"SELECT demo.take('relay', demo.sync(11))", $due), 'f', '... by its key');
my $silent = "SELECT deactivate_account(try_lock_account('$did'), 'inactive', 'deactivated')";
is(last_of($silent, "SELECT demo.take('relay', demo.sync(11))", 'SELECT did FROM claim_status_checks(9)'), $did, '... if the account is not active, it is checked');
is(last_of($silent, "SELECT demo.take('relay', demo.sync(11))", "SELECT store_account_status('$did', true, NULL, NULL, now() + interval '1 s')", $due), 't',
	'... and loaded if the server says that it is');
is(last_of($silent, "SELECT demo.take('relay', demo.sync(11))", "SELECT store_account_status('$did', false, 'takendown', NULL, now() + interval '1 s')",
	"SELECT string_agg(did, ' ') FROM claim_loads(9, true, NULL, NULL, '{}')") !~ /$did/, 1, '... and not if it says that it is not');
my $outdated = "SELECT demo.take('relay', demo.frame('#info', '{\"name\": \"OutdatedCursor\"}'))";
is(last_of("UPDATE want SET listed = NULL", $outdated, 'SELECT recheck_after_gap(9)', 'SELECT of, at FROM next_listing()'), '*|', 'after a gap all accounts are listed');
is(last_of("DELETE FROM want WHERE what = 'account'", "INSERT INTO want VALUES ('account', '$did')", "SELECT reconcile_wants(99)", $outdated,
	'SELECT recheck_after_gap(9)', "SELECT state, check_at <= now() + spread, ask <= now() + spread FROM account JOIN identity USING (did), settings"), 'synchronized|t|t',
	'... or the wanted ones are checked');
my $bad = "SELECT demo.take('relay', demo.sync(11))";
my $other = "UPDATE identity SET key = '$not_its' WHERE did = '$did'";
is(last_of($other, $bad, q{SELECT refused, early FROM shard AS t, bad WHERE t.stream = 'relay'}), '0|t', 'a frame by an unknown key is not refused yet');
is(last_of($other, $bad, "SELECT store_plc_log('$did', log, now()) FROM demo.log WHERE did = '$did'", 'SELECT count(*) FROM bad'), 0,
	'... and is not bad where the log has the key');
is(last_of($other, $bad, "SELECT store_plc_log('$did', log, now()) FROM demo.log WHERE did = '$did'", "SELECT process_frames('relay', 0, 1, '{}')",
	"SELECT heard = (atid.repo_commit(demo.car('$did'))).rev FROM account WHERE did = '$did'"), 't', '... but the loaded repository must be as new');
my $early = 'SELECT count(*), count(*) FILTER (WHERE early) FROM bad';
is(last_of($other, 'UPDATE settings SET most_early = 2', "SELECT demo.take('relay', demo.sync(11), demo.sync(12), demo.sync(13))", "SELECT demo.take('relay', demo.sync(14))", $early), '4|2',
	'most_early: no more frames of an account wait for a key, of one batch or of several');
is(last_of($other, 'UPDATE settings SET most_bad = 0', $bad, $early), '0|0', 'most_bad: no frame is kept');
like(last_of(qq{INSERT INTO want (what, value) VALUES ('$_->[0]', '$_->[1]')}), qr/violates check constraint "want_check"/, "nobody can want the $_->[0] $_->[1]")
  foreach ($citus ? () : [ 'live', 'did:web:a.example' ]), [ 'collection', 'a' ], [ 'signal', '*' ], [ 'account', 'x' ], [ 'other', '*' ];
is(last_of(qq{INSERT INTO want (what, value) VALUES ('$_->[0]', '$_->[1]') RETURNING value}), $_->[1], "the $_->[0] $_->[1] can be wanted")
  foreach ($citus ? () : [ 'live', '*' ]), [ 'collection', 'a.b.*' ], [ 'collection', 'a.b.c' ], [ 'signal', 'a.b.c' ], [ 'account', 'did:web:a.example' ];
my $no_room = 'UPDATE settings SET most_waiting_all = 0';
my $its_log = "SELECT store_plc_log('$did', log, now()) FROM demo.log WHERE did = '$did'";
my $waits = 'SELECT count(*), count(frame) FROM waiting';
is(last_of($other, $bad, $its_log, $waits), '1|1', '... which a frame that is processed again has to show');
is(last_of($other, $bad, $no_room, $its_log, $waits), '1|0', 'most_waiting_all: only that there was a frame is kept of one that a new key has made valid');
is(last_of($other, $bad, $no_room, $its_log, "SELECT demo.load('$did')", "SELECT process_frames('relay', 0, 1, '{}')", "SELECT state FROM account WHERE did = '$did'"), 'desynchronized',
	'... and the account is loaded again');
is(last_of($claim, $no_room, $bad, "SELECT demo.take('relay', demo.frame('#account', '{\"seq\": 12, \"did\": \"$did\", \"active\": true, \"time\": \"x\"}'))", $waits), '1|0',
	'... and so is one that is being loaded, whatever bad frames come');
# Some relays do not report that they have no older frames.
foreach ([ 12, '7 h', '1 s', '*|' ], [ 12, '0', '7 h', '*|' ], [ 12, '7 h', '-1000 h', '*|' ], [ 11, '7 h', '1 s', '' ], [ 12, '5 h', '1 s', '' ])
{
	my ($seq, $away, $lag, $listed) = @$_;
	is(last_of('UPDATE want SET listed = NULL', "UPDATE shard SET heard = now() - interval '$away', lag = '$lag'", "SELECT report_connection('relay', 10, $seq)",
		'SELECT recheck_after_gap(9)', 'SELECT of, at FROM next_listing()'), $listed || '|', "the number $seq after 10, $away and $lag later");
}
is(last_of("SELECT demo.take('relay', demo.frame('#identity', '{\"seq\": 11, \"did\": \"did:web:any.example\"}'))", 'SELECT count(*) FROM identity'), 3,
	'anybody can send #identity about an account, which adds none');
my @raises = ($claim, $bad, $off, "ALTER TABLE account ADD CHECK (did <> '$did' OR heard IS NULL)",
	"SELECT demo.take('relay', demo.sync(12), demo.frame('#identity', '{\"seq\": 13, \"did\": \"$second\"}'))");
is(last_of(@raises, "SELECT cursor, (SELECT count(*) FROM waiting), (SELECT atid.dag_cbor_get_text((atid.frame_parts(frame)).body, '{seq}')
	FROM bad WHERE reason LIKE '%check constraint%'), (SELECT ask <= now() FROM identity WHERE did = '$second') FROM shard WHERE stream = 'relay'"), '13|0|12|t',
	'an error of a constraint keeps aside the frame, and what has waited, and nothing else');
is(last_of(@raises, "SELECT state FROM account WHERE did = '$did'"), 'desynchronized', '... and the account is loaded when it is due');
my $old    = "SELECT apply_identity('$did', '$key', ARRAY['$key'], NULL, NULL, false, now())";
my $again  = "SELECT ask < now() + interval '1 h' FROM identity WHERE did = '$did'";
my $rotate = "SELECT demo.take('relay', demo.frame('#identity', '{\"seq\": 11, \"did\": \"$did\"}'))";
is(last_of($rotate, 'SELECT demo.ask()', $old =~ s/now\(\)/$& - interval '1 s'/r, $again), 't', 'an answer that was requested before a rotation does not end the request');
is(last_of($rotate, 'SELECT demo.ask()', $old, $again), 'f', '... but one that was requested later does');
is(last_of($other, $bad, 'UPDATE identity SET ask = now()', 'SELECT demo.ask()', $old =~ s/$key/$not_its/gr, $again), 't', '... unless the key of a frame is not in it');
is(last_of($other, $bad, 'UPDATE identity SET ask = now(), asked = 6', 'SELECT demo.ask()', $old =~ s/$key/$not_its/gr, $again, 'SELECT early FROM bad'), 'f',
	'... for a while: then the frame is bad');
# Requests that others cause wait longer each time, those of #identity and of bad signatures by a count of their own,
# but not where the key was a new one.
my $no_news  = "SELECT apply_identity('$did', '$key', ARRAY['$key'], NULL, NULL, false, now())";
my $frame = sub { return "SELECT demo.take('relay', demo.frame('#identity', '{\"seq\": $_[0], \"did\": \"$did\"}'))" };
my $soon  = "SELECT ask <= now() FROM identity WHERE did = '$did'";
is(last_of((map { ($frame->(10 + $_), $no_news =~ s/$key/$_ % 2 ? $not_its : $key/ger) } 1 .. 6), $frame->(17), $soon), 't', 'keys that change again and again are requested at once');
is(last_of((map { ($frame->(10 + $_), $no_news) } 1 .. 6), $frame->(17), $soon), 'f', '... but not if only the stream reports that');
is(last_of((map { ($frame->(10 + $_), $no_news) } 1 .. 6), $other, "SELECT demo.take('relay', demo.sync(17))", "SELECT ask - now() < interval '10 s', nudged, doubted FROM identity WHERE did = '$did'"), 't|6|1',
	'... which does not make a bad signature wait');
is(last_of($other, (map { ("SELECT demo.take('relay', demo.sync(10 + $_))", 'TRUNCATE bad', "UPDATE identity SET ask = now() + interval '1 d' WHERE did = '$did'") } 1 .. 6), $frame->(17), $soon), 't',
	'... and bad signatures do not make #identity wait');
is(last_of($other, (map { ("UPDATE identity SET ask = now() + interval '1 d' WHERE did = '$did'", 'TRUNCATE bad', "SELECT demo.take('relay', demo.sync(10 + $_))") } 1 .. 6),
	"SELECT ask - answered > interval '1 min' FROM identity WHERE did = '$did'"), 't', '... but others of their kind do');

# An account that is activated again and again, or has another key each time, waits to be loaded.
my @blinks = ("SELECT apply_account_status(try_lock_account('$did'), false, 'deactivated', NULL, NULL)", "SELECT apply_account_status(try_lock_account('$did'), true, NULL, NULL, NULL)");
is(last_of((@blinks) x 5, "SELECT load_at <= now() FROM account WHERE did = '$did'"), 't', 'an account that is activated is loaded at once');
is(last_of((@blinks) x 6, "SELECT load_at - now() > interval '1 min' FROM account WHERE did = '$did'"), 't', '... five times a day, then later');
is(last_of((@blinks) x 6, "UPDATE account SET gap_at = now() - interval '25 h' WHERE did = '$did'", @blinks, "SELECT load_at <= now(), gaps FROM account WHERE did = '$did'"), 't|1', '... until a day is over');
is(last_of((map { $no_news =~ s/$key/$_ % 2 ? $not_its : $key/ger } 1 .. 5), "SELECT load_at <= now() FROM account WHERE did = '$did'"), 't', 'so is an account with a new key');
is(last_of((map { $no_news =~ s/$key/$_ % 2 ? $not_its : $key/ger } 1 .. 6), "SELECT load_at - now() > interval '1 min' FROM account WHERE did = '$did'"), 't', '... later each time, too');

# Those that have failed are claimed apart.
my $due_again = "SELECT reload_account('$did'), reload_account('$second'); UPDATE account SET failures = 1 WHERE did = '$did'";
is(last_of($due_again, "SELECT string_agg(did, ' ') FROM claim_loads(9, true, NULL, NULL, '{}', $_->[0])"), $_->[1], "a claim of $_->[2]")
  foreach [ 'false', $second, 'accounts that have not failed' ], [ 'true', $did, 'those that have' ];
is(last_of($due_again, "SELECT count(*) FROM claim_loads(9, true, NULL, NULL, '{}')"), 2, 'a claim of both');
is(last_of($due_again, 'SELECT is_load_waiting(true, true), is_load_waiting(true, false), is_load_waiting(false, true), count_due_loads(true), count_due_loads(false)'), 't|t|f|2|0', 'the kinds of accounts that wait');
is(last_of("SELECT demo.take('relay', demo.frame('#future', '{\"seq\": 9007199254740991}'))", "SELECT cursor FROM shard WHERE stream = 'relay'"), 10,
	'a number that is far ahead does not move the cursor');
is(last_of("SELECT demo.take('relay', VARIADIC ARRAY(SELECT demo.frame('#account', jsonb_build_object('seq', 10 + n, 'did', '$did', 'active', true, 'time', t)) FROM unnest(ARRAY['9999-12-31T00:00:00Z',
	to_char(now() - interval '1 h', 'YYYY-MM-DD\"T\"HH24:MI:SSOF:00'), to_char(now() - interval '1 h', 'YYYY-MM-DD\"T\"HH24:MI:SSOF:00')]) WITH ORDINALITY AS x (t, n)))",
	"SELECT lag BETWEEN '50 min' AND '70 min' FROM shard WHERE stream = 'relay'"), 't', 'a made-up time does not affect the lag of the stream');
is(last_of("SELECT demo.take('relay', demo.frame('#account', '{\"seq\": 12, \"did\": \"$did\", \"active\": false, \"status\": \"deactivated\"}'))", $state),
	'inactive|deactivated|0', 'an account that is not active has no records');
# The stream does not wait for the records of an account that has many.
my @many = ("INSERT INTO record (uri, did, cid, block, conforms) SELECT atid.at_uri_make('$did', 'app.bsky.feed.post', 'n' || n), did, cid, block, conforms
	FROM (SELECT * FROM record WHERE did = '$did' LIMIT 1) AS r, generate_series(1, 11000) AS n",
	"SELECT process_frames('relay', 0, 1, ARRAY[demo.frame('#account', '{\"seq\": 12, \"did\": \"$did\", \"active\": false, \"status\": \"deactivated\"}')])");
my $rest = 11000 + $all - 200;
is(last_of(@many, $state), "inactive|deactivated|$rest", 'of many records, 200 are deleted with the frame');
is(last_of(@many, "UPDATE account SET load_at = now(), rev = NULL, state = 'desynchronized' WHERE did = '$second'", 'SELECT reconcile_wants(99)', $state),
	'inactive|deactivated|' . ($rest - 5000), '... and the others by settle, whatever else is to be done');
is(last_of(@many, ('SELECT reconcile_wants(99)') x 3, $state), 'inactive|deactivated|0', '... until none are left');
is(last_of(@many, ('SELECT reconcile_wants(99)') x 3, 'SELECT reconcile_wants(99)'), 0, '... and then there is nothing to do');
is(last_of(@many, "SELECT store_account_status('$did', true, NULL, NULL, now() + interval '1 s')", "SELECT demo.load('$did'), reconcile_wants(99)", $state), "synchronized||$all",
	'an account that is active again before that has the records of its repository');
is(last_of(@many, "UPDATE identity SET key = NULL WHERE did = '$did'", "SELECT store_account_status('$did', true, NULL, NULL, now() + interval '1 s')", ('SELECT reconcile_wants(99)') x 3, $state), 'unidentified||0',
	'... or nothing, if it has no key');
is(last_of(@many, 'UPDATE wants SET n = n + 1', 'SELECT reconcile_wants(99)', "SELECT wants < n FROM account, wants WHERE did = '$second'"), 't', 'changes of the wants wait for that');
if (!$citus)
{
	my @refused = ($many[0], 'CREATE FUNCTION demo.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF OLD.uri::text LIKE \'%/n9%\' THEN RAISE \'it stays\'; END IF; RETURN OLD; END $$',
		'CREATE TRIGGER refuse BEFORE DELETE ON packed_record FOR EACH ROW EXECUTE FUNCTION demo.refuse()', $many[1], ('SELECT reconcile_wants(99)') x 4);
	is(last_of(@refused, 'SELECT reconcile_wants(99)'), 0, 'if a trigger refuses one of many, settle comes to an end');
	is(last_of(@refused, "SELECT state, why, detail, remedy LIKE '%reload%' FROM trouble WHERE did = '$did'"), 'inactive|not written|it stays|t', '... and reports it');
	is(last_of(@refused, 'DROP TRIGGER refuse ON packed_record', "SELECT reload_account('$did')", 'SELECT did FROM claim_status_checks(9)', "SELECT store_account_status('$did', false, 'deactivated', NULL, now() + interval '1 s')", ('SELECT reconcile_wants(99)') x 3,
		"SELECT (SELECT count(*) FROM record WHERE did = '$did'), (SELECT count(*) FROM trouble)"), '0|0', '... and the record is deleted once that is mended');
	my @kept = ($many[0], 'CREATE FUNCTION demo.keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN CASE WHEN OLD.uri::text LIKE \'%/n1%\' THEN NULL ELSE OLD END; END $$',
		'CREATE TRIGGER keep BEFORE DELETE ON packed_record FOR EACH ROW EXECUTE FUNCTION demo.keep()', $many[1], 'SELECT reconcile_wants(99)');
	is(last_of(@kept, 'SELECT reconcile_wants(99)'), 0, 'so it does if a trigger keeps records');
	is(last_of(@kept, "SELECT count(*) FILTER (WHERE uri::text NOT LIKE '%/n1%') FROM record WHERE did = '$did'"), 0, '... and the others are deleted');
}
is(last_of("SELECT demo.take('relay', demo.frame('#account', '{\"seq\": 12, \"did\": \"$did\", \"active\": false, \"status\": \"$_\"}'))", $state),
	"synchronized||$all", "... unless the status is $_, which is about the server") foreach qw(throttled desynchronized);

#
# A labeler.
#
my $zero = "SELECT demo.take('$labeler', decode(replace(encode(demo.frame('#labels', '{\"seq\": 11, \"repo\": \"$did\",
	\"labels\": [\"zero\"]}'), 'hex'), '7a65726f', '00000000'), 'hex'))";
is(last_of($zero, $state), "synchronized||$all", 'a labeler cannot desynchronize an account');
is(last_of($claim, $zero, "SELECT state FROM account WHERE did = '$did'"), 'loading', '... or stop it from being loaded');
is(last_of("SELECT demo.take('$labeler', demo.frame('#labels', '{\"seq\": 11, \"did\": \"$did\", \"labels\": []}'),
	demo.frame('#future', '{\"seq\": 12, \"did\": \"$did\"}'))", 'SELECT count(*) FROM identity WHERE ask <= now()'), 0, '... or have logs requested');
is(last_of("SELECT demo.take('$labeler', demo.frame('#labels', '{\"seq\": 11, \"did\": \"$did\", \"labels\": 1}'))", "SELECT count(*), count(did) FROM bad"),
	'1|0', '... and a bad frame of labels is not kept as one of the account');
is(last_of("SELECT demo.take('$labeler', demo.frame('#labels', '{\"seq\": 11, \"labels\": [{\"src\": \"did:plc:7iza6de2dwap2sbkpav7c6c6\"}]}'))",
	'SELECT demo.ask()'), 'did:plc:7iza6de2dwap2sbkpav7c6c6', 'the key of a labeler is requested');

is(last_of("SELECT labels_take(jsonb_build_array(jsonb_build_object('src', '$did', 'uri', '$did', 'val', 'x'), jsonb_build_object('src', '$did', 'uri', '$did', 'val', repeat('x', 10000))))",
	"SELECT string_agg(label->>'val', ' ') FROM labels_refused"), 'x', 'an entry that is too long to be a label is not kept');
is(last_of("UPDATE identity SET labeler = true, answered = NULL WHERE did = '$did'",
	"INSERT INTO labels_refused SELECT jsonb_build_object('src', '$did', 'uri', '$did', 'val', n::text), now() - interval '1 min' FROM generate_series(1, 10001) AS n",
	"SELECT store_plc_log('$did', log, now()) FROM demo.log WHERE did = '$did'", 'SELECT count(*), bool_and(received = now()) FROM labels_refused'), '10001|t', 'labels that came before a key are checked again, however many there are');

#
# What is wanted.
#
my $kinds = "SELECT string_agg(DISTINCT atid.at_uri_collection(uri)::text, ' ' ORDER BY atid.at_uri_collection(uri)::text) FROM record WHERE did = '$did'";
my @feed = ("DELETE FROM want WHERE what = 'collection'", "INSERT INTO want VALUES ('collection', 'app.bsky.feed.*')", "SELECT reconcile_wants(99)");
like(last_of($kinds), qr/actor.profile .*graph/, 'all collections are wanted');
unlike(last_of(@feed, $kinds), qr/actor|graph/, 'records of collections that are no longer wanted are deleted');
is(last_of(@feed, "SELECT count(*) FROM reference WHERE collection NOT LIKE 'app.bsky.feed.%'"), 0, '... with their references');
is(last_of(@feed, "INSERT INTO want VALUES ('collection', 'app.bsky.actor.profile')", "SELECT reconcile_wants(99)", $due), 't', 'for a new one the accounts are loaded');
like(last_of(@feed, "INSERT INTO want VALUES ('collection', 'app.bsky.actor.profile')", "SELECT demo.load('$did')", $kinds),
	qr/^app.bsky.actor.profile (app.bsky.feed.\w+ ?)+$/, '... with that view');
is(last_of("INSERT INTO want VALUES ('collection', 'app.bsky.graph.follow')", "SELECT reconcile_wants(2)", "SELECT reconcile_wants(99)"), 1, 'a few accounts at a time');
my @some = ("DELETE FROM want WHERE what = 'account'", "INSERT INTO want VALUES ('account', '$did')", "SELECT reconcile_wants(99)");
is(last_of(@some, 'SELECT string_agg(did::text, $$ $$) FROM account'), $did, 'accounts that are no longer wanted are deleted');
is(last_of(@some, 'SELECT count(DISTINCT did) FROM record'), 1, '... with their records');
is(last_of(@some, "DELETE FROM want WHERE value = '$did'", "INSERT INTO want VALUES ('account', '$second')", "SELECT reconcile_wants(99)",
	'SELECT did FROM account'), $second, 'accounts come and go');
is(last_of(@some, "INSERT INTO want VALUES ('account', '*')", 'SELECT of, at FROM next_listing()'), '*|', 'if all are wanted again, they are listed');
is(last_of(@some, "SELECT demo.take('relay', demo.frame('#identity', '{\"seq\": 11, \"did\": \"$third\"}'))", 'SELECT count(*) FROM account'), 1,
	'the stream adds no others');
my @signal = (@some, "INSERT INTO want VALUES ('signal', 'a.b.c')", "SELECT store_listing_page('a.b.c', '', '[{\"did\": \"$third\"}]', NULL, now())", "SELECT reconcile_wants(99)");
is(last_of(@some, "INSERT INTO want VALUES ('signal', 'a.b.c')", 'SELECT of, at FROM next_listing()'), 'a.b.c|', 'the accounts that have a signal are listed');
is(last_of(@signal, 'SELECT count(*) FROM account'), 2, '... and wanted');
is(last_of(@signal, "DELETE FROM want WHERE value = 'a.b.c'", "SELECT reconcile_wants(99)", 'SELECT did FROM account'), $did, '... as long as the signal is');
is(last_of("INSERT INTO lexicons SELECT atid.lexicon_from_jsonb('{\"lexicon\": 1, \"id\": \"app.bsky.feed.like\", \"defs\": {\"main\": {\"type\": \"record\",
	\"key\": \"tid\", \"record\": {\"type\": \"object\", \"required\": [\"nothing\"], \"properties\": {\"nothing\": {\"type\": \"string\"}}}}}}')",
	"DELETE FROM record WHERE did = '$did'", "SELECT demo.load('$did')",
	"SELECT count(*) > 0, bool_and((atid.at_uri_collection(uri) = 'app.bsky.feed.like') = (conforms IS NOT NULL)), bool_or(conforms) FROM record WHERE did = '$did'"),
	't|t|f', 'records are judged by Lexicons');
# Two documents with one NSID, and records that are written after them.
my ($one, $two) = map { "'{\"lexicon\": 1, \"id\": \"app.bsky.feed.like\", \"description\": \"$_\", \"defs\": {\"main\": {\"type\": \"token\"}}}'" } 1, 2;
my $other_lexicon = "'{\"lexicon\": 1, \"id\": \"a.b.c\", \"defs\": {\"main\": {\"type\": \"token\"}}}'";
my $writes = "SELECT demo.load('$did'), (SELECT string_agg(lexicons::jsonb->>'description', ' ') FROM lexicons)";
like(last_of("INSERT INTO lexicons VALUES ($one)", "INSERT INTO lexicons VALUES ($two)", 'SELECT 1'), qr/app\.bsky\.feed\.like/, 'two different Lexicons with one NSID are refused');
is(last_of("SELECT add_lexicons($one)", "SELECT add_lexicons($two)", "DELETE FROM record WHERE uri = (SELECT min(uri::text)::atid.at_uri FROM record WHERE did = '$did')", $writes), '1|2', '... and one replaces the other');
is(last_of("INSERT INTO lexicons VALUES (('[' || $one || ',' || $other_lexicon || ']')::jsonb)", "SELECT add_lexicons($two)", 'SELECT atid.lexicon_nsids(atid.lexicon_agg(lexicons)), count(*) FROM lexicons'),
	'{a.b.c,app.bsky.feed.like}|2', '... even if it came with others');

#
# Hosts, and their figures.
#
my @host = map { ("SELECT set_account_state(a, 'desynchronized', now()) FROM try_lock_account('$did') AS a WHERE a.state = 'synchronized'",
	"SELECT fail_load('$did', demo.loading('$did'), 'timeout', NULL, true)") } 1 .. 3;
my $both = "DO \$\$ DECLARE a account; BEGIN FOR a IN SELECT * FROM account WHERE state = 'synchronized' LOOP PERFORM set_account_state(a, 'desynchronized', now()); END LOOP; END \$\$; UPDATE account SET load_at = now()";
my $claimed = "SELECT string_agg(did, ' ') FROM claim_loads(9, true, NULL, NULL, '{}') WHERE claim > 0";
my $same = "UPDATE identity SET host = 'https://slow.example' WHERE did IN ('$did', '$second')";
is(last_of($same, @host, $both, $claimed), $third, 'the accounts of a host that fails wait');
is(last_of($same, @host[ 0 .. 3 ], $both, $claimed =~ s/string_agg\(did, ' '\)/count(*)/r), 3, '... if it has failed often');
is(last_of($same, @host, "SELECT demo.load('$second')", 'SELECT count(*) FROM host'), 0, '... until it answers');
is(last_of($same, @host, "UPDATE host SET paused = true", "SELECT demo.load('$second')", 'SELECT failures, until > now() FROM host'), '0|t', '... but not if it has asked for a pause, which then no longer grows');
is(last_of($same, @host, "SELECT why, detail FROM trouble WHERE did = '$did'"), 'timeout|its host has failed 3 times', 'the account shows why');
is(last_of($same, @host, "SELECT what, of, value FROM watch WHERE what IN ('hosts_failing', 'accounts') AND value > 0 ORDER BY 1, 2"),
	"accounts|desynchronized|1\naccounts|synchronized|2\nhosts_failing|all|1", 'the view watch has its figures');
is(last_of('WITH c AS MATERIALIZED (SELECT state, count(*) FROM account GROUP BY state) SELECT * FROM status_accounts AS s LEFT JOIN c USING (state)
	WHERE s.n <> coalesce(c.count, 0)'), '', 'the counters count');

# While an account is added, another session gets its key.
my $late = 'did:plc:kpefpzhqxwxqpmdd3trpbh5p';
$node->safe_psql($db, "INSERT INTO identity (did) VALUES ('$late')");
my $teller = $node->background_psql($db);
$teller->query_safe("BEGIN; SELECT apply_identity('$late', '$key', ARRAY['$key'], NULL, 'https://pds.example', false, now())");
my $meeter = $node->background_psql($db);
$meeter->query_until(qr/begun/, "\\echo begun\nSELECT add_account('$late');\n\\echo ended\n");
$node->poll_query_until($db, 'SELECT count(*) = 1 FROM ' . ($citus ? 'citus_lock_waits' : 'pg_locks WHERE NOT granted'));
$teller->query_safe('COMMIT');
$teller->quit;
$meeter->query_until(qr/ended/, '');
$meeter->quit;
is($node->safe_psql($db, "SELECT state FROM account WHERE did = '$late'"), 'desynchronized', 'an account that gets its key meanwhile is loaded');

# Two sessions claim at the same time: none gets what the other has.
$node->safe_psql($db, q{INSERT INTO identity (did, key, ask) SELECT 'did:plc:race' || i, (SELECT min(key) FROM identity), 'infinity' FROM generate_series(10, 49) AS i;
	SELECT count(add_account(('did:plc:race' || i)::atid.did)) FROM generate_series(10, 49) AS i});
my $claimer = $node->background_psql($db);
my $first = $claimer->query_safe("BEGIN; SELECT string_agg(did, ' ') FROM claim_loads(20, false, NULL, NULL, '{}') WHERE claim > 0");
my $other_claim = $node->safe_psql($db, "SELECT string_agg(did, ' ') FROM claim_loads(99, false, NULL, NULL, '{}') WHERE claim > 0");
$claimer->query_safe('COMMIT');
$claimer->quit;
my %claims;
$claims{$_}++ foreach split ' ', "$first $other_claim";
is(join(' ', scalar keys %claims, grep { $claims{$_} > 1 } sort keys %claims), 41, 'each account is claimed by one session');
$node->safe_psql($db, "SELECT count(exclude_account(did)), count(include_account(did)) FROM (SELECT 'did:plc:race' || i AS did FROM generate_series(10, 49) AS i UNION ALL SELECT '$late') AS x; DELETE FROM unsettled");

# Each state, and the events that can happen in it.
my %state_is = (
	unidentified   => "SELECT apply_identity('$did', NULL, '{}', NULL, NULL, false, now())",
	desynchronized => "SELECT set_account_state(try_lock_account('$did'), 'desynchronized', now())",
	loading        => "SELECT demo.loading('$did')",
	synchronized   => 'SELECT 1',
	inactive       => "SELECT store_account_status('$did', false, 'deactivated', NULL, now())",
	barred         => "SELECT apply_identity('$did', NULL, NULL, NULL, NULL, true, now())");
my %happens = (
	'another key'  => "SELECT apply_identity('$did', '$not_its', '{}', NULL, 'https://a.example', false, now())",
	'no key'       => "SELECT apply_identity('$did', NULL, '{}', NULL, 'https://a.example', false, now())",
	'a tombstone'  => "SELECT apply_identity('$did', NULL, NULL, NULL, NULL, true, now())",
	'not active'   => "SELECT store_account_status('$did', false, 'suspended', NULL, now() + interval '1 s')",
	'active'       => "SELECT store_account_status('$did', true, NULL, NULL, now() + interval '1 s')",
	'active, without a key' => "UPDATE identity SET key = NULL WHERE did = '$did'; SELECT store_account_status('$did', true, NULL, NULL, now() + interval '1 s')");
my %expected = (
	'another key'  => [qw(desynchronized desynchronized desynchronized desynchronized inactive desynchronized)],
	'no key'       => [qw(unidentified unidentified unidentified unidentified inactive unidentified)],
	'a tombstone'  => [qw(barred barred barred barred barred barred)],
	'not active'   => [qw(inactive inactive inactive inactive inactive barred)],
	'active'       => [qw(unidentified desynchronized loading synchronized desynchronized barred)],
	'active, without a key' => [qw(unidentified desynchronized loading synchronized unidentified barred)]);
foreach my $event (sort keys %happens)
{
	is(join(' ', map { last_of($state_is{$_}, $happens{$event}, "SELECT state FROM account WHERE did = '$did'") =~ s/\n/ /gr } qw(unidentified desynchronized loading synchronized inactive barred)),
		join(' ', @{ $expected{$event} }), "in each state: $event");
}
is(last_of($state_is{$_}, $happens{'a tombstone'}, "SELECT count(*) FROM record WHERE did = '$did'"), 0, "$_: a barred account has no records") foreach sort keys %state_is;

my $info = "SELECT demo.take('relay', demo.frame('#info', '{\"name\": \"OutdatedCursor\"}'))";
my $owner = $node->background_psql($db);
$node->safe_psql($db, "INSERT INTO want VALUES ('signal', 'a.b.c', NULL, NULL)");
$owner->query_safe("BEGIN; DELETE FROM want");
my $shard = $node->background_psql($db);
$shard->query_until(qr/begun/, "\\echo begun\n$info; SELECT recheck_after_gap(9);\n\\echo taken\n");
$node->poll_query_until($db, "SELECT count(*) = 1 FROM pg_locks WHERE NOT granted");
$owner->query_safe("INSERT INTO want VALUES ('account', '*'), ('collection', '*'); COMMIT");
$owner->quit;
$shard->query_until(qr/taken/, '');
$shard->quit;
$node->safe_psql($db, 'SELECT pg_stat_force_next_flush()');
is($node->safe_psql($db, 'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()'), 0, 'a change of wants does not block the stream');
$node->safe_psql($db, "SELECT reconcile_wants(99)");

# forget_account() waits for a shard that keeps a frame of the account, which does not come back by a list or a signal.
my $gone = 'did:web:gone.example';
my $keeper = $node->background_psql($db);
$keeper->query_safe("BEGIN; SELECT process_frames('relay', 0, 1, ARRAY[demo.frame('#account', '{\"seq\": 21, \"did\": \"$gone\", \"active\": \"maybe\"}')])");
my $forgetter = $node->background_psql($db);
$forgetter->query_until(qr/begun/, "\\echo begun\nSELECT forget_account('$gone');\n\\echo forgotten\n");
ok($node->poll_query_until($db, 'SELECT count(*) = 1 FROM pg_locks WHERE NOT granted'), 'forget_account() waits for the stream');
$keeper->query_safe('COMMIT');
$keeper->quit;
$forgetter->query_until(qr/forgotten/, '');
$forgetter->quit;
is(last_of("UPDATE want SET listed = '' WHERE value = '*'", "INSERT INTO want (what, value, listed) VALUES ('signal', 'a.b.c', '')",
	qq{SELECT store_listing_page('a.b.c', '', '[{"did": "$gone"}]', NULL, now())}, "SELECT finish_candidate('$gone', '{a.b.c}')", "UPDATE want SET refused = true, listed = '' WHERE value = 'a.b.c'",
	qq{SELECT store_listing_page('*a.b.c', '', '[{"did": "$gone"}]', NULL, now())},
	"SELECT (SELECT count(*) FROM bad WHERE did = '$gone'), (SELECT count(*) FROM want WHERE value = '$gone'), (SELECT count(*) FROM candidate WHERE did = '$gone')"), '0|0|0',
	'... and no data of the account stays or comes');
$node->safe_psql($db, "SELECT include_account('$gone'); DELETE FROM unsettled");

#
# Each change is read once.
#
my $loaded = "DELETE FROM record WHERE did = '$did'; SELECT demo.load('$did')";
$node->safe_psql($db, "SELECT read_from_now('me')");
my $background = $node->background_psql($db);
$background->query_safe("BEGIN; UPDATE stream SET look = look; $loaded");
$node->safe_psql($db, "DELETE FROM record WHERE did = '$second'; SELECT demo.load('$second')");
is($node->safe_psql($db, "SELECT count(*) FROM changes('me', 999)"), 0, 'a change that came after one that is still being written waits');
$background->query_safe('COMMIT');
$background->quit;
my $twice = $node->safe_psql($db, "SELECT count(*) FROM record WHERE did IN ('$did', '$second')");
is($node->safe_psql($db, "SELECT count(block), count(DISTINCT uri) FROM changes('me', 999)"), "$twice|$twice", '... and comes afterwards');
my ($read, $rounds) = (0, 0);
while (my $n = $node->safe_psql($db, "BEGIN; CREATE TEMP TABLE c AS SELECT * FROM changes('me', 7); SELECT read_to('me', tx, n) FROM c ORDER BY tx DESC, n DESC LIMIT 1;
	COMMIT; SELECT count(*) FROM c") =~ s/\A\n//r)
{
	$read += $n;
	last if ++$rounds > 99;
}
is($read, $twice, 'each once');
is($node->safe_psql($db, 'SELECT count(*) FROM change'), 0, 'changes that all readers have read are deleted');

# A lock that pg_dump holds for hours blocks nobody.
my $dump = $node->background_psql($db);
$dump->query_safe('BEGIN; LOCK TABLE reader, exclusion, record IN ACCESS SHARE MODE');
is(($node->psql($db, "SET lock_timeout = '5 s'; SELECT read_from_now('during a dump')"))[0], 0, 'a reader can be added during a dump');
$dump->query_safe('COMMIT');
$dump->quit;
$node->safe_psql($db, 'DELETE FROM reader');

#
# The number of shards that a query reads on Citus. Those for the likes of a post and the parts of a profile read one
# each; the other two first read one, and then those of the accounts.
#
if ($citus)
{
	my $tasks = sub { return join ' ', $node->safe_psql($db, "EXPLAIN $_[0]") =~ /Task Count: (\d+)/g };
	my $shards = $node->safe_psql($db, "SELECT count(DISTINCT get_shard_id_for_distribution_column('record', d)) FROM unnest('{$did,$second}'::text[]) AS d");
	my $of = "WHERE subject = 'at://$did/app.bsky.feed.post/3kiwuygzb2c2a' AND collection";
	is($tasks->("SELECT uri FROM reference $of = 'app.bsky.feed.like' AND path = 'subject' ORDER BY tid DESC LIMIT 50"), 1, 'a query for the likes of a post reads one shard');
	is($tasks->("SELECT (SELECT count(*) FROM record WHERE did = '$did' AND uri <@ 'at://$did/app.bsky.feed.post'),
		(SELECT count(*) FROM reference WHERE subject = 'at://$did' AND path = 'subject' AND collection = 'app.bsky.graph.follow'), block
		FROM record WHERE did = '$did' AND uri = 'at://$did/app.bsky.actor.profile/self'"), '1 1 1', '... and so do a profile and each of its counts');
	is($tasks->("SELECT uri FROM reference $of = 'app.bsky.feed.post' AND path = 'reply.root'"), 1, '... and the replies of a thread');
	is($tasks->("SELECT block FROM record WHERE did = ANY ('{$did,$second}') AND uri = ANY ('{at://$did/a.b.c/d,at://$second/a.b.c/d}')"), $shards,
		'... and their records the shards of their accounts');
	my $whom = "SELECT atid.at_uri_did(atid.dag_cbor_ref_uri(block, '{subject}')) AS did FROM record
		WHERE did = '$did' AND uri <@ 'at://$did/app.bsky.graph.follow'";
	is($tasks->("WITH f AS MATERIALIZED ($whom) SELECT p.uri FROM f JOIN account AS a ON a.did = f.did CROSS JOIN LATERAL
		(SELECT r.uri FROM record AS r WHERE r.did = a.did AND r.uri <@ atid.at_uri_make(a.did, 'app.bsky.feed.post') ORDER BY r.uri DESC LIMIT 20) AS p
		ORDER BY atid.at_uri_tid(p.uri) DESC LIMIT 20"), '1 32', 'a timeline reads one, and then all');
	is($tasks->("SELECT p.uri FROM account AS a CROSS JOIN LATERAL
		(SELECT r.uri FROM record AS r WHERE r.did = a.did AND r.did = ANY ('{$did,$second}') AND r.uri <@ atid.at_uri_make(a.did, 'app.bsky.feed.post')
		ORDER BY r.uri DESC LIMIT 20) AS p WHERE a.did = ANY ('{$did,$second}') ORDER BY atid.at_uri_tid(p.uri) DESC LIMIT 20"), $shards, '... or those of the accounts, if these are read first');
	is($node->safe_psql($db, "SELECT count(*) FROM account AS a LEFT JOIN record AS r ON r.did = a.did
		GROUP BY a.did, a.data HAVING a.data IS DISTINCT FROM
		atid.mst_root(atid.at_uri_path(uri), cid ORDER BY atid.at_uri_path(uri) COLLATE \"C\") FILTER (WHERE uri IS NOT NULL)"), '', 'each account has the root of its records');
}

$citus || $states->finish(qr/^(?!.*live)/);
# A frame waits for an account whose load ends before it is committed.
my $attempt = $node->safe_psql($db, "SELECT demo.loading('$did')");
my $deferrer = $node->background_psql($db);
$deferrer->query_safe("BEGIN; SELECT process_frames('relay', 0, 1, ARRAY[demo.sync(cursor + 1)]) FROM shard WHERE stream = 'relay'");
is($node->safe_psql($db, "SELECT outcome FROM store_repository('$did', $attempt, demo.car('$did'))"), 'loaded', 'a load ends while a frame is deferred');
$deferrer->query_safe('COMMIT');
$deferrer->quit;
is($node->safe_psql($db, "SELECT count(*) FROM waiting; SELECT process_frames('relay', 0, 1, '{}') IS NULL; SELECT count(*) FROM waiting"), "1\nf\n0",
	'... and the next call processes it');

$node->stop;
done_testing();
