-- The accounts as they are before the frames, all of them synchronized; and what takes the frames.

INSERT INTO indexer.identity (did, key, host, ask, answered) SELECT a::atid.did, b, 'https://pds.example', 'infinity', now()
FROM bench.line WHERE a LIKE 'did:%';
INSERT INTO indexer.account (did, state, rev, data, listed) SELECT a::atid.did, 'synchronized', c::atid.tid, d::atid.cid_link, now()
FROM bench.line WHERE a LIKE 'did:%';
UPDATE indexer.want SET listed = NULL;
INSERT INTO bench.frame SELECT a::int, indexer.slot(b::atid.did), decode(c, 'hex') FROM bench.line WHERE a NOT LIKE 'did:%';
DROP TABLE bench.line;
SELECT FROM indexer.start('bench', 'repos', NULL, 1);
ANALYZE;

-- All frames of a taker, so many in a transaction.
CREATE PROCEDURE bench.take(taker int, takers int, batch int) LANGUAGE plpgsql AS $$
DECLARE
  frames bytea[];
  at int := 0;
  last int;
BEGIN
  LOOP
    SELECT array_agg(f.frame ORDER BY f.seq), max(f.seq) INTO frames, last
    FROM (SELECT seq, frame FROM bench.frame WHERE seq > at AND slot * takers / 256 = taker ORDER BY seq LIMIT batch) AS f;
    EXIT WHEN frames IS NULL;
    PERFORM indexer.take('bench', taker, takers, frames);
    at := last;
    COMMIT;
  END LOOP;
END $$;
