--
-- The domains atid.rkey and atid.record_key, as a role that was granted
-- nothing and whose search_path is the default.
--
CREATE ROLE regress_atid;
CREATE SCHEMA AUTHORIZATION regress_atid;
SET ROLE regress_atid;

--
-- The valid and invalid examples of the protocol's record key page
--
CREATE TABLE examples (key text, valid bool);
INSERT INTO examples
SELECT unnest(ARRAY['3jui7kd54zh2y', 'self', 'example.com', '~1.2-3_', 'dHJ1ZQ']), true;
INSERT INTO examples
SELECT unnest(ARRAY['literal:self', 'alpha/beta', '.', '..', '#extra', '@handle', 'any space',
                    'any+space', 'number[3]', 'number(3)', '"quote"', 'pre:fix',
                    'dHJ1ZQ==']), false;

SELECT key, valid, atid.rkey_is_valid(key) AS rkey, atid.record_key_is_valid(key) AS record_key
FROM examples;

-- Edges
SELECT what, atid.rkey_is_valid(key) AS rkey, atid.record_key_is_valid(key) AS record_key
FROM (VALUES ('empty', ''), ('512', repeat('o', 512)), ('513', repeat('o', 513)), ('dots', '...'),
             ('colon', ':'), ('space', ' '), ('trailing blank', 'self '), ('newline', E'self\n'),
             ('accent', 'é'), ('null', NULL)) v(what, key);

-- The domains say which rule was broken, by the name of the constraint.
CREATE FUNCTION broken_rule(domain text, key text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
  rule text;
  state text;
BEGIN
  EXECUTE format('SELECT %L::%s', key, domain);
  RETURN 'valid';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS rule = CONSTRAINT_NAME, state = RETURNED_SQLSTATE;
  RETURN state || ' ' || rule;
END
$$;
SELECT left(key, 12) AS key, broken_rule('atid.rkey', key) AS rkey,
       broken_rule('atid.record_key', key) AS record_key
FROM (SELECT key FROM examples
      UNION ALL
      SELECT unnest(ARRAY['', repeat('o', 513), repeat('o', 512)])) e;
SELECT 'pre:fix'::atid.rkey;
SELECT 'pre:fix'::atid.record_key;
SELECT '..'::atid.rkey;
SELECT ''::atid.record_key;
SELECT NULL::atid.rkey IS NULL AS null_passes;

--
-- Key types
--
SELECT key, type, atid.rkey_conforms(key, type) AS rkey,
       atid.record_key_conforms(key, type) AS record_key
FROM (VALUES ('3jui7kd54zh2y', 'tid'), ('3JUI7KD54ZH2Y', 'tid'), ('self', 'tid'),
             ('com.example.fooBar', 'nsid'), ('com.example', 'nsid'), ('com.example.3', 'nsid'),
             ('self', 'any'), ('pre:fix', 'any'), ('..', 'any'), ('', 'any'),
             ('self', 'literal:self'), ('selfie', 'literal:self'), ('sel', 'literal:self'),
             ('', 'literal:self'), ('a:b', 'literal:a:b'), (NULL, 'any'),
             ('self', NULL)) v(key, type);
SELECT atid.rkey_conforms('self', 'literal');
SELECT atid.rkey_conforms('self', 'literal:');
SELECT atid.rkey_conforms('..', 'literal:..');
SELECT atid.rkey_conforms('self', 'TID');
SELECT atid.record_key_conforms('self', '');
SELECT atid.record_key_conforms('self', repeat('x', 401));    -- an error quotes 400 bytes

--
-- In tables: sorted as the repository tree sorts, found through the index by
-- everything that drivers send.
--
CREATE TABLE records (
  collection text,
  rkey atid.rkey DEFAULT atid.tid_generate(),
  PRIMARY KEY (collection, rkey)
);
INSERT INTO records VALUES ('c', 'a'), ('c', 'B'), ('c', '~'), ('c', '-'), ('c', '_'), ('c', '0');
SELECT string_agg(rkey, ' ' ORDER BY rkey) FROM records;
INSERT INTO records SELECT 'd', 'key' || i FROM generate_series(1, 2000) i;
ANALYZE records;

SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET plan_cache_mode = force_generic_plan;
PREPARE by_text(text, text) AS SELECT * FROM records WHERE collection = $1 AND rkey = $2;
EXPLAIN (COSTS OFF) EXECUTE by_text('d', 'key7');
EXECUTE by_text('d', 'key7');
PREPARE by_varchar(text, varchar) AS SELECT * FROM records WHERE collection = $1 AND rkey = $2;
EXPLAIN (COSTS OFF) EXECUTE by_varchar('d', 'key7');
PREPARE page(text, text) AS
  SELECT rkey FROM records WHERE collection = $1 AND rkey < $2 ORDER BY rkey DESC LIMIT 2;
EXPLAIN (COSTS OFF) EXECUTE page('d', 'key7');
EXECUTE page('d', 'key7');
EXPLAIN (COSTS OFF) SELECT * FROM records WHERE collection = 'd' AND rkey LIKE 'key19%';
SELECT count(*) FROM records WHERE collection = 'd' AND rkey LIKE 'key19%';
RESET plan_cache_mode;
RESET enable_seqscan;
RESET enable_bitmapscan;

-- Defaults and assignments from TIDs, in each kind of column
CREATE TABLE defaults (
  a atid.tid DEFAULT atid.tid_generate(),
  b atid.rkey DEFAULT atid.tid_generate(),
  c atid.record_key DEFAULT atid.tid_generate(),
  d text DEFAULT atid.tid_generate(),
  e atid.rkey DEFAULT atid.rkey_generate()
);
INSERT INTO defaults DEFAULT VALUES
RETURNING a::text < b AS ab, b < c AS bc, c < d AS cd, d < e AS de,
          atid.tid_is_valid(b) AS b, atid.tid_is_valid(c) AS c, atid.tid_is_valid(d) AS d,
          atid.tid_is_valid(e) AS e;
INSERT INTO defaults (b) SELECT atid.tid_make('2026-01-01+00', 1) RETURNING b;
PREPARE maybe(text) AS
  INSERT INTO defaults (b) VALUES (coalesce($1, atid.rkey_generate())) RETURNING length(b);
EXECUTE maybe('self');
EXECUTE maybe(NULL);
INSERT INTO defaults (b) VALUES ('pre:fix');
INSERT INTO defaults (c) VALUES ('pre:fix') RETURNING c;

-- A check on a text column that is live already: not valid first, then validated
CREATE TABLE live (rkey text COLLATE "C");
INSERT INTO live VALUES ('self'), ('any space');
ALTER TABLE live ADD CONSTRAINT rkey_valid CHECK (atid.rkey_is_valid(rkey)) NOT VALID;
INSERT INTO live VALUES ('also bad');
ALTER TABLE live VALIDATE CONSTRAINT rkey_valid;
DELETE FROM live WHERE NOT atid.rkey_is_valid(rkey);
ALTER TABLE live VALIDATE CONSTRAINT rkey_valid;

-- arrays, COPY
SELECT '{self,pre:fix}'::atid.record_key[];
SELECT '{self,pre:fix}'::atid.rkey[];
COPY live FROM stdin;
ok-key
not ok
\.
SELECT * FROM live;

RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA regress_atid CASCADE;
DROP ROLE regress_atid;
