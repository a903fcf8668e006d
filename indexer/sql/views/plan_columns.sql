-- The columns of a view, as rows of view_column in their order. The step needs only the view's row
-- of view_type: SELECT c.* FROM view_type AS t, plan_columns(t) AS c.

-- The columns that all views have. Which ones depends on the columns of the source.
CREATE OR REPLACE FUNCTION own_columns(this view_type) RETURNS SETOF view_column
LANGUAGE plpgsql STABLE
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  holder CONSTANT text := record_column(this.source);
  -- whether these columns are never NULL
  with_uri CONSTANT bool := is_column_filled(this.source, 'uri');
  with_block CONSTANT bool := holder = 'block' AND is_column_filled(this.source, 'block');
BEGIN
  RETURN QUERY VALUES
    (NULL::regclass, 'uri'::name, NULL::text[], 'own', 'atid.at_uri', 'uri', 1400, with_uri,
     'The AT URI of the record.'),
    (NULL, 'did', NULL, 'own', 'atid.did', did_expression(this.source, ''), 512,
     is_column_filled(this.source,
                      CASE WHEN has_column(this.source, 'did') THEN 'did' ELSE 'uri' END),
     'The DID of its account.'),
    (NULL, 'rkey', NULL, 'own', 'atid.record_key', 'atid.at_uri_rkey(uri)', 512, with_uri,
     'Its record key.');
  IF has_column(this.source, 'cid') THEN
    RETURN QUERY SELECT NULL::regclass, 'cid'::name, NULL::text[], 'own', 'atid.cid_link', 'cid',
      256, is_column_filled(this.source, 'cid'), 'The CID of its block.';
  ELSE
    RETURN QUERY SELECT NULL::regclass, 'cid'::name, NULL::text[], 'own', 'atid.cid_link',
      cid_expression(this.source),
      256, with_block, 'The CID of its block.';
  END IF;
  IF has_column(this.source, 'indexed') THEN
    RETURN QUERY SELECT NULL::regclass, 'sort_at'::name, NULL::text[], 'own', 'timestamptz',
      format('atid.sort_at(%s, indexed)', created_expression(this)), 16,
      is_column_filled(this.source, 'indexed'),
      'The time to sort by: when it was written, according to itself, '
      'but no later than it arrived.';
  END IF;
  RETURN QUERY SELECT NULL::regclass, 'conforms'::name, NULL::text[], 'derived', 'boolean',
    conforms_expression(this), NULL::int, false, 'Does it conform to its Lexicon?';
  IF to_regclass('labels_in_force') IS NOT NULL THEN
    RETURN QUERY SELECT NULL::regclass, 'hidden'::name, NULL::text[], 'derived', 'boolean',
      view_hidden(format('s.uri, atid.at_uri_make(%s::text)', did_expression(this.source, 's.'))),
      NULL::int, true, 'Does a label hide it or its account?';
  END IF;
  IF this.accounts IS NOT NULL THEN
    RETURN QUERY SELECT NULL::regclass, 'author_handle'::name, NULL::text[], 'derived', 'text',
      account_expression(this.accounts, this.source, 'a.handle'), NULL::int, false,
      'The handle of its account.';
  END IF;
END $$;

-- The properties of the records. A property keeps the name that it has in the view; a new one gets
-- a free name.
CREATE OR REPLACE FUNCTION property_columns(this view_type) RETURNS SETOF view_column
LANGUAGE plpgsql STABLE
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  holder CONSTANT text := record_column(this.source);
  with_urls CONSTANT bool := coalesce(has_column(this.accounts, 'pds'), false);
  -- PostGraphile has a node_id, and makes row_id of id
  names name[] NOT NULL := '{uri,did,rkey,cid,sort_at,conforms,hidden,author_handle,node_id,row_id}'
    || ARRAY(SELECT k.name FROM view_column AS k JOIN view_properties(this.lexicons, this.nsid) AS v
                                ON v.path = k.path AND v.kind = k.kind
             WHERE k.view = this.view);
  free name;
  p record;
BEGIN
  FOR p IN
    SELECT v.*, k.name AS old, view_expression(v.kind, v.type, v.most, v.path, holder) AS expression
    FROM view_properties(this.lexicons, this.nsid) AS v
         LEFT JOIN view_column AS k ON k.view = this.view AND k.path = v.path AND k.kind = v.kind
    WHERE v.kind <> 'url' OR with_urls
    ORDER BY v.kind, cardinality(v.path), v.path
  LOOP
    free := p.old;
    IF free IS NULL THEN
      SELECT n INTO free FROM numbered_names(p.name) AS n
      WHERE replace(n, '_', '') <> ALL (
        ARRAY(SELECT replace(taken, '_', '') FROM unnest(names) AS taken)) LIMIT 1;
      names := names || free;
    END IF;
    RETURN QUERY SELECT NULL::regclass, free, p.path, p.kind,
      CASE p.type WHEN 'link' THEN 'atid.cid_link' ELSE p.type END,
      CASE p.kind WHEN 'url' THEN blob_address(this, p.expression) ELSE p.expression END,
      p.most, false, p.description;
  END LOOP;
END $$;

-- The address of a blob at the server of its account, from the expression of its CID.
CREATE OR REPLACE FUNCTION blob_address(this view_type, cid text) RETURNS text LANGUAGE sql STABLE
SET search_path FROM CURRENT AS $$
  SELECT format('%s || ''/xrpc/com.atproto.sync.getBlob?did='' || '
    'replace(replace(%s::text, ''%%'', ''%%25''), '':'', ''%%3A'') || ''&cid='' || %s',
    account_expression(this.accounts, this.source,
                       'substring(a.pds FROM ''^https?://[A-Za-z0-9.:[\]_-]+'')'),
    did_expression(this.source, 's.'), cid)
$$;

CREATE OR REPLACE FUNCTION plan_columns(this view_type) RETURNS SETOF view_column
LANGUAGE plpgsql STABLE
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN QUERY SELECT * FROM own_columns(this);
  RETURN QUERY SELECT * FROM property_columns(this);
END $$;
