import assert from 'node:assert/strict';
import test from 'node:test';
import { applyDatabaseUrl, variablesOf } from '../../src/db/database-url.js';

test('a URL sets the variables that it contains', () => {
  for (const [url, variables] of [
    [
      'postgresql://joe:p%40ss%2Fw@db.example:6432/in%20dexer?sslmode=require',
      {
        PGHOST: 'db.example',
        PGPORT: '6432',
        PGUSER: 'joe',
        PGPASSWORD: 'p@ss/w',
        PGDATABASE: 'in dexer',
        PGSSLMODE: 'require',
      },
    ],
    ['postgres://db.example', { PGHOST: 'db.example' }],
    ['postgresql://[::1]:5433/x', { PGHOST: '::1', PGPORT: '5433', PGDATABASE: 'x' }],
    [
      'postgresql:///x?host=/var/run/postgresql',
      { PGHOST: '/var/run/postgresql', PGDATABASE: 'x' },
    ],
  ])
    assert.deepEqual(variablesOf(url), variables, url);
});

test('any other text is refused, and not quoted', () => {
  for (const url of [
    'secret',
    'https://joe:secret@db.example/x',
    'postgresql://joe:secret%zz@db.example/x',
    'postgresql://joe:secret@db.example/x#y',
    'postgresql://joe:secret@db.example/x?password=secret',
    'postgresql://joe:secret@db.example/x?__proto__=1',
  ])
    assert.throws(
      () => variablesOf(url),
      (e) => /^ATID_DATABASE_URL /.test(e.message) && !e.message.includes('secret'),
      url,
    );
});

test('a URL takes precedence, and variables that it lacks stay', () => {
  const env = { PGHOST: 'a', PGUSER: 'b', ATID_DATABASE_URL: 'postgresql://c/d' };
  applyDatabaseUrl(env);
  assert.deepEqual([env.PGHOST, env.PGUSER, env.PGDATABASE], ['c', 'b', 'd']);
  const none = { PGHOST: 'a', ATID_DATABASE_URL: '' };
  applyDatabaseUrl(none);
  assert.equal(none.PGHOST, 'a');
});
