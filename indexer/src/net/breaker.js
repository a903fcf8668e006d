// The back-off of a server that many accounts are asked of: the service, and the directory. While
// it is away it is left alone for a while, which doubles. Then a question of our own, probe(),
// which is about no account, tells whether it is back. So no account can hold the others up:
// neither one that the server always fails to answer, nor one whose answer never ends. One account
// is asked for beside it, as some servers have no answer to the probe.
//
// A request that fails while others are answered is that account's. If none is answered, the probe
// tells whose failure it is. Failures that are the server's do not count for accounts.
import { BOUNDS } from '../protocol/answers.js';

const FIRST = 1000;
const MOST = 60e3;
const MOST_ASKED = 300e3; // that it may have us wait
const IN_A_ROW = 16; // failures without an answer: then we pause, though the probe is answered

export class Upstream {
  // probe: rejects with a Failure of the host if the server is away.
  constructor(probe, clock = Date.now) {
    this.probe = probe;
    this.clock = clock;
    this.away = false;
    this.until = 0; // then the probe is sent
    this.failures = 0; // of the server, without an answer
    this.trying = null; // the probe that is under way
    this.answered = -Infinity;
    this.row = 0; // requests that failed, without an answer
  }

  // Whose probe is this address.
  static of(url, http, signal) {
    return new Upstream(() => http.get(url, { most: BOUNDS.document, signal }));
  }

  // Asks for n requests: how many may be sent now.
  may(n) {
    if (!this.away) return n;
    if (this.clock() < this.until || this.trying) return 0;
    this.ask();
    return Math.min(n, 1);
  }

  // A request begins; give what this returns to good() or bad().
  begin() {
    return { began: this.clock(), tries: this.away };
  }

  // There was an answer, be it that there is none.
  good() {
    this.answered = this.clock();
    this.row = 0;
    if (this.answered < this.until) return; // what was asked before it went away
    this.away = false;
    this.failures = 0;
  }

  // A request failed. Is it the server's failure alone, so that the account is to be asked for
  // again? The one that was asked for beside the probe counts, so that the next time it is another.
  async bad({ began, tries }, failure) {
    if (failure.retry === 'asked') {
      this.wait(failure);
      return true;
    }
    if (tries || failure.begun || this.answered >= began) return false;
    this.row++;
    if (!this.away) await this.ask();
    if (!this.away && this.row >= IN_A_ROW) this.wait(failure);
    return this.away;
  }

  // Nobody is asked for a while, which doubles each time; several requests that fail at one time
  // are one failure.
  wait(failure) {
    const now = this.clock();
    if (!this.away || now >= this.until) {
      this.until = now + Math.min(FIRST * 2 ** Math.min(this.failures, 20), MOST);
      this.failures++;
      this.away = true;
    }
    this.until = Math.max(this.until, now + Math.min((failure.retryAfter ?? 0) * 1000, MOST_ASKED));
  }

  // Sends the probe, unless one is under way.
  ask() {
    const began = this.clock();
    this.trying ??= this.probe().then(
      () => this.told(began, null),
      (e) => this.told(began, e.ofHost ? e : null),
    );
    return this.trying;
  }

  told(began, failure) {
    this.trying = null;
    if (failure === null) this.away = false;
    else if (this.answered < began) this.wait(failure);
  }
}
