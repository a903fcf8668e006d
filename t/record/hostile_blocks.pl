# Hostile records and blocks, and other tests that need more than one session.
#
# Shows that
# - deep nesting, lengths and counts beyond the end of the input, arrays of ten million items and strings of 100 MB end
#   in success or in an error with the reason, with memory bounded by their size, and the session continues;
# - a jsonb is built in 2 GB at most, whatever a block contains;
# - paths and keys in errors are bounded;
# - a cancel stops a long call at once;
# - calls give their memory back, in a loop of PL/pgSQL and in one query;
# - parallel workers run the functions;
# - binary COPY takes cid_links, and refuses other bytes;
# - a table with a generated CID, a check and indexes on expressions is dumped and restored, by its owner.
#
# With script/test --full every shape of a block is tried against the bound of 2 GB, all kinds of large values are
# converted both ways, and each call is made 100,000 times and cancelled on 100 million items; otherwise two shapes, two
# kinds, 1,000 calls (with a quarter of the memory) and four million items, also in the arrays; long keys have a tenth
# of the length, and a text that moves has a quarter.
#
# Tags: minutes

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Memory;
use AtidTest::Order;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $full  = whole();
my $times = $full ? 100_000 : 1_000;
my $long  = $full ? 100_000_000 : 10_000_000;    # a key

my $node = new_node('limits', ready => 1, conf => "shared_buffers = 16MB\nwork_mem = 4MB\n");
$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN');
my $db        = new_database($node, 'limits');
my $session   = AtidTest::Session->new($node, $db);
my $canceller = AtidTest::Session->new($node, $db);

# A text by the thousand, which the server repeats faster than one by one.
sub repeated
{
	my ($text, $count) = @_;
	return "repeat(repeat($text, 1000), @{[ $count / 1000 ]})";
}

# Everything is used once, so that its code is there.
$session->ok(<<'SQL');
SELECT atid.record_cid('{"a": [1, "x", {"$bytes": ""}]}'), atid.record_problem('{"a": 1.5}'),
       atid.dag_cbor_to_record('\xa0'), atid.dag_cbor_to_json('\xa0'), atid.dag_cbor_is_valid('\xa0');
SELECT FROM atid.record_links('{}'), atid.record_blobs('{}'), atid.dag_cbor_links('\xa0'), atid.dag_cbor_blobs('\xa0');
SELECT FROM atid.record_refs('{}'), atid.dag_cbor_refs('\xa0');
SQL

#
# Depth.
#
foreach my $depth (513, 3000)
{
	foreach my $form ([ 'arrays', '[', '', ']' ], [ 'objects', '{"a":', '1', '}' ])
	{
		my ($kind, $open, $inner, $close) = @$form;
		my $jsonb = "(repeat('$open', $depth) || '$inner' || repeat('$close', $depth))::jsonb";
		foreach my $function (qw(record_to_dag_cbor record_cid))
		{
			outcome($session, "$function of $depth $kind", "SELECT atid.$function($jsonb)", '54000',
				qr/record is nested too deep\nDETAIL:  \$.* \.\.\. .*nested at most 512 deep/, 16);
		}
		outcome($session, "$_ of $depth $kind, as json", "SELECT atid.$_(($jsonb)::text::json)", '54000',
			qr/record is nested too deep\nDETAIL:  \$.* \.\.\. .*nested at most 512 deep/, 16)
		  foreach qw(json_to_dag_cbor json_cid);
		outcome($session, "record_is_valid of $depth $kind", "SELECT atid.record_is_valid($jsonb)", '00000', qr/^f$/, 16);
		outcome($session, "$_ of $depth $kind", "SELECT count(*) FROM atid.$_($jsonb)", '54000', qr/record is nested too deep\nDETAIL:  \$.*nested at most 512/, 16)
		  foreach qw(record_links record_blobs record_refs);
	}
}
foreach my $form ([ 'arrays', '81' ], [ 'maps', 'a16161' ], [ 'links in tags', 'd82a' ])
{
	my ($kind, $open) = @$form;
	$session->ok('CREATE TEMP TABLE bomb AS SELECT decode(' . repeated("'$open'", 10_000_000) . q{, 'hex') AS b});
	my ($state, $why) = $kind eq 'links in tags' ? ('22P03', qr/must be a byte string/) : ('54000', qr/DAG-CBOR is nested too deep\nDETAIL:  At byte \d+: Arrays and maps must be nested at most 512 deep/);
	outcome($session, "$_, 10 million $kind", "SELECT count(*) FROM bomb, atid.$_(b)", $state, $why, 60)
	  foreach qw(dag_cbor_to_record dag_cbor_to_json dag_cbor_links dag_cbor_blobs);
	outcome($session, "dag_cbor_is_valid, 10 million $kind", 'SELECT atid.dag_cbor_is_valid(b) FROM bomb', '00000', qr/^f$/, 60);
	$session->ok('DROP TABLE bomb');
}

#
# Claims: lengths and counts beyond the data, at the top and nested.
#
foreach my $claim (
	qw(1a40000000 1a7fffffff 1affffffff 1b0000000100000000 1b7fffffffffffffff 1b8000000000000000),
	'1bffffffffffffffff')
{
	my ($info, $rest) = $claim =~ /^1(.)(.*)$/;
	foreach my $major ([ 'bytes', '5' ], [ 'text', '7' ], [ 'array', '9' ], [ 'map', 'b' ])
	{
		my $head = "$major->[1]$info$rest";
		foreach my $block ("\\x$head", "\\x82$head", "\\xa16161$head", "\\xd82a$head", "\\xa1$head")
		{
			my ($out, $state, $err, $grown) = measured($session, "SELECT atid.dag_cbor_to_record('$block')");
			is($state, '22P03', "$block: refused");
			cmp_ok($grown || 0, '<', 8, "$block: no memory for it");
		}
	}
}
# An array in an array in an array, each with as many items as bytes are left: none of them is complete, so the block is
# refused before anything is built.
outcome($session, 'counts that multiply',
	q{SELECT atid.dag_cbor_to_record(decode(repeat('9a000f4240', 200), 'hex') || decode(repeat('00', 2000000), 'hex'))},
	'22P03', qr/A block must not end before its value does/, 400);
$session->quit;

#
# The bound on the memory that a jsonb takes while it is built, for each shape of a block: 2 GB, plus the block. A block
# of each shape that would need more is refused, and the peak of the backend's memory shows that everything built is
# counted.
#
my $utf8   = $db;
my $latin1 = 'limits_latin1';
$node->safe_psql('postgres', "CREATE DATABASE $latin1 TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'");
$node->safe_psql($latin1, 'CREATE EXTENSION atid');

# items of an array, in hex, and how many
my %shape = (
	'empty arrays'           => [ '80',                                    9_000_000 ],
	'arrays of arrays'       => [ '828080',                                4_000_000 ],
	'arrays of one'          => [ '8100',                                  8_000_000 ],
	'arrays of five'         => [ '850102030405',                          5_000_000 ],
	'empty maps'             => [ 'a0',                                    4_000_000 ],
	'maps of one'            => [ 'a1616101',                              4_000_000 ],
	'maps of five'           => [ 'a5' . join('', map { "616${_}01" } 1 .. 5), 2_000_000 ],
	'maps of nine'           => [ 'a9' . join('', map { "616${_}01" } 1 .. 9), 1_000_000 ],
	'empty byte strings'     => [ '40',                                    4_000_000 ],
	'byte strings'           => [ '50' . '00' x 16,                        4_000_000 ],
	'byte strings of 1 kB'   => [ '590400' . '00' x 1024,                  1_000_000 ],
	'links'                  => [ 'd82a450001550000',                      4_000_000 ],
	'byte strings in maps'   => [ 'a1616140',                              2_000_000 ],
	'numbers by the million' => [ '9a00f42400' . '01' x 16_000_000,        3 ],
	'texts by the million'   => [ '9a00f42400' . '60' x 16_000_000,        5 ]);
my %shape_latin1 = (
	'converted texts'        => [ '9a00989680' . '62c3a9' x 10_000_000,     4 ]);
unless ($full)
{
	delete @shape{ grep { !/^(empty byte strings|maps of five)$/ } keys %shape };
	%shape_latin1 = ();
}

foreach my $case (
	(map { [ $utf8, $_, @{ $shape{$_} } ] } sort keys %shape),
	(map { [ $latin1, $_, @{ $shape_latin1{$_} } ] } sort keys %shape_latin1))
{
	my ($where, $what, $item, $n) = @$case;
	my $bytes = length($item) / 2 * $n;
	my $file  = PostgreSQL::Test::Utils::tempdir('shape') . '/block';

	# In binary, and from a file, so that no other memory interferes.
	open my $out, '>:raw', $file or die "could not write $file: $!";
	my $packed = pack 'H*', $item;
	print $out $n < 24 ? pack('C', 0x80 | $n) : pack('CN', 0x9a, $n);
	print $out $packed foreach 1 .. $n;
	close $out;
	$session = AtidTest::Session->new($node, $where);
	$session->ok('CREATE TABLE IF NOT EXISTS shape (b bytea)');
	$session->ok('ALTER TABLE shape ALTER b SET STORAGE EXTERNAL; TRUNCATE shape');
	$session->ok('INSERT INTO shape VALUES (pg_read_binary_file(' . literal($file) . '))');
	unlink $file;
	$session->quit;

	$session = AtidTest::Session->new($node, $where);
	$session->ok(q{SELECT atid.dag_cbor_to_record('\x8140'), count(*) FROM shape});
	outcome($session, "$what, more than 2 GB", 'SELECT pg_column_size(atid.dag_cbor_to_record(b)) FROM shape',
		'54000', qr/must take at most 2 GB to build/, 2048 * 1.05 + $bytes / 2**20 + 16);
	$session->quit;
}

#
# Millions of items, and strings of 100 MB. The memory needed is a multiple of the input: a jsonb takes 32 bytes or more
# for an item while it is built.
#
my %most = (
	# per kind: to a block, to a jsonb, to json, to examine it
	items => [ 500, 1900, 500, 200 ],
	text  => [ 800, 800,  900, 400 ],
	bytes => [ 1200, 1200, 1300, 900 ],
	key   => [ 800, 800,  900, 400 ],
	pairs => [ 300, 500,  200, 100 ],
	links => [ 300, 900,  300, 100 ]);
my $items = $full ? 10_000_000 : 4_000_000;
$most{items} = [ map { $_ * $items / 10_000_000 } @{ $most{items} } ];
foreach my $what ($full ? sort keys %most : qw(items links))
{
	# A session for each, so that memory of another does not interfere.
	my ($encode, $decode, $json, $look) = @{ $most{$what} };
	$session = AtidTest::Session->new($node, $db);
	$session->ok(<<"SQL");
CREATE TEMP TABLE big (j jsonb, b bytea);
ALTER TABLE big ALTER j SET STORAGE EXTERNAL, ALTER b SET STORAGE EXTERNAL;
SQL
	my %make = (
		items => sprintf(q{SELECT '\x9a%08x'::bytea || decode(repeat('01', %d), 'hex')}, $items, $items),
		text  => q{SELECT '\x7a05f5e100'::bytea || decode(repeat('78', 100000000), 'hex')},
		bytes => q{SELECT '\x5a05f5e0ff'::bytea || decode(repeat('00', 99999999), 'hex')},
		key   => q{SELECT '\xa17a05f5e100'::bytea || decode(repeat('78', 100000000), 'hex') || '\x01'},
		pairs => q{SELECT atid.record_to_dag_cbor(jsonb_object_agg(n, 1)) FROM generate_series(1, 1000000) n},
		links => q{SELECT '\x9a00030d40'::bytea || decode(repeat('d82a5825000171122065062a5a5a00fc16d73c6944237ccbc15b1c4a7234489336891d091741a239d0', 200000), 'hex')});
	$session->ok("INSERT INTO big SELECT NULL, b FROM ($make{$what}) m(b)");
	outcome($session, "$what to a jsonb", 'UPDATE big SET j = atid.dag_cbor_to_record(b)', '00000', qr/^$/, $decode);
	outcome($session, "$what to a block", 'SELECT atid.record_to_dag_cbor(j) = b FROM big', '00000', qr/^t$/, $encode + $look);
	outcome($session, "$what to a CID", q{SELECT atid.record_cid(j) = atid.cid_of(b, 'dag-cbor') FROM big}, '00000', qr/^t$/, $encode + $look);
	outcome($session, "$what to json", 'SELECT length(atid.dag_cbor_to_json(b)::text) > 1000000 FROM big', '00000', qr/^t$/, $json);
	outcome($session, "$what, is the record valid?", 'SELECT atid.record_is_valid(j) FROM big', '00000',
		$what =~ /^(key|pairs)$/ ? qr/^t$/ : qr/^f$/, $encode + $look);
	outcome($session, "$what, is the block valid?", 'SELECT atid.dag_cbor_is_valid(b) FROM big', '00000', qr/^t$/, $look);
	outcome($session, "$what from json to a block", 'SELECT atid.json_to_dag_cbor(atid.dag_cbor_to_json(b)) = b FROM big', '00000', qr/^t$/, $json + $encode + $look);
	my $links = $what eq 'links' ? 200000 : 0;
	outcome($session, "links of a block of $what", 'SELECT count(*) FROM big, atid.dag_cbor_links(b)', '00000', qr/^$links$/, $look + 20);
	outcome($session, "links of a record of $what", 'SELECT count(*) FROM big, atid.record_links(j)', '00000', qr/^$links$/, $encode + $look);
	outcome($session, "blobs of a block of $what", 'SELECT count(*) FROM big, atid.dag_cbor_blobs(b)', '00000', qr/^0$/, $look + 20);

	outcome($session, "references of a block of $what", 'SELECT count(*) FROM big, atid.dag_cbor_refs(b)', '00000', qr/^0$/, $look + 20);

	# And a cancel takes effect in the middle of a call.
	if ($what eq 'items')
	{
		my $many = 100_000_000;
		$session->ok(sprintf q{UPDATE big SET b = '\x9a%08x'::bytea || decode(repeat('01', %d), 'hex')}, $many, $many) if $full;
		$session->ok('ALTER TABLE big ADD t json, ALTER t SET STORAGE EXTERNAL; UPDATE big SET t = atid.dag_cbor_to_json(b)');
		foreach my $call ('atid.dag_cbor_is_valid(b)', 'atid.dag_cbor_problem(b)', 'atid.dag_cbor_to_json(b)', 'atid.json_cid(t)', 'atid.record_to_dag_cbor(j)',
			'atid.record_cid(j)', 'atid.record_is_valid(j)', '(SELECT count(*) FROM atid.dag_cbor_links(b))',
			'(SELECT count(*) FROM atid.record_blobs(j))', '(SELECT count(*) FROM atid.dag_cbor_refs(b))')
		{
			cancelled($session, $canceller, $call, "SELECT sum(length($call\::text)) FROM big, generate_series(1, 1000)", 1.5);
		}
	}
	$session->quit;
}

#
# Keys in an order that makes the server's quicksort quadratic
#
$session = AtidTest::Session->new($node, $db);
my @killer = map { sprintf '"%06d":1', $_ } killer_order(40_000);
$session->ok(sprintf q{CREATE TEMP TABLE killer AS SELECT '{%s}'::json AS j, '{%s}'::jsonb AS sorted}, map { join ',', @$_ } \@killer, [ sort @killer ]);
is($session->ok('SELECT atid.json_to_dag_cbor(j) = atid.record_to_dag_cbor(sorted) FROM killer'), 't', '40,000 keys in killer order: as in any other');
$session->ok('SELECT atid.json_to_dag_cbor(j) FROM killer');
swift($session->used, 1, '40,000 keys in killer order: in n log n');

# Maps in maps, each with its keys in the wrong order, so that a long text moves 500 times.
my $moved = $full ? 20_000_000 : 5_000_000;
my $text  = repeated(q{'x'}, $moved);
foreach my $keys ('a b', 'b a')
{
	my ($first, $last) = split ' ', $keys;
	$session->ok(qq{CREATE TEMP TABLE "$keys" AS SELECT (repeat('{"$first":0,"$last":', 500) || '"' || $text || '"' || repeat('}', 500))::json AS j});
}
is($session->ok('SELECT length(atid.json_to_dag_cbor(j)) FROM "a b"'), $moved + 3005, 'maps in maps, in order');
is($session->ok('SELECT length(atid.json_to_dag_cbor(j)) FROM "b a"'), $moved + 3005, 'and in the wrong order');
my $moving = $session->used;
$session->ok(qq{DO \$\$ DECLARE a text := $text; b text; BEGIN FOR i IN 1..50 LOOP b := a || i; END LOOP; END \$\$});
swift($moving, 0.5 + 10 * $session->used, sprintf 'which takes no longer than copies do, of which ten take %.2f s', $session->used / 5);
$session->ok('DROP TABLE "a b", "b a"');
$session->quit;

# One text that takes seconds to write as JSON.
$session = AtidTest::Session->new($node, $db);
$session->ok(q{CREATE TEMP TABLE control (b bytea); ALTER TABLE control ALTER b SET STORAGE EXTERNAL});
$session->ok(q{INSERT INTO control SELECT '\x7a05f5e100'::bytea || convert_to(} . repeated(q{E'\\x01'}, 100_000_000) . q{, 'UTF8')});
cancelled($session, $canceller, 'dag_cbor_to_json of 100 MB of control characters',
	'SELECT length(atid.dag_cbor_to_json(b)::text) FROM control', 1.5);
$session->quit;

# Long values that are hashed, many times in one expression, in which the server itself does not check for a cancel; it
# does not either while it concatenates the input of the hash.
$session = AtidTest::Session->new($node, $db);
my $hashed = q{(SELECT b || b || b || b || b
	FROM (SELECT convert_to(repeat(repeat('x', 1000), 20000), 'UTF8') OFFSET 0) fifth (b) OFFSET 0) name (b)};
$session->ok("SELECT length(b) FROM $hashed");
my $built = $session->used;
foreach my $call ((map { "uuid_generate_v$_(atid.uuid_ns_dns(), b)" } 3, 5, 8), q{cid_of(b, 'raw')})
{
	cancelled($session, $canceller, "$call of 100 MB, 50 times",
		'SELECT ' . join(' OR ', ("atid.$call IS NULL") x 50) . " FROM $hashed", 0.3 + $built, 0.3);
}
$session->quit;

# More items than a jsonb can hold.
$session = AtidTest::Session->new($node, $db);
outcome($session, '17 million items',
	q{SELECT atid.dag_cbor_to_record('\x9a01036640'::bytea || decode(repeat('00', 17000000), 'hex'))},
	'54000', qr/An array or map must have at most \d+ items for jsonb, not 17000000\./, 200);
outcome($session, 'a string that no jsonb holds',
	q{SELECT atid.dag_cbor_to_record('\x7a11e1a300'::bytea || convert_to(} . repeated(q{'x'}, 300_000_000) . q{, 'UTF8'))},
	'54000', qr/exceeds the maximum/, 2500);
is($session->ok(q{SELECT atid.dag_cbor_to_record('\x01')}), '1', 'the session goes on');

#
# A key as long as its record, and paths that repeat it.
#
$session->ok(<<"SQL");
CREATE TEMP TABLE long AS SELECT jsonb_build_object(@{[ repeated("'k'", $long) ]}, jsonb '[1, 0.5]') AS j;
CREATE TEMP TABLE longer AS
SELECT '\\xa17a02faf080'::bytea || convert_to(@{[ repeated("'k'", 50_000_000) ]}, 'UTF8') || '\\x9a000186a0'::bytea
       || decode(repeat('d82a450001550000', 100000), 'hex') AS b;
SQL
outcome($session, 'record_problem of a long key', 'SELECT length(atid.record_problem(j)) < 200 FROM long', '00000', qr/^t$/, 2.5 * $long / 1_000_000);
foreach my $call ('atid.record_cid(j)', 'atid.record_links(j)', 'atid.json_cid(j::text::json)')
{
	my ($out, $state, $err) = $session->try("SELECT $call FROM long");
	is($state, '22023', "$call of a long key: refused");
	like($err, qr/DETAIL:  \$\["k+ \.\.\. k+"\]\[1\]: A number must be an integer\./, "$call of a long key: with a path");
	cmp_ok(length $err, '<', 500, "$call of a long key: which is short");
}
outcome($session, '100,000 links below a key of 50 MB', q{SELECT count(*) || ' ' || count(path) FROM longer, atid.dag_cbor_links(b)}, '00000', qr/^100000 0$/, 250);
# A long path is not made for each of 100,000 items: that took 9 s and 600 MB on disk.
$session->ok(<<'SQL');
CREATE TEMP TABLE nested AS
SELECT kind, (repeat('[', 500) || array_to_string(array_fill(item, ARRAY[100000]), ',') || repeat(']', 500))::jsonb AS j
FROM (VALUES ('refs', '"did:a:b"'), ('links', '{"$link":"bafkqaaa"}'), ('blobs', '{"cid":"bafkqaaa","mimeType":"a"}')) AS v (kind, item);
SQL
foreach my $kind (qw(refs links blobs))
{
	outcome($session, "100,000 $kind, 500 deep", qq{SELECT count(*) || ' ' || (count(path) BETWEEN 50 AND 30000) FROM nested, atid.record_$kind(j) WHERE kind = '$kind'},
		'00000', qr/^100000 true$/, 150);
	swift($session->used, 2, "100,000 $kind, 500 deep: in time that the length bounds");
}
# Long strings are not read to their end.
my $begun = $full ? 50 : 20;
$session->ok("CREATE TEMP TABLE begun AS SELECT jsonb_build_array('did:a:' || b, 'at://did:a:' || b) AS j FROM repeat(repeat('b', 1000), $begun * 1000) b");
outcome($session, "strings of $begun MB that begin as references", 'SELECT count(*) FROM begun, atid.record_refs(j)', '00000', qr/^0$/, 5 * $begun);

#
# Each call gives its memory back: in a session that has none to reuse from before.
#
$session->quit;
$session = AtidTest::Session->new($node, $db);
$session->ok(<<'SQL');
CREATE TABLE record AS
SELECT jsonb_build_object('$type', 'a.b.c', 'text', repeat('é', 2000), 'n', array_fill(7, ARRAY[50]), 'b', jsonb_build_object('$bytes', repeat('AAAA', 500)),
  'blob', '{"$type": "blob", "ref": {"$link": "bafkreiccldh766hwcnuxnf2wh6jgzepf2nlu2lvcllt63eww5p6chi4ity"}, "mimeType": "a/b", "size": 1}'::jsonb) AS j;
ALTER TABLE record ADD b bytea;
UPDATE record SET b = atid.record_to_dag_cbor(j);
SQL
my %call = (
	record_to_dag_cbor => 'length(atid.record_to_dag_cbor(j))',
	record_cid         => 'length(atid.record_cid(j)::bytea)',
	record_is_valid    => 'atid.record_is_valid(j)::int',
	record_problem     => q{length(atid.record_problem(j || '{"z": 1.5}'))},
	dag_cbor_to_record => 'pg_column_size(atid.dag_cbor_to_record(b))',
	dag_cbor_to_json   => 'length(atid.dag_cbor_to_json(b)::text)',
	dag_cbor_is_valid  => 'atid.dag_cbor_is_valid(b)::int',
	dag_cbor_problem   => q{length(atid.dag_cbor_problem(b || '\x00'))},
	json_to_dag_cbor   => 'length(atid.json_to_dag_cbor(j::text::json))',
	json_problem       => q{length(atid.json_problem((j || '{"z": {"$type": ""}}')::text::json)) + atid.json_is_valid(j::text::json)::int},
	block_problem      => q{length(atid.dag_cbor_problem(b, true, true)) + atid.dag_cbor_is_valid(b, true)::int},
	json_cid           => 'length(atid.json_cid(j::text::json)::bytea)',
	links              => '(SELECT count(*) FROM atid.record_links(j)) + (SELECT count(*) FROM atid.dag_cbor_links(b))',
	refs               => q{(SELECT count(*) FROM atid.record_refs(j || '["did:a:b", "at://did:a:b"]')) + (SELECT count(*) FROM atid.dag_cbor_refs(b))},
	blobs              => '(SELECT count(*) FROM atid.record_blobs(j)) + (SELECT count(*) FROM atid.dag_cbor_blobs(b))',
	cid_link           => q{length(atid.cid_of(b, 'raw')::text::atid.cid_link::text)},
	accessors          => q{length(atid.cid_codec(atid.cid_of(b, 'raw')) || atid.cid_hash(atid.record_cid(j))) + length(atid.cid_digest(atid.cid_of(b, 'raw'))::bytea)});

# A function in FROM costs the executor itself some memory for each call, until the query ends: the cost of
# generate_series is allowed for.
my $twice = '(SELECT count(*) FROM generate_series(1, 1)) + (SELECT count(*) FROM generate_series(1, 1))';
$session->ok("SELECT sum($twice) FROM generate_series(1, 1000)");
my $of_server = (measured($session, "SELECT sum($twice) FROM generate_series(1, $times)"))[3] || 0;

foreach my $name (sort keys %call)
{
	my $call = $call{$name};
	my $most = ($full ? 8 : 2) + ($call =~ /FROM/ ? $of_server : 0);
	my $loop = "DO \$\$ DECLARE j jsonb; b bytea; n bigint := 0; BEGIN SELECT r.j, r.b INTO j, b FROM record r; "
	  . "FOR i IN 1..%d LOOP n := n + $call; END LOOP; END \$\$";
	my $query = "SELECT sum($call) FROM record, generate_series(1, %d)";
	foreach my $way ([ 'a loop', $loop ], [ 'one query', $query ])
	{
		my $sql = $way->[1];
		$session->ok(sprintf $sql, 500);
		my (undef, $state, $err, $grown) = measured($session, sprintf $sql, $times);
		is($state, '00000', "$name, $times times in $way->[0]") or diag($err);
		cmp_ok($grown || 0, '<', $most, sprintf '%s, %d times in %s: memory comes back (%.1f MB)', $name, $times, $way->[0], $grown || 0);
	}
}

#
# Parallel workers.
#
$session->ok(<<'SQL');
CREATE TABLE parallel AS SELECT jsonb_build_object('n', n) AS j FROM generate_series(1, 20000) n;
ANALYZE parallel;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;
SQL
my $query =
  'SELECT count(DISTINCT atid.record_cid(j)) FROM parallel WHERE atid.record_is_valid(j) AND atid.dag_cbor_is_valid(atid.record_to_dag_cbor(j)) AND atid.dag_cbor_to_record(atid.record_to_dag_cbor(j)) = j';
like($session->ok("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) $query"), qr/Workers Launched: [12]/, 'workers run the functions');
is($session->ok($query), '20000', 'and the answer is right');

#
# COPY in its binary format.
#
{
	my $file = PostgreSQL::Test::Utils::tempdir('copy') . '/cids';
	$session->ok(<<"SQL");
CREATE TABLE cids AS SELECT atid.cid_of(n::text::bytea, CASE n % 2 WHEN 0 THEN 'raw' ELSE 'dag-cbor' END) AS cid FROM generate_series(1, 1000) n;
INSERT INTO cids VALUES ('bafkqaaa'), (NULL);
CREATE TABLE copied (LIKE cids);
COPY cids TO '$file' WITH (FORMAT binary);
COPY copied FROM '$file' WITH (FORMAT binary);
SQL
	is($session->ok('SELECT count(*) FROM (TABLE cids EXCEPT TABLE copied) d'), '0', 'binary COPY: out and in again');
	foreach my $bad (
		[ 'nothing',     q{''},                                       'A CID must not end before its digest.' ],
		[ 'CIDv0',       q{'\x1220' || sha256('')},                   'A CID must be of version 1, and this is a CIDv0.' ],
		[ 'more',        q{'\x01551220' || sha256('') || '\x00'},     'A CID must end after its digest.' ],
		[ 'less',        q{'\x01551220' || substr(sha256(''), 2)},    'The digest of a CID must be as long as the CID says.' ],
		[ 'long varint', q{'\x01d5001220' || sha256('')},             'A varint must be in its shortest form.' ])
	{
		my ($what, $bytes, $detail) = @$bad;
		$session->ok("COPY (SELECT ($bytes)::bytea) TO '$file' WITH (FORMAT binary)");
		my (undef, $state, $err) = $session->try("COPY copied FROM '$file' WITH (FORMAT binary)");
		is($state, '22P03', "binary COPY: $what is refused");
		like($err, qr/invalid binary representation for type atid\.cid_link\nDETAIL:  At byte \d+: \Q$detail\E/, "binary COPY: $what, with the reason");
	}
}
$session->quit;

#
# Dump and restore.
#
$node->safe_psql('postgres', 'CREATE DATABASE source OWNER owner; CREATE DATABASE target OWNER owner');
my @as = ('-U', 'owner');
$node->safe_psql('source', <<'SQL', extra_params => \@as);
CREATE EXTENSION atid;
CREATE TABLE record (
	n int PRIMARY KEY,
	record jsonb NOT NULL CHECK (atid.record_is_valid(record)),
	cid atid.cid_link GENERATED ALWAYS AS (atid.record_cid(record)) STORED UNIQUE,
	said atid.cid_link DEFAULT 'bafkqaaa');
CREATE INDEX ON record (atid.record_cid(record));
CREATE INDEX ON record USING hash (said);
CREATE INDEX ON record (n) WHERE atid.cid_is_blessed(said);
CREATE TABLE link (cid atid.cid_link REFERENCES record (cid), CHECK (atid.cid_codec(cid) = 'dag-cbor'));
CREATE VIEW links AS SELECT n, l.* FROM record, atid.record_links(record) l;
CREATE MATERIALIZED VIEW blobs AS SELECT n, b.* FROM record, atid.record_blobs(record) b;
CREATE DOMAIN blessed AS atid.cid_link CHECK (atid.cid_is_blessed(VALUE));
CREATE TABLE domained (cid blessed, cids atid.cid_link[]);
INSERT INTO record (n, record) SELECT n, jsonb_build_object('n', n, 'link', jsonb_build_object('$link', atid.cid_of(n::text::bytea, 'raw'))) FROM generate_series(1, 500) n;
INSERT INTO link SELECT cid FROM record;
INSERT INTO domained SELECT cid, ARRAY[cid, said] FROM record;
SQL
my $file = PostgreSQL::Test::Utils::tempdir('dump') . '/archive';
my $contents = q{SELECT md5(string_agg(r::text, '' ORDER BY n)), (SELECT count(*) FROM link), (SELECT count(*) FROM links), (SELECT md5(string_agg(d::text, '' ORDER BY d::text COLLATE "C")) FROM domained d) FROM record r};
foreach my $command (
	[ 'pg_dump', @as, '-Fc', '-f', $file, '-d', $node->connstr('source') ],
	[ 'pg_restore', @as, '--exit-on-error', '--single-transaction', '-d', $node->connstr('target'), $file ])
{
	my ($out, $err) = run_command($command);
	is($err, '', "$command->[0] by the owner, without a message");
}
is($node->safe_psql('target', $contents), $node->safe_psql('source', $contents), 'restored: the same contents');
is($node->safe_psql('target', 'SELECT count(*) FROM record WHERE cid = atid.record_cid(record)'), '500', 'restored: the CIDs are right');
foreach my $bad (
	[ '22023', q{INSERT INTO record VALUES (0, '{"a": 1.5}')} ],
	[ '23514', q{INSERT INTO record VALUES (0, '{"$type": ""}')} ],
	[ '23514', q{INSERT INTO domained VALUES ('bafkqaaa')} ],
	[ '23503', q{INSERT INTO link VALUES (atid.record_cid('{}'))} ])
{
	my ($status, $out, $err) = $node->psql('target', "\\set VERBOSITY sqlstate\n$bad->[1]");
	like($err, qr/ERROR:  $bad->[0]/, "restored, refused: $bad->[1]");
}

$node->stop;
done_testing();
