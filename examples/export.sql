-- Tables of records and of signed commits, and a function that makes the CAR of an account of them. doc/repository.md
-- tells how to make and sign a commit.
--
--   psql -v ON_ERROR_STOP=1 -f examples/export.sql

CREATE TABLE records (
  did        atid.did NOT NULL,
  collection text COLLATE "C" NOT NULL,
  rkey       atid.record_key NOT NULL,
  cid        atid.cid_link NOT NULL,
  block      bytea NOT NULL,
  path       text COLLATE "C" GENERATED ALWAYS AS (collection || '/' || rkey) STORED,
  PRIMARY KEY (did, path)
);

-- data is the root of the tree of the account's records.
CREATE TABLE commits (did atid.did PRIMARY KEY, data atid.cid_link NOT NULL, block bytea NOT NULL);

-- A CAR in the order that a reader can check as it comes: the commit, the root of the tree, and after each node what
-- its entries name, in their order: a record, or a node with all that is below it.
--
-- The nodes follow from the levels of the paths. A node of a level has a run of records whose levels are not above its
-- own, between two that are. So before the first record of the run a node begins on each level from that of the record
-- up to below that of the record before; and it ends likewise after the last one. The nth node that begins on a level
-- is the nth that ends there. mst_car() has them in the order in which they end.
CREATE FUNCTION export(account atid.did) RETURNS bytea
LANGUAGE sql STABLE
SET jit = off    -- the server expects far more nodes, for which JIT would pay
BEGIN ATOMIC
  WITH leaf AS (
    SELECT row_number() OVER (ORDER BY path) AS n, atid.mst_key_depth(path) AS level, path, cid, block
    FROM records WHERE did = account
  ), entry AS (
    SELECT n, level, block, coalesce(lag(level) OVER (ORDER BY n), max(level) OVER () + 1) AS before,
           coalesce(lead(level) OVER (ORDER BY n), max(level) OVER () + 1) AS after
    FROM leaf
  ), first AS (
    SELECT n, node, row_number() OVER (PARTITION BY node ORDER BY n) AS nth
    FROM entry, generate_series(level, before - 1) AS node
  ), last AS (
    SELECT node, row_number() OVER (PARTITION BY node ORDER BY n) AS nth, row_number() OVER (ORDER BY n, node) AS place
    FROM entry, generate_series(level, after - 1) AS node
  )
  SELECT atid.car_agg((SELECT atid.cid_of(block, 'dag-cbor') FROM commits WHERE did = account),
                      atid.cid_of(block, 'dag-cbor'), block ORDER BY n, rank)
  FROM (SELECT 0 AS n, 0 AS rank, block FROM commits WHERE did = account
        UNION ALL
        SELECT coalesce(first.n, 1), -node, block    -- outer nodes first; a tree without records has one node
        FROM (SELECT atid.mst_car(path, cid ORDER BY path) AS car FROM leaf) AS tree, atid.car_blocks(car) AS b
             LEFT JOIN last ON place = b.n LEFT JOIN first USING (node, nth)
        UNION ALL
        SELECT n, 1, block FROM entry) AS part;
END;
