// Numbers and times for people.
const AN_HOUR = 3600;

/** @param {number | string} n */
export const formatNumber = (n) =>
  Number(n).toLocaleString('en-US', { maximumFractionDigits: Number(n) < 10 ? 1 : 0 });
/** @param {number} seconds */
export const formatDuration = (seconds) =>
  seconds < 1
    ? '0 s'
    : seconds < 120
      ? `${Math.round(seconds)} s`
      : seconds < 2 * AN_HOUR
        ? `${Math.round(seconds / 60)} min`
        : seconds < 48 * AN_HOUR
          ? `${(seconds / AN_HOUR).toFixed(1)} h`
          : `${Math.round(seconds / 24 / AN_HOUR)} days`;
