export interface ParserOf {
  getTypeParser(oid: number, format?: any): any
}
export function atidTypes(client: { query(text: string): Promise<{ rows: any[] }> }, base?: ParserOf): Promise<ParserOf>
