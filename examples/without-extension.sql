-- Domains over text for a server that cannot have the extension. They accept the same texts as the types of atid, and
-- take more space. doc/install.md describes what else is possible there.
--
--   psql -v ON_ERROR_STOP=1 -f examples/without-extension.sql

CREATE SCHEMA plain;

CREATE DOMAIN plain.tid AS text COLLATE "C" CHECK (VALUE ~ '^[2-7a-j][2-7a-z]{12}$');

CREATE DOMAIN plain.rkey AS text COLLATE "C"
  CHECK (VALUE ~ '^[A-Za-z0-9._~-]+$' AND VALUE NOT IN ('.', '..') AND length(VALUE) <= 512);

CREATE DOMAIN plain.record_key AS text COLLATE "C"
  CHECK (VALUE ~ '^[A-Za-z0-9._:~-]+$' AND VALUE NOT IN ('.', '..') AND length(VALUE) <= 512);

-- The CIDs that the protocol makes: version 1, dag-cbor or raw, SHA-256. An atid.cid_link can also have another codec
-- or hash, and sorts in another order.
CREATE DOMAIN plain.cid AS text COLLATE "C" CHECK (VALUE ~ '^baf[yk]rei[a-h][a-z2-7]{50}[aeimquy4]$');

CREATE DOMAIN plain.did AS text COLLATE "C"
  CHECK (VALUE ~ '^did:[a-z]+:[A-Za-z0-9._:%-]*[A-Za-z0-9._-]$' AND length(VALUE) <= 2048);

CREATE DOMAIN plain.handle AS text COLLATE "C"
  CHECK (VALUE ~ '^([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?$'
         AND VALUE !~ '[^.]{64}' AND length(VALUE) <= 253);

CREATE DOMAIN plain.nsid AS text COLLATE "C"
  CHECK (VALUE ~ ('^[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)+'
                  '\.[A-Za-z][A-Za-z0-9]*$')
         AND VALUE !~ '[^.]{64}' AND length(VALUE) - strpos(reverse(VALUE), '.') <= 253);

CREATE DOMAIN plain.at_uri AS text COLLATE "C"
  CONSTRAINT at_uri_parts CHECK (VALUE ~ '^at://[^/]+(/[^/]+(/[^/]+)?)?$')
  CONSTRAINT at_uri_authority
    CHECK (CASE WHEN VALUE LIKE 'at://did:%' THEN split_part(VALUE, '/', 3)::plain.did IS NOT NULL
                ELSE split_part(VALUE, '/', 3)::plain.handle IS NOT NULL END)
  CONSTRAINT at_uri_collection CHECK (VALUE NOT LIKE 'at://%/%' OR split_part(VALUE, '/', 4)::plain.nsid IS NOT NULL)
  CONSTRAINT at_uri_rkey CHECK (VALUE NOT LIKE 'at://%/%/%' OR split_part(VALUE, '/', 5)::plain.record_key IS NOT NULL);

-- The TID of a time and a clock id, 0 to 1023. Nothing keeps two sessions from making the same one.
CREATE FUNCTION plain.tid_make("time" timestamptz, clock_id int) RETURNS plain.tid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT string_agg(substr('234567abcdefghijklmnopqrstuvwxyz', 1 + ((n >> (60 - 5 * i)) & 31)::int, 1), '' ORDER BY i)
  FROM generate_series(0, 12) AS i,
       CAST((extract(epoch FROM "time") * 1000000)::bigint << 10 | clock_id AS bigint) AS n
$$;

-- The time of a TID; NULL if its top bit is set.
CREATE FUNCTION plain.tid_timestamp(tid plain.tid) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT timestamptz 'epoch' + interval '1 microsecond' *
    sum((strpos('234567abcdefghijklmnopqrstuvwxyz', substr(tid, i, 1)) - 1)::bigint << (55 - 5 * i))::float8
  FROM generate_series(1, 11) AS i WHERE tid < 'c'
$$;
