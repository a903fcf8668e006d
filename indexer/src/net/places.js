// Places for requests, `all` in total. Requests concern known or new accounts; those that are
// retried after a failure are kinds of their own, `back` for known accounts and `again` for new
// ones. Half of all places are kept for known accounts, an eighth for new ones. Of these parts,
// retries have at most `back` or `again` places, and half of that is kept for them. For each kind,
// one origin has at most `origin` places, and one registrable domain `domain`. The origins in
// `free`, our own service, have no such limit.
import { domainOf } from './addresses.js';

/** @typedef {'known' | 'back' | 'new' | 'again'} Kind */
/** @type {Kind[]} */
const KINDS = ['known', 'back', 'new', 'again'];
const MOST_NOTED = 1000; // origins that were refused

/**
 * @template T
 * @param {() => T} make
 * @returns {Record<Kind, T>}
 */
const byKind = (make) =>
  /** @type {Record<Kind, T>} */ (Object.fromEntries(KINDS.map((kind) => [kind, make()])));

/**
 * A place. On a redirect it moves to the new origin, if that has a free place. When the answer has
 * arrived the place no longer counts for its origin; it is released when the answer is processed.
 */
export class Place {
  #places;
  #kind;
  #released = false;
  #pace = { measured: 0, slow: 0, rates: 0 };

  /**
   * @param {Places} places
   * @param {string} origin
   * @param {Kind} kind
   */
  constructor(places, origin, kind) {
    this.#places = places;
    this.#kind = kind;
    /** @type {string | null} */
    this.origin = origin;
  }

  /** @param {{ measured: number, slow: number, rates: number }} next */
  #note(next) {
    const places = this.#places;
    places.measured[this.#kind] += next.measured - this.#pace.measured;
    places.slow[this.#kind] += next.slow - this.#pace.slow;
    places.rates[this.#kind] += next.rates - this.#pace.rates;
    this.#pace = next;
  }

  /**
   * May the request go on? `rate` is its bytes per second; it is slow if that is below `quick`.
   * @param {number} rate
   * @param {number} quick
   */
  mayStay(rate, quick) {
    const slow = rate < quick && !this.#places.isFree(this.origin);
    this.#note({ measured: 1, slow: Number(slow), rates: Math.min(rate, quick) });
    if (!slow || this.#places.sparesSlow(this.#kind, quick)) return true;
    this.#note({ measured: 0, slow: 0, rates: 0 });
    return false;
  }

  /**
   * Moves to another origin. Returns false if that has no free place.
   * @param {string} to
   */
  move(to) {
    if (to === this.origin) return true;
    if (!this.#places.admits(to, this.#kind)) return false;
    this.#places.count(this.origin, this.#kind, -1);
    this.#places.count(to, this.#kind, 1);
    this.origin = to;
    return true;
  }

  // The answer has arrived.
  releaseOrigin() {
    this.#places.count(this.origin, this.#kind, -1);
    this.origin = null;
    this.#note({ measured: 0, slow: 0, rates: 0 });
  }

  release() {
    if (this.#released) return;
    this.#released = true;
    this.releaseOrigin();
    this.#places.give(this.#kind);
  }
}

export class Places {
  /**
   * @param {{ all: number, origin: number, domain: number, again?: number, back?: number, free?:
   *   string[] }} limits
   */
  constructor({ all, origin, domain, again = 0, back = 0, free = [] }) {
    this.limit = { all, origin, domain, again, back };
    this.free = new Set(free);
    this.taken = byKind(() => 0);
    /** @type {Map<string, number>} */
    this.origins = new Map();
    this.domains = byKind(() => /** @type {Map<string, number>} */ (new Map()));
    // origins that were refused because their domain has no free place, with that domain
    this.full = byKind(() => /** @type {Map<string, string>} */ (new Map()));
    this.waiting = byKind(() => false); // do others wait for a place of this kind?
    this.slow = byKind(() => 0); // slow requests,
    this.measured = byKind(() => 0); // requests whose rate is known,
    this.rates = byKind(() => 0); // and the sum of their rates, each counted up to `quick`
    /** @type {Set<() => void>} */
    this.wakers = new Set();
  }

  // The number of places that are taken.
  get held() {
    return KINDS.reduce((sum, kind) => sum + this.taken[kind], 0);
  }

  /** @param {string | null} origin */
  isFree(origin) {
    return origin !== null && this.free.has(origin);
  }

  /**
   * How many places there are for this kind and its counterpart: first requests, or retries.
   * @param {Kind} kind
   */
  share(kind) {
    const { all } = this.limit;
    return kind === 'known' || kind === 'back' ? all - Math.floor(all / 8) : Math.ceil(all / 2);
  }

  /**
   * How many of this kind may begin now.
   * @param {Kind} kind
   */
  capacity(kind) {
    const { limit, taken } = this;
    const fresh = kind === 'known' || kind === 'back' ? 'known' : 'new';
    const failed = fresh === 'known' ? 'back' : 'again';
    const share = this.share(kind);
    const left =
      kind === fresh
        ? share - Math.max(taken[failed], Math.floor(limit[failed] / 2)) - taken[fresh]
        : Math.min(share - taken[fresh], limit[failed]) - taken[failed];
    return Math.max(0, Math.min(left, limit.all - this.held));
  }

  /**
   * May a slow request of this kind keep its place? While others wait, slow ones may hold only a
   * quarter of the places, unless all requests are rather quick on average: then our own line may
   * be the slow one.
   * @param {Kind} kind
   * @param {number} quick
   */
  sparesSlow(kind, quick) {
    const { limit, measured, rates, slow, waiting } = this;
    const most = kind === 'known' || kind === 'new' ? this.share(kind) : limit[kind];
    const isFew = slow[kind] <= Math.max(1, most / 4);
    return !waiting[kind] || isFew || rates[kind] >= (measured[kind] * quick) / 2;
  }

  /**
   * @param {string} origin
   * @param {Kind} kind
   */
  hasPlace(origin, kind) {
    if (this.free.has(origin)) return true;
    if ((this.origins.get(origin) ?? 0) >= this.limit.origin) return false;
    return (this.domains[kind].get(domainOf(origin)) ?? 0) < this.limit.domain;
  }

  /**
   * Does this origin have a free place? If not because of its domain, that is noted for busy().
   * @param {string} origin
   * @param {Kind} kind
   */
  admits(origin, kind) {
    if (this.hasPlace(origin, kind)) return true;
    const ofDomain = (this.origins.get(origin) ?? 0) < this.limit.origin;
    if (ofDomain && this.full[kind].size < MOST_NOTED)
      this.full[kind].set(origin, domainOf(origin));
    return false;
  }

  /**
   * A place, or null.
   * @param {string} origin
   * @param {Kind} kind
   */
  acquire(origin, kind) {
    if (this.capacity(kind) === 0 || !this.admits(origin, kind)) return null;
    this.taken[kind]++;
    this.count(origin, kind, 1);
    return new Place(this, origin, kind);
  }

  /**
   * Gives back a place of this kind.
   * @param {Kind} kind
   */
  give(kind) {
    this.taken[kind]--;
    for (const wake of this.wakers) wake();
  }

  /**
   * Counts so many more requests under way to an origin, or fewer.
   * @param {string | null} origin
   * @param {Kind} kind
   * @param {1 | -1} n
   */
  count(origin, kind, n) {
    if (origin === null || this.free.has(origin)) return;
    const domain = domainOf(origin);
    /** @type {(map: Map<string, number>, key: string) => void} */
    const add = (map, key) => {
      const now = (map.get(key) ?? 0) + n;
      if (now > 0) map.set(key, now);
      else map.delete(key);
    };
    add(this.origins, origin);
    add(this.domains[kind], domain);
    if (n > 0) return;
    for (const [name, of] of this.full[kind]) if (of === domain) this.full[kind].delete(name);
  }

  /**
   * Origins that have no free place of this kind now.
   * @param {Kind} kind
   */
  busy(kind) {
    const full = [...this.origins.keys()].filter((origin) => !this.hasPlace(origin, kind));
    return [...new Set([...full, ...this.full[kind].keys()])];
  }

  /**
   * Registrable domains that have no free place of this kind now.
   * @param {Kind} kind
   */
  busyDomains(kind) {
    return [...this.domains[kind]]
      .filter(([, n]) => n >= this.limit.domain)
      .map(([domain]) => domain);
  }

  /**
   * Resolves when a place has become free, or after a while.
   * @param {number} ms
   * @returns {Promise<void>}
   */
  freed(ms) {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.wakers.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.wakers.add(wake);
    });
  }
}
