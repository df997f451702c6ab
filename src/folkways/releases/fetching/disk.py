"""Writing to the data folder: one process at a time, and errors of the disk in words."""

from __future__ import annotations

import errno
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from folkways.errors import FolkwaysError
from folkways.files import atomic_file

ELSEWHERE = "or choose another place with the environment variable FOLKWAYS_DATA"

FICLONE = 0x40049409  # Linux: share a file's blocks (btrfs, xfs)


@contextmanager
def clear_disk_errors(folder: Path) -> Iterator[None]:
    """Turn an OSError of the block into a FolkwaysError that says what to do about it."""
    try:
        yield
    except OSError as error:
        target = error.filename or folder
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            advice = (
                f"no space left in {folder}\nFree some space there, {ELSEWHERE}. What was fetched so "
                "far is kept."
            )
        elif error.errno == errno.EROFS or isinstance(error, PermissionError):
            advice = f"cannot write {target}: {error.strerror}\nMake the folder writable, {ELSEWHERE}."
        elif isinstance(error, (NotADirectoryError, FileExistsError)):
            advice = (
                f"cannot use {target}: a file stands where a folder is needed\nMove the file away, "
                f"{ELSEWHERE}."
            )
        else:
            advice = f"cannot write {target}: {error.strerror or error}\nMake the folder usable, {ELSEWHERE}."
        raise FolkwaysError(advice) from error


@contextmanager
def exclusive(root: Path) -> Iterator[None]:
    """Hold the release folder ``root`` (created if need be) for this process alone; others wait. Ends when
    the process does."""
    root.mkdir(parents=True, exist_ok=True)
    with (root / ".lock").open("w") as lock:
        _hold(lock)
        yield


def require_space(folder: Path, needed: int) -> None:
    """FolkwaysError if ``needed`` bytes do not fit into the folder's file system."""
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise FolkwaysError(
            f"{needed / 1e6:.1f} MB are needed in {folder}, but only {free / 1e6:.1f} MB are free\n"
            f"Free some space there, {ELSEWHERE}."
        )


def copy_into_place(source: Path, target: Path) -> None:
    """Copy a file, whole or not at all; where the file system can, the copy shares the original's blocks."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_symlink():  # what it names is somebody's own file
        target.unlink()
    with atomic_file(target) as draft:
        if not _cloned(source, draft):
            shutil.copyfile(source, draft)


def _cloned(source: Path, target: Path) -> bool:
    if sys.platform != "linux":
        return False
    import fcntl

    with source.open("rb") as original, target.open("wb") as copy:
        try:
            fcntl.ioctl(copy.fileno(), FICLONE, original.fileno())
        except OSError:
            return False
    return True


def _hold(lock: IO[str]) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(lock.fileno(), msvcrt.LK_LOCK, 1)
    else:
        import fcntl

        fcntl.flock(lock, fcntl.LOCK_EX)
