// The circuit breaker of a server that is asked about many accounts: the service, and the
// directory. While the server is away the breaker is open: nothing is sent for a while, which
// doubles. Then a question of our own, probe(), which is about no account, shows whether the server
// is back. So no account can hold the others up: neither one that the server always fails to
// answer, nor one whose answer never ends. One account is asked for next to the probe, as some
// servers do not answer it.
//
// A request that fails while others are answered is that account's. If none is answered, the probe
// tells whose failure it is. Failures that are the server's do not count for accounts.
import { BOUNDS } from '../protocol/answers.js';

/** @typedef {import('../protocol/failure.js').Failure} Failure */
/** @typedef {{ began: number, tries: boolean }} Attempt */

const FIRST = 1000;
const MOST = 60e3;
const MOST_ASKED = 300e3; // that it may have us wait
const IN_A_ROW = 16; // failures without an answer: then we pause, though the probe is answered

export class Breaker {
  /**
   * @param {() => Promise<unknown>} probe rejects with a Failure of the host if the server is away
   * @param {() => number} [clock]
   */
  constructor(probe, clock = Date.now) {
    this.probe = probe;
    this.clock = clock;
    this.away = false;
    this.until = 0; // then the probe is sent
    this.failures = 0; // of the server, without an answer
    /** @type {Promise<void> | null} */
    this.probing = null; // the probe that is under way
    this.answered = -Infinity;
    this.inRow = 0; // requests that failed, without an answer
  }

  /**
   * A breaker whose probe is this address.
   * @param {string} url
   * @param {import('./http.js').Http} http
   * @param {AbortSignal} signal
   */
  static of(url, http, signal) {
    return new Breaker(() => http.get(url, { most: BOUNDS.document, signal }));
  }

  /**
   * How many of n requests may be sent now.
   * @param {number} n
   */
  allowance(n) {
    if (!this.away) return n;
    if (this.clock() < this.until || this.probing) return 0;
    this.sendProbe();
    return Math.min(n, 1);
  }

  /**
   * A request begins; give what this returns to fail() if it fails.
   * @returns {Attempt}
   */
  start() {
    return { began: this.clock(), tries: this.away };
  }

  // There was an answer, be it that there is none.
  succeed() {
    this.answered = this.clock();
    this.inRow = 0;
    if (this.answered < this.until) return; // what was asked before it went away
    this.away = false;
    this.failures = 0;
  }

  /**
   * A request failed. Is it the server's failure alone, so that the same is to be requested again?
   * A request that was sent next to the probe counts, so that the next time it is another.
   * @param {Attempt} attempt
   * @param {Failure} failure
   */
  async fail({ began, tries }, failure) {
    if (failure.retry === 'asked') {
      this.open(failure);
      return true;
    }
    if (tries || failure.begun || this.answered >= began) return false;
    this.inRow++;
    if (!this.away) await this.sendProbe();
    if (!this.away && this.inRow >= IN_A_ROW) this.open(failure);
    return this.away;
  }

  /**
   * Nothing is sent for a while, which doubles each time; several requests that fail at one time
   * are one failure.
   * @param {Failure} failure
   */
  open(failure) {
    const now = this.clock();
    if (!this.away || now >= this.until) {
      this.until = now + Math.min(FIRST * 2 ** Math.min(this.failures, 20), MOST);
      this.failures++;
      this.away = true;
    }
    this.until = Math.max(this.until, now + Math.min((failure.retryAfter ?? 0) * 1000, MOST_ASKED));
  }

  // Sends the probe, unless one is under way.
  sendProbe() {
    const began = this.clock();
    this.probing ??= this.probe().then(
      () => this.probed(began, null),
      (e) => this.probed(began, e.ofHost ? e : null),
    );
    return this.probing;
  }

  /**
   * @param {number} began
   * @param {Failure | null} failure
   */
  probed(began, failure) {
    this.probing = null;
    if (failure === null) this.away = false;
    else if (this.answered < began) this.open(failure);
  }
}
