"""ZIP archives that people bring: one error for whatever is wrong with one."""

from __future__ import annotations

import errno
import io
import lzma
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def open_zip(archive: Path | bytes) -> Iterator[zipfile.ZipFile]:
    """An archive to read from. Damage and a password are BadZipFile wherever in the block they come to light,
    for which zipfile has half a dozen classes, some without words; what the disk refuses is OSError."""
    try:
        with zipfile.ZipFile(archive if isinstance(archive, Path) else io.BytesIO(archive)) as opened:
            yield opened
    except (zlib.error, lzma.LZMAError, EOFError, RuntimeError, ValueError, OSError) as error:
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):  # EINVAL: before its start
            raise
        raise zipfile.BadZipFile(str(error) or "it ends too early") from error
