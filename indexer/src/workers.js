// What is asked of the network besides the stream: lists, statuses, identities and repositories; and the work that the
// database has of its own. The database says whom to ask and takes the answers.
//
// While a request waits for the network it has no connection of the database. An error of one piece of work ends that
// piece: it is logged, and the worker goes on after a pause. Only a lost connection of the database ends the run.
import { setTimeout as sleep } from 'node:timers/promises';
import { BOUNDS, Failure, clean, collections, document, log as plcLog, page, repoStatus, serverDid } from './border.js';
import { isLost, isOfServer, told } from './database.js';
import { Memory, Places, originOf } from './http.js';
import * as log from './log.js';
import { Upstream } from './upstream.js';

const IDLE = 300; // ms between two questions whether there is work
const CHECKS = 16; // statuses asked for at a time
const LATER = 2; // seconds until a domain that has no place is tried again
const ROUND = 10e3; // ms after which questions begin again with those that are due longest
const NOT_THERE = ['unauthorized', 'not found', 'not implemented']; // the server does not have the method
const UNDESCRIBED = 3600e3; // ms until a server that describes no repository is asked about one again
const COPIES = 3; // of a repository that pg makes to write it
const FULL = ['53100', '53200', '53400']; // the disk, the memory, a limit of temporary files

export const pause = (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {});

// Does work until it succeeds. Errors are logged, and followed by a pause that grows; but they are thrown where the
// database is lost, or the signal is aborted.
export async function persist(name, signal, work) {
  for (let failed = 0; ; failed++) {
    try {
      return await work();
    } catch (e) {
      if (signal.aborted || isLost(e)) throw e;
      log.error(`${name}: ${told(e)}`);
      await pause(Math.min(250 * 2 ** failed, 30e3), signal);
      if (signal.aborted) throw e;
    }
  }
}

// Does work again and again, as persist() does it; work returns whether there was some.
export async function steady(name, signal, work, idle = IDLE) {
  try {
    while (!signal.aborted) if (!(await persist(name, signal, work))) await pause(idle, signal);
  } catch (e) {
    if (!signal.aborted) throw e;
  }
}

// Pieces of work at the same time. A lost database is told to lost().
class Tasks {
  constructor(signal, lost) {
    this.signal = signal;
    this.lost = lost;
    this.running = new Set();
  }

  begin(name, work) {
    const task = work()
      .catch((e) => {
        if (this.signal.aborted) return;
        if (isLost(e)) this.lost(e);
        else log.error(`${name}: ${told(e)}`);
      })
      .finally(() => this.running.delete(task));
    this.running.add(task);
  }

  async all() {
    while (this.running.size > 0) await Promise.allSettled(this.running);
  }
}

// A number of permits to load repositories, `kept` of them only for accounts that are known. The smallest repository
// comes first; but each second of waiting counts as a megabyte, so that large ones come, too.
class Permits {
  constructor(most, kept) {
    this.most = most;
    this.kept = kept;
    this.count = { true: 0, false: 0 };
    this.waiting = [];
  }

  async take(known, bytes) {
    if (this.fits(known)) this.count[known]++;
    else await new Promise((resolve) => this.waiting.push({ known, order: bytes + Date.now() * 1000, resolve }));
    return () => {
      this.count[known]--;
      const fit = this.waiting.filter((w) => this.fits(w.known));
      if (fit.length === 0) return;
      const next = fit.reduce((a, b) => (b.order < a.order ? b : a));
      this.waiting.splice(this.waiting.indexOf(next), 1);
      this.count[next.known]++;
      next.resolve();
    };
  }

  fits(known) {
    return this.count.true + this.count.false < this.most && (known || this.count.false < this.most - this.kept);
  }
}

export class Workers {
  constructor({ settings, pools, http, signal, lost, total, listening }) {
    const { SERVICE, DIRECTORY, PLACES } = settings;
    const identities = Math.max(4, Math.floor(PLACES / 4));
    Object.assign(this, { settings, pools, http, signal, total, listening });
    this.tasks = new Tasks(signal, lost);
    const health = (url) => new Upstream(() => http.get(url, { most: BOUNDS.document, signal }));
    this.service = health(`${SERVICE}/xrpc/_health`);
    this.directory = health(`${DIRECTORY}/_health`);
    this.memory = new Memory(settings.MEMORY / 2, settings.MEMORY / 2 / PLACES); // answers
    this.copies = new Memory(settings.MEMORY); // what is made of them to write them
    this.permits = new Permits(settings.WORKERS, settings.WORKERS > 1 ? 1 : 0);
    this.downloads = new Places({
      all: PLACES,
      origin: Math.max(4, Math.floor(PLACES / 8)),
      domain: Math.floor(PLACES / 4),
      free: [SERVICE],
    });
    this.logs = new Places({
      all: identities,
      origin: identities,
      domain: identities,
      again: Math.max(1, Math.floor(identities / 4)),
      free: [DIRECTORY],
    });
    this.documents = new Places({ all: PLACES, origin: 2, domain: 2, again: Math.floor(PLACES / 4) });
    this.described = false; // the server has described a repository
    this.undescribed = 0; // until then it is not asked to
    this.asking = new Set(); // identities whose answer is slower than their next turn
  }

  // All workers of a stream of this kind; ends with the signal.
  async run(labels) {
    const { signal } = this;
    const loops = [
      ...['known', 'new', 'again'].flatMap((kind) => [this.identities(kind, false), this.identities(kind, true)]),
      ...(labels ? [] : ['known', 'new'].map((kind) => this.loads(kind))),
      ...(labels
        ? []
        : [
            steady('lists', signal, () => this.lists()),
            this.statuses(),
            this.signals(),
            steady(
              'wants',
              signal,
              async () => (await this.pools.own.row('SELECT indexer.settle($1) AS n', [100])).n > 0,
              200,
            ),
            steady(
              'gaps',
              signal,
              async () => (await this.pools.own.row('SELECT indexer.look_again($1) AS n', [1000])).n > 0,
              1000,
            ),
          ]),
      steady(
        'housekeeping',
        signal,
        async () => {
          await this.pools.own.row('SELECT indexer.tidy()');
          return false;
        },
        10e3,
      ),
    ];
    try {
      await Promise.all(loops);
    } finally {
      await this.tasks.all();
    }
  }

  ask(method, query, more) {
    return this.http.get(`${this.settings.SERVICE}/xrpc/com.atproto.${method}?${new URLSearchParams(query)}`, {
      signal: this.signal,
      ...more,
    });
  }

  // A request to the service failed. Is that its failure alone, so that the same is to be asked again?
  async isOfService(request, e) {
    if (e.ofHost && e.origin === this.settings.SERVICE) return this.service.bad(request, e);
    this.service.good();
    return false;
  }

  // The origins by which a PDS is known, whose stream has only its own accounts: that of SERVICE, the name that it
  // gives itself, and those of NAMES. null: it is a relay, which does not describe itself.
  async ownNames() {
    const { SERVICE, NAMES } = this.settings;
    try {
      const did = serverDid(await this.ask('server.describeServer', {}, { most: BOUNDS.document }));
      if (did === null) return null;
      const named = did.startsWith('did:web:') ? originOf(`https://${decodeURIComponent(did.slice(8))}`) : null;
      return [...new Set([SERVICE, ...(named ? [named] : []), ...NAMES])];
    } catch (e) {
      if (!(e instanceof Failure) || e.ofHost) throw e;
      return null;
    }
  }

  // The next page of a list. What comes behind a list has to be heard, so there are none without the stream.
  async lists() {
    if (!this.listening() || this.service.may(1) === 0) return false;
    const next = await this.pools.small.row('SELECT of, at, asked::text FROM indexer.next_list() WHERE of IS NOT NULL');
    if (!next) return false;
    const { of, at, asked } = next;
    let said;
    const began = this.service.begin();
    try {
      const where = { limit: BOUNDS.repos, ...(at && { cursor: at }) };
      said = page(
        await this.ask(
          ...(of.startsWith('*')
            ? ['sync.listRepos', where]
            : ['sync.listReposByCollection', { collection: of, ...where }]),
          { most: BOUNDS.page },
        ),
        at,
      );
      this.service.good();
    } catch (e) {
      if (!(e instanceof Failure)) throw e;
      if (NOT_THERE.includes(e.why) && e.origin === this.settings.SERVICE) {
        log.info(`the server does not list the accounts${of === '*' ? '' : ` of ${of}`}: ${e.message}`);
        const { other } = await this.pools.answers.row('SELECT indexer.list_refused($1, $2) AS other', [of, e.message]);
        if (other) return true;
      }
      if (await this.isOfService(began, e)) {
        log.info(`list of ${of}: ${e.message}`);
        return false;
      }
      throw new Failure(e.why, `list of ${of}: ${e.detail}`);
    }
    if (said.left > 0) log.info(`the list of ${of}: ${said.left} entries without a DID are left out`);
    await this.pools.answers.row('SELECT indexer.list($1, $2, $3, $4, $5)', [
      of,
      at,
      JSON.stringify(said.repos),
      said.next,
      asked,
    ]);
    return true;
  }

  // Asks the service about accounts, several at a time, each in a task of its own: a relay may lead to a slow host.
  several(name, sql, work, may = () => true) {
    const places = new Places({ all: CHECKS, origin: CHECKS, domain: CHECKS });
    const one = async (row) => {
      const began = this.service.begin();
      try {
        await work(row);
        this.service.good();
      } catch (e) {
        if (this.signal.aborted || isLost(e)) throw e;
        if (e instanceof Failure && e.ofHost) {
          if (e.origin === this.settings.SERVICE) await this.service.bad(began, e);
        } else this.service.good();
        log.info(`${name} of ${row.did}: ${told(e)}`); // the database has it asked again
      }
    };
    return steady(name, this.signal, async () => {
      const room = places.room('known');
      if (room === 0) {
        await places.freed(IDLE);
        return true;
      }
      const n = may() ? this.service.may(room) : 0;
      const rows = n > 0 ? await this.pools.small.rows(sql, [n]) : [];
      for (const row of rows) {
        const place = places.take(this.settings.SERVICE, 'known');
        this.tasks.begin(row.did, () => one(row).finally(() => place.end()));
      }
      return rows.length > 0;
    });
  }

  statuses() {
    const note = ({ did, asked }, { active, status, rev }) =>
      this.pools.answers.row('SELECT indexer.told($1, $2, $3, $4, $5)', [did, active, status, rev, asked]);
    return this.several('status', 'SELECT did, asked::text FROM indexer.doubtful($1)', async (row) => {
      try {
        await note(
          row,
          repoStatus(await this.ask('sync.getRepoStatus', { did: row.did }, { most: BOUNDS.document }), row.did),
        );
      } catch (e) {
        if (!(e instanceof Failure) || !e.ofAccount) throw e;
        await note(row, { active: false, status: e.status, rev: null });
      }
    });
  }

  signals() {
    const note = (did, found) => this.pools.answers.row('SELECT indexer.has_signal($1, $2)', [did, found]);
    const one = async ({ did }) => {
      try {
        const said = await this.ask('repo.describeRepo', { repo: did }, { most: BOUNDS.document });
        this.described = true;
        await note(did, collections(said, did));
      } catch (e) {
        if (!(e instanceof Failure)) throw e;
        if (e.ofAccount || e.why === 'refused' || (this.described && e.why === 'not found')) return note(did, []);
        if (this.described || !NOT_THERE.includes(e.why) || e.origin !== this.settings.SERVICE) throw e;
        if (Date.now() >= this.undescribed)
          log.info('the server describes no repository: name the accounts that have a signal, or another SERVICE');
        this.undescribed = Date.now() + UNDESCRIBED;
        await note(did, null);
      }
    };
    return this.several(
      'collections',
      'SELECT did FROM indexer.signal_doubtful($1)',
      one,
      () => Date.now() >= this.undescribed,
    );
  }

  // Asks for identities of this kind while there are places: of did:plc by the directory's audit logs, of did:web by
  // their domains' documents. Those whose domain has no place are passed over. The questions go round all that are due.
  async identities(kind, web) {
    const places = web ? this.documents : this.logs;
    let after = [null, null];
    let round = 0;
    await steady(`identities by ${web ? 'their domain' : 'the directory'}`, this.signal, async () => {
      const room = places.room(kind);
      if (room === 0) {
        await places.freed(IDLE);
        return true;
      }
      const n = web ? room : this.directory.may(room);
      if (n === 0) return false;
      // who was asked for because of a bad signature is due since long ago; documents pass over busy domains to the end
      if (!web && Date.now() - round > ROUND) [after, round] = [[null, null], Date.now()];
      const rows = await this.pools.small.rows(
        'SELECT did, asked::text, at::text FROM indexer.ask($1, $2, $3, $4, $5, $6)',
        [n, kind, web, web ? places.busyDomains(kind) : [], ...after],
      );
      const last = rows.at(-1);
      after = last ? [last.at, last.did] : [null, null];
      const refused = [];
      let begun = 0;
      for (const row of rows.filter((r) => r.asked !== null && !this.asking.has(r.did))) {
        const url = web ? this.documentOf(row.did) : this.logOf(row.did);
        const place = url && places.take(originOf(url), kind);
        if (url && !place) refused.push(row.did);
        else {
          begun++;
          this.asking.add(row.did);
          this.tasks.begin(row.did, () =>
            this.identity(row, web, url, place).finally(() => {
              place?.end();
              this.asking.delete(row.did);
            }),
          );
        }
      }
      if (refused.length > 0) await this.unask(refused, LATER);
      if (begun === 0 && last) await pause(IDLE / 3, this.signal);
      return last !== undefined;
    });
  }

  // These were not asked for after all: they come again so many seconds later, and nothing counts.
  unask(dids, seconds) {
    return this.pools.small.row('SELECT indexer.unask($1, $2)', [dids, seconds]);
  }

  // Where the directory has the log of a did:plc.
  logOf(did) {
    return /^did:plc:[a-z2-7]{24}$/.test(did) ? `${this.settings.DIRECTORY}/${did}/log/audit` : null;
  }

  // Where a did:web has its document. Ports, and http, are for tests: for localhost, and where private addresses may
  // be.
  documentOf(did) {
    const [, host, port] = /^did:web:([a-zA-Z0-9.-]{1,253})(?:%3[aA](\d{1,5}))?$/.exec(did) ?? [];
    if (!host) return null;
    const here = host === 'localhost' || (this.settings.PRIVATE && /^[\d.]+$/.test(host));
    if (port && !here && !this.settings.PRIVATE) return null;
    const url = `${here ? 'http' : 'https'}://${host}${port ? `:${port}` : ''}/.well-known/did.json`;
    if (!URL.canParse(url)) return null;
    // another spelling of an address, or of a name, would have places of its own
    const { hostname } = new URL(url);
    return hostname === host.toLowerCase() && !hostname.endsWith('.') ? url : null;
  }

  // Asks, gives the place back, and lets the database take the answer or notes why there is none.
  async identity({ did, asked }, web, url, place) {
    const { pools, directory, signal } = this;
    let why;
    let detail = '';
    try {
      if (!url && web) throw new Failure('refused', 'a did:web must be a host name, without a path or a port');
      if (!url) throw new Failure('not found', 'a did:plc must have 24 characters of base32');
      const began = directory.begin();
      let said;
      try {
        said = await this.http.get(url, { most: web ? BOUNDS.document : BOUNDS.log, signal, place });
        if (!web) directory.good();
      } catch (e) {
        if (!(e instanceof Failure) || web) throw e;
        if (!e.ofHost) directory.good();
        else if (await directory.bad(began, e)) {
          log.info(`the directory: ${e.message}`);
          return void (await this.unask([did], 0));
        }
        throw e;
      }
      place.end();
      const refused = (
        await pools.answers.row(`SELECT indexer.${web ? 'identify_web' : 'identify'}($1, $2, $3) AS why`, [
          did,
          web ? document(said, did) : plcLog(said),
          asked,
        ])
      ).why;
      if (refused !== null) log.debug(`${did}: ${refused}`);
      return;
    } catch (e) {
      if (signal.aborted || isLost(e)) throw e;
      place?.end();
      // what is no fault of the answer is asked for again
      if (!(e instanceof Failure) && !/^(22|54)/.test(e.code ?? '')) throw e;
      [why, detail] = e instanceof Failure ? [e.why, e.detail] : ['malformed', told(e)];
    }
    log.debug(`${did} is not identified: ${why} ${detail}`);
    await pools.small.row('SELECT indexer.not_identified($1, $2, $3)', [did, why, detail]);
  }

  // Claims accounts while there are places, and loads each in a task of its own. The claims go round all that are due.
  async loads(kind) {
    const known = kind === 'known';
    let after = [null, null];
    await steady(`loads of ${kind} accounts`, this.signal, async () => {
      const { downloads, pools } = this;
      const room = Math.min(downloads.room(kind), this.service.may(50));
      if (room === 0) {
        await downloads.freed(IDLE);
        return true;
      }
      const rows = await pools.small.rows('SELECT did, claim, host, at::text FROM indexer.claim($1, $2, $3, $4, $5)', [
        room,
        known,
        ...after,
        downloads.busy(kind),
      ]);
      const last = rows.at(-1);
      after = last ? [last.at, last.did] : [null, null];
      let begun = 0;
      for (const row of rows.filter((r) => r.claim !== null)) {
        const place = downloads.take(row.host ?? this.settings.SERVICE, kind);
        if (!place) {
          await this.release(row);
          continue;
        }
        begun++;
        const request = this.service.begin();
        this.tasks.begin(row.did, () => this.load(row, known, place, request).finally(() => place.end()));
      }
      if (begun === 0 && last) await pause(IDLE / 3, this.signal);
      return last !== undefined;
    });
  }

  // The end of a claim, which the database has to hear of: else the account would be taken to be loading for hours.
  release({ did, claim }) {
    return persist(did, this.signal, () => this.pools.small.row('SELECT indexer.release($1, $2)', [did, claim]));
  }

  async load({ did, claim, host }, known, place, request) {
    const { pools, service, memory, signal } = this;
    const held = memory.hold();
    const release = () => this.release({ did, claim });
    const fail = (why, detail, ofHost) =>
      persist(did, signal, () =>
        pools.small.row('SELECT indexer.fail($1, $2, $3, $4, $5)', [did, claim, why, detail, ofHost]),
      );
    try {
      let car;
      try {
        car = await this.ask('sync.getRepo', { did }, { most: this.settings.LARGEST, place, held });
      } catch (e) {
        if (signal.aborted) return void (await release());
        if (!(e instanceof Failure)) throw e;
        if (e.retryAfter) this.downloads.wait(e.origin, e.retryAfter);
        if (await this.isOfService(request, e)) {
          log.info(`the server: ${e.message}`);
          return void (await release());
        }
        if (e.why === 'busy') return void (await release());
        log.info(`${did}: ${e.message}`);
        return void (await fail(e.why, e.detail, e.ofHost && e.origin !== this.settings.SERVICE && e.origin === host));
      } finally {
        place.arrived();
      }
      service.good();
      const done = await this.permits.take(known, car.length);
      const copies = this.copies.hold();
      try {
        copies.add(COPIES * car.length);
        await copies.room(signal);
        if (signal.aborted) return void (await release());
        const { outcome, detail } = await pools.loads.row('SELECT outcome, detail FROM indexer.load($1, $2, $3)', [
          did,
          claim,
          car,
        ]);
        if (outcome === 'loaded') this.total.loaded++;
        else if (outcome !== 'superseded') log.info(`${did}: ${outcome}${detail ? `: ${detail}` : ''}`);
      } catch (e) {
        if (isLost(e)) throw e;
        log.error(`${did}: ${clean(told(e), 300)}`);
        // it comes again, after a pause here; but one that fills the memory or the disk comes later each time
        const full = FULL.includes(e.code);
        if (isOfServer(e)) {
          await pause(2000, signal);
          if (!full) return void (await release());
        }
        await fail(full ? 'no room' : 'not written', told(e), false);
      } finally {
        copies.end();
        done();
      }
    } finally {
      held.end();
    }
  }
}
