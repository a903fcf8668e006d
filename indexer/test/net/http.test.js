import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import dns from 'node:dns';
import http from 'node:http';
import test, { after, before } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  domainOf,
  Http,
  isPrivate,
  lookUpBy,
  Memory,
  originOf,
  Places,
} from '../../src/net/http.js';
import { Failure } from '../../src/protocol/answers.js';

let server;
let base;
let handler;
before(async () => {
  server = http.createServer((q, r) => {
    r.on('error', () => {});
    handler(q, r);
  });
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  base = `http://127.0.0.1:${server.address().port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

const make = (more = {}) =>
  new Http({
    REPO_TIMEOUT: 60,
    MIN_DOWNLOAD_RATE: 10000,
    ALLOW_PRIVATE_ADDRESSES: false,
    SERVICE_URL: base,
    ...more,
  });
const get = async (path, { most = 1e6, client = make(), ...more } = {}) => {
  try {
    return await client.get(`${base}${path}`, {
      most,
      signal: new AbortController().signal,
      ...more,
    });
  } catch (e) {
    assert.ok(e instanceof Failure, e.stack);
    return e.why;
  } finally {
    client.close();
  }
};

test('addresses to which no stranger may lead us', () => {
  for (const a of [
    '127.0.0.1',
    '10.1.2.3',
    '192.168.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:0:7f00:1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    '2001::1',
    '2002:7f00:1::',
    '192.88.99.1',
    '3fff:fff::1',
    '5f00::1',
    'fc00::1',
    'fe80::1',
    'ff02::1',
  ])
    assert.ok(isPrivate(a), a);
  for (const a of [
    '8.8.8.8',
    '1.1.1.1',
    '::ffff:8.8.8.8',
    '2606:4700::1',
    '2a00::1',
    '2001:4860::1',
  ])
    assert.ok(!isPrivate(a), a);
});

// A name server that knows these names.
async function nameServer(names) {
  const socket = dgram.createSocket('udp4');
  socket.on('message', (question, { port }) => {
    const end = question.indexOf(0, 12) + 5;
    const name = question
      .subarray(12, end - 5)
      .toString('latin1')
      .replace(/[\x01-\x1f]/g, '.')
      .slice(1);
    const type = question.readUInt16BE(end - 4);
    const found = (names[name] ?? []).filter((address) => (type === 28) === address.includes(':'));
    const rows = found.map((address) => {
      const bytes = address.includes(':')
        ? Buffer.from(address.replace('::', '0'.repeat(16)), 'hex')
        : Buffer.from(address.split('.').map(Number));
      return Buffer.concat([
        Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 1, 0, bytes.length]),
        bytes,
      ]);
    });
    const head = Buffer.concat([
      question.subarray(0, 2),
      Buffer.from([0x81, names[name] ? 0x80 : 0x83, 0, 1, 0, rows.length, 0, 0, 0, 0]),
    ]);
    socket.send(Buffer.concat([head, question.subarray(12, end), ...rows]), port, '127.0.0.1');
  });
  await new Promise((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return socket;
}

test('names of strangers are looked up by DNS, and lead to no private address', async () => {
  const socket = await nameServer({
    'public.test': ['93.184.216.34', '26060000::00000001'],
    'private.test': ['10.0.0.1'],
    'mixed.test': ['93.184.216.34', '10.0.0.1'],
    'six.test': ['fc000000::00000001', '93.184.216.34'],
    'empty.test': [],
  });
  const resolver = new dns.Resolver({ timeout: 500, tries: 1 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  const lookUp = lookUpBy(resolver);
  const ask = (name, all = true) =>
    new Promise((resolve) => {
      lookUp(name, { all }, (e, found) =>
        resolve(e ? e.code : all ? found.map((f) => f.address).sort() : found),
      );
    });
  try {
    assert.deepEqual(await ask('public.test'), ['2606::1', '93.184.216.34']);
    assert.match(await ask('public.test', false), /^(2606::1|93\.184\.216\.34)$/);
    for (const name of [
      'private.test',
      'mixed.test',
      'six.test',
      'localhost',
      'x.localhost',
      'localhost.',
    ]) {
      assert.equal(await ask(name), 'EPRIVATE', name);
    }
    for (const name of ['empty.test', 'nobody.test'])
      assert.match(await ask(name), /^E(NOTFOUND|NODATA)$/);
  } finally {
    resolver.cancel();
    socket.close();
  }
});

test('the domain that somebody registers', () => {
  assert.equal(domainOf('https://a.b.example.co.uk:8443'), 'example.co.uk');
  assert.equal(domainOf('https://x.github.io'), 'github.io');
  assert.equal(domainOf('http://[::1]:5'), '::1');
  assert.equal(domainOf('http://10.0.0.1'), '10.0.0.1');
  assert.equal(domainOf('http://localhost:3000'), 'localhost');
});

test('an origin that is no URL has a place of its own', () => {
  const places = new Places({ all: 8, origin: 1, domain: 1 });
  for (const origin of ['https://999.1.1.1', 'https://h.example:99999', 'https://[:::]']) {
    assert.equal(domainOf(origin), origin);
    assert.ok(places.take(origin, 'new'), origin);
    assert.equal(places.take(origin, 'new'), null);
  }
});

test('places are shared', () => {
  const places = new Places({ all: 16, origin: 4, domain: 5, free: ['https://our.example'] });
  const origin = (i, of = 'evil.example') => `https://${i}.${of}`;
  const known = Array.from({ length: 5 }, () => places.take(origin(1), 'known'));
  assert.deepEqual(known.map(Boolean), [true, true, true, true, false]);
  assert.ok(places.busy('known').includes(origin(1)));
  const unknown = [2, 3, 4, 5, 6, 7].map((i) => places.take(origin(i), 'new'));
  assert.deepEqual(unknown.map(Boolean), [true, true, true, true, true, false]);
  assert.ok(
    places.busy('new').includes(origin(7)),
    'an origin of a domain without a place is busy',
  );
  assert.ok(!places.busy('known').includes(origin(7)), 'for accounts of this kind');
  assert.deepEqual(places.busyDomains('new'), ['evil.example']);
  unknown[0].arrived();
  unknown[0].end();
  unknown[0].end();
  assert.ok(!places.busy('new').includes(origin(7)));
  const moving = [
    places.take('https://our.example', 'new'),
    places.take('https://our.example', 'new'),
  ];
  assert.ok(moving[0].move(origin(8)));
  assert.ok(!moving[1].move(origin(9)), 'a redirect needs a place, too');
  // 4 known and 6 unknown are here: 8 of these at most
  const more = Array.from({ length: 4 }, (_, i) =>
    places.take(origin(i, `honest${i}.example`), 'new'),
  );
  assert.deepEqual(more.map(Boolean), [true, true, false, false]);
  assert.deepEqual([places.room('new'), places.room('known')], [0, 4]);
  for (const place of [...known, ...unknown, ...moving, ...more]) place?.end();
  assert.deepEqual([places.room('new'), places.room('known'), places.origins.size], [8, 14, 0]);
});

test('new ones and those that fail again leave places to each other', () => {
  const places = new Places({ all: 16, origin: 4, domain: 4, again: 4 });
  const fill = (kind) => {
    const taken = [];
    for (let i = 0; i < 16; i++) taken.push(places.take(`https://${kind}${i}.example`, kind));
    return taken.filter(Boolean);
  };
  const fresh = fill('new');
  assert.equal(fresh.length, 6);
  assert.equal(fill('again').length, 2);
  for (const place of fresh) place.end();
  assert.equal(fill('again').length, 2, 'four at most');
  assert.equal(fill('new').length, 4);
  assert.equal(fill('known').length, 8);
});

test('of accounts that are known, too, those that have failed have a share', () => {
  const places = new Places({ all: 16, origin: 16, domain: 16, again: 4, back: 4 });
  const fill = (kind) =>
    Array.from({ length: 16 }, (_, i) => places.take(`https://${i}.example`, kind)).filter(Boolean);
  const back = fill('back');
  assert.equal(back.length, 4);
  assert.equal(fill('known').length, 10);
  for (const place of back.slice(1)) place.end();
  assert.equal(fill('known').length, 2, 'two are kept for those that have failed');
  assert.equal(fill('back').length, 1);
});

test('while others wait, slow requests keep a quarter of the places', () => {
  const ours = 'https://our.example';
  const places = new Places({ all: 32, origin: 32, domain: 32, free: [ours] });
  const slow = Array.from({ length: 16 }, (_, i) => places.take(`https://${i}.example`, 'new'));
  const keep = () => slow.filter((place) => place.keeps(12e3, 200e3)).length;
  assert.equal(keep(), 16, 'nobody waits');
  places.waiting.known = true;
  assert.equal(keep(), 16, 'nobody of their kind');
  places.waiting.new = true;
  assert.equal(keep(), 4);
  for (const place of slow.splice(4)) place.end();
  assert.equal(keep(), 4, 'these go on');
  const [quick, other, service] = ['https://q.example', 'https://o.example', ours].map((o) =>
    places.take(o, 'new'),
  );
  assert.ok(quick.keeps(1e9, 200e3));
  assert.ok(service.keeps(1, 200e3), 'our own service is as slow as it is');
  assert.ok(!other.keeps(12e3, 200e3), 'one that is quick is no reason for the others');
  other.end();
  for (const place of slow) place.keeps(150e3, 200e3);
  const more = Array.from({ length: 4 }, () => places.take('https://m.example', 'new'));
  assert.ok(
    more.every((place) => place.keeps(150e3, 200e3)),
    'where all are rather quick, it may be our own line',
  );
  for (const place of [...slow, ...more, quick, service]) place.end();
  assert.deepEqual([places.slow.new, places.looked.new, places.rates.new], [0, 0, 0]);
});

test('an origin has no dot at its end, and no user', () => {
  assert.equal(originOf('https://u:p@A.example.:443/x'), 'https://a.example');
  assert.equal(originOf('https://a.example.:8443'), 'https://a.example:8443');
  assert.equal(originOf('x'), null);
});

test('an answer, an error, a large one, one that is cut short', async () => {
  handler = (q, r) => {
    if (q.url === '/chunks') {
      for (let i = 0; i < 1000; i++) r.write('x');
      return r.end();
    }
    if (q.url === '/large') return r.end(Buffer.alloc(2e6));
    if (q.url === '/cut') {
      r.writeHead(200, { 'content-length': 100 });
      r.write('x');
      return setTimeout(() => r.destroy(), 50);
    }
    if (q.url === '/gzip') {
      r.writeHead(200, { 'content-encoding': 'gzip' });
      return r.end('x');
    }
    if (q.url === '/error') {
      r.writeHead(500);
      return r.end(Buffer.alloc(50e3, 'x'));
    }
    if (q.url === '/name') {
      r.writeHead(400);
      return r.end('{"error":"RepoTakendown"}');
    }
    if (q.url === '/nothing') {
      r.writeHead(204);
      return r.end();
    }
    return r.end('ok');
  };
  assert.equal(String(await get('/')), 'ok');
  assert.equal((await get('/chunks')).length, 1000);
  assert.equal(await get('/large'), 'too_large');
  assert.equal(await get('/cut'), 'cut_short');
  assert.equal(await get('/gzip'), 'malformed');
  assert.equal(await get('/error'), 'server_error');
  assert.equal(await get('/name'), 'RepoTakendown');
  assert.equal(await get('/nothing'), 'malformed');
});

test('whatever comes instead of an answer ends the request', { timeout: 10e3 }, async () => {
  const answers = [
    '',
    '\r\n\r\n',
    'HTTP/1.1 101 x\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n',
    'HTTP/1.1 101 x\r\n\r\n',
    'HTTP/1.1 100 x\r\n\r\n',
    'HTTP/1.1 103 x\r\nLink: a\r\n\r\nHTTP/1.1 101 x\r\nUpgrade: websocket\r\n\r\nx',
    'HTTP/1.1 200 x\r\nUpgrade: h2c\r\nConnection: upgrade\r\nContent-Length: 5\r\n\r\nx',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'GET / HTTP/1.1\r\n\r\n',
  ];
  for (const answer of answers) {
    handler = (q) => q.socket.end(answer);
    assert.match(
      String(await get('/')),
      /^(cut_short|malformed|unreachable)$/,
      JSON.stringify(answer),
    );
  }
});

test('pieces of a byte and endless answers of 1xx end the request', { timeout: 20e3 }, async () => {
  let sent = 0;
  handler = (q, r) => {
    if (q.url === '/pieces') {
      q.socket.write('HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n');
      const more = () => {
        while (!q.socket.destroyed && q.socket.write('1\r\nx\r\n'.repeat(100))) sent += 100;
      };
      q.socket.on('drain', more);
      return more();
    }
    if (q.url === '/early') {
      const more = () =>
        q.socket.destroyed ||
        q.socket.write('HTTP/1.1 103 x\r\nLink: a\r\n\r\n', () => setImmediate(more));
      return more();
    }
    // a few early ones, and pieces that are small, but not tiny
    r.writeProcessing();
    r.writeHead(200);
    for (let i = 0; i < 3000; i++) r.write('x'.repeat(100));
    return r.end();
  };
  assert.equal(await get('/pieces', { most: 1e9 }), 'slow');
  assert.ok(sent < 2e6, `${sent} pieces`);
  assert.equal(await get('/early'), 'slow');
  assert.equal((await get('/')).length, 3e5);
});

test('a slow download gives its place up to others that wait', { timeout: 60e3 }, async () => {
  handler = (q, r) => {
    const timer = setInterval(() => r.write(Buffer.alloc(2e3)), 100);
    r.on('close', () => clearInterval(timer));
    setTimeout(() => {
      clearInterval(timer);
      r.end();
    }, 2000);
  };
  const client = () => Object.assign(make(), { lookEvery: 500 });
  const places = new Places({ all: 16, origin: 16, domain: 16 });
  places.waiting.new = true;
  const dripping = [...Array(4)].map(() => places.take('https://x.example', 'new'));
  const known = places.take('https://x.example', 'known');
  const all = await Promise.all([
    ...dripping.map((place) => get('/', { place, client: client(), most: 1e9 })),
    get('/', { place: known, client: client(), most: 1e9 }),
  ]);
  const ended = all.map((a) => (typeof a === 'string' ? a : 'ok'));
  assert.deepEqual(ended.filter((a) => a === 'crowded_out').length, 2, String(ended));
  assert.equal(ended[4], 'ok');
});

test('redirects: five, to public addresses, to an origin that has a place', async () => {
  handler = (q, r) => {
    const n = Number(q.url.slice(1));
    const to =
      n > 0
        ? `/${n - 1}`
        : {
            '/here': 'http://127.0.0.1:1/',
            '/local': 'http://localhost:1/',
            '/file': 'file:///etc/passwd',
            '/odd': 'http://[',
          }[q.url];
    if (to === undefined) return r.end('ok');
    r.writeHead(302, { location: to });
    return r.end(Buffer.alloc(n % 2 ? 10 : 20e3));
  };
  assert.equal(String(await get('/5')), 'ok');
  assert.equal(await get('/6'), 'too_many_redirects');
  for (const path of ['/here', '/local', '/file']) assert.equal(await get(path), 'private_address');
  assert.equal(await get('/odd'), 'malformed');
  const places = new Places({ all: 8, origin: 4, domain: 4 });
  for (let i = 0; i < 4; i++) places.take('http://127.0.0.1:1', 'known');
  assert.equal(
    await get('/here', {
      place: places.take(base, 'known') ?? places.take('http://x.test', 'known'),
    }),
    'busy',
  );
});

test('who is slow is broken off, who waits for us is not', { timeout: 60e3 }, async () => {
  handler = (q, r) => {
    if (q.url === '/silent') return undefined;
    r.write('x');
    const timer = setInterval(() => r.write(Buffer.alloc(q.url === '/drip' ? 1 : 20e3)), 250);
    r.on('close', () => clearInterval(timer));
    if (q.url === '/fine') setTimeout(() => r.end(), 11e3);
    return undefined;
  };
  const memory = new Memory(1e6);
  const oldest = memory.hold();
  oldest.add(1e6);
  const waits = get('/fine', { held: memory.hold(), most: 1e9 });
  setTimeout(() => oldest.end(), 12e3);
  const answers = await Promise.all([
    get('/drip'),
    get('/fine', { most: 1e9 }),
    get('/silent', { client: make({ REPO_TIMEOUT: 2 }) }),
    waits,
  ]);
  assert.deepEqual(
    answers.map((a) => (typeof a === 'string' ? a : 'ok')),
    ['slow', 'ok', 'timeout', 'ok'],
  );
});

test('small answers wait for no memory', async () => {
  const memory = new Memory(100, 10);
  const [large, other, small] = [memory.hold(), memory.hold(), memory.hold()];
  large.add(150);
  other.add(20);
  small.add(10);
  assert.deepEqual([large.fits(), other.fits(), small.fits()], [true, false, true]);
  large.end();
  assert.deepEqual([other.fits(), memory.bytes], [true, 10]);
  other.end();
  small.end();
  assert.equal(memory.bytes, 0);
});

test('memory is bounded, and the oldest goes on', async () => {
  const memory = new Memory(100);
  const [a, b, c] = [memory.hold(), memory.hold(), memory.hold()];
  a.add(60);
  b.add(50);
  c.add(1);
  let went = '';
  await a.room();
  const waiting = [
    b.room().then(() => {
      went += 'b';
    }),
    c.room().then(() => {
      went += 'c';
    }),
  ];
  await sleep(20);
  assert.equal(went, '');
  a.end();
  await Promise.all(waiting);
  assert.equal(went, 'bc');
  b.end();
  c.end();
  assert.equal(memory.bytes, 0);
});
