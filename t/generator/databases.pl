# Databases, roles, and creating and dropping the extension.
#
# Shows that
# - each database has a stream of its own, which a burst or a wait in another database does not change;
# - many databases work, with shared_preload_libraries and without, and one made from a template;
# - the extension can be dropped and created again under live sessions;
# - a database's owner can create it without being a superuser, and a plain role without grants can use
#   all of it, with the default search_path and with an empty one;
# - it works alongside uuid-ossp in public.
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

use constant DATABASES => 30;

my $node = new_node('databases');
$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN; CREATE ROLE plain LOGIN');

#
# One database's burst does not change another's stream.
#
{
	new_database($node, $_) foreach qw(busy idle);
	my $busy  = AtidTest::Session->new($node, 'busy');
	my $idle  = AtidTest::Session->new($node, 'idle');
	my $state = 'SELECT last_tid, last_v7, extract(epoch FROM ahead), since FROM atid.generator_state()';

	$_->ok('SELECT atid.tid_generate(), atid.uuid_generate_v7()') foreach $busy, $idle;
	my ($idle_tid, $idle_v7, undef, $idle_since) = split /\|/, $idle->ok($state);

  SKIP:
	{
		skip 'this machine is too slow to run ahead of the clock', 10
		  unless run_ahead($busy, 'v7', 1) && run_ahead($busy, 'tid', 4);
		my @busy = split /\|/, $busy->ok($state);
		my @idle = split /\|/, $idle->ok($state);
		cmp_ok($busy[2], '>', 2, 'the busy database is ahead of the clock');
		is($idle[0], $idle_tid, "the idle one's TIDs have not moved");
		is($idle[1], $idle_v7, "the idle one's UUIDs have not moved");
		is($idle[2] + 0, 0, 'the idle one is not ahead');
		isnt($busy[3], $idle[3], 'each has a life of its own');
		cmp_ok(abs(ahead_of($idle, 'tid')), '<', 1, "the idle one's next TID is with the clock");
		cmp_ok(abs(ahead_of($idle, 'v7')), '<', 1, "the idle one's next UUID is with the clock");

		# And one's wait is not another's.
		$busy->ok('SET atid.max_drift = 1');
		$busy->ok("SET statement_timeout = '500ms'");
		$idle->ok('SET atid.max_drift = 1');
		$busy->send('SELECT atid.tid_generate()');
		is($idle->ok('SELECT count(atid.tid_generate()) FROM generate_series(1, 1000)'),
			'1000', 'the idle one draws while the busy one waits');
		cmp_ok($idle->took, '<', 1, 'at once');
		is(($busy->result)[1], '57014', 'the busy one did wait');
	}
	$_->quit foreach $busy, $idle;
}

#
# Many databases, all from a template that has the extension.
#
$node->safe_psql('postgres', "CREATE DATABASE mould");
$node->safe_psql('mould',
	'CREATE EXTENSION atid; CREATE TABLE t (id atid.tid PRIMARY KEY DEFAULT atid.tid_generate()); INSERT INTO t VALUES (DEFAULT)'
);
$node->safe_psql('postgres',
	join ";\n", map { "CREATE DATABASE many$_ TEMPLATE mould" } 1 .. DATABASES);

sub draw_in_many
{
	my ($what) = @_;
	my (%ids, $bad);
	foreach my $n (1 .. DATABASES)
	{
		my $row = $node->safe_psql("many$n", <<'SQL');
INSERT INTO t SELECT atid.tid_generate() FROM generate_series(1, 100);
SELECT count(DISTINCT u) FROM (SELECT atid.uuid_generate_v7() AS u FROM generate_series(1, 100)) d;
SELECT clock_id, abs(extract(epoch FROM last_v7 - now())) < 60 FROM atid.generator_state();
SQL
		$bad .= " many$n: $row" unless $row =~ /^100\n(\d+)\|t$/;
		$ids{$1} = 1 if defined $1;
	}
	is($bad, undef, "$what: all " . DATABASES . ' databases draw');
	# 30 draws out of 1024: fewer than 20 different ones never happen.
	cmp_ok(scalar keys %ids, '>=', 20, "$what: with states, and random clock ids, of their own");
	return;
}

is($node->safe_psql('postgres', 'SHOW shared_preload_libraries'),
	'', 'nothing is preloaded');
draw_in_many('without preload');
is($node->safe_psql('mould', 'SELECT count(*) FROM t'), '1', 'the template is as it was');

$node->append_conf('postgresql.conf', "shared_preload_libraries = 'atid'");
$node->restart;
is($node->safe_psql('postgres', 'SHOW shared_preload_libraries'),
	'atid', 'the library is preloaded');
draw_in_many('with preload');
is( $node->safe_psql('many1', 'SELECT count(*), count(DISTINCT id) FROM t'),
	'201|201', 'the rows of both are there');
is($node->safe_psql('many1', 'SHOW atid.max_drift'),
	'1min', 'preloaded: the settings are there from the start');
$node->adjust_conf('postgresql.conf', 'shared_preload_libraries', "''");
$node->restart;

# A dropped database's successor of the same name is another database.
$node->safe_psql('postgres', 'DROP DATABASE many1');
$node->safe_psql('postgres', 'CREATE DATABASE many1 TEMPLATE mould');
is($node->safe_psql('many1', 'INSERT INTO t VALUES (DEFAULT); SELECT count(*) FROM t'),
	'2', 'dropped and made again: it draws');

#
# DROP and CREATE EXTENSION under live sessions.
#
{
	my $db = new_database($node, 'again');
	my @sessions = map { AtidTest::Session->new($node, $db) } 1 .. 2;
	my (@tids, @orders);

	foreach my $session (@sessions)
	{
		$session->ok(<<'SQL');
PREPARE draw AS SELECT atid.tid_generate()::text, atid.uuid_generate_v7();
CREATE OR REPLACE FUNCTION draw() RETURNS text LANGUAGE plpgsql AS
	'BEGIN RETURN atid.tid_generate() || ''|'' || atid.uuid_generate_v7(); END'
SQL
	}
	foreach my $round (0 .. 2)
	{
		$sessions[ $round % 2 ]->ok('DROP EXTENSION atid; CREATE EXTENSION atid') if $round;
		foreach my $session (@sessions)
		{
			foreach my $sql ('EXECUTE draw', 'SELECT draw()')
			{
				my ($t, $u) = split /\|/, $session->ok($sql);
				push @tids,   $t;
				push @orders, v7_order($u);
			}
		}
	}
	is(scalar @tids, 12, 'dropped and created again: live sessions draw');
	is(falls(\@tids), 0, 'dropped and created again: the TIDs rise on');
	is(falls(\@orders), 0, 'dropped and created again: the UUIDs rise on');

	$sessions[0]->ok('CREATE TABLE kept (id atid.tid)');
	my (undef, $state) = $sessions[1]->try('DROP EXTENSION atid');
	is($state, '2BP01', 'a column of its type keeps the extension');
	$sessions[1]->ok('DROP EXTENSION atid CASCADE');
	is( $sessions[1]->ok(
			"SELECT count(*) FROM pg_operator o JOIN pg_proc p ON p.oid = o.oprcode WHERE p.probin LIKE '%atid%'"
		),
		'0',
		'DROP EXTENSION leaves no operator in pg_catalog');
	$_->quit foreach @sessions;
}

#
# A trusted extension: the owner of a database creates it, anyone uses it.
#
$node->safe_psql('postgres', 'CREATE DATABASE owned OWNER owner');
$node->safe_psql('postgres', 'CREATE DATABASE nobodys');
{
	my $owner = AtidTest::Session->new($node, 'owned', user => 'owner');
	$owner->ok('CREATE EXTENSION atid');
	is($owner->ok("SELECT extowner::regrole FROM pg_extension WHERE extname = 'atid'"),
		'owner', 'a database owner without superuser creates the extension');
	$owner->ok('CREATE SCHEMA desk AUTHORIZATION owner; GRANT ALL ON SCHEMA desk TO plain');
	$owner->quit;

	my $outsider = AtidTest::Session->new($node, 'nobodys', user => 'plain');
	my (undef, $state) = $outsider->try('CREATE EXTENSION atid');
	is($state, '42501', "a role that may not create in a database does not create it there");
	$outsider->quit;
}

my $plain = AtidTest::Session->new($node, 'owned', user => 'plain');

# Each expression is true. They run as written, and again in a function with an empty search_path.
my @true = (
	# generate
	q{atid.tid_generate() < atid.tid_generate()},
	q{atid.uuid_generate_v7() < atid.uuid_generate_v7()},
	q{atid.uuid_generate_v7(interval '-1 hour') < atid.uuid_generate_v7()},
	q{length(atid.rkey_generate()) = 13},
	# make and decompose
	q{atid.tid_clock_id(atid.tid_make(now(), 5)) = 5},
	q{atid.tid_timestamp(atid.tid_make(now(), 5)) = now()},
	q{atid.tid_floor(now()) < atid.tid_ceil(now())},
	q{atid.tid_generate() BETWEEN atid.tid_floor(now() - interval '1 h') AND atid.tid_ceil(now() + interval '1 h')},
	# validate
	q{atid.tid_is_valid('3jzfcijpj2z2a')},
	q{NOT atid.tid_is_valid('3jzfcijpj2z21')},
	q{atid.rkey_is_valid('self') AND NOT atid.rkey_is_valid('a:b')},
	q{atid.record_key_is_valid('a:b') AND NOT atid.record_key_is_valid('..')},
	q{atid.rkey_conforms('self', 'literal:self') AND NOT atid.rkey_conforms('self', 'tid')},
	q{atid.record_key_conforms('a:b', 'any') AND NOT atid.record_key_conforms('a:b', 'nsid')},
	# cast
	q{'3jzfcijpj2z2a'::atid.tid::bigint::atid.tid = '3jzfcijpj2z2a'},
	q{'3jzfcijpj2z2a'::text::atid.tid = '3jzfcijpj2z2a'::atid.tid},
	q{('3jzfcijpj2z2a'::atid.tid)::text = '3jzfcijpj2z2a'},
	q{('3jzfcijpj2z2a'::atid.tid)::text::atid.rkey = '3jzfcijpj2z2a'::atid.rkey},
	# compare
	q{'2222222222222'::atid.tid = '2222222222222'},
	q{'2222222222222'::atid.tid <> 'j222222222222'},
	q{'2222222222222'::atid.tid < 'j222222222222' AND '2222222222222'::atid.tid <= 'jzzzzzzzzzzzz'},
	q{'j222222222222'::atid.tid > '2222222222222' AND 'j222222222222'::atid.tid >= '7777777777777'},
	q{'3jzfcijpj2z2a'::atid.tid IN ('2222222222222', '3jzfcijpj2z2a')},
	q{'3jzfcijpj2z2a'::atid.tid = ANY (ARRAY['2222222222222', '3jzfcijpj2z2a']::atid.tid[])},
	# sort, group, aggregate
	q{(SELECT min(t) = '2222222222222' AND max(t) = 'j222222222222' FROM (VALUES ('j222222222222'::atid.tid), ('2222222222222')) v (t))},
	q{(SELECT array_agg(t ORDER BY t DESC)::text = '{j222222222222,2222222222222}' FROM (VALUES ('2222222222222'::atid.tid), ('j222222222222')) v (t))},
	q{(SELECT count(DISTINCT t) = 2 FROM (VALUES ('2222222222222'::atid.tid), ('j222222222222'), ('2222222222222')) v (t))},
	q{(SELECT count(*) = 2 FROM (VALUES ('2222222222222'::atid.tid), ('j222222222222')) a (t) JOIN (VALUES ('2222222222222'::atid.tid), ('j222222222222')) b (t) USING (t))},
	q{(SELECT count(*) = 2 FROM (SELECT t FROM (VALUES ('2222222222222'::atid.tid), ('j222222222222'), ('2222222222222')) v (t) GROUP BY t) g)},
	q{('2222222222222'::atid.tid, 1) < ('j222222222222'::atid.tid, 0)});

is($plain->ok('SHOW search_path'), '"$user", public', 'the default search_path');
foreach my $expression (@true)
{
	my ($out, $state, $err) = $plain->try("SELECT $expression");
	is("$state $out$err", '00000 t', "plain role: $expression");
}
$plain->ok(<<'SQL');
CREATE FUNCTION desk.check_empty(expression text) RETURNS boolean LANGUAGE plpgsql
	SET search_path = '' AS $$
DECLARE
	answer boolean;
BEGIN
	EXECUTE 'SELECT ' || expression INTO STRICT answer;
	RETURN answer;
END $$;
SQL
foreach my $expression (@true)
{
	my ($out, $state, $err) =
	  $plain->try('SELECT desk.check_empty(' . literal($expression) . ')');
	is("$state $out$err", '00000 t', "empty search_path: $expression");
}

# A table of its own, with all functions that generate and validate.
$plain->ok(<<'SQL');
CREATE TABLE desk.record (
	id atid.tid PRIMARY KEY DEFAULT atid.tid_generate(),
	own atid.rkey NOT NULL DEFAULT atid.tid_generate(),
	other atid.record_key NOT NULL DEFAULT atid.rkey_generate(),
	note text DEFAULT atid.tid_generate() CHECK (atid.record_key_is_valid(note)),
	made timestamptz GENERATED ALWAYS AS (atid.tid_timestamp(id)) STORED,
	u uuid DEFAULT atid.uuid_generate_v7());
INSERT INTO desk.record DEFAULT VALUES;
INSERT INTO desk.record (own, other, note) VALUES ('self', 'a:b', 'c:d');
CREATE INDEX ON desk.record USING brin (id);
CREATE INDEX ON desk.record USING hash (id);
CREATE FUNCTION desk.latest(n atid.tid) RETURNS SETOF desk.record LANGUAGE sql STABLE
	SET search_path = '' AS 'SELECT * FROM desk.record WHERE id >= n ORDER BY id DESC';
SQL
is( $plain->ok(
		q{SELECT count(*), count(*) FILTER (WHERE own = 'self') FROM desk.latest('2222222222222')}),
	'2|1',
	'plain role: a table with defaults, checks and indexes');
foreach my $bad (
	[ '22P02', q{INSERT INTO desk.record (id) VALUES ('3jzfcijpj2z21')} ],
	[ '23514', q{INSERT INTO desk.record (own) VALUES ('a:b')} ],
	[ '23514', q{INSERT INTO desk.record (other) VALUES ('..')} ],
	[ '23514', q{INSERT INTO desk.record (note) VALUES ('a/b')} ])
{
	is(($plain->try($bad->[1]))[1], $bad->[0], "plain role, refused: $bad->[1]");
}
$plain->quit;

#
# Alongside uuid-ossp, whose functions have the same names.
#
SKIP:
{
	skip 'uuid-ossp is not available', 4
	  unless $node->safe_psql('owned',
		"SELECT count(*) FROM pg_available_extensions WHERE name = 'uuid-ossp'");
	foreach my $order ([ 'uuid-ossp', 'atid' ], [ 'atid', 'uuid-ossp' ])
	{
		my $db = 'beside_' . ($order->[0] eq 'atid' ? 1 : 2);
		$node->safe_psql('postgres', "CREATE DATABASE $db");
		$node->safe_psql($db,
			qq{CREATE EXTENSION "$order->[0]"; CREATE EXTENSION "$order->[1]"});
		is( $node->safe_psql($db,
				q{SELECT substr(uuid_generate_v4()::text, 15, 1), substr(atid.uuid_generate_v7()::text, 15, 1)}
			),
			'4|7',
			"@$order: each is found where it is");
		$node->safe_psql($db, qq{DROP EXTENSION "$order->[0]"});
		is( $node->safe_psql(
				$db,
				$order->[1] eq 'atid'
				? 'SELECT atid.uuid_generate_v7() IS NOT NULL'
				: 'SELECT uuid_generate_v4() IS NOT NULL'),
			't',
			"@$order: and stays when the other goes");
	}
}

$node->stop;
done_testing();
