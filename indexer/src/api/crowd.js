// Limits how many requests and queries run at a time, for all clients and for each address.
import { GraphQLError } from 'postgraphile/graphql';
import { OF_ADDRESS } from './addresses.js';
import { refusal } from './refusal.js';

/** @typedef {import('node:http').ServerResponse} Response */

export const AT_A_TIME = 100; // requests over HTTP; further ones are refused with 503
export const OF_A_SOCKET = 10; // operations
const UNREAD_ALL = 64e6; // bytes of answers over HTTP that clients have not read
export const WHOLE = 30_000; // ms until the client has read its whole answer
export const UNREAD_FOR = 5000; // ms for which a client may read nothing of an answer or a close

const MANY = 'too many requests at a time';
const MANY_OF_ADDRESS = `too many requests from this address: it may have ${OF_ADDRESS} at a time`;
const OF_ALL = `all sockets together ${AT_A_TIME}`;
const MANY_OF_SOCKETS = `A socket can have ${OF_A_SOCKET} operations at a time, and ${OF_ALL}`;

/** @param {string} text */
const refused = (text) => ({ errors: [new GraphQLError(text)] });

/**
 * The queries that run, over HTTP and WebSockets. The query of a client that has left still takes a
 * connection.
 */
export class Running {
  /** @type {Map<any, number>} a socket, or null for HTTP: how many */
  all = new Map();

  /** @param {import('./addresses.js').Addresses} addresses */
  constructor(addresses) {
    this.addresses = addresses;
  }

  /** @param {any} socket */
  of(socket) {
    return this.all.get(socket) ?? 0;
  }

  /** @param {any} socket */
  hasPlace(socket) {
    if (!socket) return this.of(socket) < AT_A_TIME;
    const sockets = [...this.all].reduce((sum, [key, n]) => sum + (key ? n : 0), 0);
    return this.of(socket) < OF_A_SOCKET && sockets < AT_A_TIME;
  }

  /**
   * @param {any} socket
   * @param {() => any} execute
   * @returns {Promise<any>}
   */
  async count(socket, execute) {
    if (!this.hasPlace(socket)) return refused(socket ? MANY_OF_SOCKETS : MANY);
    const remote = socket?._socket?.remoteAddress;
    const leave = socket ? this.addresses.enter('queries', remote) : () => {};
    if (!leave) return refused(MANY_OF_ADDRESS);
    this.all.set(socket, this.of(socket) + 1);
    try {
      return await execute();
    } finally {
      leave();
      if (this.of(socket) > 1) this.all.set(socket, this.of(socket) - 1);
      else this.all.delete(socket);
    }
  }
}

/**
 * The requests that run. One counts from when it has arrived, however slowly, until its answer is
 * read. An answer of which nothing is read for a while is ended, and so is the oldest one when the
 * unread answers together are too long.
 */
export class Crowd {
  /** @type {Map<Response, boolean>} responses, and whether they are sent */
  all = new Map();

  /** @param {import('./addresses.js').Addresses} addresses */
  constructor(addresses) {
    this.addresses = addresses;
  }

  /**
   * Counts a request. Returns why it may not run, or null.
   * @param {Response} response
   */
  enter(response) {
    if (this.all.size >= AT_A_TIME) return this.refuse(response, MANY, 503);
    const leave = this.addresses.enter('requests', response.req.socket.remoteAddress);
    if (!leave) return this.refuse(response, MANY_OF_ADDRESS, 429);
    this.all.set(response, false);
    const timer = setTimeout(() => response.destroy(), WHOLE);
    response.once('prefinish', () => {
      this.all.set(response, true);
      response.setTimeout(UNREAD_FOR, () => response.destroy());
      setImmediate(() => this.bound());
    });
    response.on('close', () => {
      clearTimeout(timer);
      this.all.delete(response);
      leave();
    });
    return null;
  }

  /**
   * @param {Response} response
   * @param {string} text
   * @param {number} status
   */
  refuse(response, text, status) {
    response.setHeader('retry-after', '1');
    return refusal(text, status);
  }

  bound() {
    const unread = (/** @type {Response} */ response) => response.socket?.writableLength ?? 0;
    const sent = [...this.all.keys()].filter((one) => this.all.get(one) && one.socket);
    let bytes = sent.reduce((sum, response) => sum + unread(response), 0);
    for (let i = 0; bytes > UNREAD_ALL; i++) {
      bytes -= unread(sent[i]);
      sent[i].destroy();
    }
  }
}
