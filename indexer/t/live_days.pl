# Live mode over midnight: two shards that begin a day together, and a program that is killed then.
#
# A clock of the test's own says which day it is. Shows that
# - records that arrive while a day begins are stored, once, in the tables of one of both days, with their references;
# - so are those of a day whose tables nobody has created ahead: both shards come to it at once;
# - kill -9 in the middle of all this loses nothing and stores nothing twice;
# - when the time to keep records is over, the tables of the days before are dropped next to a stream that goes on, and
#   what is left are the records of the days that are kept.
#
# The network is indexer/t/oracles/network.js. Skipped where atid_crypto, node or npm are not there.
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
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($node, $db, $oracles, $indexer) = AtidTest::Indexer::set_up('live_days');
my ($status, $said) = $indexer->command('init', '--role', 'consumer');
is($status, 0, 'init') or die $said;
foreach my $words ([ 'want', 'remove', 'account', '*' ], [ 'want', 'add', 'live', '*' ])
{
	($status, $said) = $indexer->call(@$words);
	is($status, 0, "@$words") or diag($said);
}
$node->safe_psql($db, <<'SQL');
UPDATE settings SET pause_first = '0.05 s', pause_most = '0.8 s', spread = '0.1 s', keep = '7 days';
CREATE SCHEMA try;
CREATE TABLE try.clock (ahead int);
INSERT INTO try.clock VALUES (0);
GRANT USAGE ON SCHEMA try TO consumer;
GRANT SELECT ON try.clock TO consumer;
CREATE OR REPLACE FUNCTION utc_day(at timestamptz DEFAULT now()) RETURNS date
LANGUAGE sql STABLE PARALLEL SAFE
RETURN (at AT TIME ZONE 'UTC')::date + (SELECT ahead FROM try.clock);
SQL

my $network = AtidTest::Network->new($oracles->{node}, "$oracles->{folder}/network.js", AtidTest::Oracles::seed(), 12);
$network->ask('calm');

sub one { return $node->safe_psql($db, $_[0]); }

my %at_start = map { $_ => 1 } $network->records;

sub run { return $indexer->start(PGUSER => 'consumer', ATID_SERVICE_URL => $network->url, ATID_PLC_URL => $network->url, ATID_STREAM_SHARDS => 2, ATID_PLC_RATE => 50); }
my $run = run();
ok($indexer->wait_for_log($run, qr/stream connected/), 'it is connected') or diag(slurp_file($run->{log}));

# Waits until all that the network has announced is processed.
sub follow
{
	my ($what) = @_;
	my $mark = $network->ask('mark')->{seq};
	ok($indexer->wait_for($what, "SELECT min(cursor) >= $mark AND NOT EXISTS (SELECT FROM waiting) FROM shard"), "$what: the stream is followed");
	return;
}

my $stored = q{SELECT string_agg(uri || ' ' || cid, E'\n' ORDER BY (uri || ' ' || cid) COLLATE "C") FROM record};

sub is_stored
{
	my ($what) = @_;
	follow($what);
	is(one($stored), join("\n", grep { !$at_start{$_} } $network->records), "$what: the records");
	return;
}

# What is in the tables of days other than once, and well.
my $misplaced = <<'SQL';
WITH r AS (SELECT tableoid, uri, block FROM packed_record), s AS (
  SELECT replace(r.tableoid::regclass::text, 'record_', 'reference_') AS place, p.subject, p.path, r.uri
  FROM r CROSS JOIN block_references(r.block::bytea, 1000) AS p),
t AS (SELECT f.tableoid::regclass::text AS place, f.subject, f.path, f.uri FROM reference AS f)
SELECT 'twice', uri::text FROM r GROUP BY uri HAVING count(*) > 1
UNION ALL SELECT 'in no table of a day', uri::text FROM r
WHERE tableoid NOT IN (SELECT day_table('record', day)::regclass FROM day)
UNION ALL (SELECT 'missing', format('%s %s %s', place, path, uri) FROM (TABLE s EXCEPT ALL TABLE t) AS x)
UNION ALL (SELECT 'too many', format('%s %s %s', place, path, uri) FROM (TABLE t EXCEPT ALL TABLE s) AS x)
SQL

sub is_in_place
{
	my ($what) = @_;
	is(one($misplaced), '', "$what: each once, with its references, in the tables of one day");
	return;
}

#
# Nights. The tables of the next day are there; those of the day after the next are not.
#
$network->ask('plain?n=30');
is_stored('the first day');
foreach my $night (1 .. 4)
{
	my $what = "night $night";
	my $days = $night % 2 ? 1 : 2;
	$network->ask('plain?n=40');
	one("UPDATE try.clock SET ahead = ahead + $days");
	$network->ask('plain?n=40');
	if ($night > 2)
	{
		$indexer->stop($run, 'KILL');
		$run = run();
	}
	is_stored($what);
	is_in_place($what);
	is(one('SELECT utc_day() IN (SELECT day FROM day)'), 't', "$what: the day has tables");
}
cmp_ok(one('SELECT count(DISTINCT tableoid) FROM packed_record'), '>', 3, 'the records are those of several days');
is(one('SELECT count(*) FROM bad'), 0, 'nothing is bad');

#
# The end of the time.
#
my $kept = q{uri IN (SELECT uri FROM packed_record WHERE tableoid IN (SELECT day_table('record', day)::regclass FROM day WHERE day >= utc_day(now() - interval '1 h')))};
my %expected = map { $_ => 1 } split /\n/, one("$stored WHERE $kept");
my %dropped = map { $_ => 1 } split /\n/, one("$stored WHERE NOT $kept");
cmp_ok(scalar keys %dropped, '>', 20, 'some records are older than an hour');
one(q{UPDATE settings SET keep = '1 hour'});
$network->ask('plain?n=40');
# a day each time, as the program does every ten seconds
my $old = q{SELECT count(*) FROM day WHERE day < utc_day(now() - interval '1 h')};
foreach my $left (reverse 0 .. one($old) - 1)
{
	$indexer->wait_for('a day is dropped', "SELECT run_maintenance() IS NULL OR ($old) = $left");
}
is(one($old), 0, 'the days before are dropped');
follow('a stream next to them');
my %now = map { $_ => 1 } $network->records;
# what the network has deleted or changed meanwhile, and what it has written
my @left = grep { !$at_start{$_} && !$dropped{$_} } sort keys %now;
is(one($stored), join("\n", @left), 'what is left are the records of the days that are kept');
cmp_ok(scalar(grep { $expected{$_} } @left), '>', 0, '... which are some');
is_in_place('after the drop');
is(one(q{SELECT count(*) FROM pg_class WHERE relnamespace = 'indexer'::regnamespace AND relkind = 'r' AND relname ~ '^(record|reference)_\d'}),
	one('SELECT 2 * count(*) FROM day'), 'no table of a dropped day is left');
is(one('SELECT count(*) FROM bad'), 0, 'and nothing is bad');

is($indexer->stop($run), 0, 'it ends');
AtidTest::Indexer::waiting_is_counted($node, $db);

done_testing();
