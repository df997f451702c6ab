"""Asks a benchmark's reader what is odd about a release."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from folkways.records import Oddity
from folkways.releases.base import Release


def oddities(release: Release) -> list[Oddity]:
    """Everything odd about the release, in the reader's order: ``check`` of the module ``folkways.releases.<benchmark>``.

    Empty for a benchmark whose data need no such list (the sample). DataError, with file and row, if the release cannot be read.
    """
    name = f"folkways.releases.{release.record.benchmark}"
    if find_spec(name) is None:
        return []
    reader = import_module(name)
    return list(reader.check(release)) if hasattr(reader, "check") else []
