-- The references of records.

-- A new database stores collections and paths as symbols, which take a few bytes where they are
-- well known, if the extension has the type.
DO $$
BEGIN
  IF to_regtype('atid.symbol') IS NULL OR NOT is_as_created('reference') THEN RETURN; END IF;
  DROP TABLE reference;
  CREATE TABLE reference (
    tid        atid.tid NOT NULL,     -- the record key, or the lowest TID where that is none
    subject    atid.at_uri NOT NULL,
    collection atid.symbol NOT NULL,  -- of the record,
    path       atid.symbol NOT NULL,  -- and the field, as reply.parent; '': too long
    uri        atid.at_uri NOT NULL
  );
  CREATE INDEX reference_subject ON reference (subject, collection, path, tid);
  CREATE INDEX reference_uri ON reference (uri);
EXCEPTION WHEN dependent_objects_still_exist THEN
  NULL;  -- somebody has a view of it
END $$;

-- The path of a field, from the field that record_refs returns: without "$." at its beginning and
-- ".uri" at its end, so that a reference and a strong reference have the same path. A path that is
-- too long for an index is empty.
CREATE OR REPLACE FUNCTION reference_path(field text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN octet_length(field) > 512 THEN ''
  ELSE regexp_replace(substr(field, CASE WHEN starts_with(field, '$.') THEN 3 ELSE 2 END),
                      '(.)\.uri$', '\1') END;

-- The references in a block: the first `most`, each with its fields. There are none if the codec
-- refuses the block, which dag_cbor_ref_uris reports without an error.
CREATE OR REPLACE FUNCTION block_references(
  block bytea, most int
) RETURNS TABLE (subject atid.at_uri, path text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT DISTINCT s.subject, reference_path(s.field)
  FROM (SELECT coalesce(f.uri, atid.at_uri_make(f.did::text)) AS subject, f.field
        FROM atid.dag_cbor_refs(CASE WHEN atid.dag_cbor_ref_uris(block) <> '{}' THEN block END) AS f
        LIMIT most) AS s
  WHERE octet_length(s.subject::text) <= 1200
$$;

-- The references of the records in the table op; the caller has called enter_writers(). References
-- to excluded accounts are left out. Each account with more than 20 kB of blocks is read
-- separately, and its references are limited to most_references, plus 20 for each record and one
-- for each 30 bytes of a block, the length of a DID, counted once for a block that many records
-- share: so no repository can make a hundred million. The other accounts come first, as NULL.
CREATE OR REPLACE FUNCTION read_op_references() RETURNS TABLE (
  subject atid.at_uri, collection text, path text, tid atid.tid, uri atid.at_uri
) LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
  most CONSTANT int := (SELECT s.most_references FROM settings AS s);
  shut CONSTANT bool := EXISTS (SELECT 1 FROM exclusion);
  large CONSTANT atid.did[] := ARRAY(SELECT op.did FROM op WHERE op.block IS NOT NULL
                                     GROUP BY op.did HAVING sum(octet_length(op.block)) > 20000);
  one atid.did;
BEGIN
  FOREACH one IN ARRAY NULL::atid.did || large LOOP
    RETURN QUERY
    SELECT p.subject, r.collection, p.path, r.tid, r.uri
    FROM (SELECT op.collection, op.uri, op.block,
                 coalesce(atid.at_uri_tid(op.uri), '2222222222222') AS tid
          FROM op WHERE op.block IS NOT NULL
            AND CASE WHEN one IS NULL THEN op.did <> ALL (large) ELSE op.did = one END
          OFFSET 0) AS r
         CROSS JOIN block_references(r.block, most) AS p
    WHERE NOT shut OR NOT EXISTS (SELECT 1 FROM exclusion AS x
                                  WHERE x.did = atid.at_uri_did(p.subject))
    LIMIT CASE WHEN one IS NOT NULL
            THEN most + (SELECT sum(20 * b.records + b.bytes / 30)
                         FROM (SELECT count(*) AS records, max(octet_length(op.block)) AS bytes
                               FROM op WHERE op.did = one AND op.block IS NOT NULL
                               GROUP BY op.cid) AS b)::bigint END;
  END LOOP;
END $$;
