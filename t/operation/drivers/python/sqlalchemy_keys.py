"""SQLAlchemy: the type and the table of doc/clients.md (recipe_sqlalchemy.py and _keys.py, from the test)."""
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Column, MetaData, Table, select, text
from sqlalchemy.dialects.postgresql import UUID

import models
from models import Atid

metadata = MetaData()
with open('recipe_sqlalchemy_keys.py') as recipe:
    exec(recipe.read())

models.register()
metadata.create_all(models.engine)
with models.engine.begin() as connection:
    insert = post.insert().returning(post.c.id, post.c.rev)
    posts = [tuple(connection.execute(insert).one()) for _ in range(3)]
    assert all(str(id)[14] == '7' and len(rev) == 13 for id, rev in posts), posts
    assert [tuple(row) for row in connection.execute(select(post).order_by(post.c.id))] == posts
    assert [tuple(row) for row in connection.execute(select(post).order_by(post.c.rev))] == posts
    context = MigrationContext.configure(connection, opts=models.options)
    found = compare_metadata(context, metadata)
    assert found == [], found
print('ok')
