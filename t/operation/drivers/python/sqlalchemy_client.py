"""SQLAlchemy over psycopg2. A type of the client's own, never String: that one sends varchar."""
import sqlalchemy
from sqlalchemy import Column, MetaData, Table, select, text

from models import Atid
from scenario import run

engine = sqlalchemy.create_engine('postgresql+psycopg2://', isolation_level='AUTOCOMMIT')
connection = engine.connect()
generated = text('atid.tid_generate()')
record = Table(
    'record', MetaData(),
    Column('rkey', Atid('rkey'), primary_key=True, server_default=generated),
    Column('rev', Atid('tid'), nullable=False, unique=True, server_default=generated),
    Column('prev', Atid('tid')),
    Column('cid', Atid('cid_link')),
    Column('author', Atid('did')),
    Column('uri', Atid('at_uri')))
rev = record.c.rev


def revs(query):
    return list(connection.execute(query.order_by(rev)).scalars())


def one(expression):
    return connection.execute(text(f'SELECT {expression} FROM record')).scalar()


class Client:
    def insert(self):
        return connection.execute(record.insert().returning(rev)).scalar()

    def find(self, revision):
        return revs(select(rev).where(rev == revision))

    def any(self, revisions):
        return revs(select(rev).where(rev.in_(revisions)))

    def any_cast(self, revisions):
        return revs(select(rev).where(text('rev = ANY(:revisions ::atid.tid[])')
                                      .bindparams(revisions=revisions)))

    def array(self):
        return one('array_agg(rev ORDER BY rev)')

    def array_text(self):
        return one('array_agg(rev ORDER BY rev)::text[]')

    def page(self, cursor):
        return revs(select(rev).where(rev > cursor).limit(2))

    def set_prev(self, revision, prev):
        return connection.execute(record.update().where(rev == revision).values(prev=prev)
                                  .returning(record.c.prev)).scalar()

    def values(self, row):
        returned = [record.c[name] for name in row]
        return list(connection.execute(record.insert().values(row).returning(*returned)).one())

    def refused(self, rkey):
        with engine.begin() as transaction:
            transaction.execute(record.insert().values(rkey=rkey))


run(Client())
