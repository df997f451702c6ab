"""Reads a large workbook in a process of its own: reading one is all Python, and whoever answers at that
moment would wait for it.

The workbook is the process's standard input and its rows are its standard output, one JSON object a line:
files without a name, so that none is left behind, however either of the two ends. A faster library in this
process would not do: what reads workbooks outside of Python makes room for every cell up to the last one, and
a file of 5 kB can name one that no machine has the memory for.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from tempfile import TemporaryFile

import orjson

from folkways.sdk.errors import FolkwaysError
from folkways_studio.items.workbooks import read_workbook

MOST_SECONDS = 900.0
"""After so long the process is killed."""

LOOK_SECONDS = 0.25
"""How often it is asked whether the rows are still wanted."""

NAME = "the workbook"
REFUSED = 3
"""Exit code of a process whose standard output is an error in words."""


class ImportCancelledError(Exception):
    """The rows are not wanted any more: whoever asked for them has to stop, or the import was cancelled."""


def read_apart(content: bytes, name: str, wanted: Callable[[], bool] = lambda: True) -> list[dict[str, str]]:
    """``workbooks.read_workbook`` in a process of low priority, which is killed as soon as the rows are not
    ``wanted``.

    name: of the file, for errors. Raises FolkwaysError with what is wrong with it, and ImportCancelledError.
    """
    command = [sys.executable, "-P", "-m", "folkways_studio.items.workbook_process"]
    with TemporaryFile() as given, TemporaryFile() as told, TemporaryFile() as said:
        given.write(content)
        given.seek(0)
        with subprocess.Popen(command, stdin=given, stdout=told, stderr=said) as process:  # noqa: S603 - our own module
            try:
                _wait(process, name, wanted)
            finally:
                process.kill()
        told.seek(0)
        if process.returncode == 0:
            return [orjson.loads(line) for line in told]
        if process.returncode == REFUSED:
            raise FolkwaysError(told.read().decode().replace(NAME, name, 1))
        said.seek(0)
        last = (
            said.read().decode("utf-8", "replace").strip().rpartition("\n")[2]
            or f"exit code {process.returncode}"
        )
    raise FolkwaysError(
        f"{name}: the process that read it ended ({last}), perhaps for want of memory; bring it in parts, "
        "or as CSV"
    )


def _wait(process: subprocess.Popen[bytes], name: str, wanted: Callable[[], bool]) -> None:
    until = time.monotonic() + MOST_SECONDS
    while True:
        try:
            process.wait(LOOK_SECONDS)
            return
        except subprocess.TimeoutExpired:
            if not wanted():
                raise ImportCancelledError from None
            if time.monotonic() > until:
                raise FolkwaysError(
                    f"{name}: reading it takes longer than {MOST_SECONDS:.0f} s; bring it in parts or as CSV"
                ) from None


def main() -> int:
    """Read the workbook on standard input."""
    if hasattr(os, "nice"):  # not on Windows
        os.nice(5)
    try:
        rows = read_workbook(sys.stdin.buffer.read(), NAME)
    except FolkwaysError as error:
        sys.stdout.buffer.write(str(error).encode())
        return REFUSED
    for row in rows:
        sys.stdout.buffer.write(orjson.dumps(row) + b"\n")
    sys.stdout.buffer.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
