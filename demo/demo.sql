-- The demo's SQL. script/demo runs it, as the superuser of a throw-away server:
--
--     psql -X -v ON_ERROR_STOP=1 <demo.sql
--
-- in this folder, where records.jsonl is. Every statement is shown before its result (ECHO queries).
-- The statements between `\set ECHO none` and `\set ECHO queries` are not shown. They check that the step
-- had the expected result: check.sql stops the demo if :ok is not true, and error.sql if the statement
-- before it did not fail with the message in :want. (psql looks at ON_ERROR_STOP when it reads a line, so
-- it has to be on again before the line with \ir.)

\set ON_ERROR_STOP on
\set ECHO none
\set QUIET on
\pset footer off
\pset null '-'
\pset linestyle ascii
\pset border 1
set client_min_messages = notice;
\set QUIET off

\echo
\echo '1. A database and its owner'
\echo
\echo 'The superuser creates an ordinary role, and a database that this role owns. Only step 9 needs'
\echo 'pg_monitor.'
\echo
\set ECHO queries
create role appview login;
grant pg_monitor to appview;
create database appview owner appview;

\set ECHO none
\echo 'This role runs all following steps. atid is a trusted extension, so the owner of a database can'
\echo 'create it.'
\echo
\echo '\\connect appview appview'
\connect appview appview
\set ECHO queries
create extension atid;
select current_user, rolsuper, extname, extversion
  from pg_roles, pg_extension
 where rolname = current_user and extname = 'atid';

\set ECHO none
select not rolsuper and extversion = default_version as ok
  from pg_roles, pg_extension, pg_available_extensions
 where rolname = current_user and extname = 'atid' and name = extname \gset
\set what 'atid, in its newest version, created by a role that is no superuser'
\ir check.sql
\echo
\echo '2. Identifiers'
\echo
\echo 'A TID is a time in microseconds and ten bits of clock id, in 13 characters that sort by time.'
\echo 'Always write atid.tid: the type tid, without a schema, is the tuple identifier of the server.'
\echo
\set ECHO queries
create table minted (
    n   int,
    id  atid.tid default atid.tid_generate(),
    uid uuid     default atid.uuid_generate_v7()
);
insert into minted (n) select generate_series(1, 3);
select n, id, atid.tid_timestamp(id), atid.tid_clock_id(id) as clock_id, uid from minted order by id;

\set ECHO none
select count(*) = 3
       and bool_and(abs(extract(epoch from clock_timestamp() - atid.tid_timestamp(id))) < 60)
       and array_agg(n order by id) = array[1, 2, 3]
       and array_agg(n order by uid) = array[1, 2, 3] as ok
  from minted \gset
\set what 'three identifiers of each kind, of the current time, in the order in which they were generated'
\ir check.sql
\echo
\echo '3. Records of the network'
\echo
\echo 'An AppView stores what the network sends. Its key column has the type atid.record_key, which accepts'
\echo 'every key that the protocol allows. The Lexicon of a collection defines its type of key:'
\echo
\set ECHO queries
create function key_type(collection text) returns text immutable parallel safe
return case
    when collection in ('app.bsky.actor.profile', 'chat.bsky.actor.declaration',
                        'com.example.weather.station') then 'literal:self'
    when collection in ('app.bsky.feed.post', 'app.bsky.feed.like', 'app.bsky.feed.repost',
                        'app.bsky.feed.threadgate', 'app.bsky.feed.postgate',
                        'app.bsky.graph.follow', 'app.bsky.graph.list', 'app.bsky.graph.listitem',
                        'com.example.weather.report') then 'tid'
    when collection = 'com.atproto.lexicon.schema' then 'nsid'
    else 'any'
end;

create table records (
    did         text            not null,
    collection  text            not null,
    rkey        atid.record_key not null,
    cid         atid.cid_link   not null,
    record      jsonb           not null,
    indexed_at  timestamptz     not null default now(),
    uri         atid.at_uri     generated always as (atid.at_uri_make(did, collection, rkey)) stored,
    primary key (did, collection, rkey),
    constraint key_fits_collection check (atid.record_key_conforms(rkey, key_type(collection))),
    constraint cid_fits_record     check (cid = atid.record_cid(record)),
    constraint record_is_valid     check (atid.record_is_valid(record))
);
create index on records (collection, rkey, did);

\set ECHO none
\echo 'records.jsonl has some weeks of a small, made-up network, one record per line.'
\echo
\set ECHO queries
create temporary table incoming (line jsonb);
\set ECHO none
\set load '\\copy incoming from records.jsonl with (format csv, delimiter e''\\x02'', quote e''\\x01'')'
\echo :load
:load
\set ECHO queries
insert into records (did, collection, rkey, cid, record)
select line->>'did', line->>'collection', line->>'rkey', line->>'cid', line->'record' from incoming;

select collection, key_type(collection), count(*), min(rkey) as first_key, max(rkey) as last_key
  from records group by collection order by collection;

\set ECHO none
select (select count(*) from records) = (select count(*) from incoming)
       and (select count(*) from records) = 419
       and (select bool_and(atid.record_key_conforms(rkey, record->'defs'->'main'->>'key') is not null
                            and key_type(rkey) = record->'defs'->'main'->>'key')
              from records where collection = 'com.atproto.lexicon.schema') as ok \gset
\set what 'every line of records.jsonl is in the table'
\ir check.sql
\echo
\echo '4. Invalid keys'
\echo
\echo 'These functions check a key without raising an error. The type atid.rkey is for keys of your own, and'
\echo 'does not allow a colon.'
\echo
\set ECHO queries
select key, atid.rkey_is_valid(key) as rkey, atid.record_key_is_valid(key) as record_key,
       atid.tid_is_valid(key) as tid
  from unnest(array['3jzfcijpj2z2a', 'self', 'lang:pt-BR', '3JZFCIJPJ2Z2A', 'alpha/beta', '..', '']) as key;

\set ECHO none
select array_agg(array[atid.rkey_is_valid(key), atid.record_key_is_valid(key), atid.tid_is_valid(key)])
       = array[[true, true, true], [true, true, false], [false, true, false], [true, true, false],
               [false, false, false], [false, false, false], [false, false, false]] as ok
  from unnest(array['3jzfcijpj2z2a', 'self', 'lang:pt-BR', '3JZFCIJPJ2Z2A', 'alpha/beta', '..', '']) as key \gset
\set what 'the table of valid and invalid keys'
\ir check.sql
\echo 'The table refuses invalid keys, and the error names the broken rule.'
\echo

\set ECHO queries
\set ON_ERROR_STOP off
insert into records (did, collection, rkey)
values ('did:web:example.com', 'app.bsky.feed.post', 'alpha/beta');
\set ON_ERROR_STOP on
\set want 'value for domain atid.record_key violates check constraint "record_key_characters"'
\ir error.sql
\set ON_ERROR_STOP off
insert into records (did, collection, rkey)
values ('did:web:example.com', 'app.bsky.feed.post', '..');
\set ON_ERROR_STOP on
\set want 'value for domain atid.record_key violates check constraint "record_key_dot_segment"'
\ir error.sql
\set ON_ERROR_STOP off
insert into records (did, collection, rkey)
values ('did:web:example.com', 'app.bsky.feed.post', repeat('z', 513));
\set ON_ERROR_STOP on
\set want 'value for domain atid.record_key violates check constraint "record_key_length"'
\ir error.sql

\set ECHO none
\echo 'A valid key can still be wrong for its collection: the key of a profile is always self.'
\echo
\set ECHO queries
\set ON_ERROR_STOP off
insert into records
values ('did:web:example.com', 'app.bsky.actor.profile', 'me', atid.record_cid('{}'), '{}', '2025-04-01');
\set ON_ERROR_STOP on
\set want 'new row for relation "records" violates check constraint "key_fits_collection"'
\ir error.sql

\set ECHO none
\echo 'A TID has 13 characters, in lower case, without hyphens.'
\echo
\set ECHO queries
\set ON_ERROR_STOP off
select atid.tid '3JZFCIJPJ2Z2A';
\set ON_ERROR_STOP on
\set want 'invalid input syntax for type atid.tid: "3JZFCIJPJ2Z2A"'
\ir error.sql
\set ON_ERROR_STOP off
select atid.tid '3jzf-cij-pj2z-2a';
\set ON_ERROR_STOP on
\set want 'invalid input syntax for type atid.tid: "3jzf-cij-pj2z-2a"'
\ir error.sql

\set ECHO none
\echo
\echo '5. Records and their CIDs'
\echo
\echo 'Every record came with its CID, which contains the hash of its DAG-CBOR. The constraint'
\echo 'cid_fits_record has checked each of them. The same check, as a query:'
\echo
\set ECHO queries
select count(*), count(*) filter (where atid.record_cid(record) = cid) as cid_fits,
       count(*) filter (where atid.record_problem(record) is null) as valid,
       pg_size_pretty(sum(octet_length(atid.record_to_dag_cbor(record)))) as dag_cbor
  from records;

\set ECHO none
select count(*) = 419 and bool_and(atid.record_cid(record) = cid) and bool_and(atid.record_is_valid(record)) as ok
  from records \gset
\set what 'all 419 CIDs are those of their records'
\ir check.sql
\echo 'A record that was tampered with is refused:'
\echo
\set ECHO queries
\set ON_ERROR_STOP off
update records set record = jsonb_set(record, '{displayName}', '"Somebody Else"')
 where collection = 'app.bsky.actor.profile';
\set ON_ERROR_STOP on
\set want 'new row for relation "records" violates check constraint "cid_fits_record"'
\ir error.sql

\set ECHO none
\echo 'Data that the protocol does not allow is refused, too. record_problem returns what is wrong, and where:'
\echo
\set ECHO queries
select atid.record_problem(r) as problem
  from (values (jsonb '{"$type": "com.example.weather.report", "temperature": 21.5}'),
               ('{"$type": "", "text": "nothing"}'),
               ('{"embed": {"images": [{"image": {"$type": "blob", "mimeType": "image/png", "size": 1}}]}}'),
               ('{"reply": {"$link": "QmbWqxBEKC3P8tqsKc98xmWNzrzDtRLMiMPL8wBuTGsMnR"}}')) as v (r);

\set ECHO none
select count(atid.record_problem(r)) = 4 as ok
  from (values (jsonb '{"temperature": 21.5}'), ('{"$type": ""}'),
               ('{"image": {"$type": "blob", "mimeType": "image/png", "size": 1}}'),
               ('{"reply": {"$link": "QmbWqxBEKC3P8tqsKc98xmWNzrzDtRLMiMPL8wBuTGsMnR"}}')) as v (r) \gset
\set what 'four problems'
\ir check.sql
\echo 'A repository stores a record as a block. Converted to a record and back, the block has the same bytes:'
\echo
\set ECHO queries
select block from records, atid.record_to_dag_cbor(record) as block
 where collection = 'com.example.weather.station' and rkey = 'self' limit 1;

select back as record, atid.record_to_dag_cbor(back) = block as same_bytes,
       atid.cid_of(block, 'dag-cbor') = cid as same_cid
  from records, atid.record_to_dag_cbor(record) as block, atid.dag_cbor_to_record(block) as back
 where collection = 'com.example.weather.station' and rkey = 'self' limit 1;

\set ECHO none
select count(*) = 419 and bool_and(back = record and atid.record_to_dag_cbor(back) = block
                                   and atid.cid_of(block, 'dag-cbor') = cid) as ok
  from records, atid.record_to_dag_cbor(record) as block, atid.dag_cbor_to_record(block) as back \gset
\set what 'blocks are the same after conversion to records and back'
\ir check.sql
\echo 'Records refer to blobs, which are files such as pictures, and to other data by links.'
\echo
\set ECHO queries
select right(did, 12) as did, blob.path, left(blob.cid::text, 16) || '...' as cid, blob.mime_type, blob.size
  from records, atid.record_blobs(record) as blob
 order by did, rkey, blob.path limit 5;

select link.path, count(*), min(link.cid) as first
  from records, atid.record_links(record) as link group by link.path order by link.path;

\set ECHO none
select (select count(*) from records, atid.record_blobs(record)) =
       (select count(*) from records, jsonb_path_query(record, 'strict $.** ? (@."$type" == "blob")'))
       and (select count(*) from records, atid.record_links(record)) =
           (select count(*) from records, jsonb_path_query(record, 'strict $.**."$link"')) as ok \gset
\set what 'every blob is listed'
\ir check.sql
\echo
\echo '6. Newest first, page by page'
\echo
\echo 'A view of the posts. Keys sort byte by byte, as in repositories, whatever the locale.'
\echo
\set ECHO queries
create view feed as
select p.rkey, p.did, a.record->>'displayName' as author, p.record->>'text' as text
  from records p
  left join records a on (a.did, a.collection, a.rkey) = (p.did, 'app.bsky.actor.profile', 'self')
 where p.collection = 'app.bsky.feed.post';

select rkey, author, left(text, 40) as text from feed
 order by rkey desc, did desc limit 5;

\set ECHO none
select rkey, did from feed order by rkey desc, did desc offset 4 limit 1 \gset
\echo 'The key of the last row is the cursor: the next page has the rows before it.'
\echo
\set ECHO queries
select rkey, author, left(text, 40) as text from feed
 where (rkey, did) < (:'rkey', :'did')
 order by rkey desc, did desc limit 5;

\set ECHO none
\echo 'And so on to the very first post, 25 at a time.'
\echo
\set ECHO queries
do $$
declare
    cursor_rkey text := '~';  -- above every TID
    cursor_did  text := '';
    pages int := 0;  posts int := 0;  post record;
begin
    loop
        pages := pages + 1;
        for post in
            select rkey, did from feed
             where (rkey, did) < (cursor_rkey, cursor_did)
             order by rkey desc, did desc limit 25
        loop
            posts := posts + 1;
            cursor_rkey := post.rkey;
            cursor_did := post.did;
        end loop;
        exit when posts < pages * 25;
    end loop;
    raise notice '% pages, % posts, the first ever is %', pages, posts, cursor_rkey;
    assert posts = (select count(*) from feed) and cursor_rkey = (select min(rkey) from feed);
end $$;

\set ECHO none
select array_agg(rkey order by rkey desc, did desc) = array_agg(rkey order by at desc, did desc) and count(*) = 135 as ok
  from (select f.rkey, f.did, atid.tid_timestamp(f.rkey::text::atid.tid) as at from feed f) as t \gset
\set what 'the order of the keys is the order of their times'
\ir check.sql
\echo
\echo '7. A range of time'
\echo
\echo 'If every key is a TID, a column of type atid.tid stores it in 8 bytes, and a range of time is a range'
\echo 'of TIDs. Next to the posts, the table has a hundred thousand made-up TIDs of the year before.'
\echo
\set ECHO queries
create table timeline (id atid.tid, did text, primary key (id, did));
insert into timeline select rkey, did from records where collection = 'app.bsky.feed.post';
insert into timeline select atid.tid_make(t, 0), 'did:web:example.com'
  from generate_series(timestamptz '2024-01-01', '2024-12-31', '5 minutes') as t;
vacuum analyze timeline;

\set ECHO none
\echo 'tid_floor and tid_ceil are the lowest and the highest TID of a microsecond. 19 March, until 10:00:'
\echo
\set ECHO queries
select t.id, atid.tid_timestamp(t.id), author, left(text, 32) as text
  from timeline t join feed on (feed.rkey, feed.did) = (t.id::text, t.did)
 where t.id between atid.tid_floor('2025-03-19 00:00') and atid.tid_ceil('2025-03-19 10:00')
 order by t.id;
explain (costs off)
select id, did from timeline
 where id between atid.tid_floor('2025-03-19 00:00') and atid.tid_ceil('2025-03-19 10:00')
 order by id;

\set ECHO none
\set QUIET on
create function pg_temp.plan() returns setof text language plpgsql as $$
begin
    return query execute
        $q$ explain (costs off)
            select id, did from timeline
             where id between atid.tid_floor('2025-03-19 00:00') and atid.tid_ceil('2025-03-19 10:00')
             order by id $q$;
end $$;
\set QUIET off
select (select string_agg(line, e'\n') from pg_temp.plan() as line) ~ '^Index (Only )?Scan using timeline_pkey'
       and (select count(*) from timeline where id > atid.tid_floor('2025-01-01')) = 135
       and (select array_agg(id::text order by id) from timeline
             where id between atid.tid_floor('2025-03-19 00:00') and atid.tid_ceil('2025-03-19 10:00'))
         = (select array_agg(rkey::text order by rkey) from records
             where collection = 'app.bsky.feed.post'
               and (record->>'createdAt')::timestamptz between '2025-03-19 00:00' and '2025-03-19 10:00')
       as ok \gset
\set what 'an index scan finds the posts made in that range of time'
\ir check.sql
\echo 'Writers choose their keys, so a key proves no time. These writers were honest:'
\echo
\set ECHO queries
select count(*), max(atid.tid_timestamp(t.id) - (record->>'createdAt')::timestamptz) as furthest_from_created_at
  from timeline t join records r on (r.collection, r.rkey, r.did) = ('app.bsky.feed.post', t.id::text, t.did);

\set ECHO none
select count(*) = 135 and bool_and(abs(extract(epoch from
           atid.tid_timestamp(r.rkey::text::atid.tid) - (record->>'createdAt')::timestamptz)) < 1) as ok
  from records r where collection = 'app.bsky.feed.post' \gset
\set what 'the TIDs fit createdAt'
\ir check.sql
\echo
\echo '8. Records of your own'
\echo
\echo 'Keys of your own have the type atid.rkey, and the database generates them.'
\echo
\set ECHO queries
create table own_posts (
    rkey    atid.rkey primary key default atid.tid_generate(),
    record  jsonb     not null
);
insert into own_posts (record)
select jsonb_build_object('$type', 'app.bsky.feed.post', 'text', text, 'createdAt', now())
  from unnest(array['Hello from the database.', 'Still here.', 'In the order it was said in. 🐘']) as text
returning rkey, record->>'text' as text;

\set ECHO none
select count(*) = 3 and bool_and(atid.rkey_conforms(rkey, 'tid'))
       and array_agg(record->>'text' order by rkey)
         = array['Hello from the database.', 'Still here.', 'In the order it was said in. 🐘'] as ok
  from own_posts \gset
\set what 'three posts, with keys in the order in which they were generated'
\ir check.sql
\set ECHO queries
\set ON_ERROR_STOP off
insert into own_posts (rkey, record) values ('pre:fix', '{}');
\set ON_ERROR_STOP on
\set want 'value for domain atid.rkey violates check constraint "rkey_characters"'
\ir error.sql
\set ECHO none
\echo
\echo '9. The generator'
\echo
\echo 'Each database has one generator, for all sessions. Members of pg_monitor can read its state.'
\echo
\set QUIET on
\pset expanded on
\set QUIET off
\set ECHO queries
select * from atid.generator_state();

\set ECHO none
\set QUIET on
\pset expanded off
\set QUIET off
select count(*) = 1 and bool_and(last_tid >= (select max(rkey)::text::atid.tid from own_posts)) as ok
  from atid.generator_state() \gset
\set what 'generator_state() returns the last TID'
\ir check.sql

\set ECHO none
\echo
\echo '10. Whole accounts'
\echo
\echo 'repositories/ has a CAR for each account, as its server would export it, written by another'
\echo 'implementation. It has the commit that the account signed, and the tree that the commit names.'
\echo
\set ECHO queries
create table cars (car bytea not null check (atid.repo_is_valid(car)));
create temporary table files (car text);
\set ECHO none
\set load '\\copy files from program ''for car in repositories/*; do base64 -w 0 $car; echo; done'''
\echo :load
:load
\set ECHO queries
insert into cars select decode(car, 'base64') from files;
select c.did, c.rev, (select count(*) from atid.car_blocks(car)) as blocks, c.data
  from cars, atid.repo_commit(car) as c order by did limit 3;

create table copies (like records including all);
insert into copies (did, collection, rkey, cid, record)
select c.did, r.collection, r.rkey, r.cid, atid.dag_cbor_to_record(r.block)
  from cars, atid.repo_commit(car) as c, atid.repo_records(car) as r;

\set ECHO none
select count(*) = 419 and not exists (select did, collection, rkey, cid, record from copies
                                      except select did, collection, rkey, cid, record from records) as ok
  from copies \gset
\set what 'the CARs have the records of records.jsonl'
\ir check.sql
\echo 'A single changed byte is detected:'
\echo
\set ECHO queries
select atid.repo_problem(set_byte(car, length(car) / 2, get_byte(car, length(car) / 2) # 1)) as problem
  from cars limit 1;
\set ECHO none
\echo 'The database itself makes the tree of the records in the first table. Its root is the one that each'
\echo 'commit names:'
\echo
\set ECHO queries
select count(*) as accounts, sum(t.entries) as entries, bool_and(t.root = c.data) as "is what was signed"
  from cars, atid.repo_commit(car) as c
  join (select did, count(*) as entries,
               atid.mst_root(collection || '/' || rkey, cid
                             order by (collection || '/' || rkey) collate "C") as root
          from records group by did) as t on t.did = c.did::text;

\set ECHO none
select count(*) = 14 and sum(t.entries) = 419 and bool_and(t.root = c.data) as ok
  from cars, atid.repo_commit(car) as c
  join (select did, count(*) as entries,
               atid.mst_root(collection || '/' || rkey, cid
                             order by (collection || '/' || rkey) collate "C") as root
          from records group by did) as t on t.did = c.did::text \gset
\set what 'the root of each account is the one that its commit names'
\ir check.sql
\echo
\echo '11. Signatures'
\echo
\echo 'The log of an account in the PLC directory lists the keys that it has had. plc.jsonl has the logs as the'
\echo 'directory exports them, one signed operation per line. atid_crypto verifies them:'
\echo
\set ECHO queries
create extension atid_crypto;
create table plc_operations (line jsonb);
\set ECHO none
\set load '\\copy plc_operations from plc.jsonl with (format csv, delimiter e''\\x02'', quote e''\\x01'')'
\echo :load
:load
\set ECHO queries
create view plc_logs as
select line->>'did' as did, jsonb_agg(line order by (line->>'seq')::bigint) as log
  from plc_operations group by 1;
select count(*) as logs, sum(jsonb_array_length(log)) as operations,
       count(*) filter (where atid.plc_log_problem(log) is null) as valid
  from plc_logs;

\set ECHO none
select count(*) = 13 and sum(jsonb_array_length(log)) = 14 and bool_and(atid.plc_log_problem(log) is null) as ok
  from plc_logs \gset
\set what '13 logs with 14 operations, all valid'
\ir check.sql
\echo 'A commit must be signed by the key that its account had at that time. (A did:web has no log; its key'
\echo 'is in a document on its own domain.)'
\echo
\set ECHO queries
create table accounts as
select c.did::text, c.at, k.key, car
  from cars
 cross join lateral (select did, atid.tid_timestamp(rev) as at from atid.repo_commit(car)) as c
  left join plc_logs l on l.did = c.did::text
  left join lateral (select key from atid.plc_log_keys(log)
                      where did = c.did::text and id = 'atproto' and not nullified
                        and tstzrange(valid_from, valid_to) @> c.at) as k on true;
select did, date_trunc('second', at) as signed_at, left(key, 10) || '...' || right(key, 4) as key,
       atid.repo_is_signed_by(car, did, key) as signed
  from accounts order by did;

\set ECHO none
select count(*) = 14 and count(*) filter (where atid.repo_is_signed_by(car, did, key)) = 13
       and bool_and(key is not null or did like 'did:web:%') as ok
  from accounts \gset
\set what 'the signatures of all accounts that have a log are valid'
\ir check.sql
\echo 'One account moved to another server in April, with a new key. The old key signed its commit of March:'
\echo
\set ECHO queries
select k.valid_from, k.valid_to, right(k.key, 4) as key, atid.repo_is_signed_by(car, k.did, k.key) as signed
  from plc_logs join accounts using (did), atid.plc_log_keys(log) as k
 where jsonb_array_length(log) > 1 order by k.valid_from;

\set ECHO none
select array_agg(atid.repo_is_signed_by(car, k.did, k.key) order by k.valid_from) = array[true, false] as ok
  from plc_logs join accounts using (did), atid.plc_log_keys(log) as k
 where jsonb_array_length(log) > 1 \gset
\set what 'the older of two keys has signed'
\ir check.sql
\echo 'repo_records_signed_by lists the records of a repository if the key signed it, and otherwise fails:'
\echo
\set ECHO queries
select count(distinct did) as accounts, count(*) as records
  from accounts, atid.repo_records_signed_by(car, did, key) where key is not null;

\set ECHO none
select count(*) = (select count(*) from records where did like 'did:plc:%') as ok
  from accounts, atid.repo_records_signed_by(car, did, key) where key is not null \gset
\set what 'the records of all accounts with a log'
\ir check.sql
\echo 'In a forged log, the first or the second operation has another key, and the CID that fits. But the DID is'
\echo 'made from the hash of the first operation, and a key of the first must sign the second:'
\echo
\set ECHO queries
select n as operation, atid.plc_log_problem(jsonb_set(log, array[n::text], log->n
           || jsonb_build_object('operation', forged, 'cid', atid.record_cid(forged)))) as problem
  from plc_logs, generate_series(0, 1) as n,
       jsonb_set(log->n->'operation', '{verificationMethods,atproto}',
                 '"did:key:zQ3shVpqCQYq6c5S6xeWvpz74yoKFAh6S6W5DzYg9uKFNEHLK"') as forged
 where jsonb_array_length(log) > 1 order by n;

\set ECHO none
select array_agg(atid.plc_log_problem(jsonb_set(log, array[n::text], log->n
           || jsonb_build_object('operation', forged, 'cid', atid.record_cid(forged)))) order by n)
       = array['$[0].did: The value must be the DID that the genesis operation makes.',
               '$[1].operation.sig: The signature must be by a rotation key of $[0].operation.'] as ok
  from plc_logs, generate_series(0, 1) as n,
       jsonb_set(log->n->'operation', '{verificationMethods,atproto}',
                 '"did:key:zQ3shVpqCQYq6c5S6xeWvpz74yoKFAh6S6W5DzYg9uKFNEHLK"') as forged
 where jsonb_array_length(log) > 1 \gset
\set what 'forged operations are refused'
\ir check.sql
\echo
\echo '12. References'
\echo
\echo 'Records name each other by AT URI, and accounts by DID. record_refs lists both, in any field:'
\echo
\set ECHO queries
create table refs as
select r.uri as source, ref.field, ref.uri, ref.did, ref.cid
  from records r, atid.record_refs(r.record) as ref;
create index on refs (uri, field);
select atid.at_uri_collection(source) as collection, field, count(*), count(cid) as strong
  from refs group by collection, field order by count(*) desc, collection, field limit 8;

\set ECHO none
select (select count(*) from refs) =
       (select count(*) from records, jsonb_path_query(record, 'strict $.** ? (@.type() == "string")') as s
         where atid.at_uri_is_valid(s #>> '{}') or atid.did_is_valid(s #>> '{}'))
       and (select count(cid) from refs) =
           (select count(*) from records, jsonb_path_query(record, 'strict $.** ? (exists (@.uri) && exists (@.cid))'))
       and not exists (select from refs join records r using (uri) where refs.cid <> r.cid) as ok \gset
\set what 'every reference is listed, and a strong one has the CID of its record'
\ir check.sql
\echo 'The most liked posts, with the number of their replies:'
\echo
\set ECHO queries
select p.rkey, left(p.record->>'text', 40) as text,
       count(*) filter (where atid.at_uri_collection(source) = 'app.bsky.feed.like') as likes,
       count(*) filter (where field = '$.reply.parent.uri') as replies
  from records p join refs using (uri)
 where p.collection = 'app.bsky.feed.post'
 group by p.rkey, text, p.uri order by likes desc, p.rkey limit 5;

\set ECHO none
select (select count(*) from records p join refs using (uri)
         where (atid.at_uri_collection(source), field) = ('app.bsky.feed.like', '$.subject.uri')
           and p.collection = 'app.bsky.feed.post') =
       (select count(*) from records l join records p on p.uri::text = l.record->'subject'->>'uri'
         where l.collection = 'app.bsky.feed.like' and p.collection = 'app.bsky.feed.post')
       and (select count(*) from refs where field = '$.reply.parent.uri') =
           (select count(*) from records where record ? 'reply') as ok \gset
\set what 'likes and replies are those that the records have'
\ir check.sql
\echo 'A timeline: the posts of the accounts that one account follows. It sorts by the time that their writers'
\echo 'claim. sort_at uses that time only if it is valid, and not later than the time of indexing.'
\echo
\set ECHO queries
alter table records add sort_at timestamptz
    generated always as (atid.sort_at(record->>'createdAt', indexed_at)) stored;
select p.sort_at, right(p.did, 12) as did, left(p.record->>'text', 40) as text
  from refs f join records p on p.did = f.did::text
 where f.source <@ 'at://did:plc:74cfafgqjfuremldiwk2tqo3/app.bsky.graph.follow'::atid.at_uri
   and p.collection = 'app.bsky.feed.post'
 order by p.sort_at desc, p.uri limit 5;

\set ECHO none
select count(*) = 419 and bool_and(sort_at = case when record ? 'createdAt'
                                                  then date_trunc('milliseconds', (record->>'createdAt')::timestamptz)
                                                  else indexed_at end) as ok
  from records \gset
\set what 'sort_at is the time that the writer claims, where there is one'
\ir check.sql
\echo
\echo '13. Lexicons'
\echo
\echo 'lexicons.jsonl has some Lexicons. Three more are among the records: an account has published them.'
\echo
\set ECHO queries
create table lexicons (document atid.lexicon);
\set ECHO none
\set load '\\copy lexicons from lexicons.jsonl with (format csv, delimiter e''\\x02'', quote e''\\x01'')'
\echo :load
:load
\set ECHO queries
insert into lexicons
select record::atid.lexicon from records
 where collection = 'com.atproto.lexicon.schema' and record->>'id' = rkey and did = 'did:web:lighthouse.example.com';
create view rules as select atid.lexicon_agg(document) as lexicons from lexicons;

select cardinality(atid.lexicon_nsids(lexicons)) as documents, atid.lexicon_missing(lexicons) from rules;

\set ECHO none
\echo 'The Lexicons of three kinds of embeds are missing. For a post that has one, and for a record of a type'
\echo 'without a Lexicon, the result is NULL:'
\echo
\set ECHO queries
select collection, count(*) filter (where ok) as conform, count(*) filter (where not ok) as do_not,
       count(*) filter (where ok is null) as unknown
  from records, rules, atid.record_conforms(record, lexicons, collection) as ok
 group by collection order by collection;

\set ECHO none
select count(*) filter (where ok) = 394 and count(*) filter (where ok is null) = 25 as ok
  from records, rules, atid.record_conforms(record, lexicons, collection) as ok \gset
\set what 'all records conform, or it is unknown'
\ir check.sql
\echo 'One of the posts, damaged in four ways:'
\echo
\set ECHO queries
create view broken as
select n, broken.record
  from records r, lateral (values (1, record #- '{embed,images,0,alt}'),
                                  (2, jsonb_set(record, '{langs,0}', '"Deutsch?"')),
                                  (3, jsonb_set(record, '{text}', to_jsonb(repeat(U&'e\0301', 301)))),
                                  (4, jsonb_set(record, '{createdAt}', '"2025-03-04 16:56"'))) as broken (n, record)
 where rkey = (select min(rkey) from records where record->'embed'->>'$type' = 'app.bsky.embed.images');
select n, atid.record_conforms_problem(record, lexicons) from broken, rules;

\set ECHO none
select array_agg(atid.record_conforms_problem(record, lexicons) order by n)
       = array['$.embed.images[0]: The object must have the property "alt".',
               '$.langs[0]: At character 8: A language tag must have only letters, digits and hyphens.',
               '$.text: The length of the string in graphemes must not be more than 300.',
               '$.createdAt: At character 11: There must be a "T" between date and time.'] as ok
  from broken, rules \gset
\set what 'each is refused for its reason'
\ir check.sql
\echo 'With a domain, a column accepts only records that conform. The domain contains the Lexicon:'
\echo
\set ECHO queries
select format('create domain weather_report as jsonb check (atid.record_must_conform(value, %L, %L))',
              atid.lexicon_only(lexicons, array['com.example.weather.report']), 'com.example.weather.report')
  from rules
\gexec
create table weather (record weather_report not null);
insert into weather select record from records where collection = 'com.example.weather.report';
\set ON_ERROR_STOP off
insert into weather select record || '{"windForce": 13}' from weather limit 1;
\set ON_ERROR_STOP on
\set want 'record does not conform to its Lexicon'
\ir error.sql

\set ECHO none
\echo
\echo '14. Typed views'
\echo
\echo 'indexer/sql/views.sql makes a view of each record type, with a typed column for each property. Engines such as'
\echo 'PostGraphile and PostgREST make an API of such views (doc/views.md).'
\echo
\set QUIET on
\ir ../indexer/sql/views.sql
\set QUIET off
\set ECHO queries
create schema api;
select make_views(lexicons, 'records', 'api') as views from rules;
\d api.com_example_weather_report
select station_name, temperature, wind_force, created_at
  from api.com_example_weather_report where wind_force >= 7 order by created_at desc limit 3;

\set ECHO none
select count(*) = (select count(*) from records where collection = 'com.example.weather.report')
       and bool_and((station_name, temperature) = (record->>'stationName', (record->'temperature')::bigint)
                    and wind_force is not distinct from (record->'windForce')::bigint) as ok
  from api.com_example_weather_report join records using (uri) \gset
\set what 'the columns have the values of the records'
\ir check.sql
