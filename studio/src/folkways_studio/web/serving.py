"""Runs the studio in one process or several, until Ctrl-C or SIGTERM; requests in progress are finished."""

from __future__ import annotations

import errno
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from ipaddress import IPv4Network, ip_network
from types import FrameType
from typing import TYPE_CHECKING, Any

from folkways.sdk.errors import FolkwaysError
from folkways.sdk.workspace import Workspace
from folkways_studio.database.opening import open_workspace
from folkways_studio.web.app import create_app
from folkways_studio.web.settings import WebSettings

if TYPE_CHECKING:
    import uvicorn
    from starlette.applications import Starlette

HANG_UP = getattr(signal, "SIGHUP", None)
GRACE_SECONDS = 10
START_SECONDS = 60
"""Seconds for a process to start or to report that it lives; busy machines import slowly."""


def serve(
    workspace: Workspace,
    *,
    host: str = "127.0.0.1",
    port: int = 8765,
    workers: int = 1,
    settings: WebSettings | None = None,
    ready: Callable[[str], None] = lambda address: None,
) -> None:
    """Serve the workspace until the process is stopped. ``ready`` is called with the address once it is open.

    host, port: where to listen; port 0 for any free one. workers: processes that answer; one that dies is
    restarted. settings: their proxies are trusted to say where a request came from. Raises FolkwaysError if
    the port is taken or the host is not this machine's.
    """
    listener = _listen(host, port)
    address = f"http://{_in_brackets(host)}:{listener.getsockname()[1]}"
    if workers == 1:
        one_process(workspace, settings, partial(ready, address)).run(sockets=[listener])
        return

    import uvicorn

    location = workspace.engine.url.render_as_string(hide_password=False)
    app = partial(_app, location if "://" in workspace.location else workspace.location, settings)
    config = uvicorn.Config(app, factory=True, workers=workers, **_options(settings))
    _serve_together(config, listener, partial(ready, address))


def one_process(
    workspace: Workspace, settings: WebSettings | None, ready: Callable[[], None]
) -> uvicorn.Server:
    """The server of one process, which is yet to ``run`` on a socket. ``ready`` is called once it answers."""
    import uvicorn

    class ReadyServer(uvicorn.Server):
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            """Also where the terminal is closed (SIGHUP), requests in progress are finished."""
            with super().capture_signals(), hearing(HANG_UP, self.handle_exit):
                yield

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            ready()

    return ReadyServer(uvicorn.Config(create_app(workspace, settings), **_options(settings)))


@contextmanager
def hearing(number: int | None, handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Have a signal (None: this system has it not) handled in the block, in the thread that gets signals."""
    if number is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, before)


def _options(settings: WebSettings | None) -> dict[str, Any]:
    proxies = settings.proxies if settings is not None else ()
    return {
        "log_level": "warning",
        "access_log": False,  # addresses of invitations are secrets, and what people look at is theirs
        "server_header": False,
        "proxy_headers": bool(proxies),
        # Never from the environment: only named proxies are trusted.
        "forwarded_allow_ips": ",".join(both for each in proxies for both in _spellings(each)),
        "timeout_graceful_shutdown": GRACE_SECONDS,
        "timeout_worker_healthcheck": START_SECONDS,
        "h11_max_incomplete_event_size": 64 * 1024,
    }


def _spellings(proxy: str) -> Iterator[str]:
    """The address or network as it shows on a socket of IPv4 and, if it is one of IPv4, on one of both."""
    network = ip_network(proxy, strict=False)
    yield str(network)
    if isinstance(network, IPv4Network):
        yield f"::ffff:{network.network_address}/{96 + network.prefixlen}"


def _app(location: str, settings: WebSettings | None) -> Starlette:
    """The application of one of several processes, each with its own connections."""
    return create_app(open_workspace(location), settings)


def _serve_together(config: uvicorn.Config, listener: socket.socket, ready: Callable[[], None]) -> None:
    from uvicorn.config import STARTUP_FAILURE
    from uvicorn.supervisors import Multiprocess

    class ReadyMultiprocess(Multiprocess):
        def init_processes(self) -> None:
            super().init_processes()
            if all(each.wait_until_ready(START_SECONDS) for each in self.processes):
                ready()

    together = ReadyMultiprocess(config, sockets=[listener])
    together.run()
    if any(each.exitcode == STARTUP_FAILURE for each in together.processes):
        raise FolkwaysError("the studio's processes could not start; their messages are above")


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise FolkwaysError(
                f"port {port} is in use; stop what runs there, or choose another with --port"
            ) from None
        raise FolkwaysError(
            f"the studio cannot listen on {host} port {port}: {error.strerror or error}"
        ) from None
    listener.listen(512)
    return listener


def _in_brackets(host: str) -> str:
    return f"[{host}]" if ":" in host else host
