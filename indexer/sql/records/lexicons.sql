-- The Lexicons against which records are checked.

-- A record is checked against all Lexicons together. Two different documents with one NSID would be
-- an error for each record, so they are refused when they are added.
CREATE OR REPLACE FUNCTION on_lexicons_change() RETURNS trigger LANGUAGE plpgsql
SET search_path = indexer, pg_temp AS $$
BEGIN
  PERFORM atid.lexicon_agg(l.lexicons) FROM lexicons AS l;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER on_lexicons_change AFTER INSERT OR UPDATE ON lexicons
FOR EACH STATEMENT EXECUTE FUNCTION on_lexicons_change();

-- Adds Lexicons. A document replaces an earlier one with the same NSID.
CREATE OR REPLACE FUNCTION add_lexicons(documents atid.lexicon) RETURNS void LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  new CONSTANT text[] := atid.lexicon_nsids(documents);
  kept jsonb;
BEGIN
  LOCK TABLE lexicons IN SHARE ROW EXCLUSIVE MODE;
  WITH gone AS (
    DELETE FROM lexicons AS l WHERE atid.lexicon_nsids(l.lexicons)::text[] && new
    RETURNING l.lexicons
  )
  SELECT jsonb_agg(atid.lexicon_document(g.lexicons, n)) INTO kept
  FROM gone AS g CROSS JOIN unnest(atid.lexicon_nsids(g.lexicons)::text[]) AS n
  WHERE n <> ALL (new);
  INSERT INTO lexicons (lexicons)
  SELECT documents UNION ALL SELECT kept::atid.lexicon WHERE kept IS NOT NULL;
END $$;
