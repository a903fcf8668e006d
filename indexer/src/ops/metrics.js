// Metrics and health checks over HTTP: /metrics for Prometheus, the view indexer.watch; and
// /healthz for probes, 200 only while the stream moves and makes sense.
//
// Both share a connection of their own with a statement_timeout, so they do not delay other work
// and are always answered; the answer is 503, at once, while an earlier query is not answered.
import http from 'node:http';
import { connect } from '../db/connection.js';
import { messageOf } from '../db/errors.js';
import { Probe } from '../db/probe.js';
import { streamName } from '../protocol/streams.js';
import { OF_PROCESS } from './figures.js';
import * as log from './log.js';

/**
 * @typedef {object} Row
 * @property {string} what
 * @property {string | null} of
 * @property {unknown} value
 * @property {'gauge' | 'counter'} [type]
 * @property {string} [help]
 */

const WITHIN = 2000; // ms of a statement
const LISTEN_AGAIN = 5000; // ms

// Names of metrics and values of labels, escaped for Prometheus.
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
 * Rows of the view or of the process, with types and help texts, in the format of Prometheus. The
 * name of a counter ends in "_total".
 * @param {Row[]} rows
 */
export function exposition(rows) {
  return [...new Set(rows.map(({ what }) => what))]
    .map((what) => {
      const own = rows.filter((row) => row.what === what);
      const [{ type = 'gauge', help: words = '' }] = own;
      const metric = OF_PROCESS[what] ?? { type, help: words };
      const name = nameOf(what);
      if (metric.type === 'gauge') return family(name, metric, own);
      const help = `The same as ${name}_total. It will be removed in version 3.`;
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
          'SELECT what, of, value, type, help FROM indexer.watch ' +
            'WHERE value IS NOT NULL ORDER BY what, of',
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
  const asked = {}; // answers under way: requests that come meanwhile get the same one
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
  // A program that waits for another one gets the port when that one ends.
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
