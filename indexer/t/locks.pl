# Sessions of the indexer take their locks in the order of indexer/README.md, so that none has a
# deadlock.
#
# The accounts are those of demo/. In each part a first session is held up while it has some of its
# locks, by a trigger that waits or by a lock of the test, and a second one goes as far as it can.
# Shows that
# - parts of a batch, accounts whose frames found no room, and accounts that expire are locked in
#   the order of the accounts, so that sessions that lock several do not meet halfway; likewise the
#   sources of labels;
# - nobody who has locked an account waits for its waiting frames, which the stream takes before the
#   account;
# - a program that starts does not have the row of the stream while it waits for the last batch of a
#   killed one, and that batch is not processed without a lock afterwards;
# - nobody is among the writers while it waits for a shard, an account, or those who lock several
#   accounts;
# - an identity is locked before its account, also where a live account becomes a mirror;
# - the account of a candidate is excluded while the answer about it is stored;
# - the tables of a day are not dropped in the way of a query that reads them in another order.
#
# Each part is rolled back. Skipped where atid_crypto is not available.
#
# Tags: quick crypto

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Indexer;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $node = new_node('locks', ready => 1, lasting => 1, conf => 'deadlock_timeout = 20ms');
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my $db = new_database($node, 'indexer');
AtidTest::Indexer::install($node, $db);
$ENV{PGOPTIONS} = '-c search_path=indexer,public';
AtidTest::Indexer::demo($node, $db);
AtidTest::Indexer::fill($node, $db);

# The accounts in their order. No session can deactivate the first one. A session with the setting
# demo.pauses waits after it has changed the last account ('account'), has taken a waiting frame
# ('frame'), or the row of one for which there was no room ('missed').
my ($first, $last) = (sort(AtidTest::Indexer::accounts()))[ 0, -1 ];
$node->safe_psql($db, <<"SQL");
UPDATE stream SET look = NULL;
SELECT reconcile_wants(99);
CREATE FUNCTION demo.pause() RETURNS trigger LANGUAGE plpgsql AS \$\$
BEGIN
  IF current_setting('demo.pauses', true) = TG_ARGV[0] THEN
    PERFORM pg_advisory_xact_lock_shared(1);
  END IF;
  RETURN NULL;
END \$\$;
CREATE TRIGGER pause AFTER UPDATE ON account FOR EACH ROW
WHEN (NEW.did = '$last') EXECUTE FUNCTION demo.pause('account');
CREATE TRIGGER frame AFTER DELETE ON waiting FOR EACH ROW
WHEN (OLD.frame IS NOT NULL) EXECUTE FUNCTION demo.pause('frame');
CREATE TRIGGER missed AFTER DELETE ON waiting FOR EACH ROW
WHEN (OLD.frame IS NULL) EXECUTE FUNCTION demo.pause('missed');
CREATE FUNCTION demo.refuse() RETURNS trigger LANGUAGE plpgsql AS \$\$BEGIN RAISE 'no'; END\$\$;
CREATE TRIGGER refuse BEFORE UPDATE ON account FOR EACH ROW
WHEN (NEW.did = '$first' AND NEW.state = 'inactive') EXECUTE FUNCTION demo.refuse();
CREATE FUNCTION demo.account_frame(seq int, did text, active bool) RETURNS bytea LANGUAGE sql
RETURN demo.frame('#account', jsonb_build_object('seq', seq, 'did', did, 'active', active,
                                                 'time', '2026-01-01T00:00:00Z'));
CREATE FUNCTION demo.error_frame() RETURNS bytea LANGUAGE sql
RETURN atid.record_to_dag_cbor('{"op": -1}')
       || atid.record_to_dag_cbor('{"error": "ConsumerTooSlow"}');
CREATE FUNCTION demo.wait(who atid.did, frame bytea) RETURNS void LANGUAGE sql AS \$\$
  INSERT INTO waiting (stream, slot, seq, did, frame, added)
  SELECT 'relay', shard_slot(who), 5, who, frame, now() - interval '9 days';
  SELECT release_waiting(who)
\$\$;
CREATE TABLE demo.identity AS TABLE identity;
SQL
is($node->safe_psql($db, "SELECT count(*), min(state) FROM account"),
	'3|synchronized', 'the accounts are here');

my ($holder, $one, $other) = map { AtidTest::Session->new($node, $db) } 1 .. 3;

# Statements that lock a row of an account, or ask whether nobody has locked it; and SQL for frames
# of the stream and their batch.
sub lock_row { return "SELECT FROM $_[0] WHERE did = '$_[1]' FOR UPDATE"; }
sub is_free { return "SELECT count(*) FROM (" . lock_row(@_) . ' SKIP LOCKED) AS x'; }
sub account_frame { return sprintf q{demo.account_frame(%d, '%s', %s)}, @_; }
sub process
{
	return q{SELECT process_frames('relay', 0, 1, ARRAY[} . join(', ', @_) . ']::bytea[])';
}
my $frame = account_frame(11, $last, 'true');

# Waits until a session waits for another, or has ended; returns whether it waits.
sub is_blocked
{
	my ($session, $by) = @_;
	my $query = "SELECT @{[$by->pid]} = ANY (pg_blocking_pids(@{[$session->pid]}))";
	for (my $until = time + $PostgreSQL::Test::Utils::timeout_default; time < $until; sleep 0.02)
	{
		return 1 if $node->safe_psql($db, $query) eq 't';
		return 0 if $session->answered;
	}
	die 'a session neither waits nor ends';
}

# The first session pauses where `at` says; the second one begins and, if it must wait, waits for
# longer than deadlock_timeout; then the first one goes on. Before: statements that are committed
# first, and undone by `after`.
sub meets
{
	my ($what, $statement, $others, %opt) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	$node->safe_psql($db, $opt{before}) if $opt{before};
	$holder->ok('SELECT pg_advisory_lock(1)');
	$one->send("BEGIN; SET LOCAL demo.pauses = '$opt{at}'; $statement; ROLLBACK");
	ok(is_blocked($one, $holder), "$what: the first session is held up");
	$other->send("BEGIN; $others; ROLLBACK");
	is(is_blocked($other, $one), $opt{waits} // 0,
		'... the second one ' . ($opt{waits} ? 'waits for it' : 'does not wait for it'));
	sleep 0.05;
	$holder->ok('SELECT pg_advisory_unlock(1)');
	my @results = map { [ $_->result ] } $one, $other;
	is(join(' ', map { $_->[1] } @results), '00000 00000', '... and neither has an error')
	  or diag(map { $_->[2] } @results);
	$node->safe_psql($db, $opt{after}) if $opt{after};
	return;
}

# While the holder has a lock, a session waits for it; meanwhile a query has this result.
sub holds_nothing
{
	my ($what, $lock, $statement, $query, $expected, %opt) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	$node->safe_psql($db, $opt{before}) if $opt{before};
	$holder->ok("BEGIN; $lock");
	$other->send("BEGIN; $statement; ROLLBACK");
	ok(is_blocked($other, $holder), "$what: the session waits");
	is($node->safe_psql($db, $query), $expected, '... and holds up nobody');
	$holder->ok('ROLLBACK');
	is(($other->result)[1], '00000', '... and ends without an error');
	$node->safe_psql($db, $opt{after}) if $opt{after};
	return;
}

#
# Several accounts, in their order.
#
my $lock_all = "SELECT FROM account WHERE did IN ('$first', '$last') ORDER BY did FOR UPDATE";
meets('a batch is divided', process($frame, account_frame(12, $first, 'false')), $lock_all,
	at => 'account', waits => 1);
meets('frames that found no room',
	"SELECT demo.wait('$last', NULL); " . process(account_frame(12, $first, 'true')), $lock_all,
	at => 'account', waits => 1);
holds_nothing('accounts expire', lock_row('account', $first), 'SELECT expire_unknown_accounts()',
	is_free('account', $last), 1,
	before => "UPDATE identity SET answered = NULL, problem = 'not_found',
		met = now() - CASE did WHEN '$last' THEN interval '99 days' ELSE interval '98 days' END",
	after => 'UPDATE identity AS i SET answered = o.answered, problem = o.problem, met = o.met
		FROM demo.identity AS o WHERE o.did = i.did');
holds_nothing('sources of labels', lock_row('identity', $first),
	qq{SELECT add_label_sources('[{"src": "$last"}, {"src": "$first"}]')},
	is_free('identity', $last), 1,
	before => "INSERT INTO labeler VALUES ('$first')", after => 'DELETE FROM labeler');

#
# Waiting frames.
#
my %kept = (
	at     => 'frame',
	before => "SELECT demo.wait('$last', $frame)",
	after  => q{DELETE FROM waiting; DELETE FROM ready_account;
		UPDATE tally SET n = 0 WHERE what = 'waiting'});
my $wait = lock_row('account', $last)
  . "; SELECT add_waiting('relay', '{9}', '{$last}', ARRAY[$frame])";
meets('an account is deleted', process(), "SELECT delete_account('$last')", %kept);
meets('an account is forgotten', process(), "SELECT forget_account('$last')", %kept);
meets('another frame has to wait', process(), "UPDATE settings SET most_waiting = 1; $wait", %kept);
meets('there is no room for it', lock_row('account', $first) . "; SELECT delete_waiting('$first')",
	'UPDATE settings SET most_waiting_all = 1; ' . process(account_frame(12, $first, 'true')),
	at     => 'missed',
	before => "UPDATE account SET state = 'loading' WHERE did = '$first';
		SELECT demo.wait('$first', NULL)",
	after  => "UPDATE account SET state = 'synchronized' WHERE did = '$first'; $kept{after}");
meets('frames expire', process(), lock_row('account', $last) . '; SELECT expire_waiting()', %kept);

#
# A program starts while the last batch of a killed one is processed.
#
my $start = q{SELECT start_stream('relay', 'repos', NULL, 1)};
meets('a program starts', process($frame, 'demo.error_frame()'), $start,
	at => 'account', waits => 1);
$holder->ok('SELECT pg_advisory_lock(1)');
$other->ok("BEGIN; $start");
$one->send("BEGIN; SET LOCAL demo.pauses = 'account'; " . process($frame) . '; ROLLBACK');
ok(is_blocked($one, $other), 'a last batch waits for the program that starts');
$other->ok('COMMIT');
ok(is_blocked($one, $holder), '... goes on');
is($node->safe_psql($db, 'SELECT count(*) FROM (SELECT FROM shard FOR UPDATE SKIP LOCKED) AS x'),
	0, '... and has locked the new row of the shard');
$holder->ok('SELECT pg_advisory_unlock(1)');
is(($one->result)[1], '00000', '... until its end');

#
# The lock of writers, which forget_account() waits for.
#
my $writes = "SELECT count(*) FROM pg_locks
	WHERE relation = 'lock_of_writers'::regclass AND pid = " . $other->pid;
holds_nothing('a frame that is too large', 'SELECT FROM shard FOR UPDATE',
	"SELECT quarantine_oversized_frame('relay', '\\x00', 6000000)", $writes, 0);
holds_nothing('an identity is answered', lock_row('account', $last),
	"SELECT apply_identity(i.did, i.key, ARRAY[i.key], i.handle, i.pds, false, now())
	 FROM identity AS i WHERE i.did = '$last'", $writes, 0);
holds_nothing('a reader is added', 'SELECT lock_batch_work()', q{SELECT read_from_now('app')},
	$writes, 0);

#
# Identities and their accounts; candidates and wants.
#
holds_nothing('a live account becomes a mirror', lock_row('identity', $last),
	'SELECT reconcile_wants(99)', is_free('account', $last), 1,
	before => "UPDATE account SET state = 'live' WHERE did = '$last';
		SELECT add_unsettled('{$last}')",
	after => "UPDATE account SET state = 'synchronized' WHERE did = '$last'; DELETE FROM unsettled");
sub become { return "SELECT set_account_state(a, '$_[0]') FROM account AS a WHERE did = '$last'"; }
$node->safe_psql($db, become('unidentified') . "; SELECT add_unsettled('{$last}');
	UPDATE identity SET ask = 'infinity' WHERE did = '$last'");
$holder->ok('BEGIN; ' . become('live'));
$other->send('SELECT reconcile_wants(99)');
ok(is_blocked($other, $holder), 'an account is to become a mirror, and has just become live');
$holder->ok('COMMIT');
is(($other->result)[1], '00000', '... which is not seen in time');
my $mirror = "SELECT state, ask <= now() FROM account JOIN identity USING (did)
	WHERE did = '$last'";
is($node->safe_psql($db, "$mirror; SELECT reconcile_wants(99) > 0; $mirror"),
	"live|f\nt\ndesynchronized|t", '... so it becomes one afterwards, and its identity is requested');
holds_nothing('a candidate is excluded', lock_row('candidate', $last),
	"SELECT exclude_account('$last')",
	"SELECT count(*) FROM (SELECT FROM want WHERE value = '$last' FOR UPDATE SKIP LOCKED) AS w", 1,
	before => "INSERT INTO want VALUES ('account', '$last');
		INSERT INTO candidate (did) VALUES ('$last')",
	after => "DELETE FROM want WHERE value = '$last'; DELETE FROM candidate; DELETE FROM unsettled");

#
# The tables of a day, of which those of today become those of a day long ago.
#
my ($reference, $record) = split /\|/, $node->safe_psql($db, <<'SQL') =~ s/^\n+//r;
INSERT INTO want (what, value) VALUES ('live', '*');
SELECT make_days();
UPDATE day SET day = day - 100;
CREATE TABLE demo.d AS SELECT min(day) AS d FROM day;
SELECT format('ALTER TABLE %s RENAME TO %I', day_table(n, d + 100),
              split_part(day_table(n, d), '.', 2))
FROM demo.d, unnest('{reference,record}'::text[]) AS n \gexec
SELECT day_table('reference', d), day_table('record', d) FROM demo.d
SQL
my $read = 'SELECT FROM %s; SELECT pg_advisory_xact_lock_shared(1); SELECT FROM %s';
meets('an old day is dropped', sprintf($read, @$_), 'SELECT drop_old_day()', at => '', waits => 1)
  foreach [ $record, $reference ], [ $reference, $record ];

$_->quit foreach $holder, $one, $other;
$node->stop;
no_deadlocks($node);
done_testing();
