import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test from 'node:test';
import { byteaArray } from '../../src/db/bytea-array.js';
import { routeOf, shardOf } from '../../src/protocol/frame.js';

// DAG-CBOR of some values.
function head(major, n) {
  if (n < 24) return Buffer.from([(major << 5) | n]);
  const b = Buffer.alloc(9);
  b[0] = (major << 5) | 27;
  b.writeBigUInt64BE(BigInt(n), 1);
  return b;
}
function cbor(value) {
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value === null || typeof value === 'boolean')
    return Buffer.from([value === null ? 0xf6 : value ? 0xf5 : 0xf4]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  return Buffer.concat([
    head(5, Object.keys(value).length),
    ...Object.entries(value).flatMap(([k, v]) => [cbor(k), cbor(v)]),
  ]);
}
const frame = (t, event) => Buffer.concat([cbor({ t, op: 1 }), cbor(event)]);
const DID = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa';

test('the account and the number of a frame', () => {
  const commit = frame('#commit', {
    ops: [{ path: 'a/b', cid: null }],
    seq: 2 ** 40,
    did: 'no',
    repo: DID,
    blocks: Buffer.alloc(1000),
  });
  assert.deepEqual(routeOf(commit), { t: '#commit', op: 1, did: DID, seq: 2 ** 40 });
  assert.deepEqual(routeOf(frame('#account', { did: DID, repo: 'no', seq: 7 })), {
    t: '#account',
    op: 1,
    did: DID,
    seq: 7,
  });
  assert.deepEqual(routeOf(frame('#info', { name: 'OutdatedCursor' })), {
    t: '#info',
    op: 1,
    did: undefined,
    seq: undefined,
  });
  assert.equal(routeOf(Buffer.concat([cbor({ op: -1 }), cbor({ error: 'x' })])).op, -1);
  for (const seq of [0, -1, 2 ** 53, '5', null, [5], { a: 5 }])
    assert.equal(routeOf(frame('#account', { did: DID, seq })).seq, undefined);
  for (const did of [5, null, [DID], { did: DID }, 'x'.repeat(3000)])
    assert.equal(routeOf(frame('#account', { did, seq: 5 })).did, undefined);
});

test('short, deep and odd frames can all be read without an error', () => {
  const whole = frame('#commit', { seq: 5, repo: DID, blocks: Buffer.alloc(50) });
  for (let n = 0; n < whole.length; n++) routeOf(whole.subarray(0, n));
  assert.equal(routeOf(whole.subarray(0, whole.length - 20)).did, DID);
  const many = [
    Buffer.alloc(1e6, 0x81),
    Buffer.alloc(1e6, 0xc6),
    Buffer.from('bb ff ff ff ff ff ff ff ff 61 61'.replaceAll(' ', ''), 'hex'),
    Buffer.from('9bffffffffffffffff', 'hex'),
    Buffer.from('5bffffffffffffffff', 'hex'),
    Buffer.from('1f', 'hex'),
    Buffer.from('bfff', 'hex'),
  ];
  for (const odd of many) {
    assert.deepEqual(routeOf(odd), { did: undefined, seq: undefined });
    assert.deepEqual(
      routeOf(Buffer.concat([cbor({ op: 1 }), cbor({ seq: 5 }).subarray(0, 1), cbor('x'), odd])),
      {
        op: 1,
        did: undefined,
        seq: undefined,
      },
    );
  }
  let seed = 1;
  for (let i = 0; i < 20000; i++) {
    const bytes = Buffer.from(whole);
    for (let j = 0; j < 3; j++)
      bytes[(seed = (seed * 16807) % 2147483647) % bytes.length] = seed >> 8;
    routeOf(bytes);
  }
});

test('the shard of an account', () => {
  const slot = createHash('sha256').update(DID).digest()[0];
  for (const shards of [1, 2, 3, 64])
    assert.equal(shardOf(DID, shards), Math.floor((slot * shards) / 256));
  assert.equal(shardOf(undefined, 8), 0);
});

test('frames as a parameter', () => {
  assert.equal(byteaArray([]).toString('hex'), '000000000000000000000011');
  assert.equal(
    byteaArray([Buffer.from('ab'), Buffer.alloc(0)]).toString('hex'),
    '00000001000000000000001100000002000000010000000261620000000' + '0',
  );
});
