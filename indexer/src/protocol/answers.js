// The border: all answers of strangers pass through this module, which lets through only data that
// is bounded, of the expected shape, and clean. A wrong answer becomes a Failure.
//
// JSON that the database has to verify as it was written (PLC logs, DID documents) is not cleaned:
// only U+0000 and lone surrogates, which jsonb cannot hold, are replaced. The database checks each
// field that it uses.
import { CODES } from './codes.js';
import { Failure } from './failure.js';
import { isObject, parseJson, toJsonb } from './json.js';
import { clean } from './text.js';

export const BOUNDS = {
  document: 100e3, // bytes of a DID document, and of answers about one account
  log: 1e6, // bytes of a PLC log
  page: 1e6, // bytes of a page of a list
  repos: 1000, // accounts on a page of a list
  error: 10e3, // bytes of an error's body: the rest is not read
  did: 512, // characters, all of which are ASCII
  cursor: 1024, // characters of a position in a list
  status: 64,
  collections: 1000, // of an account
};

/** @type {Record<number, string>} */
const OF_STATUS = {
  401: 'unauthorized',
  403: 'unauthorized',
  404: 'not_found',
  410: 'not_found',
  429: 'throttled',
  501: 'not_implemented',
};

/**
 * The code for an answer with this status, whose body names this error.
 * @param {number} status
 * @param {unknown} error
 */
function whyOf(status, error) {
  if (status < 500 && status !== 429) {
    if (error === 'MethodNotImplemented') return 'not_implemented';
    if (typeof error === 'string' && CODES[error]?.status) return error;
  }
  return (
    OF_STATUS[status] ?? (status >= 500 ? 'server_error' : status >= 400 ? 'refused' : 'malformed')
  );
}

/**
 * An answer with a status other than 200, as a Failure. Error names of the protocol are believed
 * only if the server blames the request, not if the server itself has failed.
 * @param {number} status
 * @param {Record<string, unknown>} headers
 * @param {Buffer} body
 * @param {string} origin
 */
export function failureOf(status, headers, body, origin) {
  let error;
  let message;
  try {
    const said = parseJson(body);
    if (isObject(said)) ({ error, message } = said);
  } catch {
    /* an error page: the status is enough */
  }
  const why = whyOf(status, error);
  const detail = [
    String(status),
    ...[error, message].filter((s) => typeof s === 'string').map((s) => clean(s, 90)),
  ].join(' ');
  return new Failure(why, detail, { origin, retryAfter: retryAfter(headers['retry-after']) });
}

/**
 * Retry-After in seconds, from 1 to an hour; null if there is none that makes sense.
 * @param {unknown} value
 */
export function retryAfter(value, now = Date.now()) {
  if (typeof value !== 'string' || value.length > 64) return null;
  const seconds = /^\d{1,9}$/.test(value) ? Number(value) : (Date.parse(value) - now) / 1000;
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 1), 3600) : null;
}

/**
 * @param {unknown} value
 * @param {number} most
 */
const text = (value, most) =>
  typeof value === 'string' && value.length <= most && clean(value, most) === value ? value : null;
/**
 * @param {unknown} value
 * @returns {value is string}
 */
export const isDid = (value) =>
  typeof value === 'string' &&
  value.length <= BOUNDS.did &&
  /^did:[a-z]+:[a-zA-Z0-9._:%-]*[a-zA-Z0-9._-]$/.test(value);
/** @param {unknown} value */
const revision = (value) =>
  typeof value === 'string' && /^[234567abcdefghij][234567a-z]{12}$/.test(value) ? value : null;
/** @param {unknown} value */
const status = (value) =>
  typeof value === 'string' && value !== '' ? clean(value, BOUNDS.status) : null;

/**
 * left: the number of entries that are left out because they have no DID.
 * @typedef {{ did: string, rev: string | null, active: boolean | null, status: string | null }}
 *   Listed
 * @typedef {{ repos: Listed[], next: string | null, left: number }} ListPage
 */

/**
 * The page of listRepos or listReposByCollection after the position `at`. A page that leads to
 * itself is refused.
 * @param {Buffer} bytes
 * @param {string | null} at
 * @returns {ListPage}
 */
export function readListPage(bytes, at) {
  const said = parseJson(bytes);
  if (!isObject(said) || !Array.isArray(said.repos))
    throw new Failure('malformed', 'a page without repos');
  if (said.repos.length > BOUNDS.repos)
    throw new Failure('too_large', `a page of ${said.repos.length} accounts`);
  const next = said.cursor === '' ? null : (said.cursor ?? null);
  if (next !== null && text(next, BOUNDS.cursor) === null)
    throw new Failure('malformed', 'the cursor of a page');
  if (next !== null && next === at) throw new Failure('malformed', 'a page that leads to itself');
  const repos = said.repos
    .filter((/** @type {any} */ r) => isObject(r) && isDid(r.did))
    .map((/** @type {any} */ r) => ({
      did: r.did,
      rev: revision(r.rev),
      active: typeof r.active === 'boolean' ? r.active : null,
      status: status(r.status),
    }));
  return { repos, next, left: said.repos.length - repos.length };
}

/**
 * The answer of getRepoStatus.
 * @param {Buffer} bytes
 * @param {string} did
 */
export function readRepoStatus(bytes, did) {
  const said = parseJson(bytes);
  if (!isObject(said) || said.did !== did || typeof said.active !== 'boolean')
    throw new Failure('malformed', 'the status of an account');
  return { active: said.active, status: status(said.status), rev: revision(said.rev) };
}

/**
 * The collections in the answer of describeRepo.
 * @param {Buffer} bytes
 * @param {string} did
 * @returns {string[]}
 */
export function readCollections(bytes, did) {
  const said = parseJson(bytes);
  if (!isObject(said) || said.did !== did || !Array.isArray(said.collections))
    throw new Failure('malformed', 'the description of an account');
  if (said.collections.length > BOUNDS.collections)
    throw new Failure('too_large', `${said.collections.length} collections`);
  return said.collections.filter(
    (/** @type {unknown} */ c) =>
      typeof c === 'string' && c.length <= 317 && /^[a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+){2,}$/.test(c),
  );
}

/**
 * The DID in the answer of describeServer; null if it is not that of a PDS.
 * @param {Buffer} bytes
 */
export function readServerDid(bytes) {
  const said = parseJson(bytes);
  return isObject(said) && isDid(said.did) ? said.did : null;
}

/**
 * The host name of a did:web without a path, and its port if there is one; empty for any other DID.
 * @param {string} did
 */
export const hostOfWeb = (did) =>
  /^did:web:([a-zA-Z0-9.-]{1,253})(?:%3[aA](\d{1,5}))?$/.exec(did)?.slice(1) ?? [];

/**
 * A PLC log, as a parameter.
 * @param {Buffer} bytes
 */
export function readPlcLog(bytes) {
  const said = parseJson(bytes);
  if (!Array.isArray(said) || !said.every(isObject))
    throw new Failure('malformed', 'a log that is not an array of operations');
  return toJsonb(said);
}

/**
 * A DID document, as a parameter.
 * @param {Buffer} bytes
 * @param {string} did
 */
export function readDidDocument(bytes, did) {
  const said = parseJson(bytes);
  if (!isObject(said)) throw new Failure('malformed', 'a document that is not an object');
  if (said.id !== did) throw new Failure('malformed', 'the document of another DID');
  return toJsonb(said);
}
