// For Kysely: the names of the types, for addColumn() and casts, as in sql`${value}::${type.tid}`.
import { sql } from 'kysely'
import { names } from './index.js'

export const type = Object.fromEntries(names.map((name) => [name, sql.raw(`atid.${name}`)]))
