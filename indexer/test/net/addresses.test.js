import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import dns from 'node:dns';
import test from 'node:test';
import { domainOf, isPrivate, lookUpBy, originOf } from '../../src/net/addresses.js';

test('addresses to which no stranger may lead us', () => {
  for (const a of [
    '127.0.0.1',
    '10.1.2.3',
    '192.168.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:0:7f00:1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    '2001::1',
    '2002:7f00:1::',
    '192.88.99.1',
    '3fff:fff::1',
    '5f00::1',
    'fc00::1',
    'fe80::1',
    'ff02::1',
  ])
    assert.ok(isPrivate(a), a);
  for (const a of [
    '8.8.8.8',
    '1.1.1.1',
    '::ffff:8.8.8.8',
    '2606:4700::1',
    '2a00::1',
    '2001:4860::1',
  ])
    assert.ok(!isPrivate(a), a);
});

// A name server for these names.
async function nameServer(names) {
  const socket = dgram.createSocket('udp4');
  socket.on('message', (question, { port }) => {
    const end = question.indexOf(0, 12) + 5;
    const name = question
      .subarray(12, end - 5)
      .toString('latin1')
      // eslint-disable-next-line no-control-regex -- these must not be there
      .replace(/[\x01-\x1f]/g, '.')
      .slice(1);
    const type = question.readUInt16BE(end - 4);
    const found = (names[name] ?? []).filter((address) => (type === 28) === address.includes(':'));
    const rows = found.map((address) => {
      const bytes = address.includes(':')
        ? Buffer.from(address.replace('::', '0'.repeat(16)), 'hex')
        : Buffer.from(address.split('.').map(Number));
      return Buffer.concat([
        Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 1, 0, bytes.length]),
        bytes,
      ]);
    });
    const head = Buffer.concat([
      question.subarray(0, 2),
      Buffer.from([0x81, names[name] ? 0x80 : 0x83, 0, 1, 0, rows.length, 0, 0, 0, 0]),
    ]);
    socket.send(Buffer.concat([head, question.subarray(12, end), ...rows]), port, '127.0.0.1');
  });
  await new Promise((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return socket;
}

test('names of strangers are resolved by DNS, and lead to no private address', async () => {
  const socket = await nameServer({
    'public.test': ['93.184.216.34', '26060000::00000001'],
    'private.test': ['10.0.0.1'],
    'mixed.test': ['93.184.216.34', '10.0.0.1'],
    'six.test': ['fc000000::00000001', '93.184.216.34'],
    'empty.test': [],
  });
  const resolver = new dns.Resolver({ timeout: 500, tries: 1 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  const lookUp = lookUpBy(resolver);
  const ask = (name, all = true) =>
    new Promise((resolve) => {
      lookUp(name, { all }, (e, found) =>
        resolve(e ? e.code : all ? found.map((f) => f.address).sort() : found),
      );
    });
  try {
    assert.deepEqual(await ask('public.test'), ['2606::1', '93.184.216.34']);
    assert.match(await ask('public.test', false), /^(2606::1|93\.184\.216\.34)$/);
    for (const name of [
      'private.test',
      'mixed.test',
      'six.test',
      'localhost',
      'x.localhost',
      'localhost.',
    ]) {
      assert.equal(await ask(name), 'EPRIVATE', name);
    }
    for (const name of ['empty.test', 'nobody.test'])
      assert.match(await ask(name), /^E(NOTFOUND|NODATA)$/);
  } finally {
    resolver.cancel();
    socket.close();
  }
});

test('the registrable domain of an origin', () => {
  assert.equal(domainOf('https://a.b.example.co.uk:8443'), 'example.co.uk');
  assert.equal(domainOf('https://x.github.io'), 'github.io');
  assert.equal(domainOf('http://[::1]:5'), '::1');
  assert.equal(domainOf('http://10.0.0.1'), '10.0.0.1');
  assert.equal(domainOf('http://localhost:3000'), 'localhost');
});

test('an origin has no dot at its end, and no user', () => {
  assert.equal(originOf('https://u:p@A.example.:443/x'), 'https://a.example');
  assert.equal(originOf('https://a.example.:8443'), 'https://a.example:8443');
  assert.equal(originOf('x'), null);
});
