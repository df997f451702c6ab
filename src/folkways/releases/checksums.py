"""Checksums of files on disk: SHA-256 as records pin it, and git's blob hash as the hub reports it for small
files."""

from __future__ import annotations

import hashlib
from pathlib import Path


def sha256_of(path: Path) -> str:
    """SHA-256 of the file's bytes, 64 hexadecimal digits. OSError if it cannot be read."""
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
