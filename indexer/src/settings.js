// The settings: one table. Each is read from the environment by its name, or from the flag of the same name in lower
// case, which wins. A setting that cannot be read is an error of usage.
import { isIP, isIPv4 } from 'node:net';
import { isLevel } from './log.js';

export class Usage extends Error {}

const url = (value) => {
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
const number = (least, most, whole = true) =>
  Object.assign(
    (value) => {
      const n = value.trim() === '' ? NaN : Number(value);
      return n >= least && n <= most && (!whole || Number.isInteger(n)) ? n : undefined;
    },
    { range: `a number from ${least} to ${most}` },
  );
const urls = (value) => {
  const all = value
    .split(',')
    .filter((one) => one.trim() !== '')
    .map((one) => url(one.trim()));
  return all.includes(undefined) ? undefined : all;
};
const origins = (value) => (value === '*' ? ['*'] : urls(value));
// Addresses and networks (10.0.0.0/8), or "none".
const isNetwork = (one) => {
  const [address, bits, more] = one.split('/');
  const most = isIPv4(address) ? 32 : 128;
  return isIP(address) && more === undefined && (bits === undefined || (/^\d{1,3}$/.test(bits) && bits <= most));
};
const networks = (value) => {
  const all = value.split(',').map((one) => one.trim());
  return value === 'none' || all.every(isNetwork) ? all : undefined;
};
const oneOf =
  (...values) =>
  (value) =>
    values.includes(value) ? value : undefined;
const STREAMS = ['com.atproto.sync.subscribeRepos', 'com.atproto.label.subscribeLabels'];

// name, what it takes, how it is read (undefined: it cannot be), default, help
export const TABLE = [
  ['SERVICE', 'URL', url, 'https://relay1.us-east.bsky.network', 'relay, PDS or labeler to follow'],
  [
    'STREAM',
    'NSID',
    oneOf(...STREAMS),
    STREAMS[0],
    'com.atproto.sync.subscribeRepos, or com.atproto.label.subscribeLabels of a labeler',
  ],
  [
    'NAMES',
    'URLs',
    urls,
    '',
    'further origins of a PDS, separated by commas, as the documents of its accounts have them',
  ],
  ['INSTEAD', 'URL', url, '', 'the server that SERVICE, a PDS, replaces, and whose accounts and records may go'],
  ['DIRECTORY', 'URL', url, 'https://plc.directory', 'PLC directory'],
  [
    'PRIVATE',
    null,
    oneOf('1', '', '0'),
    '',
    'let redirects and DIDs lead to private addresses; SERVICE and DIRECTORY always may',
  ],
  [
    'WORKERS',
    'number',
    number(1, 100),
    '4',
    'connections of the database that write repositories; as many write other answers',
  ],
  [
    'TAKERS',
    'number',
    number(1, 64),
    '1',
    'connections of the database that take frames of the stream, each for a part of the accounts',
  ],
  ['PLACES', 'number', number(8, 10000), '64', 'downloads at a time'],
  [
    'MEMORY',
    'bytes',
    number(1e6, 1e12),
    '512e6',
    'bytes of repositories in memory; beyond, all downloads but the oldest wait',
  ],
  ['LARGEST', 'bytes', number(1e3, 1e9), '300e6', 'bytes of a repository; a larger one is not loaded'],
  ['PATIENCE', 'seconds', number(1, 86400, false), '300', 'seconds that a download may take'],
  [
    'LEAST',
    'bytes/s',
    number(0, 1e9),
    '10000',
    'bytes a second below which a download is broken off after ten seconds',
  ],
  ['METRICS', 'port', number(1, 65535), '', 'port of /metrics for Prometheus and of /healthz; none unless it is set'],
  ['BIND', 'address', (v) => (isIP(v) ? v : undefined), '127.0.0.1', 'address of that port'],
  ['EVERY', 'seconds', number(0.1, 86400, false), '10', 'seconds between two lines of progress; one that says the same only after five minutes'],
  ['LEVEL', 'name', (v) => (isLevel(v) ? v : undefined), 'info', 'what is logged: error, info or debug'],
  ['ROLE', 'name', (v) => v, '', 'init: a role to create with the least rights that run needs'],
  ['API_SCHEMA', 'name', (v) => v, 'api', 'api, up: the schema of the views, which the API shows'],
  ['API_USER', 'name', (v) => v, 'reader', 'api, up: the login that reads them; its password is API_PASSWORD or in ~/.pgpass'],
  ['API_PORT', 'port', number(0, 65535), '5678', 'api, up: its port; 0 is any that is free'],
  ['API_BIND', 'address', (v) => (isIP(v) ? v : undefined), '127.0.0.1', 'api, up: its address'],
  ['API_ORIGINS', 'URLs', origins, '', 'api, up: origins of pages that may ask it besides its own at an address or localhost, by commas; or *'],
  [
    'API_PROXIES',
    'addresses',
    networks,
    '127.0.0.1,::1',
    'api, up: proxies in front, or their networks, by commas; other addresses have a bound each. Or none',
  ],
  ['API_SOCKETS', 'number', number(1, 100_000), '1000', 'api, up: WebSockets at a time'],
  [
    'DRY',
    'cursor',
    number(0, Number.MAX_SAFE_INTEGER),
    '',
    'run: only count the frames behind this cursor, without a database',
  ],
];

// The settings by name. An empty value is the default.
export function settings(flags = {}, env = process.env) {
  return Object.fromEntries(
    TABLE.map(([name, takes, read, standard]) => {
      const given = flags[name] ?? env[name];
      const value = given === undefined || given === '' ? standard : given;
      if (value === '' && standard === '') return [name, takes === null ? false : takes === 'URLs' ? [] : null];
      const result = read(value);
      if (result === undefined)
        throw new Usage(`"${value}" is not what ${name} takes: ${read.range ?? takes ?? '0 or 1'}`);
      return [name, takes === null ? result === '1' : result];
    }),
  );
}

export const flagOf = (name) => name.toLowerCase().replaceAll('_', '-');

export const help = () =>
  TABLE.map(([name, takes, , standard, text]) => {
    const flag = `--${flagOf(name)}${takes ? ` ${takes}` : ''}`;
    const otherwise = standard ? `\n${' '.repeat(37)}(default: ${standard})` : '';
    return `  ${name.padEnd(11)} ${flag.padEnd(22)} ${text}${otherwise}`;
  }).join('\n');
