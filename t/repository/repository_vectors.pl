# Test vectors of the tree and of the firehose: ours in t/vectors, and the AT Protocol's public ones where they are
# available (AtidTest::Interop).
#
# Shows that
# - each key has the depth given in mst/key_heights.json, and those of mst/example_keys.txt the depth that their
#   second character names; the tree of the latter gives its keys back;
# - keys share the prefixes given in mst/common_prefix.json, as far as they can be keys of one node;
# - each commit of firehose/commit-proof-fixtures.json has the named roots, before and after; the operations invert
#   to the root before with exactly the blocks of the proof; without any one block there is an error that names the
#   missing node; and with a wrong operation the root differs or there is an error.
#
# Tags: quick

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Interop;
use Digest::SHA ();
use JSON::PP    ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $json    = JSON::PP->new->utf8;
my $node    = new_node('repository_interop', ready => 1);
my $db      = new_database($node, 'vectors');
my $session = AtidTest::Session->new($node, $db);

sub vectors
{
	my ($file) = @_;
	return map { @{ $json->decode(slurp_file("$_/$file")) } } vector_folders('mst');
}

sub array
{
	my ($type, @values) = @_;
	return 'ARRAY['
	  . join(', ', map { defined $_ ? literal($_) : 'NULL' } @values)
	  . "]::$type\[]";
}

# --- depths ----------------------------------------------------------------------------------------

my @heights = vectors('mst/key_heights.json');
cmp_ok(scalar @heights, '>=', 9, 'vectors of depths');
foreach my $v (@heights)
{
	is($session->ok('SELECT atid.mst_key_depth(' . literal($v->{key}) . ')'),
		$v->{height}, "depth of '$v->{key}'");
}

my %keys = map { $_ => 1 } map { split /\n/, slurp_file("$_/mst/example_keys.txt") } vector_folders('mst');
my @keys = keys %keys;
cmp_ok(scalar @keys, '>=', with_public() ? 156 : 100, 'example keys');
is( $session->ok(
		"SELECT string_agg(k, ' ') FROM unnest(@{[array('text', @keys)]}) k WHERE atid.mst_key_depth(k) <> substr(k, 2, 1)::int"
	),
	'',
	'each example key has the depth that its second character names');

# The tree of keys, all with one value.
my $value = 'bafyreie5cvv4h45feadgeuwhbcutmh6t2ceseocckahdoe6uat64zmz454';

sub tree
{
	my ($what, @of) = @_;
	return "(SELECT atid.mst_$what(k, '$value' ORDER BY k COLLATE \"C\") FROM unnest(@{[array('text', @of)]}) k)";
}

is( $session->ok("SELECT string_agg(key, ' ') FROM atid.mst_entries(@{[tree('car', @keys)]})"),
	join(' ', sort @keys),
	'the tree of the example keys gives them back in order');
is( $session->ok("SELECT cid = @{[tree('root', @keys)]} FROM atid.car_roots(@{[tree('car', @keys)]})"),
	't', 'mst_root is the root of mst_car');

# --- prefixes --------------------------------------------------------------------------------------

# The prefix length of the second entry, in the only node of two keys of depth 0: "p" and a number below 24.
my $compared = 0;
foreach my $v (vectors('mst/common_prefix.json'))
{
	my ($first, $second) = sort $v->{left}, $v->{right};
	next if $first eq '' || $first eq $second || "$first$second" =~ /[^!-~]/;
	$first = "-$first";
	$second = "-$second";

	# keys of depth 0 that continue like these
	my ($a, $b) = map {
		my $key = $_;
		my $n   = 0;
		$n++ while unpack('C', Digest::SHA::sha256("$key!$n")) < 64;
		"$key!$n"
	} ($first, $second);
	next unless substr($first, $v->{len} + 1) ne '' && substr($second, $v->{len} + 1) ne '';
	($a, $b) = sort $a, $b;
	my $block = $session->ok(
		"SELECT atid.dag_cbor_to_json(block) FROM atid.car_blocks(@{[tree('car', $a, $b)]})");
	is($json->decode($block)->{e}[1]{p}, $v->{len} + 1, "'$v->{left}' and '$v->{right}' share $v->{len}");
	$compared++;
}
cmp_ok($compared, '>=', 2, 'prefixes were compared');

# --- proofs ----------------------------------------------------------------------------------------

# The proofs have the paths to both neighbours of a key. Each node of them is needed.
foreach my $v (vectors('firehose/commit-proof-fixtures.json'))
{
	my $name   = $v->{comment};
	my @before = @{ $v->{keys} };
	my %gone   = map { $_ => 1 } @{ $v->{dels} };
	my @after  = (grep({ !$gone{$_} } @before), @{ $v->{adds} });
	$value = $v->{leafValue};

	is($session->ok('SELECT ' . tree('root', @before)),
		$v->{rootBeforeCommit}, "$name: the root before");
	is($session->ok('SELECT ' . tree('root', @after)),
		$v->{rootAfterCommit}, "$name: the root after");

	# The changes are the additions and deletions.
	is( $session->ok(
			"SELECT string_agg(key || (old IS NOT NULL)::int || (new IS NOT NULL)::int, ' ') FROM atid.mst_diff(@{[tree('car', @before)]}, NULL, @{[tree('car', @after)]}, NULL)"
		),
		join(' ', sort((map { "${_}01" } @{ $v->{adds} }), (map { "${_}10" } @{ $v->{dels} }))),
		"$name: mst_diff");

	# The nodes of the tree after the commit that are in the proof, except the named ones.
	my $invert = sub {
		my ($without, $adds, $dels) = @_;
		my @ops  = (@$adds, @$dels);
		my @olds = ((map { undef } @$adds), (map { $value } @$dels));
		my @news = ((map { $value } @$adds), (map { undef } @$dels));
		my @proof = grep { $_ ne ($without || '') } @{ $v->{blocksInProof} };
		return $session->try(<<"SQL");
WITH proof AS (
  SELECT atid.car_agg('$v->{rootAfterCommit}', cid, block ORDER BY n) AS car
    FROM atid.car_blocks(@{[tree('car', @after)]})
   WHERE cid::text = ANY (@{[array('text', @proof)]}))
SELECT atid.mst_invert(car, '$v->{rootAfterCommit}',
       @{[array('text', @ops)]}, @{[array('atid.cid_link', @olds)]}, @{[array('atid.cid_link', @news)]}) FROM proof
SQL
	};

	my ($root, $state, $err) = $invert->(undef, $v->{adds}, $v->{dels});
	is($root, $v->{rootBeforeCommit}, "$name: inverted") or diag($err);

	my $used = $session->ok(
		"SELECT string_agg(cid::text, ' ') FROM atid.car_blocks(@{[tree('car', @after)]}) WHERE cid::text = ANY (@{[array('text', @{ $v->{blocksInProof} })]})"
	);
	is(scalar(split / /, $used), scalar @{ $v->{blocksInProof} }, "$name: all blocks of the proof are nodes of the tree after");
	foreach my $cid (split / /, $used)
	{
		($root, $state, $err) = $invert->($cid, $v->{adds}, $v->{dels});
		is($state, '22P03', "$name: without $cid");
		like($err, qr/\Q$cid\E/, "$name: the error names it");
	}

	# Operations other than the true ones.
	if (@{ $v->{adds} })
	{
		($root, $state, $err) = $invert->(undef, [], $v->{dels});
		isnt($root, $v->{rootBeforeCommit}, "$name: with an operation left out, another root or an error");
		($root, $state, $err) = $invert->(undef, [ @{ $v->{adds} }, 'zz/zz' ], $v->{dels});
		like($state, qr/^22/, "$name: with an operation that was not, an error");
	}
}

$session->quit;
$node->stop;
done_testing();
