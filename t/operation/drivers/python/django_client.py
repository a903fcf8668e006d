"""Django over psycopg2. A field of the client's own, and one for a default of the database."""
import os

import django
from django.conf import settings
from django.db import connection, models, transaction
from django.db.models import Func

from scenario import Statements, run

settings.configure(
    DATABASES={'default': {'ENGINE': 'django.db.backends.postgresql', 'NAME': os.environ['PGDATABASE'],
                           'HOST': os.environ['PGHOST'], 'PORT': os.environ['PGPORT'], 'USER': os.environ['PGUSER']}})
django.setup()


# The class Atid of doc/clients.md (from the test)
with open('recipe_django.py') as recipe:
    exec(recipe.read())


class Generated:
    db_returning = True

    def pre_save(self, instance, add):
        return super().pre_save(instance, add) or Func(function=self.function)


class GeneratedTid(Generated, Atid):
    function = 'atid.tid_generate'


class Record(models.Model):
    rkey = GeneratedTid('rkey', primary_key=True)
    rev = GeneratedTid('tid', unique=True)
    prev = Atid('tid', null=True)
    cid = Atid('cid_link', null=True)
    author = Atid('did', null=True)
    uri = Atid('at_uri', null=True)

    class Meta:
        app_label = 'drivers'
        db_table = 'record'
        managed = False


def rows(query, *values):
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        return cursor.fetchall()


def revs(records):
    return list(records.order_by('rev').values_list('rev', flat=True))


class Client(Statements):
    def insert(self):
        record = Record.objects.create()
        record.refresh_from_db()
        return record.rev

    def find(self, revision):
        return revs(Record.objects.filter(rev=revision))

    def any(self, revisions):
        return revs(Record.objects.filter(rev__in=revisions))

    def page(self, cursor):
        return revs(Record.objects.filter(rev__gt=cursor))[:2]

    def set_prev(self, revision, prev):
        Record.objects.filter(rev=revision).update(prev=prev)
        return Record.objects.get(rev=revision).prev

    def values(self, row):
        Record.objects.create(**row)
        return list(Record.objects.values_list(*row).get(rkey=row['rkey']))

    def refused(self, rkey):
        with transaction.atomic():
            Record.objects.create(rkey=rkey)


run(Client(rows))
