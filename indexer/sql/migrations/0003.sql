-- Migration 3: columns and corrections of 1.3.3.

-- Until 1.3.2 an account that showed a wanted signal in the stream was not found. The lists have these accounts.
UPDATE want SET listed = '', refused = false WHERE what = 'signal';

-- A list that cannot be read, or does not end: since when, why, and when the next page is requested.
ALTER TABLE want ADD failing timestamptz;
ALTER TABLE want ADD failures int NOT NULL DEFAULT 0;
ALTER TABLE want ADD problem text;                   -- a name,
ALTER TABLE want ADD detail text;                    -- and more of it
ALTER TABLE want ADD again timestamptz;
-- The entries of the list since "began", and the 64 smallest hashes of their DIDs, by which accounts are counted.
ALTER TABLE want ADD entries bigint NOT NULL DEFAULT 0;
ALTER TABLE want ADD smallest bigint[] NOT NULL DEFAULT '{}';
ALTER TABLE settings ADD most_listed bigint NOT NULL DEFAULT 200000000;  -- entries of a list; then it does not end

-- The size of the file of labels_refused when its rows were last summed up, and the bytes of these.
ALTER TABLE sample ADD refused_size bigint;
ALTER TABLE sample ADD refused_rows bigint;

-- An account that settle() could not change: how often, why, and when it is tried again.
ALTER TABLE unsettled ADD failures int NOT NULL DEFAULT 0;
ALTER TABLE unsettled ADD detail text;
ALTER TABLE unsettled ADD again timestamptz;
-- Numbers of a stream: no signature covers them.
ALTER TABLE settings
  ADD most_skipped bigint NOT NULL DEFAULT 1000;     -- numbers that one frame may skip: see move_cursor()
ALTER TABLE taker
  ADD ahead bigint,                                  -- a number that has skipped more, and is held
  ADD ahead_by int[] NOT NULL DEFAULT '{}',          -- hashes of the accounts of it and of what came above it,
  ADD ahead_frames int NOT NULL DEFAULT 0,           -- and how many frames these were
  ADD back int NOT NULL DEFAULT 0,                   -- commits that are new with numbers that are not, in a row
  ADD old_run int NOT NULL DEFAULT 0,                -- frames below the cursor, in a row
  ADD unsigned_run int NOT NULL DEFAULT 0,           -- commits that their accounts have not signed, in a row,
  ADD unsigned_by atid.did,                          -- the last one by this account
  ADD unwritten_run int NOT NULL DEFAULT 0;          -- frames that an error has kept aside, since one was applied
ALTER TABLE stream
  ADD behind bigint,                                 -- the first number of the connection, while none reaches the cursor
  ADD place text,                                    -- where the database was at the last start()
  ADD begun timestamptz,                             -- when its numbers were last found to have begun again,
  ADD begun_at bigint;                               -- and from which number on it was followed

-- A sequence that was set back, as after a restore, must not make the stream fail.
ALTER TABLE notice DROP CONSTRAINT notice_pkey;
CREATE INDEX notice_n ON notice (n);

-- Hosts whose commits come without "prevData": a row for each batch, until tidy() sums them up.
CREATE TABLE unproven (
  host   text NOT NULL CHECK (octet_length(host) <= 512),
  n      bigint NOT NULL,                            -- commits
  at     timestamptz NOT NULL DEFAULT now(),         -- the last of them
  summed bool NOT NULL DEFAULT false
);
-- Revisions that a list or an answer about an account names. Nobody has signed them: heard has only signed ones.
ALTER TABLE account ADD unsigned_rev atid.tid;                -- the newest; it has the account loaded
ALTER TABLE account ADD unsigned_loads int NOT NULL DEFAULT 0;  -- how many loads had an older repository than that

-- A frame of an account that was refused, and shows no signature, has the server queried about the account.
ALTER TABLE account ADD doubted timestamptz;         -- when a refused frame last had, or will have, that done
ALTER TABLE notice DROP CONSTRAINT IF EXISTS notice_what_check;
ALTER TABLE notice ADD CONSTRAINT notice_what_check CHECK (what IN ('met', 'identity', 'signature', 'signal', 'refused'));
CREATE INDEX bad_did ON bad (did, received);
DROP FUNCTION IF EXISTS too_large(text, bytea, bigint);
-- Its argument is the handle, no longer the names.
DROP FUNCTION IF EXISTS know(atid.did, text, text[], jsonb, text, bool, timestamptz);

-- How often bad signatures have had an identity requested again; nudged counts #identity.
ALTER TABLE identity ADD COLUMN doubted int NOT NULL DEFAULT 0;

-- Accounts that have failed have places of their own.
DROP FUNCTION IF EXISTS claim(int, bool, timestamptz, text, text[]);
DROP INDEX account_due;
CREATE INDEX account_due ON account
  ((CASE WHEN failures > 0 THEN CASE WHEN loaded THEN 'back' ELSE 'again' END
         WHEN loaded THEN 'known' ELSE 'new' END), load_at, did)
  WHERE state = 'desynchronized';

-- Handles are valid, and in lower case; a PDS is a service of that type; and an origin has no dot at its
-- end. An identity whose stored log does not have them is requested again within an hour. (The last operation
-- of a stored log is never a nullified one.)
DO $$
DECLARE moment CONSTANT float8 := extract(epoch FROM now()); -- Citus takes no now() in a CASE
BEGIN
  UPDATE identity SET
    handle = lower(CASE WHEN atid.handle_is_valid(handle) THEN handle ELSE substr(jsonb_path_query_first(log,
      '$[last].operation.alsoKnownAs[*] ? (@ like_regex "^at://(?=.{1,253}$)([a-zA-Z0-9]([a-zA-Z0-9-]{0,61}'
        '[a-zA-Z0-9])?\\.)+[a-zA-Z]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$")') #>> '{}', 6) END COLLATE "C"),
    pds = CASE WHEN log #>> '{-1,operation,services,atproto_pds,type}' <> 'AtprotoPersonalDataServer'
               THEN NULL ELSE pds END,
    host = CASE WHEN log #>> '{-1,operation,services,atproto_pds,type}' <> 'AtprotoPersonalDataServer'
                THEN NULL ELSE regexp_replace(host, '\.(:[0-9]+)?$', '\1') END,
    ask = CASE WHEN NOT atid.handle_is_valid(handle) AND log #> '{-1,operation,alsoKnownAs}' IS NULL
                 OR log #>> '{-1,operation,services,atproto_pds,type}' <> 'AtprotoPersonalDataServer'
               THEN least(ask, to_timestamp(moment + 3600.0 / 1024 * (hashtext(did::text) & 1023))) ELSE ask END
  WHERE handle <> lower(handle COLLATE "C") OR NOT atid.handle_is_valid(handle)
     OR pds IS NOT NULL
        AND log #>> '{-1,operation,services,atproto_pds,type}' <> 'AtprotoPersonalDataServer'
     OR host ~ '\.(:[0-9]+)?$';
END $$;

-- Clocks that differ, and frames of a time that has not come.
ALTER TABLE stream ADD ahead interval;               -- by how much the server's clock is ahead of the program's
ALTER TABLE taker ADD future_rate float8 NOT NULL DEFAULT 0;  -- frames of the future a second, as the other rates
DROP FUNCTION IF EXISTS count_taken(text, int, int, int, int, int, int, int, int);

-- Written by "atid-indexer up", which may take it back.
ALTER TABLE want ADD by_up bool NOT NULL DEFAULT false;
-- Signs of life of what the program does, and of what the database observes: signs.sql.
CREATE TABLE activity (
  stream  text REFERENCES stream ON DELETE CASCADE,
  name    text,
  at      timestamptz NOT NULL,                      -- its last turn
  good    timestamptz,                               -- its last success
  failing timestamptz,                               -- since when it has failed; NULL: it does not
  failed  int,                                       -- of how many; NULL: that does not matter
  problem text,
  mark    bigint[],                                  -- what the database has observed; NULL: the program reports it
  PRIMARY KEY (stream, name)
) WITH (fillfactor = 50);

-- Bounds other than those of activities(). NULL: as there.
CREATE TABLE activity_bound (
  name    text PRIMARY KEY,
  turn    interval CHECK (turn > '0'),
  success interval CHECK (success > '0')
);

INSERT INTO migration (n, program) VALUES (3, '1.3.3');
