# An account that the operator has excluded or forgotten does not come back, and an account that was named
# stays.
#
# Shows that
# - an account that was excluded or forgotten is not brought back by a commit, a list or an identity event,
#   only by include_account();
# - an account that was found by a signal, and then named, stays wanted without the signal;
# - each change of an account's state is one that the table of indexer/README.md has.
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

my ($node, $db, $oracles, $indexer) = AtidTest::Indexer::set_up('exclusion', ready => 1);
my ($did, $second) = AtidTest::Indexer::accounts();

sub one { my ($db, $sql) = @_; return $node->safe_psql($db, $sql); }

my ($status, $said) = $indexer->command('init');
is($status, 0, 'init') or diag($said);
AtidTest::Indexer::demo($node, $db);
my $states = AtidTest::States->new($node, $db);
AtidTest::Indexer::fill($node, $db);

#
# An account that was found by a signal, and then named.
#
one($db, "INSERT INTO want (what, value) VALUES ('signal', 'a.b.c'); INSERT INTO want (what, value, because) VALUES ('account', '$second', 'a.b.c')");
($status, $said) = $indexer->command('want', 'add', 'account', $second);
is($status, 0, 'want add') or diag($said);
one($db, "DELETE FROM want WHERE what = 'signal'");
is(one($db, "SELECT count(*) FROM want WHERE value = '$second'"), 1, 'an account that was named is wanted without its signal');
one($db, "DELETE FROM want WHERE value = '$second'; SELECT reconcile_wants(99)");

#
# An excluded account stays out.
#
foreach my $how ('exclude', 'forget')
{
	one($db, qq{INSERT INTO reference (subject, collection, path, tid, uri) SELECT 'at://$second/a.b.c/d', 'a.b.c', 'subject', '2222222222222', 'at://$did/a.b.c/d';
		SELECT $how('$second')});
	my $there = "SELECT (SELECT count(*) FROM account WHERE did = '$second'), (SELECT count(*) FROM record WHERE did = '$second'), (SELECT count(*) FROM identity WHERE did = '$second')";
	is(one($db, $there), '0|0|0', "$how: its records are deleted");
	is(one($db, qq{SELECT count(*) FROM reference WHERE subject <@ 'at://$second'}), 0, '... and so are references to it') if $how eq 'forget';
	one($db, qq{SELECT process_frames('relay', 0, 1, ARRAY[demo.sync((SELECT max(cursor) + 1 FROM shard), '$second'),
			demo.frame('#account', jsonb_build_object('seq', (SELECT max(cursor) + 2 FROM shard), 'did', '$second', 'active', true, 'time', '2026-01-01T00:00:00Z'))]);
		SELECT reconcile_wants(99); SELECT reconcile_wants(99)});
	is(one($db, $there), '0|0|0', '... it stays out at the next commit');
	one($db, qq{UPDATE want SET listed = '' WHERE (what, value) = ('account', '*'); SELECT store_listing_page('*', '', '[{"did": "$second"}, {"did": "$did"}]', NULL, now()); SELECT reconcile_wants(99)});
	is(one($db, $there), '0|0|0', '... the next list');
	one($db, qq{SELECT store_plc_log('$second', log, now()) FROM demo.log WHERE did = '$second'; INSERT INTO want (what, value) VALUES ('account', '$second') ON CONFLICT DO NOTHING; SELECT reconcile_wants(99); DELETE FROM want WHERE value = '$second'});
	is(one($db, $there), '0|0|0', '... the next identity, and if it is wanted');
	one($db, qq{SELECT include_account('$second'); SELECT reconcile_wants(99); SELECT store_plc_log('$second', log, now()) FROM demo.log WHERE did = '$second';
		SELECT (store_repository(c.did, c.claim, demo.car(c.did))).outcome FROM claim_loads(9, false, NULL, NULL, '{}') AS c WHERE c.claim > 0});
	is(one($db, "SELECT state FROM account WHERE did = '$second'"), 'synchronized', "... and include() brings it back");
}

$states->finish;
$node->stop;
done_testing();
