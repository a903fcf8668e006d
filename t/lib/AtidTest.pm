# AtidTest: shared by the TAP tests of atid.
#
#   seeded                        the seed of all random values; ATID_SEED repeats one
#   new_node NAME, OPTION...      a server of our own, started
#   new_database NODE, NAME       a database with the extension in it; by CREATE EXTENSION, or with `ready`, an option of
#                                 new_node, as a copy of one that script/test has made
#   has_extension NODE, NAME      can another one be created there?
#   comes_back NODE, DATABASE     waits for a server that has crashed; returns whether it is up again
#   pg_upgrade NODE, NODE         upgrades the databases of one server into a new one
#   AtidTest::Session             a live session that can be given statements, or left to work
#   cancelled SESSION, OTHER, WHAT, SQL, SECONDS, [AFTER]
#                                 tests that a cancel by the other session, AFTER seconds from its beginning (0.1), ends
#                                 a statement within SECONDS
#   swift SECONDS, MOST, WHAT     tests that something took no more processor time than that
#   is_none NODE, DATABASE, QUERY, WHAT
#                                 tests that a query has no rows, and shows five of them if it has
#   no_deadlocks NODE             tests that the log of a server has no deadlock, and shows each that it has
#   file_of FOLDER, NAME, BYTES   an SQL expression that reads these bytes from a file on the server
#   sql_files LIST                the files of indexer/sql that a file there names, as install.sql, in their order
#   sql_text FILE                 the statements of such a file, with those of the files that it names
#   dump_text NODE, DATABASE, OPTION...
#                                 what pg_dump prints; tests that there is no message
#   run_together                  sessions that all begin at the same moment, their output in files
#   tid_us, uuid_tick, ...        identifiers taken apart here, without any code of the extension
#   $AtidTest::root               the folder of the project
#   $AtidTest::work_limit         the most seconds for a program that works by itself, as a build, an oracle, a
#                                 browser; timeout_default is for an answer
#
# PostgreSQL::Test::BackgroundPsql would serve as a session, but 15's first releases do not have it, and it can neither
# report an SQLSTATE nor be left alone with a running statement.

package AtidTest;

use strict;
use warnings FATAL => 'all';

use AtidTest::Lasting;
use Cwd qw(abs_path);
use Exporter 'import';
use File::Basename qw(dirname);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

our @EXPORT = qw(
  seeded
  whole
  new_node
  new_database
  has_extension
  comes_back
  pg_upgrade
  cancelled
  swift
  literal
  is_none
  no_deadlocks
  file_of
  sql_files
  sql_text
  dump_text
  run_together
  read_stream
  falls
  duplicates
  tid_us
  uuid_tick
  uuid_us
  v7_order
  order_tick
  ahead_of
  burst
  run_ahead
);

# The folder of the project.
our $root = abs_path(dirname(__FILE__) . '/../..');

# It ends what hangs; what only shares two processors with six other tests must not come near it.
our $work_limit = 10 * $PostgreSQL::Test::Utils::timeout_default;

my $seed;

sub seeded
{
	$seed = $ENV{ATID_SEED} // int(rand(1_000_000_000));
	srand($seed);
	note("seed: $seed");
	return $seed;
}

# Whoever reads about a failure must be able to repeat it.
END
{
	diag("to repeat it: ATID_SEED=$seed") if defined $seed && ($? || !Test::More->builder->is_passing);
}

# Starts a server. Options: conf => text for postgresql.conf; init => [more for the node's init];
# stopped => true to leave the start to the caller; lasting => true where it is asked often (AtidTest::Lasting).
# Its cluster is a copy of $INITDB_TEMPLATE, if that is set; with ready => true, of the one that has a database "ready",
# too. From PostgreSQL 17 on the node's init does that itself, if nothing is to be passed to initdb.
sub new_node
{
	my ($name, %opt) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	bless $node, 'AtidTest::Lasting' if $opt{lasting};

	$node->{atid_ready} = $opt{ready} && defined $ENV{INITDB_TEMPLATE} && -d "$ENV{INITDB_TEMPLATE}.ready";
	local $ENV{INITDB_TEMPLATE} = "$ENV{INITDB_TEMPLATE}.ready" if $node->{atid_ready};
	if (defined $ENV{INITDB_TEMPLATE})
	{
		no warnings 'redefine';
		my $run = \&PostgreSQL::Test::Utils::system_or_bail;
		local *PostgreSQL::Test::Utils::system_or_bail = sub {
			$run->($_[0] eq 'initdb' ? ('cp', '-RPp', $ENV{INITDB_TEMPLATE}, $node->data_dir) : @_);
		};
		$node->init(@{ $opt{init} || [] });
	}
	else
	{
		$node->init(extra => [ '--locale=C', '--encoding=UTF8' ], @{ $opt{init} || [] });
	}
	$node->append_conf('postgresql.conf', <<'CONF');
max_connections = 50
shared_buffers = 64MB
log_statement = none
jit = off
autovacuum = off
CONF
	$node->append_conf('postgresql.conf', $opt{conf}) if defined $opt{conf};
	$node->start unless $opt{stopped};
	return $node;
}

sub new_database
{
	my ($node, $name) = @_;
	if ($node->{atid_ready})
	{
		$node->safe_psql('postgres', "CREATE DATABASE $name TEMPLATE ready");
		return $name;
	}
	$node->safe_psql('postgres', "CREATE DATABASE $name");
	$node->safe_psql($name, 'CREATE EXTENSION atid');
	return $name;
}

sub has_extension
{
	my ($node, $name) = @_;
	return $node->safe_psql('postgres',
		"SELECT count(*) FROM pg_available_extensions WHERE name = '$name'");
}

# Not with poll_query_until: if psql cannot connect, it may have ended before it is given its query.
sub comes_back
{
	my ($node, $db) = @_;
	my $until = time + $PostgreSQL::Test::Utils::timeout_default;
	my @ask   = ('psql', '-Xqc', 'SELECT true', '-d', $node->connstr($db));
	my ($out, $err);
	until (IPC::Run::run(\@ask, '<', \undef, '>', \$out, '2>', \$err))
	{
		return 0 if time > $until;
		sleep 0.1;
	}
	return 1;
}

# From one server to another of the same version; neither is running.
sub pg_upgrade
{
	my ($from, $to) = @_;
	my $folder = PostgreSQL::Test::Utils::tempdir('upgrade');
	my $bin    = $from->config_data('--bindir');
	chomp $bin;

	# It writes into the current folder.
	chdir $folder or die "could not enter $folder: $!";
	command_ok(
		[
			'pg_upgrade', '--no-sync', '-d', $from->data_dir, '-D', $to->data_dir,
			'-b', $bin, '-B', $bin, '-s', $from->host, '-p', $from->port, '-P', $to->port
		],
		'pg_upgrade');
	chdir $root or die "could not leave $folder: $!";
	return;
}

# Should long tests run in full? With script/test --full they do, but .ci/run runs a part.
sub whole { return $ENV{ATID_FULL} && !$ENV{ATID_PART}; }

# Any text as an SQL literal that no setting can change the meaning of.
sub literal
{
	my ($text) = @_;
	my $tag = 'v';
	$tag .= 'v' while index($text . '$', "\$$tag\$") >= 0;
	return "\$$tag\$$text\$$tag\$";
}

sub is_none
{
	my ($node, $db, $query, $what) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	return is($node->safe_psql($db, "$query LIMIT 5"), '', $what);
}

# The server writes an error and what belongs to it at once, so no other session's lines are in between.
sub no_deadlocks
{
	my ($node) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my @found = slurp_file($node->logfile) =~ /^(.*(?:deadlock detected|a distributed deadlock)\n(?:\t.*\n|.* (?:DETAIL|HINT|CONTEXT|STATEMENT):  .*\n)*)/mg;
	return is(join('', @found), '', 'no deadlock');
}

sub file_of
{
	my ($folder, $name, $bytes) = @_;
	open my $out, '>:raw', "$folder/$name" or die "could not write $folder/$name: $!";
	print $out $bytes;
	close $out or die "could not write $folder/$name: $!";
	return "pg_read_binary_file('$folder/$name')";
}

# A file with lines \ir is a list, of names relative to indexer/sql, and nothing else.
sub sql_files
{
	my @named = slurp_file("$root/indexer/sql/$_[0]") =~ /^\\ir (\S+)$/mg;
	return @named ? map { sql_files($_) } @named : $_[0];
}

sub sql_text { return join '', map { slurp_file("$root/indexer/sql/$_") } sql_files($_[0]); }

# Without the parts that differ from run to run.
sub dump_text
{
	my ($node, $db, @options) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my ($out, $err) = run_command([ 'pg_dump', @options, '-d', $node->connstr($db) ]);
	is($err, '', "pg_dump @options $db: no message");
	$out =~ s/^\\(un)?restrict .*\n//mg;
	return $out;
}

# How much slower than usual this machine computes, at least 1: the processor time of a loop that usually takes a tenth
# of a second. $ATID_SLOWER is how much slower than that the server is under Valgrind.
my $slowness;

sub slowness
{
	return $slowness if defined $slowness;
	my $sum   = 0;
	my $began = (times)[0];
	$sum += $_ % 7 foreach 1 .. 2_000_000;
	my $took = (times)[0] - $began;
	return $slowness = ($took > 0.1 ? $took / 0.1 : 1) * ($ENV{ATID_SLOWER} // 1);
}

# Tests that something takes no more processor time than that on a usual machine; other programs running here do not
# count.
sub swift
{
	my ($took, $most, $what) = @_;
	return cmp_ok($took, '<', $most * slowness(), sprintf '%s (%.2f s)', $what, $took);
}

# A cancel ends a statement at once. If the statement has ended before the cancel was due, the cancel comes earlier.
sub cancelled
{
	my ($session, $other, $what, $sql, $seconds, $after) = @_;
	my $state = '';

	foreach my $delay ($after // 0.1, 0.05, 0.02)
	{
		$session->send($sql);
		my $until = time + $PostgreSQL::Test::Utils::timeout_default;
		sleep 0.01
		  until $session->answered
		  || $other->ok("SELECT state = 'active' FROM pg_stat_activity WHERE pid = " . $session->pid) eq 't'
		  || time > $until;
		$other->ok("SELECT pg_sleep($delay)");
		my $asked = $session->clock;
		$other->ok('SELECT pg_cancel_backend(' . $session->pid . ')');
		(undef, $state) = $session->result;
		my $took = $session->clock - $asked;
		next if $state eq '00000' && $delay > 0.02;
		is($state, '57014', "$what: cancelled");
		swift($took, $seconds, "$what: at once");
		last;
	}
	return;
}

# Runs one script per session and returns the files of their output. Every session connects first and waits at one lock;
# when all of them are waiting, they are released at once.
my $together = 0;

sub run_together
{
	my ($node, $db, @scripts) = @_;
	my $wave  = $together++;
	my $key   = 1_000_000 + $wave;
	my $dir   = PostgreSQL::Test::Utils::tempdir("wave$wave");
	my $gate  = AtidTest::Session->new($node, $db);
	my $until = time + $PostgreSQL::Test::Utils::timeout_default;
	my (@runs, @files);

	$gate->ok("SELECT pg_advisory_lock($key)");
	foreach my $script (@scripts)
	{
		my $in   = "DO 'BEGIN PERFORM pg_advisory_lock_shared($key); END';\n$script";
		my $file = "$dir/" . scalar(@files);
		push @files, $file;
		push @runs,
		  IPC::Run::start(
			[
				'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d',
				$node->connstr($db), '-f', '-'
			],
			'<', \$in, '>', $file,
			IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	}
	while (1)
	{
		$_->pump_nb foreach @runs;
		last
		  if $gate->ok(
			"SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = $key AND NOT granted"
		  ) == @scripts;
		die "the sessions did not come to the gate" if time > $until;
		sleep 0.02;
	}
	$gate->ok("SELECT pg_advisory_unlock($key)");
	foreach my $run (@runs)
	{
		$run->finish or die "a session failed: status " . $run->result(0);
	}
	$gate->quit;
	return @files;
}

# The columns of a file that COPY TO STDOUT wrote, each as a list in the order of its lines.
sub read_stream
{
	my ($file, $columns) = @_;
	my @lists = map { [] } 1 .. $columns;

	open my $in, '<', $file or die "could not open $file: $!";
	while (my $line = <$in>)
	{
		chomp $line;
		my @fields = split /\t/, $line;
		die "a line with $columns columns expected: $line" if @fields != $columns;
		push @{ $lists[$_] }, $fields[$_] foreach 0 .. $columns - 1;
	}
	close $in;
	return @lists;
}

# How often a list fails to rise. Both text forms sort by bytes in the order of their values.
sub falls
{
	my ($list) = @_;
	my $falls = 0;
	foreach my $i (1 .. $#$list)
	{
		$falls++ if $list->[$i] le $list->[ $i - 1 ];
	}
	return $falls;
}

# How many values occur more than once in these lists.
sub duplicates
{
	my %seen;
	my $all = 0;
	foreach my $list (@_)
	{
		$all += @$list;
		$seen{$_} = undef foreach @$list;
	}
	return $all - keys %seen;
}

# The microseconds since 1970 in a TID, according to the specification.
sub tid_us
{
	my ($tid) = @_;
	my $value = 0;
	die "not a TID: $tid" unless $tid =~ /^[2-7a-j][2-7a-z]{12}$/;
	$value = $value << 5 | index('234567abcdefghijklmnopqrstuvwxyz', $_)
	  foreach split //, $tid;
	return $value >> 10;
}

# The part of a version 7 UUID's text that carries its order: the rest is random, and a repeated or falling time would
# hide behind it.
sub v7_order
{
	my ($uuid) = @_;
	die "not a version 7 UUID: $uuid"
	  unless $uuid =~ /^([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3})-[89ab]/;
	return $1;
}

# The same as a number: 1/4096 of a millisecond since 1970.
sub order_tick
{
	my ($order) = @_;
	my ($high, $low, $fraction) = $order =~ /^(.{8})-(.{4})-7(.{3})$/;
	return ((hex($high) << 16 | hex($low)) << 12) | hex($fraction);
}

sub uuid_tick { return order_tick(v7_order($_[0])); }

sub uuid_us
{
	my ($uuid) = @_;
	my $tick = uuid_tick($uuid);
	return ($tick >> 12) * 1000 + int(($tick & 4095) * 1000 / 4096);
}

my %draw = (tid => 'atid.tid_generate()', v7 => 'atid.uuid_generate_v7()');

# How many seconds a session's next identifier is ahead of the server's clock.
sub ahead_of
{
	my ($session, $kind) = @_;
	my ($id, $now) = split /\|/, $session->ok(
		"SELECT $draw{$kind}, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
	);
	return (($kind eq 'tid' ? tid_us($id) : uuid_us($id)) - $now) / 1e6;
}

# A query that draws as fast as SQL can, ten identifiers a row, and returns how many; the count is a multiple of ten.
sub burst
{
	my ($kind, $count) = @_;
	my $ten = join ', ', ($draw{$kind}) x 10;
	return "SELECT sum(num_nonnulls($ten)) FROM generate_series(1, $count / 10)";
}

# Moves the stream that many seconds ahead of the clock. That of the TIDs leaps there; the other is drawn from, and the
# result is false if the machine is too slow for it (a stream runs ahead only while it is drawn from faster than its
# ticks pass).
sub run_ahead
{
	my ($session, $kind, $seconds) = @_;
	if ($kind eq 'tid')
	{
		$session->ok("SELECT atid.tid_generate(atid.tid_floor(clock_timestamp() + '$seconds s'))");
		return 1;
	}
	foreach (1 .. 40)
	{
		return 1 if ahead_of($session, $kind) >= $seconds;
		$session->ok(burst($kind, 3_000_000));
	}
	return 0;
}


package AtidTest::Session;

use strict;
use warnings FATAL => 'all';

use IPC::Run;
use POSIX ();
use PostgreSQL::Test::Utils;
use Time::HiRes qw(time);

# A psql that lives until quit. Options: user.
sub new
{
	my ($class, $node, $db, %opt) = @_;
	my $self =
	  bless { in => '', out => '', err => '', count => 0, state => '00000' }, $class;

	$self->{timeout} = IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default);
	$self->{run} = IPC::Run::start(
		[
			'psql', '-XAtq', '-d', $node->connstr($db), '-f', '-',
			defined $opt{user} ? ('-U', $opt{user}) : ()
		],
		'<', \$self->{in}, '>', \$self->{out}, '2>', \$self->{err}, $self->{timeout});
	$self->{pid} = $self->ok('SELECT pg_backend_pid()');
	return $self;
}

sub pid { return $_[0]->{pid}; }

# The seconds of processor time that the session has had; where the kernel does not report them, those of the clock.
sub clock
{
	my ($self) = @_;
	my $stat = eval { slurp_file("/proc/$self->{pid}/stat") };
	return time unless defined $stat && $stat =~ /\) \S(?: \S+){10} (\d+) (\d+)/;
	return ($1 + $2) / POSIX::sysconf(POSIX::_SC_CLK_TCK());
}

# Sends statements and does not wait for them.
sub send
{
	my ($self, $sql) = @_;
	my $mark = '~~ ' . ++$self->{count} . ' ~~';
	$self->{begun} = time;
	$self->{clock} = $self->clock if defined $self->{pid};
	$self->{mark}  = $mark;
	$sql =~ s/;?\s*\z/;/;    # another, empty, statement would have an SQLSTATE of its own
	$self->{in} .= "$sql\n\\echo '$mark' :SQLSTATE\n\\warn '$mark'\n";
	$self->{timeout}->start($PostgreSQL::Test::Utils::timeout_default);
	$self->{run}->pump_nb;
	return;
}

# Whether the statements sent have been answered by now.
sub answered
{
	my ($self) = @_;
	$self->{run}->pump_nb if $self->{run}->pumpable;
	return $self->{out} =~ /^\Q$self->{mark}\E (\w*)\n/m
	  && $self->{err} =~ /^\Q$self->{mark}\E\n/m
	  || !$self->{run}->pumpable;
}

# Waits for the statements sent and returns (output, SQLSTATE of the last statement, messages). The state is 'error'
# when an earlier statement failed and 'gone' when the session has ended.
sub result
{
	my ($self) = @_;

	until ($self->answered)
	{
		next if eval { $self->{run}->pump; 1 };
		last if $@ !~ /timeout/;
		give_up("no answer from a session after $PostgreSQL::Test::Utils::timeout_default s: "
			  . "$self->{out} $self->{err}");
	}
	$self->{took} = time - $self->{begun};
	$self->{used} = $self->clock - $self->{clock} if defined $self->{clock};

	# it is empty where the connection was lost
	my $state = $self->{out} =~ s/^\Q$self->{mark}\E (\w*)\n//m && $1 ne '' ? $1 : 'gone';
	$self->{err} =~ s/^\Q$self->{mark}\E\n//m;
	my ($out, $err) = @$self{qw(out err)};
	@$self{qw(out err)} = ('', '');
	chomp $out;

	# psql leaves SQLSTATE alone when a COPY TO STDOUT fails.
	$state = 'error' if $state eq '00000' && $err =~ /^(psql:.*)?ERROR:/m;
	return ($out, $state, $err);
}

# A die alone would go to the log file only.
sub give_up
{
	my ($message) = @_;
	Test::More::diag($message);
	die 'giving up';
}

# Runs statements, whatever the outcome.
sub try
{
	my ($self, $sql) = @_;
	$self->send($sql);
	return $self->result;
}

# Runs statements that must succeed and returns their output.
sub ok
{
	my ($self, $sql) = @_;
	my ($out, $state, $err) = $self->try($sql);
	give_up("statement failed, $state: $sql\n$err") if $state ne '00000';
	return $out;
}

# Seconds from the last statement's sending to its answer.
sub took { return $_[0]->{took}; }

# Seconds of processor time that it took, if the session still lives.
sub used { return $_[0]->{used}; }

sub quit
{
	my ($self) = @_;
	$self->{in} .= "\\q\n";
	eval { $self->{run}->finish };
	return;
}

1;
