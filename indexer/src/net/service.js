// The service whose stream is followed: requests to it, whether it is away, and its names.
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
   * A request failed. Is the service alone at fault, so that the same request should be sent again?
   * @param {import('./breaker.js').Attempt} request
   * @param {Failure} e
   */
  async isAway(request, e) {
    if (e.ofHost && e.origin === this.origin) return this.breaker.fail(request, e);
    this.breaker.succeed();
    return false;
  }

  /**
   * Does the service itself, not a host to which it redirects, answer that it lacks the method?
   * @param {Failure} e
   */
  isUnsupported(e) {
    return e.absent && e.origin === this.origin;
  }

  // Why nothing is requested from it now, or null.
  isHolding() {
    return this.breaker.away ? `${this.origin} does not answer` : null;
  }

  // The origins of a PDS, whose stream has only its own accounts: that of SERVICE_URL, the one by
  // which it calls itself, and those in SERVICE_ALIASES. null: it is a relay, which does not
  // describe itself.
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
