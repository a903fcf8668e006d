// The files of sql/: migrations, each of which is run once and never changes, and files of
// functions, which each upgrade runs again. install.sql has their order.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** @typedef {{ name: string, n: number | null }} SqlFile n: the number of a migration */

const SQL = new URL('../../sql/', import.meta.url);
/** @param {string} name */
const read = (name) => readFileSync(new URL(name, SQL), 'utf8');

/**
 * A file with lines \ir is a list of names relative to sql/, and has nothing else.
 * @param {string} list
 * @returns {SqlFile[]}
 */
function listFiles(list = 'install.sql') {
  return [...read(list).matchAll(/^\\ir\s+(\S+)\s*$/gm)].flatMap(([, name]) => {
    const n = /^migrations\/(\d+)\.sql$/.exec(name)?.[1];
    const named = listFiles(name);
    return named.length > 0 ? named : [{ name, n: n === undefined ? null : Number(n) }];
  });
}

/**
 * The files, the number of the newest migration, and the SHA-256 of the files of functions.
 * @typedef {{ files: SqlFile[], newest: number, digest: string }} Installation
 */

/** @type {Installation | null} */
let own = null;

// The version of the schema that belongs to this program. It is read once: the files may be
// replaced while the program runs.
export function ownInstallation() {
  if (own !== null) return own;
  const files = listFiles();
  const digest = createHash('sha256');
  for (const { name, n } of files) if (n === null) digest.update(`${name}\n${read(name)}`);
  const newest = Math.max(...files.map(({ n }) => n ?? 0));
  own = { files, newest, digest: digest.digest('hex') };
  return own;
}

/**
 * Runs a file. If one of several statements in a message changes a distributed table, Citus sends
 * all of them to its workers: so a migration is sent in parts.
 * @param {import('./query.js').Queryable} client
 * @param {string} name
 * @param {boolean} [inParts]
 */
export async function runFile(client, name, inParts = false) {
  const text = read(name);
  try {
    for (const part of inParts ? parts(text) : [text]) await client.query(part);
  } catch (/** @type {any} */ e) {
    if (e.severity) e.message = `${name}: ${e.message}`;
    throw e;
  }
}

/**
 * The parts between the lines "--> next" of a file.
 * @param {string} text
 */
export const parts = (text) => text.split(/^--> next$/m);
