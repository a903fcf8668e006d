// Work with a connection, for commands.
import { connect } from '../db/connection.js';
import { SQLSTATE } from '../db/errors.js';
import { rowsOf } from '../db/query.js';
import { clean } from '../protocol/text.js';
import { Usage } from './settings.js';

/** @typedef {import('pg').Client} Client */
/** @typedef {{ lines: string[], ok: boolean }} Shown */

const TRIES = 5; // after a deadlock

/** @param {string} text */
export const say = (text) => {
  process.stdout.write(`${text}\n`);
  return 0;
};

/**
 * Does work with a connection.
 * @template T
 * @param {(client: Client) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withDatabase(work) {
  const client = await connect('command');
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/**
 * Prints what a function shows. Returns the exit status.
 * @param {(db: Client) => Promise<Shown>} work
 */
export const shown = (work) =>
  withDatabase(async (db) => {
    const { lines, ok } = await work(db);
    for (const line of lines) say(line);
    return ok ? 0 : 1;
  });

/**
 * @param {Client} db
 * @param {string} did
 */
async function needDid(db, did) {
  const [{ ok }] = await rowsOf(db, 'SELECT atid.did_is_valid($1) AS ok', [did]);
  if (!ok) throw new Usage(`"${clean(did, 300)}" is not a DID`);
}

/**
 * Prints what a function shows about an account. Returns the exit status.
 * @param {string} did
 * @param {(db: Client) => Promise<Shown>} work
 */
export const shownOf = (did, work) =>
  shown(async (db) => {
    await needDid(db, did);
    return work(db);
  });

/**
 * Runs a statement about an account, which returns a row, and reports that it is done. It is tried
 * again after a deadlock with a statement of the program.
 * @param {string} did
 * @param {string} statement
 * @param {any[]} values
 * @param {(row: any) => string} text
 */
export const doneTo = (did, statement, values, text) =>
  withDatabase(async (db) => {
    await needDid(db, did);
    for (let left = TRIES; ; left--) {
      try {
        const [row] = await rowsOf(db, statement, values);
        return say(text(row));
      } catch (e) {
        if (e.code !== SQLSTATE.deadlock || left === 0) throw e;
      }
    }
  });
