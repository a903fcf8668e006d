import assert from 'node:assert/strict';
import test from 'node:test';
import { Breaker } from '../../src/net/breaker.js';
import { Failure } from '../../src/protocol/failure.js';

const away = new Failure('unreachable');
const tick = () => new Promise((resolve) => setImmediate(resolve));

// A server with a clock and a health that the test sets; asked: how often it was probed.
function server() {
  const s = { now: 0, failure: null, asked: 0 };
  s.up = new Breaker(
    async () => {
      s.asked++;
      await tick();
      if (s.failure) throw s.failure;
    },
    () => s.now,
  );
  return s;
}

test('a server that fails is left alone until it answers the probe', async () => {
  const s = server();
  s.failure = away;
  const [a, b] = [s.up.start(), s.up.start()];
  assert.deepEqual(await Promise.all([s.up.fail(a, away), s.up.fail(b, away)]), [true, true]);
  assert.equal(s.asked, 1, 'several failures count as one');
  s.now = 500;
  assert.equal(s.up.allowance(8), 0);
  assert.equal(s.asked, 1);
  for (const [now, asked] of [
    [1000, 2],
    [2900, 2],
    [3000, 3],
  ]) {
    s.now = now;
    assert.deepEqual(
      [s.up.allowance(8), s.up.allowance(8)],
      [now === 2900 ? 0 : 1, 0],
      'one account along with the probe',
    );
    await s.up.probing;
    assert.equal(s.asked, asked, `after ${now} ms`);
  }
  s.failure = null;
  s.now = 7000;
  assert.equal(s.up.allowance(8), 1);
  await s.up.probing;
  assert.equal(s.up.allowance(8), 8);
});

test('a server that never answers the probe is back when it answers for an account', async () => {
  const s = server();
  s.failure = new Failure('server_error');
  assert.ok(await s.up.fail(s.up.start(), away));
  s.now = 1000;
  assert.equal(s.up.allowance(8), 1);
  const a = s.up.start();
  await s.up.probing;
  assert.equal(await s.up.fail(a, away), false, 'the failure of the account that tried it counts');
  s.now = 3000;
  assert.equal(s.up.allowance(8), 1);
  s.now = 3001;
  s.up.succeed();
  await s.up.probing;
  assert.equal(s.up.allowance(8), 8);
});

test('a failure while the server answers is that of the request', async () => {
  const s = server();
  const [a, b] = [s.up.start(), s.up.start()];
  s.up.succeed();
  assert.equal(await s.up.fail(a, new Failure('server_error')), false, 'others are answered');
  assert.equal(s.asked, 0);
  s.now = 1;
  assert.equal(await s.up.fail(s.up.start(), new Failure('server_error')), false, 'the probe is');
  assert.equal(s.asked, 1);
  s.failure = away;
  assert.equal(
    await s.up.fail(b, Object.assign(new Failure('slow'), { begun: true })),
    false,
    'its answer has begun',
  );
  assert.equal(s.up.allowance(8), 8);
});

test('if only the probe is answered, other requests pause', async () => {
  const s = server();
  for (let i = 0; i < 15; i++)
    assert.equal(await s.up.fail(s.up.start(), new Failure('server_error')), false);
  assert.equal(s.up.allowance(8), 8);
  assert.equal(await s.up.fail(s.up.start(), new Failure('server_error')), true);
  assert.equal(s.up.allowance(8), 0);
  s.now = 1000;
  s.up.allowance(8);
  await s.up.probing;
  assert.equal(s.up.allowance(8), 8);
  await s.up.fail(s.up.start(), new Failure('server_error'));
  s.now = 2900;
  assert.equal(s.up.allowance(8), 0, 'and each pause is longer');
  assert.equal(s.up.probing, null);
});

test('Retry-After is obeyed, within bounds', async () => {
  const s = server();
  const throttled = (retryAfter) => new Failure('throttled', '', { retryAfter });
  s.up.succeed();
  assert.ok(await s.up.fail(s.up.start(), throttled(60)), 'nobody is to blame for it');
  s.up.succeed();
  s.now = 59e3;
  assert.equal(s.up.allowance(8), 0);
  assert.equal(s.up.probing, null);
  s.now = 60e3;
  s.failure = throttled(3600);
  s.up.allowance(8);
  await s.up.probing;
  s.now = 359e3;
  s.up.allowance(8);
  assert.equal(s.up.probing, null);
  s.failure = null;
  s.now = 360e3;
  s.up.allowance(8);
  await s.up.probing;
  assert.equal(s.up.allowance(8), 8);
});
