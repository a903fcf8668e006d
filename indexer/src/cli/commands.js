// The commands that show or change what is in the database.
import { Argument } from 'commander';
import { check } from './check.js';
import { add } from './command-line.js';
import { doneTo, shown, shownOf } from './database-commands.js';
import { explain } from './explain.js';
import { feeds, indexFeed, publishFeed } from './feeds.js';
import { INCLUDE, included } from './include.js';
import { listLexicons, storeFiles } from './lexicon-commands.js';
import { WANTS } from '../work/list-kinds.js';
import { packRecords } from './pack.js';
import { Usage } from './settings.js';
import { status } from './status.js';
import { addWant, listWants, removeWant } from './wants.js';

/** @typedef {import('commander').Command} Command */
/** @typedef {import('./command-line.js').Result} Result */

const KINDS = Object.keys(WANTS);
const WHAT = () =>
  new Argument('<what>', 'what is wanted').choices(KINDS).argParser((what) => {
    if (!KINDS.includes(what))
      throw new Usage(`invalid value "${what}" for <what>: it takes ${KINDS.join(', ')}`);
    return what;
  });
const VALUE = () => {
  const values = Object.entries(WANTS).map(([what, { help }]) => `of ${what} ${help}; `);
  return new Argument('<value>', `${values.join('')}"*" means all accounts or all collections`);
};

/**
 * @param {Command} program
 * @param {Result} result
 */
export function addAccounts(program, result) {
  add(program, result, {
    words: 'explain <did>',
    help: 'Explains why an account is there, or not.',
    work: (did) => shownOf(did, (db) => explain(db, did)),
  });
  add(program, result, {
    words: 'exclude <did> [why]',
    help: `Keeps an account out, whatever the network says. Its records are deleted; references of
others to it stay.`,
    work: (did, why) =>
      doneTo(
        did,
        'SELECT indexer.exclude_account($1, $2)',
        [did, why ?? null],
        () => `${did} is excluded.`,
      ),
  });
  add(program, result, {
    words: 'include <did>',
    help:
      'Ends the exclusion of an account. It comes back if it is wanted and the network ' +
      'has it.',
    work: (did) => doneTo(did, INCLUDE, [did], (row) => included(did, row)),
  });
  add(program, result, {
    words: 'forget <did>',
    help: `Keeps an account out, and deletes all data about it: its records, identity, labels,
references to it, and frames. Only its exclusion stays. Cleaning backups, and what
applications have read, is up to you.`,
    work: (did) =>
      doneTo(did, 'SELECT indexer.forget_account($1)', [did], () => `${did} is forgotten.`),
  });
  add(program, result, {
    words: 'reload <did>',
    help: 'Loads an account again. Its records are written again, with their references.',
    work: (did) =>
      doneTo(
        did,
        'SELECT indexer.reload_account($1)',
        [did],
        () => `The running program loads ${did} again.`,
      ),
  });
  add(program, result, {
    words: 'check <did>',
    help: `Compares an account's records with what it has signed. Computes the root of the tree of
the records, and compares it with the root that the account has signed. Exit status 1 if
they differ.`,
    work: (did) => shownOf(did, (db) => check(db, did)),
  });
}

/**
 * @param {Command} program
 * @param {Result} result
 */
export function addWants(program, result) {
  const want = program
    .command('want')
    .summary('Lists and changes what is wanted')
    .description('Lists and changes what is wanted. The running program follows within seconds.');
  add(want, result, {
    words: 'list',
    help: 'Lists what is wanted.',
    work: () => shown((db) => listWants(db)),
  });
  /**
   * @param {string} name
   * @param {string} text
   * @param {(db: import('pg').Client, what: string, value: string) =>
   *   Promise<import('./database-commands.js').Shown>} work
   */
  const change = (name, text, work) =>
    add(want, result, {
      words: name,
      help: text,
      work: (what, value) => shown((db) => work(db, what, value)),
    })
      .addArgument(WHAT())
      .addArgument(VALUE());
  change('add', 'Adds to what is wanted.', addWant);
  change('remove', 'Removes from what is wanted.', removeWant);
}

/**
 * @param {Command} program
 * @param {Result} result
 */
export function addLexicons(program, result) {
  const lexicon = program
    .command('lexicon')
    .summary('Lists and stores Lexicons')
    .description(
      'Lists and stores the Lexicons by which records are judged when they are written ' +
        '(record.conforms). Existing records are not judged again: reload their accounts.',
    );
  add(lexicon, result, {
    words: 'list',
    help: 'Lists the Lexicons, and those that are missing.',
    work: () => shown((db) => listLexicons(db)),
  });
  add(lexicon, result, {
    words: 'add <files...>',
    help: `Stores Lexicons. A file can be a folder of *.json. A Lexicon replaces the one of the
same NSID. Lexicons that these need, such as com.atproto.repo.strongRef, are taken from
the package if it has them; others are listed as missing. The views stay as they are.`,
    work: (files) => shown((db) => storeFiles(db, files)),
  });
}

/**
 * @param {Command} program
 * @param {Result} result
 */
export function addFeeds(program, result) {
  const feed = program
    .command('feed')
    .summary('Lists, indexes and publishes feeds')
    .description('Lists, indexes and publishes feeds, which are views in the schema feed.');
  add(feed, result, {
    words: 'list',
    help: `Lists the feeds, and the cost of a page of each. Exit status 1 if one cannot be served.`,
    work: () => shown((db) => feeds(db)),
  });
  add(feed, result, {
    words: 'index <name>',
    help: `Creates an index for a feed. It has only the rows of the feed, in the order of its
pages. Others can write meanwhile. Run it again when the view has changed.`,
    work: (name) => shown((db) => indexFeed(db, name)),
  });
  add(feed, result, {
    words: 'publish <name>',
    help: `Publishes a feed. Writes its record into the repository of an account, whose handle and
app password it asks for.`,
    work: (name, all, options) => shown((db) => publishFeed(db, name, all, options)),
    settings: 'publish',
  })
    .option('--title <text>', 'the name of the feed in applications')
    .option('--description <text>', 'a description of the feed')
    .option('--avatar <file>', 'a picture, .png or .jpg');
}

/**
 * @param {Command} program
 * @param {Result} result
 */
export function addChecks(program, result) {
  add(program, result, {
    words: 'status',
    help: `Shows the streams, the accounts by state, and what is in trouble. Also shows how long a
backfill still takes, and what you can do. Exit status 1 if a stream does not move or
makes no sense.`,
    work: () => shown((db) => status(db)),
  });
  add(program, result, {
    words: 'pack',
    help: `Packs the records and references that an earlier release has stored. The stream goes on,
and the tables can be read, also by views and feeds. Only the last step for each table has
others wait, while it reads the table once. If it is broken off, run it again.`,
    work: () => shown((db) => packRecords(db)),
  });
  add(program, result, {
    words: 'verify <file> [did]',
    help: `Verifies a repository in a CAR file. Shows whether it is whole, who has signed it, how
many records it has, and which blobs they name. The database needs only the extensions.
The keys are those that the database has for the account, else those of its log in the
directory, or --key. Exit status 0 only if it is whole and signed by the account's
present key.`,
    work: async (file, did, all, { key }) => {
      const { verify } = await import('./verify.js');
      return shown((db) => verify(db, file, did, key, all));
    },
    settings: 'verify',
  }).option('--key <did:key>', 'the key that must have signed it');
}
