// Figures of the process itself, in the form of the view indexer.watch: the work that waits in it,
// the memory that it holds, and the delay of its timers.
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** @typedef {{ what: string, of: string, value: number }} Row */
/** @typedef {{ type: 'gauge' | 'counter', help: string }} Metric */

/** @type {(what: string, of: string, value: number) => Row} */
const row = (what, of, value) => ({ what, of, value });

const NANO = 1e-9;
const QUANTILES = [50, 99, 100];

// The figures by name.
/** @type {Record<string, Metric>} */
export const OF_PROCESS = {
  process_queue_frames: {
    type: 'gauge',
    help: 'Frames of the stream that wait in the process, by shard.',
  },
  process_queue_bytes: { type: 'gauge', help: 'Bytes of these frames.' },
  process_requests: { type: 'gauge', help: 'Requests under way, by what they ask for.' },
  process_request_limit: { type: 'gauge', help: 'Requests that may be under way.' },
  process_download_bytes: {
    type: 'gauge',
    help: 'Bytes of repositories in memory: answers, and copies.',
  },
  process_downloads_waiting: { type: 'gauge', help: 'Downloads that wait for memory.' },
  process_memory_bytes: { type: 'gauge', help: 'Memory of the process, by its kind.' },
  process_event_loop_delay_seconds: {
    type: 'gauge',
    help: 'Delay of the event loop since the last time that this page was queried, by quantile.',
  },
};

const KINDS = /** @type {const} */ (['rss', 'heapUsed', 'external', 'arrayBuffers']);

export class Figures {
  constructor() {
    /**
     * @type {{ queues: import('../work/shard-queues.js').ShardQueues, workers:
     *   import('../work/workers.js').Workers } | null}
     */
    this.run = null; // the present run
    this.delay = monitorEventLoopDelay({ resolution: 20 });
    this.delay.enable();
  }

  /** @returns {Row[]} */
  rows() {
    return [...this.#ofRun(), ...this.#ofProcess()];
  }

  #ofRun() {
    if (this.run === null) return [];
    const { queues, workers } = this.run;
    const { loads, identities } = workers;
    const places = [
      { of: 'repositories', places: loads.downloads },
      ...identities.methods.map(({ name, places }) => ({ of: `identities of ${name}`, places })),
    ];
    const memories = [
      { of: 'answers', memory: loads.memory },
      { of: 'copies', memory: loads.copies },
    ];
    return [
      ...queues.lengths.map((n, shard) => row('process_queue_frames', String(shard), n)),
      row('process_queue_bytes', '', queues.bytes),
      ...places.map(({ of, places: { held } }) => row('process_requests', of, held)),
      ...places.map(({ of, places: { limit } }) => row('process_request_limit', of, limit.all)),
      ...memories.map(({ of, memory }) => row('process_download_bytes', of, memory.held)),
      ...memories.map(({ of, memory }) =>
        row('process_downloads_waiting', of, memory.waiting.size),
      ),
    ];
  }

  #ofProcess() {
    const memory = process.memoryUsage();
    const delays = QUANTILES.map((n) => ({ of: n / 100, value: this.delay.percentile(n) * NANO }));
    this.delay.reset();
    return [
      ...KINDS.map((kind) => row('process_memory_bytes', kind, memory[kind])),
      ...delays.map(({ of, value }) => row('process_event_loop_delay_seconds', String(of), value)),
    ];
  }

  end() {
    this.delay.disable();
  }
}
