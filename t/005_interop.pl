# Test vectors for TIDs, record keys and NSIDs: ours in t/vectors, and the AT Protocol's public ones where they are
# there (AtidTest::Interop).
#
# Shows that the predicates, types and domains accept each valid line and refuse each other one.

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

# The SQLSTATE with which a type refuses a value, or 'accepted'.
$session->ok(<<'SQL');
CREATE FUNCTION put(value text, type text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SELECT %L::%s', value, type);
	RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END $$;
SQL

my $soft = $node->pg_version >= 16;

# Asks every way there is, and returns the answers in one line.
#   type: what the value is put into; refusal: the SQLSTATE of its refusal;
#   question: an SQL function of the value, with %s in the value's place.
sub answers
{
	my ($value, $type, @questions) = @_;
	my $text = literal($value);
	my @asked = map { sprintf $_, $text } @questions;
	push @asked, "put($text, '$type')" if defined $type;
	push @asked, "pg_input_is_valid($text, '$type')" if defined $type && $soft;
	return $session->ok('SELECT ' . join ', ', @asked);
}

sub expected
{
	my ($valid, $refusal, $type, @questions) = @_;
	my $word = $valid ? 't' : 'f';
	my @all  = ($word) x @questions;
	push @all, $valid ? 'accepted' : $refusal if defined $type;
	push @all, $word if defined $type && $soft;
	return join '|', @all;
}

sub check
{
	my ($valid, $value, $refusal, $type, @questions) = @_;
	my $what = defined $type ? $type : 'nsid';
	is( answers($value, $type, @questions),
		expected($valid, $refusal, $type, @questions),
		sprintf('%s %s: [%s]', $what, $valid ? 'accepts' : 'refuses', $value));
	return;
}

my %count;
foreach my $valid (1, 0)
{
	my $kind = $valid ? 'valid' : 'invalid';

	foreach my $value (syntax_vectors("tid_syntax_$kind.txt"))
	{
		$count{"tid $kind"}++;
		check($valid, $value, '22P02', 'atid.tid', 'atid.tid_is_valid(%s)',
			"atid.rkey_conforms(%s, 'tid')");
	}

	foreach my $value (syntax_vectors("recordkey_syntax_$kind.txt"))
	{
		$count{"recordkey $kind"}++;
		check($valid, $value, '23514', 'atid.record_key', 'atid.record_key_is_valid(%s)',
			"atid.record_key_conforms(%s, 'any')");

		# The same without the colon, which the specification given here does not have.
		check($valid && $value !~ /:/,
			$value, '23514', 'atid.rkey', 'atid.rkey_is_valid(%s)',
			"atid.rkey_conforms(%s, 'any')");
	}

	foreach my $value (syntax_vectors("nsid_syntax_$kind.txt"))
	{
		$count{"nsid $kind"}++;

		# The specification bounds the authority, all segments but the last, to 253 characters, as the
		# domain name that it is. The vectors have one valid line with 283, and no other near that.
		my ($authority) = $value =~ /^(.*)\./;
		my $long = $valid && length $authority > 253;
		$count{'nsid beyond the bound'}++ if $long;

		check($valid && !$long, $value, undef, undef, "atid.rkey_conforms(%s, 'nsid')",
			"atid.record_key_conforms(%s, 'nsid')");
	}
}

# The files were read, all of them.
foreach my $kind ('tid valid', 'tid invalid', 'recordkey valid', 'recordkey invalid', 'nsid valid',
	'nsid invalid')
{
	cmp_ok($count{$kind} || 0, '>=', 4, "vectors read: $kind");
}

is($count{'nsid beyond the bound'} || 0, with_public() ? 1 : 0, 'one valid NSID has too long an authority, in the public vectors');

$session->quit;
$node->stop;
done_testing();
