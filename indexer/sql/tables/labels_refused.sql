-- Refused labels, kept because a key of their source may come later. labels_take() in labels.sql,
-- which can be used alone, adds them, unless they are larger than 8 kB; all other functions that
-- write the table are in this file.
--
-- Its bound is most_labels_refused bytes: beyond it, the older half is deleted.

-- Deletes labels of a source that came before this transaction, and returns them.
CREATE OR REPLACE FUNCTION take_labels_refused(source text, most int) RETURNS jsonb LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE labels jsonb;
BEGIN
  WITH taken AS (
    DELETE FROM labels_refused AS l
    WHERE l.ctid = ANY (ARRAY(SELECT o.ctid FROM labels_refused AS o
                              WHERE o.label->>'src' = source AND o.received < now() LIMIT most))
    RETURNING l.label
  )
  SELECT jsonb_agg(t.label) INTO labels FROM taken AS t;
  RETURN labels;
END $$;

-- Deletes the labels of an account and those about it.
CREATE OR REPLACE FUNCTION delete_labels_refused(account text) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  DELETE FROM labels_refused AS l
  WHERE l.label->>'src' = account OR l.label->>'uri' IN (account, 'at://' || account)
        OR starts_with(l.label->>'uri', 'at://' || account || '/');
END $$;

-- Deletes the older half of the labels when their rows take half of the bytes that the table may
-- have. A deletion does not make the file smaller, so the rows of a large file are summed up only
-- if its size has changed since they last were.
CREATE OR REPLACE FUNCTION trim_labels_refused(most bigint) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  size CONSTANT bigint := pg_total_relation_size('labels_refused');
  was sample;
BEGIN
  IF size <= most THEN RETURN; END IF;
  SELECT * INTO was FROM sample AS x WHERE x.refused_size IS NOT NULL ORDER BY x.at DESC LIMIT 1;
  IF was.refused_size IS DISTINCT FROM size THEN
    was.refused_rows := bytes_of_labels_refused();
  END IF;
  IF was.refused_rows > most / 2 THEN
    DELETE FROM labels_refused AS l
    WHERE l.received <= (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY o.received)
                         FROM labels_refused AS o);
    was.refused_rows := bytes_of_labels_refused();
  END IF;
  PERFORM note_refused_labels(size, was.refused_rows);
END $$;

CREATE OR REPLACE FUNCTION bytes_of_labels_refused() RETURNS bigint LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN (SELECT coalesce(sum(pg_column_size(l.label) + 32), 0) FROM labels_refused AS l);
END $$;

-- The size of the table in bytes.
CREATE OR REPLACE FUNCTION size_of_labels_refused() RETURNS bigint LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN pg_total_relation_size('labels_refused');
END $$;
