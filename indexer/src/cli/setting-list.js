// The settings of the program, by command.
import { FORMAT_NAMES, LEVELS } from '../ops/log.js';
import { STREAMS } from '../protocol/streams.js';
import {
  address,
  did,
  names,
  networks,
  number,
  origins,
  size,
  text,
  time,
  url,
  urls,
  words,
  yesNo,
} from './values.js';

/**
 * old: the name before 2.0. takes: the kind of value that its flag takes, if any. standard: the
 * default, as text.
 * @typedef {object} Setting
 * @property {string} name
 * @property {string} [old]
 * @property {string} [takes]
 * @property {import('./values.js').Reader<any>} read
 * @property {string} standard
 * @property {string} help
 */

const kinds = words(
  { repos: 'repos', labels: 'labels', [STREAMS.repos]: 'repos', [STREAMS.labels]: 'labels' },
  'repos or labels',
);

/** @type {Setting[]} */
const OF_SERVICE = [
  {
    name: 'SERVICE_URL',
    old: 'SERVICE',
    takes: 'URL',
    read: url,
    standard: 'https://relay1.us-east.bsky.network',
    help: 'relay, PDS or labeler to follow',
  },
  {
    name: 'STREAM_KIND',
    old: 'STREAM',
    takes: 'kind',
    read: kinds,
    standard: 'repos',
    help: 'which stream to follow: repos, or labels of a labeler',
  },
];
/** @type {Setting[]} */
const OF_PLC = [
  {
    name: 'PLC_URL',
    old: 'DIRECTORY',
    takes: 'URL',
    read: url,
    standard: 'https://plc.directory',
    help: 'PLC directory',
  },
  {
    name: 'REPO_TIMEOUT',
    old: 'PATIENCE',
    takes: 'time',
    read: time('1s', '24h'),
    standard: '5m',
    help: 'how long a download may take',
  },
];
/** @type {Setting[]} */
const OF_REQUESTS = [
  {
    name: 'ALLOW_PRIVATE_ADDRESSES',
    old: 'PRIVATE',
    read: yesNo,
    standard: 'false',
    help:
      'let redirects and DIDs lead to private addresses; the service and the directory ' +
      'always may',
  },
  {
    name: 'MAX_DOWNLOADS',
    old: 'PLACES',
    takes: 'number',
    read: number(8, 10000),
    standard: '64',
    help: 'downloads at a time',
  },
  {
    name: 'MIN_DOWNLOAD_RATE',
    old: 'LEAST',
    takes: 'bytes/s',
    read: size('0', '1GB'),
    standard: '10kB',
    help: 'bytes per second below which a download is ended after ten seconds',
  },
];
/** @type {Setting[]} */
const OF_RUN = [
  {
    name: 'SERVICE_ALIASES',
    old: 'NAMES',
    takes: 'URLs',
    read: urls,
    standard: '',
    help:
      'further origins of a PDS, separated by commas, as they are in the documents of its ' +
      'accounts',
  },
  {
    name: 'REPLACED_SERVICE_URL',
    old: 'INSTEAD',
    takes: 'URL',
    read: url,
    standard: '',
    help: 'the server that this PDS replaces, and whose accounts and records may be deleted',
  },
  {
    name: 'PLC_RATE',
    takes: 'number',
    read: number(1, 10_000),
    standard: '10',
    help: 'requests a second to the PLC directory in live mode',
  },
  {
    name: 'STREAM_SHARDS',
    old: 'TAKERS',
    takes: 'number',
    read: number(1, 64),
    standard: '1',
    help: 'database connections that process the stream, each for a part of the accounts',
  },
  {
    name: 'DB_WRITERS',
    old: 'WORKERS',
    takes: 'number',
    read: number(1, 100),
    standard: '4',
    help: 'database connections that write repositories; as many others write other answers',
  },
  {
    name: 'MAX_DOWNLOAD_MEMORY',
    old: 'MEMORY',
    takes: 'size',
    read: size('1MB', '1000GB'),
    standard: '512MB',
    help: 'memory for repositories; beyond it, all downloads except the oldest one wait',
  },
  {
    name: 'MAX_REPO_SIZE',
    old: 'LARGEST',
    takes: 'size',
    read: size('1kB', '1GB'),
    standard: '300MB',
    help: 'size of a repository; a larger one is not loaded',
  },
  {
    name: 'METRICS_PORT',
    old: 'METRICS',
    takes: 'port',
    read: number(1, 65535),
    standard: '',
    help: 'port of /metrics for Prometheus and of /healthz; none unless it is set',
  },
  {
    name: 'METRICS_HOST',
    old: 'BIND',
    takes: 'address',
    read: address,
    standard: '127.0.0.1',
    help: 'address of that port',
  },
];
/** @type {Setting[]} */
const OF_PROGRESS = [
  {
    name: 'PROGRESS_INTERVAL',
    old: 'EVERY',
    takes: 'time',
    read: time('0.1s', '24h'),
    standard: '10s',
    help: 'time between progress lines; an unchanged line is repeated only after five minutes',
  },
];
/** @type {Setting[]} */
const OF_API = [
  {
    name: 'API_SCHEMA',
    old: 'API_SCHEMA',
    takes: 'name',
    read: text,
    standard: 'api',
    help: 'the schema of the views, which the API shows',
  },
  {
    name: 'API_DB_USER',
    old: 'API_USER',
    takes: 'name',
    read: text,
    standard: 'reader',
    help: 'the login that reads the views',
  },
  {
    name: 'API_DB_PASSWORD',
    old: 'API_PASSWORD',
    takes: 'password',
    read: text,
    standard: '',
    help: 'password of that login, if ~/.pgpass does not have it; only in the environment',
  },
  {
    name: 'API_PORT',
    old: 'API_PORT',
    takes: 'port',
    read: number(0, 65535),
    standard: '5678',
    help: 'port of the API; 0 is any free port',
  },
  {
    name: 'API_HOST',
    old: 'API_BIND',
    takes: 'address',
    read: address,
    standard: '127.0.0.1',
    help: 'address of that port',
  },
  {
    name: 'API_ALLOWED_ORIGINS',
    old: 'API_ORIGINS',
    takes: 'URLs',
    read: origins,
    standard: '',
    help:
      'origins of pages that may query the API, separated by commas, or * for all; its own page ' +
      'may if its host is an address or localhost',
  },
  {
    name: 'API_PROXIES',
    old: 'API_PROXIES',
    takes: 'addresses',
    read: networks,
    standard: '127.0.0.1,::1',
    help:
      'proxies in front of the API, or their networks, separated by commas, or none; all other ' +
      'addresses have limits',
  },
  {
    name: 'API_MAX_SOCKETS',
    old: 'API_SOCKETS',
    takes: 'number',
    read: number(1, 100_000),
    standard: '1000',
    help: 'concurrent WebSockets of the API',
  },
  {
    name: 'API_DID',
    takes: 'DID',
    read: did,
    standard: '',
    help:
      'the DID of this service, to which tokens are addressed, such as ' +
      'did:web:feeds.example.com; did:web:localhost with the port unless it is set',
  },
  {
    name: 'API_CHECK_OUTPUT',
    read: yesNo,
    standard: 'false',
    help: 'check the output of XRPC methods against their Lexicons; for tests',
  },
];
/** @type {Setting[]} */
const OF_PUBLISH = [
  {
    name: 'PDS_URL',
    takes: 'URL',
    read: url,
    standard: 'https://bsky.social',
    help: 'the server of the account that publishes',
  },
  {
    name: 'HANDLE',
    takes: 'name',
    read: text,
    standard: '',
    help: 'handle or DID of that account; asked for at a terminal',
  },
  {
    name: 'APP_PASSWORD',
    takes: 'password',
    read: text,
    standard: '',
    help: 'an app password of that account; asked for at a terminal; only in the environment',
  },
];
/** @type {Setting[]} */
const OF_LOG = [
  {
    name: 'LOG_LEVEL',
    old: 'LEVEL',
    takes: 'name',
    read: names(LEVELS),
    standard: 'info',
    help: 'lowest level that is logged: error, warn, info or debug',
  },
  {
    name: 'LOG_FORMAT',
    takes: 'name',
    read: names(FORMAT_NAMES),
    standard: 'text',
    help: 'form of a log line: text or json',
  },
];
/** @type {Setting[]} */
const OF_INSTALL = [
  {
    name: 'ROLE',
    old: 'ROLE',
    takes: 'name',
    read: text,
    standard: '',
    help: 'a role to create with the least rights that run needs',
  },
];

const STREAMING = [...OF_SERVICE, ...OF_PLC, ...OF_REQUESTS, ...OF_RUN, ...OF_PROGRESS];

/**
 * The settings of each command that has any.
 * @type {Record<string, Setting[]>}
 */
export const SETTINGS = {
  init: OF_INSTALL,
  upgrade: OF_INSTALL,
  run: [...STREAMING, ...OF_LOG],
  api: [...OF_API, OF_PLC[0], OF_REQUESTS[0], ...OF_LOG],
  up: [...STREAMING, ...OF_API, ...OF_LOG, ...OF_INSTALL],
  verify: [...OF_PLC, ...OF_REQUESTS],
  publish: [...OF_PUBLISH, ...OF_API.filter(({ name }) => name === 'API_DID')],
  count: [...OF_SERVICE, ...OF_PROGRESS, ...OF_LOG],
};
