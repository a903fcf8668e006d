// The login by which the API reads, as the program's own role sees it: what it owns, and whether it
// gets in. The connection that fails shows whose password is wrong.
import pg from 'pg';
import { config, isLost, Problem } from './connection.js';

// The comment of a login of which "up" may change the password.
export const OURS = 'made by atid-indexer up';

const ANSWER = 20e3; // ms

// Who owns the schema can do all with it.
export async function refuseOwner(db, { API_DB_USER, API_SCHEMA }) {
  const { rows } = await db.query(
    `SELECT 'it owns the schema ' || n.nspname AS why
     FROM pg_namespace AS n JOIN pg_roles AS r ON r.oid = n.nspowner
     WHERE n.nspname IN ($2, 'indexer') AND r.rolname = $1
       AND (NOT r.rolsuper OR r.rolname = current_user)
     UNION ALL SELECT 'it is the role that runs this program' WHERE current_user = $1 LIMIT 1`,
    [API_DB_USER, API_SCHEMA],
  );
  if (rows.length > 0)
    throw new Problem(
      `ATID_API_DB_USER is ${API_DB_USER}, but ${rows[0].why}. The API needs a login of its own, ` +
        'which owns nothing: name another one as ATID_API_DB_USER; "atid-indexer up" creates it.',
    );
}

// Lets the login in once, or says why not. db is a connection of the program's role.
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
  } catch (e) {
    const ofPassword = e.code === '28P01' || (e.severity === undefined && !isLost(e));
    throw ofPassword ? await passwordProblem(db, API_DB_USER, password, e) : e;
  }
}

async function passwordProblem(db, name, password, e) {
  const { rows } = await db.query(
    "SELECT shobj_description(oid, 'pg_authid') = $2 AS ours FROM pg_roles WHERE rolname = $1",
    [name, OURS],
  );
  const why = e.severity === undefined ? `The server wants a password of ${name}` : e.message;
  if (!password && rows[0]?.ours)
    return new Problem(
      `${why}. "atid-indexer up" has created this login, and gives it another password at each start, ` +
        'which only that program knows. Let it serve the API; or give the login a password ' +
        `(\\password ${name} in psql), and pass it as ATID_API_DB_PASSWORD, to "up" too.`,
    );
  return new Problem(
    `${why}. It is ATID_API_DB_PASSWORD, or in ~/.pgpass, and not the one in PGPASSWORD.`,
  );
}
