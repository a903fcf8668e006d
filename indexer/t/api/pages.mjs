// All fields of all records of some types, as atid-indexer api has them, for indexer/t/hostile_records.pl.
//
//   node pages.mjs URL TYPE...    prints JSON: "lists", the types of which there is a list; and of each TYPE the names of its
//                                 fields, how many records there are, and the errors of its first page that had some
const [url, ...types] = process.argv.slice(2);

async function ask(query, variables) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const text = await answer.text();
  try {
    return JSON.parse(text);
  } catch {
    return { errors: [{ message: `${answer.status} ${text.slice(0, 1000)}` }] };
  }
}

const schema = await ask('{ __schema { queryType { fields { name type { name } } } } }');
const lists = new Map();
for (const { name, type } of schema.data.__schema.queryType.fields) {
  const [, of] = /^(ComExample\w+)Connection$/.exec(type.name ?? '') ?? [];
  if (of && name.startsWith('all')) lists.set(of, name);
}
const got = { lists: [...lists.keys()].sort() };
for (const name of types) {
  const of = await ask(
    `{ __type(name: "${name}") { fields { name args { name } type { kind ofType { kind } } } } }`,
  );
  const fields = of.data.__type.fields
    .filter(({ args, type }) => !args.length && (type.ofType?.kind ?? type.kind) === 'SCALAR')
    .map((field) => field.name);
  // one type has a property of that name
  if (name !== 'ComExampleName') fields.push('accountByDid { handle }');
  const records = new Set();
  let errors = [];
  let after;
  do {
    const answer = await ask(
      `query ($after: Cursor) { list: ${lists.get(name)}(first: 20, after: $after) {
         nodes { ${fields.join(' ')} } pageInfo { hasNextPage endCursor } } }`,
      { after },
    );
    errors = (answer.errors ?? []).map(({ message }) => message);
    const list = answer.data?.list;
    for (const { uri } of list?.nodes ?? []) records.add(uri);
    after = list?.pageInfo.hasNextPage ? list.pageInfo.endCursor : undefined;
  } while (after !== undefined && !errors.length);
  got[name] = { fields, errors, records: records.size };
}
console.log(JSON.stringify(got));
