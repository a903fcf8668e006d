// A cap on requests a second. What is not used in a quarter of a second is not saved for later.
export class Rate {
  /**
   * @param {number} perSecond
   * @param {() => number} now in ms
   */
  constructor(perSecond, now = () => performance.now()) {
    this.perSecond = perSecond;
    this.now = now;
    this.room = Math.max(1, perSecond / 4);
    this.left = this.room;
    this.since = now();
  }

  /**
   * How many of so many requests may begin now. They count as begun.
   * @param {number} most
   */
  take(most) {
    const now = this.now();
    this.left = Math.min(this.room, this.left + ((now - this.since) / 1000) * this.perSecond);
    this.since = now;
    const n = Math.min(most, Math.floor(this.left));
    this.left -= n;
    return n;
  }

  /**
   * Takes back so many of them, which have not begun after all.
   * @param {number} n
   */
  giveBack(n) {
    this.left = Math.min(this.room, this.left + n);
  }
}
