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


def differs(own: Mapping[str, Hashable], others: Sequence[Mapping[str, Hashable]]) -> bool | None:
    """Whether somebody says something else than most of the others, in any field.

    Most: more than half of those who said anything in that field. None where there is no field in which most others agree: where
    they are divided themselves, nothing is told about the one.
    """
    found = None
    for name, label in own.items():
        counts = Counter(each[name] for each in others if name in each)
        if not counts:
            continue
        largest, votes = counts.most_common(1)[0]
        if 2 * votes > counts.total():
            found = bool(found) or label != largest
    return found


def pair_agreement(labels: Sequence[Mapping[str, Hashable]]) -> float | None:
    """The share of pairs of people who say the same, averaged over fields; 0 to 1. None where no field has two labels."""
    shares = []
    for name in sorted({name for each in labels for name in each}):
        counts = Counter(each[name] for each in labels if name in each)
        size = counts.total()
        if size > 1:
            shares.append(sum(count * (count - 1) for count in counts.values()) / (size * (size - 1)))
    return sum(shares) / len(shares) if shares else None
