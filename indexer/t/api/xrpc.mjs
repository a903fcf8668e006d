// Strangers at /xrpc/, for indexer/t/xrpc.pl, which has made the database.
//
//   node xrpc.mjs PORT DIRECTORY   DIRECTORY: the port on which this program is the PLC directory
//
// Prints "ok", or "not ok", a tab and what was shown.
import { Agent, createServer, request } from 'node:http';
import { P256Keypair, Secp256k1Keypair } from '@atproto/crypto';
import { createServiceJwt } from '@atproto/xrpc-server';
import pg from 'pg';
import { WebSocket } from 'ws';

const [port, directory, slowness] = process.argv.slice(2).map(Number);
const AUD = 'did:web:feeds.example';
const SKELETON = 'app.bsky.feed.getFeedSkeleton';
const say = (good, text) => console.log(`${good ? 'ok' : 'not ok'}\t${text}`);
const same = (is, wanted, text) =>
  say(
    is === wanted,
    `${text}${is === wanted ? '' : `: ${String(is).slice(0, 300)}, not ${wanted}`}`,
  );
const db = new pg.Client();
await db.connect();

const agent = new Agent({ keepAlive: true, maxSockets: 200 });
function get(path, headers = {}, method = 'GET') {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    request({ host: '127.0.0.1', port, path, method, headers, agent }, (answer) => {
      const parts = [];
      answer
        .on('data', (part) => parts.push(part))
        .on('end', () => {
          const text = Buffer.concat(parts).toString();
          let body = null;
          try {
            body = JSON.parse(text);
          } catch {
            body = text;
          }
          resolve({
            status: answer.statusCode,
            headers: answer.headers,
            body,
            ms: performance.now() - began,
          });
        });
      answer.on('error', reject);
    })
      .on('error', reject)
      .end();
  });
}
const uriOf = (did, name) => `at://${did}/app.bsky.feed.generator/${name}`;
const feedPath = (name, more = '', of = AUD) =>
  `/xrpc/${SKELETON}?feed=${encodeURIComponent(uriOf(of, name))}${more}`;
const errorOf = ({ status, body }) => `${status} ${body?.error}`;

// --- a directory ---

const logs = new Map();
const asked = [];
createServer((question, answer) => {
  const did = question.url.split('/')[1];
  asked.push(did);
  setTimeout(() => {
    const log = logs.get(did);
    answer.writeHead(log ? 200 : 404, { 'content-type': 'application/json' });
    answer.end(JSON.stringify(log ?? { message: `DID not registered: ${did}` }));
  }, 20);
}).listen(directory, '127.0.0.1');
const { rows } = await db.query('SELECT did, log FROM demo.log ORDER BY did');
for (const { did, log } of rows) logs.set(did, log);

// Accounts whose keys are here.
const keys = {};
async function account(did, key) {
  keys[did] = key;
  await db.query(
    `INSERT INTO indexer.identity (did, key, answered, ask) VALUES ($1, $2, now(), 'infinity')
     ON CONFLICT (did) DO UPDATE SET key = excluded.key, answered = excluded.answered`,
    [did, key.did()],
  );
  return did;
}
// They last as long as this program, however slow the machine is.
const exp = Math.floor(Date.now() / 1000) + 7200;
const token = (claims) => createServiceJwt({ aud: AUD, exp, ...claims });
const bearer = async (iss, lxm, more = {}) => ({
  authorization: `Bearer ${await token({ iss, lxm, keypair: keys[iss], ...more })}`,
});
const ada = await account('did:plc:aaaaaaaaaaaaaaaaaaaaaaaa', await Secp256k1Keypair.create());
const bob = await account('did:plc:bbbbbbbbbbbbbbbbbbbbbbbb', await P256Keypair.create());

// --- feeds ---

let answer = await get(feedPath('items', '&limit=3'));
same(answer.status, 200, 'a feed is served');
same(answer.body.feed.length, 3, 'with its page');
same(answer.headers['access-control-allow-origin'], '*', 'any page may ask');
same(answer.headers['cache-control'], 'public, max-age=5', 'a proxy may keep it for a moment');
same(answer.headers.vary, 'authorization', '... for those without a token');
answer = await get(feedPath('items', '&limit=3'), await bearer(ada, SKELETON));
same(
  `${answer.status} ${answer.headers['cache-control']}`,
  '200 private, no-store',
  'with a token nobody keeps it',
);
answer = await get(feedPath('items'), {}, 'OPTIONS');
same(
  answer.headers['access-control-allow-headers'],
  'authorization, content-type, atproto-accept-labelers, atproto-proxy',
  'a browser may send a token',
);
answer = await get('/.well-known/did.json', { host: 'elsewhere.example' });
same(
  `${answer.body.id} ${answer.body.service[0].serviceEndpoint}`,
  `${AUD} https://feeds.example`,
  'the DID document is ours, whatever the host of the request is',
);
same((await get('/xrpc/_health')).body.version?.length > 0, true, '_health');
same(
  errorOf(await get(feedPath('items', '', 'alice.example'))),
  '400 UnknownFeed',
  'a feed of a handle',
);
same(
  errorOf(await get(feedPath('items', '', 'did:plc:cccccccccccccccccccccccc'))),
  '400 UnknownFeed',
  'a feed of another account',
);
await db.query(
  "INSERT INTO indexer.published (feed, did) VALUES ('items', 'did:plc:cccccccccccccccccccccccc')",
);
same(
  (await get(feedPath('items', '', 'did:plc:cccccccccccccccccccccccc'))).status,
  200,
  '... that has published it',
);
answer = await get('/xrpc/app.bsky.feed.describeFeedGenerator');
same(
  JSON.stringify(answer.body),
  `{"did":"${AUD}","feeds":[{"uri":"${uriOf('did:plc:cccccccccccccccccccccccc', 'items')}"}]}`,
  'what is published is described',
);
for (const name of [
  '',
  'none',
  '__proto__',
  'constructor',
  "x'y",
  'x"y',
  'x%00',
  '..',
  '.',
  'pg_class',
  'x'.repeat(512),
  'items ',
  'ITEMS',
  'timeless',
  'writes',
  'a b',
]) {
  answer = await get(feedPath(name));
  say(
    [400, 500].includes(answer.status) &&
      /^(InvalidRequest|UnknownFeed|InternalServerError)$/.test(answer.body.error),
    `the feed "${name.slice(0, 20)}" is none: ${errorOf(answer)}`,
  );
}
for (const cursor of [
  'x',
  '1::x',
  '%00',
  '1%3A%3Aat://x',
  '99999999999999999999::at://did:web:a.example',
  'x'.repeat(3000),
])
  same(
    errorOf(await get(feedPath('items', `&cursor=${cursor}`))),
    '400 InvalidRequest',
    `the cursor ${cursor.slice(0, 30)} is none`,
  );
for (const limit of ['0', '-1', '101', '1e9', 'NaN', '99999999999999999999'])
  say((await get(feedPath('items', `&limit=${limit}`))).status < 500, `the limit ${limit}`);
answer = await get(feedPath('raises'));
same(errorOf(answer), '500 InternalServerError', 'a feed that divides by zero');
say(!/zero/.test(JSON.stringify(answer.body)), '... does not say why');
answer = await get(feedPath('who'), await bearer(ada, SKELETON));
same(answer.body.feed?.[0]?.post, `at://${ada}/app.bsky.feed.post/1`, 'a feed knows who asks');
same(errorOf(await get(feedPath('who'))), '401 AuthMissing', '... and can demand it');
await db.query('CREATE VIEW feed.fresh AS SELECT post, at FROM public.item');
await db.query('GRANT SELECT ON feed.fresh TO reader');
same((await get(feedPath('fresh'))).status, 200, 'a view that was just created is served');
await db.query('DROP VIEW feed.fresh');
same(
  errorOf(await get(feedPath('fresh'))),
  '400 UnknownFeed',
  '... and one that was dropped is not',
);

// --- methods ---

const echo = '/xrpc/com.example.echo';
answer = await get(`${echo}?n=5&tags=a&tags=b&yes=true&who=${ada}`);
same(
  JSON.stringify(answer.body),
  `{"n":5,"who":"${ada}","yes":true,"asks":null,"more":"standard","tags":["a","b"]}`,
  'parameters by name',
);
answer = await get(`${echo}?n=7&unknown=1`, await bearer(bob, 'com.example.echo'));
same(
  answer.body.asks,
  bob,
  'a method knows who asks; a parameter that its Lexicon lacks does not matter',
);
same(
  errorOf(await get(feedPath('casts'))),
  '500 InternalServerError',
  'an error that quotes what is stored is masked',
);
same(
  errorOf(await get(`/xrpc/com.example.ECHO?n=1`)),
  '501 MethodNotImplemented',
  'names of methods have a case',
);
same(errorOf(await get(`${echo}/?n=1`)), '501 MethodNotImplemented', '... and no slash');
same(errorOf(await get(echo)), '400 InvalidRequest', 'a parameter is missing');
same(errorOf(await get(`${echo}?n=11`)), '400 InvalidRequest', 'a number is above its bound');
same(errorOf(await get(`${echo}?n=1&who=x`)), '400 InvalidRequest', 'a DID is none');
same(errorOf(await get(`${echo}?n=1&tags=%00`)), '400 InvalidRequest', 'U+0000');
say([400, 200].includes((await get(`${echo}?n=1&tags=%ff`)).status), 'no UTF-8');
same(errorOf(await get(`${echo}?n=5`, {}, 'POST')), '400 InvalidRequest', 'a query is no POST');
same(
  errorOf(await get(`${echo}?n=5&tags=${'x'.repeat(9000)}`)),
  '414 InvalidRequest',
  'a URL that is too long',
);
for (const [path, is] of [
  ['com.example.volatile?x=1', '501 MethodNotImplemented'],
  ['com.example.create', '400 InvalidRequest'],
  ['com.example.unknownArgument', '501 MethodNotImplemented'],
  ['com.example.withoutLexicon', '501 MethodNotImplemented'],
  ['com.example.null', '500 InternalServerError'],
  ['com.example.long', '500 InternalServerError'],
  ['com.example.zero', '500 InternalServerError'],
  ['com.example.writes', '500 InternalServerError'],
  ['com.example.xr?code=XR200', '500 InternalServerError'],
  ['com.example.xr?code=XR999', '500 InternalServerError'],
  ['com.example.xr?code=P0001', '500 InternalServerError'],
  ['com.example.xr?code=XR418', '500 InternalServerError'],
  ['com.example.named', '404 NotHere'],
  ['com.example.badName', '500 InternalServerError'],
  ['com.example.wrong', '500 InternalServerError'],
  ['did', '400 InvalidRequest'],
  ['verify', '400 InvalidRequest'],
  ['', '400 InvalidRequest'],
  ['com.example.echo/x?n=1', '400 InvalidRequest'],
  ['../graphql', '400 InvalidRequest'],
  ['__proto__', '400 InvalidRequest'],
]) {
  const got = await get(`/xrpc/${path}`);
  const is400 = /^400/.test(is) && got.status >= 400 && got.status < 502;
  say(errorOf(got) === is || is400, `${path}: ${errorOf(got)}${is400 ? '' : `, ${is}`}`);
}
answer = await get('/xrpc/com.example.wrong');
say(
  !/Output|must|sum/.test(answer.body.message ?? ''),
  "an output that is not its Lexicon's does not say why",
);
same(
  errorOf(await get(`${echo}?n=1`, { authorization: 'Basic eDp4' })),
  '401 BadJwt',
  'no token is another one than none',
);
same(
  errorOf(await get(`${echo}?n=1`, { authorization: `Bearer ${'x'.repeat(12000)}` })),
  '401 BadJwt',
  'a header of 12 kB',
);
same(
  errorOf(await get(`${echo}?n=1`, await bearer(ada, SKELETON))),
  '401 BadJwtLexiconMethod',
  'a token for another method',
);
await db.query('SELECT indexer.exclude_account($1)', [bob]);
same(
  errorOf(await get(`${echo}?n=1`, await bearer(bob, 'com.example.echo'))),
  '401 BadJwtSignature',
  'an excluded account is refused as for a wrong signature',
);
await db.query('SELECT indexer.include_account($1)', [bob]);

// --- GraphQL ---

async function graphql(headers) {
  const said = await fetch(`http://127.0.0.1:${port}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: '{"query": "{ me }"}',
  });
  return said.headers.get('content-type').includes('json')
    ? JSON.stringify((await said.json()).data)
    : String(said.status);
}
same(await graphql({}), '{"me":null}', 'GraphQL: without a token nobody asks');
same(
  await graphql(await bearer(ada, 'example.feeds.graphql')),
  `{"me":"${ada}"}`,
  '... with one it is its account',
);
same(await graphql({}), '{"me":null}', '... of that request alone');
same(
  await graphql(await bearer(ada, SKELETON)),
  '401',
  '... and one for another method is refused',
);

// What { me } gives over a WebSocket with these parameters of its connection, or the code with which
// it is closed.
function overSocket(payload) {
  return new Promise((resolve) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/graphql`, 'graphql-transport-ws');
    const send = (message) => socket.send(JSON.stringify(message));
    socket.on('open', () => send({ type: 'connection_init', payload }));
    socket.on('message', (text) => {
      const said = JSON.parse(text);
      if (said.type === 'connection_ack')
        send({ id: '1', type: 'subscribe', payload: { query: '{ me }' } });
      if (said.type === 'next') {
        resolve(JSON.stringify(said.payload.data));
        socket.close();
      }
    });
    socket.on('close', resolve);
  });
}
same(
  await overSocket(await bearer(ada, 'example.feeds.graphql')),
  `{"me":"${ada}"}`,
  'a WebSocket sends its token when it connects',
);
same(await overSocket({}), '{"me":null}', '... or none');
same(
  await overSocket(await bearer(ada, SKELETON)),
  4403,
  '... and one for another method closes it',
);
same(await overSocket({ authorization: { x: 1 } }), 4403, '... as what is no text does');

// --- keys that are not here ---

const newcomer = async (n) => {
  const did = rows[n].did;
  keys[did] = await Secp256k1Keypair.create();
  return did;
};
// The log is of demo/, whose private key nobody has: so the table says that the answer has ours.
const stranger = await newcomer(0);
answer = await get(`${echo}?n=1`, await bearer(stranger, 'com.example.echo'));
same(
  errorOf(answer),
  '401 BadJwtSignature',
  'an unknown asker is looked up, and the signature is not by that key',
);
same(asked.filter((did) => did === stranger).length, 1, '... in one request');
same(
  (await db.query('SELECT count(*)::int AS n FROM indexer.asker WHERE did = $1', [stranger]))
    .rows[0].n,
  1,
  '... whose answer is kept',
);
await get(`${echo}?n=1`, await bearer(stranger, 'com.example.echo'));
same(
  asked.filter((did) => did === stranger).length,
  1,
  'another forged token has nobody asked again within a minute',
);
await db.query('UPDATE indexer.asker SET key = $2 WHERE did = $1', [
  stranger,
  keys[stranger].did(),
]);
answer = await get(`${echo}?n=1`, await bearer(stranger, 'com.example.echo'));
same(answer.body.asks, stranger, 'with the key of the answer it is taken');
const inventor = await Secp256k1Keypair.create();
const letters = 'abcdefghijklmnopqrstuvwxyz234567';
const invented = () =>
  `did:plc:${Array.from({ length: 24 }, () => letters[Math.floor(32 * Math.random())]).join('')}`;
let did = invented();
keys[did] = inventor;
same(
  errorOf(await get(`${echo}?n=1`, await bearer(did, 'com.example.echo'))),
  '401 UnknownIdentity',
  'an invented asker is refused',
);
same(
  (await db.query('SELECT count(*)::int AS n FROM indexer.asker WHERE did = $1', [did])).rows[0].n,
  0,
  '... and leaves nothing',
);
for (const one of [
  'did:web:localhost',
  'did:web:127.0.0.1',
  'did:web:10.0.0.1',
  'did:web:a.example%3A22',
  'did:web:no-such-host.invalid',
  'did:foo:bar',
  'did:constructor:x',
]) {
  keys[one] = inventor;
  const got = await get(`${echo}?n=1`, await bearer(one, 'com.example.echo'));
  say([401, 503].includes(got.status), `${one}: ${errorOf(got)}`);
}

// A flood of invented askers: 150 a second for three seconds, or fewer on a machine that is not
// quiet, and honest ones, some of whom are new.
const before = asked.length;
const flood = [];
const honest = [];
const newcomers = [];
const news = [];
const busy = '503 NotEnoughResources';
const TRIES = 20;
// Asks until the key was looked up, so that the verdict is on the signature. Returns how often.
async function lookedUp(iss) {
  for (let n = 1; ; n++) {
    const got = errorOf(await get(`${echo}?n=1`, await bearer(iss, 'com.example.echo')));
    if (got === '401 BadJwtSignature' || n === TRIES) return n;
  }
}
for (let n = 1; n < Math.min(rows.length, 5); n++) news.push(await newcomer(n));
const tokens = [];
for (let n = 0; n < 450; n++) {
  did = invented();
  keys[did] = inventor;
  tokens.push(await bearer(did, 'com.example.echo'));
}
for (let n = 0; n < 30; n++) {
  for (const token of tokens.splice(0, 15)) flood.push(get(`${echo}?n=1`, token));
  honest.push(get(`${echo}?n=1`, await bearer(ada, 'com.example.echo')), get(feedPath('items')));
  if (n % 8 === 4 && news.length > 0) newcomers.push(lookedUp(news.pop()));
  await new Promise((resolve) => setTimeout(resolve, 100 * Math.max(1, slowness || 1)));
}
const refused = (await Promise.all(honest)).filter(({ status }) => status !== 200).map(errorOf);
same(
  refused.length,
  0,
  `150 invented askers a second do not cause a known one to be refused ${refused}`,
);
const tries = await Promise.all(newcomers);
const isQuiet = !(slowness > 1.5);
say(
  tries.every((n) => (isQuiet ? n === 1 : n < TRIES)),
  `... and no new one${isQuiet ? '' : ', though on a busy machine it may have to ask again'}: ${tries}`,
);
const verdicts = (await Promise.all(flood)).map(errorOf);
const taken = verdicts.filter((one) => !['401 UnknownIdentity', busy].includes(one));
same(taken.length, 0, `... and each invented one is ${taken}`);
if (isQuiet) same(verdicts.includes(busy), false, '... after its request to the directory');
same(asked.length - before <= 470, true, '... of which there is one for each');

// --- a slow function ---

const slow = Array.from({ length: 10 }, () => get('/xrpc/com.example.slow'));
await new Promise((resolve) => setTimeout(resolve, 300));
let most = 0;
let running = 0;
for (let n = 0; n < 20; n++) {
  const others = await Promise.all([get(feedPath('items')), get(`${echo}?n=1`)]);
  if (others.some(({ status }) => status !== 200)) most = Infinity;
  most = Math.max(most, ...others.map(({ ms }) => ms));
  const {
    rows: [{ n: now }],
  } = await db.query(
    `SELECT count(*)::int AS n FROM pg_stat_activity
     WHERE usename = 'reader' AND query LIKE '%com.example.slow%' AND state = 'active'`,
  );
  running = Math.max(running, now);
}
same(running, 5, 'a slow function has half of the connections');
const ended = await Promise.all(slow);
say(
  most < Math.min(...ended.map(({ ms }) => ms)),
  `others do not wait for it: ${Math.round(most)} ms`,
);
same(
  ended.every(({ status }) => status === 200),
  true,
  'and those that wait for it have their turn, and are not refused',
);
const timed = await get('/xrpc/com.example.endless');
same(errorOf(timed), '503 Timeout', 'one without an end is ended');

// --- Lexicons and functions that change meanwhile ---

await db.query(
  `CREATE FUNCTION xrpc."com.example.later"() RETURNS jsonb STABLE LANGUAGE sql
   RETURN jsonb_build_object('n', 1)`,
);
same(
  errorOf(await get('/xrpc/com.example.later')),
  '501 MethodNotImplemented',
  'a function without a Lexicon',
);
const schema = { type: 'object', properties: { n: { type: 'integer' } } };
const main = { type: 'query', output: { encoding: 'application/json', schema } };
await db.query('SELECT indexer.add_lexicons($1::jsonb::atid.lexicon)', [
  JSON.stringify([{ lexicon: 1, id: 'com.example.later', defs: { main } }]),
]);
const until = Date.now() + 20_000 * (slowness || 1);
do answer = await get('/xrpc/com.example.later');
while (
  answer.status !== 200 &&
  Date.now() < until &&
  (await new Promise((resolve) => setTimeout(resolve, 100)), true)
);
same(JSON.stringify(answer.body), '{"n":1}', '... is served once it has one');
await db.query('DROP FUNCTION xrpc."com.example.later"');
say((await get('/xrpc/com.example.later')).status >= 500, 'a function that was dropped');
same((await get(feedPath('items'))).status, 200, 'after all this the feed is served');
await db.end();
process.exit(0);
