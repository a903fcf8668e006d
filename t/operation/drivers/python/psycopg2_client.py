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

# The lines of doc/clients.md (from the test): arrays come out as lists from here on.
with open('recipe_psycopg2.py') as recipe:
    exec(recipe.read())
print('tid[], registered', type(Client(rows).array()).__name__, sep='\t')
