// Requests to strangers, and what each may cost.
//
// - Places: how many requests are under way, of all, of one origin and of one registrable domain; a
//   part of all is kept for accounts that are known, and for those that are new.
// - Memory: the bytes of answers that are here. Small answers always may go on. Beyond the limit
//   the large ones wait, but for the oldest.
// - Time: headers within 15 seconds, MIN_DOWNLOAD_RATE bytes a second over ten seconds, all within
//   REPO_TIMEOUT. What we wait for memory does not count; and while others wait for memory, twenty
//   times MIN_DOWNLOAD_RATE, so that no drip holds them up. While others wait for a place, too: but
//   a quarter of the places may be held by requests that are slower than that.
// - Pieces: an answer in a great many pieces of a few bytes is slow, and so is one behind many of
//   1xx.
// - Redirects: five at most. Each hop is looked up anew and must be a public address, the one that
//   is connected to; and the origin that it leads to must have a place.
//
// An answer is its bytes, or a Failure of border.js. If the signal is aborted, its reason is
// thrown.
import dns from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { BlockList, isIP } from 'node:net';
import { getDomain } from 'tldts';
import { BOUNDS, clean, Failure, failureOf } from '../protocol/answers.js';

export const AGENT = 'atid-indexer'; // as which the program asks, the stream too
const HEADERS_WITHIN = 15e3;
const LEAST_OVER = 10e3;
const MOST_HOPS = 5;
const PRESSED = 20;
const LOOK_EVERY = 5e3; // ms between two looks whether a request is too slow for those that wait
const FEW_PIECES = 1000; // of an answer may be of any size,
const LEAST_PIECE = 64; // of more the mean must be so many bytes
const MOST_INTERIM = 20; // answers of 1xx before one that counts
const BLOCK = 64e3;
const LARGEST_BLOCK = 8e6;

// Addresses to which no stranger may lead us. (Node looks for an IPv4 address that is written as
// IPv6 among these, too.)
const inner = new BlockList();
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
])
  inner.addSubnet(net, bits, 'ipv4');
for (const [net, bits] of [
  ['::', 96],
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 32],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 9],
  ['ff00::', 8],
])
  inner.addSubnet(net, bits, 'ipv6');
export const isPrivate = (address) => inner.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

const refusal = (detail) => Object.assign(new Error(detail), { code: 'EPRIVATE' });
const bare = (url) => url.hostname.replace(/^\[|\]$/g, '');

// Looks a stranger's name up, by DNS alone: this takes none of the few threads that files and other
// look-ups share. What it returns is what is connected to.
export const lookUpBy = (resolver) => (host, options, done) => {
  if (/^(.+\.)?localhost\.?$/i.test(host)) return done(refusal(`${host} is here`));
  const found = [];
  let error;
  let left = 2;
  const one = (family) => (e, addresses) => {
    if (e) error ??= e;
    else found.push(...addresses.map((address) => ({ address, family })));
    if (--left > 0) return undefined;
    const bad = found.find(({ address }) => isPrivate(address));
    if (bad) return done(refusal(`${host} has the private address ${bad.address}`));
    if (found.length === 0)
      return done(
        error ?? Object.assign(new Error(`${host} has no address`), { code: 'ENOTFOUND' }),
      );
    return options.all ? done(null, found) : done(null, found[0].address, found[0].family);
  };
  resolver.resolve4(host, one(4));
  resolver.resolve6(host, one(6));
  return undefined;
};
const lookUp = lookUpBy(new dns.Resolver({ timeout: 3000, tries: 2 }));

const KEEP = { keepAlive: true, timeout: 20e3, maxFreeSockets: 4 };
const agents = (lookup) => ({
  'http:': new http.Agent({ ...KEEP, lookup }),
  'https:': new https.Agent({ ...KEEP, lookup }),
});

// The registrable domain of an origin; an address, or a name without one, is its own. So is what is
// no URL, such as https://999.1.1.1: what the database knows as the origin of an account is a
// stranger's text.
export function domainOf(origin) {
  if (!URL.canParse(origin)) return origin;
  const host = bare(new URL(origin));
  return (isIP(host) ? null : getDomain(host, { allowPrivateDomains: false })) ?? host;
}
// The origin of a URL, without the dot with which a name may end: indexer.origin() has the same.
export const originOf = (url) =>
  URL.canParse(url) ? new URL(url).origin.replace(/\.(?=(?::\d+)?$)/, '') : null;

// Places for requests: `all` of them. There are accounts that are known and new ones; and of each
// those that have failed, which are asked for again: `back` and `again`. Half of all places are
// kept for the known, an eighth for the others. Of its part each kind that has failed has at most
// `back`, or `again`, and half of these are kept for it. At most `origin` are of one origin, and
// `domain` of one registrable domain for each of these kinds. `free` origins have no share: our own
// service.
const KINDS = ['known', 'back', 'new', 'again'];
const byKind = (make) => Object.fromEntries(KINDS.map((kind) => [kind, make()]));

export class Places {
  constructor({ all, origin, domain, again = 0, back = 0, free = [] }) {
    this.limit = { all, origin, domain, again, back };
    this.free = new Set(free);
    this.count = byKind(() => 0);
    this.origins = new Map();
    this.domains = byKind(() => new Map());
    // origins that were refused as their domain has no place, and that domain
    this.full = byKind(() => new Map());
    this.waiting = byKind(() => false); // do others wait for a place of this kind?
    this.slow = byKind(() => 0); // how many requests are,
    this.looked = byKind(() => 0); // of how many it is known,
    this.rates = byKind(() => 0); // and the bytes a second that these have, none counted as more than is quick
    this.wakers = new Set();
  }

  // How many places are taken.
  get held() {
    return KINDS.reduce((sum, kind) => sum + this.count[kind], 0);
  }

  // How many places are for this kind and the one that belongs to it: fresh, or has failed.
  share(kind) {
    const { all } = this.limit;
    return kind === 'known' || kind === 'back' ? all - Math.floor(all / 8) : Math.ceil(all / 2);
  }

  // How many of this kind may begin now.
  room(kind) {
    const { limit, count } = this;
    const [fresh, failed] =
      kind === 'known' || kind === 'back' ? ['known', 'back'] : ['new', 'again'];
    const share = this.share(kind);
    const left =
      kind === fresh
        ? share - Math.max(count[failed], Math.floor(limit[failed] / 2)) - count[fresh]
        : Math.min(share - count[fresh], limit[failed]) - count[failed];
    return Math.max(0, Math.min(left, limit.all - this.held));
  }

  // May a request of this kind that is slow keep its place? While others wait, a quarter of the
  // places may be held by slow ones; unless all of them together are quick, as where it is our own
  // line that is slow.
  spares(kind, quick) {
    const { limit, looked, rates, slow, waiting } = this;
    const most = kind === 'known' || kind === 'new' ? this.share(kind) : limit[kind];
    return (
      !waiting[kind] ||
      slow[kind] <= Math.max(1, most / 4) ||
      rates[kind] >= (looked[kind] * quick) / 2
    );
  }

  fits(origin, kind) {
    if (this.free.has(origin)) return true;
    if ((this.origins.get(origin) ?? 0) >= this.limit.origin) return false;
    const domain = domainOf(origin);
    if ((this.domains[kind].get(domain) ?? 0) < this.limit.domain) return true;
    if (this.full[kind].size < 1000) this.full[kind].set(origin, domain);
    return false;
  }

  // A place, or null. It moves with a redirect, to an origin that has a place free: move(origin). A
  // request that has had so few bytes a second has to end where keeps() is false; it is slow if
  // they are less than `quick`. When the answer is here the place is no longer one of its origin,
  // arrived(); it ends when the answer is done with, end().
  take(origin, kind) {
    if (this.room(kind) === 0 || !this.fits(origin, kind)) return null;
    this.count[kind]++;
    this.add(origin, kind, 1);
    let ended = false;
    let now = { looked: 0, slow: 0, rates: 0 };
    const note = (next) => {
      for (const what of ['looked', 'slow', 'rates']) this[what][kind] += next[what] - now[what];
      now = next;
    };
    const forget = () => note({ looked: 0, slow: 0, rates: 0 });
    const place = {
      origin,
      keeps: (rate, quick) => {
        const slow = rate < quick && !this.free.has(place.origin);
        note({ looked: 1, slow: Number(slow), rates: Math.min(rate, quick) });
        if (!slow || this.spares(kind, quick)) return true;
        forget();
        return false;
      },
      move: (to) => {
        if (to === place.origin) return true;
        if (!this.fits(to, kind)) return false;
        this.add(place.origin, kind, -1);
        this.add(to, kind, 1);
        place.origin = to;
        return true;
      },
      arrived: () => {
        if (place.origin !== null) this.add(place.origin, kind, -1);
        place.origin = null;
        forget();
      },
      end: () => {
        if (ended) return;
        ended = true;
        place.arrived();
        this.count[kind]--;
        for (const wake of this.wakers) wake();
      },
    };
    return place;
  }

  add(origin, kind, n) {
    if (this.free.has(origin)) return;
    const domain = domainOf(origin);
    for (const [map, key] of [
      [this.origins, origin],
      [this.domains[kind], domain],
    ]) {
      const now = (map.get(key) ?? 0) + n;
      if (now > 0) map.set(key, now);
      else map.delete(key);
    }
    if (n > 0) return;
    for (const [name, of] of this.full[kind]) if (of === domain) this.full[kind].delete(name);
  }

  // Origins that have no place of this kind now.
  busy(kind) {
    const full = [...this.origins.keys()].filter((origin) => !this.fits(origin, kind));
    return [...new Set([...full, ...this.full[kind].keys()])];
  }

  // Registrable domains that have no place of this kind now.
  busyDomains(kind) {
    return [...this.domains[kind]]
      .filter(([, n]) => n >= this.limit.domain)
      .map(([domain]) => domain);
  }

  // Resolves when a place has become free, or after a while.
  freed(ms) {
    return new Promise((resolve) => {
      const timer = setTimeout(() => wake(), ms);
      const wake = () => {
        clearTimeout(timer);
        this.wakers.delete(wake);
        resolve();
      };
      this.wakers.add(wake);
    });
  }
}

// Bytes that are held, in the order in which their holders came. Each holder may have `each` bytes,
// whoever else is here; of what is more they may have `most` together, and the oldest as many as it
// needs.
export class Memory {
  constructor(most, each = 0) {
    this.most = most;
    this.each = each;
    this.bytes = 0; // above `each`
    this.holders = new Set();
    this.waiting = new Set();
  }

  // All bytes that are held.
  get held() {
    return [...this.holders].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  hold() {
    const holder = { bytes: 0 };
    this.holders.add(holder);
    const above = () => Math.max(0, holder.bytes - this.each);
    const change = (n) => {
      this.bytes -= above();
      holder.bytes += n;
      this.bytes += above();
    };
    const fits = () =>
      above() === 0 || this.bytes <= this.most || this.holders.values().next().value === holder;
    return {
      add: change,
      // May this holder have more?
      fits,
      // Do others wait?
      pressed: () => this.waiting.size > 0,
      // Resolves when it may have more, or when the signal is aborted.
      room: async (signal) => {
        while (!signal?.aborted && !fits()) {
          await new Promise((resolve) => {
            const wake = () => {
              this.waiting.delete(wake);
              signal?.removeEventListener('abort', wake);
              resolve();
            };
            this.waiting.add(wake);
            signal?.addEventListener('abort', wake);
          });
        }
      },
      end: () => {
        if (!this.holders.delete(holder)) return;
        change(-holder.bytes);
        for (const wake of [...this.waiting]) wake();
      },
    };
  }
}

// An answer's bytes, in blocks of our own: chunks of one byte would cost a hundred each.
class Body {
  constructor() {
    this.blocks = [];
    this.length = 0;
    this.left = 0;
  }

  add(chunk) {
    this.length += chunk.length;
    for (let from = 0; from < chunk.length;) {
      if (this.left === 0) {
        this.left = Math.max(BLOCK, Math.min(LARGEST_BLOCK, this.length));
        this.blocks.push(Buffer.allocUnsafeSlow(this.left));
      }
      const block = this.blocks.at(-1);
      const n = chunk.copy(block, block.length - this.left, from);
      from += n;
      this.left -= n;
    }
  }

  bytes() {
    if (this.blocks.length === 1) return this.blocks[0].subarray(0, this.length);
    return Buffer.concat(this.blocks, this.length);
  }
}

// The failure that an error of Node's is.
function failureFrom(e, origin) {
  const code = String(e.code ?? e.errors?.[0]?.code ?? '');
  if (code === 'EPRIVATE') return new Failure('private_address', e.message, { origin });
  if (/^HPE_|^ERR_INVALID|^ERR_UNESCAPED/.test(code))
    return new Failure('malformed', code, { origin });
  return new Failure('unreachable', code || e.message, { origin });
}

export class Http {
  // Of the program's settings: how long a request may take, how slow it may be, whether strangers
  // may lead to private addresses, and the servers that may have such addresses.
  constructor({ REPO_TIMEOUT, MIN_DOWNLOAD_RATE, ALLOW_PRIVATE_ADDRESSES, SERVICE_URL, PLC_URL }) {
    this.patience = REPO_TIMEOUT * 1000;
    this.least = MIN_DOWNLOAD_RATE;
    this.lookEvery = LOOK_EVERY;
    this.open = ALLOW_PRIVATE_ADDRESSES;
    this.ours = new Set([SERVICE_URL, PLC_URL].map(originOf));
    this.agents = { guarded: agents(lookUp), free: agents(undefined) };
  }

  close() {
    for (const kind of Object.values(this.agents))
      for (const agent of Object.values(kind)) agent.destroy();
  }

  // The bytes of an answer of 200, at most `most` of them. place: of Places, follows redirects.
  // held: of Memory.
  async get(address, { most, place = null, held = null, signal }) {
    signal.throwIfAborted();
    const own = new AbortController();
    let url = new URL(address);
    let why = null;
    let begun = false; // an answer of 200 has
    const stop = (failure) => {
      why ??= failure;
      own.abort();
    };
    const abort = () => own.abort();
    signal.addEventListener('abort', abort);
    const clock = this.clock(stop, {
      origin: () => originOf(url),
      least: () => this.least * (held?.pressed() ? PRESSED : 1),
      keeps: (rate) => place === null || place.keeps(rate, this.least * PRESSED),
    });
    try {
      for (let hops = 0; ; hops++) {
        const origin = originOf(url);
        if (hops > 0 && place && !place.move(origin)) throw new Failure('busy', origin, { origin });
        clock.began();
        const answer = await this.request(url, own.signal);
        const { statusCode, headers } = answer;
        if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
          if (hops === MOST_HOPS) throw new Failure('too_many_redirects', '', { origin });
          if (!URL.canParse(headers.location, url))
            throw new Failure('malformed', 'the place that a redirect leads to', { origin });
          answer.on('error', () => {});
          if (Number(headers['content-length']) <= BOUNDS.error) answer.resume();
          else answer.destroy();
          url = new URL(headers.location, url);
          continue;
        }
        if (statusCode !== 200) {
          const said = await this.body(answer, BOUNDS.error, {
            origin,
            signal: own.signal,
            clock,
          }).catch((e) => e.said ?? Buffer.alloc(0));
          signal.throwIfAborted();
          throw failureOf(statusCode, headers, said, origin);
        }
        if (headers['content-encoding'] && headers['content-encoding'] !== 'identity') {
          throw new Failure('malformed', 'an encoding that was not asked for', { origin });
        }
        begun = true;
        return await this.body(answer, most, { origin, signal: own.signal, clock, held });
      }
    } catch (e) {
      if (signal.aborted) throw signal.reason;
      const failure = e instanceof Failure ? e : (why ?? failureFrom(e, originOf(url)));
      failure.begun = begun;
      throw failure;
    } finally {
      signal.removeEventListener('abort', abort);
      clock.end();
      own.abort();
    }
  }

  request(url, signal) {
    return new Promise((resolve, reject) => {
      const origin = originOf(url);
      const free = this.open || this.ours.has(origin);
      const host = bare(url);
      if (!/^https?:$/.test(url.protocol))
        throw new Failure('private_address', `no ${clean(url.protocol, 20)}`, { origin });
      if (!free && isIP(host) && isPrivate(host))
        throw new Failure('private_address', host, { origin });
      const get = url.protocol === 'http:' ? http.get : https.get;
      const headers = { 'user-agent': AGENT, 'accept-encoding': 'identity' };
      let interim = 0;
      const request = get(url, {
        signal,
        agent: this.agents[free ? 'free' : 'guarded'][url.protocol],
        headers,
      });
      // An answer of 101 is told by neither 'response' nor 'error'.
      request
        .on('response', resolve)
        .on('information', () => {
          if (++interim <= MOST_INTERIM) return;
          reject(new Failure('slow', `more than ${MOST_INTERIM} answers of 1xx`, { origin }));
          request.destroy();
        })
        .on('error', reject)
        .on('close', () => reject(new Failure('cut_short', 'no answer', { origin })));
    });
  }

  // Reads a body. The error of one that is too large has what was read.
  async body(answer, most, { origin, signal, clock, held = null }) {
    const body = new Body();
    let pieces = 0;
    const take = (piece) => {
      const length = body.length + piece.length;
      if (length > most)
        throw Object.assign(new Failure('too_large', `more than ${most} bytes`, { origin }), {
          said: body.bytes(),
        });
      if (++pieces > FEW_PIECES && length < pieces * LEAST_PIECE)
        throw new Failure('slow', `${length} bytes in ${pieces} pieces`, { origin });
      body.add(piece);
      clock.read(piece.length);
      held?.add(piece.length);
    };
    clock.reading();
    try {
      // (The iterator of a stream joins the pieces that have come: they are counted as they come.)
      await new Promise((resolve, reject) => {
        const wait = async () => {
          answer.pause();
          clock.pause();
          await held.room(signal);
          if (signal.aborted || answer.destroyed) return;
          clock.reading();
          answer.resume();
        };
        answer
          .on('data', (piece) => {
            try {
              if (!answer.destroyed) take(piece);
            } catch (e) {
              reject(e);
              answer.destroy();
              return;
            }
            if (held && !held.fits() && !answer.destroyed) wait();
          })
          .on('end', resolve)
          .on('error', reject)
          .on('close', () => reject(new Error('closed')));
        if (answer.destroyed) reject(new Error('closed'));
      });
    } catch (e) {
      if (e instanceof Failure || signal.aborted) throw e;
      throw new Failure('cut_short', e.code ?? e.message, { origin });
    }
    if (!answer.complete) throw new Failure('cut_short', '', { origin });
    return body.length === 0 ? Buffer.alloc(0) : body.bytes();
  }

  // The times of a request, while the other side has to act: stop(failure) when one is over.
  // least(): bytes a second. keeps(rate): may it go on, though others wait for its place?
  clock(stop, { origin, least, keeps }) {
    let whole = this.patience; // left of it
    let since = Date.now();
    let timer = null;
    let window = null; // { bytes } of the ten seconds that run
    let heard = 0; // bytes since the last look
    let waited = false; // for us, since then
    const look = setInterval(() => {
      const [rate, ours] = [(heard * 1000) / this.lookEvery, waited];
      [heard, waited] = [0, timer === null];
      if (!ours && !keeps(rate))
        over('crowded_out', `${Math.round(rate)} bytes a second while others wait`);
    }, this.lookEvery);
    const set = (ms, work) => {
      clearTimeout(timer);
      timer = setTimeout(work, Math.max(0, ms));
    };
    const over = (name, detail) => stop(new Failure(name, detail, { origin: origin() }));
    const spend = () => {
      const now = Date.now();
      whole -= now - since;
      since = now;
    };
    const outOfPatience = () => over('timeout', `not done in ${this.patience / 1000} s`);
    const turn = () => {
      if (whole <= LEAST_OVER) return set(whole, outOfPatience);
      window = { bytes: 0 };
      return set(LEAST_OVER, () => {
        spend();
        if (window.bytes < (least() * LEAST_OVER) / 1000)
          over('slow', `${window.bytes} bytes in ${LEAST_OVER / 1000} s`);
        else turn();
      });
    };
    return {
      began: () => {
        spend();
        set(Math.min(HEADERS_WITHIN, whole), () => over('timeout', 'no headers'));
      },
      reading: () => {
        since = timer === null ? Date.now() : (spend(), since);
        turn();
      },
      read: (n) => {
        if (window) window.bytes += n;
        heard += n;
      },
      pause: () => {
        waited = true;
        spend();
        clearTimeout(timer);
        timer = null;
        window = null;
      },
      end: () => {
        clearTimeout(timer);
        clearInterval(look);
      },
    };
  }
}
