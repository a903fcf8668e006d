"""psycopg2"""
import io

import psycopg2

from scenario import run

connection = psycopg2.connect('')
connection.autocommit = True


def rows(query, *values):
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        return cursor.fetchall()


def revs(query, *values):
    return [row[0] for row in rows(query, *values)]


class Client:
    def insert(self):
        return rows('INSERT INTO record DEFAULT VALUES RETURNING rev')[0][0]

    def find(self, rev):
        return revs('SELECT rev FROM record WHERE rev = %s', rev)

    def any(self, revisions):
        return revs('SELECT rev FROM record WHERE rev = ANY(%s) ORDER BY rev', revisions)

    def any_cast(self, revisions):
        return revs('SELECT rev FROM record WHERE rev = ANY(%s::atid.tid[]) ORDER BY rev', revisions)

    def array(self):
        return rows('SELECT array_agg(rev ORDER BY rev) FROM record')[0][0]

    def array_text(self):
        return rows('SELECT array_agg(rev ORDER BY rev)::text[] FROM record')[0][0]

    def page(self, cursor):
        return revs('SELECT rev FROM record WHERE rev > %s ORDER BY rev LIMIT 2', cursor)

    def set_prev(self, rev, prev):
        return rows('UPDATE record SET prev = %s WHERE rev = %s RETURNING prev', prev, rev)[0][0]

    def values(self, row):
        return list(rows('INSERT INTO record (rkey, cid, author, uri) VALUES (%s, %s, %s, %s) '
                         'RETURNING rkey, cid, author, uri', *row.values())[0])

    def copy(self, revisions):
        with connection.cursor() as cursor:
            cursor.copy_expert('COPY record (rev) FROM STDIN', io.StringIO('\n'.join(revisions)))

    def refused(self, rkey):
        connection.autocommit = False
        try:
            with connection:
                rows('INSERT INTO record (rkey) VALUES (%s)', rkey)
        finally:
            connection.autocommit = True


run(Client())

# The one line that helps: arrays come out as lists from here on.
oid = rows("SELECT 'atid.tid[]'::regtype::oid")[0][0]
psycopg2.extensions.register_type(
    psycopg2.extensions.new_array_type((oid,), 'TID[]', psycopg2.STRING), connection)
print('tid[], registered', type(Client().array()).__name__, sep='\t')
