# No function that is marked LEAKPROOF raises an error, whatever it is given.
#
# The planner calls such a function before it has looked at row security, so an error would reveal rows that the user
# may not see. Here all functions of the extensions that the catalogue marks so are called with values made for the
# types of their arguments: values of the protocol with bytes changed, cut, copied and inserted, and texts with
# characters that UTF-8 lacks. So a new function is tested without a change here, and one with an argument of a new type
# fails until there are values for it.
#
# 250 calls of each function in each encoding; with script/test --full 10,000.
#
# Fields of blocks, which strangers write, are what queries read most, so these functions are called with more: 2,000
# damaged blocks in each encoding, with --full 200,000, at paths that lead into them. The result must be DAG-CBOR, and
# all four functions must agree on it.
#
# Tags: quick minutes differs

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $calls = whole() ? 10_000 : 250;
my $batches = whole() ? 200 : 2;
my $seed  = seeded();
my $root  = "$FindBin::Bin/../..";

# Characters that UTF-8 lacks, or that are not valid in it.
my %odd = (UTF8 => "\xEF\xBF\xBF", SQL_ASCII => "\xE9", LATIN1 => "\x85", EUC_JP => "\xA9\xA1", WIN1252 => "\x81");

my @texts = (
	'', 'a', 'did:web:a.example', 'did:plc:ewvi7nxzyoun6zhxrhs64oiz', 'at://did:web:b.example/app.bsky.feed.post/3jzfcijpj2z2a',
	'at://a.example.com/com.example.a/self', 'at://a.example.com', 'a.example.com', 'com.example.record', 'com.example.record#main',
	'3jzfcijpj2z2a', '2222222222222', 'jzzzzzzzzzzzz', 'bafkqaaa', 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a',
	'did:key:zQ3shqwJEJyMBsBXCWyCBpUBMqxcon9oHB7mCvx4sSpMdLJwc', '2026-01-01T00:00:00.000Z', '1985-04-12T23:20:50.123-07:00',
	'AQID', 'de-DE', 'https://a.example.com/x?y#z', '0189f7ea-ae2e-7aa4-b5a0-0123456789ab', 'app.bsky.feed.post/3jzfcijpj2z2a', 'atproto',
	'tid', 'literal:self', 'datetime', 'at-uri', 'main', 'params', 'x' x 3000, 'did:web:' . 'a' x 2040, '-1', '{a,b}',
	'ops', 'repo', 'rev', '$link', 'uri', 'seq', '0');
my @json = (
	'{"$type": "com.example.record", "text": "a", "n": 1, "subject": {"uri": "at://did:web:a.example/com.example.record/3jzfcijpj2z2a", '
	  . '"cid": "bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a"}, "m": ["did:web:a.example", {"$link": "bafkqaaa"}, {"$bytes": "AQI"}]}',
	'{"lexicon": 1, "id": "com.example.record", "defs": {"main": {"type": "record", "key": "tid", "record": {"type": "object", '
	  . '"required": ["text"], "properties": {"text": {"type": "string", "maxGraphemes": 3}, "n": {"type": "integer", "minimum": 0}, '
	  . '"subject": {"type": "ref", "ref": "#s"}, "m": {"type": "array", "items": {"type": "unknown"}}}}}, '
	  . '"s": {"type": "object", "properties": {"uri": {"type": "string", "format": "at-uri"}, "cid": {"type": "string", "format": "cid"}}}}}',
	'{"src": "did:web:a.example", "uri": "did:web:b.example", "val": "spam", "cts": "2026-01-01T00:00:00Z", "sig": {"$bytes": "AQIDBA"}}',
	'[1.5, -0, 1e30, 9223372036854775808, null, true, "", {"": {}}, [[[]]]]', '"did:web:a.example"', 'null', '[]', '{}');

# Blocks, repositories, events and frames, in hexadecimal.
my @bytes = ('', 'a0', 'a1616161', 'd82a450001550000', '01711220' . '01' x 32, 'e701' . '02' x 33, '04' . '03' x 64, '04' x 64);
push @bytes, unpack 'H*', slurp_file($_) foreach (sort { -s $a <=> -s $b } glob "$root/demo/repositories/*.car")[ 0 .. 2 ];
foreach my $name (qw(event frame dagcbor cid_bytes))
{
	push @bytes, grep { /^(?:[0-9a-f]{2})+$/ && length($_) < 100_000 } split /\n/, slurp_file("$root/fuzz/seeds/$name");
}
my @op = map { unpack 'H*', $_ } "\xa2\x61t\x67#commit\x62op\x01", "\xa2\x61t\x65#sync\x62op\x01";
push @bytes, map { s/^0([01])//r ? ($op[ hex substr $_, 0, 2 ] // '') . substr $_, 2 : () } grep { /^0[01]a/ } @bytes;

# Change a byte, cut, copy a part, or insert something.
sub mutated
{
	my ($bytes, $odd) = @_;
	for (my $n = int rand 4; $n > 0; $n--)
	{
		my $at = int rand(1 + length $bytes);
		my $kind = int rand 5;
		if ($kind == 0 && length $bytes) { substr($bytes, $at - 1, 1) ^= chr(1 << int rand 8); }
		elsif ($kind == 1) { substr($bytes, $at) = ''; }
		elsif ($kind == 2) { substr($bytes, $at, 0) = substr $bytes, int rand(1 + length $bytes), 1 + int rand 40; }
		elsif ($kind == 3) { substr($bytes, $at, 0) = $odd; }
		else { substr($bytes, $at, int rand 4) = ('/', ':', '#', '%', "\0", "\xff", '"', '$link', '$bytes', '9' x 20)[ rand 10 ]; }
	}
	return $bytes;
}

# How the values of each type are made, from the values x of a pool of bytes or of texts in the server's encoding.
my %made = (
	bytea => [ bytes => 'x' ],
	'atid.block' => [ bytes => 'x::atid.block' ],
	text => [ texts => 'x' ],
	jsonb => [ json => 'x::jsonb' ],
	json => [ json => 'x::json' ],
	'text[]' => [ texts => q{CASE length(x) % 4 WHEN 0 THEN '{}' WHEN 1 THEN ARRAY[x] WHEN 2 THEN ARRAY['a', x] ELSE ARRAY[x, NULL] END} ],
	'bytea[]' => [ bytes => 'ARRAY[x, NULL]' ],
	'jsonb[]' => [ json => 'ARRAY[x::jsonb, NULL]' ],
	name => [ texts => 'left(x, 20)::name' ],
	uuid => [ texts => 'md5(x)::uuid' ],
	boolean => [ texts => 'length(x) % 2 = 0' ],
	smallint => [ texts => '(hashtext(x) % 32768)::smallint' ],
	integer => [ texts => 'CASE length(x) % 3 WHEN 0 THEN length(x) WHEN 1 THEN -1 ELSE hashtext(x) END' ],
	bigint => [ texts => 'CASE length(x) % 3 WHEN 0 THEN length(x) WHEN 1 THEN -1 ELSE hashtextextended(x, 0) END' ],
	'timestamp with time zone' =>
	  [ texts => q{CASE length(x) % 4 WHEN 0 THEN timestamptz 'infinity' WHEN 1 THEN '-infinity' WHEN 2 THEN '290000-01-01' ELSE to_timestamp(hashtext(x)) END} ],
	interval => [ texts => q{hashtext(x) * interval '1 day'} ]);

# Records for damaged blocks, in UTF-8, and paths into them; UE is a letter in the server's encoding.
my %ue = (UTF8 => "\xC3\xBC", SQL_ASCII => "\xC3\xBC", LATIN1 => "\xFC", EUC_JP => "\x8F\xAB\xE4", WIN1252 => "\xFC");
my @records = (
	qq({"a": [1, {"z": "q", "": 0}, null, [[], {}, -4294967297], true], "l": {"\$link": "bafkqaaa"}, "b": {"\$bytes": "AQID"}, "t": "a", "\xC3\xBC": "b"}),
	qq({"text": "\xC3\xA9\xE6\x97\xA5\xF0\x9F\x98\x80", "\xC3\xBC": {"\xC3\xBC": "\xC3\xBC", "a": "\xEF\xBC\x84", "b": "\xE2\x80\x94"}, "a": ["\xC2\xA5", "\x5C\x5C", "\xC3\xBC"]}),
	qq(["${\ ('x' x 300)}", {"a": {"a": {"a": {"a": ["b"]}}}}, {"\$link": "bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a"}]),
	qq("\xC3\xBC"), '{"$bytes": "AQID"}', '{"$link": "bafkqaaa"}', '{}');
my @paths = (
	[ split / /, '{} {a} {a,0} {a,1} {a,1,z} {a,3,-1} {a,4} {a,-1} {l} {l,$link} {b} {b,$bytes} {t} {UE}' ],
	[ split / /, '{} {text} {UE} {UE,UE} {UE,a} {UE,b} {a} {a,0} {a,2} {a,-2}' ],
	[ split / /, '{} {0} {1} {1,a} {1,a,a,a,a,0} {2} {2,$link}' ],
	[ split / /, '{} {a} {0} {$link} {$bytes} {0,0,0,0} {a,a,a} {ODD} {NULL}' ]);

my $node = new_node('leakproof');
my $crypto = has_extension($node, 'atid_crypto');
my @fields;
foreach my $encoding (sort { ($b eq 'UTF8') <=> ($a eq 'UTF8') || $a cmp $b } keys %odd)
{
	my $db = lc "db_$encoding";
	$node->safe_psql('postgres', "CREATE DATABASE $db TEMPLATE template0 ENCODING '$encoding' LC_COLLATE 'C' LC_CTYPE 'C'");
	my $s = AtidTest::Session->new($node, $db);
	$s->ok('CREATE EXTENSION ' . ($crypto ? 'atid_crypto CASCADE' : 'atid'));
	$s->ok(<<'SQL');
SET client_encoding = 'SQL_ASCII';
SET search_path = public, pg_catalog;
-- a value of an expression over x, or NULL where it is none
CREATE FUNCTION made(expression text, x bytea, encoding text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  value text;
BEGIN
  EXECUTE format('SELECT (%s)::text FROM (SELECT %s AS x) AS v', expression,
                 CASE WHEN encoding IS NULL THEN '$1' ELSE 'convert_from($1, $2)' END) INTO value USING x, encoding;
  RETURN value;
EXCEPTION WHEN others THEN
  RETURN NULL;
END $$;
SQL

	# The pools.
	my %pool = (bytes => [ grep { length($_) < 4000 } @bytes ], texts => [ map { unpack 'H*', $_ } @texts ], json => [ map { unpack 'H*', $_ } @json ]);
	foreach (1 .. $calls)
	{
		push @{ $pool{bytes} }, unpack 'H*', mutated(pack('H*', $bytes[ rand @bytes ]), pack 'H*', $bytes[ rand 5 ]);
		push @{ $pool{texts} }, unpack 'H*', mutated($texts[ rand @texts ], $odd{$encoding});
		push @{ $pool{json} }, unpack 'H*', mutated($json[ rand @json ], rand() < 0.5 ? $odd{$encoding} : '');
		# a different text, or a number
		push @{ $pool{json} }, unpack 'H*', $json[ rand @json ] =~ s/("[^"]*"|\d+)/rand() < 0.8 ? $1 : '"' . ($odd{$encoding} . $texts[ rand @texts ]) . '"'/egr;
	}
	foreach my $name (keys %pool)
	{
		$s->ok("CREATE TABLE pool_$name (x bytea); INSERT INTO pool_$name VALUES " . join ',', map { "('\\x$_')" } @{ $pool{$name} });
	}

	# Values of the extensions' own types are the texts, or the documents, that their input takes.
	my $functions = <<'SQL';
FROM pg_proc AS p JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
     JOIN pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND e.oid = d.refobjid
WHERE p.proleakproof AND p.prokind = 'f' AND e.extname IN ('atid', 'atid_crypto')
  AND NOT 'internal'::regtype = ANY (p.proargtypes)
SQL
	foreach my $type (split /\n/, $s->ok("SELECT DISTINCT format_type(t, NULL) FROM (SELECT unnest(p.proargtypes) AS t $functions) AS a"))
	{
		my ($from, $expression) = @{ $made{$type} || [] };
		($from, $expression) = $type =~ /lexicon/ ? ('json', "x::jsonb::$type") : ('texts', "x::$type")
		  if !$from && $type =~ /^atid\.\w+$/;
		die "there are no values of $type" unless $from;
		my $encoded = $from eq 'bytes' ? 'NULL' : "'$encoding'";
		$s->ok(qq{CREATE TABLE "value $type" AS SELECT row_number() OVER (ORDER BY v) AS n, v::$type FROM (SELECT DISTINCT v FROM }
			  . qq{pool_$from, made(\$\$$expression\$\$, x, $encoded) AS v WHERE v IS NOT NULL) AS d});
		cmp_ok($s->ok(qq{SELECT count(*) FROM "value $type"}), '>', 1, "$encoding: there are values of $type");
	}

	my @functions = split /\n/, $s->ok("SELECT p.oid, p.oid::regprocedure, "
		  . "array_to_string(ARRAY(SELECT format_type(t, NULL) FROM unnest(p.proargtypes) WITH ORDINALITY AS a (t, i) ORDER BY i), ';') "
		  . "$functions ORDER BY 2");
	cmp_ok(scalar @functions, '>', 60, "$encoding: there are functions");
	my (@raised, $answers);
	foreach (@functions)
	{
		my ($oid, $name, $types) = split /\|/;
		my @types = split /;/, $types;
		my $call = $name =~ s/\(.*//sr . '(' . join(', ', map { "a$_.v" } 0 .. $#types) . ')';
		my $with = join '', map {
			qq{ JOIN "value $types[$_]" AS a$_ ON a$_.n = 1 + (hashint8extended(i, $seed + $_) & 9223372036854775807) % (SELECT count(*) FROM "value $types[$_]")}
		} 0 .. $#types;
		my ($count, $state, $error) = $s->try("SELECT count(f) FROM generate_series(1, $calls) AS i$with CROSS JOIN LATERAL $call AS f");
		$state eq '00000' ? ($answers += $count) : push @raised, "$name: $error";
	}
	is(join("\n", @raised), '', "$encoding: none of " . @functions . ' functions raises an error');
	cmp_ok($answers, '>', $calls * @functions / 4, "$encoding: they have answers");

	# The fields of damaged blocks.
	@fields = map { $s->ok("SELECT encode(atid.json_to_dag_cbor(convert_from('\\x" . unpack('H*', $_) . "', 'UTF8')::json), 'hex')") } @records
	  if $encoding eq 'UTF8';
	my @paths_here = map { [ map { s/UE/$ue{$encoding}/gr =~ s/ODD/$odd{$encoding}/r } @$_ ] } @paths;
	my ($blocks, $found, $damaged, @errors, @wrong) = (0) x 3;
	foreach (1 .. $batches)
	{
		my $values = join ',', map {
			my $which = int rand @fields;
			my $block = mutated(pack('H*', $fields[$which]), pack 'H*', $bytes[ rand 5 ]);
			my $paths = $paths_here[ $which < 3 && rand() < 0.9 ? $which : 3 ];
			$block = mutated($block, "\x81" x int rand 600) if rand() < 0.1;
			sprintf q{('\x%s', '%s')}, unpack('H*', $block), $paths->[ rand @$paths ]
		} 1 .. 1000;
		$s->ok("DROP TABLE IF EXISTS tried; CREATE TABLE tried AS SELECT block::bytea, path::text[] FROM (VALUES $values) AS v (block, path)");
		my ($row, $state, $error) = $s->try(<<'SQL');
SELECT count(*), count(type), count(*) FILTER (WHERE NOT atid.dag_cbor_is_valid(block)),
  string_agg(format('%s %s', block, path), '; ') FILTER (WHERE
    (field IS NULL AND (get IS NOT NULL OR text IS NOT NULL))
    OR (field IS NOT NULL AND (NOT atid.dag_cbor_is_valid(field)
      OR type IS DISTINCT FROM atid.dag_cbor_typeof(field) OR get IS DISTINCT FROM atid.dag_cbor_get(field)
      OR text IS DISTINCT FROM atid.dag_cbor_get_text(field)))
    OR (atid.dag_cbor_is_valid(block) AND (field IS NULL) <> (type IS NULL)))
FROM tried, LATERAL (SELECT atid.dag_cbor_get(block, path) AS get, atid.dag_cbor_get_text(block, path) AS text,
  atid.dag_cbor_get_block(block, path) AS field, atid.dag_cbor_typeof(block, path) AS type) AS f
SQL
		if ($state ne '00000') { push @errors, $error; next; }
		my ($n, $typed, $bad, $which) = split /\|/, $row, 4;
		$blocks += $n;
		$found += $typed;
		$damaged += $bad;
		push @wrong, $which if $which ne '';
	}
	is(join("\n", @errors), '', "$encoding: no field of $blocks blocks raises an error");
	is(join("\n", @wrong), '', "$encoding: the four functions agree");
	cmp_ok($damaged, '>', $blocks / 3, "$encoding: $damaged blocks are damaged");
	cmp_ok($found, '>', $blocks / 10, "$encoding: $found fields are found");
	$s->quit;
}
$node->stop;
done_testing();
