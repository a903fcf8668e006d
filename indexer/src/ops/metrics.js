// What is to be watched, over HTTP: /metrics for Prometheus, the view indexer.watch; and /healthz
// for probes, 200 only while the stream moves and makes sense.
//
// Both have a connection of their own with a statement_timeout, so they take no time of others and
// are answered, if only by 503: at once while an earlier query is not answered.
import http from 'node:http';
import { connect } from '../db/connection.js';
import { messageOf } from '../db/errors.js';
import { Probe } from '../db/probe.js';
import { streamName } from '../protocol/streams.js';
import { OF_PROCESS } from './figures.js';
import * as log from './log.js';

const WITHIN = 2000; // ms of a statement
const LISTEN_AGAIN = 5000; // ms

// What the numbers are, by their names in the view. What is not here is a gauge; a counter has
// "_total" at its end.
/** @type {Record<string, import('./figures.js').Metric>} */
const KINDS = {
  stream_cursor: {
    type: 'gauge',
    help: 'The number of the last frame that all shards have taken.',
  },
  stream_frames: { type: 'counter', help: 'Frames taken.' },
  stream_commits: { type: 'counter', help: 'Commits applied.' },
  stream_refused: { type: 'counter', help: 'Frames that were bad.' },
  stream_frames_per_second: {
    type: 'gauge',
    help: 'Frames taken a second, on an average of some minutes.',
  },
  stream_commits_per_second: {
    type: 'gauge',
    help: 'Commits applied a second, on an average of some minutes.',
  },
  stream_unsigned_per_second: {
    type: 'gauge',
    help: 'Frames a second that the key of their account has not signed.',
  },
  stream_moved_per_second: {
    type: 'gauge',
    help: 'Frames a second of accounts that are on other servers.',
  },
  stream_lag_seconds: { type: 'gauge', help: 'Age of the last frame when it was taken.' },
  stream_idle_seconds: {
    type: 'gauge',
    help: 'Time since the last transaction of the shard that is furthest behind.',
  },
  stream_healthy: { type: 'gauge', help: '1 if the stream moves and makes sense, or 0.' },
  accounts: { type: 'gauge', help: 'Accounts by state.' },
  loads: { type: 'counter', help: 'Repositories loaded.' },
  hosts_failing: { type: 'gauge', help: 'Hosts that fail, or have asked for a pause.' },
  bytes: { type: 'gauge', help: 'Sizes of the tables that strangers can fill.' },
  waiting: { type: 'gauge', help: 'What waits to be done; at most 10,000 are counted.' },
  ...OF_PROCESS,
};

// Names of metrics and values of labels as Prometheus reads them.
/** @param {string} what */
const nameOf = (what) => `atid_${what.replace(/[^a-zA-Z0-9_]/g, '_')}`;
/** @param {string} text */
const valueOf = (text) =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;

/**
 * @param {string} name
 * @param {import('./figures.js').Metric} metric
 * @param {{ of: string | null, value: unknown }[]} rows
 */
const family = (name, { type, help }, rows) =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n` +
  rows.map(({ of, value }) => `${name}{of=${valueOf(of ?? '')}} ${value}\n`).join('');

/**
 * The figures in the format of Prometheus.
 * @param {{ what: string, of: string | null, value: unknown }[]} rows
 */
export function exposition(rows) {
  return [...new Set(rows.map(({ what }) => what))]
    .map((what) => {
      const metric = KINDS[what] ?? { type: 'gauge', help: `${what} of the view indexer.watch.` };
      const own = rows.filter((row) => row.what === what);
      const name = nameOf(what);
      if (metric.type === 'gauge') return family(name, metric, own);
      const help = `The same as ${name}_total. It will not be in version 3.`;
      return family(name, { type: 'gauge', help }, own) + family(`${name}_total`, metric, own);
    })
    .join('');
}

const HEALTH = `SELECT CASE WHEN pg_is_in_recovery()
  THEN 'this server is a standby, and what it has is its primary''s'
  ELSE indexer.stream_health($1) END AS why`;

/**
 * @param {Record<string, any>} settings
 * @param {import('./figures.js').Figures} figures
 */
export function createServer(settings, figures) {
  const { METRICS_PORT, METRICS_HOST } = settings;
  const probe = new Probe(() => connect('metrics', [`statement_timeout=${WITHIN}`]));
  /** @type {(text: string, values?: any[]) => Promise<any[]>} */
  const rows = (text, values) => probe.rows(text, values);
  /** @type {Record<string, () => Promise<string>>} */
  const pages = {
    '/metrics': async () =>
      exposition([
        ...(await rows(
          'SELECT what, of, value FROM indexer.watch WHERE value IS NOT NULL ORDER BY what, of',
        )),
        ...figures.rows(),
      ]),
    '/healthz': async () => {
      const [{ why }] = await rows(HEALTH, [streamName(/** @type {any} */ (settings))]);
      if (why !== null) throw new Error(why);
      return 'ok\n';
    },
  };
  /** @type {Record<string, Promise<string>>} */
  const asked = {}; // answers that are under way: who asks meanwhile gets the same
  const server = http.createServer(async (question, answer) => {
    const type = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };
    const [path] = String(question.url).split('?');
    const page = Object.hasOwn(pages, path) ? pages[path] : null;
    if (!page) return answer.writeHead(404, type).end('not found\n');
    try {
      asked[path] ??= page().finally(() => delete asked[path]);
      const text = await asked[path];
      return answer.writeHead(200, type).end(text);
    } catch (e) {
      return answer.writeHead(503, type).end(`${messageOf(e)}\n`);
    }
  });
  server.maxConnections = 100;
  // A program that waits for the end of another has its port then.
  /** @type {NodeJS.Timeout | undefined} */
  let busy;
  server.on('error', (/** @type {NodeJS.ErrnoException} */ e) => {
    if (busy === undefined || e.code !== 'EADDRINUSE')
      log.error('metrics failed', { port: METRICS_PORT, error: messageOf(e) });
    if (e.code !== 'EADDRINUSE') return;
    busy = setTimeout(() => server.listen(METRICS_PORT, METRICS_HOST), LISTEN_AGAIN);
  });
  server.on('listening', () => {
    if (busy !== undefined) log.info('metrics listening', { port: METRICS_PORT });
    busy = undefined;
  });
  server.listen(METRICS_PORT, METRICS_HOST);
  return {
    close: () => {
      clearTimeout(busy);
      server.close();
      server.closeAllConnections();
      probe.end();
    },
  };
}
