# The AT Protocol's public test vectors of lexicons (AtidTest::Interop documents where it looks for them).
#
# Shows that
# - every document of the catalog and of lexicon-valid.json is a lexicon and comes back as it was, and each of
#   lexicon-invalid.json is refused with the problem that is listed here;
# - every valid record conforms to the catalog, as jsonb and as a block, and each other is refused with the
#   problem that is listed here; all record keys are valid for their Lexicons.
#
# Two things in the vectors need an explanation. The links of their blobs have the codec of a node, which the
# data model forbids (it requires raw): so they are refused for that, and are checked again with a link that
# has the right codec. And the records "unknown wrong type" lack a required property, too: they are checked
# again with it.
#
# Tags: quick

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Interop;
use JSON::PP ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'the protocol\'s own vectors are not there: set ATID_INTEROP_DIR' unless with_public();

my $json     = JSON::PP->new->utf8->allow_nonref->canonical;
my ($folder) = grep { -d "$_/lexicon/catalog" } vector_folders('lexicon');
my $node     = new_node('lexicon_interop', ready => 1);
my $db       = new_database($node, 'vectors');
my $session  = AtidTest::Session->new($node, $db);
my (%count, %seen);

sub problem
{
	my ($document) = @_;
	return $session->ok("SELECT atid.lexicon_is_valid(d), atid.lexicon_problem(d) FROM CAST($document AS jsonb) d");
}

#
# Documents
#
my %documents = map { s{.*/}{}r => slurp_file($_) } glob "$folder/lexicon/catalog/*.json";
$documents{ $_->{name} } = $json->encode($_->{lexicon})
  foreach @{ $json->decode(slurp_file("$folder/lexicon/lexicon-valid.json")) };

foreach my $name (sort keys %documents)
{
	my $document = literal($documents{$name});
	$count{valid}++;
	is(problem($document), 't|', "$name: a lexicon");
	is( $session->ok(<<"SQL"), 't|t|t', "$name: comes back as it was");
SELECT l::text::atid.lexicon = l, atid.lexicon_document(l, d ->> 'id') = d, atid.lexicon_nsids(l) = ARRAY[d ->> 'id']
FROM CAST($document AS jsonb) d, CAST(d AS atid.lexicon) l
SQL
}

my %wrong = (
	'invalid lexicon field' => 'In example.lexicon.other, $.lexicon: A document must have a "lexicon" that is 1.',
	'invalid id field' => '$: A document must have an "id" that is an NSID.',
	'invalid NSID' => '$.id: An NSID must have at least three segments, with periods between them.',
	'defined unknown' =>
	  'In example.lexicon.other, $.defs.demo.type: A definition must not be of type ref, union, unknown, params or permission.',
	'defined ref' =>
	  'In example.lexicon.other, $.defs.demo.type: A definition must not be of type ref, union, unknown, params or permission.',
	'non-main primary' =>
	  'In example.lexicon.other, $.defs.demo.type: A record, query, procedure, subscription or permission set must be named main.',
	'record missing type object' =>
	  'In example.lexicon.other, $.defs.main.record: A schema must have a "type" that the language has.');

foreach my $vector (@{ $json->decode(slurp_file("$folder/lexicon/lexicon-invalid.json")) })
{
	my $name = $vector->{name};
	$count{invalid}++;
	is(problem(literal($json->encode($vector->{lexicon}))), 'f|' . (delete $wrong{$name} // ''), "what is said of it: $name");
}
is(join(', ', sort keys %wrong), '', 'every document that is known here was there');

#
# Records
#
my @catalog = map { literal($documents{$_}) . '::atid.lexicon' } grep { /\.json$/ } sort keys %documents;
$session->ok('CREATE TABLE catalog AS SELECT ' . join(' || ', @catalog) . ' AS lexicons');

my %problem = (
	'missing required field' => '$: The object must have the property "integer".',
	'invalid boolean field' => '$.boolean: The value must be a boolean.',
	'invalid integer field' => '$.integer: The value must be an integer.',
	'invalid non-nullable string field' => '$.string: The value must not be null.',
	'invalid string field' => '$.string: The value must be a string.',
	'invalid bytes field' => '$.bytes: The value must be bytes.',
	'invalid bytes: empty object' => '$.bytes: The value must be bytes.',
	'invalid bytes: wrong type' => '$.bytes: The value must be bytes.',
	'invalid cid-link field' => '$["cid-link"]: The value must be a link.',
	'invalid blob field' => '$.blob: The value must be a blob.',
	'invalid blob: wrong type' => '$.blob: The value must be a blob.',
	'invalid array' => '$.array: The value must be an array.',
	'invalid array element' => '$.array[0]: The value must be an integer.',
	'object wrong data type' => '$.object: The value must be an object.',
	'object nested wrong data type' => '$.object.a: The value must be an integer.',
	'invalid token ref type' => '$.ref: The value must be an object.',
	'invalid ref value' => '$.ref: The value must be an object.',
	'invalid string format handle' =>
	  '$.formats.handle: At character 4: A handle must have at least two segments, with a period between them.',
	'invalid string format did' => '$.formats.did: At character 1: A DID must begin with "did:".',
	'invalid string format atidentifier' =>
	  '$.formats.atidentifier: At character 4: A handle must have at least two segments, with a period between them.',
	'invalid string format nsid' =>
	  '$.formats.nsid: At character 1: The first segment of an NSID must not begin with a digit.',
	'invalid string format aturi' => '$.formats.aturi: At character 1: An AT URI must begin with "at://".',
	'invalid string format cid' => '$.formats.cid: At character 4: A CID must have 8 to 256 characters.',
	'invalid string format datetime' =>
	  '$.formats.datetime: At character 4: The date must be of the form YYYY-MM-DD.',
	'invalid string format language' =>
	  '$.formats.language: At character 1: A language tag must begin with a language of 2 to 8 letters, or with "x".',
	'invalid string format uri' =>
	  '$.formats.uri: At character 1: A URI must begin with a scheme and a colon, such as "https:".',
	'invalid string format tid' =>
	  '$.formats.tid: At character 1: The first character of a TID must be one of 234567abcdefghij.',
	'invalid string format recordkey' =>
	  '$.formats.recordkey: At character 1: A record key must not be "." or "..".',
	'wrong const value' => '$.constInteger: The value must be 42.',
	'integer not in enum' => '$.enumInteger: The value must be in the enum of its schema.',
	'out of integer range' => '$.rangeInteger: The integer must not be more than 20.',
	'string too short' => '$.lenString: The length of the string in bytes must be at least 10.',
	'string too long' => '$.lenString: The length of the string in bytes must not be more than 20.',
	'string too short (graphemes)' => '$.graphemeString: The length of the string in graphemes must be at least 10.',
	'string too long (graphemes)' => '$.graphemeString: The length of the string in graphemes must not be more than 20.',
	'out of enum string' => '$.enumString: The value must be in the enum of its schema.',
	'bytes too short' => '$.sizeBytes: The length of the byte string must be at least 10.',
	'bytes too long' => '$.sizeBytes: The length of the byte string must not be more than 20.',
	'array too short' => '$.lenArray: The length of the array must be at least 2.',
	'array too long' => '$.lenArray: The length of the array must not be more than 5.',
	'blob too large' => '$.sizeBlob.size: The size of the blob must not be more than 20.',
	'blob wrong type' => '$.acceptBlob.mimeType: The "mimeType" of a blob must be one that its schema accepts.',
	'open union wrong data type' => '$.union: The value must be an object.',
	'open union missing $type' => '$.union: An object in a union must have a "$type".',
	'out of closed union' => '$.closedUnion: The "$type" must be one that the closed union lists.',
	'union inner invalid' => '$.closedUnion: The "$type" must be one that the closed union lists.',
	'union inner invalid again' => '$.union.a: The value must be an integer.',
	'unknown wrong type (bool)' => '$.unknown: The value must be an object.',
	'unknown wrong type (bytes)' => '$.unknown: The value must be an object.',
	'unknown wrong type (blob)' => '$.unknown: The value must be an object that is not a blob.');

# The verdict on a record, as jsonb; as a block it is the same.
sub verdict
{
	my ($data, $name) = @_;
	my ($said, $same) = split /\n/, $session->ok(<<"SQL");
SELECT atid.record_conforms(r, lexicons), atid.record_conforms_problem(r, lexicons)
FROM catalog, CAST($data AS jsonb) r;
SELECT atid.dag_cbor_conforms(b, lexicons) = atid.record_conforms(r, lexicons)
   AND atid.dag_cbor_conforms_problem(b, lexicons) IS NOT DISTINCT FROM atid.record_conforms_problem(r, lexicons)
FROM catalog, CAST($data AS jsonb) r, atid.record_to_dag_cbor(r) b;
SQL
	is($same, 't', "as a block, too: $name");
	return $said;
}

# Gives each blob a link of the right codec. Returns whether there was any.
sub raw_links
{
	my ($value) = @_;
	my $found   = 0;
	if (ref $value eq 'HASH' && defined $value->{mimeType})
	{
		$value->{ref} = { '$link' => 'bafkreiccldh766hwcnuxnf2wh6jgzepf2nlu2lvcllt63eww5p6chi4ity' };
		return 1;
	}
	$found += raw_links($_) foreach ref $value eq 'HASH' ? values %$value : ref $value eq 'ARRAY' ? @$value : ();
	return $found;
}

foreach my $kind (qw(valid invalid))
{
	foreach my $vector (@{ $json->decode(slurp_file("$folder/lexicon/record-data-$kind.json")) })
	{
		my $name = $vector->{name};
		my $text = $json->encode($vector->{data});
		$count{"record, $kind"}++;
		$name .= ' again' if $seen{$name}++;

		is($session->ok("SELECT atid.record_key_conforms('$vector->{rkey}', lexicons, 'example.lexicon.record') FROM catalog"),
			't', "the record key: $name");
		if (raw_links($vector->{data}))
		{
			like(verdict(literal($text), $name), qr/^f\|\$/, "refused with a link that is not raw: $name");
			$text = $json->encode($vector->{data});
		}
		if ($name =~ /unknown wrong type/)
		{
			is(verdict(literal($text), $name), 'f|$: The object must have the property "integer".', "refused: $name");
			$text =~ s/^\{/{"integer":1,/;
		}
		is(verdict(literal($text), $name),
			$kind eq 'valid' ? 't|' : 'f|' . (delete $problem{$name} // ''), "what is said of it: $name");
	}
}
is(join(', ', sort keys %problem), '', 'every record that is known here was there');

is(join(' ', map { $count{$_} } 'valid', 'invalid', 'record, valid', 'record, invalid'), '8 7 3 50', 'vectors read');

$session->quit;
$node->stop;
done_testing();
