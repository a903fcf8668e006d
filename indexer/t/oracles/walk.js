// A stream with all that happens in a network, for indexer/t/walk.pl.
//
//   node walk.js FRAMES ACCOUNTS CHUNK SEED
//
// Prints lines with tabs between the number of a chunk and
// - frame, its bytes in base64;
// - key, a DID, the key that its document has from then on, and its server, or '' for a tombstone;
// - car, a DID, its repository in base64: after the frames of the chunk, for each account whose
//   repository may be loaded then. One of twenty is cut off.
// A chunk has CHUNK frames. SEED decides what happens; keys and revisions differ each time.
import { createECDH, createPrivateKey, randomBytes, sign } from 'node:crypto';
import { Secp256k1Keypair } from '@atproto/crypto';
import { BlockMap, WriteOpAction, blocksToCarFile } from '@atproto/repo';
import { Account, frame, link } from './accounts.js';

const [frames, accounts, chunk, seed] = process.argv.slice(2).map(Number);
const HALF = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const HOME = 'https://pds.example';
const COLLECTIONS = ['app.bsky.feed.like', 'app.bsky.feed.post', 'app.bsky.graph.follow', 'com.example.x'];
const createdAt = '2026-01-01T00:00:00.000Z';

// Numbers from 0 to 1 that a seed decides (mulberry32).
let state = seed;
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
const below = (n) => Math.floor(random() * n);
const pick = (list) => list[below(list.length)];

// OpenSSL signs ten times as fast as the package does.
async function makeKey() {
  const pair = await Secp256k1Keypair.create({ exportable: true });
  const d = Buffer.from(await pair.export());
  const ecdh = createECDH('secp256k1');
  ecdh.setPrivateKey(d);
  const point = ecdh.getPublicKey();
  const text = (bytes) => bytes.toString('base64url');
  const jwk = { kty: 'EC', crv: 'secp256k1', d: text(d), x: text(point.subarray(1, 33)), y: text(point.subarray(33)) };
  const key = createPrivateKey({ key: jwk, format: 'jwk' });
  return {
    jwtAlg: 'ES256K',
    did: () => pair.did(),
    sign: async (bytes) => {
      const signature = sign('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' });
      const s = BigInt(`0x${signature.subarray(32).toString('hex')}`);
      if (s > HALF) signature.write((ORDER - s).toString(16).padStart(64, '0'), 32, 'hex');
      return new Uint8Array(signature);
    },
  };
}

let seq = 100;
let now = 0; // of the chunk
let sent = 0;
let held; // a frame that comes after the next one
const recent = [];
const all = [];
const loadable = new Set();
const say = (...words) => process.stdout.write(`${[now, ...words].join('\t')}\n`) || new Promise((done) => process.stdout.once('drain', done));

async function send(bytes) {
  recent[sent++ % 200] = bytes;
  await say('frame', bytes.toString('base64'), '', '');
  if (held && held !== bytes) {
    const late = held;
    held = undefined;
    await send(late);
  }
}
const number = () => (seq += random() < 0.02 ? 1 + below(50) : 1);
const framed = (t, body) => frame({ op: 1, t }, { seq: number(), time: new Date().toISOString(), ...body });

async function meet() {
  const n = all.length;
  const [account] = await Account.create({ did: `did:web:a${n}.example`, key: await makeKey(), first: [create(0), create(1)] });
  account.made = 2;
  all.push(account);
  loadable.add(account);
  await say('key', account.did, account.key.did(), HOME);
  return account;
}

function create(n) {
  const collection = pick(COLLECTIONS);
  const whom = all.length ? pick(all).did : 'did:web:nobody.example';
  const subject = { uri: `at://${whom}/app.bsky.feed.post/r${below(40)}`, cid: 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a' };
  const record = {
    'app.bsky.feed.like': { subject, createdAt },
    'app.bsky.feed.post': { text: `number ${n} ${'x'.repeat(below(200))}`, createdAt, ...(random() < 0.3 ? { reply: { root: subject, parent: subject } } : {}) },
    'app.bsky.graph.follow': { subject: whom, createdAt },
    'com.example.x': { list: [subject, whom, n], createdAt },
  }[collection];
  return { action: WriteOpAction.Create, collection, rkey: `r${n}`, record: { $type: collection, ...record } };
}

// One to three operations, each on another record.
function writes(account) {
  const list = [create(account.made++)];
  const paths = [...account.entries.keys()];
  for (let n = below(3); n > 0 && paths.length > 1; n--) {
    const [path] = paths.splice(below(paths.length), 1);
    const [collection, rkey] = path.split('/');
    const gone = random() < 0.6;
    list.push({
      action: gone ? WriteOpAction.Delete : WriteOpAction.Update, collection, rkey,
      ...(gone ? {} : { record: { $type: collection, text: `again ${account.made}`, createdAt } }),
    });
  }
  return list;
}

const commit = async (account) => account.commit(writes(account));
const after = (account) => loadable.add(account);
const withoutPrev = ({ prevData, ops, ...body }) => ({ ...body, ops: ops.map(({ prev, ...op }) => op) });

async function syncOf(account) {
  const blocks = new BlockMap();
  blocks.set(account.repo.cid, await account.storage.getBytes(account.repo.cid));
  return { did: account.did, rev: account.repo.commit.rev, blocks: Buffer.from(await blocksToCarFile(account.repo.cid, blocks)) };
}

async function rotate(account, announced) {
  account.key = await makeKey();
  await say('key', account.did, account.key.did(), HOME);
  if (announced) await send(framed('#identity', { did: account.did }));
  await send(framed('#commit', await commit(account)));
}

async function close(account, status) {
  account.active = !status;
  await send(framed('#account', { did: account.did, active: !status, ...(status ? { status } : {}) }));
  if (!status) after(account);
}

const events = [
  [2, async (a) => { await commit(a); after(a); }], // lost
  [5, async (a) => send(framed('#commit', await a.forged([create(a.made)], await makeKey())))],
  [5, async () => recent.length && send(pick(recent))],
  [4, async (a) => { held ??= framed('#commit', await commit(a)); after(a); }],
  [4, async (a) => send(framed('#identity', { did: a.did, handle: `h${below(9)}.example` }))],
  [1, async (a) => rotate(a, true)],
  [1, async (a) => { await rotate(a, false); after(a); }],
  [3, async (a) => close(a, a.active ? pick(['deactivated', 'takendown', 'suspended', 'desynchronized']) : undefined)],
  [0.3, async (a) => close(a, 'deleted')],
  [1, async (a) => say('key', a.did, a.key.did(), '')],
  [3, async (a) => { await send(framed('#sync', await syncOf(a))); after(a); }],
  [3, async (a) => { await commit(a); await send(framed('#sync', await syncOf(a))); after(a); }],
  [6, async (a) => send(framed('#commit', withoutPrev(await commit(a))))],
  [2, async (a) => { const body = await commit(a); body.ops[0].path += 'x'; await send(framed('#commit', body)); after(a); }],
  [2, async (a) => { const body = await commit(a); await send(framed('#commit', { ...body, prevData: link(body.ops[0].cid) })); after(a); }],
  [1, async (a) => { const body = await commit(a); await send(framed('#commit', { ...body, blocks: body.blocks.subarray(0, 90) })); after(a); }],
  [1, async (a) => { await send(framed('#commit', { ...(await commit(a)), tooBig: true })); after(a); }],
  [1, async () => send(randomBytes(1 + below(60)))],
  [1, async (a) => send(framed('#space', { did: a.did, n: 1 }))],
  [0.5, async () => send(frame({ op: 1, t: '#info' }, { name: 'Nothing', message: 'of interest' }))],
  [1, async (a) => send(framed('#account', { did: a.did, active: 'yes' }))],
];
const most = events.reduce((sum, [weight]) => sum + weight, 0);

async function step() {
  const account = all.length < accounts && random() < 0.02 + all.length / 1e9 ? await meet() : pick(all);
  // Most of what happens is a commit.
  if (random() < 0.88) return send(framed('#commit', await commit(account)));
  let n = random() * most;
  for (const [weight, happen] of events) if ((n -= weight) < 0) return happen(account);
}

for (let n = 0; n < Math.min(accounts, 20); n++) await meet();
for (now = 1; sent < frames; now++) {
  while (sent < Math.min(frames, now * chunk)) await step();
  for (const account of loadable) {
    const car = await account.car();
    const cut = random() < 0.05;
    await say('car', account.did, (cut ? car.subarray(0, car.length - 40) : car).toString('base64'), '');
    if (!cut && random() < 0.7) loadable.delete(account);
  }
}
