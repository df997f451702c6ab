"""The contrasts of many models on one task, and the order made of them: a rank says what the pairs say, and
nothing besides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import polars as pl

from folkways.evidence.answers import Answers, Judged, answers_of
from folkways.evidence.contrasts import ALPHA, CONTRASTS, contrasts
from folkways.names import WHOLE
from folkways.records import Metric, is_baseline
from folkways.stats.pairwise import ranks_of_pairs


@dataclass(frozen=True, slots=True)
class Rank:
    """The rank of a model among the models it was compared with.

    value: 1 is best; models with the same score share the better rank. low, high: the range of ranks that the
    contrasts leave open, from 1 + the number of models that are better beyond chance to the number of models
    that are not worse beyond chance (Holm over all pairs, so all ranges together hold in 95 % of studies).
    level: whether the model ranks below the first but cannot be told apart from it.
    """

    value: int
    low: int
    high: int
    level: bool = False

    @property
    def span(self) -> str:
        """``2`` where the questions leave no doubt, else ``1–3``."""
        return str(self.low) if self.low == self.high else f"{self.low}–{self.high}"


@dataclass(frozen=True)
class ModelContrasts:
    """How the models of one task differ. contrasts: ``contrasts.CONTRASTS`` of every pair; empty for fewer
    than two models. ranks: ``order`` of them."""

    contrasts: pl.DataFrame = field(
        default_factory=lambda: pl.DataFrame(schema=dict(CONTRASTS)), compare=False
    )
    ranks: Mapping[str, Rank] = field(default_factory=dict)


def model_contrasts(judgements: Mapping[str, Judged], metric: Metric, by: Sequence[str]) -> ModelContrasts:
    """The contrasts and the order of models.

    judgements: as for ``answers_of``. by: the facets by whose groups they are compared too.
    """
    if len(judgements) < 2:
        return ModelContrasts()
    answers = answers_of(judgements, metric, by)
    rows = contrasts(answers, metric, by)
    return ModelContrasts(rows, order(answers, rows, metric))


def order(answers: Answers, rows: pl.DataFrame, metric: Metric) -> Mapping[str, Rank]:
    """Model -> its rank, best first; empty for fewer than two models that can be ranked, and for opinions,
    which no model is best at.

    A model is ranked if enough of its replies came (``Answers.rankable``) and it shares rows with every other
    ranked model; of two that share none, the one with fewer replies is left out. Baselines are ranked only
    where there are no models. rows: CONTRASTS of ``answers``.
    """
    if metric.kind == "distribution":
        return {}
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
    columns = ranks_of_pairs(lead, p, ALPHA)
    rows_of_ranks = zip(models, columns.rank, columns.low, columns.high, columns.level, strict=True)
    ranks = [
        (model, Rank(rank, low, high, level and rank > 1)) for model, rank, low, high, level in rows_of_ranks
    ]
    return dict(sorted(ranks, key=lambda entry: entry[1].value))
