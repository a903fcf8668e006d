// The stream: one socket, whose frames are passed on as they come.
//
// - A message over LARGEST bytes is not kept; its digest, its size, and the account that its
//   beginning names are reported.
// - A message that claims more than MOST_MESSAGE bytes ends the connection before its bytes are
//   read.
// - There is no compression, by which a server could send much with few bytes.
// - A server that does not answer a ping within 30 seconds is taken to be gone.
import { createHash } from 'node:crypto';
import WebSocket from 'ws';
import { routeOf } from '../protocol/frame.js';
import { clean } from '../protocol/text.js';
import { AGENT } from './http.js';

/** @typedef {{ digest: Buffer, bytes: number, did: string | undefined }} Oversized */
/**
 * frame: called for each frame, in order. oversized: called in place of `frame` for one that is too
 * large. opened: called when the connection is made. useSocket: gets the socket, and may pause it.
 * @typedef {{ signal: AbortSignal, opened: () => void, frame: (bytes: Buffer) => void,
 *   oversized: (frame: Oversized) => void, useSocket: (socket: WebSocket) => void }} Listener
 */

export const LARGEST = 5e6; // bytes of a frame
const BEGINNING = 1e6; // bytes at the beginning of a larger frame that are searched for its account
const PING = 30e3;
const HANDSHAKE = 15e3;
const MOST_MESSAGE = 64e6; // bytes of a message, as the headers of its WebSocket frames claim

/**
 * @param {Buffer} bytes
 * @returns {Oversized}
 */
const describe = (bytes) => ({
  digest: createHash('sha256').update(bytes).digest(),
  bytes: bytes.length,
  did: routeOf(bytes.subarray(0, BEGINNING)).did,
});

const TOO_LONG = ['WS_ERR_UNSUPPORTED_MESSAGE_LENGTH', 'WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH'];

/**
 * Why a connection has failed. (The package's own error for a long message has no numbers.)
 * @param {Error & { code?: string }} e
 */
function reasonOf(e) {
  if (TOO_LONG.includes(e.code ?? ''))
    return (
      'the server has announced a message that is too long: it may have at most ' +
      `${MOST_MESSAGE} bytes`
    );
  return clean(e.code && !/^WS_/.test(e.code) ? `${e.code} ${e.message}` : e.message);
}

/**
 * Sends pings to a server, and ends the connection if it answers none.
 * @param {WebSocket} socket
 */
function keepAlive(socket) {
  let isHeard = true;
  const timer = setInterval(() => {
    if (!isHeard) return socket.terminate();
    isHeard = socket.readyState !== WebSocket.OPEN || socket.isPaused;
    if (!isHeard) socket.ping(() => {});
    return undefined;
  }, PING);
  const hear = () => {
    isHeard = true;
  };
  socket.on('pong', hear).on('message', hear);
  return () => clearInterval(timer);
}

/**
 * Follows a stream until the signal. Rejects with the reason why the connection has ended, whose
 * retryAfter is the server's Retry-After.
 * @param {string} url
 * @param {Listener} listener
 * @returns {Promise<void>}
 */
export function openStream(url, { signal, opened, frame, oversized, useSocket }) {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, {
      maxPayload: MOST_MESSAGE,
      perMessageDeflate: false,
      handshakeTimeout: HANDSHAKE,
      headers: { 'user-agent': AGENT },
    });
    /** @type {string | null} */
    let retryAfter = null;
    const stopPings = keepAlive(socket);
    /** @param {string} reason */
    const end = (reason) => {
      stopPings();
      signal.removeEventListener('abort', abort);
      socket.terminate();
      if (signal.aborted) resolve();
      else reject(Object.assign(new Error(reason), { retryAfter }));
    };
    const abort = () => end('ended');
    socket
      .on('open', opened)
      .on('message', (data) => {
        const bytes = /** @type {Buffer} */ (data);
        if (bytes.length > LARGEST) oversized(describe(bytes));
        else frame(bytes);
      })
      .on('unexpected-response', (request, answer) => {
        retryAfter = answer.headers['retry-after'] ?? null;
        answer.on('error', () => {}).destroy();
        end(`the server answers ${answer.statusCode}`);
      })
      .on('error', (e) => end(reasonOf(e)))
      .on('close', (code, reason) => end(clean(`closed, ${code} ${reason.toString()}`.trim())));
    signal.addEventListener('abort', abort);
    useSocket(socket);
    if (signal.aborted) abort();
  });
}
