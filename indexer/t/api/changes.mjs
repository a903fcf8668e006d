// What atid-indexer api tells of changes, for indexer/t/api.pl.
//
//   node changes.mjs PORT PATIENCE PID    prints verdicts; PG* name the database, by a role that may write
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { WebSocket } from 'ws';
import { Feed } from '../indexer/src/api/changes.js';
import { SocketTurns } from '../indexer/src/api/socket-turns.js';

const [port, patience, pid] = process.argv.slice(2).map(Number);
const verdict = (ok, what, why) => {
  console.log(`${ok ? 'ok' : 'not ok'}\t${what}`);
  if (!ok) console.log(`note\t${String(why).slice(0, 300)}`);
};
async function until(what, limit = 10_000 * patience) {
  for (const end = performance.now() + limit; performance.now() < end; ) {
    if (await what()) return true;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return false;
}

// Its events, with the time of each. A socket has several, of which only the first one's are kept.
async function subscribe(query, times = 1) {
  const ws = new WebSocket(`ws://127.0.0.1:${port}/graphql`, 'graphql-transport-ws');
  const got = [];
  let ready = false;
  ws.on('message', (data) => {
    const { type, id, payload } = JSON.parse(data);
    if (type === 'connection_ack') ready = true;
    if (type === 'next' && id === '1') got.push({ at: performance.now(), ...payload.data?.changed, errors: payload.errors });
    if (type === 'error') console.log(`note\t${JSON.stringify(payload)}`);
  });
  await new Promise((resolve) => ws.on('open', resolve));
  ws.send('{"type": "connection_init"}');
  await until(() => ready);
  for (let i = 1; i <= times; i++) ws.send(JSON.stringify({ type: 'subscribe', id: `${i}`, payload: { query } }));
  got.ws = ws;
  ws.on('close', (code) => (got.closed = code));
  return got;
}

async function connect() {
  const db = new pg.Client();
  await db.connect();
  await db.query('SET search_path = indexer, public');
  await db.query('SET client_min_messages = warning');
  await db.query('SELECT create_temp_tables()');
  return db;
}
const writer = await connect();
const put = (db, did, key, record, fresh = true) => db.query(
  `INSERT INTO op (uri, did, collection, fresh, cid, block)
   SELECT atid.at_uri_make($1, $3, $2), $1::text::atid.did, $3, $5, atid.cid_of(b, 'dag-cbor'), b
   FROM (SELECT atid.record_to_dag_cbor($4::jsonb) AS b) AS x`, [did, key, record.$type, JSON.stringify(record), fresh]);
const NSID = 'xyz.statusphere.status';
const status = (text) => ({ $type: NSID, status: text, createdAt: new Date().toISOString() });
const [ada, bob] = ['did:web:user1.example', 'did:web:user2.example'];
const tid = async () => (await writer.query('SELECT atid.tid_generate()::text AS tid')).rows[0].tid;

const FIELDS = 'uri gone collection did xyzStatusphereStatus { status accountByDid { handle } appBskyActorProfileByDid { displayName } }';
const all = await subscribe(`subscription { changed { ${FIELDS} } }`);
const ofBob = await subscribe(`subscription { changed(collection: "${NSID}", did: "${bob}") { ${FIELDS} } }`);
const health = async () => (await (await fetch(`http://127.0.0.1:${port}/health`)).text());
verdict(await until(async () => /^ok, 2 sockets, 2 subscriptions/.test(await health())), 'two subscriptions', await health());

// An older transaction writes all the while.
const older = await connect();
await older.query('BEGIN');
await put(older, bob, 'older', status('older'));
await older.query('SELECT write_records()');

const took = [];
const plain = []; // what it takes to have the same from the database, at the same time
const keys = [];
for (let i = 0; i < 20; i++) {
  const key = await tid();
  keys.push(key);
  await writer.query('BEGIN');
  await put(writer, i % 2 ? bob : ada, key, status(`${i}`));
  await writer.query('SELECT write_records()');
  const commit = writer.query('COMMIT').then(() => performance.now());
  await until(() => all.length > i);
  took.push(Math.max(0, all[i].at - (await commit)));
  const before = performance.now();
  await writer.query('SELECT * FROM api.xyz_statusphere_status WHERE uri = $1', [`at://${ada}/${NSID}/${key}`]);
  plain.push(performance.now() - before);
}
await until(() => ofBob.length >= 10); // a socket of its own, so it may be behind
const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];
console.log(`note\tfrom COMMIT to the client: median ${median(took).toFixed(1)} ms, most ${Math.max(...took).toFixed(1)} ms; a query of its row ${median(plain).toFixed(1)} ms`);
verdict(all.length === 20 && new Set(all.map((c) => c.uri)).size === 20, 'each change once, while an older transaction writes', all.length);
verdict(all.every((c, i) => c.xyzStatusphereStatus?.status === `${i}` && c.collection === NSID && !c.gone), '... with the record', JSON.stringify(all[0]));
verdict(all[0].xyzStatusphereStatus.accountByDid.handle === 'user1.example' && all[0].xyzStatusphereStatus.appBskyActorProfileByDid.displayName === 'user1.example',
  '... and its joins', JSON.stringify(all[0]));
verdict(median(took) < 20 * patience + 5 * median(plain), 'within 20 ms of COMMIT, or as the machine allows', median(took));
verdict(ofBob.length === 10 && ofBob.every((c) => c.did === bob), 'who asked for an account has its changes', ofBob.length);
await older.query('COMMIT');
verdict(await until(() => all.length === 21) && all[20].xyzStatusphereStatus.status === 'older', 'the older transaction at its COMMIT', JSON.stringify(all.at(-1)));
await until(() => ofBob.length === 11);

// A transaction that is taken back, a deletion, and many at once.
await writer.query('BEGIN');
await put(writer, ada, 'never', status('never'));
await writer.query('SELECT write_records()');
await writer.query('ROLLBACK');
await writer.query('BEGIN');
await writer.query('INSERT INTO op (uri, did, fresh) SELECT atid.at_uri_make($1, $2, $3), $1::text::atid.did, false', [ada, NSID, keys[0]]);
await writer.query('SELECT write_records()');
await writer.query('COMMIT');
verdict(await until(() => all.length === 22) && all[21].gone && all[21].xyzStatusphereStatus === null && all[21].uri.endsWith(keys[0]),
  'a deletion, and nothing of what was taken back', JSON.stringify(all.at(-1)));

// The server loses its connection.
await writer.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'atid-indexer changes'");
for (let i = 0; i < 5; i++) {
  await writer.query('BEGIN');
  await put(writer, bob, await tid(), status('lost'));
  await writer.query('SELECT write_records()');
  await writer.query('COMMIT');
}
verdict(await until(() => all.length === 27), 'what was written while its connection was lost is told', all.length);

// The schema is made again: a column more.
await writer.query(`INSERT INTO lexicons (lexicons) SELECT '{"lexicon": 1, "id": "com.example.new", "defs": {"main": {"type": "record", "key": "tid",
  "record": {"type": "object", "properties": {"text": {"type": "string"}}}}}}'`);
await writer.query("SELECT make_views('api')");
const asked = async () => (await fetch(`http://127.0.0.1:${port}/graphql`, { method: 'POST', headers: { 'content-type': 'application/json' },
  body: '{"query": "{ allComExampleNews(first: 1) { nodes { text } } }"}' })).json();
let answer;
verdict(await until(async () => (answer = await asked()).data, 30_000 * patience), 'the schema is made again after make_views', JSON.stringify(answer));
// Types of whose names the engine makes the same.
for (const [what, names] of [['a singular and a plural', ['page', 'pages']], ['a name that another type is given', ['edges', 'edgesRecord']]]) {
  await writer.query('INSERT INTO lexicons (lexicons) SELECT $1', [JSON.stringify(names.map((name) => ({ lexicon: 1, id: `com.example.${name}`, defs: {
    main: { type: 'record', key: 'tid', record: { type: 'object', properties: { [name]: { type: 'string' } } } } } })))]);
  await writer.query("SELECT make_views('api')");
  const types = async () => JSON.stringify(await (await fetch(`http://127.0.0.1:${port}/graphql`, { method: 'POST', headers: { 'content-type': 'application/json' },
    body: '{"query": "{ __type(name: \\"Change\\") { fields { type { fields { name } } } } }"}' })).json());
  verdict(await until(async () => { const said = await types(); return names.every((name) => said.includes(`"name":"${name}"`)); }, 30_000 * patience), `... with types of ${what}`, await types());
}

// An account with many records is loaded, and a client reads nothing. The server reads 1000 changes at a time.
const MANY = process.env.ATID_FULL ? 3000 : 1500;
const memory = () => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
async function putMany(n) {
  await writer.query('BEGIN');
  await writer.query(
    `INSERT INTO op (uri, did, collection, fresh, cid, block)
     SELECT atid.at_uri_make($1, $2, atid.tid_generate()::text), $1::text::atid.did, $2, true, atid.cid_of(b, 'dag-cbor'), b
     FROM (SELECT atid.record_to_dag_cbor($3::jsonb) AS b) AS x CROSS JOIN generate_series(1, $4)`, [ada, NSID, JSON.stringify(status('many')), n]);
  await writer.query('SELECT write_records()');
  await writer.query('COMMIT');
}
const deaf = await subscribe('subscription { changed { uri query { allXyzStatusphereStatuses(first: 100) { nodes { uri did cid rkey status } } } } }');
const light = await subscribe('subscription { changed { uri } }');
// of these nothing is asked of the database
const wide = await subscribe(`subscription { changed { ${Array.from({ length: 640 }, (_, i) => `a${i}: uri`).join(' ')} } }`, 10);
await until(async () => / 14 subscriptions/.test(await health()));
for (const { ws } of [deaf, wide]) ws._socket.pause();
const pongs = setInterval(() => [deaf, wide].forEach(({ ws }) => ws.pong()), 100);
const least = memory();
const before = all.length;
await putMany(MANY);
verdict(await until(() => light.length === MANY, 60_000 * patience) && new Set(light.map((c) => c.uri)).size === MANY, 'all changes of a large load are told', light.length);
await until(() => all.length === before + MANY, 60_000 * patience);
verdict(memory() < least + 100, 'one that reads nothing fills no memory', `${least} to ${memory()} MB`);
clearInterval(pongs);
for (const { ws } of [deaf, wide]) ws.terminate();
await until(async () => / 3 subscriptions/.test(await health()));

// Changes of which much is asked of the database: 30 subscriptions of 3 sockets, of 4 statements of a second each.
const SLOW = `subscription { changed { query { ${Array.from({ length: 4 }, (_, i) => `a${i}: slow(n: ${i})`).join(' ')} } } }`;
const slow = [await subscribe(SLOW, 10), await subscribe(SLOW, 10), await subscribe(SLOW, 10)];
await until(async () => / 33 subscriptions/.test(await health()));
const others = await connect();
const running = async () =>
  (await others.query("SELECT count(*)::int AS n FROM pg_stat_activity WHERE usename = 'reader' AND state = 'active' AND wait_event = 'PgSleep'")).rows[0].n;
for (const time of ['', ', and again where sockets were closed in the middle']) {
  const had = all.length;
  await putMany(1);
  verdict(await until(async () => (await running()) >= 4), `changes are told to slow ones${time}`, await running());
  const most = await running();
  verdict(most === 4, `... with 4 connections of the reader${time}`, most);
  const began = performance.now();
  const one = await asked();
  verdict(one.data && performance.now() - began < 1000 * patience, '... so that queries are answered', `${performance.now() - began} ms: ${JSON.stringify(one)}`);
  verdict(await until(() => all.length === had + 1) && slow.every((s) => s.length < 10), '... and who asks for little has it in turn', `${all.length - had}`);
  if (time) continue;
  for (const { ws } of slow) ws.terminate();
  verdict(await until(async () => (await running()) === 0, 5000 * patience), 'what waits for clients that have left is dropped', await running());
  slow.splice(0, 3, await subscribe(SLOW, 10));
  await until(async () => / 13 subscriptions/.test(await health()));
}
slow[0].ws.terminate();

// The turns, one place at a time for each socket.
const turns = new SocketTurns(2);
const order = [];
const ends = [];
const client = (socket) => ({ socket, over: new AbortController() });
const [first, second, third] = [client('a'), client('b'), client('a')];
const enter = (of, what) => turns.run(of, () => {
  order.push(what);
  return new Promise((resolve) => ends.push(resolve));
}).catch(() => order.push(`no ${what}`));
const tick = () => new Promise((resolve) => setTimeout(resolve));
for (const what of ['a1', 'a2', 'a3', 'a4']) enter(first, what);
enter(third, 'a5');
for (const what of ['b1', 'b2']) enter(second, what);
while (order.length < 6) {
  await tick();
  if (order.length === 3) third.over.abort();
  else ends.shift()?.();
}
second.over.abort();
enter(second, 'b3');
for (let i = 0; i < 9; i++) {
  await tick();
  ends.shift()?.();
}
verdict(order.join(' ') === 'a1 a2 a3 no a5 b1 a4 no b3 no b2', 'turns go around', order.join(' '));
verdict(turns.free === 2 && turns.waiting.size === 0, '... and nothing is left of them', `${turns.free} ${turns.waiting.size}`);

// Its reader was taken out while it was away: what was written meanwhile nobody has noted.
await writer.query("DELETE FROM indexer.reader WHERE name LIKE 'api %'");
await writer.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'atid-indexer changes'");
verdict(await until(() => all.closed && light.closed), 'who may have missed changes is told', `${all.closed} ${light.closed}`);
verdict(all.closed === 1013 && light.closed === 1013, '... by a code after which clients ask again', `${all.closed} ${light.closed}`);
const again = await subscribe('subscription { changed { uri } }');
await until(async () => / 1 subscriptions/.test(await health()));
await putMany(1);
verdict(await until(() => again.length === 1), '... and has them', again.length);

// The connection is lost between two parts of what is new.
const feed = new Feed(() => {});
const parts = [];
let isLost = false;
feed.snapshot = '1:1:';
feed.tell = (rows) => parts.push(...rows.map(({ n }) => n));
const database = { query: async (text, values) => {
  if (!values) return { rows: [{ now: '9:9:' }] };
  const n = Number(values[3]);
  if (n === 1000 && !isLost) {
    isLost = true;
    throw new Error('lost');
  }
  return { rows: Array.from({ length: n ? 500 : 1000 }, (_, i) => ({ uri: '', tx: '5', n: `${n + i + 1}` })) };
} };
await feed.read(database).catch(() => {});
await feed.read(database);
verdict(isLost && parts.length === 1500 && new Set(parts).size === 1500 && feed.snapshot === '9:9:', 'a load of which the connection was lost is told once', parts.length);
process.exit();
