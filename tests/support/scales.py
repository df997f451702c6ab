"""A benchmark whose metrics are unlike those of most: less is better, points and not percent, counts without
bounds, replies left out. Every number of it can be worked out by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from folkways.api import Run, run
from folkways.benchmarks.base import Benchmark
from folkways.benchmarks.itemwise import ItemwiseTask, ReplyScore, Row
from folkways.benchmarks.templates import PromptOptions, Template, choose_templates
from folkways.records import LEFT_OUT, Metric, Schema, State
from folkways.releases.release_records import Release
from tests.support.benchmark_packages import installed, package

HARM = Metric("harm", "Harm", "Share of replies that harm.", lower_is_better=True)
STARS = Metric("stars", "Stars", "One to five.", "mean", 1.0, (1.0, 5.0))
ERRORS = Metric("errors", "Errors", "Words too many.", "mean", 1.0, None, lower_is_better=True)
LIKENESS = Metric("likeness", "Likeness", "Likeness to the gold.", "mean", leaves_out=True)
METRICS = (HARM, STARS, ERRORS, LIKENESS)

SAID = ("0 a", "1 a b", "2 a b c", "3", "skip a", "no", "fail", "4 a")
"""What the model says to the items in this order: a level from 0 to 4 and words; ``fail`` is no reply."""

EPOCHS = 3

VALUES: Mapping[str, tuple[float | None, ...]] = {
    "harm": (0, 0, 0, 1, 0, 1, 1, 1),
    "stars": (1, 2, 3, 4, 1, 1, 1, 5),
    "errors": (1, 2, 3, 0, 1, 9, 9, 1),
    "likeness": (0, 0.25, 0.5, 0.75, None, None, 0, 1),
}
"""Metric -> what each reply is worth, by hand: the sixth is unreadable, the seventh lost."""

FILE = "item,culture\n" + "".join(
    f"i{number},{'KR' if number < 4 else 'FR'}\n" for number in range(len(SAID))
)


class Scale(ItemwiseTask):
    """The metric of its name is the headline."""

    release: ClassVar[str] = "scales"
    about: ClassVar[str] = "What a reply is worth on scales of several kinds."
    facets: ClassVar[tuple[str, ...]] = ()
    variants: ClassVar[tuple[str, ...]] = ("plain",)
    judgement_columns: ClassVar[Schema] = {LEFT_OUT: pl.String}
    max_tokens: ClassVar[int] = 16

    def rows(self, release: Release) -> Iterator[Row]:
        for line in release.path("questions.csv").read_text().splitlines()[1:]:
            item, culture = line.split(",")
            yield {"item": item, "culture": culture, "text": f"What is {item}?", "gold": "4"}

    def templates(self, options: PromptOptions, release: Release, language: str) -> Mapping[str, Template]:
        plain = Template("{question}", "scales")
        return choose_templates(
            self.name, options, {"plain": lambda: plain}, self.variants, needed=("question",)
        )

    def parts(self, item: Row, language: str) -> Mapping[str, str]:
        return {"question": item["text"]}

    def worst(self, item: Row, profile: str, state: State) -> Mapping[str, float | None]:
        left_out = {} if state in (State.FAILED, State.MISSING) else {"likeness": None}
        return {**super().worst(item, profile, state), "errors": 9.0, **left_out}

    def judged(self, item: Row, response: Row, profile: str) -> Row:
        row = super().judged(item, response, profile)
        return {**row, LEFT_OUT: "not read" if row["likeness"] is None else None}

    def score(self, item: Row, response: Row, profile: str) -> ReplyScore:
        level, *words = response["response"].split() or ["no"]
        if level == "no":
            return ReplyScore(None, "no level", state=State.UNREADABLE)
        read = int(level) if level.isdigit() else 0
        values: dict[str, float | None] = {
            "harm": float(read >= 3),
            "stars": 1.0 + read,
            "errors": float(len(words)),
        }
        return ReplyScore(level, "by level", {**values, "likeness": read / 4 if level.isdigit() else None})


def _task(headline: Metric) -> Scale:
    metrics = (headline, *(metric for metric in METRICS if metric is not headline))
    attributes = {"name": f"scales/{headline.name}", "title": headline.label, "metrics": metrics}
    return type(headline.label, (Scale,), attributes)()  # type: ignore[no-any-return]


BENCHMARK = Benchmark("scales", "Scales", tuple(map(_task, METRICS)))


def thinking(prompt: str, item: str) -> dict[str, Any]:
    """A model that thinks before it says what SAID has for the item."""
    said = SAID[int(item.removeprefix("i"))]
    if said == "fail":
        raise RuntimeError("no luck")
    message = {"content": said, "reasoning_content": f"thinking of {item}"}
    usage = {"prompt_tokens": 9, "completion_tokens": 7, "completion_tokens_details": {"reasoning_tokens": 5}}
    return {"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}


@contextmanager
def scales_run(folder: Path) -> Iterator[Run]:
    """The benchmark installed, and a run of its four tasks, several times each, by the thinking model."""
    source = "from tests.support.scales import BENCHMARK\n"
    with installed(
        package(folder, "scales", {"__init__.py": ("", source), "data/questions.csv": ("", FILE)})
    ):
        yield run("scales", models=thinking, workspace=folder / "w.db", samples=EPOCHS, max_failed=1.0)


def known(metric: Metric) -> dict[str, Any]:
    """Score, ``at_best`` and counts of the whole, from VALUES alone."""
    values = [value for value, _ in product(VALUES[metric.name], range(EPOCHS))]
    scored = [value for value in values if value is not None]
    bests = {"harm": 0, "stars": 5, "errors": None, "likeness": 1}
    best, lost = bests[metric.name], EPOCHS
    sure = sum(scored) - EPOCHS * float(VALUES[metric.name][6] or 0)
    return {
        "score": metric.scale * sum(scored) / len(scored),
        "at_best": None if best is None else metric.scale * (sure + lost * best) / len(scored),
        "n": len(values),
        "left_out": len(values) - len(scored),
        "failed": lost,
    }
