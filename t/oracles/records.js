// Records and blocks, as npm's packages @atcute/cbor, @atcute/cid and @ipld/dag-cbor see them, and as the
// server does.
//
//   node records.js SEED RECORDS BLOCKS DATABASE     with PGHOST, PGPORT and PGUSER set
//
// Prints lines of "ok" or "not ok", a tab and what was compared, and lines of "note", a tab and a remark.
//
// A value is held here as null, a boolean, a BigInt (every integer), a string, a Uint8Array, a Link, an
// Array or a Map. `write` and `read` below are a third implementation, with no other purpose than to be
// easily seen to say what the specification says: where the packages and the server differ, it decides.
import { createHash } from 'node:crypto';
import * as atcute from '@atcute/cbor';
import * as atcuteCid from '@atcute/cid';
import { isValidAtUri, isValidDid } from '@atproto/syntax';
import * as ipld from '@ipld/dag-cbor';
import { base32 } from 'multiformats/bases/base32';
import { CID } from 'multiformats/cid';
import pg from 'pg';
import { chance } from './chance.js';
import { verdicts } from './verdicts.js';

const [seed, records, blocks] = process.argv.slice(2, 5).map(Number);
const database = process.argv[5];
const BATCH = 500;
const SAFE = BigInt(Number.MAX_SAFE_INTEGER);
const MAX = 2n ** 63n - 1n;
const DEPTH = 512; // how deep the server reads

// --- where they differ -----------------------------------------------------------------------------

// What is against the specification, by the names that `read` gives it, and is read by a package all the
// same. A block that the server refuses and a package reads must have faults of these kinds and no other.
const READ_ALL_THE_SAME = {
  '@atcute/cbor': {
    'float': 'reads 64-bit floats, which the protocol has not',
    'too deep': 'has no limit; nor has the specification, and the server has to have one',
  },
  '@ipld/dag-cbor': {
    'float': 'reads floats of all sizes',
    'undefined': 'reads undefined as null',
    'text is not UTF-8': 'puts U+FFFD for bytes that are not UTF-8',
    'integer beyond 64 bits': 'reads integers of 65 bits',
    'key order': 'does not look at the order of keys, only for keys that come twice',
    'CIDv0': 'reads CIDs of version 0',
    'too deep': 'has no limit but its stack',
  },
};

// What the specification allows, and a package refuses. A block that the server reads and a package
// refuses must have one of these.
const REFUSED_ALL_THE_SAME = {
  '@atcute/cbor': {
    'integer beyond 2^53': 'takes integers that a double holds only',
    'CID not blessed': 'takes links of the codecs and the hash of the protocol only, which are the model, not the codec',
  },
  '@ipld/dag-cbor': {
    'byte order mark': 'leaves out U+FEFF at the beginning of a text, so that two keys can become one',
  },
};

// The text of a CID that multiformats takes, and is none to the server.
const TAKEN_ALL_THE_SAME = {
  'padding': 'leaves out = at the end',
  'upper case': 'takes letters of either case behind the b',
};

// What a package cannot write.
const NOT_WRITTEN = {
  '@atcute/cbor': { ...REFUSED_ALL_THE_SAME['@atcute/cbor'],
    'constructor': 'a key "constructor" hides what it knows a plain object by' },
  '@ipld/dag-cbor': {},
};

// What a package reads, and writes as something else, or not at all.
const NOT_WRITTEN_AGAIN = {
  '@atcute/cbor': { 'constructor': 'see above', 'special key': 'a key $link or $bytes is taken for a link or bytes' },
  '@ipld/dag-cbor': { 'byte order mark': 'leaves it out', 'CID beyond 2^53': 'takes codes that a double holds only' },
};

// --- values ----------------------------------------------------------------------------------------

class Link {
  constructor(bytes) { this.bytes = bytes; }
  toString() { return base32.encode(this.bytes); }
  get blessed() {
    const [version, codec, hash, length] = this.bytes;
    return this.bytes.length === 36 && version === 1 && (codec === 0x55 || codec === 0x71) && hash === 0x12 && length === 32;
  }
}

const utf8 = new TextEncoder();
const compareBytes = (a, b) => a.length - b.length || Buffer.compare(a, b);

// Calls f with each value and the path to it.
function walk(value, f, path = '$') {
  f(value, path);
  if (Array.isArray(value)) value.forEach((item, i) => walk(item, f, `${path}[${i}]`));
  else if (value instanceof Map) for (const [key, item] of value) walk(item, f, path + step(key));
}

const step = (key) => /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(key) ? `.${key}` : `[${quote(key)}]`;

// A text in JSON as dag_cbor_to_json has it.
const quote = (text) => JSON.stringify(text).replace(/\\[bf]|\\[^bf]/g, (e) => ({ '\\b': '\\u0008', '\\f': '\\u000c' })[e] ?? e);

function sorted(map) {
  return [...map].map(([key, value]) => [utf8.encode(key), key, value]).sort((a, b) => compareBytes(a[0], b[0]));
}

const base64 = (bytes) => Buffer.from(bytes).toString('base64').replace(/=+$/, '');

// Its JSON, byte for byte as dag_cbor_to_json writes it.
function toJson(value) {
  if (typeof value === 'string') return quote(value);
  if (value === null || typeof value !== 'object') return String(value);
  if (value instanceof Uint8Array) return `{"$bytes":"${base64(value)}"}`;
  if (value instanceof Link) return `{"$link":"${value}"}`;
  if (Array.isArray(value)) return `[${value.map(toJson).join(',')}]`;
  return `{${sorted(value).map(([, key, item]) => `${quote(key)}:${toJson(item)}`).join(',')}}`;
}

// Its JSON in one of the many ways in which others may write it.
function toAnyJson(value) {
  const text = (s) => {
    const json = JSON.stringify(s);
    // some characters as escapes, as a whole where they take two of them
    return below(8) ? json : json.replace(/\\(u....|.)|[^"]/gu, (c) => c[0] === '\\' || below(3) ? c :
      Array.from(c.length === 2 ? [c[0], c[1]] : [c], (u) => '\\u' + u.charCodeAt(0).toString(16).padStart(4, '0')).join(''));
  };
  const space = () => below(6) ? '' : pick([' ', '\n', '\t']);
  if (typeof value === 'string') return text(value);
  if (typeof value === 'bigint') {
    const zeros = /^(-?[1-9]\d*?)(0+)$/.exec(value);
    switch (below(12)) {
      case 0: return `${value}.0`;
      case 1: return `${value}.${'0'.repeat(1 + below(20))}`;
      case 2: return zeros ? `${zeros[1]}e${zeros[2].length}` : `${value}e0`;
      case 3: return value === 0n ? '-0' : `${value}0.0E-1`;
      default: return String(value);
    }
  }
  if (value === null || typeof value !== 'object') return String(value);
  if (value instanceof Uint8Array) return `{"$bytes":"${below(2) ? base64(value) : Buffer.from(value).toString('base64')}"}`;
  if (value instanceof Link) return `{"$link":"${value}"}`;
  if (Array.isArray(value)) return `[${value.map((item) => space() + toAnyJson(item)).join(',')}]`;
  return `{${shuffle([...value]).map(([key, item]) => `${space()}${text(key)}:${space()}${toAnyJson(item)}`).join(',')}}`;
}

// The value as a package has it.
function toObject(value, integer, bytes, link) {
  const convert = (v) => {
    if (typeof v === 'bigint') return integer(v);
    if (v === null || typeof v !== 'object') return v;
    if (v instanceof Uint8Array) return bytes(v);
    if (v instanceof Link) return link(v);
    if (Array.isArray(v)) return v.map(convert);
    const object = {};
    for (const [key, item] of v) {
      // not by assignment, for the sake of __proto__
      Object.defineProperty(object, key, { value: convert(item), enumerable: true, configurable: true, writable: true });
    }
    return object;
  };
  return convert(value);
}
const ORACLES = {
  '@atcute/cbor': {
    // half of the time as the wrappers that it reads them as, else as in JSON
    encode: (value) => atcute.encode(toObject(value, Number,
      (b) => below(2) ? atcute.toBytes(b) : { $bytes: base64(b) },
      (l) => below(2) ? new atcuteCid.CidLinkWrapper(l.bytes) : { $link: String(l) })),
    recode: (block) => atcute.encode(atcute.decode(block)),
    decode: atcute.decode,
  },
  '@ipld/dag-cbor': {
    encode: (value) => ipld.encode(toObject(value, (i) => i <= SAFE && i >= -SAFE ? Number(i) : i, (b) => b, (l) => CID.decode(l.bytes))),
    recode: (block) => ipld.encode(ipld.decode(block)),
    decode: ipld.decode,
  },
};

// --- DAG-CBOR --------------------------------------------------------------------------------------

// The head of an item; `wider` by so many forms than the shortest.
function head(major, argument, wider = 0) {
  const arg = BigInt(argument);
  const shortest = arg < 24n ? 0 : arg < 0x100n ? 1 : arg < 0x10000n ? 2 : arg < 0x100000000n ? 3 : 4;
  const form = Math.min(4, shortest + wider);
  if (form === 0) return [major << 5 | Number(arg)];
  const bytes = [major << 5 | 23 + form];
  for (let shift = (8 << (form - 1)) - 8; shift >= 0; shift -= 8) bytes.push(Number(arg >> BigInt(shift) & 0xffn));
  return bytes;
}

// Writes a value; flaw() says for each item what to do wrong, or nothing.
function write(value, flaw = () => undefined) {
  const parts = [];
  const put = (bytes) => parts.push(Buffer.from(bytes));
  function item(v) {
    const f = flaw();
    const h = (major, arg) => put(head(major, arg, f === 'wide' ? 1 + below(2) : 0));
    if (f === 'other') return put(pick(OTHERS)());
    if (f === 'tag') put(head(6, pick([0, 1, 2, 23, 24, 41, 42, 43, 258, 65536])));
    if (v === null || typeof v === 'boolean') put([v === null ? 0xf6 : v ? 0xf5 : 0xf4]);
    else if (typeof v === 'bigint') {
      if (f === 'large') return put([pick([0x1b, 0x3b]), ...pick([[0x7f, 0xff], [0x80, 0], [0xff, 0xff]]), ...bytes(6)]);
      if (v < 0n) h(1, -1n - v);
      else h(0, v);
    } else if (typeof v === 'string' || v instanceof Uint8Array) {
      const data = typeof v === 'string' ? utf8.encode(v) : v;
      const major = typeof v === 'string' ? 3 : 2;
      if (f === 'indefinite') {
        put([major << 5 | 31]);
        put(head(major, data.length));
        put(data);
        put([0xff]);
        return;
      }
      if (f === 'length') h(major, Math.max(0, data.length + pick([1, -1, 3, 2 ** 16, 2 ** 31, 2 ** 32 + 1, 2 ** 40])));
      if (f === 'length') return put(data);
      h(major, data.length);
      if (f === 'utf8' && major === 3 && data.length > 0) {
        const bad = Buffer.from(data);
        const wrong = Buffer.from(pick(['80', 'c080', 'c1bf', 'e08080', 'eda080', 'edbfbf', 'f0808080', 'f4908080', 'f5808080', 'ff', 'e282', 'f09f98', 'c3']), 'hex');
        wrong.copy(bad, below(bad.length));
        return put(bad);
      }
      put(data);
    } else if (v instanceof Link) {
      let cid = Buffer.from(v.bytes);
      if (f === 'link') {
        const i = below(5);
        cid = pick([
          () => Buffer.concat([cid, Buffer.of(below(256))]), () => cid.subarray(0, below(cid.length)),
          () => { cid[i] = below(256); return cid; }, () => { cid[i] ^= 0x80; return cid; },
          () => cid.subarray(2), () => Buffer.concat([cid.subarray(0, i), Buffer.of(0x80 | below(128)), cid.subarray(i)]),
          () => Buffer.concat([Buffer.of(0x81, 0), cid.subarray(1)]), () => Buffer.concat([cid.subarray(0, 1), Buffer.from('f1ffffffffffffff7f', 'hex'), cid.subarray(2)]),
          () => Buffer.concat([cid.subarray(0, 3), Buffer.of(0)]), () => Buffer.alloc(0),
        ])();
      }
      put(head(6, 42, f === 'wide' ? 1 : 0));
      const prefix = f === 'prefix' ? pick([[], [1], [0x62], [0, 0]]) : [0];
      put(head(f === 'link type' ? pick([3, 4, 0]) : 2, cid.length + prefix.length));
      put(prefix);
      put(cid);
    } else if (Array.isArray(v)) {
      if (f === 'indefinite') put([0x9f]);
      else if (f === 'length') h(4, pick([v.length + 1, Math.max(v.length - 1, 0), 2 ** 24, 2 ** 32, 2 ** 50]));
      else h(4, v.length);
      v.forEach(item);
      if (f === 'indefinite') put([0xff]);
    } else {
      let pairs = sorted(v);
      if (f === 'order') pairs = shuffle(pairs);
      if (f === 'order of bytes') pairs.sort((a, b) => Buffer.compare(a[0], b[0]));
      if (f === 'twice' && pairs.length > 0) pairs.splice(below(pairs.length), 0, pick(pairs));
      if (f === 'indefinite') put([0xbf]);
      else if (f === 'length') h(5, pick([pairs.length + 1, Math.max(pairs.length - 1, 0), 2 ** 24, 2 ** 32]));
      else h(5, pairs.length);
      const odd = f === 'key' ? below(pairs.length) : -1;
      pairs.forEach(([key, , value], i) => {
        if (i === odd) pick([() => put(head(2, key.length)), () => put([0x01]), () => put([0xf6]), () => put([0x80])])();
        else put(head(3, key.length, f === 'wide key' ? 1 : 0));
        if (i !== odd || below(2)) put(key);
        item(value);
      });
      if (f === 'indefinite') put([0xff]);
    }
  }
  item(value);
  return Buffer.concat(parts);
}
const FLAWS = ['wide', 'other', 'tag', 'large', 'indefinite', 'length', 'utf8', 'link', 'link', 'prefix', 'link type',
  'order', 'order of bytes', 'twice', 'key', 'wide key'];
const OTHERS = [() => [0xf7], () => [0xe0 | below(20)], () => [0xf8, below(256)], () => [0xf9, ...bytes(2)], () => [0xfa, ...bytes(4)],
  () => [0xfb, ...bytes(8)], () => [0xfb, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0], () => [0xfc + below(3)], () => [0xff], () => [0x1c + 32 * below(8)]];

// Reads a block. Returns the value, the kinds of its faults, and remarks about what packages trip over.
// What it can, it reads on behind a fault, so that all of them are told.
function read(block) {
  const faults = new Set();
  const remarks = new Set();
  let at = 0;
  class Stop extends Error {}
  const stop = (why) => { faults.add(why); throw new Stop(why); };
  const take = (length) => {
    if (length > BigInt(block.length - at)) stop('too short');
    at += Number(length);
    return block.subarray(at - Number(length), at);
  };
  const readHead = () => {
    const byte = take(1n)[0];
    const major = byte >> 5;
    const info = byte & 31;
    let arg = BigInt(info);
    if (info > 27) stop(info === 31 && major > 1 && major < 6 ? 'indefinite' : info === 31 && major === 7 ? 'break' : 'reserved');
    if (info > 23) {
      arg = BigInt('0x' + take(1n << BigInt(info - 24)).toString('hex'));
      if (major < 7 && head(major, arg).length !== 1 + (1 << info - 24)) faults.add('not shortest');
    }
    return { major, info, arg };
  };
  const text = (data) => {
    try {
      const t = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data);
      if (t.startsWith('\ufeff')) remarks.add('byte order mark');
      if (t.includes('\0')) remarks.add('U+0000');
      return t;
    } catch {
      faults.add('text is not UTF-8');
      return data.toString('utf8');
    }
  };
  function item(depth) {
    const { major, info, arg } = readHead();
    switch (major) {
      case 0:
      case 1:
        if (arg > MAX) faults.add('integer beyond 64 bits');
        if ((major === 0 ? arg : arg + 1n) > SAFE) remarks.add('integer beyond 2^53');
        return major === 0 ? arg : -1n - arg;
      case 2: return Uint8Array.from(take(arg));
      case 3: return text(take(arg));
      case 4: {
        if (depth >= DEPTH) faults.add('too deep');
        if (arg > BigInt(block.length - at)) stop('too short');
        const items = [];
        for (let i = 0; i < Number(arg); i++) items.push(item(depth + 1));
        return items;
      }
      case 5: {
        if (depth >= DEPTH) faults.add('too deep');
        if (arg > BigInt(block.length - at)) stop('too short');
        const map = new Map();
        let last;
        for (let i = 0; i < Number(arg); i++) {
          const key = readHead();
          if (key.major !== 3) stop('key is no text');
          const data = take(key.arg);
          const order = last === undefined ? -1 : compareBytes(last, data);
          if (order > 0) faults.add('key order');
          if (order === 0) faults.add('key twice');
          last = data;
          const name = text(data);
          if (name === '$link' || name === '$bytes') remarks.add('special key');
          if (name === 'constructor') remarks.add('constructor');
          if (map.has(name)) faults.add('key twice');
          map.set(name, item(depth + 1));
        }
        return map;
      }
      case 6: {
        if (arg !== 42n) stop('tag');
        const inner = readHead();
        if (inner.major !== 2) stop('link is no byte string');
        const data = take(inner.arg);
        if (data.length === 0 || data[0] !== 0) faults.add('link prefix');
        else readCid(data.subarray(1), (why) => faults.add(why), remarks);
        return new Link(Uint8Array.from(data.subarray(1)));
      }
      default:
        if (info >= 20 && info <= 22) return info === 22 ? null : info === 21;
        faults.add(info === 23 ? 'undefined' : info < 25 ? 'simple value' : 'float');
        return null;
    }
  }
  let value;
  try {
    value = item(0);
    if (at < block.length) faults.add('goes on');
  } catch (e) {
    if (!(e instanceof Stop)) throw e;
  }
  return { value, faults, remarks };
}

// What is wrong with the bytes of a CID.
function readCid(bytes, fault, remarks = new Set()) {
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let i = 0; ; i++) {
      if (at === bytes.length) return fault('CID too short'), -1n;
      if (i === 9) return fault('CID varint'), -1n;
      const byte = bytes[at++];
      value |= BigInt(byte & 0x7f) << BigInt(7 * i);
      if (byte < 0x80) {
        if (byte === 0 && i > 0) fault('CID varint');
        if (value > SAFE) remarks.add('CID beyond 2^53');
        return value;
      }
    }
  };
  const version = varint();
  if (version === -1n) return;
  // a CIDv0 is a bare multihash, and begins with 18; what follows has another form
  if (version === 0n || version === 18n) return fault('CIDv0');
  if (version !== 1n) fault('CID version');
  const codec = varint();
  const hash = codec === -1n ? codec : varint();
  const length = hash === -1n ? hash : varint();
  if (length === -1n) return;
  if (length !== BigInt(bytes.length - at)) fault('CID length');
  if (!new Link(bytes).blessed) remarks.add('CID not blessed');
}

// --- what a record refers to, and whether it is one ------------------------------------------------

function references(record) {
  const links = [];
  const blobs = [];
  const refs = [];
  // what a string, at its key of its map, says
  const refer = (text, path, field, key, parent) => {
    const uri = isValidAtUri(text) ? text : null;
    const did = uri === null ? text : text.split('/')[2];
    if (uri === null && !isValidDid(text)) return;
    const cid = uri !== null && key === 'uri' ? parent.get('cid') : null;
    refs.push([path, field, uri, isValidDid(did) ? did : null, typeof cid === 'string' && isCid(cid) ? cid : null]);
  };
  const name = (value, path, field, key, parent) => {
    if (typeof value === 'string') refer(value, path, field, key, parent);
    else if (Array.isArray(value)) value.forEach((item, i) => name(item, `${path}[${i}]`, `${field}[]`));
    else if (value instanceof Map) for (const [k, item] of value) name(item, path + step(k), field + step(k), k, value);
  };
  name(record, '$', '$');
  walk(record, (value, path) => {
    if (value instanceof Link) links.push([path, String(value)]);
    if (!(value instanceof Map)) return;
    const type = value.get('$type');
    // SQL has no text with a U+0000
    const mime = String(value.get('mimeType')).includes('\0') ? null : value.get('mimeType');
    const size = value.get('size');
    const rest = [typeof mime === 'string' ? mime : null, typeof size === 'bigint' ? String(size) : null];
    if (type === 'blob' && value.get('ref') instanceof Link) blobs.push([path, String(value.get('ref')), ...rest, false]);
    if (!value.has('$type') && typeof value.get('cid') === 'string' && typeof mime === 'string' && mime !== '' && /^[a-zA-Z0-9+=]{8,256}$/.test(value.get('cid'))) {
      blobs.push([path, isCid(value.get('cid')) ? value.get('cid') : null, ...rest, true]);
    }
  });
  return { links: links.map(String).sort(), blobs: blobs.map(String).sort(), refs: refs.map(String).sort() };
}

function isCid(text) {
  let good = true;
  try {
    if (!/^b[a-z2-7]*$/.test(text)) return false;
    readCid(base32.decode(text), () => { good = false; });
  } catch {
    return false;
  }
  return good;
}

function isRecord(record) {
  let good = record instanceof Map;
  walk(record, (value) => {
    if (value instanceof Link && !value.blessed) good = false;
    if (!(value instanceof Map)) return;
    const type = value.get('$type');
    if (value.has('$type') && (typeof type !== 'string' || type === '')) good = false;
    if (type !== 'blob') return;
    const [ref, mime, size] = ['ref', 'mimeType', 'size'].map((key) => value.get(key));
    if (!(ref instanceof Link) || ref.bytes[1] !== 0x55 || typeof mime !== 'string' || mime === '' ||
      typeof size !== 'bigint' || size < 0n) good = false;
  });
  return good;
}

// --- chance ----------------------------------------------------------------------------------------

const { below, pick, bytes } = chance(seed | 0);
const shuffle = (list) => {
  for (let i = list.length - 1; i > 0; i--) {
    const j = below(i + 1);
    [list[i], list[j]] = [list[j], list[i]];
  }
  return list;
};

// Code points, some next to where UTF-8 or UTF-16 changes its form.
const RANGES = [[0x20, 0x7e], [0x20, 0x7e], [0x61, 0x7a], [0x61, 0x7a], [0x01, 0x1f], [0xa0, 0x24f], [0x300, 0x36f], [0x3041, 0x3096],
  [0x4e00, 0x9fff], [0xac00, 0xd7a3], [0xe000, 0xffff], [0x1f300, 0x1faff], [0x10000, 0x10ffff]];
const EDGES = [0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xfeff, 0xfffd, 0xfffe, 0xffff, 0x10000, 0x10ffff, 0x22, 0x5c, 0x2f, 0x2028];
let nul = false; // U+0000 too: not in jsonb
function text(length) {
  const range = below(3) ? pick(RANGES) : undefined;
  let s = '';
  for (let i = 0; i < length; i++) {
    const [from, to] = range ?? pick(RANGES);
    s += String.fromCodePoint(below(30) === 0 ? pick(EDGES) : nul && below(40) === 0 ? 0 : from + below(to - from + 1));
  }
  return s;
}
const length = () => pick([0, 1, 3, 7, 8, 9, 22, 23, 24, 25, 31, below(60), below(60), below(60), 255, 256, 257, below(300)]);
const integer = () => {
  const edge = 1n << BigInt(pick([0, 3, 4, 5, 7, 8, 15, 16, 31, 32, 53, 62, 63]));
  const v = pick([
    () => BigInt(below(100)), () => BigInt(below(100000)) * 10n ** BigInt(below(13)),
    () => edge + BigInt(below(5) - 2), () => 24n + BigInt(below(3) - 1),
    () => BigInt.asIntN(64, BigInt(below(2 ** 32)) << 32n | BigInt(below(2 ** 32))) >> BigInt(below(63)),
  ])();
  const s = below(3) ? v : -v - BigInt(below(2));
  return s > MAX ? MAX : s < -MAX - 1n ? -MAX - 1n : s;
};
const blessed = (codec) => new Link(atcuteCid.fromDigest(codec ?? pick([0x55, 0x71]), bytes(32)).bytes);
function link() {
  if (below(25)) return blessed();
  // any other CID
  const varint = (n) => { const b = []; for (; n > 127n; n >>= 7n) b.push(Number(n & 127n) | 128); b.push(Number(n)); return b; };
  const digest = bytes(pick([0, 1, 16, 20, 32, 64, 127, 128, 200]));
  return new Link(Uint8Array.from([1, ...varint(BigInt(pick([0x55, 0x70, 0x71, 0x72, 0x129, 0x200, 2 ** 45]))),
    ...varint(BigInt(pick([0, 0x11, 0x12, 0x13, 0x1e, 0xb220]))), ...varint(BigInt(digest.length)), ...digest]));
}
const KEYS = ['', 'a', 'b', 'aa', 'ab', 'b0', 'B', 'text', 'ref', 'cid', 'uri', 'size', 'mimeType', '$type', '$', '$lin', '$linkx', '$byte', '$Link',
  '__proto__', 'constructor', 'toString', 'hasOwnProperty', '0', '1', '10', '9', '-1', '\uffff', '\u{10000}', '\u{10ffff}', '\ufffe', 'é',
  'e\u0301', '日', '日本', 'ab日', '😀', '\u{1f468}\u200d\u{1f469}', ' ', '"', '\\', '\ufeffa', '\ue000ab', 'zzz', 'x'.repeat(23), 'x'.repeat(24),
  'x'.repeat(255), 'x'.repeat(256), 'y'.repeat(24), '日'.repeat(8), '\u0001', '\u007f', '\u0080'];
const key = () => below(3) ? pick(KEYS) : text(1 + below(12));
function map(depth, few = 8) {
  const m = new Map();
  for (let i = below(few); i > 0; i--) {
    const k = key();
    m.set(k, k === '$type' && below(20) ? `com.example.${text(3).replace(/\0/g, 'x') || 'x'}` : value(depth + 1));
  }
  return m;
}
function blob() {
  const m = new Map([['$type', 'blob'], ['ref', blessed(0x55)], ['mimeType', pick(['image/jpeg', 'video/mp4', '*/*'])], ['size', BigInt(below(10 ** 6))]]);
  switch (below(30)) {
    case 0: m.delete(pick(['$type', 'ref', 'mimeType', 'size'])); break;
    case 1: m.set(pick(['$type', 'ref', 'mimeType', 'size']), value(9)); break;
    case 2: m.set('ref', link()); break;
    case 3: m.set('size', pick([0n, -1n, MAX])); break;
    case 4: m.set('mimeType', ''); break;
    case 5: m.set(key(), value(9)); break;
  }
  return m;
}
function legacy() {
  const m = new Map([['cid', String(blessed(0x55))], ['mimeType', 'image/png']]);
  if (below(6) === 0) m.set(pick(['cid', 'mimeType', '$type', 'size', 'x']), value(9));
  const cid = m.get('cid');
  if (below(9) === 0) m.set('cid', typeof cid === 'string' && isCid(cid) ? flip(cid) : 'b');
  return m;
}
// none on which @atproto/syntax is not strict: addresses.js has those
const NAMES = ['did:plc:vfsotiy7i7w4u5emioylszsm', 'did:web:example.com', 'did:web:localhost%3A80', 'a.example', 'X.Example', 'did:a:b'];
const named = () => pick([
  () => pick(NAMES), () => `at://${pick(NAMES)}`, () => `at://${pick(NAMES)}/app.bsky.feed.post`,
  () => `at://${pick(NAMES)}/app.bsky.feed.post/${pick(['3jzfcijpj2z2a', 'self', 'a:b~c', 'é'])}`,
  () => pick(['did:', 'did:plc:', 'DID:a:b', 'at://', 'at://a', ' did:a:b', 'did:a:b#c', 'did:a:é', 'did:a:b\n', 'at:/did:a:b']),
])();
function strong() {
  const m = new Map([['uri', named()], ['cid', String(blessed(0x71))]]);
  if (below(4) === 0) m.set(pick(['cid', 'uri', 'did', 'tie', 'urj', 'ci']), pick([named, () => value(9), link])());
  if (below(9) === 0) m.set('cid', 'b' + text(4));
  return m;
}
const flip = (t) => [...t].slice(0, -1).join('') + pick([...'abcdefghijklmnopqrstuvwxyz234567A=']);
function value(depth) {
  switch (below(depth > 7 ? 9 : 15)) {
    case 0: return pick([null, true, false]);
    case 1: case 2: return integer();
    case 3: case 4: return text(length());
    case 5: return bytes(length());
    case 6: return link();
    case 7: return below(400) ? text(below(30)) : text(pick([4000, 65535, 65536, 70000]));
    case 8: return named();
    case 9: return strong();
    case 10: return Array.from({ length: below(50) ? below(6) : 20 + below(300) }, () => value(depth + 2));
    case 11: return below(60) ? map(depth) : map(depth + 2, 60);
    case 12: return blob();
    case 13: return legacy();
    default: {
      if (below(60)) return [];
      let v = value(9);
      for (let i = below(400); i > 0; i--) v = below(2) ? [v] : new Map([[pick(['a', 'b', '日']), v]]);
      return v;
    }
  }
}
function record() {
  if (below(100) === 0) return value(3);
  const r = map(0, 12);
  if (below(40)) r.set('$type', 'app.bsky.feed.post');
  r.set('createdAt', '2024-08-12T15:04:05.123Z');
  return r;
}

// --- reports ---------------------------------------------------------------------------------------

const { count, same, printVerdicts } = verdicts();
const differences = new Map();
const onlyIn = (list, other) => JSON.stringify(list.filter((item) => !other.includes(item)));
const short = (block) => Buffer.from(block).toString('hex').slice(0, 600);
const hash = (block) => createHash('sha256').update(block).digest();

const db = new pg.Client({ database });
await db.connect();
await db.query(`
  -- what a block is as JSON, or the words of the refusal after an exclamation mark
  CREATE FUNCTION pg_temp.as_json(block bytea) RETURNS text LANGUAGE plpgsql AS $$
  DECLARE detail text;
  BEGIN
    RETURN atid.dag_cbor_to_json(block)::text;
  EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    RETURN '!' || SQLERRM || ': ' || detail;
  END $$;
  -- to jsonb and back to a block, or the SQLSTATE of the refusal
  CREATE FUNCTION pg_temp.there_and_back(block bytea) RETURNS text LANGUAGE plpgsql AS $$
  BEGIN
    RETURN encode(atid.record_to_dag_cbor(atid.dag_cbor_to_record(block)), 'hex');
  EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
    RETURN SQLSTATE;
  END $$;
  CREATE FUNCTION pg_temp.text_of_link(link text) RETURNS text LANGUAGE plpgsql AS $$
  BEGIN
    RETURN encode(link::atid.cid_link::bytea, 'hex');
  EXCEPTION WHEN data_exception THEN
    RETURN NULL;
  END $$;`);
const ask = (text, values) => db.query({ text, values, name: String(hash(text).readUInt32BE(0)) }).then((r) => r.rows);
const REFERENCES = (of, from) => `
  ARRAY(SELECT concat_ws(',', path, cid) FROM atid.${of}_links(${from})) AS ${of}_links,
  ARRAY(SELECT path || ',' || coalesce(cid::text, '') || ',' || coalesce(mime_type, '') || ',' || coalesce(size::text, '') || ',' || legacy
        FROM atid.${of}_blobs(${from})) AS ${of}_blobs,
  ARRAY(SELECT path || ',' || field || ',' || coalesce(uri::text, '') || ',' || coalesce(did::text, '') || ',' || coalesce(cid::text, '')
        FROM atid.${of}_refs(${from})) AS ${of}_refs`;

// One batch is made while the server works on the last.
async function inBatches(total, make, send, check) {
  let working = Promise.resolve();
  for (let done = 0; done < total; done += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, total - done) }, make);
    await working;
    working = send(batch).then((rows) => {
      if (rows.length !== batch.length) throw new Error('rows are missing');
      rows.forEach((row, i) => check(row, batch[i]));
    });
  }
  await working;
}

// --- records ---------------------------------------------------------------------------------------

const lastBlocks = [];
const beyond = (value) => {
  const found = new Set();
  walk(value, (v) => {
    if (typeof v === 'bigint' && (v > SAFE || v < -SAFE)) found.add('integer beyond 2^53');
    if (v instanceof Link && !v.blessed) found.add('CID not blessed');
    if (v instanceof Map && v.has('constructor')) found.add('constructor');
  });
  return found;
};

function oracleBlocks(value, block) {
  const reasons = beyond(value);
  for (const [name, oracle] of Object.entries(ORACLES)) {
    let theirs;
    try {
      theirs = oracle.encode(value);
    } catch (e) {
      const reason = Object.keys(NOT_WRITTEN[name]).find((r) => reasons.has(r));
      if (reason) count(differences, `${name} does not write it: ${reason}`);
      same(`${name} writes the records, but for the listed kinds`, reason !== undefined, () => `${e}: ${toJson(value)}`);
      continue;
    }
    same(`record_to_dag_cbor: the bytes of ${name}`, Buffer.compare(theirs, block) === 0, () => `${toJson(value)}\n${short(theirs)}\n${short(block)}`);
  }
}

await inBatches(records, () => {
  const value = record();
  const block = write(value);
  const bare = toJson(value);
  if (lastBlocks.length < 2000) lastBlocks.push(value);
  else lastBlocks[below(2000)] = value;
  return { value, block, bare, json: toAnyJson(value), refers: references(value) };
}, (batch) => ask(`
  SELECT atid.record_to_dag_cbor(j) AS block, atid.record_cid(j)::text AS cid, atid.cid_of(b, 'dag-cbor')::text AS cid_of,
         atid.dag_cbor_to_record(b)::text AS back, k::text AS expected, atid.dag_cbor_to_json(b)::text AS json,
         atid.dag_cbor_is_valid(b) AS block_is_valid, atid.record_is_valid(j) AS valid, atid.record_problem(j) AS problem,
         ${REFERENCES('record', 'j')}, ${REFERENCES('dag_cbor', 'b')}
    FROM ROWS FROM (unnest($1::jsonb[]), unnest($2::bytea[]), unnest($3::jsonb[])) WITH ORDINALITY AS t (j, b, k, i)
    ORDER BY i`, [batch.map((r) => r.json), batch.map((r) => r.block), batch.map((r) => r.bare)]),
(row, { value, block, bare, json, refers }) => {
  const show = () => `${json}\n${JSON.stringify(row)}`;
  same('record_to_dag_cbor: the bytes that the specification gives', Buffer.compare(row.block, block) === 0, show);
  oracleBlocks(value, row.block);
  const cid = atcuteCid.toString(atcuteCid.fromDigest(0x71, hash(block)));
  same('record_cid and cid_of: the CID of @atcute/cid', row.cid === cid && row.cid_of === cid, show);
  same('dag_cbor_to_record: the record', row.back === row.expected, show);
  same('dag_cbor_to_json: the JSON', row.json === bare, () => `${row.json}\n${bare}`);
  same('dag_cbor_is_valid: true for what was written', row.block_is_valid, show);
  same('record_is_valid: as an independent walk', row.valid === isRecord(value), show);
  same('record_problem: null where record_is_valid', row.valid === (row.problem === null), show);
  for (const of of ['record', 'dag_cbor']) {
    for (const what of ['links', 'blobs', 'refs']) {
      const listed = row[`${of}_${what}`].sort();
      same(`${of}_${what}: as an independent walk`, listed.join('\n') === refers[what].join('\n'),
        () => `${onlyIn(listed, refers[what])} in the server's list, ${onlyIn(refers[what], listed)} in the walk's; ${show()}`);
    }
  }
});

// --- blocks with U+0000, which jsonb cannot hold ----------------------------------------------------

nul = true;
await inBatches(1000, () => {
  const value = below(2) ? record() : ['\0', text(20)];
  return { value, block: write(value), bare: toJson(value) };
}, (batch) => ask(`
  SELECT pg_temp.as_json(b) AS json, pg_temp.there_and_back(b) AS back, ${REFERENCES('dag_cbor', 'b').split('AS dag_cbor_links,')[0]} AS dag_cbor_links
    FROM unnest($1::bytea[]) WITH ORDINALITY AS t (b, i) ORDER BY i`, [batch.map((r) => r.block)]),
(row, { value, block, bare }) => {
  const { remarks } = read(block);
  same('U+0000: dag_cbor_to_json carries it', row.json === bare, () => `${row.json}\n${bare}`);
  same('U+0000: dag_cbor_to_record refuses it', row.back === (remarks.has('U+0000') ? '22P05' : block.toString('hex')), () => `${bare}\n${row.back}`);
  same('U+0000: dag_cbor_links reads on', row.dag_cbor_links.sort().join('\n') === references(value).links.join('\n'), () => bare);
});
nul = false;

// --- mutated blocks --------------------------------------------------------------------------------

const HEADS = [0, 0x17, 0x18, 0x1b, 0x20, 0x38, 0x3b, 0x40, 0x58, 0x5f, 0x60, 0x61, 0x78, 0x7f, 0x80, 0x81, 0x98, 0x9f, 0xa0, 0xa1, 0xb8, 0xbf, 0xc0,
  0xd8, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa, 0xfb, 0xff];
function small() {
  for (;;) {
    const value = pick(lastBlocks);
    if (write(value).length < 3000) return value;
  }
}
function mutate() {
  let value = small();
  if (below(60) === 0) value = [new Map([[pick(['$link', '$bytes']), value], ...(below(2) ? [['a', null]] : [])])];
  if (below(2)) {
    // one item, or some, written wrong
    let items = 0;
    walk(value, () => { items++; });
    let at = below(items);
    const kind = pick(FLAWS);
    return write(value, () => at-- <= 0 && at > -20 && (below(4) === 0 || at === -1) ? kind : undefined);
  }
  let block = Buffer.from(write(value));
  for (let i = 1 + below(3) * below(2); i > 0 && block.length > 0; i--) {
    const at = below(block.length);
    switch (below(9)) {
      case 0: block[at] ^= 1 << below(8); break;
      case 1: block[at] = below(256); break;
      case 2: block[at] = pick(HEADS); break;
      case 3: block = Buffer.concat([block.subarray(0, at), bytes(1 + below(3)), block.subarray(at)]); break;
      case 4: block = Buffer.concat([block.subarray(0, at), block.subarray(Math.min(block.length, at + 1 + below(4)))]); break;
      case 5: block = below(4) ? block.subarray(0, at) : Buffer.concat([block, bytes(1)]); break;
      case 6: { const length = below(20); block = Buffer.concat([block.subarray(0, at + length), block.subarray(at)]); break; }
      case 7: { const other = write(small()); block = Buffer.concat([block.subarray(0, at), other.subarray(below(other.length))]); break; }
      case 8: block[at] = Math.max(0, Math.min(255, block[at] + pick([-1, 1]))); break;
    }
  }
  return block;
}
// nested around the server's limit
const nested = [DEPTH - 1, DEPTH, DEPTH + 1, 2000].flatMap((n) => [
  Buffer.concat([Buffer.alloc(n - 1, 0x81), Buffer.of(0x80)]),
  Buffer.concat([...Array(n - 1).fill(Buffer.from('a16161', 'hex')), Buffer.of(0xa0)])]);

let accepted = 0;
let mutants = 0;
await inBatches(blocks, () => {
  const block = nested.pop() ?? mutate();
  const verdicts = {};
  for (const [name, oracle] of Object.entries(ORACLES)) {
    try {
      oracle.decode(block);
      verdicts[name] = true;
    } catch {
      verdicts[name] = false;
    }
  }
  return { block, verdicts, ...read(block) };
}, (batch) => ask(`
  SELECT atid.dag_cbor_is_valid(b) AS valid, pg_temp.as_json(b) AS json, pg_temp.there_and_back(b) AS back
    FROM unnest($1::bytea[]) WITH ORDINALITY AS t (b, i) ORDER BY i`, [batch.map((r) => r.block)]),
(row, { block, verdicts, value, faults, remarks }) => {
  const show = () => `${short(block)}\nserver: ${row.valid} ${row.json.slice(0, 300)}\n${JSON.stringify(verdicts)} faults: ${[...faults]} remarks: ${[...remarks]}`;
  mutants++;
  if (row.valid) accepted++;
  same('mutated blocks: accepted where they keep to the specification, and only there', row.valid === (faults.size === 0), show);
  for (const [name, theirs] of Object.entries(verdicts)) {
    let listed = true;
    if (theirs && !row.valid) {
      const list = READ_ALL_THE_SAME[name];
      listed = faults.size > 0 && [...faults].every((f) => f in list);
      for (const f of faults) count(differences, `${name} reads, the server refuses: ${f}`);
    } else if (!theirs && row.valid) {
      const reason = Object.keys(REFUSED_ALL_THE_SAME[name]).find((r) => remarks.has(r));
      listed = reason !== undefined;
      count(differences, `${name} refuses, the server reads: ${reason}`);
    }
    same(`mutated blocks: as ${name}, but for the listed kinds`, listed, show);
    if (theirs && row.valid) {
      const reason = Object.keys(NOT_WRITTEN_AGAIN[name]).find((r) => remarks.has(r));
      let again;
      try { again = ORACLES[name].recode(block); } catch (e) { again = utf8.encode(String(e)); }
      const equal = Buffer.compare(again, block) === 0;
      if (!equal && reason !== undefined) count(differences, `${name} does not write the same bytes again: ${reason}`);
      same(`mutated blocks: ${name} writes the same bytes again, but for the listed kinds`, equal || reason !== undefined, () => `${show()}\n${short(again)}`);
    }
  }
  if (!row.valid) {
    // also where what JSON or jsonb cannot hold comes before the fault
    same('mutated blocks: what is not valid is refused by dag_cbor_to_json and dag_cbor_to_record',
      row.json.startsWith('!invalid DAG-CBOR') && row.back === '22P03' ||
      row.json.startsWith('!DAG-CBOR is nested too deep') && row.back === '54000', show);
  } else if (remarks.has('special key')) {
    same('mutated blocks: a key $link or $bytes is refused', row.json.startsWith('!block cannot be expressed') && row.back === '22023', show);
  } else {
    same('mutated blocks: the JSON of what is accepted', row.json === toJson(value), show);
    same('mutated blocks: what is accepted comes back from a record', row.back === (remarks.has('U+0000') ? '22P05' : block.toString('hex')), show);
  }
});
same('mutated blocks: some of both kinds', accepted > mutants / 20 && accepted < mutants * 0.8, () => `${accepted} of ${mutants}`);

// --- the text of links and bytes -------------------------------------------------------------------

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz234567', 'A', '1', '8', '=', ' ', 'é'];
await inBatches(5000, () => {
  let t = String(below(3) ? blessed() : link());
  const at = below(t.length + 1);
  switch (below(7)) {
    case 0: t = flip(t); break;
    case 1: t = t.slice(0, at) + pick(LETTERS) + t.slice(at + 1); break;
    case 2: t = t.slice(0, at) + t.slice(at + 1); break;
    case 3: t = t.slice(0, at) + pick(LETTERS) + t.slice(at); break;
    case 4: t = t + pick(['=', 'a', '======']); break;
    case 5: t = below(2) ? t.toUpperCase() : 'B' + t.slice(1); break;
  }
  let theirs = null;
  try { theirs = Buffer.from(CID.parse(t, base32).bytes).toString('hex'); } catch { /* refused */ }
  let atcutes = null;
  try { atcutes = Buffer.from(atcuteCid.fromString(t).bytes).toString('hex'); } catch { /* refused */ }
  return { t, theirs, atcutes };
}, (batch) => ask(`
  SELECT pg_temp.text_of_link(t) AS bytes, atid.cid_is_valid(t) AS valid,
         atid.record_is_valid(jsonb_build_object('a', jsonb_build_object('$link', t))) AS in_record
    FROM unnest($1::text[]) WITH ORDINALITY AS t (t, i) ORDER BY i`, [batch.map((r) => r.t)]),
(row, { t, theirs, atcutes }) => {
  const show = () => `${t}\n${JSON.stringify(row)}\nmultiformats: ${theirs}\n@atcute/cid: ${atcutes}`;
  const mine = isCid(t) ? Buffer.from(base32.decode(t)).toString('hex') : null;
  same('cid_link: the bytes of a text that is one, and only of such', row.bytes === mine, show);
  same('cid_is_valid: as cid_link', row.valid === (row.bytes !== null), show);
  // @atcute/cid takes blessed CIDs only
  same('a link in a valid record: as @atcute/cid takes it', row.in_record === (atcutes !== null), show);
  if (atcutes !== null) same('the text of a CID: the bytes of @atcute/cid', row.bytes === atcutes, show);
  if (row.bytes === null && theirs !== null) {
    const faults = new Set();
    if (t.endsWith('=')) faults.add('padding');
    if (/[A-Z]/.test(t)) faults.add('upper case');
    readCid(Buffer.from(theirs, 'hex'), (why) => faults.add(why));
    for (const f of faults) count(differences, `multiformats takes, the server refuses: ${f}`);
    same('the text of a CID: as multiformats, but for the listed kinds', faults.size > 0 && [...faults].every((f) => f in TAKEN_ALL_THE_SAME), show);
  } else same('the text of a CID: as multiformats, but for the listed kinds', row.bytes === theirs, show);
});

await inBatches(5000, () => {
  let t = base64(bytes(below(40)));
  const at = below(t.length + 1);
  switch (below(6)) {
    case 0: t = t.slice(0, -1) + pick([...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/']); break;
    case 1: t = t.slice(0, at) + pick(['-', '_', ' ', '\n', '=', 'é', '/', '+', 'A']) + t.slice(at); break;
    case 2: t += pick(['=', '==', '===']); break;
    case 3: t = t.slice(0, at); break;
    case 4: t = t.padEnd(Math.ceil(t.length / 4) * 4, '='); break;
  }
  let theirs = null;
  try { theirs = Buffer.from(atcute.encode({ $bytes: t })).toString('hex'); } catch { /* refused */ }
  return { t, theirs };
}, (batch) => ask(`
  SELECT CASE WHEN v THEN encode(atid.record_to_dag_cbor(jsonb_build_object('$bytes', t)), 'hex') END AS block
    FROM unnest($1::text[]) WITH ORDINALITY AS t (t, i),
         LATERAL (SELECT atid.record_is_valid(jsonb_build_object('a', jsonb_build_object('$bytes', t)))) AS v (v)
    ORDER BY i`, [batch.map((r) => r.t)]),
(row, { t, theirs }) => {
  const show = () => `${JSON.stringify(t)} ${row.block} ${theirs}`;
  const digits = t.replace(/={1,2}$/, '');
  const taken = /^[A-Za-z0-9+/]*$/.test(digits) && digits.length % 4 !== 1 && (t === digits || t.length % 4 === 0);
  const decoded = Buffer.from(digits, 'base64');
  same('$bytes: the bytes of base64 with its padding or without, and none of other texts',
    (row.block === null) === !taken && (!taken || row.block.endsWith(decoded.toString('hex'))), show);
  // @atcute/cbor wants the spare bits zero; the protocol's own vectors have others
  if (theirs === null && taken) same('$bytes: refused by @atcute/cbor alone, for spare bits', base64(decoded) !== digits, show);
  else same('$bytes: the bytes that @atcute/cbor makes of the text, or none where it makes none', row.block === theirs, show);
});

await db.end();

for (const [what, n] of [...differences].sort()) console.log(`note\t${n} times: ${what}`);
console.log(`note\t${accepted} of ${mutants} mutated blocks are accepted`);
printVerdicts();
