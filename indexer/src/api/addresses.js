// Limits on what one address may hold: connections, WebSockets, and concurrent queries. So one
// client cannot take the places of all others; the limits of the whole server are larger.
//
// A reverse proxy has one address for all of its clients and limits them itself: the addresses in
// API_PROXIES are not counted. IPv6 addresses are counted by their /64 network, since one client
// usually has all of it.
import { BlockList, isIPv4 } from 'node:net';
import * as log from '../ops/log.js';

export const OF_ADDRESS = 10; // concurrent requests, and as many queries over WebSockets

/**
 * @typedef {'connections' | 'WebSockets' | 'requests' | 'queries'} Kind
 * @typedef {Record<Kind, number>} Counts
 */

/**
 * The first 64 bits of an IPv6 address, in full.
 * @param {string} address
 */
function networkOf(address) {
  const [head, tail] = address.split('%', 1)[0].split('::');
  const parts = (/** @type {string | undefined} */ text) => (text ? text.split(':') : []);
  const missing = tail === undefined ? 0 : Math.max(0, 8 - parts(head).length - parts(tail).length);
  const groups = [...parts(head), ...Array(missing).fill('0'), ...parts(tail)];
  return `${groups
    .slice(0, 4)
    .map((group) => parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

export class Addresses {
  /** @param {{ API_PROXIES: string[], API_MAX_SOCKETS: number }} settings */
  constructor({ API_PROXIES, API_MAX_SOCKETS }) {
    const sockets = Math.max(10, Math.ceil(API_MAX_SOCKETS / 10));
    /** @type {Counts} */
    this.most = {
      connections: sockets + 4 * OF_ADDRESS,
      WebSockets: sockets,
      requests: OF_ADDRESS,
      queries: OF_ADDRESS,
    };
    /** @type {Map<string, Counts>} an address: how many it has of each kind */
    this.all = new Map();
    this.proxies = new BlockList();
    for (const one of API_PROXIES.filter((name) => name !== 'none')) {
      const [address, bits] = one.split('/');
      const isV4 = isIPv4(address);
      this.proxies.addSubnet(address, Number(bits ?? (isV4 ? 32 : 128)), isV4 ? 'ipv4' : 'ipv6');
    }
  }

  /**
   * The address or network that is counted as one, or null for a proxy.
   * @param {string} remote
   */
  counterOf(remote) {
    const address = remote.replace(/^::ffff:(?=\d+\.)/i, '');
    if (this.proxies.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')) return null;
    return isIPv4(address) ? address : networkOf(address);
  }

  /**
   * Counts one more of a kind until the returned function is called. null: the address has too
   * many.
   * @param {Kind} kind
   * @param {string} [remote]
   */
  enter(kind, remote = '0.0.0.0') {
    const address = this.counterOf(remote);
    if (address === null) return () => {};
    const counts = this.all.get(address) ?? {
      connections: 0,
      WebSockets: 0,
      requests: 0,
      queries: 0,
    };
    if (counts[kind] >= this.most[kind]) {
      log.counted('info', 'address limited', { address, kind, most: this.most[kind] });
      return null;
    }
    this.all.set(address, counts);
    counts[kind]++;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      counts[kind]--;
      if (Object.values(counts).every((n) => n === 0)) this.all.delete(address);
    };
  }
}
