// For pg: `new pg.Pool({ types: await atidTypes(client) })`. An array comes out as an array, a block as a Buffer, a lexicon
// as its JSON. Values go in as they are, except for a lexicon, which needs `codec('lexicon').serialize`: pg takes a
// JavaScript array for one of SQL.
import pg from 'pg'
import { codec, oids } from './index.js'

export const atidTypes = async (client, base = pg.types) => {
  const parsers = new Map()
  for (const { name, oid, array } of (await client.query(oids)).rows) {
    const { parse } = codec(name)
    parsers.set(oid, parse)
    parsers.set(array, (text) => base.arrayParser.create(text, parse).parse())
  }
  return { getTypeParser: (oid, format = 'text') => (format === 'text' && parsers.get(oid)) || base.getTypeParser(oid, format) }
}
