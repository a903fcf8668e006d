import type { PostgresType } from 'postgres'
import type { Name } from './index.js'

export function atidTypes(sql: { unsafe(query: string): PromiseLike<any> }): Promise<Record<Name, PostgresType>>
