-- The measurements of bench/datetimes. The variable rows is the number of datetimes.

CREATE EXTENSION atid;
CREATE SCHEMA bench;

-- As in records: most with milliseconds, some with microseconds or an offset.
CREATE UNLOGGED TABLE bench.record (created text, indexed timestamptz);
INSERT INTO bench.record
SELECT CASE n % 10
         WHEN 0 THEN to_char(t, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
         WHEN 1 THEN to_char(t, 'YYYY-MM-DD"T"HH24:MI:SS"+02:00"')
         ELSE to_char(t, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
       END, t + interval '2 seconds' * random()
FROM (SELECT n, timestamp '2023-01-01' + interval '1000 days' * random() AS t
      FROM generate_series(1, :rows) AS n) made;
VACUUM ANALYZE bench.record;

CREATE TABLE bench.subject (id int GENERATED ALWAYS AS IDENTITY, name text PRIMARY KEY, query text NOT NULL);
INSERT INTO bench.subject (name, query) VALUES
  ('scan',                       'SELECT count(created) FROM bench.record'),
  ('t::timestamptz',             'SELECT count(created::timestamptz) FROM bench.record'),
  ('least(t::timestamptz, u)',   'SELECT count(least(created::timestamptz, indexed)) FROM bench.record'),
  ('datetime_to_timestamptz(t)', 'SELECT count(atid.datetime_to_timestamptz(created)) FROM bench.record'),
  ('sort_at(t, u)',              'SELECT count(atid.sort_at(created, indexed)) FROM bench.record'),
  ('datetime_is_valid(t)',       'SELECT count(atid.datetime_is_valid(created)) FROM bench.record'),
  ('t::datetime',                'SELECT count(created::atid.datetime) FROM bench.record'),
  ('datetime_normalize(t)',      'SELECT count(atid.datetime_normalize(created)) FROM bench.record'),
  ('datetime_from_timestamptz(u)', 'SELECT count(atid.datetime_from_timestamptz(indexed)) FROM bench.record');

CREATE TABLE bench.result (name text, round int, ms float8);

-- Each round runs them in another order; the first only warms up.
CREATE PROCEDURE bench.measure(rounds int) LANGUAGE plpgsql AS $$
DECLARE
  subject record;
  start timestamptz;
BEGIN
  FOR round IN 0..rounds LOOP
    FOR subject IN SELECT name, query FROM bench.subject ORDER BY random() LOOP
      start := clock_timestamp();
      EXECUTE subject.query;
      IF round > 0 THEN
        INSERT INTO bench.result
        VALUES (subject.name, round, extract(epoch FROM clock_timestamp() - start) * 1000);
      END IF;
    END LOOP;
  END LOOP;
END $$;
