// A pool of connections for work of one kind.
import pg from 'pg';
import { config, PATH } from './connection.js';

export class Pool {
  /**
   * @param {string} name
   * @param {number} max
   * @param {string[]} [more]
   */
  constructor(name, max, more = []) {
    this.pool = new pg.Pool({ ...config(name, [PATH, ...more]), max, connectionTimeoutMillis: 0 });
    this.pool.on('error', () => {});
  }

  /**
   * @param {string} text
   * @param {any[]} [values]
   * @returns {Promise<any[]>}
   */
  async rows(text, values) {
    return (await this.pool.query(text, values)).rows;
  }

  /**
   * @param {string} text
   * @param {any[]} [values]
   * @returns {Promise<any>}
   */
  async row(text, values) {
    return (await this.rows(text, values))[0];
  }

  end() {
    return this.pool.end();
  }
}
