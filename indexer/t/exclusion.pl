# An account that the operator has excluded or forgotten does not come back, and an account that was named
# stays.
#
# Shows that
# - an account that was excluded or forgotten is not brought back by a commit, a list or an identity event,
#   only by include_account();
# - an account that a signal has found comes back after include_account() without a commit: from the list of the
#   signal, or as a candidate where the server has none, and explain() says that it is not here yet;
# - the commands say what is true of an account that was not excluded, and end with status 2 for what is not a DID, or
#   no kind of want;
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

#
# An account that a signal has found comes back without a commit.
#
my $signal = "DELETE FROM want; INSERT INTO want (what, value, listed) VALUES ('signal', 'a.b.c', NULL), ('signal', 'a.b.d', 'page9'); INSERT INTO want (what, value, because) VALUES ('account', '$second', 'a.b.c')";
my $again  = "SELECT exclude_account('$second'); SELECT include_account('$second')";
my $lists  = "SELECT string_agg(coalesce(listed, '-'), ' ' ORDER BY value) FROM want WHERE what = 'signal'";
my $entry  = qq{[{"did": "$second"}]};
my $answer = "SELECT value FROM explain('$second') WHERE what = 'answer'";
my $is_not = 'it is not wanted: neither it nor a signal that it has is in the table want';
my $yet    = 'it is not here yet: the server is still being queried for the accounts with a signal';
sub last_of { return AtidTest::Indexer::last_of($node, $db, 'SET search_path = indexer, public', @_); }
is(last_of($signal, $again, "$lists"), ' ', 'include_account: the lists of the signals are read again');
is(last_of($signal, $again, $answer), $yet, '... which explain() says');
is(last_of($signal, $again, "SELECT store_listing_page('a.b.c', '', '$entry', NULL, now())", "SELECT because FROM want WHERE value = '$second'"), 'a.b.c', '... and the account is wanted again');
my @refused = ($signal, "UPDATE want SET refused = true, listed = NULL WHERE what = 'signal'");
is(last_of(@refused, $again, "SELECT did FROM claim_candidates(9)"), $second, '... or the server is queried about it, if it has no such lists');
is(last_of(@refused, $again, $answer), $yet, '... which explain() says');
is(last_of(@refused, $again, $lists), '- -', '... without the list of all accounts');
is(last_of(@refused, $again, "SELECT finish_candidate('$second', '{a.b.c}')", "SELECT because FROM want WHERE value = '$second'"), 'a.b.c', '... and the account is wanted again');
is(last_of(@refused, $again, "SELECT finish_candidate('$second', '{}')", $answer), $is_not, '... unless it has no signal any more');
is(last_of($signal, "SELECT include_account('$second')", $lists), '- page9', 'nothing is read again for an account that was not excluded');
is(last_of($signal, "INSERT INTO want (what, value) VALUES ('account', '*')", $again, $lists), '- page9', '... or that is wanted anyway');

#
# What the commands say.
#
one($db, "DELETE FROM want; SELECT exclude_account('$second')");
sub says { my ($expected, $name, @words) = @_; return is(join('|', $indexer->call(@words)), $expected, $name); }
says("0|$second is no longer excluded. It is not wanted: \"atid-indexer want add account $second\" brings it back.\n", 'include: an account that nothing wants', 'include', $second);
says("0|$second was not excluded.\n", '... one that was not excluded', 'include', $second);
one($db, "SELECT exclude_account('$second'); INSERT INTO want (what, value) VALUES ('signal', 'a.b.c')");
says("0|$second is no longer excluded. It comes back if it has a signal.\n", '... one that a signal may want', 'include', $second);
one($db, "SELECT exclude_account('$second'); INSERT INTO want (what, value) VALUES ('account', '*')");
says("0|$second is no longer excluded.\n", '... and one that is wanted', 'include', $second);
one($db, "DELETE FROM unsettled; INSERT INTO unsettled (did, failures, detail, again) VALUES ('$did', 1, 'x', now() + interval '1 hour')");
like(($indexer->call('status'))[1], qr/^1 account is in trouble:$/m, 'status: one account in trouble');
one($db, 'DELETE FROM unsettled');
says("2|atid-indexer: invalid value \"colection\" for <what>: it takes account, collection, signal, live\nTry \"atid-indexer --help\".\n", 'want add: an unknown kind', 'want', 'add', 'colection', 'x');
says("2|atid-indexer: \"notadid\" is not a DID\nTry \"atid-indexer --help\".\n", "$_: what is not a DID is refused", $_, 'notadid')
  foreach qw(explain exclude include forget reload check);

$states->finish;
$node->stop;
done_testing();
