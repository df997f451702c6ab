"""The tables: whose answers a model's wrong answers are, over all cultures that it was asked about and from
each to each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from folkways.benchmarks.results import Inputs, Result
from folkways.benchmarks.tables import DIFFERENCE, Layout, NotAvailableError, Table, with_holm
from folkways.benchmarks.whose_culture.matching import MATCHES, MOST
from folkways.cultures import cultures, name_of_code
from folkways.display import signed
from folkways.records import Schema, require_columns
from folkways.stats.clusters import clustered_mean
from folkways.stats.inclusion import inclusion_chances
from folkways.stats.intervals import Floats, Ints, cluster_totals

FEWEST = 10
"""Wrong answers that a cell needs to have a number."""

ENGLISH = "en"
NAMED = 6
"""Pairs of cultures that a note names."""

CELLS: Schema = {
    "endpoint": pl.String,
    "language": pl.String,
    "asked_culture": pl.String,  # null for all
    "culture": pl.String,  # whose answers they are
    "share": pl.Float64,  # percent of wrong answers
    # percent; null where there is one other culture only, so that chance would always hit it
    "chance": pl.Float64,
    **DIFFERENCE,  # points; without a chance line, low and high are of the share
    "wrong": pl.Int64,  # wrong answers
    "questions": pl.Int64,
}

NEED_CHANCE = ("chance", "difference", "p", "p_holm")

HOW = (
    "A wrong answer that is the answer of m other cultures counts 1/m for each. Chance: it is the answer of "
    "m cultures still, but of any, the likelier the more answers a culture has that would be wrong here; the "
    f"mean over all draws, computed exactly. Where a model has more than {MOST:,} wrong answers in words in "
    f"a language, {MOST:,} of them are drawn."
)
INTERVAL = (
    "Wilson's interval of the effective answers and its test, clustered by question template; "
    "p_holm is corrected for "
)


@dataclass(frozen=True)
class WhoseCulture(Result):
    """The result, with what it is made from: judgements -> MATCHES of the task."""

    matches: Callable[[Inputs], pl.DataFrame] = field(kw_only=True)


def whose_culture(task: str, matches: Callable[[Inputs], pl.DataFrame]) -> WhoseCulture:
    """The result that a benchmark opts in with; ``whose-blend-saq`` for blend/saq.

    matches: MATCHES of the task's judgements; raises NotAvailableError if there are none.
    """

    def make(inputs: Inputs) -> Sequence[Table]:
        return whose_culture_tables(matches(inputs), task)

    asks = "Where a model is wrong about a culture, whose answers does it give, and oftener than chance?"
    title = f"Whose culture answers: {task}"
    return WhoseCulture(name_of(task), title, make, "", asks, (task,), matches=matches)


def name_of(task: str) -> str:
    """The name of a task's result; the names of its tables begin with it."""
    return f"whose-{task.replace('/', '-')}"


def whose_culture_tables(matches: pl.DataFrame, task: str) -> Sequence[Table]:
    """One table over all cultures in question, and one from each culture to each for every language.

    matches: MATCHES. Raises NotAvailableError if there are too few.
    """
    require_columns(matches, MATCHES, "matches")
    pairs, overall = [], []
    for (endpoint, language), part in matches.group_by(["endpoint", "language"], maintain_order=True):
        compared = WrongAnswers.of(part)
        names = {"endpoint": endpoint, "language": language}
        overall += [{**names, **row} for row in compared.cells(None)]
        pairs += [
            {**names, **row}
            for culture in sorted(set(part["asked_culture"]))
            for row in compared.cells(culture)
        ]
    cells = _corrected(pairs)
    if cells.is_empty():
        needed = (
            f"needs {FEWEST} wrong answers or more about a culture, to questions that other cultures answered"
        )
        raise NotAvailableError(f"{needed} in the same language")
    whole = _corrected(overall).filter(pl.col("chance").is_not_null()).drop("asked_culture")
    return [*_overall(whole, task), *(_matrix(part, task) for part in cells.partition_by("language"))]


@dataclass(frozen=True)
class WrongAnswers:
    """The wrong answers of one model in one language, as arrays with a row per answer and a column per
    culture."""

    names: Sequence[str]
    asked: Sequence[str]
    questions: Ints
    could: Floats  # 1 where it could be the culture's answer
    found: Floats  # 1/m where it is
    chance: Floats

    @classmethod
    def of(cls, part: pl.DataFrame) -> WrongAnswers:
        """Of MATCHES of a model and a language."""
        every = sorted(part["others"].explode().unique())
        weights, hits = np.zeros((part.height, len(every))), np.zeros((part.height, len(every)))
        numbered = part.select("others", "weights", "matched", row=pl.int_range(pl.len()))
        could = numbered.select("row", "others", "weights").explode("others", "weights")
        weights[could["row"].to_numpy(), _places(could["others"], every)] = could["weights"].to_numpy()
        matched = numbered.select("row", "matched").explode("matched").drop_nulls()
        hits[matched["row"].to_numpy(), _places(matched["matched"], every)] = 1.0
        drawn = hits.sum(axis=1)
        each = np.maximum(drawn, 1.0)[:, None]
        questions = part["question"].cast(pl.Categorical).to_physical().to_numpy().astype(np.int64)
        chance = inclusion_chances(weights, drawn.astype(np.int64)) / each
        return cls(
            every,
            part["asked_culture"].to_list(),
            questions,
            (weights > 0).astype(np.float64),
            hits / each,
            chance,
        )

    def cells(self, asked: str | None) -> Iterator[dict[str, Any]]:
        """One row of CELLS for each other culture, for the answers about one culture or about all."""
        of_asked = (
            np.ones(len(self.asked), dtype=bool)
            if asked is None
            else np.array([name == asked for name in self.asked])
        )
        codes = cultures()
        for at, name in enumerate(self.names):
            rows = of_asked & (self.could[:, at] > 0)
            if name in codes and rows.sum() >= FEWEST:
                yield {"asked_culture": asked, "culture": name, **self._cell(rows, at)}

    def _cell(self, rows: Any, at: int) -> dict[str, Any]:
        shares, chance, questions = self.found[rows, at], self.chance[rows, at], self.questions[rows]
        row = {
            "share": 100 * float(shares.mean()),
            "wrong": shares.size,
            "questions": np.unique(questions).size,
        }
        if (self.could[rows].sum(axis=1) < 2).all():
            sums, counts = cluster_totals(shares, questions)
            interval_of_share = clustered_mean(sums, counts, float(shares @ shares)).interval()
            return {**row, "low": 100 * interval_of_share.low, "high": 100 * interval_of_share.high}
        apart = shares - chance
        sums, counts = cluster_totals(apart, questions)
        mean = clustered_mean(sums, counts, float(apart @ apart), (-1.0, 1.0))
        interval = mean.interval()
        return {
            **row,
            "chance": 100 * float(chance.mean()),
            "difference": 100 * mean.mean,
            "low": 100 * interval.low,
            "high": 100 * interval.high,
            "p": mean.p(),
        }


def _places(names: pl.Series, every: Sequence[str]) -> Ints:
    return names.cast(pl.Enum(every)).to_physical().to_numpy().astype(np.int64)


def _corrected(rows: list[dict[str, Any]]) -> pl.DataFrame:
    """CELLS with ``p_holm``, corrected within each model and language; English first."""
    cells = pl.DataFrame(rows, schema=dict(CELLS)).with_columns(pl.col("p").fill_null(math.nan))
    parts = [with_holm(part) for part in cells.partition_by("endpoint", "language")]
    corrected = pl.concat(parts) if parts else with_holm(cells)
    return corrected.sort(pl.col("language") != ENGLISH, "language", maintain_order=True)


def _overall(rows: pl.DataFrame, task: str) -> Iterator[Table]:
    if rows.height:
        order = rows.group_by("culture").agg(most=pl.col("difference").max())
        yield Table(
            name_of(task),
            f"Whose answers wrong answers are ({task})",
            "Percent of wrong answers about all other cultures, and points above chance. The unit is the "
            "question template.",
            rows.join(order, on="culture", maintain_order="left")
            .sort(pl.col("language") != ENGLISH, "language", -pl.col("most"), maintain_order=True)
            .drop("most"),
            Layout(
                "culture",
                "endpoint",
                "difference",
                decimals=1,
                by="language",
                drawn="intervals",
                diverges=0.0,
            ),
            notes=(HOW, f"{INTERVAL}the cultures of a model and language.", *_standing_out(rows)),
        )


def _matrix(rows: pl.DataFrame, task: str) -> Table:
    language = name_of_code(rows["language"][0])
    by_chance = rows["chance"].null_count() < rows.height
    layout = Layout(
        "asked_culture", "culture", "difference", decimals=0, by="endpoint", drawn="heatmap", diverges=0.0
    )
    unit = "Percent of the wrong answers about a culture. The unit is the question."
    if not by_chance:
        notes = [
            f"In {language} one other culture can be compared, so that there is no chance line: low and "
            "high are of the share."
        ]
    else:
        notes = [HOW, f"{INTERVAL}all pairs of a model and language.", *_standing_out(rows)]
        unit = f"Points above chance: how many wrong answers about the row's culture are the column's. {unit}"
    return Table(
        f"{name_of(task)}-{rows['language'][0]}",
        f"From the culture asked about to the culture that answers, asked in {language} ({task})",
        unit,
        rows.sort("endpoint", "asked_culture", "culture", maintain_order=True).drop(
            [] if by_chance else NEED_CHANCE
        ),
        layout if by_chance else None,
        notes=tuple(notes),
    )


def _standing_out(rows: pl.DataFrame) -> Iterator[str]:
    """One sentence for each model and language: what is significantly above chance, the largest first."""
    for (endpoint, language), part in rows.group_by(["endpoint", "language"], maintain_order=True):
        above = part.filter(pl.col("p_holm") < 0.05, pl.col("difference") > 0).sort(
            "difference", descending=True
        )
        pairs = "; ".join(_in_words(row) for row in above.head(NAMED).iter_rows(named=True))
        more = f"; and {above.height - NAMED} more" if above.height > NAMED else ""
        where = name_of_code(str(language))
        yield (
            f"{endpoint}, asked in {where}: "
            f"{f'above chance {pairs}{more}' if pairs else 'nothing is above chance'} (p_holm < .05)."
        )


def _in_words(row: dict[str, Any]) -> str:
    pair = [name_of_code(row[name]) for name in ("asked_culture", "culture") if row.get(name)]
    return f"{' to '.join(pair)} {signed(row['difference'])}"
