-- The program's reports on a connection to the server of a stream.

-- Stores by how many seconds the server's clock is ahead of the program's, which has compared them.
CREATE OR REPLACE FUNCTION store_clock_offset(stream text, seconds float8) RETURNS void
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE stream AS x SET ahead = least(greatest(seconds, -1e10), 1e10) * interval '1 s'
  WHERE x.name = store_clock_offset.stream;
END $$;

-- Processes the first number of a connection that has requested the frames after cursor. A server
-- without such old frames should report OutdatedCursor; some relays do not, but after a long time
-- their first number is not the next one. Even after a short time there is a gap if the number
-- skips more than most_skipped, or more than the rate of the stream explains. Without a cursor,
-- nothing shows what came since start_stream(), or since the connection before. A server whose
-- first number is not above the cursor has restarted its numbers, or ignores the cursor: this is
-- noted until a number reaches the cursor.
CREATE OR REPLACE FUNCTION report_connection(stream text, cursor bigint, first bigint) RETURNS void
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  s settings;
  t record;
BEGIN
  SELECT * INTO s FROM settings;
  SELECT max(add_interval(x.heard, -greatest(x.lag, '0'))) AS heard,
         coalesce(sum(x.frame_rate), 0) AS rate
  INTO t
  FROM shard AS x WHERE x.stream = report_connection.stream;
  UPDATE stream AS x SET behind = CASE WHEN first <= cursor AND cursor > 0 THEN first END
  WHERE x.name = report_connection.stream;
  UPDATE stream AS x SET look = now(), looked = NULL
  WHERE x.name = report_connection.stream AND x.kind = 'repos'
    AND (cursor = 0
         OR first > cursor + 1 AND t.heard < now() - s.missed_after
         OR first > cursor + 1
            + least(s.most_skipped,
                    100 + 10 * t.rate * greatest(extract(epoch FROM now() - t.heard), 0)));
END $$;

-- Records a frame that is too large to be read: only its digest is kept. Its beginning may name an
-- account.
CREATE OR REPLACE FUNCTION quarantine_oversized_frame(
  stream text, digest bytea, bytes bigint, account text DEFAULT NULL
) RETURNS void
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  me CONSTANT atid.did := atid.did_or_null(CASE WHEN octet_length(account) <= 512 THEN account END);
BEGIN
  UPDATE shard AS t SET refused = t.refused + 1  -- first, as process_frames() does
  WHERE t.stream = quarantine_oversized_frame.stream AND t.lo = 0;
  PERFORM add_bad(quarantine_oversized_frame.stream, ARRAY[digest], ARRAY[me], '{oversized}',
    ARRAY[format('The frame must not be longer than 5 MB; it has %s bytes.', bytes)], '{NULL}');
  IF EXISTS (SELECT 1 FROM account AS a WHERE a.did = me)
     AND stream_kind(quarantine_oversized_frame.stream) = 'repos' THEN
    PERFORM add_notices(ARRAY[me], '{refused}');
  END IF;
END $$;

-- Follows a stream whose numbers have begun again, from this number on. Nobody knows what came
-- before it, so there is a gap.
CREATE OR REPLACE FUNCTION restart_numbering(stream text, number bigint) RETURNS void
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE stream AS x
  SET look = now(), looked = NULL, behind = NULL, begun = now(), begun_at = number
  WHERE x.name = restart_numbering.stream;
END $$;
