import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import test from 'node:test';
import { isOfServer } from '../../src/db/errors.js';
import { codeOf, CODES, SERVER_ERRORS } from '../../src/protocol/codes.js';
import { Failure } from '../../src/protocol/failure.js';

const SRC = new URL('../../src/', import.meta.url);

test('the program reads the codes of the database', () => {
  assert(Object.keys(CODES).length > 30);
  const { class: whose, retry, words, absent } = codeOf('server_error');
  assert.deepEqual([whose, retry, words, absent], ['host', 'backoff', 'server error', false]);
  assert.equal(codeOf('unreachable').words, 'unreachable');
  assert.throws(() => codeOf('server error'), /there is no code server error/);
  assert.throws(() => codeOf('constructor'), TypeError);
});

test('a failure has the words and the properties of its code', () => {
  const e = new Failure('RepoTakendown', 'x');
  assert.deepEqual(
    [e.message, e.ofAccount, e.ofHost, e.status],
    ['RepoTakendown: x', true, false, 'takendown'],
  );
  assert.equal(new Failure('not_found').absent, true);
  assert.equal(new Failure('busy').retry, 'at once');
  // a code about accounts in the list that is no error name of the protocol
  assert.equal(new Failure('older').ofAccount, false);
});

test('each failure of the program has a code', () => {
  const all = readdirSync(SRC, { recursive: true })
    .filter((name) => /^(?!api).*\.js$/.test(name))
    .flatMap((name) => [
      ...readFileSync(new URL(name, SRC), 'utf8').matchAll(
        /(?:new Failure\(|\bstop\(|\bwhy: )'([^']+)'/g,
      ),
    ]);
  assert(all.length > 20);
  for (const [, code] of all) codeOf(code);
});

test("the server's own trouble is recognized by its SQLSTATE", () => {
  assert(SERVER_ERRORS.length > 5);
  for (const code of ['53100', '40P01', 'XX001']) assert(isOfServer({ code }), code);
  for (const code of ['23505', 'XX000', '42P01', 'ECONNRESET', '08', undefined])
    assert(!isOfServer({ code }), code);
});
