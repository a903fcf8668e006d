-- Small functions that the other files use.
--
-- A session plans the statements of a PL/pgSQL function once, possibly while the tables are small,
-- but must never read a whole table, so each of these functions has planner settings of its own.
-- plan_cache_mode = force_generic_plan avoids plans for the values of one call, which would contain
-- the frames, or miss an index on an expression that is compared with a parameter. Each function
-- also has a search_path, so that its names mean the same for every caller: pg_temp comes first in
-- functions that use the temporary tables of create_temp_tables(), which an operator's table of the
-- same name must not replace; functions are never looked up in pg_temp. (labels.sql and views.sql
-- can be installed alone, in any schema: FROM CURRENT.)

-- Adds an interval to a time, independently of the session's time zone.
CREATE OR REPLACE FUNCTION add_interval(at timestamptz, by interval) RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN to_timestamp(extract(epoch FROM at)::float8 + extract(epoch FROM by)::float8);

-- The kind of a stream: repos, or labels.
CREATE OR REPLACE FUNCTION stream_kind(stream text) RETURNS text LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN (SELECT x.kind FROM stream AS x WHERE x.name = stream_kind.stream);
END $$;

-- The day of a time, in UTC.
CREATE OR REPLACE FUNCTION utc_day(at timestamptz DEFAULT now()) RETURNS date
LANGUAGE sql STABLE PARALLEL SAFE
RETURN (at AT TIME ZONE 'UTC')::date;

-- How far ahead of the clock a revision may be, as the clocks of servers differ.
CREATE OR REPLACE FUNCTION max_clock_skew() RETURNS interval
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN interval '5 minutes';

-- The pause after so many failures, by the settings pause_first and pause_most.
CREATE OR REPLACE FUNCTION backoff_delay(failed int, first interval, most interval) RETURNS interval
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN least(first * 2 ^ least(greatest(failed, 0), 20), most);

-- An interval in words, for operators.
CREATE OR REPLACE FUNCTION interval_in_words(t interval) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT CASE WHEN s >= 172800 THEN round(s / 86400) || ' days'
                    WHEN s >= 7200 THEN round(s / 3600) || ' hours'
                    WHEN s >= 120 THEN round(s / 60) || ' minutes'
                    ELSE round(s) || ' seconds' END
        FROM abs(extract(epoch FROM t)) AS s);

-- A delay, fixed for each account, that spreads requests over an interval.
CREATE OR REPLACE FUNCTION spread_delay(did atid.did, spread interval) RETURNS interval
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN spread * (hashtext(did::text) & 1023) / 1024;

CREATE OR REPLACE FUNCTION did_method(did atid.did) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN split_part(did::text, ':', 2);

-- The slot of an account, which determines the shard that processes its frames.
CREATE OR REPLACE FUNCTION shard_slot(did atid.did) RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(get_byte(sha256(convert_to(did::text, 'UTF8')), 0), 0);

-- The origin of a URL, as the program's originOf() returns it: in lower case, without a user name,
-- a trailing dot, or the default port. NULL if it cannot be queried, or has an address in another
-- spelling.
CREATE OR REPLACE FUNCTION url_origin(url text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (
  SELECT CASE
      WHEN m[3]::int > 65535 THEN NULL
      WHEN m[2] ~ '(^|\.)([0-9]+|0x[0-9a-f]*)$'
           AND m[2] !~ '^((25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])(\.(?!$)|$)){4}$' THEN NULL
      WHEN m[3] = CASE m[1] WHEN 'https' THEN '443' ELSE '80' END OR m[3] IS NULL
      THEN m[1] || '://' || m[2]
      ELSE m[1] || '://' || m[2] || ':' || m[3] END
  FROM regexp_match(lower(url COLLATE "C"),
    '^(https?)://(?:[^/?#\\]*@)?([a-z0-9._-]{0,252}[a-z0-9_-]|\[[0-9a-f:.]{2,45}\])\.?'
    '(?::(?:0*([0-9]{1,5}))?)?(?:[/?#]|$)'
  ) AS m);

-- A stranger's text in a form that can be stored: without the characters of UNCLEAN in
-- protocol/text.js, and at most so many bytes long.
CREATE OR REPLACE FUNCTION clip_text(what text, most int) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT CASE WHEN octet_length(t) <= most THEN t ELSE left(t, most / 4) END
        FROM regexp_replace(
               left(what, most),
               '[\u0001-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e'
               '\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]', '?', 'g') AS t);

-- Is this an error of the server itself? All others come from the data, through an index, a
-- constraint or a trigger that somebody has added.
CREATE OR REPLACE FUNCTION is_server_error(state text) RETURNS bool
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN left(state, 2) = ANY (server_errors()) OR state = ANY (server_errors());

-- Is this an error of the program's own functions? One is missing, or does not fit these tables, or
-- the role lacks a right. A stranger's data cannot raise an error of this class. A trigger or an
-- index function that somebody has added can, but then the error's context names it.
CREATE OR REPLACE FUNCTION is_program_error(state text, context text) RETURNS bool
LANGUAGE plpgsql STABLE
SET search_path = indexer, pg_temp SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN left(state, 2) = '42' AND NOT EXISTS (
    SELECT 1 FROM pg_proc AS p
    WHERE (p.pronamespace NOT IN ('indexer'::regnamespace, 'pg_catalog'::regnamespace)
           OR p.pronamespace = 'indexer'::regnamespace AND p.prorettype = 'trigger'::regtype
              AND p.proname NOT IN ('on_want_change', 'on_lexicons_change'))
      AND strpos(context, p.proname) > 0 AND strpos(context, p.oid::regprocedure::text) > 0);
END $$;
