import assert from 'node:assert/strict';
import test from 'node:test';
import {
  BOUNDS,
  failureOf,
  readCollections,
  readDidDocument,
  readListPage,
  readPlcLog,
  readRepoStatus,
  readServerDid,
  retryAfter,
} from '../../src/protocol/answers.js';
import { Failure } from '../../src/protocol/failure.js';
import { parseJson, toJsonb } from '../../src/protocol/json.js';
import { clean } from '../../src/protocol/text.js';

const DID = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa';
const bytes = (value) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
const STRANGE = [
  undefined,
  null,
  0,
  -1,
  1.5,
  2 ** 53,
  Number.MAX_VALUE,
  true,
  false,
  '',
  '\0',
  'a\nb',
  '\ud800',
  '\u202e',
  '\x1b[2J',
  'x'.repeat(6e3),
  'x'.repeat(1e6),
  [],
  [[]],
  {},
  { a: 1 },
  'null',
  DID,
];
// Replaces each field of a valid answer in turn with something strange: the answer is refused with a
// Failure, or the result is right.
function everyField(good, parse, right) {
  for (const key of Object.keys(good)) {
    for (const value of STRANGE) {
      let out;
      try {
        out = parse(bytes({ ...good, [key]: value }));
      } catch (e) {
        assert.ok(e instanceof Failure, `${key}: ${e.stack}`);
        continue;
      }
      right(out);
    }
  }
  for (const value of STRANGE.filter((v) => v !== undefined)) {
    try {
      right(parse(bytes(JSON.stringify(value))));
    } catch (e) {
      assert.ok(e instanceof Failure, e.stack);
    }
  }
}
const fine = (s, most) =>
  s === null || (typeof s === 'string' && s.length <= most && clean(s, most) === s);

test('a cleaned text is one clean line', () => {
  assert.equal(
    clean('a\0b\nc\x1b[2J\u202ed\u2028e\ud800'),
    'a\ufffdb\ufffdc\ufffd[2J\ufffdd\ufffde\ufffd',
  );
  assert.equal(clean('x'.repeat(1e6)).length, 200);
  assert.equal(clean('ab\u{1f600}', 4), 'ab\u{1f600}');
  assert.equal(clean('ab\u{1f600}d', 4), 'ab\ufffd…');
  for (const [value, text] of [
    [null, ''],
    [undefined, ''],
    [5, 'number'],
    [{}, 'object'],
  ])
    assert.equal(clean(value), text);
});

test('a page of a list', () => {
  const entry = { did: DID, rev: '3jzfcijpj2z2a', active: true, status: 'x' };
  assert.deepEqual(readListPage(bytes({ repos: [entry], cursor: 'b' }), 'a'), {
    repos: [entry],
    next: 'b',
    left: 0,
  });
  assert.equal(readListPage(bytes({ repos: [entry], cursor: '' }), 'a').next, null);
  everyField(
    { repos: [entry], cursor: 'b' },
    (b) => readListPage(b, ''),
    ({ next }) => assert.ok(fine(next, BOUNDS.cursor)),
  );
  everyField(
    entry,
    (b) => readListPage(bytes({ repos: [JSON.parse(b)] }), ''),
    ({ repos }) => {
      for (const r of repos) {
        assert.match(r.did, /^did:/);
        assert.ok(r.rev === null || r.rev === entry.rev);
        assert.ok(r.active === null || typeof r.active === 'boolean');
        assert.ok(fine(r.status, BOUNDS.status));
      }
    },
  );
  assert.throws(() => readListPage(bytes({ repos: [], cursor: 'a' }), 'a'), /leads to itself/);
  assert.throws(() => readListPage(bytes({ repos: Array(1001).fill(entry) }), ''), /too large/);
});

test('answers about one account', () => {
  const told = { did: DID, active: false, status: 'takendown', rev: '3jzfcijpj2z2a' };
  assert.deepEqual(readRepoStatus(bytes(told), DID), {
    active: false,
    status: 'takendown',
    rev: '3jzfcijpj2z2a',
  });
  everyField(
    told,
    (b) => readRepoStatus(b, DID),
    (r) => assert.ok(typeof r.active === 'boolean' && fine(r.status, 64) && fine(r.rev, 13)),
  );
  assert.deepEqual(
    readCollections(bytes({ did: DID, collections: ['a.b.c', 'x', 5, null, 'a.b.c\0'] }), DID),
    ['a.b.c'],
  );
  everyField(
    { did: DID, collections: ['a.b.c'] },
    (b) => readCollections(b, DID),
    (c) => assert.ok(c.every((x) => fine(x, 317))),
  );
  assert.equal(readServerDid(bytes({ did: DID })), DID);
  everyField({ did: DID }, readServerDid, (did) => assert.ok(did === null || did === DID));
});

test('documents and logs contain only what jsonb can hold', () => {
  assert.equal(
    readPlcLog(bytes('[{"a\\u0000":"b\\ud800\\u0000","c":1}]')),
    '[{"a\ufffd":"b\ufffd\ufffd","c":1}]',
  );
  assert.equal(toJsonb({ '\ud800': ['\0'] }), '{"\ufffd":["\ufffd"]}');
  everyField(
    { id: DID, alsoKnownAs: ['at://a.test'] },
    (b) => readDidDocument(b, DID),
    (d) => assert.doesNotMatch(d, /\\u(0000|d8)/),
  );
  for (const value of STRANGE.filter((v) => v !== undefined)) {
    try {
      readPlcLog(bytes(JSON.stringify([{ a: value }])));
    } catch (e) {
      assert.ok(e instanceof Failure);
    }
  }
});

test('JSON that is too deep or has too many values is refused before it is parsed', () => {
  const deep = (n) => `${'['.repeat(n)}${']'.repeat(n)}`;
  assert.ok(parseJson(bytes(deep(64))));
  for (const text of [
    deep(65),
    deep(50e3),
    '['.repeat(100e3),
    '{"a":'.repeat(10e3),
    `[${'0,'.repeat(100e3)}0]`,
  ]) {
    assert.throws(
      () => parseJson(bytes(text)),
      (e) => e.why === 'malformed' && /more than/.test(e.detail),
    );
  }
  assert.equal(parseJson(bytes(JSON.stringify('[{,"\\[['.repeat(1e5)))).length, 7e5);
  for (const text of ['', '{', 'nul', '"', '"\\', 'NaN', '\ufeff1x'])
    assert.throws(() => parseJson(bytes(text)), /not JSON/);
});

test('an error answer has a code of the list', () => {
  const why = (status, body, headers = {}) =>
    failureOf(status, headers, bytes(body), 'https://a.example').why;
  assert.equal(why(400, { error: 'RepoNotFound' }), 'RepoNotFound');
  assert.equal(why(404, { error: 'RepoTakendown' }), 'RepoTakendown');
  assert.equal(why(400, { error: 'RepoNotFound\0' }), 'refused');
  assert.equal(why(502, { error: 'RepoNotFound' }), 'server_error');
  assert.equal(why(404, { error: 'MethodNotImplemented' }), 'not_implemented');
  assert.equal(why(501, 'x'), 'not_implemented');
  assert.equal(why(401, 'x'), 'unauthorized');
  assert.equal(why(404, 'x'), 'not_found');
  assert.equal(why(204, ''), 'malformed');
  const e = failureOf(
    429,
    { 'retry-after': '7' },
    bytes({ error: 'a\nb', message: 'x'.repeat(1e3) }),
    'https://a.example',
  );
  assert.deepEqual([e.why, e.ofHost, e.retryAfter], ['throttled', true, 7]);
  assert.ok(fine(e.detail, 200) && fine(e.message, 300));
  for (const value of STRANGE)
    for (const field of ['error', 'message']) {
      assert.ok(fine(failureOf(400, {}, bytes({ [field]: value }), null).message, 300));
    }
});

test('Retry-After is bounded', () => {
  assert.equal(retryAfter('0'), 1);
  assert.equal(retryAfter('999999999'), 3600);
  assert.equal(retryAfter('9'.repeat(30)), null);
  assert.equal(retryAfter('-5'), 1);
  assert.equal(retryAfter('tomorrow'), null);
  assert.equal(retryAfter(undefined), null);
  assert.equal(retryAfter('Thu, 01 Jan 1970 00:01:40 GMT', 40e3), 60);
});
