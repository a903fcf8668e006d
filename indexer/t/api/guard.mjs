// What the log of atid-indexer api has of strangers, how it refuses them, and what one address can hold, for
// indexer/t/api_limits.pl.
//
//   node guard.mjs PORT PID PATIENCE LOG    prints a line for each verdict: "ok", "not ok" or "note", a tab, its subject
//
// The server takes connections from 127.0.0.1 for those of a proxy; 127.0.0.2 and 127.0.0.3 are strangers.
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { WebSocket } from 'ws';

const [port, , patience] = process.argv.slice(2, 5).map(Number);
const log = () => readFileSync(process.argv[5], 'utf8');
const verdict = (ok, what, why) => {
  console.log(`${ok ? 'ok' : 'not ok'}\t${what}`);
  if (!ok) console.log(`note\t${String(why).slice(-500)}`);
};
const STRANGER = '127.0.0.2';
const HONEST = '127.0.0.3';
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
async function until(what, limit = 20_000 * patience) {
  for (const end = performance.now() + limit; performance.now() < end; await pause(20)) if (await what()) return true;
  return false;
}
function post(body, { headers = {}, localAddress, path = '/graphql', method = 'POST' } = {}) {
  const all = { 'content-type': 'application/json', accept: 'application/json', connection: 'close', ...headers };
  return new Promise((resolve) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers: all, localAddress }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (more) => (text += more));
      answer.on('end', () => resolve({ status: answer.statusCode, text })).on('error', (e) => resolve({ status: 0, text: e.code }));
    });
    sent.on('error', (e) => resolve({ status: 0, text: e.code })).end(body === null ? undefined : JSON.stringify(body));
  });
}
const socket = (options = {}) =>
  new Promise((resolve) => {
    const ws = new WebSocket(`ws://127.0.0.1:${port}/graphql`, 'graphql-transport-ws', options);
    ws.on('open', () => resolve({ ws })).on('error', (e) => resolve({ refused: e.message }));
    ws.on('unexpected-response', (_, answer) => {
      let text = '';
      answer.on('data', (more) => (text += more)).on('end', () => resolve({ refused: answer.statusCode, text }));
    });
  });
const health = async () => (await post(null, { path: '/health', method: 'GET' })).text;
const none = () => until(async () => /^ok, 0 sockets/.test(await health()));
const linesSince = (start) => log().slice(start).split('\n').filter((line) => line !== '');

// --- the log ---

let start = log().length;
const leaver = await socket();
leaver.ws.send(JSON.stringify({ type: 'connection_init' }));
for (let i = 0; i < 20_000; i++) leaver.ws.send(JSON.stringify({ type: 'ping', payload: { i } }));
await until(() => leaver.ws.bufferedAmount < 100_000);
leaver.ws._socket.resetAndDestroy();
await none();
const garbage = connect(port, '127.0.0.1', () => {
  garbage.write('GET /graphql HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\n' +
    'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\nsec-websocket-protocol: graphql-transport-ws\r\n\r\n');
  garbage.once('data', () => garbage.write('garbage'));
});
await new Promise((resolve) => garbage.on('close', resolve).on('error', () => {}).resume());
await none();
verdict(linesSince(start).length === 0, 'a client that sends 20,000 pings and leaves, or garbage, is no error', log().slice(start));
start = log().length;
const broken = await Promise.all(Array.from({ length: 30 }, () => post({ query: '{ a: broken(n: 1) }' })));
const hash = /hash: '([\w-]+)'/.exec(broken[0].text)?.[1];
verdict(hash && broken.every(({ text }) => text.includes(hash)), 'an error of a function is one hash for its clients', broken[0].text);
const lines = linesSince(start);
verdict(lines.length === 1 && / error field failed field=a error="broken, for 1: two lines" hash=[\w-]+$/.test(lines[0]) && lines[0].includes(hash),
  '... and one line of the log, however often', lines.join('\n'));

// --- refusals ---

const ALL = 'allXyzStatusphereStatuses';
const REFUSED = {
  'a mutation': 'mutation { x }',
  'a list without a size': `{ ${ALL} { nodes { uri } } }`,
  depth: `{ ${'query { '.repeat(15)}__typename${' }'.repeat(15)} }`,
  length: `{ ${'a '.repeat(3000)} }`,
  'a subscription without a WebSocket': 'subscription { changed { uri } }',
};
start = log().length;
for (const [what, query] of Object.entries(REFUSED))
  for (const accept of ['application/json', 'application/graphql-response+json']) {
    const { status, text } = await post({ query }, { headers: { accept } });
    verdict(status === 400 && /"errors":\[\{"message":"[A-Za-z]/.test(text) && !/undefined|occurred/.test(text),
      `400: ${what} (${accept})`, `${status} ${text}`);
  }
verdict(linesSince(start).length === 0, '... without a line of the log', log().slice(start));
start = log().length;
const origin = 'https://evil.example';
const foreign = await post({ query: '{ __typename }' }, { headers: { origin } });
verdict(foreign.status === 403 && /https:\/\/evil\.example .*ATID_API_ALLOWED_ORIGINS/.test(foreign.text), 'a foreign origin is refused, with the reason', foreign.text);
const page = await socket({ origin });
verdict(page.refused === 403 && page.text === foreign.text, '... and so is its WebSocket', `${page.refused} ${page.text}`);
for (let i = 0; i < 5; i++) await socket({ origin });
verdict(/^\S+ info origin refused origin=https:\/\/evil\.example$/.test(linesSince(start).join('\n')),
  '... with one line of the log', linesSince(start).join('\n'));

// --- what one address can hold ---

// A connection of an address that sends this, and reads nothing.
const raw = (text, localAddress) =>
  new Promise((resolve) => {
    const one = connect({ port, host: '127.0.0.1', localAddress }, () => one.write(text));
    one.isOpen = true;
    one.on('error', () => {}).on('close', () => (one.isOpen = false));
    one.on('close', () => resolve(one)).on('connect', () => resolve(one));
    one.on('end', () => one.destroy());
  });
const aPost = (body) =>
  `POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\naccept: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
const SMALL = { query: `{ ${ALL}(first: 1) { nodes { uri } } }` };
const LONG = JSON.stringify({ query: '{ allAppBskyActorProfiles(first: 4) { nodes { avatar } } }' });
const memory = () => Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${process.argv[3]}/status`, 'utf8'))[1]) / 1024;
// How many of some requests of an honest client are answered.
const answered = async (n) => {
  let well = 0;
  for (let i = 0; i < n; i++) if ((await post(SMALL, { localAddress: HONEST })).status === 200) well++;
  return well;
};

const before = memory();
const deaf = [];
for (let i = 0; i < 100; i++) {
  const one = await raw(aPost(LONG), STRANGER);
  one.pause();
  deaf.push(one);
}
verdict((await answered(10)) === 10, 'an address that does not read 100 answers of 4 MB keeps nobody else out');
verdict(memory() < before + 300, '... nor fills the memory', `${before} to ${memory()} MB`);
const crowded = await until(async () => (await post(SMALL, { localAddress: STRANGER })).status === 200, 25_000 + 2000 * patience);
verdict(crowded, '... and its answers end when it reads nothing of them');
for (const one of deaf) one.destroy();

const slow = await Promise.all(Array.from({ length: 520 }, () => raw('POST /graphql HTTP/1.1\r\nhost: ', STRANGER)));
verdict((await answered(10)) === 10, 'an address that opens 520 connections and sends its headers slowly keeps nobody else out');
await until(() => slow.filter((one) => one.isOpen).length <= 60);
verdict(slow.filter((one) => one.isOpen).length <= 60, '... and has 60', slow.filter((one) => one.isOpen).length);
for (const one of slow) one.destroy();
await until(async () => (await post(SMALL, { localAddress: STRANGER })).status === 200);

const strangers = await Promise.all(Array.from({ length: 30 }, () => socket({ localAddress: STRANGER })));
const refused = strangers.filter((one) => one.refused);
verdict(refused.length === 10 && refused.every((one) => one.refused === 429 && /too many WebSockets/.test(one.text)),
  'an address has a tenth of the WebSockets', `${refused.length} ${refused[0]?.refused}`);
const proxied = await Promise.all(Array.from({ length: 30 }, () => socket()));
verdict(proxied.every((one) => one.ws), 'a proxy of ATID_API_PROXIES has more');
verdict((await socket({ localAddress: HONEST })).ws, '... and another address its own');
verdict(/ info address limited address=127\.0\.0\.2 kind=WebSockets most=20$/m.test(log()), 'the log has the address');
const quiet = performance.now();
await until(() => proxied.every((one) => one.ws.readyState === WebSocket.CLOSED));
verdict(proxied.every((one) => one.ws.readyState === WebSocket.CLOSED), 'WebSockets that send no connection_init end', performance.now() - quiet);
await none();
verdict((await socket({ localAddress: STRANGER })).ws, '... and then others may come');
process.exit();
