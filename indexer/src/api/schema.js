// The GraphQL schema, which is rebuilt at each notice on the channel "postgraphile_watch". While
// that fails, the old one stays.
import { setTimeout as sleep } from 'node:timers/promises';
import { makeSchema } from 'postgraphile';
import { messageOf } from '../db/errors.js';
import * as log from '../ops/log.js';

const SETTLED = 200; // ms: several notices are one

export class Schema {
  /** @type {NodeJS.Timeout | null} */
  timer = null;
  making = Promise.resolve();
  isWaiting = false;
  /** @type {any} the schema that is in force */
  current = null;
  /** @type {(schema: any) => void} gets each rebuilt schema */
  use = () => {};

  /**
   * @param {any} preset
   * @param {AbortSignal} ended
   */
  constructor(preset, ended) {
    this.preset = preset;
    this.ended = ended;
  }

  async make() {
    this.current = (await makeSchema(this.preset)).schema;
    return this.current;
  }

  // A notice has come.
  changed() {
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.remake();
    }, SETTLED);
  }

  // One rebuild at a time, and one for all notices that come meanwhile: every role may NOTIFY.
  remake() {
    if (this.isWaiting) return;
    this.isWaiting = true;
    this.making = this.making.then(async () => {
      this.isWaiting = false;
      if (this.ended.aborted) return;
      const began = performance.now();
      try {
        this.use(await this.make());
        log.info('schema made');
      } catch (/** @type {any} */ e) {
        log.error('schema failed', { error: messageOf(e) });
      }
      // leaves most of the time to queries
      const pause = 4 * (performance.now() - began);
      await sleep(pause, undefined, { signal: this.ended }).catch(() => {});
    });
  }

  async close() {
    if (this.timer !== null) clearTimeout(this.timer);
    await this.making;
  }
}
