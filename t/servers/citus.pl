# Citus: a coordinator and two workers, named by ATID_CITUS=port,port,port (the coordinator's first).
#
#   ATID_CITUS=5432,5433,5434 prove t/servers/citus.pl
#
# The servers run already, with citus in shared_preload_libraries and atid installed, and let
# PGUSER (a superuser) in from this machine and from each other, by the name in ATID_CITUS_HOST
# (localhost if it is not set). A database atid_citus is made on each and dropped at the end. Shows
# what doc/servers.md says of Citus:
# - the extension is propagated to the workers;
# - tables are distributed by text, tid and cid_link, with joins, moves of shards and rebalancing;
# - INSERT ... VALUES, COPY and prepared inserts draw on the node that takes the statement;
# - INSERT ... SELECT from a distributed table draws on the workers: with a clock id for each node no
#   identifier comes twice;
# - ALTER DATABASE ... SET is copied to all nodes, and the chapter's query finds the clock id that they
#   share then; ALTER SYSTEM, after LOAD, is the node's own;
# - UPDATE ... SET rev = atid.tid_generate() is refused, and the ways around it work;
# - a table is distributed by did, and a condition on that column beside uri <@ scope asks one shard.
#
# Skipped where ATID_CITUS is not set or the extension citus cannot be created.

use strict;
use warnings FATAL => 'all';

use IPC::Run;
use Test::More;

my @ports = split /,/, $ENV{ATID_CITUS} // '';
plan skip_all => 'ATID_CITUS names no servers' if !@ports;
die 'ATID_CITUS takes three ports: a coordinator and two workers' if @ports != 3;

my $host = $ENV{ATID_CITUS_HOST} // 'localhost';
my $db   = 'atid_citus';

# Runs SQL on a node: (whether it went well, what it printed, what it said).
sub try_sql
{
	my ($port, $sql, $database) = @_;
	my ($out, $err) = ('', '');
	my $well = IPC::Run::run(
		[
			'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-h', $host, '-p', $port,
			'-d', $database // $db, '-f', '-'
		],
		'<', \$sql, '>', \$out, '2>', \$err, IPC::Run::timeout(600));
	chomp $out;
	return ($well, $out, $err);
}

sub sql
{
	my ($port, $text, $database) = @_;
	my ($well, $out, $err) = try_sql($port, $text, $database);
	die "on port $port: $text\n$err" unless $well;
	return $out;
}

# A statement that has to be a command of its own, on each node.
sub everywhere { my ($text, $database) = @_; return map { sql($_, $text, $database) } @ports; }

my ($coordinator, @workers) = @ports;
my @reset;

END
{
	if (@ports == 3)
	{
		try_sql($_, 'ALTER SYSTEM RESET atid.clock_id', 'postgres') foreach @reset;
		try_sql($_, 'SELECT pg_reload_conf()', 'postgres') foreach @reset;
		try_sql($_, "DROP DATABASE IF EXISTS $db WITH (FORCE)", 'postgres') foreach @ports;
	}
}

everywhere("DROP DATABASE IF EXISTS $db WITH (FORCE)", 'postgres');
everywhere("SET citus.enable_ddl_propagation = off; CREATE DATABASE $db", 'postgres');
foreach my $port (@ports)
{
	my ($well, undef, $said) = try_sql($port, 'CREATE EXTENSION citus');
	plan skip_all => "citus cannot be created on port $port: " . ($said =~ /ERROR:\s*(.*)/)[0] unless $well;
}
sql($coordinator, "SELECT citus_set_coordinator_host('$host', $coordinator)");
sql($coordinator, "SELECT citus_add_node('$host', $_)") foreach @workers;

#
# A clock id for each node, by ALTER SYSTEM. The library has to be loaded, or the server does not know
# the setting.
#
foreach my $i (0 .. 2)
{
	push @reset, $ports[$i];
	sql($ports[$i], "LOAD 'atid';\nALTER SYSTEM SET atid.clock_id = " . (100 + $i), 'postgres');
	sql($ports[$i], 'SELECT pg_reload_conf()', 'postgres');
}

sql($coordinator, 'CREATE EXTENSION atid');
is_deeply([ map { sql($_, "SELECT count(*) FROM pg_extension WHERE extname = 'atid'") } @workers ],
	[ 1, 1 ], 'CREATE EXTENSION on the coordinator creates it on the workers');

my $clock_id = 'SELECT atid.tid_clock_id(atid.tid_generate())';
is_deeply([ everywhere($clock_id) ], [ 100, 101, 102 ], 'each node has a clock id of its own');

#
# Distribution.
#
sub clock_ids
{
	my ($table) = @_;
	return join ' ', split /\n/, sql($coordinator, "SELECT DISTINCT atid.tid_clock_id(rev) FROM $table ORDER BY 1");
}

sql($coordinator, <<'SQL');
CREATE TABLE record (
  did text NOT NULL,
  rkey text NOT NULL DEFAULT atid.tid_generate() CHECK (atid.rkey_is_valid(rkey)),
  rev atid.tid NOT NULL DEFAULT atid.tid_generate(),
  cid atid.cid_link
);
CREATE TABLE event (rev atid.tid PRIMARY KEY DEFAULT atid.tid_generate(), note text);
CREATE TABLE block (cid atid.cid_link PRIMARY KEY, content bytea);
SELECT create_distributed_table('record', 'did');
SELECT create_distributed_table('event', 'rev');
SELECT create_distributed_table('block', 'cid');
SQL

sql($coordinator, join '', map { "INSERT INTO record (did, cid) VALUES ('did:example:$_', atid.cid_of('block $_', 'raw'));\n" } 1 .. 50);
is(clock_ids('record'), '100', 'INSERT ... VALUES draws on the node that takes the statement');
sql($coordinator, "COPY record (did) FROM stdin;\n" . join('', map { "did:example:$_\n" } 51 .. 100) . "\\.\n");
is(clock_ids('record'), '100', 'so does COPY');
sql($coordinator,
	"PREPARE put (text) AS INSERT INTO record (did) VALUES (\$1);\n" . join('', map { "EXECUTE put('did:example:$_');\n" } 101 .. 150));
is(clock_ids('record'), '100', 'and a prepared INSERT');
is(sql($coordinator, 'SELECT count(*), count(DISTINCT rev) FROM record'), '150|150', 'no identifier twice');

sql($coordinator, "INSERT INTO event SELECT rev FROM record");
sql($coordinator, "INSERT INTO block SELECT cid, '\\x00' FROM record WHERE cid IS NOT NULL");
is(sql($coordinator, 'SELECT count(*) FROM event'), 150, 'a table is distributed by tid');
is(sql($coordinator, 'SELECT count(*) FROM block'), 50,  'and one by cid_link');
my $one = sql($coordinator, 'SELECT min(rev) FROM event');
is(sql($coordinator, "SELECT count(*) FROM event WHERE rev = '$one'"), 1, 'a row is found by its tid');
is(sql($coordinator, "SELECT count(*) FROM block WHERE cid = atid.cid_of('block 7', 'raw')"), 1, 'and by its cid_link');
is(sql($coordinator, 'SET citus.enable_repartition_joins = on; SELECT count(*) FROM record JOIN event USING (rev)'),
	150, 'a join on tid');
is(sql($coordinator, 'SET citus.enable_repartition_joins = on; SELECT count(*) FROM record JOIN block USING (cid)'),
	50, 'a join on cid_link');

my ($shard, $from) = split /\|/,
  sql($coordinator, "SELECT shardid, nodeport FROM citus_shards WHERE table_name = 'event'::regclass ORDER BY 1 LIMIT 1");
my ($to) = grep { $_ != $from } @workers;
sql($coordinator, "SELECT citus_move_shard_placement($shard, '$host', $from, '$host', $to, 'block_writes')");
is(sql($coordinator, 'SELECT count(*) FROM event'), 150, 'all rows are there after a shard has moved');
sql($coordinator, "SELECT rebalance_table_shards('event', shard_transfer_mode => 'block_writes')");
is(sql($coordinator, 'SELECT count(*), count(DISTINCT rev) FROM event'), '150|150', 'and after rebalancing');

#
# INSERT ... SELECT draws on the workers.
#
my $many = 200_000;
sql($coordinator, <<"SQL");
CREATE TABLE source (did text NOT NULL);
SELECT create_distributed_table('source', 'did', colocate_with => 'record');
INSERT INTO source SELECT 'did:example:' || i FROM generate_series(1, $many) i;
CREATE TABLE target (did text NOT NULL, rev atid.tid NOT NULL DEFAULT atid.tid_generate());
SELECT create_distributed_table('target', 'did', colocate_with => 'source');
INSERT INTO target (did) SELECT did FROM source;
SQL
is(clock_ids('target'), '101 102', 'INSERT ... SELECT draws on the workers');
is(sql($coordinator, 'SELECT count(*) - count(DISTINCT rev) FROM target'),
	0, "with a clock id for each, no identifier of $many comes twice");

#
# A setting that is copied to all nodes, and the query that finds it.
#
my $chapter = do { local (@ARGV, $/) = __FILE__ =~ s{t/servers/citus\.pl$}{doc/servers.md}r; <> };
my ($check) = $chapter =~ /^ *-- clock ids that several nodes share\n(.*?;)/ms;
is(sql($coordinator, $check), '', 'the check finds nothing while each node has its own');
foreach my $port (@ports)
{
	sql($port, 'ALTER SYSTEM RESET atid.clock_id', 'postgres');
	sql($port, 'SELECT pg_reload_conf()',           'postgres');
}
sql($coordinator, "ALTER DATABASE $db SET atid.clock_id = 7");
is_deeply([ map { sql($_, $clock_id) } @workers ], [ 7, 7 ], 'ALTER DATABASE ... SET is copied to the workers');
isnt(sql($coordinator, $check), '', 'the check finds a clock id that nodes share');
sql($coordinator, 'TRUNCATE target; INSERT INTO target (did) SELECT did FROM source');
cmp_ok(sql($coordinator, 'SELECT count(*) - count(DISTINCT rev) FROM target'),
	'>', 0, 'and with it identifiers come twice');
sql($coordinator, "ALTER DATABASE $db RESET atid.clock_id");

#
# UPDATE.
#
my ($well, undef, $said) =
  try_sql($coordinator, "UPDATE record SET rev = atid.tid_generate() WHERE did = 'did:example:1'");
ok(!$well && $said =~ /volatile/i, 'UPDATE ... SET rev = atid.tid_generate() is refused as volatile')
  or diag($said);
my $before = sql($coordinator, "SELECT rev FROM record WHERE did = 'did:example:1'");
sql($coordinator,
	"SELECT atid.tid_generate() AS rev \\gset\nUPDATE record SET rev = :'rev' WHERE did = 'did:example:1'");
cmp_ok(sql($coordinator, "SELECT rev FROM record WHERE did = 'did:example:1'"),
	'gt', $before, 'a value that is drawn first is taken');

sql($coordinator, <<'SQL');
CREATE TABLE head (did text PRIMARY KEY, rev atid.tid NOT NULL DEFAULT atid.tid_generate());
SELECT create_distributed_table('head', 'did');
INSERT INTO head (did) VALUES ('did:example:1');
SQL
$before = sql($coordinator, 'SELECT rev FROM head');
sql($coordinator, "INSERT INTO head (did) VALUES ('did:example:1') ON CONFLICT (did) DO UPDATE SET rev = excluded.rev");
cmp_ok(sql($coordinator, 'SELECT rev FROM head'), 'gt', $before, 'and the one that a default draws for an upsert');

#
# One account's rows are in one shard, which the planner knows by the account's column only.
#
sql($coordinator, <<'SQL');
CREATE TABLE post (did atid.did, uri atid.at_uri, PRIMARY KEY (did, uri));
SELECT create_distributed_table('post', 'did');
INSERT INTO post SELECT did::atid.did, ('at://' || did || '/app.bsky.feed.post/' || n)::atid.at_uri
FROM (SELECT 'did:web:' || n % 10 || '.example', n FROM generate_series(1, 100) n) v(did, n);
SQL
my $within = "uri <@ 'at://did:web:3.example/app.bsky.feed.post'";
is(sql($coordinator, "SELECT count(*) FROM post WHERE $within"), 10, 'uri <@ scope finds the rows in all shards');
is(sql($coordinator, "SELECT count(*) FROM post WHERE did = 'did:web:3.example' AND $within"), 10, 'and in one');
my ($all, $one_shard) = map { (sql($coordinator, "EXPLAIN (COSTS OFF) SELECT count(*) FROM post WHERE $_") =~ /Task Count: (\d+)/)[0] }
  ($within, "did = 'did:web:3.example' AND $within");
cmp_ok($all, '>', 1, 'a scope alone asks all shards');
is($one_shard, 1, 'with the account beside it, one');

done_testing();
