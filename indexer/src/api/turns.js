// Turns at the connections of a pool. The names of methods share them, and none has more than half.
// Work that finds no place waits for its turn; waiting names are served in rotation, so a slow
// function delays only calls of its own name.
const MOST_WAITING = 2000; // pieces of work
const WAIT = 10_000; // ms

export class Late extends Error {}

export class NameTurns {
  taken = 0;
  waits = 0;
  /** @type {Map<string, number>} a name: how many */
  running = new Map();
  /** @type {Map<string, Set<() => void>>} a name that waits: what begins its work, in order */
  queues = new Map();

  /** @param {number} places */
  constructor(places) {
    this.places = places;
    this.ofName = Math.ceil(places / 2);
  }

  /**
   * Does work once there is a place for its name. Throws Late if that takes too long, and the
   * signal's reason if it is aborted before that.
   * @template T
   * @param {string} name
   * @param {() => Promise<T>} work
   * @param {AbortSignal} [signal]
   */
  async run(name, work, signal) {
    signal?.throwIfAborted();
    if (this.hasPlace(name) && !this.queues.has(name)) this.take(name);
    else await this.wait(name, signal);
    try {
      return await work();
    } finally {
      this.leave(name);
    }
  }

  /** @param {string} name */
  hasPlace(name) {
    return this.taken < this.places && (this.running.get(name) ?? 0) < this.ofName;
  }

  /** @param {string} name */
  take(name) {
    this.taken++;
    this.running.set(name, (this.running.get(name) ?? 0) + 1);
  }

  /**
   * @param {string} name
   * @param {AbortSignal} [signal]
   * @returns {Promise<void>}
   */
  wait(name, signal) {
    if (this.waits >= MOST_WAITING) throw new Late();
    this.waits++;
    return new Promise((resolve, reject) => {
      const queue = this.queues.get(name) ?? new Set();
      this.queues.set(name, queue);
      const leave = () => {
        this.waits--;
        queue.delete(begin);
        if (queue.size === 0) this.queues.delete(name);
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
      };
      const begin = () => {
        leave();
        this.take(name);
        resolve();
      };
      const end = () => {
        leave();
        reject(signal?.aborted ? signal.reason : new Late());
      };
      const timer = setTimeout(end, WAIT);
      signal?.addEventListener('abort', end);
      queue.add(begin);
    });
  }

  /** @param {string} name */
  leave(name) {
    this.taken--;
    const left = (this.running.get(name) ?? 1) - 1;
    if (left > 0) this.running.set(name, left);
    else this.running.delete(name);
    for (const [next, queue] of this.queues) {
      if (!this.hasPlace(next)) continue;
      const [begin] = queue;
      begin();
      if (queue.size > 0) {
        this.queues.delete(next);
        this.queues.set(next, queue); // behind the others
      }
      return;
    }
  }
}
