// Tries to get around each limit of atid-indexer api, for indexer/t/api.pl.
//
//   node limits.mjs PORT PID PATIENCE    prints a line for each verdict: "ok", "not ok" or "note", a tab, what it is about
//
// PID is the server's, whose memory is read. The database has 300 statuses of 20 accounts.
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { WebSocket } from 'ws';

const [port, pid, patience] = process.argv.slice(2).map(Number);
const verdict = (ok, what, why) => {
  console.log(`${ok ? 'ok' : 'not ok'}\t${what}`);
  if (!ok) console.log(`note\t${String(why).slice(0, 300)}`);
};
const memory = () => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

function http(path, { method = 'POST', headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers: { connection: 'close', ...headers } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (more) => (text += more)).on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, text }));
    });
    sent.on('error', reject).end(body);
  });
}
const JSON_TYPE = { 'content-type': 'application/json', accept: 'application/json' };
const post = (body, headers = {}) => http('/graphql', { headers: { ...JSON_TYPE, ...headers }, body: typeof body === 'string' ? body : JSON.stringify(body) });
async function ask(query, variables) {
  const { text } = await post({ query, variables });
  return JSON.parse(text);
}
const ALL = 'allXyzStatusphereStatuses';
const many = (n, part) => Array.from({ length: n }, (_, i) => `a${i}: ${part}`).join(' ');
async function until(what, limit = 5000 * patience) {
  for (const end = performance.now() + limit; performance.now() < end; ) {
    if (await what()) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return false;
}

// --- queries that are answered ---

const page = await ask(`{ ${ALL}(first: 2, orderBy: SORT_AT_DESC) { nodes { status accountByDid { handle } appBskyActorProfileByDid { displayName avatarUrl } } } }`);
verdict(page.data?.[ALL].nodes.length === 2 && page.data[ALL].nodes.every((n) => n.accountByDid.handle && /getBlob\?did=/.test(n.appBskyActorProfileByDid.avatarUrl)),
  'a page with handles, names and avatars', JSON.stringify(page));
const seen = new Set();
let after = null;
let pages = 0;
do {
  const answer = await ask(`query ($after: Cursor) { ${ALL}(first: 90, after: $after, orderBy: SORT_AT_DESC) { nodes { uri } pageInfo { endCursor hasNextPage } } }`, { after });
  const { nodes, pageInfo } = answer.data[ALL];
  for (const { uri } of nodes) seen.add(uri);
  after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
  pages++;
} while (after && pages < 20);
verdict(seen.size === 300 && pages === 4, 'pages have each record once', `${seen.size} records in ${pages} pages`);
const filtered = await ask(`query ($did: DID!) { ${ALL}(first: 100, filter: { did: { equalTo: $did } }) { totalCount nodes { did rkey cid uri sortAt } } }`, { did: [...seen][0].split('/')[2] });
const visible = 'filter: { hidden: { equalTo: false } }';
for (const [what, query] of [
  ['what is not hidden, nested', `{ allAccounts(first: 50) { nodes { handle xyzStatusphereStatusesByDid(first: 10, ${visible}) { nodes { uri status } } } } }`],
  ['what is not hidden, with joins', `{ ${ALL}(first: 50, orderBy: SORT_AT_DESC, ${visible}) { nodes { uri status accountByDid { handle } appBskyActorProfileByDid { displayName } } } }`],
  ['what is not hidden of an account, in many lists', `{ ${many(20, `${ALL}(first: 10, filter: { hidden: { equalTo: false }, did: { equalTo: "did:web:user1.example" } }) { nodes { uri } }`)} }`],
  ['values and ranges with an index, in many lists', `{ ${many(20, `${ALL}(first: 10, filter: { status: { equalTo: "🚀" }, sortAt: { greaterThan: "2020-01-01T00:00:00Z" } }) { nodes { uri } }`)} }`],
  ['a text with hashes, in many lists', `{ ${many(20, 'allAppBskyActorProfiles(first: 10, filter: { description: { equalTo: "x" } }) { nodes { uri } }')} }`],
  ['accounts by handle, in many lists', `{ ${many(20, 'allAccounts(first: 10, filter: { handle: { in: ["user1.example"] } }) { nodes { did } }')} }`],
]) {
  const answer = await ask(query);
  verdict(answer.data && !answer.errors, `answered: ${what}`, JSON.stringify(answer));
}
verdict(filtered.data?.[ALL].totalCount === 15 && filtered.data[ALL].nodes.length === 15, 'a filter by a DID', JSON.stringify(filtered));
const counts = await ask('{ countsXyzStatusphereStatus(by: STATUS, since: "2020-01-01T00:00:00Z") { value count } }');
verdict(counts.data?.countsXyzStatusphereStatus.length === 4 && counts.data.countsXyzStatusphereStatus.every((c) => c.count === 75), 'grouped counts', JSON.stringify(counts));
const bad = await ask(`{ ${ALL}(first: 1, filter: { did: { equalTo: "nobody" } }) { totalCount } }`);
verdict(/invalid|DID/.test(bad.errors?.[0].message), 'what a type does not take is told', JSON.stringify(bad));
const orders = await ask('{ __type(name: "XyzStatusphereStatusOrderBy") { enumValues { name } } filter: __type(name: "XyzStatusphereStatusFilter") { inputFields { name } } mutations: __schema { mutationType { name } } }');
verdict(!/CREATED_AT|CID|createdAt|"cid"|"rkey"/.test(JSON.stringify(orders)) && /SORT_AT_DESC/.test(JSON.stringify(orders)),
  'only what has an index can be ordered and filtered by', JSON.stringify(orders));
verdict(orders.data.mutations.mutationType === null, 'nothing can be written', JSON.stringify(orders));

// --- pages, depth, cost ---

const deep = (n) => `${'query { '.repeat(n)}__typename${' }'.repeat(n)}`;
const REFUSED = {
  'no size': `{ ${ALL} { nodes { uri } } }`,
  'a page of 101': `{ ${ALL}(first: 101) { nodes { uri } } }`,
  'a negative first': `{ ${ALL}(first: -1) { nodes { uri } } }`,
  'a negative last': `{ ${ALL}(last: -1) { nodes { uri } } }`,
  'first: null': `{ ${ALL}(first: null) { nodes { uri } } }`,
  'first: 1e6, last: 3': `{ ${ALL}(first: 1000000, last: 3) { nodes { uri } } }`,
  'first and last': `{ ${ALL}(first: 100, last: 100) { nodes { uri } } }`,
  'a large offset': `{ ${ALL}(first: 1, offset: 1000000) { nodes { uri } } }`,
  'the default of a variable': `query ($n: Int = 100000) { ${ALL}(first: $n) { nodes { uri } } }`,
  'a variable that is not given': `query ($n: Int) { ${ALL}(first: $n) { nodes { uri } } }`,
  'a fragment next to totalCount': `{ ${ALL} { totalCount ...A } } fragment A on XyzStatusphereStatusConnection { nodes { uri } }`,
  'an inline fragment next to totalCount': `{ ${ALL} { totalCount ... { edges { node { uri } } } } }`,
  'an alias of another name, totalCount': `{ ${ALL} { totalCount: nodes { uri } } }`,
  'first: 0 that hides what is below': `{ allAccounts(first: 100) { nodes { xyzStatusphereStatusesByDid(first: 0) { nodes { accountByDid { xyzStatusphereStatusesByDid(first: 100) { nodes { uri did rkey } } } } } } } }`,
  'lists in lists': `{ allAccounts(first: 100) { nodes { xyzStatusphereStatusesByDid(first: 100) { nodes { uri cid did } } } } }`,
  'totalCount by aliases': `{ ${many(6, `${ALL} { totalCount }`)} }`,
  'totalCount by aliases, through query': `{ query { ${many(6, `${ALL} { totalCount }`)} } }`,
  'counts by aliases': `{ ${many(6, 'countsXyzStatusphereStatus(by: STATUS, since: "2020-01-01T00:00:00Z") { count }')} }`,
  'a count of many groups': '{ countsXyzStatusphereStatus(by: STATUS, since: "2020-01-01T00:00:00Z", first: 1000000) { count } }',
  'a list by aliases': `{ ${many(60, `${ALL}(first: 100) { nodes { uri did cid rkey status } }`)} }`,
  'a filter without an index, by aliases': `{ ${many(6, `${ALL}(first: 1, filter: { hidden: { equalTo: true } }) { nodes { uri } }`)} }`,
  'filters without an index, by aliases': `{ ${many(6, `${ALL}(first: 1, filter: { hidden: { equalTo: true }, conforms: { equalTo: false } }) { nodes { uri } }`)} }`,
  'a condition without an index, by aliases': `{ ${many(6, `${ALL}(first: 1, condition: { hidden: true }) { nodes { uri } }`)} }`,
  'a filter that a range does not narrow, by aliases': `{ ${many(6, `${ALL}(first: 1, filter: { hidden: { equalTo: true }, sortAt: { greaterThan: "1970-01-01T00:00:00Z" } }) { nodes { uri } }`)} }`,
  'a filter that a common value does not narrow, by aliases': `{ ${many(6, `${ALL}(first: 1, filter: { hidden: { equalTo: true }, status: { equalTo: "🚀" } }) { nodes { uri } }`)} }`,
  'a condition that NULL does not narrow, by aliases': `{ ${many(6, `${ALL}(first: 1, condition: { hidden: true, did: null }) { nodes { uri } }`)} }`,
  'nested filters without an index, by aliases': `{ allAccounts(first: 100) { nodes { ${many(6, 'xyzStatusphereStatusesByDid(first: 1, filter: { hidden: { equalTo: true } }) { nodes { uri } }')} } } }`,
  'nested conditions without an index, by aliases': `{ allAccounts(first: 1) { nodes { ${many(6, 'xyzStatusphereStatusesByDid(first: 1, condition: { hidden: true }) { nodes { uri } }')} } } }`,
  'nested counts with a filter, by aliases': `{ allAccounts(first: 1) { nodes { ${many(6, 'xyzStatusphereStatusesByDid(filter: { conforms: { equalTo: false } }) { totalCount }')} } } }`,
  'ranges on a column with hashes, by aliases': `{ ${many(6, `allAppBskyActorProfiles(first: 1, filter: { description: { greaterThan: "x" } }) { nodes { uri } }`)} }`,
  'NULL in a column with hashes, by aliases': `{ ${many(6, `allAppBskyActorProfiles(first: 1, condition: { description: null }) { nodes { uri } }`)} }`,
  'values of JSON, by aliases': `{ ${many(6, `allAppBskyActorProfiles(first: 1, condition: { avatar: { a: 1 } }) { nodes { uri } }`)} }`,
  depth: `{ ${deep(20)} }`,
  'depth through fragments': `{ ...A } fragment A on Query { query { ...B } } fragment B on Query { ${deep(11)} }`,
  'fragments in a circle': '{ ...A } fragment A on Query { query { ...B } } fragment B on Query { ...A }',
  'fragments that double': `{ ...F0 } ${Array.from({ length: 20 }, (_, i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`).join(' ')} fragment F20 on Query { __typename }`,
  'the schema by aliases': `{ ${many(6, '__schema { types { name } }')} }`,
  'the schema in depth': '{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }',
  'many words': `{ ${'__typename '.repeat(1999)} }`,
  'many words of one letter': `{ ${'a '.repeat(9000)} }`,
  'two operations, the other one small': `query A { ${ALL}(first: 1) { nodes { uri } } } query B { ${ALL}(first: 1000) { nodes { uri } } }`,
};
const began = performance.now();
for (const [what, query] of Object.entries(REFUSED)) {
  const { status, text } = await post({ query, operationName: what.startsWith('two') ? 'B' : undefined });
  let answer = {};
  try { answer = JSON.parse(text); } catch {}
  const isCounted = !/by aliases/.test(what) || /can get \d+ values/.test(text);
  verdict(status < 500 && (answer.errors?.length > 0 || status >= 400) && !answer.data && isCounted, `refused: ${what}`, `${status} ${text}`);
}
const took = (performance.now() - began) / Object.keys(REFUSED).length;
verdict(took < 300 * patience, 'a query is refused quickly', `${took} ms each`);

// --- requests ---

verdict((await post(JSON.stringify([{ query: '{ __typename }' }, { query: '{ __typename }' }]))).status === 400, 'a batch is refused');
verdict((await post({ query: `{ ${' '.repeat(21_000)}__typename }` })).status >= 400, 'a request of 21 kB is refused');
const huge = await post(Buffer.alloc(20e6, 32).toString()).catch((e) => ({ status: e.code }));
verdict(huge.status === 413 || huge.status === 'EPIPE' || huge.status === 'ECONNRESET' || huge.status >= 400, 'a request of 20 MB is refused', huge.status);
verdict((await http(`/graphql?query=${encodeURIComponent('{ __typename }')}`, { method: 'GET', headers: { accept: 'application/json' } })).status >= 400, 'GET asks nothing');
const foreign = await post({ query: '{ __typename }' }, { origin: 'https://evil.example' });
verdict(foreign.status === 403 && !foreign.headers['access-control-allow-origin'], 'a foreign origin may not ask', foreign.status);
const rebound = await post({ query: '{ __typename }' }, { origin: 'http://evil.example:1', host: 'evil.example:1' });
verdict(rebound.status === 403, 'a name of a stranger that leads to the address may not ask', rebound.status);
const own = await post({ query: '{ __typename }' }, { origin: `http://localhost:${port}`, host: `localhost:${port}` });
verdict(own.status === 200, 'the page of the server itself may', own.status);
const named = await post({ query: '{ __typename }' }, { origin: 'https://app.example' });
verdict(named.status === 200 && named.headers['access-control-allow-origin'] === 'https://app.example', 'an origin of ATID_API_ALLOWED_ORIGINS may', named.status);
const before = await http('/graphql', { method: 'OPTIONS', headers: { origin: 'https://app.example' } });
verdict(before.status === 204 && /content-type/.test(before.headers['access-control-allow-headers']), '... and is told so before', before.status);
const start = await http('/', { method: 'GET', headers: { accept: 'text/html' } });
const outside = [...start.text.matchAll(/(?:src|href|import)\s*[=(]|https?:/g)].map((m) => m[0]);
verdict(
  start.status === 200 &&
    outside.length === 0 &&
    /^default-src 'none';/.test(start.headers['content-security-policy']),
  'a page is at /, which asks no other server and may ask none',
  outside.join(' ') || start.status,
);
const [, firstQuery] = /<textarea[^>]*>([^<]*)</.exec(start.text) ?? [];
const firstRows = await post({ query: firstQuery });
verdict(
  firstRows.status === 200 && /"nodes":\[\{"/.test(firstRows.text) && !/"errors"/.test(firstRows.text),
  '... with a first query of the records that are there',
  `${firstQuery} ${firstRows.text?.slice(0, 300)}`,
);

// --- long answers ---

const LARGE = 'allAppBskyActorProfiles';
const once = await ask(`{ ${LARGE}(first: 1, filter: { did: { equalTo: "did:web:large1.example" } }) { nodes { avatar } } }`);
verdict(JSON.stringify(once).length > 900_000, 'a record of 1 MB is answered', JSON.stringify(once).slice(0, 300));
for (const [what, query] of [['one long value 30 times', `{ ${LARGE}(first: 1, filter: { did: { equalTo: "did:web:large1.example" } }) { nodes { ${many(30, 'avatar')} } } }`], ['80 MB of records', `{ ${LARGE}(first: 90) { nodes { avatar } } }`]]) {
  const { status, text } = await post({ query });
  verdict(text.length < 1000 && /longer than/.test(text), `refused: ${what}`, `${status} ${text.length} ${text.slice(0, 300)}`);
}
verdict((await ask(`{ ${ALL}(first: 1) { nodes { uri } } }`)).data, '... and others are answered');

// --- connections ---

// A connection that has sent this, and reads nothing.
const raw = (text) => new Promise((resolve) => {
  const s = connect(port, '127.0.0.1', () => { s.pause(); s.write(text, () => resolve(s)); });
  s.on('error', () => {}).on('close', () => { s.isOver = true; });
});
const aPost = (body, length = body.length) => `POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\naccept: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`;
const SMALL = JSON.stringify({ query: `{ ${ALL}(first: 1) { nodes { uri } } }` });
for (let i = 0; i < 5; i++) {
  const s = await raw(aPost(SMALL).repeat(60));
  await new Promise((resolve) => setTimeout(resolve, 20));
  s.destroy();
}
verdict(await until(async () => (await post(SMALL)).status === 200, 2000 * patience), 'requests of a connection that is cut do not count any more');
const piped = await raw(aPost(SMALL).repeat(2));
piped.resume();
verdict(await until(() => piped.isOver), 'a connection has one request at a time');
const slow = await Promise.all(Array.from({ length: 120 }, () => raw(aPost('{"query": ', 100))));
verdict((await post(SMALL)).status === 200, 'requests that arrive slowly keep nobody out');
for (const s of slow) s.resume();
if (process.env.QUERIES > 1000) verdict(await until(() => slow.every((s) => s.isOver), 15_000 * patience), '... and end');
for (const s of slow) s.destroy();
for (const path of ['//', '/%', '*', '/graphql?%', 'http://[/', '/\\']) {
  const s = await raw(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
  s.resume();
  verdict(await until(() => s.isOver), `an answer to GET ${path}`);
}
for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/json; charset=utf-7', '', 'application/graphql'])
  verdict((await post(SMALL, { 'content-type': type })).status < 500, `a request of type ${type}`);
for (const body of ['', 'null', '[]', '7', '"x"', '{}', '{"query": null}', '{"query": 5}', '{"query": "{ a }", "variables": []}', '{"query": "{ a }", "variables": "x"}', '{"query": "{ __typename }", "operationName": {}}', '\0', '{"query": "\\ud800"}',
  '{"query": "query ($a: [String!]) { __typename }", "variables": {"a": [null]}}', `{"query": "{ __typename }", "variables": ${'['.repeat(9000)}${']'.repeat(9000)}}`, '{"query": "{ __typename }", "extensions": {"persistedQuery": {}}}', '{"query": "", "__proto__": {"query": "{ __typename }"}}'])
  verdict((await post(body)).status < 500, `a body ${body.slice(0, 60)}`);
verdict((await post(SMALL)).status === 200, 'after all of which it answers');
const patient = (promise, ms = 5000 * patience) => Promise.race([promise, new Promise((resolve) => setTimeout(resolve, ms, {}))]);
for (const accept of ['application/json', 'multipart/mixed, application/json']) {
  const { status, text } = await patient(post({ query: 'subscription { changed { uri } }' }, { accept }));
  verdict(status < 500 && /needs a WebSocket/.test(text), `a subscription over HTTP is refused (${accept})`, `${status} ${text}`);
}
verdict(/ 0 subscriptions/.test((await http('/health', { method: 'GET' })).text), '... before anything is begun');
// Queries that have all connections: each of "slow" takes a second.
let over = 0;
const busy = Promise.all(Array.from({ length: 15 }, (_, i) => post({ query: `{ ${Array.from({ length: 4 }, (_, j) => `a${j}: slow(n: ${10 * i + j})`).join(' ')} }` }).finally(() => over++)));
await new Promise((resolve) => setTimeout(resolve, 1500)); // the last answer of /health holds for a second
const probed = await http('/health', { method: 'GET' });
verdict(probed.status === 200 && over < 8, '/health answers while queries have all connections', `${probed.text.trim()}, ${over} of 15 are over`);
verdict((await busy).every(({ text }) => /"a3":\d/.test(text)), '... which are answered', (await busy)[0].text);

// --- sockets ---

const socket = (options = {}, path = '/graphql') =>
  new Promise((resolve) => {
    const ws = new WebSocket(`ws://127.0.0.1:${port}${path}`, 'graphql-transport-ws', options);
    const got = [];
    ws.on('message', (data) => got.push(JSON.parse(data)));
    ws.on('open', () => resolve({ ws, got, send: (m) => ws.send(JSON.stringify(m)) }));
    ws.on('unexpected-response', (_, answer) => resolve({ refused: answer.statusCode }));
    ws.on('error', (e) => resolve({ refused: e.message }));
    ws.closed = new Promise((over) => ws.on('close', over));
  });
const CHANGED = 'subscription { changed { uri } }';
verdict((await socket({ origin: 'https://evil.example' })).refused === 403, 'a socket of a foreign origin is refused');
verdict((await socket({ origin: 'http://evil.example:1', host: 'evil.example:1' })).refused === 403, '... and one of such a name');
verdict((await socket({}, '/other')).refused === 404, 'a socket elsewhere is refused');
const large = await socket();
large.ws.send('x'.repeat(21_000));
verdict((await large.ws.closed) === 1009, 'a message of 21 kB ends its socket');
const one = await socket();
one.send({ type: 'connection_init' });
await until(() => one.got.some((m) => m.type === 'connection_ack'));
for (let i = 0; i < 40; i++) one.send({ type: 'subscribe', id: `s${i}`, payload: { query: CHANGED } });
await until(() => one.got.filter((m) => m.type === 'error').length >= 30);
verdict(one.got.filter((m) => m.type === 'error').length === 30, 'of 40 subscriptions of a socket, 10 are', one.got.filter((m) => m.type === 'error').length);
for (const [what, query] of [['a page', `subscription { changed { query { ${ALL}(first: 1000) { nodes { uri } } } } }`], ['depth', `subscription { changed { ${deep(20)} } }`]]) {
  const other = await socket();
  other.send({ type: 'connection_init' });
  await until(() => other.got.length);
  other.send({ type: 'subscribe', id: 'x', payload: { query } });
  verdict(await until(() => other.got.some((m) => m.type === 'error')), `a subscription is refused by ${what}`, JSON.stringify(other.got));
  other.ws.close();
}
const health = async () => (await http('/health', { method: 'GET' })).text;
await until(async () => / 10 subscriptions/.test(await health()));
verdict(/ 10 subscriptions/.test(await health()), '/health counts them', await health());
const crowd = await Promise.all(Array.from({ length: 60 }, () => socket()));
const refused = crowd.filter((s) => s.refused === 503).length;
verdict(refused > 0 && crowd.length - refused <= 50, 'no more sockets than ATID_API_MAX_SOCKETS', `${refused} of 60 refused`);
for (const s of [one, ...crowd]) s.ws?.terminate();
await until(async () => /^ok, 0 sockets/.test(await health()));
// What it reads of its own answers is nothing.
for (const [what, send] of [['messages', (ws) => ws.send(JSON.stringify({ type: 'ping', payload: { x: 'x'.repeat(19_000) } }))], ['pings', (ws) => ws.ping('x'.repeat(125))]]) {
  const deaf = await socket();
  deaf.send({ type: 'connection_init' });
  await until(() => deaf.got.length);
  deaf.ws._socket.pause();
  const before = memory();
  for (let i = 0; i < 300_000 && deaf.ws.readyState === WebSocket.OPEN && deaf.ws.bufferedAmount < 50e6; i++) {
    send(deaf.ws);
    if (i % 50 === 0) await new Promise(setImmediate); // to see that it is closed
  }
  verdict(await until(async () => /^ok, 0 sockets/.test(await health()), 20_000 * patience), `a socket that sends ${what} and reads nothing is closed`, `${await health()}, ${before} to ${memory()} MB`);
  deaf.ws.terminate();
}
// An operation that the client has given up runs on.
const hasty = await socket();
hasty.send({ type: 'connection_init' });
await until(() => hasty.got.length);
const COSTLY = `{ ${many(4, `${ALL} { totalCount }`)} ${many(70, `${ALL}(first: 1, orderBy: SORT_AT_DESC) { nodes { uri } }`).replace(/a(\d+):/g, 'b$1:')} }`;
const spent = async (body) => {
  const from = performance.now();
  const { status } = await post(body);
  return status === 200 ? performance.now() - from : Infinity;
};
await spent({ query: COSTLY }); // makes its plan
const single = Math.max(await spent({ query: COSTLY }), await spent({ query: COSTLY }));
for (let i = 0; i < 300; i++) {
  hasty.send({ type: 'subscribe', id: `h${i}`, payload: { query: COSTLY } });
  await new Promise((resolve) => setTimeout(resolve, 1));
  hasty.send({ type: 'complete', id: `h${i}` });
}
// 10 run at a time
const waited = await spent(SMALL);
verdict(waited < 100 * single, 'operations that were given up keep nobody waiting', `${waited} ms; one of them takes ${single} ms`);
hasty.ws.terminate();
const wordy = await socket();
wordy.send({ type: 'connection_init' });
await until(() => wordy.got.length);
wordy.send({ type: 'subscribe', id: 'w', payload: { query: `{ ${'a '.repeat(9000)} }` } });
verdict(await until(() => wordy.got.some((m) => m.type === 'error') || wordy.ws.readyState === 3) && !/did you mean/i.test(JSON.stringify(wordy.got)), 'many words are refused of a socket, too', JSON.stringify(wordy.got).slice(0, 300));
wordy.ws.terminate();
verdict(await until(async () => /^ok, 0 sockets, 0 subscriptions/.test(await health())), 'sockets that were closed leave nothing', await health());

// --- memory ---

const n = Number(process.env.QUERIES ?? 1000);
const first = memory();
for (let i = 0; i < n; i += 20) {
  await Promise.all(Array.from({ length: 20 }, (_, j) =>
    ask(`query Q${i + j} { x${i + j}: ${ALL}(first: 1, orderBy: SORT_AT_DESC) { nodes { a${i + j}: uri status accountByDid { handle } } } }`)));
}
const last = memory();
console.log(`note\t${n} distinct queries: ${first.toFixed()} MB before, ${last.toFixed()} MB after`);
verdict(last < 450, `memory after distinct queries is bounded (${n} of ${n})`, `${last} MB`);
process.exit();
