-- Askers: the accounts that sign service tokens. The keys of the indexer's own accounts are in the
-- table identity, those of all others in the table asker. Only the functions in this file write
-- asker.
--
-- Anybody can name a DID in a token, so a row is written only once the directory, or the DID's
-- domain, has returned a key. The bound is most_askers, and a tenth of that for cheap methods such
-- as did:web, as a domain can make any number of DIDs. Beyond it, the least recently used rows are
-- deleted.

-- The key with which an account signs, from the table that has the newer answer. NULL: not known.
-- stale: it is time to request the key again.
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

-- Is an account excluded?
CREATE OR REPLACE FUNCTION is_excluded(account atid.did) RETURNS bool LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM exclusion AS x WHERE x.did = account);
END $$;

-- Stores the key from an answer about an asker: a PLC log or a DID document, requested at the time
-- asked. Returns NULL, or why there is no key.
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

-- Notes that an asker has sent a token. Its row is written at most once a day, so that it does not
-- expire.
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

-- Deletes askers that have not been seen for asker_kept, and those beyond the bounds.
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
