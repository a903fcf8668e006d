# Frames, keys and repositories leave the same rows in the tables as in those of 1.3.3.
#
# indexer/t/oracles/walk.js makes a stream with everything that happens in a network: commits, some of them lost,
# forged, late, repeated, without "prevData", false, cut off; keys that change, announced or not; accounts that are
# closed and opened; strangers; frames of other kinds, and bytes that are no frames. The database of the last release,
# and one of this version, are given the same frames in the same chunks, then the same keys and repositories. Shows that
# - the tables cover all of it: each state, frames that are refused, gaps, changes, repositories that are not loaded;
# - all tables that both have are equal afterwards, in all columns except times and values computed from them;
# - a single differing row is found.
#
# There are 2,500 frames, 30,000 with $ATID_FULL, or the number in $ATID_FRAMES. The test notes the processor time of
# both databases, per frame and per loaded record. Skipped where atid_crypto, node or npm are not available.
#
# Tags: minutes node crypto

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Indexer;
use AtidTest::Oracles;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $frames   = $ENV{ATID_FRAMES} || ($ENV{ATID_FULL} ? 30000 : 2500);
my $accounts = 40 + int $frames / 100;
my $node     = new_node('indexer_walk', lasting => 1, conf => "shared_buffers = 256MB\nmax_wal_size = 4GB");
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my ($oracles, $why) = AtidTest::Oracles->new;
plan skip_all => $why unless defined $oracles;
my $folder = $oracles->{folder};
my $seed   = AtidTest::Oracles::seed();

# The calls of each version, by their names in this test.
my %calls = (
	last => {
		start => q{start('relay', 'repos', NULL, 1)}, take => q{take('relay', 0, 1, frames)}, notices => 'heed(1000)',
		settle => 'settle(1000)', know => 'know', claim => 'claim', load => 'load', release => 'release'
	},
	this => {
		start => q{start_stream('relay', 'repos', NULL, 1)}, take => q{process_frames('relay', 0, 1, frames)},
		notices => 'process_notices(1000)', settle => 'reconcile_wants(1000)', know => 'apply_identity',
		claim => 'claim_loads', load => 'store_repository', release => 'release_load'
	});
my %script = (last => "$FindBin::Bin/vectors/1.3.3.sql", this => "$FindBin::Bin/../sql/install.sql");

# The walk through the lines: PROCEDURE walk.go().
sub walk_sql
{
	my ($call) = @_;
	return <<"SQL";
CREATE SCHEMA walk;
CREATE UNLOGGED TABLE walk.line (chunk int, kind text, a text, b text, c text, n int GENERATED ALWAYS AS IDENTITY);
CREATE TABLE walk.key (did text PRIMARY KEY, key text, pds text);
CREATE TABLE walk.used (what text, ns bigint, n bigint);
CREATE FUNCTION walk.processor() RETURNS bigint LANGUAGE sql
RETURN split_part(pg_read_file('/proc/' || pg_backend_pid() || '/schedstat'), ' ', 1)::bigint;
SET search_path = indexer, public;
SELECT $call->{start};
UPDATE want SET listed = NULL;
UPDATE stream SET look = NULL;
INSERT INTO reader (name) VALUES ('app');
CREATE FUNCTION walk.take(frames bytea[]) RETURNS void LANGUAGE sql AS \$\$ SELECT FROM $call->{take} \$\$;
CREATE FUNCTION walk.know(now int) RETURNS void LANGUAGE plpgsql AS \$\$
BEGIN
  INSERT INTO walk.key SELECT DISTINCT ON (a) a, b, c FROM walk.line WHERE chunk = now AND kind = 'key' ORDER BY a, n DESC
  ON CONFLICT (did) DO UPDATE SET key = excluded.key, pds = excluded.pds;
  PERFORM $call->{know}(i.did, k.key, ARRAY[k.key], NULL, k.pds, k.pds = '', clock_timestamp())
  FROM (SELECT i.did FROM identity AS i WHERE i.answered IS NULL OR i.wanted > i.answered
        OR i.did::text IN (SELECT a FROM walk.line WHERE chunk = now AND kind = 'key') ORDER BY i.did) AS i
       JOIN walk.key AS k ON k.did = i.did::text;
END \$\$;
CREATE FUNCTION walk.load(now int) RETURNS void LANGUAGE plpgsql AS \$\$
DECLARE
  r record;
  d record;
BEGIN
  UPDATE account SET load_at = '2000-01-01' WHERE state = 'desynchronized';
  FOR r IN SELECT c.did, c.claim, decode(l.b, 'base64') AS car
           FROM (SELECT * FROM $call->{claim}(100000, false, NULL, NULL, '{}')
                 UNION ALL SELECT * FROM $call->{claim}(100000, true, NULL, NULL, '{}')) AS c
           LEFT JOIN walk.line AS l ON l.chunk = now AND l.kind = 'car' AND l.a = c.did
           WHERE c.claim IS NOT NULL ORDER BY c.did
  LOOP
    IF r.car IS NULL THEN
      PERFORM $call->{release}(r.did, r.claim);
    ELSE
      SELECT * INTO d FROM $call->{load}(r.did, r.claim, r.car);
      INSERT INTO walk.used VALUES (d.outcome, 0, d.changed);
    END IF;
  END LOOP;
END \$\$;
CREATE PROCEDURE walk.go() LANGUAGE plpgsql AS \$\$
DECLARE
  frames bytea[];
  now int;
  begun bigint;
BEGIN
  FOR now IN 0 .. (SELECT max(chunk) FROM walk.line) LOOP
    frames := ARRAY(SELECT decode(l.a, 'base64') FROM walk.line AS l WHERE l.chunk = now AND l.kind = 'frame' ORDER BY l.n);
    begun := walk.processor();
    PERFORM walk.take(frames);
    INSERT INTO walk.used VALUES ('take', walk.processor() - begun, cardinality(frames));
    COMMIT;
    WHILE $call->{notices} > 0 LOOP COMMIT; END LOOP;
    WHILE $call->{settle} > 0 LOOP COMMIT; END LOOP;
    PERFORM walk.know(now);
    COMMIT;
    begun := walk.processor();
    PERFORM walk.load(now);
    INSERT INTO walk.used VALUES ('load', walk.processor() - begun, 0);
    COMMIT;
  END LOOP;
  -- what waits for what the last chunk brought
  PERFORM walk.take('{}');
END \$\$;
SQL
}

# Walks through a file of lines, and returns the name of the database.
sub walk
{
	my ($version, $name, $lines) = @_;
	my $db = new_database($node, $name);
	$node->safe_psql($db, 'CREATE EXTENSION atid_crypto');
	my $copy   = "\\copy walk.line (chunk, kind, a, b, c) FROM '$lines'\n";
	my $script = "BEGIN;\n\\i $script{$version}\nCOMMIT;\n" . walk_sql($calls{$version}) . $copy;
	my $said;
	$node->psql($db, $script, on_error_stop => 1, stderr => \$said) == 0 or die "$name: $said";
	$node->safe_psql($db, 'CREATE INDEX ON walk.line (chunk, kind, n); ANALYZE walk.line');
	$node->safe_psql($db, "SET search_path = indexer, public; SET statement_timeout = 0; CALL walk.go()");
	note("$name: " . $node->safe_psql($db, <<'SQL'));
SELECT format('%s us of CPU time per frame, of %s; %s us per loaded record, of %s',
              round(take / frames / 1000, 1), frames, round(load / greatest(records, 1) / 1000, 1), records)
FROM (SELECT sum(ns) FILTER (WHERE what = 'take') AS take, sum(n) FILTER (WHERE what = 'take') AS frames,
             sum(ns) FILTER (WHERE what = 'load') AS load, sum(n) FILTER (WHERE what = 'loaded') AS records FROM walk.used) AS u
SQL
	return $db;
}

# The columns of a table that are compared: no times, and no numbers computed from times.
sub columns
{
	my ($db, $table) = @_;
	my %columns = map { split /\|/ } split /\n/, $node->safe_psql($db, <<"SQL");
SELECT attname, format_type(atttypid, NULL) FROM pg_attribute
WHERE attrelid = 'indexer.$table'::regclass AND attnum > 0 AND NOT attisdropped
  AND atttypid NOT IN ('timestamptz'::regtype, 'xid8'::regtype, 'interval'::regtype)
SQL
	delete @columns{ qw(seen claim transaction id lag place), grep { /_rate$/ } keys %columns };
	return \%columns;
}

# The rows of a table, sorted; without the counter of waiting bytes, which 1.3.3 does not have.
sub rows
{
	my ($db, $table, @columns) = @_;
	my $row = join ', ', map { $_ eq 'problem' ? "coalesce(replace($_, ' ', '_'), '-')" : "coalesce($_\::text, '-')" } @columns;
	my $rows = $table eq 'tally' ? q{(SELECT * FROM indexer.tally WHERE what <> 'waiting') AS t} : "indexer.$table";
	return $node->safe_psql($db, qq{SELECT x FROM (SELECT concat_ws(' ', $row) AS x FROM $rows) AS r ORDER BY x COLLATE "C"});
}

my $lines = "$folder/lines";
IPC::Run::run([ $oracles->{node}, '--max-old-space-size=8192', "$folder/walk.js", $frames, $accounts, 250, $seed ], '>', $lines)
  or die 'walk.js has failed';
my %db = map { $_ => walk($_, "walk_$_", $lines) } qw(last this);

my %table = (taker => 'shard', map { $_ => $_ } split /\n/, $node->safe_psql($db{last}, <<'SQL'));
SELECT relname FROM pg_class WHERE relnamespace = 'indexer'::regnamespace AND relkind = 'r'
  AND relname NOT IN ('taker', 'program', 'migration', 'settings', 'activity', 'activity_bound')
SQL

# The rows that only one of the databases has, and the number of equal rows.
sub compare
{
	my ($old) = @_;
	my ($had, $has) = (columns($db{last}, $old), columns($db{this}, $table{$old}));
	my @columns = grep { exists $has->{$_} && !($old eq 'bad' && $_ eq 'reason') } sort keys %$had;
	return ('', 0) unless @columns;
	my %more;
	$more{$_}++ foreach split /\n/, rows($db{last}, $old, @columns);
	my $n = keys %more;
	$more{$_}-- foreach split /\n/, rows($db{this}, $table{$old}, @columns);
	my @other = grep { $more{$_} != 0 } sort keys %more;
	splice @other, 10 if @other > 10;
	return ('', $n) unless @other;
	return (join("\n", "columns @columns", map { substr(($more{$_} > 0 ? '1.3.3: ' : 'now: ') . $_, 0, 400) } @other), $n);
}

my $wide = $node->safe_psql($db{this}, <<'SQL');
SELECT concat_ws(' ', (SELECT string_agg(DISTINCT state, ' ' ORDER BY state)
                 FROM indexer.account WHERE state <> 'loading'),
  (SELECT count(*) > 50 FROM indexer.bad), (SELECT sum(gaps) > 10 FROM indexer.account),
  (SELECT count(*) > 2000 FROM indexer.change), (SELECT count(*) > 3 FROM walk.used WHERE what = 'invalid'), (SELECT count(DISTINCT code) FROM indexer.bad))
SQL
AtidTest::Indexer::waiting_is_counted($node, $db{this});
like($wide, qr/^barred desynchronized inactive synchronized(?: unidentified)? t t t t \d+$/, "the tables have all cases: $wide codes");
foreach my $old (sort keys %table)
{
	my ($other, $n) = compare($old);
	is($other, '', "$old: $n rows are equal");
}
$node->safe_psql($db{this}, q{UPDATE indexer.account SET gaps = gaps + 1 WHERE did = (SELECT min(did) FROM indexer.account)});
like((compare('account'))[0], qr/^1\.3\.3: .*\nnow: |^now: .*\n1\.3\.3: /m, 'one row that differs is found');
done_testing();
