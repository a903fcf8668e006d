// What a value of each type is in TypeScript. The database checks more than these can say. A value of the database fits into
// the types of @atproto/syntax, and an AtUri of it without a fragment into these.

export type Tid = string
export type Rkey = string
export type RecordKey = string
export type CidLink = string
export type Did = `did:${string}:${string}`
export type Handle = `${string}.${string}`
export type Nsid = `${string}.${string}.${string}`
export type AtIdentifier = Did | Handle
export type AtUri = `at://${AtIdentifier}` | `at://${AtIdentifier}/${Nsid}` | `at://${AtIdentifier}/${Nsid}/${string}`
export type Language = string
export type Uri = `${string}:${string}`
export type Datetime = `${string}-${string}-${string}T${string}:${string}:${string}${'Z' | `${'+' | '-'}${string}:${string}`}`

/** DAG-CBOR; a Buffer where it comes out */
export type Block = Uint8Array

export interface LexiconDocument {
  lexicon: 1
  id: string
  defs: Record<string, unknown>
  [more: string]: unknown
}
export type Lexicon = LexiconDocument | LexiconDocument[]

export interface Types {
  tid: Tid
  rkey: Rkey
  record_key: RecordKey
  cid_link: CidLink
  did: Did
  at_uri: AtUri
  handle: Handle
  nsid: Nsid
  at_identifier: AtIdentifier
  language: Language
  uri: Uri
  datetime: Datetime
  block: Block
  symbol: string
  lexicon: Lexicon
}
export type Name = keyof Types

export const names: Name[]
export function codec<N extends Name>(name: N): { parse(text: string): Types[N], serialize(value: Types[N]): string }
export const oids: string
