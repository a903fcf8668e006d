// The database: connections, and which errors mean that it is lost.
//
// Work of different kinds has connections of its own, so that none waits for another: the lock,
// each taker, loads, other answers, and the small questions between them. All of them need the
// settings that they send when they connect; where a pooler drops these, they are refused.
import { userInfo } from 'node:os';
import pg from 'pg';
import { SERVER_ERRORS } from '../protocol/codes.js';
import { Failure } from '../protocol/failure.js';
import { clean } from '../protocol/text.js';

// Whatever the role's settings are: a statement may take its time and sees all that is there.
// atid_indexer.direct shows that these settings have arrived.
const OPTIONS = [
  'default_transaction_isolation=read\\ committed',
  'default_transaction_read_only=off', // as some hosts set it, or a role that also reads
  'statement_timeout=0',
  'lock_timeout=0',
  'idle_session_timeout=0',
  'idle_in_transaction_session_timeout=0',
  // who is not there any more holds no lock for hours
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
const PATH = 'search_path=pg_catalog,pg_temp';

export class Problem extends Error {} // for people: its message says all

export const REPOSITORIES = 'atid-indexer repositories'; // the lock's name: accounts are of one stream

// worker: may the role do the program's work? A name of an application can be anybody's, but not a
// role.
const HOLDER = `SELECT a.usename AS role, a.application_name AS application, a.pid,
    coalesce(has_table_privilege(a.usesysid, to_regclass('indexer.account'), 'UPDATE'), true) AS worker
  FROM pg_locks AS l JOIN pg_stat_activity AS a ON a.pid = l.pid AND a.datname = current_database()
  WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
    AND l.classid::bigint << 32 | l.objid::bigint = hashtext($1)::bigint`;

// Who has the advisory lock of a name: { role, application, pid, worker }, or undefined.
export const lockHolder = async (client, name) => (await client.query(HOLDER, [name])).rows[0];

// Who has a lock of the program without the right to do its work, and what ends that; or null.
export const intruderOf = (who) =>
  who && !who.worker
    ? `the lock of this program is held by the role ${clean(who.role, 100)}, process ${who.pid}, which has no right to ` +
      `do its work (SELECT pg_terminate_backend(${who.pid}) ends it)`
    : null;

// Who has a lock, in brackets, as far as one may see it.
export const nameOf = (who) =>
  who ? clean(` (role ${who.role}, ${who.application || 'unnamed'}, process ${who.pid})`, 500) : '';
export const holderOf = async (client, name) => nameOf(await lockHolder(client, name));

// Without PGUSER the system's user, as libpq has it; in a container it may have no name.
function userName() {
  try {
    return process.env.PGUSER || userInfo().username;
  } catch {
    return undefined;
  }
}

export const config = (name, more = []) => ({
  user: userName(),
  database: process.env.PGDATABASE || userName(),
  keepAlive: true,
  keepAliveInitialDelayMillis: 30e3, // without it, it is two hours until a server that has vanished is missed
  connectionTimeoutMillis: 30e3,
  application_name: `atid-indexer ${name}`,
  fallback_application_name: 'atid-indexer',
  options: [process.env.PGOPTIONS ?? '', ...OPTIONS, ...more].join(' -c '),
});

const LOST =
  /^(Connection terminated|Client (was|has) |timeout e|Cannot use a pool|the connection that)/;

// Is the connection or the server gone? (An error of the server has a severity; one of the driver's
// has none.)
export function isLost(e) {
  if (e instanceof Problem || e instanceof Failure) return false;
  if (e.severity !== undefined) return /^(08|57P0[1-5])/.test(e.code ?? '');
  return /^E[A-Z]+$/.test(e.code ?? '') || LOST.test(e.message);
}

// Is it the server's own trouble, such as a full disk or a deadlock? Then it is no fault of what
// was to be written.
export const isOfServer = ({ code = '' }) =>
  code.length === 5 && (SERVER_ERRORS.includes(code) || SERVER_ERRORS.includes(code.slice(0, 2)));

// Is it an error of a value, such as an answer that no type of the database can hold?
export const isOfValue = (e) => /^(22|54)/.test(e.code ?? '');

// Is it an error of the database's functions, such as one that is missing? Then trying again does
// not help.
export const isOfProgram = (e) => /^42/.test(e.code ?? '') && e.severity !== undefined;

// The message of an error, for the log and for people.
export function told(e) {
  if (e instanceof Failure) return e.origin ? `${e.origin}: ${e.message}` : e.message;
  const problem = problemOf(e);
  return problem
    ? problem.message
    : clean(
        [e.message || e.code || String(e), e.detail]
          .filter(Boolean)
          .join(': ')
          .replace(/\s+/g, ' '),
        1000,
      );
}

// Known problems with connections, in words that say what to do.
function problemOf(e) {
  if (e instanceof Problem) return e;
  const message = String(e.message);
  if (/unsupported startup parameter/.test(message)) {
    return new Problem(
      'A pooler such as pgbouncer is between this program and the server, and refuses its settings. ' +
        'Set PGHOST and PGPORT to the server itself: the program holds a lock and must not share its connections.',
    );
  }
  if (/SASL|client password must be a string/i.test(message) && e.severity === undefined) {
    return new Problem(
      'The server asks for a password. Set PGPASSWORD, and ATID_API_DB_PASSWORD for the login that ' +
        'reads the views, or put a line "host:port:database:user:password" into ~/.pgpass, which nobody ' +
        'else may read (chmod 600).',
    );
  }
  if (
    e.code === '3F000' ||
    (e.code === '42P01' && /indexer\./.test(message)) ||
    (e.code === '42883' && /indexer\./.test(message))
  ) {
    return new Problem(
      /atid/.test(message)
        ? 'The extension atid_crypto is not in this database: CREATE EXTENSION atid_crypto CASCADE.'
        : 'The schema indexer is not here, or is an older one. Run "atid-indexer init" or "atid-indexer upgrade".',
    );
  }
  if (e.code === '42501')
    return new Problem(
      `${message}: the role lacks a right. The owner of the schema indexer grants what run needs by "atid-indexer upgrade ` +
        '--role NAME"; init, upgrade and up are run as that owner.',
    );
  if (e.code === '28P01')
    return new Problem(`${message}. PGPASSWORD or ~/.pgpass must have the password of this role.`);
  if (e.code === '28000' && process.env.PGHOST?.startsWith('/')) {
    return new Problem(
      `${message}. By a socket the server may let in only users of the system: then set PGHOST=localhost, and a password.`,
    );
  }
  if (e.code === '28000' || e.code === '3D000')
    return new Problem(`${message}. PGHOST, PGPORT, PGUSER and PGDATABASE say where to connect.`);
  const code = e.code ?? e.errors?.[0]?.code;
  if (
    code === 'ECONNREFUSED' ||
    code === 'ENOTFOUND' ||
    (code === 'ENOENT' && /connect/.test(message))
  ) {
    return new Problem(
      `No PostgreSQL server answers there: ${e.errors?.[0]?.message ?? message}. PGHOST and PGPORT say where it is.`,
    );
  }
  return null;
}

export async function connect(name, more = []) {
  const client = new pg.Client(config(name, [PATH, ...more]));
  client.on('error', () => {}); // the next statement says it
  await client.connect();
  const {
    rows: [{ direct }],
  } = await client.query("SELECT current_setting('atid_indexer.direct', true) AS direct");
  if (direct !== '1') {
    await client.end();
    throw new Problem(
      'A pooler such as pgbouncer is between this program and the server, and drops its settings. ' +
        'Set PGHOST and PGPORT to the server itself: the program holds a lock and must not share its connections.',
    );
  }
  return client;
}

export class Pool {
  constructor(name, max, more = []) {
    this.pool = new pg.Pool({ ...config(name, [PATH, ...more]), max, connectionTimeoutMillis: 0 });
    this.pool.on('error', () => {});
  }

  async rows(text, values) {
    return (await this.pool.query(text, values)).rows;
  }
  async row(text, values) {
    return (await this.rows(text, values))[0];
  }
  end() {
    return this.pool.end();
  }
}

const IN_TIME = 2000; // ms
const GIVEN_UP = 10e3; // ms: of a server that has vanished TCP would tell after a quarter of an hour

// One connection for those who cannot wait, such as probes. A query has IN_TIME; while one takes
// longer, others fail at once, so that they are not sent one by one when the server answers again.
// After GIVEN_UP its connection is dropped. open makes a connection, which ends by itself if that
// takes long.
export class Probe {
  constructor(open) {
    Object.assign(this, {
      open,
      client: null,
      last: Promise.resolve(),
      isLate: false,
      isOver: false,
    });
  }

  async rows(...query) {
    if (this.isLate) throw new Error('the database does not answer');
    const answer = this.last.then(() => this.ask(query));
    this.last = answer.catch(() => {});
    let timer;
    const late = new Promise((resolve, reject) => {
      timer = setTimeout(() => {
        this.isLate = true;
        this.last.finally(() => (this.isLate = false));
        reject(new Error('the database does not answer'));
      }, IN_TIME);
    });
    try {
      return await Promise.race([answer, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  async ask(query) {
    if (this.client === null) {
      this.client = await this.open();
      const { client } = this;
      client.on('error', () => {}).once('end', () => this.forget(client));
      if (this.isOver) this.end();
    }
    const { client } = this;
    const timer = setTimeout(() => client.connection.stream.destroy(), GIVEN_UP);
    try {
      return (await client.query(...query)).rows;
    } catch (e) {
      if (isLost(e)) this.forget(client);
      throw e;
    } finally {
      clearTimeout(timer);
    }
  }

  forget(client) {
    if (this.client === client) this.client = null;
  }

  // It does not wait for the server.
  end() {
    this.isOver = true;
    this.client?.connection.stream.destroy();
  }
}
