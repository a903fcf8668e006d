// MikroORM 6, with the entity of doc/clients.md (recipe_mikroorm.js, from the test) in a table that MikroORM makes
import { MikroORM, raw } from '@mikro-orm/postgresql'
import { Record } from './recipe_mikroorm.js'
import { ASIDE, COLUMNS, run } from './scenario.js'

for (const [name, type] of Object.entries({ cid: 'cid_link', author: 'did', uri: 'at_uri' }))
  Record.addProperty(name, 'string', { columnType: `atid.${type}`, nullable: true })
const { PGHOST, PGPORT, PGUSER, PGDATABASE } = process.env
const orm = await MikroORM.init({
  dbName: PGDATABASE, host: PGHOST, port: Number(PGPORT), user: PGUSER, pool: { min: 1, max: 1 },
  entities: [Record],
})
const connection = orm.em.getConnection()
const one = async (query) => (await connection.execute(query))[0].a
const revs = async (where, more = {}) =>
  (await orm.em.fork().find(Record, where, { orderBy: { rev: 'asc' }, ...more })).map((row) => row.rev)
const create = async (em, row) => {
  const record = em.create(Record, row)
  await em.flush()
  return record
}

await connection.execute(ASIDE)
await orm.schema.createSchema()
console.log(`createSchema\t${(await one(COLUMNS)) ?? 'ok'}`)
const wrong = (await orm.schema.getUpdateSchemaSQL()).match(/alter table "record".*/)
console.log(`no difference\t${wrong ?? 'ok'}`)

await run({
  insert: () => create(orm.em.fork(), {}),
  find: (rev) => revs({ rev }),
  any: (list) => revs({ rev: list }),
  anyCast: (list) => revs({ [raw('rev = ANY(?::atid.tid[])', [`{${list}}`])]: [] }),
  array: () => one('SELECT array_agg(rev ORDER BY rev) AS a FROM record'),
  arrayText: () => one('SELECT array_agg(rev ORDER BY rev)::text[] AS a FROM record'),
  page: (cursor) => revs({ rev: { $gt: cursor } }, { limit: 2 }),
  setPrev: async (rev, prev) => {
    await orm.em.fork().nativeUpdate(Record, { rev }, { prev })
    return (await orm.em.fork().findOneOrFail(Record, { rev })).prev
  },
  values: async (row) => {
    await create(orm.em.fork(), row)
    const { rkey, cid, author, uri } = await orm.em.fork().findOneOrFail(Record, { rkey: row.rkey })
    return { rkey, cid, author, uri }
  },
  refused: (rkey) => orm.em.fork().transactional((em) => create(em, { rkey })),
})
await orm.close()
