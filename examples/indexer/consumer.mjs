// Keeps the tables of schema.sql up to date: follows com.atproto.sync.subscribeRepos, loads accounts with
// com.atproto.sync.getRepo, and asks a PLC directory or their domain for their keys. All that is decided is decided in
// the database.
//
//   node consumer.mjs        with PGHOST, PGDATABASE, ... of the database, and
//
//   SERVICE    the relay or PDS, https://relay1.us-east.bsky.network unless it is set
//   STREAM     com.atproto.sync.subscribeRepos; or com.atproto.label.subscribeLabels of a labeler, from the beginning
//   PRIVATE    1: redirects and DIDs may lead to private addresses, too; SERVICE and DIRECTORY always may
//   METRICS    a port: the view watch over HTTP there, at /metrics, as Prometheus reads it; nothing unless it is set
//   BIND       the address of that port, 127.0.0.1
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
import dns from 'node:dns';
import { setMaxListeners } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { BlockList, isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import WebSocket from 'ws';

const {
  SERVICE = 'https://relay1.us-east.bsky.network', STREAM = 'com.atproto.sync.subscribeRepos',
  DIRECTORY = 'https://plc.directory', WORKERS = 4, LARGEST = 300e6, PATIENCE = 300, EVERY = 10, DRY, PRIVATE,
  METRICS, BIND = '127.0.0.1',
} = process.env;
const LABELS = /Labels$/.test(STREAM);
const NAME = `${SERVICE} ${STREAM}`;
const MOST_FRAMES = 1000; // in a transaction
const MOST_BYTES = 8e6; // in a transaction, and what may wait in memory
const OVERHEAD = 500; // bytes of a frame that waits, besides its own
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

// Addresses that no stranger may lead us to. (IPv4 in IPv6 is looked up as IPv4.)
const inner = new BlockList();
for (const [net, bits] of [['0.0.0.0', 8], ['10.0.0.0', 8], ['100.64.0.0', 10], ['127.0.0.0', 8], ['169.254.0.0', 16], ['172.16.0.0', 12],
  ['192.0.0.0', 24], ['192.168.0.0', 16], ['198.18.0.0', 15], ['224.0.0.0', 3]]) inner.addSubnet(net, bits, 'ipv4');
for (const [net, bits] of [['::', 96], ['64:ff9b::', 96], ['2002::', 16], ['fc00::', 7], ['fe80::', 9], ['ff00::', 8]]) inner.addSubnet(net, bits, 'ipv6');
const refused = (address) => inner.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
const lookup = (host, options, done) => dns.lookup(host, { ...options, all: true }, (e, found) => {
  const bad = found?.find(({ address }) => refused(address));
  if (e || bad) return done(e ?? new Error(`${host} has the private address ${bad.address}`));
  return options.all ? done(null, found) : done(null, found[0].address, found[0].family);
});
const agents = { guarded: { 'http:': new http.Agent({ lookup, keepAlive: true }), 'https:': new https.Agent({ lookup, keepAlive: true }) },
  ours: { 'http:': new http.Agent({ keepAlive: true }), 'https:': new https.Agent({ keepAlive: true }) } };
const ours = new Set([SERVICE, DIRECTORY].map((url) => new URL(url).origin));

const request = (url, signal) => new Promise((resolve, reject) => {
  const free = PRIVATE || ours.has(url.origin);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!/^https?:$/.test(url.protocol) || (!free && isIP(host) && refused(host))) return reject(new Error(`${url.origin} is no public address`));
  const get = url.protocol === 'http:' ? http.get : https.get;
  return get(url, { signal, agent: agents[free ? 'ours' : 'guarded'][url.protocol], headers: { 'user-agent': 'atid-indexer' } }, resolve).on('error', reject);
});

// A relay sends those who ask for a repository on to the account's own server: the answer is a stranger's. An error has
// the name that the answer gives it; and ofHost, where it is the host that fails.
const get = (url, outer) => abortable(outer, async (own) => {
  const timer = setTimeout(() => own.abort(new Error(`no answer in ${PATIENCE} s of ${url}`)), PATIENCE * 1000);
  const failed = (why, more) => Object.assign(new Error(`${why} of ${url}`), more);
  try {
    let at = new URL(url);
    for (let hops = 0; ; hops++) {
      const answer = await request(at, own.signal);
      const status = answer.statusCode;
      if (status >= 300 && status < 400 && answer.headers.location) {
        if (hops === 5) throw failed('too many redirects');
        answer.resume();
        at = new URL(answer.headers.location, at);
        continue;
      }
      const chunks = [];
      let size = 0;
      for await (const chunk of answer) {
        if ((size += chunk.length) > (status === 200 ? LARGEST : 10e3)) throw failed(`more than ${LARGEST} bytes`);
        chunks.push(chunk);
      }
      if (status === 200) return Buffer.concat(chunks);
      let name;
      try { name = JSON.parse(Buffer.concat(chunks)).error; } catch { /* no name */ }
      throw failed(typeof name === 'string' ? `${status} ${name.slice(0, 100)}` : status, { answer: name, ofHost: status === 429 || status >= 500 });
    }
  } catch (e) {
    throw own.signal.aborted ? Object.assign(own.signal.reason, { ofHost: true }) : Object.assign(e, { ofHost: e.ofHost ?? Boolean(e.code) });
  } finally {
    clearTimeout(timer);
    own.abort();
  }
});
const ask = async (method, query, signal) => get(`${SERVICE}/xrpc/com.atproto.${method}?${new URLSearchParams(query)}`, signal);

const total = { frames: 0, applied: 0, refused: 0, lag: null, loaded: 0 };

// The frames of a connection, in batches; ends with it. Reading stops while enough waits in memory.
async function* batches(cursor, signal, opened = () => {}) {
  const url = `${SERVICE.replace(/^http/, 'ws')}/xrpc/${STREAM}${cursor > 0n || LABELS ? `?cursor=${cursor}` : ''}`;
  const ws = new WebSocket(url, { maxPayload: 16e6, handshakeTimeout: 10e3 });
  const queue = [];
  let bytes = 0;
  let over;
  let wake = () => {};
  const end = (why) => { over ??= why; wake(); };
  ws.on('open', () => { log(`connected, cursor ${cursor}`); opened(); });
  ws.on('message', (frame) => {
    queue.push(frame);
    bytes += frame.length + OVERHEAD;
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
      const some = queue.splice(0, n);
      if ((bytes -= some.reduce((sum, f) => sum + f.length + OVERHEAD, 0)) < MOST_BYTES / 2) ws.resume();
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

// A PDS, whose stream has only its own accounts, describes itself; a relay does not.
async function ownName(signal) {
  try {
    return JSON.parse(await ask('server.describeServer', {}, signal)).did ? new URL(SERVICE).origin : null;
  } catch (e) {
    if (e.ofHost && !e.message.startsWith('501')) throw e;
    return null;
  }
}

const run = (db, pool) => abortable(ended.signal, async (own) => {
  if (!(await db.query(LOCK, [NAME])).rows[0].pg_try_advisory_lock) throw new Error('another consumer is at work');
  const { signal } = own;
  const { cursor } = (await db.query('SELECT start($1, $2, $3) AS cursor', [NAME, !LABELS, LABELS ? null : await ownName(signal)])).rows[0];

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
    const { rows: [next] } = await pool.query('SELECT of, at, now()::text FROM to_list LIMIT 1');
    if (!next) return false;
    const { of, at, now } = next;
    try {
      const page = JSON.parse(await (of === '*' ? ask('sync.listRepos', { limit: 1000, cursor: at }, signal)
        : ask('sync.listReposByCollection', { collection: of, limit: 1000, ...(at && { cursor: at }) }, signal)));
      if (!Array.isArray(page.repos)) throw new Error('no list');
      const repos = page.repos.map((r) => ({ did: r?.did, rev: r?.rev, active: r?.active, status: r?.status }));
      await pool.query('SELECT list($1, $2, $3, $4, $5, $6)', [NAME, of, at, JSON.stringify(repos, clean), page.cursor ?? null, now]);
    } catch (e) {
      if (!signal.aborted) log(`the list of accounts: ${e.message}`);
      await pause(2e3, signal);
    }
    return true;
  });
  const check = () => worker(signal, async () => {
    const { rows: [next] } = await pool.query('SELECT doubtful AS did, now()::text FROM doubtful(1)');
    if (!next) return false;
    try {
      const r = JSON.parse(await ask('sync.getRepoStatus', { did: next.did }, signal));
      await pool.query('SELECT told($1, $2, $3, $4, $5)',
        [next.did, r.active === true, clean('', r.status) ?? null, clean('', r.rev) ?? null, next.now]);
    } catch (e) {
      if (!/^Repo/.test(e.answer)) { if (!signal.aborted) log(`${next.did}: ${e.message}`); return true; } // doubtful() has it again
      await pool.query('SELECT told($1, false, $2, NULL, $3)', [next.did, e.answer, next.now]);
    }
    return true;
  });
  const identify = () => worker(signal, async () => {
    const { rows: [next] } = await pool.query('SELECT ask AS did, now()::text FROM ask(1)');
    if (!next) return false;
    try {
      const web = /^did:web:([a-z0-9.-]+(?:%3A\d+)?)$/i.exec(next.did)?.[1].replace('%3A', ':');
      const url = web ? `${/^localhost(:|$)/.test(web) ? 'http' : 'https'}://${web}/.well-known/did.json` : `${DIRECTORY}/${next.did}/log/audit`;
      await pool.query(`SELECT ${web ? 'identify_web' : 'identify'}($1, $2, $3)`, [next.did, String(await get(url, signal)), next.now]);
    } catch (e) {
      if (!signal.aborted) log(`${next.did}: ${e.message}`); // ask() has it again
    }
    return true;
  });
  const load = () => worker(signal, async () => {
    const { rows: [next] } = await pool.query('SELECT did, claim FROM claim(1)');
    if (!next) return false;
    try {
      const car = await ask('sync.getRepo', { did: next.did }, signal);
      if ((await pool.query('SELECT load($1, $2, $3)', [next.did, next.claim, car])).rows[0].load !== null) total.loaded++;
    } catch (e) {
      if (signal.aborted) return true; // start() has it again
      const why = [e.message, e.detail].filter(Boolean).join(': ');
      log(`${next.did}: ${why}`);
      await pool.query('SELECT fail($1, $2, $3, $4, $5)', [next.did, next.claim, why, e.answer ?? null, e.ofHost ?? false]);
    }
    return true;
  });
  const settle = () => worker(signal, async () => (await pool.query('SELECT settle($1, 20)', [NAME])).rows[0].settle > 0);
  const each = (...workers) => Array.from({ length: WORKERS }, () => workers.map((w) => w())).flat();
  const all = [follow(), ...(LABELS ? [identify()] : [list(), check(), settle(), ...each(identify, load)])];
  try {
    await Promise.all(all);
  } finally {
    own.abort();
    await Promise.allSettled(all);
  }
});

// The view watch, as Prometheus reads it.
let pool;
const metrics = METRICS && http.createServer(async (question, answer) => {
  try {
    const { rows } = await pool.query('SELECT what, of, value FROM watch WHERE value IS NOT NULL ORDER BY what, of');
    const names = [...new Set(rows.map((r) => r.what))];
    answer.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(names.map((name) => [`# TYPE atid_${name} gauge\n`,
      ...rows.filter((r) => r.what === name).map((r) => `atid_${name}{of=${JSON.stringify(r.of)}} ${r.value}\n`)].join('')).join(''));
  } catch (e) {
    answer.writeHead(503).end(`${e.message}\n`);
  }
}).listen(Number(METRICS), BIND);

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
  pool = new pg.Pool({ max: 4 + 2 * WORKERS, options: OPTIONS });
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
metrics?.close();
show();
