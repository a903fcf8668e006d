-- What bench/indexer measures, and how.

CREATE SCHEMA bench;
CREATE UNLOGGED TABLE bench.line (a text, b text, c text, d text);
CREATE UNLOGGED TABLE bench.frame (seq int PRIMARY KEY, slot int, frame bytea);
ALTER TABLE bench.frame ALTER frame SET STORAGE EXTERNAL;
