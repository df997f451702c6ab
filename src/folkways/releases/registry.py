"""The records of all published releases. Each one is a TOML file in ``records/``; this module finds and reads them.

A package that brings a benchmark of its own (entry point group ``folkways.tasks``) brings its releases in the same way: a folder
``releases/records`` with one TOML file per release and, for data that come with the package, ``releases/BENCHMARK``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import entry_points
from importlib.resources import files
from pathlib import Path

from folkways.errors import FolkwaysError, UnknownNameError
from folkways.releases.base import ReleaseFile, ReleaseRecord


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
    found = [_parse(path.read_text(encoding="utf-8"), home) for home in _homes() for path in home.glob("records/*.toml")]
    return {record.name: record for record in sorted(found, key=lambda record: record.name)}


def _homes() -> Iterator[Path]:
    """The folders with records and packaged data: our own, and those of other packages' benchmarks."""
    yield Path(str(files("folkways.releases")))
    packages = {entry.module for entry in entry_points(group="folkways.tasks") if not entry.module.startswith("folkways.")}
    for package in sorted(packages):
        try:
            home = Path(str(files(package)))
        except Exception as error:  # whatever a package of somebody else raises while it is imported
            raise FolkwaysError(
                f"the releases of the package {package} cannot be looked up ({type(error).__name__}: {error}); "
                "mend or uninstall that package"
            ) from error
        yield home / "releases"


def _parse(text: str, home: Path) -> ReleaseRecord:
    table = tomllib.loads(text)
    return ReleaseRecord(
        name=table["name"],
        benchmark=table["benchmark"],
        revision=table["revision"],
        source=table["source"],
        repository=table["repository"],
        files=tuple(ReleaseFile(**entry) for entry in table["files"]),
        licence=table["licence"],
        citation=table["citation"].strip(),
        homepage=table["homepage"],
        about=" ".join(table["about"].split()),
        aliases=tuple(table["aliases"]),
        languages=tuple(table["languages"]),
        home=home,
    )
