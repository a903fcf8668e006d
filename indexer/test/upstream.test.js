import assert from 'node:assert/strict';
import test from 'node:test';
import { Failure } from '../src/border.js';
import { Upstream } from '../src/upstream.js';

const away = new Failure('unreachable');

test('a server that fails is left alone, then tried by one request at a time', () => {
  const up = new Upstream();
  const [a, b] = [up.begin(0), up.begin(0)];
  assert.ok(up.bad(a, away, 10));
  assert.ok(up.bad(b, away, 11), 'the second tells nothing new');
  assert.equal(up.may(8, 500), 0);
  assert.equal(up.may(8, 1010), 1);
  const c = up.begin(1010);
  assert.equal(up.may(8, 1011), 0, 'one at a time');
  assert.ok(!up.bad(c, away, 1020), 'who has tried it counts, so that the next is another');
  assert.equal(up.may(8, 2900), 0);
  assert.equal(up.may(8, 3020), 1);
  up.good(up.begin(3020), 3030);
  assert.equal(up.may(8, 3031), 8);
});

test('a request that fails while others are answered is its own', () => {
  const up = new Upstream();
  const [a, b] = [up.begin(0), up.begin(0)];
  up.good(a, 5);
  assert.ok(!up.bad(b, new Failure('server error'), 6));
  assert.equal(up.may(8, 7), 8);
});

test('Retry-After is obeyed, within bounds', () => {
  const up = new Upstream();
  assert.ok(up.bad(up.begin(0), new Failure('throttled', '', { retryAfter: 60 }), 0));
  assert.equal(up.may(8, 59e3), 0);
  assert.equal(up.may(8, 60e3), 1);
  assert.ok(!up.bad(up.begin(60e3), new Failure('throttled', '', { retryAfter: 3600 }), 60e3));
  assert.equal(up.may(8, 360e3), 1);
});
