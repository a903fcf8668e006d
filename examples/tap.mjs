// Writes what indigo's tap sends into the tables record and reference of the schema indexer. See doc/indexer.md.
//
//   npm install @atproto/tap @atproto/lex pg
//   TAP=http://127.0.0.1:2480 PGDATABASE=indexer node tap.mjs
//
// One at a time, and no "atid-indexer run" beside it. TAP_ADMIN_PASSWORD is tap's own setting.
import { Tap } from '@atproto/tap';
import { lexStringify } from '@atproto/lex';
import pg from 'pg';
const MOST = 1000; // events in a transaction
const db = new pg.Client();
await db.connect();
await db.query(`CREATE TABLE IF NOT EXISTS tap_account (did atid.did PRIMARY KEY, rev atid.tid, handle text, status text)`);

// The records of a batch, each as it is after the last of its events. What the JSON says must have the CID that tap has
// verified: then it is what was signed. Left out are events that are older than their account, which were sent once more,
// and those of a path that no AT URI can have.
const WRITE = `INSERT INTO op (uri, did, collection, fresh, cid, block)
  SELECT DISTINCT ON (uri) uri, e.did, e.collection, false, atid.cid_of(block, 'dag-cbor'), block
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::json[])
         WITH ORDINALITY AS e (did, collection, rkey, rev, cid, record, n)
       LEFT JOIN tap_account AS a ON a.did = e.did::atid.did
       CROSS JOIN atid.at_uri_or_null('at://' || e.did || '/' || e.collection || '/' || e.rkey) AS uri
       CROSS JOIN LATERAL (SELECT CASE WHEN atid.json_is_valid(e.record, false) THEN atid.json_to_dag_cbor(e.record) END AS b) AS x
       CROSS JOIN LATERAL (SELECT CASE WHEN atid.cid_of(b, 'dag-cbor')::text = e.cid THEN b END AS block) AS y
  WHERE uri IS NOT NULL AND (e.rev::atid.tid < a.rev) IS NOT TRUE ORDER BY uri, n DESC RETURNING uri, block IS NULL AS gone`;
const KNOW = `INSERT INTO tap_account (did, rev, handle, status)
  SELECT did::atid.did, max(rev)::atid.tid, (array_agg(handle ORDER BY n DESC) FILTER (WHERE handle IS NOT NULL))[1],
         (array_agg(status ORDER BY n DESC) FILTER (WHERE status IS NOT NULL))[1]
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS e (did, rev, handle, status, n) GROUP BY did
  ON CONFLICT (did) DO UPDATE SET rev = greatest(tap_account.rev, excluded.rev),
    handle = coalesce(excluded.handle, tap_account.handle), status = coalesce(excluded.status, tap_account.status)`;

async function write(events) {
  const of = (list, ...names) => names.map((name) => list.map((e) => e[name] ?? null));
  const records = events.filter((e) => e.type === 'record').map((e) => ({ ...e, record: e.record && lexStringify(e.record) }));
  await db.query('BEGIN');
  await db.query('SELECT indexer.create_temp_tables()');
  const { rows } = await db.query(WRITE, of(records, 'did', 'collection', 'rkey', 'rev', 'cid', 'record'));
  await db.query('SELECT indexer.write_records()');
  await db.query(KNOW, of(events, 'did', 'rev', 'handle', 'status'));
  for (const { did } of events.filter((e) => e.status === 'deleted')) await db.query('SELECT indexer.delete_records($1, $2)', [did, []]);
  await db.query('COMMIT');
  const sent = new Set(records.filter((e) => e.action !== 'delete').map((e) => `at://${e.did}/${e.collection}/${e.rkey}`));
  for (const { uri } of rows.filter((r) => r.gone && sent.has(r.uri))) console.error(`${uri}: the JSON does not have the CID that was signed`);
}

const queue = [];
let wake = () => {};
const channel = new Tap(process.env.TAP ?? 'http://127.0.0.1:2480', { adminPassword: process.env.TAP_ADMIN_PASSWORD }).channel({
  onEvent: (event, { ack }) => { queue.push({ event, ack }); wake(); },
  onError: (e) => console.error(e.message, e.cause?.message ?? ''),
});
channel.start().catch((e) => { console.error(e.message); process.exit(1); });
for (;;) { // what is acknowledged is in the database; all else tap sends again
  if (queue.length === 0) await new Promise((resolve) => { wake = resolve; });
  const batch = queue.splice(0, MOST);
  await write(batch.map((b) => b.event));
  Promise.all(batch.map((b) => b.ack())).catch((e) => console.error(e.message));
}
