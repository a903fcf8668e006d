-- The properties of a record type, read from its Lexicon.

-- A schema with its context: a reference is replaced by its definition, and "home" is the document
-- to which further references are relative.
CREATE OR REPLACE FUNCTION view_schema(lexicons atid.lexicon, home text, schema jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN schema->>'type' = 'ref' THEN (
    SELECT coalesce(
             atid.lexicon_document(lexicons, nsid)
               #> ARRAY['defs', coalesce(nullif(split_part(schema->>'ref', '#', 2), ''), 'main')],
             '{}')
           || jsonb_strip_nulls(
                jsonb_build_object('home', nsid, 'description', schema->'description'))
    FROM coalesce(nullif(split_part(schema->>'ref', '#', 1), ''), home) AS nsid)
  ELSE schema || jsonb_build_object('home', home) END;

-- The type of a property's column; "link" is a link to a CID, which has another form in a record.
CREATE OR REPLACE FUNCTION property_type(schema jsonb) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE schema->>'type'
  WHEN 'string' THEN CASE schema->>'format'
    WHEN 'at-uri' THEN 'atid.at_uri'
    WHEN 'did' THEN 'atid.did'
    WHEN 'tid' THEN 'atid.tid'
    WHEN 'cid' THEN 'atid.cid_link'
    WHEN 'datetime' THEN 'timestamptz'
    ELSE 'text' END
  WHEN 'token' THEN 'text'
  WHEN 'cid-link' THEN 'link'
  WHEN 'integer' THEN 'bigint'
  WHEN 'boolean' THEN 'boolean'
  ELSE 'jsonb' END;

-- The maximum size of a value of the column in bytes; NULL: there is no bound.
CREATE OR REPLACE FUNCTION property_bound(schema jsonb, type text) RETURNS int
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE type
  WHEN 'atid.at_uri' THEN 1200
  WHEN 'atid.did' THEN 512
  WHEN 'atid.cid_link' THEN 256
  WHEN 'link' THEN 256
  WHEN 'jsonb' THEN NULL
  WHEN 'text' THEN CASE
    WHEN jsonb_path_match(schema, '$.maxLength <= 1000000', silent => true)
    THEN (schema->>'maxLength')::numeric::int
    WHEN schema->>'type' = 'token' OR schema ?| '{enum,knownValues,const}'
      OR schema->>'format' IN ('language', 'handle', 'nsid', 'record-key', 'at-identifier')
    THEN 1000 END
  ELSE 16 END;

-- The columns of a record type: each property of the record, and the strings, numbers and truth
-- values of objects in it, to a path of three steps: reply.parent.uri is the column
-- reply_parent_uri. A text that is longer than its Lexicon allows is NULL in the view, which bounds
-- the size of an application's page. Objects that refer to themselves can have more properties than
-- a view can have columns, 1,600: the view has those of the shortest paths.
CREATE OR REPLACE FUNCTION view_properties(lexicons atid.lexicon, nsid text,
  OUT name text, OUT path text[], OUT kind text, OUT type text, OUT most int, OUT description text)
RETURNS SETOF record LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
  WITH RECURSIVE property (path, schema) AS (
    SELECT ARRAY[key], view_schema(lexicons, view_properties.nsid, value)
    FROM jsonb_each(atid.lexicon_document(lexicons, view_properties.nsid)
                      #> '{defs,main,record,properties}')
    UNION ALL
    SELECT path || key, view_schema(lexicons, schema->>'home', value)
    FROM property, jsonb_each(schema->'properties')
    WHERE schema->>'type' = 'object' AND cardinality(path) < 3
  ), typed AS (
    SELECT path, schema, property_type(schema) AS type
    FROM (SELECT * FROM property LIMIT 780) AS first_ones  -- a blob has two columns
  )
  SELECT view_name(path), path, 'property', type, property_bound(schema, type),
         schema->>'description'
  FROM typed WHERE cardinality(path) = 1 OR type <> 'jsonb'
  UNION ALL
  SELECT view_name(path || '{url}'::text[]), path, 'url', 'text', NULL,
         'The address of the blob at the server of its account.'
  FROM typed WHERE schema->>'type' = 'blob';
END;

-- The definitions that the record types of a set need and the set lacks, and the first three types
-- that need each.
CREATE OR REPLACE FUNCTION lexicon_gaps(
  lexicons atid.lexicon, OUT missing text, OUT needed_by text
) RETURNS SETOF record LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
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
