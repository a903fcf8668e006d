// The login with which the API reads, as "up" creates it.
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { Problem, SQLSTATE } from '../db/errors.js';
import { OURS } from '../db/login.js';
import { OF_READER, OF_USERS } from '../db/ownership.js';

/** @typedef {import('pg').Client} Client */

/**
 * The verifier that the server stores for a password (RFC 5803), so that the server's log never has
 * the password itself.
 * @param {string} password
 */
function verifierOf(password) {
  const [salt, rounds] = [randomBytes(16), 4096];
  const salted = pbkdf2Sync(password, salt, rounds, 32, 'sha256');
  /** @param {string} name */
  const key = (name) => createHmac('sha256', salted).update(name).digest();
  const stored = createHash('sha256').update(key('Client Key')).digest('base64');
  const server = key('Server Key').toString('base64');
  return `SCRAM-SHA-256$${rounds}:${salt.toString('base64')}$${stored}:${server}`;
}

/**
 * The problem that this role cannot give the login a password. The transaction has failed.
 * @param {Client} db
 * @param {string} login
 * @param {any} e
 */
async function alterProblem(db, login, e) {
  await db.query('ROLLBACK');
  const {
    rows: [{ me, name, version }],
  } = await db.query(
    `SELECT quote_ident(current_user) AS me, quote_ident($1) AS name,
      current_setting('server_version_num')::int AS version`,
    [login],
  );
  return new Problem(
    `${e.message}. The role ${me} cannot give the login ${name} a password. Have a superuser run ` +
      (version >= 160000
        ? `"GRANT ${name} TO ${me} WITH ADMIN OPTION", which roles need from PostgreSQL 16 on, ` +
          'and which a dump of an earlier version lacks'
        : `"ALTER ROLE ${me} CREATEROLE"`) +
      '. Or set ATID_API_DB_PASSWORD to the present password of the login.',
  );
}

/**
 * Creates the login that reads the views and nothing else. Its password is API_DB_PASSWORD; without
 * that, a login that this command has created gets a new one each time, which only the program
 * knows.
 * @param {Client} db
 * @param {Record<string, any>} settings
 */
export async function makeReader(db, { API_DB_USER, API_DB_PASSWORD, API_SCHEMA }) {
  const [name, schema] = [db.escapeIdentifier(API_DB_USER), db.escapeIdentifier(API_SCHEMA)];
  const there = await db.query(
    "SELECT shobj_description(oid, 'pg_authid') = $2 AS ours FROM pg_roles WHERE rolname = $1",
    [API_DB_USER, OURS],
  );
  let password = API_DB_PASSWORD;
  const isNew = there.rowCount === 0;
  const isAnew = !isNew && there.rows[0].ours && !password;
  if (isNew) {
    await db.query(`CREATE ROLE ${name} LOGIN`).catch((e) => {
      if (e.code !== SQLSTATE.denied) throw e;
      throw new Problem(`${e.message}: this role needs CREATEROLE to create ${API_DB_USER}.`);
    });
    await db.query(`COMMENT ON ROLE ${name} IS ${db.escapeLiteral(OURS)}`);
  }
  if (isAnew) {
    const { rowCount } = await db.query(
      `SELECT FROM pg_shdepend WHERE refclassid = 'pg_authid'::regclass AND refobjid = $1::regrole
       AND dbid NOT IN
         (0, (SELECT oid FROM pg_database WHERE datname = current_database())) LIMIT 1`,
      [name],
    );
    if (rowCount)
      throw new Problem(
        `The login ${API_DB_USER} also reads another database: set its password with ALTER ROLE ` +
          'and ATID_API_DB_PASSWORD, or set ATID_API_DB_USER to another login.',
      );
  }
  if (isNew || isAnew) {
    password ??= randomBytes(24).toString('base64url');
    const verifier = db.escapeLiteral(verifierOf(password));
    await db.query(`ALTER ROLE ${name} PASSWORD ${verifier}`).catch(async (e) => {
      throw e.code === SQLSTATE.denied ? await alterProblem(db, API_DB_USER, e) : e;
    });
  }
  const {
    rows: [{ db: database, me }],
  } = await db.query(
    'SELECT quote_ident(current_database()) AS db, quote_ident(current_user) AS me',
  );
  for (const statement of [
    `REVOKE TEMPORARY ON DATABASE ${database} FROM PUBLIC`,
    `GRANT TEMPORARY ON DATABASE ${database} TO ${me}`,
    `GRANT USAGE ON SCHEMA ${schema} TO ${name}`,
    `GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${name}`,
    `ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT SELECT ON TABLES TO ${name}`,
    `GRANT USAGE ON SCHEMA ${OF_USERS.join(', ')} TO ${name}`,
    `GRANT SELECT ON ALL TABLES IN SCHEMA feed TO ${name}`,
    `ALTER DEFAULT PRIVILEGES IN SCHEMA feed GRANT SELECT ON TABLES TO ${name}`,
    `GRANT EXECUTE ON FUNCTION ${OF_READER.join(', ')} TO ${name}`,
  ])
    await db.query(statement);
  return password;
}
