"""CulturalBench's released schema at its real size, filled with invented text, for tests: the data set itself
is not ours to ship.

1,227 questions (86 of them multi-mode) of 45 countries with the real numbers per region, and per country
where they are known.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from folkways.releases.release_records import Release, ReleaseFile, ReleaseRecord

Row = dict[str, str]
COUNTRIES = {
    **{"United States": 20, "Canada": 7},
    **{"Argentina": 35, "Brazil": 25, "Chile": 22, "Mexico": 49, "Peru": 19},
    **{"Czech Republic": 23, "Poland": 23, "Romania": 23, "Ukraine": 23, "Russia": 23},
    **{"Spain": 38, "Italy": 38},
    **{"France": 24, "Germany": 24, "United Kingdom": 24, "Netherlands": 24},
    **{"Egypt": 27, "Morocco": 27, "Nigeria": 27, "South Africa": 27, "Zimbabwe": 26},
    **{"Iran": 26, "Israel": 26, "Lebanon": 25, "Saudi Arabia": 25, "Turkey": 25},
    **{"Bangladesh": 27, "India": 27, "Nepal": 26, "Pakistan": 26},
    **{"Vietnam": 27, "Singapore": 27, "Indonesia": 27, "Malaysia": 26, "Philippines": 26, "Thailand": 26},
    **{"China": 43, "Hong Kong": 42, "Japan": 42, "South Korea": 42, "Taiwan": 42},
    **{"Australia": 13, "New Zealand": 13},
}
"""Country -> questions. Regions sum to 27, 150, 115, 76, 96, 134, 127, 106, 159, 211 and 26."""

MULTI_MODE = 86
EASY_HEADER = (
    "data_idx", "question_idx", "prompt_question", "prompt_option_a", "prompt_option_b", "prompt_option_c", "prompt_option_d",
    "answer", "country",
)  # fmt: skip
HARD_HEADER = ("data_idx", "question_idx", "prompt_question", "prompt_option", "answer", "country")
COMBINATIONS = ("(i)", "(i), (ii)", "(ii), (iii), (iv)", "(i), (ii), (iv)")


def culturalbench_rows() -> tuple[list[Row], list[Row]]:
    """The rows of Easy and of Hard. One Spanish question has the option "None"; texts hold commas, quotes and
    line breaks."""
    easy: list[Row] = []
    hard: list[Row] = []
    countries = [country for country, count in COUNTRIES.items() for _ in range(count)]
    spanish_none = countries.index("Spain") + 6
    for number, country in enumerate(countries):
        multi = number % 14 == 3 and number // 14 < MULTI_MODE
        gold = number % 4
        statements = [
            f"They take {thing}, number {number}"
            for thing in ("bread", '"flat" cakes', "tea\nor milk", "salt")
        ]
        question = f"In {country}, what do guests bring to feast {number}?"
        options = list(statements)
        if number == spanish_none:
            options[3] = "None"
        judged = [(option, place == gold) for place, option in enumerate(options)]
        if multi:
            listed = ", ".join(
                f"({numeral}) {text}"
                for numeral, text in zip(("i", "ii", "iii", "iv"), statements, strict=True)
            )
            question = f"{question} Choose all that apply. {listed}"
            options = list(COMBINATIONS)
            gold = 3
            judged = [(statement, place in (0, 1, 3)) for place, statement in enumerate(statements)]
        letters = dict(zip(EASY_HEADER[3:7], options, strict=True))
        shared = {"question_idx": str(number), "prompt_question": question, "country": country}
        easy.append({"data_idx": str(number), **shared, **letters, "answer": "ABCD"[gold]})
        hard += [
            {"data_idx": str(4 * number + place), **shared, "prompt_option": option, "answer": str(true)}
            for place, (option, true) in enumerate(judged)
        ]
    return easy, hard


def rows_of(*countries: str) -> tuple[list[Row], list[Row]]:
    """The rows of Easy and of Hard of these countries."""
    easy, hard = ([row for row in rows if row["country"] in countries] for rows in culturalbench_rows())
    return easy, hard


def write_culturalbench(
    root: Path, easy: Sequence[Row] | None = None, hard: Sequence[Row] | None = None
) -> Release:
    """Both configurations as the hub's CSV files; the whole invented data set unless other rows are given."""
    rows = culturalbench_rows() if easy is None or hard is None else (easy, hard)
    for name, header, table in (("Easy", EASY_HEADER, rows[0]), ("Hard", HARD_HEADER, rows[1])):
        with (root / f"CulturalBench-{name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, header)
            writer.writeheader()
            writer.writerows(table)
    return culturalbench_release(root)


def write_culturalbench_parquet(root: Path) -> Release:
    """Both configurations as the hub's converted Parquet files: numbers as numbers, truth values as truth
    values."""
    for name, table in zip(("Easy", "Hard"), culturalbench_rows(), strict=True):
        folder = root / f"CulturalBench-{name}" / "test"
        folder.mkdir(parents=True)
        frame = pl.DataFrame(table).with_columns(pl.col("data_idx", "question_idx").cast(pl.Int64))
        if name == "Hard":
            frame = frame.with_columns(pl.col("answer") == "True")
        frame.write_parquet(folder / "0000.parquet")
    return culturalbench_release(root)


def culturalbench_release(root: Path) -> Release:
    """The release over whatever lies in ``root``."""
    record = ReleaseRecord(
        name="culturalbench@test",
        benchmark="culturalbench",
        revision="0" * 40,
        source="hub",
        repository="example/CulturalBench",
        files=tuple(
            ReleaseFile(f"CulturalBench-{name}.csv", f"CulturalBench-{name}.csv") for name in ("Easy", "Hard")
        ),
        licence="CC-BY-4.0",
        citation="",
        homepage="",
        about="",
    )
    return Release(record, root)
