// The lexicons that npm's package @atproto/api carries, as they are published: it writes references with "lex:" and the
// document's own NSID, which is undone here.
import { schemas } from '@atproto/api';

export const documents = schemas.map((doc) => JSON.parse(
  JSON.stringify(doc).replaceAll(`"lex:${doc.id}#`, '"#').replaceAll('"lex:', '"')));

// One lexicon with every constraint of the language, and what no published one has: records in unions, and a property
// called "constructor".
const string = (more) => ({ type: 'string', ...more });
const integer = (more) => ({ type: 'integer', ...more });
const ref = (to) => ({ type: 'ref', ref: to });
const union = (refs, closed) => ({ type: 'union', refs, ...(closed === undefined ? {} : { closed }) });
const array = (items, more) => ({ type: 'array', items, ...more });
const FORMATS = ['at-identifier', 'at-uri', 'cid', 'datetime', 'did', 'handle', 'nsid', 'tid', 'record-key', 'uri', 'language'];

export const SYNTHETIC = 'com.example.synthetic';
export const synthetic = [
  {
    lexicon: 1,
    id: SYNTHETIC,
    description: 'All there is',
    defs: {
      main: {
        type: 'record',
        key: 'any',
        record: {
          type: 'object',
          required: ['boolean', 'integer', 'string', 'object', 'union', 'requiredNullable', 'requiredDefault'],
          nullable: ['requiredNullable', 'nullable', 'nullableRef', 'nullableUnion', 'nullableUnknown'],
          properties: {
            boolean: { type: 'boolean' },
            true: { type: 'boolean', const: true },
            false: { type: 'boolean', const: false },
            booleanDefault: { type: 'boolean', default: true },
            integer: integer(),
            range: integer({ minimum: -10, maximum: 20 }),
            minimum: integer({ minimum: 1 }),
            maximum: integer({ maximum: -1 }),
            far: integer({ minimum: -9007199254740000, maximum: 9007199254740000 }),
            enumInteger: integer({ enum: [4, -9, 16, 9007199254740000] }),
            constInteger: integer({ const: 42 }),
            constZero: integer({ const: 0 }),
            string: string(),
            length: string({ minLength: 3, maxLength: 9 }),
            maxLength: string({ maxLength: 3 }),
            minLength: string({ minLength: 2 }),
            graphemes: string({ minGraphemes: 2, maxGraphemes: 5 }),
            both: string({ minLength: 2, maxLength: 30, minGraphemes: 1, maxGraphemes: 4 }),
            enumString: string({ enum: ['', 'a', 'b', 'constructor', 'né'] }),
            emptyEnum: string({ enum: [] }),
            constString: string({ const: 'self' }),
            known: string({ knownValues: ['red', 'com.example.synthetic#token'] }),
            defaultString: string({ default: 'x', maxLength: 5 }),
            requiredDefault: integer({ default: 3 }),
            bytes: { type: 'bytes', minLength: 2, maxLength: 6 },
            anyBytes: { type: 'bytes' },
            link: { type: 'cid-link' },
            blob: { type: 'blob' },
            image: { type: 'blob', accept: ['image/*'], maxSize: 1000 },
            text: { type: 'blob', accept: ['text/plain', 'application/*'] },
            anything: { type: 'blob', accept: ['*/*'], maxSize: 0 },
            odd: { type: 'blob', accept: ['*', 'text/ht*'] },
            array: array(integer({ maximum: 9 }), { minLength: 1, maxLength: 3 }),
            arrays: array(ref('#array')),
            links: array({ type: 'cid-link' }),
            unknowns: array({ type: 'unknown' }),
            refs: array(ref('#object'), { maxLength: 2 }),
            unions: array(union(['#object', '#other'], true)),
            object: ref('#object'),
            inline: { type: 'object', required: ['a'], nullable: ['b'], properties: { a: integer(), b: string() } },
            union: union(['#object', '#other', 'com.example.record']),
            closed: union(['#object', 'com.example.record'], true),
            open: union([]),
            record: ref('com.example.record'),
            string11: ref('#text'),
            tree: ref('#tree'),
            unknown: { type: 'unknown' },
            nullable: string({ maxLength: 5 }),
            nullableRef: ref('#object'),
            nullableUnion: union(['#object']),
            nullableUnknown: { type: 'unknown' },
            requiredNullable: integer(),
            constructor: string(),
            toString: integer(),
            ...Object.fromEntries(FORMATS.map((format) => [format, string({ format })])),
            shortUri: string({ format: 'uri', maxLength: 40 }),
          },
        },
      },
      object: { type: 'object', required: ['a'], properties: { a: integer(), b: { type: 'boolean' }, c: string({ maxLength: 4 }) } },
      other: { type: 'object', properties: { at: string({ format: 'datetime' }), more: { type: 'unknown' } } },
      empty: { type: 'object', properties: {} },
      tree: { type: 'object', properties: { left: ref('#tree'), right: ref('#tree'), value: integer({ minimum: 0 }), leaf: union(['#tree'], true) } },
      array: array(string({ maxGraphemes: 2 }), { minLength: 1, maxLength: 2 }),
      text: string({ minLength: 1, maxLength: 11 }),
      number: integer({ minimum: 0, maximum: 255 }),
      flag: { type: 'boolean' },
      octets: { type: 'bytes', maxLength: 3 },
      link: { type: 'cid-link' },
      file: { type: 'blob', maxSize: 10 },
      token: { type: 'token', description: 'one' },
    },
  },
  {
    lexicon: 1,
    id: 'com.example.record',
    defs: { main: { type: 'record', key: 'literal:self', record: { type: 'object', required: ['n'], properties: { n: integer({ minimum: 0 }) } } } },
  },
  {
    lexicon: 1,
    id: 'com.example.procedure',
    defs: {
      main: {
        type: 'procedure',
        parameters: {
          type: 'params',
          required: ['q', 'ids'],
          properties: {
            q: string({ minLength: 1, maxLength: 9 }), limit: integer({ minimum: 1, maximum: 100, default: 50 }), all: { type: 'boolean' },
            ids: array(string({ format: 'did' }), { minLength: 1, maxLength: 3 }), numbers: array(integer()), flags: array({ type: 'boolean' }),
          },
        },
        input: { encoding: 'application/json', schema: union([`${SYNTHETIC}#object`, `${SYNTHETIC}#other`]) },
        output: { encoding: 'application/json', schema: ref(`${SYNTHETIC}#tree`) },
        errors: [{ name: 'Failed', description: 'why' }],
      },
    },
  },
  {
    lexicon: 1,
    id: 'com.example.permissions',
    defs: {
      main: {
        type: 'permission-set', title: 'Some', 'title:lang': { de: 'Einige' }, detail: 'All', 'detail:lang': { 'pt-BR': 'Tudo' },
        permissions: [{ type: 'permission', resource: 'repo', collection: ['com.example.record'], action: ['create'] },
          { type: 'permission', resource: 'rpc', lxm: ['com.example.procedure'], aud: '*' }],
      },
    },
  },
  {
    lexicon: 1,
    id: 'com.example.stream',
    defs: {
      main: {
        type: 'subscription',
        parameters: { type: 'params', properties: { cursor: integer({ minimum: 0 }) } },
        message: { schema: union(['#one', '#two']) },
        errors: [{ name: 'Late' }],
      },
      one: { type: 'object', required: ['seq'], properties: { seq: integer({ minimum: 0 }), data: { type: 'bytes', maxLength: 5 } } },
      two: { type: 'object', required: ['name'], properties: { name: string({ enum: ['x', 'y'] }) } },
    },
  },
];
