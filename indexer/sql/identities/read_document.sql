-- Reads a DID document or a PLC log: the key that signs the account's commits, its server, and its
-- handle.

-- The DID document of an operation in a PLC log, as the directory renders it. data: a column of
-- plc_log_history().
CREATE OR REPLACE FUNCTION plc_document(account text, data jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE
RETURN jsonb_build_object('id', account, 'alsoKnownAs', data->'alsoKnownAs',
  'verificationMethod', (
    SELECT jsonb_agg(jsonb_build_object(
             'id', '#' || m.key, 'type', 'Multikey', 'controller', account,
             'publicKeyMultibase', substring(m.value #>> '{}' FROM '^did:key:(.*)$')))
    FROM jsonb_each(data->'verificationMethods') AS m),
  'service', (
    SELECT jsonb_agg(jsonb_build_object('id', '#' || x.key, 'type', x.value->'type',
                                        'serviceEndpoint', x.value->'endpoint'))
    FROM jsonb_each(data->'services') AS x));

-- Reads a DID document of any method: the first valid key, the first valid handle and the first
-- valid endpoint of a PDS, each NULL if there is none. detail: why the last candidate is not a
-- valid key.
CREATE OR REPLACE FUNCTION read_did_document(
  account text, document jsonb, OUT key text, OUT handle text, OUT pds text, OUT detail text
) LANGUAGE plpgsql IMMUTABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE m jsonb;
BEGIN
  FOR m IN
    SELECT x
    FROM jsonb_path_query(document, 'strict $.verificationMethod[*]', silent => true) AS x
    WHERE x->>'id' IN ('#atproto', account || '#atproto') AND x->>'controller' = account
  LOOP
    BEGIN
      key := atid.did_key_from_multibase(m->>'type', m->>'publicKeyMultibase');
    EXCEPTION WHEN data_exception OR feature_not_supported THEN
      GET STACKED DIAGNOSTICS detail = MESSAGE_TEXT;
    END;
    EXIT WHEN key IS NOT NULL;
  END LOOP;
  handle := lower((
    SELECT substr(x.name #>> '{}', 6)
    FROM jsonb_path_query(
           document, 'strict $.alsoKnownAs[*] ? (@.type() == "string" && @ starts with "at://")',
           silent => true) WITH ORDINALITY AS x (name, n)
    WHERE atid.handle_is_valid(substr(x.name #>> '{}', 6)) ORDER BY x.n LIMIT 1) COLLATE "C");
  pds := (
    SELECT x.service->>'serviceEndpoint'
    FROM jsonb_path_query(document, 'strict $.service[*]', silent => true)
           WITH ORDINALITY AS x (service, n)
    WHERE x.service->>'id' IN ('#atproto_pds', account || '#atproto_pds')
      AND x.service->>'type' = 'AtprotoPersonalDataServer'
      AND jsonb_typeof(x.service->'serviceEndpoint') = 'string'
      AND octet_length(x.service->>'serviceEndpoint') <= 512
      AND url_origin(x.service->>'serviceEndpoint') IS NOT NULL
    ORDER BY x.n LIMIT 1);
  detail := CASE WHEN key IS NULL THEN detail END;
END $$;
