"""What a metric compares, apart from how: the same pairs of gold and reply are compared by edits, or by a
language model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from folkways.benchmarks.judging.models import Comparer

Pair = tuple[str, str]
"""The text of the reply and that of gold."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The value ``(sure + the sum over pairs of how alike they are) / over``.

    pairs:    what must be compared. sure: what is known without (items that are equal).
    over:     what the sum is divided by: the items, or the gold items, one that is missing being a pair less.
    baseline: how alike unrelated texts are; every similarity is rescaled so that this becomes 0. None to take
    it as it is.
    """

    pairs: tuple[Pair, ...] = ()
    sure: float = 0.0
    over: int = 1
    baseline: float | None = None

    def value(self, similarity: Callable[[str, str], float]) -> float:
        """The value by a similarity of two texts."""
        total = self.sure
        for reply, gold in self.pairs:
            alike = similarity(reply, gold)
            total += alike if self.baseline is None else (alike - self.baseline) / (1 - self.baseline)
        return total / self.over


NamedComparison = tuple[str, Comparison]
"""The role of the model that compares, and what."""


def compare_all(
    asked: Sequence[Mapping[str, NamedComparison]], models: Mapping[str, Comparer]
) -> list[dict[str, float]]:
    """Metric -> value, for each mapping of ``asked``; every model sees all its distinct pairs at once.

    A metric whose model is not there is left out.
    """
    alike = {
        role: _similarities(
            model, (pair for row in asked for name, one in row.values() if name == role for pair in one.pairs)
        )
        for role, model in models.items()
    }
    return [
        {metric: one.value(alike[role]) for metric, (role, one) in row.items() if role in alike}
        for row in asked
    ]


def _similarities(model: Comparer, pairs: Iterable[Pair]) -> Callable[[str, str], float]:
    distinct = list(dict.fromkeys(pairs))
    known = dict(zip(distinct, model.compare(distinct).tolist(), strict=True)) if distinct else {}
    return lambda reply, gold: known[reply, gold]
