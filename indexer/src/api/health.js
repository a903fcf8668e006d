// /health: 200 while the database answers and changes arrive.
//
// It has its own connection, since the queries may have taken all of theirs.
import { messageOf } from '../db/errors.js';
import { probe } from './reader.js';
import { LOOK, SLOW } from './requests.js';

export class Health {
  /** @type {Promise<unknown> | null} the last answer of the database, for LOOK ms */
  asked = null;

  /**
   * @param {import('./server.js').Settings} settings
   * @param {import('./changes.js').Feed} feed
   * @param {Set<unknown>} sockets
   */
  constructor(settings, feed, sockets) {
    this.feed = feed;
    this.sockets = sockets;
    this.probe = probe(settings);
  }

  /** @param {import('./requests.js').Say} say */
  async answer(say) {
    const { heard, why, size } = this.feed;
    try {
      if (heard < Date.now() - SLOW)
        throw new Error(
          `the changes of the indexer do not arrive${why === null ? '' : `: ${why}`}`,
        );
      this.asked ??= this.probe
        .rows('SELECT')
        .finally(() => setTimeout(() => (this.asked = null), LOOK).unref());
      await this.asked;
      say(200, `ok, ${this.sockets.size} sockets, ${size} subscriptions`);
    } catch (/** @type {any} */ e) {
      say(503, messageOf(e));
    }
  }

  close() {
    this.probe.end();
  }
}
