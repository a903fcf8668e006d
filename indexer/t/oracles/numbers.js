// Commits of some accounts for indexer/t/sequence_numbers.pl, which gives them numbers of its own.
//
//   node numbers.js ACCOUNTS COMMITS
//   node numbers.js serve
//
// The second prints "port N" and serves a stream there, of frames that are sent to it in hexadecimal: POST /first, for
// each connection to begin with, and POST /send, for those that are open. It ends with its input.
//
// Prints a line of JSON for each account: its DID, its key, its repository before these commits, and their messages
// without "seq" and "time", as records are written in JSON. A commit creates a record; each third one also updates the
// record of the commit before, and each fifth one deletes the one before that.
import { createServer } from 'node:http';
import { WriteOpAction } from '@atproto/repo';
import { WebSocketServer } from 'ws';
import { Account } from './accounts.js';

function serve() {
  let first = [];
  const framesOf = (text) => text.split(/\s+/).filter(Boolean).map((hex) => Buffer.from(hex, 'hex'));
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    if (request.url === '/first') first = framesOf(text);
    else if (request.url === '/send')
      for (const socket of sockets.clients) for (const frame of framesOf(text)) socket.send(frame);
    else response.statusCode = 404;
    response.end('{}');
  });
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => {
    socket.on('error', () => {});
    for (const frame of first) socket.send(frame);
  });
  server.listen(0, '127.0.0.1', () => console.log(`port ${server.address().port}`));
  process.stdin.on('end', () => process.exit()).resume();
}

if (process.argv[2] === 'serve') serve();
const [accounts, commits] = process.argv[2] === 'serve' ? [0, 0] : process.argv.slice(2).map(Number);
const collection = 'app.bsky.feed.post';
const write = (action, n, text) => ({
  action,
  collection,
  rkey: `r${n}`,
  ...(text ? { record: { $type: collection, text, createdAt: '2026-01-01T00:00:00Z' } } : {}),
});
const json = (value) => {
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('base64').replace(/=+$/, '') };
  if (value?.asCID === value && value) return { $link: value.toString() };
  if (Array.isArray(value)) return value.map(json);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, json(v)]));
};

for (let i = 0; i < accounts; i++) {
  const first = [write(WriteOpAction.Create, 'a', 'a'), write(WriteOpAction.Create, 'b', 'b')];
  const [a] = await Account.create({ did: `did:web:n${i}.example`, first });
  const line = { did: a.did, key: a.key.did(), car: Buffer.from(await a.car()).toString('hex'), commits: [] };
  for (let n = 0; n < commits; n++) {
    const list = [write(WriteOpAction.Create, n, `number ${n}`)];
    if (n % 3 === 2) list.push(write(WriteOpAction.Update, n - 1, `number ${n - 1} again`));
    if (n % 5 === 4) list.push(write(WriteOpAction.Delete, n - 3));
    line.commits.push(json(await a.commit(list)));
  }
  console.log(JSON.stringify(line));
}
