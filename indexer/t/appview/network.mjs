// A network for indexer/t/appview.pl: a server of accounts, a PLC directory and Bluesky's AppView, of @atproto/dev-env.
//
//   node network.mjs PORT        of the feed generator; it ends with its input
//
// It needs a Redis at REDIS_HOST, and a database at DB_POSTGRES_URL. It does each step that a line of its input names, and
// then prints "done STEP" and its answer as JSON:
//
//   start              {"pds": URL, "appview": URL, "directory": URL, "generator": DID}
//   join N             N more accounts; ["DID", ...] of all
//   post N TEXT        account N posts; {"uri", "at"}: the address, and when the server answered
//   delete URI         its account deletes a post
//   follow N M         account N follows M
//   feed URI N LIMIT   all pages of a feed, as account N sees it through its server, or anybody, -: from the AppView;
//                      [{"uri", "text", "handle"}, ...], or {"error"}
//   list WORD          the posts with a word in all repositories, by listRecords, newest first; [URI, ...]
//   password N         {"handle", "password"}
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { Secp256k1Keypair } from '@atproto/crypto';
import { TestBsky, TestBsync, TestPds, TestPlc, mockNetworkUtilities } from '@atproto/dev-env';
import * as plc from '@did-plc/lib';

const PASSWORD = 'a password of nobody';
const POST = 'app.bsky.feed.post';
const accounts = []; // { did, handle, token }
let network;
let last = 0;

async function ask(url, method, { token, query, body } = {}) {
  const answer = await fetch(`${url}/xrpc/${method}${query ? `?${new URLSearchParams(query)}` : ''}`, {
    method: body ? 'POST' : 'GET',
    headers: { ...(token && { authorization: `Bearer ${token}` }), ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

const write = (account, method, more) =>
  ask(network.pds.url, `com.atproto.repo.${method}`, { token: account.token, body: { repo: account.did, ...more } });

// The time of a record: no two are equal.
function nextTime() {
  last = Math.max(Date.now(), last + 1);
  return new Date(last).toISOString();
}

async function* pagesOf(url, method, options) {
  for (let cursor = ''; cursor !== undefined; ) {
    const page = await ask(url, method, { ...options, query: { ...options.query, ...(cursor && { cursor }) } });
    yield page;
    cursor = page.cursor;
  }
}

// A free port below those that the system gives to connections, which could take it meanwhile.
async function freePort() {
  for (;;) {
    const port = 10000 + Math.floor(Math.random() * 22000);
    const isFree = await new Promise((resolve) => {
      const server = createServer().on('error', () => resolve(false)).listen(port, () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}

const steps = {
  async start() {
    const directory = await TestPlc.create({});
    const keypair = await Secp256k1Keypair.create();
    const operation = await plc.signOperation(
      {
        type: 'plc_operation', verificationMethods: { atproto: keypair.did() }, rotationKeys: [keypair.did()], alsoKnownAs: [],
        services: { bsky_fg: { type: 'BskyFeedGenerator', endpoint: `http://localhost:${process.argv[2]}` } }, prev: null,
      },
      keypair,
    );
    const generator = await plc.didForCreateOp(operation);
    await directory.getClient().sendOperation(generator, operation);
    const port = await freePort();
    const bsync = await TestBsync.create({ apiKeys: ['key'], dbUrl: process.env.DB_POSTGRES_URL, dbSchema: 'bsync' });
    const bsky = await TestBsky.create({
      plcUrl: directory.url, pdsPort: port, bsyncApiKey: 'key', bsyncUrl: bsync.url, repoProvider: `ws://localhost:${port}`,
      dbPostgresSchema: 'appview', dbPostgresUrl: process.env.DB_POSTGRES_URL, redisHost: process.env.REDIS_HOST,
    });
    bsync.ctx.dataplaneClients = [bsky.ctx.dataplane];
    const pds = await TestPds.create({
      port, didPlcUrl: directory.url, bskyAppViewUrl: bsky.url, bskyAppViewDid: bsky.ctx.cfg.serverDid,
    });
    mockNetworkUtilities(pds, bsky);
    network = { pds, bsky, directory };
    return { pds: pds.url, appview: bsky.url, directory: directory.url, generator };
  },

  async join(count) {
    for (let i = 0; i < Number(count); i++) {
      const handle = `user${accounts.length}.test`;
      const body = { handle, email: `${handle}@mail.test`, password: PASSWORD };
      const { did, accessJwt } = await ask(network.pds.url, 'com.atproto.server.createAccount', { body });
      accounts.push({ did, handle, token: accessJwt });
    }
    return accounts.map(({ did }) => did);
  },

  async post(n, ...words) {
    const record = { $type: POST, text: words.join(' '), createdAt: nextTime() };
    const { uri } = await write(accounts[n], 'createRecord', { collection: POST, record });
    return { uri, at: Date.now() };
  },

  async delete(uri) {
    const [, , did, collection, rkey] = uri.split('/');
    await write(accounts.find((a) => a.did === did), 'deleteRecord', { collection, rkey });
    return {};
  },

  async follow(n, m) {
    const collection = 'app.bsky.graph.follow';
    await write(accounts[n], 'createRecord', { collection, record: { $type: collection, subject: accounts[m].did, createdAt: nextTime() } });
    return {};
  },

  async feed(feed, n, limit) {
    const [url, token] = n === '-' ? [network.bsky.url] : [network.pds.url, accounts[n].token];
    await network.bsky.sub.processAll();
    const items = [];
    try {
      for await (const page of pagesOf(url, 'app.bsky.feed.getFeed', { token, query: { feed, limit } }))
        items.push(...page.feed.map(({ post }) => ({ uri: post.uri, text: post.record.text, handle: post.author.handle })));
    } catch (error) {
      return { error: error.message };
    }
    return items;
  },

  async list(word) {
    const posts = [];
    for (const { did } of accounts)
      for await (const page of pagesOf(network.pds.url, 'com.atproto.repo.listRecords', { query: { repo: did, collection: POST, limit: 100 } }))
        posts.push(...page.records.filter(({ value }) => value.text.split(' ').includes(word)));
    posts.sort((a, b) => (a.value.createdAt < b.value.createdAt ? 1 : -1));
    return posts.map(({ uri }) => uri);
  },

  async password(n) {
    const { handle, token } = accounts[n];
    const { password } = await ask(network.pds.url, 'com.atproto.server.createAppPassword', { token, body: { name: 'feeds' } });
    return { handle, password };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const [step, ...words] = line.split(' ');
  console.log(`done ${step} ${JSON.stringify((await steps[step](...words)) ?? {})}`);
}
process.exit();
