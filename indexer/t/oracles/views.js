// Records for typed views, made by what the published Lexicons say, and broken ones.
//
//   node views.js SEED RECORDS FOLDER
//
// Writes to FOLDER: lexicons.json, the documents; valid.csv, records that conform, each with an AT URI; broken.csv, records in
// which up to three values are replaced by something else.
import { writeFileSync } from 'node:fs';
import { chance } from './chance.js';
import { documents } from './lexicon_docs.js';

const [seed, records] = process.argv.slice(2, 4).map(Number);
const folder = process.argv[4];
const { random, below, pick } = chance(seed);
const byId = new Map(documents.map((doc) => [doc.id, doc]));
const types = documents.filter((doc) => doc.defs.main?.type === 'record');

const DID = 'did:plc:44ybard66vv44zksje25o7dz';
const CID = 'bafyreifzvsbt6kiyg57lrrt3jbyqcf3lm7b6apz3rn7mjiyj32ornkf3xq';
const BLOB = 'bafkreiccldh766hwcnuxnf2wh6jgzepf2nlu2lvcllt63eww5p6chi4ity';
const FORMATS = {
  'at-uri': [`at://${DID}/app.bsky.feed.post/3jzfcijpj2z2a`, `at://${DID}`, 'at://handle.example.com/a.b.c/x'],
  did: [DID, 'did:web:example.com'],
  cid: [CID, BLOB],
  datetime: ['2026-01-01T00:00:00Z', '1985-04-12T23:20:50.123456-08:00'],
  tid: ['3jzfcijpj2z2a'],
  handle: ['handle.example.com'],
  'at-identifier': [DID, 'handle.example.com'],
  nsid: ['com.example.name'],
  'record-key': ['self', '3jzfcijpj2z2a'],
  uri: ['https://example.com/a?b'],
  language: ['de', 'pt-BR'],
};
const TEXTS = ['', 'text', 'Grüße', '"quoted" \\ back', '{1}', '5', 'true', 'null', DID];

function value(schema, home, depth = 0) {
  if (schema.const !== undefined) return schema.const;
  switch (schema.type) {
    case 'ref': {
      const [nsid, name] = schema.ref.split('#');
      return value(byId.get(nsid || home).defs[name || 'main'], nsid || home, depth + 1);
    }
    case 'union': {
      const ref = pick(schema.refs);
      const made = value({ type: 'ref', ref }, home, depth);
      const [nsid, name] = ref.split('#');
      const type = `${nsid || home}${name && name !== 'main' ? `#${name}` : ''}`;
      return typeof made === 'object' ? { ...made, $type: type } : made;
    }
    case 'object': return object(schema, home, depth);
    case 'array': return Array.from({ length: depth > 4 ? schema.minLength ?? 0 : Math.min(1 + below(2), schema.maxLength ?? 2) },
      () => value(schema.items, home, depth + 1));
    case 'string':
      if (schema.enum) return pick(schema.enum);
      if (schema.format) return pick(FORMATS[schema.format]);
      return schema.knownValues && random() < 0.5 ? pick(schema.knownValues) : pick(TEXTS).slice(0, schema.maxGraphemes ?? 9).padEnd(schema.minLength ?? 0, 'x');
    case 'integer': return Math.min(Math.max(below(1000), schema.minimum ?? 0), schema.maximum ?? 1000);
    case 'boolean': return random() < 0.5;
    case 'bytes': return { $bytes: 'AQID' };
    case 'cid-link': return { $link: BLOB };
    case 'blob': return { $type: 'blob', ref: { $link: BLOB }, mimeType: (schema.accept?.[0] ?? 'image/png').replace('*', 'png'), size: 1 };
    case 'unknown': return { x: 1 };
    case 'token': return `${home}#token`;
    default: throw new Error(`no value for ${schema.type}`);
  }
}
function object(schema, home, depth) {
  const made = {};
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    if (!schema.required?.includes(key) && random() < (depth > 3 ? 1 : 0.3)) continue;
    made[key] = schema.nullable?.includes(key) && random() < 0.3 ? null : value(property, home, depth + 1);
  }
  return made;
}
function record() {
  const doc = pick(types);
  return { $type: doc.id, ...object(doc.defs.main.record, doc.id, 0) };
}

// Something else at some place of the record: of another type, at a limit, or gone.
const JUNK = [5, -1, 0, 1.5, 1e300, 9007199254740991, -9007199254740991, '', 'x', 'a\u0000b', '\u0000', null, true, [], ['x'], {}, { x: { y: 1 } },
  { $link: BLOB }, { $bytes: 'AQI' }, DID, 'at://', `at://${DID}`, '2026-01-01', '2026-02-30T00:00:00Z', CID, 'bafy', undefined];
function places(node, found = []) {
  for (const key of Object.keys(node)) {
    if (key !== '$type' || found.length) found.push([node, key]);
    if (node[key] !== null && typeof node[key] === 'object') places(node[key], found);
  }
  return found;
}
function broken() {
  const made = record();
  for (let n = 1 + below(3); n > 0; n--) {
    const found = places(made);
    if (!found.length) break;
    const [node, key] = pick(found);
    // base64 has several spellings of some bytes, and a block keeps none of them
    if (key !== '$bytes') node[key] = structuredClone(pick(JUNK));
  }
  return made;
}

const cell = (text) => `"${text.replaceAll('"', '""')}"`;
function csv(make) {
  return Array.from({ length: records }, (_, n) => {
    const made = make();
    // a type whose key is literal has one record of each account
    const only = /^literal:(.*)/.exec(byId.get(made.$type)?.defs.main.key)?.[1];
    const uri = only === undefined ? `at://${DID}/${made.$type}/${n}` : `at://did:web:a${n}.example.com/${made.$type}/${only}`;
    return `${cell(uri)},${cell(JSON.stringify(made))}\n`;
  }).join('');
}
writeFileSync(`${folder}/lexicons.json`, JSON.stringify(documents));
writeFileSync(`${folder}/valid.csv`, csv(record));
writeFileSync(`${folder}/broken.csv`, csv(broken));
