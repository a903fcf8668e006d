// The views for the engine: which of its resources they are. And the types of the extension atid
// as GraphQL scalars, whose values are texts.
//
// PostGraphile leaves out columns of types that it does not know, and with them the joins by such
// columns.
/** @type {Record<string, string>} */
const NAMES = { did: 'DID', at_uri: 'ATURI', cid_link: 'CID', tid: 'TID' };

// The views of record types: their key is a URI.
/**
 * @param {any} build
 * @returns {any[]}
 */
export const viewsOf = (build) =>
  Object.values(build.input.pgRegistry.pgResources).filter(
    (/** @type {any} */ r) =>
      !r.parameters &&
      r.codec.attributes &&
      r.uniques.some((/** @type {any} */ u) => u.attributes.join() === 'uri'),
  );

export const CodecsPlugin = {
  name: 'AtidCodecsPlugin',
  gather: {
    hooks: {
      /** @type {(info: any, event: any) => void} */
      pgCodecs_findPgCodec(info, event) {
        const { pgType, serviceName } = event;
        const isOurs =
          pgType.typtype === 'b' &&
          pgType.typcategory !== 'A' &&
          pgType.getNamespace().nspname === 'atid';
        if (event.pgCodec || !isOurs) return;
        event.pgCodec = {
          name: pgType.typname,
          sqlType: info.lib.sql.identifier('atid', pgType.typname),
          toPg: String,
          fromPg: (/** @type {string} */ text) => text,
          executor: null,
          attributes: undefined,
          extensions: {
            oid: pgType._id,
            pg: { serviceName, schemaName: 'atid', name: pgType.typname },
            isOfAtid: true,
          },
        };
      },
    },
  },
  schema: {
    hooks: {
      /** @type {(_: any, build: any) => any} */
      init(_, build) {
        for (const codec of build.allPgCodecs) {
          if (!codec.extensions?.isOfAtid) continue;
          const name = NAMES[codec.name] ?? build.inflection.upperCamelCase(codec.name);
          build.registerScalarType(
            name,
            { pgCodec: codec },
            () => ({ description: `The type atid.${codec.name} of PostgreSQL, as text.` }),
            'AtidCodecsPlugin',
          );
          build.setGraphQLTypeForPgCodec(codec, ['input', 'output'], name);
        }
        return _;
      },
    },
  },
};

// Names come from the authors of Lexicons. If one is already taken, such as by a join, or is
// special in JavaScript, the engine would make no schema at all: so the second use is left out.
/** @param {(name: string, place: string) => void} left */
export const namesPlugin = (left) => ({
  name: 'AtidNamesPlugin',
  schema: {
    hooks: {
      /** @type {(build: any) => any} */
      build(build) {
        const { extend } = build;
        /** @type {(base: any, extra: any, hint: string, ...rest: any[]) => any} */
        build.extend = (base, extra, hint, ...rest) => {
          const free = { ...extra };
          for (const key of Object.keys(extra)) {
            if (!(key in base) || base[key] === extra[key]) continue;
            delete free[key];
            left(key, hint);
          }
          return extend.call(build, base, free, hint, ...rest);
        };
        return build;
      },
    },
  },
});
