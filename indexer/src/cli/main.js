// The command line.
//
// Exit statuses: 0, done; 1, it failed, or a check found a fault; 2, it was called wrongly.
import { Command, CommanderError } from 'commander';
import { applyDatabaseUrl } from '../db/database-url.js';
import { messageOf } from '../db/errors.js';
import { needed, VERSION } from '../db/versions.js';
import { warnUser } from './command-line.js';
import { addAccounts, addChecks, addFeeds, addLexicons, addWants } from './commands.js';
import { addPrograms, addStream } from './programs.js';
import { Usage } from './settings.js';

/** @typedef {import('./command-line.js').Result} Result */

const WIDTH = 100; // columns of the help

const AFTER = `
PGHOST, PGPORT, PGDATABASE, PGUSER and PGPASSWORD (or ~/.pgpass) define where the database is, or
ATID_DATABASE_URL, as postgresql://user:password@host:5432/database?sslmode=require.
"atid-indexer help COMMAND" describes a command and its settings, "atid-indexer settings" lists all
settings. Exit status: 0, done; 1, it failed, or what was checked is not right; 2, it was called
wrongly.`;

/**
 * Reads the file of variables, and ATID_DATABASE_URL.
 * @param {string | undefined} file
 */
function readEnvironment(file) {
  try {
    if (file !== undefined) process.loadEnvFile(file);
  } catch (e) {
    const why = e.code === 'ENOENT' ? 'there is no such file' : e.message;
    throw new Usage(`--env-file ${file}: ${why}`);
  }
  try {
    applyDatabaseUrl();
  } catch (e) {
    throw new Usage(e.message);
  }
}

/**
 * The program, whose commands put their exit status into result.
 * @param {Result} result
 */
function programOf(result) {
  const program = new Command('atid-indexer')
    .description(`atid-indexer ${VERSION}: an indexer of the AT Protocol on PostgreSQL`)
    .version(
      `${VERSION}\nThe database needs ${needed()}, or later.`,
      '--version',
      'show the version, and which versions of the extensions it needs',
    )
    .option('--env-file <file>', 'read variables from a file, except those that are already set')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show the help of a command')
    .addHelpText('after', AFTER)
    .exitOverride()
    .configureHelp({ helpWidth: WIDTH })
    .configureOutput({
      outputError: (text, write) => write(`atid-indexer: ${text.replace(/^error: /, '')}`),
    })
    .showHelpAfterError('Try "atid-indexer --help".')
    .hook('preAction', () => readEnvironment(program.opts().envFile));
  addPrograms(program, result);
  addChecks(program, result);
  addStream(program, result);
  addAccounts(program, result);
  addWants(program, result);
  addLexicons(program, result);
  addFeeds(program, result);
  return program;
}

/**
 * @param {string[]} argv
 */
export async function main(argv) {
  const result = { status: 0 };
  try {
    await programOf(result).parseAsync(argv, { from: 'user' });
    return result.status;
  } catch (e) {
    if (e instanceof CommanderError) return e.exitCode === 0 ? 0 : 2;
    warnUser(messageOf(e));
    if (e instanceof Usage) process.stderr.write('Try "atid-indexer --help".\n');
    return e instanceof Usage ? 2 : 1;
  }
}
