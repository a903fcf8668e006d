// typeorm. It refuses column types that it does not know, so a column is text to it; the table is
// made by a migration in SQL.
import { DataSource, EntitySchema, In, MoreThan } from 'typeorm'
import { run } from './scenario.js'

const text = { type: 'text', nullable: true }
const Record = new EntitySchema({
  name: 'record',
  columns: {
    rkey: { type: 'text', primary: true, default: () => 'atid.tid_generate()' },
    rev: { type: 'text', default: () => 'atid.tid_generate()' },
    prev: text, cid: text, author: text, uri: text,
  },
})
const options = {
  type: 'postgres', host: process.env.PGHOST, username: process.env.PGUSER,
  database: process.env.PGDATABASE, synchronize: false,
}
const Typed = new EntitySchema({
  name: 'typed', columns: { rev: { type: 'atid.tid', primary: true } },
})
const refusal = await new DataSource({ ...options, entities: [Typed] }).initialize().catch(String)
console.log(`unknown type\t${/not supported/.test(refusal) ? 'ok' : refusal}`)
const source = await new DataSource({ ...options, entities: [Record] }).initialize()
const repository = source.getRepository(Record)
const revs = async (where, more = {}) =>
  (await repository.find({ where, order: { rev: 'ASC' }, ...more })).map((row) => row.rev)

await run({
  insert: async () => (await repository.insert({})).generatedMaps[0],
  find: (rev) => revs({ rev }),
  any: (list) => revs({ rev: In(list) }),
  anyCast: async (list) =>
    (await source.query('SELECT rev FROM record WHERE rev = ANY($1::atid.tid[]) ORDER BY rev', [list])).map((row) => row.rev),
  array: async () => (await source.query('SELECT array_agg(rev ORDER BY rev) AS a FROM record'))[0].a,
  arrayText: async () => (await source.query('SELECT array_agg(rev ORDER BY rev)::text[] AS a FROM record'))[0].a,
  page: (cursor) => revs({ rev: MoreThan(cursor) }, { take: 2 }),
  setPrev: async (rev, prev) => {
    await repository.update({ rev }, { prev })
    return (await repository.findOneBy({ rev })).prev
  },
  values: async (row) => {
    await repository.insert({ ...row })
    const { rkey, cid, author, uri } = await repository.findOneByOrFail({ rkey: row.rkey })
    return { rkey, cid, author, uri }
  },
  refused: (rkey) => source.transaction((manager) => manager.insert(Record, { rkey })),
})
await source.destroy()
