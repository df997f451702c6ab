"""Means over groups: the interval allows for questions that groups share, and is as it was where they share
none."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import polars as pl
import pytest

from folkways.benchmarks.averages import mean_over
from folkways.records import Metric

CORRECT = Metric("correct", "Accuracy", "")


def locales(
    rng: np.random.Generator, share: float, p: float, *, locales: int = 30, questions: int = 100
) -> pl.DataFrame:
    """Answers about regions that ask templates of the same list; ``share`` of what makes one right is the
    template's."""
    cut = NormalDist().inv_cdf(p)
    template = rng.normal(size=questions)
    parts = []
    for locale in range(locales):
        asked = np.flatnonzero(rng.random(questions) < 0.7)
        latent = np.sqrt(share) * template[asked] + np.sqrt(1 - share) * rng.normal(size=asked.size)
        names = {"locale": [f"l{locale}"] * asked.size, "question": [f"q{number}" for number in asked]}
        parts.append(
            pl.DataFrame(
                {**names, "correct": (latent < cut).astype(float), "state": ["answered"] * asked.size}
            )
        )
    return pl.concat(parts)


@pytest.mark.parametrize(
    ("share", "p"),
    [*(pytest.param(share, 0.5, marks=pytest.mark.nightly) for share in (0.0, 0.14)), (0.3, 0.8)],
)
def test_intervals_hold_where_locales_share_templates(share: float, p: float) -> None:
    rng = np.random.default_rng(5)
    scores = [mean_over(locales(rng, share, p), CORRECT, "locale", "locale") for _ in range(60)]
    held = sum(score["low"] <= 100 * p <= score["high"] for score in scores)  # type: ignore[operator]
    assert held >= 53, "56 of 60 are nearly 93 %; 53 is three standard errors below 95"


def test_groups_that_share_nothing_have_the_interval_of_independent_means() -> None:
    rows = locales(np.random.default_rng(1), 0.3, 0.5)
    apart = rows.with_columns(question=pl.concat_str("locale", "question"))
    one, other = (mean_over(frame, CORRECT, "locale", "locale") for frame in (rows, apart))
    assert one["score"] == pytest.approx(other["score"])
    widths = [found["high"] - found["low"] for found in (one, other)]  # type: ignore[operator]
    assert widths[0] > 1.5 * widths[1]
