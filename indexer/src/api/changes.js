// What the indexer writes, as it is committed: the subscription "changed", and news of the schema.
//
// The indexer notes each change in the table change with its transaction, and sends an empty notice. A snapshot says
// which transactions it sees. So what is new is what the newer of two snapshots sees and the older one does not, and a
// change is told at its COMMIT, whatever else is being written; indexer.changes() waits until no older transaction
// runs. What is being written while the server starts is not told.
//
// The last changes are kept once, for all subscriptions: each has its place among them. A client that does not read does
// not get further. Where changes have gone that it has not had, or that nobody has noted while the database was away,
// its socket is closed, so that it connects and asks again.
import { randomUUID } from 'node:crypto';
import { SafeError, constant, context, get, lambda, listen, object } from 'postgraphile/grafast';
import { extendSchema } from 'postgraphile/utils';
import { connect } from '../db/connection.js';
import { messageOf } from '../db/errors.js';
import * as log from '../ops/log.js';
import { viewsOf } from './codecs.js';

const AT_A_TIME = 1000; // changes of a query
const KEPT = 50_000; // changes: a subscription that is further behind ends
const UNSENT = 100; // ms between two looks whether a client has read
const ASK_AGAIN = 1013; // the code with which a socket is closed
const TIDY = 5000; // ms
const EVERY = 1000; // ms, if no notice comes
const SILENT = 15e3; // ms without an answer: then the connection is dropped
const CLOSE = 5000; // ms without one at the end

const NEW = `
SELECT c.tx::text, c.n::text, c.uri::text, r.uri IS NULL AS gone
FROM indexer.change AS c LEFT JOIN indexer.record AS r ON r.uri = c.uri AND r.did = atid.at_uri_did(c.uri)
WHERE (c.tx >= pg_snapshot_xmax($1) OR c.tx = ANY (ARRAY(SELECT pg_snapshot_xip($1))))
  AND pg_visible_in_snapshot(c.tx, $2) AND (c.tx, c.n) > ($3, $4)
ORDER BY c.tx, c.n LIMIT ${AT_A_TIME}`;

// The changes of { collection, did }, as an iterator. It holds no promise of a generator, so it ends at once.
class Subscription {
  constructor(feed, about, { socket, over }) {
    Object.assign(this, { feed, about, socket, over, at: feed.end, asking: [], timer: null, ended: false });
  }

  // The next change that it is about; undefined: there is none yet.
  find() {
    const { feed, about } = this;
    while (this.at < feed.end) {
      const row = feed.rows[this.at++ - feed.first];
      if ((about.collection ?? row.collection) === row.collection && (about.did ?? row.did) === row.did) return row;
    }
  }

  // Answers who asks for the next one, once the client has read what was sent: the engine asks at once.
  wake() {
    if (this.ended) return;
    if (this.at < this.feed.first) this.lose();
    while (this.asking.length > 0) {
      if (this.socket.bufferedAmount > 0) {
        this.timer ??= setTimeout(() => {
          this.timer = null;
          this.wake();
        }, UNSENT);
        return;
      }
      const value = this.find();
      if (value === undefined) return;
      this.asking.shift()({ value, done: false });
    }
  }

  // It has not had all changes.
  lose() {
    this.return();
    this.socket.close(ASK_AGAIN, 'changes were left out: ask again');
  }

  next() {
    if (this.ended) return Promise.resolve({ value: undefined, done: true });
    // Not at once: what was made of the one before is sent by then, so that it shows whether the client reads.
    return new Promise((resolve) => {
      this.asking.push(resolve);
      setImmediate(() => this.wake());
    });
  }
  return() {
    clearTimeout(this.timer);
    this.feed.all.delete(this);
    this.ended = true;
    this.over.abort(new SafeError('The subscription is over')); // which is no error to log
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

// Places for the statements that changes of subscriptions need. Where all are taken, the sockets that wait have one after
// the other, each one place at a time. What waits for a subscription that is over goes. What runs for it keeps its place
// until the database is done.
export class Turns {
  constructor(places) {
    this.free = places;
    this.waiting = new Map(); // a socket: those that wait, as functions that give them the place
  }

  async run({ socket, over: { signal } }, work) {
    signal.throwIfAborted();
    if (this.free > 0) this.free--;
    else await this.wait(socket, signal);
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  wait(socket, signal) {
    return new Promise((resolve, reject) => {
      const queue = this.waiting.get(socket) ?? new Set();
      const end = () => {
        queue.delete(take);
        if (queue.size === 0) this.waiting.delete(socket);
        reject(signal.reason);
      };
      const take = () => {
        signal.removeEventListener('abort', end);
        resolve();
      };
      this.waiting.set(socket, queue.add(take));
      signal.addEventListener('abort', end);
    });
  }

  leave() {
    if (this.waiting.size === 0) {
      this.free++;
      return;
    }
    const [[socket, queue]] = this.waiting;
    const [take] = queue;
    queue.delete(take);
    this.waiting.delete(socket);
    if (queue.size > 0) this.waiting.set(socket, queue); // behind the others
    take();
  }
}

export class Feed {
  // schemaChanged is called when somebody says that the schema is another one.
  constructor(schemaChanged) {
    this.schemaChanged = schemaChanged;
    this.name = `api ${randomUUID()}`;
    this.heard = 0; // when the database has last said that there is nothing new
    this.why = null; // why it does not
    this.all = new Set(); // subscriptions
    this.rows = []; // the last changes, while there are subscriptions
    this.first = 0; // the number of the first of them
    this.snapshot = null;
    this.pass = null; // how far a newer snapshot is told
  }

  get size() {
    return this.all.size;
  }

  get end() {
    return this.first + this.rows.length;
  }

  // For the engine: changes of { collection, did }, for { socket, over }. over is aborted at its end.
  subscribe(about, client) {
    const one = new Subscription(this, about, client);
    this.all.add(one);
    return one;
  }

  // Follows until signal is aborted, over as many connections as it takes.
  async run(signal) {
    for (let wait = 200; !signal.aborted; wait = Math.min(2 * wait, 10_000)) {
      try {
        await this.follow(signal, () => (wait = 200));
      } catch (e) {
        this.why = messageOf(e);
        if (!signal.aborted) log.counted('error', 'changes failed', { error: this.why });
      }
      if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }

  async follow(signal, well) {
    const db = await connect('changes');
    // of a server that has vanished TCP would tell after a quarter of an hour
    this.moved = Date.now();
    const watch = setInterval(() => {
      if (this.moved < Date.now() - (signal.aborted ? CLOSE : SILENT)) db.connection.stream.destroy(new Error('the database does not answer'));
    }, EVERY);
    let wake = () => {};
    let isNews = true;
    const look = () => {
      isNews = true;
      wake();
    };
    db.on('notification', ({ channel }) => {
      if (channel === 'postgraphile_watch') this.schemaChanged();
      else look();
    });
    db.on('end', look);
    signal.addEventListener('abort', look);
    try {
      await this.begin(db);
      if (this.heard) this.schemaChanged(); // nobody has listened meanwhile
      let tidied = Date.now();
      while (!signal.aborted) {
        isNews = false;
        await this.read(db);
        this.heard = Date.now();
        this.why = null;
        well();
        if (Date.now() - tidied > TIDY) {
          await this.tidy(db);
          tidied = Date.now();
        }
        if (!isNews)
          await new Promise((resolve) => {
            const timer = setTimeout(resolve, EVERY);
            wake = () => (clearTimeout(timer), resolve());
          });
      }
      await db.query('DELETE FROM indexer.reader WHERE name = $1', [this.name]);
    } finally {
      clearInterval(watch);
      signal.removeEventListener('abort', look);
      await db.end().catch(() => {});
    }
  }

  // A reader of its own, so that the indexer notes changes and keeps those that are new to it. Readers of servers that
  // were killed go: nobody holds their locks.
  async begin(db) {
    await db.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [this.name]);
    await db.query(`DELETE FROM indexer.reader AS r WHERE r.api AND r.name <> $1
                    AND pg_try_advisory_xact_lock(hashtextextended(r.name, 0))`, [this.name]);
    await db.query('LISTEN change');
    await db.query('LISTEN postgraphile_watch');
    const { rowCount } = await db.query(
      `INSERT INTO indexer.reader (name, api, tx)
       SELECT $1, true, (pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1)::text::xid8
       ON CONFLICT DO NOTHING`,
      [this.name],
    );
    // the reader was gone: nobody has noted changes for it meanwhile
    if (rowCount > 0 && this.snapshot !== null) {
      this.snapshot = this.pass = null;
      for (const one of this.all) one.lose();
    }
    this.snapshot ??= await this.now(db);
  }

  async now(db) {
    return (await db.query('SELECT pg_current_snapshot()::text AS now')).rows[0].now;
  }

  async read(db) {
    // where the connection is lost, the next one goes on behind what was told
    this.pass ??= { now: await this.now(db), tx: '0', n: '0' };
    for (let more = true; more; ) {
      const { now, tx, n } = this.pass;
      const { rows } = await db.query(NEW, [this.snapshot, now, tx, n]);
      this.moved = Date.now();
      this.tell(rows);
      more = rows.length === AT_A_TIME;
      if (more) this.pass = { now, tx: rows.at(-1).tx, n: rows.at(-1).n };
    }
    this.snapshot = this.pass.now;
    this.pass = null;
  }

  tell(rows) {
    for (const { uri, gone } of rows) {
      const [, , did, collection] = uri.split('/');
      this.rows.push({ uri, gone, did, collection });
    }
    const most = this.all.size > 0 ? KEPT : 0;
    if (this.rows.length > most + AT_A_TIME) this.first += this.rows.splice(0, this.rows.length - most).length;
    for (const one of this.all) one.wake();
  }

  // All that the snapshot has no more doubt about is read. Without the reader nobody notes changes.
  async tidy(db) {
    const { rowCount } = await db.query(
      `SELECT indexer.read_to(r.name, (pg_snapshot_xmin($2)::text::bigint - 1)::text::xid8, 9223372036854775807)
       FROM indexer.reader AS r WHERE r.name = $1`,
      [this.name, this.snapshot],
    );
    if (rowCount === 0) throw new Error('its row in the table indexer.reader was deleted, and is made again');
  }
}

// The subscription.
export const changesPlugin = (feed) =>
  extendSchema((build) => {
    const views = viewsOf(build);
    if (views.length === 0) return { typeDefs: [] };
    const fields = views.map((r) => [build.inflection.camelCase(build.inflection.tableType(r.codec)), build.inflection.tableType(r.codec), r]);
    return {
      typeDefs: `
        extend type Subscription {
          "Records as they are written and deleted: all, or those of a collection, of an account."
          changed(collection: String, did: DID): Change
        }
        "A record that was written or deleted. Its fields are the record as it is now, of one type each."
        type Change {
          uri: ATURI!
          collection: String!
          did: DID!
          "It is deleted."
          gone: Boolean!
          query: Query
          ${fields.map(([name, type]) => `${name}: ${type}`).join('\n')}
        }`,
      objects: {
        Subscription: {
          plans: {
            changed: {
              subscribePlan: (_, { $collection, $did }) =>
                listen(
                  lambda(context().get('atidClient'), (client) => ({ subscribe: (about) => feed.subscribe(about, client) })),
                  object({ collection: $collection, did: $did }),
                ),
              plan: ($change) => $change,
            },
          },
        },
        Change: {
          plans: {
            query: () => constant(true),
            ...Object.fromEntries(fields.map(([name, , r]) => [name, ($change) => r.get({ uri: get($change, 'uri') })])),
          },
        },
      },
    };
  }, 'AtidChangesPlugin');
