// kysely, over pg
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { run } from './scenario.js'

const db = new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool({ max: 1 }) }) })
const record = () => db.selectFrom('record').select('rev').orderBy('rev')
const revs = async (query) => (await query.execute()).map((row) => row.rev)
const one = async (expression) =>
  (await db.selectFrom('record').select(expression.as('a')).executeTakeFirstOrThrow()).a

await run({
  insert: () => db.insertInto('record').defaultValues().returning(['rkey', 'rev']).executeTakeFirstOrThrow(),
  find: (rev) => revs(record().where('rev', '=', rev)),
  any: (list) => revs(record().where('rev', 'in', list)),
  anyCast: (list) => revs(record().where(sql`rev = ANY(${list}::atid.tid[])`)),
  array: () => one(sql`array_agg(rev ORDER BY rev)`),
  arrayText: () => one(sql`array_agg(rev ORDER BY rev)::text[]`),
  page: (cursor) => revs(record().where('rev', '>', cursor).limit(2)),
  setPrev: async (rev, prev) =>
    (await db.updateTable('record').set({ prev }).where('rev', '=', rev).returning('prev').executeTakeFirstOrThrow()).prev,
  values: (row) => db.insertInto('record').values(row).returning(['rkey', 'cid', 'author', 'uri']).executeTakeFirstOrThrow(),
  refused: (rkey) => db.transaction().execute((tx) => tx.insertInto('record').values({ rkey }).execute()),
})
await db.destroy()
