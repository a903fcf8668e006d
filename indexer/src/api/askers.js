// Keys of clients that the database does not have yet. They are requested from the directory, or
// from the domain of a did:web, and the database keeps the answers (sql/tables/asker.sql).
//
// Anybody can put any DID into a token. So that made-up DIDs do not keep others out:
// - the database keeps the keys that were found for a month, so most clients are known;
// - the addresses of clients take turns, and did:web has places of its own, two for each domain;
// - the same key is not requested again within a minute, whatever the answer was;
// - no client waits longer than WAIT, and one that waits holds no database connection.
import { messageOf } from '../db/errors.js';
import { domainOf, originOf } from '../net/addresses.js';
import { Http } from '../net/http.js';
import { Failure } from '../protocol/failure.js';
import { METHODS } from '../work/did-methods.js';
import * as log from '../ops/log.js';

const WAIT = 3000; // ms for an answer, and also for a place
const OF_DOMAIN = 2;
const KEPT = 60_000; // ms for which an answer is remembered
const MOST_KEPT = 20_000;
const MOST_WAITING = 2000;

/**
 * @typedef {string} Kind a method's name
 * @typedef {import('../work/did-methods.js').Method} Method
 * @typedef {true | false | 'away'} Answer whether there is a new key; away: there was no answer
 * @typedef {{ at: number, isOver: boolean, answer: Promise<Answer> }} Kept
 * @typedef {{ kind: Kind, domain: string | null, begin: () => void }} Waiting
 */

export class Askers {
  /** @type {Map<string, Kept>} by the DID, the oldest first */
  kept = new Map();
  /** @type {Map<string | undefined, Set<Waiting>>} an address: those that wait */
  queues = new Map();
  waits = 0;
  /** @type {Record<Kind, number>} */
  taken = Object.fromEntries(Object.keys(METHODS).map((name) => [name, 0]));
  /** @type {Map<string, number>} a registrable domain: how many requests are under way */
  domains = new Map();

  /**
   * @param {any} settings
   * @param {import('../db/pool.js').Pool} pool
   * @param {AbortSignal} ended
   */
  constructor(settings, pool, ended) {
    this.settings = settings;
    this.pool = pool;
    this.ended = ended;
    this.http = new Http({ ...settings, REPO_TIMEOUT: WAIT / 1000, MIN_DOWNLOAD_RATE: 0 });
  }

  /**
   * Requests a key.
   * @param {string} did
   * @param {string} [address]
   * @returns {Promise<Answer> | false}
   */
  identify(did, address) {
    const before = this.kept.get(did);
    if (before && before.at > Date.now() - KEPT) return before.isOver ? false : before.answer;
    this.kept.delete(did);
    const [oldest] = this.kept.keys();
    if (this.kept.size >= MOST_KEPT) this.kept.delete(oldest);
    const answer = this.inTurn(did, address).finally(() => (one.isOver = true));
    /** @type {Kept} */
    const one = { at: Date.now(), isOver: false, answer };
    this.kept.set(did, one);
    // a client that got no place may try again at once
    one.answer.then(
      (said) => said === 'away' && this.kept.delete(did),
      () => this.kept.delete(did),
    );
    return one.answer;
  }

  /**
   * @param {string} did
   * @param {string} [address]
   * @returns {Promise<Answer>}
   */
  async inTurn(did, address) {
    const name = did.split(':')[1];
    const method = METHODS[name];
    const url = method?.url(did, this.settings) ?? null;
    if (url === null) return false;
    const isOfDomain = method.server(this.settings) === null;
    const domain = isOfDomain ? domainOf(/** @type {string} */ (originOf(url))) : null;
    const leave = await this.place(name, domain, address);
    if (leave === null) return 'away';
    try {
      return await this.ask(did, method, url);
    } finally {
      leave();
    }
  }

  /**
   * @param {string} did
   * @param {Method} method
   * @param {string} url
   * @returns {Promise<Answer>}
   */
  async ask(did, { most, read }, url) {
    const asked = new Date();
    try {
      const signal = AbortSignal.any([this.ended, AbortSignal.timeout(WAIT)]);
      const said = await this.http.get(url, { most, signal });
      const { why } = await this.pool.row('SELECT indexer.add_asker($1, $2, $3) AS why', [
        did,
        read(said, did),
        asked,
      ]);
      if (why !== null) log.debug('key refused', { did, reason: why });
      return why === null;
    } catch (/** @type {any} */ e) {
      log.debug('key failed', { did, error: messageOf(e) });
      return e instanceof Failure && !e.ofHost ? false : 'away';
    }
  }

  /**
   * @param {Kind} kind
   * @param {string | null} domain
   */
  hasPlace(kind, domain) {
    return (
      this.taken[kind] < METHODS[kind].askers &&
      (domain === null || (this.domains.get(domain) ?? 0) < OF_DOMAIN)
    );
  }

  /**
   * A place, as the function that gives it back; null if there is none in time.
   * @param {Kind} kind
   * @param {string | null} domain
   * @param {string} [address]
   */
  async place(kind, domain, address) {
    if (this.queues.size > 0 || !this.hasPlace(kind, domain)) {
      if (!(await this.wait(kind, domain, address))) return null;
    }
    this.taken[kind]++;
    if (domain !== null) this.domains.set(domain, (this.domains.get(domain) ?? 0) + 1);
    return () => {
      this.taken[kind]--;
      if (domain !== null) this.leaveDomain(domain);
      this.next();
    };
  }

  /** @param {string} domain */
  leaveDomain(domain) {
    const left = (this.domains.get(domain) ?? 1) - 1;
    if (left > 0) this.domains.set(domain, left);
    else this.domains.delete(domain);
  }

  /**
   * @param {Kind} kind
   * @param {string | null} domain
   * @param {string} [address]
   * @returns {Promise<boolean>}
   */
  async wait(kind, domain, address) {
    if (this.waits >= MOST_WAITING) return false;
    this.waits++;
    return new Promise((resolve) => {
      const queue = this.queues.get(address) ?? new Set();
      const end = (/** @type {boolean} */ has) => {
        clearTimeout(timer);
        this.waits--;
        queue.delete(one);
        if (queue.size === 0) this.queues.delete(address);
        resolve(has);
      };
      /** @type {Waiting} */
      const one = { kind, domain, begin: () => end(true) };
      const timer = setTimeout(() => end(false), WAIT);
      this.queues.set(address, queue.add(one));
      // others may wait for places of another kind or domain
      if (this.hasPlace(kind, domain)) this.next();
    });
  }

  // Gives a place to the first request that can have one, of the address whose turn it is.
  next() {
    for (const [address, queue] of this.queues)
      for (const one of queue) {
        if (!this.hasPlace(one.kind, one.domain)) continue;
        one.begin();
        if (this.queues.has(address)) {
          this.queues.delete(address);
          this.queues.set(address, queue); // behind the others
        }
        return;
      }
  }

  close() {
    this.http.close();
  }
}
