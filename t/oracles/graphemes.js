// How many grapheme clusters npm's package unicode-segmenter finds in a text.
//
//   node graphemes.js SEED COUNT FILE
//
// writes a line for each text: the number, a blank, and the text's UTF-8 in hexadecimal. First each character of planes
// 0 and 1 and of U+E0000 to U+E0FFF, among others that tell what it is; then COUNT random texts.
import { openSync, writeSync } from 'node:fs';
import { countGraphemes } from 'unicode-segmenter/grapheme';
import { chance } from './chance.js';

const [seed, count] = process.argv.slice(2, 4).map(Number);
const file = openSync(process.argv[4], 'w');
const { below, pick } = chance(seed);

const out = [];
function write(text) {
  out.push(`${countGraphemes(text)} ${Buffer.from(text).toString('hex')}\n`);
  if (out.length === 1000) flush();
}
const flush = () => writeSync(file, out.splice(0).join(''));

// --- each character ----------------------------------------------------------------------------

// X is the character. Lines are apart, as nothing joins a line feed but CR.
const AMONG = [
  'aX', 'Xa', '\rX', '\u1100X', '\u1160X', '\u11a8X', 'X\u1160', 'X\u11a8', '\u{1f1e6}X', '\u{1f1e6}X\u{1f1e7}',
  '\u{1f476}\u200dX', '\u{1f476}X\u200d\u{1f476}', '\u{1f476}X\u{1f476}', 'X\u200d\u{1f476}',
  '\u0915\u094dX', '\u0915X\u0915', '\u0915\u094dX\u0915', '\u0915X\u094d\u0915', 'X\u094d\u0915',
].join('\n');
for (let code = 0; code < 0xe1000; code = code === 0x1ffff ? 0xe0000 : code + 1) {
  if (code < 0xd800 || code > 0xdfff) write(AMONG.replaceAll('X', String.fromCodePoint(code)));
}

// --- random texts ------------------------------------------------------------------------------

// Where what matters is, and some of what does not.
const RANGES = [
  [0x0a, 0x0a], [0x0d, 0x0d], [0x00, 0x1f], [0x20, 0x7e], [0x61, 0x7a], [0x7f, 0xa0], [0xa1, 0xff], [0xa9, 0xae],
  [0x300, 0x36f], [0x308, 0x308], [0x400, 0x52f], [0x591, 0x5f4], [0x600, 0x605], [0x606, 0x6ff], [0x70f, 0x74a],
  [0x890, 0x8ff], [0x900, 0x97f], [0x915, 0x939], [0x94d, 0x94d], [0x980, 0xdff], [0xe00, 0xeff], [0xf00, 0xfff],
  [0x1000, 0x109f], [0x1039, 0x1039], [0x1100, 0x11ff], [0x1100, 0x115f], [0x1160, 0x11a7], [0x11a8, 0x11ff],
  [0x135d, 0x135f], [0x1700, 0x17ff], [0x17d2, 0x17d2], [0x1800, 0x18ff], [0x1900, 0x1aff], [0x1b00, 0x1cff],
  [0x1dc0, 0x1dff], [0x200b, 0x200f], [0x200c, 0x200c], [0x200d, 0x200d], [0x2028, 0x206f], [0x20d0, 0x20f0],
  [0x2190, 0x23ff], [0x2600, 0x27bf], [0x2b00, 0x2bff], [0x3000, 0x30ff], [0x3297, 0x3299], [0x4dc0, 0x4e10],
  [0x3400, 0x9fff], [0xa000, 0xabff], [0xa960, 0xa97c], [0xac00, 0xd7a3], [0xd7b0, 0xd7fb], [0xfb1e, 0xfb1e],
  [0xfe00, 0xfe0f], [0xfe0f, 0xfe0f], [0xfeff, 0xfeff], [0xff9e, 0xff9f], [0xfff0, 0xffff], [0x10a00, 0x10aff],
  [0x11000, 0x11fff], [0x110bd, 0x110cd], [0x111c2, 0x111c3], [0x16100, 0x16fff], [0x1d165, 0x1d1ad],
  [0x1f000, 0x1faff], [0x1f1e6, 0x1f1ff], [0x1f1e6, 0x1f1ff], [0x1f3fb, 0x1f3ff], [0x1f466, 0x1f469],
  [0x1fc00, 0x1ffff], [0x20000, 0x2a6df], [0xe0000, 0xe0fff], [0xe0020, 0xe007f], [0xe1000, 0x10ffff],
  [0x0, 0xd7ff],
];

for (let n = 0; n < count; n++) {
  // of a few kinds, so that they meet
  const kinds = Array.from({ length: 1 + below(4) }, () => pick(RANGES));
  let text = '';
  for (let left = below(pick([4, 12, 40])); left >= 0; left--) {
    const [first, last] = pick(kinds);
    text += String.fromCodePoint(first + below(last - first + 1)).repeat(pick([1, 1, 1, 1, 1, 1, 2, 3, 9]));
  }
  write(text);
}
flush();
