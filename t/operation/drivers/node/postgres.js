// postgres (postgres.js)
import postgres from 'postgres'
import { run } from './scenario.js'

const sql = postgres({ host: process.env.PGHOST, max: 1 })
const revs = async (query) => (await query).map((row) => row.rev)

await run({
  insert: async () => (await sql`INSERT INTO record DEFAULT VALUES RETURNING rkey, rev`)[0],
  find: (rev) => revs(sql`SELECT rev FROM record WHERE rev = ${rev}`),
  any: (list) => revs(sql`SELECT rev FROM record WHERE rev = ANY(${list}) ORDER BY rev`),
  anyCast: (list) => revs(sql`SELECT rev FROM record WHERE rev = ANY(${list}::text[]::atid.tid[]) ORDER BY rev`),
  array: async () => (await sql`SELECT array_agg(rev ORDER BY rev) AS a FROM record`)[0].a,
  arrayText: async () => (await sql`SELECT array_agg(rev ORDER BY rev)::text[] AS a FROM record`)[0].a,
  page: (cursor) => revs(sql`SELECT rev FROM record WHERE rev > ${cursor} ORDER BY rev LIMIT 2`),
  setPrev: async (rev, prev) => (await sql`UPDATE record SET prev = ${prev} WHERE rev = ${rev} RETURNING prev`)[0].prev,
  values: async (row) => (await sql`INSERT INTO record ${sql(row)} RETURNING rkey, cid, author, uri`)[0],
  prepared: (rev) => revs(sql`SELECT rev FROM record WHERE rev = ${rev}`),
  copy: async (list) => {
    const { Readable } = await import('node:stream')
    const { pipeline } = await import('node:stream/promises')
    await pipeline(Readable.from(list.map((rev) => `${rev}\n`)), await sql`COPY record (rev) FROM STDIN`.writable())
  },
  refused: (rkey) => sql.begin((tx) => tx`INSERT INTO record (rkey) VALUES (${rkey})`),
})
await sql.end()
