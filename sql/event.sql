-- event: frames of an event stream, and what is true in them

-- An account is a set of paths, each with the text of its record.
CREATE FUNCTION block_of(content text) RETURNS bytea LANGUAGE sql IMMUTABLE
  RETURN atid.record_to_dag_cbor(jsonb_build_object('$type', 'com.example.note', 'text', content));
CREATE FUNCTION cid_of(content text) RETURNS atid.cid_link LANGUAGE sql IMMUTABLE STRICT
  RETURN atid.cid_of(block_of(content), 'dag-cbor');
CREATE FUNCTION tree_of(account jsonb) RETURNS bytea LANGUAGE sql IMMUTABLE
  RETURN (SELECT atid.mst_car(key, cid_of(value) ORDER BY key COLLATE "C")
      FROM jsonb_each_text(account));
CREATE FUNCTION root_of(account jsonb) RETURNS atid.cid_link LANGUAGE sql IMMUTABLE
  RETURN (SELECT atid.mst_root(key, cid_of(value) ORDER BY key COLLATE "C")
      FROM jsonb_each_text(account));

-- A CAR of any roots.
CREATE FUNCTION varint(n int) RETURNS bytea LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN CASE WHEN n < 128 THEN set_byte('\x00', 0, n)
    ELSE set_byte('\x00', 0, 128 + n % 128) || varint(n / 128) END;
END $$;
CREATE FUNCTION link_json(cid atid.cid_link) RETURNS jsonb LANGUAGE sql IMMUTABLE
  RETURN CASE WHEN cid IS NULL THEN 'null' ELSE jsonb_build_object('$link', cid::text) END;
CREATE FUNCTION car_of(roots atid.cid_link[], blocks bytea[]) RETURNS bytea LANGUAGE plpgsql AS $$
DECLARE
  header bytea := atid.record_to_dag_cbor(jsonb_build_object(
    'version', 1,
    'roots', (SELECT coalesce(jsonb_agg(link_json(cid) ORDER BY n), '[]')
                FROM unnest(roots) WITH ORDINALITY AS r (cid, n))));
  car bytea := varint(length(header)) || header;
  block bytea;
BEGIN
  FOREACH block IN ARRAY blocks LOOP
    car := car || varint(36 + length(block)) || atid.cid_of(block, 'dag-cbor')::bytea || block;
  END LOOP;
  RETURN car;
END $$;

CREATE FUNCTION commit_of(data atid.cid_link, rev text, other jsonb DEFAULT '{}')
RETURNS bytea LANGUAGE sql
  RETURN atid.record_to_dag_cbor(jsonb_build_object(
      'did', 'did:web:ada.example', 'version', 3, 'rev', rev, 'prev', NULL,
      'data', link_json(data), 'sig', atid.bytes_json(decode(repeat('5a', 64), 'hex'))) || other);

-- The body of the #commit that leads from one state of the account to another.
CREATE FUNCTION event_of(before jsonb, after jsonb, other jsonb DEFAULT '{}')
RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  commit bytea := commit_of(root_of(after), '3kiwuyhjckc25', coalesce(other->'commit', '{}'));
  cid atid.cid_link := atid.cid_of(commit, 'dag-cbor');
  ops jsonb;
  roots atid.cid_link[];
  blocks bytea[];
BEGIN
  SELECT coalesce(jsonb_agg(o ORDER BY key COLLATE "C"), '[]') INTO ops
    FROM (SELECT key, jsonb_strip_nulls(jsonb_build_object(
                   'path', key,
                   'prev', link_json(cid_of(b.value)),
                   'action', CASE WHEN b.value IS NULL THEN 'create'
                                  WHEN a.value IS NULL THEN 'delete' ELSE 'update' END))
                 || jsonb_build_object('cid', link_json(cid_of(a.value))) AS o
            FROM jsonb_each_text(before) b FULL JOIN jsonb_each_text(after) a USING (key)
           WHERE a.value IS DISTINCT FROM b.value) x;

  SELECT cid || coalesce(array_agg(r.value::atid.cid_link), '{}') INTO roots
    FROM jsonb_array_elements_text(other->'roots') r;

  -- the commit, the nodes, the records, and what else was asked for
  blocks := commit || (SELECT array_agg(block ORDER BY n) FROM atid.car_blocks(tree_of(after)))
    || coalesce((SELECT array_agg(block_of(value) ORDER BY key) FROM jsonb_each_text(after)), '{}')
    || coalesce((SELECT array_agg(block_of(e.value))
                   FROM jsonb_array_elements_text(other->'extra') e), '{}');

  RETURN jsonb_build_object(
    'seq', 7, 'repo', 'did:web:ada.example', 'rev', '3kiwuyhjckc25', 'since', '3kiwuyhjckb25',
    'time', '2024-01-14T12:00:00.000Z', 'commit', link_json(cid),
    'tooBig', false, 'rebase', false, 'blobs', '[]'::jsonb,
    'prevData', link_json(root_of(before)), 'ops', ops,
    'blocks', atid.bytes_json(car_of(roots, blocks)));
END $$;

CREATE FUNCTION frame_of(header jsonb, body jsonb DEFAULT '{}') RETURNS bytea LANGUAGE sql
  RETURN atid.record_to_dag_cbor(header) || atid.record_to_dag_cbor(body);
CREATE FUNCTION commit_frame(event jsonb) RETURNS bytea LANGUAGE sql
  RETURN frame_of('{"op": 1, "t": "#commit"}', event);
CREATE FUNCTION problem(event jsonb, not_after timestamptz DEFAULT NULL,
                        prev_data_optional bool DEFAULT false)
RETURNS text LANGUAGE sql
  RETURN atid.event_problem(commit_frame(event), not_after, prev_data_optional);

-- 72 records; then one is created, one updated, one deleted
SELECT jsonb_object_agg('com.example.note/3jzfcijpj2' || lpad(i::text, 3, '2'),
                        'note ' || i) AS before
  FROM generate_series(222, 777) i WHERE i::text !~ '[0189]' AND i % 3 = 0 \gset
SELECT :'before'::jsonb - 'com.example.note/3jzfcijpj2234'::text
    || '{"com.example.note/3jzfcijpj2777": "changed", "com.example.other/self": "new"}' AS after
  \gset
SELECT event_of(:'before', :'after') AS event \gset
SELECT commit_frame(:'event') AS frame,
    atid.record_to_dag_cbor('{"op": 1, "t": "#commit"}') AS header \gset

-- a frame
SELECT op, t, error, body = atid.record_to_dag_cbor(:'event'::jsonb) AS same
  FROM atid.frame_parts(:'frame');
SELECT seq, e.did, e.rev, since, prev_data = root_of(:'before') AS prev_data,
    commit = cid AS commit, data = root_of(:'after') AS data, "time"
  FROM atid.commit_event(:'frame') e, atid.repo_commit(blocks);
SELECT action, collection, rkey, cid = cid_of(text) AS cid, prev IS NOT NULL AS prev, text
  FROM atid.commit_event_ops(:'frame'),
       LATERAL (SELECT atid.dag_cbor_to_record(block)->>'text' AS text) t;
SELECT atid.event_problem(:'frame');
SELECT atid.frame_parts(NULL), atid.commit_event(NULL), atid.sync_event(NULL),
       atid.event_problem(NULL), atid.event_problem(:'frame', NULL, NULL),
       atid.event_problem(commit_frame(:'event'::jsonb - 'prevData'), NULL, NULL) AS default;
SELECT count(*) FROM atid.commit_event_ops(NULL);

-- frames of other kinds are named, and no errors; the bodies of others are records
SELECT h.op, h.t, h.error, atid.event_problem(f), atid.dag_cbor_to_record(h.body) AS body
  FROM (VALUES
    (1, frame_of('{"op": 1, "t": "#identity"}',
        '{"seq": 1, "did": "did:web:ada.example", "handle": "ada.example"}')),
    (2, frame_of('{"op": 1, "t": "#account"}',
        '{"seq": 2, "did": "did:web:ada.example", "active": false, "status": "gone"}')),
    (3, frame_of('{"op": 1, "t": "#info"}', '{"name": "OutdatedCursor"}')),
    (4, frame_of('{"op": 1, "t": "#labels"}',
        '{"seq": 4, "labels": [{"val": "spam", "sig": {"$bytes": "WlpaWg"}}]}')),
    (5, frame_of('{"op": -1}', '{"error": "FutureCursor", "message": "no"}')),
    (6, frame_of('{"op": -1, "t": "#commit", "more": [1, {"op": 7}]}', '{"error": "X"}')),
    (7, frame_of('{"op": 1, "t": "#later"}', '{"error": 3}')),
    (8, frame_of('{"op": 9223372036854775807, "t": "com.example.stream#x"}')),
    (9, frame_of('{"op": 2}'))) v (n, f), atid.frame_parts(f) h ORDER BY n;

-- what is no frame
SELECT n, atid.event_problem(f)
  FROM (VALUES
    (1, '\x'::bytea),
    (2, atid.record_to_dag_cbor('{"op": 1, "t": "#commit"}')),
    (3, :'frame'::bytea || '\x00'),
    (4, frame_of('{"op": 1}')),
    (5, frame_of('{"t": "#commit"}')),
    (6, frame_of('{"op": "1", "t": "#commit"}')),
    (7, frame_of('{"op": 1, "t": ""}')),
    (8, frame_of('{"op": 1, "t": "#caf\u00e9"}')),
    (9, frame_of('{"op": 1, "t": 1}')),
    (10, frame_of('{"op": -1}')),
    (11, frame_of('{"op": -1}', '{"error": 1}')),
    (12, frame_of('{"op": -1}', '{"error": "a b"}')),
    (13, '\x01a0'),
    (14, '\x80a0'),
    (15, frame_of('{"op": 1, "t": "#x"}', 'null') || '\xa0'),
    (16, atid.record_to_dag_cbor('{"op": 1, "t": "#x"}') || '\x80'),
    (17, atid.record_to_dag_cbor('{"op": 1, "t": "#x"}') || '\xf6'),
    (18, '\xa2626f70016174'),
    (19, '\xa1626f701a00000001a0'),
    (20, frame_of('{"op": [1], "t": "#x"}')),
    (21, frame_of('{"op": 1, "t": {"t": "#x"}}')),
    (22, atid.record_to_dag_cbor('{"op": 1, "t": "#x"}') || '\xa16161fb3ff0000000000000'),
    (23, atid.record_to_dag_cbor('{"op": 1, "t": "#x"}') || '\x5affffffff'),
    (24, atid.record_to_dag_cbor('{"op": 1, "t": "#x"}') || '\xba05f5e100'),
    (25, decode(repeat('81', 1000000), 'hex')),
    (26,
      atid.record_to_dag_cbor('{"op": 1, "t": "#x"}') || decode(repeat('a16161', 1000000), 'hex')),
    (27, decode(repeat('00', 5000001), 'hex'))
  ) v (n, f) ORDER BY n;
SELECT atid.frame_parts('\x01a0'), atid.frame_parts(decode(repeat('00', 5000001), 'hex'));

-- what is true
SELECT what, problem(e)
  FROM (VALUES
    (1, 'an empty account', event_of('{}', '{}')),
    (2, 'its first record', event_of('{}', '{"com.example.note/a": "1"}')),
    (3, 'its last record is deleted', event_of('{"com.example.note/a": "1"}', '{}')),
    (4, 'without what is not asked for', :'event'::jsonb - 'tooBig' - 'rebase' - 'blobs'),
    (5, 'what is not asked for, of another form',
      :'event'::jsonb || '{"tooBig": true, "rebase": 1, "blobs": {}, "more": [[{"seq": -1}]]}'),
    (6, 'extra blocks', event_of(:'before', :'after', '{"extra": ["x", "y"]}')),
    (7, 'a second root',
      event_of(:'before', :'after', jsonb_build_object('roots', jsonb_build_array(cid_of('z'))))),
    (8, 'the second root is that of the tree',
      event_of(:'before', :'after',
        jsonb_build_object('roots', jsonb_build_array(root_of(:'after'))))),
    (9, 'operations in another order',
      jsonb_set(:'event', '{ops}',
        (SELECT jsonb_agg(o ORDER BY n DESC)
           FROM jsonb_array_elements(:'event'::jsonb->'ops') WITH ORDINALITY x (o, n)))),
    (10, 'the same text moves to another path',
      event_of('{"com.example.note/a": "1"}', '{"com.example.note/b": "1"}')),
    (11, 'the greatest seq', :'event'::jsonb || '{"seq": 9007199254740991}'),
    (12, 'no prevData, since null, all is created',
      event_of('{}', :'after') - 'prevData' || '{"since": null}'),
    (13, 'the same with prevData null',
      event_of('{}', :'after') || '{"since": null, "prevData": null}'),
    (14, 'a new account without records', event_of('{}', '{}') - 'prevData' || '{"since": null}'),
    (15, 'prevData is the empty tree''s, since null',
      event_of('{}', :'after') || '{"since": null}')
  ) v (n, what, e) ORDER BY n;

-- operations that are not all that was done
SELECT what, problem(e)
  FROM (VALUES
    (1, 'one operation less', :'event'::jsonb #- '{ops,0}'),
    (2, 'no operations', :'event'::jsonb || '{"ops": []}'),
    (3, 'another prevData',
      :'event'::jsonb || jsonb_build_object('prevData', link_json(cid_of('x')))),
    (4, 'a create of what was updated',
      jsonb_set(:'event'::jsonb #- '{ops,1,prev}', '{ops,1,action}', '"create"')),
    (5, 'another prev', jsonb_set(:'event', '{ops,1,prev}', link_json(cid_of('x')))),
    (6, 'another cid', jsonb_set(:'event', '{ops,1,cid}', link_json(cid_of('new')))),
    (7, 'a record that the CAR does not have',
      jsonb_set(:'event', '{ops,1,cid}', link_json(cid_of('x')))),
    (8, 'one record more is deleted',
      jsonb_set(:'event', '{ops,3}',
        jsonb_build_object('action', 'delete', 'path', 'com.example.zzz/a', 'cid', NULL, 'prev',
          link_json(cid_of('x'))))),
    (9, 'a record is deleted that is there',
      jsonb_set(:'event', '{ops,3}',
        jsonb_build_object('action', 'delete', 'path', 'com.example.note/3jzfcijpj2222', 'cid',
          NULL, 'prev', link_json(cid_of('note 222'))))),
    (10, 'a path twice', jsonb_set(:'event', '{ops,3}', :'event'::jsonb->'ops'->2)),
    (11, 'an update whose prev is its cid',
      jsonb_set(:'event', '{ops,1,prev}', :'event'::jsonb->'ops'->1->'cid')),
    (12, 'a delete without prev', :'event'::jsonb #- '{ops,0,prev}'),
    (13, 'an update with prev null', jsonb_set(:'event', '{ops,1,prev}', 'null')),
    (14, 'a create that is not in the tree',
      jsonb_set(:'event', '{ops,2,path}', '"com.example.zzz/self"')),
    (15, 'no prevData', :'event'::jsonb - 'prevData'),
    (16, 'no prevData, since null, the tree has more',
      :'event'::jsonb - 'prevData' || '{"since": null}'),
    (17, 'no prevData, since null, only creates, the tree has more',
      (:'event'::jsonb #- '{ops,0}' #- '{ops,0}') - 'prevData' || '{"since": null}'),
    (18, 'no operations, no prevData, since null, the tree has some',
      :'event'::jsonb - 'prevData' || '{"since": null, "ops": []}')
  ) v (n, what, e) ORDER BY n;

-- a commit without operations
SELECT commit_of(root_of(:'after'), '3kiwuyhjckc25') AS alone \gset
SELECT :'event'::jsonb || jsonb_build_object(
         'ops', '[]'::jsonb,
         'prevData', link_json(root_of(:'after')),
         'blocks', atid.bytes_json(car_of(ARRAY[atid.cid_of(:'alone', 'dag-cbor')],
                                          ARRAY[:'alone'::bytea]))) AS idle \gset
SELECT problem(:'idle') AS idle,
       problem(:'idle'::jsonb || jsonb_build_object('prevData', link_json(root_of(:'before'))))
         AS other,
       problem(:'idle'::jsonb || jsonb_build_object('ops', (:'event'::jsonb->'ops'))) AS with_ops,
       problem(:'idle'::jsonb - 'prevData', prev_data_optional => true) AS taken;

-- without prevData, by an option: the operations are compared with the tree alone
SELECT what, problem(e, prev_data_optional => true)
  FROM (VALUES
    (1, 'with prevData the option does nothing', :'event'::jsonb),
    (2, 'with prevData: another one',
      :'event'::jsonb || jsonb_build_object('prevData', link_json(cid_of('x')))),
    (3, 'without', :'event'::jsonb - 'prevData'),
    (4, 'without prev', (:'event'::jsonb - 'prevData') #- '{ops,0,prev}' #- '{ops,1,prev}'),
    (5, 'one operation less, which nothing shows', (:'event'::jsonb - 'prevData') #- '{ops,0}'),
    (6, 'a create that is not there',
      jsonb_set(:'event'::jsonb - 'prevData', '{ops,2,path}', '"com.example.zzz/self"')),
    (7, 'another cid',
      jsonb_set(:'event'::jsonb - 'prevData', '{ops,1,cid}', link_json(cid_of('new')))),
    (8, 'a delete of what is there',
      jsonb_set(:'event'::jsonb - 'prevData', '{ops,0,path}', '"com.example.note/3jzfcijpj2222"')),
    (9, 'a path twice',
      jsonb_set(:'event'::jsonb - 'prevData', '{ops,3}', :'event'::jsonb->'ops'->2)),
    (10, 'nodes that are missing',
      (:'idle'::jsonb - 'prevData')
        || jsonb_build_object('ops', jsonb_build_array(:'event'::jsonb->'ops'->0)))
  ) v (n, what, e) ORDER BY n;

-- trees that are not as their keys' depths are: a key before that of the node above, which a
-- search for the third meets; and a created key beside one of another depth
CREATE FUNCTION node(keys text[], below atid.cid_link) RETURNS bytea LANGUAGE sql
  RETURN atid.record_to_dag_cbor(jsonb_build_object('l', NULL, 'e',
    (SELECT jsonb_agg(jsonb_build_object('p', 0, 'k', atid.bytes_json(convert_to(key, 'UTF8')),
              'v', link_json(cid_of('x')), 't', link_json(below)) ORDER BY n)
       FROM unnest(keys) WITH ORDINALITY AS k (key, n))));
CREATE FUNCTION event_of_tree(key text, nodes bytea[]) RETURNS jsonb LANGUAGE sql
  RETURN (SELECT event_of('{}', jsonb_build_object(key, 'x'),
                          jsonb_build_object('commit', jsonb_build_object('data',
                            link_json(data))))
                 || jsonb_build_object('blocks', atid.bytes_json(car_of(
                      ARRAY[atid.cid_of(commit, 'dag-cbor')],
                      ARRAY[commit, block_of('x')] || nodes)))
            FROM atid.cid_of(nodes[1], 'dag-cbor') AS data,
                 commit_of(data, '3kiwuyhjckc25') AS commit);
SELECT key, atid.mst_key_depth(key) FROM unnest('{com.example.note/1,com.example.note/3,
                            com.example.note/9,org.example.note/1}'::text[]) AS key;
SELECT problem(event_of_tree('com.example.note/9',
                 ARRAY[node('{com.example.note/3}', atid.cid_of(low, 'dag-cbor')), low])
                 - 'prevData', prev_data_optional => true) AS searched,
       problem(event_of_tree('org.example.note/1',
                 ARRAY[node('{com.example.note/1,org.example.note/1}', NULL)])) AS created
  FROM node('{com.example.note/1}', NULL) AS low;
DROP FUNCTION event_of_tree, node;

-- the commit is the event's
SELECT what, problem(e)
  FROM (VALUES
    (1, 'another commit',
      :'event'::jsonb || jsonb_build_object('commit', link_json(cid_of('new')))),
    (2, 'another account', :'event'::jsonb || '{"repo": "did:web:bob.example"}'),
    (3, 'another rev', :'event'::jsonb || '{"rev": "3kiwuyhjckd25"}'),
    (4, 'since is rev', :'event'::jsonb || '{"since": "3kiwuyhjckc25"}'),
    (5, 'since is after rev', :'event'::jsonb || '{"since": "3kiwuyhjckd25"}'),
    (6, 'version 2', event_of(:'before', :'after', '{"commit": {"version": 2}}')),
    (7, 'a commit that is none', event_of(:'before', :'after', '{"commit": {"data": 1}}')),
    (8, 'an empty CAR',
      :'event'::jsonb || jsonb_build_object('blocks', atid.bytes_json(car_of('{}', '{}')))),
    (9, 'the commit is not in the CAR',
      :'event'::jsonb
        || jsonb_build_object('blocks',
          atid.bytes_json(car_of(ARRAY[atid.cid_of(:'alone', 'dag-cbor')], '{}')))),
    (10, 'no CAR', :'event'::jsonb || '{"blocks": {"$bytes": "AAAA"}}'),
    (11, 'the first root is the tree''s',
      :'event'::jsonb || jsonb_build_object('blocks', atid.bytes_json(tree_of(:'after'))))
  ) v (n, what, e) ORDER BY n;
SELECT problem(:'event', t) FROM
    unnest('{2024-01-14 07:33:20.001+00,2024-01-01+00,-infinity,infinity,NULL}'::timestamptz[]) t;
SELECT atid.tid_timestamp('3kiwuyhjckc25') = t AS same,
       problem(:'event', t - interval '1 us') AS before, problem(:'event', t) AS at
  FROM atid.tid_timestamp('3kiwuyhjckc25') t;
-- a rev that has no time
SELECT problem(:'event'::jsonb || '{"rev": "jzzzzzzzzzzzz"}', 'infinity') IS NOT NULL AS other_rev,
    problem(:'event'::jsonb || '{"rev": "jzzzzzzzzzzzz"}', '294276-12-31') AS late,
    problem(:'event'::jsonb || '{"rev": "jzzzzzzzzzzzz"}', '3000-01-01')
      = problem(:'event'::jsonb || '{"rev": "jzzzzzzzzzzzz"}', '294276-12-31') AS same;

-- a block with a bit changed: of the commit, of a node, of a record
SELECT n, atid.event_problem(set_byte(:'frame', at, get_byte(:'frame', at) # 1)) IS NOT NULL
            AS refused
  FROM (VALUES
    (1, commit_of(root_of(:'after'), '3kiwuyhjckc25')),
    (2, block_of('changed')),
    (3, block_of('new')),
    (4, (SELECT block FROM atid.car_blocks(tree_of(:'after')) WHERE cid = root_of(:'after')))
  ) v (n, block),
       LATERAL (SELECT position(block IN :'frame'::bytea) + length(block) - 2 AS at) a ORDER BY n;

-- each field absent, null, and of another form
SELECT f, problem(:'event'::jsonb - f) AS absent,
       problem(:'event'::jsonb || jsonb_build_object(f, NULL)) IS NULL AS may_be_null,
       problem(:'event'::jsonb || jsonb_build_object(f, '[{}]'::jsonb)) IS NULL AS may_be_other
  FROM unnest('{seq,time,repo,rev,blocks,since,commit,ops,prevData}'::text[]) f;
SELECT v, problem(:'event'::jsonb || v)
  FROM unnest(ARRAY[
         '{"seq": 0}', '{"seq": -1}', '{"seq": 9007199254740992}', '{"seq": "7"}',
         '{"time": "2024-01-14"}', '{"repo": "ada.example"}',
         '{"rev": "3kiwuyhjckc2"}', '{"rev": "zkiwuyhjckc25"}', '{"since": ""}',
         '{"commit": null}', '{"blocks": "AAAA"}',
         '{"ops": {}}', '{"ops": [1]}', '{"ops": [[]]}']::jsonb[]) v;
SELECT problem(:'event'::jsonb || jsonb_build_object('commit', link)),
       problem(:'event'::jsonb || jsonb_build_object('prevData', link))
  FROM jsonb_build_object('$link', atid.cid_of('', 'raw')) link;
SELECT v, problem(jsonb_set(:'event', '{ops,1}', (:'event'::jsonb->'ops'->1) || v))
  FROM unnest(ARRAY[
         '{"action": "move"}', '{"action": 1}', '{"path": "com.example.note"}',
         '{"path": "com.example.note/a/b"}', '{"path": "x/y"}', '{"path": "com.example.note/.."}',
         '{"path": 1}', '{"cid": null}', '{"cid": 1}', '{"cid": {"x": 1}}', '{"prev": 1}',
         '{"action": "delete"}', '{"action": "create"}']::jsonb[]) v;
SELECT f, problem(:'event'::jsonb #- ARRAY['ops', '1', f])
    FROM unnest('{action,path,cid,prev}'::text[]) f;
SELECT atid.event_problem(:'header'::bytea || '\xa0');

-- limits
SELECT problem(:'event'::jsonb || jsonb_build_object('ops',
         (SELECT jsonb_agg(:'event'::jsonb->'ops'->0) FROM generate_series(1, n))))
  FROM generate_series(200, 201) n;
SELECT n, problem(:'event'::jsonb || jsonb_build_object('blocks',
         atid.bytes_json(decode(repeat('00', n), 'hex'))))
  FROM generate_series(2000000, 2000001) n;
SELECT n, length(block_of(t)) AS record,
       problem(event_of('{}', jsonb_build_object('com.example.note/a', t)))
  FROM generate_series(999966, 999967) n, repeat('x', n) t;
SELECT problem(event_of('{}', a))
  FROM (SELECT jsonb_object_agg('com.example.note/' || i, i) AS a
          FROM generate_series(1, 200) i) x;

-- what is no event gives NULL and no rows; a block that is not there is NULL
SELECT atid.commit_event(:'header'::bytea || '\xa0'),
    atid.commit_event(decode(repeat('00', 5000001), 'hex')),
    atid.sync_event(:'header'::bytea || '\xa0'), atid.sync_event(:'frame');
SELECT count(*) FROM atid.commit_event_ops(:'header'::bytea || '\xa0');
SELECT count(*) FROM atid.commit_event_ops(commit_frame(:'event'::jsonb
    || '{"blocks": {"$bytes": "AAAA"}}'));
SELECT count(*) FROM atid.commit_event_ops(overlay(:'frame'::bytea PLACING '\x00'
    FROM position(block_of('new') IN :'frame'::bytea) + 3));
SELECT action, cid IS NULL AS no_cid, block
  FROM atid.commit_event_ops(commit_frame(
         :'idle'::jsonb || jsonb_build_object('ops', (:'event'::jsonb->'ops'))));
-- a #commit under another header is no event
SELECT h, atid.event_problem(f), atid.commit_event(f),
    (SELECT count(*) FROM atid.commit_event_ops(f)) AS ops
  FROM unnest(ARRAY['{"op": 1, "t": "#sync"}', '{"op": 1, "t": "#foo"}',
      '{"op": 7, "t": "#commit"}']::jsonb[]) h, frame_of(h, :'event') f;

-- a #sync
SELECT jsonb_build_object('seq', 8, 'did', 'did:web:ada.example', 'rev', '3kiwuyhjckc25',
                          'time', '2024-01-14T12:00:00Z', 'blocks', :'idle'::jsonb->'blocks')
         AS sync \gset
CREATE FUNCTION sync_problem(event jsonb, not_after timestamptz DEFAULT NULL)
RETURNS text LANGUAGE sql
  RETURN atid.event_problem(frame_of('{"op": 1, "t": "#sync"}', event), not_after);
SELECT seq, did, rev, blocks = car_of(ARRAY[atid.cid_of(:'alone', 'dag-cbor')],
    ARRAY[:'alone'::bytea]) AS blocks, "time"
  FROM atid.sync_event(frame_of('{"op": 1, "t": "#sync"}', :'sync'));
SELECT sync_problem(:'sync'), sync_problem(:'sync'::jsonb || '{"commit": 1, "ops": 1}') AS others,
    sync_problem(:'sync', '2024-01-01') AS later;
SELECT f, sync_problem(:'sync'::jsonb - f) AS absent
    FROM unnest('{seq,time,did,rev,blocks}'::text[]) f;
SELECT v, sync_problem(:'sync'::jsonb || v)
  FROM unnest(ARRAY['{"did": "did:web:bob.example"}', '{"rev": "3kiwuyhjckd25"}',
                    '{"did": "ada.example"}']::jsonb[]) v;
SELECT n, sync_problem(:'sync'::jsonb || jsonb_build_object('blocks',
         atid.bytes_json(decode(repeat('00', n), 'hex'))))
  FROM generate_series(10000, 10001) n;
SELECT sync_problem(:'event'), problem(:'sync');

-- a key in a tree
SELECT tree_of(:'after') AS car, root_of(:'after') AS root \gset
SELECT k, g.state, g.cid = cid_of(:'after'::jsonb->>k) AS cid, g.block
  FROM unnest('{com.example.other/self,com.example.note/3jzfcijpj2777,
                com.example.note/3jzfcijpj2234,a,zzz,""}'::text[]) k,
       atid.mst_get(:'car', :'root', k) g;
SELECT count(*), count(*) FILTER (WHERE g.state = 'present' AND g.cid = e.value) AS present
    FROM atid.mst_entries(:'car', :'root') e, atid.mst_get(:'car', :'root', e.key) g;
SELECT count(*) AS deleted, count(*) FILTER (WHERE g.state = 'absent' AND g.cid IS NULL) AS absent
  FROM generate_series(222, 777) i,
       atid.mst_get(:'car', :'root', 'com.example.note/3jzfcijpj2' || i || 'x') g;
SELECT g.state, g.cid = cid_of('new') AS cid, g.block = block_of('new') AS block
  FROM atid.commit_event(:'frame') e, atid.mst_get(e.blocks, :'root', 'com.example.other/self') g;
-- each node left out in turn: the answer is the same, or unknown
SELECT DISTINCT k, g.state
  FROM atid.car_blocks(:'car') gone, LATERAL (SELECT atid.car_agg(:'root', cid, block) AS car
      FROM atid.car_blocks(:'car') WHERE n <> gone.n) c,
       unnest('{com.example.other/self,com.example.note/3jzfcijpj2234}'::text[]) k,
           atid.mst_get(c.car, :'root', k) g ORDER BY 1, 2;
SELECT * FROM atid.mst_get(tree_of('{}'), root_of('{}'), 'a');
SELECT * FROM atid.mst_get(tree_of('{}'), NULL, 'a');
SELECT * FROM atid.mst_get(tree_of('{}'), root_of(:'before'), 'a');
SELECT atid.mst_get(NULL, root_of('{}'), 'a'), atid.mst_get(tree_of('{}'), NULL, NULL);
SELECT * FROM atid.mst_get(tree_of('{}'), cid_of('x'), 'a');
SELECT * FROM atid.mst_get(car_of(ARRAY[cid_of('x')], ARRAY[block_of('x')]), cid_of('x'), 'a');
SELECT * FROM atid.mst_get('\x00', cid_of('x'), 'a');
