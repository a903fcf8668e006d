// A network for indexer/t/hostile.pl, in which strangers lie: a relay, PLC directory, hosts of accounts and domains of
// did:web, on ports and addresses of this machine. Some accounts are honest; what they have is the truth.
//
//   node hostile.js SEED      prints "port N", and serves there until its input ends
//
// A case is one field of one answer, given one value; cases are made of what an honest answer is, its fields, and the
// values of strange.js. Each has an account of its own, so that many are tried at a time.
//
//   /kinds                    how many cases there are of each kind, as JSON
//   /arm?n=N&of=KIND,...      the next N cases, in an order that the seed decides; answers with their names
//   /pending                  the names of the cases that were armed and nobody has asked for yet
//   /forget                   these are given up
//   /post                     an honest account writes a post; answers with its uri and cid
//   /rotate                   one has a new key, and writes a post; answers with its uri
//   /newcomer                 an honest account comes, announced by the relay; answers with its did
//   /scene?name=NAME&...      one of the scenes below; answers with what the test has to know
//   /walk?n=N                 N steps of a random walk over all of this
//   /away?of=METHOD,...       nobody answers these methods of xrpc ("document", "directory": nor those) until /calm
//   /spread?n=N&web=1         N honest newcomers, each on a host of its own, of did:web or did:plc; answers with their dids
//   /noise?n=N                N frames that are none
//   /forge?n=N                N labels that somebody else has signed
//   /calm                     no scene is played any more, and all answers are honest but those of cases
//   /mark                     a frame that is no bad one; answers with its number
//   /state                    counts of requests, frames and connections, as JSON
//   /truth                    what may be in the tables, as lines of columns: a record of an honest account (uri, cid), one
//                             that a hostile account has signed once (uri, cid), an honest account (did, rev, key, active)
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import { P256Keypair, Secp256k1Keypair } from '@atproto/crypto';
import { BlockMap, WriteOpAction, blocksToCarFile } from '@atproto/repo';
import * as plc from '@did-plc/lib';
import * as cbor from '@ipld/dag-cbor';
import { WebSocketServer } from 'ws';
import { Account, cidOf, cidOfBlock, entry, frame, frameOf, link, split } from './accounts.js';
import { chance } from './chance.js';
import { cborValues, jsonValues, mutations, withCbor, withJson } from './strange.js';

const seed = Number(process.argv[2]);
const { below, pick, bytes, shuffled } = chance(seed);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const S32 = '234567abcdefghijklmnopqrstuvwxyz';
const noise = (n) => Array.from(bytes(n), (b) => S32[b & 31]).join('');
const count = { requests: {}, frames: 0, connections: 0, compressed: 0, bytes: 0 };

// --- accounts ---------------------------------------------------------------------------------------

const honest = [];
const byDid = new Map(); // of all
const own = new Map(); // what hostile accounts have signed: a line for each record
let serial = 0;
let spread = 0;
let clock = Date.now() * 1000 - 3.6e9;
// above the one before
function tid() {
  let n = BigInt(clock += 1 + below(1000)) << 10n;
  let text = '';
  for (let i = 0; i < 13; i++, n >>= 5n) text = S32[Number(n & 31n)] + text;
  return text;
}
const POST = 'app.bsky.feed.post';
const post = (text) => ({ action: WriteOpAction.Create, collection: POST, rkey: tid(), record: { $type: POST, text: text ?? `number ${serial++}`, createdAt: new Date().toISOString() } });

let port;
let directoryPort;
const hosts = 60; // 127.0.0.2 and so on
const host = (n) => `http://127.0.0.${2 + (n % hosts)}:${port}`;
const note = (a) => {
  if (!a.honest) for (const [path, cid] of a.entries) own.set(`at://${a.did}/${path}\t${cid}`, a);
  return a;
};

async function make({ did, at = 3 + below(hosts - 1), n = 1, is = false, key, log = true } = {}) {
  const [a, body] = await Account.create({ did, handle: `a${byDid.size}.example`, pds: host(at), key, first: Array.from({ length: n }, () => post()) });
  Object.assign(a, { honest: is, pds: host(at), first: body, listed: is });
  if (did) a.document = documentOf(a);
  else if (!log) a.log = [];
  byDid.set(a.did, a);
  if (is) honest.push(a);
  return note(a);
}
const documentOf = (a) => ({
  '@context': ['https://www.w3.org/ns/did/v1'], id: a.did, alsoKnownAs: ['at://web.example'],
  verificationMethod: [{ id: `${a.did}#atproto`, type: 'Multikey', controller: a.did, publicKeyMultibase: a.key.did().slice(8) }],
  service: [{ id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: a.pds }] });
const commit = async (a, list = [post()]) => {
  const body = await a.commit(list);
  note(a);
  return body;
};

// A domain of did:web, on a port of its own.
async function domain() {
  const server = createServer(serve).listen(0, '127.0.0.1');
  await new Promise((resolve) => { server.on('listening', resolve); });
  return `did:web:localhost%3A${server.address().port}`;
}

// --- the stream -------------------------------------------------------------------------------------

let seq = 1000;
const log = []; // [seq, frame]
const sockets = new Set();
const labelSockets = new Set();
function send(data, { keep = true, binary = true } = {}) {
  if (keep) log.push([seq, data]);
  count.frames++;
  for (const s of sockets) s.send(data, { binary });
}
const announce = (t, body) => { seq++; send(frameOf(t, seq, body)); return seq; };
const meet = (a) => announce('#account', { did: a.did, active: true });

// --- cases ------------------------------------------------------------------------------------------

const kinds = {};
const armed = new Set();
let cases;
const add = (kind, name, arm) => (kinds[kind] ??= []).push({ kind, name: `${kind}: ${name}`, arm });
const served = (c) => { if (c) { armed.delete(c); c.served = true; } };

const json = (response, text, status = 200, headers = {}) => {
  const body = typeof text === 'string' || Buffer.isBuffer(text) ? text : JSON.stringify(text);
  count.bytes += body.length;
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
};
const raw = (response, ...parts) => {
  const { socket } = response;
  if (!socket) return; // nobody waits for it any more
  socket.on('error', () => {});
  for (const p of parts) socket.write(p);
  socket.end();
};

// Each field of a PLC log with two operations, of a DID document, and of what a host says of an account.
const stranger = { did: 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa' };
function addJson(kind, of, arm, more = '') {
  for (const [path, original] of mutations(of))
    for (const [name, value] of jsonValues(original, noise)) add(kind, `${path.join('.') || 'all'} ${name}${more}`, (c) => arm(c, (answer) => withJson(answer, path, value), path, value));
}
const anyOperation = { type: 'plc_operation', rotationKeys: ['did:key:zQ3sh'], verificationMethods: { atproto: 'did:key:zQ3sh' }, alsoKnownAs: ['at://a.example'],
  services: { atproto_pds: { type: 'AtprotoPersonalDataServer', endpoint: 'https://a.example' } }, prev: 'bafy', sig: 'AA' };
addJson('log', [{ ...stranger, operation: anyOperation, cid: 'bafy', nullified: false, createdAt: '2026' }], async (c, strange) => {
  const a = await make();
  await a.changeLog((o) => ({ ...o, alsoKnownAs: ['at://b.example'] }));
  // the last operation, so that its predecessor is there too
  a.answers = { log: (response) => { served(c); json(response, strange(a.log.slice(-1)).replace(/^\[/, () => (below(2) ? `[${JSON.stringify(a.log[0])},` : '['))); } };
  meet(a);
});
addJson('document', { ...documentOf({ ...stranger, key: { did: () => 'did:key:zQ3sh' }, pds: 'http://a.example' }) }, async (c, strange) => {
  const a = await make({ did: await domain() });
  a.answers = { document: (response) => { served(c); json(response, strange(a.document)); } };
  meet(a);
});
addJson('status', { ...stranger, active: true, status: 'suspended', rev: '3jzfcijpj2z2a' }, async (c, strange) => {
  const a = await make();
  a.answers = { repo: (response) => json(response, { error: 'RepoNotFound' }, 400),
    status: (response) => { served(c); json(response, strange({ did: a.did, active: Boolean(below(2)), status: 'suspended', rev: a.repo.commit.rev })); } };
  meet(a);
});
for (const status of [200, 400, 404, 429, 500, 503]) {
  addJson('error', { error: 'RepoNotFound', message: 'no' }, async (c, strange) => {
    const a = await make();
    a.answers = { repo: (response) => { served(c); json(response, strange({ error: 'RepoNotFound', message: 'no' }), status); } };
    meet(a);
  }, ` with ${status}`);
}

// Pages of lists. An entry is one among honest ones.
const pages = { all: [], signal: [] };
const entries = [];
const page = { cursor: 'x', repos: [{ ...stranger, head: 'bafy', rev: '3jzfcijpj2z2a', active: true, status: 'suspended' }] };
for (const [path, original] of mutations(page)) {
  for (const [name, value] of jsonValues(original, noise)) {
    const field = path.join('.') || 'all';
    if (path.length > 1) {
      add('entry', `${field} ${name}`, async (c) => {
        const a = await make();
        entries.push([c, () => withJson({ did: a.did, head: a.repo.cid.toString(), rev: a.repo.commit.rev, active: true }, path.slice(2), value)]);
      });
    } else add('page', `${field} ${name}`, async (c) => { pages.all.push([c, (answer) => withJson(answer, path, value)]); });
    if (!['head', 'rev', 'active', 'status'].includes(path[2]))
      add('signal', `${field} ${name}`, async (c) => { pages.signal.push([c, (answer) => withJson(answer, path, value)]); });
  }
}
const serverAnswers = [];
addJson('server', { did: 'did:web:a.example', availableUserDomains: ['.a.example'], inviteCodeRequired: false }, async (c, strange) => {
  serverAnswers.push([c, strange]);
  for (const s of sockets) s.terminate();
});

// Headers and the rest of HTTP.
const LOCATIONS = () => ({ none: undefined, empty: '', 'no address': 'http://[::1', slashes: '//', file: 'file:///etc/passwd', 'a closed port': 'http://127.0.0.1:1/',
  'another scheme': 'gopher://127.0.0.1/', data: 'data:,x', javascript: 'javascript:0', 'with a password': `http://a:b@127.0.0.3:${port}/`, '6 kB': `/${noise(6000)}`,
  '6 kB of host': `http://${noise(6000)}/`, itself: 'itself', 'no such path': '/gone', TLS: `https://127.0.0.3:${port}/`, 'a port of 99999': 'http://127.0.0.1:99999/',
  metadata: 'http://169.254.169.254/', 'ESC': '/\x1b[2J', 'Latin 1': '/\xe4\xff', 'to the directory': `http://127.0.0.1:${directoryPort}/_health` });
const WAITS = ['', '-1', '0', 'x', '9007199254740992', '1e9', 'Fri, 31 Dec 9999 23:59:59 GMT', 'NaN', '0x10', noise(6000), '1, 2', '\x1b[2J'];
const RESPONSES = {
  'no bytes': [], 'no HTTP': ['\0\xff\x1b[2J\r\n\r\n'], 'HTTP/0.9': ['hello\n'], 'status 999': ['HTTP/1.1 999 x\r\nContent-Length: 0\r\n\r\n'], 'status 99': ['HTTP/1.1 99 x\r\n\r\n'],
  'status 204': ['HTTP/1.1 204 x\r\n\r\n'], 'status 206': ['HTTP/1.1 206 x\r\nContent-Length: 1\r\n\r\nx'], 'status 304': ['HTTP/1.1 304 x\r\n\r\n'], 'status 101': ['HTTP/1.1 101 x\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n'],
  '1,000 times 102': ['HTTP/1.1 102 x\r\n\r\n'.repeat(1000), 'HTTP/1.1 200 x\r\nContent-Length: 1\r\n\r\n{'], 'a reason of ESC': ['HTTP/1.1 400 \x1b[2J\x07\r\nContent-Length: 0\r\n\r\n'],
  'a length too large': ['HTTP/1.1 200 x\r\nContent-Length: 1000\r\n\r\n{}'], 'a length too small': ['HTTP/1.1 200 x\r\nContent-Length: 1\r\n\r\n{"a": 1}'],
  'a length of -1': ['HTTP/1.1 200 x\r\nContent-Length: -1\r\n\r\n{}'], 'a length of 2^53': ['HTTP/1.1 200 x\r\nContent-Length: 9007199254740992\r\n\r\n{}'],
  'two lengths': ['HTTP/1.1 200 x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}'], 'a length and chunks': ['HTTP/1.1 200 x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  'no chunk': ['HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n'], 'a chunk of 2^64': ['HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{}\r\n'],
  'half a chunk': ['HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n{}'], 'a header without end': [`HTTP/1.1 200 x\r\nX: ${'x'.repeat(1e6)}`],
  '10,000 headers': [`HTTP/1.1 200 x\r\n${'X: y\r\n'.repeat(10000)}Content-Length: 2\r\n\r\n{}`], 'U+0000 in a header': ['HTTP/1.1 200 x\r\nX: \0\r\nContent-Length: 2\r\n\r\n{}'],
  'gzip': [`HTTP/1.1 200 x\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n`, gzipSync(Buffer.alloc(2e6))], 'an encoding of 6 kB': [`HTTP/1.1 200 x\r\nContent-Encoding: ${'x'.repeat(6000)}\r\nContent-Length: 2\r\n\r\n{}`],
  'a type of ESC': ['HTTP/1.1 200 x\r\nContent-Type: \x1b[2J\r\nContent-Length: 2\r\n\r\n{}'], 'no JSON': ['HTTP/1.1 200 x\r\nContent-Length: 1\r\n\r\n{'], 'U+0000 alone': ['HTTP/1.1 200 x\r\nContent-Length: 1\r\n\r\n\0'],
  'a BOM': ['HTTP/1.1 200 x\r\nContent-Length: 5\r\n\r\n\xef\xbb\xbf{}'], 'no UTF-8': ['HTTP/1.1 200 x\r\nContent-Length: 4\r\n\r\n"\xff\xfe"'], 'nothing': ['HTTP/1.1 200 x\r\nContent-Length: 0\r\n\r\n'],
  'an error of HTML': [`HTTP/1.1 503 x\r\nContent-Type: text/html\r\nContent-Length: 20000\r\n\r\n${'<p>'.padEnd(20000)}`], 'an error without end': ['HTTP/1.1 500 x\r\n\r\n', 'x'.repeat(3e5)] };
for (const of of ['repo', 'log', 'document']) {
  const arm = (answer) => async (c) => {
    const a = await make({ did: of === 'document' ? await domain() : undefined });
    a.answers = { [of]: (response, request) => { served(c); answer(response, request); } };
    meet(a);
  };
  for (const [name] of Object.entries(LOCATIONS())) {
    add('header', `${of} redirects: ${name}`, arm((response, request) => {
      const to = LOCATIONS()[name] === 'itself' ? request.url : LOCATIONS()[name];
      raw(response, Buffer.from(`HTTP/1.1 302 x\r\n${to === undefined ? '' : `Location: ${to}\r\n`}Content-Length: 0\r\n\r\n`, 'latin1'));
    }));
  }
  if (of !== 'log') for (const wait of WAITS) add('header', `${of} is throttled: ${wait.slice(0, 30)}`, arm((response) => raw(response, Buffer.from(`HTTP/1.1 429 x\r\nRetry-After: ${wait}\r\nContent-Length: 0\r\n\r\n`, 'latin1'))));
  for (const [name, parts] of Object.entries(RESPONSES)) add('header', `${of}: ${name}`, arm((response) => raw(response, ...parts.map((p) => Buffer.from(p, 'latin1')))));
}

// Frames. Those who write are strangers whose repository is there.
const writers = [];
const writer = () => pick(writers);
const FRAMES = {
  '#commit': async () => { const a = writer(); return { time: new Date().toISOString(), ...await commit(a, [post(), post()]) }; },
  '#sync': async () => {
    const a = writer();
    const blocks = new BlockMap();
    blocks.set(a.repo.cid, await a.storage.getBytes(a.repo.cid));
    return { time: new Date().toISOString(), did: a.did, rev: a.repo.commit.rev, blocks: Buffer.from(await blocksToCarFile(a.repo.cid, blocks)) };
  },
  '#account': async () => ({ time: new Date().toISOString(), did: writer().did, active: true, status: 'active' }),
  '#identity': async () => ({ time: new Date().toISOString(), did: writer().did, handle: 'w.example' }),
  '#info': async () => ({ name: 'Hello', message: 'x' }),
};
const sample = { time: '2026', rebase: false, tooBig: false, repo: 'did:plc:a', did: 'did:plc:a', commit: link(cidOf(1)), rev: '3jzfcijpj2z2a', since: '3jzfcijpj2z2a', blocks: Buffer.from([1]),
  ops: [{ action: 'create', path: 'a/b', cid: link(cidOf(1)), prev: link(cidOf(1)) }], blobs: [link(cidOf(1))], prevData: link(cidOf(1)), active: true, status: 'x', handle: 'a.example', name: 'x', message: 'x' };
const FIELDS = { '#commit': ['seq', 'time', 'rebase', 'tooBig', 'repo', 'commit', 'rev', 'since', 'blocks', 'ops', 'blobs', 'prevData'], '#sync': ['seq', 'time', 'did', 'rev', 'blocks'],
  '#account': ['seq', 'time', 'did', 'active', 'status'], '#identity': ['seq', 'time', 'did', 'handle'], '#info': ['name', 'message'] };
for (const [t, body] of Object.entries(FRAMES)) {
  const of = Object.fromEntries(FIELDS[t].map((f) => [f, f === 'seq' ? 1 : sample[f]]));
  for (const [where, answer] of [['header', { op: 1, t }], ['body', of]]) {
    for (const [path, original] of mutations(answer)) {
      for (const [name, value] of cborValues(original, noise)) {
        add('frame', `${t} ${where} ${path.join('.') || 'all'} ${name}`, async (c) => {
          const say = await body();
          if (say.ops) say.ops[0].prev ??= link(cidOf(1));
          seq++;
          const parts = [{ op: 1, t }, t === '#info' ? say : { seq, ...say }];
          const strange = parts.map((p, i) => (i === (where === 'body' ? 1 : 0) ? withCbor(p, path, value) : cbor.encode(p)));
          send(Buffer.concat(strange));
          served(c);
        });
      }
    }
  }
}
for (const [path, original] of mutations({ error: 'FutureCursor', message: 'x' }))
  for (const [name, value] of cborValues(original, noise))
    add('error frame', `${path.join('.') || 'all'} ${name}`, async (c) => { send(Buffer.concat([cbor.encode({ op: -1 }), withCbor({ error: 'FutureCursor', message: 'x' }, path, value)]), { keep: false }); served(c); });
const RAW = { 'no bytes': Buffer.alloc(0), 'a byte': Buffer.from([0xff]), 'a break': Buffer.from([0xff, 0xff]), '10,000 arrays': Buffer.concat([Buffer.alloc(10000, 0x81), Buffer.from([0x80])]),
  '5 million arrays': Buffer.alloc(4.9e6, 0x81), 'a map of 2^64': Buffer.from('bbffffffffffffffff', 'hex'), 'text of 2^63': Buffer.from('7b7fffffffffffffff61', 'hex'), 'header only': cbor.encode({ op: 1, t: '#commit' }),
  'three values': frame({ op: 1, t: '#info' }, 1), 'a header twice': Buffer.concat([cbor.encode({ op: 1, t: '#commit' }), cbor.encode({ op: 1, t: '#commit' })]), '1 MB of zero': Buffer.alloc(1e6), '6 MB': Buffer.alloc(6e6, 0x40) };
for (const [name, data] of Object.entries(RAW)) add('raw frame', name, async (c) => { seq++; send(data, { keep: data.length < 2e6 }); served(c); });
add('raw frame', 'text', async (c) => { send('hello \u0000', { keep: false, binary: false }); served(c); });
add('raw frame', 'text without end', async (c) => { send('x'.repeat(3e6), { keep: false, binary: false }); served(c); });

// Repositories: each field of the commit, of a node of the tree, and of the archive's header; all signed by the account.
async function archive(a, { header, signed, node }) {
  const blocks = new Map();
  for (const { cid, bytes: block } of a.storage.blocks.entries()) blocks.set(cid.toString(), [cid, Buffer.from(block)]);
  let data = a.repo.commit.data;
  if (node) {
    const block = node(cbor.decode((await a.storage.getBytes(data))));
    data = cidOfBlock(block);
    blocks.set(data.toString(), [data, block]);
  }
  const unsigned = { did: a.did, version: 3, data: link(data), rev: a.repo.commit.rev, prev: null };
  let block = cbor.encode({ ...unsigned, sig: await a.key.sign(cbor.encode(unsigned)) });
  if (signed) block = await signed(unsigned);
  const root = cidOfBlock(block);
  blocks.set(root.toString(), [root, block]);
  const varint = (n) => { const out = []; for (; n >= 128; n = Math.floor(n / 128)) out.push((n % 128) | 128); return Buffer.from([...out, n]); };
  const head = header ? header({ version: 1, roots: [link(root)] }) : cbor.encode({ version: 1, roots: [link(root)] });
  return Buffer.concat([varint(head.length), head, ...[...blocks.values()].flatMap(([cid, b]) => [varint(cid.bytes.length + b.length), Buffer.from(cid.bytes), b])]);
}
function addRepository(part, of, change) {
  for (const [path, original] of mutations(of))
    for (const [name, value] of cborValues(original, noise))
      add('repository', `${part} ${path.join('.') || 'all'} ${name}`, async (c) => {
        const a = await make({ n: 3 });
        const car = await archive(a, change(a, path, value));
        a.answers = { repo: (response) => { served(c); response.end(car); } };
        meet(a);
      });
}
addRepository('header', { version: 1, roots: [link(cidOf(1))] }, (a, path, value) => ({ header: (h) => withCbor(h, path, value) }));
addRepository('commit', { did: 'did:plc:a', version: 3, data: link(cidOf(1)), rev: '3jzfcijpj2z2a', prev: null, sig: Buffer.alloc(64) }, (a, path, value) => ({
  // signed as it is, so that only its form is wrong
  signed: async (unsigned) => {
    if (path[0] === 'sig' || path.length === 0) return withCbor({ ...unsigned, sig: await a.key.sign(cbor.encode(unsigned)) }, path, value);
    const strange = withCbor(unsigned, path, value);
    const sig = await a.key.sign(strange);
    return withCbor({ ...unsigned, sig }, path, value);
  } }));
addRepository('node', { l: null, e: [{ p: 0, k: Buffer.from('x'), v: link(cidOf(1)), t: null }] }, (a, path, value) => ({ node: (n) => withCbor(n, path, value) }));
const other = () => pick(honest);
const REPOSITORIES = {
  'of another account': async () => other().car(), 'an honest one, signed again': async (a) => {
    const o = other();
    for (const [path, cid] of o.entries) own.set(`at://${a.did}/${path}\t${cid}`, a);
    return archive({ storage: o.storage, repo: o.repo, did: a.did, key: a.key }, {});
  },
  older: async (a) => { await commit(a); await commit(a); return a.car(a.older); }, truncated: async (a) => (await a.car()).subarray(0, -20), 'a byte changed': async (a) => { const car = await a.car(); car[below(car.length)] ^= 1 + below(255); return car; },
  gzip: async (a) => gzipSync(await a.car()), twice: async (a) => { const car = await a.car(); return Buffer.concat([car, car]); }, 'nothing': async () => Buffer.alloc(0), 'zeros': async () => Buffer.alloc(1e6),
  noise: async () => Buffer.from(bytes(50000)), 'of the future': async (a) => archive({ storage: a.storage, did: a.did, key: a.key, repo: { commit: { data: a.repo.commit.data, rev: '3zzzzzzzzzzz2' } } }, {}),
  'by another key': async (a) => archive({ storage: a.storage, repo: a.repo, did: a.did, key: await Secp256k1Keypair.create() }, {}),
  'a length of 2^63': async () => Buffer.from('ffffffffffffffffff01', 'hex'), 'a header of 2^31': async () => Buffer.from('ffffffff0700', 'hex') };
for (const [name, car] of Object.entries(REPOSITORIES)) {
  add('repository', name, async (c) => {
    const a = await make({ n: 3 });
    const body = await car(a);
    a.answers = { repo: (response) => { served(c); response.end(body); } };
    meet(a);
  });
}

// Labels, of a stream of their own.
const label = { ver: 1, src: 'did:plc:a', uri: 'at://did:plc:a/b.c.d/e', cid: 'bafy', val: 'rude', neg: false, cts: '2026-01-01T00:00:00Z', exp: '2099-01-01T00:00:00Z', sig: Buffer.alloc(64) };
let labelSeq = 7; // the one number of a case that is believed, so what comes after it is above
const sendLabels = (body) => { for (const s of labelSockets) s.send(Buffer.concat([cbor.encode({ op: 1, t: '#labels' }), body])); };
async function labelOf(fields) {
  const [labeler] = honest;
  const l = { ver: 1, src: labeler.did, uri: honest[1].did, val: 'rude', cts: new Date().toISOString(), ...fields };
  return { ...l, sig: await labeler.labels.sign(cbor.encode(l)) };
}
for (const [path, original] of mutations({ seq: 1, labels: [label] }))
  for (const [name, value] of cborValues(original, noise))
    add('label', `${path.join('.') || 'all'} ${name}`, async (c) => {
      const l = await labelOf({ val: `case${labelSeq}` });
      sendLabels(withCbor({ seq: ++labelSeq, labels: [{ cid: 'bafy', neg: false, exp: '2099-01-01T00:00:00Z', ...l }] }, path, value));
      served(c);
    });

// --- http -------------------------------------------------------------------------------------------

let scene = {};
const list = (of, at) => {
  const all = of.filter((a) => a.listed);
  const from = Number(at) || 0;
  return { repos: all.slice(from, from + 500).map((a) => ({ did: a.did, head: a.repo.cid.toString(), rev: a.repo.commit.rev, active: a.active })),
    ...(from + 500 < all.length ? { cursor: String(from + 500) } : {}) };
};
function strangePage(queue, answer) {
  const [c, strange] = queue.shift();
  served(c);
  return strange({ cursor: 'strange', ...answer, repos: [...answer.repos, { did: honest[0].did, rev: honest[0].repo.commit.rev, active: true }].slice(0, 1) });
}

// Sends something every 200 ms, until nobody reads it any more.
function drip(response, head = '{') {
  response.writeHead(200, { 'content-type': 'application/json' }).write(head);
  const timer = setInterval(() => response.write(' '), 200);
  response.on('close', () => clearInterval(timer));
}
function endless(response) {
  const more = Buffer.alloc(1e6, 0x20);
  const go = () => { while (!response.destroyed && response.write(more)) count.bytes += more.length; };
  response.on('drain', go);
  go();
}

async function directory(request, response) {
  count.requests.directory = (count.requests.directory ?? 0) + 1;
  if (scene.directory) return scene.directory(request, response);
  const a = byDid.get(decodeURIComponent(request.url.split('/')[1]));
  if (a?.answers?.log) return a.answers.log(response, request);
  if (!a?.log.length) return json(response, { message: `DID not registered: ${request.url.split('/')[1]}` }, 404);
  return json(response, a.log);
}

async function serve(request, response) {
  const url = new URL(request.url, 'http://localhost');
  const q = url.searchParams;
  const method = url.pathname.split('/').pop().split('.').pop();
  response.on('error', () => {});
  try {
    if (url.pathname === '/.well-known/did.json') {
      count.requests.document = (count.requests.document ?? 0) + 1;
      if (scene.away?.includes('document')) return response.writeHead(500).end();
      const a = byDid.get(`did:web:${request.headers.host.replace(':', '%3A')}`);
      if (a?.answers?.document) return a.answers.document(response, request);
      return a ? json(response, a.document) : json(response, { error: 'NotFound' }, 404);
    }
    const asked = control[url.pathname.slice(1)];
    if (asked) return json(response, await asked(q));
    if (!url.pathname.startsWith('/xrpc/')) return json(response, { error: 'NotFound' }, 404);
    count.requests[method] = (count.requests[method] ?? 0) + 1;
    const a = byDid.get(q.get('did') ?? q.get('repo'));
    const throughRelay = method === 'getRepo' && request.socket.localAddress === '127.0.0.1'; // its host is away, not the relay
    if (scene.away?.includes(method) && !throughRelay) return response.writeHead(method === 'describeRepo' ? 501 : 500).end();
    switch (method) {
      case 'listRepos': {
        if (scene.list) return scene.list(response, q);
        const answer = list([...honest, ...writers], q.get('cursor'));
        if (pages.all.length) return json(response, strangePage(pages.all, answer));
        const some = entries.splice(0);
        some.forEach(([c]) => served(c));
        return json(response, JSON.stringify(answer).replace('"repos":[', () => `"repos":[${some.map(([, e]) => `${e()},`).join('')}`).replace(/,\]/, ']'));
      }
      case 'listReposByCollection':
        if (pages.signal.length) return json(response, strangePage(pages.signal, { repos: [] }));
        return json(response, { repos: [{ did: honest[0].did }] });
      case 'describeServer': {
        if (!serverAnswers.length) return json(response, { error: 'MethodNotImplemented' }, 501);
        const [c, strange] = serverAnswers.shift();
        served(c);
        const text = strange({ did: 'did:web:a.example', availableUserDomains: ['.a.example'], inviteCodeRequired: false });
        // one with a DID would be that of a PDS, which has no accounts of others
        return json(response, text.replace('"did:web:a.example"', 'null'));
      }
      case 'describeRepo': return json(response, { did: a?.did, collections: a?.honest ? [POST] : [] });
      case 'getRepoStatus':
        if (a?.answers?.status) return a.answers.status(response, request);
        return a ? json(response, { did: a.did, active: a.active, rev: a.repo.commit.rev }) : json(response, { error: 'RepoNotFound' }, 400);
      case 'getRepo': {
        if (!a) return json(response, { error: 'RepoNotFound' }, 400);
        // the relay leads to the host
        if (request.socket.localAddress === '127.0.0.1') return response.writeHead(302, { location: `${a.pds}${request.url}` }).end();
        if (a.answers?.repo) return a.answers.repo(response, request);
        if (!a.active) return json(response, { error: 'RepoDeactivated' }, 400);
        const car = await a.car();
        count.bytes += car.length;
        return response.end(car);
      }
      default: return json(response, { error: 'MethodNotImplemented' }, 501);
    }
  } catch (e) {
    console.error(e);
    return response.headersSent ? response.destroy() : response.writeHead(500).end(e.message);
  }
}

// --- scenes -----------------------------------------------------------------------------------------

// An account answers so twice, and then honestly: what is asked for again and again takes the time of all that follows.
function twice(a, of, answer) {
  let n = 0;
  a.answers = { [of]: (response, request) => { if (++n === 2) a.answers = undefined; answer(response, request); } };
}
const several = (n, options) => Promise.all(Array.from({ length: n }, (_, i) => make(options?.(i))));
const scenes = {
  // documents, or repositories on as many hosts, of which a byte comes now and then
  'slow documents': async () => { for (let i = 0; i < 12; i++) { const a = await make({ did: await domain() }); a.answers = { document: (r) => drip(r) }; meet(a); } },
  'slow repositories': async () => { for (const a of await several(12, (i) => ({ at: 20 + i }))) { a.answers = { repo: (r) => drip(r) }; meet(a); } },
  // new accounts, each on a host of its own, whose repositories come at 12 kB a second and never end
  'dripping repositories': async (q) => {
    for (const a of await several(Number(q.get('n')), (i) => ({ at: 1 + i }))) {
      a.answers = { repo: (r) => { const timer = setInterval(() => r.write(Buffer.alloc(3000)), 250); r.on('close', () => clearInterval(timer)); } };
      meet(a);
    }
  },
  'slow logs': async () => { for (const a of await several(12)) { a.answers = { log: (r) => drip(r) }; meet(a); } },
  'endless repositories': async () => { for (const a of await several(4)) { twice(a, 'repo', endless); meet(a); } },
  'endless documents': async () => { for (let i = 0; i < 4; i++) { const a = await make({ did: await domain() }); twice(a, 'document', endless); meet(a); } },
  'endless logs': async () => { for (const a of await several(4)) { twice(a, 'log', endless); meet(a); } },
  'a document of 12 MB': async () => { const a = await make({ did: await domain() }); twice(a, 'document', (r) => json(r, `[${'[],'.repeat(4e6)}[]]`)); meet(a); return { did: a.did }; },
  'an error with U+0000': async () => { const a = await make(); a.answers = { repo: (r) => json(r, '{"error":"Repo\\u0000x"}', 400) }; meet(a); return { did: a.did }; },
  'an error of several lines': async () => { const a = await make(); a.answers = { repo: (r) => json(r, { error: 'x\n2026-01-01T00:00:00.000Z info progress frames=0 forged\x1b[2J' }, 400) }; meet(a); return { did: a.did }; },
  'an endpoint of 5,400 characters': async () => {
    const a = await make({ log: false });
    const made = await plc.createOp({ signingKey: a.key.did(), handle: 'long.example', pds: `https://h.example/${noise(5400)}`, rotationKeys: [a.rotation.did()], signer: a.rotation });
    const b = Object.assign(a, { did: made.did, log: [entry(made.did, made.op, Date.now() - 1e6)], answers: { repo: (r) => r.writeHead(500).end() } });
    byDid.set(b.did, b);
    meet(b);
    return { did: b.did };
  },
  // an origin as the database knows them, which is none for the program: several, so that they come with others
  'an endpoint that is no URL': async () => {
    for (const a of await several(4)) {
      await a.changeLog((o) => ({ ...o, services: { atproto_pds: { type: 'AtprotoPersonalDataServer', endpoint: 'https://999.1.1.1' } } }));
      meet(a);
    }
  },
  // lists that never end
  'a cyclic cursor': async () => { scene.list = (r, q) => json(r, { repos: [], cursor: q.get('cursor') === 'a' ? 'b' : 'a' }); },
  'a page of 100,000': async () => { scene.list = (r) => json(r, { repos: Array.from({ length: 1e5 }, () => ({ did: `did:plc:${noise(24)}`, rev: tid(), active: true })) }); },
  'invented in a list': async (q) => {
    const length = Number(q.get('n') ?? 1000);
    let n = 0;
    scene.list = (r) => { n++; return json(r, { repos: Array.from({ length }, () => ({ did: `did:plc:${noise(24)}`, rev: tid(), active: true })), ...(n < 3 ? { cursor: `n${n}` } : {}) }); };
  },
  invented: async (q) => { for (let i = 0; i < Number(q.get('n') ?? 2000); i++) { announce('#account', { did: `did:plc:${noise(24)}`, active: true }); if (i % 500 === 0) await sleep(1); } },
  // the stream
  'frames again': async () => { for (const [, data] of log.slice(-200)) for (const s of sockets) s.send(data); },
  'frames again, with new numbers': async () => {
    const a = pick(honest);
    const body = await commit(a);
    for (let i = 0; i < 20; i++) announce('#commit', body);
  },
  'withheld, then later ones': async () => { const a = pick(writers); await commit(a); announce('#commit', await commit(a)); },
  'a fork': async () => {
    const a = pick(writers);
    const before = a.repo;
    const body = await commit(a);
    announce('#commit', body);
    a.repo = before;
    a.entries = new Map([...a.entries].filter(([path]) => !body.ops.some((o) => o.path === path)));
    announce('#commit', await commit(a));
  },
  'a former key': async () => {
    const a = honest[2];
    const former = a.key;
    await a.changeKey(await P256Keypair.create());
    announce('#identity', { did: a.did });
    announce('#commit', await a.forged([post('by a former key')], former));
    announce('#commit', await commit(a));
    return { did: a.did };
  },
  "a commit in another's name": async () => {
    const a = pick(honest);
    const mallory = pick(writers);
    announce('#commit', await a.forged([post('by another')], mallory.key));
    announce('#commit', { ...await commit(mallory), repo: a.did });
    return { did: a.did };
  },
  'a number far ahead': async () => {
    send(frameOf('#identity', 9e10, { did: `did:plc:${noise(24)}` }), { keep: false });
  },
  // a commit of so many records of so many letters each, by the account of a number; answers with how many it has then
  many: async (q) => {
    const a = honest[Number(q.get('of') ?? 1)];
    const letters = Number(q.get('length') ?? 1);
    const text = (i) => String(i).padEnd(letters, 'x');
    announce('#commit', await commit(a, Array.from({ length: Number(q.get('n')) }, (none, i) => post(text(i)))));
    return { did: a.did, records: a.entries.size };
  },
  'a frame of 17 MB': async () => { seq++; send(frameOf('#future', seq, { x: Buffer.alloc(17e6) }), { keep: true }); },
  'a DID in a map': async () => { const did = 'did:web:v.example'; announce('#account', { did: { uri: `at://${did}/a.b.c/d` }, active: true }); return { did }; },
  'badly signed copies': async (q) => {
    const a = pick(writers);
    const body = await a.forged([post('never')], await Secp256k1Keypair.create());
    for (let i = 0; i < Number(q.get('n') ?? 2000); i++) { announce('#commit', { ...body, time: new Date(1.7e12 + i).toISOString() }); if (i % 500 === 0) await sleep(1); }
    return { did: a.did };
  },
  // A thief has one of two rotation keys, the lower. Within 72 hours the owner takes the account back.
  'a log that forks': async (q) => {
    const HOUR = 3.6e6;
    const owner = await Secp256k1Keypair.create();
    const thief = await Secp256k1Keypair.create();
    const key = await Secp256k1Keypair.create();
    const stolen = await Secp256k1Keypair.create();
    const made = await plc.createOp({ signingKey: key.did(), handle: 'owner.example', pds: host(5), rotationKeys: [owner.did(), thief.did()], signer: owner });
    const a = await make({ log: false, key });
    // its repository is that of the new DID
    const [b] = await Account.create({ did: made.did, key, first: [post('of the owner')] });
    Object.assign(b, { pds: host(5), rotation: owner, listed: false });
    byDid.delete(a.did);
    byDid.set(b.did, b);
    note(b);
    const first = entry(b.did, made.op, Date.now() - 200 * HOUR);
    const theft = await plc.createUpdateOp(made.op, thief, (o) => ({ ...o, rotationKeys: [thief.did()], verificationMethods: { atproto: stolen.did() }, alsoKnownAs: ['at://thief.example'] }));
    const back = await plc.createUpdateOp(made.op, owner, (o) => ({ ...o, rotationKeys: [owner.did()], alsoKnownAs: ['at://back.example'] }));
    const at = (hours) => Date.now() - 200 * HOUR + hours * HOUR;
    const after = Number(q.get('hours') ?? 24);
    b.log = q.has('thief') ? [first, { ...entry(b.did, back, at(10)), nullified: true }, entry(b.did, theft, at(20))]
      : [first, { ...entry(b.did, theft, at(10)), nullified: true }, entry(b.did, back, at(10 + after))];
    meet(b);
    return { did: b.did };
  },
  // the directory
  'the directory is away': async () => { scene.directory = (request) => request.socket.destroy(); },
  'the directory throttles': async () => { scene.directory = (request, response) => json(response, { message: 'slow down' }, 429, { 'retry-after': '2' }); },
  'the directory fails': async () => { scene.directory = (request, response) => response.writeHead(503, { 'content-type': 'text/html' }).end('x'.repeat(20000)); },
  'the directory is slow': async () => { scene.directory = (request, response) => drip(response, '['); },
  'the directory knows nobody': async () => { scene.directory = (request, response) => json(response, { message: 'no' }, 404); },
  cut: async () => { for (const s of sockets) s.terminate(); },
};

// --- what the test asks for -------------------------------------------------------------------------

const control = {
  kinds: async () => Object.fromEntries(Object.entries(kinds).map(([k, list]) => [k, list.length])),
  arm: async (q) => {
    const of = q.get('of')?.split(',');
    const some = [];
    for (let i = 0; i < cases.length && some.length < Number(q.get('n')); i++) {
      if (of && !of.includes(cases[i].kind)) continue;
      some.push(...cases.splice(i--, 1));
    }
    for (const c of some) { armed.add(c); await c.arm(c); }
    return { names: some.map((c) => c.name) };
  },
  pending: async () => ({ names: [...armed].map((c) => c.name) }),
  forget: async () => { armed.clear(); pages.all.length = 0; pages.signal.length = 0; entries.length = 0; serverAnswers.length = 0; return {}; },
  post: async () => {
    const a = pick(honest.slice(0, 2));
    const body = await commit(a);
    announce('#commit', body);
    return { did: a.did, uri: `at://${a.did}/${body.ops[0].path}`, cid: body.ops[0].cid.toString() };
  },
  newcomer: async () => {
    const a = await make({ at: 0, n: 2, is: true });
    announce('#identity', { did: a.did, handle: 'n.example' });
    meet(a);
    announce('#commit', a.first);
    return { did: a.did };
  },
  // a new key of an account that is known, and what it writes then
  rotate: async () => {
    const a = honest[3];
    await a.changeKey(await Secp256k1Keypair.create());
    announce('#identity', { did: a.did });
    const body = await commit(a);
    announce('#commit', body);
    return { did: a.did, uri: `at://${a.did}/${body.ops[0].path}` };
  },
  // the first is a labeler, too
  label: async (q) => { const l = await labelOf({ val: q.get('val') }); sendLabels(cbor.encode({ seq: ++labelSeq, labels: [l] })); return {}; },
  scene: async (q) => await scenes[q.get('name')](q) ?? {},
  scenes: async () => ({ names: Object.keys(scenes) }),
  calm: async () => {
    scene = {};
    for (const a of byDid.values()) if (a.honest) a.answers = undefined;
    return {};
  },
  away: async (q) => {
    scene.away = q.get('of').split(',');
    if (scene.away.includes('directory')) scene.directory = (request) => request.socket.destroy();
    return {};
  },
  spread: async (q) => {
    const dids = [];
    for (let i = 0; i < Number(q.get('n')); i++) {
      const at = 30 + (spread++ % 30);
      const a = await make({ did: q.has('web') ? `did:web:127.0.0.${2 + at}%3A${port}` : undefined, at, is: true });
      meet(a);
      dids.push(a.did);
    }
    return { dids };
  },
  noise: async (q) => {
    for (let i = 0; i < Number(q.get('n')); i++) send(Buffer.from([0xff, serial++ & 255, i]), { keep: false });
    return {};
  },
  forge: async (q) => {
    for (let i = 0; i < Number(q.get('n')); i++) {
      const l = await labelOf({ val: `forged${i}` });
      sendLabels(cbor.encode({ seq: ++labelSeq, labels: [{ ...l, val: 'other' }] }));
    }
    return {};
  },
  mark: async () => ({ seq: announce('#identity', { did: honest[0].did }) }),
  walk: async (q) => {
    const played = {};
    for (let i = 0; i < Number(q.get('n')); i++) {
      const step = pick(STEPS);
      const a = pick(honest.slice(2));
      played[step] = (played[step] ?? 0) + 1;
      await WALK[step](a);
      await sleep(below(5));
    }
    return played;
  },
  state: async () => ({ ...count, seq, accounts: byDid.size, honest: honest.length, sockets: sockets.size, left: cases.length }),
  truth: async () => {
    const lines = [];
    for (const a of honest) {
      lines.push(`account\t${a.did}\t${a.repo.commit.rev}\t${a.key.did()}\t${a.active}`);
      if (a.active) for (const [path, cid] of a.entries) lines.push(`record\tat://${a.did}/${path}\t${cid}\t\t`);
    }
    for (const line of own.keys()) lines.push(`own\t${line}\t\t`);
    return { lines };
  },
};

// Steps of a walk, by their weight.
const WALK = {
  commit: async (a) => { if (a.active) announce('#commit', await commit(a)); },
  'edit or delete': async (a) => {
    if (!a.active || a.entries.size < 2) return;
    const path = pick([...a.entries.keys()]);
    announce('#commit', await commit(a, [below(2) ? { action: WriteOpAction.Delete, ...split(path) } : { ...post(), action: WriteOpAction.Update, ...split(path) }]));
  },
  'sleep or wake': async (a) => { a.active = !a.active; announce('#account', { did: a.did, active: a.active, ...(a.active ? {} : { status: 'deactivated' }) }); if (a.active) announce('#commit', await commit(a)); },
  'new key': async (a) => { if (a.active) { await a.changeKey(await Secp256k1Keypair.create()); announce('#identity', { did: a.did }); announce('#commit', await commit(a)); } },
  newcomer: async () => { if (honest.length < 30) await control.newcomer(); },
  cases: async () => { await control.arm(new URLSearchParams(`n=${1 + below(4)}&of=log,document,status,error,header,frame,error frame,raw frame,repository`)); },
  scene: async () => { scene = {}; await scenes[pick(Object.keys(scenes).filter((s) => !/^a (number far|frame of|page of|former key|cyclic)|again, with|^invented/.test(s)))](new URLSearchParams('n=200')); },
  calm: async () => { scene = {}; },
  wait: async () => sleep(100),
};
const STEPS = Object.entries({ commit: 30, 'edit or delete': 15, 'sleep or wake': 4, 'new key': 3, newcomer: 1, cases: 10, scene: 4, calm: 4, wait: 5 }).flatMap(([step, weight]) => Array(weight).fill(step));

const server = createServer(serve);
const wss = new WebSocketServer({ server, perMessageDeflate: { threshold: 0 } });
wss.on('connection', (socket, request) => {
  socket.on('error', () => {});
  if (socket.extensions) count.compressed++;
  const labels = request.url.includes('subscribeLabels');
  const of = labels ? labelSockets : sockets;
  count.connections++;
  socket.on('close', () => of.delete(socket));
  const cursor = new URL(request.url, 'http://localhost').searchParams.get('cursor');
  if (cursor !== null && !labels) for (const [n, data] of log) if (n > Number(cursor)) socket.send(data);
  of.add(socket);
});

const listening = (s, ...at) => new Promise((resolve, reject) => { s.on('error', reject).listen(...at, () => resolve(s.address().port)); });
port = await listening(server, 0, '127.0.0.1');
for (let i = 0; i < hosts; i++) await listening(createServer(serve), port, `127.0.0.${2 + i}`);
directoryPort = await listening(createServer(directory), 0, '127.0.0.1');
for (let i = 0; i < 4; i++) await make({ at: 0, n: 5, is: true });
const [labeler] = honest;
labeler.labels = await Secp256k1Keypair.create();
await labeler.changeLog((o) => ({ ...o, verificationMethods: { ...o.verificationMethods, atproto_label: labeler.labels.did() } }));
for (let i = 0; i < 8; i++) { writers.push(await make({ at: 1, n: 2 })); writers.at(-1).listed = true; }
cases = shuffled(Object.values(kinds).flat());
console.log(`port ${port} ${directoryPort}`);
process.stdin.on('end', () => process.exit()).resume();
