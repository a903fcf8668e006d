"""psycopg (3)"""
import psycopg

from scenario import Statements, run, shape

connection = psycopg.connect('', autocommit=True)


def rows(query, *values, **options):
    return connection.execute(query, values, **options).fetchall()


class Client(Statements):
    def prepared(self, rev):
        return [row[0] for row in rows('SELECT rev FROM record WHERE rev = %s', rev, prepare=True)]

    def copy(self, revisions):
        with connection.cursor().copy('COPY record (rev) FROM STDIN') as copy:
            for rev in revisions:
                copy.write_row([rev])

    def refused(self, rkey):
        with connection.transaction():
            rows('INSERT INTO record (rkey) VALUES (%s)', rkey)


run(Client(rows))

# The line of doc/clients.md (from the test): arrays come out as lists from here on.
with open('recipe_psycopg.py') as recipe:
    exec(recipe.read())
print('tid[], registered', shape(Client(rows).array()), sep='\t')
