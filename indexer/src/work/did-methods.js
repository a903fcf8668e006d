// The DID methods that have a server to query. Their SQL functions are in sql/identities/.
import { BOUNDS, hostOfWeb, readDidDocument, readPlcLog } from '../protocol/answers.js';

/** @typedef {import('./run.js').Settings} Settings */
/** @typedef {ConstructorParameters<typeof import('../net/places.js').Places>[0]} Limits */
/**
 * of: the name of the server or servers in messages. server: the one server that has all answers,
 * which is left alone while it is away; null: each DID has its own. limits: the places for
 * requests. askers: the number of concurrent requests from the API. url: the URL of the answer
 * about a DID; null: there is none, for the reason in `unnamed`. most: bytes of an answer. read:
 * returns the answer as JSON, or throws a Failure. take: the statement that stores it.
 * @typedef {object} Method
 * @property {string} of
 * @property {(settings: Settings) => string | null} server
 * @property {(settings: Settings) => Limits} limits
 * @property {number} askers
 * @property {(did: string, settings: Settings) => string | null} url
 * @property {{ why: string, detail: string }} unnamed
 * @property {number} most
 * @property {(bytes: Buffer, did: string) => string} read
 * @property {string} take
 */

/** @type {Method} */
const plc = {
  of: 'the directory',
  server: ({ PLC_URL }) => PLC_URL,
  limits: ({ MAX_DOWNLOADS, PLC_URL }) => {
    const all = Math.max(4, Math.floor(MAX_DOWNLOADS / 4));
    const again = Math.max(1, Math.floor(all / 4));
    return { all, origin: all, domain: all, again, free: [PLC_URL] };
  },
  askers: 64,
  url: (did, { PLC_URL }) =>
    /^did:plc:[a-z2-7]{24}$/.test(did) ? `${PLC_URL}/${did}/log/audit` : null,
  unnamed: { why: 'not_found', detail: 'a did:plc must have 24 characters of base32' },
  most: BOUNDS.log,
  read: readPlcLog,
  take: 'SELECT indexer.store_plc_log($1, $2, $3) AS why',
};

/** @type {Method} */
const web = {
  of: 'their domain',
  server: () => null,
  limits: ({ MAX_DOWNLOADS }) => ({
    all: MAX_DOWNLOADS,
    origin: 2,
    domain: 2,
    again: Math.floor(MAX_DOWNLOADS / 4),
  }),
  askers: 32,
  // Ports and http are for tests: for localhost, and where private addresses are allowed.
  url: (did, { ALLOW_PRIVATE_ADDRESSES }) => {
    const [host, port] = hostOfWeb(did);
    if (!host) return null;
    const isHere = host === 'localhost' || (ALLOW_PRIVATE_ADDRESSES && /^[\d.]+$/.test(host));
    if (port && !isHere && !ALLOW_PRIVATE_ADDRESSES) return null;
    const origin = `${isHere ? 'http' : 'https'}://${host}${port ? `:${port}` : ''}`;
    const url = `${origin}/.well-known/did.json`;
    if (!URL.canParse(url)) return null;
    // another spelling of an address or name would have places of its own
    const { hostname } = new URL(url);
    return hostname === host.toLowerCase() && !hostname.endsWith('.') ? url : null;
  },
  unnamed: { why: 'refused', detail: 'a did:web must be a host name, without a path or a port' },
  most: BOUNDS.document,
  read: readDidDocument,
  take: 'SELECT indexer.store_did_document($1, $2, $3) AS why',
};

/**
 * The methods by name. Strangers choose the name, such as "constructor", so nothing is inherited.
 * @type {Record<string, Method>}
 */
export const METHODS = Object.assign(Object.create(null), { plc, web });
