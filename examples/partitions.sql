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
  low atid.tid;
  high atid.tid;
  partition name;
BEGIN
  -- one session at a time, for as long as the transaction takes
  PERFORM pg_advisory_xact_lock(hashtext('maintain_archive'));

  FOR n IN 0..ahead LOOP
    month := this_month + n * interval '1 month';
    low := atid.tid_floor(month);
    high := atid.tid_floor(month + interval '1 month');
    partition := 'archive_' || to_char(month, 'YYYY_MM');
    CONTINUE WHEN to_regclass(format('%I', partition)) IS NOT NULL;
    -- Rows may have come before their partition: with these in it, archive_default would not let the partition in.
    LOCK TABLE archive_default IN ACCESS EXCLUSIVE MODE;
    EXECUTE format('CREATE TABLE %I (LIKE archive INCLUDING ALL)', partition);
    EXECUTE format('WITH early AS (DELETE FROM archive_default WHERE id >= %L AND id < %L RETURNING *)
                    INSERT INTO %I SELECT * FROM early', low, high, partition);
    EXECUTE format('ALTER TABLE archive ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', partition, low, high);
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
