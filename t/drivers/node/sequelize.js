// sequelize 6. A data type of the client's own that writes the type's whole name.
import { DataTypes, Op, Sequelize } from 'sequelize'
import { run } from './scenario.js'

const sequelize = new Sequelize(process.env.PGDATABASE, process.env.PGUSER, '', {
  dialect: 'postgres', host: process.env.PGHOST, port: process.env.PGPORT, logging: false, pool: { max: 1 },
})
const atid = (name) => {
  class Type extends DataTypes.ABSTRACT {
    toSql() { return `atid.${name}` }
  }
  Type.prototype.key = Type.key = `atid.${name}`
  return new Type()
}
const generated = sequelize.literal('atid.tid_generate()')
const Record = sequelize.define('record', {
  rkey: { type: atid('rkey'), primaryKey: true, defaultValue: generated },
  rev: { type: atid('tid'), defaultValue: generated },
  prev: atid('tid'),
  cid: atid('cid_link'),
  author: DataTypes.TEXT,
  uri: DataTypes.TEXT,
}, { freezeTableName: true, timestamps: false })

const revs = async (where, more = {}) =>
  (await Record.findAll({ where, order: ['rev'], raw: true, ...more })).map((row) => row.rev)
const one = async (query) => (await sequelize.query(query, { plain: true })).a

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
await sequelize.close()
