"""Released tables in one file per language or variety: which there are, and whose country and language they
are about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from folkways.cultures import get_culture, get_language
from folkways.errors import FolkwaysError, UnknownNameError
from folkways.releases.base import Release
from folkways.text_tables import Columns, read_table

SPLIT = r"(?:.*/)?(?P<name>[^/]+)/{}(?:-\d+-of-\d+|/\d+)?\.(?:parquet|csv|tsv|jsonl)"
"""One folder per language, as ``datasets`` uploads it and as the hub converts it:
``ar/test-00000-of-00001.parquet``."""

ENDINGS = (".parquet", ".csv", ".tsv", ".jsonl")
"""Of the tables that can be read."""

NO_COUNTRY = "WORLD"
"""The culture of items that are about no country, or about several."""


def named_files(release: Release, pattern: str) -> dict[str, str]:
    """What ``(?P<name>...)`` of the pattern is -> path in the release, for the files that are there, by
    name."""
    matches = ((re.fullmatch(pattern, entry.path), entry.path) for entry in release.record.files)
    return dict(sorted((match["name"], path) for match, path in matches if match and release.has(path)))


def read_named(release: Release, pattern: str, columns: Columns) -> Iterator[tuple[str, str, pl.DataFrame]]:
    """Name, path and rows (``row`` and the columns, as text) of each file; FolkwaysError where there is none
    at all."""
    found = named_files(release, pattern)
    if not found:
        for entry in release.record.files[:1]:
            release.path(entry.path)  # says how to fetch it
        raise FolkwaysError(
            f"release {release.name} has none of the files that hold its questions, in {release.root}"
        )
    for name, path in found.items():
        yield name, path, read_table(release.path(path), columns)


def has_columns(folder: Path, pattern: str, columns: Columns) -> bool:
    """Whether a file in the folder, or in one of its folders, has the name and the columns."""
    for path in sorted(folder.glob("*")) + sorted(folder.glob("*/*")) + sorted(folder.glob("data/*/*")):
        if path.is_file() and re.fullmatch(pattern, path.relative_to(folder).as_posix()):
            return is_readable(path, columns)
    return False


def is_readable(path: Path, columns: Columns) -> bool:
    """Whether a file is a table with these columns."""
    try:
        read_table(path, columns)
    except FolkwaysError:
        return False
    return True


def culture_of(country: str | None) -> str:
    """The code of a country that a release names; NO_COUNTRY for none, the released name where nobody knows
    it."""
    name = re.sub(r"\s*\([A-Z]+\)$", "", (country or "").strip())  # "United States of America (USA)"
    if not name:
        return NO_COUNTRY
    try:
        return get_culture(name).code
    except UnknownNameError:
        return name


def language_of(name: str) -> str:
    """The code of a language that a release names in any way; the released name where nobody knows it.

    Of codes with a script (``por_latn_braz``, ``cmn_Hant``): our code, with the script where that is not the
    language's usual one.
    """
    tagged = re.fullmatch(r"(?P<code>[a-z]{2,3})_(?P<script>[A-Za-z]{4})(?:_\w+)?", name)
    try:
        language = get_language(tagged["code"] if tagged else name)
    except UnknownNameError:
        return tagged["code"] if tagged else name
    usual = {"Hans": "hans", "Kore": "hang"}.get(language.script, language.script.lower())
    if tagged is None or tagged["script"].lower() == usual:
        return language.code
    return f"{language.code}-{tagged['script'].title()}"
