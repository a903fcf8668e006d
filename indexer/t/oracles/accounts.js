// Accounts with repositories of npm's package @atproto/repo and logs of @did-plc/lib, for network.js and hostile.js.
import { createHash } from 'node:crypto';
import { Secp256k1Keypair } from '@atproto/crypto';
import { MemoryBlockstore, Repo, WriteOpAction, blocksToCarFile, getFullRepo } from '@atproto/repo';
import * as plc from '@did-plc/lib';
import * as cbor from '@ipld/dag-cbor';
import { CID } from 'multiformats/cid';
import { create as createDigest } from 'multiformats/hashes/digest';

export const sha256 = (b) => createHash('sha256').update(b).digest();
export const cidOfBlock = (block) => CID.createV1(cbor.code, createDigest(0x12, sha256(block)));
export const cidOf = (value) => cidOfBlock(cbor.encode(value));
export const link = (cid) => CID.parse(cid.toString());
export const split = (path) => ({ collection: path.slice(0, path.indexOf('/')), rkey: path.slice(path.indexOf('/') + 1) });

// An entry of a PLC log, as /log/audit has it.
export const entry = (did, operation, at) => ({ did, operation, cid: cidOf(operation).toString(), nullified: false, createdAt: new Date(at).toISOString() });

// A frame of the stream; its body has a number of its own, or the one that is given.
export const frame = (header, body) => Buffer.concat([cbor.encode(header), cbor.encode(body)]);
export const frameOf = (t, seq, body) => frame({ op: 1, t }, { seq, time: new Date().toISOString(), ...body });

// Keeps all blocks, so that an older repository can be had too.
class Storage extends MemoryBlockstore {
  async applyCommit(commit) {
    this.root = commit.cid;
    this.rev = commit.rev;
    this.blocks.addMap(commit.newBlocks);
  }
}

export class Account {
  active = true;
  entries = new Map(); // the CIDs of its records by their paths
  older = undefined; // its repository before the last commit
  storage = new Storage();

  // An account and the body of its first commit. A DID that is given is one of did:web, which has no log.
  static async create({ did, handle, pds, key, first = [] }) {
    const account = new Account();
    account.key = key ?? await Secp256k1Keypair.create();
    account.rotation = await Secp256k1Keypair.create();
    account.log = [];
    account.did = did;
    if (!did) {
      const made = await plc.createOp({ signingKey: account.key.did(), handle, pds, rotationKeys: [account.rotation.did()], signer: account.rotation });
      account.did = made.did;
      account.log.push(entry(made.did, made.op, Date.now() - 1e6));
    }
    const commit = await Repo.formatInitCommit(account.storage, account.did, account.key, first);
    account.repo = await Repo.createFromCommit(account.storage, commit);
    return [account, await account.body(commit, first, null, account.entries)];
  }

  // The body of a commit, as @atproto/pds makes it; what is there after it is noted.
  async body(commit, list, prevData, entries) {
    const before = new Map(entries);
    const ops = list.map((w) => {
      const path = `${w.collection}/${w.rkey}`;
      const cid = w.action === WriteOpAction.Delete ? null : cidOf(w.record);
      const prev = before.get(path);
      if (cid) entries.set(path, cid);
      else entries.delete(path);
      return { action: w.action, path, cid, ...(prev ? { prev } : {}) };
    });
    return { rebase: false, tooBig: false, repo: this.did, commit: link(commit.cid), rev: commit.rev, since: commit.since,
      blocks: Buffer.from(await blocksToCarFile(commit.cid, commit.relevantBlocks)), ops, blobs: [], ...(prevData ? { prevData: link(prevData) } : {}) };
  }

  async commit(list) {
    const prevData = this.repo.commit.data;
    this.older = this.repo;
    const commit = await this.repo.formatCommit(list, this.key);
    this.repo = await this.repo.applyCommit(commit);
    return this.body(commit, list, prevData, this.entries);
  }

  // A commit that the account does not make, by that key; nothing of it is noted.
  async forged(list, key) {
    const commit = await this.repo.formatCommit(list, key);
    return this.body(commit, list, this.repo.commit.data, new Map(this.entries));
  }

  async changeLog(change, signer = this.rotation) {
    const operation = await plc.createUpdateOp(this.log.at(-1).operation, signer, change);
    this.log.push(entry(this.did, operation, Date.now() + this.log.length * 1000));
  }

  async changeKey(key) {
    await this.changeLog((o) => ({ ...o, verificationMethods: { ...o.verificationMethods, atproto: key.did() } }));
    this.key = key;
  }

  async car(repo = this.repo) {
    const chunks = [];
    for await (const chunk of getFullRepo(this.storage, repo.cid)) chunks.push(chunk);
    return Buffer.concat(chunks);
  }
}
