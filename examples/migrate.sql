/*
 * Gives columns of a table new types while the table is in use: text columns the types of their texts, and columns of
 * blocks (bytea) or records (jsonb, json) the type atid.block. doc/address.md and doc/block.md say when to take it.
 *
 *     CALL moving.prepare('post', '{"uri": "atid.at_uri", "creator": "atid.did"}');
 *     CALL moving.fill('post', 1000);
 *     SELECT moving.index_commands('post') \gexec
 *     BEGIN;
 *     CALL moving.swap('post');
 *     COMMIT;
 *
 * prepare() locks the table for a moment, as does fill() after its last row, if a column is NOT NULL; swap() locks it
 * while it reads it once: it is an error if new values are not what the old ones become. Set lock_timeout before these
 * three. Each step can be repeated after an error. At the end: DROP SCHEMA moving CASCADE.
 *
 * Not for partitioned tables and tables with children, nor for generated and identity columns. Privileges on a column,
 * its comment and its statistics target are not carried over; nor are the comment of an index, its tablespace, its
 * statistics targets and the mark of CLUSTER. The owner of the table runs it; row security must not apply to them.
 */
BEGIN;

CREATE SCHEMA IF NOT EXISTS moving;

/* What is in it would run with the rights of whoever calls it. */
DO $$
BEGIN
	IF (SELECT pg_catalog.pg_get_userbyid(nspowner) <> current_user FROM pg_catalog.pg_namespace WHERE nspname = 'moving') THEN
		RAISE insufficient_privilege USING MESSAGE = 'the schema moving must belong to the role that runs this file';
	END IF;
END $$;

CREATE TABLE IF NOT EXISTS moving.columns (
	relation oid,
	name     name,
	new_name name NOT NULL,
	type     text NOT NULL,
	PRIMARY KEY (relation, name)
);

/* The indexes on these columns: how the new one is made, and how it becomes a constraint if the old one is one. */
CREATE TABLE IF NOT EXISTS moving.indexes (
	relation   oid,
	name       name,
	new_name   name NOT NULL,
	definition text NOT NULL,
	adoption   text,
	PRIMARY KEY (relation, name)
);

/* A name that fits: the end of a long one is cut off, and its hash keeps it apart from others. */
CREATE OR REPLACE FUNCTION moving.name_of(name text, suffix text) RETURNS name LANGUAGE sql IMMUTABLE
RETURN CASE WHEN octet_length(name || suffix) < 64 THEN name || suffix
            ELSE left(name, 20) || left(md5(name), 8) || suffix END;

/* What else needs the columns: swap() refuses as long as there is any. */
CREATE OR REPLACE FUNCTION moving.in_the_way(relation regclass) RETURNS SETOF text LANGUAGE sql STABLE
BEGIN ATOMIC
	SELECT DISTINCT pg_describe_object(d.classid, d.objid, d.objsubid)
	FROM moving.columns c
	JOIN pg_attribute a ON a.attrelid = c.relation AND a.attname = c.name
	JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = a.attrelid AND d.refobjsubid = a.attnum
	LEFT JOIN pg_constraint k ON d.classid = 'pg_constraint'::regclass AND k.oid = d.objid
	LEFT JOIN pg_attrdef e ON d.classid = 'pg_attrdef'::regclass AND e.oid = d.objid
	LEFT JOIN pg_class i ON d.classid = 'pg_class'::regclass AND i.oid = d.objid
	WHERE c.relation = in_the_way.relation
	  AND (k.contype IS NULL OR k.contype NOT IN ('p', 'u', 'n'))    /* made again, or a NOT NULL of 18 */
	  AND NOT (e.oid IS NOT NULL AND e.adnum = a.attnum)             /* the column's own default */
	  AND (i.relkind IS NULL OR i.relkind NOT IN ('i', 'I'));
END;

/* The columns that an index has, or needs in an expression. */
CREATE OR REPLACE FUNCTION moving.columns_of(index oid) RETURNS name[] LANGUAGE sql STABLE
BEGIN ATOMIC
	SELECT array_agg(attname)
	FROM pg_index JOIN pg_attribute ON attrelid = indrelid
	WHERE indexrelid = columns_of.index
	  AND (attnum = ANY (indkey)
	       OR EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = indexrelid
	                  AND refobjid = attrelid AND refobjsubid = attnum));
END;

/* The indexes that are to be made again: the valid ones with one of the columns, but not those of an earlier prepare(). */
CREATE OR REPLACE FUNCTION moving.indexes_of(relation regclass, names name[]) RETURNS SETOF oid LANGUAGE sql STABLE
BEGIN ATOMIC
	SELECT indexrelid FROM pg_index
	WHERE indrelid = indexes_of.relation AND indisvalid AND NOT indisexclusion
	  AND moving.columns_of(indexrelid) && names
	  AND NOT moving.columns_of(indexrelid) && ARRAY(SELECT new_name FROM moving.columns c WHERE c.relation = indrelid);
END;

/* The new value of an old one. A record, which may be of a domain, has no cast to its block. */
CREATE OR REPLACE FUNCTION moving.value_of(old text, old_type oid, type text) RETURNS text LANGUAGE sql STABLE
BEGIN ATOMIC
	WITH RECURSIVE base AS (
		SELECT old_type AS oid
		UNION
		SELECT typbasetype FROM pg_type JOIN base USING (oid) WHERE typbasetype <> 0
	)
	SELECT format(CASE WHEN type <> 'atid.block' THEN '%s::%s'
	                   WHEN 'jsonb'::regtype IN (TABLE base) THEN 'atid.record_to_dag_cbor(%s)::%s'
	                   WHEN 'json'::regtype IN (TABLE base) THEN 'atid.json_to_dag_cbor(%s)::%s'
	                   ELSE '%s::%s' END, old, type);
END;

/*
 * A condition: has a row a new value that its old one does not give? Texts are compared, because some types have no
 * equality. The cast comes last: it is an error where the old text is none of the type, and then the new value is NULL.
 */
CREATE OR REPLACE FUNCTION moving.differs(relation regclass) RETURNS text LANGUAGE sql STABLE
BEGIN ATOMIC
	SELECT string_agg(format('CASE WHEN %1$I IS NULL OR %2$I IS NULL THEN %1$I IS NOT NULL OR %2$I IS NOT NULL '
	                         'WHEN %2$I::text = %1$I::text THEN false ELSE %2$I::text IS DISTINCT FROM (%3$s)::text END',
	                         name, new_name, moving.value_of(quote_ident(name), atttypid, type)), ' OR ' ORDER BY name)
	FROM moving.columns c JOIN pg_attribute ON attrelid = c.relation AND attname = name
	WHERE c.relation = differs.relation;
END;

/* What no step can do without. */
CREATE OR REPLACE PROCEDURE moving.check_table(relation regclass, is_prepared bool) LANGUAGE plpgsql AS $$
BEGIN
	IF is_prepared AND NOT EXISTS (SELECT FROM moving.columns c WHERE c.relation = check_table.relation) THEN
		RAISE 'table "%" is not prepared', relation
			USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Call moving.prepare() first.';
	END IF;
	IF row_security_active(relation::oid) THEN
		RAISE 'cannot move "%", as row security applies to role "%"', relation, current_user
			USING ERRCODE = 'insufficient_privilege', DETAIL = 'The role must see and change all rows.',
			HINT = 'Run this as a role with BYPASSRLS, or after ALTER TABLE ... NO FORCE ROW LEVEL SECURITY.';
	END IF;
END $$;

CREATE OR REPLACE PROCEDURE moving.prepare(relation regclass, types jsonb) LANGUAGE plpgsql AS $$
DECLARE
	problem text;
	names   name[] := ARRAY(SELECT jsonb_object_keys(types));
	path    text := current_setting('search_path');
	c       record;
BEGIN
	CALL moving.check_table(relation, false);
	SELECT CASE
		WHEN relkind <> 'r' OR relispartition OR EXISTS (SELECT FROM pg_inherits WHERE inhparent = prepare.relation)
		THEN 'must be an ordinary table without children'
		WHEN relreplident = 'i' THEN 'must not have an index as its replica identity'
	END INTO problem FROM pg_class WHERE oid = prepare.relation;
	IF problem IS NOT NULL THEN
		RAISE 'cannot move "%"', relation USING DETAIL = format('The table %s.', problem);
	END IF;
	IF cardinality(names) = 0 THEN
		RAISE 'no column of "%" is given', relation;
	END IF;
	FOR c IN SELECT name, a.attnum, attgenerated, attidentity FROM unnest(names) AS name
		LEFT JOIN pg_attribute a ON attrelid = prepare.relation AND attname = name AND NOT attisdropped
	LOOP
		IF c.attnum IS NULL OR c.attgenerated <> '' OR c.attidentity <> '' THEN
			RAISE 'cannot move column "%" of "%"', c.name, relation
				USING DETAIL = 'The column must exist, and be neither generated nor an identity.';
		END IF;
	END LOOP;

	/* A column that has the name of a new one must be of an earlier prepare(): it will be overwritten. */
	FOR c IN SELECT attname, format_type(atttypid, atttypmod) AS type FROM jsonb_each_text(types)
		JOIN pg_attribute ON attrelid = prepare.relation AND attname = moving.name_of(key, '_new') AND NOT attisdropped
		WHERE atttypid <> value::regtype OR NOT EXISTS (
			SELECT FROM moving.columns m WHERE m.relation = prepare.relation AND m.name = key AND m.new_name = attname)
	LOOP
		RAISE 'column "%" of "%" exists already', c.attname, relation USING ERRCODE = 'duplicate_column',
			DETAIL = format('It is of type %s.', c.type),
			HINT = 'Rename the column, or drop it and the trigger "~moving" if they are left from an earlier attempt.';
	END LOOP;
	/* So must an index. */
	FOR c IN SELECT n.relname FROM pg_class i
		JOIN pg_class n ON n.relnamespace = i.relnamespace AND n.relname = moving.name_of(i.relname, '_new')
		WHERE i.oid IN (SELECT moving.indexes_of(relation, names)) AND NOT EXISTS (
			SELECT FROM moving.indexes m WHERE m.relation = prepare.relation AND m.name = i.relname AND m.new_name = n.relname)
	LOOP
		RAISE 'index "%" of "%" exists already', c.relname, relation USING ERRCODE = 'duplicate_table',
			HINT = 'Rename the index, or drop it if it is left from an earlier attempt.';
	END LOOP;
	DELETE FROM moving.columns m WHERE m.relation = prepare.relation;
	DELETE FROM moving.indexes m WHERE m.relation = prepare.relation;
	INSERT INTO moving.columns SELECT relation, key, moving.name_of(key, '_new'), value FROM jsonb_each_text(types);

	/* An empty copy of the table tells how its indexes are defined with the new types, and fails where one cannot be. */
	EXECUTE format('CREATE TABLE moving.shadow (LIKE %s INCLUDING INDEXES)', relation);
	FOR c IN    /* both are in the order of their OIDs; a change of type makes new ones, so keep them by name */
		SELECT copy.indexrelid::regclass AS copy, old.indexrelid AS old
		FROM (SELECT indexrelid, row_number() OVER (ORDER BY indexrelid) AS n
		      FROM pg_index WHERE indrelid = prepare.relation AND indislive) AS old
		JOIN (SELECT indexrelid, row_number() OVER (ORDER BY indexrelid) AS n
		      FROM pg_index WHERE indrelid = 'moving.shadow'::regclass) AS copy USING (n)
	LOOP
		EXECUTE format('ALTER INDEX %s RENAME TO %I', c.copy, '=' || c.old);
	END LOOP;
	FOR c IN SELECT * FROM moving.columns m WHERE m.relation = prepare.relation LOOP
		IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = prepare.relation AND attname = c.new_name) THEN
			EXECUTE format('ALTER TABLE moving.shadow DROP COLUMN %I', c.new_name);
		END IF;
		EXECUTE format('ALTER TABLE moving.shadow ALTER %I TYPE %s USING NULL', c.name, c.type);
		EXECUTE format('ALTER TABLE moving.shadow RENAME %I TO %I', c.name, c.new_name);
	END LOOP;
	IF EXISTS (SELECT FROM pg_attribute JOIN moving.columns m ON m.new_name = attname AND m.relation = prepare.relation
	           WHERE attrelid = 'moving.shadow'::regclass AND atttypmod <> -1) THEN
		RAISE 'cannot give a column of "%" a type with a length or precision', relation
			USING DETAIL = 'A cast to it would cut values.', HINT = 'Leave it out, and add a CHECK.';
	END IF;
	/* Types, functions and tables with their schemas: other sessions may have another search_path. */
	PERFORM set_config('search_path', 'pg_catalog', true);
	UPDATE moving.columns m SET type = attribute.type
	FROM (SELECT attname, atttypid::regtype::text AS type FROM pg_attribute WHERE attrelid = 'moving.shadow'::regclass) AS attribute
	WHERE m.relation = prepare.relation AND m.new_name = attname;
	/* It is an error here, not in the trigger, where there is no cast. */
	EXECUTE (SELECT format('SELECT %s FROM %s LIMIT 0',
	                       string_agg(moving.value_of(quote_ident(name), atttypid, type), ', '), prepare.relation)
	         FROM moving.columns m JOIN pg_attribute ON attrelid = m.relation AND attname = name
	         WHERE m.relation = prepare.relation);
	INSERT INTO moving.indexes
	SELECT relation, i.relname, moving.name_of(i.relname, '_new'),
	       format('CREATE %s INDEX CONCURRENTLY %I ON %s', CASE WHEN indisunique THEN 'UNIQUE' END,
	              moving.name_of(i.relname, '_new'), relation)
	       || substring(pg_get_indexdef(('moving."=' || i.oid || '"')::regclass) FROM ' USING .*'),
	       CASE WHEN conname IS NOT NULL THEN format('ADD CONSTRAINT %1$I %2$s USING INDEX %1$I %3$s', conname,
	              CASE contype WHEN 'p' THEN 'PRIMARY KEY' WHEN 'u' THEN 'UNIQUE' END,
	              CASE WHEN condeferred THEN 'DEFERRABLE INITIALLY DEFERRED' WHEN condeferrable THEN 'DEFERRABLE' END) END
	FROM pg_index x JOIN pg_class i ON i.oid = indexrelid
	LEFT JOIN pg_constraint k ON conindid = indexrelid AND conrelid = indrelid AND contype IN ('p', 'u')
	WHERE indexrelid IN (SELECT moving.indexes_of(relation, names));
	PERFORM set_config('search_path', path, true);
	DROP TABLE moving.shadow;

	FOR c IN SELECT m.* FROM moving.columns m JOIN pg_attribute a ON attrelid = m.relation AND attname = m.name
		WHERE m.relation = prepare.relation ORDER BY attnum
	LOOP
		IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = prepare.relation AND attname = c.new_name) THEN
			EXECUTE format('ALTER TABLE %s ADD COLUMN %I %s', relation, c.new_name, c.type);
		END IF;
	END LOOP;
	EXECUTE (SELECT format('CREATE OR REPLACE FUNCTION moving.%I() RETURNS trigger LANGUAGE plpgsql AS %L',
	                       'fill_' || prepare.relation::oid,
	                       format('BEGIN %s RETURN NEW; END',
	                              string_agg(format('NEW.%I := %s;', new_name,
	                                                moving.value_of(format('NEW.%I', name), atttypid, type)), ' ')))
	         FROM moving.columns m JOIN pg_attribute ON attrelid = m.relation AND attname = name
	         WHERE m.relation = prepare.relation);
	/* the last of the triggers by name, so that it sees what others change */
	EXECUTE format('CREATE OR REPLACE TRIGGER "~moving" BEFORE INSERT OR UPDATE ON %s '
	               'FOR EACH ROW EXECUTE FUNCTION moving.%I()', relation, 'fill_' || relation::oid);
	/* also for what the apply worker of a subscription writes */
	EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER "~moving"', relation);

	FOR problem IN SELECT moving.in_the_way(relation) ORDER BY 1 LOOP
		RAISE NOTICE 'to be dropped before the swap: %', problem;
	END LOOP;
	FOR c IN SELECT tgname, tgenabled FROM pg_trigger    /* of any column, for UPDATE */
		WHERE tgrelid = prepare.relation AND NOT tgisinternal AND tgtype & 16 <> 0 AND tgattr = '' AND tgname <> '~moving'
		  AND tgenabled IN ('O', 'A') ORDER BY tgname
	LOOP
		RAISE NOTICE 'fill() fires trigger "%"%', c.tgname,
			CASE c.tgenabled WHEN 'O' THEN ', unless session_replication_role is replica' ELSE '' END;
	END LOOP;
END $$;

/*
 * Fills the new columns of the rows that were there, some pages in a transaction, and adds a validated check where the
 * old column is NOT NULL. Rows that are updated meanwhile may move behind the last page: the trigger fills them.
 * The application_name in pg_stat_activity has how far it has come. Pages whose rows others lock are tried again.
 *
 * To the table's triggers each row is an UPDATE. Where they should not fire, as one that notes the time of a change, set
 * session_replication_role to replica before, as a superuser or a role with SET on this parameter.
 */
CREATE OR REPLACE PROCEDURE moving.fill(relation regclass, pages int) LANGUAGE plpgsql AS $$
DECLARE
	last_page  bigint := pg_relation_size(relation) / current_setting('block_size')::int;
	page       bigint := 0;
	failures   int := 0;
	assigned   text;
	c          record;
BEGIN
	CALL moving.check_table(relation, true);
	IF pages IS NULL OR pages < 1 THEN
		RAISE 'the number of pages must be at least 1' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	SELECT string_agg(format('%I = %s', new_name, moving.value_of(quote_ident(name), atttypid, type)), ', ')
	INTO STRICT assigned FROM moving.columns m JOIN pg_attribute ON attrelid = m.relation AND attname = name
	WHERE m.relation = fill.relation;
	WHILE page <= last_page LOOP
		BEGIN
			EXECUTE format('UPDATE %s SET %s WHERE ctid >= %L AND ctid < %L AND (%s)', relation, assigned,
			               format('(%s,0)', page), format('(%s,0)', least(page + pages, 4294967295)),
			               moving.differs(relation));
			page := page + pages;
			failures := 0;
		EXCEPTION WHEN deadlock_detected OR lock_not_available THEN    /* others write the same rows */
			failures := failures + 1;
			IF failures > 100 THEN
				RAISE;
			END IF;
		END;
		COMMIT;
		PERFORM set_config('application_name', format('moving.fill %s/%s', least(page, last_page), last_page),
		                   false);
	END LOOP;

	FOR c IN SELECT m.*, moving.name_of(m.new_name, '_there') AS rule FROM moving.columns m
		JOIN pg_attribute ON attrelid = m.relation AND attname = m.name WHERE m.relation = fill.relation AND attnotnull
	LOOP
		IF NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = fill.relation AND conname = c.rule) THEN
			EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I CHECK (%I IS NOT NULL) NOT VALID', relation, c.rule, c.new_name);
			COMMIT;
		END IF;
		EXECUTE format('ALTER TABLE %s VALIDATE CONSTRAINT %I', relation, c.rule);
		COMMIT;
	END LOOP;
END $$;

/*
 * Statements for \gexec, as CREATE INDEX CONCURRENTLY must be in no transaction. An index that is invalid, or that an
 * earlier prepare() of other columns has led to, is dropped before. (It is compared with what prepare() has noted.)
 */
CREATE OR REPLACE FUNCTION moving.index_commands(relation regclass) RETURNS SETOF text LANGUAGE sql STABLE
SET search_path = pg_catalog
BEGIN ATOMIC
	SELECT command FROM (
		SELECT m.name, n, command
		FROM moving.indexes m
		JOIN pg_class t ON t.oid = m.relation
		LEFT JOIN (pg_class i JOIN pg_index x ON x.indexrelid = i.oid)
		  ON i.relnamespace = t.relnamespace AND i.relname = m.new_name AND x.indrelid = m.relation,
		LATERAL (SELECT indisvalid AND indisunique = (m.definition LIKE 'CREATE UNIQUE %')
			AND substring(pg_get_indexdef(i.oid) FROM ' USING .*')
			    = substring(m.definition FROM ' USING .*')) AS s (is_made),
		LATERAL (VALUES
			(1, CASE WHEN NOT is_made THEN format('DROP INDEX CONCURRENTLY %I.%I', t.relnamespace::regnamespace::name, m.new_name) END),
			(2, CASE WHEN is_made IS NOT TRUE THEN m.definition END)) AS v (n, command)
		WHERE m.relation = index_commands.relation AND command IS NOT NULL) AS commands
	ORDER BY name, n;
END;

/*
 * The new columns and indexes take the place of the old ones, and their names. Nobody can write meanwhile, so what is
 * compared here stays as it is.
 *
 * A transaction of isolation level repeatable read or serializable that began before fill() ended, such as a dump,
 * would read NULL in the new columns. CREATE INDEX CONCURRENTLY, which index_commands() gives, waits for these. If it
 * gives none, let them end first.
 */
CREATE OR REPLACE PROCEDURE moving.swap(relation regclass) LANGUAGE plpgsql AS $$
DECLARE
	blocking text;
	differs  text;
	lost     bigint;
	c        record;
BEGIN
	IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
		RAISE 'cannot move "%" in a transaction with isolation level %', relation, current_setting('transaction_isolation')
			USING ERRCODE = 'active_sql_transaction', DETAIL = 'Its snapshot is older than the lock, and may not show all rows.',
			HINT = 'Use BEGIN ISOLATION LEVEL READ COMMITTED.';
	END IF;
	EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', relation);
	CALL moving.check_table(relation, true);
	SELECT string_agg(what, ', ' ORDER BY what) INTO blocking FROM moving.in_the_way(relation) AS what;
	IF blocking IS NOT NULL THEN
		RAISE 'cannot move "%", as other objects need its columns', relation
			USING DETAIL = blocking, HINT = 'Drop them in this transaction, and make them again after the swap.';
	END IF;
	SELECT string_agg(command, '; ') INTO blocking FROM moving.index_commands(relation) AS command;
	IF blocking IS NOT NULL THEN
		RAISE 'cannot move "%" without its indexes', relation USING DETAIL = blocking;
	END IF;
	SELECT string_agg(relname, ', ' ORDER BY relname) INTO blocking FROM pg_class
	WHERE oid IN (SELECT moving.indexes_of(relation, ARRAY(SELECT name FROM moving.columns m WHERE m.relation = swap.relation)))
	  AND relname NOT IN (SELECT name FROM moving.indexes m WHERE m.relation = swap.relation);
	IF blocking IS NOT NULL THEN
		RAISE 'cannot move "%", as it has indexes that prepare() did not see', relation
			USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = blocking,
			HINT = 'Call moving.prepare() again, and run what moving.index_commands() gives.';
	END IF;

	/* Whatever the cause: fill() has not finished, or a value was written without the trigger. */
	differs := moving.differs(relation);
	BEGIN
		EXECUTE format('SELECT count(*) FROM %s WHERE %s', relation, differs) INTO lost;
		IF lost > 0 THEN
			EXECUTE format('SELECT concat_ws('', '', %s) FROM %s WHERE %s LIMIT 1',
			               (SELECT string_agg(format('%L || coalesce(quote_literal(left(%I::text, 100)), ''NULL'')', n || ' = ', n), ', '
			                                  ORDER BY name, n <> name)
			                FROM moving.columns m, unnest(ARRAY[m.name, m.new_name]) AS n WHERE m.relation = swap.relation),
			               relation, differs) INTO blocking;
		END IF;
	EXCEPTION WHEN data_exception THEN
		RAISE 'cannot move "%", as it has values that are not of the new type', relation
			USING ERRCODE = 'data_exception', DETAIL = format('The server says: %s.', SQLERRM), HINT = 'Repair them, and call moving.fill() again.';
	END;
	IF lost > 0 THEN
		RAISE 'cannot move "%", as % of its rows have other values in the new columns', relation, lost
			USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = format('In the first of them %s.', blocking),
			HINT = 'Call moving.fill() until it ends without an error.';
	END IF;

	EXECUTE format('DROP TRIGGER "~moving" ON %s', relation);
	EXECUTE format('DROP FUNCTION moving.%I()', 'fill_' || relation::oid);
	FOR c IN SELECT m.*, attnotnull, atttypid, moving.name_of(m.new_name, '_there') AS rule,
			pg_get_expr(adbin, adrelid) AS default_value
		FROM moving.columns m JOIN pg_attribute a ON attrelid = m.relation AND attname = m.name
		LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
		WHERE m.relation = swap.relation
	LOOP
		/* Two statements: in one, the server would drop the check first, and read the whole table for NOT NULL. */
		IF c.attnotnull THEN
			EXECUTE format('ALTER TABLE %s ALTER %I SET NOT NULL', relation, c.new_name);
			EXECUTE format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS %I', relation, c.rule);
		END IF;
		EXECUTE format('ALTER TABLE %s DROP COLUMN %I', relation, c.name);
		EXECUTE format('ALTER TABLE %s RENAME %I TO %I', relation, c.new_name, c.name);
		IF c.default_value IS NOT NULL THEN
			EXECUTE format('ALTER TABLE %s ALTER %I SET DEFAULT %s', relation, c.name,
			               moving.value_of(format('(%s)', c.default_value), c.atttypid, c.type));
		END IF;
	END LOOP;
	FOR c IN SELECT m.*, relnamespace::regnamespace AS schema
		FROM moving.indexes m JOIN pg_class t ON t.oid = m.relation WHERE m.relation = swap.relation
	LOOP
		EXECUTE format('ALTER INDEX %s.%I RENAME TO %I', c.schema, c.new_name, c.name);
		IF c.adoption IS NOT NULL THEN
			EXECUTE format('ALTER TABLE %s %s', relation, c.adoption);
		END IF;
	END LOOP;
	DELETE FROM moving.columns m WHERE m.relation = swap.relation;
	DELETE FROM moving.indexes m WHERE m.relation = swap.relation;
END $$;

COMMIT;
