// Lexicons in files, and those that they need: for "up" and "lexicon".
//
// A file has one document, or an array of documents. A document is taken for a Lexicon if it has a
// "lexicon"; others, such as a package.json, are left out. So is a document whose only fault is a
// definition of a primary type that is newer than the extension, such as a space.
import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '../db/errors.js';
import { clean } from '../protocol/text.js';

/** @typedef {import('pg').Client} Client */

const PACKAGE = new URL('../../lexicons/', import.meta.url); // widely used Lexicons, as NSID.json
const NAMED = 5; // documents named in a line about those that are left out

/**
 * @param {string} path
 */
const unreadable = (path) => (/** @type {NodeJS.ErrnoException} */ e) => {
  const why = e.code === 'ENOENT' ? 'there is no such file or folder' : e.message;
  throw new Problem(`${path}: ${why}`);
};

/**
 * The file itself, or all *.json in the folder and its subfolders.
 * @param {string} path
 */
export async function filesOf(path) {
  if (!(await stat(path).catch(unreadable(path))).isDirectory()) return [path];
  const names = (await readdir(path, { recursive: true })).filter((name) => name.endsWith('.json'));
  if (names.length === 0) throw new Problem(`${path}: there is no *.json in this folder`);
  return names.sort().map((name) => join(path, name));
}

// The types of definitions in version 1 of the language. Any other type is a newer primary type if
// the definition is the main one, where primary types must be; there can be several spaces.
const TYPES = (
  'record query procedure subscription permission-set permission null boolean integer string ' +
  'bytes cid-link blob array object params token ref union unknown'
).split(' ');

// The documents of a text. newer is the newer type of a definition, if nothing else is wrong.
const DOCUMENTS = `SELECT d.n::int, d.document::text AS text, d.document->>'id' AS nsid,
    d.document #>> '{defs,main,type}' AS type,
    jsonb_typeof(d.document) = 'object' AND d.document ? 'lexicon' AS is_lexicon,
    atid.lexicon_problem(d.document) AS problem,
    CASE WHEN s.newer IS NOT NULL
      AND atid.lexicon_is_valid(d.document || jsonb_build_object('defs', s.known))
      THEN s.newer END AS newer
  FROM jsonb_array_elements(CASE jsonb_typeof($1::jsonb) WHEN 'array' THEN $1::jsonb
    ELSE jsonb_build_array($1::jsonb) END) WITH ORDINALITY AS d (document, n)
  CROSS JOIN LATERAL (
    SELECT min(e.value->>'type') FILTER (WHERE t.is_newer) AS newer,
      jsonb_object_agg(e.key,
        CASE WHEN t.is_newer THEN '{"type": "token"}' ELSE e.value END) AS known
    FROM jsonb_each(CASE jsonb_typeof(d.document->'defs') WHEN 'object' THEN d.document->'defs'
                    ELSE '{}' END) AS e
    CROSS JOIN LATERAL (
      SELECT jsonb_typeof(e.value->'type') = 'string' AND e.value->>'type' <> ALL ($2)
             AND (e.key = 'main' OR e.value->>'type' = 'space')) AS t (is_newer)) AS s
  ORDER BY d.n`;

/**
 * The documents of a file: [{ place, text, nsid, type, is_lexicon, newer }], each without a fault.
 * @param {Client} db
 * @param {string} file
 */
async function readFileOf(db, file) {
  const text = await readFile(file, 'utf8').catch(unreadable(file));
  try {
    JSON.parse(text);
  } catch (e) {
    if (!text.includes('"lexicon"')) return [{ place: file, is_lexicon: false }];
    throw new Problem(`${file}: ${e.message}`);
  }
  const { rows } = await db.query(DOCUMENTS, [text, TYPES]).catch((e) => {
    throw e.severity ? new Problem(`${file}: ${clean(e.message, 500)}`) : e;
  });
  /** @param {number} n */
  const placeOf = (n) => (rows.length > 1 ? `${file}[${n - 1}]` : file);
  const documents = rows.map((r) => ({ ...r, place: placeOf(r.n) }));
  const wrong = documents.find((d) => d.is_lexicon && d.problem !== null && d.newer === null);
  if (wrong) throw new Problem(`${wrong.place} is not a Lexicon: ${clean(wrong.problem, 500)}`);
  return documents;
}

/**
 * @param {any[]} documents
 * @param {string} why
 */
function leftOut(documents, why) {
  if (documents.length === 0) return [];
  const more = documents.length > NAMED ? ` and ${documents.length - NAMED} others` : '';
  return [
    `left out: ${documents
      .slice(0, NAMED)
      .map((d) => d.place)
      .join(', ')}${more}: ${why}`,
  ];
}

/**
 * The Lexicons in these files, the record types among them, and lines about the documents that are
 * left out. Nothing is written. A fault in a Lexicon is an error that names the file.
 * @param {Client} db
 * @param {string[]} files
 */
export async function readLexicons(db, files) {
  const all = [];
  for (const file of files) all.push(...(await readFileOf(db, file)));
  const lexicons = all.filter((d) => d.is_lexicon && d.problem === null);
  const newer = all.filter((d) => d.is_lexicon && d.newer !== null);
  const lines = [
    ...leftOut(
      all.filter((d) => !d.is_lexicon),
      'no Lexicon, as it has no "lexicon"',
    ),
    ...[...new Set(newer.map((d) => d.newer))].flatMap((type) =>
      leftOut(
        newer.filter((d) => d.newer === type),
        `the extension does not know the type "${clean(type, 100)}" yet`,
      ),
    ),
  ].map((line) => clean(line, 1000));
  const places = new Map();
  for (const { nsid, place } of lexicons) {
    if (places.has(nsid))
      throw new Problem(`${places.get(nsid)} and ${place} both define ${clean(nsid, 317)}.`);
    places.set(nsid, place);
  }
  if (lexicons.length === 0)
    throw new Problem(['There is no Lexicon in these files.', ...lines].join('\n'));
  return {
    text: `[${lexicons.map((d) => d.text).join(',')}]`,
    types: lexicons.filter((d) => d.type === 'record').map((d) => d.nsid),
    lines,
  };
}

/**
 * The definitions that records need and no Lexicon here has.
 * @param {Client} db
 */
const gaps = async (db) =>
  (
    await db.query(
      `SELECT g.missing, g.needed_by
       FROM indexer.lexicon_gaps(
         (SELECT atid.lexicon_agg(l.lexicons) FROM indexer.lexicons AS l)) AS g
       ORDER BY 1`,
    )
  ).rows;

/**
 * @param {Client} db
 */
export const missingLines = async (db) =>
  (await gaps(db)).map((g) => clean(`missing: ${g.missing} (needed by ${g.needed_by})`, 1000));

/**
 * Stores Lexicons, and from the package those that they need and the database lacks. Returns lines
 * about these, and about definitions that are still missing.
 * @param {Client} db
 * @param {string} text
 */
export async function storeLexicons(db, text) {
  await db.query('SELECT indexer.add_lexicons($1)', [text]);
  const shared = new Set((await readdir(PACKAGE)).map((name) => name.replace(/\.json$/, '')));
  const taken = [];
  for (;;) {
    const stored = await nsids(db);
    const needed = [...new Set((await gaps(db)).map((g) => g.missing.split('#')[0]))];
    const next = needed.filter((nsid) => shared.has(nsid) && !stored.includes(nsid));
    if (next.length === 0) break;
    for (const nsid of next) {
      const document = await readFile(new URL(`${nsid}.json`, PACKAGE), 'utf8');
      await db.query('SELECT indexer.add_lexicons($1)', [document]);
    }
    taken.push(...next);
  }
  const line = `taken from the package: ${taken.join(' ')}`;
  return [...(taken.length > 0 ? [line] : []), ...(await missingLines(db))];
}

/**
 * @param {Client} db
 */
export const nsids = async (db) =>
  (
    await db.query(
      `SELECT DISTINCT unnest(atid.lexicon_nsids(l.lexicons))::text AS nsid
       FROM indexer.lexicons AS l ORDER BY 1`,
    )
  ).rows.map((r) => r.nsid);
