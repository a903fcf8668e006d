-- Migration 4: 2.0.0. Statements that change tables which Citus distributes are parted by lines
-- "--> next".

-- Problems are codes, which codes.sql lists; their words have blanks.
UPDATE account SET problem = replace(problem, ' ', '_') WHERE problem LIKE '% %';
--> next
UPDATE identity SET problem = 'unsupported_method'
WHERE problem = 'not implemented' AND ask = 'infinity';
--> next
UPDATE identity SET problem = replace(problem, ' ', '_') WHERE problem LIKE '% %';
--> next
UPDATE host SET problem = replace(problem, ' ', '_') WHERE problem LIKE '% %';
UPDATE want SET problem = replace(problem, ' ', '_') WHERE problem LIKE '% %';

-- Has a host asked for its pause?
ALTER TABLE host ADD paused bool NOT NULL DEFAULT false;
UPDATE host SET paused = true WHERE problem = 'throttled';

-- Is a reader one of "atid-indexer api"?
ALTER TABLE reader ADD api bool NOT NULL DEFAULT false;
UPDATE reader SET api = true WHERE name LIKE 'api %';

-- What is wrong with a frame: a code, and as the reason its words, or the error. NULL: a frame that an
-- earlier version has kept.
ALTER TABLE bad ADD code text;
DROP FUNCTION IF EXISTS unsigned();

-- Bounds of tables that had none.
ALTER TABLE settings
  ADD most_candidates int NOT NULL DEFAULT 100000;   -- rows; then a list that adds more waits

INSERT INTO migration (n, program) VALUES (4, '2.0.0');
