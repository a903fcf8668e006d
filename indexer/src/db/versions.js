// The version of the program, and the oldest versions of the extensions that it needs.
import { readFileSync } from 'node:fs';

const PACKAGE = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
/** @type {string} */
export const VERSION = PACKAGE.version;

/**
 * The oldest versions of the extensions that have what the functions call, by the extension's name.
 * @type {Record<string, string>}
 */
export const NEEDED = Object.fromEntries(
  Object.entries(PACKAGE.extensions).map(([name, range]) => [name, range.replace('>=', '')]),
);
export const needed = () =>
  Object.entries(NEEDED)
    .map((pair) => pair.join(' '))
    .join(' and ');

/**
 * @param {string | null} version
 * @param {string} [than]
 */
export function isNewer(version, than = VERSION) {
  /** @param {string | null} v */
  const numbers = (v) =>
    String(v)
      .split(/[.-]/)
      .map((part) => Number(part) || 0);
  const a = numbers(version);
  const b = numbers(than);
  const at = a.findIndex((n, i) => n !== (b[i] ?? 0));
  return at >= 0 && a[at] > (b[at] ?? 0);
}
