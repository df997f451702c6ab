"""Runs a server as its child, and ends it with all its processes once the worker that wants it has ended,
however that ended.

A program of its own: ``python server_guard.py COMMAND ARGUMENT...``, with a pipe from the worker as its
standard input.
"""

import os
import signal
import subprocess
import sys
import threading

from folkways.endpoints.detached import detach

STOP_SECONDS = 20


def main() -> None:
    """Start the server, wait until it or the worker ends, and end with the server's exit code."""
    detach()
    for number in (signal.SIGINT, signal.SIGTERM):  # the worker's own end is what counts
        signal.signal(number, lambda *_: None)
    try:
        server = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)  # noqa: S603 - the command that the user gave
    except OSError as error:
        print(f"{sys.argv[1]}: {error.strerror or error}")  # noqa: T201 - what the worker shows
        raise SystemExit(127) from None
    threading.Thread(target=lambda: os._exit(server.wait() & 255), daemon=True).start()
    sys.stdin.read()
    os.killpg(0, signal.SIGTERM)
    try:
        server.wait(STOP_SECONDS)
    finally:
        os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main()
