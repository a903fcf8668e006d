// The conditions for which a run waits before it begins, and those that it refuses.
import { fatal } from '../db/errors.js';
import { intruderOf, lockHolder, nameOf, REPOSITORIES } from '../db/locks.js';
import { isStandby, rowOf } from '../db/query.js';
import * as log from '../ops/log.js';
import { streamName } from '../protocol/streams.js';
import { clean } from '../protocol/text.js';
import { pause } from './tasks.js';

/** @typedef {import('../db/query.js').Queryable} Queryable */
/** @typedef {import('./run.js').Settings} Settings */

const LOCK = 'SELECT pg_try_advisory_lock(hashtext($1)) AS ours';
const LOCK_AGAIN = 5e3; // ms
const STANDBY_AGAIN = 5e3; // ms

/**
 * Waits until the server is no longer a standby, on which nothing can be written.
 * @param {Queryable} lock
 * @param {AbortSignal} ended
 */
export async function awaitPrimary(lock, ended) {
  for (let first = true; ; first = false) {
    if (!(await isStandby(lock))) return;
    if (first)
      log.warn('waiting for primary', {
        advice: 'promote this standby, or set PGHOST and PGPORT to the primary',
      });
    await pause(STANDBY_AGAIN, ended);
    ended.throwIfAborted();
  }
}

/**
 * Waits for a lock. Only one program may follow a stream, and only one a stream of repositories.
 * @param {Queryable} lock
 * @param {string} name
 * @param {AbortSignal} ended
 */
export async function awaitLock(lock, name, ended) {
  for (let shown = null; !(await rowOf(lock, LOCK, [name])).ours;) {
    const holder = await describeHolder(lock, name);
    if (holder !== shown) log.warn('waiting for lock', { holder });
    shown = holder;
    await pause(LOCK_AGAIN, ended);
    ended.throwIfAborted();
  }
}

/**
 * The holder of the lock, with its program's stream. Any role can take the lock, since it is only a
 * number. A holder whose role cannot do the program's work is reported as such, with the statement
 * that ends it.
 * @param {Queryable} lock
 * @param {string} name
 */
async function describeHolder(lock, name) {
  const who = await lockHolder(lock, name);
  const intruder = intruderOf(who);
  if (intruder !== null) return intruder;
  const newest = await rowOf(
    lock,
    "SELECT name FROM indexer.stream WHERE kind = 'repos' ORDER BY started DESC LIMIT 1",
  );
  const of = name === REPOSITORIES ? newest?.name : name;
  return `another consumer is running${of ? ` on ${clean(of, 500)}` : ''}${nameOf(who)}`;
}

/**
 * A PDS that does not have the accounts of this database is followed only if REPLACED_SERVICE_URL
 * names the server that has them, as these accounts would be barred.
 * @param {Queryable} lock
 * @param {string} name
 * @param {string[] | null} pds the names of the PDS; null: the service is a relay
 * @param {Settings} settings
 */
export async function refuseReplacement(lock, name, pds, settings) {
  const { SERVICE_URL, REPLACED_SERVICE_URL } = settings;
  const { old } = await rowOf(lock, 'SELECT indexer.find_replaced_stream($1, $2) AS old', [
    name,
    pds,
  ]);
  if (old === null) return;
  const replaced =
    REPLACED_SERVICE_URL && streamName({ ...settings, SERVICE_URL: REPLACED_SERVICE_URL });
  if (old === replaced) return;
  const how = old === name ? ' under more names, or as a relay' : '';
  throw fatal(
    `This database follows ${clean(old, 500)}${how}. ${SERVICE_URL}, a PDS with the names ` +
      `${clean(pds?.join(', '), 300)}, does not have all of its accounts: the others would be ` +
      'barred, and their records deleted. If you want this, set ATID_REPLACED_SERVICE_URL to ' +
      'the server that is followed now. If it is the same server under another name, set ' +
      'ATID_SERVICE_ALIASES.',
  );
}
