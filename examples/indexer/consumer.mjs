// Keeps the tables of schema.sql up to date: follows com.atproto.sync.subscribeRepos, loads accounts with
// com.atproto.sync.getRepo, and asks a PLC directory for their keys. All that is decided is decided in the database.
//
//   node consumer.mjs        with PGHOST, PGDATABASE, ... of the database, and
//
//   SERVICE    the relay or PDS, https://relay1.us-east.bsky.network unless it is set
//   STREAM     com.atproto.sync.subscribeRepos; or com.atproto.label.subscribeLabels of a labeler, from the beginning
//   DIRECTORY  the PLC directory, https://plc.directory
//   WORKERS    how many accounts are loaded at a time, 4; as many logs are fetched
//   LARGEST    bytes of an answer, 300e6: more is not read
//   PATIENCE   seconds that an answer may take, 300
//   EVERY      seconds between two lines of progress, 10
//   DRY        a cursor: the frames behind it are only counted, and there is no database
//
// The cursor is in the transaction that has the rows. So whatever goes wrong, the answer is the same: leave everything,
// and begin again from the cursor that the database has. SIGTERM and SIGINT end it after the transaction that runs, a
// second one at once.
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import WebSocket from 'ws';

const {
  SERVICE = 'https://relay1.us-east.bsky.network', STREAM = 'com.atproto.sync.subscribeRepos',
  DIRECTORY = 'https://plc.directory', WORKERS = 4, LARGEST = 300e6, PATIENCE = 300, EVERY = 10, DRY,
} = process.env;
const LABELS = /Labels$/.test(STREAM);
const NAME = `${SERVICE} ${STREAM}`;
const MOST_FRAMES = 1000; // in a transaction
const MOST_BYTES = 8e6; // in a transaction, and what may wait in memory
// Whatever the settings of the role are: a statement may take its time, and sees all that is there.
const OPTIONS = [process.env.PGOPTIONS ?? '', 'default_transaction_isolation=read\\ committed', 'statement_timeout=0', 'lock_timeout=0',
  'idle_session_timeout=0'].join(' -c ');
const LOCK = 'SELECT pg_try_advisory_lock(hashtext($1))';

const ended = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => ended.abort());
const pause = (ms, signal = ended.signal) => sleep(ms, null, { signal }).catch(() => {});
const log = (text) => console.log(`${new Date().toISOString()} ${text}`);

// Frames as a value of type bytea[] in its binary form: a dimension, no NULLs, the type's number, how many, from 1.
function byteaArray(frames) {
  const int = (...n) => { const b = Buffer.alloc(4 * n.length); n.forEach((v, i) => b.writeInt32BE(v, 4 * i)); return b; };
  return Buffer.concat([int(1, 0, 17, frames.length, 1), ...frames.flatMap((f) => [int(f.length), f])]);
}

// Does work with a controller of its own, which the signal aborts too. (Not AbortSignal.any: the garbage collector takes
// the timeout that it waits for.)
async function abortable(signal, work) {
  const own = new AbortController();
  const abort = () => own.abort(signal.reason);
  setMaxListeners(0, own.signal); // each worker is one
  signal.throwIfAborted();
  signal.addEventListener('abort', abort);
  try {
    return await work(own);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

// A relay sends those who ask for a repository on to the account's own server: the answer is a stranger's.
const get = (url, outer) => abortable(outer, async (own) => {
  const timer = setTimeout(() => own.abort(new Error(`no answer in ${PATIENCE} s of ${url}`)), PATIENCE * 1000);
  try {
    const answer = await fetch(url, { signal: own.signal });
    if (!answer.ok) throw new Error(`${answer.status} of ${url}`);
    const chunks = [];
    let size = 0;
    for await (const chunk of answer.body ?? []) {
      if ((size += chunk.length) > LARGEST) throw new Error(`more than ${LARGEST} bytes of ${url}`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    clearTimeout(timer);
    own.abort();
  }
});

const total = { frames: 0, applied: 0, refused: 0, lag: null, loaded: 0 };

// The frames of a connection, in batches; ends with it. Reading stops while enough waits in memory.
async function* batches(cursor, signal, opened = () => {}) {
  const url = `${SERVICE.replace(/^http/, 'ws')}/xrpc/${STREAM}${cursor > 0n || LABELS ? `?cursor=${cursor}` : ''}`;
  const ws = new WebSocket(url, { maxPayload: 16e6, handshakeTimeout: 10e3 });
  let queue = [];
  let bytes = 0;
  let over;
  let wake = () => {};
  const end = (why) => { over ??= why; wake(); };
  ws.on('open', () => { log(`connected, cursor ${cursor}`); opened(); });
  ws.on('message', (frame) => {
    queue.push(frame);
    bytes += frame.length;
    if (bytes > MOST_BYTES) ws.pause();
    wake();
  });
  // a server that does not answer a ping any more is not there
  let heard = true;
  const beat = setInterval(() => (heard ? (heard = false, ws.ping(() => {})) : ws.terminate()), 30e3);
  ws.on('pong', () => { heard = true; });
  ws.on('error', (e) => end(e.message));
  ws.on('close', (code) => end(`closed, ${code}`));
  signal.addEventListener('abort', () => end('ended'));
  try {
    while (!signal.aborted) {
      let n = 0;
      for (let size = 0; n < Math.min(queue.length, MOST_FRAMES) && (n === 0 || size + queue[n].length <= MOST_BYTES); n++) size += queue[n].length;
      const some = queue.slice(0, n);
      queue = queue.slice(n);
      if ((bytes -= some.reduce((sum, f) => sum + f.length, 0)) < MOST_BYTES / 2) ws.resume();
      // an empty one each second: frames that have waited for an account are taken then
      yield some;
      if (queue.length === 0) {
        if (over) throw new Error(over);
        await new Promise((resolve) => { wake = resolve; setTimeout(resolve, 1000); });
      }
    }
  } finally {
    clearInterval(beat);
    ws.terminate();
  }
}

// Does a piece of work again and again, and waits where there is none.
async function worker(signal, work) {
  while (!signal.aborted) if (!(await work())) await pause(300, signal);
}

// What jsonb does not take, in strings of strangers.
const clean = (key, value) => (typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : value);

const run = (db, pool) => abortable(ended.signal, async (own) => {
  if (!(await db.query(LOCK, [NAME])).rows[0].pg_try_advisory_lock) throw new Error('another consumer is at work');
  const { signal } = own;
  const { cursor } = (await db.query('SELECT start($1, $2) AS cursor', [NAME, !LABELS])).rows[0];

  let connected = false;
  const follow = async () => {
    for await (const frames of batches(BigInt(cursor), signal, () => { connected = true; })) {
      const { rows: [r] } = await db.query(
        'SELECT taken, applied, refused, extract(epoch FROM lag)::float AS lag, error FROM take($1, $2::bytea[])', [NAME, byteaArray(frames)]);
      total.frames += r.taken;
      total.applied += r.applied;
      total.refused += r.refused;
      total.lag = r.lag ?? total.lag;
      if (r.error) throw new Error(`the server says ${r.error}`);
    }
  };
  // What goes wrong with an account is that account's. Where the database is lost, the next query ends the run.
  const list = () => worker(signal, async () => {
    if (!connected) return false; // what comes behind the list has to be heard
    const { rows: [{ listed, now }] } = await pool.query('SELECT listed, now()::text FROM stream WHERE name = $1', [NAME]);
    if (listed === null) return false;
    try {
      const page = JSON.parse(await get(`${SERVICE}/xrpc/com.atproto.sync.listRepos?limit=1000&cursor=${encodeURIComponent(listed)}`, signal));
      if (!Array.isArray(page.repos)) throw new Error('no list');
      await pool.query('SELECT list($1, $2, $3, $4, $5)', [NAME, listed, JSON.stringify(page.repos, clean), page.cursor ?? null, now]);
    } catch (e) {
      if (!signal.aborted) log(`listRepos: ${e.message}`);
      await pause(5e3, signal);
    }
    return true;
  });
  const identify = () => worker(signal, async () => {
    const { rows: [next] } = await pool.query('SELECT ask FROM ask(1)');
    if (!next) return false;
    try {
      await pool.query('SELECT identify($1, $2)', [next.ask, String(await get(`${DIRECTORY}/${next.ask}/log/audit`, signal))]);
    } catch (e) {
      if (!signal.aborted) log(`${next.ask}: ${e.message}`); // ask() has it again
    }
    return true;
  });
  const load = () => worker(signal, async () => {
    const { rows: [next] } = await pool.query('SELECT did, claim FROM claim(1)');
    if (!next) return false;
    try {
      const car = await get(`${SERVICE}/xrpc/com.atproto.sync.getRepo?did=${encodeURIComponent(next.did)}`, signal);
      if ((await pool.query('SELECT load($1, $2, $3)', [next.did, next.claim, car])).rows[0].load !== null) total.loaded++;
    } catch (e) {
      const why = [e.message, e.detail].filter(Boolean).join(': ');
      if (!signal.aborted) log(`${next.did}: ${why}`);
      await pool.query('SELECT fail($1, $2, $3)', [next.did, next.claim, why]);
    }
    return true;
  });
  const all = [follow(), ...(LABELS ? [] : [list(), ...Array.from({ length: WORKERS }, () => [identify(), load()]).flat()])];
  try {
    await Promise.all(all);
  } finally {
    own.abort();
    await Promise.allSettled(all);
  }
});

const began = Date.now();
let shown = { at: began, frames: 0 };
function show() {
  const now = Date.now();
  const rate = Math.round((total.frames - shown.frames) * 1000 / Math.max(1, now - shown.at));
  log(`events ${total.frames}, ${rate}/s, lag ${total.lag === null ? '-' : total.lag.toFixed(1)} s, commits ${total.applied}, refused ${total.refused}, accounts loaded ${total.loaded}`);
  shown = { at: now, frames: total.frames };
}
const timer = setInterval(show, EVERY * 1000);

for (let wait = 500; !ended.signal.aborted; wait = Math.min(2 * wait, 30e3)) {
  const before = total.frames;
  const db = new pg.Client({ keepAlive: true, options: OPTIONS });
  const pool = new pg.Pool({ max: 1 + 2 * WORKERS, options: OPTIONS });
  for (const each of [db, pool]) each.on('error', () => {}); // the next query says it
  try {
    if (DRY) for await (const frames of batches(BigInt(DRY), ended.signal)) total.frames += frames.length;
    else {
      await db.connect();
      await run(db, pool);
    }
  } catch (e) {
    if (!ended.signal.aborted) log(e.message || e.code);
  } finally {
    await Promise.allSettled([db.end(), pool.end()]);
  }
  if (total.frames > before) wait = 500;
  await pause(wait);
}
clearInterval(timer);
show();
