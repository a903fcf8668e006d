// The settings of the program: one table. A setting is read from the environment by its name with
// the prefix ATID_, or from the flag of that name in lower case, which wins. A value that cannot be
// read is an error of usage.
//
// Until 3.0 a name that a setting had before 2.0 is read too, with a warning, unless the new one is
// set.
import { isIP, isIPv4 } from 'node:net';
import { FORMAT_NAMES, LEVELS } from '../ops/log.js';

export class Usage extends Error {}

const PREFIX = 'ATID_';

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
const urls = (value) => {
  const all = value
    .split(',')
    .filter((one) => one.trim() !== '')
    .map((one) => url(one.trim()));
  return all.includes(undefined) ? undefined : all;
};
const origins = (value) => (value === '*' ? ['*'] : urls(value));
const text = (value) => value;
const address = (value) => (isIP(value) ? value : undefined);

// Addresses and networks (10.0.0.0/8), or "none".
const isNetwork = (one) => {
  const [address, bits, more] = one.split('/');
  const most = isIPv4(address) ? 32 : 128;
  return (
    isIP(address) &&
    more === undefined &&
    (bits === undefined || (/^\d{1,3}$/.test(bits) && bits <= most))
  );
};
const networks = (value) => {
  const all = value.split(',').map((one) => one.trim());
  return value === 'none' || all.every(isNetwork) ? all : undefined;
};

const SECONDS = { '': 1, s: 1, m: 60, h: 3600 };
const BYTES = { '': 1, kB: 1e3, MB: 1e6, GB: 1e9 };

// A number with one of these units, within these bounds, which are written in the same way.
const quantity = (units, least, most, { whole = true } = {}) => {
  const read = (value) => {
    const [, digits, unit] = /^\s*(\S*?)\s*([a-zA-Z]*)\s*$/.exec(value) ?? [];
    if (!digits || !Object.hasOwn(units, unit)) return undefined;
    return Number((Number(digits) * units[unit]).toPrecision(15));
  };
  const [low, high] = [read(least), read(most)];
  return Object.assign(
    (value) => {
      const n = read(value);
      return n >= low && n <= high && (!whole || Number.isInteger(n)) ? n : undefined;
    },
    { range: `from ${least} to ${most}` },
  );
};
const number = (least, most) => {
  const read = quantity({ '': 1 }, String(least), String(most));
  return Object.assign(read, { range: `a number ${read.range}` });
};
const time = (least, most) => {
  const read = quantity(SECONDS, least, most, { whole: false });
  return Object.assign(read, { range: `a time ${read.range}, such as 90s, 5m or 1h` });
};
const size = (least, most) => {
  const read = quantity(BYTES, least, most);
  return Object.assign(read, { range: `a size ${read.range}, such as 500kB, 64MB or 1GB` });
};

// Each value by the words for it.
const words = (values, range) =>
  Object.assign((value) => (Object.hasOwn(values, value) ? values[value] : undefined), { range });
const yesNo = words({ true: true, false: false, 1: true, 0: false }, 'true or false');
const names = (all) => words(Object.fromEntries(all.map((name) => [name, name])), all.join(', '));

// The streams that can be followed, by their kinds.
export const STREAMS = {
  repos: 'com.atproto.sync.subscribeRepos',
  labels: 'com.atproto.label.subscribeLabels',
};
// The name by which the database knows a stream.
export const streamName = ({ SERVICE_URL, STREAM_KIND }) =>
  `${SERVICE_URL} ${STREAMS[STREAM_KIND]}`;
const kinds = words(
  { repos: 'repos', labels: 'labels', [STREAMS.repos]: 'repos', [STREAMS.labels]: 'labels' },
  'repos or labels',
);

// The name, the name before 2.0 (null: none), what it takes (null: its flag takes nothing), how it
// is read (undefined: it cannot be), the default, the help.
const table = (rows) =>
  rows.map(([name, old, takes, read, standard, help]) => {
    return { name, old, takes, read, standard, help };
  });

const OF_SERVICE = table([
  [
    'SERVICE_URL',
    'SERVICE',
    'URL',
    url,
    'https://relay1.us-east.bsky.network',
    'relay, PDS or labeler to follow',
  ],
  [
    'STREAM_KIND',
    'STREAM',
    'kind',
    kinds,
    'repos',
    'what to follow: repos, or labels of a labeler',
  ],
]);
const OF_PLC = table([
  ['PLC_URL', 'DIRECTORY', 'URL', url, 'https://plc.directory', 'PLC directory'],
  ['REPO_TIMEOUT', 'PATIENCE', 'time', time('1s', '24h'), '5m', 'how long a download may take'],
]);
const OF_REQUESTS = table([
  [
    'ALLOW_PRIVATE_ADDRESSES',
    'PRIVATE',
    null,
    yesNo,
    'false',
    'let redirects and DIDs lead to private addresses; the service and the directory always may',
  ],
  ['MAX_DOWNLOADS', 'PLACES', 'number', number(8, 10000), '64', 'downloads at a time'],
  [
    'MIN_DOWNLOAD_RATE',
    'LEAST',
    'bytes/s',
    size('0', '1GB'),
    '10kB',
    'bytes per second below which a download is ended after ten seconds',
  ],
]);
const OF_RUN = table([
  [
    'SERVICE_ALIASES',
    'NAMES',
    'URLs',
    urls,
    '',
    'further origins of a PDS, separated by commas, as the documents of its accounts have them',
  ],
  [
    'REPLACED_SERVICE_URL',
    'INSTEAD',
    'URL',
    url,
    '',
    'the server that this PDS replaces, and whose accounts and records may be deleted',
  ],
  [
    'STREAM_SHARDS',
    'TAKERS',
    'number',
    number(1, 64),
    '1',
    'database connections that process the stream, each for a part of the accounts',
  ],
  [
    'DB_WRITERS',
    'WORKERS',
    'number',
    number(1, 100),
    '4',
    'database connections that write repositories; as many write other answers',
  ],
  [
    'MAX_DOWNLOAD_MEMORY',
    'MEMORY',
    'size',
    size('1MB', '1000GB'),
    '512MB',
    'memory for repositories; beyond it, all downloads except the oldest one wait',
  ],
  [
    'MAX_REPO_SIZE',
    'LARGEST',
    'size',
    size('1kB', '1GB'),
    '300MB',
    'size of a repository; a larger one is not loaded',
  ],
  [
    'METRICS_PORT',
    'METRICS',
    'port',
    number(1, 65535),
    '',
    'port of /metrics for Prometheus and of /healthz; none unless it is set',
  ],
  ['METRICS_HOST', 'BIND', 'address', address, '127.0.0.1', 'address of that port'],
  [
    'PROGRESS_INTERVAL',
    'EVERY',
    'time',
    time('0.1s', '24h'),
    '10s',
    'time between two lines of progress; the same line is repeated only after five minutes',
  ],
]);
const OF_API = table([
  ['API_SCHEMA', 'API_SCHEMA', 'name', text, 'api', 'the schema of the views, which the API shows'],
  ['API_DB_USER', 'API_USER', 'name', text, 'reader', 'the login that reads the views'],
  [
    'API_DB_PASSWORD',
    'API_PASSWORD',
    'password',
    text,
    '',
    'password of that login, if ~/.pgpass does not have it; only in the environment',
  ],
  [
    'API_PORT',
    'API_PORT',
    'port',
    number(0, 65535),
    '5678',
    'port of the API; 0 is any that is free',
  ],
  ['API_HOST', 'API_BIND', 'address', address, '127.0.0.1', 'address of that port'],
  [
    'API_ALLOWED_ORIGINS',
    'API_ORIGINS',
    'URLs',
    origins,
    '',
    'origins of pages that may query the API, separated by commas, or * for all; a page of its ' +
      'own may at an address or localhost',
  ],
  [
    'API_PROXIES',
    'API_PROXIES',
    'addresses',
    networks,
    '127.0.0.1,::1',
    'proxies in front of the API, or their networks, separated by commas, or none; other ' +
      'addresses have limits',
  ],
  [
    'API_MAX_SOCKETS',
    'API_SOCKETS',
    'number',
    number(1, 100_000),
    '1000',
    'WebSockets of the API at a time',
  ],
]);
const OF_LOG = table([
  ['LOG_LEVEL', 'LEVEL', 'name', names(LEVELS), 'info', 'what is logged: error, info or debug'],
  [
    'LOG_FORMAT',
    null,
    'name',
    names(FORMAT_NAMES),
    'text',
    'the form of a line of the log: text or json',
  ],
]);
const OF_INSTALL = table([
  ['ROLE', 'ROLE', 'name', text, '', 'a role to create with the least rights that run needs'],
]);

const STREAMING = [...OF_SERVICE, ...OF_PLC, ...OF_REQUESTS, ...OF_RUN];

// The settings of each command that has any.
export const SETTINGS = {
  init: OF_INSTALL,
  upgrade: OF_INSTALL,
  run: [...STREAMING, ...OF_LOG],
  api: [...OF_API, ...OF_LOG],
  up: [...STREAMING, ...OF_API, ...OF_LOG, ...OF_INSTALL],
  verify: [...OF_PLC, ...OF_REQUESTS],
  count: [...OF_SERVICE, OF_RUN.at(-1), ...OF_LOG],
};
const ALL = SETTINGS.up;

export const variableOf = ({ name }) => `${PREFIX}${name}`;
const flagNamed = (name) => `--${name.toLowerCase().replaceAll('_', '-')}`;
const isSecret = ({ takes }) => takes === 'password';
// The flag of a setting, or null, as of a password, which a list of processes would show.
export const flagOf = (setting) => (isSecret(setting) ? null : flagNamed(setting.name));
export const oldFlagOf = (setting) =>
  isSecret(setting) || [null, setting.name].includes(setting.old) ? null : flagNamed(setting.old);

// The values of a setting with the names under which they are given, the one that counts first. An
// empty value is none.
function given(setting, flags, env) {
  const { name, old } = setting;
  const all = [
    { name: flagOf(setting), value: flags[name] },
    { name: variableOf(setting), value: env[variableOf(setting)] },
    { name: oldFlagOf(setting), value: flags[oldFlagOf(setting)], isOld: true },
    { name: old, value: old === null ? undefined : env[old], isOld: true },
  ];
  return all.filter(({ value }) => value !== undefined && value !== '');
}

function read({ takes, read, standard }, name, value) {
  if (value === '' && standard === '') return takes === 'URLs' ? [] : null;
  const result = read(value);
  if (result === undefined)
    throw new Usage(`"${value}" is not what ${name} takes: ${read.range ?? `${takes}`}`);
  return result;
}

// A name of the environment from before 2.0, such as LEVEL, may be another program's, with any
// value.
function valueOrNone(setting, { name, value }) {
  try {
    return read(setting, name, value);
  } catch (e) {
    if (e instanceof Usage) return undefined;
    throw e;
  }
}

// One setting: its value; the old name by which it was given, or null; and old names in the
// environment with other values, which are ignored, as the new name is set.
function valueOf(setting, flags, env) {
  const [first, ...others] = given(setting, flags, env);
  const { name, value, isOld = false } = first ?? { name: null, value: setting.standard };
  const result = read(setting, name, value);
  const differs = (other) => JSON.stringify(valueOrNone(setting, other)) !== JSON.stringify(result);
  const against = isOld ? [] : others.filter((other) => other.isOld && differs(other));
  const flag = against.find((other) => other.name.startsWith('--'));
  if (flag)
    throw new Usage(
      `${flag.name} is the old name of ${name}, and both are set, to different values`,
    );
  const ignored = against.map((other) => `${other.name} is ignored, as ${name} is set`);
  return { result, old: isOld ? name : null, ignored };
}

// The settings of a command, by name without the prefix, and a warning about old names, or null.
export function settings(command, flags = {}, env = process.env) {
  const values = {};
  const old = [];
  for (const setting of SETTINGS[command] ?? []) {
    const one = valueOf(setting, flags, env);
    values[setting.name] = one.result;
    old.push(...one.ignored);
    if (one.old === null) continue;
    const now = one.old === setting.old ? variableOf(setting) : flagOf(setting);
    old.push(`${one.old} is now ${now}`);
  }
  const words = 'settings have new names, and the old ones end with 3.0';
  return { values, warning: old.length === 0 ? null : `${words}: ${old.join(', ')}` };
}

// The environment for a program that is started as a command: its settings, and of the present
// environment what is no setting.
export function environmentOf(command, values, env = process.env) {
  const names = new Set(['DRY', ...ALL.flatMap((setting) => [variableOf(setting), setting.old])]);
  const own = SETTINGS[command]
    .filter(({ name }) => values[name] !== null && values[name] !== undefined)
    .map((setting) => [variableOf(setting), String(values[setting.name])]);
  return {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => !names.has(name))),
    ...Object.fromEntries(own),
  };
}

// The help of a setting as a flag.
export const helpOf = (setting) => {
  const { standard, takes } = setting;
  const otherwise = standard === '' || takes === null ? '' : `, default ${standard}`;
  return `${setting.help} (${variableOf(setting)}${otherwise})`;
};

// All settings, for people.
export const help = () =>
  ALL.map((setting) => {
    const standard = setting.standard === '' ? '' : ` (default: ${setting.standard})`;
    return `  ${variableOf(setting)}\n      ${setting.help}${standard}`;
  }).join('\n');
