"""Reads Global PIQA, one file per language variety, and says what is odd about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from folkways.benchmarks.choosing.check import Repeats, check_question
from folkways.benchmarks.choosing.files import NO_COUNTRY, has_columns, read_named
from folkways.cultures import get_language
from folkways.errors import UnknownNameError
from folkways.records import DataIssue
from folkways.releases.base import Release
from folkways.text_tables import Columns
from folkways.toml_files import packaged_toml

LETTERS = ("A", "B")
FILE = r"(?:.*/)?nonparallel_(?P<name>\w+)\.(?:tsv|csv|parquet|jsonl)"
COLUMNS: Columns = {name: (name,) for name in ("prompt", "solution0", "solution1", "label")}
PER_VARIETY = 100
VARIETIES_BEFORE = 116
"""Varieties in the state before June 2026; 136 since."""


def countries() -> Mapping[str, str]:
    """Variety -> the culture that it is at home in."""
    return packaged_toml("folkways.benchmarks.global_piqa", "varieties.toml")


def language_of(variety: str) -> str:
    """The language of a variety (``por_latn_braz``): our code, with the script where that is not the language's usual one.

    The release's own code where nobody knows the language: ``acm``.
    """
    code, script = variety.split("_")[:2]
    try:
        language = get_language(code)
    except UnknownNameError:
        return code
    usual = {"Hans": "hans", "Kore": "hang"}.get(language.script, language.script.lower())
    return language.code if script == usual else f"{language.code}-{script.title()}"


def entries(release: Release) -> Iterator[dict[str, Any]]:
    """The situations, variety by variety: the released columns with ``file``, ``row``, ``variety``, ``options`` and ``letter``.

    letter: of the right solution, which the release counts from 0; what it says where that is none.
    """
    for variety, file, table in read_named(release, FILE, COLUMNS):
        for entry in table.iter_rows(named=True):
            number = entry["label"].strip()
            letter = LETTERS[int(number)] if number in ("0", "1") else number
            options = [entry["solution0"], entry["solution1"]]
            yield {**entry, "file": file, "variety": variety.lower(), "options": options, "letter": letter}


def culture_of(variety: str) -> str:
    """The culture of a variety; NO_COUNTRY for one that is at home in several countries, or that nobody knows."""
    return countries().get(variety, NO_COUNTRY)


def looks_like(folder: Path) -> bool:
    """Whether ``folder`` holds one file per variety with the columns of the release."""
    return has_columns(folder, FILE, COLUMNS)


def check(release: Release) -> list[DataIssue]:
    """Every data issue: cells, solutions and labels; what repeats; varieties that are unknown or have not 100 situations."""
    issues: list[DataIssue] = []
    repeats = Repeats("duplicate-prompt", "the same situation with the same solutions")
    counts: Counter[str] = Counter()
    of: dict[str, str] = {}
    for entry in entries(release):
        file, row, variety = entry["file"], entry["row"], entry["variety"]
        counts[variety] += 1
        of[variety] = file
        issues += check_question(file, row, entry["prompt"], entry["options"], entry["letter"], LETTERS)
        issues += repeats.issues(file, row, (variety, entry["prompt"], *sorted(entry["options"])), entry["prompt"][:80])
    for variety, count in counts.items():
        if variety not in countries():
            issues.append(DataIssue(of[variety], "unknown-variety", "a variety that folkways puts in no country", key=variety))
        if count != PER_VARIETY:
            told = f"{count} situations in place of {PER_VARIETY}"
            issues.append(DataIssue(of[variety], "variety-count", told, key=variety))
    if len(counts) == VARIETIES_BEFORE:
        told = "116 varieties, as before June 2026: the data have changed since, and newer scores cannot be compared"
        issues.append(DataIssue(of[min(of)], "older-state", told))
    return issues
