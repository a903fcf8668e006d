import assert from 'node:assert/strict';
import test from 'node:test';
import { fatal, lostConnection } from '../../src/db/errors.js';
import { Late, within } from '../../src/work/deadline.js';
import { loop, retryUntilDone, Tasks } from '../../src/work/tasks.js';

// The lines that work writes to the log.
async function logged(t, work) {
  const lines = [];
  const { write: original } = process.stdout;
  const write = t.mock.method(process.stdout, 'write', (line, ...more) =>
    // the test runner writes lines of its own
    /^\d{4}-\d\d-/.test(line) ? lines.push(line) : original.call(process.stdout, line, ...more),
  );
  try {
    await work();
  } finally {
    write.mock.restore();
  }
  return lines.map((line) => line.replace(/^\S+ /, ''));
}

test('work is tried again until it succeeds', async (t) => {
  const { signal } = new AbortController();
  let tries = 0;
  const work = async () => {
    if (++tries < 3) throw new Error('broken');
    return tries;
  };
  const lines = await logged(t, async () =>
    assert.equal(await retryUntilDone('a piece', signal, work), 3),
  );
  assert.deepEqual(lines, Array(2).fill('error work failed work="a piece" error=broken\n'));
});

test('... but not if the database is lost, or trying again does not help', async () => {
  const { signal } = new AbortController();
  for (const e of [lostConnection('lost'), fatal('no schema')]) {
    let tries = 0;
    const work = async () => {
      tries++;
      throw e;
    };
    await assert.rejects(retryUntilDone('a piece', signal, work), e);
    assert.equal(tries, 1);
  }
});

test('a loop ends with the signal', async () => {
  const over = new AbortController();
  let turns = 0;
  await loop('turns', over.signal, async () => {
    if (++turns === 5) over.abort();
    return true;
  });
  assert.equal(turns, 5);
});

test('an error of a task is logged, and a lost database is reported', async (t) => {
  const lost = [];
  const tasks = new Tasks(new AbortController().signal, (e) => lost.push(e.message));
  const lines = await logged(t, async () => {
    tasks.begin('did:plc:a', () => Promise.reject(new Error('broken')));
    tasks.begin('did:plc:b', () => Promise.reject(lostConnection('lost')));
    await tasks.all();
  });
  assert.deepEqual(lines, ['error task failed task=did:plc:a error=broken\n']);
  assert.deepEqual(lost, ['lost']);
});

test('work has some time after the signal, and then is abandoned', async () => {
  const over = new AbortController();
  assert.equal(await within(10, over.signal, Promise.resolve(1)), 1);
  const never = within(10, over.signal, new Promise(() => {}));
  over.abort();
  await assert.rejects(never, Late);
  await assert.rejects(within(10, over.signal, new Promise(() => {})), /not ended after 0.01 s/);
  assert.equal(await within(10e3, over.signal, Promise.resolve(2)), 2);
});
