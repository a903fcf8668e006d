#!/usr/bin/env node
// atid-drizzle SCHEMA.ts: mends what `drizzle-kit pull` wrote. For a type that it does not know it writes unknown(...) and a
// comment, and leaves out the schema of all but domains: what it calls tid is taken for atid.tid.
import { readFileSync, writeFileSync } from 'node:fs'
import { names } from './index.js'

const camel = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase())
const [file] = process.argv.slice(2)
const before = readFileSync(file, 'utf8')
const after = before.replace(
  /^\s*\/\/ TODO: failed to parse database type '(?:atid\.)?(\w+)(?:\[\])*'\n(\s*\w+: )unknown\(/gm,
  (all, name, head) => names.includes(name) ? `${head}atid.${camel(name)}(` : all)
if (after !== before) writeFileSync(file, `import * as atid from 'atid/drizzle'\n${after}`)
