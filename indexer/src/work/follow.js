// Follows the stream, and connects again whenever it ends. A connection begins at the cursors in
// the database, so only after all earlier frames are processed. Its frames are not processed before
// the database knows the first sequence number, which may show a gap.
import { messageOf } from '../db/errors.js';
import { openStream } from '../net/stream.js';
import * as log from '../ops/log.js';
import { isDid, retryAfter } from '../protocol/answers.js';
import { streamUrl } from '../protocol/streams.js';
import { loop, pause, retryUntilDone } from './tasks.js';

/** @typedef {import('./run.js').Run} Run */

const FIRST_PAUSE = 500; // ms
const LONGEST = 30e3; // ms of a back-off
export const LONGEST_ASKED = 300e3; // ms that a server may make us wait
const UNNUMBERED = '0'; // the cursor of a stream that was never followed

/** One connection to the stream. */
class Connection {
  #controller = new AbortController();
  /** @type {Promise<void> | null} */
  #first = null; // the report of the first number
  /** @type {Promise<unknown> | null} */
  #missed = null; // the report that the stream begins
  /** @type {Error | null} */
  #unknown = null; // why the first number could not be reported
  opened = false;
  after = 0; // ms that the server makes us wait

  /**
   * @param {Run} run
   * @param {string} cursor
   */
  constructor(run, cursor) {
    this.run = run;
    this.cursor = cursor;
  }

  get isNumbered() {
    return this.#first !== null;
  }

  end() {
    this.#controller.abort();
  }

  /** @param {number | string} seq */
  #report(seq) {
    const { name, pools } = this.run;
    return retryUntilDone('connected', this.#controller.signal, () =>
      pools.small.row('SELECT indexer.report_connection($1, $2, $3)', [name, this.cursor, seq]),
    );
  }

  /** @param {any} e */
  #fail(e) {
    this.#unknown = e;
    this.end();
  }

  /** @param {number} seq */
  async #reportFirst(seq) {
    try {
      if (this.cursor !== UNNUMBERED) await this.#report(seq);
      this.run.queues.open();
    } catch (e) {
      this.#fail(e);
    }
  }

  #open() {
    this.opened = true;
    if (this.cursor === UNNUMBERED)
      this.#missed = this.#report(UNNUMBERED).catch((e) => this.#fail(e));
    log.info('stream connected', { cursor: this.cursor });
    this.run.stream.listening = true;
  }

  /** @param {Buffer} frame */
  #put(frame) {
    const { queues } = this.run;
    const { op, seq } = queues.put(frame);
    if (this.isNumbered) return;
    if (seq !== undefined) this.#first = this.#reportFirst(seq);
    else if (op === -1) queues.open(); // an error, after which nothing comes
  }

  // Follows the stream until it ends.
  async follow() {
    const { run, cursor } = this;
    const { signal } = this.#controller;
    const query = cursor !== UNNUMBERED || run.labels ? `?cursor=${cursor}` : '';
    run.queues.close();
    try {
      await openStream(`${streamUrl(run.settings)}${query}`, {
        signal,
        useSocket: (socket) => run.queues.use(socket),
        opened: () => this.#open(),
        frame: (frame) => this.#put(frame),
        oversized: (frame) => reportOversized(run, frame),
      });
    } catch (e) {
      this.after = (retryAfter(e.retryAfter) ?? 0) * 1000;
      log.warn('stream closed', { error: messageOf(e) });
    } finally {
      run.stream.listening = false;
      run.queues.use(null);
      await Promise.all([this.#first, this.#missed]);
      if (this.#unknown === null) run.queues.open();
    }
    if (this.#unknown !== null) throw this.#unknown;
  }
}

/**
 * @param {Run} run
 * @param {import('../net/stream.js').Oversized} frame
 */
function reportOversized({ name, pools }, { digest, bytes, did }) {
  const account = isDid(did) ? did : null;
  log.warn('frame too large', { bytes, did: account });
  pools.small
    .row('SELECT indexer.quarantine_oversized_frame($1, $2, $3, $4)', [
      name,
      digest,
      bytes,
      account,
    ])
    .catch((e) => log.error('work failed', { work: 'too large', error: messageOf(e) }));
}

/** @param {Run} run */
export async function followStream(run) {
  const { name, pools, queues, signal, stream } = run;
  let wait = FIRST_PAUSE;
  await loop('the stream', signal, async () => {
    const { cursor } = await pools.small.row(
      'SELECT min(cursor)::text AS cursor FROM indexer.shard WHERE stream = $1',
      [name],
    );
    const connection = new Connection(run, cursor);
    const end = () => connection.end();
    stream.end = end;
    signal.addEventListener('abort', end);
    if (signal.aborted) end(); // it was aborted while the cursor was read
    try {
      await connection.follow();
    } finally {
      signal.removeEventListener('abort', end);
    }
    if (connection.isNumbered) wait = FIRST_PAUSE;
    while (!queues.empty && !signal.aborted) await pause(50, signal);
    await pause(Math.max(wait, Math.min(connection.after, LONGEST_ASKED)), signal);
    wait = connection.opened ? Math.min(1.2 * wait, LONGEST / 6) : Math.min(2 * wait, LONGEST);
    return true;
  });
}

/**
 * Counts the frames after a cursor, without a database.
 * @param {import('./run.js').Settings & { cursor?: number }} settings
 * @param {AbortSignal} ended
 * @param {import('../ops/progress.js').Total} total
 */
export async function countStream(settings, ended, total) {
  const { cursor } = settings;
  const count = () => {
    total.frames++;
  };
  await openStream(`${streamUrl(settings)}?cursor=${cursor}`, {
    signal: ended,
    useSocket: () => {},
    opened: () => log.info('stream connected', { cursor }),
    frame: count,
    oversized: count,
  });
}
