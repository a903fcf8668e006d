import assert from 'node:assert/strict';
import test from 'node:test';
import { Rate } from '../../src/net/rate.js';

test('no more requests begin than a second has', () => {
  let now = 0;
  const rate = new Rate(10, () => now);
  assert.equal(rate.take(4), 4);
  assert.equal(rate.take(100), 6);
  assert.equal(rate.take(1), 0);
  now = 250;
  assert.equal(rate.take(100), 2);
  now = 60_000;
  assert.equal(rate.take(100), 10);
});

test('what has not begun can begin later', () => {
  const rate = new Rate(2, () => 0);
  assert.equal(rate.take(2), 2);
  rate.giveBack(1);
  assert.equal(rate.take(2), 1);
  rate.giveBack(9);
  assert.equal(rate.take(9), 2);
});

test('in any ten seconds there are ten times as many', () => {
  let now = 0;
  const rate = new Rate(3, () => now);
  let sum = 0;
  for (; now < 10_000; now += 7) sum += rate.take(16);
  assert.ok(sum >= 30 && sum <= 33, `${sum} requests`);
});
