// JSON of strangers. Nothing here recurses over it: JSON with more than DEEPEST levels or
// MOST_VALUES values is refused before it is parsed, as each level costs stack and each value
// memory, here and in the database.
import { Failure } from './failure.js';

const DEEPEST = 64;
const MOST_VALUES = 100e3;

/** @param {unknown} value */
export const isObject = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

// Refuses JSON that is too deep or has too many values, without parsing it: counts the brackets and
// commas outside of strings.
/** @param {string} text */
function refuseExcess(text) {
  let depth = 0;
  let values = 1;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case 0x22: // a string, up to its quotation mark
        for (i++; i < text.length && text.charCodeAt(i) !== 0x22; i++)
          if (text.charCodeAt(i) === 0x5c) i++;
        break;
      case 0x5b:
      case 0x7b:
        if (++depth > DEEPEST)
          throw new Failure('malformed', `JSON with more than ${DEEPEST} levels`);
        values++;
        break;
      case 0x5d:
      case 0x7d:
        depth--;
        break;
      case 0x2c:
        values++;
        break;
      default:
    }
    if (values > MOST_VALUES)
      throw new Failure('malformed', `JSON with more than ${MOST_VALUES} values`);
  }
}

/** @param {Buffer} bytes */
export function parseJson(bytes) {
  const text = bytes.toString('utf8');
  refuseExcess(text);
  try {
    return JSON.parse(text);
  } catch {
    throw new Failure('malformed', 'not JSON');
  }
}

// JSON for a parameter of type jsonb, which cannot hold U+0000 or lone surrogates, not even in
// keys. The value comes from parseJson(), so its depth is limited.
/** @param {unknown} value */
export function toJsonb(value) {
  /** @param {string} s */
  const fit = (s) => s.toWellFormed().replaceAll('\0', '\ufffd');
  return JSON.stringify(value, (key, v) => {
    if (typeof v === 'string') return fit(v);
    if (isObject(v) && Object.keys(v).some((k) => fit(k) !== k))
      return Object.fromEntries(Object.entries(v).map(([k, w]) => [fit(k), w]));
    return v;
  });
}
