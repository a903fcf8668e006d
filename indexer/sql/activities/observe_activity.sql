-- Observes what the database can see of the activities of a stream.
CREATE OR REPLACE FUNCTION observe_activity(stream text) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  PERFORM observe_cursor(observe_activity.stream);
  IF (SELECT s.kind FROM stream AS s WHERE s.name = observe_activity.stream) = 'labels' THEN
    PERFORM observe_labels(observe_activity.stream);
  ELSE
    PERFORM observe_readers(observe_activity.stream);
  END IF;
END $$;

-- Observes whether frames are refused while the cursor does not move. mark: the cursor, and how
-- many frames had been refused when it got there.
CREATE OR REPLACE FUNCTION observe_cursor(stream text) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  at bigint;
  refused bigint;
BEGIN
  SELECT min(t.cursor), sum(t.refused) INTO at, refused
  FROM shard AS t WHERE t.stream = observe_cursor.stream;
  PERFORM observe(observe_cursor.stream, 'cursor', ARRAY[at, refused], 1,
                  'frames are refused, and the cursor does not move');
END $$;

-- Observes whether a reader has changes to read but does not move. mark: its position.
CREATE OR REPLACE FUNCTION observe_readers(stream text) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  newest change;
  r reader;
  names text[] := '{}';
BEGIN
  SELECT * INTO newest FROM change AS c ORDER BY c.tx DESC, c.n DESC LIMIT 1;
  FOR r IN SELECT * FROM reader AS x ORDER BY x.name LIMIT 1000 LOOP
    r.name := CASE WHEN r.api THEN '' ELSE 'reader ' END || clip_text(r.name, 200);
    CONTINUE WHEN r.name = ANY (names);
    names := names || r.name;
    PERFORM observe(observe_readers.stream, r.name,
      CASE WHEN ((newest.tx, newest.n) > (r.tx, r.n) AND newest.n > r.since) IS TRUE
        THEN ARRAY[r.tx::text::bigint, r.n, 1] ELSE ARRAY[r.tx::text::bigint, r.n, 0] END, 2,
      'it does not read the changes that wait for it');
  END LOOP;
  DELETE FROM activity AS a
  WHERE a.stream = observe_readers.stream AND activity_class(a.name) IN ('reader', 'api')
    AND a.name <> ALL (names);
END $$;

-- Stores one observation. mark is a position, of `place` numbers, followed by a count. An activity
-- fails while its position stays the same and the count exceeds the one with which the position was
-- reached.
CREATE OR REPLACE FUNCTION observe(
  stream text, name text, mark bigint[], place int, problem text
) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  moment CONSTANT timestamptz := clock_timestamp();
  a activity;
  failed bigint;
BEGIN
  SELECT * INTO a FROM activity AS x WHERE x.stream = observe.stream AND x.name = observe.name;
  IF a.mark[:place] IS DISTINCT FROM mark[:place] THEN
    a.mark := mark[:place] || CASE WHEN place = 1 THEN mark[place + 1] ELSE 0 END;
    a.failing := NULL;
  END IF;
  failed := mark[place + 1] - a.mark[place + 1];
  a.failing := CASE WHEN failed > 0 THEN coalesce(a.failing, moment) END;
  INSERT INTO activity AS x (stream, name, at, good, failing, failed, problem, mark)
  VALUES (observe.stream, observe.name, moment, moment, a.failing, least(failed, 1000000),
          CASE WHEN a.failing IS NOT NULL THEN observe.problem END, a.mark)
  ON CONFLICT ON CONSTRAINT activity_pkey DO UPDATE
  SET at = excluded.at,
      good = CASE WHEN excluded.failing IS NULL THEN excluded.good ELSE x.good END,
      failing = excluded.failing, failed = excluded.failed, problem = excluded.problem,
      mark = excluded.mark;
END $$;
