import assert from 'node:assert/strict';
import test from 'node:test';
import { Signs } from '../../src/ops/signs.js';
import { loop } from '../../src/work/tasks.js';

// Signs with a clock that the test sets, and the row that they report for a name.
function signs() {
  let now = 0;
  const all = new Signs(() => now);
  const row = (name) => all.report().find((r) => r.name === name);
  return { all, row, at: (seconds) => (now = seconds * 1000) };
}

test('a loop notes its turns, and how they end', async () => {
  const { all, row, at } = signs();
  const sign = all.of('wants');
  const over = new AbortController();
  const ends = [
    () => true,
    () => {
      throw new Error('a lock');
    },
  ];
  const rows = [];
  const work = async () => {
    rows.push(row('wants'));
    at(10 * rows.length);
    if (ends.length === 0) over.abort();
    return ends.shift()?.() ?? false;
  };
  await loop('wants', over.signal, work, { idle: 0, sign });
  assert.deepEqual(
    rows.map((r) => [r.turn, r.failing, r.problem]),
    [
      [0, null, null],
      [0, null, null],
      [0, 0, 'a lock'],
    ],
  );
  at(100);
  assert.equal(row('wants').turn, 70);
});

test('loops of one name count as late as the latest of them', () => {
  const { all, row, at } = signs();
  const [one, other] = [all.of('identities of plc'), all.of('identities of plc')];
  at(10);
  one.well();
  at(15);
  assert.equal(row('identities of plc').turn, 15);
  other.well();
  assert.equal(row('identities of plc').turn, 5);
  assert.equal(row('identities of plc').good, 0);
  one.failed('an error');
  at(25);
  other.well();
  assert.deepEqual(
    [row('identities of plc').failing, row('identities of plc').problem],
    [10, 'an error'],
  );
});

test('a loop that is held up reports that once, however often it checks', () => {
  const { all, row, at } = signs();
  const sign = all.of('lists');
  at(10);
  sign.holds('the server does not answer');
  sign.well();
  at(20);
  sign.holds('the server does not answer');
  assert.deepEqual([row('lists').failing, row('lists').held, row('lists').turn], [null, 10, 10]);
  assert.equal(row('lists').cause, 'the server does not answer');
  sign.holds(null);
  assert.equal(row('lists').held, null);
});

test('only new failures of accounts count, each host once, until an account succeeds', async () => {
  const { all, row, at } = signs();
  const sign = all.of('loads of new accounts');
  const asked = [];
  const pool = {
    rows: async (text, [name, dids]) => {
      asked.push([name, dids.length]);
      return dids.filter((did) => !did.startsWith('old')).map((did) => ({ did }));
    },
    row: async () => ({ again: 10 }),
  };
  at(10);
  for (const did of ['old1', 'old2', 'new1', 'new2']) sign.misses(did, `host of ${did}`, 'timeout');
  sign.misses('new3', 'host of new1', 'timeout');
  await all.write('relay', pool);
  at(20);
  assert.deepEqual(
    [row('loads of new accounts').failing, row('loads of new accounts').failed],
    [10, 2],
  );
  for (let i = 0; i < 1000; i++) sign.misses(`new${i}`, `host ${i}`, 'timeout');
  await all.write('relay', pool);
  assert.equal(row('loads of new accounts').failed, 10);
  assert.deepEqual(
    asked.map(([, n]) => n),
    [5, 100],
  );
  sign.done();
  assert.equal(row('loads of new accounts').failing, null);
  sign.misses('new1', 'a host', 'timeout');
  at(30);
  sign.done();
  await all.write('relay', pool);
  assert.equal(row('loads of new accounts').failing, null);
});

test('work that fails in one loop and succeeds in another of its name has succeeded', async () => {
  const { all, row, at } = signs();
  const [first, again] = [all.of('loads of known accounts'), all.of('loads of known accounts')];
  const pool = {
    rows: async (text, [, dids]) => dids.map((did) => ({ did })),
    row: async () => ({ again: 10 }),
  };
  first.misses('did:web:a.example', 'a.example', 'server_error');
  at(1);
  first.well();
  again.well();
  await all.write('relay', pool);
  assert.equal(row('loads of known accounts').failing, 1, 'an idle turn is not a success');
  at(2);
  again.done();
  assert.equal(row('loads of known accounts').failing, null);
});

test('a failure to write signs affects nothing else', async () => {
  const { all } = signs();
  const over = new AbortController();
  const row = async () => {
    setImmediate(() => over.abort());
    throw new Error('the disk is full');
  };
  await all.run('relay', { row }, over.signal);
  assert.equal(all.problem, 'the disk is full');
});
