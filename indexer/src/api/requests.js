// Requests over HTTP: which clients may query, how many at a time, and where each request goes.
import { createServer } from 'node:http';
import { messageOf } from '../db/errors.js';
import * as log from '../ops/log.js';
import { AT_A_TIME } from './crowd.js';
import { HEADERS, page } from './page.js';
import { ASKER } from './preset.js';

/** @typedef {import('node:http').IncomingMessage & { [ASKER]?: string | null }} Request */
/** @typedef {import('node:http').ServerResponse} Response */
/** @typedef {(status: number, text: string, headers?: Record<string, string>) => void} Say */

export const SLOW = 10_000; // ms for a request to arrive
export const LOOK = 1000; // ms between two checks for requests that last too long

const PREFLIGHT = {
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'content-type, accept, authorization',
  'access-control-max-age': '86400',
};

/**
 * @param {Response} response
 * @returns {Say}
 */
const sayTo = (response) => (status, text, headers) => {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...headers });
  response.end(`${text}\n`);
};

/** @param {Request} request */
const pathOf = ({ url = '' }) => url.split('?')[0];

export class Requests {
  // A connection has one request at a time: when it is cut, pipelined requests behind the first
  // would not learn that they are over.
  asking = new WeakSet();

  /**
   * @param {{ origins: import('./origins.js').Origins, crowd: import('./crowd.js').Crowd, xrpc:
   *   import('./xrpc.js').Xrpc, health: import('./health.js').Health, schema:
   *   import('./schema.js').Schema, graphql: (request: Request, response: Response) => any }} parts
   */
  constructor({ origins, crowd, xrpc, health, schema, graphql }) {
    this.origins = origins;
    this.crowd = crowd;
    this.xrpc = xrpc;
    this.health = health;
    this.schema = schema;
    this.graphql = graphql;
  }

  /**
   * @param {Request} request
   * @param {Response} response
   * @returns {Promise<unknown>}
   */
  async handle(request, response) {
    const { socket } = request;
    if (this.asking.has(socket)) return socket.destroy();
    this.asking.add(socket);
    response.on('close', () => this.asking.delete(socket));
    const say = sayTo(response);
    if (request.url === '/health') return this.health.answer(say);
    if (this.xrpc.takes(request)) return this.xrpc.handle(request, response);
    if (!this.origins.allows(request)) return say(403, this.origins.refusalOf(request));
    if (request.headers.origin !== undefined) {
      response.setHeader('access-control-allow-origin', request.headers.origin);
      response.setHeader('vary', 'Origin');
      if (request.method === 'OPTIONS') return say(204, '', PREFLIGHT);
    }
    const why = request.method === 'POST' ? null : this.crowd.enter(response);
    if (why) return say(why.statusCode, why.message);
    if (request.method === 'GET' && pathOf(request) === '/')
      return response.writeHead(200, HEADERS).end(page(this.schema.current));
    return this.query(request, response, say);
  }

  /**
   * @param {Request} request
   * @param {Response} response
   * @param {Say} say
   */
  async query(request, response, say) {
    const { headers, socket } = request;
    try {
      request[ASKER] = await this.xrpc.who(headers, socket.remoteAddress);
    } catch (/** @type {any} */ { statusCode, message }) {
      return say(statusCode, message);
    }
    try {
      await this.graphql(request, response);
    } catch (/** @type {any} */ e) {
      log.counted('error', 'request failed', { error: messageOf(e) });
      socket.destroy();
    }
    return undefined;
  }
}

/**
 * The server of these requests.
 * @param {Requests} requests
 * @param {import('./addresses.js').Addresses} addresses
 * @param {number} sockets how many WebSockets there can be
 */
export function serverOf(requests, addresses, sockets) {
  const server = createServer({ connectionsCheckingInterval: LOOK }, (request, response) =>
    requests.handle(request, response),
  );
  Object.assign(server, {
    requestTimeout: SLOW,
    headersTimeout: SLOW,
    maxConnections: 2 * sockets + AT_A_TIME,
  });
  // An address with too many connections gets no answer, since it could read that as slowly as it
  // likes.
  server.on('connection', (socket) => {
    const leave = addresses.enter('connections', socket.remoteAddress);
    if (leave) socket.on('close', leave);
    else socket.destroy();
  });
  return server;
}
