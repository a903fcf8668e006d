# Test vectors for datetimes: ours in t/vectors, and the AT Protocol's public ones where they are there
# (AtidTest::Interop).
#
# Shows that each valid line is a datetime and each other line is none: neither one with wrong syntax nor one
# that names no time. There is no exception. The functions, the domain and the conversion agree about each line.

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

# The constraint of the domain that refuses a value, and the SQLSTATE of the conversion; '' for neither.
$session->ok(<<'SQL');
CREATE FUNCTION refusals(value text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	broken text = '';
	state text = '';
BEGIN
	BEGIN
		PERFORM value::atid.datetime;
	EXCEPTION WHEN check_violation THEN
		GET STACKED DIAGNOSTICS broken = CONSTRAINT_NAME;
	END;
	BEGIN
		PERFORM atid.datetime_to_timestamptz(value);
	EXCEPTION WHEN OTHERS THEN
		state = SQLSTATE;
	END;
	RETURN broken || ' ' || state;
END $$;
SQL

sub is_answer
{
	my ($value, $valid, $refusals, $file) = @_;
	my $text = literal($value);
	# 16 brought soft errors
	my $soft = $node->pg_version >= 16 ? "pg_input_is_valid($text, 'atid.datetime')" : "atid.datetime_is_valid($text)";
	like(
		$session->ok("SELECT atid.datetime_is_valid($text), atid.datetime_or_null($text) IS NOT NULL, $soft, refusals($text)"),
		$valid ? qr/^t\|t\|t\| $/ : qr/^f\|f\|f\|$refusals$/,
		"$file: [$value]");
	return;
}

my $syntax = qr/datetime_syntax 22007/;
my $time   = qr/datetime_syntax 22008/;

my %count;
foreach my $row (
	[ 'datetime_syntax_valid.txt', 1 ],
	[ 'datetime_syntax_invalid.txt', 0, $syntax ],
	[ 'datetime_parse_invalid.txt', 0, $time ])
{
	my ($file, $valid, $refusals) = @$row;
	foreach my $value (syntax_vectors($file))
	{
		$count{$file}++;
		is_answer($value, $valid, $refusals, $file);
	}
	cmp_ok($count{$file} || 0, '>=', 6, "vectors read: $file");
}

$session->quit;
$node->stop;
done_testing();
