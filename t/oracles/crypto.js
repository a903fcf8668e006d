// Signatures by npm's @noble/curves, and what it and @atproto/crypto say of them.
//
//   node crypto.js signatures SEED N M  N signatures of each curve, each once more with a bit turned in its
//                                       data, its r, its s or its key; a line for each: what, data in hex,
//                                       signature in hex, key, is the key one, the verdict of @atproto/crypto,
//                                       of @noble/curves (a key that is none makes both false)
//                                       then the same of M rounds of what nobody signs by chance: signatures made so that
//                                       verifying them meets the point at infinity (r = -e/d, where no s helps)
//                                       or adds a point to itself, with small or extreme r, s, u1, u2 and keys, and
//                                       keys at the field's edges; the first column is the kind
//   node crypto.js objects SEED N       N labels, commits and operations of PLC, signed over the blocks of
//                                       @ipld/dag-cbor, each once more with something changed, and what is signed
//                                       but no operation: kind, the object (JSON or block) in hex, key, has the
//                                       key signed it, and of an operation that begins an account its DID (else \N)
//   node crypto.js labels SEED FILE     signs the labels of FILE, each a line of the key's number, 0 or 1, and the JSON:
//                                       two lines with the keys, then a line for each label
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { verifySignature } from '@atproto/crypto';
import * as cbor from '@ipld/dag-cbor';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { base32 } from 'multiformats/bases/base32';
import { base58btc } from 'multiformats/bases/base58';
import { CID } from 'multiformats/cid';
import { chance } from './chance.js';

const [, , mode, seed, count, more] = process.argv;
const curves = { p256: { lib: p256, codec: [0x80, 0x24] }, k256: { lib: secp256k1, codec: [0xe7, 0x01] } };

const { below, pick, bytes } = chance(Number(seed));
const hex = (b) => Buffer.from(b).toString('hex');
const sha256 = (b) => createHash('sha256').update(b).digest();

const did_key = (curve, point) => 'did:key:' + base58btc.encode(Uint8Array.from([...curves[curve].codec, ...point]));

function new_key(curve) {
  const { lib } = curves[curve];
  const secret = bytes(32); // the group's order is so near to 2^256 that each is one
  const point = lib.getPublicKey(secret, true);
  const sign = (data) => lib.sign(data, secret, { prehash: true, lowS: true, format: 'compact' });
  return { curve, point, sign, did: did_key(curve, point) };
}

function turned(b) {
  const copy = Uint8Array.from(b);
  copy[below(copy.length)] ^= 1 << below(8);
  return copy;
}

// --- signatures

function noble(curve, data, signature, point) {
  try {
    return curves[curve].lib.verify(signature, data, point, { prehash: true, lowS: true, format: 'compact' });
  } catch {
    return false;
  }
}

async function atproto(key, data, signature) {
  try {
    return await verifySignature(key, data, signature);
  } catch {
    return false;
  }
}

function on_curve(curve, point) {
  try {
    curves[curve].lib.Point.fromBytes(point).assertValidity();
    return true;
  } catch {
    return false;
  }
}

async function row(what, curve, data, signature, point) {
  const key = did_key(curve, point);
  console.log([what, hex(data), hex(signature), key, on_curve(curve, point),
    await atproto(key, data, signature), noble(curve, data, signature, point)].join('\t'));
}

async function signatures() {
  for (const curve of Object.keys(curves)) {
    let key;
    for (let i = 0; i < count; i++) {
      if (i % 20 === 0) key = new_key(curve);
      // the first ones around whole mebibytes, in which the server hashes
      const data = bytes(i < 4 ? 2 ** 20 * (1 + (i >> 1)) + (i & 1) : 1 + below(300));
      const signature = key.sign(data);
      const r = signature.subarray(0, 32);
      const s = signature.subarray(32);
      await row('signed', curve, data, signature, key.point);
      switch (i % 5) {
        case 0: await row('data', curve, turned(data), signature, key.point); break;
        case 1: await row('r', curve, data, Uint8Array.from([...turned(r), ...s]), key.point); break;
        case 2: await row('s', curve, data, Uint8Array.from([...r, ...turned(s)]), key.point); break;
        case 3: await row('key', curve, data, signature, Uint8Array.from([key.point[0], ...turned(key.point.subarray(1))])); break;
        case 4: await row('parity', curve, data, signature, Uint8Array.from([key.point[0] ^ 1, ...key.point.subarray(1)])); break;
      }
    }
  }
}

// --- crafted signatures

// The point with this x, or undefined.
function lift(curve, x) {
  const { Point } = curves[curve].lib;
  try {
    return Point.fromBytes(Uint8Array.from([2 + below(2), ...Point.Fp.toBytes(x)]));
  } catch {
    return undefined;
  }
}

// Whoever may choose R and s has a key for every e: with r the x of R, Q = (s R - e G) / r.
function key_of(curve, e, R, s) {
  const { BASE, Fn } = curves[curve].lib.Point;
  const r = Fn.create(R.x);
  return R.multiply(s).add(BASE.multiply(e).negate()).multiply(Fn.inv(r));
}

async function crafted() {
  for (const [curve, { lib }] of Object.entries(curves)) {
    const { BASE, Fn, Fp } = lib.Point;
    const n = Fn.ORDER;
    const p = Fp.ORDER;
    const any = () => Fn.create(BigInt('0x' + hex(bytes(32))));
    const small = () => BigInt(1 + below(8));
    const extreme = () => pick([small(), n - small(), n / 2n + small(), n / 2n - small(), 2n ** BigInt(below(256))]);
    for (let i = 0; i < more; i++) {
      const data = bytes(1 + below(100));
      const e = Fn.create(BigInt('0x' + hex(sha256(data))));
      const say = (what, r, s, Q) => row(what, curve, data, Uint8Array.from([...Fn.toBytes(r), ...Fn.toBytes(s)]), Q.toBytes(true));
      const low = (s) => (s > n / 2n ? n - s : s);

      // the point at infinity: for the keys G and -G, a small one, any
      for (const d of [1n, n - 1n, small(), any()]) {
        const r = Fn.neg(Fn.div(e, d));
        for (const s of [1n, low(any()), n / 2n]) await say('infinity', r, s, BASE.multiply(d));
        // and one step beside it
        await say('beside infinity', Fn.add(r, 1n), low(any()), BASE.multiply(d));
      }
      // a point added to itself: u1 G = u2 Q, and R is twice that
      const k = any();
      const r = Fn.create(BASE.multiply(k).x);
      await say('twice', r, low(Fn.div(Fn.mul(2n, e), k)), BASE.multiply(Fn.div(e, r)));
      // keys that are near to G, and signatures with them
      for (const d of [1n, n - 1n, 2n, n - 2n, (n + 1n) / 2n, (n - 1n) / 2n]) {
        await say('near G', r, low(Fn.div(Fn.add(e, Fn.mul(r, d)), k)), BASE.multiply(d));
      }
      // R by its x: small, or beyond n, where r is x - n
      const x = pick([() => small(), () => n + BigInt(below(2 ** 30)), () => p - small(), any])();
      const R = lift(curve, x);
      if (R !== undefined && Fn.create(x) !== 0n) {
        const s = low(pick([small, any, extreme])());
        const Q = key_of(curve, e, R, s);
        if (!Q.is0()) {
          await say('r by x', Fn.create(x), s, Q);
          if (x < n) await say('r + 1', Fn.add(x, 1n), s, Q);
        }
      }
      // u1 and u2: s is e / u1 or r / u2
      for (const s of [Fn.div(e, extreme()), Fn.div(r, extreme())].map(low)) {
        const Q = key_of(curve, e, BASE.multiply(k), s);
        if (!Q.is0()) await say('u1 or u2', r, s, Q);
      }
      // keys at the field's edges
      const edge = pick([0n, small(), p - small(), p, p + small(), 2n ** 256n - small(), n, 2n ** BigInt(below(256))]);
      const point = Uint8Array.from([pick([2, 3]), ...Buffer.from(edge.toString(16).padStart(64, '0'), 'hex')]);
      await row('edge', curve, data, Uint8Array.from([...Fn.toBytes(r), ...Fn.toBytes(low(any()))]), point);
    }
  }
}

// --- objects

const words = ['spam', '!warn', 'née', '日本語', '', '"quoted"', 'back\\slash', '\u0001\t\n', '𝄞', 'a'.repeat(300)];
const cid = () => CID.createV1(0x71, { code: 0x12, size: 32, digest: bytes(32), bytes: Uint8Array.from([0x12, 0x20, ...bytes(32)]) });
const did = () => 'did:plc:' + base32.encode(bytes(15)).slice(1);
const maybe = (fields) => (below(2) ? fields : {});
const print = (kind, object, key, signed, made = '\\N') => console.log([kind, hex(object), key, signed, made].join('\t'));
const json = (object) => Buffer.from(JSON.stringify(object));

function label(key) {
  const fields = { ver: 1, src: did(), uri: pick(['at://' + did() + '/app.bsky.feed.post/3jzfcijpj2z2a', did()]), val: pick(words),
    cts: new Date(below(2 ** 31) * 1000).toISOString(), ...maybe({ cid: cid().toString() }), ...maybe({ neg: !below(3) }),
    ...maybe({ exp: new Date(below(2 ** 31) * 1000).toISOString() }) };
  const sig = { $bytes: Buffer.from(key.sign(cbor.encode(fields))).toString('base64').replace(/=+$/, '') };
  // the form of the API: other fields, no ver
  const { ver, ...rest } = { $type: 'com.atproto.label.defs#label', ...fields, sig };
  print('label', json(below(2) ? { ...rest, more: pick(words) } : { ...rest, ver }), key.did, true);
  print('label', json({ ...fields, sig, [pick(['src', 'uri', 'val', 'cts', 'cid', 'exp'])]: 'changed' }), key.did, false);
  print('label', json({ ...fields, neg: !fields.neg, sig }), key.did, false);
}

function commit(key) {
  const version = pick([2, 3, 3]);
  const prev = pick([null, cid()]);
  const rev = () => '3' + Array.from({ length: 12 }, () => pick('234567abcdefghijklmnopqrstuvwxyz')).join('');
  const fields = { did: did(), version, data: cid(), ...(version === 3 || below(2) ? { prev } : {}), ...(version === 3 || below(2) ? { rev: rev() } : {}) };
  const sig = key.sign(cbor.encode(fields));
  print('commit', cbor.encode({ ...fields, sig }), key.did, true);
  print('commit', cbor.encode({ ...fields, ...pick([{ did: did() }, { data: cid() }, { rev: rev() }, { prev: cid() }, { more: 1 }]), sig }), key.did, false);
}

// Fields of an operation that are not as they must be, in one thing.
function spoilt(fields) {
  const names = Object.keys(fields).filter((name) => name !== 'type');
  const name = pick(names);
  const { [name]: value, ...rest } = fields;
  const within = typeof value === 'object' && value !== null && (Array.isArray(value) || Object.keys(value).length);
  return pick([
    () => rest,
    () => ({ ...fields, [pick(['did', 'sig2', '日本語', 'type ', 'endpoint'])]: pick([null, '', 1, {}]) }),
    () => ({ ...fields, [name]: pick([1, true, { [name]: value }, [[value]], [null]]) }),
    () => ({ ...fields, prev: fields.type === 'plc_tombstone' ? null : pick(['', 'null', 'Qm' + 'a'.repeat(44), {}]) }),
    () => ({ ...fields, type: pick(['plc_operations', '', null, ['create']]) }),
    ...(within && Array.isArray(value) ? [() => ({ ...fields, [name]: [...value, pick([1, null, {}, []])] })] : []),
    ...(within && name === 'services' ? [
      () => ({ ...fields, services: { ...value, other: pick(['', null, {}, { type: '' }, { type: '', endpoint: null }, { type: '', endpoint: '', more: '' }]) } })] : []),
  ])();
}

function operation(key) {
  const other = new_key(pick(Object.keys(curves)));
  const fields = pick([
    { type: 'plc_operation', rotationKeys: [key.did, other.did], verificationMethods: { ...maybe({ atproto: other.did }), ...maybe({ [pick([...words, '$bytes', '$link'])]: 'AAAA' }) },
      alsoKnownAs: [pick(words)], services: maybe({ atproto_pds: { type: 'AtprotoPersonalDataServer', endpoint: pick(words) } }),
      prev: pick([null, cid().toString()]) },
    { type: 'create', signingKey: key.did, recoveryKey: other.did, handle: pick(words), service: pick(words), prev: null },
    { type: 'plc_tombstone', prev: cid().toString() }]);
  const sig = Buffer.from(key.sign(cbor.encode(fields))).toString('base64url');
  const signed = { ...fields, sig };
  print('operation', json(signed), key.did, true,
    fields.prev === null ? 'did:plc:' + base32.encode(sha256(cbor.encode(signed))).slice(1, 25) : undefined);
  print('operation', json({ ...signed, ...pick([{ prev: cid().toString() }, { more: true }, { handle: 'changed' }]) }), key.did, false);
  print('operation', json(signed), other.did, false);
  const wrong = spoilt(fields);
  const wrong_sig = Buffer.from(key.sign(cbor.encode(wrong))).toString('base64url');
  print('spoilt', json({ ...wrong, sig: wrong_sig }), key.did, false);
}

function objects() {
  for (let i = 0; i < count; i++) {
    const key = new_key(pick(Object.keys(curves)));
    label(key);
    commit(key);
    operation(key);
  }
}

function labels() {
  const keys = [new_key('k256'), new_key('p256')];
  for (const key of keys) console.log(key.did);
  for (const line of readFileSync(count, 'utf8').trim().split('\n')) {
    const [, key, text] = line.match(/^(\d) (.*)$/);
    const label = JSON.parse(text);
    const sig = Buffer.from(keys[key].sign(cbor.encode(label))).toString('base64').replace(/=+$/, '');
    console.log(JSON.stringify({ ...label, sig: { $bytes: sig } }));
  }
}

if (mode === 'signatures') {
  await signatures();
  await crafted();
} else if (mode === 'labels') labels();
else objects();
