// What the programs here draw from, the same for the same seed.
export function chance(seed) {
  let state = seed;

  // a number from 0 to 1; mulberry32
  function random() {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }
  const below = (n) => Math.floor(random() * n);
  const pick = (list) => list[below(list.length)];
  const bytes = (n) => Uint8Array.from({ length: n }, () => below(256));
  const shuffled = (list) => list.map((v) => [random(), v]).sort(([x], [y]) => x - y).map(([, v]) => v);
  return { random, below, pick, bytes, shuffled };
}
