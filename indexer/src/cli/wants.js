// The commands for wants.
import { Problem } from '../db/errors.js';
import { rowsOf } from '../db/query.js';
import { clean } from '../protocol/text.js';
import { WANTS } from '../work/list-kinds.js';
import { formatNumber } from './format.js';
import { listProblems } from './status.js';

/** @typedef {import('pg').Client} Client */

/**
 * The wanted collections that have no Lexicon here.
 * @param {Client} db
 */
async function withoutLexicon(db) {
  const rows = await rowsOf(
    db,
    `SELECT w.value FROM indexer.want AS w
    WHERE w.what = 'collection' AND w.value <> '*' AND NOT EXISTS (
      SELECT FROM indexer.lexicons AS l
      CROSS JOIN unnest(atid.lexicon_nsids(l.lexicons)::text[]) AS n
      WHERE n LIKE replace(w.value, '*', '%')) LIMIT 10000`,
  );
  return new Set(rows.map((r) => r.value));
}

/**
 * @param {Client} db
 */
export async function listWants(db) {
  const rows = await rowsOf(
    db,
    `SELECT what, value, because, listed, refused FROM indexer.want
    WHERE because IS NULL ORDER BY what, value LIMIT 10000`,
  );
  const [{ n }] = await rowsOf(
    db,
    `SELECT count(*)::int AS n
     FROM (SELECT FROM indexer.want WHERE because IS NOT NULL LIMIT 100000) AS w`,
  );
  const unnamed = await withoutLexicon(db);
  const failing = new Map((await listProblems(db)).map((l) => [`${l.what} ${l.value}`, l.said]));
  /** @param {any} r */
  const of = (r) => {
    if (r.what === 'collection') return unnamed.has(r.value) ? '  no Lexicon: no view' : '';
    if (r.what === 'live' || (r.what === 'account' && r.value !== '*')) return '';
    if (r.listed === null) return '  listed';
    const why = failing.get(`${r.what} ${r.value}`);
    if (why !== undefined) return `  cannot be read: ${why}`;
    return r.refused
      ? '  the server has no such list: its accounts are checked one by one'
      : '  being listed';
  };
  return {
    lines: [
      ...rows.map((r) => `${r.what.padEnd(10)} ${clean(r.value, 512)}${of(r)}`),
      ...(n > 0
        ? [`and ${n < 1e5 ? formatNumber(n) : '100,000 or more'} accounts that have a signal`]
        : []),
    ],
    ok: true,
  };
}

/**
 * @param {Client} db
 * @param {string} what
 * @param {string} value
 */
export async function addWant(db, what, value) {
  try {
    // an account that a signal has found is now wanted whatever signals it has
    await db.query(
      `INSERT INTO indexer.want (what, value) VALUES ($1, $2)
      ON CONFLICT (what, value) DO UPDATE SET because = NULL, by_up = false`,
      [what, value],
    );
  } catch (e) {
    if (e.code === '23514') {
      const forms = Object.entries(WANTS).map(([name, { form }]) => `want add ${name} ${form}`);
      throw new Problem(`Usage: ${forms.join(', ')}; or "*" for all accounts or collections.`);
    }
    throw e;
  }
  return listWants(db);
}

/**
 * @param {Client} db
 * @param {string} what
 * @param {string} value
 */
export async function removeWant(db, what, value) {
  const { rowCount } = await db.query('DELETE FROM indexer.want WHERE what = $1 AND value = $2', [
    what,
    value,
  ]);
  if (rowCount === 0)
    throw new Problem(`${what} ${value} is not wanted. "atid-indexer want list" shows what is.`);
  return listWants(db);
}
