// Verifies a repository in a CAR file.
import { readFile } from 'node:fs/promises';
import { Problem } from '../db/errors.js';
import { rowsOf } from '../db/query.js';
import { Http } from '../net/http.js';
import { isDid } from '../protocol/answers.js';
import { parseJson } from '../protocol/json.js';
import { clean } from '../protocol/text.js';
import { METHODS } from '../work/did-methods.js';
import { formatNumber } from './format.js';

/** @typedef {import('pg').Client} Client */

/**
 * Verifies a CAR file: whether it is whole, who has signed it, how many records it has, and which
 * blobs they name.
 * @param {Client} db
 * @param {string} file
 * @param {string | undefined} did
 * @param {string | undefined} key
 * @param {Record<string, any>} settings
 */
export async function verify(db, file, did, key, settings) {
  const car = await readFile(file).catch((e) => {
    throw new Problem(`${file}: ${e.code === 'ENOENT' ? 'there is no such file' : e.message}`);
  });
  if (did !== undefined && !isDid(did)) throw new Problem(`${did} is not a DID.`);
  const [{ problem }] = await rowsOf(db, 'SELECT atid.repo_problem($1) AS problem', [car]);
  if (problem !== null)
    return { lines: [`It is not a whole repository: ${clean(problem, 500)}`], ok: false };
  const { commit, lines } = await describe(db, car);
  if (did !== undefined && did !== commit.did)
    return { lines: [...lines, `signed    no: this is not the repository of ${did}`], ok: false };
  const keys = key
    ? [{ key, now: true, of: 'the given key' }]
    : await keysOf(db, commit.did, settings);
  const { line, ok } = await describeSignature(db, commit, keys);
  return { lines: [...lines, line], ok };
}

/**
 * The commit of a CAR, and lines about what it contains.
 * @param {Client} db
 * @param {Buffer} car
 */
async function describe(db, car) {
  const [commit] = await rowsOf(
    db,
    `SELECT did::text, rev::text, atid.tid_timestamp(rev)::text AS at, cid::text, block
     FROM atid.repo_commit($1)`,
    [car],
  );
  const collections = await rowsOf(
    db,
    `SELECT collection, count(*)::int AS n,
       count(*) FILTER (WHERE NOT atid.dag_cbor_is_valid(block))::int AS bad
     FROM atid.repo_records($1) GROUP BY 1 ORDER BY 1`,
    [car],
  );
  const blobs = await rowsOf(
    db,
    `SELECT DISTINCT b.cid::text AS cid FROM atid.repo_records($1) AS r
     CROSS JOIN atid.dag_cbor_blobs(
       CASE WHEN atid.dag_cbor_is_valid(r.block) THEN r.block END) AS b ORDER BY 1`,
    [car],
  );
  const lines = [
    `account   ${commit.did}`,
    `revision  ${commit.rev ?? 'none'}${commit.at ? `, ${commit.at}` : ''}`,
    `commit    ${commit.cid}`,
    'whole     yes: all nodes and records are present, and match their CIDs',
    `records   ${formatNumber(collections.reduce((sum, c) => sum + c.n, 0))}`,
    ...collections.map((c) => {
      const bad = c.bad > 0 ? `, ${formatNumber(c.bad)} not DAG-CBOR` : '';
      return `  ${clean(c.collection, 317)}  ${formatNumber(c.n)}${bad}`;
    }),
    `blobs     ${formatNumber(blobs.length)}`,
    ...blobs.map((b) => `  ${clean(b.cid, 100)}`),
  ];
  return { commit, lines };
}

/**
 * The line about the key that has signed a commit. ok: is it the account's present key?
 * @param {Client} db
 * @param {{ did: string, block: Buffer }} commit
 * @param {{ key: string, now: boolean, of: string }[]} keys
 */
async function describeSignature(db, commit, keys) {
  for (const { key, now, of } of keys) {
    const [{ signed }] = await rowsOf(db, 'SELECT atid.commit_is_signed_by($1, $2, $3) AS signed', [
      commit.block,
      commit.did,
      key,
    ]);
    if (signed) return { line: `signed    by ${clean(key, 200)}, ${of}`, ok: now };
  }
  const line =
    keys.length > 0
      ? 'signed    NOT by a present or former key of the account'
      : 'signed    unknown: no key of the account is known; --key gives one';
  return { line, ok: false };
}

/**
 * The present and former keys of an account, as this database has them, or else the directory.
 * @param {Client} db
 * @param {string} did
 * @param {any} settings
 */
async function keysOf(db, did, settings) {
  // "verify" needs no schema. Objects that somebody else has put there (a view, a cast, an index
  // with a function) must not run with our rights, so the table is read only if it belongs to the
  // present role, a superuser, or the database's owner.
  const [{ there }] = await rowsOf(
    db,
    `WITH trusted AS (SELECT oid FROM pg_roles WHERE rolname = current_user OR rolsuper
                      UNION SELECT datdba FROM pg_database WHERE datname = current_database())
     SELECT EXISTS (SELECT FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace
                    WHERE c.oid = to_regclass('indexer.identity')
                      AND has_table_privilege(c.oid, 'SELECT')
                      AND relowner IN (TABLE trusted) AND nspowner IN (TABLE trusted)) AS there`,
  );
  const [known] = there
    ? await rowsOf(db, 'SELECT key, log::text FROM indexer.identity WHERE did = $1', [did])
    : [];
  let log = known?.log ?? null;
  if (!known?.key && did.startsWith('did:plc:')) {
    const http = new Http({ ...settings, MIN_DOWNLOAD_RATE: 0 });
    const { url, most, read } = METHODS.plc;
    const address = url(did, settings) ?? '';
    const answer = await http
      .get(address, { most, signal: new AbortController().signal })
      .catch(() => null);
    http.close();
    log = answer && read(answer, did);
    if (log && parseJson(Buffer.from(log))[0]?.did !== did) log = null;
  }
  if (log === null)
    return known?.key ? [{ key: known.key, now: true, of: 'the key of the account' }] : [];
  const keys = await rowsOf(
    db,
    `SELECT key, valid_to IS NULL AS now, valid_from::text AS since, valid_to::text AS until
    FROM atid.plc_log_keys($1)
    WHERE id = 'atproto' AND nullified IS NOT TRUE ORDER BY valid_from DESC`,
    [log],
  );
  return keys.map((k) => ({
    ...k,
    of: k.now
      ? `the key of the account since ${k.since}`
      : `a former key, from ${k.since} to ${k.until}`,
  }));
}
