// Node's part of bench/crypto: reads lines of a curve, a message, a signature and a point in hex, and verifies the
// first signatures of a curve with @atproto/crypto, as many as requested by each line of its input ("k256 500");
// prints the nanoseconds of processor time for each.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { verifySignature } from '@atproto/crypto';
import { base58btc } from 'multiformats/bases/base58';

const codecs = { p256: [0x80, 0x24], k256: [0xe7, 0x01] };
const rows = { p256: [], k256: [] };
for (const line of readFileSync(process.argv[2], 'latin1').split('\n')) {
  if (line === '') continue;
  const [curve, ...hex] = line.split('\t');
  const [message, signature, point] = hex.map((h) => Uint8Array.from(Buffer.from(h, 'hex')));
  rows[curve].push({ message, signature, key: 'did:key:' + base58btc.encode(Uint8Array.from([...codecs[curve], ...point])) });
}

for await (const line of createInterface({ input: process.stdin })) {
  const [curve, count] = line.split(' ');
  const begin = process.cpuUsage();
  for (const { key, message, signature } of rows[curve].slice(0, count)) {
    if (!(await verifySignature(key, message, signature))) throw new Error('not valid');
  }
  const { user, system } = process.cpuUsage(begin);
  console.log(Math.round(((user + system) * 1000) / count));
}
