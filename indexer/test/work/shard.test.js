import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Signs } from '../../src/ops/signs.js';
import { ShardQueues } from '../../src/work/shard-queues.js';
import { Shard } from '../../src/work/shard.js';

// A shard whose transactions take no time. batches: the number of frames of each that had some.
function follow() {
  const end = new AbortController();
  const batches = [];
  const queues = new ShardQueues(1);
  const run = {
    name: 'relay',
    shards: 1,
    signal: end.signal,
    queues,
    signs: new Signs(),
    stream: { listening: true },
    total: { frames: 0, applied: 0, refused: 0, lag: null },
    pools: {
      take: {
        row: async (text, [, , , frames]) => {
          const n = queues.next(0, 1000).frames.length;
          assert.ok(frames.length > 0);
          if (n > 0) batches.push(n);
          return { taken: n, applied: 0, refused: 0, lag: null, error: null };
        },
      },
    },
  };
  const ended = new Shard(run, 0).follow();
  return {
    batches,
    put: () => queues.put(Buffer.alloc(10)),
    end: () => {
      end.abort();
      return ended;
    },
  };
}

test('frames that come one by one are processed together', async () => {
  const { batches, put, end } = follow();
  put();
  await sleep(5);
  assert.deepEqual(batches, [1], 'the first one does not wait');
  const began = performance.now();
  for (let i = 0; i < 20; i++) {
    put();
    await sleep(1);
  }
  await sleep(150);
  await end();
  assert.equal(
    batches.reduce((sum, n) => sum + n, 0),
    21,
  );
  const most = 2 + (performance.now() - began) / 100;
  assert.ok(batches.length <= most, `${batches.length} transactions`);
});

test('many frames do not wait', async () => {
  const { batches, put, end } = follow();
  put();
  await sleep(5);
  for (let i = 0; i < 500; i++) put();
  await sleep(50);
  await end();
  assert.deepEqual(batches, [1, 500]);
});
