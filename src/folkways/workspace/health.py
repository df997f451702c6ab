"""What a workspace is like, found out without changing it: not even an old schema is brought up to date."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from folkways.workspace.database import _check_database, _check_path, _engine, _read_only_url, _server_url
from folkways.workspace.database_errors import PROBLEMS, WorkspaceError, explained
from folkways.workspace.schema import TABLES, runs


@dataclass(frozen=True, slots=True)
class Health:
    """revision: of the schema. integrity: what SQLite's own check says, ``ok`` or what is wrong; None on a
    server. runs: state -> how many.
    """

    revision: str
    integrity: str | None
    runs: Mapping[str, int]


def workspace_health(location: str) -> Health:
    """Look into the workspace at a path or URL. WorkspaceError with the remedy where it cannot be read or is
    none."""
    if "://" in location:
        url = _server_url(location)
        location = url.set(drivername="postgresql").render_as_string(hide_password=True)
    else:
        path = Path(location).expanduser()
        _check_path(path, create=False)
        url = _read_only_url(path)
    engine = _engine(url)
    try:
        with engine.connect().execution_options(read_only=True) as connection:
            _check_database(connection, location)
            revision = TABLES.revision(connection, location)
            if revision is None:
                raise WorkspaceError(f"{location} is not a workspace: it is empty")
            on_file = engine.dialect.name == "sqlite"
            integrity = str(connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()) if on_file else None
            return Health(revision, integrity, Counter(connection.scalars(sa.select(runs.c.state))))
    except PROBLEMS as error:
        raise explained(f"cannot read the workspace {location}", error) from error
    finally:
        engine.dispose()
