"""psycopg (3)"""
import psycopg

from scenario import run, shape

connection = psycopg.connect('', autocommit=True)


def rows(query, *values, **options):
    return connection.execute(query, values, **options).fetchall()


def revs(query, *values, **options):
    return [row[0] for row in rows(query, *values, **options)]


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

    def prepared(self, rev):
        return revs('SELECT rev FROM record WHERE rev = %s', rev, prepare=True)

    def copy(self, revisions):
        with connection.cursor().copy('COPY record (rev) FROM STDIN') as copy:
            for rev in revisions:
                copy.write_row([rev])

    def refused(self, rkey):
        with connection.transaction():
            rows('INSERT INTO record (rkey) VALUES (%s)', rkey)


run(Client())

# The one line that helps: arrays come out as lists from here on.
psycopg.types.TypeInfo.fetch(connection, 'atid.tid').register(connection)
print('tid[], registered', shape(Client().array()), sep='\t')
