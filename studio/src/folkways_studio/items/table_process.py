"""Reads a large workbook, or Parquet, in a separate process. Reading a workbook is pure Python and would
delay everybody's requests; Parquet of a few kB can unpack to more than a machine has memory for, and the
library that reads it then ends its process.

The rows are the process's standard output, one JSON object per line: an unnamed file, which vanishes however
the process ends. A faster library would not do for workbooks: those outside of Python allocate every cell up
to the last one, and a file of 5 kB can name one that no machine has the memory for.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryFile
from threading import Thread

import orjson

from folkways.sdk.errors import FolkwaysError
from folkways_studio.items.table_files import read_rows

MOST_SECONDS = 900.0
"""The process is killed after this time."""

MOST_MEMORY = 2 * 2**30
"""Bytes that the process may have."""

LOOK_SECONDS = 0.25
"""Seconds between two checks whether the rows are still wanted."""

REFUSED = 3
"""Exit code of a process that wrote an error message to its standard output."""


class ImportCancelledError(Exception):
    """The rows are not wanted any more: the import was cancelled, or the server stops."""


def read_apart(path: Path, wanted: Callable[[], bool] = lambda: True) -> list[dict[str, str]]:
    """``read_rows`` in a process of low priority and bounded memory, which is killed once the rows are not
    ``wanted`` (ImportCancelledError). path: of the file. Raises FolkwaysError for one that cannot be used."""
    command = [sys.executable, "-P", "-m", "folkways_studio.items.table_process", str(path)]
    environment = {**os.environ, "POLARS_MAX_THREADS": "1"}  # each thread takes memory of its own
    with TemporaryFile() as stdout:
        with subprocess.Popen(  # noqa: S603 - our own module
            command, stdout=stdout, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
        ) as process:
            try:
                _wait(process, path, wanted)
            finally:
                process.kill()
        stdout.seek(0)
        if process.returncode == 0:
            return [orjson.loads(line) for line in stdout]
        if process.returncode == REFUSED:
            raise FolkwaysError(stdout.read().decode())
    raise FolkwaysError(
        f"{path}: the process that read it ended (exit code {process.returncode}), most likely because it "
        f"needs more than {MOST_MEMORY // 2**30} GB of memory; bring it in parts, or as CSV"
    )


def _wait(process: subprocess.Popen[bytes], path: Path, wanted: Callable[[], bool]) -> None:
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
                    f"{path}: reading it takes longer than {MOST_SECONDS:.0f} s; bring it in parts or as CSV"
                ) from None


def _bound() -> None:
    """Let others go first, and end rather than take all memory; Windows has neither."""
    if sys.platform != "win32":
        import resource

        os.nice(5)
        _, most = resource.getrlimit(resource.RLIMIT_DATA)
        bound = MOST_MEMORY if most == resource.RLIM_INFINITY else min(MOST_MEMORY, most)
        resource.setrlimit(resource.RLIMIT_DATA, (bound, bound))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _end_with_server() -> None:
    """End once the standard input does: nobody stops the process of a server that was killed."""
    os.read(0, 1)  # whose buffer would be locked at the end
    os._exit(1)


def main() -> int:
    """Read the table that the first argument names."""
    _bound()
    Thread(target=_end_with_server, daemon=True).start()
    try:
        rows = read_rows(Path(sys.argv[1]))
    except FolkwaysError as error:
        sys.stdout.buffer.write(str(error).encode())
        return REFUSED
    for row in rows:
        sys.stdout.buffer.write(orjson.dumps(row) + b"\n")
    sys.stdout.buffer.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
