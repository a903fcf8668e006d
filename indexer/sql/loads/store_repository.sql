-- Stores a repository, as com.atproto.sync.getRepo returns it, or defers the load. Returns the code
-- of the outcome:
--
--   loaded       changed is the number of records that differ
--   superseded   another attempt has begun, or the account no longer needs to be loaded
--   unsigned     another key has signed it: after a move, until the account writes; or the known
--                key is outdated
--   older        it is older than an announced revision, or than the stored one
--   future       its revision lies in the future
--   invalid      detail has the reason
--   not_written  an index, a constraint or a trigger of the operator has refused it: detail has
--                the reason

-- Checks the commit of a repository. outcome: NULL if it can be stored. An older one is accepted
-- only after most_older attempts, when nobody seems to have a newer one.
CREATE OR REPLACE FUNCTION check_repository(
  a account, key text, car bytea,
  OUT outcome text, OUT detail text, OUT rev atid.tid, OUT data atid.cid_link
) LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  s settings;
  c record;
  announced CONSTANT atid.tid := greatest(a.heard, a.rev);
BEGIN
  SELECT * INTO s FROM settings;
  SELECT * INTO c FROM atid.repo_commit(car);
  rev := c.rev;
  data := c.data;
  outcome := CASE
    WHEN c.did IS DISTINCT FROM a.did THEN 'invalid'
    WHEN NOT atid.commit_is_signed_by(c.block, a.did::text, key) THEN 'unsigned'
    WHEN rev IS NULL OR rev > atid.tid_ceil(add_interval(now(), max_clock_skew())) THEN 'future'
    WHEN rev < announced AND a.older < s.most_older THEN 'older' END;
  detail := CASE outcome
    WHEN 'invalid' THEN 'The repository must be that of the account.'
    WHEN 'older' THEN format('revision %s, expected %s or later', rev, announced)
    WHEN 'future' THEN format('revision %s', rev) END;
END $$;

-- Fills the table op with the records of wanted collections that differ between a repository and
-- the table record. Returns their number. The two are compared by a hash join, whatever the planner
-- knows of the sizes of the tables.
CREATE OR REPLACE FUNCTION compare_repository(
  one atid.did, key text, car bytea, wanted text[]
) RETURNS int LANGUAGE plpgsql
SET search_path = pg_temp, indexer SET jit = off SET enable_seqscan = off
SET enable_nestloop = off SET enable_mergejoin = off SET work_mem = '64MB' AS $$
DECLARE differing int;
BEGIN
  PERFORM create_temp_tables();
  DELETE FROM op;
  INSERT INTO op (uri, did, collection, fresh, cid, block)
  SELECT coalesce(l.uri, r.uri), one, l.collection, r.uri IS NULL, l.cid, l.block
  FROM (SELECT atid.at_uri_make(one, x.collection, x.rkey) AS uri, x.collection, x.cid, x.block
        FROM atid.repo_records_signed_by(car, one::text, key) AS x
        WHERE x.collection LIKE ANY (wanted)) AS l
       FULL JOIN (SELECT x.uri, x.cid FROM record AS x
                  WHERE x.did = one
                    AND x.uri BETWEEN atid.at_uri_make(one)
                              AND atid.at_uri_scope_upper(atid.at_uri_make(one))) AS r
       ON l.uri = r.uri
  WHERE l.cid IS DISTINCT FROM r.cid;
  GET DIAGNOSTICS differing = ROW_COUNT;
  RETURN differing;
END $$;

CREATE OR REPLACE FUNCTION store_repository(
  account text, attempt int, car bytea, OUT outcome text, OUT detail text, OUT changed int
) LANGUAGE plpgsql
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET work_mem = '64MB' AS $$
DECLARE
  a account;
  i identity;
  c record;
  newest CONSTANT int := (SELECT w.n FROM wants AS w);
  wanted CONSTANT text[] := wanted_patterns();
  is_read bool := false;
BEGIN
  SELECT * INTO a FROM account AS x
  WHERE x.did = atid.did_or_null(store_repository.account) AND x.state = 'loading'
    AND x.claim = attempt FOR UPDATE;
  IF NOT FOUND THEN
    outcome := 'superseded';
    RETURN;
  END IF;
  SELECT * INTO i FROM identity AS x WHERE x.did = a.did;
  BEGIN
    SELECT * INTO c FROM check_repository(a, i.key, car);
    outcome := c.outcome;
    detail := c.detail;
    IF outcome IS NULL THEN
      changed := compare_repository(a.did, i.key, car, wanted);
      is_read := true;
      PERFORM write_records();
    END IF;
  EXCEPTION WHEN OTHERS THEN
    IF is_server_error(SQLSTATE) THEN RAISE; END IF;
    GET STACKED DIAGNOSTICS outcome = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
    detail := concat_ws(': ', outcome, nullif(detail, ''));
    outcome := CASE WHEN is_read THEN 'not_written' ELSE 'invalid' END;
    changed := NULL;
  END;
  IF outcome IS NOT NULL THEN
    PERFORM defer_load(a.did, attempt, outcome, detail);
    RETURN;
  END IF;
  outcome := 'loaded';
  PERFORM finish_load(a, c.rev, c.data, newest);
  PERFORM host_works(i.host);
END $$;
