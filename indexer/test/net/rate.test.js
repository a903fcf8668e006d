import assert from 'node:assert/strict';
import test from 'node:test';
import { Rate } from '../../src/net/rate.js';

test('at most the allowed number of requests begins in a second, and a quarter of it at once', () => {
  let now = 0;
  const rate = new Rate(20, () => now);
  assert.equal(rate.take(4), 4);
  assert.equal(rate.take(100), 1);
  assert.equal(rate.take(1), 0);
  now = 100;
  assert.equal(rate.take(100), 2);
  now = 60_000;
  assert.equal(rate.take(100), 5);
});

test('fewer than four a second begin one at a time', () => {
  let now = 0;
  const rate = new Rate(2, () => now);
  assert.equal(rate.take(9), 1);
  now = 499;
  assert.equal(rate.take(9), 0);
  now = 500;
  assert.equal(rate.take(9), 1);
});

test('requests that have not begun can begin later', () => {
  const rate = new Rate(8, () => 0);
  assert.equal(rate.take(2), 2);
  rate.giveBack(1);
  assert.equal(rate.take(2), 1);
  rate.giveBack(9);
  assert.equal(rate.take(9), 2);
});

test('ten seconds have ten times as many', () => {
  let now = 0;
  const rate = new Rate(3, () => now);
  let sum = 0;
  for (; now < 10_000; now += 7) sum += rate.take(16);
  assert.ok(sum >= 30 && sum <= 31, `${sum} requests`);
});
