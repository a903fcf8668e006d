// The extensions that the schema needs.
import { Problem, SQLSTATE } from './errors.js';
import { rowOf, rowsOf } from './query.js';
import { isNewer, NEEDED, needed } from './versions.js';

/** @typedef {import('./query.js').Queryable} Queryable */

const NO_FILES = ['0A000', '58P01']; // "is not available", and a file that is missing

/**
 * Creates the extensions, or refuses existing ones that are too old.
 * @param {Queryable} client
 */
export async function createExtensions(client) {
  const { encoding, there } = await rowOf(
    client,
    `SELECT current_setting('server_encoding') AS encoding,
       EXISTS (SELECT FROM pg_extension WHERE extname = 'atid_crypto') AS there`,
  );
  if (encoding !== 'UTF8')
    throw new Problem(`The encoding of the database must be UTF8, not ${encoding}.`);
  if (!there) {
    await client.query('SAVEPOINT extensions');
    try {
      await client.query('CREATE EXTENSION atid_crypto CASCADE');
    } catch (/** @type {any} */ e) {
      throw await extensionProblem(client, e);
    }
  }
  await refuseOld(client);
}

/**
 * @param {Queryable} client
 * @param {import('./errors.js').AnyError} e
 */
async function extensionProblem(client, e) {
  const text = [`The extensions cannot be created: ${e.message}`, e.detail, e.hint]
    .filter((part) => part !== undefined)
    .map((part) => part.replace(/\.$/, ''))
    .join('. ');
  if (e.code === SQLSTATE.denied)
    return new Problem(
      `${text}. Have a role with this right run "CREATE EXTENSION atid_crypto CASCADE".`,
    );
  if (!NO_FILES.includes(e.code ?? '')) return new Problem(`${text}.`);
  await client.query('ROLLBACK TO SAVEPOINT extensions');
  const { version } = await rowOf(client, "SELECT current_setting('server_version') AS version");
  return new Problem(
    `${text}. Install the files of ${needed()}, or later, for PostgreSQL ${version} on the ` +
      'machine of the server: doc/install.md.',
  );
}

/** @param {Queryable} client */
async function refuseOld(client) {
  const all = await rowsOf(
    client,
    `SELECT extname AS name, extversion AS version FROM pg_extension
     WHERE extname = ANY ($1) ORDER BY 1`,
    [Object.keys(NEEDED)],
  );
  const old = all.find(({ name, version }) => isNewer(NEEDED[name], version));
  if (!old) return;
  const { name, version } = old;
  const files = await rowOf(
    client,
    `SELECT (SELECT default_version FROM pg_available_extensions WHERE name = $1) AS version,
       current_setting('server_version') AS server`,
    [name],
  );
  const first =
    files.version === null || isNewer(NEEDED[name], files.version)
      ? `install its files for PostgreSQL ${files.server} on the machine of the server ` +
        '(doc/install.md), then '
      : '';
  throw new Problem(
    `The extension ${name} has version ${version} in this database, but ${NEEDED[name]} or ` +
      `later is needed: ${first}ALTER EXTENSION ${name} UPDATE.`,
  );
}
