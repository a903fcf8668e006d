// One run: the lock, the stream and its takers, and the workers. Whatever ends it, the next one
// begins from the cursors that the database has: these are in the transactions that have the rows.
//
// The stream ends more often than the run does: then it is connected again, once its takers have
// taken what came, and the workers do not notice.
import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { streamName, STREAMS } from '../cli/settings.js';
import { beganAgain } from '../cli/status.js';
import { byteaArray } from '../db/bytea-array.js';
import { connect } from '../db/connection.js';
import { fatal, isLost, isOfProgram, isOfServer, lostConnection, messageOf, Problem } from '../db/errors.js';
import { intruderOf, lockHolder, nameOf, REPOSITORIES } from '../db/locks.js';
import { Pool } from '../db/pool.js';
import { checkSchema } from '../db/schema.js';
import { Http } from '../net/http.js';
import { Service } from '../net/service.js';
import { openStream } from '../net/stream.js';
import { Figures } from '../ops/figures.js';
import * as log from '../ops/log.js';
import { createServer } from '../ops/metrics.js';
import { Signs, WITHIN } from '../ops/signs.js';
import { isDid, retryAfter } from '../protocol/answers.js';
import { Failure } from '../protocol/failure.js';
import { routeOf } from '../protocol/frame.js';
import { clean } from '../protocol/text.js';
import { MOST_FRAMES, ShardQueues } from './shard-queues.js';
import { endUnforeseen, IDLE, pause, persist, steady } from './tasks.js';
import { Workers } from './workers.js';

const LOCK = 'SELECT pg_try_advisory_lock(hashtext($1)) AS ours';
const LOCK_AGAIN = 5e3;
const STANDBY_AGAIN = 5e3;
const SAME_SCHEMA = 5e3;
const COMPARE = 60e3; // ms between two comparisons of the clocks
const CLOCK_WITHIN = 10e3; // ms
const CLOCKS_DIFFER = 60; // s, as status_stream has it
const HEALTH = 2e3;
const LONGEST = 30e3; // ms of a back-off
const LONGEST_ASKED = 300e3; // ms that a server may have us wait
const TRIES = 5; // of a frame that take() cannot take
const FINISH = 10e3; // ms for the work of a run to end once it is told to; then it is left to the server
const CLOSE = 5e3; // ms for its connections to end after that

const SAME_LINE = 300e3; // ms until a line of progress is shown although nothing has changed

export const run = (settings, ended) => runs(settings, ended, oneRun);

// Counts the frames behind a cursor, without a database.
export const countFrames = (settings, ended) => runs(settings, ended, countOnce);

async function runs(settings, ended, work) {
  const total = { frames: 0, applied: 0, refused: 0, lag: null, loaded: 0 };
  const show = progress(total);
  let isFatal = false;
  const timer = setInterval(show, settings.PROGRESS_INTERVAL * 1000);
  const broken = new AbortController(); // by what nobody has foreseen
  const over = AbortSignal.any([ended, broken.signal]);
  const stop = endUnforeseen(broken, FINISH + 2 * CLOSE);
  const figures = new Figures();
  const server = settings.METRICS_PORT ? createServer(settings, figures) : null;
  try {
    for (let wait = 500; !over.aborted; wait = Math.min(2 * wait, LONGEST)) {
      const before = total.frames + total.loaded;
      let after = 0;
      try {
        await work(settings, over, total, figures);
      } catch (e) {
        if (!over.aborted || e instanceof Late) log.error(whose(e, settings));
        isFatal = e instanceof Problem && e.fatal === true;
        if (isFatal || (over.aborted && e instanceof Late)) return 1;
        if (e instanceof Failure) after = Math.min((e.retryAfter ?? 0) * 1000, LONGEST_ASKED);
      }
      if (total.frames + total.loaded > before) wait = 500;
      await pause(Math.max(wait, after), over);
    }
    return broken.signal.aborted ? 1 : 0;
  } finally {
    clearInterval(timer);
    stop();
    server?.close();
    figures.end();
    if (!isFatal) show(true);
  }
}

// An error with the name of the setting of the server whose it is.
function whose(e, { SERVICE_URL, PLC_URL }) {
  const names = { [PLC_URL ?? '']: 'ATID_PLC_URL ', [SERVICE_URL]: 'ATID_SERVICE_URL ' };
  const name = names[e.origin] ?? '';
  return `${e instanceof Failure ? name : ''}${messageOf(e)}`;
}

// A line is shown when something has changed; otherwise after SAME_LINE, or if it must be.
function progress(total) {
  let before = { at: Date.now(), frames: 0 };
  let shown = { at: Date.now(), text: '' };
  return (must = false) => {
    const now = Date.now();
    const rate = Math.round(((total.frames - before.frames) * 1000) / Math.max(1, now - before.at));
    before = { at: now, frames: total.frames };
    const text =
      `events ${total.frames}, ${rate}/s, lag ${total.lag?.toFixed(1) ?? '-'} s, commits ${total.applied}, ` +
      `refused ${total.refused}, accounts loaded ${total.loaded}`;
    if (must !== true && text === shown.text && now - shown.at < SAME_LINE) return;
    shown = { at: now, text };
    log.info(text);
  };
}

class Late extends Error {}

// Waits for work, but no longer than that after the signal: a server that hangs, or a lock that
// somebody holds, must not keep the program from ending. What a statement does then is done or not,
// as when the program is killed.
async function within(ms, signal, work) {
  let timer;
  let begin;
  const late = new Promise((resolve, reject) => {
    begin = () => {
      timer = setTimeout(
        () =>
          reject(
            new Late(
              `not ended after ${ms / 1000} s: the database does not answer, and is left alone`,
            ),
          ),
        ms,
      );
    };
    signal.addEventListener('abort', begin);
    if (signal.aborted) begin();
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', begin);
  }
}

async function oneRun(settings, ended, total, figures) {
  const { STREAM_KIND, DB_WRITERS, STREAM_SHARDS } = settings;
  const labels = STREAM_KIND === 'labels';
  const name = streamName(settings);
  const takers = labels ? 1 : STREAM_SHARDS;
  const over = new AbortController();
  const { signal } = over;
  setMaxListeners(0, signal); // each request is one
  let why = null;
  const lost = (e) => {
    why ??= e;
    over.abort();
  };
  const end = () => over.abort();

  const lock = await within(FINISH, ended, connect('lock'));
  const pools = {
    take: new Pool('take', takers),
    loads: new Pool('load', DB_WRITERS),
    answers: new Pool('answer', DB_WRITERS),
    small: new Pool('ask', 3),
    own: new Pool('tidy', 2),
    signs: new Pool('signs', 1, [`statement_timeout=${WITHIN}`]),
  };
  const http = new Http(settings);
  ended.addEventListener('abort', end);
  const body = async () => {
    ended.throwIfAborted();
    await promoted(lock, ended);
    await checkSchema(lock);
    if (!labels) await locked(lock, REPOSITORIES, ended);
    await locked(lock, name, ended); // 1.3.0 takes no other
    lock.on('end', () => lost(lostConnection('the connection that holds the lock is lost')));
    const stream = { listening: false, end: null };
    const service = new Service({ settings, http, signal });
    const listening = () => stream.listening;
    const signs = new Signs();
    const workers = new Workers({
      settings,
      service,
      pools,
      http,
      signal,
      lost,
      total,
      listening,
      signs,
    });
    const pds = labels ? null : await service.ownNames();
    if (!labels) await mayReplace(lock, name, pds, settings);
    await lock.query('SELECT indexer.start($1, $2, $3, $4)', [
      name,
      labels ? 'labels' : 'repos',
      pds,
      takers,
    ]);
    const [{ begun }] = (
      await lock.query('SELECT begun::text FROM indexer.stream WHERE name = $1', [name])
    ).rows;
    const queues = new ShardQueues(takers);
    figures.run = { queues, workers };
    const all = [
      ...Array.from({ length: takers }, (_, taker) =>
        takes({
          name,
          taker,
          takers,
          queues,
          pools,
          signal,
          total,
          stream,
          sign: signs.of(`taker ${taker}`),
        }),
      ),
      compareClocks(name, pools.small, signal),
      follow({ name, settings, labels, queues, pools, signal, stream }),
      workers.run(labels),
      signs.run(name, pools.signs, signal),
      sameSchema(lock, signal),
      reportHealth({ name, begun, pools, signal }),
    ].map((work) => work.catch(lost));
    await Promise.all(all);
    if (why) throw why;
  };
  let late = false;
  try {
    await within(FINISH, signal, body());
  } catch (e) {
    late = e instanceof Late;
    throw late && why ? why : e;
  } finally {
    figures.run = null;
    ended.removeEventListener('abort', end);
    over.abort();
    http.close();
    const closed = Promise.allSettled([lock, ...Object.values(pools)].map((c) => c.end()));
    if (!late) await Promise.race([closed, pause(CLOSE)]);
  }
}

// An upgrade of the schema ends a run of another version: its statements are not for these
// functions.
async function sameSchema(lock, signal) {
  for (; !signal.aborted; await pause(SAME_SCHEMA, signal)) await checkSchema(lock);
}

// The program's clock and the database server's, compared at the start and then once a minute. An
// answer that took long shows nothing. What a difference means, the database decides.
async function compareClocks(name, pool, signal) {
  let differed = false;
  await steady(
    'clock',
    signal,
    async () => {
      const asked = Date.now();
      const { at } = await pool.row('SELECT extract(epoch FROM clock_timestamp())::float8 AS at');
      const answered = Date.now();
      if (Math.abs(answered - asked) > CLOCK_WITHIN) return false;
      const ahead = at - (asked + answered) / 2000;
      await pool.row('SELECT indexer.compared($1, $2)', [name, ahead]);
      const differs = Math.abs(ahead) > CLOCKS_DIFFER;
      if (differs && !differed)
        log.error(
          `the database server's clock is ${Math.abs(ahead).toFixed(0)} s ${ahead < 0 ? 'behind' : 'ahead of'} the program's`,
        );
      if (!differs && differed)
        log.info("the database server's clock is that of the program again");
      differed = differs;
      return false;
    },
    COMPARE,
  );
}

// Nothing can be written to a standby: waits until it is promoted.
async function promoted(lock, ended) {
  const asks = 'SELECT pg_is_in_recovery() AS standby';
  for (let first = true; (await lock.query(asks)).rows[0].standby; first = false) {
    if (first)
      log.info(
        'this is a standby, to which nothing can be written: waiting until it is promoted. PGHOST and PGPORT say where ' +
          'the primary is',
      );
    await pause(STANDBY_AGAIN, ended);
    ended.throwIfAborted();
  }
}

// What /healthz and status show is in the log, too, when it changes.
async function reportHealth({ name, begun, pools, signal }) {
  let before = { problem: null, begun };
  await steady('health', signal, async () => {
    await pause(HEALTH, signal);
    if (signal.aborted) return true;
    const now = await pools.small.row(
      'SELECT problem, begun::text, begun_at FROM indexer.status_stream WHERE name = $1',
      [name],
    );
    if (now.begun !== before.begun) log.error(beganAgain(now));
    // (the numbers in it may change)
    const same = (a, b) => a?.replace(/\d+/g, '') === b?.replace(/\d+/g, '');
    if (!same(now.problem, before.problem))
      log.error(
        now.problem === null
          ? 'the stream is healthy again'
          : `PROBLEM: ${clean(now.problem, 500)}`,
      );
    before = now;
    return true;
  });
}

// One program follows a stream, and one only a stream of repositories; others wait until it ends.
async function locked(lock, name, ended) {
  for (let said = null; !(await lock.query(LOCK, [name])).rows[0].ours;) {
    const who = await holder(lock, name);
    if (who !== said) log.info(`${who}: waiting until it ends`);
    said = who;
    await pause(LOCK_AGAIN, ended);
    ended.throwIfAborted();
  }
}

// A PDS that does not have the accounts which are here is followed only if REPLACED_SERVICE_URL
// names the server that has them: these accounts would be barred.
async function mayReplace(lock, name, pds, settings) {
  const { SERVICE_URL, REPLACED_SERVICE_URL } = settings;
  const { old } = (await lock.query('SELECT indexer.would_bar($1, $2) AS old', [name, pds]))
    .rows[0];
  const replaced = streamName({ ...settings, SERVICE_URL: REPLACED_SERVICE_URL });
  if (old === null || old === replaced) return;
  const service = clean(old.split(' ', 1)[0], 300);
  throw fatal(
    `This database follows ${service}${service === SERVICE_URL ? ' by more names, or as a relay' : ''}. ${SERVICE_URL}, a PDS ` +
      `of the names ${clean(pds.join(', '), 300)}, does not have all of its accounts: the others would be barred, and ` +
      'their records deleted. If this is wanted, set ATID_REPLACED_SERVICE_URL to the server that is ' +
      'followed now. If it is the same server by another name, set ATID_SERVICE_ALIASES.',
  );
}

// Who has the lock, and what is followed by that program. Any role can take it, as a lock has only
// a number: a role that cannot do the program's work is named as such, with what ends it.
async function holder(lock, name) {
  const who = await lockHolder(lock, name);
  const intruder = intruderOf(who);
  if (intruder !== null) return intruder;
  const streams = await lock.query(
    "SELECT name FROM indexer.stream WHERE kind = 'repos' ORDER BY started DESC LIMIT 1",
  );
  const of = name === REPOSITORIES ? streams.rows[0]?.name : name;
  return `another consumer is at work${of ? ` on ${clean(of, 500)}` : ''}${nameOf(who)}`;
}

const streamUrl = ({ SERVICE_URL, STREAM_KIND }) =>
  `${SERVICE_URL.replace(/^http/, 'ws')}/xrpc/${STREAMS[STREAM_KIND]}`;

// Connects to the stream, and again whenever it ends; from the cursors that the database has, so
// not before all that came is taken. What comes is not taken before the database knows the first
// number, which may tell of a gap.
async function follow({ name, settings, labels, queues, pools, signal, stream }) {
  const base = streamUrl(settings);
  let wait = 500;
  await steady('the stream', signal, async () => {
    const { cursor } = await pools.small.row(
      'SELECT min(cursor)::text AS cursor FROM indexer.taker WHERE stream = $1',
      [name],
    );
    const connection = new AbortController();
    const end = () => connection.abort();
    signal.addEventListener('abort', end);
    if (signal.aborted) end(); // while the cursor was asked for
    stream.end = end;
    let first = null;
    let unknown = null; // why the database does not know the first number
    queues.close();
    let missed = null;
    const tell = (seq) => () =>
      pools.small.row('SELECT indexer.connected($1, $2, $3)', [name, cursor, seq]);
    const fail = (e) => {
      unknown = e;
      end();
    };
    const number = async (seq) => {
      try {
        if (cursor !== '0') await persist('connected', connection.signal, tell(seq));
        queues.open();
      } catch (e) {
        fail(e);
      }
    };
    let after = 0;
    let opened = false;
    try {
      await openStream(`${base}${cursor !== '0' || labels ? `?cursor=${cursor}` : ''}`, {
        signal: connection.signal,
        useSocket: (socket) => queues.use(socket),
        opened: () => {
          opened = true;
          if (cursor === '0')
            missed = persist('connected', connection.signal, tell('0')).catch(fail);
          log.info(`connected, cursor ${cursor}`);
          stream.listening = true;
        },
        frame: (frame) => {
          const { op, seq } = queues.put(frame);
          if (first === null && seq !== undefined) {
            first = number(seq);
            wait = 500;
          } else if (op === -1 && first === null) queues.open(); // an error, behind which nothing comes
        },
        oversized: ({ digest, bytes, did }) => {
          const account = isDid(did) ? did : null;
          log.info(
            `a frame of ${bytes} bytes${account === null ? '' : ` of ${clean(account, 600)}`} is too large`,
          );
          pools.small
            .row('SELECT indexer.too_large($1, $2, $3, $4)', [name, digest, bytes, account])
            .catch((e) => log.error(`too large: ${messageOf(e)}`));
        },
      });
    } catch (e) {
      after = (retryAfter(e.retryAfter) ?? 0) * 1000;
      log.info(`the stream: ${messageOf(e)}`);
    } finally {
      signal.removeEventListener('abort', end);
      stream.listening = false;
      queues.use(null);
      await Promise.all([first, missed]);
      if (unknown === null) queues.open();
    }
    if (unknown !== null) throw unknown;
    while (!queues.empty && !signal.aborted) await pause(50, signal);
    await pause(Math.max(wait, Math.min(after, LONGEST_ASKED)), signal);
    wait = opened ? Math.min(1.2 * wait, LONGEST / 6) : Math.min(2 * wait, LONGEST);
    return true;
  });
}

// A taker: one transaction at a time. If take() fails, the same frames are tried again, half as
// many each time. A frame that fails alone, while the next one does not, is passed over, and its
// digest is kept: unless the trouble is the server's own, which only waiting ends; or the
// functions', which ends the run.
async function takes({ name, taker, takers, queues, pools, signal, total, stream, sign }) {
  let most = MOST_FRAMES;
  let tries = 0;
  const take = (frames, seen) =>
    pools.take.row(
      'SELECT taken, applied, refused, lag, error FROM indexer.take($1, $2, $3, $4::bytea[], $5)',
      [name, taker, takers, byteaArray(frames), seen],
    );
  const count = (r, n) => {
    queues.done(taker, n);
    total.frames += r.taken;
    total.applied += r.applied;
    total.refused += r.refused;
    total.lag = r.lag ?? total.lag;
    if (r.error === null) return;
    log.info(`the server says ${r.error}`);
    stream.end?.();
  };
  await steady(
    `taker ${taker}`,
    signal,
    async () => {
      await queues.wait(taker, signal);
      if (signal.aborted) return true;
      const { frames, seen } = queues.next(taker, most);
      try {
        // a number, be it 0, tells the database that the stream is heard
        const heard = stream.listening || frames.length > 0;
        count(await take(frames, heard ? (seen ?? 0) : null), frames.length);
        most = Math.min(MOST_FRAMES, 2 * most);
        tries = 0;
      } catch (e) {
        if (isOfProgram(e)) throw await brokenFunctions(e, pools);
        most = Math.max(1, frames.length >> 1);
        if (isLost(e) || isOfServer(e) || frames.length !== 1 || ++tries < TRIES) throw e;
        const next = queues.next(taker, 2);
        if (next.frames.length < 2) throw e;
        count(await take(next.frames.slice(1), next.seen), 2);
        tries = 0;
        const digest = createHash('sha256').update(frames[0]).digest();
        log.error(`a frame is passed over, SHA-256 ${digest.toString('hex')}: ${messageOf(e)}`);
        const { did } = routeOf(frames[0]);
        await pools.small.row('SELECT indexer.too_large($1, $2, $3, $4)', [
          name,
          digest,
          frames[0].length,
          isDid(did) ? did : null,
        ]);
      }
      return true;
    },
    IDLE,
    sign,
  );
}

// An error of the database's functions, as what ends the run: an upgrade that was not finished, or
// a right that is missing.
async function brokenFunctions(e, pools) {
  try {
    await checkSchema(pools.small.pool);
  } catch (why) {
    if (why instanceof Problem) return why;
  }
  const [where] = clean(e.where ?? '', 10e3).split(/(?=PL\/pgSQL)/);
  return fatal(
    `The functions of the schema indexer do not work, so no frame was taken: ${messageOf(e)} (${e.code}` +
      `${where === '' ? '' : `, ${clean(where, 300)}`}). Run "atid-indexer upgrade".`,
  );
}

async function countOnce(settings, ended, total) {
  await openStream(`${streamUrl(settings)}?cursor=${settings.cursor}`, {
    signal: ended,
    useSocket: () => {},
    opened: () => log.info(`connected, cursor ${settings.cursor}`),
    frame: () => {
      total.frames++;
    },
    oversized: () => {
      total.frames++;
    },
  });
}
