// What the service is asked about accounts: the lists of them, the status of one, and the
// collections of one.
import { isLost, isOfServer, messageOf } from '../db/errors.js';
import { Places } from '../net/places.js';
import * as log from '../ops/log.js';
import { BOUNDS, readCollections, readListPage, readRepoStatus } from '../protocol/answers.js';
import { codeOf } from '../protocol/codes.js';
import { Failure } from '../protocol/failure.js';
import { clean } from '../protocol/text.js';
import { IDLE, steady } from './tasks.js';

const CHECKS = 16; // accounts asked about at a time
const UNDESCRIBED = 3600e3; // ms until a server that describes no repository is asked about one again

export class Lists {
  // listening: is the stream heard?
  constructor({ service, pools, signal, tasks, listening, signs }) {
    Object.assign(this, { service, pools, signal, tasks, listening, signs });
    this.described = false; // the server has described a repository
    this.undescribed = 0; // until then it is not asked to
  }

  // Reads the lists, page by page.
  pages() {
    this.sign = this.signs.of('lists');
    return steady('lists', this.signal, () => this.page(), IDLE, this.sign);
  }

  // The next page of a list. What comes behind a list has to be heard, so there are none without
  // the stream.
  async page() {
    const { service, pools } = this;
    const may = this.listening() && service.breaker.allowance(1) > 0;
    this.sign?.holds(this.listening() ? service.isHolding() : null);
    if (!may) return false;
    const next = await pools.small.row(
      'SELECT of, at, asked::text FROM indexer.next_list() WHERE of IS NOT NULL',
    );
    if (!next) return false;
    const { of, at, asked } = next;
    this.sign?.begins();
    let said;
    const began = service.breaker.start();
    try {
      const where = { limit: BOUNDS.repos, ...(at && { cursor: at }) };
      said = readListPage(
        await service.get(
          ...(of.startsWith('*')
            ? ['sync.listRepos', where]
            : ['sync.listReposByCollection', { collection: of, ...where }]),
          { most: BOUNDS.page },
        ),
        at,
      );
      service.breaker.succeed();
    } catch (e) {
      if (!(e instanceof Failure)) throw e;
      if (this.isNotThere(e)) {
        log.info(
          `the server does not list the accounts${of === '*' ? '' : ` of ${of}`}: ${e.message}`,
        );
        const { other } = await pools.answers.row('SELECT indexer.list_refused($1, $2) AS other', [
          of,
          e.message,
        ]);
        if (other) return true;
      }
      const away = await service.isAway(began, e);
      await this.failed(next, e.why, e.detail, e.retryAfter);
      return !away;
    }
    if (said.left > 0)
      log.info(`the list of ${of}: ${said.left} entries without a DID are left out`);
    try {
      await pools.answers.row('SELECT indexer.list($1, $2, $3, $4, $5)', [
        of,
        at,
        JSON.stringify(said.repos),
        said.next,
        asked,
      ]);
      this.sign?.done();
    } catch (e) {
      if (e.severity === undefined || isLost(e) || isOfServer(e)) throw e;
      await this.failed(next, 'not_written', e.message);
    }
    return true;
  }

  // The page comes again, later each time; the other lists go on.
  async failed({ of, at }, why, detail, seconds = null) {
    const { words } = codeOf(why);
    this.sign?.misses(of, of, words);
    log.info(`list of ${of}: ${clean(detail ? `${words}: ${detail}` : words, 1000)}`);
    await this.pools.answers.row('SELECT indexer.list_failed($1, $2, $3, $4, $5)', [
      of,
      at,
      why,
      detail,
      seconds ?? 0,
    ]);
  }

  // Does the service itself, not a host to which it leads, say that it does not have the method?
  isNotThere(e) {
    return e.absent && e.origin === this.service.origin;
  }

  // Asks the service about accounts, several at a time, each in a task of its own: a relay may lead
  // to a slow host. held: why none is asked about now, or null.
  several(name, sign, sql, work, may = () => true, held = () => null) {
    const { service, pools, signal, tasks } = this;
    const places = new Places({ all: CHECKS, origin: CHECKS, domain: CHECKS });
    const one = async (row) => {
      const began = service.breaker.start();
      try {
        await work(row);
        service.breaker.succeed();
        sign.done();
      } catch (e) {
        if (signal.aborted || isLost(e)) throw e;
        if (!(e instanceof Failure) || e.origin === service.origin)
          sign.misses(row.did, row.did, messageOf(e));
        if (e instanceof Failure && e.ofHost) {
          if (e.origin === service.origin) await service.breaker.fail(began, e);
        } else service.breaker.succeed();
        log.info(`${name} of ${row.did}: ${messageOf(e)}`); // the database has it asked again
      }
    };
    return steady(
      name,
      signal,
      async () => {
        const room = places.capacity('known');
        sign.holds(
          held() ?? service.isHolding() ?? (room === 0 ? 'no answer frees a place' : null),
        );
        if (room === 0) {
          await places.freed(IDLE);
          return true;
        }
        const n = may() ? service.breaker.allowance(room) : 0;
        const rows = n > 0 ? await pools.small.rows(sql, [n]) : [];
        for (const row of rows) {
          sign.begins();
          const place = places.acquire(service.origin, 'known');
          tasks.begin(row.did, () => one(row).finally(() => place.release()));
        }
        return rows.length > 0;
      },
      IDLE,
      sign,
    );
  }

  statuses() {
    const note = ({ did, asked }, { active, status, rev }) =>
      this.pools.answers.row('SELECT indexer.told($1, $2, $3, $4, $5)', [
        did,
        active,
        status,
        rev,
        asked,
      ]);
    const sign = this.signs.of('statuses');
    return this.several(
      'status',
      sign,
      'SELECT did, asked::text FROM indexer.doubtful($1)',
      async (row) => {
        try {
          await note(
            row,
            readRepoStatus(
              await this.service.get(
                'sync.getRepoStatus',
                { did: row.did },
                { most: BOUNDS.document },
              ),
              row.did,
            ),
          );
        } catch (e) {
          if (!(e instanceof Failure) || !e.ofAccount) throw e;
          await note(row, { active: false, status: e.status, rev: null });
        }
      },
    );
  }

  signals() {
    const note = (did, found) =>
      this.pools.answers.row('SELECT indexer.has_signal($1, $2)', [did, found]);
    const one = async ({ did }) => {
      try {
        const said = await this.service.get(
          'repo.describeRepo',
          { repo: did },
          { most: BOUNDS.document },
        );
        this.described = true;
        await note(did, readCollections(said, did));
      } catch (e) {
        if (!(e instanceof Failure)) throw e;
        if (e.ofAccount || e.why === 'refused' || (this.described && e.why === 'not_found'))
          return note(did, []);
        if (this.described || !this.isNotThere(e)) throw e;
        if (Date.now() >= this.undescribed)
          log.info(
            'the server describes no repository: name the accounts that have a signal, or another ' +
              'ATID_SERVICE_URL',
          );
        this.undescribed = Date.now() + UNDESCRIBED;
        await note(did, null);
      }
    };
    return this.several(
      'collections',
      this.signs.of('signals'),
      'SELECT did FROM indexer.signal_doubtful($1)',
      one,
      () => Date.now() >= this.undescribed,
      () => (this.undescribed > 0 && !this.described ? 'the server describes no repository' : null),
    );
  }
}
