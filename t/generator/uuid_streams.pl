# Streams of versions 1, 6 and 7, among sessions and over crashes.
#
# Shows that
# - with 8 sessions no v1, v6 or v7 is handed out twice, and none of their times is; v1 and v6 share a stream of times;
#   and in a session each v6, each v7 and each time of a v1 is greater than the one before;
# - all sessions of a life have the same node and clock sequence; the node has the multicast bit set, which no MAC
#   address has; another life, or another database, has different ones;
# - after an immediate stop in the middle of drawing, again and again, nothing repeats, and each new value is
#   greater than all before, also if the clock was set back by an hour meanwhile.
#
# The test decodes values without any code of the extension. Eight sessions draw 12,000 of each, 40,000 with script/test
# --full.
#
# Tags: long

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Clock;
use List::Util qw(maxstr sum);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

# Of a v1 or v6: its time as 15 hex digits, which sort in the same order, and the part after it (RFC 9562, sections 5.1
# and 5.6).
sub gregorian
{
	my ($uuid) = @_;
	return ("$3$2$1", $4) if $uuid =~ /^([0-9a-f]{8})-([0-9a-f]{4})-1([0-9a-f]{3})-([89ab][0-9a-f]{3}-[0-9a-f]{12})$/;
	return ("$1$2$3", $4) if $uuid =~ /^([0-9a-f]{8})-([0-9a-f]{4})-6([0-9a-f]{3})-([89ab][0-9a-f]{3}-[0-9a-f]{12})$/;
	die "neither version 1 nor 6: $uuid";
}

sub clock_seq { return hex(substr $_[0], 0, 4) & 0x3fff; }
sub node_id   { return substr $_[0], 5; }

# The least significant bit of the node's first octet (section 6.10).
sub multicast { return hex(substr $_[0], 5, 2) & 1; }

# Of a time, the seconds since 1970.
sub seconds
{
	my ($high, $low) = map { hex } unpack 'A7 A8', $_[0];
	return (($high << 32 | $low) - 122_192_928_000_000_000) / 1e7;
}

# The values that each session drew, as a hash of lists: v1, v6 and v7 as they came, gregorian times in the order of
# drawing, v7's order. The last line of a session that was cut off may be a part of one.
my ($hex3, $hex4, $hex8) = map { "[0-9a-f]{$_}" } 3, 4, 8;
my $tail = qr/([89ab]$hex3-[0-9a-f]{12})/;
my $row  = qr/^(($hex8)-($hex4)-1($hex3)-$tail)\t(($hex8)-($hex4)-6($hex3)-$tail)\t(($hex8-$hex4-7$hex3)-$tail)\n/;

sub read_session
{
	my ($file, $rests) = @_;
	my %drawn = map { $_ => [] } qw(v1 v6 v7 times orders);
	my ($v1, $v6, $v7, $times, $orders) = @drawn{qw(v1 v6 v7 times orders)};

	open my $in, '<', $file or die "could not open $file: $!";
	while (my $line = <$in>)
	{
		$line =~ $row or do { die "not v1, v6, v7: $line" if $line =~ m{\n\z} || !eof $in; last; };
		$rests->{$5} = $rests->{$10} = 1;
		push @$times,  "$4$3$2", "$7$8$9";    # as gregorian() has them
		push @$orders, $12;
		push @$v1,     $1;
		push @$v6,     $6;
		push @$v7,     $11;
	}
	close $in;
	return \%drawn;
}

my $draw =
  'COPY (SELECT atid.uuid_generate_v1(), atid.uuid_generate_v6(), atid.uuid_generate_v7() FROM generate_series(1, %d)) TO STDOUT;';

# Checks the values that the sessions of one life drew; returns their node.
sub check_life
{
	my ($what, $sessions, $rests) = @_;

	foreach my $kind (qw(v6 v7 times orders))
	{
		is_deeply([ map { falls($_->{$kind}) } @$sessions ],
			[ (0) x @$sessions ], "$what: each session's $kind rise strictly");
	}
	foreach my $kind (qw(v1 v6 v7 times orders))
	{
		is(duplicates(map { $_->{$kind} } @$sessions), 0, "$what: no $kind twice");
	}
	my @rests = keys %$rests;
	is(scalar @rests, 1, "$what: one clock sequence and node");
	is(multicast($rests[0]), 1, "$what: the node has the multicast bit set");
	return $rests[0];
}

#
# Eight sessions at once.
#
my $node = new_node('streams');
my $db   = new_database($node, 'streams');

my (%rests, $first, @before);
{
	my $count = whole() ? 40_000 : 12_000;
	my @files = run_together($node, $db, (sprintf("$draw\n", $count / 20) x 20) x 8);
	my @sessions = map { read_session($_, \%rests) } @files;
	is_deeply([ map { scalar @{ $_->{v1} } } @sessions ], [ ($count) x 8 ], "eight sessions: each drew $count of each");
	$first = check_life('eight sessions', \@sessions, \%rests);

	# Without this they might have drawn one after the other, and proved nothing.
	my @by_first = sort { $a->[0] cmp $b->[0] } map { $_->{times} } @sessions;
	my $alone    = 0;
	my $last     = $by_first[0][-1];
	foreach my $list (@by_first[ 1 .. $#by_first ])
	{
		$alone++ if $list->[0] gt $last;
		$last = $list->[-1] if $list->[-1] gt $last;
	}
	is($alone, 0, 'eight sessions: each drew while others did');
	@before = @sessions;
}

# The node is random: of a life, not of the machine, and not of a database.
my $other = new_database($node, 'other');
my $session = AtidTest::Session->new($node, $other);
my @two = map { (gregorian($session->ok("SELECT atid.uuid_generate_v$_()")))[1] } 1, 6;
is($two[0], $two[1], 'another database: v1 and v6 have one node');
isnt(node_id($two[0]), node_id($first), 'another database: another node');
$session->ok('SELECT atid.generator_reset()');
my $again = (gregorian($session->ok('SELECT atid.uuid_generate_v1()')))[1];
isnt(node_id($again), node_id($two[0]), 'after a reset: another node');
is(multicast($again), 1, 'after a reset: the multicast bit is set');
$session->quit;

#
# Life after life, each ended by an immediate stop while eight sessions draw. Each life's clock is an hour
# behind the one before.
#
my $lives   = 4;
my $batches = 10;
my $drawing = 0;    # sessions that were still drawing when the server was stopped
my $clock = AtidTest::Clock->new;
my (%seen, %highest);

sub start { return defined $clock ? $clock->start($node) : $node->start; }

# All values of a life, against those of all lives before.
sub check_against_past
{
	my ($what, @sessions) = @_;
	foreach my $kind (qw(v1 v6 v7 times orders))
	{
		my $past = $highest{$kind} // '';
		my $seen = $seen{$kind} //= {};
		my ($below, $repeated, $highest) = (0, 0, $past);
		foreach my $list (map { $_->{$kind} } @sessions)
		{
			$repeated += grep { exists $seen->{$_} } @$list;
			@$seen{@$list} = ();
			next if $kind eq 'v1';
			$below += grep { $_ le $past } @$list;
			$highest = maxstr($highest, @$list);
		}
		$highest{$kind} = $highest;
		is($repeated, 0, "$what: no $kind of a life before comes again");
		is($below, 0, "$what: all $kind are above those of the lives before") if $kind ne 'v1';
	}
	return;
}

check_against_past('eight sessions', @before);
my %nodes = ($first => 1);
my %clock_seqs;
foreach my $life (1 .. $lives)
{
	my $what = "life $life";
	my $dir  = PostgreSQL::Test::Utils::tempdir("life$life");
	my (@runs, @files);

	$node->stop('immediate');
	$clock->set(-3600 * $life) if defined $clock;
	start();
	# more than the server will live to hand out, but finite, however late the stop comes; in the pauses those that
	# begin last come up with the others
	my $pause = "DO 'BEGIN PERFORM pg_sleep(0.05); END';\n";
	my $batch = sprintf "$draw\n", 1000;
	append_to_file("$dir/script", join($pause, ($batch) x $batches) . 'SELECT pg_sleep(3600);');
	foreach my $i (0 .. 7)
	{
		push @files, "$dir/$i";
		push @runs,
		  IPC::Run::start([ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr($db), '-f', "$dir/script" ],
			'<', \undef, '>', $files[-1], '2>', \my $err, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	}
	my $until = time + $PostgreSQL::Test::Utils::timeout_default;
	while (grep { -s $_ < 120_000 } @files)
	{
		die 'the sessions draw nothing' if time > $until;
		sleep 0.02;
	}
	$node->stop('immediate');
	my $cut = 0;
	foreach my $run (@runs)
	{
		$cut++ unless eval { $run->finish };
	}
	is($cut, 8, "$what: the stop cut off all sessions");
	start();

	my %life_rests;
	my @sessions = map { read_session($_, \%life_rests) } @files;
	note(sum(map { scalar @{ $_->{v1} } } @sessions) . ' rows');
	$drawing += grep { @{ $_->{v1} } < 1000 * $batches } @sessions;
	my $rest = check_life($what, \@sessions, \%life_rests);
	check_against_past($what, @sessions);
	ok(!exists $nodes{$rest}, "$what: another clock sequence and node");
	$nodes{$rest} = 1;
	$clock_seqs{ clock_seq($rest) } = 1;

  SKIP:
	{
		skip 'without libfaketime the clock cannot be set back', 1 unless defined $clock;
		# Otherwise the clock itself would have kept the lives apart.
		my $ahead = seconds($sessions[0]{times}[-1]) - (time - 3600 * $life);
		cmp_ok($ahead, '>', 3600 * $life - 600, "$what: the stream stands where it was, far ahead of the clock");
	}
}
cmp_ok($drawing, '>=', $lives, 'sessions were stopped while they drew');
cmp_ok(scalar keys %clock_seqs, '>', 1, 'clock sequences differ between lives');

$node->stop;
done_testing();
