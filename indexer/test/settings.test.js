import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import test from 'node:test';
import { createServer, exposition } from '../src/metrics.js';
import { TABLE, Usage, help, settings } from '../src/settings.js';

test('settings come from flags, then from the environment', () => {
  const all = settings(
    { WORKERS: '2', PRIVATE: '1' },
    { WORKERS: '3', SERVICE: 'http://localhost:2583/', LARGEST: '1e6' },
  );
  assert.deepEqual(
    [all.WORKERS, all.PRIVATE, all.SERVICE, all.LARGEST, all.METRICS, all.NAMES, all.TAKERS],
    [2, true, 'http://localhost:2583', 1e6, null, [], 1],
  );
  assert.deepEqual(settings({}, { NAMES: 'https://a.example, https://b.example/' }).NAMES, [
    'https://a.example',
    'https://b.example',
  ]);
  for (const [name] of TABLE) assert.match(help(), new RegExp(`^  ${name} `, 'm'));
});

test('a setting that cannot be read is refused', () => {
  const odd = {
    SERVICE: ['relay.example', 'ftp://a', 'https://u:p@a', 'https://a/b'],
    WORKERS: ['0', 'x', '1.5', ' ', '-1'],
    STREAM: ['com.example.x'],
    PRIVATE: ['yes'],
    BIND: ['localhost'],
    LEVEL: ['loud'],
    METRICS: ['0', '65536'],
    NAMES: ['https://a,b'],
    API_PROXIES: ['a', '10.0.0.0/33', '::1/129', '10.0.0.1/', '10.0.0.1/8/8', '127.0.0.1,none'],
  };
  for (const [name, values] of Object.entries(odd)) {
    for (const value of values) assert.throws(() => settings({ [name]: value }, {}), Usage, `${name}=${value}`);
  }
});

test('addresses are counted, of IPv6 by network, and proxies are not', async () => {
  const { API_PROXIES } = settings({ API_PROXIES: '127.0.0.1, 10.0.0.0/8, fd00::/8' });
  const { Addresses } = await import('../src/api/addresses.js');
  const addresses = new Addresses({ API_PROXIES, API_SOCKETS: 10 });
  const same = ['2001:db8::1', '2001:db8:0:0:ffff::', '2001:0db8:0000:0000:1:2:3:4%eth0'];
  assert.deepEqual(
    [...same, '::ffff:192.0.2.1', '2001:db8:1::', '::ffff:10.1.2.3', 'fd00::1'].map((a) => addresses.counterOf(a)),
    [...same.map(() => '2001:db8:0:0::/64'), '192.0.2.1', '2001:db8:1:0::/64', null, null],
  );
  const leaves = Array.from({ length: 10 }, () => addresses.enter('WebSockets', '192.0.2.1'));
  assert.equal(addresses.enter('WebSockets', '192.0.2.1'), null);
  for (const leave of leaves) (leave(), leave());
  assert.equal(addresses.all.size, 0);
  assert.equal(new Addresses({ API_PROXIES: settings({ API_PROXIES: 'none' }).API_PROXIES, API_SOCKETS: 1 }).counterOf('127.0.0.1'), '127.0.0.1');
});

test('metrics are as Prometheus reads them', () => {
  const rows = [
    { what: 'a b', of: 'x"\\\ny', value: 1.5 },
    { what: 'a b', of: null, value: 2 },
    { what: 'loads', of: 'd', value: 0 },
  ];
  assert.equal(
    exposition(rows),
    '# HELP atid_a_b a b of the view indexer.watch.\n# TYPE atid_a_b gauge\n' +
      'atid_a_b{of="x\\"\\\\\\ny"} 1.5\natid_a_b{of=""} 2\n' +
      '# HELP atid_loads The same as atid_loads_total. It will not be in version 2.\n# TYPE atid_loads gauge\n' +
      'atid_loads{of="d"} 0\n' +
      '# HELP atid_loads_total Repositories loaded.\n# TYPE atid_loads_total counter\natid_loads_total{of="d"} 0\n',
  );
});

test('the dashboard asks for metrics that there are', () => {
  const read = (name) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
  const watch = read('sql/watch.sql');
  const names = new Set(read('grafana.json').match(/\batid_[a-z_]+/g));
  assert.ok(names.size > 10);
  for (const name of names) {
    const of = /^atid_(stream_|activity_)?(.*?)(_total)?$/.exec(name);
    assert.equal(exposition([{ what: `${of[1] ?? ''}${of[2]}`, of: '', value: 0 }]).includes(`TYPE ${name} counter`), name.endsWith('_total'));
    assert.ok(watch.includes(of[1] ? `('${of[2]}', ` : `SELECT '${of[2]}'`), name);
  }
});

test('a program that has waited for another has its port', async () => {
  const settings = { SERVICE: 'https://x.example', STREAM: 'x', METRICS: 0, BIND: '127.0.0.1' };
  const first = net.createServer().listen(0, '127.0.0.1');
  await once(first, 'listening');
  const { port } = first.address();
  const second = createServer({ ...settings, METRICS: port });
  try {
    await new Promise((resolve) => setTimeout(resolve, 500));
    first.close();
    const until = Date.now() + 30e3;
    const answers = () => fetch(`http://127.0.0.1:${port}/x`).then(({ status }) => status === 404, () => false);
    while (!(await answers())) {
      assert.ok(Date.now() < until);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  } finally {
    second.close();
  }
});
