// The queues of the shards: frames that have come and are not processed yet, in order for each
// account.
//
// While the queues together hold more than WAITING bytes, nothing is read from the socket, so the
// server waits, too: memory is limited however slow a shard is.
import { routeOf, shardOf } from '../protocol/frame.js';

/** @typedef {{ frame: Buffer, seq: number | null }} Queued */
/**
 * @typedef {{ frames: (Queued | null)[], from: number, wake: () => void }} Queue from: the first
 *   that waits
 */

export const MOST_FRAMES = 1000; // frames in a transaction
const MOST_BYTES = 8e6; // bytes in a transaction
const WAITING = 16e6;
const OVERHEAD = 500; // bytes that a waiting frame takes in addition to its own
const MOST_GAPS = 10000; // places of processed frames before the list is shortened
const LONGEST_WAIT = 1000; // ms

// While they are closed, no frames are given out.
export class ShardQueues {
  /** @param {number} shards */
  constructor(shards) {
    /** @type {Queue[]} */
    this.queues = Array.from({ length: shards }, () => ({ frames: [], from: 0, wake: () => {} }));
    this.bytes = 0;
    /** @type {number | null} */
    this.last = null; // the last number that came in this connection
    this.closed = false;
    /** @type {{ pause: () => void, resume: () => void } | null} */
    this.socket = null;
  }

  /**
   * From now on frames come from this socket.
   * @param {{ pause: () => void, resume: () => void } | null} socket
   */
  use(socket) {
    this.socket = socket;
    this.#controlFlow();
  }

  // A connection begins: none of its numbers has come.
  close() {
    this.closed = true;
    this.last = null;
  }

  open() {
    this.closed = false;
    for (const queue of this.queues) queue.wake();
  }

  #controlFlow() {
    if (this.bytes > WAITING) this.socket?.pause();
    else if (this.bytes < WAITING / 2) this.socket?.resume();
  }

  /**
   * Adds a frame to its queue. Returns the fields that it has.
   * @param {Buffer} frame
   */
  put(frame) {
    const { op, did, seq } = routeOf(frame);
    const queue = this.queues[shardOf(did, this.queues.length)];
    this.last = seq ?? this.last;
    queue.frames.push({ frame, seq: this.last });
    this.bytes += frame.length + OVERHEAD;
    this.#controlFlow();
    if (!this.closed) queue.wake();
    return { op, seq };
  }

  /**
   * The next frames of a shard, at most so many, and the number up to which these are all frames.
   * They stay until done() is called with the number of those that were processed.
   * @param {number} shard
   * @param {number} most
   * @returns {{ frames: Buffer[], seen: number | null }}
   */
  next(shard, most) {
    if (this.closed) return { frames: [], seen: null };
    const { frames, from } = this.queues[shard];
    const next = /** @type {Queued[]} */ (frames.slice(from, from + most));
    let n = 0;
    for (let size = 0; n < next.length; n++) {
      size += next[n].frame.length;
      if (n > 0 && size > MOST_BYTES) break;
    }
    const areAll = from + n === frames.length;
    return {
      frames: next.slice(0, n).map(({ frame }) => frame),
      seen: areAll ? this.last : next[n - 1].seq,
    };
  }

  /**
   * @param {number} shard
   * @param {number} n
   */
  done(shard, n) {
    const queue = this.queues[shard];
    for (let i = queue.from; i < queue.from + n; i++) {
      this.bytes -= (queue.frames[i]?.frame.length ?? 0) + OVERHEAD;
      queue.frames[i] = null;
    }
    queue.from += n;
    if (queue.from === queue.frames.length || queue.from > MOST_GAPS) {
      queue.frames.splice(0, queue.from);
      queue.from = 0;
    }
    this.#controlFlow();
  }

  // The number of waiting frames of each shard.
  get lengths() {
    return this.queues.map(({ frames, from }) => frames.length - from);
  }

  get empty() {
    return this.queues.every((queue) => queue.from === queue.frames.length);
  }

  /**
   * Waits for a frame of a shard that has none, for at most a second.
   * @param {number} shard
   * @param {AbortSignal} signal
   * @returns {Promise<void> | undefined}
   */
  wait(shard, signal) {
    const queue = this.queues[shard];
    if ((queue.from < queue.frames.length && !this.closed) || signal.aborted) return undefined;
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        queue.wake = () => {};
        resolve();
      };
      const timer = setTimeout(wake, LONGEST_WAIT);
      signal.addEventListener('abort', wake);
      queue.wake = wake;
    });
  }
}
