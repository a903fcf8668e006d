// Runs pieces of work: until they succeed, periodically, or concurrently.
import { setTimeout as sleep } from 'node:timers/promises';
import { isLost, messageOf } from '../db/errors.js';
import * as log from '../ops/log.js';

/** @typedef {import('../ops/signs.js').Sign} Sign */

export const IDLE = 300; // ms between two checks whether there is work
const FIRST_PAUSE = 250; // ms
const LONGEST_PAUSE = 30e3; // ms

/**
 * @param {number} ms
 * @param {AbortSignal} [signal]
 */
export const pause = (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {});

/**
 * Does work until it succeeds. Errors are logged, and followed by a growing pause; but they are
 * thrown if the database is lost, the signal is aborted, or trying again does not help.
 * @template T
 * @param {string} name
 * @param {AbortSignal} signal
 * @param {() => Promise<T>} work
 * @param {Sign | null} [sign] its sign of life
 * @returns {Promise<T>}
 */
export async function retryUntilDone(name, signal, work, sign = null) {
  for (let failed = 0; ; failed++) {
    sign?.turn();
    try {
      const result = await work();
      sign?.well();
      return result;
    } catch (e) {
      sign?.failed(messageOf(e));
      if (signal.aborted || isLost(e) || e.fatal) throw e;
      log.error('work failed', { work: name, error: messageOf(e) });
      await pause(Math.min(FIRST_PAUSE * 2 ** failed, LONGEST_PAUSE), signal);
      if (signal.aborted) throw e;
    }
  }
}

/**
 * Does work again and again, each time until it succeeds; `work` returns whether there was any.
 * @param {string} name
 * @param {AbortSignal} signal
 * @param {() => Promise<boolean>} work
 * @param {{ idle?: number, sign?: Sign | null }} [options]
 */
export async function loop(name, signal, work, { idle = IDLE, sign = null } = {}) {
  try {
    while (!signal.aborted)
      if (!(await retryUntilDone(name, signal, work, sign))) await pause(idle, signal);
  } catch (e) {
    if (!signal.aborted) throw e;
  }
}

/** Concurrent pieces of work. */
export class Tasks {
  /**
   * @param {AbortSignal} signal
   * @param {(e: Error) => void} lost gets the error if the database is lost
   */
  constructor(signal, lost) {
    this.signal = signal;
    this.lost = lost;
    /** @type {Set<Promise<void>>} */
    this.running = new Set();
  }

  /**
   * @param {string} name
   * @param {() => Promise<void>} work
   */
  begin(name, work) {
    const task = work()
      .catch((e) => {
        if (this.signal.aborted) return;
        if (isLost(e)) this.lost(e);
        else log.error('task failed', { task: name, error: messageOf(e) });
      })
      .finally(() => this.running.delete(task));
    this.running.add(task);
  }

  async all() {
    while (this.running.size > 0) await Promise.allSettled(this.running);
  }
}

/**
 * An unforeseen error leaves the program in an unknown state: it is logged once, and `broken` is
 * aborted, so that the program ends with status 1; after some ms it ends in any case. Returns a
 * function that undoes this.
 * @param {AbortController} broken
 * @param {number} ms
 */
export function endUnforeseen(broken, ms) {
  /** @param {any} e */
  const end = (e) => {
    if (broken.signal.aborted) return;
    const at = /\n\s+at ([^\n]*)/.exec(e?.stack ?? '')?.[1].replace(/[^\s(]*\//g, '');
    const error = [e?.name ?? 'error', messageOf(e ?? 'none')].join(': ');
    log.error('program failed', { error, at });
    setTimeout(() => process.exit(1), ms).unref();
    broken.abort();
  };
  const events = ['uncaughtException', 'unhandledRejection'];
  for (const event of events) process.on(event, end);
  return () => events.forEach((event) => process.off(event, end));
}
