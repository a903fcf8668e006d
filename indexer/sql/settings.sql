-- Small functions that the others use. The settings themselves are the row of the table settings.

-- So much later, whatever the time zone is.
CREATE OR REPLACE FUNCTION later(at timestamptz, by interval) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN to_timestamp(extract(epoch FROM at)::float8 + extract(epoch FROM by)::float8);

-- How far ahead of the clock a revision may be: the clocks of servers differ.
CREATE OR REPLACE FUNCTION most_ahead() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '5 minutes';

-- How long to wait after so many failures, as the settings pause_first and pause_most say.
CREATE OR REPLACE FUNCTION pause(failed int, first interval, most interval) RETURNS interval
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN least(first * 2 ^ least(greatest(failed, 0), 20), most);

-- The turn of an account in a time over which requests are spread.
CREATE OR REPLACE FUNCTION turn(did atid.did, spread interval) RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN spread * (hashtext(did::text) & 1023) / 1024;

-- The slot of an account, which decides which taker has its frames.
CREATE OR REPLACE FUNCTION slot(did atid.did) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(get_byte(sha256(convert_to(did::text, 'UTF8')), 0), 0);

-- The origin of a URL, without the port that it has anyway, or NULL if it is none that can be asked.
CREATE OR REPLACE FUNCTION origin(url text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(
  lower(substring(url FROM '^(https?://(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?)(?:[/?#]|$)') COLLATE "C"),
  '^(https://.+):443$|^(http://.+):80$', '\1\2');

-- A text of a stranger as it may be kept: no control characters, and at most so many bytes.
CREATE OR REPLACE FUNCTION clipped(what text, most int) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT CASE WHEN octet_length(t) <= most THEN t ELSE left(t, most / 4) END
        FROM regexp_replace(left(what, most), '[[:cntrl:]]', '?', 'g') AS t);

-- An error that is the server's own trouble: out of disk or memory, a deadlock, a restart. Everything else is of the
-- data: of an index, a constraint or a trigger that somebody has added.
CREATE OR REPLACE FUNCTION of_server(state text) RETURNS bool LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN left(state, 2) IN ('08', '25', '3D', '40', '53', '55', '57', '58') OR state IN ('XX001', 'XX002');
