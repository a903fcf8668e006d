-- What examples/indexer/citus.sql of 1.2.0 and 1.2.1 did on Citus, after schema.sql, for indexer/t/citus_upgrade.pl.
--
-- All of an account is in one shard, by its DID; what points at a record is in one shard, by that record. The other
-- tables are small, and stay on the coordinator, where the functions run.
SELECT create_distributed_table('account', 'did', colocate_with => 'none');
SELECT create_distributed_table('identity', 'did', colocate_with => 'account');
SELECT create_distributed_table('record', 'did', colocate_with => 'account');
SELECT create_distributed_table('reference', 'subject', colocate_with => 'none');

-- Citus locks no rows of several shards for a SELECT. What takes the next row does it one after the other instead,
-- and what locks several accounts does it by an UPDATE that changes nothing.
CREATE OR REPLACE FUNCTION hold(dids atid.did[]) RETURNS SETOF account LANGUAGE plpgsql AS $$
BEGIN
  IF dids <> '{}' THEN
    RETURN QUERY UPDATE account SET claim = claim WHERE did = ANY (dids) AND state <> 'in progress' RETURNING *;
  END IF;
END $$;

CREATE OR REPLACE FUNCTION doubtful(most int) RETURNS SETOF atid.did LANGUAGE plpgsql AS $$
DECLARE
  next atid.did[];
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('doubtful'));
  next := ARRAY(SELECT did FROM account WHERE check_at < 'infinity' AND check_at <= now() ORDER BY check_at LIMIT most);
  IF next <> '{}' THEN
    RETURN QUERY UPDATE account SET check_at = now() + pause(6) WHERE did = ANY (next) RETURNING did;
  END IF;
END $$;

CREATE OR REPLACE FUNCTION ask(most int) RETURNS SETOF atid.did LANGUAGE plpgsql AS $$
DECLARE
  moment CONSTANT timestamptz := now();
  known bool;
  next atid.did[];
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('ask'));
  FOREACH known IN ARRAY '{false,true}'::bool[] LOOP
    next := ARRAY(SELECT n.did FROM identity AS n WHERE (n.answered IS NOT NULL) = known AND n.ask <= now()
                  ORDER BY n.ask LIMIT most);
    CONTINUE WHEN next = '{}';
    RETURN QUERY
    UPDATE identity AS i
    SET asked = i.asked + 1,
        ask = CASE WHEN i.did::text ~ '^did:(plc|web):' THEN later(moment, pause(i.asked)) ELSE 'infinity' END
    WHERE i.did = ANY (next) RETURNING i.did;
    RETURN;
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION claim(most int) RETURNS TABLE (did atid.did, claim int) LANGUAGE plpgsql AS $$
DECLARE
  c record;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('claim'));
  FOR c IN SELECT a.did, a.load_at, i.key, h.until FROM due AS a JOIN identity AS i ON i.did = a.did
                  LEFT JOIN host AS h ON h.name = i.pds AND h.until > now() AND h.failures > 2
           ORDER BY a.load_at LIMIT most + 20 LOOP
    IF c.key IS NULL OR c.until IS NOT NULL THEN
      c.until := coalesce(c.until, 'infinity');
      UPDATE account AS a SET load_at = c.until
      WHERE a.did = c.did AND a.load_at = c.load_at AND a.state <> 'in progress';
    ELSIF most > 0 THEN
      most := most - 1;
      RETURN QUERY UPDATE account AS a SET state = 'in progress', claim = a.claim + 1, claimed = now()
                   WHERE a.did = c.did AND a.state <> 'in progress' RETURNING a.did, a.claim;
    END IF;
  END LOOP;
END $$;
