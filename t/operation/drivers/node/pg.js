// pg (node-postgres)
import pg from 'pg'
import { run } from './scenario.js'

const client = new pg.Client()
await client.connect()
const query = (text, ...values) => client.query(text, values)
const revs = async (text, ...values) => (await query(text, ...values)).rows.map((row) => row.rev)

await run({
  insert: async () => (await query('INSERT INTO record DEFAULT VALUES RETURNING rkey, rev')).rows[0],
  find: (rev) => revs('SELECT rev FROM record WHERE rev = $1', rev),
  any: (list) => revs('SELECT rev FROM record WHERE rev = ANY($1) ORDER BY rev', list),
  anyCast: (list) => revs('SELECT rev FROM record WHERE rev = ANY($1::atid.tid[]) ORDER BY rev', list),
  array: async () => (await query('SELECT array_agg(rev ORDER BY rev) AS a FROM record')).rows[0].a,
  arrayText: async () => (await query('SELECT array_agg(rev ORDER BY rev)::text[] AS a FROM record')).rows[0].a,
  page: (cursor) => revs('SELECT rev FROM record WHERE rev > $1 ORDER BY rev LIMIT 2', cursor),
  setPrev: async (rev, prev) =>
    (await query('UPDATE record SET prev = $2 WHERE rev = $1 RETURNING prev', rev, prev)).rows[0].prev,
  values: async ({ rkey, cid, author, uri }) =>
    (await query(
      'INSERT INTO record (rkey, cid, author, uri) VALUES ($1, $2, $3, $4) RETURNING rkey, cid, author, uri',
      rkey, cid, author, uri)).rows[0],
  prepared: async (rev) =>
    (await client.query({ name: 'find', text: 'SELECT rev FROM record WHERE rev = $1', values: [rev] }))
      .rows.map((row) => row.rev),
  refused: async (rkey) => {
    await query('BEGIN')
    try {
      await query('INSERT INTO record (rkey) VALUES ($1)', rkey)
    } finally {
      await query('ROLLBACK')
    }
  },
})
await client.end()
