import type { ColumnType, Generated, RawBuilder } from 'kysely'
import type { Block, Lexicon, Name, Tid, Types } from './index.js'

/** The column of a type, in the interface of a table: `did: Column<'did'>`, `prev: Column<'tid'> | null` */
export type Column<N extends Name> = N extends 'lexicon' ? ColumnType<Lexicon, string, string> :
  N extends 'block' ? ColumnType<Buffer, Block | string, Block | string> : Types[N]
/** A column with `DEFAULT atid.tid_generate()` */
export type GeneratedTid = Generated<Tid>

export const type: { [N in Name]: RawBuilder<Types[N]> }
