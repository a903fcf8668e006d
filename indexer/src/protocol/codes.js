// The codes of reasons, outcomes and failures, as sql/codes.sql has them for the database.
import { readFileSync } from 'node:fs';

const sql = readFileSync(new URL('../../sql/codes.sql', import.meta.url), 'utf8');

// By the code: { class, retry, words, remedy, of_list, status, checks, absent }.
export const CODES = Object.create(null);
for (const { code, ...more } of JSON.parse(/\$codes\$([^$]*)\$codes\$/.exec(sql)[1]))
  CODES[code] = Object.freeze({ words: code, checks: false, absent: false, ...more });
Object.freeze(CODES);

// What is known of a code. One that is not in the list is a mistake of the program.
export function codeOf(name) {
  if (!(name in CODES)) throw new TypeError(`there is no code ${name}`);
  return CODES[name];
}

// SQLSTATEs, and classes of them, of errors that are the server's own trouble.
export const SERVER_ERRORS = /server_errors\(\)[^']*'\{([^}]*)\}'/.exec(sql)[1].split(',');
