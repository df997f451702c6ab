"""How far people are apart on many items at once, by columns: a study has tens of thousands of answers, and a
page waits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Labels = Mapping[str, Hashable]


@dataclass(frozen=True, slots=True)
class Spread:
    """Of each item: ``apart`` and ``agree``. Of each answer, item by item: ``told`` and ``differs``.

    apart: the share of people outside the largest group that says the same, averaged over fields; 0 to below
    1. agree: the share of pairs of people who say the same, averaged over fields; 0 to 1. Both NaN where no
    field has two labels.

    told: whether most of the others agree in any field in which this person said something. differs: whether
    the person says something else there. Most: more than half of those who said anything in that field; where
    they are divided themselves, nothing is known about the one.
    """

    apart: NDArray[np.float64]
    agree: NDArray[np.float64]
    told: NDArray[np.bool_]
    differs: NDArray[np.bool_]


def spread(labels: Sequence[Sequence[Labels]]) -> Spread:
    """labels: of each item, those of each answer, as the kind of its stage reads them; empty where several
    answers are welcome."""
    import numpy as np

    items, answers = len(labels), sum(map(len, labels))
    item_of = np.repeat(np.arange(items), [len(each) for each in labels])
    rows, codes = _columns(labels)
    apart, agree, fields = np.zeros(items), np.zeros(items), np.zeros(items, int)
    comparable, differs = np.zeros(answers, bool), np.zeros(answers, bool)
    for name in sorted(rows):
        row, code = np.array(rows[name]), np.array(codes[name])
        item, values = item_of[row], code.max() + 1
        groups, group, votes = np.unique(item * values + code, return_inverse=True, return_counts=True)
        of = groups // values
        size, most = np.bincount(item, minlength=items), np.zeros(items, int)
        np.maximum.at(most, of, votes)
        several = size > 1
        fields += several
        apart[several] += 1 - most[several] / size[several]
        same = np.bincount(of, votes * (votes - 1), items)
        agree[several] += same[several] / (size * (size - 1))[several]
        alone = np.bincount(of, votes == most[of], items) == 1
        votes_here, others = votes[group], size[item] - 1
        is_largest = (votes_here == most[item]) & alone[item]
        differ = ~is_largest & (2 * most[item] > others)  # most others say the same, and something else
        comparable[row] |= differ | (2 * (votes_here - 1) > others)
        differs[row] |= differ
    with np.errstate(invalid="ignore"):
        return Spread(apart / fields, agree / fields, comparable, differs)


def disagreement(labels: Sequence[Labels]) -> float | None:
    """``Spread.apart`` of one item, whose labels are given; None where it cannot be told."""
    share = float(spread([labels]).apart[0])
    return None if isnan(share) else share


def _columns(labels: Sequence[Sequence[Labels]]) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    """By field: the numbers of the answers that say something in it, and a number for each thing that is
    said."""
    rows: defaultdict[str, list[int]] = defaultdict(list)
    codes: defaultdict[str, list[int]] = defaultdict(list)
    known: defaultdict[str, dict[Hashable, int]] = defaultdict(dict)
    answers = (answer for each in labels for answer in each)
    for number, answer in enumerate(answers):
        for name, label in answer.items():
            seen = known[name]
            rows[name].append(number)
            codes[name].append(seen.setdefault(label, len(seen)))
    return rows, codes
