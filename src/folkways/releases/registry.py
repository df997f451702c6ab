"""The records of all published releases: TOML files in the folder ``records`` of each benchmark's package."""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_type_hints

from folkways.errors import DataError, FolkwaysWarning, UnknownNameError
from folkways.plugins import short
from folkways.releases.readers import benchmark_folders
from folkways.releases.release_records import ReleaseFile, ReleaseRecord
from folkways.toml_files import read_toml

TEXTS = ("name", "benchmark", "revision", "source", "repository", "licence", "homepage", "about", "citation")
LISTS = ("aliases", "languages")
KINDS = {**dict.fromkeys(TEXTS, str), **dict.fromkeys((*LISTS, "files"), list), "items_may_leave": bool}
"""Key of a record -> what its value has to be; all but ``items_may_leave`` have to be there."""
TOML_WORDS = {str: "a text", list: "a list", bool: "true or false", int: "a whole number", dict: "a table"}


def known_releases() -> tuple[ReleaseRecord, ...]:
    """Every record, ordered by name."""
    return tuple(records_by_name().values())


def get_record(name: str) -> ReleaseRecord:
    """The record of that name or alias; UnknownNameError with the valid ones otherwise."""
    for record in records_by_name().values():
        if name == record.name or name in record.aliases:
            return record
    raise UnknownNameError(
        "release", name, release_names(), hint="A folder is given by its path, for example: ./my-copy"
    )


def release_names() -> list[str]:
    """Names and aliases that ``get_record`` knows."""
    return [name for record in records_by_name().values() for name in (*record.aliases, record.name)]


@cache
def records_by_name() -> dict[str, ReleaseRecord]:
    """The records by name. One that cannot be used is left out, its DataError given as a FolkwaysWarning;
    ours come first where two share a name."""
    records: dict[str, ReleaseRecord] = {}
    taken: dict[str, Path] = {}
    for home in benchmark_folders():
        for path in sorted(home.glob("records/*.toml")):
            try:
                record = read_record(path)
                for name in (record.name, *record.aliases):
                    if (other := taken.get(name)) is not None:
                        raise DataError(
                            f"{name!r} is a release of {short(other)} already; choose another name", file=path
                        )
            except DataError as error:
                what = (
                    f"the release of {short(path)}, in {path.parent.parent.name}, is left out: "
                    f"{' '.join(str(error).split())}"
                )
                warnings.warn(what, FolkwaysWarning, stacklevel=1)
                continue
            records[record.name] = record
            taken.update(dict.fromkeys((record.name, *record.aliases), path))
    return dict(sorted(records.items()))


def read_record(path: Path) -> ReleaseRecord:
    """The record in a file ``records/NAME.toml`` of a benchmark's folder; DataError, with the key, where it
    is none."""
    table = read_toml(path)
    for problem in _problems(table, KINDS, [name for name in KINDS if name != "items_may_leave"]):
        raise DataError(problem, file=path)
    sources = get_args(get_type_hints(ReleaseRecord)["source"])
    if table["source"] not in sources:
        raise DataError(f"key 'source': {table['source']!r} is not one of {', '.join(sources)}", file=path)
    for name in LISTS:
        if any(not isinstance(entry, str) for entry in table[name]):
            raise DataError(f"key {name!r}: every entry has to be a text", file=path)
    return ReleaseRecord(
        **{name: table[name] for name in TEXTS if name not in ("about", "citation")},
        files=tuple(_files(table["files"], path)),
        citation=table["citation"].strip(),
        about=" ".join(table["about"].split()),
        aliases=tuple(table["aliases"]),
        languages=tuple(table["languages"]),
        items_may_leave=table.get("items_may_leave", True),
        home=path.parent.parent,
    )


def _files(entries: Iterable[Any], path: Path) -> Iterator[ReleaseFile]:
    plain: dict[str, type] = {"int": int, "bool": bool}
    kinds = {field.name: plain.get(str(field.type).split()[0], str) for field in fields(ReleaseFile)}
    for number, entry in enumerate(entries, start=1):
        if not isinstance(entry, dict):
            raise DataError(
                f'key \'files\', entry {number}: has to be a table: {{ path = "...", remote = "..." }}',
                file=path,
            )
        for problem in _problems(entry, kinds, ("path", "remote")):
            raise DataError(f"key 'files', entry {number}: {problem}", file=path)
        yield ReleaseFile(**entry)


def _problems(table: Mapping[str, Any], kinds: Mapping[str, type], needed: Iterable[str]) -> Iterator[str]:
    """What is wrong with the keys of a table and their values."""
    for name in table:
        if name not in kinds:
            close = difflib.get_close_matches(name, kinds, n=1)
            yield f"unknown key {name!r}; " + (
                f"did you mean {close[0]!r}?" if close else f"valid: {', '.join(kinds)}"
            )
    for name in needed:
        if name not in table:
            yield f"lacks the key {name!r}"
    for name, value in table.items():
        if not isinstance(value, kinds[name]) or (kinds[name] is int and isinstance(value, bool)):
            yield f"key {name!r}: {value!r} has to be {TOML_WORDS[kinds[name]]}"
