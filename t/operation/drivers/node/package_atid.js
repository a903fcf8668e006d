// The package of packaging/npm: pg, Postgres.js, Kysely and Drizzle with its types. Each step prints its name, a tab, and ok or
// what is wrong.
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { codec, names } from 'atid'
import { atidTypes as pgTypes } from 'atid/pg'
import { atidTypes as postgresTypes } from 'atid/postgres'
import { type } from 'atid/kysely'
import * as atid from 'atid/drizzle'
import { eq, sql as drizzleSql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { pgTable } from 'drizzle-orm/pg-core'
import { Kysely, PostgresDialect, sql as kyselySql } from 'kysely'
import pg from 'pg'
import postgres from 'postgres'
import { CID, DID, URI } from './scenario.js'

const values = {
  tid: '3jzfcijpj2z2a', rkey: 'self', record_key: 'lang:pt-BR', cid_link: CID, did: DID, at_uri: URI, handle: 'jay.bsky.social',
  nsid: 'app.bsky.feed.post', at_identifier: DID, language: 'pt-BR', uri: 'https://a.example/a,b',
  datetime: '2026-01-01T00:00:00.000Z', block: Buffer.from('a1652474797065666120225c62', 'hex'), // {"$type": "a \"\\b"}
  symbol: 'app.bsky.feed.like',
  lexicon: { lexicon: 1, id: 'com.example.note', defs: { main: { type: 'token', description: 'a "quoted", {odd} \\ text' } } },
}
const camel = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase())
const same = (a, b) => {
  const [left, right] = [a, b].map((value) => JSON.stringify(value))
  if (left !== right) throw new Error(`${left} instead of ${right}`)
}
const tell = async (name, step) => {
  let result = 'ok'
  try {
    await step()
  } catch (error) {
    result = `error ${(error.cause ?? error).message.split('\n')[0]}`
  }
  console.log(`${name}\t${result}`)
}

// A lexicon comes out with the keys in the order of DAG-CBOR
const sorted = (value) => JSON.parse(JSON.stringify(value), (_, v) =>
  v && typeof v === 'object' && !Array.isArray(v) ? Object.fromEntries(Object.entries(v).sort()) : v)

const plain = new pg.Client()
await plain.connect()
const there = (await plain.query(`SELECT typname FROM pg_type WHERE typnamespace = 'atid'::regnamespace
                                  AND typtype IN ('b', 'd') AND typcategory <> 'A'`)).rows.map((row) => row.typname)
// a type of a later version would be missing in the package
await tell('names', () => same(there.filter((name) => !names.includes(name)), []))
const used = names.filter((name) => there.includes(name))
const columns = used.map((name) => `${name} atid.${name}, ${name}s atid.${name}[]`)
await plain.query(`CREATE TABLE every (n int PRIMARY KEY, ${columns})`)
// (Postgres.js makes the text NULL of a NULL in an array of any type)
const row = (n, ...more) => Object.fromEntries([['n', n],
  ...used.flatMap((name) => [[name, values[name]], [`${name}s`, [values[name], ...more, values[name]]]])])
const texts = (values) => Object.fromEntries(Object.entries(values).map(([key, value]) => {
  const { serialize } = codec(key.replace(/s$/, ''))
  return [key, key === 'n' ? value : Array.isArray(value) ? value.map((v) => v && serialize(v)) : serialize(value)]
}))

const types = await pgTypes(plain)
const pool = new pg.Pool({ max: 1, types })
await tell('pg', async () => {
  const put = { ...texts(row(1, null)), block: values.block } // a Buffer is sent in the binary form
  await pool.query(`INSERT INTO every (${Object.keys(put)}) VALUES (${Object.keys(put).map((_, i) => `$${i + 1}`)})`, Object.values(put))
  const get = async () => sorted((await pool.query('SELECT * FROM every WHERE n = 1')).rows[0])
  same(await get(), sorted(row(1, null)))
  await pool.query('SET bytea_output = escape')
  same(await get(), sorted(row(1, null)))
})

const first = postgres({ host: process.env.PGHOST, max: 1 })
const sql = postgres({ host: process.env.PGHOST, max: 1, types: await postgresTypes(first) })
await first.end()
await tell('postgres', async () => {
  const put = row(2)
  put.blocks &&= put.blocks.map(codec('block').serialize) // it takes an array of Buffers for a bytea
  await sql`INSERT INTO every ${sql(put)}`
  same(sorted((await sql`SELECT * FROM every WHERE n = 2`)[0]), sorted(row(2)))
})
await sql.end()

const db = new Kysely({ dialect: new PostgresDialect({ pool }) })
await tell('kysely', async () => {
  let table = db.schema.createTable('by_kysely').addColumn('n', 'integer')
  for (const name of used) table = table.addColumn(name, type[name])
  await table.execute()
  const put = Object.fromEntries(used.map((name) => [name, codec(name).serialize(values[name])]))
  await db.insertInto('by_kysely').values({ n: 1, ...put }).execute()
  const got = await db.selectFrom('by_kysely').selectAll()
    .where('cid_link', '=', kyselySql`any(${[CID]}::${type.cid_link}[])`).executeTakeFirstOrThrow()
  same(sorted(got), sorted({ n: 1, ...Object.fromEntries(used.map((name) => [name, values[name]])) }))
  same((await db.selectFrom('every').select('tids').where('n', '=', 1).executeTakeFirstOrThrow()).tids, row(1, null).tids)
})

// with pg's own types, as most have it: fromDriver reads the text
const drizzled = drizzle(new pg.Pool({ max: 1 }))
const every = pgTable('every', Object.fromEntries([['n', atid.tid('n')], ...used.map((name) => [name, atid[camel(name)](name)])]))
await tell('drizzle', async () => {
  const put = Object.fromEntries(used.map((name) => [name, values[name]]))
  await drizzled.insert(every).values({ n: 3, ...put })
  const [got] = await drizzled.select().from(every).where(eq(every.cid_link, CID)).where(drizzleSql`n = 3`)
  same(sorted({ ...got, n: 3 }), sorted({ n: 3, ...put }))
})

// drizzle-kit pull leaves all of atid's types unknown, and names operator classes without their schema; atid-drizzle mends both
const { PGHOST, PGPORT, PGUSER, PGDATABASE } = process.env
const url = ['--url', `postgresql://${PGUSER}@localhost:${PGPORT}/${PGDATABASE}?host=${PGHOST}`]
const kit = (...args) => execFileSync('node_modules/.bin/drizzle-kit', [...args, '--dialect', 'postgresql'], { stdio: 'pipe' })
const schema = 'pulled/schema.ts'
const unknown = () => [...readFileSync(schema, 'utf8').matchAll(/(\w+): unknown\(/g)].map((found) => found[1])
await tell('drizzle-kit pull', async () => {
  await plain.query('DROP TABLE by_kysely; CREATE TABLE other (id xid8, rev atid.tid, revs atid.tid[]); ' +
    'CREATE INDEX ON every (did, cid_link, rkey); CREATE INDEX ON other USING brin (rev)')
  kit('pull', '--out', 'pulled', ...url)
  if (!unknown().includes('atUri')) throw new Error('atUri is known without the package')
  if (!readFileSync(schema, 'utf8').includes('.op("did_ops")')) throw new Error('no operator class is named')
  execFileSync('node_modules/.bin/atid-drizzle', [schema], { stdio: 'pipe' })
  same(unknown(), ['id'])
  writeFileSync('pulled/schema.js', readFileSync(schema, 'utf8').replace(/unknown\(/g, 'atid.tid('))
  const pulled = await import('./pulled/schema.js')
  same((await drizzled.select({ tid: pulled.every.tid, uri: pulled.every.atUri }).from(pulled.every).where(eq(pulled.every.did, DID)).limit(1))[0],
    { tid: values.tid, uri: URI })
})

// what was pulled makes the tables anew
await tell('drizzle-kit generate', async () => {
  kit('generate', '--schema', 'pulled/schema.js', '--out', 'anew')
  await plain.query('DROP TABLE every, other')
  for (const name of readdirSync('anew').filter((name) => name.endsWith('.sql')))
    await plain.query(readFileSync(`anew/${name}`, 'utf8'))
  same((await plain.query(`SELECT atttypid::regtype AS type FROM pg_attribute WHERE attrelid = 'every'::regclass AND attname = 'uri'`)).rows,
    [{ type: 'atid.uri' }])
})

// drizzle-kit push compares types without their schemas: it makes a table, and then takes each column for changed. It tells the
// server's error and changes nothing; its status is 0 all the same.
await tell('drizzle-kit push', async () => {
  const push = () => spawnSync('node_modules/.bin/drizzle-kit', ['push', '--force', '--dialect', 'postgresql',
    '--schema', 'drizzle_schema.js', '--tablesFilter', 'record', ...url], { encoding: 'utf8' })
  const table = async () => (await plain.query(`SELECT attname, atttypid::regtype AS type FROM pg_attribute
                                               WHERE attrelid = 'record'::regclass AND attnum > 0 ORDER BY 1`)).rows
  push()
  const made = await table()
  const { stdout, stderr } = push()
  if (!/cross-database references are not implemented: undefined.atid/.test(stderr)) throw new Error(`${stdout}${stderr}`)
  same(await table(), made)
})
await plain.end()
await drizzled.$client.end()
await db.destroy()
