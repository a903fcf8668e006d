# AtidTest::Indexer: the program of indexer/, as a user has it, for its tests.
#
#   set_up NAME, OPTIONS...       a server, as by new_node, its database, the oracles and the program, if all are
#                                 available; otherwise the file is skipped; a function, not a method
#   new NODE, DATABASE, FOLDER    the program in a folder of its own, with its packages; or undef, and the reason
#   build_api                     builds the API; or returns why it is not available here
#   command WORDS...              runs it, and returns its status and all its output
#   call WORDS...                 likewise, by a process that stays: for one command after another
#   start SETTINGS...             `run`, in the background, until stop or the end of the test; or the command with
#                                 the words `words`; `collect` for a test of its memory
#   stop HANDLE, SIGNAL           ends one, and returns its status
#   runs HANDLE                   is it still running?
#   ended HANDLE, SECONDS         waits until one has ended by itself, and returns its status; undef if it has not
#   ask QUERY                     the result from the database, by a session that lasts
#   wait_for WHAT, QUERY, SECONDS, wait_for_log HANDLE, LINE
#   patience                      how much longer things may take here and now
#   memory PID                    the most memory that a process has had, in MB
#   install NODE, DATABASE        the schema, by psql and the file install.sql; a function, not a method
#   demo NODE, DATABASE           the schema demo, for tests of the SQL alone; likewise
#   make_commits NODE, DATABASE, ORACLES, ACCOUNTS, COMMITS    the schema demo with commits of accounts; likewise
#   waiting_is_counted NODE, DATABASE    tests that the counter of waiting bytes is their sum; likewise
#   last_of NODE, DATABASE, STATEMENT...    the result of the last one, in a transaction that is rolled back; likewise
#
# The tests' own SQL finds the tables of the schema by PGOPTIONS. The program gets no search_path: it has to find the
# schema by itself.

package AtidTest::Indexer;

use strict;
use warnings FATAL => 'all';

use AtidTest;
use AtidTest::Oracles;
use Encode;
use Fcntl qw(:flock);
use IPC::Run;
use JSON::PP;
use PostgreSQL::Test::Utils;
use Test::More ();
use Time::HiRes qw(sleep time);

our $root = $AtidTest::root;
my @running;

# A test that dies leaves none of them running.
END
{
	local $?;
	$_->kill_kill(grace => 0) foreach grep { $_->pumpable } @running;
}

sub set_up
{
	my ($name, %options) = @_;
	my $node = new_node($name, lasting => 1, %options);
	Test::More::plan(skip_all => 'atid_crypto is not installed') unless has_extension($node, 'atid_crypto');
	my ($oracles, $why) = AtidTest::Oracles->new;
	Test::More::plan(skip_all => $why) unless defined $oracles;
	my $db = new_database($node, 'indexer');
	(my $indexer, $why) = AtidTest::Indexer->new($node, $db, $oracles);
	Test::More::plan(skip_all => $why) unless defined $indexer;
	return ($node, $db, $oracles, $indexer);
}

sub new
{
	my ($class, $node, $db, $oracles) = @_;
	my ($program, $why) = AtidTest::Oracles::node22();
	return (undef, $why) unless defined $program;
	my $self = bless { node => $node, db => $db, program => $program, folder => $oracles->{folder} }, $class;
	# with the extension's examples that are in the package
	system('cp', '-R', "$root/indexer", "$root/examples", $self->{folder}) == 0 or die 'could not copy indexer/' unless -d "$self->{folder}/indexer";
	$ENV{PGOPTIONS} = '-c search_path=indexer,public';
	return ($self, undef);
}

# As npm does when it packs, with the developer's packages. The first test builds it, and others take a copy.
sub build_api
{
	my ($self) = @_;
	my ($modules, $why) = AtidTest::Oracles::packages('indexer', "$root/indexer");
	return $why unless defined $modules;
	my $folder = "$self->{folder}/indexer";
	-e "$folder/node_modules" || symlink $modules, "$folder/node_modules" or die "could not make a link: $!";
	my $built = "$PostgreSQL::Test::Utils::tmp_check/api";
	open my $lock, '>', "$built.lock" or die "could not open $built.lock: $!";
	flock $lock, LOCK_EX or die "could not lock $built.lock: $!";
	if (!-d $built)
	{
		my $said = '';
		IPC::Run::run([ $self->{program}, "$folder/bundle.js" ], '<', \undef, '>&', \$said)
		  or die "the API was not built: $said";
		rename "$folder/dist", $built or die "could not move the API: $!";
	}
	system('rm', '-rf', "$folder/dist") == 0 && system('cp', '-R', $built, "$folder/dist") == 0 or die 'could not copy the API';
	return;
}

sub environment
{
	my ($self, %more) = @_;
	my %all = (%ENV, PGHOST => $self->{node}->host, PGPORT => $self->{node}->port, PGUSER => scalar getpwuid($>), PGDATABASE => $self->{db}, %more);
	delete $all{PGOPTIONS};
	return %all;
}

sub bin { return ($_[0]->{program}, "$_[0]->{folder}/indexer/bin/atid-indexer.js"); }

sub command
{
	my ($self, @words) = @_;
	my $settings = ref $words[0] ? shift @words : {};
	my $said     = '';
	local %ENV = $self->environment(%$settings);
	my $run = IPC::Run::start([ $self->bin, @words ], '<', \undef, '>&', \$said, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	$run->finish;
	return ($run->full_result(0) >> 8, $said);
}

sub call
{
	my ($self, @words) = @_;
	my $settings = ref $words[0] ? shift @words : {};
	my $calls    = $self->{calls} //= { in => '', out => '' };
	if (!defined $calls->{run})
	{
		my @program = ($self->{program}, "$root/indexer/t/calls.mjs", "$self->{folder}/indexer/src/cli/main.js");
		$calls->{timeout} = IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default);
		push @running, $calls->{run} = IPC::Run::start(\@program, '<', \$calls->{in}, '>', \$calls->{out}, $calls->{timeout});
	}
	$calls->{timeout}->start($PostgreSQL::Test::Utils::timeout_default);
	$calls->{in} .= encode_json({ words => [ map { decode_utf8($_) } @words ], env => { map { decode_utf8($_) } $self->environment(%$settings) } }) . "\n";
	$calls->{run}->pump until $calls->{out} =~ s/^(.*)\n//;
	my $answer = decode_json($1);
	return ($answer->{status}, encode_utf8($answer->{said}));
}

# With collect => 1, Node collects its garbage often, so that its memory reflects what it holds: five times a second, if
# a megabyte has come since the last time.
my $often = <<'JS' =~ s/\n\s*/ /gr;
let held = 0;
const used = () => { const { heapUsed, external } = process.memoryUsage(); return heapUsed + external; };
setInterval(() => { if (used() > held + 1e6) { gc(); held = used(); } }, 200).unref();
JS

sub start
{
	my ($self, %settings) = @_;
	my $words = delete $settings{words} // ['run'];
	my @collects = delete $settings{collect}
	  ? ('--expose-gc', '--import', "data:text/javascript,$often") : ();
	my $log = "$self->{folder}/indexer" . @running . '.log';
	local %ENV = $self->environment(ATID_PROGRESS_INTERVAL => '1s', %settings);
	my ($node, $bin) = $self->bin;
	push @running, IPC::Run::start([ $node, @collects, $bin, @$words ], '<', \undef, '>', $log, '2>&1');
	return { log => $log, run => $running[-1], pid => $running[-1]->{KIDS}[0]{PID} };
}

sub stop
{
	my ($self, $handle, $signal) = @_;
	$handle->{run}->signal($signal // 'TERM');
	eval { $handle->{run}->finish };
	return $handle->{run}->full_result(0);
}

# (It is always "pumpable" as long as its input was not closed, which pump_nb does.)
sub runs
{
	my ($self, $handle) = @_;
	eval { $handle->{run}->pump_nb };
	return $handle->{run}->pumpable;
}

sub ended
{
	my ($self, $handle, $seconds) = @_;
	my $until = time + ($seconds // $PostgreSQL::Test::Utils::timeout_default);
	while ($self->runs($handle))
	{
		return if time > $until;
		sleep 0.05;
	}
	eval { $handle->{run}->finish };
	return $handle->{run}->full_result(0);
}

# How much longer than on a quiet machine something may take: where other programs compute, everything waits for them.
sub patience
{
	my ($load)  = (eval { slurp_file('/proc/loadavg') } // '') =~ /^([\d.]+)/;
	my $cores   = () = (eval { slurp_file('/proc/cpuinfo') } // '') =~ /^processor/mg;
	my $crowded = defined $load && $cores ? $load / $cores : 1;
	return AtidTest::slowness() * ($crowded > 1 ? $crowded : 1);
}

# The time until a condition is checked again: the longer the wait, the less often.
sub pause
{
	my $pause = (time - $_[0]) / 10;
	return $pause < 0.05 ? 0.05 : $pause > 0.4 ? 0.4 : $pause;
}

# Waits until its log has a line.
sub wait_for_log
{
	my ($self, $handle, $line) = @_;
	my $began = time;
	my $until = $began + $PostgreSQL::Test::Utils::timeout_default;
	sleep pause($began) until slurp_file($handle->{log}) =~ $line || time > $until;
	return slurp_file($handle->{log}) =~ $line;
}

# The most memory that a process has had, in MB.
sub memory
{
	my ($pid) = @_;
	my ($kb) = (eval { slurp_file("/proc/$pid/status") } // '') =~ /^VmHWM:\s+(\d+)/m;
	return defined $kb ? $kb / 1024 : 0;
}

# A psql for each query would cost more than the query.
sub ask
{
	my ($self, $query) = @_;
	$self->{session} //= AtidTest::Session->new($self->{node}, $self->{db});
	return $self->{session}->ok($query);
}

# Waits until a query is true; returns whether it was in time.
sub wait_for
{
	my ($self, $what, $query, $seconds) = @_;
	my $began = time;
	my $until = $began + ($seconds // $PostgreSQL::Test::Utils::timeout_default);
	while (time < $until)
	{
		return 1 if $self->ask($query) eq 't';
		sleep pause($began);
	}
	Test::More::diag("waited in vain: $what");
	return 0;
}

# The result of the last of some statements, in a transaction that is rolled back; or the error of any of them.
sub last_of
{
	my ($node, $db, @statements) = @_;
	my $last = pop @statements;
	my ($code, $result, $said) = $node->psql($db, join(";\n", 'BEGIN', @statements) . ";\n\\echo :::\n$last;\nROLLBACK");
	return $code == 0 ? $result =~ s/.*^:::\n?//msr : $said;
}

# As an operator does who has only psql.
sub install
{
	my ($node, $db) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	$node->safe_psql($db, 'CREATE EXTENSION IF NOT EXISTS atid_crypto CASCADE');
	return $node->command_ok(
		[
			'psql', '-qX', '-v', 'ON_ERROR_STOP=1', '--single-transaction',
			'-d', $node->connstr($db), '-f', "$root/indexer/sql/install.sql"
		],
		'the file install.sql');
}

# The basis for tests of the SQL: a schema with logs, repositories and frames of the accounts of demo/.
sub demo
{
	my ($node, $db) = @_;
	$node->safe_psql($db, <<"SQL");
CREATE SCHEMA demo;
CREATE TABLE demo.log AS
SELECT (l->>'did')::atid.did AS did, jsonb_agg(jsonb_build_object('did', l->>'did', 'operation', l->'operation', 'cid', l->>'cid',
       'nullified', l->'nullified', 'createdAt', l->>'createdAt') ORDER BY (l->>'seq')::int) AS log
FROM regexp_split_to_table(trim(convert_from(pg_read_binary_file('$root/demo/plc.jsonl'), 'UTF8'), E'\\n'), E'\\n') AS x,
     LATERAL (SELECT x::jsonb AS l) AS j GROUP BY 1;
CREATE FUNCTION demo.car(did text) RETURNS bytea LANGUAGE sql
RETURN pg_read_binary_file('$root/demo/repositories/' || replace(did, ':', '_') || '.car');
CREATE FUNCTION demo.frame(t text, body jsonb) RETURNS bytea LANGUAGE sql
RETURN atid.record_to_dag_cbor(jsonb_build_object('op', 1, 't', t)) || atid.record_to_dag_cbor(body);
CREATE FUNCTION demo.sync(seq bigint, did text) RETURNS bytea LANGUAGE sql
RETURN demo.frame('#sync', jsonb_build_object('seq', seq, 'did', did, 'rev', (atid.repo_commit(demo.car(did))).rev,
  'time', '2026-01-01T00:00:00Z', 'blocks', jsonb_build_object('\$bytes', rtrim(translate(encode(demo.car(did), 'base64'), E'\\n', ''), '='))));
SQL
	return;
}

sub waiting_is_counted
{
	my ($node, $db) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	return is_none($node, $db, q{SELECT t.n, w.n FROM (SELECT coalesce(sum(n), 0) FROM indexer.tally WHERE what = 'waiting') AS t (n)
		CROSS JOIN (SELECT coalesce(sum(octet_length(frame)), 0) FROM indexer.waiting) AS w (n) WHERE t.n <> w.n}, 'the counter of waiting bytes is their sum');
}

# A schema with accounts of did:web:nI.example and their commits, by indexer/t/oracles/numbers.js: demo.of(I).
sub make_commits
{
	my ($node, $db, $oracles, $accounts, $commits) = @_;
	my $lines = "$oracles->{folder}/lines";
	IPC::Run::run([ $oracles->{node}, "$oracles->{folder}/numbers.js", $accounts, $commits ], '>', $lines)
	  or die 'numbers.js has failed';
	$node->safe_psql($db, <<"SQL");
CREATE SCHEMA demo;
CREATE TABLE demo.line AS
SELECT l::jsonb AS line FROM regexp_split_to_table(rtrim(pg_read_file('$lines'), E'\\n'), E'\\n') AS l;
CREATE FUNCTION demo.of(i int) RETURNS jsonb LANGUAGE sql STABLE
RETURN (SELECT line FROM demo.line WHERE line->>'did' = format('did:web:n%s.example', i));
SQL
	return;
}

# Three accounts of demo/, whose SQL demo() has made.
sub accounts { return qw(did:plc:ejgtitwhvdkyn6p2rjeksof2 did:plc:hy3rgwryyzanhx4aewuhq6yu did:plc:4rgzlncjk4ufakb63scmyptw); }
my $listed = '[' . join(', ', map { qq({"did": "$_"}) } accounts()) . ']';
my $dids   = join ', ', map { "'$_'" } accounts();

# Loads them, by the functions of the product.
sub fill
{
	my ($node, $db, $version) = @_;
	my $sql = <<"SQL";
SELECT start_stream('relay', 'repos', NULL, 1);
UPDATE shard SET cursor = 10;
SELECT store_listing_page('*', '', '$listed', NULL, now());
SELECT store_plc_log(did::text, l.log, now()) FROM demo.log AS l WHERE did IN ($dids);
SELECT (store_repository(c.did, c.claim, demo.car(c.did))).outcome FROM claim_loads(9, false, NULL, NULL, '{}') AS c WHERE c.claim > 0;
SQL
	# the names of 1.3
	$sql =~ s{start_stream}{start}, $sql =~ s{store_listing_page}{list}, $sql =~ s{store_plc_log}{identify},
	  $sql =~ s{store_repository}{load}, $sql =~ s{claim_loads}{claim}, $sql =~ s{\bshard\b}{taker}
	  if $version;
	$node->safe_psql($db, $sql);
	return;
}

1;
