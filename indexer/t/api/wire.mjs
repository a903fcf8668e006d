// A line between the program and PostgreSQL that tests can interrupt, for indexer/t/api_limits.pl and
// indexer/t/process.pl.
//
//   node wire.mjs SOCKET SERVER    listens on one socket of the file system, and passes everything to the other
//
// Commands come on the standard input, and are each answered by a line: "hold" (nothing is passed any more, as of a server
// that hangs), "pass" (everything is passed again), "lose" (the present connections stay silent for ever, as of a host
// that has vanished, and the server has new ones), "count" (the number of connections so far).
import { connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';

const [from, to] = process.argv.slice(2);
const pairs = new Set();
let count = 0;
let isHeld = false;
const hold = (pair) => {
  for (const one of pair) one.pause();
};
createServer((client) => {
  const pair = [client, connect(to)];
  count++;
  pairs.add(pair);
  for (const [one, other] of [pair, pair.toReversed()])
    one.on('data', (part) => other.write(part)).on('error', () => {}).on('close', () => pairs.delete(pair) && other.destroy());
  if (isHeld) hold(pair);
}).listen(from, () => console.log('ready'));
const COMMANDS = {
  hold: () => ((isHeld = true), [...pairs].forEach(hold)),
  pass: () => ((isHeld = false), [...pairs].flat().forEach((one) => one.resume())),
  lose: () => {
    const lost = [...pairs];
    pairs.clear(); // so that the client's end stays open
    for (const [client, server] of lost) (client.pause(), server.destroy());
    isHeld = false;
  },
  count: () => {},
};
createInterface({ input: process.stdin }).on('line', (line) => {
  COMMANDS[line]();
  console.log(`${line} ${count}`);
});
