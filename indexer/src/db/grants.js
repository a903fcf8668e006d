// The rights of the role that run needs.
import { rowOf, rowsOf } from './query.js';

/** @typedef {import('./query.js').Queryable} Queryable */
/** @typedef {import('pg').Client} Client */

// Tables that the program only reads.
const READ_ONLY = [
  'migration',
  'program',
  'code',
  'account_state',
  'settings',
  'activity_bound',
  'view_type',
  'view_column',
  'view_index',
  'view_reference',
  'labeler',
  'published',
];

// Functions that run as their owner, which not everybody may call.
const AS_OWNER = ['indexer.make_days()', 'indexer.drop_old_day()'];

/**
 * The roles that a program runs as: all roles except the owner that may change accounts.
 * @param {Queryable} client
 * @returns {Promise<string[]>}
 */
export async function workerRoles(client) {
  const rows = await rowsOf(
    client,
    `SELECT DISTINCT pg_get_userbyid(a.grantee) AS name
     FROM pg_class AS c CROSS JOIN aclexplode(c.relacl) AS a
     WHERE c.oid = 'indexer.account'::regclass AND a.privilege_type = 'UPDATE'
       AND a.grantee NOT IN (0, c.relowner)`,
  );
  return rows.map(({ name }) => name);
}

/**
 * Grants a role the rights that run needs, and creates it if it is missing. Other rights stay.
 * @param {Client} client
 * @param {string} role
 */
export async function grantRights(client, role) {
  const name = client.escapeIdentifier(role);
  const { there, database } = await rowOf(
    client,
    `SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1) AS there,
       current_database() AS database`,
    [role],
  );
  if (!there) await client.query(`CREATE ROLE ${name} LOGIN`);
  const { written } = await rowOf(
    client,
    `SELECT string_agg(c.oid::regclass::text, ', ') AS written FROM pg_class AS c
     WHERE c.relnamespace = 'indexer'::regnamespace AND c.relkind IN ('r', 'p')
       AND c.relname <> ALL ($1)`,
    [READ_ONLY],
  );
  for (const right of [
    `TEMPORARY ON DATABASE ${client.escapeIdentifier(database)}`,
    'USAGE ON SCHEMA indexer',
    'SELECT ON ALL TABLES IN SCHEMA indexer',
    `INSERT, UPDATE, DELETE ON ${written}`,
    `EXECUTE ON FUNCTION ${AS_OWNER.join(', ')}`,
  ])
    await client.query(`GRANT ${right} TO ${name}`);
}
