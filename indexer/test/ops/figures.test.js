import assert from 'node:assert/strict';
import test from 'node:test';
import { Memory } from '../../src/net/memory.js';
import { Places } from '../../src/net/places.js';
import { Figures, OF_PROCESS } from '../../src/ops/figures.js';
import { exposition } from '../../src/ops/metrics.js';
import { ShardQueues } from '../../src/work/shard-queues.js';

const places = (all) => new Places({ all, origin: all, domain: all, again: 1, back: 1 });

// The parts of a run with two shards that the figures read.
function aRun() {
  const loads = { downloads: places(8), memory: new Memory(100), copies: new Memory(100) };
  const workers = { loads, identities: { methods: [{ name: 'plc', places: places(4) }] } };
  return { queues: new ShardQueues(2), workers };
}
const valueOf = (figures, what, of) =>
  figures.rows().find((row) => row.what === what && row.of === of)?.value;

test('figures are those of the run while there is one', (t) => {
  const figures = new Figures();
  t.after(() => figures.end());
  assert.equal(valueOf(figures, 'process_queue_bytes', ''), undefined);
  const run = aRun();
  figures.run = run;
  assert.equal(valueOf(figures, 'process_queue_frames', '0'), 0);
  run.queues.put(Buffer.alloc(10));
  run.queues.put(Buffer.alloc(10));
  assert.equal(valueOf(figures, 'process_queue_frames', '0'), 2);
  assert.equal(valueOf(figures, 'process_queue_frames', '1'), 0);
  assert.equal(valueOf(figures, 'process_queue_bytes', ''), run.queues.bytes);
  run.queues.done(0, 1);
  assert.equal(valueOf(figures, 'process_queue_frames', '0'), 1);
  const place = run.workers.loads.downloads.acquire('https://a.example', 'known');
  assert.equal(valueOf(figures, 'process_requests', 'repositories'), 1);
  assert.equal(valueOf(figures, 'process_request_limit', 'repositories'), 8);
  assert.equal(valueOf(figures, 'process_requests', 'identities of plc'), 0);
  place.release();
  assert.equal(valueOf(figures, 'process_requests', 'repositories'), 0);
  const held = run.workers.loads.memory.share();
  held.add(30);
  assert.equal(valueOf(figures, 'process_download_bytes', 'answers'), 30);
  held.release();
  assert.equal(valueOf(figures, 'process_download_bytes', 'answers'), 0);
});

test('a busy thread shows in the delay of the event loop', async (t) => {
  const figures = new Figures();
  t.after(() => figures.end());
  const pause = () => new Promise((resolve) => setTimeout(resolve, 100));
  await pause();
  for (const until = Date.now() + 500; Date.now() < until;);
  await pause();
  const most = valueOf(figures, 'process_event_loop_delay_seconds', '1');
  assert.ok(most >= 0.4 && most < 60, `${most}`);
});

test('each figure has a type and a help text', (t) => {
  const figures = new Figures();
  t.after(() => figures.end());
  figures.run = aRun();
  const rows = figures.rows();
  const names = new Set(rows.map(({ what }) => what));
  assert.deepEqual([...names].sort(), Object.keys(OF_PROCESS).sort());
  const text = exposition(rows);
  for (const what of Object.keys(OF_PROCESS)) {
    assert.match(text, new RegExp(`^# HELP atid_${what} [A-Z].*\\.$`, 'm'));
    assert.match(text, new RegExp(`^# TYPE atid_${what} gauge$`, 'm'));
  }
});
