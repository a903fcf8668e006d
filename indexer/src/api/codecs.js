// What the engine is told of the views: which resources they are, and the types of the extension atid, as scalars of
// GraphQL. Their values are texts.
//
// PostGraphile leaves out columns of a type that it does not know, and joins by them with it.
const NAMES = { did: 'DID', at_uri: 'ATURI', cid_link: 'CID', tid: 'TID' };

// The views of record types: their key is a URI.
export const viewsOf = (build) =>
  Object.values(build.input.pgRegistry.pgResources).filter(
    (r) => !r.parameters && r.codec.attributes && r.uniques.some((u) => u.attributes.join() === 'uri'),
  );

export const CodecsPlugin = {
  name: 'AtidCodecsPlugin',
  gather: {
    hooks: {
      pgCodecs_findPgCodec(info, event) {
        const { pgType, serviceName } = event;
        const isOurs = pgType.typtype === 'b' && pgType.typcategory !== 'A' && pgType.getNamespace().nspname === 'atid';
        if (event.pgCodec || !isOurs) return;
        event.pgCodec = {
          name: pgType.typname,
          sqlType: info.lib.sql.identifier('atid', pgType.typname),
          toPg: String,
          fromPg: (text) => text,
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
