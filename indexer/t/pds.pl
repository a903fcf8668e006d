# The indexer follows the reference implementation's own servers: two of @atproto/pds, and a PLC directory of
# @did-plc/server. Two consumers each follow one of the servers, while 20 accounts write, edit and delete, one moves to
# the other server, one gets a new key, one is deactivated and activated again, and one is deleted while its consumer
# is down. Shows that afterwards
# - each database has the records that its server's getRepo and listRecords have: CID, block and JSON, and no others;
# - accounts have the revision, the key and the handle that their server and the directory have;
# - an account that was deleted, or has moved away, has no records;
# - no frame is kept as bad except the #sync of the account that moved, whose revision differs from that of its commit:
#   the server changes the revision when it imports a repository, and does not sign again;
# - listRecords omits U+FEFF at the beginning of a text; the block has it, and so does the JSON of the block.
#
# indexer/t/pds/network.mjs runs the servers and acts for the users. They need Node 22, which comes with the packages,
# and an SQLite that is compiled for it, without optimization, which is faster. Runs with script/test --full.
#
# Tags: minutes full node crypto

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Indexer;
use AtidTest::Oracles;
use AtidTest::States;
use AtidTest::Steps;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

plan skip_all => 'the servers are tried with script/test --full' unless $ENV{ATID_FULL};

my $limit = $PostgreSQL::Test::Utils::timeout_default;

my $node = new_node('pds');
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my ($oracles, $why) = AtidTest::Oracles->new;
plan skip_all => $why unless defined $oracles;
(my $packages, my $node22, $why) = AtidTest::Steps::packages('pds', "$FindBin::Bin/pds");
plan skip_all => $why if defined $why;

#
# The servers.
#
my $folder = PostgreSQL::Test::Utils::tempdir('network');
# The command of pds/README.md, in the test's own folder.
my ($command) = slurp_file("$FindBin::Bin/pds/README.md") =~ m{^node (network\.mjs /tmp/network)$}m
  or die 'pds/README.md does not say how to start the network';
my ($script, @words) = split / /, $command =~ s{/tmp/network}{.}r;
my $network = do
{
	local $ENV{LOG_ENABLED} = 'false';
	AtidTest::Steps->start($node22, $packages, $folder, "$FindBin::Bin/pds/$script", @words);
};
sub network { return $network->ask(@_); }
my $there = network('start');

#
# Two databases with a consumer each.
#
local @ENV{qw(PGHOST PGPORT PGUSER)} = ($node->host, $node->port, scalar getpwuid($>));
my (@consumers, @indexers);

sub start_consumer
{
	my ($n) = @_;
	$consumers[$n] = $indexers[$n]->start(ATID_SERVICE_URL => $there->{pds}[$n], ATID_PLC_URL => $there->{directory});
	return;
}

# Waits until a query has no rows.
sub wait_for
{
	my ($n, $what, $query) = @_;
	my $until = time + $limit;
	my $rows  = '';
	while (time < $until)
	{
		(my $code, $rows) = $node->psql("pds$n", "$query LIMIT 5");
		return pass($what) if $code == 0 && $rows eq '';
		sleep 0.2;
	}
	diag(`tail -n 20 $consumers[$n]{log}`);
	diag($node->safe_psql("pds$n", 'SELECT did, state, status, problem, detail FROM account; SELECT did, reason FROM bad'));
	return is($rows, '', $what);
}

foreach my $n (0, 1)
{
	$node->safe_psql('postgres', "CREATE DATABASE pds$n");
	($indexers[$n], $why) = AtidTest::Indexer->new($node, "pds$n", $oracles);
	plan skip_all => $why unless defined $indexers[$n];
	my ($status, $told) = $indexers[$n]->command('init');
	is($status, 0, "pds$n: init") or die $told;
	$node->safe_psql("pds$n", q{UPDATE settings SET pause_first = '0.2 s', pause_most = '1.6 s', not_sooner = '0.5 s'});
}
my $states = AtidTest::States->new($node, 'pds0');

#
# The events.
#
network('join 10');
start_consumer($_) foreach 0, 1;
wait_for($_, "pds$_: the existing accounts are loaded",
	q{SELECT 'none' WHERE NOT EXISTS (SELECT FROM account) UNION ALL SELECT did::text FROM account WHERE state <> 'synchronized'})
  foreach 0, 1;
network('join 10');
network('work');
my $moved = network('move')->{did};
network('rotate');
my $rested = network('rest')->{did};
wait_for(0, 'an account that is deactivated has no records', "SELECT 'active' FROM account WHERE did = '$rested' AND state <> 'inactive' UNION ALL SELECT uri::text FROM record WHERE did = '$rested'");
network('work');
network('wake');
network('odd');

$indexers[0]->stop($consumers[0], 'KILL');
my $left = network('leave')->{did};
network('rotate');
network('work');
start_consumer(0);
network('work');
network('expected');

#
# The stored rows, and the expected ones.
#
foreach my $n (0, 1)
{
	$node->safe_psql("pds$n", <<"SQL");
CREATE SCHEMA expected;
CREATE TABLE expected.record (uri text, cid text, block text, value json);
CREATE TABLE expected.account (did text, rev text, key text, handle text);
\\copy expected.record FROM '$folder/record-$n'
\\copy expected.account FROM '$folder/account-$n'
SQL
	my $here = q{SELECT uri::text, cid::text, encode(block, 'hex') FROM record};
	my $due  = 'SELECT uri, cid, block FROM expected.record';
	wait_for($n, "pds$n: no record of getRepo is lost", "$due EXCEPT ALL $here");
	wait_for($n, "pds$n: none is there that getRepo does not have", "$here EXCEPT ALL $due");
	wait_for($n, "pds$n: the accounts are those of the server and the directory",
		q{SELECT did, rev, key, handle FROM expected.account EXCEPT ALL
		  SELECT did::text, rev::text, key, handle FROM account JOIN identity USING (did) WHERE state = 'synchronized'});
	wait_for($n, "pds$n: the tree of each account is the one that it has signed",
		q{SELECT did FROM account AS a WHERE state = 'synchronized'
		  AND data <> (SELECT atid.mst_root(atid.at_uri_path(uri), cid ORDER BY atid.at_uri_path(uri) COLLATE "C") FROM record WHERE did = a.did)});
	is($node->safe_psql("pds$n", 'SELECT count(*) FROM expected.record AS e WHERE atid.json_to_dag_cbor(value) <> decode(block, $$hex$$)'), 1 - $n,
		"pds$n: the JSON of listRecords is that of the block, except a text");
}
is( $node->safe_psql('pds0', q{SELECT e.value->>'text', atid.dag_cbor_get_text(r.block, '{text}') = U&'\FEFF' || (e.value->>'text')
		FROM expected.record AS e JOIN record AS r ON r.uri = e.uri WHERE atid.json_to_dag_cbor(value) <> r.block}),
	'a byte order mark|t', '... in which listRecords leaves out U+FEFF');
cmp_ok($node->safe_psql('pds0', 'SELECT count(*) FROM record'), '>', 300, 'there are records');
wait_for(0, 'an account that was deleted meanwhile has no records',
	"SELECT 'active' FROM account WHERE did = '$left' AND state <> 'inactive' UNION ALL SELECT uri::text FROM record WHERE did = '$left'");
wait_for(0, 'an account that has moved away has no records',
	"SELECT 'active' FROM account WHERE did = '$moved' AND state NOT IN ('barred', 'inactive') UNION ALL SELECT uri::text FROM record WHERE did = '$moved'");
cmp_ok($node->safe_psql('pds1', "SELECT count(*) FROM record WHERE did = '$moved'"), '>', 3, '... and has them where it is now');
wait_for(0, 'no frame is bad', 'SELECT did, reason FROM bad');
is( $node->safe_psql('pds1', q{SELECT did, (atid.frame_parts(frame)).t, atid.event_problem(frame) FROM bad}),
	"$moved|#sync|The \"rev\" of an event must be that of its commit.",
	'except a #sync, whose revision is not that of its commit');

foreach my $n (0, 1)
{
	is($indexers[$n]->stop($consumers[$n]), 0, "pds$n: SIGTERM ends the consumer");
}
$states->finish;
$network->stop;
$node->stop;
done_testing();
