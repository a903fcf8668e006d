--
-- The time encoder and decoder of TIDs, which pg_partman asks for
-- (t/operation/partman.pl shows them with it), and scopes over partitions.
--
CREATE ROLE regress_atid;
CREATE SCHEMA AUTHORIZATION regress_atid;
SET ROLE regress_atid;
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';
\set SHOW_CONTEXT never

-- Ordinary times and the ends of what the identifiers hold
CREATE TABLE times AS
SELECT t FROM unnest('{1970-01-01 00:00:00+00,1970-01-01 00:00:00.001+00,2026-03-01 00:00:00+00,
                       2026-03-17 10:20:30.123+00,2255-06-05 23:47:34.74+00}'::timestamptz[]) AS t;
SELECT t, atid.tid_time_encoder(t) AS tid FROM times ORDER BY t;

-- There and back
SELECT t FROM times
WHERE atid.tid_time_decoder(atid.tid_time_encoder(t)) IS DISTINCT FROM t;
SELECT t FROM generate_series(timestamptz '2020-01-01', '2030-01-01', '1 month') AS t
WHERE atid.tid_time_decoder(atid.tid_time_encoder(t)) IS DISTINCT FROM t;

-- An encoded time is a bound: identifiers generated before it are below it, later ones are not
SELECT t FROM times
WHERE atid.tid_time_encoder(t)::atid.tid IS DISTINCT FROM atid.tid_floor(t);

-- A generated identifier decodes to its time
SELECT atid.tid_time_decoder(id::text) = atid.tid_timestamp(id) AS tid
FROM atid.tid_generate() AS id;

-- The result is NULL for NULL and for values without such a time
SELECT value, atid.tid_time_decoder(value)
FROM unnest('{self,"",3JZFCIJPJ2Z2A,jzzzzzzzzzzzz,3jzfcijpj2z2aa,NULL}'::text[]) AS value;
SELECT atid.tid_time_encoder(NULL);

-- No TID holds this
SELECT atid.tid_time_encoder('1969-12-31 23:59:59.999999+00');

--
-- Scopes over 64 partitions: by ranges of URIs, and by hashes of DIDs.
--
CREATE TABLE ranged (did atid.did NOT NULL, uri atid.at_uri PRIMARY KEY) PARTITION BY RANGE (uri);
CREATE TABLE hashed (did atid.did, uri atid.at_uri, PRIMARY KEY (did, uri)) PARTITION BY HASH (did);
DO $$
DECLARE
  -- the digits of a did:plc in the order of the type, each with its lower and its upper half
  bounds text[] :=
    (SELECT array_agg(quote_literal('at://did:plc:' || d || half) ORDER BY d COLLATE "C", half)
     FROM regexp_split_to_table('234567abcdefghijklmnopqrstuvwxyz', '') AS d,
          unnest('{"",k}'::text[]) AS half);
BEGIN
  FOR n IN 0..63 LOOP
    EXECUTE format('CREATE TABLE r%s PARTITION OF ranged FOR VALUES FROM (%s) TO (%s)', n,
                   CASE n WHEN 0 THEN 'MINVALUE' ELSE bounds[n + 1] END,
                   coalesce(bounds[n + 2], 'MAXVALUE'));
    EXECUTE format('CREATE TABLE h%1$s PARTITION OF hashed
                    FOR VALUES WITH (MODULUS 64, REMAINDER %1$s)', n);
  END LOOP;
END $$;
INSERT INTO ranged
SELECT did, atid.at_uri_make(did, 'app.bsky.feed.' || collection, '3jzfcijpj2z2a')
FROM (SELECT 'did:plc:' || left(translate(md5(n::text), '0189', 'wxyz'), 24)
      FROM generate_series(1, 300) AS n
      UNION ALL SELECT 'did:web:u' || n || '.example' FROM generate_series(1, 10) AS n) AS a (did),
     unnest('{like,post}'::text[]) AS collection;
INSERT INTO hashed TABLE ranged;
CREATE TABLE scope (name text, did atid.did, uri atid.at_uri);
INSERT INTO scope VALUES
  ('account', 'did:plc:c4ca423yawbz23y2wdcc5wza', 'at://did:plc:c4ca423yawbz23y2wdcc5wza'),
  ('collection', 'did:plc:c4ca423yawbz23y2wdcc5wza',
   'at://did:plc:c4ca423yawbz23y2wdcc5wza/app.bsky.feed.like'),
  ('at a bound', 'did:plc:kkkkkkkkkkkkkkkkkkkkkkkk', 'at://did:plc:kkkkkkkkkkkkkkkkkkkkkkkk'),
  ('on the web', 'did:web:u7.example', 'at://did:web:u7.example/app.bsky.feed.post'),
  ('no account', 'did:web:other.example', 'at://did:web:other.example');
INSERT INTO ranged
SELECT did, atid.at_uri_make(did, 'app.bsky.feed.like', 'x') FROM scope WHERE name = 'at a bound';
INSERT INTO hashed SELECT * FROM ranged WHERE did = 'did:plc:kkkkkkkkkkkkkkkkkkkkkkkk';
ANALYZE ranged, hashed, scope;

-- The partitions in the plan of a query, those of them that were read, and the rows
CREATE FUNCTION partitions(query text, OUT planned bigint, OUT read bigint, OUT which text,
                           OUT rows bigint)
LANGUAGE plpgsql AS $$
DECLARE
  plan jsonb;
BEGIN
  EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, FORMAT JSON) ' || query INTO plan;
  SELECT count(*), count(*) FILTER (WHERE ran),
         string_agg(relation, ' ' ORDER BY relation) FILTER (WHERE ran)
  INTO planned, read, which
  FROM (SELECT node ->> 'Relation Name' AS relation,
               bool_or((node -> 'Actual Loops')::int > 0) AS ran
        FROM jsonb_path_query(plan, 'strict $.**') AS node
        WHERE jsonb_typeof(node) = 'object' AND node ->> 'Relation Name' ~ '^[rh][0-9]+$'
        GROUP BY 1) AS nodes;
  IF read > 4 THEN
    which := NULL;
  END IF;
  EXECUTE 'SELECT count(*) FROM (' || query || ') AS q' INTO rows;
END $$;

-- A scope alone is no condition that partitions are pruned by
SELECT name, p.* FROM scope, partitions(format('SELECT FROM ranged WHERE uri <@ %L', uri)) AS p;
SELECT name, p.* FROM scope, partitions(format('SELECT FROM hashed WHERE uri <@ %L', uri)) AS p;

-- With its bounds, or the account: one partition is planned
SELECT name, p.* FROM scope,
  partitions(format('SELECT FROM ranged WHERE uri <@ %1$L
                     AND uri BETWEEN %1$L AND atid.at_uri_scope_upper(%1$L)', uri)) AS p;
SELECT name, p.planned, p.read, p.rows
FROM scope, partitions(format('SELECT FROM hashed WHERE did = %L AND uri <@ %L', did, uri)) AS p;

-- A parameter in a plan for any value: the others are removed when it starts
SET plan_cache_mode = force_generic_plan;
PREPARE in_ranged (atid.at_uri) AS
  SELECT FROM ranged WHERE uri <@ $1 AND uri BETWEEN $1 AND atid.at_uri_scope_upper($1);
PREPARE in_hashed (atid.did, atid.at_uri) AS SELECT FROM hashed WHERE did = $1 AND uri <@ $2;
CREATE FUNCTION removed(execute text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  plan jsonb;
BEGIN
  EXECUTE 'EXPLAIN (COSTS OFF, FORMAT JSON) ' || execute INTO plan;
  RETURN jsonb_path_query_first(plan, 'strict $.**."Subplans Removed"');
END $$;
SELECT name, removed(format('EXECUTE in_ranged (%L)', uri)) AS ranged,
       removed(format('EXECUTE in_hashed (%L, %L)', did, uri)) AS hashed
FROM scope;
RESET plan_cache_mode;

-- A join plans all. With the bounds, or the account, it reads those that its scopes need: the four
-- accounts are in three ranges, and in at most four hashes, which differ by machine. OFFSET 0 lets
-- no planner begin with the tables, which are small here
SELECT * FROM partitions('SELECT FROM scope s, LATERAL
  (SELECT FROM ranged r WHERE r.uri <@ s.uri OFFSET 0) r');
SELECT * FROM partitions('SELECT FROM scope s, LATERAL
  (SELECT FROM ranged r WHERE r.uri <@ s.uri
   AND r.uri BETWEEN s.uri AND atid.at_uri_scope_upper(s.uri) OFFSET 0) r');
SELECT planned, read <= 4 AS few, rows FROM partitions('SELECT FROM scope s, LATERAL
  (SELECT FROM hashed h WHERE h.uri <@ s.uri AND h.did = s.did OFFSET 0) h');
SELECT * FROM partitions('SELECT FROM scope s, LATERAL
  (SELECT FROM ranged r WHERE r.uri <@ s.did
   AND r.uri BETWEEN atid.at_uri_make(s.did)
             AND atid.at_uri_scope_upper(atid.at_uri_make(s.did)) OFFSET 0) r');

-- A record by its URI: ranges know where it is, hashes do not without the account
\set one '''at://did:web:u7.example/app.bsky.feed.post/3jzfcijpj2z2a'''
SELECT * FROM partitions(format('SELECT FROM ranged WHERE uri = %L', :one));
SELECT planned, read, rows FROM partitions(format('SELECT FROM hashed WHERE uri = %L', :one));

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA regress_atid CASCADE;
DROP ROLE regress_atid;
