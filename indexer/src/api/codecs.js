// The views, for the engine: which resources they are, and the types of the extension
// atid, as scalars of GraphQL. Their values are texts.
//
// PostGraphile leaves out columns of a type that it does not know, and joins by them with it.
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

// Authors of Lexicons give names. Where one is taken, as that of a join, or is one of JavaScript's,
// the engine would make no schema at all: so what comes second is left out.
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
