// Gives a database of an earlier release the packed forms of a new one, while the stream goes on.
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '../db/connection.js';
import { messageOf, Problem, SQLSTATE } from '../db/errors.js';
import { refuseOthers } from '../db/ownership.js';
import { inTransaction, rowOf, rowsOf } from '../db/query.js';
import { isDistributed, lockSchema } from '../db/schema.js';
import { say } from './database-commands.js';

/** @typedef {import('pg').Client} Client */
/** @typedef {Record<string, string>} Types the new types of the columns of a table */
/**
 * @typedef {object} Found
 * @property {boolean} canPack the extension has the types
 * @property {boolean} hasDays the tables have days of live mode, or will have them
 * @property {boolean} isPlain the records are in the table record, not in packed_record
 * @property {Types} record the columns whose types are not packed
 * @property {Types} reference
 */

const PAGES = 200; // pages of a table in one transaction
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
 * The statement that packs a table in one step.
 * @param {string} table
 * @param {Types} types
 */
const alterTable = (table, types) =>
  `"ALTER TABLE indexer.${table} ` +
  Object.entries(types)
    .map(([name, type]) => `ALTER ${name} TYPE ${type}`)
    .join(', ') +
  '"';

/** @param {Types} types */
const isEmpty = (types) => Object.keys(types).length === 0;

/**
 * Why the records cannot be packed; null: they can.
 * @param {Found} found
 * @param {boolean} isSpread by Citus
 */
function problemOf({ canPack, hasDays, record, reference }, isSpread) {
  if (!canPack) return 'The extension is too old. Run "ALTER EXTENSION atid UPDATE" first.';
  if (isSpread) {
    const statements = [
      ...(isEmpty(record) ? [] : [alterTable('record', record)]),
      ...(isEmpty(reference) ? [] : [alterTable('reference', reference)]),
    ];
    return (
      'Citus distributes the tables, so they are changed in one step, for which everybody waits: ' +
      `${statements.join(' and ')}.`
    );
  }
  if (hasDays)
    return (
      'The table has days of live mode, or will have them. Run "atid-indexer want remove live ' +
      "'*'\", and pack when the last day has been dropped, which the table indexer.day shows."
    );
  return null;
}

/**
 * @param {Client} db
 * @returns {Promise<Found>}
 */
const find = (db) =>
  rowOf(
    db,
    `SELECT to_regtype('atid.block') IS NOT NULL AS "canPack",
       EXISTS (SELECT FROM pg_inherits WHERE inhparent = indexer.record_table())
         OR EXISTS (SELECT FROM indexer.want WHERE what = 'live') AS "hasDays",
       NOT indexer.is_packed() AS "isPlain",
       indexer.list_plain_columns('record') AS record,
       indexer.list_plain_columns('reference') AS reference`,
  );

/**
 * @param {Client} db
 * @param {string} call of a function
 */
const swap = (db, call) =>
  inTransaction(db, async () => {
    await lockSchema(db);
    await db.query(`SELECT indexer.${call}`);
  });

/**
 * Tries the last steps for a table on the definitions alone.
 * @param {Client} db
 * @param {string} table
 * @param {Types} types
 */
async function rehearseSwap(db, table, types) {
  await db.query('BEGIN');
  try {
    await lockSchema(db);
    await db.query('SELECT indexer.rehearse_packed_swap($1, $2)', [table, JSON.stringify(types)]);
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
 * Shows how far the step that fills the columns has come, and how long it still takes.
 * @param {Client} watcher
 * @param {number} pid
 * @param {string} table
 */
function showProgress(watcher, pid, table) {
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
    say(`${table}: page ${at.page} of ${at.pages}${left}`);
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
  if (!ours) throw new Problem('Another program packs the records.');
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
 * Builds the indexes that a query returns, without blocking writers. This waits for transactions
 * that still see the rows without their new values, so that nobody reads NULL after the swap; where
 * there is no index to build, one without rows is built for that.
 * @param {Client} db
 * @param {string} table
 * @param {string} commands
 */
async function buildIndexes(db, table, commands) {
  const found = await rowsOf(db, `SELECT ${commands} AS command`);
  const drop = 'DROP INDEX CONCURRENTLY IF EXISTS indexer."~moving wait"';
  const wait = `CREATE INDEX CONCURRENTLY "~moving wait" ON indexer.${table} ((1)) WHERE false`;
  await db.query('SET lock_timeout = 0'); // a build that is broken off leaves an invalid index
  await db.query(drop);
  for (const { command } of found.length > 0 ? found : [{ command: wait }]) {
    say(command);
    await db.query(command);
  }
  await db.query(drop);
  await db.query("SET lock_timeout = '5s'");
}

/**
 * Gives the columns of a table their packed types.
 * @param {Client} db
 * @param {string} table
 * @param {Types} types
 */
async function packColumns(db, table, types) {
  if (isEmpty(types)) return;
  await run(db, `CALL moving.prepare('indexer.${table}', '${JSON.stringify(types)}')`);
  const watcher = await connect('command');
  const { pid } = await rowOf(db, 'SELECT pg_backend_pid() AS pid');
  const timer = showProgress(watcher, pid, table);
  try {
    await run(db, `CALL moving.fill('indexer.${table}', ${PAGES})`);
  } finally {
    clearInterval(timer);
    await watcher.end();
  }
  await buildIndexes(db, table, `moving.index_commands('indexer.${table}')`);
  await run(db, () => swap(db, `swap_packed_columns('${table}')`));
  await db.query(`ANALYZE indexer.${table}`); // indexes on fields have no statistics yet
}

/**
 * Has the table packed_record take the place of the table record.
 * @param {Client} db
 */
async function replaceRecordTable(db) {
  await run(db, 'SELECT indexer.add_unusual_cid()');
  const [other] = await rowsOf(
    db,
    'SELECT uri FROM indexer.record WHERE did IS DISTINCT FROM atid.at_uri_did(uri) LIMIT 1',
  );
  if (other) throw new Problem(`The did of the record ${other.uri} is not that in its uri.`);
  await run(
    db,
    `UPDATE indexer.record SET unusual_cid = cid
     WHERE unusual_cid IS NULL AND cid <> atid.cid_of(block, 'dag-cbor')`,
  );
  await buildIndexes(db, 'record', 'indexer.packed_index_commands()');
  await run(db, () => swap(db, 'swap_record_table()'));
  await db.query('ANALYZE indexer.packed_record');
}

/**
 * Packs the records. Each step can be repeated, so a run that was broken off is begun again.
 * @param {Client} db
 */
export async function packRecords(db) {
  const found = await find(db);
  const isSpread = await isDistributed(db);
  if (found.canPack && isEmpty(found.record) && isEmpty(found.reference))
    if (isSpread || !found.isPlain) return { lines: ['The records are packed.'], ok: true };
  const problem = problemOf(found, isSpread);
  if (problem !== null) throw new Problem(problem);
  await refuseOthers(db, 'indexer');
  const steps = readSteps();
  await begin(db);
  if (found.isPlain) await run(db, () => rehearseSwap(db, 'record', found.record));
  await run(db, () => rehearseSwap(db, 'reference', found.reference));
  await db.query(steps); // into their schema
  // from the first step until the table is replaced, is_being_packed() keeps live mode out
  await packColumns(db, 'record', found.record);
  await packColumns(db, 'reference', found.reference);
  if (found.isPlain) await replaceRecordTable(db);
  await dropSteps(db, steps);
  return {
    lines: ['The records are packed. VACUUM FULL, or pg_repack, returns the space to the disk.'],
    ok: true,
  };
}
