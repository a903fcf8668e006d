--
-- Soft errors: what 16 and later ask an input function without raising
--
SELECT current_setting('server_version_num')::int >= 160000 AS has_soft_errors \gset
\if :has_soft_errors
\else
\echo soft errors came with PostgreSQL 16
\quit
\endif

SELECT t, pg_input_is_valid(t, 'atid.tid') AS tid, pg_input_is_valid(t, 'atid.rkey') AS rkey,
       pg_input_is_valid(t, 'atid.record_key') AS record_key
FROM (VALUES ('3jzfcijpj2z2a'), ('3JZFCIJPJ2Z2A'), ('kjzfcijpj2z2a'), ('self'), ('pre:fix'),
             ('any space'), ('..'), ('')) v(t);
SELECT t, message, detail, sql_error_code
FROM (VALUES ('3jzf-cij-pj2z-2a'), ('kjzfcijpj2z2a'), ('222')) v(t),
     pg_input_error_info(t, 'atid.tid');
SELECT message, sql_error_code FROM pg_input_error_info('pre:fix', 'atid.rkey');

SELECT pg_input_is_valid('{3jzfcijpj2z2a,222}', 'atid.tid[]');

SELECT t, pg_input_is_valid(t, 'atid.cid_link') AS cid_link, message, detail, sql_error_code
FROM (VALUES ('bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a'), ('bafkqaaa'),
             ('QmbWqxBEKC3P8tqsKc98xmWNzrzDtRLMiMPL8wBuTGsMnR'), ('zdj7WhuEjrB52m1BisYC'),
             ('bAFKQAAA'), ('bafkqaaa='), ('bafkqaa1'), ('bafkqaab'), ('bafkqaa'), ('baa'),
             ('')) v(t),
     pg_input_error_info(t, 'atid.cid_link');
SELECT pg_input_is_valid('{bafkqaaa,bafkqaab}', 'atid.cid_link[]');

SELECT t, pg_input_is_valid(t, 'atid.did') AS did, pg_input_is_valid(t, 'atid.at_uri') AS at_uri,
       pg_input_is_valid(t, 'atid.handle') AS handle
FROM (VALUES ('did:plc:x'), ('did:plc:'), ('at://a.b'), ('at://a'), ('a.b'), ('')) v(t);
SELECT message, detail, sql_error_code FROM pg_input_error_info('did:plc:', 'atid.did');
SELECT message, detail, sql_error_code FROM pg_input_error_info('at://a.b/c', 'atid.at_uri');
SELECT pg_input_is_valid('{at://a.b,at://a}', 'atid.at_uri[]');

SELECT left(t, 20) AS t, pg_input_is_valid(t, 'atid.lexicon') AS lexicon,
       left(message, 50) AS message, right(detail, 60) AS detail, sql_error_code
FROM (VALUES ('[]'), ('{"lexicon": 1, "id": "a.b.c", "defs": {"main": {"type": "token"}}}'), (''),
             ('[}'), ('[1]'), ('[0.5]'), ('{"id": "a.b.c"}'), (repeat('[', 100000)),
             ('[{"id": "a.b.c"}, {"id": "a.b.c", "x": 1}]')) v(t),
     pg_input_error_info(t, 'atid.lexicon');

SELECT current_setting('server_version_num')::int >= 170000 AS has_on_error \gset
\if :has_on_error
\else
\echo COPY ... ON_ERROR came with PostgreSQL 17
\quit
\endif

CREATE TEMP TABLE copied (id atid.tid, key atid.rkey, cid atid.cid_link);
SET client_min_messages = warning;
COPY copied FROM stdin (ON_ERROR ignore);
3jzfcijpj2z2a	self	bafkqaaa
3JZFCIJPJ2Z2A	self	bafkqaaa
3jzfcijpj2z2b	not ok	bafkqaaa
3jzfcijpj2z2b	self	bafkqaab
3jzfcijpj2z2c	last	bafkqablimvwgy3y
\.
SELECT * FROM copied;
