"""Where the files of a BLEnD release lie, and how they are opened: every layout seen, each file read once.

Layouts: parts at the top (``annotations/UK_data.json``), the GitHub repository
(``data/annotations/UK_data.json``, ``evaluation/mc_data/mc_questions_file.csv``), and the hub's own copies
(``data/annotations_hf``: lists of records, not objects).
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from folkways.cultures import Culture, cultures_of
from folkways.errors import DataError, FolkwaysError
from folkways.releases.release_records import Release
from folkways.spreadsheet import from_csv

BENCHMARK = "blend"
REMEDY = "Fetch the release again (folkways data fetch blend), or repair the copy it was taken from."

PARTS = {
    "annotations": (
        "annotations/{}_data.json",
        "data/annotations/{}_data.json",
        "annotations_hf/{}_data.json",
        "data/annotations_hf/{}_data.json",
    ),
    "questions": (
        "questions/{}_questions.csv",
        "data/questions/{}_questions.csv",
        "questions_hf/{}_questions.json",
        "data/questions_hf/{}_questions.json",
    ),
    "prompts": ("prompts/{}_prompts.csv", "data/prompts/{}_prompts.csv"),
}
"""Part -> where its file for a country may lie, the first that is there being read; ``{}`` is the authors'
name of the country."""

MCQ_PLACES = tuple(
    folder + name
    for folder in ("", "mc_data/", "evaluation/mc_data/", "evaluation/mc_data/v1.1/")
    for name in ("mc_questions_file.csv", "mc_questions_file.csv.gz")
)
"""Where the ready-made multiple-choice questions may lie."""


def country_name(culture: Culture) -> str:
    """What the authors' files call a culture ("West_Java")."""
    return culture.names[BENCHMARK]


def find(root: Path, part: str, culture: Culture) -> Path | None:
    """The file of a part (a key of PARTS) for a culture, or None."""
    paths = (root / path.format(country_name(culture)) for path in PARTS[part])
    return next((path for path in paths if path.is_file()), None)


def find_mcq(root: Path) -> Path | None:
    """The file of ready-made multiple-choice questions, or None."""
    return next((root / path for path in MCQ_PLACES if (root / path).is_file()), None)


def has(release: Release, part: str) -> bool:
    """Whether the release has ``annotations``, ``questions``, ``prompts`` (for any culture) or ``mcq``."""
    if part == "mcq":
        return find_mcq(release.root) is not None
    return any(find(release.root, part, culture) for culture in cultures_of(BENCHMARK))


def files_of(release: Release, part: str) -> Iterator[tuple[Culture, Path]]:
    """The file of each culture that has one, in the benchmark's fixed order. FolkwaysError where no culture
    has one."""
    files = [
        (culture, file) for culture in cultures_of(BENCHMARK) if (file := find(release.root, part, culture))
    ]
    if not files:
        raise FolkwaysError(
            f"release {release.name} has no {part}: looked in {release.root} for "
            f"{', '.join(pattern.format('<Country>') for pattern in PARTS[part])}\n"
            "Choose a release that has them: folkways data list"
        )
    yield from files


def inside(release: Release, file: Path) -> str:
    """The file's path inside the release, with forward slashes."""
    return file.relative_to(release.root).as_posix()


def read_json(file: Path) -> Any:
    """What a JSON file holds. DataError naming the place where it breaks."""
    try:
        return orjson.loads(file.read_bytes().removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as error:
        raise DataError(
            f"not JSON from line {error.lineno}, column {error.colno} on ({error.msg}). {REMEDY}", file=file
        ) from None
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror}). {REMEDY}", file=file) from None


def read_csv(file: Path, needed: tuple[str, ...]) -> pl.DataFrame:
    """A CSV file with every cell as text: an empty cell is "", and "None" or "NA" are words like any other.

    DataError if its rows differ in length or one of the ``needed`` columns is missing.
    """
    try:
        source = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        table = from_csv(pl.read_csv(source, infer_schema=False, empty_string_is_null=False).fill_null(""))
    except (pl.exceptions.PolarsError, OSError, EOFError, UnicodeDecodeError) as error:
        raise DataError(
            f"cannot be read as CSV in UTF-8 ({str(error).splitlines()[0]}). {REMEDY}", file=file
        ) from None
    missing = [name for name in needed if name not in table.columns]
    if missing:
        raise DataError(
            f"has no column {', '.join(missing)}; its columns: {', '.join(table.columns)}. {REMEDY}",
            file=file,
        )
    return table


def csv_batches(
    file: Path, needed: tuple[str, ...], size: int, also: tuple[str, ...] = ()
) -> Iterator[pl.DataFrame]:
    """The columns ``needed`` of a CSV file, and of those in ``also`` the ones that it has, ``size`` rows at a
    time, with every cell as text.

    DataError naming the row if it cannot be read as UTF-8 CSV or differs in length, or if a column is
    missing.
    """
    done = 0
    rows: list[list[str]] = []
    try:
        with (
            gzip.open(file, "rt", encoding="utf-8-sig", newline="")
            if file.suffix == ".gz"
            else file.open(encoding="utf-8-sig", newline="") as stream
        ):
            reader = csv.reader(stream, strict=True)
            header = next(reader, [])
            missing = [name for name in needed if name not in header]
            if missing:
                raise DataError(
                    f"has no column {', '.join(missing)}; its columns: {', '.join(header)}. {REMEDY}",
                    file=file,
                )
            names = (*needed, *(name for name in also if name in header))
            indexes = [header.index(name) for name in names]
            while True:
                rows.extend(islice(reader, size))
                if odd := next(
                    (row for row, cells in enumerate(rows, done + 1) if len(cells) != len(header)), 0
                ):
                    cells = len(rows[odd - done - 1])
                    raise DataError(
                        f"has {cells} cells where the header has {len(header)}. {REMEDY}", file=file, row=odd
                    )
                columns = [*zip(*rows, strict=True)] or [()] * len(header)
                positions = zip(names, indexes, strict=True)
                yield pl.DataFrame(
                    [pl.Series(name, columns[index], dtype=pl.String) for name, index in positions]
                )
                if len(rows) < size:
                    return
                done += len(rows)
                rows = []
    except (csv.Error, OSError, EOFError, UnicodeDecodeError) as error:
        raise DataError(
            f"cannot be read as CSV in UTF-8 after row {done + len(rows)} ({error}). {REMEDY}", file=file
        ) from None


def looks_like(directory: Path) -> bool:
    """Whether a folder is laid out like a BLEnD release: the file of some culture, or the multiple-choice
    questions."""
    return find_mcq(directory) is not None or any(
        find(directory, part, culture) for part in PARTS for culture in cultures_of(BENCHMARK)
    )
