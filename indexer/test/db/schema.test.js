import assert from 'node:assert/strict';
import test from 'node:test';
import { Problem } from '../../src/db/errors.js';
import { createExtensions } from '../../src/db/extensions.js';
import { parts } from '../../src/db/sql-files.js';
import { isNewer, needed, VERSION } from '../../src/db/versions.js';

// A database without the extensions, in which CREATE EXTENSION fails in this way.
const database = (error) => ({
  query: async (text) => {
    if (text.startsWith('CREATE EXTENSION')) throw Object.assign(new Error(error.message), error);
    return { rows: [{ encoding: 'UTF8', there: false, version: '15.9' }] };
  },
});
async function said(error) {
  const e = await createExtensions(database(error)).then(assert.fail, (reason) => reason);
  assert(e instanceof Problem);
  return e.message;
}

test('missing files of extensions are not reported as missing rights', async () => {
  const hint = 'The extension must first be installed on the system where PostgreSQL is running.';
  for (const code of ['0A000', '58P01']) {
    const text = await said({ code, message: 'extension "atid_crypto" is not available', hint });
    assert.match(text, /not available\. The extension must first be installed on the system/);
    assert.match(
      text,
      /Install the files of atid [\d.]+ and atid_crypto [\d.]+, or later, for PostgreSQL 15\.9 /,
    );
    assert.match(text, /doc\/install\.md\.$/);
  }
});

test('a role that may not create extensions gets a message about that', async () => {
  const message = 'permission denied to create extension "atid"';
  const text = await said({ code: '42501', message, hint: 'Must be superuser.' });
  assert.match(
    text,
    /Must be superuser\. Have a role with this right run "CREATE EXTENSION atid_crypto CASCADE"/,
  );
});

test('versions are compared by their numbers', () => {
  for (const [newer, older] of [
    ['2.0.0', '1.3.3'],
    ['2.0.0', '1.4.0'],
    ['2.0.1', '2.0.0'],
    ['2.10.0', '2.9.0'],
    ['1.3', '1.2'],
    ['1.10', '1.9'],
    ['2.0', '1.3.3'],
  ]) {
    assert(isNewer(newer, older), `${newer} is newer than ${older}`);
    assert(!isNewer(older, newer), `${older} is not newer than ${newer}`);
  }
  assert(!isNewer('2.0.0', '2.0.0'));
  assert(!isNewer('1.3', '1.3.0') && !isNewer('1.3.0', '1.3'));
});

test('the program upgrades a schema of the last release that had the extension version', () => {
  assert(!isNewer('1.3.3') && isNewer(VERSION, '1.3.3'));
});

// A database with these extensions: { name: [version, version of the files, or null for no files]
// }.
const having = (versions) => ({
  query: async (text, [names] = []) => {
    if (text.includes('pg_available_extensions'))
      return { rows: [{ version: versions[names][1], server: '17.2' }] };
    if (text.includes('extversion'))
      return {
        rows: names
          .filter((n) => versions[n])
          .map((name) => ({ name, version: versions[name][0] })),
      };
    return { rows: [{ encoding: 'UTF8', there: true }] };
  },
});
const least = Object.fromEntries(
  needed()
    .split(' and ')
    .map((pair) => pair.split(' ')),
);

test('the oldest versions that the package names and later ones are accepted', async () => {
  assert.deepEqual(Object.keys(least), ['atid', 'atid_crypto']);
  await createExtensions(having({ atid: [least.atid], atid_crypto: [least.atid_crypto] }));
  await createExtensions(having({ atid: ['1.10'], atid_crypto: ['9.0'] }));
});

test('an older version is refused, with advice', async () => {
  for (const name of Object.keys(least)) {
    const text = async (files) => {
      const there = {
        atid: [least.atid],
        atid_crypto: [least.atid_crypto],
        [name]: ['1.1', files],
      };
      const e = await createExtensions(having(there)).then(assert.fail, (reason) => reason);
      assert(e instanceof Problem);
      return e.message;
    };
    const start = `The extension ${name} has version 1.1 in this database, but ${least[name]} or later is needed: `;
    assert.equal(await text(least[name]), `${start}ALTER EXTENSION ${name} UPDATE.`);
    for (const files of ['1.1', null])
      assert.equal(
        await text(files),
        `${start}install its files for PostgreSQL 17.2 on the machine of the server (doc/install.md), ` +
          `then ALTER EXTENSION ${name} UPDATE.`,
      );
  }
});

test('a migration is split at its lines "--> next" only', () => {
  const one =
    "CREATE TABLE a (x text DEFAULT ';--> next');\n-- a comment; --> next\nDO $$ BEGIN NULL; END $$;\n";
  assert.deepEqual(parts(one), [one]);
  assert.deepEqual(parts(`${one}--> next\nALTER TABLE a ADD y int;\n`), [
    one,
    '\nALTER TABLE a ADD y int;\n',
  ]);
});
