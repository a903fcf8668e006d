import assert from 'node:assert/strict';
import test from 'node:test';
import { domainOf } from '../../src/net/addresses.js';
import { Places } from '../../src/net/places.js';

test('an origin that is no URL has a place of its own', () => {
  const places = new Places({ all: 8, origin: 1, domain: 1 });
  for (const origin of ['https://999.1.1.1', 'https://h.example:99999', 'https://[:::]']) {
    assert.equal(domainOf(origin), origin);
    assert.ok(places.acquire(origin, 'new'), origin);
    assert.equal(places.acquire(origin, 'new'), null);
  }
});

test('places are shared', () => {
  const places = new Places({ all: 16, origin: 4, domain: 5, free: ['https://our.example'] });
  const origin = (i, of = 'evil.example') => `https://${i}.${of}`;
  const known = Array.from({ length: 5 }, () => places.acquire(origin(1), 'known'));
  assert.deepEqual(known.map(Boolean), [true, true, true, true, false]);
  assert.ok(places.busy('known').includes(origin(1)));
  const unknown = [2, 3, 4, 5, 6, 7].map((i) => places.acquire(origin(i), 'new'));
  assert.deepEqual(unknown.map(Boolean), [true, true, true, true, true, false]);
  assert.ok(
    places.busy('new').includes(origin(7)),
    'an origin of a domain without a free place is busy',
  );
  assert.ok(!places.busy('known').includes(origin(7)), 'for accounts of this kind');
  assert.deepEqual(places.busyDomains('new'), ['evil.example']);
  unknown[0].releaseOrigin();
  unknown[0].release();
  unknown[0].release();
  assert.ok(!places.busy('new').includes(origin(7)));
  const moving = [
    places.acquire('https://our.example', 'new'),
    places.acquire('https://our.example', 'new'),
  ];
  assert.ok(moving[0].move(origin(8)));
  assert.ok(!moving[1].move(origin(9)), 'a redirect needs a place, too');
  // 4 places of known accounts and 6 of new ones are taken; new ones may have at most 8
  const more = Array.from({ length: 4 }, (_, i) =>
    places.acquire(origin(i, `honest${i}.example`), 'new'),
  );
  assert.deepEqual(more.map(Boolean), [true, true, false, false]);
  assert.deepEqual([places.capacity('new'), places.capacity('known')], [0, 4]);
  for (const place of [...known, ...unknown, ...moving, ...more]) place?.release();
  assert.deepEqual(
    [places.capacity('new'), places.capacity('known'), places.origins.size],
    [8, 14, 0],
  );
});

test('new accounts and those that have failed leave places to each other', () => {
  const places = new Places({ all: 16, origin: 4, domain: 4, again: 4 });
  const fill = (kind) => {
    const taken = [];
    for (let i = 0; i < 16; i++) taken.push(places.acquire(`https://${kind}${i}.example`, kind));
    return taken.filter(Boolean);
  };
  const fresh = fill('new');
  assert.equal(fresh.length, 6);
  assert.equal(fill('again').length, 2);
  for (const place of fresh) place.release();
  assert.equal(fill('again').length, 2, 'four at most');
  assert.equal(fill('new').length, 4);
  assert.equal(fill('known').length, 8);
});

test('known accounts that have failed have a share, too', () => {
  const places = new Places({ all: 16, origin: 16, domain: 16, again: 4, back: 4 });
  const fill = (kind) =>
    Array.from({ length: 16 }, (_, i) => places.acquire(`https://${i}.example`, kind)).filter(
      Boolean,
    );
  const back = fill('back');
  assert.equal(back.length, 4);
  assert.equal(fill('known').length, 10);
  for (const place of back.slice(1)) place.release();
  assert.equal(fill('known').length, 2, 'two are kept for those that have failed');
  assert.equal(fill('back').length, 1);
});

test('while others wait, slow requests keep a quarter of the places', () => {
  const ours = 'https://our.example';
  const places = new Places({ all: 32, origin: 32, domain: 32, free: [ours] });
  const slow = Array.from({ length: 16 }, (_, i) => places.acquire(`https://${i}.example`, 'new'));
  const keep = () => slow.filter((place) => place.mayStay(12e3, 200e3)).length;
  assert.equal(keep(), 16, 'nobody waits');
  places.waiting.known = true;
  assert.equal(keep(), 16, 'nobody of their kind waits');
  places.waiting.new = true;
  assert.equal(keep(), 4);
  for (const place of slow.splice(4)) place.release();
  assert.equal(keep(), 4, 'these go on');
  const [quick, other, service] = ['https://q.example', 'https://o.example', ours].map((o) =>
    places.acquire(o, 'new'),
  );
  assert.ok(quick.mayStay(1e9, 200e3));
  assert.ok(service.mayStay(1, 200e3), 'our own service may be slow');
  assert.ok(!other.mayStay(12e3, 200e3), 'a single quick request does not help the others');
  other.release();
  for (const place of slow) place.mayStay(150e3, 200e3);
  const more = Array.from({ length: 4 }, () => places.acquire('https://m.example', 'new'));
  assert.ok(
    more.every((place) => place.mayStay(150e3, 200e3)),
    'if all are rather quick, our own line may be slow',
  );
  for (const place of [...slow, ...more, quick, service]) place.release();
  assert.deepEqual([places.slow.new, places.measured.new, places.rates.new], [0, 0, 0]);
});
