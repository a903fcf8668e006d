// Network addresses: which of them a stranger may lead us to, how names are resolved, and how an
// origin is written.
import dns from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { BlockList, isIP } from 'node:net';
import { getDomain } from 'tldts';

// Addresses to which no stranger may lead us. (Node also matches an IPv4 address that is written as
// IPv6 with these.)
/** @type {[string, number][]} */
const INNER_IPV4 = [
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
];
/** @type {[string, number][]} */
const INNER_IPV6 = [
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
];
const inner = new BlockList();
for (const [net, bits] of INNER_IPV4) inner.addSubnet(net, bits, 'ipv4');
for (const [net, bits] of INNER_IPV6) inner.addSubnet(net, bits, 'ipv6');

/** @param {string} address */
export const isPrivate = (address) => inner.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** @param {string} detail */
const refusal = (detail) => Object.assign(new Error(detail), { code: 'EPRIVATE' });

/**
 * The host of a URL, an IPv6 address without its brackets.
 * @param {URL} url
 */
export const hostOf = (url) => url.hostname.replace(/^\[|\]$/g, '');

// Resolves a stranger's name, by DNS only: this takes none of the few threads that files and other
// look-ups share. The connection is made to the addresses that it returns.
/** @typedef {(e: Error | null, addresses?: string[]) => void} Found */
/**
 * @typedef {{ resolve4: (host: string, found: Found) => void, resolve6: (host: string, found:
 *   Found) => void }} Resolver
 */
/** @param {Resolver} resolver */
export const lookUpBy = (resolver) => {
  /**
   * @param {string} host
   * @param {{ all?: boolean }} options
   * @param {(...result: any[]) => void} done
   */
  const lookUp = (host, options, done) => {
    if (/^(.+\.)?localhost\.?$/i.test(host)) return done(refusal(`${host} is this machine`));
    /** @type {{ address: string, family: number }[]} */
    const found = [];
    /** @type {Error | undefined} */
    let error;
    let left = 2;
    /** @type {(family: number) => Found} */
    const one = (family) => (e, addresses) => {
      if (e) error ??= e;
      else found.push(...(addresses ?? []).map((address) => ({ address, family })));
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
  return lookUp;
};
const lookUp = lookUpBy(/** @type {Resolver} */ (new dns.Resolver({ timeout: 3000, tries: 2 })));

const KEEP = { keepAlive: true, timeout: 20e3, maxFreeSockets: 4 };
/** @param {import('node:net').LookupFunction} [lookup] */
const agents = (lookup) => ({
  'http:': new http.Agent({ ...KEEP, lookup }),
  'https:': new https.Agent({ ...KEEP, lookup }),
});

// Agents for requests to strangers, and to servers that may have any address.
export const makeAgents = () => ({ guarded: agents(lookUp), free: agents() });

// The registrable domain of an origin. An address, or a name without a registrable domain, is its
// own. So is a text that is no URL, such as https://999.1.1.1: the origin of an account in the
// database is a stranger's text.
/** @param {string} origin */
export function domainOf(origin) {
  if (!URL.canParse(origin)) return origin;
  const host = hostOf(new URL(origin));
  return (isIP(host) ? null : getDomain(host, { allowPrivateDomains: false })) ?? host;
}

/**
 * The origin of a URL, without the dot with which a name may end, as indexer.url_origin() returns
 * it.
 * @param {URL | string} url
 */
export const originOf = (url) =>
  URL.canParse(String(url)) ? new URL(url).origin.replace(/\.(?=(?::\d+)?$)/, '') : null;
