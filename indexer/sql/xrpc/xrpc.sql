-- The account that sends a request, and the errors with which a function ends one: for the methods
-- in the schema xrpc, the feeds in the schema feed, and the views that GraphQL shows. doc/feeds.md
-- has examples.
--
--   xrpc.did()                           the DID whose key has signed the request's token, or NULL
--   xrpc.fail(name, message, status)     ends a request with an error of its Lexicon
--   xrpc.verify(token, audience, method) the DID whose key has signed a service token
--
-- An operator's methods are functions in the schema xrpc, too: their names are NSIDs, which contain
-- dots.

CREATE OR REPLACE FUNCTION xrpc.did() RETURNS atid.did LANGUAGE sql STABLE PARALLEL SAFE
RETURN atid.did_or_null(nullif(current_setting('xrpc.did', true), ''));
COMMENT ON FUNCTION xrpc.did() IS
  'the account whose key has signed the token of this request; NULL if there is no token';

-- It is volatile, so that the planner never calls it. It returns a type, so that it can stand in an
-- expression: CASE WHEN xrpc.did() IS NULL THEN xrpc.fail('AuthMissing') ELSE ... END.
CREATE OR REPLACE FUNCTION xrpc.fail(name text, message text DEFAULT NULL, status int DEFAULT 400)
RETURNS jsonb LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF name ~ '^[A-Za-z][A-Za-z0-9]{0,99}$' AND status BETWEEN 400 AND 599 THEN
    RAISE EXCEPTION USING ERRCODE = 'XR' || status, CONSTRAINT = name,
      MESSAGE = coalesce(nullif(left(message, 1000), ''), name);
  END IF;
  RAISE invalid_parameter_value USING MESSAGE = format('error name "%s" or status %s is invalid',
                                                       left(name, 100), status),
    DETAIL = 'A name must consist of letters and digits, and a status must be from 400 to 599.';
END $$;
COMMENT ON FUNCTION xrpc.fail(text, text, int) IS
  'ends a request with this error of its Lexicon and this HTTP status';

-- A part of a token, decoded. Raises an error of class 22 if it is not base64url.
CREATE OR REPLACE FUNCTION base64url(part text) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN decode(rpad(translate(part, '-_', '+/'), (length(part) + 3) / 4 * 4, '='), 'base64');

-- The parts of a token; all NULL if it is malformed. If a key occurs twice, the last one counts, as
-- in JSON.parse.
CREATE OR REPLACE FUNCTION token_parts(
  token text, OUT head jsonb, OUT claims jsonb, OUT signed bytea, OUT signature bytea
) LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE part text[];
BEGIN
  IF octet_length(token) > 16384 THEN RETURN; END IF;
  part := regexp_match(token, '^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{86})$');
  head := convert_from(base64url(part[1]), 'UTF8')::jsonb;
  claims := convert_from(base64url(part[2]), 'UTF8')::jsonb;
  signed := convert_to(part[1] || '.' || part[2], 'UTF8');
  signature := base64url(part[3]);
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
  head := NULL;
  claims := NULL;
END $$;

-- Refuses claims that are not those of a token for this audience and method that is valid now. A
-- token lasts minutes, so one for more than a day is refused; clocks may differ by five minutes.
-- The names of errors are those of @atproto/xrpc-server.
CREATE OR REPLACE FUNCTION check_claims(head jsonb, claims jsonb, audience text, method text)
RETURNS void LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  now CONSTANT numeric := extract(epoch FROM clock_timestamp());
  late numeric;
BEGIN
  IF jsonb_typeof(head) IS DISTINCT FROM 'object' OR jsonb_typeof(claims) IS DISTINCT FROM 'object'
     OR jsonb_typeof(head->'alg') IS DISTINCT FROM 'string' OR head ? 'crit'
     OR jsonb_typeof(claims->'iss') IS DISTINCT FROM 'string'
     OR jsonb_typeof(claims->'aud') IS DISTINCT FROM 'string'
     OR jsonb_typeof(claims->'exp') IS DISTINCT FROM 'number'
     OR coalesce(jsonb_typeof(claims->'iat'), 'number') <> 'number'
     OR coalesce(jsonb_typeof(claims->'nbf'), 'number') <> 'number'
     OR coalesce(jsonb_typeof(claims->'lxm'), 'string') <> 'string' THEN
    PERFORM xrpc.fail('BadJwt', 'poorly formatted jwt', 401);
  END IF;
  IF lower(head->>'typ') IN ('at+jwt', 'refresh+jwt', 'dpop+jwt') THEN
    PERFORM xrpc.fail('BadJwtType', format('invalid jwt type "%s"', lower(head->>'typ')), 401);
  END IF;
  IF (claims->>'exp')::numeric < now THEN
    PERFORM xrpc.fail('JwtExpired', 'jwt expired', 401);
  END IF;
  late := greatest((claims->>'iat')::numeric, (claims->>'nbf')::numeric) - now;
  IF (claims->>'exp')::numeric > now + 86400 OR late > 300 THEN
    PERFORM xrpc.fail('BadJwt', 'jwt must be valid now, and for at most a day', 401);
  END IF;
  IF claims->>'aud' <> audience
     AND (split_part(claims->>'aud', '#', 1) <> audience
          OR claims->>'aud' !~ '^[^#]+#[A-Za-z0-9_.:-]+$') THEN
    PERFORM xrpc.fail('BadJwtAudience', 'jwt audience does not match service did', 401);
  END IF;
  IF claims->>'lxm' IS DISTINCT FROM method THEN
    PERFORM xrpc.fail('BadJwtLexiconMethod',
                      format('bad jwt lexicon method ("lxm"). must match: %s', method), 401);
  END IF;
  IF octet_length(claims->>'iss') > 512 OR atid.did_or_null(claims->>'iss') IS NULL THEN
    PERFORM xrpc.fail('BadJwtIss', 'jwt iss is not a valid did', 401);
  END IF;
END $$;

-- The account whose key has signed a service token for this audience (a DID, or one of its
-- services) and this method. NULL if there is no token. If another answer of the directory could
-- change the verdict, the error has the DID as its DETAIL.
CREATE OR REPLACE FUNCTION xrpc.verify(token text, audience text, method text, OUT did text,
                                       OUT stale bool)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  t record;
  known record;
  of_curve text;
  problem text;
BEGIN
  IF token IS NULL THEN RETURN; END IF;
  t := token_parts(token);
  PERFORM check_claims(t.head, t.claims, audience, method);
  did := t.claims->>'iss';
  -- the answer does not say that the account is excluded
  IF is_excluded(did::atid.did) THEN
    PERFORM xrpc.fail('BadJwtSignature', 'jwt signature does not match jwt issuer', 401);
  END IF;
  known := asker_key(did::atid.did);
  of_curve := CASE atid.did_key_curve(known.key) WHEN 'k256' THEN 'ES256K'
                                                 WHEN 'p256' THEN 'ES256' END;
  problem := CASE
    WHEN known.key IS NULL THEN 'UnknownIdentity'
    WHEN t.head->>'alg' IS DISTINCT FROM of_curve
         OR NOT atid.signature_is_valid(t.signed, t.signature, known.key, true)
    THEN 'BadJwtSignature' END;
  IF problem IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'XR401', CONSTRAINT = problem, DETAIL = did,
      MESSAGE = CASE WHEN known.key IS NULL THEN 'the key of the jwt issuer is not known'
                     ELSE 'jwt signature does not match jwt issuer' END;
  END IF;
  stale := known.stale;
END $$;
REVOKE ALL ON FUNCTION xrpc.verify(text, text, text) FROM PUBLIC;

-- Makes the account that xrpc.verify finds that of this statement, or of this transaction. Returns
-- its DID if its row in asker must be written.
CREATE OR REPLACE FUNCTION xrpc.enter(token text, audience text, method text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE who record;
BEGIN
  who := xrpc.verify(token, audience, method);
  PERFORM set_config('xrpc.did', coalesce(who.did, ''), true);
  RETURN CASE WHEN who.stale THEN who.did END;
END $$;
REVOKE ALL ON FUNCTION xrpc.enter(text, text, text) FROM PUBLIC;
