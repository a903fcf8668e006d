// The commands for the Lexicons by which records are judged when they are written.
import { clean } from '../protocol/text.js';
import { filesOf, missingLines, nsids, readLexicons, storeLexicons } from './lexicons.js';

/** @typedef {import('pg').Client} Client */

/**
 * Lists the Lexicons by which records are judged when they are written, and those that are missing.
 * @param {Client} db
 */
export async function listLexicons(db) {
  const there = await nsids(db);
  const lines = there.length > 0 ? there.map((nsid) => clean(nsid, 317)) : ['There are none.'];
  return { lines: [...lines, ...(await missingLines(db))], ok: true };
}

/**
 * A line about the views, which were made of earlier Lexicons, if there are any.
 * @param {Client} db
 */
async function viewLines(db) {
  const { rows } = await db.query(
    `SELECT DISTINCT format('SELECT indexer.make_views(%L);', c.relnamespace::regnamespace) AS made
    FROM indexer.view_type AS v JOIN pg_class AS c ON c.oid = v.view
    WHERE v.source = indexer.record_table() ORDER BY 1`,
  );
  if (rows.length === 0) return [];
  const statements = rows.map((r) => clean(r.made, 300)).join(' ');
  return [`The views are as before. Run "atid-indexer up", or in psql: ${statements}`];
}

/**
 * Stores the Lexicons in files or folders: all, or none.
 * @param {Client} db
 * @param {string[]} paths
 */
export async function storeFiles(db, paths) {
  const files = (await Promise.all(paths.map(filesOf))).flat();
  await db.query('BEGIN');
  const { text, lines } = await readLexicons(db, files);
  const more = await storeLexicons(db, text);
  await db.query('COMMIT');
  const there = (await nsids(db)).map((nsid) => clean(nsid, 317));
  return { lines: [...there, ...lines, ...more, ...(await viewLines(db))], ok: true };
}
