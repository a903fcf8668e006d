// The schema of the database: made by init, brought up to date by upgrade, and checked by run.
//
// sql/install.sql names the files in their order: the migrations, each of which is run once and
// never changes, and the files of functions, which are run anew by each upgrade. The database knows
// which migrations it has, and in indexer.program which functions: the version of the package, and
// the SHA-256 of the files.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as log from '../ops/log.js';
import { holderOf, Problem } from './connection.js';

const SQL = new URL('../../sql/', import.meta.url);
const read = (name) => readFileSync(new URL(name, SQL), 'utf8');
const PACKAGE = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
export const VERSION = PACKAGE.version;

// The oldest versions of the extensions that have what the functions call: { name: version }.
const NEEDED = Object.fromEntries(
  Object.entries(PACKAGE.extensions).map(([name, range]) => [name, range.replace('>=', '')]),
);
export const needed = () =>
  Object.entries(NEEDED)
    .map((pair) => pair.join(' '))
    .join(' and ');

const DENIED = '42501'; // SQLSTATE

// The files of install.sql: [{ name, n }], n of migrations.
function files() {
  return read('install.sql')
    .split('\n')
    .flatMap((line) => {
      const name = /^\\ir\s+(\S+)\s*$/.exec(line)?.[1];
      const n = /^migrations\/(\d+)\.sql$/.exec(name)?.[1];
      return name ? [{ name, n: n === undefined ? null : Number(n) }] : [];
    });
}

// What this program is for. It is read once: the files may be replaced while it runs.
let own = null;
function ours() {
  if (own) return own;
  const all = files();
  const digest = createHash('sha256');
  for (const { name } of all.filter((f) => f.n === null)) digest.update(`${name}\n${read(name)}`);
  own = { all, newest: Math.max(...all.map((f) => f.n ?? 0)), digest: digest.digest('hex') };
  return own;
}

// What the database has: null, or { newest, version, digest }.
async function theirs(client) {
  const {
    rows: [{ made }],
  } = await client.query("SELECT to_regclass('indexer.migration') IS NOT NULL AS made");
  if (!made) return null;
  const {
    rows: [row],
  } = await client.query(
    'SELECT (SELECT max(n) FROM indexer.migration) AS newest, version, digest ' +
      'FROM (SELECT) AS one LEFT JOIN indexer.program ON true',
  );
  return row;
}

// Trying again does not help.
export const fatal = (text) => Object.assign(new Problem(text), { fatal: true });

// Is the schema the one that this program is for?
export async function checkSchema(client) {
  const { newest, digest } = ours();
  const there = await theirs(client);
  if (!there) {
    throw fatal('There is no schema indexer in this database. Run "atid-indexer init".');
  }
  if (there.newest > newest || isNewer(there.version)) {
    throw fatal(
      `The schema is of version ${there.version}, newer than this program, ${VERSION}. Install it.`,
    );
  }
  if (there.newest < newest || there.digest !== digest) {
    throw fatal(
      `The schema is of version ${there.version}, this program of ${VERSION}. Run "atid-indexer upgrade".`,
    );
  }
}

// Others that change the schema or the views wait, until the transaction ends.
export async function lockSchema(client) {
  const name = 'atid-indexer schema';
  if (
    (await client.query('SELECT pg_try_advisory_xact_lock(hashtext($1)) AS ours', [name])).rows[0]
      .ours
  )
    return;
  log.info(
    `another program changes the schema${await holderOf(client, name)}: waiting until it ends`,
  );
  await client.query('SELECT pg_advisory_xact_lock(hashtext($1))', [name]);
}

// Makes the schema, or brings it up to date, in one transaction that the others wait for. citus:
// the tables are, or are to be, distributed.
export async function install(client, { role = null, citus = false, fresh }) {
  const { all, newest, digest } = ours();
  await client.query('BEGIN');
  try {
    await lockSchema(client);
    await client.query('SET LOCAL client_min_messages = warning');
    // for Citus, which otherwise changes shards by several connections, and refuses what comes
    // after that
    await client.query('SET LOCAL citus.multi_shard_modify_mode = sequential');
    await refuseOthers(client, 'indexer');
    const before = await theirs(client);
    if (fresh && before)
      throw new Problem(
        `There is a schema indexer of version ${before.version} in this database. Run "atid-indexer upgrade".`,
      );
    if (!fresh && before && (before.newest > newest || isNewer(before.version))) {
      throw new Problem(
        `The schema is of version ${before.version}, newer than this program, ${VERSION}.`,
      );
    }
    const example = before ? undefined : await exampleSchema(client);
    if (example !== undefined) {
      throw new Problem(
        `The schema ${example} has the tables of the example of 1.2, which this version does not take over. ` +
          'Run "upgrade" of atid-indexer 1.3.3 first.',
      );
    }
    if (!fresh && !before)
      throw new Problem('There is nothing to upgrade in this database. Run "atid-indexer init".');
    const distributed = citus || (await isDistributed(client));
    if (distributed && before?.newest < SPLIT)
      throw new Problem(
        `On Citus a schema of version ${before.version} cannot be upgraded to this version. ` +
          'Run "upgrade" of atid-indexer 1.3.3 first.',
      );
    await extensions(client);
    if (!before) await ownSchema(client, 'indexer');
    await client.query('SET LOCAL search_path = indexer, pg_temp');
    const has = new Set(
      before ? (await client.query('SELECT n FROM indexer.migration')).rows.map((r) => r.n) : [],
    );
    for (const { name, n } of all) {
      if (n === null || !has.has(n)) await script(client, name, distributed && before);
    }
    if (distributed) await script(client, 'citus.sql');
    await client.query(
      'INSERT INTO indexer.program (version, digest) VALUES ($1, $2) ' +
        'ON CONFLICT (one) DO UPDATE SET version = excluded.version, digest = excluded.digest, at = now()',
      [VERSION, digest],
    );
    for (const name of [...new Set([...(await workersRoles(client)), ...(role ? [role] : [])])])
      await grant(client, name);
    await client.query('COMMIT');
    return { before };
  } catch (e) {
    await client.query('ROLLBACK').catch(() => {});
    throw await ownersProblem(client, e);
  }
}

// Who owns what "init", "upgrade" and "up" change. They need the rights of an owner, which
// no grant gives.
export async function ownersProblem(client, e) {
  if (e.code !== DENIED) return e;
  const {
    rows: [{ me, database, schema, others }],
  } = await client.query(`SELECT current_user AS me, pg_get_userbyid(datdba) AS database,
      (SELECT pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = 'indexer') AS schema,
      (SELECT string_agg(DISTINCT pg_get_userbyid(c.relowner)::text, ', ')
       FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
       WHERE n.nspname = 'indexer' AND pg_get_userbyid(c.relowner) <> current_user) AS others
    FROM pg_database WHERE datname = current_database()`);
  const owners = [
    `the database belongs to ${database}`,
    ...(schema ? [`the schema indexer to ${schema}`] : []),
    ...(others ? [`tables in it to ${others}`] : []),
  ];
  return new Problem(
    `${e.message}. The role is ${me}, but ${owners.join(', ')}. Run this as the owner.`,
  );
}

// Sees that a schema is ours, if it is there: its owner could change what is in it, and what we
// call there would run with our rights. A superuser gains nothing by that. Returns whether it is
// there.
export async function refuseOthers(client, name) {
  const { rows } = await client.query(
    `SELECT r.rolname AS owner, r.rolname = current_user OR r.rolsuper AS ours
     FROM pg_namespace JOIN pg_roles AS r ON r.oid = nspowner WHERE nspname = $1`,
    [name],
  );
  if (rows.length > 0 && !rows[0].ours)
    throw new Problem(
      `The schema ${name} belongs to ${rows[0].owner}: run this as that role, or drop the schema.`,
    );
  return rows.length > 0;
}

// Makes a schema, or sees that it is ours. (CREATE SCHEMA IF NOT EXISTS would need CREATE on the
// database, be the schema there or not.)
export async function ownSchema(client, name) {
  if (!(await refuseOthers(client, name)))
    await client.query(`CREATE SCHEMA ${client.escapeIdentifier(name)}`);
}

const SPLIT = 3; // the last migration that is not split at lines "--> next"

// Runs a file. Of several statements in one message, Citus sends all to its workers if one changes
// a distributed table: there a migration goes in parts.
async function script(client, name, inParts) {
  const text = read(name);
  try {
    for (const part of inParts ? parts(text) : [text]) await client.query(part);
  } catch (e) {
    if (e.severity) e.message = `${name}: ${e.message}`;
    throw e;
  }
}

// What stands between the lines "--> next" of a file.
export const parts = (text) => text.split(/^--> next$/m);

export function isNewer(version, than = VERSION) {
  const parts = (v) =>
    String(v)
      .split(/[.-]/)
      .map((p) => Number(p) || 0);
  const [a, b] = [parts(version), parts(than)];
  const i = a.findIndex((n, at) => n !== (b[at] ?? 0));
  return i >= 0 && a[i] > (b[i] ?? 0);
}

// Creates the extensions, or sees that those that are there are new enough.
export async function extensions(client) {
  const {
    rows: [{ encoding, there }],
  } = await client.query(
    "SELECT current_setting('server_encoding') AS encoding, " +
      "EXISTS (SELECT FROM pg_extension WHERE extname = 'atid_crypto') AS there",
  );
  if (encoding !== 'UTF8')
    throw new Problem(`The encoding of the database must be UTF8, not ${encoding}.`);
  if (!there) {
    await client.query('SAVEPOINT extensions');
    try {
      await client.query('CREATE EXTENSION atid_crypto CASCADE');
    } catch (e) {
      throw await extensionProblem(client, e);
    }
  }
  await newEnough(client);
}

const NO_FILES = ['0A000', '58P01']; // "is not available", and a file that is missing

async function extensionProblem(client, e) {
  const text = [`The extensions cannot be created: ${e.message}`, e.detail, e.hint]
    .filter(Boolean)
    .map((part) => part.replace(/\.$/, ''))
    .join('. ');
  if (e.code === DENIED)
    return new Problem(
      `${text}. Have a role with this right run "CREATE EXTENSION atid_crypto CASCADE".`,
    );
  if (!NO_FILES.includes(e.code)) return new Problem(`${text}.`);
  await client.query('ROLLBACK TO SAVEPOINT extensions');
  const {
    rows: [{ version }],
  } = await client.query("SELECT current_setting('server_version') AS version");
  return new Problem(
    `${text}. Install the files of ${needed()}, or later, for PostgreSQL ${version} on the machine ` +
      'of the server: doc/install.md.',
  );
}

async function newEnough(client) {
  const { rows } = await client.query(
    'SELECT extname AS name, extversion AS version FROM pg_extension WHERE extname = ANY ($1) ORDER BY 1',
    [Object.keys(NEEDED)],
  );
  const old = rows.find(({ name, version }) => isNewer(NEEDED[name], version));
  if (!old) return;
  const { name, version } = old;
  const {
    rows: [files],
  } = await client.query(
    `SELECT (SELECT default_version FROM pg_available_extensions WHERE name = $1) AS version,
      current_setting('server_version') AS server`,
    [name],
  );
  const first =
    files.version === null || isNewer(NEEDED[name], files.version)
      ? `install its files for PostgreSQL ${files.server} on the machine of the server (doc/install.md), then `
      : '';
  throw new Problem(
    `The extension ${name} is of version ${version} in this database, and ${NEEDED[name]} or later is needed: ` +
      `${first}ALTER EXTENSION ${name} UPDATE.`,
  );
}

// The schema with our tables of the example of 1.2, if there is one.
async function exampleSchema(client) {
  const { rows } = await client.query(
    `SELECT relnamespace::regnamespace::text AS name FROM pg_class
     WHERE relname IN ('account', 'identity', 'record', 'reference', 'stream', 'want', 'bad', 'waiting')
       AND relkind IN ('r', 'p') AND relowner IN (SELECT oid FROM pg_roles WHERE rolname = current_user OR rolsuper)
     GROUP BY relnamespace HAVING count(*) = 8 ORDER BY relnamespace LIMIT 1`,
  );
  return rows[0]?.name;
}

async function isDistributed(client) {
  const {
    rows: [{ there }],
  } = await client.query(
    "SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL " +
      "AND to_regclass('indexer.account') IS NOT NULL AS there",
  );
  if (!there) return false;
  return (
    (
      await client.query(
        "SELECT FROM pg_dist_partition WHERE logicalrelid = 'indexer.account'::regclass",
      )
    ).rows.length > 0
  );
}

// Tables that the program only reads.
const READ_ONLY = [
  'migration',
  'program',
  'code',
  'settings',
  'activity_bound',
  'view_type',
  'view_column',
  'view_index',
  'view_reference',
  'labeler',
];

// The roles that a program runs as: all but the owner that may change accounts.
async function workersRoles(client) {
  const { rows } = await client.query(`SELECT DISTINCT pg_get_userbyid(a.grantee) AS name
    FROM pg_class AS c CROSS JOIN aclexplode(c.relacl) AS a
    WHERE c.oid = 'indexer.account'::regclass AND a.privilege_type = 'UPDATE' AND a.grantee NOT IN (0, c.relowner)`);
  return rows.map((r) => r.name);
}

// A role with the rights that run needs. Those that it has are left to it.
async function grant(client, role) {
  const name = client.escapeIdentifier(role);
  const {
    rows: [{ there, db }],
  } = await client.query(
    'SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1) AS there, current_database() AS db',
    [role],
  );
  if (!there) await client.query(`CREATE ROLE ${name} LOGIN`);
  const {
    rows: [{ written }],
  } = await client.query(
    `SELECT string_agg(c.oid::regclass::text, ', ') AS written FROM pg_class AS c
    WHERE c.relnamespace = 'indexer'::regnamespace AND c.relkind IN ('r', 'p') AND c.relname <> ALL ($1)`,
    [READ_ONLY],
  );
  for (const right of [
    `TEMPORARY ON DATABASE ${client.escapeIdentifier(db)}`,
    'USAGE ON SCHEMA indexer',
    'SELECT ON ALL TABLES IN SCHEMA indexer',
    `INSERT, UPDATE, DELETE ON ${written}`,
  ])
    await client.query(`GRANT ${right} TO ${name}`);
}
