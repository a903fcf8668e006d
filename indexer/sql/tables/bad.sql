-- Refused frames, each stored once, by its digest. Anybody can make some. Only the functions in
-- this file write the table, except for an operator's TRUNCATE.
--
-- It has two bounds. When the table has reached most_bad bytes, no more frames are kept. At most
-- most_early frames of an account are early: they may become valid when a newer log has their key.

CREATE OR REPLACE FUNCTION is_bad_full() RETURNS bool LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN bytes_of_bad() >= (SELECT s.most_bad FROM settings AS s);
END $$;

-- Keeps refused frames: arrays of equal length. codes: from codes.sql; reasons: if not NULL, they
-- replace the words of the codes; frames: NULL for one that is too large to be kept.
CREATE OR REPLACE FUNCTION add_bad(
  stream text, digests bytea[], dids atid.did[], codes text[], reasons text[], frames bytea[]
) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  s settings;
  of_key CONSTANT text[] := list_key_codes();
BEGIN
  IF digests IS NULL THEN RETURN; END IF;
  SELECT * INTO s FROM settings;
  PERFORM enter_writers();
  IF is_bad_full() THEN RETURN; END IF;
  INSERT INTO bad (digest, stream, did, code, reason, early, frame)
  SELECT b.digest, add_bad.stream, b.did, b.code,
         coalesce(b.reason, (SELECT c.words FROM code AS c WHERE c.code = b.code), b.code),
         b.early AND b.place + (SELECT count(*)
                                FROM (SELECT 1 FROM bad AS o WHERE o.did = b.did AND o.early
                                      LIMIT s.most_early) AS o) <= s.most_early,
         b.frame
  FROM (SELECT x.*, row_number() OVER (PARTITION BY x.did, x.early ORDER BY x.n) AS place
        FROM (SELECT u.*, u.code = ANY (of_key) AS early
              FROM unnest(digests, dids, codes, reasons, frames) WITH ORDINALITY
                   AS u (digest, did, code, reason, frame, n)) AS x) AS b
  WHERE NOT EXISTS (SELECT 1 FROM exclusion AS x WHERE x.did = b.did)
  ORDER BY b.digest ON CONFLICT DO NOTHING;
END $$;

-- The digests of the early frames of an account that one of these keys has signed.
CREATE OR REPLACE FUNCTION find_signed_bad(one atid.did, keys text[]) RETURNS bytea[]
LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN ARRAY(SELECT b.digest FROM bad AS b
               WHERE b.did = one AND b.early
                 AND EXISTS (SELECT 1 FROM unnest(keys) AS k
                             WHERE atid.event_is_signed_by(b.frame, k)));
END $$;

-- Deletes frames, and returns them.
CREATE OR REPLACE FUNCTION take_bad(digests bytea[]) RETURNS TABLE (stream text, frame bytea)
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN QUERY DELETE FROM bad AS b WHERE b.digest = ANY (digests) RETURNING b.stream, b.frame;
END $$;

-- Are there frames of an account that a newer log may make valid?
CREATE OR REPLACE FUNCTION has_early(one atid.did) RETURNS bool LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM bad AS b WHERE b.did = one AND b.early);
END $$;

-- Marks the frames of an account as no longer early: its log is known, so none can become valid.
CREATE OR REPLACE FUNCTION end_early(one atid.did) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE bad AS b SET early = false WHERE b.did = one AND b.early;
END $$;

CREATE OR REPLACE FUNCTION delete_bad(one atid.did) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  DELETE FROM bad AS b WHERE b.did = one;
END $$;

-- The size of the table in bytes.
CREATE OR REPLACE FUNCTION bytes_of_bad() RETURNS bigint LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN pg_total_relation_size('bad');
END $$;

-- The frames of an account, in words for operators: their number, counted up to 1,000, and the
-- newest reason.
CREATE OR REPLACE FUNCTION explain_bad(one atid.did, OUT refused text, OUT early bigint)
LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  SELECT concat(CASE WHEN count(*) < 1000 THEN count(*)::text ELSE '1000 or more' END,
                ', the newest at ', max(q.received), ': ',
                (array_agg(q.reason ORDER BY q.received DESC))[1]) INTO refused
  FROM (SELECT b.received, b.reason FROM bad AS b WHERE b.did = one
        ORDER BY b.received DESC LIMIT 1000) AS q
  HAVING count(*) > 0;
  early := (SELECT count(*)
            FROM (SELECT 1 FROM bad AS b WHERE b.did = one AND b.early LIMIT 1000) AS q);
END $$;
