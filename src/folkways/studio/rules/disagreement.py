"""How far people are apart on an item, for looking at the most disputed ones first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence


def disagreement(labels: Sequence[Mapping[str, Hashable]]) -> float | None:
    """The share of people outside the largest group that says the same, averaged over fields; 0 to below 1.

    labels: of each judgement, as a stage's handler reads them. None below two judgements, or where a stage has no labels because
    several answers are welcome.
    """
    if len(labels) < 2:
        return None
    fields = sorted({name for each in labels for name in each})
    shares = []
    for name in fields:
        said = [each[name] for each in labels if name in each]
        if len(said) > 1:
            shares.append(1 - Counter(said).most_common(1)[0][1] / len(said))
    return sum(shares) / len(shares) if shares else None
