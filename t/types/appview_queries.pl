# The queries of an AppView, as query builders write them, on two schemas: one of text, and one whose columns
# of DIDs and AT URIs are atid.did and atid.at_uri.
#
# Shows that
# - each query gives the same rows on both, with its values in the statement, as parameters without a type,
#   and as parameters of type text, text[] and so on in a generic plan;
# - with typed parameters, the named index is used (the tables are small, so other plans are disabled);
# - only the cases in doc/address.md are refused: a literal or an untyped parameter that is not a DID or AT URI;
# - joins of columns of the types with text in a collation in which different texts are equal, if the server
#   has ICU, compare bytes, with each method and with Memoize;
# - likewise in databases of LATIN1 and SQL_ASCII, with bytes that are not ASCII;
# - plans of a table of text are the same in a database with the extension and without;
# - a long list of the column's type, or of text for a column cast to text, is hashed, and one of another type is not;
# - examples/before-upgrade.sql finds the foreign keys that the server accepts before 18 only.
#
# Tags: medium differs

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use List::Util qw(min);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('appview', ready => 1);
my $db   = new_database($node, 'appview');
my $s    = AtidTest::Session->new($node, $db);

#
# The schema. DID and URI stand for the types of either.
#
my $tables = <<'SQL';
CREATE TABLE actor (did DID PRIMARY KEY, handle text UNIQUE, indexed_at timestamptz, takedown_ref text);
CREATE TABLE profile (uri URI PRIMARY KEY, cid text, creator DID, display_name text);
CREATE INDEX profile_creator ON profile (creator);
CREATE TABLE post (uri URI PRIMARY KEY, cid text, creator DID, text text, reply_root URI, reply_parent URI,
  sort_at timestamptz);
CREATE INDEX post_creator ON post (creator, sort_at);
CREATE INDEX post_root ON post (reply_root);
CREATE INDEX post_parent ON post (reply_parent);
CREATE TABLE post_agg (uri URI PRIMARY KEY, like_count int, reply_count int);
CREATE TABLE "like" (uri URI PRIMARY KEY, cid text, creator DID, subject URI, sort_at timestamptz,
  UNIQUE (subject, creator));
CREATE INDEX like_creator ON "like" (creator, sort_at);
CREATE TABLE follow (uri URI PRIMARY KEY, cid text, creator DID, subject_did DID, sort_at timestamptz,
  UNIQUE (creator, subject_did));
CREATE INDEX follow_subject ON follow (subject_did, sort_at);
CREATE TABLE feed_item (uri URI PRIMARY KEY, cid text, type text, post_uri URI, originator DID, sort_at timestamptz);
CREATE INDEX feed_item_originator ON feed_item (originator, sort_at);
CREATE INDEX feed_item_post ON feed_item (post_uri);
CREATE TABLE block (uri URI PRIMARY KEY, creator DID, subject_did DID, UNIQUE (creator, subject_did));
CREATE TABLE list (uri URI PRIMARY KEY, creator DID, name text);
CREATE TABLE list_item (uri URI PRIMARY KEY, creator DID, subject_did DID, list_uri URI, sort_at timestamptz);
CREATE INDEX list_item_list ON list_item (list_uri, sort_at);
CREATE TABLE mute (actor DID, subject varchar(2048), PRIMARY KEY (actor, subject));
CREATE TABLE notification (id int PRIMARY KEY, did DID, record_uri URI, author DID, reason text, reason_subject text,
  sort_at timestamptz);
CREATE INDEX notification_did ON notification (did, sort_at);
CREATE TABLE label (src DID, uri text, val text, neg bool, PRIMARY KEY (src, uri, val));
CREATE INDEX label_uri ON label (uri);
CREATE TABLE thread_gate (post_uri URI PRIMARY KEY, creator DID, rules jsonb);
SQL

# Its contents. A referenced table comes before those that refer to it.
my $rows = <<'SQL';
CREATE FUNCTION plc(n int) RETURNS text IMMUTABLE
  RETURN CASE WHEN n % 50 = 0 THEN 'did:web:' || n || '.example'
              ELSE 'did:plc:' || translate(left(md5(n::text), 24), '0189', 'wxyz') END;
CREATE FUNCTION key(n int) RETURNS text IMMUTABLE
  RETURN CASE WHEN n % 7 = 0 THEN 'key-' || n ELSE '3jz' || translate(left(md5(n::text), 10), '0189', 'wxyz') END;
CREATE FUNCTION at(n int) RETURNS timestamptz IMMUTABLE RETURN '2026-01-01 00:00+00'::timestamptz + n * interval '1 s';
INSERT INTO actor SELECT plc(n), CASE WHEN n % 9 > 0 THEN 'a' || n || '.example' END, at(n), CASE WHEN n % 100 = 1 THEN 'x' END
  FROM generate_series(1, 1000) n;
INSERT INTO profile SELECT 'at://' || plc(n) || '/app.bsky.actor.profile/self', 'bafy' || n, plc(n), 'Name ' || n
  FROM generate_series(1, 1000) n WHERE n % 3 > 0;
INSERT INTO post SELECT 'at://' || plc(n % 1000 + 1) || '/app.bsky.feed.post/' || key(n), 'bafy' || n, plc(n % 1000 + 1), 'post ' || n,
    CASE WHEN n % 4 = 0 THEN 'at://' || plc(n / 4 % 1000 + 1) || '/app.bsky.feed.post/' || key(n / 4) END,
    CASE WHEN n % 4 = 0 THEN 'at://' || plc(n / 4 % 1000 + 1) || '/app.bsky.feed.post/' || key(n / 4) END, at(n / 2)
  FROM generate_series(1, 8000) n;
INSERT INTO post_agg SELECT uri, row_number() OVER (ORDER BY cid) % 10, 1 FROM post WHERE cid LIKE '%3';
INSERT INTO "like" SELECT 'at://' || plc(n % 997 + 1) || '/app.bsky.feed.like/' || key(n), 'bafy' || n, plc(n % 997 + 1),
    'at://' || plc(n % 1000 + 1) || '/app.bsky.feed.post/' || key(n), at(n)
  FROM generate_series(1, 8000) n;
INSERT INTO follow SELECT 'at://' || plc(n % 997 + 1) || '/app.bsky.graph.follow/' || key(n), 'bafy' || n, plc(n % 997 + 1),
    plc(n % 1000 + 1), at(n)
  FROM generate_series(1, 8000) n;
INSERT INTO feed_item SELECT uri, cid, 'post', uri, creator, sort_at FROM post;
INSERT INTO block SELECT 'at://' || plc(n) || '/app.bsky.graph.block/' || key(n), plc(n), plc(n + 1) FROM generate_series(1, 500) n;
INSERT INTO list SELECT 'at://' || plc(n) || '/app.bsky.graph.list/' || key(n), plc(n), 'list ' || n FROM generate_series(1, 100) n;
INSERT INTO list_item SELECT 'at://' || plc(n % 100 + 1) || '/app.bsky.graph.listitem/' || key(n), plc(n % 100 + 1),
    plc(n % 1000 + 1), 'at://' || plc(n % 100 + 1) || '/app.bsky.graph.list/' || key(n % 100 + 1), at(n)
  FROM generate_series(1, 3000) n;
INSERT INTO mute SELECT plc(n), plc(n + 5) FROM generate_series(1, 300) n;
INSERT INTO notification SELECT n, plc(n % 1000 + 1), 'at://' || plc(n % 997 + 1) || '/app.bsky.feed.like/' || key(n), plc(n % 997 + 1),
    'like', 'at://' || plc(n % 1000 + 1) || '/app.bsky.feed.post/' || key(n), at(n)
  FROM generate_series(1, 5000) n;
INSERT INTO label SELECT plc(1), CASE WHEN n % 2 = 0 THEN plc(n) ELSE 'at://' || plc(n % 1000 + 1) || '/app.bsky.feed.post/' || key(n) END,
    'spam', n % 5 = 0
  FROM generate_series(1, 2000) n;
INSERT INTO thread_gate SELECT uri, creator, jsonb_build_object('by', creator::text) FROM post WHERE cid LIKE '%77';
SQL

sub make_schema
{
	my ($schema, $did, $uri) = @_;
	(my $ddl = $tables) =~ s/\bDID\b/$did/g;
	$ddl =~ s/\bURI\b/$uri/g;
	$s->ok("CREATE SCHEMA $schema; SET search_path = $schema; $ddl; $rows; ANALYZE");
	return;
}

make_schema('plain', 'text',     'text');
make_schema('typed', 'atid.did', 'atid.at_uri');
$s->ok('SET search_path = plain; SET max_parallel_workers_per_gather = 0');
my ($a, $b, $c) = map { $s->ok("SELECT plc($_)") } 7, 8, 50;
my ($post, $other) = map { $s->ok("SELECT uri FROM post WHERE text = 'post $_'") } 6, 28;

#
# The queries. Each is [name, statement, [parameters], index of the plan, how it is refused]: a parameter is a string,
# an array or a [type, value]; a refusal applies where values have no type.
#
my $none = '22P02';
my @queries = (
	[ 'one by key', 'SELECT * FROM actor WHERE did = $1', [$a], 'actor_pkey' ],
	[ 'by did or handle', 'SELECT did, handle FROM actor WHERE did = $1 OR handle = $2', [ $a, 'a9.example' ], 'actor_pkey' ],
	[ 'IN a list', 'SELECT did, handle FROM actor WHERE did IN ($1, $2, $3)', [ $a, $b, $c ], 'actor_pkey' ],
	[ 'ANY of an array', 'SELECT * FROM post WHERE uri = ANY ($1)', [ [ $post, $other ] ], 'post_pkey' ],
	[ 'ANY of an array that is cast', 'SELECT * FROM actor WHERE did = ANY ($1::text[])', [ [ $a, 'x', '' ] ], 'actor_pkey' ],
	[ 'ANY of ARRAY[]', 'SELECT * FROM actor WHERE did = ANY (ARRAY[$1, $2]::text[])', [ $a, 'x' ], 'actor_pkey' ],
	[ 'not ANY', 'SELECT count(*) FROM actor WHERE did <> ALL ($1::text[])', [ [ $a, 'x' ] ] ],
	[ 'a parameter that is cast', 'SELECT * FROM actor WHERE did = $1::text', [$a], 'actor_pkey' ],
	[ 'a parameter that is cast to varchar', 'SELECT * FROM actor WHERE did = $1::varchar', ['x'], 'actor_pkey' ],
	[ 'unnest', 'SELECT actor.* FROM unnest($1::text[]) AS u(did) JOIN actor ON actor.did = u.did', [ [ $a, $b, 'x' ] ],
		'actor_pkey' ],
	[ 'unnest WITH ORDINALITY, left', 'SELECT u.n, actor.handle FROM unnest($1::text[]) WITH ORDINALITY AS u(did, n) '
		  . 'LEFT JOIN actor ON actor.did = u.did ORDER BY u.n', [ [ 'x', $b, $a ] ], 'actor_pkey' ],
	[ 'VALUES', 'SELECT v.did, actor.handle FROM (VALUES ($1), ($2)) AS v(did) LEFT JOIN actor ON actor.did = v.did',
		[ $a, $b ], 'actor_pkey' ],
	[ 'VALUES of pairs', 'SELECT v.actor, v.subject, f.uri FROM (VALUES ($1, $2), ($3, $4)) AS v(actor, subject) '
		  . 'JOIN follow f ON f.creator = v.actor AND f.subject_did = v.subject', [ $a, $b, $b, $a ], 'follow_' ],
	[ 'json_to_recordset', 'SELECT p.uri FROM json_to_recordset($1) AS v(uri text) JOIN post p ON p.uri = v.uri',
		[ [ 'json', qq([{"uri":"$post"},{"uri":"x"}]) ] ], 'post_pkey' ],
	[ 'a page by time', 'SELECT uri, cid FROM post WHERE creator = $1 AND sort_at < $2 ORDER BY sort_at DESC, cid DESC LIMIT 3',
		[ $a, [ 'timestamptz', '2026-01-01T01:00:00.000Z' ] ], 'post_creator' ],
	[ 'the newest first', 'SELECT uri FROM post WHERE creator = $1 ORDER BY sort_at DESC LIMIT 3', [$a],
		'Limit\n +->  Index Scan Backward using post_creator' ],
	[ 'a page by a row', 'SELECT uri FROM "like" WHERE creator = $1 AND (sort_at, cid) < ($2, $3) ORDER BY sort_at DESC, cid DESC LIMIT 5',
		[ $b, [ 'timestamptz', '2026-01-01T02:00:00.000Z' ], 'bafy1' ], 'like_creator' ],
	[ 'a page by URI', 'SELECT uri FROM post WHERE uri > $1 ORDER BY uri LIMIT 5', [$post], 'post_pkey' ],
	[ 'a page by time and DID', 'SELECT subject_did FROM follow WHERE (sort_at, subject_did) > ($1, $2) ORDER BY sort_at, subject_did LIMIT 5',
		[ [ 'timestamptz', '2026-01-01T00:10:00Z' ], $a ] ],
	[ 'a page from an empty cursor', q(SELECT did FROM actor WHERE ($1::text = '' OR did > $1::text) ORDER BY did LIMIT 3), [''] ],
	[ 'followers', 'SELECT f.uri, a.did, a.handle FROM follow f JOIN actor a ON a.did = f.creator WHERE f.subject_did = $1 '
		  . 'AND a.takedown_ref IS NULL ORDER BY f.sort_at DESC LIMIT 10', [$a], 'follow_subject' ],
	[ 'timeline', 'SELECT fi.uri FROM feed_item fi WHERE fi.originator IN (SELECT subject_did FROM follow WHERE creator = $1) '
		  . 'ORDER BY fi.sort_at DESC, fi.uri LIMIT 10', [$a], 'follow_creator' ],
	[ 'NOT EXISTS', 'SELECT p.uri FROM post p WHERE p.creator = $1 AND NOT EXISTS (SELECT 1 FROM block b '
		  . 'WHERE (b.creator = $2 AND b.subject_did = p.creator) OR (b.creator = p.creator AND b.subject_did = $2))',
		[ $a, $b ], 'post_creator' ],
	[ 'NOT IN a column of text', 'SELECT did FROM actor WHERE did NOT IN (SELECT subject FROM mute) ORDER BY did LIMIT 9', [] ],
	[ 'IN a column of text', 'SELECT did FROM actor WHERE did IN (SELECT subject FROM mute WHERE actor = $1)', [$a], 'mute_pkey' ],
	[ 'a join with a column of text', 'SELECT count(*) FROM post p JOIN label l ON l.uri = p.uri WHERE NOT l.neg', [] ],
	[ 'a join with text, by account', 'SELECT count(*), count(l.val) FROM actor a LEFT JOIN label l ON l.uri = a.did', [] ],
	[ 'two tables in one OR', 'SELECT count(*) FROM label l, post p WHERE p.uri = $1 AND l.uri IN (p.uri, p.creator)', [$post],
		'post_pkey' ],
	[ 'COALESCE', 'SELECT uri, coalesce(reply_root, uri) AS root FROM post WHERE creator = $1 ORDER BY 1', [$a], 'post_creator' ],
	[ 'COALESCE with text', 'SELECT did, coalesce(handle, did) AS name FROM actor ORDER BY 2 LIMIT 5', [] ],
	[ 'COALESCE with an empty literal', q(SELECT uri FROM post WHERE coalesce(reply_root, '') = ''), [], undef, $none, 'all' ],
	[ 'COALESCE with an empty text', q(SELECT count(*) FROM post WHERE coalesce(reply_root, ''::text) = ''), [] ],
	[ 'CASE', q(SELECT did, CASE WHEN handle IS NULL THEN did ELSE handle END FROM actor ORDER BY 1 LIMIT 5), [] ],
	[ 'CASE of text', q(SELECT uri, CASE WHEN creator = $1 THEN 'mine'::text ELSE creator END FROM list ORDER BY 1), [$a] ],
	[ '||', q(SELECT 'at://' || did || '/app.bsky.actor.profile/self' AS uri FROM actor WHERE did = $1), [$a], 'actor_pkey' ],
	[ 'a join by ||', q(SELECT a.handle, p.display_name FROM actor a JOIN profile p )
		  . q(ON p.uri = 'at://' || a.did || '/app.bsky.actor.profile/self' WHERE a.did = ANY ($1::text[])), [ [ $a, $b ] ], 'profile_pkey' ],
	[ 'split_part', q(SELECT uri, split_part(uri, '/', 3) AS did, split_part(uri, '/', 5) AS rkey FROM post WHERE uri = $1), [$post],
		'post_pkey' ],
	[ 'split_part, compared', q(SELECT count(*) FROM post WHERE split_part(uri, '/', 3) = creator), [] ],
	[ 'GROUP BY split_part', q(SELECT split_part(subject, '/', 3) AS did, count(*) FROM "like" GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 3), [] ],
	[ 'LIKE an account', q(SELECT uri FROM post WHERE uri LIKE 'at://' || $1 || '/%' ORDER BY 1), [$a] ],
	[ 'LIKE a literal', q(SELECT count(*) FROM post WHERE uri LIKE '%/app.bsky.feed.post/%' AND creator NOT LIKE 'did:web:%'), [] ],
	[ 'ILIKE', q(SELECT did FROM actor WHERE did ILIKE $1), ['DID:WEB:50.%'] ],
	[ 'a regular expression', q(SELECT count(*) FROM actor WHERE did ~ '^did:plc:[a-z2-7]{24}$'), [] ],
	[ 'starts_with', q(SELECT count(*) FROM actor WHERE starts_with(did, 'did:web:')), [] ],
	[ 'substring and length', 'SELECT max(length(uri)), min(substring(creator FROM 5 FOR 3)) FROM post', [] ],
	[ 'UNION', 'SELECT creator AS did FROM block WHERE subject_did = $1 UNION SELECT subject FROM mute WHERE actor = $2 ORDER BY 1', [ $b, $a ] ],
	[ 'UNION ALL of kinds', q(SELECT uri, 'like' AS kind FROM "like" WHERE creator = $1 UNION ALL SELECT uri, 'post' FROM post )
		  . q(WHERE creator = $1 ORDER BY 1, 2), [$a], 'like_creator' ],
	[ 'UNION with text', 'SELECT did FROM actor WHERE did = $1 UNION SELECT uri FROM label WHERE uri = $1', [$b], 'label_uri' ],
	[ 'COUNT and GROUP BY', 'SELECT creator, count(*) FROM post WHERE creator = ANY ($1::text[]) GROUP BY creator ORDER BY 1', [ [ $a, $b ] ],
		'post_creator' ],
	[ 'COUNT DISTINCT', 'SELECT count(DISTINCT subject_did), count(*) FILTER (WHERE creator = $1) FROM follow', [$a] ],
	[ 'counts beside a row', 'SELECT p.uri, coalesce(g.like_count, 0), (SELECT count(*) FROM "like" l WHERE l.subject = p.uri) '
		  . 'FROM post p LEFT JOIN post_agg g ON g.uri = p.uri WHERE p.creator = $1 ORDER BY 1', [$a], 'like_subject_creator_key' ],
	[ 'a thread, recursively', 'WITH RECURSIVE t AS (SELECT uri, reply_parent, 0 AS depth FROM post WHERE uri = $1 UNION ALL '
		  . 'SELECT p.uri, p.reply_parent, depth + 1 FROM t JOIN post p ON p.uri = t.reply_parent) SELECT * FROM t ORDER BY depth', [$other],
		'post_pkey' ],
	[ 'a viewer, by scalar subqueries', 'SELECT a.did, (SELECT uri FROM follow WHERE creator = $1 AND subject_did = a.did) AS following, '
		  . '(SELECT uri FROM block WHERE creator = $1 AND subject_did = a.did) AS blocking FROM actor a WHERE a.did = ANY ($2::text[]) ORDER BY 1',
		[ $a, [ $a, $b, $c ] ], 'follow_' ],
	[ 'LATERAL', 'SELECT a.did, p.uri FROM unnest($1::text[]) AS a(did), LATERAL (SELECT uri FROM post WHERE creator = a.did '
		  . 'ORDER BY sort_at DESC LIMIT 1) p ORDER BY 1', [ [ $a, $b ] ], 'post_creator' ],
	[ 'notifications', 'SELECT n.id, n.author, p.text FROM notification n JOIN post p ON p.uri = n.reason_subject WHERE n.did = $1 '
		  . 'AND n.sort_at > $2 ORDER BY n.sort_at DESC LIMIT 5', [ $a, [ 'timestamptz', '2026-01-01T00:00:01Z' ] ], 'notification_did' ],
	[ 'members of lists', 'SELECT li.list_uri, count(*) FROM list_item li JOIN list l ON l.uri = li.list_uri WHERE l.creator IN ($1, $2) '
		  . 'GROUP BY 1 ORDER BY 1', [ $a, $b ], 'list_item_list' ],
	[ 'string_agg and json', q(SELECT l.uri, string_agg(li.subject_did, ',' ORDER BY li.subject_did), json_agg(json_build_object('did', li.subject_did)
		  ORDER BY li.subject_did) FROM list l JOIN list_item li ON li.list_uri = l.uri WHERE l.creator = $1 GROUP BY 1), [$a], 'list_item_list' ],
	[ 'jsonb beside a did', q(SELECT post_uri FROM thread_gate WHERE rules ->> 'by' = creator AND jsonb_build_object('by', creator) = rules ORDER BY 1), [] ],
	[ 'ON CONFLICT DO NOTHING', 'INSERT INTO follow (uri, creator, subject_did) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING uri',
		[ 'at://did:web:x.example/app.bsky.graph.follow/1', 'did:web:x.example', $a ] ],
	[ 'ON CONFLICT DO UPDATE', 'INSERT INTO actor (did, handle) VALUES ($1, $2) ON CONFLICT (did) DO UPDATE SET handle = excluded.handle '
		  . 'WHERE actor.did = $1 RETURNING did, handle', [ $a, 'new.example' ] ],
	[ 'INSERT of several with unnest', 'INSERT INTO mute (actor, subject) SELECT $1, u FROM unnest($2::text[]) u RETURNING actor, subject',
		[ $a, [ 'did:web:y.example', 'did:web:z.example' ] ] ],
	[ 'INSERT SELECT', q(INSERT INTO post_agg (uri, like_count) SELECT v.uri, count("like".uri) FROM (VALUES ($1)) AS v(uri) LEFT JOIN "like" )
		  . q(ON "like".subject = v.uri GROUP BY 1 ON CONFLICT (uri) DO UPDATE SET like_count = excluded.like_count RETURNING *), [$post],
		'like_subject_creator_key' ],
	[ 'UPDATE', q(UPDATE post SET text = text || creator WHERE uri = ANY ($1::text[]) RETURNING uri, text), [ [$post] ], 'post_pkey' ],
	[ 'UPDATE FROM VALUES', 'UPDATE actor SET handle = v.handle FROM (VALUES ($1, $2)) AS v(did, handle) WHERE actor.did = v.did '
		  . 'RETURNING actor.did, actor.handle', [ $b, 'other.example' ], 'actor_pkey' ],
	[ 'DELETE', 'DELETE FROM "like" WHERE creator = $1 AND subject = $2 RETURNING uri', [ $b, $post ], 'like_' ],
	[ 'DELETE USING', 'DELETE FROM notification n USING post p WHERE p.uri = n.reason_subject AND p.creator = $1 RETURNING n.id', [$b] ],
	[ 'an account that is none', 'SELECT did FROM actor WHERE did = $1', ['not.a.did'], 'actor_pkey', $none ],
	[ 'a list with what is none', 'SELECT did FROM actor WHERE did IN ($1, $2)', [ $a, '' ], 'actor_pkey', $none ],
	[ 'a range', 'SELECT did FROM actor WHERE did > $1 ORDER BY did LIMIT 2', ['did:plc:z'], 'actor_pkey' ],
	[ 'a prefix as a range', 'SELECT did FROM actor WHERE did >= $1 AND did < $2 ORDER BY did', [ 'did:web:', 'did:web;' ], 'actor_pkey', $none ],
);

sub type_of  { my ($p) = @_; return !ref $p ? 'text' : ref $p->[0] || @$p != 2 || $p->[0] !~ /^(json|timestamptz)$/ ? 'text[]' : $p->[0]; }
sub value_of
{
	my ($p) = @_;
	return literal($p) unless ref $p;
	return literal($p->[1]) if type_of($p) ne 'text[]';
	return literal('{' . join(',', map { qq("$_") } @$p) . '}');
}

# The result of a statement in a schema: its rows and SQLSTATE. Its changes are rolled back.
sub answer
{
	my ($schema, $mode, $sql, @parameters) = @_;
	my @values = map { value_of($_) } @parameters;
	my $list   = @values ? '(' . join(', ', @values) . ')' : '';
	my $types  = $mode eq 'typed' && @values ? '(' . join(', ', map { type_of($_) } @parameters) . ')' : '';

	$s->ok("BEGIN; SET LOCAL search_path = $schema; SET LOCAL plan_cache_mode = "
		  . ($mode eq 'typed' ? 'force_generic_plan' : 'force_custom_plan'));
	if ($mode eq 'literal')
	{
		$sql =~ s/\$(\d)/$values[$1 - 1]/g;
	}
	else
	{
		my (undef, $state, $said) = $s->try("PREPARE q$types AS $sql");
		if ($state ne '00000')
		{
			$s->ok('ROLLBACK');
			return ($state, $said, '');
		}
		$sql = "EXECUTE q$list";
	}
	my ($plan) = $s->try("SAVEPOINT s; SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; "
		  . "SET LOCAL enable_mergejoin = off; EXPLAIN (COSTS OFF) $sql; ROLLBACK TO s");
	my ($rows, $state, $said) = $s->try($sql);
	$s->ok('ROLLBACK; DEALLOCATE ALL');
	return ($state, $state eq '00000' ? $rows : $said, $plan);
}

my ($same, $count) = (0, 0);
foreach my $query (@queries)
{
	my ($name, $sql, $parameters, $index, $refused, $always) = @$query;
	foreach my $mode ('literal', 'untyped', 'typed')
	{
		my ($want_state, $want) = answer('plain', $mode, $sql, @$parameters);
		my ($state, $got, $plan) = answer('typed', $mode, $sql, @$parameters);
		$count++;
		$same++ if $state eq '00000' && $got eq $want;
		is($want_state, '00000', "$name, $mode: plain text takes it") or diag $want;
		if ($refused && ($always || $mode ne 'typed'))
		{
			is($state, $refused, "$name, $mode: refused");
			next;
		}
		is($state, '00000', "$name, $mode: taken") or diag $got;
		is($got, $want, "$name, $mode: the same rows") if $state eq '00000';
		like($plan, qr/$index/, "$name: the index serves") if $index && $mode eq 'typed';
	}
}
note "$same of $count give the same rows";
$s->quit;

#
# Joins with text for which a collation treats different texts as equal, by each method. There are more rows than
# texts, so that a Memoize has something to remember.
#
my $joins = <<'SQL';
CREATE TABLE account (did atid.did PRIMARY KEY);
INSERT INTO account SELECT 'did:web:' || x || n FROM generate_series(1, 300) n, unnest('{a,A,b}'::text[]) x;
CREATE TABLE named (n int, did text COLLATE nondeterministic);
INSERT INTO named SELECT k, 'did:web:' || x || n FROM generate_series(1, 300) n, unnest('{a,A,B}'::text[]) x, generate_series(1, 5) k;
ANALYZE;
SQL
SKIP:
{
	my $session = AtidTest::Session->new($node, new_database($node, 'joins'));
	my (undef, $state, $said) = $session->try(
		"CREATE COLLATION nondeterministic (PROVIDER = icu, LOCALE = 'und-u-ks-level2', DETERMINISTIC = false)");
	skip "no ICU here: $said", 10 if $state ne '00000';
	$session->ok("SET max_parallel_workers_per_gather = 0; $joins");
	is($session->ok('SELECT count(*) FROM named WHERE did = lower(did)'), '4500', 'texts are equal that are not');
	foreach my $method ('nestloop', 'hashjoin', 'mergejoin')
	{
		$session->ok(join ';', map { "SET enable_$_ = " . ($_ eq $method ? 'on' : 'off') } 'nestloop', 'hashjoin', 'mergejoin');
		my $join = 'FROM named JOIN account ON account.did = named.did';
		like($session->ok("EXPLAIN (COSTS OFF) SELECT count(*) $join"),
			{ nestloop => qr/Memoize/, hashjoin => qr/Hash Join/, mergejoin => qr/Merge Join/ }->{$method}, "$method: planned");
		is($session->ok("SELECT count(*), count(*) FILTER (WHERE account.did::text COLLATE \"C\" <> named.did) $join"),
			'3000|0', "$method: by bytes");
		is($session->ok('SELECT count(*) FROM named a JOIN account ON account.did = a.did JOIN named b ON b.did = account.did '
				  . 'WHERE a.n = 1 AND b.n = 1'), '600', "$method: of three");
	}
	$session->quit;
}

#
# A long list: the server hashes one of the column's own type only.
#
foreach my $list ([ 'atid.did', "'did:web:' || n || '.example'" ], [ 'atid.at_uri', "'at://did:web:' || n || '.example'" ],
	[ 'atid.tid', "atid.tid_make('2026-01-01 00:00+00'::timestamptz + n * interval '1 s', 0)::text" ])
{
	my ($type, $value) = @$list;
	$s->ok("CREATE TEMP TABLE listed AS SELECT ($value)::$type AS v FROM generate_series(1, 3000) n");
	my $elements = $s->ok("SELECT array_agg($value) FROM generate_series(5001, 8000) n");
	my ($slow, @swift) = map {
		my ($column, $cast) = @$_;
		min(map {
			is($s->ok("SELECT count(*) FROM listed WHERE $column <> ALL ('$elements'::$cast)"), 3000, "$type: $column, $cast");
			$s->used
		} 1 .. 3);
	} [ 'v', 'text[]' ], [ 'v', $type . '[]' ], [ 'v::text', 'text[]' ];
	cmp_ok($_, '<', $slow / 4, "$type: a list that is hashed") foreach @swift;
	$s->ok('DROP TABLE listed');
}

#
# Other encodings: bytes are compared, whatever they mean.
#
foreach my $encoding ('LATIN1', 'SQL_ASCII')
{
	my $name = lc $encoding;
	$node->safe_psql('postgres', "CREATE DATABASE $name TEMPLATE template0 ENCODING '$encoding' LOCALE 'C'");
	$node->safe_psql($name,      'CREATE EXTENSION atid');
	is( $node->safe_psql($name, <<'SQL'), 't|t|f|t|t|1', "$encoding: compared by bytes");
SET client_encoding = 'SQL_ASCII';
CREATE TABLE a (did atid.did PRIMARY KEY);
CREATE TABLE t (did text);
INSERT INTO a VALUES ('did:web:a');
INSERT INTO t VALUES ('did:web:a'), (E'did:web:a\351'), (E'\351');
SELECT bool_or(a.did = t.did), bool_or(a.did < t.did), bool_or(a.did > t.did),
  atid.did_hash_text(E'did:web:a\351') = hashtext(E'did:web:a\351' COLLATE "C"),
  bool_and((a.did = t.did) = (a.did::text = t.did)),
  (SELECT count(*) FROM a JOIN t USING (did))
FROM a, t;
SQL
}

#
# A table of text has the same plans in a database without the extension.
#
my @plans = map {
	my $name = $_;
	$node->safe_psql($name, <<'SQL');
CREATE TABLE t (n int, t text, v varchar(40));
INSERT INTO t SELECT n, md5(n::text), md5(n::text) FROM generate_series(1, 5000) n;
CREATE INDEX ON t (t);
CREATE INDEX ON t (v text_pattern_ops);
CREATE INDEX ON t USING hash (t);
ANALYZE t;
SQL
	join "\n", map {
		my $settings = $_;
		map { $node->safe_psql($name, "$settings; EXPLAIN (VERBOSE, SETTINGS) $_") }
		  'SELECT * FROM t a JOIN t b ON a.t = b.t', 'SELECT * FROM t a JOIN t b ON a.t = b.v WHERE a.n < 9',
		  'SELECT * FROM t a JOIN t b ON a.v = b.v', 'SELECT * FROM t a JOIN t b USING (t) JOIN t c USING (t) WHERE a.n = 3',
		  "SELECT * FROM t WHERE t = 'x' OR v = 'y'", "SELECT * FROM t WHERE t IN ('a', 'b') ORDER BY t",
		  'SELECT v FROM t ORDER BY v USING ~<~ LIMIT 3', 'SELECT v FROM t ORDER BY v USING ~>~ LIMIT 3',
		  "SELECT * FROM t WHERE v LIKE 'ab%'", "SELECT * FROM t WHERE (v, t) ~<~ ('a', 'b')",
		  'SELECT t FROM t WHERE t NOT IN (SELECT v FROM t)', 'SELECT DISTINCT t FROM t UNION SELECT v FROM t',
		  'SELECT * FROM t WHERE t IN (SELECT v FROM t WHERE n < 9)', 'SELECT * FROM t a FULL JOIN t b ON a.t = b.v',
		  'SELECT max(t), min(v) FROM t'
	} 'SELECT', 'SET enable_hashjoin = off; SET enable_hashagg = off', 'SET enable_seqscan = off; SET enable_nestloop = off'
} 'appview', 'postgres';
is($plans[0], $plans[1], 'plans of text are as without the extension');
like($plans[0], qr/Merge Join.*Index Only Scan/s, 'there are many of them');

#
# Foreign keys that 18 cannot restore are found by the query of examples/before-upgrade.sql, and no others.
#
my ($query) = slurp_file("$FindBin::Bin/../../examples/before-upgrade.sql") =~ /^(SELECT conrelid.*?;)$/ms or die 'no query';
$s->ok(<<'SQL');
CREATE TABLE text_key (t text, u text, PRIMARY KEY (t, u));
CREATE TABLE did_key (d atid.did, t text, PRIMARY KEY (d, t));
CREATE TABLE good (d atid.did, t text, FOREIGN KEY (d, t) REFERENCES did_key, FOREIGN KEY (t, t) REFERENCES text_key);
SQL
my (undef, $state) = $s->try('CREATE TABLE bad (d atid.did, u atid.at_uri, t text, FOREIGN KEY (t, u) REFERENCES text_key)');
is($state, $node->pg_version < 18 ? '00000' : 'XX000', 'a foreign key to a text: made before 18');
is($s->ok($query), $state eq '00000' ? 'bad|bad_t_u_fkey|FOREIGN KEY (t, u) REFERENCES text_key(t, u)' : '', 'and found');

done_testing();
