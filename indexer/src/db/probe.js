// One connection for callers that cannot wait, such as probes. A query has IN_TIME; while one takes
// longer, others fail at once, so that they are not sent one by one when the server answers again.
// After GIVEN_UP the connection is dropped.
import { isLost } from './errors.js';

/** @typedef {import('pg').Client & { connection?: any }} Client */

const IN_TIME = 2000; // ms
const GIVEN_UP = 10e3; // ms: TCP would take a quarter of an hour to notice a vanished server

export class Probe {
  /** @type {Client | null} */
  client = null;
  /** @type {Promise<unknown>} */
  last = Promise.resolve();
  isLate = false;
  isOver = false;

  /**
   * @param {() => Promise<Client>} open opens a connection, or gives up by itself after a while
   */
  constructor(open) {
    this.open = open;
  }

  /**
   * @param {string} text
   * @param {any[]} [values]
   * @returns {Promise<any[]>}
   */
  async rows(text, values) {
    if (this.isLate) throw new Error('the database does not answer');
    const answer = this.last.then(() => this.#ask(text, values));
    this.last = answer.catch(() => {});
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    /** @type {Promise<never>} */
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => {
        this.isLate = true;
        this.last.finally(() => (this.isLate = false));
        reject(new Error('the database does not answer'));
      }, IN_TIME);
    });
    try {
      return await Promise.race([answer, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #connection() {
    if (this.client !== null) return this.client;
    const client = await this.open();
    this.client = client;
    client.on('error', () => {}).once('end', () => this.#forget(client));
    if (this.isOver) this.end();
    return client;
  }

  /**
   * @param {string} text
   * @param {any[]} [values]
   */
  async #ask(text, values) {
    const client = await this.#connection();
    const timer = setTimeout(() => client.connection.stream.destroy(), GIVEN_UP);
    try {
      return (await client.query(text, values)).rows;
    } catch (/** @type {any} */ e) {
      if (isLost(e)) this.#forget(client);
      throw e;
    } finally {
      clearTimeout(timer);
    }
  }

  /** @param {Client} client */
  #forget(client) {
    if (this.client === client) this.client = null;
  }

  // Ends the connection without waiting for the server.
  end() {
    this.isOver = true;
    this.client?.connection.stream.destroy();
  }
}
