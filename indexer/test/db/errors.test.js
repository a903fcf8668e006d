import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { config } from '../../src/db/connection.js';
import {
  isLost,
  isOfProgram,
  isOfValue,
  lostConnection,
  messageOf,
  Problem,
  UNCODED,
} from '../../src/db/errors.js';
import { Failure } from '../../src/protocol/failure.js';

const ofServer = (code, message = 'x') =>
  Object.assign(new Error(message), { code, severity: 'ERROR' });
const ofNode = (code, more) => Object.assign(new Error(`${code} x`), { code, ...more });

// The source of the packages whose errors have no code.
function sources() {
  const require = createRequire(import.meta.url);
  const folders = ['pg', 'pg-pool'].map((name) => dirname(require.resolve(name)));
  return folders
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true })
        .filter((name) => name.endsWith('.js') && !name.includes('node_modules'))
        .map((name) => readFileSync(join(folder, name), 'utf8')),
    )
    .join('\n');
}

test('the texts that identify errors of the driver are in its source', () => {
  const text = sources();
  const all = [...UNCODED.lost, ...UNCODED.password];
  assert.equal(all.length, 8);
  assert.deepEqual(
    all.filter((one) => !text.includes(`Error('${one}`)),
    [],
  );
});

test('a lost connection is recognized by the code of the error, or by its text if it has none', () => {
  for (const e of [
    ofServer('57P01'),
    ofServer('08006'),
    ofNode('ECONNRESET'),
    lostConnection('x'),
    new Error('Connection terminated unexpectedly'),
    new Error('timeout exceeded when trying to connect'),
  ])
    assert(isLost(e), e.message);
  for (const e of [
    ofServer('40P01', 'Connection terminated'),
    ofServer('57014'),
    new Error('x'),
    new Problem('Connection terminated'),
    new Failure('unreachable', 'ECONNRESET'),
  ])
    assert(!isLost(e), e.message);
});

test('errors of values and of functions are recognized by the class of their SQLSTATE', () => {
  for (const code of ['22P05', '22001', '54000']) assert(isOfValue(ofServer(code)), code);
  for (const code of ['23514', '42883', '2200', undefined]) assert(!isOfValue({ code }), code);
  assert(isOfProgram(ofServer('42883')) && !isOfProgram(ofNode('42883')));
});

test('messages of known errors contain advice', () => {
  for (const [e, text] of [
    [ofServer('3F000', 'schema "indexer" does not exist'), /^schema .*Run "atid-indexer init"/],
    [ofServer('42883', 'function x() does not exist'), /^function x.*CREATE EXTENSION atid_crypto/],
    [ofServer('42501', 'permission denied'), /^permission denied: the role lacks a right/],
    [ofServer('28P01', 'no'), /^no\. PGPASSWORD/],
    [ofServer('25006', 'cannot execute INSERT'), /^cannot execute INSERT: the server is a standby/],
    [ofServer('08P01', 'unsupported startup parameter: options'), /^A pooler such as pgbouncer/],
    [new Error('SASL: x: client password must be a string'), /^The server asks for a password/],
    [ofNode('ENOENT', { syscall: 'connect' }), /^No PostgreSQL server answers there: ENOENT/],
    [Object.assign(new Error(), { errors: [ofNode('ECONNREFUSED')] }), /answers there: ECONNREF/],
  ])
    assert.match(messageOf(e), text);
  for (const e of [ofServer('08P01', 'no such user'), ofNode('ENOENT', { syscall: 'open' })])
    assert.equal(messageOf(e), e.message);
  assert.equal(messageOf({ message: 'a\n b', detail: 'c\u202e' }), 'a b: c\ufffd');
});

test('a connection has the settings that the program needs', () => {
  const { options, application_name: name } = config('x', ['search_path=y']);
  assert.equal(name, 'atid-indexer x');
  assert.match(options, / -c statement_timeout=0 .* -c search_path=y$/);
});
