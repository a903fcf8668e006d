// For Drizzle: a function for each type that makes its column. drizzle-kit puts a type that it does not know between double
// quotes; the pair in the middle makes it "atid"."tid". An unqualified tid would be the server's own type of that name.
import { customType } from 'drizzle-orm/pg-core'
import { codec } from './index.js'

const column = (name) => customType({
  dataType: () => `atid"."${name}`,
  toDriver: codec(name).serialize,
  fromDriver: (value) => typeof value === 'string' ? codec(name).parse(value) : value,
})

export const tid = column('tid')
export const rkey = column('rkey')
export const recordKey = column('record_key')
export const cidLink = column('cid_link')
export const did = column('did')
export const atUri = column('at_uri')
export const handle = column('handle')
export const nsid = column('nsid')
export const atIdentifier = column('at_identifier')
export const language = column('language')
export const uri = column('uri')
export const datetime = column('datetime')
export const block = column('block')
export const symbol = column('symbol')
export const lexicon = column('lexicon')
