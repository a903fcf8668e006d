-- The views of a set of Lexicons: make_views() plans each view, builds it, and describes it to
-- engines.

-- accounts: a table or view with the columns did and handle, from which each record has the handle
-- of its account; if it also has pds, the account's server, blobs have addresses. conforming: the
-- views have only records that conform; NULL: as before in this schema.
CREATE OR REPLACE FUNCTION make_views(
  lexicons atid.lexicon, source regclass, target regnamespace,
  accounts regclass DEFAULT NULL, conforming bool DEFAULT NULL
) RETURNS bigint LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  only_conforming CONSTANT bool NOT NULL := coalesce(conforming, (
    SELECT bool_or(v.conforming) FROM view_type AS v JOIN pg_class AS c ON c.oid = v.view
    WHERE c.relnamespace = target), false);
  nsid text;
  this view_type;
  dependents text[] := '{}';
  gap record;
BEGIN
  PERFORM drop_obsolete_views(lexicons, target);
  FOR nsid IN SELECT n FROM unnest(atid.lexicon_nsids(lexicons)::text[]) AS n
              WHERE is_record_type(lexicons, n) ORDER BY n COLLATE "C" LOOP
    this := store_view_type(lexicons, nsid, target, source, accounts, only_conforming);
    dependents := build_view(this, target, ARRAY(SELECT c FROM plan_columns(this) AS c))
                  || dependents;
  END LOOP;
  PERFORM delete_dropped_views();
  PERFORM write_view_comments(target);
  PERFORM make_search(i.view, i.config::regconfig, VARIADIC i.columns)
  FROM view_index AS i JOIN pg_class AS c ON c.oid = i.view
  WHERE i.search AND c.relnamespace = target;
  PERFORM restore_dependents(dependents);
  PERFORM pg_notify('postgraphile_watch', '{"type":"manual"}');
  FOR gap IN SELECT g.missing, g.needed_by FROM lexicon_gaps(lexicons) AS g ORDER BY g.missing LOOP
    RAISE NOTICE 'missing: % (needed by %)', gap.missing, gap.needed_by;
  END LOOP;
  RETURN (SELECT count(*) FROM view_type AS v JOIN pg_class AS c ON c.oid = v.view
          WHERE c.relnamespace = target AND v.nsid IS NOT NULL);
END $$;

-- Is it the name of a record type in this set?
CREATE OR REPLACE FUNCTION is_record_type(lexicons atid.lexicon, nsid text) RETURNS bool
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(atid.lexicon_document(lexicons, nsid) #>> '{defs,main,type}' = 'record', false);

-- Drops the views of a schema whose types are not in the set.
CREATE OR REPLACE FUNCTION drop_obsolete_views(lexicons atid.lexicon, target regnamespace)
RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE old regclass;
BEGIN
  PERFORM delete_dropped_views();
  FOR old IN SELECT v.view FROM view_type AS v JOIN pg_class AS c ON c.oid = v.view
             WHERE c.relnamespace = target AND v.nsid IS NOT NULL
               AND NOT is_record_type(drop_obsolete_views.lexicons, v.nsid) LOOP
    PERFORM drop_view(old);
  END LOOP;
  PERFORM delete_dropped_views();
END $$;

-- The views of the indexer: over its records, by its Lexicons, with a view of its accounts.
CREATE OR REPLACE FUNCTION make_views(target regnamespace, conforming bool DEFAULT NULL)
RETURNS bigint LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE account CONSTANT text := format('%s.account', target);
BEGIN
  IF record_table() IS NULL OR to_regclass('identity') IS NULL
     OR to_regclass('lexicons') IS NULL THEN
    RAISE undefined_table USING MESSAGE = 'make_views(target) needs the tables of the indexer',
      HINT = 'Pass the Lexicons and the source: make_views(lexicons, source, target).';
  END IF;
  PERFORM delete_dropped_views();
  -- a table or view of this name that make_views() did not create is the operator's
  IF to_regclass(account) IS NULL OR EXISTS (
       SELECT 1 FROM view_type AS t WHERE t.view = to_regclass(account) AND t.nsid IS NULL) THEN
    PERFORM build_account_view(account);
  END IF;
  RETURN make_views((SELECT atid.lexicon_agg(l.lexicons) FROM lexicons AS l), record_table(),
                    target, account::regclass, conforming);
END $$;

CREATE OR REPLACE FUNCTION build_account_view(account text) RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  EXECUTE format('CREATE OR REPLACE VIEW %s AS
    SELECT i.did, i.handle, i.host AS pds, %s AS hidden FROM identity AS i', account,
    view_hidden('atid.at_uri_make(i.did::text)'));
  EXECUTE format('COMMENT ON VIEW %s IS %L', account, '@primaryKey did
@pgGraphql @graphql({"primary_key_columns": ["did"]})
An account.');
  EXECUTE format('COMMENT ON COLUMN %s.did IS %L', account, '@notNull
@behavior +attribute:filterBy +attribute:filter
Its DID.');
  EXECUTE format('COMMENT ON COLUMN %s.handle IS %L', account,
                 '@behavior +attribute:filterBy +attribute:filter
Its handle, as it says itself.');
  EXECUTE format('COMMENT ON COLUMN %s.pds IS %L', account, 'The origin of its server.');
  EXECUTE format('COMMENT ON COLUMN %s.hidden IS %L', account, '@notNull
Does a label hide it?');
  INSERT INTO view_type (view, source, condition)
  VALUES (account::regclass, 'identity'::regclass, 'true') ON CONFLICT (view) DO NOTHING;
END $$;
