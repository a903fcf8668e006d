// The types of the extension: their names, and how their texts are read and written. All are strings but block, whose
// text is that of bytea, and lexicon, whose text is JSON.

export const names = ['tid', 'rkey', 'record_key', 'cid_link', 'did', 'at_uri', 'handle', 'nsid', 'at_identifier', 'language',
  'uri', 'datetime', 'block', 'symbol', 'lexicon']

// Objects of other packages, such as a CID or an AtUri, have their text as toString().
const asText = { parse: (text) => text, serialize: String }
const asBytes = {
  parse: (text) => text.startsWith('\\x') ? Buffer.from(text.slice(2), 'hex') : // else bytea_output is escape
    Buffer.from(text.replace(/\\([0-7]{3}|\\)/g, (_, code) => code === '\\' ? code : String.fromCharCode(Number(`0o${code}`))),
      'latin1'),
  serialize: (value) => typeof value === 'string' ? value : `\\x${Buffer.from(value).toString('hex')}`,
}
const asJson = { parse: JSON.parse, serialize: (value) => typeof value === 'string' ? value : JSON.stringify(value) }

const others = { block: asBytes, lexicon: asJson }

export const codec = (name) => others[name] ?? asText

// Each database has OIDs of its own. A domain comes out as its base type, an array of a domain as itself.
export const oids = `
  SELECT t.typname AS name, t.oid, t.typarray AS array
  FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
  WHERE n.nspname = 'atid' AND t.typname = ANY ('{${names}}')`
