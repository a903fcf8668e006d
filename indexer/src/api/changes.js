// What the indexer writes, as it is committed: the subscription "changed", and news of the schema.
//
// The indexer notes each change in the table change with its transaction, and sends an empty notice. A snapshot says
// which transactions it sees. So what is new is what the newer of two snapshots sees and the older one does not, and a
// change is told at its COMMIT, whatever else is being written; indexer.changes() waits until no older transaction
// runs. What is being written while the server starts is not told.
import { randomUUID } from 'node:crypto';
import { constant, get, listen, object } from 'postgraphile/grafast';
import { extendSchema } from 'postgraphile/utils';
import { connect, told } from '../database.js';
import * as log from '../log.js';
import { viewsOf } from './codecs.js';

const AT_A_TIME = 1000; // changes of a query
const BEHIND = 1000; // changes that may wait for a subscriber: then it ends
const TIDY = 5000; // ms
const EVERY = 1000; // ms, if no notice comes

const NEW = `
SELECT c.tx::text, c.n::text, c.uri::text, r.uri IS NULL AS gone
FROM indexer.change AS c LEFT JOIN indexer.record AS r ON r.uri = c.uri AND r.did = atid.at_uri_did(c.uri)
WHERE (c.tx >= pg_snapshot_xmax($1) OR c.tx = ANY (ARRAY(SELECT pg_snapshot_xip($1))))
  AND pg_visible_in_snapshot(c.tx, $2) AND (c.tx, c.n) > ($3, $4)
ORDER BY c.tx, c.n LIMIT ${AT_A_TIME}`;

// An iterator of values that are put into it, and its end. It holds no promise of a generator, so it ends at once.
class Queue {
  constructor(over) {
    Object.assign(this, { over, waiting: [], values: [], ended: false });
  }
  put(value) {
    if (this.waiting.length) this.waiting.shift()({ value, done: false });
    else if (this.values.push(value) > BEHIND) this.return();
  }
  next() {
    if (this.ended) return Promise.resolve({ value: undefined, done: true });
    if (this.values.length) return Promise.resolve({ value: this.values.shift(), done: false });
    return new Promise((resolve) => this.waiting.push(resolve));
  }
  return() {
    if (!this.ended) this.over(this);
    this.ended = true;
    this.values = [];
    for (const resolve of this.waiting.splice(0)) resolve({ value: undefined, done: true });
    return Promise.resolve({ value: undefined, done: true });
  }
  throw() {
    return this.return();
  }
  [Symbol.asyncIterator]() {
    return this;
  }
}

export class Feed {
  // schemaChanged is called when somebody says that the schema is another one.
  constructor(schemaChanged) {
    this.schemaChanged = schemaChanged;
    this.name = `api ${randomUUID()}`;
    this.heard = 0; // when the database has last said that there is nothing new
    this.all = new Map(); // Queue: what it is about
    this.snapshot = null;
  }

  get size() {
    return this.all.size;
  }

  // For the engine: changes of { collection, did }.
  subscribe(about) {
    const queue = new Queue((q) => this.all.delete(q));
    this.all.set(queue, about);
    return queue;
  }

  // Follows until signal is aborted, over as many connections as it takes.
  async run(signal) {
    for (let wait = 200; !signal.aborted; wait = Math.min(2 * wait, 10_000)) {
      try {
        await this.follow(signal, () => (wait = 200));
      } catch (e) {
        if (!signal.aborted) log.error(`changes: ${told(e)}`);
      }
      if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }

  async follow(signal, well) {
    const db = await connect('changes');
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
      signal.removeEventListener('abort', look);
      await db.end().catch(() => {});
    }
  }

  // A reader of its own, so that the indexer notes changes and keeps those that are new to it. Readers of servers that
  // were killed go: nobody holds their locks.
  async begin(db) {
    await db.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [this.name]);
    await db.query(`DELETE FROM indexer.reader AS r WHERE r.name LIKE 'api %' AND r.name <> $1
                    AND pg_try_advisory_xact_lock(hashtextextended(r.name, 0))`, [this.name]);
    await db.query('LISTEN change');
    await db.query('LISTEN postgraphile_watch');
    await db.query(
      `INSERT INTO indexer.reader (name, tx) SELECT $1, (pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1)::text::xid8
       ON CONFLICT DO NOTHING`,
      [this.name],
    );
    this.snapshot ??= await this.now(db);
  }

  async now(db) {
    return (await db.query('SELECT pg_current_snapshot()::text AS now')).rows[0].now;
  }

  async read(db) {
    const now = await this.now(db);
    let [tx, n] = ['0', '0'];
    for (;;) {
      const { rows } = await db.query(NEW, [this.snapshot, now, tx, n]);
      for (const { uri, gone } of rows) this.tell(uri, gone);
      if (rows.length < AT_A_TIME) break;
      ({ tx, n } = rows.at(-1));
    }
    this.snapshot = now;
  }

  tell(uri, gone) {
    const [, , did, collection] = uri.split('/');
    for (const [queue, about] of this.all) {
      if (about.collection != null && about.collection !== collection) continue;
      if (about.did != null && about.did !== did) continue;
      queue.put({ uri, gone, did, collection });
    }
  }

  // All that the snapshot has no more doubt about is read.
  tidy(db) {
    return db.query(
      'SELECT indexer.read_to($1, (pg_snapshot_xmin($2)::text::bigint - 1)::text::xid8, 9223372036854775807)',
      [this.name, this.snapshot],
    );
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
              subscribePlan: (_, { $collection, $did }) => listen(feed, object({ collection: $collection, did: $did })),
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
