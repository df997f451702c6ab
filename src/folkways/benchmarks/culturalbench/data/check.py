"""What is odd about a CulturalBench release, with file and row."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from folkways.benchmarks.culturalbench.data.release import (
    EASY,
    HARD,
    LETTERS,
    PLACES,
    culture_of,
    easy,
    hard,
    has,
)
from folkways.records import DataIssue
from folkways.releases.release_records import Release

READ_AS_MISSING = frozenset({"none", "null", "na", "n/a", "nan"})
"""Option texts, lower-cased, that table readers turn into a missing value unless told otherwise."""


def check(release: Release) -> list[DataIssue]:
    """Every data issue of the release, file by file and row by row.

    Kinds: ``option-none``, ``empty-cell``, ``answer-outside``, ``unknown-country``, ``duplicate-id``,
    ``duplicate-question``, ``duplicate-option``, ``not-four-judgements``, ``only-in-easy``, ``only-in-hard``,
    ``gold-count``, ``gold-differs``, ``country-differs``, ``missing-file``. ``key`` names the column, or the
    question where the data issue has no single row.
    """
    issues: list[DataIssue] = []
    tables: dict[str, pl.DataFrame] = {}
    for name, read in ((EASY, easy), (HARD, hard)):
        if has(release, name):
            tables[name] = read(release)
        else:
            issues.append(
                DataIssue(
                    PLACES[0].format(name), "missing-file", "there is no such file, as CSV or as Parquet"
                )
            )
    files = {
        name: next(pattern.format(name) for pattern in PLACES if release.has(pattern.format(name)))
        for name in tables
    }
    if EASY in tables:
        issues += _easy(files[EASY], tables[EASY])
    if HARD in tables:
        issues += _hard(files[HARD], tables[HARD])
    if len(tables) == 2:
        issues += _together(files, tables[EASY], tables[HARD])
    return issues


def _easy(file: str, table: pl.DataFrame) -> Iterator[DataIssue]:
    seen: dict[tuple[str, ...], int] = {}
    for entry in table.iter_rows(named=True):
        row = entry["row"]
        yield from _cells(
            file,
            row,
            entry,
            {
                f"prompt_option_{letter.lower()}": text
                for letter, text in zip(LETTERS, entry["options"], strict=True)
            },
        )
        if entry["answer"] not in LETTERS:
            message = f"the answer is not one of {', '.join(LETTERS)}; the question is not counted"
            yield DataIssue(file, "answer-outside", message, row, "answer", entry["answer"])
        yield from _repeats(file, row, seen, ("question_idx", entry["question_idx"]), "duplicate-id")
        yield from _repeats(
            file,
            row,
            seen,
            ("prompt_question", entry["country"], entry["question"], *entry["options"]),
            "duplicate-question",
        )
        if len({option.strip().casefold() for option in entry["options"]}) < len(LETTERS):
            yield DataIssue(
                file, "duplicate-option", "two options say the same", row, value=" | ".join(entry["options"])
            )


def _hard(file: str, table: pl.DataFrame) -> Iterator[DataIssue]:
    seen: dict[tuple[str, ...], int] = {}
    for entry in table.iter_rows(named=True):
        row = entry["row"]
        yield from _cells(file, row, entry, {"prompt_option": entry["option"]})
        if entry["answer"] not in ("True", "False"):
            message = "the answer is neither True nor False; the question is not counted"
            yield DataIssue(file, "answer-outside", message, row, "answer", entry["answer"])
        yield from _repeats(
            file, row, seen, ("data_idx", entry["question_idx"], entry["data_idx"]), "duplicate-id"
        )
    for question, rows in table.group_by("question_idx", maintain_order=True):
        if rows.height != len(LETTERS):
            yield DataIssue(
                file,
                "not-four-judgements",
                f"{rows.height} judgements instead of four",
                rows["row"][0],
                str(question[0]),
            )


def _cells(file: str, row: int, entry: dict[str, str], options: dict[str, str]) -> Iterator[DataIssue]:
    for column, text in options.items():
        if text.strip().casefold() in READ_AS_MISSING:
            message = (
                "an option that many table readers turn into a missing value; it is read as the word it is"
            )
            yield DataIssue(file, "option-none", message, row, column, text)
    for column, text in {
        "prompt_question": entry["question"],
        "question_idx": entry["question_idx"],
        **options,
    }.items():
        if not text.strip():
            yield DataIssue(file, "empty-cell", "an empty cell", row, column)
    if culture_of(entry["country"]) is None:
        yield DataIssue(
            file,
            "unknown-country",
            "a country that folkways does not know; it has no region",
            row,
            "country",
            entry["country"],
        )


def _repeats(
    file: str, row: int, seen: dict[tuple[str, ...], int], key: tuple[str, ...], kind: str
) -> Iterator[DataIssue]:
    first = seen.setdefault(key, row)
    if first != row:
        yield DataIssue(file, kind, f"the same as in row {first}", row, key[0], " / ".join(key[1:3]))


def _together(files: dict[str, str], table: pl.DataFrame, judgements: pl.DataFrame) -> Iterator[DataIssue]:
    groups = {str(key[0]): rows for key, rows in judgements.group_by("question_idx", maintain_order=True)}
    for entry in table.iter_rows(named=True):
        rows = groups.get(entry["question_idx"])
        if rows is None:
            message = f"{files[HARD]} has no judgements of this question"
            yield DataIssue(
                files[EASY], "only-in-easy", message, entry["row"], "question_idx", entry["question_idx"]
            )
        else:
            yield from _pair(files, entry, rows)
    for question in sorted(groups.keys() - set(table["question_idx"])):
        rows = groups[question]
        yield DataIssue(
            files[HARD],
            "only-in-hard",
            f"{files[EASY]} has no such question",
            rows["row"][0],
            "question_idx",
            question,
        )


def _pair(files: dict[str, str], entry: dict[str, str], rows: pl.DataFrame) -> Iterator[DataIssue]:
    row = rows["row"][0]
    true = rows.filter(pl.col("answer") == "True")["option"].to_list()
    expected = len(true) == 1 if entry["mode"] == "single" else len(true) >= 2
    if not expected:
        message = f"{len(true)} of {rows.height} judgements are True in a {entry['mode']}-mode question"
        yield DataIssue(files[HARD], "gold-count", message, row, entry["question_idx"], " | ".join(true))
    if entry["mode"] == "single" and len(true) == 1 and entry["answer"] in LETTERS:
        gold = entry["options"][LETTERS.index(entry["answer"])]
        if gold.strip() != true[0].strip():
            message = f"Easy's gold option is {gold!r} (row {entry['row']}), Hard's is another"
            yield DataIssue(files[HARD], "gold-differs", message, row, entry["question_idx"], true[0])
    if set(rows["country"]) != {entry["country"]}:
        message = f"Easy says {entry['country']} (row {entry['row']})"
        yield DataIssue(
            files[HARD],
            "country-differs",
            message,
            row,
            entry["question_idx"],
            ", ".join(sorted(set(rows["country"]))),
        )
