// Identities: whom to ask for the key and the server of an account, how many at a time, and what
// becomes of an answer.
import { isLost, isOfValue, messageOf } from '../db/errors.js';
import { domainOf, originOf } from '../net/addresses.js';
import { Breaker } from '../net/breaker.js';
import { Places } from '../net/places.js';
import * as log from '../ops/log.js';
import { BOUNDS, hostOfWeb, readDidDocument, readPlcLog } from '../protocol/answers.js';
import { codeOf } from '../protocol/codes.js';
import { Failure } from '../protocol/failure.js';
import { IDLE, pause, steady } from './tasks.js';

const LATER = 2; // seconds until a domain that has no place is tried again
const ROUND = 10e3; // ms after which questions to a directory begin again with those that are due longest

// The methods of DIDs that have somebody to ask: of each the SQL functions are in identities.sql.
//
//   web      how the database knows it: identity.web
//   of       whom it asks, in messages
// server   the one server that has all answers, which is left alone while it is away; null: each
// has its own
//   places   how many are asked at a time
//   url      where the answer to a DID is; null: that is none, and unnamed says why
//   most     bytes of an answer
//   read     gives the answer as JSON, or a Failure
//   take     the function of the database that takes it
export const METHODS = {
  plc: {
    web: false,
    of: 'the directory',
    server: ({ PLC_URL }) => PLC_URL,
    places: ({ MAX_DOWNLOADS, PLC_URL }) => {
      const all = Math.max(4, Math.floor(MAX_DOWNLOADS / 4));
      return {
        all,
        origin: all,
        domain: all,
        again: Math.max(1, Math.floor(all / 4)),
        free: [PLC_URL],
      };
    },
    url: (did, { PLC_URL }) =>
      /^did:plc:[a-z2-7]{24}$/.test(did) ? `${PLC_URL}/${did}/log/audit` : null,
    unnamed: ['not_found', 'a did:plc must have 24 characters of base32'],
    most: BOUNDS.log,
    read: readPlcLog,
    take: 'identify',
  },
  web: {
    web: true,
    of: 'their domain',
    server: () => null,
    places: ({ MAX_DOWNLOADS }) => ({
      all: MAX_DOWNLOADS,
      origin: 2,
      domain: 2,
      again: Math.floor(MAX_DOWNLOADS / 4),
    }),
    // Ports, and http, are for tests: for localhost, and where private addresses may be.
    url: (did, { ALLOW_PRIVATE_ADDRESSES }) => {
      const [host, port] = hostOfWeb(did);
      if (!host) return null;
      const here = host === 'localhost' || (ALLOW_PRIVATE_ADDRESSES && /^[\d.]+$/.test(host));
      if (port && !here && !ALLOW_PRIVATE_ADDRESSES) return null;
      const url = `${here ? 'http' : 'https'}://${host}${port ? `:${port}` : ''}/.well-known/did.json`;
      if (!URL.canParse(url)) return null;
      // another spelling of an address, or of a name, would have places of its own
      const { hostname } = new URL(url);
      return hostname === host.toLowerCase() && !hostname.endsWith('.') ? url : null;
    },
    unnamed: ['refused', 'a did:web must be a host name, without a path or a port'],
    most: BOUNDS.document,
    read: readDidDocument,
    take: 'identify_web',
  },
};

export class Identities {
  constructor({ settings, pools, http, signal, tasks, signs }) {
    Object.assign(this, { settings, pools, http, signal, tasks, signs });
    this.asking = new Set(); // identities whose answer is slower than their next turn
    this.methods = Object.entries(METHODS).map(([name, method]) => {
      const server = method.server(settings);
      return {
        ...method,
        name,
        places: new Places(method.places(settings)),
        breaker: server === null ? null : Breaker.of(`${server}/_health`, http, signal),
      };
    });
  }

  // Asks for identities of this kind and method while there are places. Those whose domain has no
  // place are passed over. The questions go round all that are due.
  async run(kind, method) {
    const { pools, settings, signal, tasks, asking } = this;
    const { places, breaker, web } = method;
    const sign = this.signs.of(`identities of ${method.name}`);
    let after = [null, null];
    let round = 0;
    await steady(
      `identities by ${method.of}`,
      signal,
      async () => {
        const room = places.capacity(kind);
        places.waiting[kind] = room === 0;
        sign.holds(
          breaker?.away
            ? `${settings.PLC_URL} does not answer`
            : room === 0
              ? 'no answer frees a place'
              : null,
        );
        if (room === 0) {
          await places.freed(IDLE);
          return true;
        }
        const n = breaker === null ? room : breaker.allowance(room);
        if (n === 0) return false;
        // who was asked for because of a bad signature is due since long ago; where each domain is
        // asked, busy ones are passed over to the end
        if (breaker !== null && Date.now() - round > ROUND)
          [after, round] = [[null, null], Date.now()];
        const rows = await pools.small.rows(
          'SELECT did, asked::text, at::text FROM indexer.ask($1, $2, $3, $4, $5, $6)',
          [n, kind, web, breaker === null ? places.busyDomains(kind) : [], ...after],
        );
        const last = rows.at(-1);
        after = last ? [last.at, last.did] : [null, null];
        const refused = [];
        let begun = 0;
        for (const row of rows.filter((r) => r.asked !== null && !asking.has(r.did))) {
          const url = method.url(row.did, settings);
          const place = url && places.acquire(originOf(url), kind);
          if (url && !place) refused.push(row.did);
          else {
            begun++;
            sign.begins();
            asking.add(row.did);
            tasks.begin(row.did, () =>
              this.identity(row, method, url, place, sign).finally(() => {
                place?.release();
                asking.delete(row.did);
              }),
            );
          }
        }
        if (refused.length > 0) await this.unask(refused, LATER);
        if (begun === 0 && last) await pause(IDLE / 3, signal);
        return last !== undefined;
      },
      IDLE,
      sign,
    );
  }

  // These were not asked for after all: they come again so many seconds later, and nothing counts.
  unask(dids, seconds) {
    return this.pools.small.row('SELECT indexer.unask($1, $2)', [dids, seconds]);
  }

  // Asks, gives the place back, and lets the database take the answer or notes why there is none.
  async identity({ did, asked }, { of, breaker, unnamed, most, read, take }, url, place, sign) {
    const { pools, http, signal } = this;
    let why;
    let detail = '';
    try {
      if (!url) throw new Failure(...unnamed);
      const began = breaker?.start();
      let said;
      try {
        said = await http.get(url, { most, signal, place });
        breaker?.succeed();
      } catch (e) {
        if (!(e instanceof Failure) || breaker === null) throw e;
        if (!e.ofHost) breaker.succeed();
        else if (await breaker.fail(began, e)) {
          log.info(`${of}: ${e.message}`);
          return void (await this.unask([did], 0));
        }
        throw e;
      }
      place.release();
      const refused = (
        await pools.answers.row(`SELECT indexer.${take}($1, $2, $3) AS why`, [
          did,
          read(said, did),
          asked,
        ])
      ).why;
      if (refused === null) sign.done();
      else log.debug(`${did}: ${refused}`);
      return;
    } catch (e) {
      if (signal.aborted || isLost(e)) throw e;
      place?.release();
      // what is no fault of the answer is asked for again
      if (!(e instanceof Failure) && !isOfValue(e)) throw e;
      [why, detail] = e instanceof Failure ? [e.why, e.detail] : ['malformed', messageOf(e)];
    }
    // who has no identity, or one that cannot be read, is no sign of trouble with the others
    const { class: whose, words } = codeOf(why);
    if (whose === 'host') sign.misses(did, url && domainOf(originOf(url)), `${words} ${detail}`);
    log.debug(`${did} is not identified: ${words} ${detail}`);
    await pools.small.row('SELECT indexer.not_identified($1, $2, $3)', [did, why, detail]);
  }
}
