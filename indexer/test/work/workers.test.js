import assert from 'node:assert/strict';
import test from 'node:test';
import { Service } from '../../src/net/service.js';
import { Failure } from '../../src/protocol/failure.js';
import { METHODS } from '../../src/work/did-methods.js';
import { Workers } from '../../src/work/workers.js';
import { WritePermits } from '../../src/work/write-permits.js';

const SERVICE = 'https://pds.example';
const settings = {
  SERVICE_URL: SERVICE,
  PLC_URL: 'https://plc.example',
  MAX_DOWNLOADS: 64,
  MAX_DOWNLOAD_MEMORY: 1e8,
  DB_WRITERS: 2,
  PLC_RATE: 1,
  ALLOW_PRIVATE_ADDRESSES: false,
};

// Workers whose database and network are functions of the statement and the address.
function workers(database, network) {
  const over = new AbortController();
  const row = async (text, values) => database(/indexer\.(\w+)/.exec(text)[1], values) ?? {};
  const pool = { row, rows: async (...query) => [await row(...query)].flat() };
  const { signal } = over;
  const http = { get: async (url) => network(url) };
  const w = new Workers({
    settings,
    service: new Service({ settings, http, signal }),
    pools: { small: pool, answers: pool, own: pool, loads: pool },
    http,
    signal,
    lost: assert.fail,
    total: {},
    listening: () => true,
  });
  return { w, end: () => over.abort() };
}

test('a did:web is accepted in one spelling only', () => {
  const at = (did) => METHODS.web.url(did, settings);
  assert.equal(at('did:web:x.example'), 'https://x.example/.well-known/did.json');
  assert.equal(at('did:web:X.example'), 'https://X.example/.well-known/did.json');
  for (const host of [
    '0x08080808',
    '0x8.8.8.8',
    '010.8.8.8',
    '134744072',
    '8.8.2056',
    'x.example.',
    'x..example.',
  ])
    assert.equal(at(`did:web:${host}`), null, host);
});

test('a PDS has the names by which it calls itself, if these make sense', async () => {
  let did;
  const http = { get: async () => Buffer.from(JSON.stringify({ did })) };
  const service = new Service({
    settings: { ...settings, SERVICE_ALIASES: ['https://more.example'] },
    http,
  });
  for (const [said, named] of [
    ['did:web:other.example', ['https://other.example']],
    ['did:web:other.example%3A8443', ['https://other.example:8443']],
    ['did:web:pds.example', []],
    ['did:web:a%zz', []],
    ['did:web:other.example:path', []],
    ['did:web:999.1.1.1', []],
    ['did:plc:ejgtitwhvdkyn6p2rjeksof2', []],
  ]) {
    did = said;
    assert.deepEqual(await service.ownNames(), [SERVICE, ...named, 'https://more.example'], said);
  }
  did = 7;
  assert.equal(await service.ownNames(), null);
});

test('a server that is too busy for a list is left alone for as long as it wants', async () => {
  const { w } = workers(
    (name) =>
      name === 'next_listing'
        ? { of: '*', at: '', asked: 'now', kind: 'account', value: '*' }
        : null,
    () => {
      throw new Failure('throttled', 'later', { origin: SERVICE, retryAfter: 100 });
    },
  );
  const { breaker } = w.lists.service;
  assert.equal(breaker.allowance(1), 1);
  assert.equal(await w.lists.page(), false);
  assert.equal(breaker.allowance(1), 0);
  assert.ok(breaker.until - Date.now() > 90e3);
});

for (const described of [false, true])
  test(`accounts of a server that ${described ? 'has not' : 'never has'} described one are ${described ? 'not ' : ''}kept`, async () => {
    const noted = [];
    let asked = 0;
    const dids = described
      ? ['did:web:a.example', 'did:web:b.example']
      : ['did:web:b.example', 'did:web:c.example'];
    const { w, end } = workers(
      (name, values) => {
        if (name === 'finish_candidate') noted.push(values);
        if (name === 'claim_candidates') return asked < dids.length ? [{ did: dids[asked++] }] : [];
      },
      (url) => {
        if (!url.includes('a.example')) throw new Failure('not_found', '', { origin: SERVICE });
        return Buffer.from('{"did": "did:web:a.example", "collections": ["a.b.c"]}');
      },
    );
    const all = w.checks.signals();
    await new Promise((resolve) => setTimeout(resolve, 1000));
    end();
    await all;
    if (described)
      assert.deepEqual(noted, [
        ['did:web:a.example', ['a.b.c']],
        ['did:web:b.example', []],
      ]);
    else
      assert.deepEqual(
        [noted, asked],
        [[['did:web:b.example', null]], 1],
        'the second is not requested',
      );
  });

// The server redirects to the host of an account, which answers that it lacks the method.
test('an answer of another host about a method does not count for the server', async () => {
  const noted = [];
  let asked = 0;
  const { w, end } = workers(
    (name, values) => {
      if (name === 'finish_candidate') noted.push(values);
      if (name === 'claim_candidates')
        return asked < 3 ? [{ did: `did:web:${'abc'[asked++]}.example` }] : [];
    },
    (url) => {
      if (url.includes('a.example'))
        throw new Failure('not_implemented', '', { origin: 'https://host.example' });
      if (url.includes('b.example'))
        return Buffer.from('{"did": "did:web:b.example", "collections": ["a.b.c"]}');
      throw new Failure('not_implemented', '', { origin: SERVICE });
    },
  );
  const all = w.checks.signals();
  await new Promise((resolve) => setTimeout(resolve, 1000));
  end();
  await all;
  assert.deepEqual(
    [noted, asked, w.checks.undescribed],
    [[['did:web:b.example', ['a.b.c']]], 3, 0],
  );
});

for (const method of ['plc', 'web'])
  test(`questions ${method === 'web' ? 'for documents go on to the end' : 'begin again with those that are due longest'}`, async (t) => {
    t.mock.timers.enable({ apis: ['Date'] });
    const behind = [];
    const did = (i) =>
      method === 'web'
        ? `did:web:${'abcdef'[i]}.example`
        : `did:plc:${'a'.repeat(23)}${'abcdef'[i]}`;
    const { w, end } = workers((name, values) => {
      if (name !== 'claim_identities' || values[1] !== 'known' || values[2] !== method)
        return name === 'claim_identities' ? [] : null;
      behind.push(values[5]);
      t.mock.timers.tick(4000);
      if (behind.length === 6) end();
      return [{ did: did(behind.length - 1), asked: null, at: 'then' }];
    });
    await w.identities.run(
      'known',
      w.identities.methods.find(({ name }) => name === method),
    );
    assert.deepEqual(
      behind,
      method === 'web'
        ? [null, did(0), did(1), did(2), did(3), did(4)]
        : [null, did(0), did(1), null, did(3), did(4)],
    );
  });

test('the database gets the Retry-After of a host, and which host it is', async () => {
  const failed = [];
  const HOST = 'https://host.example';
  let claimed = 0;
  const { w, end } = workers(
    (name, values) => {
      if (name === 'claim_loads')
        return values[1] && claimed < 3
          ? [{ did: `did:web:${claimed}.example`, claim: ++claimed, host: HOST, at: 'then' }]
          : [];
      if (name === 'fail_load') failed.push([values[2], ...values.slice(4)]);
      return null;
    },
    (url) => {
      if (url.includes('0.example'))
        throw new Failure('server_error', '503', { origin: HOST, retryAfter: 6.5 });
      if (url.includes('1.example'))
        throw new Failure('throttled', '429', { origin: 'https://other.example', retryAfter: 60 });
      throw new Failure('timeout', '', { origin: HOST });
    },
  );
  const all = w.loads.run('known');
  for (const until = Date.now() + 10e3; failed.length < 3 && Date.now() < until;)
    await new Promise((resolve) => setTimeout(resolve, 20));
  end();
  await all;
  assert.deepEqual(failed, [
    ['server_error', true, 7],
    ['throttled', false, 60],
    ['timeout', true, null],
  ]);
});

test('a permit kept for known accounts serves small new ones while no known one waits', async () => {
  const permits = new WritePermits(2, 1);
  const begun = [];
  const take = async (name, known, bytes) => {
    const end = await permits.acquire(known, bytes);
    begun.push(name);
    return end;
  };
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  await take('large', false, 92e6);
  take('large too', false, 92e6);
  const small = await take('small', false, 1e5);
  assert.deepEqual(begun, ['large', 'small'], 'it does not wait for a large one');
  take('small too', false, 1e5);
  take('known', true, 5e7);
  await turn();
  assert.deepEqual(begun, ['large', 'small']);
  small();
  await turn();
  assert.deepEqual(begun, ['large', 'small', 'known'], 'known accounts come first');
});

test('requests to domains do not refill the cap on requests to the directory', async () => {
  const claimed = [];
  const { w, end } = workers(
    (name, values) => {
      if (name === 'wants_live') return { live: true };
      if (name !== 'claim_identities') return null;
      claimed.push(values);
      end();
      return [];
    },
    () => assert.fail('nothing is requested'),
  );
  const [plc, web] = ['plc', 'web'].map((n) => w.identities.methods.find((m) => m.name === n));
  assert.equal(plc.rate.take(9), 1);
  w.identities.isLive = true;
  await w.identities.run('new', web);
  assert.ok(claimed[0][0] > 1, 'all places are free for domains');
  assert.equal(plc.rate.take(9), 0);
});
