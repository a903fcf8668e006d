--
-- The whole surface of the extension, so that a change of it is a visible diff.
--

-- unaligned and without counts, so that one new object is one new line of the expected output
\pset format unaligned
\pset footer off

-- everything the extension owns; from 17 on that counts the array types, which
-- cannot be commented on by themselves
CREATE TEMP VIEW member AS
SELECT classid, objid, objsubid
FROM pg_depend
WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
  AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'atid')
  AND NOT (classid = 'pg_type'::regclass AND objid IN (SELECT typarray FROM pg_type));
SELECT pg_describe_object(classid, objid, objsubid) COLLATE "C" AS object
FROM member ORDER BY 1;

-- functions: volatility, strictness, leakproofness, parallel safety, grants
SELECT p.oid::regprocedure AS function, p.prorettype::regtype AS returns,
       p.provolatile AS vol, p.proisstrict AS strict, p.proleakproof AS leakproof,
       p.proparallel AS par,
       p.prosecdef AS secdef,
       (SELECT string_agg(CASE grantee WHEN 0 THEN 'public' ELSE grantee::regrole::text END, ','
                          ORDER BY grantee)
        FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner)))
        WHERE grantee <> p.proowner) AS granted
FROM pg_proc p JOIN member ON classid = 'pg_proc'::regclass AND objid = p.oid
ORDER BY p.oid::regprocedure::text COLLATE "C";

-- what the planner is told of functions that take longer than an operator, or return rows
SELECT p.oid::regprocedure AS function, p.procost AS cost, p.prorows AS rows
FROM pg_proc p JOIN member ON classid = 'pg_proc'::regclass AND objid = p.oid
WHERE p.procost > 1 OR p.proretset
ORDER BY p.oid::regprocedure::text COLLATE "C";

-- the symbol of each C function is atid_ and its SQL name, and a word if that name
-- is overloaded
SELECT p.oid::regprocedure AS misnamed, p.prosrc
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_language l ON l.oid = p.prolang
WHERE n.nspname = 'atid' AND l.lanname = 'c' AND NOT starts_with(p.prosrc, 'atid_' || p.proname)
ORDER BY 1;

-- operators: partners, estimators, what the planner may do with them
SELECT o.oid::regoperator AS operator, o.oprcode::regprocedure AS function,
       o.oprcom::regoperator AS commutator, o.oprnegate::regoperator AS negator,
       o.oprrest AS restrict, o.oprjoin AS join, o.oprcanhash AS hash, o.oprcanmerge AS merge
FROM pg_operator o JOIN member ON classid = 'pg_operator'::regclass AND objid = o.oid
ORDER BY o.oid::regoperator::text COLLATE "C";

-- casts
SELECT castsource::regtype AS source, casttarget::regtype AS target, castcontext AS context,
       castmethod AS method
FROM pg_cast c JOIN member ON classid = 'pg_cast'::regclass AND objid = c.oid
ORDER BY castsource::regtype::text COLLATE "C", castcontext, casttarget::regtype::text COLLATE "C";

-- types
SELECT t.oid::regtype AS type, t.typlen, t.typbyval, t.typalign, t.typcategory, t.typtype,
       t.typbasetype::regtype AS base,
       (SELECT collname FROM pg_collation WHERE oid = t.typcollation) AS collation
FROM pg_type t JOIN member ON classid = 'pg_type'::regclass AND objid = t.oid
ORDER BY t.oid::regtype::text COLLATE "C";

-- constraints of the domains
SELECT contypid::regtype AS domain, conname, pg_get_constraintdef(oid) AS definition,
       obj_description(oid, 'pg_constraint') AS comment
FROM pg_constraint JOIN member ON member.classid = 'pg_type'::regclass AND member.objid = contypid
ORDER BY contypid::regtype::text COLLATE "C", conname;

-- objects without a comment: none
SELECT pg_describe_object(classid, objid, objsubid) AS without_comment
FROM member
WHERE obj_description(objid, classid::regclass::name) IS NULL
ORDER BY 1;

-- everyone may use the schema, and only its owner may create in it
SELECT has_schema_privilege('public', 'atid', 'usage') AS usage,
       has_schema_privilege('public', 'atid', 'create') AS create;
SELECT extname, extversion, extnamespace::regnamespace, extrelocatable
FROM pg_extension WHERE extname = 'atid';
