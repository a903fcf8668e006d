// Values of settings: each reader returns the value of a text, or undefined if it is invalid.
import { isIP, isIPv4 } from 'node:net';

/**
 * range: the values that it takes, in words.
 * @template T
 * @typedef {((value: string) => T | undefined) & { range?: string }} Reader
 */
/** @typedef {Record<string, number>} Units */

/** @type {Reader<string>} */
export const url = (value) => {
  const at = URL.canParse(value) ? new URL(value) : null;
  return at &&
    /^https?:$/.test(at.protocol) &&
    !at.username &&
    !at.password &&
    !at.search &&
    !at.hash &&
    at.pathname === '/'
    ? at.origin
    : undefined;
};
/** @type {Reader<string>} */
export const did = (value) => (/^did:(?:web|plc):[a-zA-Z0-9.%-]+$/.test(value) ? value : undefined);
/** @type {Reader<string[]>} */
export const urls = (value) => {
  const all = value
    .split(',')
    .filter((one) => one.trim() !== '')
    .map((one) => url(one.trim()));
  return all.every((one) => one !== undefined) ? all : undefined;
};
/** @type {Reader<string[]>} */
export const origins = (value) => (value === '*' ? ['*'] : urls(value));
/** @type {Reader<string>} */
export const text = (value) => value;
/** @type {Reader<string>} */
export const address = (value) => (isIP(value) ? value : undefined);

// Addresses and networks (10.0.0.0/8), or "none".
/** @param {string} one */
const isNetwork = (one) => {
  const [address, bits, more] = one.split('/');
  const most = isIPv4(address) ? 32 : 128;
  return (
    isIP(address) &&
    more === undefined &&
    (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most))
  );
};
/** @type {Reader<string[]>} */
export const networks = (value) => {
  const all = value.split(',').map((one) => one.trim());
  return value === 'none' || all.every(isNetwork) ? all : undefined;
};

/** @type {Units} */
const SECONDS = { '': 1, s: 1, m: 60, h: 3600, d: 86400 };
/** @type {Units} */
const BYTES = { '': 1, kB: 1e3, MB: 1e6, GB: 1e9 };

/**
 * A number with one of these units, within these bounds, which have units as well.
 * @param {Units} units
 * @param {string} least
 * @param {string} most
 * @returns {Reader<number>}
 */
const quantity = (units, least, most, { whole = true } = {}) => {
  /** @param {string} value */
  const read = (value) => {
    const [, digits, unit] = /^\s*(\S*?)\s*([a-zA-Z]*)\s*$/.exec(value) ?? [];
    if (!digits || !Object.hasOwn(units, unit)) return undefined;
    return Number((Number(digits) * units[unit]).toPrecision(15));
  };
  const low = /** @type {number} */ (read(least));
  const high = /** @type {number} */ (read(most));
  return Object.assign(
    (/** @type {string} */ value) => {
      const n = read(value);
      if (n === undefined) return undefined;
      return n >= low && n <= high && (!whole || Number.isInteger(n)) ? n : undefined;
    },
    { range: `from ${least} to ${most}` },
  );
};
/**
 * @param {number} least
 * @param {number} most
 */
export const number = (least, most) => {
  const read = quantity({ '': 1 }, String(least), String(most));
  return Object.assign(read, { range: `a number ${read.range}` });
};
/**
 * @param {string} least
 * @param {string} most
 * @param {string} [examples]
 */
export const time = (least, most, examples = '90s, 5m or 1h') => {
  const read = quantity(SECONDS, least, most, { whole: false });
  return Object.assign(read, { range: `a time ${read.range}, such as ${examples}` });
};
/**
 * @param {string} least
 * @param {string} most
 */
export const size = (least, most) => {
  const read = quantity(BYTES, least, most);
  return Object.assign(read, { range: `a size ${read.range}, such as 500kB, 64MB or 1GB` });
};

/**
 * One of these words, each with its value.
 * @template T
 * @param {Record<string, T>} values
 * @param {string} range
 * @returns {Reader<T>}
 */
export const words = (values, range) =>
  Object.assign(
    (/** @type {string} */ value) => (Object.hasOwn(values, value) ? values[value] : undefined),
    { range },
  );
export const yesNo = words({ true: true, false: false, 1: true, 0: false }, 'true or false');
/** @param {string[]} all */
export const names = (all) =>
  words(Object.fromEntries(all.map((name) => [name, name])), all.join(', '));
