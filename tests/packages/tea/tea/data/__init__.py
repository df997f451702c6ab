"""The released questions: reads and checks them."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from folkways.records import DataIssue
from folkways.releases.release_records import Release

FILE = "questions.csv"


def read(release: Release) -> Iterator[dict[str, str]]:
    """Its rows."""
    with release.path(FILE).open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def looks_like(folder: Path) -> bool:
    """Whether it has the file."""
    return (folder / FILE).is_file()


def check(release: Release) -> list[DataIssue]:
    """Ids that come twice: the first is used."""
    seen: set[str] = set()
    issues = []
    for number, row in enumerate(read(release), 1):
        if row["id"] in seen:
            issues.append(DataIssue(FILE, "repeated-id", "the first one is used", number, "id", row["id"]))
        seen.add(row["id"])
    return issues
