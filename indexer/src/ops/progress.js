// Lines of progress.
import * as log from './log.js';

/**
 * @typedef {{ frames: number, applied: number, refused: number, lag: number | null, loaded: number
 *   }} Total
 */

const SAME_LINE = 300e3; // ms until the same line is repeated

/** @returns {Total} */
export const newTotal = () => ({ frames: 0, applied: 0, refused: 0, lag: null, loaded: 0 });

/**
 * Returns a function that shows a line if something has changed, if the last one is SAME_LINE old,
 * or if it must.
 * @param {Total} total
 */
export function makeProgress(total) {
  let before = { at: Date.now(), frames: 0 };
  let shown = { at: Date.now(), text: '' };
  return (must = false) => {
    const now = Date.now();
    const elapsed = Math.max(1, now - before.at);
    const rate = Math.round(((total.frames - before.frames) * 1000) / elapsed);
    before = { at: now, frames: total.frames };
    const fields = {
      frames: total.frames,
      rate,
      lag: total.lag === null ? '-' : Number(total.lag.toFixed(1)),
      commits: total.applied,
      refused: total.refused,
      loaded: total.loaded,
    };
    const text = JSON.stringify(fields);
    if (!must && text === shown.text && now - shown.at < SAME_LINE) return;
    shown = { at: now, text };
    log.info('progress', fields);
  };
}
