# lexicon_changes never says that a change is harmless where it is not.
#
# Makes pairs of Lexicons: a random one, and the same with a few random changes; and records by each of the two, with
# values at the edges of what it allows. Shows that
# - where no row of lexicon_changes breaks old data, all records that conform to the old Lexicon conform to the new;
# - where no row breaks old readers, no record that conforms to the new Lexicon is refused by the old, which may lack
#   a definition that the new one refers to;
# - where a record is refused, a row says so; and each kind of change was seen to break what its row says, so the
#   rows are no idle warnings.
#
# The pairs are the same in each run. ATID_SEED makes others, ATID_PAIRS more.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/lib";

use AtidTest;
use JSON::PP ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $pairs   = $ENV{ATID_PAIRS} || 2000;
my $records = 12;
my $seed    = $ENV{ATID_SEED} || 47;
my $json    = JSON::PP->new->canonical->allow_nonref->utf8;
srand $seed;

sub chance { return rand() < $_[0]; }
sub one_of { return $_[ int rand @_ ]; }
sub copy   { return $json->decode($json->encode($_[0])); }

#
# Schemas
#

my %sample = (
	'did' => 'did:web:example.com',
	'at-uri' => 'at://did:web:example.com/com.example.note/self',
	'at-identifier' => 'example.com',
	'handle' => 'example.com',
	'datetime' => '2026-03-17T10:20:30Z',
	'language' => 'pt-BR',
	'nsid' => 'com.example.note',
	'record-key' => 'self',
	'tid' => '3jzfcijpj2z2a',
	'uri' => 'https://example.com',
	'cid' => 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a');

# What a schema can refer to: objects.
my @targets = ('#one', '#two', 'com.example.defs#three', 'com.example.defs#four', 'org.example.away#five');

sub schema
{
	my ($depth) = @_;
	my $type = one_of(qw(boolean integer string string string bytes cid-link blob ref union unknown),
		$depth > 0 ? qw(array object object) : ());

	if ($type eq 'array')
	{
		return { type => $type, items => schema($depth - 1), chance(0.5) ? (maxLength => 2 + int rand 3) : (),
			chance(0.3) ? (minLength => 1) : () };
	}
	return object($depth - 1) if $type eq 'object';
	return { type => $type, ref => one_of(@targets) } if $type eq 'ref';
	if ($type eq 'union')
	{
		my %refs = map { one_of(@targets) => 1 } 1 .. 3;
		return { type => $type, refs => [ sort keys %refs ], chance(0.4) ? (closed => JSON::PP::true) : () };
	}
	if ($type eq 'blob')
	{
		return { type => $type, chance(0.5) ? (accept => [ 'image/png', 'text/plain' ]) : (),
			chance(0.5) ? (maxSize => 1000) : () };
	}
	if ($type eq 'integer')
	{
		return { type => $type, enum => [ 1, 2, 5 ] } if chance(0.2);
		return { type => $type, const => 3 } if chance(0.1);
		return { type => $type, chance(0.5) ? (minimum => 1) : (), chance(0.5) ? (maximum => 9) : () };
	}
	if ($type eq 'string')
	{
		return { type => $type, format => one_of(sort keys %sample) } if chance(0.2);
		return { type => $type, enum => [ 'a', 'b', 'a longer one' ] } if chance(0.2);
		return { type => $type, const => 'a' } if chance(0.1);
		return { type => $type, chance(0.4) ? (minLength => 2) : (), chance(0.5) ? (maxLength => 40) : (),
			chance(0.4) ? (minGraphemes => 2) : (), chance(0.4) ? (maxGraphemes => 8) : () };
	}
	if ($type eq 'bytes')
	{
		return { type => $type, chance(0.5) ? (minLength => 1) : (), chance(0.5) ? (maxLength => 6) : () };
	}
	return { type => $type, $type eq 'boolean' && chance(0.3) ? (const => JSON::PP::true) : () };
}

sub object
{
	my ($depth) = @_;
	my %properties = map { $_ => schema($depth) } map { "p$_" } 1 .. 1 + int rand 3;
	my @names      = sort keys %properties;
	return {
		type => 'object', properties => \%properties,
		required => [ grep { chance(0.4) } @names ],
		nullable => [ grep { chance(0.3) } @names ]
	};
}

sub lexicons
{
	return [
		{   lexicon => 1, id => 'com.example.note', defs => {
				main => { type => 'record', key => 'any', record => object(2) },
				one => object(1), two => object(0)
			}
		},
		{ lexicon => 1, id => 'com.example.defs', defs => { three => object(1), four => object(0) } } ];
}

#
# Changes
#

# All schemas in a document, each with what holds it.
sub sites
{
	my ($schema) = @_;
	return ($schema,
		$schema->{type} eq 'array' ? sites($schema->{items}) : (),
		$schema->{type} eq 'object' ? map { sites($_) } @{ $schema->{properties} }{ sort keys %{ $schema->{properties} } } : ());
}

sub toggled
{
	my ($list, $item) = @_;
	my @without = grep { $_ ne $item } @$list;
	return @without < @$list ? \@without : [ sort @$list, $item ];
}

# Set a limit, move it, or drop it.
sub move_limit
{
	my ($schema, $keyword, @around) = @_;
	if (!exists $schema->{$keyword}) { $schema->{$keyword} = one_of(@around); }
	elsif (chance(0.3)) { delete $schema->{$keyword}; }
	else { $schema->{$keyword} += one_of(-1, 1); }
	return;
}

sub toggle_keyword
{
	my ($schema, $keyword, $value) = @_;
	if (exists $schema->{$keyword} && chance(0.5)) { delete $schema->{$keyword}; }
	else { $schema->{$keyword} = $value; }
	return;
}

sub change
{
	my ($set) = @_;
	my ($note, $defs) = @$set;
	my @objects = ($note->{defs}{main}{record}, @{ $note->{defs} }{qw(one two)},
		map { $defs->{defs}{$_} } grep { $defs->{defs}{$_} } qw(three four));
	my $schema = one_of(map { sites($_) } @objects);
	my $type   = $schema->{type};

	if (chance(0.05))
	{
		return $note->{defs}{more} = object(0) if chance(0.4);
		return delete $defs->{defs}{ one_of(qw(three four)) };
	}
	if ($type eq 'object')
	{
		my $properties = $schema->{properties};
		my $name       = one_of(sort keys %$properties, 'p9');
		my $what       = one_of(qw(required nullable property property schema));

		if ($what eq 'property')
		{
			return $properties->{p9} = schema(0) if !exists $properties->{$name};
			delete $properties->{$name};
			$schema->{$_} = [ grep { $_ ne $name } @{ $schema->{$_} } ] foreach qw(required nullable);
		}
		elsif ($what eq 'schema') { $properties->{$name} = schema(1) if exists $properties->{$name}; }
		else { $schema->{$what} = toggled($schema->{$what}, $name) if exists $properties->{$name}; }
		return;
	}
	return move_limit($schema, one_of(qw(minLength maxLength)), 1, 2) if $type =~ /^(?:array|bytes)$/;
	return $schema->{ref} = one_of(@targets) if $type eq 'ref';
	if ($type eq 'union')
	{
		return toggle_keyword($schema, 'closed', JSON::PP::true) if chance(0.3);
		return $schema->{refs} = toggled($schema->{refs}, one_of(@targets));
	}
	if ($type eq 'blob')
	{
		return move_limit($schema, 'maxSize', 1000) if chance(0.5);
		return toggle_keyword($schema, 'accept', one_of([ 'image/*' ], [ 'image/png' ], [ '*/*', 'a/b' ], [ 'image/png', 'image/*' ]));
	}
	if ($type eq 'integer')
	{
		return toggle_keyword($schema, 'enum', one_of([ 1, 2 ], [ 2, 5, 1, 9 ], [])) if chance(0.3);
		return toggle_keyword($schema, 'const', one_of(1, 3)) if chance(0.3);
		return move_limit($schema, one_of(qw(minimum maximum)), 1, 5);
	}
	if ($type eq 'string')
	{
		return toggle_keyword($schema, 'format', one_of(sort keys %sample)) if chance(0.2);
		return toggle_keyword($schema, 'enum', one_of([ 'a' ], [ 'b', 'a', 'c', 'a longer one' ])) if chance(0.2);
		return toggle_keyword($schema, 'const', one_of('a', 'b')) if chance(0.1);
		return move_limit($schema, one_of(qw(minLength maxLength minGraphemes maxGraphemes)), 1, 2, 4, 30);
	}
	return toggle_keyword($schema, 'const', one_of(JSON::PP::true, JSON::PP::false)) if $type eq 'boolean';
	$schema->{description} = 'Something else.';
	return;
}

# The second document refers to definitions of the first.
sub name_in_full
{
	my ($value) = @_;
	my @parts = ref $value eq 'HASH' ? values %$value : ref $value eq 'ARRAY' ? @$value : ();
	name_in_full($_) foreach @parts;
	return if ref $value ne 'HASH';
	$value->{ref} =~ s/^#/com.example.note#/ if defined $value->{ref};
	s/^#/com.example.note#/ foreach @{ $value->{refs} || [] };
	return;
}

#
# Records
#

# The definition that a reference leads to; undefined if the set lacks it.
sub definition
{
	my ($set, $ref) = @_;
	my ($nsid, $name) = $ref =~ /^([^#]*)#(.*)/;
	my ($document) = grep { $_->{id} eq ($nsid || 'com.example.note') } @$set;
	return $document && $document->{defs}{$name};
}

# Characters of 1, 3 and 18 bytes, each of them one grapheme.
my @characters = ('x', "\x{65e5}", "\x{1f469}\x{200d}\x{1f469}\x{200d}\x{1f467}");

# A value that the schema should allow; undefined if none is found. Whether it does is up to the extension.
sub value
{
	my ($set, $schema, $depth) = @_;
	my $type = $schema->{type};
	my $low  = $schema->{minLength} // $schema->{minimum} // 0;
	my $high = $schema->{maxLength} // $schema->{maximum} // $low + 20;
	$low = $schema->{minGraphemes} if ($schema->{minGraphemes} // 0) > $low;
	my $edge = one_of($low, $low, $high, $high, $low + int rand($high - $low + 1));

	return $schema->{const} if exists $schema->{const};
	return one_of(@{ $schema->{enum} }) if exists $schema->{enum};
	return one_of(JSON::PP::true, JSON::PP::false) if $type eq 'boolean';
	return $edge if $type eq 'integer';
	return { '$bytes' => 'A' x int($edge * 4 / 3 + 0.9) } if $type eq 'bytes';
	return { '$link' => $sample{cid} } if $type eq 'cid-link';
	return one_of({}, { x => 1 }) if $type eq 'unknown';
	if ($type eq 'string')
	{
		return $sample{ $schema->{format} } if exists $schema->{format};
		my $character = one_of(@characters);
		utf8::encode(my $bytes = $character);
		my $most = int(($schema->{maxLength} // 400) / length $bytes);
		$most = $schema->{maxGraphemes} if $most > ($schema->{maxGraphemes} // 400);
		my $least = int((($schema->{minLength} // 0) + length($bytes) - 1) / length $bytes);
		$least = $schema->{minGraphemes} if $least < ($schema->{minGraphemes} // 0);
		return $character x one_of($least, $most);
	}
	if ($type eq 'blob')
	{
		my $accept = $schema->{accept} ? one_of(@{ $schema->{accept} }) : 'video/mp4';
		return {
			'$type' => 'blob', ref => { '$link' => 'bafkreig36kmtg5scu2yxhrdwsxelzogjkrecjedoq2rq4woenu6aiwcctu' },
			mimeType => $accept =~ s{^\*/}{video/}r =~ s/\*$/gif/r, size => $schema->{maxSize} // 5000
		};
	}
	return undef if $depth > 6;
	if ($type eq 'array')
	{
		my @items = map { value($set, $schema->{items}, $depth + 1) } 1 .. ($schema->{maxLength} && $edge > 3 ? $high : $edge % 4);
		return (grep { !defined } @items) ? undef : \@items;
	}
	if ($type eq 'ref' || $type eq 'union')
	{
		my $ref  = $type eq 'ref' ? $schema->{ref} : one_of(@{ $schema->{refs} }) // return undef;
		my $to   = definition($set, $ref);
		my $data = $to && value($set, $to, $depth + 1);
		return undef if !defined $data;
		return $type eq 'ref' ? $data : { %$data, '$type' => $ref =~ s/^#/com.example.note#/r };
	}

	my %required = map { $_ => 1 } @{ $schema->{required} };
	my %nullable = map { $_ => 1 } @{ $schema->{nullable} };
	my %data;
	foreach my $name (sort keys %{ $schema->{properties} })
	{
		next if !$required{$name} && chance(0.3);
		my $part = value($set, $schema->{properties}{$name}, $depth + 1);
		if ($nullable{$name} && chance(0.4)) { $data{$name} = undef; }
		elsif (defined $part) { $data{$name} = $part; }
		elsif ($required{$name}) { return undef; }
	}
	return \%data;
}

sub records_of
{
	my ($set) = @_;
	my @records = grep { defined } map { value($set, $set->[0]{defs}{main}{record}, 0) } 1 .. $records;
	return [ map { +{ %$_, '$type' => 'com.example.note' } } @records ];
}

#
# The pairs
#

my $node = new_node('changes');
new_database($node, 'changes');
$node->safe_psql('changes', 'CREATE TABLE pair_json (n int, pair jsonb)');

my $lines = '';
foreach my $n (1 .. $pairs)
{
	my $old = lexicons();
	my $new = copy($old);
	change($new) foreach 1 .. one_of(1, 1, 1, 2, 3);
	name_in_full($_->[1]) foreach $old, $new;
	$lines .= "$n\x02" . $json->encode({ old => $old, new => $new, of_old => records_of($old), of_new => records_of($new) }) . "\n";
}
my $file = PostgreSQL::Test::Utils::tempdir('pairs') . '/pairs';
append_to_file($file, $lines);
$node->safe_psql('changes', "\\copy pair_json FROM '$file' WITH (FORMAT csv, DELIMITER e'\\x02', QUOTE e'\\x01')");
$node->safe_psql('changes', <<'SQL');
CREATE TABLE pair AS
SELECT n, (pair->'old')::atid.lexicon AS old, (pair->'new')::atid.lexicon AS new
FROM pair_json WHERE atid.lexicon_is_valid(pair->'old') AND atid.lexicon_is_valid(pair->'new');
CREATE TABLE change AS SELECT n, c.* FROM pair, atid.lexicon_changes(old, new) c;
CREATE TABLE verdict AS
SELECT p.n, r.record, 'old' AS side, atid.record_conforms(r.record, p.old) AS own, atid.record_conforms(r.record, p.new) AS other
FROM pair p JOIN pair_json j USING (n), jsonb_array_elements(j.pair->'of_old') r (record)
UNION ALL
SELECT p.n, r.record, 'new', atid.record_conforms(r.record, p.new), atid.record_conforms(r.record, p.old)
FROM pair p JOIN pair_json j USING (n), jsonb_array_elements(j.pair->'of_new') r (record);
CREATE INDEX ON change (n);
CREATE INDEX ON verdict (n);
ANALYZE;
SQL

sub answer { return $node->safe_psql('changes', $_[0]); }

cmp_ok(answer('SELECT count(*) FROM pair'), '>', 0.8 * $pairs, 'most pairs are Lexicons');
cmp_ok(answer('SELECT 100 * count(*) FILTER (WHERE own) / count(*) FROM verdict'), '>', 80, 'most records conform to their own Lexicon');
cmp_ok(answer("SELECT count(*) FROM pair WHERE old <> new AND NOT EXISTS (SELECT FROM change c WHERE c.n = pair.n AND (breaks_old_data OR breaks_old_readers))"),
	'>', $pairs / 30, 'changes that break nothing');
cmp_ok(answer("SELECT count(*) FROM verdict WHERE own AND side = 'old' AND other IS NOT TRUE"), '>', $pairs / 3, 'old records that are valid no more');
cmp_ok(answer("SELECT count(*) FROM verdict WHERE own AND side = 'new' AND NOT other"), '>', $pairs / 3, 'new records that old readers refuse');

is(answer(<<'SQL'), '', "all rows are right where nothing breaks old data (seed $seed)");
SELECT n, record, (SELECT string_agg(path || ' ' || change, '; ') FROM change c WHERE c.n = v.n)
FROM verdict v
WHERE own AND side = 'old' AND other IS NOT TRUE
  AND NOT EXISTS (SELECT FROM change c WHERE c.n = v.n AND breaks_old_data) LIMIT 3
SQL
is(answer(<<'SQL'), '', "all rows are right where nothing breaks old readers (seed $seed)");
SELECT n, record, (SELECT string_agg(path || ' ' || change, '; ') FROM change c WHERE c.n = v.n)
FROM verdict v
WHERE own AND side = 'new' AND NOT other
  AND NOT EXISTS (SELECT FROM change c WHERE c.n = v.n AND breaks_old_readers) LIMIT 3
SQL

# In pairs with one row, by keyword and kind of change. Records here have only the members that a union lists, which
# shows nothing of a union that is closed, and of a member that an open one has lost.
is(answer(<<'SQL'), '', 'each kind of change is seen to break what its row says');
WITH sole AS (
  SELECT n, regexp_replace(max(path), '.*\.', '') AS keyword, substring(max(change) FROM '^(?:\w| (?=required|optional|nullable|not ))+') AS change,
    bool_or(breaks_old_data) AS data, bool_or(breaks_old_readers) AS readers
  FROM change GROUP BY n HAVING count(*) = 1
), seen AS (
  SELECT regexp_replace(keyword, '^p\d+$', 'property') AS keyword, change, data, readers,
    count(*) AS pairs,
    count(*) FILTER (WHERE EXISTS (SELECT FROM verdict v WHERE v.n = s.n AND own AND side = 'old' AND other IS NOT TRUE)) AS data_seen,
    count(*) FILTER (WHERE EXISTS (SELECT FROM verdict v WHERE v.n = s.n AND own AND side = 'new' AND NOT other)) AS readers_seen
  FROM sole s GROUP BY 1, 2, 3, 4
)
SELECT * FROM seen WHERE pairs >= 30 AND (data <> (data_seen > 0) OR readers <> (readers_seen > 0))
  AND keyword <> 'closed' AND NOT (keyword = 'refs' AND change = 'removed' AND readers)
ORDER BY 1, 2
SQL

$node->stop;
done_testing();
