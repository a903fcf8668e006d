// Limits of queries. A query is refused if it is too long, has too many words, or can get too much
// (cost.js). An answer that is too long is not sent: strangers write long texts, and a query can
// ask for the same one many times.
import { GraphQLError, Lexer, Source, TokenKind } from 'postgraphile/graphql';
import { SafeError } from 'postgraphile/grafast';
import { messageOf } from '../db/errors.js';
import * as log from '../ops/log.js';
import { measure } from './cost.js';
import { refuse } from './refusal.js';

export const LENGTH = 20_000; // bytes of a request, or of a message
const WORDS = 2000; // tokens: the time to check a query grows with their square
const ANSWER = 10e6; // characters of an answer
export const CACHED = 50; // queries of each cache: by default they hold several hundred MB

/** @param {unknown} query */
function countWords(query) {
  if (typeof query !== 'string') return;
  if (query.length > LENGTH) refuse(`The query is longer than ${LENGTH} characters`);
  const lexer = new Lexer(new Source(query));
  try {
    for (let n = 0; lexer.advance().kind !== TokenKind.EOF; n++)
      if (n >= WORDS) refuse(`The query has more than ${WORDS} words`);
  } catch (e) {
    if (e instanceof SafeError) throw e; // the parser reports all else
  }
}

/**
 * The least length of a value as JSON; or a number above `left`.
 * @param {any} value
 * @param {number} left
 * @returns {number}
 */
function lengthOf(value, left) {
  if (typeof value === 'string') return value.length + 2;
  if (value === null || typeof value !== 'object') return 4;
  let length = 2;
  for (const key in value) {
    if (length > left) return length;
    length += (Array.isArray(value) ? 1 : key.length + 4) + lengthOf(value[key], left - length);
  }
  return length;
}

const TOO_LONG = `The answer is longer than ${ANSWER} characters: ask for less of it`;

/**
 * A result, or the error that it is too long.
 * @param {any} result
 */
export const bounded = (result) =>
  result?.data && lengthOf(result.data, ANSWER) > ANSWER
    ? { errors: [new GraphQLError(TOO_LONG)] }
    : result;

/** @typedef {(next: () => any, event: any) => any} Middleware */

export const LimitsPlugin = {
  name: 'AtidLimitsPlugin',
  grafserv: {
    middleware: {
      /** @type {Middleware} */
      processGraphQLRequestBody(next, { body }) {
        countWords(body.query);
        return next();
      },
    },
  },
  grafast: {
    middleware: {
      /** @type {Middleware} */
      prepareArgs(next, { args }) {
        try {
          measure(args);
        } catch (/** @type {any} */ e) {
          if (e instanceof SafeError) throw e;
          log.counted('error', 'query unmeasured', { error: messageOf(e) });
          refuse('The query cannot be measured');
        }
        return next();
      },
      /** @type {Middleware} */
      execute(next) {
        const result = next();
        return typeof result?.then === 'function' ? result.then(bounded) : bounded(result);
      },
    },
  },
  schema: {
    hooks: {
      /** @type {(config: any) => any} */
      GraphQLSchema: (config) => ({
        ...config,
        extensions: {
          ...config.extensions,
          grafast: {
            ...config.extensions?.grafast,
            operationsCacheMaxLength: CACHED,
            queryCacheMaxLength: CACHED,
          },
        },
      }),
    },
  },
};
