// Requests to strangers, with a limit on what each may cost.
//
// - Places: how many requests may be under way, in total, to one origin and to one registrable
//   domain. One part of them is kept for known accounts, and another for new ones.
// - Memory: the bytes of answers in memory. Small answers always may go on. Beyond the limit the
//   large ones wait, except the oldest.
// - Time: headers within 15 seconds, MIN_DOWNLOAD_RATE bytes a second over ten seconds, the whole
//   answer within REPO_TIMEOUT. Time spent waiting for memory does not count. While others wait for
//   memory, twenty times MIN_DOWNLOAD_RATE is required, so that no trickle holds them up. The same
//   is required while others wait for a place, except that slower requests may hold a quarter of
//   the places.
// - Pieces: an answer in very many pieces of a few bytes counts as slow, and so does one after many
//   1xx answers.
// - Redirects: at most five. The name of each hop is resolved again and must have a public address,
//   to which the connection is made; and the origin that it leads to must have a free place.
//
// A request returns the bytes of the answer, or throws a Failure. If the signal is aborted, its
// reason is thrown.
import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { BOUNDS, failureOf } from '../protocol/answers.js';
import { Failure } from '../protocol/failure.js';
import { clean } from '../protocol/text.js';
import { hostOf, isPrivate, makeAgents, originOf } from './addresses.js';
import { Body } from './body.js';
import { RequestClock } from './request-clock.js';

/** @typedef {import('node:http').IncomingMessage} Answer */
/** @typedef {import('./places.js').Place} Place */
/** @typedef {import('./memory.js').Share} Share */

export const AGENT = 'atid-indexer'; // the User-Agent of requests, and of the stream
const MOST_HOPS = 5;
const PRESSED = 20; // times MIN_DOWNLOAD_RATE that a request must reach while others wait
const LOOK_EVERY = 5e3; // ms between two checks whether a request is too slow while others wait
const FEW_PIECES = 1000; // pieces of an answer may have any size,
const LEAST_PIECE = 64; // with more of them the mean must be so many bytes
const MOST_INTERIM = 20; // 1xx answers before the final one

/**
 * An error of Node, as a Failure.
 * @param {any} e
 * @param {string | null} origin
 */
function failureFrom(e, origin) {
  const code = String(e.code ?? e.errors?.[0]?.code ?? '');
  if (code === 'EPRIVATE') return new Failure('private_address', e.message, { origin });
  if (/^HPE_|^ERR_INVALID|^ERR_UNESCAPED/.test(code))
    return new Failure('malformed', code, { origin });
  return new Failure('unreachable', code || e.message, { origin });
}

/** One request, with the redirects that it follows. */
class Request {
  #own = new AbortController();
  /** @type {Failure | null} */
  #why = null;
  #begun = false; // an answer with status 200 has begun

  /**
   * @param {Http} client
   * @param {string | URL} address
   * @param {Options} options
   */
  constructor(client, address, { most, place = null, share = null, signal }) {
    this.client = client;
    this.url = new URL(address);
    this.most = most;
    this.place = place;
    this.share = share;
    this.signal = signal;
    this.clock = new RequestClock({
      patience: client.patience,
      lookEvery: client.lookEvery,
      least: () => client.least * (share?.isPressed() ? PRESSED : 1),
      mayStay: (rate) => place === null || place.mayStay(rate, client.least * PRESSED),
      stop: (code, detail) => {
        this.#why ??= new Failure(code, detail, { origin: this.origin });
        this.#own.abort();
      },
    });
  }

  get origin() {
    return /** @type {string} */ (originOf(this.url));
  }

  async bytes() {
    const abort = () => this.#own.abort();
    this.signal.addEventListener('abort', abort);
    try {
      for (let hops = 0; ; hops++) {
        if (hops > 0 && this.place && !this.place.move(this.origin))
          throw new Failure('busy', this.origin, { origin: this.origin });
        this.clock.start();
        const answer = await this.send();
        if (!this.#redirects(answer, hops)) return await this.#read(answer);
      }
    } catch (e) {
      if (this.signal.aborted) throw this.signal.reason;
      const failure = e instanceof Failure ? e : (this.#why ?? failureFrom(e, this.origin));
      failure.begun = this.#begun;
      throw failure;
    } finally {
      this.signal.removeEventListener('abort', abort);
      this.clock.end();
      this.#own.abort();
    }
  }

  /**
   * @param {Answer} answer
   * @param {number} hops
   */
  #redirects(answer, hops) {
    const { statusCode = 0, headers } = answer;
    const { origin } = this;
    if (statusCode < 300 || statusCode >= 400 || headers.location === undefined) return false;
    if (hops === MOST_HOPS) throw new Failure('too_many_redirects', '', { origin });
    if (!URL.canParse(headers.location, this.url.href))
      throw new Failure('malformed', 'the target of a redirect', { origin });
    answer.on('error', () => {});
    if (Number(headers['content-length']) <= BOUNDS.error) answer.resume();
    else answer.destroy();
    this.url = new URL(headers.location, this.url);
    return true;
  }

  /** @param {Answer} answer */
  async #read(answer) {
    const { origin, clock } = this;
    const { statusCode = 0, headers } = answer;
    const signal = this.#own.signal;
    if (statusCode !== 200) {
      const said = await readBody(answer, { most: BOUNDS.error, origin, signal, clock }).catch(
        (e) => e.body ?? Buffer.alloc(0),
      );
      this.signal.throwIfAborted();
      throw failureOf(statusCode, headers, said, origin);
    }
    if (headers['content-encoding'] && headers['content-encoding'] !== 'identity')
      throw new Failure('malformed', 'an encoding that was not requested', { origin });
    this.#begun = true;
    return readBody(answer, { most: this.most, origin, signal, clock, share: this.share });
  }

  // Sends the request to the address that it has now.
  /** @returns {Promise<Answer>} */
  send() {
    return new Promise((resolve, reject) => {
      const { origin, url, client } = this;
      const isOpen = client.allowPrivate || client.ours.has(origin);
      const host = hostOf(url);
      if (!/^https?:$/.test(url.protocol))
        throw new Failure('private_address', `no ${clean(url.protocol, 20)}`, { origin });
      if (!isOpen && isIP(host) && isPrivate(host))
        throw new Failure('private_address', host, { origin });
      const protocol = /** @type {'http:' | 'https:'} */ (url.protocol);
      const get = protocol === 'http:' ? http.get : https.get;
      const headers = { 'user-agent': AGENT, 'accept-encoding': 'identity' };
      const agent = client.agents[isOpen ? 'free' : 'guarded'][protocol];
      let interim = 0;
      const request = get(url, { signal: this.#own.signal, agent, headers });
      // An answer with status 101 causes neither 'response' nor 'error'.
      request
        .on('response', resolve)
        .on('information', () => {
          if (++interim <= MOST_INTERIM) return;
          reject(new Failure('slow', `more than ${MOST_INTERIM} 1xx answers`, { origin }));
          request.destroy();
        })
        .on('error', reject)
        .on('close', () => reject(new Failure('cut_short', 'no answer', { origin })));
    });
  }
}

/**
 * Reads a body. The error for one that is too large has the bytes read so far, as `body`.
 * @param {Answer} answer
 * @param {{ most: number, origin: string, signal: AbortSignal, clock: RequestClock, share?: Share |
 *   null }} options
 */
async function readBody(answer, { most, origin, signal, clock, share = null }) {
  const body = new Body();
  let pieces = 0;
  /** @param {Buffer} piece */
  const take = (piece) => {
    const length = body.length + piece.length;
    if (length > most)
      throw Object.assign(new Failure('too_large', `more than ${most} bytes`, { origin }), {
        body: body.bytes(),
      });
    if (++pieces > FEW_PIECES && length < pieces * LEAST_PIECE)
      throw new Failure('slow', `${length} bytes in ${pieces} pieces`, { origin });
    body.add(piece);
    clock.count(piece.length);
    share?.add(piece.length);
  };
  const wait = async () => {
    answer.pause();
    clock.pause();
    await share?.waitForRoom(signal);
    if (signal.aborted || answer.destroyed) return;
    clock.read();
    answer.resume();
  };
  clock.read();
  try {
    await eachPiece(answer, (piece) => {
      take(piece);
      if (share && !share.fits()) wait();
    });
  } catch (/** @type {any} */ e) {
    if (e instanceof Failure || signal.aborted) throw e;
    throw new Failure('cut_short', e.code ?? e.message, { origin });
  }
  if (!answer.complete) throw new Failure('cut_short', '', { origin });
  return body.bytes();
}

/**
 * Calls `take` for each piece of an answer until it ends. (The iterator of a stream would join the
 * pieces that have come; here they are counted as they come.)
 * @param {Answer} answer
 * @param {(piece: Buffer) => void} take
 */
function eachPiece(answer, take) {
  return new Promise((resolve, reject) => {
    answer
      .on('data', (piece) => {
        if (answer.destroyed) return;
        try {
          take(piece);
        } catch (e) {
          reject(e);
          answer.destroy();
        }
      })
      .on('end', resolve)
      .on('error', reject)
      .on('close', () => reject(new Error('closed')));
    if (answer.destroyed) reject(new Error('closed'));
  });
}

/**
 * most: the bytes that the answer may have. place: moves along with redirects. share: of memory,
 * for the body.
 * @typedef {{ most: number, place?: Place | null, share?: Share | null, signal: AbortSignal }}
 *   Options
 */

export class Http {
  /**
   * The settings used: how long a request may take, how slow it may be, whether strangers may lead
   * to private addresses, and the servers that may have such addresses.
   * @param {{ REPO_TIMEOUT: number, MIN_DOWNLOAD_RATE: number, ALLOW_PRIVATE_ADDRESSES: boolean,
   *   SERVICE_URL?: string, PLC_URL: string }} settings
   */
  constructor({ REPO_TIMEOUT, MIN_DOWNLOAD_RATE, ALLOW_PRIVATE_ADDRESSES, SERVICE_URL, PLC_URL }) {
    this.patience = REPO_TIMEOUT * 1000;
    this.least = MIN_DOWNLOAD_RATE;
    this.lookEvery = LOOK_EVERY;
    this.allowPrivate = ALLOW_PRIVATE_ADDRESSES;
    this.ours = new Set([SERVICE_URL ?? '', PLC_URL].map(originOf));
    this.agents = makeAgents();
  }

  close() {
    for (const kind of Object.values(this.agents))
      for (const agent of Object.values(kind)) agent.destroy();
  }

  /**
   * The bytes of an answer with status 200.
   * @param {string | URL} address
   * @param {Options} options
   */
  async get(address, options) {
    options.signal.throwIfAborted();
    return new Request(this, address, options).bytes();
  }
}
