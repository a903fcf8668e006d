// The log: an entry is a line with the time, the level, an event, and fields. Strangers cannot
// forge entries: each field is cleaned and limited in length.
import { clean } from '../protocol/text.js';

/** @typedef {keyof typeof import('./events.js').EVENTS} Event */
/** @typedef {'error' | 'warn' | 'info' | 'debug'} Level */
/** @typedef {Record<string, unknown>} Fields null and undefined are left out */
/**
 * @typedef {{ time: string, level: Level, event: string, fields: Record<string, string | number |
 *   boolean> }} Entry
 */

/** @type {Level[]} */
export const LEVELS = ['error', 'warn', 'info', 'debug'];
const MOST = 1000; // UTF-16 units of a field

let most = LEVELS.indexOf('info');

/** @param {string | number | boolean} value */
const quoted = (value) =>
  typeof value === 'string' && !/^[^\s"=\\]+$/u.test(value) ? JSON.stringify(value) : String(value);

// The formats of entries, by name.
/** @type {Record<string, (entry: Entry) => string>} */
const FORMATS = {
  text: ({ time, level, event, fields }) =>
    [time, level, event, ...Object.entries(fields).map(([k, v]) => `${k}=${quoted(v)}`)].join(' '),
  json: ({ time, level, event, fields }) => JSON.stringify({ time, level, event, ...fields }),
};
export const FORMAT_NAMES = Object.keys(FORMATS);
let format = FORMATS.text;

process.stdout.on('error', () => {}); // nobody reads it any longer

/** @param {Level} name */
export const setLevel = (name) => {
  most = LEVELS.indexOf(name);
};

/** @param {string} name */
export const setFormat = (name) => {
  format = FORMATS[name];
};

/**
 * @param {unknown} text
 * @param {number} length
 */
const line = (text, length) => clean(String(text).replace(/\s*\n\s*/g, ' '), length);

/**
 * @param {Fields} fields
 * @returns {Entry['fields']}
 */
const cleaned = (fields) =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) =>
        typeof value === 'number' || typeof value === 'boolean'
          ? [name, value]
          : [name, line(value, MOST)],
      ),
  );

/**
 * @param {Level} level
 * @param {Event} event
 * @param {Fields} [fields]
 */
function write(level, event, fields = {}) {
  if (LEVELS.indexOf(level) > most) return;
  const time = new Date().toISOString();
  const entry = { time, level, event, fields: cleaned(fields) };
  process.stdout.write(`${format(entry)}\n`);
}

// Strangers can cause some entries as often as they like. The first entry of a kind is logged;
// those that follow within a minute are counted, and the first one is logged again with their
// number. Beyond MOST_KINDS kinds at a time, all others count as one kind.
const WINDOW = 60e3; // ms
const MOST_KINDS = 50;
/**
 * @typedef {{ level: Level, event: Event, fields: Fields, more: number, timer: NodeJS.Timeout }}
 *   Counted
 */
/** @type {Map<string | null, Counted>} */
const kinds = new Map();

/** @param {string | null} kind */
function summarize(kind) {
  const one = kinds.get(kind);
  if (one === undefined) return;
  clearTimeout(one.timer);
  kinds.delete(kind);
  if (one.more === 0) return;
  const fields = { more: one.more, seconds: WINDOW / 1000 };
  if (kind === null) write(one.level, 'entries counted', fields);
  else write(one.level, one.event, { ...one.fields, ...fields });
}

/**
 * @param {Level} level
 * @param {Event} event
 * @param {Fields} [fields]
 * @param {string} [about] what distinguishes the kind; by default, all fields
 */
export function counted(level, event, fields = {}, about = JSON.stringify(cleaned(fields))) {
  const kind = `${event} ${about}`;
  const key = kinds.has(kind) || kinds.size < MOST_KINDS ? kind : null;
  const before = kinds.get(key);
  if (before) return void before.more++;
  write(level, event, fields);
  kinds.set(key, {
    level,
    event,
    fields: cleaned(fields),
    more: 0,
    timer: setTimeout(() => summarize(key), WINDOW).unref(),
  });
}

// Logs the counts that are not due yet, as the program ends.
export const flush = () => [...kinds.keys()].forEach(summarize);

/** @type {(event: Event, fields?: Fields) => void} */
export const error = (event, fields) => write('error', event, fields);
/** @type {(event: Event, fields?: Fields) => void} */
export const warn = (event, fields) => write('warn', event, fields);
/** @type {(event: Event, fields?: Fields) => void} */
export const info = (event, fields) => write('info', event, fields);
/** @type {(event: Event, fields?: Fields) => void} */
export const debug = (event, fields) => write('debug', event, fields);
