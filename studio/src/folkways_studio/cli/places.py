"""Options that say where a study is: in a workspace of this machine, or on a server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from folkways.sdk.cli import workspace_option

if TYPE_CHECKING:
    from folkways.sdk.workspace import Workspace
    from folkways_studio.clients.local import LocalStudyClient
    from folkways_studio.clients.remote import RemoteStudyClient

    StudyClient = LocalStudyClient | RemoteStudyClient

F = TypeVar("F", bound=Callable[..., Any])


def server_option(command: F) -> F:
    """``--server URL``, also from the environment."""
    return click.option(
        "--server", metavar="URL", envvar="FOLKWAYS_STUDIO_SERVER",
        help="Address of a studio to ask in place of a workspace; its token is in FOLKWAYS_STUDIO_TOKEN.",
    )(command)  # fmt: skip


def place_options(command: F) -> F:
    """``--workspace`` and ``--server``."""
    return workspace_option(server_option(command))


def opened(workspace: str, *, create: bool = False) -> AbstractContextManager[Workspace]:
    """The workspace for the length of a block."""
    from folkways_studio.database.opening import open_workspace

    return closing(open_workspace(workspace, create=create))


@contextmanager
def open_study_client(workspace: str, server: str | None) -> Iterator[StudyClient]:
    """A client of the server, or of the workspace if no server is given, for the length of a block."""
    if server is not None:
        from folkways_studio.clients.remote import RemoteStudyClient

        yield RemoteStudyClient(server)
        return
    from folkways_studio.clients.local import LocalStudyClient

    with opened(workspace) as database:
        yield LocalStudyClient(database)


def with_study_client(command: Callable[..., None]) -> Callable[..., None]:
    """Add ``--workspace`` and ``--server`` to a command, which gets the client of that place first."""

    @place_options
    @wraps(command)
    def run(workspace: str, server: str | None, **options: Any) -> None:
        with open_study_client(workspace, server) as client:
            command(client, **options)

    return run
