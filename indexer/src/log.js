// Lines of the log: one entry is one line of at most 2,000 characters, whatever it holds.
import { clean } from './border.js';

const LEVELS = ['error', 'info', 'debug'];
let most = LEVELS.indexOf('info');

process.stdout.on('error', () => {}); // nobody reads it any more

export const isLevel = (name) => LEVELS.includes(name);
export const setLevel = (name) => {
  most = LEVELS.indexOf(name);
};

function write(level, text) {
  if (LEVELS.indexOf(level) > most) return;
  process.stdout.write(
    `${new Date().toISOString()} ${level === 'info' ? '' : `${level}: `}${clean(String(text), 2000)}\n`,
  );
}

export const error = (text) => write('error', text);
export const info = (text) => write('info', text);
export const debug = (text) => write('debug', text);
