-- What a record points at.

-- The name of a field, of those that record_refs gives: without "$." and without a ".uri" at its
-- end, so that a reference and a strong one have one name. A longer one would not fit into an
-- index.
CREATE OR REPLACE FUNCTION reference_path(field text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN octet_length(field) > 512 THEN ''
  ELSE regexp_replace(substr(field, CASE WHEN starts_with(field, '$.') THEN 3 ELSE 2 END),
                      '(.)\.uri$', '\1') END;

-- What a block points at: of the most first ones, each with its fields. Nothing where the codec
-- refuses the block, which dag_cbor_ref_uris tells without an error.
CREATE OR REPLACE FUNCTION block_references(
  block bytea, most int
) RETURNS TABLE (subject atid.at_uri, path text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT DISTINCT s.subject, reference_path(s.field)
  FROM (SELECT coalesce(f.uri, atid.at_uri_make(f.did::text)) AS subject, f.field
        FROM atid.dag_cbor_refs(CASE WHEN atid.dag_cbor_ref_uris(block) <> '{}' THEN block END) AS f
        LIMIT most) AS s
  WHERE octet_length(s.subject::text) <= 1200
$$;
