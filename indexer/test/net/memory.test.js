import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Memory } from '../../src/net/memory.js';

test('small answers do not wait for memory', async () => {
  const memory = new Memory(100, 10);
  const [large, other, small] = [memory.share(), memory.share(), memory.share()];
  large.add(150);
  other.add(20);
  small.add(10);
  assert.deepEqual([large.fits(), other.fits(), small.fits()], [true, false, true]);
  large.release();
  assert.deepEqual([other.fits(), memory.bytes], [true, 10]);
  other.release();
  small.release();
  assert.equal(memory.bytes, 0);
});

test('memory is limited, and the oldest answer goes on', async () => {
  const memory = new Memory(100);
  const [a, b, c] = [memory.share(), memory.share(), memory.share()];
  a.add(60);
  b.add(50);
  c.add(1);
  let went = '';
  await a.waitForRoom();
  const waiting = [
    b.waitForRoom().then(() => {
      went += 'b';
    }),
    c.waitForRoom().then(() => {
      went += 'c';
    }),
  ];
  await sleep(20);
  assert.equal(went, '');
  a.release();
  await Promise.all(waiting);
  assert.equal(went, 'bc');
  b.release();
  c.release();
  assert.equal(memory.bytes, 0);
});
