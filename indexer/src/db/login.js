// The login with which the API reads, as the program's own role sees it: what it owns, and whether
// it can log in. The message of a failed attempt shows whose password is wrong.
import pg from 'pg';
import { config } from './connection.js';
import { isWithoutPassword, Problem, SQLSTATE } from './errors.js';
import { rowOf } from './query.js';

/** @typedef {import('./query.js').Queryable} Queryable */
/** @typedef {{ API_DB_USER: string, API_DB_PASSWORD?: string, API_SCHEMA: string }} ApiSettings */

// The comment on a login whose password "up" may change.
export const OURS = 'made by atid-indexer up';

const ANSWER = 20e3; // ms

/**
 * Refuses a login that owns the schema, since an owner can do anything with it.
 * @param {Queryable} db
 * @param {ApiSettings} settings
 */
export async function refuseOwner(db, { API_DB_USER, API_SCHEMA }) {
  const owner = await rowOf(
    db,
    `SELECT 'it owns the schema ' || n.nspname AS why
     FROM pg_namespace AS n JOIN pg_roles AS r ON r.oid = n.nspowner
     WHERE n.nspname IN ($2, 'indexer') AND r.rolname = $1
       AND (NOT r.rolsuper OR r.rolname = current_user)
     UNION ALL SELECT 'it is the role that runs this program' WHERE current_user = $1 LIMIT 1`,
    [API_DB_USER, API_SCHEMA],
  );
  if (owner !== undefined)
    throw new Problem(
      `ATID_API_DB_USER is ${API_DB_USER}, but ${owner.why}. The API needs a login of its own, ` +
        'which owns nothing: set ATID_API_DB_USER to another one; "atid-indexer up" creates it.',
    );
}

/**
 * Connects with the login once, or throws the reason why that fails.
 * @param {Queryable} db a connection of the program's role
 * @param {ApiSettings} settings
 */
export async function checkLogin(db, { API_DB_USER, API_DB_PASSWORD: password, API_SCHEMA }) {
  await refuseOwner(db, { API_DB_USER, API_SCHEMA });
  const client = new pg.Client({
    ...config('reader'),
    user: API_DB_USER,
    ...(password && { password }),
    connectionTimeoutMillis: ANSWER,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.end();
  } catch (/** @type {any} */ e) {
    const ofPassword = e.code === SQLSTATE.wrongPassword || isWithoutPassword(e);
    throw ofPassword ? await passwordProblem(db, API_DB_USER, password, e) : e;
  }
}

/**
 * @param {Queryable} db
 * @param {string} name
 * @param {string | undefined} password
 * @param {import('./errors.js').AnyError} e
 */
async function passwordProblem(db, name, password, e) {
  const login = await rowOf(
    db,
    "SELECT shobj_description(oid, 'pg_authid') = $2 AS ours FROM pg_roles WHERE rolname = $1",
    [name, OURS],
  );
  const why = e.severity === undefined ? `The server wants a password of ${name}` : e.message;
  if (!password && login?.ours)
    return new Problem(
      `${why}. "atid-indexer up" has created this login, and gives it another password at ` +
        'each start, which only that program knows. Let that serve the API; or give the login a ' +
        `password (\\password ${name} in psql), and set ATID_API_DB_PASSWORD to it, for "up" too.`,
    );
  return new Problem(
    `${why}. Its password is in ATID_API_DB_PASSWORD or ~/.pgpass, not in PGPASSWORD.`,
  );
}
