# AtidTest::Repository: repositories made here, without any code of the extension, and broken on purpose.
#
#   cid_of, cid_text         the CID of a block, as bytes; a CID's text
#   node, entry              a node of a tree in DAG-CBOR, from any input
#   tree                     the canonical tree of entries; a hook may change any node on the way
#   commit, car              the block of a commit; a CAR
#   mine                     a key of some depth
#
# A tree is built top down by its definition: the keys of the greatest depth are in the root, and the keys
# between two of them form a tree of their own, one level below.

package AtidTest::Repository;

use strict;
use warnings FATAL => 'all';

use Digest::SHA qw(sha256);
use Exporter 'import';

our @EXPORT = qw(
  DAG_CBOR
  RAW
  car
  cbor_bytes
  cbor_int
  cbor_link
  cbor_text
  cid_of
  cid_text
  commit
  depth
  entry
  head
  mine
  node
  node_entries
  section
  tree
  varint
);

use constant { DAG_CBOR => 0x71, RAW => 0x55 };

sub varint
{
	my ($n) = @_;
	my $bytes = '';
	while ($n >= 128)
	{
		$bytes .= chr($n % 128 + 128);
		$n = int($n / 128);
	}
	return $bytes . chr($n);
}

sub cid_of
{
	my ($block, $codec) = @_;
	return pack('C4', 1, defined $codec ? $codec : DAG_CBOR, 0x12, 32) . sha256($block);
}

sub cid_text
{
	my ($cid)  = @_;
	my $bits   = unpack('B*', $cid);
	my @digits = ('a' .. 'z', 2 .. 7);
	$bits .= '0' x (-length($bits) % 5);
	return 'b' . join '', map { $digits[ oct("0b$_") ] } $bits =~ /(.{5})/g;
}

# --- DAG-CBOR --------------------------------------------------------------------------------------

sub head
{
	my ($major, $n) = @_;
	my $type = $major << 5;
	return pack('C', $type | $n) if $n < 24;
	return pack('CC', $type | 24, $n) if $n < 256;
	return pack('Cn', $type | 25, $n) if $n < 65536;
	return pack('CN', $type | 26, $n);
}

sub cbor_int   { return head($_[0] < 0 ? 1 : 0, $_[0] < 0 ? -1 - $_[0] : $_[0]); }
sub cbor_bytes { return head(2, length $_[0]) . $_[0]; }
sub cbor_text  { return head(3, length $_[0]) . $_[0]; }
sub cbor_link  { return defined $_[0] ? "\xd8\x2a" . cbor_bytes("\0$_[0]") : "\xf6"; }

# A map of pairs (key, encoded value), in the order of DAG-CBOR.
sub cbor_map
{
	my %map = @_;
	my @keys = sort { length $a <=> length $b || $a cmp $b } keys %map;
	return head(5, scalar @keys) . join '', map { cbor_text($_) . $map{$_} } @keys;
}

# --- trees -----------------------------------------------------------------------------------------

sub depth
{
	my ($key) = @_;
	my ($zeros) = unpack('B*', sha256($key)) =~ /^(0*)/;
	return int(length($zeros) / 2);
}

# The first key of this form, with a number for %d, that has this depth.
sub mine
{
	my ($form, $depth) = @_;
	my $n = 0;
	$n++ while depth(sprintf $form, $n) != $depth;
	return sprintf $form, $n;
}

# An entry: key, value, and the tree after it, after the key before it.
sub entry
{
	my ($before, $key, $value, $tree) = @_;
	my $shared = 0;
	$shared++
	  while $shared < length $before
	  && $shared < length $key
	  && substr($before, $shared, 1) eq substr($key, $shared, 1);
	return { p => $shared, k => substr($key, $shared), v => $value, t => $tree };
}

# The entries of a node, of [key, value, tree].
sub node_entries
{
	my @entries;
	my $before = '';
	foreach my $e (@_)
	{
		push @entries, entry($before, @$e);
		$before = $e->[0];
	}
	return @entries;
}

# The block of a node; extra has pairs that a valid node does not have.
sub node
{
	my ($left, $entries, %extra) = @_;
	return cbor_map(
		e => head(4, scalar @$entries) . join('',
			map {
				my %e = %$_;
				ref $_ eq 'HASH' && defined $e{raw} ? $e{raw} : cbor_map(
					k => cbor_bytes($e{k}),
					p => cbor_int($e{p}),
					t => cbor_link($e{t}),
					v => cbor_link($e{v}))
			} @$entries),
		l => cbor_link($left),
		%extra);
}

# The tree of {key => CID}. Returns the root's CID; its nodes go to the list at nodes, each [CID, block],
# children last. The hook is called as hook(level, left, [entries], keys...) and returns the block instead, or
# undef.
sub tree
{
	my ($values, $nodes, $hook) = @_;
	my @keys = sort keys %$values;
	my %depth = map { $_ => depth($_) } @keys;
	my $top = 0;
	foreach my $key (@keys) { $top = $depth{$key} if $depth{$key} > $top; }
	return subtree($values, \%depth, $nodes, $hook, $top, @keys);
}

sub subtree
{
	my ($values, $depth, $nodes, $hook, $level, @keys) = @_;
	my (@slots, @own);
	my @between;
	foreach my $key (@keys)
	{
		if ($depth->{$key} == $level)
		{
			push @slots, [@between];
			push @own, $key;
			@between = ();
		}
		else { push @between, $key; }
	}
	push @slots, [@between];

	my $place = @$nodes;
	push @$nodes, undef;
	my @links = map { @$_ ? subtree($values, $depth, $nodes, $hook, $level - 1, @$_) : undef } @slots;
	my $left  = shift @links;
	my @entries = node_entries(map { [ $own[$_], $values->{ $own[$_] }, $links[$_] ] } 0 .. $#own);
	my $block = $hook ? $hook->($level, $left, \@entries, @keys) : undef;
	$block = node($left, \@entries) unless defined $block;
	my $cid = cid_of($block);
	$nodes->[$place] = [ $cid, $block ];
	return $cid;
}

# --- commits and CARs ------------------------------------------------------------------------------

# The block of a commit; a field given as undef is omitted.
sub commit
{
	my ($data, %fields) = @_;
	my %commit = (
		did     => cbor_text('did:plc:ewvi7nxzyoun6zhxrhs64oiz'),
		version => cbor_int(3),
		rev     => cbor_text('3jzfcijpj2z2a'),
		data    => cbor_link($data),
		prev    => cbor_link(undef),
		sig     => cbor_bytes('s' x 64),
		%fields);
	delete $commit{$_} foreach grep { !defined $commit{$_} } keys %commit;
	return cbor_map(%commit);
}

sub section
{
	my ($cid, $block) = @_;
	return varint(length($cid) + length $block) . $cid . $block;
}

# A CAR of [root CIDs] and of [CID, block]s.
sub car
{
	my ($roots, @blocks) = @_;
	my $header = cbor_map(
		roots   => head(4, scalar @$roots) . join('', map { cbor_link($_) } @$roots),
		version => cbor_int(1));
	return join '', varint(length $header) . $header, map { section(@$_) } @blocks;
}

1;
