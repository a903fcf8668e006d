// atid-indexer api: GraphQL over HTTP and WebSockets, for the views in one schema.
//
//   /graphql   queries by POST, and subscriptions by a WebSocket (graphql-transport-ws)
//   /          a page to try queries on (page.js)
//   /health    200 while the database answers and changes arrive (health.js)
//   /xrpc/, /.well-known/did.json   XRPC (xrpc.js)
//
// Two logins have connections: the reader has a pool for queries and one connection for /health
// (reader.js), and the program has one that follows the indexer (changes.js).
import { once } from 'node:events';
import { grafserv } from 'postgraphile/grafserv/node';
import { messageOf, Problem } from '../db/errors.js';
import * as log from '../ops/log.js';
import { endUnforeseen } from '../work/tasks.js';
import { Addresses } from './addresses.js';
import { Feed } from './changes.js';
import { Crowd, Running } from './crowd.js';
import { quiet } from './errors.js';
import { Health } from './health.js';
import { Origins } from './origins.js';
import { presetOf } from './preset.js';
import { checkReader } from './reader.js';
import { Requests, SLOW, serverOf } from './requests.js';
import { Schema } from './schema.js';
import { Sockets } from './sockets.js';
import { Xrpc } from './xrpc.js';

/**
 * @typedef {{ API_HOST: string, API_PORT: number, API_SCHEMA: string, API_DB_USER: string,
 *   API_DB_PASSWORD: string | null, API_ALLOWED_ORIGINS: string[], API_PROXIES: string[],
 *   API_MAX_SOCKETS: number, API_DID: string | null, API_CHECK_OUTPUT: boolean, [name: string]: any
 *   }} Settings
 */

/**
 * Why the port cannot be opened.
 * @param {Error & { code?: string }} e
 * @param {Settings} settings
 */
const ofPort = (e, { API_HOST, API_PORT }) =>
  new Problem(
    e.code === 'EADDRINUSE'
      ? `Another program uses port ${API_PORT} of ${API_HOST}. Set ATID_API_PORT or ` +
          'ATID_API_HOST to another one.'
      : `Port ${API_PORT} of ${API_HOST} (ATID_API_PORT and ATID_API_HOST) cannot ` +
          `be opened: ${e.message}.`,
  );

/**
 * @param {import('node:http').Server} server
 * @param {Settings} settings
 */
async function listen(server, settings) {
  const { API_HOST, API_PORT } = settings;
  /** @type {Promise<void>} */
  const listening = new Promise((resolve, reject) => {
    server.once('error', (e) => reject(ofPort(e, settings)));
    server.listen(API_PORT, API_HOST, resolve);
  });
  await listening;
  server.on('error', (e) => log.counted('error', 'api failed', { error: messageOf(e) }));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const host = API_HOST.includes(':') ? `[${API_HOST}]` : API_HOST;
  log.info('api listening', { url: `http://${host}:${port}/` });
}

/**
 * All parts of the API, connected to each other.
 * @param {Settings} settings
 * @param {AbortSignal} ended
 */
async function partsOf(settings, ended) {
  const feed = new Feed(() => schema.changed());
  const addresses = new Addresses(settings);
  const crowd = new Crowd(addresses);
  const xrpc = new Xrpc(settings, ended);
  const preset = presetOf(settings, feed, crowd, new Running(addresses));
  const schema = new Schema(preset, ended);
  const serv = grafserv({ preset, schema: await schema.make() });
  schema.use = (made) => serv.setSchema(made);
  await serv.ready();
  const { API_ALLOWED_ORIGINS, API_MAX_SOCKETS: most } = settings;
  const origins = new Origins(API_ALLOWED_ORIGINS);
  const sockets = new Sockets({ serv, xrpc, origins, addresses, most });
  const health = new Health(settings, feed, sockets.all);
  const graphql = serv.createHandler();
  const requests = new Requests({ origins, crowd, xrpc, health, schema, graphql });
  const server = serverOf(requests, addresses, most);
  server.on('upgrade', (request, socket, head) =>
    sockets.accept(request, /** @type {import('node:net').Socket} */ (socket), head),
  );
  return { feed, xrpc, preset, schema, serv, sockets, health, server };
}

/**
 * Ends all parts; `over` ends the changes.
 * @param {Awaited<ReturnType<typeof partsOf>>} parts
 * @param {AbortController} over
 * @param {Promise<void>} following
 */
async function close({ xrpc, preset, schema, serv, sockets, health, server }, over, following) {
  over.abort();
  server.close();
  await sockets.dispose();
  server.closeAllConnections();
  sockets.destroy();
  await following;
  await schema.close();
  await serv.release();
  health.close();
  await preset.pgServices[0].release?.();
  await xrpc.close();
}

/**
 * @param {Settings} settings
 * @param {AbortSignal} signal
 */
export async function api(settings, signal) {
  await checkReader(settings);
  const broken = new AbortController();
  const stop = endUnforeseen(broken, SLOW);
  const ended = AbortSignal.any([signal, broken.signal]);
  quiet();
  const parts = await partsOf(settings, ended);
  const over = new AbortController();
  const following = parts.feed.run(over.signal);
  try {
    await listen(parts.server, settings);
    if (!ended.aborted) await once(ended, 'abort');
  } finally {
    await close(parts, over, following);
    stop();
    log.flush();
  }
  return broken.signal.aborted ? 1 : 0;
}
