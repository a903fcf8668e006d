// What the declarations of packaging/npm say: tsc takes this file. Each line after @ts-expect-error must be wrong.
import type { AtIdentifierString, AtUriString, DatetimeString, DidString, HandleString, NsidString, UriString } from '@atproto/syntax'
import { type AtUri, type Did, type Lexicon, type Types, codec } from 'atid'
import { type Column, type GeneratedTid, type } from 'atid/kysely'
import * as atid from 'atid/drizzle'
import { atidTypes as pgTypes } from 'atid/pg'
import { atidTypes as postgresTypes } from 'atid/postgres'
import { pgTable } from 'drizzle-orm/pg-core'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import postgres from 'postgres'

interface Database {
  record: { rev: GeneratedTid, uri: Column<'at_uri'>, author: Column<'did'> | null, schema: Column<'lexicon'> }
}
const client = new pg.Client()
const pool = new pg.Pool({ types: await pgTypes(client) })
const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
const schema: Lexicon = { lexicon: 1, id: 'com.example.note', defs: {} }
const uri: AtUri = 'at://did:web:a.example/app.bsky.feed.post/1'
await db.insertInto('record').values({ uri, author: null, schema: codec('lexicon').serialize(schema) }).execute()
const got = await db.selectFrom('record').selectAll().where('uri', '=', sql<AtUri>`${uri}::${type.at_uri}`).executeTakeFirstOrThrow()
const author: Did | null = got.author
// @ts-expect-error a DID is no AT URI
const wrong: AtUri = 'did:web:a.example'
// @ts-expect-error pg would take the array for one of SQL
await db.updateTable('record').set({ schema: [schema] }).execute()

const record = pgTable('record', { rev: atid.tid('rev').notNull(), author: atid.did('author'), uris: atid.atUri('uris').array() })
const row: typeof record.$inferSelect = { rev: '3jzfcijpj2z2a', author, uris: [uri] }
// @ts-expect-error rev is not null
row.rev = null
postgres({ types: await postgresTypes(postgres()) })

// What the columns give fits into the types of @atproto/syntax, and all but AT URIs with a fragment back.
interface Theirs {
  did: DidString, at_uri: AtUriString, handle: HandleString, nsid: NsidString, at_identifier: AtIdentifierString,
  uri: UriString, datetime: DatetimeString
}
const theirs = (ours: Types): Theirs => ours
const ours = (given: Omit<Theirs, 'at_uri'>): Pick<Types, Exclude<keyof Theirs, 'at_uri'>> => given
export { row, wrong, theirs, ours }
