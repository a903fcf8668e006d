// The baseline of bench/records: @atcute/cbor and SHA-256 in Node, one thread.
//
//   node records.js FILE     a record on each line, parsed before anything is measured
//
// For each line of standard input, a number, encodes and hashes that many records, one by one, and
// prints the milliseconds that it took.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { encode } from '@atcute/cbor';

const records = readFileSync(process.argv[2], 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line));
let sink = 0;

for await (const line of createInterface({ input: process.stdin })) {
  const began = process.hrtime.bigint();
  for (let i = 0; i < Number(line); i++) {
    sink ^= hash('sha256', encode(records[i % records.length]), 'buffer')[0];
  }
  console.log(Number(process.hrtime.bigint() - began) / 1e6);
}
if (sink > 255) console.log(sink); // so that nothing is optimized away as unused
