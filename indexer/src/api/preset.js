// The configuration of the engine, PostGraphile: its plugins and ours, the reader's connections,
// and the limits.
import { setMaxListeners } from 'node:events';
import { makePgService } from 'postgraphile/adaptors/pg';
import { getOperationAST } from 'postgraphile/graphql';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';
import { PostGraphileConnectionFilterPreset } from 'postgraphile-plugin-connection-filter';
import * as log from '../ops/log.js';
import { changesPlugin } from './changes-plugin.js';
import { CodecsPlugin, namesPlugin } from './codecs.js';
import { CountsPlugin } from './counts.js';
import { maskError } from './errors.js';
import { CACHED, LENGTH, LimitsPlugin } from './limits.js';
import { ReaderClient, readerConfig } from './reader.js';
import { refusal } from './refusal.js';
import { SocketTurns } from './socket-turns.js';

const CONNECTIONS = 10; // of the reader
// As many of these serve the changes of subscriptions, which never end; the rest is for queries.
const OF_CHANGES = 4;
const INTROSPECTION = 60_000; // ms: it reads the catalogue, which is slow on a busy server

// The account of the client: of a request, or of the request that has opened a WebSocket.
export const ASKER = Symbol('asker');

/** @param {any} requestContext */
const socketOf = (requestContext) => requestContext?.ws?.socket ?? null;

/** @param {any} args */
const isSubscription = ({ document, operationName }) =>
  getOperationAST(document, operationName)?.operation === 'subscription';

/**
 * @param {import('./crowd.js').Crowd} crowd
 * @param {import('./crowd.js').Running} running
 */
const crowdPlugin = (crowd, running) => ({
  name: 'AtidCrowdPlugin',
  grafast: {
    middleware: {
      // over HTTP the server would not see whether the client reads, or has left
      /** @type {(next: () => any, event: any) => any} */
      prepareArgs(next, { args }) {
        if (isSubscription(args) && !socketOf(args.requestContext))
          throw refusal('A subscription needs a WebSocket');
        return next();
      },
      /** @type {(next: () => any, event: any) => any} */
      execute: (next, { args }) => running.count(socketOf(args.requestContext), next),
    },
  },
  grafserv: {
    middleware: {
      // this also applies to a socket, which has no response
      /** @type {(next: () => any, event: any) => any} */
      processGraphQLRequestBody(next, { request }) {
        const response = request?.requestContext.node?.res;
        const why = response ? crowd.enter(response) : null;
        if (why) throw why;
        return next();
      },
    },
  },
});

/**
 * What an operation knows of its client. The engine makes a query of each change of a subscription
 * without calling execute, so the statements of subscriptions take turns.
 * @param {SocketTurns} turns
 */
const contextOf = (turns) => (/** @type {any} */ requestContext, /** @type {any} */ args) => {
  if (!isSubscription(args)) return {};
  const atidClient = { socket: socketOf(requestContext), over: new AbortController() };
  setMaxListeners(0, atidClient.over.signal); // each waiting statement is a listener
  const { withPgClient } = args.contextValue;
  return {
    atidClient,
    withPgClient: (/** @type {any[]} */ ...how) =>
      turns.run(atidClient, () => withPgClient(...how)),
  };
};

/** @param {import('./server.js').Settings} settings */
const serviceOf = (settings) =>
  makePgService({
    poolConfig: {
      ...readerConfig(settings),
      Client: /** @type {any} */ (ReaderClient),
      max: CONNECTIONS,
    },
    // for xrpc.did()
    pgSettings: (/** @type {any} */ { node, ws }) => {
      const did = (node?.req ?? ws?.request)?.[ASKER];
      return /** @type {any} */ (did ? { 'xrpc.did': did } : undefined);
    },
    schemas: [settings.API_SCHEMA],
    pubsub: false,
    pgSettingsForIntrospection: { statement_timeout: String(INTROSPECTION) },
  });

const DISABLED = [
  'PgConnectionArgFilterBackwardRelationsPlugin',
  'PgConnectionArgFilterForwardRelationsPlugin',
  'PgMutationCreatePlugin',
  'PgMutationUpdateDeletePlugin',
  'PgConnectionArgFilterLogicalOperatorsPlugin',
  'MutationPlugin',
  'MutationPayloadQueryPlugin',
];
const OPERATORS = [
  'equalTo',
  'in',
  'lessThan',
  'lessThanOrEqualTo',
  'greaterThan',
  'greaterThanOrEqualTo',
];

/**
 * @param {import('./server.js').Settings} settings
 * @param {import('./changes.js').Feed} feed
 * @param {import('./crowd.js').Crowd} crowd
 * @param {import('./crowd.js').Running} running
 * @returns {any}
 */
export const presetOf = (settings, feed, crowd, running) => ({
  extends: [PostGraphileAmberPreset, PostGraphileConnectionFilterPreset],
  plugins: [
    namesPlugin((name, place) => log.info('name taken', { name, place })),
    crowdPlugin(crowd, running),
    CodecsPlugin,
    LimitsPlugin,
    CountsPlugin,
    changesPlugin(feed),
  ],
  disablePlugins: DISABLED,
  pgServices: [serviceOf(settings)],
  schema: {
    // only columns that make_view_index() has marked can be used to order and filter
    defaultBehavior: '-attribute:orderBy -attribute:filterBy -attribute:filter -mutationField',
    connectionFilterAllowedOperators: OPERATORS,
    connectionFilterComputedColumns: false,
    connectionFilterSetofFunctions: false,
  },
  gather: { installWatchFixtures: false },
  grafast: { explain: false, context: contextOf(new SocketTurns(OF_CHANGES)) },
  grafserv: {
    watch: false,
    graphiql: false,
    graphiqlOnGraphQLGET: false,
    maxRequestLength: LENGTH,
    parseAndValidateCacheSize: CACHED,
    maskError,
  },
});
