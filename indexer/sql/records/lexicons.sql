-- The Lexicons by which records are judged.

-- All Lexicons together judge a record. Two different documents of one NSID would make that an
-- error, for each record: they are refused when they come.
CREATE OR REPLACE FUNCTION on_lexicons_change() RETURNS trigger LANGUAGE plpgsql
SET search_path = indexer, pg_temp AS $$
BEGIN
  PERFORM atid.lexicon_agg(l.lexicons) FROM lexicons AS l;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER on_lexicons_change AFTER INSERT OR UPDATE ON lexicons
FOR EACH STATEMENT EXECUTE FUNCTION on_lexicons_change();

-- Lexicons are added. A document whose NSID another one has takes its place.
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
