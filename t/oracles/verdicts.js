// Counts what a program here compares, and prints it as AtidTest::Oracles reads it: for what was unequal some lines of
// "note", a tab and a remark, at most so many of each; at the end for each comparison "ok" or "not ok", a tab and a text.
export function verdicts(notes = 3) {
  const compared = new Map();
  const wrong = new Map();
  const count = (map, what) => map.set(what, (map.get(what) ?? 0) + 1);
  function same(what, equal, show) {
    count(compared, what);
    if (equal) return;
    count(wrong, what);
    if (wrong.get(what) <= notes) console.log(`note\t${what}: ${show().replaceAll('\n', ' ').slice(0, 3000)}`);
  }
  function printVerdicts() {
    for (const [what, n] of compared) {
      const bad = wrong.get(what) ?? 0;
      console.log(`${bad ? 'not ok' : 'ok'}\t${what} (${n - bad} of ${n})`);
    }
  }
  return { count, same, printVerdicts };
}
