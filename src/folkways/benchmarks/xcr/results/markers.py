"""Words that mark one side of a language's speakers (Puja and Eid) in what models adapt, by a list of the
user's (section 4.2)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

import polars as pl

from folkways.benchmarks.results import DataNeed, Inputs
from folkways.benchmarks.tables import NotAvailableError, Table, with_holm
from folkways.benchmarks.xcr import release as xcr
from folkways.benchmarks.xcr.results.measures import ADAPTATION
from folkways.errors import DataError
from folkways.records import Schema, of_rows
from folkways.stats.hypotheses.paired_tests import exact_mcnemar
from folkways.stats.intervals import wilson
from folkways.text_tables import read_table

LIST = DataNeed("markers", "Words and the side they mark, with the columns marker and side.", file=True)

PEOPLE = "people's adaptations"
"""In place of a model: the gold of the same sentences."""

SHARES: Schema = {
    "endpoint": pl.String,
    "culture": pl.String,
    "side": pl.String,
    "sentences": pl.Int64,  # with a word of the side
    "share": pl.Float64,  # of all sentences, in percent
    "low": pl.Float64,
    "high": pl.Float64,
    "n": pl.Int64,  # sentences
}

SIDES: Schema = {
    "endpoint": pl.String,
    "culture": pl.String,
    "first": pl.String,
    "second": pl.String,
    "only_first": pl.Int64,  # sentences with words of the first side alone
    "only_second": pl.Int64,
    "share": pl.Float64,  # the first of both, in percent
    "low": pl.Float64,
    "high": pl.Float64,
    "p": pl.Float64,  # exact, for as many of the one as of the other
    "p_holm": pl.Float64,
}


def read_markers(path: Path) -> dict[str, list[str]]:
    """Side -> its words. DataError, with the row, for an empty cell or a word of two sides."""
    side_of: dict[str, str] = {}
    for number, marker, side in read_table(path, {"marker": ("marker",), "side": ("side",)}).iter_rows():
        word, name = marker.strip(), side.strip()
        if not word or not name or side_of.setdefault(word, name) != name:
            raise DataError(
                f"each row needs a word, and the one side that it marks; got {word!r} and {name!r}",
                file=path,
                row=number,
            )
    sides: dict[str, list[str]] = {}
    for word, name in side_of.items():
        sides.setdefault(name, []).append(word)
    return sides


def marker_tables(inputs: Inputs) -> Sequence[Table]:
    """SHARES and SIDES of every model, and of people's adaptations of the same sentences.

    Raises NotAvailableError without a list.
    """
    path = inputs.files.get(LIST.name)
    if path is None:
        raise NotAvailableError(
            "needs a list of words: folkways tables xcr markers --run RUN --markers FILE.csv"
        )
    sides = read_markers(path)
    judged = inputs.of(ADAPTATION).select("endpoint", "culture", "question", text="answer")
    texts = pl.concat([judged, *_gold(inputs, judged)])
    words = pl.col("text").fill_null("").str.to_lowercase()
    has = [words.str.contains(_pattern(markers)).any().alias(side) for side, markers in sides.items()]
    by_sentence = texts.group_by("endpoint", "culture", "question", maintain_order=True).agg(has)
    parts = by_sentence.partition_by("endpoint", "culture")
    unit = "The unit is the sentence: it counts for a side if any adaptation has one of the side's words."
    listed = "; ".join(f"{side}: {', '.join(markers)}" for side, markers in sides.items())
    made = [
        Table(
            "markers",
            "Words that mark a side (section 4.2)",
            f"{unit} Intervals are Wilson's.",
            of_rows((row for part in parts for row in _shares(part, sides)), SHARES),
            notes=(f"A word counts that begins with a marker, in any case: {listed}.",),
        )
    ]
    rows = [row for part in parts for row in _sides(part, list(sides))]
    if rows:
        made.append(
            Table(
                "marker-sides",
                "One side's words against the other's (section 4.2)",
                f"{unit} Shares are of sentences with words of one side alone; p is exact, for both as "
                f"frequent.",
                with_holm(of_rows(rows, SIDES)),
                notes=("What people wrote for the same sentences is the measure: halves need not be right.",),
            )
        )
    return made


def _pattern(markers: Sequence[str]) -> str:
    return r"(?:^|[^\p{L}\p{M}\p{N}])(?:" + "|".join(re.escape(word.lower()) for word in markers) + ")"


def _gold(inputs: Inputs, judged: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """The adaptations of people of the sentences that were asked, as those of a model."""
    release = inputs.releases.get(ADAPTATION)
    for (culture,), part in judged.group_by("culture", maintain_order=True):
        file = xcr.ADAPTATION_FILES.get(str(culture))
        if release is not None and file is not None and release.has(file):
            gold = xcr.adaptations(release, str(culture)).filter(
                pl.col("id").is_in(part["question"].implode())
            )
            yield gold.select(
                endpoint=pl.lit(PEOPLE),
                culture=pl.lit(str(culture)),
                question="id",
                text=pl.col("intra") + "\n" + pl.col("inter"),
            )


def _shares(part: pl.DataFrame, sides: Mapping[str, Sequence[str]]) -> Iterator[tuple[object, ...]]:
    for side in sides:
        count, n = int(part[side].sum()), part.height
        between = wilson(count, n)
        key = (part["endpoint"][0], part["culture"][0], side)
        yield (*key, count, 100 * count / n, 100 * between.low, 100 * between.high, n)


def _sides(part: pl.DataFrame, sides: Sequence[str]) -> Iterator[tuple[object, ...]]:
    for first, second in combinations(sides, 2):
        one, other = (
            part.filter(pl.col(name) & ~pl.col(rest)).height
            for name, rest in ((first, second), (second, first))
        )
        if one + other:
            between = wilson(one, one + other)
            ends = (100 * between.low, 100 * between.high, exact_mcnemar(one, other), None)
            key = (part["endpoint"][0], part["culture"][0], first, second, one, other)
            yield (*key, 100 * one / (one + other), *ends)
