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

-- The commit, the nodes of the tree, and the records, in this order.
CREATE FUNCTION export(account atid.did) RETURNS bytea
LANGUAGE sql STABLE
BEGIN ATOMIC
  SELECT atid.car_agg((SELECT atid.cid_of(block, 'dag-cbor') FROM commits WHERE did = account),
                      atid.cid_of(block, 'dag-cbor'), block ORDER BY part, n)
  FROM (SELECT 1 AS part, 1::bigint AS n, block FROM commits WHERE did = account
        UNION ALL
        SELECT 2, n, block
        FROM (SELECT atid.mst_car(path, cid ORDER BY path) AS car FROM records WHERE did = account) AS tree,
             atid.car_blocks(car)
        UNION ALL
        SELECT 3, row_number() OVER (ORDER BY path), block FROM records WHERE did = account) AS part;
END;
