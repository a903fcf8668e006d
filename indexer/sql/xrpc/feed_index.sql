-- An index for one feed, which is a view over one table. It has only the rows of the view, in the
-- order of the pages, so that a page reads only the rows that it returns.
--
-- The planner can express a view in terms of its table: EXPLAIN shows the columns and the condition
-- over the table, whatever views lie between. An empty copy of the table shows which parts an index
-- can have; the rest, such as NOT hidden, is then checked in the rows that the index finds.

-- The parts of a condition, as EXPLAIN shows it, between its outermost ANDs.
CREATE OR REPLACE FUNCTION condition_parts(condition text) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  found text[] := '{}';
  piece text;
  part text := '';
  quote text := '';
  depth int := 0;
  has_around bool := false;  -- one pair of brackets encloses all of it
BEGIN
  FOR piece IN SELECT m[1] FROM regexp_matches(condition, '( AND |[()''"]|[^ ()''"]+| )', 'g') AS m
  LOOP
    has_around := CASE WHEN part = '' THEN piece = '(' ELSE has_around AND depth > 0 END;
    IF quote <> '' THEN
      quote := CASE WHEN piece = quote THEN '' ELSE quote END;
    ELSIF piece IN ('''', '"') THEN
      quote := piece;
    ELSIF piece = '(' THEN
      depth := depth + 1;
    ELSIF piece = ')' THEN
      depth := depth - 1;
    ELSIF piece = ' AND ' AND depth = 0 THEN
      found := array_append(found, part);
      part := '';
      CONTINUE;
    END IF;
    part := part || piece;
  END LOOP;
  IF found = '{}' AND has_around THEN
    found := indexer.condition_parts(substr(part, 2, length(part) - 2));
    RETURN CASE WHEN cardinality(found) > 1 THEN found ELSE ARRAY[part] END;
  END IF;
  RETURN array_append(found, part);
END $$;

-- The scan, among these, of a table from which all others inherit; NULL if there is none.
CREATE OR REPLACE FUNCTION only_parent_scan(scans jsonb) RETURNS jsonb
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
RETURN (
  SELECT CASE WHEN count(*) FILTER (
                     WHERE n > 1 AND NOT EXISTS (
                       SELECT 1 FROM pg_inherits AS i
                       WHERE i.inhrelid = s.scanned AND i.inhparent = s.first)) = 0
                   AND bool_and(s.scan->>'Node Type' = 'Seq Scan')
           THEN scans->0 END
  FROM (SELECT x.scan, x.n,
               to_regclass(format('%I.%I', x.scan->>'Schema', x.scan->>'Relation Name')) AS scanned,
               to_regclass(format('%I.%I', scans->0->>'Schema',
                                  scans->0->>'Relation Name')) AS first
        FROM jsonb_array_elements(scans) WITH ORDINALITY AS x (scan, n)) AS s);

-- The scan of a plan that reads only one table, and those that inherit from it; NULL if it reads
-- others. Its output is that of the plan.
CREATE OR REPLACE FUNCTION only_scan(plan jsonb) RETURNS jsonb
LANGUAGE plpgsql STABLE STRICT SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  node jsonb := plan;
  below jsonb;
BEGIN
  LOOP
    IF node->>'Node Type' = 'Seq Scan' THEN
      RETURN jsonb_set(node, '{Output}', plan->'Output');
    END IF;
    IF node = plan AND node->>'Node Type' = 'Append' THEN
      RETURN indexer.only_parent_scan(node->'Plans');
    END IF;
    below := jsonb_path_query_array(node, '$.Plans[*] ? (@."Parent Relationship" == "Outer")');
    IF node->>'Node Type' <> 'Result' OR jsonb_array_length(below) <> 1 THEN RETURN NULL; END IF;
    node := below->0;
  END LOOP;
END $$;

-- The definition of an index, tried on a copy of the table, which has the table's alias. Returns
-- the part after the name of the table, or NULL if an index cannot have the columns of the feed.
CREATE OR REPLACE FUNCTION index_over_copy(source regclass, alias text, at text, post text,
                                           condition text) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET client_min_messages = warning AS $$
DECLARE
  part text;
  kept text[] := '{}';
  definition text;
BEGIN
  EXECUTE format('CREATE TEMP TABLE %I (LIKE %s)', alias, source);
  FOREACH part IN ARRAY coalesce(indexer.condition_parts(condition), '{}') LOOP
    BEGIN
      EXECUTE format('CREATE INDEX ON pg_temp.%I ((1)) WHERE %s', alias, part);
      kept := array_append(kept, format('(%s)', part));
    EXCEPTION WHEN invalid_object_definition OR feature_not_supported OR syntax_error
      OR undefined_parameter THEN
      NULL; -- it is not immutable, or reads another table
    END;
  END LOOP;
  EXECUTE format('CREATE INDEX feed_index_over_copy ON pg_temp.%I ((%s), (%s))%s', alias, at, post,
                 coalesce(' WHERE ' || nullif(array_to_string(kept, ' AND '), ''), ''));
  definition := substring(pg_get_indexdef('pg_temp.feed_index_over_copy'::regclass)
                          FROM ' (USING btree .*)$');
  EXECUTE format('DROP TABLE pg_temp.%I', alias);
  RETURN definition;
EXCEPTION WHEN invalid_object_definition OR feature_not_supported OR syntax_error THEN
  RETURN NULL;
END $$;

-- The index that a feed can have, or why it can have none.
CREATE OR REPLACE FUNCTION feed_index_of(feed text, OUT source regclass, OUT definition text,
                                         OUT problem text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET enable_indexscan = off
SET enable_indexonlyscan = off SET enable_bitmapscan = off SET max_parallel_workers_per_gather = 0
AS $$
DECLARE
  one record;
  plan jsonb;
  scan jsonb;
BEGIN
  SELECT * INTO one FROM xrpc.feeds() AS f WHERE f.name = feed;
  problem := CASE WHEN one.name IS NULL THEN 'There is no such feed.'
                  WHEN one.problem IS NOT NULL THEN 'It cannot be served: ' || one.problem || '.'
                  WHEN one.columns IS NULL THEN 'It is a function.'
                  WHEN indexer.other_owner(feed) IS NOT NULL
                  THEN format('It belongs to the role %I, which must run this command.',
                              indexer.other_owner(feed)) END;
  IF problem IS NOT NULL THEN RETURN; END IF;
  EXECUTE format('EXPLAIN (VERBOSE, COSTS OFF, FORMAT JSON) SELECT f.at, f.post FROM feed.%I AS f',
                 feed) INTO plan;
  plan := plan #> '{0,Plan}';
  scan := indexer.only_scan(plan);
  IF scan IS NULL THEN
    problem := 'It reads several tables: make_view_index() makes the indexes that it needs.';
    RETURN;
  END IF;
  source := format('%I.%I', scan->>'Schema', scan->>'Relation Name')::regclass;
  definition := indexer.index_over_copy(source, scan->>'Alias', scan #>> '{Output,0}',
                                        scan #>> '{Output,1}', scan->>'Filter');
  IF definition IS NULL THEN
    problem := 'Its columns post and at are not immutable expressions over the table.';
  END IF;
END $$;

-- The indexes that feed_index_commands has made for a feed.
CREATE OR REPLACE FUNCTION feed_indexes(feed text) RETURNS SETOF regclass LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $$
  SELECT x.indexrelid::regclass FROM pg_index AS x
  WHERE obj_description(x.indexrelid, 'pg_class') = 'the index of feed ' || feed
$$;

-- The commands that give a feed its index without blocking writers, and drop an earlier one. There
-- are none if the index exists.
CREATE OR REPLACE FUNCTION feed_index_commands(feed text) RETURNS SETOF text LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  its record;
  name text;
  space text;
  old regclass;
BEGIN
  its := indexer.feed_index_of(feed);
  IF its.problem IS NOT NULL THEN
    RAISE wrong_object_type USING MESSAGE = format('feed %I cannot have an index', feed),
      DETAIL = its.problem;
  END IF;
  name := left('feed_' || feed, 54) || '_' || left(md5(its.source::text || its.definition), 8);
  SELECT c.relnamespace::regnamespace::text INTO space FROM pg_class AS c WHERE c.oid = its.source;
  old := to_regclass(format('%s.%I', space, name));
  IF old IS NULL OR NOT (SELECT x.indisvalid FROM pg_index AS x WHERE x.indexrelid = old) THEN
    IF old IS NOT NULL THEN  -- an attempt that has failed
      RETURN NEXT format('DROP INDEX CONCURRENTLY %s', old);
    END IF;
    RETURN NEXT format('CREATE INDEX CONCURRENTLY %I ON %s %s', name, its.source, its.definition);
  END IF;
  -- the existing days of live mode; later days are created with it
  RETURN QUERY
  SELECT format('CREATE INDEX CONCURRENTLY ON %s %s', i.inhrelid::regclass, its.definition)
  FROM pg_inherits AS i
  WHERE i.inhparent = its.source AND NOT EXISTS (
    SELECT 1 FROM pg_index AS x
    WHERE x.indrelid = i.inhrelid AND x.indisvalid
      AND strpos(pg_get_indexdef(x.indexrelid), its.definition) > 0);
  RETURN NEXT format('COMMENT ON INDEX %s.%I IS %L', space, name, 'the index of feed ' || feed);
  RETURN NEXT format('ANALYZE %s', its.source);
  FOR old IN SELECT i FROM indexer.feed_indexes(feed) AS i LOOP
    CONTINUE WHEN old IS NOT DISTINCT FROM to_regclass(format('%s.%I', space, name));
    RETURN NEXT format('DROP INDEX CONCURRENTLY %s', old);
  END LOOP;
END $$;
