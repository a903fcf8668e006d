// Refuses a login for the API that has more rights than it needs.
//
// So a fault in the engine, or in a function of the schema, reveals no more than the API shows
// anyway.
import pg from 'pg';
import { SafeError } from 'postgraphile/grafast';
import { config } from '../db/connection.js';
import { Problem } from '../db/errors.js';
import { Probe } from '../db/probe.js';
import * as log from '../ops/log.js';

// The rights that it must not have, and the statement that revokes each.
const TOO_MUCH = `
WITH me AS (SELECT oid, rolname, rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls
            FROM pg_roles WHERE rolname = current_user),
here AS (SELECT current_database() AS db),
-- checks of privileges take time, so they are made for few
space AS MATERIALIZED (
  SELECT oid, nspname FROM pg_namespace
  WHERE nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
    AND has_schema_privilege(oid, 'USAGE')),
relation AS MATERIALIZED (
  SELECT c.oid, s.nspname FROM pg_class AS c JOIN space AS s ON s.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND NOT EXISTS (SELECT FROM pg_depend AS d
      WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'))
SELECT 'it is a superuser' AS what,
       format('ALTER ROLE %I NOSUPERUSER', rolname) AS cure FROM me WHERE rolsuper
UNION ALL
SELECT format('it has the attribute %s', a), format('ALTER ROLE %I NO%s', rolname, a)
FROM me,
     LATERAL (VALUES ('CREATEROLE', rolcreaterole), ('CREATEDB', rolcreatedb),
                     ('REPLICATION', rolreplication), ('BYPASSRLS', rolbypassrls)) AS x (a, has)
WHERE has
UNION ALL
SELECT format('it is a member of %I', r.rolname), format('REVOKE %I FROM %I', r.rolname, me.rolname)
FROM me JOIN pg_auth_members AS m ON m.member = me.oid JOIN pg_roles AS r ON r.oid = m.roleid
UNION ALL
SELECT format('it may have %s in the database', p),
       format('REVOKE %s ON DATABASE %I FROM PUBLIC, %I', p, db, rolname)
FROM me, here, (VALUES ('CREATE'), ('TEMPORARY')) AS x (p) WHERE has_database_privilege(db, p)
UNION ALL
SELECT format('it may create in the schema %I', nspname),
       format('REVOKE CREATE ON SCHEMA %I FROM PUBLIC, %I', nspname, rolname)
FROM me, pg_namespace AS n WHERE has_schema_privilege(n.oid, 'CREATE')
UNION ALL
SELECT format('it owns %s', c.oid::regclass),
       format('REASSIGN OWNED BY %I TO another role', rolname)
FROM me JOIN pg_class AS c ON c.relowner = me.oid
UNION ALL
SELECT format('it owns the large object %s', l.oid),
       format('SELECT lo_unlink(%s), or ALTER LARGE OBJECT %s OWNER TO another role',
              l.oid, l.oid)
FROM me JOIN pg_largeobject_metadata AS l ON l.lomowner = me.oid
UNION ALL
SELECT format('it owns the function %s', p.oid::regprocedure),
       format('REASSIGN OWNED BY %I TO another role', rolname)
FROM me JOIN pg_proc AS p ON p.proowner = me.oid
UNION ALL
SELECT format('it may read %s', r.oid::regclass),
       format('REVOKE SELECT ON %s FROM PUBLIC, %I', r.oid::regclass, rolname)
FROM me, relation AS r WHERE r.nspname <> ALL (ARRAY[$1, 'feed'])
    AND has_any_column_privilege(r.oid, 'SELECT')
UNION ALL
SELECT format('it may write %s', r.oid::regclass),
       format('REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON %s FROM PUBLIC, %I',
              r.oid::regclass, rolname)
FROM me, relation AS r
WHERE has_any_column_privilege(r.oid, 'INSERT, UPDATE')
    OR has_table_privilege(r.oid, 'DELETE, TRUNCATE')
UNION ALL
SELECT format('it may not use the schema %I', $1::text),
       format('GRANT USAGE ON SCHEMA %I TO %I', $1::text, rolname)
FROM me WHERE EXISTS (SELECT FROM pg_namespace AS n WHERE n.nspname = $1
    AND NOT has_schema_privilege(n.oid, 'USAGE'))
UNION ALL
SELECT 'it may not use the schema atid', format('GRANT USAGE ON SCHEMA atid TO %I', rolname)
FROM me WHERE EXISTS (SELECT FROM pg_namespace AS n WHERE n.nspname = 'atid'
    AND NOT has_schema_privilege(n.oid, 'USAGE'))
UNION ALL
SELECT format('there is no schema %I', $1::text), 'atid-indexer up, or make_views()'
WHERE NOT EXISTS (SELECT FROM pg_namespace AS n WHERE n.nspname = $1)
LIMIT 20`;

// Statements of the reader end after so many ms, and cannot write. No query runs long enough for
// JIT compilation to pay.
const WITHIN = 5000;

// A statement's whole result is in memory before any of it is sent, so a statement is ended when
// its result is too long.
const MOST = 50e6; // bytes
export class ReaderClient extends pg.Client {
  /** @param {import('pg').ClientConfig} config */
  constructor(config) {
    super(config);
    const { connection } = /** @type {any} */ (this);
    let bytes = 0;
    let isBound = false;
    connection.on('readyForQuery', () => {
      bytes = 0;
      isBound = false;
    });
    connection.on('bindComplete', () => (isBound = true));
    connection.on('errorMessage', (/** @type {any} */ e) => (e.isOfParameter = !isBound));
    connection.once('readyForQuery', () => {
      const { stream } = connection;
      stream.on('data', (/** @type {Buffer} */ part) => {
        bytes += part.length;
        if (bytes > MOST)
          stream.destroy(
            new SafeError(`A part of the answer is longer than ${MOST} bytes: ask for less of it`),
          );
      });
    });
  }
}

/** @param {{ API_DB_USER: string, API_DB_PASSWORD?: string | null }} settings */
export function readerConfig({ API_DB_USER, API_DB_PASSWORD }) {
  const { options, ...rest } = config('reader', [
    `statement_timeout=${WITHIN}`,
    'default_transaction_read_only=on',
    'jit=off',
  ]);
  return {
    ...rest,
    options: `-c ${options.trim().replace(/^-c /, '')}`,
    user: API_DB_USER,
    ...(API_DB_PASSWORD && { password: API_DB_PASSWORD }),
  };
}

/**
 * One connection that shows whether the database answers.
 * @param {import('./server.js').Settings} settings
 */
export const probe = (settings) =>
  new Probe(async () => {
    const client = new pg.Client(readerConfig(settings));
    client.on('error', () => {});
    await client.connect();
    return client;
  });

// Every role may create large objects until a superuser revokes that right.
const MAY_MAKE = "SELECT has_function_privilege('pg_catalog.lo_create(oid)', 'EXECUTE') AS may";

const NO_LARGE_OBJECTS =
  'REVOKE EXECUTE ON FUNCTION lo_create(oid), lo_creat(integer), lo_from_bytea(oid, bytea) ' +
  'FROM PUBLIC';

/**
 * Refuses a login that may do more. login.js has checked that it can log in, and that it does not
 * own the schema.
 * @param {import('./server.js').Settings} settings
 */
export async function checkReader(settings) {
  const { API_DB_USER, API_SCHEMA } = settings;
  const client = new pg.Client(readerConfig(settings));
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query(TOO_MUCH, [API_SCHEMA]);
    if (rows.length > 0)
      throw new Problem(
        `The login ${API_DB_USER} must read the schema ${API_SCHEMA}, and nothing else:\n` +
          rows.map(({ what, cure }) => `  ${what}: ${cure}`).join('\n'),
      );
    if ((await client.query(MAY_MAKE)).rows[0].may)
      log.info('large objects allowed', { role: API_DB_USER, remedy: NO_LARGE_OBJECTS });
  } finally {
    await client.end();
  }
}
