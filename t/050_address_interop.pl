# Test vectors for DIDs, handles, NSIDs, at-identifiers, AT URIs, language tags and URIs, and for format_problem those
# of all of Lexicon's string formats: ours in t/vectors, and the AT Protocol's public ones where they are there
# (AtidTest::Interop).
#
# Shows that the predicate, format_problem, and the type or domain accept each valid line and refuse each other
# one, and that accepted lines come back byte for byte.
#
# The exceptions in the public vectors, with the sentence that decides; their README says that the specifications
# take precedence:
# - one valid NSID has an authority of 283 characters: "Domain authority: at most 253 characters (including
#   periods)" (NSID Syntax);
# - JA and jaja are well-formed language tags: "The Lexicon string must validate as a 'well-formed' language
#   tag, as defined in the RFC" (Lexicon, language), and RFC 5646 has "tags and their subtags ... are to be
#   treated as case insensitive" (2.1.1) and "4ALPHA ; or reserved for future use" (2.1).
# The lines of language_parse_invalid.txt are "well-formed BCP 47 syntax, but not valid", as the file says, so
# they are accepted.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/lib";

use AtidTest;
use AtidTest::Interop;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node    = new_node('interop');
my $db      = new_database($node, 'vectors');
my $session = AtidTest::Session->new($node, $db);

# What a type makes of a value, as text; or the SQLSTATE of its refusal.
$session->ok(<<'SQL');
CREATE FUNCTION put(value text, type text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT %L::%s::text', value, type) INTO result;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END $$;
SQL

# the file's name, ours, what refuses it, and how many lines there are at least in the public files
my @formats = (
	[ 'did',          'did',           '22P02', 15, 15 ],
	[ 'handle',       'handle',        '23514', 50, 40 ],
	[ 'nsid',         'nsid',          '23514', 20, 20 ],
	[ 'atidentifier', 'at_identifier', '23514', 10, 20 ],
	[ 'aturi',        'at_uri',        '22P02', 20, 60 ],
	[ 'language',     'language',      '23514', 15, 5 ],
	[ 'uri',          'uri',           '23514', 8,  10 ]);
my %exception = (
	nsid     => sub { $_[1] && length(($_[0] =~ /^(.*)\./)[0] || '') > 253 },
	language => sub { !$_[1] && $_[0] =~ /^(JA|jaja)\z/ });

sub check
{
	my ($name, $refusal, $value, $valid) = @_;
	my $text = literal($value);
	is( $session->ok("SELECT atid.${name}_is_valid($text), put($text, 'atid.$name') = "
			  . ($valid ? $text : literal($refusal)) . ", atid.format_problem($text, '" . $name =~ tr/_/-/r . "') IS NULL"),
		$valid ? 't|t|t' : 'f|t|f',
		sprintf('%s %s: [%.100s]', $name, $valid ? 'accepts' : 'refuses', $value));
	return;
}

foreach my $format (@formats)
{
	my ($file, $name, $refusal, @least) = @$format;
	my $exceptions = 0;

	foreach my $valid (1, 0)
	{
		my @values = syntax_vectors($file . '_syntax_' . ($valid ? 'valid' : 'invalid') . '.txt');
		cmp_ok(scalar(@values), '>=', with_public() ? $least[ 1 - $valid ] : 5, "$name: lines that are " . ($valid ? 'valid' : 'invalid'));
		foreach my $value (@values)
		{
			my $excepted = exists $exception{$name} && $exception{$name}->($value, $valid);
			$exceptions++ if $excepted;
			check($name, $refusal, $value, $excepted ? !$valid : $valid);
		}
	}
	is($exceptions, with_public() && { nsid => 1, language => 2 }->{$name} || 0, "$name: exceptions");
}

my @not_valid = syntax_vectors('language_parse_invalid.txt');
cmp_ok(scalar(@not_valid), '>=', with_public() ? 6 : 2, 'language tags that are well-formed and not valid');
check('language', '23514', $_, 1) foreach @not_valid;

# the formats whose types and domains other tests are about
foreach my $format ([ 'tid', 'tid' ], [ 'recordkey', 'record-key' ], [ 'cid', 'cid' ], [ 'datetime', 'datetime' ])
{
	my ($file, $name) = @$format;
	my @invalid = syntax_vectors($file . '_syntax_invalid.txt');
	push @invalid, syntax_vectors('datetime_parse_invalid.txt') if $name eq 'datetime';
	my @valid = syntax_vectors($file . '_syntax_valid.txt');
	cmp_ok(scalar(@valid), '>=', 4, "$name: lines that are valid");
	cmp_ok(scalar(@invalid), ">=", with_public() ? 8 : 4, "$name: lines that are invalid");
	is($session->ok("SELECT atid.format_problem(" . literal($_) . ", '$name') IS NULL"), 't', "$name: nothing wrong with [$_]")
	  foreach @valid;
	like($session->ok("SELECT atid.format_problem(" . literal($_) . ", '$name')"), qr/^At character [0-9]+: .* must .*\.$/,
		"$name: a rule that [$_] breaks")
	  foreach @invalid;
}

$session->quit;
$node->stop;
done_testing();
