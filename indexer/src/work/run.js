// One run: the lock, the stream and its shards, and the workers. Whatever ends it, the next one
// begins from the cursors in the database, which are stored in the same transactions as the rows.
//
// The stream ends more often than the run does. Then it is connected again, once its shards have
// processed all frames, and the workers do not notice.
import { setMaxListeners } from 'node:events';
import { connect } from '../db/connection.js';
import { lostConnection, messageOf, Problem } from '../db/errors.js';
import { REPOSITORIES } from '../db/locks.js';
import { Pool } from '../db/pool.js';
import { rowOf } from '../db/query.js';
import { checkSchema } from '../db/schema.js';
import { Http } from '../net/http.js';
import { Service } from '../net/service.js';
import { Figures } from '../ops/figures.js';
import * as log from '../ops/log.js';
import { createServer } from '../ops/metrics.js';
import { makeProgress, newTotal } from '../ops/progress.js';
import { Signs, WITHIN } from '../ops/signs.js';
import { Failure } from '../protocol/failure.js';
import { streamName } from '../protocol/streams.js';
import { Late, within } from './deadline.js';
import { countStream, followStream, LONGEST_ASKED } from './follow.js';
import { ShardQueues } from './shard-queues.js';
import { Shard } from './shard.js';
import { awaitLock, awaitPrimary, refuseReplacement } from './startup.js';
import { endUnforeseen, pause } from './tasks.js';
import { compareClocks, watchHealth, watchSchema } from './watch.js';
import { Workers } from './workers.js';

/** @typedef {any} Settings by their names in cli/settings.js */
/** @typedef {import('../ops/progress.js').Total} Total */
/**
 * @typedef {(settings: Settings, ended: AbortSignal, total: Total, figures: Figures) =>
 *   Promise<void>} Work
 */
/**
 * @typedef {{ take: Pool, loads: Pool, answers: Pool, small: Pool, own: Pool, signs: Pool }} Pools
 */

const FIRST_PAUSE = 500; // ms
const LONGEST = 30e3; // ms of a back-off
// ms for the work of a run to end once it is told to; after that it is left to the server
const FINISH = 10e3;
const CLOSE = 5e3; // ms for its connections to end after that

/** @type {(settings: Settings, ended: AbortSignal) => Promise<number>} */
export const run = (settings, ended) => runAgain(settings, ended, runOnce);

// Counts the frames after a cursor, without a database.
/** @type {(settings: Settings, ended: AbortSignal) => Promise<number>} */
export const countFrames = (settings, ended) => runAgain(settings, ended, countStream);

/**
 * Does work again and again until the signal. Returns the exit status.
 * @param {Settings} settings
 * @param {AbortSignal} ended
 * @param {Work} work
 */
async function runAgain(settings, ended, work) {
  const total = newTotal();
  const showProgress = makeProgress(total);
  const timer = setInterval(showProgress, settings.PROGRESS_INTERVAL * 1000);
  const broken = new AbortController(); // aborted by an unforeseen error
  const over = AbortSignal.any([ended, broken.signal]);
  const stop = endUnforeseen(broken, FINISH + 2 * CLOSE);
  const figures = new Figures();
  const server = settings.METRICS_PORT ? createServer(settings, figures) : null;
  let isFatal = false;
  try {
    for (let wait = FIRST_PAUSE; !over.aborted; wait = Math.min(2 * wait, LONGEST)) {
      const before = total.frames + total.loaded;
      let after = 0;
      try {
        await work(settings, over, total, figures);
      } catch (e) {
        if (!over.aborted || e instanceof Late) logFailure(e, settings);
        isFatal = e instanceof Problem && e.fatal;
        if (isFatal || (over.aborted && e instanceof Late)) return 1;
        if (e instanceof Failure) after = Math.min((e.retryAfter ?? 0) * 1000, LONGEST_ASKED);
      }
      if (total.frames + total.loaded > before) wait = FIRST_PAUSE;
      await pause(Math.max(wait, after), over);
    }
    return broken.signal.aborted ? 1 : 0;
  } finally {
    clearInterval(timer);
    stop();
    server?.close();
    figures.end();
    if (!isFatal) showProgress(true);
  }
}

/**
 * Logs an error, with the name of the setting of the server that has caused it.
 * @param {any} e
 * @param {Settings} settings
 */
function logFailure(e, { SERVICE_URL, PLC_URL }) {
  const settings = new Map([
    [PLC_URL, 'ATID_PLC_URL'],
    [SERVICE_URL, 'ATID_SERVICE_URL'],
  ]);
  const setting = e instanceof Failure ? settings.get(e.origin) : undefined;
  log.error('run failed', { setting, error: messageOf(e) });
}

/** One run, as its parts see it. */
export class Run {
  #over = new AbortController();
  /** @type {any} */
  #why = null;
  /** @type {{ listening: boolean, end: (() => void) | null }} */
  stream = { listening: false, end: null };
  signs = new Signs();
  isLate = false;

  /**
   * @param {Settings} settings
   * @param {Total} total
   * @param {import('pg').Client} lock
   */
  constructor(settings, total, lock) {
    const { STREAM_KIND, DB_WRITERS, STREAM_SHARDS } = settings;
    this.settings = settings;
    this.total = total;
    this.lock = lock;
    this.labels = STREAM_KIND === 'labels';
    this.name = streamName(settings);
    this.shards = this.labels ? 1 : STREAM_SHARDS;
    this.signal = this.#over.signal;
    setMaxListeners(0, this.signal); // each request is a listener
    this.http = new Http(settings);
    this.queues = new ShardQueues(this.shards);
    /** @type {Pools} */
    this.pools = {
      take: new Pool('take', this.shards),
      loads: new Pool('load', DB_WRITERS),
      answers: new Pool('answer', DB_WRITERS),
      small: new Pool('ask', 3),
      own: new Pool('tidy', 2),
      signs: new Pool('signs', 1, [`statement_timeout=${WITHIN}`]),
    };
  }

  end() {
    this.#over.abort();
  }

  /**
   * The database is lost, or the run cannot continue: it ends with the first such error.
   * @param {any} e
   */
  lost(e) {
    this.#why ??= e;
    this.end();
  }

  /**
   * @param {AbortSignal} ended
   * @param {Figures} figures
   */
  async follow(ended, figures) {
    try {
      await within(FINISH, this.signal, this.#work(ended, figures));
    } catch (e) {
      this.isLate = e instanceof Late;
      throw this.isLate ? (this.#why ?? e) : e;
    }
  }

  /**
   * @param {AbortSignal} ended
   * @param {Figures} figures
   */
  async #work(ended, figures) {
    ended.throwIfAborted();
    const begun = await this.#start(ended);
    const { name, pools, signal, http, settings, signs, total, queues } = this;
    const service = this.service;
    const lost = this.lost.bind(this);
    const listening = () => this.stream.listening;
    const needs = { settings, service, pools, http, signal, lost, total, listening, signs };
    const workers = new Workers(needs);
    figures.run = { queues, workers };
    const all = [
      ...Array.from({ length: this.shards }, (_, shard) => new Shard(this, shard).follow()),
      compareClocks(name, pools.small, signal),
      followStream(this),
      workers.run(this.labels),
      signs.run(name, pools.signs, signal),
      watchSchema(this.lock, signal),
      watchHealth({ name, begun, pool: pools.small, signal }),
    ].map((work) => work.catch(lost));
    await Promise.all(all);
    if (this.#why) throw this.#why;
  }

  get service() {
    this.#service ??= new Service(this);
    return this.#service;
  }
  /** @type {Service | undefined} */
  #service;

  /**
   * Waits until it is this program's turn, and starts the stream. Returns when the server's numbers
   * last began again, or null.
   * @param {AbortSignal} ended
   * @returns {Promise<string | null>}
   */
  async #start(ended) {
    const { lock, name, labels, settings } = this;
    await awaitPrimary(lock, ended);
    await checkSchema(lock);
    if (!labels) await awaitLock(lock, REPOSITORIES, ended);
    await awaitLock(lock, name, ended); // the only lock that 1.3.0 takes
    lock.on('end', () => this.lost(lostConnection('the connection that holds the lock is lost')));
    const pds = labels ? null : await this.service.ownNames();
    if (!labels) await refuseReplacement(lock, name, pds, settings);
    const kind = labels ? 'labels' : 'repos';
    await lock.query('SELECT indexer.start_stream($1, $2, $3, $4)', [name, kind, pds, this.shards]);
    const query = 'SELECT begun::text FROM indexer.stream WHERE name = $1';
    return (await rowOf(lock, query, [name])).begun;
  }

  // Ends the connections, but does not wait for a server that hangs.
  async close() {
    this.end();
    this.http.close();
    const connections = [this.lock, ...Object.values(this.pools)];
    const closed = Promise.allSettled(connections.map((one) => one.end()));
    if (!this.isLate) await Promise.race([closed, pause(CLOSE)]);
  }
}

/** @type {Work} */
async function runOnce(settings, ended, total, figures) {
  const lock = await within(FINISH, ended, connect('lock'));
  const one = new Run(settings, total, lock);
  const end = () => one.end();
  ended.addEventListener('abort', end);
  try {
    await one.follow(ended, figures);
  } finally {
    figures.run = null;
    ended.removeEventListener('abort', end);
    await one.close();
  }
}
