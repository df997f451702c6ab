"""The reader of each benchmark's released data: the module ``folkways.releases.<benchmark>``.

A reader may offer ``looks_like(folder) -> bool`` (is there something here that it can read?) and
``check(release) -> list[Oddity]`` (what is odd about it?).
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from folkways.records import Oddity
from folkways.releases.base import Release


def can_read(benchmark: str, folder: Path) -> bool:
    """Whether the benchmark's reader finds something in ``folder``; False for a benchmark without one."""
    looks_like = _offer(benchmark, "looks_like")
    return looks_like is not None and bool(looks_like(folder))


def oddities(release: Release) -> list[Oddity]:
    """Everything odd about the release, in the reader's order; empty for a benchmark whose data need no such list (the sample).

    DataError, with file and row, if the release cannot be read.
    """
    check = _offer(release.record.benchmark, "check")
    return [] if check is None else list(check(release))


def _offer(benchmark: str, name: str) -> Callable[[Any], Any] | None:
    module = f"folkways.releases.{benchmark}"
    return getattr(import_module(module), name, None) if find_spec(module) else None
