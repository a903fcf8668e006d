--
-- The whole surface of the extension, so that a change of it is a visible diff.
--
\pset format unaligned
\pset footer off

CREATE TEMP VIEW member AS
SELECT classid, objid, objsubid
FROM pg_depend
WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
  AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'atid_crypto');
SELECT pg_describe_object(classid, objid, objsubid) COLLATE "C" AS object
FROM member ORDER BY 1;

-- functions: volatility, strictness, leakproofness, parallel safety, cost, grants
SELECT p.oid::regprocedure AS function, p.prorettype::regtype AS returns,
       p.proargnames AS arguments, p.provolatile AS vol, p.proisstrict AS strict,
       p.proleakproof AS leakproof, p.proparallel AS par, p.procost AS cost, p.prosecdef AS secdef,
       (SELECT string_agg(CASE grantee WHEN 0 THEN 'public' ELSE grantee::regrole::text END, ','
                          ORDER BY grantee)
        FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner)))
        WHERE grantee <> p.proowner) AS granted
FROM pg_proc p JOIN member ON classid = 'pg_proc'::regclass AND objid = p.oid
ORDER BY p.oid::regprocedure::text COLLATE "C";

-- each C function's symbol is atid_ and its SQL name, and what tells it from another of the
-- same name
SELECT p.oid::regprocedure AS misnamed, p.prosrc
FROM pg_proc p JOIN member ON classid = 'pg_proc'::regclass AND objid = p.oid
WHERE NOT starts_with(p.prosrc, 'atid_' || p.proname)
ORDER BY 1;

-- objects without a comment: none
SELECT pg_describe_object(classid, objid, objsubid) AS without_comment
FROM member
WHERE obj_description(objid, classid::regclass::name) IS NULL
ORDER BY 1;

SELECT extname, extversion, extnamespace::regnamespace, extrelocatable
FROM pg_extension WHERE extname = 'atid_crypto';

-- atid cannot be dropped without it; with CASCADE both are dropped
DROP EXTENSION atid;
