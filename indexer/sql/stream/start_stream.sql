-- The beginning of a run.

-- Starts a stream, with so many shards. Loads that an earlier run has left unfinished count as
-- failures, so that whatever ended that run does not come first again. Returns the number after
-- which to continue, the lowest of all shards.
CREATE OR REPLACE FUNCTION start_stream(
  stream text, kind text, pds text[], shards int
) RETURNS bigint LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  s settings;
  a account;
  old shard[];
  at bigint;
  is_new bool;
BEGIN
  SELECT * INTO s FROM settings;
  -- first, as a program that was killed may have left a session that processes its last frames
  PERFORM lock_shard(start_stream.stream, 0, 255);
  INSERT INTO stream AS x (name, kind, pds)
  VALUES (start_stream.stream, start_stream.kind, nullif(start_stream.pds, '{}'))
  ON CONFLICT (name) DO UPDATE SET pds = excluded.pds, started = now(), error = NULL;
  old := ARRAY(SELECT t FROM shard AS t WHERE t.stream = start_stream.stream ORDER BY t.lo);
  is_new := old = '{}';
  IF is_new THEN
    INSERT INTO shard (stream, lo, hi) VALUES (start_stream.stream, 0, 255);
    old := ARRAY(SELECT t FROM shard AS t WHERE t.stream = start_stream.stream);
  END IF;
  -- Each new shard gets its parts of the old ones, with their cursors: nothing is lost, and nothing
  -- is repeated. The counts go to the first shard.
  DELETE FROM shard AS t WHERE t.stream = start_stream.stream;
  INSERT INTO shard (stream, lo, hi, cursor, heard, taken)
  SELECT start_stream.stream, min(g.lo), max(g.hi), g.cursor, max(g.heard), max(g.taken)
  FROM (SELECT p.*, count(*) FILTER (WHERE p.starts) OVER (PARTITION BY p.n ORDER BY p.lo) AS part
        FROM (SELECT n, greatest(o.lo, b.lo) AS lo, least(o.hi, b.hi) AS hi, o.cursor, o.heard,
                     o.taken, o.cursor IS DISTINCT FROM lag(o.cursor)
                                OVER (PARTITION BY n ORDER BY o.lo) AS starts
              FROM generate_series(0, shards - 1) AS n
                   CROSS JOIN LATERAL (SELECT (256 * n + shards - 1) / shards AS lo,
                                              (256 * (n + 1) + shards - 1) / shards - 1 AS hi) AS b
                   JOIN unnest(old) AS o ON o.lo <= b.hi AND b.lo <= o.hi) AS p) AS g
  GROUP BY g.n, g.part, g.cursor;
  UPDATE shard AS t
  SET (frames, commits, refused) = (SELECT sum(o.frames), sum(o.commits), sum(o.refused)
                                    FROM unnest(old) AS o)
  WHERE t.stream = start_stream.stream AND t.lo = 0;
  SELECT min(t.cursor) INTO at FROM shard AS t WHERE t.stream = start_stream.stream;
  IF kind = 'repos' THEN
    UPDATE stream AS x SET look = now(), looked = NULL
    WHERE x.name = start_stream.stream AND (is_new OR at = 0 OR x.place <> database_place());
    UPDATE stream AS x SET place = database_place() WHERE x.name = start_stream.stream;
    FOR a IN SELECT * FROM account WHERE state = 'loading' ORDER BY did LOOP
      -- the server may still be loading it for a program that has ended: then it is left to
      -- run_maintenance()
      PERFORM FROM account AS x WHERE x.did = a.did AND x.state = 'loading' FOR UPDATE SKIP LOCKED;
      CONTINUE WHEN NOT FOUND;
      PERFORM defer_load(a.did, a.claim, 'ended', NULL);
    END LOOP;
    PERFORM release_all_waiting(start_stream.stream);
  END IF;
  RETURN at;
END $$;

-- Identifies this database: the server, its timeline, the table. A restored dump has another table,
-- and a base backup that was recovered to a point in time has another timeline.
CREATE OR REPLACE FUNCTION database_place() RETURNS text LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE server text;
BEGIN
  IF has_function_privilege('pg_catalog.pg_control_system()', 'EXECUTE')
     AND has_function_privilege('pg_catalog.pg_control_checkpoint()', 'EXECUTE') THEN
    SELECT concat(c.system_identifier, ' ', k.timeline_id) INTO server
    FROM pg_catalog.pg_control_system() AS c CROSS JOIN pg_catalog.pg_control_checkpoint() AS k;
  END IF;
  RETURN concat_ws(' ', server, 'indexer.stream'::regclass::oid);
END $$;

-- The stream that was followed last, if this one is that of a PDS that does not have all of its
-- accounts: these would count as moved, and their records would be deleted. It may be the same
-- stream: that of a relay that calls itself a PDS, or of a PDS that has fewer names than before.
CREATE OR REPLACE FUNCTION find_replaced_stream(stream text, pds text[]) RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN (SELECT l.name
          FROM (SELECT x.name, x.pds FROM stream AS x WHERE x.kind = 'repos'
                ORDER BY x.started DESC LIMIT 1) AS l
          WHERE (l.name <> find_replaced_stream.stream OR l.pds IS NULL
                 OR NOT l.pds <@ find_replaced_stream.pds)
            AND cardinality(find_replaced_stream.pds) > 0
            AND EXISTS (SELECT 1 FROM account AS a JOIN identity AS i USING (did)
                        WHERE a.state <> 'barred' AND i.answered IS NOT NULL
                          AND coalesce(i.host, '') <> ALL (find_replaced_stream.pds)));
END $$;
