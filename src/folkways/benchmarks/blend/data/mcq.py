"""BLEnD's ready-made multiple-choice questions: one file of some 300,000 rows, read a part at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

import orjson
import polars as pl

from folkways.benchmarks.blend.data.files import BENCHMARK, REMEDY, csv_batches, find_mcq
from folkways.cultures import culture_named
from folkways.errors import DataError, UnknownNameError
from folkways.records import Schema
from folkways.releases.release_records import Release

MCQ: Schema = {
    "mcqid": pl.String,
    "id": pl.String,
    "culture": pl.String,
    "prompt": pl.String,
    "labels": pl.List(pl.String),
    "choices": pl.List(pl.String),
    "choice_countries": pl.List(pl.String),  # the authors' names; "dummy" and the like stay as they are
    "answer_idx": pl.String,
}

MCQ_BATCH = 4000
"""Multiple-choice questions that are in memory at a time; the released file has 300,000 of them."""


def read_mcq(release: Release) -> pl.DataFrame:
    """MCQ, one row per ready-made multiple-choice question, in file order. DataError naming the row where one
    is broken."""
    return pl.concat(read_mcq_batches(release))


def read_mcq_batches(release: Release, size: int = MCQ_BATCH) -> Iterator[pl.DataFrame]:
    """``read_mcq`` in parts of ``size`` rows: the file is read row by row, and one part is in memory at a
    time."""
    file = find_mcq(release.root) or release.path("mc_questions_file.csv")
    first = 1
    for table in csv_batches(
        file, ("MCQID", "ID", "country", "prompt", "choices", "choice_countries", "answer_idx"), size
    ):
        yield _mcq(table, file, first)
        first += table.height


def _mcq(table: pl.DataFrame, file: Path, first: int) -> pl.DataFrame:
    """The rows of ``table``, of which the first is row ``first`` of the file, as MCQ."""
    codes = _culture_codes(table["country"].to_list(), file, first)
    choices = _objects(table["choices"].to_list(), first, file)
    for row, (options, answer) in enumerate(zip(choices, table["answer_idx"].to_list(), strict=True), first):
        if answer not in options:
            raise DataError(
                f"answer_idx {answer!r} is not one of the choices {', '.join(options)}. {REMEDY}",
                file=file,
                row=row,
            )
    countries = _objects(table["choice_countries"].to_list(), first, file)
    return table.select(
        mcqid="MCQID",
        id="ID",
        culture=pl.Series(codes, dtype=pl.String),
        prompt="prompt",
        labels=_lists([[*options] for options in choices]),
        choices=_lists([[*options.values()] for options in choices]),
        choice_countries=_lists([[*names.values()] for names in countries]),
        answer_idx="answer_idx",
    )


def _lists(rows: list[list[object]]) -> pl.Series:
    """A column of lists of text, of values as JSON has them. Lists of one length are taken in as a whole,
    which is much faster."""
    if {*map(type, chain.from_iterable(rows))} - {str}:
        rows = [[str(value) for value in row] for row in rows]
    lengths = {*map(len, rows)}
    if len(lengths) != 1:
        return pl.Series(rows, dtype=pl.List(pl.String))
    flat = pl.Series([*chain.from_iterable(rows)], dtype=pl.String)
    return flat.reshape((len(rows), lengths.pop())).cast(pl.List(pl.String))


def _culture_codes(countries: Iterable[str], file: Path, first: int) -> list[str]:
    known: dict[str, str] = {}
    codes = []
    for row, name in enumerate(countries, first):
        if name not in known:
            try:
                known[name] = culture_named(BENCHMARK, name).code
            except UnknownNameError as error:
                raise DataError(f"{error}. {REMEDY}", file=file, row=row) from None
        codes.append(known[name])
    return codes


def _objects(texts: Sequence[str], first: int, file: Path) -> list[dict[str, object]]:
    """Label and value of each cell; the cells are parsed in one go, and one by one only to name the row that
    is broken."""
    try:
        found: list[dict[str, object]] = orjson.loads(f"[{','.join(texts)}]")
    except orjson.JSONDecodeError:
        found = []
    if len(found) != len(texts) or {*map(type, found)} - {dict} or not all(found):
        found = [_object(text, row, file) for row, text in enumerate(texts, first)]
    return found


def _object(text: str, row: int, file: Path) -> dict[str, object]:
    try:
        choices = orjson.loads(text)
    except orjson.JSONDecodeError:
        choices = None
    if not isinstance(choices, dict) or not choices:
        raise DataError(
            f"the choices are not a JSON object of label and text: {text[:80]!r}. {REMEDY}",
            file=file,
            row=row,
        )
    return choices
