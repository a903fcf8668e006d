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
