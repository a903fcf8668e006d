// The table for drizzle-orm and drizzle-kit, with the columns of packaging/npm.
import * as atid from 'atid/drizzle'
import { sql } from 'drizzle-orm'
import { pgTable } from 'drizzle-orm/pg-core'

export const record = pgTable('record', {
  rkey: atid.rkey('rkey').primaryKey().default(sql`atid.tid_generate()`),
  rev: atid.tid('rev').notNull().unique().default(sql`atid.tid_generate()`),
  prev: atid.tid('prev'),
  cid: atid.cidLink('cid'),
  author: atid.did('author'),
  uri: atid.atUri('uri'),
})
