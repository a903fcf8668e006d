import assert from 'node:assert/strict';
import test from 'node:test';
import { Problem } from '../src/database.js';
import { extensions } from '../src/schema.js';

// A database without the extensions, in which CREATE EXTENSION fails in this way.
const database = (error) => ({
  query: async (text) => {
    if (text.startsWith('CREATE EXTENSION')) throw Object.assign(new Error(error.message), error);
    return { rows: [{ encoding: 'UTF8', there: false, version: '15.9' }] };
  },
});
async function said(error) {
  const e = await extensions(database(error)).then(assert.fail, (reason) => reason);
  assert(e instanceof Problem);
  return e.message;
}

test('extensions without their files are no matter of rights', async () => {
  const hint = 'The extension must first be installed on the system where PostgreSQL is running.';
  for (const code of ['0A000', '58P01']) {
    const text = await said({ code, message: 'extension "atid_crypto" is not available', hint });
    assert.match(text, /not available\. The extension must first be installed on the system/);
    assert.match(text, /Install the files of atid and atid_crypto for PostgreSQL 15\.9 .*doc\/install\.md/);
  }
});

test('a role that may not create them is told so', async () => {
  const message = 'permission denied to create extension "atid"';
  const text = await said({ code: '42501', message, hint: 'Must be superuser.' });
  assert.match(text, /Must be superuser\. Have a role with this right run "CREATE EXTENSION atid_crypto CASCADE"/);
});
