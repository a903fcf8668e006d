// What npm's package @atproto/syntax makes of strings that are names of the AT Protocol or nearly so.
//
//   node addresses.js SEED COUNT
//
// prints COUNT mutated strings of each format, a line for each: the format; the string's UTF-8 in
// hexadecimal; t or f, whether the package takes it; and of what kinds it is, of those listed below in which
// the package and the specification differ, each with "takes" or "refuses", which is what the package does,
// and followed by a blank.
import {
  isAtIdentifierString, isAtUriString, isValidDid, isValidHandle, isValidLanguage, isValidNsid, isValidUri,
} from '@atproto/syntax';
import { chance } from './chance.js';

const [seed, count] = process.argv.slice(2).map(Number);
const { below, pick } = chance(seed);
const some = (set, n) => Array.from({ length: n }, () => pick(set)).join('');

// --- names -------------------------------------------------------------------------------------

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const ALPHANUMERIC = LOWER + LOWER.toUpperCase() + '0123456789';
const BASE32 = '234567' + LOWER;

const label = () => some(ALPHANUMERIC + '-', pick([1, 2, 3, 5, 8, 8, 62, 63, 64]));
const domain = () => Array.from({ length: pick([1, 2, 2, 3, 3, 4, 8]) }, label).join('.');
const did = () => pick([
  () => 'did:plc:' + some(BASE32, pick([24, 24, 24, 23, 25])),
  () => 'did:web:' + domain(),
  () => `did:${some(LOWER, 1 + below(6))}:${some(ALPHANUMERIC + '._:%-', below(30))}`,
  () => 'did:key:' + 'x'.repeat(2037 + below(6)),
])();
const handle = () => pick([domain, domain, () => 'jay.bsky.social', () => some(['a.', 'bc.', 'd-e.'], 60 + below(70)) + 'f'])();
const nsid = () => pick([
  () => 'app.bsky.feed.' + pick(['like', 'post', 'x1', '1x', 'a-b']),
  () => `${domain()}.${label()}.${some(ALPHANUMERIC, pick([1, 5, 62, 63, 64]))}`,
  () => some(['a.', 'bc.', 'd-e.'], 60 + below(60)) + some(LOWER, 1 + below(64)),
])();
const key = () => pick([
  () => pick('234567abcdefghijk') + some(BASE32, pick([12, 12, 11, 13])),
  () => 'self', () => '.', () => '..', () => some(ALPHANUMERIC + '.-_:~', 1 + below(20)), () => 'k'.repeat(510 + below(5)),
])();
const atUri = () => 'at://' + pick([did, did, handle])() +
  pick([() => '', () => '/' + nsid(), () => `/${nsid()}/${key()}`, () => `/${nsid()}/${key()}`])() +
  pick(['', '', '', '', '', '/', '?q=1', '#/frag', '#frag', '#/a%20b', '/more']);
const language = () => pick([
  'en', 'ja', 'ban', 'pt-BR', 'hy-Latn-IT-arevela', 'zh-Hant', 'es-419', 'en-GB-boont-r-extended-sequence-x-private', 'zh-hakka',
  'i-default', 'i-navajo', 'sgn-BE-NL', 'en-GB-oed', 'de-CH-1901', 'qaa-Qaaa-QM-x-southern', 'x-fr-CH', 'de-x-foo', 'sl-rozaj-biske',
  'en-u-co-phonebk-t-en-US', 'zh-cmn-Hans-CN', 'zh-min-nan', 'abcd', 'abcdefgh', 'aa-aaa-bbb-ccc',
]);
const uri = () => pick([
  'https://example.com/path?q=blah&yes=true#frag.123', 'dns:example.com', 'at://handle.example.com/nsid/rkey', 'did:key:zQ3shZc2QzApp2o',
  'content-type:text/plain', 'microsoft.windows.camera:thing', 'go://?Mercedes%20Benz', 'http://[::1]:80/', 'mailto:a@b.example', 'urn:x:y',
  'file:///etc/passwd', 'a+b:c', 'x:' + 'y'.repeat(8188 + below(6)),
]);

// --- mutations ---------------------------------------------------------------------------------

// Characters that separate something somewhere, and others that belong nowhere.
const ODD = [...'/:.%?#@-_~+ []!$&\'()*,;="<>\\^`{|}\t\n\0', 'é', 'ß', '💩', '\u200b', '\u00a0', '//', '..', ...'aZ09xX'];

function mutate(text) {
  for (let n = pick([0, 0, 1, 1, 1, 2, 3]); n > 0; n--) {
    const at = below(text.length + 1);
    text = pick([
      () => text.slice(0, at) + pick(ODD) + text.slice(at),
      () => text.slice(0, at) + pick(ODD) + text.slice(at + 1),
      () => text.slice(0, at) + text.slice(at + 1),
      () => text.slice(0, at),
      () => text.slice(at),
      () => text.slice(0, at) + text.slice(at).toUpperCase(),
      () => text.slice(0, at) + '-' + some(ALPHANUMERIC, 1 + below(9)),
    ])();
  }
  return text;
}

// --- where they differ ---------------------------------------------------------------------------

// "at most 253 characters (including periods)", says the specification of an NSID's authority.
const longAuthority = (text) => text.lastIndexOf('.') > 253;

const IRREGULAR = /^(en-GB-oed|i-(ami|bnn|default|enochian|hak|klingon|lux|mingo|navajo|pwn|tao|tay|tsu)|sgn-(BE-FR|BE-NL|CH-DE))$/i;

const FORMATS = {
  did: [did, isValidDid, {}],
  handle: [handle, isValidHandle, {}],
  nsid: [nsid, isValidNsid, { 'takes a long authority': longAuthority }],
  at_identifier: [() => pick([did, handle])(), isAtIdentifierString, {}],
  at_uri: [atUri, isAtUriString, {
    'takes a long authority': (text) => longAuthority(text.split('/')[3] ?? ''),
    // the restricted syntax has none: "Query parameters and fragments are not currently used"
    'takes a fragment': (text) => text.includes('#'),
  }],
  language: [language, isValidLanguage, {
    // "tags and their subtags [...] are to be treated as case insensitive" (RFC 5646 section 2.1.1)
    'refuses another case': (text) => IRREGULAR.test(text) || isValidLanguage(text.toLowerCase()),
  }],
  // "following the generic RFC-3986", says Lexicon
  uri: [uri, isValidUri, {
    'takes other characters': (text) => /[^A-Za-z0-9._~!$&'()*+,;=:@\/?#[\]%-]/.test(text),
    'takes % without two digits': (text) => /%(?![0-9A-Fa-f]{2})/.test(text),
    'takes brackets outside the authority': (text) => /[[\]]/.test(text.replace(/^[^:]*:\/\/[^\/?#]*/, '')),
    'takes a second #': (text) => /#.*#/s.test(text),
    'takes a scheme that does not begin with a letter': (text) => /^[^A-Za-z]/.test(text),
    'takes _ in a scheme': (text) => /^[^:]*_/.test(text),
    'takes more than 8192 bytes': (text) => Buffer.byteLength(text) > 8192,
    'refuses + - . in a scheme': (text) => /^[^:]*[+.-]/.test(text),
    'refuses a slash or nothing after the scheme and //': (text) => /^[^:]*:(\/\/)?(\/|$)/.test(text),
  }],
};

const out = [];
for (const [format, [make, takes, kinds]] of Object.entries(FORMATS)) {
  for (let n = 0; n < count; n++) {
    // NUL cannot be in a text of the server; half of a surrogate pair cannot either
    const text = mutate(make()).replaceAll('\0', '\x01').toWellFormed();
    const of = Object.entries(kinds).filter(([, is]) => is(text)).map(([kind]) => kind + ';').join('');
    out.push([format, Buffer.from(text).toString('hex'), takes(text) ? 't' : 'f', of].join('\t'));
  }
}
console.log(out.join('\n'));
