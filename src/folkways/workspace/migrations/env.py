"""Alembic's entry: runs migrations on the connection that ``folkways.workspace.database`` hands over.

The studio's guards stand in no migration's way, and are there as they are today after the last one.
"""

import sqlalchemy as sa
from alembic import context
from folkways_studio.database.guards import guards, without_guards

from folkways.workspace.schema import metadata

connection = context.config.attributes["connection"]


def execute(statements: list[str]) -> None:
    """Nothing in a workspace that has no studio yet."""
    for statement in statements if sa.inspect(connection).has_table("studio_judgements") else ():
        connection.exec_driver_sql(statement)


context.configure(connection=connection, target_metadata=metadata, render_as_batch=True, transaction_per_migration=False)
execute(without_guards(connection.dialect.name))
context.run_migrations()
execute(guards(connection.dialect.name, sa.inspect(connection).get_table_names()))
