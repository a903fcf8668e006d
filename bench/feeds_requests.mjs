// Requests pages of a feed from atid-indexer api, eight at a time, and prints the cost of a request for it and
// PostgreSQL.
//
//   node feeds_requests.mjs ROUNDS TOKEN
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';

const REQUESTS = 2000; // in a round
const rounds = Number(process.argv[2]);
const TICKS = Number(execFileSync('getconf', ['CLK_TCK']));
const path = '/xrpc/app.bsky.feed.getFeedSkeleton?limit=50&feed=at://did:web:feeds.example/app.bsky.feed.generator/cats';
const agent = new Agent({ keepAlive: true, maxSockets: 8 });

const port = await new Promise((resolve) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port: free } = server.address();
    server.close(() => resolve(free));
  });
});
const api = spawn(process.execPath, ['indexer/bin/atid-indexer.js', 'api'], {
  cwd: import.meta.dirname,
  env: { ...process.env, ATID_API_PORT: String(port) },
  stdio: ['ignore', 'ignore', 'inherit'],
});
process.on('exit', () => api.kill());

const ask = (headers) =>
  new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, agent, path, headers };
    const sent = request(options, (answer) => {
      answer.resume();
      answer.on('end', () => (answer.statusCode === 200 ? resolve() : reject(new Error(`status ${answer.statusCode}`))));
    });
    sent.on('error', reject).end();
  });

// Processor time of a process, or of all sessions of the program's role, in ms.
const fieldsOf = (pid) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
const used = (pid) => ((Number(fieldsOf(pid)[11]) + Number(fieldsOf(pid)[12])) * 1000) / TICKS;
function sessions() {
  let sum = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (/^postgres: (?:.*: )?reader /.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))) sum += used(pid);
    } catch {
      // it has ended
    }
  }
  return sum;
}

async function askMany(count, headers) {
  let left = count;
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      while (left-- > 0) await ask(headers);
    }),
  );
}

for (let tries = 0; ; tries++) {
  try {
    await ask({});
    break;
  } catch (error) {
    if (tries > 100 || api.exitCode !== null) throw error;
    await new Promise((done) => setTimeout(done, 200));
  }
}
const costs = { 'without a token': {}, 'with a token': { authorization: `Bearer ${process.argv[3]}` } };
const taken = {};
for (let round = 0; round <= rounds; round++)
  for (const [name, headers] of Object.entries(costs)) {
    const before = [used(api.pid), sessions()];
    await askMany(round ? REQUESTS : 300, headers);
    if (round) (taken[name] ??= []).push([used(api.pid) - before[0], sessions() - before[1]].map((ms) => ms / REQUESTS));
  }
for (const [name, list] of Object.entries(taken)) {
  const [program, server] = list.sort((a, b) => a[0] + a[1] - b[0] - b[1])[list.length >> 1];
  const rate = Math.round(1000 / (program + server));
  console.log(`a page by the API, ${name}: ${rate} requests a second of a core; the program ${program.toFixed(2)} ms, PostgreSQL ${server.toFixed(2)} ms`);
}
process.exit();
