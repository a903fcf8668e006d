// Prisma's migrations: the model of doc/clients.md (recipe.prisma, from the test). The schema engine is Prisma's own, as
// WebAssembly; the command line starts a build of it that comes from outside the registry.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { PrismaPg } from '@prisma/adapter-pg'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import * as engine from '@prisma/schema-engine-wasm/schema_engine_bg'
import pg from 'pg'
import Result from 'pg/lib/result.js'

// The adapter does not know "char" (18), a type of the catalogue's columns that the engine reads.
const addFields = Result.prototype.addFields
Result.prototype.addFields = function (fields) {
  for (const field of fields) if (field.dataTypeID === 18) field.dataTypeID = 25
  return addFields.call(this, fields)
}
globalThis.PRISMA_WASM_PANIC_REGISTRY = { set_message: (message) => console.error(message) }
const file = 'node_modules/@prisma/schema-engine-wasm/schema_engine_bg.wasm'
const { instance } = await WebAssembly.instantiate(readFileSync(file), { './schema_engine_bg.js': engine })
engine.__wbg_set_wasm(instance.exports)
instance.exports.__wbindgen_start()

const content = `datasource db {\n  provider = "postgresql"\n}\n${readFileSync('recipe.prisma', 'utf8')}`
const schema = { files: [{ path: 'schema.prisma', content }] }
const filters = { externalTables: [], externalEnums: [] }
const list = (...scripts) => ({
  baseDir: '.', lockfile: { path: 'migration_lock.toml', content: null }, shadowDbInitScript: '',
  migrationDirectories: scripts.map((value, n) =>
    ({ path: `${n}_keys`, migrationFile: { path: 'migration.sql', content: { tag: 'ok', value } } })),
})
// an engine for each command, which first looks at the migrations that are there
const step = async (method, migrationsList, more) => {
  const adapter = bindMigrationAwareSqlAdapterFactory(new PrismaPg({ host: process.env.PGHOST, idleTimeoutMillis: 10 }))
  const it = await engine.SchemaEngine.new({ datamodels: [['schema.prisma', content]] }, () => {}, adapter)
  const { action } = await it.devDiagnostic({ migrationsList, filters })
  assert.equal(action.tag, 'createMigration', JSON.stringify(action))
  return it[method]({ migrationsList, schema, filters, ...more })
}
const create = { migrationName: 'keys', draft: false }

const { migrationScript } = await step('createMigration', list(), create)
const first = `CREATE EXTENSION IF NOT EXISTS atid;\n${migrationScript.replace('"rev" TEXT', '"rev" TEXT COLLATE "C"')}`
await step('applyMigrations', list(first))
const again = await step('createMigration', list(first), create)
assert(!again.migrationScript, `migrate finds a difference: ${again.migrationScript}`)
const pushed = await step('schemaPush', list(first), { force: false })
assert.deepEqual([pushed.executedSteps, pushed.warnings, pushed.unexecutable], [0, [], []], 'db push finds a difference')

const db = new pg.Client()
await db.connect()
for (let n = 0; n < 3; n++) await db.query('INSERT INTO post DEFAULT VALUES')
const { rows } = await db.query('SELECT id, rev FROM post ORDER BY id')
assert(rows.every(({ id, rev }) => id[14] === '7' && rev.length === 13), JSON.stringify(rows))
assert.deepEqual((await db.query('SELECT id, rev FROM post ORDER BY rev')).rows, rows)
await db.end()
console.log('ok')
process.exit()
