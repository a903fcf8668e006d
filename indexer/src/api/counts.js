// Grouped counts: how many of the newest records of a type have each value of a column, the most
// frequent first.
//
// A count reads all rows that it counts. So it counts only the newest records since a time, at most
// MOST of them, which the index on sort_at finds; a view without that column has no counts.
import { object } from 'postgraphile/grafast';
import { loadManyWithPgClient } from 'postgraphile/@dataplan/pg';
import { extendSchema } from 'postgraphile/utils';
import { viewsOf } from './codecs.js';

const MOST = 100_000;

// Columns whose values can form groups.
/** @param {any} r */
const columnsOf = (r) =>
  Object.entries(r.codec.attributes).filter(
    ([name, { codec }]) =>
      !['uri', 'sort_at'].includes(name) &&
      !codec.attributes &&
      !codec.arrayOfCodec &&
      !/^jsonb?$/.test(codec.name),
  );

/**
 * The function that loads the counts of a query.
 * @param {any} sql
 * @param {any} resource
 * @param {Map<string, string>} columns by their names in GraphQL
 */
const loadOf = (sql, resource, columns) => {
  const from = sql.compile(resource.from).text;
  return async (/** @type {any} */ client, /** @type {any} */ asked) => {
    const results = [];
    for (const { by, since, first } of asked) {
      const column = sql.compile(sql.identifier(columns.get(by))).text;
      const { rows } = await client.query({
        text: `SELECT value::text AS value, count(*)::int AS count
               FROM (SELECT ${column} AS value FROM ${from} AS v
                     WHERE sort_at >= $1 ORDER BY sort_at DESC LIMIT $2) AS newest
               WHERE value IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT $3`,
        values: [since, MOST, first],
      });
      results.push(rows);
    }
    return results;
  };
};

/**
 * The enumeration of the columns of a type.
 * @param {{ name: string, columns: Map<string, string> }} one
 */
const enumOf = ({ name, columns }) => `enum ${name}Column { ${[...columns.keys()].join(' ')} }`;

const ABOUT =
  `How many of the newest records since a time, at most ${MOST}, ` + 'have each value of a column.';

export const CountsPlugin = extendSchema((/** @type {any} */ build) => {
  const { inflection, sql } = build;
  const views = viewsOf(build).filter((r) => r.codec.attributes.sort_at);
  if (views.length === 0) return { typeDefs: [] };
  const all = views.map((resource) => {
    const name = inflection.tableType(resource.codec);
    const columns = new Map(
      columnsOf(resource).map(([column]) => [inflection.constantCase(column), column]),
    );
    return { resource, name, columns, load: loadOf(sql, resource, columns) };
  });
  const field = (/** @type {string} */ name) => `counts${name}`;
  return {
    typeDefs: `
      "How many records have a value."
      type ValueCount { value: String! count: Int! }
      ${all.map(enumOf).join('\n')}
      extend type Query {
        ${all
          .map(
            ({ name }) => `"${ABOUT}"
            ${field(name)}(by: ${name}Column!, since: Datetime!, first: Int! = 20): [ValueCount!]!`,
          )
          .join('\n')}
      }`,
    objects: {
      Query: {
        plans: Object.fromEntries(
          all.map(({ resource, name, load }) => [
            field(name),
            (/** @type {any} */ _, /** @type {any} */ { $by, $since, $first }) =>
              loadManyWithPgClient(
                resource.executor,
                object({ by: $by, since: $since, first: $first }),
                load,
              ),
          ]),
        ),
      },
    },
  };
}, 'AtidCountsPlugin');
