// Connections to the database.
//
// Each kind of work has its own connections, so that none waits for another: the lock, each shard,
// loads, other answers, and the small queries between them. All of them need the settings that they
// send when they connect; if a pooler drops these, the connection is refused.
import { userInfo } from 'node:os';
import pg from 'pg';
import { poolerProblem } from './errors.js';
import { rowOf } from './query.js';

// Whatever the settings of the role are, statements have no time limit and see all rows.
// atid_indexer.direct shows that these settings have arrived.
const OPTIONS = [
  'default_transaction_isolation=read\\ committed',
  'default_transaction_read_only=off', // some hosts, or roles for reading, set it
  'statement_timeout=0',
  'lock_timeout=0',
  'idle_session_timeout=0',
  'idle_in_transaction_session_timeout=0',
  // a client that has disappeared holds no lock for hours
  'tcp_keepalives_idle=30',
  'tcp_keepalives_interval=10',
  'tcp_keepalives_count=3',
  'client_connection_check_interval=10s',
  'datestyle=ISO',
  'timezone=UTC',
  'atid_indexer.direct=1',
];

// So no statement calls a function that somebody else has created. (The login with which the API
// reads has nothing to lose.)
export const PATH = 'search_path=pg_catalog,pg_temp';

// Without PGUSER it is the operating system's user, as in libpq; in a container that may have no
// name.
function userName() {
  try {
    return process.env.PGUSER || userInfo().username;
  } catch {
    return undefined;
  }
}

/**
 * The settings of a connection. name: that of the work that it serves.
 * @param {string} name
 * @param {string[]} [more] further settings
 */
export const config = (name, more = []) => ({
  user: userName(),
  database: process.env.PGDATABASE || userName(),
  keepAlive: true,
  // without it, a server that has vanished is noticed only after two hours
  keepAliveInitialDelayMillis: 30e3,
  connectionTimeoutMillis: 30e3,
  application_name: `atid-indexer ${name}`,
  fallback_application_name: 'atid-indexer',
  options: [process.env.PGOPTIONS ?? '', ...OPTIONS, ...more].join(' -c '),
});

/**
 * @param {string} name
 * @param {string[]} [more]
 */
export async function connect(name, more = []) {
  const client = new pg.Client(config(name, [PATH, ...more]));
  client.on('error', () => {}); // the next statement fails with it
  await client.connect();
  const { direct } = await rowOf(
    client,
    "SELECT current_setting('atid_indexer.direct', true) AS direct",
  );
  if (direct === '1') return client;
  await client.end();
  throw poolerProblem();
}
