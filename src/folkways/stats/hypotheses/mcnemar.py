"""McNemar's exact test: of the questions on which two models differ, is one of them right more often than a coin would be?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from folkways.stats.intervals import Floats


@dataclass(frozen=True, slots=True)
class Discordant:
    """first_better, second_better, same: questions on which the first, the second, or neither has the higher mean.

    p: two-sided, exact, from those that differ; 1 where none does.
    """

    first_better: int
    second_better: int
    same: int
    p: float


def exact_mcnemar(differences: Floats) -> Discordant:
    """McNemar's exact test of paired questions (McNemar 1947), from each question's difference of first minus second.

    With one right or wrong answer per question this is McNemar's test. Where a question has several rows, or shares between 0 and
    1, it counts which of the two is better (the sign test, which is the same): rows of a question do not count as independent.
    """
    from scipy.stats import binomtest

    first, second = int((differences > 1e-12).sum()), int((differences < -1e-12).sum())
    n = first + second
    p = float(binomtest(first, n).pvalue) if n else 1.0
    return Discordant(first, second, int(np.size(differences)) - n, p)
