# Order and uniqueness among real sessions.
#
# Shows that within one database
# - no TID and no version 7 UUID is handed out twice, from any session, at any speed, including while
#   the stream runs ahead of the clock;
# - a session's identifiers rise in the order in which it draws them;
# - a session that has seen another's identifier, through a committed row or a lock, draws a greater
#   one;
# - sessions that meet at the first use share one state;
# - parallel workers draw from the same stream, a (sub)transaction that rolls back returns no
#   identifiers, and a read-only transaction can draw.
#
# Tags: long differs

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('concurrency');
my $db   = new_database($node, 'atid_stream');

sub draw_together
{
	my ($what, $sessions, $count) = @_;
	my $piece = $count / 20;
	my $script =
	  "COPY (SELECT atid.tid_generate(), atid.uuid_generate_v7() FROM generate_series(1, $piece)) TO STDOUT;\n"
	  x 20;
	my @files = run_together($node, $db, ($script) x $sessions);
	my (@tids, @orders, @random);

	foreach my $file (@files)
	{
		my ($tids, $uuids) = read_stream($file, 2);
		push @tids, $tids;
		push @orders, [ map { v7_order($_) } @$uuids ];
		push @random, [ map { substr $_, 19 } @$uuids[ 0 .. 9_999 ] ];
	}

	is_deeply([ map { scalar @$_ } @tids ],
		[ ($count) x $sessions ], "$what: each session drew $count of both");
	is_deeply([ map { falls($_) } @tids ],
		[ (0) x $sessions ], "$what: each session's TIDs rise strictly");
	is_deeply([ map { falls($_) } @orders ],
		[ (0) x $sessions ], "$what: each session's UUIDs rise strictly in time and fraction");
	is(duplicates(@tids), 0, "$what: no TID twice");
	is(duplicates(@orders), 0, "$what: no time and fraction of a UUID twice");
	is(duplicates(@random), 0, "$what: no random part of a UUID twice");

	# Without this the sessions might have drawn one after the other, and proved nothing.
	my @by_first = sort { $a->[0] cmp $b->[0] } @tids;
	my $alone    = 0;
	my $last     = $by_first[0][-1];
	foreach my $list (@by_first[ 1 .. $#by_first ])
	{
		$alone++ if $list->[0] gt $last;
		$last = $list->[-1] if $list->[-1] gt $last;
	}
	is($alone, 0, "$what: each session drew while others did");
	return;
}

#
# Eight sessions at full speed, first in step with the clock, then running ahead of it.
#
draw_together('eight sessions', 8, 40_000);

my $session = AtidTest::Session->new($node, $db);
SKIP:
{
	skip 'this machine is too slow to run ahead of the clock', 8
	  unless run_ahead($session, 'tid', 3);
	draw_together('ahead of the clock', 8, 20_000);
	skip 'the clock caught up with the stream meanwhile', 1 if ahead_of($session, 'tid') <= 0;
	pass('ahead of the clock: the stream was still ahead at the end');
}

#
# A client draws above each identifier that it has seen of another: 8 clients, thousands of rounds
# each way. The functions raise an exception where an identifier does not exceed the one seen. Now
# and then a client draws a burst first: the identifier that it passes on is then ahead of the clock,
# and a session that relied on the clock, or on its own draws, would fall below it.
#
my $ten = join ', ', ('atid.tid_generate(), atid.uuid_generate_v7()') x 10;
$node->safe_psql($db, <<"SQL");
CREATE FUNCTION draw(OUT t atid.tid, OUT u uuid) LANGUAGE plpgsql AS \$\$
BEGIN
	IF random() < 0.05 THEN
		PERFORM num_nonnulls($ten) FROM generate_series(1, 2000);
	END IF;
	t := atid.tid_generate();
	u := atid.uuid_generate_v7();
END \$\$;
SQL
$node->safe_psql($db, <<'SQL');
CREATE TABLE baton (t atid.tid NOT NULL, u uuid NOT NULL, round int NOT NULL);
INSERT INTO baton VALUES (atid.tid_generate(), atid.uuid_generate_v7(), 0);
CREATE TABLE trail (way text NOT NULL, round bigint NOT NULL, pid int NOT NULL,
	t atid.tid NOT NULL, u uuid NOT NULL, PRIMARY KEY (way, round));
CREATE SEQUENCE hand_over;
CREATE TABLE seen (t atid.tid PRIMARY KEY, u uuid NOT NULL UNIQUE);
INSERT INTO seen VALUES (atid.tid_generate(), atid.uuid_generate_v7());

-- Through a committed row that the next one locks.
CREATE FUNCTION pass_baton() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	b baton;
	my_t atid.tid;
	my_u uuid;
BEGIN
	SELECT * INTO STRICT b FROM baton FOR UPDATE;
	SELECT * INTO my_t, my_u FROM draw();
	IF my_t > b.t AND my_u > b.u THEN
		UPDATE baton SET t = my_t, u = my_u, round = round + 1;
		INSERT INTO trail VALUES ('row', b.round + 1, pg_backend_pid(), my_t, my_u);
	ELSE
		RAISE EXCEPTION '(%, %) drawn after (%, %)', my_t, my_u, b.t, b.u;
	END IF;
END $$;

-- Through a lock alone: whoever holds it takes the next number and draws.
CREATE FUNCTION pass_lock() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_advisory_lock(1);
	INSERT INTO trail SELECT 'lock', nextval('hand_over'), pg_backend_pid(), t, u FROM draw();
	PERFORM pg_advisory_unlock(1);
END $$;

-- Through whatever rows a snapshot shows, with nothing locked.
CREATE FUNCTION look_and_draw() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	seen_t atid.tid := (SELECT max(t) FROM seen);
	seen_u uuid := (SELECT u FROM seen ORDER BY u DESC LIMIT 1);
	my_t atid.tid;
	my_u uuid;
BEGIN
	SELECT * INTO my_t, my_u FROM draw();
	IF my_t > seen_t AND my_u > seen_u THEN
		INSERT INTO seen VALUES (my_t, my_u);
	ELSE
		RAISE EXCEPTION '(%, %) drawn after (%, %)', my_t, my_u, seen_t, seen_u;
	END IF;
END $$;
SQL

my %way = (
	pass_baton    => 'through a committed row',
	pass_lock     => 'through a lock handed over',
	look_and_draw => 'through any row in a snapshot');

foreach my $function (sort keys %way)
{
	$node->pgbench(
		'--no-vacuum --client=8 --jobs=2 --transactions=500',
		0,
		[qr{processed: 4000/4000}],
		[qr{^$}],
		"seen $way{$function}: 4000 rounds between 8 sessions, none below",
		{ $function => "SELECT $function();\n" },
		$db);
}

foreach my $way (qw(row lock))
{
	my $rows = $node->safe_psql($db,
		"COPY (SELECT pid, t, u FROM trail WHERE way = '$way' ORDER BY round) TO STDOUT"
	);
	my (@tids, @uuids);
	my ($turns, $before) = (0, 0);
	foreach my $row (split /\n/, $rows)
	{
		my ($pid, $t, $u) = split /\t/, $row;
		$turns++ if $pid != $before;
		$before = $pid;
		push @tids,  $t;
		push @uuids, v7_order($u);
	}
	is(scalar @tids, 4000, "$way: every round is in the trail");
	is(falls(\@tids), 0, "$way: the TIDs rise along the trail, by their text");
	is(falls(\@uuids), 0, "$way: the UUIDs rise along the trail, by their text");
	cmp_ok($turns, '>', 400, "$way: the sessions took turns");
}

#
# Sessions that meet at a database's first use make one state, not two.
#
foreach my $round (1 .. 4)
{
	my $fresh = new_database($node, "atid_fresh$round");

	# A new connection's first draw, eight at a time.
	my @lists =
	  map { (read_stream($_, 2))[0] }
	  run_together($node, $fresh,
		('COPY (SELECT atid.tid_generate(), atid.uuid_generate_v7() FROM generate_series(1, 100)) TO STDOUT;'
		) x 8);
	my %clock_ids =
	  map { $_ => 1 }
	  split /\n/,
	  $node->safe_psql($fresh,
		'SELECT atid.tid_clock_id(t) FROM (VALUES '
		  . join(', ', map { "('$_->[0]'::atid.tid)" } @lists)
		  . ') v (t)');
	is(duplicates(@lists), 0, "first use by eight at once, round $round: no TID twice");
	is(scalar keys %clock_ids, 1, "first use by eight at once, round $round: one clock id");
}

#
# Parallel workers.
#
my $debug_parallel =
  $node->safe_psql($db,
	"SELECT name FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query')"
  );
$session->ok(<<'SQL');
CREATE TABLE many AS SELECT g FROM generate_series(1, 200000) g;
ANALYZE many;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 4;
SQL
my $plan = $session->ok(
	'EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF) SELECT atid.tid_generate(), atid.uuid_generate_v7() FROM many'
);
like(
	$plan,
	qr/^Gather .*Workers Launched: [1-9].*->\s+Parallel Seq Scan[^\n]*\n\s+Output: atid\.tid_generate\(\), atid\.uuid_generate_v7\(\)/s,
	'parallel workers draw');
$session->ok(
	'CREATE TABLE drawn AS SELECT atid.tid_generate() AS t, atid.uuid_generate_v7() AS u FROM many'
);
is( $session->ok(
		q{SELECT count(*), count(DISTINCT t::text), count(DISTINCT left(u::text, 18)) FROM drawn}
	),
	'200000|200000|200000',
	'parallel workers: nothing twice');
is( $session->ok(
		"SELECT bool_and(t > (SELECT max(t) FROM drawn)) FROM (SELECT atid.tid_generate() AS t) d"
	),
	't',
	'parallel workers: the leader goes on above them');
$session->ok('RESET ALL');
$session->ok("SET $debug_parallel = on");
is( $session->ok('SELECT atid.tid_generate() > max(t) FROM drawn'),
	't', "$debug_parallel: a draw in a worker");
$session->ok('RESET ALL');

#
# Subtransactions and transactions that roll back. A client, or a variable, keeps the identifiers
# that they drew.
#
my $kept = $session->ok(<<'SQL');
DO $$
DECLARE
	t text[] := '{}';
	u text[] := '{}';
BEGIN
	FOR i IN 1 .. 1000 LOOP
		BEGIN
			t := t || atid.tid_generate()::text;
			u := u || atid.uuid_generate_v7()::text;
			IF i % 2 = 0 THEN
				RAISE EXCEPTION 'back';
			END IF;
		EXCEPTION WHEN raise_exception THEN
			NULL;
		END;
	END LOOP;
	PERFORM set_config('kept.t', array_to_string(t, ' '), false);
	PERFORM set_config('kept.u', array_to_string(u, ' '), false);
END $$;
SELECT current_setting('kept.t'), current_setting('kept.u');
SQL
my ($kept_tids, $kept_uuids) = map { [ split / / ] } split /\|/, $kept;
is(scalar @$kept_tids, 1000, 'subtransactions: all were drawn');
is(falls($kept_tids), 0, 'subtransactions: rolled back or not, the TIDs rise');
is(falls([ map { v7_order($_) } @$kept_uuids ]),
	0, 'subtransactions: rolled back or not, the UUIDs rise');

my (@tids, @orders);
foreach my $round (1 .. 200)
{
	my $begin = $round % 2 ? 'BEGIN' : 'BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY';
	my $end   = $round % 3 ? 'ROLLBACK' : 'COMMIT';
	my ($t, $u) = split /\|/,
	  $session->ok("$begin; SELECT atid.tid_generate(), atid.uuid_generate_v7(); $end");
	push @tids,   $t;
	push @orders, v7_order($u);
}
is(scalar @tids, 200, 'read-only and rolled back transactions: all were drawn');
is(falls(\@tids), 0, 'read-only and rolled back transactions: the TIDs rise');
is(falls(\@orders), 0, 'read-only and rolled back transactions: the UUIDs rise');

$session->quit;
$node->stop;
done_testing();
