// Work with a connection, for commands.
import { connect } from '../db/connection.js';
import { SQLSTATE } from '../db/errors.js';

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
 * Runs a statement and reports that it is done. It is tried again after a deadlock with a statement
 * of the program.
 * @param {string} statement
 * @param {any[]} values
 * @param {string} text
 */
export const done = (statement, values, text) =>
  withDatabase(async (db) => {
    for (let left = TRIES; ; left--) {
      try {
        await db.query(statement, values);
        return say(text);
      } catch (e) {
        if (e.code !== SQLSTATE.deadlock || left === 0) throw e;
      }
    }
  });
