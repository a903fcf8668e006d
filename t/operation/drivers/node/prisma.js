// prisma 7, with its adapter over pg. Its client is generated first; that asks for an engine of
// Prisma's, which comes from outside the registry and is not used: any program stands in for it.
import { execFileSync } from 'node:child_process'
import { run } from './scenario.js'

execFileSync('node_modules/.bin/prisma', ['generate', '--schema', 'prisma/schema.prisma'],
  { env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true' }, stdio: 'pipe' })
const { PrismaClient } = (await import('@prisma/client')).default
const { PrismaPg } = await import('@prisma/adapter-pg')

const prisma = new PrismaClient({ adapter: new PrismaPg({ host: process.env.PGHOST, max: 1 }) })
const record = prisma.record
const revs = async (where, more = {}) =>
  (await record.findMany({ where, orderBy: { rev: 'asc' }, ...more })).map((row) => row.rev)

await run({
  insert: () => record.create({ data: {} }),
  find: (rev) => revs({ rev }),
  any: (list) => revs({ rev: { in: list } }),
  anyCast: async (list) =>
    (await prisma.$queryRaw`SELECT rev::text FROM record WHERE rev = ANY(${list}::text[]::atid.tid[]) ORDER BY rev`)
      .map((row) => row.rev),
  array: async () => (await prisma.$queryRaw`SELECT array_agg(rev ORDER BY rev) AS a FROM record`)[0].a,
  arrayText: async () => (await prisma.$queryRaw`SELECT array_agg(rev ORDER BY rev)::text[] AS a FROM record`)[0].a,
  page: (cursor) => revs({ rev: { gt: cursor } }, { take: 2 }),
  setPrev: async (rev, prev) => (await record.update({ where: { rev }, data: { prev } })).prev,
  values: (data) => record.create({ data, select: { rkey: true, cid: true, author: true, uri: true } }),
  refused: (rkey) => prisma.$transaction((tx) => tx.record.create({ data: { rkey } })),
})
await prisma.$disconnect()
