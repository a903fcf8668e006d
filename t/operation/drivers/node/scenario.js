// What every program in this folder does: the steps of ../README.md, each with the client's own
// calls. A step prints its name, a tab, and what came of it.

export const CID = 'bafyreifzvsbt6kiyg57lrrt3jbyqcf3lm7b6apz3rn7mjiyj32ornkf3xq'
export const DID = 'did:plc:ewvi7nxzyoun6zhxrhs64oiz'
export const URI = `at://${DID}/app.bsky.feed.post/3jzfcijpj2z2a`

// For a client that makes the table itself: moves that of scenario.sql away, and returns the columns whose types differ.
export const ASIDE = 'CREATE SCHEMA by_hand; ALTER TABLE record SET SCHEMA by_hand'
const types = (table) =>
  `SELECT attname, atttypid FROM pg_attribute WHERE attrelid = '${table}'::regclass AND attnum > 0`
export const COLUMNS = `SELECT string_agg(attname, ',') AS a
FROM (${types('by_hand.record')} EXCEPT ${types('public.record')}) AS differing`

const shape = (value) =>
  value === null ? 'null'
  : Array.isArray(value) ? `array of ${[...new Set(value.map(shape))]}`
  : Buffer.isBuffer(value) ? 'Buffer'
  : typeof value

// The SQLSTATE and the constraint of an error, however deep the client has wrapped the server's.
const fault = (error) => {
  let found = { code: error.message.split('\n')[0] }
  for (let e = error; e; e = e.cause ?? e.parent ?? e.driverError ?? e.meta?.driverAdapterError) {
    const code = e.originalCode ?? e.code
    const constraint = e.constraint ?? e.constraint_name ?? /constraint "(\w+)"/.exec(e.originalMessage)?.[1]
    if (/^[0-9A-Z]{5}$/.test(code)) found = { code, constraint }
  }
  return found
}

const same = (a, b) => {
  if (JSON.stringify(a) !== JSON.stringify(b))
    throw new Error(`${JSON.stringify(a)} instead of ${JSON.stringify(b)}`)
}

// steps: an object of async functions, by the names below; one that is missing is not told of.
export const run = async (steps) => {
  const tell = async (name, step) => {
    let result
    try {
      result = await step()
    } catch (error) {
      const { code } = fault(error)
      result = `error ${code}`
    }
    console.log(`${name}\t${result ?? 'ok'}`)
  }
  const known = []

  await tell('tid', async () => {
    for (let i = 0; i < 5; i++) known.push((await steps.insert()).rev)
    return shape(known[0])
  })
  await tell('parameter', async () => same(await steps.find(known[2]), [known[2]]))
  await tell('any', async () => same(await steps.any(known.slice(1, 3)), known.slice(1, 3)))
  if (steps.anyCast)
    await tell('any, cast', async () => same(await steps.anyCast(known.slice(1, 3)), known.slice(1, 3)))
  await tell('tid[]', async () => shape(await steps.array()))
  await tell('tid[] as text[]', async () => same(await steps.arrayText(), known))
  await tell('paging', async () => {
    const seen = []
    for (let cursor = '2222222222222', page; (page = await steps.page(cursor)).length; cursor = seen.at(-1))
      seen.push(...page)
    same(seen, known)
  })
  await tell('null', async () => same(await steps.setPrev(known[0], null), null))
  await tell('values', async () => {
    const row = { rkey: 'self', cid: CID, author: DID, uri: URI }
    same(await steps.values(row), row)
  })
  if (steps.prepared)
    await tell('prepared', async () => {
      for (const rev of known) same(await steps.prepared(rev), [rev])
    })
  if (steps.copy)
    await tell('copy', async () => {
      await steps.copy(['3k2hwfvx7k22l', '3k3yoc6ybt22l'])
      same(await steps.find('3k2hwfvx7k22l'), ['3k2hwfvx7k22l'])
    })
  await tell('check', async () => {
    try {
      await steps.refused('no/slashes')
    } catch (error) {
      const { code, constraint } = fault(error)
      same(await steps.find(known[2]), [known[2]])
      return [code, constraint].filter((x) => x).join(' ')
    }
    throw new Error('the value was taken')
  })
}
