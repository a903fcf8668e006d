// Advisory locks of the program: which session holds one, and whether its role may do the program's
// work.
import { clean } from '../protocol/text.js';
import { rowOf } from './query.js';

/** @typedef {import('./query.js').Queryable} Queryable */
/** @typedef {{ role: string, application: string, pid: number, worker: boolean }} Holder */

// The lock on following a stream of repositories, of which there is only one, since an account
// belongs to one stream.
export const REPOSITORIES = 'atid-indexer repositories';

// worker: may the role do the program's work? Anybody can use any application name, but not any
// role.
const HOLDER = `SELECT a.usename AS role, a.application_name AS application, a.pid,
    coalesce(has_table_privilege(a.usesysid, to_regclass('indexer.account'), 'UPDATE'), true)
      AS worker
  FROM pg_locks AS l JOIN pg_stat_activity AS a ON a.pid = l.pid AND a.datname = current_database()
  WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
    AND l.classid::bigint << 32 | l.objid::bigint = hashtext($1)::bigint`;

/**
 * The session that holds the advisory lock with this name.
 * @param {Queryable} client
 * @param {string} name
 * @returns {Promise<Holder | undefined>}
 */
export const lockHolder = (client, name) => rowOf(client, HOLDER, [name]);

/**
 * The message about a holder of the program's lock that has no right to do its work, with the
 * statement that ends it; or null.
 * @param {Holder | undefined} who
 */
export const intruderOf = (who) =>
  who && !who.worker
    ? `the lock of this program is held by the role ${clean(who.role, 100)}, process ${who.pid}, ` +
      'which has no right to do its work ' +
      `(SELECT pg_terminate_backend(${who.pid}) ends it)`
    : null;

/**
 * The holder of a lock, in brackets, as far as one may see it.
 * @param {Holder | undefined} who
 */
export const nameOf = (who) =>
  who ? clean(` (role ${who.role}, ${who.application || 'unnamed'}, process ${who.pid})`, 500) : '';

/**
 * @param {Queryable} client
 * @param {string} name
 */
export const holderOf = async (client, name) => nameOf(await lockHolder(client, name));
