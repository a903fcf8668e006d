-- The days of live mode. What live accounts write on a day, in UTC and by its arrival, is in two
-- tables, which inherit from record and reference: so who reads these reads them too, and a
-- database without live accounts has none. A day is dropped when all of it is older than
-- settings.keep: no row is deleted, and disk is free at once. Only the functions in this file write
-- the table day; records/write_live_records.sql writes the tables of a day.
--
-- Its bound: today, tomorrow, and those that settings.keep, of at most 7 days, leaves.

-- The privileges of one table are those of another, except its owner's.
CREATE OR REPLACE FUNCTION copy_grants(source regclass, target regclass) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE g record;
BEGIN
  FOR g IN
    SELECT a.privilege_type, a.is_grantable,
           CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END AS grantee
    FROM pg_class AS c CROSS JOIN aclexplode(c.relacl) AS a
    WHERE c.oid = source AND a.grantee <> c.relowner
  LOOP
    EXECUTE format('GRANT %s ON %s TO %s%s', g.privilege_type, target, g.grantee,
                   CASE WHEN g.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END);
  END LOOP;
END $$;

-- Gives a table the indexes of another that it does not have.
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

-- Makes the tables of today and tomorrow that are missing, with the indexes and privileges of
-- record and reference; indexes that these have got since are added to those of tomorrow, which are
-- empty. Whoever makes them holds a lock, so that shards that begin a day at once do not both make
-- it. The program's role owns no table, so this runs as the owner of the functions.
CREATE OR REPLACE FUNCTION make_days() RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = indexer, pg_temp SET client_min_messages = warning
SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off
SET enable_mergejoin = off AS $$
DECLARE
  today CONSTANT date := utc_day();
  d day;
BEGIN
  FOR d IN
    SELECT n, to_char(n, '"record_"YYYY_MM_DD'), to_char(n, '"reference_"YYYY_MM_DD')
    FROM unnest(ARRAY[today, today + 1]) AS n
  LOOP
    IF NOT EXISTS (SELECT 1 FROM day AS x WHERE x.day = d.day) THEN
      LOCK TABLE day IN EXCLUSIVE MODE;
      CONTINUE WHEN EXISTS (SELECT 1 FROM day AS x WHERE x.day = d.day);
      EXECUTE format('CREATE TABLE indexer.%I (LIKE indexer.record INCLUDING ALL) '
                     'INHERITS (indexer.record)', d.record);
      EXECUTE format('CREATE TABLE indexer.%I (LIKE indexer.reference INCLUDING ALL) '
                     'INHERITS (indexer.reference)', d.reference);
      PERFORM copy_grants('record', format('indexer.%I', d.record)::regclass),
              copy_grants('reference', format('indexer.%I', d.reference)::regclass);
      INSERT INTO day SELECT d.*;
    ELSIF d.day > today THEN
      PERFORM copy_indexes('record', format('indexer.%I', d.record)::regclass),
              copy_indexes('reference', format('indexer.%I', d.reference)::regclass);
    END IF;
  END LOOP;
END $$;

-- The tables of today.
CREATE OR REPLACE FUNCTION find_today() RETURNS day LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  today CONSTANT date := utc_day();
  d day;
BEGIN
  SELECT * INTO d FROM day AS x WHERE x.day = today;
  IF NOT FOUND THEN
    PERFORM make_days();
    SELECT * INTO d FROM day AS x WHERE x.day = today;
  END IF;
  RETURN d;
END $$;

-- Drops the oldest day, if all of it is older than settings.keep. It waits a tenth of a second for
-- those who read it; the next call tries again. Returns whether it has dropped one.
CREATE OR REPLACE FUNCTION drop_old_day() RETURNS bool LANGUAGE plpgsql SECURITY DEFINER
SET search_path = indexer, pg_temp SET lock_timeout = '100ms'
SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off
SET enable_mergejoin = off AS $$
DECLARE
  d day;
  oldest CONSTANT date :=
    ((now() - (SELECT s.keep FROM settings AS s)) AT TIME ZONE 'UTC')::date;
BEGIN
  SELECT * INTO d FROM day AS x WHERE x.day < oldest ORDER BY x.day LIMIT 1;
  IF NOT FOUND THEN RETURN false; END IF;
  EXECUTE format('DROP TABLE IF EXISTS indexer.%I, indexer.%I', d.record, d.reference);
  DELETE FROM day AS x WHERE x.day = d.day;
  RETURN true;
EXCEPTION WHEN lock_not_available THEN
  RETURN false;
END $$;
