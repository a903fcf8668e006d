// Places for the statements that the changes of subscriptions need. When all are taken, the waiting
// sockets take turns, one place at a time. Waiting statements of a subscription that is over are
// dropped; a running one keeps its place until the database is done.

/** @typedef {{ socket: any, over: AbortController }} Client */

export class SocketTurns {
  /** @type {Map<any, Set<() => void>>} a socket: functions that begin its waiting statements */
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
