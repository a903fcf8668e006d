# Sharding with hash partitions over postgres_fdw. Shows that
# - a row that is inserted through the partitioned table gets its identifiers from the node that
#   receives the statement, so all rows of one node's sessions are of one stream, whatever shard they
#   go to;
# - a row that is inserted on a shard gets them from the shard: another stream, another clock id;
# - each row is found on the shard that its key hashes to, and a condition on the key prunes the other
#   shard;
# - with `extensions 'atid'` on the foreign server, conditions and functions on atid's types run on the
#   shard, and without it they do not.
#
# Tags: medium differs

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my @shards = map { new_node("shard$_", ready => 1) } 0 .. 1;
my $front  = new_node('front', ready => 1);

plan skip_all => 'postgres_fdw is not installed'
  if $front->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'") == 0;

my $columns = <<'SQL';
  did  text NOT NULL,
  rkey atid.rkey NOT NULL DEFAULT atid.tid_generate(),
  rev  atid.tid  NOT NULL DEFAULT atid.tid_generate(),
  cid  atid.cid_link,
  PRIMARY KEY (did, rev)
SQL

foreach my $i (0 .. 1)
{
	new_database($shards[$i], 'app');
	$shards[$i]->safe_psql('app', "CREATE TABLE record_$i ($columns)");
}

new_database($front, 'app');
my ($user) = getpwuid($>);
$front->safe_psql(
	'app', join "\n",
	'CREATE EXTENSION postgres_fdw;',
	"CREATE TABLE record ($columns) PARTITION BY HASH (did);" =~ s/,\s*PRIMARY KEY[^)]*\)//r,
	map { <<"SQL" } 0 .. 1);
CREATE SERVER shard$_ FOREIGN DATA WRAPPER postgres_fdw
  OPTIONS (host '@{[ $shards[$_]->host ]}', port '@{[ $shards[$_]->port ]}', dbname 'app', extensions 'atid');
CREATE USER MAPPING FOR CURRENT_USER SERVER shard$_ OPTIONS (user '$user');
CREATE FOREIGN TABLE record_$_ PARTITION OF record FOR VALUES WITH (MODULUS 2, REMAINDER $_) SERVER shard$_;
SQL

#
# Where defaults are evaluated.
#
my @ids = ($front, @shards);
my ($on_front, @on_shard) =
  map { $_->safe_psql('app', 'SELECT atid.tid_clock_id(atid.tid_generate())') } @ids;

$front->safe_psql('app',
	"INSERT INTO record (did) SELECT 'did:example:' || i % 20 FROM generate_series(1, 2000) i");
is( $front->safe_psql('app', 'SELECT DISTINCT atid.tid_clock_id(rev) FROM record'),
	$on_front, 'rows inserted through the parent have the clock id of the node that took the statement');
is( $front->safe_psql('app', 'SELECT count(*), count(DISTINCT rev), count(DISTINCT rkey) FROM record'),
	'2000|2000|2000', 'all rows are there, and no identifier twice');
my @held = map { $shards[$_]->safe_psql('app', "SELECT count(*) FROM record_$_") } 0 .. 1;
ok($held[0] > 0 && $held[1] > 0 && $held[0] + $held[1] == 2000, "the shards hold @held rows");

foreach my $i (0 .. 1)
{
	# a key that belongs to this shard
	my $did = $shards[$i]->safe_psql('app', "SELECT min(did) FROM record_$i");
	is( $shards[$i]->safe_psql('app', "INSERT INTO record_$i (did) VALUES ('$did') RETURNING atid.tid_clock_id(rev)"),
		$on_shard[$i], "a row inserted on shard $i has the shard's clock id");
}

#
# The conditions and functions that run on the shards.
#
my $query = "SELECT rev FROM record WHERE did = 'did:example:7' AND rev > atid.tid_floor('2024-01-01 00:00 UTC')";
my $plan  = $front->safe_psql('app', "EXPLAIN (VERBOSE, COSTS off) $query");
like($plan, qr/Remote SQL: .*rev > '3k[a-z2-7]{11}'/, 'a condition on a tid runs on the shard');
unlike($plan, qr/Append/, 'and the other shard is not asked');
like(
	$front->safe_psql('app', "EXPLAIN (VERBOSE, COSTS off) SELECT rev FROM record WHERE atid.tid_clock_id(rev) = 7"),
	qr/Remote SQL: .*atid\.tid_clock_id\(rev\) = 7/, 'so does a function of the extension');

$front->safe_psql('app', "ALTER SERVER shard$_ OPTIONS (DROP extensions)") foreach 0 .. 1;
$plan = $front->safe_psql('app', "EXPLAIN (VERBOSE, COSTS off) $query");
unlike($plan, qr/Remote SQL: .*rev >/, 'without extensions \'atid\' the condition runs here');
like($plan, qr/Filter: .*rev > /, 'on rows that have all been fetched');

$_->stop foreach $front, @shards;
done_testing();
