import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import test from 'node:test';
import { EVENTS } from '../../src/ops/events.js';
import * as log from '../../src/ops/log.js';

const root = new URL('../../', import.meta.url);

// The lines that work writes to the log.
function logged(t, work) {
  const lines = [];
  const write = t.mock.method(process.stdout, 'write', (text) => lines.push(text));
  try {
    work();
  } finally {
    write.mock.restore();
    log.setLevel('info');
    log.setFormat('text');
  }
  return lines.map((line) => line.replace(/^"?\d{4}-\d\d-\d\dT[\d:.]+Z /, ''));
}

test('a line has a time, a level, an event and fields', (t) => {
  const lines = logged(t, () => {
    log.info('load failed', { did: 'did:plc:a', code: 'timeout', detail: 'no "headers"', n: 7 });
    log.warn('stream closed', { error: '', server: null, port: undefined, ok: false });
    log.error('stream healthy');
    log.debug('progress');
  });
  assert.deepEqual(lines, [
    'info load failed did=did:plc:a code=timeout detail="no \\"headers\\"" n=7\n',
    'warn stream closed error="" ok=false\n',
    'error stream healthy\n',
  ]);
});

test('a line is a JSON object if that is set', (t) => {
  const [line] = logged(t, () => {
    log.setFormat('json');
    log.info('load failed', { did: 'did:plc:a', n: 7 });
  });
  const { time, ...more } = JSON.parse(line);
  assert.ok(Math.abs(Date.parse(time) - Date.now()) < 60e3);
  assert.deepEqual(more, { level: 'info', event: 'load failed', did: 'did:plc:a', n: 7 });
});

test('strangers can put nothing into a line except a field of limited length', (t) => {
  const text = 'x\n2026-01-01T00:00:00.000Z error run failed\u001b[2J\u202e\u2028\0 did=forged';
  for (const format of log.FORMAT_NAMES) {
    const [line, ...more] = logged(t, () => {
      log.setFormat(format);
      log.info('list failed', { detail: text, list: 'y'.repeat(1e6) });
    });
    assert.deepEqual(more, []);
    assert.equal(line.indexOf('\n'), line.length - 1);
    assert.doesNotMatch(line.slice(0, -1), /[\p{Cc}\u202e\u2028]/u);
    assert.ok(line.length < 1500, `${line.length}`);
  }
  const [line] = logged(t, () => log.info('list failed', { detail: text }));
  assert.match(line, /^info list failed detail="x 2026[^"]* did=forged"\n$/);
});

test('a setting defines the lowest level that is logged', (t) => {
  const count = (level) =>
    logged(t, () => {
      log.setLevel(level);
      for (const name of log.LEVELS) log[name]('progress');
    }).length;
  assert.deepEqual(log.LEVELS.map(count), [1, 2, 3, 4]);
});

test('the program logs exactly the events in the list', () => {
  const files = readdirSync(new URL('src/', root), { recursive: true });
  const text = files
    .filter((name) => name.endsWith('.js'))
    .map((name) => readFileSync(new URL(`src/${name}`, root), 'utf8'))
    .join('\n');
  const call = /\blog\.(?:counted\(\s*(?:level|'\w+'),|(?:error|warn|info|debug)\()\s*'([^']+)'/g;
  const used = [...text.matchAll(call)].map((m) => m[1]);
  assert.ok(used.length > 50);
  assert.equal(
    used.length,
    [...text.matchAll(/\blog\.(?:error|warn|info|debug|counted)\(/g)].length,
  );
  used.push('entries counted'); // the log's own
  assert.deepEqual([...new Set(used)].sort(), Object.keys(EVENTS).sort());
});

test('the manual has the list of events', (t) => {
  const manual = new URL('../doc/operate.md', root);
  if (!existsSync(manual)) return t.skip('there is no manual here');
  const rows = Object.entries(EVENTS).map(([name, text]) => `\`${name}\` | ${text}\n`);
  assert.ok(readFileSync(manual, 'utf8').includes(`---|---\n${rows.join('')}`));
  return undefined;
});
