import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import test from 'node:test';
import { SETTINGS } from '../../src/cli/setting-list.js';
import { environmentOf, help, settings, Usage, variableOf } from '../../src/cli/settings.js';
import { createServer, exposition } from '../../src/ops/metrics.js';

const read = (command, flags, env = {}) => settings(command, flags, env).values;

test('settings come from flags, then from the environment', () => {
  const SERVICE = 'http://localhost:2583/';
  const env = { ATID_DB_WRITERS: '3', ATID_SERVICE_URL: SERVICE, ATID_METRICS_PORT: '' };
  const all = read('run', { DB_WRITERS: '2', ALLOW_PRIVATE_ADDRESSES: 'true' }, env);
  assert.deepEqual(
    [all.DB_WRITERS, all.ALLOW_PRIVATE_ADDRESSES, all.SERVICE_URL, all.STREAM_KIND],
    [2, true, 'http://localhost:2583', 'repos'],
  );
  assert.deepEqual([all.METRICS_PORT, all.SERVICE_ALIASES, all.STREAM_SHARDS], [null, [], 1]);
  assert.deepEqual(
    read('run', { SERVICE_ALIASES: 'https://a.example, https://b.example/' }).SERVICE_ALIASES,
    ['https://a.example', 'https://b.example'],
  );
  assert.equal(read('api', {}, { ATID_API_DB_PASSWORD: 'secret' }).API_DB_PASSWORD, 'secret');
});

test('a command has only its own settings, and help lists all', () => {
  assert.deepEqual(read('explain', {}, { ATID_DB_WRITERS: 'x' }), {});
  assert.deepEqual(Object.keys(read('init', {}, {})), ['ROLE']);
  assert.equal(read('api', {}).SERVICE_URL, undefined);
  for (const one of Object.values(SETTINGS).flat())
    assert.match(help(), new RegExp(`^  ${variableOf(one)}$`, 'm'));
});

test('values have units', () => {
  const of = (name, value) => read('run', { [name]: value })[name];
  assert.deepEqual(
    ['300', '90s', '5m', '1.5h', '0.5 h', '0.5d'].map((value) => of('REPO_TIMEOUT', value)),
    [300, 90, 300, 5400, 1800, 43200],
  );
  assert.deepEqual(
    ['1e6', '500kB', '64MB', '0.3 GB', '2500.5kB'].map((value) => of('MAX_REPO_SIZE', value)),
    [1e6, 500e3, 64e6, 300e6, 2500500],
  );
  assert.deepEqual([of('MIN_DOWNLOAD_RATE', '0'), of('PROGRESS_INTERVAL', '0.1')], [0, 0.1]);
});

test('an invalid value of a setting is refused', () => {
  const odd = {
    SERVICE_URL: ['relay.example', 'ftp://a', 'https://u:p@a', 'https://a/b'],
    DB_WRITERS: ['0', 'x', '1.5', ' ', '-1', '4s', '4kB'],
    STREAM_KIND: ['com.example.x', 'toString'],
    ALLOW_PRIVATE_ADDRESSES: ['yes'],
    METRICS_HOST: ['localhost'],
    LOG_LEVEL: ['loud'],
    LOG_FORMAT: ['xml', 'toString'],
    METRICS_PORT: ['0', '65536'],
    SERVICE_ALIASES: ['https://a,b'],
    REPO_TIMEOUT: ['0', '25h', '5M', '5 m s', 'm', '5d', '1kB'],
    MAX_REPO_SIZE: ['999', '2GB', '5kb', '5KB', '1.5', '1e4 e4', '5m'],
    API_PROXIES: ['a', '10.0.0.0/33', '::1/129', '10.0.0.1/', '10.0.0.1/8/8', '127.0.0.1,none'],
  };
  for (const [name, values] of Object.entries(odd)) {
    for (const value of values)
      assert.throws(() => read('up', { [name]: value }), Usage, `${name}=${value}`);
  }
  assert.throws(
    () => read('run', {}, { ATID_REPO_TIMEOUT: 'x' }),
    /invalid value "x" for ATID_REPO_TIMEOUT: it takes a time from 1s to 24h/,
  );
});

test('a name from before 2.0 is read with a warning', () => {
  const stream = 'com.atproto.label.subscribeLabels';
  const { values, warning } = settings('run', {}, { SERVICE: 'http://a.example', STREAM: stream });
  assert.deepEqual([values.SERVICE_URL, values.STREAM_KIND], ['http://a.example', 'labels']);
  assert.match(warning, /SERVICE is now ATID_SERVICE_URL, STREAM is now ATID_STREAM_KIND$/);
  assert.equal(settings('run', { STREAM_SHARDS: '2' }, {}).warning, null);
  const flag = settings('run', { '--takers': '2' }, {});
  assert.match(flag.warning, /--takers is now --stream-shards$/);
  assert.equal(read('run', {}, { PRIVATE: '1' }).ALLOW_PRIVATE_ADDRESSES, true);
  assert.equal(read('api', {}, { API_PASSWORD: 'secret' }).API_DB_PASSWORD, 'secret');
});

test('an old name next to the new one is ignored in the environment, and an error as a flag', () => {
  const both = { ATID_REPO_TIMEOUT: '5m', PATIENCE: '300' };
  const { values, warning } = settings('run', {}, both);
  assert.deepEqual([values.REPO_TIMEOUT, warning], [300, null]);
  for (const other of [{ PATIENCE: '301' }, { PATIENCE: 'for ever' }]) {
    const said = settings('run', {}, { ...both, ...other });
    assert.equal(said.values.REPO_TIMEOUT, 300);
    assert.match(said.warning, /: PATIENCE is ignored, as ATID_REPO_TIMEOUT is set$/);
  }
  assert.equal(read('run', { REPO_TIMEOUT: '1s' }, { PATIENCE: '2' }).REPO_TIMEOUT, 1);
  assert.throws(
    () => read('run', { '--patience': '301' }, { ATID_REPO_TIMEOUT: '5m' }),
    /--patience is the old name of ATID_REPO_TIMEOUT, and both are set, to different values/,
  );
});

test('a program that is started as a command has only the settings of this command', () => {
  const old = { SERVICE: 'x', API_PASSWORD: 'old', ATID_API_DB_PASSWORD: 'x' };
  const env = { PGHOST: 'h', PGPASSWORD: 'p', ...old };
  const values = read('up', { SERVICE_URL: 'http://a.example', REPO_TIMEOUT: '5m' }, {});
  const all = { ...values, API_DB_PASSWORD: 'made', SERVICE_ALIASES: ['http://b', 'http://c'] };
  const ofRun = environmentOf('run', all, env);
  assert.deepEqual([ofRun.PGHOST, ofRun.PGPASSWORD], ['h', 'p']);
  assert.equal(JSON.stringify(ofRun).match(/made|"x"|old|API_/), null);
  assert.deepEqual(read('run', {}, ofRun), read('run', { ...strings(all) }));
  const ofApi = environmentOf('api', all, env);
  assert.equal(ofApi.ATID_API_DB_PASSWORD, 'made');
  assert.equal(ofApi.ATID_SERVICE_URL, undefined);
  assert.equal(settings('api', {}, ofApi).warning, null);
});

const strings = (values) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, value === null ? '' : String(value)]),
  );

test('addresses are counted, those of IPv6 by network, and proxies are not', async () => {
  const { API_PROXIES } = read('api', { API_PROXIES: '127.0.0.1, 10.0.0.0/8, fd00::/8' });
  const { Addresses } = await import('../../src/api/addresses.js');
  const addresses = new Addresses({ API_PROXIES, API_MAX_SOCKETS: 10 });
  const same = ['2001:db8::1', '2001:db8:0:0:ffff::', '2001:0db8:0000:0000:1:2:3:4%eth0'];
  assert.deepEqual(
    [...same, '::ffff:192.0.2.1', '2001:db8:1::', '::ffff:10.1.2.3', 'fd00::1'].map((a) =>
      addresses.counterOf(a),
    ),
    [...same.map(() => '2001:db8:0:0::/64'), '192.0.2.1', '2001:db8:1:0::/64', null, null],
  );
  const leaves = Array.from({ length: 10 }, () => addresses.enter('WebSockets', '192.0.2.1'));
  assert.equal(addresses.enter('WebSockets', '192.0.2.1'), null);
  for (const leave of leaves) (leave(), leave());
  assert.equal(addresses.all.size, 0);
  const none = read('api', { API_PROXIES: 'none', API_MAX_SOCKETS: '1' });
  assert.equal(new Addresses(none).counterOf('127.0.0.1'), '127.0.0.1');
});

test('metrics have the format of Prometheus', () => {
  const rows = [
    { what: 'a b', of: 'x"\\\ny', value: 1.5, type: 'gauge', help: 'A.' },
    { what: 'a b', of: null, value: 2, type: 'gauge', help: 'A.' },
    { what: 'loads', of: 'd', value: 0, type: 'counter', help: 'Repositories loaded.' },
  ];
  assert.equal(
    exposition(rows),
    '# HELP atid_a_b A.\n# TYPE atid_a_b gauge\n' +
      'atid_a_b{of="x\\"\\\\\\ny"} 1.5\natid_a_b{of=""} 2\n' +
      '# HELP atid_loads The same as atid_loads_total. It will be removed in version 3.\n# TYPE atid_loads gauge\n' +
      'atid_loads{of="d"} 0\n' +
      '# HELP atid_loads_total Repositories loaded.\n# TYPE atid_loads_total counter\natid_loads_total{of="d"} 0\n',
  );
});

test('the dashboard queries only existing metrics', () => {
  const read = (name) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
  const watch = read('sql/watch/watch.sql');
  const names = new Set(read('grafana.json').match(/\batid_[a-z_]+/g));
  assert.ok(names.size > 10);
  const types = new Map(
    [...watch.matchAll(/\('(\w+)', '(gauge|counter)'/g)].map((m) => [m[1], m[2]]),
  );
  for (const name of names) {
    const [, what, total] = /^atid_(.*?)(_total)?$/.exec(name);
    assert.equal(types.get(what), total ? 'counter' : 'gauge', name);
  }
});

test('a program that has waited for another one gets its port', async () => {
  const own = { SERVICE_URL: 'https://x.example', STREAM_KIND: 'repos', METRICS_HOST: '127.0.0.1' };
  const first = net.createServer().listen(0, '127.0.0.1');
  await once(first, 'listening');
  const { port } = first.address();
  const second = createServer({ ...own, METRICS_PORT: port });
  try {
    await new Promise((resolve) => setTimeout(resolve, 500));
    first.close();
    const until = Date.now() + 30e3;
    const answers = () =>
      fetch(`http://127.0.0.1:${port}/x`).then(
        ({ status }) => status === 404,
        () => false,
      );
    while (!(await answers())) {
      assert.ok(Date.now() < until);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  } finally {
    second.close();
  }
});
