-- Names and descriptions of views and columns, as SQL and engines for GraphQL accept them.

-- The name of a view or column: app_bsky_feed_post for "app.bsky.feed.post", and created_at for
-- "createdAt". GraphQL has no names that begin with a digit: field_2fa for "2fa".
CREATE OR REPLACE FUNCTION view_name(path text[]) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (
  SELECT CASE WHEN octet_length(n) > 57
           THEN left(n, 48) || '_' || left(md5(array_to_string(path, '.')), 8) ELSE n END
  FROM trim('_' FROM lower(regexp_replace(regexp_replace(
         array_to_string(path, '_') COLLATE "C",
         '([a-z0-9])([A-Z])', '\1_\2', 'g'), '[^A-Za-z0-9]+', '_', 'g'))) AS t,
       trim('_' FROM CASE WHEN t ~ '^([0-9]|$)' THEN 'field_' || t ELSE t END) AS n);

-- What engines make of a name: they remove the underscores, and form singulars and plurals. Two
-- names with the same stem would be an error for them.
CREATE OR REPLACE FUNCTION view_stem(name text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN regexp_replace(regexp_replace(replace(name, '_', ''), 'ies$', 'y'), '[es]+$', '');

-- The name for PostGraphile, which makes types of its own for each view: post_filter, post_edge and
-- others for "post".
CREATE OR REPLACE FUNCTION reserved_view_name(name text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE
  WHEN name ~ '_(connection|edge|filter|condition|order_by|column|input|patch)(e?s)*$'
  THEN name || '_record' ELSE name END;

-- The names to try until one is free: post, post_2, post_3 and so on. The planner inlines the
-- function into the calling query, which ends at the first free name.
CREATE OR REPLACE FUNCTION numbered_names(name text) RETURNS SETOF text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT concat_ws('_', numbered_names.name, nullif(i, 1))
  FROM generate_series(1, 10000) AS i OFFSET 0;
END;

-- The name as part of a statement, independently of the session's search_path.
CREATE OR REPLACE FUNCTION view_full_name(relation regclass) RETURNS text
LANGUAGE sql STABLE STRICT
RETURN (SELECT format('%I.%I', nspname, relname)
        FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace WHERE c.oid = relation);

-- A description as a comment. Engines read instructions in comments: PostGraphile in lines that
-- begin with "@", pg_graphql after "@graphql". A zero-width character makes plain text of these.
CREATE OR REPLACE FUNCTION view_text(description text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN regexp_replace(
  regexp_replace(description, '@(?=graphql)', U&'@\200B', 'gi'),
  '(^|[[:cntrl:]\u2028\u2029])(\s*)@', U&'\\1\\2\200B@', 'g');
