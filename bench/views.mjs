// Starts atid-indexer api, and requests the pages that bench/views measures.
//
//   node views.mjs ROUNDS CURSOR    CURSOR: sort_at and uri, as JSON, after which the page 10,000 further down begins
import { spawn } from 'node:child_process';

const rounds = Number(process.argv[2]);
const below = JSON.parse(process.argv[3]);
const api = spawn(process.execPath, ['indexer/bin/atid-indexer.js', 'api'], { cwd: import.meta.dirname });
process.on('exit', () => api.kill());
const port = await new Promise((resolve, reject) => {
  let said = '';
  for (const out of [api.stdout, api.stderr]) {
    out.on('data', (data) => {
      said += data;
      const [, number] = /api listening url=http:\/\/127\.0\.0\.1:(\d+)\//.exec(said) ?? [];
      if (number) resolve(number);
    });
  }
  api.on('exit', () => reject(new Error(said)));
});
const QUERY = `query ($after: Cursor) {
  allComExamplePosts(first: 20, after: $after, orderBy: SORT_AT_DESC) {
    nodes {
      uri text sortAt accountByDid { handle } comExampleProfileByDid { displayName }
      comExampleBoardByBoard { name } comExamplePostByParent { text }
    }
    pageInfo { endCursor hasNextPage }
  }
}`;

async function page(after) {
  const began = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: QUERY, variables: { after } }),
  });
  const { data, errors } = await answer.json();
  if (errors) throw new Error(JSON.stringify(errors));
  const { nodes, pageInfo } = data.allComExamplePosts;
  const whole = (n) =>
    n.accountByDid.handle && n.comExampleProfileByDid.displayName && n.comExampleBoardByBoard.name && n.comExamplePostByParent.text;
  if (nodes.length !== 20 || !nodes.every(whole)) throw new Error('a page that is not whole');
  return { ms: performance.now() - began, nodes, cursor: pageInfo.endCursor };
}

// A cursor has the values of the sort columns after the name of the order.
const first = await page(null);
const [name] = JSON.parse(Buffer.from(first.cursor, 'base64').toString());
const deep = Buffer.from(JSON.stringify([name, ...below])).toString('base64');
if ((await page(deep)).nodes[0].sortAt >= below[0]) throw new Error('that page is not below');
const took = { 'the first page': [], 'the 10,001st page': [] };
for (let i = 0; i < rounds; i++) {
  took['the first page'].push((await page(null)).ms);
  took['the 10,001st page'].push((await page(deep)).ms);
}
for (const [place, list] of Object.entries(took)) {
  list.sort((a, b) => a - b);
  const at = (q) => list[Math.floor(q * (list.length - 1))].toFixed(1);
  console.log(`API, ${place}: ${at(0.5)} ms (quartiles ${at(0.25)} to ${at(0.75)})`);
}
process.exit();
