// Checks during a run: the schema, the clocks, and the health of the stream.
import { checkSchema } from '../db/schema.js';
import * as log from '../ops/log.js';
import { loop, pause } from './tasks.js';

/** @typedef {import('../db/pool.js').Pool} Pool */

const SAME_SCHEMA = 5e3; // ms
const COMPARE = 60e3; // ms between two comparisons of the clocks
const CLOCK_WITHIN = 10e3; // ms
const CLOCKS_DIFFER = 60; // s, as in status_stream
const HEALTH = 2e3; // ms

/**
 * An upgrade of the schema ends a run of another version, whose statements do not match the new
 * functions.
 * @param {import('../db/query.js').Queryable} lock
 * @param {AbortSignal} signal
 */
export async function watchSchema(lock, signal) {
  for (; !signal.aborted; await pause(SAME_SCHEMA, signal)) await checkSchema(lock);
}

/**
 * Compares the program's clock with the database server's, at the start and then once a minute. An
 * answer that took long shows nothing. The database decides what a difference means.
 * @param {string} name
 * @param {Pool} pool
 * @param {AbortSignal} signal
 */
export async function compareClocks(name, pool, signal) {
  let differed = false;
  const compare = async () => {
    const asked = Date.now();
    const { at } = await pool.row('SELECT extract(epoch FROM clock_timestamp())::float8 AS at');
    const answered = Date.now();
    if (Math.abs(answered - asked) > CLOCK_WITHIN) return false;
    const ahead = at - (asked + answered) / 2000;
    await pool.row('SELECT indexer.store_clock_offset($1, $2)', [name, ahead]);
    const differs = Math.abs(ahead) > CLOCKS_DIFFER;
    if (differs && !differed) log.error('clock differs', { database_ahead_s: Math.round(ahead) });
    if (!differs && differed) log.info('clock agrees');
    differed = differs;
    return false;
  };
  await loop('clock', signal, compare, { idle: COMPARE });
}

/**
 * Logs what /healthz and status show, when it changes.
 * @param {{ name: string, begun: string | null, pool: Pool, signal: AbortSignal }} needs begun:
 *   when the server's numbers have begun again
 */
export async function watchHealth({ name, begun, pool, signal }) {
  let before = { cause: /** @type {string | null} */ (null), begun };
  await loop('health', signal, async () => {
    await pause(HEALTH, signal);
    if (signal.aborted) return true;
    const now = await pool.row(
      'SELECT cause, problem, begun::text, begun_at FROM indexer.status_stream WHERE name = $1',
      [name],
    );
    if (now.begun !== before.begun) log.error('stream restarted', { seq: now.begun_at });
    if (now.cause !== before.cause) {
      if (now.cause === null) log.info('stream healthy');
      else log.error('stream unhealthy', { problem: now.problem });
    }
    before = now;
    return true;
  });
}
