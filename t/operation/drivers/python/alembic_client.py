"""alembic: the migrations that it finds for a table with columns of atid's types."""
import os
import re
import sys
import warnings

from alembic import command
from alembic.config import Config
from sqlalchemy import Text

import models
from models import Atid

config = Config(stdout=sys.stderr)
config.set_main_option('script_location', 'migrations')
os.makedirs('migrations/versions', exist_ok=True)


def migrate(prev, apply=True):
    """What alembic finds to do where prev is to be of this type: `create` or columns to alter."""
    models.metadata = models.record(prev)
    script = command.revision(config, autogenerate=True)
    if apply:
        command.upgrade(config, 'head')
    with open(script.path) as file:
        upgrade = file.read().partition('def upgrade():')[2].partition('def downgrade')[0]
    if not apply:
        os.remove(script.path)
    found = re.findall(r"op\.(create)_table|op\.alter_column\('record', '(\w+)'", upgrade)
    return ' '.join(create or column for create, column in found)


def types():
    """The server's names of the columns' types."""
    with models.engine.connect() as connection:
        query = "SELECT string_agg(format_type(atttypid, -1), ' ' ORDER BY attnum) FROM pg_attribute " \
                "WHERE attrelid = 'record'::regclass AND attnum > 0 AND NOT attisdropped"
        return connection.exec_driver_sql(query).scalar()


def step(name, *said):
    print(name, *said, sep='\t')


warnings.simplefilter('ignore')  # it says which types it does not know
step('create', migrate(Text()), types())
step('nothing to do, without compare_type', migrate(Text(), apply=False))
models.options['compare_type'] = models.compare_type
step('nothing to do', migrate(Text(), apply=False))
step('text to tid', migrate(Atid('tid')), types())
step('tid to text, not registered', migrate(Text(), apply=False))
models.register()
step('tid to text', migrate(Text()), types())
step('nothing to do, registered', migrate(Text(), apply=False))
