# The table of Lexicons in examples/lexicons.sql keeps its rule: a record that conforms today still conforms to any
# Lexicon that is accepted.
#
# Shows that
# - a Lexicon is refused if a record does not conform to it, or if it no longer covers a record, so that the rule cannot
#   be evaded in two steps; it cannot be evaded through references from another Lexicon either;
# - a record that does not conform today, or that the Lexicons do not cover, is no hindrance;
# - of two Lexicons inserted at the same time, each sees the other;
# - the file and the indexer's schema can be installed in one database, in either order.
#
# Tags: quick

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $root = "$FindBin::Bin/../..";
my $file = "$root/examples/lexicons.sql";
my $node = new_node('lexicon_table', ready => 1);
my $db   = new_database($node, 'lexicons');
$node->psql($db, slurp_file($file), on_error_stop => 1, on_error_die => 1);
$node->safe_psql($db, "INSERT INTO lexicon_authority VALUES ('example.com', 'did:web:example.com')");

# A document: its definitions, and a record type with these required properties.
sub document { return qq({"lexicon": 1, "id": "com.example.$_[0]", "defs": {$_[1]}}); }

sub type
{
	my ($required, $place) = @_;
	return qq("main": {"type": "record", "key": "tid", "record": {"type": "object", "required": [$required],
	  "properties": {"when": {"type": "string"}, "place": $place}}});
}
my $text = '{"type": "string"}';

sub answer
{
	my ($name, $defs, $session) = @_;
	my $sql = "SELECT coalesce(take_lexicon('did:web:example.com', 'com.example.$name', '" . document($name, $defs) . "'), 'taken')";
	return $session ? $session->ok($sql) : $node->safe_psql($db, $sql);
}
my $refused = 'The record at://did:web:a.example/com.example.visit/1 must still conform.';

is(answer('visit', type('', $text)), 'taken', 'the first');
$node->safe_psql($db, <<'SQL');
INSERT INTO lexicon_subject VALUES ('at://did:web:a.example/com.example.visit/1', '{"$type": "com.example.visit", "place": "Inn"}'),
  ('at://did:web:a.example/com.example.visit/2', '{"$type": "com.example.visit", "place": 2}'),
  ('at://did:web:a.example/com.example.later/3', '{"$type": "com.example.later"}');
SQL
is(answer('visit', type('"when"', $text)), $refused, 'true to false');
is(answer('visit', '"other": {"type": "token"}'), $refused, 'true to NULL: without the type');
is(answer('visit', type('', '{"type": "ref", "ref": "com.example.place"}')), $refused, 'true to NULL: a reference that is not loaded');
is(answer('later', type('"when"', $text)), 'taken', 'NULL to false');
is(answer('later', '"other": {"type": "token"}'), 'taken', 'false to NULL');
is(answer('place', '"main": ' . $text), 'taken', 'what is referred to');
is(answer('visit', type('', '{"type": "ref", "ref": "com.example.place"}')), 'taken', 'now the reference');
is(answer('place', '"main": {"type": "string", "maxLength": 2}'), $refused, 'true to false by a reference');
is(answer('place', '"other": {"type": "token"}'), $refused, 'true to NULL by a reference');
is($node->safe_psql($db, "SELECT string_agg(coalesce(atid.record_conforms(record, lexicons)::text, 'NULL'), ' ' ORDER BY uri) FROM lexicon_subject, lexicon_set"),
	'NULL true false', 'it conforms as before');

# Two at once: one reduces the limit of the place, the other makes the type refer to it.
is(answer('visit', type('', $text)), 'taken', 'without the reference');
my $one   = AtidTest::Session->new($node, $db);
my $other = AtidTest::Session->new($node, $db);
$one->ok('BEGIN');
is(answer('place', '"main": {"type": "string", "maxLength": 2}', $one), 'taken', 'the one');
$other->send("SELECT take_lexicon('did:web:example.com', 'com.example.visit', '"
	  . document('visit', type('', '{"type": "ref", "ref": "com.example.place"}')) . "')");
$node->poll_query_until($db, "SELECT count(*) = 1 FROM pg_locks WHERE NOT granted AND relation = 'lexicon'::regclass");
$one->ok('COMMIT');
is(($other->result)[0], $refused, 'the other sees it');
$_->quit foreach $one, $other;

SKIP:
{
	skip 'atid_crypto is not installed', 2 unless has_extension($node, 'atid_crypto');
	my $schema = "$root/indexer/sql/install.sql";
	foreach my $files ([ $file, $schema ], [ $schema, $file ])
	{
		my $together = new_database($node, 'together_' . ($files->[0] eq $file ? 1 : 2));
		$node->safe_psql($together, 'CREATE EXTENSION atid_crypto');
		my $err = '';
		$node->psql($together, join('', map { "\\i $_\n" } @$files), on_error_stop => 1, stderr => \$err);
		unlike($err, qr/ERROR/, 'together with the indexer');
	}
}

$node->stop;
done_testing();
