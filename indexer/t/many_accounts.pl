# With many accounts, queues stay fast while a snapshot is held, and monitoring reads no account.
#
# Shows that
# - where another session holds a snapshot, 4,000 accounts are claimed, and identities requested, at least half as fast
#   as without one (100,000 with script/test --full);
# - with 60,000 accounts (3 million with --full) neither the view watch nor stream_health() reads the accounts; and
#   neither do the other queries of "status";
# - no table is read completely to find the next of many accounts; and a commit changes no index of account.
#
# $ATID_CLAIMS and $ATID_ACCOUNTS set other numbers. Skipped where atid_crypto, node or npm are not available.
#
# Tags: minutes node crypto

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Indexer;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($node, $db, $oracles, $indexer) = AtidTest::Indexer::set_up('many_accounts', ready => 1);

sub one { my ($db, $sql) = @_; return $node->safe_psql($db, $sql); }

my ($status, $said) = $indexer->command('init');
is($status, 0, 'init') or diag($said);
AtidTest::Indexer::demo($node, $db);
AtidTest::Indexer::fill($node, $db);

#
# If many accounts wait, only the next one is read.
#
my $waiting = q{INSERT INTO identity (did, key, ask) SELECT 'did:plc:crowd' || i, (SELECT min(key) FROM identity), now() - interval '1 h' * i
		FROM generate_series(1, 5000) AS i;
	INSERT INTO account (did, state, load_at) SELECT did, 'desynchronized', ask FROM identity WHERE did::text LIKE '%crowd%'; ANALYZE account, identity;};
my $read = "(SELECT sum(pg_stat_get_xact_tuples_returned(oid)) FROM pg_class WHERE oid IN ('account'::regclass, 'identity'::regclass))";
is(one($db, "BEGIN; $waiting CREATE TEMP TABLE b AS SELECT $read AS n; SELECT count(*) FROM claim_identities(1, 'new', 'plc'), claim_loads(1, false, NULL, NULL, '{}') AS c WHERE c.claim > 0;
	SELECT $read - n < 1000 FROM b; ROLLBACK"), "1\nt", 'nothing reads a whole table to find an account');
is(one($db, q{SET session_replication_role = replica; BEGIN; UPDATE account SET rev = '2222222222222' WHERE rev IS NOT NULL;
	SELECT pg_stat_get_xact_tuples_hot_updated('account'::regclass) > 0; ROLLBACK}), 't', 'a commit changes no index of account');

#
# If many frames wait, those of other accounts are not read.
#
is( one($db, qq{BEGIN; SELECT FROM start_stream('many', 'repos', NULL, 1); $waiting UPDATE account SET state = 'loading', load_at = 'infinity' WHERE did::text LIKE '%crowd%';
	INSERT INTO waiting (stream, slot, seq, did, frame) SELECT 'many', shard_slot(did), 1, did, 'x' FROM account WHERE state = 'loading';
	CREATE TEMP TABLE w AS SELECT pg_stat_get_xact_tuples_returned('waiting'::regclass) + pg_stat_get_xact_tuples_fetched('waiting'::regclass) AS n;
	SELECT taken FROM process_frames('many', 0, 1, '{}');
	SELECT pg_stat_get_xact_tuples_returned('waiting'::regclass) + pg_stat_get_xact_tuples_fetched('waiting'::regclass) - n FROM w;
	SELECT release_waiting(did) IS NULL FROM waiting ORDER BY did LIMIT 1;
	UPDATE account SET state = 'desynchronized', load_at = now() WHERE did = (SELECT min(did) FROM ready_account);
	SELECT taken FROM process_frames('many', 0, 1, '{}'); SELECT count(*) FROM waiting; ROLLBACK}), "0\n0\nf\n0\n4999",
	'a call reads no waiting frame until its account is ready');

#
# Claims, while another session holds a snapshot.
#
my $many  = $ENV{ATID_CLAIMS}   // ($ENV{ATID_FULL} ? 100_000   : 4_000);
my $crowd = $ENV{ATID_ACCOUNTS} // ($ENV{ATID_FULL} ? 3_000_000 : 60_000);
one($db, qq{CREATE DATABASE claims TEMPLATE $db});
one('claims', qq{ALTER TABLE account DISABLE TRIGGER USER;
	INSERT INTO identity (did, key, host, pds, answered, ask) SELECT 'did:plc:' || translate(lpad(to_hex(i), 24, '0'), '0189', 'wxyz'), (SELECT min(key) FROM identity), h, h, now(), now() + interval '1 day'
		FROM (SELECT i, 'https://h' || i % 500 || '.example' AS h FROM generate_series(1, $crowd) AS i) AS x;
	INSERT INTO account (did, state, load_at) SELECT did, 'desynchronized', now() - interval '1 h' FROM identity WHERE answered > now() - interval '1 min' AND did::text LIKE 'did:plc:ww%';
	INSERT INTO tally VALUES ('desynchronized', $crowd);
	INSERT INTO identity (did, ask) SELECT 'did:plc:x' || translate(lpad(to_hex(i), 23, '0'), '0189', 'wxyz'), now() - interval '1 h' FROM generate_series(1, 2 * $many) AS i;
	INSERT INTO account (did, state) SELECT did, 'unidentified' FROM identity WHERE did::text LIKE 'did:plc:x%';
	INSERT INTO tally VALUES ('unidentified', 2 * $many);
	VACUUM ANALYZE account, identity});

# Claims or requests this many, each time after the last position; they become due again later. Returns the CPU time in
# seconds.
my %queue = (
	claims => [ q{SELECT x.at, x.did, x.claim, x.claim IS NOT NULL AS there FROM claim_loads(20, false, at, who, '{}') AS x}, q{PERFORM fail_load(c.did, c.claim, 'not_found', NULL, false)} ],
	asks   => [ q{SELECT x.at, x.did, x.asked IS NOT NULL AS there FROM claim_identities(20, 'new', 'plc', '{}', at, who) AS x}, q{PERFORM fail_identity(c.did, 'not_found', NULL)} ]);
sub used_by
{
	my ($what) = @_;
	my ($next, $answer) = @{ $queue{$what} };
	my $session = AtidTest::Session->new($node, 'claims');
	$session->ok(qq{SET search_path = indexer, public;
DO \$\$
DECLARE
  at timestamptz;
  who text;
  n int := 0;
  c record;
BEGIN
  WHILE n < $many LOOP
    FOR c IN $next LOOP
      at := c.at;
      who := c.did;
      IF c.there THEN
        $answer;
        n := n + 1;
      END IF;
    END LOOP;
    IF n % 1000 = 0 THEN PERFORM run_maintenance(); END IF;
    COMMIT;
  END LOOP;
END \$\$});
	my $used = $session->used;
	$session->quit;
	return $used;
}
my %alone = map { $_ => used_by($_) } sort keys %queue;
my $holder = $node->background_psql('claims');
$holder->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM settings');
foreach my $what (sort keys %queue)
{
	my $held = used_by($what);
	cmp_ok($held, '<', 2 * $alone{$what}, sprintf '%d %s with a snapshot held: %.1f s of the processor, without %.1f s', $many, $what, $held, $alone{$what});
}

#
# The monitoring queries, with many accounts, while the snapshot is still held, and after all these changes.
#
one('claims', 'ANALYZE account, identity');
foreach my $query ('SELECT * FROM watch', "SELECT stream_health('relay')", 'SELECT * FROM status_accounts', 'SELECT * FROM status_stream', 'SELECT * FROM list_troubles(1000)')
{
	my $plan = one('claims', "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) $query");
	unlike($plan, qr/Seq Scan on (account|identity|record|bad|waiting)\b/, "$query reads no account") or diag($plan);
	my $pages = 0;
	$pages += $_ foreach map { /=(\d+)/g } $plan =~ /Buffers: shared((?: (?:hit|read)=\d+)+)/;
	my ($ms) = $plan =~ /Execution Time: ([\d.]+) ms/;
	cmp_ok($pages, '<', 30_000, "$query at $crowd accounts: $pages pages, in $ms ms");
}
$holder->quit;
one('postgres', 'DROP DATABASE claims');

$node->stop;
done_testing();
