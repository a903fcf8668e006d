# The table packed_record, and the view record over it.
#
# Shows that
# - the view has the columns of the table record of 1.3, and computes did and cid;
# - the CID of a record that is not that of its block as DAG-CBOR is kept, and replaced with the record;
# - an operator can add, change and delete rows by the view, as far as they agree;
# - the view has the rights and policies of the table, and no others;
# - a table that somebody has changed is not taken for a new one;
# - queries by the view use the key of the table, in both directions.
#
# indexer/t/pack.pl shows how a table of an earlier release becomes one. Skipped where atid_crypto is not available.
#
# Tags: quick crypto

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $root = "$FindBin::Bin/../..";
my $node = new_node('packed_record', ready => 1);
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my $db = new_database($node, 'indexer');
$node->safe_psql($db, 'CREATE EXTENSION atid_crypto CASCADE; CREATE EXTENSION IF NOT EXISTS atid');
plan skip_all => 'the extension has no type atid.block' if $node->safe_psql($db, q{SELECT to_regtype('atid.block') IS NULL}) eq 't';
$node->command_ok([ 'psql', '-qX', '-v', 'ON_ERROR_STOP=1', '--single-transaction', '-d', $node->connstr($db), map { ('-f', "$root/indexer/sql/$_.sql") } qw(install sample) ],
	'install.sql and sample.sql');

sub one { return $node->safe_psql($db, join '; ', 'SET search_path = indexer, public', @_); }

sub refused
{
	my ($statement, $words, $name) = @_;
	my $said;
	isnt($node->psql($db, "SET search_path = indexer, public; $statement", stderr => \$said), 0, $name);
	like($said, $words, '... and it says why');
	return;
}

my $columns = q{SELECT string_agg(attname || ' ' || format_type(atttypid, NULL), ', ' ORDER BY attnum) FROM pg_attribute
	WHERE attnum > 0 AND NOT attisdropped AND attrelid = '%s'::regclass};
is(one(sprintf $columns, 'record'), 'uri atid.at_uri, did atid.did, cid atid.cid_link, block atid.block, conforms boolean, indexed timestamp with time zone',
	'the columns of the view');
is(one(sprintf $columns, 'packed_record'), 'indexed timestamp with time zone, conforms boolean, uri atid.at_uri, block atid.block, unusual_cid atid.cid_link',
	'the columns of the table: what is aligned comes first');
is(one(q{SELECT count(*), bool_and(did = atid.at_uri_did(uri)), bool_and(cid = atid.cid_of(block, 'dag-cbor')), count(unusual_cid) FROM record JOIN packed_record USING (uri, block)}),
	'9|t|t|0', 'what is not stored is computed');

#
# Unusual CIDs
#
my $uri = 'at://did:web:ada.example/app.bsky.feed.post/3kiwuygzb2c2z';
sub stored
{
	my ($cid, $block) = @_;
	return one('BEGIN', 'SELECT create_temp_tables()', "INSERT INTO op (uri, did, collection, fresh, cid, block) VALUES ('$uri', 'did:web:ada.example', 'app.bsky.feed.post', false, $cid, $block)",
		'SELECT write_records()', 'COMMIT', "SELECT cid = $cid, block::bytea = $block, unusual_cid IS NOT NULL, indexed = min(indexed) OVER () FROM record JOIN packed_record USING (uri, block, indexed) WHERE uri = '$uri'")
	  =~ s/^\n+//r;
}
foreach (
	[ 'DAG-CBOR', q{atid.cid_of('\xa0', 'dag-cbor')}, q{'\xa0'::bytea}, 't|t|f|t' ],
	[ 'another codec', q{atid.cid_of('\xa0', 'raw')}, q{'\xa0'::bytea}, 't|t|t|t' ],
	[ 'another hash', q{('\x01711340' || repeat('ab', 64))::bytea::atid.cid_link}, q{'\x01'::bytea}, 't|t|t|t' ],
	[ 'DAG-CBOR again', q{atid.cid_of('\xa16161f6', 'dag-cbor')}, q{'\xa16161f6'::bytea}, 't|t|f|t' ])
{
	my ($name, $cid, $block, $expected) = @$_;
	is(stored($cid, $block), $expected, "a record whose CID is of $name");
}

#
# An operator writes
#
my ($bob, $block) = ('at://did:web:bob.example/a.b.c', q{'\xa0'});
refused("INSERT INTO record (uri, did, block) VALUES ('$bob/x', 'did:web:cy.example', $block)", qr/^psql:<stdin>:1: ERROR:  the did of a record must be that in its uri$/m,
	'a record of another account is not added');
one("INSERT INTO record (uri, did, cid, block) VALUES ('$bob/1', 'did:web:bob.example', atid.cid_of($block, 'dag-cbor'), $block), ('$bob/2', NULL, NULL, $block), ('$bob/3', NULL, atid.cid_of($block, 'raw'), $block)");
one("COPY (SELECT '$bob/4' AS uri, did, cid, block, true AS conforms, timestamptz '2026-01-01 UTC' AS indexed FROM record WHERE uri = '$bob/3') TO '" . $node->basedir . "/copy'",
	"COPY record FROM '" . $node->basedir . "/copy'");
is(one("SELECT right(uri::text, 1), did, atid.cid_codec(cid), block::bytea, conforms, extract(year FROM indexed) = 2026 FROM record WHERE uri <@ '$bob' ORDER BY uri"),
	join("\n", map { "$_->[0]|did:web:bob.example|$_->[1]|\\xa0|$_->[2]|t" } [ 1, 'dag-cbor', '' ], [ 2, 'dag-cbor', '' ], [ 3, 'raw', '' ], [ 4, 'raw', 't' ]),
	'records are added by the view');
is(one("INSERT INTO record (uri, block) VALUES ('$bob/5', $block) RETURNING did, atid.cid_codec(cid), indexed = now()", "DELETE FROM record WHERE uri = '$bob/5'"), 'did:web:bob.example|dag-cbor|t', '... and returned whole');
refused("INSERT INTO record (uri, block) VALUES ('at://bob.example/a.b.c/1', $block)", qr/the did of a record must be that in its uri/, 'a record of a handle is not added');
refused("INSERT INTO record (uri, block) VALUES ('$bob/1', $block)", qr/duplicate key value violates unique constraint "packed_record_pkey"/, 'a second of a URI is not');
is(one("UPDATE record SET conforms = false WHERE uri = '$bob/1' RETURNING conforms"), 'f', 'one is changed');
refused("UPDATE record SET cid = NULL", qr/cannot update column "cid" of view "record"/, '... but not a column that is computed');
is(one("DELETE FROM record WHERE uri <@ '$bob'", "SELECT count(*) FROM packed_record WHERE uri <@ '$bob'"), 0, 'they are deleted');

#
# Rights
#
one('CREATE ROLE app', 'GRANT USAGE ON SCHEMA indexer, atid TO app', 'GRANT SELECT ON record TO app');
refused('SET ROLE app; SELECT count(*) FROM record', qr/permission denied for table packed_record/, 'a role that may read only the view');
one('GRANT SELECT ON packed_record TO app');
is(one('SET ROLE app', 'SELECT count(*) FROM record'), 10, '... and both');
one('ALTER TABLE packed_record ENABLE ROW LEVEL SECURITY', q{CREATE POLICY mine ON packed_record TO app USING (uri <@ 'at://did:web:cy.example')});
is(one('SET ROLE app', 'SELECT DISTINCT did FROM record'), 'did:web:cy.example', 'a policy of the table is one of the view');
is(one('SELECT count(*) FROM record'), 10, '... and not for its owner');

#
# A table that is not new
#
one('CREATE TABLE plain (uri atid.at_uri, did atid.did, cid atid.cid_link, block bytea, conforms bool, indexed timestamptz DEFAULT now(), PRIMARY KEY (uri, did))',
	'ALTER TABLE plain ENABLE ROW LEVEL SECURITY', 'GRANT SELECT ON plain TO app');
is(one(q{SELECT is_as_created('plain')}), 'f', 'an empty table with rights is not as it was created');
is(one('CREATE TABLE new (uri atid.at_uri)', 'BEGIN', 'CREATE TABLE newer (uri atid.at_uri)', q{SELECT is_as_created('new'), is_as_created('newer')}, 'GRANT SELECT ON newer TO app', q{SELECT is_as_created('newer')},
	q{INSERT INTO new VALUES ('at://did:web:a.example')}, q{SELECT is_as_created('new')}, 'COMMIT'), "t|t\nt\nf", '... one without any is, as is one of the same transaction');
is(one(q{SELECT is_as_created('newer')}), 'f', '... and no longer after it');
one('DROP TABLE plain, new, newer');

#
# Plans
#
sub plan_of { return one('SET enable_seqscan = off', 'SET enable_bitmapscan = off', "EXPLAIN (COSTS OFF) $_[0]"); }
like(plan_of(q{SELECT did, cid FROM record WHERE uri = 'at://did:web:ada.example/app.bsky.actor.profile/self'}), qr/^Index Scan using packed_record_pkey on packed_record r$/m, 'a record by its URI');
like(plan_of(q{SELECT * FROM record WHERE uri <@ 'at://did:web:ada.example/app.bsky.feed.post' ORDER BY uri DESC LIMIT 2}), qr/^Limit\n  ->  Index Scan Backward using packed_record_pkey on packed_record r$/m,
	'the newest of a collection');
unlike(plan_of(q{SELECT count(*) FROM record}), qr/cid_of/, 'no CID is computed for nobody');

done_testing();
