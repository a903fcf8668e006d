# Citus: a coordinator and two workers, named by ATID_CITUS=port,port,port (the coordinator's first).
#
#   ATID_CITUS=5432,5433,5434 prove t/operation/citus.pl
#
# The servers run already, with citus in shared_preload_libraries and atid installed, and accept PGUSER (a
# superuser) from this machine and from each other, by the name in ATID_CITUS_HOST (localhost if it is not set). A
# database atid_citus is created on each and dropped at the end. Shows the statements of doc/servers.md about
# Citus:
# - the extension is propagated to the workers, in the version that it has; ALTER EXTENSION ... UPDATE too, with
#   data in distributed tables; and to a node that is added later;
# - the chapter's commands give each node the clock id of its group;
# - tables are distributed by text, tid, cid_link, did and at_uri, with joins, moves of shards and rebalancing;
# - tables by did are colocated: joins, reference tables with domains, generated columns and foreign keys work, and
#   mst_root ... GROUP BY did runs on the workers, with the same roots as on one server;
# - INSERT ... VALUES, COPY and prepared inserts draw on the node that receives the statement;
# - INSERT ... SELECT from a distributed table draws on the workers: with a clock id for each node no
#   identifier comes twice;
# - ALTER DATABASE ... SET is copied to all nodes, and the chapter's query finds the clock id that they
#   share then; ALTER SYSTEM, after LOAD, is the node's own;
# - UPDATE ... SET rev = atid.tid_generate() is refused, and the workarounds work;
# - a table is distributed by did, and a condition on that column next to uri <@ scope queries one shard;
# - a columnar table skips chunks by the bounds of a scope, and not by the scope alone.
#
# Parts that need more report the missing part: moves without blocking writes need wal_level = logical, columnar
# tables the extension citus_columnar, the update 1.1 among the installed versions.
#
# Skipped where ATID_CITUS is not set or the extension citus cannot be created.
#
# Tags: medium citus

use strict;
use warnings FATAL => 'all';

use IPC::Run;
use Test::More;

my @ports = split /,/, $ENV{ATID_CITUS} // '';
plan skip_all => 'ATID_CITUS names no servers' if !@ports;
die 'ATID_CITUS takes three ports: a coordinator and two workers' if @ports != 3;

my $host = $ENV{ATID_CITUS_HOST} // 'localhost';
my $db   = 'atid_citus';

# Runs SQL on a node: returns (success, stdout, stderr).
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

# Runs a statement that must be a command of its own, on each node.
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
sql($coordinator, "SELECT citus_add_node('$host', $workers[0])");

sub installed
{
	my ($port) = @_;
	return sql($port, "SELECT extversion FROM pg_extension WHERE extname = 'atid'");
}

#
# An older version, with rows; updated; and then on one more node.
#
my $newest = sql($coordinator, "SELECT default_version FROM pg_available_extensions WHERE name = 'atid'");
my ($older) = sql($coordinator, "SELECT count(*) FROM pg_available_extension_versions WHERE name = 'atid' AND version = '1.1'");
sql($coordinator, $older ? "CREATE EXTENSION atid VERSION '1.1'" : 'CREATE EXTENSION atid');
sql($coordinator, <<'SQL');
CREATE TABLE old (did atid.did NOT NULL, uri atid.at_uri NOT NULL, PRIMARY KEY (did, uri));
SELECT create_distributed_table('old', 'did', shard_count => 8);
INSERT INTO old SELECT did::atid.did, ('at://' || did || '/app.bsky.feed.post/' || n)::atid.at_uri
FROM (SELECT 'did:web:u' || n || '.example', n FROM generate_series(1, 200) n) v(did, n);
SQL
SKIP:
{
	skip 'version 1.1 of atid is not installed', 3 if !$older;
	is_deeply([ map { installed($_) } $coordinator, $workers[0] ], [ '1.1', '1.1' ], 'an older version is created on the worker too');
	sql($coordinator, 'ALTER EXTENSION atid UPDATE');
	is_deeply([ map { installed($_) } $coordinator, $workers[0] ],
		[ $newest, $newest ], 'ALTER EXTENSION ... UPDATE on the coordinator updates the worker');
	is(sql($coordinator, "SELECT count(*) FROM old WHERE atid.at_uri_to_subject(uri) LIKE 'at://did:web:u%'"),
		200, 'and what is new works on the rows of before');
}

sub shards_of
{
	my ($table) = @_;
	return sql($coordinator, "SELECT string_agg(DISTINCT nodeport::text, ' ' ORDER BY nodeport::text) FROM citus_shards
		WHERE table_name = '$table'::regclass");
}

sql($coordinator, "SELECT citus_add_node('$host', $workers[1])");
is(installed($workers[1]), $newest, 'a node that is added gets the extension, in the version of the others');
is(shards_of('old'), $workers[0], 'and no shard yet');
sql($coordinator, "SELECT rebalance_table_shards('old', shard_transfer_mode => 'block_writes')");
is(shards_of('old'), join(' ', sort @workers), 'shards move to it');
is(sql($coordinator, 'SELECT count(*), count(DISTINCT did) FROM old'), '200|200', 'with all rows');
SKIP:
{
	skip 'wal_level is not logical', 1 if grep { $_ ne 'logical' } everywhere('SHOW wal_level');
	my ($moved, $away) = split /\|/,
	  sql($coordinator, "SELECT shardid, nodeport FROM citus_shards WHERE table_name = 'old'::regclass ORDER BY 1 LIMIT 1");
	my ($toward) = grep { $_ != $away } @workers;
	sql($coordinator, "SELECT citus_move_shard_placement($moved, '$host', $away, '$host', $toward, 'force_logical')");
	is(sql($coordinator, 'SELECT count(*), count(DISTINCT did) FROM old'), '200|200', 'and without blocking writes');
}

my $chapter = do { local (@ARGV, $/) = __FILE__ =~ s{t/operation/citus\.pl$}{doc/servers.md}r; <> };

#
# A clock id for each node, by the chapter's commands: that of its group.
#
my ($give) = $chapter =~ /^# the clock id of each node: its group\n(.*?)^```/ms;
push @reset, @ports;
{
	local @ENV{qw(PGHOST PGPORT PGDATABASE)} = ($host, $coordinator, $db);
	my $said = '';
	ok(IPC::Run::run([ 'bash', '-euo', 'pipefail', '-c', $give ], '<', \undef, '>&', \$said), "the chapter's commands run")
	  or diag($said);
}
my @groups = map { sql($coordinator, "SELECT groupid FROM pg_dist_node WHERE nodeport = $_") } @ports;

my $clock_id = 'SELECT atid.tid_clock_id(atid.tid_generate())';
is_deeply([ everywhere($clock_id) ], \@groups, 'each node has the clock id of its group');

#
# Distribution.
#
sub tasks
{
	my ($query) = @_;
	return (sql($coordinator, "EXPLAIN (COSTS OFF) $query") =~ /Task Count: (\d+)/)[0];
}

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
is(clock_ids('record'), $groups[0], 'INSERT ... VALUES draws on the node that takes the statement');
sql($coordinator, "COPY record (did) FROM stdin;\n" . join('', map { "did:example:$_\n" } 51 .. 100) . "\\.\n");
is(clock_ids('record'), $groups[0], 'so does COPY');
sql($coordinator,
	"PREPARE put (text) AS INSERT INTO record (did) VALUES (\$1);\n" . join('', map { "EXECUTE put('did:example:$_');\n" } 101 .. 150));
is(clock_ids('record'), $groups[0], 'and a prepared INSERT');
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
is(clock_ids('target'), join(' ', sort { $a <=> $b } @groups[1, 2]), 'INSERT ... SELECT draws on the workers');
is(sql($coordinator, 'SELECT count(*) - count(DISTINCT rev) FROM target'),
	0, "with a clock id for each, no identifier of $many comes twice");

#
# A setting that is copied to all nodes, and the query that finds it.
#
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
# The rows of an account are in one shard, which the planner can only determine by the account's column.
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
my ($all, $one_shard) = map { tasks("SELECT count(*) FROM post WHERE $_") } ($within, "did = 'did:web:3.example' AND $within");
cmp_ok($all, '>', 1, 'a scope alone asks all shards');
is($one_shard, 1, 'with the account beside it, one');

#
# By at_uri. Citus hashes it as it does a did, so a record is found in one shard.
#
sql($coordinator, <<'SQL');
CREATE TABLE liked (uri atid.at_uri PRIMARY KEY, n int);
SELECT create_distributed_table('liked', 'uri');
INSERT INTO liked SELECT uri, 1 FROM post;
SQL
is(sql($coordinator, 'SELECT count(*) FROM liked'), 100, 'a table is distributed by at_uri');
my $uri = sql($coordinator, 'SELECT min(uri) FROM liked');
is(sql($coordinator, "SELECT count(*) FROM liked WHERE uri = '$uri'"), 1, 'a row is found by its at_uri');
is(tasks("SELECT count(*) FROM liked WHERE uri = '$uri'"), 1, 'in one shard');
is(sql($coordinator, 'SET citus.enable_repartition_joins = on; SELECT count(*) FROM post JOIN liked USING (uri)'),
	100, 'a join on at_uri');

#
# Tables by did, colocated; reference tables; generated columns.
#
sql($coordinator, <<'SQL');
CREATE TABLE handle (handle atid.handle PRIMARY KEY, language atid.language);
SELECT create_reference_table('handle');
CREATE TABLE account (did atid.did PRIMARY KEY, handle atid.handle REFERENCES handle);
SELECT create_distributed_table('account', 'did');
CREATE TABLE repo (
  did atid.did NOT NULL REFERENCES account,
  uri atid.at_uri NOT NULL,
  block bytea NOT NULL,
  path text COLLATE "C" GENERATED ALWAYS AS (atid.at_uri_path(uri)) STORED,
  cid atid.cid_link GENERATED ALWAYS AS (atid.cid_of(block, 'dag-cbor')) STORED,
  created text GENERATED ALWAYS AS (atid.dag_cbor_get_text(block, '{createdAt}')) STORED,
  PRIMARY KEY (did, uri)
);
SELECT create_distributed_table('repo', 'did', colocate_with => 'account');
INSERT INTO handle SELECT 'u' || n || '.example', 'en' FROM generate_series(0, 9) n;
INSERT INTO account SELECT 'did:web:u' || n || '.example', 'u' || n || '.example' FROM generate_series(0, 9) n;
INSERT INTO repo (did, uri, block)
SELECT did::atid.did, ('at://' || did || '/app.bsky.feed.post/' || n)::atid.at_uri,
       atid.record_to_dag_cbor(jsonb_build_object('createdAt', '2026-01-01T00:00:00Z', 'text', n::text))
FROM (SELECT 'did:web:u' || n % 10 || '.example', n FROM generate_series(1, 1000) n) v(did, n);
SQL
is(sql($coordinator, "SELECT count(*) FROM repo WHERE path = atid.at_uri_path(uri) AND cid = atid.cid_of(block, 'dag-cbor')
	AND created = '2026-01-01T00:00:00Z'"), 1000, 'columns are generated on the workers');
is(sql($coordinator, 'SELECT count(*) FROM repo JOIN account USING (did) JOIN handle USING (handle) WHERE language = \'en\''),
	1000, 'a join of colocated tables with a reference table');
my $joined = "SELECT count(*) FROM repo JOIN account USING (did) JOIN handle USING (handle) WHERE did = 'did:web:u3.example'";
is(sql($coordinator, $joined), 100, 'and of one account');
is(tasks($joined), 1, 'in one shard');
(undef, undef, $said) = try_sql($coordinator, "INSERT INTO repo (did, uri, block) VALUES
	('did:web:none.example', 'at://did:web:none.example/a.b.c/d', '\\xa0')");
like($said, qr/violates foreign key constraint/, 'a foreign key to a colocated table holds');
(undef, undef, $said) = try_sql($coordinator, "INSERT INTO handle VALUES ('no_handle', 'en')");
like($said, qr/violates check constraint "handle_syntax"/, 'and the rules of a domain in a reference table');

#
# Roots of accounts, on the nodes that have their records.
#
my $roots = 'SELECT did, atid.mst_root(path, cid ORDER BY path) AS root FROM %s GROUP BY did';
my $plan  = sql($coordinator, 'EXPLAIN (COSTS OFF) ' . sprintf($roots, 'repo'));
like($plan, qr/\ACustom Scan \(Citus Adaptive\)/, 'mst_root ... GROUP BY did has no aggregate on the coordinator');
like($plan, qr/Group ?Aggregate|HashAggregate/, 'but in each shard');
sql($coordinator, 'CREATE TABLE here (did atid.did, path text COLLATE "C", cid atid.cid_link)');
sql($coordinator, 'INSERT INTO here SELECT did, path, cid FROM repo');
is(sql($coordinator, 'SELECT string_agg(did || root, \' \' ORDER BY did) FROM (' . sprintf($roots, 'repo') . ') r'),
	sql($coordinator, 'SELECT string_agg(did || root, \' \' ORDER BY did) FROM (' . sprintf($roots, 'here') . ') r'),
	'the roots are those of one server');

# All colocated shards of an account move together.
($shard, $from) = split /\|/, sql($coordinator, "SELECT shardid, nodeport FROM citus_shards
	WHERE table_name = 'repo'::regclass AND shardid = get_shard_id_for_distribution_column('repo', 'did:web:u3.example'::atid.did)");
($to) = grep { $_ != $from } @workers;
sql($coordinator, "SELECT citus_move_shard_placement($shard, '$host', $from, '$host', $to, 'block_writes')");
is(sql($coordinator, $joined), 100, 'after a shard has moved, the joins of its accounts work');
is(sql($coordinator, "SELECT count(*) FROM repo WHERE cid = atid.cid_of(block, 'dag-cbor')"), 1000, 'and generated columns are right');

#
# Columnar: chunks of 1,000 rows in the order of the URIs.
#
SKIP:
{
	my ($have, undef, $why) = try_sql($coordinator, 'CREATE EXTENSION IF NOT EXISTS citus_columnar');
	skip 'citus_columnar cannot be created: ' . ($why =~ /ERROR:\s*(.*)/)[0], 4 unless $have;

	sql($coordinator, <<'SQL');
SET columnar.chunk_group_row_limit = 1000;
CREATE TABLE seen (uri atid.at_uri NOT NULL, did atid.did NOT NULL, rev atid.tid, cid atid.cid_link) USING columnar;
INSERT INTO seen
SELECT ('at://did:web:u' || lpad(n::text, 5, '0') || '.example/app.bsky.feed.post/x')::atid.at_uri,
       ('did:web:u' || lpad(n::text, 5, '0') || '.example')::atid.did,
       atid.tid_make('2026-01-01Z'::timestamptz + n * interval '1 s', 1), atid.cid_of(n::text::bytea, 'raw')
FROM generate_series(1, 20000) n ORDER BY 1;
SQL
	my $scope = 'at://did:web:u00777.example';
	my $in    = "SELECT count(*) FROM seen WHERE uri <@ '$scope'";
	my $bound = "$in AND uri BETWEEN '$scope' AND atid.at_uri_scope_upper('$scope')";
	is(sql($coordinator, $in),    1, 'a scope in a columnar table');
	is(sql($coordinator, $bound), 1, 'and with its bounds');
	my ($alone, $with) = map {
		(sql($coordinator, "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) $_") =~
			/Columnar Chunk Groups Removed by Filter: (\d+)/)[0] // 0
	} $in, $bound;
	is($alone, 0,  'a scope alone skips no chunk');
	is($with,  19, 'its bounds skip all but one');
}

done_testing();
