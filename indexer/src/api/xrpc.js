// XRPC: the methods at /xrpc/, for clients of the AT Protocol.
//
//   /xrpc/NSID              a function in the schema xrpc (methods.js), or a feed
//   /xrpc/_health           200 while the database answers
//   /.well-known/did.json   the DID document of this service, if its DID is a did:web
//
// The client is the account whose key has signed the token, which the database verifies in the same
// statement that returns the answer. A key that it does not have is requested (askers.js).
//
// All users of an AppView come from its address, so there are no limits per address here. Only the
// number of requests under way is limited, and the names of methods take turns (turns.js).
import pg from 'pg';
import { XRPCError } from '@atproto/xrpc-server';
import { isSafeError } from 'postgraphile/grafast';
import { messageOf } from '../db/errors.js';
import { Pool } from '../db/pool.js';
import { VERSION } from '../db/versions.js';
import { clean } from '../protocol/text.js';
import * as log from '../ops/log.js';
import { Askers } from './askers.js';
import { Methods, unimplemented } from './methods.js';
import { ReaderClient, readerConfig } from './reader.js';
import { Late, NameTurns } from './turns.js';

const CONNECTIONS = 10; // of the reader
const AT_A_TIME = 3000; // requests, most of which wait for a key or for their turn
// A named statement is parsed once by each connection.
const VERIFY = {
  name: 'verify',
  text: 'SELECT v.did, CASE WHEN v.stale THEN v.did END AS stale FROM xrpc.verify($1, $2, $3) AS v',
};
const STRANGERS = 'clients whose tokens were never valid';
const MOST_GOOD = 50_000; // accounts
const WHOLE = 30_000; // ms until the client has read its whole answer
const UNREAD_FOR = 5000; // ms for which a client may read nothing
const MOST_URL = 8000; // characters
const PATH = '-c search_path=pg_catalog,pg_temp'; // users' functions must name their schemas

const HEADERS = {
  'access-control-allow-origin': '*', // there are no cookies: a token is explicit
  'access-control-expose-headers': 'atproto-content-labelers, retry-after',
};
const PREFLIGHT = {
  'access-control-allow-methods': 'GET',
  'access-control-allow-headers':
    'authorization, content-type, atproto-accept-labelers, atproto-proxy',
  'access-control-max-age': '86400',
};

// Errors for parameters that a type does not accept. Later ones, of a function or a view, are not
// the client's, and may quote what is stored.
const OF_CLIENT = ['22003', '22007', '22008', '22021', '22P02'];
const TIMEOUT = '57014';
const PROGRAM_ERRORS = [TypeError, ReferenceError, RangeError, SyntaxError];
const NEW_ANSWER = ['UnknownIdentity', 'BadJwtSignature'];

/** @param {import('node:http').IncomingHttpHeaders} headers */
const bearerOf = ({ authorization = '' }) => /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? null;

/**
 * The method that a token for GraphQL must name: for did:web:feeds.example.com it is
 * com.example.feeds.graphql.
 * @param {string} did
 */
export function graphqlMethod(did) {
  const [, method, name] = did.split(':');
  const host = method === 'web' ? name.split('%', 1)[0].split('.') : ['plc', 'did'];
  return [...(host.length > 1 ? host : ['api', ...host]).reverse(), 'graphql'].join('.');
}
/**
 * @typedef {import('node:http').IncomingMessage} Request
 * @typedef {import('node:http').ServerResponse} Response
 * @typedef {(status: number, body: object) => unknown} Say
 */

const internal = () => new XRPCError(500, 'Internal Server Error', 'InternalServerError');
const busy = () => new XRPCError(503, 'the service is busy: try again', 'NotEnoughResources');

/**
 * An error of the database, as an XRPC error. Errors that are not the client's fault are logged.
 * @param {any} e
 * @param {string} name
 */
function errorOf(e, name) {
  if (e instanceof XRPCError) return e;
  if (e instanceof Late) return busy();
  const status = /^XR([45]\d\d)$/.exec(e.code ?? '')?.[1];
  if (status && e.constraint)
    return new XRPCError(Number(status), clean(e.message, 1000), e.constraint);
  if (OF_CLIENT.includes(e.code) && e.isOfParameter)
    return new XRPCError(400, clean(e.message, 300), 'InvalidRequest');
  if (e.name === 'AbortError') return busy();
  log.counted('error', 'method failed', { method: name, error: messageOf(e) });
  if (isSafeError(e)) return internal(); // the answer is too long
  if (e.code === TIMEOUT) return new XRPCError(503, 'it took too long', 'Timeout');
  const isAway = e.severity === undefined && !PROGRAM_ERRORS.includes(e.constructor);
  return isAway || /^(08|53|57)/.test(e.code ?? '') ? busy() : internal();
}

/**
 * The account that a token names, not verified; null: none.
 * @param {string} token
 * @returns {string | null}
 */
function issuerOf(token) {
  try {
    return JSON.parse(String(Buffer.from(token.split('.')[1], 'base64url'))).iss ?? null;
  } catch {
    return null;
  }
}

export class Xrpc {
  running = 0; // requests
  /** @type {Set<string | null>} accounts that have sent valid tokens, the oldest first */
  good = new Set();

  /**
   * @param {import('./server.js').Settings} settings
   * @param {AbortSignal} ended
   */
  constructor(settings, ended) {
    const { API_DID, API_PORT, API_CHECK_OUTPUT } = settings;
    this.did = API_DID ?? `did:web:localhost%3A${API_PORT}`;
    const config = readerConfig(settings);
    this.reader = new pg.Pool({
      ...config,
      options: `${config.options} ${PATH}`,
      Client: /** @type {any} */ (ReaderClient),
      max: CONNECTIONS,
    });
    this.reader.on('error', () => {});
    this.pool = new Pool('api keys', 2);
    this.askers = new Askers(settings, this.pool, ended);
    this.turns = new NameTurns(CONNECTIONS);
    this.methods = new Methods({
      did: this.did,
      isChecked: API_CHECK_OUTPUT,
      reader: this.reader,
      pool: this.pool,
      ask: (about) => this.ask(about),
    });
  }

  /** @param {Request} request */
  takes({ url = '' }) {
    return url.startsWith('/xrpc/') || url === '/.well-known/did.json';
  }

  /**
   * @param {Request} request
   * @param {Response} response
   * @returns {Promise<unknown>}
   */
  async handle(request, response) {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    /** @type {Say} */
    const say = (status, body) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.method === 'OPTIONS') return response.writeHead(204, PREFLIGHT).end();
    if (request.url === '/.well-known/did.json') return this.document(say);
    const { url = '' } = request;
    if (/^\/xrpc\/_health(\?|$)/.test(url)) return this.health(say);
    if (url.length > MOST_URL)
      return say(414, { error: 'InvalidRequest', message: 'the URL is too long' });
    if (this.running >= AT_A_TIME) {
      response.setHeader('retry-after', '1');
      return say(503, {
        error: 'NotEnoughResources',
        message: 'there are too many requests: try again',
      });
    }
    this.count(response);
    const { authorization } = request.headers;
    response.setHeader('cache-control', authorization ? 'private, no-store' : 'public, max-age=5');
    response.setHeader('vary', 'authorization');
    try {
      const nsid = url.slice('/xrpc/'.length).split(/[?#]/, 1)[0];
      const router = await this.methods.router(nsid);
      if (this.methods.isMisspelled(nsid)) throw unimplemented();
      router(request, response);
    } catch (/** @type {any} */ e) {
      const { statusCode, payload } = errorOf(e, 'xrpc');
      say(statusCode, payload);
    }
  }

  /**
   * A request counts until its answer is read. Caches must not keep errors.
   * @param {any} response
   */
  count(response) {
    this.running++;
    const timer = setTimeout(() => response.destroy(), WHOLE);
    const { writeHead } = response;
    response.writeHead = (/** @type {number} */ status, /** @type {any[]} */ ...more) => {
      if (status >= 400 && !response.headersSent) response.setHeader('cache-control', 'no-store');
      return writeHead.call(response, status, ...more);
    };
    response.once('prefinish', () => response.setTimeout(UNREAD_FOR, () => response.destroy()));
    response.on('close', () => {
      clearTimeout(timer);
      this.running--;
    });
  }

  /**
   * Runs a statement for the client of a request: $1 to $3 are the token, the audience and the
   * method.
   * @param {import('./methods.js').Asked} asked
   */
  async ask({ req, nsid, name, statement, values, signal }) {
    const { headers, socket } = req;
    const about = { headers, name, method: nsid, address: socket.remoteAddress, signal };
    return (await this.verified(about, statement, values)).body;
  }

  /**
   * The account that has signed the token of a GraphQL request, or null.
   * @param {import('node:http').IncomingHttpHeaders} headers
   * @param {string} [address]
   * @returns {Promise<string | null>}
   */
  async who(headers, address) {
    if (headers.authorization === undefined) return null;
    const method = graphqlMethod(this.did);
    return (await this.verified({ headers, name: method, method, address }, VERIFY, [])).did;
  }

  /**
   * Runs a statement that verifies a token. If a newer answer from the directory could change the
   * verdict, it is run again with that. Clients that have never sent a valid token share a turn of
   * their own, so that the others do not wait for them, however many there are.
   * @param {{ headers: import('node:http').IncomingHttpHeaders, name: string, method: string,
   *   address?: string, signal?: AbortSignal }} about
   * @param {{ name?: string, text: string }} statement
   * @param {any[]} values
   * @returns {Promise<any>}
   */
  async verified({ headers, name, method, address, signal }, statement, values) {
    const token = headers.authorization === undefined ? null : (bearerOf(headers) ?? '');
    const issuer = token === null ? null : issuerOf(token);
    const turn = token === null || this.good.has(issuer) ? name : STRANGERS;
    const all = [token, this.did, method, ...values];
    const query = async () => (await this.reader.query({ ...statement, values: all })).rows[0];
    for (let again = true; ; again = false) {
      try {
        const row = await this.turns.run(turn, query, signal);
        if (token !== null) this.keep(issuer);
        if (row.stale) this.refresh(row.stale, address);
        return row;
      } catch (/** @type {any} */ e) {
        if (!again || !NEW_ANSWER.includes(e.constraint) || !e.detail) throw errorOf(e, name);
        const said = await this.askers.identify(e.detail, address);
        if (said === 'away' && e.constraint === 'UnknownIdentity') throw busy();
        if (said !== true) throw errorOf(e, name);
      }
    }
  }

  /** @param {string | null} issuer */
  keep(issuer) {
    this.good.delete(issuer);
    const [oldest] = this.good;
    if (this.good.size >= MOST_GOOD) this.good.delete(oldest);
    this.good.add(issuer);
  }

  /**
   * Requests a key that is a day old again, while the old one remains valid.
   * @param {string} did
   * @param {string} [address]
   */
  refresh(did, address) {
    this.pool
      .rows('SELECT indexer.see_asker($1)', [did])
      .then(() => this.askers.identify(did, address))
      .catch((e) => log.counted('error', 'keys failed', { error: messageOf(e) }));
  }

  /** @param {Say} say */
  document(say) {
    if (!this.did.startsWith('did:web:')) return say(404, { error: 'NotFound' });
    const host = decodeURIComponent(this.did.slice('did:web:'.length));
    const serviceEndpoint = `${host.startsWith('localhost') ? 'http' : 'https'}://${host}`;
    return say(200, {
      '@context': ['https://www.w3.org/ns/did/v1'],
      id: this.did,
      service: [
        { id: '#bsky_fg', type: 'BskyFeedGenerator', serviceEndpoint },
        { id: '#atid', type: 'AtidIndexer', serviceEndpoint },
      ],
    });
  }

  /** @param {Say} say */
  async health(say) {
    try {
      await this.reader.query('SELECT');
      return say(200, { version: VERSION });
    } catch (/** @type {any} */ e) {
      log.counted('error', 'health failed', { error: messageOf(e) });
      return say(503, { error: 'NotEnoughResources', message: 'the database does not answer' });
    }
  }

  async close() {
    this.askers.close();
    await Promise.allSettled([this.reader.end(), this.pool.end()]);
  }
}
