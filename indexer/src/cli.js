// The command line.
//
// Exit statuses: 0, done; 1, it failed, or what was checked is not right; 2, it was called wrongly.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Problem, connect, told } from './database.js';
import * as log from './log.js';
import { checkLogin } from './login.js';
import { run } from './run.js';
import { VERSION, install, needed } from './schema.js';
import { TABLE, Usage, flagOf, help, settings } from './settings.js';
import * as show from './status.js';
import { up } from './up.js';

const SAME_SIGNAL = 1000; // ms

const say = (text) => {
  process.stdout.write(`${text}\n`);
  return 0;
};

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

const DEADLOCK = '40P01';

// Runs a statement and says that it is done. After a deadlock with what the program writes it is tried again.
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

// Is aborted by SIGTERM or Ctrl-C, and when "up", which has started it, is there no more. A further signal, whichever it
// is, ends the program at once; but one that comes right behind the first is the same: a terminal or a supervisor sends
// it to all processes, and "up" to those that it has started.
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

// The API, whose packages are apart. They take a while to load, so who does not serve asks only whether they are there.
const API = new URL('./api/server.js', import.meta.url);
function checkApi() {
  try {
    createRequire(API).resolve('postgraphile');
  } catch {
    const folder = fileURLToPath(new URL('.', API));
    throw new Problem(`The packages of the API are not there. Get them by: npm ci --ignore-scripts --prefix ${folder}`);
  }
}
async function serveApi(all) {
  checkApi();
  await withDatabase((db) => checkLogin(db, all));
  process.env.NODE_ENV ??= 'production'; // what the packages look for
  const { api } = await import(API);
  return api(all, untilSignal());
}

// name: [arguments, help, how many arguments (least, most), work(arguments, settings, flags)]
const COMMANDS = {
  init: [
    '[--role NAME] [--citus]',
    `Makes the extensions, if they are not there and the role may, and the schema indexer.
--role creates a role with the least rights that run needs. --citus distributes the tables.`,
    0,
    0,
    (args, { ROLE }, { citus }) =>
      withDatabase(async (client) => {
        await install(client, { role: ROLE, citus, fresh: true });
        say(`The schema indexer is made, of version ${VERSION}.`);
      }),
  ],
  upgrade: [
    '[--role NAME]',
    `Brings the schema indexer up to this version, in one transaction: what the migrations that are missing make, and
all functions anew. What you have added to it stays. The schema must be of version 1.3.0 or later.
Stop "atid-indexer run" before.`,
    0,
    0,
    (args, { ROLE }) =>
      withDatabase(async (client) => {
        const { before } = await install(client, { role: ROLE, fresh: false });
        say(`The schema indexer is of version ${VERSION}; it was of version ${before.version}.`);
      }),
  ],
  run: [
    '',
    `Follows the stream of SERVICE and keeps the tables up to date, until SIGTERM or Ctrl-C: then it ends after the
transactions that run, within 15 seconds, and at once at another signal.`,
    0,
    0,
    (args, all) => run(all, untilSignal()),
  ],
  api: [
    '',
    `Serves GraphQL of the views in the schema API_SCHEMA at /graphql, with subscriptions, and a page to try queries on
at /. It needs packages of its own, and says how to get them. API_USER may read that schema and nothing else, or it
refuses to start; PGUSER, who follows the changes, has the rights of init --role.`,
    0,
    0,
    (args, all) => serveApi(all),
  ],
  up: [
    'LEXICONS SERVICE',
    `From Lexicons to an API in one command: makes the schema, stores the Lexicons (a file, or all *.json of a folder),
wants their records, makes views with indexes and the login that reads them, and then does what run and api do. It
makes what is missing, so it can be run again. It takes the right to temporary tables from PUBLIC in this database.
The role needs CREATEROLE, and the extensions or the right to create them.`,
    2,
    2,
    ([lexicons, service], all) => {
      const { SERVICE } = settings({ SERVICE: service }, {});
      checkApi();
      return up(lexicons, { ...all, SERVICE }, untilSignal(), say);
    },
  ],
  status: [
    '',
    `Shows the streams, the accounts by state, how long a backfill still takes, who is in trouble and what one can do.
Exit status 1 if a stream does not move or makes no sense.`,
    0,
    0,
    () => shown((db) => show.status(db)),
  ],
  explain: ['DID', 'Says why an account is there, or not.', 1, 1, ([did]) => shown((db) => show.explain(db, did))],
  want: [
    'list | add WHAT VALUE | remove WHAT VALUE',
    `What is wanted. WHAT and VALUE are: account and a DID; collection and an NSID, or com.example.* for all
below; signal and an NSID, for the accounts that have such records. VALUE "*" is all accounts, or all collections.
The program that runs follows within seconds.`,
    1,
    3,
    ([verb, ...rest]) => {
      if (verb === 'list' && rest.length === 0) return shown((db) => show.wants(db));
      if (verb === 'add' && rest.length === 2) return shown((db) => show.want(db, ...rest));
      if (verb === 'remove' && rest.length === 2) return shown((db) => show.unwant(db, ...rest));
      throw new Usage(`it is: ${usage('want')}`);
    },
  ],
  exclude: [
    'DID [WHY]',
    `Keeps an account out, whatever the network says. Its records go; what others have pointed at it stays.`,
    1,
    2,
    (args) => done('SELECT indexer.exclude($1, $2)', [args[0], args[1] ?? null], `${args[0]} is excluded.`),
  ],
  include: [
    'DID',
    'Lets an account in again that was excluded. It comes back if it is wanted and the network has it.',
    1,
    1,
    ([did]) => done('SELECT indexer.include($1)', [did], `${did} is excluded no more.`),
  ],
  forget: [
    'DID',
    `Keeps an account out, and deletes all that is about it: records, identity, labels, references to it, frames.
Only that it is excluded stays. Backups, and what applications have read, are yours to clean.`,
    1,
    1,
    ([did]) => done('SELECT indexer.forget($1)', [did], `${did} is forgotten.`),
  ],
  reload: [
    'DID',
    'Loads an account again, and writes its records anew, with their references.',
    1,
    1,
    ([did]) => done('SELECT indexer.reload($1)', [did], `${did} is loaded again by the program that runs.`),
  ],
  check: [
    'DID',
    `Computes the root of the tree of an account's records and compares it with the one that the account has signed.
Exit status 1 if they differ.`,
    1,
    1,
    ([did]) => shown((db) => show.check(db, did)),
  ],
  lexicon: [
    'list | add FILE...',
    `The Lexicons by which records are judged when they are written (record.conforms). One whose NSID is there takes
its place. Records that are there are not judged anew: reload their accounts. FILE can be a folder
of *.json. Lexicons that these need, such as com.atproto.repo.strongRef, are taken from the package
if it has them; others are listed as missing.`,
    1,
    Infinity,
    ([verb, ...files]) => {
      if (verb === 'list' && files.length === 0) return shown((db) => show.lexicons(db));
      if (verb === 'add' && files.length > 0) return shown((db) => show.addLexicons(db, files));
      throw new Usage(`it is: ${usage('lexicon')}`);
    },
  ],
  verify: [
    'FILE [DID] [--key did:key:...]',
    `Verifies a repository in a CAR file: that it is whole, who has signed it, how many records it has, and which blobs
they name. The database needs the extensions only. Keys are those that the database knows of the account, else those
of its log in DIRECTORY, or --key. Exit status 0 only if it is whole and signed by the key that the account has now.`,
    1,
    2,
    ([file, did], all, { key }) => shown((db) => show.verify(db, file, did, key, all)),
  ],
};

const usage = (name) => `atid-indexer ${name} ${COMMANDS[name][0]}`.trim();
const overview = () => `atid-indexer ${VERSION}: an indexer of the AT Protocol on PostgreSQL

${Object.keys(COMMANDS)
  .map((name) => `  ${usage(name)}`)
  .join('\n')}

"atid-indexer COMMAND --help" says more. PGHOST, PGPORT, PGDATABASE, PGUSER and PGPASSWORD (or ~/.pgpass) say where the
database is. Settings, from the environment or as flags:

${help()}

Exit status: 0, done; 1, it failed, or what was checked is not right; 2, it was called wrongly.`;

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
  citus: { type: 'boolean' },
  key: { type: 'string' },
  ...Object.fromEntries(
    TABLE.map(([name, takes]) => [flagOf(name), { type: takes === null ? 'boolean' : 'string' }]),
  ),
};

export async function main(argv) {
  try {
    let parsed;
    try {
      parsed = parseArgs({ args: argv, options: OPTIONS, allowPositionals: true });
    } catch (e) {
      throw new Usage(e.message.split('. ')[0]);
    }
    const {
      values,
      positionals: [name, ...args],
    } = parsed;
    if (values.version) return say(`${VERSION}\nThe database needs ${needed()}, or later.`);
    if (name === undefined || (name === 'help' && args.length === 0)) {
      if (!values.help && name === undefined) throw new Usage('a command is missing');
      return say(overview());
    }
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : null;
    if (!command) throw new Usage(`there is no command "${name}"`);
    const [, text, least, most, work] = command;
    if (values.help)
      return say(`${usage(name)}\n\n${text}\n\nSettings, from the environment or as flags:\n\n${help()}`);
    if (args.length < least || args.length > most) throw new Usage(`it is: ${usage(name)}`);
    const flags = Object.fromEntries(
      TABLE.filter(([n]) => values[flagOf(n)] !== undefined).map(([n, takes]) => [
        n,
        takes === null ? '1' : values[flagOf(n)],
      ]),
    );
    const all = settings(flags);
    log.setLevel(all.LEVEL);
    return (await work(args, all, values)) ?? 0;
  } catch (e) {
    process.stderr.write(`atid-indexer: ${told(e)}\n`);
    if (e instanceof Usage) process.stderr.write('Try "atid-indexer --help".\n');
    return e instanceof Usage ? 2 : 1;
  }
}
