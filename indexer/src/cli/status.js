// The status: the streams, the accounts by state, and those that are in trouble.
//
// A function that shows something returns { lines, ok }. Texts in the database that may come from
// strangers are cleaned again.
import { intruderOf, lockHolder, REPOSITORIES } from '../db/locks.js';
import { isStandby, rowsOf } from '../db/query.js';
import { clean } from '../protocol/text.js';
import { formatDuration, formatNumber } from './format.js';

/** @typedef {import('pg').Client} Client */

const BAR = 30;
const MOST_TROUBLE = 1000; // rows that are read
const SHOWN = 3; // accounts for each reason

/**
 * @param {Record<string, any>} row
 */
const beganAgain = ({ begun_at: number }) =>
  `the server's numbers have begun again: it is followed from ${number} on, and all accounts ` +
  'are checked';

/**
 * The streams, the accounts by state, the time that a backfill still takes, and the accounts in
 * trouble.
 * @param {Client} db
 */
export async function status(db) {
  const lines = [];
  let healthy = true;
  const streams = await rowsOf(
    db,
    `SELECT name, kind, cursor, commits, refused, extract(epoch FROM lag)::float8 AS lag,
    frame_rate, commit_rate, shards, gap, problem, begun_at,
    to_char(begun, 'YYYY-MM-DD HH24:MI') AS begun, begun > now() - interval '1 day' AS lately
    FROM indexer.status_stream ORDER BY name`,
  );
  if (streams.length === 0) lines.push('No stream was ever followed: start "atid-indexer run".');
  for (const s of streams) {
    lines.push(
      clean(s.name, 300),
      `  lag ${s.lag === null ? 'unknown' : formatDuration(s.lag)}, ` +
        `${formatNumber(s.frame_rate)} frames/s, ${formatNumber(s.commit_rate)} commits/s, ` +
        `cursor ${s.cursor}, ${formatNumber(s.refused)} refused, ${s.shards} ` +
        `${s.shards === '1' ? 'shard' : 'shards'}`,
    );
    if (s.gap) lines.push('  something was missed: all accounts are being checked again');
    if (s.lately) lines.push(`  ${beganAgain(s)} (${s.begun})`);
    if (s.problem !== null) lines.push(`  PROBLEM: ${clean(s.problem, 300)}`);
    const late = await lateActivities(db, s.name);
    lines.push(...late.map((a) => `  PROBLEM: ${clean(a.problem, 1000)}; ${a.remedy}`));
    healthy = healthy && late.length === 0;
  }
  const follower = await followerProblem(db, streams);
  if (follower !== null) lines.push(`  PROBLEM: ${follower}`);
  const accounts = await rowsOf(db, 'SELECT state, n::float8 FROM indexer.status_accounts');
  const all = accounts.reduce((sum, a) => sum + a.n, 0);
  lines.push('', `${formatNumber(all)} accounts`);
  for (const { state, n } of accounts) {
    const part = all > 0 ? n / all : 0;
    lines.push(
      `  ${state.padEnd(14)} ${'#'.repeat(Math.round(part * BAR)).padEnd(BAR, '.')} ` +
        `${formatNumber(n).padStart(13)} ` +
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
      follower === null &&
      streams.every((s) => s.problem === null) &&
      !lists.some((l) => l.long),
  };
}

/**
 * Why no program can follow the repositories, or that none does; null: one does, or none ever did.
 * @param {Client} db
 * @param {Record<string, any>[]} streams
 */
async function followerProblem(db, streams) {
  const holder = await lockHolder(db, REPOSITORIES);
  if (holder || !streams.some((s) => s.kind === 'repos')) return intruderOf(holder);
  if (await isStandby(db)) return null;
  return 'no program follows the repositories: start "atid-indexer run"';
}

/**
 * The lists that fail: the text about each, and whether it has failed for longer than /healthz
 * allows.
 * @param {Client} db
 */
export async function listProblems(db) {
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

/**
 * The activities of a stream that give no sign of life, or fail for too long.
 * @param {Client} db
 * @param {string} stream
 */
const lateActivities = (db, stream) =>
  rowsOf(
    db,
    'SELECT problem, remedy FROM indexer.status_activity WHERE stream = $1 AND problem IS NOT ' +
      'NULL ORDER BY place, activity',
    [stream],
  );

/**
 * The rate of loads and the time left, from the samples of the last quarter of an hour.
 * @param {Client} db
 */
async function backfill(db) {
  const [s] = await rowsOf(
    db,
    `SELECT l.behind::float8, (l.loads - f.loads)::float8 AS loads,
      (f.behind - l.behind)::float8 AS less,
      extract(epoch FROM l.at - f.at)::float8 AS seconds
    FROM (SELECT * FROM indexer.sample ORDER BY at DESC LIMIT 1) AS l
         CROSS JOIN (SELECT * FROM indexer.sample WHERE at > now() - interval '15 minutes'
                     ORDER BY at LIMIT 1) AS f
    WHERE l.at > f.at`,
  );
  if (!s || s.behind === 0) return [];
  const left = s.less > 0 ? `, ${formatDuration((s.behind * s.seconds) / s.less)} left` : '';
  return [
    '',
    `${formatNumber(s.behind)} accounts to identify and load, ` +
      `${formatNumber(s.loads / s.seconds)}/s${left}`,
  ];
}

/**
 * The servers whose commits lack "prevData".
 * @param {Client} db
 */
async function unproven(db) {
  const hosts = await rowsOf(
    db,
    'SELECT host, commits, count(*) OVER () AS n FROM indexer.unproven_hosts(10000)',
  );
  if (hosts.length === 0) return [];
  const most = hosts.slice(0, SHOWN).map((h) => `${clean(h.host)} (${formatNumber(h.commits)})`);
  return [
    '',
    `Commits without prevData come from ${formatNumber(hosts[0].n)} servers: ${most.join(', ')}`,
  ];
}

/**
 * @param {Client} db
 */
async function troubles(db) {
  const rows = await rowsOf(
    db,
    `SELECT did::text, handle, host, why, detail, remedy,
      to_char(next, 'YYYY-MM-DD HH24:MI') AS next
    FROM indexer.list_troubles(${MOST_TROUBLE})`,
  );
  if (rows.length === 0) return ['No account is in trouble.'];
  const count = rows.length < MOST_TROUBLE ? rows.length : `${MOST_TROUBLE} or more`;
  const heading = rows.length === 1 ? '1 account is' : `${count} accounts are`;
  const reasons = [...new Set(rows.map((r) => r.why))].map((why) => [
    why,
    rows.filter((r) => r.why === why),
  ]);
  return [
    `${heading} in trouble:`,
    ...reasons
      .sort((a, b) => b[1].length - a[1].length)
      .flatMap(([why, of]) => [
        `  ${clean(why)}: ${of.length}; ${clean(of[0].remedy)}`,
        ...of
          .slice(0, SHOWN)
          .map(
            (/** @type {any} */ r) =>
              `    ${clean(r.did, 100)}${r.handle ? ` ${clean(r.handle)}` : ''}` +
              `${r.host ? ` at ${clean(r.host)}` : ''}` +
              `${r.detail ? `: ${clean(r.detail, 120)}` : ''}${r.next ? ` (again ${r.next})` : ''}`,
          ),
      ]),
    '"atid-indexer explain DID" shows more about one of them.',
  ];
}
