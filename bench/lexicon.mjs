// Node's part of bench/lexicon.
//
//   node lexicon.mjs documents     prints the lexicons that npm's package @atproto/api carries, as an array
//   node lexicon.mjs posts FILE    for each line of standard input, a number, checks that many posts with
//                                  @atproto/lex-schema, and prints the milliseconds that it took; FILE has a post on
//                                  each line, which is parsed, links and bytes too, before anything is measured
//   node lexicon.mjs inserts N     N rounds of INSERTs of one row each into bench.plain and bench.checked, by a prepared
//                                  statement in one transaction; the times go to bench.result
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { LexiconIterableIndexer, LexiconSchemaBuilder } from '@atproto/lex-document';
import { jsonToLex } from '@atproto/lex-json';
import pg from 'pg';
import { documents } from './lexicon_docs.js';

if (process.argv[2] === 'documents') {
  console.log(JSON.stringify(documents));
} else if (process.argv[2] === 'inserts') {
  const db = new pg.Client({ database: 'postgres', types: { getTypeParser: () => (text) => text } });
  await db.connect();
  const { rows } = await db.query({ text: 'SELECT * FROM bench.posts LIMIT 5000', rowMode: 'array' });
  for (let round = 0; round <= Number(process.argv[3]); round++) {
    for (const table of round % 2 ? ['plain', 'checked'] : ['checked', 'plain']) {
      await db.query(`TRUNCATE bench.${table}`);
      await db.query('BEGIN');
      const began = process.hrtime.bigint();
      for (const values of rows) await db.query({ name: table, text: `INSERT INTO bench.${table} VALUES ($1, $2, $3)`, values });
      const ms = Number(process.hrtime.bigint() - began) / 1e6;
      await db.query('COMMIT');
      if (round) await db.query('INSERT INTO bench.result VALUES ($1, $2, $3)', [`prepared ${table}`, round, ms]);
    }
  }
  await db.end();
} else {
  // it accepts no reference without "#"
  const full = (ref) => (ref.includes('#') ? ref : `${ref}#main`);
  const indexer = new LexiconIterableIndexer(JSON.parse(JSON.stringify(documents), (key, value) =>
    (key === 'ref' && typeof value === 'string' ? full(value) : key === 'refs' && Array.isArray(value) ? value.map(full) : value)));
  const schema = await LexiconSchemaBuilder.build(indexer, 'app.bsky.feed.post#main');
  const posts = readFileSync(process.argv[3], 'utf8').trimEnd().split('\n').map((line) => jsonToLex(JSON.parse(line)));

  for await (const line of createInterface({ input: process.stdin })) {
    let valid = 0;
    const began = process.hrtime.bigint();
    for (let i = 0; i < Number(line); i++) if (schema.matches(posts[i % posts.length])) valid++;
    const ms = Number(process.hrtime.bigint() - began) / 1e6;
    if (valid !== Number(line)) throw new Error(`only ${valid} of ${line} posts are valid`);
    console.log(ms);
  }
}
