// Changes that the indexer commits: the subscription "changed", and notices about the schema.
//
// The indexer records each change in the table change with its transaction, and sends an empty
// notice. A snapshot shows which transactions it sees. So a change is new if the newer of two
// snapshots sees it and the older one does not, and it is reported at its COMMIT, whatever else is
// being written; indexer.changes() waits until no older transaction runs. Changes that are being
// written while the server starts are not reported.
//
// The last changes are kept once, for all subscriptions; each subscription has its position among
// them, which does not advance while its client does not read. If changes were dropped before the
// client got them, or were not recorded while the database was away, its socket is closed, so that
// it connects and subscribes again.
import { randomUUID } from 'node:crypto';
import { SafeError } from 'postgraphile/grafast';
import { connect } from '../db/connection.js';
import { messageOf } from '../db/errors.js';
import * as log from '../ops/log.js';

const AT_A_TIME = 1000; // changes per query
const KEPT = 50_000; // changes: a subscription that is further behind ends
const UNSENT = 100; // ms between two checks whether a client has read
const ASK_AGAIN = 1013; // the code with which a socket is closed
const TIDY = 5000; // ms
const EVERY = 1000; // ms, if no notice comes
const SILENT = 15e3; // ms without an answer until the connection is dropped
const CLOSE = 5000; // ms without one at the end

const NEW = `
SELECT c.tx::text, c.n::text, c.uri::text, r.uri IS NULL AS gone
FROM indexer.change AS c
LEFT JOIN indexer.record AS r ON r.uri = c.uri AND r.did = atid.at_uri_did(c.uri)
WHERE (c.tx >= pg_snapshot_xmax($1) OR c.tx = ANY (ARRAY(SELECT pg_snapshot_xip($1))))
  AND pg_visible_in_snapshot(c.tx, $2) AND (c.tx, c.n) > ($3, $4)
ORDER BY c.tx, c.n LIMIT ${AT_A_TIME}`;

/**
 * @typedef {import('pg').Client & { connection?: any }} Client
 * @typedef {{ uri: string, gone: boolean, did: string, collection: string }} Change
 * @typedef {{ collection?: string | null, did?: string | null }} About
 * @typedef {IteratorResult<Change, undefined>} Result
 */

/** @param {number} ms */
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * The changes of a collection or an account, as an iterator. It is no generator, whose pending
 * promise would delay its end.
 */
class Subscription {
  /** @type {((result: Result) => void)[]} */
  asking = [];
  /** @type {NodeJS.Timeout | undefined} */
  timer;
  ended = false;

  /**
   * @param {Feed} feed
   * @param {About} about
   * @param {import('./socket-turns.js').Client} client
   */
  constructor(feed, about, { socket, over }) {
    this.feed = feed;
    this.about = about;
    this.socket = socket;
    this.over = over;
    this.at = feed.end;
  }

  // The next change that the subscription matches; undefined: there is none yet.
  find() {
    const { feed, about } = this;
    const is = (/** @type {Change} */ row) =>
      (about.collection ?? row.collection) === row.collection && (about.did ?? row.did) === row.did;
    while (this.at < feed.end) {
      const row = feed.rows[this.at++ - feed.first];
      if (is(row)) return row;
    }
    return undefined;
  }

  // Answers requests for the next change once the client has read what was sent; the engine itself
  // requests the next one at once.
  wake() {
    if (this.ended) return;
    if (this.at < this.feed.first) this.lose();
    while (this.asking.length > 0) {
      if (this.socket.bufferedAmount > 0) {
        this.timer ??= setTimeout(() => {
          this.timer = undefined;
          this.wake();
        }, UNSENT);
        return;
      }
      const value = this.find();
      if (value === undefined) return;
      this.asking.shift()?.({ value, done: false });
    }
  }

  // Ends the subscription because it has missed changes.
  lose() {
    this.return();
    this.socket.close(ASK_AGAIN, 'changes were missed: subscribe again');
  }

  /** @returns {Promise<Result>} */
  next() {
    if (this.ended) return Promise.resolve({ value: undefined, done: true });
    // Not at once: by then the result of the previous change is sent, which shows whether the
    // client reads.
    return new Promise((resolve) => {
      this.asking.push(resolve);
      setImmediate(() => this.wake());
    });
  }

  /** @returns {Promise<Result>} */
  return() {
    clearTimeout(this.timer);
    this.feed.all.delete(this);
    this.ended = true;
    this.over.abort(new SafeError('The subscription is over')); // a SafeError is not logged
    for (const resolve of this.asking.splice(0)) resolve({ value: undefined, done: true });
    return Promise.resolve({ value: undefined, done: true });
  }

  throw() {
    return this.return();
  }

  [Symbol.asyncIterator]() {
    return this;
  }
}

// Wakes up when there may be something new: a notice, or the end.
class News {
  isThere = true;
  wake = () => {};

  come() {
    this.isThere = true;
    this.wake();
  }

  // Waits until something may be new, or for EVERY ms.
  async wait() {
    if (this.isThere) return;
    /** @type {Promise<void>} */
    const woken = new Promise((resolve) => {
      const timer = setTimeout(resolve, EVERY);
      this.wake = () => (clearTimeout(timer), resolve());
    });
    await woken;
  }
}

export class Feed {
  name = `api ${randomUUID()}`;
  heard = 0; // when the database last answered that there is nothing new
  /** @type {string | null} why it does not answer */
  why = null;
  moved = 0; // when it last answered at all
  /** @type {Set<Subscription>} */
  all = new Set();
  /** @type {Change[]} the last changes, while there are subscriptions */
  rows = [];
  first = 0; // the number of the first of them
  /** @type {string | null} */
  snapshot = null;
  /** @type {{ now: string, tx: string, n: string } | null} how far a newer snapshot is read */
  pass = null;

  /** @param {() => void} schemaChanged called at each notice that the schema has changed */
  constructor(schemaChanged) {
    this.schemaChanged = schemaChanged;
  }

  get size() {
    return this.all.size;
  }

  get end() {
    return this.first + this.rows.length;
  }

  /**
   * For the engine: a client's subscription to the changes of a collection or an account. At its
   * end the client's `over` is aborted.
   * @param {About} about
   * @param {import('./socket-turns.js').Client} client
   */
  subscribe(about, client) {
    const one = new Subscription(this, about, client);
    this.all.add(one);
    return one;
  }

  /**
   * Follows the changes until the signal is aborted, over as many connections as that takes.
   * @param {AbortSignal} signal
   */
  async run(signal) {
    for (let wait = 200; !signal.aborted; wait = Math.min(2 * wait, 10_000)) {
      try {
        await this.follow(signal, () => (wait = 200));
      } catch (/** @type {any} */ e) {
        this.why = messageOf(e);
        if (!signal.aborted) log.counted('error', 'changes failed', { error: this.why });
      }
      if (!signal.aborted) await pause(wait);
    }
  }

  /**
   * @param {AbortSignal} signal
   * @param {() => void} well called each time that the database has answered
   */
  async follow(signal, well) {
    /** @type {Client} */
    const db = await connect('changes');
    // TCP would take a quarter of an hour to notice that the server has vanished
    this.moved = Date.now();
    const watch = setInterval(() => {
      if (this.moved < Date.now() - (signal.aborted ? CLOSE : SILENT))
        db.connection.stream.destroy(new Error('the database does not answer'));
    }, EVERY);
    const news = new News();
    db.on('notification', ({ channel }) => {
      if (channel === 'postgraphile_watch') this.schemaChanged();
      else news.come();
    });
    const come = () => news.come();
    db.on('end', come);
    signal.addEventListener('abort', come);
    try {
      await this.begin(db);
      if (this.heard) this.schemaChanged(); // notices may have been missed meanwhile
      await this.readAll(db, { signal, news, well });
      await db.query('DELETE FROM indexer.reader WHERE name = $1', [this.name]);
    } finally {
      clearInterval(watch);
      signal.removeEventListener('abort', come);
      await db.end().catch(() => {});
    }
  }

  /**
   * Reads changes as they come, until signal is aborted.
   * @param {Client} db
   * @param {{ signal: AbortSignal, news: News, well: () => void }} how
   */
  async readAll(db, { signal, news, well }) {
    let tidied = Date.now();
    while (!signal.aborted) {
      news.isThere = false;
      await this.read(db);
      this.heard = Date.now();
      this.why = null;
      well();
      if (Date.now() - tidied > TIDY) {
        await this.tidy(db);
        tidied = Date.now();
      }
      await news.wait();
    }
  }

  /**
   * Creates a reader, so that the indexer records changes and keeps those that this reader has not
   * read. Readers of servers that were killed are deleted: nobody holds their locks.
   * @param {Client} db
   */
  async begin(db) {
    await db.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [this.name]);
    await db.query(
      `DELETE FROM indexer.reader AS r WHERE r.api AND r.name <> $1
         AND pg_try_advisory_xact_lock(hashtextextended(r.name, 0))`,
      [this.name],
    );
    await db.query('LISTEN change');
    await db.query('LISTEN postgraphile_watch');
    const { rowCount } = await db.query(
      `INSERT INTO indexer.reader (name, api, tx)
       SELECT $1, true, (pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1)::text::xid8
       ON CONFLICT DO NOTHING`,
      [this.name],
    );
    // it had no reader, so changes may not have been recorded meanwhile
    if (rowCount === 1 && this.snapshot !== null) {
      this.snapshot = this.pass = null;
      for (const one of this.all) one.lose();
    }
    this.snapshot ??= await this.now(db);
  }

  /**
   * @param {Client} db
   * @returns {Promise<string>}
   */
  async now(db) {
    return (await db.query('SELECT pg_current_snapshot()::text AS now')).rows[0].now;
  }

  /** @param {Client} db */
  async read(db) {
    // after a lost connection, the next one continues after the last change that was reported
    let pass = this.pass ?? { now: await this.now(db), tx: '0', n: '0' };
    this.pass = pass;
    for (let more = true; more;) {
      const { now, tx, n } = pass;
      const { rows } = await db.query(NEW, [this.snapshot, now, tx, n]);
      this.moved = Date.now();
      this.tell(rows);
      more = rows.length === AT_A_TIME;
      if (more) this.pass = pass = { now, tx: rows.at(-1).tx, n: rows.at(-1).n };
    }
    this.snapshot = pass.now;
    this.pass = null;
  }

  /** @param {{ uri: string, gone: boolean }[]} rows */
  tell(rows) {
    for (const { uri, gone } of rows) {
      const [, , did, collection] = uri.split('/');
      this.rows.push({ uri, gone, did, collection });
    }
    const most = this.all.size > 0 ? KEPT : 0;
    if (this.rows.length > most + AT_A_TIME)
      this.first += this.rows.splice(0, this.rows.length - most).length;
    for (const one of this.all) one.wake();
  }

  /**
   * Marks as read all changes that the snapshot is certain to include. Without the reader's row no
   * changes are recorded.
   * @param {Client} db
   */
  async tidy(db) {
    const { rowCount } = await db.query(
      `SELECT indexer.read_to(r.name, (pg_snapshot_xmin($2)::text::bigint - 1)::text::xid8,
                              9223372036854775807)
       FROM indexer.reader AS r WHERE r.name = $1`,
      [this.name, this.snapshot],
    );
    if (rowCount === 0)
      throw new Error('its row in the table indexer.reader was deleted, and is created again');
  }
}
