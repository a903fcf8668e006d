// Cleans texts of strangers.
//
// A cleaned text has no control character, no U+0000, no lone surrogate, and nothing that moves a
// cursor or changes the direction of writing.

const MOST = 200; // UTF-16 units, by default

// Control characters; soft hyphens, joiners and other characters without width; directional marks
// and overrides; line separators; tags. clip_text() in common.sql has the same list.
const UNCLEAN = new RegExp(
  '[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e' +
    '\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e0fff}]',
  'gu',
);

/**
 * Any value as one clean line of at most `most` UTF-16 units.
 * @param {unknown} value
 * @param {number} [most]
 */
export function clean(value, most = MOST) {
  const isNone = value === null || value === undefined;
  const text = typeof value === 'string' ? value : isNone ? '' : typeof value;
  const short = text.length > most ? `${text.slice(0, most - 1)}…` : text;
  return short.toWellFormed().replace(UNCLEAN, '\ufffd');
}
