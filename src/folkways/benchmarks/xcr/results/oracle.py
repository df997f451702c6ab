"""How much of the gap between the Bengali cultures comes from sentences without tagged items, which the
paper's rule scores 0.

The gold of Bangladesh has more of them than that of West Bengal. Three controls show what that alone does to
the gap: someone who copies the gold of both cultures, someone who is exactly as good as the model but equally
good in both, and the model itself on the sentences whose gold has items in both cultures.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from folkways.benchmarks.results import Inputs
from folkways.benchmarks.tables import NotAvailableError, Table
from folkways.benchmarks.xcr.results.adaptations import gold_items
from folkways.benchmarks.xcr.results.measures import ADAPTATION, CSI, SIDES, Measure, measures
from folkways.benchmarks.xcr.results.regions import EAST, WEST, Gap, gaps, paired_sentences
from folkways.records import Schema

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
    """The gap of each model by items, beside its controls."""
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
            pl.DataFrame(rows, schema=dict(CONTROL), orient="row"),
            notes=(
                f"'{BALANCED}' has the model's own mean on every sentence with items, of either culture: "
                "its difference is what "
                "the sentences without items make of no difference at all.",
                "Under a rule that leaves these sentences out (the profile strict) both controls without a "
                "model have no gap.",
            ),
        )
    ]


def _controls(
    endpoint: str, measure: Measure, gap: Gap, items: dict[str, pl.DataFrame]
) -> Iterator[tuple[Any, ...]]:
    sentences = gap.sentences.join(
        items[measure.side or "intra"], on=["question", "culture"], how="left", maintain_order="left"
    ).drop_nulls("score")
    has_items = pl.col("items") > 0
    both = paired_sentences(sentences.filter(has_items))["question"]
    skill = float(sentences.filter(has_items)["score"].mean() or 0.0)  # type: ignore[arg-type]
    versions = {
        MODEL: sentences,
        BALANCED: sentences.with_columns(score=pl.when(has_items).then(pl.lit(skill)).otherwise(pl.lit(0.0))),
        COPY: sentences.with_columns(score=pl.when(has_items).then(pl.lit(100.0)).otherwise(pl.lit(0.0))),
        BOTH: sentences.filter(pl.col("question").is_in(both.implode()) & has_items),
    }
    for who, version in versions.items():
        found = Gap(version)
        test = found.over_categories()
        counts = [_counted(version, culture) for culture in (WEST, EAST)]
        means = (
            found.categories["west_bengal"].mean(),
            found.categories["bangladesh"].mean(),
            found.difference,
        )
        yield (
            *(endpoint, measure.label, who, *means, test.p, test.n),
            *(whole for whole, _ in counts),
            *(without for _, without in counts),
        )


def _counted(sentences: pl.DataFrame, culture: str) -> tuple[int, int]:
    """Sentences of the culture, and those of them without items."""
    own = sentences.filter(pl.col("culture") == culture)
    return own.height, int((own["items"] == 0).sum())
