# Records in databases of other encodings than UTF-8.
#
# Shows that
# - a record has the same block and CID in every encoding that can express it, also if conversion changes
#   the order of its keys, and its block comes back as the record;
# - links, blobs, references, problems and paths are the same;
# - if an encoding cannot express a record, because it lacks a character or has one code for two, there is an
#   error that reports this, and never a different record.
#
# Tags: quick differs

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('encodings');
my @encodings = qw(UTF8 LATIN1 WIN1252 KOI8R EUC_JP EUC_TW SQL_ASCII);
my %session;

foreach my $encoding (@encodings)
{
	my $db = lc "db_$encoding";
	$node->safe_psql('postgres',
		"CREATE DATABASE $db TEMPLATE template0 ENCODING '$encoding' LC_COLLATE 'C' LC_CTYPE 'C'");
	$node->safe_psql($db, 'CREATE EXTENSION atid');
	$session{$encoding} = AtidTest::Session->new($node, $db);
	# Without a conversion there are only the bytes.
	$session{$encoding}->ok(q{SET client_encoding = 'UTF8'});
}

my $link = '{"$link": "bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a"}';
my $blob =
  '{"$type": "blob", "ref": {"$link": "bafkreiccldh766hwcnuxnf2wh6jgzepf2nlu2lvcllt63eww5p6chi4ity"}, "mimeType": "image/png", "size": 3}';

# Keys whose order differs before the conversion: one byte in Latin-1, two or three in UTF-8.
my @records = (
	[ 'ascii', '{"b": 1, "a": {"cc": [1, "x", null]}, "dd": true}', qw(LATIN1 WIN1252 KOI8R EUC_JP EUC_TW SQL_ASCII) ],
	[ 'empty', '{}', qw(LATIN1 WIN1252 KOI8R EUC_JP EUC_TW SQL_ASCII) ],
	[ 'scalar', '"ascii"', qw(LATIN1 WIN1252 KOI8R EUC_JP EUC_TW SQL_ASCII) ],
	[ 'array of maps', '[{"b": 1, "a": 2}, {}, [{"c": []}], {"bb": 1, "c": 2}]', qw(LATIN1 WIN1252 KOI8R EUC_JP EUC_TW SQL_ASCII) ],
	[ 'link, bytes, blob', qq({"l": $link, "x": {"\$bytes": "AQI"}, "b": $blob}), qw(LATIN1 WIN1252 KOI8R EUC_JP EUC_TW SQL_ASCII) ],
	[ 'short before long', '{"é": 1, "zz": 2, "z": 3, "ü": 4, "ab": 5, "abc": 6}', qw(LATIN1 WIN1252 SQL_ASCII) ],
	[ 'longer by conversion', '{"éé": 1, "zzz": 2, "zzzz": 3, "zzzzz": 4}', qw(LATIN1 WIN1252 SQL_ASCII) ],
	[ 'nested', '{"ü": {"é": {"ø": 1, "aa": 2}, "zz": [{"ß": 1, "cc": {"à": 5, "bb": 6}}]}, "aa": {"ÿ": 1, "a": 2}, "z": {}}', qw(LATIN1 WIN1252 SQL_ASCII) ],
	[ 'three bytes', '{"€": 1, "ab": 2, "abc": 3, "abcd": 4, "œ": "…", "é": 5}', qw(WIN1252 SQL_ASCII) ],
	[ 'cyrillic', '{"я": 1, "А": 2, "ю": 3, "б": 4, "ё": 5, "Ъ": "текст", "aa": 6}', qw(KOI8R SQL_ASCII) ],
	[ 'kanji', '{"漢": 1, "字": 2, "aa": 3, "aaa": 4, "かな": 5, "ｶﾅ": 6, "kana": "テスト"}', qw(EUC_JP SQL_ASCII) ],
	[ 'han', '{"漢": 1, "字": 2, "aa": 3, "aaa": 4, "中文": "文"}', qw(EUC_TW EUC_JP SQL_ASCII) ],
	[ 'link under accents', qq({"é": {"b c": $link, "ü": [0, $blob]}, "zz": $link}), qw(LATIN1 WIN1252 SQL_ASCII) ],
	[ 'references', '{"é": [{"ü": "did:web:example.com", "cid": "bafkqaaa", "éa": 1, "uri": "at://did:a:b"}], "t": "did:é:b", "u": "at://é.example"}', qw(LATIN1 WIN1252 SQL_ASCII) ],
	[ 'long text', '{"t": "' . 'é' x 5000 . '", "ab": "' . 'ü' x 70000 . '"}', qw(LATIN1 WIN1252 SQL_ASCII) ]);

foreach my $case (@records)
{
	my ($name, $text, @in) = @$case;
	my $record = literal($text) . '::jsonb';
	my $links  = "SELECT string_agg(l::text, ';' ORDER BY path COLLATE \"C\") FROM";
	my $ask    = sub {
		my ($session, $block) = @_;
		return (
			block => $session->ok("SELECT md5(atid.record_to_dag_cbor($record)), length(atid.record_to_dag_cbor($record))"),
			cid   => $session->ok("SELECT atid.record_cid($record)"),
			valid => $session->ok("SELECT atid.record_is_valid($record), atid.record_problem($record)"),
			links => $session->ok("$links atid.record_links($record) l"),
			blobs => $session->ok("$links atid.record_blobs($record) l"),
			links_of_block => $session->ok("$links atid.dag_cbor_links($block) l"),
			refs => $session->ok("$links atid.record_refs($record) l"),
			refs_of_block => $session->ok("$links atid.dag_cbor_refs($block) l"),
			blobs_of_block => $session->ok("$links atid.dag_cbor_blobs($block) l"),
			back  => $session->ok("SELECT atid.dag_cbor_to_record($block) = $record"),
			json  => $session->ok("SELECT atid.dag_cbor_to_json($block)"),
			again => $session->ok("SELECT atid.record_to_dag_cbor(atid.dag_cbor_to_record($block)) = $block"),
			text  => $session->ok("SELECT md5(atid.json_to_dag_cbor(($record)::text::json)), atid.json_cid(($record)::text::json)"),
			strict => $session->ok("SELECT atid.record_is_valid($record, true), atid.record_problem($record, true), atid.dag_cbor_problem($block)"));
	};
	my $block =
	  q{'} . $session{UTF8}->ok("SELECT atid.record_to_dag_cbor($record)") . q{'::bytea};
	my %expected = $ask->($session{UTF8}, $block);
	is("$expected{back}$expected{again}", 'tt', "UTF8: $name: there and back");
	foreach my $encoding (@in)
	{
		is_deeply({ $ask->($session{$encoding}, $block) }, \%expected, "$encoding: $name: as in UTF-8");
	}
}

# A place counts characters, whatever bytes they have.
foreach my $encoding (@encodings)
{
	my $letter = { KOI8R => 'я', EUC_JP => '漢', EUC_TW => '漢' }->{$encoding} || 'é';
	is($session{$encoding}->ok("SELECT atid.format_problem('did:web:x$letter', 'did')"),
		'At character 10: A DID must have only letters, digits and "._:%-".',
		"$encoding: the problem of a string");
}

# Many keys, all characters of Latin-1 in them, nested: sorted again at each level.
{
	my $many = <<'SQL';
SELECT jsonb_object_agg(key, value) FROM (
	SELECT convert_from(set_byte(set_byte('\x0000', 0, 160 + n % 96), 1, 97 + n % 26), 'LATIN1') || repeat('x', n % 7) AS key,
	       CASE n % 5 WHEN 0 THEN to_jsonb(n) WHEN 1 THEN jsonb_build_object(convert_from('\xe9', 'LATIN1'), n, 'zz', n, 'z', n) ELSE '[1]' END AS value
	FROM generate_series(1, 3000) n) k
SQL
	my $sql = "SELECT atid.record_cid(j), (SELECT count(*) FROM jsonb_object_keys(j)), "
	  . "atid.dag_cbor_to_record(atid.record_to_dag_cbor(j)) = j FROM ($many) r(j)";
	my $expected = $session{UTF8}->ok($sql);
	like($expected, qr/^bafyrei\w+\|\d{4}\|t$/, 'UTF8: thousands of keys');
	is($session{$_}->ok($sql), $expected, "$_: thousands of keys") foreach qw(LATIN1);
}

# Faults are reported in the server's encoding, with their paths.
foreach my $encoding (qw(UTF8 LATIN1 WIN1252))
{
	my $s = $session{$encoding};
	is($s->ok(q{SELECT atid.record_problem('{"é": [{"à b": 0.5}]}')}),
		'$["é"][0]["à b"]: A number must be an integer.', "$encoding: a problem's path");
	is($s->ok(q{SELECT atid.record_problem('{"a": {"$bytes": "éééé"}}')}),
		'$.a: A "$bytes" must be base64, which has only the characters A-Z, a-z, 0-9, + and /.', "$encoding: bytes that are none");
	is($s->ok(q{SELECT atid.record_is_valid('{"$type": "é", "é": {"$type": ""}}')}), 'f', "$encoding: a type");
	is(($s->try(q{SELECT atid.json_cid('{"é": [{"à b": 0.5}]}')}))[2] =~ s/.*DETAIL:\s*//sr =~ s/\n.*//sr,
		'$["é"][0]["à b"]: A number must be an integer.', "$encoding: a path in json");
	is(($s->try(q{SELECT atid.json_cid('{"a": {"é": 1, "b": 2, "\\u00e9": 3}}')}))[2] =~ s/.*DETAIL:\s*//sr =~ s/\n.*//sr,
		'$.a: A map must not have a key twice. The key is "é".', "$encoding: a key that comes twice");
	my $long = $s->ok(q{SELECT atid.record_problem(jsonb_build_object(repeat('é', 1000), 0.5))});
	like($long, qr/^\$\["(?:é)+ \.\.\. (?:é)+"\]: A number must be an integer\.$/, "$encoding: a long key is cut between characters");
	# of these encodings only UTF-8 has U+6C34; a text may contain it escaped
	is($s->ok(q{SELECT atid.json_to_dag_cbor('"\\u6c34"')}), '\x63e6b0b4', "$encoding: an escape beyond it");
	like($s->ok(q{SELECT atid.json_problem('{"\\u6c34\\u00e9": 0.5}')}), qr/^\$\["(?:\xe6\xb0\xb4|\x{6c34}|\?)(?:\xc3\xa9|\xe9)"\]: A number must be an integer\.$/,
		"$encoding: a path with a character beyond it");
	like($s->ok(q{SELECT atid.dag_cbor_problem('\xa165e6b0b4c3a9a165247479706560', model => true)}),
		qr/^\$\["(?:\xe6\xb0\xb4|\x{6c34}|\?)(?:\xc3\xa9|\xe9)"\]\.\$type: A "\$type" must be a string that is not empty\.$/, "$encoding: and of a block");
	# Bytes that are not a block are refused as such, also after a text that the encoding lacks.
	is(($s->try(q{SELECT atid.dag_cbor_to_record('\x8263e6b0b4f7')}))[1], '22P03', "$encoding: malformed behind a text");
}

#
# Texts that cannot be expressed.
#
foreach my $encoding (qw(LATIN1 WIN1252 KOI8R))
{
	my $s = $session{$encoding};
	foreach my $case (
		[ 'a text', q{'\x63e6b0b4'} ],
		[ 'a key', q{'\xa163e6b0b400'} ],
		[ 'a character beyond the BMP', q{'\x64f0908591'} ])
	{
		my ($what, $block) = @$case;
		is(($s->try("SELECT atid.dag_cbor_to_record($block)"))[1], '22P05', "$encoding: $what that it has not");
		is(($s->try("SELECT atid.dag_cbor_to_json($block)"))[1], '22P05', "$encoding: $what that it has not, as json");
		is($s->ok("SELECT atid.dag_cbor_is_valid($block)"), 't', "$encoding: $what that it has not is valid");
	}
	# Links can be listed if their path can be expressed.
	my $cid = q{'\xd82a5825000171122065062a5a5a00fc16d73c6944237ccbc15b1c4a7234489336891d091741a239d0'::bytea};
	is($s->ok("SELECT path FROM atid.dag_cbor_links('\\xa2616163e6b0b46162'::bytea || $cid)"),
		'$.b', "$encoding: a link beside a text that it has not");
	is(($s->try("SELECT path FROM atid.dag_cbor_links('\\xa163e6b0b4'::bytea || $cid)"))[1],
		'22P05', "$encoding: a link under a key that it has not");
	# So can references: a string next to them that the encoding lacks is not a reference.
	is($s->ok(q{SELECT path, did FROM atid.dag_cbor_refs('\xa2616163e6b0b46162676469643a613a62')}),
		'$.b|did:a:b', "$encoding: a reference beside a text that it has not");
	is(($s->try(q{SELECT path FROM atid.dag_cbor_refs('\xa163e6b0b4676469643a613a62')}))[1],
		'22P05', "$encoding: a reference under a key that it has not");
}

# EUC_JP has one code for U+00A6 and U+FFE4. Two keys would become one, and a text another.
foreach my $case (
	[ 'two keys', q{'\xa262c2a60163efbfa402'} ], [ 'a text', q{'\x63efbfa4'} ],
	[ 'in a map', q{'\xa1616163efbfa4'} ],       [ 'the other', q{'\x62c2a6'} ])
{
	my ($what, $block) = @$case;
	my ($out, $state, $err) = $session{EUC_JP}->try("SELECT atid.record_to_dag_cbor(atid.dag_cbor_to_record($block)) = $block");
	if ($state eq '00000')
	{
		is($out, 't', "EUC_JP: $what: kept");
	}
	else
	{
		is($state, '22P05', "EUC_JP: $what: refused");
		like($err, qr/encoding "EUC_JP" does not tell apart/, "EUC_JP: $what: with a reason");
	}
}
is(($session{EUC_JP}->try(q{SELECT atid.dag_cbor_to_record('\xa262c2a60163efbfa402')}))[1],
	'22P05', 'EUC_JP: two keys that would become one are refused');

# EUC_TW has two codes for many characters: two keys of a jsonb that are one in UTF-8.
{
	my $twice = q{jsonb_build_object(convert_from('\x8ea1a1a1', 'EUC_TW'), 1, convert_from('\xa1a1', 'EUC_TW'), 2)};
	is($session{EUC_TW}->ok("SELECT count(*) FROM jsonb_object_keys($twice)"), '2', 'EUC_TW: two keys');
	my (undef, $state, $err) = $session{EUC_TW}->try("SELECT atid.record_cid($twice)");
	is($state, '22023', 'EUC_TW: which become one are refused');
	like($err, qr/DETAIL:  \$: A map must not have a key twice\. The key is ".+"\./, 'EUC_TW: with a reason');
	is($session{EUC_TW}->ok("SELECT atid.record_ref_uris($twice) IS NULL"), 't', 'EUC_TW: and have no references');
}

# Other encodings have characters that UTF-8 lacks. Functions that test validity return a verdict; functions
# that convert raise an error.
foreach my $case ([ 'WIN1252', q{chr(129)} ], [ 'EUC_JP', q{convert_from('\xa9a1', 'EUC_JP')} ])
{
	my ($encoding, $text) = @$case;
	my $s = $session{$encoding};
	$s->ok("CREATE FUNCTION lacks() RETURNS text IMMUTABLE LANGUAGE sql RETURN $text");
	foreach my $record (
		q{jsonb_build_object('a', jsonb_build_array(lacks()))},
		q{jsonb_build_object('a', jsonb_build_object(repeat('x', 65535) || lacks() || 'x', 1))},
		q{jsonb_build_object('a', jsonb_build_object('$link', lacks()))})
	{
		is( $s->ok(
				"SELECT atid.record_is_valid(r), atid.record_is_valid(r, true), atid.json_is_valid(r::json), atid.lexicon_is_valid(r), "
				  . "atid.record_conforms(r, '[]'), atid.value_conforms(r, '[]', 'a.b.c') FROM (VALUES ($record)) AS v (r)"),
			'f|f|f|f|f|f', "$encoding: a character that UTF-8 has not raises no error, $record");
		like($s->ok("SELECT concat_ws('|', atid.record_problem(r), atid.json_problem(r::json), atid.lexicon_problem(r), "
				  . "atid.record_conforms_problem(r, '[]')) FROM (VALUES ($record)) AS v (r)"),
			qr/^(?:\$[^ ]*: A text must have an equivalent in UTF-8\.\|?){4}$/, "$encoding: told why, $record");
		is(($s->try("SELECT atid.record_to_dag_cbor($record)"))[1], '22P05', "$encoding: it has no block, $record");
		is($s->ok("SELECT atid.record_ref_uris($record) IS NULL"), 't', "$encoding: nor references, $record");
	}
	is($s->ok(q{SELECT atid.value_conforms('{}', '[]', 'a.b.c#' || lacks()), atid.dag_cbor_get('\xa0', ARRAY[lacks()]) IS NULL}),
		'f|t', "$encoding: nor in a name");
}

is( $session{EUC_JP}->ok(q{SELECT bool_and(atid.record_is_valid(jsonb_build_object('a', repeat('x', 65530 + n) || convert_from('\xb4c1', 'EUC_JP'))))
	FROM generate_series(0, 10) AS n}),
	't', 'EUC_JP: a character that lies across what is tried at once');

# SQL_ASCII has any bytes.
{
	my $s = $session{SQL_ASCII};
	is(($s->try(q{SELECT atid.record_cid(to_jsonb(E'\351'::text))}))[1], '22023',
		'SQL_ASCII: bytes that are not UTF-8 are refused');
	$s->ok('SET client_encoding = SQL_ASCII');
	foreach my $text (q(E'{"a": ["\351"]}'), q(E'{"a\351": 1}'), q(E'{"a": {"$link": "\351"}}'), q(E'{"a": {"$bytes": "\351"}}'))
	{
		is($s->ok("SELECT atid.record_is_valid($text), atid.record_is_valid($text, true), atid.json_is_valid($text), atid.json_is_valid($text, true)"),
			'f|f|f|f', "SQL_ASCII: nothing raises an error, $text");
		like($s->ok("SELECT concat_ws('|', atid.record_problem($text), atid.json_problem($text))"),
			qr/^\$.*: A text must be valid UTF-8\.\|\$: A text must be valid UTF-8\.$/, "SQL_ASCII: told why, $text");
	}

	# a faulty key is not a step of the path, and neither is the key before it or a leftover of another call
	is($s->ok("SELECT atid.record_problem(E'{\"a\": {\"b\": 1, \"c\351\": 2}}')"), '$.a: A text must be valid UTF-8.', 'SQL_ASCII: the path to a key that is at fault');
	is($s->ok("SELECT concat_ws('|', atid.record_problem(E'{\"a\": {\"first\": {\"second\": 1.5}}}'), atid.record_problem(E'{\"a\": {\"\351\": {}}}'))"),
		'$.a.first.second: A number must be an integer.|$.a: A text must be valid UTF-8.', 'SQL_ASCII: of a first key');
}

$_->quit foreach values %session;
$node->stop;
done_testing();
