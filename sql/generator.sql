--
-- The generator: what it hands out, its settings, who may see its state
--
CREATE ROLE regress_atid;
CREATE ROLE regress_atid_monitor IN ROLE pg_monitor;
CREATE SCHEMA AUTHORIZATION regress_atid;

SET ROLE regress_atid;

-- strictly rising, no two alike, in one session
CREATE TABLE drawn AS
SELECT i, atid.tid_generate() AS t, atid.rkey_generate() AS r FROM generate_series(1, 10000) i;
SELECT count(*), count(DISTINCT t), count(DISTINCT atid.tid_clock_id(t)) AS clock_ids FROM drawn;
SELECT bool_and(t > lag_t) AS tids_rise, bool_and(r COLLATE "C" > t::text) AS text_rises
FROM (SELECT *, lag(t) OVER (ORDER BY i) AS lag_t FROM drawn) s;
SELECT max(atid.tid_timestamp(t)) BETWEEN now() - interval '1 hour' AND now() + interval '1 hour' AS near_now FROM drawn;

-- not evaluated once for a query, not in the past of what is there
SELECT count(DISTINCT atid.tid_generate()) FROM generate_series(1, 3);
SELECT atid.tid_generate() > max(t) AS above FROM drawn;

-- in a read-only transaction, and in a subtransaction that is rolled back
BEGIN READ ONLY;
SELECT atid.tid_generate() > max(t) AS read_only FROM drawn;
COMMIT;
BEGIN;
SELECT atid.tid_generate() AS first \gset
SAVEPOINT s;
SELECT atid.tid_generate() AS second \gset
ROLLBACK TO s;
SELECT atid.tid_generate() > :'second' AND :'second'::atid.tid > :'first' AS goes_on;
ROLLBACK;

-- an ordinary role sees neither the state nor the settings' handles
SELECT * FROM atid.generator_state();
SET atid.clock_id = 1;
SET atid.max_drift = 1;
SHOW atid.max_drift;
RESET ROLE;

SET ROLE regress_atid_monitor;
SELECT clock_id BETWEEN 0 AND 1023 AS clock_id, atid.tid_clock_id(last_tid) = clock_id AS last_tid,
       last_v7 IS NULL OR last_v7 > now() - interval '1 day' AS last_v7, ahead >= '0' AS ahead,
       since <= clock_timestamp() AS since
FROM atid.generator_state();
RESET ROLE;

-- the clock id: as set, at once; random when not
SET atid.clock_id = 777;
SELECT atid.tid_clock_id(atid.tid_generate()), atid.tid_clock_id(atid.rkey_generate()::atid.tid);
SELECT clock_id FROM atid.generator_state();
SET atid.clock_id = 0;
SELECT atid.tid_clock_id(atid.tid_generate());
SET atid.clock_id = 1023;
SELECT atid.tid_clock_id(atid.tid_generate());
RESET atid.clock_id;
SELECT atid.tid_clock_id(atid.tid_generate()) = (SELECT DISTINCT atid.tid_clock_id(t) FROM regress_atid.drawn) AS random_one_again;
SET atid.clock_id = 1024;
SET atid.clock_id = -2;
\set VERBOSITY sqlstate
SET atid.max_drift = 0;                 -- the words differ by version
\set VERBOSITY default
SET atid.max_drift = '2 days';
SET atid.no_such_setting = 1;
SELECT name, setting, unit, context, min_val, max_val FROM pg_settings WHERE name LIKE 'atid.%' ORDER BY name;

-- a burst that runs into the drift waits for the clock
SET atid.max_drift = 1;
SELECT count(atid.tid_generate()) FROM generate_series(1, 20000);
SELECT ahead <= '1 ms' AS bounded FROM atid.generator_state();
RESET atid.max_drift;

SET client_min_messages = warning;
DROP SCHEMA regress_atid CASCADE;
DROP ROLE regress_atid;
DROP ROLE regress_atid_monitor;
