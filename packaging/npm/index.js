// The types of the extension: their names, and how their texts are read and written. All are strings but lexicon, whose
// text is JSON.

export const names = ['tid', 'rkey', 'record_key', 'cid_link', 'did', 'at_uri', 'handle', 'nsid', 'at_identifier', 'language',
  'uri', 'datetime', 'lexicon']

// Objects of other packages, such as a CID or an AtUri, have their text as toString().
const asText = { parse: (text) => text, serialize: String }
const asJson = { parse: JSON.parse, serialize: (value) => typeof value === 'string' ? value : JSON.stringify(value) }

export const codec = (name) => name === 'lexicon' ? asJson : asText

// Each database has OIDs of its own. A domain comes out as its base type, an array of a domain as itself.
export const oids = `
  SELECT t.typname AS name, t.oid, t.typarray AS array
  FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
  WHERE n.nspname = 'atid' AND t.typname = ANY ('{${names}}')`
