-- The measurements of bench/functions. Standard input has a frame of events.mjs.

\ir processor.sql

CREATE UNLOGGED TABLE bench.line (size int, key text, hex text);
\copy bench.line FROM pstdin

-- One row with a value for each argument: by its name, or by its type if it has none. A query
-- builds it once, in memory.
CREATE VIEW bench.sample AS
WITH file AS (
  SELECT jsonb_agg(document::jsonb) AS document
    FROM string_to_table(pg_read_file('../src/demo/lexicons.jsonl'), E'\n') AS document WHERE document <> ''
), log AS (
  SELECT jsonb_agg(line::jsonb ORDER BY n) AS log
    FROM string_to_table(pg_read_file('../src/demo/plc.jsonl'), E'\n') WITH ORDINALITY AS l (line, n)
    WHERE line LIKE '%"did":"did:plc:g3iiflbfy54yn5knwcbh6u35"%'
), record AS (
  SELECT '{"$type": "app.bsky.feed.like", "createdAt": "2026-11-24T12:34:56.789Z", "subject": {"uri":
    "at://did:plc:g3iiflbfy54yn5knwcbh6u35/app.bsky.feed.post/3jzfcijpj2z2a", "cid":
    "bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a"}}'::jsonb AS record
), car AS (
  SELECT pg_read_binary_file('../src/demo/repositories/did_plc_g3iiflbfy54yn5knwcbh6u35.car') AS car
), frame AS (
  SELECT key AS event_key, decode(hex, 'hex') AS frame FROM bench.line
)
SELECT
  -- by type
  'did:plc:g3iiflbfy54yn5knwcbh6u35'::atid.did AS "atid.did",
  'at://did:plc:g3iiflbfy54yn5knwcbh6u35/app.bsky.feed.post/3jzfcijpj2z2a'::atid.at_uri AS "atid.at_uri",
  '3jzfcijpj2z2a'::atid.tid AS "atid.tid",
  'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a'::atid.cid_link AS "atid.cid_link",
  document::atid.lexicon AS "atid.lexicon",
  'com.example.some-text' AS text,
  '\x0123456789abcdef0123456789abcdef'::bytea AS bytea,
  timestamptz '2026-11-24 12:34:56.789' AS "timestamp with time zone",
  timestamp '2026-11-24 12:34:56.789' AS "timestamp without time zone",
  interval '1 hour' AS interval, 1 AS integer, 1::bigint AS bigint, false AS boolean, 1234567890123::numeric AS numeric,
  '018f7e1c-2b3a-7c4d-8e5f-0123456789ab'::uuid AS uuid,
  -- by name
  document, record, record::json AS json, atid.record_to_dag_cbor(record) AS block, '{subject,uri}'::text[] AS path,
  record AS value, '{app.bsky.feed.like}'::text[] AS refs, 'app.bsky.feed.like' AS nsid, 'app.bsky.feed.like' AS ref,
  frame, event_key, e.commit_block, car, r.data AS root, r.data AS data_root, 'app.bsky.feed.like/3jzfcijpj2z2a' AS key,
  log, log #> '{0,operation}' AS operation, k.key AS did_key, substr(k.key, 9) AS multibase, 'Multikey' AS type,
  atid.did_key_public_key(k.key) AS bytes, log #>> '{0,operation,rotationKeys,0}' AS rotation_key,
  sha256('b') AS digest, 'raw' AS codec, 'k256' AS curve, 'tid' AS key_type, 'datetime' AS format,
  '2026-11-24T12:34:56.789Z' AS created, 'app.bsky.feed.like' AS collection, '3jzfcijpj2z2a' AS rkey,
  'https://example.com/' AS name,
  -- by neither
  'did:plc:ewvi7nxzyoun6zhxrhs64oiz' AS event_did, 'some.example.com' AS handle, 'de-DE' AS language,
  '6ba7b810-9dad-11d1-80b4-00c04fd430c8'::uuid AS uuid_v1, '1ec9414c-232a-6b00-b3c8-9e6bdeced846'::uuid AS uuid_v6,
  'did:plc:g3iiflbfy54yn5knwcbh6u35' AS did_text, '018f7e1c-2b3a-7c4d-8e5f-0123456789ab' AS uuid_text,
  'at://did:plc:g3iiflbfy54yn5knwcbh6u35/app.bsky.feed.post/3jzfcijpj2z2a' AS uri_text,
  'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a' AS cid_text,
  'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a'::atid.cid_link::bytea AS cid_bytes,
  '{"ver": 1, "src": "did:plc:ewvi7nxzyoun6zhxrhs64oiz", "val": "spam", "neg": true,
    "uri": "at://did:plc:7iza6de2dwap2sbkpav7c6c6/app.bsky.feed.post/3jzfcijpj2z2a",
    "cid": "bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a", "cts": "2024-02-01T10:00:00.000Z",
    "exp": "2034-02-01T10:00:00.000Z", "sig": {"$bytes":
    "Hmg/4ar/LYKxXxz5K3t2ohf3vZffEP92GGBt9oee6WAViDLxkqqZkq1uWnD2NSLobETwMLWWVZ5yhilYNFKrGQ"}}'::jsonb AS label,
  'did:key:zQ3sht5vP1SCiQ5rNqUm8eXrutMGWnuj6zzU2yAPuK6RzVDVW' AS label_key
  FROM file, log, record, car, frame, atid.repo_commit(car) AS r, atid.plc_log_keys(log) AS k,
       LATERAL (SELECT c.block AS commit_block FROM atid.commit_event(frame) AS f, atid.repo_commit(f.blocks) AS c) AS e;

-- The value of an argument: the first one whose pattern matches the names of function and argument
-- and the type; otherwise by the name or the type.
CREATE TABLE bench.other (n serial, pattern text, value text);
INSERT INTO bench.other (pattern, value) VALUES
  ('^(commit|label)_is_signed_by did', 'event_did'),
  ('^repo_\w+ did', 'did_text'),
  ('^commit_is_signed_by block', 'commit_block'),
  ('^(commit|event)_is_signed_by key', 'event_key'),
  ('^label_is_signed_by key', 'label_key'),
  ('^plc_operation_is_signed_by key', 'rotation_key'),
  ('^(did_key|signature|repo)_\w+ key', 'did_key'),
  ('^signature_is_valid data', 'block'),
  ('^signature_is_valid signature', 'digest || digest'),
  ('^xrpc_\w+ part', '''output'''),
  ('^mst_diff car', 'car'),
  ('^mst_diff root', 'root'),
  ('^mst_invert (keys|olds|news)', '''{}'''),
  ('^event_problem not_after', '''infinity'''),
  ('^cid_link_from_bytea', 'cid_bytes'),
  ('^format_problem value|sort_at created|^datetime\w* - text', 'created'),
  ('record_key_conforms key |^rkey_conforms key |^(rkey|record_key)_\w+ - text', 'rkey'),
  ('tid\w* - text', 'rkey'),
  ('^(at_identifier|did|text_\w+_did)\w* - text|^at_uri_make authority', 'did_text'),
  ('at_uri\w* (-|subject|scope) text', 'uri_text'),
  ('^cid\w* - text', 'cid_text'),
  ('^at_uri_make path', 'key'),
  ('^handle\w* - text', 'handle'),
  ('^language\w* - text', 'language'),
  ('^nsid\w* - text', 'nsid'),
  ('^uri\w* - text', 'name'),
  ('^uuid_from_text', 'uuid_text'),
  ('^uuid_v1_to_v6', 'uuid_v1'),
  ('^uuid_v6_to_v1', 'uuid_v6');

CREATE FUNCTION bench.value(function text, argument text, type text) RETURNS text STABLE LANGUAGE sql
RETURN coalesce(
  (SELECT CASE WHEN value LIKE '%''' THEN value || '::' || type ELSE value END FROM bench.other WHERE format('%s %s %s', function, argument, type) ~ pattern ORDER BY n LIMIT 1),
  (SELECT quote_ident(attname) FROM pg_attribute
    WHERE attrelid = 'bench.sample'::regclass AND attname IN (argument, type) AND format_type(atttypid, NULL) = type
    ORDER BY attname = argument DESC LIMIT 1));

-- The functions called: functions of the server with COST 1, then all that can be called with
-- values.
CREATE TABLE bench.subject AS
SELECT p.oid::regprocedure AS function, p.procost AS cost, p.proretset AS rows, e.extname IS NULL AS known,
       array_to_string(ARRAY(SELECT bench.value(p.proname, coalesce(nullif(p.proargnames[i], ''), '-'), format_type(type, NULL))
                               FROM unnest(p.proargtypes) WITH ORDINALITY AS a (type, i) ORDER BY i), ', ', 'NULL') AS arguments
  FROM pg_proc p LEFT JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
       LEFT JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND e.oid = d.refobjid
  WHERE e.extname IN ('atid', 'atid_crypto') AND p.prokind = 'f' AND p.proname <> 'generator_reset' AND (p.pronargs > 0 OR p.provolatile = 'v')
    AND NOT EXISTS (SELECT FROM unnest(p.proargtypes) AS type WHERE type IN ('internal'::regtype, 'cstring'::regtype))
     OR p.oid IN ('texteq(text,text)'::regprocedure, 'text_lt(text,text)'::regprocedure, 'int8eq(int8,int8)'::regprocedure,
                  'hashtext(text)'::regprocedure, 'uuid_lt(uuid,uuid)'::regprocedure, 'octet_length(bytea)'::regprocedure,
                  'timestamptz_pl_interval(timestamptz,interval)'::regprocedure, 'numeric_add(numeric,numeric)'::regprocedure);

-- Nanoseconds of n rows of ten calls. Functions that return rows are called in a loop.
CREATE FUNCTION bench.time(call text, rows bool, n bigint) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
  begun bigint;
BEGIN
  begun := bench.processor_time();
  EXECUTE CASE WHEN rows THEN format('WITH s AS MATERIALIZED (TABLE bench.sample) SELECT count(f) FROM s, generate_series(1, 10 * $1) AS i, LATERAL (SELECT count(*) FROM %s WHERE i > 0) AS f', call)
               ELSE format('WITH s AS MATERIALIZED (TABLE bench.sample) SELECT count(num_nulls(%s)) FROM s, generate_series(1, $1) AS i', rtrim(repeat(call || ', ', 10), ', ')) END
    USING n;
  RETURN bench.processor_time() - begun;
END $$;

-- A round: each for some milliseconds, less the rows without calls.
CREATE PROCEDURE bench.round(round int) LANGUAGE plpgsql AS $$
DECLARE
  s bench.subject;
  call text;
  n bigint;
  ns float8;
BEGIN
  FOR s IN TABLE bench.subject ORDER BY random() LOOP
    call := format('%s(%s)', (SELECT format('%I.%I', pronamespace::regnamespace, proname) FROM pg_proc WHERE oid = s.function), s.arguments);
    n := 1;
    LOOP
      ns := bench.time(call, s.rows, n);
      EXIT WHEN ns > 2e7;
      n := n * greatest(2, least(100, (3e7 / ns)::bigint));
    END LOOP;
    INSERT INTO bench.result
      SELECT s.function, round, (ns - bench.time(CASE WHEN s.rows THEN 'generate_series(1, 1)' ELSE 'i' END, s.rows, n)) / n / 10 WHERE round > 0;
  END LOOP;
END $$;
