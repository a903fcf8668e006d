// The time limits of a request while the other side has to act: headers within 15 seconds, at least
// so many bytes a second over ten seconds, and a limit for the whole. Time spent waiting for memory
// does not count.
const HEADERS_WITHIN = 15e3; // ms
const LEAST_OVER = 10e3; // ms

export class RequestClock {
  #whole; // ms left for the whole
  #since = Date.now();
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  /** @type {{ bytes: number } | null} */
  #window = null; // the current ten seconds
  #heard = 0; // bytes since the last look
  #waited = false; // it waited for us since the last look
  #look;

  /**
   * stop: called with a code and a detail when a limit is exceeded. least: bytes a second. mayStay:
   * may the request go on though others wait for its place? It is called every lookEvery ms.
   * @param {object} limits
   * @param {number} limits.patience
   * @param {number} limits.lookEvery
   * @param {() => number} limits.least
   * @param {(rate: number) => boolean} limits.mayStay
   * @param {(code: string, detail: string) => void} limits.stop
   */
  constructor({ patience, lookEvery, least, mayStay, stop }) {
    this.patience = patience;
    this.least = least;
    this.stop = stop;
    this.#whole = patience;
    this.#look = setInterval(() => {
      const rate = (this.#heard * 1000) / lookEvery;
      const ours = this.#waited;
      this.#heard = 0;
      this.#waited = this.#timer === undefined;
      if (!ours && !mayStay(rate))
        stop('crowded_out', `${Math.round(rate)} bytes a second while others wait`);
    }, lookEvery);
  }

  /**
   * @param {number} ms
   * @param {() => void} work
   */
  #set(ms, work) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(work, Math.max(0, ms));
  }

  // Subtracts the time that has passed from the limit.
  #spend() {
    const now = Date.now();
    this.#whole -= now - this.#since;
    this.#since = now;
  }

  #measure() {
    if (this.#whole <= LEAST_OVER)
      return this.#set(this.#whole, () =>
        this.stop('timeout', `not done in ${this.patience / 1000} s`),
      );
    const window = { bytes: 0 };
    this.#window = window;
    return this.#set(LEAST_OVER, () => {
      this.#spend();
      if (window.bytes < (this.least() * LEAST_OVER) / 1000)
        this.stop('slow', `${window.bytes} bytes in ${LEAST_OVER / 1000} s`);
      else this.#measure();
    });
  }

  // A request is sent.
  start() {
    this.#spend();
    this.#set(Math.min(HEADERS_WITHIN, this.#whole), () => this.stop('timeout', 'no headers'));
  }

  // The body is read, for the first time or after a pause.
  read() {
    if (this.#timer === undefined) this.#since = Date.now();
    else this.#spend();
    this.#measure();
  }

  /** @param {number} bytes */
  count(bytes) {
    if (this.#window) this.#window.bytes += bytes;
    this.#heard += bytes;
  }

  // Nothing is read: the request waits for us.
  pause() {
    this.#waited = true;
    this.#spend();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#window = null;
  }

  end() {
    clearTimeout(this.#timer);
    clearInterval(this.#look);
  }
}
