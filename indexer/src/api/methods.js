// The methods that are served: feeds, and the functions in the schema xrpc whose names are NSIDs,
// as their Lexicons define them. @atproto/xrpc-server routes requests, and checks parameters and,
// in tests, outputs.
//
// The functions and the Lexicons are read again when requests come, at most every LOOK ms: so a
// function that was just created is served, and one that was dropped is not.
import { XRPCError, createServer as createXrpc } from '@atproto/xrpc-server';
import { messageOf } from '../db/errors.js';
import * as log from '../ops/log.js';
import { DESCRIBE, OWN, SKELETON } from './lexicons.js';

const LOOK = 2000; // ms
const LONGEST = 5e6; // characters of an answer
const CONTENT = 'application/json';

// The functions, with the names and types of their arguments.
const FUNCTIONS = `
SELECT p.proname AS nsid, p.oid::text AS id, p.provolatile = 'v' AS volatile,
  p.prorettype = 'jsonb'::regtype AND NOT p.proretset AS jsonb,
  coalesce((SELECT json_agg(json_build_object('name', a.name, 'type', format_type(a.type, NULL))
                            ORDER BY a.n)
            FROM unnest(p.proargnames, p.proargtypes::oid[])
                 WITH ORDINALITY AS a (name, type, n)), '[]') AS args
FROM pg_proc AS p
WHERE p.pronamespace = 'xrpc'::regnamespace AND p.prokind = 'f' AND strpos(p.proname, '.') > 0
  AND has_function_privilege(p.oid, 'EXECUTE')
ORDER BY p.proname, p.oid`;

// The Lexicons of these methods, with all Lexicons that they refer to. (One alone is an object.)
const LEXICONS = `
SELECT '[]'::jsonb || atid.lexicon_only(s.stored, ARRAY(
  SELECT n FROM unnest(atid.lexicon_nsids(s.stored)::text[]) AS n
  WHERE n = ANY ($1)))::jsonb AS lexicons
FROM (SELECT atid.lexicon_agg(l.lexicons) AS stored FROM indexer.lexicons AS l) AS s
WHERE s.stored IS NOT NULL`;

export const unimplemented = () =>
  new XRPCError(501, 'Method Not Implemented', 'MethodNotImplemented');

/** @param {string} name */
const quoted = (name) => `"${name.replaceAll('"', '""')}"`;

// The client's account is set before the function runs. The subquery is volatile, so the planner
// does not remove it.
const FROM_WHO = '(SELECT xrpc.enter($1, $2, $3) AS stale OFFSET 0) AS who';
const PAGE = {
  name: 'feed page',
  text: `SELECT xrpc.feed_skeleton($4, $2, $5::int, $6)::text AS body, who.stale FROM ${FROM_WHO}`,
};
const FEEDS = {
  name: 'feeds',
  text: `SELECT xrpc.describe_feeds($2)::text AS body, who.stale FROM ${FROM_WHO}`,
};

/**
 * @typedef {import('@atproto/xrpc-server').Server} Server
 * @typedef {{ nsid: string, id: string, volatile: boolean, jsonb: boolean, args: { name: string,
 *   type: string }[] }} Method
 * @typedef {{ req: any, nsid: string, name: string, statement: { name?: string, text: string },
 *   values: any[], signal?: AbortSignal }} Asked
 */

/**
 * Why a function is not served, or null.
 * @param {Method} method
 * @param {any} document
 * @param {boolean} isTwice
 */
function problemOf({ args, volatile, jsonb }, document, isTwice) {
  const main = document?.defs.main;
  if (!main) return 'the database has no Lexicon of this name; "atid-indexer lexicon add" adds one';
  if (main.type !== 'query') return `it is a ${main.type}, and only queries are served`;
  if (isTwice) return 'there are several functions with this name';
  if (!jsonb) return 'it must return jsonb';
  if (volatile) return 'a query must be STABLE';
  const known = Object.keys(main.parameters?.properties ?? {});
  const wrong = args
    .filter(({ name }) => !known.includes(name))
    .map(({ name }) => name || 'an argument without a name');
  return wrong.length > 0 ? `its Lexicon has no parameter ${wrong.join(', ')}` : null;
}

/**
 * An answer goes to the client as the database has written it; it is parsed only to be checked.
 * @param {string | null} body
 * @param {string} nsid
 * @param {boolean} isChecked
 */
function answerOf(body, nsid, isChecked) {
  if (body === null || body.length > LONGEST) {
    const error = body === null ? 'the function returned NULL' : 'the answer is too long';
    log.counted('error', 'method failed', { method: nsid, error });
    throw new XRPCError(500, 'Internal Server Error', 'InternalServerError');
  }
  return isChecked
    ? { encoding: CONTENT, body: JSON.parse(body) }
    : { encoding: CONTENT, buffer: Buffer.from(body) };
}

export class Methods {
  /** @type {Server | null} */
  server = null;
  /** @type {Set<string>} the methods that it has */
  names = new Set();
  looked = 0;
  state = '';
  /** @type {Promise<void> | null} */
  looking = null;
  /** @type {Map<string, string | null>} the methods found by the last look */
  reasons = new Map();

  /**
   * @param {{ did: string, isChecked: boolean, reader: import('pg').Pool, pool:
   *   import('../db/pool.js').Pool, ask: (asked: Asked) => Promise<string | null> }} needs ask runs
   *   a statement for a client
   */
  constructor({ did, isChecked, reader, pool, ask }) {
    this.did = did;
    this.isChecked = isChecked;
    this.reader = reader;
    this.pool = pool;
    this.ask = ask;
  }

  /**
   * The router of the present methods.
   * @param {string} nsid
   * @returns {Promise<any>}
   */
  async router(nsid) {
    const isOld = Date.now() - this.looked > LOOK;
    if (isOld || this.server === null)
      this.looking ??= this.look().finally(() => (this.looking = null));
    if (this.looking !== null && (this.server === null || !this.names.has(nsid)))
      await this.looking;
    else
      this.looking?.catch((e) =>
        log.counted('error', 'method failed', { method: 'xrpc', error: messageOf(e) }),
      );
    return /** @type {Server} */ (this.server).router;
  }

  /**
   * Is a path the name of a method in another case, or with a slash? The router ignores both.
   * @param {string} path
   */
  isMisspelled(path) {
    const name = path.replace(/\/$/, '').toLowerCase();
    return !this.names.has(path) && [...this.names].some((one) => one.toLowerCase() === name);
  }

  async look() {
    const { rows: functions } = await this.reader.query(FUNCTIONS);
    const nsids = [...new Set([...functions.map(({ nsid }) => nsid), SKELETON, DESCRIBE])];
    const row = await this.pool.row(LEXICONS, [nsids]);
    this.looked = Date.now();
    const state = JSON.stringify([functions, row]);
    if (state === this.state) return;
    this.server = this.make(functions, row?.lexicons ?? []);
    this.state = state;
  }

  /**
   * @param {Method[]} functions
   * @param {any[]} stored the Lexicons of the database
   */
  make(functions, stored) {
    const documents = [...stored, ...OWN.filter(({ id }) => !stored.some((one) => one.id === id))];
    const server = createXrpc([], {
      validateResponse: this.isChecked,
      payload: { jsonLimit: 1000, textLimit: 1000, blobLimit: 1 },
      catchall: (req, res, next) => next(unimplemented()),
      errorParser: (/** @type {any} */ e) => (e instanceof XRPCError ? e : XRPCError.fromError(e)),
    });
    server.router.disable('x-powered-by');
    server.router.disable('etag');
    for (const document of documents) {
      try {
        server.addLexicon(document);
      } catch (/** @type {any} */ e) {
        log.error('lexicon failed', { lexicon: document.id, error: messageOf(e) });
      }
    }
    this.names = new Set([SKELETON, DESCRIBE]);
    const reasons = new Map();
    for (const one of functions) {
      const document = documents.find(({ id }) => id === one.nsid);
      const isTwice = functions.filter(({ nsid }) => nsid === one.nsid).length > 1;
      const why = problemOf(one, document, isTwice);
      if (why === null && !this.names.has(one.nsid)) this.add(server, one);
      reasons.set(one.nsid, why);
    }
    this.report(reasons);
    this.addFeeds(server);
    return server;
  }

  /**
   * Logs which methods are served and which are not, if that has changed.
   * @param {Map<string, string | null>} reasons for each name why it is not served, or null
   */
  report(reasons) {
    for (const [method, reason] of reasons) {
      if (this.reasons.get(method) === reason) continue;
      if (reason === null) log.info('method served', { method });
      else log.warn('method refused', { method, reason });
    }
    this.reasons = reasons;
  }

  /**
   * @param {Server} server
   * @param {Method} method
   */
  add(server, { nsid, args }) {
    this.names.add(nsid);
    server.method(nsid, async ({ params, req, signal }) => {
      const given = args.filter(({ name }) => params[name] !== undefined);
      const list = given.map(({ name, type }, i) => `${quoted(name)} => $${i + 4}::${type}`);
      const text = `SELECT xrpc.${quoted(nsid)}(${list})::text AS body, who.stale FROM ${FROM_WHO}`;
      const values = given.map(({ name }) => params[name]);
      const body = await this.ask({ req, nsid, name: nsid, statement: { text }, values, signal });
      return answerOf(body, nsid, this.isChecked);
    });
  }

  /** @param {Server} server */
  addFeeds(server) {
    server.method(SKELETON, async ({ params: { feed, limit, cursor }, req, signal }) => {
      const name = `feed ${String(feed).split('/')[4]}`;
      const values = [feed, limit, cursor ?? null];
      const body = await this.ask({ req, nsid: SKELETON, name, statement: PAGE, values, signal });
      return answerOf(body, name, this.isChecked);
    });
    server.method(DESCRIBE, async ({ req, signal }) => {
      const body = await this.ask({
        req,
        nsid: DESCRIBE,
        name: DESCRIBE,
        statement: FEEDS,
        values: [],
        signal,
      });
      return answerOf(body, DESCRIBE, this.isChecked);
    });
  }
}
