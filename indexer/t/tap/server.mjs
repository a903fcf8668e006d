// A server that speaks the protocol of indigo's tap, for indexer/t/tap.pl: events in JSON over a WebSocket, /channel, each
// sent again until it is acknowledged. Of an account, a live event waits for those before it, and those after it wait for
// it.
//
//   node server.mjs PORT     reads events, a line each, and prints "ack ID" for each acknowledgement
import { createInterface } from 'node:readline';
import { WebSocketServer } from 'ws';

const AGAIN = 1000; // ms; tap itself waits 10 s
const events = new Map(); // id: { text, did, live, sent }, in their order
let socket = null;

function send() {
  if (socket?.readyState !== 1) return;
  const blocked = new Map();
  for (const e of events.values()) {
    const before = blocked.get(e.did);
    blocked.set(e.did, e.live || before === 'live' ? 'live' : 'other');
    if (before === 'live' || (e.live && before)) continue;
    if (Date.now() - e.sent < AGAIN) continue;
    e.sent = Date.now();
    socket.send(e.text);
  }
}

new WebSocketServer({ host: '127.0.0.1', port: Number(process.argv[2]), path: '/channel' }).on('connection', (s) => {
  socket = s;
  for (const e of events.values()) e.sent = 0;
  s.on('message', (data) => {
    const { type, id } = JSON.parse(data);
    if (type !== 'ack' || !events.delete(id)) return;
    console.log(`ack ${id}`);
    send();
  });
  send();
});
setInterval(send, 100);
createInterface({ input: process.stdin }).on('line', (text) => {
  const e = JSON.parse(text);
  const about = e[e.type];
  events.set(e.id, { text, did: about.did, live: about.live === true, sent: 0 });
  send();
}).on('close', () => process.exit());
