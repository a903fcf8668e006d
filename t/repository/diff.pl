# mst_diff of invalid trees.
#
# AtidTest::Repository, which shares no code with the extension, makes trees of random keys of all depths. One tree
# is canonical. The other has random entries added and deleted, and then mostly one error: an entry on the wrong
# side of a subtree, at the wrong level or twice; subtrees swapped, repeated, dropped, or at another level. All
# hashes are right. Shows that
# - with either tree first, mst_diff raises an error if mst_entries refuses the other tree, for the same rule or
#   another; and in no other case;
# - otherwise it gives the difference of the entries;
# - with a CAR of only those nodes that the canonical tree does not have, it never gives a result for a tree that
#   mst_entries refuses;
# - an entry after a shared subtree that belongs before it, and a shared subtree at another level, are reported with
#   their key and rule; and shared subtrees are read only along their right edge.
#
# $ATID_SEED seeds the random numbers, $ATID_PAIRS is the number of pairs.
#
# Tags: medium

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Repository;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $pairs = $ENV{ATID_PAIRS} || 1500;
my $seed  = $ENV{ATID_SEED}  || 1;
srand($seed);
note("ATID_SEED=$seed");

my $node    = new_node('repository_diff', ready => 1);
my $db      = new_database($node, 'diff');
my $session = AtidTest::Session->new($node, $db);

sub pick { return $_[ rand @_ ]; }

# --- keys --------------------------------------------------------------------------------------------

# A quarter of random keys have depth 1 or more; here, many more keys are deep.
my (%depth, @pool);
for (my $i = 0; @pool < 600; $i++)
{
	my $key = sprintf 'app.bsky.feed.post/%05d', int rand 100_000;
	next if defined $depth{$key};
	my $depth = depth($key);
	next if rand(4**3) > 4**($depth + 1);
	$depth{$key} = $depth;
	push @pool, $key;
}

# --- trees -------------------------------------------------------------------------------------------

# A node is {keys, values, trees}: a tree before each key, and one after the last.
sub plant
{
	my ($values, $level, @keys) = @_;
	my %node = (keys => [], values => [], trees => []);
	my @between;
	foreach my $key (@keys, undef)
	{
		if (defined $key && $depth{$key} < $level)
		{
			push @between, $key;
			next;
		}
		push @{ $node{trees} }, @between ? plant($values, $level - 1, @between) : undef;
		@between = ();
		next unless defined $key;
		push @{ $node{keys} },   $key;
		push @{ $node{values} }, $values->{$key};
	}
	return \%node;
}

sub tree_of
{
	my ($values) = @_;
	my @keys = sort keys %$values;
	my ($top) = sort { $b <=> $a } map { $depth{$_} } @keys;
	return plant($values, $top, @keys);
}

# The CID of a tree; its nodes are put into the hash, by their CIDs.
sub nodes_of
{
	my ($tree, $nodes) = @_;
	my ($left, @links) = map { defined $_ ? nodes_of($_, $nodes) : undef } @{ $tree->{trees} };
	my $block = node($left,
		[ node_entries(map { [ $tree->{keys}[$_], $tree->{values}[$_], $links[$_] ] } 0 .. $#{ $tree->{keys} }) ]);
	my $cid = cid_of($block);
	$nodes->{$cid} = $block;
	return $cid;
}

sub all_nodes
{
	my ($tree) = @_;
	return ($tree, map { defined $_ ? all_nodes($_) : () } @{ $tree->{trees} });
}

# --- what can be wrong -------------------------------------------------------------------------------

my $new = cid_of('new');

# Put an entry into a node, with the entry or tree that was in its place on one side of it.
sub put
{
	my ($node, $key) = @_;
	my $i = int rand(@{ $node->{keys} } + 1);
	splice @{ $node->{keys} },   $i, 0, $key;
	splice @{ $node->{values} }, $i, 0, $new;
	splice @{ $node->{trees} }, $i + int(rand 2), 0, undef;
	return;
}

sub free_key
{
	my ($used, $depth) = @_;
	return pick(grep { !$used->{$_} && $depth{$_} == $depth } @pool);
}

# A node that has entries, and a place of a tree in some node.
sub some_node { return pick(grep { @{ $_->{keys} } } @_); }
sub some_place
{
	my @places = map { my $n = $_; map { [ $n, $_ ] } grep { defined $n->{trees}[$_] } 0 .. $#{ $n->{trees} } } @_;
	return @places ? pick(@places) : undef;
}

my %wrongs = (
	'another key' => sub {
		my ($used, @all) = @_;
		my $n = some_node(@all);
		my $i = int rand @{ $n->{keys} };
		my $key = free_key($used, $depth{ $n->{keys}[$i] });
		$n->{keys}[$i] = $key if defined $key;
	},
	'one key more' => sub {
		my ($used, @all) = @_;
		my $n = some_node(@all);
		my $key = free_key($used, $depth{ $n->{keys}[0] });
		put($n, $key) if defined $key;
	},
	'a key of another depth' => sub {
		my ($used, @all) = @_;
		my $key = pick(grep { !$used->{$_} } @pool);
		put(some_node(@all), $key);
	},
	'a key twice' => sub {
		my ($used, @all) = @_;
		my $n = some_node(@all);
		my @same = grep { $depth{$_} == $depth{ $n->{keys}[0] } } keys %$used;
		put($n, pick(@same));
	},
	'an entry on the other side of a tree' => sub {
		my ($used, @all) = @_;
		my $place = some_place(@all) or return;
		my ($n, $i) = @$place;
		my $j = $i < $#{ $n->{trees} } ? $i + 1 : $i - 1;
		@{ $n->{trees} }[ $i, $j ] = @{ $n->{trees} }[ $j, $i ] if $j >= 0;
	},
	'two trees swapped' => sub {
		my ($used, @all) = @_;
		my ($a, $b) = (some_place(@all), some_place(@all));
		return unless defined $a;
		my ($x, $y) = ($a->[0]{trees}[ $a->[1] ], $b->[0]{trees}[ $b->[1] ]);
		# not into itself
		return if grep({ $_ == $y } all_nodes($x)) || grep({ $_ == $x } all_nodes($y));
		$a->[0]{trees}[ $a->[1] ] = $y;
		$b->[0]{trees}[ $b->[1] ] = $x;
	},
	'a tree again' => sub {
		my ($used, @all) = @_;
		my $place = some_place(@all) or return;
		my $tree  = $place->[0]{trees}[ $place->[1] ];
		my %below = map { $_ => 1 } all_nodes($tree);
		my $n     = pick(grep { !$below{$_} } @all);
		$n->{trees}[ rand @{ $n->{trees} } ] = $tree;
	},
	'a tree dropped' => sub {
		my ($used, @all) = @_;
		my $place = some_place(@all) or return;
		$place->[0]{trees}[ $place->[1] ] = undef;
	},
	'a tree a level lower' => sub {
		my ($used, @all) = @_;
		my $place = some_place(@all) or return;
		$place->[0]{trees}[ $place->[1] ] = { keys => [], values => [], trees => [ $place->[0]{trees}[ $place->[1] ] ] };
	},
	'a tree a level higher' => sub {
		my ($used, @all) = @_;
		my $place = some_place(@all) or return;
		$place->[0]{trees}[ $place->[1] ] = pick(@{ $place->[0]{trees}[ $place->[1] ]{trees} });
	});

# --- pairs -------------------------------------------------------------------------------------------

$session->ok(<<'SQL');
CREATE FUNCTION state_of(call text, car_a bytea, root_a atid.cid_link, car_b bytea, root_b atid.cid_link) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  answer text;
BEGIN
  EXECUTE 'SELECT string_agg(t::text, '' '') FROM ' || call || ' t' INTO answer USING car_a, root_a, car_b, root_b;
  RETURN coalesce(answer, '');
EXCEPTION WHEN data_exception THEN
  RETURN 'ERROR';
END $$;
CREATE TABLE pair (n int, wrong text, car_a bytea, root_a atid.cid_link, car_b bytea, root_b atid.cid_link, rest_of_b bytea);
SQL

my $file = PostgreSQL::Test::Utils::tempdir('pairs') . '/pairs';
open my $out, '>', $file or die "could not write $file: $!";
for my $n (1 .. $pairs)
{
	my %values = map { $_ => cid_of($_) } map { pick(@pool) } 0 .. 5 + rand 120;
	my %other = %values;
	foreach (0 .. rand 4)
	{
		my $key = pick(@pool);
		if (defined $other{$key} && keys %other > 2) { delete $other{$key}; }
		else { $other{$key} = $new; }
	}
	my ($a, $b) = (tree_of(\%values), tree_of(\%other));
	my $wrong = $n % 5 ? pick(sort keys %wrongs) : 'nothing';
	$wrongs{$wrong}->({ %values, %other }, all_nodes($b)) unless $wrong eq 'nothing';

	my (%a, %b);
	my ($root_a, $root_b) = (nodes_of($a, \%a), nodes_of($b, \%b));
	my @cars = (
		car([$root_a], map { [ $_, $a{$_} ] } sort keys %a),
		car([$root_b], map { [ $_, $b{$_} ] } sort keys %b),
		car([$root_b], map { [ $_, $b{$_} ] } grep { !defined $a{$_} } sort keys %b));
	print $out join("\t", $n, $wrong, '\\\\x' . unpack('H*', $cars[0]), cid_text($root_a),
		'\\\\x' . unpack('H*', $cars[1]), cid_text($root_b), '\\\\x' . unpack('H*', $cars[2])), "\n";
}
close $out or die "could not write $file: $!";
$node->safe_psql($db, "\\copy pair FROM '$file'");

$session->ok(<<'SQL');
CREATE TABLE answer AS
SELECT n, wrong,
       state_of('atid.mst_entries($1, $2)', car_a, root_a, NULL, NULL) AS entries_a,
       state_of('atid.mst_entries($3, $4)', NULL, NULL, car_b, root_b) AS entries_b,
       state_of('atid.mst_diff($1, $2, $3, $4)', car_a, root_a, car_b, root_b) AS there,
       state_of('(SELECT key, new, old FROM atid.mst_diff($3, $4, $1, $2))', car_a, root_a, car_b, root_b) AS back,
       state_of('atid.mst_diff($1, $2, $3, $4)', car_a, root_a, rest_of_b, root_b) AS rest,
       state_of('(SELECT key, a.value AS old, b.value AS new
                    FROM atid.mst_entries($1, $2) a FULL JOIN atid.mst_entries($3, $4) b USING (key)
                   WHERE a.value IS DISTINCT FROM b.value ORDER BY key COLLATE "C")', car_a, root_a, car_b, root_b) AS wanted
  FROM pair;
SQL

sub nothing_where
{
	my ($condition, $name) = @_;
	is($session->ok("SELECT string_agg(n || ' ' || wrong, ', ') FROM answer WHERE $condition"), '', $name);
	return;
}
nothing_where("entries_a = 'ERROR'", 'the one tree is canonical');
nothing_where("wrong = 'nothing' AND entries_b = 'ERROR'", 'the other too, where nothing is wrong');
nothing_where("(entries_b = 'ERROR') <> (there = 'ERROR')", 'mst_diff raises where mst_entries refuses the second tree, and nowhere else');
nothing_where("(entries_b = 'ERROR') <> (back = 'ERROR')",  'the same of the first');
nothing_where('there <> wanted OR back <> wanted', 'else it gives the difference of the entries');
nothing_where("rest <> 'ERROR' AND rest <> wanted", 'nor does it answer wrong where the second CAR has what is new only');

foreach my $wrong (sort keys %wrongs)
{
	cmp_ok($session->ok("SELECT count(*) FROM answer WHERE wrong = '$wrong' AND entries_b = 'ERROR'"),
		'>=', $pairs / 100, "often enough: $wrong");
}
cmp_ok($session->ok("SELECT count(*) FROM answer WHERE rest <> 'ERROR' AND wanted <> ''"), '>=', $pairs / 20, 'often enough: answers of what is new only');

# --- two of them, by name ----------------------------------------------------------------------------

# Each CAR without some nodes; the second tree is refused, by the key and the rule.
sub is_seen
{
	my ($what, $a, $b, $without, $pattern) = @_;
	my (%a, %b);
	my ($root_a, $root_b) = (nodes_of($a, \%a), nodes_of($b, \%b));
	delete @a{@$without};
	delete @b{@$without};
	my @cars = map { "'\\x" . unpack('H*', $_) . "', NULL" } car([$root_a], map { [ $_, $a{$_} ] } keys %a), car([$root_b], map { [ $_, $b{$_} ] } keys %b);
	foreach my $args ("$cars[0], $cars[1]", "$cars[1], $cars[0]")
	{
		my ($rows, $state, $err) = $session->try("SELECT count(*) FROM atid.mst_diff($args)");
		is($state, '22P03', $what);
		like($err, $pattern, "$what: its key and its rule");
	}
	return;
}

my ($first, $second, $third, $last) = map { mine("a/1$_->[0]-%d", $_->[1]) } [ 0, 0 ], [ 1, 1 ], [ 2, 0 ], [ 3, 2 ];
my ($early, $top, $later) = (mine('a/0-%d', 2), mine('a/2-%d', 3), mine('a/2-%d', 2));
$depth{$_} = depth($_) foreach $first, $second, $third, $last, $early, $top, $later;

# After a subtree of two levels, the second tree has another key, which belongs before it. The left part of the
# subtree is in neither CAR, as it does not have to be read.
{
	my @same = ($first, $second, $third);
	my ($a, $b) = map { tree_of({ map { $_ => $new } @same, $last }) } 1, 2;
	$b->{keys}[0] = $early;
	is_seen('an entry behind a shared subtree, which belongs before it', $a, $b, [ nodes_of($a->{trees}[0]{trees}[0], {}) ],
		qr/^DETAIL:  At byte \d+: A key must be greater than the one before it\. The node is "bafyrei\w+", the key is "\Q$early\E"\.$/m);
}

# A subtree of level 2 that lies below a root of level 3 in the first tree, and of level 2 in the second.
{
	my @same = ($first, $second, $third, $last);
	my ($a, $b) = map { tree_of({ map { $_ => $new } @same, $top }) } 1, 2;
	$b->{keys}[0] = $later;
	is_seen('a shared subtree at another level', $a, $b, [],
		qr/^DETAIL:  At byte \d+: A key must be in a node whose level .*\. The node is "bafyrei\w+", the key is "\Q$last\E"\.$/m);
}

$session->quit;
$node->stop;
done_testing();
