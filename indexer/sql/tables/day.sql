-- The days of live mode. The records of live accounts that arrive on one day, in UTC, are in two
-- tables, which inherit from record and reference: queries of these read them too, and a database
-- without live accounts has none. A day is dropped when all of it is older than settings.keep: no
-- row is deleted, and the disk space is free at once. Only the functions in this file write the
-- table day; records/write_live_records.sql writes the tables of a day.
--
-- Its bound: today, tomorrow, and the days within settings.keep, which is at most 7 days.

-- The name of a day's table that inherits from record or reference. It depends on the day alone, so
-- the SECURITY DEFINER functions of this file never drop a table that somebody else has named.
CREATE OR REPLACE FUNCTION day_table(parent text, day date) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN format('indexer.%I', parent || to_char(day, '"_"YYYY_MM_DD'));

-- The tables from which those of a day inherit, by the beginning of their names.
CREATE OR REPLACE FUNCTION day_parents() RETURNS TABLE (name text, parent regclass)
LANGUAGE sql STABLE
SET search_path = indexer, pg_temp
BEGIN ATOMIC
  VALUES ('record', record_table()), ('reference', to_regclass('indexer.reference'));
END;

-- Grants INSERT on a table to the roles that have it on another. (SELECT, UPDATE and DELETE go
-- through record and reference, whose own privileges and policies apply.)
CREATE OR REPLACE FUNCTION copy_insert_grants(source regclass, target regclass) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE grantee text;
BEGIN
  FOR grantee IN
    SELECT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END
    FROM pg_class AS c CROSS JOIN aclexplode(c.relacl) AS a
    WHERE c.oid = source AND a.grantee <> c.relowner AND a.privilege_type = 'INSERT'
  LOOP
    EXECUTE format('GRANT INSERT ON %s TO %s', target, grantee);
  END LOOP;
END $$;

-- Creates on a table the indexes of another that it lacks.
CREATE OR REPLACE FUNCTION copy_indexes(source regclass, target regclass) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE one text;
BEGIN
  FOR one IN
    SELECT i.definition
    FROM pg_index AS x
         CROSS JOIN substring(pg_get_indexdef(x.indexrelid) FROM ' USING .*') AS i (definition)
    WHERE x.indrelid = source AND x.indisvalid AND NOT x.indisunique
    EXCEPT
    SELECT substring(pg_get_indexdef(x.indexrelid) FROM ' USING .*') FROM pg_index AS x
    WHERE x.indrelid = target
  LOOP
    EXECUTE format('CREATE INDEX ON %s%s', target, one);
  END LOOP;
END $$;

-- Creates the missing tables of today and tomorrow, with the indexes of record and reference, and
-- the right to add rows. Indexes that record and reference have got since are added to the tables
-- of tomorrow, which are empty. A lock keeps two shards that begin a day together from both
-- creating it. The program's role owns no table, so this runs as the owner of the functions.
CREATE OR REPLACE FUNCTION make_days() RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = indexer, pg_temp SET client_min_messages = warning SET lock_timeout = '5s'
SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off
SET enable_mergejoin = off AS $$
DECLARE
  today CONSTANT date := utc_day();
  d date;
  name text;
  parent regclass;
BEGIN
  FOREACH d IN ARRAY ARRAY[today, today + 1] LOOP
    IF NOT EXISTS (SELECT 1 FROM day AS x WHERE x.day = d) THEN
      LOCK TABLE day IN EXCLUSIVE MODE;
      CONTINUE WHEN EXISTS (SELECT 1 FROM day AS x WHERE x.day = d);
      FOR name, parent IN SELECT * FROM day_parents() LOOP
        EXECUTE format('CREATE TABLE %s (LIKE %s INCLUDING ALL) INHERITS (%2$s)',
                       day_table(name, d), parent);
        PERFORM copy_insert_grants(parent, day_table(name, d)::regclass);
      END LOOP;
      INSERT INTO day VALUES (d);
    ELSIF d > today THEN
      FOR name, parent IN SELECT * FROM day_parents() LOOP
        PERFORM copy_indexes(parent, day_table(name, d)::regclass);
      END LOOP;
    END IF;
  END LOOP;
END $$;

-- Returns today's date, and creates the tables of today if that was not done yesterday.
CREATE OR REPLACE FUNCTION find_today() RETURNS date LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM day AS x WHERE x.day = utc_day()) THEN
    PERFORM make_days();
  END IF;
  RETURN utc_day();
END $$;

-- Locks both tables of a day, if nobody reads them for longer than lock_timeout. It does not have
-- one of them while it waits for the other: a query that reads them in the other order would wait,
-- too, and the server might end it. Two attempts, as the queries may have either order.
CREATE OR REPLACE FUNCTION lock_day(d date) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  one CONSTANT text := day_table('record', d);
  other CONSTANT text := day_table('reference', d);
BEGIN
  BEGIN
    EXECUTE format('LOCK TABLE ONLY %s', one);
    EXECUTE format('LOCK TABLE ONLY %s NOWAIT', other);
  EXCEPTION WHEN lock_not_available THEN
    EXECUTE format('LOCK TABLE ONLY %s', other);
    EXECUTE format('LOCK TABLE ONLY %s NOWAIT', one);
  END;
EXCEPTION WHEN undefined_table THEN
  NULL;  -- somebody has dropped one of them
END $$;

-- Drops the oldest day, if all of it is older than settings.keep. If an object of the operator
-- depends on one of its tables, such as a view, both tables are emptied, no longer inherit, and are
-- left to the operator. Returns whether the day is gone. As others wait behind it, it waits for
-- readers of the day only briefly, and longer the longer the day is overdue; the next call tries
-- again.
CREATE OR REPLACE FUNCTION drop_old_day() RETURNS bool LANGUAGE plpgsql SECURITY DEFINER
SET search_path = indexer, pg_temp SET lock_timeout = '100ms'
SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off
SET enable_mergejoin = off AS $$
DECLARE
  d date;
  dependents text;
  due CONSTANT timestamptz := add_interval(now(), -(SELECT s.keep FROM settings AS s));
BEGIN
  SELECT x.day INTO d FROM day AS x WHERE x.day < utc_day(due) ORDER BY x.day LIMIT 1;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM set_config('lock_timeout', CASE
    WHEN utc_day(add_interval(due, -interval '6 h')) > d THEN '5s'
    WHEN utc_day(add_interval(due, -interval '1 h')) > d THEN '1s'
    ELSE '100ms' END, true);
  PERFORM lock_day(d);
  EXECUTE format('DROP TABLE IF EXISTS %s, %s', day_table('reference', d), day_table('record', d));
  DELETE FROM day AS x WHERE x.day = d;
  RETURN true;
EXCEPTION
  WHEN lock_not_available OR deadlock_detected THEN
    RETURN false;
  WHEN dependent_objects_still_exist THEN
    GET STACKED DIAGNOSTICS dependents = PG_EXCEPTION_DETAIL;
    RETURN abandon_day(d, dependents);
END $$;

-- Empties the tables of a day on which something depends, and cuts them off from record and
-- reference. Returns whether it could.
CREATE OR REPLACE FUNCTION abandon_day(d date, dependents text) RETURNS bool LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  PERFORM lock_day(d);
  BEGIN
    EXECUTE format('TRUNCATE ONLY %s, ONLY %s', day_table('reference', d), day_table('record', d));
  EXCEPTION WHEN feature_not_supported THEN
    NULL;  -- a foreign key refers to one of them
  END;
  EXECUTE format('ALTER TABLE %s NO INHERIT reference', day_table('reference', d));
  EXECUTE format('ALTER TABLE %s NO INHERIT %s', day_table('record', d), record_table());
  DELETE FROM day AS x WHERE x.day = d;
  RAISE WARNING 'the tables of % cannot be dropped, and are no longer part of record', d
  USING DETAIL = dependents, HINT = 'Drop what depends on them, then drop them.';
  RETURN true;
EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
  RETURN false;
END $$;

-- They run as their owner: whoever the owner has not named is not to have them run.
REVOKE EXECUTE ON FUNCTION make_days(), drop_old_day() FROM PUBLIC;
