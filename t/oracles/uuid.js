// The answers of npm's package uuid, of Node's own hashes and of plain arithmetic.
//
//   node uuid.js names          reads lines of a namespace, a tab and a name's UTF-8 in hex, and prints for
//                               each: v3, v5, v8 (SHA-256)
//   node uuid.js values SEED N  prints N random UUIDs of each kind, and for each what it holds: kind, UUID,
//                               version, us since 1970, the same with v7's fraction, the same value as the
//                               other of v1 and v6, integer, bytes, GUID bytes; \N where there is none
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parse, stringify, v1, v1ToV6, v3, v5, v6, v6ToV1, v7, version } from 'uuid';
import { chance } from './chance.js';

const GREGORIAN_MS = 12219292800000n; // from 1582-10-15 to 1970-01-01

function names() {
  for (const line of readFileSync(0, 'latin1').split('\n')) {
    if (line === '') continue;
    const [text, hex] = line.split('\t');
    // as bytes, since a namespace may be any UUID, and the package takes as text only those of version 1 to 8
    const namespace = Uint8Array.from(Buffer.from(text.replaceAll('-', ''), 'hex'));
    const octets = Buffer.from(hex, 'hex');
    const name = octets.toString('utf8');
    const hash = createHash('sha256').update(namespace).update(octets).digest();
    hash[6] = 0x80 | (hash[6] & 0x0f);
    hash[8] = 0x80 | (hash[8] & 0x3f);
    console.log([v3(name, namespace), v5(name, namespace), stringify(hash.subarray(0, 16))].join('\t'));
  }
}

function values(seed, count) {
  const { random, below, bytes } = chance(seed);
  // as often small as large
  const up_to = (n) => Math.floor(n * (below(2) ? random() : 2 ** (-40 * random())));

  function row(kind, uuid, us, precise) {
    const octets = parse(uuid);
    const guid = Buffer.from(octets);
    guid.subarray(0, 4).reverse();
    guid.subarray(4, 6).reverse();
    guid.subarray(6, 8).reverse();
    const hex = Buffer.from(octets).toString('hex');
    const v = version(uuid);
    const other = v === 1 ? v1ToV6(uuid) : v === 6 ? v6ToV1(uuid) : '\\N';
    console.log([kind, uuid, v, us ?? '\\N', precise ?? us ?? '\\N', other, BigInt('0x' + hex),
      '\\\\x' + hex, '\\\\x' + guid.toString('hex')].join('\t'));
  }

  // v1 and v6 made from a time, a clock sequence and a node
  for (let made = 0; made < count;) {
    const msecs = up_to(Number(2n ** 60n / 10000n)) - Number(GREGORIAN_MS);
    const nsecs = below(10000); // of 100 ns
    const options = { msecs, nsecs, clockseq: below(0x4000), node: bytes(6) };
    const ticks = (BigInt(msecs) + GREGORIAN_MS) * 10000n + BigInt(nsecs);
    // the package forgets the carry of nsecs into the 33rd bit
    if ((ticks >> 32n) !== ((ticks - BigInt(nsecs)) >> 32n)) continue;
    const us = ticks / 10n - GREGORIAN_MS * 1000n;
    row('v1', v1(options), us);
    row('v6', v6(options), us);
    made++;
  }

  // v7 made from a time and a sequence, of which the first 12 bits stand in rand_a
  for (let i = 0; i < count; i++) {
    const msecs = up_to(2 ** 48);
    const seq = below(2 ** 32);
    const us = BigInt(msecs) * 1000n;
    row('v7', v7({ msecs, seq, random: bytes(16) }), us, us + BigInt(seq >>> 20) * 1000n / 4096n);
  }

  // any bits at all; time read out of the bytes
  for (let i = 0; i < count; i++) {
    const octets = bytes(16);
    const v = 1 + below(8);
    octets[6] = (v << 4) | (octets[6] & 0x0f);
    octets[8] = 0x80 | (octets[8] & 0x3f);
    const uuid = stringify(octets);
    const view = new DataView(octets.buffer);
    const rand_a = BigInt(view.getUint16(6) & 0xfff);
    let us, precise;
    if (v === 1 || v === 6) {
      const [high, mid, low] = v === 1
        ? [rand_a << 48n, BigInt(view.getUint16(4)) << 32n, BigInt(view.getUint32(0))]
        : [BigInt(view.getUint32(0)) << 28n, BigInt(view.getUint16(4)) << 12n, rand_a];
      us = (high | mid | low) / 10n - GREGORIAN_MS * 1000n;
    } else if (v === 7) {
      us = (view.getBigUint64(0) >> 16n) * 1000n;
      precise = us + rand_a * 1000n / 4096n;
    }
    row('any', uuid, us, precise);
  }
}

const [, , mode, seed, count] = process.argv;
if (mode === 'names') names();
else values(Number(seed), Number(count));
