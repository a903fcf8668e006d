// atid-indexer api: GraphQL over HTTP and WebSockets, of the views in one schema.
//
//   /graphql   queries by POST, and subscriptions by a WebSocket (graphql-transport-ws)
//   /          a page to try queries on (page.js)
//   /health    200 while the database answers and changes are heard of
//   /xrpc/, /.well-known/did.json   XRPC (xrpc.js)
//
// Connections of two logins: the reader's, a pool by which queries run and one for /health (reader.js), and one that
// follows the indexer (changes.js). The schema is made anew when "postgraphile_watch" is notified; while that fails, the
// old one stays.
import { setMaxListeners } from 'node:events';
import { STATUS_CODES, createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { useServer } from 'graphql-ws/use/ws';
import { makeSchema } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { makeGraphQLWSConfig } from 'postgraphile/grafserv';
import { grafserv } from 'postgraphile/grafserv/node';
import { GraphQLError, getOperationAST } from 'postgraphile/graphql';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';
import { PostGraphileConnectionFilterPreset } from 'postgraphile-plugin-connection-filter';
import { WebSocketServer } from 'ws';
import { messageOf, Problem } from '../db/errors.js';
import * as log from '../ops/log.js';
import { clean } from '../protocol/text.js';
import { endUnforeseen } from '../work/tasks.js';
import { Addresses, OF_ADDRESS } from './addresses.js';
import { Feed, Turns, changesPlugin } from './changes.js';
import { CodecsPlugin, namesPlugin } from './codecs.js';
import { CountsPlugin } from './counts.js';
import { maskError, quiet } from './errors.js';
import { CACHED, LENGTH, LimitsPlugin, bounded, refusal } from './limits.js';
import { HEADERS, page } from './page.js';
import { ReaderClient, checkReader, probe, readerConfig } from './reader.js';
import { Xrpc } from './xrpc.js';

const CONNECTIONS = 10; // of the reader
const OF_CHANGES = 4; // of these for what subscriptions ask of changes: there is no end to them, and queries need some
const INTROSPECTION = 60_000; // ms: it reads the catalogue, on a busy server slowly
const AT_A_TIME = 100; // requests over HTTP; others are told to come again
const OF_A_SOCKET = 10; // operations
const UNREAD_ALL = 64e6; // bytes of answers over HTTP that are not read
const UNREAD = 1e6; // bytes that a socket does not read: then it is closed
const SLOW = 10_000; // ms for a request to arrive
const WHOLE = 30_000; // ms for its answer, until the client has read it
const UNREAD_FOR = 5000; // ms in which a client reads nothing of an answer, or does not confirm that its socket is closed
const LOOK = 1000; // ms between two looks for such requests, and for which an answer of /health holds
const SETTLED = 200; // ms: several notices of the schema are one

// The queries that run, over HTTP and of sockets: the client may be gone, but what it has asked for still takes a connection.
class Running {
  constructor(addresses) {
    this.addresses = addresses;
  }
  all = new Map(); // a socket, or null for HTTP: how many
  async count(socket, execute) {
    const of = (key) => this.all.get(key) ?? 0;
    const sockets = [...this.all].reduce((sum, [key, n]) => sum + (key ? n : 0), 0);
    if (of(socket) >= (socket ? OF_A_SOCKET : AT_A_TIME) || (socket && sockets >= AT_A_TIME))
      return { errors: [new GraphQLError(socket ? `A socket can have ${OF_A_SOCKET} operations at a time, all of them ${AT_A_TIME}` : MANY)] };
    const leave = socket ? this.addresses.enter('queries', socket._socket?.remoteAddress) : () => {};
    if (!leave) return { errors: [new GraphQLError(MANY_OF_ADDRESS)] };
    this.all.set(socket, of(socket) + 1);
    try {
      return await execute();
    } finally {
      leave();
      if (of(socket) > 1) this.all.set(socket, of(socket) - 1);
      else this.all.delete(socket);
    }
  }
}

// The requests that run. One counts once it has arrived, however slowly, and until its answer is read. An answer of
// which nothing is read for a while ends, and so does the oldest one when all of them that are not read are too long.
class Crowd {
  constructor(addresses) {
    this.addresses = addresses;
  }
  all = new Map(); // responses, and whether they are sent

  // Counts a request. Returns why it may not run, or null.
  enter(response) {
    if (this.all.size >= AT_A_TIME) return this.refuse(response, MANY, 503);
    const leave = this.addresses.enter('requests', response.req.socket.remoteAddress);
    if (!leave) return this.refuse(response, MANY_OF_ADDRESS, 429);
    this.all.set(response, false);
    const timer = setTimeout(() => response.destroy(), WHOLE);
    response.once('prefinish', () => {
      this.all.set(response, true);
      response.setTimeout(UNREAD_FOR, () => response.destroy());
      setImmediate(() => this.bound());
    });
    response.on('close', () => {
      clearTimeout(timer);
      this.all.delete(response);
      leave();
    });
    return null;
  }

  refuse(response, text, status) {
    response.setHeader('retry-after', '1');
    return refusal(text, status);
  }

  bound() {
    const sent = [...this.all.keys()].filter((response) => this.all.get(response) && response.socket);
    let bytes = sent.reduce((sum, { socket }) => sum + socket.writableLength, 0);
    for (let i = 0; bytes > UNREAD_ALL; i++) {
      bytes -= sent[i].socket.writableLength;
      sent[i].destroy();
    }
  }
}
const MANY = 'too many requests at a time';
const MANY_OF_ADDRESS = `too many requests of this address, which may have ${OF_ADDRESS} at a time`;

const ASKER = Symbol('asker'); // of a request, or of the request that has opened a WebSocket

const socketOf = (requestContext) => requestContext?.ws?.socket ?? null;
const isSubscription = ({ document, operationName }) => getOperationAST(document, operationName)?.operation === 'subscription';

const crowdPlugin = (crowd, running) => ({
  name: 'AtidCrowdPlugin',
  grafast: {
    middleware: {
      // over HTTP nobody would see whether the client reads, or is gone
      prepareArgs(next, { args }) {
        if (isSubscription(args) && !socketOf(args.requestContext))
          throw refusal('A subscription needs a WebSocket');
        return next();
      },
      execute: (next, { args }) => running.count(socketOf(args.requestContext), next),
    },
  },
  grafserv: {
    middleware: {
      // also of a socket, which has no response
      processGraphQLRequestBody(next, { request }) {
        const response = request?.requestContext.node?.res;
        const why = response ? crowd.enter(response) : null;
        if (why) throw why;
        return next();
      },
    },
  },
});

// What an operation knows of its client. The engine makes a query of each change that a subscription has, by no way that
// execute sees: so their statements have turns.
const contextOf = (turns) => (requestContext, args) => {
  if (!isSubscription(args)) return {};
  const atidClient = { socket: socketOf(requestContext), over: new AbortController() };
  setMaxListeners(0, atidClient.over.signal); // each statement that waits is one
  const { withPgClient } = args.contextValue;
  return { atidClient, withPgClient: (...how) => turns.run(atidClient, () => withPgClient(...how)) };
};

const presetOf = (settings, feed, crowd, running) => ({
  extends: [PostGraphileAmberPreset, PostGraphileConnectionFilterPreset],
  plugins: [namesPlugin((name, place) => log.info('name taken', { name, place })), crowdPlugin(crowd, running), CodecsPlugin, LimitsPlugin, CountsPlugin, changesPlugin(feed)],
  disablePlugins: [
    'PgConnectionArgFilterBackwardRelationsPlugin',
    'PgConnectionArgFilterForwardRelationsPlugin',
    'PgMutationCreatePlugin',
    'PgMutationUpdateDeletePlugin',
    'PgConnectionArgFilterLogicalOperatorsPlugin',
    'MutationPlugin',
    'MutationPayloadQueryPlugin',
  ],
  pgServices: [
    makePgService({
      poolConfig: { ...readerConfig(settings), Client: ReaderClient, max: CONNECTIONS },
      // who asks: xrpc.did()
      pgSettings: ({ node, ws }) => {
        const did = (node?.req ?? ws?.request)?.[ASKER];
        return did ? { 'xrpc.did': did } : undefined;
      },
      schemas: [settings.API_SCHEMA],
      pubsub: false,
      pgSettingsForIntrospection: { statement_timeout: String(INTROSPECTION) },
    }),
  ],
  schema: {
    // only columns that make_view_index has marked can be ordered and filtered by
    defaultBehavior: '-attribute:orderBy -attribute:filterBy -attribute:filter -mutationField',
    connectionFilterAllowedOperators: [
      'equalTo',
      'in',
      'lessThan',
      'lessThanOrEqualTo',
      'greaterThan',
      'greaterThanOrEqualTo',
    ],
    connectionFilterComputedColumns: false,
    connectionFilterSetofFunctions: false,
  },
  gather: { installWatchFixtures: false },
  grafast: { explain: false, context: contextOf(new Turns(OF_CHANGES)) },
  grafserv: {
    watch: false,
    graphiql: false,
    graphiqlOnGraphQLGET: false,
    maxRequestLength: LENGTH,
    parseAndValidateCacheSize: CACHED,
    maskError,
  },
});

// Why the port cannot be opened.
const ofPort = (e, { API_HOST, API_PORT }) =>
  new Problem(
    e.code === 'EADDRINUSE'
      ? `Another program has the port ${API_PORT} of ${API_HOST}. ATID_API_PORT and ATID_API_HOST give another one.`
      : `The port ${API_PORT} of ${API_HOST}, which are ATID_API_PORT and ATID_API_HOST, cannot be ` +
        `opened: ${e.message}.`,
  );

export async function api(settings, signal) {
  await checkReader(settings);
  const broken = new AbortController();
  const stop = endUnforeseen(broken, SLOW);
  const ended = AbortSignal.any([signal, broken.signal]);
  quiet();
  const sockets = new Set();
  const feed = new Feed(() => {
    feed.timer ??= setTimeout(() => {
      feed.timer = null;
      remake();
    }, SETTLED);
  });
  const addresses = new Addresses(settings);
  const crowd = new Crowd(addresses);
  const xrpc = new Xrpc(settings, ended);
  const preset = presetOf(settings, feed, crowd, new Running(addresses));
  const made = await makeSchema(preset);
  const serv = grafserv({ preset, schema: made.schema });
  await serv.ready();
  // One at a time, and no more than one for all notices that come meanwhile: every role may send them.
  let { schema } = made;
  let making = Promise.resolve();
  let waits = false;
  function remake() {
    if (waits) return;
    waits = true;
    making = making.then(async () => {
      waits = false;
      if (ended.aborted) return;
      const began = performance.now();
      try {
        ({ schema } = await makeSchema(preset));
        serv.setSchema(schema);
        log.info('schema made');
      } catch (e) {
        log.error('schema failed', { error: messageOf(e) });
      }
      // most of the time is for queries
      await sleep(4 * (performance.now() - began), undefined, { signal: ended }).catch(() => {});
    });
  }

  const { API_ALLOWED_ORIGINS, API_HOST, API_PORT, API_MAX_SOCKETS } = settings;
  // A page of our own has an address or localhost as its host: a name may be a stranger's that leads to our address.
  const mayAsk = ({ headers: { origin, host = '' } }) =>
    origin === undefined ||
    API_ALLOWED_ORIGINS.includes('*') ||
    API_ALLOWED_ORIGINS.includes(origin) ||
    (/^(localhost|[\d.]+|\[[\da-f:.]+\])(:\d+)?$/.test(host) && URL.canParse(origin) && new URL(origin).host === host);

  const refusalOf = ({ headers: { origin = '' } }) => {
    const name = clean(origin, 200);
    const lists = 'ATID_API_ALLOWED_ORIGINS lists the origins that may';
    log.counted('info', 'origin refused', { origin: name });
    return `The origin ${name} may not query this API: ${lists}`;
  };

  // A connection has one request at a time. Of those behind it nobody would tell that they are over when it is cut.
  const asking = new WeakSet();
  const graphql = serv.createHandler();
  const server = createServer({ connectionsCheckingInterval: LOOK }, async (request, response) => {
    const { origin } = request.headers;
    if (asking.has(request.socket)) return request.socket.destroy();
    asking.add(request.socket);
    response.on('close', () => asking.delete(request.socket));
    const say = (status, text, more = {}) =>
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...more }).end(`${text}\n`);
    if (request.url === '/health') return health(say);
    if (xrpc.takes(request)) return xrpc.handle(request, response);
    if (!mayAsk(request)) return say(403, refusalOf(request));
    if (origin !== undefined) {
      response.setHeader('access-control-allow-origin', origin);
      response.setHeader('vary', 'Origin');
      if (request.method === 'OPTIONS')
        return say(204, '', {
          'access-control-allow-methods': 'POST',
          'access-control-allow-headers': 'content-type, accept, authorization',
          'access-control-max-age': '86400',
        });
    }
    const why = request.method === 'POST' ? null : crowd.enter(response);
    if (why) return say(why.statusCode, why.message);
    if (request.method === 'GET' && request.url.split('?')[0] === '/')
      return response.writeHead(200, HEADERS).end(page(schema));
    try {
      request[ASKER] = await xrpc.who(request.headers, request.socket.remoteAddress);
    } catch ({ statusCode, message }) {
      return say(statusCode, message);
    }
    try {
      await graphql(request, response);
    } catch (e) {
      log.counted('error', 'request failed', { error: messageOf(e) });
      request.socket.destroy();
    }
  });
  Object.assign(server, { requestTimeout: SLOW, headersTimeout: SLOW, maxConnections: 2 * API_MAX_SOCKETS + AT_A_TIME });

  // an address that has too many is not answered: that would take as long as it likes
  server.on('connection', (socket) => {
    const leave = addresses.enter('connections', socket.remoteAddress);
    if (leave) socket.on('close', leave);
    else socket.destroy();
  });

  // by a connection of its own: those of the queries may all be taken
  const probing = probe(settings);
  let asked = null;
  async function health(say) {
    try {
      if (feed.heard < Date.now() - SLOW)
        throw new Error(`the changes of the indexer are not heard${feed.why === null ? '' : `: ${feed.why}`}`);
      asked ??= probing
        .rows('SELECT')
        .finally(() => setTimeout(() => (asked = null), LOOK).unref());
      await asked;
      say(200, `ok, ${sockets.size} sockets, ${feed.size} subscriptions`);
    } catch (e) {
      say(503, messageOf(e));
    }
  }

  const upgrade = new WebSocketServer({ noServer: true, maxPayload: LENGTH, perMessageDeflate: false, closeTimeout: UNREAD_FOR });
  const config = makeGraphQLWSConfig(serv);
  const open = useServer(
    {
      ...config,
      // A browser sends no headers with a WebSocket, so the token is in connection_init.
      async onConnect(ctx) {
        const { request, socket } = ctx.extra;
        const authorization = ctx.connectionParams?.authorization;
        if (authorization === undefined) return config.onConnect?.(ctx);
        try {
          const headers = { authorization: String(authorization) };
          request[ASKER] = await xrpc.who(headers, socket._socket?.remoteAddress);
        } catch {
          return false; // which closes it with code 4403
        }
        return config.onConnect?.(ctx);
      },
      onSubscribe(ctx, id, payload) {
        if (Object.keys(ctx.subscriptions).length > OF_A_SOCKET)
          return [new GraphQLError(`A socket can have ${OF_A_SOCKET} operations at a time`)];
        return config.onSubscribe(ctx, id, payload);
      },
      onNext(ctx, id, payload, args, result) {
        if (ctx.extra.socket.bufferedAmount > UNREAD) ctx.extra.socket.terminate();
        const next = bounded(result);
        return next === result ? config.onNext(ctx, id, payload, args, result) : next;
      },
    },
    upgrade,
  );
  // What it says is answered, too. And one that has read nothing for a while, whatever it says, is closed.
  upgrade.on('connection', (ws) => {
    const look = () => ws.bufferedAmount > UNREAD && ws.terminate();
    ws.on('message', look).on('ping', look).on('error', () => {}); // the client's: it is closed then
    let [unread, since] = [0, 0];
    const timer = setInterval(() => {
      if (unread === 0 || ws.bufferedAmount < unread) since = Date.now();
      unread = ws.bufferedAmount;
      if (unread > 0 && Date.now() - since > WHOLE) ws.terminate();
    }, LOOK);
    ws.on('close', () => clearInterval(timer));
  });
  server.on('upgrade', (request, socket, head) => {
    const refuse = (status, text) => {
      socket.setTimeout(SLOW, () => socket.destroy());
      socket.end(
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: text/plain; charset=utf-8\r\n` +
          `content-length: ${Buffer.byteLength(text) + 1}\r\nconnection: close\r\n\r\n${text}\n`,
      );
    };
    socket.on('error', () => {});
    if (request.url.split('?')[0] !== '/graphql') return refuse(404, 'WebSockets are at /graphql');
    if (!mayAsk(request)) return refuse(403, refusalOf(request));
    if (sockets.size >= API_MAX_SOCKETS) return refuse(503, `There are ${API_MAX_SOCKETS} WebSockets: come again later`);
    const leave = addresses.enter('WebSockets', socket.remoteAddress);
    if (!leave) return refuse(429, 'too many WebSockets of this address');
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('close', leave);
    upgrade.handleUpgrade(request, socket, head, (ws) => upgrade.emit('connection', ws, request));
  });

  const over = new AbortController();
  const following = feed.run(over.signal);
  try {
    await new Promise((resolve, reject) => {
      server.once('error', (e) => reject(ofPort(e, settings)));
      server.listen(API_PORT, API_HOST, resolve);
    });
    server.on('error', (e) => log.counted('error', 'api failed', { error: messageOf(e) }));
    const host = API_HOST.includes(':') ? `[${API_HOST}]` : API_HOST;
    log.info('api listening', { url: `http://${host}:${server.address().port}/` });
    await new Promise((resolve) => (ended.aborted ? resolve() : ended.addEventListener('abort', resolve)));
  } finally {
    over.abort();
    clearTimeout(feed.timer);
    server.close();
    await open.dispose();
    server.closeAllConnections();
    for (const socket of sockets) socket.destroy();
    await following;
    await making;
    await serv.release();
    probing.end();
    await preset.pgServices[0].release?.();
    await xrpc.close();
    stop();
    log.flush();
  }
  return broken.signal.aborted ? 1 : 0;
}
