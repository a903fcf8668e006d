# Test vectors of the data model: ours in t/vectors, and the AT Protocol's public ones where they are available
# (AtidTest::Interop).
#
# Shows that
# - every fixture becomes the block and the CID that it names, byte for byte, and the block becomes the
#   record again;
# - every valid record of theirs is valid, and every other one is refused with the problem that its note names, and
#   its path;
# - the records of lexicon/record-data-*.json, whose rules are those of a Lexicon, have a block, and the verdict of
#   the data model;
# - cid_string_is_valid agrees with syntax/cid_*, and the strings accepted as atid.cid_link are the right ones.
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
use MIME::Base64 ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Numbers are kept as they are written: 123.0 is one of the vectors.
my $json = JSON::PP->new->utf8->allow_nonref->allow_bignum->canonical;

# The vectors of a file, each with its "json", or the named field, as text. Values are cut out of the text verbatim,
# so that no other code rewrites a number or a character.
sub vectors
{
	my ($folder, $file, $name) = @_;
	my $text   = slurp_file("$folder/$file");
	my $list   = $json->decode($text);
	my @texts;
	$name //= 'json';
	while ($text =~ /(?:^|[{,])\s*"$name":\s*/mg)
	{
		# The value as long as its brackets are open, otherwise a string.
		$text =~ /\G("(?:[^"\\]|\\.)*"|(\{(?:[^{}"]|"(?:[^"\\]|\\.)*"|(?2))*\}))/gc
		  or die "$file: a value is expected";
		push @texts, $1;
	}
	die "$file: values were missed" if @texts != @$list;
	return map { { %{ $list->[$_] }, text => $texts[$_] } } 0 .. $#texts;
}

my $node    = new_node('record_interop', ready => 1);
my $db      = new_database($node, 'vectors');
my $session = AtidTest::Session->new($node, $db);

#
# Fixtures: record, block, CID.
#
my $fixtures = 0;
foreach my $fixture (map { vectors($_, 'data-model/data-model-fixtures.json') } vector_folders('data-model'))
{
	my $n     = ++$fixtures;
	my $bytes = MIME::Base64::decode_base64($fixture->{cbor_base64});
	my $block = q{'\x} . unpack('H*', $bytes) . q{'::bytea};
	my $json  = literal($fixture->{text}) . '::jsonb';
	my $cid   = $fixture->{cid};

	is($session->ok("SELECT atid.record_to_dag_cbor($json)"),
		'\x' . unpack('H*', $bytes), "fixture $n: the block");
	is($session->ok("SELECT atid.record_cid($json)"), $cid, "fixture $n: the CID");
	is($session->ok("SELECT atid.cid_of($block, 'dag-cbor')"), $cid, "fixture $n: the CID of the block");
	is($session->ok("SELECT atid.cid_digest('$cid')"), '\x' . Digest::SHA::sha256_hex($bytes),
		"fixture $n: its digest");
	is($session->ok("SELECT atid.dag_cbor_to_record($block) = $json"), 't', "fixture $n: the record");
	is($session->ok("SELECT atid.dag_cbor_to_json($block)::jsonb = $json"),
		't', "fixture $n: the record, as json");
	is($session->ok("SELECT atid.record_to_dag_cbor(atid.dag_cbor_to_record($block)) = $block"),
		't', "fixture $n: the block again");
	is($session->ok("SELECT atid.record_is_valid($json), atid.record_problem($json) IS NULL, atid.dag_cbor_is_valid($block)"),
		't|t|t', "fixture $n: valid");

	# No proper prefix of the block is a block, and neither is the block with any byte appended.
	is( $session->ok(
			"SELECT count(*) FROM generate_series(0, length($block) - 1) n WHERE atid.dag_cbor_is_valid(substr($block, 1, n))"
		),
		'0',
		"fixture $n: no part of the block is a block");
	is($session->ok("SELECT count(*) FROM generate_series(0, 255) n WHERE atid.dag_cbor_is_valid($block || set_byte('\\x00', 0, n))"),
		'0', "fixture $n: nor is more than it");
}
cmp_ok($fixtures, '>=', 3, 'fixtures read');

foreach my $folder (vector_folders('data-model'))
{
	my @fixtures = vectors($folder, 'data-model/data-model-fixtures.json');
	my ($of_links, $links, $of_blob, $blob) =
	  own_vectors($folder)
	  ? (5, '$.link $.links[0]', 6, '$.picture|bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq|image/png|5|f')
	  : (2, '$.a.b[0].d[0] $.a.b[0].d[1]',
		1, '$.c|bafkreiccldh766hwcnuxnf2wh6jgzepf2nlu2lvcllt63eww5p6chi4ity|image/jpeg|10000|f');
	is($session->ok('SELECT string_agg(path, chr(32)) FROM atid.record_links(' . literal($fixtures[$of_links]{text}) . ')'),
		$links, 'the links of a fixture');
	is($session->ok('SELECT * FROM atid.record_blobs(' . literal($fixtures[$of_blob]{text}) . ')'),
		$blob, 'the blob of another');
}

#
# Valid records.
#
my $valid = 0;
foreach my $vector (map { vectors($_, 'data-model/data-model-valid.json') } vector_folders('data-model'))
{
	my $record = literal($vector->{text}) . '::jsonb';
	$valid++;
	is($session->ok("SELECT atid.record_is_valid($record), atid.record_problem($record)"),
		't|', "valid: $vector->{note}");
	is( $session->ok(
			"SELECT atid.dag_cbor_to_record(atid.record_to_dag_cbor($record)) = $record"),
		't',
		"valid, there and back: $vector->{note}");
}
cmp_ok($valid, '>=', 5, 'valid records read');

#
# Invalid records, and the verdicts on them.
#
my %problem = (
	'top-level not an object'     => '$: A record must be an object.',
	'float'                       => '$.rcrd.a: A number must be an integer.',
	'record with $type null'      => '$.rcrd.$type: A "$type" must be a string that is not empty.',
	'record with $type wrong type' => '$.rcrd.$type: A "$type" must be a string that is not empty.',
	'record with empty $type string' => '$.rcrd.$type: A "$type" must be a string that is not empty.',
	'blob with string size' => '$.blb: A blob must have a "size" that is an integer of 0 or more.',
	'blob with missing key' => '$.blb: A blob must have a "ref" that is a link.',
	'bytes with wrong field type' => '$.lnk: A "$bytes" must be a string.',
	'bytes with extra fields'     => '$.lnk: An object with "$bytes" must have no other key.',
	'link with wrong field type'  => '$.lnk: A "$link" must be a string.',
	'link with bogus CID' =>
	  '$.lnk: A CID must be base32 in lower case and begin with "b".',
	'link with extra fields' => '$.lnk: An object with "$link" must have no other key.');

foreach my $vector (map { vectors($_, 'data-model/data-model-invalid.json') } vector_folders('data-model'))
{
	my $record = literal($vector->{text}) . '::jsonb';
	my $note   = $vector->{note};
	is($session->ok("SELECT atid.record_is_valid($record)"), 'f', "invalid: $note");
	my $said = $session->ok("SELECT atid.record_problem($record)");
	if (defined $problem{$note})
	{
		is($said, delete $problem{$note}, "what is said of it: $note");
	}
	else
	{
		like($said, qr/^\$\S*: \S.*\.$/, "something is said of it: $note");
	}
}
is(join(', ', sort keys %problem), '', 'every vector that is known here was there') if with_public();

#
# Records of a Lexicon. All of them have a block; no Lexicon is known here, so records that only a Lexicon would
# refuse are valid. The reference to a blob has a different codec there than in the specification.
#
my %of_lexicon;
foreach my $kind (qw(valid invalid))
{
	foreach my $vector (map { vectors($_, "lexicon/record-data-$kind.json", 'data') } vector_folders('lexicon'))
	{
		my $record = literal($vector->{text});
		my $what   = "Lexicon, $kind: $vector->{name}";
		my $blob   = $vector->{text} =~ /"\$type":\s*"blob"/;
		$of_lexicon{$kind}++;
		is( $session->ok(
				"SELECT atid.dag_cbor_is_valid(b), atid.json_to_dag_cbor($record) = b,
				        atid.record_to_dag_cbor(atid.dag_cbor_to_record(b)) = b FROM atid.record_to_dag_cbor($record) b"
			),
			't|t|t',
			"$what: has a block, there and back");
		my $said = $session->ok("SELECT atid.record_problem($record)");
		if ($blob)
		{
			like($said, qr/^\$\.\w+: The "ref" of a blob must have the codec raw\.$/, "$what: what is said of the blob");
		}
		else
		{
			is($said, '', "$what: of the data model");
		}
	}
}
is($of_lexicon{valid} || 0, with_public() ? 3 : 0, 'valid records of a Lexicon read');
is($of_lexicon{invalid} || 0, with_public() ? 50 : 0, 'invalid records of a Lexicon read');
is( $session->ok(q{SELECT atid.dag_cbor_to_record(atid.record_to_dag_cbor('{"$bytes": "123"}'))}),
	'{"$bytes": "120"}',
	'bytes whose text has spare bits: they are not kept');

#
# The string format "cid", and the type.
#

# The strings that are CIDs of version 1 in base32, and so a cid_link.
my %link = map { $_ => 1 } qw(
  bafkqaaa bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku
  bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi
  bafybeie5gq4jxvzmsym6hjlwxej4rwdoxt7wadqvmmwbqi7r27fclha2va);

my %count;
foreach my $kind (qw(valid invalid))
{
	foreach my $string (syntax_vectors("cid_syntax_$kind.txt"))
	{
		my $text = literal($string);
		my $is_link = $link{$string} ? 't' : 'f';
		$count{$kind}++;
		is( $session->ok("SELECT atid.cid_string_is_valid($text), atid.cid_is_valid($text)"),
			($kind eq 'valid' ? 't' : 'f') . "|$is_link",
			"$kind string" . ($is_link eq 't' ? ', and a link' : '') . ": [$string]");
		my ($out, $state) = $session->try("SELECT ${text}::atid.cid_link");
		is("$state $out", $is_link eq 't' ? "00000 $string" : '22P02 ', "the type: [$string]");
		$count{link}++ if $is_link eq 't';
	}
}
cmp_ok($count{$_} || 0, '>=', 2, "strings read: $_") foreach qw(valid invalid link);

$session->quit;
$node->stop;
done_testing();
