-- Indexes of the source for queries of a view.

-- The name of an index that an operator creates with index_commands: it depends on the definition.
CREATE OR REPLACE FUNCTION view_index_name(label text, whole text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN left(label, 54) || '_' || left(md5(whole), 8);

-- Is the index of this name in view_index a b-tree? A name without an index is not.
CREATE OR REPLACE FUNCTION is_btree(index text) RETURNS bool LANGUAGE sql STABLE
RETURN EXISTS (SELECT 1 FROM pg_class AS c JOIN pg_am AS m ON m.oid = c.relam
               WHERE c.oid = to_regclass(index) AND m.amname = 'btree');

-- The row of view_type of a view of records.
CREATE OR REPLACE FUNCTION resolve_view_type(of regclass) RETURNS view_type LANGUAGE plpgsql STABLE
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE this view_type;
BEGIN
  SELECT * INTO this FROM view_type AS t WHERE t.view = of AND t.nsid IS NOT NULL;
  IF NOT FOUND THEN
    RAISE undefined_table USING MESSAGE = format('%s is not a view of make_views', of);
  END IF;
  RETURN this;
END $$;

-- Creates the statistics by which the planner knows how many of the source's records a view has.
CREATE OR REPLACE FUNCTION create_source_statistics(source regclass) RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  label CONSTANT name NOT NULL := (
    SELECT left(relname, 40) || '_collection_stats' FROM pg_class WHERE oid = source);
  space CONSTANT regnamespace NOT NULL := (SELECT relnamespace FROM pg_class WHERE oid = source);
BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_statistic_ext WHERE stxname = label AND stxnamespace = space) THEN
    EXECUTE format('CREATE STATISTICS %s.%I ON (atid.at_uri_collection(uri)) FROM %s',
                   space, label, view_full_name(source));
  END IF;
END $$;

-- The valid index of the source with this definition, which another view or an operator has
-- created.
CREATE OR REPLACE FUNCTION find_view_index(source regclass, label text, whole text) RETURNS regclass
LANGUAGE plpgsql STABLE
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  space CONSTANT regnamespace NOT NULL := (SELECT relnamespace FROM pg_class WHERE oid = source);
  found_index regclass;
BEGIN
  SELECT x.indexrelid INTO found_index
  FROM view_index AS i JOIN pg_index AS x ON x.indexrelid = to_regclass(i.index)
  WHERE i.definition = whole AND x.indrelid = source AND x.indisvalid LIMIT 1;
  IF NOT FOUND THEN
    SELECT x.indexrelid INTO found_index FROM pg_index AS x
    WHERE x.indexrelid = to_regclass(format('%s.%I', space, view_index_name(label, whole)))
      AND x.indrelid = source AND x.indisvalid;
  END IF;
  RETURN found_index;
END $$;

-- Creates an index under a free name.
CREATE OR REPLACE FUNCTION create_view_index(source regclass, label text, whole text)
RETURNS regclass LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  space CONSTANT regnamespace NOT NULL := (SELECT relnamespace FROM pg_class WHERE oid = source);
  free CONSTANT text NOT NULL := (
    SELECT n FROM numbered_names(label) AS n
    WHERE to_regclass(format('%s.%I', space, n)) IS NULL LIMIT 1);
BEGIN
  EXECUTE format('CREATE INDEX %I ON %s', free, whole);
  RETURN format('%s.%I', space, free)::regclass;
END $$;

-- Creates an index with this definition unless there is one, and drops the one that it replaces.
-- Views over one source share it.
CREATE OR REPLACE FUNCTION store_view_index(
  of regclass, wanted name[], is_search bool, label text, definition text, config text
) RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  source CONSTANT regclass NOT NULL := (SELECT t.source FROM view_type AS t WHERE t.view = of);
  whole CONSTANT text NOT NULL := format('%s %s', view_full_name(source), definition);
  old view_index;
  stored regclass;
BEGIN
  PERFORM create_source_statistics(source);
  IF EXISTS (
    SELECT 1 FROM view_index AS i JOIN pg_index AS x ON x.indexrelid = to_regclass(i.index)
    WHERE i.view = of AND i.search = is_search AND i.columns = wanted AND i.definition = whole
      AND x.indrelid = source AND x.indisvalid)
  THEN
    RETURN;
  END IF;
  FOR old IN DELETE FROM view_index AS i WHERE i.view = of AND i.search = is_search
               AND (is_search OR i.columns = wanted) RETURNING * LOOP
    PERFORM drop_view_index(to_regclass(old.index));
  END LOOP;
  stored := find_view_index(source, label, whole);
  IF stored IS NULL THEN
    stored := create_view_index(source, label, whole);
  END IF;
  INSERT INTO view_index VALUES (of, wanted, is_search, view_full_name(stored), whole, config);
END $$;

-- The commands that create an index without blocking writers. They set the search_path, because
-- others may have created functions with the names that the index uses in a schema of the session's
-- search_path.
CREATE OR REPLACE FUNCTION index_commands(of regclass, label text, definition text)
RETURNS SETOF text LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  source CONSTANT regclass NOT NULL := (SELECT t.source FROM view_type AS t WHERE t.view = of);
  space CONSTANT regnamespace NOT NULL := (SELECT relnamespace FROM pg_class WHERE oid = source);
  whole CONSTANT text NOT NULL := format('%s %s', view_full_name(source), definition);
  called CONSTANT text NOT NULL := view_index_name(label, whole);
  is_valid bool;
BEGIN
  SELECT bool_or(x.indisvalid) INTO is_valid FROM pg_index AS x
  WHERE x.indrelid = source
    AND (x.indexrelid = to_regclass(format('%s.%I', space, called))
         OR x.indexrelid IN (SELECT to_regclass(i.index) FROM view_index AS i
                             WHERE i.definition = whole));
  IF is_valid THEN RETURN; END IF;
  RETURN NEXT 'SET search_path = pg_catalog, pg_temp';
  IF NOT is_valid THEN  -- an attempt that has failed
    RETURN NEXT format('DROP INDEX CONCURRENTLY IF EXISTS %s.%I', space, called);
  END IF;
  RETURN NEXT format('CREATE INDEX CONCURRENTLY %I ON %s', called, whole);
  RETURN NEXT 'RESET search_path';
END $$;

-- The kind of index that can hold these columns. Text without a bound gets a hash index, which
-- takes any length and finds equal values; jsonb gets one that finds what it contains.
CREATE OR REPLACE FUNCTION view_index_method(of regclass, wanted name[]) RETURNS text
LANGUAGE plpgsql STABLE
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  total bigint;
  loose name;
BEGIN
  SELECT sum(c.most + 8),
         min(c.name) FILTER (WHERE c.most IS NULL OR c.type = 'text' AND c.most > 1000)
  INTO total, loose
  FROM unnest(wanted) AS w (name) JOIN view_column AS c ON c.view = of AND c.name = w.name;
  IF loose IS NULL AND total > 2640 THEN
    RAISE program_limit_exceeded USING
      MESSAGE = format('an index on these columns of %s could have entries of %s bytes', of, total),
      DETAIL = 'An entry can have at most 2640 bytes, so that no record is refused.',
      HINT = 'Use fewer columns.';
  ELSIF loose IS NULL THEN
    RETURN 'btree';
  ELSIF cardinality(wanted) > 1 THEN
    RAISE program_limit_exceeded USING
      MESSAGE = format('column %I of %s can only have an index of its own', loose, of),
      DETAIL = 'Its Lexicon sets no bound of at most 1000 bytes, '
               'which an index on several columns needs.';
  END IF;
  RETURN (SELECT CASE c.type WHEN 'jsonb' THEN 'gin' ELSE 'hash' END FROM view_column AS c
          WHERE c.view = of AND c.name = loose);
END $$;

-- The definition of an index on these columns of a view, in this order; packed: over the table
-- packed_record, though the source is still the plain table.
CREATE OR REPLACE FUNCTION view_index_definition(this view_type, columns name[], packed bool)
RETURNS text LANGUAGE sql STABLE
SET search_path FROM CURRENT AS $$
  SELECT format('USING %s (%s%s) WHERE %s', method,
                string_agg(format('(%s)', CASE WHEN packed AND c.expression IN ('did', 'cid')
                                            THEN packed_expression(c.expression)
                                            ELSE c.expression END), ', ' ORDER BY w.n),
                CASE method WHEN 'gin' THEN ' jsonb_path_ops' ELSE '' END, this.condition)
  FROM view_index_method(this.view, columns) AS method
       CROSS JOIN unnest(columns) WITH ORDINALITY AS w (name, n)
       JOIN view_column AS c ON c.view = this.view AND c.name = w.name
  GROUP BY method
$$;

-- An index for queries of a view by these columns, in this order.
CREATE OR REPLACE FUNCTION plan_view_index(
  view regclass, columns name[], OUT of regclass, OUT label text, OUT definition text
) LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  this CONSTANT view_type NOT NULL := resolve_view_type(view);
  missing name;
BEGIN
  SELECT w.name INTO missing FROM unnest(columns) AS w (name)
  WHERE NOT EXISTS (SELECT 1 FROM view_column AS c
                    WHERE c.view = this.view AND c.name = w.name
                      AND c.kind IN ('own', 'property')) LIMIT 1;
  IF FOUND THEN
    RAISE undefined_column USING
      MESSAGE = format('view %s has no column %I that can be indexed', view, missing);
  END IF;
  of := this.view;
  label := view_name(ARRAY[this.nsid] || columns::text[]);
  definition := view_index_definition(this, columns, packed => false);
END $$;

-- Creates an index, which blocks writers meanwhile. To avoid that, run the commands that
-- view_index_commands returns, outside a transaction, in psql by \gexec, and then call
-- make_view_index, which uses the existing index.
CREATE OR REPLACE FUNCTION make_view_index(view regclass, VARIADIC columns name[]) RETURNS void
LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE i record;
BEGIN
  i := plan_view_index(view, columns);
  PERFORM store_view_index(i.of, columns, false, i.label, i.definition, NULL);
  PERFORM write_view_comment(i.of);
  PERFORM pg_notify('postgraphile_watch', '{"type":"manual"}');
END $$;

CREATE OR REPLACE FUNCTION view_index_commands(view regclass, VARIADIC columns name[])
RETURNS SETOF text LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN QUERY SELECT c.* FROM plan_view_index(view, columns) AS i,
                              index_commands(i.of, i.label, i.definition) AS c;
END $$;
