# The program in live mode, next to a network: what a user sees.
#
# Shows, with a role that has only the privileges that `init --role` grants, and two shards, that
# - the records that accounts write from the start on are stored, and nothing else, and no repository
#   is requested;
# - an account that joins later, which only its commits show, is found;
# - after kill -9, a new key, and a deactivation the stored records match those of the accounts;
# - removing a want deletes all its records.
#
# The network is indexer/t/oracles/network.js. Skipped where atid_crypto, node or npm are not
# available.
#
# Tags: medium node crypto

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Indexer;
use AtidTest::Network;
use AtidTest::Oracles;
use AtidTest::States;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($node, $db, $oracles, $indexer) = AtidTest::Indexer::set_up('live_network');
my ($status, $said) = $indexer->command('init', '--role', 'consumer');
is($status, 0, 'init') or die $said;
$node->safe_psql($db, q{UPDATE settings SET pause_first = '0.05 s', pause_most = '0.8 s', spread = '0.1 s'});
my $states = AtidTest::States->new($node, $db);

my $network = AtidTest::Network->new($oracles->{node}, "$oracles->{folder}/network.js", AtidTest::Oracles::seed(), 12);
$network->ask('calm');

sub one { return $node->safe_psql($db, $_[0]); }

my %at_start = map { $_ => 1 } $network->records;
cmp_ok(scalar keys %at_start, '>', 12, 'the accounts have records before the start');

# Waits until the database has the records that the accounts have written since the start, and
# compares.
sub is_stored
{
	my ($what) = @_;
	my $mark = $network->ask('mark')->{seq};
	ok($node->poll_query_until($db, "SELECT min(cursor) >= $mark FROM shard"), "$what: the stream is followed");
	$node->poll_query_until($db, 'SELECT count(*) = 0 FROM waiting') or diag(one('SELECT did, state, seen FROM account; SELECT did, ask, problem, detail FROM identity'));
	my $expected = join "\n", grep { !$at_start{$_} } $network->records;
	is(join("\n", sort split /\n/, one(q{SELECT uri || ' ' || cid FROM record})), $expected, "$what: the records");
	return scalar split /\n/, $expected;
}

foreach my $words ([ 'want', 'remove', 'account', '*' ], [ 'want', 'add', 'live', '*' ])
{
	($status, $said) = $indexer->command(@$words);
	is($status, 0, "@$words") or diag($said);
}
sub run { return $indexer->start(PGUSER => 'consumer', ATID_SERVICE_URL => $network->url, ATID_PLC_URL => $network->url, ATID_STREAM_SHARDS => 2, ATID_PLC_RATE => 50); }
my $run = run();
ok($indexer->wait_for_log($run, qr/stream connected/), 'it is connected') or diag(slurp_file($run->{log}));
cmp_ok(one('SELECT count(*) FROM record'), '==', 0, 'what was there before is not stored');

$network->ask('plain?n=60');
cmp_ok(is_stored('from the start on'), '>', 20, '... which are some');
is(one(q{SELECT string_agg(DISTINCT state, ' ') FROM account}), 'live', 'the accounts are live');

my $joined = $network->ask('join?collection=app.bsky.feed.post')->{did};
is_stored('an account that joins');
cmp_ok(one(qq{SELECT count(*) FROM record WHERE did = '$joined'}), '>', 0, '... has its records');

$indexer->stop($run, 'KILL');
$network->ask('plain?n=40');
$run = run();
is_stored('after kill -9');

my $keyless = $network->ask('keyless')->{did};
ok($node->poll_query_until($db, qq{SELECT key IS NULL FROM identity WHERE did = '$keyless'}), 'an account that has no key any longer');
$network->ask("keyed?did=$keyless");
is_stored('... and has another one');

my $state = $network->ask('state');
is($state->{repositories}, 0, 'no repository was requested');
cmp_ok($state->{logs}, '<=', 3 * $state->{accounts}, '... and each key once or twice');
is(one('SELECT count(*) FROM bad'), 0, 'nothing is bad');
is(one('SELECT count(*) FROM identity WHERE log IS NOT NULL'), 0, 'no log is kept');

is(($indexer->command('want', 'remove', 'live', '*'))[0], 0, 'the want is removed');
ok($node->poll_query_until($db, 'SELECT (SELECT count(*) FROM account) + (SELECT count(*) FROM record) + (SELECT count(*) FROM reference) + (SELECT count(*) FROM waiting) = 0'),
	'... and all is deleted');
is($indexer->stop($run), 0, 'it ends');
AtidTest::Indexer::waiting_is_counted($node, $db);
$states->finish;

done_testing();
