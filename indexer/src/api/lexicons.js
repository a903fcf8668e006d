// The Lexicons of the methods that the API itself has. If the database has a Lexicon with the same
// NSID, that one is used.
/** @param {object} [more] */
const string = (more) => ({ type: 'string', ...more });
/** @param {object} [more] */
const integer = (more) => ({ type: 'integer', ...more });
/** @param {object} items */
const array = (items) => ({ type: 'array', items });
/**
 * @param {object} properties
 * @param {string[]} [required]
 */
const object = (properties, required) => ({ type: 'object', required, properties });
/** @param {object} schema */
const json = (schema) => ({ encoding: 'application/json', schema });
/** @param {number} maximum */
const limit = (maximum) => integer({ minimum: 1, maximum, default: 50 });
/** @param {string} to */
const ref = (to) => ({ type: 'ref', ref: to });

/**
 * @param {string} id
 * @param {{ parameters: object, required: string[], output: object, errors?: { name: string }[] }}
 *   parts
 */
const query = (id, { parameters, required, output, errors }) => ({
  lexicon: 1,
  id,
  defs: {
    main: {
      type: 'query',
      parameters: { type: 'params', required, properties: parameters },
      output: json(output),
      errors,
    },
  },
});

export const SKELETON = 'app.bsky.feed.getFeedSkeleton';
export const DESCRIBE = 'app.bsky.feed.describeFeedGenerator';
export const QUERY_LABELS = 'com.atproto.label.queryLabels';

const uri = string({ format: 'at-uri' });
const did = string({ format: 'did' });

/** @type {any[]} */
export const OWN = [
  query(SKELETON, {
    parameters: { feed: uri, limit: limit(100), cursor: string() },
    required: ['feed'],
    output: object(
      {
        cursor: string(),
        feed: array(ref('app.bsky.feed.defs#skeletonFeedPost')),
        reqId: string({ maxLength: 100 }),
      },
      ['feed'],
    ),
    errors: [{ name: 'UnknownFeed' }],
  }),
  query(DESCRIBE, {
    parameters: {},
    required: [],
    output: object({ did, feeds: array(object({ uri }, ['uri'])) }, ['did', 'feeds']),
  }),
  query(QUERY_LABELS, {
    parameters: {
      uriPatterns: array(string()),
      sources: array(did),
      limit: limit(250),
      cursor: string(),
    },
    required: ['uriPatterns'],
    output: object({ cursor: string(), labels: array(ref('com.atproto.label.defs#label')) }, [
      'labels',
    ]),
  }),
  {
    lexicon: 1,
    id: 'app.bsky.feed.defs',
    defs: {
      skeletonFeedPost: object(
        {
          post: uri,
          reason: { type: 'union', refs: ['#skeletonReasonRepost', '#skeletonReasonPin'] },
          feedContext: string({ maxLength: 2000 }),
        },
        ['post'],
      ),
      skeletonReasonRepost: object({ repost: uri }, ['repost']),
      skeletonReasonPin: object({}),
    },
  },
  {
    lexicon: 1,
    id: 'com.atproto.label.defs',
    defs: {
      label: object(
        {
          ver: integer(),
          src: did,
          uri: string({ format: 'uri' }),
          cid: string({ format: 'cid' }),
          val: string({ maxLength: 128 }),
          neg: { type: 'boolean' },
          cts: string({ format: 'datetime' }),
          exp: string({ format: 'datetime' }),
          sig: { type: 'bytes' },
        },
        ['src', 'uri', 'val', 'cts'],
      ),
    },
  },
];
