// What hostile.js gives instead of the value of a field, in JSON and in CBOR.
import * as cbor from '@ipld/dag-cbor';
import { CID } from 'multiformats/cid';

const HOLE = '@hole:0@';
const ABSENT = Symbol('absent');
const isMap = (v) => v !== null && typeof v === 'object' && !ArrayBuffer.isView(v) && CID.asCID(v) === null;

// Each place of a value, as a path, and what is there: the whole, and all that is in it.
export function* mutations(value, path = []) {
  yield [path, value];
  if (isMap(value)) for (const key of Object.keys(value)) yield* mutations(value[key], [...path, Array.isArray(value) ? Number(key) : key]);
}

// The value with a hole at a path, or without what is there. What the path does not lead to is made.
function pierced(value, path, by) {
  if (path.length === 0) return by;
  const [key, ...rest] = path;
  const copy = Array.isArray(value) ? [...value] : { ...(isMap(value) ? value : {}) };
  if (rest.length === 0 && by === ABSENT) {
    if (Array.isArray(copy)) copy.splice(key, 1);
    else delete copy[key];
  } else copy[key] = pierced(copy[key], rest, by);
  return copy;
}

// What is put where something else was: a name, and the text or bytes. What was a text is lengthened, as only so it comes
// through the first checks.
const strings = (original, noise) => {
  const text = typeof original === 'string' ? original : '';
  return [['with U+0000', `${text}a\0b`], ['of two lines', `${text}x\n2026-01-01T00:00:00.000Z forged\x1b[2J`], ['of 6 kB', `${text}/${noise(6000)}`], ['of 1 MB', text + 'x'.repeat(1e6)]];
};

export const jsonValues = (original, noise) => [
  ['absent', ABSENT], ['null', 'null'], ['7', '7'], ['-1', '-1'], ['0.5', '0.5'], ['2^53', '9007199254740992'], ['1e999', '1e999'], ['true', 'true'], ['false', 'false'], ['empty', '""'],
  ...strings(original, noise).map(([name, text]) => [name, JSON.stringify(text)]),
  ['with half a surrogate', JSON.stringify(`${typeof original === 'string' ? original : ''}x`).replace(/x"$/, '\\ud800"')],
  ['of 10,000 arrays', '['.repeat(10000) + ']'.repeat(10000)], ['an array', '[]'], ['an array of null', '[null]'], ['an object', '{}'], ['an object of a DID', '{"uri": "at://did:web:v.example/a.b.c/d"}'], ['__proto__', '{"__proto__": {"did": 1}}']];

export function withJson(value, path, by) {
  const text = JSON.stringify(pierced(value, path, by === ABSENT ? (path.length ? ABSENT : '') : HOLE)) ?? '';
  return by === ABSENT ? text : text.replace(`"${HOLE}"`, () => by);
}

const hex = (text) => Buffer.from(text, 'hex');
export const cborValues = (original, noise) => [
  ['absent', ABSENT], ['null', hex('f6')], ['7', hex('07')], ['-1', hex('20')], ['2^53', hex('1b0020000000000000')], ['2^64 - 1', hex('1bffffffffffffffff')], ['0.5', hex('fb3fe0000000000000')],
  ['NaN', hex('fb7ff8000000000000')], ['true', hex('f5')], ['false', hex('f4')], ['undefined', hex('f7')], ['empty', hex('60')],
  ...strings(original, noise).map(([name, text]) => [name, Buffer.from(cbor.encode(text))]), ['no UTF-8', hex('63eda080')], ['bytes', hex('43000102')], ['a link', Buffer.from(cbor.encode(CID.parse('bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a')))],
  ['half a link', hex('d82a420001')], ['another tag', hex('c11a514b67b0')], ['of 10,000 arrays', Buffer.concat([Buffer.alloc(10000, 0x81), hex('80')])], ['an array', hex('80')], ['an array of null', hex('81f6')],
  ['a map', hex('a0')], ['a map of a DID', Buffer.from(cbor.encode({ uri: 'at://did:web:v.example/a.b.c/d' }))], ['an array without end', hex('9f')], ['an array of 2^64', hex('9bffffffffffffffff')], ['text of 2^32', hex('7affffffff61')],
  ['7 in two bytes', hex('1807')]];

export function withCbor(value, path, by) {
  if (by === ABSENT) return path.length ? Buffer.from(cbor.encode(pierced(value, path, ABSENT))) : Buffer.alloc(0);
  const encoded = Buffer.from(cbor.encode(pierced(value, path, HOLE)));
  const hole = Buffer.from(cbor.encode(HOLE));
  const at = encoded.indexOf(hole);
  return Buffer.concat([encoded.subarray(0, at), by, encoded.subarray(at + hole.length)]);
}
