-- The accounts as they are before the frames, all of them in the state of the variable `state`; and what takes the
-- frames, by the names of 1.3.3 if the variable old is set.

INSERT INTO indexer.identity (did, key, host, ask, answered)
SELECT a, b, 'https://pds.example', 'infinity', now() FROM bench.line WHERE a LIKE 'did:%';
INSERT INTO indexer.account (did, state, rev, data, listed)
SELECT a, :'state', c, d, now() FROM bench.line WHERE a LIKE 'did:%';
UPDATE indexer.want SET listed = NULL;
\if :old
SELECT FROM indexer.start('bench', 'repos', NULL, 1);
CREATE FUNCTION bench.is_of(did text, shard int, shards int) RETURNS bool LANGUAGE sql IMMUTABLE
RETURN indexer.slot(did::atid.did) * shards / 256 = shard;
CREATE FUNCTION bench.give(shard int, shards int, frames bytea[]) RETURNS void LANGUAGE sql
AS $$ SELECT FROM indexer.take('bench', shard, shards, frames) $$;
CREATE FUNCTION bench.applied() RETURNS bigint LANGUAGE sql
AS $$ SELECT sum(commits)::bigint FROM indexer.taker $$;
\else
SELECT FROM indexer.start_stream('bench', 'repos', NULL, 1);
CREATE FUNCTION bench.is_of(did text, shard int, shards int) RETURNS bool LANGUAGE sql IMMUTABLE
RETURN indexer.shard_slot(did::atid.did) * shards / 256 = shard;
CREATE FUNCTION bench.give(shard int, shards int, frames bytea[]) RETURNS void LANGUAGE sql
AS $$ SELECT FROM indexer.process_frames('bench', shard, shards, frames) $$;
CREATE FUNCTION bench.applied() RETURNS bigint LANGUAGE sql
AS $$ SELECT sum(commits)::bigint FROM indexer.shard $$;
\endif

INSERT INTO bench.frame SELECT a::int, b, decode(c, 'hex') FROM bench.line WHERE a NOT LIKE 'did:%';
DROP TABLE bench.line;
ANALYZE;

-- All frames of a shard, so many in a transaction. Notes the processor time.
CREATE PROCEDURE bench.take(shard int, shards int, batch int) LANGUAGE plpgsql AS $$
DECLARE
  frames bytea[];
  at int := 0;
  mine CONSTANT int[] := ARRAY(SELECT f.seq FROM bench.frame AS f WHERE bench.is_of(f.did, shard, shards) ORDER BY f.seq);
  begun CONSTANT bigint := bench.processor_time();
BEGIN
  WHILE at < cardinality(mine) LOOP
    frames := ARRAY(SELECT f.frame FROM bench.frame AS f WHERE f.seq = ANY (mine[at + 1:at + batch]) ORDER BY f.seq);
    PERFORM bench.give(shard, shards, frames);
    at := at + batch;
    COMMIT;
  END LOOP;
  INSERT INTO bench.used VALUES (bench.processor_time() - begun);
END $$;
