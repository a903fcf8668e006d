// The end of the exclusion of an account.

export const INCLUDE = `SELECT indexer.include_account($1), x.was, w.named, w.found
FROM (SELECT EXISTS (SELECT FROM indexer.exclusion
                     WHERE did = atid.did_or_null($1)) AS was) AS x,
     (SELECT count(*) FILTER (WHERE what = 'live'
                                    OR what = 'account' AND value IN ('*', $1)) > 0 AS named,
             count(*) FILTER (WHERE what = 'signal') > 0 AS found
      FROM indexer.want) AS w`;

/**
 * What is said about an account. was: excluded; named: it is wanted; found: signals may find it.
 * @param {string} did
 * @param {{ was: boolean, named: boolean, found: boolean }} row
 */
export function included(did, { was, named, found }) {
  if (!was) return `${did} was not excluded.`;
  const ended = `${did} is no longer excluded.`;
  if (named) return ended;
  if (found) return `${ended} It comes back if it has a signal.`;
  return `${ended} It is not wanted: "atid-indexer want add account ${did}" brings it back.`;
}
