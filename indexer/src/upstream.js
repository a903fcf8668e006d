// The back-off of a server that many accounts are asked of: the service, and the directory. When it fails, or asks us
// to wait, nobody is asked of it for a while that doubles; then one request tries it, until one is answered. Accounts
// do not count that as a failure of theirs.
//
// A request that fails while others are answered is that account's; so is one that tried the server, or an account to
// which the server always fails to answer would be tried again for ever.
const FIRST = 1000;
const MOST = 60e3;
const MOST_ASKED = 300e3; // that it may have us wait

export class Upstream {
  constructor() {
    this.failures = 0;
    this.until = 0;
    this.trying = false;
    this.answered = -Infinity;
  }

  get away() {
    return this.failures > 0;
  }

  // Asks for n requests: how many may be sent now. While it is away that is one, or none.
  may(n, now = Date.now()) {
    if (!this.away) return n;
    return now >= this.until && !this.trying ? Math.min(n, 1) : 0;
  }

  // A request begins; give what this returns to good() or bad().
  begin(now = Date.now()) {
    const tries = this.away;
    if (tries) this.trying = true;
    return { began: now, tries };
  }

  // There was an answer, be it that there is none.
  good(request, now = Date.now()) {
    if (request.tries) this.trying = false;
    this.answered = now;
    this.failures = 0;
  }

  // The server failed. Is it the server's failure alone, so that the account is to be asked for again?
  bad(request, failure, now = Date.now()) {
    if (request.tries) this.trying = false;
    const others = this.answered >= request.began;
    if (others && failure.why !== 'throttled') return false;
    if (request.tries || !this.away) {
      const pause = Math.min(FIRST * 2 ** Math.min(this.failures, 20), MOST);
      this.failures++;
      this.until = now + Math.max(pause, Math.min((failure.retryAfter ?? 0) * 1000, MOST_ASKED));
    }
    return !others && !request.tries;
  }

  // It was not sent after all.
  drop(request) {
    if (request.tries) this.trying = false;
  }
}
