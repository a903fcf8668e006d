-- Samples, one every ten seconds: how many accounts were still to be loaded, and how many loads
-- there had been. Only the functions in this file write the table.
--
-- Its bound: samples are kept for two hours.

-- Adds a sample of the counters.
CREATE OR REPLACE FUNCTION add_sample() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  INSERT INTO sample (at, behind, loads)
  SELECT now(),
         coalesce(sum(t.n) FILTER (
           WHERE t.what = ANY (ARRAY(SELECT s.state FROM account_state AS s
                                     WHERE s.is_behind))), 0),
         coalesce(sum(t.n) FILTER (WHERE t.what = 'loads'), 0)
  FROM tally AS t
  ON CONFLICT DO NOTHING;
END $$;

-- Stores in the newest sample the size of the table labels_refused, and the bytes of its rows.
CREATE OR REPLACE FUNCTION note_refused_labels(size bigint, row_bytes bigint) RETURNS void
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE sample AS x SET refused_size = size, refused_rows = row_bytes
  WHERE x.at = (SELECT max(y.at) FROM sample AS y);
END $$;

CREATE OR REPLACE FUNCTION delete_old_samples() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  DELETE FROM sample AS x WHERE x.at < now() - interval '2 hours';
END $$;
