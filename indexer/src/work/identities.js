// Identities: requests for the keys and servers of accounts, and what follows an answer.
import { isLost, isOfValue, messageOf } from '../db/errors.js';
import { domainOf, originOf } from '../net/addresses.js';
import { Breaker } from '../net/breaker.js';
import { Places } from '../net/places.js';
import { Rate } from '../net/rate.js';
import * as log from '../ops/log.js';
import { codeOf } from '../protocol/codes.js';
import { Failure } from '../protocol/failure.js';
import { METHODS } from './did-methods.js';
import { IDLE, loop, pause } from './tasks.js';

/** @typedef {import('../net/places.js').Place} Place */
/** @typedef {import('../ops/signs.js').Sign} Sign */
/**
 * rate: the cap on requests to the method's one server; null: there is no cap.
 * @typedef {import('./did-methods.js').Method & { name: string, places: Places, breaker: Breaker |
 *   null, rate: Rate | null }} Asked
 */
/** @typedef {'known' | 'new' | 'again'} Kind */
/**
 * @typedef {{ did: string, asked: string | null, at: string }} Row asked: the time of the request;
 *   null: it was passed over
 */
/**
 * @typedef {{ row: Row, method: Asked, url: string | null, place: Place | null, sign: Sign }}
 *   Question
 */

const LATER = 2; // seconds until a domain that has no free place is tried again
// ms after which requests to a directory begin again with those that are due longest
const ROUND = 10e3;
const CAPPED = 100; // ms until requests that the cap holds back are tried again

export class Identities {
  /** @param {import('./workers.js').Needs} needs */
  constructor({ settings, pools, http, signal, tasks, signs }) {
    this.settings = settings;
    this.pools = pools;
    this.http = http;
    this.signal = signal;
    this.tasks = tasks;
    this.signs = signs;
    /** @type {Set<string>} */
    this.asking = new Set(); // identities under way, which may be due again before the answer comes
    this.isLive = false; // are accounts wanted in live mode, whose keys are all requested?
    /** @type {Asked[]} */
    this.methods = Object.entries(METHODS).map(([name, method]) => {
      const server = method.server(settings);
      const breaker = server === null ? null : Breaker.of(`${server}/_health`, http, signal);
      const rate = server === null ? null : new Rate(settings.PLC_RATE);
      return { ...method, name, places: new Places(method.limits(settings)), breaker, rate };
    });
  }

  /**
   * Requests identities of this kind and method while there are places. Those whose domain has no
   * free place are passed over. The requests go round all that are due.
   * @param {Kind} kind
   * @param {Asked} method
   */
  run(kind, method) {
    const { places, breaker, rate } = method;
    const sign = this.signs.of(`identities of ${method.name}`);
    /** @type {Row | undefined} */
    let last;
    let round = 0;
    const turn = async () => {
      const room = places.capacity(kind);
      places.waiting[kind] = room === 0;
      sign.holds(this.#heldBy(breaker, room));
      if (room === 0) {
        await places.freed(IDLE);
        return true;
      }
      const n = breaker === null ? room : breaker.allowance(room);
      if (n === 0) return false;
      // Identities requested because of bad signatures count as long due, so requests to a
      // directory begin again with these. Requests to single domains go on to the end, past the
      // busy ones.
      if (breaker !== null && Date.now() - round > ROUND) {
        last = undefined;
        round = Date.now();
        ({ live: this.isLive } = await this.pools.small.row('SELECT indexer.wants_live() AS live'));
      }
      const cap = this.isLive ? rate : null;
      const allowed = cap === null ? n : cap.take(n);
      if (allowed === 0) {
        await pause(CAPPED, this.signal);
        return true;
      }
      const rows = await this.#next(kind, method, allowed, last);
      last = rows.at(-1);
      const begun = await this.#begin(kind, method, rows, sign);
      cap?.giveBack(allowed - begun);
      if (begun === 0 && last) await pause(IDLE / 3, this.signal);
      return last !== undefined;
    };
    return loop(`identities by ${method.of}`, this.signal, turn, { sign });
  }

  /**
   * @param {Breaker | null} breaker
   * @param {number} room
   */
  #heldBy(breaker, room) {
    if (breaker?.away) return `${this.settings.PLC_URL} does not answer`;
    return room === 0 ? 'no request ends, so no place is free' : null;
  }

  /**
   * @param {Kind} kind
   * @param {Asked} method
   * @param {number} n
   * @param {Row | undefined} last
   * @returns {Promise<Row[]>}
   */
  #next(kind, { name, breaker, places }, n, last) {
    const busy = breaker === null ? places.busyDomains(kind) : [];
    return this.pools.small.rows(
      'SELECT did, asked::text, at::text FROM indexer.claim_identities($1, $2, $3, $4, $5, $6)',
      [n, kind, name, busy, last?.at ?? null, last?.did ?? null],
    );
  }

  /**
   * Begins the requests that get a place. Returns their number.
   * @param {Kind} kind
   * @param {Asked} method
   * @param {Row[]} rows
   * @param {Sign} sign
   */
  async #begin(kind, method, rows, sign) {
    const { asking } = this;
    /** @type {string[]} */
    const refused = [];
    let begun = 0;
    for (const row of rows.filter(({ asked, did }) => asked !== null && !asking.has(did))) {
      const { did } = row;
      const url = method.url(did, this.settings);
      const origin = url && originOf(url);
      const place = origin ? method.places.acquire(origin, kind) : null;
      if (url && place === null) {
        refused.push(did);
        continue;
      }
      begun++;
      sign.begins();
      asking.add(did);
      const end = () => {
        place?.release();
        asking.delete(did);
      };
      const question = { row, method, url, place, sign };
      this.tasks.begin(did, () => this.#identify(question).finally(end));
    }
    if (refused.length > 0) await this.#release(refused, LATER);
    return begun;
  }

  /**
   * These were not requested after all: they come again so many seconds later, and nothing counts.
   * @param {string[]} dids
   * @param {number} seconds
   */
  #release(dids, seconds) {
    return this.pools.small.row('SELECT indexer.release_identities($1, $2)', [dids, seconds]);
  }

  /**
   * Sends the request, gives the place back, and has the database store the answer, or the reason
   * why there is none.
   * @param {Question} question
   */
  async #identify(question) {
    const { row, method, place, sign } = question;
    const { did } = row;
    try {
      const answer = await this.#ask(question);
      if (answer === null) return void (await this.#release([did], 0));
      place?.release();
      const values = [did, method.read(answer, did), row.asked];
      const { why } = await this.pools.answers.row(method.take, values);
      if (why === null) sign.done();
      else log.debug('identity refused', { did, detail: why });
    } catch (e) {
      if (this.signal.aborted || isLost(e)) throw e;
      place?.release();
      await this.#fail(question, e);
    }
  }

  /**
   * Returns the answer; null: the server is away.
   * @param {Question} question
   */
  async #ask({ method, url, place }) {
    const { breaker, most, unnamed } = method;
    if (!url) throw new Failure(unnamed.why, unnamed.detail);
    const attempt = breaker?.start();
    try {
      const answer = await this.http.get(url, { most, signal: this.signal, place });
      breaker?.succeed();
      return answer;
    } catch (e) {
      if (!(e instanceof Failure) || breaker === null || attempt === undefined) throw e;
      if (!e.ofHost) breaker.succeed();
      else if (await breaker.fail(attempt, e)) {
        log.info('server away', { server: e.origin, code: e.why, detail: e.detail });
        return null;
      }
      throw e;
    }
  }

  /**
   * @param {Question} question
   * @param {any} e
   */
  async #fail({ row: { did }, url, sign }, e) {
    // an error that is not the answer's fault makes the identity be requested again
    if (!(e instanceof Failure) && !isOfValue(e)) throw e;
    const why = e instanceof Failure ? e.why : 'malformed';
    const detail = e instanceof Failure ? e.detail : messageOf(e);
    // a missing or unreadable identity of one account is no sign of trouble with others
    const { class: whose, words } = codeOf(why);
    const origin = url && originOf(url);
    if (whose === 'host') sign.misses(did, origin && domainOf(origin), `${words} ${detail}`);
    log.debug('identity failed', { did, code: why, detail });
    await this.pools.small.row('SELECT indexer.fail_identity($1, $2, $3)', [did, why, detail]);
  }
}
