// The kinds of wants, and the lists of accounts that the service has for them. In the database, the
// view listing has the lists that are read.
import { BOUNDS, readListPage } from '../protocol/answers.js';

/** @typedef {import('../protocol/answers.js').ListPage} ListPage */
/**
 * A kind of list. method: the service's method, without com.atproto. query: its parameters, from
 * the value of the want. limit: entries of a page. read: returns a page, or throws a Failure.
 * @typedef {object} List
 * @property {string} method
 * @property {(value: string) => Record<string, string>} query
 * @property {number} limit
 * @property {(bytes: Buffer, at: string, value: string) => ListPage} read
 */

/** @type {Record<string, List>} */
export const LISTS = {
  account: {
    method: 'sync.listRepos',
    query: () => ({}),
    limit: BOUNDS.repos,
    read: readListPage,
  },
  signal: {
    method: 'sync.listReposByCollection',
    query: (collection) => ({ collection }),
    limit: BOUNDS.repos,
    read: readListPage,
  },
};

/**
 * The kinds of wants. form: that of the value. help: the same in words, for the help of commands.
 * @type {Record<string, { form: string, help: string }>}
 */
export const WANTS = {
  account: { form: 'DID', help: 'a DID' },
  collection: {
    form: 'NSID (or com.example.*)',
    help: 'an NSID, or com.example.* for all below',
  },
  signal: { form: 'NSID', help: 'an NSID, for the accounts that have such records' },
  live: { form: '"*"', help: '"*", for the commits of all accounts from now on' },
};
