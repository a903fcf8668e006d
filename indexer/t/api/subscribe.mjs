// Subscribes, and prints each message of the server as a line, for indexer/t/api.pl.
//
//   node subscribe.mjs PORT QUERY    ends with its input
import { WebSocket } from 'ws';

const [port, query] = process.argv.slice(2);
const ws = new WebSocket(`ws://127.0.0.1:${port}/graphql`, 'graphql-transport-ws');
ws.on('open', () => ws.send('{"type": "connection_init"}'));
ws.on('message', (data) => {
  console.log(String(data));
  if (JSON.parse(data).type === 'connection_ack') ws.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query } }));
});
ws.on('close', (code) => console.log(`closed ${code}`));
process.stdin.on('end', () => process.exit()).resume();
