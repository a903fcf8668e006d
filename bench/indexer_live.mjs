// Follows a stream of frames for bench/indexer, by the program's own connection, queues and shard.
//
//   node indexer_live.mjs FRAMES
//
// FRAMES has the lines of indexer.mjs. A process of its own is the relay. Prints the microseconds
// of the processor that the program has taken, and those of its session, and the number of commits
// that were applied.
import { fork } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { WebSocketServer } from 'ws';
import { Pool } from './indexer/src/db/pool.js';
import { newTotal } from './indexer/src/ops/progress.js';
import { setLevel } from './indexer/src/ops/log.js';
import { followStream } from './indexer/src/work/follow.js';
import { ShardQueues } from './indexer/src/work/shard-queues.js';
import { Shard } from './indexer/src/work/shard.js';

const IN_FLIGHT = 100; // frames that the relay sends before it waits for the socket

async function serve(file) {
  const frames = [];
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const [first, , hex] = line.split('\t');
    if (!first.startsWith('did:')) frames.push(Buffer.from(hex, 'hex'));
  }
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
  server.on('connection', async (socket) => {
    for (let i = 0; i < frames.length; i += IN_FLIGHT) {
      const some = frames.slice(i, i + IN_FLIGHT);
      await Promise.all(some.map((frame) => new Promise((sent) => socket.send(frame, sent))));
    }
  });
  server.on('listening', () => process.send([server.address().port, frames.length]));
  process.on('disconnect', () => process.exit());
}

async function follow(file) {
  setLevel('warn');
  const relay = fork(import.meta.filename, [file]);
  const [port, frames] = await new Promise((resolve) => relay.on('message', resolve));
  const over = new AbortController();
  const total = newTotal();
  const pools = { take: new Pool('take', 1), small: new Pool('small', 1) };
  const run = {
    name: 'bench', shards: 1, labels: false, signal: over.signal, total, pools,
    settings: { SERVICE_URL: `http://127.0.0.1:${port}`, STREAM_KIND: 'repos' },
    queues: new ShardQueues(1), stream: { listening: false, end: null }, signs: { of: () => null },
  };
  const ofSession = async () =>
    Number((await pools.take.row('SELECT bench.processor_time() AS ns')).ns);
  const before = await ofSession();
  const own = process.cpuUsage();
  const work = Promise.all([followStream(run), new Shard(run, 0).follow()]);
  while (total.frames < frames)
    await Promise.race([work, new Promise((resolve) => setTimeout(resolve, 20))]);
  const { user, system } = process.cpuUsage(own);
  const after = await ofSession();
  console.log(user + system, Math.round((after - before) / 1000), total.applied);
  over.abort();
  relay.disconnect();
  await work;
  await Promise.all(Object.values(pools).map((pool) => pool.end()));
}

await (process.send ? serve : follow)(process.argv[2]);
