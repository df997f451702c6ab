"""Checksums of files on disk: SHA-256 as records pin it, and git's blob hash as the hub reports it for small
files."""

from __future__ import annotations

import hashlib
import time
from functools import lru_cache
from pathlib import Path

RESTING = 2.0
"""Seconds without a change after which the times of a file tell whether it was changed again: no file system
has a coarser clock."""

KEPT = 4096
"""Files whose checksums a process keeps."""


def sha256_of(path: Path) -> str:
    """SHA-256 of the file's bytes, 64 hexadecimal digits; a file that has not changed since this process read
    it is not read again. OSError if it cannot be read."""
    now = path.stat()
    state = (now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns)
    is_resting = time.time() - max(now.st_mtime, now.st_ctime) > RESTING
    return (_sha256 if is_resting else _sha256.__wrapped__)(path, state)


@lru_cache(maxsize=KEPT)
def _sha256(path: Path, _state: tuple[int, ...]) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def git_blob_sha1_of(path: Path) -> str:
    """The name git gives to a blob of these bytes, 40 hexadecimal digits: SHA-1 over a header with the size,
    then the bytes."""
    header = hashlib.sha1(f"blob {path.stat().st_size}\0".encode(), usedforsecurity=False)
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, lambda: header).hexdigest()


def content_hash_of(path: Path, like: str) -> str:
    """The hash of the kind that ``like`` is: SHA-256 for 64 digits, git's blob hash for 40."""
    return sha256_of(path) if len(like) == 64 else git_blob_sha1_of(path)
