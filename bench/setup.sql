-- The measurements of bench/generate.

CREATE EXTENSION atid;
CREATE SCHEMA bench;

SELECT count(*) > 0 AS have FROM pg_available_extensions WHERE name = 'pg_uuidv7' \gset
\if :have
  CREATE SCHEMA other;
  CREATE EXTENSION pg_uuidv7 SCHEMA other;
\endif

SELECT count(*) > 0 AS have FROM pg_available_extensions WHERE name = 'uuid-ossp' \gset
\if :have
  CREATE SCHEMA uuid_ossp;
  CREATE EXTENSION "uuid-ossp" SCHEMA uuid_ossp;
\endif

CREATE FUNCTION bench.noop() RETURNS bigint
  AS 'atid_bench', 'bench_noop' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

-- reads the clock and adds one to a word that all sessions share, and nothing else
CREATE FUNCTION bench.counter() RETURNS bigint
  AS 'atid_bench', 'bench_counter' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

-- ns of a call, in a loop in C; `arg` goes to a function that takes one
CREATE FUNCTION bench.cost(f regprocedure, arg oid, calls bigint) RETURNS float8
  AS 'atid_bench', 'bench_cost' LANGUAGE C VOLATILE STRICT;

-- calls per second between two times, in a loop in C
CREATE FUNCTION bench.rate(f regprocedure, arg oid, begins timestamptz, ends timestamptz) RETURNS float8
  AS 'atid_bench', 'bench_window' LANGUAGE C VOLATILE STRICT;

-- calls at most once in `pace` ns, for `skip` ms that do not count and `length` ms that do; returns
-- ns of a call, without the time between two; with calls in which others took the processor;
-- without those of more than 20 us; and of the longest
CREATE FUNCTION bench.paced(f regprocedure, arg oid, pace bigint, skip int, length int,
                            OUT calls bigint, OUT ns float8, OUT ns_all float8, OUT ns_short float8, OUT longest float8)
  AS 'atid_bench', 'bench_paced' LANGUAGE C VOLATILE STRICT;

-- CPU time of this backend, in seconds
CREATE FUNCTION bench.cpu_time() RETURNS float8
  AS 'atid_bench', 'bench_cpu_time' LANGUAGE C VOLATILE STRICT;

CREATE FUNCTION bench.pin(cpu int) RETURNS void
  AS 'atid_bench', 'bench_pin' LANGUAGE C VOLATILE STRICT;

CREATE SEQUENCE bench.sequence;

-- The functions measured. To add one, add a line here, and one in report.sql if it has a target.
--   call    in a query, where `i` is the number of the row
--   f       the function; null if it is not available here
--   arg     an oid for the function that takes one, in the loop in C
--   in_c    in the loop in C too; not for functions with any other argument
--   less    the subject whose cost is subtracted: that of the call apart from the function
--   calls   the number, as a share of those of a round: less than 1 if a call is slow
--   scales  by two sessions too
--   many    by 1 to 64 sessions too
CREATE TABLE bench.subject
  (id serial, name text, call text, f regprocedure, arg oid, in_c bool, less text, calls float8, scales bool, many bool);
INSERT INTO bench.subject (name, call, f, arg, in_c, less, calls, scales, many)
  SELECT name, call, to_regprocedure(f), arg, in_c, less, calls,
         name IN ('no-op', 'clock and shared counter', 'atid.tid_generate()', 'atid.uuid_generate_v7()'),
         name IN ('atid.tid_generate()', 'atid.uuid_generate_v7()', 'nextval()', 'gen_random_uuid()', 'uuidv7()')
    FROM (VALUES
      ('no-op',                        'bench.noop()',                'bench.noop()',                0, true, NULL,    1),
      ('clock_timestamp()',            'clock_timestamp()',           'clock_timestamp()',           0, true, 'no-op', 1),
      ('atid.tid_generate()',          'atid.tid_generate()',         'atid.tid_generate()',         0, true, 'no-op', 1),
      ('atid.uuid_generate_v1()',      'atid.uuid_generate_v1()',     'atid.uuid_generate_v1()',     0, true, 'no-op', 1),
      ('atid.uuid_generate_v4()',      'atid.uuid_generate_v4()',     'atid.uuid_generate_v4()',     0, true, 'no-op', 1),
      ('atid.uuid_generate_v6()',      'atid.uuid_generate_v6()',     'atid.uuid_generate_v6()',     0, true, 'no-op', 1),
      ('atid.uuid_generate_v7()',      'atid.uuid_generate_v7()',     'atid.uuid_generate_v7()',     0, true, 'no-op', 1),
      ('clock and shared counter',     'bench.counter()',             'bench.counter()',             0, true, 'no-op', 1),
      ('nextval()',                    'nextval(''bench.sequence'')', 'nextval(regclass)',
                                                                       'bench.sequence'::regclass, true, 'no-op', 1),
      ('gen_random_uuid()',            'gen_random_uuid()',           'gen_random_uuid()',           0, true, 'no-op', 1),
      ('uuidv7()',                     'uuidv7()',                    'pg_catalog.uuidv7()',         0, true, 'no-op', 1),
      ('pg_uuidv7 uuid_generate_v7()', 'other.uuid_generate_v7()',    'other.uuid_generate_v7()',    0, true, 'no-op', 1),
      ('uuid-ossp uuid_generate_v1()', 'uuid_ossp.uuid_generate_v1()', 'uuid_ossp.uuid_generate_v1()',
                                                                                                      0, true, 'no-op', 0.1),
      ('a name of each row', '''https://example.com/'' || i', 'textanycat(text,anynonarray)',        0, false, 'no-op', 1),
      ('atid.uuid_generate_v5(), less the name',
       'atid.uuid_generate_v5(''6ba7b811-9dad-11d1-80b4-00c04fd430c8'', ''https://example.com/'' || i)',
       'atid.uuid_generate_v5(uuid,text)',                              0, false, 'a name of each row', 1),
      ('uuid-ossp uuid_generate_v5(), less the name',
       'uuid_ossp.uuid_generate_v5(''6ba7b811-9dad-11d1-80b4-00c04fd430c8'', ''https://example.com/'' || i)',
       'uuid_ossp.uuid_generate_v5(uuid,text)',                         0, false, 'a name of each row', 1)
    ) AS s (name, call, f, arg, in_c, less, calls);

-- All measurements: `way` is C (the loop in C), query (SELECT count(f()) FROM generate_series), or,
-- for two sessions only, insert (INSERT INTO ... SELECT f() FROM generate_series).
CREATE UNLOGGED TABLE bench.cost (name text, way text, round int, ns float8);
CREATE UNLOGGED TABLE bench.scale (name text, way text, round int, sessions int, per_second float8, busy float8);
CREATE UNLOGGED TABLE bench.throughput (name text, sessions int, round int, per_second float8);
CREATE UNLOGGED TABLE bench.steady
  (reserve text, round int, calls bigint, ns float8, ns_all float8, ns_short float8, longest float8);
CREATE UNLOGGED TABLE bench.first_call (name text, ms float8);
CREATE UNLOGGED TABLE bench.sort (name text, type text, round int, ms float8);

CREATE FUNCTION bench.query(call text, calls int) RETURNS text LANGUAGE sql
  RETURN format('SELECT count(%s) FROM generate_series(1, %s) i', call, calls);

-- A burst runs ahead of the clock, and at atid.max_drift (60 s) a draw waits: no round gets that
-- far.
CREATE PROCEDURE bench.let_the_clock_catch_up() LANGUAGE plpgsql AS $$
BEGIN
  WHILE (SELECT ahead FROM atid.generator_state()) > '25 s' LOOP
    PERFORM pg_sleep(1);
  END LOOP;
END $$;

-- The cost of a call. Each round calls each function, in another order; round 0 only warms up.
CREATE PROCEDURE bench.measure_costs(rounds int, all_calls int) LANGUAGE plpgsql AS $$
DECLARE
  s bench.subject;
  calls int;
  q text;
  ns float8;
  began timestamptz;
BEGIN
  FOR round IN 0 .. rounds LOOP
    FOR s IN SELECT * FROM bench.subject WHERE f IS NOT NULL ORDER BY random() LOOP
      calls := all_calls * s.calls;
      IF s.in_c THEN
        ns := bench.cost(s.f, s.arg, calls);
        INSERT INTO bench.cost SELECT s.name, 'C', round, ns WHERE round > 0;
      END IF;

      q := bench.query(s.call, calls);
      began := clock_timestamp();
      EXECUTE q;
      ns := extract(epoch FROM clock_timestamp() - began) * 1e9 / calls;
      INSERT INTO bench.cost SELECT s.name, 'query', round, ns WHERE round > 0;
    END LOOP;
    CALL bench.let_the_clock_catch_up();
  END LOOP;
END $$;

-- One and two sessions. A timetable defines which session draws what, and when, so that two
-- sessions draw at the same time although each only reads the clock.
CREATE UNLOGGED TABLE bench.timetable
  (id serial, round int, name text, call text, f regprocedure, way text, sessions int, begins timestamptz, ends timestamptz);

CREATE PROCEDURE bench.make_timetable(first_round int, rounds int) LANGUAGE plpgsql AS $$
DECLARE
  t record;
  -- the sessions are not connected yet
  start timestamptz := clock_timestamp() + '300 ms';
  len interval;
BEGIN
  TRUNCATE bench.timetable;
  FOR t IN
    SELECT round, s.*, way, sessions
      FROM generate_series(first_round, first_round + rounds - 1) round,
           bench.subject s, unnest('{C,query,insert}'::text[]) way, generate_series(1, 2) sessions
      WHERE s.scales AND s.f IS NOT NULL
      ORDER BY round, random()
  LOOP
    len := CASE t.way WHEN 'C' THEN '5 ms' ELSE '30 ms' END;
    INSERT INTO bench.timetable (round, name, call, f, way, sessions, begins, ends)
      VALUES (t.round, t.name, t.call, t.f, t.way, t.sessions, start, start + len);
    start := start + len + '8 ms';
  END LOOP;
END $$;

-- Session `me` (0 or 1) of the two. A single session is one of them in even rounds, the other in
-- odd rounds.
CREATE PROCEDURE bench.keep_timetable(me int, cpu int) LANGUAGE plpgsql AS $$
DECLARE
  t bench.timetable;
  q text;
  calls bigint;
  began timestamptz;
  now timestamptz;
  rate float8;
  cpu_time float8;
  rows CONSTANT int := 50000;
BEGIN
  PERFORM bench.pin(cpu);
  -- a temporary table, so that the two share only the stream that they draw from
  FOR t IN SELECT DISTINCT ON (name) * FROM bench.timetable LOOP
    EXECUTE format('CREATE TEMP TABLE sink_%s AS SELECT %s AS id', md5(t.name), t.call);
  END LOOP;
  FOR t IN SELECT DISTINCT ON (name) * FROM bench.timetable LOOP
    PERFORM bench.cost(t.f, 0, 1000);
    EXECUTE bench.query(t.call, rows);
  END LOOP;
  FOR t IN SELECT * FROM bench.timetable WHERE sessions = 2 OR round % 2 = me ORDER BY id LOOP
    PERFORM pg_sleep(extract(epoch FROM t.begins - clock_timestamp()) - 0.002);
    -- a session that is late does not draw together with the other
    CONTINUE WHEN clock_timestamp() > t.begins;
    began := clock_timestamp();
    cpu_time := bench.cpu_time();
    IF t.way = 'C' THEN
      rate := bench.rate(t.f, 0, t.begins, t.ends);
    ELSE
      q := CASE t.way WHEN 'query' THEN bench.query(t.call, rows)
        ELSE format('INSERT INTO sink_%s SELECT %s FROM generate_series(1, %s)', md5(t.name), t.call, rows) END;
      calls := 0;
      LOOP
        now := clock_timestamp();
        EXIT WHEN now >= t.begins;
      END LOOP;
      LOOP
        EXECUTE q;
        calls := calls + rows;
        EXIT WHEN clock_timestamp() >= t.ends;
      END LOOP;
      rate := calls / extract(epoch FROM clock_timestamp() - now);
    END IF;
    cpu_time := bench.cpu_time() - cpu_time;
    INSERT INTO bench.scale VALUES (t.name, t.way, t.round, t.sessions, rate,
                                    cpu_time / extract(epoch FROM clock_timestamp() - began));
    EXECUTE format('TRUNCATE sink_%s', md5(t.name));
  END LOOP;
END $$;

-- The cost of the durable horizon in steady drawing: a TID every 1.5 us, so that the stream keeps
-- to the clock, with a horizon that is raised once in the second, and with one that is not raised
-- at all. A reset begins each window with the same state: a stream at the clock and a horizon of
-- its own. The horizon is raised after a second, in the midst of the window, which begins after a
-- quarter and lasts one.
CREATE PROCEDURE bench.measure_horizon(rounds int) LANGUAGE plpgsql AS $$
DECLARE
  reserve text;
BEGIN
  PERFORM atid.tid_generate();
  FOR round IN 1 .. rounds LOOP
    FOR reserve IN SELECT unnest('{1 s,1 h,no-op}'::text[]) ORDER BY random() LOOP
      IF reserve = 'no-op' THEN
        INSERT INTO bench.steady SELECT reserve, round, p.* FROM bench.paced('bench.noop()', 0, 1500, 50, 200) p;
      ELSE
        PERFORM set_config('atid.reserve', reserve, false);
        PERFORM atid.generator_reset();
        INSERT INTO bench.steady SELECT reserve, round, p.* FROM bench.paced('atid.tid_generate()', 0, 1500, 250, 1000) p;
      END IF;
    END LOOP;
  END LOOP;
END $$;

-- Sorting: the same values in the same random order, as tid and as bigint.
CREATE UNLOGGED TABLE bench.as_bigint (v bigint);
CREATE UNLOGGED TABLE bench.as_tid (v atid.tid);

CREATE PROCEDURE bench.make_values(n int) LANGUAGE plpgsql AS $$
DECLARE
  first CONSTANT atid.tid := atid.tid_make('2024-01-01Z', 0);
BEGIN
  -- a TID every 1 to 10 us, from any clock id
  CREATE TEMP TABLE source AS
    SELECT first::bigint + (((i * 10 + floor(random() * 10))::bigint << 10) | floor(random() * 1024)::bigint) AS v
      FROM generate_series(1, n) i
      ORDER BY random();
  -- both in the same way, so that they have the same layout in memory
  INSERT INTO bench.as_tid SELECT v::atid.tid FROM source;
  INSERT INTO bench.as_bigint SELECT v FROM source;
END $$;

CREATE PROCEDURE bench.measure_sorts(rounds int, n int) LANGUAGE plpgsql AS $$
DECLARE
  t text;
  began timestamptz;
BEGIN
  FOR round IN 0 .. rounds LOOP
    FOR t IN SELECT unnest('{tid,bigint}'::text[]) ORDER BY random() LOOP
      began := clock_timestamp();
      EXECUTE format('CREATE INDEX i ON bench.as_%s (v)', t);
      INSERT INTO bench.sort
        SELECT 'CREATE INDEX', t, round, extract(epoch FROM clock_timestamp() - began) * 1e3 WHERE round > 0;
      DROP INDEX bench.i;

      -- sorts all and returns nothing
      began := clock_timestamp();
      EXECUTE format('SELECT v FROM bench.as_%s ORDER BY v OFFSET %s', t, n);
      INSERT INTO bench.sort
        SELECT 'ORDER BY', t, round, extract(epoch FROM clock_timestamp() - began) * 1e3 WHERE round > 0;
    END LOOP;
  END LOOP;
END $$;
