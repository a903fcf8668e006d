import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocketServer } from 'ws';
import { LARGEST, openStream } from '../../src/net/stream.js';
import { ShardQueues } from '../../src/work/shard-queues.js';

async function serve(work, client) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: true });
  await new Promise((resolve) => {
    server.on('listening', resolve);
  });
  server.on('connection', (socket) => {
    socket.on('error', () => {});
    work(socket);
  });
  try {
    return await client(`ws://127.0.0.1:${server.address().port}/`);
  } finally {
    for (const socket of server.clients) socket.terminate();
    server.close();
  }
}
const listen = (url, more, signal = new AbortController().signal) => {
  const came = [];
  const end = openStream(url, {
    signal,
    opened: () => {},
    useSocket: () => {},
    frame: (b) => came.push(b),
    oversized: (t) => came.push(t),
    ...more,
  });
  return { came, end };
};

const TOO_LONG = /announced a message that is too long: .* at most 64000000 bytes/;

test('a message that claims more than 64 MB ends the connection at once', async () => {
  const head = (bytes) => Buffer.from(`827f${bytes.toString(16).padStart(16, '0')}`, 'hex');
  for (const bytes of [2n ** 63n - 1n, 10n ** 9n + 1n, 64_000_001n]) {
    await serve(
      (socket) => {
        socket.send('first', () => socket._socket.write(head(bytes)));
      },
      async (url) => {
        const { came, end } = listen(url);
        await assert.rejects(end, TOO_LONG);
        assert.deepEqual(came.map(String), ['first']);
      },
    );
  }
});

test('... and so does a message whose fragments claim that much together', async () => {
  await serve(
    (socket) => {
      const next = Buffer.from('007f0000000003d09000', 'hex');
      socket.send('a', { fin: false }, () => socket._socket.write(next));
    },
    async (url) => {
      await assert.rejects(listen(url).end, TOO_LONG);
    },
  );
});

test('frames that are too large are reported, whole or in fragments, and the others arrive', async () => {
  const large = Buffer.alloc(LARGEST + 1, 'x');
  const huge = Buffer.alloc(64e6, 'y');
  const parts = [Buffer.alloc(3e6, 1), Buffer.alloc(3e6, 2), Buffer.alloc(10, 3)];
  const digest = (b) => createHash('sha256').update(b).digest('hex');
  await serve(
    (socket) => {
      socket.send(Buffer.from('first'));
      socket.send(large);
      socket.send(Buffer.alloc(LARGEST, 'z'));
      socket.ping('hello');
      socket.send(huge);
      parts.forEach((part, i) => {
        socket.send(part, { fin: i === 2 });
        socket.ping();
      });
      socket.send(Buffer.from('in '), { fin: false });
      socket.send(Buffer.from('parts'), { fin: true });
      socket.send(Buffer.alloc(0));
      socket.send('text');
      socket.close(1000, 'a\nb');
    },
    async (url) => {
      const { came, end } = listen(url);
      await assert.rejects(end, /closed, 1000 a\ufffdb/);
      assert.deepEqual(
        came.map((b) =>
          Buffer.isBuffer(b)
            ? b.length < 100
              ? String(b)
              : b.length
            : [b.bytes, b.digest.toString('hex')],
        ),
        [
          'first',
          [large.length, digest(large)],
          LARGEST,
          [huge.length, digest(huge)],
          [6000010, digest(Buffer.concat(parts))],
          'in parts',
          '',
          'text',
        ],
      );
    },
  );
});

test('a frame that is too large names its account, if its beginning does', async () => {
  const text = (s) => Buffer.concat([Buffer.from([0x78, s.length]), Buffer.from(s)]);
  const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa';
  const of = (...bytes) => Buffer.from(bytes);
  const header = Buffer.concat([of(0xa2), text('t'), text('#commit'), text('op'), of(1)]);
  const bytes = (n) =>
    Buffer.concat([of(0x5a, 0, (n >> 16) & 255, (n >> 8) & 255, n & 255), Buffer.alloc(n)]);
  const commit = (before) =>
    Buffer.concat([
      header,
      of(0xa3),
      ...[text('ops'), bytes(before), text('repo'), text(did), text('blocks'), bytes(LARGEST)],
    ]);
  await serve(
    (socket) => {
      socket.send(commit(100e3));
      const whole = commit(10);
      for (let at = 0; at < 1000; at += 10)
        socket.send(whole.subarray(at, at + 10), { fin: false });
      socket.ping();
      socket.send(whole.subarray(1000), { fin: true });
      socket.send(commit(3e6));
      socket.send(Buffer.alloc(LARGEST + 1, 'x'));
      socket.close(1000);
    },
    async (url) => {
      const { came, end } = listen(url);
      await assert.rejects(end, /closed, 1000/);
      assert.deepEqual(
        came.map((c) => c.did),
        [did, did, undefined, undefined],
      );
    },
  );
});

test('a slow shard stops the socket', async () => {
  let sent = 0;
  const frame = Buffer.alloc(100e3);
  await serve(
    async (socket) => {
      while (socket.readyState === 1 && sent < 3000) {
        if (socket.bufferedAmount < 1e6) {
          socket.send(frame);
          sent++;
        } else await sleep(5);
      }
    },
    async (url) => {
      const over = new AbortController();
      const queues = new ShardQueues(2);
      const { end } = listen(
        url,
        { useSocket: (ws) => queues.use(ws), frame: (b) => queues.put(b) },
        over.signal,
      );
      await sleep(1000);
      const stopped = sent;
      assert.ok(queues.bytes < 20e6, `${queues.bytes} bytes wait`);
      await sleep(300);
      assert.ok(sent - stopped < 20, 'the server waits');
      let taken = 0;
      for (const until = Date.now() + 20e3; taken < 2000 && Date.now() < until; await sleep(1)) {
        const { frames } = queues.next(0, 1000);
        queues.done(0, frames.length);
        taken += frames.length;
      }
      assert.ok(taken >= 2000, 'and goes on');
      over.abort();
      await end;
    },
  );
});

test('an HTTP error instead of a stream is reported', async () => {
  const server = (await import('node:http')).createServer();
  server.on('upgrade', (q, socket) =>
    socket.end('HTTP/1.1 429 Slow\r\nRetry-After: 7\r\nContent-Length: 3\r\n\r\nno\n'),
  );
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { end } = listen(`ws://127.0.0.1:${server.address().port}/`);
  await assert.rejects(end, (e) => e.retryAfter === '7' && /429/.test(e.message));
  server.close();
  await assert.rejects(
    listen(`ws://127.0.0.1:${server.address()?.port ?? 1}/`).end,
    /ECONNREFUSED/,
  );
});
