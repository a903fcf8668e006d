// The table for drizzle-orm and drizzle-kit. drizzle-kit puts a type that it does not know between
// double quotes; the pair in the middle makes it "atid"."tid". An unqualified tid would be the
// server's own type of that name.
import { sql } from 'drizzle-orm'
import { customType, pgTable } from 'drizzle-orm/pg-core'

const atid = (name) => customType({ dataType: () => `atid"."${name}` })

export const record = pgTable('record', {
  rkey: atid('rkey')('rkey').primaryKey().default(sql`atid.tid_generate()`),
  rev: atid('tid')('rev').notNull().unique().default(sql`atid.tid_generate()`),
  prev: atid('tid')('prev'),
  cid: atid('cid_link')('cid'),
  author: atid('did')('author'),
  uri: atid('at_uri')('uri'),
})
