# The indexer lives for years: it is upgraded in place, dumped and moved, stays fast, and its operator is obeyed.
#
# Shows that
# - `upgrade` of what 1.3.1 and 1.3.3 made (indexer/t/vectors) keeps rows and what the operator had added, and the tables
#   are those of a new one; the tables of the example of 1.2 are refused;
# - `run` and `upgrade` refuse a schema that is newer, and `run` one that is older, or none, and say what to do;
# - a database with all of it goes through pg_upgrade, and through pg_dump and pg_restore;
# - where another session holds a snapshot, 4,000 accounts are claimed, and identities asked for, at least half as fast
#   as without one (100,000 with script/test --full);
# - what is watched costs nothing: with 60,000 accounts (3 million with --full) neither the view watch nor health()
#   reads the accounts, and both take at most 50 ms; nor does what else "status" asks;
# - an account that was excluded or forgotten does not come back by a commit, a list or an identity; one that was found
#   by a signal, and then named, stays wanted without it;
# - `upgrade` takes no right from anybody;
# - findings of a review, each by the name that the assertion has.
#
# The accounts are those of demo/. Skipped where atid_crypto, node or npm are not there.
#
# Tags: minutes node crypto

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Indexer;
use AtidTest::Oracles;
use AtidTest::States;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

my $root = "$FindBin::Bin/../..";
my $node = new_node('indexer_life');
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my ($oracles, $why) = AtidTest::Oracles->new;
plan skip_all => $why unless defined $oracles;
my ($did, $second) = AtidTest::Indexer::accounts();

sub program
{
	my ($db) = @_;
	my ($indexer, $why) = AtidTest::Indexer->new($node, $db, $oracles);
	plan skip_all => $why unless defined $indexer;
	return $indexer;
}

sub one { my ($db, $sql) = @_; return $node->safe_psql($db, $sql); }

# Rows that have to be the same before and after; and the tables and columns, as sets.
my $rows = q{SELECT count(*), md5(string_agg(concat(uri, cid, encode(block, 'hex')), ' ' ORDER BY uri)) FROM record};
my $parts = q{SELECT md5(string_agg(concat(subject, collection, uri), ' ' ORDER BY uri, subject)) FROM (SELECT DISTINCT subject, collection, uri FROM reference) AS r};
my $shape = q{SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid)
	FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped LEFT JOIN pg_attrdef AS d ON d.adrelid = c.oid AND d.adnum = a.attnum
	WHERE c.relnamespace = 'indexer'::regnamespace AND c.relkind IN ('r', 'v') AND a.attname <> 'mine' ORDER BY 1, 2};
my $indexes = q{SELECT indexdef FROM pg_indexes WHERE schemaname = 'indexer' AND indexname <> 'mine' ORDER BY 1};
my $checks = q{SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'indexer'::regnamespace AND conrelid <> 0 ORDER BY 1, 2};
my $functions = q{SELECT oid::regprocedure::text, md5(prosrc), proconfig FROM pg_proc WHERE pronamespace = 'indexer'::regnamespace AND proname <> 'mine' ORDER BY 1};

#
# A new one.
#
my $db = new_database($node, 'fresh');
my $indexer = program($db);
my ($status, $said) = $indexer->command('init', '--role', 'consumer');
is($status, 0, 'init') or diag($said);
AtidTest::Indexer::demo($node, $db);
my $states = AtidTest::States->new($node, $db);
AtidTest::Indexer::fill($node, $db);
my $truth = one($db, $rows);
my $truth_of_parts = one($db, $parts);
is(one($db, q{SELECT string_agg(state || n, ' ') FROM status_accounts WHERE n > 0}), 'synchronized3', 'three accounts');

#
# The example of 1.2.
#
{
	my $old = new_database($node, 'example');
	one($old, 'CREATE EXTENSION atid_crypto CASCADE; CREATE SCHEMA kept');
	one($old, "CREATE TABLE kept.$_ ()") foreach qw(account identity record reference stream want bad waiting);
	foreach my $command ('init', 'upgrade')
	{
		($status, $said) = program($old)->command($command);
		ok($status == 1 && $said =~ /The schema kept has the tables of the example of 1\.2, .*atid-indexer 1\.3\.3 first\./,
			"$command refuses the tables of the example of 1.2") or diag("$status $said");
	}
	is(one($old, "SELECT to_regnamespace('indexer') IS NULL"), 't', '... and makes nothing');
	one('postgres', 'DROP DATABASE example');
}

#
# Earlier releases.
#
my $n = $ENV{ATID_FULL} ? 100_000 : 3000;
foreach my $version ('1.3.1', '1.3.3')
{
	my $old = new_database($node, 'released');
	one($old, 'CREATE EXTENSION atid_crypto');
	$node->command_ok([ 'psql', '-qX', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr($old), '-f', "$root/indexer/t/vectors/$version.sql" ], "$version: the schema");
	AtidTest::Indexer::demo($node, $old);
	AtidTest::Indexer::fill($node, $old);
	my $reader = "reader of $version";
	one($old, <<"SQL");
INSERT INTO record (uri, did, cid, block) SELECT ('at://did:web:many.example/a.b.c/' || i)::atid.at_uri, 'did:web:many.example', atid.record_cid('{}'), '\\xa0' FROM generate_series(1, $n) AS i;
INSERT INTO labels_refused (label) VALUES ('{"val": "x"}');
INSERT INTO identity (did, ask, problem) VALUES ('did:example:a', 'infinity', 'not implemented');
UPDATE identity SET problem = 'cut short' WHERE did = '$did';
-- what the operator has added
CREATE INDEX mine ON record (atid.at_uri_collection(uri), cid);
CREATE VIEW public.mine_too AS SELECT r.uri, a.rev FROM record AS r JOIN account AS a ON a.did = r.did;
CREATE TABLE public.seen (uri text);
CREATE FUNCTION public.mine() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO public.seen VALUES (NEW.uri); RETURN NULL; END';
CREATE TRIGGER mine AFTER INSERT ON record FOR EACH ROW EXECUTE FUNCTION public.mine();
ALTER TABLE identity ADD mine text DEFAULT 'x';
CREATE ROLE "$reader";
GRANT SELECT ON record TO "$reader";
UPDATE settings SET most_bad = 12345;
SQL
	my $before = one($old, $rows) . one($old, $parts);
	my $upgrade = program($old);
	($status, $said) = $upgrade->command({ ATID_SERVICE_URL => 'http://127.0.0.1:1' }, 'run');
	ok($status != 0 && $said =~ /of version \Q$version\E, .*upgrade/, "$version: run refuses it, and says what to do") or diag("$status $said");
	($status, $said) = $upgrade->command('init');
	isnt($status, 0, "$version: init does not touch it");
	($status, $said) = $upgrade->command('upgrade');
	is($status, 0, "$version: upgrade") or diag($said);
	is(one($old, $rows) . one($old, $parts), $before, "$version: not a record is lost");
	is(one($old, $_->[1]), one($db, $_->[1]), "$version: $_->[0] as in a new one")
	  foreach [ 'tables and views', $shape ], [ 'indexes', $indexes ], [ 'constraints', $checks ], [ 'functions', $functions ];
	is(one($old, 'SELECT most_bad FROM settings'), 12345, "$version: a setting that was changed");
	is(one($old, q{SELECT count(*) FROM pg_indexes WHERE indexname = 'mine'}) . one($old, q{SELECT count(*) FROM pg_trigger WHERE tgname = 'mine'})
		. one($old, 'SELECT count(*) > 0 FROM public.mine_too') . one($old, qq{SELECT has_table_privilege('$reader', 'record', 'SELECT')}) . one($old, 'SELECT min(mine) FROM identity'),
		'11ttx', "$version: what the operator has added stays");
	is(one($old, q{SELECT string_agg(problem, ' ' ORDER BY problem) FROM identity}), 'cut_short unsupported_method', "$version: problems are codes");
	# the next events
	one($old, "SELECT reload('$did'); SELECT fail(c.did, c.claim, 'timeout', NULL, true) FROM claim(9, true, NULL, NULL, '{}') AS c WHERE c.claim > 0");
	is(one($old, "SELECT state, problem FROM account WHERE did = '$did'"), 'desynchronized|timeout', "$version: ... and they work");
	one($old, qq{DELETE FROM record WHERE did = '$did'; TRUNCATE public.seen; SELECT start('relay', 'repos', NULL, 1); SELECT take('relay', 0, 1, ARRAY[demo.sync(11, '$did')]); SELECT settle(99); SELECT reload('$did');
		SELECT (load(c.did, c.claim, demo.car(c.did))).outcome FROM claim(9, true, NULL, NULL, '{}') AS c WHERE c.claim > 0});
	is(one($old, "SELECT cursor FROM taker; SELECT state, count(uri) = (SELECT count(*) FROM public.seen), count(uri) > 0 FROM account AS a JOIN record USING (did) WHERE a.did = '$did' GROUP BY 1"),
		"11\nsynchronized|t|t", "$version: the next events");
	one($old, qq{CREATE ROLE "admin of $version"; GRANT ALL ON ALL TABLES IN SCHEMA indexer TO "admin of $version"});
	($status, $said) = $upgrade->command('upgrade');
	is($status, 0, "$version: once more") or diag($said);
	is(one($old, qq{SELECT has_table_privilege('admin of $version', 'settings', 'UPDATE')}), 't', "$version: no right is taken from anybody");
	one($old, qq{DROP OWNED BY "admin of $version", "$reader"});
	one('postgres', qq{DROP DATABASE released; DROP ROLE "admin of $version", "$reader"});
}

#
# One who may not create a schema, but has been given one.
#
one('postgres', 'CREATE ROLE given LOGIN; CREATE DATABASE given');
{
	local $ENV{PGOPTIONS} = '';
	one('given', 'CREATE EXTENSION atid_crypto CASCADE; CREATE SCHEMA indexer AUTHORIZATION given');
}
($status, $said) = program('given')->command({ PGUSER => 'given' }, 'init');
is($status, 0, 'init needs no right in the database where the extensions and the schema are there') or diag($said);
one('given', 'DROP SCHEMA indexer CASCADE; CREATE SCHEMA indexer AUTHORIZATION given');
($status, $said) = program('given')->command('init');
ok($status == 1 && $said =~ /The schema indexer belongs to given/, "init uses nobody else's schema") or diag("$status $said");
# What somebody has planted does not run with the rights of who runs this.
{
	local $ENV{PGOPTIONS} = '';
	one('given', q{CREATE TABLE public.ran (by text); GRANT ALL ON public.ran TO PUBLIC; GRANT CREATE ON SCHEMA public TO given;
		CREATE SCHEMA planted AUTHORIZATION given; SET ROLE given;
		CREATE FUNCTION planted.run() RETURNS bigint LANGUAGE sql AS 'INSERT INTO public.ran SELECT current_user; SELECT 1::bigint';
		CREATE VIEW indexer.migration AS SELECT planted.run()::int AS n; CREATE VIEW indexer.program AS SELECT 'x' AS version, 'y' AS digest;
		CREATE FUNCTION public.hashtext(varchar) RETURNS int LANGUAGE sql AS 'SELECT planted.run()::int';
		CREATE FUNCTION public.pg_advisory_xact_lock(int) RETURNS void LANGUAGE sql AS 'SELECT planted.run()'});
	one('given', "SET ROLE given; CREATE TABLE planted.$_ ()") foreach qw(account identity record reference stream want bad waiting);
	one('given', "SET ROLE given; CREATE FUNCTION planted.$_() RETURNS bigint LANGUAGE sql RETURN planted.run()") foreach qw(most_bad most_waiting labels_take);
}
foreach my $command (qw(init upgrade))
{
	($status, $said) = program('given')->command($command);
	ok($status == 1 && $said =~ /The schema indexer belongs to given/, "$command reads nobody else's schema") or diag("$status $said");
}
my $car = "$FindBin::Bin/../../demo/repositories/did_plc_4rgzlncjk4ufakb63scmyptw.car";
one('given', 'GRANT SELECT ON ALL TABLES IN SCHEMA indexer TO PUBLIC; SET ROLE given; CREATE VIEW indexer.identity AS SELECT planted.run()::text AS did, NULL AS key, NULL::jsonb AS log');
($status, $said) = program('given')->command({ ATID_PLC_URL => 'http://127.0.0.1:1', ATID_REPO_TIMEOUT => 1 }, 'verify', $car);
like($said, qr/no key of the account is known/, 'verify reads no view that somebody has put there') or diag("$status $said");
one('given', q{SET ROLE given; DROP VIEW indexer.identity; CREATE TYPE planted.log AS ENUM ('[]'); CREATE FUNCTION planted.cast(planted.log) RETURNS text LANGUAGE sql AS 'SELECT planted.run()::text';
	CREATE CAST (planted.log AS text) WITH FUNCTION planted.cast(planted.log); CREATE TABLE indexer.identity AS SELECT i.did::atid.did, NULL::text AS key, '[]'::planted.log AS log
	FROM (VALUES ('did:plc:4rgzlncjk4ufakb63scmyptw')) AS i (did); GRANT SELECT ON indexer.identity TO PUBLIC; GRANT USAGE ON SCHEMA indexer TO PUBLIC});
($status, $said) = program('given')->command({ ATID_PLC_URL => 'http://127.0.0.1:1', ATID_REPO_TIMEOUT => 1 }, 'verify', $car);
like($said, qr/no key of the account is known/, '... nor a table') or diag("$status $said");
# An index with a function of no arguments is computed when a query of the table is planned.
one('given', q{SET ROLE given; ALTER TABLE indexer.identity ALTER log TYPE jsonb USING NULL; CREATE FUNCTION planted.known() RETURNS int LANGUAGE plpgsql IMMUTABLE AS
	'BEGIN IF session_user <> current_user THEN RETURN 1; END IF; PERFORM planted.run(); RETURN 1; END'; CREATE INDEX ON indexer.identity ((planted.known() + 1))});
($status, $said) = program('given')->command({ ATID_PLC_URL => 'http://127.0.0.1:1', ATID_REPO_TIMEOUT => 1 }, 'verify', $car);
like($said, qr/no key of the account is known/, '... nor one with an index') or diag("$status $said");
one('given', 'DROP SCHEMA indexer CASCADE');
($status, $said) = program('given')->command('upgrade');
ok($status == 1 && $said =~ /nothing to upgrade/, "upgrade takes over nobody else's tables") or diag("$status $said");
is(one('given', 'SELECT count(*) FROM public.ran'), 0, '... and nothing that was planted ran');
one('given', 'DROP OWNED BY given CASCADE');
one('postgres', 'DROP DATABASE given; DROP ROLE given');
($status, $said) = $indexer->command({ PGUSER => '', USER => '' }, 'want', 'list');
is($status, 0, "without PGUSER it connects as the system's user") or diag($said);

#
# What run refuses.
#
my %version = (
	'a schema that is newer'                  => [ "UPDATE program SET version = '99.0.0'", qr/newer/ ],
	'a schema with migrations that it has not' => [ "INSERT INTO migration VALUES (999, '99.0.0')", qr/newer/ ],
	'functions of another version'            => [ "UPDATE program SET digest = 'x'", qr/upgrade/ ]);
foreach my $name (sort keys %version)
{
	my $kept = one($db, 'SELECT version || $$ $$ || digest FROM program');
	one($db, $version{$name}[0]);
	($status, $said) = $indexer->command({ ATID_SERVICE_URL => 'http://127.0.0.1:1' }, 'run');
	ok($status != 0 && $said =~ $version{$name}[1] && $said !~ /^\s+at /m, "run refuses $name, and says what to do") or diag("$status $said");
	($status) = $indexer->command('upgrade');
	($version{$name}[1] eq qr/newer/ ? \&isnt : \&is)->($status, 0, "... upgrade: $name");
	my ($v, $d) = split / /, $kept;
	one($db, "UPDATE program SET version = '$v', digest = '$d'; DELETE FROM migration WHERE n = 999");
}

#
# Dumped, and moved to another server.
#
my $file = "$oracles->{folder}/dump";
{
	local $ENV{PGOPTIONS} = '';
	$node->command_ok([ 'pg_dump', '-Fc', '-f', $file, $node->connstr($db) ], 'pg_dump');
	one('postgres', 'CREATE DATABASE restored');
	$node->command_ok([ 'pg_restore', '--exit-on-error', '-d', $node->connstr('restored'), $file ], 'pg_restore');
}
is(one('restored', $rows), $truth, '... has the same records');
is(one('restored', $functions), one($db, $functions), '... and functions');
is(one('restored', "SELECT start('relay', 'repos', NULL, 1)"), 10, '... and goes on');
one('postgres', "DROP DATABASE $_") foreach 'restored';

#
# Claims, while another session holds a snapshot.
#
my $many  = $ENV{ATID_CLAIMS}   // ($ENV{ATID_FULL} ? 100_000   : 4_000);
my $crowd = $ENV{ATID_ACCOUNTS} // ($ENV{ATID_FULL} ? 3_000_000 : 60_000);
one($db, qq{CREATE DATABASE claims TEMPLATE $db});
one('claims', qq{ALTER TABLE account DISABLE TRIGGER USER;
	INSERT INTO identity (did, key, host, pds, answered, ask) SELECT 'did:plc:' || translate(lpad(to_hex(i), 24, '0'), '0189', 'wxyz'), (SELECT min(key) FROM identity), h, h, now(), now() + interval '1 day'
		FROM (SELECT i, 'https://h' || i % 500 || '.example' AS h FROM generate_series(1, $crowd) AS i) AS x;
	INSERT INTO account (did, state, load_at) SELECT did, 'desynchronized', now() - interval '1 h' FROM identity WHERE answered > now() - interval '1 min' AND did::text LIKE 'did:plc:ww%';
	INSERT INTO tally VALUES ('desynchronized', $crowd);
	INSERT INTO identity (did, ask) SELECT 'did:plc:x' || translate(lpad(to_hex(i), 23, '0'), '0189', 'wxyz'), now() - interval '1 h' FROM generate_series(1, 2 * $many) AS i;
	INSERT INTO account (did, state) SELECT did, 'unidentified' FROM identity WHERE did::text LIKE 'did:plc:x%';
	INSERT INTO tally VALUES ('unidentified', 2 * $many);
	VACUUM ANALYZE account, identity});

# Claims or asks for so many, each time behind where it was; they come again later. The seconds of the processor.
my %queue = (
	claims => [ q{SELECT x.at, x.did, x.claim, x.claim IS NOT NULL AS there FROM claim(20, false, at, who, '{}') AS x}, q{PERFORM fail(c.did, c.claim, 'not_found', NULL, false)} ],
	asks   => [ q{SELECT x.at, x.did, x.asked IS NOT NULL AS there FROM ask(20, 'new', false, '{}', at, who) AS x}, q{PERFORM not_identified(c.did, 'not_found', NULL)} ]);
sub used_by
{
	my ($what) = @_;
	my ($next, $answer) = @{ $queue{$what} };
	my $session = AtidTest::Session->new($node, 'claims');
	$session->ok(qq{SET search_path = indexer, public;
DO \$\$
DECLARE
  at timestamptz;
  who text;
  n int := 0;
  c record;
BEGIN
  WHILE n < $many LOOP
    FOR c IN $next LOOP
      at := c.at;
      who := c.did;
      IF c.there THEN
        $answer;
        n := n + 1;
      END IF;
    END LOOP;
    IF n % 1000 = 0 THEN PERFORM tidy(); END IF;
    COMMIT;
  END LOOP;
END \$\$});
	my $used = $session->used;
	$session->quit;
	return $used;
}
my %alone = map { $_ => used_by($_) } sort keys %queue;
my $holder = $node->background_psql('claims');
$holder->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM settings');
foreach my $what (sort keys %queue)
{
	my $held = used_by($what);
	cmp_ok($held, '<', 2 * $alone{$what}, sprintf '%d %s with a snapshot held: %.1f s of the processor, without %.1f s', $many, $what, $held, $alone{$what});
}

#
# What is watched, at many accounts; while the snapshot is held still, and after all these changes.
#
one('claims', 'ANALYZE account, identity');
foreach my $query ('SELECT * FROM watch', "SELECT health('relay')", 'SELECT * FROM status_accounts', 'SELECT * FROM status_stream', 'SELECT * FROM troubles(1000)')
{
	my $plan = one('claims', "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) $query");
	unlike($plan, qr/Seq Scan on (account|identity|record|bad|waiting)\b/, "$query reads no account") or diag($plan);
	my $pages = 0;
	$pages += $_ foreach map { /=(\d+)/g } $plan =~ /Buffers: shared((?: (?:hit|read)=\d+)+)/;
	my ($ms) = $plan =~ /Execution Time: ([\d.]+) ms/;
	cmp_ok($pages, '<', 30_000, "$query at $crowd accounts: $pages pages, in $ms ms");
}
$holder->quit;
one('postgres', 'DROP DATABASE claims');

#
# Who was found by a signal, and then named.
#
one($db, "INSERT INTO want (what, value) VALUES ('signal', 'a.b.c'); INSERT INTO want (what, value, because) VALUES ('account', '$second', 'a.b.c')");
($status, $said) = $indexer->command('want', 'add', 'account', $second);
is($status, 0, 'want add') or diag($said);
one($db, "DELETE FROM want WHERE what = 'signal'");
is(one($db, "SELECT count(*) FROM want WHERE value = '$second'"), 1, 'an account that was named is wanted without its signal');
one($db, "DELETE FROM want WHERE value = '$second'; SELECT settle(99)");

#
# Who is excluded stays away.
#
foreach my $how ('exclude', 'forget')
{
	one($db, qq{INSERT INTO reference SELECT 'at://$second/a.b.c/d', 'a.b.c', 'subject', '2222222222222', 'at://$did/a.b.c/d';
		SELECT $how('$second')});
	my $there = "SELECT (SELECT count(*) FROM account WHERE did = '$second'), (SELECT count(*) FROM record WHERE did = '$second'), (SELECT count(*) FROM identity WHERE did = '$second')";
	is(one($db, $there), '0|0|0', "$how: its records are gone");
	is(one($db, qq{SELECT count(*) FROM reference WHERE subject <@ 'at://$second'}), 0, '... and what points at it') if $how eq 'forget';
	one($db, qq{SELECT take('relay', 0, 1, ARRAY[demo.sync((SELECT max(cursor) + 1 FROM taker), '$second'),
			demo.frame('#account', jsonb_build_object('seq', (SELECT max(cursor) + 2 FROM taker), 'did', '$second', 'active', true, 'time', '2026-01-01T00:00:00Z'))]);
		SELECT settle(99); SELECT settle(99)});
	is(one($db, $there), '0|0|0', '... at the next commit');
	one($db, qq{UPDATE want SET listed = '' WHERE (what, value) = ('account', '*'); SELECT list('*', '', '[{"did": "$second"}, {"did": "$did"}]', NULL, now()); SELECT settle(99)});
	is(one($db, $there), '0|0|0', '... the next list');
	one($db, qq{SELECT identify('$second', log, now()) FROM demo.log WHERE did = '$second'; INSERT INTO want (what, value) VALUES ('account', '$second') ON CONFLICT DO NOTHING; SELECT settle(99); DELETE FROM want WHERE value = '$second'});
	is(one($db, $there), '0|0|0', '... the next identity, and where it is wanted');
	one($db, qq{SELECT include('$second'); SELECT settle(99); SELECT identify('$second', log, now()) FROM demo.log WHERE did = '$second';
		SELECT (load(c.did, c.claim, demo.car(c.did))).outcome FROM claim(9, false, NULL, NULL, '{}') AS c WHERE c.claim > 0});
	is(one($db, "SELECT state FROM account WHERE did = '$second'"), 'synchronized', "... and include() has it come back");
}

#
# Findings of the review, those of the database. (What a host, a directory or a domain can do is in hostile.pl.)
#
sub rolled_back
{
	my (@statements) = @_;
	my $last = pop @statements;
	my ($code, $out, $err) = $node->psql($db, join(";\n", 'BEGIN', @statements) . ";\n\\echo :::\n$last;\nROLLBACK");
	return $code ? $err : $out =~ s/.*^:::\n?//msr;
}
my $new = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa';
my $met = "SELECT meet('$new')";
is(rolled_back($met, "SELECT know('$new', (SELECT min(key) FROM identity), '{}', '[]', 'https://h.example/' || (SELECT string_agg(md5(g::text), '') FROM generate_series(1, 170) AS g), false, now())",
	"SELECT fail(c.did, c.claim, 'server_error', NULL, true) FROM claim(99, false, NULL, NULL, '{}') AS c WHERE c.did = '$new'", "SELECT pds IS NULL, (SELECT failures FROM account AS a WHERE a.did = i.did) FROM identity AS i WHERE did = '$new'"),
	't|1', 'finding 2: a long endpoint is none, and its account fails alone');
is(rolled_back($met, "SELECT fail(c.did, c.claim, E'Repo\\nx', repeat('x', 100000), true) FROM claim(99, false, NULL, NULL, '{}') AS c WHERE c.did = '$new'", 'SELECT 1'), 1, 'finding 1: what is said of a failure cannot make fail() fail');
is(rolled_back("SELECT start('https://pds1.example Repos', 'repos', '{https://pds1.example}', 1)", "UPDATE stream SET started = now() - interval '1 h' WHERE name LIKE 'https://pds1%'", "SELECT start('https://relay.example Repos', 'repos', NULL, 1)", $met,
	"SELECT know('$new', (SELECT min(key) FROM identity), '{}', '[]', 'https://pds2.example', false, now())", "SELECT state FROM account WHERE did = '$new'"), 'desynchronized', 'finding 4: a relay after a PDS in one database');
my @pds1 = ("SELECT start('https://pds1.example Repos', 'repos', '{https://pds1.example}', 1)", "UPDATE stream SET started = now() - interval '1 s' WHERE name NOT LIKE 'https://pds1%'", $met,
	"SELECT know('$new', (SELECT min(key) FROM identity), '{}', '[]', 'https://pds1.example', false, now())");
is(rolled_back(@pds1, q{SELECT would_bar('https://pds2.example Repos', '{https://pds2.example}'), would_bar('https://pds1.example Repos', '{https://pds1.example,https://pds2.example}') IS NULL,
	would_bar('https://relay.example Repos', NULL) IS NULL}), 'https://pds1.example Repos|t|t', '... another PDS in one database');
is(rolled_back(@pds1, q{SELECT would_bar('https://pds1.example Repos', '{https://pds2.example}')}), 'https://pds1.example Repos', '... the same with fewer names');
is(rolled_back(@pds1, 'UPDATE stream SET pds = NULL', q{SELECT would_bar('https://pds1.example Repos', '{https://pds1.example}')}), 'https://pds1.example Repos', '... and a relay that calls itself a PDS');
is(rolled_back(@pds1, q{DELETE FROM account USING identity AS i WHERE i.did = account.did AND i.host <> 'https://pds1.example'},
	q{SELECT would_bar('https://pds2.example Repos', '{https://pds2.example,https://pds1.example}') IS NULL}), 't', '... or the same by another name');
is(rolled_back("SELECT start('http://localhost:1 Repos', 'repos', '{http://localhost:1,http://127.0.0.1:1}', 1)", $met, "SELECT know('$new', (SELECT min(key) FROM identity), '{}', '[]', 'http://127.0.0.1:1', false, now())",
	"SELECT state FROM account WHERE did = '$new'"), 'desynchronized', '... and a PDS with another name');
my @by_name = ('TRUNCATE tally', "SELECT start('http://localhost:1 Repos', 'repos', '{http://localhost:1}', 1), take('http://localhost:1 Repos', 0, 1, '{}', 0)", $met);
like(rolled_back(@by_name, "SELECT know('$new', (SELECT min(key) FROM identity), '{}', '[]', 'http://127.0.0.1:1', false, now())", "SELECT health('http://localhost:1 Repos')"),
	qr/is ATID_SERVICE_URL known by another name/, '... which is said where all accounts seem to have moved, though no frame comes');
is(rolled_back(@by_name, "SELECT health('http://localhost:1 Repos') IS NULL"), 't', '... and not before they are known');
is(rolled_back(@by_name, "INSERT INTO tally VALUES ('loads', 1)", "SELECT know('$new', NULL, NULL, NULL, NULL, true, now())", "SELECT health('http://localhost:1 Repos') IS NULL"), 't', '... and not where the last account has ended');
is(rolled_back("UPDATE identity SET answered = now() - interval '50 min', ask = now() + interval '23 h'", "UPDATE want SET listed = '' WHERE what = 'account'",
	qq{SELECT list('*', '', '[{"did": "$did", "rev": "3jzfcijpj2z2a", "active": true}]', NULL, now())}, "SELECT ask - now() <= spread FROM identity, settings WHERE did = '$did'"), 't', 'finding 8: after a gap the identity is asked for within an hour');
my $page = "(SELECT jsonb_agg(jsonb_build_object('did', 'did:plc:' || translate(lpad(to_hex(i), 24, '0'), '0189', 'wxyz'), 'active', true)) FROM generate_series(1, 100000) AS i)";
is(rolled_back("UPDATE want SET listed = '' WHERE what = 'account'", "SELECT list('*', '', $page, NULL, now())", 'SELECT count(*) <= 1003 FROM account'), 't', 'finding 9: a page has at most 1,000 accounts');
my $lister = $node->background_psql($db);
$lister->query_safe("BEGIN; UPDATE want SET listed = '' WHERE what = 'account'; SELECT list('*', '', '[{\"did\": \"$new\"}]', NULL, now())");
is(one($db, "SET lock_timeout = '5 s'; SELECT taken FROM take('relay', 0, 1, ARRAY[demo.frame('#identity', jsonb_build_object('seq', (SELECT max(cursor) + 1 FROM taker), 'did', '$new', 'time', '2026-01-01T00:00:00Z'))])"), 1, '... and take() does not wait for it');
$lister->query_safe('ROLLBACK');
$lister->quit;
is(rolled_back("SELECT take('relay', 0, 1, ARRAY[demo.frame('#identity', '{\"seq\": 90000000000, \"did\": \"$new\", \"time\": \"2026-01-01T00:00:00Z\"}')])", "SELECT max(cursor) < 1000, (SELECT count(*) FROM bad WHERE reason LIKE '%far ahead%') FROM taker"),
	't|1', 'finding 12: a number far ahead in a frame that nobody has signed does not move the cursor');
is(rolled_back('CREATE FUNCTION trap() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM no_column FROM account; RETURN NEW; END$$', 'CREATE TRIGGER trap BEFORE UPDATE ON account FOR EACH ROW EXECUTE FUNCTION trap()',
	"SELECT take('relay', 0, 1, ARRAY[demo.frame('#account', '{\"seq\": 500, \"did\": \"$did\", \"active\": false, \"time\": \"2026-01-01T00:00:00Z\"}'), demo.frame('#identity', '{\"seq\": 501, \"did\": \"$did\", \"time\": \"2026-01-01T00:00:00Z\"}')])",
	"SELECT max(cursor), (SELECT count(*) FROM bad WHERE reason LIKE '%no_column%') FROM taker"), '501|1', 'finding 13: an error of class 42 in a trigger keeps one frame aside');
is(rolled_back("SELECT count(meet(('did:plc:' || translate(lpad(to_hex(i), 24, '0'), '0189', 'wxyz'))::atid.did)) FROM generate_series(1, 300) AS i", "UPDATE identity SET met = now() - interval '4 days' WHERE answered IS NULL", 'SELECT tidy()',
	'SELECT count(*) FROM account'), 3, 'finding 15: invented accounts end');
is(rolled_back('UPDATE settings SET most_labels_refused = 100000', q{INSERT INTO labels_refused (label, received) SELECT jsonb_build_object('val', repeat(md5(i::text), 10)), now() - i * interval '1 s' FROM generate_series(1, 2000) AS i}, 'SELECT tidy()',
	'SELECT count(*) < 1500 FROM labels_refused'), 't', '... and labels that are refused have a bound');
is(rolled_back("SELECT take('relay', 0, 1, ARRAY[demo.frame('#account', '{\"seq\": 500, \"did\": {\"uri\": \"at://did:web:v.example/a.b.c/d\"}, \"active\": true, \"time\": \"2026-01-01T00:00:00Z\"}')])", 'SELECT settle(99)',
	"SELECT count(*) FROM account WHERE did = 'did:web:v.example'"), 0, 'a DID in a map adds no account');
# unlike the others this one is about functions in the manner of SQL's standard, which pg_upgrade makes before operators
is(one($db, q{SELECT count(*) FROM pg_proc WHERE pronamespace = 'indexer'::regnamespace AND prosqlbody IS NOT NULL AND pg_get_functiondef(oid) ~* 'distinct|order by|group by'}), 0, 'finding 3: no function has a parsed body that sorts');

#
# pg_upgrade.
#
$states->finish;
my $logged = one($db, $rows);
$node->stop;
my $next = new_node('indexer_next', stopped => 1);
{
	local $ENV{PGOPTIONS} = '';
	pg_upgrade($node, $next);
}
$next->start;
is($next->safe_psql($db, $rows), $logged, 'after pg_upgrade the records are the same');
is($next->safe_psql($db, "SELECT start('relay', 'repos', NULL, 1) > 0; SELECT state FROM account WHERE did = '$did'; SELECT reload('$did'); SELECT (load(c.did, c.claim, demo.car(c.did))).outcome FROM claim(9, true, NULL, NULL, '{}') AS c WHERE c.claim > 0"),
	"t\nsynchronized\n\nloaded", '... and it goes on');
$next->stop;
done_testing();
