"""Alembic's entry: runs migrations on the connection that ``folkways.workspace.database`` hands over."""

from alembic import context

from folkways.workspace.schema import metadata

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=metadata, render_as_batch=True, transaction_per_migration=False)
context.run_migrations()
