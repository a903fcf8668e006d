import assert from 'node:assert/strict';
import http from 'node:http';
import test, { after, before } from 'node:test';
import { Http } from '../../src/net/http.js';
import { Memory } from '../../src/net/memory.js';
import { Places } from '../../src/net/places.js';
import { Failure } from '../../src/protocol/failure.js';

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

test('an answer, an error, a large answer, and one that is cut short', async () => {
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

test('anything other than an answer ends the request', { timeout: 10e3 }, async () => {
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

test('one-byte pieces and endless 1xx answers end the request', { timeout: 20e3 }, async () => {
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
    // a few 1xx answers, and pieces that are small, but not tiny
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

test('a slow download gives up its place to others that wait', { timeout: 60e3 }, async () => {
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
  const dripping = [...Array(4)].map(() => places.acquire('https://x.example', 'new'));
  const known = places.acquire('https://x.example', 'known');
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
  for (let i = 0; i < 4; i++) places.acquire('http://127.0.0.1:1', 'known');
  assert.equal(
    await get('/here', {
      place: places.acquire(base, 'known') ?? places.acquire('http://x.test', 'known'),
    }),
    'busy',
  );
});

test('a slow answer is cut off, but not while it waits for us', { timeout: 60e3 }, async () => {
  handler = (q, r) => {
    if (q.url === '/silent') return undefined;
    r.write('x');
    const timer = setInterval(() => r.write(Buffer.alloc(q.url === '/drip' ? 1 : 20e3)), 250);
    r.on('close', () => clearInterval(timer));
    if (q.url === '/fine') setTimeout(() => r.end(), 11e3);
    return undefined;
  };
  const memory = new Memory(1e6);
  const oldest = memory.share();
  oldest.add(1e6);
  const waits = get('/fine', { share: memory.share(), most: 1e9 });
  setTimeout(() => oldest.release(), 12e3);
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
