// The streams that can be followed.

/** @typedef {'repos' | 'labels'} StreamKind */

/** @type {Record<StreamKind, string>} */
export const STREAMS = {
  repos: 'com.atproto.sync.subscribeRepos',
  labels: 'com.atproto.label.subscribeLabels',
};

/**
 * The name of a stream in the database.
 * @param {{ SERVICE_URL: string, STREAM_KIND: StreamKind }} settings
 */
export const streamName = ({ SERVICE_URL, STREAM_KIND }) =>
  `${SERVICE_URL} ${STREAMS[STREAM_KIND]}`;

/** @param {{ SERVICE_URL: string, STREAM_KIND: StreamKind }} settings */
export const streamUrl = ({ SERVICE_URL, STREAM_KIND }) =>
  `${SERVICE_URL.replace(/^http/, 'ws')}/xrpc/${STREAMS[STREAM_KIND]}`;
