-- Typed views of records, made from their Lexicons. doc/views.md describes their use.
--
--   make_views(lexicons, source, target)   a view in the schema target of each record type: updated
--                                          to its Lexicon, or dropped without one; returns
--                                          how many there are
--   make_views(target)                     likewise over the tables of the indexer, and a view of
--                                          its accounts
--   make_view_index(view, columns)         an index of the source, for queries by these columns
--   view_index_commands(view, columns)     likewise, as commands that do not block writers
--   make_search(view, columns)             an index of words, and functions search_... and ..._rank
--   search_index_commands(view, config, columns)
--   find_references()                      fills view_reference from the existing references
--   find_new_references()                  likewise for columns without any, by their indexes
--   lexicon_gaps(lexicons)                 definitions that the record types need and the set lacks
--
-- The source is a table with a column uri of type atid.at_uri, and with the records in a column
-- block (DAG-CBOR, as bytea or atid.block) or record (jsonb). If it has the columns did, cid,
-- indexed and conforms, the views use them.
--
-- Strangers write the records. No value of theirs may make a query, an INSERT or an index fail, in
-- whatever order the planner evaluates expressions: so no expression of a column raises an error, a
-- column is NULL where its type cannot hold the value, and an index takes only what is sure to fit.
--
-- The file and the folder views/ are a part of install.sql, and can be used alone: load the file
-- into a schema of its own, for example with PGOPTIONS='-c search_path=views'. The functions keep
-- the search_path with which they were created.
\ir views/names.sql
\ir views/tables.sql
\ir views/properties.sql
\ir views/expressions.sql
\ir views/plan_columns.sql
\ir views/rights.sql
\ir views/build_view.sql
\ir views/make_views.sql
\ir views/drop_view.sql
\ir views/dependents.sql
\ir views/indexes.sql
\ir views/search.sql
\ir views/find_references.sql
\ir views/write_comments.sql
