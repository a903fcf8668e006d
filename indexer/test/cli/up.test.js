import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import test from 'node:test';
import { listsCollections } from '../../src/cli/up-wants.js';

const settingsOf = (url) => ({
  SERVICE_URL: url,
  MAX_DOWNLOADS: 4,
  MIN_DOWNLOAD_RATE: 0,
  ALLOW_PRIVATE_ADDRESSES: true,
});

// A server that gives these answers in order, repeating the last one, and the settings to follow
// it.
async function serverOf(...answers) {
  const server = createServer((request, response) => {
    const [status, body] = answers.length > 1 ? answers.shift() : answers[0];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.on('listening', resolve));
  return { server, settings: settingsOf(`http://127.0.0.1:${server.address().port}`) };
}

const ask = async (answers, more = { tryFor: 20e3, first: 5 }) => {
  const { server, settings } = await serverOf(...answers);
  try {
    return await listsCollections(settings, 'com.example.mine', new AbortController().signal, more);
  } finally {
    server.close();
  }
};
const PAGE = [200, { repos: [] }];
const FAILS = [503, { error: 'Unavailable' }];

test('a server lists accounts by collection, or does not have the method', async () => {
  assert.equal(await ask([PAGE]), true);
  assert.equal(await ask([[501, { error: 'MethodNotImplemented' }]]), false);
  assert.equal(await ask([[400, { error: 'MethodNotImplemented' }]]), false);
  assert.equal(await ask([[404, {}]]), false);
});

test('a server that fails is asked again', async () => {
  assert.equal(await ask([FAILS, [429, {}], [200, { repos: 5 }], PAGE]), true);
  assert.equal(await ask([FAILS, [501, {}]]), false);
});

test('... for a while', async () => {
  await assert.rejects(ask([FAILS], { tryFor: 100, first: 5 }), /server error: 503 Unavailable/);
  const { signal } = new AbortController();
  const nobody = settingsOf('http://127.0.0.1:1');
  await assert.rejects(
    listsCollections(nobody, 'com.example.mine', signal, { tryFor: 0 }),
    /unreachable/,
  );
});
