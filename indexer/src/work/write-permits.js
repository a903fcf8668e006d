// Permits to write repositories: so many at a time, `kept` of them for known accounts, and also for
// small repositories of others while no known account waits. The smallest repository comes first;
// but each second of waiting counts as a megabyte, so that large ones get their turn, too.

/** @typedef {{ known: boolean, small: boolean, order: number, resolve?: () => void }} Waiting */

const SMALL = 1e6; // bytes of a repository that is written quickly
const PER_MS = 1000; // bytes for which a millisecond of waiting counts

export class WritePermits {
  #known = 0;
  #others = 0;
  /** @type {Waiting[]} */
  #waiting = [];

  /**
   * @param {number} most
   * @param {number} kept
   */
  constructor(most, kept) {
    this.most = most;
    this.kept = kept;
  }

  /**
   * @param {boolean} known
   * @param {1 | -1} n
   */
  #count(known, n) {
    if (known) this.#known += n;
    else this.#others += n;
  }

  /**
   * Waits for a permit. Returns a function that gives it back.
   * @param {boolean} known
   * @param {number} bytes
   */
  async acquire(known, bytes) {
    const one = { known, small: bytes <= SMALL, order: bytes + Date.now() * PER_MS };
    if (this.#next([one])) this.#count(known, 1);
    else
      await new Promise((resolve) =>
        this.#waiting.push({ ...one, resolve: () => resolve(undefined) }),
      );
    return () => this.#release(known);
  }

  /** @param {boolean} known */
  #release(known) {
    this.#count(known, -1);
    const next = this.#next(this.#waiting);
    if (next === undefined) return;
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    this.#count(next.known, 1);
    next.resolve?.();
  }

  /**
   * The waiting repository that may begin now, or undefined.
   * @param {Waiting[]} waiting
   */
  #next(waiting) {
    if (this.#known + this.#others >= this.most) return undefined;
    const isShared = this.#others < this.most - this.kept;
    const mayBegin = waiting.filter(({ known }) => known || isShared);
    return first(mayBegin) ?? first(waiting.filter(({ small }) => small));
  }
}

/**
 * @param {Waiting[]} all
 * @returns {Waiting | undefined}
 */
const first = (all) =>
  all.reduce((a, b) => (a && a.order <= b.order ? a : b), /** @type {any} */ (undefined));
