// drizzle-kit: the table of doc/clients.md (recipe_drizzle.js, from the test) by generate and migrate, and by push
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import assert from 'node:assert/strict'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'

const { PGHOST, PGPORT, PGUSER, PGDATABASE } = process.env
const url = `postgresql://${PGUSER}@localhost:${PGPORT}/${PGDATABASE}?host=${PGHOST}`
mkdirSync('keys')
writeFileSync('keys/schema.js', `import { sql } from 'drizzle-orm'
import { pgTable, text, uuid } from 'drizzle-orm/pg-core'
${readFileSync('recipe_drizzle.js', 'utf8')}`)
writeFileSync('keys/drizzle.config.js', `export default ${JSON.stringify(
  { dialect: 'postgresql', schema: 'keys/schema.js', out: 'keys/out', dbCredentials: { url } })}`)
const config = '--config=keys/drizzle.config.js'
const kit = (command) => execFileSync('node_modules/.bin/drizzle-kit', [command, config], { stdio: 'pipe' })
const migrations = () => readdirSync('keys/out').filter((name) => name.endsWith('.sql'))

kit('generate')
const [first] = migrations()
const sql = readFileSync(`keys/out/${first}`, 'utf8')
writeFileSync(`keys/out/${first}`, 'CREATE EXTENSION IF NOT EXISTS atid;\n--> statement-breakpoint\n' +
  sql.replace('"rev" text', '"rev" text COLLATE "C"'))
kit('migrate')
kit('generate')
assert.deepEqual(migrations(), [first], 'generate finds a difference')
const push = spawnSync('node_modules/.bin/drizzle-kit', ['push', config], { encoding: 'utf8' })
assert.match(push.stdout, /No changes detected/, push.stdout + push.stderr)

const { post } = await import('./keys/schema.js')
const db = drizzle(new pg.Pool({ max: 1 }))
const rows = []
for (let n = 0; n < 3; n++) rows.push((await db.insert(post).values({}).returning())[0])
assert(rows.every(({ id, rev }) => id[14] === '7' && rev.length === 13), JSON.stringify(rows))
assert.deepEqual(await db.select().from(post).orderBy(post.id), rows)
assert.deepEqual(await db.select().from(post).orderBy(post.rev), rows)
await db.$client.end()
console.log('ok')
