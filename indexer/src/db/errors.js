// Errors of the database and of its driver: what each means, and its message for people.
import { SERVER_ERRORS } from '../protocol/codes.js';
import { Failure } from '../protocol/failure.js';
import { clean } from '../protocol/text.js';

/**
 * Any error. One of the server has a severity and an SQLSTATE, one of Node has its code.
 * @typedef {Error & { code?: string, severity?: string, detail?: string, hint?: string, where?:
 *   string, errors?: any[], fatal?: boolean }} AnyError
 */

/** An error for people: its message contains all that they need. */
export class Problem extends Error {
  fatal = false; // trying again does not help
}

/**
 * A problem that ends the program.
 * @param {string} text
 */
export const fatal = (text) => Object.assign(new Problem(text), { fatal: true });

/**
 * @param {string} text
 */
export const lostConnection = (text) => Object.assign(new Error(text), { code: 'ELOST' });

export const SQLSTATE = {
  protocolViolation: '08P01',
  undefinedSchema: '3F000',
  undefinedTable: '42P01',
  undefinedFunction: '42883',
  undefinedDatabase: '3D000',
  denied: '42501',
  wrongPassword: '28P01',
  notAllowed: '28000',
  deadlock: '40P01',
  lockNotAvailable: '55P03',
  checkViolation: '23514',
  wrongObjectType: '42809',
  readOnly: '25006',
};

// Errors that can be recognized only by their text: pg gives its own errors no code, and pgbouncer
// gives all of its refusals the same one. Each text is the beginning of a message. A unit test
// finds these texts in the installed package.
export const UNCODED = {
  lost: [
    'Connection terminated',
    'Client was closed',
    'Client has encountered a connection error',
    'timeout expired',
    'timeout exceeded',
    'Cannot use a pool after',
  ],
  password: ['SASL: ', 'Password must be a string'],
  pooler: ['unsupported startup parameter'],
};

/**
 * @param {AnyError} e
 * @param {keyof typeof UNCODED} what
 */
const isUncoded = (e, what) => UNCODED[what].some((text) => String(e.message).startsWith(text));

/**
 * The class of an SQLSTATE.
 * @param {AnyError} e
 */
const classOf = (e) => (e.code?.length === 5 ? e.code.slice(0, 2) : '');

const DATA_EXCEPTION = '22';
const LIMIT_EXCEEDED = '54';
const SYNTAX_OR_ACCESS = '42';
const CONNECTION = '08';
const SHUTDOWN = ['57P01', '57P02', '57P03', '57P04', '57P05'];

/**
 * Is the connection or the server lost?
 * @param {AnyError} e
 */
export function isLost(e) {
  if (e instanceof Problem || e instanceof Failure) return false;
  if (e.severity !== undefined) return classOf(e) === CONNECTION || SHUTDOWN.includes(e.code ?? '');
  return /^E[A-Z]+$/.test(e.code ?? '') || isUncoded(e, 'lost');
}

/**
 * Is it the server's own trouble, such as a full disk or a deadlock? Then the data that was to be
 * written is not at fault.
 * @param {AnyError} e
 */
export const isOfServer = (e) =>
  classOf(e) !== '' && (SERVER_ERRORS.includes(e.code ?? '') || SERVER_ERRORS.includes(classOf(e)));

/**
 * Is it an error of a value, such as an answer that no type of the database can hold?
 * @param {AnyError} e
 */
export const isOfValue = (e) => [DATA_EXCEPTION, LIMIT_EXCEEDED].includes(classOf(e));

/**
 * Is it an error of the database's functions, such as one that is missing? Then trying again does
 * not help.
 * @param {AnyError} e
 */
export const isOfProgram = (e) => classOf(e) === SYNTAX_OR_ACCESS && e.severity !== undefined;

/**
 * Is the password missing, or unusable for the driver?
 * @param {AnyError} e
 */
export const isWithoutPassword = (e) => e.severity === undefined && isUncoded(e, 'password');

/**
 * The message of an error, for the log and for people.
 * @param {AnyError} e
 */
export function messageOf(e) {
  if (e instanceof Failure) return e.origin ? `${e.origin}: ${e.message}` : e.message;
  if (e instanceof Problem) return e.message;
  const known = knownProblem(e);
  if (known !== null) return known;
  const parts = [e.message || e.code || String(e), e.detail].filter(Boolean);
  return clean(parts.join(': ').replace(/\s+/g, ' '), 1000);
}

const POOLER =
  'A pooler such as pgbouncer is between this program and the server, and drops or refuses its ' +
  'settings. Set PGHOST and PGPORT to the server itself: the program holds a lock and must not ' +
  'share its connections.';
export const poolerProblem = () => new Problem(POOLER);

// Advice by SQLSTATE, which follows the server's message.
const missing =
  ': the schema indexer or the extension atid_crypto is missing in this database, or is of an ' +
  'older version. Run "atid-indexer init" or "atid-indexer upgrade"; without a schema, as for ' +
  '"verify", CREATE EXTENSION atid_crypto CASCADE.';
const ADVICE = new Map([
  [SQLSTATE.undefinedSchema, missing],
  [SQLSTATE.undefinedTable, missing],
  [SQLSTATE.undefinedFunction, missing],
  [
    SQLSTATE.denied,
    ': the role lacks a right. The owner of the schema indexer grants the rights that run needs ' +
      'with "atid-indexer upgrade --role NAME"; init, upgrade and up must be run as that owner.',
  ],
  [
    SQLSTATE.readOnly,
    ': the server is a standby, or the transaction is read-only. Promote the standby, or set ' +
      'PGHOST and PGPORT to the primary.',
  ],
  [SQLSTATE.wrongPassword, '. PGPASSWORD or ~/.pgpass must have the password of this role.'],
  [SQLSTATE.notAllowed, '. PGHOST, PGPORT, PGUSER and PGDATABASE define the connection.'],
  [SQLSTATE.undefinedDatabase, '. PGHOST, PGPORT, PGUSER and PGDATABASE define the connection.'],
]);

/**
 * The message for a known problem with connections, which contains advice; or null.
 * @param {AnyError} e
 */
function knownProblem(e) {
  const message = String(e.message);
  if (e.code === SQLSTATE.protocolViolation && isUncoded(e, 'pooler')) return POOLER;
  if (isWithoutPassword(e))
    return (
      'The server asks for a password. Set PGPASSWORD, and ATID_API_DB_PASSWORD for the login ' +
      'that reads the views, or put a line "host:port:database:user:password" into ~/.pgpass, ' +
      'which nobody else may be able to read (chmod 600).'
    );
  if (e.code === SQLSTATE.notAllowed && process.env.PGHOST?.startsWith('/'))
    return (
      `${message}. Over a socket the server may accept only users of the operating system: then ` +
      'set PGHOST=localhost, and a password.'
    );
  const advice = ADVICE.get(e.code ?? '');
  if (advice !== undefined) return `${clean(message, 1000)}${advice}`;
  const { code, syscall } = /** @type {any} */ (e.code === undefined ? (e.errors?.[0] ?? e) : e);
  const isNobody = code === 'ECONNREFUSED' || code === 'ENOTFOUND';
  if (isNobody || (code === 'ENOENT' && syscall === 'connect'))
    return (
      `No PostgreSQL server answers there: ${e.errors?.[0]?.message ?? message}. PGHOST and ` +
      'PGPORT define its address.'
    );
  return null;
}
