// The command line.
//
// Exit statuses: 0, done; 1, it failed, or what was checked is not right; 2, it was called wrongly.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Argument, Command, CommanderError, Option } from 'commander';
import { connect } from '../db/connection.js';
import { messageOf, Problem } from '../db/errors.js';
import { checkLogin } from '../db/login.js';
import { install } from '../db/schema.js';
import { needed, VERSION } from '../db/versions.js';
import * as log from '../ops/log.js';
import { countFrames, run } from '../work/run.js';
import { flagOf, help, helpOf, oldFlagOf, SETTINGS, settings, Usage } from './settings.js';
import * as show from './status.js';
import { up } from './up.js';

const SAME_SIGNAL = 1000; // ms
const DEADLOCK = '40P01'; // SQLSTATE
const WIDTH = 100; // columns of the help

const say = (text) => {
  process.stdout.write(`${text}\n`);
  return 0;
};
const warn = (text) => process.stderr.write(`atid-indexer: ${text}\n`);

// Does work with a connection.
async function withDatabase(work) {
  const client = await connect('command');
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

// Prints what a function of status.js shows. Returns the exit status.
const shown = (work) =>
  withDatabase(async (db) => {
    const { lines, ok } = await work(db);
    for (const line of lines) say(line);
    return ok ? 0 : 1;
  });

// Runs a statement and reports that it is done. After a deadlock with what the program writes it is
// tried again.
const done = (statement, values, text) =>
  withDatabase(async (db) => {
    for (let left = 5; ; left--) {
      try {
        await db.query(statement, values);
        return say(text);
      } catch (e) {
        if (e.code !== DEADLOCK || left === 0) throw e;
      }
    }
  });

// Is aborted by SIGTERM or Ctrl-C, and when "up", which has started it, has ended. A further
// signal, whichever it is, ends the program at once; but one that comes right behind the first is
// the same: a terminal or a supervisor sends it to all processes, and "up" to those that it has
// started.
function untilSignal() {
  const ended = new AbortController();
  let first = null;
  const end = () => {
    if (first !== null && performance.now() - first > SAME_SIGNAL) process.exit(1);
    first ??= performance.now();
    ended.abort();
  };
  for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.on(event, end);
  return ended.signal;
}

// The API takes a while to load, so a command that does not serve it only checks that it is there.
const API = new URL('../../dist/api.js', import.meta.url);
function checkApi() {
  if (existsSync(API)) return;
  const folder = fileURLToPath(new URL('../..', import.meta.url));
  throw new Problem(
    `This installation is without the API. Where its sources are, "npm ci" and "npm run build" ` +
      `make it; then install the program again. (${folder}dist/api.js is missing.)`,
  );
}
async function serveApi(all) {
  checkApi();
  await withDatabase((db) => checkLogin(db, all));
  const { api } = await import(API);
  return api(all, untilSignal());
}

const init = ({ ROLE }, { citus = false }) =>
  withDatabase(async (client) => {
    await install(client, { role: ROLE, citus, fresh: true });
    return say(`The schema indexer is made, of version ${VERSION}.`);
  });

const upgrade = ({ ROLE }) =>
  withDatabase(async (client) => {
    const { before } = await install(client, { role: ROLE, fresh: false });
    return say(`The schema indexer is of version ${VERSION}; it was of version ${before.version}.`);
  });

function upFrom(lexicons, service, all) {
  const { values } = settings('up', { SERVICE_URL: service }, {});
  checkApi();
  return up(lexicons, { ...all, SERVICE_URL: values.SERVICE_URL }, untilSignal(), say);
}

// Before 2.0 the setting DRY had run count frames.
function runOrCount(all, { dry = process.env.DRY }) {
  if (!dry) return run(all, untilSignal());
  warn('the setting DRY ends with 3.0: use "atid-indexer stream count --cursor"');
  return countFrames({ ...all, METRICS_PORT: null, cursor: cursorOf(dry) }, untilSignal());
}

const camel = (flag) => flag.slice(2).replace(/-(\w)/g, (all, letter) => letter.toUpperCase());

// The options of a command's settings. Those with a name of before 2.0 are not in its help.
function addSettings(command, of) {
  for (const setting of SETTINGS[of]) {
    const value = setting.takes === null ? '' : ` <${setting.takes}>`;
    const flag = flagOf(setting);
    if (flag !== null) command.addOption(new Option(`${flag}${value}`, helpOf(setting)));
    const old = oldFlagOf(setting);
    if (old !== null) command.addOption(new Option(`${old}${value}`).hideHelp());
  }
}

// The settings of a command: from its options, else from the environment.
function settingsOf(of, options) {
  const flags = {};
  for (const setting of SETTINGS[of] ?? []) {
    const [flag, old] = [flagOf(setting), oldFlagOf(setting)];
    const valueOf = (name) => (name === null ? undefined : options[camel(name)]);
    const text = (value) => (value === true ? 'true' : value);
    flags[setting.name] = text(valueOf(flag));
    if (old !== null) flags[old] = text(valueOf(old));
  }
  const { values, warning } = settings(of, flags);
  if (warning !== null) warn(warning);
  if (values.LOG_LEVEL) log.setLevel(values.LOG_LEVEL);
  if (values.LOG_FORMAT) log.setFormat(values.LOG_FORMAT);
  return values;
}

// Adds a command to a parent: its words, such as "explain <did>"; the text of its help, the first
// sentence of which is in the list of commands; its work, which gets its arguments, its settings
// and its options; and the name by which SETTINGS has it. result gets the exit status.
function add(parent, result, words, text, work, of = null) {
  const whole = text.replaceAll('\n', ' ');
  const [first] = whole.split(/\.(?: |$)/, 1);
  const command = parent.command(words).description(whole).summary(first);
  if (of !== null) addSettings(command, of);
  return command.action(async (...all) => {
    const options = all.at(-2);
    const values = settingsOf(of, options);
    result.status = (await work(...all.slice(0, -2), values, options)) ?? 0;
  });
}

const WHAT = () =>
  new Argument('<what>', 'what is wanted').choices(['account', 'collection', 'signal']);
const VALUE = () =>
  new Argument(
    '<value>',
    'of account a DID; of collection an NSID, or com.example.* for all below; of signal an NSID, ' +
      'for the accounts that have such records; "*" is all accounts, or all collections',
  );

function addPrograms(program, result) {
  add(
    program,
    result,
    'init',
    `Creates the schema indexer. Also creates the extensions, if they are missing and the role
may.`,
    init,
    'init',
  ).option('--citus', 'distribute the tables');
  add(
    program,
    result,
    'upgrade',
    `Upgrades the schema indexer to this version. In one transaction it runs the missing migrations
and replaces all functions. What you have added to it stays. The schema must be of version 1.3.0
or later. Stop "atid-indexer run" before.`,
    upgrade,
    'upgrade',
  );
  add(
    program,
    result,
    'run',
    `Follows the stream and keeps the tables up to date. SIGTERM or Ctrl-C end it after the running
transactions, within 15 seconds; another signal ends it at once.`,
    runOrCount,
    'run',
  ).addOption(new Option('--dry <cursor>').hideHelp());
  add(
    program,
    result,
    'api',
    `Serves GraphQL of the views. It is at /graphql, with subscriptions; / is a page to try queries
on. The login ATID_API_DB_USER may read the schema of the views and nothing else, or the
command refuses to start; PGUSER, who follows the changes, has the rights of init --role.`,
    serveApi,
    'api',
  );
  add(
    program,
    result,
    'up <lexicons> <service>',
    `Does all from Lexicons to an API. Creates the schema, stores the Lexicons (a file, or all
*.json of a folder), wants their records, makes views with indexes and the login that reads
them, and then does what run and api do. It makes what is missing, so it can be run again. It
revokes the right to temporary tables in this database from PUBLIC. The role needs CREATEROLE,
and the extensions or the right to create them.`,
    upFrom,
    'up',
  );
}

function addAccounts(program, result) {
  add(program, result, 'explain <did>', 'Explains why an account is there, or not.', (did) =>
    shown((db) => show.explain(db, did)),
  );
  add(
    program,
    result,
    'exclude <did> [why]',
    `Keeps an account out, whatever the network says. Its records are deleted; references of others
to it stay.`,
    (did, why) => done('SELECT indexer.exclude($1, $2)', [did, why ?? null], `${did} is excluded.`),
  );
  add(
    program,
    result,
    'include <did>',
    `Lets an excluded account in again. It comes back if it is wanted and the network has it.`,
    (did) => done('SELECT indexer.include($1)', [did], `${did} is excluded no more.`),
  );
  add(
    program,
    result,
    'forget <did>',
    `Keeps an account out, and deletes all that is about it. These are its records, identity,
labels, references to it, and frames. Only its exclusion stays. Backups, and what applications
have read, are yours to clean.`,
    (did) => done('SELECT indexer.forget($1)', [did], `${did} is forgotten.`),
  );
  add(
    program,
    result,
    'reload <did>',
    'Loads an account again. Its records are written again, with their references.',
    (did) =>
      done('SELECT indexer.reload($1)', [did], `${did} is loaded again by the program that runs.`),
  );
  add(
    program,
    result,
    'check <did>',
    `Compares an account's records with what it has signed. Computes the root of the tree of the
records, and compares it with the root that the account has signed. Exit status 1 if they
differ.`,
    (did) => shown((db) => show.check(db, did)),
  );
}

function addWants(program, result) {
  const want = program
    .command('want')
    .summary('Lists and changes what is wanted')
    .description('Lists and changes what is wanted. The program that runs follows within seconds.');
  add(want, result, 'list', 'Lists what is wanted.', () => shown((db) => show.wants(db)));
  const change = (name, text, work) =>
    add(want, result, name, text, (what, value) => shown((db) => work(db, what, value)))
      .addArgument(WHAT())
      .addArgument(VALUE());
  change('add', 'Adds to what is wanted.', show.want);
  change('remove', 'Removes from what is wanted.', show.unwant);
}

function addLexicons(program, result) {
  const lexicon = program
    .command('lexicon')
    .summary('Lists and stores Lexicons')
    .description(
      'Lists and stores the Lexicons by which records are judged when they are written ' +
        '(record.conforms). Records that are there are not judged again: reload their accounts.',
    );
  add(lexicon, result, 'list', 'Lists the Lexicons, and those that are missing.', () =>
    shown((db) => show.lexicons(db)),
  );
  add(
    lexicon,
    result,
    'add <files...>',
    `Stores Lexicons. A file can be a folder of *.json. A Lexicon replaces the one of the same
NSID. Lexicons that these need, such as com.atproto.repo.strongRef, are taken from the package
if it has them; others are listed as missing.`,
    (files) => shown((db) => show.addLexicons(db, files)),
  );
}

function addOthers(program, result) {
  add(
    program,
    result,
    'status',
    `Shows the streams, the accounts by state, and what is in trouble. Also shows how long a
backfill still takes, and what you can do. Exit status 1 if a stream does not move or makes no
sense.`,
    () => shown((db) => show.status(db)),
  );
  add(
    program,
    result,
    'verify <file> [did]',
    `Verifies a repository in a CAR file. Shows whether it is whole, who has signed it, how many
records it has, and which blobs they name. The database needs the extensions only. The keys
are those that the database knows of the account, else those of its log in the directory, or
--key. Exit status 0 only if it is whole and signed by the key that the account has now.`,
    (file, did, all, { key }) => shown((db) => show.verify(db, file, did, key, all)),
    'verify',
  ).option('--key <did:key>', 'the key by which it must be signed');
  const stream = program
    .command('stream')
    .summary('Counts the frames of the stream')
    .description('Looks at the stream without a database.');
  add(
    stream,
    result,
    'count',
    'Counts the frames behind a cursor, until SIGTERM or Ctrl-C.',
    (all, { cursor }) => countFrames({ ...all, cursor: cursorOf(cursor) }, untilSignal()),
    'count',
  ).requiredOption('--cursor <number>', 'the cursor');
  add(program, result, 'settings', 'Lists all settings.', () =>
    say(`The settings, from the environment or as flags such as --service-url:\n\n${help()}`),
  );
}

function cursorOf(text) {
  if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text);
  throw new Usage(`"${text}" is not what --cursor takes: a number from 0`);
}

const AFTER = `
PGHOST, PGPORT, PGDATABASE, PGUSER and PGPASSWORD (or ~/.pgpass) say where the database is.
"atid-indexer help COMMAND" describes a command and its settings, "atid-indexer settings" lists all
settings. Exit status: 0, done; 1, it failed, or what was checked is not right; 2, it was called
wrongly.`;

// The program, whose commands put their exit status into result.
function programOf(result) {
  const program = new Command('atid-indexer')
    .description(`atid-indexer ${VERSION}: an indexer of the AT Protocol on PostgreSQL`)
    .version(
      `${VERSION}\nThe database needs ${needed()}, or later.`,
      '--version',
      'show the version, and which versions of the extensions it needs',
    )
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show the help of a command')
    .addHelpText('after', AFTER)
    .exitOverride()
    .configureHelp({ helpWidth: WIDTH })
    .configureOutput({
      outputError: (text, write) => write(`atid-indexer: ${text.replace(/^error: /, '')}`),
    })
    .showHelpAfterError('Try "atid-indexer --help".');
  addPrograms(program, result);
  addOthers(program, result);
  addAccounts(program, result);
  addWants(program, result);
  addLexicons(program, result);
  return program;
}

export async function main(argv) {
  const result = { status: 0 };
  try {
    await programOf(result).parseAsync(argv, { from: 'user' });
    return result.status;
  } catch (e) {
    if (e instanceof CommanderError) return e.exitCode === 0 ? 0 : 2;
    warn(messageOf(e));
    if (e instanceof Usage) process.stderr.write('Try "atid-indexer --help".\n');
    return e instanceof Usage ? 2 : 1;
  }
}
