// For Postgres.js: `postgres({ types: await atidTypes(sql) })`, where sql is a connection to the same database. It reads and
// writes arrays by itself, unless fetch_types is false. It takes an array of Buffers for a bytea: write blocks[] as texts,
// `blocks.map(codec('block').serialize)`.
import { codec, oids } from './index.js'

export const atidTypes = async (sql) =>
  Object.fromEntries((await sql.unsafe(oids)).map(({ name, oid }) => [name, { to: oid, from: [oid], ...codec(name) }]))
