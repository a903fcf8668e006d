"""The types of atid for SQLAlchemy and alembic, and a table whose column prev is of any type."""
import functools

import sqlalchemy
from sqlalchemy import Column, MetaData, Table, Text, text
from sqlalchemy.dialects.postgresql import UUID
from sqlalchemy.dialects.postgresql.base import ischema_names
from sqlalchemy.types import UserDefinedType


# The class Atid of doc/clients.md (from the test), as a class of this module: alembic writes its name.
with open('recipe_sqlalchemy.py') as recipe:
    exec(recipe.read())


def register():
    for name in 'tid', 'cid_link', 'did', 'at_uri':
        ischema_names[f'atid.{name}'] = functools.partial(Atid, name)


def compare_type(context, inspected_column, metadata_column, inspected_type, metadata_type):
    """A domain comes back as text: no difference. None is for alembic to compare."""
    if getattr(metadata_type, 'name', None) in ('rkey', 'record_key'):
        return False


def record(prev):
    metadata = MetaData()
    generated = text('atid.tid_generate()')
    Table('record', metadata,
          Column('id', UUID, primary_key=True, server_default=text('atid.uuid_generate_v7()')),
          Column('rkey', Atid('rkey'), server_default=generated),
          Column('rev', Atid('tid'), nullable=False, server_default=generated),
          Column('prev', prev),
          Column('uri', Atid('at_uri')))
    return metadata


engine = sqlalchemy.create_engine('postgresql+psycopg2://', future=True)
metadata = record(Text())
options = {'compare_type': True, 'compare_server_default': True}  # what alembic has from 1.12 on
