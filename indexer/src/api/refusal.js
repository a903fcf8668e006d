// Refusals, whose messages go to the client.
import { SafeError } from 'postgraphile/grafast';

/**
 * A refusal with the status of the answer, which the engine reads in one place or the other,
 * depending on where the refusal is thrown.
 * @param {string} text
 */
export const refusal = (text, statusCode = 400) =>
  Object.assign(new SafeError(text, { statusCode }), { statusCode });

/**
 * @param {string} text
 * @returns {never}
 */
export const refuse = (text) => {
  throw refusal(text);
};
