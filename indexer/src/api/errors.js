// Errors of the API: what the client and what the log gets of them.
//
// The packages write to the console, often with a stack trace, and for each message of a client.
// Here an error becomes one line, and repetitions within a minute are counted. A client that has
// left is no error.
import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { isSafeError } from 'postgraphile/grafast';
import { defaultMaskError } from 'postgraphile/grafserv';
import { GraphQLError } from 'postgraphile/graphql';
import { messageOf } from '../db/errors.js';
import * as log from '../ops/log.js';

const LEFT =
  /^(EPIPE|ECONNRESET|ECONNABORTED|ERR_STREAM_(DESTROYED|WRITE_AFTER_END|PREMATURE_CLOSE))$/;

/**
 * Has the client left, or sent something that is not valid on a WebSocket?
 * @param {import('../db/errors.js').AnyError} e
 * @param {string} text how a package introduces the error
 */
const isOfClient = (e, text) =>
  /on a WebSocket socket/.test(text) ||
  (/message handling|during stream/.test(text) &&
    (LEFT.test(e.code ?? '') || /^WebSocket is not open/.test(e.message)));

/**
 * The message of a package, as one line; or null if it is no error.
 * @param {any[]} all
 */
function lineOf(all) {
  const error = all.find((one) => one instanceof Error);
  const said = all.filter((one) => typeof one === 'string');
  const text = said.length > 0 || error ? said.join(' ') : inspect(all[0]);
  const about = text
    .split('\n', 1)[0]
    .replace(/\s*(Please check your implementation)?[.:\s]*$/, '');
  // the error itself comes next
  if (!error) return /:\s*$/.test(text) || about === '' ? null : about;
  if (isSafeError(error) || isOfClient(error, text)) return null;
  return [about || 'a request', messageOf(error)].join(': ');
}

export function quiet() {
  const say =
    (/** @type {log.Level} */ level) =>
    (/** @type {any[]} */ ...all) => {
      const line = lineOf(all);
      if (line !== null) log.counted(level, 'api message', { message: line });
    };
  Object.assign(console, {
    error: say('error'),
    dir: say('error'),
    trace: say('info'),
    warn: say('info'),
    log: say('debug'),
  });
}

// The client gets errors that it can do something about: values that a type does not accept, and
// queries that take too long. For any other error it gets a hash, by which the operator finds the
// line in the log.
/** @param {any} error */
export function maskError(error) {
  const of = error.originalError ?? (error instanceof GraphQLError ? null : error);
  if (of === null || of instanceof GraphQLError || isSafeError(of)) return defaultMaskError(error);
  const { nodes, path, message } = error;
  if (/^(?:22|57014)/.test(of.code ?? '')) return new GraphQLError(of.message, { nodes, path });
  const hash = createHash('sha256').update(message).digest('base64url').slice(0, 12);
  const field = path
    ?.map((/** @type {string | number} */ step) => (typeof step === 'number' ? '*' : step))
    .join('.');
  log.counted('error', 'field failed', { field, error: messageOf(of), hash }, hash);
  return new GraphQLError(`An error occurred (logged with hash: '${hash}')`, { nodes, path });
}
