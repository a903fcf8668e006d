-- Writes the table op, and what follows from it.
CREATE OR REPLACE FUNCTION write_records() RETURNS void LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  rules CONSTANT atid.lexicon := (SELECT atid.lexicon_agg(l.lexicons) FROM lexicons AS l);
  most CONSTANT int := (SELECT most_references FROM settings);
  shut bool;
  old CONSTANT atid.at_uri[] := ARRAY(SELECT op.uri FROM op WHERE NOT fresh);
  gone CONSTANT atid.at_uri[] := ARRAY(SELECT op.uri FROM op WHERE block IS NULL);
  whose CONSTANT atid.did[] := ARRAY(SELECT DISTINCT op.did FROM op WHERE block IS NULL);
  large CONSTANT atid.did[] := ARRAY(SELECT op.did FROM op WHERE block IS NOT NULL
                                     GROUP BY op.did HAVING sum(octet_length(op.block)) > 20000);
  one atid.did;
BEGIN
  PERFORM enter_writers();
  shut := EXISTS (SELECT 1 FROM exclusion);
  IF old <> '{}' THEN DELETE FROM reference WHERE uri = ANY (old); END IF;
  IF gone <> '{}' THEN DELETE FROM record WHERE uri = ANY (gone) AND did = ANY (whose); END IF;
  INSERT INTO record AS r (uri, did, cid, block, conforms)
  SELECT uri, did, cid, block, atid.dag_cbor_conforms(block, rules, collection)
  FROM op WHERE block IS NOT NULL
  ON CONFLICT (uri, did) DO UPDATE
  SET cid = excluded.cid, block = excluded.block, conforms = excluded.conforms;
  -- Nothing points at an account that is excluded. Accounts with more than 20 kB of blocks come
  -- each alone. They have no more references than most, 20 for each record and one for each 30
  -- bytes of a block, which a DID takes, once for a block that many records have: so no repository
  -- makes a hundred million. The others come first, as NULL.
  FOREACH one IN ARRAY NULL::atid.did || large LOOP
    INSERT INTO reference (subject, collection, path, tid, uri)
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
  IF EXISTS (SELECT 1 FROM reader) THEN
    PERFORM add_changes();
  END IF;
  DELETE FROM op;
END $$;
