--
-- The generator: its identifiers, its settings, the privileges on its state
--
CREATE ROLE regress_atid;
CREATE ROLE regress_atid_monitor IN ROLE pg_monitor;
CREATE SCHEMA AUTHORIZATION regress_atid;

SET ROLE regress_atid;
SELECT atid.uuid_generate_v7() IS NOT NULL AS v7;

-- strictly rising, no two alike, in one session
CREATE TABLE drawn AS
SELECT i, atid.tid_generate() AS t, atid.rkey_generate() AS r FROM generate_series(1, 10000) i;
SELECT count(*), count(DISTINCT t), count(DISTINCT atid.tid_clock_id(t)) AS clock_ids FROM drawn;
SELECT i, lag, t, r AS not_rising
FROM (SELECT *, lag(r) OVER (ORDER BY i) FROM drawn) s
WHERE NOT (t::text COLLATE "C" > lag AND r COLLATE "C" > t::text);
SELECT max(atid.tid_timestamp(t)) BETWEEN now() - interval '1 hour' AND now() + interval '1 hour'
       AS near_now
FROM drawn;

-- evaluated for each row, and not below existing values
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

-- an ordinary role can neither see the state nor change the settings
SELECT * FROM atid.generator_state();
SELECT atid.generator_reset();
SET atid.clock_id = 1;
SET atid.reserve = 1;
SET atid.max_drift = 1;
SHOW atid.max_drift;
RESET ROLE;

SET ROLE regress_atid_monitor;
SELECT clock_id BETWEEN 0 AND 1023 AS clock_id, atid.tid_clock_id(last_tid) = clock_id AS last_tid,
       last_v7 > now() - interval '1 day' AS last_v7, ahead >= '0' AS ahead,
       durable, durable_until > atid.tid_timestamp(last_tid) AND durable_until > last_v7 AS covered,
       since <= clock_timestamp() AS since
FROM atid.generator_state();
SELECT atid.generator_reset();
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
SELECT atid.tid_clock_id(atid.tid_generate())
       = (SELECT DISTINCT atid.tid_clock_id(t) FROM regress_atid.drawn) AS random_one_again;
SET atid.clock_id = 1024;
SET atid.clock_id = -2;
\set VERBOSITY sqlstate
SET atid.max_drift = 0;                 -- the words differ by version
SET atid.reserve = 0;
SET atid.reserve = '2 h';
\set VERBOSITY default
SET atid.max_drift = '2 days';
SET atid.no_such_setting = 1;
SELECT name, setting, unit, context, min_val, max_val
FROM pg_settings WHERE name LIKE 'atid.%' ORDER BY name;

-- a burst that runs into the drift waits for the clock
SET atid.max_drift = 1;
SELECT count(atid.tid_generate()) FROM generate_series(1, 200000);
SELECT ahead < '20 ms' AS bounded FROM atid.generator_state();
RESET atid.max_drift;

-- above a TID that came from elsewhere: the stream is raised if it is not above it already
SELECT atid.tid_generate('3jzfcijpj2z2a') > max(t) AS above FROM regress_atid.drawn;
SELECT atid.tid_generate(NULL) > atid.tid_floor(now()) AS after_none;
SELECT atid.tid_ceil(clock_timestamp() + interval '20 s') AS theirs \gset
SELECT atid.tid_generate(:'theirs') AS ours \gset
SELECT :'ours'::atid.tid > :'theirs'::atid.tid AS after_theirs,
       atid.tid_timestamp(:'ours') - atid.tid_timestamp(:'theirs') AS by;
SELECT atid.tid_generate() > :'ours' AS goes_on,
       atid.tid_generate(:'theirs') > :'ours' AS after_both;
SELECT durable_until > atid.tid_timestamp(last_tid) AS covered FROM atid.generator_state();

-- not if that is further ahead of the clock than a burst may run; then the stream does not change
SELECT atid.tid_generate('bzzzzzzzzzzzz');
SELECT atid.tid_generate('jzzzzzzzzzzzz');
\set VERBOSITY sqlstate
SELECT atid.tid_generate(atid.tid_floor(clock_timestamp() + interval '70 s'));
\set VERBOSITY default
SELECT ahead < '20 s' AS not_moved FROM atid.generator_state();

-- the horizon: everyone may read it, the owner of the database may write it
SELECT has_sequence_privilege('regress_atid', 'atid.generator_horizon', 'select') AS look,
       has_sequence_privilege('regress_atid', 'atid.generator_horizon', 'update') AS write,
       has_sequence_privilege('regress_atid', 'atid.generator_horizon', 'usage') AS use;
SELECT log_cnt < 0 AS of_this_life,
       last_value > extract(epoch FROM atid.tid_timestamp(atid.tid_generate())) * 1e6 AS above
FROM atid.generator_horizon;

-- the streams are raised to a value that is set while the server runs, within a second
SELECT setval('atid.generator_horizon',
              (extract(epoch FROM now() + interval '1 hour') * 1e6)::bigint) > 0 AS set;
SELECT pg_sleep(1);
SELECT atid.tid_timestamp(atid.tid_generate()) >= now() + interval '59 min' AS tid_lifted;
SELECT atid.tid_timestamp(atid.tid_generate()) < now() + interval '61 min' AS once_only;

-- the session's own last value may be further ahead of the clock than a burst may run, because the
-- stream is there already
SELECT atid.tid_generate() AS last \gset
SELECT atid.tid_generate(:'last') > :'last' AS after_last;
SELECT ahead BETWEEN '59 min' AND '61 min' AS ahead FROM atid.generator_state();

-- a horizon of more than a day ahead: one warning
SELECT setval('atid.generator_horizon',
              (extract(epoch FROM now() + interval '2 days') * 1e6)::bigint) > 0 AS set;
SELECT pg_sleep(1);
SELECT atid.tid_generate() IS NOT NULL AS warned;
SELECT pg_sleep(1);
SELECT atid.tid_generate() IS NOT NULL AS not_warned;

-- beyond what a TID can hold: nothing is handed out, while v7 goes on
SET client_min_messages = error;
SELECT setval('atid.generator_horizon',
              (extract(epoch FROM timestamptz '2300-01-01+00') * 1e6)::bigint) > 0 AS set;
SELECT pg_sleep(1);
SELECT atid.tid_generate();
SELECT atid.uuid_generate_v7() > '0978a65f-7800-7000-8000-000000000000' AS v7_goes_on;
SELECT setval('atid.generator_horizon', 9223372036854775807) > 0 AS set;
SELECT pg_sleep(1);
SELECT atid.tid_generate();
SELECT atid.uuid_generate_v7();
RESET client_min_messages;

-- the reset brings all of it back to the clock
SELECT atid.generator_reset();
SELECT ahead = '0' AS at_the_clock, last_tid, last_v7, durable FROM atid.generator_state();
SELECT atid.tid_timestamp(atid.tid_generate()) BETWEEN now() AND now() + interval '1 min'
       AS tid_now;
SELECT ahead < '1 min' AS ahead FROM atid.generator_state();

-- a grant on all functions is not enough: a reset also needs the right to set the clock id, and the
-- state that of reading statistics
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA atid TO regress_atid;
SET ROLE regress_atid;
SELECT * FROM atid.generator_state();
SELECT atid.generator_reset();
RESET ROLE;
GRANT SET ON PARAMETER atid.max_drift, atid.reserve TO regress_atid;
SET ROLE regress_atid;
SELECT atid.generator_reset();
RESET ROLE;
GRANT SET ON PARAMETER atid.clock_id TO regress_atid;
GRANT pg_read_all_stats TO regress_atid;
SET ROLE regress_atid;
SELECT atid.generator_reset();
SELECT clock_id BETWEEN 0 AND 1023 AS clock_id FROM atid.generator_state();
RESET ROLE;
-- the right alone is not enough
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA atid FROM regress_atid;
SET ROLE regress_atid;
SELECT atid.generator_reset();
SELECT * FROM atid.generator_state();
RESET ROLE;
REVOKE SET ON PARAMETER atid.clock_id, atid.max_drift, atid.reserve FROM regress_atid;
REVOKE pg_read_all_stats FROM regress_atid;
-- a function of a superuser gives the right to whoever may call it
CREATE FUNCTION regress_atid.reset() RETURNS void LANGUAGE sql SECURITY DEFINER
AS 'SELECT atid.generator_reset()';
SET ROLE regress_atid;
SELECT regress_atid.reset();
RESET ROLE;

-- a horizon in a file that may yet be rolled back is not used
BEGIN;
ALTER SEQUENCE atid.generator_horizon CACHE 1;
SELECT atid.tid_generate();
ROLLBACK;
-- a GRANT makes no new file
BEGIN;
GRANT SELECT ON SEQUENCE atid.generator_horizon TO regress_atid;
SELECT atid.tid_generate() IS NOT NULL AS drawn;
ROLLBACK;

SET client_min_messages = warning;
DROP SCHEMA regress_atid CASCADE;
DROP ROLE regress_atid;
DROP ROLE regress_atid_monitor;
