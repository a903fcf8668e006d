// Figures of the process itself, in the form of the view indexer.watch: what waits in it, what it
// holds, and how late its timers are.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const NANO = 1e-9;
const QUANTILES = [50, 99, 100];

// Their names, with what they are.
export const OF_PROCESS = {
  process_queue_frames: ['gauge', 'Frames of the stream that wait in the process, by shard.'],
  process_queue_bytes: ['gauge', 'Bytes of these frames.'],
  process_requests: ['gauge', 'Requests under way, by what they ask for.'],
  process_request_limit: ['gauge', 'Requests that may be under way.'],
  process_download_bytes: ['gauge', 'Bytes of repositories in memory: answers, and copies.'],
  process_downloads_waiting: ['gauge', 'Downloads that wait for memory.'],
  process_memory_bytes: ['gauge', 'Memory of the process, by its kind.'],
  process_event_loop_delay_seconds: [
    'gauge',
    'Delay of the event loop since the last time that this page was queried, by quantile.',
  ],
};

const KINDS = ['rss', 'heapUsed', 'external', 'arrayBuffers'];

export class Figures {
  constructor() {
    this.run = null; // { queues, workers } of the run that goes on
    this.delay = monitorEventLoopDelay({ resolution: 20 });
    this.delay.enable();
  }

  rows() {
    const row = (what, of, value) => ({ what, of, value });
    return [...this.ofRun(row), ...this.ofProcess(row)];
  }

  ofRun(row) {
    if (this.run === null) return [];
    const { queues, workers } = this.run;
    const { loads, identities } = workers;
    const places = [
      ['repositories', loads.downloads],
      ...identities.methods.map((method) => [`identities of ${method.name}`, method.places]),
    ];
    const memories = [
      ['answers', loads.memory],
      ['copies', loads.copies],
    ];
    return [
      ...queues.lengths.map((n, shard) => row('process_queue_frames', String(shard), n)),
      row('process_queue_bytes', '', queues.bytes),
      ...places.map(([of, { held }]) => row('process_requests', of, held)),
      ...places.map(([of, { limit }]) => row('process_request_limit', of, limit.all)),
      ...memories.map(([of, { held }]) => row('process_download_bytes', of, held)),
      ...memories.map(([of, { waiting }]) => row('process_downloads_waiting', of, waiting.size)),
    ];
  }

  ofProcess(row) {
    const memory = process.memoryUsage();
    const delays = QUANTILES.map((n) => [n / 100, this.delay.percentile(n) * NANO]);
    this.delay.reset();
    return [
      ...KINDS.map((kind) => row('process_memory_bytes', kind, memory[kind])),
      ...delays.map(([of, value]) => row('process_event_loop_delay_seconds', String(of), value)),
    ];
  }

  end() {
    this.delay.disable();
  }
}
