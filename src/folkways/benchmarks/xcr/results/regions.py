"""West Bengal against Bangladesh: do models adapt to one Bengali culture better than to the other? (section
4.2, Table 4)

The paper's test is a one-sided Wilcoxon test over the seven categories; beside it stand the two-sided one and
tests over sentences. The gold of Bangladesh calls more sentences non-transferable, and the paper's rule gives
0 where gold has no tagged item: somebody who adapts to both cultures equally well gets a gap. ``oracle`` says
how large it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from folkways.benchmarks.results import Inputs
from folkways.benchmarks.tables import Layout, NotAvailableError, Table, with_holm
from folkways.benchmarks.xcr.results.groups import sizes_told
from folkways.benchmarks.xcr.results.measures import ADAPTATION, Measure, measures, per_sentence
from folkways.records import Schema
from folkways.stats.differences import paired_mean
from folkways.stats.hypotheses.paired_tests import Alternative, Wilcoxon, exact_wilcoxon

WEST, EAST = "IN-WB", "BD"
ALTERNATIVE: Alternative = "greater"
"""What the one-sided test is for: West Bengal scores higher."""

BIAS: Schema = {
    "endpoint": pl.String,
    "measure": pl.String,
    "difference": pl.Float64,  # West Bengal minus Bangladesh, mean over categories, in points
    "categories": pl.Int64,  # those whose difference is not zero
    "p": pl.Float64,  # one-sided, over categories
    "smallest_p": pl.Float64,  # that so many categories can give
    "p_two_sided": pl.Float64,
    "p_holm": pl.Float64,  # of the one-sided p, over the rows of this table
    "by_sentence": pl.Float64,  # mean difference over sentences scored in both cultures
    "low": pl.Float64,
    "high": pl.Float64,
    "p_sentences": pl.Float64,  # two-sided, paired t
    "p_sentences_wilcoxon": pl.Float64,  # two-sided, signed ranks
    "sentences": pl.Int64,
}

BY_CATEGORY: Schema = {
    "endpoint": pl.String,
    "measure": pl.String,
    "category": pl.String,
    "west_bengal": pl.Float64,
    "bangladesh": pl.Float64,
    "difference": pl.Float64,
    "n_west_bengal": pl.Int64,
    "n_bangladesh": pl.Int64,
}


@dataclass(frozen=True)
class Gap:
    """One model's scores in the two cultures by one metric.

    sentences: question, culture, category and ``score`` (0 to 100, null where the rule takes the sentence
    out), one row for each.
    """

    sentences: pl.DataFrame

    @cached_property
    def categories(self) -> pl.DataFrame:
        """BY_CATEGORY without endpoint and measure: of the categories that are scored in both cultures."""
        west, east = (pl.col("score").filter(pl.col("culture") == culture) for culture in (WEST, EAST))
        return (
            self.sentences.drop_nulls(["score", "category"])
            .group_by("category")
            .agg(
                west_bengal=west.mean(),
                bangladesh=east.mean(),
                difference=west.mean() - east.mean(),
                n_west_bengal=west.len().cast(pl.Int64),
                n_bangladesh=east.len().cast(pl.Int64),
            )
            .drop_nulls(["west_bengal", "bangladesh"])
            .sort("category")
        )

    @property
    def difference(self) -> float:
        """The mean of the categories' differences; NaN without any."""
        mean = self.categories["difference"].mean()
        return float(mean) if isinstance(mean, float) else float("nan")

    def over_categories(self, alternative: Alternative = ALTERNATIVE) -> Wilcoxon:
        """The exact test over the categories' differences."""
        return exact_wilcoxon(self.categories["difference"].to_numpy(), alternative)


def bias_tables(inputs: Inputs) -> Sequence[Table]:
    """The tests, and the differences by category that they are of."""
    judged = inputs.of(ADAPTATION)
    found = gaps(judged, measures(inputs, ADAPTATION, judged))
    tests = with_holm(pl.DataFrame([_tested(*one) for one in found], schema=dict(BIAS), orient="row"))
    categories = pl.concat(
        gap.categories.select(
            pl.lit(endpoint).alias("endpoint"), pl.lit(measure.label).alias("measure"), pl.all()
        )
        for endpoint, measure, gap in found
    )
    return [
        Table(
            "regional-bias",
            "West Bengal against Bangladesh (Table 4)",
            "The unit of difference and p is the category: p is of Wilcoxon's exact signed-rank test, "
            "one-sided, for West Bengal "
            "scoring higher. The unit of by_sentence is the sentence that is scored in both cultures, "
            "paired.",
            tests,
            notes=(
                "smallest_p is the smallest that so many categories can give: below .05 one-sided takes "
                "five or more.",
                "A one-sided test cannot find a difference in favour of Bangladesh: look at p_two_sided.",
                "Read it with regional-control: part of the difference comes from sentences without tagged "
                "items.",
            ),
        ),
        Table(
            "regional-bias-by-category",
            "West Bengal minus Bangladesh by category",
            "The unit is the category; n counts the sentences that its scores are means of.",
            categories.select(list(BY_CATEGORY)),
            Layout("category", "endpoint", "difference", by="measure", drawn="heatmap", diverges=0.0),
            (f"West Bengal: {sizes_told(categories, 'category', 'n_west_bengal')}",),
        ),
    ]


def gaps(judged: pl.DataFrame, looked_at: Sequence[Measure]) -> list[tuple[str, Measure, Gap]]:
    """Each endpoint, metric and gap. NotAvailableError where no endpoint was scored in both cultures."""
    said = judged.filter(pl.col("culture").is_in([WEST, EAST]))
    both = said.group_by("endpoint", maintain_order=True).agg(pl.col("culture").n_unique())
    endpoints = both.filter(pl.col("culture") == 2)["endpoint"].to_list()
    if not endpoints:
        raise NotAvailableError(
            f"needs adaptations to both Bengali cultures: folkways run {ADAPTATION} --cultures {WEST},{EAST}"
        )
    found = []
    for endpoint in endpoints:
        own = said.filter(pl.col("endpoint") == endpoint)
        for measure in looked_at:
            gap = Gap(per_sentence(own, ["culture", "category"], {"score": measure.name}))
            if gap.categories.height:
                found.append((endpoint, measure, gap))
    if not found:
        raise NotAvailableError(
            "no category has scored sentences of both Bengali cultures; judge more of them"
        )
    return found


def paired_sentences(sentences: pl.DataFrame) -> pl.DataFrame:
    """``west`` and ``east`` of the sentences that are scored in both cultures, by question and category."""
    known = sentences.drop_nulls("score").select("question", "category", "culture", "score")
    west = known.filter(pl.col("culture") == WEST).select("question", "category", west="score")
    east = known.filter(pl.col("culture") == EAST).select("question", east="score")
    return west.join(east, on="question", how="inner", maintain_order="left")


def _tested(endpoint: str, measure: Measure, gap: Gap) -> tuple[Any, ...]:
    one_sided, two_sided = gap.over_categories(), gap.over_categories("two-sided")
    pairs = paired_sentences(gap.sentences)
    west, east = pairs["west"].to_numpy(), pairs["east"].to_numpy()
    mean = paired_mean(west, east)
    ranks = exact_wilcoxon(np.asarray(west - east), "two-sided")
    over_categories = (gap.difference, one_sided.n, one_sided.p, one_sided.smallest_p, two_sided.p, None)
    return (
        endpoint,
        measure.label,
        *over_categories,
        mean.difference,
        mean.low,
        mean.high,
        mean.p,
        ranks.p,
        mean.n,
    )
