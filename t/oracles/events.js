// Frames of an event stream, as npm's package @atproto/repo makes them, and as they are broken here.
//
//   node events.js SEED COMMITS MUTATIONS DATABASE     with PGHOST, PGPORT and PGUSER set
//
// Prints lines of "ok" or "not ok", a tab and what was compared, and lines of "note", a tab and a remark.
//
// Accounts are changed by random writes; each commit becomes a frame as a PDS sends it. Then frames are mutated:
// bytes, fields, operations, blocks; and commits are signed that do not tell all that they have done. What is true is
// decided here, without the tree of @atproto/repo and without an inversion: the entries that "prevData" stands for are
// known, the operations are applied to them, and the tree of what comes out, built by its definition, must have the
// root that the commit has.
import { createHash } from 'node:crypto';
import * as cbor from '@ipld/dag-cbor';
import { Secp256k1Keypair } from '@atproto/crypto';
import { MemoryBlockstore, Repo, WriteOpAction, blocksToCarFile } from '@atproto/repo';
import { CID } from 'multiformats/cid';
import { create as createDigest } from 'multiformats/hashes/digest';
import pg from 'pg';
import { chance } from './chance.js';
import { verdicts } from './verdicts.js';

const [seed, commits, mutations] = process.argv.slice(2, 5).map(Number);
const database = process.argv[5];
const { below, pick } = chance(seed);
const shuffle = (list) => {
  for (let i = list.length - 1; i > 0; i--) {
    const j = below(i + 1);
    [list[i], list[j]] = [list[j], list[i]];
  }
  return list;
};

const { same, printVerdicts } = verdicts();
const db = new pg.Client({ database });
await db.connect();
const ask = (text, values) => db.query({ text, values, name: createHash('md5').update(text).digest('hex') }).then((r) => r.rows);

// --- trees, by their definition ---------------------------------------------------------------------

const sha256 = (bytes) => createHash('sha256').update(bytes).digest();
const cidOf = (block) => CID.createV1(cbor.code, createDigest(0x12, sha256(block)));
const depths = new Map();
function depthOf(key) {
  if (!depths.has(key)) depths.set(key, Math.floor(Math.clz32(sha256(key).readUInt32BE(0)) / 2));
  return depths.get(key);
}

// The root of a map of keys to CIDs; its nodes go to the map at nodes, if that is given.
function rootOf(entries, nodes) {
  const keys = [...entries.keys()].sort((a, b) => (a < b ? -1 : 1));
  return subtree(entries, keys, Math.max(0, ...keys.map(depthOf)), nodes);
}
function subtree(entries, keys, level, nodes) {
  const node = { l: null, e: [] };
  let between = [];
  let last = '';
  const settle = () => {
    const link = between.length ? subtree(entries, between, level - 1, nodes) : null;
    if (node.e.length) node.e.at(-1).t = link;
    else node.l = link;
    between = [];
  };
  for (const key of keys) {
    if (depthOf(key) < level) {
      between.push(key);
      continue;
    }
    settle();
    let p = 0;
    while (p < key.length && key[p] === last[p]) p++;
    node.e.push({ k: Buffer.from(key.slice(node.e.length ? p : 0)), p: node.e.length ? p : 0, t: null, v: CID.parse(entries.get(key)) });
    last = key;
  }
  settle();
  const block = cbor.encode(node);
  const cid = cidOf(block);
  nodes?.set(cid.toString(), block);
  return cid;
}

// --- CARs -------------------------------------------------------------------------------------------

const varint = (n) => Buffer.from(n < 128 ? [n] : [(n % 128) + 128, ...varint(Math.floor(n / 128))]);
function readVarint(car, at) {
  let n = 0;
  for (let i = 0; ; i++) {
    n += (car[at + i] & 127) * 2 ** (7 * i);
    if (car[at + i] < 128) return [n, at + i + 1];
  }
}
const header = (roots) => {
  const bytes = cbor.encode({ version: 1, roots });
  return Buffer.concat([varint(bytes.length), bytes]);
};
const section = (cid, block) => Buffer.concat([varint(cid.bytes.length + block.length), cid.bytes, block]);
const carOf = (roots, sections) => Buffer.concat([header(roots), ...sections.map(([cid, block]) => section(cid, block))]);
// of a CAR that is well-formed; the CIDs here have 36 bytes
function readCar(car) {
  const [len, start] = readVarint(car, 0);
  const { roots } = cbor.decode(car.subarray(start, start + len));
  const sections = [];
  for (let at = start + len; at < car.length;) {
    const [n, from] = readVarint(car, at);
    sections.push([CID.decode(car.subarray(from, from + 36)), car.subarray(from + 36, from + n)]);
    at = from + n;
  }
  return { roots, sections };
}

// --- accounts ---------------------------------------------------------------------------------------

// A storage that keeps all blocks: @atproto/repo removes that of a deleted record, also where another path has it.
class Storage extends MemoryBlockstore {
  async applyCommit(commit) {
    this.root = commit.cid;
    this.rev = commit.rev;
    this.blocks.addMap(commit.newBlocks);
  }
}

const S32 = '234567abcdefghijklmnopqrstuvwxyz';
const tid = () => '3' + Array.from({ length: 12 }, () => S32[below(32)]).join('');
const COLLECTIONS = ['app.bsky.feed.post', 'app.bsky.feed.post', 'app.bsky.feed.like', 'app.bsky.graph.follow', 'com.example.xY'];
const newPath = () => `${pick(COLLECTIONS)}/${pick([tid, tid, tid, () => `k${below(1000)}`, () => `self-${below(9)}.~_:`, () => 'x'.repeat(1 + below(200))])()}`;
const split = (p) => ({ collection: p.slice(0, p.indexOf('/')), rkey: p.slice(p.indexOf('/') + 1) });
let serial = 0;
// some records are the same, under several paths
const record = () => ({ $type: 'com.example.record', text: below(20) ? `text ${serial++}` : 'the same' });

// What each root that came up stands for, as text.
const known = new Map();
const states = [];

const keypair = await Secp256k1Keypair.create();
const key = keypair.did();
const frameHeader = cbor.encode({ op: 1, t: '#commit' });
let seq = 0;

// The body of a commit, as @atproto/pds makes it (sequencer, formatSeqCommit).
async function bodyOf(did, commit, prevData, ops) {
  return { seq: ++seq, rebase: false, tooBig: false, repo: did, commit: CID.parse(commit.cid.toString()), rev: commit.rev, since: commit.since,
    blocks: Buffer.from(await blocksToCarFile(commit.cid, commit.relevantBlocks)), ops, blobs: [],
    ...(prevData ? { prevData: CID.parse(prevData) } : {}), time: new Date(1.7e12 + seq).toISOString() };
}
const frameOf = (body) => Buffer.concat([frameHeader, cbor.encode(body)]);
const link = (text) => (text === undefined ? undefined : CID.parse(text));
function opOf(action, path, prev, cid) {
  return { action, path, cid: cid === undefined ? null : CID.parse(cid), ...(prev === undefined ? {} : { prev: CID.parse(prev) }) };
}

function entriesFrom(before, writes, blocks) {
  const entries = new Map(before);
  for (const w of writes) {
    const path = `${w.collection}/${w.rkey}`;
    if (w.action === WriteOpAction.Delete) entries.delete(path);
    else {
      const block = cbor.encode(w.record);
      const cid = cidOf(block).toString();
      blocks.set(cid, block);
      entries.set(path, cid);
    }
  }
  return entries;
}

async function newAccount() {
  const did = `did:plc:${Array.from({ length: 24 }, () => pick([...S32])).join('')}`;
  const storage = new Storage();
  const blocks = new Map();
  const paths = [...new Set(Array.from({ length: pick([() => 0, () => 1, () => below(20), () => below(150)])() }, newPath))];
  const writes = paths.map((p) => ({ action: WriteOpAction.Create, ...split(p), record: record() }));
  const commit = await Repo.formatInitCommit(storage, did, keypair, writes);
  const repo = await Repo.createFromCommit(storage, commit);
  const entries = entriesFrom(new Map(), writes, blocks);
  const ops = writes.map((w) => opOf('create', `${w.collection}/${w.rkey}`, undefined, entries.get(`${w.collection}/${w.rkey}`)));
  return [{ did, repo, entries, blocks }, { body: await bodyOf(did, commit, null, ops), before: new Map(), after: entries, account: null }];
}

async function nextCommit(account) {
  const { repo, entries: before, blocks } = account;
  const paths = [...before.keys()];
  const many = below(30) === 0;
  const touched = shuffle(paths).slice(0, below(Math.min(paths.length, many ? 80 : 3) + 1));
  const news = [...new Set(Array.from({ length: pick([() => 0, () => 1, () => 1, () => below(many ? 100 : 5)])() }, newPath))].filter((p) => !before.has(p));
  const writes = [
    ...touched.map((p) => (below(2) ? { action: WriteOpAction.Delete, ...split(p) } : { action: WriteOpAction.Update, ...split(p), record: record() })),
    ...news.map((p) => ({ action: WriteOpAction.Create, ...split(p), record: record() }))]
    // an update to what is there is none
    .filter((w) => w.action !== WriteOpAction.Update || cidOf(cbor.encode(w.record)).toString() !== before.get(`${w.collection}/${w.rkey}`));
  const prevData = repo.commit.data.toString();
  const commit = await repo.formatCommit(shuffle(writes), keypair);
  account.repo = await repo.applyCommit(commit);
  account.entries = entriesFrom(before, writes, blocks);
  const ops = writes.map((w) => {
    const path = `${w.collection}/${w.rkey}`;
    return opOf(w.action, path, before.get(path), account.entries.get(path));
  });
  return { body: await bodyOf(account.did, commit, prevData, ops), before, after: account.entries, account };
}

// --- what is true -----------------------------------------------------------------------------------

const EMPTY = rootOf(new Map()).toString();
known.set(EMPTY, new Map());
const isPath = (p) => /^[a-zA-Z][a-zA-Z0-9-]*(\.[a-zA-Z0-9][a-zA-Z0-9-]*)+\.[a-zA-Z][a-zA-Z0-9]*\/[A-Za-z0-9._~:-]{1,512}$/.test(p) && !/\/\.\.?$/.test(p);

// The two values of a frame: the header is the only beginning that is a value.
function splitFrame(frame) {
  for (let at = 1; at < Math.min(frame.length, 200); at++) {
    let head;
    try {
      head = cbor.decode(frame.subarray(0, at));
    } catch {
      continue;
    }
    return [head, cbor.decode(frame.subarray(at))];
  }
  throw new Error('no header');
}

// Is what this frame says true? Returns the reason why not, or undefined.
function untrue(frame) {
  let head;
  let body;
  try {
    [head, body] = splitFrame(frame);
    if (head.op !== 1 || head.t !== '#commit') return 'another frame';
  } catch (e) {
    return `encoding: ${e.message}`;
  }
  try {
    const { roots, sections } = readCar(Buffer.from(body.blocks));
    const blocks = new Map();
    for (const [cid, block] of sections) {
      // of two blocks with one CID the first counts
      if (!blocks.has(cid.toString())) blocks.set(cid.toString(), block);
    }
    const block = (cid) => {
      const found = blocks.get(cid.toString());
      return found && cid.equals(CID.createV1(cid.code, createDigest(0x12, sha256(found)))) ? found : undefined;
    };
    if (!body.commit.equals(roots[0])) return 'root';
    const commit = cbor.decode(block(roots[0]));
    if (commit.version !== 3 || commit.did !== body.repo || commit.rev !== body.rev) return 'commit';
    if (body.since !== null && !(body.since < body.rev)) return 'since';
    if (!body.prevData && body.since !== null) return 'no prevData';
    const before = known.get(body.prevData ? body.prevData.toString() : EMPTY);
    if (!before) return 'nobody knows this prevData';
    const entries = new Map(before);
    const seen = new Set();
    for (const { action, path, cid, prev } of body.ops) {
      const was = before.get(path);
      if (!isPath(path) || seen.has(path)) return 'path';
      seen.add(path);
      if (action === 'create' ? was !== undefined || prev : was === undefined || !prev || prev.toString() !== was) return 'prev';
      if (action === 'delete') {
        if (cid !== null) return 'cid';
        entries.delete(path);
        continue;
      }
      if (action !== 'create' && action !== 'update') return 'action';
      if (was === cid.toString() || !block(cid)) return 'record';
      entries.set(path, cid.toString());
    }
    return rootOf(entries).toString() === commit.data.toString() ? undefined : 'data';
  } catch (e) {
    return e.message;
  }
}

// --- frames as they are sent ------------------------------------------------------------------------

const VERDICT = `SELECT n, coalesce(problem, CASE WHEN h.op <> 1 OR h.t <> '#commit' THEN 'another frame' END, '') AS problem,
    atid.event_is_signed_by(frame, $2) AS signed
  FROM unnest($1::bytea[]) WITH ORDINALITY AS f (frame, n), atid.event_problem(frame) AS problem, atid.frame_parts(frame) AS h ORDER BY n`;

const accounts = [];
const corpus = [];
for (let i = 0; i < commits; i++) {
  let event;
  if (accounts.length === 0 || below(25) === 0) {
    const [account, created] = await newAccount();
    if (accounts.length > 40) accounts.shift();
    accounts.push(account);
    event = { ...created, account };
  } else event = await nextCommit(pick(accounts));
  const { body, before, after, account } = event;
  known.set(account.repo.commit.data.toString(), after);
  const frame = frameOf(body);
  event.frame = frame;

  const why = untrue(frame);
  const show = (row) => () => `commit ${i}: ${why} ${JSON.stringify(row)} ${frame.toString('hex')}`;
  // @atproto/repo does not send the block of a record that another path had before
  const unsent = why === 'record';
  const paths = [...body.ops.map((o) => o.path), newPath(), ...(after.size ? [pick([...after.keys()])] : [])];
  const [row] = await ask(`SELECT v.problem, v.signed, e.seq, e.did::text, e.rev::text, e.since::text, e.commit::text, e.prev_data::text, e.time, length(e.blocks) AS blocks,
      (SELECT string_agg(concat_ws(' ', action, collection || '/' || rkey, coalesce(cid::text, '-'), coalesce(prev::text, '-'), cid = atid.cid_of(block, 'dag-cbor')), E'\\n')
         FROM atid.commit_event_ops($1[1])) AS ops,
      atid.event_problem($5 || atid.record_to_dag_cbor(atid.dag_cbor_to_record(b) - 'prevData'), prev_data_optional => true) AS presence,
      (SELECT string_agg(g.state || ' ' || coalesce(g.cid::text, '-'), E'\\n' ORDER BY n) FROM unnest($3::text[]) WITH ORDINALITY p (path, n), atid.mst_get(e.blocks, $4, path) g) AS found
    FROM (${VERDICT}) v, atid.frame_parts($1[1]) p (op, t, error, b), atid.commit_event($1[1]) e`, [[frame], key, paths, account.repo.commit.data.toString(), frameHeader]);
  same('event_problem: none, or a block that was not sent', unsent ? row.problem.includes('must have the block of the record') : why === undefined && row.problem === '', show(row));
  same('event_is_signed_by', row.signed === true, show(row));
  same('commit_event: the fields', row.seq === String(body.seq) && row.did === body.repo && row.rev === body.rev && row.since === body.since &&
    row.commit === body.commit.toString() && row.prev_data === (body.prevData?.toString() ?? null) && row.time === body.time && row.blocks === body.blocks.length, show(row));
  same('commit_event_ops: the operations', unsent || (row.ops ?? '') === body.ops.map((o) =>
    `${o.action} ${o.path} ${o.cid ?? '-'} ${o.prev ?? '-'}${o.cid ? ' t' : ''}`).join('\n'), show(row));
  same('without prevData: what was put is there, and what was deleted is not', unsent || row.presence === null, show(row));
  const found = row.found.split('\n');
  same('mst_get: what the slice shows is true, and of each operation it shows it', paths.every((p, n) => {
    const truth = after.has(p) ? `present ${after.get(p)}` : 'absent -';
    return found[n] === truth || (n >= body.ops.length && found[n] === 'unknown -');
  }) || body.ops.length === 0, show(row));
  if (!unsent && body.blocks.length < 30000) corpus.push(event);
}
console.log(`note\t${known.size} trees, ${corpus.length} frames to mutate`);

// --- frames that are not ----------------------------------------------------------------------------

const sign = async (commit) => {
  const { sig, ...unsigned } = commit;
  return { ...unsigned, sig: await keypair.sign(cbor.encode(unsigned)) };
};
const changeOp = (body, change) => {
  const n = below(body.ops.length);
  return { ...body, ops: body.ops.map((o, i) => (i === n ? change({ ...o }) : o)) };
};
const withSections = (body, change) => {
  const { roots, sections } = readCar(body.blocks);
  return { ...body, blocks: carOf(roots, change(sections)) };
};
const somePath = (e) => (e.before.size && below(2) ? pick([...e.before.keys()]) : newPath());
const someCid = (e) => pick([...pick(corpus).after.values(), ...e.before.values(), cidOf(Buffer.from([below(256)])).toString()]);

// A commit of the account that has, besides the operations that the event lists, done something else; signed, with
// all nodes and records.
async function hidden(e) {
  const entries = new Map(e.after);
  const blocks = new Map();
  for (let n = 1 + below(3); n > 0; n--) {
    const path = somePath(e);
    if (entries.has(path) && below(2)) entries.delete(path);
    else entries.set(path, someCid(e));
  }
  const data = rootOf(entries, blocks);
  const { sections } = readCar(e.body.blocks);
  const [, old] = sections.find(([cid]) => cid.equals(e.body.commit));
  const block = cbor.encode(await sign({ ...cbor.decode(old), data }));
  const cid = cidOf(block);
  return { ...e.body, commit: cid, blocks: carOf([cid], [[cid, block], ...[...blocks].map(([c, b]) => [CID.parse(c), b]), ...sections]) };
}

// A commit that puts a new key beside a subtree whose keys lie on both sides of it, as if there were no need to part it;
// signed, without some of the nodes that are not on the way to the key.
async function beside(e) {
  let path;
  let keys;
  let at;
  let from;
  let to;
  for (let tries = 0; tries < 100 && !(from < at && at + 1 < to); tries++) {
    path = newPath();
    if (e.before.has(path)) continue;
    keys = [...e.before.keys(), path].sort((a, b) => (a < b ? -1 : 1));
    at = keys.indexOf(path);
    for (from = at; from > 0 && depthOf(keys[from - 1]) < depthOf(path);) from--;
    for (to = at + 1; to < keys.length && depthOf(keys[to]) < depthOf(path);) to++;
  }
  keys.splice(at, 1);
  keys.splice(pick([from, to - 1]), 0, path);
  const record = cbor.encode({ $type: 'com.example.record', text: path });
  const entries = new Map(e.before).set(path, cidOf(record).toString());
  const nodes = new Map();
  const data = subtree(entries, keys, Math.max(...keys.map(depthOf)), nodes);
  const onWay = new Set();
  for (let next = data; next;) {
    onWay.add(next.toString());
    let last = '';
    const node = cbor.decode(nodes.get(next.toString()));
    next = node.l;
    for (const { p, k, t } of node.e) {
      last = last.slice(0, p) + Buffer.from(k).toString();
      if (keys.indexOf(last) < keys.indexOf(path)) next = t;
      if (last === path) next = null;
    }
  }
  const { sections } = readCar(e.body.blocks);
  const [, old] = sections.find(([cid]) => cid.equals(e.body.commit));
  const block = cbor.encode(await sign({ ...cbor.decode(old), data }));
  const cid = cidOf(block);
  const rest = [...nodes].filter(([c]) => onWay.has(c) || below(2)).map(([c, b]) => [CID.parse(c), b]);
  return { ...e.body, commit: cid, prevData: rootOf(e.before), ops: [opOf('create', path, undefined, entries.get(path))],
    blocks: carOf([cid], [[cid, block], [cidOf(record), record], ...rest]) };
}

const KINDS = {
  'a bit': (e) => {
    const f = Buffer.from(e.frame);
    f[below(f.length)] ^= 1 << below(8);
    return f;
  },
  'a byte dropped': (e) => {
    const at = below(e.frame.length);
    return Buffer.concat([e.frame.subarray(0, at), e.frame.subarray(at + 1)]);
  },
  'a byte twice': (e) => {
    const at = below(e.frame.length);
    return Buffer.concat([e.frame.subarray(0, at + 1), e.frame.subarray(at)]);
  },
  'the end cut': (e) => e.frame.subarray(0, below(e.frame.length)),
  'more behind it': (e) => Buffer.concat([e.frame, pick([Buffer.from([0]), frameHeader, e.frame])]),
  'an operation less': (e) => ({ ...e.body, ops: e.body.ops.filter((_, i) => i !== e.n) }),
  'an operation more': (e) => ({ ...e.body, ops: [...e.body.ops, opOf('create', newPath(), undefined, someCid(e))] }),
  'a delete more': (e) => ({ ...e.body, ops: [...e.body.ops, opOf('delete', somePath(e), someCid(e))] }),
  'an operation twice': (e) => ({ ...e.body, ops: [...e.body.ops, pick(e.body.ops)] }),
  'another path': (e) => changeOp(e.body, (o) => ({ ...o, path: somePath(e) })),
  'another action': (e) => changeOp(e.body, (o) => ({ ...o, action: pick(['create', 'update', 'delete', 'move']) })),
  'another cid': (e) => changeOp(e.body, (o) => ({ ...o, cid: pick([null, link(someCid(e)), o.prev ?? null]) })),
  'another prev': (e) => changeOp(e.body, (o) => ({ ...o, prev: pick([null, link(someCid(e)), o.cid]) })),
  'no prev': (e) => changeOp(e.body, ({ prev, ...o }) => o),
  'a create as an update': (e) => changeOp(e.body, (o) => ({ ...o, action: 'update', prev: link(someCid(e)) })),
  'operations of another': (e) => ({ ...e.body, ops: pick(corpus).body.ops }),
  'blocks of another': (e) => ({ ...e.body, blocks: pick(corpus).body.blocks }),
  'commit and blocks of another': (e) => {
    const o = pick(corpus).body;
    return { ...e.body, blocks: o.blocks, commit: o.commit, rev: o.rev, repo: o.repo };
  },
  'another prevData': (e) => ({ ...e.body, prevData: link(pick([...known.keys()])) }),
  'prevData is data': (e) => ({ ...e.body, prevData: link(rootOf(e.after).toString()) }),
  'no prevData': ({ body: { prevData, ...body } }) => body,
  'since null, no prevData': ({ body: { prevData, ...body } }) => ({ ...body, since: null }),
  'another since': (e) => ({ ...e.body, since: pick([null, tid(), e.body.rev]) }),
  'another rev': (e) => ({ ...e.body, rev: tid() }),
  'another repo': (e) => ({ ...e.body, repo: pick(corpus).body.repo }),
  'another commit': (e) => ({ ...e.body, commit: link(pick([...known.keys()])) }),
  'a block less': (e) => withSections(e.body, (s) => s.filter((_, i) => i !== e.n % s.length)),
  'a block changed': (e) => withSections(e.body, (s) => s.map(([cid, b], i) => [cid, i === e.n % s.length ? Buffer.from(b).fill(below(256), below(b.length)) : b])),
  'blocks with the CIDs of others': (e) => withSections(e.body, (s) => s.map(([cid], i) => [cid, s[(i + 1) % s.length][1]])),
  'more was done than told': hidden,
  'more was done, and an operation is told of it': async (e) => ({ ...(await hidden(e)), ops: [...e.body.ops, opOf('create', newPath(), undefined, someCid(e))] }),

  'a key beside a subtree that is not parted': beside,

  // these stay as true as they were
  'true: operations in another order': (e) => ({ ...e.body, ops: shuffle([...e.body.ops]) }),
  'true: blocks in another order': (e) => withSections(e.body, (s) => shuffle([...s])),
  'true: blocks twice, and others': (e) => withSections(e.body, (s) => [...s, ...s, [cidOf(Buffer.from('x')), Buffer.from('y')]]),
  'true: a second root': (e) => ({ ...e.body, blocks: carOf([e.body.commit, link(someCid(e))], readCar(e.body.blocks).sections) }),
  'true: other fields': (e) => ({ ...e.body, tooBig: true, rebase: 7, blobs: null, more: [{ seq: -1 }] }),
};
const kinds = Object.keys(KINDS);
const count = { refused: 0, taken: 0 };
const reasons = new Map();
for (let done = 0; done < mutations;) {
  const batch = [];
  while (batch.length < Math.min(100, mutations - done)) {
    const e = { ...pick(corpus), n: below(1000) };
    const kind = kinds[(done + batch.length) % kinds.length];
    if (e.body.ops.length) e.n %= e.body.ops.length;
    else if (/operation|action|path|cid|prev$|create/.test(kind) && !/true|more|of another/.test(kind)) continue;
    const made = await KINDS[kind](e);
    batch.push({ kind, frame: Buffer.isBuffer(made) ? made : frameOf(made) });
  }
  const rows = await ask(VERDICT, [batch.map((b) => b.frame), key]);
  rows.forEach(({ problem, signed }, i) => {
    const { kind, frame } = batch[i];
    const show = () => `${kind}: ${problem} ${signed} ${untrue(frame)} ${frame.toString('hex')}`;
    if (problem === '') {
      count.taken++;
      const why = untrue(frame);
      same('a mutated frame that is taken is true', why === undefined, show);
    } else {
      count.refused++;
      same('a mutated frame that is taken is true', true, show);
    }
    if (kind.startsWith('true')) {
      same('a frame that stays true is taken', problem === '' && signed, show);
      reasons.set(kind, '');
    } else if (problem !== '') {
      const words = problem.replace(/^At byte \d+: |^(Path|Node|Commit) \S+?(, at byte \d+)?(, key \S+)?: /, '').replace(/bafyrei\w+|bafkrei\w+/g, '...');
      reasons.set(words, (reasons.get(words) ?? 0) + 1);
    }
    if (kind === 'more was done than told') same('a signed commit that has done more than it tells is refused', problem !== '' || untrue(frame) === undefined, show);
  });
  done += batch.length;
}
await db.end();

console.log(`note\t${count.refused} of ${mutations} mutated frames are refused, ${count.taken} taken`);
for (const [words, n] of [...reasons].filter(([, n]) => n).sort((a, b) => b[1] - a[1]).slice(0, 40)) console.log(`note\t${n} ${words}`);
same('mutated frames: some are refused, and some are not', count.refused > mutations / 2 && count.taken > mutations / 10, () => JSON.stringify(count));
printVerdicts();
