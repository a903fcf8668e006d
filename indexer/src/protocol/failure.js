// A failure of somebody else: an answer that is wrong, late or missing. Its code, one of those in
// codes.sql, decides what follows.
import { codeOf } from './codes.js';
import { clean } from './text.js';

export class Failure extends Error {
  /**
   * origin: the server that failed. retryAfter: seconds that it wants us to wait.
   * @param {string} why a code
   * @param {string} [detail]
   * @param {{ origin?: string | null, retryAfter?: number | null }} [more]
   */
  constructor(why, detail = '', { origin = null, retryAfter = null } = {}) {
    const code = codeOf(why);
    const said = clean(detail);
    super(said ? `${code.words}: ${said}` : code.words);
    this.why = why;
    this.properties = code;
    this.detail = said;
    this.origin = origin;
    this.retryAfter = retryAfter;
    this.begun = false; // an answer had begun
  }

  get ofHost() {
    return this.properties.class === 'host';
  }
  get ofAccount() {
    return this.properties.status !== undefined;
  }
  // Does the server lack the method?
  get absent() {
    return this.properties.absent;
  }
  get retry() {
    return this.properties.retry;
  }
  // The status that an account has after this failure.
  get status() {
    return this.properties.status;
  }
}
