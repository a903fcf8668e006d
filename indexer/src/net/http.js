// Requests to strangers, and what each may cost.
//
// - Places: how many requests are under way, of all, of one origin and of one registrable domain; a
//   part of all is kept for accounts that are known, and for those that are new.
// - Memory: the bytes of answers that are here. Small answers always may go on. Beyond the limit
//   the large ones wait, except the oldest.
// - Time: headers within 15 seconds, MIN_DOWNLOAD_RATE bytes a second over ten seconds, all within
//   REPO_TIMEOUT. What we wait for memory does not count; and while others wait for memory, twenty
//   times MIN_DOWNLOAD_RATE, so that no drip holds them up. While others wait for a place, too; but
//   a quarter of the places may be held by requests that are slower than that.
// - Pieces: an answer in a great many pieces of a few bytes is slow, and so is one behind many of
//   1xx.
// - Redirects: five at most. Each hop is looked up again and must be a public address, the one that
//   is connected to; and the origin that it leads to must have a place.
//
// An answer is its bytes, or a Failure. If the signal is aborted, its reason is thrown.
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

export const AGENT = 'atid-indexer'; // as which the program asks, the stream too
const MOST_HOPS = 5;
const PRESSED = 20; // times MIN_DOWNLOAD_RATE that a request must have while others wait
const LOOK_EVERY = 5e3; // ms between two looks whether a request is too slow for those that wait
const FEW_PIECES = 1000; // of an answer may be of any size,
const LEAST_PIECE = 64; // of more the mean must be so many bytes
const MOST_INTERIM = 20; // answers of 1xx before one that counts

/**
 * The failure that an error of Node's is.
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
  #begun = false; // an answer of 200 has

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
      throw new Failure('malformed', 'the place that a redirect leads to', { origin });
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
      throw new Failure('malformed', 'an encoding that was not asked for', { origin });
    this.#begun = true;
    return readBody(answer, { most: this.most, origin, signal, clock, share: this.share });
  }

  // Sends it, to the address that it has now.
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
      // An answer of 101 is told by neither 'response' nor 'error'.
      request
        .on('response', resolve)
        .on('information', () => {
          if (++interim <= MOST_INTERIM) return;
          reject(new Failure('slow', `more than ${MOST_INTERIM} answers of 1xx`, { origin }));
          request.destroy();
        })
        .on('error', reject)
        .on('close', () => reject(new Failure('cut_short', 'no answer', { origin })));
    });
  }
}

/**
 * Reads a body. The error of one that is too large has what was read, as `body`.
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
 * Calls take for each piece of an answer until it ends. (The iterator of a stream joins the pieces
 * that have come: here they are counted as they come.)
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
 * most: bytes of the answer. place: follows redirects. share: of memory, for the body.
 * @typedef {{ most: number, place?: Place | null, share?: Share | null, signal: AbortSignal }}
 *   Options
 */

export class Http {
  /**
   * Of the program's settings: how long a request may take, how slow it may be, whether strangers
   * may lead to private addresses, and the servers that may have such addresses.
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
   * The bytes of an answer of 200.
   * @param {string | URL} address
   * @param {Options} options
   */
  async get(address, options) {
    options.signal.throwIfAborted();
    return new Request(this, address, options).bytes();
  }
}
