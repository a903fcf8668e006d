// Work that must not keep the program from ending.

export class Late extends Error {}

/**
 * Waits for work, but at most for so many ms after the signal: a server that hangs, or a lock that
 * somebody holds, must not keep the program from ending. A statement that is still running then may
 * take effect or not, as when the program is killed.
 * @template T
 * @param {number} ms
 * @param {AbortSignal} signal
 * @param {Promise<T>} work
 * @returns {Promise<T>}
 */
export async function within(ms, signal, work) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  let begin = () => {};
  /** @type {Promise<never>} */
  const late = new Promise((_, reject) => {
    begin = () => {
      const text = `not ended after ${ms / 1000} s: the database does not answer; giving up`;
      timer = setTimeout(() => reject(new Late(text)), ms);
    };
  });
  signal.addEventListener('abort', begin);
  if (signal.aborted) begin();
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', begin);
  }
}
