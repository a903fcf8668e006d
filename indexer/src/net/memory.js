// Memory that is shared among holders, in the order in which they came. Each holder may always have
// `each` bytes. Beyond that they may have `most` bytes together, and the oldest holder as many as
// it needs.

/** The share of one holder. */
export class Share {
  #memory;

  /** @param {Memory} memory */
  constructor(memory) {
    this.#memory = memory;
    this.bytes = 0;
  }

  // The bytes beyond those that each holder may always have.
  get above() {
    return Math.max(0, this.bytes - this.#memory.each);
  }

  /** @param {number} n */
  add(n) {
    const memory = this.#memory;
    memory.bytes -= this.above;
    this.bytes += n;
    memory.bytes += this.above;
  }

  // May this holder have more?
  fits() {
    const { bytes, most, holders } = this.#memory;
    return this.above === 0 || bytes <= most || holders.values().next().value === this;
  }

  // Do others wait?
  isPressed() {
    return this.#memory.waiting.size > 0;
  }

  /**
   * Resolves when it may have more, or when the signal is aborted.
   * @param {AbortSignal} [signal]
   */
  async waitForRoom(signal) {
    const { waiting } = this.#memory;
    while (!signal?.aborted && !this.fits()) {
      await new Promise((resolve) => {
        const wake = () => {
          waiting.delete(wake);
          signal?.removeEventListener('abort', wake);
          resolve(undefined);
        };
        waiting.add(wake);
        signal?.addEventListener('abort', wake);
      });
    }
  }

  release() {
    const { holders, waiting } = this.#memory;
    if (!holders.delete(this)) return;
    this.add(-this.bytes);
    for (const wake of [...waiting]) wake();
  }
}

export class Memory {
  /**
   * @param {number} most
   * @param {number} [each]
   */
  constructor(most, each = 0) {
    this.most = most;
    this.each = each;
    this.bytes = 0; // above `each`
    /** @type {Set<Share>} */
    this.holders = new Set();
    /** @type {Set<() => void>} */
    this.waiting = new Set();
  }

  // All bytes that are held.
  get held() {
    return [...this.holders].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  // A share for one more holder.
  share() {
    const share = new Share(this);
    this.holders.add(share);
    return share;
  }
}
