// Makes the CARs of demo/repositories/ from records.jsonl, by npm's package @atproto/repo:
//
//   npm install @atproto/repo@0.9.1 && node make-cars.mjs
//
// A file for each account, named by its DID. Keys and revisions are fixed, so the files come out the same.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Secp256k1Keypair } from '@atproto/crypto';
import { jsonToLex } from '@atproto/lex-json';
import { MemoryBlockstore, Repo, WriteOpAction, getFullRepo } from '@atproto/repo';

const accounts = new Map();
for (const line of readFileSync('records.jsonl', 'utf8').trimEnd().split('\n')) {
  const { did, ...record } = JSON.parse(line);
  accounts.set(did, [...(accounts.get(did) ?? []), record]);
}
mkdirSync('repositories', { recursive: true });
for (const [did, records] of accounts) {
  const keypair = await Secp256k1Keypair.import(createHash('sha256').update(`key of ${did}`).digest('hex'));
  const storage = new MemoryBlockstore();
  const creates = records.map(({ collection, rkey, record }) => ({ action: WriteOpAction.Create, collection, rkey, record: jsonToLex(record) }));
  const repo = await Repo.createFromCommit(storage, await Repo.formatInitCommit(storage, did, keypair, creates, '3kzzzzzzzzz2a'));
  const parts = [];
  for await (const part of getFullRepo(storage, repo.cid)) parts.push(part);
  writeFileSync(`repositories/${did.replaceAll(':', '_')}.car`, Buffer.concat(parts));
}
