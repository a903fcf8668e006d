import type { customType } from 'drizzle-orm/pg-core'
import type { Name, Types } from './index.js'

type Column<N extends Name> = ReturnType<typeof customType<{ data: Types[N], driverData: string }>>

export const tid: Column<'tid'>
export const rkey: Column<'rkey'>
export const recordKey: Column<'record_key'>
export const cidLink: Column<'cid_link'>
export const did: Column<'did'>
export const atUri: Column<'at_uri'>
export const handle: Column<'handle'>
export const nsid: Column<'nsid'>
export const atIdentifier: Column<'at_identifier'>
export const language: Column<'language'>
export const uri: Column<'uri'>
export const datetime: Column<'datetime'>
export const block: Column<'block'>
export const symbol: Column<'symbol'>
export const lexicon: Column<'lexicon'>
