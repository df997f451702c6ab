"""NormAd-Eti: is what happens in a story acceptable, as the model learns more of the country's rules (arXiv
2404.12464)?"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import polars as pl

from folkways.benchmarks.base import Benchmark
from folkways.benchmarks.multiple_choice.declaration import ACCURACY
from folkways.benchmarks.normad import release
from folkways.benchmarks.normad.task import LEVELS, NormAd
from folkways.benchmarks.published import PublishedFigures
from folkways.benchmarks.results import Inputs, Result
from folkways.benchmarks.summary import summarise_means
from folkways.benchmarks.tables import DIFFERENCE, Layout, NotAvailableError, Table, in_order, with_holm
from folkways.records import Schema
from folkways.stats.differences import paired_mean

TASK = "normad/acceptable"
ALL = "all"
STEPS = (*pairwise(LEVELS), ("story", "rule"))

GAINS: Schema = {
    "endpoint": pl.String,
    "label": pl.String,
    "less": pl.String,  # the level with less context
    "more": pl.String,
    "without": pl.Float64,  # percent at that level
    "with": pl.Float64,
    **DIFFERENCE,  # points
    "stories": pl.Int64,  # that were asked at both levels
}


def levels(inputs: Inputs) -> Sequence[Table]:
    """Accuracy by level and label, and what each level adds to the one before it.

    Raises NotAvailableError if none of the levels was asked.
    """
    judged = inputs.of(TASK).filter(pl.col("variant").is_in(LEVELS))
    if judged.is_empty():
        raise NotAvailableError(
            f"needs one of the levels {', '.join(LEVELS)}; wordings of your own have none"
        )
    labelled = pl.concat([judged.with_columns(gold_label=pl.lit(ALL)), judged])
    shown, gains = [], []
    for (endpoint,), of_model in labelled.group_by(["endpoint"], maintain_order=True):
        scores = summarise_means(of_model, TASK, (ACCURACY,), (), [("variant", "gold_label")])
        parts = pl.col("value").str.split_exact("+", 1).struct.rename_fields(["level", "label"])
        by_level = (
            scores.filter(pl.col("facet") == "variant+gold_label")
            .select(parts, "score", "low", "high", "n")
            .unnest("value")
        )
        shown.append(
            by_level.select(pl.lit(endpoint).alias("endpoint"), "level", "label", "score", "low", "high", "n")
        )
        by_label = of_model.group_by(["gold_label"], maintain_order=True)
        gains += [
            {"endpoint": endpoint, "label": label, **gain}
            for (label,), part in by_label
            for gain in _gains(part)
        ]
    return (
        Table(
            "levels",
            "Accuracy by level of context and label",
            "Percent of stories, which are the unit.",
            pl.concat(shown).sort("label", in_order("level", LEVELS), maintain_order=True),
            Layout("endpoint", "level", "score", decimals=1, by="label", drawn="intervals"),
            notes=(
                "Chance is 33 %. Labels are not equally frequent, and a model that always says Yes has all "
                "of one.",
            ),
        ),
        Table(
            "level-gains",
            "What context adds",
            "Points between two levels of context, over the stories that a model was asked at both, paired "
            "by story.",
            with_holm(pl.DataFrame(gains, schema=dict(GAINS))),
            notes=(
                "Wilson's interval of the effective answers and its test, paired; p_holm is corrected for "
                "all rows.",
                "With the rule given, the story need only be compared with it: what that adds is "
                "reasoning, not knowledge.",
            ),
        ),
    )


def _gains(judged: pl.DataFrame) -> list[dict[str, object]]:
    stories = judged.group_by("question", "variant", maintain_order=True).agg(pl.col("accuracy").mean() * 100)
    rows: list[dict[str, object]] = []
    for less, more in STEPS:
        pairs = stories.filter(variant=less).join(
            stories.filter(variant=more), on="question", suffix="_more", maintain_order="left"
        )
        if pairs.height:
            gain = paired_mean(pairs["accuracy_more"].to_numpy(), pairs["accuracy"].to_numpy(), largest=100.0)
            means = {"without": pairs["accuracy"].mean(), "with": pairs["accuracy_more"].mean()}
            rows.append({"less": less, "more": more, **means, **gain.columns(), "stories": gain.n})
    return rows


RESULTS = (
    Result(
        "levels",
        "What context adds",
        levels,
        "section 4",
        "How much does a model gain by being told more?",
        (TASK,),
    ),
)


BENCHMARK = Benchmark(
    "normad",
    "NormAd-Eti",
    (NormAd(),),
    reader=release,
    results=RESULTS,
    published=PublishedFigures("folkways.benchmarks.normad.published"),
    caution=(
        "The whole is the mean over the levels of context that were asked, from the story alone to its "
        "rule: read the levels "
        "apart (folkways analyse RUN levels). Where the answer is Neither, the country is a foil."
    ),
)
