// Frames for bench/events, as a PDS sends them: commits of one record to trees of several sizes.
//
//   node events.mjs FRAMES SIZE...     prints lines of a size, a key and a frame in hex, with tabs between
import { encode } from '@ipld/dag-cbor';
import { Secp256k1Keypair } from '@atproto/crypto';
import { MemoryBlockstore, Repo, WriteOpAction, blocksToCarFile } from '@atproto/repo';
import { CID } from 'multiformats/cid';

const [frames, ...sizes] = process.argv.slice(2).map(Number);
const S32 = '234567abcdefghijklmnopqrstuvwxyz';
const tid = (n) => '3k' + Array.from({ length: 11 }, (_, i) => S32[Math.floor(n / 32 ** (10 - i)) % 32]).join('');
const COLLECTIONS = ['app.bsky.feed.like', 'app.bsky.feed.post', 'app.bsky.graph.follow'];
const header = encode({ op: 1, t: '#commit' });
const keypair = await Secp256k1Keypair.create();
const did = 'did:plc:ewvi7nxzyoun6zhxrhs64oiz';

// likes, posts and follows, each after the last of its collection
let clock = 1e9;
function write() {
  const n = (clock += 1 + Math.floor(Math.random() * 1e6));
  return { action: WriteOpAction.Create, collection: COLLECTIONS[n % 3], rkey: tid(n),
    record: { $type: COLLECTIONS[n % 3], text: `a record of some 200 bytes ${'as they are '.repeat(8)}${n}`, createdAt: '2024-01-01T00:00:00.000Z', langs: ['en'] } };
}

for (const size of sizes) {
  const storage = new MemoryBlockstore();
  let repo = await Repo.create(storage, did, keypair, Array.from({ length: size }, write));
  for (let seq = 1; seq <= frames; seq++) {
    const w = write();
    const prevData = repo.commit.data.toString();
    const commit = await repo.formatCommit(w, keypair);
    repo = await repo.applyCommit(commit);
    const path = `${w.collection}/${w.rkey}`;
    const body = { seq, rebase: false, tooBig: false, repo: did, commit: CID.parse(commit.cid.toString()), rev: commit.rev, since: commit.since,
      blocks: Buffer.from(await blocksToCarFile(commit.cid, commit.relevantBlocks)),
      ops: [{ action: 'create', path, cid: CID.parse((await repo.data.get(path)).toString()) }], blobs: [], prevData: CID.parse(prevData), time: '2024-01-01T00:00:00.000Z' };
    process.stdout.write(`${size}\t${keypair.did()}\t${Buffer.concat([header, encode(body)]).toString('hex')}\n`);
  }
}
