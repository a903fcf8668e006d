# Feeds are views: their pages, cursors and indexes, and the keys of requesters, using only the SQL.
#
# Shows that
# - pages of a view contain each row once and in order while others write, for page sizes from 1 to 100, where many
#   rows share one time, and where rows are backdated, appear above the first page, or are deleted;
# - a row without a time, or with one in the future, is left out, and a duplicated row is returned once;
# - a cursor that was never issued is refused by its name, or denotes a place, and never causes another error;
# - an index of a feed has only the rows of the view, serves its pages, is made without expressions that cannot be
#   indexed, is rebuilt when the view changes, and refuses no record;
# - a row that raises an error fails the page; the columns of the indexer's views raise none;
# - labels are found by DIDs, AT URIs and prefixes of these, in pages;
# - the key of a requester is that of its log or document; the number of requesters is bounded, and forget_account()
#   deletes them.
#
# indexer/t/xrpc.pl tests the program that serves them. Skipped where atid_crypto is not available.
#
# Tags: medium crypto

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Indexer;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('feeds');
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my $db = new_database($node, 'feeds');
AtidTest::Indexer::install($node, $db);
srand seeded();
my $json    = JSON::PP->new->utf8->canonical;
my $session = AtidTest::Session->new($node, $db);
sub sql { return $session->ok($_[0]); }
sub page
{
	my ($feed, $limit, $cursor) = @_;
	return $json->decode(sql("SELECT xrpc.feed_page('$feed', $limit, " . (defined $cursor ? literal($cursor) : 'NULL') . ')'));
}
sub fails { return $node->psql($db, "\\set VERBOSITY verbose\n$_[0]") == 0 ? 'nothing' : ($node->psql($db, $_[0]))[2]; }

# The posts on all pages of a feed. The function "between" is called between two pages.
sub all_of
{
	my ($feed, $limit, $between) = @_;
	my (@posts, $cursor);
	for (1 .. 10_000)
	{
		my $page = page($feed, $limit, $cursor);
		push @posts, map { $_->{post} } @{ $page->{feed} };
		return \@posts unless defined($cursor = $page->{cursor});
		$between->() if $between;
	}
	die 'the pages have no end';
}

#
# Pages
#
sql(<<'SQL');
CREATE TABLE item (post atid.at_uri, at timestamptz);
CREATE FUNCTION put(n int, at timestamptz) RETURNS void LANGUAGE sql AS $$
  INSERT INTO item VALUES (atid.at_uri_make('did:web:a.example', 'app.bsky.feed.post', 'k' || n), at)
$$;
SELECT put(i, '2026-01-01'::timestamptz - i / 7 * interval '1 s') FROM generate_series(1, 300) AS i;
CREATE VIEW feed.items AS SELECT post, at FROM item;
SQL
my $order = q{SELECT coalesce(string_agg(post::text, ' ' ORDER BY at DESC, post DESC), '') FROM item};
foreach my $limit (1, 2, 7, 13, 100, 300, 301)
{
	is(join(' ', @{ all_of('items', $limit) }), sql($order), "pages of $limit have each row once, in order");
}

# While others write. Rows that exist at the first page and are not deleted must be returned.
my $n = 1000;
foreach my $limit (3, 10)
{
	my %deleted;
	my $before = sql($order);
	my $posts  = all_of(
		'items', $limit,
		sub {
			$n++;
			my $where = int rand 50;
			sql("SELECT put($n, '2026-01-01'::timestamptz - $where * interval '1 s' + " . (rand() < 0.5 ? "interval '0'" : "interval '30 s'") . ')');
			$deleted{$_} = 1 foreach split / /, sql("DELETE FROM item WHERE post = (SELECT post FROM item ORDER BY random() LIMIT 1) RETURNING post");
		});
	my %seen;
	$seen{$_}++ foreach @$posts;
	is(join(' ', grep { $seen{$_} > 1 } sort keys %seen), '', "pages of $limit while others write: none twice");
	is(join(' ', grep { !$seen{$_} && !$deleted{$_} } split / /, $before), '', '... none missing');
	cmp_ok(scalar keys %deleted, '>', 10, '... and some were deleted');
}

sql(<<'SQL');
TRUNCATE item;
SELECT put(1, '2026-01-01'), put(1, '2026-01-01'), put(2, NULL), put(3, now() + '1 h'), put(4, 'infinity'), put(5, '-infinity'),
       put(6, '1960-01-01'), put(7, '2026-01-01 00:00:00.000001');
CREATE VIEW feed.reasons AS SELECT post, at, CASE WHEN post::text LIKE '%k6' THEN post::text || 'x' END AS reason, repeat('x', 3000) AS context FROM item;
CREATE VIEW feed.pinned AS SELECT post, at, '{"$type": "app.bsky.feed.defs#skeletonReasonPin"}'::jsonb AS reason FROM item;
CREATE VIEW feed.texts AS SELECT post::text AS post, at FROM item;
CREATE VIEW feed.timeless AS SELECT post FROM item;
CREATE VIEW feed."a b" AS SELECT post, at FROM item;
CREATE VIEW feed.moment AS SELECT post, at::timestamp AS at FROM item;
CREATE FUNCTION feed.mine("limit" int, cursor text) RETURNS jsonb STABLE LANGUAGE sql RETURN jsonb_build_object('feed', '[]'::jsonb);
CREATE FUNCTION feed.writes("limit" int, cursor text) RETURNS jsonb LANGUAGE sql RETURN jsonb_build_object('feed', '[]'::jsonb);
CREATE FUNCTION feed.other(cursor text) RETURNS jsonb STABLE LANGUAGE sql RETURN jsonb_build_object('feed', '[]'::jsonb);
SQL
foreach my $feed ('items', 'texts')
{
	my @keys = map { s{.*/}{}r } @{ all_of($feed, 1) };
	is("@keys", 'k7 k1 k6', "$feed: no row has no time, is of the future, or comes twice");
}
my $reasons = page('reasons', 10)->{feed};
is($reasons->[2]{reason}{'$type'}, 'app.bsky.feed.defs#skeletonReasonRepost', 'a reason that is a URI is a repost');
ok(!exists $reasons->[0]{reason}, '... NULL is none');
is(length $reasons->[0]{feedContext}, 2000, '... and a context has at most the length that its Lexicon allows');
is(page('pinned', 1)->{feed}[0]{reason}{'$type'}, 'app.bsky.feed.defs#skeletonReasonPin', 'a reason that is jsonb stays');
is(sql(q{SELECT string_agg(name || ': ' || coalesce(problem, 'ok'), '; ' ORDER BY name) FROM xrpc.feeds()}),
	'a b: its name must be a record key; items: ok; mine: ok; moment: its column at must be of the type timestamptz; '
	  . 'other: its arguments must be "limit" int and cursor text; pinned: ok; reasons: ok; texts: ok; '
	  . 'timeless: it must have the columns post and at; writes: it must be STABLE',
	'feeds, and the reasons why other views are none');
sql(<<'SQL');
INSERT INTO indexer.published VALUES ('items', 'did:web:a.example'), ('texts', 'did:web:a.example'), ('moment', 'did:web:a.example'), ('gone', 'did:web:a.example');
CREATE ROLE few;
GRANT USAGE ON SCHEMA feed, xrpc TO few;
GRANT SELECT ON feed.items TO few;
GRANT EXECUTE ON FUNCTION xrpc.feed_uris(text) TO few;
SQL
my $described = q{SELECT string_agg(f->>'uri', ' ') FROM jsonb_array_elements(xrpc.describe_feeds('did:web:s.example')->'feeds') AS f};
is(sql($described), join(' ', map { "at://did:web:a.example/app.bsky.feed.generator/$_" } qw(items texts)), 'the feeds that are published');
sql('SET ROLE few');
is(sql($described), 'at://did:web:a.example/app.bsky.feed.generator/items', '... that the role can read');
sql('RESET ROLE');
sql('DELETE FROM indexer.published');

#
# Cursors that the API has not issued.
#
my $uri = 'at://did:web:a.example/app.bsky.feed.post/k1';
foreach my $cursor (
	'', 'x', '1', '::', "1::", "1::x", "::$uri", "1::at://", "1::$uri ", "1::$uri\n", "1:$uri", "1.5::$uri", "1e5::$uri", " 1::$uri",
	"99999999999999999999::$uri", "999999999999999999::$uri", "-999999999999999999::$uri", "NaN::$uri", "infinity::$uri", '1::' . 'x' x 3000,
	"1::at://did:web:a.example/app.bsky.feed.post/" . 'k' x 3000, "1::$uri'; DROP TABLE item; --")
{
	like(fails("SELECT xrpc.feed_page('items', 5, " . literal($cursor) . ')'), qr/the cursor is malformed/, 'refused: ' . substr($cursor, 0, 50));
}
foreach my $cursor ("1::at://did:web:b.example", "-1::at://did:web:b.example/com.example.x/k", "0::$uri", "100000000000000000::$uri", "-100000000000000000::$uri")
{
	my $page = page('items', 5, $cursor);
	ok(ref $page->{feed}, "a position: $cursor");
}
my $last = page('items', 3);
is_deeply(page('items', 3, $last->{cursor}), { feed => [] }, 'after the last row there is no cursor, so clients do not go in a circle');
like(fails(q{SELECT xrpc.feed_page('none', 5)}), qr/there is no such feed/, 'another name');
like(fails(q{SELECT xrpc.feed_page('timeless', 5)}), qr/cannot be served/, 'a view without a time');

#
# The index of a feed.
#
sql(<<'SQL');
SET search_path = indexer, public;
CREATE SCHEMA api;
SELECT add_lexicons('[{"lexicon": 1, "id": "app.bsky.feed.post", "defs": {"main": {"type": "record", "key": "tid", "record": {"type": "object",
  "required": ["text"], "properties": {"text": {"type": "string", "maxLength": 3000}, "createdAt": {"type": "string", "format": "datetime"}}}}}}]'::atid.lexicon);
SELECT make_views('api');
CREATE FUNCTION public.write_post(n int, value jsonb) RETURNS void LANGUAGE sql AS $$
  INSERT INTO indexer.record (uri, did, cid, block, conforms)
  SELECT atid.at_uri_make('did:web:a.example', 'app.bsky.feed.post', atid.tid_floor(now() - n * interval '1 s')::text), 'did:web:a.example',
         atid.cid_of(b, 'dag-cbor'), b, true
  FROM atid.record_to_dag_cbor(jsonb_build_object('$type', 'app.bsky.feed.post', 'text', value, 'createdAt', (now() - n * interval '1 s')::text)) AS b
$$;
SELECT public.write_post(i, to_jsonb(CASE WHEN i % 50 = 0 THEN 'a cat' ELSE 'nothing' END)) FROM generate_series(1, 3000) AS i;
ANALYZE packed_record;
CREATE VIEW feed.cats AS SELECT uri AS post, sort_at AS at FROM api.app_bsky_feed_post
  WHERE text ~* '\mcats?\M' AND (text <> 'x AND (y' OR rkey = '"') AND NOT hidden AND sort_at < now() + '1 h';
SQL
sub make_index { sql($_) foreach split /\n#\n/, sql(qq{SELECT string_agg(c, E'\\n#\\n') FROM indexer.feed_index_commands('$_[0]') AS c}); return; }
sub plan_of
{
	my ($feed) = @_;
	my $query = sql("SELECT xrpc.feed_query('$feed', columns, false) FROM xrpc.feeds() WHERE name = '$feed'") =~ s/\$1/50/r;
	return sql("EXPLAIN (COSTS OFF) $query");
}
my $posts = join ' ', @{ all_of('cats', 7) };
unlike(plan_of('cats'), qr/feed_cats/, 'without an index');
make_index('cats');
my $plan = plan_of('cats');
like($plan, qr/Index Scan Backward using feed_cats_\w+ on packed_record/, 'the pages are read from the index of the feed');
unlike($plan, qr/cats\?/, '... whose rows are those with the word');
unlike($plan, qr/Sort/, '... in order');
is(join(' ', @{ all_of('cats', 7) }), $posts, '... with the same rows');
is(sql(q{SELECT reltuples FROM pg_class JOIN indexer.feed_indexes('cats') AS i ON oid = i}), 60, '... and no others');
is(sql(q{SELECT count(*) FROM indexer.feed_index_commands('cats') AS c WHERE c ~ '^(CREATE|DROP)'}), 0, '... and is made once');
foreach my $value ('null', '5', '[]', '{}', '"' . 'cat ' x 5000 . '"', '"x"')
{
	$n++;
	is($node->psql($db, "SELECT public.write_post($n, " . literal($value) . '::jsonb)'), 0, 'the index keeps no record out: ' . substr($value, 0, 20));
}
sql(q{CREATE OR REPLACE VIEW feed.cats AS SELECT uri AS post, sort_at AS at FROM api.app_bsky_feed_post WHERE text ~* '\mdogs?\M'});
make_index('cats');
is(sql(q{SELECT count(*) FROM indexer.feed_indexes('cats')}), 1, 'another view has another index, which takes the place of the first');
like(plan_of('cats'), qr/feed_cats/, '... and is used');
foreach (
	[ 'mine', 'It is a function.' ],
	[ 'none', 'There is no such feed.' ],
	[ 'joined', 'It reads several tables' ],
	[ 'moving', 'must be|not immutable' ])
{
	my ($feed, $why) = @$_;
	sql('CREATE VIEW feed.joined AS SELECT a.post, a.at FROM item AS a JOIN item AS b USING (post)') if $feed eq 'joined';
	sql('CREATE VIEW feed.moving AS SELECT post, least(at, now()) AS at FROM item') if $feed eq 'moving';
	like(fails("SELECT indexer.feed_index_commands('$feed')"), qr/cannot have an index.*$why/s, "$feed has no index: $why");
}

#
# A row written by a stranger
#
sql(q{CREATE VIEW feed.raises AS SELECT uri AS post, sort_at AS at FROM api.app_bsky_feed_post WHERE text::int > 0});
like(fails(q{SELECT xrpc.feed_page('raises', 5)}), qr/invalid input syntax for type integer/, 'an expression that raises an error fails the page');
sql(q{DROP VIEW feed.raises; CREATE VIEW feed.raises AS SELECT uri AS post, sort_at AS at FROM api.app_bsky_feed_post WHERE text ~ '^[0-9]{1,9}$' AND length(text) > 0});
ok(page('raises', 5), 'an expression over the columns alone does not');

#
# Labels
#
sql(<<'SQL');
INSERT INTO indexer.labels SELECT atid.at_uri_from_subject_or_null(s), src::atid.did, v, now(), v = 'gone', CASE WHEN v = 'old' THEN now() - interval '1 s' ELSE 'infinity' END,
  jsonb_build_object('src', src, 'uri', s, 'val', v)
FROM unnest('{did:web:a.example,at://did:web:a.example/app.bsky.feed.post/k1,at://did:web:a.example/app.bsky.feed.post/k2,did:web:ab.example}'::text[]) AS s,
     unnest('{did:web:l.example,did:web:m.example}'::text[]) AS src, unnest('{spam,gone,old,two words}'::text[]) AS v;
SQL
sub labels
{
	my ($patterns, $more) = @_;
	my ($cursor, @all);
	for (1 .. 100)
	{
		my $answer = $json->decode(sql(sprintf q{SELECT xrpc."com.atproto.label.queryLabels"('{%s}', %s)}, $patterns,
			join ', ', $more // '"limit" => 3', defined $cursor ? 'cursor => ' . literal($cursor) : ()));
		push @all, map { "$_->{uri} $_->{src} $_->{val}" } @{ $answer->{labels} };
		return @all unless defined($cursor = $answer->{cursor});
	}
	die 'the labels have no end';
}
foreach (
	[ 'did:web:a.example', 4 ], [ 'at://did:web:a.example', 0 ], [ 'at://did:web:a.example/app.bsky.feed.post/k1', 4 ], [ 'at://did:web:a.example/*', 8 ],
	[ 'at://did:web:a.example/app.bsky.feed.post/*', 8 ], [ 'did:web:a*', 16 ], [ '*', 16 ], [ 'did:web:a.example,did:web:a.example,did:web:ab.example', 8 ],
	[ 'did:web:a.example,*', 16 ], [ 'x', 0 ], [ '', 0 ], [ 'at:*', 16 ], [ 'at://*', 16 ], [ 'did:web:zz*', 0 ], [ '"at://did:web:a.example/%*"', 0 ])
{
	my ($patterns, $count) = @$_;
	my @found = labels($patterns);
	my %once  = map { $_ => 1 } @found;
	is(scalar @found . ' ' . keys %once, "$count $count", "labels of $patterns, each once");
}
is(scalar labels('*', q{sources => '{did:web:l.example}', "limit" => 3}), 8, 'labels of a source');
like(fails(q{SELECT xrpc."com.atproto.label.queryLabels"('{*}', cursor => 'x')}), qr/malformed/, 'a cursor that was not given out');

#
# Requesters
#
AtidTest::Indexer::demo($node, $db);
my ($did) = AtidTest::Indexer::accounts();
sub add { return sql("SELECT coalesce(indexer.add_asker('$did', $_[0], $_[1]), 'taken')"); }
my $log = "(SELECT log FROM demo.log WHERE did = '$did')";
is(add($log, 'now()'), 'taken', 'the log of an asker');
is(sql("SELECT key = (SELECT k.key FROM atid.plc_log_keys($log) AS k WHERE k.id = 'atproto' ORDER BY k.valid_from DESC LIMIT 1) FROM indexer.asker"), 't', '... gives its key');
isnt(add('jsonb_set((SELECT log FROM demo.log LIMIT 1), \'{0,operation,sig}\', \'"x"\')', 'now()'), 'taken', 'a log that is not signed gives none');
isnt(add("(SELECT log FROM demo.log WHERE did <> '$did' LIMIT 1)", 'now()'), 'taken', '... and neither does that of another account');
isnt(add($_, 'now()'), 'taken', "... and neither does $_") foreach q('null'), q('[]'), q('{}'), q('5');
$did = 'did:web:ada.example';
my $key = sql('SELECT key FROM indexer.asker');
my $document = sprintf q(jsonb_build_object('id', '%s', 'verificationMethod', jsonb_build_array(jsonb_build_object('id', '#atproto', 'type', 'Multikey', 'controller', '%s', 'publicKeyMultibase', '%s')))),
  $did, $did, $key =~ s/^did:key://r;
is(add($document, 'now()'), 'taken', 'the document of a domain');
is(add($document, "now() - interval '1 h'"), 'taken', 'an older answer');
is(sql("SELECT answered > now() - interval '1 min' FROM indexer.asker WHERE did = '$did'"), 't', '... changes nothing');
is(sql("SELECT (indexer.asker_key('$did')).stale"), 'f', 'its key is fresh');
sql("UPDATE indexer.asker SET answered = now() - interval '25 h' WHERE did = '$did'");
is(sql("SELECT (indexer.asker_key('$did')).stale"), 't', '... for a day');
isnt(add("'{\"id\": \"$did\"}'", 'now()'), 'taken', 'a document without a key');
is(sql('SELECT count(*) FROM indexer.asker'), 1, '... deletes the row');
sql("SELECT indexer.exclude_account('$did')");
isnt(add($document, 'now()'), 'taken', 'an excluded account is not added');
sql(qq{UPDATE indexer.settings SET most_askers = 100;
  INSERT INTO indexer.asker (did, key, answered, seen) SELECT ('did:web:x' || i || '.example')::atid.did, '$key', now(), now() + i * interval '1 s' FROM generate_series(1, 500) AS i;
  INSERT INTO indexer.asker (did, key, answered, seen) SELECT ('did:plc:' || translate(lpad(i::text, 24, 'a'), '0189', 'bcde'))::atid.did, '$key', now(), now() - i * interval '1 h' FROM generate_series(1, 1000) AS i;
  SELECT indexer.trim_askers()});
is(sql(q{SELECT count(*) FILTER (WHERE did::text LIKE 'did:web:%') || ' ' || count(*) FROM indexer.asker}), '10 100', 'askers are bounded, those of domains more');
is(sql(q{SELECT count(*) FROM indexer.asker WHERE did = 'did:web:x500.example'}), 1, '... and the most recent ones stay');
sql(q{UPDATE indexer.asker SET seen = now() - interval '31 days' WHERE did::text LIKE 'did:plc:%'; SELECT indexer.run_maintenance()});
is(sql('SELECT count(*) FROM indexer.asker'), 10, 'an asker that has not been seen for a month is deleted');
sql(q{SELECT indexer.forget_account('did:web:x500.example')});
is(sql(q{SELECT count(*) FROM indexer.asker WHERE did = 'did:web:x500.example'}), 0, 'forget() deletes an asker');

done_testing();
