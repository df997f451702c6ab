"""The order of many models, made of the contrasts of its pairs: a rank says what the pairs say, and nothing
besides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from folkways.evidence.answers import Answers
from folkways.evidence.contrasts import ALPHA
from folkways.names import WHOLE
from folkways.records import Metric, is_baseline
from folkways.stats.pairwise import ranks_of_pairs


@dataclass(frozen=True, slots=True)
class Standing:
    """A model's place in an order.

    rank: 1 is best; models with the same score share the better rank. low, high: the ranks that the contrasts
    leave open: one more than the models that are better beyond chance, and one less than the number of models
    and those that are worse (Holm over all pairs, so that all ranges together hold in 95 % of studies).
    level: whether it is behind the first, and not told apart from it.
    """

    rank: int
    low: int
    high: int
    level: bool = False

    @property
    def span(self) -> str:
        """``2`` where the questions leave no doubt, else ``1–3``."""
        return str(self.low) if self.low == self.high else f"{self.low}–{self.high}"


def order(answers: Answers, rows: pl.DataFrame, metric: Metric) -> Mapping[str, Standing]:
    """Model -> its standing, best first; empty for fewer than two models that can be ranked.

    A model has a standing where enough of its replies came (``Answers.rankable``) and it shares rows with
    every other that has one; of two that share none, that with fewer replies has none. Baselines have none
    beside models. rows: CONTRASTS of ``answers``.
    """
    whole = rows.filter(pl.col("facet") == WHOLE)
    pairs = {(row["first"], row["second"]): row for row in whole.iter_rows(named=True)}
    ranked = [model for model in answers.models if not is_baseline(model)] or answers.models
    able = [model for model in ranked if answers.rankable(model)]
    models: list[str] = []
    for model in sorted(able, key=lambda name: -answers.replied[name]):
        if all((model, other) in pairs or (other, model) in pairs for other in models):
            models.append(model)
    if len(models) < 2:
        return {}
    models.sort(key=answers.models.index)
    sign = -1.0 if metric.lower_is_better else 1.0
    lead, p = (np.full((len(models), len(models)), np.nan) for _ in range(2))
    for (first, one), (second, other) in combinations(enumerate(models), 2):
        row = pairs[one, other]
        lead[first, second], lead[second, first] = sign * row["difference"], -sign * row["difference"]
        p[first, second] = p[second, first] = row["p_holm"]
    ranks = ranks_of_pairs(lead, p, ALPHA)
    columns = zip(models, ranks.rank, ranks.low, ranks.high, ranks.level, strict=True)
    standings = {
        model: Standing(rank, low, high, level and rank > 1) for model, rank, low, high, level in columns
    }
    return dict(sorted(standings.items(), key=lambda entry: entry[1].rank))
