# The faults that reviews found in the functions of the database stay fixed.
#
# Each assertion has the number of its finding. The findings concern endpoints, failures, relays and PDSs in one
# database, lists, numbers of a stream, triggers, invented accounts, refused labels and bodies of functions. The attacks
# by a host, a directory or a domain are in hostile.pl. Each finding is tried in a transaction that is rolled back.
#
# The accounts are those of demo/. Skipped where atid_crypto, node or npm are not available.
#
# Tags: medium node crypto

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Indexer;
use AtidTest::States;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($node, $db, $oracles, $indexer) = AtidTest::Indexer::set_up('findings', ready => 1);
my ($did) = AtidTest::Indexer::accounts();

sub one { my ($db, $sql) = @_; return $node->safe_psql($db, $sql); }

my ($status, $said) = $indexer->command('init');
is($status, 0, 'init') or diag($said);
AtidTest::Indexer::demo($node, $db);
my $states = AtidTest::States->new($node, $db);
AtidTest::Indexer::fill($node, $db);

#
# The findings.
#
sub rolled_back { return AtidTest::Indexer::last_of($node, $db, @_); }

my $new = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa';
my $met = "SELECT add_account('$new')";
is(rolled_back($met, "SELECT apply_identity('$new', (SELECT min(key) FROM identity), '{}', '[]', 'https://h.example/' || (SELECT string_agg(md5(g::text), '') FROM generate_series(1, 170) AS g), false, now())",
	"SELECT fail_load(c.did, c.claim, 'server_error', NULL, true) FROM claim_loads(99, false, NULL, NULL, '{}') AS c WHERE c.did = '$new'", "SELECT pds IS NULL, (SELECT failures FROM account AS a WHERE a.did = i.did) FROM identity AS i WHERE did = '$new'"),
	't|1', 'finding 2: a long endpoint is none, and its account fails alone');
is(rolled_back($met, "SELECT fail_load(c.did, c.claim, E'Repo\\nx', repeat('x', 100000), true) FROM claim_loads(99, false, NULL, NULL, '{}') AS c WHERE c.did = '$new'", 'SELECT 1'), 1, 'finding 1: the detail of a failure cannot make fail() fail');
is(rolled_back("SELECT start_stream('https://pds1.example Repos', 'repos', '{https://pds1.example}', 1)", "UPDATE stream SET started = now() - interval '1 h' WHERE name LIKE 'https://pds1%'", "SELECT start_stream('https://relay.example Repos', 'repos', NULL, 1)", $met,
	"SELECT apply_identity('$new', (SELECT min(key) FROM identity), '{}', '[]', 'https://pds2.example', false, now())", "SELECT state FROM account WHERE did = '$new'"), 'desynchronized', 'finding 4: a relay after a PDS in one database');
my @pds1 = ("SELECT start_stream('https://pds1.example Repos', 'repos', '{https://pds1.example}', 1)", "UPDATE stream SET started = now() - interval '1 s' WHERE name NOT LIKE 'https://pds1%'", $met,
	"SELECT apply_identity('$new', (SELECT min(key) FROM identity), '{}', '[]', 'https://pds1.example', false, now())");
is(rolled_back(@pds1, q{SELECT find_replaced_stream('https://pds2.example Repos', '{https://pds2.example}'), find_replaced_stream('https://pds1.example Repos', '{https://pds1.example,https://pds2.example}') IS NULL,
	find_replaced_stream('https://relay.example Repos', NULL) IS NULL}), 'https://pds1.example Repos|t|t', '... another PDS in one database');
is(rolled_back(@pds1, q{SELECT find_replaced_stream('https://pds1.example Repos', '{https://pds2.example}')}), 'https://pds1.example Repos', '... the same with fewer names');
is(rolled_back(@pds1, 'UPDATE stream SET pds = NULL', q{SELECT find_replaced_stream('https://pds1.example Repos', '{https://pds1.example}')}), 'https://pds1.example Repos', '... and a relay that calls itself a PDS');
is(rolled_back(@pds1, q{DELETE FROM account USING identity AS i WHERE i.did = account.did AND i.host <> 'https://pds1.example'},
	q{SELECT find_replaced_stream('https://pds2.example Repos', '{https://pds2.example,https://pds1.example}') IS NULL}), 't', '... or the same by another name');
is(rolled_back("SELECT start_stream('http://localhost:1 Repos', 'repos', '{http://localhost:1,http://127.0.0.1:1}', 1)", $met, "SELECT apply_identity('$new', (SELECT min(key) FROM identity), '{}', '[]', 'http://127.0.0.1:1', false, now())",
	"SELECT state FROM account WHERE did = '$new'"), 'desynchronized', '... and a PDS with another name');
my @by_name = ('TRUNCATE tally', "SELECT start_stream('http://localhost:1 Repos', 'repos', '{http://localhost:1}', 1), process_frames('http://localhost:1 Repos', 0, 1, '{}', 0)", $met);
like(rolled_back(@by_name, "SELECT apply_identity('$new', (SELECT min(key) FROM identity), '{}', '[]', 'http://127.0.0.1:1', false, now())", "SELECT stream_health('http://localhost:1 Repos')"),
	qr/is ATID_SERVICE_URL known by another name/, '... which is reported if all accounts seem to have moved, though no frame comes');
is(rolled_back(@by_name, "SELECT stream_health('http://localhost:1 Repos') IS NULL"), 't', '... but not before they are known');
is(rolled_back(@by_name, "INSERT INTO tally VALUES ('loads', 1)", "SELECT apply_identity('$new', NULL, NULL, NULL, NULL, true, now())", "SELECT stream_health('http://localhost:1 Repos') IS NULL"), 't', '... and not if the last account has ended');
is(rolled_back("UPDATE identity SET answered = now() - interval '50 min', ask = now() + interval '23 h'", "UPDATE want SET listed = '' WHERE what = 'account'",
	qq{SELECT store_listing_page('*', '', '[{"did": "$did", "rev": "3jzfcijpj2z2a", "active": true}]', NULL, now())}, "SELECT ask - now() <= spread FROM identity, settings WHERE did = '$did'"), 't', 'finding 8: after a gap the identity is requested within an hour');
my $page = "(SELECT jsonb_agg(jsonb_build_object('did', 'did:plc:' || translate(lpad(to_hex(i), 24, '0'), '0189', 'wxyz'), 'active', true)) FROM generate_series(1, 100000) AS i)";
is(rolled_back("UPDATE want SET listed = '' WHERE what = 'account'", "SELECT store_listing_page('*', '', $page, NULL, now())", 'SELECT count(*) <= 1003 FROM account'), 't', 'finding 9: a page has at most 1,000 accounts');
my $lister = $node->background_psql($db);
$lister->query_safe("BEGIN; UPDATE want SET listed = '' WHERE what = 'account'; SELECT store_listing_page('*', '', '[{\"did\": \"$new\"}]', NULL, now())");
is(one($db, "SET lock_timeout = '5 s'; SELECT taken FROM process_frames('relay', 0, 1, ARRAY[demo.frame('#identity', jsonb_build_object('seq', (SELECT max(cursor) + 1 FROM shard), 'did', '$new', 'time', '2026-01-01T00:00:00Z'))])"), 1, '... and take() does not wait for it');
$lister->query_safe('ROLLBACK');
$lister->quit;
is(rolled_back("SELECT process_frames('relay', 0, 1, ARRAY[demo.frame('#identity', '{\"seq\": 90000000000, \"did\": \"$new\", \"time\": \"2026-01-01T00:00:00Z\"}')])", "SELECT max(cursor) < 1000, (SELECT count(*) FROM bad WHERE reason LIKE '%far ahead%') FROM shard"),
	't|1', 'finding 12: a number far ahead in an unsigned frame does not move the cursor');
is(rolled_back('CREATE FUNCTION trap() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM no_column FROM account; RETURN NEW; END$$', 'CREATE TRIGGER trap BEFORE UPDATE ON account FOR EACH ROW EXECUTE FUNCTION trap()',
	"SELECT process_frames('relay', 0, 1, ARRAY[demo.frame('#account', '{\"seq\": 500, \"did\": \"$did\", \"active\": false, \"time\": \"2026-01-01T00:00:00Z\"}'), demo.frame('#identity', '{\"seq\": 501, \"did\": \"$did\", \"time\": \"2026-01-01T00:00:00Z\"}')])",
	"SELECT max(cursor), (SELECT count(*) FROM bad WHERE reason LIKE '%no_column%') FROM shard"), '501|1', 'finding 13: an error of class 42 in a trigger keeps one frame aside');
is(rolled_back("SELECT count(add_account(('did:plc:' || translate(lpad(to_hex(i), 24, '0'), '0189', 'wxyz'))::atid.did)) FROM generate_series(1, 300) AS i", "UPDATE identity SET met = now() - interval '4 days' WHERE answered IS NULL", 'SELECT run_maintenance()',
	'SELECT count(*) FROM account'), 3, 'finding 15: invented accounts end');
is(rolled_back('UPDATE settings SET most_labels_refused = 100000', q{INSERT INTO labels_refused (label, received) SELECT jsonb_build_object('val', repeat(md5(i::text), 10)), now() - i * interval '1 s' FROM generate_series(1, 2000) AS i}, 'SELECT run_maintenance()',
	'SELECT count(*) < 1500 FROM labels_refused'), 't', '... and refused labels are limited');
is(rolled_back("SELECT process_frames('relay', 0, 1, ARRAY[demo.frame('#account', '{\"seq\": 500, \"did\": {\"uri\": \"at://did:web:v.example/a.b.c/d\"}, \"active\": true, \"time\": \"2026-01-01T00:00:00Z\"}')])", 'SELECT reconcile_wants(99)',
	"SELECT count(*) FROM account WHERE did = 'did:web:v.example'"), 0, 'a DID in a map adds no account');
# unlike the others, this one concerns functions in the style of the SQL standard, which pg_upgrade makes before
# operators
is(one($db, q{SELECT count(*) FROM pg_proc WHERE pronamespace = 'indexer'::regnamespace AND prosqlbody IS NOT NULL AND pg_get_functiondef(oid) ~* 'distinct|order by|group by'}), 0, 'finding 3: no function has a parsed body that sorts');

$states->finish;
$node->stop;
done_testing();
