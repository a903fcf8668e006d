"""psycopg2"""
import io

import psycopg2

from scenario import Statements, run

connection = psycopg2.connect('')
connection.autocommit = True


def rows(query, *values):
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        return cursor.fetchall()


class Client(Statements):
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


run(Client(rows))

# The one line that helps: arrays come out as lists from here on.
oid = rows("SELECT 'atid.tid[]'::regtype::oid")[0][0]
psycopg2.extensions.register_type(
    psycopg2.extensions.new_array_type((oid,), 'TID[]', psycopg2.STRING), connection)
print('tid[], registered', type(Client(rows).array()).__name__, sep='\t')
