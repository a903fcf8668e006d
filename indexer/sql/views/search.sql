-- Search by words: an index, and two functions next to the view. search_VIEW(query) returns rows,
-- and VIEW_rank(row, query) how well a row fits. The query has the syntax of web search engines.

-- The text search configurations that the server has, by the code of the language.
CREATE OR REPLACE FUNCTION view_languages() RETURNS TABLE (code text, config text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT l.code, l.config
  FROM unnest(
    '{ar,ca,da,de,el,en,es,eu,fi,fr,ga,hi,hu,hy,id,it,lt,ne,nl,no,pt,ro,ru,sr,sv,ta,tr,yi}'::text[],
    '{arabic,catalan,danish,german,greek,english,spanish,basque,finnish,french,irish,hindi,
      hungarian,armenian,indonesian,italian,lithuanian,nepali,dutch,norwegian,portuguese,romanian,
      russian,serbian,swedish,tamil,turkish,yiddish}'::text[]) AS l (code, config);
END;

-- The name of a configuration, independently of the session's search_path.
CREATE OR REPLACE FUNCTION view_config_name(config regconfig) RETURNS text
LANGUAGE sql STABLE STRICT
RETURN (SELECT format('%I.%I', nspname, cfgname)
        FROM pg_ts_config AS c JOIN pg_namespace AS n ON n.oid = cfgnamespace WHERE c.oid = config);

-- The column with the languages of a record, by which its words are found if the search has no
-- configuration; NULL: the type has no such property.
CREATE OR REPLACE FUNCTION language_column(of regclass) RETURNS view_column LANGUAGE sql STABLE
SET search_path FROM CURRENT AS $$
  SELECT c FROM view_column AS c
  WHERE c.view = of AND c.path = '{langs}' AND c.kind = 'property' AND c.type = 'jsonb'
$$;

-- The configuration of a row's words, as an expression over the source or the row v of the view.
CREATE OR REPLACE FUNCTION search_config(of regclass, config text, over_source bool) RETURNS text
LANGUAGE sql STABLE
SET search_path FROM CURRENT AS $$
  SELECT CASE
    WHEN config IS NOT NULL THEN format('%L::regconfig', config)
    WHEN c.name IS NULL THEN '''pg_catalog.simple''::regconfig'
    ELSE format(
      'CASE lower(split_part((%s) ->> 0, ''-'', 1))%s ELSE ''pg_catalog.simple''::regconfig END',
      CASE WHEN over_source THEN c.expression ELSE format('v.%I', c.name) END,
      (SELECT string_agg(format(' WHEN %L THEN ''pg_catalog.%s''::regconfig', l.code, l.config), ''
                         ORDER BY l.code) FROM view_languages() AS l)) END
  FROM language_column(of) AS c
$$;

-- The words of some texts, the first of which has the greatest weight. Each text is truncated, as a
-- tsvector can have at most 1 MB. "<" is removed, because the server's parser reads to the end for
-- each "<!--". Literals have types, as the functions of the search run with any search_path.
CREATE OR REPLACE FUNCTION view_words(texts text[], config text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path FROM CURRENT AS $$
  SELECT string_agg(
           format('setweight(to_tsvector(%s, translate(left(coalesce(%s, ''''::text), %s), '
                  '''<''::text, '' ''::text)), %L::"char")',
                  config, t, 50000 / cardinality(texts), substr('ABCD', least(n, 4)::int, 1)),
           ' || ' ORDER BY n)
  FROM unnest(texts) WITH ORDINALITY AS u (t, n)
$$;

-- A search as an expression in each configuration: it finds the words of the query in any of them.
CREATE OR REPLACE FUNCTION search_in_all_languages() RETURNS text LANGUAGE sql STABLE
SET search_path FROM CURRENT AS $$
  SELECT format('(SELECT string_agg(DISTINCT ''('' || q::text || '')'', '' | '')::tsquery '
                'FROM (VALUES %s) AS w (q) WHERE numnode(q) > 0)',
                string_agg(format('(websearch_to_tsquery(''pg_catalog.%s''::regconfig, '
                                  'left(query, 500)))', l.config), ', '))
  FROM (SELECT config FROM view_languages() UNION ALL SELECT 'simple') AS l
$$;

-- The functions of make_search that exist for a view.
CREATE OR REPLACE FUNCTION view_search_functions(view regclass) RETURNS SETOF regprocedure
LANGUAGE sql STABLE
SET search_path FROM CURRENT AS $$
  SELECT p.oid::regprocedure
  FROM view_index AS i JOIN pg_class AS c ON c.oid = i.view
       JOIN pg_proc AS p ON p.pronamespace = c.relnamespace
  WHERE i.view = view_search_functions.view AND i.search
    AND p.proname IN (view_name(ARRAY['search', c.relname]), view_name(ARRAY[c.relname, 'rank']))
    AND (p.prorettype = c.reltype OR p.proargtypes[0] = c.reltype)
$$;

-- Creates the functions of a search. The planner inlines the first into the calling query, so that
-- it uses the index. OFFSET 0 makes the planner find the words first: it assumes that checking each
-- row for them is cheap, which it is not. If each row has a language of its own, the index is
-- searched for the words in all languages; if the query excludes words, a row is then checked in
-- its own language.
CREATE OR REPLACE FUNCTION make_search_functions(of regclass) RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  s view_index;
  space CONSTANT name NOT NULL := (
    SELECT nspname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace
    WHERE c.oid = of);
  called CONSTANT name NOT NULL := (SELECT relname FROM pg_class WHERE oid = of);
  full_name CONSTANT text NOT NULL := view_full_name(of);
  config text;
  words text;
  query text;
  body text;
BEGIN
  SELECT * INTO s FROM view_index AS i WHERE i.view = of AND i.search;
  config := search_config(of, s.config, false);
  query := format('websearch_to_tsquery(%s, left(query, 500))', config);
  words := view_words(ARRAY(SELECT format('v.%I', c) FROM unnest(s.columns) AS c), config);
  IF s.config IS NULL AND (language_column(of)).name IS NOT NULL THEN
    body := format('(%s) @@ %s AND (strpos(query, ''-'') = 0 OR (%s) @@ %s)',
                   words, search_in_all_languages(), words, query);
  ELSE
    body := format('(%s) @@ %s', words, query);
  END IF;
  EXECUTE format('CREATE OR REPLACE FUNCTION %I.%I(query text) RETURNS SETOF %s '
                 'LANGUAGE sql STABLE PARALLEL SAFE AS %L',
                 space, view_name(ARRAY['search', called]), full_name,
                 format('SELECT v.* FROM %s AS v WHERE %s OFFSET 0', full_name, body));
  EXECUTE format('CREATE OR REPLACE FUNCTION %I.%I(v %s, query text) RETURNS real '
                 'LANGUAGE sql STABLE PARALLEL SAFE AS %L',
                 space, view_name(ARRAY[called, 'rank']), full_name,
                 format('SELECT ts_rank(%s, %s)', words, query));
END $$;

-- An index of the words of these columns. Without config, the first of a record's langs determines
-- the language of its words.
CREATE OR REPLACE FUNCTION plan_search_index(
  view regclass, config text, columns name[], OUT of regclass, OUT label text, OUT definition text
) LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  this CONSTANT view_type NOT NULL := resolve_view_type(view);
  missing name;
  expressions text[];
BEGIN
  SELECT w.name INTO missing FROM unnest(columns) AS w (name)
  WHERE NOT EXISTS (SELECT 1 FROM view_column AS c WHERE c.view = this.view AND c.name = w.name
                      AND c.kind = 'property' AND c.type = 'text') LIMIT 1;
  IF FOUND THEN
    RAISE undefined_column USING
      MESSAGE = format('view %s has no text column %I that can be searched', view, missing);
  END IF;
  expressions := ARRAY(
    SELECT c.expression FROM unnest(columns) WITH ORDINALITY AS w (name, n)
           JOIN view_column AS c ON c.view = this.view AND c.name = w.name ORDER BY w.n);
  of := this.view;
  label := view_name(ARRAY[this.nsid, 'search']);
  definition := format('USING gin ((%s)) WHERE %s',
                       view_words(expressions, search_config(this.view, config, true)),
                       this.condition);
END $$;

CREATE OR REPLACE FUNCTION make_search(view regclass, config regconfig, VARIADIC columns name[])
RETURNS void LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE i record;
BEGIN
  i := plan_search_index(view, view_config_name(config), columns);
  PERFORM store_view_index(i.of, columns, true, i.label, i.definition, view_config_name(config));
  PERFORM make_search_functions(i.of);
  PERFORM pg_notify('postgraphile_watch', '{"type":"manual"}');
END $$;

CREATE OR REPLACE FUNCTION make_search(view regclass, VARIADIC columns name[]) RETURNS void
LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  PERFORM make_search(view, NULL::regconfig, VARIADIC columns);
END $$;

-- The commands that create the index without blocking writers; make_search then uses it.
CREATE OR REPLACE FUNCTION search_index_commands(
  view regclass, config regconfig, VARIADIC columns name[]
) RETURNS SETOF text LANGUAGE plpgsql
SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN QUERY SELECT c.* FROM plan_search_index(view, view_config_name(config), columns) AS i,
                              index_commands(i.of, i.label, i.definition) AS c;
END $$;
