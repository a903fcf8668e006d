// What a query may cost, before anything of it runs.
//
// A query is refused by its length, by the number of its words, by its depth, and by the number of values that it can
// get at most: the product of the sizes of the pages on the way to each field. So each list must say how long it is. And
// what it has got is not sent if it is too long: strangers write long texts, and a query can ask for one many times.
import { GraphQLError, Lexer, Source, TokenKind, getArgumentValues, getNamedType, getVariableValues } from 'postgraphile/graphql';
import { SafeError } from 'postgraphile/grafast';
import { messageOf } from '../db/errors.js';
import * as log from '../ops/log.js';

export const LENGTH = 20_000; // bytes of a request, or of a message
const WORDS = 2000; // tokens: the time to check a query grows with their square
const DEPTH = 12;
const PAGE = 100;
const VALUES = 25_000;
const READS_ALL = VALUES / 5; // what a count of all records, a grouped count, a search or the description of the schema is worth
const UNINDEXED = ['conforms', 'hidden']; // columns by which one can filter without an index
const NARROW = ['uri', 'did']; // those of which a value leaves few rows
const COUNTS = 10; // and a count of those that point at one
const STEPS = 5000; // fields, with those of a fragment each time that it is used
const ANSWER = 10e6; // characters of an answer
export const CACHED = 50; // queries of each cache: by default they hold several hundred MB

// A refusal, by the status of the answer: the engine reads it here or there, by where it is thrown.
export const refusal = (text, statusCode = 400) => Object.assign(new SafeError(text, { statusCode }), { statusCode });
const refuse = (text) => {
  throw refusal(text);
};

function countWords(query) {
  if (typeof query !== 'string') return;
  if (query.length > LENGTH) refuse(`The query is longer than ${LENGTH} characters`);
  const lexer = new Lexer(new Source(query));
  try {
    for (let n = 0; lexer.advance().kind !== TokenKind.EOF; n++)
      if (n >= WORDS) refuse(`The query has more than ${WORDS} words`);
  } catch (e) {
    if (e instanceof SafeError) throw e; // anything else is for the parser to say
  }
}

// The values of arguments, or NULL for what cannot be read: the engine says so itself.
function argumentsOf(field, node, variables) {
  try {
    return getArgumentValues(field, node, variables);
  } catch {
    return {};
  }
}

// The columns that a list can be ordered by, each between blanks.
function ordersOf(field) {
  const type = field.args.find((a) => a.name === 'orderBy')?.type;
  const names = type ? getNamedType(type).getValues().map(({ name }) => name.replace(/_(ASC|DESC)$/, '').replaceAll('_', '').toLowerCase()) : [];
  return ` ${names.join(' ')} `;
}

// Their index finds what they contain, by which one cannot ask here.
function isJson(field, column) {
  const types = field.args.filter((a) => a.name === 'filter' || a.name === 'condition').map((a) => getNamedType(a.type).getFields()[column]?.type);
  return types.some((type) => type && /^JSON/.test(getNamedType(type).name));
}

export function measure({ schema, document, variableValues, operationName }) {
  const fragments = new Map(
    document.definitions.filter((d) => d.kind === 'FragmentDefinition').map((d) => [d.name.value, d]),
  );
  const operations = document.definitions.filter((d) => d.kind === 'OperationDefinition');
  const operation = operations.find((d) => !operationName || d.name?.value === operationName);
  if (!operation) return 0;
  const { coerced = {} } = getVariableValues(schema, operation.variableDefinitions ?? [], variableValues ?? {});
  let steps = 0;
  let scans = 0; // lists that may read all rows: one statement each, also for all parents of a nested one

  const page = (field, node) => {
    const { first, last, offset } = argumentsOf(field, node, coerced);
    const inRange = (n) => n === undefined || (Number.isInteger(n) && n >= 0 && n <= PAGE);
    const isList = field.args.some((a) => a.name === 'first');
    if (![first, last, offset].every(inRange) || (first !== undefined && last !== undefined))
      refuse(`${field.name}: first or last, and offset, are numbers from 0 to ${PAGE}`);
    const countsOnly = node.selectionSet?.selections.every((s) => s.name?.value === 'totalCount');
    if (isList && first === undefined && last === undefined && !countsOnly)
      refuse(`${field.name}: say first or last, at most ${PAGE}`);
    return Math.max(first ?? last ?? 1, 1);
  };
  // Of a list, all rows may be read until a page is full: of a search, and by a condition that no index finds, unless it
  // is about one record or account. A value that most rows have leaves as many.
  const readsAll = (field, node) => {
    const { filter, condition, query: words } = argumentsOf(field, node, coerced);
    const columns = [
      ...Object.entries(condition ?? {}).map(([name, value]) => ({ name, isEqual: value !== null })),
      ...Object.entries(filter ?? {}).map(([name, by]) => ({ name, isEqual: (by?.equalTo ?? by?.in ?? null) !== null })),
    ];
    const orders = columns.length > 0 ? ordersOf(field) : '';
    // a b-tree finds all, and the list can be ordered by it; the other indexes find what is equal
    const isFound = ({ name, isEqual }) =>
      !UNINDEXED.includes(name) && (orders.includes(` ${name.toLowerCase()} `) || (isEqual && !isJson(field, name)));
    return words !== undefined || (!columns.every(isFound) && !columns.some(({ name, isEqual }) => NARROW.includes(name) && isEqual));
  };
  const query = schema.getQueryType();
  // size is that of the page which these are of: a count beside it is made once
  const walk = (type, { selections }, depth, parent, size) => {
    if (depth > DEPTH) refuse(`The query is deeper than ${DEPTH} fields`);
    let values = 0;
    for (const node of selections) {
      if (++steps > STEPS) refuse('The query is too long');
      if (node.kind !== 'Field') {
        const part = node.kind === 'FragmentSpread' ? fragments.get(node.name.value) : node;
        const of = part.typeCondition ? schema.getType(part.typeCondition.name.value) : type;
        values += walk(of, part.selectionSet, depth, parent, size);
      } else if (node.name.value === '__schema' || node.name.value === '__type') {
        values += READS_ALL;
      } else if (!node.name.value.startsWith('__')) {
        const field = type.getFields()[node.name.value];
        const many = page(field, node);
        const inner = node.selectionSet ? walk(getNamedType(field.type), node.selectionSet, depth + 1, type, many) : 0;
        values += many * (1 + inner);
        if (field.name === 'totalCount') values += (parent === query ? READS_ALL : COUNTS) / size;
        if (getNamedType(field.type).name === 'ValueCount') values += READS_ALL;
        if ((type === query || field.args.some((a) => a.name === 'first')) && readsAll(field, node)) scans++;
      }
    }
    return values;
  };
  const root = schema.getRootType(operation.operation);
  if (!root) refuse(`The schema has no operation of the kind "${operation.operation}"`);
  const values = walk(root, operation.selectionSet, 1, null, 1) + scans * READS_ALL;
  if (values > VALUES) refuse(`The query can get ${values} values, and may get ${VALUES}`);
  return values;
}

// How long a value is as JSON, at least; or more than is left.
function lengthOf(value, left) {
  if (typeof value === 'string') return value.length + 2;
  if (value === null || typeof value !== 'object') return 4;
  let length = 2;
  for (const key in value) {
    if (length > left) return length;
    length += (Array.isArray(value) ? 1 : key.length + 4) + lengthOf(value[key], left - length);
  }
  return length;
}

// A result, or that it is too long.
export const bounded = (result) =>
  result?.data && lengthOf(result.data, ANSWER) > ANSWER
    ? { errors: [new GraphQLError(`The answer is longer than ${ANSWER} characters: ask for less of it`)] }
    : result;

export const LimitsPlugin = {
  name: 'AtidLimitsPlugin',
  grafserv: {
    middleware: {
      processGraphQLRequestBody(next, { body }) {
        countWords(body.query);
        return next();
      },
    },
  },
  grafast: {
    middleware: {
      prepareArgs(next, { args }) {
        try {
          measure(args);
        } catch (e) {
          if (e instanceof SafeError) throw e;
          log.counted('error', 'query unmeasured', { error: messageOf(e) });
          refuse('The query cannot be measured');
        }
        return next();
      },
      execute(next) {
        const result = next();
        return typeof result?.then === 'function' ? result.then(bounded) : bounded(result);
      },
    },
  },
  schema: {
    hooks: {
      GraphQLSchema: (config) => ({
        ...config,
        extensions: {
          ...config.extensions,
          grafast: {
            ...config.extensions?.grafast,
            operationsCacheMaxLength: CACHED,
            queryCacheMaxLength: CACHED,
          },
        },
      }),
    },
  },
};
