// The wants that "up" sets: the collections of the Lexicons, and the accounts that have such
// records.
import { messageOf, Problem } from '../db/errors.js';
import { Http } from '../net/http.js';
import * as log from '../ops/log.js';
import { BOUNDS, readListPage } from '../protocol/answers.js';
import { pause } from '../work/tasks.js';

/** @typedef {import('pg').Client} Client */

const WITHIN = 10; // seconds for the server to answer whether it lists by collection,
const TRY_FOR = 30e3; // ms for which the request is retried if it fails

/**
 * @param {string} nsid
 */
const isShared = (nsid) => /^(?:app\.bsky|chat\.bsky|com\.atproto)\./.test(nsid);

/**
 * Does the server list the accounts that have records in a collection, as relays do? Then only
 * these are wanted. Only the answer that there is no such method means that it does not. After any
 * other failure the request is retried for a while, and then the failure is thrown.
 * @param {any} settings
 * @param {string} nsid
 * @param {AbortSignal} ended
 * @param {Record<string, any>} [row]
 */
export async function listsCollections(
  settings,
  nsid,
  ended,
  { tryFor = TRY_FOR, first = 500 } = {},
) {
  const http = new Http({ ...settings, REPO_TIMEOUT: WITHIN });
  const method = 'com.atproto.sync.listReposByCollection';
  const url = `${settings.SERVICE_URL}/xrpc/${method}?limit=1&collection=${nsid}`;
  const until = Date.now() + tryFor;
  try {
    for (let wait = first; ; wait *= 2) {
      try {
        readListPage(
          await http.get(url, { most: BOUNDS.page, signal: AbortSignal.timeout(WITHIN * 1000) }),
          null,
        );
        return true;
      } catch (e) {
        if (e.absent && e.origin === settings.SERVICE_URL) return false;
        if (Date.now() + wait > until || ended.aborted) throw e;
        log.warn('up retries', { error: messageOf(e) });
      }
      await pause(wait, ended);
    }
  } finally {
    http.close();
  }
}

/**
 * Are the accounts of these types wanted by signals? null: the server has not answered, and the
 * previous wants stay.
 * @param {Client} db
 * @param {Record<string, any>} settings
 * @param {string[]} types
 * @param {AbortSignal} ended
 */
export async function areSignals(db, settings, types, ended) {
  const own = types.filter((t) => !isShared(t));
  if (own.length === 0) return false;
  const there = await db.query("SELECT to_regclass('indexer.want') IS NOT NULL AS there");
  const wanted =
    there.rows[0].there &&
    (
      await db.query(
        `SELECT FROM indexer.want WHERE what <> 'collection'
       AND NOT (value = '*' AND (SELECT count(*) FROM indexer.want) = 2
           AND EXISTS (SELECT FROM indexer.want AS w
                       WHERE (w.what, w.value) = ('collection', '*'))) LIMIT 1`,
      )
    ).rows.length > 0;
  try {
    return await listsCollections(settings, own[0], ended, wanted ? { tryFor: 0 } : {});
  } catch (e) {
    if (wanted || ended.aborted) return null;
    throw new Problem(
      'The server did not answer whether it lists the accounts of a collection: ' +
        `${messageOf(e)}. Nothing was changed. ` +
        'Run "up" again when it answers, or first define which accounts are wanted: ' +
        '"atid-indexer init", "atid-indexer want".',
    );
  }
}

/**
 * Removes the wants of a new schema, which are everything, unless there are others. Returns whether
 * it has.
 * @param {Client} db
 */
export async function removeDefaults(db) {
  const { rowCount } = await db.query(
    `DELETE FROM want WHERE (SELECT count(*) FROM want) = 2
     AND (SELECT count(*) FROM want
          WHERE (what, value) IN (('account', '*'), ('collection', '*'))) = 2`,
  );
  return (rowCount ?? 0) > 0;
}

/**
 * Adds wants, as those of this command. Those that are there stay as they are.
 * @param {Client} db
 * @param {string[][]} wants each of them what, and its value
 */
export async function addWants(db, wants) {
  for (const one of wants)
    await db.query(
      'INSERT INTO want (what, value, by_up) VALUES ($1, $2, true) ON CONFLICT DO NOTHING',
      one,
    );
}

/**
 * Sets the wants. A new schema wants everything; now it wants what these Lexicons are about. Wants
 * that somebody has added stay.
 * @param {Client} db
 * @param {string[]} types
 * @param {boolean | null} bySignal
 */
export async function setWants(db, types, bySignal) {
  const wasNew = await removeDefaults(db);
  const own = types.filter((t) => !isShared(t));
  const wants = types.map((t) => ['collection', t]);
  const isNew =
    wasNew ||
    (await db.query("SELECT FROM want WHERE what <> 'collection' LIMIT 1")).rowCount === 0;
  if (bySignal) wants.push(...own.map((t) => ['signal', t]));
  else if (isNew) wants.push(['account', '*']);
  await addWants(db, wants);
  if (!bySignal) return isNew ? 'all accounts of the server' : 'the accounts that were';
  const those = `accounts that have ${own.join(' or ')}`;
  return (await takeBackAll(db, own))
    ? `${those}, and all others: "atid-indexer want remove account '*'" ends that`
    : those;
}

/**
 * Removes "account *" if this command has written it because the server did not list accounts by
 * collection. The accounts that have records of the signals stay. Returns whether all accounts are
 * still wanted.
 * @param {Client} db
 * @param {string[]} signals
 */
async function takeBackAll(db, signals) {
  const all = await db.query("SELECT by_up FROM want WHERE (what, value) = ('account', '*')");
  if (all.rowCount === 0 || !all.rows[0].by_up) return (all.rowCount ?? 0) > 0;
  await db.query(
    `INSERT INTO want (what, value, because)
     SELECT 'account', r.did::text, min(atid.at_uri_collection(r.uri)::text) FROM record AS r
     WHERE atid.at_uri_collection(r.uri)::text = ANY ($1) GROUP BY r.did ON CONFLICT DO NOTHING`,
    [signals],
  );
  await db.query("DELETE FROM want WHERE (what, value) = ('account', '*')");
  return false;
}
