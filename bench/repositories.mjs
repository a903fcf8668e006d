// The baseline of bench/repositories: @atproto/repo in Node, one thread.
//
//   node repositories.mjs FILE     a CAR
//
// For each line of standard input reads the CAR and verifies the repository, and prints the milliseconds of both.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { readCarWithRoot, verifyRepo } from '@atproto/repo';

const car = readFileSync(process.argv[2]);
for await (const line of createInterface({ input: process.stdin })) {
  const began = process.hrtime.bigint();
  const { root, blocks } = await readCarWithRoot(car);
  const read = process.hrtime.bigint();
  const { creates } = await verifyRepo(blocks, root, 'did:web:bench.example');
  if (creates.length !== Number(line)) throw new Error(`${creates.length} records`);
  console.log(Number(read - began) / 1e6, Number(process.hrtime.bigint() - began) / 1e6);
}
