"""Means over groups: the interval allows for questions that groups share, and is as it was where they share
none."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import polars as pl
import pytest

from folkways.benchmarks.averages import mean_over, with_mean_over
from folkways.benchmarks.summary import summarise_means
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


def test_the_only_group_of_a_facet_has_the_score_of_the_whole() -> None:
    """And groups that lack some rows have the mean of their own, as all rows together have."""
    rows = pl.concat(
        [
            locales(np.random.default_rng(seed), 0.3, p, locales=1, questions=size).with_columns(
                locale=pl.lit(name)
            )
            for name, seed, size, p in (("large", 1, 90, 0.9), ("small", 2, 12, 0.2))
        ]
    ).with_columns(
        item="question",
        culture=pl.lit("IE"),
        language=pl.lit("en"),
        variant=pl.lit("v"),
        counted=pl.lit(True),
    )
    plain = summarise_means(rows, "x/y", [CORRECT], (), [(), ("culture",), ("locale",)])
    scores = with_mean_over(plain, rows, [CORRECT], "locale")
    of = {
        (facet, value): score for facet, value, score in scores.select("facet", "value", "score").iter_rows()
    }
    means = dict(rows.group_by("locale").agg(100 * pl.col("correct").mean()).iter_rows())
    assert of["all", "all"] == of["culture", "IE"] == pytest.approx(sum(means.values()) / 2)
    assert of["all (pooled)", "all"] == pytest.approx(100 * rows["correct"].mean())  # type: ignore[operator]
    assert {name: of["locale", name] for name in means} == pytest.approx(means)
    assert of["all", "all"] != pytest.approx(of["all (pooled)", "all"])
    culture, whole = (
        scores.filter(facet=facet).drop("facet", "value").row(0) for facet in ("culture", "all")
    )
    assert culture == whole
