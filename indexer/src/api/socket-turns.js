// Places for the statements that changes of subscriptions need. Where all are taken, the sockets
// that wait have one after the other, each one place at a time. What waits for a subscription that
// is over is dropped. What runs for it keeps its place until the database is done.

/** @typedef {{ socket: any, over: AbortController }} Client */

export class SocketTurns {
  /** @type {Map<any, Set<() => void>>} a socket: functions that give what waits the place */
  waiting = new Map();

  /** @param {number} places */
  constructor(places) {
    this.free = places;
  }

  /**
   * @template T
   * @param {Client} client
   * @param {() => T | Promise<T>} work
   */
  async run({ socket, over: { signal } }, work) {
    signal.throwIfAborted();
    if (this.free > 0) this.free--;
    else await this.wait(socket, signal);
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  /**
   * @param {any} socket
   * @param {AbortSignal} signal
   * @returns {Promise<void>}
   */
  wait(socket, signal) {
    return new Promise((resolve, reject) => {
      const queue = this.waiting.get(socket) ?? new Set();
      const end = () => {
        queue.delete(take);
        if (queue.size === 0) this.waiting.delete(socket);
        reject(signal.reason);
      };
      const take = () => {
        signal.removeEventListener('abort', end);
        resolve();
      };
      this.waiting.set(socket, queue.add(take));
      signal.addEventListener('abort', end);
    });
  }

  leave() {
    if (this.waiting.size === 0) {
      this.free++;
      return;
    }
    const [[socket, queue]] = this.waiting;
    const [take] = queue;
    queue.delete(take);
    this.waiting.delete(socket);
    if (queue.size > 0) this.waiting.set(socket, queue); // behind the others
    take();
  }
}
