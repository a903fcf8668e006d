// The command line without a database: none of these commands gets as far as connecting to one.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import test, { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { WebSocketServer } from 'ws';

const BIN = fileURLToPath(new URL('../../bin/atid-indexer.js', import.meta.url));

function atid(words, env = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...words], {
    env: { PATH: process.env.PATH, PGHOST: '/nowhere', ...env },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

// The same by one process for all, which calls main(): a start takes longer than what is asked.
const CALLS = fileURLToPath(new URL('../../t/calls.mjs', import.meta.url));
const MAIN = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));
const calls = spawn(process.execPath, [CALLS, MAIN], { stdio: ['pipe', 'pipe', 'inherit'] });
const answers = createInterface({ input: calls.stdout })[Symbol.asyncIterator]();
after(() => calls.stdin.end());
async function call(words, env = {}) {
  const own = { PATH: process.env.PATH, PGHOST: '/nowhere', ...env };
  calls.stdin.write(`${JSON.stringify({ words, env: own })}\n`);
  return JSON.parse((await answers.next()).value);
}
const isRefused = ({ status, stdout, stderr }, words, why) => {
  assert.deepEqual([status, stdout], [2, ''], `${words}`);
  assert.match(stderr, why);
};
const refuses = async (words, env, why) => isRefused(await call(words, env), words, why);
const refused = (words, env, why) => isRefused(atid(words, env), words, why);

const COMMANDS = [
  'init',
  'upgrade',
  'run',
  'api',
  'up',
  'status',
  'verify',
  'stream',
  'settings',
  'explain',
  'exclude',
  'include',
  'forget',
  'reload',
  'check',
  'want',
  'lexicon',
];

test('help', () => {
  for (const words of [['--help'], ['-h'], ['help']]) {
    const { status, stdout, stderr } = atid(words);
    assert.deepEqual([status, stderr], [0, '']);
    for (const name of COMMANDS) assert.match(stdout, new RegExp(`^  ${name} `, 'm'));
    assert.ok(stdout.split('\n').every((line) => line.length <= 105));
  }
});

test('the help of a command lists its own settings and no others', async () => {
  const run = await call(['run', '--help']);
  assert.equal(run.status, 0);
  assert.match(run.stdout, /--service-url <URL> .*ATID_SERVICE_URL, default\s+https:/s);
  assert.doesNotMatch(run.stdout, /API_|--service /);
  assert.doesNotMatch((await call(['api', '--help'])).stdout, /SERVICE_URL|--api-db-password/);
  assert.equal(
    (await call(['help', 'explain'])).stdout,
    (await call(['explain', '--help'])).stdout,
  );
  assert.doesNotMatch((await call(['explain', '--help'])).stdout, /ATID_/);
  assert.match(
    (await call(['want', '--help'])).stdout,
    /list.*add <what> <value>.*remove <what> <value>/s,
  );
  assert.match((await call(['settings'])).stdout, /ATID_SERVICE_URL.*ATID_API_DB_PASSWORD/s);
});

test('the version', () => {
  const { status, stdout } = atid(['--version']);
  assert.equal(status, 0);
  assert.match(
    stdout,
    /^\d+\.\d+\.\d+\nThe database needs atid .* and atid_crypto .*, or later\.\n$/,
  );
});

test('a wrong call is refused', async () => {
  await refuses([], {}, /^Usage: atid-indexer /);
  await refuses(['want'], {}, /^Usage: atid-indexer want /);
  await refuses(
    ['exclud', 'x'],
    {},
    /^atid-indexer: unknown command 'exclud'\n\(Did you mean exclude\?\)/,
  );
  await refuses(['want', 'ad'], {}, /Did you mean add\?/);
  await refuses(['explain'], {}, /missing required argument 'did'/);
  await refuses(['explain', 'a', 'b'], {}, /too many arguments for 'explain'/);
  await refuses(['up', 'folder'], {}, /missing required argument 'service'/);
  await refuses(['up', 'folder', 'no URL'], {}, /invalid value "no URL" for --service-url/);
  await refuses(
    ['want', 'add', 'host', 'x'],
    {},
    /invalid value "host" for <what>: it takes account, collection, signal, live/,
  );
  await refuses(['lexicon', 'add'], {}, /missing required argument 'files'/);
  await refuses(
    ['run', '--db-writer', '2'],
    {},
    /unknown option '--db-writer'\n\(Did you mean --db-writers\?\)/,
  );
  await refuses(['stream', 'count'], {}, /required option '--cursor <number>' not specified/);
  await refuses(['stream', 'count', '--cursor', '-1'], {}, /invalid value "-1" for --cursor/);
});

test('an invalid value is refused', async () => {
  await refuses(
    ['run', '--db-writers', '0'],
    {},
    /invalid value "0" for --db-writers: it takes a number from 1 to 100/,
  );
  await refuses(['run'], { ATID_DB_WRITERS: 'x' }, /invalid value "x" for ATID_DB_WRITERS/);
  await refuses(['run'], { WORKERS: 'x' }, /invalid value "x" for WORKERS/);
  await refuses(
    ['run', '--patience', '5'],
    { ATID_REPO_TIMEOUT: '1m' },
    /both are set, to different values/,
  );
});

test('a failure has status 1, and settings of other commands do not matter', () => {
  const { status, stderr } = atid(['status'], { ATID_DB_WRITERS: 'x' });
  assert.equal(status, 1);
  assert.match(stderr, /^atid-indexer: No PostgreSQL server answers there/);
});

test('variables also come from a file, unless they are set', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'atid-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'indexer.env');
  writeFileSync(file, 'ATID_DB_WRITERS=x\nATID_DATABASE_URL=postgresql://127.0.0.1:1/y\n');
  const why = /invalid value "x" for ATID_DB_WRITERS/;
  refused(['--env-file', file, 'run'], {}, why);
  refused(['run', '--env-file', file], {}, why);
  refused(['run', '--env-file', file], { ATID_DB_WRITERS: 'y' }, /invalid value "y"/);
  // (Node also looks for such a flag in the arguments of programs, and ends with status 9)
  const missing = atid(['run', '--env-file', `${file}.old`]);
  assert.ok([2, 9].includes(missing.status) && missing.stderr.includes('indexer.env.old: '));
  const { status, stderr } = atid(['status', '--env-file', file]);
  assert.equal(status, 1);
  assert.match(stderr, /No PostgreSQL server answers there: .*127\.0\.0\.1:1\b/);
});

test('a URL defines the database, and its password is never shown', () => {
  const env = { ATID_DATABASE_URL: 'postgresql://joe:secret@127.0.0.1:1/x' };
  assert.match(atid(['status'], env).stderr, /answers there: .*127\.0\.0\.1:1\b/);
  env.ATID_DATABASE_URL += '?password=secret';
  refused(['status'], env, /^(?!.*secret).*ATID_DATABASE_URL has the parameter password/);
});

// A stream server that sends three frames and closes.
async function count(words, env = {}) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await new Promise((resolve) => server.on('listening', resolve));
  const asked = [];
  server.on('connection', (socket, request) => {
    asked.push(request.url);
    for (let i = 0; i < 3; i++) socket.send('frame');
  });
  const own = { PATH: process.env.PATH, ATID_PROGRESS_INTERVAL: '0.1s', ...env };
  const url = `http://127.0.0.1:${server.address().port}`;
  const child = spawn(process.execPath, [BIN, ...words, url], { env: own });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      said += text;
      if (/frames"?[=:]3\b/.test(said)) child.kill('SIGTERM');
    });
  const status = await new Promise((resolve) => child.on('exit', resolve));
  for (const socket of server.clients) socket.terminate();
  server.close();
  return { status, said, asked };
}

test('stream count counts frames without a database', async () => {
  const { status, said, asked } = await count([
    'stream',
    'count',
    '--cursor',
    '7',
    '--service-url',
  ]);
  assert.deepEqual(asked, ['/xrpc/com.atproto.sync.subscribeRepos?cursor=7']);
  assert.equal(status, 0);
  assert.doesNotMatch(said, /atid-indexer: /);
});

test('... as "run" with DRY does, with one warning', async () => {
  const { status, said, asked } = await count(['run', '--service'], {
    DRY: '8',
    STREAM: 'com.atproto.label.subscribeLabels',
  });
  assert.deepEqual(asked, ['/xrpc/com.atproto.label.subscribeLabels?cursor=8']);
  assert.equal(status, 0);
  assert.match(
    said,
    /^atid-indexer: settings have new names.* --service is now --service-url, STREAM is now/m,
  );
  assert.match(
    said,
    /^atid-indexer: the setting DRY ends with 3\.0: use "atid-indexer stream count/m,
  );
});

test('a log line is JSON if that is set', async () => {
  const { status, said } = await count(['stream', 'count', '--cursor', '7', '--service-url'], {
    ATID_LOG_FORMAT: 'json',
  });
  assert.equal(status, 0);
  const lines = said
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.ok(lines.length >= 2);
  for (const { time, level, event } of lines) {
    assert.ok(Math.abs(Date.parse(time) - Date.now()) < 60e3);
    assert.ok(level === 'info' && event.length > 0);
  }
  // a progress line may come before it
  assert.equal(lines.find((line) => line.event === 'stream connected')?.cursor, 7);
  const why = /invalid value "xml" for ATID_LOG_FORMAT: it takes text, json/;
  refused(['run'], { ATID_LOG_FORMAT: 'xml' }, why);
});
