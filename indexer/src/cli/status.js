// What the command line shows: how it goes, why an account is there or not, and whether records are
// what was signed.
//
// Each function returns { lines, ok }. Texts of the database that strangers have had a part in are
// cleaned once more.
import { readFile } from 'node:fs/promises';
import { Problem } from '../db/errors.js';
import { intruderOf, lockHolder, REPOSITORIES } from '../db/locks.js';
import { Http } from '../net/http.js';
import { isDid } from '../protocol/answers.js';
import { parseJson } from '../protocol/json.js';
import { clean } from '../protocol/text.js';
import { METHODS } from '../work/identities.js';
import { filesOf, missingLines, nsids, readLexicons, storeLexicons } from './lexicons.js';

const BAR = 30;
const MOST_TROUBLE = 1000; // rows that are looked at
const SHOWN = 3; // accounts for each reason
const AN_HOUR = 3600;

const number = (n) =>
  Number(n).toLocaleString('en-US', { maximumFractionDigits: Number(n) < 10 ? 1 : 0 });
const duration = (seconds) =>
  seconds < 1
    ? '0 s'
    : seconds < 120
      ? `${Math.round(seconds)} s`
      : seconds < 2 * AN_HOUR
        ? `${Math.round(seconds / 60)} min`
        : seconds < 48 * AN_HOUR
          ? `${(seconds / AN_HOUR).toFixed(1)} h`
          : `${Math.round(seconds / 24 / AN_HOUR)} days`;
export const beganAgain = ({ begun_at: number }) =>
  `the server's numbers have begun again: it is followed from ${number} on, and all accounts are looked at`;
const rowsOf = async (db, text, values) => (await db.query(text, values)).rows;

// The streams, accounts by state, how long a backfill still takes, and who is in trouble.
export async function status(db) {
  const lines = [];
  let healthy = true;
  const streams = await rowsOf(
    db,
    `SELECT name, cursor, commits, refused, extract(epoch FROM lag)::float8 AS lag,
    frame_rate, commit_rate, takers, gap, problem, begun_at,
    to_char(begun, 'YYYY-MM-DD HH24:MI') AS begun, begun > now() - interval '1 day' AS lately
    FROM indexer.status_stream ORDER BY name`,
  );
  if (streams.length === 0) lines.push('No stream was ever followed: start "atid-indexer run".');
  for (const s of streams) {
    lines.push(
      clean(s.name, 300),
      `  lag ${s.lag === null ? 'unknown' : duration(s.lag)}, ` +
        `${number(s.frame_rate)} frames/s, ${number(s.commit_rate)} commits/s, ` +
        `cursor ${s.cursor}, ${number(s.refused)} refused, ${s.takers} ${s.takers === '1' ? 'taker' : 'takers'}`,
    );
    if (s.gap) lines.push('  something was missed: all accounts are being looked at again');
    if (s.lately) lines.push(`  ${beganAgain(s)} (${s.begun})`);
    if (s.problem !== null) lines.push(`  PROBLEM: ${clean(s.problem, 300)}`);
    const late = await lateActivities(db, s.name);
    lines.push(...late.map((a) => `  PROBLEM: ${clean(a.problem, 1000)}; ${a.remedy}`));
    healthy = healthy && late.length === 0;
  }
  const intruder = intruderOf(await lockHolder(db, REPOSITORIES));
  if (intruder !== null) lines.push(`  PROBLEM: ${intruder}`);
  const accounts = await rowsOf(db, 'SELECT state, n::float8 FROM indexer.status_accounts');
  const all = accounts.reduce((sum, a) => sum + a.n, 0);
  lines.push('', `${number(all)} accounts`);
  for (const { state, n } of accounts) {
    const part = all > 0 ? n / all : 0;
    lines.push(
      `  ${state.padEnd(14)} ${'#'.repeat(Math.round(part * BAR)).padEnd(BAR, '.')} ${number(n).padStart(13)} ` +
        `${(100 * part).toFixed(1).padStart(6)} %`,
    );
  }
  lines.push(...(await backfill(db)));
  const lists = await listProblems(db);
  if (lists.length > 0)
    lines.push('', 'Lists of accounts that cannot be read:', ...lists.map((l) => `  ${l.text}`));
  lines.push(...(await unproven(db)));
  lines.push('', ...(await troubles(db)));
  return {
    lines,
    ok:
      healthy &&
      intruder === null &&
      streams.every((s) => s.problem === null) &&
      !lists.some((l) => l.long),
  };
}

// The lists that fail, what each says, and whether it has failed for as long as /healthz allows.
async function listProblems(db) {
  const rows = await rowsOf(
    db,
    `SELECT what, value, why, detail, remedy, since <= now() - interval '1 hour' AS long,
      to_char(since, 'YYYY-MM-DD HH24:MI') AS since, to_char(next, 'YYYY-MM-DD HH24:MI:SS') AS next
    FROM indexer.list_problems ORDER BY what, value LIMIT 1000`,
  );
  return rows.map((r) => {
    const problem = `${clean(r.why)}${r.detail ? `: ${clean(r.detail, 300)}` : ''}`;
    const said = `${problem}, since ${r.since}, again at ${r.next}; ${clean(r.remedy, 300)}`;
    return { ...r, said, text: `${r.what} ${clean(r.value, 512)}: ${said}` };
  });
}

// The activities of a stream that give no sign of life, or fail for too long.
const lateActivities = (db, stream) =>
  rowsOf(
    db,
    'SELECT problem, remedy FROM indexer.status_activity WHERE stream = $1 AND problem IS NOT NULL ORDER BY place, activity',
    [stream],
  );

// The rate of loads and the time left, by the samples of the last quarter of an hour.
async function backfill(db) {
  const [s] = await rowsOf(
    db,
    `SELECT l.behind::float8, (l.loads - f.loads)::float8 AS loads, (f.behind - l.behind)::float8 AS less,
      extract(epoch FROM l.at - f.at)::float8 AS seconds
    FROM (SELECT * FROM indexer.sample ORDER BY at DESC LIMIT 1) AS l
         CROSS JOIN (SELECT * FROM indexer.sample WHERE at > now() - interval '15 minutes' ORDER BY at LIMIT 1) AS f
    WHERE l.at > f.at`,
  );
  if (!s || s.behind === 0) return [];
  const left = s.less > 0 ? `, ${duration((s.behind * s.seconds) / s.less)} left` : '';
  return [
    '',
    `${number(s.behind)} accounts to identify and load, ${number(s.loads / s.seconds)}/s${left}`,
  ];
}

// The servers whose commits lack "prevData".
async function unproven(db) {
  const hosts = await rowsOf(
    db,
    'SELECT host, commits, count(*) OVER () AS n FROM indexer.unproven_hosts(10000)',
  );
  if (hosts.length === 0) return [];
  const most = hosts.slice(0, SHOWN).map((h) => `${clean(h.host)} (${number(h.commits)})`);
  return [
    '',
    `Commits without prevData come from ${number(hosts[0].n)} servers: ${most.join(', ')}`,
  ];
}

async function troubles(db) {
  const rows = await rowsOf(
    db,
    `SELECT did::text, handle, host, why, detail, to_char(next, 'YYYY-MM-DD HH24:MI') AS next, remedy
    FROM indexer.troubles(${MOST_TROUBLE})`,
  );
  if (rows.length === 0) return ['No account is in trouble.'];
  const reasons = [...new Set(rows.map((r) => r.why))].map((why) => [
    why,
    rows.filter((r) => r.why === why),
  ]);
  return [
    `${rows.length < MOST_TROUBLE ? rows.length : `${MOST_TROUBLE} or more`} accounts are in trouble:`,
    ...reasons
      .sort((a, b) => b[1].length - a[1].length)
      .flatMap(([why, of]) => [
        `  ${clean(why)}: ${of.length}; ${clean(of[0].remedy)}`,
        ...of
          .slice(0, SHOWN)
          .map(
            (r) =>
              `    ${clean(r.did, 100)}${r.handle ? ` ${clean(r.handle)}` : ''}` +
              `${r.host ? ` at ${clean(r.host)}` : ''}` +
              `${r.detail ? `: ${clean(r.detail, 120)}` : ''}${r.next ? ` (again ${r.next})` : ''}`,
          ),
      ]),
    '"atid-indexer explain DID" says more of one.',
  ];
}

export async function explain(db, did) {
  const rows = await rowsOf(db, 'SELECT what, value FROM indexer.explain($1)', [did]);
  const width = Math.max(...rows.map((r) => r.what.length));
  return { lines: rows.map((r) => `${r.what.padEnd(width)}  ${clean(r.value, 300)}`), ok: true };
}

// Are the records of an account those of the tree whose root it has signed?
export async function check(db, did) {
  await db.query('BEGIN ISOLATION LEVEL REPEATABLE READ'); // the program writes meanwhile
  const [a] = await rowsOf(
    db,
    `SELECT state, rev::text, data::text,
      EXISTS (SELECT FROM indexer.want WHERE what = 'collection' AND value = '*') AS whole
    FROM indexer.account WHERE did = $1`,
    [did],
  );
  if (!a) throw new Problem(`${did} is not here. "atid-indexer explain ${did}" says why.`);
  if (!a.whole)
    throw new Problem(
      'Not all collections are wanted, so the records are not the whole tree that was signed.',
    );
  if (a.data === null) throw new Problem(`${did} was never loaded: it is ${a.state}.`);
  const [t] = await rowsOf(
    db,
    `SELECT count(*)::int AS n,
      atid.mst_root(atid.at_uri_path(uri), cid ORDER BY atid.at_uri_path(uri) COLLATE "C")::text AS root
    FROM indexer.record WHERE did = $1 AND uri <@ atid.at_uri_make($1::atid.did)`,
    [did],
  );
  const ok = t.root === a.data;
  return {
    lines: [
      `${number(t.n)} records, of revision ${a.rev}; ${a.state}`,
      `root of the records  ${t.root}`,
      `root that is signed  ${a.data}`,
      ok ? 'They are the same.' : 'They differ. "atid-indexer reload" loads the account again.',
    ],
    ok,
  };
}

// A CAR: is it whole, who has signed it, how many records does it have, and which blobs do they
// name?
export async function verify(db, file, did, key, settings) {
  const car = await readFile(file).catch((e) => {
    throw new Problem(`${file}: ${e.code === 'ENOENT' ? 'there is no such file' : e.message}`);
  });
  if (did !== undefined && !isDid(did)) throw new Problem(`${did} is not a DID.`);
  const [{ problem }] = await rowsOf(db, 'SELECT atid.repo_problem($1) AS problem', [car]);
  if (problem !== null)
    return { lines: [`It is not a whole repository: ${clean(problem, 500)}`], ok: false };
  const [commit] = await rowsOf(
    db,
    'SELECT did::text, rev::text, atid.tid_timestamp(rev)::text AS at, cid::text, block FROM atid.repo_commit($1)',
    [car],
  );
  const collections = await rowsOf(
    db,
    `SELECT collection, count(*)::int AS n, count(*) FILTER (WHERE NOT atid.dag_cbor_is_valid(block))::int AS bad
    FROM atid.repo_records($1) GROUP BY 1 ORDER BY 1`,
    [car],
  );
  const blobs = await rowsOf(
    db,
    `SELECT DISTINCT b.cid::text AS cid FROM atid.repo_records($1) AS r
    CROSS JOIN atid.dag_cbor_blobs(CASE WHEN atid.dag_cbor_is_valid(r.block) THEN r.block END) AS b ORDER BY 1`,
    [car],
  );
  const lines = [
    `account   ${commit.did}`,
    `revision  ${commit.rev ?? 'none'}${commit.at ? `, ${commit.at}` : ''}`,
    `commit    ${commit.cid}`,
    'whole     yes: all nodes and records are there, and have the hashes of their CIDs',
    `records   ${number(collections.reduce((sum, c) => sum + c.n, 0))}`,
    ...collections.map(
      (c) =>
        `  ${clean(c.collection, 317)}  ${number(c.n)}${c.bad > 0 ? `, ${number(c.bad)} not DAG-CBOR` : ''}`,
    ),
    `blobs     ${number(blobs.length)}`,
    ...blobs.map((b) => `  ${clean(b.cid, 100)}`),
  ];
  if (did !== undefined && did !== commit.did)
    return { lines: [...lines, `signed    it is not the repository of ${did}`], ok: false };
  const keys = key
    ? [{ key, now: true, of: 'the key that was given' }]
    : await keysOf(db, commit.did, settings);
  for (const k of keys) {
    const [{ signed }] = await rowsOf(db, 'SELECT atid.commit_is_signed_by($1, $2, $3) AS signed', [
      commit.block,
      commit.did,
      k.key,
    ]);
    if (signed)
      return { lines: [...lines, `signed    by ${clean(k.key, 200)}, ${k.of}`], ok: k.now };
  }
  return {
    lines: [
      ...lines,
      keys.length > 0
        ? 'signed    NOT by a key that the account has or had'
        : 'signed    unknown: no key of the account is known; --key gives one',
    ],
    ok: false,
  };
}

// The keys that an account has and had, as this database knows them, or else the directory.
async function keysOf(db, did, settings) {
  // "verify" needs no schema: what somebody else has put there (a view, a cast, an index with a
  // function) must not run with our rights, so it is read only if it belongs to whoever runs this,
  // to a superuser, or to the database's owner.
  const [{ there }] = await rowsOf(
    db,
    `WITH trusted AS (SELECT oid FROM pg_roles WHERE rolname = current_user OR rolsuper
                      UNION SELECT datdba FROM pg_database WHERE datname = current_database())
     SELECT EXISTS (SELECT FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace
                    WHERE c.oid = to_regclass('indexer.identity') AND has_table_privilege(c.oid, 'SELECT')
                      AND relowner IN (TABLE trusted) AND nspowner IN (TABLE trusted)) AS there`,
  );
  const [known] = there
    ? await rowsOf(db, 'SELECT key, log::text FROM indexer.identity WHERE did = $1', [did])
    : [];
  let log = known?.log ?? null;
  if (!known?.key && did.startsWith('did:plc:')) {
    const http = new Http({ ...settings, MIN_DOWNLOAD_RATE: 0 });
    const { url, most, read } = METHODS.plc;
    const answer = await http
      .get(url(did, settings), { most, signal: new AbortController().signal })
      .catch(() => null);
    http.close();
    log = answer && read(answer);
    if (log && parseJson(Buffer.from(log))[0]?.did !== did) log = null;
  }
  if (log === null)
    return known?.key ? [{ key: known.key, now: true, of: 'the key of the account' }] : [];
  const keys = await rowsOf(
    db,
    `SELECT key, valid_to IS NULL AS now, valid_from::text AS since, valid_to::text AS until FROM atid.plc_log_keys($1)
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

// Lexicons, by which records are judged when they are written, and what they lack.
export async function lexicons(db) {
  const there = await nsids(db);
  const lines = there.length > 0 ? there.map((nsid) => clean(nsid, 317)) : ['There are none.'];
  return { lines: [...lines, ...(await missingLines(db))], ok: true };
}

// Stores the Lexicons in files or folders: all, or none.
export async function addLexicons(db, paths) {
  const files = (await Promise.all(paths.map(filesOf))).flat();
  await db.query('BEGIN');
  const { text, lines } = await readLexicons(db, files);
  const more = await storeLexicons(db, text);
  await db.query('COMMIT');
  const there = (await nsids(db)).map((nsid) => clean(nsid, 317));
  return { lines: [...there, ...lines, ...more], ok: true };
}

// The wanted collections of which no Lexicon is here.
async function withoutLexicon(db) {
  const rows = await rowsOf(
    db,
    `SELECT w.value FROM indexer.want AS w
    WHERE w.what = 'collection' AND w.value <> '*' AND NOT EXISTS (
      SELECT FROM indexer.lexicons AS l CROSS JOIN unnest(atid.lexicon_nsids(l.lexicons)::text[]) AS n
      WHERE n LIKE replace(w.value, '*', '%')) LIMIT 10000`,
  );
  return new Set(rows.map((r) => r.value));
}

export async function wants(db) {
  const rows = await rowsOf(
    db,
    `SELECT what, value, because, listed, refused FROM indexer.want
    WHERE because IS NULL ORDER BY what, value LIMIT 10000`,
  );
  const [{ n }] = await rowsOf(
    db,
    `SELECT count(*)::int AS n FROM (SELECT FROM indexer.want WHERE because IS NOT NULL LIMIT 100000) AS w`,
  );
  const unnamed = await withoutLexicon(db);
  const failing = new Map((await listProblems(db)).map((l) => [`${l.what} ${l.value}`, l.said]));
  const of = (r) => {
    if (r.what === 'collection') return unnamed.has(r.value) ? '  no Lexicon: no view' : '';
    if (r.what === 'account' && r.value !== '*') return '';
    if (r.listed === null) return '  listed';
    const why = failing.get(`${r.what} ${r.value}`);
    if (why !== undefined) return `  cannot be read: ${why}`;
    return r.refused
      ? '  the server has no such list: its accounts are asked one by one'
      : '  being listed';
  };
  return {
    lines: [
      ...rows.map((r) => `${r.what.padEnd(10)} ${clean(r.value, 512)}${of(r)}`),
      ...(n > 0
        ? [`and ${n < 1e5 ? number(n) : '100,000 or more'} accounts that have a signal`]
        : []),
    ],
    ok: true,
  };
}

export async function want(db, what, value) {
  try {
    // an account that a signal has found is wanted now whatever signals it has
    await db.query(
      `INSERT INTO indexer.want (what, value) VALUES ($1, $2)
      ON CONFLICT (what, value) DO UPDATE SET because = NULL, by_up = false`,
      [what, value],
    );
  } catch (e) {
    if (e.code === '23514') {
      throw new Problem(
        'It is: want add account DID, want add collection NSID (or com.example.*), want add signal NSID; ' +
          'or "*" for all accounts or collections.',
      );
    }
    throw e;
  }
  return wants(db);
}

export async function unwant(db, what, value) {
  const { rowCount } = await db.query('DELETE FROM indexer.want WHERE what = $1 AND value = $2', [
    what,
    value,
  ]);
  if (rowCount === 0)
    throw new Problem(`${what} ${value} is not wanted. "atid-indexer want list" shows what is.`);
  return wants(db);
}
