"""Reasoning on and off as two endpoints of one model: which endpoints are effort_pairs, and planted differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_rel

from folkways.benchmarks.tables import NotAvailableError
from folkways.benchmarks.xcr.results.scores import NOT_SET, effort_pairs, reasoning_tables
from tests.support.xcr_judgements import findings, row

IDENTIFICATION = "xcr/identification"


@pytest.mark.parametrize(
    ("endpoints", "found"),
    [
        (["m", "m?reasoning_effort=high"], [(NOT_SET, "high")]),
        (["m?reasoning_effort=high", "m?reasoning_effort=low"], [("low", "high")]),
        (["m?temperature=1", "m?reasoning_effort=high&temperature=1"], [(NOT_SET, "high")]),
        (["m", "m?reasoning_effort=high&temperature=1"], []),
        (["m", "other?reasoning_effort=high"], []),
        (["http://host/v1#m", "http://host/v1#m?reasoning_effort=none"], [(NOT_SET, "none")]),
        (
            ["m?reasoning_effort=huge", "m", "m?reasoning_effort=low"],
            [(NOT_SET, "low"), (NOT_SET, "huge"), ("low", "huge")],
        ),
    ],
)
def test_pairs_differ_in_the_effort_alone(endpoints: list[str], found: list[tuple[str, str]]) -> None:
    assert [(less.effort, more.effort) for less, more in effort_pairs(endpoints)] == found


def test_a_planted_difference_is_found_paired_by_sentence() -> None:
    rng = np.random.default_rng(2)
    off = rng.uniform(0, 0.8, 40)
    on = off + 0.1 + rng.normal(0, 0.02, 40)
    rows = [
        row(IDENTIFICATION, str(k), endpoint=endpoint, si_csi=float(values[k]))
        for endpoint, values in (("m?reasoning_effort=high", on), ("m", off), ("another", off))
        for k in range(40)
    ]
    rows += [row(IDENTIFICATION, "only one", endpoint="m", si_csi=1.0)]
    rows += [
        row(IDENTIFICATION, "failed", endpoint=endpoint, si_csi=0.0, state="failed")
        for endpoint in ("m", "m?reasoning_effort=high")
    ]
    (table,) = reasoning_tables(findings(rows))
    line = table.rows.row(0, named=True)
    outside = ttest_rel(100 * on, 100 * off)
    assert (line["less"], line["more"], line["sentences"]) == (NOT_SET, "high", 40)
    assert line["difference"] == pytest.approx(100 * (on - off).mean())
    assert (line["p"], line["p_holm"]) == pytest.approx((outside.pvalue, outside.pvalue))
    assert line["low"] < 10 < line["high"]
    assert table.rows.height == 1


def test_one_way_of_asking_is_no_comparison() -> None:
    with pytest.raises(NotAvailableError, match="reasoning_effort"):
        reasoning_tables(findings([row(IDENTIFICATION, "a", si_csi=1.0)]))


def test_different_sentences_are_no_comparison() -> None:
    rows = [
        row(IDENTIFICATION, "a", endpoint="m", si_csi=1.0),
        row(IDENTIFICATION, "b", endpoint="m?reasoning_effort=low", si_csi=1.0),
    ]
    with pytest.raises(NotAvailableError, match="same sentences"):
        reasoning_tables(findings(rows))
