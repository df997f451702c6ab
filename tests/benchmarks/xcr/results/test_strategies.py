"""The strategy tables: planted scores by strategy, and best and worst only above the minimum."""

from __future__ import annotations

import pytest

from folkways.benchmarks.tables import NotAvailableError
from folkways.benchmarks.xcr.results.adaptation_scores import MINIMUM, strategy_tables
from tests.support.xcr_judgements import findings, row

ADAPTATION = "xcr/adaptation"


def named(
    strategy: str | None, count: int, intra: float, inter: float | None, **more: object
) -> list[dict[str, object]]:
    scores = {"csi_edit_intra": intra, "csi_edit_inter": inter}
    return [
        row(ADAPTATION, f"{strategy}-{k}", culture="CN", strategy=strategy, **scores, **more)
        for k in range(count)
    ]


def test_each_strategy_with_its_mean_and_n() -> None:
    rows = [
        *named("Cultural Equivalent", 30, 0.6, 0.8),
        *named("Label", 20, 0.2, 0.4),
        *named("Deletion", MINIMUM - 1, 1.0, 1.0),
        *named(None, 10, 0.0, 0.0),
        *named("Label", 5, 0.9, 0.9, state="failed"),
    ]
    strategies, extremes = strategy_tables(findings(rows))
    found = {line["strategy"]: line for line in strategies.rows.iter_rows(named=True)}
    assert [line["named"] for line in found.values()] == [30, 20, 19, 10], (
        "the most frequent first, failed requests left out"
    )
    equivalent = found["Cultural Equivalent"]
    assert (equivalent["n"], equivalent["share"]) == (30, pytest.approx(100 * 30 / 79))
    assert (equivalent["intra"], equivalent["inter"], equivalent["score"]) == pytest.approx((60, 80, 70))
    best = extremes.rows.row(0, named=True)
    assert (best["best"], best["best_score"], best["best_n"]) == (
        "Cultural Equivalent",
        pytest.approx(70),
        30,
    )
    assert (best["worst"], best["worst_score"], best["worst_n"]) == ("Label", pytest.approx(30), 20)
    assert (best["strategies"], best["often_enough"]) == (3, 2), (
        "Deletion scores best and is named too seldom"
    )


def test_a_version_without_a_score_leaves_the_other() -> None:
    strategies, _ = strategy_tables(
        findings([*named("Label", 3, 0.4, None), *named("Deletion", 3, 0.4, 0.6)])
    )
    found = {line["strategy"]: line for line in strategies.rows.iter_rows(named=True)}
    assert (found["Label"]["score"], found["Label"]["inter"], found["Label"]["n"]) == (
        pytest.approx(40),
        None,
        3,
    )


def test_nothing_is_best_where_nothing_is_named_often_enough() -> None:
    _, extremes = strategy_tables(findings([*named("Label", 30, 0.4, 0.5), *named("Deletion", 3, 0.9, 0.9)]))
    line = extremes.rows.row(0, named=True)
    assert line["best"] is None
    assert line["worst"] is None
    assert (line["strategies"], line["often_enough"]) == (2, 1)


def test_replies_that_name_no_strategy_make_no_table() -> None:
    with pytest.raises(NotAvailableError, match="names a strategy"):
        strategy_tables(findings(named(None, 4, 0.5, 0.5)))


def test_where_the_rule_leaves_out_every_reply_judging_again_is_not_the_remedy() -> None:
    with pytest.raises(NotAvailableError, match="no reply to xcr/adaptation counts here"):
        strategy_tables(findings([row(ADAPTATION, "q", strategy="Label", csi_edit_intra=None)]))
    with pytest.raises(NotAvailableError, match="judge them again"):
        strategy_tables(findings([row(ADAPTATION, "q", strategy="Label")]))
