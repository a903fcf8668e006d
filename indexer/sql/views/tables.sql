-- The views that exist, with their columns and indexes, and what an operator has declared about
-- them.

-- The views. n names the row in the view, which does not exist yet when its definition is written.
CREATE TABLE IF NOT EXISTS view_type (
  n         int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  view      regclass UNIQUE,
  nsid      text,              -- of the record type; NULL: the view of the accounts
  only_key  text,              -- the one key that its records have, as "self"; NULL: any key
  source    regclass NOT NULL,
  accounts  regclass,
  condition text NOT NULL,     -- selects the view's rows of the source, in indexes too
  conforming bool NOT NULL DEFAULT false,  -- only records that conform are in the view
  lexicons  atid.lexicon,      -- the definitions by which a record of the type is checked
  description text
);

-- The columns of the views. The steps of make_views() pass them on as rows of this table, in which
-- view is NULL until the view exists.
CREATE TABLE IF NOT EXISTS view_column (
  view       regclass,
  name       name,
  path       text[],           -- of the property; NULL: not a part of the record
  kind       text NOT NULL,    -- own; derived; property; url, of the blob at the path
  type       text NOT NULL,
  expression text NOT NULL,    -- over a row of the source
  most       int,              -- bytes of a value; NULL: unbounded, or it cannot be indexed
  filled     bool NOT NULL,    -- it is never NULL
  description text,
  PRIMARY KEY (view, name)
);

-- The indexes. Views of other schemas can share one.
CREATE TABLE IF NOT EXISTS view_index (
  view       regclass,
  columns    name[],
  search     bool,             -- is it an index of words?
  index      text NOT NULL,    -- its name; a dump restores rows before indexes, so no regclass
  definition text NOT NULL,
  config     text,             -- of a search, if one was given
  PRIMARY KEY (view, search, columns)
);

-- Fill this by hand, or by find_references(): the columns that point at records of a type. The
-- comments of the views then describe the join to engines.
CREATE TABLE IF NOT EXISTS view_reference (
  nsid   text,    -- the type that has the column
  path   text[],  -- of the property
  target text,    -- the type of the records at which it points
  PRIMARY KEY (nsid, path, target)
);

-- 1.3.0 stored an index as regclass. Where the index was created again since, only a number was
-- left, and its name is derived from the view and the columns.
DO $$
BEGIN
  IF EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = 'view_index'::regclass
             AND attname = 'index' AND atttypid = 'regclass'::regtype) THEN
    ALTER TABLE view_index ALTER index TYPE text USING coalesce(view_full_name(index), '');
    DELETE FROM view_index AS i WHERE i.index = ''
      AND NOT EXISTS (SELECT 1 FROM view_type AS t WHERE t.view = i.view AND t.nsid IS NOT NULL);
    UPDATE view_index AS i
    SET index = format('%s.%I', c.relnamespace::regnamespace, view_name(
          ARRAY[t.nsid] || CASE WHEN i.search THEN '{search}' ELSE i.columns::text[] END))
    FROM view_type AS t JOIN pg_class AS c ON c.oid = t.source
    WHERE t.view = i.view AND i.index = '';
    DELETE FROM view_index AS i WHERE i.index = ''; -- its source was dropped
  END IF;
END $$;
