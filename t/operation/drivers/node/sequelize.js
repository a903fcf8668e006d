// sequelize 6, with the data type of doc/clients.md (recipe_sequelize.js, from the test); sync() makes the table
import { DataTypes, Op, Sequelize } from 'sequelize'
import { atid } from './recipe_sequelize.js'
import { ASIDE, COLUMNS, run } from './scenario.js'

const sequelize = new Sequelize(process.env.PGDATABASE, process.env.PGUSER, '', {
  dialect: 'postgres', host: process.env.PGHOST, port: process.env.PGPORT, logging: false, pool: { max: 1 },
})
const generated = sequelize.literal('atid.tid_generate()')
const Record = sequelize.define('record', {
  rkey: { type: atid('rkey'), primaryKey: true, defaultValue: generated },
  rev: { type: atid('tid'), allowNull: false, unique: true, defaultValue: generated },
  prev: atid('tid'),
  cid: atid('cid_link'),
  author: atid('did'),
  uri: atid('at_uri'),
}, { freezeTableName: true, timestamps: false })

const revs = async (where, more = {}) =>
  (await Record.findAll({ where, order: ['rev'], raw: true, ...more })).map((row) => row.rev)
const one = async (query) => (await sequelize.query(query, { plain: true })).a

await sequelize.query(ASIDE)
await sequelize.sync()
console.log(`sync\t${(await one(COLUMNS)) ?? 'ok'}`)

await run({
  insert: () => Record.create({}),
  find: (rev) => revs({ rev }),
  any: (list) => revs({ rev: list }),
  anyCast: (list) => revs(sequelize.literal(`rev = ANY(${sequelize.escape(`{${list}}`)}::atid.tid[])`)),
  array: () => one('SELECT array_agg(rev ORDER BY rev) AS a FROM record'),
  arrayText: () => one('SELECT array_agg(rev ORDER BY rev)::text[] AS a FROM record'),
  page: (cursor) => revs({ rev: { [Op.gt]: cursor } }, { limit: 2 }),
  setPrev: async (rev, prev) => (await Record.update({ prev }, { where: { rev }, returning: true }))[1][0].prev,
  values: async (row) => {
    const { rkey, cid, author, uri } = await Record.create(row)
    return { rkey, cid, author, uri }
  },
  refused: (rkey) => sequelize.transaction((transaction) => Record.create({ rkey }, { transaction })),
})
const many = await Record.bulkCreate([{}, { prev: '3k2hwfvx7k22l' }], { returning: true })
const written = many.map((record) => record.rev.length).join() === '13,13' && many[1].prev
console.log(`bulk\t${written === '3k2hwfvx7k22l' ? 'ok' : JSON.stringify(many)}`)
await sequelize.close()
