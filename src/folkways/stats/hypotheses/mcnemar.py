"""McNemar's exact test: of the questions on which two models differ, is one of them right more often than a
coin would be?"""

from __future__ import annotations


def exact_mcnemar(first_better: int, second_better: int) -> float:
    """The two-sided p of McNemar's exact test of paired questions (McNemar 1947); 1 where no question
    differs.

    first_better, second_better: questions on which the one has the higher mean. With one right or wrong
    answer per question this is McNemar's test. Where a question has several rows, or shares between 0 and 1,
    it is the sign test, which is the same: rows of a question do not count as independent.
    """
    from scipy.stats import binomtest

    n = first_better + second_better
    return float(binomtest(first_better, n).pvalue) if n else 1.0
