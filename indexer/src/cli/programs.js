// The commands that keep running, or create the schema. What connects to other servers is loaded by
// the commands that do: it takes longer than all else.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Option } from 'commander';
import { Problem } from '../db/errors.js';
import { checkLogin } from '../db/login.js';
import { install } from '../db/schema.js';
import { VERSION } from '../db/versions.js';
import { add, warnUser } from './command-line.js';
import { say, withDatabase } from './database-commands.js';
import { help, readValue, settings, Usage } from './settings.js';
import { time } from './values.js';

/** @typedef {import('commander').Command} Command */
/** @typedef {import('./command-line.js').Result} Result */
/** @typedef {import('./command-line.js').Values} Values */

const SAME_SIGNAL = 1000; // ms

// The table settings has the same bounds.
const KEEP = { takes: 'time', read: time('1h', '7d', '12h or 3d'), standard: '' };

// Is aborted by SIGTERM or Ctrl-C, and when "up", which has started this program, has ended. A
// further signal of either kind ends the program at once; but one that comes right after the first
// counts as the same: a terminal or a supervisor signals all processes, and "up" those that it has
// started.
function untilSignal() {
  const ended = new AbortController();
  /** @type {number | null} */
  let first = null;
  const end = () => {
    if (first !== null && performance.now() - first > SAME_SIGNAL) process.exit(1);
    first ??= performance.now();
    ended.abort();
  };
  for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.on(event, end);
  return ended.signal;
}

// The API takes a while to load, so a command that does not serve it only checks that it exists.
const API = new URL('../../dist/api.js', import.meta.url);
function checkApi() {
  if (existsSync(API)) return;
  const folder = fileURLToPath(new URL('../..', import.meta.url));
  throw new Problem(
    `This installation has no API. Build it with "npm ci" and "npm run build" where the sources ` +
      `are, then install the program again. (${folder}dist/api.js is missing.)`,
  );
}
/**
 * @param {Values} all
 */
async function serveApi(all) {
  checkApi();
  await withDatabase((db) => checkLogin(db, /** @type {any} */ (all)));
  const { api } = await import(API.href);
  return api(all, untilSignal());
}

/**
 * @param {Record<string, any>} settings
 * @param {Record<string, any>} row
 */
const init = ({ ROLE }, { citus = false }) =>
  withDatabase(async (client) => {
    await install(client, { role: ROLE, citus, fresh: true });
    return say(`The schema indexer is created, version ${VERSION}.`);
  });

/**
 * @param {Record<string, any>} settings
 */
const upgrade = ({ ROLE }) =>
  withDatabase(async (client) => {
    const { before } = await install(client, { role: ROLE, fresh: false });
    return say(`The schema indexer is now version ${VERSION}; it was version ${before?.version}.`);
  });

/**
 * The mode that the options of "up" demand.
 * @param {Record<string, any>} options
 * @returns {import('./live-mode.js').Mode}
 */
function modeOf({ live = false, keep: text = '' }) {
  const keep = readValue(KEEP, '--keep', text);
  if (keep !== null && !live)
    throw new Usage('--keep needs --live: only in live mode are records deleted by their age');
  return { live, keep };
}

/**
 * @param {string} lexicons
 * @param {string} service
 * @param {Values} all
 * @param {Record<string, any>} options
 */
async function upFrom(lexicons, service, all, options) {
  const { values } = settings('up', { SERVICE_URL: service }, {});
  const mode = modeOf(options);
  checkApi();
  const { up } = await import('./up.js');
  return up(lexicons, { ...all, SERVICE_URL: values.SERVICE_URL }, mode, untilSignal(), say);
}

/**
 * Before 2.0 the setting DRY made "run" count frames.
 * @param {Values} all
 * @param {Record<string, any>} row
 */
async function runOrCount(all, { dry = process.env.DRY }) {
  if (dry) {
    warnUser('the setting DRY ends with 3.0: use "atid-indexer stream count --cursor"');
    return count({ ...all, METRICS_PORT: null }, { cursor: dry });
  }
  const { run } = await import('../work/run.js');
  return run(all, untilSignal());
}

/**
 * @param {Values} all
 * @param {Record<string, any>} row
 */
async function count(all, { cursor: text }) {
  const cursor = cursorOf(text);
  const { countFrames } = await import('../work/run.js');
  return countFrames({ ...all, cursor }, untilSignal());
}

/**
 * @param {Command} program
 * @param {Result} result
 */
export function addPrograms(program, result) {
  add(program, result, {
    words: 'init',
    help: `Creates the schema indexer. Also creates the extensions, if they are missing and the
role may.`,
    work: init,
    settings: 'init',
  }).option('--citus', 'distribute the tables');
  add(program, result, {
    words: 'upgrade',
    help: `Upgrades the schema indexer to this version. In one transaction it runs the missing
migrations and replaces all functions. Your additions to the schema stay. It must
be of version 1.3.0 or later. Stop "atid-indexer run" first.`,
    work: upgrade,
    settings: 'upgrade',
  });
  add(program, result, {
    words: 'run',
    help: `Follows the stream and keeps the tables up to date. SIGTERM or Ctrl-C end it after the
running transactions, within 15 seconds; another signal ends it at once.`,
    work: runOrCount,
    settings: 'run',
  }).addOption(new Option('--dry <cursor>').hideHelp());
  add(program, result, {
    words: 'api',
    help: `Serves GraphQL of the views. It is at /graphql, with subscriptions; / is a page to try
queries on. The login ATID_API_DB_USER may read the schema of the views and nothing
else, or the command refuses to start; PGUSER, who follows the changes, has the rights
of init --role.`,
    work: serveApi,
    settings: 'api',
  });
  add(program, result, {
    words: 'up <lexicons> <service>',
    help: `Does all from Lexicons to an API. Creates the schema, stores the Lexicons (a file, or
all *.json of a folder), wants their records, makes views with indexes and the login
that reads them, and then does what run and api do. It makes what is missing, so it can
be run again. It revokes the right to temporary tables in this database from PUBLIC. The
role needs CREATEROLE, and the extensions or the right to create them.`,
    work: upFrom,
    settings: 'up',
  })
    .option('--live', 'want new commits of all accounts, from now on, and load no repository')
    .option('--keep <time>', 'with --live: how long records are kept, from 1h to 7d; at first 3d');
}

/**
 * @param {Command} program
 * @param {Result} result
 */
export function addStream(program, result) {
  const stream = program
    .command('stream')
    .summary('Counts the frames of the stream')
    .description('Reads the stream without a database.');
  add(stream, result, {
    words: 'count',
    help: 'Counts the frames after a cursor, until SIGTERM or Ctrl-C.',
    work: count,
    settings: 'count',
  }).requiredOption('--cursor <number>', 'the cursor');
  add(program, result, {
    words: 'settings',
    help: 'Lists all settings.',
    work: () =>
      say(`The settings, from the environment or as flags such as --service-url:\n\n${help()}`),
  });
}

/**
 * @param {string} text
 */
function cursorOf(text) {
  if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text);
  throw new Usage(`invalid value "${text}" for --cursor: it takes a number from 0`);
}
