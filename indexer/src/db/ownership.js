// The owners of the schemas: a schema that somebody else owns is not trusted.
import { Problem, SQLSTATE } from './errors.js';
import { rowOf } from './query.js';

// The schemas in which users have views and functions of their own: doc/feeds.md.
export const OF_USERS = ['xrpc', 'feed'];

// The functions that only the login of the API may call.
export const OF_READER = [
  'xrpc.verify(text, text, text)',
  'xrpc.enter(text, text, text)',
  'xrpc.feed_named(text, text)',
  'xrpc.feed_uris(text)',
];

/** @typedef {import('./query.js').Queryable} Queryable */
/** @typedef {import('pg').Client} Client */

/**
 * Turns a denied right into a problem that names the owners: "init", "upgrade" and "up" need the
 * rights of an owner, which cannot be granted. Other errors are returned as they are.
 * @param {Queryable} client
 * @param {import('./errors.js').AnyError} e
 */
export async function ownersProblem(client, e) {
  if (e.code !== SQLSTATE.denied) return e;
  const { me, database, schema, others } = await rowOf(
    client,
    `SELECT current_user AS me, pg_get_userbyid(datdba) AS database,
      (SELECT pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = 'indexer') AS schema,
      (SELECT string_agg(DISTINCT pg_get_userbyid(c.relowner)::text, ', ')
       FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
       WHERE n.nspname = 'indexer' AND pg_get_userbyid(c.relowner) <> current_user) AS others
    FROM pg_database WHERE datname = current_database()`,
  );
  const owners = [
    `the database belongs to ${database}`,
    ...(schema ? [`the schema indexer to ${schema}`] : []),
    ...(others ? [`tables in it to ${others}`] : []),
  ];
  return new Problem(
    `${e.message}. The role is ${me}, but ${owners.join(', ')}. Run this as the owner.`,
  );
}

/**
 * Refuses a schema that belongs to somebody else, who could replace functions in it that would then
 * run with our rights. A superuser would gain nothing by that. Returns whether the schema exists.
 * @param {Queryable} client
 * @param {string} name
 */
export async function refuseOthers(client, name) {
  const schema = await rowOf(
    client,
    `SELECT r.rolname AS owner, r.rolname = current_user OR r.rolsuper AS ours
     FROM pg_namespace JOIN pg_roles AS r ON r.oid = nspowner WHERE nspname = $1`,
    [name],
  );
  if (schema === undefined) return false;
  if (!schema.ours)
    throw new Problem(
      `The schema ${name} belongs to ${schema.owner}: run this as that role, or drop the schema.`,
    );
  return true;
}

/**
 * Creates a schema, unless it exists and is ours. (CREATE SCHEMA IF NOT EXISTS would need CREATE on
 * the database in both cases.)
 * @param {Client} client
 * @param {string} name
 */
export async function ownSchema(client, name) {
  if (!(await refuseOthers(client, name)))
    await client.query(`CREATE SCHEMA ${client.escapeIdentifier(name)}`);
}

/**
 * Likewise for the schemas of users, which an upgrade creates: the owner of an older schema indexer
 * may lack the right.
 * @param {Client} client
 */
export async function ownUsersSchemas(client) {
  for (const name of OF_USERS)
    await ownSchema(client, name).catch((e) => {
      if (e.code !== SQLSTATE.denied) throw e;
      throw new Problem(
        `${e.message}: this role cannot create the schema ${name}. Have the database's owner ` +
          `run "CREATE SCHEMA ${name} AUTHORIZATION ${process.env.PGUSER ?? 'ROLE'}".`,
      );
    });
}
