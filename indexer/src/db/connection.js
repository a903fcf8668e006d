// Connections to the database.
//
// Work of different kinds has connections of its own, so that none waits for another: the lock,
// each shard, loads, other answers, and the small questions between them. All of them need the
// settings that they send when they connect; where a pooler drops these, they are refused.
import { userInfo } from 'node:os';
import pg from 'pg';
import { poolerProblem } from './errors.js';
import { rowOf } from './query.js';

// Whatever the role's settings are: a statement may take its time and sees all that is there.
// atid_indexer.direct shows that these settings have arrived.
const OPTIONS = [
  'default_transaction_isolation=read\\ committed',
  'default_transaction_read_only=off', // as some hosts set it, or a role that also reads
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

// A statement finds no function that somebody has made. (The login by which the API reads has
// nothing to lose.)
export const PATH = 'search_path=pg_catalog,pg_temp';

// Without PGUSER the system's user, as libpq has it; in a container it may have no name.
function userName() {
  try {
    return process.env.PGUSER || userInfo().username;
  } catch {
    return undefined;
  }
}

/**
 * The settings of a connection. name: of the work that it is for.
 * @param {string} name
 * @param {string[]} [more] further settings
 */
export const config = (name, more = []) => ({
  user: userName(),
  database: process.env.PGDATABASE || userName(),
  keepAlive: true,
  // without it, it is two hours until a server that has vanished is missed
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
