"""Whose answers wrong answers become when a prompt names a culture: of each reply, whether it is another
culture's answer, above chance (``whose_culture``), treated and with placebos."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

import numpy as np
import polars as pl

from folkways.benchmarks.registry import benchmarks
from folkways.benchmarks.results import Inputs
from folkways.benchmarks.tables import DIFFERENCE, Layout, NotAvailableError, Plot, Table, with_holm
from folkways.benchmarks.treatments import Arm
from folkways.benchmarks.whose_culture.matching import MOST
from folkways.benchmarks.whose_culture.result import FEWEST, WhoseCulture, WrongAnswers
from folkways.cultures import cultures
from folkways.names import WHOLE
from folkways.records import Schema, of_rows
from folkways.stats.intervals import Floats
from folkways.stats.pairwise import paired_contrasts

OWN, OTHERS = "own", "other"

ANSWERS: Schema = {
    "task": pl.String,
    "endpoint": pl.String,
    "language": pl.String,
    "treatment": pl.String,
    "names": pl.String,  # the culture of the question (OWN), or another (OTHERS)
    "answers_of": pl.String,  # whose answers they are; WHOLE: of the culture named, whichever it is
    # percent of all replies
    "untreated": pl.Float64,  # with placebos, or of the prompt as it is where there are none
    "treated": pl.Float64,
    **DIFFERENCE,  # points, each reply less chance
    "p_holm": pl.Float64,
    "n": pl.Int64,
    "questions": pl.Int64,
}

KEY = ("item", "base", "sample")
"""What the arms of one prompt share, of a model and a language."""

LARGEST = 2.0
"""Of a difference: a reply less its chance is from -1 to 1."""


def answers_table(inputs: Inputs) -> Iterator[Table]:
    """ANSWERS of the tasks whose wrong answers can be matched with other cultures'; nothing where none can.

    The unit is a reply, right or wrong, to the same prompt in all arms: a right one is nobody else's. So the
    rows are the same in every arm, however many answers a treatment turns wrong.
    """
    if inputs.treated.is_empty():
        return
    source = replace(inputs, judged=inputs.treated)
    rows: list[dict[str, Any]] = []
    for task, result in sorted(_whose().items()):
        if task in source.tasks:
            rows += _of_task(source, task, result)
    parts = pl.DataFrame(rows, schema={name: kind for name, kind in ANSWERS.items() if name != "p_holm"})
    if parts.is_empty():
        return
    whole = pl.col("answers_of") == WHOLE
    models = parts.filter(~whole).partition_by("task", "endpoint", "language", "treatment", "names")
    corrected = pl.concat([with_holm(part) for part in (parts.filter(whole), *models)]).select(list(ANSWERS))
    named = pl.concat_str(["task", "language", "treatment"], separator=", ")
    steered = corrected.filter(pl.col("names") == OTHERS).with_columns(named.alias("of"))
    layout = Layout(
        "answers_of", "endpoint", "difference", decimals=1, by="of", drawn="intervals", diverges=0.0,
        measure="Answers of the culture named, points",
    )  # fmt: skip
    yield Table(
        "treatments-answers",
        "Whose answers wrong answers become",
        "Percent of all replies, right or wrong, that are a wrong answer and another culture's answer; the "
        "difference is treated less placebos (the prompt as it is where there are none), each less chance, "
        "paired by row and clustered by question. p_holm is corrected for the cultures of a model, a "
        "language and a treatment.",
        corrected,
        notes=(
            f"{OTHERS}: the treatment names another culture than the question's, and the answers are those "
            "of the culture named: above 0, the prompt answers for its culture, whatever is asked about. "
            f"{OWN}: it names the question's own culture, and the answers are those of each other culture.",
            "An answer that m other cultures gave counts 1/m for each; chance is that of the analysis whose "
            f"culture answers. Of a task in words, items with {MOST:,} wrong answers at most are drawn.",
        ),
        plots=(Plot(layout, rows=steered),) if steered.height else (),
    )


def _whose() -> Mapping[str, WhoseCulture]:
    declared = (result for benchmark in benchmarks().values() for result in benchmark.results)
    return {result.tasks[0]: result for result in declared if isinstance(result, WhoseCulture)}


def _of_task(source: Inputs, task: str, result: WhoseCulture) -> Iterator[dict[str, Any]]:
    metric = source.headline(task).name
    text = ("endpoint", "item", "question", "culture", "language", "variant")
    judged = source.of(task, columns=(*text, "sample", metric))
    judged = judged.with_columns(pl.col(text).cast(pl.String)).drop_nulls(metric)
    arms = {name: Arm.of(name) for name in judged["variant"].unique()}
    treated_items = judged.filter(pl.col("variant").is_in([name for name in arms if arms[name].treatment]))
    if treated_items.is_empty():
        return
    if task in source.free_answers:
        drawn = _drawn_items(judged, metric)
        judged = judged.filter(pl.col("item").is_in(drawn.implode()))
        of_drawn = pl.col("item").cast(pl.String).is_in(drawn.implode())
        source = replace(source, judged=source.judged.filter(of_drawn))
    try:
        matches = result.matches(source)
    except NotAvailableError:
        return
    columns = ("variant", "base", "treatment", "kind", "which")
    of_variants = of_rows(
        ((name, arm.base, arm.treatment or None, arm.kind, arm.which) for name, arm in arms.items()),
        dict.fromkeys(columns, pl.String),
    )
    judged = judged.join(of_variants, on="variant", how="left", maintain_order="left")
    for (endpoint, language), answers in matches.group_by(["endpoint", "language"], maintain_order=True):
        rows = judged.filter(endpoint=endpoint, language=language)
        names = {"task": task, "endpoint": endpoint, "language": language}
        for treatment in rows["treatment"].drop_nulls().unique().sort():
            for row in _Replies.of(rows, answers).compared(treatment):
                yield {**names, "treatment": treatment, **row}


def _drawn_items(judged: pl.DataFrame, metric: str) -> pl.Series:
    """Items in an order by lot, as many as have MOST wrong answers of the model and language with most: all
    answers to an item are compared, or none."""
    wrong = judged.group_by("item", "endpoint", "language").agg(wrong=(pl.col(metric) == 0).sum())
    lots = [blake2b(name.encode(), digest_size=8).hexdigest() for name in wrong["item"]]
    ordered = wrong.with_columns(pl.Series("lot", lots)).sort("lot")
    ordered = ordered.with_columns(reached=pl.col("wrong").cum_sum().over("endpoint", "language"))
    most = ordered.group_by("item", "lot").agg(pl.col("reached").max()).sort("lot")
    return most.filter(pl.col("reached").cum_max() <= MOST)["item"]


@dataclass(frozen=True)
class _Replies:
    """The replies of a model in a language.

    rows: KEY, ``culture``, ``question``, ``treatment``, ``kind``, ``which``, and ``position``: its row of the
    arrays; null for a reply that is nobody's answer. wrong: the wrong answers, by position.
    """

    rows: pl.DataFrame
    wrong: WrongAnswers

    @classmethod
    def of(cls, rows: pl.DataFrame, answers: pl.DataFrame) -> _Replies:
        positions = answers.select("item", "variant", "sample", position=pl.int_range(pl.len()))
        on = ["item", "variant", "sample"]
        return cls(rows.join(positions, on=on, how="left", maintain_order="left"), WrongAnswers.of(answers))

    def compared(self, treatment: str) -> Iterator[dict[str, Any]]:
        """Rows of ANSWERS of a treatment, without the columns that name it and p_holm."""
        of_kind = {
            str(kind): part
            for (kind,), part in self.rows.filter(
                pl.col("treatment").is_null() | (pl.col("treatment") == treatment)
            ).group_by("kind", maintain_order=True)
        }
        control, empty = of_kind["control"], self.rows.head(0)
        cues = of_kind.get("placebo", empty)
        untreated = [part for _, part in cues.group_by("which", maintain_order=True)] or [control]
        codes = [name for name in self.wrong.names if name in cultures()]
        treated = self._paired(of_kind.get("treatment", empty), untreated)
        for name in codes:
            yield from self._row(treated.filter(pl.col("culture") != name), len(untreated), OWN, name)
        crossed = self._paired(of_kind.get("crossed", empty), untreated)
        for name in codes:
            yield from self._row(crossed.filter(which=name), len(untreated), OTHERS, name)
        yield from self._row(crossed, len(untreated), OTHERS, WHOLE)

    def _paired(self, treated: pl.DataFrame, untreated: list[pl.DataFrame]) -> pl.DataFrame:
        """The rows of an arm that have all others too, with ``position-N`` of the others'."""
        rows = treated
        for number, part in enumerate(untreated):
            of_part = part.select(*KEY, pl.col("position").alias(f"position-{number}"))
            rows = rows.join(of_part, on=KEY, how="inner", maintain_order="left")
        return rows

    def _row(self, rows: pl.DataFrame, others: int, names: str, answers_of: str) -> Iterator[dict[str, Any]]:
        alike = pl.Series([answers_of]).new_from_index(0, rows.height)
        whose = rows["which"] if answers_of == WHOLE else alike
        treated = self._values(rows["position"], whose)
        each = [self._values(rows[f"position-{number}"], whose) for number in range(others)]
        if sum(int((shares > 0).sum()) for shares, _ in (treated, *each)) < FEWEST:
            return
        shares, excess = (np.mean([values[at] for values in each], axis=0) for at in (0, 1))
        questions = rows["question"].cast(pl.Categorical).to_physical().to_numpy().astype(np.int64)
        test = paired_contrasts(np.column_stack([treated[1], excess]), questions, LARGEST)
        yield {
            "names": names,
            "answers_of": answers_of,
            "untreated": 100 * float(shares.mean()),
            "treated": 100 * float(treated[0].mean()),
            "difference": 100 * test.difference[0],
            "low": 100 * test.low[0],
            "high": 100 * test.high[0],
            "p": test.p[0],
            "n": int(test.rows[0]),
            "questions": int(test.questions[0]),
        }

    def _values(self, positions: pl.Series, whose: pl.Series) -> tuple[Floats, Floats]:
        """Of each reply, how far it is the answer of the culture at the same place of ``whose``, and the same
        less chance; 0 for a reply that is nobody's."""
        columns = whose.replace_strict(
            {name: at for at, name in enumerate(self.wrong.names)}, default=None, return_dtype=pl.Int64
        )
        matched = (positions.is_not_null() & columns.is_not_null()).to_numpy()
        at = positions.fill_null(0).to_numpy(), columns.fill_null(0).to_numpy()
        could = matched & (self.wrong.could[at] > 0)
        shares = np.where(could, self.wrong.found[at], 0.0)
        return shares, shares - np.where(could, self.wrong.chance[at], 0.0)
