# No record breaks a view, an index or a search, whatever bytes its author signs.
#
# indexer/t/oracles/hostile_records.js is the network: accounts with properly signed repositories, whose records are
# honest or strange. The strange ones have each value of its list, which includes those of
# indexer/t/oracles/strange.js, in each property of a Lexicon that has all types of properties and names; or they have
# blocks that are not DAG-CBOR, or keys and types of other records. One half is loaded; the other half arrives by the
# stream, in existing accounts, where honest records become strange and strange ones honest. Views with an index of
# each column, a search and joins are made before any record arrives. Shows that afterwards
# - every account is loaded, and every record is stored: no index has refused one, and no frame was bad;
# - each view has the records of its type and can be read by each column, sorted, grouped, and by any condition first;
# - the honest rows have in each column the values that their authors have written, conform, and sort by their time;
# - each index finds the same rows as a scan of the table, and each honest value; the search finds all honest words;
# - references can be searched, and the views made again, over all of these records;
# - the API answers with all fields of all records.
#
# By default runs a part of the cases, chosen by the seed; more with script/test --full, or the number in $ATID_CASES.
# Skipped where atid_crypto, node or npm are not available.
#
# Tags: minutes node crypto

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::Bin/../../t/lib";

use AtidTest;
use AtidTest::Indexer;
use AtidTest::Oracles;
use HTTP::Tiny;
use IPC::Run;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $began = time;
my $limit = $PostgreSQL::Test::Utils::timeout_default;
my $node  = new_node('hostile_records', ready => 1);
plan skip_all => 'atid_crypto is not installed' unless has_extension($node, 'atid_crypto');
my ($oracles, $why) = AtidTest::Oracles->new;
plan skip_all => $why unless defined $oracles;
my $folder = $oracles->{folder};
my $db     = new_database($node, 'strange');
(my $indexer, $why) = AtidTest::Indexer->new($node, $db, $oracles);
plan skip_all => $why unless defined $indexer;

#
# The network.
#
my ($told, $stdin) = ('', '');
my $network = IPC::Run::start([ $indexer->{program}, "$folder/hostile_records.js", AtidTest::Oracles::seed(), $ENV{ATID_CASES} // ($ENV{ATID_FULL} ? 2000 : 30), $folder ],
	'<', \$stdin, '>', \$told, '2>', "$folder/network.log", IPC::Run::timer(60 * $limit));
my $api;

END
{
	local $?;
	$_->kill_kill(grace => 0) foreach grep { defined && $_->pumpable } $network, $api;
}
$network->pump until $told =~ /^port \d+ \d+ \d+$/m || !$network->pumpable;
my ($port, $cases, $accounts) = $told =~ /^port (\d+) (\d+) (\d+)$/m or die 'hostile_records.js: ' . slurp_file("$folder/network.log");
my $url  = "http://127.0.0.1:$port";
my $http = HTTP::Tiny->new(timeout => $limit, keep_alive => 0);
note(sprintf '%d cases, %d accounts, after %.1f s', $cases, $accounts, time - $began);

sub sql { return $indexer->ask($_[0]); }

sub network
{
	my $answer = $http->get("$url/$_[0]");
	die "hostile_records.js: $answer->{content}" . slurp_file("$folder/network.log") unless $answer->{success};
	return $answer->{content};
}

#
# Views, indexes, a search and joins, before any record.
#
my ($status, $said) = $indexer->command('init', '--role', 'consumer');
is($status, 0, 'init') or die $said;
($status, $said) = $indexer->command('lexicon', 'add', "$folder/lexicons.json");
is($status, 0, 'the Lexicons') or die $said;
sql(<<'SQL');
CREATE SCHEMA api;
INSERT INTO view_reference VALUES ('com.example.thing', '{to}', 'com.example.thing'), ('com.example.thing', '{subject,uri}', 'com.example.thing');
INSERT INTO labeler VALUES ('did:web:labeler.example');
SELECT make_views('api');
SELECT make_view_index(view, name) FROM view_column WHERE kind IN ('own', 'property') AND (path IS NOT NULL OR view <> ALL (ARRAY(SELECT view FROM view_type WHERE nsid LIKE '%.thing_%')));
SELECT make_view_index('api.com_example_thing', 'who', 'sort_at', 'uri'), make_search('api.com_example_thing', 'text', 'short', 'long'), make_search('api.com_example_names', 'rank');
CREATE ROLE reader LOGIN;
GRANT USAGE ON SCHEMA api TO reader;
GRANT SELECT ON ALL TABLES IN SCHEMA api TO reader;
REVOKE TEMPORARY ON DATABASE strange FROM PUBLIC;
GRANT TEMPORARY ON DATABASE strange TO consumer;

CREATE SCHEMA try;
CREATE TABLE try.truth (uri text PRIMARY KEY, cid text, what text, record jsonb);  -- of an honest one
-- Runs a query; returns why it fails.
CREATE FUNCTION try.fails(asked text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE asked;
  RETURN NULL;
EXCEPTION WHEN OTHERS THEN
  RETURN asked || ': ' || SQLERRM;
END $$;
-- How many honest rows of a view say something else in a column.
CREATE FUNCTION try.wrong(c view_column) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
  EXECUTE format('SELECT count(*) FROM %s AS v JOIN try.truth AS t ON t.uri = v.uri::text AND t.record IS NOT NULL WHERE v.%I IS DISTINCT FROM %s', c.view, c.name,
    format(CASE c.type WHEN 'jsonb' THEN 't.record #> %1$L' WHEN 'bigint' THEN '(t.record #> %1$L)::bigint' WHEN 'boolean' THEN '(t.record #> %1$L)::boolean'
      WHEN 'atid.cid_link' THEN 'coalesce(t.record #>> %2$L, t.record #>> %1$L)::atid.cid_link' ELSE '(t.record #>> %1$L)::' || c.type END, c.path, c.path || '{$link}'::text[])) INTO n;
  RETURN n;
END $$;
-- By indexes, or by reading the table.
CREATE FUNCTION try.read_by_index(is bool) RETURNS void LANGUAGE sql AS $$
  SELECT set_config('enable_seqscan', CASE WHEN $1 THEN 'off' ELSE 'on' END, true), set_config('enable_indexscan', $1::text, true),
         set_config('enable_bitmapscan', $1::text, true), set_config('enable_indexonlyscan', $1::text, true), set_config('enable_sort', 'on', true)
$$;
-- What an index does not find: each value of some honest rows, and all that is not NULL. One scan serves them all.
CREATE FUNCTION try.unfound(i view_index) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  c CONSTANT name := i.columns[1];
  method CONSTANT text := substring(i.definition FROM 'USING (\w+)');
  conditions text[];
  found text[];
  there text[];
  plan text;
  value text;
  line text;
BEGIN
  PERFORM try.read_by_index(true);
  FOR value IN EXECUTE format('SELECT quote_literal(v.%1$I) FROM %2$s AS v JOIN try.truth AS t ON t.uri = v.uri::text AND t.record IS NOT NULL WHERE v.%1$I IS NOT NULL ORDER BY v.uri LIMIT 3', c, i.view) LOOP
    conditions := conditions || format(CASE method WHEN 'gin' THEN '%I @> %s' ELSE '%I = %s' END, c, value);
    plan := '';
    FOR line IN EXECUTE format('EXPLAIN SELECT count(*) || md5(string_agg(uri::text, '','' ORDER BY uri)) FROM %s WHERE %s', i.view, conditions[cardinality(conditions)]) LOOP plan := concat_ws(E'\n', plan, line); END LOOP;
    -- by this index or another one of the column; a value that half of the rows have can be cheaper to find otherwise
    IF method <> 'gin' AND value NOT IN ('''true''', '''false''')
       AND NOT EXISTS (SELECT FROM view_index AS o JOIN pg_class AS r ON r.oid = to_regclass(o.index)
                       WHERE o.view = i.view AND o.columns[1] = c AND plan LIKE '%' || r.relname || '%') THEN RETURN concat_ws(E'\n', conditions[cardinality(conditions)], plan); END IF;
  END LOOP;
  IF conditions IS NULL THEN RETURN format('%s.%s: no honest value', i.view, c); END IF;
  IF method = 'btree' THEN conditions := conditions || format('%I IS NOT NULL', c); END IF;
  FOREACH line IN ARRAY conditions LOOP
    EXECUTE format('SELECT count(*) || md5(string_agg(uri::text, '','' ORDER BY uri)) FROM %s WHERE %s', i.view, line) INTO value;
    found := found || value;
  END LOOP;
  PERFORM try.read_by_index(false);
  EXECUTE (SELECT format('SELECT ARRAY[%s] FROM (SELECT v.uri AS key, v.%I FROM %s AS v OFFSET 0) AS x',
    string_agg(format('count(*) FILTER (WHERE %1$s) || md5(string_agg(key::text, '','' ORDER BY key) FILTER (WHERE %1$s))', a), ', ' ORDER BY n), c, i.view)
    FROM unnest(conditions) WITH ORDINALITY AS u (a, n)) INTO there;
  RETURN (SELECT concat_ws(E'\n', conditions[n], 'by the index: ' || found[n], 'in the table: ' || there[n]) FROM generate_subscripts(conditions, 1) AS n
          WHERE found[n] IS DISTINCT FROM there[n] OR found[n] IS NULL LIMIT 1);
END $$;
SQL
note(sprintf '%d indexes, after %.1f s', sql('SELECT count(*) FROM view_index'), time - $began);

#
# Half of the cases are loaded; half arrive by the stream.
#
my $run = $indexer->start(
	ATID_SERVICE_URL             => $url,
	ATID_PLC_URL                 => $url,
	ATID_ALLOW_PRIVATE_ADDRESSES => 1,
	ATID_MAX_REPO_SIZE           => '50MB');
my $left = 'SELECT string_agg(concat_ws($$ $$, did, state, problem, detail), $$, $$) FROM account WHERE state <> $$synchronized$$';
ok($indexer->wait_for('accounts are loaded', "SELECT count(*) = $accounts FROM account WHERE state = 'synchronized'"), "$accounts accounts are loaded") or diag(substr sql($left), 0, 2000);
note(sprintf 'loaded after %.1f s', time - $began);
my $frames = decode_json(network('emit'))->{frames};
append_to_file("$folder/truth", network('truth'));
sql("COPY try.truth FROM '$folder/truth'");
ok($indexer->wait_for('frames are taken', 'SELECT NOT EXISTS (SELECT FROM try.truth AS t FULL JOIN record AS r ON r.uri::text = t.uri WHERE r.cid::text IS DISTINCT FROM t.cid)'), 'each record is there, and no deleted one')
  or diag(substr sql('SELECT string_agg(concat_ws($$ $$, coalesce(t.uri, r.uri::text), t.what), $$, $$) FROM try.truth AS t FULL JOIN record AS r ON r.uri::text = t.uri WHERE r.cid::text IS DISTINCT FROM t.cid'), 0, 2000);
note(sprintf '%d frames, %d records, after %.1f s', $frames, sql('SELECT count(*) FROM record'), time - $began);
is(sql("SELECT count(*) FROM account WHERE state = 'synchronized'"), $accounts, 'no account is refused') or diag(substr sql($left), 0, 2000);
is(sql(q{SELECT string_agg(DISTINCT reason, ', ') FROM bad}), '', 'no frame is bad');
is(sql(q{SELECT sum(commits) FROM shard}), $frames, '... and each was applied as it came');
is($indexer->stop($run), 0, 'SIGTERM ends the program');

#
# The rows of the views.
#
sql('ANALYZE');
foreach my $view (qw(com_example_thing com_example_profile com_example_names))
{
	my $key = $view =~ /profile/ ? ' AND uri LIKE $$%/self$$' : '';
	my $its = "SELECT uri FROM try.truth WHERE split_part(uri, '/', 4) = replace('$view', '_', '.')$key";
	is(sql("SELECT count(*) FROM ((SELECT uri::text FROM api.$view EXCEPT $its) UNION ALL ($its EXCEPT SELECT uri::text FROM api.$view)) AS x"), 0, "$view has the records of its type");
	is(sql("SELECT try.fails('SELECT count(v::text) FROM api.$view AS v')"), '', '... all of which can be read');
	is(sql("SELECT string_agg(f, E'\\n') FROM view_column AS c, unnest(ARRAY[format('SELECT count(*) FROM (SELECT %1\$I FROM %2\$s GROUP BY 1 ORDER BY 1) AS x', c.name, c.view),
		format('SELECT count(*) FROM %2\$s WHERE NOT conforms AND %1\$I IS NOT NULL AND NOT hidden AND %1\$I::text > \$\$a\$\$', c.name, c.view)]) AS q, try.fails(q) AS f WHERE c.view = 'api.$view'::regclass"), '', '... by each column');
	is(sql("SELECT string_agg(c.name || ' ' || n, ', ') FROM view_column AS c, try.wrong(c) AS n WHERE c.view = 'api.$view'::regclass AND c.kind = 'property' AND n > 0"), '', 'each honest value is what its author wrote');
	cmp_ok(sql("SELECT count(*) FROM api.$view AS v JOIN try.truth AS t ON t.uri = v.uri::text AND t.record IS NOT NULL"), '>', 20, '... of many');
	is(sql("SELECT count(*) FROM api.$view AS v JOIN try.truth AS t ON t.uri = v.uri::text AND t.record IS NOT NULL JOIN indexer.record AS r ON r.uri = v.uri
		WHERE (v.conforms AND v.cid::text = t.cid AND v.author_handle ~ '^a[0-9]+\\.example\$' AND NOT v.hidden
		  AND v.sort_at = least((t.record->>'createdAt')::timestamptz, r.indexed)) IS NOT TRUE"), 0, '... which conforms, and has its time');
	is(sql("SELECT count(*) FROM api.$view AS v JOIN indexer.record AS r USING (uri) WHERE v.sort_at IS NULL OR v.sort_at > r.indexed OR v.rkey IS NULL OR v.cid IS NULL"), 0, 'no row lacks its own columns');
	is(sql("SELECT string_agg(u, E'\\n') FROM view_index AS i, try.unfound(i) AS u WHERE i.view = 'api.$view'::regclass AND NOT i.search"), '', 'each index finds the rows that exist');
}
my $honest = sql(q{SELECT count(*) FROM try.truth WHERE record->>'$type' = 'com.example.thing' AND split_part(uri, '/', 4) = 'com.example.thing'});
is(sql(q{SELECT count(*) FROM api.search_com_example_thing('honest cat') AS s JOIN try.truth AS t ON t.uri = s.uri::text AND t.record IS NOT NULL}), $honest, "the search finds $honest honest records");
is(sql(q{SELECT try.fails('SELECT count(s::text), sum(api.com_example_thing_rank(s, $$a -dog$$)) FROM api.search_com_example_thing($$a -dog$$) AS s')}), '', '... and strange ones do not break it');
is(sql(q{SELECT count(*) FROM try.truth AS t WHERE record->>'$type' = 'com.example.thing' AND NOT EXISTS (SELECT FROM reference AS r
	WHERE r.uri = t.uri::atid.at_uri AND r.subject = (t.record->>'to')::atid.at_uri AND r.path = 'to')}), 0, 'each honest reference is there');
is(sql(q{SELECT try.fails('SELECT find_references()')}), '', 'references can be looked for');

# Again, over existing records.
sql(q{DROP VIEW api.com_example_thing CASCADE; SELECT make_views('api')});
is(sql(q{SELECT try.fails('SELECT make_view_index(view, name) FROM view_column WHERE kind IN ($$own$$, $$property$$)')}), '', 'indexes can be created over all records');
is(sql(q{SELECT try.fails('SELECT make_search($$api.com_example_thing$$, $$text$$, $$short$$, $$long$$)')}), '', '... and a search');
is(sql(q{SELECT string_agg(u, E'\n') FROM view_index AS i, try.unfound(i) AS u WHERE i.view = 'api.com_example_thing'::regclass AND NOT i.search}), '', '... and find the rows that exist');
sql('GRANT SELECT ON ALL TABLES IN SCHEMA api TO reader');

#
# The API, with all fields of all records.
#
SKIP:
{
	$why = $indexer->build_api;
	skip $why, 1 if defined $why;
	my $log = "$folder/api.log";
	{
		local %ENV = $indexer->environment(PGUSER => 'consumer', ATID_API_PORT => 0);
		$api = IPC::Run::start([ $indexer->bin, 'api' ], '<', \undef, '>', $log, '2>&1');
	}
	my $until = time + $limit;
	sleep 0.1 until slurp_file($log) =~ m{api listening url=http://} || !$api->pumpable || time > $until;
	my ($at) = slurp_file($log) =~ m{api listening url=(http://127\.0\.0\.1:\d+/)};
	ok(defined $at, 'the API has a schema of all names') or diag(slurp_file($log)) && last SKIP;
	my @types = qw(ComExampleThing ComExampleProfile ComExampleName);
	my ($got, $err);
	IPC::Run::run([ $indexer->{program}, "$FindBin::Bin/api/pages.mjs", "${at}graphql", @types ], '<', \undef, '>', \$got, '2>', \$err, IPC::Run::timeout($AtidTest::work_limit)) or die "pages.mjs: $err";
	$got = decode_json($got);
	is(scalar @{ $got->{lists} }, sql("SELECT count(*) FROM view_type WHERE nsid IS NOT NULL"), 'a list of each type') or diag(join ' ', @{ $got->{lists} });
	my %view = (ComExampleThing => 'com_example_thing', ComExampleProfile => 'com_example_profile', ComExampleName => 'com_example_names');
	foreach my $type (@types)
	{
		is("@{ $got->{$type}{errors} }", '', "$type: all fields of all records") or diag("@{ $got->{$type}{fields} }");
		is($got->{$type}{records}, sql("SELECT count(*) FROM api.$view{$type}"), '... each once');
	}
	$api->signal('TERM');
	eval { $api->finish };
	is($api->full_result(0), 0, 'SIGTERM ends it');
}

$node->stop;
unlike(slurp_file($node->logfile), qr/PANIC|was terminated by signal|TRAP/, 'the server has not crashed');
note(sprintf '%.1f s', time - $began);
done_testing();
