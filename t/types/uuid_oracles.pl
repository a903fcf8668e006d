# Other implementations of RFC 9562 give the same answers.
#
# Shows that, on thousands of random inputs,
# - v3, v5 and the namespaces are those of uuid-ossp, and v3, v5 and v8 with SHA-256 those of npm's package
#   uuid and of Node's hashes: empty names, names of each length around a block of the hash, long ones,
#   names in all planes of Unicode;
# - a name has the same UUID in a database with another encoding, and by its UTF-8 as bytea;
# - versions, times, v1 to v6 and back, integers, bytes and GUID bytes are those of the package uuid and of
#   Node's arithmetic;
# - uuid_extract_version and uuid_extract_timestamp give the same results as the server's own functions, if
#   the server has them and they give one, for each version and variant; and read the UUIDs of the server's
#   generators.
#
# The parts that need npm are skipped without it; AtidTest::Oracles documents how it is found.
#
# Tags: medium node

use strict;
use warnings FATAL => 'all';
use utf8;

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Oracles;
use Encode qw(encode);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $seed = AtidTest::Oracles::seed();
srand($seed);

my $node = new_node('oracles', ready => 1);
my $db   = new_database($node, 'utf8');
my $dir  = PostgreSQL::Test::Utils::tempdir('data');
my $has_ossp =
  $node->safe_psql($db, "SELECT count(*) FROM pg_available_extensions WHERE name = 'uuid-ossp'");

sub pick { return $_[ int rand @_ ]; }

sub random_uuid
{
	return sprintf '%04x%04x-%04x-%04x-%04x-%04x%04x%04x', map { int rand 65536 } 1 .. 8;
}

# Text of characters from these ranges of code points.
sub random_text
{
	my ($length, @ranges) = @_;
	my $text = '';
	foreach (1 .. $length)
	{
		my ($from, $to) = @{ pick(@ranges) };
		$text .= chr($from + int rand($to - $from + 1));
	}
	return $text;
}

my @namespaces = map { "6ba7b81$_-9dad-11d1-80b4-00c04fd430c8" } 0, 1, 2, 4;

# Rows of a namespace and the UTF-8 of a name, for COPY.
sub names_file
{
	my ($file, @texts) = @_;
	my @rows =
	  map { [ rand() < 0.5 ? pick(@namespaces) : random_uuid(), unpack('H*', encode('UTF-8', $_)) ] } @texts;
	open my $out, '>', "$dir/$file" or die "could not open $dir/$file: $!";
	print $out join("\t", $_->[0], "\\\\x$_->[1]"), "\n" foreach @rows;
	close $out or die "could not write $dir/$file: $!";
	return @rows;
}

# The answer to a query about rows: the number of rows, and the number of wrong ones.
sub is_none_wrong
{
	my ($database, $from, $wrong, $count, $what) = @_;
	is( $node->safe_psql($database,
			"SELECT count(*), count(*) FILTER (WHERE $wrong) FROM $from"),
		"$count|0", $what);
	return;
}

#
# Names.
#
my @ascii  = ([ 0x01, 0x7f ]);
my @latin1 = ([ 0x20, 0x7e ], [ 0xa0, 0xff ]);
my @unicode = ([ 0x20, 0x7e ], [ 0xa0, 0x17f ], [ 0x300, 0x36f ], [ 0x3041, 0x3096 ], [ 0x4e00, 0x9fff ],
	[ 0xe000, 0xfffd ], [ 0x10000, 0x10ffff ], [ 0x7f, 0x80 ], [ 0x7ff, 0x800 ], [ 0xd7ff, 0xd7ff ]);
my @texts = (
	'', ' ', "\t", 'www.example.com', '例え.jp', 'é', "e\x{301}", "\x{10ffff}", "\x{feff}",
	(map { random_text($_, @ascii) } 1 .. 200),
	(map { random_text(1 + int rand 60, @unicode) } 1 .. 3000),
	(map { random_text(1 + int rand 60, @latin1) } 1 .. 500),
	(map { random_text($_, @ascii) } 4_095, 8_000, 65_536, 300_000),
	random_text(100_000, @unicode), 'x' x 3_000_000);
my @rows = names_file('names', @texts);
my $names = @rows;

$node->safe_psql($db, <<"SQL");
CREATE TABLE name (id serial, ns uuid, octets bytea, t text);
COPY name (ns, octets) FROM '$dir/names';
UPDATE name SET t = convert_from(octets, 'UTF8');
SQL
cmp_ok($names, '>', 3500, "$names names");

foreach my $version (3, 5, 8)
{
	is_none_wrong($db, 'name',
		"atid.uuid_generate_v$version(ns, t) IS DISTINCT FROM atid.uuid_generate_v$version(ns, octets)",
		$names, "v$version: by text as by its UTF-8 as bytea");
}

SKIP:
{
	skip 'uuid-ossp is not installed', 9 unless $has_ossp;
	$node->safe_psql($db, 'CREATE EXTENSION "uuid-ossp" SCHEMA public');
	foreach my $version (3, 5)
	{
		is_none_wrong($db, 'name',
			"atid.uuid_generate_v$version(ns, t) IS DISTINCT FROM public.uuid_generate_v$version(ns, t)",
			$names, "v$version: as uuid-ossp");
	}
	foreach my $constant (qw(nil ns_dns ns_url ns_oid ns_x500))
	{
		is($node->safe_psql($db, "SELECT atid.uuid_$constant() = public.uuid_$constant()"),
			't', "uuid_$constant: as uuid-ossp");
	}
	is_none_wrong(
		$db,
		'(SELECT public.uuid_generate_v1() u, public.uuid_generate_v1mc() mc, clock_timestamp() t FROM generate_series(1, 1000)) v',
		q{atid.uuid_extract_version(u) <> 1 OR abs(extract(epoch FROM atid.uuid_extract_timestamp(u) - t)) > 5
		  OR atid.uuid_extract_version(mc) <> 1 OR abs(extract(epoch FROM atid.uuid_extract_timestamp(mc) - t)) > 5},
		1000, 'v1: the time in those of uuid-ossp is now');
	is_none_wrong($db, '(SELECT public.uuid_generate_v4() u FROM generate_series(1, 1000)) v',
		'atid.uuid_extract_version(u) <> 4', 1000, 'v4: the version of those of uuid-ossp');
}

#
# Other encodings. A name is as text in the database's encoding, and as its UTF-8.
#
my %encoding = (
	LATIN1 => [ map { random_text(int rand 60, @latin1) } 1 .. 1000 ],
	# characters of EUC_JP: letters, kana
	EUC_JP => [ map { random_text(int rand 60, [ 0x20, 0x5b ], [ 0x3041, 0x3093 ], [ 0x30a1, 0x30f6 ]) } 1 .. 1000 ]);
foreach my $encoding (sort keys %encoding)
{
	my $other = lc $encoding;
	names_file($other, @{ $encoding{$encoding} });
	$node->safe_psql('postgres',
		"CREATE DATABASE $other TEMPLATE template0 ENCODING '$encoding' LC_COLLATE 'C' LC_CTYPE 'C'");
	$node->safe_psql($other, <<"SQL");
CREATE EXTENSION atid;
CREATE TABLE name (id serial, ns uuid, octets bytea, t text);
COPY name (ns, octets) FROM '$dir/$other';
UPDATE name SET t = convert_from(octets, 'UTF8');
SQL
	cmp_ok($node->safe_psql($other, q{SELECT count(*) FROM name WHERE convert_to(t, getdatabaseencoding()) <> octets}),
		'>', 500, "$encoding: most names have other bytes there");
	foreach my $version (3, 5, 8)
	{
		is_none_wrong($other, 'name',
			"atid.uuid_generate_v$version(ns, t) IS DISTINCT FROM atid.uuid_generate_v$version(ns, octets)",
			1000, "$encoding: v$version: by text as by its UTF-8");
	}

	# uuid-ossp uses the bytes of that encoding
  SKIP:
	{
		skip 'uuid-ossp is not installed', 2 unless $has_ossp;
		$node->safe_psql($other, 'CREATE EXTENSION "uuid-ossp" SCHEMA public');
		foreach my $version (3, 5)
		{
			is_none_wrong($other, 'name',
				"atid.uuid_generate_v$version(ns, convert_to(t, getdatabaseencoding())) IS DISTINCT FROM public.uuid_generate_v$version(ns, t)",
				1000, "$encoding: v$version: of the bytes there, as uuid-ossp");
		}
	}

	# the same names in both databases
	my $there = $node->safe_psql($other, 'SELECT id, atid.uuid_generate_v5(ns, t) FROM name ORDER BY id');
	$node->safe_psql($db, "CREATE TABLE $other (LIKE name INCLUDING DEFAULTS); COPY $other (ns, octets) FROM '$dir/$other'");
	my $numbered = "SELECT row_number() OVER (ORDER BY id) AS id, ns, octets FROM $other";
	is($there,
		$node->safe_psql($db,
			"SELECT id, atid.uuid_generate_v5(ns, convert_from(octets, 'UTF8')) FROM ($numbered) n ORDER BY id"),
		"$encoding: v5: the same as in a database in UTF-8");
}

# Where the server does not know the encoding, a text must be UTF-8; bytea accepts any bytes.
$node->safe_psql('postgres',
	"CREATE DATABASE ascii TEMPLATE template0 ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'");
$node->safe_psql('ascii', 'CREATE EXTENSION atid');
my $ascii = AtidTest::Session->new($node, 'ascii');
is( $ascii->ok(q{SELECT atid.uuid_generate_v5(atid.uuid_ns_dns(), E'\xc3\xa9') = atid.uuid_generate_v5(atid.uuid_ns_dns(), '\xc3a9'::bytea)}),
	't', 'SQL_ASCII: UTF-8 is taken as it is');
my ($out, $state) = $ascii->try(q{SELECT atid.uuid_generate_v5(atid.uuid_ns_dns(), E'\xe9')});
is($state, '22021', 'SQL_ASCII: what is not UTF-8 is refused');
like($ascii->ok(q{SELECT atid.uuid_generate_v5(atid.uuid_ns_dns(), '\xe9'::bytea)}), qr/-5/, 'SQL_ASCII: but not as bytea');
$ascii->quit;

#
# The oracles from npm.
#
my ($oracles, $why) = AtidTest::Oracles->new;
SKIP:
{
	skip $why, 11 unless defined $oracles;

	my @answers = $oracles->ask('uuid.js', ['names'], join '', map { "$_->[0]\t$_->[1]\n" } @rows);
	append_to_file("$dir/answers", join("\n", @answers) . "\n");
	$node->safe_psql($db, <<"SQL");
CREATE TABLE answer (id serial, v3 uuid, v5 uuid, v8 uuid);
COPY answer (v3, v5, v8) FROM '$dir/answers';
SQL
	foreach my $version (3, 5, 8)
	{
		is_none_wrong($db, 'name FULL JOIN answer USING (id)',
			"atid.uuid_generate_v$version(ns, t) IS DISTINCT FROM v$version", $names,
			"v$version: as npm's package uuid, or as Node's SHA-256");
	}

	my $each = 3000;
	append_to_file("$dir/values", join("\n", $oracles->ask('uuid.js', [ 'values', $seed, $each ])) . "\n");
	$node->safe_psql($db, <<"SQL");
CREATE TABLE value (kind text, u uuid, version int, us numeric, precise numeric, other uuid, number numeric, bytes bytea, guid bytea);
COPY value FROM '$dir/values';
SQL
	is($node->safe_psql($db, "SELECT string_agg(kind || ' ' || n, ', ' ORDER BY kind) FROM (SELECT kind, count(*) AS n FROM value GROUP BY kind) k"),
		"any $each, v1 $each, v6 $each, v7 $each", 'values of each kind');
	my %wrong = (
		'uuid_extract_version' => 'atid.uuid_extract_version(u) IS DISTINCT FROM version',
		'uuid_extract_timestamp' =>
		  'extract(epoch FROM atid.uuid_extract_timestamp(u)) * 1000000 IS DISTINCT FROM us',
		'uuid_extract_timestamp_precise' =>
		  'extract(epoch FROM atid.uuid_extract_timestamp_precise(u)) * 1000000 IS DISTINCT FROM precise',
		'uuid_v1_to_v6, uuid_v6_to_v1' => <<'SQL',
CASE version WHEN 1 THEN atid.uuid_v1_to_v6(u) WHEN 6 THEN atid.uuid_v6_to_v1(u) END IS DISTINCT FROM other
OR CASE version WHEN 1 THEN atid.uuid_v6_to_v1(other) WHEN 6 THEN atid.uuid_v1_to_v6(other) ELSE u END IS DISTINCT FROM u
SQL
		'uuid_to_numeric, uuid_from_numeric' =>
		  'atid.uuid_to_numeric(u) <> number OR atid.uuid_from_numeric(number) <> u',
		'uuid_to_bytes, uuid_from_bytes' => 'atid.uuid_to_bytes(u) <> bytes OR atid.uuid_from_bytes(bytes) <> u',
		'uuid_to_guid_bytes, uuid_from_guid_bytes' =>
		  'atid.uuid_to_guid_bytes(u) <> guid OR atid.uuid_from_guid_bytes(guid) <> u');
	foreach my $what (sort keys %wrong)
	{
		is_none_wrong($db, 'value', $wrong{$what}, 4 * $each, "$what: as npm's package uuid and Node");
	}
}

#
# The server's own functions: all 256 pairs of the digits that hold version and variant.
#
my $server = $node->safe_psql($db, "SELECT to_regprocedure('pg_catalog.uuid_extract_version(uuid)') IS NOT NULL");
SKIP:
{
	skip 'the server has no uuid_extract_version', 5 if $server ne 't';
	my $eighteen = $node->safe_psql($db, "SELECT to_regprocedure('pg_catalog.uuidv7()') IS NOT NULL") eq 't';
	# 17 knows the time of v1, 18 also that of v7
	my $known = $eighteen ? '1, 7' : '1';
	$node->safe_psql($db, <<"SQL");
CREATE TABLE any_kind AS
SELECT overlay(overlay(md5($seed || ':' || i || m || n) PLACING to_hex(m) FROM 13) PLACING to_hex(n) FROM 17)::uuid AS u, m, n / 4 = 2 AS rfc
FROM generate_series(0, 15) m, generate_series(0, 15) n, generate_series(1, 40) i;
SQL
	is_none_wrong($db, 'any_kind',
		'atid.uuid_extract_version(u) IS DISTINCT FROM pg_catalog.uuid_extract_version(u)',
		10240, "uuid_extract_version: as the server's");
	is_none_wrong($db, 'any_kind',
		'coalesce(atid.uuid_extract_timestamp(u) <> pg_catalog.uuid_extract_timestamp(u), false)',
		10240, "uuid_extract_timestamp: as the server's where that answers");
	is_none_wrong($db, 'any_kind',
		"(pg_catalog.uuid_extract_timestamp(u) IS NOT NULL) <> (rfc AND m IN ($known))
		 OR (atid.uuid_extract_timestamp(u) IS NOT NULL) <> (rfc AND m IN (1, 6, 7))",
		10240, "uuid_extract_timestamp: which of them have a time");
  SKIP:
	{
		skip 'the server has no uuidv7', 2 unless $eighteen;
		is_none_wrong(
			$db,
			'(SELECT clock_timestamp() AS before, uuidv7() AS u, clock_timestamp() AS after FROM generate_series(1, 5000)) v',
			q{atid.uuid_extract_version(u) <> 7 OR atid.uuid_v7_to_timestamptz(u) <> pg_catalog.uuid_extract_timestamp(u)
			  OR NOT atid.uuid_extract_timestamp_precise(u) BETWEEN before - interval '1 us' AND after + interval '1 us'},
			5000,
			"uuid_extract_timestamp_precise: the server's own v7 tell the time of their making");
		is_none_wrong($db, '(SELECT uuidv4() AS u, atid.uuid_generate_v7() AS v7 FROM generate_series(1, 5000)) v',
			q{atid.uuid_extract_version(u) <> 4 OR pg_catalog.uuid_extract_version(v7) <> 7
			  OR pg_catalog.uuid_extract_timestamp(v7) <> atid.uuid_extract_timestamp(v7)},
			5000, 'the server reads ours, and we its v4');
	}
}

$node->stop;
done_testing();
