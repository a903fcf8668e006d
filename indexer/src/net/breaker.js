// The circuit breaker for a server that is queried about many accounts: the service, or the
// directory. While the server is away the breaker is open: nothing is sent for a while, which
// doubles each time. Then our own request, probe(), which concerns no account, shows whether the
// server is back. So no account can hold up the others: neither one about which the server never
// answers, nor one whose answer never ends. One account is requested along with the probe, as some
// servers do not answer the probe.
//
// If a request fails while others are answered, the failure is that account's. If none is answered,
// the probe shows whose failure it is. Failures of the server do not count against accounts.
import { BOUNDS } from '../protocol/answers.js';

/** @typedef {import('../protocol/failure.js').Failure} Failure */
/** @typedef {{ began: number, tries: boolean }} Attempt */

const FIRST = 1000;
const MOST = 60e3;
const MOST_ASKED = 300e3; // that the server may make us wait
const IN_A_ROW = 16; // failures without an answer until we pause, though the probe is answered

export class Breaker {
  /**
   * @param {() => Promise<unknown>} probe rejects with a Failure of the host if the server is away
   * @param {() => number} [clock]
   */
  constructor(probe, clock = Date.now) {
    this.probe = probe;
    this.clock = clock;
    this.away = false;
    this.until = 0; // when the probe is sent
    this.failures = 0; // of the server, without an answer
    /** @type {Promise<void> | null} */
    this.probing = null; // the probe that is under way
    this.answered = -Infinity;
    this.inRow = 0; // failed requests since the last answer
  }

  /**
   * A breaker that probes this address.
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
   * A request begins. If it fails, pass the returned value to fail().
   * @returns {Attempt}
   */
  start() {
    return { began: this.clock(), tries: this.away };
  }

  // The server has answered, even if only with an error.
  succeed() {
    this.answered = this.clock();
    this.inRow = 0;
    if (this.answered < this.until) return; // the answer to an earlier request
    this.away = false;
    this.failures = 0;
  }

  /**
   * A request failed. Is the server alone at fault, so that the same request should be sent again?
   * One that was sent along with the probe counts as failed, so that the next time it is another.
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
   * Nothing is sent for a while, which doubles each time. Requests that fail at the same time count
   * as one failure.
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
