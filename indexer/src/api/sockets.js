// WebSockets at /graphql: which clients may open one, and what each may hold.
import { STATUS_CODES } from 'node:http';
import { useServer } from 'graphql-ws/use/ws';
import { makeGraphQLWSConfig } from 'postgraphile/grafserv';
import { GraphQLError } from 'postgraphile/graphql';
import { WebSocketServer } from 'ws';
import { OF_A_SOCKET, UNREAD_FOR, WHOLE } from './crowd.js';
import { LENGTH, bounded } from './limits.js';
import { ASKER } from './preset.js';
import { LOOK, SLOW } from './requests.js';

/** @typedef {import('node:net').Socket} Socket */

const UNREAD = 1e6; // unread bytes of a socket; beyond these it is closed

/**
 * Answers a request for a WebSocket with an error.
 * @param {Socket} socket
 * @param {number} status
 * @param {string} text
 */
function refuse(socket, status, text) {
  socket.setTimeout(SLOW, () => socket.destroy());
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: text/plain; charset=utf-8',
    `content-length: ${Buffer.byteLength(text) + 1}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}\n`);
}

/**
 * Closes a socket that sends much and reads nothing, not even the answers to its pings, and one
 * that has read nothing for a while, whatever it sends.
 * @param {import('ws').WebSocket} ws
 */
function guard(ws) {
  const look = () => ws.bufferedAmount > UNREAD && ws.terminate();
  ws.on('message', look)
    .on('ping', look)
    .on('error', () => {}); // the client's fault; the socket is closed then
  let [unread, since] = [0, 0];
  const timer = setInterval(() => {
    if (unread === 0 || ws.bufferedAmount < unread) since = Date.now();
    unread = ws.bufferedAmount;
    if (unread > 0 && Date.now() - since > WHOLE) ws.terminate();
  }, LOOK);
  ws.on('close', () => clearInterval(timer));
}

/**
 * @param {any} config of the engine
 * @param {import('./xrpc.js').Xrpc} xrpc
 */
const operationsOf = (config, xrpc) => ({
  ...config,
  /**
   * A browser sends no headers with a WebSocket, so the token is in connection_init.
   * @param {any} ctx
   */
  async onConnect(ctx) {
    const { request, socket } = ctx.extra;
    const authorization = ctx.connectionParams?.authorization;
    if (authorization === undefined) return config.onConnect?.(ctx);
    try {
      const headers = { authorization: String(authorization) };
      request[ASKER] = await xrpc.who(headers, socket._socket?.remoteAddress);
    } catch {
      return false; // this closes the socket with code 4403
    }
    return config.onConnect?.(ctx);
  },
  /** @type {(ctx: any, id: string, payload: any) => any} */
  onSubscribe(ctx, id, payload) {
    if (Object.keys(ctx.subscriptions).length > OF_A_SOCKET)
      return [new GraphQLError(`A socket can have ${OF_A_SOCKET} operations at a time`)];
    return config.onSubscribe(ctx, id, payload);
  },
  /** @type {(ctx: any, id: string, payload: any, args: any, result: any) => any} */
  onNext(ctx, id, payload, args, result) {
    if (ctx.extra.socket.bufferedAmount > UNREAD) ctx.extra.socket.terminate();
    const next = bounded(result);
    return next === result ? config.onNext(ctx, id, payload, args, result) : next;
  },
});

export class Sockets {
  /** @type {Set<Socket>} */
  all = new Set();

  /**
   * @param {{ serv: any, xrpc: import('./xrpc.js').Xrpc, origins: import('./origins.js').Origins,
   *   addresses: import('./addresses.js').Addresses, most: number }} parts
   */
  constructor({ serv, xrpc, origins, addresses, most }) {
    this.origins = origins;
    this.addresses = addresses;
    this.most = most;
    this.upgrade = new WebSocketServer({
      noServer: true,
      maxPayload: LENGTH,
      perMessageDeflate: false,
      .../** @type {any} */ ({ closeTimeout: UNREAD_FOR }),
    });
    this.upgrade.on('connection', guard);
    this.open = useServer(operationsOf(makeGraphQLWSConfig(serv), xrpc), this.upgrade);
  }

  /**
   * @param {import('node:http').IncomingMessage} request
   * @param {Socket} socket
   * @param {Buffer} head
   */
  accept(request, socket, head) {
    const { all, upgrade } = this;
    socket.on('error', () => {});
    if (request.url?.split('?')[0] !== '/graphql')
      return refuse(socket, 404, 'WebSockets are at /graphql');
    if (!this.origins.allows(request)) return refuse(socket, 403, this.origins.refusalOf(request));
    if (all.size >= this.most)
      return refuse(socket, 503, `there are ${this.most} WebSockets already: try again later`);
    const leave = this.addresses.enter('WebSockets', socket.remoteAddress);
    if (!leave) return refuse(socket, 429, 'too many WebSockets from this address');
    all.add(socket);
    socket.on('close', () => all.delete(socket)).on('close', leave);
    return upgrade.handleUpgrade(request, socket, head, (ws) =>
      upgrade.emit('connection', ws, request),
    );
  }

  // Ends the open sockets, with their subscriptions.
  dispose() {
    return this.open.dispose();
  }

  destroy() {
    for (const socket of this.all) socket.destroy();
  }
}
