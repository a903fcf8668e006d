-- Notes the labels of a frame of the stream, some of which may have been refused in this
-- transaction. mark is empty, and not NULL, because report_activity() writes and deletes the rows
-- without a mark.
CREATE OR REPLACE FUNCTION note_labels(stream text, labels int) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  moment CONSTANT timestamptz := clock_timestamp();
  bad CONSTANT int := (SELECT count(*) FROM labels_refused AS l WHERE l.received = now());
BEGIN
  INSERT INTO activity AS a (stream, name, at, good, failing, failed, problem, mark)
  SELECT note_labels.stream, 'labels', moment, CASE WHEN v.verified THEN moment END,
         CASE WHEN NOT v.verified THEN moment END, CASE WHEN NOT v.verified THEN bad END,
         CASE WHEN NOT v.verified THEN 'no label is signed by a key of its source' END, '{}'
  FROM (SELECT bad < labels AS verified) AS v
  ON CONFLICT ON CONSTRAINT activity_pkey DO UPDATE
  SET at = excluded.at, good = coalesce(excluded.good, a.good), problem = excluded.problem,
      failing = CASE WHEN excluded.failing IS NOT NULL
                  THEN coalesce(a.failing, excluded.failing) END,
      failed = CASE WHEN excluded.failing IS NOT NULL
                 THEN least(coalesce(a.failed, 0) + excluded.failed, 1000000) END
  WHERE excluded.failing IS NOT NULL OR a.failing IS NOT NULL
        OR a.at < add_interval(moment, -interval '10 s');
END $$;

-- Clears the failure of the labels, if those that came before the key of their source have been
-- verified since.
CREATE OR REPLACE FUNCTION observe_labels(stream text) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE activity AS a SET failing = NULL, failed = NULL, problem = NULL, good = clock_timestamp()
  WHERE a.stream = observe_labels.stream AND a.name = 'labels' AND a.failing IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM labels_refused AS l
                    WHERE l.received >= add_interval(a.failing, -interval '1 min'));
END $$;
