"""Temporary files of the tests in memory, where to make and remove one takes a tenth of the time.

They stay where they were where TMPDIR is set, where memory has little room or where no program may be started
in it. The folder is removed at the end of a run without failures; the next run removes those of runs that
failed or were killed.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

import pytest

MEMORY = Path("/dev/shm")
ROOM = 4 * 1024**3
"""Bytes that have to be free there."""


def has_room(memory: Path) -> bool:
    if not memory.is_dir() or not os.access(memory, os.W_OK):
        return False
    room = os.statvfs(memory)
    return room.f_bavail * room.f_frsize >= ROOM and not room.f_flag & os.ST_NOEXEC


def _remove_own(folder: Path, process: int) -> None:
    if os.getpid() == process:  # and not a fork
        shutil.rmtree(folder, ignore_errors=True)


@pytest.hookimpl(tryfirst=True)
def pytest_configure() -> None:
    if "TMPDIR" in os.environ or not has_room(MEMORY):
        return
    for left in MEMORY.glob("folkways-tests-*"):
        if not Path("/proc", left.name.rpartition("-")[2]).exists():
            shutil.rmtree(left, ignore_errors=True)
    folder = MEMORY / f"folkways-tests-{os.getpid()}"
    folder.mkdir()
    folder.chmod(0o755)  # PostgreSQL runs as another user
    atexit.register(_remove_own, folder, os.getpid())
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder)


def pytest_sessionfinish(exitstatus: int) -> None:
    if exitstatus == pytest.ExitCode.TESTS_FAILED:
        atexit.unregister(_remove_own)
