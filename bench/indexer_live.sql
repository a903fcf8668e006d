-- Live mode for bench/indexer: the accounts that indexer_frames.sql has added are live.

DELETE FROM indexer.want WHERE what = 'account';
INSERT INTO indexer.want (what, value) VALUES ('live', '*');
SELECT FROM indexer.make_days();
-- so that a day is old at once
ALTER TABLE indexer.settings DROP CONSTRAINT settings_keep_check;

-- The tables of today.
CREATE FUNCTION bench.today(OUT records regclass, OUT refs regclass) LANGUAGE sql STABLE
RETURN (SELECT row(indexer.day_table('record', max(d.day) - 1)::regclass,
                   indexer.day_table('reference', max(d.day) - 1)::regclass) FROM indexer.day AS d);

-- What a row of a table takes, in words.
CREATE FUNCTION bench.row_size(whose regclass) RETURNS text LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
  EXECUTE format('SELECT count(*) FROM %s', whose) INTO n;
  RETURN format('%s in the table, %s in its indexes',
                pg_table_size(whose) / n, pg_indexes_size(whose) / n);
END $$;

-- A URI of another account, the nth. The names of all accounts begin with the same letter.
CREATE FUNCTION bench.uri_of_other(uri atid.at_uri, n int) RETURNS atid.at_uri
LANGUAGE sql IMMUTABLE
RETURN overlay(uri::text PLACING substr('abcdefghijklmnopqrstuvwxyz', n, 1) FROM 14)::atid.at_uri;

-- Adds the rows of today to today again, so many times, as those of other accounts. Returns its
-- records.
CREATE FUNCTION bench.multiply(times int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  d record;
  n bigint;
BEGIN
  SELECT * INTO d FROM bench.today();
  EXECUTE format(
    'INSERT INTO %1$s (uri, block, conforms) SELECT u, block, conforms '
    'FROM %1$s CROSS JOIN generate_series(1, $1) AS i CROSS JOIN bench.uri_of_other(uri, i) AS u',
    d.records) USING times;
  EXECUTE format(
    'INSERT INTO %1$s (subject, collection, path, tid, uri) '
    'SELECT subject, collection, path, tid, bench.uri_of_other(uri, i) '
    'FROM %1$s CROSS JOIN generate_series(1, $1) AS i', d.refs) USING times;
  EXECUTE format('SELECT count(*) FROM %s', d.records) INTO n;
  RETURN n;
END $$;

-- Moves what multiply(8) has made from record and reference to the tables of the four days before.
CREATE FUNCTION bench.spread() RETURNS void LANGUAGE plpgsql
SET client_min_messages = warning AS $$
DECLARE
  d date;
  name text;
  parent regclass;
BEGIN
  FOR i IN 1 .. 4 LOOP
    d := indexer.utc_day() - i;
    FOR name, parent IN SELECT * FROM indexer.day_parents() LOOP
      EXECUTE format('CREATE TABLE %s (LIKE %s INCLUDING ALL) INHERITS (%2$s)',
                     indexer.day_table(name, d), parent);
      EXECUTE format('INSERT INTO %s SELECT * FROM ONLY %s '
                     'WHERE strpos(''abcdefgh'', substr(uri::text, 14, 1)) IN ($1, $1 + 4)',
                     indexer.day_table(name, d), parent) USING i;
    END LOOP;
    INSERT INTO indexer.day VALUES (d);
  END LOOP;
  TRUNCATE ONLY indexer.packed_record, ONLY indexer.reference;
END $$;

-- Drops today, and notes how long others have to wait for it. After that, the server removes the
-- files.
CREATE FUNCTION bench.drop_today() RETURNS void LANGUAGE plpgsql AS $$
DECLARE began CONSTANT timestamptz := clock_timestamp();
BEGIN
  PERFORM indexer.drop_old_day();
  INSERT INTO bench.used VALUES (extract(epoch FROM clock_timestamp() - began) * 1e9);
END $$;

-- Deletes today as the records of an account are deleted: by URI, 5,000 in a transaction.
CREATE PROCEDURE bench.delete_today() LANGUAGE plpgsql AS $$
DECLARE
  d record;
  uris atid.at_uri[];
BEGIN
  SELECT * INTO d FROM bench.today();
  EXECUTE format('SELECT array_agg(uri ORDER BY uri) FROM %s', d.records) INTO uris;
  PERFORM set_config('enable_seqscan', 'off', false);
  FOR i IN 1 .. cardinality(uris) BY 5000 LOOP
    EXECUTE format('DELETE FROM %s WHERE uri = ANY ($1)', d.refs) USING uris[i:i + 4999];
    EXECUTE format('DELETE FROM %s WHERE uri = ANY ($1)', d.records) USING uris[i:i + 4999];
    COMMIT;
  END LOOP;
END $$;
