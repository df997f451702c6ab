"""Where the files of a BLEnD release lie, and how they are opened: every layout seen, each file read once.

Layouts: parts at the top (``annotations/UK_data.json``), the GitHub repository
(``data/annotations/UK_data.json``, ``evaluation/mc_data/mc_questions_file.csv``), and the hub's own copies
(``data/annotations_hf``: lists of records, not objects).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from folkways import text_tables
from folkways.cultures import Culture, cultures, cultures_of, get_culture
from folkways.errors import DataError, FolkwaysError, UnknownNameError
from folkways.releases.release_records import Release

BENCHMARK = "blend"
REMEDY = "Correct the file, or fetch the release again if it is a published one (folkways data fetch blend)."

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
    """What files call a culture: as the authors do ("West_Java"), or its name with underscores."""
    return culture.names.get(BENCHMARK, culture.name.replace(" ", "_"))


@cache
def cultures_by_name() -> Mapping[str, Culture]:
    """``country_name`` -> culture: those of the authors in their order, then all others with a language."""
    others = [
        culture for culture in cultures().values() if BENCHMARK not in culture.names and culture.languages
    ]
    return {country_name(culture): culture for culture in (*cultures_of(BENCHMARK), *others)}


def files_by_name(root: Path, part: str) -> dict[str, Path]:
    """The files of a part (a key of PARTS) by the country in their names; of several layouts the first."""
    files: dict[str, Path] = {}
    for pattern in PARTS[part]:
        folder, _, name = pattern.rpartition("/")
        ending = name.removeprefix("{}")
        for file in sorted((root / folder).glob(f"[!.]*{ending}")):
            if file.is_file():
                files.setdefault(file.name.removesuffix(ending), file)
    return files


def find_mcq(root: Path) -> Path | None:
    """The file of ready-made multiple-choice questions, or None."""
    return next((root / path for path in MCQ_PLACES if (root / path).is_file()), None)


def has(release: Release, part: str) -> bool:
    """Whether the release has ``annotations``, ``questions``, ``prompts`` (for any culture) or ``mcq``."""
    if part == "mcq":
        return find_mcq(release.root) is not None
    return bool(files_by_name(release.root, part))


def files_of(release: Release, part: str) -> Iterator[tuple[Culture, Path]]:
    """The file of each culture that has one, in the order of ``cultures_by_name``. FolkwaysError where no
    culture has one, DataError for a file of a country that folkways does not know."""
    by_name = files_by_name(release.root, part)
    if not by_name:
        raise FolkwaysError(
            f"release {release.name} has no {part}: looked in {release.root} for "
            f"{', '.join(pattern.format('<Country>') for pattern in PARTS[part])}\n"
            "Choose a release that has them: folkways data list"
        )
    for name, file in by_name.items():
        if name not in cultures_by_name():
            raise DataError(f"no culture is called {name!r}: {right_name(name)}", file=file)
    for name, culture in cultures_by_name().items():
        if name in by_name:
            yield culture, by_name[name]


def right_name(name: str) -> str:
    """What to write in place of a name that is not one of ``cultures_by_name``."""
    try:
        return f"write {country_name(get_culture(name))!r}"
    except UnknownNameError:
        return "write the name of a culture, with _ for spaces (folkways cultures lists them)"


def inside(release: Release, file: Path) -> str:
    """The file's path inside the release, with forward slashes."""
    return file.relative_to(release.root).as_posix()


def read_json(file: Path, *, verified: bool = True) -> Any:
    """What a JSON file holds. DataError naming the place where it breaks, or the key that an object of a
    file that is not ``verified`` has twice."""
    try:
        content = file.read_bytes().removeprefix(b"\xef\xbb\xbf")
        read = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise DataError(
            f"not JSON from line {error.lineno}, column {error.colno} on ({error.msg}). {REMEDY}", file=file
        ) from None
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror}). {REMEDY}", file=file) from None
    if not verified:
        json.loads(content, object_pairs_hook=partial(_check_keys, file))
    return read


def _check_keys(file: Path, pairs: Sequence[tuple[str, Any]]) -> None:
    """DataError for the first key of an object that it has twice, where readers of JSON take the last."""
    if len(dict(pairs)) < len(pairs):
        twice = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        raise DataError(f"has {twice!r} twice in one object; keep one of the two. {REMEDY}", file=file)


def read_csv(file: Path, needed: tuple[str, ...]) -> pl.DataFrame:
    """A CSV file with every cell as text: an empty cell is "", and "None" or "NA" are words like any other.

    DataError, with the row where it is known, if it cannot be read or one of the ``needed`` columns is
    missing.
    """
    table = text_tables.read_csv(file)
    _check_titles(table.columns, needed, file)
    return table


def csv_batches(
    file: Path, needed: tuple[str, ...], size: int, also: tuple[str, ...] = ()
) -> Iterator[pl.DataFrame]:
    """The columns ``needed`` of a CSV file, and of those in ``also`` the ones that it has, ``size`` rows at a
    time, with every cell as text; one empty frame of a file without rows. Raises what ``read_csv`` does.
    """
    titles = text_tables.csv_header(file)
    _check_titles(titles, needed, file)
    columns = {name: (name,) for name in (*needed, *also) if name in titles}
    batches = text_tables.table_batches(file, columns, size)
    yield next(batches, pl.DataFrame(schema=dict.fromkeys(columns, pl.String)))
    yield from batches


def _check_titles(titles: Sequence[str], needed: Sequence[str], file: Path) -> None:
    if missing := [name for name in needed if name not in titles]:
        raise DataError(
            f"has no column {', '.join(missing)}; its columns: {', '.join(titles)}. {REMEDY}", file=file
        )


def files(directory: Path) -> Iterator[Path]:
    """All files that are read in a folder, of any layout."""
    for part in PARTS:
        yield from files_by_name(directory, part).values()
    if (mcq := find_mcq(directory)) is not None:
        yield mcq


def looks_like(directory: Path) -> bool:
    """Whether a folder is laid out like a BLEnD release: the file of some culture, or the multiple-choice
    questions."""
    return find_mcq(directory) is not None or any(
        files_by_name(directory, part).keys() & cultures_by_name().keys() for part in PARTS
    )
