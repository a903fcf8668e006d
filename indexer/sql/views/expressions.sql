-- Expressions over a row of a source. None of them raises an error.

-- The parts of a source's expressions for a property: by the column that holds the record.
CREATE OR REPLACE FUNCTION property_parts(
  path text[], source text,
  OUT text text, OUT typeof text, OUT value text, OUT link text, OUT ref text, OUT old text
) LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT format('atid.dag_cbor_get_text(block, %L)', path),
         format('atid.dag_cbor_typeof(block, %L)', path),
         format('atid.dag_cbor_get(block, %L)', path),
         format('atid.dag_cbor_get_text(block, %L)', path),
         format('atid.dag_cbor_get_text(block, %L)', path || '{ref}'::text[]),
         format('atid.dag_cbor_get_text(block, %L)', path || '{cid}'::text[])
  WHERE source = 'block'
  UNION ALL
  SELECT format('(record #>> %L)', path),
         format('jsonb_typeof(record #> %L)', path),
         format('(record #> %L)', path),
         format('(record #>> %L)', path || '{$link}'::text[]),
         format('(record #>> %L)', path || '{ref,$link}'::text[]),
         format('(record #>> %L)', path || '{cid}'::text[])
  WHERE source = 'record';
END;

-- The template of a property's expression. Its parts are 1: text, 2: typeof, 3: value, 4: link, 5:
-- most, 6: ref, 7: old.
CREATE OR REPLACE FUNCTION property_template(type text, bounded bool) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE type
  WHEN 'text' THEN CASE WHEN bounded
    THEN 'CASE WHEN %2$s = ''string'' AND octet_length(%1$s) <= %5$s THEN %1$s END'
    ELSE 'CASE WHEN %2$s = ''string'' THEN %1$s END' END
  WHEN 'link' THEN
    'CASE WHEN %2$s <> ''string'' AND atid.cid_is_valid(%4$s) THEN (%4$s)::atid.cid_link END'
  WHEN 'atid.cid_link' THEN
    'CASE WHEN %2$s = ''string'' AND atid.cid_is_valid(%1$s) THEN (%1$s)::atid.cid_link END'
  WHEN 'atid.tid' THEN
    'CASE WHEN %2$s = ''string'' AND atid.tid_is_valid(%1$s) THEN (%1$s)::atid.tid END'
  WHEN 'atid.did' THEN 'CASE WHEN octet_length(%1$s) <= %5$s THEN atid.did_or_null(%1$s) END'
  WHEN 'atid.at_uri' THEN 'CASE WHEN octet_length(%1$s) <= %5$s THEN atid.at_uri_or_null(%1$s) END'
  WHEN 'timestamptz' THEN 'atid.datetime_or_null(%1$s)'
  WHEN 'boolean' THEN 'CASE %3$s WHEN ''true'' THEN true WHEN ''false'' THEN false END'
  WHEN 'bigint' THEN 'jsonb_path_query_first(%3$s, ''strict $ ? (@ >= -9223372036854775808 && '
    '@ <= 9223372036854775807 && @.floor() == @)'')::bigint'
  ELSE '%3$s' END;

-- The expression of a property, by the column of the source that holds the record. For the address
-- of a blob, it is the expression of its CID, which early blobs have at another path.
CREATE OR REPLACE FUNCTION view_expression(
  kind text, type text, most int, path text[], source text
) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (
  SELECT format(
           CASE WHEN kind = 'url'
             THEN 'CASE WHEN atid.cid_is_valid(%6$s) THEN %6$s '
                  'WHEN atid.cid_is_valid(%7$s) THEN %7$s END'
             ELSE property_template(type, most IS NOT NULL) END,
           p.text, p.typeof, p.value, p.link, most, p.ref, p.old)
  FROM property_parts(path, source) AS p);

-- Does the source, or a table of accounts, have this column?
CREATE OR REPLACE FUNCTION has_column(relation regclass, name name) RETURNS bool
LANGUAGE sql STABLE
RETURN EXISTS (SELECT 1 FROM pg_attribute AS a
               WHERE a.attrelid = relation AND a.attname = has_column.name
                 AND a.attnum > 0 AND NOT a.attisdropped);

-- Does it have this column, and is the column never NULL?
CREATE OR REPLACE FUNCTION is_column_filled(relation regclass, name name) RETURNS bool
LANGUAGE sql STABLE
RETURN EXISTS (SELECT 1 FROM pg_attribute AS a
               WHERE a.attrelid = relation AND a.attname = is_column_filled.name
                 AND a.attnum > 0 AND a.attnotnull);

-- The column of the source that holds the records: DAG-CBOR, or jsonb.
CREATE OR REPLACE FUNCTION record_column(source regclass) RETURNS text LANGUAGE sql STABLE
RETURN CASE WHEN has_column(source, 'block') THEN 'block' ELSE 'record' END;

-- The DID of a row of the source; prefix: the name of the row with a dot, or ''.
CREATE OR REPLACE FUNCTION did_expression(source regclass, prefix text) RETURNS text
LANGUAGE sql STABLE
RETURN format(CASE WHEN has_column(source, 'did') THEN '%sdid' ELSE 'atid.at_uri_did(%suri)' END,
              prefix);

-- The columns did and cid of a record, over a row of the table packed_record.
CREATE OR REPLACE FUNCTION packed_expression(name name) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE name WHEN 'did' THEN 'atid.at_uri_did(uri)'
                 WHEN 'cid' THEN 'coalesce(unusual_cid, atid.cid_of(block, ''dag-cbor''))' END;

-- The CID of a row of a source without a column cid.
CREATE OR REPLACE FUNCTION cid_expression(source regclass) RETURNS text LANGUAGE sql STABLE
RETURN CASE
  WHEN has_column(source, 'unusual_cid') THEN packed_expression('cid')
  WHEN has_column(source, 'block') THEN 'atid.cid_of(block, ''dag-cbor'')'
  ELSE 'CASE WHEN atid.record_is_valid(record) THEN atid.record_cid(record) END' END;

-- A column of the account of a row s of the source.
CREATE OR REPLACE FUNCTION account_expression(
  accounts regclass, source regclass, expression text
) RETURNS text LANGUAGE sql STABLE
SET search_path FROM CURRENT
RETURN format('(SELECT %s FROM %s AS a WHERE a.did = %s LIMIT 1)', expression, accounts,
              did_expression(source, 's.'));

-- Does the row conform to the Lexicon of the type? NULL if the definitions leave it open.
CREATE OR REPLACE FUNCTION conforms_expression(this view_type) RETURNS text LANGUAGE sql STABLE
SET search_path FROM CURRENT AS $$
  SELECT format(
    CASE WHEN has_column(this.source, 'conforms') THEN 'coalesce(conforms, %s)' ELSE '%s' END,
    format('atid.%s_conforms(%s, (SELECT t.lexicons FROM view_type AS t WHERE t.n = %s), %L)',
           CASE holder WHEN 'block' THEN 'dag_cbor' ELSE 'record' END, holder, this.n, this.nsid))
  FROM record_column(this.source) AS holder
$$;

-- The time at which the record was written, according to itself; 'NULL' if its type has no such
-- property.
CREATE OR REPLACE FUNCTION created_expression(this view_type) RETURNS text LANGUAGE sql STABLE
SET search_path FROM CURRENT AS $$
  SELECT coalesce((
    SELECT CASE record_column(this.source)
             WHEN 'block' THEN format('atid.dag_cbor_get_text(block, %L)', ARRAY[c.name])
             ELSE format('(record ->> %L)', c.name) END
    FROM unnest('{createdAt,publishedAt}'::text[]) WITH ORDINALITY AS c (name, n)
    WHERE atid.lexicon_document(this.lexicons, this.nsid)
            #> '{defs,main,record,properties}' ? c.name
    ORDER BY c.n LIMIT 1), 'NULL')
$$;
