// Are the records of an account those that it has signed?
import { Problem } from '../db/errors.js';
import { rowsOf } from '../db/query.js';
import { formatNumber } from './format.js';

/** @typedef {import('pg').Client} Client */

/**
 * Compares the records of an account with the tree whose root it has signed.
 * @param {Client} db
 * @param {string} did
 */
export async function check(db, did) {
  await db.query('BEGIN ISOLATION LEVEL REPEATABLE READ'); // the program may write meanwhile
  const [a] = await rowsOf(
    db,
    `SELECT state, rev::text, data::text,
      EXISTS (SELECT FROM indexer.want WHERE what = 'collection' AND value = '*') AS whole
    FROM indexer.account WHERE did = $1`,
    [did],
  );
  if (!a) throw new Problem(`${did} is not here. "atid-indexer explain ${did}" shows why.`);
  if (!a.whole)
    throw new Problem(
      'Not all collections are wanted, so the records are not the whole tree that is signed.',
    );
  if (a.data === null) throw new Problem(`${did} was never loaded: it is ${a.state}.`);
  const [t] = await rowsOf(
    db,
    `SELECT count(*)::int AS n,
      atid.mst_root(atid.at_uri_path(uri), cid
        ORDER BY atid.at_uri_path(uri) COLLATE "C")::text AS root
    FROM indexer.record WHERE did = $1 AND uri <@ atid.at_uri_make($1::atid.did)`,
    [did],
  );
  const ok = t.root === a.data;
  return {
    lines: [
      `${formatNumber(t.n)} records, of revision ${a.rev}; ${a.state}`,
      `root of the records  ${t.root}`,
      `signed root          ${a.data}`,
      ok ? 'They are equal.' : 'They differ. "atid-indexer reload" loads the account again.',
    ],
    ok,
  };
}
