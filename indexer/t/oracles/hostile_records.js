// A network for indexer/t/hostile_records.pl: a relay with a PLC directory, and accounts that sign whatever bytes they like as
// records.
//
//   node hostile_records.js SEED PLACES FOLDER     writes FOLDER/lexicons.json, prints "port N", and serves there until its
//                                                  input ends
//
//   /emit         what is not in the repositories yet is written and announced; answers with how many frames that takes
//   /truth        all records, as lines for COPY: uri, cid, what it is, and if it is an honest one, the record as JSON
//
// A case is a block. Of each strange value there is one that has it in every property of a type, and, PLACES of them, as
// the seed chooses, some of other types, and some that have it in one property only; others are strange as a whole, or by
// their key. Each is in two repositories: in one that is loaded, and in one whose stream brings it, in commits that have
// an honest record too.
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { BlockMap, WriteOpAction, blocksToCarFile } from '@atproto/repo';
import * as cbor from '@ipld/dag-cbor';
import { CID } from 'multiformats/cid';
import { WebSocketServer } from 'ws';
import { Account, cidOfBlock, frameOf, link, split } from './accounts.js';
import { chance } from './chance.js';
import { cborValues } from './strange.js';

const [seed, places] = process.argv.slice(2, 4).map(Number);
const folder = process.argv[4];
const { bytes, shuffled } = chance(seed);
const hex = (text) => Buffer.from(text, 'hex');
const noise = (n) => Buffer.from(bytes(Math.ceil(n / 2))).toString('hex').slice(0, n);
const enc = (value) => Buffer.from(cbor.encode(value));
const RAW = CID.parse('bafkreiccldh766hwcnuxnf2wh6jgzepf2nlu2lvcllt63eww5p6chi4ity');

// --- the Lexicons -----------------------------------------------------------------------------------

const THING = 'com.example.thing';
const PROFILE = 'com.example.profile';
const NAMES = 'com.example.names';
const string = (more = {}) => ({ type: 'string', ...more });
const PROPERTIES = {
  text: string(), short: string({ maxLength: 20 }), long: string({ maxLength: 3000 }), kind: string({ knownValues: ['a', 'b'] }),
  n: { type: 'integer' }, ok: { type: 'boolean' }, at: string({ format: 'datetime' }), createdAt: string({ format: 'datetime' }),
  to: string({ format: 'at-uri' }), who: string({ format: 'did' }), tid: string({ format: 'tid' }), cid: string({ format: 'cid' }),
  link: { type: 'cid-link' }, picture: { type: 'blob' }, langs: { type: 'array', items: string() }, raw: { type: 'bytes' }, any: { type: 'unknown' },
  one: { type: 'union', refs: ['#node'] }, node: { type: 'ref', ref: '#node' }, subject: { type: 'ref', ref: '#strong' },
};
const node = { type: 'object', properties: { name: string(), number: { type: 'integer' }, child: { type: 'ref', ref: '#node' } } };
const strong = { type: 'object', properties: { uri: string({ format: 'at-uri' }), cid: string({ format: 'cid' }) } };
// Names like those of our columns, of each other after all that is done to a name, of the API, and no names at all.
const ODD = ['uri', 'did', 'rkey', 'cid', 'sort_at', 'sortAt', 'conforms', 'hidden', 'author_handle', 'id', 'nodeId', 'rowId', 'query', 'aB', 'a_b', 'a-b', 'aB2', 'AB',
  '', '%s', '"', "'", '\\', '{}', ',', '2fa', '2_fa', '__typename', '@omit', 'grüße', '漢字', 'a\nb', 'accountByDid', 'null', 'rank', 'true', 'select', 'constructor',
  '__proto__', 'x'.repeat(60), `${'x'.repeat(60)}y`, `${'x'.repeat(60)}Y`];
const odd = Object.fromEntries(ODD.map((name, i) => [name, string(i % 3 ? { maxLength: 100 } : { format: i % 2 ? 'did' : 'at-uri' })]));
const type = (id, key, properties, more = {}) => ({ lexicon: 1, id, defs: { main: { type: 'record', key, record: { type: 'object', properties } }, ...more } });
const documents = [
  type(THING, 'any', PROPERTIES, { node, strong }),
  type(PROFILE, 'literal:self', { displayName: string({ maxLength: 640 }), avatar: { type: 'blob' }, createdAt: string({ format: 'datetime' }) }),
  type(NAMES, 'any', odd),
  // and names of types that the API makes of another
  ...['things', ...['Connection', 'Edge', 'Filter', 'Condition', 'OrderBy', 'Column', 'Input', 'Patch'].flatMap((of) => [`thing${of}`, `thingMine${of}s`]), 'thingMine', 'thingPatches'].map((name) => type(`com.example.${name}`, 'any', { text: string() })),
];

// --- records ----------------------------------------------------------------------------------------

// A map of values that are encoded already, in the order that DAG-CBOR wants.
function mapOf(values) {
  const keys = Object.keys(values).sort((a, b) => Buffer.byteLength(a) - Buffer.byteLength(b) || Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const n = keys.length;
  return Buffer.concat([n < 24 ? Buffer.from([0xa0 | n]) : n < 256 ? Buffer.from([0xb8, n]) : Buffer.from([0xb9, n >> 8, n & 255]), ...keys.flatMap((k) => [enc(k), values[k]])]);
}
const encoded = (record) => Object.fromEntries(Object.entries(record).map(([k, v]) => [k, enc(v)]));
const asJson = (v) => {
  if (CID.asCID(v)) return { $link: v.toString() };
  if (ArrayBuffer.isView(v)) return { $bytes: Buffer.from(v).toString('base64').replace(/=+$/, '') };
  if (Array.isArray(v)) return v.map(asJson);
  return v !== null && typeof v === 'object' ? Object.fromEntries(Object.entries(v).map(([k, x]) => [k, asJson(x)])) : v;
};

let serial = 0;
const S32 = '234567abcdefghijklmnopqrstuvwxyz';
const tid = () => {
  let text = '';
  for (let n = BigInt(1.7e15 + 1000 * ++serial) << 10n, i = 0; i < 13; i++, n >>= 5n) text = S32[Number(n & 31n)] + text;
  return text;
};
const blob = { $type: 'blob', ref: RAW, mimeType: 'image/png', size: 100 };
function thing() {
  const uri = `at://did:web:a${++serial}.example/${THING}/x`;
  return { $type: THING, serial, text: `honest cats ${serial}`, short: `honest ${serial}`, long: `honest ${serial}`, kind: `kind ${serial}`, n: serial, ok: serial % 2 === 0,
    at: new Date(1.7e12 + 1000 * serial).toISOString(), createdAt: new Date(1.7e12 + 1000 * serial).toISOString(), to: uri, who: `did:web:a${serial}.example`, tid: tid(),
    cid: RAW.toString(), link: RAW, picture: blob, langs: ['en', `x-${serial}`], raw: new Uint8Array([1, 2, 3]), any: { serial }, one: { $type: `${THING}#node`, name: 'one' },
    node: { name: `node ${serial}`, number: serial, child: { name: 'child', number: serial } }, subject: { uri, cid: RAW.toString() } };
}
const profile = () => ({ $type: PROFILE, displayName: `honest ${++serial}`, avatar: blob, createdAt: new Date(1.7e12).toISOString() });
function names() {
  serial++;
  const values = ODD.map((name, i) => [name, i % 3 ? `honest ${serial} ${i}` : i % 2 ? `did:web:a${i}.example` : `at://did:web:a${i}.example`]);
  return Object.fromEntries([['$type', NAMES], ['serial', serial], ...values]);
}

// --- cases ------------------------------------------------------------------------------------------

const text = enc;
const words = (n, of) => Array.from({ length: n }, of).join(' ');
const VALUES = [
  ...cborValues('x', noise),
  ...['1b7fffffffffffffff', '1b8000000000000000', '3b7fffffffffffffff', '3b8000000000000000', '3bffffffffffffffff', 'f93e00', 'fa3f800000', 'fb3ff0000000000000', 'fb8000000000000000',
    'fb7ff0000000000000', 'f97e00', 'f8ff', 'e0', '62ffff', '7b7fffffffffffffff41', '78016100', '62c080', '9fff', 'bfff', '7f6161ff', 'd82a4500', 'd82a42ff', 'd82a4100', 'd82af6', 'd82a613f',
    'd9d9f7a0', 'a2616101616101', 'a2616201616101', 'a10101', 'a1f6f6', 'a161000f', '82ff', '9803010203'].map((h) => [h, hex(h)]),
  ...['[7,8]', 'true', '7', 'null', '{}', '2999-01-01T00:00:00Z', '0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59-23:59', '0001-01-01T00:00:00+23:59', '2026-02-30T00:00:00Z',
    'infinity', '-infinity', 'now', 'epoch', '2026-01-01T23:59:60Z', '2026-01-01T24:00:00Z', '294277-01-01T00:00:00Z', '4714-01-01T00:00:00Z BC', 'at://', 'at://a', 'at://did:web:', 'at://handle.example',
    'at://did:web:a.b/com.example.thing/..', 'at://did:web:a.b/com.example.thing/x#y', 'did:', 'did:web:a.b#x', 'did:web:A.B', 'zzzzzzzzzzzzz', '3JZFCIJPJ2Z2A', '3jzfcijpj2z2', `${RAW}x`, RAW.toString().toUpperCase(),
    'QmbWqxBEKC3P8tqsKc98xmWNzrzDtRLMiMPL8wBuTGsMnR', '<script>alert(1)</script>', "'; DROP TABLE record; --", '%s %1$s %', '\\', '\\u0000', '\u2028@omit', '\u202e', 'e\u0301'.repeat(5000), '👩‍👩‍👧‍👦'.repeat(1000),
    '- -x "y', 'a:*&|!()<->', '@omit\n@name x', '\t\r\n', ' '].map((t) => [t.slice(0, 30), text(t)]),
  // lengths about the bounds of URIs, DIDs, texts, words and entries of an index, of noise, which does not compress
  ...[503, 504, 505, 512, 1000, 1001, 1183, 1184, 1200, 1201, 2038, 2046, 2047, 2048, 2700, 2900, 3000, 3001, 8192, 41000, 300000].map((n) => [`${n} of noise`, text(noise(n))]),
  ...[495, 504, 505, 1000, 2040, 3000].map((n) => [`a DID of ${n + 8}`, text(`did:web:${noise(n)}`)]),
  ...[500, 1000, 1150, 1187, 1188, 2000, 2040].map((n) => [`a URI of about ${n}`, text(`at://did:web:${noise(n - 100)}/com.example.thing/${noise(69)}`)]),
  ['a URI of all limits', text(`at://did:web:${noise(2040)}/${Array.from({ length: 7 }, () => `a${noise(30)}`).join('.')}.bcd/${noise(512)}`)],
  ['300 kB of a', text('a'.repeat(300000))], ['words', text(words(60000, () => 'a'))], ['20,000 different words', text(words(20000, () => noise(6)))], ['hyphens', text(Array.from({ length: 15000 }, () => noise(2)).join('-'))],
  ['dots', text(Array.from({ length: 15000 }, () => noise(2)).join('.'))], ['slashes', text(Array.from({ length: 15000 }, () => noise(2)).join('/'))], ['signs', text('@'.repeat(40000))], ['tags', text('<a '.repeat(15000))],
  ['languages', enc(['xx', 5, null, { en: 1 }, 'en'.repeat(50000)])], ['a language in an array', enc([['en']])], ['100,000 items', Buffer.concat([hex('9a000186a0'), Buffer.alloc(100000, 1)])],
  ...[400, 508, 509, 510, 511, 512, 513].map((n) => [`${n} arrays`, Buffer.concat([Buffer.alloc(n, 0x81), hex('80')])]), ['400 maps', Buffer.concat([...Array(400).fill(hex('a16161')), hex('a0')])],
  ['{"$link": text}', enc({ $link: RAW.toString() })], ['{"$link": 5}', enc({ $link: 5 })], ['{"$bytes": 1}', enc({ $bytes: 1 })], ['{"uri": 5}', enc({ uri: 5, cid: 5 })], ['{"uri": {}}', enc({ uri: { uri: `at://did:web:a.b/${THING}/x` } })],
  ['a strong reference', enc({ uri: `at://did:web:a.b/${THING}/x`, cid: RAW.toString() })], ['a link', enc(RAW)], ['a link of 1 kB', Buffer.concat([hex('d82a590405000155008008'), Buffer.alloc(1024)])],
  ['a link of CIDv0', Buffer.concat([hex('d82a5823001220'), Buffer.alloc(32)])], ['a link of SHA-512', Buffer.concat([hex('d82a58450001551340'), Buffer.alloc(64)])],
  ['a blob', enc(blob)], ...[{ ref: RAW.toString() }, { ref: { $link: RAW.toString() } }, { ref: null }, { ref: 5 }, { ref: [RAW] }, { ref: { ref: RAW } }, { size: -1 }, { size: '100' }, { mimeType: noise(5000) }, { $type: 7 },
    { cid: 'x"><&did=y' }].map((part) => [`a blob with ${JSON.stringify(asJson(part)).slice(0, 40)}`, enc({ ...blob, ...part })]),
  ['a blob of old', enc({ cid: RAW.toString(), mimeType: 'image/png' })], ['a blob of old, with another cid', enc({ cid: 'x"><&did=y', mimeType: 'image/png' })],
];
const cases = [];
const of = (collection, properties, [what, value], label) => ({
  what: `${collection}: ${label} ${what}`, collection, ...(collection === PROFILE ? { key: 'self' } : { fresh: true }),
  block: () => mapOf({ ...(properties.whole ? {} : encoded(properties.honest())), ...encoded({ $type: collection, serial: ++serial }),
    ...(typeof value === 'symbol' ? {} : Object.fromEntries(properties.names.map((name) => [name, value]))) }),
});
// A text that is long is not put into all properties: a record has 1 MB in a stream. Each view reads a record once for each
// column, so with few places it is put into three, or as many as 200 kB have room for.
const MOST = 1e6;
const ROOM = places < 1000 ? 0.2 * MOST : 0.95 * MOST;
const isFirst = (name) => /^(text|langs|any|long|displayName|avatar|uri|rank)$/.test(name);
const few = ([, value], names) => [...names].sort((a, b) => isFirst(b) - isFirst(a)).slice(0, Math.max(1, Math.floor(ROOM / (value.length || 1)), Math.min(3, Math.floor((0.95 * MOST) / (value.length || 1)))));
const everywhere = (collection, names) => VALUES.map((v) => of(collection, { whole: true, names: few(v, names) }, v, 'everywhere'));
cases.push(...everywhere(THING, Object.keys(PROPERTIES)), ...shuffled([...everywhere(PROFILE, ['displayName', 'avatar', 'createdAt']), ...everywhere(NAMES, ODD),
  ...VALUES.flatMap((v) => Object.keys(PROPERTIES).map((name) => of(THING, { honest: thing, names: [name] }, v, name)))]).slice(0, places));
for (const [i, what] of ['', 'ff', 'f6', '80', '01', '60', 'a0', 'a1', 'a16161', 'a161610100', 'a0a0', 'a2616101616102', 'a2616201616101', 'a10101', 'bf616101ff', 'd9d9f7a0', 'fb7ff8000000000000', 'f7', 'd82a4500',
  '81', '7b7fffffffffffffff', 'bb7fffffffffffffff', '9bffffffffffffffff'].entries()) cases.push({ what: `a block ${what}`, collection: i % 5 ? THING : PROFILE, block: () => hex(what) });
for (const [what, block] of [['10,000 arrays', Buffer.concat([Buffer.alloc(10000, 0x81), hex('80')])], ['1 MB of noise', Buffer.from(bytes(MOST))], ['a text of 1 MB', text(noise(MOST - 10))], ['4 MB', text('x'.repeat(4 * MOST))], ['JSON', Buffer.from('{"$type": "com.example.thing"}')],
  ['20,000 keys', mapOf(Object.fromEntries(Array.from({ length: 20000 }, (_, i) => [`k${i}`, hex('01')])))], ['a key of 100 kB', mapOf({ [noise(100000)]: hex('01') })], ['a text of 1 MB as text', mapOf({ text: text(noise(MOST - 20)) })], ['a text of 3 MB as text', mapOf({ text: text(noise(3 * MOST)) })]])
  cases.push({ what, collection: THING, block: () => block });
for (const t of ['com.example.other', PROFILE, '', 7, null, ['com.example.thing'], `${THING}#main`, ` ${THING}`])
  cases.push({ what: `the type ${t}`, collection: THING, block: () => enc({ ...thing(), $type: t }) });
for (const key of ['y'.repeat(512), 'self', 'Self', 'a:b', '_~.-:', '0', '-', tid().toUpperCase()])
  cases.push({ what: `the key ${key.slice(0, 20)}`, collection: THING, key, block: () => enc(thing()) });
for (const key of ['Self', 'self2', 'selfself', '-self', 'x'.repeat(512)]) cases.push({ what: `a profile ${key.slice(0, 20)}`, collection: PROFILE, key, block: () => enc(profile()) });
for (const collection of ['com.example.things', 'com.example.Thing', 'com.example.thing.more', 'org.example.thing'])
  cases.push({ what: `the collection ${collection}`, collection, block: () => enc({ ...thing(), $type: THING }) });

// --- accounts ---------------------------------------------------------------------------------------

// A record that is its block: @atproto/repo would not encode it.
class Block {
  constructor(block, honest) {
    Object.assign(this, { block, honest });
  }
}
const addBlock = BlockMap.prototype.add;
BlockMap.prototype.add = function (value) {
  if (!(value instanceof Block)) return addBlock.call(this, value);
  const cid = cidOfBlock(value.block);
  this.set(cid, value.block);
  return cid;
};
const honest = (record) => new Block(enc(record), record);
const write = (action, collection, rkey, record) => ({ action, collection, rkey, record });
const { Create, Update, Delete } = WriteOpAction;

const accounts = [];
const truth = new Map(); // URI: [CID, what, record]
async function commit(a, list) {
  const prevData = a.repo.commit.data;
  const made = await a.repo.formatCommit(list, a.key);
  a.repo = await a.repo.applyCommit(made);
  const ops = list.map(({ action, collection, rkey, record, what }) => {
    const path = `${collection}/${rkey}`;
    const cid = record ? cidOfBlock(record.block) : null;
    const prev = a.entries.get(path);
    if (cid) {
      a.entries.set(path, cid);
      truth.set(`at://${a.did}/${path}`, [cid, what ?? 'honest', record.honest]);
    } else {
      a.entries.delete(path);
      truth.delete(`at://${a.did}/${path}`);
    }
    return { action, path, cid, ...(prev ? { prev } : {}) };
  });
  return { rebase: false, tooBig: false, repo: a.did, commit: link(made.cid), rev: made.rev, since: made.since, prevData: link(prevData), blobs: [], ops,
    blocks: Buffer.from(await blocksToCarFile(made.cid, made.relevantBlocks)) };
}

async function account(first = [], other = first) {
  const [a] = await Account.create({ handle: `a${accounts.length}.example`, pds: `http://127.0.0.1:${port}` });
  accounts.push(a);
  const mayHave = !other.some((w) => w.collection === PROFILE && w.rkey === 'self');
  await commit(a, [...(mayHave ? [write(Create, PROFILE, 'self', honest(profile()))] : []), write(Create, THING, tid(), honest(thing())), write(Create, NAMES, tid(), honest(names())), ...first]);
  return a;
}
const strange = (c) => ({ ...write(Create, c.collection, c.key ?? tid(), new Block(c.block())), what: c.what, again: c.fresh && (() => new Block(c.block())) });

// Some cases at a time: not too many bytes for a frame, and no key twice.
function* parts(list) {
  let part = [];
  let size = 0;
  for (const c of list) {
    const w = strange(c);
    if (part.length && (part.length === 8 || size + w.record.block.length > 1.2 * MOST || part.some((o) => (o.collection === w.collection && o.rkey === w.rkey) || o.record.block.equals(w.record.block)))) {
      yield part;
      [part, size] = [[], 0];
    }
    part.push(w);
    size += w.record.block.length;
  }
  yield part;
}

// --- the relay --------------------------------------------------------------------------------------

let seq = 1000;
const log = [];
const sockets = new Set();
function announce(body) {
  seq++;
  const frame = frameOf('#commit', seq, body);
  log.push([seq, frame]);
  for (const s of sockets) s.send(frame);
}

// What the second half of the accounts writes: strange records next to an honest one; an honest one that becomes strange,
// a strange one that becomes honest, and one that goes.
const streamed = [];
async function emit() {
  let frames = 0;
  const say = async (a, list) => {
    announce(await commit(a, list));
    frames++;
  };
  for (const [a, part] of streamed.splice(0)) {
    const [turns, back, gone] = [tid(), tid(), tid()];
    await say(a, [write(Create, THING, tid(), honest(thing())), write(Create, THING, turns, honest(thing())), ...part]);
    const one = part.find((w) => w.again && w.collection === THING && w.record.block.length < MOST / 2);
    if (!one) continue;
    const { again, what } = one;
    await say(a, [{ ...write(Update, THING, turns, again()), what: `${what}, as an edit` }, { ...write(Create, THING, back, again()), what }, { ...write(Create, THING, gone, again()), what }]);
    await say(a, [write(Update, THING, back, honest(thing())), write(Delete, THING, gone)]);
  }
  return frames;
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url, 'http://localhost');
  const json = (value) => response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
  const a = accounts.find((x) => x.did === (url.searchParams.get('did') ?? url.pathname.split('/')[1]));
  const method = url.pathname.replace('/xrpc/com.atproto.sync.', '');
  try {
    if (method === '/emit') return json({ frames: await emit() });
    if (method === '/truth') {
      for (const [uri, [cid, what, record]] of truth)
        response.write(`${[uri, cid, what.replace(/[^\x20-\x7e]/g, '?'), record ? JSON.stringify(asJson(record)) : '\\N'].map((c) => (c === '\\N' ? c : String(c).replaceAll('\\', '\\\\'))).join('\t')}\n`);
      return response.end();
    }
    if (method === 'listRepos') return json({ repos: accounts.map((x) => ({ did: x.did, head: x.repo.cid.toString(), rev: x.repo.commit.rev, active: true })) });
    if (!a) return response.writeHead(404).end();
    if (method === 'getRepo') return response.end(await a.car());
    if (method === 'getRepoStatus') return json({ did: a.did, active: true, rev: a.repo.commit.rev });
    if (url.pathname.endsWith('/log/audit')) return json(a.log);
    return response.writeHead(501).end();
  } catch (e) {
    console.error(e);
    return response.writeHead(500).end(e.message);
  }
});
new WebSocketServer({ server }).on('connection', (socket, request) => {
  const cursor = new URL(request.url, 'http://localhost').searchParams.get('cursor');
  socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  if (cursor !== null) for (const [n, frame] of log) if (n > Number(cursor)) socket.send(frame);
  sockets.add(socket);
});
await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
const { port } = server.address();
writeFileSync(`${folder}/lexicons.json`, JSON.stringify(documents));
for (const part of parts(cases)) await account(part);
for (const part of parts(cases.filter((c) => c.block().length <= MOST))) streamed.push([await account([], part), part]);
console.log(`port ${port} ${cases.length} ${accounts.length}`);
process.stdin.on('end', () => process.exit()).resume();
