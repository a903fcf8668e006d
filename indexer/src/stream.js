// The stream: one socket, whose frames go to takers, in order for each account.
//
// - What a taker has not taken yet waits in its queue. While the queues together hold more than WAITING bytes, nothing
//   is read from the socket, so the server waits, too: memory is bounded however slow a taker is.
// - A message over LARGEST bytes is hashed as it passes and never held: its digest, its size, and the account that its
//   beginning names are reported.
// - A message that claims more than MOST_CLAIMED bytes ends the connection, which would otherwise be
//   silent until the ping.
// - No compression: it would let a server send much by little.
// - A server that does not answer a ping within 30 seconds is not there.
import { createHash } from 'node:crypto';
import net from 'node:net';
import { Duplex } from 'node:stream';
import tls from 'node:tls';
import WebSocket from 'ws';
import { clean } from './border.js';
import { routeOf, takerOf } from './frames.js';
import { AGENT } from './http.js';

export const LARGEST = 5e6; // bytes of a frame
const BEGINNING = 1e6; // bytes of a larger one that may name its account
export const MOST_FRAMES = 1000; // in a transaction
const MOST_BYTES = 8e6; // in a transaction
const WAITING = 16e6;
const OVERHEAD = 500; // bytes of a frame that waits, besides its own
const PING = 30e3;
const HANDSHAKE = 15e3;
const MOST_HEADER = 64e3;
const MOST_CLAIMED = 1e9; // bytes of a message, by the heads of its frames

// A socket that passes all that comes, but for the payload of messages over `largest` bytes: of these the first
// `largest` bytes pass at most, and seen({ n, digest, bytes, did }) tells that the n-th message is no more what was sent.
// The protocol is RFC 6455: two bytes, the length, perhaps a mask, then the payload. A message that
// claims more than MOST_CLAIMED bytes is an event 'refused', with an error; nothing passes after it.
class Sieve extends Duplex {
  constructor(socket, largest, seen) {
    super();
    this.socket = socket;
    this.largest = largest;
    this.seen = seen;
    this.before = Buffer.alloc(0); // what is not whole yet: the handshake, or the head of a frame
    this.state = 'handshake';
    this.left = 0; // of the payload
    this.drop = false; // of which nothing passes
    this.n = 0; // messages so far
    this.bytes = 0; // of the message, in the frames that have begun
    this.hash = null; // of a message whose bytes may be too many,
    this.beginning = null; // and a copy of the first of these,
    this.kept = 0; // of so many
    socket.on('data', (chunk) => {
      if (!this.sift(chunk)) socket.pause();
    });
    socket.on('end', () => this.push(null));
    socket.on('error', (e) => this.destroy(e));
    socket.on('close', () => this.destroy());
    for (const event of ['connect', 'secureConnect', 'timeout']) socket.on(event, (...a) => this.emit(event, ...a));
  }

  get connecting() {
    return this.socket.connecting;
  }
  setTimeout(...a) {
    this.socket.setTimeout(...a);
    return this;
  }
  setNoDelay(...a) {
    this.socket.setNoDelay(...a);
    return this;
  }
  setKeepAlive(...a) {
    this.socket.setKeepAlive(...a);
    return this;
  }
  ref() {
    this.socket.ref();
    return this;
  }
  unref() {
    this.socket.unref();
    return this;
  }

  _read() {
    this.socket.resume();
  }
  _write(chunk, encoding, done) {
    this.socket.write(chunk, encoding, done);
  }
  _final(done) {
    this.socket.end(done);
  }
  _destroy(e, done) {
    this.socket.destroy();
    done(e);
  }

  // Returns whether more can be read.
  sift(chunk) {
    let more = true;
    const pass = (bytes) => {
      if (bytes.length > 0) more = this.push(bytes);
    };
    for (let rest = chunk; rest.length > 0;) {
      if (this.state === 'payload') {
        const part = rest.subarray(0, this.left);
        rest = rest.subarray(part.length);
        this.left -= part.length;
        if (this.hash) this.digest(part);
        if (!this.drop) pass(part);
        if (this.left === 0) this.ended(pass);
      } else if (this.state === 'refused') {
        break;
      } else if (this.state === 'open') {
        pass(rest); // no WebSocket: an answer of HTTP
        break;
      } else {
        this.before = this.before.length > 0 ? Buffer.concat([this.before, rest]) : rest;
        rest = this.state === 'handshake' ? this.handshake(pass) : this.head(pass);
      }
    }
    return more;
  }

  handshake(pass) {
    const end = this.before.indexOf('\r\n\r\n');
    if (end < 0 && this.before.length < MOST_HEADER) return Buffer.alloc(0);
    const bytes = this.before;
    this.before = Buffer.alloc(0);
    if (end < 0 || !/^HTTP\/1\.1 101 /.test(bytes.latin1Slice(0, 13))) {
      this.state = 'open';
      return bytes;
    }
    this.state = 'head';
    pass(bytes.subarray(0, end + 4));
    return bytes.subarray(end + 4);
  }

  // The head of a frame. Returns what comes behind it.
  head(pass) {
    const { before } = this;
    if (before.length < 2) return Buffer.alloc(0);
    const short = before[1] & 127;
    const size = 2 + (short === 126 ? 2 : short === 127 ? 8 : 0) + (before[1] & 128 ? 4 : 0);
    if (before.length < size) return Buffer.alloc(0);
    const length =
      short === 126
        ? before.readUInt16BE(2)
        : short === 127
          ? before.readUInt32BE(2) * 2 ** 32 + before.readUInt32BE(6)
          : short;
    const control = (before[0] & 8) !== 0;
    this.before = Buffer.alloc(0);
    if (this.bytes + length > MOST_CLAIMED) {
      this.state = 'refused';
      const claim = short === 127 ? before.readBigUInt64BE(2) : length;
      const limit = `a message must not have more than ${MOST_CLAIMED}`;
      const why = `the server has announced a frame of ${claim} bytes; ${limit}`;
      this.emit('refused', new Error(why));
      return Buffer.alloc(0);
    }
    this.state = 'payload';
    this.left = length;
    this.last = !control && (before[0] & 128) !== 0;
    this.drop = false;
    if (!control) {
      const whole = this.bytes === 0 && this.last;
      this.bytes += length;
      if (this.bytes > this.largest) this.drop = true;
      if ((this.drop || !whole) && !this.hash) this.hash = createHash('sha256');
    } else {
      this.aside = this.hash; // a control frame between the frames of a message
      this.hash = null;
    }
    this.control = control;
    this.first = before[0];
    if (!this.drop) pass(before.subarray(0, size));
    const rest = before.subarray(size);
    if (length === 0) this.ended(pass);
    return rest;
  }

  // A part of a message that may be too large.
  digest(part) {
    this.hash.update(part);
    this.beginning ??= Buffer.alloc(BEGINNING);
    this.kept += part.copy(this.beginning, this.kept);
  }

  // The end of a frame, and perhaps of a message. Of a frame that was dropped a head without a payload passes now.
  ended(pass) {
    this.state = 'head';
    if (this.control) this.hash = this.aside;
    if (this.last && this.bytes > this.largest) {
      const { did } = routeOf(this.beginning.subarray(0, this.kept));
      this.seen({ n: this.n, digest: this.hash.digest(), bytes: this.bytes, did });
    }
    if (this.drop) pass(Buffer.from([this.first, 0]));
    if (!this.last) return;
    this.n++;
    this.bytes = 0;
    this.hash = null;
    this.kept = 0;
  }
}

// A connection. Calls frame(bytes) for each frame in its order, and tooLarge({ digest, bytes, did }) in its place. Ends
// with the signal; throws why the connection has ended.
export function connect(url, { signal, opened, frame, tooLarge, socketOf }) {
  return new Promise((resolve, reject) => {
    const large = new Map();
    const tlsOf = (o) =>
      tls.connect({ ...o, servername: net.isIP(o.host) ? '' : o.servername || o.host, ALPNProtocols: ['http/1.1'] });
    const createConnection = (o) => {
      const options = { ...o, path: undefined };
      const socket = url.startsWith('wss:') ? tlsOf(options) : net.connect(options);
      const sieve = new Sieve(socket, LARGEST, ({ n, ...told }) => large.set(n, told));
      return sieve.on('refused', (e) => over(e));
    };
    const ws = new WebSocket(url, {
      maxPayload: LARGEST,
      perMessageDeflate: false,
      handshakeTimeout: HANDSHAKE,
      createConnection,
      headers: { 'user-agent': AGENT },
    });
    let n = 0;
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
      const told = large.get(n);
      large.delete(n++);
      if (told) tooLarge(told);
      else frame(bytes);
    });
    ws.on('unexpected-response', (request, answer) => {
      retryAfter = answer.headers['retry-after'] ?? null;
      answer.on('error', () => {}).destroy();
      over(new Error(`the server answers ${answer.statusCode}`));
    });
    ws.on('error', (e) =>
      over(new Error(clean(e.code && !/^WS_/.test(e.code) ? `${e.code} ${e.message}` : e.message))),
    );
    ws.on('close', (code, reason) => over(new Error(clean(`closed, ${code} ${reason.toString()}`.trim()))));
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

  // The next frames of a taker, at most so many, and the number up to which these are all: { frames, seen }. They stay
  // until done() says how many were taken.
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
