// Limits the cost of a query before it runs: its depth, and the number of values that it can get
// at most, which for each field is the product of the page sizes on the way to it. So each list
// must have a page size.
import { getArgumentValues, getNamedType, getVariableValues } from 'postgraphile/graphql';
import { refuse } from './refusal.js';

/**
 * @typedef {import('postgraphile/graphql').GraphQLField<any, any>} Field
 * @typedef {import('postgraphile/graphql').FieldNode} FieldNode
 * @typedef {import('postgraphile/graphql').SelectionSetNode} SelectionSet
 * @typedef {{ depth: number, parent: any, size: number }} Place size: of the page that the fields
 *   belong to
 * @typedef {{ name: string, isEqual: boolean }} Condition of a column
 */

const DEPTH = 12;
const PAGE = 100;
const VALUES = 25_000;
// The cost of a count of all records, a grouped count, a search, or the description of the schema.
const READS_ALL = VALUES / 5;
const UNINDEXED = ['conforms', 'hidden']; // columns that filters may use without an index
const NARROW = ['uri', 'did']; // columns in which a value has few rows
const COUNTS = 10; // the cost of a count of the records that point at one
const STEPS = 5000; // fields, those of a fragment counted each time that it is used

/** @param {any} n */
const isInRange = (n) => n === undefined || (Number.isInteger(n) && n >= 0 && n <= PAGE);

/** @param {Field} field */
const isList = (field) => field.args.some(({ name }) => name === 'first');

/**
 * The columns that a list can be ordered by.
 * @param {Field} field
 * @returns {string[]}
 */
function ordersOf(field) {
  const type = field.args.find(({ name }) => name === 'orderBy')?.type;
  const values = type ? /** @type {any} */ (getNamedType(type)).getValues() : [];
  return values.map((/** @type {{ name: string }} */ { name }) =>
    name
      .replace(/_(ASC|DESC)$/, '')
      .replaceAll('_', '')
      .toLowerCase(),
  );
}

/**
 * Is it a column whose index finds parts of values, which filters here cannot use?
 * @param {Field} field
 * @param {string} column
 */
function isJson(field, column) {
  const types = field.args
    .filter(({ name }) => name === 'filter' || name === 'condition')
    .map(({ type }) => /** @type {any} */ (getNamedType(type)).getFields()[column]?.type);
  return types.some((type) => type && /^JSON/.test(/** @type {any} */ (getNamedType(type)).name));
}

/**
 * The conditions of a list, by its arguments.
 * @param {Record<string, any>} values
 * @returns {Condition[]}
 */
const conditionsOf = ({ filter, condition }) => [
  ...Object.entries(condition ?? {}).map(([name, value]) => ({ name, isEqual: value !== null })),
  ...Object.entries(filter ?? {}).map(([name, by]) => ({
    name,
    isEqual: (by?.equalTo ?? by?.in ?? null) !== null,
  })),
];

class Cost {
  steps = 0;
  // Lists that may read all rows: one statement each, even for all parents of a nested one.
  scans = 0;

  /**
   * @param {any} schema
   * @param {Map<string, any>} fragments
   * @param {any} variables
   */
  constructor(schema, fragments, variables) {
    this.schema = schema;
    this.query = schema.getQueryType();
    this.fragments = fragments;
    this.variables = variables;
  }

  /**
   * The values of arguments; none if they cannot be read, which the engine itself reports.
   * @param {Field} field
   * @param {FieldNode} node
   * @returns {Record<string, any>}
   */
  argumentsOf(field, node) {
    try {
      return getArgumentValues(field, node, this.variables);
    } catch {
      return {};
    }
  }

  /**
   * How many values a field can have.
   * @param {Field} field
   * @param {FieldNode} node
   * @returns {number}
   */
  pageOf(field, node) {
    const { first, last, offset } = this.argumentsOf(field, node);
    if (![first, last, offset].every(isInRange) || (first !== undefined && last !== undefined))
      refuse(`${field.name}: first or last, and offset, are numbers from 0 to ${PAGE}`);
    const countsOnly = node.selectionSet?.selections.every(
      (one) => /** @type {FieldNode} */ (one).name?.value === 'totalCount',
    );
    if (isList(field) && first === undefined && last === undefined && !countsOnly)
      refuse(`${field.name}: give first or last, at most ${PAGE}`);
    return Math.max(first ?? last ?? 1, 1);
  }

  /**
   * May a list read all rows until a page is full? A search may, and so may a condition without an
   * index, unless the list is about one record or account. A value that most rows have does not
   * narrow it.
   * @param {Field} field
   * @param {FieldNode} node
   */
  readsAll(field, node) {
    const values = this.argumentsOf(field, node);
    if (values.query !== undefined) return true;
    const conditions = conditionsOf(values);
    const orders = conditions.length > 0 ? ordersOf(field) : [];
    // a b-tree index serves all conditions and the order; the other indexes only equality
    const isFound = (/** @type {Condition} */ { name, isEqual }) =>
      !UNINDEXED.includes(name) &&
      (orders.includes(name.toLowerCase()) || (isEqual && !isJson(field, name)));
    const isNarrow = (/** @type {Condition} */ { name, isEqual }) =>
      NARROW.includes(name) && isEqual;
    return !conditions.every(isFound) && !conditions.some(isNarrow);
  }

  /**
   * How many values a selection can get.
   * @param {any} type
   * @param {SelectionSet} set
   * @param {Place} place
   * @returns {number}
   */
  walk(type, { selections }, place) {
    if (place.depth > DEPTH) refuse(`The query is deeper than ${DEPTH} fields`);
    let values = 0;
    for (const node of selections) {
      if (++this.steps > STEPS) refuse('The query is too long');
      if (node.kind === 'Field') {
        values += this.valuesOf(type, node, place);
        continue;
      }
      const part = node.kind === 'FragmentSpread' ? this.fragments.get(node.name.value) : node;
      const name = part.typeCondition?.name.value;
      const of = name === undefined ? type : this.schema.getType(name);
      values += this.walk(of, part.selectionSet, place);
    }
    return values;
  }

  /**
   * How many values a field can get.
   * @param {any} type
   * @param {FieldNode} node
   * @param {Place} place
   * @returns {number}
   */
  valuesOf(type, node, { depth, parent, size }) {
    const name = node.name.value;
    if (name === '__schema' || name === '__type') return READS_ALL;
    if (name.startsWith('__')) return 0;
    /** @type {Field} */
    const field = type.getFields()[name];
    const many = this.pageOf(field, node);
    const of = /** @type {any} */ (getNamedType(field.type));
    const place = { depth: depth + 1, parent: type, size: many };
    let values = many;
    if (node.selectionSet) values += many * this.walk(of, node.selectionSet, place);
    // a count next to a page is made once
    if (name === 'totalCount') values += (parent === this.query ? READS_ALL : COUNTS) / size;
    if (of.name === 'ValueCount') values += READS_ALL;
    if ((type === this.query || isList(field)) && this.readsAll(field, node)) this.scans++;
    return values;
  }
}

/**
 * Refuses a query that may cost too much. Returns its cost.
 * @param {any} args
 */
export function measure({ schema, document, variableValues, operationName }) {
  /** @param {string} kind */
  const definitions = (kind) =>
    document.definitions.filter((/** @type {any} */ one) => one.kind === kind);
  const fragments = new Map(
    definitions('FragmentDefinition').map((/** @type {any} */ one) => [one.name.value, one]),
  );
  const operation = definitions('OperationDefinition').find(
    (/** @type {any} */ one) => !operationName || one.name?.value === operationName,
  );
  if (!operation) return 0;
  const given = variableValues ?? {};
  const { coerced = {} } = getVariableValues(schema, operation.variableDefinitions ?? [], given);
  const root = schema.getRootType(operation.operation);
  if (!root) refuse(`The schema has no operation of the kind "${operation.operation}"`);
  const cost = new Cost(schema, fragments, coerced);
  const place = { depth: 1, parent: null, size: 1 };
  const values = cost.walk(root, operation.selectionSet, place) + cost.scans * READS_ALL;
  if (values > VALUES) refuse(`The query can get ${values} values, but may get only ${VALUES}`);
  return values;
}
