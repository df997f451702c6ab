"""Runs the studio: one process, stopped by Ctrl-C or SIGTERM after the requests at hand have been answered."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable

from folkways.errors import FolkwaysError, MissingExtraError
from folkways.studio.web.app import create_app
from folkways.studio.web.settings import Settings
from folkways.workspace.database import Workspace

GRACE_SECONDS = 10


def serve(
    workspace: Workspace,
    *,
    host: str = "127.0.0.1",
    port: int = 8765,
    settings: Settings | None = None,
    ready: Callable[[str], None] = lambda address: None,
) -> None:
    """Serve until the process is told to stop. ``ready`` is called with the address once it can be opened.

    port: 0 for any free one. Raises FolkwaysError where the port is taken or the host is not of this machine.
    """
    try:
        import uvicorn
    except ImportError as error:
        raise MissingExtraError("The studio", "studio", error.name or "uvicorn") from None
    app = create_app(workspace, settings)
    listener = _listen(host, port)
    address = f"http://{_shown(host)}:{listener.getsockname()[1]}"
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,  # addresses of invitations are secrets, and what people look at is theirs
        server_header=False,
        proxy_headers=True,
        forwarded_allow_ips="127.0.0.1",
        timeout_graceful_shutdown=GRACE_SECONDS,
        h11_max_incomplete_event_size=64 * 1024,
    )

    class Announcing(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            ready(address)

    Announcing(config).run(sockets=[listener])


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise FolkwaysError(f"port {port} is in use; stop what runs there, or choose another with --port") from None
        raise FolkwaysError(f"the studio cannot listen on {host} port {port}: {error.strerror or error}") from None
    listener.listen(512)
    return listener


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host
