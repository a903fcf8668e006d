# Hostile frames, and other tests of events that need more than one session.
#
# Shows that
# - values that nest a million deep, that claim 100 MB or more items than there are bytes, that are larger than a frame,
#   the largest CARs of sections, nodes, keys and operations soon end in an answer, with memory bounded by their size; a
#   value of 100 MB is not even decompressed;
# - a cancel stops a query over frames at once; calls give their memory back;
# - parallel workers verify a table of frames; frames come by COPY in binary form;
# - a database in another encoding, and a role without rights, get the same answers.
#
# Tags: medium

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Memory;
use AtidTest::Repository;
use File::Spec;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node    = new_node('hostile_frames', ready => 1, conf => "shared_buffers = 16MB\nwork_mem = 4MB\n");
my $db      = new_database($node, 'limits');
my $session = AtidTest::Session->new($node, $db);
my $folder  = File::Spec->rel2abs(PostgreSQL::Test::Utils::tempdir('frames'));

# --- events made here ---------------------------------------------------------------------------------

my $did = 'did:plc:ewvi7nxzyoun6zhxrhs64oiz';

sub op
{
	my ($action, $path, $cid, $prev) = @_;
	return AtidTest::Repository::cbor_map(
		action => cbor_text($action),
		path   => cbor_text($path),
		cid    => cbor_link($cid),
		defined $prev ? (prev => cbor_link($prev)) : ());
}

sub event
{
	my ($blocks, $ops, %fields) = @_;
	my %event = (
		seq      => cbor_int(1),
		time     => cbor_text('2024-01-14T12:00:00Z'),
		repo     => cbor_text($did),
		rev      => cbor_text('3jzfcijpj2z2a'),
		since    => cbor_text('3jzfcijpj2y2a'),
		blocks   => cbor_bytes($blocks),
		ops      => head(4, scalar @$ops) . join('', @$ops),
		%fields);
	delete $event{$_} foreach grep { !defined $event{$_} } keys %event;
	return AtidTest::Repository::cbor_map(%event);
}

# A commit of these entries before and after, with all blocks; sections may be added.
sub change
{
	my ($before, $after, $ops, @more) = @_;
	my (@before, @nodes);
	my $prev   = tree($before, \@before);
	my $commit = commit(tree($after, \@nodes));
	my $blocks = car([ cid_of($commit) ], [ cid_of($commit), $commit ], @nodes, @more);
	return event($blocks, $ops, commit => cbor_link(cid_of($commit)), prevData => cbor_link($prev));
}

my $header = AtidTest::Repository::cbor_map(op => cbor_int(1), t => cbor_text('#commit'));
my $block  = AtidTest::Repository::cbor_map(text => cbor_text('x'));
my $value  = cid_of($block);
my %one    = ('app.bsky.feed.post/a' => $value);
my $small  = change({}, \%one, [ op('create', 'app.bsky.feed.post/a', $value) ], [ $value, $block ]);
is($session->ok("SELECT atid.event_problem('\\x" . unpack('H*', $header . $small) . "')"), '', 'an event that is made here is true');
$session->ok("SELECT count(*) FROM atid.commit_event_ops('\\x" . unpack('H*', $header . $small) . "')");

# --- what hurts ----------------------------------------------------------------------------------------

my $all = 'atid.event_problem(f), atid.event_problem(f, prev_data_optional => true), atid.frame_parts(f) IS NULL, atid.commit_event(f),'
  . ' (SELECT count(*) FROM atid.commit_event_ops(f)), atid.sync_event(f)';

sub hurts
{
	my ($name, $bytes, $pattern, $mb) = @_;
	my $file = file_of($folder, 'hostile', $bytes);
	$session->ok("CREATE TEMP TABLE hostile AS SELECT $file AS f");
	outcome($session, $name, "SELECT $all FROM hostile", '00000', $pattern, defined $mb ? $mb : 40);
	swift($session->used, 4, 'and six calls take less than four seconds');
	$session->ok('DROP TABLE hostile');
	return;
}

hurts('nested a million deep', "\x81" x 1_000_000, qr/nested at most 512 deep/);
hurts('maps nested a million deep, behind a header', $header . "\xa1\x61a" x 1_000_000, qr/At byte 1551: Arrays and maps must be nested/);
hurts('a string that claims 100 MB', "$header\x5a\x05\xf5\xe1\x00x", qr/A string must not be longer than what is left/);
hurts('a string that claims 2^63 bytes', "$header\x5b\x7f\xff\xff\xff\xff\xff\xff\xffx", qr/A string must not be longer than what is left/);
hurts('an array that claims 100 million items', "\x9a\x05\xf5\xe1\x00", qr/more items than the block has bytes left/);
hurts('two bodies', "$header$small$small", qr/A block must end after its value/);
hurts('a frame of 5,000,001 bytes', "\0" x 5_000_001, qr/^A frame must have at most 5000000 bytes/);
hurts('5,000,000 bytes of empty maps', "\x9a" . pack('N', 4_999_995) . "\xa0" x 4_999_995, qr/The header of a frame must be a map/, 60);
hurts('5,000,000 bytes in a header', "\xa1\x61x\x9a" . pack('N', 4_999_992) . "\x01" x 4_999_992, qr/must have an "op"/, 60);
hurts('5,000,000 bytes of a text', "\xa1\x61x\x7a" . pack('N', 4_999_992) . "\xc3\xa9" x 2_499_996, qr/must have an "op"/, 60);

# CARs of 2,000,000 bytes
my $commit = commit($value);
my $link   = cbor_link(cid_of($commit));
my $room   = 1_999_000;
hurts('a CAR of sections of one byte', $header . event(car([ cid_of($commit) ], [ cid_of($commit), $commit ]) . section(cid_of('y'), 'y') x ($room / 38 - 10), [], commit => $link, prevData => cbor_link($value)), qr/^\(?.*\|\|/s);
hurts('a CAR of sections of nothing', $header . event(car([ cid_of($commit) ], [ cid_of($commit), $commit ]) . "\x04\x01\x55\x00\x00" x ($room / 5 - 100), [], commit => $link, prevData => cbor_link($value)), qr/^\(?.*\|\|/s);
hurts('a CAR of 2,000,001 bytes', $header . event('x' x 2_000_001, [], commit => $link), qr/must have at most 2000000 bytes/);

# a record of 1,000,000 bytes, named by 200 operations
{
	my $large = AtidTest::Repository::cbor_map(text => cbor_text('x' x 999_985));
	my $named = cid_of($large);
	foreach my $many (33, 34, 200)
	{
		my %after = map { sprintf('app.bsky.feed.post/%03d', $_) => $named } 1 .. $many;
		my $body = change({}, \%after, [ map { op('create', $_, $named) } sort keys %after ], [ $named, $large ]);
		hurts("a large record, $many times", $header . $body,
			$many > 33 ? qr/^(?:Blocks that several paths refer to must not be too large[^|]*\|){2}f\|\(.*\)\|0\|/ : qr/^\|\|f\|\(.*\)\|33\|/);
	}
}

# keys of the greatest length, in one node and in several; 200 operations at once
{
	my %before = map { sprintf('app.bsky.feed.post/%s%05d', 'x' x 400, $_) => $value } 1 .. 3000;
	my %after = %before;
	my @ops;
	foreach my $key ((sort keys %before)[ map { $_ * 10 } 0 .. 99 ])
	{
		delete $after{$key};
		push @ops, op('delete', $key, undef, $value);
	}
	for my $i (1 .. 100)
	{
		my $key = sprintf 'app.bsky.feed.post/new%05d', $i;
		$after{$key} = $value;
		push @ops, op('create', $key, $value);
	}
	my $event = change(\%before, \%after, \@ops, [ $value, $block ]);
	cmp_ok(length $event, '<', 2_000_000, sprintf '200 operations in %d bytes', length $event);
	hurts('200 operations in a tree of 3,000 long keys', "$header$event", qr/^\|\|f\|\(1,/);
	my $file = file_of($folder, 'ops', $header . $event);
	is($session->ok("SELECT atid.event_problem($file), (SELECT count(*) FROM atid.commit_event_ops($file))"), '|200', 'and they are true');
}

# nodes cannot form a cycle, but can form a long chain: no entries, each node only a link
{
	my $link = $value;
	my @nodes;
	for my $i (1 .. 15_000)
	{
		my $node = node($link, []);
		$link = cid_of($node);
		push @nodes, [ $link, $node ];
	}
	my ($entry) = node_entries([ mine('app.bsky.feed.post/%d', 3), $value, $link ]);
	my $top    = node(undef, [$entry]);
	my $commit = commit(cid_of($top));
	my $root   = cid_of($commit);
	my $blocks = car([$root], [ $root, $commit ], [ cid_of($top), $top ], [ $value, $block ], @nodes);
	hurts('a tree of 15,000 levels', $header . event($blocks, [ op('create', mine('zz.zz.zz/%d', 0), $value) ], commit => cbor_link(cid_of($commit)), prevData => cbor_link($value)),
		qr/A node of level 0 must not have links/);
}

# --- what is larger than a frame is not decompressed ---------------------------------------------------

$session->ok("CREATE TABLE bomb AS SELECT decode(repeat('00', 100000000), 'hex') AS f");
cmp_ok($session->ok('SELECT pg_column_size(f) FROM bomb'), '<', 5_000_000, '100 MB that are stored in less than 5');
$session->quit;
$session = AtidTest::Session->new($node, $db);
$session->ok("SELECT count(*) FROM atid.commit_event_ops('\\x" . unpack('H*', $header . $small) . "')");
outcome($session, '100 MB', "SELECT $all FROM bomb", '00000', qr/must have at most 5000000 bytes/, 20);

# --- a table of frames ---------------------------------------------------------------------------------

# The stream as a client writes it.
my $frame = $header . $small;
my $copy  = file_of($folder, 'copy', "PGCOPY\n\xff\r\n\0" . "\0" x 8 . (pack('nN', 1, length $frame) . $frame) x 20_000 . "\xff\xff");
$session->ok('CREATE TABLE frames (n bigint GENERATED ALWAYS AS IDENTITY, frame bytea NOT NULL)');
$session->ok("COPY frames (frame) FROM '$folder/copy' (FORMAT binary)");
is($session->ok("SELECT count(*), count(*) FILTER (WHERE frame = '\\x" . unpack('H*', $frame) . "') FROM frames"), '20000|20000', 'frames come by COPY in binary form');

my $plan = $session->ok(<<'SQL');
ALTER TABLE frames SET (parallel_workers = 2);
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
ANALYZE frames;
CREATE VIEW verified AS SELECT n, p.t, c.did, c.rev, problem FROM frames CROSS JOIN atid.frame_parts(frame) AS p
  CROSS JOIN atid.commit_event(frame) AS c CROSS JOIN atid.event_problem(frame, now()) AS problem;
EXPLAIN (COSTS off) CREATE TABLE done AS TABLE verified;
SQL
like($plan, qr/Gather.*Parallel Seq Scan/s, 'workers verify a table of frames');
is($session->ok('CREATE TABLE done AS TABLE verified; SELECT count(*), count(problem), count(DISTINCT rev) FROM done'), '20000|0|1', 'and their answer');

my $other = AtidTest::Session->new($node, $db);
foreach my $call ('count(atid.event_problem(frame)) FROM frames, generate_series(1, 100)',
	'sum((SELECT count(*) FROM atid.commit_event_ops(frame) WHERE n > i)) FROM frames, generate_series(1, 100) i')
{
	cancelled($session, $other, $call, "SELECT $call", 1);
}
$other->quit;

foreach my $call ('count(atid.event_problem(frame)) FROM frames',
	'count(atid.event_problem(set_byte(frame, 215, 0))) FROM frames',
	'count((atid.commit_event(frame))) FROM frames',
	'count((SELECT count(*) FROM atid.commit_event_ops(frame) WHERE n > 0)) FROM frames')
{
	my ($out, $state, $err, $grown) = measured($session, "SET max_parallel_workers_per_gather = 0; SELECT $call");
	is($state, '00000', $call) or diag($err);
  SKIP:
	{
		skip 'memory cannot be seen here', 1 unless defined $grown;
		cmp_ok($grown, '<', 20, sprintf 'gives its memory back (%.0f MB)', $grown);
	}
}

# --- other encodings, another role ---------------------------------------------------------------------

my $accent = AtidTest::Repository::cbor_map(op => cbor_int(1), t => cbor_text("#caf\xc3\xa9")) . $small;
my @queries = map { my $f = "'\\x" . unpack('H*', $_) . "'::bytea"; "SELECT $all FROM (SELECT $f AS f) x" }
  $frame, $accent, $header . substr($small, 0, 300), $header . event("caf\xc3\xa9", [], repo => cbor_text("did:web:caf\xc3\xa9"));
foreach my $encoding ('LATIN1', 'SQL_ASCII', 'EUC_JP')
{
	my $name = lc $encoding;
	$node->safe_psql('postgres', "CREATE DATABASE $name ENCODING '$encoding' LOCALE 'C' TEMPLATE template0");
	$node->safe_psql($name, 'CREATE EXTENSION atid');
	is(join("\n", map { $node->safe_psql($name, $_) } @queries), join("\n", map { $session->ok($_) } @queries), "the same in $encoding");
}
$node->safe_psql('postgres', 'CREATE ROLE nobody LOGIN');
is(join("\n", map { $node->safe_psql($db, $_, extra_params => [ '-U', 'nobody' ]) } @queries), join("\n", map { $session->ok($_) } @queries),
	'the same for a role without rights');

$session->quit;
$node->stop;
done_testing();
