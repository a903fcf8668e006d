// Repositories: which are downloaded now, and what becomes of one.
import { isLost, isOfServer, messageOf } from '../db/errors.js';
import { domainOf } from '../net/addresses.js';
import { Memory } from '../net/memory.js';
import { Places } from '../net/places.js';
import * as log from '../ops/log.js';
import { codeOf } from '../protocol/codes.js';
import { Failure } from '../protocol/failure.js';
import { clean } from '../protocol/text.js';
import { IDLE, pause, persist, steady } from './tasks.js';

const COPIES = 3; // of a repository that pg makes to write it
const SMALL = 1e6; // bytes of a repository that is loaded in no time
const FULL = ['53100', '53200', '53400']; // the disk, the memory, a limit of temporary files

// A number of permits to load repositories, `kept` of them for accounts that are known; where none
// of these waits, for small ones of others, too. The smallest repository comes first; but each
// second of waiting counts as a megabyte, so that large ones come, too.
export class Permits {
  constructor(most, kept) {
    this.most = most;
    this.kept = kept;
    this.count = { true: 0, false: 0 };
    this.waiting = [];
  }

  async take(known, bytes) {
    const one = { known, small: bytes <= SMALL, order: bytes + Date.now() * 1000 };
    if (this.next([one])) this.count[known]++;
    else await new Promise((resolve) => this.waiting.push({ ...one, resolve }));
    return () => {
      this.count[known]--;
      const next = this.next(this.waiting);
      if (!next) return;
      this.waiting.splice(this.waiting.indexOf(next), 1);
      this.count[next.known]++;
      next.resolve();
    };
  }

  // Which of these may begin now.
  next(waiting) {
    if (this.count.true + this.count.false >= this.most) return undefined;
    const least = (some) => some.reduce((a, b) => (a && a.order <= b.order ? a : b), undefined);
    const share = this.count.false < this.most - this.kept;
    return least(waiting.filter((w) => w.known || share)) ?? least(waiting.filter((w) => w.small));
  }
}

export class Loads {
  constructor({ settings, service, pools, signal, tasks, total, signs }) {
    const { SERVICE_URL, MAX_DOWNLOADS, MAX_DOWNLOAD_MEMORY, DB_WRITERS } = settings;
    Object.assign(this, { settings, service, pools, signal, tasks, total, signs });
    this.memory = new Memory(MAX_DOWNLOAD_MEMORY / 2, MAX_DOWNLOAD_MEMORY / 2 / MAX_DOWNLOADS); // answers
    this.copies = new Memory(MAX_DOWNLOAD_MEMORY); // what is made of them to write them
    this.permits = new Permits(DB_WRITERS, DB_WRITERS > 1 ? 1 : 0);
    this.downloads = new Places({
      all: MAX_DOWNLOADS,
      origin: Math.max(4, Math.floor(MAX_DOWNLOADS / 8)),
      domain: Math.floor(MAX_DOWNLOADS / 4),
      again: Math.max(1, Math.floor(MAX_DOWNLOADS / 4)),
      back: Math.max(1, Math.floor(MAX_DOWNLOADS / 4)),
      free: [SERVICE_URL],
    });
  }

  // Claims accounts while there are places, and loads each in a task of its own. The claims go
  // round all that are due. Kinds are those of load_kind() in loads.sql.
  async run(kind) {
    const known = kind === 'known' || kind === 'back';
    const failed = kind === 'back' || kind === 'again';
    const sign = this.signs.of(`loads of ${known ? 'known' : 'new'} accounts`);
    let after = [null, null];
    await steady(
      `loads of ${kind} accounts`,
      this.signal,
      async () => {
        const { downloads, service, pools } = this;
        const places = downloads.capacity(kind);
        const room = Math.min(places, service.breaker.allowance(50));
        downloads.waiting[kind] =
          places === 0 &&
          (await pools.small.row('SELECT indexer.load_waits($1, $2) AS waits', [known, failed]))
            .waits;
        sign.holds(service.isHolding() ?? (places === 0 ? 'no download frees a place' : null));
        if (room === 0) {
          await downloads.freed(IDLE);
          return true;
        }
        const rows = await pools.small.rows(
          'SELECT did, claim, host, at::text FROM indexer.claim($1, $2, $3, $4, $5, $6)',
          [room, known, ...after, downloads.busy(kind), failed],
        );
        const last = rows.at(-1);
        after = last ? [last.at, last.did] : [null, null];
        let begun = 0;
        for (const row of rows.filter((r) => r.claim !== null)) {
          const place = downloads.acquire(row.host ?? service.origin, kind);
          if (!place) {
            await this.release(row);
            continue;
          }
          begun++;
          sign.begins();
          const request = service.breaker.start();
          this.tasks.begin(row.did, () =>
            this.load(row, known, place, request, sign).finally(() => place.release()),
          );
        }
        if (begun === 0 && last) await pause(IDLE / 3, this.signal);
        return last !== undefined;
      },
      IDLE,
      sign,
    );
  }

  // The end of a claim, which the database has to hear of: else the account would be taken to be
  // loading for hours.
  release({ did, claim }) {
    return persist(did, this.signal, () =>
      this.pools.small.row('SELECT indexer.release($1, $2)', [did, claim]),
    );
  }

  async load({ did, claim, host }, known, place, request, sign) {
    const { pools, service, memory, signal } = this;
    // accounts of a host are one of those that fail; where all are of the service itself, each is
    // one
    const who = host === null || host === service.origin ? did : domainOf(host);
    const held = memory.share();
    const release = () => this.release({ did, claim });
    const fail = (why, detail, ofHost, seconds = null) =>
      persist(did, signal, () =>
        pools.small.row('SELECT indexer.fail($1, $2, $3, $4, $5, $6)', [
          did,
          claim,
          why,
          detail,
          ofHost,
          seconds,
        ]),
      );
    try {
      let car;
      try {
        car = await service.get(
          'sync.getRepo',
          { did },
          { most: this.settings.MAX_REPO_SIZE, place, share: held },
        );
      } catch (e) {
        if (signal.aborted) return void (await release());
        if (!(e instanceof Failure)) throw e;
        if (await service.isAway(request, e)) {
          log.info(`the server: ${e.message}`);
          return void (await release());
        }
        if (e.retry === 'at once') return void (await release());
        log.info(`${did}: ${e.message}`);
        if (!e.ofAccount) sign.misses(did, who, e.message);
        const ofHost = e.ofHost && e.origin !== service.origin && e.origin === host;
        return void (await fail(e.why, e.detail, ofHost, e.retryAfter && Math.ceil(e.retryAfter)));
      } finally {
        place.releaseOrigin();
      }
      service.breaker.succeed();
      const done = await this.permits.take(known, car.length);
      const copies = this.copies.share();
      try {
        copies.add(COPIES * car.length);
        await copies.waitForRoom(signal);
        if (signal.aborted) return void (await release());
        const { outcome, detail } = await pools.loads.row(
          'SELECT outcome, detail FROM indexer.load($1, $2, $3)',
          [did, claim, car],
        );
        if (outcome === 'loaded') {
          this.total.loaded++;
          sign.done();
        } else if (outcome !== 'superseded') {
          const { words } = codeOf(outcome);
          sign.misses(did, who, words);
          log.info(`${did}: ${words}${detail ? `: ${detail}` : ''}`);
        }
      } catch (e) {
        if (isLost(e)) throw e;
        log.error(`${did}: ${clean(messageOf(e), 300)}`);
        // it comes again, after a pause here; but one that fills the memory or the disk comes later
        // each time
        const full = FULL.includes(e.code);
        if (isOfServer(e)) {
          await pause(2000, signal);
          if (!full) return void (await release());
        }
        sign.misses(did, who, messageOf(e));
        await fail(full ? 'no_room' : 'not_written', messageOf(e), false);
      } finally {
        copies.release();
        done();
      }
    } finally {
      held.release();
    }
  }
}
