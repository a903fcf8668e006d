-- A table partitioned by TIDs, a month for each partition, and a procedure that makes and drops them. doc/partitions.md
-- tells how to call it. Write the names of your own table and columns.
--
--   psql -v ON_ERROR_STOP=1 -f examples/partitions.sql

CREATE TABLE archive (
  id   atid.tid PRIMARY KEY DEFAULT atid.tid_generate(),
  body text
) PARTITION BY RANGE (id);
CREATE TABLE archive_default PARTITION OF archive DEFAULT;

-- Makes the partitions of this month and of the months ahead, and drops those whose months ended more than keep ago.
CREATE PROCEDURE maintain_archive(ahead int, keep interval, now timestamptz DEFAULT now())
LANGUAGE plpgsql SET timezone = 'UTC' AS $$
DECLARE
  this_month timestamptz := date_trunc('month', now);
  month timestamptz;
  partition name;
BEGIN
  -- one session at a time, for as long as the transaction takes
  PERFORM pg_advisory_xact_lock(hashtext('maintain_archive'));

  FOR n IN 0..ahead LOOP
    month := this_month + n * interval '1 month';
    EXECUTE format('CREATE TABLE IF NOT EXISTS %I PARTITION OF archive FOR VALUES FROM (%L) TO (%L)',
                   'archive_' || to_char(month, 'YYYY_MM'),
                   atid.tid_floor(month), atid.tid_floor(month + interval '1 month'));
  END LOOP;

  FOR partition IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'archive'::regclass AND c.relname ~ '^archive_\d{4}_\d\d$'
      AND to_timestamp(right(c.relname, 7), 'YYYY_MM') + interval '1 month' <= now - keep
    ORDER BY 1
  LOOP
    EXECUTE format('DROP TABLE %I', partition);
    RAISE NOTICE 'dropped %', partition;
  END LOOP;
END $$;
