// The subscription "changed" in the GraphQL schema.
import { constant, context, get, lambda, listen, object } from 'postgraphile/grafast';
import { extendSchema } from 'postgraphile/utils';
import { viewsOf } from './codecs.js';

/** @param {{ name: string, type: string }[]} fields */
const typesOf = (fields) => `
  extend type Subscription {
    "Records as they are written and deleted: all, or those of a collection, an account, or both."
    changed(collection: String, did: DID): Change
  }
  "A record that was written or deleted: a field for each type, with the record as it is now."
  type Change {
    uri: ATURI!
    collection: String!
    did: DID!
    "Whether it was deleted."
    gone: Boolean!
    query: Query
    ${fields.map(({ name, type }) => `${name}: ${type}`).join('\n')}
  }`;

/** @param {import('./changes.js').Feed} feed */
export const changesPlugin = (feed) =>
  extendSchema((/** @type {any} */ build) => {
    const fields = viewsOf(build).map((view) => {
      const type = build.inflection.tableType(view.codec);
      return { name: build.inflection.camelCase(type), type, view };
    });
    if (fields.length === 0) return { typeDefs: [] };
    const subscribePlan = (/** @type {any} */ _, /** @type {any} */ { $collection, $did }) =>
      listen(
        lambda(context().get(/** @type {any} */ ('atidClient')), (one) => ({
          subscribe: (/** @type {any} */ about) => feed.subscribe(about, /** @type {any} */ (one)),
        })),
        /** @type {any} */ (object({ collection: $collection, did: $did })),
      );
    const planOf = (/** @type {any} */ view) => (/** @type {any} */ $change) =>
      view.get({ uri: get($change, 'uri') });
    return {
      typeDefs: typesOf(fields),
      objects: {
        Subscription: {
          plans: { changed: { subscribePlan, plan: (/** @type {any} */ $change) => $change } },
        },
        Change: {
          plans: {
            query: () => constant(true),
            ...Object.fromEntries(fields.map(({ name, view }) => [name, planOf(view)])),
          },
        },
      },
    };
  }, 'AtidChangesPlugin');
