# A dump of all types moves from one machine to another, whatever their byte order.
#
# Shows that
# - the same statements give the same values on each machine: identifiers, addresses, packed blocks, records;
# - a dump, and a table in COPY's binary format, are restored with the same values in the same order, and with
#   correct indexes. Hashes differ by machine, so partitions by hashes need --load-via-partition-root.
#
# $ATID_DUMPS names a folder in which each machine leaves its dump for the next one; script/test --arch NAME --full
# dumps and restores in both directions. Without it the machine restores its own dump.
#
# Tags: quick differs

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use File::Basename qw(basename);
use POSIX qw(uname);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $own    = (uname)[4];
my $folder = $ENV{ATID_DUMPS} || PostgreSQL::Test::Utils::tempdir;
my $node   = new_node('machines');

my $schema = <<'SQL';
CREATE EXTENSION atid;
CREATE TABLE example (
	n       int PRIMARY KEY,
	tid     atid.tid NOT NULL UNIQUE,
	did     atid.did NOT NULL,
	uri     atid.at_uri NOT NULL UNIQUE,
	cid     atid.cid_link NOT NULL UNIQUE,
	uuid    uuid NOT NULL UNIQUE,
	rkey    atid.rkey NOT NULL,
	block   atid.block NOT NULL,
	record  jsonb NOT NULL CHECK (atid.record_is_valid(record)),
	tids    atid.tid[] NOT NULL,
	uris    atid.at_uri[] NOT NULL,
	subject atid.at_uri GENERATED ALWAYS AS (atid.dag_cbor_ref_uri(block, '{subject}')) STORED);
CREATE INDEX ON example (did, tid);
CREATE INDEX ON example USING hash (uri);
CREATE INDEX ON example (atid.dag_cbor_get_text(block, '{createdAt}'));
CREATE TABLE by_hash (did atid.did, uri atid.at_uri, PRIMARY KEY (did, uri)) PARTITION BY HASH (did);
CREATE TABLE by_hash_0 PARTITION OF by_hash FOR VALUES WITH (MODULUS 3, REMAINDER 0);
CREATE TABLE by_hash_1 PARTITION OF by_hash FOR VALUES WITH (MODULUS 3, REMAINDER 1);
CREATE TABLE by_hash_2 PARTITION OF by_hash FOR VALUES WITH (MODULUS 3, REMAINDER 2);
CREATE TABLE by_range (uri atid.at_uri PRIMARY KEY) PARTITION BY RANGE (uri);
CREATE TABLE by_range_0 PARTITION OF by_range FOR VALUES FROM (MINVALUE) TO ('at://did:plc:k');
CREATE TABLE by_range_1 PARTITION OF by_range FOR VALUES FROM ('at://did:plc:k') TO (MAXVALUE);
SQL

my $fill = <<'SQL';
INSERT INTO example
SELECT n, tid, did, uri, cid, atid.uuid_generate_v5('6ba7b810-9dad-11d1-80b4-00c04fd430c8', uri::text), tid::text,
       atid.record_to_dag_cbor(record), record, ARRAY[tid, '2222222222222'], ARRAY[uri, 'at://did:web:example.com']
FROM (SELECT n, tid, did, atid.at_uri_make(did::text, 'app.bsky.feed.like', tid::text) AS uri, cid,
             jsonb_build_object('$type', 'app.bsky.feed.like', 'createdAt', atid.tid_timestamp(tid), 'n', n * 1000003, 'subject',
               jsonb_build_object('cid', cid, 'uri', atid.at_uri_make(did::text, 'app.bsky.feed.post', tid::text)),
               'link', jsonb_build_object('$link', cid), 'bytes', jsonb_build_object('$bytes', encode(digest, 'base64')),
               'text', repeat('é😀', n % 7)) AS record
      FROM (SELECT n, digest, atid.cid_make('raw', digest) AS cid,
                   ('did:plc:' || substr(atid.cid_make('raw', digest)::text, 20, 24))::atid.did AS did,
                   atid.tid_make('2024-01-01Z'::timestamptz + n * interval '1.000001 s', n % 1024) AS tid
            FROM (SELECT n, sha256(n::text::bytea) AS digest FROM generate_series(1, 2000) AS n) AS d) AS i) AS r;
INSERT INTO by_hash SELECT did, uri FROM example;
INSERT INTO by_range SELECT uri FROM example;
SQL

# All values, in the order of each type.
sub contents
{
	my ($db) = @_;
	return join "\n", map { $node->safe_psql($db, $_) }
	  "SET TimeZone TO UTC; TABLE example ORDER BY uri",
	  map({ "SELECT string_agg(n::text, ' ' ORDER BY $_) FROM example" } qw(tid did cid uuid rkey), 'did, tid', 'uris'),
	  'TABLE by_hash ORDER BY did, uri', 'TABLE by_range ORDER BY uri';
}

$node->safe_psql('postgres', 'CREATE DATABASE made');
$node->safe_psql('made', $schema);
$node->safe_psql('made', $fill);
my $made = contents('made');
file_of($folder, "$own.txt", $made);
file_of($folder, "$own.sql", dump_text($node, 'made', '--load-via-partition-root'));
my $columns = 'n, tid, did, uri, cid, uuid, rkey, block, record, tids, uris';
$node->safe_psql('made', "COPY example ($columns) TO '$folder/$own.bin' (FORMAT binary)");

my @machines = map { basename($_, '.sql') } sort glob "$folder/*.sql";
note("dumps of: @machines");
foreach my $machine (@machines)
{
	my $db = "from_$machine";
	ok(slurp_file("$folder/$machine.txt") eq $made, "$machine has made the same values");

	$node->safe_psql('postgres', "CREATE DATABASE $db");
	$node->command_ok([ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr($db), '-f', "$folder/$machine.sql" ],
		"the dump of $machine is restored");
	ok(contents($db) eq $made, "the dump of $machine: the same values in the same order");
	is($node->safe_psql($db, 'CREATE EXTENSION amcheck; SELECT count(bt_index_check(indexrelid, true)) > 5 FROM pg_index '
				. "WHERE indrelid IN ('example'::regclass, 'by_range_0'::regclass, 'by_range_1'::regclass) AND "
				. "(SELECT amname FROM pg_class AS c JOIN pg_am AS a ON relam = a.oid WHERE c.oid = indexrelid) = 'btree'"),
		't', "the dump of $machine: the indexes are right");
	is_none($node, $db, 'SET enable_seqscan = off; SELECT uri FROM example AS a WHERE NOT EXISTS '
		  . '(SELECT FROM by_hash AS b WHERE (b.did, b.uri) = (a.did, a.uri))', "the dump of $machine: the partitions have all rows");

	$node->safe_psql($db, 'TRUNCATE example');
	$node->safe_psql($db, "COPY example ($columns) FROM '$folder/$machine.bin' (FORMAT binary)");
	ok(contents($db) eq $made, "the binary COPY of $machine: the same values in the same order");
}

done_testing();
