// The stream: one socket, whose frames go to takers, in order for each account.
//
// - What a taker has not taken yet waits in its queue. While the queues together hold more than
//   WAITING bytes, nothing is read from the socket, so the server waits, too: memory is bounded
//   however slow a taker is.
// - A message over LARGEST bytes is reported by its digest, its size, and the account that its
//   beginning names, and is not kept.
// - A message that claims more than MOST_MESSAGE bytes ends the connection before its bytes are
//   read.
// - No compression: it would let a server send much by little.
// - A server that does not answer a ping within 30 seconds is not there.
import { createHash } from 'node:crypto';
import WebSocket from 'ws';
import { routeOf, takerOf } from '../protocol/frame.js';
import { clean } from '../protocol/text.js';
import { AGENT } from './http.js';

export const LARGEST = 5e6; // bytes of a frame
const BEGINNING = 1e6; // bytes of a larger one that may name its account
export const MOST_FRAMES = 1000; // in a transaction
const MOST_BYTES = 8e6; // in a transaction
const WAITING = 16e6;
const OVERHEAD = 500; // bytes of a frame that waits, besides its own
const PING = 30e3;
const HANDSHAKE = 15e3;
const MOST_MESSAGE = 64e6; // bytes of a message, by the heads of its frames

const described = (bytes) => ({
  digest: createHash('sha256').update(bytes).digest(),
  bytes: bytes.length,
  did: routeOf(bytes.subarray(0, BEGINNING)).did,
});

// Why a connection has failed. The package names no numbers.
function reasonOf(e) {
  if (
    e.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH' ||
    e.code === 'WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH'
  )
    return `the server has announced a message that is too long: it must not have more than ${MOST_MESSAGE} bytes`;
  return clean(e.code && !/^WS_/.test(e.code) ? `${e.code} ${e.message}` : e.message);
}

// A connection. Calls frame(bytes) for each frame in its order, and tooLarge({ digest, bytes, did
// }) in its place. Ends with the signal; throws why the connection has ended.
export function openStream(url, { signal, opened, frame, tooLarge, socketOf }) {
  return new Promise((resolve, reject) => {
    const ws = new WebSocket(url, {
      maxPayload: MOST_MESSAGE,
      perMessageDeflate: false,
      handshakeTimeout: HANDSHAKE,
      headers: { 'user-agent': AGENT },
    });
    let heard = true;
    let retryAfter = null;
    const beat = setInterval(() => {
      if (!heard) return ws.terminate();
      heard = false;
      return ws.readyState === WebSocket.OPEN && !ws.isPaused ? ws.ping(() => {}) : (heard = true);
    }, PING);
    const over = (e) => {
      clearInterval(beat);
      signal.removeEventListener('abort', abort);
      ws.terminate();
      if (signal.aborted) resolve();
      else reject(Object.assign(e, { retryAfter }));
    };
    const abort = () => over(new Error('ended'));
    ws.on('open', opened);
    ws.on('pong', () => {
      heard = true;
    });
    ws.on('message', (bytes) => {
      heard = true;
      if (bytes.length > LARGEST) tooLarge(described(bytes));
      else frame(bytes);
    });
    ws.on('unexpected-response', (request, answer) => {
      retryAfter = answer.headers['retry-after'] ?? null;
      answer.on('error', () => {}).destroy();
      over(new Error(`the server answers ${answer.statusCode}`));
    });
    ws.on('error', (e) => over(new Error(reasonOf(e))));
    ws.on('close', (code, reason) =>
      over(new Error(clean(`closed, ${code} ${reason.toString()}`.trim()))),
    );
    signal.addEventListener('abort', abort);
    socketOf(ws);
    if (signal.aborted) abort();
  });
}

// The queues of the takers. While they are closed nothing is given out.
export class Queues {
  constructor(takers) {
    this.queues = Array.from({ length: takers }, () => ({ frames: [], from: 0, wake: () => {} }));
    this.bytes = 0;
    this.last = null; // the last number that came in this connection
    this.closed = false;
    this.ws = null;
  }

  // Frames of this socket come from now on.
  use(ws) {
    this.ws = ws;
    this.flow();
  }

  // A connection begins: no number of it has come.
  close() {
    this.closed = true;
    this.last = null;
  }

  open() {
    this.closed = false;
    for (const queue of this.queues) queue.wake();
  }

  flow() {
    if (this.bytes > WAITING) this.ws?.pause();
    else if (this.bytes < WAITING / 2) this.ws?.resume();
  }

  // Returns what the frame says of itself: { op, seq }.
  put(frame) {
    const { op, did, seq } = routeOf(frame);
    const queue = this.queues[takerOf(did, this.queues.length)];
    this.last = seq ?? this.last;
    queue.frames.push({ frame, seq: this.last });
    this.bytes += frame.length + OVERHEAD;
    this.flow();
    if (!this.closed) queue.wake();
    return { op, seq };
  }

  // The next frames of a taker, at most so many, and the number up to which these are all: {
  // frames, seen }. They stay until done() says how many were taken.
  next(taker, most) {
    const { frames, from } = this.queues[taker];
    if (this.closed) return { frames: [], seen: null };
    let n = 0;
    for (let size = 0; n < most && from + n < frames.length; n++) {
      size += frames[from + n].frame.length;
      if (n > 0 && size > MOST_BYTES) break;
    }
    const all = from + n === frames.length;
    return {
      frames: frames.slice(from, from + n).map((f) => f.frame),
      seen: all ? this.last : frames[from + n - 1].seq,
    };
  }

  done(taker, n) {
    const queue = this.queues[taker];
    for (let i = queue.from; i < queue.from + n; i++) {
      this.bytes -= queue.frames[i].frame.length + OVERHEAD;
      queue.frames[i] = null;
    }
    queue.from += n;
    if (queue.from === queue.frames.length || queue.from > 10000) {
      queue.frames.splice(0, queue.from);
      queue.from = 0;
    }
    this.flow();
  }

  // The frames that wait, of each taker.
  get lengths() {
    return this.queues.map(({ frames, from }) => frames.length - from);
  }

  get empty() {
    return this.queues.every((queue) => queue.from === queue.frames.length);
  }

  // Waits for a frame of a taker that has none, a second at most.
  wait(taker, signal) {
    const queue = this.queues[taker];
    if ((queue.from < queue.frames.length && !this.closed) || signal.aborted) return undefined;
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        queue.wake = () => {};
        resolve();
      };
      const timer = setTimeout(wake, 1000);
      signal.addEventListener('abort', wake);
      queue.wake = wake;
    });
  }
}
