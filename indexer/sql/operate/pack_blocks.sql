-- The steps of "atid-indexer pack" that are not those of examples/migrate.sql. A database of an
-- earlier release gets the forms of a new one: first columns get their new types, in record and
-- reference; then the table record becomes packed_record (tables/record.sql).

-- The columns of a table, record or reference, whose types are not packed, and the packed ones that
-- the extension has.
CREATE OR REPLACE FUNCTION list_plain_columns(which text) RETURNS jsonb LANGUAGE sql STABLE
SET search_path = indexer, pg_temp SET jit = off
RETURN (
  SELECT coalesce(jsonb_object_agg(n.name, n.type), '{}')
  FROM (VALUES ('record', 'block', 'atid.block'), ('reference', 'collection', 'atid.symbol'),
               ('reference', 'path', 'atid.symbol')) AS n (relation, name, type)
       JOIN pg_attribute AS a ON a.attname = n.name AND a.attrelid = CASE n.relation
         WHEN 'record' THEN record_table() ELSE to_regclass('indexer.reference') END
  WHERE n.relation = which AND a.atttypid <> to_regtype(n.type));

-- The columns of the table that an index has, or needs in an expression.
CREATE OR REPLACE FUNCTION index_columns(index oid) RETURNS name[] LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp SET jit = off
RETURN (
  SELECT array_agg(a.attname)
  FROM pg_index AS x JOIN pg_attribute AS a ON a.attrelid = x.indrelid
  WHERE x.indexrelid = index
    AND (a.attnum = ANY (x.indkey)
         OR EXISTS (SELECT 1 FROM pg_depend AS d
                    WHERE d.classid = 'pg_class'::regclass AND d.objid = x.indexrelid
                      AND d.refobjid = a.attrelid AND d.refobjsubid = a.attnum)));

-- The columns of a table, record or reference, that packing is yet to drop or replace.
CREATE OR REPLACE FUNCTION list_replaced_columns(which text) RETURNS name[] LANGUAGE sql STABLE
SET search_path = indexer, pg_temp SET jit = off
RETURN CASE which WHEN 'record' THEN '{did,cid}'::name[] ELSE '{}' END
       || ARRAY(SELECT jsonb_object_keys(list_plain_columns(which))::name);

-- What the operator has created on these columns, and would be lost with them, except for indexes:
-- constraints of the table, and its statistics. Keys of columns that are replaced are built again.
CREATE OR REPLACE FUNCTION list_rules_of(which regclass, columns name[]) RETURNS SETOF text
LANGUAGE sql STABLE
SET search_path = indexer, pg_temp SET jit = off AS $$
  SELECT format('constraint %I', c.conname) FROM pg_constraint AS c
  WHERE c.conrelid = which
    AND CASE c.contype
      WHEN 'u' THEN index_columns(c.conindid) && '{did,cid}'
      WHEN 'x' THEN index_columns(c.conindid) && columns
      ELSE c.contype IN ('c', 'f')
           AND EXISTS (SELECT 1 FROM pg_attribute AS a
                       WHERE a.attrelid = which AND a.attnum = ANY (c.conkey)
                         AND a.attname = ANY (columns)) END
  UNION ALL
  SELECT format('statistics %I', s.stxname) FROM pg_statistic_ext AS s
  WHERE s.stxrelid = which
    AND EXISTS (SELECT 1 FROM pg_depend AS d
                     JOIN pg_attribute AS a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
                WHERE d.classid = 'pg_statistic_ext'::regclass AND d.objid = s.oid
                  AND d.refobjid = which AND a.attname = ANY (columns))
$$;

-- What else needs these columns: a policy, a generated column, a trigger for them, or a foreign key
-- of another table. Views and functions are created again, or keep the columns from being dropped.
CREATE OR REPLACE FUNCTION list_others_that_need(which regclass, columns name[])
RETURNS SETOF text LANGUAGE sql STABLE
SET search_path = indexer, pg_temp SET jit = off AS $$
  SELECT DISTINCT pg_describe_object(d.classid, d.objid, d.objsubid)
  FROM pg_attribute AS a
       JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = a.attrelid
                              AND d.refobjsubid = a.attnum
       LEFT JOIN pg_constraint AS k ON d.classid = 'pg_constraint'::regclass AND k.oid = d.objid
       LEFT JOIN pg_attrdef AS e ON d.classid = 'pg_attrdef'::regclass AND e.oid = d.objid
       LEFT JOIN pg_class AS c ON d.classid = 'pg_class'::regclass AND c.oid = d.objid
  WHERE a.attrelid = which AND a.attname = ANY (columns)
    AND d.classid <> ALL ('{pg_rewrite,pg_proc,pg_statistic_ext}'::regclass[])
    AND k.conrelid IS DISTINCT FROM which
    AND (e.adrelid, e.adnum) IS DISTINCT FROM (which::oid, a.attnum)
    AND c.relkind IS DISTINCT FROM 'i'
$$;

-- What packing would lose or break, as the operator has created it on a table, record or reference.
CREATE OR REPLACE FUNCTION list_pack_obstacles(which text) RETURNS SETOF text LANGUAGE sql STABLE
SET search_path = indexer, pg_temp SET jit = off AS $$
  SELECT format('trigger %I', t.tgname) FROM pg_trigger AS t
  WHERE which = 'record' AND t.tgrelid = 'record'::regclass AND NOT t.tgisinternal
    AND NOT starts_with(t.tgname, '~moving')
  UNION ALL
  SELECT DISTINCT format('publication %I', p.pubname) FROM pg_publication_tables AS p
  WHERE which = 'record' AND (p.schemaname, p.tablename) = ('indexer', 'record')
  UNION ALL
  SELECT format('privileges of column %I', a.attname) FROM pg_attribute AS a
  WHERE which = 'record' AND a.attrelid = 'record'::regclass AND a.attacl IS NOT NULL
  UNION ALL
  SELECT format('index %s', x.indexrelid::regclass) FROM pg_index AS x
  WHERE which = 'record' AND x.indrelid = 'record'::regclass AND NOT x.indisprimary
    AND x.indexrelid <> ALL (ARRAY(SELECT to_regclass(i.index)::oid FROM view_index AS i
                                   WHERE to_regclass(i.index) IS NOT NULL))
    AND index_columns(x.indexrelid) && '{did,cid}'
    AND NOT index_columns(x.indexrelid) && '{block_new}'  -- the steps have made it
  UNION ALL
  SELECT 'the replica identity' FROM pg_class AS c
  WHERE c.oid = to_regclass(which) AND c.relreplident = 'i'
    AND list_replaced_columns(which) <> '{}'
  UNION ALL
  SELECT list_rules_of(which::regclass, list_replaced_columns(which))
  UNION ALL
  SELECT list_others_that_need(which::regclass, list_replaced_columns(which))
$$;

-- The indexes of a table that cannot be built with the new types of its columns, each with the
-- reason.
CREATE OR REPLACE FUNCTION list_unpackable_indexes(which text, types jsonb) RETURNS SETOF text
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET client_min_messages = warning AS $$
DECLARE
  columns CONSTANT name[] := ARRAY(SELECT jsonb_object_keys(types)::name);
  name text;
  one record;
  problem text;
BEGIN
  EXECUTE format('CREATE TEMP TABLE as_packed (LIKE %I) ON COMMIT DROP', which);
  FOREACH name IN ARRAY columns LOOP
    EXECUTE format('ALTER TABLE pg_temp.as_packed ALTER %I TYPE %s USING NULL', name,
                   types->>name);
  END LOOP;
  FOR one IN
    SELECT x.indexrelid::regclass AS index, CASE WHEN x.indisunique THEN 'UNIQUE' END AS kind,
           substring(pg_get_indexdef(x.indexrelid) FROM ' USING .*') AS rest
    FROM pg_index AS x
    WHERE x.indrelid = which::regclass AND x.indisvalid AND NOT x.indisexclusion
      AND index_columns(x.indexrelid) && columns
  LOOP
    BEGIN
      EXECUTE format('CREATE %s INDEX ON pg_temp.as_packed %s', one.kind, one.rest);
    EXCEPTION WHEN syntax_error_or_access_rule_violation OR feature_not_supported
                   OR data_exception THEN
      GET STACKED DIAGNOSTICS problem = MESSAGE_TEXT;
      RETURN NEXT format('index %s (%s)', one.index, problem);
    END;
  END LOOP;
  DROP TABLE pg_temp.as_packed;
END $$;

-- Refuses to pack a table because of these objects; NULL: there is none.
CREATE OR REPLACE FUNCTION refuse_to_pack(which text, because text) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF because IS NOT NULL THEN
    RAISE dependent_objects_still_exist USING
      MESSAGE = format('other objects need the table %I as it is', which),
      DETAIL = clip_text(translate(because, E'\n', ' '), 1000),
      HINT = 'Drop them, run "atid-indexer pack", and create them again.';
  END IF;
END $$;

-- Refuses to pack a table as long as there are obstacles, and keeps others from creating more until
-- the end of the transaction. Readers and writers do not wait for this.
CREATE OR REPLACE FUNCTION refuse_pack_obstacles(which text) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  EXECUTE format('LOCK TABLE %I IN SHARE UPDATE EXCLUSIVE MODE', which);
  PERFORM refuse_to_pack(which, string_agg(o, ', ' ORDER BY o))
  FROM list_pack_obstacles(which) AS o;
END $$;

-- Have the steps begun that give the tables their packed form, and not ended? Live mode must not
-- begin meanwhile: tables of days would get both forms.
CREATE OR REPLACE FUNCTION is_being_packed() RETURNS bool LANGUAGE sql STABLE
SET search_path = indexer, pg_temp SET jit = off
RETURN NOT is_packed() AND list_plain_columns('record') = '{}'
       OR EXISTS (SELECT 1 FROM pg_trigger AS t
                  WHERE t.tgrelid IN (record_table(), 'reference'::regclass)
                    AND starts_with(t.tgname, '~moving'));

-- Adds the column of unusual CIDs, and has it filled in each row that is written from now on, whose
-- did must be that in its uri.
CREATE OR REPLACE FUNCTION add_unusual_cid() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  ALTER TABLE record ADD COLUMN IF NOT EXISTS unusual_cid atid.cid_link;
  CREATE OR REPLACE TRIGGER "~moving unusual_cid" BEFORE INSERT OR UPDATE ON record
  FOR EACH ROW EXECUTE FUNCTION fill_unusual_cid();
  ALTER TABLE record ENABLE ALWAYS TRIGGER "~moving unusual_cid";
END $$;

CREATE OR REPLACE FUNCTION fill_unusual_cid() RETURNS trigger LANGUAGE plpgsql
SET search_path = indexer, pg_temp AS $$
BEGIN
  IF NEW.did IS DISTINCT FROM atid.at_uri_did(NEW.uri) THEN
    RAISE check_violation USING MESSAGE = 'the did of a record must be that in its uri';
  END IF;
  NEW.unusual_cid := CASE WHEN NEW.cid <> atid.cid_of(NEW.block, 'dag-cbor') THEN NEW.cid END;
  RETURN NEW;
END $$;

-- The indexes of make_views() that need the columns did or cid, and those that replace them.
CREATE OR REPLACE FUNCTION list_packed_indexes()
RETURNS TABLE (view regclass, columns name[], index text, replacement name, definition text)
LANGUAGE sql STABLE
SET search_path = indexer, pg_temp SET jit = off AS $$
  SELECT i.view, i.columns, i.index,
         view_index_name(view_name(ARRAY[t.nsid] || i.columns::text[]), d.definition), d.definition
  FROM view_index AS i
       JOIN view_type AS t ON t.view = i.view AND t.source = 'record'::regclass
       CROSS JOIN LATERAL view_index_definition(t, i.columns, packed => true) AS d (definition)
  WHERE NOT i.search AND index_columns(to_regclass(i.index)) && '{did,cid}'
$$;

-- The statements that create the indexes of the packed form, and drop those that an earlier run has
-- left unfinished.
CREATE OR REPLACE FUNCTION packed_index_commands() RETURNS SETOF text LANGUAGE sql STABLE
SET search_path = indexer, pg_temp SET jit = off AS $$
  SELECT c.command
  FROM (SELECT 'packed_record_pkey'::name AS name, 'UNIQUE ' AS kind, 'USING btree (uri)' AS rest
        UNION SELECT p.replacement, '', p.definition FROM list_packed_indexes() AS p) AS n
       LEFT JOIN pg_index AS x ON x.indexrelid = to_regclass(format('indexer.%I', n.name))
       CROSS JOIN LATERAL (VALUES
         (1, CASE WHEN NOT x.indisvalid
               THEN format('DROP INDEX CONCURRENTLY indexer.%I', n.name) END),
         (2, CASE WHEN x.indisvalid IS NOT TRUE
               THEN format('CREATE %sINDEX CONCURRENTLY %I ON indexer.record %s',
                           n.kind, n.name, n.rest) END)) AS c (step, command)
  WHERE c.command IS NOT NULL ORDER BY n.name, c.step
$$;

-- Makes the new indexes of views, if they are built, those that make_views() knows.
CREATE OR REPLACE FUNCTION adopt_packed_indexes() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE p record;
BEGIN
  -- in an order, so that all are found before the first is replaced: views can share one
  FOR p IN SELECT * FROM list_packed_indexes() AS i ORDER BY i.index, i.view LOOP
    UPDATE view_index AS i SET definition = format('indexer.record %s', p.definition)
    WHERE i.view = p.view AND i.columns = p.columns AND NOT i.search;
    IF to_regclass(p.index) IS NOT NULL AND to_regclass(format('indexer.%I', p.replacement))
       IS NOT NULL
    THEN
      EXECUTE format('DROP INDEX %s', to_regclass(p.index));
      EXECUTE format('ALTER INDEX indexer.%I RENAME TO %I', p.replacement,
                     (parse_ident(p.index))[2]);
    END IF;
  END LOOP;
  UPDATE view_index AS i
  SET definition = 'indexer.packed_record' || substr(i.definition, length('indexer.record') + 1)
  WHERE starts_with(i.definition, 'indexer.record ');
  UPDATE view_column AS c SET expression = packed_expression(c.name)
  FROM view_type AS t
  WHERE t.view = c.view AND t.source = 'record'::regclass AND c.kind = 'own'
    AND c.expression IN ('did', 'cid');
END $$;

-- Has the table record, whose blocks are packed, become packed_record under the view record, with
-- the same rights. built: it has the new indexes.
CREATE OR REPLACE FUNCTION replace_record_table(built bool) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  rights CONSTANT text NOT NULL := (
    SELECT rights_statement('TABLE', 'indexer.record', c.relowner) FROM pg_class AS c
    WHERE c.oid = 'record'::regclass);
BEGIN
  PERFORM adopt_packed_indexes();
  ALTER TABLE record DROP CONSTRAINT record_pkey;
  IF built THEN
    ALTER TABLE record ADD PRIMARY KEY USING INDEX packed_record_pkey;
  END IF;
  DROP TRIGGER IF EXISTS "~moving unusual_cid" ON record;
  ALTER TABLE record DROP COLUMN did, DROP COLUMN cid;
  ALTER TABLE record RENAME TO packed_record;
  IF EXISTS (SELECT 1 FROM pg_statistic_ext AS s
             WHERE s.stxrelid = 'packed_record'::regclass AND s.stxname = 'record_collection_stats')
  THEN
    ALTER STATISTICS record_collection_stats RENAME TO packed_record_collection_stats;
  END IF;
  CREATE STATISTICS packed_record_did_stats ON (atid.at_uri_did(uri)) FROM packed_record;
  PERFORM create_record_view();
  EXECUTE rights;
END $$;

-- The views of make_views(), by their OIDs: these change when a view is recreated.
CREATE OR REPLACE FUNCTION name_views() RETURNS jsonb LANGUAGE sql STABLE
SET search_path = indexer, pg_temp SET jit = off
RETURN (SELECT coalesce(jsonb_object_agg(t.view::oid, view_full_name(t.view)), '{}')
        FROM view_type AS t JOIN pg_class AS c ON c.oid = t.view);

CREATE OR REPLACE FUNCTION find_views_again(views jsonb) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE view_type AS t SET view = (views->>t.view::oid::text)::regclass
  WHERE views ? t.view::oid::text;
  UPDATE view_column AS c SET view = (views->>c.view::oid::text)::regclass
  WHERE views ? c.view::oid::text;
  UPDATE view_index AS i SET view = (views->>i.view::oid::text)::regclass
  WHERE views ? i.view::oid::text;
  UPDATE view_type AS t SET accounts = (views->>t.accounts::oid::text)::regclass
  WHERE views ? t.accounts::oid::text;
END $$;

-- Has the packed columns of a table, record or reference, take the place of the others. The views,
-- feeds and functions that read the table are taken out, and created again over it; make_views()
-- knows its views as before.
CREATE OR REPLACE FUNCTION swap_packed_columns(which text) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  views jsonb;
  dependents text[];
BEGIN
  -- make_views() waits. The views are locked as they are dropped, and then the table, as readers
  -- of views lock them.
  LOCK TABLE view_type IN SHARE ROW EXCLUSIVE MODE;
  PERFORM refuse_pack_obstacles(which);
  views := name_views();
  dependents := take_dependents(which::regclass);
  CALL moving.swap(format('indexer.%I', which)::regclass);
  PERFORM restore_dependents(dependents);
  PERFORM find_views_again(views);
END $$;

-- Has the table packed_record take the place of the table record, in the same way.
CREATE OR REPLACE FUNCTION swap_record_table() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  views jsonb;
  dependents text[];
BEGIN
  LOCK TABLE view_type, want IN SHARE ROW EXCLUSIVE MODE;
  IF wants_live() OR EXISTS (SELECT 1 FROM day) THEN
    RAISE object_not_in_prerequisite_state USING
      MESSAGE = 'the table record has days of live mode, or will have them';
  END IF;
  PERFORM refuse_pack_obstacles('record');
  IF EXISTS (SELECT 1 FROM packed_index_commands()) THEN
    RAISE object_not_in_prerequisite_state USING
      MESSAGE = 'an index of a view was created while the last ones were built',
      HINT = 'Run "atid-indexer pack" again, which builds it for the packed form.';
  END IF;
  views := name_views();
  dependents := take_dependents('record');
  PERFORM replace_record_table(built => true);
  PERFORM restore_dependents(dependents);
  PERFORM find_views_again(views);
END $$;

-- Does with the definitions what these two will do, for a transaction that is rolled back: an
-- operator learns at the beginning, not after hours, which objects stand in the way. types: those
-- of the columns.
CREATE OR REPLACE FUNCTION rehearse_packed_swap(which text, types jsonb) RETURNS void
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET client_min_messages = warning AS $$
DECLARE
  dependents text[];
  name text;
  problem text;
  more text;
BEGIN
  LOCK TABLE view_type IN SHARE ROW EXCLUSIVE MODE;
  PERFORM refuse_pack_obstacles(which);
  PERFORM refuse_to_pack(which, string_agg(o, ', ' ORDER BY o))
  FROM list_unpackable_indexes(which, types) AS o;
  BEGIN
    -- an earlier run that was broken off has left the column; definitions may list all columns
    FOR name IN SELECT jsonb_object_keys(types) LOOP
      EXECUTE format('ALTER TABLE %I ADD COLUMN IF NOT EXISTS %I %s', which, name || '_new',
                     types->>name);
    END LOOP;
    dependents := take_dependents(which::regclass);
    FOR name IN SELECT jsonb_object_keys(types) LOOP
      EXECUTE format('ALTER TABLE %I DROP COLUMN %I', which, name);
      EXECUTE format('ALTER TABLE %I RENAME COLUMN %I TO %I', which, name || '_new', name);
    END LOOP;
    IF which = 'record' THEN
      ALTER TABLE record ADD COLUMN IF NOT EXISTS unusual_cid atid.cid_link;
      PERFORM replace_record_table(built => false);
    END IF;
    PERFORM restore_dependents(dependents);
  EXCEPTION
    WHEN dependent_objects_still_exist OR syntax_error_or_access_rule_violation
         OR feature_not_supported THEN
      GET STACKED DIAGNOSTICS problem = MESSAGE_TEXT, more = PG_EXCEPTION_DETAIL;
      PERFORM refuse_to_pack(which, concat_ws(': ', problem, more));
  END;
END $$;
