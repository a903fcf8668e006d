// Pieces of work: ones that go on until they succeed, ones that come again and again, and ones at
// the same time.
import { setTimeout as sleep } from 'node:timers/promises';
import { isLost, messageOf } from '../db/errors.js';
import * as log from '../ops/log.js';

export const IDLE = 300; // ms between two questions whether there is work

export const pause = (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {});

// Does work until it succeeds. Errors are logged, and followed by a pause that grows; but they are
// thrown where the database is lost, the signal is aborted, or trying again does not help.
export async function persist(name, signal, work, sign = null) {
  for (let failed = 0; ; failed++) {
    sign?.turn();
    try {
      const result = await work();
      sign?.well();
      return result;
    } catch (e) {
      sign?.failed(messageOf(e));
      if (signal.aborted || isLost(e) || e.fatal) throw e;
      log.error(`${name}: ${messageOf(e)}`);
      await pause(Math.min(250 * 2 ** failed, 30e3), signal);
      if (signal.aborted) throw e;
    }
  }
}

// Does work again and again, as persist() does it; work returns whether there was some. sign: its
// sign of life.
export async function steady(name, signal, work, idle = IDLE, sign = null) {
  try {
    while (!signal.aborted)
      if (!(await persist(name, signal, work, sign))) await pause(idle, signal);
  } catch (e) {
    if (!signal.aborted) throw e;
  }
}

// Pieces of work at the same time. A lost database is told to lost().
export class Tasks {
  constructor(signal, lost) {
    this.signal = signal;
    this.lost = lost;
    this.running = new Set();
  }

  begin(name, work) {
    const task = work()
      .catch((e) => {
        if (this.signal.aborted) return;
        if (isLost(e)) this.lost(e);
        else log.error(`${name}: ${messageOf(e)}`);
      })
      .finally(() => this.running.delete(task));
    this.running.add(task);
  }

  async all() {
    while (this.running.size > 0) await Promise.allSettled(this.running);
  }
}

// An error that nobody has foreseen leaves the program in a state that nobody knows: it is logged
// once, and broken is aborted, for the program to end with status 1; after some ms it ends in any
// case. Returns what takes this back.
export function endUnforeseen(broken, ms) {
  const end = (e) => {
    if (broken.signal.aborted) return;
    const place = /\n\s+(at [^\n]*)/.exec(e?.stack ?? '')?.[1].replace(/[^\s(]*\//g, '');
    const what = [e?.name ?? 'error', messageOf(e ?? 'none')].join(': ');
    log.error(`unforeseen: ${what}${place ? `, ${place}` : ''}; the program ends`);
    setTimeout(() => process.exit(1), ms).unref();
    broken.abort();
  };
  const events = ['uncaughtException', 'unhandledRejection'];
  for (const event of events) process.on(event, end);
  return () => events.forEach((event) => process.off(event, end));
}
