// atid-indexer up: from Lexicons and a server to an API, in one command that can be run again.
//
// It makes what is missing and leaves what is there: the schema, the Lexicons, what is wanted, the
// views, an index of each column of times, DIDs and URIs, the login that reads. Then it runs "run"
// and "api" until one of them ends. The role that runs it owns all of this.
import { spawn } from 'node:child_process';
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connect } from '../db/connection.js';
import { messageOf, Problem } from '../db/errors.js';
import { createExtensions } from '../db/extensions.js';
import { holderOf } from '../db/locks.js';
import { OURS, refuseOwner } from '../db/login.js';
import { ownersProblem, ownSchema, refuseOthers } from '../db/ownership.js';
import { checkSchema, install, lockSchema } from '../db/schema.js';
import { Http } from '../net/http.js';
import * as log from '../ops/log.js';
import { BOUNDS, readListPage } from '../protocol/answers.js';
import { pause } from '../work/tasks.js';
import { filesOf, readLexicons, storeLexicons } from './lexicons.js';
import { environmentOf } from './settings.js';

const BIN = fileURLToPath(new URL('../../bin/atid-indexer.js', import.meta.url));
const DENIED = '42501'; // SQLSTATE
const WITHIN = 10; // seconds for the server to answer what it lists,
const TRY_FOR = 30e3; // ms in which it is asked again if it fails
const UP = 'atid-indexer up'; // the lock's name
const LOCK_AGAIN = 5e3; // ms
const REFERENCES = [30e3, 600e3]; // ms until a sample of all references is read, first and later
const LOOK = 2e3; // ms between two looks at the columns without a join,
const SHARE = 50; // but at least so many times as long as a look takes
const LOOK_AGAIN = 60e3; // ms after a failure

const isShared = (nsid) => /^(?:app\.bsky|chat\.bsky|com\.atproto)\./.test(nsid);

// Does the server list the accounts that have records of a collection, as relays do? Then these
// alone are wanted. Only an answer that there is no such method means that it does not. Any other
// failure is tried again for a while, and then thrown.
export async function listsCollections(
  settings,
  nsid,
  ended,
  { tryFor = TRY_FOR, first = 500 } = {},
) {
  const http = new Http({ ...settings, REPO_TIMEOUT: WITHIN });
  const url = `${settings.SERVICE_URL}/xrpc/com.atproto.sync.listReposByCollection?limit=1&collection=${nsid}`;
  const until = Date.now() + tryFor;
  try {
    for (let wait = first; ; wait *= 2) {
      try {
        readListPage(
          await http.get(url, { most: BOUNDS.page, signal: AbortSignal.timeout(WITHIN * 1000) }),
          null,
        );
        return true;
      } catch (e) {
        if (e.absent && e.origin === settings.SERVICE_URL) return false;
        if (Date.now() + wait > until || ended.aborted) throw e;
        log.info(
          `up: the server did not answer whether it lists accounts by collection: ${messageOf(e)}`,
        );
      }
      await pause(wait, ended);
    }
  } finally {
    http.close();
  }
}

// Whether the accounts of these types are wanted by signals. null: the server has not answered, and
// what was wanted before stays.
async function areSignals(db, settings, types, ended) {
  const own = types.filter((t) => !isShared(t));
  if (own.length === 0) return false;
  const there = await db.query("SELECT to_regclass('indexer.want') IS NOT NULL AS there");
  const wanted =
    there.rows[0].there &&
    (
      await db.query(
        `SELECT FROM indexer.want WHERE what <> 'collection'
       AND NOT (value = '*' AND (SELECT count(*) FROM indexer.want) = 2
                AND EXISTS (SELECT FROM indexer.want AS w WHERE (w.what, w.value) = ('collection', '*'))) LIMIT 1`,
      )
    ).rowCount > 0;
  try {
    return await listsCollections(settings, own[0], ended, wanted ? { tryFor: 0 } : {});
  } catch (e) {
    if (wanted || ended.aborted) return null;
    throw new Problem(
      `The server did not answer whether it lists the accounts of a collection: ${messageOf(e)}. Nothing was changed. ` +
        'Run "up" again when it answers, or first say which accounts are wanted: "atid-indexer init", "atid-indexer want".',
    );
  }
}

// The Lexicons in the files. All are checked before anything is made, except the extensions, which
// check them.
async function checkedLexicons(db, files) {
  await db.query('BEGIN');
  try {
    await createExtensions(db);
    const found = await readLexicons(db, files);
    if (found.types.length === 0)
      throw new Problem('None of these Lexicons is of a type of records.');
    await db.query('COMMIT');
    return found;
  } catch (e) {
    await db.query('ROLLBACK').catch(() => {});
    throw e;
  }
}

// At first all is wanted. Then it is what these Lexicons are about; what somebody has added stays.
async function want(db, types, bySignal) {
  const { rowCount } = await db.query(
    `DELETE FROM want WHERE (SELECT count(*) FROM want) = 2
     AND (SELECT count(*) FROM want WHERE (what, value) IN (('account', '*'), ('collection', '*'))) = 2`,
  );
  const own = types.filter((t) => !isShared(t));
  const wants = types.map((t) => ['collection', t]);
  const isNew =
    rowCount > 0 ||
    (await db.query("SELECT FROM want WHERE what <> 'collection' LIMIT 1")).rowCount === 0;
  if (bySignal) wants.push(...own.map((t) => ['signal', t]));
  else if (isNew) wants.push(['account', '*']);
  for (const one of wants)
    await db.query(
      'INSERT INTO want (what, value, by_up) VALUES ($1, $2, true) ON CONFLICT DO NOTHING',
      one,
    );
  if (!bySignal) return isNew ? 'all accounts of the server' : 'the accounts that were';
  const those = `accounts that have ${own.join(' or ')}`;
  return (await takeBackAll(db, own))
    ? `${those}, and all others: "atid-indexer want remove account '*'" ends that`
    : those;
}

// Takes back "account *" if this command has written it because the server did not list accounts by
// collection. The accounts that have records of the signals stay. Returns whether all accounts are
// still wanted.
async function takeBackAll(db, signals) {
  const all = await db.query("SELECT by_up FROM want WHERE (what, value) = ('account', '*')");
  if (all.rowCount === 0 || !all.rows[0].by_up) return all.rowCount > 0;
  await db.query(
    `INSERT INTO want (what, value, because)
     SELECT 'account', r.did::text, min(atid.at_uri_collection(r.uri)::text) FROM record AS r
     WHERE atid.at_uri_collection(r.uri)::text = ANY ($1) GROUP BY r.did ON CONFLICT DO NOTHING`,
    [signals],
  );
  await db.query("DELETE FROM want WHERE (what, value) = ('account', '*')");
  return false;
}

async function makeViews(db, { API_SCHEMA }) {
  const schema = db.escapeIdentifier(API_SCHEMA);
  await ownSchema(db, API_SCHEMA);
  const {
    rows: [{ n }],
  } = await db.query('SELECT make_views($1::regnamespace)::int AS n', [schema]);
  const { rowCount } = await db.query(
    `SELECT CASE WHEN c.name = 'did' AND t.only_key IS NOT NULL THEN make_view_index(t.view, c.name)
                 WHEN c.type = 'atid.did' THEN make_view_index(t.view, c.name, 'sort_at')
                 ELSE make_view_index(t.view, c.name) END
     FROM view_type AS t JOIN view_column AS c USING (view) JOIN pg_class AS v ON v.oid = t.view
     WHERE v.relnamespace = $1::regnamespace AND t.nsid IS NOT NULL
       AND (c.name IN ('did', 'sort_at') AND c.kind = 'own' AND (c.name = 'did' OR t.only_key IS NULL)
            OR c.kind = 'property' AND c.type IN ('atid.did', 'atid.at_uri', 'timestamptz'))`,
    [schema],
  );
  return [n, rowCount];
}

// What the server keeps of a password (RFC 5803): so no log of it has the password.
function verifierOf(password) {
  const [salt, rounds] = [randomBytes(16), 4096];
  const salted = pbkdf2Sync(password, salt, rounds, 32, 'sha256');
  const key = (name) => createHmac('sha256', salted).update(name).digest();
  const stored = createHash('sha256').update(key('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${rounds}:${salt.toString('base64')}$${stored}:${key('Server Key').toString('base64')}`;
}

// Why this role cannot give the login a password. The transaction has failed.
async function alterProblem(db, login, e) {
  await db.query('ROLLBACK');
  const {
    rows: [{ me, name, version }],
  } = await db.query(
    `SELECT quote_ident(current_user) AS me, quote_ident($1) AS name,
      current_setting('server_version_num')::int AS version`,
    [login],
  );
  return new Problem(
    `${e.message}. The role ${me} cannot give the login ${name} a password. Have a superuser run ` +
      (version >= 160000
        ? `"GRANT ${name} TO ${me} WITH ADMIN OPTION", which roles need from PostgreSQL 16 on, and ` +
          'which a dump of an earlier version lacks'
        : `"ALTER ROLE ${me} CREATEROLE"`) +
      '. Or pass the password that the login has as ATID_API_DB_PASSWORD.',
  );
}

// The login that reads the views and nothing else. Its password is API_DB_PASSWORD; a login that
// this command has made gets a new one each time, which only the program knows.
async function makeReader(db, { API_DB_USER, API_DB_PASSWORD, API_SCHEMA }) {
  const [name, schema] = [db.escapeIdentifier(API_DB_USER), db.escapeIdentifier(API_SCHEMA)];
  const there = await db.query(
    "SELECT shobj_description(oid, 'pg_authid') = $2 AS ours FROM pg_roles WHERE rolname = $1",
    [API_DB_USER, OURS],
  );
  let password = API_DB_PASSWORD;
  const isNew = there.rowCount === 0;
  const isAnew = !isNew && there.rows[0].ours && !password;
  if (isNew) {
    await db.query(`CREATE ROLE ${name} LOGIN`).catch((e) => {
      if (e.code !== DENIED) throw e;
      throw new Problem(`${e.message}: this role needs CREATEROLE to create ${API_DB_USER}.`);
    });
    await db.query(`COMMENT ON ROLE ${name} IS ${db.escapeLiteral(OURS)}`);
  }
  if (isAnew) {
    const { rowCount } = await db.query(
      `SELECT FROM pg_shdepend WHERE refclassid = 'pg_authid'::regclass AND refobjid = $1::regrole
       AND dbid NOT IN (0, (SELECT oid FROM pg_database WHERE datname = current_database())) LIMIT 1`,
      [name],
    );
    if (rowCount > 0)
      throw new Problem(
        `The login ${API_DB_USER} reads another database, too: set its password by ALTER ROLE and ` +
          'give it as ATID_API_DB_PASSWORD, or give another ATID_API_DB_USER.',
      );
  }
  if (isNew || isAnew) {
    password ??= randomBytes(24).toString('base64url');
    const verifier = db.escapeLiteral(verifierOf(password));
    await db.query(`ALTER ROLE ${name} PASSWORD ${verifier}`).catch(async (e) => {
      throw e.code === DENIED ? await alterProblem(db, API_DB_USER, e) : e;
    });
  }
  const {
    rows: [{ db: database, me }],
  } = await db.query(
    'SELECT quote_ident(current_database()) AS db, quote_ident(current_user) AS me',
  );
  for (const statement of [
    `REVOKE TEMPORARY ON DATABASE ${database} FROM PUBLIC`,
    `GRANT TEMPORARY ON DATABASE ${database} TO ${me}`,
    `GRANT USAGE ON SCHEMA ${schema} TO ${name}`,
    `GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${name}`,
    `ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT SELECT ON TABLES TO ${name}`,
  ])
    await db.query(statement);
  return password;
}

// All but the programs. Returns the password of the reader, or null.
async function prepare(db, settings, files, say, ended) {
  await refuseOthers(db, 'indexer');
  await refuseOwner(db, settings);
  const { text, types, lines } = await checkedLexicons(db, files);
  const made = await db.query("SELECT to_regclass('indexer.migration') IS NOT NULL AS there");
  const bySignal = await areSignals(db, settings, types, ended);
  if (ended.aborted) return null;
  if (!made.rows[0].there) await install(db, { role: settings.ROLE, fresh: true });
  await checkSchema(db);
  await db.query('BEGIN');
  try {
    await lockSchema(db);
    await db.query('SET LOCAL client_min_messages = warning');
    await db.query('SET LOCAL search_path = indexer, pg_temp');
    lines.push(...(await storeLexicons(db, text)));
    say(`record types    ${types.join(' ')}`);
    lines.forEach(say);
    say(`wanted          ${await want(db, types, bySignal)}`);
    const [views, indexes] = await makeViews(db, settings);
    say(`views, indexes  ${views}, ${indexes} in the schema ${settings.API_SCHEMA}`);
    const password = await makeReader(db, settings);
    say(`reader          ${settings.API_DB_USER}`);
    await db.query('COMMIT');
    return password;
  } catch (e) {
    await db.query('ROLLBACK').catch(() => {});
    throw await ownersProblem(db, e);
  }
}

// Lexicons do not say at which types references point: the records show it. The views then get
// joins.
async function findReferences(db, { API_SCHEMA }, all) {
  await db.query('BEGIN');
  const { rows } = await db.query(`SELECT find_${all ? '' : 'new_'}references()::int AS n`);
  const schema = db.escapeIdentifier(API_SCHEMA);
  if (rows[0].n > 0) await db.query('SELECT comment_views($1::regnamespace)', [schema]);
  await db.query('COMMIT');
  if (rows[0].n > 0) log.info(`up: ${rows[0].n} more references are joins of the views`);
}

// Columns that have no join are looked at every few seconds, and a sample of all references now and
// then.
async function followReferences(settings, signal) {
  let db = null;
  let next = performance.now() + REFERENCES[0];
  let pause = LOOK;
  const paused = () =>
    sleep(pause, undefined, { signal }).then(
      () => true,
      () => false,
    );
  while (await paused()) {
    const began = performance.now();
    const all = began >= next;
    try {
      db ??= await connect('references', ['search_path=indexer,pg_temp']);
      await findReferences(db, settings, all);
      pause = all ? LOOK : Math.max(LOOK, SHARE * (performance.now() - began));
      if (all) next = performance.now() + REFERENCES[1];
    } catch (e) {
      log.error(`up: references: ${messageOf(e)}`);
      await db?.end().catch(() => {});
      [db, pause] = [null, LOOK_AGAIN];
    }
  }
  await db?.end();
}

// A second one would give the reader of the first another password. Where the connection that has
// the lock is lost, it is taken again. Returns what gives it back.
async function alone() {
  let lock = null;
  let timer = null;
  let over = false;
  const take = async () => {
    lock = await connect('up');
    const { rows } = await lock.query('SELECT pg_try_advisory_lock(hashtext($1)) AS ours', [UP]);
    if (!rows[0].ours) {
      const who = await holderOf(lock, UP);
      await lock.end();
      throw new Problem(
        `Another "atid-indexer up" is at work in this database${who}: end it first.`,
      );
    }
    lock.on('end', again);
    if (over) await lock.end();
  };
  const again = () => {
    if (over) return;
    const failed = (e) => {
      log.error(`up: ${messageOf(e)}`);
      again();
    };
    timer = setTimeout(() => take().catch(failed), LOCK_AGAIN);
  };
  await take();
  return async () => {
    over = true;
    clearTimeout(timer);
    await lock.end().catch(() => {});
  };
}

export async function up(lexicons, settings, ended, say) {
  const files = await filesOf(lexicons);
  const release = await alone();
  try {
    const db = await connect('command');
    const password = await prepare(db, settings, files, say, ended).finally(() => db.end());
    return ended.aborted ? 0 : await programs(settings, password, ended);
  } finally {
    await release();
  }
}

// Runs both programs until one ends. Returns their status.
async function programs(settings, password, ended) {
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc']; // the last one tells them when this program is killed
  const values = { ...settings, API_DB_PASSWORD: password };
  const children = ['run', 'api'].map((command) =>
    spawn(process.execPath, [BIN, command], { env: environmentOf(command, values), stdio }),
  );
  // each is told once: a second signal would kill it before it has ended what it does
  const ending = new AbortController();
  const end = () => ending.abort();
  ending.signal.addEventListener('abort', () => children.forEach((child) => child.kill('SIGTERM')));
  ended.addEventListener('abort', end);
  const following = followReferences(settings, ending.signal);
  const over = children.map(
    (child) =>
      new Promise((resolve) =>
        child.on('exit', (code) => resolve(code ?? 1)).on('error', () => resolve(1)),
      ),
  );
  const first = await Promise.race(over);
  end();
  const all = await Promise.all(over);
  await following;
  return ended.aborted ? Math.max(...all) : first || 1;
}
