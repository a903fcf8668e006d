// What is to be watched, over HTTP: /metrics for Prometheus, the view indexer.watch; and /healthz
// for probes, 200 only while the stream moves and makes sense.
//
// Both have a connection of their own with a statement_timeout, so they take no time of others and
// are answered, if only by 503: at once while an earlier query is not answered.
import http from 'node:http';
import { streamName } from '../cli/settings.js';
import { connect } from '../db/connection.js';
import { messageOf } from '../db/errors.js';
import { Probe } from '../db/probe.js';
import { OF_PROCESS } from './figures.js';
import * as log from './log.js';

const WITHIN = 2000; // ms of a statement
const LISTEN_AGAIN = 5000; // ms

// What the numbers are, by their names in the view. What is not here is a gauge; a counter has
// "_total" at its end.
const KINDS = {
  stream_cursor: ['gauge', 'The number of the last frame that all takers have taken.'],
  stream_frames: ['counter', 'Frames taken.'],
  stream_commits: ['counter', 'Commits applied.'],
  stream_refused: ['counter', 'Frames that were bad.'],
  stream_frames_per_second: ['gauge', 'Frames taken a second, on an average of some minutes.'],
  stream_commits_per_second: ['gauge', 'Commits applied a second, on an average of some minutes.'],
  stream_unsigned_per_second: [
    'gauge',
    'Frames a second that the key of their account has not signed.',
  ],
  stream_moved_per_second: ['gauge', 'Frames a second of accounts that are on other servers.'],
  stream_lag_seconds: ['gauge', 'Age of the last frame when it was taken.'],
  stream_idle_seconds: [
    'gauge',
    'Time since the last transaction of the taker that is furthest behind.',
  ],
  stream_healthy: ['gauge', '1 if the stream moves and makes sense, or 0.'],
  accounts: ['gauge', 'Accounts by state.'],
  loads: ['counter', 'Repositories loaded.'],
  hosts_failing: ['gauge', 'Hosts that fail, or have asked for a pause.'],
  bytes: ['gauge', 'Sizes of the tables that strangers can fill.'],
  waiting: ['gauge', 'What waits to be done; at most 10,000 are counted.'],
  ...OF_PROCESS,
};

// Names of metrics and values of labels as Prometheus reads them.
const nameOf = (what) => `atid_${what.replace(/[^a-zA-Z0-9_]/g, '_')}`;
const valueOf = (text) =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;

export function exposition(rows) {
  const family = (name, type, text, own) =>
    `# HELP ${name} ${text}\n# TYPE ${name} ${type}\n` +
    own.map(({ of, value }) => `${name}{of=${valueOf(of ?? '')}} ${value}\n`).join('');
  return [...new Set(rows.map((r) => r.what))]
    .map((what) => {
      const [type, text] = KINDS[what] ?? ['gauge', `${what} of the view indexer.watch.`];
      const own = rows.filter((r) => r.what === what);
      const name = nameOf(what);
      if (type === 'gauge') return family(name, type, text, own);
      const old = family(
        name,
        'gauge',
        `The same as ${name}_total. It will not be in version 3.`,
        own,
      );
      return old + family(`${name}_total`, type, text, own);
    })
    .join('');
}

const HEALTH = `SELECT CASE WHEN pg_is_in_recovery() THEN 'this server is a standby, and what it has is its primary''s'
  ELSE indexer.health($1) END AS why`;

export function createServer(settings, figures) {
  const { METRICS_PORT, METRICS_HOST } = settings;
  const probe = new Probe(() => connect('metrics', [`statement_timeout=${WITHIN}`]));
  const rows = (...query) => probe.rows(...query);
  const pages = {
    '/metrics': async () =>
      exposition([
        ...(await rows(
          'SELECT what, of, value FROM indexer.watch WHERE value IS NOT NULL ORDER BY what, of',
        )),
        ...figures.rows(),
      ]),
    '/healthz': async () => {
      const [{ why }] = await rows(HEALTH, [streamName(settings)]);
      if (why !== null) throw new Error(why);
      return 'ok\n';
    },
  };
  const asked = {}; // answers that are under way: who asks meanwhile gets the same
  const server = http.createServer(async (question, answer) => {
    const type = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };
    const [path] = question.url.split('?');
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
  let busy = null;
  server.on('error', (e) => {
    if (busy === null || e.code !== 'EADDRINUSE') log.error(`ATID_METRICS_PORT: ${messageOf(e)}`);
    if (e.code !== 'EADDRINUSE') return;
    busy = setTimeout(() => server.listen(METRICS_PORT, METRICS_HOST), LISTEN_AGAIN);
  });
  server.on('listening', () => {
    if (busy !== null) log.info('ATID_METRICS_PORT: listening');
    busy = null;
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
