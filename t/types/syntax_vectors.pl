# Test vectors for Lexicon's string formats: ours in t/vectors, and the AT Protocol's public ones where they are
# available (AtidTest::Interop).
#
# Shows for each format that every check accepts each valid line and refuses each other line: the predicate, the type or
# domain (by the right error and constraint), pg_input_is_valid, format_problem, which names a rule, and the functions
# that convert or compare; and that accepted lines come back byte for byte.
#
# The exceptions in the public vectors, with the sentence that decides; their README says that the specifications
# take precedence:
# - one valid NSID has an authority of 283 characters: "Domain authority: at most 253 characters (including
#   periods)" (NSID Syntax);
# - JA and jaja are well-formed language tags: "The Lexicon string must validate as a 'well-formed' language
#   tag, as defined in the RFC" (Lexicon, language), and RFC 5646 has "tags and their subtags ... are to be
#   treated as case insensitive" (2.1.1) and "4ALPHA ; or reserved for future use" (2.1).
# The lines of language_parse_invalid.txt are "well-formed BCP 47 syntax, but not valid", as the file states, so they
# are accepted. Those of datetime_parse_invalid.txt name no time, and are refused.
#
# Tags: quick differs

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Interop;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node    = new_node('interop', ready => 1);
my $db      = new_database($node, 'vectors');
my $session = AtidTest::Session->new($node, $db);
my $soft    = $node->pg_version >= 16;

# The output of a type for a value, as text; or the SQLSTATE of its refusal, and the constraint. The error that an
# expression raises.
$session->ok(<<'SQL');
CREATE FUNCTION put(value text, type text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT %L::%s::text', value, type) INTO result;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS result = CONSTRAINT_NAME;
	RETURN SQLSTATE || ' ' || result;
END $$;
CREATE FUNCTION converted(value text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM atid.datetime_to_timestamptz(value);
	RETURN '';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END $$;
SQL

# type: the type, and the beginning of its predicate's name; refused: as put() has it. file and format: the vectors' and
# format_problem's names, where they differ. also: more predicates. other: the lines whose verdict differs, and their
# number. least: how many valid and other lines there are at least, with the public files and without.
my @formats = (
	{ type => 'tid', refused => '22P02 ', also => ["atid.rkey_conforms(%s, 'tid')"], least => [ 4, 8 ], own => 5 },
	{ type => 'record_key', file => 'recordkey', format => 'record-key', refused => '23514 record_key_\w+',
		also => ["atid.record_key_conforms(%s, 'any')"], least => [ 4, 8 ], own => 5 },
	# likewise without the colon
	{ type => 'rkey', file => 'recordkey', format => undef, refused => '23514 rkey_\w+',
		also => ["atid.rkey_conforms(%s, 'any')"], other => sub { $_[1] && $_[0] =~ /:/ }, least => [ 4, 8 ], own => 5 },
	{ type => 'did', refused => '22P02 ', least => [ 15, 15 ], own => 5 },
	{ type => 'handle', least => [ 40, 50 ], own => 5 },
	{ type => 'nsid', also => [ "atid.rkey_conforms(%s, 'nsid')", "atid.record_key_conforms(%s, 'nsid')" ],
		other => sub { $_[1] && length(($_[0] =~ /^(.*)\./)[0] || '') > 253 }, others => 1, least => [ 20, 20 ], own => 5 },
	{ type => 'at_identifier', file => 'atidentifier', least => [ 10, 20 ], own => 5 },
	{ type => 'at_uri', file => 'aturi', refused => '22P02 ', least => [ 20, 60 ], own => 5 },
	{ type => 'language', other => sub { !$_[1] && $_[0] =~ /^(JA|jaja)\z/ }, others => 2, least => [ 15, 5 ], own => 5 },
	{ type => 'uri', least => [ 8, 10 ], own => 5 },
	{ type => 'datetime', also => ['atid.datetime_or_null(%s) IS NOT NULL'], least => [ 6, 8 ], own => 6 },
	# the type for CIDs is stricter
	{ type => undef, file => 'cid', also => ['atid.cid_string_is_valid(%s)'], least => [ 4, 8 ], own => 4 });

# more: further conditions on the value
sub check
{
	my ($format, $value, $valid, @more) = @_;
	my $text = literal($value);
	my $type = $format->{type};
	my $name = exists $format->{format} ? $format->{format} : ($type || $format->{file}) =~ tr/_/-/r;
	my @asked = @{ $format->{also} || [] };

	push @asked, "atid.${type}_is_valid(%s)" if defined $type;
	push @asked, "pg_input_is_valid(%s, 'atid.$type')" if defined $type && $soft;
	my @facts = (map { $valid ? $_ : "NOT ($_)" } @asked);
	push @facts, "put(%s, 'atid.$type')" . ($valid ? ' = %s' : " ~ '^" . ($format->{refused} || "23514 ${type}_syntax") . "\$'")
	  if defined $type;
	push @facts, "atid.format_problem(%s, '$name') " . ($valid ? 'IS NULL' : q{~ '^At character [0-9]+: .* must .*\.$'})
	  if defined $name;
	push @facts, @more;
	is( $session->ok('SELECT ' . join(', ', map { s/%s/$text/gr } @facts)),
		join('|', ('t') x @facts),
		sprintf('%s %s: [%.100s]', $type || $name, $valid ? 'accepts' : 'refuses', $value))
	  or diag(join ' | ', @facts);
	return;
}

foreach my $format (@formats)
{
	my $file = $format->{file} || $format->{type};
	my $others = 0;

	foreach my $valid (1, 0)
	{
		my @values = syntax_vectors($file . '_syntax_' . ($valid ? 'valid' : 'invalid') . '.txt');
		cmp_ok(scalar(@values), '>=', with_public() ? $format->{least}[ 1 - $valid ] : $format->{own},
			"$file: lines that are " . ($valid ? 'valid' : 'invalid'));
		foreach my $value (@values)
		{
			my $other = defined $format->{other} && $format->{other}->($value, $valid);
			$others++ if $other;
			check($format, $value, $other ? !$valid : $valid,
				$file eq 'datetime' ? q{converted(%s) = } . ($valid ? q{''} : q{'22007'}) : ());
		}
	}
	is($others, with_public() ? $format->{others} : 0, "$file: exceptions") if defined $format->{others};
}

my %format = map { $_->{type} // 'cid' => $_ } @formats;
my @not_registered = syntax_vectors('language_parse_invalid.txt');
cmp_ok(scalar(@not_registered), '>=', with_public() ? 6 : 2, 'language tags that are well-formed and not valid');
check($format{language}, $_, 1) foreach @not_registered;
my @no_time = syntax_vectors('datetime_parse_invalid.txt');
cmp_ok(scalar(@no_time), '>=', 6, 'datetimes that name no time');
check($format{datetime}, $_, 0, q{converted(%s) = '22008'}) foreach @no_time;

$session->quit;
$node->stop;
done_testing();
