-- Askers: who signs service tokens. Their keys are those of the table identity, for the accounts of
-- the indexer, and of the table asker for all others. Only the functions in this file write asker.
--
-- Anybody can name a DID in a token, so a row is written only once the directory, or the DID's
-- domain, has given a key. Its bound is most_askers, and a tenth of that for cheap methods, as
-- did:web is: a domain can make as many as it likes. Then the rows that were not used for the
-- longest time are deleted.

-- The key by which an account signs: of the two tables, the one that has asked last. NULL: not
-- known. stale: it is time to request it again.
CREATE OR REPLACE FUNCTION asker_key(account atid.did, OUT key text, OUT stale bool)
LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  known record;
  asked record;
BEGIN
  SELECT i.key, i.answered INTO known FROM identity AS i
  WHERE i.did = account AND (i.answered IS NOT NULL OR i.key IS NOT NULL);
  IF NOT FOUND THEN
    SELECT i.key, i.answered INTO known FROM new_identity(account) AS i;
  END IF;
  SELECT a.key, a.answered, a.seen INTO asked FROM asker AS a WHERE a.did = account;
  IF asked.key IS NOT NULL AND asked.answered > coalesce(known.answered, '-infinity') THEN
    key := asked.key;
    stale := asked.answered < now() - (SELECT s.asker_age FROM settings AS s)
             OR asked.seen < now() - interval '1 day';
  ELSE
    key := known.key;
    stale := false;
  END IF;
END $$;

-- Is an account kept out?
CREATE OR REPLACE FUNCTION is_excluded(account atid.did) RETURNS bool LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM exclusion AS x WHERE x.did = account);
END $$;

-- Takes the answer about an asker, as it was requested at a time: the PLC log, or the DID document.
-- Returns NULL, or why it has no key.
CREATE OR REPLACE FUNCTION add_asker(account text, answer jsonb, asked timestamptz) RETURNS text
LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  me CONSTANT atid.did := atid.did_or_null(account);
  said record;
  d record;
BEGIN
  IF me IS NULL OR is_excluded(me) THEN
    RETURN 'The account is excluded.';
  END IF;
  SELECT * INTO said FROM read_answer(me, answer);
  IF said.problem IS NOT NULL THEN
    RETURN said.problem;
  END IF;
  IF said.document->>'id' IS DISTINCT FROM account THEN
    RETURN 'The answer must be about that account.';
  END IF;
  SELECT * INTO d FROM read_did_document(account, said.document);
  IF d.key IS NULL THEN
    PERFORM delete_asker(me);
    RETURN coalesce(d.detail, 'The account has no key.');
  END IF;
  INSERT INTO asker AS a (did, key, answered) VALUES (me, d.key, asked)
  ON CONFLICT (did) DO UPDATE
  SET key = excluded.key, answered = excluded.answered, seen = excluded.seen
  WHERE a.answered <= excluded.answered;
  RETURN NULL;
END $$;

-- An asker has sent a token. Its row is written once a day, so that it stays.
CREATE OR REPLACE FUNCTION see_asker(account text) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE asker AS a SET seen = now()
  WHERE a.did = atid.did_or_null(account) AND a.seen < now() - interval '1 day';
END $$;

CREATE OR REPLACE FUNCTION delete_asker(one atid.did) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  DELETE FROM asker AS a WHERE a.did = one;
END $$;

-- Deletes the askers that were not seen for a long time, and those beyond the bounds.
CREATE OR REPLACE FUNCTION trim_askers() RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE s settings;
BEGIN
  SELECT * INTO s FROM settings;
  DELETE FROM asker AS a WHERE a.seen < now() - s.asker_kept;
  DELETE FROM asker AS a WHERE a.did = ANY (ARRAY(
    SELECT o.did FROM asker AS o
    WHERE did_method(o.did) IN (SELECT m.name FROM did_methods() AS m WHERE m.cheap)
    ORDER BY o.seen DESC, o.did OFFSET s.most_askers / 10));
  DELETE FROM asker AS a WHERE a.did = ANY (ARRAY(
    SELECT o.did FROM asker AS o ORDER BY o.seen DESC, o.did OFFSET s.most_askers));
END $$;
