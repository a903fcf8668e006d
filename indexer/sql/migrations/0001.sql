-- Migration 1: the tables. A migration that was released never changes; what comes later is a migration of its own.
--
-- Everything of an account is in identity, account, record, bad and waiting, by its DID; what points at a record is in
-- reference. stream and taker say how far the stream was read. The functions are in the files beside this folder.

CREATE TABLE migration (
  n       int PRIMARY KEY,
  program text NOT NULL,                             -- the version of the program that brought it
  at      timestamptz NOT NULL DEFAULT now()
);

-- The program whose functions are installed; run refuses another one.
CREATE TABLE program (
  one     bool PRIMARY KEY DEFAULT true CHECK (one),
  version text NOT NULL,
  digest  text NOT NULL,                             -- SHA-256 of all function files
  at      timestamptz NOT NULL DEFAULT now()
);

-- Settings: UPDATE this row to change them.
CREATE TABLE settings (
  one            bool PRIMARY KEY DEFAULT true CHECK (one),
  most_bad       bigint NOT NULL DEFAULT 1000000000, -- bytes of the table bad; then only the counters tell of more
  most_early     int NOT NULL DEFAULT 100,           -- frames of an account in bad that wait for a newer key
  most_waiting   bigint NOT NULL DEFAULT 64000000,   -- bytes of an account in waiting; then the newest stay
  most_waiting_all bigint NOT NULL DEFAULT 2000000000,  -- bytes of the table waiting; then it keeps no more frames
  most_notices   int NOT NULL DEFAULT 100000,        -- rows of notice; then the rest of a batch is left out
  most_labels_refused bigint NOT NULL DEFAULT 100000000,  -- bytes of labels_refused; then the oldest half goes
  most_hosts     int NOT NULL DEFAULT 10000,         -- rows of host; then hosts that fail are not noted
  most_references int NOT NULL DEFAULT 1000,         -- of a record
  most_gaps      int NOT NULL DEFAULT 5,             -- loads of an account by gaps within a day; then each waits longer
  most_older     int NOT NULL DEFAULT 8,             -- answers older than was announced; then one is believed
  identity_age   interval NOT NULL DEFAULT '24 h',   -- then it is asked for again
  invented_after interval NOT NULL DEFAULT '3 days', -- an account that nobody knows ends
  spread         interval NOT NULL DEFAULT '1 h',    -- of all requests after a gap
  missed_after   interval NOT NULL DEFAULT '6 h',    -- without the stream: its first number tells of a gap
  not_sooner     interval NOT NULL DEFAULT '1 min',  -- a commit brings the load of its account forward once in
  pause_first    interval NOT NULL DEFAULT '2 s',    -- after one failure; then twice as long each time,
  pause_most     interval NOT NULL DEFAULT '1 h',    -- until this
  far_ahead      bigint NOT NULL DEFAULT 10000000    -- a number so far above the one before needs a signature
);
INSERT INTO settings DEFAULT VALUES;

-- Who an account is, by its PLC log or DID document.
CREATE TABLE identity (
  did      atid.did PRIMARY KEY,
  key      text CHECK (atid.did_key_is_valid(key)),  -- that signs its commits; NULL: not known, or none
  handle   text CHECK (octet_length(handle) <= 253), -- as the account says; nobody has proven it
  pds      text CHECK (octet_length(pds) <= 512),    -- the endpoint of its server,
  host     text CHECK (octet_length(host) <= 512),   -- and the origin of that
  log      jsonb,                                    -- verified
  labeler  bool NOT NULL DEFAULT false,              -- it is there for its labels
  web      bool NOT NULL DEFAULT false,              -- did:web: its domain is asked
  ask      timestamptz NOT NULL DEFAULT now(),       -- when to ask for it
  asked    int NOT NULL DEFAULT 0,                   -- how often, without an answer that says it all
  nudged   int NOT NULL DEFAULT 0,                   -- how often others have had it asked for since then
  wanted   timestamptz,                              -- since when: what was asked for earlier does not say it
  answered timestamptz,
  met      timestamptz NOT NULL DEFAULT now(),
  problem  text,                                     -- why the last answer was not taken: a name,
  detail   text                                      -- and more of it
);
CREATE INDEX identity_ask ON identity
  ((CASE WHEN answered IS NOT NULL THEN 'known' WHEN asked = 0 THEN 'new' ELSE 'again' END), web, ask, did)
  WHERE ask < 'infinity';
CREATE INDEX identity_met ON identity (met) WHERE answered IS NULL;
CREATE INDEX identity_labeler ON identity (did) WHERE labeler;
CREATE INDEX identity_handle ON identity (handle);
CREATE INDEX identity_problem ON identity (did) WHERE problem IS NOT NULL AND key IS NULL;

-- What is there of an account. README.md has the table of the states and of what leads from one to another.
CREATE TABLE account (
  did      atid.did PRIMARY KEY,
  state    text NOT NULL CHECK (state IN
           ('unidentified', 'desynchronized', 'loading', 'synchronized', 'inactive', 'barred')),
  status   text CHECK (octet_length(status) <= 64),  -- inactive, barred: why
  said     timestamptz,                              -- when the stream said whether it is active: newer than lists
  listed   timestamptz,                              -- when a list had it, or the server was asked about it
  check_at timestamptz NOT NULL DEFAULT 'infinity',  -- when to ask the server about it
  rev      atid.tid,                                 -- of the last commit that was applied; NULL: never loaded
  data     atid.cid_link,                            -- and the root of its tree
  heard    atid.tid,                                 -- signed and announced: what is loaded must not be older
  wants    int NOT NULL DEFAULT 0,                   -- the number of the wants that its records are of, or -1: they go
  claim    int NOT NULL DEFAULT 0,                   -- the number of the last attempt to load it,
  claimed  timestamptz,                              -- its time,
  failures int NOT NULL DEFAULT 0,                   -- how many have failed since one has not,
  older    int NOT NULL DEFAULT 0,                   -- and how many of these had an older repository
  load_at  timestamptz NOT NULL DEFAULT 'infinity',  -- desynchronized: when to load it
  hurried  timestamptz,                              -- when a commit has brought that forward
  gaps     int NOT NULL DEFAULT 0,                   -- how often a gap had it loaded,
  gap_at   timestamptz,                              -- and when last
  problem  text,                                     -- why it could not be loaded: a name,
  detail   text,                                     -- and more of it
  -- An index on rev itself would have each commit change every index of the table.
  loaded   bool GENERATED ALWAYS AS (rev IS NOT NULL) STORED,
  CHECK ((state = 'desynchronized') = (load_at < 'infinity')),
  CHECK ((state IN ('inactive', 'barred')) = (status IS NOT NULL)),
  CHECK (state <> 'synchronized' OR rev IS NOT NULL AND data IS NOT NULL)
) WITH (fillfactor = 80);
CREATE INDEX account_due ON account (loaded, load_at, did) WHERE state = 'desynchronized';
CREATE INDEX account_loading ON account (did) WHERE state = 'loading';
CREATE INDEX account_check_at ON account (check_at) WHERE check_at < 'infinity';
CREATE INDEX account_wants ON account (wants);
CREATE INDEX account_failing ON account (did) WHERE state = 'desynchronized' AND failures > 0;
CREATE INDEX account_kept ON account (did) WHERE problem IS NOT NULL AND state IN ('inactive', 'barred');

-- They have no rows, and are only locked, by writes(), nobody_writes() and one_of_many(). (An advisory lock of the same
-- name could be taken by every role of the database.)
CREATE TABLE lock_of_writers ();
CREATE TABLE lock_of_many ();

-- How many accounts are in each state, and how many loads there were: the sum of n. Each change adds rows, tidy() sums
-- them up.
CREATE TABLE tally (
  what text NOT NULL,
  n    bigint NOT NULL
);
-- How it went in the last two hours.
CREATE TABLE sample (
  at     timestamptz PRIMARY KEY,
  behind bigint NOT NULL,                            -- accounts to be identified or loaded
  loads  bigint NOT NULL                             -- loads so far
);

-- Accounts that must not be here, whatever the network says.
CREATE TABLE exclusion (
  did atid.did PRIMARY KEY,
  why text,
  at  timestamptz NOT NULL DEFAULT now()
);

-- The records, as blocks: a block holds all that a stranger can write, and the CID is the hash of it. One that is not
-- DAG-CBOR is kept too, since the signed root counts it.
CREATE TABLE record (
  uri      atid.at_uri,
  did      atid.did,
  cid      atid.cid_link NOT NULL,
  block    bytea NOT NULL,
  conforms bool,                                     -- to the table lexicons; NULL: they do not say
  indexed  timestamptz NOT NULL DEFAULT now(),       -- when it was first written
  PRIMARY KEY (uri, did)
);
CREATE STATISTICS record_collection_stats ON (atid.at_uri_collection(uri)) FROM record;

-- What records point at.
CREATE TABLE reference (
  subject    atid.at_uri NOT NULL,
  collection text COLLATE "C" NOT NULL,              -- of the record,
  path       text COLLATE "C" NOT NULL,              -- and the field, as reply.parent or facets[].features[].did; '': too long
  tid        atid.tid NOT NULL,                      -- its record key, or the lowest TID where that is none
  uri        atid.at_uri NOT NULL
);
CREATE INDEX reference_subject ON reference (subject, collection, path, tid);
CREATE INDEX reference_uri ON reference (uri);

-- Lexicons, by which records are judged when they are written. Those that are there already are not judged anew.
CREATE TABLE lexicons (lexicons atid.lexicon NOT NULL);

-- What is wanted. '*' is all; a collection can end in '.*'. The accounts that have a signal, a collection, are wanted.
CREATE TABLE want (
  what    text,
  value   text,
  because text,                                      -- the signal by which the account was found
  listed  text DEFAULT '',                           -- of a signal or all accounts: how far they were listed; NULL: all
  began   timestamptz,                               -- when that list was begun
  seek    atid.did,                                  -- it has ended: how far others are sought; NULL: that is done
  refused bool NOT NULL DEFAULT false,               -- the server has no such list: its accounts are asked one by one
  PRIMARY KEY (what, value),
  CHECK (CASE what WHEN 'account' THEN value = '*' OR atid.did_is_valid(value)
                   WHEN 'collection' THEN value = '*' OR atid.nsid_is_valid(regexp_replace(value, '\.\*$', '.x.x'))
                   WHEN 'signal' THEN atid.nsid_is_valid(value) ELSE false END)
);
INSERT INTO want VALUES ('account', '*'), ('collection', '*');
CREATE INDEX want_listed ON want (what) WHERE listed IS NOT NULL AND (what = 'signal' OR value = '*');

-- Accounts that may have a signal, where the server does not list these: each is asked about.
CREATE TABLE candidate (
  did   atid.did PRIMARY KEY,
  ask   timestamptz NOT NULL DEFAULT now(),
  asked int NOT NULL DEFAULT 0
);
CREATE INDEX candidate_ask ON candidate (ask);

-- The accounts that were added or taken out. And a number that is raised when all accounts have to be looked through,
-- and its value when they had to be loaded.
CREATE TABLE unsettled (did atid.did NOT NULL);
CREATE TABLE wants (n int NOT NULL, loads int NOT NULL);
INSERT INTO wants VALUES (0, 0);

-- What was written, for readers: only while there is one. The record itself is in the table record, or is gone.
CREATE TABLE reader (
  name  text PRIMARY KEY,
  tx    xid8 NOT NULL DEFAULT '0',                   -- how far it has read
  n     bigint NOT NULL DEFAULT 0,
  since bigint NOT NULL DEFAULT 0                    -- what is not above this was written before it came
);
CREATE TABLE change (
  tx   xid8 DEFAULT pg_current_xact_id(),
  n    bigint GENERATED ALWAYS AS IDENTITY,
  uri  atid.at_uri NOT NULL,
  PRIMARY KEY (tx, n)
);

-- The streams.
CREATE TABLE stream (
  name    text PRIMARY KEY,
  kind    text NOT NULL CHECK (kind IN ('repos', 'labels')),
  pds     text[],                                    -- the origins of the PDS whose stream it is; NULL: a relay's
  started timestamptz NOT NULL DEFAULT now(),        -- the last start(): of several, the last one is in use
  look    timestamptz,                               -- since when there is a gap that look_again() follows; NULL: none
  looked  atid.did,                                  -- and how far it has come
  error   text                                       -- the name in the last frame, if that was one of an error
);

-- How far a stream was read, and how it went, by those of its accounts whose slot, a hash, is in lo..hi.
CREATE TABLE taker (
  stream   text REFERENCES stream ON DELETE CASCADE,
  lo       int,
  hi       int NOT NULL,
  cursor   bigint NOT NULL DEFAULT 0,
  frames   bigint NOT NULL DEFAULT 0,
  commits  bigint NOT NULL DEFAULT 0,                -- that were applied
  refused  bigint NOT NULL DEFAULT 0,                -- frames that are bad whatever the key is
  lag      interval,                                 -- of half of the last frames
  heard    timestamptz,                              -- when the last frame was taken
  taken    timestamptz,                              -- when the stream was last heard; its row of lo counts
  counted  timestamptz NOT NULL DEFAULT now(),       -- the frames,
  frame_rate  float8 NOT NULL DEFAULT 0,             -- what came a second, over about a minute,
  commit_rate float8 NOT NULL DEFAULT 0,
  old_rate    float8 NOT NULL DEFAULT 0,             -- and of these frames the ones that it had taken before,
  moved_rate  float8 NOT NULL DEFAULT 0,             -- whose accounts are on another server,
  unsigned_rate float8 NOT NULL DEFAULT 0,           -- whose signature is not by the key of the account,
  unwritten_rate float8 NOT NULL DEFAULT 0,          -- or that an error of a trigger or an index has kept aside
  PRIMARY KEY (stream, lo)
) WITH (fillfactor = 50);

-- Origins that have failed, and when they are tried again.
CREATE TABLE host (
  name     text PRIMARY KEY CHECK (octet_length(name) <= 512),
  failures int NOT NULL,
  until    timestamptz NOT NULL,
  problem  text
);

-- Frames that were not taken, each once. Anybody can make some: no more than most_bad is kept, until you TRUNCATE it.
CREATE TABLE bad (
  digest   bytea PRIMARY KEY,
  stream   text NOT NULL,
  received timestamptz NOT NULL DEFAULT now(),
  did      atid.did,
  reason   text NOT NULL,
  early    bool NOT NULL,                            -- a newer log may have its key
  frame    bytea                                     -- NULL: it was too large to be kept
);
CREATE INDEX bad_early ON bad (did) WHERE early;

-- Frames of accounts that are being loaded. Of more than most_waiting bytes of an account only the newest stay.
CREATE TABLE waiting (
  stream text NOT NULL,
  slot   int NOT NULL,
  seq    bigint NOT NULL,
  did    atid.did NOT NULL,
  frame  bytea                                       -- NULL: there was no room; the account is loaded again
);
CREATE INDEX waiting_did ON waiting (did);
CREATE INDEX waiting_slot ON waiting (stream, slot);
ALTER TABLE bad ALTER frame SET STORAGE EXTERNAL;    -- hashes and signatures do not compress
ALTER TABLE waiting ALTER frame SET STORAGE EXTERNAL;

-- What the stream tells of accounts and settle() follows, outside of the stream's transactions.
CREATE TABLE notice (
  n       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  did     atid.did NOT NULL,
  what    text NOT NULL CHECK (what IN ('met', 'identity', 'signature', 'signal')),
  because text,                                      -- signal: the collection
  at      timestamptz NOT NULL DEFAULT now()
);

INSERT INTO migration (n, program) VALUES (1, '1.3.0');
