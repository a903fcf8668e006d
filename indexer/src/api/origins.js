// Which web pages may query: those of the API itself, and those of the origins that
// API_ALLOWED_ORIGINS lists.
import * as log from '../ops/log.js';
import { clean } from '../protocol/text.js';

/** @typedef {import('node:http').IncomingMessage} Request */

// The host of the API's own page must be an address or localhost, since a stranger's host name may
// resolve to our address.
const OWN_HOST = /^(localhost|[\d.]+|\[[\da-f:.]+\])(:\d+)?$/;

export class Origins {
  /** @param {string[]} allowed */
  constructor(allowed) {
    this.allowed = allowed;
  }

  /** @param {Request} request */
  allows({ headers: { origin, host = '' } }) {
    return (
      origin === undefined ||
      this.allowed.includes('*') ||
      this.allowed.includes(origin) ||
      (OWN_HOST.test(host) && URL.canParse(origin) && new URL(origin).host === host)
    );
  }

  /**
   * Logs a refusal, and returns its text for the client.
   * @param {Request} request
   */
  refusalOf({ headers: { origin = '' } }) {
    const name = clean(origin, 200);
    log.counted('info', 'origin refused', { origin: name });
    return (
      `The origin ${name} may not query this API: ` +
      'ATID_API_ALLOWED_ORIGINS lists the origins that may'
    );
  }
}
