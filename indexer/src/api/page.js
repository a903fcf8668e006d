// The page at /: a form that sends a query to /graphql, filled in with a first query on the
// existing types. It is one document that requests nothing else, and its policy allows nothing
// else.
import { createHash } from 'node:crypto';
import { getNamedType, isLeafType, isObjectType, isRequiredArgument } from 'postgraphile/graphql';

const COLUMNS = 6; // of the first query
const ROWS = 5;

const STYLE = `
body { font: 16px/1.4 sans-serif; margin: 2em auto; max-width: 60em; padding: 0 1em }
body { color: #222; background: #fff }
textarea, pre { font: 14px/1.4 monospace; width: 100%; box-sizing: border-box }
textarea, pre { padding: .6em; border: 1px solid #999 }
textarea { min-height: 16em }
pre { min-height: 4em; white-space: pre-wrap; overflow-wrap: anywhere }
button { font: inherit; padding: .3em 1em; margin: .5em 0 }
`;

const SCRIPT = `
const form = document.querySelector('form');
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const answer = document.querySelector('pre');
  answer.textContent = '...';
  try {
    const response = await fetch('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ query: form.elements.query.value }),
    });
    const text = await response.text();
    try {
      answer.textContent = JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      answer.textContent = text;
    }
  } catch (e) {
    answer.textContent = String(e);
  }
});
`;

/** @param {string} text */
const hashOf = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

export const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    `default-src 'none'; script-src ${hashOf(SCRIPT)}; style-src ${hashOf(STYLE)}; ` +
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/**
 * The type of the rows that a field lists, or null.
 * @param {import('postgraphile/graphql').GraphQLField<any, any>} field
 */
function rowsOf(field) {
  const type = getNamedType(field.type);
  const nodes = isObjectType(type) ? type.getFields().nodes : undefined;
  const row = nodes && getNamedType(nodes.type);
  const pages = field.args.some(({ name }) => name === 'first');
  const isFree = !field.args.some(isRequiredArgument);
  return row && pages && isFree && isObjectType(row) ? row : null;
}

/**
 * The columns of such a type whose values are short.
 * @param {any} row
 * @returns {string[]}
 */
const columnsOf = (row) =>
  /** @type {any[]} */ (Object.values(row.getFields()))
    .filter(({ type, args }) => isLeafType(getNamedType(type)) && !args.some(isRequiredArgument))
    .filter(
      ({ name, type }) =>
        name !== 'nodeId' && /** @type {any} */ (getNamedType(type)).name !== 'JSON',
    )
    .map(({ name }) => name);

/**
 * A query for the first rows of the first type of records, or else of another type; or a query that
 * any schema answers.
 * @param {any} schema
 */
export function firstQuery(schema) {
  const all = /** @type {any[]} */ (Object.values(schema.getQueryType().getFields()))
    .map((field) => ({ field: field.name, row: /** @type {any} */ (rowsOf(field)) }))
    .filter(({ row }) => row !== null && columnsOf(row).length > 0);
  const { field, row } = all.find((one) => one.row.getFields().uri) ?? all[0] ?? {};
  if (!field) return '{ __typename }';
  const names = columnsOf(row).slice(0, COLUMNS).join('\n      ');
  return `{\n  ${field}(first: ${ROWS}) {\n    nodes {\n      ${names}\n    }\n  }\n}`;
}

/** @type {Record<string, string>} */
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
/** @param {string} text */
const escaped = (text) => text.replace(/[&<>]/g, (one) => ENTITIES[one]);

/** @param {any} schema */
export const page = (schema) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>GraphQL</title>
<style>${STYLE}</style>
<h1>GraphQL</h1>
<p>Queries go to <code>/graphql</code> by POST, subscriptions by a WebSocket. A first query:</p>
<form>
<textarea name="query" aria-label="Query" spellcheck="false">
${escaped(firstQuery(schema))}</textarea>
<button>Run</button>
</form>
<pre aria-label="Answer" aria-live="polite"></pre>
<script>${SCRIPT}</script>
</html>
`;
