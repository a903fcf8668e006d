// Logs of PLC: random and mutated ones, and what a verifier says of them that was written from the specification
// (did:plc, "Key Rotation & Account Recovery"), over npm's @noble/curves and @ipld/dag-cbor. It is slow and plain: it
// keeps the list of operations in force, and tries the keys in order.
//
//   node plc.js check FILE...     the verdict of the verifier and of @did-plc/lib on each file, a JSON log
//   node plc.js logs SEED N       N random logs: 1 to 30 operations with forks, recoveries around 72 hours, tombstones,
//                                 keys of both curves, some malformed, and legacy operations; and N logs with something
//                                 changed in one that was valid, signed anew or not. A line for each, in columns:
//                                   what was done, the log as JSON (in hex),
//                                   the rule that it breaks (none: \N), and the entry that breaks it,
//                                   the rule that it breaks where all of the specification is asked for,
//                                   the entries' [nullified, signed by] as JSON if it is valid,
//                                   times and the state then, as JSON [[time, state], ...] if it is valid,
//                                   the verdict of @did-plc/lib (or \N where it was not asked: every LIB_EVERYth is),
//                                   may that differ?
//   node plc.js slow N KEYS FORKS a log of N operations with so many rotation keys each, signed by the last two of them by
//                                 turns, so that all are tried each time; and one whose genesis operation has as many rotation
//                                 keys as there are forks, one by each of them, from the last to the first, which nullifies
//                                 the one before; as JSON, a line each
//   node plc.js theft KEY KEY     three logs of label keys, as JSON, a line each: the first key; then the second one, by somebody who
//                                 had a lower rotation key; then the first again, by the owner, who nullifies that. The first log is
//                                 whole, the second ends with the theft, and the third is of another account with the second key
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isValidDatetime } from '@atproto/syntax';
import * as plc from '@did-plc/lib';
import * as cbor from '@ipld/dag-cbor';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { base32 } from 'multiformats/bases/base32';
import { base58btc } from 'multiformats/bases/base58';
import { CID } from 'multiformats/cid';
import { chance } from './chance.js';

const HOUR = 3600 * 1000;
const DAY = 24 * HOUR;
const curves = { p256: { lib: p256, codec: [0x80, 0x24] }, k256: { lib: secp256k1, codec: [0xe7, 0x01] } };
const sha256 = (b) => createHash('sha256').update(b).digest();
const iso = (ms) => new Date(ms).toISOString();
const clone = (value) => structuredClone(value);

// --- the verifier

class Refused extends Error {
  constructor(rule, at) { super(rule); this.rule = rule; this.at = at; }
}

const is_object = (v) => typeof v === 'object' && v !== null && !Array.isArray(v);
const is_string = (v) => typeof v === 'string';
const is_map = (v, of) => is_object(v) && Object.values(v).every(of);
const is_list = (v, of) => Array.isArray(v) && v.every(of);
const has_exactly = (v, names) => is_object(v) && Object.keys(v).sort().join() === [...names].sort().join();
const is_service = (v) => has_exactly(v, ['type', 'endpoint']) && is_string(v.type) && is_string(v.endpoint);

function is_cid(v) {
  try {
    const c = CID.parse(v);
    return c.version === 1 && c.code === 0x71 && c.multihash.code === 0x12 && c.multihash.size === 32 && c.toString() === v;
  } catch {
    return false;
  }
}

const is_sig = (v) => is_string(v) && /^[A-Za-z0-9_-]{86}$/.test(v) && Buffer.from(v, 'base64url').toString('base64url') === v;

function has_form(op) {
  if (!is_object(op)) return false;
  switch (op.type) {
    case 'plc_operation':
      return has_exactly(op, ['type', 'rotationKeys', 'verificationMethods', 'alsoKnownAs', 'services', 'prev', 'sig']) &&
        is_list(op.rotationKeys, is_string) && is_map(op.verificationMethods, is_string) && is_list(op.alsoKnownAs, is_string) &&
        is_map(op.services, is_service) && (op.prev === null || is_cid(op.prev)) && is_sig(op.sig);
    case 'plc_tombstone':
      return has_exactly(op, ['type', 'prev', 'sig']) && is_cid(op.prev) && is_sig(op.sig);
    case 'create':
      return has_exactly(op, ['type', 'signingKey', 'recoveryKey', 'handle', 'service', 'prev', 'sig']) &&
        [op.signingKey, op.recoveryKey, op.handle, op.service].every(is_string) && op.prev === null && is_sig(op.sig);
    default:
      return false;
  }
}

// A did:key of one of the two curves; undefined where it is none.
const parsed = new Map();
function parse_key(did_key) {
  if (!parsed.has(did_key)) {
    let key;
    try {
      if (!did_key.startsWith('did:key:z')) throw new Error('no did:key');
      const bytes = base58btc.decode(did_key.slice('did:key:'.length));
      const curve = Object.keys(curves).find((name) => curves[name].codec.every((b, i) => b === bytes[i]));
      const point = bytes.slice(2);
      if (curve === undefined || point.length !== 33) throw new Error('another codec');
      curves[curve].lib.Point.fromBytes(point).assertValidity();
      key = { lib: curves[curve].lib, point };
    } catch { /* none */ }
    parsed.set(did_key, key);
  }
  return parsed.get(did_key);
}

const verdicts = new Map();
function has_signed(did_key, data, sig) {
  const memo = did_key + sig + sha256(data).toString('hex');
  if (!verdicts.has(memo)) {
    const { lib, point } = parse_key(did_key);
    let good = false;
    try {
      good = lib.verify(new Uint8Array(Buffer.from(sig, 'base64url')), data, point, { prehash: true, lowS: true, format: 'compact' });
    } catch { /* r or s is out of bounds */ }
    verdicts.set(memo, good);
  }
  return verdicts.get(memo);
}

const rotation_keys = (op) => (op.type === 'create' ? [op.recoveryKey, op.signingKey] : op.rotationKeys ?? []);

function find_signer(keys, { sig, ...unsigned }, rule, at) {
  const data = cbor.encode(unsigned);
  for (const [index, key] of keys.entries()) {
    if (parse_key(key) === undefined) throw new Refused('signature', at);
    if (has_signed(key, data, sig)) return index;
  }
  throw new Refused(rule, at);
}

function check_strict(op, at) {
  if (cbor.encode(op).length > 7500) throw new Refused('strict', at);
  if (op.type !== 'plc_operation') return;
  const keys = op.rotationKeys;
  const methods = Object.values(op.verificationMethods);
  if (keys.length < 1 || keys.length > 5 || new Set(keys).size < keys.length || !keys.every(parse_key)) throw new Refused('strict', at);
  if (methods.length > 10 || !methods.every((m) => /^did:key:z[1-9A-HJ-NP-Za-km-z]+$/.test(m))) throw new Refused('strict', at);
}

function check_form(entry, at) {
  if (!is_object(entry)) throw new Refused('entry', at);
  if (!('operation' in entry) && 'prev' in entry && 'sig' in entry) throw new Refused('bare', at);
  if (!['did', 'cid', 'createdAt'].every((name) => is_string(entry[name]))) throw new Refused('entry', at);
  if (!isValidDatetime(entry.createdAt)) throw new Refused('entry', at);
  if (![undefined, null, true, false].includes(entry.nullified)) throw new Refused('entry', at);
  if (!has_form(entry.operation)) throw new Refused('form', at);
}

// Returns the entries as they have been read; throws Refused.
function verify(log, strict) {
  if (!Array.isArray(log)) throw new Refused('array', -1);
  if (log.length === 0) throw new Refused('empty', -1);
  const read = [];
  let active = []; // in force, from the genesis operation on
  for (const [at, entry] of log.entries()) {
    check_form(entry, at);
    const op = entry.operation;
    const block = cbor.encode(op);
    const cid = 'b' + base32.encode(Uint8Array.from([1, 0x71, 0x12, 0x20, ...sha256(block)])).slice(1);
    if (entry.cid !== cid) throw new Refused('cid', at);
    const item = { op, cid, time: Date.parse(entry.createdAt), claim: entry.nullified, nullified: false };

    let keys = rotation_keys(op);
    let rule = 'signature';
    if (at === 0) {
      if (op.prev !== null) throw new Refused('prev', at);
      if (entry.did !== 'did:plc:' + base32.encode(sha256(block)).slice(1, 25)) throw new Refused('did', at);
    } else {
      if (entry.did !== log[0].did) throw new Refused('did', at);
      const place = active.findIndex((other) => other.cid === op.prev);
      if (place < 0 || active[place].op.type === 'plc_tombstone') throw new Refused('prev', at);
      if (item.time <= read[at - 1].time) throw new Refused('time', at);
      keys = rotation_keys(active[place].op);
      const nullified = active.slice(place + 1);
      if (nullified.length > 0) {
        if (item.time - nullified[0].time > 72 * HOUR) throw new Refused('window', at);
        keys = keys.slice(0, nullified[0].signer);
        rule = 'authority';
      }
      for (const other of nullified) other.nullified = true;
      active = active.slice(0, place + 1);
    }
    if (strict) check_strict(op, at);
    item.signer = find_signer(keys, op, rule, at);
    item.signed_by = keys[item.signer];
    active.push(item);
    read.push(item);
  }
  for (const [at, item] of read.entries()) {
    if (typeof item.claim === 'boolean' && item.claim !== item.nullified) throw new Refused('nullified', at);
  }
  return read;
}

function judge(log, strict = false) {
  try {
    return { rule: null, at: null, read: verify(log, strict) };
  } catch (e) {
    if (!(e instanceof Refused)) throw e;
    return { rule: e.rule, at: e.at };
  }
}

// What the directory answered at a time.
function state_at(log, read, time) {
  const item = read.filter((i) => i.time <= time).at(-1);
  if (item === undefined || item.op.type === 'plc_tombstone') return null;
  const { rotationKeys, verificationMethods, alsoKnownAs, services } = item.op.type === 'create' ? plc.normalizeOp(item.op) : item.op;
  return { did: log[0].did, rotationKeys, verificationMethods, alsoKnownAs, services };
}

// --- the library

// What @did-plc/lib says of the operations, one after the other. It compares with the wall clock, which is given the
// time of each operation here.
async function library(log) {
  const now = Date.now;
  let ops = [];
  try {
    for (const entry of log) {
      const createdAt = new Date(entry.createdAt);
      Date.now = () => createdAt.getTime();
      const { nullified } = await plc.assureValidNextOp(entry.did, ops, entry.operation);
      ops = ops.filter((op) => !nullified.some((cid) => cid.equals(op.cid)));
      ops.push({ did: entry.did, operation: entry.operation, cid: CID.parse(entry.cid), nullified: false, createdAt });
    }
    return log.length > 0;
  } catch {
    return false;
  } finally {
    Date.now = now;
  }
}

// Where the two may differ:
// - the library refuses 0 and more than 5 rotation keys, and malformed keys of any place, which practice has;
// - it takes the signature in other encodings, DER, and a high s of P-256, and other forms of an operation;
// - it is asked about operations only: not about times, marks, and whose entry it is.
function may_differ(log, rule) {
  if (rule !== null) return ['form', 'entry', 'bare', 'signature', 'authority', 'time', 'nullified', 'did', 'cid'].includes(rule) &&
    (!['signature', 'authority'].includes(rule) || log.some((entry) => is_object(entry?.operation) && is_high(entry.operation.sig)));
  return log.some(({ operation: op }) => {
    const keys = rotation_keys(op);
    const methods = Object.values(op.verificationMethods ?? {});
    return op.type !== 'plc_tombstone' && (keys.length < 1 || keys.length > 5 || ![...keys, ...methods].every(parse_key));
  });
}
const is_high = (sig) => is_string(sig) && Buffer.from(sig, 'base64url')[32] > 0x7f;

// --- random logs

const [, , mode, ...args] = process.argv;
const { below, pick, bytes } = chance(Number(args[0]) || 0);
const chance_of = (percent) => below(100) < percent;

function new_key(curve) {
  const { lib, codec } = curves[curve];
  const secret = bytes(32);
  const sign = (data) => lib.sign(data, secret, { prehash: true, lowS: true, format: 'compact' });
  return { sign, did: 'did:key:' + base58btc.encode(Uint8Array.from([...codec, ...lib.getPublicKey(secret, true)])) };
}

const pool = Array.from({ length: 40 }, (_, i) => new_key(i % 3 === 0 ? 'p256' : 'k256'));
const signers = new Map(pool.map((key) => [key.did, key]));
const malformed = ['no key', '', 'did:key:', pool[0].did.slice(8), pool[1].did + '1', 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK',
  'did:key:zQ3shqwJEJyMBsBXCWyCBpUBMqxcon9oHB7mCvx4sSpMdLJw!', 'did:key:zDnaeUKTWUXc1HDpGfKbEK31nKLN19yX5aunFd7VK1CUMeyJX'];
const texts = ['a.test', 'née.test', '日本語', '', '"q"', 'x'.repeat(300), 'at://a.test', 'http://https://a.test', 'https://a.test'];

function some_keys() {
  const keys = Array.from({ length: pick([1, 1, 2, 2, 2, 3, 3, 4, 5]) }, () => pick(pool).did);
  if (chance_of(2)) return [];
  if (chance_of(2)) return [...keys, ...Array.from({ length: 5 }, () => pick(pool).did)];
  if (chance_of(3)) keys.splice(below(keys.length + 1), 0, pick(keys));
  if (chance_of(4)) keys.splice(below(keys.length + 1), 0, pick(malformed));
  return keys;
}

// Longer than an index takes, and does not compress.
const long = (length) => Buffer.from(bytes(length)).toString('base64').slice(0, length);

function fields(type, prev) {
  switch (type) {
    case 'create':
      return { type, signingKey: pick(pool).did, recoveryKey: pick(pool).did, handle: pick(texts), service: pick(texts), prev };
    case 'plc_tombstone':
      return { type, prev };
    default:
      return { type, rotationKeys: some_keys(), alsoKnownAs: chance_of(80) ? ['at://' + pick(texts)] : [],
        verificationMethods: chance_of(1) ? Object.fromEntries(Array.from({ length: 11 }, (_, i) => [(i ? 'k' : long(6000)) + i, pick(pool).did])) :
          { ...(chance_of(90) ? { atproto: pick(pool.slice(0, 4)).did } : {}), ...(chance_of(20) ? { [pick(texts)]: pick(malformed) } : {}) },
        services: chance_of(80) ? { atproto_pds: { type: 'AtprotoPersonalDataServer', endpoint: pick(texts) } } :
          chance_of(4) ? { atproto_pds: { type: '', endpoint: long(7000 + below(300)) } } : {}, prev };
  }
}

const encode = (sig) => Buffer.from(sig).toString('base64url');
const sign = (unsigned, key) => ({ ...unsigned, sig: encode(key.sign(cbor.encode(unsigned))) });
const cid_of = (op) => 'b' + base32.encode(Uint8Array.from([1, 0x71, 0x12, 0x20, ...sha256(cbor.encode(op))])).slice(1);

// One of these keys if we can sign with it, else any.
function signer_of(keys) {
  const known = keys.filter((did) => signers.has(did));
  return known.length > 0 && !chance_of(1) ? signers.get(pick(known)) : pick(pool);
}

function random_log() {
  const count = pick([1, 1, 2, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30]);
  const genesis = fields(chance_of(20) ? 'create' : 'plc_operation', null);
  const op = sign(genesis, signer_of(rotation_keys(genesis)));
  const did = 'did:plc:' + base32.encode(sha256(cbor.encode(op))).slice(1, 25);
  const log = [];
  const add = (operation, time) => log.push({ did, operation, cid: cid_of(operation), createdAt: iso(time) });
  add(op, Date.UTC(2023, below(12), 1 + below(28), below(24), below(60), below(60), below(1000)));

  while (log.length < count) {
    const { read } = judge(log);
    if (read === undefined) break; // it stays as it is
    const active = read.filter((item) => !item.nullified);
    const head = active.at(-1);
    const fork = active.length > 1 && (head.op.type === 'plc_tombstone' ? chance_of(90) : rotation_keys(head.op).length === 0 || chance_of(25));
    const prev = fork ? active[Math.max(0, active.length - 2 - pick([0, 0, 0, 1, 1, 2, 5]))] : head;
    const first = active[active.indexOf(prev) + 1];
    let time = head.time + pick([1, 1 + below(1000), below(HOUR), below(DAY), below(10 * DAY)]);
    let keys = rotation_keys(prev.op);
    if (fork && !chance_of(5)) {
      if (first.signer === 0 && !chance_of(10)) break;
      keys = keys.slice(0, first.signer);
      const edge = first.time + 72 * HOUR + pick([-1, 0, 0, 0, 1]);
      time = edge > head.time && chance_of(40) ? edge : head.time + 1 + below(HOUR);
    }
    if (!signers.has(keys.find((did) => signers.has(did))) && !chance_of(3)) break;
    const target = chance_of(1) ? pick(read) : prev;
    const type = chance_of(4) ? 'plc_tombstone' : 'plc_operation';
    add(sign(fields(type, chance_of(0.3) ? null : target.cid), signer_of(keys)), Math.max(time, head.time + (chance_of(1) ? 0 : 1)));
  }
  // the marks, as the directory gives them; or as a newer export, without
  const { read } = judge(log);
  const form = below(3);
  for (const [i, entry] of log.entries()) {
    if (form > 0) entry.nullified = read?.[i].nullified ?? false;
    else Object.assign(entry, { type: 'sequenced_op', seq: 1000 + 7 * i });
  }
  return log;
}

// --- mutations

function high_s(sig, curve) {
  const n = curves[curve].lib.Point.Fn.ORDER;
  const b = Buffer.from(sig, 'base64url');
  const s = n - BigInt('0x' + b.subarray(32).toString('hex'));
  return s < 0n ? sig : encode(Buffer.concat([b.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex')]));
}

function to_der(sig) {
  const b = Buffer.from(sig, 'base64url');
  const int = (x) => { const trimmed = Buffer.from(x.subarray(x.findIndex((v) => v !== 0))); return trimmed[0] & 0x80 ? Buffer.concat([Buffer.from([0]), trimmed]) : trimmed; };
  const parts = [b.subarray(0, 32), b.subarray(32)].map(int).map((x) => Buffer.concat([Buffer.from([2, x.length]), x]));
  return encode(Buffer.concat([Buffer.from([0x30, parts[0].length + parts[1].length]), ...parts]));
}

// Everything in a log that can be replaced: [container, key].
function places(value, found = []) {
  if (typeof value === 'object' && value !== null) {
    for (const key of Object.keys(value)) {
      found.push([value, key]);
      places(value[key], found);
    }
  }
  return found;
}

const anything = () => pick([null, true, false, 0, -1, 1.5, 1e300, '', 'a', [], {}, [[]], { a: null }, 'bafy', iso(0), pool[0].did, '\u0001', '𝄞']);
// the operation is another one now: with its CID, and signed anew by the same key or by any
const renew = (entry, key) => { if (key) { const { sig, ...rest } = entry.operation; entry.operation = sign(rest, key); } entry.cid = cid_of(entry.operation); };

const mutations = {
  nothing: () => {},
  swap: (log, i) => { const j = below(log.length); [log[i], log[j]] = [log[j], log[i]]; },
  drop: (log, i) => { log.splice(i, 1); },
  twice: (log, i) => { log.splice(i, 0, clone(log[i])); },
  again: (log, i) => { log.push({ ...clone(log[i]), createdAt: iso(Date.parse(log.at(-1).createdAt) + 1) }); },
  truncate: (log, i) => { log.splice(i + 1); },
  'without nullified entries': (log) => { const { read } = judge(log); for (let i = log.length - 1; i >= 0; i--) if (read[i].nullified) log.splice(i, 1); },
  time: (log, i) => { log[i].createdAt = iso(Date.parse(pick(log).createdAt) + pick([0, 1, -1, 72 * HOUR, 72 * HOUR + 1, -DAY])); },
  'time zone': (log, i) => { log[i].createdAt = log[i].createdAt.replace('Z', '+00:00'); },
  'no time': (log, i) => { log[i].createdAt = pick(['now', '2024-01-01', '2024-01-01T00:00:00', '2024-13-01T00:00:00Z', 5, null, '2024-01-01 00:00:00Z']); },
  mark: (log, i) => { log[i].nullified = pick([true, false, null, 'true', 0]); },
  'another mark': (log, i) => { const { read } = judge(log); log[i].nullified = !read[i].nullified; },
  'no marks': (log) => { for (const entry of log) delete entry.nullified; },
  did: (log, i) => { log[i].did = pick(['did:plc:' + 'a'.repeat(24), log[i].did.slice(0, 31), log[i].did + 'a', 'did:web:a.test']); },
  dids: (log) => { for (const entry of log) entry.did = 'did:plc:' + 'a'.repeat(24); },
  cid: (log, i) => { log[i].cid = pick(log).cid.replace(/.$/, pick(['a', 'q', 'E'])); },
  bare: (log, i) => { log[i] = log[i].operation; },
  'bare log': (log) => { for (const [i, entry] of log.entries()) log[i] = entry.operation; },
  field: (log, i) => { log[i][pick(['more', 'seq', 'type'])] = anything(); },
  'a field of the operation': (log, i) => { log[i].operation[pick(['more', 'did', 'cid', '$type'])] = anything(); renew(log[i]); },
  'one field less': (log, i) => { delete log[i].operation[pick(Object.keys(log[i].operation))]; if (chance_of(50)) renew(log[i]); },
  'one thing': (log) => { const [container, key] = pick(places(log)); container[key] = anything(); },
  'one thing less': (log) => { const [container, key] = pick(places(log)); if (Array.isArray(container)) container.splice(key, 1); else delete container[key]; },
  'one thing of the operation': (log, i) => { const [container, key] = pick(places(log[i].operation)); container[key] = anything(); renew(log[i], chance_of(50) ? pick(pool) : undefined); },
  'a bit of sig': (log, i) => { const b = Buffer.from(log[i].operation.sig, 'base64url'); b[below(64)] ^= 1 << below(8); log[i].operation.sig = encode(b); renew(log[i]); },
  'high s': (log, i) => { log[i].operation.sig = high_s(log[i].operation.sig, pick(['k256', 'p256'])); renew(log[i]); },
  der: (log, i) => { log[i].operation.sig = to_der(log[i].operation.sig); renew(log[i]); },
  encoding: (log, i) => {
    const { sig } = log[i].operation;
    log[i].operation.sig = pick([sig + '==', sig + '=', sig + '\n', ' ' + sig, sig.slice(0, 85), sig + 'A',
      sig.slice(0, 85) + String.fromCharCode(sig.charCodeAt(85) + 1), sig.replace(/-/g, '+').replace(/_/g, '/')]);
    renew(log[i]);
  },
  'sig of another': (log, i) => { log[i].operation.sig = pick(log).operation.sig; renew(log[i]); },
  'signed by another': (log, i) => { renew(log[i], pick(pool)); },
  'prev of another': (log, i) => { log[i].operation.prev = pick([null, ...log.map((entry) => entry.cid)]); renew(log[i], pick(pool)); },
  'the last one signed anew': (log) => {
    const entry = log.at(-1);
    const keys = log.length > 1 ? log.flatMap((other) => (other.cid === entry.operation.prev ? rotation_keys(other.operation) : [])) : rotation_keys(entry.operation);
    if (entry.operation.type === 'plc_operation') entry.operation.alsoKnownAs = ['at://other.test'];
    renew(entry, signer_of(keys));
    if (log.length === 1) entry.did = 'did:plc:' + base32.encode(sha256(cbor.encode(entry.operation))).slice(1, 25);
  },
};

function mutate(log) {
  const what = pick(Object.keys(mutations));
  const copy = clone(log);
  mutations[what](copy, below(copy.length));
  return [what, copy];
}

// --- what is printed

const LIB_EVERY = Number(process.env.LIB_EVERY) || 4;
let count = 0;

async function print(what, log) {
  const { rule, at, read } = judge(log);
  const strict = judge(log, true);
  const nul = '\\N';
  let history = nul;
  let states = nul;
  if (read !== undefined) {
    const span = read.at(-1).time - read[0].time;
    const times = [read[0].time - 1, pick(read).time, pick(read).time - 1, read[0].time + below(span + 2)];
    history = JSON.stringify(read.map((item) => [item.nullified, item.signed_by]));
    states = JSON.stringify(times.map((time) => [iso(time), state_at(log, read, time)]));
  }
  const asked = count++ % LIB_EVERY === 0 && Array.isArray(log);
  console.log([what, Buffer.from(JSON.stringify(log)).toString('hex'), rule ?? nul, at ?? nul, strict.rule ?? nul,
    Buffer.from(history).toString('hex'), Buffer.from(states).toString('hex'),
    asked ? await library(log) : nul, asked ? may_differ(log, rule) : nul].join('\t'));
}

function forks(count) {
  const keys = Array.from({ length: count }, () => new_key('k256'));
  const log = [];
  for (let i = 0; i <= keys.length; i++) {
    const operation = sign({ type: 'plc_operation', rotationKeys: i === 0 ? keys.map((key) => key.did) : [], alsoKnownAs: [], verificationMethods: {},
      services: {}, prev: i === 0 ? null : log[0].cid }, keys[keys.length - Math.max(i, 1)]);
    log.push({ did: log[0]?.did ?? 'did:plc:' + base32.encode(sha256(cbor.encode(operation))).slice(1, 25), operation, cid: cid_of(operation),
      createdAt: iso(Date.UTC(2024, 0, 1) + i) });
  }
  console.log(JSON.stringify(log));
}

if (mode === 'check') {
  for (const file of args) {
    const log = JSON.parse(readFileSync(file, 'utf8'));
    const { rule } = judge(log);
    console.log([file, rule ?? '', await library(log)].join('\t'));
  }
} else if (mode === 'slow') {
  const keys = Array.from({ length: Number(args[1]) }, () => new_key('k256'));
  const log = [];
  for (let i = 0; i < Number(args[0]); i++) {
    const operation = sign({ type: 'plc_operation', rotationKeys: keys.map((key) => key.did), alsoKnownAs: [], verificationMethods: {}, services: {},
      prev: i === 0 ? null : log[i - 1].cid }, keys[keys.length - 1 - (i % 2)]);
    log.push({ did: log[0]?.did ?? 'did:plc:' + base32.encode(sha256(cbor.encode(operation))).slice(1, 25), operation, cid: cid_of(operation),
      createdAt: iso(Date.UTC(2024, 0, 1) + i) });
  }
  console.log(JSON.stringify(log));
  forks(Number(args[2]));
} else if (mode === 'theft') {
  const [owner, server, thief] = Array.from({ length: 3 }, () => new_key('k256'));
  const operation = (keys, label, prev, key) => sign({ type: 'plc_operation', rotationKeys: keys.map((k) => k.did), alsoKnownAs: [],
    verificationMethods: { atproto_label: label }, services: {}, prev }, key);
  const genesis = operation([owner, server], args[0], null, server);
  const stolen = operation([server], args[1], cid_of(genesis), server);
  const back = operation([owner, server], args[0], cid_of(genesis), owner);
  const entries = (did, operations) => operations.map((op, i) => ({ did, operation: op, cid: cid_of(op), createdAt: iso(Date.UTC(2024, 1, 1 + i)) }));
  const did_of = (op) => 'did:plc:' + base32.encode(sha256(cbor.encode(op))).slice(1, 25);
  const other = operation([thief], args[1], null, thief);
  console.log(JSON.stringify(entries(did_of(genesis), [genesis, stolen, back])));
  console.log(JSON.stringify(entries(did_of(genesis), [genesis, stolen])));
  console.log(JSON.stringify(entries(did_of(other), [other])));
} else {
  const n = Number(args[1]);
  let valid;
  for (let i = 0; i < n; i++) {
    const log = random_log();
    await print('random', log);
    if (judge(log).rule === null) valid = log;
    if (valid === undefined) continue;
    await print(...mutate(valid));
    verdicts.clear();
  }
}
