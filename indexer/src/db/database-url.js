// ATID_DATABASE_URL: the connection to the database, as one value. It sets those of PGHOST, PGPORT,
// PGUSER, PGPASSWORD, PGDATABASE and PGSSLMODE that it contains; the others stay as they are.
import { isIPv6 } from 'node:net';

/** @typedef {Record<string, string | undefined>} Environment */

const FORM =
  'ATID_DATABASE_URL must be a URL such as ' +
  'postgresql://user:password@host:5432/database?sslmode=require';

// The parameters that it may have, and the variables that correspond to them.
/** @type {Record<string, string>} */
const PARAMETERS = { host: 'PGHOST', port: 'PGPORT', user: 'PGUSER', sslmode: 'PGSSLMODE' };

/**
 * The variables that a URL sets. Errors do not quote the URL, as it has a password.
 * @param {string} text
 * @returns {Environment}
 */
export function variablesOf(text) {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^postgres(?:ql)?:$/.test(url.protocol) || url.hash) throw new Error(FORM);
  const parts = [url.hostname, url.username, url.password, url.pathname.slice(1)];
  if (parts.some((part) => !isEscaped(part))) throw new Error(FORM);
  const [hostname, user, password, database] = parts.map(decodeURIComponent);
  const host = hostname.replace(/^\[|\]$/g, '');
  if (hostname !== host && !isIPv6(host)) throw new Error(FORM);
  const unknown = [...url.searchParams.keys()].find((name) => !Object.hasOwn(PARAMETERS, name));
  if (unknown !== undefined)
    throw new Error(
      `ATID_DATABASE_URL has the parameter ${unknown}, but can have only ` +
        `${Object.keys(PARAMETERS).join(', ')}`,
    );
  return {
    ...filled({
      PGHOST: host,
      PGPORT: url.port,
      PGUSER: user,
      PGPASSWORD: password,
      PGDATABASE: database,
    }),
    ...Object.fromEntries([...url.searchParams].map(([name, value]) => [PARAMETERS[name], value])),
  };
}

/** @param {string} part */
function isEscaped(part) {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

/** @param {Environment} all */
const filled = (all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));

/**
 * Sets the variables from ATID_DATABASE_URL, if that is set.
 * @param {Environment} [env]
 */
export function applyDatabaseUrl(env = process.env) {
  if (env.ATID_DATABASE_URL) Object.assign(env, variablesOf(env.ATID_DATABASE_URL));
}
