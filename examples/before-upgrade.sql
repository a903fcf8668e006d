-- What stops an upgrade to a new major version of PostgreSQL. doc/install.md says what to do about it.
--
--   psql -d DATABASE -f examples/before-upgrade.sql

-- Foreign keys that 18 cannot restore.
SELECT conrelid::regclass AS "table", conname AS key, pg_get_constraintdef(c.oid) AS definition
FROM pg_constraint AS c, unnest(conkey, confkey) AS k (a, b)
  JOIN pg_attribute AS f ON f.attnum = k.a JOIN pg_attribute AS p ON p.attnum = k.b
WHERE contype = 'f' AND conparentid = 0 AND f.attrelid = conrelid AND p.attrelid = confrelid
  AND f.attcollation = 0 AND p.attcollation <> 0;

-- Objects that pg_upgrade cannot create, because it creates them before the operator classes: their parsed bodies sort
-- or group by one of the types, or compare rows of them. And domains, which it creates before the casts: their checks,
-- or the functions that these call, have a cast of a type to one that is no text, or from one, such as that of
-- atid.block to bytea, or from character(n).
WITH RECURSIVE early AS (
  SELECT 'pg_constraint'::regclass AS class, oid FROM pg_constraint WHERE contypid <> 0
  UNION
  SELECT refclassid, refobjid FROM early JOIN pg_depend ON classid = class AND objid = oid
  WHERE refclassid = 'pg_proc'::regclass
), tree AS (
  SELECT 'pg_proc'::regclass AS class, oid, prosqlbody::text AS tree FROM pg_proc WHERE prosqlbody IS NOT NULL
  UNION ALL SELECT 'pg_constraint'::regclass, oid, conbin::text FROM pg_constraint WHERE contypid <> 0
  UNION ALL SELECT 'pg_rewrite'::regclass, r.oid, ev_action::text FROM pg_rewrite AS r JOIN pg_class AS c ON c.oid = ev_class
  WHERE relkind IN ('v', 'm') AND EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass
    AND (refobjid = ev_class OR refobjid IN (reltype, (SELECT typarray FROM pg_type AS y WHERE y.oid = reltype))))
)
SELECT pg_describe_object(class, oid, 0) AS object FROM tree
WHERE EXISTS (
  SELECT FROM regexp_matches(tree, ':(?:eqop|sortop) (\d+)|ROWCOMPARE[^(]*\(o ([\d ]+)\)', 'g') AS m,
       unnest(string_to_array(concat_ws(' ', m[1], m[2]), ' ')::oid[]) AS operator
    JOIN pg_depend AS d ON d.classid = 'pg_operator'::regclass AND d.objid = operator AND d.deptype = 'e'
    JOIN pg_extension AS e ON e.oid = d.refobjid AND extname = 'atid')
  OR (class, oid) IN (TABLE early) AND EXISTS (
  SELECT FROM pg_cast AS c
    JOIN pg_depend AS d ON d.classid = 'pg_cast'::regclass AND d.objid = c.oid AND d.deptype = 'e'
    JOIN pg_extension AS e ON e.oid = d.refobjid AND extname = 'atid'
  WHERE 'text'::regtype NOT IN (casttarget, castsource)    -- these become the same without it
    AND 'varchar'::regtype NOT IN (casttarget, castsource)
    AND CASE castmethod
      WHEN 'f' THEN tree ~ format(':funcid %s [^{}]*:funcformat [12]', castfunc)
      WHEN 'b' THEN tree ~ format(':resulttype %s [^{}]*:relabelformat [12]', casttarget)
        AND tree ~ format(':(typeId|vartype|paramtype|consttype|funcresulttype|resulttype) %s ', castsource) END)
ORDER BY object;
