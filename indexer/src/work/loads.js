// Repositories: which ones are downloaded now, and what follows each download.
import { isLost, isOfServer, messageOf } from '../db/errors.js';
import { domainOf } from '../net/addresses.js';
import { Memory } from '../net/memory.js';
import { Places } from '../net/places.js';
import * as log from '../ops/log.js';
import { codeOf } from '../protocol/codes.js';
import { Failure } from '../protocol/failure.js';
import { IDLE, loop, pause, retryUntilDone } from './tasks.js';
import { WritePermits } from './write-permits.js';

/** @typedef {import('../net/places.js').Kind} Kind */
/** @typedef {import('../net/places.js').Place} Place */
/** @typedef {import('../ops/signs.js').Sign} Sign */
/** @typedef {{ did: string, claim: number, host: string | null, at: string }} Claim */
/**
 * known: was the account loaded before? request: the breaker's record of the request.
 * @typedef {{ claim: Claim, known: boolean, place: Place, request:
 *   import('../net/breaker.js').Attempt, sign: Sign }} Load
 */

const COPIES = 3; // copies of a repository that pg makes to write it
const AT_ONCE = 50; // accounts that are claimed
const FULL = ['53100', '53200', '53400']; // the disk, the memory, the limit of temporary files
const SERVER_AGAIN = 2000; // ms

export class Loads {
  /** @param {import('./workers.js').Needs} needs */
  constructor({ settings, service, pools, signal, tasks, total, signs }) {
    const { SERVICE_URL, MAX_DOWNLOADS, MAX_DOWNLOAD_MEMORY, DB_WRITERS } = settings;
    this.settings = settings;
    this.service = service;
    this.pools = pools;
    this.signal = signal;
    this.tasks = tasks;
    this.total = total;
    this.signs = signs;
    const half = MAX_DOWNLOAD_MEMORY / 2;
    this.memory = new Memory(half, half / MAX_DOWNLOADS); // answers
    this.copies = new Memory(MAX_DOWNLOAD_MEMORY); // copies of them, to write them
    this.permits = new WritePermits(DB_WRITERS, DB_WRITERS > 1 ? 1 : 0);
    const quarter = Math.floor(MAX_DOWNLOADS / 4);
    this.downloads = new Places({
      all: MAX_DOWNLOADS,
      origin: Math.max(4, Math.floor(MAX_DOWNLOADS / 8)),
      domain: quarter,
      again: Math.max(1, quarter),
      back: Math.max(1, quarter),
      free: [SERVICE_URL],
    });
  }

  /**
   * Claims accounts while there are places, and loads each in its own task. The claims go round all
   * that are due. The kinds are those of load_kind() in claim_loads.sql.
   * @param {Kind} kind
   */
  run(kind) {
    const known = kind === 'known' || kind === 'back';
    const sign = this.signs.of(`loads of ${known ? 'known' : 'new'} accounts`);
    /** @type {Claim | undefined} */
    let last;
    const turn = async () => {
      const room = await this.#room(kind, sign);
      if (room === 0) {
        await this.downloads.freed(IDLE);
        return true;
      }
      const claims = await this.#claim(kind, room, last);
      last = claims.at(-1);
      const begun = await this.#begin(kind, claims, sign);
      if (begun === 0 && last) await pause(IDLE / 3, this.signal);
      return last !== undefined;
    };
    return loop(`loads of ${kind} accounts`, this.signal, turn, { sign });
  }

  /**
   * How many loads may begin.
   * @param {Kind} kind
   * @param {Sign} sign
   */
  async #room(kind, sign) {
    const { downloads, service } = this;
    const places = downloads.capacity(kind);
    downloads.waiting[kind] = places === 0 && (await this.#isWaiting(kind));
    sign.holds(
      service.isHolding() ?? (places === 0 ? 'no download ends, so no place is free' : null),
    );
    return Math.min(places, service.breaker.allowance(AT_ONCE));
  }

  /**
   * Does an account of this kind wait to be loaded?
   * @param {Kind} kind
   * @returns {Promise<boolean>}
   */
  async #isWaiting(kind) {
    const known = kind === 'known' || kind === 'back';
    const failed = kind === 'back' || kind === 'again';
    const query = 'SELECT indexer.is_load_waiting($1, $2) AS waits';
    return (await this.pools.small.row(query, [known, failed])).waits;
  }

  /**
   * @param {Kind} kind
   * @param {number} n
   * @param {Claim | undefined} last
   * @returns {Promise<Claim[]>}
   */
  #claim(kind, n, last) {
    const known = kind === 'known' || kind === 'back';
    const failed = kind === 'back' || kind === 'again';
    return this.pools.small.rows(
      'SELECT did, claim, host, at::text FROM indexer.claim_loads($1, $2, $3, $4, $5, $6)',
      [n, known, last?.at ?? null, last?.did ?? null, this.downloads.busy(kind), failed],
    );
  }

  /**
   * Begins the loads that get a place. Returns their number.
   * @param {Kind} kind
   * @param {Claim[]} claims
   * @param {Sign} sign
   */
  async #begin(kind, claims, sign) {
    const { downloads, service } = this;
    const known = kind === 'known' || kind === 'back';
    let begun = 0;
    for (const claim of claims.filter((one) => one.claim !== null)) {
      const place = downloads.acquire(claim.host ?? service.origin, kind);
      if (place === null) {
        await this.#release(claim);
        continue;
      }
      begun++;
      sign.begins();
      const request = service.breaker.start();
      const load = { claim, known, place, request, sign };
      this.tasks.begin(claim.did, () => this.load(load).finally(() => place.release()));
    }
    return begun;
  }

  /**
   * Reports the end of a claim to the database, which would otherwise consider the account as
   * loading for hours.
   * @param {Claim} claim
   */
  #release({ did, claim }) {
    return retryUntilDone(did, this.signal, () =>
      this.pools.small.row('SELECT indexer.release_load($1, $2)', [did, claim]),
    );
  }

  /**
   * @param {Claim} claim
   * @param {{ why: string, detail: string, ofHost?: boolean, seconds?: number | null }} failure
   */
  #fail({ did, claim }, { why, detail, ofHost = false, seconds = null }) {
    return retryUntilDone(did, this.signal, () =>
      this.pools.small.row('SELECT indexer.fail_load($1, $2, $3, $4, $5, $6)', [
        did,
        claim,
        why,
        detail,
        ofHost,
        seconds,
      ]),
    );
  }

  /**
   * The party that may be at fault. Accounts of a host count as one; but if all are on the service
   * itself, each counts.
   * @param {Claim} claim
   */
  #whose({ did, host }) {
    return host === null || host === this.service.origin ? did : domainOf(host);
  }

  /** @param {Load} load */
  async load(load) {
    const share = this.memory.share();
    try {
      const car = await this.#download(load, share);
      if (car === null) return;
      const release = await this.permits.acquire(load.known, car.length);
      const copies = this.copies.share();
      try {
        copies.add(COPIES * car.length);
        await copies.waitForRoom(this.signal);
        if (this.signal.aborted) await this.#release(load.claim);
        else await this.#write(load, car);
      } finally {
        copies.release();
        release();
      }
    } finally {
      share.release();
    }
  }

  /**
   * Returns the repository; null: the claim has ended.
   * @param {Load} load
   * @param {import('../net/memory.js').Share} share
   */
  async #download({ claim, place, request, sign }, share) {
    const { service } = this;
    const { did, host } = claim;
    try {
      const most = this.settings.MAX_REPO_SIZE;
      const car = await service.get('sync.getRepo', { did }, { most, place, share });
      service.breaker.succeed();
      return car;
    } catch (e) {
      if (!this.signal.aborted && !(e instanceof Failure)) throw e;
      if (this.signal.aborted || (await this.#isToRepeat(request, e))) {
        await this.#release(claim);
        return null;
      }
      log.info('load failed', { did, code: e.why, detail: e.detail, server: e.origin });
      if (!e.ofAccount) sign.misses(did, this.#whose(claim), e.message);
      const ofHost = e.ofHost && e.origin !== service.origin && e.origin === host;
      const seconds = e.retryAfter && Math.ceil(e.retryAfter);
      await this.#fail(claim, { why: e.why, detail: e.detail, ofHost, seconds });
      return null;
    } finally {
      place.releaseOrigin();
    }
  }

  /**
   * Is the account not at fault, so that it is loaded again without a pause?
   * @param {import('../net/breaker.js').Attempt} request
   * @param {Failure} e
   */
  async #isToRepeat(request, e) {
    if (await this.service.isAway(request, e)) {
      log.info('server away', { server: e.origin, code: e.why, detail: e.detail });
      return true;
    }
    return e.retry === 'at once';
  }

  /**
   * @param {Load} load
   * @param {Buffer} car
   */
  async #write({ claim, sign }, car) {
    const { did } = claim;
    try {
      const query = 'SELECT outcome, detail FROM indexer.store_repository($1, $2, $3)';
      const { outcome, detail } = await this.pools.loads.row(query, [did, claim.claim, car]);
      if (outcome === 'loaded') {
        this.total.loaded++;
        sign.done();
      } else if (outcome !== 'superseded') {
        sign.misses(did, this.#whose(claim), codeOf(outcome).words);
        log.info('load failed', { did, code: outcome, detail });
      }
    } catch (e) {
      if (isLost(e)) throw e;
      await this.#failWrite(claim, sign, e);
    }
  }

  /**
   * A repository that could not be written is loaded again after a pause here; but one that fills
   * the memory or the disk is loaded after a longer pause each time.
   * @param {Claim} claim
   * @param {Sign} sign
   * @param {import('../db/errors.js').AnyError} e
   */
  async #failWrite(claim, sign, e) {
    const { did } = claim;
    const isFull = FULL.includes(e.code ?? '');
    const why = isFull ? 'no_room' : 'not_written';
    log.error('load failed', { did, code: why, error: messageOf(e) });
    if (isOfServer(e)) {
      await pause(SERVER_AGAIN, this.signal);
      if (!isFull) return void (await this.#release(claim));
    }
    sign.misses(did, this.#whose(claim), messageOf(e));
    await this.#fail(claim, { why, detail: messageOf(e) });
  }
}
