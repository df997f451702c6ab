"""The records of all published releases: TOML files in the folder ``records`` of each benchmark's package."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from folkways.errors import UnknownNameError
from folkways.releases.base import ReleaseFile, ReleaseRecord
from folkways.releases.readers import benchmark_folders


def known_releases() -> tuple[ReleaseRecord, ...]:
    """Every record, ordered by name."""
    return tuple(_records().values())


def get_record(name: str) -> ReleaseRecord:
    """The record of that name or alias; UnknownNameError with the valid ones otherwise."""
    for record in _records().values():
        if name == record.name or name in record.aliases:
            return record
    raise UnknownNameError("release", name, release_names(), hint="A folder is given by its path, for example: ./my-copy")


def release_names() -> list[str]:
    """Names and aliases that ``get_record`` knows."""
    return [name for record in _records().values() for name in (*record.aliases, record.name)]


@cache
def _records() -> dict[str, ReleaseRecord]:
    found = [_parse(path.read_text(encoding="utf-8"), home) for home in benchmark_folders() for path in home.glob("records/*.toml")]
    return {record.name: record for record in sorted(found, key=lambda record: record.name)}


def _parse(text: str, home: Path) -> ReleaseRecord:
    table = tomllib.loads(text)
    return ReleaseRecord(
        **{name: table[name] for name in ("name", "benchmark", "revision", "source", "repository", "licence", "homepage")},
        files=tuple(ReleaseFile(**entry) for entry in table["files"]),
        citation=table["citation"].strip(),
        about=" ".join(table["about"].split()),
        aliases=tuple(table["aliases"]),
        languages=tuple(table["languages"]),
        items_may_leave=table.get("items_may_leave", True),
        home=home,
    )
