"""In which stratum the next label tells most: Neyman's allocation (1934), one label at a time."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from typing import Any

from folkways.stats.raters.stratified_calibration import FEWEST

PRIOR = 4.0
"""Labels that the doubts about a judge count as, where they stand for its errors."""


def errors_to_expect(wrong: Any, labels: Any, doubt: Any) -> Any:
    """The share of a judge's verdicts that are wrong in a stratum: ``wrong`` of its ``labels``, leaning on
    the share of verdicts that other judges or a rule differ with (``doubt``), which is all there is before
    labels. Numbers, arrays or expressions.
    """
    return (wrong + PRIOR * doubt) / (labels + PRIOR)


def allocate(worth: Sequence[float], labelled: Sequence[int], waiting: Sequence[int]) -> Iterator[int]:
    """The stratum of each label to come, until nothing waits.

    worth: of each stratum, its share of all cases, squared, times its variance. labelled, waiting: its cases
    with a label, and those that could get one. First every stratum gets FEWEST; then the next label goes
    where it takes most off the variance of the whole: worth times 1/n less 1/(n + 1), where n have a label.
    """

    def rank(place: int, more: int) -> tuple[int, float, int, int]:
        n = labelled[place] + more
        return min(n, FEWEST), -worth[place] / (n * (n + 1) if n else 1), place, more

    queue = [rank(place, 0) for place, cases in enumerate(waiting) if cases]
    heapq.heapify(queue)
    while queue:
        *_, place, more = heapq.heappop(queue)
        yield place
        if more + 1 < waiting[place]:
            heapq.heappush(queue, rank(place, more + 1))
