// The commands for feeds: their list with the cost of a page of each, a feed's own index, and the
// record by which an application finds a feed.
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { messageOf, Problem, SQLSTATE } from '../db/errors.js';
import { clean } from '../protocol/text.js';

/** @typedef {import('pg').Client} Client */
/** @typedef {Record<string, any>} Values */
/** @typedef {{ token?: string | null, body?: any, type?: string }} Content */

const PAGE = 50; // posts, as many as applications request
const WITHIN = '5s'; // as long as the API allows a statement
const ANSWER = 20e3; // ms
const LARGEST = 1e6; // bytes of a picture
const GENERATOR = 'app.bsky.feed.generator';

const FEEDS = `
SELECT f.name, f.columns IS NULL AS is_function, f.problem,
  indexer.other_owner(f.name) AS owner,
  CASE WHEN f.columns IS NOT NULL THEN xrpc.feed_query(f.name, f.columns, false) END AS query,
  (SELECT string_agg(pg_size_pretty(pg_relation_size(i)), ', ')
   FROM indexer.feed_indexes(f.name) AS i) AS index,
  (SELECT string_agg(p.did::text, ' ' ORDER BY p.did)
   FROM indexer.published AS p WHERE p.feed = f.name) AS published
FROM xrpc.feeds() AS f ORDER BY f.name`;

const LEFT = `
SELECT DISTINCT p.feed FROM indexer.published AS p
WHERE NOT EXISTS (SELECT FROM xrpc.feeds() AS f WHERE f.name = p.feed) ORDER BY 1`;

/** @param {number} n */
const number = (n) => n.toLocaleString('en-US');

/**
 * The cost of a page, measured the second time, when the server has it in memory.
 * @param {Client} db
 * @param {Values} feed
 */
async function costOf(db, { name, owner, is_function: isFunction, query }) {
  if (owner !== null)
    return { cost: `not measured: it belongs to ${clean(owner, 63)}`, isServed: true };
  const call = `SELECT feed.${db.escapeIdentifier(name)}("limit" => ${PAGE}, cursor => NULL)`;
  const text = isFunction ? call : query.replace(/\$1$/, String(PAGE));
  const explain = `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${text}`;
  await db.query('BEGIN READ ONLY');
  try {
    await db.query(`SET LOCAL statement_timeout = '${WITHIN}'; SET LOCAL jit = off`);
    await db.query(explain);
    const [{ Plan: plan, 'Execution Time': ms }] = (await db.query(explain)).rows[0]['QUERY PLAN'];
    const blocks = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    return { cost: `${ms.toFixed(1)} ms, ${number(blocks)} blocks`, isServed: true };
  } catch (e) {
    return { cost: `fails: ${messageOf(e)}`, isServed: false };
  } finally {
    await db.query('ROLLBACK');
  }
}

/**
 * Does the index of a feed differ from the one that "feed index" would create?
 * @param {Client} db
 * @param {string} name
 */
async function isOutdated(db, name) {
  const { rows } = await db
    .query('SELECT c FROM indexer.feed_index_commands($1) AS c', [name])
    .catch(() => ({ rows: [{ c: 'CREATE' }] }));
  return rows.some(({ c }) => c.startsWith('CREATE'));
}

/**
 * What to do for a feed that has no index.
 * @param {Client} db
 * @param {string} name
 */
async function adviseIndex(db, name) {
  const { rows } = await db.query('SELECT problem FROM indexer.feed_index_of($1)', [name]);
  const [{ problem }] = rows;
  return problem === null ? `none: "atid-indexer feed index ${name}"` : `none: ${problem}`;
}

/**
 * One block of lines for each feed. It is not ok if one cannot be served.
 * @param {Client} db
 */
export async function feeds(db) {
  const { rows } = await db.query(FEEDS);
  if (rows.length === 0)
    return { lines: ['There is no feed. doc/feeds.md shows one in one line of SQL.'], ok: true };
  const lines = [];
  let ok = true;
  for (const one of rows) {
    lines.push(one.name);
    if (one.problem === null) {
      const { cost, isServed } = await costOf(db, one);
      lines.push(`  page       ${cost}`);
      ok &&= isServed;
    } else {
      lines.push(`  problem    ${one.problem}`);
      ok = false;
    }
    if (one.index !== null && one.owner === null && (await isOutdated(db, one.name)))
      one.index += `, for an earlier form of the view: "atid-indexer feed index ${one.name}"`;
    if (!one.is_function)
      lines.push(`  index      ${one.index ?? (await adviseIndex(db, one.name))}`);
    lines.push(`  published  ${one.published ?? 'not'}`);
  }
  for (const { feed } of (await db.query(LEFT)).rows) {
    lines.push(feed, '  problem    it is published, but there is no such feed any longer');
    ok = false;
  }
  return { lines, ok };
}

/**
 * Creates the index of a feed while others write.
 * @param {Client} db
 * @param {string} name
 */
export async function indexFeed(db, name) {
  const { rows } = await db
    .query('SELECT c FROM indexer.feed_index_commands($1) AS c', [name])
    .catch((e) => {
      throw e.code === SQLSTATE.wrongObjectType
        ? new Problem(`The feed ${name} has no index: ${clean(e.detail, 300)}`)
        : e;
    });
  for (const { c: command } of rows) await db.query(command);
  const is = await db.query('SELECT c FROM indexer.feed_indexes($1) AS c', [name]);
  const isNew = rows.some(({ c }) => c.startsWith('CREATE'));
  return { lines: [`The index ${is.rows[0].c} ${isNew ? 'is created' : 'existed'}.`], ok: true };
}

/**
 * Asks at the terminal, without showing the answer if it is secret.
 * @param {string} what
 * @param {boolean} [isSecret]
 */
async function askFor(what, isSecret) {
  if (!process.stdin.isTTY) return null;
  const line = createInterface({ input: process.stdin, output: process.stderr, terminal: true });
  try {
    const answer = line.question(`${what}: `);
    if (isSecret) /** @type {any} */ (line)._writeToOutput = () => {};
    return (await answer).trim();
  } finally {
    line.close();
    if (isSecret) process.stderr.write('\n');
  }
}

/**
 * The answer of a PDS to a procedure.
 * @param {string} pds
 * @param {string} method
 * @param {Content} content
 * @returns {Promise<any>}
 */
async function call(pds, method, { token = null, body, type = 'application/json' }) {
  const answer = await fetch(`${pds}/xrpc/${method}`, {
    method: 'POST',
    redirect: 'error',
    signal: AbortSignal.timeout(ANSWER),
    headers: { 'content-type': type, ...(token && { authorization: `Bearer ${token}` }) },
    body: type === 'application/json' ? JSON.stringify(body) : body,
  }).catch((e) => {
    throw new Problem(`${pds} does not answer: ${messageOf(e.cause ?? e)}`);
  });
  /** @type {any} */
  const said = await answer.json().catch(() => ({}));
  if (answer.ok) return said;
  throw new Problem(
    `${pds} refuses ${method}: ${clean(said.message ?? said.error ?? String(answer.status), 300)}`,
  );
}

/** @type {Record<string, string>} */
const TYPES = { png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg' };
/**
 * @param {string} pds
 * @param {string} token
 * @param {string} path
 */
async function picture(pds, token, path) {
  const type = TYPES[(path.split('.').at(-1) ?? '').toLowerCase()];
  if (!type) throw new Problem(`${path}: a picture must be a .png or a .jpg`);
  const body = await readFile(path).catch((e) => {
    throw new Problem(`${path}: ${e.message}`);
  });
  if (body.length > LARGEST)
    throw new Problem(`${path}: a picture has at most ${number(LARGEST)} bytes`);
  return (await call(pds, 'com.atproto.repo.uploadBlob', { token, body, type })).blob;
}

/**
 * Refuses to publish a feed that cannot be served, or over a connection that shows the password to
 * others.
 * @param {Client} db
 * @param {string} name
 * @param {Values} settings
 */
async function checkPublished(db, name, { API_DID, PDS_URL }) {
  const { rows } = await db.query('SELECT problem FROM xrpc.feeds() AS f WHERE f.name = $1', [
    name,
  ]);
  if (rows.length === 0) throw new Problem(`There is no feed ${name}.`);
  const [{ problem }] = rows;
  if (problem !== null) throw new Problem(`The feed ${name} cannot be served: ${problem}.`);
  if (API_DID === null)
    throw new Problem(
      'ATID_API_DID must be the DID of this service, such as did:web:feeds.example.com.',
    );
  if (!/^https:|^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|$)/.test(PDS_URL))
    throw new Problem(`ATID_PDS_URL is ${PDS_URL}: a password is sent over https only.`);
}

/** @param {Values} settings */
async function credentialsOf({ HANDLE, APP_PASSWORD }) {
  const identifier = HANDLE ?? (await askFor('Handle'));
  const password = APP_PASSWORD ?? (await askFor('App password', true));
  if (identifier && password) return { identifier, password };
  throw new Problem(
    'Set ATID_HANDLE and ATID_APP_PASSWORD, or run this at a terminal, where it asks for them.',
  );
}

/**
 * Writes the record of a feed into the repository of an account, with its app password.
 * @param {Client} db
 * @param {string} name
 * @param {Values} settings
 * @param {Record<string, string | undefined>} options
 */
export async function publishFeed(db, name, settings, { title, description, avatar }) {
  const { API_DID, PDS_URL } = settings;
  await checkPublished(db, name, settings);
  const session = await call(PDS_URL, 'com.atproto.server.createSession', {
    body: await credentialsOf(settings),
  });
  const { did, accessJwt: token } = session;
  const record = {
    $type: GENERATOR,
    did: API_DID,
    displayName: title ?? name,
    ...(description !== undefined && { description }),
    ...(avatar !== undefined && { avatar: await picture(PDS_URL, token, avatar) }),
    createdAt: new Date().toISOString(),
  };
  const body = { repo: did, collection: GENERATOR, rkey: name, record };
  const { uri } = await call(PDS_URL, 'com.atproto.repo.putRecord', { token, body });
  await db.query(
    'INSERT INTO indexer.published (feed, did) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    [name, did],
  );
  const end = { token: session.refreshJwt };
  await call(PDS_URL, 'com.atproto.server.deleteSession', end).catch(() => {});
  const page = `https://bsky.app/profile/${did}/feed/${name}`;
  return {
    lines: [`${clean(uri, 1000)} is published.`, `Applications query ${API_DID}. Bluesky: ${page}`],
    ok: true,
  };
}
