// The service whose stream is followed: requests to it, whether it is away, and the names that it
// has.
import { BOUNDS, hostOfWeb, readServerDid } from '../protocol/answers.js';
import { Failure } from '../protocol/failure.js';
import { originOf } from './addresses.js';
import { Breaker } from './breaker.js';

export class Service {
  /**
   * @param {{ settings: { SERVICE_URL: string, SERVICE_ALIASES: string[] }, http:
   *   import('./http.js').Http, signal: AbortSignal }} needs
   */
  constructor({ settings, http, signal }) {
    this.http = http;
    this.signal = signal;
    this.origin = /** @type {string} */ (originOf(settings.SERVICE_URL));
    this.names = settings.SERVICE_ALIASES;
    this.breaker = Breaker.of(`${this.origin}/xrpc/_health`, http, signal);
  }

  /**
   * @param {string} method without com.atproto
   * @param {Record<string, any>} query
   * @param {Omit<import('./http.js').Options, 'signal'>} more
   */
  get(method, query, more) {
    return this.http.get(
      `${this.origin}/xrpc/com.atproto.${method}?${new URLSearchParams(query)}`,
      {
        signal: this.signal,
        ...more,
      },
    );
  }

  /**
   * A request failed. Is it the failure of the service alone, so that the same is to be requested
   * again?
   * @param {import('./breaker.js').Attempt} request
   * @param {Failure} e
   */
  async isAway(request, e) {
    if (e.ofHost && e.origin === this.origin) return this.breaker.fail(request, e);
    this.breaker.succeed();
    return false;
  }

  /**
   * Does the service itself, not a host to which it leads, answer that it does not have the method?
   * @param {Failure} e
   */
  isUnsupported(e) {
    return e.absent && e.origin === this.origin;
  }

  // Why nothing is asked of it now, or null.
  isHolding() {
    return this.breaker.away ? `${this.origin} does not answer` : null;
  }

  // The origins by which a PDS is known, whose stream has only its own accounts: that of
  // SERVICE_URL, the name that it gives itself, and those of SERVICE_ALIASES. null: it is a relay,
  // which does not describe itself.
  async ownNames() {
    try {
      const did = readServerDid(
        await this.get('server.describeServer', {}, { most: BOUNDS.document }),
      );
      if (did === null) return null;
      const [host, port] = hostOfWeb(did);
      const named = host ? originOf(`https://${host}${port ? `:${port}` : ''}`) : null;
      const origins = [this.origin, ...(named ? [named] : []), ...this.names].map(originOf);
      return [...new Set(origins)].filter((origin) => origin !== null);
    } catch (e) {
      if (!(e instanceof Failure) || e.ofHost) throw e;
      return null;
    }
  }
}
