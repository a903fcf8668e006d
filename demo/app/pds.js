// A small network for script/demo --app, script/demo --feed and their tests: a PDS with some people who write statuses, or
// posts, and the PLC directory that has their logs. It also serves the page of examples/statusphere. It needs only Node
// and the package ws.
//
//   node pds.js PAGE [SECONDS [posts]]   serves on a free port, which it prints, until its input ends. Every SECONDS
//                                 (default 2; 0 for never) somebody writes a status; with posts, a post or a like
//
//   POST /write?n=0&status=X      the n-th of the people writes this status, or a post
//   GET /token?n=0&aud=X&lxm=X    a service token of the n-th of the people
//
// Each commit makes the repository of its account again, and contains all of it: so the code is short, and for a few
// hundred records only.
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { crc32, deflateSync } from 'node:zlib';
import { WebSocketServer } from 'ws';

const [page, seconds = '2', kind = 'statuses'] = process.argv.slice(2);
const PEOPLE = ['ada', 'bela', 'chidi', 'dao', 'elif', 'femi', 'gaia', 'hiro'];
const STATUSES = [...'👍🦋🚀🍋🌱🔥🎈🐙'];
const STATUS = 'xyz.statusphere.status';
const PROFILE = 'app.bsky.actor.profile';
const [POST, LIKE, FOLLOW] = ['app.bsky.feed.post', 'app.bsky.feed.like', 'app.bsky.graph.follow'];
const BEGINNINGS = ['I have seen', 'Who has lost', 'Nobody can sleep next to', 'Today I met', 'A song about'];
const THINGS = ['two cats', 'a cat', 'a heron', 'my neighbour', 'the last bus', 'a category', 'some rain', 'an old map'];

// --- bytes: base32, base58, CIDs, DAG-CBOR, CAR ---

const sha256 = (bytes) => createHash('sha256').update(bytes).digest();
function base32(bytes) {
  const bits = [...bytes].map((b) => b.toString(2).padStart(8, '0')).join('');
  return bits.replace(/.{1,5}/g, (five) => 'abcdefghijklmnopqrstuvwxyz234567'[parseInt(five.padEnd(5, '0'), 2)]);
}
function base58(bytes) {
  let text = '';
  for (let n = BigInt(`0x${bytes.toString('hex')}`); n > 0n; n /= 58n)
    text = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'[n % 58n] + text;
  return text;
}
class Cid {
  constructor(block, codec = 0x71) {
    this.bytes = Buffer.concat([Buffer.from([1, codec, 0x12, 32]), sha256(block)]);
  }
  toString() {
    return `b${base32(this.bytes)}`;
  }
  toJSON() {
    return { $link: this.toString() };
  }
}
function head(major, n) {
  if (n < 24) return Buffer.from([(major << 5) | n]);
  const size = [1, 2, 4].find((s) => n < 2 ** (8 * s)) ?? 8;
  const bytes = Buffer.alloc(1 + size);
  bytes[0] = (major << 5) | (24 + Math.log2(size));
  if (size === 8) bytes.writeBigUInt64BE(BigInt(n), 1);
  else bytes.writeUIntBE(n, 1, size);
  return bytes;
}
function cbor(v) {
  if (v === null) return Buffer.from([0xf6]);
  if (typeof v === 'boolean') return Buffer.from([v ? 0xf5 : 0xf4]);
  if (typeof v === 'number') return v < 0 ? head(1, -1 - v) : head(0, v);
  if (typeof v === 'string') return Buffer.concat([head(3, Buffer.byteLength(v)), Buffer.from(v)]);
  if (v instanceof Cid) return Buffer.concat([head(6, 42), head(2, v.bytes.length + 1), Buffer.from([0]), v.bytes]);
  if (Buffer.isBuffer(v)) return Buffer.concat([head(2, v.length), v]);
  if (Array.isArray(v)) return Buffer.concat([head(4, v.length), ...v.map(cbor)]);
  const keys = Object.keys(v).filter((k) => v[k] !== undefined);
  keys.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  return Buffer.concat([head(5, keys.length), ...keys.flatMap((k) => [cbor(k), cbor(v[k])])]);
}
function varint(n) {
  return n < 128 ? Buffer.from([n]) : Buffer.concat([Buffer.from([(n % 128) + 128]), varint(Math.floor(n / 128))]);
}
const car = (root, blocks) =>
  Buffer.concat([
    ...[cbor({ roots: [root], version: 1 })].flatMap((b) => [varint(b.length), b]),
    ...blocks.flatMap(([cid, b]) => [varint(cid.bytes.length + b.length), cid.bytes, b]),
  ]);

// --- keys: P-256 ---

const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
class Key {
  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x, y } = publicKey.export({ format: 'jwk' });
    const sign = 2 + (Buffer.from(y, 'base64url').at(-1) & 1);
    this.privateKey = privateKey;
    this.did = `did:key:z${base58(Buffer.concat([Buffer.from([0x80, 0x24, sign]), Buffer.from(x, 'base64url')]))}`;
  }
  sign(bytes) {
    const both = sign('sha256', bytes, { key: this.privateKey, dsaEncoding: 'ieee-p1363' });
    const s = BigInt(`0x${both.subarray(32).toString('hex')}`);
    if (s > ORDER / 2n) both.write((ORDER - s).toString(16).padStart(64, '0'), 32, 'hex'); // of two, the lower one
    return both;
  }
}

// --- repositories ---

// The tree of a repository: its root, and its blocks are added to blocks.
function tree(entries, blocks) {
  const layerOf = ([key]) => Math.floor(Math.clz32(sha256(key).readUInt32BE()) / 2);
  const node = (list, layer) => {
    const made = { l: null, e: [] };
    let between = [];
    let before = '';
    const close = () => {
      const below = between.length ? node(between, layer - 1) : null;
      if (made.e.length) made.e.at(-1).t = below;
      else made.l = below;
      between = [];
    };
    for (const entry of list) {
      if (layerOf(entry) < layer) {
        between.push(entry);
        continue;
      }
      close();
      const [key, cid] = entry;
      let p = 0;
      while (p < before.length && before[p] === key[p]) p++;
      made.e.push({ p, k: Buffer.from(key.slice(p)), v: cid, t: null });
      before = key;
    }
    close();
    const block = cbor(made);
    const cid = new Cid(block);
    blocks.push([cid, block]);
    return cid;
  };
  return node(entries, Math.max(0, ...entries.map(layerOf)));
}

let last = 0n;
function tid() {
  const now = (BigInt(Date.now()) * 1000n) << 10n;
  last = now > last ? now : last + 1024n;
  return Array.from({ length: 13 }, (_, i) => '234567abcdefghijklmnopqrstuvwxyz'[Number((last >> BigInt(60 - 5 * i)) & 31n)]).join('');
}

// A picture of its own for each name, 10 by 10.
function picture(name) {
  const hash = sha256(name);
  const color = [hash[0], hash[1], hash[2]].map((c) => 80 + (c >> 1));
  const rows = Array.from({ length: 10 }, (_, y) =>
    Buffer.from([0, ...Array.from({ length: 10 }, (_, x) => {
      const cell = 5 * (y >> 1) + Math.min(x >> 1, 4 - (x >> 1));
      return hash[4 + cell] & 1 ? color : [240, 240, 240];
    }).flat()]));
  const chunk = (type, data) => {
    const all = Buffer.concat([Buffer.from(type), data]);
    const around = Buffer.alloc(8);
    around.writeUInt32BE(data.length, 0);
    around.writeUInt32BE(crc32(all), 4);
    return Buffer.concat([around.subarray(0, 4), all, around.subarray(4)]);
  };
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', Buffer.from([0, 0, 0, 10, 0, 0, 0, 10, 8, 2, 0, 0, 0])),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const sockets = new Set();
const stream = []; // [seq, frame]
function announce(t, body) {
  const seq = stream.length + 1;
  const frame = Buffer.concat([cbor({ op: 1, t }), cbor({ seq, time: new Date().toISOString(), ...body })]);
  stream.push([seq, frame]);
  for (const socket of sockets) socket.send(frame);
}

class Person {
  constructor(name, url) {
    this.key = new Key();
    this.records = new Map(); // by path, [CID, block]
    const unsigned = {
      type: 'plc_operation',
      rotationKeys: [this.key.did],
      verificationMethods: { atproto: this.key.did },
      alsoKnownAs: [`at://${name}.test`],
      services: { atproto_pds: { type: 'AtprotoPersonalDataServer', endpoint: url } },
      prev: null,
    };
    const operation = { ...unsigned, sig: this.key.sign(cbor(unsigned)).toString('base64url') };
    const block = cbor(operation);
    this.did = `did:plc:${base32(sha256(block)).slice(0, 24)}`;
    const createdAt = new Date(Date.now() - 86400e3).toISOString();
    this.log = [{ did: this.did, operation, cid: new Cid(block).toString(), nullified: false, createdAt }];
    this.picture = picture(name);
    const ref = new Cid(this.picture, 0x55);
    const avatar = { $type: 'blob', ref, mimeType: 'image/png', size: this.picture.length };
    this.write(`${PROFILE}/self`, { $type: PROFILE, displayName: name[0].toUpperCase() + name.slice(1), avatar });
  }

  // A token of a minute for a service and a method of it.
  token(aud, lxm) {
    const now = Math.floor(Date.now() / 1000);
    const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${part({ typ: 'JWT', alg: 'ES256' })}.${part({ iss: this.did, aud, lxm, iat: now, exp: now + 60 })}`;
    return `${text}.${this.key.sign(Buffer.from(text)).toString('base64url')}`;
  }

  post(ago = 0) {
    const createdAt = new Date(Date.now() - ago).toISOString();
    const path = `${POST}/${tid()}`;
    this.write(path, { $type: POST, text: `${pick(BEGINNINGS)} ${pick(THINGS)}.`, langs: ['en'], createdAt });
    posts.push({ uri: `at://${this.did}/${path}`, cid: this.records.get(path)[0].toString() });
  }

  like() {
    this.write(`${LIKE}/${tid()}`, { $type: LIKE, subject: pick(posts), createdAt: new Date().toISOString() });
  }

  follow(did) {
    this.write(`${FOLLOW}/${tid()}`, { $type: FOLLOW, subject: did, createdAt: new Date().toISOString() });
  }

  say(status, ago = 0) {
    const createdAt = new Date(Date.now() - ago).toISOString();
    this.write(`${STATUS}/${tid()}`, { $type: STATUS, status, createdAt });
  }

  write(path, record) {
    const block = cbor(record);
    const cid = new Cid(block);
    this.records.set(path, [cid, block]);
    const blocks = [];
    const data = tree([...this.records].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, [its]]) => [key, its]), blocks);
    const unsigned = { did: this.did, version: 3, data, rev: tid(), prev: null };
    const commit = cbor({ ...unsigned, sig: this.key.sign(cbor(unsigned)) });
    const before = this.commit;
    this.commit = { cid: new Cid(commit), rev: unsigned.rev, data };
    this.blocks = [[this.commit.cid, commit], ...blocks];
    announce('#commit', {
      repo: this.did,
      commit: this.commit.cid,
      rev: unsigned.rev,
      since: before?.rev ?? null,
      prevData: before?.data,
      rebase: false,
      tooBig: false,
      blobs: [],
      ops: [{ action: 'create', path, cid }],
      blocks: car(this.commit.cid, [...this.blocks, [cid, block]]),
    });
  }

  repository() {
    return car(this.commit.cid, [...this.blocks, ...this.records.values()]);
  }
}

// --- the network ---

const people = [];
const posts = []; // { uri, cid }
const pick = (list) => list[Math.floor(Math.random() * list.length)];
const repos = () =>
  people.map((p) => ({ did: p.did, head: p.commit.cid.toString(), rev: p.commit.rev, active: true }));
const server = createServer((request, response) => {
  const { pathname, searchParams: asked } = new URL(request.url, 'http://localhost');
  const json = (value, status = 200) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  const person = people.find((p) => p.did === (asked.get('did') ?? pathname.split('/')[1]));
  const method = pathname.replace('/xrpc/com.atproto.', '');
  if (pathname === '/') {
    const headers = { 'content-type': 'text/html; charset=utf-8' };
    return response.writeHead(200, headers).end(readFileSync(page));
  }
  if (pathname === '/write' && request.method === 'POST') {
    const writer = people[Number(asked.get('n'))];
    if (kind === 'posts') writer.post();
    else writer.say(asked.get('status'));
    return json({});
  }
  if (pathname === '/token')
    return response.end(people[Number(asked.get('n'))].token(asked.get('aud'), asked.get('lxm')));
  if (method === 'server.describeServer') return json({ did: 'did:web:localhost', availableUserDomains: ['.test'] });
  if (method === 'sync.listRepos' || method === 'sync.listReposByCollection') return json({ repos: repos() });
  if (!person) return json({ error: 'NotFound' }, 404);
  if (pathname.endsWith('/log/audit')) return json(person.log);
  if (method === 'sync.getRepoStatus') return json({ did: person.did, active: true, rev: person.commit.rev });
  if (method === 'sync.getRepo')
    return response.writeHead(200, { 'content-type': 'application/vnd.ipld.car' }).end(person.repository());
  if (method === 'sync.getBlob') return response.writeHead(200, { 'content-type': 'image/png' }).end(person.picture);
  return json({ error: 'MethodNotImplemented' }, 501);
});
new WebSocketServer({ server }).on('connection', (socket, request) => {
  const cursor = new URL(request.url, 'http://localhost').searchParams.get('cursor');
  socket.on('close', () => sockets.delete(socket)).on('error', () => {});
  if (cursor !== null) for (const [seq, frame] of stream) if (seq > Number(cursor)) socket.send(frame);
  sockets.add(socket);
});

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address();
  for (const name of PEOPLE) people.push(new Person(name, `http://127.0.0.1:${port}`));
  if (kind === 'posts') {
    people.forEach((person, n) => [1, 2].forEach((i) => person.follow(people[(n + i) % people.length].did)));
    for (let i = 40; i > 0; i--) pick(people).post(i * 600e3);
    for (let i = 20; i > 0; i--) pick(people).like();
  } else for (let i = 12; i > 0; i--) pick(people).say(pick(STATUSES), i * 600e3);
  const write = () => {
    if (kind !== 'posts') pick(people).say(pick(STATUSES));
    else if (Math.random() < 0.5) pick(people).post();
    else pick(people).like();
  };
  if (Number(seconds)) setInterval(write, 1000 * Number(seconds));
  console.log(`port ${port}`);
});
process.stdin.on('end', () => process.exit()).resume();
