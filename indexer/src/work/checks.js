// Requests to the service about single accounts: the status of an account, and its collections.
import { isLost, messageOf } from '../db/errors.js';
import { Places } from '../net/places.js';
import * as log from '../ops/log.js';
import { BOUNDS, readCollections, readRepoStatus } from '../protocol/answers.js';
import { Failure } from '../protocol/failure.js';
import { IDLE, loop } from './tasks.js';

/** @typedef {{ did: string, asked?: string }} Row */
/**
 * sign: its sign of life. next: the statement that returns the accounts to check. ask: checks one.
 * may: may any be checked now? heldBy: why none is, or null.
 * @typedef {object} Check
 * @property {string} name
 * @property {import('../ops/signs.js').Sign} sign
 * @property {string} next
 * @property {(row: Row) => Promise<unknown>} ask
 * @property {() => boolean} [may]
 * @property {() => string | null} [heldBy]
 */

const CHECKS = 16; // accounts checked at a time
// ms until a server that describes no repository is asked to describe one again
const UNDESCRIBED = 3600e3;

export class Checks {
  /** @param {import('./workers.js').Needs} needs */
  constructor({ service, pools, signal, tasks, signs }) {
    this.service = service;
    this.pools = pools;
    this.signal = signal;
    this.tasks = tasks;
    this.signs = signs;
    this.described = false; // the server has described a repository
    this.undescribed = 0; // until this time it is not asked to
  }

  /**
   * Asks the service about accounts, several at a time, each in its own task, since a relay may
   * redirect to a slow host.
   * @param {Check} check
   */
  run(check) {
    const { service, pools, signal, tasks } = this;
    const { name, sign, next, may = () => true, heldBy = () => null } = check;
    const places = new Places({ all: CHECKS, origin: CHECKS, domain: CHECKS });
    const turn = async () => {
      const room = places.capacity('known');
      const full = room === 0 ? 'no request ends, so no place is free' : null;
      sign.holds(heldBy() ?? service.isHolding() ?? full);
      if (room === 0) {
        await places.freed(IDLE);
        return true;
      }
      const n = may() ? service.breaker.allowance(room) : 0;
      /** @type {Row[]} */
      const rows = n > 0 ? await pools.small.rows(next, [n]) : [];
      for (const row of rows) {
        sign.begins();
        const place = places.acquire(service.origin, 'known');
        tasks.begin(row.did, () => this.#ask(check, row).finally(() => place?.release()));
      }
      return rows.length > 0;
    };
    return loop(name, signal, turn, { sign });
  }

  /**
   * @param {Check} check
   * @param {Row} row
   */
  async #ask({ name, sign, ask }, row) {
    const { service } = this;
    const request = service.breaker.start();
    try {
      await ask(row);
      service.breaker.succeed();
      sign.done();
    } catch (e) {
      if (this.signal.aborted || isLost(e)) throw e;
      const isOurs = !(e instanceof Failure) || e.origin === service.origin;
      if (isOurs) sign.misses(row.did, row.did, messageOf(e));
      if (!(e instanceof Failure) || !e.ofHost) service.breaker.succeed();
      else if (isOurs) await service.breaker.fail(request, e);
      // the database will have it checked again
      log.info('check failed', { check: name, did: row.did, error: messageOf(e) });
    }
  }

  statuses() {
    return this.run({
      name: 'status',
      sign: this.signs.of('statuses'),
      next: 'SELECT did, asked::text FROM indexer.claim_status_checks($1)',
      ask: (row) => this.#askStatus(row),
    });
  }

  /** @param {Row} row */
  async #askStatus({ did, asked }) {
    /** @param {{ active: boolean, status?: string | null, rev: string | null }} answer */
    const store = ({ active, status, rev }) =>
      this.pools.answers.row('SELECT indexer.store_account_status($1, $2, $3, $4, $5)', [
        did,
        active,
        status,
        rev,
        asked,
      ]);
    try {
      const bytes = await this.service.get(
        'sync.getRepoStatus',
        { did },
        { most: BOUNDS.document },
      );
      await store(readRepoStatus(bytes, did));
    } catch (e) {
      if (!(e instanceof Failure) || !e.ofAccount) throw e;
      await store({ active: false, status: e.status, rev: null });
    }
  }

  signals() {
    const isUndescribed = () => this.undescribed > 0 && !this.described;
    return this.run({
      name: 'collections',
      sign: this.signs.of('signals'),
      next: 'SELECT did FROM indexer.claim_candidates($1)',
      ask: (row) => this.#askCollections(row),
      may: () => Date.now() >= this.undescribed,
      heldBy: () => (isUndescribed() ? 'the server describes no repository' : null),
    });
  }

  /** @param {Row} row */
  async #askCollections({ did }) {
    const { service } = this;
    /** @param {string[] | null} found null: the server did not tell */
    const store = (found) =>
      this.pools.answers.row('SELECT indexer.finish_candidate($1, $2)', [did, found]);
    try {
      const bytes = await service.get(
        'repo.describeRepo',
        { repo: did },
        { most: BOUNDS.document },
      );
      this.described = true;
      await store(readCollections(bytes, did));
    } catch (e) {
      if (!(e instanceof Failure)) throw e;
      const isMissing = this.described && e.why === 'not_found';
      if (e.ofAccount || e.why === 'refused' || isMissing) return void (await store([]));
      if (this.described || !service.isUnsupported(e)) throw e;
      if (Date.now() >= this.undescribed)
        log.warn('signals unsupported', {
          advice: 'name the accounts that have a signal, or another ATID_SERVICE_URL',
        });
      this.undescribed = Date.now() + UNDESCRIBED;
      await store(null);
    }
  }
}
