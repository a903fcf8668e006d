// A network for indexer/t/pds.pl: two servers of @atproto/pds, a directory of @did-plc/server, and what people do there.
//
//   node network.mjs FOLDER      keeps its files there, and ends with its input
//
// It does each step that a line of its input names, and then prints "done STEP" and what the step answers, as JSON:
//
//   start        {"pds": [URL, URL], "directory": URL}
//   join N       N more accounts, four of five on the first server; each writes
//   work         each account posts, edits and deletes
//   move         an account of the first server moves to the second; {"did": DID}
//   rotate       an account of the first server gets a new key, says so, and posts; {"did": DID}
//   rest         an account of the first server is deactivated; {"did": DID}
//   wake         and activated again; {"did": DID}
//   leave        an account of the first server is deleted; {"did": DID}
//   odd          an account writes what few can read; {"did": DID}
//   expected     what an indexer of each server has to have, as tables in FOLDER: record-N (uri, cid, block in hex, JSON
//                of listRecords), account-N (did, rev, key, handle)
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { writeFile } from 'node:fs/promises';
import { Secp256k1Keypair } from '@atproto/crypto';
import { PDS } from '@atproto/pds';
import { readCarWithRoot, verifyRepo } from '@atproto/repo';
import plc from '@did-plc/server';

const folder = process.argv[2];
const PASSWORD = 'a password of nobody';
const RECORD = 'app.bsky.feed.post';

const freePort = () => new Promise((resolve) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    server.close(() => resolve(port));
  });
});
const hex = async () => Buffer.from(await (await Secp256k1Keypair.create({ exportable: true })).export()).toString('hex');

const servers = [];
const accounts = []; // { did, handle, at: a server, token }
let directory;
let joined = 0;
let written = 0;

async function ask(server, method, { token, query, body, type } = {}) {
  const answer = await fetch(`${server.url}/xrpc/${method}${query ? `?${new URLSearchParams(query)}` : ''}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...(token && { authorization: token.includes(' ') ? token : `Bearer ${token}` }),
      ...(body !== undefined && body !== null && { 'content-type': type ?? 'application/json' }),
    },
    ...(body !== undefined && body !== null && { body: type ? body : JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method}: ${answer.status} ${await answer.text()}`);
  return answer.headers.get('content-type')?.startsWith('application/json') ? answer.json() : Buffer.from(await answer.arrayBuffer());
}
const admin = `Basic ${Buffer.from('admin:admin').toString('base64')}`;

const write = (account, method, more) => ask(account.at, `com.atproto.repo.${method}`, { token: account.token, body: { repo: account.did, ...more } });
const post = (text, more) => ({ $type: RECORD, text, createdAt: new Date(1.7e12 + 1000 * written++).toISOString(), ...more });

async function create(account, server, handle, more = {}, token) {
  const { accessJwt, did } = await ask(server, 'com.atproto.server.createAccount',
    { token, body: { handle, email: `${handle}@mail.test`, password: PASSWORD, ...more } });
  Object.assign(account, { did, handle, at: server, token: accessJwt });
}

const home = (n) => accounts.filter((a) => a.at === servers[n] && !a.resting);

// Changes what the directory has of an account, signed by the server's rotation key.
const update = (account, server, change) => server.ctx.plcClient.updateData(account.did, server.ctx.plcRotationKey, (op) => ({ ...op, ...change }));

const steps = {
  async start() {
    const port = await freePort();
    await plc.PlcServer.create({ db: plc.Database.mock(), port }).start();
    directory = `http://localhost:${port}`;
    const rotation = await hex(); // both are of one operator, so an account that moves can sign by either
    for (const n of [0, 1]) {
      const data = `${folder}/pds${n}`;
      mkdirSync(data);
      const at = await freePort();
      const server = await PDS.fromEnv({
        devMode: true, port: at, hostname: 'localhost', dataDirectory: data, blobstoreDiskLocation: `${data}/blobs`, didPlcUrl: directory,
        adminPassword: 'admin', jwtSecret: 'secret', serviceHandleDomains: ['.test'], inviteRequired: false, disableSsrfProtection: true,
        plcRotationKeyK256PrivateKeyHex: rotation, bskyAppViewUrl: 'https://appview.invalid', bskyAppViewDid: 'did:example:invalid',
      });
      await server.start();
      servers.push({ url: `http://localhost:${at}`, ctx: server.ctx });
    }
    return { pds: servers.map((s) => s.url), directory };
  },

  async join(count) {
    for (let i = 0; i < Number(count); i++) {
      const account = {};
      await create(account, servers[joined % 5 === 4 ? 1 : 0], `user${joined++}.test`);
      accounts.push(account);
      await write(account, 'putRecord', { collection: 'app.bsky.actor.profile', rkey: 'self', record: { $type: 'app.bsky.actor.profile', displayName: account.handle } });
      for (let n = 0; n < 3; n++) await write(account, 'createRecord', { collection: RECORD, record: post(`hello ${n}`) });
    }
  },

  async work() {
    for (const [i, account] of accounts.entries()) {
      if (account.resting) continue;
      const { uri, cid } = await write(account, 'createRecord', { collection: RECORD, record: post('a post') });
      const friend = accounts[(i + 1) % accounts.length];
      await write(account, 'applyWrites', { validate: false, writes: [
        ...Array.from({ length: 20 }, (_, n) => ({
          $type: 'com.atproto.repo.applyWrites#create', collection: 'app.bsky.feed.like', rkey: `like-${written}-${n}`,
          value: { $type: 'app.bsky.feed.like', subject: { uri, cid }, createdAt: new Date(1.7e12).toISOString() } })),
        { $type: 'com.atproto.repo.applyWrites#create', collection: 'app.bsky.graph.follow',
          value: { $type: 'app.bsky.graph.follow', subject: friend.did, createdAt: new Date(1.7e12).toISOString() } },
      ] });
      await write(account, 'putRecord', { collection: 'app.bsky.actor.profile', rkey: 'self', record: { $type: 'app.bsky.actor.profile', displayName: `${account.handle} ${written}` } });
      const { records } = await ask(account.at, 'com.atproto.repo.listRecords', { query: { repo: account.did, collection: 'app.bsky.feed.like', limit: 10 } });
      await write(account, 'applyWrites', { writes: records.map((r) => (
        { $type: 'com.atproto.repo.applyWrites#delete', collection: 'app.bsky.feed.like', rkey: r.uri.split('/').pop() })) });
      await write(account, 'deleteRecord', { collection: RECORD, rkey: uri.split('/').pop() });
    }
  },

  async move() {
    const account = home(0)[0];
    const [from, to] = servers;
    const token = account.token;
    const aud = (await ask(to, 'com.atproto.server.describeServer')).did;
    const { token: service } = await ask(from, 'com.atproto.server.getServiceAuth', { token, query: { aud, lxm: 'com.atproto.server.createAccount' } });
    const car = await ask(from, 'com.atproto.sync.getRepo', { query: { did: account.did } });
    await create(account, to, `new-${account.handle}`, { did: account.did }, service);
    await ask(to, 'com.atproto.repo.importRepo', { token: account.token, body: car, type: 'application/vnd.ipld.car' });
    await update(account, to, await ask(to, 'com.atproto.identity.getRecommendedDidCredentials', { token: account.token }));
    await ask(to, 'com.atproto.server.activateAccount', { token: account.token, body: null });
    await ask(from, 'com.atproto.server.deactivateAccount', { token, body: {} });
    await write(account, 'createRecord', { collection: RECORD, record: post('here now') });
    return { did: account.did };
  },

  async rotate() {
    const account = home(0)[1];
    const { ctx } = account.at;
    const key = await Secp256k1Keypair.create({ exportable: true });
    await update(account, account.at, { verificationMethods: { atproto: key.did() } });
    await writeFile((await ctx.actorStore.getLocation(account.did)).keyLocation, await key.export());
    await ctx.sequencer.sequenceIdentity(account.did, account.handle);
    await write(account, 'createRecord', { collection: RECORD, record: post('by a new key') });
    return { did: account.did };
  },

  async rest() {
    const account = home(0)[2];
    await ask(account.at, 'com.atproto.server.deactivateAccount', { token: account.token, body: {} });
    account.resting = true;
    return { did: account.did };
  },

  async wake() {
    const account = accounts.find((a) => a.resting);
    await ask(account.at, 'com.atproto.server.activateAccount', { token: account.token, body: null });
    account.resting = false;
    return { did: account.did };
  },

  async leave() {
    const account = home(0)[3];
    await ask(account.at, 'com.atproto.admin.deleteAccount', { token: admin, body: { did: account.did } });
    accounts.splice(accounts.indexOf(account), 1);
    return { did: account.did };
  },

  async odd() {
    const account = home(0)[4];
    for (const more of [{ text: '\ufeffa byte order mark' }, { text: 'a\0zero', 'a\0key': 1 }, { text: '\uffff and \u{10ffff}' },
      { text: '', '': [Number.MAX_SAFE_INTEGER, -1, null] }]) {
      await write(account, 'createRecord', { collection: RECORD, validate: false, record: post('', more) });
    }
    return { did: account.did };
  },

  async expected() {
    const copied = (fields) => `${fields.map((f) => f.replace(/[\\\t\n\r]/g, (c) => ({ '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' })[c])).join('\t')}\n`;
    for (const [n, server] of servers.entries()) {
      let records = '';
      let people = '';
      for (const account of home(n)) {
        const { did } = account;
        const { blocks, root } = await readCarWithRoot(await ask(server, 'com.atproto.sync.getRepo', { query: { did } }));
        const key = (await (await fetch(`${directory}/${did}/data`)).json()).verificationMethods.atproto;
        const { creates, commit } = await verifyRepo(blocks, root, did, key);
        const listed = new Map();
        for (const collection of (await ask(server, 'com.atproto.repo.describeRepo', { query: { repo: did } })).collections) {
          for (let cursor = ''; cursor !== undefined;) {
            const page = await ask(server, 'com.atproto.repo.listRecords', { query: { repo: did, collection, limit: 100, ...(cursor && { cursor }) } });
            for (const r of page.records) listed.set(r.uri, r);
            cursor = page.records.length ? page.cursor : undefined;
          }
        }
        for (const { collection, rkey, cid } of creates) {
          const uri = `at://${did}/${collection}/${rkey}`;
          const its = listed.get(uri);
          listed.delete(uri);
          if (its?.cid !== cid.toString()) throw new Error(`getRepo and listRecords differ: ${uri}`);
          records += copied([uri, cid.toString(), Buffer.from(blocks.get(cid)).toString('hex'), JSON.stringify(its.value)]);
        }
        if (listed.size) throw new Error(`only in listRecords: ${[...listed.keys()]}`);
        people += copied([did, commit.rev, key, account.handle]);
      }
      writeFileSync(`${folder}/record-${n}`, records);
      writeFileSync(`${folder}/account-${n}`, people);
    }
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const [step, ...words] = line.split(' ');
  try {
    console.log(`done ${step} ${JSON.stringify(await steps[step](...words) ?? {})}`);
  } catch (e) {
    console.log(`failed ${step} ${JSON.stringify(e.stack)}`);
  }
}
process.exit();
