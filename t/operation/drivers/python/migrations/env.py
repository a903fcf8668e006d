from alembic import context

import models

with models.engine.connect() as connection:
    context.configure(connection=connection, target_metadata=models.metadata, **models.options)
    with context.begin_transaction():
        context.run_migrations()
    connection.commit()
