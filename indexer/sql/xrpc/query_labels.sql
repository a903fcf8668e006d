-- The stored labels that are in force, as com.atproto.label.queryLabels returns them: labels that
-- others have signed.

-- The subjects that a pattern of this method matches: those from low to high whose text begins with
-- start. A pattern is a DID, an AT URI, or the beginning of one and "*". low is NULL if the pattern
-- does not have a complete DID; start is NULL if it can match nothing.
CREATE OR REPLACE FUNCTION label_pattern(
  pattern text, OUT low atid.at_uri, OUT high atid.at_uri, OUT start text
) LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE of atid.at_uri;
BEGIN
  IF octet_length(pattern) > 2000 THEN RETURN; END IF;
  IF right(pattern, 1) <> '*' THEN
    low := atid.at_uri_from_subject_or_null(pattern);
    high := low;
    start := low::text;
    RETURN;
  END IF;
  start := rtrim(pattern, '*');
  IF start <> '' AND NOT starts_with(start, 'at:') THEN
    start := 'at://' || start;
  END IF;
  of := atid.at_uri_or_null(substring(start FROM '^(at://[^/]+)/'));
  low := of;
  high := atid.at_uri_scope_upper(of);
END $$;

CREATE OR REPLACE FUNCTION xrpc."com.atproto.label.queryLabels"(
  "uriPatterns" text[], sources text[] DEFAULT NULL, "limit" int DEFAULT 50,
  cursor text DEFAULT NULL
) RETURNS jsonb LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  place text[] := coalesce(regexp_match(cursor, '^(\S+) (\S+) (.*)$'), '{at://did:a:a,did:a:a,""}');
  found record;
BEGIN
  IF cardinality("uriPatterns") > 100 OR cardinality(sources) > 100 THEN
    PERFORM xrpc.fail('InvalidRequest', 'there may be at most 100 patterns and 100 sources');
  END IF;
  IF atid.at_uri_or_null(place[1]) IS NULL OR atid.did_or_null(place[2]) IS NULL
     OR cursor !~ '^\S+ \S+ ' THEN
    PERFORM xrpc.fail('InvalidRequest', 'the cursor is malformed');
  END IF;
  WITH pattern AS MATERIALIZED (
    SELECT p.* FROM unnest("uriPatterns") AS u CROSS JOIN label_pattern(u) AS p
    WHERE p.start IS NOT NULL
  ), bounded AS (
    SELECT b.* FROM pattern AS p CROSS JOIN LATERAL (
      SELECT l.subject, l.src, l.val, l.label FROM labels_in_force AS l
      WHERE l.subject BETWEEN p.low AND p.high AND starts_with(l.subject::text, p.start)
        AND (sources IS NULL OR l.src::text = ANY (sources))
        AND (l.subject, l.src, l.val) > (place[1]::atid.at_uri, place[2]::atid.did, place[3])
      ORDER BY l.subject, l.src, l.val LIMIT "limit") AS b
    WHERE p.low IS NOT NULL
  ), others AS (
    SELECT l.subject, l.src, l.val, l.label FROM labels_in_force AS l
    WHERE EXISTS (SELECT 1 FROM pattern AS p WHERE p.low IS NULL)
      AND EXISTS (SELECT 1 FROM pattern AS p
                  WHERE p.low IS NULL AND starts_with(l.subject::text, p.start))
      AND (sources IS NULL OR l.src::text = ANY (sources))
      AND (l.subject, l.src, l.val) > (place[1]::atid.at_uri, place[2]::atid.did, place[3])
    ORDER BY l.subject, l.src, l.val LIMIT "limit"
  ), page AS (
    SELECT * FROM bounded UNION SELECT * FROM others ORDER BY subject, src, val LIMIT "limit"
  )
  SELECT coalesce(jsonb_agg(p.label ORDER BY p.subject, p.src, p.val), '[]') AS labels,
         CASE WHEN count(*) = "limit" THEN
           (array_agg(concat_ws(' ', p.subject, p.src, p.val)
                      ORDER BY p.subject DESC, p.src DESC, p.val DESC))[1] END AS cursor
  INTO found FROM page AS p;
  RETURN jsonb_strip_nulls(jsonb_build_object('cursor', found.cursor))
         || jsonb_build_object('labels', found.labels);
END $$;
