-- Typed views of records, made from their Lexicons. doc/views.md tells how they are used.
--
--   make_views(lexicons, source, target)   a view for each record type in the schema target: made anew if its Lexicon
--                                          has changed, dropped if it is gone; returns how many there are
--   make_views(target)                     the same over the tables of the indexer, and a view of its accounts
--   make_view_index(view, columns)         an index of the source, for queries of a view by these columns
--   view_index_commands(view, columns)     the same as commands that keep nobody from writing
--   make_search(view, columns)             an index of words, and the functions search_... and ..._rank
--   search_index_commands(view, config, columns)
--   find_references()                      fills view_reference from the references that are there
--   find_new_references()                  the same for columns without any, by their indexes
--   lexicon_gaps(lexicons)                 definitions that the record types need and the set lacks
--
-- The source is a table with a column uri of type atid.at_uri, and with the records in a column block (DAG-CBOR, as
-- bytea or atid.block) or record (jsonb). If it has the columns did, cid, indexed and conforms, the views use them.
--
-- Strangers write the records. No value of theirs may make a query, an INSERT or an index fail, in whatever order the
-- planner asks: so no expression of a column raises an error, a column is NULL where its type cannot hold the value,
-- and an index takes only what is sure to fit.
--
-- The file is a part of install.sql, and can be used alone: load it into a schema of its own, for example with
-- PGOPTIONS='-c search_path=views'. The functions keep the search_path with which they were created.

-- The views. n names the row in the view, which is not there yet when its definition is written.
CREATE TABLE IF NOT EXISTS view_type (
  n         int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  view      regclass UNIQUE,
  nsid      text,              -- of the record type; NULL: the view of the accounts
  only_key  text,              -- the one key that its records have, as "self"; NULL: they have several
  source    regclass NOT NULL,
  accounts  regclass,
  condition text NOT NULL,     -- by which the source's rows are the view's, as indexes have it
  conforming bool NOT NULL DEFAULT false,  -- it leaves out what does not conform
  lexicons  atid.lexicon,      -- what the type needs to be judged
  description text
);

-- The columns of the views.
CREATE TABLE IF NOT EXISTS view_column (
  view       regclass,
  name       name,
  path       text[],           -- of the property; NULL: it is not of the record
  kind       text NOT NULL,    -- own; property; url, of the blob at the path
  type       text NOT NULL,
  expression text NOT NULL,    -- over a row of the source
  most       int,              -- bytes of a value; NULL: it has no bound, or cannot be indexed
  filled     bool NOT NULL,    -- it is never NULL
  description text,
  PRIMARY KEY (view, name)
);

-- The indexes. Views of other schemas can share one.
CREATE TABLE IF NOT EXISTS view_index (
  view       regclass,
  columns    name[],
  search     bool,             -- of words
  index      text NOT NULL,    -- its name; as regclass a dump could not be restored, which has tables' rows before indexes
  definition text NOT NULL,
  config     text,             -- of search, if it was given
  PRIMARY KEY (view, search, columns)
);

-- Fill this by hand, or by find_references(): the columns that point at records of a type. The comments of the views
-- then tell it to engines.
CREATE TABLE IF NOT EXISTS view_reference (
  nsid   text,    -- the type that has the column
  path   text[],  -- of the property
  target text,    -- the type of the records at which it points
  PRIMARY KEY (nsid, path, target)
);

-- Fill this by hand: the labelers whose labels hide, and which ones do.
CREATE TABLE IF NOT EXISTS labeler (
  did   atid.did PRIMARY KEY,
  hides text[] NOT NULL DEFAULT '{!hide,!takedown,!suspend}'
);

-- The name of a view or column: "app.bsky.feed.post" gives app_bsky_feed_post, and "createdAt" created_at.
-- GraphQL has no names that begin with a digit, and "2fa" gives field_2fa.
CREATE OR REPLACE FUNCTION view_name(path text[]) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT CASE WHEN octet_length(n) > 57 THEN left(n, 48) || '_' || left(md5(array_to_string(path, '.')), 8) ELSE n END
        FROM trim('_' FROM lower(regexp_replace(regexp_replace(array_to_string(path, '_') COLLATE "C",
          '([a-z0-9])([A-Z])', '\1_\2', 'g'), '[^A-Za-z0-9]+', '_', 'g'))) AS t,
             trim('_' FROM CASE WHEN t ~ '^([0-9]|$)' THEN 'field_' || t ELSE t END) AS n);

-- What engines make of a name: they leave out the underscores, and make singulars and plurals of it. Two names of which
-- they make one would be an error for them.
CREATE OR REPLACE FUNCTION view_stem(name text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN regexp_replace(regexp_replace(replace(name, '_', ''), 'ies$', 'y'), '[es]+$', '');

-- The name that PostGraphile is told: of POST it makes the types post_filter, post_edge and so on for itself.
CREATE OR REPLACE FUNCTION reserved_view_name(name text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN name ~ '_(connection|edge|filter|condition|order_by|column|input|patch)(e?s)*$' THEN name || '_record' ELSE name END;

-- A description as a comment. Engines take instructions from comments: PostGraphile from lines that begin with "@",
-- pg_graphql from "@graphql". A character of no width makes text of these.
CREATE OR REPLACE FUNCTION view_text(description text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN regexp_replace(regexp_replace(description, '@(?=graphql)', U&'@\200B', 'gi'), '(^|[[:cntrl:]\u2028\u2029])(\s*)@', U&'\\1\\2\200B@', 'g');

-- A schema with what it needs to be read: a reference is replaced by its definition, and "home" is the document to
-- which further references belong.
CREATE OR REPLACE FUNCTION view_schema(lexicons atid.lexicon, home text, schema jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN schema->>'type' = 'ref' THEN (
    SELECT coalesce(atid.lexicon_document(lexicons, nsid) #> ARRAY['defs', coalesce(nullif(split_part(schema->>'ref', '#', 2), ''), 'main')], '{}')
           || jsonb_strip_nulls(jsonb_build_object('home', nsid, 'description', schema->'description'))
    FROM coalesce(nullif(split_part(schema->>'ref', '#', 1), ''), home) AS nsid)
  ELSE schema || jsonb_build_object('home', home) END;

-- The definitions that the record types of a set need and the set lacks, and the first three types
-- that need each.
CREATE OR REPLACE FUNCTION lexicon_gaps(lexicons atid.lexicon, OUT missing text, OUT needed_by text)
RETURNS SETOF record LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN QUERY
  SELECT g.missing,
         array_to_string((array_agg(g.nsid ORDER BY g.nsid))[:3], ', ')
         || CASE WHEN count(*) > 3 THEN format(' and %s others', count(*) - 3) ELSE '' END
  FROM (SELECT n.nsid,
               unnest(atid.lexicon_missing(atid.lexicon_only(lexicons, ARRAY[n.nsid]))) AS missing
        FROM unnest(atid.lexicon_nsids(lexicons)::text[]) AS n (nsid)
        WHERE atid.lexicon_document(lexicons, n.nsid) #>> '{defs,main,type}' = 'record') AS g
  GROUP BY g.missing;
END $$;

-- The columns of a record type: each property of the record, and the strings, numbers and truth values of objects in
-- it, to a path of three steps: reply.parent.uri is the column reply_parent_uri. A text that is longer than its Lexicon
-- says has no value here, so that a page of an application is no longer than that. Objects that refer to themselves
-- have more properties than a view can have columns, 1,600: it has those of the shortest paths.
CREATE OR REPLACE FUNCTION view_properties(lexicons atid.lexicon, nsid text,
  OUT name text, OUT path text[], OUT kind text, OUT type text, OUT most int, OUT description text)
RETURNS SETOF record LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE BEGIN ATOMIC
  WITH RECURSIVE property (path, schema) AS (
    SELECT ARRAY[key], view_schema(lexicons, view_properties.nsid, value)
    FROM jsonb_each(atid.lexicon_document(lexicons, view_properties.nsid) #> '{defs,main,record,properties}')
    UNION ALL
    SELECT path || key, view_schema(lexicons, schema->>'home', value)
    FROM property, jsonb_each(schema->'properties')
    WHERE schema->>'type' = 'object' AND cardinality(path) < 3
  ), typed AS (
    SELECT path, schema, schema->>'type' AS said,
           CASE schema->>'type'
             WHEN 'string' THEN CASE schema->>'format' WHEN 'at-uri' THEN 'atid.at_uri' WHEN 'did' THEN 'atid.did' WHEN 'tid' THEN 'atid.tid'
                                  WHEN 'cid' THEN 'atid.cid_link' WHEN 'datetime' THEN 'timestamptz' ELSE 'text' END
             WHEN 'token' THEN 'text' WHEN 'cid-link' THEN 'link'
             WHEN 'integer' THEN 'bigint' WHEN 'boolean' THEN 'boolean' ELSE 'jsonb' END AS type
    FROM (SELECT * FROM property LIMIT 780) AS first_ones  -- a blob has two columns
  )
  SELECT view_name(path), path, 'property', type,
         CASE type WHEN 'atid.at_uri' THEN 1200 WHEN 'atid.did' THEN 512 WHEN 'atid.cid_link' THEN 256 WHEN 'link' THEN 256
           WHEN 'jsonb' THEN NULL
           WHEN 'text' THEN CASE WHEN jsonb_path_match(schema, '$.maxLength <= 1000000', silent => true) THEN (schema->>'maxLength')::numeric::int
                                 WHEN said = 'token' OR schema ?| '{enum,knownValues,const}'
                                   OR schema->>'format' IN ('language', 'handle', 'nsid', 'record-key', 'at-identifier') THEN 1000 END
           ELSE 16 END,
         schema->>'description'
  FROM typed WHERE cardinality(path) = 1 OR type <> 'jsonb'
  UNION ALL
  SELECT view_name(path || '{url}'::text[]), path, 'url', 'text', NULL, 'The address at which the server of its account has it.'
  FROM typed WHERE said = 'blob';
END;

-- The expression of a property, by the column of the source that has the record. Of a blob's address, that of its CID.
CREATE OR REPLACE FUNCTION view_expression(kind text, type text, most int, path text[], source text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (
  SELECT format(CASE WHEN kind = 'url' THEN 'CASE WHEN atid.cid_is_valid(%6$s) THEN %6$s WHEN atid.cid_is_valid(%7$s) THEN %7$s END' ELSE CASE type
    WHEN 'text' THEN CASE WHEN most IS NULL THEN 'CASE WHEN %2$s = ''string'' THEN %1$s END'
                          ELSE 'CASE WHEN %2$s = ''string'' AND octet_length(%1$s) <= %5$s THEN %1$s END' END
    WHEN 'link' THEN 'CASE WHEN %2$s <> ''string'' AND atid.cid_is_valid(%4$s) THEN (%4$s)::atid.cid_link END'
    WHEN 'atid.cid_link' THEN 'CASE WHEN %2$s = ''string'' AND atid.cid_is_valid(%1$s) THEN (%1$s)::atid.cid_link END'
    WHEN 'atid.tid' THEN 'CASE WHEN %2$s = ''string'' AND atid.tid_is_valid(%1$s) THEN (%1$s)::atid.tid END'
    WHEN 'atid.did' THEN 'CASE WHEN octet_length(%1$s) <= %5$s THEN atid.did_or_null(%1$s) END'
    WHEN 'atid.at_uri' THEN 'CASE WHEN octet_length(%1$s) <= %5$s THEN atid.at_uri_or_null(%1$s) END'
    WHEN 'timestamptz' THEN 'atid.datetime_or_null(%1$s)'
    WHEN 'boolean' THEN 'CASE %3$s WHEN ''true'' THEN true WHEN ''false'' THEN false END'
    WHEN 'bigint' THEN 'jsonb_path_query_first(%3$s, ''strict $ ? (@ >= -9223372036854775808 && @ <= 9223372036854775807 && @.floor() == @)'')::bigint'
    ELSE '%3$s' END END, text, typeof, json, link, most, ref, old)
  FROM (SELECT format('atid.dag_cbor_get_text(block, %L)', path), format('atid.dag_cbor_typeof(block, %L)', path),
               format('atid.dag_cbor_get(block, %L)', path), format('atid.dag_cbor_get_text(block, %L)', path),
               format('atid.dag_cbor_get_text(block, %L)', path || '{ref}'::text[]), format('atid.dag_cbor_get_text(block, %L)', path || '{cid}'::text[])
        WHERE source = 'block'
        UNION ALL
        SELECT format('(record #>> %L)', path), format('jsonb_typeof(record #> %L)', path),
               format('(record #> %L)', path), format('(record #>> %L)', path || '{$link}'::text[]),
               format('(record #>> %L)', path || '{ref,$link}'::text[]), format('(record #>> %L)', path || '{cid}'::text[])
        WHERE source = 'record') AS a (text, typeof, json, link, ref, old));

-- Does a label that is in force, of a labeler that counts, hide one of these subjects?
CREATE OR REPLACE FUNCTION view_hidden(subjects text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN format('EXISTS (SELECT 1 FROM labels_in_force AS l JOIN labeler AS b ON b.did = l.src AND l.val = ANY (b.hides) WHERE l.subject = ANY (ARRAY[%s]))', subjects);

-- The name as part of a statement, whatever the search_path of who runs it is.
CREATE OR REPLACE FUNCTION view_full_name(relation regclass) RETURNS text LANGUAGE sql STABLE STRICT
RETURN (SELECT format('%I.%I', nspname, relname) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace WHERE c.oid = relation);

-- What 1.3.0 has made. An index of which only the number was kept, and that was made anew, has the name that it had.
DO $$
BEGIN
  IF EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = 'view_index'::regclass AND attname = 'index' AND atttypid = 'regclass'::regtype) THEN
    ALTER TABLE view_index ALTER index TYPE text USING coalesce(view_full_name(index), '');
    DELETE FROM view_index AS i WHERE i.index = '' AND NOT EXISTS (SELECT 1 FROM view_type AS t WHERE t.view = i.view AND t.nsid IS NOT NULL);
    UPDATE view_index AS i
    SET index = format('%s.%I', c.relnamespace::regnamespace, view_name(ARRAY[t.nsid] || CASE WHEN i.search THEN '{search}' ELSE i.columns::text[] END))
    FROM view_type AS t JOIN pg_class AS c ON c.oid = t.source WHERE t.view = i.view AND i.index = '';
    DELETE FROM view_index AS i WHERE i.index = ''; -- of a source that has gone
  END IF;
END
$$;

-- Takes a view out, with what was made for it.
CREATE OR REPLACE FUNCTION drop_view(old regclass) RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  f regprocedure;
  problem text;
  why text;
BEGIN
  FOR f IN SELECT * FROM view_search_functions(old) LOOP
    EXECUTE format('DROP FUNCTION %s', f);
  END LOOP;
  BEGIN
    EXECUTE format('DROP VIEW %s', view_full_name(old));
  EXCEPTION WHEN dependent_objects_still_exist THEN
    GET STACKED DIAGNOSTICS problem = MESSAGE_TEXT, why = PG_EXCEPTION_DETAIL;
    RAISE dependent_objects_still_exist USING MESSAGE = problem, DETAIL = why,
      HINT = format('Drop %s, call make_views again, and create it again after that.',
                    view_dependents(old));
  END;
END
$$;

-- What depends on a view, in words: views, functions and others that an operator has made.
CREATE OR REPLACE FUNCTION view_dependents(old regclass) RETURNS text
LANGUAGE sql STABLE STRICT AS $$
  SELECT string_agg(DISTINCT pg_describe_object(o.class, o.id, 0), ', ')
  FROM pg_class AS v JOIN pg_depend AS d
         ON d.refclassid = 'pg_class'::regclass AND d.refobjid = v.oid
            OR d.refclassid = 'pg_type'::regclass
               AND d.refobjid IN (v.reltype, (SELECT t.typarray FROM pg_type AS t WHERE t.oid = v.reltype))
       LEFT JOIN pg_rewrite AS r ON d.classid = 'pg_rewrite'::regclass AND r.oid = d.objid,
       LATERAL (SELECT CASE WHEN r.oid IS NULL THEN d.classid ELSE 'pg_class'::regclass END,
                       coalesce(r.ev_class, d.objid)) AS o (class, id)
  WHERE v.oid = old AND d.deptype = 'n' AND NOT (o.class = 'pg_class'::regclass AND o.id = v.oid)
$$;

-- The objects that depend on some, however indirectly, each with its distance: of those from which it
-- starts it is 0.
CREATE OR REPLACE FUNCTION view_dependents_of(classes oid[], ids oid[], OUT class oid, OUT id oid, OUT depth int)
RETURNS SETOF record LANGUAGE sql STABLE STRICT AS $$
  WITH RECURSIVE found (class, id, depth) AS (
    SELECT c, i, 0 FROM unnest(classes, ids) AS s (c, i)
    UNION
    SELECT o.class, o.id, f.depth + 1
    FROM found AS f
    LEFT JOIN pg_class AS v ON f.class = 'pg_class'::regclass AND v.oid = f.id
    LEFT JOIN pg_type AS t ON t.oid = v.reltype
    JOIN pg_depend AS d
      ON d.deptype = 'n' AND (d.refclassid, d.refobjid) IN ((f.class, f.id), ('pg_type'::regclass, t.oid), ('pg_type'::regclass, t.typarray))
    LEFT JOIN pg_rewrite AS r ON d.classid = 'pg_rewrite'::regclass AND r.oid = d.objid,
    LATERAL (SELECT CASE WHEN r.oid IS NULL THEN d.classid ELSE 'pg_class'::regclass END, coalesce(r.ev_class, d.objid)) AS o (class, id)
    WHERE f.depth < 100 AND (o.class, o.id) <> (f.class, f.id)
  )
  SELECT f.class, f.id, max(f.depth) FROM found AS f GROUP BY f.class, f.id
$$;

-- The statements that create a view or a function again as it is, with its owner, rights and comments.
CREATE OR REPLACE FUNCTION view_statements(class oid, id oid) RETURNS text[] LANGUAGE sql STABLE STRICT AS $$
  SELECT ARRAY[format('CREATE VIEW %s%s AS %s', view_full_name(c.oid), ' WITH (' || array_to_string(c.reloptions, ', ') || ')', pg_get_viewdef(c.oid)),
               format('ALTER VIEW %s OWNER TO %s', view_full_name(c.oid), c.relowner::regrole),
               format('COMMENT ON VIEW %s IS %L', view_full_name(c.oid), obj_description(c.oid, 'pg_class'))]
         || ARRAY(SELECT format('COMMENT ON COLUMN %s.%I IS %L', view_full_name(c.oid), a.attname, col_description(c.oid, a.attnum))
                  FROM pg_attribute AS a WHERE a.attrelid = c.oid AND col_description(c.oid, a.attnum) IS NOT NULL)
         || ARRAY(SELECT format('GRANT %s ON %s TO %s', x.privilege_type, view_full_name(c.oid), CASE WHEN x.grantee = 0 THEN 'PUBLIC' ELSE x.grantee::regrole::text END)
                  FROM aclexplode(c.relacl) AS x WHERE x.grantee <> c.relowner)
  FROM pg_class AS c WHERE class = 'pg_class'::regclass AND c.oid = id
  UNION ALL
  SELECT ARRAY[pg_get_functiondef(p.oid),
               format('ALTER FUNCTION %s OWNER TO %s', p.oid::regprocedure, p.proowner::regrole),
               format('COMMENT ON FUNCTION %s IS %L', p.oid::regprocedure, obj_description(p.oid, 'pg_proc')),
               CASE WHEN p.proacl IS NOT NULL THEN format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', p.oid::regprocedure) END]
         || ARRAY(SELECT format('GRANT EXECUTE ON FUNCTION %s TO %s', p.oid::regprocedure, CASE WHEN x.grantee = 0 THEN 'PUBLIC' ELSE x.grantee::regrole::text END)
                  FROM aclexplode(p.proacl) AS x WHERE x.grantee <> p.proowner)
  FROM pg_proc AS p WHERE class = 'pg_proc'::regclass AND p.oid = id AND p.prokind = 'f'
$$;

-- Takes the views and functions out that depend on a view of records, such as feeds, for it to be made
-- again. Returns the statements that create them again, in their order. What depends in another way
-- stays, and keeps the view from being dropped.
CREATE OR REPLACE FUNCTION take_dependents(old regclass) RETURNS text[] LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off AS $$
DECLARE
  start CONSTANT oid[] := ARRAY[old::oid] || ARRAY(SELECT f::oid FROM view_search_functions(old) AS f);
  -- the server names all columns where a view reads from a search; without the names it has those of the new view
  columns CONSTANT text := (SELECT format('(%s)', string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum))
                            FROM pg_attribute AS a WHERE a.attrelid = old AND a.attnum > 0 AND NOT a.attisdropped);
  one record;
  statements text[] := '{}';
BEGIN
  FOR one IN
    SELECT d.depth, view_statements(d.class, d.id) AS again,
           CASE d.class WHEN 'pg_class'::regclass THEN format('VIEW %s', view_full_name(d.id))
                        ELSE format('FUNCTION %s', d.id::regprocedure) END AS what
    FROM view_dependents_of(ARRAY['pg_class'::regclass::oid] || array_fill('pg_proc'::regclass::oid, ARRAY[cardinality(start) - 1]), start) AS d
    LEFT JOIN pg_class AS c ON d.class = 'pg_class'::regclass AND c.oid = d.id
    WHERE d.depth > 0 AND d.id <> ALL (start) AND (c.relkind = 'v' OR d.class = 'pg_proc'::regclass)
    ORDER BY d.depth DESC, d.id
  LOOP
    CONTINUE WHEN one.again IS NULL;
    EXECUTE format('DROP %s', one.what);
    one.again[1] := replace(one.again[1], columns, '');
    statements := array_remove(one.again, NULL) || statements;
  END LOOP;
  RETURN statements;
END
$$;

-- Creates them again. Where the Lexicon lacks now what one of them reads, nothing changes.
CREATE OR REPLACE FUNCTION restore_dependents(statements text[]) RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET check_function_bodies = on AS $$
DECLARE
  one text;
  problem text;
BEGIN
  FOREACH one IN ARRAY statements LOOP
    BEGIN
      EXECUTE one;
    EXCEPTION WHEN syntax_error_or_access_rule_violation OR feature_not_supported THEN
      GET STACKED DIAGNOSTICS problem = MESSAGE_TEXT;
      RAISE dependent_objects_still_exist USING
        MESSAGE = format('%s cannot be created again over the changed Lexicons', substring(one FROM '^(?:CREATE (?:OR REPLACE )?)?(\w+ [^ (]+)')),
        DETAIL = format('%s: %s', problem, one),
        HINT = 'Drop it, call make_views again, and create it again as the Lexicon is now.';
    END;
  END LOOP;
END
$$;

-- The functions of make_search that are there.
CREATE OR REPLACE FUNCTION view_search_functions(view regclass) RETURNS SETOF regprocedure LANGUAGE sql STABLE AS $$
  SELECT p.oid::regprocedure FROM view_index AS i JOIN pg_class AS c ON c.oid = i.view JOIN pg_proc AS p ON p.pronamespace = c.relnamespace
  WHERE i.view = view_search_functions.view AND i.search AND p.proname IN (view_name(ARRAY['search', c.relname]), view_name(ARRAY[c.relname, 'rank']))
    AND (p.prorettype = c.reltype OR p.proargtypes[0] = c.reltype)
$$;

-- With accounts, a table or view with the columns did and handle, each record has the handle of its account, and with
-- pds, its server, its blobs have addresses. conforming leaves out what does not conform, or not; NULL: as it was in
-- this schema.
CREATE OR REPLACE FUNCTION make_views(lexicons atid.lexicon, source regclass, target regnamespace, accounts regclass DEFAULT NULL,
                                      conforming bool DEFAULT NULL)
RETURNS bigint LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  has CONSTANT name[] NOT NULL := ARRAY(
    SELECT attname FROM pg_attribute WHERE attrelid = source AND attnum > 0 AND NOT attisdropped);
  filled CONSTANT name[] NOT NULL := ARRAY(
    SELECT attname FROM pg_attribute WHERE attrelid = source AND attnum > 0 AND attnotnull);
  holder CONSTANT text NOT NULL := CASE WHEN 'block' = ANY (has) THEN 'block' ELSE 'record' END;
  did CONSTANT text NOT NULL := CASE WHEN 'did' = ANY (has) THEN 'did' ELSE 'atid.at_uri_did(uri)' END;
  its CONSTANT text NOT NULL := CASE WHEN 'did' = ANY (has) THEN 's.did' ELSE 'atid.at_uri_did(s.uri)' END;
  account CONSTANT text := format('FROM %s AS a WHERE a.did = %s LIMIT 1', accounts, its);
  pds CONSTANT bool := EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = accounts AND attname = 'pds' AND NOT attisdropped);
  labels CONSTANT bool := to_regclass('labels_in_force') IS NOT NULL;
  leaves_out CONSTANT bool NOT NULL := coalesce(conforming, (
    SELECT bool_or(v.conforming) FROM view_type AS v JOIN pg_class ON oid = v.view AND relnamespace = target), false);
  t record;
  p record;
  this regclass;
  number int;
  full_name text;
  key text;
  created text;
  rows text;
  judged text;
  definition text;
  rights text[];
  wanted view_column[];
  names name[];
  free text;
  dependents text[] := '{}';
BEGIN
  PERFORM delete_dropped_views();
  -- What is gone goes first.
  FOR t IN SELECT view FROM view_type AS v JOIN pg_class ON oid = view AND relnamespace = target
           WHERE v.nsid IS NOT NULL AND atid.lexicon_document(make_views.lexicons, v.nsid) #>> '{defs,main,type}' IS DISTINCT FROM 'record' LOOP
    PERFORM drop_view(t.view);
  END LOOP;
  PERFORM delete_dropped_views();

  FOR t IN
    SELECT d.nsid, d.document FROM unnest(atid.lexicon_nsids(lexicons)) AS nsid,
         LATERAL (SELECT nsid, atid.lexicon_document(lexicons, nsid)) AS d (nsid, document)
    WHERE d.document #>> '{defs,main,type}' = 'record' ORDER BY nsid
  LOOP
    -- A type keeps its name; a new one gets a name that is free.
    SELECT v.view, v.n INTO this, number FROM view_type AS v JOIN pg_class ON oid = v.view AND relnamespace = target WHERE v.nsid = t.nsid;
    IF NOT FOUND THEN
      SELECT n INTO free FROM (SELECT concat_ws('_', view_name(ARRAY[t.nsid]), nullif(i, 1)) AS n FROM generate_series(1, 10000) AS i OFFSET 0) AS f
      WHERE to_regclass(format('%s.%I', target, n)) IS NULL
        AND NOT EXISTS (SELECT 1 FROM pg_class WHERE relnamespace = target AND relkind IN ('r', 'v', 'm', 'p', 'f')
                        AND ARRAY[view_stem(relname), view_stem(reserved_view_name(relname))] && ARRAY[view_stem(n), view_stem(reserved_view_name(n))]) LIMIT 1;
      full_name := format('%s.%I', target, free);
    ELSE
      full_name := view_full_name(this);
    END IF;
    key := nullif(substring(t.document #>> '{defs,main,key}' FROM '^literal:(.*)'), '');
    rows := format('atid.at_uri_collection(uri) = %L', t.nsid)
      -- the planner takes this for one of two, and an equality for rare
      || CASE WHEN key IS NULL THEN '' ELSE format(' AND CASE WHEN atid.at_uri_rkey(uri) = %L THEN true ELSE false END', key) END;
    IF this IS NULL THEN
      INSERT INTO view_type (nsid, source, condition) VALUES (t.nsid, source, rows) RETURNING n INTO number;
    END IF;
    UPDATE view_type AS v
    SET only_key = key, source = make_views.source, accounts = make_views.accounts, condition = rows, conforming = leaves_out, description = t.document #>> '{defs,main,description}',
        lexicons = atid.lexicon_only(make_views.lexicons, ARRAY[t.nsid])
    WHERE v.n = number;

    -- The columns that all views have.
    judged := format('atid.%s_conforms(%s, (SELECT t.lexicons FROM view_type AS t WHERE t.n = %s), %L)',
                     CASE holder WHEN 'block' THEN 'dag_cbor' ELSE 'record' END, holder, number, t.nsid);
    IF 'conforms' = ANY (has) THEN judged := format('coalesce(conforms, %s)', judged); END IF;
    SELECT CASE holder WHEN 'block' THEN format('atid.dag_cbor_get_text(block, %L)', ARRAY[name]) ELSE format('(record ->> %L)', name) END INTO created
    FROM unnest('{createdAt,publishedAt}'::text[]) WITH ORDINALITY AS c (name, n)
    WHERE t.document #> '{defs,main,record,properties}' ? name ORDER BY n LIMIT 1;
    IF NOT FOUND THEN created := 'NULL'; END IF;
    wanted := ARRAY[
      ROW(NULL, 'uri', NULL, 'own', 'atid.at_uri', 'uri', 1400, 'uri' = ANY (filled), 'The AT URI of the record.'),
      ROW(NULL, 'did', NULL, 'own', 'atid.did', did, 512, 'did' = ANY (filled), 'The DID of its account.'),
      ROW(NULL, 'rkey', NULL, 'own', 'atid.record_key', 'atid.at_uri_rkey(uri)', 512, 'uri' = ANY (filled), 'Its record key.'),
      ROW(NULL, 'cid', NULL, 'own', 'atid.cid_link', CASE WHEN 'cid' = ANY (has) THEN 'cid' WHEN holder = 'block' THEN 'atid.cid_of(block, ''dag-cbor'')'
            ELSE 'CASE WHEN atid.record_is_valid(record) THEN atid.record_cid(record) END' END, 256,
          CASE WHEN 'cid' = ANY (has) THEN 'cid' = ANY (filled) ELSE holder = 'block' AND 'block' = ANY (filled) END, 'The CID of its block.')]::view_column[];
    IF 'indexed' = ANY (has) THEN
      wanted := wanted || ROW(NULL, 'sort_at', NULL, 'own', 'timestamptz', format('atid.sort_at(%s, indexed)', created), 16, 'indexed' = ANY (filled),
        'The time to sort by: when it was written, as it says itself, but not later than it came here.')::view_column;
    END IF;
    wanted := wanted || ROW(NULL, 'conforms', NULL, 'derived', 'boolean', judged, NULL, false, 'Does it conform to its Lexicon?')::view_column;
    IF labels THEN
      wanted := wanted || ROW(NULL, 'hidden', NULL, 'derived', 'boolean', view_hidden(format('s.uri, atid.at_uri_make(%s::text)', its)), NULL, true,
        'Does a label hide it or its account?')::view_column;
    END IF;
    IF accounts IS NOT NULL THEN
      wanted := wanted || ROW(NULL, 'author_handle', NULL, 'derived', 'text', format('(SELECT a.handle %s)', account), NULL, false, 'The handle of its account.')::view_column;
    END IF;
    -- The properties. Each keeps its name.
    -- PostGraphile has a node_id, and makes row_id of id
    names := '{uri,did,rkey,cid,sort_at,conforms,hidden,author_handle,node_id,row_id}'::name[]
      || ARRAY(SELECT k.name FROM view_column AS k JOIN view_properties(lexicons, t.nsid) AS v ON v.path = k.path AND v.kind = k.kind WHERE k.view = this);
    FOR p IN
      SELECT v.*, k.name AS old, view_expression(v.kind, v.type, v.most, v.path, holder) AS expression
      FROM view_properties(lexicons, t.nsid) AS v LEFT JOIN view_column AS k ON k.view = this AND k.path = v.path AND k.kind = v.kind
      WHERE v.kind <> 'url' OR pds
      ORDER BY v.kind, cardinality(v.path), v.path
    LOOP
      free := p.old;
      IF free IS NULL THEN
        SELECT n INTO free FROM (SELECT concat_ws('_', p.name, nullif(i, 1)) AS n FROM generate_series(1, 10000) AS i OFFSET 0) AS f
        WHERE replace(n, '_', '') <> ALL (ARRAY(SELECT replace(taken, '_', '') FROM unnest(names) AS taken)) LIMIT 1;
        names := names || free::name;
      END IF;
      IF p.kind = 'url' THEN
        p.expression := format('(SELECT substring(a.pds FROM ''^https?://[A-Za-z0-9.:[\]_-]+'') %s) || ''/xrpc/com.atproto.sync.getBlob?did='' || '
          || 'replace(replace(%s::text, ''%%'', ''%%25''), '':'', ''%%3A'') || ''&cid='' || %s', account, its, p.expression);
      END IF;
      wanted := wanted || ROW(NULL, free, p.path, p.kind, CASE p.type WHEN 'link' THEN 'atid.cid_link' ELSE p.type END, p.expression, p.most, false, p.description)::view_column;
    END LOOP;

    -- A column that was there keeps its place, so that the view can be replaced.
    SELECT string_agg(format('%s AS %I', w.expression, w.name), ', ' ORDER BY attnum, w.n) INTO definition
    FROM unnest(wanted) WITH ORDINALITY AS w (view, name, path, kind, type, expression, most, filled, description, n)
         LEFT JOIN pg_attribute ON attrelid = this AND attname = w.name;
    definition := format('VIEW %s AS SELECT %s FROM %s AS s WHERE %s%s', full_name, definition, source, rows,
                         CASE WHEN leaves_out THEN format(' AND (%s) IS NOT FALSE', judged) ELSE '' END);
    BEGIN
      EXECUTE 'CREATE OR REPLACE ' || definition;
    EXCEPTION WHEN invalid_table_definition THEN
      rights := ARRAY(SELECT format('GRANT %s ON %s TO %s%s', x.privilege_type, full_name, CASE WHEN x.grantee = 0 THEN 'PUBLIC' ELSE x.grantee::regrole::text END,
                                    CASE WHEN x.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
                      FROM pg_class AS c, aclexplode(c.relacl) AS x WHERE c.oid = this AND x.grantee <> c.relowner);
      dependents := take_dependents(this) || dependents;
      PERFORM drop_view(this);
      EXECUTE 'CREATE ' || definition;
      FOREACH definition IN ARRAY rights LOOP
        EXECUTE definition;
      END LOOP;
      UPDATE view_index AS i SET view = full_name::regclass WHERE i.view = this;
    END;
    DELETE FROM view_column AS k WHERE k.view = this;
    this := full_name::regclass;
    UPDATE view_type AS v SET view = this WHERE v.n = number;
    INSERT INTO view_column SELECT this, w.name, w.path, w.kind, w.type, w.expression, w.most, w.filled, w.description FROM unnest(wanted) AS w;
  END LOOP;
  PERFORM delete_dropped_views();
  PERFORM write_view_comments(target);
  PERFORM make_search(i.view, i.config::regconfig, VARIADIC i.columns) FROM view_index AS i JOIN pg_class ON oid = i.view AND relnamespace = target WHERE i.search;
  PERFORM restore_dependents(dependents);
  PERFORM pg_notify('postgraphile_watch', '{"type":"manual"}');
  FOR t IN SELECT g.missing, g.needed_by FROM lexicon_gaps(make_views.lexicons) AS g
           ORDER BY g.missing LOOP
    RAISE NOTICE 'missing: % (needed by %)', t.missing, t.needed_by;
  END LOOP;
  RETURN (SELECT count(*) FROM view_type JOIN pg_class ON oid = view AND relnamespace = target WHERE nsid IS NOT NULL);
END
$$;

-- Forgets the views that are gone, and drops the indexes that no view has any more: of views, and of columns.
CREATE OR REPLACE FUNCTION delete_dropped_views() RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE i record;
BEGIN
  DELETE FROM view_type WHERE view IS NULL OR NOT EXISTS (SELECT 1 FROM pg_class WHERE oid = view);
  DELETE FROM view_column AS c WHERE NOT EXISTS (SELECT 1 FROM view_type AS t WHERE t.view = c.view);
  FOR i IN
    DELETE FROM view_index AS x
    WHERE NOT EXISTS (SELECT 1 FROM view_type AS t WHERE t.view = x.view)
       OR NOT x.columns <@ ARRAY(SELECT c.name FROM view_column AS c WHERE c.view = x.view AND c.kind IN ('own', 'property')
                               AND (NOT x.search OR c.kind = 'property' AND c.type = 'text'))
    RETURNING x.index
  LOOP
    PERFORM drop_view_index(to_regclass(i.index));
  END LOOP;
END
$$;

CREATE OR REPLACE FUNCTION drop_view_index(old regclass) RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF old IS NOT NULL AND NOT EXISTS (SELECT 1 FROM view_index AS i WHERE to_regclass(i.index) = old) THEN
    EXECUTE format('DROP INDEX %s', view_full_name(old));
  END IF;
END
$$;

-- The comments of a view. Engines take its keys from them: PostGraphile @primaryKey, @foreignKey and @unique, and
-- pg_graphql @graphql, which PostGraphile is to take for a tag that it does not know.
CREATE OR REPLACE FUNCTION write_view_comment(of regclass) RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  this view_type;
  tags text;
  keys jsonb;
  named text;
  c record;
BEGIN
  SELECT * INTO this FROM view_type AS t WHERE t.view = of;
  SELECT string_agg(format('@foreignKey (%s) references %s.%s (%s)', f.name, n.nspname, r.relname, f.key), E'\n' ORDER BY f.name, r.relname),
         jsonb_agg(jsonb_build_object('local_columns', ARRAY[f.name], 'foreign_schema', n.nspname,
                                      'foreign_table', r.relname, 'foreign_columns', ARRAY[f.key]) ORDER BY f.name, r.relname)
  INTO tags, keys
  FROM (SELECT k.name, 'uri' AS key, aim.view AS aim
        FROM view_reference AS p JOIN view_column AS k ON k.view = of AND k.path = p.path AND k.type = 'atid.at_uri' JOIN view_type AS aim ON aim.nsid = p.target
        WHERE p.nsid = this.nsid
        UNION
        SELECT k.name, 'did', this.accounts FROM view_column AS k WHERE k.view = of AND k.type = 'atid.did'
        UNION
        -- the one record of an account; between two such types one join is enough, as engines follow it both ways
        SELECT k.name, 'did', aim.view FROM view_column AS k CROSS JOIN view_type AS aim
        WHERE k.view = of AND k.type = 'atid.did' AND aim.only_key IS NOT NULL AND (k.path IS NOT NULL OR aim.view <> of AND (this.only_key IS NULL OR this.nsid < aim.nsid))) AS f
    JOIN pg_class AS r ON r.oid = f.aim AND r.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = of) JOIN pg_namespace AS n ON n.oid = r.relnamespace;
  -- 1.3.0 has given views the names that PostGraphile is told of others
  SELECT n INTO named
  FROM pg_class AS v, LATERAL (SELECT concat_ws('_', reserved_view_name(v.relname), nullif(i, 1)) AS n FROM generate_series(1, 10000) AS i OFFSET 0) AS f
  WHERE v.oid = of AND reserved_view_name(v.relname) <> v.relname
    AND NOT EXISTS (SELECT 1 FROM pg_class AS o WHERE o.relnamespace = v.relnamespace AND o.relkind IN ('r', 'v', 'm', 'p', 'f') AND view_stem(o.relname) = view_stem(n)) LIMIT 1;
  EXECUTE format('COMMENT ON VIEW %s IS %L', view_full_name(of), concat_ws(E'\n', '@primaryKey uri', '@name ' || named, CASE WHEN this.only_key IS NOT NULL THEN '@unique did' END, tags,
    format('@pgGraphql @graphql(%s)', jsonb_build_object('primary_key_columns', '{uri}'::text[], 'foreign_keys', coalesce(keys, '[]'))), view_text(this.description)));
  FOR c IN
    SELECT k.name, concat_ws(E'\n', CASE WHEN k.filled THEN '@notNull' END,
             CASE WHEN i.sorts THEN '@behavior +attribute:orderBy +attribute:filterBy +attribute:filter'
                  WHEN i.sorts IS NOT NULL OR k.name IN ('conforms', 'hidden') AND k.path IS NULL THEN '@behavior +attribute:filterBy +attribute:filter' END,
             view_text(k.description)) AS comment
    FROM view_column AS k LEFT JOIN (
      SELECT i.columns[1] AS name, bool_or(i.definition LIKE '% USING btree %') AS sorts FROM view_index AS i WHERE i.view = of AND NOT i.search GROUP BY 1) AS i USING (name)
    WHERE k.view = of
  LOOP
    EXECUTE format('COMMENT ON COLUMN %s.%I IS %L', view_full_name(of), c.name, nullif(c.comment, ''));
  END LOOP;
END
$$;

-- The comments of all views of a schema: they have the joins that view_reference has now.
CREATE OR REPLACE FUNCTION write_view_comments(target regnamespace) RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  PERFORM write_view_comment(v.view) FROM view_type AS v JOIN pg_class AS c ON c.oid = v.view
  WHERE c.relnamespace = target AND v.nsid IS NOT NULL;
  PERFORM pg_notify('postgraphile_watch', '{"type":"manual"}');
END
$$;

-- The views of the indexer: over its records, by its Lexicons, with a view of its accounts.
CREATE OR REPLACE FUNCTION make_views(target regnamespace, conforming bool DEFAULT NULL) RETURNS bigint LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  account text := format('%s.account', target);
BEGIN
  IF to_regclass('record') IS NULL OR to_regclass('identity') IS NULL OR to_regclass('lexicons') IS NULL THEN
    RAISE undefined_table USING MESSAGE = 'make_views(target) needs the tables of the indexer',
      HINT = 'Give the Lexicons and the source: make_views(lexicons, source, target).';
  END IF;
  PERFORM delete_dropped_views();
  -- a table or view of this name that was there is yours
  IF to_regclass(account) IS NULL OR EXISTS (SELECT 1 FROM view_type AS t WHERE t.view = to_regclass(account) AND t.nsid IS NULL) THEN
    EXECUTE format('CREATE OR REPLACE VIEW %s AS SELECT i.did, i.handle, i.host AS pds, %s AS hidden FROM identity AS i', account,
                   view_hidden('atid.at_uri_make(i.did::text)'));
    EXECUTE format('COMMENT ON VIEW %s IS %L', account, E'@primaryKey did\n@pgGraphql @graphql({"primary_key_columns": ["did"]})\nAn account.');
    EXECUTE format('COMMENT ON COLUMN %s.did IS %L', account, E'@notNull\n@behavior +attribute:filterBy +attribute:filter\nIts DID.');
    EXECUTE format('COMMENT ON COLUMN %s.handle IS %L', account, E'@behavior +attribute:filterBy +attribute:filter\nIts handle, as it says itself.');
    EXECUTE format('COMMENT ON COLUMN %s.pds IS %L', account, 'The origin of its server.');
    EXECUTE format('COMMENT ON COLUMN %s.hidden IS %L', account, E'@notNull\nDoes a label hide it?');
    INSERT INTO view_type (view, source, condition) VALUES (account::regclass, 'identity'::regclass, 'true') ON CONFLICT (view) DO NOTHING;
  END IF;
  RETURN make_views((SELECT atid.lexicon_agg(l.lexicons) FROM lexicons AS l), 'record'::regclass, target, account::regclass, conforming);
END
$$;

-- An index that somebody makes by index_commands has a name that tells its definition.
CREATE OR REPLACE FUNCTION view_index_name(label text, whole text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN left(label, 54) || '_' || left(md5(whole), 8);

-- Makes an index with this definition, unless it is there, and drops the one that had its place. Views over one source
-- share it.
CREATE OR REPLACE FUNCTION store_view_index(of regclass, wanted name[], is_search bool, label text, definition text, config text) RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  source CONSTANT regclass NOT NULL := (SELECT t.source FROM view_type AS t WHERE t.view = of);
  space CONSTANT regnamespace NOT NULL := (SELECT relnamespace FROM pg_class WHERE oid = source);
  statistics CONSTANT name NOT NULL := (SELECT left(relname, 40) || '_collection_stats' FROM pg_class WHERE oid = source);
  whole CONSTANT text NOT NULL := format('%s %s', view_full_name(source), definition);
  old view_index;
  found_index regclass;
  free text;
BEGIN
  -- The statistics tell the planner how many of the records a view has.
  IF NOT EXISTS (SELECT 1 FROM pg_statistic_ext WHERE stxname = statistics AND stxnamespace = space) THEN
    EXECUTE format('CREATE STATISTICS %s.%I ON (atid.at_uri_collection(uri)) FROM %s', space, statistics, view_full_name(source));
  END IF;
  IF EXISTS (SELECT 1 FROM view_index AS i JOIN pg_index AS x ON x.indexrelid = to_regclass(i.index) AND x.indrelid = source AND x.indisvalid
             WHERE i.view = of AND i.search = is_search AND i.columns = wanted AND i.definition = whole) THEN
    RETURN;
  END IF;
  FOR old IN DELETE FROM view_index AS i WHERE i.view = of AND i.search = is_search AND (is_search OR i.columns = wanted) RETURNING * LOOP
    PERFORM drop_view_index(to_regclass(old.index));
  END LOOP;
  SELECT x.indexrelid INTO found_index FROM view_index AS i JOIN pg_index AS x ON x.indexrelid = to_regclass(i.index) AND x.indrelid = source AND x.indisvalid
  WHERE i.definition = whole LIMIT 1;
  IF NOT FOUND THEN
    SELECT x.indexrelid INTO found_index FROM pg_index AS x
    WHERE x.indexrelid = to_regclass(format('%s.%I', space, view_index_name(label, whole))) AND x.indrelid = source AND x.indisvalid;
  END IF;
  IF NOT FOUND THEN
    SELECT n INTO free FROM (SELECT concat_ws('_', label, nullif(i, 1)) AS n FROM generate_series(1, 10000) AS i OFFSET 0) AS f
    WHERE to_regclass(format('%s.%I', space, n)) IS NULL LIMIT 1;
    EXECUTE format('CREATE INDEX %I ON %s', free, whole);
    found_index := format('%s.%I', space, free)::regclass;
  END IF;
  INSERT INTO view_index VALUES (of, wanted, is_search, view_full_name(found_index), whole, config);
END
$$;

-- The commands that make an index while others write. They set the search_path: in a schema of it somebody may have
-- planted functions of the names that the index uses.
CREATE OR REPLACE FUNCTION index_commands(of regclass, label text, definition text) RETURNS SETOF text LANGUAGE plpgsql
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
    AND (x.indexrelid = to_regclass(format('%s.%I', space, called)) OR x.indexrelid IN (SELECT to_regclass(i.index) FROM view_index AS i WHERE i.definition = whole));
  IF is_valid THEN RETURN; END IF;
  RETURN NEXT 'SET search_path = pg_catalog, pg_temp';
  IF NOT is_valid THEN  -- an attempt that has failed
    RETURN NEXT format('DROP INDEX CONCURRENTLY IF EXISTS %s.%I', space, called);
  END IF;
  RETURN NEXT format('CREATE INDEX CONCURRENTLY %I ON %s', called, whole);
  RETURN NEXT 'RESET search_path';
END
$$;

-- The row of view_type that a view of records has.
CREATE OR REPLACE FUNCTION resolve_view_type(of regclass) RETURNS view_type LANGUAGE plpgsql STABLE
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  this view_type;
BEGIN
  SELECT * INTO this FROM view_type AS t WHERE t.view = of AND t.nsid IS NOT NULL;
  IF NOT FOUND THEN
    RAISE undefined_table USING MESSAGE = format('%s is not a view of make_views', of);
  END IF;
  RETURN this;
END
$$;

-- An index for queries of a view by these columns, in this order. A text without a bound has one by its hash, which
-- takes any length and finds what is equal; what is jsonb has one that finds what it contains.
CREATE OR REPLACE FUNCTION plan_view_index(view regclass, columns name[], OUT of regclass, OUT label text, OUT definition text) LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  this view_type;
  missing name;
  loose name;
  total int;
  method text;
  expressions text;
BEGIN
  this := resolve_view_type(view);
  SELECT w.name INTO missing FROM unnest(columns) AS w (name)
  WHERE NOT EXISTS (SELECT 1 FROM view_column AS c WHERE c.view = this.view AND c.name = w.name AND c.kind IN ('own', 'property')) LIMIT 1;
  IF FOUND THEN
    RAISE undefined_column USING MESSAGE = format('view %s has no column %I that an index can have', view, missing);
  END IF;
  SELECT sum(c.most + 8), min(c.name) FILTER (WHERE c.most IS NULL OR c.type = 'text' AND c.most > 1000), string_agg(format('(%s)', c.expression), ', ' ORDER BY w.n)
  INTO total, loose, expressions
  FROM unnest(columns) WITH ORDINALITY AS w (name, n) JOIN view_column AS c ON c.view = this.view AND c.name = w.name;
  IF loose IS NULL THEN
    IF total > 2640 THEN
      RAISE program_limit_exceeded USING MESSAGE = format('an index on these columns of %s could have entries of %s bytes', view, total),
        DETAIL = 'An entry has at most 2640 bytes, so that no record is kept out.', HINT = 'Take fewer columns.';
    END IF;
    method := 'btree';
  ELSIF cardinality(columns) > 1 THEN
    RAISE program_limit_exceeded USING MESSAGE = format('column %I of %s can only have an index of its own', loose, view),
      DETAIL = 'Its Lexicon gives no bound of at most 1000 bytes, and an entry of an index with several columns has one.';
  ELSIF (SELECT type FROM view_column AS c WHERE c.view = this.view AND c.name = loose) = 'jsonb' THEN
    method := 'gin';
    expressions := expressions || ' jsonb_path_ops';
  ELSE
    method := 'hash';
  END IF;
  of := this.view;
  label := view_name(ARRAY[this.nsid] || columns::text[]);
  definition := format('USING %s (%s) WHERE %s', method, expressions, this.condition);
END
$$;

-- Those who write wait while the index is made. Where they must not, run what view_index_commands says, outside of a
-- transaction, in psql by \gexec, and call make_view_index then: it takes the index that is there.
CREATE OR REPLACE FUNCTION make_view_index(view regclass, VARIADIC columns name[]) RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  i record;
BEGIN
  i := plan_view_index(view, columns);
  PERFORM store_view_index(i.of, columns, false, i.label, i.definition, NULL);
  PERFORM write_view_comment(i.of);
  PERFORM pg_notify('postgraphile_watch', '{"type":"manual"}');
END
$$;

CREATE OR REPLACE FUNCTION view_index_commands(view regclass, VARIADIC columns name[]) RETURNS SETOF text LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN QUERY SELECT c.* FROM plan_view_index(view, columns) AS i, index_commands(i.of, i.label, i.definition) AS c;
END
$$;

-- The configuration of a search by the language of a record; the languages are those that the server knows.
CREATE OR REPLACE FUNCTION view_languages() RETURNS TABLE (code text, config text) LANGUAGE sql IMMUTABLE PARALLEL SAFE BEGIN ATOMIC
  SELECT l.code, l.config
  FROM unnest('{ar,ca,da,de,el,en,es,eu,fi,fr,ga,hi,hu,hy,id,it,lt,ne,nl,no,pt,ro,ru,sr,sv,ta,tr,yi}'::text[],
    '{arabic,catalan,danish,german,greek,english,spanish,basque,finnish,french,irish,hindi,hungarian,armenian,indonesian,italian,
      lithuanian,nepali,dutch,norwegian,portuguese,romanian,russian,serbian,swedish,tamil,turkish,yiddish}'::text[]) AS l (code, config);
END;

-- The words of some texts, the first of which weighs most. No text is too long for it: a tsvector has at most 1 MB. The
-- server's parser reads on to the end for each "<!--", so there are none. Literals have types, as functions of the search
-- run with anybody's search_path.
CREATE OR REPLACE FUNCTION view_words(texts text[], config text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT string_agg(format('setweight(to_tsvector(%s, translate(left(coalesce(%s, ''''::text), %s), ''<''::text, '' ''::text)), %L::"char")', config, t, 50000 / cardinality(texts),
                                 substr('ABCD', least(n, 4)::int, 1)), ' || ' ORDER BY n)
        FROM unnest(texts) WITH ORDINALITY AS u (t, n)
$$;

-- An index of the words of these columns, and two functions beside the view: search_VIEW(query), and VIEW_rank(row,
-- query), how well a row fits. The query is what people type into search engines. Without config, the first of a
-- record's langs says in which language its words are.
CREATE OR REPLACE FUNCTION plan_search_index(view regclass, config text, columns name[], OUT of regclass, OUT label text, OUT definition text) LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  this view_type;
  missing name;
  expressions text[];
BEGIN
  this := resolve_view_type(view);
  SELECT w.name INTO missing FROM unnest(columns) AS w (name)
  WHERE NOT EXISTS (SELECT 1 FROM view_column AS c WHERE c.view = this.view AND c.name = w.name AND c.kind = 'property' AND c.type = 'text') LIMIT 1;
  IF FOUND THEN
    RAISE undefined_column USING MESSAGE = format('view %s has no column %I of text that can be searched', view, missing);
  END IF;
  expressions := ARRAY(SELECT c.expression FROM unnest(columns) WITH ORDINALITY AS w (name, n)
                       JOIN view_column AS c ON c.view = this.view AND c.name = w.name ORDER BY w.n);
  of := this.view;
  label := view_name(ARRAY[this.nsid, 'search']);
  definition := format('USING gin ((%s)) WHERE %s', view_words(expressions, search_config(this.view, config, true)), this.condition);
END
$$;

-- The name of a configuration, whatever the search_path of who uses it is.
CREATE OR REPLACE FUNCTION view_config_name(config regconfig) RETURNS text LANGUAGE sql STABLE STRICT
RETURN (SELECT format('%I.%I', nspname, cfgname) FROM pg_ts_config AS c JOIN pg_namespace AS n ON n.oid = cfgnamespace WHERE c.oid = config);

CREATE OR REPLACE FUNCTION make_search(view regclass, config regconfig, VARIADIC columns name[]) RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  i record;
BEGIN
  i := plan_search_index(view, view_config_name(config), columns);
  PERFORM store_view_index(i.of, columns, true, i.label, i.definition, view_config_name(config));
  PERFORM make_search_functions(i.of);
  PERFORM pg_notify('postgraphile_watch', '{"type":"manual"}');
END
$$;

-- The same for a search: make_search takes the index then.
CREATE OR REPLACE FUNCTION search_index_commands(view regclass, config regconfig, VARIADIC columns name[]) RETURNS SETOF text LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN QUERY SELECT c.* FROM plan_search_index(view, view_config_name(config), columns) AS i, index_commands(i.of, i.label, i.definition) AS c;
END
$$;

CREATE OR REPLACE FUNCTION make_search(view regclass, VARIADIC columns name[]) RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  PERFORM make_search(view, NULL::regconfig, VARIADIC columns);
END
$$;

-- The configuration of a row's words, as an expression over the source or the row v of the view.
CREATE OR REPLACE FUNCTION search_config(of regclass, config text, over_source bool) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN config IS NOT NULL THEN format('%L::regconfig', config) WHEN c.name IS NULL THEN '''pg_catalog.simple''::regconfig'
    ELSE format('CASE lower(split_part((%s) ->> 0, ''-'', 1))%s ELSE ''pg_catalog.simple''::regconfig END',
      CASE WHEN over_source THEN c.expression ELSE format('v.%I', c.name) END,
      (SELECT string_agg(format(' WHEN %L THEN ''pg_catalog.%s''::regconfig', l.code, l.config), '' ORDER BY l.code) FROM view_languages() AS l)) END
  FROM (SELECT) AS one LEFT JOIN view_column AS c ON c.view = of AND c.path = '{langs}' AND c.kind = 'property' AND c.type = 'jsonb'
$$;

-- The functions of a search. The planner puts the first into the query that calls it, so it uses the index. OFFSET 0
-- has it find the words first: it takes them for cheap to look for in each row, which they are not. A row is looked at
-- with the language of its own only if the query leaves words out.
CREATE OR REPLACE FUNCTION make_search_functions(of regclass) RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  s view_index;
  space CONSTANT name NOT NULL := (
    SELECT nspname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace WHERE c.oid = of);
  called CONSTANT name NOT NULL := (SELECT relname FROM pg_class WHERE oid = of);
  words text;
  own text;
  every text;
  body text;
BEGIN
  SELECT * INTO s FROM view_index AS i WHERE i.view = of AND i.search;
  own := format('websearch_to_tsquery(%s, left(query, 500))', search_config(of, s.config, false));
  words := view_words(ARRAY(SELECT format('v.%I', c) FROM unnest(s.columns) AS c), search_config(of, s.config, false));
  IF own LIKE '%CASE%' THEN
    SELECT format('(SELECT string_agg(DISTINCT ''('' || q::text || '')'', '' | '')::tsquery FROM (VALUES %s) AS w (q) WHERE numnode(q) > 0)',
                  string_agg(format('(websearch_to_tsquery(''pg_catalog.%s''::regconfig, left(query, 500)))', l.config), ', ')) INTO every
    FROM (SELECT config FROM view_languages() UNION ALL SELECT 'simple') AS l;
    body := format('(%s) @@ %s AND (strpos(query, ''-'') = 0 OR (%s) @@ %s)', words, every, words, own);
  ELSE
    body := format('(%s) @@ %s', words, own);
  END IF;
  body := format('SELECT v.* FROM %s AS v WHERE %s OFFSET 0', view_full_name(of), body);
  EXECUTE format('CREATE OR REPLACE FUNCTION %I.%I(query text) RETURNS SETOF %s LANGUAGE sql STABLE PARALLEL SAFE AS %L',
                 space, view_name(ARRAY['search', called]), view_full_name(of), body);
  EXECUTE format('CREATE OR REPLACE FUNCTION %I.%I(v %s, query text) RETURNS real LANGUAGE sql STABLE PARALLEL SAFE AS %L',
                 space, view_name(ARRAY[called, 'rank']), view_full_name(of), format('SELECT ts_rank(%s, %s)', words, own));
END
$$;

-- Fills view_reference from the table reference of the indexer: with the types at which at least one in a hundred of a
-- column's references points, so that no stranger adds one. Of a large table it reads a million rows.
CREATE OR REPLACE FUNCTION find_references() RETURNS bigint LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  part float8;
  found_ones bigint;
BEGIN
  IF to_regclass('reference') IS NULL THEN
    RAISE undefined_table USING MESSAGE = 'find_references() needs the table reference of the indexer', HINT = 'Fill view_reference by hand.';
  END IF;
  SELECT least(100, 1e8 / greatest(reltuples, 1)) INTO part FROM pg_class WHERE oid = 'reference'::regclass;
  WITH seen AS (
    SELECT r.collection, r.path, atid.at_uri_collection(r.subject)::text AS target, count(*) AS n, sum(count(*)) OVER (PARTITION BY r.collection, r.path) AS of
    FROM reference AS r TABLESAMPLE SYSTEM (part) GROUP BY 1, 2, 3
  ), fresh AS (
    INSERT INTO view_reference (nsid, path, target)
    SELECT DISTINCT t.nsid, c.path, s.target
    FROM view_column AS c JOIN view_type AS t ON t.view = c.view JOIN seen AS s ON s.collection = t.nsid AND s.path = view_field(c.path)
    WHERE c.kind = 'property' AND c.type = 'atid.at_uri' AND s.target IS NOT NULL AND s.n * 100 >= s.of
    ON CONFLICT DO NOTHING RETURNING 1
  )
  SELECT count(*) INTO found_ones FROM fresh;
  RETURN found_ones;
END
$$;

-- The same for the columns of which view_reference has nothing yet, by their b-trees: it reads at most
-- 1,000 values of each, however large the tables are, and so can be called every few seconds.
CREATE OR REPLACE FUNCTION find_new_references() RETURNS bigint LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  c record;
  n bigint;
  found_ones bigint := 0;
BEGIN
  FOR c IN
    SELECT DISTINCT ON (t.nsid, k.path) t.nsid, k.path, k.expression, t.condition,
           view_full_name(t.source) AS source
    FROM view_column AS k JOIN view_type AS t ON t.view = k.view
         JOIN view_index AS i ON i.view = k.view AND i.columns[1] = k.name AND NOT i.search
    WHERE k.kind = 'property' AND k.type = 'atid.at_uri' AND t.nsid IS NOT NULL
      AND i.definition LIKE '% USING btree %' AND to_regclass(i.index) IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM view_reference AS r WHERE r.nsid = t.nsid AND r.path = k.path)
    ORDER BY t.nsid, k.path
  LOOP
    -- in the order of the index, so that no plan reads the table
    EXECUTE format('WITH seen AS (
        SELECT atid.at_uri_collection(v.aim)::text AS target, count(*) AS n,
               sum(count(*)) OVER () AS of
        FROM (SELECT %1$s AS aim FROM %2$s
              WHERE %3$s AND (%1$s) IS NOT NULL ORDER BY 1 LIMIT 1000) AS v
        GROUP BY 1)
      INSERT INTO view_reference (nsid, path, target)
      SELECT $1, $2, s.target FROM seen AS s WHERE s.target IS NOT NULL AND s.n * 100 >= s.of
      ON CONFLICT DO NOTHING', c.expression, c.source, c.condition) USING c.nsid, c.path;
    GET DIAGNOSTICS n = ROW_COUNT;
    found_ones := found_ones + n;
  END LOOP;
  RETURN found_ones;
END
$$;

-- A path as the table reference of the indexer names it.
CREATE OR REPLACE FUNCTION view_field(path text[]) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT regexp_replace(ltrim(string_agg(CASE WHEN k ~ '^[A-Za-z_$][A-Za-z0-9_$]*$' THEN '.' || k ELSE format('[%s]', to_jsonb(k)) END, '' ORDER BY n), '.'),
                        '(.)\.uri$', '\1')
  FROM unnest(path) WITH ORDINALITY AS u (k, n)
$$;
