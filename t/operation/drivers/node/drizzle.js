// drizzle-orm, over pg; and what drizzle-kit makes of its table
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { eq, gt, inArray, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { record } from './drizzle_schema.js'
import { ASIDE, COLUMNS, run } from './scenario.js'

const pool = new pg.Pool({ max: 1 })
const db = drizzle(pool)
const find = (where) => db.select({ rev: record.rev }).from(record).where(where).orderBy(record.rev)
const revs = async (query) => (await query).map((row) => row.rev)
const one = async (expression) => (await db.select({ a: expression }).from(record))[0].a
const { rkey, cid, author, uri } = record

await run({
  insert: async () => (await db.insert(record).values({}).returning())[0],
  find: (rev) => revs(find(eq(record.rev, rev))),
  any: (list) => revs(find(inArray(record.rev, list))),
  anyCast: (list) => revs(find(sql`rev = ANY(${sql.param(list)}::atid.tid[])`)),
  array: () => one(sql`array_agg(rev ORDER BY rev)`),
  arrayText: () => one(sql`array_agg(rev ORDER BY rev)::text[]`),
  page: (cursor) => revs(find(gt(record.rev, cursor)).limit(2)),
  setPrev: async (rev, prev) =>
    (await db.update(record).set({ prev }).where(eq(record.rev, rev)).returning({ prev: record.prev }))[0].prev,
  values: async (row) => (await db.insert(record).values(row).returning({ rkey, cid, author, uri }))[0],
  prepared: (() => {
    const statement = find(eq(record.rev, sql.placeholder('rev'))).prepare('find')
    return async (rev) => (await statement.execute({ rev })).map((row) => row.rev)
  })(),
  refused: (key) => db.transaction((tx) => tx.insert(record).values({ rkey: key })),
})

execFileSync('node_modules/.bin/drizzle-kit',
  ['generate', '--dialect', 'postgresql', '--schema', 'drizzle_schema.js', '--out', 'drizzle'], { stdio: 'pipe' })
const [migration] = readdirSync('drizzle').filter((name) => name.endsWith('.sql'))
await pool.query(ASIDE)
await pool.query(readFileSync(`drizzle/${migration}`, 'utf8'))
console.log(`migration\t${(await pool.query(COLUMNS)).rows[0].a ?? 'ok'}`)
await pool.end()
