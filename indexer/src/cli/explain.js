// Why an account is there, or not.
import { rowsOf } from '../db/query.js';
import { clean } from '../protocol/text.js';

/** @typedef {import('pg').Client} Client */

/**
 * @param {Client} db
 * @param {string} did
 */
export async function explain(db, did) {
  const rows = await rowsOf(db, 'SELECT what, value FROM indexer.explain($1)', [did]);
  const width = Math.max(...rows.map((r) => r.what.length));
  return { lines: rows.map((r) => `${r.what.padEnd(width)}  ${clean(r.value, 300)}`), ok: true };
}
