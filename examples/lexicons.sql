-- A table of Lexicons, filled from files and from records, and domains that are made of it.
--
--   psql -v ON_ERROR_STOP=1 -f examples/lexicons.sql
--
-- It needs the extension atid. doc/lexicon.md shows how it is used.
--
-- From files: jq makes one line of each. psql loads the lines as CSV with characters that JSON does not have for quote
-- and delimiter, because plain COPY would interpret backslashes.
--
--   find lexicons -name '*.json' -exec jq -c . {} + >lexicons.jsonl
--   \copy lexicon (document) FROM lexicons.jsonl WITH (FORMAT csv, DELIMITER e'\x02', QUOTE e'\x01')

BEGIN;

-- One document in each row.
CREATE TABLE lexicon (
  document atid.lexicon NOT NULL CHECK (cardinality(atid.lexicon_nsids(document)) = 1),
  nsid     text COLLATE "C" GENERATED ALWAYS AS ((atid.lexicon_nsids(document))[1]) STORED PRIMARY KEY
);

-- All documents as one value. It is NULL if there is none.
CREATE VIEW lexicon_set AS SELECT atid.lexicon_agg(document) AS lexicons FROM lexicon;

-- The accounts that can publish Lexicons. Anybody can publish a record under any key, but in DNS the domain of the NSID
-- names its account (_lexicon.example.com, TXT "did=..."). Look these up, and keep them here.
CREATE TABLE lexicon_authority (
  authority text PRIMARY KEY, -- what nsid_authority() gives, such as example.com
  did       text NOT NULL
);

-- The records to which a new version of a Lexicon must apply. Use your own table instead.
CREATE TABLE lexicon_subject (
  uri    text PRIMARY KEY,
  record jsonb NOT NULL
);

-- Take a record of com.atproto.lexicon.schema into the table. Returns why it is refused, or NULL: it must be a Lexicon
-- under its own NSID and of its authority's account, and every record that conforms now must still conform. A record that
-- the Lexicons would no longer decide about does not: otherwise a Lexicon without the type could come first, and then
-- one with other rules. So load what a Lexicon refers to before it.
CREATE FUNCTION take_lexicon(did text, rkey text, record jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  taken    atid.lexicon;
  before   atid.lexicon;
  after    atid.lexicon;
  broken   text;
BEGIN
  IF NOT atid.lexicon_is_valid(record) THEN
    RETURN atid.lexicon_problem(record);
  END IF;
  taken := record;
  LOCK TABLE lexicon IN SHARE ROW EXCLUSIVE MODE;  -- two at once could break together what neither breaks alone
  IF atid.lexicon_nsids(taken) <> ARRAY[rkey] THEN
    RETURN 'The record key must be the NSID of the Lexicon.';
  END IF;
  IF NOT EXISTS (SELECT FROM lexicon_authority a
                  WHERE a.authority = atid.nsid_authority(rkey) AND a.did = take_lexicon.did) THEN
    RETURN 'The account must be the one that the authority of the NSID names.';
  END IF;
  SELECT atid.lexicon_agg(document),
         coalesce(atid.lexicon_agg(document) FILTER (WHERE nsid <> rkey), '[]') || taken
    INTO before, after FROM lexicon;
  SELECT uri INTO broken FROM lexicon_subject s
   WHERE atid.record_conforms(s.record, before) AND atid.record_conforms(s.record, after) IS NOT TRUE LIMIT 1;
  IF FOUND THEN
    RETURN format('The record %s must still conform.', broken);
  END IF;
  INSERT INTO lexicon (document) VALUES (taken)
    ON CONFLICT (nsid) DO UPDATE SET document = excluded.document;
  RETURN NULL;
END $$;

-- What the records of a type need, and no more.
CREATE FUNCTION lexicons_for(type text) RETURNS atid.lexicon LANGUAGE plpgsql STABLE AS $$
DECLARE
  needed atid.lexicon := (SELECT atid.lexicon_only(coalesce(lexicons, '[]'), ARRAY[type]) FROM lexicon_set);
BEGIN
  IF cardinality(atid.lexicon_missing(needed)) > 0 THEN
    RAISE 'the Lexicon of % needs %', type, array_to_string(atid.lexicon_missing(needed), ', ');
  END IF;
  RETURN needed;
END $$;

-- Make a domain for the records of a type, or give it the rules that the table has now. In a domain that is there
-- already they apply to new values only, until ALTER DOMAIN ... VALIDATE CONSTRAINT rules.
CREATE PROCEDURE make_record_domain(domain text, type text) LANGUAGE plpgsql AS $$
DECLARE
  is_new bool := to_regtype(quote_ident(domain)) IS NULL;
  rules  atid.lexicon := lexicons_for(type);
BEGIN
  IF (atid.lexicon_document(rules, type) #>> '{defs,main,type}') IS DISTINCT FROM 'record' THEN
    RAISE '% is not a type of records', type;
  END IF;
  IF is_new THEN
    EXECUTE format('CREATE DOMAIN %I AS jsonb', domain);
  ELSE
    EXECUTE format('ALTER DOMAIN %I DROP CONSTRAINT rules', domain);
  END IF;
  EXECUTE format('ALTER DOMAIN %I ADD CONSTRAINT rules CHECK (atid.record_must_conform(VALUE, %L, %L)) %s',
                 domain, rules, type, CASE WHEN NOT is_new THEN 'NOT VALID' END);
END $$;

-- Make a function that has the documents of now in it, for a column GENERATED ALWAYS AS (it(record)) STORED.
CREATE PROCEDURE make_verdict(function text) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE FUNCTION %I(record jsonb) RETURNS bool LANGUAGE plpgsql '
                 'IMMUTABLE STRICT PARALLEL SAFE AS %L', function,
                 (SELECT format('BEGIN RETURN atid.record_conforms(record, %L); END', lexicons) FROM lexicon_set));
END $$;

COMMIT;
