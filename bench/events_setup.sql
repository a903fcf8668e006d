-- The measurements of bench/events.

CREATE EXTENSION atid;
CREATE SCHEMA bench;

CREATE UNLOGGED TABLE bench.line (size int, key text, hex text);

-- Everything is stored in the rows: only the code is measured.
CREATE UNLOGGED TABLE bench.event (size int, key text, frame bytea, block bytea);
CREATE UNLOGGED TABLE bench.frame (size int, key text, frame bytea);
ALTER TABLE bench.event ALTER frame SET STORAGE PLAIN;
ALTER TABLE bench.frame ALTER frame SET STORAGE PLAIN, SET (parallel_workers = 2);

CREATE PROCEDURE bench.make_frames() LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO bench.event
    SELECT size, key, frame, c.block
      FROM bench.line, decode(hex, 'hex') frame, atid.commit_event(frame) e, atid.repo_commit(e.blocks) c
      WHERE length(frame) < 8000; -- a row that fits a page
  INSERT INTO bench.frame SELECT size, key, decode(hex, 'hex') FROM bench.line, generate_series(1, 20) WHERE size = 5000;
  ANALYZE bench.event, bench.frame;
  IF EXISTS (SELECT FROM bench.event WHERE atid.event_problem(frame) IS NOT NULL OR NOT atid.event_is_signed_by(frame, key)) THEN
    RAISE 'an event is not true';
  END IF;
END $$;

-- 2,000 calls each, or 10,000 frames
CREATE TABLE bench.subject (id serial, name text, call text, workers int DEFAULT 0);
INSERT INTO bench.subject (name, call)
  SELECT 'the signature alone',    'SELECT count(atid.commit_is_signed_by(block, ''did:plc:ewvi7nxzyoun6zhxrhs64oiz'', key)) FROM bench.event, generate_series(1, 4) WHERE size = 5000'
  UNION ALL SELECT 'event_is_signed_by', 'SELECT count(atid.event_is_signed_by(frame, key)) FROM bench.event, generate_series(1, 4) WHERE size = 5000'
  UNION ALL SELECT 'frame_parts', 'SELECT count(atid.frame_parts(frame)) FROM (SELECT frame FROM bench.frame LIMIT 2000) f'
  UNION ALL SELECT 'commit_event', 'SELECT count(atid.commit_event(frame)) FROM bench.event, generate_series(1, 4) WHERE size = 5000'
  UNION ALL SELECT 'event_problem, ' || size, format('SELECT count(atid.event_problem(frame)) FROM bench.event, generate_series(1, 4) WHERE size = %s', size)
              FROM unnest('{300,5000,100000}'::int[]) size;
CREATE TABLE bench.subject_workers (LIKE bench.subject INCLUDING DEFAULTS);
INSERT INTO bench.subject_workers (name, call, workers)
  SELECT format('%s workers', w),
         'SELECT count(problem), count(*) FILTER (WHERE signed) FROM (SELECT problem, atid.event_is_signed_by(frame, key) AS signed'
         ' FROM bench.frame, atid.event_problem(frame) AS problem) f', w
    FROM generate_series(1, 2) w;

CREATE UNLOGGED TABLE bench.result (name text, round int, ms float8);

-- A round: each in turn, in another order; round 0 only warms up. With workers the leader does
-- nothing.
CREATE PROCEDURE bench.measure(source regclass, round int) LANGUAGE plpgsql AS $$
DECLARE
  s record;
  began timestamptz;
BEGIN
  FOR s IN EXECUTE format('SELECT * FROM %s ORDER BY random()', source) LOOP
    PERFORM set_config('max_parallel_workers_per_gather', s.workers::text, true),
            set_config('parallel_leader_participation', 'off', true);
    began := clock_timestamp();
    EXECUTE s.call;
    INSERT INTO bench.result SELECT s.name, round, extract(epoch FROM clock_timestamp() - began) * 1e3 WHERE round > 0;
  END LOOP;
END $$;
