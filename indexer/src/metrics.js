// What is to be watched, over HTTP: /metrics for Prometheus, the view indexer.watch; and /healthz for probes, 200 only
// while the stream moves and makes sense.
//
// Both have a connection of their own with a statement_timeout, so they take no time of others and are answered, if
// only by 503.
import http from 'node:http';
import { Pool, told } from './database.js';
import * as log from './log.js';

const WITHIN = 2000; // ms
const LISTEN_AGAIN = 5000; // ms

// Names of metrics and values of labels as Prometheus reads them.
const nameOf = (what) => `atid_${what.replace(/[^a-zA-Z0-9_]/g, '_')}`;
const valueOf = (text) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;

export function exposition(rows) {
  const names = [...new Set(rows.map((r) => r.what))];
  return names
    .map((name) =>
      [
        `# TYPE ${nameOf(name)} gauge\n`,
        ...rows.filter((r) => r.what === name).map((r) => `${nameOf(name)}{of=${valueOf(r.of ?? '')}} ${r.value}\n`),
      ].join(''),
    )
    .join('');
}

export function createServer({ SERVICE, STREAM, METRICS, BIND }) {
  let pool = null;
  const rows = async (...query) => {
    pool ??= new Pool('metrics', 1, [`statement_timeout=${WITHIN}`]);
    let timer;
    const late = new Promise((resolve, reject) => {
      timer = setTimeout(() => reject(new Error('the database does not answer')), WITHIN);
    });
    try {
      return await Promise.race([pool.rows(...query), late]);
    } finally {
      clearTimeout(timer);
    }
  };
  const pages = {
    '/metrics': async () =>
      exposition(await rows('SELECT what, of, value FROM indexer.watch WHERE value IS NOT NULL ORDER BY what, of')),
    '/healthz': async () => {
      const [{ why }] = await rows('SELECT indexer.health($1) AS why', [`${SERVICE} ${STREAM}`]);
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
      return answer.writeHead(503, type).end(`${told(e)}\n`);
    }
  });
  server.maxConnections = 100;
  // A program that waits for the end of another has its port then.
  let busy = null;
  server.on('error', (e) => {
    if (busy === null || e.code !== 'EADDRINUSE') log.error(`METRICS: ${told(e)}`);
    if (e.code === 'EADDRINUSE') busy = setTimeout(() => server.listen(METRICS, BIND), LISTEN_AGAIN);
  });
  server.on('listening', () => {
    if (busy !== null) log.info('METRICS: listening');
    busy = null;
  });
  server.listen(METRICS, BIND);
  return {
    close: () => {
      clearTimeout(busy);
      server.close();
      server.closeAllConnections();
      pool?.end().catch(() => {});
    },
  };
}
