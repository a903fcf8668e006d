-- The records. They are stored in one of two forms:
--
--   packed   the table packed_record has the blocks as atid.block, and of the CIDs only those that
--            do not follow from the block; the view record shows the records with did and cid. A
--            new database has this form.
--   plain    the table record, of migration 1: a database of an earlier release, until
--            "atid-indexer pack"; with Citus, which distributes records by the column did; and with
--            an extension without atid.block.
--
-- Everybody reads record, whose columns are the same in both. Only the functions in this file, and
-- write_live_records(), write the table.

-- The table that stores the records.
CREATE OR REPLACE FUNCTION record_table() RETURNS regclass LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
RETURN coalesce(to_regclass('indexer.packed_record'), to_regclass('indexer.record'));

CREATE OR REPLACE FUNCTION is_packed() RETURNS bool LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
RETURN to_regclass('indexer.packed_record') IS NOT NULL;

-- Returns is_packed(), and keeps it as it is until the end of the transaction: "atid-indexer pack"
-- locks the table record to replace it.
CREATE OR REPLACE FUNCTION hold_form() RETURNS bool LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF is_packed() THEN RETURN true; END IF;
  LOCK TABLE record IN ACCESS SHARE MODE;
  RETURN is_packed();
END $$;

-- The CID to be stored with a packed block: NULL, if it is that of the block as DAG-CBOR. (A tree
-- can have any CID; the codec, for instance, can be raw.)
CREATE OR REPLACE FUNCTION unusual_cid(cid atid.cid_link) RETURNS atid.cid_link
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN NOT atid.cid_is_blessed(cid) OR atid.cid_codec(cid) <> 'dag-cbor' THEN cid END;

-- The statement that adds the records of the table op, which are valid by the Lexicons $1, to a
-- table: record, packed_record, or one of a day.
CREATE OR REPLACE FUNCTION record_insert(target text) RETURNS text LANGUAGE sql STABLE
SET search_path = indexer, pg_temp
RETURN format(CASE WHEN is_packed()
  THEN 'INSERT INTO %s (uri, block, conforms, unusual_cid) '
       'SELECT uri, block, atid.dag_cbor_conforms(block, $1, collection), '
       'indexer.unusual_cid(cid) FROM pg_temp.op WHERE block IS NOT NULL'
  ELSE 'INSERT INTO %s (uri, did, cid, block, conforms) '
       'SELECT uri, did, cid, block, atid.dag_cbor_conforms(block, $1, collection) '
       'FROM pg_temp.op WHERE block IS NOT NULL' END, target);

-- Adds the records of the table op, or replaces them.
CREATE OR REPLACE FUNCTION store_records(rules atid.lexicon) RETURNS void LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  IF hold_form() THEN
    INSERT INTO packed_record (uri, block, conforms, unusual_cid)
    SELECT uri, block, atid.dag_cbor_conforms(block, rules, collection), unusual_cid(cid)
    FROM op WHERE block IS NOT NULL
    ON CONFLICT (uri) DO UPDATE
    SET block = excluded.block, conforms = excluded.conforms, unusual_cid = excluded.unusual_cid;
  ELSE
    EXECUTE record_insert('indexer.record')
      || ' ON CONFLICT (uri, did) DO UPDATE'
         ' SET cid = excluded.cid, block = excluded.block, conforms = excluded.conforms'
    USING rules;
  END IF;
END $$;

-- Deletes the records with these URIs, of these accounts.
CREATE OR REPLACE FUNCTION delete_stored(uris atid.at_uri[], dids atid.did[]) RETURNS void
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  IF hold_form() THEN
    DELETE FROM packed_record WHERE uri = ANY (uris);
  ELSE
    DELETE FROM record WHERE uri = ANY (uris) AND did = ANY (dids);
  END IF;
END $$;

-- The URIs of the records of an account that are in the tables of days, or those that are not.
CREATE OR REPLACE FUNCTION list_stored(account atid.did, of_days bool) RETURNS atid.at_uri[]
LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE uris atid.at_uri[];
BEGIN
  EXECUTE format('SELECT array_agg(r.uri) FROM %s AS r '
                 'WHERE r.uri BETWEEN $1 AND atid.at_uri_scope_upper($1) '
                 'AND (r.tableoid <> %L::regclass) = $2', record_table(), record_table()::oid)
  INTO uris USING atid.at_uri_make(account), of_days;
  RETURN coalesce(uris, '{}');
END $$;

-- Adds a record to the view record, as an operator may do: a packed table has no columns did and
-- cid, so these must agree with the others.
CREATE OR REPLACE FUNCTION insert_record() RETURNS trigger LANGUAGE plpgsql
SET search_path = indexer, pg_temp AS $$
BEGIN
  NEW.did := coalesce(NEW.did, atid.at_uri_did(NEW.uri));
  IF NEW.did IS DISTINCT FROM atid.at_uri_did(NEW.uri) OR NEW.did IS NULL THEN
    RAISE check_violation USING MESSAGE = 'the did of a record must be that in its uri';
  END IF;
  NEW.cid := coalesce(NEW.cid, atid.cid_of(NEW.block, 'dag-cbor'));
  NEW.indexed := coalesce(NEW.indexed, now());
  INSERT INTO packed_record (uri, block, conforms, indexed, unusual_cid)
  VALUES (NEW.uri, NEW.block, NEW.conforms, NEW.indexed,
          CASE WHEN NEW.cid <> atid.cid_of(NEW.block, 'dag-cbor') THEN NEW.cid END);
  RETURN NEW;
END $$;

-- Creates the view record over the table packed_record. Its readers need rights on both, so that
-- the table's policies apply to them.
CREATE OR REPLACE FUNCTION create_record_view() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  CREATE VIEW record WITH (security_invoker) AS
  SELECT r.uri, atid.at_uri_did(r.uri) AS did,
         coalesce(r.unusual_cid, atid.cid_of(r.block, 'dag-cbor')) AS cid,
         r.block, r.conforms, r.indexed
  FROM packed_record AS r;
  CREATE TRIGGER insert_record INSTEAD OF INSERT ON record
  FOR EACH ROW EXECUTE FUNCTION insert_record();
END $$;

-- Is a table as its migration has created it? In a transaction of its own, as "atid-indexer init"
-- and --single-transaction have it, it is new; otherwise, nobody has added anything.
CREATE OR REPLACE FUNCTION is_as_created(relation regclass) RETURNS bool LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE is_empty bool;
BEGIN
  EXECUTE format('SELECT NOT EXISTS (SELECT 1 FROM %s)', relation) INTO is_empty;
  RETURN is_empty AND (
    SELECT coalesce(c.xmin::text = (pg_current_xact_id_if_assigned()::xid)::text, false)
           OR c.relacl IS NULL AND NOT c.relhastriggers AND NOT c.relrowsecurity
              AND NOT EXISTS (SELECT 1 FROM program)
    FROM pg_class AS c WHERE c.oid = relation);
END $$;

-- A new database gets the packed form, or with Citus at least packed blocks.
DO $$
BEGIN
  IF is_packed() OR to_regtype('atid.block') IS NULL OR NOT is_as_created('record') THEN
    RETURN;
  END IF;
  IF EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') THEN
    ALTER TABLE record ALTER block TYPE atid.block;
    RETURN;
  END IF;
  DROP TABLE record;
  CREATE TABLE packed_record (
    indexed     timestamptz NOT NULL DEFAULT now(),  -- when it was first written
    conforms    bool,                                -- to the table lexicons; NULL: they do not say
    uri         atid.at_uri PRIMARY KEY,
    block       atid.block NOT NULL,
    unusual_cid atid.cid_link                        -- NULL: that of the block as DAG-CBOR
  );
  CREATE STATISTICS packed_record_collection_stats ON (atid.at_uri_collection(uri))
  FROM packed_record;
  CREATE STATISTICS packed_record_did_stats ON (atid.at_uri_did(uri)) FROM packed_record;
  PERFORM create_record_view();
EXCEPTION WHEN dependent_objects_still_exist THEN
  NULL;  -- somebody has a view of it
END $$;
