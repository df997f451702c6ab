"""Reads a large workbook in a separate process. Reading is pure Python and would delay everybody's requests.

The workbook is the process's standard input and its rows are its standard output, one JSON object per line.
Both are unnamed files, which vanish however the processes end. A faster library would not do: those outside
of Python allocate every cell up to the last one, and a file of 5 kB can name one that no machine has the
memory for.
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
from folkways_studio.items.table_files import read_workbook

MOST_SECONDS = 900.0
"""The process is killed after this time."""

LOOK_SECONDS = 0.25
"""Seconds between two checks whether the rows are still wanted."""

NAME = "the workbook"
REFUSED = 3
"""Exit code of a process that wrote an error message to its standard output."""


class ImportCancelledError(Exception):
    """The rows are not wanted any more: the import was cancelled, or the server stops."""


def read_apart(content: bytes, name: str, wanted: Callable[[], bool] = lambda: True) -> list[dict[str, str]]:
    """``read_workbook`` in a process of low priority, which is killed once the rows are not ``wanted``.

    name: of the file, for errors. Raises FolkwaysError for an unusable workbook, and ImportCancelledError.
    """
    command = [sys.executable, "-P", "-m", "folkways_studio.items.workbook_process"]
    with TemporaryFile() as stdin, TemporaryFile() as stdout, TemporaryFile() as stderr:
        stdin.write(content)
        stdin.seek(0)
        with subprocess.Popen(command, stdin=stdin, stdout=stdout, stderr=stderr) as process:  # noqa: S603 - our own module
            try:
                _wait(process, name, wanted)
            finally:
                process.kill()
        stdout.seek(0)
        if process.returncode == 0:
            return [orjson.loads(line) for line in stdout]
        if process.returncode == REFUSED:
            raise FolkwaysError(stdout.read().decode().replace(NAME, name, 1))
        stderr.seek(0)
        reason = (
            stderr.read().decode("utf-8", "replace").strip().rpartition("\n")[2]
            or f"exit code {process.returncode}"
        )
    raise FolkwaysError(
        f"{name}: the process that read it ended ({reason}), perhaps for want of memory; bring it in parts, "
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
