#!/usr/bin/env node
// atid-drizzle SCHEMA.ts: mends what `drizzle-kit pull` wrote. For a type that it does not know it writes unknown(...) and a
// comment, and leaves out the schema of all but domains: what it calls tid is taken for atid.tid. It also names the operator
// class of each indexed column without its schema, or even that of another column. The extension's are all defaults.
import { readFileSync, writeFileSync } from 'node:fs'
import { names } from './index.js'

const camel = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase())
const [file] = process.argv.slice(2)
const before = readFileSync(file, 'utf8')
const named = before.replace(
  /^\s*\/\/ TODO: failed to parse database type '(?:atid\.)?(\w+)(?:\[\])*'\n(\s*\w+: )unknown\(/gm,
  (all, name, head) => names.includes(name) ? `${head}atid.${camel(name)}(` : all)
const after = named.split(/^(?=export const )/m).map((table) => {
  const columns = new Set([...table.matchAll(/^\s*(\w+): atid\./gm)].map((found) => found[1]))
  return table.replace(/(\btable\.(\w+)[\w.()]*)\.op\("\w+"\)/g, (all, head, name) => columns.has(name) ? head : all)
    .replace(/\.op\("(?:tid|cid_link|did|at_uri|symbol)_(?:minmax_)?ops"\)/g, '')
}).join('')
if (after !== before) writeFileSync(file, `import * as atid from 'atid/drizzle'\n${after}`)
