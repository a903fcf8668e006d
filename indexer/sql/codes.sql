-- The codes: reasons, outcomes and failures. Functions and the program decide by a code and its
-- properties, never by its words, which are for people. src/protocol/codes.js reads this file, so
-- that the program and the database have one list.
--
--   class    who is at fault: a frame, an account, a host, the service that is followed, one
--            answer, or the operator's own database; none: nobody is
--   retry    backoff    later each time
--            asked      after the pause that the server has asked for
--            at once    soon; it does not count as a failure
--            new key    when the log of the account has another key
--            never
--   words    as people read it
--   remedy   what an operator can do; NULL: nothing, as it is tried again
--   of_list  likewise, if a list of accounts has failed; NULL: report it
--   status   the status that an account then has
--   checks   the server is queried for the status of the account
--   absent   the server does not have the method that was called
CREATE TABLE IF NOT EXISTS code (
  code   text PRIMARY KEY,
  class  text NOT NULL
         CHECK (class IN ('frame', 'account', 'host', 'service', 'answer', 'operator', 'none')),
  retry  text NOT NULL
         CHECK (retry IN ('backoff', 'asked', 'at once', 'new key', 'never')),
  words  text NOT NULL,
  remedy text,
  of_list text,
  status text,
  checks bool NOT NULL,
  absent bool NOT NULL
);
DELETE FROM code;
INSERT INTO code
SELECT code, class, retry, coalesce(words, code), remedy, of_list, status,
       coalesce(checks, false), coalesce(absent, false)
FROM jsonb_to_recordset($codes$
[
  {"code": "unreachable", "class": "host", "retry": "backoff"},
  {"code": "timeout", "class": "host", "retry": "backoff"},
  {"code": "slow", "class": "host", "retry": "backoff"},
  {"code": "server_error", "class": "host", "retry": "backoff", "words": "server error"},
  {"code": "cut_short", "class": "host", "retry": "backoff", "words": "cut short"},
  {"code": "throttled", "class": "host", "retry": "asked",
   "of_list": "nothing: the server has asked for a pause"},

  {"code": "RepoNotFound", "class": "account", "retry": "backoff", "status": "deleted",
   "checks": true},
  {"code": "RepoTakendown", "class": "account", "retry": "backoff", "status": "takendown",
   "checks": true},
  {"code": "RepoSuspended", "class": "account", "retry": "backoff", "status": "suspended",
   "checks": true},
  {"code": "RepoDeactivated", "class": "account", "retry": "backoff", "status": "deactivated",
   "checks": true},

  {"code": "too_large", "class": "answer", "retry": "backoff", "words": "too large",
   "remedy": "set ATID_MAX_REPO_SIZE higher, and ATID_MAX_DOWNLOAD_MEMORY with it"},
  {"code": "private_address", "class": "answer", "retry": "backoff", "words": "private address",
   "remedy": "set ATID_ALLOW_PRIVATE_ADDRESSES if this is a test network",
   "of_list": "set ATID_ALLOW_PRIVATE_ADDRESSES if this is a test network"},
  {"code": "too_many_redirects", "class": "answer", "retry": "backoff",
   "words": "too many redirects"},
  {"code": "busy", "class": "answer", "retry": "at once"},
  {"code": "crowded_out", "class": "answer", "retry": "backoff", "words": "crowded out"},
  {"code": "not_found", "class": "answer", "retry": "backoff", "words": "not found",
   "absent": true,
   "of_list": "the server does not list its accounts: name the accounts that you want, or follow another server"},
  {"code": "unauthorized", "class": "answer", "retry": "backoff", "absent": true,
   "of_list": "the server does not list its accounts: name the accounts that you want, or follow another server"},
  {"code": "not_implemented", "class": "answer", "retry": "backoff", "words": "not implemented",
   "absent": true,
   "of_list": "the server does not list its accounts: name the accounts that you want, or follow another server"},
  {"code": "refused", "class": "answer", "retry": "backoff"},
  {"code": "malformed", "class": "answer", "retry": "backoff"},
  {"code": "endless", "class": "service", "retry": "backoff",
   "of_list": "the server sends the same accounts again and again, or more than can exist: report it to the server's operator; if there are so many accounts, raise most_listed in indexer.settings"},

  {"code": "FutureCursor", "class": "service", "retry": "backoff",
   "remedy": "if its numbers have begun again, stop the program and set indexer.shard.cursor to 0"},
  {"code": "OutdatedCursor", "class": "service", "retry": "never"},

  {"code": "invalid_event", "class": "frame", "retry": "never",
   "words": "The frame must be a valid event."},
  {"code": "unknown_key", "class": "frame", "retry": "new key",
   "words": "The commit must be signed by the key of the account."},
  {"code": "wrong_shard", "class": "frame", "retry": "never",
   "words": "The frame must belong to an account of this shard."},
  {"code": "invalid_labels", "class": "frame", "retry": "never",
   "words": "\"labels\" must be an array."},
  {"code": "lost_labels", "class": "frame", "retry": "never",
   "words": "Labels must be expressible as jsonb."},
  {"code": "invalid_active", "class": "frame", "retry": "never",
   "words": "\"active\" must be true or false."},
  {"code": "amplified_records", "class": "frame", "retry": "never",
   "words": "The records must not be larger than four times the frame."},
  {"code": "oversized", "class": "frame", "retry": "never",
   "words": "The frame must not be longer than 5 MB."},
  {"code": "seq_range", "class": "frame", "retry": "never",
   "words": "The number must not be above 9007199254740991."},
  {"code": "seq_jump", "class": "frame", "retry": "never",
   "words": "The number of a frame without a signature must not be far ahead of the one before."},
  {"code": "seq_missing", "class": "frame", "retry": "never",
   "words": "The number must be positive."},
  {"code": "invalid_did", "class": "frame", "retry": "never",
   "words": "The account must be a DID."},
  {"code": "long_did", "class": "frame", "retry": "never",
   "words": "The DID must not be longer than 512 bytes."},
  {"code": "strangers_full", "class": "operator", "retry": "never",
   "words": "There is no room for more waiting frames of live accounts."},
  {"code": "unwritten", "class": "operator", "retry": "never",
   "words": "An index, a constraint or a trigger refuses the frame."},

  {"code": "loaded", "class": "none", "retry": "never"},
  {"code": "superseded", "class": "none", "retry": "never"},
  {"code": "ended", "class": "none", "retry": "backoff"},
  {"code": "unsigned", "class": "account", "retry": "new key",
   "remedy": "nothing: it ends when the account writes, or when its log has the key"},
  {"code": "older", "class": "account", "retry": "backoff"},
  {"code": "future", "class": "account", "retry": "backoff",
   "remedy": "check the database server's clock: the load is tried again"},
  {"code": "invalid", "class": "account", "retry": "backoff"},
  {"code": "not_written", "class": "operator", "retry": "backoff", "words": "not written",
   "remedy": "an index, a constraint or a trigger refuses a record or its deletion: correct it, then reload the account",
   "of_list": "an index, a constraint or a trigger refuses the page: correct it"},
  {"code": "not_changed", "class": "operator", "retry": "backoff", "words": "not changed",
   "remedy": "an index, a constraint or a trigger refuses a change that the table want requires: correct it; the change is tried again"},
  {"code": "wants_full", "class": "operator", "retry": "backoff",
   "words": "the table want is full",
   "of_list": "raise the setting most_wants, or remove a signal: then the accounts are found"},
  {"code": "no_room", "class": "operator", "retry": "backoff", "words": "no room",
   "remedy": "give the server more disk or memory: it is tried again"},

  {"code": "no_key", "class": "account", "retry": "backoff", "words": "no key",
   "remedy": "nothing: its document names no key"},
  {"code": "unsupported_method", "class": "account", "retry": "never",
   "words": "unsupported DID method", "remedy": "nothing: identities of its method cannot be looked up"},
  {"code": "tombstoned", "class": "account", "retry": "backoff"},
  {"code": "moved", "class": "account", "retry": "backoff"}
]
$codes$::jsonb) AS x (code text, class text, retry text, words text, remedy text, of_list text,
                      status text, checks bool, absent bool);

-- SQLSTATEs, and classes of them, of errors of the server itself: out of disk or memory, a
-- deadlock, a restart. (src/protocol/codes.js reads this array, too.)
CREATE OR REPLACE FUNCTION server_errors() RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '{08,25,3D,40,53,55,57,58,XX001,XX002}'::text[];

-- The codes of faults that another key of the account may resolve.
CREATE OR REPLACE FUNCTION list_key_codes() RETURNS text[] LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN ARRAY(SELECT c.code FROM code AS c WHERE c.retry = 'new key');
END $$;
