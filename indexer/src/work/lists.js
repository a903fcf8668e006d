// The lists of accounts that the service has, page by page.
import { isLost, isOfServer } from '../db/errors.js';
import * as log from '../ops/log.js';
import { BOUNDS } from '../protocol/answers.js';
import { codeOf } from '../protocol/codes.js';
import { Failure } from '../protocol/failure.js';
import { clean } from '../protocol/text.js';
import { LISTS } from './list-kinds.js';
import { loop } from './tasks.js';

/**
 * The list whose page is read next. of: its name. at: the position of the page. asked: the present
 * time of the database. kind: a key of LISTS. value: that of the want.
 * @typedef {{ of: string, at: string, asked: string, kind: string, value: string }} List
 */

export class Lists {
  /** @param {import('./workers.js').Needs} needs listening: is the stream heard? */
  constructor({ service, pools, signal, listening, signs }) {
    this.service = service;
    this.pools = pools;
    this.signal = signal;
    this.listening = listening;
    this.signs = signs;
    /** @type {import('../ops/signs.js').Sign | undefined} */
    this.sign = undefined;
  }

  // Reads the lists.
  run() {
    this.sign = this.signs.of('lists');
    return loop('lists', this.signal, () => this.page(), { sign: this.sign });
  }

  // Reads the next page of a list. Lists are read only while the stream is heard, so that no later
  // change is missed. Returns whether there is more to do.
  async page() {
    const { service, pools } = this;
    const may = this.listening() && service.breaker.allowance(1) > 0;
    this.sign?.holds(this.listening() ? service.isHolding() : null);
    if (!may) return false;
    const list = await pools.small.row(
      'SELECT of, at, asked::text, kind, value FROM indexer.next_listing() WHERE of IS NOT NULL',
    );
    if (!list) return false;
    this.sign?.begins();
    const request = service.breaker.start();
    try {
      const page = await this.#read(list);
      service.breaker.succeed();
      await this.#store(list, page);
      return true;
    } catch (e) {
      if (!(e instanceof Failure)) throw e;
      return this.#failPage(list, request, e);
    }
  }

  /** @param {List} list */
  async #read({ kind, value, at }) {
    const { method, query, limit, read } = LISTS[kind];
    const where = { ...query(value), limit, ...(at && { cursor: at }) };
    return read(await this.service.get(method, where, { most: BOUNDS.page }), at, value);
  }

  /**
   * @param {List} list
   * @param {import('../protocol/answers.js').ListPage} page
   */
  async #store(list, { repos, next, left }) {
    const { of, at, asked } = list;
    if (left > 0) log.info('list entries skipped', { list: of, count: left });
    try {
      const values = [of, at, JSON.stringify(repos), next, asked];
      await this.pools.answers.row('SELECT indexer.store_listing_page($1, $2, $3, $4, $5)', values);
      this.sign?.done();
    } catch (e) {
      if (e.severity === undefined || isLost(e) || isOfServer(e)) throw e;
      await this.#fail(list, 'not_written', e.message);
    }
  }

  /**
   * @param {List} list
   * @param {import('../net/breaker.js').Attempt} request
   * @param {Failure} e
   */
  async #failPage(list, request, e) {
    if (this.service.isUnsupported(e)) {
      log.warn('list unsupported', { list: list.of, code: e.why, detail: e.detail });
      const { other } = await this.pools.answers.row(
        'SELECT indexer.mark_listing_unsupported($1, $2) AS other',
        [list.of, e.message],
      );
      if (other) return true;
    }
    const away = await this.service.isAway(request, e);
    await this.#fail(list, e.why, e.detail, e.retryAfter);
    return !away;
  }

  /**
   * The page is read again, after a longer pause each time; the other lists go on.
   * @param {List} list
   * @param {string} why
   * @param {string} detail
   * @param {number | null} [seconds]
   */
  async #fail({ of, at }, why, detail, seconds = null) {
    this.sign?.misses(of, of, codeOf(why).words);
    log.warn('list failed', { list: of, code: why, detail: clean(detail, 1000) });
    await this.pools.answers.row('SELECT indexer.fail_listing($1, $2, $3, $4, $5)', [
      of,
      at,
      why,
      detail,
      seconds ?? 0,
    ]);
  }
}
