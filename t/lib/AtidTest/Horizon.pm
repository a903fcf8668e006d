# AtidTest::Horizon: what the tests of the durable horizon share.
#
#   AtidTest::Kept            all values handed out, and checks that later ones are new
#   crash_cycle               clients that draw until the server is stopped immediately under them
#   draw                      identifiers of both kinds, in one statement
#   set_horizon               moves the horizon by hand, as a restore does
#   nextval_before_raise      calls nextval() on the sequence where it can do the most harm
#   horizon_page, log_position, horizon_records, horizon_writes
#                             the contents of the sequence's page, and of its WAL

package AtidTest::Horizon;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use AtidTest;
use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

our @EXPORT = qw(
  DRAW
  crash_cycle
  draw
  horizon_page
  horizon_records
  horizon_writes
  log_position
  nextval_before_raise
  parse_drawn
  set_horizon
);

# One identifier of each kind, as a line of COPY.
use constant DRAW => 'atid.tid_generate(), atid.uuid_generate_v7()';

# COPY's lines as two lists, TIDs and UUIDs. The last line of a client that was cut off may be half.
sub parse_drawn
{
	my ($text) = @_;
	my (@tids, @uuids);
	while ($text =~ /^(\w{13})[\t|]([0-9a-f-]{36})\n/mg)
	{
		push @tids,  $1;
		push @uuids, $2;
	}
	return (\@tids, \@uuids);
}

# Draws in a session, one statement.
sub draw
{
	my ($session, $count) = @_;
	my ($tids, $uuids) =
	  parse_drawn($session->ok("SELECT @{[DRAW]} FROM generate_series(1, $count)") . "\n");
	die 'a draw gave something else' if @$tids != $count;
	return ($tids, $uuids);
}

# Sets the horizon to some seconds ahead of the server's clock, unless it is further already. Existing
# sessions notice within a second, new ones at once; the values drawn then are that far ahead.
sub set_horizon
{
	my ($session, $seconds) = @_;
	return $session->ok(
		"SELECT setval('atid.generator_horizon', greatest(last_value, ((extract(epoch FROM clock_timestamp()) + $seconds) * 1000000)::bigint)) FROM atid.generator_horizon"
	);
}

# Calls nextval() on the horizon's sequence. That leaves one value on the page and logs one that is 32
# higher. If the raise that follows ends in the same byte as the value on the page, a WAL record of only
# the changed bytes would omit that byte, and replay would keep that of the logged value. Here that makes
# the horizon 224 us too low.
#
# The stream must be ahead of the clock, so that the next raise, by a new session, is to the value
# returned: the last tick, 2 and the reserve, which is 1 ms in both sessions. The value that nextval()
# leaves is below the stream, so nothing raises the stream to it.
sub nextval_before_raise
{
	my ($kept, $session) = @_;
	my $us;
	do
	{
		my ($tids, $uuids) = draw($session, 1);
		$kept->late($tids, $uuids);
		$us = tid_us($tids->[0]) + 2 + 1000;
	} while (($us & 0xff) < 0xe0);
	$session->ok("SELECT setval('atid.generator_horizon', $us - 1024 - 1), nextval('atid.generator_horizon')");
	return $us;
}

# (the horizon, its owner)
sub horizon_page
{
	my ($session) = @_;
	return split /\|/, $session->ok('SELECT last_value, log_cnt FROM atid.generator_horizon');
}

# A position in the WAL; everything before it is flushed.
sub log_position
{
	my ($session) = @_;

	# A commit with a transaction id flushes.
	return $session->ok(
		"DO 'BEGIN PERFORM pg_current_xact_id(); END'; SELECT pg_current_wal_flush_lsn()");
}

# The bytes of each record by which the horizon was written between two positions, according to
# pg_waldump.
sub horizon_records
{
	my ($node, $session, $from, $to) = @_;
	my $file = $session->ok(
		"SELECT pg_relation_filenode('atid.generator_horizon'), oid FROM pg_database WHERE datname = current_database()"
	);
	my ($filenode, $database) = split /\|/, $file;
	return () if $from eq $to;
	my ($out, $err) = run_command(
		[ 'pg_waldump', '-p', $node->data_dir . '/pg_wal', '-s', $from, '-e', $to ]);
	die "pg_waldump: $err" if $err =~ /error/ && $err !~ /invalid record length|could not find a valid record/;
	my @lines = grep { m{rel \d+/$database/$filenode\b} } split /\n/, $out;
	my @foreign = grep { !/rmgr: Generic / } @lines;
	note("not the generator's: $_") foreach @foreign;
	return map { m{rmgr: Generic .*len \(rec/tot\): *\d+/ *(\d+)} } @lines;
}

# The number of those writes.
sub horizon_writes
{
	my $count = () = horizon_records(@_);
	return $count;
}

# One life of a server, from the start to an immediate stop under working clients. Checks all its values
# against those kept from the lives before. Options:
#
#   start     sub that starts the server
#   clients   their number
#   reserve   their atid.reserve
#   busy      how long they work, in seconds
#
# Returns a reference to a hash:
#   bad       the errors, '' if there were none
#   telling   was the stream so far ahead of the clock that a lost horizon would have shown?
#   took      seconds of the first draw
#   committed, drawn    the numbers of values obtained in each way
#
# Each client commits identifiers to a table, draws others in a read-only transaction and keeps them
# (its output file does), and lets the stream run on, so that the horizon is raised again and again.
my %scripts;

sub crash_cycle
{
	my ($node, $db, $kept, %opt) = @_;
	my $life   = {};
	my $script = $scripts{ $opt{reserve} };

	unless (defined $script)
	{
		$script = $scripts{ $opt{reserve} } =
		  PostgreSQL::Test::Utils::tempdir('script') . '/draw.sql';
		append_to_file($script, "SET atid.reserve = '$opt{reserve}';\n");
		append_to_file($script, <<"SQL" x 2000);
INSERT INTO committed SELECT @{[DRAW]} FROM generate_series(1, 5);
BEGIN READ ONLY;
COPY (SELECT @{[DRAW]} FROM generate_series(1, 5)) TO STDOUT;
COMMIT;
DO 'BEGIN PERFORM count(atid.tid_generate()) FROM generate_series(1, 20000);
  PERFORM atid.tid_generate(atid.tid_floor(atid.tid_timestamp(atid.tid_generate()) + ''50 ms''));
EXCEPTION WHEN invalid_parameter_value THEN END';
BEGIN READ ONLY;
COPY (SELECT @{[DRAW]} FROM generate_series(1, 5)) TO STDOUT;
COMMIT;
SQL
	}

	$opt{start}->();

	# The first draw of the life, and the values that the last one committed.
	my $session = AtidTest::Session->new($node, $db);
	$session->ok("SET statement_timeout = '20s'");
	$session->ok("SET atid.reserve = '$opt{reserve}'");
	my $now = $session->ok('SELECT extract(epoch FROM clock_timestamp())');
	my ($out, $state, $err) = $session->try('SELECT ' . DRAW);
	$life->{took} = $session->took;
	if ($state ne '00000')
	{
		$life->{bad} = "the first draw failed after $life->{took} s: $err";
		$node->stop('immediate');
		$session->quit;
		return $life;
	}
	my @first = parse_drawn("$out\n");
	$life->{telling} = $kept->highest_us > $now * 1e6;
	my @committed = parse_drawn($session->ok('COPY committed TO STDOUT') . "\n");
	$session->ok('TRUNCATE committed');
	$life->{committed} = @{ $committed[0] };
	$kept->late(@committed);
	$life->{bad} = $kept->check(@first);
	$session->quit;

	# Now the clients.
	my $dir = PostgreSQL::Test::Utils::tempdir('life');
	my @files = map { "$dir/$_" } 1 .. $opt{clients};
	my @runs  = map {
		IPC::Run::start(
			[ 'psql', '-XAtq', '-d', $node->connstr($db), '-f', $script ],
			'<', \undef, '>', $_, '2>', "$_.err",
			IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default))
	} @files;
	my $until = time + $PostgreSQL::Test::Utils::timeout_default;
	sleep 0.01 while grep({ !-s } @files) && time < $until;
	sleep $opt{busy};
	$node->stop('immediate');
	eval { $_->finish } foreach @runs;

	my @drawn = parse_drawn(join '', map { slurp_file($_) } @files);
	$life->{drawn} = @{ $drawn[0] };
	$life->{bad} ||= $kept->check(@drawn);
	unlink @files, map { "$_.err" } @files;
	return $life;
}


# All values handed out, to be compared with later ones. Lists are of TIDs and of UUIDs, in no special
# order: they may come from several sessions that drew at the same time.
package AtidTest::Kept;

use strict;
use warnings FATAL => 'all';

use AtidTest;
use Test::More;

sub new
{
	my ($class) = @_;
	return bless {
		tid   => { name => 'TID',  max => '', recent => {} },
		order => { name => 'UUID', max => '', recent => {} }
	}, $class;
}

# The time of the furthest stream, in microseconds.
sub highest_us
{
	my ($self) = @_;
	my $tid   = $self->{tid}{max}   eq '' ? 0 : tid_us($self->{tid}{max});
	my $order = $self->{order}{max} eq '' ? 0 : (order_tick($self->{order}{max}) >> 12) * 1000;
	return $tid > $order ? $tid : $order;
}

sub each_kind
{
	my ($self, $tids, $uuids, $do) = @_;
	my $bad = $do->($self->{tid}, $tids);
	return $bad || $do->($self->{order}, [ map { v7_order($_) } @$uuids ]);
}

# Keeps values drawn before the last check, by a session whose answer arrives only now.
sub late
{
	my ($self, $tids, $uuids) = @_;
	$self->each_kind(
		$tids, $uuids,
		sub {
			my ($kind, $list) = @_;
			foreach my $value (@$list)
			{
				$kind->{max} = $value if $value gt $kind->{max};
			}
			return '';
		});
	return;
}

# Keeps values that were drawn after all kept ones, and returns the errors found: '' if each is above all
# kept values and none comes twice.
sub check
{
	my ($self, $tids, $uuids) = @_;
	return $self->each_kind(
		$tids, $uuids,
		sub {
			my ($kind, $list) = @_;
			my ($before, $bad, %seen) = ($kind->{max}, '');
			foreach my $value (@$list)
			{
				$bad ||= "$kind->{name} $value is not above $before" if $value le $before;
				$bad ||= "$kind->{name} $value comes twice" if $seen{$value}++;
				$kind->{max} = $value if $value gt $kind->{max};
			}
			return $bad;
		});
}

# The same as a test.
sub new_ones
{
	my ($self, $what, $tids, $uuids) = @_;
	my $bad = $self->check($tids, $uuids);
	cmp_ok(scalar @$tids, '>', 0, "$what: identifiers come") or return 0;
	return is($bad, '', "$what: all of them new, and above all before");
}

# seconds it may take. => Draws in a session, likewise as a test. Options: count, and within (the seconds
# it may take). => seconds it may take.
sub goes_on
{
	my ($self, $what, $session, %opt) = @_;
	my $count = $opt{count} || 10;
	my ($out, $state, $err) =
	  $session->try("SELECT @{[AtidTest::Horizon::DRAW]} FROM generate_series(1, $count)");
	my $took = $session->took;
	unless ($state eq '00000')
	{
		fail("$what: identifiers come");
		diag("$state after $took s: $err");
		return 0;
	}
	my $ok = $self->new_ones($what, AtidTest::Horizon::parse_drawn("$out\n"));
	$ok &&= cmp_ok($took, '<', $opt{within}, "$what: without delay") if defined $opt{within};
	return $ok;
}

1;
