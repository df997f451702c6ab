"""Reads NormAd-Eti and reports what is odd about it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from folkways.benchmarks.multiple_choice.declaration import NO_COUNTRY, culture_of
from folkways.benchmarks.multiple_choice.release import Repeats, check_culture, is_readable
from folkways.cultures import cultures
from folkways.errors import FolkwaysError
from folkways.records import DataIssue
from folkways.releases.release_records import Release
from folkways.text_tables import Columns, read_table

FILE = r"(?:.*/)?(?P<name>normad[^/]*|train(?:-\d+-of-\d+|/\d+)?)\.(?:csv|tsv|parquet|jsonl)"
COLUMNS: Columns = {
    **{name: (name,) for name in ("ID", "Country", "Axis", "Subaxis", "Value", "Story")},
    "Rule": ("Rule-of-Thumb",),
    "Gold": ("Gold Label",),
}
LABELS = {"yes": "Yes", "no": "No", "neutral": "Neither"}
"""Gold label -> the word that a model is asked for."""

STORIES, STORIES_OF_2026 = 2633, 2615


def entries(release: Release) -> Iterator[dict[str, Any]]:
    """The stories: the released columns with ``file``, ``row``, ``gold``, ``told``, ``named`` and ``code``.

    told: the country's English name, which models are given. named: the code of that country. code: the
        culture of the item; NO_COUNTRY for a neutral story, whose ``Country`` belongs to a rule that does
        not apply.
    """
    for _, file, table in read_named(release, FILE, COLUMNS):
        for entry in table.iter_rows(named=True):
            gold = entry["Gold"].strip().lower()
            culture = culture_of(entry["Country"])
            country = (
                cultures()[culture].name
                if culture in cultures()
                else entry["Country"].replace("_", " ").title()
            )
            code = NO_COUNTRY if gold == "neutral" else culture
            yield {**entry, "file": file, "gold": gold, "told": country, "named": culture, "code": code}


def looks_like(folder: Path) -> bool:
    """Whether ``folder`` holds the stories, with the columns of the release."""
    return has_columns(folder, FILE, COLUMNS)


def check(release: Release) -> list[DataIssue]:
    """Odd cells, labels and countries; repeats; how many stories there are, and how many foils."""
    issues: list[DataIssue] = []
    ids = Repeats("duplicate-id", "the same id")
    stories = Repeats("duplicate-story", "the same story with the same rule")
    foils, count, file = 0, 0, ""
    for entry in entries(release):
        file, row = entry["file"], entry["row"]
        count, foils = count + 1, foils + (entry["gold"] == "neutral")
        empty = [name for name in ("Country", "Value", "Rule", "Story") if not entry[name].strip()]
        issues += [DataIssue(file, "empty-cell", f"{name} is empty", row) for name in empty]
        if entry["gold"] not in LABELS:
            message = f"the label is not one of {', '.join(LABELS)}; the story is not counted"
            issues.append(DataIssue(file, "answer-outside", message, row, "Gold Label", entry["Gold"]))
        issues += check_culture(file, row, entry["named"])
        issues += ids.issues(file, row, entry["ID"], entry["ID"])
        issues += stories.issues(
            file, row, (entry["Country"], entry["Story"], entry["Rule"]), entry["Story"][:80]
        )
    if foils:
        message = (
            "neutral stories, whose Country is that of a rule which does not apply; they count for no country"
        )
        issues.append(DataIssue(file, "foil-country", f"{foils:,} {message}"))
    if count != STORIES:
        other = " (the state of 2026)" if count == STORIES_OF_2026 else ""
        issues.append(DataIssue(file, "story-count", f"{count:,} stories{other} in place of {STORIES:,}"))
    return issues


def named_files(release: Release, pattern: str) -> dict[str, str]:
    """The group ``name`` of the pattern -> path in the release, for the files on this disk, by name."""
    matches = ((re.fullmatch(pattern, entry.path), entry.path) for entry in release.record.files)
    return dict(sorted((match["name"], path) for match, path in matches if match and release.has(path)))


def read_named(release: Release, pattern: str, columns: Columns) -> Iterator[tuple[str, str, pl.DataFrame]]:
    """Name, path and rows (``row`` and the columns, as text) of each file. Raises FolkwaysError if there is
    no file."""
    paths = named_files(release, pattern)
    if not paths:
        for entry in release.record.files:
            release.path(entry.path)  # says how to fetch what is not there
        raise FolkwaysError(
            f"release {release.name} has none of the files that hold its questions, in {release.root}"
        )
    for name, path in paths.items():
        yield name, path, read_table(release.path(path), columns)


def has_columns(folder: Path, pattern: str, columns: Columns) -> bool:
    """Whether a file in the folder, or in one of its folders, has the name and the columns."""
    for path in sorted(folder.glob("*")) + sorted(folder.glob("*/*")) + sorted(folder.glob("data/*/*")):
        if path.is_file() and re.fullmatch(pattern, path.relative_to(folder).as_posix()):
            return is_readable(path, columns)
    return False
