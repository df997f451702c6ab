"""How often the tables of whose culture answers find something where there is nothing, and hold the truth, by
simulation.

python -m perf.stats.whose_culture            # some minutes; needs the reference data beside the checkout
python -m perf.stats.whose_culture --write    # and puts the table into SIMULATIONS.md

The cultures, questions and answers are BLEnD's (English answers of 16 cultures). A model is made up that
knows the answer of the culture that it is asked about half of the time. Else it gives one of two answers that
it has in mind for the question, whatever the culture: any of the answers that people gave, each as likely as
any other. The second model of each size gives an answer of the United States in their place three times of
ten.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from folkways.benchmarks.blend import data as blend
from folkways.benchmarks.released_data import open_release
from folkways.benchmarks.whose_culture.matching import MATCHES
from folkways.benchmarks.whose_culture.result import whose_culture_tables
from perf.pages import replace_table
from perf.stats import SIMULATIONS

ROOT = Path(__file__).resolve().parents[2]
BEGIN = "<!-- written by python -m perf.stats.whose_culture --write -->\n"
DATA = ROOT.parent / "shared" / "data" / "blend" / "24e7d73"

KNOWN, IN_MIND = 0.5, 2
PREFERRED, PULL = "US", 0.3
QUESTIONS = (100, 500)

Gold = Mapping[str, Sequence[frozenset[str]]]
"""Culture -> its answers to one question, each as all the ways to put it."""


def gold() -> list[Gold]:
    """Of every question."""
    annotated = blend.read_annotations(open_release(DATA, "blend")).filter(blend.is_counted())
    found: dict[str, dict[str, list[frozenset[str]]]] = {}
    for culture, question, groups in annotated.select("culture", "id", "groups").iter_rows():
        told = [
            frozenset(text.casefold().strip() for text in group["en_answers"] if text.strip())
            for group in groups
        ]
        found.setdefault(question, {})[culture] = [group for group in told if group]
    return [found[question] for question in sorted(found)]


class Question:
    """What a reply to a question is worth for each culture."""

    def __init__(self, answers: Gold) -> None:
        self.answers = answers
        self.slots = [min(group) for groups in answers.values() for group in groups]
        self.preferred = [min(group) for group in answers.get(PREFERRED, ())]
        every = {culture: frozenset[str]().union(*groups) for culture, groups in answers.items()}
        self.whose = {text: {culture for culture, own in every.items() if text in own} for text in self.slots}
        self.weights = {
            asked: {
                culture: float(sum(own.isdisjoint(group) for group in groups))
                for culture, groups in answers.items()
                if culture != asked
            }
            for asked, own in every.items()
        }

    def rows(self, number: int, pull: float, rng: np.random.Generator) -> Iterator[tuple[object, ...]]:
        """MATCHES of a model's wrong answers."""
        if not self.slots:
            return
        mind = [self.slots[rng.integers(len(self.slots))] for _ in range(IN_MIND)]
        for asked in self.answers:
            if rng.random() < KNOWN:
                continue
            reply = mind[rng.integers(IN_MIND)]
            if self.preferred and rng.random() < pull:
                reply = self.preferred[rng.integers(len(self.preferred))]
            if asked not in self.whose[reply]:
                weights = {name: weight for name, weight in self.weights[asked].items() if weight}
                yield (
                    "model",
                    "en",
                    asked,
                    str(number),
                    [*weights],
                    [*weights.values()],
                    sorted(self.whose[reply] & weights.keys()),
                )


def study(
    questions: Sequence[Question], pull: float, rng: np.random.Generator
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The rows over all cultures asked about, and those from culture to culture."""
    rows = [row for number, question in enumerate(questions) for row in question.rows(number, pull, rng)]
    overall, pairs = whose_culture_tables(pl.DataFrame(rows, schema=dict(MATCHES), orient="row"), "")
    return overall.rows.with_columns(asked_culture=pl.lit("all")), pairs.rows


def lines(runs: int) -> Iterator[str]:
    """One line per number of questions, model and table."""
    yield (
        "| table | questions | model | intervals that hold | others' p < .05 | any other above chance "
        "(p_holm) "
        "| others' difference at most | US above chance (p_holm) |"
    )
    yield "|---|---|---|---|---|---|---|---|"
    every = [Question(answers) for answers in gold()]
    for size in QUESTIONS:
        for model, pull in (("no culture's", 0.0), ("30 % US", PULL)):
            rng = np.random.default_rng(size)
            found = [
                study([every[at] for at in rng.choice(len(every), size, replace=False)], pull, rng)
                for _ in range(runs)
            ]
            for table, tables in zip(("all to one", "one to one"), zip(*found, strict=True), strict=True):
                yield _line(table, size, model, tables, pull > 0)


def _line(table: str, size: int, model: str, tables: Sequence[pl.DataFrame], pulled: bool) -> str:
    rows = pl.concat([one.with_columns(run=number) for number, one in enumerate(tables)]).filter(
        pl.col("difference").is_not_null()
    )
    truth = rows.group_by("asked_culture", "culture").agg(truth=pl.col("difference").mean(), often=pl.len())
    rows = rows.join(truth.filter(pl.col("often") > len(tables) / 2), on=["asked_culture", "culture"])
    held = (pl.col("low") <= pl.col("truth")) & (pl.col("truth") <= pl.col("high"))
    above = (pl.col("p_holm") < 0.05) & (pl.col("difference") > 0)
    us = pl.col("culture") == PREFERRED
    others = rows.filter(~us)
    cells = [
        f"{_percent(rows, held):.1f}",
        "" if pulled else f"{_percent(others, pl.col('p') < 0.05):.1f}",
        f"{_percent(others.group_by('run').agg(above=above.any()), pl.col('above')):.1f}",
        f"{max(map(abs, others['truth'])):.1f}",
        f"{_percent(rows.filter(us).group_by('run').agg(above=above.any()), pl.col('above')):.0f}",
    ]
    return f"| {table} | {size} | {model} | {' | '.join(cells)} |"


def _percent(rows: pl.DataFrame, holds: pl.Expr) -> float:
    return 100 * float(rows.select(holds.cast(pl.Float64).mean()).item())


def main() -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(
        prog="python -m perf.stats.whose_culture", description="Whose culture answers, where it is known."
    )
    parser.add_argument("--runs", type=int, default=200, help="studies for each line")
    parser.add_argument("--write", action="store_true", help="put the table into SIMULATIONS.md")
    options = parser.parse_args()
    told = "\n".join([*lines(options.runs), ""])
    print(told)
    if options.write:
        replace_table(SIMULATIONS, BEGIN, told)


if __name__ == "__main__":
    main()
