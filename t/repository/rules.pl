# Every rule of a canonical tree, of a commit, of a path and of a CAR, broken alone.
#
# Repositories are made by AtidTest::Repository, which shares no code with the extension. Shows that
# - valid repositories are read, and their tree is the one that mst_root makes of its entries;
# - each broken rule, in a tree with correct hashes, is refused with its words and its place, by mst_entries,
#   repo_records, repo_problem and repo_is_valid alike;
# - likewise for commits, paths, records, and the bytes of a CAR; a CAR that is cut off at any byte, or has any byte
#   changed, dropped or doubled, is refused, or gives the same records;
# - everything that the specification allows is accepted: any order of blocks, blocks twice, unrelated blocks, a
#   record under two paths, more than one root, commits of version 2, and leaf links that are not blessed if their
#   hash can be checked;
# - examples/export.sql writes the blocks in the order that the specification prefers for streams.
#
# Tags: quick differs

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Repository;
use List::Util qw(shuffle);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node    = new_node('repository_rules', ready => 1);
my $db      = new_database($node, 'rules');
my $session = AtidTest::Session->new($node, $db);

sub bytea { return "'\\x" . unpack('H*', $_[0]) . "'::bytea"; }

my $POST = 'app.bsky.feed.post';

# A repository of 60 records and of keys of all depths up to 3.
my (%block, %value);
foreach my $key ((map { "$POST/3jzfcijpj2z$_" } 10 .. 69), map { mine("$POST/m%d", $_) } 0 .. 3)
{
	$block{$key} = "\xa1" . cbor_text('text') . cbor_text($key);
	$value{$key} = cid_of($block{$key});
}
my @keys = sort keys %value;
my @records = map { [ $value{$_}, $block{$_} ] } @keys;

# (CAR, root, the number of nodes that were changed) of the repository with a hook.
sub repository
{
	my (%opt) = @_;
	my @nodes;
	my $root   = tree($opt{values} || \%value, \@nodes, $opt{hook});
	my $commit = commit($root, %{ $opt{commit} || {} });
	return (
		car([ cid_of($commit) ], [ cid_of($commit), $commit ], @nodes, @{ $opt{more} || [] }, @records),
		cid_text($root), \@nodes);
}

sub records_of
{
	my ($car) = @_;
	my ($out, $state, $err) =
	  $session->try("SELECT md5(string_agg(r::text, ' ')) FROM atid.repo_records(@{[bytea($car)]}) r");
	return ($out, $state, $err);
}

# --- what is right ---------------------------------------------------------------------------------

my ($car, $root, $nodes) = repository();
is($session->ok("SELECT atid.repo_problem(@{[bytea($car)]})"), '', 'a repository has no problem');
is($session->ok("SELECT atid.repo_is_valid(@{[bytea($car)]})"), 't', 'and is valid');
is( $session->ok("SELECT string_agg(collection || '/' || rkey, ' ') FROM atid.repo_records(@{[bytea($car)]})"),
	join(' ', @keys), 'its records');
is( $session->ok("SELECT count(*) FROM atid.repo_records(@{[bytea($car)]}) WHERE cid = atid.cid_of(block, 'dag-cbor')"),
	scalar @keys, 'with their blocks');
is( $session->ok("SELECT atid.mst_root(key, value) FROM atid.mst_entries(@{[bytea($car)]}, '$root')"),
	$root, 'mst_root of the entries is the root');
is( $session->ok("SELECT md5(string_agg(cid::text, ' ' ORDER BY cid)) FROM atid.car_blocks((SELECT atid.mst_car(key, value) FROM atid.mst_entries(@{[bytea($car)]}, '$root')))"),
	$session->ok("SELECT md5(string_agg(c, ' ' ORDER BY c::atid.cid_link)) FROM unnest('{@{[join ',', map { cid_text($_->[0]) } @$nodes]}}'::text[]) c"),
	'mst_car of the entries has its nodes');
my ($whole) = records_of($car);

sub taken
{
	my ($what, $other) = @_;
	my ($out, $state, $err) = records_of($other);
	is($out, $whole, "taken: $what") or diag($err);
	return;
}

my ($commit) = map { [ cid_of($_), $_ ] } commit($nodes->[0][0]);
taken('blocks in another order', car([ $commit->[0] ], shuffle($commit, @$nodes, @records)));
taken('blocks twice', car([ $commit->[0] ], $commit, @$nodes, @records, @records, @$nodes, $commit));
taken('unrelated blocks', car([ $commit->[0] ], [ cid_of('x', RAW), 'x' ], $commit, @$nodes, @records));
taken('an unrelated block that is not its CID\'s', car([ $commit->[0] ], [ cid_of('x', RAW), 'y' ], $commit, @$nodes, @records));
taken('an unrelated block of another hash', car([ $commit->[0] ], [ "\x01\x71\x1b\x04abcd", 'y' ], $commit, @$nodes, @records));
taken('more roots', car([ $commit->[0], $nodes->[1][0] ], $commit, @$nodes, @records));
foreach my $fields ({ version => cbor_int(2) }, { version => cbor_int(2), prev => undef, rev => undef },
	{ other => cbor_text('unknown') }, { prev => cbor_link(cid_of('before')) })
{
	taken('a commit with ' . join(', ', map { $_ . (defined $fields->{$_} ? '' : ' absent') } sort keys %$fields),
		(repository(commit => $fields))[0]);
}
{
	my %two = (%value, "$POST/again" => $value{ $keys[0] });
	my ($two) = repository(values => \%two);
	is( $session->ok("SELECT count(*), count(DISTINCT cid) FROM atid.repo_records(@{[bytea($two)]})"),
		@keys + 1 . '|' . @keys, 'taken: a record under two paths');

	my $raw = cid_of('raw block', RAW);
	my ($with_raw) = repository(values => { %value, "$POST/raw" => $raw }, more => [ [ $raw, 'raw block' ] ]);
	is( $session->ok("SELECT encode(block, 'escape') FROM atid.repo_records(@{[bytea($with_raw)]}) WHERE rkey = 'raw'"),
		'raw block', 'taken: a record of codec raw');
	my $json = "\x01\xa9\x02\x12\x20" . substr(cid_of('{}'), 4);
	my ($with_json) = repository(values => { %value, "$POST/json" => $json }, more => [ [ $json, '{}' ] ]);
	is( $session->ok("SELECT encode(block, 'escape') FROM atid.repo_records(@{[bytea($with_json)]}) WHERE rkey = 'json'"),
		'{}', 'taken: a record whose CID is not blessed, but a SHA-256');
}
is( $session->ok("SELECT count(*) FROM atid.mst_entries(@{[bytea(car([cid_of(node(undef, []))], [cid_of(node(undef, [])), node(undef, [])]))]})"),
	0, 'taken: the empty tree');

# --- trees that break a rule ------------------------------------------------------------------------

# The SQLSTATE and the DETAIL of mst_entries, and likewise for the other functions.
sub refused
{
	my ($what, $pattern, $car, $root, $wanted) = @_;
	$wanted ||= '22P03';
	my ($out, $state, $err) = $session->try("SELECT count(*) FROM atid.repo_records(@{[bytea($car)]})");
	is($state, $wanted, "$what: repo_records refuses it, $wanted") or diag($out);
	like($err, $pattern, "$what: by its name");
	my ($detail) = $err =~ /^DETAIL:  (.*)$/m;
	is($session->ok("SELECT atid.repo_problem(@{[bytea($car)]})"), $detail, "$what: repo_problem says so too");
	is($session->ok("SELECT atid.repo_is_valid(@{[bytea($car)]})"), 'f', "$what: it is not valid");
	return unless defined $root;
	($out, $state, $err) = $session->try("SELECT count(*) FROM atid.mst_entries(@{[bytea($car)]}, '$root')");
	is("$state $err" =~ /^$wanted .*^DETAIL:  \Q$detail\E$/ms ? 'same' : "$state $err", 'same', "$what: mst_entries too");
	return;
}

# Breaks the first node for which the sub gives a block.
sub broken
{
	my ($what, $pattern, $change, %opt) = @_;
	my $changed = 0;
	my ($car, $root) = repository(
		%opt,
		hook => sub {
			my ($level, $left, $entries, @keys) = @_;
			return if $changed;
			my $block = $change->($level, $left, $entries, @keys);
			$changed++ if defined $block;
			return $block;
		});
	is($changed, 1, "$what: broken once");
	refused($what, $pattern, $car, $root, $opt{state});
	return;
}

# The rule that a node breaks, or a key in it.
my $of_node = qr/The node is "bafyrei\w+"/;
sub at_node { return qr/^DETAIL:  At byte \d+: $_[0].*\. $of_node\.$/m; }
sub at_key { return qr/^DETAIL:  At byte \d+: $_[0].*\. $of_node, the key is "$POST\/[\w-]+"\.$/m; }

broken('a prefix that is too short', at_node('The prefix length of an entry must count all'), sub {
	my ($level, $left, $e) = @_;
	return unless @$e > 1;
	$e->[1] = { %{ $e->[1] }, p => $e->[1]{p} - 1, k => substr($keys[0], $e->[1]{p} - 1, 1) . $e->[1]{k} };
	return node($left, $e);
});
broken('a prefix that is too long', at_node('The prefix length of an entry must not be greater than'), sub {
	my ($level, $left, $e) = @_;
	return unless @$e > 1;
	$e->[1] = { %{ $e->[1] }, p => 500 };
	return node($left, $e);
});
broken('a prefix beyond any key', at_node('The prefix length of an entry must not be greater than'), sub {
	my ($level, $left, $e) = @_;
	return unless @$e > 1;
	$e->[1] = { %{ $e->[1] }, p => 100_000 };
	return node($left, $e);
});
broken('a prefix of the first key', at_node('The first entry of a node must have the prefix length 0'), sub {
	my ($level, $left, $e) = @_;
	$e->[0] = { %{ $e->[0] }, p => 1 };
	return node($left, $e);
});
broken('a negative prefix', at_node('An entry must be a map of'), sub {
	my ($level, $left, $e) = @_;
	$e->[0] = { %{ $e->[0] }, p => -1 };
	return node($left, $e);
});
broken('two keys that are swapped', at_key('A key must be greater than the one before it'), sub {
	my ($level, $left, $e, @all) = @_;
	return unless $level == 0 && @all > 1;
	@all[ 0, 1 ] = @all[ 1, 0 ];
	return node($left, [ node_entries(map { [ $_, $value{$_}, undef ] } @all) ]);
});
broken('a key twice', at_key('A tree must not have a key twice'), sub {
	my ($level, $left, $e, @all) = @_;
	return unless $level == 0;
	return node($left, [ node_entries(map { [ $_, $value{$_}, undef ] } @all, $all[-1]) ]);
});
broken('a key that is the beginning of the one before', at_key('A key must be greater than the one before it'), sub {
	my ($level, $left, $e, @all) = @_;
	return unless $level == 0;
	push @$e, { p => length($all[-1]) - 1, k => '', v => $value{ $all[-1] }, t => undef };
	return node($left, $e);
});
broken('a subtree whose keys lie elsewhere', at_key('(A key must be greater than the one before it|A tree must not have a key twice)'), sub {
	my ($level, $left, $e, @all) = @_;
	return unless $level == 1 && defined $left && grep { defined $_->{t} } @$e;
	$e->[$#$e]{t} = $left;
	return node($left, $e);
});
broken('a subtree that is shared', at_key('(A key must be greater than the one before it|A tree must not have a key twice)'), sub {
	my ($level, $left, $e, @all) = @_;
	return unless $level == 1 && defined $left;
	$_->{t} = $left foreach @$e;
	return node($left, $e);
});
broken('a key of another depth at level 0', at_key('A key must be in a node whose level'), sub {
	my ($level, $left, $e, @all) = @_;
	return unless $level == 0;
	my $deep = mine("$all[-1]-%d", 1);
	return node($left, [ node_entries((map { [ $_, $value{$_}, undef ] } @all), [ $deep, $value{ $all[0] }, undef ]) ]);
});
broken('a key of another depth first in its node', at_key('A key must be in a node whose level'), sub {
	my ($level, $left, $e, @all) = @_;
	return unless $level == 0;
	my $deep = mine("$all[-1]-%d", 2);
	return node($left, [ node_entries([ $deep, $value{ $all[0] }, undef ]) ]);
});
broken('a level that is skipped', at_key('A link must lead to a node one level below'), sub {
	my ($level, $left, $e, @all) = @_;
	return unless $level == 1 && defined $left;
	return node(undef, [ node_entries([ mine("$POST/0-%d", 0), $value{ $keys[0] }, undef ]) ]);
});
broken('an empty node', at_node('A node must not be empty'), sub {
	my ($level, $left, $e, @all) = @_;
	return unless $level == 0;
	return node(undef, []);
});
broken('a root of nothing but a link', at_node('The root must not be a node of nothing but a link'), sub {
	my ($level, $left, $e, @all) = @_;
	return unless $level == 3;
	return node($left, []);
});
broken('a link below level 0', at_node('A node of level 0 must not have links'), sub {
	my ($level, $left, $e, @all) = @_;
	return unless $level == 0;
	return node(cid_of(node(undef, [])), $e);
});
broken('a link behind an entry of level 0', at_node('A node of level 0 must not have links'), sub {
	my ($level, $left, $e, @all) = @_;
	return unless $level == 0;
	$e->[0]{t} = cid_of(node(undef, []));
	return node($left, $e);
});
broken('a link of codec raw', at_node('A link from node to node must be a blessed CID'), sub {
	my ($level, $left, $e, @all) = @_;
	return unless defined $left;
	return node("\x01\x55" . substr($left, 2), $e);
});
broken('a link of another hash', at_node('A link from node to node must be a blessed CID'), sub {
	my ($level, $left, $e, @all) = @_;
	return unless defined $left;
	$e->[0]{t} = "\x01\x71\x1b\x20" . 'x' x 32;
	return node($left, $e);
});
broken('a link to a node that is not there', at_node('The CAR must have the block of the node'), sub {
	my ($level, $left, $e, @all) = @_;
	return unless defined $left;
	return node(cid_of('nothing'), $e);
});
broken('a link to a record', at_node('A node must be a map of'), sub {
	my ($level, $left, $e, @all) = @_;
	return unless defined $left;
	return node($value{ $keys[0] }, $e);
});
broken('an empty key', at_node('A key must not be empty'), sub {
	my ($level, $left, $e, @all) = @_;
	return unless $level == 0;
	return node($left, [ { p => 0, k => '', v => $value{ $keys[0] }, t => undef } ]);
});
broken('a key of 1,025 bytes', at_node('A key must have at most 1024 bytes'), sub {
	my ($level, $left, $e, @all) = @_;
	return unless $level == 0;
	return node($left, [ { p => 0, k => 'x' x 1025, v => $value{ $keys[0] }, t => undef } ]);
});
broken('a key that is too long with its prefix', at_node('A key must have at most 1024 bytes'), sub {
	my ($level, $left, $e, @all) = @_;
	return unless $level == 0;
	push @$e, { p => length $all[-1], k => 'x' x 1000, v => $value{ $keys[0] }, t => undef };
	return node($left, $e);
});
broken('a key with a byte that no path has', at_node('A key must have only printable ASCII'), sub {
	my ($level, $left, $e, @all) = @_;
	return unless $level == 0;
	push @$e, { p => length $all[-1], k => "\xc3\xa9", v => $value{ $keys[0] }, t => undef };
	return node($left, $e);
});
broken('a node with another field', at_node('A node must be a map of'), sub {
	my ($level, $left, $e, @all) = @_;
	return node($left, $e, x => "\xf6");
});
broken('a node that is an array', at_node('A node must be a map of'), sub { return "\x80"; });
broken('a node without l', at_node('A node must be a map of'), sub {
	my ($level, $left, $e, @all) = @_;
	return unless $level == 0;
	return "\xa1" . substr(node(undef, $e), 1, -3);
});
broken('a node that is no DAG-CBOR', at_node('A block must end after its value'), sub {
	my ($level, $left, $e, @all) = @_;
	return node($left, $e) . "\0";
});
broken('a node whose lengths are not the shortest', at_node('An integer or length must be in its shortest form'), sub {
	my ($level, $left, $e, @all) = @_;
	return unless $level == 0;
	my $block = node($left, $e);
	substr($block, 3, 1) = "\x98" . chr(ord(substr($block, 3, 1)) & 0x1f);
	return $block;
});
foreach my $field (qw(k p t v))
{
	broken("an entry without $field", at_node('An entry must be a map of'), sub {
		my ($level, $left, $e, @all) = @_;
		my %pair = (k => cbor_bytes($e->[0]{k}), p => cbor_int(0), t => cbor_link($e->[0]{t}), v => cbor_link($e->[0]{v}));
		return if !@$e;
		delete $pair{$field};
		$e->[0] = { raw => head(5, 3) . join '', map { cbor_text($_) . $pair{$_} } sort keys %pair };
		return node($left, $e);
	});
}
{
	# 1,001 keys of depth 0
	my %many = %value;
	for (my $i = 0; keys %many < 1001 + @keys; $i++)
	{
		my $key = "$POST/z$i";
		$many{$key} = $value{ $keys[0] } if depth($key) == 0;
	}
	my ($car, $root) = repository(values => \%many);
	refused('a node of 1,001 entries', at_node('A node must have at most 1000 entries'), $car, $root, '54000');
	my ($out, $state, $err) = $session->try(
		"SELECT atid.mst_root(k, '@{[cid_text($value{$keys[0]})]}' ORDER BY k COLLATE \"C\") FROM unnest('{@{[join ',', keys %many]}}'::text[]) k");
	is($state, '54000', 'a node of 1,001 entries: mst_root refuses to make it');
}

# --- commits, paths, records -------------------------------------------------------------------------

my %wrong = (
	did     => [ undef, cbor_text('plc:x'), cbor_int(1) ],
	rev     => [ undef, cbor_text('now') ],
	data    => [ undef, cbor_link(undef), cbor_link(cid_of('x', RAW)) ],
	prev    => [ undef, cbor_text('x'), cbor_link(cid_of('x', RAW)) ],
	version => [ undef, cbor_int(1), cbor_int(4), cbor_text('3') ],
	sig     => [ undef, cbor_text('x') ]);
foreach my $field (sort keys %wrong)
{
	foreach my $form (@{ $wrong{$field} })
	{
		refused("a commit whose $field is " . (defined $form ? unpack('H*', $form) : 'absent'),
			qr/^DETAIL:  At byte \d+: A commit must have a "$field" that is .*\. The root is "bafyrei\w+"\.$/m,
			(repository(commit => { $field => $form }))[0]);
	}
}
foreach my $path ('nonsid/3jzfcijpj2z2a', "$POST", "$POST/", "$POST/.", "$POST/..", "$POST/a/b", "$POST/a+b", "/$POST/a",
	"app..post/a", "$POST/" . 'x' x 513)
{
	my ($car) = repository(values => { %value, $path => $value{ $keys[0] } });
	refused(sprintf("the path %.40s", $path), qr/^DETAIL:  (At character \d+: |)An? .* must .*\. The path is "\Q@{[substr($path, 0, 150)]}\E.*", the CID is "bafyrei\w+"\.$/m, $car);
}
refused('a record that is not there', qr/^DETAIL:  The CAR must have the block of the record\. The path is "$POST\/\w+", the CID is "bafyrei\w+"\.$/m,
	car([ $commit->[0] ], $commit, @$nodes, @records[ 1 .. $#records ]));
is( $session->ok("SELECT count(*), count(block) FROM atid.repo_records(@{[bytea(car([ $commit->[0] ], $commit, @$nodes, @records[ 1 .. $#records ]))]}, partial => true)"),
	scalar(@keys) . '|' . $#keys, 'partial: the record has no block');
is( $session->ok("SELECT count(*) < @{[scalar @keys]} AND count(*) > 0 FROM atid.repo_records(@{[bytea(car([ $commit->[0] ], $commit, @$nodes[ 0 .. 1 ], @records))]}, partial => true)"),
	't', 'partial: nodes that are not there are passed by');
refused('a record of an identity CID', qr/^DETAIL:  The hash in the CID of a block must be a SHA-256 of 32 bytes.*\. The CID is "bafyqa\w+"\.$/m,
	(repository(values => { %value, "$POST/id" => "\x01\x71\x00\x01x" }))[0], undef, '0A000');
refused('a CAR without a root', qr/The CAR must have a root/, car([], $commit, @$nodes, @records));
refused('a root that is not there', qr/must have the block of its first root\. The root is "bafyrei\w+"\.$/m, car([ cid_of('x') ], $commit, @$nodes, @records));
refused('a root of codec raw', qr/The first root, the commit, must be a blessed CID .*\. The root is "bafkrei\w+"\.$/m, car([ cid_of('x', RAW) ], [ cid_of('x', RAW), 'x' ]));
refused('a root that is a node', qr/At byte \d+: A commit must have/, car([ $nodes->[0][0] ], @$nodes));
foreach my $i (0, 1)
{
	my @of = ($commit, $nodes->[3]);
	my $bad = $of[$i];
	my @blocks = map { $_ == $bad ? [ $_->[0], $_->[1] ^ "\1" ] : $_ } $commit, @$nodes, @records;
	refused(('a commit', 'a node')[$i] . ' that is not its CID\'s',
		qr/At byte \d+: A block must have the hash that its CID says\. The CID is "\Q@{[cid_text($bad->[0])]}\E"\.$/m,
		car([ $commit->[0] ], @blocks));
}

# --- the bytes of a CAR ------------------------------------------------------------------------------

sub car_refused
{
	my ($what, $pattern, $bytes, $wanted) = @_;
	$wanted ||= '22P03';
	my ($out, $state, $err) = $session->try("SELECT count(*) FROM atid.car_blocks(@{[bytea($bytes)]})");
	is($state, $wanted, "$what: $wanted");
	like($err, qr/^DETAIL:  $pattern/m, "$what: why");
	my ($detail) = $err =~ /^DETAIL:  (.*)$/m;
	is($session->ok("SELECT atid.car_problem(@{[bytea($bytes)]}), atid.car_is_valid(@{[bytea($bytes)]})"), "$detail|f", "$what: car_problem");
	return;
}

my $one = [ cid_of('x', RAW), 'x' ];
my $header = car([ $one->[0] ]);
sub header
{
	my ($block) = @_;
	return varint(length $block) . $block;
}
car_refused('no bytes', qr/At byte 0: A CAR must not end/, '');
car_refused('a header that is no CBOR', qr/At byte 1: /, "\x01\xff");
car_refused('a header of 1 GiB', qr/At byte 0: A header or section must not be longer/, "\x80\x80\x80\x80\x04" . 'x' x 100);
car_refused('a length of 2^63', qr/At byte 0: A varint must have at most 9 bytes/, "\x80" x 9 . "\x01" . 'x' x 100);
car_refused('a length in a longer form', qr/At byte 0: A varint must be in its shortest/, "\x81\x00" . 'x' x 100);
car_refused('version 2', qr/At byte \d+: The "version" of a CAR must be 1/, header("\xa2" . cbor_text('roots') . "\x80" . cbor_text('version') . "\x02"));
car_refused('no version', qr/At byte \d+: The header of a CAR must be a map/, header("\xa1" . cbor_text('roots') . "\x80"));
car_refused('no roots', qr/At byte \d+: The header of a CAR must be a map/, header("\xa1" . cbor_text('version') . "\x01"));
car_refused('another field', qr/At byte \d+: The header of a CAR must be a map/,
	header("\xa3" . cbor_text('a') . "\x01" . cbor_text('roots') . "\x80" . cbor_text('version') . "\x01"));
car_refused('another field, before what is no CBOR', qr/At byte 2: The header of a CAR must be a map/, header("\xa1" . cbor_text('a') . "\xff"));
car_refused('roots that are no links', qr/At byte \d+: The "roots" of a CAR must be/, header("\xa2" . cbor_text('roots') . "\x81\x01" . cbor_text('version') . "\x01"));
car_refused('roots that are null', qr/At byte \d+: The "roots" of a CAR must be/, header("\xa2" . cbor_text('roots') . "\xf6" . cbor_text('version') . "\x01"));
car_refused('a thousand roots', qr/At byte \d+: A CAR must have at most 100 roots/, car([ ($one->[0]) x 1000 ]), '54000');
car_refused('a section of 1 GiB', qr/At byte @{[length $header]}: A header or section must not be longer/, "$header\x80\x80\x80\x80\x04x");
car_refused('a section of no bytes', qr/At byte \d+: A CID must not end/, "$header\0");
car_refused('a section without a CID', qr/At byte \d+: /, "$header\x04xxxx");
car_refused('a CIDv0', qr/At byte \d+: A CID must be of version 1, and this is a CIDv0/, $header . section("\x12\x20" . 'x' x 32, 'block'));
car_refused('a block that is not its CID\'s', qr/At byte @{[length $header]}: A block must have the hash/, $header . section($one->[0], 'y'));
car_refused('an identity CID', qr/At byte \d+: The CID of a block must be a hash of it, not an identity\. The CID is "bafkq\w+"/, $header . section("\x01\x55\x00\x01x", 'x'));
car_refused('another hash', qr/At byte \d+: The hash in the CID of a block must be a SHA-256 of 32 bytes.*The CID is "baf\w+"/, $header . section("\x01\x55\x13\x20" . 'x' x 32, 'x'), '0A000');
is( $session->ok("SELECT count(*) FROM atid.car_blocks(@{[bytea($header . section($one->[0], 'y') . section(qq(\x01\x55\x13\x20) . 'x' x 32, 'x'))]}, verify => false)"),
	2, 'unchecked, both are blocks');
is($session->ok("SELECT count(*) FROM atid.car_blocks(@{[bytea(car([]))]})"), 0, 'a CAR of no roots and no blocks');
is($session->ok("SELECT count(*) FROM atid.car_roots(@{[bytea(car([ ($one->[0]) x 100 ]))]})"), 100, 'a hundred roots');

# Truncated, and changed, at every byte of a small repository; in one statement each.
my %few = map { $_ => $value{$_} } @keys[ 0 .. 5 ];
my @few_nodes;
my $few_commit = commit(tree(\%few, \@few_nodes));
my $small = car([ cid_of($few_commit) ], [ cid_of($few_commit), $few_commit ], @few_nodes, map { [ $value{$_}, $block{$_} ] } sort keys %few);
$session->ok(<<"SQL");
CREATE FUNCTION pg_temp.records(car bytea) RETURNS text LANGUAGE plpgsql AS \$\$
BEGIN
  RETURN (SELECT md5(string_agg(r::text, ' ')) FROM atid.repo_records(car) r);
EXCEPTION WHEN data_exception OR program_limit_exceeded OR feature_not_supported THEN
  RETURN CASE WHEN atid.repo_problem(car) IS NULL THEN 'no problem, but ' || SQLERRM ELSE 'refused' END;
END \$\$;
CREATE TEMP TABLE small AS SELECT @{[bytea($small)]} AS car;
SQL
is( $session->ok("SELECT count(*) FROM small, generate_series(0, length(car) - 1) n WHERE pg_temp.records(substr(car, 1, n)) <> 'refused'"),
	0, 'cut off at any byte: refused');
is( $session->ok("SELECT count(*) FROM small, generate_series(0, length(car) - 1) n, unnest('{1,128}'::int[]) bit WHERE pg_temp.records(set_byte(car, n, get_byte(car, n) # bit)) NOT IN ('refused', pg_temp.records(car))"),
	0, 'any byte changed: refused, or the same records');
is( $session->ok("SELECT count(*) FROM small, generate_series(0, length(car) - 1) n WHERE pg_temp.records(set_byte(car, n, get_byte(car, n) # 1)) <> 'refused'"),
	0, 'any byte changed, where all blocks are needed: refused');
is( $session->ok("SELECT count(*) FROM small, generate_series(1, length(car)) n WHERE pg_temp.records(overlay(car PLACING '' FROM n FOR 1)) <> 'refused'"),
	0, 'any byte dropped: refused');
is( $session->ok("SELECT count(*) FROM small, generate_series(1, length(car)) n WHERE pg_temp.records(overlay(car PLACING substr(car, n, 1) FROM n FOR 0)) <> 'refused'"),
	0, 'any byte doubled: refused');

#
# The order of blocks in the CAR of examples/export.sql, by the rule: the commit; then each node, and after it the
# blocks that its slots name, in their order. A place is that of a node with the number of the slot; arrays sort a node
# before the values below it.
#
$node->psql($db, slurp_file("$FindBin::Bin/../../examples/export.sql"), on_error_stop => 1, on_error_die => 1);
$session->ok(<<'SQL');
CREATE VIEW exported AS SELECT n, cid, block FROM export('did:web:a.example') AS car, atid.car_blocks(car);
CREATE VIEW ruled AS
WITH RECURSIVE slot AS MATERIALIZED (
  SELECT node.cid, s.*
  FROM (SELECT DISTINCT ON (cid) cid, atid.dag_cbor_to_record(block) AS body FROM exported ORDER BY cid) AS node, LATERAL (
    SELECT 0 AS place, body #>> '{l,$link}' AS link, true AS is_node
    UNION ALL
    SELECT 2 * i - v, e #>> ARRAY[CASE v WHEN 1 THEN 'v' ELSE 't' END, '$link'], v = 0
    FROM jsonb_array_elements(body -> 'e') WITH ORDINALITY AS a (e, i), generate_series(0, 1) AS v) AS s
  WHERE body ? 'e' AND link IS NOT NULL
), block AS (
  SELECT '{}'::int[] AS place, data AS cid, true AS is_node FROM commits
  UNION ALL
  SELECT block.place || slot.place::int, link::atid.cid_link, slot.is_node FROM block JOIN slot USING (cid) WHERE block.is_node
)
SELECT row_number() OVER (ORDER BY place) + 1 AS n, cid FROM block;
SQL
my $signature = "atid.bytes_json(decode(repeat('01', 64), 'hex'))";
foreach my $size (0, 1, 2, 3, 10, 60, 1000)
{
	# some records are the same; keys of some collections, and once only some of them, so that levels have no entry
	$session->ok(<<"SQL");
TRUNCATE records, commits;
INSERT INTO records
SELECT 'did:web:a.example', collection, rkey, atid.record_cid(record), atid.record_to_dag_cbor(record)
FROM (SELECT 'com.example.' || chr(97 + i % 3) AS collection, md5(i::text) AS rkey, jsonb_build_object('text', i % 50) AS record
      FROM generate_series(1, CASE $size WHEN 10 THEN 5000 ELSE $size END) AS i) AS r
WHERE $size <> 10 OR atid.mst_key_depth(collection || '/' || rkey) NOT IN (1, 2) AND left(rkey, 2) IN ('00', '88', 'ff')
   OR atid.mst_key_depth(collection || '/' || rkey) > 3;
INSERT INTO commits
SELECT 'did:web:a.example', root, atid.record_to_dag_cbor(jsonb_build_object('did', 'did:web:a.example', 'version', 3, 'rev', '3kiwuyhjckc25',
         'prev', NULL, 'data', jsonb_build_object('\$link', root), 'sig', $signature))
FROM (SELECT atid.mst_root(path, cid ORDER BY path) AS root FROM records) AS t;
SQL
	is($session->ok("SELECT atid.repo_problem(car) FROM export('did:web:a.example') AS car"), '', "export of $size: a repository");
	is( $session->ok('SELECT count(*) FROM exported FULL JOIN ruled USING (n) WHERE n > 1 AND exported.cid IS DISTINCT FROM ruled.cid'),
		0, "export of $size: the order of the rule");
	is( $session->ok('SELECT (SELECT count(*) FROM exported) - (SELECT count(*) FROM records) - (SELECT count(*) FROM atid.car_blocks(
			(SELECT atid.mst_car(path, cid ORDER BY path) FROM records))), (SELECT cid = atid.cid_of(block, \'dag-cbor\') FROM commits, (
			SELECT cid FROM exported WHERE n = 1) AS e)'),
		'1|t', "export of $size: the commit first, and each block once for each place");
}

$session->quit;
$node->stop;
done_testing();
