-- Answers about identities: PLC logs and DID documents.

-- Stores an account's log, as the directory's /log/audit returns it. Returns NULL, or why it was
-- not accepted.
CREATE OR REPLACE FUNCTION store_plc_log(account text, log jsonb, asked timestamptz) RETURNS text
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  i identity;
  h record;
  d record;
  why text;
  again jsonb;
BEGIN
  SELECT * INTO i FROM identity WHERE did = atid.did_or_null(account) FOR UPDATE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  why := coalesce(atid.plc_log_problem(log),
    CASE WHEN log->0->>'did' IS DISTINCT FROM account THEN 'The log must be that of the account.'
         WHEN jsonb_array_length(log) < coalesce(jsonb_array_length(i.log), i.log_size)
         THEN 'The log must not be shorter than it was.' END);
  IF why IS NOT NULL THEN
    PERFORM fail_identity(account, 'invalid', why);
    RETURN why;
  END IF;
  SELECT * INTO h FROM atid.plc_log_history(log) AS x WHERE x.valid_to IS NULL;
  PERFORM store_identity_log(i.did, store_plc_log.log);
  SELECT * INTO d FROM read_did_document(account, plc_document(account, h.data));
  PERFORM apply_identity(i.did, d.key,
    ARRAY(SELECT k.key FROM atid.plc_log_keys(log) AS k WHERE k.id = 'atproto'
          GROUP BY k.key ORDER BY max(k.valid_from) DESC LIMIT 8),
    d.handle, d.pds, h.data IS NULL, asked, d.detail);
  PERFORM label_keys_take(i.did, log);
  -- Labels that came before the key, a limited number at a time, as anybody can make some.
  WHILE i.answered IS NULL LOOP
    PERFORM enter_writers();  -- some may be about an account that is being forgotten
    again := take_labels_refused(account, 10000);
    EXIT WHEN again IS NULL;
    PERFORM labels_take(again);
  END LOOP;
  RETURN NULL;
END $$;

-- Stores an account's DID document, as https://its.domain/.well-known/did.json returns it. Returns
-- NULL, or why it was not accepted.
CREATE OR REPLACE FUNCTION store_did_document(account text, document jsonb, asked timestamptz)
RETURNS text LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  me CONSTANT atid.did := atid.did_or_null(account);
  d record;
  why CONSTANT text := 'The document must be that of the account.';
BEGIN
  IF jsonb_typeof(document) IS DISTINCT FROM 'object'
     OR document->>'id' IS DISTINCT FROM account OR me IS NULL THEN
    PERFORM fail_identity(account, 'invalid', why);
    RETURN why;
  END IF;
  SELECT * INTO d FROM read_did_document(account, document);
  PERFORM apply_identity(me, d.key, ARRAY[d.key], d.handle, d.pds, false, asked, d.detail);
  RETURN NULL;
END $$;
