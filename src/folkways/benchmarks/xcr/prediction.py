"""xcr/prediction: the tagged items are masked, and the model fills them in (section on tasks; Table 2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

import polars as pl

from folkways.benchmarks.base import Scoring
from folkways.benchmarks.itemwise import ReplyScore, Row, unparsed
from folkways.benchmarks.judging.models import ModelRole
from folkways.benchmarks.summary import summarise_means
from folkways.benchmarks.xcr.common import ASKED, SourceTask
from folkways.benchmarks.xcr.comparisons import Comparison
from folkways.benchmarks.xcr.sentences import masked
from folkways.metrics.spans import hp_csi, hp_csi_per_gold, tagged_spans
from folkways.records import Metric, Schema, State

MOST_ITEMS = 4.0
"""Tagged items of the release's longest sentence: so many hits can one sentence have, which ``paper``
counts."""


class Prediction(SourceTask):
    """``paper`` counts hits per sentence, so that a perfect copy scores 116.15; ``strict`` gives the share of
    the gold items hit.

    A sentence without gold items counts as 0 in ``paper`` and not at all in ``strict``.
    """

    name: ClassVar[str] = "xcr/prediction"
    title: ClassVar[str] = "XCR-Bench: prediction"
    about: ClassVar[str] = (
        "Fill in what is specific to American, British or Western culture in an English sentence "
        "(sections 3 and F of the paper)."
    )
    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric(
            "hp_csi",
            "HP-CSI",
            "Items equal to the gold item in the same place, lower-cased: hits per sentence (paper) or per "
            "gold item (strict).",
            "mean",
            bounds=(0.0, MOST_ITEMS),
        ),
        Metric(
            "sp_csi",
            "SP-CSI",
            "As HP-CSI, and items that differ count with the cosine of their sentence embeddings (appendix "
            "F).",
            "mean",
            bounds=(0.0, MOST_ITEMS),
        ),
        Metric("count_kept", "Items kept", "The reply has as many tagged items as the sentence."),
    )
    scoring: ClassVar[Scoring] = Scoring(
        ("paper", "strict"),
        models=(ModelRole("embedding", "sentences", ("sp_csi",), "sentence-transformers/all-mpnet-base-v2"),),
    )
    judgement_columns: ClassVar[Schema] = {
        "hp_weight": pl.Float64,  # how much the row's share counts: its gold items in strict, 1 in paper
        "hp_most": pl.Float64,  # the most that it can be: 1 in strict, MOST_ITEMS in paper
    }

    def shown(self, sentence: str) -> tuple[str, str]:
        return masked(sentence), " | ".join(tagged_spans(sentence, across_lines=False))

    def score(self, item: Row, response: Row, profile: str) -> ReplyScore:
        reply = response["response"]
        gold = tagged_spans(item["sentence"], across_lines=False)
        found = tagged_spans(reply, across_lines=False)
        if gold and not found:
            return unparsed(reply, "en", "no tagged item in the reply")
        hits = hp_csi(item["sentence"], reply)
        values = {
            "hp_csi": hits if profile == "paper" else hp_csi_per_gold(item["sentence"], reply),
            "count_kept": float(len(found) == len(gold)),
        }
        reason = f"{hits:.0f} of {len(gold)} items equal"
        different = tuple(
            (one, other) for one, other in zip(found, gold, strict=False) if one.lower() != other.lower()
        )
        asked = {}
        if gold or profile == "paper":
            over = 1 if profile == "paper" else len(gold)
            asked["sp_csi"] = ("embedding", Comparison(different, sure=hits, over=over))
        return ReplyScore(" | ".join(found), reason, values, {ASKED: asked})

    def worst(self, item: Row, profile: str, state: State) -> Mapping[str, float | None]:
        nothing_to_hit = profile == "strict" and not tagged_spans(item["sentence"], across_lines=False)
        hits = None if nothing_to_hit else 0.0
        return {"hp_csi": hits, "sp_csi": hits, "count_kept": 0.0}

    def judged(self, item: Row, response: Row, profile: str) -> Row:
        weight = 1.0 if profile == "paper" else float(len(tagged_spans(item["sentence"], across_lines=False)))
        most = MOST_ITEMS if profile == "paper" else 1.0
        return {**super().judged(item, response, profile), "hp_weight": weight, "hp_most": most}

    def summarise(self, judgements: pl.DataFrame) -> pl.DataFrame:
        """As for every task; in ``strict``, HP and SP are pooled: hits over all gold items, drawn by sentence
        for the interval."""
        scores = super().summarise(judgements)
        most = MOST_ITEMS if (judgements["hp_most"] > 1).any() else 1.0
        hits = [replace(metric, bounds=(0.0, most)) for metric in self.metrics[:2]]
        by_item = judgements.select(pl.exclude("hp_weight").repeat_by("hp_weight").explode())
        numbers = ["score", "low", "high", "at_best"]
        keys = ["metric", "facet", "value"]
        pooled = summarise_means(by_item, self.name, hits, self.facets).select(*keys, *numbers)
        return (
            scores.join(pooled, on=keys, how="left", suffix="_pooled", maintain_order="left")
            .with_columns(pl.coalesce(f"{name}_pooled", name).alias(name) for name in numbers)
            .select(scores.columns)
        )
