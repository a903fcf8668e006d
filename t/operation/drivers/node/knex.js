// knex, over pg
import makeKnex from 'knex'
import { run } from './scenario.js'

const knex = makeKnex({ client: 'pg', connection: { host: process.env.PGHOST }, pool: { min: 1, max: 1 } })
const record = () => knex('record')

await run({
  insert: async () => (await record().insert({}).returning(['rkey', 'rev']))[0],
  find: (rev) => record().where({ rev }).pluck('rev'),
  any: (list) => record().whereIn('rev', list).orderBy('rev').pluck('rev'),
  anyCast: (list) => record().whereRaw('rev = ANY(?::atid.tid[])', [list]).orderBy('rev').pluck('rev'),
  array: async () => (await record().first(knex.raw('array_agg(rev ORDER BY rev) AS a'))).a,
  arrayText: async () => (await record().first(knex.raw('array_agg(rev ORDER BY rev)::text[] AS a'))).a,
  page: (cursor) => record().where('rev', '>', cursor).orderBy('rev').limit(2).pluck('rev'),
  setPrev: async (rev, prev) => (await record().where({ rev }).update({ prev }).returning('prev'))[0].prev,
  values: async (row) => (await record().insert(row).returning(['rkey', 'cid', 'author', 'uri']))[0],
  refused: (rkey) => knex.transaction((tx) => tx('record').insert({ rkey })),
})
await knex.destroy()
