// Accounts and frames for bench/indexer, as a relay sends them: commits of one record, the accounts in turn.
//
//   node indexer.mjs ACCOUNTS COMMITS SIZE
//
// Prints for each account a line of its DID, its key, its revision and its root before the frames; then for each frame
// a line of its number, its DID, its bytes in hex and nothing. There are tabs between. SIZE is how many records an
// account has.
import { encode } from '@ipld/dag-cbor';
import { Secp256k1Keypair } from '@atproto/crypto';
import { MemoryBlockstore, Repo, WriteOpAction, blocksToCarFile } from '@atproto/repo';
import { CID } from 'multiformats/cid';

const [accounts, commits, size] = process.argv.slice(2).map(Number);
const S32 = '234567abcdefghijklmnopqrstuvwxyz';
const base32 = (n, length) => Array.from({ length }, (_, i) => S32[Math.floor(n / 32 ** (length - 1 - i)) % 32]).join('');
const COLLECTIONS = ['app.bsky.feed.like', 'app.bsky.feed.post', 'app.bsky.graph.follow'];
const header = encode({ op: 1, t: '#commit' });
const say = (...words) => process.stdout.write(`${words.join('\t')}\n`);
const didOf = (n) => `did:plc:${base32(n * 7919 + 11, 24)}`;

// likes, posts and follows of the accounts, about as long as real ones
let clock = 1e9;
function write() {
  const n = (clock += 1 + Math.floor(Math.random() * 1e6));
  const collection = COLLECTIONS[n % 3];
  const whom = didOf(n % accounts);
  const post = { uri: `at://${whom}/app.bsky.feed.post/3k${base32(n % 1000, 11)}`, cid: 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a' };
  const createdAt = '2024-01-01T00:00:00.000Z';
  const record = { like: { subject: post, createdAt }, follow: { subject: whom, createdAt },
    post: { text: `a post that is as long as most of them are, number ${n}`, langs: ['en'], createdAt, ...(n % 2 && { reply: { root: post, parent: post } }) } };
  return { action: WriteOpAction.Create, collection, rkey: `3k${base32(n, 11)}`, record: { $type: collection, ...record[collection.split('.').at(-1)] } };
}

const all = [];
for (let n = 0; n < accounts; n++) {
  const did = didOf(n);
  const keypair = await Secp256k1Keypair.create();
  const repo = await Repo.create(new MemoryBlockstore(), did, keypair, Array.from({ length: size }, write));
  say(did, keypair.did(), repo.commit.rev, repo.commit.data);
  all.push({ did, keypair, repo });
}
for (let seq = 1; seq <= accounts * commits; seq++) {
  const a = all[seq % accounts];
  const w = write();
  const prevData = CID.parse(a.repo.commit.data.toString());
  const commit = await a.repo.formatCommit(w, a.keypair);
  a.repo = await a.repo.applyCommit(commit);
  const path = `${w.collection}/${w.rkey}`;
  const body = { seq, rebase: false, tooBig: false, repo: a.did, commit: CID.parse(commit.cid.toString()), rev: commit.rev, since: commit.since,
    blocks: Buffer.from(await blocksToCarFile(commit.cid, commit.relevantBlocks)),
    ops: [{ action: 'create', path, cid: CID.parse((await a.repo.data.get(path)).toString()) }], blobs: [], prevData, time: '2024-01-01T00:00:00.000Z' };
  say(seq, a.did, Buffer.concat([header, encode(body)]).toString('hex'), '');
}
