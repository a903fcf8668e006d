// atid-indexer up: from Lexicons and a server to an API, in one command that can be run again.
//
// It creates what is missing and keeps what exists: the schema, the Lexicons, the wants, the views,
// an index on each column of times, DIDs or URIs, and the login that reads. Then it runs "run" and
// "api" until one of them ends. The role that runs it owns all of this.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { connect } from '../db/connection.js';
import { messageOf, Problem } from '../db/errors.js';
import { createExtensions } from '../db/extensions.js';
import { holderOf } from '../db/locks.js';
import { refuseOwner } from '../db/login.js';
import { ownersProblem, ownSchema, refuseOthers } from '../db/ownership.js';
import { checkSchema, install, lockSchema } from '../db/schema.js';
import * as log from '../ops/log.js';
import { filesOf, readLexicons, storeLexicons } from './lexicons.js';
import { isLive, wantLive } from './live-mode.js';
import { makeReader } from './reader-role.js';
import { followReferences } from './references.js';
import { environmentOf } from './settings.js';
import { areSignals, setWants } from './up-wants.js';

/** @typedef {import('pg').Client} Client */
/** @typedef {import('./live-mode.js').Mode} Mode */

const BIN = fileURLToPath(new URL('../../bin/atid-indexer.js', import.meta.url));
const UP = 'atid-indexer up'; // the lock's name
const LOCK_AGAIN = 5e3; // ms

/**
 * The Lexicons in the files. All are checked before anything is created, except the extensions,
 * which check them.
 * @param {Client} db
 * @param {string[]} files
 */
async function checkedLexicons(db, files) {
  await db.query('BEGIN');
  try {
    await createExtensions(db);
    const found = await readLexicons(db, files);
    if (found.types.length === 0)
      throw new Problem('None of these Lexicons is of a type of records.');
    await db.query('COMMIT');
    return found;
  } catch (e) {
    await db.query('ROLLBACK').catch(() => {});
    throw e;
  }
}

/**
 * @param {Client} db
 * @param {Record<string, any>} settings
 */
async function makeViews(db, { API_SCHEMA }) {
  const schema = db.escapeIdentifier(API_SCHEMA);
  await ownSchema(db, API_SCHEMA);
  const {
    rows: [{ n }],
  } = await db.query('SELECT make_views($1::regnamespace)::int AS n', [schema]);
  const { rowCount } = await db.query(
    `SELECT CASE WHEN c.name = 'did' AND t.only_key IS NOT NULL THEN make_view_index(t.view, c.name)
                 WHEN c.type = 'atid.did' THEN make_view_index(t.view, c.name, 'sort_at')
                 ELSE make_view_index(t.view, c.name) END
     FROM view_type AS t JOIN view_column AS c USING (view) JOIN pg_class AS v ON v.oid = t.view
     WHERE v.relnamespace = $1::regnamespace AND t.nsid IS NOT NULL
       AND (c.name IN ('did', 'sort_at') AND c.kind = 'own'
              AND (c.name = 'did' OR t.only_key IS NULL)
            OR c.kind = 'property' AND c.type IN ('atid.did', 'atid.at_uri', 'timestamptz'))`,
    [schema],
  );
  return [n, rowCount];
}

/**
 * Creates everything and starts nothing. Returns the password of the reader, or null.
 * @param {Client} db
 * @param {Record<string, any>} settings
 * @param {{ files: string[], mode: Mode }} task
 * @param {(text: string) => void} say
 * @param {AbortSignal} ended
 */
async function prepare(db, settings, { files, mode }, say, ended) {
  await refuseOthers(db, 'indexer');
  await refuseOwner(db, /** @type {any} */ (settings));
  const { text, types, lines } = await checkedLexicons(db, files);
  const made = await db.query("SELECT to_regclass('indexer.migration') IS NOT NULL AS there");
  const live = mode.live || (made.rows[0].there && (await isLive(db)));
  const bySignal = live ? false : await areSignals(db, settings, types, ended);
  if (ended.aborted) return null;
  if (!made.rows[0].there) await install(db, { role: settings.ROLE, fresh: true });
  await checkSchema(db);
  await db.query('BEGIN');
  try {
    await lockSchema(db);
    await db.query('SET LOCAL client_min_messages = warning');
    await db.query('SET LOCAL search_path = indexer, pg_temp');
    lines.push(...(await storeLexicons(db, text)));
    const wanted = await (live ? wantLive(db, types, mode) : setWants(db, types, bySignal));
    say(`record types    ${types.join(' ')}`);
    lines.forEach(say);
    say(`wanted          ${wanted}`);
    const [views, indexes] = await makeViews(db, settings);
    say(`views, indexes  ${views}, ${indexes} in the schema ${settings.API_SCHEMA}`);
    const password = await makeReader(db, settings);
    say(`reader          ${settings.API_DB_USER}`);
    await db.query('COMMIT');
    return password;
  } catch (e) {
    await db.query('ROLLBACK').catch(() => {});
    throw await ownersProblem(db, e);
  }
}

// Takes the lock of "up": a second "up" would change the password of the first one's reader. If the
// connection that holds the lock is lost, the lock is taken again. Returns a function that releases
// it.
async function alone() {
  /** @type {import('pg').Client | null} */
  let lock = null;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  let over = false;
  const take = async () => {
    const client = await connect('up');
    lock = client;
    const { rows } = await client.query('SELECT pg_try_advisory_lock(hashtext($1)) AS ours', [UP]);
    if (!rows[0].ours) {
      const who = await holderOf(client, UP);
      await client.end();
      throw new Problem(
        `Another "atid-indexer up" is running in this database${who}: end it first.`,
      );
    }
    client.on('end', again);
    if (over) await client.end();
  };
  const again = () => {
    if (over) return;
    /** @param {any} e */
    const failed = (e) => {
      log.error('up lock failed', { error: messageOf(e) });
      again();
    };
    timer = setTimeout(() => take().catch(failed), LOCK_AGAIN);
  };
  await take();
  return async () => {
    over = true;
    clearTimeout(timer);
    await lock?.end().catch(() => {});
  };
}

/**
 * @param {string} lexicons
 * @param {Record<string, any>} settings
 * @param {Mode} mode
 * @param {AbortSignal} ended
 * @param {(text: string) => void} say
 */
export async function up(lexicons, settings, mode, ended, say) {
  const files = await filesOf(lexicons);
  const release = await alone();
  try {
    const db = await connect('command');
    const task = { files, mode };
    const password = await prepare(db, settings, task, say, ended).finally(() => db.end());
    return ended.aborted ? 0 : await programs(settings, password, ended);
  } finally {
    await release();
  }
}

/**
 * Runs both programs until one ends. Returns their status.
 * @param {Record<string, any>} settings
 * @param {string | null} password
 * @param {AbortSignal} ended
 */
async function programs(settings, password, ended) {
  // the last one, ipc, shows the children when this program is killed
  /** @type {import('node:child_process').StdioOptions} */
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'];
  const values = { ...settings, API_DB_PASSWORD: password };
  const children = ['run', 'api'].map((command) =>
    spawn(process.execPath, [BIN, command], { env: environmentOf(command, values), stdio }),
  );
  // each gets one signal: a second one would kill it before it has finished its work
  const ending = new AbortController();
  const end = () => ending.abort();
  ending.signal.addEventListener('abort', () => children.forEach((child) => child.kill('SIGTERM')));
  ended.addEventListener('abort', end);
  const following = followReferences(settings, ending.signal);
  const over = children.map(
    (child) =>
      /** @type {Promise<number>} */ (
        new Promise((resolve) =>
          child.on('exit', (code) => resolve(code ?? 1)).on('error', () => resolve(1)),
        )
      ),
  );
  const first = await Promise.race(over);
  end();
  const all = await Promise.all(over);
  await following;
  return ended.aborted ? Math.max(...all) : first || 1;
}
