// The schema of the database: created by init, upgraded by upgrade, and checked by run.
//
// The database records which migrations it has, and in indexer.program which functions: the version
// of the package, and the SHA-256 of the files.
import * as log from '../ops/log.js';
import { fatal, Problem } from './errors.js';
import { createExtensions } from './extensions.js';
import { grantRights, workerRoles } from './grants.js';
import { holderOf } from './locks.js';
import { ownersProblem, ownSchema, ownUsersSchemas, refuseOthers } from './ownership.js';
import { inTransaction, rowOf, rowsOf } from './query.js';
import { ownInstallation, runFile } from './sql-files.js';
import { isNewer, VERSION } from './versions.js';

/** @typedef {import('./query.js').Queryable} Queryable */
/** @typedef {import('pg').Client} Client */
/** @typedef {{ newest: number, version: string, digest: string }} Installed */

const SPLIT = 3; // the last migration that is not split at its lines "--> next"
const LOCK = 'atid-indexer schema';

/**
 * The state of the database's schema.
 * @param {Queryable} client
 * @returns {Promise<Installed | null>}
 */
async function readInstalled(client) {
  const { made } = await rowOf(
    client,
    "SELECT to_regclass('indexer.migration') IS NOT NULL AS made",
  );
  if (!made) return null;
  return rowOf(
    client,
    `SELECT (SELECT max(n) FROM indexer.migration) AS newest, version, digest
     FROM (SELECT) AS one LEFT JOIN indexer.program ON true`,
  );
}

/**
 * @param {Installed} installed
 * @param {number} newest
 */
const isLater = (installed, newest) => installed.newest > newest || isNewer(installed.version);

/**
 * Refuses a schema of another version.
 * @param {Queryable} client
 */
export async function checkSchema(client) {
  const { newest, digest } = ownInstallation();
  const installed = await readInstalled(client);
  if (installed === null)
    throw fatal('There is no schema indexer in this database. Run "atid-indexer init".');
  const { version } = installed;
  if (isLater(installed, newest))
    throw fatal(
      `The schema has version ${version}, newer than this program, ${VERSION}. ` +
        'Install that version of the program.',
    );
  if (installed.newest < newest || installed.digest !== digest)
    throw fatal(
      `The schema has version ${version}, this program ${VERSION}. ` +
        'Run "atid-indexer upgrade".',
    );
}

/**
 * Makes others that change the schema or the views wait until the transaction ends.
 * @param {Queryable} client
 */
export async function lockSchema(client) {
  const { ours } = await rowOf(client, 'SELECT pg_try_advisory_xact_lock(hashtext($1)) AS ours', [
    LOCK,
  ]);
  if (ours) return;
  const who = await holderOf(client, LOCK);
  log.warn('waiting for lock', { holder: `another program changes the schema${who}` });
  await client.query('SELECT pg_advisory_xact_lock(hashtext($1))', [LOCK]);
}

/**
 * Creates or upgrades the schema in one transaction, for which others wait. Returns what the
 * database had before.
 * @param {Client} client
 * @param {{ role?: string | null, citus?: boolean, fresh: boolean }} options citus: distribute the
 *   tables
 */
export async function install(client, { role = null, citus = false, fresh }) {
  try {
    return await inTransaction(client, async () => {
      await lockSchema(client);
      await client.query('SET LOCAL client_min_messages = warning');
      // otherwise Citus changes shards over several connections, and refuses later statements
      await client.query('SET LOCAL citus.multi_shard_modify_mode = sequential');
      await refuseOthers(client, 'indexer');
      const before = await readInstalled(client);
      await refuseInstalled(client, before, fresh);
      const isCitus = citus || (await isDistributed(client));
      if (isCitus) refuseUnsplit(before);
      await createExtensions(client);
      if (before === null) await ownSchema(client, 'indexer');
      await ownUsersSchemas(client);
      await client.query('SET LOCAL search_path = indexer, pg_temp');
      await runFiles(client, before, isCitus);
      const roles = new Set([...(await workerRoles(client)), ...(role ? [role] : [])]);
      for (const name of roles) await grantRights(client, name);
      return { before };
    });
  } catch (/** @type {any} */ e) {
    throw await ownersProblem(client, e);
  }
}

/**
 * Runs the migrations that the database lacks, and all files of functions.
 * @param {Queryable} client
 * @param {Installed | null} before
 * @param {boolean} isCitus
 */
async function runFiles(client, before, isCitus) {
  const { files, digest } = ownInstallation();
  const done = before === null ? [] : await rowsOf(client, 'SELECT n FROM indexer.migration');
  const has = new Set(done.map(({ n }) => n));
  for (const { name, n } of files)
    if (n === null || !has.has(n)) await runFile(client, name, isCitus && before !== null);
  if (isCitus) await runFile(client, 'citus.sql');
  await client.query(
    `INSERT INTO indexer.program (version, digest) VALUES ($1, $2)
     ON CONFLICT (one) DO UPDATE
     SET version = excluded.version, digest = excluded.digest, at = now()`,
    [VERSION, digest],
  );
}

/**
 * Refuses to create a schema that exists, and to upgrade one that does not, or that is newer.
 * @param {Queryable} client
 * @param {Installed | null} before
 * @param {boolean} fresh
 */
async function refuseInstalled(client, before, fresh) {
  if (before !== null) {
    const { version } = before;
    if (fresh)
      throw new Problem(
        `This database already has a schema indexer, version ${version}. ` +
          'Run "atid-indexer upgrade".',
      );
    if (isLater(before, ownInstallation().newest))
      throw new Problem(`The schema has version ${version}, newer than this program, ${VERSION}.`);
    return;
  }
  const example = await findExample(client);
  if (example !== undefined)
    throw new Problem(
      `The schema ${example} has the tables of the example in 1.2, which this version cannot ` +
        'upgrade. Run "upgrade" of atid-indexer 1.3.3 first.',
    );
  if (!fresh)
    throw new Problem('There is nothing to upgrade in this database. Run "atid-indexer init".');
}

/** @param {Installed | null} before */
function refuseUnsplit(before) {
  if (before !== null && before.newest < SPLIT)
    throw new Problem(
      `On Citus, a schema of version ${before.version} cannot be upgraded to this version. ` +
        'Run "upgrade" of atid-indexer 1.3.3 first.',
    );
}

/**
 * The schema that has our tables of the example in 1.2, if there is one.
 * @param {Queryable} client
 * @returns {Promise<string | undefined>}
 */
async function findExample(client) {
  const row = await rowOf(
    client,
    `SELECT relnamespace::regnamespace::text AS name FROM pg_class
     WHERE relname IN ('account', 'identity', 'record', 'reference', 'stream', 'want', 'bad',
                       'waiting')
       AND relkind IN ('r', 'p')
       AND relowner IN (SELECT oid FROM pg_roles WHERE rolname = current_user OR rolsuper)
     GROUP BY relnamespace HAVING count(*) = 8 ORDER BY relnamespace LIMIT 1`,
  );
  return row?.name;
}

/** @param {Queryable} client */
export async function isDistributed(client) {
  const { there } = await rowOf(
    client,
    `SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL
       AND to_regclass('indexer.account') IS NOT NULL AS there`,
  );
  if (!there) return false;
  const rows = await rowsOf(
    client,
    "SELECT FROM pg_dist_partition WHERE logicalrelid = 'indexer.account'::regclass",
  );
  return rows.length > 0;
}
