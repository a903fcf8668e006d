// A network for indexer/t/chaos.pl: accounts with repositories of npm's package @atproto/repo and logs of @did-plc/lib, a relay
// that announces what they do, a PLC directory; and what goes wrong on the way.
//
//   node network.js SEED ACCOUNTS     prints "port N", and serves http and ws there until its input ends
//
//   /xrpc/com.atproto.sync.subscribeRepos?cursor=, .listRepos, .getRepo?did=, /DID/log/audit    as in the network;
//                           com.atproto.label.subscribeLabels of the first account
//   /emit?n=N&pace=MS       N more events, a pause of at most MS behind each; answers when they are announced
//   /start                  each account does something
//   /lapse?n=N              N more events, which can no longer be had; with silent=1 the server does not say so, as a relay
//   /plain?n=N              N commits, and no faults; with did=DID of one account; 1 % of the records are of com.example.rare
//   /hold, /release         the repository of an account is sent later, as it was when it was asked for; answers with the account
//   /keyless                an account no longer has a key, and reports it; answers with the account
//   /keyed?did=DID          it has one again, and uses it
//   /zero                   an account makes a record that raises an error where a number is expected
//   /untaken                a frame that is none
//   /web                    there is one more account, a did:web of this server; answers with the account
//   /vanish?of=DIDS         one of these accounts is deleted, and nothing tells; answers with the account
//   /of?did=DID             it is the PDS of this DID; without one it is a relay again
//   /join?collection=NSID   an account comes, and writes a record of the collection; answers with the account
//   /lists?mode=MODE        how accounts are listed from now on: "collections" also by collection, which a relay does
//                           not do by default; "failing" fails for these; "broken" fails for each page of all accounts except the first
//   /calm                   no further faults in answers over http
//   /mark                   an event that is no bad frame; answers with its number
//   /settle                 the same, after accounts of which something was not announced have done something that is
//   /state                  what was sent, and the faults, as JSON
//   /expected               what an indexer has to have, as lines of columns: a record (uri, cid), an account (did, rev, key, active),
//                           a bad frame (hash, reason)
import { createServer } from 'node:http';
import { P256Keypair, Secp256k1Keypair } from '@atproto/crypto';
import { BlockMap, WriteOpAction, blocksToCarFile } from '@atproto/repo';
import * as plc from '@did-plc/lib';
import * as cbor from '@ipld/dag-cbor';
import { WebSocketServer } from 'ws';
import { Account, cidOf, entry, frameOf, sha256, split } from './accounts.js';
import { chance } from './chance.js';

const [seed, count] = process.argv.slice(2).map(Number);
const { below, pick, bytes } = chance(seed);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// --- accounts ---------------------------------------------------------------------------------------

const S32 = '234567abcdefghijklmnopqrstuvwxyz';
const tid = () => '3k' + Array.from({ length: 11 }, () => pick([...S32])).join('');
const accounts = [];
const vanished = []; // the directory knows them still
const sent = { events: 0, connections: 0, early: 0, repositories: 0, logs: 0 };
const LOG_FAULTS = ['500 for a log', 'the log of another account', 'a log without its end', 'a forged log'];
let wasNoList = false;
let silent = false;
const REPO_FAULTS = ['an error for a repository', 'RepoNotFound for a repository', 'a slow repository', 'an endless repository', 'a redirect to itself',
  'the repository of another account', 'an older repository', 'a damaged repository', 'half a repository', 'a late repository'];
const faults = Object.fromEntries([...LOG_FAULTS, ...REPO_FAULTS, 'gap', '#sync to a state that was not announced', 'duplicate',
  'again, with a new number', 'wrong signature', 'no frame', 'half a frame', 'signed, but untrue', 'no record key',
  'new key, not announced', 'unknown frame', 'error, and closed', 'connection cut', 'outdated cursor', 'hostile record', 'one record many times', 'a list that is none'].map((name) => [name, 0]));
const fault = (name) => { faults[name]++; };

// What deals the cards of a deck, shuffled; and shuffles them again when all are dealt. So each comes, whatever the seed.
// One that cannot be played is laid under the others.
function deck(cards) {
  let left = [];
  const deal = () => {
    if (left.length === 0) left = cards.map((card) => [below(1e9), card]).sort(([x], [y]) => x - y).map(([, card]) => card);
    return left.pop();
  };
  deal.later = (card) => { left.unshift(card); };
  return deal;
}
let serial = 0;
let hostile = true;

const hostileRecord = deck([
  (c) => ({ $type: c, text: `zero \u0000 ${serial}`, createdAt: '\u0000', langs: ['\u0000'], subject: '\u0000' }),
  (c) => ({ $type: c, serial, subject: { uri: 'at://\ud7ff', cid: 5 }, createdAt: { a: [] } }),
  (c) => ({ $type: c, serial, subject: `at://did:web:${'a.'.repeat(3000)}`, text: 'x'.repeat(below(3) ? 3000 : 900000) }),
  () => ({ serial, subject: { subject: { subject: [[[[[[[['did:web:a.example']]]]]]]] } } }),
  () => ({ serial, facets: Array.from({ length: 2000 }, (_, i) => `did:web:a${i}.example`) }),
  () => ({ $type: 7, serial, reply: { parent: { uri: null } }, subject: bytes(40) }),
  (c) => ({ $type: c, serial, half: 0.5 })]);
// The last has a float, which @atproto/repo does not encode, and which the DAG-CBOR of atproto must not have.
const addBlock = BlockMap.prototype.add;
BlockMap.prototype.add = function (value) {
  if (!value?.half) return addBlock.call(this, value);
  const cid = cidOf(value);
  this.set(cid, cbor.encode(value));
  return cid;
};

// Records as people write them, and as hostile people do.
function record(collection) {
  const subject = () => pick([() => `at://${pick(accounts)?.did ?? 'did:web:a.example'}/app.bsky.feed.post/${tid()}`, () => pick(accounts)?.did ?? 'did:web:a.example'])();
  const createdAt = new Date(1.7e12 + serial * 1000).toISOString();
  serial++;
  if (hostile && below(25) === 0) {
    fault('hostile record');
    return hostileRecord()(collection);
  }
  if (collection === 'app.bsky.feed.post')
    return { $type: collection, text: `number ${serial}`, createdAt, ...(below(3) ? {} : { reply: { parent: { uri: subject(), cid: 'x' } } }) };
  return { $type: collection, subject: collection === 'app.bsky.graph.follow' ? subject() : { uri: subject() }, createdAt, serial };
}

const COLLECTIONS = ['app.bsky.feed.post', 'app.bsky.feed.like', 'app.bsky.graph.follow'];
const create = () => {
  const path = `${!hostile && below(100) === 0 ? 'com.example.rare' : pick(COLLECTIONS)}/${below(20) ? tid() : `odd:${below(1e9)}_~.-`}`;
  return { action: WriteOpAction.Create, ...split(path), record: record(split(path).collection) };
};
// What an account does next.
function writes(account) {
  const paths = [...account.entries.keys()];
  const some = Array.from({ length: 1 + below(3) }, create);
  const touched = new Set(Array.from({ length: paths.length ? below(3) : 0 }, () => pick(paths)));
  return [...some, ...[...touched].map((p) => (below(2) ? { action: WriteOpAction.Delete, ...split(p) } : { action: WriteOpAction.Update, ...split(p), record: record(split(p).collection) }))];
}

const newKey = () => (below(3) ? Secp256k1Keypair : P256Keypair).create();

async function newAccount(web) {
  const [account, body] = await Account.create({ did: web, handle: `a${accounts.length}.example`, pds: 'https://pds.example', key: await newKey(),
    first: Array.from({ length: below(30) }, create) });
  accounts.push(account);
  return [account, body];
}
const nextCommit = (account, list = writes(account)) => account.commit(list);

const changeKey = async (account) => account.changeKey(await newKey());

// A commit that somebody else has signed; nothing of it is true.
const forged = async (account) => account.forged([create()], await newKey());

// --- the stream -------------------------------------------------------------------------------------

let seq = 1000;
let oldest = 0;
const stream = []; // [seq, frame]
const bad = new Map();
const sockets = new Set();

function send(frame, why) {
  if (why !== undefined) bad.set(sha256(frame).toString('hex'), why);
  stream.push([seq, frame]);
  sent.events++;
  for (const s of sockets) s.send(frame);
}
const announce = (t, body, why) => { seq += 1 + below(3); send(frameOf(t, seq, body), why); };
const raw = (frame, why) => { seq++; send(frame, why); };
const cut = () => { for (const s of sockets) { s._socket?.write(Buffer.from([0x82, 0x7e, 0x10])); s.terminate(); } };

const EVENTS = {
  commit: [60, async (a) => announce('#commit', await nextCommit(a))],
  'new account': [2, async () => {
    const [a, body] = await newAccount();
    announce('#identity', { did: a.did, handle: 'a.example' });
    announce('#account', { did: a.did, active: true });
    announce('#commit', body);
  }],
  'gap': [3, async (a) => { fault('gap'); await nextCommit(a); a.silent = true; }],
  '#sync': [2, async (a) => {
    fault('#sync to a state that was not announced');
    await nextCommit(a);
    const blocks = new BlockMap();
    blocks.set(a.repo.cid, await a.storage.getBytes(a.repo.cid));
    announce('#sync', { did: a.did, rev: a.repo.commit.rev, blocks: Buffer.from(await blocksToCarFile(a.repo.cid, blocks)) });
    a.silent = false;
  }],
  duplicate: [3, async () => { fault('duplicate'); if (stream.length) for (const [, frame] of stream.slice(-1 - below(5))) for (const s of sockets) s.send(frame); }],
  'again, with a new number': [2, async (a) => {
    fault('again, with a new number');
    const body = await nextCommit(a);
    announce('#commit', body);
    announce('#commit', body);
  }],
  'wrong signature': [3, async (a) => {
    if (!a.known) return announce('#commit', await nextCommit(a));
    fault('wrong signature');
    announce('#commit', await forged(a), 'signed by the key');
  }],
  'no frame': [2, async () => { fault('no frame'); raw(below(5) ? Buffer.from(bytes(1 + below(300))) : Buffer.alloc(5e6 + 1), ''); }],
  'half a frame': [2, async (a) => {
    fault('half a frame');
    const frame = frameOf('#commit', seq, await forged(a));
    raw(frame.subarray(0, 1 + below(frame.length - 1)), 'At byte');
  }],
  'signed, but untrue': [2, async (a) => {
    fault('signed, but untrue');
    const body = await nextCommit(a);
    a.silent = true; // a client that has loaded an older one hears nothing further
    announce('#commit', pick([() => ({ ...body, ops: body.ops.slice(1) }), () => ({ ...body, since: body.rev }), () => ({ ...body, rev: '3zzzzzzzzzzzz' })])(), '');
  }],
  'one record many times': [1, async (a) => {
    fault('one record many times');
    const same = { serial: serial++, text: 'x'.repeat(20000) };
    announce('#commit', await nextCommit(a, Array.from({ length: 40 }, () => ({ ...create(), record: same }))), '');
    a.silent = true;
  }],
  'no record key': [1, async (a) => {
    fault('no record key');
    const body = await nextCommit(a);
    announce('#commit', { ...body, ops: body.ops.map((o) => ({ ...o, path: `${split(o.path).collection}/not a key` })) }, 'At byte');
    a.silent = true;
  }],
  'new key': [1, async (a) => {
    await changeKey(a);
    announce('#identity', { did: a.did });
    announce('#commit', await nextCommit(a));
  }],
  'new key, not announced': [1, async (a) => {
    fault('new key, not announced');
    await changeKey(a);
    announce('#commit', await nextCommit(a));
  }],
  'taken down': [2, async (a) => { a.active = false; announce('#account', { did: a.did, active: false, status: pick(['takendown', 'suspended', 'deactivated', 'deleted']) }); }],
  'unknown frame': [1, async () => {
    fault('unknown frame');
    raw(Buffer.concat([cbor.encode({ op: 1, t: '#future' }), cbor.encode({ seq: seq + 1, x: '\u0000' })]));
    raw(Buffer.concat([cbor.encode({ op: 7 }), cbor.encode({})]));
  }],
  error: [1, async () => {
    fault('error, and closed');
    for (const s of sockets) { s.send(Buffer.concat([cbor.encode({ op: -1 }), cbor.encode({ error: 'ConsumerTooSlow' })])); s.close(); }
  }],
  cut: [1, async () => { fault('connection cut'); cut(); }],
};
const event = deck(Object.values(EVENTS).flatMap(([weight, happens]) => Array(weight).fill(happens)));

async function emit(n, pace) {
  for (let i = 0; i < n; i++) {
    const a = pick(accounts);
    if (!a.active) {
      // somebody who comes back has done something meanwhile, or not
      a.active = true;
      if (below(2)) await nextCommit(a);
      a.older = undefined; // nothing tells that there is a newer one
      announce('#account', { did: a.did, active: true });
    } else await event()(a);
    await sleep(below(pace + 1));
  }
}

// --- http -------------------------------------------------------------------------------------------

let calm = false;
let pds = null;
// one answer of 24 each
const trouble = (names) => deck([...names, ...Array(24 - names.length).fill('')]);
const [logTrouble, repoTrouble] = [LOG_FAULTS, REPO_FAULTS].map(trouble);

async function getRepo(account, request, response) {
  let wrong = calm ? '' : repoTrouble();
  if (wrong === 'an older repository' && !account.older) {
    repoTrouble.later(wrong);
    wrong = '';
  }
  if (wrong) fault(wrong);
  switch (wrong) {
    case 'an error for a repository': return response.writeHead(pick([429, 500])).end('no');
    case 'RepoNotFound for a repository': return response.writeHead(404).end(JSON.stringify({ error: 'RepoNotFound' }));
    case 'a slow repository': return response.write(bytes(1));
    case 'an endless repository': {
      const more = Buffer.alloc(1e6);
      const go = () => { while (!response.destroyed && response.write(more)); };
      response.on('drain', go);
      return go();
    }
    case 'a redirect to itself': return response.writeHead(302, { location: request.url }).end();
    case 'the repository of another account': return response.end(await accounts.find((a) => a !== account).car());
    case 'an older repository': {
      // once: nobody has signed the newer one, so a client that gets the older one again takes it
      const { older } = account;
      account.older = undefined;
      return response.end(await account.car(older));
    }
  }
  const car = await account.car();
  await account.held;
  if (wrong === 'a late repository') await sleep(below(400));
  if (wrong === 'a damaged repository') car[below(car.length)] ^= 1 + below(255);
  return response.end(wrong === 'half a repository' ? car.subarray(0, below(car.length)) : car);
}

function getLog(account, response) {
  const wrong = calm ? '' : logTrouble();
  if (wrong) fault(wrong);
  const json = (value) => response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
  switch (wrong) {
    case '500 for a log': return response.writeHead(500).end();
    case 'the log of another account': return json(accounts.find((a) => a !== account).log);
    case 'a log without its end': return json(account.log.slice(0, -1));
    case 'a forged log':
      return json(account.log.map((e, i) => (i < account.log.length - 1 ? e : { ...e, operation: { ...e.operation, alsoKnownAs: ['at://forged.example'] } })));
    default: return json(account.log);
  }
}

let mode = '';
const control = {
  join: async (q) => {
    const [a, body] = await newAccount();
    announce('#identity', { did: a.did });
    announce('#account', { did: a.did, active: true });
    announce('#commit', body);
    const first = { action: WriteOpAction.Create, collection: q.get('collection'), rkey: tid(), record: { serial: serial++ } };
    announce('#commit', await nextCommit(a, [first]));
    return { did: a.did };
  },
  lists: async (q) => { mode = q.get('mode'); return {}; },
  emit: async (q) => { await emit(Number(q.get('n')), Number(q.get('pace') ?? 2)); return {}; },
  start: async () => { for (const a of accounts) announce('#commit', await nextCommit(a)); return {}; },
  cut: async () => { cut(); return {}; },
  of: async (q) => { pds = q.get('did'); return {}; },
  plain: async (q) => {
    hostile = false;
    const some = accounts.filter((a) => (q.has('did') ? a.did === q.get('did') : a.active));
    for (let i = 0; i < Number(q.get('n')); i++) announce('#commit', await nextCommit(pick(some)));
    hostile = true;
    return control.mark();
  },
  hold: async () => {
    const a = accounts.find((o) => o.active);
    a.held = new Promise((resolve) => { a.release = resolve; });
    return { did: a.did };
  },
  release: async () => {
    for (const a of accounts) { a.release?.(); a.held = undefined; }
    return {};
  },
  zero: async () => {
    const a = accounts.find((o) => o.active);
    const list = [{ action: WriteOpAction.Create, collection: 'com.example.zero', rkey: `zero${seq}`, record: { number: 'zero' } }];
    announce('#commit', await nextCommit(a, list));
    return {};
  },
  keyless: async () => {
    const a = accounts.filter((o) => o.active)[1];
    await a.changeLog((o) => ({ ...o, verificationMethods: {} }));
    announce('#identity', { did: a.did });
    return { did: a.did };
  },
  keyed: async (q) => {
    const a = accounts.find((o) => o.did === q.get('did'));
    await changeKey(a);
    announce('#commit', await nextCommit(a));
    return {};
  },
  untaken: async () => { raw(Buffer.from([0xff]), ''); return {}; },
  // What is announced while nobody listens can then no longer be had; the bad frames in it nobody can have either.
  lapse: async (q) => {
    const before = new Map(bad);
    await emit(Number(q.get('n')), 0);
    oldest = seq;
    silent = q.has('silent');
    bad.clear();
    for (const [hash, why] of before) bad.set(hash, why);
    stream.length = 0;
    for (const a of accounts) a.silent = false;
    return control.mark();
  },
  web: async () => {
    const [a, body] = await newAccount(`did:web:localhost%3A${server.address().port}`);
    announce('#account', { did: a.did, active: true });
    announce('#commit', body);
    return { did: a.did };
  },
  vanish: async (q) => {
    const dids = q.get('of').split(' ');
    vanished.push(...accounts.splice(accounts.findLastIndex((a, i) => i > 1 && dids.includes(a.did)), 1));
    return { did: vanished[0].did };
  },
  calm: async () => { calm = true; return {}; },
  mark: async () => { announce('#identity', { did: accounts[0].did }); return { seq }; },
  settle: async () => {
    for (const a of accounts) if (a.silent && a.active) { a.silent = false; announce('#commit', await nextCommit(a)); }
    return control.mark();
  },
  state: async () => ({ seq, ...sent, accounts: accounts.length, sockets: sockets.size, faults }),
};

const server = createServer(async (request, response) => {
  const url = new URL(request.url, 'http://localhost');
  const q = url.searchParams;
  const found = accounts.find((a) => a.did === (q.get('did') ?? url.pathname.split('/')[1]));
  const json = (value) => response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
  try {
    if (mode === 'down') return response.writeHead(503).end();
    if (url.pathname.endsWith('.listReposByCollection')) {
      if (mode === '' || mode === 'failing') return response.writeHead(mode === '' ? 501 : 503).end();
      const those = accounts.filter((a) => [...a.entries.keys()].some((p) => p.startsWith(`${q.get('collection')}/`)));
      json({ repos: those.map((a) => ({ did: a.did })) });
    } else if (url.pathname.endsWith('.describeRepo')) {
      const a = accounts.find((o) => o.did === q.get('repo'));
      json({ did: a.did, collections: [...new Set([...a.entries.keys()].map((p) => split(p).collection))] });
    } else if (url.pathname.endsWith('.listRepos')) {
      if (mode === 'broken' && q.has('cursor')) return response.writeHead(500).end();
      if (sent.connections === 0) sent.early++;
      if (!wasNoList) {
        wasNoList = true;
        fault('a list that is none');
        return json({});
      }
      const from = Number(q.get('cursor') || 0);
      json({ repos: accounts.slice(from, from + 7).map((a) => ({
        did: a.did, head: a.repo.cid.toString(), rev: a.repo.commit.rev, active: a.active, status: '\u0000 \ud800' })), cursor: from + 7 < accounts.length ? String(from + 7) : '' });
    } else if (url.pathname === '/.well-known/did.json') {
      const { did, key } = accounts.find((a) => a.did.startsWith('did:web:'));
      json({ id: did, verificationMethod: [{ id: `${did}#atproto`, type: 'Multikey', controller: did, publicKeyMultibase: key.did().slice(8) }] });
    } else if (url.pathname.endsWith('/_health')) {
      json({ version: '1' });
    } else if (url.pathname.endsWith('.describeServer')) {
      if (!pds) return response.writeHead(501).end();
      json({ did: pds, availableUserDomains: [] });
    } else if (url.pathname.endsWith('.getRepoStatus') && found) {
      json({ did: found.did, active: found.active, status: found.active ? undefined : 'suspended', rev: found.repo.commit.rev });
    } else if (/\.getRepo(Status)?$/.test(url.pathname)) {
      if (!found?.active) return response.writeHead(400).end(JSON.stringify({ error: found ? 'RepoDeactivated' : 'RepoNotFound' }));
      found.known = true; // who loads it has its key
      sent.repositories++;
      await getRepo(found, request, response);
    } else if (url.pathname.endsWith('/log/audit')) {
      sent.logs++;
      getLog(found ?? vanished.find((a) => url.pathname.includes(a.did)), response);
    } else if (url.pathname === '/expected') {
      for (const a of accounts) {
        response.write(`account\t${a.did}\t${a.repo.commit.rev}\t${a.key.did()}\t${a.active}\n`);
        if (a.active) for (const [path, cid] of a.entries) response.write(`record\tat://${a.did}/${path}\t${cid}\t\t\n`);
      }
      for (const [hash, why] of bad) response.write(`bad\t${hash}\t${why}\t\t\n`);
      response.end();
    } else json(await control[url.pathname.slice(1)](q));
  } catch (e) {
    console.error(e);
    response.writeHead(500).end(e.message);
  }
});

// The first account is a labeler too. It says two things of the second, takes one back, and somebody else says a third. It
// also says that the second is not active any more, which nobody has asked it.
async function labels(socket) {
  const src = accounts[0].did;
  const label = async (key, fields) => {
    const l = { ver: 1, src, uri: accounts[1].did, cts: '2024-02-01T10:00:00Z', ...fields };
    return { ...l, sig: await key.sign(cbor.encode(l)) };
  };
  const key = accounts[0].labels;
  const all = [
    [await label(key, { val: 'spam' }), await label(key, { val: 'rude' })],
    [await label(key, { val: 'spam', neg: true, cts: '2024-02-02T10:00:00Z' }), await label(await newKey(), { val: 'forged' })],
    [{ ...(await label(key, { val: 'zero' })), val: '\u0000' }]];
  socket.send(frameOf('#account', 1, { did: accounts[1].did, active: false }));
  all.forEach((list, i) => socket.send(Buffer.concat([cbor.encode({ op: 1, t: '#labels' }), cbor.encode({ seq: i + 2, labels: list })])));
}

// It takes a while until one is heard.
new WebSocketServer({ server, verifyClient: (info, answer) => setTimeout(answer, 100, true) }).on('connection', (socket, request) => {
  if (request.url.includes('subscribeLabels')) return labels(socket);
  sent.connections++;
  const cursor = new URL(request.url, 'http://localhost').searchParams.get('cursor');
  socket.on('close', () => sockets.delete(socket)).on('error', () => {});
  if (cursor !== null && Number(cursor) < oldest) {
    fault('outdated cursor');
    if (!silent) socket.send(Buffer.concat([cbor.encode({ op: 1, t: '#info' }), cbor.encode({ name: 'OutdatedCursor' })]));
  }
  // from the cursor, as the specification has it, or from the one behind it, as servers have it
  const from = Math.max(oldest, Number(cursor) + below(2));
  if (cursor !== null) for (const [n, frame] of stream) if (n >= from && n > oldest) socket.send(frame);
  sockets.add(socket);
});

for (let i = 0; i < count; i++) await newAccount();
const [labeler] = accounts;
labeler.labels = await newKey();
labeler.log.push(entry(labeler.did, await plc.createUpdateOp(labeler.log[0].operation, labeler.rotation, (o) => ({
  ...o, verificationMethods: { ...o.verificationMethods, atproto_label: labeler.labels.did() } })), Date.now() - 5e5));
server.listen(0, '127.0.0.1', () => console.log(`port ${server.address().port}`));
process.stdin.on('end', () => process.exit()).resume();
