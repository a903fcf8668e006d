// Makes plc.jsonl, the logs of the accounts, by npm's package @did-plc/lib; and from records.jsonl, by @atproto/repo, the
// CARs of repositories/, signed by the keys in these logs:
//
//   npm install @atproto/repo@0.9.1 @did-plc/lib@0.0.4 && node make-accounts.mjs
//
// Keys and times are fixed, so the files come out the same. The DIDs in records.jsonl must be those of the logs.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cidForCbor } from '@atproto/common';
import { Secp256k1Keypair } from '@atproto/crypto';
import { jsonToLex } from '@atproto/lex-json';
import { MemoryBlockstore, Repo, WriteOpAction, getFullRepo } from '@atproto/repo';
import { isValidTid } from '@atproto/syntax';
import { createOp, createUpdateOp } from '@did-plc/lib';

// The accounts' names, and the server of each. The Lighthouse has a did:web, which has no log.
const SERVERS = { a: 'https://pds-a.example.com', b: 'https://pds-b.example.com' };
const PEOPLE = { mira: 'a', tomasz: 'b', akari: 'a', beatriz: 'b', noor: 'b', rafa: 'b', jonas: 'a', elise: 'a', petra: 'b',
  iseul: 'a', priya: 'a', oksana: 'a', kwame: 'b' };

const keyOf = (name) => Secp256k1Keypair.import(createHash('sha256').update(`key of ${name}`).digest('hex'));

const accounts = new Map();
for (const line of readFileSync('records.jsonl', 'utf8').trimEnd().split('\n')) {
  const { did, ...record } = JSON.parse(line);
  accounts.set(did, [...(accounts.get(did) ?? []), record]);
}

// Who signs for each account; a log begins a minute before the profile.
const signers = new Map([['did:web:lighthouse.example.com', await keyOf('the lighthouse')]]);
const entries = [];
const add = async (did, operation, at) =>
  entries.push({ did, operation, cid: (await cidForCbor(operation)).toString(), createdAt: new Date(at).toISOString() });
for (const [name, server] of Object.entries(PEOPLE)) {
  const [signing, own, rotation] = await Promise.all([keyOf(name), keyOf(`${name}, in a drawer`), keyOf(`server ${server}`)]);
  const { op, did } = await createOp({ signingKey: signing.did(), handle: `${name}.example.com`, pds: SERVERS[server],
    rotationKeys: [own.did(), rotation.did()], signer: rotation });
  if (!accounts.has(did)) throw new Error(`${name} must be ${did} in records.jsonl`);
  signers.set(did, signing);
  await add(did, op, Date.parse(accounts.get(did).find(({ rkey }) => rkey === 'self').record.createdAt) - 60000);
  if (name === 'mira') { // moves to a server of her own
    const key = (await keyOf('mira, at home')).did();
    const services = { atproto_pds: { type: 'AtprotoPersonalDataServer', endpoint: 'https://mira.example.com' } };
    const move = (o) => ({ ...o, rotationKeys: [own.did()], verificationMethods: { atproto: key }, services });
    await add(did, await createUpdateOp(op, own, move), Date.parse('2025-04-02T19:12:44.806Z'));
  }
}
entries.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
const lines = entries.map((entry, i) => JSON.stringify({ type: 'sequenced_op', seq: i + 1, ...entry }));
writeFileSync('plc.jsonl', `${lines.join('\n')}\n`);

// A file for each account, named by its DID. The revision is the key of the newest record.
mkdirSync('repositories', { recursive: true });
for (const [did, records] of accounts) {
  const rev = records.map(({ rkey }) => rkey).filter(isValidTid).sort().at(-1);
  const storage = new MemoryBlockstore();
  const creates = records.map((record) => ({ action: WriteOpAction.Create, ...record, record: jsonToLex(record.record) }));
  const repo = await Repo.createFromCommit(storage, await Repo.formatInitCommit(storage, did, signers.get(did), creates, rev));
  const parts = [];
  for await (const part of getFullRepo(storage, repo.cid)) parts.push(part);
  writeFileSync(`repositories/${did.replaceAll(':', '_')}.car`, Buffer.concat(parts));
}
