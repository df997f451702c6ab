"""Sets of tables in one database, each with its own history: those of folkways, and those that a package
adds, with the columns that many of them have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy import Column, ForeignKey, Integer, Text
from sqlalchemy.engine import Connection

from folkways.errors import option
from folkways.workspace.database_errors import WorkspaceError


def _no_statements(_dialect: str) -> Sequence[str]:
    return ()


@dataclass(frozen=True, slots=True)
class TableSet:
    """Tables that are created and migrated together.

    owner: the package that made them, as it is installed (``folkways``). metadata: the tables as they are
    today. revisions: the names of all migrations, oldest first. migrations: the Alembic folder, as
    ``package:folder``. version_table: where the database records its revision. triggers, without_triggers:
    statements, by dialect, that make and drop triggers on the tables; migrations run without them. made_by:
    the command that makes a workspace with them.
    """

    owner: str
    metadata: sa.MetaData
    revisions: tuple[str, ...]
    migrations: str
    version_table: str
    triggers: Callable[[str], Sequence[str]] = field(default=_no_statements)
    without_triggers: Callable[[str], Sequence[str]] = field(default=_no_statements)
    made_by: str = "folkways run"

    @property
    def head(self) -> str:
        """The newest revision."""
        return self.revisions[-1]

    def revision(self, connection: Connection, location: str) -> str | None:
        """The revision of the database; None where it has none of these tables.

        Raises WorkspaceError where another version made them that this one cannot read.
        """
        if not sa.inspect(connection).has_table(self.version_table):
            return None
        revision = connection.scalar(sa.text(f"SELECT version_num FROM {self.version_table}"))  # noqa: S608 - a name of ours
        if revision in self.revisions:
            return str(revision)
        if str(revision) < self.revisions[0]:
            raise WorkspaceError(
                f"the workspace {location} was made by a development version of {self.owner} before 0.2 "
                f"(schema {revision}), which this version cannot read. Nothing was changed. Keep that "
                f"version for it, or name a new workspace with {option('workspace', 'PATH')}"
            )
        raise WorkspaceError(
            f"the workspace {location} was written by a newer {self.owner} or another program (schema "
            f"{revision}; this one knows {self.revisions[0]} to {self.head}). Nothing was changed. Upgrade "
            f"with 'pip install -U {self.owner}', or use another file with {option('workspace', 'PATH')}"
        )

    def bring_up_to_date(self, connection: Connection, location: str) -> None:
        """Create the tables, or apply the migrations that the database lacks, in the connection's
        transaction."""
        revision = self.revision(connection, location)
        if revision is None:
            self._create(connection)
        elif revision != self.head:
            self.migrate(connection)

    def _create(self, connection: Connection) -> None:
        """Create the newest schema at once; a test checks that the migrations, applied one by one, create the
        same."""
        created = _creating(self.metadata, connection.engine.url.drivername)
        for statement in (*created, *self.triggers(connection.dialect.name)):
            connection.exec_driver_sql(statement)
        connection.exec_driver_sql(
            f"CREATE TABLE {self.version_table} (version_num VARCHAR(32) NOT NULL PRIMARY KEY)"
        )
        connection.exec_driver_sql(f"INSERT INTO {self.version_table} VALUES ('{self.head}')")  # noqa: S608 - constants of ours

    def migrate(self, connection: Connection, revision: str = "head") -> None:
        """Apply all migrations up to a revision, without the triggers, which are made again as they are
        today."""
        from alembic.config import Config  # heavy, and only needed when a workspace is old
        from alembic.runtime.environment import EnvironmentContext
        from alembic.script import ScriptDirectory

        dialect = connection.dialect.name
        config = Config()
        config.set_main_option("script_location", self.migrations)
        scripts = ScriptDirectory.from_config(config)
        existed = self.revision(connection, "") is not None
        for statement in self.without_triggers(dialect) if existed else ():
            connection.exec_driver_sql(statement)
        with EnvironmentContext(
            config,
            scripts,
            fn=lambda current, _context: scripts._upgrade_revs(revision, current),
            destination_rev=revision,
        ) as environment:
            environment.configure(
                connection=connection,
                target_metadata=self.metadata,
                version_table=self.version_table,
                render_as_batch=True,
                transaction_per_migration=False,
            )
            environment.run_migrations()
        for statement in self.triggers(dialect):
            connection.exec_driver_sql(statement)


@cache
def _creating(metadata: sa.MetaData, driver: str) -> tuple[str, ...]:
    """The statements that create the tables, each of which takes longer to put together than to run."""
    statements: list[str] = []

    def note(statement: sa.schema.ExecutableDDLElement, *_: object, **__: object) -> None:
        statements.append(str(statement.compile(dialect=engine.dialect)))

    engine = sa.create_mock_engine(f"{driver}://", note)
    metadata.create_all(engine, checkfirst=False)
    return tuple(statements)


class Json(sa.types.TypeDecorator[Any]):
    """JSON as text with sorted keys; no character of a person's text is lost, and none that PostgreSQL's text
    refuses is left."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: sa.Dialect) -> str | None:
        """To text."""
        return None if value is None else orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()

    def process_result_value(self, value: Any, dialect: sa.Dialect) -> Any:
        """From text."""
        return None if value is None else orjson.loads(value)


def id_column() -> Column[int]:
    """The column ``id``: a number that the database gives."""
    return Column("id", Integer, primary_key=True)


def reference(table: str, name: str, *, nullable: bool = False, index: bool = False) -> Column[int]:
    """A column ``name`` that refers to the ``id`` of another table. nullable, index: as of any column."""
    return Column(name, Integer, ForeignKey(f"{table}.id"), nullable=nullable, index=index)
