"""West Bengal against Bangladesh: do models adapt to one Bengali culture better than to the other (section
4.2, Table 4), and how much of the gap comes from the rule?

The paper's test is a one-sided Wilcoxon test over the seven categories; the two-sided one and tests over
sentences are added. The gold of Bangladesh calls more sentences non-transferable, and the paper's rule
gives 0 for gold without a tagged item: somebody who adapts to both cultures equally well gets a gap. Three
controls show its size: copying the gold of both cultures, being exactly as good as the model but equally
good in both, and the model itself on the sentences whose gold has items in both cultures.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from folkways.benchmarks.results import Inputs
from folkways.benchmarks.tables import Layout, NotAvailableError, Table, with_holm
from folkways.benchmarks.xcr.results.corpus import gold_items
from folkways.benchmarks.xcr.results.measures import (
    ADAPTATION,
    CSI,
    SIDES,
    AnalysedMetric,
    measures,
    per_sentence,
)
from folkways.benchmarks.xcr.results.scores import sizes_told
from folkways.records import Schema, of_rows
from folkways.stats.differences import paired_mean
from folkways.stats.hypotheses.paired_tests import Alternative, Wilcoxon, exact_wilcoxon

WEST, EAST = "IN-WB", "BD"
ALTERNATIVE: Alternative = "greater"
"""The alternative of the one-sided test: West Bengal scores higher."""

BIAS: Schema = {
    "endpoint": pl.String,
    "measure": pl.String,
    "difference": pl.Float64,  # West Bengal minus Bangladesh, mean over categories, in points
    "categories": pl.Int64,  # those whose difference is not zero
    "p": pl.Float64,  # one-sided, over categories
    "smallest_p": pl.Float64,  # possible with this number of categories
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

    sentences: question, culture, category and ``score`` (0 to 100, null if the rule leaves the sentence
        out), one row for each.
    """

    sentences: pl.DataFrame

    @cached_property
    def categories(self) -> pl.DataFrame:
        """BY_CATEGORY without endpoint and measure, for the categories that are scored in both cultures."""
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
    """The tests, and their differences by category."""
    judged = inputs.of(ADAPTATION)
    model_gaps = gaps(judged, measures(inputs, ADAPTATION, judged))
    tests = with_holm(of_rows((_test_row(*one) for one in model_gaps), BIAS))
    categories = pl.concat(
        gap.categories.select(
            pl.lit(endpoint).alias("endpoint"), pl.lit(measure.label).alias("measure"), pl.all()
        )
        for endpoint, measure, gap in model_gaps
    )
    return [
        Table(
            "regional-bias",
            "West Bengal against Bangladesh (Table 4)",
            "The unit of difference and p is the category: p is of Wilcoxon's exact signed-rank test, "
            "one-sided, for West Bengal scoring higher. The unit of by_sentence is the sentence that is "
            "scored in both cultures, paired.",
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
            Layout(
                "category",
                "endpoint",
                "difference",
                by="measure",
                drawn="heatmap",
                diverges=0.0,
                measure="West Bengal minus Bangladesh, points",
            ),
            (f"West Bengal: {sizes_told(categories, 'category', 'n_west_bengal')}",),
        ),
    ]


def gaps(judged: pl.DataFrame, looked_at: Sequence[AnalysedMetric]) -> list[tuple[str, AnalysedMetric, Gap]]:
    """Each endpoint, metric and gap. Raises NotAvailableError if no endpoint was scored in both cultures."""
    of_both = judged.filter(pl.col("culture").is_in([WEST, EAST]))
    both = of_both.group_by("endpoint", maintain_order=True).agg(pl.col("culture").n_unique())
    endpoints = both.filter(pl.col("culture") == 2)["endpoint"].to_list()
    if not endpoints:
        raise NotAvailableError(
            f"needs adaptations to both Bengali cultures: folkways run {ADAPTATION} --cultures {WEST},{EAST}"
        )
    model_gaps = []
    for endpoint in endpoints:
        of_model = of_both.filter(pl.col("endpoint") == endpoint)
        for measure in looked_at:
            gap = Gap(per_sentence(of_model, ["culture", "category"], {"score": measure.name}))
            if gap.categories.height:
                model_gaps.append((endpoint, measure, gap))
    if not model_gaps:
        raise NotAvailableError(
            "no category has scored sentences of both Bengali cultures; judge more of them"
        )
    return model_gaps


def paired_sentences(sentences: pl.DataFrame) -> pl.DataFrame:
    """``west`` and ``east`` of the sentences that are scored in both cultures, by question and category."""
    scored = sentences.drop_nulls("score").select("question", "category", "culture", "score")
    west = scored.filter(pl.col("culture") == WEST).select("question", "category", west="score")
    east = scored.filter(pl.col("culture") == EAST).select("question", east="score")
    return west.join(east, on="question", how="inner", maintain_order="left")


def _test_row(endpoint: str, measure: AnalysedMetric, gap: Gap) -> tuple[Any, ...]:
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


MODEL, COPY, BALANCED, BOTH = (
    "the model",
    "copies the gold",
    "as good as the model, in both alike",
    "the model, where both golds have items",
)

CONTROL: Schema = {
    "endpoint": pl.String,
    "measure": pl.String,
    "who": pl.String,  # MODEL, COPY, BALANCED or BOTH
    "west_bengal": pl.Float64,  # mean over categories
    "bangladesh": pl.Float64,
    "difference": pl.Float64,
    "p": pl.Float64,  # one-sided exact Wilcoxon over categories, for West Bengal scoring higher
    "categories": pl.Int64,
    "n_west_bengal": pl.Int64,
    "n_bangladesh": pl.Int64,
    "no_items_west_bengal": pl.Int64,  # of these sentences
    "no_items_bangladesh": pl.Int64,
}


def control_tables(inputs: Inputs) -> Sequence[Table]:
    """The gap of each model by items, and that of its controls.

    Raises NotAvailableError without the corpus that was judged.
    """
    judged = inputs.of(ADAPTATION)
    release = inputs.releases.get(ADAPTATION)
    if release is None:
        raise NotAvailableError("needs the corpus that was judged; analyse a run: folkways analyse RUN")
    looked_at = [measure for measure in measures(inputs, ADAPTATION, judged) if measure.compares == CSI]
    items = {side: gold_items(release, side, (WEST, EAST)) for side in SIDES}
    rows = [
        row
        for endpoint, measure, gap in gaps(judged, looked_at)
        for row in _controls(endpoint, measure, gap, items)
    ]
    return [
        Table(
            "regional-control",
            "How much of the gap comes from sentences without tagged items",
            "The unit is the category: differences are means over categories of West Bengal minus "
            "Bangladesh, and p is of "
            "Wilcoxon's exact signed-rank test, one-sided, for West Bengal scoring higher.",
            of_rows(rows, CONTROL),
            notes=(
                f"'{BALANCED}' has the model's own mean on every sentence with items, of either culture: its "
                "difference is what the sentences without items make of no difference at all.",
                "Under a rule that leaves these sentences out (the profile strict) both controls without a "
                "model have no gap.",
            ),
        )
    ]


def _controls(
    endpoint: str, measure: AnalysedMetric, gap: Gap, items: dict[str, pl.DataFrame]
) -> Iterator[tuple[Any, ...]]:
    sentences = gap.sentences.join(
        items[measure.side or "intra"], on=["question", "culture"], how="left", maintain_order="left"
    ).drop_nulls("score")
    has_items = pl.col("items") > 0
    both = paired_sentences(sentences.filter(has_items))["question"]
    skill = pl.col("score").filter(has_items).mean()
    versions = {
        MODEL: sentences,
        BALANCED: sentences.with_columns(score=pl.when(has_items).then(skill).otherwise(pl.lit(0.0))),
        COPY: sentences.with_columns(score=pl.when(has_items).then(pl.lit(100.0)).otherwise(pl.lit(0.0))),
        BOTH: sentences.filter(pl.col("question").is_in(both.implode()) & has_items),
    }
    for who, version in versions.items():
        control = Gap(version)
        test = control.over_categories()
        counts = [_counted(version, culture) for culture in (WEST, EAST)]
        means = (
            control.categories["west_bengal"].mean(),
            control.categories["bangladesh"].mean(),
            control.difference,
        )
        yield (
            *(endpoint, measure.label, who, *means, test.p, test.n),
            *(whole for whole, _ in counts),
            *(without for _, without in counts),
        )


def _counted(sentences: pl.DataFrame, culture: str) -> tuple[int, int]:
    """Sentences of the culture, and those of them without items."""
    of_culture = sentences.filter(pl.col("culture") == culture)
    return of_culture.height, int((of_culture["items"] == 0).sum())
