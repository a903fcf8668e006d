// Queries on one connection.

/**
 * A client or a pool of pg.
 * @typedef {{ query: (text: string, values?: any[]) => Promise<{ rows: any[], rowCount?: number |
 *   null }> }} Queryable
 */

/**
 * @param {Queryable} db
 * @param {string} text
 * @param {any[]} [values]
 * @returns {Promise<any[]>}
 */
export const rowsOf = async (db, text, values) => (await db.query(text, values)).rows;

/**
 * The first row, or undefined.
 * @param {Queryable} db
 * @param {string} text
 * @param {any[]} [values]
 * @returns {Promise<any>}
 */
export const rowOf = async (db, text, values) => (await rowsOf(db, text, values))[0];

/**
 * Is the server a standby? Nothing can be written on it, and it shows no locks of its primary.
 * @param {Queryable} db
 * @returns {Promise<boolean>}
 */
export const isStandby = async (db) =>
  (await rowOf(db, 'SELECT pg_is_in_recovery() AS standby')).standby;

/**
 * Does work in a transaction.
 * @template T
 * @param {Queryable} db
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function inTransaction(db, work) {
  await db.query('BEGIN');
  try {
    const result = await work();
    await db.query('COMMIT');
    return result;
  } catch (e) {
    await db.query('ROLLBACK').catch(() => {});
    throw e;
  }
}
