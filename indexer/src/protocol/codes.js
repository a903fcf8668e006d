// The codes of reasons, outcomes and failures, read from sql/codes.sql.
import { readFileSync } from 'node:fs';

const sql = readFileSync(new URL('../../sql/codes.sql', import.meta.url), 'utf8');

/** @param {RegExp} pattern */
const find = (pattern) => /** @type {string[]} */ (pattern.exec(sql))[1];

/**
 * @typedef {{ class: string, retry: string, words: string, remedy: string, of_list?: boolean,
 *   status?: string, checks: boolean, absent: boolean }} Code
 */

/**
 * The properties of each code.
 * @type {Record<string, Code>}
 */
export const CODES = Object.create(null);
for (const { code, ...more } of JSON.parse(find(/\$codes\$([^$]*)\$codes\$/)))
  CODES[code] = Object.freeze({ words: code, checks: false, absent: false, ...more });
Object.freeze(CODES);

/**
 * The properties of a code. A code that is not in the list is a mistake in the program.
 * @param {string} name
 */
export function codeOf(name) {
  if (!(name in CODES)) throw new TypeError(`there is no code ${name}`);
  return CODES[name];
}

// SQLSTATEs, or classes of them, of errors that are the server's own trouble.
export const SERVER_ERRORS = find(/server_errors\(\)[^']*'\{([^}]*)\}'/).split(',');
