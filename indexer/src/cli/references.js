// Lexicons do not state at which types references point. The records show it, and the views get
// joins.
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '../db/connection.js';
import { messageOf } from '../db/errors.js';
import * as log from '../ops/log.js';

/** @typedef {import('pg').Client} Client */

const REFERENCES = [30e3, 600e3]; // ms until a sample of all references is read, first and later
const LOOK = 2e3; // ms between two looks at the columns without a join,
const SHARE = 50; // but at least this many times the duration of a look
const LOOK_AGAIN = 60e3; // ms after a failure

/**
 * Finds out from the records at which types references point, and gives the views joins.
 * @param {Client} db
 * @param {Record<string, any>} settings
 * @param {boolean} all
 */
async function findReferences(db, { API_SCHEMA }, all) {
  await db.query('BEGIN');
  const { rows } = await db.query(`SELECT find_${all ? '' : 'new_'}references()::int AS n`);
  const schema = db.escapeIdentifier(API_SCHEMA);
  if (rows[0].n > 0) await db.query('SELECT write_view_comments($1::regnamespace)', [schema]);
  await db.query('COMMIT');
  if (rows[0].n > 0) log.info('references added', { count: rows[0].n });
}

/**
 * Looks every few seconds at the columns that have no join, and now and then at a sample of all
 * references.
 * @param {Record<string, any>} settings
 * @param {AbortSignal} signal
 */
export async function followReferences(settings, signal) {
  let db = null;
  let next = performance.now() + REFERENCES[0];
  let pause = LOOK;
  const paused = () =>
    sleep(pause, undefined, { signal }).then(
      () => true,
      () => false,
    );
  while (await paused()) {
    const began = performance.now();
    const all = began >= next;
    try {
      db ??= await connect('references', ['search_path=indexer,pg_temp']);
      await findReferences(db, settings, all);
      pause = all ? LOOK : Math.max(LOOK, SHARE * (performance.now() - began));
      if (all) next = performance.now() + REFERENCES[1];
    } catch (e) {
      log.error('references failed', { error: messageOf(e) });
      await db?.end().catch(() => {});
      [db, pause] = [null, LOOK_AGAIN];
    }
  }
  await db?.end();
}
