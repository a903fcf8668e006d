// Lexicons, as npm's packages @atproto/lex-document, @atproto/lex-schema and @atproto/lexicon see them, and as the server
// does.
//
//   node lexicons.js SEED VALUES DOCUMENTS DATABASE     with PGHOST, PGPORT and PGUSER set
//
// Prints lines of "ok" or "not ok", a tab and what was compared, and lines of "note", a tab and a remark.
//
// The lexicons are those of lexicon_docs.js. VALUES values are made, half of them by what a schema says, and the other
// half by breaking such a value in one place; each kind of break has a name, and the list of kinds below must all be
// met. DOCUMENTS documents are made by breaking one in one place.
//
// Where a package answers otherwise than the server, the list says why, for one kind of break and one direction only.
import { LexiconIterableIndexer, LexiconSchemaBuilder, lexiconDocumentSchema } from '@atproto/lex-document';
import { jsonToLex } from '@atproto/lex-json';
import { Lexicons, jsonToLex as jsonToLexicon, parseLexiconDoc } from '@atproto/lexicon';
import * as ipld from '@ipld/dag-cbor';
import { CID } from 'multiformats/cid';
import pg from 'pg';
import { chance } from './chance.js';
import { verdicts } from './verdicts.js';
import { SYNTHETIC, documents as published, synthetic } from './lexicon_docs.js';

const [seed, values, mutants] = process.argv.slice(2, 5).map(Number);
const database = process.argv[5];
const BATCH = 500;
const { random, below, pick, bytes } = chance(seed);
const documents = [...published, ...synthetic];
const byId = new Map(documents.map((doc) => [doc.id, doc]));

// --- where they differ -----------------------------------------------------------------------------

// Values, by the kind of break. "takes": the package takes what the server refuses; "refuses": the other way round.
const LEX_SCHEMA = {
  'unknown: a blob': ['takes', 'an unknown must not have the structure of a blob'],
  'cid-link: another codec': ['takes', 'a link must have a codec and a hash of the data model'],
  'cid-link: a CID of version 0': ['takes', 'a link must be a CID of version 1'],
  'blob: a mimeType without a slash': ['refuses', 'the data model: a mimeType is text that is not empty'],
  'blob: another key': ['refuses', 'unexpected fields are ignored'],
  'inline property: a foreign $type': ['refuses', 'it has no inline objects, so that this one is behind a ref'],
  'string: a uri beyond 8 kB': ['takes', 'the maximum length is 8 KBytes'],
  'string: a uri whose scheme begins with a digit': ['takes', 'RFC 3986: a scheme begins with a letter'],
  'string: an at-uri with a fragment': ['takes', 'AT URIs in Lexicons have no fragment'],
  'string: a cid of the right characters, but none': ['refuses', 'the most expansive syntax is permitted, which is that of the public vectors'],
  'string: a language with a subtag twice': ['refuses', 'a language has to be well-formed, and need not be valid'],
};
// With { strict: false }, beside the server's lenient, which keeps to the data model.
const MODEL = 'lenient is about the schema; the data model is kept';
const LEX_SCHEMA_LENIENT = {
  ...LEX_SCHEMA,
  'blob: a ref that is not raw': ['takes', MODEL],
  'blob: a size below 0': ['takes', MODEL],
  'inline property: a $type that is no text': ['takes', MODEL],
  'object: an unknown field that breaks the data model': ['takes', MODEL],
  'union: a $type that is no text': ['takes', MODEL],
  'unknown: a $type that is no text': ['takes', MODEL],
  'unknown: a broken blob within': ['takes', MODEL],
  'unknown: a broken link within': ['takes', MODEL],
  'blob: as it was once, with another key': ['refuses', 'unexpected fields are ignored'],
  'string: format at-uri': ['takes', 'only datetimes are loose'],
  'string: a loose datetime': ['refuses', 'what datetime_normalize reads is taken'],
  'string: a datetime before the year 0': ['takes', 'what datetime_normalize reads is taken'],
  'string: an at-uri with no record key': ['takes', 'only datetimes are loose'],
};
const LEXICON = {
  'unknown: a blob': LEX_SCHEMA['unknown: a blob'],
  'cid-link: another codec': LEX_SCHEMA['cid-link: another codec'],
  'cid-link: a CID of version 0': LEX_SCHEMA['cid-link: a CID of version 0'],
  'blob: a ref that is not raw': ['takes', 'the data model: raw'],
  'blob: a size below 0': ['takes', 'the data model: not below 0'],
  'blob: a size that is no integer': ['takes', 'the data model: an integer'],
  'blob: accept': ['takes', 'it does not look at accept'],
  'blob: as it was once': ['takes', 'it takes legacy blobs always'],
  'blob: maxSize': ['takes', 'it does not look at maxSize'],
  'closed union: #main, lex: or #': ['takes', 'main types must be referenced in $type as just the NSID'],
  'record: lex:': ['takes', 'main types must be referenced in $type as just the NSID'],
  'inline property: a $type that is no text': ['takes', 'the data model: $type is text'],
  'integer: const': ['takes', 'it takes -0 for 0'],
  'object: an unknown field that breaks the data model': ['takes', 'it does not look at what it does not know'],
  'object: required with a default, absent': ['takes', 'it fills in the default'],
  'object: another type': ['takes', 'it takes links, bytes and arrays for objects'],
  'ref: a $type of another form': ['takes', 'it does not look at the $type behind a ref'],
  'ref: a $type that is no text': ['takes', 'it does not look at the $type behind a ref'],
  'ref: a foreign $type': ['takes', 'it does not look at the $type behind a ref'],
  'union: a blob': ['refuses', 'a BlobRef has no $type'],
  'union: a $type that is no text': ['takes', 'the data model: $type is not empty'],
  'unknown: a $type that is no text': ['takes', 'the data model: $type is text'],
  'unknown: a broken blob within': ['takes', 'it does not look into it'],
  'unknown: a broken link within': ['takes', 'it does not look into it'],
  'unknown: a fraction within': ['takes', 'it does not look into it'],
  'unknown: a link': ['takes', 'an unknown is an object'],
  'unknown: an array': ['takes', 'an unknown is an object'],
  'unknown: bytes': ['takes', 'an unknown is an object'],
  'blob: an empty mimeType': ['takes', 'the data model: not empty'],
  'blob: another key': LEX_SCHEMA['blob: another key'],
  'string: a uri beyond 8 kB': LEX_SCHEMA['string: a uri beyond 8 kB'],
  'string: a uri whose scheme begins with a digit': LEX_SCHEMA['string: a uri whose scheme begins with a digit'],
  'string: a datetime with an offset of no or another form': ['takes', 'it takes loose datetimes'],
  'string: a datetime before the year 0': ['takes', 'it takes loose datetimes'],
  'string: an at-uri with a fragment': LEX_SCHEMA['string: an at-uri with a fragment'],
  'string: a cid of the right characters, but none': LEX_SCHEMA['string: a cid of the right characters, but none'],
};
// What @atproto/lexicon dies of, whatever the value: its words, and why.
const LEXICON_DIES = [
  [/^Unexpected lexicon type: record$/, 'it has no refs to records and no unions of them'],
  [/^Unable to resolve uri without anchor/, 'it looks up a $type that begins with #'],
];

// --- what there is to break ------------------------------------------------------------------------

// Every constraint of the language, and what is near it.
const KINDS = [
  'array: another type', 'array: maxLength', 'array: minLength', 'array: null as an item', 'blob: a mimeType that is no text',
  'blob: an empty mimeType', 'blob: a mimeType without a slash', 'blob: a ref that is not raw', 'blob: a ref that is text', 'blob: a size below 0',
  'blob: a size that is no integer', 'blob: accept', 'blob: another $type', 'blob: another key', 'blob: another type',
  'blob: as it was once', 'blob: as it was once, with another key', 'blob: maxSize', 'blob: no $type', 'blob: no mimeType', 'blob: no ref',
  'blob: no size', 'boolean: another type', 'boolean: const', 'bytes: $bytes is no text', 'bytes: another key', 'bytes: another type',
  'bytes: maxLength', 'bytes: minLength', 'bytes: no base64', 'bytes: spare bits', 'cid-link: $link is no text',
  'cid-link: a CID of version 0', 'cid-link: another codec', 'cid-link: another key', 'cid-link: another type', 'cid-link: no CID',
  'closed union: #main, lex: or #', 'closed union: a $type that is no text', 'closed union: a $type that is not listed',
  'closed union: a blob', 'closed union: another type', 'closed union: no $type',
  'inline property: a $type that is no text', 'inline property: a foreign $type', 'integer: a fraction', 'integer: another type', 'integer: beyond 2^53', 'integer: beyond 64 bits',
  'integer: const', 'integer: enum', 'integer: maximum', 'integer: minimum', 'integer: written as a fraction',
  'object: an optional property of another type', 'object: an unknown field', 'object: an unknown field beyond 2^53',
  'object: an unknown field that breaks the data model', 'object: another type', 'object: null where it is not nullable',
  'object: null where it is nullable', 'object: null where it is optional', 'object: nullable and required, absent',
  'object: required with a default, absent', 'object: required, absent',
  'record: #main', 'record: a $type that is no text', 'record: another $type', 'record: lex:',
  'record: no $type', 'ref: a $type of another form', 'ref: a $type that is no text', 'ref: a foreign $type', 'ref: its own $type',
  'string: U+0000', 'string: a cid of the right characters, but none',
  'string: a language with a subtag twice',
  'string: an at-uri with a fragment',
  'string: an at-uri with another part',
  'string: an at-uri with no record key',
  'string: a uri of just 8 kB', 'string: a uri beyond 8 kB', 'string: a uri whose scheme begins with a digit',
  'string: a loose datetime', 'string: a datetime with an offset of no or another form', 'string: a datetime before the year 0', 'string: another type', 'string: const', 'string: enum', 'string: format at-identifier',
  'string: format at-uri', 'string: format cid', 'string: format datetime', 'string: format did', 'string: format handle',
  'string: format language', 'string: format nsid', 'string: format record-key', 'string: format tid', 'string: format uri',
  'string: just maxGraphemes', 'string: just maxLength', 'string: maxGraphemes', 'string: maxLength', 'string: minGraphemes',
  'string: minLength', 'string: not among the knownValues', 'union: #main, lex: or #', 'union: a $type that is no text',
  'union: a $type that is not listed', 'union: a blob', 'union: another type', 'union: no $type', 'unknown: a $type that is no text',
  'unknown: a blob', 'unknown: a broken blob within', 'unknown: a broken link within', 'unknown: a fraction within',
  'unknown: a legacy blob', 'unknown: a link', 'unknown: an array', 'unknown: another type', 'unknown: bytes', 'unknown: with a $type',
];
// What is no fault, or need not be one.
const ACCEPTED = new Set([
  'blob: a mimeType without a slash', 'blob: another key', 'bytes: spare bits', 'string: a cid of the right characters, but none',
  'string: a language with a subtag twice', 'inline property: a foreign $type', 'union: #main, lex: or #', 'union: a $type that is not listed', 'union: a blob', 'inline property: a foreign $type', 'integer: written as a fraction', 'object: an unknown field',
  'object: an unknown field beyond 2^53', 'object: null where it is nullable', 'ref: its own $type', 'string: U+0000', 'string: a uri of just 8 kB', 'string: just maxGraphemes',
  'string: just maxLength', 'string: not among the knownValues', 'unknown: a legacy blob', 'unknown: with a $type',
]);

// --- what is compared ------------------------------------------------------------------------------

const { count, same, printVerdicts } = verdicts(12);
const differences = new Map();

const db = new pg.Client({ database });
await db.connect();
const ask = (name, text, params) => db.query({ name, text, values: params }).then((r) => r.rows);
const one = async (text, params) => Object.values((await db.query(text, params)).rows[0])[0];

// --- the documents ---------------------------------------------------------------------------------

const json = JSON.stringify(documents);
await db.query('CREATE TEMP TABLE lexicons (s atid.lexicon)');
await db.query('INSERT INTO lexicons VALUES ($1)', [json]);
const set = await one('SELECT s::text FROM lexicons', []);

// JSON with its keys in jsonb's order, which is canonical DAG-CBOR's too.
function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const keys = Object.keys(value).sort((a, b) => Buffer.byteLength(a) - Buffer.byteLength(b) || Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]));
}

for (const doc of documents) {
  const text = JSON.stringify(doc);
  const [row] = await ask('document', `
    SELECT atid.lexicon_is_valid($1::text::jsonb) AS valid, atid.lexicon_problem($1::text::jsonb) AS problem,
           l::text AS text, (l::text)::atid.lexicon = l AND (l::text)::atid.lexicon::text = l::text AS again,
           (l::text)::jsonb AS back, atid.lexicon_document(l, $2) AS document, atid.lexicon_nsids(l) AS ids,
           ($1::text::jsonb)::atid.lexicon = l AS cast
      FROM (SELECT $1::text::atid.lexicon AS l) x`, [text, doc.id]);
  same('documents: valid', row.valid && row.problem === null, () => `${doc.id} ${row.problem}`);
  same('documents: read back as they are output', row.again && row.cast, () => doc.id);
  const expected = JSON.stringify(sorted(doc));
  same('documents: what was put in', JSON.stringify(sorted(row.document)) === expected && String(row.ids) === doc.id &&
    JSON.stringify(sorted([row.back].flat())) === `[${expected}]`, () => row.text);
}

// References, by an independent walk.
const fullName = (id, ref) => (ref.startsWith('#') ? id + ref : ref.includes('#') ? ref : `${ref}#main`);
function references(id, value, found = new Set()) {
  if (Array.isArray(value)) for (const v of value) references(id, v, found);
  else if (value !== null && typeof value === 'object') {
    if (value.type === 'ref' && typeof value.ref === 'string') found.add(fullName(id, value.ref));
    if (value.type === 'union' && Array.isArray(value.refs)) for (const r of value.refs) found.add(fullName(id, r));
    for (const v of Object.values(value)) if (v !== null && typeof v === 'object') references(id, v, found);
  }
  return found;
}
const definition = (full) => byId.get(full.split('#')[0])?.defs[full.split('#')[1]];
function closure(full, found = new Set([full])) {
  for (const r of references(full.split('#')[0], definition(full))) {
    if (!found.has(r) && definition(r)) {
      found.add(r);
      closure(r, found);
    }
  }
  return found;
}
{
  const { rows: [row] } = await db.query(`
    SELECT s::text AS text, s::text::atid.lexicon = s AND s::text::atid.lexicon::text = s::text AS again,
           (s::text)::jsonb AS back, atid.lexicon_nsids(s) AS ids, atid.lexicon_missing(s) AS missing,
           (SELECT atid.lexicon_agg(d::atid.lexicon ORDER BY random()) = s FROM jsonb_array_elements($1::text::jsonb) d) AS agg,
           atid.lexicon_send(s) = convert_to(s::text, 'UTF8') AS binary
      FROM (SELECT $1::text::atid.lexicon AS s) x`, [json]);
  same('the set: read back as it is output', row.again && row.text === set, () => '');
  same('the set: its binary form is its text', row.binary, () => '');
  same('the set: the aggregate of its documents', row.agg, () => '');
  const ids = documents.map((doc) => doc.id).sort();
  same('the set: its NSIDs', String(row.ids) === String(ids), () => String(row.ids));
  same('the set: its documents', JSON.stringify(sorted(row.back.sort((a, b) => (a.id < b.id ? -1 : 1)))) ===
    JSON.stringify(sorted(ids.map((id) => byId.get(id)))), () => '');
  same('the set: nothing is missing', row.missing.length === 0, () => String(row.missing));
}
for (const doc of documents) {
  if (doc.defs.main?.type !== 'record') continue;
  const [row] = await ask('only', `SELECT l::text::jsonb AS back, atid.lexicon_missing(l) AS missing
    FROM lexicons, atid.lexicon_only(s, ARRAY[$1::text]) l`, [doc.id]);
  const theirs = [row.back].flat().flatMap((d) => Object.keys(d.defs).map((name) => `${d.id}#${name}`)).sort();
  same('lexicon_only: the closure by definition', String(theirs) === String([...closure(`${doc.id}#main`)].sort()) && row.missing.length === 0,
    () => `${doc.id}: ${theirs} and not ${[...closure(`${doc.id}#main`)].sort()}`);
}

// --- the packages' schemas -------------------------------------------------------------------------

// As @atproto/lex-document takes it: it throws for a reference without "#" and has no inline objects, which get a
// definition each.
const withMain = (doc) => {
  const hoisted = {};
  const made = JSON.parse(JSON.stringify(doc), function (key, value) {
    if (key === 'ref' && typeof value === 'string') return value === '' ? '' : fullName('', value);
    if (key === 'refs' && Array.isArray(value)) return value.map((r) => (typeof r === 'string' && r !== '' ? fullName('', r) : r));
    return value;
  });
  if (doc.id === SYNTHETIC) {
    const { properties } = made.defs.main.record ?? {};
    for (const [name, property] of Object.entries(properties ?? {})) {
      if (property?.type !== 'object') continue;
      hoisted[`inline-${name}`] = property;
      properties[name] = { type: 'ref', ref: `${doc.id}#inline-${name}` };
    }
    if (made.defs !== null && typeof made.defs === 'object') Object.assign(made.defs, hoisted);
  }
  return made;
};
const schemas = await LexiconSchemaBuilder.buildAll(new LexiconIterableIndexer(documents.map(withMain)));
const lexicons = new Lexicons(structuredClone(documents));

// What can be validated: { ref, def, id, schema }. A name is as in data: without "#main".
const subjects = [];
for (const doc of documents) {
  for (const [name, def] of Object.entries(doc.defs)) {
    const ref = name === 'main' ? doc.id : `${doc.id}#${name}`;
    if (!['token', 'permission-set', 'query', 'procedure', 'subscription'].includes(def.type)) {
      subjects.push({ id: doc.id, ref, def, schema: schemas.get(`${doc.id}#${name}`) });
    }
  }
}
const records = subjects.filter((s) => s.def.type === 'record');
const own = subjects.filter((s) => s.id.startsWith('com.example.'));
const main = records.find((s) => s.id === SYNTHETIC);

// --- values that are what a schema says --------------------------------------------------------------

// A number as it is written.
class Written { constructor(text) { this.text = text; } }

const S32 = '234567abcdefghijklmnopqrstuvwxyz';
const letters = (n, of) => Array.from({ length: n }, () => pick(of)).join('');
const LOWER = [...'abcdefghijklmnopqrstuvwxyz'];
const label = () => letters(1 + below(8), LOWER);
const tid = () => pick('234567abcdefghij') + letters(12, S32);
const did = () => pick([`did:plc:${letters(24, S32)}`, `did:web:${label()}.com`, `did:key:z${label()}`]);
const handle = () => `${label()}.${label()}.com`;
const nsid = () => `com.${label()}.${label()}`;
const rkey = () => pick([tid(), 'self', `${label()}-${below(99)}.~_:x`]);
const cid = (code = pick([0x71, 0x55])) => String(CID.decode(Uint8Array.from([1, code, 0x12, 0x20, ...bytes(32)])));
const FORMATS = {
  did, handle, nsid, tid, 'record-key': rkey, cid,
  'at-identifier': () => pick([did, handle])(),
  'at-uri': () => `at://${pick([did, handle])()}${pick(['', `/${nsid()}`, `/${nsid()}/${rkey()}`])}`,
  datetime: () => `20${below(10)}${below(10)}-0${1 + below(9)}-${10 + below(18)}T${10 + below(14)}:${10 + below(50)}:${10 + below(50)}` +
    `${pick(['', `.${below(1000)}`, '.000'])}${pick(['Z', '+01:30', '-11:00'])}`,
  uri: () => pick([`https://${label()}.com/${label()}?a=${below(9)}#x`, `at://${did()}`, `did:x:${label()}`, `dns:${label()}`, `a:b`]),
  language: () => pick(['ja', 'ban', 'pt-BR', 'hy-Latn-IT-arevela', 'i-default', 'x-a', 'zh-Hant', 'de-CH-1996']),
};
// each one grapheme, whatever stands before it
const GRAPHEMES = ['a', 'Z', '0', ' ', 'é', 'e\u0301', 'ß', 'Ж', '日', '本', '가', '\u1100\u1161\u11a8', '👍', '👍🏽', '👩‍👩‍👧‍👦', '🇩🇪', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', '☕️', '\u0915\u094d\u0937',
  'นี', '\r\n', '\n', '"', '\\', '\u200b'];
const ASCII = [...'abc xyz.,09'];
const graphemes = (n, of = below(3) ? ASCII : GRAPHEMES) => Array.from({ length: n }, () => pick(of));
const length = (text) => Buffer.byteLength(text);
const segmenter = new Intl.Segmenter();
const clusters = (text) => [...segmenter.segment(text)].length;

// A text with so many graphemes if they fit into so many bytes.
function text(def) {
  const low = Math.max(def.minGraphemes ?? 0, 0);
  const high = Math.min(def.maxGraphemes ?? Infinity, def.maxLength ?? Infinity);
  const n = high === Infinity ? low + below(30) : pick([low, high > 1000 && below(20) ? low : high, low + below(Math.min(high - low, 40) + 1)]);
  const list = graphemes(Math.max(n, 0));
  let made = list.join('');
  while (made !== '' && length(made) > (def.maxLength ?? Infinity)) {
    list.pop();
    made = list.join('');
  }
  while (length(made) < (def.minLength ?? 0) && clusters(made) < high) made += 'x';
  return made;
}

function string(def) {
  if (def.const !== undefined) return def.const;
  if (def.enum !== undefined) return def.enum.length ? pick(def.enum) : text(def);
  if (def.knownValues?.length && below(2)) return pick(def.knownValues);
  if (def.format === undefined) return text(def);
  for (let i = 0; i < 30; i++) {
    const made = FORMATS[def.format]();
    if (length(made) <= (def.maxLength ?? Infinity) && clusters(made) <= (def.maxGraphemes ?? Infinity)) return made;
  }
  return def.format === 'uri' ? 'a:b' : FORMATS[def.format]();
}

function integer(def) {
  if (def.const !== undefined) return def.const;
  if (def.enum !== undefined) return pick(def.enum);
  const low = def.minimum ?? (def.maximum !== undefined ? def.maximum - 1000 : -1000);
  const high = def.maximum ?? low + 2000;
  return pick([low, high, low + below(Math.min(high - low, 2 ** 32)), Math.max(low, Math.min(high, 0))]);
}

const link = (code) => ({ $link: cid(code) });
const base64 = (data, padded = true) => ({ $bytes: Buffer.from(data).toString('base64').replace(/=+$/, padded ? '$&' : '') });
function mime(accept) {
  const a = pick(accept ?? ['*/*']);
  if (a === '*/*') return pick(['image/png', 'text/plain; charset=utf-8', 'a/b', 'application/x']);
  return a.endsWith('/*') ? a.slice(0, -1) + pick(['png', 'PNG', 'x+y']) : a.includes('/') ? a : 'image/png';
}
const blob = (def) => ({ $type: 'blob', ref: link(0x55), mimeType: mime(def.accept), size: below(2) ? def.maxSize ?? below(1e6) : below((def.maxSize ?? 1e6) + 1) });

// anything that the data model knows
function anything(depth) {
  switch (below(depth > 2 ? 7 : 9)) {
    case 0: return null;
    case 1: return below(2) === 0;
    case 2: return below(1000) - 500;
    case 3: return graphemes(below(5)).join('');
    case 4: return base64(bytes(below(5)), below(2) === 0);
    case 5: return link();
    case 6: return blob({});
    case 7: return Array.from({ length: below(3) }, () => anything(depth + 1));
    default: return anyObject(depth + 1);
  }
}
const anyObject = (depth) => Object.fromEntries([
  ...(below(3) ? [] : [['$type', pick(['com.example.other', 'com.example.other#x', 'whatever', 'app.bsky.feed.post'])]]),
  ...Array.from({ length: below(3) }, () => [pick(['a', 'b', 'text', 'né', 'x y', '']), anything(depth)])]);

const PROBABILITY = [0.6, 0.5, 0.4, 0.25, 0.1];
// Puts a value into holder[key], and notes what can be broken.
function make(sites, holder, key, def, id, depth, how = {}) {
  const site = { holder, key, def, id, ...how };
  sites.push(site);
  switch (def.type) {
    case 'boolean': holder[key] = def.const ?? below(2) === 0; break;
    case 'integer': holder[key] = integer(def); break;
    case 'string': holder[key] = string(def); break;
    case 'bytes': {
      const low = def.minLength ?? 0;
      holder[key] = base64(bytes(pick([low, Math.min(def.maxLength ?? low + 20, low + 2000)])), below(2) === 0);
      break;
    }
    case 'cid-link': holder[key] = link(); break;
    case 'blob': holder[key] = blob(def); break;
    case 'unknown': holder[key] = anyObject(depth); break;
    case 'array': {
      const low = def.minLength ?? 0;
      const high = Math.min(def.maxLength ?? low + 3, low + 4);
      const n = depth > 5 ? low : pick([low, high, low + below(high - low + 1)]);
      holder[key] = [];
      for (let i = 0; i < n; i++) make(sites, holder[key], i, def.items, id, depth + 1);
      break;
    }
    case 'object': {
      const value = holder[key] = how.type === undefined ? {} : { $type: how.type };
      for (const [name, property] of Object.entries(def.properties)) {
        const required = def.required?.includes(name) ?? false;
        const nullable = def.nullable?.includes(name) ?? false;
        if (!required && (property.enum?.length === 0 || property.accept?.includes('*') ||
          !(random() < (PROBABILITY[depth] ?? 0)))) {
          sites.push({ holder: value, key: name, def: property, id, absent: true, nullable });
        } else if (nullable && below(3) === 0) value[name] = null;
        else make(sites, value, name, property, id, depth + 1, { required, nullable, property: true });
      }
      break;
    }
    case 'record':
      site.skip = true;
      make(sites, holder, key, def.record, id, depth, { ...how, type: id, record: true });
      break;
    case 'ref': {
      site.skip = true;
      const full = fullName(id, def.ref);
      const target = definition(full);
      make(sites, holder, key, target, full.split('#')[0], depth, { ...how, name: full.replace(/#main$/, '') });
      break;
    }
    case 'union': {
      if (def.refs.length === 0 || (!def.closed && below(5) === 0)) {
        holder[key] = { $type: pick(['com.example.unlisted', 'com.example.unlisted#x', 'lex:com.example.record', '#object', 'x']), ...anyObject(depth) };
        if (below(2)) holder[key].$type = 'com.example.unlisted';
        break;
      }
      const full = fullName(id, pick(def.refs));
      const target = definition(full);
      const name = full.replace(/#main$/, '');
      make(sites, holder, key, target, full.split('#')[0], depth, { ...how, type: full.replace(/#main$/, ''), variant: true });
      break;
    }
    default: throw new Error(`a value of type ${def.type}?`);
  }
}

// --- and values that are broken in one place --------------------------------------------------------

const OTHERS = [true, 5, 'text', ['a'], { a: 1 }, { $bytes: 'AAAA' }, () => link(), () => blob({})];
const other = (...not) => {
  for (;;) {
    let value = pick(OTHERS);
    if (typeof value === 'function') value = value();
    const kind = Array.isArray(value) ? 'array' : value?.$bytes ? 'bytes' : value?.$link ? 'link' : value?.$type ? 'blob' : typeof value;
    if (!not.includes(kind)) return structuredClone(value);
  }
};
const BAD = {
  did: () => pick(['did:plc', 'did:', 'DID:plc:abc', 'did:UP:x', 'did:web:', 'plc:x', '']), handle: () => pick(['x', 'a..b.com', 'a.b_c.com', '-a.com', 'a.com.', 'a.1']),
  nsid: () => pick(['com.example', 'com.1x.a', 'com.example.a-b', '.com.a.b', 'com.example.fooBar.*']), tid: () => pick([`${tid()}x`, '1jzfcijpj2z2a', tid().slice(1), 'zzzzzzzzzzzzz']),
  'record-key': () => pick(['', '.', '..', 'a/b', 'a b', 'é', 'x'.repeat(513)]), cid: () => pick(['', 'bafy', `${cid()}!`, 'x']),
  'at-identifier': () => pick(['did:', 'x', '@a.b.com']), 'at-uri': () => pick(['at://', 'at:x', `at://${did()}/x`, `at://${did()}/${nsid()}/`, `http://${handle()}`, `at://${handle()}/a/b/c`]),
  datetime: () => pick(['2024-13-01T00:00:00Z', '2024-01-01T00:00:00.Z', '2024-01', '2024', 'x', '']), uri: () => pick(['x', '', ':a', 'a b:c']), language: () => pick(['', 'a', 'x', 'en-', 'en_US', '1', 'toolonglang']),
};
const without = (object, ...keys) => Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));

// What can be broken at a site: [kind, () => what stands there then], undefined for nothing.
function breaks(site) {
  const { holder, key, def, id, absent, required, nullable, property } = site;
  const value = holder[key];
  const list = [];
  const can = (kind, to) => list.push([kind, to]);
  if (absent) {
    if (!nullable) can('object: null where it is optional', () => null);
    if (def.type === 'boolean' || def.type === 'integer') can('object: an optional property of another type', () => 'x');
    return list;
  }
  if (property && required) {
    can(nullable ? 'object: nullable and required, absent' : 'default' in def ? 'object: required with a default, absent' : 'object: required, absent', () => undefined);
  }
  if (property) can(nullable ? 'object: null where it is nullable' : 'object: null where it is not nullable', () => null);
  if (!property && Array.isArray(holder)) can('array: null as an item', () => null);
  if (value === null || site.skip) return list;
  switch (def.type) {
    case 'boolean':
      can('boolean: another type', () => pick([0, 1, 'true', null, {}, []]));
      if (def.const !== undefined) can('boolean: const', () => !value);
      break;
    case 'integer':
      can('integer: another type', () => pick([String(value), true, [value], {}, null]));
      can('integer: a fraction', () => value + 0.5);
      can('integer: written as a fraction', () => new Written(`${value}.0`));
      can('integer: beyond 2^53', () => pick([2n ** 53n + 1n, -(2n ** 53n) - 1n, 2n ** 63n - 1n, -(2n ** 63n)]));
      can('integer: beyond 64 bits', () => pick([2n ** 63n, -(2n ** 63n) - 1n, 10n ** 30n]));
      if (def.const !== undefined) can('integer: const', () => pick([def.const + 1, def.const - 1, -def.const || 7]));
      if (def.enum !== undefined) can('integer: enum', () => pick([...def.enum.map((n) => n + 1), 0, -4]));
      if (def.minimum !== undefined && def.minimum > Number.MIN_SAFE_INTEGER) can('integer: minimum', () => pick([def.minimum - 1, Math.max(def.minimum - 1000, Number.MIN_SAFE_INTEGER), Math.min(-1e15, def.minimum - 1)]));
      if (def.maximum !== undefined && def.maximum < Number.MAX_SAFE_INTEGER) can('integer: maximum', () => pick([def.maximum + 1, Math.min(def.maximum + 1000, Number.MAX_SAFE_INTEGER), Math.max(1e15, def.maximum + 1)]));
      break;
    case 'string': {
      can('string: another type', () => pick([5, false, null, other('string')]));
      const free = def.const === undefined && def.enum === undefined && def.format === undefined;
      if (def.const !== undefined) can('string: const', () => pick([`${def.const}x`, '', def.const.slice(1)]));
      if (def.enum !== undefined) can('string: enum', () => pick([`${value}x`, 'constructor ', 'A', 'toString', '\u00e9']));
      if (def.knownValues !== undefined) can('string: not among the knownValues', () => `${value}x`);
      if (def.format !== undefined) can(`string: format ${def.format}`, () => BAD[def.format]());
      if (def.format === 'uri') {
        can('string: a uri of just 8 kB', () => `a:${'x'.repeat(8190)}`);
        can('string: a uri beyond 8 kB', () => `a:${'x'.repeat(8191)}`);
        can('string: a uri whose scheme begins with a digit', () => '1a:b');
      }
      if (def.format === 'cid') can('string: a cid of the right characters, but none', () => pick(['abcdefgh', 'bafybeigdyrzt', 'QmdfTbBqBPQ7VNxZEYEj14VmRuZBkqFbiwReogJgS1zR1', '12345678']));
      if (def.format === 'language') can('string: a language with a subtag twice', () => pick(['de-1996-1996', 'en-a-bb-a-cc', 'sl-rozaj-rozaj']));
      if (def.format === 'at-uri') {
        can('string: an at-uri with a fragment', () => `at://${did()}/${nsid()}/${rkey()}#/a`);
        can('string: an at-uri with another part', () => `at://${did()}/${nsid()}/${rkey()}/a`);
        can('string: an at-uri with no record key', () => `at://${did()}/${nsid()}/${pick(['.', '..', '', 'a b', 'a%20'])}`);
      }
      if (def.format === 'datetime') {
        can('string: a loose datetime', () => pick(['2024-01-01', '2024-01-01T00:00Z', '2024-01-01t00:00:00Z', '2024-01-01T00:00:00-00:00', '2024-01-01 00:00:00Z', '2024-01-01T00:00:00z',
          'Mon, 01 Jan 2024 00:00:00 GMT']));
        can('string: a datetime with an offset of no or another form', () => pick(['2024-01-01T00:00:00', '2024-01-01T00:00:00+0100']));
        can('string: a datetime before the year 0', () => '0000-01-01T00:00:00+01:00');
      }
      if (free && def.maxLength !== undefined) {
        can('string: maxLength', () => {
          const of = graphemes(1, pick([['a'], ['é'], ['日'], ['👍']]))[0];
          return of.repeat(Math.ceil((def.maxLength + 1) / length(of))).slice(0, 30000);
        });
        can('string: just maxLength', () => pick(['', 'é', '日']).padStart(1, 'a') && ('日'.repeat(Math.floor(def.maxLength / 3)) + 'a'.repeat(def.maxLength % 3)));
      }
      if (free && def.minLength > 0) can('string: minLength', () => 'a'.repeat(def.minLength - 1));
      if (free && def.maxGraphemes !== undefined) {
        can('string: maxGraphemes', () => graphemes(def.maxGraphemes + 1, (def.maxLength ?? Infinity) > 40 * (def.maxGraphemes + 1) ? GRAPHEMES : ASCII).join(''));
        can('string: just maxGraphemes', () => graphemes(def.maxGraphemes, (def.maxLength ?? Infinity) > 40 * def.maxGraphemes ? GRAPHEMES : ASCII).join(''));
      }
      if (free && def.minGraphemes > 0) can('string: minGraphemes', () => graphemes(def.minGraphemes - 1, ['👩‍👩‍👧‍👦']).join('') );
      if (def.format === undefined) can('string: U+0000', () => new Written(JSON.stringify(`${value}\0`)));
      break;
    }
    case 'bytes': {
      const data = Buffer.from(value.$bytes, 'base64');
      can('bytes: another type', () => pick([value.$bytes, null, other('bytes'), [1, 2]]));
      can('bytes: $bytes is no text', () => ({ $bytes: pick([5, null, ['AAAA']]) }));
      can('bytes: another key', () => ({ ...value, a: 1 }));
      can('bytes: no base64', () => ({ $bytes: pick(['!', 'A', 'AA=A', 'é', 'AAAAA']) }));
      can('bytes: spare bits', () => ({ $bytes: '123' }));
      if (def.maxLength !== undefined) can('bytes: maxLength', () => base64(Buffer.concat([data, Buffer.alloc(def.maxLength + 1 - data.length)]), below(2) === 0));
      if (def.minLength > 0) can('bytes: minLength', () => base64(data.subarray(0, def.minLength - 1), below(2) === 0));
      break;
    }
    case 'cid-link':
      can('cid-link: another type', () => pick([value.$link, null, other('link')]));
      can('cid-link: $link is no text', () => ({ $link: pick([5, null, {}]) }));
      can('cid-link: another key', () => ({ ...value, a: 1 }));
      can('cid-link: no CID', () => ({ $link: pick(['', 'bafy', `${value.$link}a`, value.$link.toUpperCase()]) }));
      can('cid-link: another codec', () => link(0x70));
      can('cid-link: a CID of version 0', () => ({ $link: 'QmdfTbBqBPQ7VNxZEYEj14VmRuZBkqFbiwReogJgS1zR1n' }));
      break;
    case 'blob':
      can('blob: another type', () => pick([null, 5, value.ref, value.ref.$link, other('blob')]));
      can('blob: no $type', () => without(value, '$type'));
      can('blob: another $type', () => ({ ...value, $type: 'com.example.blob' }));
      for (const k of ['ref', 'mimeType', 'size']) can(`blob: no ${k}`, () => without(value, k));
      can('blob: a ref that is text', () => ({ ...value, ref: value.ref.$link }));
      can('blob: a ref that is not raw', () => ({ ...value, ref: link(0x71) }));
      can('blob: a size below 0', () => ({ ...value, size: pick([-1, -2, -1000]) }));
      can('blob: a size that is no integer', () => ({ ...value, size: pick([1.5, '5', null, true]) }));
      can('blob: a mimeType that is no text', () => ({ ...value, mimeType: pick([5, null, ['image/png']]) }));
      can('blob: an empty mimeType', () => ({ ...value, mimeType: '' }));
      if (def.accept === undefined) can('blob: a mimeType without a slash', () => ({ ...value, mimeType: pick(['image', 'png', ' ']) }));
      can('blob: another key', () => ({ ...value, alt: 'x' }));
      can('blob: as it was once', () => ({ cid: pick([value.ref.$link, cid(), 'bafy', 'QmdfTbBqBPQ7VNxZEYEj14VmRuZBkqFbiwReogJgS1zR1n']), mimeType: pick([value.mimeType, 'x', '']) }));
      can('blob: as it was once, with another key', () => ({ cid: value.ref.$link, mimeType: value.mimeType, size: 5 }));
      if (def.maxSize !== undefined) can('blob: maxSize', () => ({ ...value, size: def.maxSize + 1 }));
      if (def.accept !== undefined && !def.accept.includes('*/*')) {
        can('blob: accept', () => ({ ...value, mimeType: pick(['video/x', 'imagex/png', 'text/plain; charset=utf-8', 'text/html', 'Image/png', '*/*', 'text/plainx']) }));
      }
      break;
    case 'unknown':
      can('unknown: another type', () => pick([5, 'x', true, null, 1.5]));
      can('unknown: an array', () => pick([[], [{ a: 1 }]]));
      can('unknown: bytes', () => base64(bytes(3)));
      can('unknown: a link', () => link());
      can('unknown: a blob', () => blob({}));
      can('unknown: a legacy blob', () => ({ cid: cid(), mimeType: 'image/png' }));
      can('unknown: a fraction within', () => ({ a: [{ b: 0.5 }] }));
      can('unknown: a broken link within', () => ({ a: { $link: 'x' } }));
      can('unknown: a broken blob within', () => ({ a: [{ ...blob({}), size: -1 }] }));
      can('unknown: a $type that is no text', () => ({ $type: pick([5, null, '', ['x']]) }));
      can('unknown: with a $type', () => ({ $type: pick([SYNTHETIC, 'app.bsky.feed.post', `${SYNTHETIC}#main`]) }));
      break;
    case 'array':
      can('array: another type', () => pick([null, other('array'), value[0] ?? 'x', { 0: value[0] ?? 1 }]));
      if (def.maxLength !== undefined && def.maxLength < 3000) {
        can('array: maxLength', () => {
          const longer = [...value];
          const sites = [];
          while (longer.length <= def.maxLength) make(sites, longer, longer.length, def.items, id, 9);
          return longer;
        });
      }
      if (def.minLength > 0) can('array: minLength', () => value.slice(0, def.minLength - 1));
      break;
    case 'object': {
      can('object: another type', () => pick([null, 5, 'x', [], [value], base64(bytes(2)), link(), ...(site.variant ? [] : [blob({})])]));
      can('object: an unknown field', () => ({ ...value, [pick(['zz', 'né', ''])]: anything(0) }));
      can('object: an unknown field that breaks the data model', () => ({ ...value, zz: pick([1.5, { $link: 'x' }, [{ $bytes: 5 }], { $type: 'blob' }, { $type: '' }, { a: { $type: 5 } }]) }));
      can('object: an unknown field beyond 2^53', () => ({ ...value, zz: [2n ** 60n] }));
      const described = site.record ? 'record' : site.variant ? 'union' : site.name ? 'ref' : 'inline property';
      if (described !== 'record' && described !== 'union') {
        can(`${described}: a foreign $type`, () => ({ ...value, $type: pick(['com.example.foreign', 'x', SYNTHETIC]) }));
        can(`${described}: a $type that is no text`, () => ({ ...value, $type: pick([5, '', null]) }));
        if (described === 'ref') {
          can('ref: its own $type', () => ({ $type: site.name, ...value }));
          can('ref: a $type of another form', () => ({ $type: pick([`lex:${site.name}`, site.name.includes('#') ? `#${site.name.split('#')[1]}` : `${site.name}#main`]), ...value }));
        }
      }
      if (described === 'record') {
        can('record: no $type', () => without(value, '$type'));
        can('record: another $type', () => ({ ...value, $type: pick(['app.bsky.feed.like', 'com.example.unknown', SYNTHETIC, `${SYNTHETIC}#object`, 'x', 'tools.ozone.team.defs#member', ...(site.variant ? [] : [''])]) }));
        can('record: #main', () => ({ ...value, $type: `${id}#main` }));
        can('record: lex:', () => ({ ...value, $type: `lex:${id}` }));
        can('record: a $type that is no text', () => ({ ...value, $type: pick([5, null, [id]]) }));
      }
      break;
    }
    case 'union': unionBreaks(site, can); break;
  }
  return list;
}
function unionBreaks({ holder, key, def }, can) {
  const value = holder[key];
  const which = def.closed ? 'closed union' : 'union';
  can(`${which}: another type`, () => pick([null, 5, 'x', [], [value], base64(bytes(2)), link()]));
  can(`${which}: a blob`, () => blob({}));
  can(`${which}: no $type`, () => without(value, '$type'));
  can(`${which}: a $type that is no text`, () => ({ ...value, $type: pick([5, null, [], '']) }));
  can(`${which}: a $type that is not listed`, () => ({ ...value, $type: pick(['com.example.x', 'x', 'x#y', 'app.bsky.feed.like', 'com.atproto.repo.strongRef']) }));
  if (typeof value.$type === 'string') {
    can(`${which}: #main, lex: or #`, () => ({ ...value, $type: pick([value.$type.includes('#') ? `#${value.$type.split('#')[1]}` : `${value.$type}#main`, `lex:${value.$type}`]) }));
  }
}

// --- how they are compared -------------------------------------------------------------------------

function toText(value) {
  if (value instanceof Written) return value.text;
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map((v) => toText(v ?? null)).join(',')}]`;
  if (value !== null && typeof value === 'object') {
    return `{${Object.entries(value).filter(([, v]) => v !== undefined).map(([k, v]) => `${JSON.stringify(k)}:${toText(v)}`).join(',')}}`;
  }
  return JSON.stringify(value ?? null);
}

// A block; null where there is none of it. What is not well-formed stays as it is, in maps.
function toBlock(value) {
  const lex = (v) => {
    if (v instanceof Written) return JSON.parse(v.text);
    if (Array.isArray(v)) return v.map(lex);
    if (v === null || typeof v !== 'object') return v === undefined ? null : v;
    const keys = Object.keys(v);
    if (keys.length === 1 && typeof v.$bytes === 'string') {
      const [, digits] = /^([A-Za-z0-9+/]*)={0,2}$/.exec(v.$bytes) ?? [];
      if (digits !== undefined && digits.length % 4 !== 1 && [0, 2, 3].includes(v.$bytes.length % 4)) return Buffer.from(v.$bytes, 'base64');
    }
    if (keys.length === 1 && typeof v.$link === 'string') {
      try { return CID.parse(v.$link); } catch { /* stays */ }
    }
    const made = {};
    for (const key of keys) if (v[key] !== undefined) Object.defineProperty(made, key, { value: lex(v[key]), enumerable: true });
    return made;
  };
  try { return Buffer.from(ipld.encode(lex(value))); } catch { return null; }
}

const has = (value, test) => test(value) || (value !== null && typeof value === 'object' && !(value instanceof Written) && Object.values(value).some((v) => has(v, test)));
const isFar = (v) => typeof v === 'bigint';
// For the packages, which have doubles: the nearest integer that is one, and for what has no 64 bits, no integer.
const near = (v) => (isFar(v) ? v > 2n ** 63n - 1n || v < -(2n ** 63n) ? 0.5 : (v < 0n ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER) : v instanceof Written ? JSON.parse(v.text)
  : Array.isArray(v) ? v.map((x) => near(x ?? null))
  : v !== null && typeof v === 'object' ? Object.fromEntries(Object.entries(v).filter(([, x]) => x !== undefined).map(([k, x]) => [k, near(x)])) : v);
// The packages look for a property with `in` or by its name, and find what every object has. So they get objects that have
// only what is in the data; that they are wrong about others is shown further below.
function bare(value) {
  if (Array.isArray(value)) return value.map(bare);
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.assign(Object.create(null), Object.fromEntries(Object.entries(value).map(([k, v]) => [k, bare(v)])));
}

// What @atproto/lex-schema makes of it, strict and not.
function lexSchema(subject, value, strict) {
  try {
    return subject.schema.matches(bare(jsonToLex(near(value), { strict })), { strict });
  } catch {
    return false;
  }
}
// And what @atproto/lexicon does.
function lexicon(subject, value) {
  try {
    const data = bare(jsonToLexicon(near(value)));
    if (subject.def.type === 'object') return lexicons.validate(subject.ref, data).success;
    if (subject.def.type !== 'record') return undefined;
    lexicons.assertValidRecord(subject.id, data);
    return true;
  } catch (e) {
    const [, why] = LEXICON_DIES.find(([words]) => words.test(e.message)) ?? [];
    if (why === undefined) return false;
    count(differences, `@atproto/lexicon dies: ${why}`);
    return undefined;
  }
}

// The same verdict, or a listed difference.
function agree(what, list, kind, theirs, ours, show) {
  let listed = false;
  if (theirs !== ours) {
    const [direction] = list[kind] ?? [];
    listed = direction === (theirs ? 'takes' : 'refuses');
    if (listed) count(differences, `${what}, ${direction} ${kind}: ${list[kind][1]}`);
  }
  same(what, theirs === ours || listed, show);
}

const kinds = new Map(); //   how often each kind was met
const refused = new Map(); // and how often it was refused
let breaking = 0;
function draw() {
  const subject = below(4) ? (below(2) ? pick(records) : pick(subjects)) : below(3) ? main : pick(own);
  const sites = [];
  const holder = {};
  make(sites, holder, 'root', subject.def, subject.id, 0, { name: subject.ref });
  const row = (kind, value) => ({ subject, kind, value, text: toText(value), block: toBlock(value) });
  const rows = [row(null, structuredClone(holder.root))]; // what is in it is broken next
  // rare kinds first
  const possible = sites.flatMap((site) => breaks(site).map(([kind, to]) => ({ site, kind, to })));
  let chosen = pick(possible);
  if (below(3)) for (const p of possible) if ((kinds.get(p.kind) ?? 0) < (kinds.get(chosen.kind) ?? 0)) chosen = p;
  breaking++;
  chosen.site.holder[chosen.site.key] = chosen.to();
  count(kinds, chosen.kind);
  if (holder.root === undefined) holder.root = null;
  rows.push(row(chosen.kind, holder.root));
  return rows;
}

const isNsid = (text) => typeof text === 'string' && /^[a-z][a-z0-9-]*(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*\.[a-zA-Z][a-zA-Z0-9]*$/.test(text) && text.split('.').length > 2;
const RECORDS = `
  SELECT pg_temp.try_jsonb(t) IS NULL AS nul, atid.record_is_valid(j) AS valid,
         atid.record_conforms(j, s, n) AS verdict, atid.record_conforms_problem(j, s, n) AS problem,
         atid.record_conforms(j, s, n, true) AS lenient, atid.record_conforms_problem(j, s, n, true) AS lenient_problem,
         atid.record_conforms(j, s) AS by_type, atid.record_conforms_problem(j, s) AS by_type_problem,
         atid.value_conforms(j, s, n) AS value, atid.value_conforms_problem(j, s, n) AS value_problem,
         atid.dag_cbor_conforms(b, s, n) AS block, atid.dag_cbor_conforms_problem(b, s, n) AS block_problem,
         atid.dag_cbor_conforms(b, s, n, true) AS block_lenient, atid.dag_cbor_conforms(b, s) AS block_by_type,
         (SELECT atid.record_conforms(j, o.s, n) FROM own o WHERE o.nsid = n) AS own,
         atid.record_conforms(j, part.rest, n) AS part, atid.dag_cbor_conforms(b, part.rest, n) AS block_part
    FROM lexicons, part,
         ROWS FROM (unnest($1::text[]), unnest($2::bytea[]), unnest($3::text[])) WITH ORDINALITY AS t (t, b, n, i),
         LATERAL (SELECT pg_temp.try_jsonb(t) AS j OFFSET 0) j
    ORDER BY i`;
// A set for each record type with what it needs; and a set without a third of the documents.
await db.query(`CREATE TEMP TABLE own AS SELECT nsid, atid.lexicon_only(s, ARRAY[nsid]) AS s
  FROM lexicons, unnest($1::text[]) nsid`, [records.map((r) => r.id)]);
await db.query('CREATE TEMP TABLE part (rest atid.lexicon)');
await db.query('INSERT INTO part VALUES ($1)', [JSON.stringify(documents.filter(() => below(3)))]);
const VALUES = `
  SELECT j IS NULL AS nul, atid.value_conforms(j, s, r) AS verdict, atid.value_conforms_problem(j, s, r) AS problem,
         atid.value_conforms(j, s, r, true) AS lenient, atid.value_conforms_problem(j, s, r, true) AS lenient_problem
    FROM lexicons,
         ROWS FROM (unnest($1::text[]), unnest($2::text[])) WITH ORDINALITY AS t (t, r, i),
         LATERAL (SELECT pg_temp.try_jsonb(t) AS j OFFSET 0) j
    ORDER BY i`;
await db.query(`CREATE FUNCTION pg_temp.try_jsonb(t text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
  BEGIN RETURN t::jsonb; EXCEPTION WHEN untranslatable_character THEN RETURN NULL; END $$`);

function judge({ subject, kind, value, text }, row) {
  const show = () => `${kind}: ${subject.ref} ${JSON.stringify(row)} ${text.slice(0, 700)}`;
  if (row.nul) {
    same('U+0000: jsonb cannot hold it', kind === 'string: U+0000', show);
    if (row.block !== undefined) same('U+0000: dag_cbor_conforms as @atproto/lex-schema', row.block === lexSchema(subject, value, true), show);
    return;
  }
  const strict = lexSchema(subject, value, true);
  if (kind === null) {
    same('made by the schema: valid to @atproto/lex-schema', strict, show);
    same('made by the schema: valid', row.verdict === true, show);
  }
  if (row.verdict === false && kind !== null) count(refused, kind);
  const name = subject.def.type === 'record' ? 'record_conforms' : 'value_conforms';
  agree(`${name}: as @atproto/lex-schema`, LEX_SCHEMA, kind, strict, row.verdict, show);
  agree(`${name}, lenient: as @atproto/lex-schema`, LEX_SCHEMA_LENIENT, kind, lexSchema(subject, value, false), row.lenient, show);
  const theirs = lexicon(subject, value);
  if (theirs !== undefined) agree(`${name}: as @atproto/lexicon`, LEXICON, kind, theirs, row.verdict, show);
  same('a problem where the verdict is false, and only there', (row.verdict === false) === (row.problem !== null) &&
    (row.lenient === false) === (row.lenient_problem !== null), show);
  same('a problem is a path and a sentence', row.problem === null || /^\$.*: [A-Z].*\.$/s.test(row.problem), show);
  if (subject.def.type === 'record') {
    same('value_conforms: as record_conforms', row.value === row.verdict && (value?.$type !== subject.id || row.value_problem === row.problem), show);
    same('dag_cbor_conforms: as record_conforms', row.block === null || row.block === row.verdict, show);
    same('dag_cbor_conforms, lenient: as record_conforms', row.block === null || row.block_lenient === row.lenient, show);
    same('dag_cbor_conforms_problem: as dag_cbor_conforms', (row.block === false) === (row.block_problem !== null), show);
    same('lexicon_only is enough', row.own === row.verdict, show);
    same('a part of the set says the same, or cannot say', row.part === row.verdict || row.part === null, show);
    same('a part of the set: dag_cbor_conforms as record_conforms', row.block === null || row.block_part === row.part, show);
    if (row.part === null && row.verdict === true) count(differences, 'a part of the set cannot say whether a valid record is');
    same('what conforms is valid', row.verdict !== true || row.valid, show);
    // By its own type: unknown where the set has no such document, and nothing else is wrong.
    const type = value?.$type;
    const expected = type === subject.id ? row.verdict : !row.valid || !isNsid(type) || byId.has(type) ? undefined : null;
    if (expected !== undefined) same('record_conforms by $type', row.by_type === expected, show);
    else if (!row.valid || !isNsid(type)) same('record_conforms by $type', row.by_type === false, show);
    else same('record_conforms by another $type of the set', row.by_type === false || byId.get(type).defs.main?.type === 'record', show);
    same('record_conforms_problem by $type', (row.by_type === false) === (row.by_type_problem !== null), show);
    same('dag_cbor_conforms by $type', row.block === null || row.block_by_type === row.by_type, show);
  }
}

for (let done = 0; done < values;) {
  const drawn = [];
  while (drawn.length < BATCH && done + drawn.length < values) drawn.push(...draw());
  done += drawn.length;
  const of = (test) => drawn.filter(test);
  const groups = [
    [of((r) => r.subject.def.type === 'record'), (list) => ask('records', RECORDS, [list.map((r) => r.text), list.map((r) => r.block), list.map((r) => r.subject.id)])],
    [of((r) => r.subject.def.type !== 'record'), (list) => ask('values', VALUES, [list.map((r) => r.text), list.map((r) => r.subject.ref)])],
  ];
  for (const [list, query] of groups) {
    if (list.length) (await query(list)).forEach((row, i) => judge(list[i], row));
  }
}

// --- what the packages are known for ----------------------------------------------------------------

// Each of these would be a difference in all that is above; it is kept out of the way there, and shown to be still so here.
{
  const post = { $type: SYNTHETIC, boolean: true, integer: 1, string: '', object: { a: 1 }, union: { $type: 'x' }, requiredNullable: null, requiredDefault: 1 };
  const ours = async (value) => one('SELECT atid.record_conforms($1, s, $2) FROM lexicons', [toText(value), value.$type]);
  const raw = (value) => main.schema.matches(jsonToLex(value));
  const throws = (make) => { try { make(); return false; } catch { return true; } };
  same('known: the packages find a property "constructor" in every object', await ours(post) === true && !raw(post) && raw({ ...post, constructor: 'x', toString: 1 }) &&
    throws(() => lexicons.assertValidRecord(SYNTHETIC, jsonToLexicon(post))), () => '');
  const far = { $type: 'com.example.record', n: 2n ** 53n + 1n };
  same('known: @atproto/lex-schema refuses integers beyond 2^53', await ours(far) === true &&
    !schemas.get('com.example.record#main').matches({ ...far, n: Number(far.n) }), () => '');
  const post2 = byId.get('app.bsky.feed.post');
  same('known: @atproto/lex-document throws for a reference without #', JSON.stringify(post2).includes('"com.atproto.repo.strongRef"') === false || await LexiconSchemaBuilder
    .build(new LexiconIterableIndexer(documents), 'app.bsky.embed.record#main').then(() => false, (e) => /missing hash|one hash/.test(e.message)), () => '');
}

// --- documents that are broken in one place ---------------------------------------------------------

// The schemas of a document: { node, holder, key, place }.
function schemasOf(doc) {
  const found = [];
  const add = (holder, key, place) => {
    const node = holder?.[key];
    if (node === null || typeof node !== 'object') return;
    found.push({ node, holder, key, place });
    switch (node.type) {
      case 'object': case 'params': for (const name of Object.keys(node.properties ?? {})) add(node.properties, name, node.type === 'params' ? 'parameter' : 'property'); break;
      case 'array': add(node, 'items', place === 'parameter' ? 'items of a parameter' : 'items'); break;
      case 'record': add(node, 'record', 'record'); break;
      case 'query': case 'procedure': case 'subscription':
        add(node, 'parameters', 'parameters');
        for (const part of ['input', 'output', 'message']) if (node[part]) add(node[part], 'schema', part);
        break;
      case 'permission-set': node.permissions.forEach((_, i) => add(node.permissions, i, 'permission')); break;
    }
  };
  for (const name of Object.keys(doc.defs)) add(doc.defs, name, name === 'main' ? 'main' : 'definition');
  return found;
}
const of = (...types) => ({ node }) => types.includes(node.type);
const at = (...places) => ({ place }) => places.includes(place);
const put = (name, ...to) => ({ node }) => { node[name] = structuredClone(pick(to)); };
const drop = (name) => ({ node }) => { delete node[name]; };
const become = (...to) => ({ holder, key }) => { holder[key] = structuredClone(pick(to)); };
const both = (...applies) => (site, doc) => { for (const apply of applies) apply(site, doc); };
const INLINE = { type: 'object', properties: { a: { type: 'integer' } } };
const methods = (part) => ({ node }) => ['query', 'procedure', 'subscription'].includes(node.type) && node[part];
const INLINES = { lexDocument: 'inline objects: the specification allows them', lexicon: 'inline objects: the specification allows them' };
const NUMBER = ['5', 1.5, null, [1], true];
const UNKNOWN = ['float', '', 'String', 'DID', 'at-url', 'date'];

// Each rule: where it is broken, how, and whether the document is a lexicon then. A package that says otherwise is named
// with the reason. These are the verdicts of strict; what the language lacks is refused only so.
const LOOSE = 'the specification; the package is loose here';
const RULES = {
  'lexicon: not 1': [null, (_, doc) => { doc.lexicon = pick([2, '1', 0, null, 1.5]); }, false],
  'lexicon: absent': [null, (_, doc) => { delete doc.lexicon; }, false],
  'id: no NSID': [null, (_, doc) => { doc.id = pick(['x', 5, null, '', 'com.example', 'com.example.a#b', 'com.example.1a']); }, false],
  'id: absent': [null, (_, doc) => { delete doc.id; }, false],
  'defs: absent': [null, (_, doc) => { delete doc.defs; }, false],
  'defs: not an object': [null, (_, doc) => { doc.defs = pick([[], null, 5, 'x']); }, false],
  'defs: empty': [null, (_, doc) => { doc.defs = {}; }, false, { lexDocument: LOOSE, lexicon: LOOSE }],
  'defs: a definition that is no object': [null, (_, doc) => { doc.defs.zz = pick([null, 5, 'x', []]); }, false],
  'description: no text': [null, (_, doc) => { doc.description = pick([5, null, {}]); }, false],
  'an unknown field': [null, (_, doc) => { doc.zz = pick([5, null, { a: [1] }, 'x']); }, true],
  '$type: of a published record': [null, (_, doc) => { doc.$type = 'com.atproto.lexicon.schema'; }, true],
  'definition: a type that has none': [null, (_, doc) => { doc.defs.zz = pick([{ type: 'ref', ref: '#main' }, { type: 'union', refs: [] }, { type: 'params', properties: {} },
    { type: 'permission', resource: 'repo' }]); }, false],
  'definition: unknown': [null, (_, doc) => { doc.defs.zz = { type: 'unknown' }; }, false, { lexicon: 'the specification: unknown types can not be declared as top-level named types' }],
  'definition: a primary type that is not main': [at('main'), (site, doc) => { doc.defs.zz = { ...site.node }; }, (site) => !['record', 'query', 'procedure', 'subscription', 'permission-set'].includes(site.node.type)],
  'schema: an unknown field': [(site) => site.place !== 'permission', put('zz', 5, null, { a: [] }, 'x'), true],
  'permission: an unknown field': [at('permission'), put('zz', 5, 'x', true, ['x']), true],
  'permission: an unknown field that is not a parameter': [at('permission'), put('zz', null, { a: [] }), true,
    { lexDocument: 'the fields may expand over time', lexicon: 'the fields may expand over time' }],
  'schema: a description that is no text': [(site) => site.place !== 'permission', put('description', 5, null, {}), false],
  'permission: a description that is no text': [at('permission'), put('description', 5), false,
    { lexDocument: 'a parameter of any name', lexicon: 'a parameter of any name' }],
  'schema: no type': [() => true, drop('type'), false],
  'schema: an unknown type': [() => true, put('type', ...UNKNOWN, 5, null), false],
  'boolean: default': [of('boolean'), put('default', 5, 'true', null), false],
  'boolean: const': [of('boolean'), put('const', 5, 'true', null), false],
  'const and default': [of('boolean'), both(put('const', true), put('default', true)), false, { lexDocument: LOOSE, lexicon: LOOSE }],
  'integer: minimum': [of('integer'), put('minimum', ...NUMBER), false],
  'integer: maximum': [of('integer'), put('maximum', ...NUMBER), false],
  'integer: default': [of('integer'), put('default', ...NUMBER), false],
  'integer: const': [of('integer'), put('const', ...NUMBER), false],
  'integer: enum': [of('integer'), put('enum', 5, null, ['5'], [1.5], [null], {}), false],
  'integer: minimum above maximum': [of('integer'), both(put('minimum', 5), put('maximum', 4), drop('default'), drop('const'), drop('enum')), false, { lexDocument: LOOSE, lexicon: LOOSE }],
  'integer: const and default': [of('integer'), both(put('const', 7), put('default', 7), drop('minimum'), drop('maximum'), drop('enum')), false, { lexDocument: LOOSE, lexicon: LOOSE }],
  'integer: const outside enum': [of('integer'), both(put('const', 7), put('enum', [1], []), drop('default'), drop('minimum'), drop('maximum')), true],
  'integer: an empty enum': [of('integer'), both(put('enum', []), drop('default'), drop('const')), true],
  'string: format': [of('string'), put('format', ...UNKNOWN, 5, null), false],
  'string: maxLength': [of('string'), put('maxLength', ...NUMBER), false],
  'string: minLength': [of('string'), put('minLength', ...NUMBER), false],
  'string: maxGraphemes': [of('string'), put('maxGraphemes', ...NUMBER), false],
  'string: minGraphemes': [of('string'), put('minGraphemes', ...NUMBER), false],
  'string: default': [of('string'), put('default', 5, null, []), false],
  'string: const': [of('string'), put('const', 5, null, []), false],
  'string: enum': [of('string'), put('enum', 5, 'a', null, [5], [null], {}), false],
  'string: knownValues': [of('string'), put('knownValues', 5, 'a', null, [5], [null], {}), false],
  'string: minLength above maxLength': [of('string'), both(put('minLength', 5), put('maxLength', 4), drop('default'), drop('enum'), drop('const')), false, { lexDocument: LOOSE, lexicon: LOOSE }],
  'string: minGraphemes above maxGraphemes': [of('string'), both(put('minGraphemes', 5), put('maxGraphemes', 4), drop('default'), drop('enum'), drop('const')), false,
    { lexDocument: LOOSE, lexicon: LOOSE }],
  'string: const and default': [of('string'), both(put('const', 'a'), put('default', 'a'), drop('format'), drop('minLength'), drop('enum')), false, { lexDocument: LOOSE, lexicon: LOOSE }],
  'bytes: maxLength': [of('bytes'), put('maxLength', '5', null, [1]), false],
  'bytes: minLength': [of('bytes'), put('minLength', '5', null, [1]), false],
  'bytes: minLength above maxLength': [of('bytes'), both(put('minLength', 5), put('maxLength', 4)), false, { lexDocument: LOOSE, lexicon: LOOSE }],
  'blob: accept': [of('blob'), put('accept', 'image/*', [5], null, {}), false],
  'blob: maxSize': [of('blob'), put('maxSize', '5', null, [1]), false],
  'array: no items': [of('array'), drop('items'), false],
  'array: items': [of('array'), put('items', null, 5, [], { type: 'token' }, { type: 'record' }, { type: 'params', properties: {} }), false],
  'array: maxLength': [of('array'), put('maxLength', ...NUMBER), false],
  'array: minLength': [of('array'), put('minLength', ...NUMBER), false],
  'array: minLength above maxLength': [of('array'), both(put('minLength', 5), put('maxLength', 4)), false, { lexDocument: LOOSE, lexicon: LOOSE }],
  'array: of inline objects': [(s) => s.node.type === 'array' && s.place !== 'parameter', put('items', INLINE), true, INLINES],
  'object: no properties': [of('object'), both(drop('properties'), drop('required'), drop('nullable')), false],
  'object: properties': [of('object'), both(put('properties', null, 5, [], { a: 5 }, { a: null }, { a: {} }), drop('required'), drop('nullable')), false],
  'object: a property of a type that is none': [of('object'), both(put('properties', { a: { type: 'token' } }, { a: { type: 'record', key: 'any', record: INLINE } }, { a: { type: 'params', properties: {} } },
    { a: { type: 'query' } }), drop('required'), drop('nullable')), false],
  'object: an inline object': [at('property'), become(INLINE), true, INLINES],
  'object: required': [of('object'), put('required', 5, 'a', [5], {}, null), false],
  'object: required without a property': [of('object', 'params'), put('required', ['zz']), false],
  'object: nullable': [of('object'), put('nullable', 5, 'a', [5], {}, null), false],
  'object: nullable without a property': [of('object'), put('nullable', ['zz']), false, { lexDocument: LOOSE, lexicon: LOOSE }],
  'params: a property of a type that is none': [of('params'), both(put('properties', { a: { type: 'bytes' } }, { a: INLINE }, { a: { type: 'ref', ref: 'com.example.a' } }, { a: { type: 'blob' } },
    { a: { type: 'array', items: { type: 'ref', ref: 'com.example.a' } } }), drop('required')), false],
  'params: unknown': [of('params'), both(put('properties', { a: { type: 'unknown' } }, { a: { type: 'array', items: { type: 'unknown' } } }), drop('required')), false,
    { lexicon: 'the specification: params can only include the types boolean, integer, string, and arrays of these' }],
  'params: nullable is an unknown field': [of('params'), put('nullable', ['zz'], 5), true],
  'ref: no ref': [of('ref'), drop('ref'), false],
  'ref: no text': [of('ref'), put('ref', 5, null, ['#a']), false],
  'ref: no reference': [of('ref'), put('ref', '', '#', 'x', 'com.example.a#', 'com.example.a#b#c', 'a b.c.d'), false, { lexicon: 'it looks at references only when it validates' }],
  'ref: to nothing here': [of('ref'), put('ref', '#nothing'), false, { lexicon: 'it looks at references only when it validates' }],
  'ref: to a token here': [of('ref'), (site, doc) => { doc.defs.zz = { type: 'token' }; site.node.ref = '#zz'; }, false, { lexDocument: 'a ref can not point to a token', lexicon: 'a ref can not point to a token' }],
  'union: no refs': [of('union'), drop('refs'), false],
  'union: refs': [of('union'), put('refs', 5, null, [5], '#a', {}), false],
  'union: a member that is no reference': [of('union'), put('refs', [''], ['#'], ['x'], ['com.example.a#b#c']), false, { lexicon: 'it looks at references only when it validates' }],
  'union: closed': [of('union'), put('closed', 5, 'true', null), false],
  'union: empty and closed': [of('union'), both(put('refs', []), put('closed', true)), false, { lexDocument: LOOSE, lexicon: LOOSE }],
  'union: empty and open': [of('union'), both(put('refs', []), drop('closed')), true],
  'union: a member that is not here': [of('union'), ({ node }) => { node.refs.push('#nothing'); }, false, { lexicon: 'it looks at references only when it validates' }],
  'union: a member that is a token': [of('union'), (site, doc) => { doc.defs.zz = { type: 'token' }; site.node.refs.push('#zz'); }, false, { lexicon: 'it looks at references only when it validates' }],
  'union: a member that is a string': [of('union'), (site, doc) => { doc.defs.zz = { type: 'string' }; site.node.refs.push('#zz'); }, false, { lexicon: 'it looks at references only when it validates' }],
  'record: no key': [of('record'), drop('key'), false, { lexicon: 'the specification: key is required' }],
  'record: key': [of('record'), put('key', 'self', '', 'TID', 'literal', 'literal:', 'literal:a/b', 'literal:.', 'any:'), false, { lexicon: LOOSE }],
  'record: a key that is no text': [of('record'), put('key', 5, null), false],
  'record: no record': [of('record'), drop('record'), false],
  'record: another type': [of('record'), put('record', { type: 'ref', ref: '#main' }, { type: 'string' }, 5, { properties: {} }), false],
  'body: no encoding': [methods('output'), ({ node }) => { delete node.output.encoding; }, false],
  'body: an encoding that is no text': [methods('output'), ({ node }) => { node.output.encoding = pick([5, null]); }, false],
  'body: a schema of another type': [methods('output'), ({ node }) => { node.output.schema = pick([{ type: 'string' }, { type: 'array', items: { type: 'string' } }, { type: 'unknown' }, 5, { type: 'record' }]); }, false],
  'parameters: another type': [methods('parameters'), put('parameters', INLINE, 5, { type: 'ref', ref: '#x' }, { properties: {} }), false],
  'errors: no list': [of('query', 'procedure', 'subscription'), put('errors', 5, {}, 'x', [5], [null]), false],
  'errors: no name': [of('query', 'procedure', 'subscription'), put('errors', [{}], [{ name: 5 }]), false],
  'message: none': [of('subscription'), drop('message'), false],
  'message: another type': [of('subscription'), put('message', 5, {}, { schema: INLINE }, { schema: { type: 'ref', ref: '#main' } }), false],
  'permission-set: no permissions': [of('permission-set'), drop('permissions'), false],
  'permission-set: permissions': [of('permission-set'), put('permissions', 5, {}, [5], [{ resource: 'repo' }], [{ type: 'permission' }], [{ type: 'permission', resource: 5 }]), false],
  'permission-set: an unknown resource': [of('permission-set'), put('permissions', [{ type: 'permission', resource: 'moon', phase: 'full', n: 5 }]), true],
  'permission-set: title': [of('permission-set'), put('title', 5, null), false],
  'permission-set: title:lang': [of('permission-set'), put('title:lang', 5, { de: 5 }, { 'not a language': 'x' }), false],
};

// A type of main, or a format, that a later version of the language may have.
const mayCome = (rule, site) => (rule === 'schema: an unknown type' && site.place === 'main' && UNKNOWN.includes(site.node.type)) ||
  (rule === 'string: format' && UNKNOWN.includes(site.node.format));

async function builds(doc) {
  const indexer = { get: async (id) => (id === doc.id ? doc : withMainById.get(id)) ?? Promise.reject(new Error(id)) };
  const builder = new LexiconSchemaBuilder(indexer);
  await Promise.all(Object.keys(doc.defs).map((hash) => builder.buildFullRef(`${doc.id}#${hash}`)));
  await builder.done();
}
const withMainById = new Map(documents.map((doc) => [doc.id, withMain(doc)]));
async function lexDocument(doc) {
  let full;
  try { full = withMain(doc); } catch { full = doc; }
  if (!lexiconDocumentSchema.matches(full)) return false;
  try {
    await builds(full);
    return true;
  } catch {
    return false;
  }
}
function lexiconDocument(doc) {
  try {
    parseLexiconDoc(structuredClone(doc));
    return true;
  } catch {
    return false;
  }
}

// The packages have no inline objects.
const broken = documents.map((doc) => {
  if (doc.id !== SYNTHETIC) return doc;
  const { inline, ...properties } = doc.defs.main.record.properties;
  return { ...doc, defs: { ...doc.defs, main: { ...doc.defs.main, record: { ...doc.defs.main.record, properties } } } };
});

const names = Object.keys(RULES);
for (let done = 0; done < mutants;) {
  const batch = [];
  for (; batch.length < BATCH && done + batch.length < mutants;) {
    const rule = names[(done + batch.length) % names.length];
    const [where, apply, want, listed = {}] = RULES[rule];
    for (let tries = 0; ; tries++) {
      const doc = structuredClone(tries < 20 ? pick(broken) : pick(broken.slice(published.length)));
      const sites = where === null ? [null] : schemasOf(doc).filter(where);
      if (sites.length === 0) continue;
      const site = pick(sites);
      const expected = typeof want === 'function' ? want(site) : want;
      apply(site, doc);
      batch.push({ rule, doc, text: JSON.stringify(doc), expected, listed, place: site?.place, lacks: mayCome(rule, site),
        theirs: await lexDocument(doc), second: lexiconDocument(doc) });
      break;
    }
  }
  done += batch.length;
  const rows = await ask('mutants', `SELECT atid.lexicon_is_valid(d, strict => true) AS valid, atid.lexicon_problem(d, strict => true) AS problem,
      atid.lexicon_is_valid(d) AS accepted, atid.lexicon_problem(d) AS why
    FROM unnest($1::jsonb[]) WITH ORDINALITY AS t (d, i) ORDER BY i`, [batch.map((b) => b.text)]);
  rows.forEach((row, i) => {
    const { rule, text, expected, listed, theirs, second, place, lacks } = batch[i];
    const show = () => `${rule} (${place}): ${row.valid} ${row.problem}, @atproto/lex-document ${theirs}, @atproto/lexicon ${second}: ${text.slice(0, 500)}`;
    same('broken documents: the verdict of the rule', row.valid === expected, show);
    same('broken documents: a problem where they are no lexicon, and only there', row.valid === (row.problem === null), show);
    same('broken documents: accepted where a later language may have it', row.accepted === (expected || lacks), show);
    same('broken documents: accepted, so no problem', row.accepted === (row.why === null), show);
    if (lacks) same('broken documents: what the language lacks', row.accepted && !row.valid, show);
    const judge = (what, verdict, why) => {
      if (verdict !== row.valid && why !== undefined) count(differences, `${what} ${verdict ? 'takes' : 'refuses'} ${rule}${why ? `: ${why}` : ''}`);
      same(`broken documents: as ${what}`, verdict === row.valid || why !== undefined, show);
    };
    judge('@atproto/lex-document', theirs, listed.lexDocument);
    judge('@atproto/lexicon', second, listed.lexicon);
  });
}

// --- what was met -----------------------------------------------------------------------------------

for (const kind of KINDS) {
  same('each kind of break was met, and refused where it must be', (kinds.get(kind) ?? 0) >= values / 4000 &&
    (ACCEPTED.has(kind) || refused.has(kind)), () => `${kind}: ${kinds.get(kind)} times, ${refused.get(kind)} of them refused`);
}
same('no other kind was met', [...kinds.keys()].every((kind) => KINDS.includes(kind)), () => [...kinds.keys()].filter((kind) => !KINDS.includes(kind)).join());

await db.end();

for (const [what, n] of [...differences].sort()) console.log(`note\t${n} times: ${what}`);
for (const [kind, n] of [...kinds].sort()) console.log(`note\t${kind}: ${n} times, ${refused.get(kind) ?? 0} of them refused`);
printVerdicts();
