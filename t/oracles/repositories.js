// Repositories, as npm's packages @atproto/repo and @atcute/mst make them, and as the server reads them.
//
//   node repositories.js SEED REPOSITORIES MUTATIONS DATABASE     with PGHOST, PGPORT and PGUSER set
//
// Prints lines of "ok" or "not ok", a tab and what was compared, and lines of "note", a tab and a remark.
//
// @atproto/repo makes a repository, signs its commits and writes CARs: a full export, and for random edits
// another export and the slice that goes over the firehose. @atcute/mst makes the same tree by putting and
// deleting keys one by one in the order of chance.
import { createHash } from 'node:crypto';
import { fromString, toCidLink } from '@atcute/cid';
import { MemoryBlockStore as NodeBlocks, NodeStore, NodeWrangler } from '@atcute/mst';
import { Secp256k1Keypair } from '@atproto/crypto';
import { MemoryBlockstore, Repo, WriteOpAction, blocksToCarFile, getFullRepo } from '@atproto/repo';
import pg from 'pg';
import { verdicts } from './verdicts.js';

const [seed, repositories, mutations] = process.argv.slice(2, 5).map(Number);
const database = process.argv[5];
const DID = 'did:plc:ewvi7nxzyoun6zhxrhs64oiz';

// --- chance, from a seed ----------------------------------------------------------------------------

let counter = 0;
let pool = Buffer.alloc(0);
let at = 0;
function word() {
  if (at + 4 > pool.length) {
    pool = createHash('sha512').update(`${seed} ${counter++}`).digest();
    at = 0;
  }
  at += 4;
  return pool.readUInt32BE(at - 4);
}
const below = (n) => Math.floor((word() / 2 ** 32) * n);
const pick = (list) => list[below(list.length)];
function shuffle(list) {
  for (let i = list.length - 1; i > 0; i--) {
    const j = below(i + 1);
    [list[i], list[j]] = [list[j], list[i]];
  }
  return list;
}

const S32 = '234567abcdefghijklmnopqrstuvwxyz';
const tid = () => '3' + Array.from({ length: 12 }, () => pick(S32)).join('');
const COLLECTIONS = ['app.bsky.feed.post', 'app.bsky.feed.like', 'app.bsky.graph.follow', 'com.example.x', 'com.example.xY'];
const rkey = () => pick([tid, tid, tid, () => `k${below(1000)}`, () => `self-${below(9)}.~_:`, () => 'x'.repeat(1 + below(100))])();
const path = () => `${pick(COLLECTIONS)}/${rkey()}`;
// some records are the same, under several paths
const record = () => ({ $type: 'com.example.record', text: below(8) ? `text ${word()}` : 'the same', n: below(8) ? word() : 1 });

// Mostly small, and up to 3,000.
const size = () => pick([() => below(4), () => below(60), () => below(60), () => below(400), () => below(3001)])();

const { same, printVerdicts } = verdicts();
const db = new pg.Client({ database });
await db.connect();
await db.query(`CREATE FUNCTION pg_temp.records(car bytea) RETURNS text LANGUAGE plpgsql AS $$
  DECLARE answer text;
  BEGIN
    SELECT md5(string_agg(r::text, ' ')) INTO answer FROM atid.repo_records(car) r;
    RETURN CASE WHEN atid.repo_is_valid(car) THEN coalesce(answer, 'none') ELSE 'read, but not valid' END;
  EXCEPTION WHEN data_exception OR program_limit_exceeded OR feature_not_supported THEN
    RETURN CASE WHEN atid.repo_is_valid(car) THEN 'valid, but not read' ELSE 'refused' END;
  END $$`);
const ask = (text, values) => db.query({ text, values, name: createHash('md5').update(text).digest('hex') }).then((r) => r.rows);

// --- repositories -----------------------------------------------------------------------------------

// A storage that keeps all blocks: @atproto/repo removes that of a deleted record, also where another path has it.
class Storage extends MemoryBlockstore {
  async applyCommit(commit) {
    this.root = commit.cid;
    this.rev = commit.rev;
    this.blocks.addMap(commit.newBlocks);
  }
}

const concat = async (parts) => {
  const list = [];
  for await (const part of parts) list.push(part);
  return Buffer.concat(list);
};
const split = (p) => ({ collection: p.slice(0, p.indexOf('/')), rkey: p.slice(p.indexOf('/') + 1) });
const lineSet = (text) => new Set((text ?? '').split('\n').filter((line) => line !== ''));
const lines = (map) => [...map].sort(([a], [b]) => (a < b ? -1 : 1)).map(([k, v]) => `${k} ${v}`).join('\n');

async function entriesOf(repo) {
  const map = new Map();
  for (const leaf of await repo.data.list()) map.set(leaf.key, leaf.value.toString());
  return map;
}

const keypair = await Secp256k1Keypair.create();
const small = [];

// The tree that @atcute/mst comes to from one set of entries to another.
async function atcuteRoot(wrangler, root, from, to) {
  for (const key of shuffle([...new Set([...from.keys(), ...to.keys()])])) {
    if (!to.has(key)) root = await wrangler.deleteRecord(root, key);
    else if (from.get(key) !== to.get(key)) root = await wrangler.putRecord(root, key, toCidLink(fromString(to.get(key))));
  }
  return root;
}

for (let i = 0; i < repositories; i++) {
  const storage = new Storage();
  const paths = [...new Set(Array.from({ length: size() }, path))];
  const creates = paths.map((p) => ({ action: WriteOpAction.Create, ...split(p), record: record() }));
  const before = await Repo.create(storage, DID, keypair, creates);
  const carBefore = await concat(getFullRepo(storage, before.cid));
  const entriesBefore = await entriesOf(before);
  const dataBefore = before.commit.data.toString();

  // edits: of what is there, and new
  const touched = shuffle([...paths]).slice(0, below(Math.min(paths.length, 20) + 1));
  const news = [...new Set(Array.from({ length: below(12) }, path))].filter((p) => !entriesBefore.has(p));
  const writes = [
    ...touched.map((p) => (below(2) ? { action: WriteOpAction.Delete, ...split(p) } : { action: WriteOpAction.Update, ...split(p), record: record() })),
    ...news.map((p) => ({ action: WriteOpAction.Create, ...split(p), record: record() }))];
  const commit = await before.formatCommit(writes, keypair);
  const slice = await blocksToCarFile(commit.cid, commit.relevantBlocks);
  const after = await before.applyCommit(commit);
  const carAfter = await concat(getFullRepo(storage, after.cid));
  const entriesAfter = await entriesOf(after);
  const dataAfter = after.commit.data.toString();

  const operations = [...new Set([...entriesBefore.keys(), ...entriesAfter.keys()])].sort((a, b) => (a < b ? -1 : 1))
    .map((key) => ({ key, old: entriesBefore.get(key) ?? null, new: entriesAfter.get(key) ?? null })).filter((o) => o.old !== o.new);
  const [row] = await ask(`
    SELECT (SELECT string_agg(collection || '/' || rkey || ' ' || cid, E'\\n') FROM atid.repo_records($1)) AS records,
           (SELECT string_agg(key || ' ' || value, E'\\n') FROM atid.mst_entries($1, $2)) AS entries,
           (SELECT count(*) FROM atid.repo_records($1) WHERE cid <> atid.cid_of(block, 'dag-cbor')) AS wrong,
           atid.repo_problem($1) AS problem, atid.repo_problem($3) AS problem_after,
           (SELECT c.data || ' ' || c.did || ' ' || c.rev || ' ' || c.version || ' ' || encode(c.sig, 'hex') FROM atid.repo_commit($1) c) AS commit,
           (SELECT atid.mst_root(key, value) FROM atid.mst_entries($1, $2))::text AS root,
           (SELECT atid.mst_root(key, value ORDER BY key COLLATE "C") FROM unnest($6::text[], $8::atid.cid_link[]) AS e (key, value))::text AS root_of,
           (SELECT count(*) FROM (SELECT cid, block FROM atid.car_blocks((SELECT atid.mst_car(key, value) FROM atid.mst_entries($1, $2)))
              EXCEPT SELECT cid, block FROM atid.car_blocks($1)) x) AS other_nodes,
           (SELECT atid.car_agg(r.cid, b.cid, b.block ORDER BY b.n) = $1 FROM atid.car_blocks($1) b, atid.car_roots($1) r) AS same_car,
           (SELECT string_agg(key || ' ' || coalesce(old::text, '-') || ' ' || coalesce(new::text, '-'), E'\\n') FROM atid.mst_diff($1, $2, $3, $4)) AS diff,
           (SELECT string_agg(key || ' ' || coalesce(new::text, '-') || ' ' || coalesce(old::text, '-'), E'\\n') FROM atid.mst_diff($3, $4, $1, $2)) AS back,
           atid.mst_invert($3, $4, $7, $9, $10)::text AS inverted, atid.mst_invert($5, $4, $7, $9, $10)::text AS inverted_slice,
           (SELECT string_agg(key || ' ' || value, E'\\n') FROM atid.mst_entries($5, $4, true)) AS in_slice,
           (SELECT string_agg(collection || '/' || rkey || ' ' || cid, E'\\n') FROM atid.repo_records($5, true)) AS records_in_slice,
           (SELECT string_agg(collection || '/' || rkey || ' ' || cid, E'\\n') FROM atid.repo_records($5, true)
              WHERE block IS NOT NULL AND cid = atid.cid_of(block, 'dag-cbor')) AS blocks_in_slice`,
  [carBefore, dataBefore, carAfter, dataAfter, Buffer.from(slice), [...entriesBefore.keys()], operations.map((o) => o.key), [...entriesBefore.values()],
    operations.map((o) => o.old), operations.map((o) => o.new)]);
  const show = () => `repository ${i} of ${paths.length} paths: ${JSON.stringify({ ...row, records: undefined, entries: undefined })}`;

  const listed = lines(entriesBefore);
  same('repo_records: the paths and CIDs of @atproto/repo', (row.records ?? '') === listed, show);
  same('mst_entries: the entries of @atproto/repo', (row.entries ?? '') === listed, show);
  same('repo_records: each block is its CID\'s', row.wrong === '0', show);
  same('repo_problem: none', row.problem === null && row.problem_after === null, show);
  const { commit: c } = before;
  same('repo_commit: the commit of @atproto/repo', row.commit === `${dataBefore} ${c.did} ${c.rev} ${c.version} ${Buffer.from(c.sig).toString('hex')}`, show);
  same('mst_root: the root of @atproto/repo', row.root === dataBefore && row.root_of === dataBefore, show);
  same('mst_car: the nodes of @atproto/repo', row.other_nodes === '0', show);
  same('car_agg: the CAR again, byte for byte', row.same_car, show);
  const changes = operations.map((o) => `${o.key} ${o.old ?? '-'} ${o.new ?? '-'}`).join('\n');
  same('mst_diff: the difference of the entries, both ways', (row.diff ?? '') === changes && (row.back ?? '') === changes, show);
  same('mst_invert: the root before, from the full export', row.inverted === dataBefore, show);
  same('mst_invert: the root before, from the slice of the firehose', row.inverted_slice === dataBefore, show);
  // a slice has the nodes on the way to each key that was put, and its record
  const sliced = lineSet(row.in_slice);
  const all = lineSet(lines(entriesAfter));
  const put = operations.filter((o) => o.new !== null).map((o) => `${o.key} ${o.new}`);
  same('mst_entries, partial: entries of the tree after, those that were put among them',
    [...sliced].every((line) => all.has(line)) && put.every((line) => sliced.has(line)), show);
  const sent = new Set(commit.relevantBlocks.cids().map(String));
  same('repo_records, partial: the same, with those blocks that were sent', row.records_in_slice === row.in_slice &&
    (row.blocks_in_slice ?? '') === [...sliced].filter((line) => sent.has(line.split(' ')[1])).join('\n'), show);

  // a commit that changes no record is sent without any node
  const idle = await after.formatCommit([], keypair);
  const [still] = await ask(`
    SELECT (SELECT string_agg(cid::text, ' ') FROM atid.car_blocks($1)) AS blocks, (SELECT count(*) FROM atid.mst_entries($1, $2, true)) AS entries,
           (SELECT count(*) FROM atid.repo_records($1, true)) AS records, atid.mst_invert($1, $2, '{}', '{}', '{}')::text AS inverted`,
  [await blocksToCarFile(idle.cid, idle.relevantBlocks), dataAfter]);
  same('a commit without operations: its block alone, no entries, and its root is the one before',
    still.blocks === idle.cid.toString() && still.entries === '0' && still.records === '0' && still.inverted === dataAfter,
    () => `${show()} ${JSON.stringify(still)}`);

  const wrangler = new NodeWrangler(new NodeStore(new NodeBlocks()));
  const none = new Map(); // of which @atcute/mst makes no tree at all
  const atcuteBefore = (await atcuteRoot(wrangler, null, none, entriesBefore)) ?? null;
  if (entriesBefore.size > 0) same('mst_root: the root of @atcute/mst', row.root === atcuteBefore, () => `${show()} ${atcuteBefore}`);
  if (entriesBefore.size > 0 && entriesAfter.size > 0) {
    const atcuteAfter = await atcuteRoot(wrangler, atcuteBefore, entriesBefore, entriesAfter);
    same('@atproto/repo and @atcute/mst agree on the tree after', atcuteAfter === dataAfter, () => `${show()} ${atcuteAfter}`);
  }
  if (paths.length > 0 && paths.length < 40 && small.length < 50) {
    // half of them with all blocks twice: those that come second do not matter
    const sections = carAfter.subarray(1 + carAfter[0]);
    small.push(small.length % 2 ? carAfter : Buffer.concat([carAfter, sections]));
  }
}

// --- mutated CARs -----------------------------------------------------------------------------------

const answers = new Map();
let refused = 0;
for (let done = 0; done < mutations; done += 200) {
  const batch = Array.from({ length: Math.min(200, mutations - done) }, () => {
    const car = pick(small);
    const place = below(car.length);
    const other = Buffer.from(car);
    switch (below(3)) {
      case 0: other[place] ^= 1 + below(255); return { car, other };
      case 1: return { car, other: Buffer.concat([car.subarray(0, place), car.subarray(place + 1)]) };
      default: return { car, other: Buffer.concat([car.subarray(0, place + 1), car.subarray(place)]) };
    }
  });
  for (const car of new Set(batch.map((b) => b.car))) {
    if (!answers.has(car)) answers.set(car, (await ask('SELECT pg_temp.records($1) AS answer', [car]))[0].answer);
  }
  const rows = await ask('SELECT pg_temp.records(c) AS answer FROM unnest($1::bytea[]) WITH ORDINALITY AS t (c, i) ORDER BY i', [batch.map((b) => b.other)]);
  rows.forEach(({ answer }, i) => {
    refused += answer === 'refused';
    same('a byte changed, dropped or doubled: refused, or the same records', answer === 'refused' || answer === answers.get(batch[i].car),
      () => `${answer} ${batch[i].other.toString('hex')}`);
  });
}
await db.end();

console.log(`note\t${refused} of ${mutations} mutated CARs are refused`);
same('mutated CARs: some are refused, and some are not', refused > mutations / 10 && refused < mutations * 0.95, () => `${refused}`);
printVerdicts();
