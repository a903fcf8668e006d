// Lines of the log: one entry is one line of at most 2,000 characters, whatever it holds.
import { clean } from '../protocol/text.js';

export const LEVELS = ['error', 'info', 'debug'];
let most = LEVELS.indexOf('info');

// How an entry is written, by the names of the formats.
const FORMATS = {
  text: (time, level, text) => `${time} ${level === 'info' ? '' : `${level}: `}${text}`,
  json: (time, level, message) => JSON.stringify({ time, level, message }),
};
export const FORMAT_NAMES = Object.keys(FORMATS);
let format = FORMATS.text;

process.stdout.on('error', () => {}); // nobody reads it any more

export const setLevel = (name) => {
  most = LEVELS.indexOf(name);
};

export const setFormat = (name) => {
  format = FORMATS[name];
};

function write(level, text) {
  if (LEVELS.indexOf(level) > most) return;
  const line = clean(String(text).replace(/\s*\n\s*/g, ' '), 2000);
  process.stdout.write(`${format(new Date().toISOString(), level, line)}\n`);
}

// What strangers can cause as often as they like: the first line of a kind is logged, and those
// that follow within a minute are counted. Beyond KINDS at a time all others are of one kind.
const WINDOW = 60e3; // ms
const KINDS = 50;
const kinds = new Map(); // kind: { level, text, more, timer }

function summarize(kind) {
  const { level, text, more, timer } = kinds.get(kind);
  clearTimeout(timer);
  kinds.delete(kind);
  if (more > 0) write(level, `${more} more within ${WINDOW / 1000} s: ${text}`);
}

export function counted(level, text, kind = text) {
  const key = kinds.has(kind) || kinds.size < KINDS ? kind : null;
  const before = kinds.get(key);
  if (before) return void before.more++;
  write(level, text);
  kinds.set(key, {
    level,
    text: key === null ? 'messages of further kinds' : text,
    more: 0,
    timer: setTimeout(() => summarize(key), WINDOW).unref(),
  });
}

// Logs the counts that are due later: the program ends.
export const flush = () => [...kinds.keys()].forEach(summarize);

export const error = (text) => write('error', text);
export const info = (text) => write('info', text);
export const debug = (text) => write('debug', text);
