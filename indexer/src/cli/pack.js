// Packs the blocks of a table record that an earlier release has made, while the stream goes on.
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '../db/connection.js';
import { messageOf, Problem, SQLSTATE } from '../db/errors.js';
import { refuseOthers } from '../db/ownership.js';
import { inTransaction, rowOf, rowsOf } from '../db/query.js';
import { isDistributed, lockSchema } from '../db/schema.js';
import { say } from './database-commands.js';

/** @typedef {import('pg').Client} Client */

const TABLE = 'indexer.record';
const PAGES = 200; // pages of the table in one transaction
const LOOK = 5000; // ms between two lines of progress
const PATIENCE = 120; // attempts, each of which waits for a lock for five seconds at most
const REST = 10e3; // ms between two of them, in which others go on
const LOCK = 'atid-indexer pack';
const LOCKED = [SQLSTATE.deadlock, SQLSTATE.lockNotAvailable];

/** The steps, in SQL: of the package, or of a clone. */
function readSteps() {
  const files = ['../../dist/migrate.sql', '../../../examples/migrate.sql'].map(
    (name) => new URL(name, import.meta.url),
  );
  const file = files.find((one) => existsSync(one));
  if (file === undefined) throw new Problem('The package has no file dist/migrate.sql.');
  return readFileSync(file, 'utf8');
}

/**
 * Why the blocks cannot be packed; null: they can.
 * @param {{ canPack: boolean, hasDays: boolean }} found
 * @param {boolean} isSpread by Citus
 */
function problemOf({ canPack, hasDays }, isSpread) {
  if (!canPack) return 'The extension is too old. Run "ALTER EXTENSION atid UPDATE" first.';
  if (isSpread)
    return (
      'Citus distributes the table, so it is changed in one step, for which everybody waits: ' +
      `"ALTER TABLE ${TABLE} ALTER block TYPE atid.block".`
    );
  if (hasDays)
    return (
      'The table has days of live mode, or will have them. Run "atid-indexer want remove live ' +
      "'*'\", and pack when the last day has been dropped, which the table indexer.day shows."
    );
  return null;
}

/** @param {Client} db */
const find = (db) =>
  rowOf(
    db,
    `SELECT format_type(a.atttypid, NULL) AS type,
       to_regtype('atid.block') IS NOT NULL AS "canPack",
       EXISTS (SELECT FROM pg_inherits WHERE inhparent = c.oid)
         OR EXISTS (SELECT FROM indexer.want WHERE what = 'live') AS "hasDays"
     FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
     WHERE c.oid = $1::regclass AND a.attname = 'block'`,
    [TABLE],
  );

/** @param {Client} db */
const swap = (db) =>
  inTransaction(db, async () => {
    await lockSchema(db);
    await db.query('SELECT indexer.swap_packed_blocks()');
  });

/**
 * Tries the last step on the definitions alone.
 * @param {Client} db
 */
async function rehearseSwap(db) {
  await db.query('BEGIN');
  try {
    await lockSchema(db);
    await db.query('SELECT indexer.rehearse_packed_swap()');
  } finally {
    await db.query('ROLLBACK');
  }
}

/**
 * Runs a step, which waits for locks no longer than others can wait behind it, and is tried again.
 * @param {Client} db
 * @param {string | ((db: Client) => Promise<void>)} step
 */
async function run(db, step) {
  for (let left = PATIENCE; ; left--) {
    try {
      await (typeof step === 'string' ? db.query(step) : step(db));
      return;
    } catch (/** @type {any} */ e) {
      if (!LOCKED.includes(e.code) || left === 0) throw e;
      say(`waiting: ${messageOf(e)}`);
      await sleep(REST);
    }
  }
}

/**
 * Shows how far the step that fills the column has come, and how long it still takes.
 * @param {Client} watcher
 * @param {number} pid
 */
function showProgress(watcher, pid) {
  const began = Date.now();
  let from = -1;
  return setInterval(async () => {
    const [at] = await rowsOf(
      watcher,
      `SELECT (m[1])::bigint::int AS page, (m[2])::bigint::int AS pages
       FROM pg_stat_activity AS a CROSS JOIN regexp_match(a.application_name, '(\\d+)/(\\d+)$') AS m
       WHERE a.pid = $1 AND m IS NOT NULL`,
      [pid],
    ).catch(() => []);
    if (!at || at.pages === 0) return;
    if (from < 0) from = at.page;
    const rate = (at.page - from) / (Date.now() - began);
    const left = rate > 0 ? `, ${Math.ceil((at.pages - at.page) / rate / 60e3)} min left` : '';
    say(`page ${at.page} of ${at.pages}${left}`);
  }, LOOK);
}

/**
 * Takes the lock of a run.
 * @param {Client} db
 */
async function begin(db) {
  const { ours, isOther } = await rowOf(
    db,
    `SELECT pg_try_advisory_lock(hashtext($1)) AS ours, to_regnamespace('moving') IS NOT NULL
       AND to_regclass('moving.columns') IS NULL AS "isOther"`,
    [LOCK],
  );
  if (!ours) throw new Problem('Another program packs the blocks.');
  if (isOther)
    throw new Problem('The database has a schema moving of another kind. Rename it first.');
  await db.query("SET lock_timeout = '5s'");
  db.on('notice', ({ message }) => say(`${message}`));
}

/**
 * Drops the schema of the steps, unless something else is in it.
 * @param {Client} db
 * @param {string} steps
 */
async function dropSteps(db, steps) {
  const own = [...steps.matchAll(/ moving\.(\w+) ?\(/g)].map(([, name]) => name);
  const others = await rowsOf(
    db,
    `SELECT FROM moving.columns
     UNION ALL SELECT FROM pg_class
     WHERE relnamespace = 'moving'::regnamespace AND relkind <> 'i' AND relname <> ALL ($1)
     UNION ALL SELECT FROM pg_proc
     WHERE pronamespace = 'moving'::regnamespace AND proname <> ALL ($1)`,
    [own],
  );
  if (others.length === 0) await db.query('DROP SCHEMA moving CASCADE');
}

/**
 * Packs the blocks. Each step can be repeated, so a run that was broken off is begun again.
 * @param {Client} db
 */
export async function packBlocks(db) {
  const found = await find(db);
  if (found.type === 'atid.block') return { lines: ['The blocks are packed.'], ok: true };
  const problem = problemOf(found, await isDistributed(db));
  if (problem !== null) throw new Problem(problem);
  await refuseOthers(db, 'indexer');
  const steps = readSteps();
  await begin(db);
  await run(db, rehearseSwap);
  await db.query(steps); // into their schema
  await run(db, `CALL moving.prepare('${TABLE}', '{"block": "atid.block"}')`);
  const watcher = await connect('command');
  const { pid } = await rowOf(db, 'SELECT pg_backend_pid() AS pid');
  const timer = showProgress(watcher, pid);
  try {
    await run(db, `CALL moving.fill('${TABLE}', ${PAGES})`);
  } finally {
    clearInterval(timer);
    await watcher.end();
  }
  const commands = await rowsOf(db, `SELECT moving.index_commands('${TABLE}') AS command`);
  for (const { command } of commands) {
    say(command);
    await db.query('SET lock_timeout = 0'); // a build that is broken off leaves an invalid index
    await db.query(command);
  }
  await db.query("SET lock_timeout = '5s'");
  await run(db, swap);
  await db.query('ANALYZE indexer.record'); // indexes on fields have no statistics yet
  await dropSteps(db, steps);
  return {
    lines: ['The blocks are packed. VACUUM FULL, or pg_repack, returns the space to the disk.'],
    ok: true,
  };
}
