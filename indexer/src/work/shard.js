// A shard of the stream, which processes one transaction at a time. If the database cannot process
// frames, they are tried again, half as many each time. If one frame alone fails and the next one
// does not, it is skipped and its digest is kept. There are two exceptions: the server's own
// trouble, which only waiting ends, and an error of the functions, which ends the run.
import { createHash } from 'node:crypto';
import { byteaArray } from '../db/bytea-array.js';
import { fatal, isLost, isOfProgram, isOfServer, messageOf, Problem } from '../db/errors.js';
import { checkSchema } from '../db/schema.js';
import * as log from '../ops/log.js';
import { isDid } from '../protocol/answers.js';
import { routeOf } from '../protocol/frame.js';
import { clean } from '../protocol/text.js';
import { MOST_FRAMES } from './shard-queues.js';
import { loop, pause } from './tasks.js';

/** @typedef {import('./run.js').Run} Run */

const TRIES = 5; // for a frame that the database cannot process
// A transaction costs as much as a hundred frames, so two begin no closer together than this, in
// ms, unless so many frames are there.
const PACE = 100;
const ENOUGH = 500;

export class Shard {
  #most = MOST_FRAMES;
  #tries = 0;
  #began = -Infinity;

  /**
   * @param {Run} run
   * @param {number} shard
   */
  constructor(run, shard) {
    this.run = run;
    this.shard = shard;
    this.sign = run.signs.of(`shard ${shard}`);
  }

  // Processes its frames until the signal.
  follow() {
    const { run, shard, sign } = this;
    return loop(`shard ${shard}`, run.signal, () => this.#turn(), { sign });
  }

  async #turn() {
    const { run, shard } = this;
    const { queues, signal, stream } = run;
    await queues.wait(shard, signal);
    await this.#gather();
    if (signal.aborted) return true;
    const { frames, seen } = queues.next(shard, this.#most);
    try {
      // a number, even if it is 0, tells the database that the stream is heard
      const isHeard = stream.listening || frames.length > 0;
      await this.#process(frames, isHeard ? (seen ?? 0) : null, frames.length);
      this.#most = Math.min(MOST_FRAMES, 2 * this.#most);
      this.#tries = 0;
    } catch (e) {
      if (isOfProgram(e)) throw await brokenFunctions(e, run.pools.small);
      this.#most = Math.max(1, frames.length >> 1);
      if (isLost(e) || isOfServer(e) || frames.length !== 1 || ++this.#tries < TRIES) throw e;
      await this.#skip(frames[0], e);
    }
    return true;
  }

  // Waits for more frames, if a transaction has begun only just now.
  async #gather() {
    const { queues, signal } = this.run;
    const isEnough = () => signal.aborted || queues.lengths[this.shard] >= ENOUGH;
    for (;;) {
      const left = this.#began + PACE - performance.now();
      if (left <= 0 || isEnough()) break;
      await pause(Math.min(left, PACE / 10), signal);
    }
    this.#began = performance.now();
  }

  /**
   * @param {Buffer[]} frames
   * @param {number | null} seen
   * @param {number} n how many frames of the queue this completes
   */
  async #process(frames, seen, n) {
    const { name, pools, queues, shards, stream, total } = this.run;
    const result = await pools.take.row(
      'SELECT taken, applied, refused, lag, error ' +
        'FROM indexer.process_frames($1, $2, $3, $4::bytea[], $5)',
      [name, this.shard, shards, byteaArray(frames), seen],
    );
    queues.done(this.shard, n);
    total.frames += result.taken;
    total.applied += result.applied;
    total.refused += result.refused;
    total.lag = result.lag ?? total.lag;
    if (result.error === null) return;
    log.warn('stream refused', { error: result.error });
    stream.end?.();
  }

  /**
   * Skips a frame if the next one can be processed.
   * @param {Buffer} frame
   * @param {Error} e
   */
  async #skip(frame, e) {
    const { name, pools, queues } = this.run;
    const next = queues.next(this.shard, 2);
    if (next.frames.length < 2) throw e;
    await this.#process(next.frames.slice(1), next.seen, 2);
    this.#tries = 0;
    const digest = createHash('sha256').update(frame).digest();
    const { did } = routeOf(frame);
    const account = isDid(did) ? did : null;
    log.error('frame skipped', {
      did: account,
      sha256: digest.toString('hex'),
      error: messageOf(e),
    });
    await pools.small.row('SELECT indexer.quarantine_oversized_frame($1, $2, $3, $4)', [
      name,
      digest,
      frame.length,
      account,
    ]);
  }
}

/**
 * An error of the database's functions, such as after an unfinished upgrade or without a right, as
 * one that ends the run.
 * @param {import('../db/errors.js').AnyError} e
 * @param {import('../db/pool.js').Pool} pool
 */
async function brokenFunctions(e, pool) {
  try {
    await checkSchema(pool.pool);
  } catch (why) {
    if (why instanceof Problem) return why;
  }
  const [where] = clean(e.where ?? '', 10e3).split(/(?=PL\/pgSQL)/);
  return fatal(
    `The functions of the schema indexer do not work, so no frame was processed: ${messageOf(e)} ` +
      `(${e.code}${where === '' ? '' : `, ${clean(where, 300)}`}). Run "atid-indexer upgrade".`,
  );
}
