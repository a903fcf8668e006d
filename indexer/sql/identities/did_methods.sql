-- DID methods: the initial identity for each, and how answers about it are read. Whom the program
-- queries is in src/work/did-methods.js.

-- The methods whose identities can be requested. success and remedy are those of the method's
-- activity, as in activities(). cheap: anybody can make any number of DIDs.
CREATE OR REPLACE FUNCTION did_methods()
RETURNS TABLE (name text, cheap bool, success interval, remedy text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  VALUES
  ('plc', false, interval '30 min', 'see whether ATID_PLC_URL is right and answers'),
  ('web', true, interval '1 h', 'see whether this machine resolves names and reaches the network')
$$;

-- The method whose identities an activity requests; no row if it requests none.
CREATE OR REPLACE FUNCTION method_of_activity(activity text)
RETURNS TABLE (name text, cheap bool) LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT m.name, m.cheap FROM did_methods() AS m WHERE 'identities of ' || m.name = activity;
END;

-- The initial identity of an account: it is requested at once, if its method is supported.
CREATE OR REPLACE FUNCTION new_identity(one atid.did) RETURNS identity LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE i identity;
BEGIN
  i.did := one;
  IF EXISTS (SELECT 1 FROM did_methods() AS m WHERE m.name = did_method(one)) THEN
    i.ask := now();
  ELSE
    i.ask := 'infinity';
    i.problem := 'unsupported_method';
  END IF;
  RETURN i;
END $$;

-- The DID document in an answer about an account. problem: why there is none, in words.
CREATE OR REPLACE FUNCTION read_answer(
  account atid.did, answer jsonb, OUT document jsonb, OUT problem text
) LANGUAGE plpgsql IMMUTABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF did_method(account) <> 'plc' THEN
    document := answer;
    RETURN;
  END IF;
  problem := atid.plc_log_problem(answer);
  IF problem IS NULL THEN
    SELECT plc_document(h.did, h.data) INTO document
    FROM atid.plc_log_history(answer) AS h WHERE h.valid_to IS NULL;
  END IF;
END $$;
