// Repositories for bench/indexer, and the two that load them into tables, one after the other by one connection.
//
//   node indexer_backfill.mjs make ACCOUNTS SIZE FOLDER   writes CARs of so many accounts and records; prints DIDs and keys
//   node indexer_backfill.mjs atid FOLDER                 has indexer.store_repository() verify and store them
//   node indexer_backfill.mjs 1.3.3 FOLDER                the same by the function of 1.3.3
//   node indexer_backfill.mjs reference FOLDER            verifies them by @atproto/repo, and stores them as JSON
//
// The last three read lines of DIDs and keys, and print the milliseconds, those of the processor (this process and its
// backend), and the number of records.
import { readFileSync, writeFileSync } from 'node:fs';
import { Secp256k1Keypair } from '@atproto/crypto';
import { lexToJson } from '@atproto/lexicon';
import { MemoryBlockstore, Repo, WriteOpAction, getFullRepo, verifyRepoCar } from '@atproto/repo';
import pg from 'pg';

const [what, ...words] = process.argv.slice(2);
const S32 = '234567abcdefghijklmnopqrstuvwxyz';
const base32 = (n, length) => Array.from({ length }, (_, i) => S32[Math.floor(n / 32 ** (length - 1 - i)) % 32]).join('');
const fileOf = (folder, did) => `${folder}/${did.replaceAll(':', '_')}`;

async function make(accounts, size, folder) {
  for (let a = 0; a < accounts; a++) {
    const did = `did:plc:${base32(a * 7919 + 11, 24)}`;
    const key = await Secp256k1Keypair.create();
    const posts = Array.from({ length: size }, (_, i) => {
      const rkey = `3k${base32(1e9 + i * 977, 11)}`;
      const uri = `at://did:plc:${base32(i, 24)}/app.bsky.feed.post/${rkey}`;
      return { action: WriteOpAction.Create, rkey,
        ...(i % 2 ? { collection: 'app.bsky.feed.like', record: { $type: 'app.bsky.feed.like', createdAt: '2024-01-01T00:00:00.000Z',
          subject: { uri, cid: 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a' } } }
          : { collection: 'app.bsky.feed.post', record: { $type: 'app.bsky.feed.post', langs: ['en'], createdAt: '2024-01-01T00:00:00.000Z',
            text: `a post that is as long as most of them are, number ${i}` } }) };
    });
    const storage = new MemoryBlockstore();
    const repo = await Repo.create(storage, did, key, posts);
    const chunks = [];
    for await (const chunk of getFullRepo(storage, repo.cid)) chunks.push(chunk);
    writeFileSync(fileOf(folder, did), Buffer.concat(chunks));
    console.log(`${did}\t${key.did()}`);
  }
}

const loadBy = (name) => async (client, did, key, car) => {
  const { rows: [{ outcome, detail, changed }] } = await client.query(`SELECT * FROM indexer.${name}($1, 1, $2)`, [did, car]);
  if (outcome !== 'loaded') throw new Error(`${did}: ${outcome} ${detail}`);
  return changed;
};
const loaders = {
  atid: loadBy('store_repository'),
  '1.3.3': loadBy('load'),
  reference: async (client, did, key, car) => {
    const { creates } = await verifyRepoCar(car, did, key);
    await client.query('INSERT INTO bench.record SELECT * FROM unnest($1::text[], $2::text[], $3::jsonb[])', [
      creates.map((c) => `at://${did}/${c.collection}/${c.rkey}`), creates.map((c) => c.cid.toString()), creates.map((c) => JSON.stringify(lexToJson(c.record)))]);
    return creates.length;
  },
};

async function load(folder) {
  const accounts = readFileSync(0, 'utf8').trim().split('\n').map((line) => line.split('\t'));
  const client = new pg.Client();
  await client.connect();
  const used = async () => Number((await client.query('SELECT bench.processor_time() AS ns')).rows[0].ns);
  const before = await used();
  const own = process.cpuUsage();
  const began = process.hrtime.bigint();
  let records = 0;
  for (const [did, key] of accounts) records += await loaders[what](client, did, key, readFileSync(fileOf(folder, did)));
  const ms = Number(process.hrtime.bigint() - began) / 1e6;
  const { user, system } = process.cpuUsage(own);
  const all = (user + system) / 1e3 + (await used() - before) / 1e6;
  console.log(Math.round(ms), Math.round(all), records);
  await client.end();
}

await (what === 'make' ? make(Number(words[0]), Number(words[1]), words[2]) : load(words[0]));
