-- Returns those of the accounts that have just failed whose failure is new: an account that has
-- failed for days is no sign that everything fails.
CREATE OR REPLACE FUNCTION newly_failed(activity text, dids text[]) RETURNS SETOF text
LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  those CONSTANT atid.did[] := ARRAY(SELECT atid.did_or_null(d) FROM unnest(dids) AS d);
  method record;
BEGIN
  SELECT * INTO method FROM method_of_activity(activity);
  IF activity IN ('loads of known accounts', 'loads of new accounts') THEN
    RETURN QUERY SELECT a.did::text FROM account AS a
                 WHERE a.did = ANY (those) AND a.failures <= 3;
  ELSIF method.name IS NOT NULL THEN
    RETURN QUERY SELECT i.did::text FROM identity AS i
                 WHERE i.did = ANY (those) AND i.asked <= 3
                   AND (NOT method.cheap OR i.answered IS NOT NULL);
  ELSE
    RETURN QUERY SELECT unnest(dids);
  END IF;
END $$;

-- Stores the program's report on each activity: its name; in seconds, how long ago it last had a
-- turn (turn), succeeded (good) and began a piece of work (begun); for how long it has failed
-- (failing), how many failed (failed) and why (problem); and for how long something else has held
-- it up (held), and what (cause), which matters only if work is due. Returns the seconds until the
-- next report.
CREATE OR REPLACE FUNCTION report_activity(stream text, signs jsonb, OUT again float8)
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE moment CONSTANT timestamptz := clock_timestamp();
BEGIN
  DELETE FROM activity AS a WHERE a.stream = report_activity.stream AND a.mark IS NULL
    AND NOT EXISTS (SELECT 1 FROM jsonb_array_elements(signs) AS e WHERE e->>'name' = a.name);
  INSERT INTO activity AS a (stream, name, at, good, failing, failed, problem)
  SELECT report_activity.stream, s.name, add_interval(moment, -s.turn * interval '1 s'),
         add_interval(moment, -s.good * interval '1 s'),
         add_interval(moment, -f.seconds * interval '1 s'),
         CASE f.what WHEN 'failing' THEN s.failed END,
         CASE f.what WHEN 'failing' THEN clip_text(s.problem, 800)
                     WHEN 'held' THEN clip_text(s.cause, 800)
                     WHEN 'idle' THEN 'work is due, but has not begun' END
  FROM jsonb_to_recordset(signs) AS s (name text, turn float8, good float8, begun float8,
                                       failing float8, failed int, problem text, held float8,
                                       cause text)
       LEFT JOIN activities() AS c ON c.name = activity_class(s.name)
       LEFT JOIN activity_bound AS b ON b.name = c.name
       LEFT JOIN activity AS o ON o.stream = report_activity.stream AND o.name = s.name
       CROSS JOIN LATERAL (SELECT extract(epoch FROM coalesce(b.success, c.success))::float8
                           AS bound) AS n
       -- problems beyond their bounds come first
       CROSS JOIN LATERAL (
         SELECT (array_agg(v.what ORDER BY v.is_late DESC, v.seconds DESC))[1] AS what,
                (array_agg(v.seconds ORDER BY v.is_late DESC, v.seconds DESC))[1] AS seconds
         FROM (VALUES
           ('failing', s.failing, s.failing > n.bound AND coalesce(s.failed >= c.few, true)),
           ('held', s.held, s.held > n.bound),
           -- The work has been due for the bound at least; if the last report had it, since then.
           ('idle', CASE WHEN s.begun > n.bound
              THEN least(s.begun, greatest(n.bound + 0.001, extract(epoch FROM moment - o.failing)))
              END, true)
         ) AS v (what, seconds, is_late)
         WHERE v.seconds IS NOT NULL
           AND CASE v.what WHEN 'held' THEN is_due(s.name, moment)
                           WHEN 'idle'
                           THEN is_due(s.name, add_interval(moment, -n.bound * interval '1 s'))
                           ELSE true END) AS f
  ON CONFLICT ON CONSTRAINT activity_pkey DO UPDATE
  SET at = excluded.at, good = coalesce(excluded.good, a.good), failing = excluded.failing,
      failed = excluded.failed, problem = excluded.problem;
  again := greatest(0.1, least(10, (SELECT extract(epoch FROM min(least(b.turn, b.success))) / 10
                                    FROM activity_bound AS b)));
END $$;
