// Live mode, as "up" sets it: the new commits of all accounts are wanted, and no account is loaded.
import { Problem } from '../db/errors.js';
import { rowOf } from '../db/query.js';
import { addWants, removeDefaults } from './up-wants.js';

/** @typedef {import('pg').Client} Client */
/**
 * live: is live mode asked for? keep: for how many seconds records are kept; null: as they are now.
 * @typedef {{ live: boolean, keep: number | null }} Mode
 */

/**
 * Are new commits wanted, of accounts that are not all mirrors? Any version of the schema answers.
 * @param {Client} db
 */
export async function isLive(db) {
  const { live } = await rowOf(
    db,
    `SELECT EXISTS (SELECT 1 FROM indexer.want WHERE what = 'live')
       AND NOT EXISTS (SELECT 1 FROM indexer.want WHERE (what, value) = ('account', '*')) AS live`,
  );
  return live;
}

/**
 * Refuses to go on where all accounts are mirrors, none of which would be live. Their records would
 * be deleted if they were not: that is for the operator to say.
 * @param {Client} db
 */
async function refuseMirrors(db) {
  const { all } = await rowOf(
    db,
    "SELECT EXISTS (SELECT FROM want WHERE (what, value) = ('account', '*')) AS all",
  );
  if (!all) return;
  throw new Problem(
    'All accounts are wanted as mirrors in this database, so none would be live. Nothing was ' +
      `changed. Run "atid-indexer want remove account '*'", which has the records of these ` +
      'mirrors deleted, and then "up" again; or use another database.',
  );
}

/**
 * What is wanted now, in words.
 * @param {Client} db
 * @param {boolean} live
 */
async function describeWants(db, live) {
  const { keep, whole, mirrors } = await rowOf(
    db,
    `SELECT keep::text,
            EXISTS (SELECT FROM want WHERE (what, value) = ('collection', '*')) AS whole,
            EXISTS (SELECT FROM want WHERE what IN ('account', 'signal')) AS mirrors
     FROM settings`,
  );
  const parts = [`new commits of all accounts, kept for ${keep}`];
  if (!live) parts.push(`live mode stays: "atid-indexer want remove live '*'" ends it`);
  if (whole) parts.push(`of all collections: "atid-indexer want remove collection '*'" ends that`);
  if (mirrors) parts.push('mirrors of accounts stay: "atid-indexer want list" lists them');
  return parts.join('; ');
}

/**
 * Wants the new commits of all accounts, of these types of records. Wants that somebody has added
 * stay; those of a new schema are replaced as long as it has no accounts. The database may refuse
 * live mode, so it is wanted before the operator is told to end a mirror. Returns what is wanted.
 * @param {Client} db
 * @param {string[]} types
 * @param {Mode} mode
 */
export async function wantLive(db, types, { live, keep }) {
  const { used } = await rowOf(db, 'SELECT EXISTS (SELECT 1 FROM account) AS used');
  if (!used) await removeDefaults(db);
  await addWants(db, [['live', '*'], ...types.map((type) => ['collection', type])]);
  await refuseMirrors(db);
  if (keep !== null)
    await db.query('UPDATE settings SET keep = justify_hours(make_interval(secs => $1))', [keep]);
  return describeWants(db, live);
}
